//! Files of this machine, whoever wrote them.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Which files of a format are taken.
pub struct Wanted {
    pub folders: &'static [&'static str],
    /// By the end of their name; any if there are none.
    pub extensions: &'static [&'static str],
    /// What they begin with.
    pub magics: &'static [&'static [u8]],
    /// Largest file, in bytes.
    pub largest: u64,
    /// Largest total, in bytes.
    pub total: usize,
}

/// Evenly from all over the list of those that there are, up to the total, each content once.
pub fn collect(wanted: &Wanted) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let mut todo: Vec<PathBuf> = wanted.folders.iter().map(|folder| place(folder)).collect();
    while let Some(path) = todo.pop() {
        let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
        if metadata.is_dir() {
            let entries = fs::read_dir(&path).into_iter().flatten().flatten();
            todo.extend(entries.map(|entry| entry.path()));
        } else if metadata.is_file() && metadata.len() <= wanted.largest && is(wanted, &path) {
            found.push((path, metadata.len()));
        }
    }
    found.sort();
    let all: u64 = found.iter().map(|(_, size)| size).sum();
    let step = usize::try_from(all).unwrap_or(usize::MAX).div_ceil(wanted.total).max(1);
    let (mut files, mut sizes) = (Vec::new(), 0);
    for (path, _) in found.into_iter().step_by(step) {
        let Ok(bytes) = fs::read(&path) else { continue };
        if sizes + bytes.len() <= wanted.total {
            sizes += bytes.len();
            files.push(bytes);
        }
    }
    files.sort();
    files.dedup();
    // Not in the order of their bytes, or processors guess too well.
    let mut draw = harness::Lcg(1);
    for index in (1..files.len()).rev() {
        let other = draw.below(u32::try_from(index + 1).unwrap_or(u32::MAX));
        files.swap(index, other as usize);
    }
    files
}

/// A folder, which may be in that of the user.
fn place(folder: &str) -> PathBuf {
    match (folder.strip_prefix("~/"), std::env::var_os("HOME")) {
        (Some(inside), Some(home)) => PathBuf::from(home).join(inside),
        _ => PathBuf::from(folder),
    }
}

fn is(wanted: &Wanted, path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return false };
    let named = wanted.extensions.iter().any(|end| name.contains(end));
    if !named && !wanted.extensions.is_empty() {
        return false;
    }
    let mut head = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(8).read_to_end(&mut head));
    read.is_ok() && wanted.magics.iter().any(|magic| head.starts_with(magic))
}
