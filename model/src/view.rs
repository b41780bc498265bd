//! Models of one epoch, for those who know the epoch before they look at anything.

use std::sync::OnceLock;

use super::{EpochId, Model, PointerType, Target, Type};

/// What [`Model::in_epoch`] has made so far. Not part of what a model says.
#[derive(Debug, Clone, Default)]
pub struct EpochViews(OnceLock<Vec<Model>>);

impl Model {
    /// The same model without [`Type::PerEpoch`]: each such type is the one of this epoch. Homes
    /// and sizes are still lists with one element per epoch.
    #[must_use]
    pub fn in_epoch(&self, epoch: EpochId) -> &Model {
        let rows = || self.records.iter().flat_map(|record| &record.rows);
        if !rows().any(|row| varies(&row.ty)) {
            return self;
        }
        let views = self.views.0.get_or_init(|| {
            (0..u32::try_from(self.epochs.len()).unwrap_or(u32::MAX))
                .map(|epoch| self.view(EpochId(epoch)))
                .collect()
        });
        views.get(epoch.index()).unwrap_or(self)
    }

    fn view(&self, epoch: EpochId) -> Model {
        let mut view = Model { views: EpochViews::default(), ..self.clone() };
        for row in view.records.iter_mut().flat_map(|record| &mut record.rows) {
            settle(&mut row.ty, epoch);
        }
        for kind in &mut view.pointers {
            if let Some(text) = &mut kind.text {
                settle(text, epoch);
            }
        }
        view
    }
}

/// Whether a type depends on the epoch.
fn varies(ty: &Type) -> bool {
    match ty {
        Type::PerEpoch(_) => true,
        Type::Pointer(pointer) => match &pointer.target {
            Target::Own(target) => varies(target),
            Target::Pooled | Target::Element => false,
        },
        Type::Array(array) => varies(&array.element),
        Type::Region(region) => varies(&region.inner),
        _ => false,
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
