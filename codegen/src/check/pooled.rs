//! A text in a pool has no place of its own: the pool decides where it stands, and whether other
//! labels share it. Readers can ask for its address, but no number that is written follows from it.

use super::context::Context;
use crate::diagnostic::Diagnostics;
use crate::model::{DefinerSource, Expr, ExprId, Member, Model, Path, Step, Target, Type};

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    let model = context.model;
    for row in model.records.iter().flat_map(|record| &record.rows) {
        for definer in &row.definers {
            let DefinerSource::Expr(expr) = definer.source else { continue };
            each(model, expr, &mut |path| {
                if leads_into_pool(model, path) {
                    found
                        .error("E0709", row.span, format!("`{}` stands in a pool", path.text))
                        .label("this number would follow from its address")
                        .help("the pool decides where its texts stand when all else is known");
                }
            });
        }
    }
}

/// Every path whose address is asked for.
fn each<'m>(model: &'m Model, expr: ExprId, see: &mut dyn FnMut(&'m Path)) {
    let expr = &model[expr];
    if let Expr::At(path) | Expr::End(path) | Expr::Size(path) = expr {
        see(path);
    }
    expr.operands(&mut |operand| each(model, operand, see));
}

fn leads_into_pool(model: &Model, path: &Path) -> bool {
    let mut steps = path.steps.iter().rev();
    let (field, element) = match (steps.next(), steps.next()) {
        (Some(Step::Field(field)), _) => (field, false),
        (Some(Step::Index(_) | Step::Last), Some(Step::Field(field))) => (field, true),
        _ => return false,
    };
    field.members.iter().any(|(record, members)| {
        let [Member::Row(row)] = members.as_slice() else { return false };
        let row = model.records[record.index()].rows.get(row.index());
        row.is_some_and(|row| is_label(&row.ty, element))
    })
}

/// Whether a row, or its elements, are pointers to texts in a pool.
fn is_label(ty: &Type, element: bool) -> bool {
    match ty {
        Type::Pointer(pointer) => match &pointer.target {
            Target::Pooled => !element,
            Target::Own(target) => element && is_label(target, true),
            Target::Element => false,
        },
        Type::Array(array) => element && is_label(&array.element, false),
        Type::Region(region) => is_label(&region.inner, element),
        Type::PerEpoch(list) => list.iter().any(|ty| is_label(ty, element)),
        _ => false,
    }
}
