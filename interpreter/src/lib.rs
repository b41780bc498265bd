//! Reads and writes files straight from a [`Model`], without generating code.
//!
//! [`read`] turns bytes into a [`Document`], which knows for every byte what it is, and from which
//! [`Document::value`] gives the [`Value`] that a program edits; [`write()`] turns a value into
//! bytes. A file that its format's own tools made comes out as it went in.
#![forbid(unsafe_code)]

mod arithmetic;
mod checks;
mod coverage;
mod derive;
mod document;
mod engine;
mod eval;
mod find;
mod forms;
mod gaps;
mod inspect;
mod items;
pub mod json;
mod layout;
mod nodes;
mod project;
mod read;
mod references;
mod relocation;
mod settle;
mod shape;
mod tree;
mod value;
mod view;
mod write;

pub use coverage::{Coverage, Gap, Overlap, Unlisted, coverage};
pub use document::{Document, read, read_partly};
pub use inspect::{NotAValue, value_of};
pub use layout::in_layout;
pub use nodes::{ItemView, NodeView, RowView};
pub use read::Note;
pub use value::{Kept, KeptKind, StructValue, UnionValue, Value};
pub use view::{FieldKind, FieldView, NoSuchPath, Stored, WalkOptions};

use formwork::WriteError;
use formwork_model::Model;

/// Writes a value as a file of the format.
///
/// # Errors
///
/// Every problem of the value that is found before bytes are needed, each with its path. Nothing is
/// truncated, wrapped or guessed.
pub fn write(model: &Model, value: &Value) -> Result<Vec<u8>, WriteError> {
    write::write(model, value)
}
