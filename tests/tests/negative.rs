//! Every valid file, with one rule broken after the other: the reader says what is wrong, and where.
//!
//! `NEGATIVE=name` runs the files whose name contains it. Of the samples, each rule is broken in a few
//! files only, the smallest ones; `NEGATIVE_ALL=1` breaks it in all of them, which takes minutes.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use formwork::ReadOptions;
use formwork_interpreter::{Program, program, read};
use formwork_tests::golden::features;
use formwork_tests::negative::{Cases, FoundError, FoundNote, Kind, Reader, Reason, cases};
use formwork_tests::{archives, programs, samples};

/// Reads without generated code.
struct Interpreter<'m>(&'m Program);

impl Reader for Interpreter<'_> {
    fn read(
        &self,
        bytes: &[u8],
        options: &ReadOptions,
    ) -> Result<Option<Vec<FoundNote>>, FoundError> {
        let document = read(self.0, bytes, options).map_err(|error| FoundError {
            code: error.kind().code().to_owned(),
            path: error.path().to_string(),
            offset: error.offset(),
            message: error.to_string(),
        })?;
        let notes = document.notes().iter().map(|note| FoundNote {
            offset: note.offset,
            path: if note.path.is_empty() { "file".to_owned() } else { note.path.clone() },
            message: note.message.clone(),
        });
        Ok(Some(notes.collect()))
    }
}

/// What came of many files.
#[derive(Default)]
struct Summary {
    files: usize,
    kinds: BTreeMap<Kind, usize>,
    left_out: BTreeMap<(Kind, Reason), BTreeSet<String>>,
    /// How many cases each row may have for each kind; more are skipped.
    most: Option<usize>,
    seen: HashMap<(Kind, String, String), usize>,
    problems: Vec<String>,
}

impl Summary {
    fn run(&mut self, name: &str, model: &Program, bytes: &[u8]) {
        let only = env::var("NEGATIVE").unwrap_or_default();
        if !name.contains(&only) {
            return;
        }
        let Cases { cases, left_out } = match cases(model, bytes) {
            Ok(cases) => cases,
            Err(error) => return self.problems.push(format!("{name}: {error}")),
        };
        self.files += 1;
        for (what, rows) in left_out {
            self.left_out.entry(what).or_default().extend(rows);
        }
        for case in cases {
            let group = (case.kind, case.about.clone(), format!("{:?}", case.options));
            let seen = self.seen.entry(group).or_default();
            *seen += 1;
            if self.most.is_some_and(|most| *seen > most) {
                continue;
            }
            *self.kinds.entry(case.kind).or_default() += 1;
            if let Some(problem) = case.judge(&Interpreter(model), bytes) {
                self.problems.push(format!("{name}: {problem}"));
            }
        }
    }

    /// Prints the numbers and fails if something is wrong; otherwise the number of cases.
    fn finish(self, what: &str) -> usize {
        let total: usize = self.kinds.values().sum();
        println!("{what}: {} files, {total} cases", self.files);
        for (kind, count) in &self.kinds {
            println!("  {kind:?}: {count}");
        }
        for ((kind, reason), rows) in &self.left_out {
            let rows: Vec<_> = rows.iter().map(String::as_str).collect();
            println!("  left out, {kind:?}, {reason:?}: {}: {}", rows.len(), rows.join(", "));
        }
        let shown: Vec<_> = self.problems.iter().take(60).map(String::as_str).collect();
        let count = self.problems.len();
        assert!(count == 0, "{count} of {total} problems\n{}", shown.join("\n"));
        total
    }
}

fn event_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder can be read");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    let known = |extension: &str| matches!(extension, "bfevfl" | "bfevtm");
    files.retain(|path| path.extension().and_then(|e| e.to_str()).is_some_and(known));
    let size = |path: &PathBuf| fs::metadata(path).map_or(0, |data| data.len());
    files.sort_by_key(|path| (size(path), path.clone()));
    files
}

/// How many samples are broken in a short run: the smallest ones.
const SMALLEST: usize = 24;

fn run_event_files(what: &str, folder: &Path, files: usize, most: Option<usize>) -> usize {
    let mut summary = Summary { most, ..Summary::default() };
    for path in event_files(folder).into_iter().take(files) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        summary.run(&name, programs::evfl(), &fs::read(&path).expect("the file can be read"));
    }
    summary.finish(what)
}

const SMALL: &str = r#"
module small "Everything once" root=File endian=little

pointer * u8 none=0

struct File 0x08 {
    magic  AB     0x00
    zero          0x02
    u8     count  0x03
    *u8    items  0x04  count=count
    u8     level  0x05  max=9
    u8     total  0x06  is="sum(items)"
    bool8  flag   0x07
}
"#;

const SMALL_FILE: [u8; 10] = [0x41, 0x42, 0, 2, 8, 3, 5, 1, 2, 3];

/// What must come of a small file, said by hand.
const BY_HAND: [&str; 12] = [
    "Condition of File.items, `02` at 0x9: expected not_derived at 0x6 in total",
    "Condition of File.items, `03` at 0x8: expected not_derived at 0x6 in total",
    "Count of File.count, `ff` at 0x3: expected unexpected_end at 0xa in items[2]",
    "Cut of File.items, cut to 9 bytes: expected unexpected_end at 0x9 in items[1]",
    "Derived of File.total, `04` at 0x6: expected not_derived at 0x6 in total",
    "Limit of File.level, `0a` at 0x5: expected above_maximum at 0x5 in level",
    "Magic of File+0x0, `62` at 0x1: expected not_equal at 0x0 in file",
    "Null of File.items, `00` at 0x4: expected null_pointer at 0x4 in items",
    "Offset of File.items, `12` at 0x4: expected pointer_out_of_bounds at 0x4 in items",
    "Padding of File+0x2, `01` at 0x2: expected a note at 0x2 in file: bytes that should be zero are not",
    "Padding of File+0x2, `01` at 0x2: expected not_zero at 0x2 in file",
    "Truth of File.flag, `02` at 0x7: expected invalid_bool at 0x7 in flag",
];

#[test]
fn small_file_by_hand() {
    let model = programs::from_text("small.kdl", SMALL, None).unwrap_or_else(|e| panic!("{e}"));
    let Cases { cases, left_out } = cases(&model, &SMALL_FILE).unwrap_or_else(|e| panic!("{e}"));
    let mut lines: Vec<_> = cases.iter().map(ToString::to_string).collect();
    lines.sort();
    assert_eq!(lines, BY_HAND);
    assert!(left_out.is_empty(), "{left_out:?}");
    for case in &cases {
        assert_eq!(case.judge(&Interpreter(&model), &SMALL_FILE), None);
    }
}

/// A reader that finds what another one finds, and says something else.
struct Wrong<'m>(Interpreter<'m>, fn(&mut FoundError));

impl Reader for Wrong<'_> {
    fn read(
        &self,
        bytes: &[u8],
        options: &ReadOptions,
    ) -> Result<Option<Vec<FoundNote>>, FoundError> {
        self.0.read(bytes, options).map_err(|mut error| {
            (self.1)(&mut error);
            error
        })
    }
}

/// A reader that finds nothing wrong.
struct Blind;

impl Reader for Blind {
    fn read(&self, _: &[u8], _: &ReadOptions) -> Result<Option<Vec<FoundNote>>, FoundError> {
        Ok(Some(Vec::new()))
    }
}

#[test]
fn wrong_readers_are_noticed() {
    let model = programs::from_text("small.kdl", SMALL, None).unwrap_or_else(|e| panic!("{e}"));
    let cases = cases(&model, &SMALL_FILE).unwrap_or_else(|e| panic!("{e}")).cases;
    let wrongs: [fn(&mut FoundError); 3] = [
        |error| error.code.push('x'),
        |error| error.offset += 1,
        |error| error.path.push_str(".x"),
    ];
    for case in &cases {
        assert!(case.judge(&Blind, &SMALL_FILE).is_some(), "{case}");
        let fails = matches!(case.expected, formwork_tests::negative::Expected::Error { .. });
        for wrong in wrongs {
            let reader = Wrong(Interpreter(&model), wrong);
            assert_eq!(case.judge(&reader, &SMALL_FILE).is_some(), fails, "{case}");
        }
    }
}

#[test]
fn fixtures() {
    let total =
        run_event_files("fixtures", &samples::workspace().join("fixtures"), usize::MAX, None);
    // More rules only make it more; what no source promises is kept and no rule.
    assert!(total >= 1900, "{total} cases");
}

#[test]
fn fixtures_of_trees() {
    let mut files = Vec::new();
    collect(&samples::workspace().join("fixtures"), &mut files);
    files.retain(|(_, path)| path.extension().is_some_and(|extension| extension == "esf"));
    let mut summary = Summary::default();
    for (_, path) in files {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        summary.run(&name, programs::esf(), &fs::read(&path).expect("the file can be read"));
    }
    let total = summary.finish("fixtures of trees");
    // More rules only make it more.
    assert!(total >= 140, "{total} cases");
}

#[test]
fn fixtures_of_archives() {
    let mut summary = Summary::default();
    for (name, archive) in archives::all() {
        summary.run(name, programs::baev(), &archive.bytes());
    }
    let total = summary.finish("fixtures of archives");
    // More rules only make it more; what no source promises is kept and no rule.
    assert!(total >= 210, "{total} cases");
}

#[test]
fn tree_samples() {
    let Some(samples) = samples::samples() else { return };
    let mut files = Vec::new();
    collect(&samples.join("esf"), &mut files);
    files.retain(|(_, path)| path.extension().is_some_and(|extension| extension == "esf"));
    let mut summary = Summary { most: Some(2), ..Summary::default() };
    for (_, path) in files.iter().take(FEW) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        summary.run(&name, programs::esf(), &fs::read(path).expect("the file can be read"));
    }
    summary.finish("samples of trees");
}

#[test]
fn graph_fixtures() {
    let mut files = Vec::new();
    collect(&samples::workspace().join("fixtures"), &mut files);
    files.retain(|(_, path)| path.extension().is_some_and(|extension| extension == "ainb"));
    let mut summary = Summary::default();
    for (_, path) in files {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        summary.run(&name, programs::ainb(), &fs::read(&path).expect("the file can be read"));
    }
    let total = summary.finish("fixtures of graphs");
    assert!(total >= 1000, "{total} cases");
}

#[test]
fn graph_samples() {
    let Some(samples) = samples::samples() else { return };
    let mut files = Vec::new();
    collect(&samples.join("ainb"), &mut files);
    files.retain(|(_, path)| path.extension().is_some_and(|extension| extension == "ainb"));
    let mut summary = Summary { most: Some(2), ..Summary::default() };
    for (_, path) in files.iter().take(FEW) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        summary.run(&name, programs::ainb(), &fs::read(path).expect("the file can be read"));
    }
    summary.finish("samples of graphs");
}

#[test]
fn event_flow_samples() {
    let Some(folder) = samples::samples() else { return };
    let all = env::var_os("NEGATIVE_ALL").is_some();
    let (files, most) = if all { (usize::MAX, None) } else { (SMALLEST, Some(3)) };
    run_event_files("samples of event flows", &folder.join("evfl"), files, most);
}

#[test]
fn golden_files() {
    let mut summary = Summary::default();
    for feature in features(&samples::workspace().join("tests/golden")).expect("readable") {
        let name = feature.schema.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        // The goldens report what is wrong with a schema.
        let Ok(model) = programs::from_file(&feature.schema) else { continue };
        for file in feature.files.iter().filter(|file| !file.options.lenient) {
            summary.run(&format!("{name} {}", file.name), &model, &file.bytes);
        }
    }
    summary.finish("golden files");
}

#[test]
fn conformance_files() {
    let Some(folder) = samples::conformance() else { return };
    let mut summary = Summary::default();
    for case in formwork_tests::cases::load(&folder).expect("the cases can be read") {
        let schema = samples::workspace().join(format!("tests/conformance/{}.kdl", case.name));
        if case.error.is_some() || !schema.is_file() {
            continue;
        }
        // The suite itself reports schemas that are refused.
        if let Some(model) = model(&schema) {
            summary.run(&case.name, &model, &case.bytes);
        }
    }
    summary.finish("conformance cases");
}

#[test]
fn samples_of_graphs_and_resources() {
    let Some(samples) = samples::samples() else { return };
    for (model, folder) in [(programs::ainb(), "ainb"), (programs::bfres(), "bfres")] {
        let mut files = Vec::new();
        collect(&samples.join(folder), &mut files);
        let mut summary = Summary { most: Some(2), ..Summary::default() };
        for (_, path) in files.iter().take(FEW) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let bytes = fs::read(path).expect("the file can be read");
            summary.run(&name, model, &bytes);
        }
        summary.finish(folder);
    }
}

/// How many files of a format are broken: the smallest ones.
const FEW: usize = 6;

fn model(schema: &Path) -> Option<Program> {
    let text = fs::read_to_string(schema).expect("the schema can be read");
    let name = schema.file_name().unwrap_or_default().to_string_lossy();
    let loaded = formwork_codegen::load(&name, &text, schema.parent(), &programs::Shipped);
    loaded.model.map(program)
}

/// Files in a folder and below, the smallest first.
fn collect(folder: &Path, files: &mut Vec<(u64, PathBuf)>) {
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push((fs::metadata(&path).map_or(0, |data| data.len()), path));
        }
    }
    files.sort();
}
