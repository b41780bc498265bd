//! Finds folders of test files that are not part of the repository.

use std::path::{Path, PathBuf};
use std::{env, fs};

use formwork_interpreter::Program;

use crate::laws::{self, Outcome};

/// The folder named by the environment variable `variable`, or else `default`, a path relative to
/// the workspace. `None` if there is no such folder: the caller skips, and standard output says
/// so.
///
/// # Panics
///
/// If the folder is missing and `FORMWORK_REQUIRE_SAMPLES` is `1`, so that a test which must run
/// cannot pass by skipping.
#[must_use]
pub fn folder(variable: &str, default: &str) -> Option<PathBuf> {
    let path = match env::var_os(variable) {
        Some(path) => PathBuf::from(path),
        None => workspace().join(default),
    };
    if path.is_dir() {
        return Some(path);
    }
    assert!(!required(), "no folder {} ({variable}), and samples are required", path.display());
    println!("SKIPPED: no folder {}; {variable} can name another one", path.display());
    None
}

/// Whether what a test needs from outside must be there.
#[must_use]
pub fn required() -> bool {
    env::var("FORMWORK_REQUIRE_SAMPLES").is_ok_and(|value| value == "1")
}

/// Files of real formats: `FORMWORK_SAMPLES`, or `../shared/samples` beside the workspace.
///
/// # Panics
///
/// As [`folder`].
#[must_use]
pub fn samples() -> Option<PathBuf> {
    folder("FORMWORK_SAMPLES", "../shared/samples")
}

/// The samples of a format that have one of these extensions, sorted.
///
/// # Panics
///
/// As [`folder`], or if the folder of the format cannot be read.
#[must_use]
pub fn files(format: &str, extensions: &[&str]) -> Option<Vec<PathBuf>> {
    Some(files_in(&samples()?.join(format), extensions))
}

/// The files of a folder and of those in it that have one of these extensions, sorted.
///
/// # Panics
///
/// If a folder cannot be read.
#[must_use]
pub fn files_in(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let (mut folders, mut files) = (vec![folder.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the folder can be read") {
            let path = entry.expect("readable").path();
            let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
            if path.is_dir() {
                folders.push(path);
            } else if extensions.contains(&extension) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Tries with each of some files whether something holds of it, and prints of how many it does.
///
/// # Panics
///
/// If a file cannot be read, or with what is wrong in each file where something is.
pub fn each(files: &[PathBuf], holds: &str, attempt: impl Fn(&[u8]) -> Result<(), String>) {
    let mut problems = Vec::new();
    for path in files {
        let bytes = fs::read(path).expect("the sample can be read");
        if let Err(problem) = attempt(&bytes) {
            problems.push(format!("{}: {problem}", path.display()));
        }
    }
    println!("{} of {} files {holds}", files.len() - problems.len(), files.len());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Whether the interpreter writes a file as it was.
///
/// # Errors
///
/// What is wrong.
pub fn rewritten(program: &Program, bytes: &[u8]) -> Result<(), String> {
    match laws::get_put(program, bytes) {
        Outcome::Identical => Ok(()),
        Outcome::Equivalent(difference) => Err(format!("equivalent: {difference}")),
        Outcome::Failed(broken) => Err(broken.to_string()),
    }
}

/// Whether the value of a file obeys the laws that begin with a value.
///
/// # Errors
///
/// Which it does not, and why.
pub fn other_laws(program: &Program, bytes: &[u8]) -> Result<(), String> {
    let value = laws::value_of(program, bytes).map_err(|error| error.to_string())?;
    laws::put_get(program, &value).map_err(|broken| format!("put-get: {broken}"))?;
    laws::stable(program, &value).map_err(|broken| format!("stable: {broken}"))?;
    laws::canonical(program, &value).map_err(|broken| format!("canonical: {broken}"))
}

/// Conformance cases: `FORMWORK_CONFORMANCE`, or `../shared/conformance` beside the workspace.
///
/// # Panics
///
/// As [`folder`].
#[must_use]
pub fn conformance() -> Option<PathBuf> {
    folder("FORMWORK_CONFORMANCE", "../shared/conformance")
}

/// The root of the workspace.
///
/// # Panics
///
/// Never: this package is a folder of the workspace.
#[must_use]
pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package lies in the workspace")
}
