//! Why an edit cannot be made.

use alloc::vec::Vec;
use core::fmt;

use crate::engine::Stays;
use crate::path::Path;
use crate::problem::WriteError;

/// The position that an element comes to when one is moved from a position to another.
#[must_use]
pub const fn moved(index: u32, from: u32, to: u32) -> u32 {
    if index == from {
        to
    } else if from < index && index <= to {
        index - 1
    } else if to <= index && index < from {
        index + 1
    } else {
        index
    }
}

/// Why elements of a value could not be inserted, removed or moved. The value is as it was.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum EditError {
    /// Something refers to the element that would be gone, or to something in it.
    StillReferenced {
        /// The references, from the value on that is edited.
        paths: Vec<Path>,
    },
    /// There is no such element.
    OutOfRange {
        /// The position that was asked for.
        index: u64,
        /// How many elements there are.
        count: u64,
    },
    /// The array is not there: an optional part is none, or a union has another case.
    NoArray,
    /// An element cannot stand for itself when it is gone.
    Itself,
    /// A new element would be more than positions can be said of.
    TooMany,
    /// These refer to elements of an array that follows from other parts of the value, so that it
    /// is not known where they come to be.
    Follows {
        /// The references, from the value on that is edited.
        paths: Vec<Path>,
    },
    /// These have an element for each of the array (`of=`), which would have to come along; of a
    /// value of generated types, whoever moves the elements moves these, too.
    Described {
        /// The arrays, from the value on that is edited.
        paths: Vec<Path>,
    },
    /// These have more or fewer elements than there are to describe them (`of=`), so that it is not
    /// known which belongs to which.
    Undescribed {
        /// The arrays, from the value on that is edited.
        paths: Vec<Path>,
    },
    /// What refers to what cannot be known, or a reference cannot say where its element would come
    /// to be: everything that keeps it from that.
    Invalid(WriteError),
}

impl From<Stays> for EditError {
    fn from(stays: Stays) -> EditError {
        match stays {
            Stays::Referenced(paths) => EditError::StillReferenced { paths },
            Stays::Follows(paths) => EditError::Follows { paths },
            Stays::Undescribed(paths) => EditError::Undescribed { paths },
            Stays::Invalid(error) => EditError::Invalid(error),
        }
    }
}

impl From<WriteError> for EditError {
    fn from(error: WriteError) -> EditError {
        EditError::Invalid(error)
    }
}

/// Paths that a message lists at most.
const MOST_PATHS: usize = 16;

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let listed = |f: &mut fmt::Formatter<'_>, paths: &[Path]| {
            for (number, path) in paths.iter().take(MOST_PATHS).enumerate() {
                write!(f, "{}{path}", if number == 0 { " " } else { ", " })?;
            }
            match paths.len().saturating_sub(MOST_PATHS) {
                0 => Ok(()),
                more => write!(f, " and {more} more"),
            }
        };
        match self {
            EditError::StillReferenced { paths } => {
                f.write_str("something still refers to it:")?;
                listed(f, paths)
            }
            EditError::OutOfRange { index, count } => {
                let elements = if *count == 1 { "element" } else { "elements" };
                write!(f, "there is no place {index}, the array has {count} {elements}")
            }
            EditError::NoArray => f.write_str("there is no such array in this value"),
            EditError::Itself => f.write_str("it cannot stand for itself"),
            EditError::TooMany => f.write_str("the array would have too many elements"),
            EditError::Follows { paths } => {
                f.write_str("these refer to an array that follows from other parts:")?;
                listed(f, paths)
            }
            EditError::Described { paths } => {
                f.write_str("these have an element for each, which would have to come along:")?;
                listed(f, paths)
            }
            EditError::Undescribed { paths } => {
                f.write_str("these have more or fewer elements than there are to describe them:")?;
                listed(f, paths)
            }
            EditError::Invalid(error) => error.fmt(f),
        }
    }
}

/// As in words: it is what `main` prints of an error.
impl fmt::Debug for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for EditError {}
