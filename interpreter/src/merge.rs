//! Two changed files of one format made one, by what was changed in each since a third.

mod build;
mod list;
mod plan;

use std::error::Error;
use std::fmt;

use formwork::engine::{Program, References, Step, references, refers_to_shared_tables};
use formwork::path::Path;
use formwork::{ReadError, ReadOptions, WriteError};

use crate::compare::{Matching, Parts, Spot, matched};
use crate::diff::Side;
use crate::document::Document;
use crate::layout::{completed, left_open};
use crate::value::Value;

/// One of the files that are merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// What both others were made from.
    Base,
    /// The first of the others.
    Ours,
    /// The second.
    Theirs,
}

/// What became of a merge.
#[derive(Debug, Clone)]
pub enum Merged {
    /// The file that has the changes of both.
    File(Vec<u8>),
    /// What was changed in both, and not in the same way; at least one.
    Conflicts(Vec<Conflict>),
}

/// Something that two files say differently, and the third in yet another way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// Path of the field or element.
    pub path: String,
    /// What is wrong.
    pub kind: ConflictKind,
    /// What is there in the base, in ours and in theirs, as JSON on one line; none where there is
    /// nothing.
    pub values: [Option<String>; 3],
}

/// Kind of a [`Conflict`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConflictKind {
    /// Both have changed it.
    Changed,
    /// One has changed what the other has removed.
    Removed,
    /// Both have added elements at one place of an array whose elements nothing tells apart.
    Added,
    /// Both have changed the order of the elements.
    Order,
    /// One refers to an element that the other has removed.
    Reference,
    /// One refers to an element whose name is that of another one in the other file.
    Renamed,
    /// One has added an array with an element for each of another one, which is longer in the other
    /// file.
    Described,
    /// One has changed references to elements of a shared table, in which the other has put elements
    /// elsewhere.
    Shared,
}

impl ConflictKind {
    /// Name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ConflictKind::Changed => "changed",
            ConflictKind::Removed => "removed",
            ConflictKind::Added => "added",
            ConflictKind::Order => "order",
            ConflictKind::Reference => "reference",
            ConflictKind::Renamed => "renamed",
            ConflictKind::Described => "described",
            ConflictKind::Shared => "shared",
        }
    }

    /// The same in words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            ConflictKind::Changed => "both have changed it",
            ConflictKind::Removed => "one has changed what the other has removed",
            ConflictKind::Added => "both have added elements at this place",
            ConflictKind::Order => "both have changed the order of the elements",
            ConflictKind::Reference => "it refers to an element that was removed",
            ConflictKind::Renamed => {
                "it refers to an element whose name the other may have given to another one"
            }
            ConflictKind::Described => {
                "it has no elements for what the other has added to the array that describes them"
            }
            ConflictKind::Shared => {
                "one has changed what refers to it, and the other where its elements are"
            }
        }
    }
}

/// Why files could not be merged at all.
#[derive(Clone)]
#[non_exhaustive]
pub enum MergeError {
    /// One of them cannot be read.
    Read(Version, ReadError),
    /// What both say together is no file of the format.
    Write(WriteError),
    /// What was written is not read as what was meant.
    ReadBack,
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MergeError::Read(_, error) => error.fmt(f),
            MergeError::Write(error) => error.fmt(f),
            MergeError::ReadBack => f.write_str("what is written reads back to another value"),
        }
    }
}

/// As in words: it is what `main` prints of an error.
impl fmt::Debug for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for MergeError {}

/// Makes one file of two, which both were made from a third.
///
/// Fields are merged one by one, and elements are matched as [`crate::diff`] does it. References
/// lead to the elements that they led to, whatever the numbers of these are in the result. The
/// result is read again before it is given.
///
/// # Errors
///
/// If a file cannot be read, or the result cannot be written.
pub fn merge(
    program: &Program,
    files: [&[u8]; 3],
    options: &ReadOptions,
) -> Result<Merged, MergeError> {
    let [base, ours, theirs] = files;
    let read = |bytes, version| {
        let side = Side::read(program, bytes, options);
        match side.error {
            None => Ok(side),
            Some(error) => Err(MergeError::Read(version, error)),
        }
    };
    let sides =
        [read(base, Version::Base)?, read(ours, Version::Ours)?, read(theirs, Version::Theirs)?];
    if base == theirs || ours == theirs {
        return Ok(Merged::File(ours.to_vec()));
    }
    if base == ours {
        return Ok(Merged::File(theirs.to_vec()));
    }
    let value = match merged(program, &sides) {
        Ok(value) => left_open(program, value),
        Err(conflicts) => return Ok(Merged::Conflicts(conflicts)),
    };
    let bytes = crate::write(program, &value).map_err(MergeError::Write)?;
    let again = crate::read(program, &bytes, options).map_err(|_| MergeError::ReadBack)?;
    let again = again.value();
    match again == completed(program, value, &again) {
        true => Ok(Merged::File(bytes)),
        false => Err(MergeError::ReadBack),
    }
}

/// The value that has the changes of both.
fn merged(program: &Program, sides: &[Side<'_>; 3]) -> Result<Value, Vec<Conflict>> {
    let [base, ours, theirs] = sides;
    let (Some(base), Some(ours), Some(theirs)) = (base.parts(), ours.parts(), theirs.parts())
    else {
        // A file that can be read has a root.
        return Ok(Value::None);
    };
    let parts = [&base, &ours, &theirs];
    let values: Vec<Value> = sides.iter().map(|side| Document::value_in(&side.document)).collect();
    let to_ours = matched(&base, &ours);
    let to_theirs = matched(&base, &theirs);
    let three = Three { parts, matchings: [&to_ours, &to_theirs] };
    let mut conflicts = Vec::new();
    let plan = plan::root(&three, &values, &mut conflicts);
    let value = build::build(&three, plan, &mut conflicts);
    conflicts.extend(shared_tables(program, &values));
    match conflicts.is_empty() {
        true => Ok(value),
        false => Err(conflicts),
    }
}

/// Conflicts about shared tables whose elements one file has put elsewhere, where the other has
/// changed what refers to them: a reference says a position in the table, and which one it is in the
/// result follows from all slices there.
fn shared_tables(program: &Program, values: &[Value]) -> Vec<Conflict> {
    let model = program.model();
    if !refers_to_shared_tables(model) {
        return Vec::new();
    }
    let found = values.iter().map(|value| references(program, model.root, value.given()));
    // What is wrong with a file is found when it is written.
    let Ok(found) = found.collect::<Result<Vec<_>, _>>() else { return Vec::new() };
    let [base, ours, theirs] = &found[..] else { return Vec::new() };
    let table = |found: &References<'_>, way: &[Step]| {
        let table = found.locate(way)?;
        let homes = found.homes_of(table)?.iter();
        let homes: Vec<_> = homes.map(|home| home.map(|home| found.way(home))).collect();
        let hits = found.all().iter().filter(|hit| hit.array == table && hit.key.is_none());
        Some((homes, hits.map(|hit| hit.number).collect::<Vec<_>>()))
    };
    let mut ways: Vec<_> = base.tables().map(|table| (base.path(table), base.way(table))).collect();
    ways.retain(|(_, way)| {
        let [base, ours, theirs] = [base, ours, theirs].map(|found| table(found, way));
        let (Some(base), Some(ours), Some(theirs)) = (base, ours, theirs) else { return false };
        // What is added behind all others moves none of them, if nobody else adds something.
        let clash = |moved: &(Vec<_>, Vec<_>), changed: &(Vec<_>, Vec<_>)| {
            let moves = match changed.0 == base.0 {
                true => !moved.0.starts_with(&base.0),
                false => moved.0 != base.0,
            };
            moves && changed.1 != base.1
        };
        clash(&ours, &theirs) || clash(&theirs, &ours)
    });
    let conflict = |path: Path| Conflict {
        path: path.to_string(),
        kind: ConflictKind::Shared,
        values: [None, None, None],
    };
    ways.into_iter().map(|(path, _)| conflict(path)).collect()
}

/// The three files.
struct Three<'w, 't> {
    parts: [&'w Parts<'t>; 3],
    /// From the base to the others.
    matchings: [&'w Matching; 2],
}

/// Positions in [`Three::parts`].
const BASE: usize = 0;
const OURS: usize = 1;
const THEIRS: usize = 2;

impl<'w> Three<'w, '_> {
    /// How the base and another file match.
    fn matching(&self, side: usize) -> &'w Matching {
        self.matchings[side - 1]
    }

    /// What a place of one of the files is in all of them.
    fn spots(&self, side: usize, spot: Spot) -> [Option<Spot>; 3] {
        let mut spots = [None; 3];
        let base = match side {
            BASE => Some(spot.part),
            side => self.matching(side).backward(spot.part),
        };
        // The number of an element is another one in each file.
        if let (Some(base), None) = (base, spot.number) {
            spots[BASE] = Some(Spot::part(base));
            for other in [OURS, THEIRS] {
                spots[other] = self.matching(other).forward(base).map(Spot::part);
            }
        }
        spots[side] = Some(spot);
        spots
    }

    /// A conflict about what is in these places.
    fn conflict(&self, kind: ConflictKind, spots: [Option<Spot>; 3]) -> Conflict {
        let values = [BASE, OURS, THEIRS].map(|side| {
            let there = spots[side].filter(|spot| self.parts[side].says_something(*spot));
            there.map(|spot| self.parts[side].json(spot))
        });
        let place = [OURS, BASE, THEIRS].into_iter().find_map(|side| Some((side, spots[side]?)));
        let path = place.map_or(String::new(), |(side, spot)| self.parts[side].path(spot));
        Conflict { path, kind, values }
    }
}
