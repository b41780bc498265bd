//! The files that belong to a schema.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use formwork::ReadOptions;
use formwork_interpreter::{Program, read, write};
use formwork_tests::golden::{self, Feature};
use formwork_tests::{cases, samples};

use crate::schemas::{Group, Schema};

/// Largest sample that is tried, in bytes, so that tests stay short without optimising.
const LARGEST: u64 = 400_000;

/// Largest file that is changed byte by byte, in bytes.
const SHORT: usize = 256;

/// A file to read.
#[derive(Debug, Clone)]
pub struct Input {
    /// What it is, for messages.
    pub label: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// How to read it.
    pub options: ReadOptions,
    /// What about an error is settled.
    pub errors: Errors,
}

/// What two engines must agree about if both refuse a file. Which of several errors is met first
/// is not settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Errors {
    /// That there is one.
    Any,
    /// Its code.
    Code,
    /// Its code, offset and path: one thing is wrong at most.
    Place,
}

impl Input {
    fn new(label: impl Into<String>, bytes: Vec<u8>) -> Input {
        Input { label: label.into(), bytes, options: ReadOptions::default(), errors: Errors::Code }
    }
}

/// The files of a schema, and what they would be without unusual spellings; if the environment
/// variable `FORMWORK_MUTATE` is set, changed forms of the short ones as well. Those that are not in this repository are left out if they are missing.
///
/// # Panics
///
/// If a file of this repository cannot be read, or samples are required and missing.
#[must_use]
pub fn of(schema: &Schema) -> Vec<Input> {
    let mut inputs = match schema.group {
        Group::Golden | Group::Made => goldens(schema),
        Group::Conformance => conformance(schema),
        Group::Reach => [goldens(schema), files(schema)].concat(),
        Group::Shipped => files(schema),
    };
    let Some(program) = schema.program() else { return inputs };
    let canonical: Vec<Input> =
        inputs.iter().filter_map(|input| canonical(&program, input)).collect();
    inputs.extend(canonical);
    if env::var_os("FORMWORK_MUTATE").is_some() {
        let short = inputs.iter().filter(|input| input.bytes.len() <= SHORT);
        let mutated: Vec<Input> = short.flat_map(mutated).collect();
        inputs.extend(mutated);
    }
    inputs
}

/// The file as it would be without anything unusual in it, if that is another one.
fn canonical(program: &Program, input: &Input) -> Option<Input> {
    let value = read(program, &input.bytes, &input.options).ok()?.value();
    let bytes = write(program, &value.canonical()).ok().filter(|bytes| *bytes != input.bytes)?;
    Some(Input { label: format!("canonical {}", input.label), bytes, ..input.clone() })
}

/// The file cut at each place, and with each byte changed in some ways.
#[must_use]
pub fn mutated(input: &Input) -> Vec<Input> {
    let variant = |what: String, bytes: Vec<u8>| Input {
        label: format!("{}, {what}", input.label),
        bytes,
        errors: Errors::Any,
        ..input.clone()
    };
    let mut all = Vec::new();
    for at in 0..input.bytes.len() {
        all.push(variant(format!("cut at 0x{at:x}"), input.bytes[..at].to_vec()));
        let old = input.bytes[at];
        let mut others = vec![old ^ 1, old ^ 0x80, old.wrapping_add(2), 0, 0xff];
        others.sort_unstable();
        others.dedup();
        for other in others.into_iter().filter(|other| *other != old) {
            let mut bytes = input.bytes.clone();
            bytes[at] = other;
            all.push(variant(format!("0x{at:x} = {other:02x}"), bytes));
        }
    }
    all
}

/// What a schema shows, if it has files beside it.
///
/// # Panics
///
/// If they cannot be read.
#[must_use]
pub fn feature(schema: &Schema) -> Option<Feature> {
    let has_files = schema.path.with_extension("hex").is_file();
    has_files.then(|| golden::feature(&schema.path).expect("the feature can be read"))
}

fn goldens(schema: &Schema) -> Vec<Input> {
    let mut inputs = Vec::new();
    for file in feature(schema).iter().flat_map(|feature| &feature.files) {
        let mut input = Input::new(&file.name, file.bytes.clone());
        input.options = file.options.clone();
        inputs.push(input.clone());
        for broken in &file.breaks {
            let label = format!("{}, `{}`", file.name, broken.text);
            let bytes = broken.bytes.clone();
            inputs.push(Input { label, bytes, errors: Errors::Place, ..input.clone() });
        }
    }
    inputs
}

/// Its own file, and those of all other cases: most pairs were never meant for each other, and
/// still both engines must say the same.
fn conformance(schema: &Schema) -> Vec<Input> {
    let mut cases: Vec<&cases::Case> = cases::all().iter().collect();
    let own = schema.stem();
    cases.sort_by_key(|case| case.name != own);
    let mut inputs: Vec<Input> = Vec::new();
    for case in cases {
        if inputs.iter().any(|input| input.bytes == case.bytes) {
            continue;
        }
        let mut input = Input::new(&case.name, case.bytes.clone());
        if case.name == own {
            input.errors = Errors::Place;
        }
        inputs.push(input);
    }
    inputs
}

/// Samples are in the folder that is named as the schema; files of our own in `fixtures`.
fn files(schema: &Schema) -> Vec<Input> {
    let Some(model) = schema.model() else { return Vec::new() };
    let mut paths = Vec::new();
    if let Some(samples) = samples::samples() {
        collect(&samples.join(schema.stem()), &mut paths);
    }
    collect(&samples::workspace().join("fixtures"), &mut paths);
    paths.retain(|path| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        extension.is_some_and(|e| model.extensions.iter().any(|known| known == e))
            && path.metadata().is_ok_and(|metadata| metadata.len() <= LARGEST)
    });
    paths.sort();
    let input = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Input::new(name, fs::read(path).expect("the sample can be read"))
    };
    paths.iter().map(input).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}
