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

/// What the references of a value mean, the arrays that they lead into or of which others have an
/// element for each, and these.
struct Meant {
    all: BTreeMap<String, (Way, Meaning)>,
    arrays: Vec<Array>,
    described: Vec<Described>,
}

/// An array that has an element for each of something else.
struct Described {
    path: String,
    way: Way,
    count: u32,
    /// Of which each element is, as far as something stands there.
    by: Vec<Option<Way>>,
}

impl Described {
    fn is_even(&self) -> bool {
        self.by.len() == self.count as usize
    }
}

/// An array that references lead into, or of which another one has an element for each.
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
    let described = found.described().map(|(array, by)| Described {
        path: found.path(array).to_string(),
        way: found.way(array),
        count: found.count(array).unwrap_or(0),
        by: by.iter().map(|by| by.map(|by| found.way(by))).collect(),
    });
    let described: Vec<_> = described.collect();
    let mut meant = Meant { all: BTreeMap::new(), arrays: Vec::new(), described };
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
    for by in found.described().flat_map(|(_, by)| by.iter().flatten()) {
        let mut at = Some(*by);
        while let Some(loc) = at {
            let (array, path) = (loc.whole_row(), found.path(loc.whole_row()).to_string());
            let count = found.count(array).filter(|_| loc.index().is_some());
            if let Some(count) = count.filter(|_| elements(value, &path).is_ok())
                && meant.arrays.iter().all(|known| known.path != path)
            {
                meant.arrays.push(Array { path, way: found.way(array), count, rows: Vec::new() });
            }
            at = found.tree().holder(loc.node);
        }
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

/// Edits an array of a value that something refers to or is of, as `u` chooses, and looks whether every
/// reference means what it meant before, whether nothing else has changed, and whether what is
/// written is read as that. None if nothing is either.
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
            let gone = gone_with(&before, &array, at);
            let goes = |way: &Way| gone.iter().any(|element| way.starts_with(element));
            let of_it = |array: &Way| {
                let last = array.len() + 1;
                gone.iter().any(|element| element.len() == last && element.starts_with(array))
            };
            let refers = |(way, meaning): &(Way, Meaning)| {
                !goes(way)
                    && match meaning {
                        Meaning::Element(to) => goes(to),
                        Meaning::Key(to, _) => goes(to) || of_it(to),
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
    let all = changes(&before, &after, Change::new(&path, &array, count, kind)).map_err(&wrong)?;
    same_meaning(&before, &after, &all, kind).map_err(&wrong)?;
    same_rest(program, value, &changed, &all, kind).map_err(&wrong)?;
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

/// An array whose elements have come to other positions.
struct Change {
    path: String,
    /// Where it was before.
    way: Way,
    /// Of each element, the position that it had; a new one had none.
    old: Vec<Option<u32>>,
    /// How many there were.
    count: u32,
}

impl Change {
    fn new(path: &str, way: &Way, count: u32, kind: Kind) -> Change {
        let now = match kind {
            Kind::Insert(..) => count + 1,
            Kind::Remove(_) => count - 1,
            Kind::Move(..) => count,
        };
        let old = (0..now).map(|index| kind.old(index)).collect();
        Change { path: path.to_owned(), way: way.clone(), old, count }
    }

    /// Whether something that was there is gone with an element.
    fn takes(&self, way: &Way) -> bool {
        let left =
            |index| (index >= self.count || self.old.contains(&Some(index))).then_some(index);
        through(way, &self.way, &left).is_none()
    }
}

/// Where something was before; none if it is new.
fn back(changes: &[Change], way: &Way) -> Option<Way> {
    // Ways are those from before as soon as all around them are.
    let mut outer_first: Vec<&Change> = changes.iter().collect();
    outer_first.sort_by_key(|change| change.way.len());
    outer_first.into_iter().try_fold(way.clone(), |way, change| {
        through(&way, &change.way, &|index| match change.old.get(index as usize) {
            Some(old) => *old,
            None => Some(index),
        })
    })
}

/// The elements that go when one does: those that are of what goes.
fn gone_with(before: &Meant, array: &Way, at: u32) -> Vec<Way> {
    let element_of = |array: &Way, at: u32| {
        let mut element = array.clone();
        element.push(Step::Element(at));
        element
    };
    let mut gone = vec![element_of(array, at)];
    let mut next = 0;
    while let Some(one) = gone.get(next).cloned() {
        for described in &before.described {
            for (at, by) in (0..).zip(&described.by) {
                let element = element_of(&described.way, at);
                if by.as_ref().is_some_and(|by| by.starts_with(&one)) && !gone.contains(&element) {
                    gone.push(element);
                }
            }
        }
        next += 1;
    }
    gone
}

/// The arrays that have changed when one has: elements are of what they were before, wherever that
/// has come to, and gone if it is. A new element has none yet, and where a condition now says that
/// there are elements of others, those that are there stay.
fn changes(before: &Meant, after: &Meant, first: Change) -> Result<Vec<Change>, String> {
    let new = first.old.contains(&None);
    let mut changes = vec![first];
    // What changes one array may change those that are of its elements.
    while let Some(change) = after.described.iter().filter(|_| !new).find_map(|now| {
        let way = back(&changes, &now.way)?;
        let known = changes.iter().any(|change| change.way == way);
        let was = before.described.iter().find(|was| was.way == way && was.is_even() && !known)?;
        let left = |by: &Option<Way>| {
            let by = by.as_ref();
            !by.is_some_and(|by| changes.iter().any(|change| change.takes(by)))
        };
        let mut left: Vec<bool> = was.by.iter().map(left).collect();
        let mut old = |by: &Option<Way>| {
            let by = match by {
                Some(by) => Some(back(&changes, by)?),
                None => None,
            };
            let at = (0..was.by.len()).find(|at| left[*at] && was.by[*at] == by)?;
            left[at] = false;
            u32::try_from(at).ok()
        };
        let old: Vec<Option<u32>> = now.by.iter().map(&mut old).collect();
        if old.contains(&None) || left.contains(&true) {
            return None;
        }
        if !now.is_even() {
            let by = now.by.len();
            return Some(Err(format!("{} has {} elements for {by}", now.path, now.count)));
        }
        let same = now.count == was.count && (0..).zip(&old).all(|(at, old)| *old == Some(at));
        (!same).then(|| Ok(Change { path: was.path.clone(), way, old, count: was.count }))
    }) {
        changes.push(change?);
    }
    Ok(changes)
}

/// Whether each reference means what it meant.
fn same_meaning(
    before: &Meant,
    after: &Meant,
    changes: &[Change],
    kind: Kind,
) -> Result<(), String> {
    let array = &changes[0].way;
    let back = |way: &Way| back(changes, way);
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
    let gone = |way: &Way| changes.iter().any(|change| change.takes(way));
    let left = before.all.values().filter(|(way, _)| !gone(way)).count();
    if seen == left { Ok(()) } else { Err(format!("{left} references became {seen}")) }
}

/// Whether nothing but references and these arrays has changed.
fn same_rest(
    program: &Program,
    value: &Value,
    changed: &Value,
    changes: &[Change],
    kind: Kind,
) -> Result<(), String> {
    let mut expected = value.clone();
    blank(program, &mut expected)?;
    let mut changed = changed.clone();
    blank(program, &mut changed)?;
    let mut inner_first: Vec<&Change> = changes.iter().collect();
    inner_first.sort_by_key(|change| std::cmp::Reverse(change.way.len()));
    for Change { path, old, .. } in inner_first {
        let list = expected.at_path_mut(path).and_then(Value::elements_mut);
        let list = list.ok_or_else(|| format!("{path} is no array"))?;
        let new = match kind {
            Kind::Insert(_, like) => Some(like),
            _ => None,
        };
        let at = |old: &Option<u32>| list.get(old.or(new)? as usize).cloned();
        *list = old.iter().filter_map(at).collect();
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
