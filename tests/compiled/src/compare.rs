//! Both engines on all files of a schema.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fmt::Write as _;
use std::panic::{self, AssertUnwindSafe, catch_unwind};

use formwork::ReadError;
use formwork_codegen::rust::{FastPath, paths};
use formwork_interpreter::{Document, KeptKind, Program, Value, read, turn, write};
use formwork_tests::{laws, value_text};
use formwork_tests_module::{Module, Read};

use crate::case;
use crate::inputs::{self, Errors, Input};
use crate::schemas::{Group, Schema};
use crate::value::{self, problems};

/// In what way two engines differ, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Compiled code panics.
    Panic,
    /// One reads what the other refuses.
    Read,
    /// The values differ.
    Value,
    /// The bytes that the values are written as differ, or only one is written.
    Write,
    /// The values are spelled differently.
    Spelling,
    /// Both refuse, for other reasons.
    Error,
    /// Both refuse for the same reason, at another place.
    Place,
    /// A conformance case does not pass.
    Case,
    /// Something that holds for every value does not hold.
    Law,
    /// There is a fast path for files of a layout, and it leaves one to the engine in which nothing is
    /// unusual.
    Declined,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 10] = [
        Kind::Panic,
        Kind::Read,
        Kind::Value,
        Kind::Write,
        Kind::Spelling,
        Kind::Error,
        Kind::Place,
        Kind::Case,
        Kind::Law,
        Kind::Declined,
    ];
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Panic => "panic",
            Kind::Read => "read",
            Kind::Value => "value",
            Kind::Write => "write",
            Kind::Spelling => "spelling",
            Kind::Error => "error",
            Kind::Place => "place",
            Kind::Case => "case",
            Kind::Law => "law",
            Kind::Declined => "declined",
        })
    }
}

/// How two engines differ on a file.
#[derive(Debug, Clone)]
pub struct Difference {
    /// In what way.
    pub kind: Kind,
    /// What file.
    pub input: String,
    /// What each engine says.
    pub text: String,
}

/// What came of a schema.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// How many files were tried.
    pub inputs: usize,
    /// How many of them the interpreter reads.
    pub read: usize,
    /// How many files the fast path reads.
    pub fast: usize,
    /// All differences.
    pub differences: Vec<Difference>,
}

impl Report {
    /// The kinds of differences that there are, each once, worst first.
    #[must_use]
    pub fn kinds(&self) -> Vec<String> {
        let kinds: BTreeSet<Kind> = self.differences.iter().map(|d| d.kind).collect();
        kinds.iter().map(Kind::to_string).collect()
    }

    /// The report in one line: `ok`, or how many differences there are of each kind and the first.
    #[must_use]
    pub fn line(&self) -> String {
        let files =
            format!("{} files, {} read, {} by the fast path", self.inputs, self.read, self.fast);
        let Some(worst) = self.differences.iter().min_by_key(|d| d.kind) else {
            return format!("ok ({files})");
        };
        let mut counts: BTreeMap<Kind, usize> = BTreeMap::new();
        for difference in &self.differences {
            *counts.entry(difference.kind).or_default() += 1;
        }
        let mut line = String::new();
        for (kind, count) in counts {
            let _ = write!(line, "{kind} {count}, ");
        }
        let text = worst.text.lines().next().unwrap_or_default();
        let _ = write!(line, "of {files}; {}: {text}", worst.input);
        line
    }
}

/// Runs all files of a schema through both engines.
///
/// # Panics
///
/// If the schema has no model, or its files are missing though they are required.
#[must_use]
pub fn compare(module: &Module, schema: &Schema) -> Report {
    let program = schema.program().expect("code was made of its model");
    let mut report = Report::default();
    let fast_path = OnceCell::new();
    for input in inputs::of(schema) {
        report.inputs += 1;
        let mut add = |kind: Kind, text: String| {
            let input = input.label.clone();
            report.differences.push(Difference { kind, input, text });
        };
        let mut found = Value::None;
        let mut show = |file: &dyn formwork::inspect::Inspect| found = value::of(&program, file);
        let work = || (module.read)(&input.bytes, &input.options, &mut show);
        let compiled = match catch_unwind(AssertUnwindSafe(work)) {
            Ok(compiled) => compiled,
            Err(_) => {
                add(Kind::Panic, last_panic());
                continue;
            }
        };
        let interpreted = read(&program, &input.bytes, &input.options);
        let usual = interpreted.as_ref().is_ok_and(is_cheap);
        let layout = interpreted.as_ref().ok().map(|document| document.epoch().to_owned());
        let interpreted = interpreted.map(|document| document.value());
        report.read += usize::from(interpreted.is_ok());
        report.fast += usize::from(compiled.as_ref().is_ok_and(|read| read.fast));
        let fast = compiled.as_ref().map_or(true, |read| read.fast);
        let carried = |layout: &String| {
            let without = fast_path.get_or_init(|| layouts_without(schema));
            without.as_ref().is_some_and(|without| !without.contains(layout))
        };
        if usual && !fast && layout.as_ref().is_some_and(carried) {
            add(
                Kind::Declined,
                "nothing in it is unusual but what is kept all the same".to_owned(),
            );
        }
        if schema.group == Group::Conformance {
            let found = compiled.as_ref().map(|read| (found.clone(), &read.written));
            let problems = case::problems(schema, &program, &input.bytes, found);
            problems.into_iter().for_each(|text| add(Kind::Case, text));
        }
        match (interpreted, compiled) {
            (Ok(value), Ok(compiled)) => {
                values(&program, &value, &found, &compiled, &mut add);
                turned(module, &program, &input, value, &mut add);
            }
            (Err(expected), Err(found)) => errors(&input, &expected, &found, &mut add),
            (Ok(_), Err(error)) => add(Kind::Read, format!("refused: {}", shown(&error))),
            (Err(error), Ok(_)) => {
                add(Kind::Read, format!("read, but the interpreter says: {}", shown(&error)));
            }
        }
    }
    report
}

/// Whether nothing in a file is unusual but numbers in digits of another form, which the fast path keeps
/// wherever they are; of widths it does not keep those of elements.
fn is_cheap(document: &Document) -> bool {
    let found = document.deviations();
    let cheap = !found.is_empty() && found.iter().all(|d| d.kind == KeptKind::Digits);
    document.is_canonical() || cheap
}

/// Labels of the layouts that the fast path leaves to the engine, if there is a fast path.
fn layouts_without(schema: &Schema) -> Option<Vec<String>> {
    let paths = paths(&schema.model()?);
    (!matches!(paths.whole, FastPath::None(_))).then_some(paths.without)
}

/// References have other numbers in generated code where they have them in the engine.
fn turned(
    module: &Module,
    program: &Program,
    input: &Input,
    mut value: Value,
    add: &mut dyn FnMut(Kind, String),
) {
    let mut found = Value::None;
    let mut show = |file: &dyn formwork::inspect::Inspect| found = value::of(program, file);
    let Some(done) = (module.turn)(&input.bytes, &input.options, &mut show) else { return };
    match (turn(program, &mut value), done) {
        (Ok(()), Ok(())) => {
            if let Some(difference) = value_text::difference(&value, &found) {
                add(Kind::Value, format!("references, interpreted and compiled: {difference}"));
            }
        }
        (Err(_), Err(_)) => {}
        // In generated code nobody makes the stack grow, so the engine refuses deep values sooner.
        (Ok(()), Err(error)) if error.to_string().contains("nested deeper than the limit") => {}
        (Ok(()), Err(error)) => add(Kind::Value, format!("references, compiled: {error}")),
        (Err(error), Ok(())) => add(Kind::Value, format!("references, interpreted: {error}")),
    }
}

fn values(
    program: &Program,
    value: &Value,
    found: &Value,
    compiled: &Read,
    add: &mut dyn FnMut(Kind, String),
) {
    if let Some(difference) = value_text::difference(value, found) {
        add(Kind::Value, format!("interpreted and compiled: {difference}"));
    } else if !value::sorted(value.clone()).same_spelling(&value::sorted(found.clone())) {
        let list = |value| format!("[{}]", value::kept(value).join(", "));
        let (expected, found) = (list(value), list(found));
        add(Kind::Spelling, format!("kept {expected}, but compiled {found}"));
    }
    match (write(program, value), &compiled.written) {
        (Ok(expected), Ok(found)) => {
            if let Some(difference) = laws::first_difference(&expected, found) {
                add(Kind::Write, difference.to_string());
            }
        }
        (Ok(_), Err(error)) => add(Kind::Write, format!("refused: {}", problems(error))),
        (Err(error), Ok(_)) => {
            let problems = problems(&error);
            add(Kind::Write, format!("written, but the interpreter says: {problems}"));
        }
        (Err(expected), Err(found)) => {
            let (expected, found) = (problems(&expected), problems(found));
            if expected != found {
                let text = format!("refused: {found}; but the interpreter says: {expected}");
                add(Kind::Write, text);
            }
        }
    }
    compiled.broken.iter().for_each(|text| add(Kind::Law, text.clone()));
}

fn errors(
    input: &Input,
    expected: &ReadError,
    found: &ReadError,
    add: &mut dyn FnMut(Kind, String),
) {
    let text = || format!("expected {}, found {}", shown(expected), shown(found));
    let place = |error: &ReadError| (error.offset(), error.path().to_string());
    if input.errors == Errors::Any {
        return;
    }
    if expected.kind().code() != found.kind().code() {
        add(Kind::Error, text());
    } else if input.errors == Errors::Place && place(expected) != place(found) {
        add(Kind::Place, text());
    }
}

thread_local! {
    /// The last panic of this thread: what it says and where it was.
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// From now on, panics are not printed but stand in reports.
pub fn keep_panics() {
    panic::set_hook(Box::new(|info| {
        PANIC.set(info.to_string().replace('\n', " "));
    }));
}

fn last_panic() -> String {
    PANIC.with_borrow(Clone::clone)
}

fn shown(error: &ReadError) -> String {
    format!("{} ({error})", error.kind().code())
}
