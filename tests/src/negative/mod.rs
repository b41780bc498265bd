//! Broken files: a valid file with one rule broken, and what a reader must say about it.
//!
//! [`cases`] looks at the model and at where the rows of a valid file lie. It never reads the broken
//! bytes: what it expects follows from the language, so that it can judge any reader. Where another
//! rule may be the first one to notice, there is no case, and the reason is counted.

mod cell;
mod constants;
mod context;
mod cut;
mod derived;
mod eval;
mod file;
mod guess;
mod lengths;
mod nodes;
mod numbers;
mod order;
mod pointers;
mod references;
mod relocation;
mod rules;
mod tables;
mod tags;
mod texts;
mod uses;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;

use formwork::ReadOptions;
use formwork::engine::Program;
use formwork_codegen::model::{RecordId, RowId};

pub use crate::cases::FoundError;
pub use file::{File, Site};

/// What is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Bytes that are always the same.
    Magic,
    /// A number that is always the same.
    Constant,
    /// Padding that is not zero.
    Padding,
    /// A number that an enumeration has no name for.
    Enumeration,
    /// A truth value that is neither.
    Truth,
    /// A number beyond the limits of its row.
    Limit,
    /// The byte order mark.
    ByteOrder,
    /// A version that no layout covers.
    Version,
    /// A number of elements or bytes that the file has no room for.
    Count,
    /// Size of a region that the file has no room for.
    Size,
    /// An offset past the end of the file.
    Offset,
    /// A pointer that leads nowhere, and must not.
    Null,
    /// A number that no case of a union has.
    Tag,
    /// An index outside of the array that it refers to.
    Index,
    /// A pointer that must lead to an element, and does not.
    Element,
    /// A hash, sum or other number that follows from something else.
    Derived,
    /// A number that a condition of the schema does not hold for.
    Condition,
    /// Two equal numbers where they must differ.
    Duplicate,
    /// A table in another order.
    Unsorted,
    /// Bytes that are no text.
    Text,
    /// A text without its terminator.
    Terminator,
    /// A pointer that is missing in the relocation table.
    Unlisted,
    /// An entry of the relocation table without a pointer.
    Unknown,
    /// The end of the file, cut off.
    Cut,
}

/// Why a rule of a file is not broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// The bytes are read as more than one thing, or decide what the rest is.
    SharedBytes,
    /// Other rules look at the number, and one of them may be the first.
    SteersOthers,
    /// Elements behind the last one may be broken before the file ends.
    UnknownElements,
    /// Every number that can be stored is allowed.
    NothingForbidden,
    /// Bits that no whole byte holds, or a number of variable width.
    Storage,
    /// The rule is a condition that nobody solves here.
    Condition,
    /// The rule does not apply to this file: no equation, nothing to compare with.
    NotHere,
    /// What deviates is kept: a spelling, no error.
    Kept,
}

/// What a reader must find.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expected {
    /// An error.
    Error {
        /// Code of its kind.
        code: &'static str,
        /// Offset of the field that fails.
        offset: u64,
        /// Its path.
        path: String,
    },
    /// No error, but exactly one note.
    Note {
        /// Its offset.
        offset: u64,
        /// Its path.
        path: String,
        /// Its words.
        message: String,
    },
}

/// A broken file.
#[derive(Debug, Clone)]
pub struct Case {
    /// What is broken.
    pub kind: Kind,
    /// The row, as `Record.row`.
    pub about: String,
    /// Bytes that differ from the valid file: offset, and what stands there.
    pub patches: Vec<(u64, Vec<u8>)>,
    /// Size that the file is cut to.
    pub cut: Option<u64>,
    /// How to read it.
    pub options: ReadOptions,
    /// What a reader must find.
    pub expected: Expected,
}

/// All cases of one file.
#[derive(Debug, Default)]
pub struct Cases {
    /// The cases.
    pub cases: Vec<Case>,
    /// Rows that have none, as `Record.row`, by what would be broken and why not.
    pub left_out: BTreeMap<(Kind, Reason), BTreeSet<String>>,
}

/// Something that was noticed and is no error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundNote {
    /// Offset from the start of the file.
    pub offset: u64,
    /// Path of the field.
    pub path: String,
    /// What was noticed.
    pub message: String,
}

/// Whoever reads files of one format.
pub trait Reader {
    /// Reads a file: what was noticed, or the first error. A reader that does not say what it
    /// noticed gives none.
    ///
    /// # Errors
    ///
    /// If the file does not fit the format.
    fn read(
        &self,
        bytes: &[u8],
        options: &ReadOptions,
    ) -> Result<Option<Vec<FoundNote>>, FoundError>;
}

impl Case {
    /// The bytes of the broken file.
    ///
    /// # Panics
    ///
    /// If `valid` is not the file that the case was made from.
    #[must_use]
    pub fn bytes(&self, valid: &[u8]) -> Vec<u8> {
        let mut bytes = valid.to_vec();
        for (at, new) in &self.patches {
            let at = usize::try_from(*at).expect("offsets lie in the file");
            bytes[at..at + new.len()].copy_from_slice(new);
        }
        if let Some(size) = self.cut {
            bytes.truncate(usize::try_from(size).expect("the file is cut inside"));
        }
        bytes
    }

    /// What is wrong with a reader, if something is.
    #[must_use]
    pub fn judge(&self, reader: &dyn Reader, valid: &[u8]) -> Option<String> {
        let bytes = self.bytes(valid);
        if bytes == valid {
            return Some(format!("{self}: nothing is broken"));
        }
        let found = reader.read(&bytes, &self.options);
        let given = match &found {
            Ok(notes) => match notes.as_deref().unwrap_or_default() {
                [] => "no error".to_owned(),
                [note] => format!("note at 0x{:x} in {}: {}", note.offset, note.path, note.message),
                notes => format!("{} notes", notes.len()),
            },
            Err(error) => {
                let FoundError { code, offset, path, message } = error;
                return match &self.expected {
                    Expected::Error { code: c, offset: o, path: p }
                        if c == code && o == offset && p == path =>
                    {
                        None
                    }
                    _ => {
                        Some(format!("{self}: found {code} at 0x{offset:x} in {path} ({message})"))
                    }
                };
            }
        };
        let same = match (&self.expected, found.as_ref().map(Option::as_deref)) {
            (Expected::Note { .. }, Ok(None)) => true,
            (Expected::Note { offset, path, message }, Ok(Some([note]))) => {
                note.offset == *offset && note.path == *path && note.message == *message
            }
            _ => false,
        };
        (!same).then(|| format!("{self}: found {given}"))
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} of {}", self.kind, self.about)?;
        for (at, new) in &self.patches {
            let bytes: Vec<_> = new.iter().map(|byte| format!("{byte:02x}")).collect();
            write!(f, ", `{}` at 0x{at:x}", bytes.join(" "))?;
        }
        if let Some(size) = self.cut {
            write!(f, ", cut to {size} bytes")?;
        }
        match &self.expected {
            Expected::Error { code, offset, path } => {
                write!(f, ": expected {code} at 0x{offset:x} in {path}")
            }
            Expected::Note { offset, path, message } => {
                write!(f, ": expected a note at 0x{offset:x} in {path}: {message}")
            }
        }
    }
}

/// The cases of one file: for each row and rule the first and the last place where the row occurs.
///
/// # Errors
///
/// The message of the reader, if the file is broken already.
pub fn cases(program: &Program, bytes: &[u8]) -> Result<Cases, String> {
    let file = File::read(program, bytes)?;
    let scratch = bytes.to_vec();
    let mut plan = Plan { file: &file, scratch, found: Vec::new(), left_out: HashMap::new() };
    context::plan(&mut plan);
    file.sites(&mut |site| {
        constants::plan(&mut plan, &site);
        numbers::plan(&mut plan, &site);
        pointers::plan(&mut plan, &site);
        texts::plan(&mut plan, &site);
        references::plan(&mut plan, &site);
    });
    for node in 0..file.nodes.len() {
        for row in 0..file.record(node).rows.len() {
            let row = RowId(u32::try_from(row).unwrap_or(u32::MAX));
            derived::plan(&mut plan, node, row);
            lengths::plan(&mut plan, node, row);
            tags::plan(&mut plan, node, row);
            tables::plan(&mut plan, node, row);
        }
    }
    relocation::plan(&mut plan);
    cut::plan(&mut plan);
    Ok(plan.finish())
}

type Key = (Kind, RecordId, RowId);

/// What was found so far.
struct Plan<'f, 'm> {
    file: &'f File<'m>,
    /// The bytes of the file.
    scratch: Vec<u8>,
    found: Vec<(Key, Case)>,
    left_out: HashMap<(Key, Reason), String>,
}

impl Plan<'_, '_> {
    /// Adds a case for a row of a node.
    fn add(
        &mut self,
        kind: Kind,
        (node, row): (usize, RowId),
        patch: (u64, Vec<u8>),
        expected: Expected,
    ) {
        self.add_with(kind, (node, row), patch, ReadOptions::default(), expected);
    }

    fn add_with(
        &mut self,
        kind: Kind,
        (node, row): (usize, RowId),
        patch: (u64, Vec<u8>),
        options: ReadOptions,
        expected: Expected,
    ) {
        let case = Case {
            kind,
            about: self.file.about(node, row),
            patches: vec![patch],
            cut: None,
            options,
            expected,
        };
        self.found.push(((kind, self.file.nodes[node].record, row), case));
    }

    fn leave_out(&mut self, kind: Kind, (node, row): (usize, RowId), reason: Reason) {
        let key = (kind, self.file.nodes[node].record, row);
        let about = || self.file.about(node, row);
        self.left_out.entry((key, reason)).or_insert_with(about);
    }

    /// Shows the bytes with a patch applied.
    fn with_patch<T>(&mut self, at: u64, patch: &[u8], look: impl FnOnce(&[u8]) -> T) -> T {
        let from = usize::try_from(at).unwrap_or(usize::MAX);
        let part = from..from.saturating_add(patch.len());
        if let Some(bytes) = self.scratch.get_mut(part.clone()) {
            bytes.copy_from_slice(patch);
        }
        let result = look(&self.scratch);
        if let (Some(bytes), Some(old)) =
            (self.scratch.get_mut(part.clone()), self.file.bytes.get(part))
        {
            bytes.copy_from_slice(old);
        }
        result
    }

    /// First and last case for each row and kind; rows that have none, by reason.
    fn finish(self) -> Cases {
        let mut result = Cases::default();
        let mut spans: HashMap<(Key, String), (usize, usize)> = HashMap::new();
        // Lenient and strict readers are asked about the same places.
        let group = |key: &Key, case: &Case| (*key, format!("{:?}", case.options));
        for (position, (key, case)) in self.found.iter().enumerate() {
            spans.entry(group(key, case)).or_insert((position, position)).1 = position;
        }
        for (position, (key, case)) in self.found.iter().enumerate() {
            let (first, last) = spans[&group(key, case)];
            if position == first || position == last {
                result.cases.push(case.clone());
            }
        }
        let had: HashSet<Key> = self.found.iter().map(|(key, _)| *key).collect();
        for ((key, reason), about) in self.left_out {
            if !had.contains(&key) {
                result.left_out.entry((key.0, reason)).or_default().insert(about);
            }
        }
        result
    }
}

/// An error of this kind.
fn error(code: &'static str, offset: u64, path: String) -> Expected {
    Expected::Error { code, offset, path }
}
