//! Models of one epoch, for those who know the epoch before they look at anything.

use super::{EpochId, Model, PointerType, Role, Row, Target, Type};

impl Model {
    /// The same model without [`Type::PerEpoch`]: each such type is the one of this epoch. Numbers
    /// follow from what gives them in it, or are data. Homes and sizes are still lists with one
    /// element per epoch.
    #[must_use]
    pub fn in_epoch(&self, epoch: EpochId) -> Model {
        let mut view = self.clone();
        for row in view.records.iter_mut().flat_map(|record| &mut record.rows) {
            settle(&mut row.ty, epoch);
            settle_equations(row, epoch);
        }
        for kind in &mut view.pointers {
            if let Some(text) = &mut kind.text {
                settle(text, epoch);
            }
        }
        view
    }
}

fn settle_equations(row: &mut Row, epoch: EpochId) {
    let before = row.definers.len();
    row.definers.retain(|definer| definer.is_in(epoch));
    row.definers.iter_mut().for_each(|definer| definer.epochs.clear());
    if before > 0 && row.definers.is_empty() {
        row.role = Role::Data;
    }
}

fn settle(ty: &mut Type, epoch: EpochId) {
    while let Type::PerEpoch(types) = ty {
        let index = epoch.index();
        *ty = if index < types.len() { types.swap_remove(index) } else { Type::Nothing };
    }
    match ty {
        Type::Pointer(pointer) => {
            if let PointerType { target: Target::Own(target), .. } = &mut **pointer {
                settle(target, epoch);
            }
        }
        Type::Array(array) => settle(&mut array.element, epoch),
        Type::Region(region) => settle(&mut region.inner, epoch),
        _ => {}
    }
}
