//! All formats that are compiled in, behind one type.

use std::fmt;

use formwork::{Inspector, Notes, ReadError, ReadOptions, WriteError};

/// The formats whose features are on, in alphabetical order.
pub const FORMATS: &[Format] = crate::LIST;

/// A format, for programs that treat all of them alike.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Format {
    /// Name of the schema's module, which is that of the feature too.
    pub name: &'static str,
    /// Reads a file and shows its value. Fails as `File::read_with` does, and nothing is shown
    /// then.
    pub inspect: fn(&[u8], &ReadOptions, &mut dyn Inspector) -> Result<(), ReadError>,
    /// Reads a file, shows its value, and writes it. Fails as `File::read_with` does.
    pub roundtrip: fn(&[u8], &ReadOptions, &mut dyn Inspector) -> Result<RoundTrip, ReadError>,
}

/// What came of a file that was read and written.
#[derive(Debug)]
#[non_exhaustive]
pub struct RoundTrip {
    /// What was noticed while reading.
    pub notes: Notes,
    /// The bytes that the value is written as.
    pub written: Result<Vec<u8>, WriteError>,
    /// If those are others than before: whether they are read as an equal value.
    pub again: Option<Result<bool, ReadError>>,
}

impl Format {
    /// The format with this name, if its feature is on.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Format> {
        FORMATS.iter().find(|format| format.name == name)
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Format").field("name", &self.name).finish_non_exhaustive()
    }
}
