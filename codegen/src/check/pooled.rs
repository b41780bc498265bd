//! A text in a pool has no place of its own: the pool decides where it stands, and whether other
//! labels share it. Readers can ask for its address, but no number that is written follows from it.

use super::context::Context;
use crate::diagnostic::Diagnostics;
use crate::model::{
    DefinerSource, Expr, ExprId, Member, Model, Path, RecordId, Role, Start, Step, Target, Type,
};

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    let model = context.model;
    for (id, record) in model.records() {
        for row in &record.rows {
            let mut said: Vec<ExprId> = Vec::new();
            said.extend(row.definers.iter().filter_map(|definer| match definer.source {
                DefinerSource::Expr(expr) => Some(expr),
                _ => None,
            }));
            if let Role::Kept(usual) = row.role {
                said.push(usual);
            }
            let mut seen = Vec::new();
            for expr in said {
                each(model, id, expr, &mut seen, &mut |path| {
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
}

/// Every path whose address is asked for, behind `let`s and arguments, too.
fn each<'m>(
    model: &'m Model,
    of: RecordId,
    expr: ExprId,
    seen: &mut Vec<ExprId>,
    see: &mut dyn FnMut(&'m Path),
) {
    if seen.contains(&expr) {
        return;
    }
    seen.push(expr);
    match &model[expr] {
        Expr::At(path) | Expr::End(path) | Expr::Size(path) => see(path),
        Expr::Path(path) => {
            if let (Start::Argument(number), []) = (&path.start, &path.steps[..]) {
                let given = model.records[of.index()].arguments.get(*number as usize);
                given.into_iter().for_each(|given| each(model, of, *given, seen, see));
            }
            let Some(Step::Field(field)) = path.steps.last() else { return };
            for (record, member) in model.ends(field) {
                if let Member::Let(number) = member {
                    let found = model.records[record.index()].lets.get(number as usize);
                    found.into_iter().for_each(|found| each(model, record, found.expr, seen, see));
                }
            }
        }
        expr => expr.operands(&mut |operand| each(model, of, operand, seen, see)),
    }
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
