//! Every field of a file with its place, derived ones included.

mod field;
pub mod line;
mod place;
mod show;
mod walk;

use std::ops::ControlFlow;

use formwork::engine::Item;

use crate::document::Document;
use place::Place;
pub(crate) use place::{Places, form_of};
pub(crate) use show::{element_type, target_type};

pub use field::{FieldKind, FieldView, Stored, WalkOptions};
pub use place::NoSuchPath;

impl Document<'_> {
    /// Calls `visit` for the field at `path` (by default the whole file) and for everything below
    /// it, in the order of the schema; pointers are followed. `visit` may end the walk.
    ///
    /// Of a file that could only be read in part, it shows that part.
    ///
    /// # Errors
    ///
    /// If the path leads to nothing.
    pub fn walk(
        &self,
        path: Option<&str>,
        options: &WalkOptions,
        visit: &mut dyn FnMut(&FieldView) -> ControlFlow<()>,
    ) -> Result<(), NoSuchPath> {
        if self.engine.is_empty() {
            // Reading ended before it began.
            return Ok(());
        }
        walk::walk(self.engine.tree(), path, options, visit)
    }

    /// What is stored at a path such as `header.flags` or `items[2].name`, derived fields included;
    /// pointers are followed. Rows of the chosen case of a union type, and of structs without a
    /// name, need no step of their own; the name of the case may be one. `None` if there is no such field, or if it is a struct.
    #[must_use]
    pub fn stored(&self, path: &str) -> Option<Stored> {
        if self.engine.is_empty() {
            return None;
        }
        let tree = self.engine.tree();
        let places = Places(tree);
        let Ok(Place::Spot(spot)) = places.at_path(path) else { return None };
        let spot = places.value(spot);
        match spot.item {
            // A case or struct without rows says nothing.
            Item::Node(node) if tree.record(node).rows.is_empty() => Some(Stored::None),
            item => show::stored(tree, spot.ty, item),
        }
    }
}
