//! Terminators of arrays stand where an element would begin, if those are of one size.

use crate::model::{EpochId, Extent, Model, Target, Terminator, Type};

/// Says of the terminators of arrays at multiples of what they are looked for.
pub(super) fn units_of_elements(model: &mut Model) {
    let mut found = Vec::new();
    for (id, record) in model.records() {
        for (row, definition) in record.numbered_rows() {
            let mut ty = definition.ty.clone();
            let mut changed = false;
            in_type(model, &mut ty, &mut changed);
            if changed {
                found.push((id, row, ty));
            }
        }
    }
    for (id, row, ty) in found {
        model.records[id.index()].rows[row.index()].ty = ty;
    }
}

fn in_type(model: &Model, ty: &mut Type, changed: &mut bool) {
    match ty {
        Type::Region(region) => {
            let trim = region.trim.as_mut().and_then(|trim| trim.terminator.as_mut());
            let stop = match &mut region.extent {
                Extent::Terminated(stop) => Some(stop),
                _ => trim,
            };
            // One of several units is as long as a unit.
            if let Some(stop) = stop.filter(|stop| !stop.bytes.is_empty())
                && let Some(unit) = element_size(model, &region.inner)
            {
                *changed |= stop.unit != unit;
                *stop = Terminator { unit, ..stop.clone() };
            }
            in_type(model, &mut region.inner, changed);
        }
        Type::Array(array) => in_type(model, &mut array.element, changed),
        Type::PerEpoch(types) => types.iter_mut().for_each(|ty| in_type(model, ty, changed)),
        Type::Pointer(pointer) => {
            if let Target::Own(target) = &mut pointer.target {
                in_type(model, target, changed);
            }
        }
        _ => {}
    }
}

/// Size of the elements of an array: of sizes of several epochs, of what they are multiples of.
fn element_size(model: &Model, ty: &Type) -> Option<u32> {
    let mut found = 0;
    for epoch in (0u32..).map(EpochId).take(model.epochs.len()) {
        match ty.in_epoch(epoch) {
            Type::Nothing => {}
            Type::Array(array) => {
                let mut size = model.size_of(&array.element, epoch)?;
                while size != 0 {
                    (found, size) = (size, found % size);
                }
            }
            _ => return None,
        }
    }
    u32::try_from(found).ok().filter(|unit| *unit > 0)
}
