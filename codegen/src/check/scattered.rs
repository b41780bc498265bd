//! Elements that say where they stand: what says it does not follow from where they are.

use super::context::{Context, row_name};
use crate::diagnostic::Diagnostics;
use crate::model::{Expr, ExprId, Member, Model, Path, RecordId, Row, RowId, Step};

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    let model = context.model;
    for (id, record) in model.records() {
        for (number, row) in record.numbered_rows() {
            let Some(at) = row.ty.parts().find_map(|part| part.stripped().scattered()) else {
                continue;
            };
            let Some(circle) = from_their_places(model, at, (id, number)) else { continue };
            let message = format!("{} is needed to compute itself", row_name(circle));
            let diagnostic = found.error("E0505", circle.span, message);
            diagnostic.label("where an element is follows from this");
            diagnostic.also(row.span, "by this `at=`");
            diagnostic.help(
                "let it follow from the element before: \
                 `index(this) == 0 ? 0 : end(File.values[index(this) - 1]) - at(File.values[0])`",
            );
        }
    }
}

/// A row that an expression asks for, which follows from where elements of an array are.
fn from_their_places(model: &Model, expr: ExprId, array: (RecordId, RowId)) -> Option<&Row> {
    let mut open: Vec<(ExprId, Option<&Row>)> = vec![(expr, None)];
    let mut seen = Vec::new();
    while let Some((expr, row)) = open.pop() {
        if seen.contains(&expr) {
            continue;
        }
        seen.push(expr);
        match &model[expr] {
            Expr::At(path) | Expr::End(path) if row.is_some() && leads_into(model, path, array) => {
                return row;
            }
            Expr::Path(path) => {
                let Some(Step::Field(field)) = path.steps.last() else { continue };
                for (of, member) in model.ends(field) {
                    let of = &model.records[of.index()];
                    match member {
                        Member::Row(number) => {
                            let asked = of.rows.get(number.index());
                            let equation = asked.and_then(Row::equation);
                            open.extend(equation.map(|equation| (equation, asked)));
                        }
                        Member::Let(number) => {
                            let named = of.lets.get(number as usize);
                            open.extend(named.map(|named| (named.expr, row)));
                        }
                        Member::Into(_) => {}
                    }
                }
            }
            expr => expr.operands(&mut |operand| open.push((operand, row))),
        }
    }
    None
}

/// Whether a path leads to the element of an array that is at the position of something: an element
/// before it is placed already.
fn leads_into(model: &Model, path: &Path, (record, row): (RecordId, RowId)) -> bool {
    path.steps.windows(2).any(|steps| match steps {
        [Step::Field(field), Step::Index(index)] if matches!(model[*index], Expr::Index(_)) => {
            model.ends(field).any(|end| end == (record, Member::Row(row)))
        }
        _ => false,
    })
}
