//! Trees of typed values of real games, and of other writers, are rewritten byte for byte by both
//! engines.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use formwork::ReadOptions;
use formwork_formats::FormatId;
use formwork_interpreter::json::{Style, to_json};
use formwork_interpreter::value_of;
use formwork_tests::laws::{self, Outcome};
use formwork_tests::{programs, samples};

/// Files in the folder; all of them must pass.
const FILES: usize = 27;

/// Largest file for which more than one rewriting is tried, in bytes, so that the tests stay short in
/// a build without optimising.
const LARGEST: u64 = 120_000;

fn files() -> Option<Vec<PathBuf>> {
    let mut files = Vec::new();
    collect(&samples::samples()?.join("esf"), &mut files);
    files.sort();
    Some(files)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let known = |path: &Path| {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        programs::esf().model().extensions.iter().any(|known| known == extension)
    };
    for entry in fs::read_dir(folder).expect("the folder of samples can be read") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            collect(&path, files);
        } else if known(&path) {
            files.push(path);
        }
    }
}

/// Runs a check on each file, and reports all that fail.
fn each(files: &[PathBuf], check: impl Fn(&[u8]) -> Result<(), String>) {
    let mut problems = Vec::new();
    for path in files {
        let bytes = fs::read(path).expect("the sample can be read");
        if let Err(problem) = check(&bytes) {
            problems.push(format!("{}: {problem}", path.display()));
        }
    }
    let good = files.len() - problems.len();
    println!("{good} of {} files are identical", files.len());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn the_interpreter_rewrites_all_files() {
    let Some(files) = files() else { return };
    assert_eq!(files.len(), FILES);
    each(&files, |bytes| match laws::get_put(programs::esf(), bytes) {
        Outcome::Identical => Ok(()),
        Outcome::Equivalent(difference) => Err(format!("equivalent: {difference}")),
        Outcome::Failed(broken) => Err(broken.to_string()),
    });
}

/// Stack for the deepest file, which has 200 levels, in bytes: what threads have by default.
const STACK: usize = 2 << 20;

#[test]
fn generated_code_rewrites_all_files() {
    let thread = thread::Builder::new().stack_size(STACK).spawn(rewrite_by_generated_code);
    thread.expect("a thread").join().expect("all files are identical");
}

fn rewrite_by_generated_code() {
    let Some(files) = files() else { return };
    assert_eq!(files.len(), FILES);
    let format = FormatId::named("esf").expect("the format is compiled in");
    let options = ReadOptions::default();
    each(&files, |bytes| {
        let mut done = Err("it was not shown".to_owned());
        let shown = value_of(programs::esf(), |to| {
            done = format.roundtrip(bytes, &options, to).map_err(|error| error.to_string());
        });
        let done = done?;
        let written = done.written.map_err(|error| error.to_string())?;
        if let Some(difference) = laws::first_difference(bytes, &written) {
            return Err(difference.to_string());
        }
        let shown = shown.map_err(|error| error.to_string())?;
        if bytes.len() as u64 > LARGEST {
            return Ok(());
        }
        let value = laws::value_of(programs::esf(), bytes).map_err(|error| error.to_string())?;
        let text = |value| to_json(programs::esf(), value, Style::Compact);
        let same = text(&shown) == text(&value);
        if same { Ok(()) } else { Err("the engines read different values".to_owned()) }
    });
}

#[test]
fn the_other_laws_hold() {
    let Some(mut files) = files() else { return };
    files.retain(|path| path.metadata().is_ok_and(|metadata| metadata.len() <= LARGEST));
    assert!(files.len() > 15);
    let model = programs::esf();
    each(&files, |bytes| {
        let value = laws::value_of(model, bytes).map_err(|error| error.to_string())?;
        laws::put_get(model, &value).map_err(|broken| format!("put-get: {broken}"))?;
        laws::stable(model, &value).map_err(|broken| format!("stable: {broken}"))?;
        laws::canonical(model, &value).map_err(|broken| format!("canonical: {broken}"))
    });
}
