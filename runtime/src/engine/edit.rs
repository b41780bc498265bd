//! References of a value, and what becomes of them when elements come to other positions.
//!
//! A value is taken in as for writing, so that what a reference hits is what the writer, too, takes
//! it to hit. Nothing is placed: whoever edits may have more to do before the value can be written.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::vec::Vec;

use super::anchor::KeyNumber;
use super::forms::cell_fits;
use super::item::{ArrayRef, Item, Loc, NodeRef};
use super::plan::Direction;
use super::program::Program;
use super::source::{spelled_row, Given};
use super::state::Engine;
use super::tree::Tree;
use super::val::Fallible;
use super::walk::Walk;
use super::write::build::{does_not_fit, is_nothing};
use super::write::epoch_of;
use crate::model::{
    EpochId, ExprId, Member, Model, RecordId, RecordKind, Reference, Role, Row, RowId, RowKind,
    Type,
};
use crate::path::Path;
use crate::problem::{Problem, ProblemKind, WriteError};
use crate::spelling::{KeptKind, KeptValue};

/// One step of the way from a value to something in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Into a row of a record.
    Row {
        /// The record; of a form, that of its case.
        record: RecordId,
        /// The row.
        row: RowId,
        /// Whether a value may have nothing but this row where the record is.
        only: bool,
    },
    /// Into an element of an array.
    Element(u32),
}

/// A number or pointer of a value that refers to an element of an array.
#[derive(Debug, Clone)]
pub struct Found<'p> {
    /// Where it stands.
    pub at: Loc,
    /// The position, or the key.
    pub number: i128,
    /// The row of the array.
    pub array: Loc,
    /// The field of the elements whose content it is; of a position, none.
    pub key: Option<&'p str>,
    by: Option<ExprId>,
    elements: ArrayRef,
}

/// A value with what its references hit.
pub struct References<'p> {
    engine: Engine<'p, 'static>,
    all: Vec<Found<'p>>,
    /// Of each array and field that something refers by, if they are known before anything is
    /// placed.
    keys: Vec<Keys<'p>>,
    /// Of each shared table that something refers to.
    homes: BTreeMap<Loc, Homes>,
    described: Vec<DescribedElements>,
}

/// An array with an element for each of something else, as far as it is known what describes them.
struct DescribedElements {
    row: Loc,
    elements: ArrayRef,
    /// Of each element, where what describes it stands.
    by: Vec<Option<Loc>>,
}

/// The numbers by which the elements of an array are known.
struct Keys<'p> {
    elements: ArrayRef,
    field: &'p str,
    /// None if they follow from where something comes to be.
    numbers: Option<Vec<KeyNumber>>,
}

/// Where the elements of a shared table are in the value, and which positions these have in it.
struct Homes {
    elements: Vec<Option<Loc>>,
    positions: BTreeMap<Loc, u32>,
}

impl Keys<'_> {
    fn is_of(&self, elements: ArrayRef, field: &str) -> bool {
        self.elements == elements && self.field == field
    }
}

impl Homes {
    fn new(elements: Vec<Option<Loc>>) -> Homes {
        let known = (0..).zip(&elements).filter_map(|(at, home)| home.map(|home| (home, at)));
        Homes { positions: known.collect(), elements }
    }
}

/// What comes of a change for a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moved {
    /// Where it stands.
    pub at: Loc,
    /// What it has to be.
    pub number: i128,
}

/// Where the elements of an array come to.
pub struct Places<'f> {
    /// The element that will not be there any more.
    pub gone: Option<u32>,
    /// The element that what refers to that one is to refer to, by the position that it has.
    pub instead: Option<u32>,
    /// Whether numbers that are no positions are asked for as well.
    pub loose: bool,
    /// Whether who asks leads references into shared tables to their elements, wherever these are
    /// ([`References::home`]).
    pub shared: bool,
    /// The position that an element comes to, by the one that it has; none if nothing may refer to
    /// it any more.
    pub new: &'f mut dyn FnMut(u32) -> Option<u32>,
}

/// What becomes of an array when what describes its elements comes to other positions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Along {
    /// The row of the array.
    pub array: Loc,
    /// The position that each element comes to; none if what describes it is gone.
    pub places: Vec<Option<u32>>,
}

/// Why references cannot follow a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stays {
    /// These refer to what would be gone.
    Referenced(Vec<Path>),
    /// These refer to elements of an array that follows from other parts of the value, so that
    /// nobody knows yet where these come to be.
    Follows(Vec<Path>),
    /// These have more or fewer elements than there are to describe them, so that nobody knows which
    /// belongs to which.
    Undescribed(Vec<Path>),
    /// These refer to no element already, or cannot say the number that they would have to.
    Invalid(WriteError),
}

/// Finds what the references in a value hit.
///
/// The value is that of a struct: of the whole file, or of a part of one. Of a part, only those
/// references are found whose arrays are in it.
///
/// # Errors
///
/// If it is no value of the record: then nobody knows what its numbers refer to.
pub fn references<'p>(
    program: &'p Program,
    record: RecordId,
    value: Given<'_>,
) -> Result<References<'p>, WriteError> {
    find_references(program, record, value, false)
}

/// The same of a whole file of which the fields may be those of another version: more changes follow.
///
/// # Errors
///
/// As for [`references`], but for missing fields and fields that the version does not have.
pub fn references_so_far<'p>(
    program: &'p Program,
    value: Given<'_>,
) -> Result<References<'p>, WriteError> {
    find_references(program, program.model().root, value, true)
}

fn find_references<'p>(
    program: &'p Program,
    record: RecordId,
    value: Given<'_>,
    unfinished: bool,
) -> Result<References<'p>, WriteError> {
    let model = program.model();
    let whole = record == model.root;
    let epochs: Vec<(EpochId, Vec<i128>)> = if whole || model.epochs.len() == 1 {
        let known = if whole { epoch_of(program, value)? } else { (EpochId(0), Vec::new()) };
        alloc::vec![known]
    } else {
        // A part does not say which layout it has. What it refers to is the same in all that have
        // its fields.
        (0..).map(EpochId).take(model.epochs.len()).map(|epoch| (epoch, Vec::new())).collect()
    };
    let mut error = None;
    for (epoch, context) in epochs {
        let layout = program.layout(epoch);
        let mut engine = Engine::new(program, layout, Direction::Writing, &[], &program.writing);
        engine.context = context;
        engine.writing.unfinished = unfinished;
        engine.writing.in_value = true;
        engine.build_as(record, value);
        let problems = engine.writing.problems.take();
        if problems.is_empty() {
            engine.tree.set_order(engine.order);
            engine.memo.forget();
            let all = engine.all_references(whole)?;
            let homes = engine.homes(&all)?;
            let keys = engine.keys_of(&all);
            let described = engine.described_elements();
            return Ok(References { engine, all, keys, homes, described });
        }
        error.get_or_insert(WriteError::new(problems));
    }
    Err(error.unwrap_or(WriteError::new(Vec::new())))
}

/// The shared tables to whose elements something may refer.
fn referred_tables(model: &Model) -> BTreeSet<(RecordId, RowId)> {
    let table = |(record, member): (RecordId, Member)| match member {
        Member::Row(row) | Member::Into(row) => {
            let rows = &model.records[record.index()].rows;
            matches!(rows[row.index()].role, Role::View { .. }).then_some((record, row))
        }
        Member::Let(_) => None,
    };
    let mut all = BTreeSet::new();
    for row in model.records.iter().flat_map(|record| &record.rows) {
        let Some(reference) = row.reference.as_ref() else { continue };
        if let Some(crate::model::Step::Field(field)) = reference.array.steps.last() {
            all.extend(model.ends(field).filter_map(table));
        }
    }
    all
}

/// Whether something may refer to elements of shared tables.
#[must_use]
pub fn refers_to_shared_tables(model: &Model) -> bool {
    !referred_tables(model).is_empty()
}

/// Whether elements of shared tables are in a row: one that is a slice, or has some in it.
#[must_use]
pub fn is_in_shared_tables(model: &Model, record: RecordId, row: RowId) -> bool {
    let mut rows = model.records.iter().flat_map(|record| &record.rows);
    rows.any(|table| match &table.role {
        Role::View { slices, .. } => {
            slices.iter().any(|path| leads_through(model, path, (record, row)))
        }
        _ => false,
    })
}

fn leads_through(model: &Model, path: &crate::model::Path, row: (RecordId, RowId)) -> bool {
    let row = (row.0, Member::Row(row.1));
    path.steps.iter().any(|step| match step {
        crate::model::Step::Field(field) => model.ends(field).any(|end| end == row),
        _ => false,
    })
}

impl<'p> Engine<'p, '_> {
    fn all_references(&mut self, whole: bool) -> Result<Vec<Found<'p>>, WriteError> {
        let refers = |row: &Row| row.reference.is_some();
        let records = self.model.records.iter();
        let wanted: Vec<bool> = records.map(|record| record.rows.iter().any(refers)).collect();
        let mut all = Vec::new();
        let mut walk = Walk::all(&self.tree);
        while let Some(node) = walk.next(&self.tree) {
            if !wanted[self.tree.record_id(node).index()] {
                continue;
            }
            for (id, row) in self.tree.record(node).numbered_rows() {
                let (loc, Some(reference)) = (Loc::row(node, id), &row.reference) else { continue };
                // Where a case has forms, its rows stand in one of these, which may say it, too.
                let form = self.tree.in_form(loc);
                if form.is_some_and(|form| self.tree.row(form).reference.is_some()) {
                    continue;
                }
                if let Err(fault) = self.references_of(loc, row, reference, &mut all) {
                    // What a part of a file refers to may be somewhere else.
                    if whole {
                        self.report(*fault, loc);
                    }
                }
            }
        }
        WriteError::check(self.writing.problems.take())?;
        Ok(all)
    }

    fn keys_of(&mut self, all: &[Found<'p>]) -> Vec<Keys<'p>> {
        let mut known: Vec<Keys<'_>> = Vec::new();
        for found in all {
            let (Some(field), Some(key)) = (found.key, found.by) else { continue };
            if !known.iter().any(|keys| keys.is_of(found.elements, field)) {
                let numbers = self.keys_in(found.array, key).ok();
                known.push(Keys { elements: found.elements, field, numbers });
            }
        }
        known
    }

    fn described_elements(&mut self) -> Vec<DescribedElements> {
        let mut all = Vec::new();
        let model = self.model;
        let is_it = |row: &Row| row.ty.one_for_each(model).is_some();
        let wanted: Vec<bool> =
            model.records.iter().map(|record| record.rows.iter().any(is_it)).collect();
        let mut walk = Walk::all(&self.tree);
        while let Some(node) = walk.next(&self.tree) {
            if !wanted[self.tree.record_id(node).index()] {
                continue;
            }
            for (id, row) in self.tree.record(node).numbered_rows() {
                let loc = Loc::row(node, id);
                if !is_it(row) || !self.tree.is_data(loc, row) {
                    continue;
                }
                let Item::Array(elements) = self.tree.item(loc) else { continue };
                // What describes them may be known only when more has changed.
                if let Ok(by) = self.describing_places(loc) {
                    all.push(DescribedElements { row: loc, elements, by });
                }
            }
        }
        all
    }

    fn homes(&mut self, all: &[Found<'p>]) -> Result<BTreeMap<Loc, Homes>, WriteError> {
        let mut homes = BTreeMap::new();
        for found in all.iter().filter(|found| found.key.is_none()) {
            let table = found.array;
            if homes.contains_key(&table) || !matches!(self.tree.row(table).role, Role::View { .. })
            {
                continue;
            }
            match self.element_homes(table) {
                Ok(elements) => drop(homes.insert(table, Homes::new(elements))),
                Err(fault) => self.report(*fault, table),
            }
        }
        WriteError::check(self.writing.problems.take())?;
        // Those to which nothing refers yet.
        let tables = referred_tables(self.model);
        let mut walk = Walk::all(&self.tree);
        while let Some(node) = walk.next(&self.tree).filter(|_| !tables.is_empty()) {
            let record = self.tree.record_id(node);
            for (_, row) in tables.range((record, RowId(0))..).take_while(|at| at.0 == record) {
                let table = Loc::row(node, *row);
                if homes.contains_key(&table) {
                    continue;
                }
                if let Ok(elements) = self.element_homes(table) {
                    homes.insert(table, Homes::new(elements));
                }
            }
        }
        Ok(homes)
    }

    fn references_of(
        &mut self,
        loc: Loc,
        row: &'p Row,
        reference: &'p Reference,
        all: &mut Vec<Found<'p>>,
    ) -> Fallible<()> {
        if let Role::View { slices, key } = &row.role {
            // The elements belong to whoever holds the slices.
            for slice in self.slices(loc, slices, *key, true)? {
                self.elements_of(slice, loc, reference, all)?;
            }
            return Ok(());
        }
        if let (Role::Kept(_), Some(kept)) = (&row.role, self.tree.kept_of(loc, KeptKind::Number)) {
            if let KeptValue::Int(number) = kept.stored {
                return self.reference_at(loc, loc, number, reference, all);
            }
        }
        if !self.tree.is_data(loc, row) {
            return Ok(());
        }
        self.elements_of(loc, loc, reference, all)
    }

    /// The references in a row, as the row `by` says what they refer to.
    fn elements_of(
        &mut self,
        loc: Loc,
        by: Loc,
        reference: &'p Reference,
        all: &mut Vec<Found<'p>>,
    ) -> Fallible<()> {
        match self.tree.item(loc) {
            Item::Array(array) => {
                for index in 0..self.tree.count(array) {
                    if let Some(number) = self.tree.int(self.tree.item(loc.at(index))) {
                        self.reference_at(loc.at(index), by, number, reference, all)?;
                    }
                }
                Ok(())
            }
            item => match self.tree.int(item) {
                Some(number) => self.reference_at(loc, by, number, reference, all),
                None => Ok(()),
            },
        }
    }

    fn reference_at(
        &mut self,
        at: Loc,
        by: Loc,
        number: i128,
        reference: &'p Reference,
        all: &mut Vec<Found<'p>>,
    ) -> Fallible<()> {
        let Some(array) = self.referred(reference, by)? else { return Ok(()) };
        let Item::Array(elements) = self.tree.item(array) else { return Ok(()) };
        let key = reference.field.as_deref();
        all.push(Found { at, number, array, key, by: reference.key, elements });
        Ok(())
    }
}

impl<'p> References<'p> {
    /// All of them, in the order in which what holds them is met.
    #[must_use]
    pub fn all(&self) -> &[Found<'p>] {
        &self.all
    }

    /// Where the element of a shared table is in the value that a reference leads to: in the first
    /// slice that has it. None if it leads to none of these.
    #[must_use]
    pub fn home(&self, found: &Found<'_>) -> Option<Loc> {
        let homes = self.homes_of(found.array).filter(|_| found.key.is_none())?;
        *homes.get(usize::try_from(found.number).ok()?)?
    }

    /// The shared tables to which something may refer.
    pub fn tables(&self) -> impl Iterator<Item = Loc> + '_ {
        self.homes.keys().copied()
    }

    /// Where the elements of such a table are in the value.
    #[must_use]
    pub fn homes_of(&self, table: Loc) -> Option<&[Option<Loc>]> {
        Some(&self.homes.get(&table)?.elements)
    }

    /// The position that an element of a slice has in its shared table.
    #[must_use]
    pub fn in_table(&self, table: Loc, home: Loc) -> Option<u32> {
        self.homes.get(&table)?.positions.get(&home).copied()
    }

    /// The value, as the engine has it.
    #[must_use]
    pub fn tree(&self) -> &Tree<'p, 'static> {
        &self.engine.tree
    }

    /// The model in the layout that the value has.
    #[must_use]
    pub fn model(&self) -> &'p Model {
        self.engine.model
    }

    /// The layout that the value has.
    #[must_use]
    pub fn epoch(&self) -> EpochId {
        self.engine.layout.epoch
    }

    /// The row or element that a way leads to.
    #[must_use]
    pub fn locate(&self, way: &[Step]) -> Option<Loc> {
        let tree = self.tree();
        let mut node = NodeRef::ROOT;
        let mut here = None;
        for step in way {
            here = Some(match (*step, here) {
                (Step::Element(index), Some(loc)) => {
                    let loc: Loc = loc;
                    (loc.index().is_none()).then(|| loc.at(index))?
                }
                (Step::Element(_), None) => return None,
                (Step::Row { record, row, .. }, before) => {
                    if let Some(loc) = before {
                        match tree.item(loc) {
                            Item::Node(inner) => node = inner,
                            _ => return None,
                        }
                    }
                    (tree.record_id(node) == record).then(|| Loc::row(node, row))?
                }
            });
        }
        here
    }

    /// The way to a row or element.
    #[must_use]
    pub fn way(&self, loc: Loc) -> Vec<Step> {
        let tree = self.tree();
        let mut way = Vec::new();
        let mut at = Some(loc);
        while let Some(loc) = at {
            way.extend(loc.index().map(Step::Element));
            let said = tree.logical(loc);
            let definition = tree.record(loc.node);
            let only = definition.transparent == Some(loc.row) && tree.case_of(loc.node).is_none();
            way.push(Step::Row { record: tree.record_id(said.node), row: said.row, only });
            let mut node = loc.node;
            // The rows of a form stand for those of its case.
            while let (RecordKind::Form(..), Some(case)) =
                (&tree.record(node).kind, tree.owner(node))
            {
                node = case;
            }
            at = tree.holder(node);
        }
        way.reverse();
        way
    }

    /// Number by which a row is named in the spelling of what holds it.
    #[must_use]
    pub fn spelled_row(&self, loc: Loc) -> u16 {
        let record = self.tree().record_id(loc.node);
        spelled_row(loc.row, self.model().first_row(record))
    }

    /// Path of a row or element, for messages.
    #[must_use]
    pub fn path(&self, loc: Loc) -> Path {
        self.tree().path(loc)
    }

    /// Number of elements of an array; none of what is no array, or follows from other parts.
    #[must_use]
    pub fn count(&self, array: Loc) -> Option<u32> {
        let tree = self.tree();
        match tree.item(array) {
            Item::Array(elements) if self.is_own(array) => Some(tree.count(elements)),
            _ => None,
        }
    }

    /// Whether the elements of an array stand there in the value.
    fn is_own(&self, array: Loc) -> bool {
        let tree = self.tree();
        let row = tree.row(array);
        tree.is_data(array, row) && !matches!(row.kind, RowKind::Pool { .. })
    }

    /// Whether what follows from other parts may follow from the elements of an array: of a shared
    /// table its slices are known.
    fn follows_from(&self, table: Loc, array: Loc) -> bool {
        let tree = self.tree();
        let Role::View { slices, .. } = &tree.row(table).role else { return true };
        let mut at = array.whole_row();
        // A transparent record stands for the array in it.
        while tree.record(at.node).transparent == Some(at.row) {
            let Some(holder) = tree.holder(at.node) else { break };
            at = holder.whole_row();
        }
        let own = (tree.record_id(at.node), at.row);
        slices.iter().any(|path| leads_through(self.model(), path, own))
    }

    /// What becomes of the references to an array when its elements come to other positions.
    /// References in an element that is gone go with it.
    ///
    /// # Errors
    ///
    /// The references that cannot follow.
    pub fn moved(&self, array: Loc, places: Places<'_>) -> Result<Vec<Moved>, Stays> {
        self.moved_but(array, places, &BTreeSet::new())
    }

    /// The same, but for references that go with something else, by position.
    fn moved_but(
        &self,
        array: Loc,
        places: Places<'_>,
        lost: &BTreeSet<usize>,
    ) -> Result<Vec<Moved>, Stays> {
        let (mut moved, mut stays) = (Vec::new(), Staying::default());
        let Item::Array(elements) = self.tree().item(array) else { return Ok(moved) };
        let count = self.tree().count(elements);
        let Places { gone, instead, loose, shared, new } = places;
        let mut known: BTreeMap<u32, Option<u32>> = BTreeMap::new();
        let mut to = |index: u32| *known.entry(index).or_insert_with(|| new(index));
        let mut left: BTreeMap<&str, BTreeMap<i128, Meant>> = BTreeMap::new();
        for (number, found) in self.all.iter().enumerate() {
            let around = |loc: Loc| self.element_around(loc, elements);
            if lost.contains(&number)
                || around(found.at).is_some_and(|index| gone == Some(index) || to(index).is_none())
            {
                continue;
            }
            if !self.is_own(found.array) && self.follows_from(found.array, array) {
                if !shared || self.home(found).is_none() {
                    stays.follows.push(self.path(found.at));
                }
                continue;
            }
            if around(found.array).is_some_and(|index| gone == Some(index) || to(index).is_none()) {
                stays.held.push(self.path(found.at));
                continue;
            }
            if found.elements != elements {
                continue;
            }
            let Some(field) = found.key else {
                let index = u32::try_from(found.number).ok().filter(|n| loose || *n < count);
                match (index, index.map(&mut to)) {
                    (Some(old), Some(Some(new))) if old == new => {}
                    (_, Some(Some(new))) => match self.unsayable(found.at, new.into()) {
                        None => moved.push(Moved { at: found.at, number: new.into() }),
                        Some(kind) => {
                            stays.problems.push(Problem::new(self.path(found.at), kind));
                        }
                    },
                    (_, Some(None)) => stays.held.push(self.path(found.at)),
                    (_, None) => {
                        let (index, count) = (found.number, count.into());
                        let kind = ProblemKind::IndexOutOfRange { index, count };
                        stays.problems.push(Problem::new(self.path(found.at), kind));
                    }
                }
                continue;
            };
            let Some(numbers) = self.keys(elements, field) else {
                stays.follows.push(self.path(found.at));
                continue;
            };
            let left = left.entry(field).or_insert_with(|| {
                let mut left: BTreeMap<i128, Meant> = BTreeMap::new();
                for key in numbers {
                    let new = to(key.index).filter(|_| gone != Some(key.index));
                    left.entry(key.number).or_default().add(key, new);
                }
                left
            });
            let Some(Meant { first: Some(first), then, left }) = left.get(&found.number) else {
                continue;
            };
            // It stays what it is as long as the first element with the key is the one that was meant.
            if then.is_some_and(|(_, then)| self.says_the_same(elements, first.index, then)) {
                continue;
            }
            if let Some(new) = *left {
                stays.problems.push(self.twice_there(array, first, new));
                continue;
            }
            let instead = instead.and_then(|to| numbers.iter().find(|key| key.index == to));
            match instead.map(|key| key.number) {
                Some(number) => moved.push(Moved { at: found.at, number }),
                None => stays.held.push(self.path(found.at)),
            }
        }
        stays.check().map(|()| moved)
    }

    /// What becomes of arrays whose elements those of an array describe, directly or by others, when
    /// these come to other positions; of those of which something does.
    ///
    /// # Errors
    ///
    /// The arrays whose elements cannot follow.
    pub fn along(&self, array: Loc, new: &dyn Fn(u32) -> Option<u32>) -> Result<Vec<Along>, Stays> {
        let Item::Array(first) = self.tree().item(array) else { return Ok(Vec::new()) };
        let mut by_array: BTreeMap<ArrayRef, BTreeSet<usize>> = BTreeMap::new();
        for (number, described) in self.described.iter().enumerate() {
            for by in described.by.iter().flatten() {
                self.each_around(*by, &mut |array, _| {
                    by_array.entry(array).or_default().insert(number);
                });
            }
        }
        let mut known: BTreeMap<ArrayRef, Vec<Option<u32>>> = BTreeMap::new();
        known.insert(first, (0..self.tree().count(first)).map(new).collect());
        let (mut pending, mut all, mut uneven) = (alloc::vec![first], Vec::new(), Vec::new());
        while let Some(moved) = pending.pop() {
            for number in by_array.get(&moved).into_iter().flatten() {
                let described = &self.described[*number];
                if known.contains_key(&described.elements) {
                    continue;
                }
                if self.tree().count(described.elements) as usize != described.by.len() {
                    uneven.push(self.path(described.row));
                    continue;
                }
                let around = |by: &Option<Loc>| by.and_then(|by| self.element_around(by, moved));
                let around: Vec<Option<u32>> = described.by.iter().map(around).collect();
                let places = places_along(&around, &known[&moved]);
                if (0..).zip(&places).all(|(at, to)| *to == Some(at)) {
                    continue;
                }
                all.push(Along { array: described.row, places: places.clone() });
                known.insert(described.elements, places);
                pending.push(described.elements);
            }
        }
        if uneven.is_empty() {
            Ok(all)
        } else {
            Err(Stays::Undescribed(uneven))
        }
    }

    /// The arrays with an element for each of something else, as far as that is known; of each
    /// element, where that stands of which it is.
    pub fn described(&self) -> impl Iterator<Item = (Loc, &[Option<Loc>])> {
        self.described.iter().map(|described| (described.row, &described.by[..]))
    }

    /// Whether elements ask for what describes them, so that they are something else beside another.
    #[must_use]
    pub fn is_described(&self, array: Loc) -> bool {
        self.tree().described(array).is_some()
    }

    /// What becomes of references when the elements of an array come to other positions, and those
    /// of such arrays along with them ([`References::moved`]).
    ///
    /// # Errors
    ///
    /// The references that cannot follow.
    pub fn moved_along(
        &self,
        array: Loc,
        places: Places<'_>,
        all: &[Along],
    ) -> Result<Vec<Moved>, Stays> {
        if all.is_empty() {
            return self.moved(array, places);
        }
        let elements = |array: Loc| match self.tree().item(array) {
            Item::Array(elements) => Some(elements),
            _ => None,
        };
        let by_array: BTreeMap<ArrayRef, &Along> =
            all.iter().filter_map(|along| Some((elements(along.array)?, along))).collect();
        let (first, shared) = (elements(array).zip(places.gone), places.shared);
        let mut touched: BTreeSet<ArrayRef> = BTreeSet::new();
        let mut lost: BTreeSet<usize> = BTreeSet::new();
        for (number, found) in self.all.iter().enumerate() {
            touched.insert(found.elements);
            for loc in [found.at, found.array] {
                self.each_around(loc, &mut |array, _| {
                    touched.insert(array);
                });
            }
            self.each_around(found.at, &mut |array, index| {
                let along = by_array.get(&array);
                let place = along.and_then(|along| along.places.get(index as usize));
                if first == Some((array, index)) || place == Some(&None) {
                    lost.insert(number);
                }
            });
        }
        let mut moved = self.moved_but(array, places, &lost)?;
        for along in all {
            if elements(along.array).is_some_and(|elements| touched.contains(&elements)) {
                let mut new = |index: u32| along.places.get(index as usize).copied().flatten();
                let places =
                    Places { gone: None, instead: None, loose: false, shared, new: &mut new };
                moved.extend(self.moved_but(along.array, places, &lost)?);
            }
        }
        Ok(moved)
    }

    /// Why a reference cannot be a number, as far as that is known before anything is placed.
    fn unsayable(&self, loc: Loc, number: i128) -> Option<ProblemKind> {
        let row = self.tree().row(loc);
        let ranked = row.is_ranked();
        let cell = match row.ty.stripped() {
            Type::Cell(cell) => cell,
            Type::Array(array) => match array.element.stripped() {
                Type::Cell(cell) => cell,
                _ => return None,
            },
            _ => return None,
        };
        let stored = number.saturating_add(row.plus);
        if ranked {
            None
        } else if row.none.contains(&stored) {
            Some(is_nothing(number))
        } else if !cell_fits(self.model(), cell, stored) {
            Some(does_not_fit(number, &self.model().cell_name(cell)))
        } else {
            None
        }
    }

    /// The references to the element of an array by its key, or to all that have the key.
    #[must_use]
    pub fn by_key(&self, array: Loc, field: &str, key: i128) -> Vec<Loc> {
        let Item::Array(elements) = self.tree().item(array) else { return Vec::new() };
        let hits = self.all.iter().filter(|found| {
            found.elements == elements && found.key == Some(field) && found.number == key
        });
        hits.map(|found| found.at).collect()
    }

    /// The numbers in a field that something refers by; none if they are not known yet.
    fn keys(&self, elements: ArrayRef, field: &str) -> Option<&[KeyNumber]> {
        let keys = self.keys.iter().find(|keys| keys.is_of(elements, field))?;
        keys.numbers.as_deref()
    }

    /// The same of an array.
    fn keys_at(&self, array: Loc, field: &str) -> &[KeyNumber] {
        match self.tree().item(array) {
            Item::Array(elements) => self.keys(elements, field).unwrap_or_default(),
            _ => &[],
        }
    }

    /// How many elements have a number in a field that something refers by.
    #[must_use]
    pub fn having(&self, array: Loc, field: &str, number: i128) -> usize {
        self.keys_at(array, field).iter().filter(|key| key.number == number).count()
    }

    /// Whether elements with a number in a field do not all say the same, although something refers to
    /// one of them by it.
    #[must_use]
    pub fn is_ambiguous(&self, array: Loc, field: &str, number: i128) -> bool {
        let Item::Array(elements) = self.tree().item(array) else { return false };
        let mut same = self.keys_at(array, field).iter().filter(|key| key.number == number);
        let Some(first) = same.next() else { return false };
        !same.all(|key| self.says_the_same(elements, first.index, key.index))
            && !self.by_key(array, field, number).is_empty()
    }

    /// The number in a row by which others refer to its element, with these: none if an element before
    /// it has the same, or others that have it say the same.
    #[must_use]
    pub fn referring(&self, row: Loc) -> Option<(i128, Vec<Loc>)> {
        let mut referring: Option<(i128, Vec<Loc>)> = None;
        for keys in &self.keys {
            let numbers = keys.numbers.as_deref().unwrap_or_default();
            let Some(own) = numbers.iter().find(|key| key.at == Some(row)) else { continue };
            let (_, all) = referring.get_or_insert((own.number, Vec::new()));
            // The first one is meant, unless it does not matter which.
            let mut same = numbers.iter().filter(|key| key.number == own.number);
            let is_first = same.clone().all(|key| own.index <= key.index);
            let alike = |key: &KeyNumber| self.says_the_same(keys.elements, own.index, key.index);
            if !is_first || same.clone().count() > 1 && same.all(alike) {
                continue;
            }
            all.extend(self.hits(keys, own.number).map(|found| found.at));
        }
        referring
    }

    /// What refers to a number in a field.
    fn hits<'s>(&'s self, keys: &'s Keys<'p>, number: i128) -> impl Iterator<Item = &'s Found<'p>> {
        self.all.iter().filter(move |found| {
            found.number == number
                && found.key.is_some_and(|field| keys.is_of(found.elements, field))
        })
    }

    /// A problem if an element has a number in common with another one by which something refers to
    /// one of them.
    ///
    /// # Errors
    ///
    /// That problem.
    pub fn apart(&self, array: Loc, index: u32) -> Result<(), WriteError> {
        let Item::Array(elements) = self.tree().item(array) else { return Ok(()) };
        let mut problems = Vec::new();
        for keys in self.keys.iter().filter(|keys| keys.elements == elements) {
            let numbers = keys.numbers.as_deref().unwrap_or_default();
            let own = numbers.iter().find(|key| key.index == index).map(|key| key.number);
            let Some(number) = own else { continue };
            let others = numbers.iter().filter(|key| key.number == number && key.index != index);
            if others.map(|key| key.index).all(|other| self.says_the_same(elements, index, other)) {
                continue;
            }
            if self.hits(keys, number).next().is_some() {
                problems.push(self.twice(array.at(index), number));
            }
        }
        WriteError::check(problems)
    }

    /// A problem if an element with one number in a field cannot get another one, since a third has
    /// that, and something refers to one of them.
    ///
    /// # Errors
    ///
    /// That problem.
    pub fn free(&self, array: Loc, field: &str, old: i128, new: i128) -> Result<(), WriteError> {
        let referred = |number| !self.by_key(array, field, number).is_empty();
        let own = self.keys_at(array, field).iter().find(|key| key.number == old);
        match own {
            Some(own) if self.having(array, field, new) > 0 && (referred(old) || referred(new)) => {
                WriteError::check(alloc::vec![self.twice(array.at(own.index), new)])
            }
            _ => Ok(()),
        }
    }

    /// Whether two elements are one and the same or say the same, so that it does not matter which of
    /// them is meant.
    fn says_the_same(&self, elements: ArrayRef, a: u32, b: u32) -> bool {
        let element = |index| self.tree().element(elements, index).unwrap_or(Item::Absent);
        a == b || self.engine.is_same(element(a), element(b))
    }

    /// That a number by which something refers to an element is there twice.
    fn twice(&self, at: Loc, number: i128) -> Problem {
        Problem::new(self.path(at), ProblemKind::DuplicateKey { key: format!("{number}").into() })
    }

    /// The same of an element that comes to another position.
    fn twice_there(&self, array: Loc, key: &KeyNumber, new: u32) -> Problem {
        let (mut path, element) = (self.path(array), self.path(array.at(key.index)));
        path.push(new as usize);
        let stands = key.at.map(|at| self.path(at)).unwrap_or_default();
        for step in stands.segments().iter().skip(element.len()) {
            path.push(step.clone());
        }
        Problem::new(path, ProblemKind::DuplicateKey { key: format!("{}", key.number).into() })
    }

    /// Elements with a number that an earlier one has as well, by which something refers to one of
    /// them: where the number stands, its field, and the number.
    #[must_use]
    pub fn doubled(&self) -> Vec<(Loc, &'p str, i128)> {
        let mut doubled = Vec::new();
        for keys in &self.keys {
            let mut wanted: BTreeMap<i128, Option<u32>> = BTreeMap::new();
            let by = self.all.iter().filter(|found| found.elements == keys.elements);
            wanted.extend(
                by.filter(|found| found.key == Some(keys.field)).map(|hit| (hit.number, None)),
            );
            for key in keys.numbers.as_deref().unwrap_or_default() {
                let Some(met) = wanted.get_mut(&key.number) else { continue };
                let first = *met.get_or_insert(key.index);
                let is_it = self.says_the_same(keys.elements, first, key.index);
                if let (false, Some(at)) = (is_it, key.at) {
                    doubled.push((at, keys.field, key.number));
                }
            }
        }
        doubled
    }

    /// The element of an array that something is in.
    fn element_around(&self, loc: Loc, elements: ArrayRef) -> Option<u32> {
        let mut around = None;
        self.each_around(loc, &mut |array, index| {
            if array == elements {
                around = around.or(Some(index));
            }
        });
        around
    }

    /// Gives the arrays that something is in, each with the position of the element.
    fn each_around(&self, loc: Loc, give: &mut dyn FnMut(ArrayRef, u32)) {
        let tree = self.tree();
        let mut at = Some(loc);
        while let Some(loc) = at {
            if let (Some(index), Item::Array(array)) = (loc.index(), tree.item(loc.whole_row())) {
                give(array, index);
            }
            at = tree.holder(loc.node);
        }
    }
}

/// Where elements come to when what describes some of them does: `around` has of each the position of
/// that, and `new` those that they come to. The others stay where they are among them.
fn places_along(around: &[Option<u32>], new: &[Option<u32>]) -> Vec<Option<u32>> {
    let to = |at: &Option<u32>| at.and_then(|at| new.get(at as usize).copied().flatten());
    let mut order: Vec<(u32, usize)> =
        around.iter().enumerate().filter_map(|(from, at)| Some((to(at)?, from))).collect();
    order.sort();
    let mut order = order.into_iter().map(|(_, from)| from);
    let mut places = alloc::vec![None; around.len()];
    let own = |(from, at): (usize, &Option<u32>)| match at {
        None => Some(from),
        Some(_) => order.next(),
    };
    let all: Vec<usize> = around.iter().enumerate().filter_map(own).collect();
    for (to, from) in (0..).zip(all) {
        places[from] = Some(to);
    }
    places
}

/// The elements with one number by which something refers to one of them.
#[derive(Default)]
struct Meant {
    /// The first of them, which is meant.
    first: Option<KeyNumber>,
    /// The position of the one that is the first afterwards, and that which it has before.
    then: Option<(u32, u32)>,
    /// The position of the first one afterwards, if it is there.
    left: Option<u32>,
}

impl Meant {
    fn add(&mut self, key: &KeyNumber, new: Option<u32>) {
        if self.first.map_or(true, |first| key.index < first.index) {
            (self.first, self.left) = (Some(*key), new);
        }
        let new = new.map(|new| (new, key.index));
        self.then = self.then.into_iter().chain(new).min();
    }
}

/// What cannot follow so far.
#[derive(Default)]
struct Staying {
    held: Vec<Path>,
    follows: Vec<Path>,
    problems: Vec<Problem>,
}

impl Staying {
    fn check(mut self) -> Result<(), Stays> {
        self.held.dedup();
        self.follows.dedup();
        if !self.problems.is_empty() {
            Err(Stays::Invalid(WriteError::new(self.problems)))
        } else if !self.held.is_empty() {
            Err(Stays::Referenced(self.held))
        } else if !self.follows.is_empty() {
            Err(Stays::Follows(self.follows))
        } else {
            Ok(())
        }
    }
}
