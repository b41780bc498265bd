//! A document shown to a visitor, like a value of generated types.

use super::document::Document;
use crate::inspect::Inspector;

impl Document<'_, '_> {
    /// Shows the value.
    pub fn inspect(&self, _to: &mut dyn Inspector) {}
}
