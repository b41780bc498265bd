//! Finds the files that a command line names.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::is_folder;
use crate::problem::{Problem, words};

/// A file, or a folder that cannot be searched.
pub(crate) struct Found {
    pub path: PathBuf,
    /// Whether it was named itself, and not found in a folder.
    pub is_named: bool,
    /// Why the folder cannot be searched.
    pub error: Option<String>,
}

/// All files at and below these paths: folders are sorted, links to folders in them not followed.
pub(crate) fn find(paths: &[PathBuf]) -> Result<Vec<Found>, Problem> {
    let mut found = Vec::new();
    for path in paths {
        fs::metadata(path).map_err(|error| Problem::opening(path, &error))?;
        if is_folder(path) {
            search(path, &mut found);
        } else {
            found.push(Found { path: path.clone(), is_named: true, error: None });
        }
    }
    Ok(found)
}

fn search(folder: &Path, found: &mut Vec<Found>) {
    let mut todo = vec![folder.to_owned()];
    while let Some(path) = todo.pop() {
        let is_link = fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_symlink());
        if !is_folder(&path) {
            found.push(Found { path, is_named: false, error: None });
            continue;
        }
        if is_link && path != folder {
            continue;
        }
        match entries(&path) {
            // The stack gives them back in order.
            Ok(entries) => todo.extend(entries.into_iter().rev()),
            Err(error) => {
                let error = format!("cannot open the folder: {}", words(&error));
                found.push(Found { path, is_named: false, error: Some(error) });
            }
        }
    }
}

fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut entries =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    Ok(entries)
}
