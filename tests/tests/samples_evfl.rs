//! Event flow files of real games are rewritten byte for byte, and nothing of their dictionaries,
//! pools and relocation tables has to be kept.

use std::fs;
use std::path::PathBuf;

use formwork_interpreter::KeptKind;
use formwork_tests::laws;
use formwork_tests::{programs, samples};

/// Files in the folder; all of them must pass.
const FILES: usize = 51;

fn files() -> Option<Vec<PathBuf>> {
    samples::files("evfl", &["bfevfl", "bfevtm"])
}

#[test]
fn all_files_are_rewritten_identically() {
    let Some(files) = files() else { return };
    samples::each(&files, "are identical", |bytes| samples::rewritten(programs::evfl(), bytes));
    assert_eq!(files.len(), FILES);
}

#[test]
fn nothing_derived_is_kept() {
    let Some(files) = files() else { return };
    let model = programs::evfl();
    let mut problems = Vec::new();
    for path in &files {
        let bytes = fs::read(path).expect("the sample can be read");
        let Ok(value) = laws::value_of(model, &bytes) else { continue };
        value.for_each_kept(&mut |kept| {
            let kinds = [KeptKind::Pool, KeptKind::Dictionary, KeptKind::Relocation];
            if kinds.contains(&kept.kind) {
                let (kind, row) = (kept.kind.name(), &kept.row);
                problems.push(format!("{}: {kind} `{row}` is kept", path.display()));
            }
        });
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn the_other_laws_hold() {
    let Some(files) = files() else { return };
    samples::each(&files, "obey the laws", |bytes| samples::other_laws(programs::evfl(), bytes));
}
