//! Edits of a value that keep what its references mean.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;

use formwork::engine::{
    Along, Found, Item, Loc, Moved, NodeRef, Places, Program, References, Step, references,
    references_so_far, refers_to_shared_tables,
};
use formwork::path::Path;
use formwork::{EditError, Problem, ProblemKind, WriteError};
use formwork_model::{Model, Role, Row, Type};

use crate::json::{self, JsonError};
use crate::layout::left_open;
use crate::paths::{Ground, ValueStep, in_file, parse_path, shown};
use crate::stack::with_stack;
use crate::value::{Kept, StructValue, Value};
use crate::view::{element_type, target_type};

/// What is done at a path.
#[derive(Debug, Clone, Copy)]
pub enum Edit<'t> {
    /// The value becomes an element; the path says where, or, without a position, which array it is
    /// added to. References in it count elements as they are before.
    Insert(Source<'t>),
    /// The element is taken out. What refers to it refers to another one afterwards, if that is
    /// said, by the position that it has before.
    Remove(Option<u32>),
    /// The element comes to this position.
    Move(u32),
    /// The value takes the place of what is there.
    Set(Source<'t>),
    /// The same, and what refers to the element by this field refers to it still.
    Rename(Source<'t>),
}

/// Where a new value comes from.
#[derive(Debug, Clone, Copy)]
pub enum Source<'t> {
    /// A JSON text, without a header.
    Json(&'t str),
    /// A value.
    Value(&'t Value),
}

/// Why a value could not be edited. It is as it was.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum EditFailure {
    /// The path leads to nothing that can be edited so.
    Path {
        /// As far as it leads somewhere.
        known: String,
        /// What is wrong behind.
        message: String,
    },
    /// What is at the path is nothing that can be edited so.
    Place {
        /// The path.
        path: String,
        /// What is wrong there, or what is wanted.
        message: String,
    },
    /// The new value is none of what stands there.
    Json(JsonError),
    /// What refers to the elements keeps it from being made, or nobody knows what does.
    Edit(EditError),
}

impl fmt::Display for EditFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EditFailure::Path { known, message } if known.is_empty() => f.write_str(message),
            EditFailure::Path { known, message } => write!(f, "{known}: {message}"),
            EditFailure::Place { path, message } => write!(f, "{path}: {message}"),
            EditFailure::Json(error) => error.fmt(f),
            EditFailure::Edit(error) => error.fmt(f),
        }
    }
}

/// As in words: it is what `main` prints of an error.
impl fmt::Debug for EditFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for EditFailure {}

impl From<EditError> for EditFailure {
    fn from(error: EditError) -> EditFailure {
        EditFailure::Edit(error)
    }
}

/// Edits a value of a file at a path such as `flowcharts[0].events[3]`. Every reference in the value
/// leads to the element that it led to before, whatever the numbers of these are then.
///
/// # Errors
///
/// If the path leads nowhere, the new value has another type, or a reference would lead to something
/// else; then the value is as it was. What else is wrong with it is for [`crate::write()`] to say.
pub fn edit(
    program: &Program,
    value: &mut Value,
    path: &str,
    edit: Edit<'_>,
) -> Result<(), EditFailure> {
    let found = references_so_far(program, value.given()).map_err(EditError::from)?;
    let steps = parse_path(path).ok_or_else(|| no_path(path, "it is no path".to_owned()))?;
    let may_double = matches!(edit, Edit::Insert(_) | Edit::Set(_) | Edit::Rename(_));
    if !may_double || found.all().iter().all(|hit| hit.key.is_none()) {
        return edit_at(program, value, &found, &steps, edit);
    }
    let before = value.clone();
    edit_at(program, value, &found, &steps, edit)?;
    let doubled = doubled_since(program, value, &found);
    if doubled.is_err() {
        *value = before;
    }
    doubled
}

/// An error if elements came to have a number in common by which something refers to one of them.
fn doubled_since(
    program: &Program,
    value: &Value,
    before: &References<'_>,
) -> Result<(), EditFailure> {
    // What is wrong with the value is for others to say.
    let Ok(found) = references_so_far(program, value.given()) else { return Ok(()) };
    let mut known: Vec<_> = before.doubled().into_iter().map(|(_, by, n)| (by, n)).collect();
    let mut problems = Vec::new();
    for (at, field, number) in found.doubled() {
        match known.iter().position(|of| *of == (field, number)) {
            Some(old) => drop(known.swap_remove(old)),
            None => {
                let kind = ProblemKind::DuplicateKey { key: number.to_string().into() };
                problems.push(Problem::new(found.path(at), kind));
            }
        }
    }
    Ok(WriteError::check(problems).map_err(EditError::from)?)
}

fn edit_at(
    program: &Program,
    value: &mut Value,
    found: &References<'_>,
    steps: &[ValueStep<'_>],
    edit: Edit<'_>,
) -> Result<(), EditFailure> {
    if let Edit::Set(source) | Edit::Rename(source) = edit {
        let follow = matches!(edit, Edit::Rename(_));
        replace(program, value, found, steps, source, follow)?;
        *value = left_open(program, std::mem::replace(value, Value::None));
        return Ok(());
    }
    let mut led = led(found);
    if led.is_empty() && !refers_to_shared_tables(found.model()) {
        return place(program, value, found, steps, edit, &mut led).map(drop);
    }
    let before = value.clone();
    let done = place(program, value, found, steps, edit, &mut led)
        .and_then(|change| settle(program, value, change.of_led(led)?));
    if done.is_err() {
        *value = before;
    }
    done
}

/// Changes which elements arrays have, and where; references of a new one into shared tables join the
/// others.
fn place(
    program: &Program,
    value: &mut Value,
    found: &References<'_>,
    steps: &[ValueStep<'_>],
    edit: Edit<'_>,
    led: &mut Vec<Led>,
) -> Result<Change, EditFailure> {
    match edit {
        Edit::Insert(source) => {
            let (at, steps) = match steps.split_last() {
                Some((ValueStep::Index(at), steps)) => (Some(*at), steps),
                _ => (None, steps),
            };
            let array = array_at(found, steps)?;
            let row = found.tree().row(array);
            let element = new_value(program, found, source, row, true)?;
            let count = found.count(array).unwrap_or(0);
            let at = match at {
                Some(at) => position(at, count, true)?,
                None => count,
            };
            let checked = matches!(source, Source::Value(_));
            insert(program, value, found, array, at, element, checked, led)
        }
        Edit::Remove(instead) => {
            let (array, at, count) = element_at(found, steps)?;
            if let Some(instead) = instead {
                position(instead as usize, count, false)?;
                if instead == at {
                    return Err(no_place(steps, "it cannot stand for itself".to_owned()));
                }
            }
            let shifted = move |index: u32| if index > at { index - 1 } else { index };
            let mut new = |index: u32| match index {
                index if index == at => instead.map(shifted),
                index => Some(shifted(index)),
            };
            let places =
                Places { gone: Some(at), instead, loose: false, shared: true, new: &mut new };
            let left = |index: u32| (index != at).then(|| shifted(index));
            let along = found.along(array, &left).map_err(EditError::from)?;
            let mut change = change(value, found, array, places, &left, along)?;
            change.instead = instead.map(|instead| {
                let of = |index| found.way(array.at(index));
                (of(at), of(shifted(instead)))
            });
            Ok(change)
        }
        Edit::Move(to) => {
            let (array, at, count) = element_at(found, steps)?;
            let to = position(to as usize, count, false)?;
            let new = move |index: u32| Some(formwork::engine::moved(index, at, to));
            let along = found.along(array, &new).map_err(EditError::from)?;
            shift(value, found, array, at, to, along)
        }
        Edit::Set(_) | Edit::Rename(_) => Ok(Change::default()),
    }
}

/// A reference to an element of a shared table: the ways to it, to the table, and to where the element
/// is in the value.
struct Led {
    path: Path,
    at: Vec<Step>,
    table: Vec<Step>,
    home: Vec<Step>,
}

impl Led {
    fn new(found: &References<'_>, hit: &Found<'_>, home: Loc) -> Led {
        let (at, table) = (found.way(hit.at), found.way(hit.array));
        Led { path: found.path(hit.at), at, table, home: found.way(home) }
    }
}

/// All references to elements of shared tables.
fn led(found: &References<'_>) -> Vec<Led> {
    let all = found.all().iter();
    all.filter_map(|hit| Some(Led::new(found, hit, found.home(hit)?))).collect()
}

/// Those in a new element, which count elements as these are without it.
fn led_from(found: &References<'_>, new: &[Step]) -> Vec<Led> {
    let mut before: BTreeMap<Loc, Vec<Loc>> = BTreeMap::new();
    let mut all = Vec::new();
    for hit in found.all().iter().filter(|hit| hit.key.is_none()) {
        let Some(homes) = found.homes_of(hit.array) else { continue };
        if !found.way(hit.at).starts_with(new) {
            continue;
        }
        let known = before.entry(hit.array).or_insert_with(|| {
            let homes = homes.iter().copied().flatten();
            homes.filter(|home| !found.way(*home).starts_with(new)).collect()
        });
        let home = usize::try_from(hit.number).ok().and_then(|number| known.get(number));
        all.extend(home.map(|home| Led::new(found, hit, *home)));
    }
    all
}

/// The arrays that a change gave other elements.
#[derive(Default)]
struct Change {
    /// The way to each, and the position that each element came to; none of what is gone.
    lists: BTreeMap<Vec<Step>, Vec<Option<u32>>>,
    /// What is gone, and what stands for it.
    instead: Option<(Vec<Step>, Vec<Step>)>,
}

impl Change {
    /// The way to something after the change; none if it is gone.
    fn way(&self, way: &[Step]) -> Option<Vec<Step>> {
        let mut new = Vec::with_capacity(way.len());
        for (number, step) in way.iter().enumerate() {
            new.push(match *step {
                Step::Element(index) => match self.lists.get(&way[..number]) {
                    Some(places) => Step::Element((*places.get(index as usize)?)?),
                    None => *step,
                },
                step => step,
            });
        }
        Some(new)
    }

    /// References after the change, but for those that are gone themselves.
    fn of_led(&self, led: Vec<Led>) -> Result<Vec<Led>, EditError> {
        let (mut left, mut held) = (Vec::new(), Vec::new());
        for Led { path, at, table, home } in led {
            let Some(at) = self.way(&at) else { continue };
            let instead = self.instead.as_ref().filter(|(gone, _)| *gone == home);
            let home = instead.map(|(_, instead)| instead.clone()).or_else(|| self.way(&home));
            match (self.way(&table), home) {
                (Some(table), Some(home)) => left.push(Led { path, at, table, home }),
                _ => held.push(path),
            }
        }
        if held.is_empty() { Ok(left) } else { Err(EditError::StillReferenced { paths: held }) }
    }
}

/// Turns the lowest bit of every reference in a value round, for tests of generated code.
///
/// # Errors
///
/// If it is not known what refers to what.
#[doc(hidden)]
pub fn turn(program: &Program, value: &mut Value) -> Result<(), EditFailure> {
    let found = references_so_far(program, value.given()).map_err(EditError::from)?;
    for hit in found.all() {
        let (at, number) = (hit.at, hit.number ^ 1);
        put(value, &found, Moved { at, number });
    }
    Ok(())
}

/// Adds an element at the end, where no position changes, and moves it from there.
#[allow(clippy::too_many_arguments, reason = "they are what an insertion is about")]
fn insert(
    program: &Program,
    value: &mut Value,
    found: &References<'_>,
    array: Loc,
    at: u32,
    element: Value,
    checked: bool,
    led: &mut Vec<Led>,
) -> Result<Change, EditFailure> {
    let way = found.way(array);
    let count = found.count(array).unwrap_or(0);
    let list = |value: &mut Value| -> Option<()> {
        at_way(value, &way, found.model())?.elements_mut()?.push(element);
        Some(())
    };
    list(value).ok_or(EditError::NoArray)?;
    let fitting = match checked {
        true => fits(program, value, &found.path(array.at(count)), &found.path(array.at(at))),
        false => Ok(()),
    };
    let done = fitting.and_then(|()| {
        if at == count && !refers_to_shared_tables(found.model()) {
            return Ok(Change::default());
        }
        let pushed = references_so_far(program, value.given()).map_err(|error| {
            moved_to(error, &found.path(array.at(count)), &found.path(array.at(at)))
        })?;
        let array = pushed.locate(&way).ok_or(EditError::NoArray)?;
        led.extend(led_from(&pushed, &pushed.way(array.at(count))));
        match at == count {
            true => Ok(Change::default()),
            // It describes nothing yet.
            false => shift(value, &pushed, array, count, at, Vec::new()),
        }
    });
    if done.is_err()
        && let Some(elements) = at_way(value, &way, found.model()).and_then(Value::elements_mut)
    {
        elements.pop();
    }
    done
}

/// Moves an element to another position.
fn shift(
    value: &mut Value,
    found: &References<'_>,
    array: Loc,
    from: u32,
    to: u32,
    along: Vec<Along>,
) -> Result<Change, EditFailure> {
    let new = move |index: u32| Some(formwork::engine::moved(index, from, to));
    let mut place = new;
    let places = Places { gone: None, instead: None, loose: false, shared: true, new: &mut place };
    change(value, found, array, places, &new, along)
}

/// Lets references follow, then changes the list, and those whose elements come along.
fn change(
    value: &mut Value,
    found: &References<'_>,
    array: Loc,
    places: Places<'_>,
    new: &dyn Fn(u32) -> Option<u32>,
    along: Vec<Along>,
) -> Result<Change, EditFailure> {
    let moved = found.moved_along(array, places, &along).map_err(EditError::from)?;
    let count = found.count(array).unwrap_or(0);
    let places = (0..count).map(new).collect();
    let lists = along.into_iter().chain([Along { array, places }]);
    let mut lists: Vec<_> = lists.map(|list| (found.way(list.array), list)).collect();
    for (way, _) in &lists {
        if at_way(value, way, found.model()).and_then(Value::elements_mut).is_none() {
            return Err(EditError::NoArray.into());
        }
    }
    for moved in moved {
        put(value, found, moved);
    }
    // What is in an element is changed before that is somewhere else.
    lists.sort_by_key(|(way, _)| std::cmp::Reverse(way.len()));
    let mut change = Change::default();
    for (way, Along { array, places }) in lists {
        let place = |index: u32| places.get(index as usize).copied().flatten();
        if let Some(elements) = at_way(value, &way, found.model()).and_then(Value::elements_mut) {
            let all = (0..).zip(std::mem::take(elements));
            let mut left: Vec<(u32, Value)> =
                all.filter_map(|(index, element)| Some((place(index)?, element))).collect();
            left.sort_by_key(|(to, _)| *to);
            elements.extend(left.into_iter().map(|(_, element)| element));
        }
        respell(value, found, array, &place);
        change.lists.insert(way, places);
    }
    Ok(change)
}

/// Puts a number where a reference stands.
fn put(value: &mut Value, found: &References<'_>, Moved { at, number }: Moved) {
    let way = found.way(at);
    let model = found.model();
    if let Role::Kept(_) = found.tree().row(at).role {
        let Some((kept, name)) = kept_of(value, &way, model) else { return };
        for kept in kept.iter_mut().filter(|kept| kept.row == name) {
            kept.stored = Value::Int(number);
            // What follows from others may be another element then.
            kept.instead_of = Value::None;
        }
        return;
    }
    if let Some(place) = at_way(value, &way, model) {
        *place.bare_mut() = Value::Int(number);
        return;
    }
    // A field with a default may be left out.
    if let Some((Step::Row { record, row, only: false }, before)) = way.split_last()
        && let Some(holder) = at_way(value, before, model).and_then(fields_mut)
    {
        let rows = &model.records[record.index()].rows;
        let name = |row: &Row| row.name.clone();
        if let Some(own) = name(&rows[row.index()]) {
            let before: Vec<_> = rows[..row.index()].iter().filter_map(name).collect();
            let last = holder.fields.iter().rposition(|(field, _)| before.contains(field));
            holder.fields.insert(last.map_or(0, |last| last + 1), (own, Value::Int(number)));
        }
    }
}

/// The fields of a struct, or of the chosen case.
fn fields_mut(value: &mut Value) -> Option<&mut StructValue> {
    match value {
        Value::Struct(fields) => Some(fields),
        Value::Union(union) => Some(&mut union.value),
        Value::Spelled(inner, _) => fields_mut(inner),
        _ => None,
    }
}

/// What a way leads to.
fn at_way<'v>(value: &'v mut Value, way: &[Step], model: &Model) -> Option<&'v mut Value> {
    let mut here = value;
    for step in way {
        here = match *step {
            Step::Element(index) => here.elements_mut()?.get_mut(index as usize)?,
            // What is kept of each such struct has its own level.
            Step::Row { record, only: true, .. } if model.keeps_spelling(record) => {
                if !matches!(here, Value::Spelled(..)) {
                    continue;
                }
                let Value::Spelled(inner, _) = here else { return None };
                inner
            }
            Step::Row { only: true, .. } => here,
            Step::Row { record, row, .. } => {
                match &model.records[record.index()].rows[row.index()].name {
                    Some(name) => here.get_mut(name)?,
                    // Its fields are those of the struct around it.
                    None => here,
                }
            }
        };
    }
    Some(here)
}

/// Lets spellings of elements follow these.
fn respell(
    value: &mut Value,
    found: &References<'_>,
    array: Loc,
    new: &dyn Fn(u32) -> Option<u32>,
) {
    let way = found.way(array);
    let Some((kept, name)) = kept_of(value, &way, found.model()) else { return };
    let renamed = std::mem::take(kept).into_iter().filter_map(|kept| {
        let index = kept.row.strip_prefix(&name).and_then(|rest| rest.strip_prefix('['));
        let index = index.and_then(|rest| rest.strip_suffix(']')?.parse().ok());
        match index {
            None => Some(kept),
            Some(index) => new(index).map(|index| Kept { row: format!("{name}[{index}]"), ..kept }),
        }
    });
    *kept = renamed.collect();
}

/// The spellings among which those of a row are, and what the row is called there.
fn kept_of<'v>(
    value: &'v mut Value,
    way: &[Step],
    model: &Model,
) -> Option<(&'v mut Vec<Kept>, String)> {
    let (Step::Row { record, row, only }, mut before) = way.split_last()? else { return None };
    let mut name = model.records[record.index()].rows[row.index()].name.clone()?;
    while let Some((Step::Row { record, row, .. }, rest)) = before.split_last()
        && model.records[record.index()].rows[row.index()].name.is_none()
    {
        name = format!("#{}.{name}", row.0);
        before = rest;
    }
    let holder = at_way(value, before, model)?;
    let kept = match (*only, holder) {
        (true, Value::Spelled(_, kept)) => kept,
        (_, holder) => &mut fields_mut(holder)?.kept,
    };
    Some((kept, name))
}

/// Puts a value in the place of another one ([`set`]), and leads what refers to elements of shared
/// tables to these, wherever they come to be.
fn replace(
    program: &Program,
    value: &mut Value,
    found: &References<'_>,
    steps: &[ValueStep<'_>],
    source: Source<'_>,
    follow: bool,
) -> Result<(), EditFailure> {
    let replaced = find(found, steps)?.map(|loc| found.way(loc)).unwrap_or_default();
    let mut led = led(found);
    led.retain(|led| !led.at.starts_with(&replaced));
    if led.is_empty() {
        return set(program, value, found, steps, source, follow);
    }
    let before = value.clone();
    let done = set(program, value, found, steps, source, follow)
        .and_then(|()| settle(program, value, led));
    if done.is_err() {
        *value = before;
    }
    done
}

/// Leads references into shared tables to the elements that they led to.
fn settle(program: &Program, value: &mut Value, all: Vec<Led>) -> Result<(), EditFailure> {
    if all.is_empty() {
        return Ok(());
    }
    let found = references_so_far(program, value.given()).map_err(EditError::from)?;
    let mut paths = Vec::new();
    for Led { at, table, home, .. } in all {
        let Some(at) = found.locate(&at) else { continue };
        let place = found.locate(&table).zip(found.locate(&home));
        match place.and_then(|(table, home)| found.in_table(table, home)) {
            Some(index) => put(value, &found, Moved { at, number: index.into() }),
            None => paths.push(found.path(at)),
        }
    }
    if paths.is_empty() { Ok(()) } else { Err(EditError::Follows { paths }.into()) }
}

/// Puts a value in the place of another one. If others refer to an element by it, they follow, or it
/// cannot be done.
fn set(
    program: &Program,
    value: &mut Value,
    found: &References<'_>,
    steps: &[ValueStep<'_>],
    source: Source<'_>,
    follow: bool,
) -> Result<(), EditFailure> {
    let Some(loc) = find(found, steps)? else {
        return Err(no_place(steps, "a file as a whole is not set".to_owned()));
    };
    let row = found.tree().row(loc);
    let new = new_value(program, found, source, row, loc.index().is_some())?;
    let (old, by) = found.referring(loc).unzip();
    let (number, by) = (new.as_int(), by.unwrap_or_default());
    let renamed = number != old && !by.is_empty();
    if renamed && !(follow && number.is_some()) {
        let paths: Vec<Path> = by.iter().map(|at| found.path(*at)).collect();
        return Err(EditError::StillReferenced { paths }.into());
    }
    let way = found.way(loc);
    let model = found.model();
    let holder = way.split_last().map(|(_, before)| before);
    let old = match at_way(value, &way, model) {
        Some(place) => Some(std::mem::replace(place, new)),
        None => {
            let name = row.name.clone().unwrap_or_default();
            let holder = holder.and_then(|before| at_way(value, before, model));
            let Some(holder) = holder.and_then(fields_mut) else {
                return Err(no_place(steps, "there is nothing to put it into".to_owned()));
            };
            let rows = &found.tree().record(loc.node).rows;
            let before: Vec<_> =
                rows[..loc.row.index()].iter().filter_map(|row| row.name.as_deref()).collect();
            let last =
                holder.fields.iter().rposition(|(field, _)| before.contains(&field.as_str()));
            holder.fields.insert(last.map_or(0, |last| last + 1), (name, new));
            None
        }
    };
    if let Source::Value(_) = source
        && let Err(wrong) = fits(program, value, &found.path(loc), &found.path(loc))
    {
        match (old, at_way(value, &way, model)) {
            (Some(old), Some(place)) => *place = old,
            _ => {
                let holder = holder.and_then(|before| at_way(value, before, model));
                if let Some(holder) = holder.and_then(fields_mut) {
                    holder.fields.retain(|(field, _)| row.name.as_ref() != Some(field));
                }
            }
        }
        return Err(wrong);
    }
    if let (true, Some(number)) = (renamed, number) {
        by.into_iter().for_each(|at| put(value, found, Moved { at, number }));
    }
    Ok(())
}

/// Whether what is at a path is a value of what stands there, as far as that is known without placing
/// anything. A JSON text is read as one; of a value nobody knows before. `said`: the path for messages.
fn fits(program: &Program, value: &Value, path: &Path, said: &Path) -> Result<(), EditFailure> {
    let Err(error) = references(program, program.model().root, value.given()) else {
        return Ok(());
    };
    let here = |problem: Problem| in_place(&problem, path, said);
    let problems = error.into_problems().into_iter().filter_map(here).collect();
    WriteError::check(problems).map_err(|error| EditError::from(error).into())
}

/// A problem of what is at a path, if it is one, with the path for messages.
fn in_place(problem: &Problem, path: &Path, said: &Path) -> Option<Problem> {
    let rest = problem.path.segments().strip_prefix(path.segments())?;
    let path = said.segments().iter().chain(rest).cloned().collect();
    Some(Problem { path, ..problem.clone() })
}

/// What is wrong with an element that stands at the end, in the words of where it is to be.
fn moved_to(error: WriteError, path: &Path, said: &Path) -> EditFailure {
    let problems = error.into_problems().into_iter();
    let problems = problems.map(|problem| in_place(&problem, path, said).unwrap_or(problem));
    match WriteError::check(problems.collect()) {
        Err(error) => EditError::from(error).into(),
        Ok(()) => EditError::NoArray.into(),
    }
}

fn new_value(
    program: &Program,
    found: &References<'_>,
    source: Source<'_>,
    row: &Row,
    element: bool,
) -> Result<Value, EditFailure> {
    match source {
        Source::Value(value) => Ok(value.clone()),
        Source::Json(text) => {
            let ty = element.then(|| element_type(pointed_type(&row.ty)));
            json::part(program, found.epoch(), text, row, ty).map_err(EditFailure::Json)
        }
    }
}

fn no_path(known: &str, message: String) -> EditFailure {
    EditFailure::Path { known: known.to_owned(), message }
}

fn no_place(steps: &[ValueStep<'_>], message: String) -> EditFailure {
    let path = if steps.is_empty() { "file".to_owned() } else { shown(steps) };
    EditFailure::Place { path, message }
}

/// What pointers lead to: the elements of a row are those of the array there.
fn pointed_type(ty: &Type) -> &Type {
    let mut ty = ty.stripped();
    while let Type::Pointer(pointer) = ty
        && pointer.owned().is_some()
    {
        ty = target_type(ty).stripped();
    }
    ty
}

/// A position in an array; behind its last element, too, if something may come there.
fn position(at: usize, count: u32, end: bool) -> Result<u32, EditFailure> {
    let known = u32::try_from(at).ok().filter(|at| *at < count || end && *at == count);
    let (index, count) = (u64::try_from(at).unwrap_or(u64::MAX), count.into());
    known.ok_or_else(|| EditError::OutOfRange { index, count }.into())
}

/// The array that a path leads to.
fn array_at(found: &References<'_>, steps: &[ValueStep<'_>]) -> Result<Loc, EditFailure> {
    let array = array_in(found, find(found, steps)?);
    array.map(|(array, _)| array).ok_or_else(|| no_place(steps, "it is no array".to_owned()))
}

/// The array of an element, its position, and how many there are.
fn element_at(
    found: &References<'_>,
    steps: &[ValueStep<'_>],
) -> Result<(Loc, u32, u32), EditFailure> {
    let Some((ValueStep::Index(at), array)) = steps.split_last() else {
        let message = match array_in(found, find(found, steps)?) {
            Some(_) => format!("it is an array; its elements are {}[0] and so on", shown(steps)),
            None => "it is no element of an array".to_owned(),
        };
        return Err(no_place(steps, message));
    };
    let array = array_at(found, array)?;
    let count = found.count(array).unwrap_or(0);
    Ok((array, position(*at, count, false)?, count))
}

/// What a record that is nothing but one of its rows stands for.
fn through(found: &References<'_>, mut loc: Loc) -> Loc {
    let tree = found.tree();
    while let Item::Node(node) = tree.item(loc) {
        match tree.record(node).transparent.filter(|_| tree.case_of(node).is_none()) {
            Some(row) => loc = Loc::row(node, row),
            None => break,
        }
    }
    loc
}

/// The row or element that a path leads to; none for the whole file.
fn find(found: &References<'_>, steps: &[ValueStep<'_>]) -> Result<Option<Loc>, EditFailure> {
    let module = &found.model().name;
    in_file(&Rows(found), None, module, steps).map_err(|(stuck, steps)| {
        let known = shown(&steps[..stuck.gone]);
        match steps.get(stuck.gone) {
            Some(ValueStep::Field(name)) => {
                let (rows, mut names) = (Rows(found), Vec::new());
                if let Some(node) = rows.node(stuck.at.map(|loc| through(found, loc))) {
                    rows.names(node, &mut names);
                }
                let there = match names.is_empty() {
                    true => "it has no fields".to_owned(),
                    false => format!("it has {}", names.join(", ")),
                };
                no_path(&known, format!("it has no `{name}`: {there}"))
            }
            Some(ValueStep::Index(index)) => match array_in(found, stuck.at) {
                Some((_, count)) => match position(*index, count, false) {
                    Ok(_) => no_path(&known, format!("it has no [{index}]")),
                    Err(error) => error,
                },
                None => no_path(&known, "it is no array".to_owned()),
            },
            None => no_path(&known, "there is nothing".to_owned()),
        }
    })
}

/// The array in a row or element, and how many elements it has.
fn array_in(found: &References<'_>, at: Option<Loc>) -> Option<(Loc, u32)> {
    let whole = || {
        let only = found.tree().record(NodeRef::ROOT).transparent;
        only.map(|row| Loc::row(NodeRef::ROOT, row))
    };
    let array = at.or_else(whole).map(|loc| through(found, loc))?;
    let count = found.count(array).filter(|_| array.index().is_none())?;
    Some((array, count))
}

/// The rows and elements of a value, to follow paths in them; none is the whole file.
struct Rows<'r, 'p>(&'r References<'p>);

impl Rows<'_, '_> {
    fn node(&self, at: Option<Loc>) -> Option<NodeRef> {
        let tree = self.0.tree();
        match at.map(|loc| tree.item(loc)) {
            None => Some(NodeRef::ROOT),
            Some(Item::Node(node)) => Some(node),
            Some(_) => None,
        }
    }

    /// The rows of a node that need no step of their own, with what is in them.
    fn without_step(&self, node: NodeRef) -> impl Iterator<Item = (Loc, NodeRef)> {
        let (tree, model) = (self.0.tree(), self.0.model());
        let record = tree.record(node);
        record.numbered_rows().filter_map(move |(id, row)| {
            let is_one = row.name.is_none()
                || model.is_body(row.ty.stripped())
                || record.transparent == Some(id);
            let loc = Loc::row(node, id);
            match tree.item(loc) {
                Item::Node(inner) if is_one => Some((loc, inner)),
                _ => None,
            }
        })
    }

    fn fields_of(&self, node: NodeRef, name: &str, found: &mut Vec<Option<Loc>>) {
        let rows = self.0.tree().record(node).numbered_rows();
        let named = rows.filter(|(_, row)| row.name.as_deref() == Some(name));
        found.extend(named.map(|(id, _)| Some(Loc::row(node, id))));
        for (_, inner) in self.without_step(node) {
            with_stack(|| self.fields_of(inner, name, found));
        }
    }

    /// The names of what a value has there.
    fn names<'s>(&'s self, node: NodeRef, names: &mut Vec<&'s str>) {
        let tree = self.0.tree();
        for (id, row) in tree.record(node).numbered_rows() {
            match &row.name {
                Some(name) if tree.is_data(Loc::row(node, id), row) => names.push(name),
                _ => {}
            }
        }
        for (_, inner) in self.without_step(node) {
            with_stack(|| self.names(inner, names));
        }
    }

    fn case_in(&self, node: NodeRef, at: Option<Loc>, name: &str) -> Option<Option<Loc>> {
        if let Some((union, case)) = self.0.tree().case_of(node) {
            return (union.cases[case].name == name).then_some(at);
        }
        let mut inner = self.without_step(node);
        inner.find_map(|(loc, inner)| with_stack(|| self.case_in(inner, Some(loc), name)))
    }
}

impl Ground for Rows<'_, '_> {
    type Place = Option<Loc>;
    type Key = Option<Loc>;

    fn key(&self, at: Option<Loc>) -> Option<Loc> {
        at
    }

    fn fields(&self, at: Option<Loc>, name: &str) -> Vec<Option<Loc>> {
        let mut found = Vec::new();
        if let Some(node) = self.node(at) {
            self.fields_of(node, name, &mut found);
        }
        found
    }

    fn element(&self, at: Option<Loc>, index: usize) -> Option<Option<Loc>> {
        let (array, count) = array_in(self.0, at)?;
        let index = u32::try_from(index).ok().filter(|index| *index < count)?;
        Some(Some(array.at(index)))
    }

    fn case(&self, at: Option<Loc>, name: &str) -> Option<Option<Loc>> {
        self.case_in(self.node(at)?, at, name)
    }
}
