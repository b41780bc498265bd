//! What an error leaves behind: rows that were not read, and nodes that no row leads to.

use alloc::collections::{BTreeMap, BTreeSet};

use super::item::{Loc, NodeRef};

/// Why nothing is known of a row in place, or of where a compact record ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unread {
    /// Reading failed in it.
    Begun,
    /// Reading failed before.
    Before,
}

/// What is known of where reading failed.
#[derive(Debug, Default)]
pub(crate) struct Partial {
    /// Whether reading ended in an error.
    pub failed: bool,
    pub rows: BTreeMap<Loc, Unread>,
    /// Rows in place that something asked for before the node around them was read to its end, if
    /// somebody wants to know: they count as read when that fails.
    pub asked: Option<BTreeSet<Loc>>,
}

/// Nodes in a row that does not lead to them, because reading failed before it was finished: one
/// node, or elements of an array one after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unfinished {
    /// The row.
    pub row: Loc,
    /// The first of them.
    pub first: NodeRef,
    /// Its position in the array in the row, if it is an element.
    pub index: Option<u32>,
    /// How many there are.
    pub count: u32,
}

impl Unfinished {
    /// One of the nodes, by position among them.
    #[must_use]
    pub fn node(&self, position: u32) -> NodeRef {
        match self.first.is_element() {
            true => NodeRef { element: self.first.element + position, ..self.first },
            false => self.first,
        }
    }
}
