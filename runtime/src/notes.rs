//! What a reader noticed that is no error.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// Something worth knowing about a file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Offset in the file, in bytes.
    pub offset: u64,
    /// Path of the field.
    pub path: String,
    /// What was noticed.
    pub message: String,
}

/// What a reader noticed that is no error, in the order in which it was met.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notes(Vec<Note>);

impl Notes {
    /// No notes.
    #[must_use]
    pub const fn new() -> Notes {
        Notes(Vec::new())
    }

    /// Adds a note.
    pub fn push(&mut self, note: Note) {
        self.0.push(note);
    }

    /// All notes.
    #[must_use]
    pub fn all(&self) -> &[Note] {
        &self.0
    }

    /// Whether there is nothing to say.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, at {:#x}", self.message, self.offset)?;
        if self.path.is_empty() {
            Ok(())
        } else {
            write!(f, " in {}", self.path)
        }
    }
}
