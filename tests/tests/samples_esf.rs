//! Trees of typed values of real games, and of other writers, are rewritten byte for byte by both
//! engines.

use std::path::PathBuf;
use std::thread;

use formwork::ReadOptions;
use formwork_formats::FormatId;
use formwork_interpreter::json::{Style, to_json};
use formwork_interpreter::value_of;
use formwork_tests::laws;
use formwork_tests::{programs, samples};

/// Files in the folder; all of them must pass.
const FILES: usize = 27;

/// Largest file for which more than one rewriting is tried, in bytes, so that the tests stay short in
/// a build without optimising.
const LARGEST: u64 = 120_000;

fn files() -> Option<Vec<PathBuf>> {
    let known: Vec<&str> = programs::esf().model().extensions.iter().map(String::as_str).collect();
    samples::files("esf", &known)
}

#[test]
fn the_interpreter_rewrites_all_files() {
    let Some(files) = files() else { return };
    assert_eq!(files.len(), FILES);
    samples::each(&files, "are identical", |bytes| samples::rewritten(programs::esf(), bytes));
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
    samples::each(&files, "are identical by generated code", |bytes| {
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
    samples::each(&files, "obey the laws", |bytes| samples::other_laws(programs::esf(), bytes));
}
