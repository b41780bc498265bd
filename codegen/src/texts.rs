//! Texts of schemas from files and streams.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use crate::syntax::MAX_TEXT;

/// The text of a schema file.
///
/// # Errors
///
/// If it cannot be read, is no regular file, is longer than any schema may be, or is no UTF-8.
pub fn read_schema(path: &Path) -> io::Result<String> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    schema_text(File::open(path)?)
}

/// The text of a schema, wherever it comes from. No more is read than a schema may be long.
///
/// # Errors
///
/// If it cannot be read, is longer than any schema may be, or is no UTF-8.
pub fn schema_text(from: impl Read) -> io::Result<String> {
    let most = u64::try_from(MAX_TEXT).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    from.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() > MAX_TEXT {
        let message = format!("it is longer than {} MiB", MAX_TEXT >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    String::from_utf8(bytes)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is no UTF-8 text"))
}
