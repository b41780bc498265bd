//! Runs the conformance cases that have a schema in `tests/conformance/`.
//!
//! `tests/conformance/passing.txt` lists the cases that pass; any change of it must be meant.
//! `BLESS=1` writes it anew.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use formwork::ReadOptions;
use formwork_codegen::diagnostic::render;
use formwork_codegen::{Provider, load};
use formwork_interpreter::{
    Document, KeptKind, Program, Stored, Value, program, read_partly, write,
};
use formwork_tests::cases::{self, Case, Expected, Found, FoundError, Names, Reading, Report};
use formwork_tests::laws::{self, Outcome};
use formwork_tests::samples;

/// Least number of cases that must pass.
const LEAST: usize = 60;

/// Modules whose objects at constant offsets may lie in other rows, so that only files in which
/// they do not come back as they were.
const OVERLAPPING: [&str; 1] = ["instance_in_repeat_until"];

struct NoLibraries;

impl Provider for NoLibraries {
    fn library(&self, _: &str) -> Option<String> {
        None
    }
}

struct Interpreted<'a> {
    program: &'a Program,
    document: Document<'a>,
}

impl Reading for Interpreted<'_> {
    fn find(&self, path: &str) -> Found {
        Found::Value(match self.document.stored(path) {
            None => return Found::Nothing,
            Some(Stored::Int(number)) => Expected::Int(number),
            Some(Stored::Float { bits, width }) => Expected::Float { width, bits },
            Some(Stored::Bool(value)) => Expected::Bool(value),
            Some(Stored::Text(text)) => Expected::Text(text),
            Some(Stored::Bytes(bytes)) => Expected::Bytes(bytes),
            Some(Stored::Enum { number, name }) => Expected::Enum { name, number },
            Some(Stored::Count(count)) => Expected::Count(count as u64),
            Some(Stored::None) => Expected::Absent,
        })
    }

    fn write(&mut self) -> Result<Vec<u8>, String> {
        write(self.program, &self.document.value()).map_err(|error| error.to_string())
    }
}

fn schemas() -> PathBuf {
    samples::workspace().join("tests/conformance")
}

fn run(case: &Case, schema: &Path, names: &Names) -> Report {
    let problem = |text: String| Report { problems: vec![text], ..Report::default() };
    let name = schema.file_name().unwrap_or_default().to_string_lossy();
    let text = match fs::read_to_string(schema) {
        Ok(text) => text,
        Err(error) => return problem(format!("{name}: {error}")),
    };
    let loaded = load(&name, &text, schema.parent(), &NoLibraries);
    let Some(model) = loaded.model else {
        let message = render(&loaded.diagnostics, &loaded.sources, false);
        return problem(format!("schema is refused\n{message}"));
    };
    let program = program(model);
    let (document, error) = read_partly(&program, &case.bytes, &ReadOptions::default());
    let error = error.map(|error| FoundError {
        code: error.kind().code().to_owned(),
        path: error.path().to_string(),
        offset: error.offset(),
        message: error.to_string(),
    });
    cases::judge(case, names, &mut Interpreted { program: &program, document }, error.as_ref())
}

/// Other names of a case's paths, in a file beside the schema.
fn names(schema: &Path) -> Names {
    match fs::read(schema.with_extension("map.json")) {
        Ok(json) => serde_json::from_slice(&json).expect("a map is an object of texts"),
        Err(_) => Names::new(),
    }
}

#[test]
fn conformance() {
    let Some(folder) = samples::conformance() else { return };
    let cases = cases::load(&folder).expect("the cases can be read");
    let only = env::var("FORMWORK_CASE").ok();

    let mut passed = Vec::new();
    let (mut failed, mut missing) = (0, Vec::new());
    let (mut held, mut missed) = (0, Vec::new());
    let mut groups: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for case in &cases {
        if only.as_ref().is_some_and(|name| *name != case.name) {
            continue;
        }
        let group = groups.entry(&case.group).or_default();
        group.1 += 1;
        let schema = schemas().join(format!("{}.kdl", case.name));
        if !schema.is_file() {
            missing.push(case.name.as_str());
            continue;
        }
        let report = run(case, &schema, &names(&schema));
        held += report.held;
        missed.extend(report.missed.iter().map(|text| format!("{}: {text}", case.name)));
        if report.problems.is_empty() {
            passed.push(case.name.as_str());
            group.0 += 1;
            continue;
        }
        failed += 1;
        println!("FAILED {} [{}]", case.name, case.group);
        report.problems.iter().for_each(|problem| println!("    {problem}"));
    }

    let groups: Vec<_> = groups.iter().map(|(name, (n, of))| format!("{name} {n}/{of}")).collect();
    println!("not attempted: {}", missing.join(", "));
    println!("passed by group: {}", groups.join(", "));
    missed.iter().for_each(|text| println!("does not hold: {text}"));
    println!("{held} of {} assertions about optional features hold", held + missed.len());
    println!(
        "{} passed, {failed} failed, {} not attempted of {}",
        passed.len(),
        missing.len(),
        cases.len()
    );
    if only.is_none() {
        compare_with_list(&passed);
    }
}

fn compare_with_list(passed: &[&str]) {
    let path = schemas().join("passing.txt");
    let list: String = passed.iter().map(|name| format!("{name}\n")).collect();
    if env::var_os("BLESS").is_some() {
        fs::write(&path, &list).expect("the list can be written");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    let lost: Vec<_> = expected.lines().filter(|name| !passed.contains(name)).collect();
    let new: Vec<_> = passed.iter().filter(|name| expected.lines().all(|l| l != **name)).collect();
    assert!(lost.is_empty(), "these passed before: {lost:?}");
    assert!(new.is_empty(), "these pass now (accept with BLESS=1): {new:?}");
    assert!(passed.len() >= LEAST, "{} cases pass, at least {LEAST} must", passed.len());
}

/// Most of these pairs of schema and file were never meant for each other. Still reading ends in a
/// value or in an error with its place, and a value is written and read again as the same value.
#[test]
fn schemas_keep_the_laws_on_all_files() {
    let Some(folder) = samples::conformance() else { return };
    let cases = cases::load(&folder).expect("the cases can be read");
    let files: BTreeSet<_> = cases.iter().map(|case| case.bytes.as_slice()).collect();
    let only = env::var("FORMWORK_CASE").ok();

    let (mut read, mut broken) = (0, Vec::new());
    for case in cases.iter().filter(|case| only.as_ref().is_none_or(|name| *name == case.name)) {
        let schema = schemas().join(format!("{}.kdl", case.name));
        let Ok(text) = fs::read_to_string(&schema) else { continue };
        let Some(model) = load(&case.name, &text, schema.parent(), &NoLibraries).model else {
            continue;
        };
        let program = program(model);
        for file in &files {
            let laws = match laws::total(&program, file) {
                Ok(Err(_)) => continue,
                Ok(Ok(value)) => value_laws(&program, file, &value),
                Err(error) => Err(error.to_string()),
            };
            read += 1;
            if let Err(error) = laws {
                broken.push(format!("{} ({} bytes): {error}", case.name, file.len()));
            }
        }
    }
    broken.iter().for_each(|line| println!("BROKEN {line}"));
    println!("{read} files are read, {} break a law", broken.len());
    assert!(broken.is_empty());
}

/// Bytes behind the root are dropped where the schema keeps no gaps, so the file need not come back
/// as it was; its value must.
fn value_laws(program: &Program, file: &[u8], value: &Value) -> Result<(), String> {
    if let Outcome::Failed(broken) = laws::get_put(program, file) {
        return Err(broken.to_string());
    }
    // Objects at constant offsets are where they are because of the gap before them.
    let mut gaps = false;
    value.for_each_kept(&mut |kept| gaps |= kept.kind == KeptKind::Gap);
    if gaps || OVERLAPPING.contains(&program.model().name.as_str()) {
        return Ok(());
    }
    laws::canonical(program, value).map_err(|broken| format!("without its spelling: {broken}"))
}
