//! Why a command could not do what it was asked to.

use std::fmt;
use std::io;

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
