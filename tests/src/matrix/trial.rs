//! What is tried with the schema of a cell: files, values, and files with changes.

use formwork_codegen::load;
use formwork_interpreter::{Program, Value, program, write};
use std::collections::BTreeSet;

use crate::laws;
use crate::programs::Shipped;
use crate::value_text;

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

/// A schema that is accepted, and what was found to be wrong with it.
pub(super) struct Trial {
    program: Program,
    depth: Depth,
    pub(super) wrong: Vec<String>,
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

impl Trial {
    /// Tries a schema, if it is accepted.
    pub(super) fn of(schema: &str, depth: Depth, run: impl FnOnce(&mut Trial)) -> Outcome {
        let loaded = load("cell.kdl", schema, None, &Shipped);
        let codes: BTreeSet<&'static str> =
            loaded.diagnostics.all().iter().map(|d| d.code).collect();
        let codes = codes.into_iter().collect();
        let Some(model) = loaded.model else { return Outcome::Refused(codes) };
        let mut trial = Trial { program: program(model), depth, wrong: Vec::new() };
        run(&mut trial);
        if trial.wrong.is_empty() { Outcome::Works(codes) } else { Outcome::Wrong(trial.wrong) }
    }

    /// Reads a file as this value, or not for one of these reasons.
    pub(super) fn read(&mut self, file: &[u8], expected: &Result<Value, Vec<&'static str>>) {
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
    pub(super) fn law(&mut self, file: &[u8]) {
        match laws::total(&self.program, file) {
            Ok(Ok(value)) => self.identity(file, &value),
            Ok(Err(_)) => {}
            Err(broken) => self.wrong.push(format!("{}: {broken}", hex(file))),
        }
    }

    /// Writes a value as this file, or not for these reasons.
    pub(super) fn write(&mut self, value: &Value, expected: Result<Vec<u8>, Vec<&'static str>>) {
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

    /// Whatever is changed in a file from some byte on, what is still read is written as it is.
    pub(super) fn mutations(&mut self, file: &[u8], from: usize) {
        if self.depth == Depth::Few {
            return;
        }
        for at in from..file.len() {
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
        for size in from..file.len() {
            self.law(&file[..size]);
        }
    }
}
