//! The engine: reads and writes any format from its model.
//!
//! It defines what a schema means. Generated code may be faster where a file has nothing unusual;
//! what it does not carry comes here.
//!
//! [`Program::new`] prepares a model. [`read`] turns bytes into a [`Document`], which knows for every
//! byte what it is; [`write()`] turns a value into bytes.

mod address;
mod anchor;
mod around;
mod arrange;
mod bounds;
mod chains;
mod checks;
mod claims;
mod derive;
mod described;
mod document;
mod edit;
mod entry;
mod eval;
mod find;
mod foreseen;
mod forms;
mod item;
mod kept;
mod keys;
mod labels;
mod map;
mod memo;
mod node;
mod own_size;
mod packed;
mod partial;
mod plan;
mod pools;
mod program;
mod read;
mod reading;
mod refs;
mod relocation;
mod runs;
mod sayable;
mod settle;
mod show;
mod source;
mod state;
mod stream;
mod summed;
mod tables;
mod tree;
mod val;
mod walk;
mod write;
mod writing;

pub use crate::edit::moved;
pub use crate::options::Budget;
pub(crate) use document::read_once;
pub use document::{read, read_claiming, read_partly, Document};
pub use edit::{
    is_in_shared_tables, references, references_so_far, refers_to_shared_tables, Along, Found,
    Moved, Places, References, Stays, Step,
};
pub use forms::{cell_fits, given_is};
pub use item::{ArrayRef, Blob, From, Item, Loc, NodeRef, CASE, MAX_SIZE, OWN, UNPLACED, WHOLE};
pub use program::{Grow, Program};
pub use reading::{Claim, Note};
pub use source::{row_name, Asked, Fields, Given, List, Numbering, Spelled, StandsFor, Stored};

pub use partial::Unfinished;
pub(crate) use tree::{blocks, TOGETHER};
pub use tree::{placed, Flat, Numbers, PointerView, Tree};
pub use walk::Walk;

use crate::model::EpochId;
use crate::problem::{Problem, WriteError};
use alloc::vec::Vec;

/// Writes a value as a file of the format.
///
/// # Errors
///
/// Every problem of the value that is found before bytes are needed, each with its path. Nothing is
/// truncated, wrapped or guessed.
pub fn write(program: &Program, value: Given<'_>) -> Result<Vec<u8>, WriteError> {
    let mut out = Vec::new();
    write_into(program, value, &mut out)?;
    Ok(out)
}

/// Writes a value as a file of the format, behind what `out` holds.
///
/// # Errors
///
/// Those of [`write()`]; nothing is appended then.
pub fn write_into(
    program: &Program,
    value: Given<'_>,
    out: &mut Vec<u8>,
) -> Result<(), WriteError> {
    write::write(program, value, &[], writing::Aim::Bytes, out)
}

/// Whether a value can be written.
///
/// # Errors
///
/// Those of [`write()`].
pub fn validate(program: &Program, value: Given<'_>) -> Result<(), WriteError> {
    write::write(program, value, &[], writing::Aim::Check, &mut Vec::new())
}

/// The epoch that a value is written in.
///
/// # Errors
///
/// If the value does not say it, or the format has no such layout.
pub fn epoch_of(program: &Program, value: Given<'_>) -> Result<EpochId, Problem> {
    write::epoch_of(program, value).map(|(epoch, _)| epoch)
}
