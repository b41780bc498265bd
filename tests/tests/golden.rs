//! Every schema in `golden/` gives the model, the values and the bytes in the files beside it.
//!
//! `BLESS=1 cargo test -p formwork-tests --test golden` accepts models and values; bytes, errors and
//! edits are said by hand in the `.hex` files. `GOLDEN=name` runs the features whose name contains
//! it.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use formwork_codegen::print::model_text;
use formwork_interpreter::{Program, Value, read, write};
use formwork_tests::golden::{Break, Edit, Feature, File, features};
use formwork_tests::laws::{self, Broken};
use formwork_tests::{programs, samples, value_text};

fn folder() -> PathBuf {
    samples::workspace().join("tests/golden")
}

#[test]
fn golden() {
    let mut problems = String::new();
    let only = env::var("GOLDEN").unwrap_or_default();
    let mut count = 0;
    for feature in features(&folder()).expect("the features can be read") {
        let name = feature.schema.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !name.contains(&only) {
            continue;
        }
        count += 1;
        for problem in run(&feature) {
            let _ = writeln!(problems, "{name}: {problem}");
        }
    }
    assert!(count > 0, "there are no features");
    assert!(problems.is_empty(), "\n{problems}");
}

fn run(feature: &Feature) -> Vec<String> {
    let model = match programs::from_file(&feature.schema) {
        Ok(model) => model,
        Err(error) => return vec![error],
    };
    let mut problems = Vec::new();
    compare(&feature.schema.with_extension("model"), &model_text(model.model()), &mut problems);
    let mut values = String::new();
    for file in &feature.files {
        let mut add = |problem: String| problems.push(format!("{}: {problem}", file.name));
        match show(&model, file) {
            Ok((value, text)) => {
                let _ = writeln!(values, "== {}\n{text}", file.name);
                for problem in check(&model, feature, file, &value) {
                    add(problem);
                }
            }
            Err(problem) => add(problem),
        }
        file.breaks.iter().filter_map(|broken| check_break(&model, file, broken)).for_each(add);
    }
    compare(&feature.schema.with_extension("value"), &values, &mut problems);
    problems
}

fn compare(path: &Path, given: &str, problems: &mut Vec<String>) {
    if env::var_os("BLESS").is_some() {
        fs::write(path, given).expect("the file can be written");
    }
    let expected = fs::read_to_string(path).unwrap_or_default();
    if expected != given {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut lines = expected.lines().zip(given.lines()).enumerate();
        let at = lines.find(|(_, (a, b))| a != b).map_or(expected.lines().count(), |(at, _)| at);
        let line = |text: &str| text.lines().nth(at).unwrap_or("(nothing)").to_owned();
        let (old, new) = (line(&expected), line(given));
        problems.push(format!("{name}, line {}:\n  was {old}\n  now {new}", at + 1));
    }
}

/// The value of a file, and the text that is compared: the value and all notes.
fn show(model: &Program, file: &File) -> Result<(Value, String), String> {
    let document =
        read(model, &file.bytes, &file.options).map_err(|error| format!("not read: {error}"))?;
    let value = document.value();
    let mut text = value_text::print(&value);
    for note in document.notes() {
        let _ = writeln!(text, "# 0x{:x} {}: {}", note.offset, note.path, note.message);
    }
    Ok((value, text))
}

fn check(model: &Program, feature: &Feature, file: &File, value: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    let mut need = |what: &str, result: Result<(), String>| {
        if let Err(error) = result {
            problems.push(format!("{what}: {error}"));
        }
    };
    let parsed = value_text::parse(&value_text::print(value));
    need("text of the value", parsed.and_then(|parsed| same_spelling(value, &parsed)));
    let expected = file.written.as_deref().unwrap_or(&file.name);
    need("written again", writes(model, feature, value, expected));
    if !file.options.lenient {
        let law = |result: Result<(), Broken>| result.map_err(|broken| broken.to_string());
        need("put-get", law(laws::put_get(model, value).map(drop)));
        need("stable", law(laws::stable(model, value)));
        // Where a layout contradicts what it asks for, the file says that there is no plain form.
        let refused = |edit: &Edit| edit.canonical && edit.sets.is_empty() && edit.result.is_err();
        if !file.edits.iter().any(refused) {
            need("canonical", law(laws::canonical(model, value)));
        }
    }
    for edit in &file.edits {
        need(&format!("`{}`", edit.text), check_edit(model, feature, value, edit));
    }
    problems
}

fn same_spelling(value: &Value, parsed: &Value) -> Result<(), String> {
    if value.same_spelling(parsed) {
        return Ok(());
    }
    Err(format!("parsed as {}", value_text::line(parsed)))
}

/// Whether a value is written as the file of this name.
fn writes(model: &Program, feature: &Feature, value: &Value, name: &str) -> Result<(), String> {
    let file = feature.files.iter().find(|file| file.name == name);
    let file = file.ok_or_else(|| format!("there is no file `{name}`"))?;
    let written = write(model, value).map_err(|error| format!("not written: {error}"))?;
    match laws::first_difference(&file.bytes, &written) {
        None => Ok(()),
        Some(difference) => Err(format!("written differently: {difference}\n{}", dump(&written))),
    }
}

/// The bytes as a table, if `DUMP` is set.
fn dump(bytes: &[u8]) -> String {
    let mut text = String::new();
    if env::var_os("DUMP").is_none() {
        return text;
    }
    for (at, line) in bytes.chunks(16).enumerate() {
        let parts: Vec<_> = line.iter().map(|byte| format!("{byte:02x}")).collect();
        let _ = writeln!(text, "  {:04x}  {}", at * 16, parts.join(" "));
    }
    text
}

fn check_edit(
    model: &Program,
    feature: &Feature,
    value: &Value,
    edit: &Edit,
) -> Result<(), String> {
    let edited = edit.apply(value)?;
    let expected = match &edit.result {
        Ok(name) => return writes(model, feature, &edited, name),
        Err(expected) => expected,
    };
    let error = match write(model, &edited) {
        Ok(written) => return Err(format!("must be refused\n{}", dump(&written))),
        Err(error) => error,
    };
    let problem = |p: &formwork::Problem| format!("{} {}", p.kind.code(), p.path);
    if error.problems().iter().any(|p| problem(p) == *expected) {
        return Ok(());
    }
    let all: Vec<_> = error.problems().iter().map(problem).collect();
    Err(format!("refused otherwise: {} ({error})", all.join(", ")))
}

fn check_break(model: &Program, file: &File, broken: &Break) -> Option<String> {
    let found = match read(model, &broken.bytes, &file.options) {
        Ok(document) => {
            let value = value_text::print(&document.value());
            return Some(format!("`{}` is read\n{value}", broken.text));
        }
        Err(error) => error,
    };
    let given = format!("{} 0x{:x} {}", found.kind().code(), found.offset(), found.path());
    (given != broken.error)
        .then(|| format!("`{}`: expected {}, found {given} ({found})", broken.text, broken.error))
}
