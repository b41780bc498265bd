//! Edits of values of generated types that keep what their references mean.
//!
//! The engine says which numbers of a value change; [`Places`] leads to each of them, so that all
//! else stays as it is.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

use super::{Carried, Source};
use crate::edit::{moved, EditError};
use crate::engine::{self, Given, Moved, References, Step};
use crate::model::{RecordId, RowId};
use crate::problem::{Problem, ProblemKind, WriteError};
use crate::{Kept, Spelling};

/// Something in a value that an edit changes.
#[allow(missing_debug_implementations)]
pub enum Place<'v> {
    /// A number.
    Number(&'v mut dyn Number),
    /// How a struct is spelled.
    Spelling(&'v mut Spelling),
}

/// A number that refers to an element.
pub trait Number {
    /// Puts another one in its place.
    fn put(&mut self, number: i128);
}

/// A value with numbers in it that refer to elements.
pub trait Places {
    /// What a way leads to: a number, or, if it is asked for, how the struct is spelled whose row
    /// the way ends in.
    fn place(&mut self, way: &[Step], spelling: bool) -> Option<Place<'_>>;
}

/// The rest of a way behind rows that are all that a value has of their records.
fn bare(mut way: &[Step]) -> &[Step] {
    while let [Step::Row { only: true, .. }, rest @ ..] = way {
        way = rest;
    }
    way
}

/// The place of a number at the end of its way.
pub fn number<'v>(number: &'v mut dyn Number, way: &[Step], spelling: bool) -> Option<Place<'v>> {
    (bare(way).is_empty() && !spelling).then_some(Place::Number(number))
}

macro_rules! integers {
    ($($ty:ty)*) => {$(
        impl Number for $ty {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // It fits.
            fn put(&mut self, number: i128) {
                *self = number as $ty;
            }
        }

        impl Places for $ty {
            fn place(&mut self, way: &[Step], spelling: bool) -> Option<Place<'_>> {
                number(self, way, spelling)
            }
        }
    )*};
}

integers!(u8 u16 u32 u64 i8 i16 i32 i64 i128);

impl<T: Number> Number for Kept<T> {
    fn put(&mut self, number: i128) {
        self.deviate(|stored| stored.put(number));
    }
}

impl<T: Number> Places for Kept<T> {
    fn place(&mut self, way: &[Step], spelling: bool) -> Option<Place<'_>> {
        number(self, way, spelling)
    }
}

impl<T: Places> Places for Option<T> {
    fn place(&mut self, way: &[Step], spelling: bool) -> Option<Place<'_>> {
        self.as_mut()?.place(way, spelling)
    }
}

impl<T: Places> Places for Box<T> {
    fn place(&mut self, way: &[Step], spelling: bool) -> Option<Place<'_>> {
        (**self).place(way, spelling)
    }
}

impl<T: Places> Places for [T] {
    fn place(&mut self, way: &[Step], spelling: bool) -> Option<Place<'_>> {
        match bare(way) {
            [Step::Element(index), rest @ ..] => {
                self.get_mut(*index as usize)?.place(rest, spelling)
            }
            _ => None,
        }
    }
}

impl<T: Places> Places for Vec<T> {
    fn place(&mut self, way: &[Step], spelling: bool) -> Option<Place<'_>> {
        self.as_mut_slice().place(way, spelling)
    }
}

impl<T: Places, const N: usize> Places for [T; N] {
    fn place(&mut self, way: &[Step], spelling: bool) -> Option<Place<'_>> {
        self.as_mut_slice().place(way, spelling)
    }
}

/// A value that is edited.
pub trait Edited: Source + Places {
    /// What the engine asks of it.
    fn as_given(&self) -> Given<'_>;
}

impl<T: Source + Places> Edited for T {
    fn as_given(&self) -> Given<'_> {
        self.given()
    }
}

/// An array that something refers to.
#[derive(Debug)]
pub struct Array {
    /// The format.
    pub format: fn() -> &'static Carried,
    /// The record whose values are edited.
    pub record: u32,
    /// The way from there to the array: records and rows, and whether a row is all that a value has
    /// of its record; none is an element.
    pub way: &'static [Option<(u32, u32, bool)>],
}

/// The list of an array in a value, by the positions on the way.
pub type List<S, T> = for<'v> fn(&'v mut S, &[usize]) -> Option<&'v mut Vec<T>>;

/// A position on the way to an array.
pub fn on_way(at: &[usize], number: usize) -> Option<usize> {
    at.get(number).copied()
}

fn count(list: usize) -> Result<u32, EditError> {
    u32::try_from(list).ok().filter(|count| *count < u32::MAX).ok_or(EditError::TooMany)
}

fn inside(index: usize, count: usize) -> Result<u32, EditError> {
    let known = u32::try_from(index).ok().filter(|_| index < count);
    known.ok_or(EditError::OutOfRange { index: index as u64, count: count as u64 })
}

impl Array {
    fn way(&self, at: &[usize]) -> Option<Vec<Step>> {
        let mut at = at.iter();
        let step = |part: &Option<(u32, u32, bool)>| match part {
            Some((record, row, only)) => {
                let (record, row) = (RecordId(*record), RowId(*row));
                Some(Step::Row { record, row, only: *only })
            }
            None => at.next().and_then(|index| u32::try_from(*index).ok()).map(Step::Element),
        };
        self.way.iter().map(step).collect()
    }

    /// What refers to what, and the array.
    fn references(
        &self,
        of: &dyn Edited,
        at: &[usize],
    ) -> Result<(References<'static>, engine::Loc), EditError> {
        let program = (self.format)().program();
        let found = engine::references(program, RecordId(self.record), of.as_given())?;
        let way = self.way(at).ok_or(EditError::NoArray)?;
        let array = found.locate(&way).ok_or(EditError::NoArray)?;
        Ok((found, array))
    }

    /// Lets all references follow, and the spellings of the elements, of which one may be new.
    fn follow(
        &self,
        of: &mut dyn Edited,
        at: &[usize],
        added: Option<u32>,
        places: engine::Places<'_>,
        place: &dyn Fn(u32) -> Option<u32>,
    ) -> Result<(), EditError> {
        let (found, array) = self.references(of, at)?;
        match added {
            // What it describes is not there yet.
            Some(index) => found.apart(array, index)?,
            None => {
                let along = found.along(array, place)?;
                let described = along.iter().filter(|along| found.is_described(along.array));
                let paths: Vec<_> = described.map(|along| found.path(along.array)).collect();
                if !paths.is_empty() {
                    return Err(EditError::Described { paths });
                }
            }
        }
        put_all(of, &found, &found.moved(array, places)?)?;
        if let Some(Place::Spelling(spelling)) = of.place(&found.way(array), true) {
            spelling.renumber(found.spelled_row(array), place);
        }
        Ok(())
    }

    /// Inserts an element.
    ///
    /// # Errors
    ///
    /// Why it cannot be; the value is as it was.
    pub fn insert<S: Edited, T>(
        &self,
        of: &mut S,
        at: &[usize],
        list: List<S, T>,
        to: usize,
        element: T,
    ) -> Result<(), EditError> {
        let elements = list(of, at).ok_or(EditError::NoArray)?;
        let last = count(elements.len())?;
        let index = inside(to, elements.len() + 1)?;
        // It is there when references are looked at.
        elements.push(element);
        if index == last {
            return self.added(of, at, list);
        }
        let new = |old| moved(old, last, index);
        let mut place = |old| Some(new(old));
        let places = engine::Places {
            gone: None,
            instead: None,
            loose: false,
            shared: false,
            new: &mut place,
        };
        let done = self.follow(of, at, Some(last), places, &|old| Some(new(old)));
        if let Some(elements) = list(of, at) {
            match &done {
                Ok(()) => elements[to..].rotate_right(1),
                Err(_) => drop(elements.pop()),
            }
        }
        done
    }

    /// Adds an element at the end.
    ///
    /// # Errors
    ///
    /// If there is no such array, or there are too many elements.
    pub fn push<S: Edited, T>(
        &self,
        of: &mut S,
        at: &[usize],
        list: List<S, T>,
        element: T,
    ) -> Result<u32, EditError> {
        let elements = list(of, at).ok_or(EditError::NoArray)?;
        let index = count(elements.len())?;
        elements.push(element);
        self.added(of, at, list)?;
        Ok(index)
    }

    /// An element at the end changes no position in its array, and perhaps some in a shared table that
    /// follows from this. If something refers there, it is taken out again.
    fn added<S: Edited, T>(
        &self,
        of: &mut S,
        at: &[usize],
        list: List<S, T>,
    ) -> Result<(), EditError> {
        let model = (self.format)().program().model();
        let mut rows = self.way.iter().flatten().map(|(record, row, _)| (RecordId(*record), *row));
        if !rows.any(|(record, row)| engine::is_in_shared_tables(model, record, RowId(row))) {
            return Ok(());
        }
        let mut same = Some;
        let places = engine::Places {
            gone: None,
            instead: None,
            loose: false,
            shared: false,
            new: &mut same,
        };
        let done = self
            .references(of, at)
            .and_then(|(found, array)| Ok(found.moved(array, places).map(drop)?));
        if let (Err(_), Some(elements)) = (&done, list(of, at)) {
            elements.pop();
        }
        done
    }

    /// Takes an element out.
    ///
    /// # Errors
    ///
    /// Why it cannot be; the value is as it was.
    pub fn remove<S: Edited, T>(
        &self,
        of: &mut S,
        at: &[usize],
        list: List<S, T>,
        from: usize,
        instead: Option<usize>,
    ) -> Result<T, EditError> {
        let elements = list(of, at).ok_or(EditError::NoArray)?;
        let index = inside(from, elements.len())?;
        let instead = match instead {
            Some(other) if other == from => return Err(EditError::Itself),
            Some(other) => Some(inside(other, elements.len())?),
            None => None,
        };
        let shifted = |old: u32| if old > index { old - 1 } else { old };
        let mut new = |old| match old {
            old if old == index => instead.map(shifted),
            old => Some(shifted(old)),
        };
        let places = engine::Places {
            gone: Some(index),
            instead,
            loose: false,
            shared: false,
            new: &mut new,
        };
        self.follow(of, at, None, places, &|old| (old != index).then(|| shifted(old)))?;
        let elements = list(of, at).ok_or(EditError::NoArray)?;
        Ok(elements.remove(from))
    }

    /// Takes an element to another position.
    ///
    /// # Errors
    ///
    /// Why it cannot be; the value is as it was.
    pub fn shift<S: Edited, T>(
        &self,
        of: &mut S,
        at: &[usize],
        list: List<S, T>,
        from: usize,
        to: usize,
    ) -> Result<(), EditError> {
        let elements = list(of, at).ok_or(EditError::NoArray)?;
        let old = inside(from, elements.len())?;
        let new = inside(to, elements.len())?;
        let place = |index| moved(index, old, new);
        let mut places = |index| Some(place(index));
        let places = engine::Places {
            gone: None,
            instead: None,
            loose: false,
            shared: false,
            new: &mut places,
        };
        self.follow(of, at, None, places, &|index| Some(place(index)))?;
        let elements = list(of, at).ok_or(EditError::NoArray)?;
        if from < to {
            elements[from..=to].rotate_left(1);
        } else {
            elements[to..=from].rotate_right(1);
        }
        Ok(())
    }

    /// Puts other positions into all references to the elements.
    ///
    /// # Errors
    ///
    /// Why it cannot be; the value is as it was.
    pub fn map(
        &self,
        of: &mut dyn Edited,
        at: &[usize],
        new: &mut dyn FnMut(u32) -> u32,
    ) -> Result<(), EditError> {
        let (found, array) = self.references(of, at)?;
        let mut new = |old| Some(new(old));
        let places =
            engine::Places { gone: None, instead: None, loose: true, shared: false, new: &mut new };
        put_all(of, &found, &found.moved(array, places)?)
    }

    /// What refers to an element by the number in a field: how many other elements have it, and the
    /// references.
    ///
    /// # Errors
    ///
    /// If nobody knows what refers to what.
    pub fn rename(
        &self,
        of: &mut dyn Edited,
        at: &[usize],
        field: &str,
        old: i128,
        new: i128,
    ) -> Result<(), EditError> {
        let (found, array) = self.references(of, at)?;
        if old == new {
            return Ok(());
        }
        found.free(array, field, old, new)?;
        if found.is_ambiguous(array, field, old) {
            let key = format!("{old}").into();
            let problem = Problem::new(found.path(array), ProblemKind::DuplicateKey { key });
            return Err(WriteError::from(problem).into());
        }
        if found.having(array, field, old) > 1 {
            return Ok(());
        }
        let moved = found.by_key(array, field, old).into_iter();
        let moved: Vec<Moved> = moved.map(|at| Moved { at, number: new }).collect();
        put_all(of, &found, &moved)
    }
}

/// Puts numbers where references stand: all of them, or none.
fn put_all(of: &mut dyn Edited, found: &References<'_>, all: &[Moved]) -> Result<(), EditError> {
    for moved in all {
        if of.place(&found.way(moved.at), false).is_none() {
            let what = "the reference cannot be changed".into();
            let problem = Problem::new(found.path(moved.at), ProblemKind::NotAnElement { what });
            return Err(WriteError::from(problem).into());
        }
    }
    for moved in all {
        if let Some(Place::Number(number)) = of.place(&found.way(moved.at), false) {
            number.put(moved.number);
        }
    }
    Ok(())
}

/// Turns the lowest bit of every reference in a file round, for tests: all of them have a way.
///
/// # Errors
///
/// If some of them has none.
pub fn turn(format: &'static Carried, of: &mut dyn Edited) -> Result<(), EditError> {
    let program = format.program();
    let found = engine::references(program, program.model().root, of.as_given())?;
    let all = found.all().iter();
    let all: Vec<Moved> = all.map(|hit| Moved { at: hit.at, number: hit.number ^ 1 }).collect();
    put_all(of, &found, &all)
}
