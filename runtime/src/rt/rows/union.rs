//! Unions.

use super::super::read::CaseLabel;
use super::{Cell, Ex};

/// One of several records.
#[derive(Debug)]
pub struct Union {
    /// Its name.
    pub name: &'static str,
    /// What decides.
    pub tag: Tag,
    /// Bytes of the tag, if it is its own.
    pub tag_size: u32,
    /// What there may be.
    pub cases: &'static [Case],
    /// Size in bytes, if all cases have the same.
    pub size: Option<u64>,
    /// Whether the offsets of whole cases count from the record around.
    pub around: bool,
    /// Whether cases have nodes.
    pub nodes: bool,
}

/// What decides the case of a [`Union`].
#[derive(Debug, Clone, Copy)]
pub enum Tag {
    /// Nothing.
    Nothing,
    /// A row of a record without a node.
    Own(u16),
    /// The row in a slot.
    Slot(u16),
    /// An expression.
    Given(Ex),
    /// A number that stands in front, and whether patterns cover all of it.
    Cell(Cell, bool),
}

/// A case of a [`Union`].
#[derive(Debug)]
pub struct Case {
    /// Its record.
    pub record: u16,
    /// Labels.
    pub labels: &'static [CaseLabel],
    /// Condition.
    pub guard: Option<Ex>,
    /// Epochs that have it; empty if all do.
    pub epochs: &'static [bool],
    /// Whether its record stands for the whole union, the tag included.
    pub whole: bool,
    /// Spellings.
    pub forms: &'static [Form],
}

/// A spelling of a [`Case`].
#[derive(Debug)]
pub struct Form {
    /// Record of its rows.
    pub record: u16,
    /// Labels.
    pub labels: &'static [CaseLabel],
    /// Epochs that have it; empty if all do.
    pub epochs: &'static [bool],
    /// Slots of the case, with those of the form that they are taken from.
    pub lift: &'static [(u16, u16)],
}

/// A case of this record with these labels.
#[must_use]
pub const fn case(record: u16, labels: &'static [CaseLabel]) -> Case {
    Case { record, labels, guard: None, epochs: &[], whole: false, forms: &[] }
}

impl Case {
    /// It is there if this holds.
    #[must_use]
    pub const fn guard(mut self, guard: Ex) -> Self {
        self.guard = Some(guard);
        self
    }

    /// It is there in these epochs.
    #[must_use]
    pub const fn epochs(mut self, epochs: &'static [bool]) -> Self {
        self.epochs = epochs;
        self
    }

    /// Its record stands for the whole union.
    #[must_use]
    pub const fn whole(mut self) -> Self {
        self.whole = true;
        self
    }

    /// It has these spellings.
    #[must_use]
    pub const fn forms(mut self, forms: &'static [Form]) -> Self {
        self.forms = forms;
        self
    }
}
