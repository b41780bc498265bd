//! Event flow files of real games are rewritten byte for byte, and nothing of their dictionaries,
//! pools and relocation tables has to be kept.

use std::fs;
use std::path::PathBuf;

use formwork_interpreter::KeptKind;
use formwork_tests::laws::{self, Outcome};
use formwork_tests::{programs, samples};

/// Files in the folder; all of them must pass.
const FILES: usize = 51;

fn files() -> Option<Vec<PathBuf>> {
    let folder = samples::samples()?.join("evfl");
    let entries = fs::read_dir(&folder).expect("the folder of samples can be read");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    let known = |extension: &str| matches!(extension, "bfevfl" | "bfevtm");
    files.retain(|path| path.extension().and_then(|e| e.to_str()).is_some_and(known));
    files.sort();
    Some(files)
}

#[test]
fn all_files_are_rewritten_identically() {
    let Some(files) = files() else { return };
    let model = programs::evfl();
    let mut problems = Vec::new();
    for path in &files {
        let bytes = fs::read(path).expect("the sample can be read");
        let problem = match laws::get_put(model, &bytes) {
            Outcome::Identical => continue,
            Outcome::Equivalent(difference) => format!("equivalent: {difference}"),
            Outcome::Failed(broken) => broken.to_string(),
        };
        problems.push(format!("{}: {problem}", path.display()));
    }
    let identical = files.len() - problems.len();
    println!("{identical} of {} files are identical", files.len());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
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
    let model = programs::evfl();
    let mut problems = Vec::new();
    for path in &files {
        let bytes = fs::read(path).expect("the sample can be read");
        let Ok(value) = laws::value_of(model, &bytes) else { continue };
        let results = [
            ("put-get", laws::put_get(model, &value).map(drop)),
            ("stable", laws::stable(model, &value)),
            ("canonical", laws::canonical(model, &value)),
        ];
        for (law, result) in results {
            if let Err(broken) = result {
                problems.push(format!("{}: {law}: {broken}", path.display()));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
