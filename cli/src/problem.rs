//! Why a command could not do what it was asked to.

use std::fmt;
use std::io;
use std::path::Path;

use crate::schema::{self, Format};
use crate::{files, shown};

/// Ends a command before its work is done.
#[derive(Debug)]
pub(crate) enum Problem {
    /// The command was used wrongly: exit code 2.
    Usage(String),
    /// A file or schema has an error: exit code 1.
    Failure(String),
    /// Standard output could not be written: exit code 1.
    Output(io::Error),
}

impl Problem {
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Problem::Usage(_) => 2,
            Problem::Failure(_) | Problem::Output(_) => 1,
        }
    }

    /// A file that cannot be opened: wrong usage if there is none of that name, or a folder.
    pub(crate) fn opening(path: &Path, error: &io::Error) -> Problem {
        let message = match files::is_stream(path) {
            true => format!("cannot read standard input: {}", words(error)),
            false => format!("cannot open {}: {}", shown::path(path), words(error)),
        };
        match error.kind() {
            io::ErrorKind::NotFound
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::IsADirectory => Problem::Usage(message),
            _ => Problem::Failure(message),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Usage(message) | Problem::Failure(message) => write!(f, "error: {message}"),
            Problem::Output(error) => write!(f, "error: cannot write the output: {}", words(error)),
        }
    }
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        Problem::Output(error)
    }
}

/// An error of the system in words that are the same everywhere.
pub(crate) fn words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or folder".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "it is a folder".to_owned(),
        io::ErrorKind::OutOfMemory => "it is too long for the memory".to_owned(),
        _ => error.to_string(),
    }
}

/// The block that a failed read prints: what, and below it why and where, with the bytes there; and
/// which format a file of another one seems to have.
pub(crate) fn reading_block(
    path: &Path,
    format: &Format,
    error: &formwork::ReadError,
    bytes: &[u8],
) -> String {
    let mut block = format!(
        "error: cannot read {} as {}\n  {}\n  at {:#x} in {}",
        shown::path(path),
        format.name(),
        shown::text(&error.kind().to_string()),
        error.offset(),
        shown::text(&error.path().to_string()),
    );
    for line in error.excerpt(bytes).lines() {
        block.push_str("\n    ");
        block.push_str(line);
    }
    if !format.signature.fits(bytes) {
        let others = schema::built_in().unwrap_or_default();
        let mut others = others.iter().filter(|other| other.name() != format.name());
        if let Some(other) = others.find(|other| other.signature.fits(bytes)) {
            block.push_str(&format!("\n  it seems to be a file of the format {}", other.name()));
        }
    }
    block
}
