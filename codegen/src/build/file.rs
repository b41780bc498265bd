//! Files of generated code.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process;

use super::BuildError;

/// Writes a file unless it has this text already. Whoever reads it meanwhile sees the old text or
/// the new one, never a part: the text goes to a file beside it, which is renamed.
///
/// # Errors
///
/// If the folder or the file cannot be written.
pub fn write_if_changed(path: &Path, text: &str) -> Result<(), BuildError> {
    if fs::read(path).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    replace(path, text).map_err(|error| BuildError::Unwritten { path: path.to_owned(), error })
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let beside = temporary(path);
    let written = fs::write(&beside, text).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

/// A path in the same folder that no other process uses.
fn temporary(path: &Path) -> PathBuf {
    let mut name: OsString = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", process::id()));
    path.with_file_name(name)
}
