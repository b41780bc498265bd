//! Generated types have room for every value that the interpreter reads.

use std::fmt::Write as _;
use std::fs;

use formwork::ReadOptions;
use formwork_codegen::rust::probe::{Probe, misfits};
use formwork_interpreter::{Value, read};
use formwork_tests::golden::features;
use formwork_tests::{cases, programs, samples};

#[test]
fn golden_values_have_room() {
    let mut problems = String::new();
    for feature in features(&samples::workspace().join("tests/golden")).expect("features") {
        let name = feature.schema.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let Ok(program) = programs::from_file(&feature.schema) else { continue };
        for file in &feature.files {
            let Ok(document) = read(&program, &file.bytes, &file.options) else { continue };
            let value = document.value();
            for misfit in misfits(program.model(), &probe(&value)) {
                let _ = writeln!(problems, "{name} {}: {misfit}", file.name);
            }
        }
    }
    assert!(problems.is_empty(), "\n{problems}");
}

#[test]
fn values_of_cases_have_room() {
    let Some(folder) = samples::conformance() else { return };
    let mut problems = String::new();
    for case in cases::load(&folder).expect("the cases can be read") {
        let schema =
            samples::workspace().join("tests/conformance").join(format!("{}.kdl", case.name));
        let Ok(program) = programs::from_file(&schema) else { continue };
        let Ok(document) = read(&program, &case.bytes, &ReadOptions::default()) else { continue };
        for misfit in misfits(program.model(), &probe(&document.value())) {
            let _ = writeln!(problems, "{}: {misfit}", case.name);
        }
    }
    assert!(problems.is_empty(), "\n{problems}");
}

#[test]
fn values_of_samples_have_room() {
    let Some(folder) = samples::samples() else { return };
    let mut problems = String::new();
    for entry in fs::read_dir(folder.join("evfl")).expect("the folder can be read").flatten() {
        let bytes = fs::read(entry.path()).unwrap_or_default();
        let Ok(document) = read(programs::evfl(), &bytes, &ReadOptions::default()) else {
            continue;
        };
        for misfit in misfits(programs::evfl().model(), &probe(&document.value())) {
            let _ = writeln!(problems, "{}: {misfit}", entry.path().display());
        }
    }
    assert!(problems.is_empty(), "\n{problems}");
}

fn probe(value: &Value) -> Probe<'_> {
    match value {
        Value::Int(number) => Probe::Int(*number),
        Value::Float { bytes, .. } => Probe::Float(*bytes),
        Value::Bool(_) => Probe::Bool,
        Value::Text(text) => Probe::Text(text),
        Value::Bytes(_) => Probe::Bytes,
        Value::Units(_) => Probe::Units,
        Value::Array(elements) => Probe::List(elements.iter().map(probe).collect()),
        Value::Struct(value) => fields(value),
        Value::Union(value) => Probe::Case(&value.case, Box::new(fields(&value.value))),
        Value::None => Probe::None,
        Value::Spelled(inner, kept) => {
            let kept = kept.iter().map(|kept| kept.row.as_str()).collect();
            Probe::Spelled(Box::new(probe(inner)), kept)
        }
    }
}

fn fields(value: &formwork_interpreter::StructValue) -> Probe<'_> {
    Probe::Struct(
        value.fields.iter().map(|(name, value)| (name.as_str(), probe(value))).collect(),
        value.kept.iter().map(|kept| kept.row.as_str()).collect(),
    )
}
