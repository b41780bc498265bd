//! Files that are read and written, standard streams among them.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;

use crate::problem::{Problem, words};

/// Whether a path stands for standard input or output.
pub(crate) fn is_stream(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The bytes of a file, or of standard input.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Problem> {
    if !is_stream(path) {
        return fs::read(path).map_err(|error| Problem::opening(path, &error));
    }
    let mut bytes = Vec::new();
    match io::stdin().lock().read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes),
        Err(error) => {
            Err(Problem::Failure(format!("cannot read standard input: {}", words(&error))))
        }
    }
}

/// Writes a file, or to standard output. A file is there as a whole or not at all: it is written
/// beside its place and then moved there.
pub(crate) fn write(path: &Path, bytes: &[u8], out: &mut dyn Write) -> Result<(), Problem> {
    if is_stream(path) {
        return Ok(out.write_all(bytes)?);
    }
    let failed = |error: io::Error| {
        Problem::Failure(format!("cannot write {}: {}", path.display(), words(&error)))
    };
    // Devices and pipes are written as they are; a link is followed.
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return fs::write(path, bytes).map_err(failed);
    }
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(format!(".{}", std::process::id()));
    let beside = target.with_file_name(name);
    let written = write_new(&beside, bytes).and_then(|()| fs::rename(&beside, &target));
    written.map_err(|error| {
        let _ = fs::remove_file(&beside);
        failed(error)
    })
}

/// Writes a file that must not be there yet.
pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(bytes)?;
    file.flush()
}
