//! Files of generated code, and how files are replaced.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;

use super::BuildError;

/// Names that are tried for a file beside its place.
const NAMES: u32 = 1000;

/// Links that lead nowhere yet are followed so far.
const LINKS: u32 = 40;

/// Writes a file unless it has this text already. Whoever reads it meanwhile sees the old text or
/// the new one, never a part: the text goes to a file beside it, which is renamed.
///
/// # Errors
///
/// If the folder or the file cannot be written.
pub fn write_if_changed(path: &Path, text: &str) -> Result<(), BuildError> {
    let written = match has_text(path, text) {
        true => Ok(()),
        false => replace(path, text),
    };
    written.map_err(|error| BuildError::Unwritten { path: path.to_owned(), error })
}

/// Whether a file has this text.
#[must_use]
pub fn has_text(path: &Path, text: &str) -> bool {
    let size = fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|file| file.len());
    size == u64::try_from(text.len()).ok() && fs::read(path).is_ok_and(|old| old == text.as_bytes())
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = Replacement::new(path)?;
    file.write(text.as_bytes())?;
    file.replace()
}

/// A file that will take the place of another one, or be a new one, as a whole or not at all. Until
/// then it has a name of its own in the same folder; it is removed if it is dropped.
#[derive(Debug)]
pub struct Replacement {
    file: File,
    /// Where it is, and where it will be.
    beside: PathBuf,
    target: PathBuf,
    /// How the file may be used that was there before.
    permissions: Option<fs::Permissions>,
    done: bool,
}

impl Replacement {
    /// Makes an empty file for this place. What is there already is opened by nobody before it is
    /// replaced, and a link is followed, so that it stays one.
    ///
    /// # Errors
    ///
    /// If no file can be made there.
    pub fn new(path: &Path) -> io::Result<Replacement> {
        let target = place(path)?;
        let old = fs::metadata(&target).ok();
        if old.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let mut options = OpenOptions::new();
        // Only a file that is made here is written, whatever was put there under its name.
        options.write(true).create_new(true);
        restrict(&mut options, old.as_ref());
        let mut number = 0;
        loop {
            let beside = beside(&target, number);
            match options.open(&beside) {
                Ok(file) => {
                    let permissions = old.map(|old| keep_owner(&file, &old));
                    return Ok(Replacement { file, beside, target, permissions, done: false });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < NAMES => {
                    number += 1;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Where it is until it takes its place.
    #[must_use]
    pub fn beside(&self) -> &Path {
        &self.beside
    }

    /// Writes more of it.
    ///
    /// # Errors
    ///
    /// As writing has them.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }

    /// Puts it in its place. It may be used as the one that was there before.
    ///
    /// # Errors
    ///
    /// If it cannot be renamed. Then what was there is there still.
    pub fn replace(mut self) -> io::Result<()> {
        if let Some(permissions) = self.permissions.take() {
            self.file.set_permissions(permissions)?;
        }
        self.file.flush()?;
        fs::rename(&self.beside, &self.target)?;
        self.done = true;
        Ok(())
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if !self.done {
            let _ = fs::remove_file(&self.beside);
        }
    }
}

/// Where a file is, or will be: behind links, also behind those that lead nowhere yet.
fn place(path: &Path) -> io::Result<PathBuf> {
    let mut place = path.to_owned();
    let mut links = 0;
    loop {
        let error = match fs::canonicalize(&place) {
            Ok(place) => return Ok(place),
            Err(error) => error,
        };
        let Ok(next) = fs::read_link(&place) else { return Ok(place) };
        links += 1;
        if links > LINKS {
            return Err(error);
        }
        place = place.with_file_name("").join(next);
    }
}

/// A name in the folder of a file that begins with a dot, and is not too long if the file's is not.
fn beside(path: &Path, number: u32) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let start: String = name.chars().take(32).collect();
    let name = format!(".{start}.{}.{number}", process::id());
    path.with_file_name(name)
}

/// From its first byte on, a file is open to nobody to whom the one before it was closed.
#[cfg(unix)]
fn restrict(options: &mut OpenOptions, old: Option<&fs::Metadata>) {
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
    if let Some(old) = old {
        options.mode(old.permissions().mode() & 0o700);
    }
}

#[cfg(not(unix))]
fn restrict(_: &mut OpenOptions, _: Option<&fs::Metadata>) {}

/// Gives a file the owner of another one, and says how it may be used: as that one, but not in the
/// name of an owner that it could not be given.
#[cfg(unix)]
fn keep_owner(file: &File, old: &fs::Metadata) -> fs::Permissions {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let own = file.metadata().map(|own| (own.uid(), own.gid())).ok();
    let kept = own == Some((old.uid(), old.gid()))
        || fchown(file, Some(old.uid()), Some(old.gid())).is_ok();
    let mode = old.permissions().mode() & 0o7777;
    fs::Permissions::from_mode(if kept { mode } else { mode & 0o777 })
}

#[cfg(not(unix))]
fn keep_owner(_: &File, old: &fs::Metadata) -> fs::Permissions {
    old.permissions()
}
