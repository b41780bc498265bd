//! References hit elements of one array: a `let` or an argument that they name chooses one, and joins
//! none.

use super::context::{Context, row_name};
use crate::diagnostic::Diagnostics;
use crate::model::{Expr, ExprId, Lead, Member, Model, Path, RecordId, Step, Type};
use crate::span::Span;

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    for (id, record) in context.model.records() {
        for row in &record.rows {
            let Some(reference) = &row.reference else { continue };
            let mut seen = Vec::new();
            if let Err(Joined { what, at }) = chosen(context, id, &reference.array, &mut seen) {
                let message = format!("{} refers to {what}", row_name(row));
                let diagnostic = found.error("E0223", row.span, message);
                diagnostic.label("`ref=` names one array");
                if let Some(at) = at {
                    diagnostic.also(at, "which is this");
                }
                diagnostic.help(
                    "a `let` may choose one: `kind == 0 ? a : b`. Of several arrays at once, a rule can \
                     say how great a number is: `max=\"count(a ++ b) - 1\"`",
                );
            }
        }
    }
}

/// Why a path leads to more than one array.
struct Joined {
    what: &'static str,
    /// The `let` that says it.
    at: Option<Span>,
}

/// Whether what a path ends with is one array, where that is an expression.
fn chosen(
    context: &Context,
    id: RecordId,
    path: &Path,
    seen: &mut Vec<ExprId>,
) -> Result<(), Joined> {
    for lead in context.model.leads(path) {
        match lead {
            Lead::Argument(number) => context
                .model
                .given(&context.owners, id, number)
                .try_for_each(|(owner, argument)| one(context, owner, argument, seen))?,
            Lead::Let(of, named) => one(context, of, named.expr, seen)
                .map_err(|joined| Joined { at: Some(named.span), ..joined })?,
            Lead::Row(..) => {}
        }
    }
    Ok(())
}

fn one(
    context: &Context,
    id: RecordId,
    expr: ExprId,
    seen: &mut Vec<ExprId>,
) -> Result<(), Joined> {
    let model = context.model;
    if seen.contains(&expr) {
        return Ok(());
    }
    seen.push(expr);
    match &model[expr] {
        Expr::Path(path) if is_through_an_array(model, path) => {
            Err(Joined { what: "arrays in elements of another one", at: None })
        }
        Expr::Path(path) => chosen(context, id, path, seen),
        Expr::If(_, a, b) | Expr::Coalesce(a, b) => {
            one(context, id, *a, seen)?;
            one(context, id, *b, seen)
        }
        Expr::Binary(..) => Err(Joined { what: "arrays that are joined", at: None }),
        _ => Err(Joined { what: "numbers that are computed", at: None }),
    }
}

/// Whether a path goes on in all elements of an array.
fn is_through_an_array(model: &Model, path: &Path) -> bool {
    path.steps.windows(2).any(|steps| {
        let [Step::Field(field), Step::Field(_)] = steps else { return false };
        model.ends(field).any(|(of, member)| {
            let Member::Row(row) = member else { return false };
            let row = model.records[of.index()].rows.get(row.index());
            row.is_some_and(|row| is_array(&row.ty))
        })
    })
}

fn is_array(ty: &Type) -> bool {
    match ty.stripped() {
        Type::Array(_) => true,
        Type::Pointer(pointer) => pointer.owned().is_some_and(is_array),
        Type::PerEpoch(types) => types.iter().any(is_array),
        _ => false,
    }
}
