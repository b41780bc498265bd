//! `unique=`: of numbers and texts, in elements of arrays.

use super::context::Context;
use crate::diagnostic::Diagnostics;
use crate::model::{Cell, Meaning, Model, RecordId, Target, Type};

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    let model = context.model;
    let within = within_arrays(model);
    for (id, record) in model.records().filter(|(id, _)| context.used(*id)) {
        for row in record.rows.iter().filter(|row| row.unique) {
            let name = row.name.as_deref().unwrap_or_default();
            let array = matches!(row.ty.stripped(), Type::Array(_));
            if !is_simple(&row.ty) {
                found
                    .error("E0735", row.span, format!("`{name}` has parts, which no key has"))
                    .help("`unique=#true` is about numbers, texts and bytes, or an array of them");
            } else if !array && !within[id.index()] {
                found
                    .error("E0735", row.span, format!("`{name}` is in no element of an array"))
                    .help("no two elements of the array around a row are equal there");
            }
        }
    }
}

/// For each record, whether it is an element of an array somewhere, or in one.
fn within_arrays(model: &Model) -> Vec<bool> {
    let mut within = vec![false; model.records.len()];
    let mut open: Vec<RecordId> = Vec::new();
    for row in model.records.iter().flat_map(|record| &record.rows) {
        let arrays = row.ty.parts().filter(|part| matches!(part, Type::Array(_)));
        open.extend(arrays.flat_map(|array| model.held(array)));
    }
    while let Some(id) = open.pop() {
        if !std::mem::replace(&mut within[id.index()], true) {
            open.extend(model.held_by(id));
        }
    }
    within
}

fn is_simple(ty: &Type) -> bool {
    match ty {
        Type::Cell(Cell { meaning, .. }) => !matches!(meaning, Meaning::Word(_)),
        Type::Run(_) | Type::Text | Type::Nothing => true,
        Type::Array(array) => is_simple(&array.element),
        Type::Region(region) => is_simple(&region.inner),
        Type::PerEpoch(types) => types.iter().all(is_simple),
        Type::Pointer(pointer) => match &pointer.target {
            Target::Own(target) => is_simple(target),
            Target::Pooled | Target::Element => true,
        },
        _ => false,
    }
}
