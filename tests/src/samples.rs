//! Finds folders of test files that are not part of the repository.

use std::env;
use std::path::{Path, PathBuf};

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
    let required = env::var("FORMWORK_REQUIRE_SAMPLES").is_ok_and(|value| value == "1");
    assert!(!required, "no folder {} ({variable}), and samples are required", path.display());
    println!("SKIPPED: no folder {}; {variable} can name another one", path.display());
    None
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
