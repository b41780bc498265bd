//! Files of any format that has a schema as values, listings and text, without generating code.
//!
//! [`read`] turns bytes into a [`Document`], which knows for every byte what it is, and from which
//! [`Document::value`] gives the [`Value`] that a program edits; [`write()`] turns a value into
//! bytes. A file that its format's own tools made comes out as it went in.
#![forbid(unsafe_code)]

mod alone;
mod compare;
mod coverage;
mod diff;
mod document;
mod edit;
mod example;
mod inspect;
pub mod json;
mod layout;
mod merge;
mod paths;
mod shape;
mod source;
mod stack;
mod value;
mod view;

pub use coverage::{Coverage, Gap, Overlap, Unlisted, coverage};
pub use diff::{ByteRange, Cause, Change, ChangeKind, Diff, Extent, Place, SpellingChange, diff};
pub use document::{Deviation, Document, read, read_partly};
#[doc(hidden)]
pub use edit::turn;
pub use edit::{Edit, EditFailure, Source, edit};
pub use example::{ExampleProblem, example, examples};
pub use formwork::engine::{Note, Program};
pub use inspect::{NotAValue, value_of};
pub use layout::in_layout;
pub use merge::{Conflict, ConflictKind, MergeError, Merged, Version, merge};
pub use value::{Kept, KeptKind, StructValue, UnionValue, Value};
pub use view::{FieldKind, FieldView, NoSuchPath, Stored, WalkOptions, line};

use formwork::{WriteError, engine};
use formwork_model::Model;

/// Prepares a model for reading and writing, with a stack that grows where values nest deeply.
#[must_use]
pub fn program(model: Model) -> Program {
    Program::new(model).growing(stack::grow)
}

/// Writes a value as a file of the format.
///
/// # Errors
///
/// Every problem of the value that is found before bytes are needed, each with its path. Nothing is
/// truncated, wrapped or guessed.
pub fn write(program: &Program, value: &Value) -> Result<Vec<u8>, WriteError> {
    engine::write(program, value.given())
}

/// Whether a value can be written.
///
/// # Errors
///
/// Those of [`write()`].
pub fn validate(program: &Program, value: &Value) -> Result<(), WriteError> {
    engine::validate(program, value.given())
}

/// Gives a value to somebody as the engine takes it.
pub fn with_given<T>(value: &Value, with: impl FnOnce(engine::Given<'_>) -> T) -> T {
    with(value.given())
}
