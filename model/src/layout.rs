//! Statements of a layout: what is placed when.

use alloc::string::String;
use alloc::vec::Vec;

use super::{ExprId, RecordId, RowId, Span};

/// One statement. Each object of a struct is placed by exactly one of them.
#[derive(Debug, Clone)]
pub enum Statement {
    /// The bytes of the struct itself.
    This,
    /// The bytes of the objects at a path, without what they own.
    Record(LayoutPath),
    /// What the objects at a path own: the statements of their layouts behind `self`.
    Tail(LayoutPath),
    /// Both.
    Put(LayoutPath),
    /// A named pass of the objects at a path, or of their elements.
    Run(String, LayoutPath),
    /// Zero bytes up to a multiple.
    Align(Align),
    /// So many zero bytes that belong to nothing.
    Zero(ExprId),
    /// Sets the address of a mark row, after aligning.
    Mark(RowId, Option<Align>),
    /// One or the other, by the value.
    When(ExprId, Vec<Statement>, Vec<Statement>),
}

/// Alignment in bytes: a positive number.
pub type Align = ExprId;

/// Way from a node to a row that owns objects.
#[derive(Debug, Clone)]
pub struct LayoutPath {
    /// Steps; the last one is the row. Unions take the case that is there; if it has no such row,
    /// there is nothing to place.
    pub steps: Vec<PathStep>,
    /// As written, for messages.
    pub text: String,
    /// Where it is written; for default layouts, where the row is declared.
    pub span: Span,
}

/// One step of a [`LayoutPath`]: the row to take in each record that may be there.
#[derive(Debug, Clone)]
pub struct PathStep {
    /// Rows by record.
    pub rows: Vec<(RecordId, RowId)>,
}
