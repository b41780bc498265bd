//! What a survey finds that the fast path does not carry.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use crate::model::{RecordId, RowId};
use crate::span::Span;

/// What the code is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(in crate::rust) enum Task {
    #[default]
    Reading,
    Writing,
    /// Looking at rules.
    Checking,
}

/// Something that the fast path does not carry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::rust) struct Finding {
    pub task: Task,
    /// What it is about.
    pub record: RecordId,
    /// The row of that, if it is about one.
    pub row: Option<RowId>,
    /// Where it is written, if that is neither of the two.
    pub span: Option<Span>,
    pub why: String,
    /// Only files in which some case of a union occurs are not carried.
    pub in_case: bool,
    /// The layout in which it is not carried.
    pub epoch: usize,
}

/// What is found while code is made.
#[derive(Debug, Default)]
pub(super) struct Survey {
    pub(super) found: RefCell<Vec<Finding>>,
    /// What was found in functions, which are made once.
    pub(super) functions: RefCell<BTreeMap<String, Vec<Finding>>>,
    pub(super) task: Cell<Task>,
    /// How many cases of unions are around.
    pub(super) cases: Cell<u32>,
    /// Code is made that there is another way for, so it has to stop as ever.
    pub(super) paused: Cell<bool>,
    /// What was found in cases meanwhile: it counts if that way is taken.
    pub(super) perhaps: RefCell<Vec<Finding>>,
}

impl Survey {
    pub(super) fn add(&self, finding: Finding) {
        let mut found = self.found.borrow_mut();
        if !found.contains(&finding) {
            found.push(finding);
        }
    }
}
