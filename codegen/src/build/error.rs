//! Why no code was generated.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why a build made no code.
#[non_exhaustive]
pub enum BuildError {
    /// No folder was named, and there is no `OUT_DIR`, because this is no build script.
    NoFolder,
    /// A schema file has a name that no code can be named after.
    NoName(PathBuf),
    /// Two schemas would become the same file.
    SameName(String),
    /// A schema cannot be read.
    Unread {
        /// Its path.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// Generated code cannot be written.
    Unwritten {
        /// Path of the generated file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A library describes no files, so no code is made of it. The name of the schema.
    Library(String),
    /// Schemas have errors.
    Refused {
        /// A line for each error: place, code, message.
        lines: Vec<String>,
        /// All problems for people, with the text around them.
        rendered: String,
    },
}

impl BuildError {
    /// What is wrong, in lines that say a thing each.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        match self {
            BuildError::Refused { lines, .. } => lines.clone(),
            other => vec![other.to_string()],
        }
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::NoFolder => {
                f.write_str("no output folder: `OUT_DIR` is set in build scripts only")
            }
            BuildError::NoName(path) => write!(f, "{} has no name for code", path.display()),
            BuildError::SameName(name) => write!(f, "two schemas would become {name}.rs"),
            BuildError::Unread { path, error } => {
                write!(f, "the schema {} cannot be read: {error}", path.display())
            }
            BuildError::Unwritten { path, error } => {
                write!(f, "{} cannot be written: {error}", path.display())
            }
            BuildError::Library(name) => {
                write!(f, "{name} is a library; code is made of modules")
            }
            BuildError::Refused { rendered, .. } => f.write_str(rendered.trim_end()),
        }
    }
}

/// As in words: it is what `main` prints of an error.
impl fmt::Debug for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

// The words have the cause in them, so that it is no source as well.
impl Error for BuildError {}
