//! Writing: the generic part of generated writers.
//!
//! A writer plans (nodes and slots from the value), expands (arrays that follow from others),
//! places (the layout gives every object its address), validates, and fills a buffer of exactly the
//! right size. What depends on the schema is generated; see [`Write`].

mod cases;
mod cells;
mod check;
mod datum;
mod derive;
mod helpers;
mod labels;
mod number;
mod place;
mod pointer;
mod put;
mod region;
mod run;
mod schema;
mod source;
mod tables;
mod tags;

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::rc::Rc;
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

pub use super::tables::label_key;
pub use cells::{bits_of, low, put_bits, shortest, store, sum_bits, Spot};
pub use check::{broken_rule, show, takes_number, takes_text, Rule};
pub use datum::{kept_item, Chars, Coding, Datum, Number, Run};
pub use derive::{derived_item, derived_slot, eval_in};
pub use helpers::{
    array, bad_size, counted, exactly, is_constant, is_nothing, is_set, items_of, keeps, kept_form,
    kept_in, kept_none, no_case, no_rank, not_there, number_item, owner_scope, pointer_to,
    target_of, varint_width, word_item, wrong_case, wrong_last, wrong_length, Helpers,
};
pub use labels::{Cell, Class, Label, Set};
pub use place::{align_up, has_no_place};
pub use region::{kept_bytes, kept_tail, too_long, Mode, Terminator, Trim};
pub use schema::{
    inline, object, pointer, record, slot, Content, OrderRule, Own as Owns, Pointer, PointerAlign,
    Reference, Statement, WriteRecord, WriteSchema, WriteSlot,
};
pub use source::{bare_case, case, Fields, List, Source, Src};
pub use tables::{Column, Made, Tables};
pub use tags::{check_tag, OtherCase, TagRow};

use check::Validate;
use place::Place;

use super::engine::Engine;
use super::schema::Schema;
use super::tree::{Item, Loc, NodeId, Tree, NOTHING, WHOLE};
use super::val::{Fallible, Fault};
use crate::dictionary::DictionaryError;
use crate::path::{Path, Segment};
pub use crate::problem::ProblemKind;
use crate::problem::{Problem, WriteError};
use crate::spelling::{KeptKind, Spelling, SpellingEntry};
use crate::{Endian, KeptValue};
use labels::Labels;

/// Largest file that is written, in bytes.
pub const MAX_SIZE: u64 = 1 << 32;
/// Entries into types that contain themselves that a value may have.
pub const MAX_DEPTH: u32 = 256;

/// A walk computes sizes and sets no addresses.
pub const DRY: u8 = 0;
/// A walk sets addresses.
pub const LAY: u8 = 1;
/// A walk writes bytes.
pub const FILL: u8 = 2;

/// No node: paths begin in the value that is looked at.
pub const NOWHERE: NodeId = NodeId(NOTHING);

/// The place that a problem is about: a row or element of a node, or of the value that is looked
/// at.
#[derive(Debug, Clone, Copy)]
pub struct At {
    /// The node, or [`NOWHERE`].
    pub node: NodeId,
    /// Name of the row; none of rows that have no step in paths.
    pub row: Option<&'static str>,
    /// The element.
    pub index: Option<u32>,
}

/// A row of a node, or the node itself.
#[must_use]
pub const fn at(node: NodeId, row: Option<&'static str>) -> At {
    At { node, row, index: None }
}

impl At {
    /// An element of the array that is here.
    #[must_use]
    pub fn element(self, index: u32) -> At {
        At { index: Some(index), ..self }
    }
}

/// An object that has its place.
#[derive(Debug, Clone, Copy)]
pub struct Job {
    /// Its address.
    pub at: u64,
    /// The node, or what is in a slot or element of it.
    pub loc: Loc,
}

/// A length that an expression of the schema states too.
#[derive(Debug, Clone, Copy)]
pub struct Expectation {
    pub(super) at: At,
    pub(super) node: NodeId,
    pub(super) expr: u16,
    pub(super) actual: u64,
    pub(super) what: &'static str,
}

/// A field of the elements of an array: node, slot and element of the array, name of the field.
pub type FieldOf = (NodeId, u16, Option<u32>, &'static str);

/// What a writer knows.
#[derive(Debug)]
pub struct Writing<'v> {
    /// The nodes.
    pub tree: Tree<'v>,
    /// What is wrong.
    pub problems: Vec<Problem>,
    /// Size of the file, once everything is placed.
    pub total: Option<u64>,
    /// Address of the next object.
    pub cursor: u64,
    /// Address behind the object that was placed last, before any fill.
    pub last_end: u64,
    /// End of the region around what is being placed, if something else says it.
    pub room: Option<u64>,
    /// What is placed.
    pub jobs: Vec<Job>,
    /// Sizes of regions that were measured, by node and row.
    pub measured: BTreeMap<(NodeId, u16), u64>,
    /// Running totals of slices in their tables, by node and slot.
    pub bases: BTreeMap<(NodeId, u16), i128>,
    /// Addresses of pool members by their bytes, by node and slot of the pool.
    pub members: BTreeMap<(NodeId, u16), BTreeMap<Vec<u8>, u64>>,
    /// Numbers in a field of all elements of an array.
    pub contents: BTreeMap<FieldOf, Rc<BTreeSet<i128>>>,
    /// Kept bytes between objects.
    pub loose: Vec<(u64, &'v [u8])>,
    /// Sizes and ends of regions that must agree with an expression.
    pub expectations: Vec<Expectation>,
    /// Alignment of an object whose bytes do not come first in its layout.
    pub aligns: BTreeMap<NodeId, u64>,
    /// The file.
    pub out: Vec<u8>,
    /// Pooled texts and pointers.
    pub log: Labels<'v>,
    /// Position in the list of epochs.
    pub epoch: usize,
    /// Values of the epoch variables.
    pub context: Vec<i128>,
    /// Byte order of the file.
    pub order: Endian,
    /// Depth of nested evaluation.
    pub nesting: u32,
    /// Depth of records without nodes that contain themselves.
    pub depth: u32,
}

impl<'v> Writing<'v> {
    /// Nothing yet.
    #[must_use]
    pub fn new(schema: &'static Schema, order: Endian) -> Self {
        Writing {
            tree: Tree::new(schema),
            problems: Vec::new(),
            total: None,
            cursor: 0,
            last_end: 0,
            room: None,
            jobs: Vec::new(),
            measured: BTreeMap::new(),
            bases: BTreeMap::new(),
            members: BTreeMap::new(),
            contents: BTreeMap::new(),
            loose: Vec::new(),
            expectations: Vec::new(),
            aligns: BTreeMap::new(),
            out: Vec::new(),
            log: Labels::default(),
            epoch: 0,
            context: Vec::new(),
            order,
            nesting: 0,
            depth: 0,
        }
    }

    /// Path of a place.
    #[must_use]
    pub fn path(&self, at: At) -> Path {
        let mut path = if at.node == NOWHERE { Path::new() } else { self.tree.node_path(at.node) };
        if let Some(row) = at.row {
            path.push(Segment::Field(row.into()));
        }
        if let Some(index) = at.index {
            path.push(Segment::Index(index as usize));
        }
        path
    }

    /// Notes a problem.
    #[cold]
    pub fn problem(&mut self, at: At, kind: ProblemKind) {
        let problem = Problem::new(self.path(at), kind);
        if at.node == NOWHERE || !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// Notes a problem of a slot or element.
    #[cold]
    pub fn problem_loc(&mut self, loc: Loc, kind: ProblemKind) {
        let path =
            if loc.slot == WHOLE { self.tree.node_path(loc.node) } else { self.tree.path(loc) };
        let problem = Problem::new(path, kind);
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// Says where the value is that the problems from this one on are about.
    #[inline]
    pub fn within(&mut self, from: usize, at: At) {
        if self.problems.len() > from {
            self.move_problems(from, at);
        }
    }

    #[cold]
    fn move_problems(&mut self, from: usize, at: At) {
        let around = self.path(at);
        let moved: Vec<Problem> = self.problems.drain(from..).collect();
        for problem in moved {
            let mut path = around.clone();
            for segment in problem.path.segments() {
                path.push(segment.clone());
            }
            let problem = Problem::new(path, problem.kind);
            if at.node == NOWHERE || !self.problems.contains(&problem) {
                self.problems.push(problem);
            }
        }
    }

    /// Notes a fault of an expression.
    #[cold]
    pub fn report(&mut self, fault: Fault, at: At) {
        self.problem(at, problem_kind(fault));
    }

    /// The file, or what is wrong.
    ///
    /// # Errors
    ///
    /// If there are problems.
    pub fn finish(self) -> Result<Vec<u8>, WriteError> {
        if self.problems.is_empty() {
            return Ok(self.out);
        }
        let mut problems: Vec<Problem> = Vec::new();
        for problem in self.problems {
            if !problems.contains(&problem) {
                problems.push(problem);
            }
        }
        Err(WriteError::new(problems))
    }

    /// Sets the value of an epoch variable, or says that it is missing.
    pub fn set_context(&mut self, number: Option<i128>, path: &[&'static str]) -> bool {
        match number {
            Some(number) => {
                self.context.push(number);
                true
            }
            None => {
                let mut at = Path::new();
                for name in path {
                    at.push(Segment::Field((*name).into()));
                }
                self.problems.push(Problem::new(at, ProblemKind::MissingField));
                false
            }
        }
    }

    /// Finds the epoch by the values of the epoch variables.
    pub fn choose_epoch(&mut self, names: &[&'static str], epochs: &[&[&[(i128, i128)]]]) -> bool {
        let inside = |ranges: &[(i128, i128)], n: i128| {
            ranges.iter().any(|(low, high)| *low <= n && n <= *high)
        };
        let context = &self.context;
        let covers = |epoch: &&[&[(i128, i128)]]| {
            context.iter().zip(epoch.iter()).all(|(n, ranges)| inside(ranges, *n))
        };
        if let Some(epoch) = epochs.iter().position(covers) {
            self.epoch = epoch;
            return true;
        }
        let culprit = names.iter().zip(context).enumerate().find(|(index, (_, n))| {
            !epochs.iter().any(|epoch| epoch.get(*index).is_some_and(|ranges| inside(ranges, **n)))
        });
        let (name, value) = match culprit {
            Some((_, (name, n))) => (*name, *n),
            None => (
                names.first().copied().unwrap_or_default(),
                context.first().copied().unwrap_or_default(),
            ),
        };
        let kind = ProblemKind::NoLayout { name: name.into(), value };
        self.problems.push(Problem::new(Path::new(), kind));
        false
    }
}

/// A fault while writing, as a problem.
#[cold]
#[must_use]
pub fn problem_kind(fault: Fault) -> ProblemKind {
    match fault {
        Fault::Eval(message) => ProblemKind::Expression { message: message.into() },
        Fault::Keys(DictionaryError::EmptyKey { .. }, _) => ProblemKind::EmptyKey,
        Fault::Keys(DictionaryError::DuplicateKey { .. }, key) => {
            ProblemKind::DuplicateKey { key: key.into() }
        }
        Fault::Keys(error, _) => ProblemKind::Expression { message: error.to_string().into() },
        Fault::NotPlaced(what) => ProblemKind::Expression {
            message: format!("the address of `{what}` is needed before it is known").into(),
        },
        Fault::Cycle(what) => ProblemKind::Cycle { what: what.into() },
        Fault::Limit(crate::ReadErrorKind::DepthLimit { limit }) => {
            ProblemKind::DepthLimit { limit }
        }
        Fault::Limit(kind) => ProblemKind::Expression { message: kind.to_string().into() },
        Fault::Read(error) => ProblemKind::Expression { message: error.to_string().into() },
    }
}

/// A number that does not fit a type.
#[cold]
#[must_use]
pub fn does_not_fit(n: i128, ty: &str) -> ProblemKind {
    ProblemKind::DoesNotFit { value: n.to_string().into(), ty: ty.into() }
}

/// Whether the canonical spelling is still what this one replaced.
#[must_use]
pub fn still_for(entry: &SpellingEntry, canonical: &KeptValue) -> bool {
    entry.instead_of == *canonical
}

/// A generated writer.
pub trait Write<'v>: Engine<'v> {
    /// What it knows.
    fn w(&mut self) -> &mut Writing<'v>;
    /// The same, to look at it.
    fn w_ref(&self) -> &Writing<'v>;
    /// Tables of the schema.
    fn tables(&self) -> &'static WriteSchema;
    /// The spelling of a node's value.
    fn spelling(&self, node: NodeId) -> Option<&'v Spelling>;
    /// The value of a node.
    fn node_value(&self, node: NodeId) -> Src<'v>;
    /// Evaluates an expression over rows of a record without a node.
    ///
    /// # Errors
    ///
    /// If it fails.
    fn local(
        &mut self,
        number: u16,
        row: &mut dyn FnMut(&mut Self, usize) -> Fallible<super::val::Val<'v>>,
        it: Option<&super::val::Val<'v>>,
    ) -> Fallible<super::val::Val<'v>>;
    /// Gives the bytes of a node their addresses, from this one on; returns the address behind
    /// them.
    ///
    /// # Errors
    ///
    /// If a size cannot be computed.
    fn lay_node(&mut self, node: NodeId, at: u64) -> Fallible<u64> {
        put::put_node(self, LAY, node, at, Endian::Little, &Src::Nothing)
    }
    /// The same for what is in a slot or element: of a pointer, its target.
    ///
    /// # Errors
    ///
    /// If a size cannot be computed.
    fn lay_content(&mut self, loc: Loc, spot: &mut Spot) -> Fallible<()> {
        put::put_content(self, LAY, loc, spot)
    }
    /// Writes the bytes of a node.
    fn fill_node(&mut self, node: NodeId, at: u64) {
        let order = Helpers::order_at(self, node);
        if let Err(fault) = put::put_node(self, FILL, node, at, order, &Src::Nothing) {
            self.w().report(*fault, At { node, row: None, index: None });
        }
    }
    /// Writes the bytes of what is in a slot or element: of a pointer, its target.
    fn fill_content(&mut self, loc: Loc, at: u64) {
        if let Err(fault) = put::put_content(self, FILL, loc, &mut Spot::new(at)) {
            self.w().problem_loc(loc, problem_kind(*fault));
        }
    }
    /// Size of what is in a slot, without setting addresses.
    ///
    /// # Errors
    ///
    /// If it cannot be computed.
    fn measure(&mut self, node: NodeId, slot: u16) -> Fallible<u64> {
        put::measure(self, node, slot)
    }
    /// Computes what is in a slot; nothing if nobody says.
    ///
    /// # Errors
    ///
    /// If it cannot be computed.
    fn compute(&mut self, node: NodeId, slot: u16) -> Fallible<Option<Item<'v>>>;
    /// Computes arrays of a node that follow from others, and takes away what is none with them.
    fn expand_node(&mut self, node: NodeId);
    /// Checks a node that is placed.
    fn check_node(&mut self, node: NodeId);

    /// Computes a slot that follows from others.
    ///
    /// # Errors
    ///
    /// If it depends on itself, or cannot be computed.
    fn force_write(&mut self, node: NodeId, slot: u16) -> Fallible<()> {
        let here = self.tree().slot(node, slot);
        if !matches!(here.item, Item::Unset) {
            return Ok(());
        }
        if here.busy {
            let what = self.describe(Loc::slot(node, slot));
            return Err(Box::new(Fault::Cycle(what)));
        }
        self.tree_mut().slot_mut(node, slot).busy = true;
        let result = self.compute(node, slot);
        let here = self.tree_mut().slot_mut(node, slot);
        here.busy = false;
        if let Some(item) = result? {
            here.item = item;
        }
        Ok(())
    }

    /// The spelling that was kept for a row.
    fn kept_row(
        &self,
        node: NodeId,
        row: u16,
        index: Option<u32>,
        kind: KeptKind,
    ) -> Option<&'v SpellingEntry> {
        let spelling = self.spelling(node)?;
        if spelling.is_canonical() {
            return None;
        }
        let first = self.tables().records[usize::from(self.tree().node(node).record)].spelling;
        let row = if row == Spelling::WHOLE { row } else { first.saturating_add(row) };
        spelling.find(row, index, kind)
    }

    /// The spelling that was kept for a slot or element.
    fn kept(&self, loc: Loc, kind: KeptKind) -> Option<&'v SpellingEntry> {
        let row = if loc.slot == WHOLE { Spelling::WHOLE } else { self.tree().slot_info(loc).row };
        self.kept_row(loc.node, row, loc.index, kind)
    }

    /// Adds a node to a slot or element; nothing if that is too deep.
    fn add(&mut self, record: u16, loc: Loc, at: At) -> Option<NodeId> {
        let tree = self.tree_mut();
        let node = tree.add(record, Some(loc));
        if let Some(limit) = tree.too_deep(tree.node(node).depth, MAX_DEPTH) {
            self.w().problem(at, ProblemKind::DepthLimit { limit });
            return None;
        }
        if loc.index.is_none() {
            // What is inside may ask for what is around it.
            let slot = self.tree_mut().slot_mut(loc.node, loc.slot);
            if matches!(slot.item, Item::Unset) {
                slot.item = Item::Node(node);
            }
        }
        Some(node)
    }

    /// Goes on after a fault while filling; while placing, it is the end.
    ///
    /// # Errors
    ///
    /// The fault, unless bytes are being written.
    #[cold]
    fn fail<const M: u8>(&mut self, fault: Box<Fault>, at: At) -> Fallible<()> {
        if M == FILL {
            self.w().report(*fault, at);
            Ok(())
        } else {
            Err(fault)
        }
    }

    /// Notes that a length must agree with what the schema says of it.
    fn expect(&mut self, at: At, node: NodeId, expr: u16, actual: u64, what: &'static str) {
        self.w().expectations.push(Expectation { at, node, expr, actual, what });
    }

    /// Byte order of the cells of a node that do not say their own.
    ///
    /// # Errors
    ///
    /// If a condition fails, or none holds.
    fn order_of(&mut self, node: NodeId) -> Fallible<Endian> {
        let mut at = Some(node);
        while let Some(node) = at {
            match &self.tables().records[usize::from(self.tree().node(node).record)].endian {
                OrderRule::Inherited => at = self.tree().owner(node),
                OrderRule::Fixed(order) => return Ok(*order),
                OrderRule::Chosen(choices, otherwise) => {
                    for (condition, order) in *choices {
                        if self.truth(*condition, node, None)? {
                            return Ok(*order);
                        }
                    }
                    return match otherwise {
                        Some(order) => Ok(*order),
                        None => super::val::eval_error("no case of the byte order fits"),
                    };
                }
            }
        }
        Ok(self.w_ref().order)
    }

    /// Everything behind the plan.
    fn run(&mut self) {
        if !self.w().problems.is_empty() {
            return;
        }
        let mut index = 0;
        while index < self.tree().nodes.len() {
            let node = NodeId(u32::try_from(index).unwrap_or(NOTHING));
            if !self.tree().node(node).dead {
                self.expand_node(node);
            }
            index += 1;
        }
        if !self.w().problems.is_empty() {
            return;
        }
        if let Err(fault) = self.place_all() {
            self.w().report(*fault, At { node: NodeId(0), row: None, index: None });
        }
        if !self.w().problems.is_empty() {
            return;
        }
        self.validate_all();
        if !self.w().problems.is_empty() {
            return;
        }
        self.fill();
    }

    /// Writes the bytes of everything that is placed.
    fn fill(&mut self) {
        let total = self.w().total.unwrap_or(0);
        // A file that is too large is refused before anything is set aside.
        match usize::try_from(total) {
            Ok(size) if total <= MAX_SIZE => self.w().out = vec![0; size],
            _ => {
                let root = At { node: NodeId(0), row: None, index: None };
                self.w().problem(root, ProblemKind::TooLarge { limit: MAX_SIZE });
                return;
            }
        }
        for job in core::mem::take(&mut self.w().jobs) {
            self.w().room = None;
            if job.loc.slot == WHOLE {
                self.fill_node(job.loc.node, job.at);
            } else {
                self.fill_content(job.loc, job.at);
            }
        }
        for (at, bytes) in core::mem::take(&mut self.w().loose) {
            self.w().put(at, bytes);
        }
    }

    /// The elements that a reference counts: positions of those for which a filter holds.
    ///
    /// # Errors
    ///
    /// If the filter fails.
    fn filtered(&mut self, array: Loc, filter: u16, this: NodeId) -> Fallible<Vec<u32>> {
        let count = u32::try_from(self.tree().count_items(array)).unwrap_or(NOTHING);
        let mut ranks = Vec::new();
        for index in 0..count {
            let it = super::val::Val::Loc(Loc { index: Some(index), ..array });
            if self.truth(filter, this, Some(&it))? {
                ranks.push(index);
            }
        }
        Ok(ranks)
    }

    /// The array at a path.
    ///
    /// # Errors
    ///
    /// If it cannot be computed.
    fn referred(&mut self, path: u16, this: NodeId) -> Fallible<Option<Loc>> {
        let found = self.find(path, this, None)?;
        match found.values.into_iter().next() {
            Some(super::val::Val::Loc(mut array)) => {
                self.force_loc(array)?;
                while let Item::Node(node) = self.tree().item(array) {
                    let node = *node;
                    match self.tree().info(node).transparent {
                        Some(slot) => array = Loc::slot(node, slot),
                        None => break,
                    }
                }
                Ok(matches!(self.tree().item(array), Item::Array(_)).then_some(array))
            }
            _ => Ok(None),
        }
    }

    /// The element that a pointer in a slot or element refers to.
    ///
    /// # Errors
    ///
    /// If the array cannot be computed.
    fn element_written(&mut self, loc: Loc) -> Fallible<Option<Loc>> {
        let record = &self.tables().records[usize::from(self.tree().node(loc.node).record)];
        let Some(WriteSlot { reference: Some(reference), .. }) =
            record.slots.get(usize::from(loc.slot))
        else {
            return Ok(None);
        };
        if !reference.pointer {
            return Ok(None);
        }
        self.force_loc(loc)?;
        let Item::Int(number) = *self.tree().item(loc) else { return Ok(None) };
        let Some(array) = self.referred(reference.path, loc.node)? else { return Ok(None) };
        let index = u32::try_from(number).ok();
        let inside = index.is_some_and(|i| u64::from(i) < self.tree().count_items(array));
        Ok(inside.then_some(Loc { index, ..array }))
    }

    /// Numbers in a field of all elements of an array of nodes.
    fn field_contents(&mut self, array: Loc, field: &'static str) -> Rc<BTreeSet<i128>> {
        let key = (array.node, array.slot, array.index, field);
        if let Some(known) = self.w().contents.get(&key) {
            return Rc::clone(known);
        }
        let contents: Rc<BTreeSet<i128>> =
            Rc::new(self.field_numbers(array, field).into_iter().collect());
        self.w().contents.insert(key, Rc::clone(&contents));
        contents
    }

    /// The same in the order of the elements.
    fn field_numbers(&self, array: Loc, field: &str) -> Vec<i128> {
        let tree = self.tree();
        let Item::Array(list) = tree.item(array) else { return Vec::new() };
        let number = |item: &Item<'_>| {
            let Item::Node(node) = super::tree::through(item) else { return None };
            let slots = tree.info(*node).slots;
            let slot = slots.iter().position(|slot| slot.name == Some(field))?;
            match tree.item(Loc::slot(*node, u16::try_from(slot).ok()?)) {
                Item::Int(n) => Some(*n),
                _ => None,
            }
        };
        list.items.iter().filter_map(number).collect()
    }
}
