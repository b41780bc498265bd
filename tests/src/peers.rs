//! Other readers of the same files, which were written from descriptions of the formats and know
//! nothing of schemas: scripts in `tests/peers`.

use std::path::Path;
use std::process::Command;

use crate::samples;

/// What such a reader prints of a file; `None` if nothing here runs it, and standard output says so.
///
/// # Panics
///
/// If it fails, or if it cannot be run and `FORMWORK_REQUIRE_SAMPLES` is `1`.
#[must_use]
pub fn print(reader: &str, file: &Path) -> Option<serde_json::Value> {
    let script = samples::workspace().join("tests/peers").join(reader);
    let output = match Command::new("python3").arg(script).arg(file).output() {
        Ok(output) => output,
        Err(error) => {
            assert!(!samples::required(), "python3 does not run: {error}");
            println!("SKIPPED: python3 does not run: {error}");
            return None;
        }
    };
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {error}", file.display());
    Some(serde_json::from_slice(&output.stdout).expect("it prints JSON"))
}
