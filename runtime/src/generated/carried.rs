//! A format as generated code carries it, and what the engine does with it.

use alloc::vec::Vec;

use super::{Made, Seen, Source};
use crate::engine::{self, Program};
use crate::once::Once;
use crate::{Note, Notes, ReadError, ReadOptions, WriteError};

/// A packed model, which becomes a program when it is first needed.
#[derive(Debug)]
pub struct Carried {
    packed: &'static str,
    program: Once<Program>,
}

impl Carried {
    /// The format of a packed model.
    #[must_use]
    pub const fn new(packed: &'static str) -> Carried {
        Carried { packed, program: Once::new() }
    }

    /// The program.
    ///
    /// # Panics
    ///
    /// If the text is no packed model, which would be a defect of the generator.
    pub fn program(&self) -> &Program {
        self.program.get_or_make(|| {
            let model = crate::model::unpack(self.packed);
            Program::new(model.expect("what generated code carries is a model"))
        })
    }
}

/// Reads a file by the engine.
///
/// # Errors
///
/// The first thing that does not fit the schema, with its offset in bytes and its path.
pub fn read<'b, T: Made<'b>>(
    format: &'static Carried,
    bytes: &'b [u8],
    options: &ReadOptions,
    notes: Option<&mut Notes>,
) -> Result<T, ReadError> {
    let document = document(format, bytes, options, notes)?;
    Ok(T::of(Seen::root(&document)))
}

fn document<'b>(
    format: &'static Carried,
    bytes: &'b [u8],
    options: &ReadOptions,
    notes: Option<&mut Notes>,
) -> Result<engine::Document<'static, 'b>, ReadError> {
    let (document, error) = engine::read_once(format.program(), bytes, options);
    if let Some(notes) = notes {
        for engine::Note { offset, path, message } in document.notes().iter().cloned() {
            notes.push(Note { offset, path, message });
        }
    }
    match error {
        None => Ok(document),
        Some(error) => Err(error),
    }
}

/// Writes a value by the engine, behind what `out` holds.
///
/// # Errors
///
/// Everything in the value that the format cannot say, each with its path; nothing is appended then.
pub fn write(format: &Carried, value: &dyn Source, out: &mut Vec<u8>) -> Result<(), WriteError> {
    engine::write_into(format.program(), value.given(), out)
}

/// Whether a value can be written.
///
/// # Errors
///
/// Those of [`write`].
pub fn validate(format: &Carried, value: &dyn Source) -> Result<(), WriteError> {
    engine::validate(format.program(), value.given())
}
