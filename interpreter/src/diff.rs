//! How two files of one format differ, by what they say and by their bytes.

mod bytes;
mod extent;
mod meaning;
mod partners;
mod sharing;

use formwork::engine::{self, Loc, Program};
use formwork::spelling::KeptKind;
use formwork::{ReadError, ReadOptions};

use crate::compare::{Parts, described_rows, matched, reference_rows};

pub use bytes::{ByteRange, Cause};
pub use extent::Extent;

/// How two files of one format differ.
#[derive(Debug, Clone, Default)]
pub struct Diff {
    /// How the values differ, in the order of the schema.
    pub changes: Vec<Change>,
    /// What is spelled differently although it means the same.
    pub spellings: Vec<SpellingChange>,
    /// Bytes that differ, in the order of the second file; those that only the first one has come
    /// last. Objects that are at another place are among them once, each with all that lies behind it
    /// and has moved as far.
    pub ranges: Vec<ByteRange>,
    /// Whether the files are the same byte for byte.
    pub same_bytes: bool,
    /// Sizes of both files, in bytes.
    pub sizes: [u64; 2],
    /// Why the files could not be read to their ends. Only what was read of both is compared.
    pub errors: [Option<ReadError>; 2],
}

/// A difference between two values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// What it is.
    pub kind: ChangeKind,
    /// Place in the first file; none of what was added.
    pub old: Option<Place>,
    /// Place in the second file; none of what was removed.
    pub new: Option<Place>,
    /// What names the innermost element around it that has a name, as JSON.
    pub within: Option<String>,
}

/// Kind of a [`Change`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// A field or element has another value.
    Changed,
    /// An element is only in the second file.
    Added,
    /// An element is only in the first file.
    Removed,
    /// An element is at another place among the others; what in it has changed is told besides.
    Moved,
}

impl ChangeKind {
    /// Name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ChangeKind::Changed => "changed",
            ChangeKind::Added => "added",
            ChangeKind::Removed => "removed",
            ChangeKind::Moved => "moved",
        }
    }
}

/// A place in one of two files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Path, as listings have it; empty for the whole file.
    pub path: String,
    /// What is there, as a JSON text on one line: what [`crate::json`] makes of it.
    pub value: String,
}

/// Something that is spelled differently in two files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpellingChange {
    /// Path of the field.
    pub field: String,
    /// What kind of freedom was used.
    pub kind: KeptKind,
    /// Whether the spelling is unusual in the first file, and in the second.
    pub unusual: [bool; 2],
}

impl Diff {
    /// Whether both files say the same, as far as they could be read.
    #[must_use]
    pub fn same_meaning(&self) -> bool {
        self.changes.is_empty()
    }
}

/// A file that was read, with the arrays that its references lead into, and with what describes the
/// elements of others.
pub(crate) struct Side<'p> {
    pub document: engine::Document<'p, 'p>,
    pub error: Option<ReadError>,
    pub referred: Vec<(Loc, Option<Loc>)>,
    pub described: Vec<(Loc, Vec<Option<Loc>>)>,
}

impl<'p> Side<'p> {
    pub(crate) fn read(program: &'p Program, bytes: &'p [u8], options: &ReadOptions) -> Side<'p> {
        let (mut document, mut error) = engine::read_claiming(program, bytes, options);
        let (mut referred, mut described) = (Vec::new(), Vec::new());
        if !document.is_empty() {
            let rows = reference_rows(document.tree());
            match document.referred(&rows) {
                Ok(arrays) => referred = rows.into_iter().zip(arrays).collect(),
                Err(kind) => error = error.or(Some(ReadError::new(kind, 0))),
            }
            let rows = described_rows(document.tree());
            match document.describing(&rows) {
                Ok(places) => described = rows.into_iter().zip(places).collect(),
                Err(kind) => error = error.or(Some(ReadError::new(kind, 0))),
            }
        }
        Side { document, error, referred, described }
    }

    pub(crate) fn parts(&self) -> Option<Parts<'_>> {
        let tree = self.document.tree();
        (!self.document.is_empty()).then(|| Parts::new(tree, &self.referred, &self.described))
    }
}

/// Compares two files: what they say, how it is spelled, and their bytes.
///
/// Elements of arrays are told apart by what the schema says names them, and otherwise by what they
/// hold, so that one more element is one difference. References that lead to the same element are
/// equal, whatever their numbers are.
#[must_use]
pub fn diff(program: &Program, a: &[u8], b: &[u8], options: &ReadOptions) -> Diff {
    let size = |bytes: &[u8]| u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    let mut diff = Diff { sizes: [size(a), size(b)], same_bytes: a == b, ..Diff::default() };
    let (first, second) = (Side::read(program, a, options), Side::read(program, b, options));
    if let (Some(parts), Some(others)) = (first.parts(), second.parts()) {
        let matching = matched(&parts, &others);
        let changes = meaning::compare(&parts, &others, &matching);
        if !diff.same_bytes {
            let sides = [
                bytes::File { parts: &parts, bytes: a, claims: first.document.claims() },
                bytes::File { parts: &others, bytes: b, claims: second.document.claims() },
            ];
            diff.spellings = partners::spellings(&parts, &others, &matching);
            let is_whole = first.error.is_none() && second.error.is_none();
            diff.ranges = bytes::compare(&sides, &matching, &changes.parts, is_whole);
        }
        diff.changes = changes.list;
    }
    diff.errors = [first.error, second.error];
    diff
}
