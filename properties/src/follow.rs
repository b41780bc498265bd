//! Elements that are inserted, removed and moved: what refers to them follows.

use std::collections::BTreeMap;

use arbitrary::Unstructured;
use formwork::engine::moved;
use formwork::engine::{Step, references};
use formwork::model::{RecordId, Row, RowId};
use formwork::{EditError, ReadOptions};
use formwork_interpreter::{
    Edit, EditFailure, Program, Source, Value, edit, in_layout, read, write,
};

use crate::laws::Broken;
use crate::{shown, value_text};

/// What came of an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Something refers to the element, so it was not removed.
    Kept,
    /// Some reference has no number for where its element would come to be.
    Unsayable,
    /// All that refers to something refers to it still, but the value breaks some other rule now, as
    /// before this, perhaps.
    Unwritable,
    /// The same, and it was written and read again.
    Held,
}

/// An edit that was tried.
#[derive(Debug, Clone)]
pub struct Tried {
    /// What it was.
    pub what: String,
    /// What came of it.
    pub outcome: Outcome,
    /// Rows with references into the array.
    pub rows: Vec<(RecordId, RowId)>,
}

/// A place in a value.
type Way = Vec<Step>;

/// What a reference means: the element, or the key.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Meaning {
    Element(Way),
    Key(Way, i128),
}

/// What the references of a value mean, and the arrays that they lead into.
struct Meant {
    all: BTreeMap<String, (Way, Meaning)>,
    arrays: Vec<Array>,
}

/// An array that references lead into.
#[derive(Debug, Clone)]
struct Array {
    path: String,
    way: Way,
    count: u32,
    /// Rows with such references.
    rows: Vec<(RecordId, RowId)>,
}

fn meant(program: &Program, value: &Value) -> Result<Meant, Broken> {
    let root = program.model().root;
    let found = given(value, |given| references(program, root, given)).map_err(Broken::Refused)?;
    let mut meant = Meant { all: BTreeMap::new(), arrays: Vec::new() };
    for hit in found.all() {
        let (way, array) = (found.way(hit.at), found.way(hit.array));
        let key = hit.key.is_some();
        let meaning = if key {
            Meaning::Key(array.clone(), hit.number)
        } else {
            let mut element = array.clone();
            element.push(Step::Element(u32::try_from(hit.number).unwrap_or(u32::MAX)));
            Meaning::Element(element)
        };
        let (record, row) = (found.tree().record_id(hit.at.node), hit.at.row);
        if let Some(count) = found.count(hit.array) {
            let path = found.path(hit.array).to_string();
            match meant.arrays.iter_mut().find(|known| known.path == path) {
                Some(known) if known.rows.contains(&(record, row)) => {}
                Some(known) => known.rows.push((record, row)),
                None => {
                    let rows = vec![(record, row)];
                    meant.arrays.push(Array { path, way: array, count, rows });
                }
            }
        }
        meant.all.insert(format!("{way:?}"), (way, meaning));
    }
    Ok(meant)
}

/// A value as the engine takes it.
fn given<T>(value: &Value, with: impl FnOnce(formwork::engine::Given<'_>) -> T) -> T {
    formwork_interpreter::with_given(value, with)
}

/// The same way, with another position in an array on it; none if that is not there.
fn through(way: &Way, array: &Way, new: &dyn Fn(u32) -> Option<u32>) -> Option<Way> {
    let mut way = way.clone();
    if way.len() > array.len()
        && way.starts_with(array)
        && let Step::Element(index) = &mut way[array.len()]
    {
        *index = new(*index)?;
    }
    Some(way)
}

/// Edits an array of a value that something refers to, as `u` chooses, and looks whether every
/// reference means what it meant before, whether nothing else has changed, and whether what is
/// written is read as that. None if nothing refers to anything.
///
/// # Errors
///
/// What does not hold.
pub fn check(
    program: &Program,
    value: &Value,
    u: &mut Unstructured<'_>,
) -> Result<Option<Tried>, Broken> {
    let before = meant(program, value)?;
    let Ok(choice) = u.choose_index(before.arrays.len()) else { return Ok(None) };
    let Array { path, way: array, count, rows } = before.arrays[choice].clone();
    let mut any = |most: u32| u.int_in_range(0..=most).unwrap_or(0);
    let old = elements(value, &path)?;
    let mut changed = value.clone();
    let (what, result, kind) = match any(2) {
        0 if count > 0 => {
            let (at, like) = (any(count), any(count - 1));
            let element = old[like as usize].clone();
            let source = Edit::Insert(Source::Value(&element));
            let done = edit(program, &mut changed, &format!("{path}[{at}]"), source);
            (format!("insert {path}[{at}] like [{like}]"), done, Kind::Insert(at, like))
        }
        1 if count > 0 => {
            let at = any(count - 1);
            let done = edit(program, &mut changed, &format!("{path}[{at}]"), Edit::Remove(None));
            (format!("remove {path}[{at}]"), done, Kind::Remove(at))
        }
        _ if count > 0 => {
            let (from, to) = (any(count - 1), any(count - 1));
            let done = edit(program, &mut changed, &format!("{path}[{from}]"), Edit::Move(to));
            (format!("move {path}[{from}] to {to}"), done, Kind::Move(from, to))
        }
        _ => return Ok(None),
    };
    let wrong = |why: String| Broken::Changed(format!("{what}: {why}"));
    let tried = |outcome| Ok(Some(Tried { what: what.clone(), outcome, rows: rows.clone() }));
    match result {
        Ok(()) => {}
        Err(EditFailure::Edit(EditError::StillReferenced { paths })) => {
            let Kind::Remove(at) = kind else { return Err(wrong("it is refused".to_owned())) };
            if !changed.same_spelling(value) {
                return Err(wrong("it is refused, and something has changed".to_owned()));
            }
            let mut element = array.clone();
            element.push(Step::Element(at));
            let refers = |(way, meaning): &(Way, Meaning)| {
                !way.starts_with(&element)
                    && match meaning {
                        Meaning::Element(to) => to.starts_with(&element),
                        Meaning::Key(to, _) => *to == array,
                    }
            };
            let count = before.all.values().filter(|one| refers(one)).count();
            return match count {
                0 => Err(wrong(format!("nothing refers to it, but {} are said to", paths.len()))),
                _ => tried(Outcome::Kept),
            };
        }
        Err(EditFailure::Edit(EditError::Invalid(error)))
            if error.problems().iter().all(|p| UNSAYABLE.contains(&p.kind.code())) =>
        {
            return match changed.same_spelling(value) {
                true => tried(Outcome::Unsayable),
                false => Err(wrong("it is refused, and something has changed".to_owned())),
            };
        }
        Err(error) => return Err(wrong(error.to_string())),
    }
    let after = meant(program, &changed)?;
    same_meaning(&before, &after, &array, kind).map_err(&wrong)?;
    same_rest(program, value, &changed, &path, kind).map_err(&wrong)?;
    let written = match write(program, &changed) {
        Ok(written) => written,
        Err(error) => {
            let refers = |p: &formwork::Problem| {
                matches!(p.kind.code(), "index_out_of_range" | "not_an_element")
            };
            // A rank has no number for elements that are none of those, as it had none before.
            return match error.problems().iter().find(|p| refers(p)) {
                Some(problem) => Err(wrong(problem.to_string())),
                None => tried(Outcome::Unwritable),
            };
        }
    };
    match read(program, &written, &ReadOptions::default()) {
        Ok(again) => {
            let said = shown::sorted(in_layout(program, changed));
            match value_text::difference(&said, &shown::sorted(again.value())) {
                Some(difference) => Err(wrong(difference)),
                None => tried(Outcome::Held),
            }
        }
        Err(error) => Err(Broken::Unreadable(error, written)),
    }
}

/// Codes of problems of references that have no number for a position.
const UNSAYABLE: [&str; 2] = ["does_not_fit", "means_nothing"];

#[derive(Debug, Clone, Copy)]
enum Kind {
    Insert(u32, u32),
    Remove(u32),
    Move(u32, u32),
}

impl Kind {
    /// Where an element was before.
    fn old(self, index: u32) -> Option<u32> {
        match self {
            Kind::Insert(at, _) if index == at => None,
            Kind::Insert(at, _) => Some(if index > at { index - 1 } else { index }),
            Kind::Remove(at) => Some(if index >= at { index + 1 } else { index }),
            Kind::Move(from, to) => Some(moved(index, to, from)),
        }
    }
}

/// Whether each reference means what it meant.
fn same_meaning(before: &Meant, after: &Meant, array: &Way, kind: Kind) -> Result<(), String> {
    let back = |way: &Way| through(way, array, &|index| kind.old(index));
    let back_meaning = |meaning: &Meaning| match meaning {
        Meaning::Element(way) => back(way).map(Meaning::Element),
        Meaning::Key(way, number) => back(way).map(|way| Meaning::Key(way, *number)),
    };
    let mut seen = 0;
    for (way, meaning) in after.all.values() {
        // What stands in a new element means what it means in the one that this is like.
        let old = match (back(way), kind) {
            (Some(old), _) => {
                seen += 1;
                old
            }
            (None, Kind::Insert(at, like)) => {
                through(way, array, &|index| (index == at).then_some(like)).unwrap_or_default()
            }
            (None, _) => return Err(format!("{way:?} is new")),
        };
        let known = before.all.get(&format!("{old:?}")).map(|(_, meaning)| meaning);
        let now = back_meaning(meaning);
        if known.is_none() || now.as_ref() != known {
            // Something in the new element may be found by way of itself.
            let inside = matches!(kind, Kind::Insert(..)) && now.is_none() && back(way).is_none();
            if !inside {
                return Err(format!("{way:?} meant {known:?} and means {now:?}"));
            }
        }
    }
    let gone = |way: &Way| match kind {
        Kind::Remove(at) => through(way, array, &|index| (index != at).then_some(index)).is_none(),
        _ => false,
    };
    let left = before.all.values().filter(|(way, _)| !gone(way)).count();
    if seen == left { Ok(()) } else { Err(format!("{left} references became {seen}")) }
}

/// Whether nothing but references and the array has changed.
fn same_rest(
    program: &Program,
    value: &Value,
    changed: &Value,
    path: &str,
    kind: Kind,
) -> Result<(), String> {
    let mut expected = value.clone();
    blank(program, &mut expected)?;
    let mut changed = changed.clone();
    blank(program, &mut changed)?;
    let list = expected.at_path_mut(path).and_then(Value::elements_mut);
    let list = list.ok_or_else(|| format!("{path} is no array"))?;
    match kind {
        Kind::Insert(at, like) => list.insert(at as usize, list[like as usize].clone()),
        Kind::Remove(at) => drop(list.remove(at as usize)),
        Kind::Move(from, to) => {
            let element = list.remove(from as usize);
            list.insert(to as usize, element);
        }
    }
    match value_text::difference(&expected, &changed) {
        None => Ok(()),
        Some(difference) => Err(difference),
    }
}

/// Puts zero into all references that are positions.
fn blank(program: &Program, value: &mut Value) -> Result<(), String> {
    let root = program.model().root;
    let paths: Vec<String> = given(value, |given| references(program, root, given))
        .map_err(|error| error.to_string())
        .map(|found| {
            let all = found.all().iter().filter(|hit| hit.key.is_none());
            all.map(|hit| found.path(hit.at).to_string()).collect()
        })?;
    for path in paths {
        if let Some(place) = value.at_path_mut(&path) {
            *place = Value::Int(0);
        }
    }
    Ok(())
}

fn elements(value: &Value, path: &str) -> Result<Vec<Value>, Broken> {
    let list = value.at_path(path).and_then(Value::elements);
    let list = list.ok_or_else(|| Broken::Changed(format!("{path} is no array of the value")))?;
    Ok(list.to_vec())
}

/// All rows of a schema that hold references.
#[must_use]
pub fn rows(program: &Program) -> Vec<(RecordId, RowId)> {
    let refers = |(_, row): &(RowId, &Row)| row.reference.is_some();
    let model = program.model();
    let rows = model.records().flat_map(|(id, record)| {
        record.numbered_rows().filter(refers).map(move |(row, _)| (id, row))
    });
    rows.collect()
}
