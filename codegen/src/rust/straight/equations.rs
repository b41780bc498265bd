//! What equations of rows measure, and which of them structs around give.

use crate::model::{
    BinaryOp, Definer, DefinerScope, DefinerSource, Expr, ExprId, Measure, Model, Path, RecordId,
    RowId,
};

/// What is asked of a place.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Side {
    At,
    End,
    Size,
}

/// What a number measures.
pub(super) enum Measured<'m> {
    Row(RowId),
    Path(&'m Path),
}

/// An equation that measures something: `factor * number + offset` is the measure.
pub(super) struct Equation<'m> {
    pub side: Side,
    pub of: Measured<'m>,
    pub factor: i128,
    pub offset: i128,
}

/// The measure that an equation of a row says.
pub(super) fn equation<'m>(model: &'m Model, source: &'m DefinerSource) -> Option<Equation<'m>> {
    match source {
        DefinerSource::Measure { measure, row, factor, offset } => {
            let side = match measure {
                Measure::Size => Side::Size,
                Measure::End => Side::End,
                Measure::At(base) if model.exprs.constant(*base) == Some(0) => Side::At,
                _ => return None,
            };
            Some(Equation { side, of: Measured::Row(*row), factor: *factor, offset: *offset })
        }
        DefinerSource::Expr(expr) => measure_plus(model, *expr, 0),
    }
}

/// A measure to which a constant is added.
pub(super) fn measure_plus(model: &Model, expr: ExprId, added: i128) -> Option<Equation<'_>> {
    let measure = |side, path| {
        let (of, offset) = (Measured::Path(path), added.checked_neg()?);
        Some(Equation { side, of, factor: 1, offset })
    };
    match &model[expr] {
        Expr::At(path) => measure(Side::At, path),
        Expr::End(path) => measure(Side::End, path),
        Expr::Size(path) => measure(Side::Size, path),
        Expr::Binary(BinaryOp::Add, a, b) => match model.exprs.constant(*b) {
            Some(n) => measure_plus(model, *a, added.checked_add(n)?),
            None => measure_plus(model, *b, added.checked_add(model.exprs.constant(*a)?)?),
        },
        Expr::Binary(BinaryOp::Subtract, a, b) => {
            measure_plus(model, *a, added.checked_sub(model.exprs.constant(*b)?)?)
        }
        _ => None,
    }
}

/// Equations of a row that structs around it give, by the way that leads from them to its struct.
pub(super) fn givers<'m>(
    definers: &'m [Definer],
    way: &[(RecordId, RowId)],
    row: RowId,
) -> impl Iterator<Item = (RecordId, &'m DefinerSource)> {
    definers.iter().filter_map(move |definer| {
        let DefinerScope::Owner(owner, path) = &definer.scope else { return None };
        let (last, rows) = path.split_last()?;
        let from = way.len().checked_sub(rows.len())?;
        let through = way[from..].iter().map(|(_, row)| row);
        let leads = *last == row && through.eq(rows) && way.get(from)?.0 == *owner;
        leads.then_some((*owner, &definer.source))
    })
}
