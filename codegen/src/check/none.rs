//! None has one meaning: not both a pointer and what it leads to may be none, for the value of a
//! transparent struct is that of its row, and nobody could tell from it which of them it is.

use std::collections::HashSet;

use super::context::{Context, types};
use crate::diagnostic::Diagnostics;
use crate::model::{Model, RecordId, Row, Target, Type};

/// Why a value may be none.
struct Cause<'m> {
    /// The row of a transparent struct that may be none, unless it is the target of the pointer.
    row: Option<&'m Row>,
}

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    let mut told = HashSet::new();
    for (_, record) in context.model.records() {
        for row in &record.rows {
            let twice = types(&row.ty).into_iter().find_map(|ty| twice(context.model, ty));
            if let Some(inner) = twice
                && told.insert((row.span.source, row.span.start))
            {
                let message = "a pointer that may be none leads to what may be none";
                let diagnostic = found.error("E0706", row.span, message);
                diagnostic.label("the value is none in both cases");
                if let Some(inner) = inner.row
                    && inner.span != row.span
                {
                    diagnostic.also(inner.span, "the value of the struct is that of this row");
                }
                diagnostic.help("let only one of them be none, or the struct not be transparent");
            }
        }
    }
}

fn twice<'m>(model: &'m Model, ty: &Type) -> Option<Cause<'m>> {
    match ty {
        Type::Pointer(pointer) if pointer.optional => match &pointer.target {
            Target::Own(target) => absent(model, target, None, &mut HashSet::new()),
            _ => None,
        },
        _ => None,
    }
}

/// Why a value of this type, which is that of `row`, may be none.
fn absent<'m>(
    model: &'m Model,
    ty: &Type,
    row: Option<&'m Row>,
    seen: &mut HashSet<RecordId>,
) -> Option<Cause<'m>> {
    if row.is_some_and(|row| row.when.is_some() || !row.none.is_empty()) {
        return Some(Cause { row });
    }
    match ty {
        Type::Pointer(pointer) if pointer.optional => Some(Cause { row }),
        Type::Pointer(pointer) => match &pointer.target {
            Target::Own(target) => absent(model, target, row, seen),
            _ => None,
        },
        Type::Region(region) => absent(model, &region.inner, row, seen),
        Type::PerEpoch(list) => list.iter().find_map(|ty| absent(model, ty, row, seen)),
        Type::Record(id) if seen.insert(*id) => {
            let record = model.records.get(id.index())?;
            let row = record.rows.get(record.transparent?.index())?;
            absent(model, &row.ty, Some(row), seen)
        }
        _ => None,
    }
}
