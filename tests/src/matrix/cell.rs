//! One cell: a schema, and everything that is tried with it.

use std::collections::BTreeSet;

use formwork_codegen::load;
use formwork_interpreter::{Program, Value, program, write};

use super::part::{Behind, Part};
use super::place::Place;
use super::rules::{Given, Rule, Rules};
use crate::flows::int;
use crate::laws;
use crate::programs::Shipped;
use crate::value_text;

/// A cell of the matrix.
#[derive(Debug, Clone)]
pub struct Cell {
    /// Where the row stands.
    pub place: Place,
    /// What it is for others.
    pub part: Part,
    /// Its type and properties.
    pub rules: Rules,
}

/// How much of a cell is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Few numbers.
    Few,
    /// Few numbers, and some changes of each byte.
    Law,
    /// Many numbers, and many changes of each byte.
    All,
}

/// What became of a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Everything is as the reference says; with the codes of notes.
    Works(Vec<&'static str>),
    /// The schema is refused, with these codes.
    Refused(Vec<&'static str>),
    /// Something is not as the reference says.
    Wrong(Vec<String>),
}

/// One thing that the row may store.
struct Entry {
    stored: i128,
    /// What it means, and the rows behind; or the codes of errors.
    said: Result<(Option<i128>, Behind), Vec<&'static str>>,
}

impl Cell {
    /// The schema.
    #[must_use]
    pub fn schema(&self) -> String {
        let rest = self.part.rows(self.place.path());
        let declarations = self.part.declarations();
        self.place.schema(self.rules.ty, &self.rules.text(), &rest, declarations)
    }

    /// Loads the schema, and tries files and values if it is accepted.
    #[must_use]
    pub fn outcome(&self, depth: Depth) -> Outcome {
        let loaded = load("cell.kdl", &self.schema(), None, &Shipped);
        let codes: BTreeSet<&'static str> =
            loaded.diagnostics.all().iter().map(|d| d.code).collect();
        let codes = codes.into_iter().collect();
        let Some(model) = loaded.model else { return Outcome::Refused(codes) };
        let mut try_ = Try { cell: self, program: program(model), wrong: Vec::new(), depth };
        try_.run();
        if try_.wrong.is_empty() { Outcome::Works(codes) } else { Outcome::Wrong(try_.wrong) }
    }

    /// Files that are read, each with the number that the row stores.
    #[must_use]
    pub fn files(&self) -> Vec<(i128, Vec<u8>)> {
        let Some((good, _, behind)) = self.good() else { return Vec::new() };
        let second = (good, &behind.0[..]);
        let mut files = Vec::new();
        for stored in self.rules.ty.numbers(true) {
            if let Ok((_, behind)) = self.entry(stored).said {
                let file = self.place.file(self.rules.ty, stored, &behind.0, second);
                files.push((stored, file));
            }
        }
        files
    }

    /// Whether the row is in the value.
    fn is_data(&self) -> bool {
        let label =
            self.part == Part::On && !self.rules.has_equation() && self.rules.none().is_empty();
        let given = self.part.gives()
            && self.place.can_be_derived()
            && (label || !self.rules.is_no_length());
        self.rules.is_data() && !given && self.place != Place::Const
    }

    fn entry(&self, stored: i128) -> Entry {
        let said = self.rules.read(stored).and_then(|meaning| {
            let behind = self.part.behind(meaning)?;
            Ok((meaning, behind))
        });
        Entry { stored, said }
    }

    /// A number that is all right, and what it means: something, if it can be.
    fn good(&self) -> Option<(i128, Option<i128>, Behind)> {
        let mut numbers = self.rules.ty.numbers(true);
        let canonical = self.rules.canonical();
        let is_other = |n: &i128| canonical.is_some_and(|canonical| *n != canonical);
        numbers.sort_by_key(|n| (is_other(n), n.abs() > 100, self.rules.none().contains(n)));
        numbers.into_iter().find_map(|stored| {
            let (meaning, behind) = self.entry(stored).said.ok()?;
            Some((stored, meaning, behind))
        })
    }
}

fn field(meaning: Option<i128>) -> Value {
    meaning.map_or(Value::None, int)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

struct Try<'a> {
    cell: &'a Cell,
    program: Program,
    wrong: Vec<String>,
    depth: Depth,
}

impl Try<'_> {
    fn run(&mut self) {
        let cell = self.cell;
        let Some((good, meaning, behind)) = cell.good() else {
            self.wrong.push("the matrix knows no file".to_owned());
            return;
        };
        let second = (good, meaning, behind);
        for stored in cell.rules.ty.numbers(self.depth != Depth::All) {
            self.reads(stored, &second);
        }
        for given in cell.rules.ty.numbers(self.depth != Depth::All) {
            self.writes(Given::Number(given), &second);
        }
        for given in [Given::Missing, Given::Nothing, Given::Number(70000), Given::Number(-129)] {
            self.writes(given, &second);
        }
        self.surplus(&second);
        self.without();
        let place = cell.place;
        let rest = &second.2.0;
        let file = place.file(cell.rules.ty, good, rest, (good, rest));
        self.mutations(&file);
    }

    /// Whether two elements are the same though they may not be.
    fn is_twice(&self, meaning: Option<i128>, second: Option<i128>) -> bool {
        self.cell.rules.has(Rule::Unique)
            && self.cell.place.is_pair()
            && meaning.is_some()
            && meaning == second
    }

    fn value(
        &self,
        x: Option<Value>,
        raw: i128,
        behind: &Behind,
        second: &(i128, Option<i128>, Behind),
    ) -> Value {
        let data = self.cell.is_data();
        let other = Some(field(second.1)).filter(|_| data);
        self.cell.place.value(x, raw, behind.1.clone(), (other, second.2.1.clone()))
    }

    fn reads(&mut self, stored: i128, second: &(i128, Option<i128>, Behind)) {
        let cell = self.cell;
        let entry = cell.entry(stored);
        // Rows behind a number that breaks a rule are as they should be otherwise.
        let rest = match &entry.said {
            Ok((_, behind)) => Some(behind.0.clone()),
            Err(_) => cell.part.behind(cell.rules.bare_meaning(stored)).ok().map(|said| said.0),
        };
        let unsaid = rest.is_none();
        let file = cell.place.file(
            cell.rules.ty,
            entry.stored,
            &rest.unwrap_or_default(),
            (second.0, &second.2.0),
        );
        let expected = match entry.said {
            Ok((meaning, _)) if self.is_twice(meaning, second.1) => Err(vec!["duplicate_key"]),
            Ok((meaning, behind)) => {
                let x = Some(field(meaning)).filter(|_| cell.is_data());
                Ok(self.value(x, stored, &behind, second))
            }
            Err(mut codes) => {
                if unsaid {
                    codes.extend(cell.part.codes());
                }
                Err(codes)
            }
        };
        self.read(&file, &expected);
    }

    fn read(&mut self, file: &[u8], expected: &Result<Value, Vec<&'static str>>) {
        match (laws::total(&self.program, file), expected) {
            (Err(broken), _) => self.wrong.push(format!("{}: {broken}", hex(file))),
            (Ok(Err(error)), Err(codes)) if codes.contains(&error.kind().code()) => {}
            (Ok(Err(error)), Err(codes)) => {
                let code = error.kind().code();
                self.wrong.push(format!("{}: {code} in place of {codes:?}: {error}", hex(file)));
            }
            (Ok(Err(error)), Ok(value)) => {
                let value = value_text::line(value);
                self.wrong.push(format!("{}: not read: {error}\n      as {value}", hex(file)));
            }
            (Ok(Ok(value)), Err(codes)) => {
                let value = value_text::line(&value);
                self.wrong.push(format!("{}: read, not {codes:?}\n      as {value}", hex(file)));
            }
            (Ok(Ok(value)), Ok(expected)) => {
                if let Some(difference) = value_text::difference(expected, &value) {
                    self.wrong.push(format!("{}: another value: {difference}", hex(file)));
                }
                self.identity(file, &value);
            }
        }
    }

    /// What is read is written as the same bytes.
    fn identity(&mut self, file: &[u8], value: &Value) {
        match write(&self.program, value) {
            Ok(written) if written == file => {}
            Ok(written) => {
                self.wrong.push(format!("{}: written as {}", hex(file), hex(&written)));
            }
            Err(error) => self.wrong.push(format!("{}: read, not written: {error}", hex(file))),
        }
    }

    /// Whatever is in a file: it is refused, or written as it is.
    fn law(&mut self, file: &[u8]) {
        match laws::total(&self.program, file) {
            Ok(Ok(value)) => self.identity(file, &value),
            Ok(Err(_)) => {}
            Err(broken) => self.wrong.push(format!("{}: {broken}", hex(file))),
        }
    }

    fn writes(&mut self, given: Given, second: &(i128, Option<i128>, Behind)) {
        let cell = self.cell;
        let data = cell.is_data();
        // A list without elements is another value.
        if cell.place == Place::Shared && given == Given::Missing {
            return;
        }
        // What is not in the value is said by the rows behind, if at all.
        if !data && !cell.rules.is_data() && given != Given::Missing {
            return;
        }
        if !data && cell.rules.is_data() && !matches!(given, Given::Number(_)) {
            return;
        }
        let stored = match given {
            // The field is the struct, of which nothing is said.
            Given::Missing if data && cell.place == Place::Transparent => {
                Err(vec!["missing_field"])
            }
            // Where some layout lacks the row, nothing in it is its default.
            Given::Nothing if cell.place.is_of_layout() && cell.rules.may_be_left_out() => {
                cell.rules.write(Given::Missing)
            }
            given => cell.rules.write(given),
        };
        let meaning = match (&stored, given) {
            (Ok((_, meaning)), _) => *meaning,
            (Err(_), Given::Number(number)) => Some(number),
            (Err(_), _) => None,
        };
        let behind = cell.part.behind(meaning);
        let x = match given {
            _ if !data => None,
            Given::Missing => None,
            Given::Nothing => Some(Value::None),
            Given::Number(number) => Some(int(number)),
        };
        // A value for which nothing could stand behind.
        let Ok(behind) = behind else { return };
        let raw = match (&stored, given) {
            (Ok(stored), _) => stored.0,
            (_, Given::Number(number)) => number,
            _ => 0,
        };
        let value = self.value(x, raw, &behind, second);
        let expected = match stored {
            Ok(_) if self.is_twice(meaning, second.1) => Err(vec!["duplicate_key"]),
            Ok((stored, _)) => {
                Ok(cell.place.file(cell.rules.ty, stored, &behind.0, (second.0, &second.2.0)))
            }
            Err(mut codes) => {
                if matches!(cell.place, Place::Form | Place::Formed) {
                    codes.push("no_form");
                }
                Err(codes)
            }
        };
        self.write(&value, expected);
    }

    /// A field for a row that is not in the value.
    fn surplus(&mut self, second: &(i128, Option<i128>, Behind)) {
        let cell = self.cell;
        if cell.is_data() || cell.place == Place::Transparent {
            return;
        }
        for x in [4, 6] {
            let value = self.value(Some(int(x)), second.0, &second.2, second);
            self.write(&value, Err(vec!["unexpected_field"]));
        }
    }

    fn write(&mut self, value: &Value, expected: Result<Vec<u8>, Vec<&'static str>>) {
        let line = value_text::line(value);
        match (write(&self.program, value), expected) {
            (Ok(bytes), Ok(expected)) if bytes == expected => {}
            (Ok(bytes), Ok(expected)) => {
                let (bytes, expected) = (hex(&bytes), hex(&expected));
                self.wrong.push(format!("{line}: {bytes}\n      in place of {expected}"));
            }
            (Ok(bytes), Err(codes)) => {
                self.wrong.push(format!("{line}: {} in place of {codes:?}", hex(&bytes)));
            }
            (Err(error), Ok(expected)) => {
                self.wrong.push(format!("{line}: {error}\n      in place of {}", hex(&expected)));
            }
            (Err(error), Err(codes)) => {
                let found = error.problems().iter().map(|problem| problem.kind.code());
                let found: Vec<_> = found.collect();
                if found.is_empty() || found.iter().any(|code| !codes.contains(code)) {
                    self.wrong.push(format!("{line}: {found:?} in place of {codes:?}: {error}"));
                }
            }
        }
    }

    /// Files and values without the row.
    fn without(&mut self) {
        let cell = self.cell;
        let Some(file) = cell.place.file_without() else { return };
        let rest: Vec<_> = match cell.good() {
            Some((_, _, behind)) => behind.1.iter().map(|field| field.0).collect(),
            None => Vec::new(),
        };
        // A condition over data leaves the field in the value; one over epochs does not.
        let over = matches!(cell.place, Place::Columns | Place::Epoch);
        let shown = Some(Value::None).filter(|_| cell.is_data() && !over);
        self.read(&file, &Ok(cell.place.value_without(shown, &rest)));
        let value = cell.place.value_without(None, &rest);
        self.write(&value, Ok(file.clone()));
        let null = cell.place.value_without(Some(Value::None), &rest);
        if cell.is_data() {
            self.write(&null, Ok(file.clone()));
        }
        let stands = cell.rules.has(Rule::Absent)
            && over
            && (cell.is_data() || cell.rules.has(Rule::UsuallyOf));
        for number in [4, 6] {
            let value = cell.place.value_without(Some(int(number)), &rest);
            let expected = if stands && number == 6 {
                Ok(file.clone())
            } else {
                Err(vec!["unexpected_field"])
            };
            self.write(&value, expected);
        }
        self.mutations(&file);
    }

    /// Whatever is changed in a file, what is still read is written as it is.
    fn mutations(&mut self, file: &[u8]) {
        if self.depth == Depth::Few {
            return;
        }
        for at in 0..file.len() {
            let old = file[at];
            let flips: Vec<u8> = if self.depth == Depth::Law {
                vec![old ^ 1, old ^ 2, old ^ 0x80]
            } else {
                (0..8)
                    .map(|bit| old ^ (1 << bit))
                    .chain([0, 0x7f, 0xff, old.wrapping_add(1)])
                    .collect()
            };
            for new in flips {
                let mut changed = file.to_vec();
                changed[at] = new;
                self.law(&changed);
            }
        }
        for size in 0..file.len() {
            self.law(&file[..size]);
        }
    }
}
