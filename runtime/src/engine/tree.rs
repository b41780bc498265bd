//! The tree of nodes: every row of every record of a file, derived ones included.
//!
//! Reading builds it from bytes, writing from a value; expressions are evaluated in it. A node
//! stands for a record, an item for what is in a row.
//!
//! When reading, the bytes that rows in place are found in are those of the file; when writing, the
//! tree has them itself, every number with its lowest byte first.

mod arrays;
mod cells;
mod order;
mod slots;
mod unread;
mod view;

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::item::{ArrayRef, Blob, From, Item, Loc, NodeRef, CASE, OWN, UNPLACED, WHOLE};
use super::kept::{AllKept, Kept};
use super::node::{
    Node, Order, AROUND_CASE, DEAD, DEAD_CASE, DEPTH, FORM, IN_ELEMENT, LARGE, NOTHING, PAIR, SHOWN,
};
use super::packed::{make_room, Items, Slot, Slots};
use super::partial::{Partial, Unread};
use super::plan::{Direction, Duties, Number, Part, Place, Plan, RowPlan, Store};
use super::program::Layout;
use crate::load::{mask, Endian};
use crate::model::{
    Cell, Content, Home, Label, Meaning, Model, Pattern, Record, RecordId, RecordKind, Row, RowId,
    RowKind, Storage, Type,
};
use crate::path::{Path, Segment};
use crate::spelling::KeptKind;

pub(crate) use cells::{cell_bytes, float, integer, load, number, stored_float};
pub use view::{placed, PointerView};

/// The tree of a file that was read.
#[derive(Debug)]
pub struct Tree<'p, 'b> {
    pub(crate) layout: &'p Layout,
    plans: &'p [Plan],
    pub(crate) direction: Direction,
    /// The file that is read, or from which the value comes that is written.
    pub(crate) file: &'b [u8],
    /// Bytes of texts and blocks that are in no file.
    pub(crate) own: Vec<u8>,
    nodes: Vec<Node>,
    /// Of nodes that elements of compact arrays hold, the position of the element.
    in_elements: BTreeMap<u32, u32>,
    pub(crate) slots: Slots,
    pub(crate) arrays: Vec<Array>,
    /// Where the elements of arrays of numbers are.
    cells: Vec<Cells<'p>>,
    /// Where those of arrays of compact records are.
    records: Vec<Records>,
    /// The one that has no elements and no address, if somebody asked for it.
    nothing: u32,
    /// Those that consist of compact records.
    pub(crate) compact: Vec<u32>,
    /// What there is to do with any of the nodes and elements.
    pub(super) duties: Duties,
    pub(crate) items: Items,
    /// Addresses of elements that have no fixed size.
    pub(crate) starts: Vec<u32>,
    pub(crate) pointers: Vec<Pointer>,
    pub(crate) units: Vec<u16>,
    wide: Vec<i128>,
    /// Numbers that selected cases by a pattern, and bits of words that have nodes, where they are
    /// large.
    tags: Vec<u128>,
    /// Spellings that are not canonical.
    pub(crate) kept: AllKept,
    /// Whether nodes were buried, but not yet what they hold.
    buried: bool,
    /// Numbers in place that do not fit there.
    odd: BTreeMap<Loc, Item>,
    pub(super) partial: Partial,
}

#[derive(Debug, Clone)]
pub(crate) struct Array {
    kind: Kind,
    /// Position of the first element in the list of items or in the array of which it is a part, or of
    /// what tells where the elements are.
    first: u32,
    /// Position of the first one's address, or [`UNPLACED`]; or the array of which it is a part.
    other: u32,
    pub count: u32,
    pub at: u32,
    pub end: u32,
    /// Bytes of others between one element and the next.
    pub gap: u32,
}

/// Which [`Elements`] an array has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Items,
    Cells,
    Records,
    Part,
}

const _: () = assert!(core::mem::size_of::<Array>() == 28);

/// What an array consists of.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Elements<'p> {
    /// Items, from this position on in the tree's list, and their addresses if they are not all of
    /// one size.
    Items { first: u32, starts: Option<u32> },
    /// Numbers in whole bytes, in a row that says what they mean.
    Cells(Cells<'p>),
    /// Compact records.
    Records(Records),
    /// Some elements of an array of compact records, from this one on.
    Part { array: u32, first: u32 },
}

/// An array of numbers in whole bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cells<'p> {
    pub cell: &'p Cell,
    pub row: &'p Row,
    pub from: From,
    pub first: u32,
    pub order: Endian,
}

/// An array of compact records.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Records {
    pub record: RecordId,
    pub from: From,
    pub first: u32,
    /// Bytes from one to the next.
    pub stride: u32,
    pub owner: NodeRef,
    pub owner_row: RowId,
    pub depth: u32,
    pub order: Endian,
    /// How many nodes there were before it, which tells what was read before what.
    pub before: u32,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Pointer {
    /// What it leads to. An array that a pointer leads to has its own address.
    pub target: Item,
    /// The number as stored, when reading; when writing, whether the target is placed.
    stored: u64,
    signed: bool,
    /// Being read.
    pub busy: bool,
    /// Address of the number.
    pub cell: u32,
    pub at: u32,
    pub end: u32,
}

impl Pointer {
    pub(crate) fn to(target: Item) -> Pointer {
        Pointer {
            target,
            stored: 0,
            signed: false,
            busy: false,
            cell: UNPLACED,
            at: UNPLACED,
            end: UNPLACED,
        }
    }

    pub(crate) fn stored(&self) -> i128 {
        if self.signed {
            i128::from(self.stored as i64)
        } else {
            self.stored.into()
        }
    }

    pub(crate) fn set_stored(&mut self, number: i128) {
        self.stored = number as u64;
        self.signed = number < 0;
    }
}

/// Where the rows in place of a node are.
#[derive(Debug, Clone, Copy)]
struct Ground {
    from: From,
    /// Where homes count from.
    at: u32,
    /// Where the rows without homes begin.
    tail: u32,
    order: Endian,
}

impl<'p, 'b> Tree<'p, 'b> {
    pub(crate) fn new(layout: &'p Layout, direction: Direction, file: &'b [u8]) -> Self {
        Tree {
            layout,
            plans: match direction {
                Direction::Reading => &layout.reading,
                Direction::Writing => &layout.writing,
            },
            direction,
            file,
            own: Vec::new(),
            nodes: Vec::new(),
            in_elements: BTreeMap::new(),
            slots: Slots::default(),
            arrays: Vec::new(),
            cells: Vec::new(),
            records: Vec::new(),
            nothing: UNPLACED,
            compact: Vec::new(),
            duties: Duties::default(),
            items: Items::default(),
            starts: Vec::new(),
            pointers: Vec::new(),
            units: Vec::new(),
            wide: Vec::new(),
            tags: Vec::new(),
            kept: AllKept::default(),
            buried: false,
            odd: BTreeMap::new(),
            partial: Partial::default(),
        }
    }

    /// The model, in the epoch of the file.
    #[must_use]
    pub fn model(&self) -> &'p Model {
        &self.layout.model
    }

    /// The file that was read.
    pub(crate) fn file(&self) -> &'b [u8] {
        self.file
    }

    pub(crate) fn is_reading(&self) -> bool {
        self.direction == Direction::Reading
    }

    // What a node is.

    #[inline]
    fn own_node(&self, node: NodeRef) -> &Node {
        debug_assert!(!node.is_element());
        &self.nodes[(node.id >> 1) as usize]
    }

    pub(crate) fn own_node_mut(&mut self, node: NodeRef) -> &mut Node {
        debug_assert!(!node.is_element());
        &mut self.nodes[(node.id >> 1) as usize]
    }

    /// The record of a node of its own.
    #[inline]
    pub(crate) fn own_record(&self, id: u32) -> RecordId {
        let own = &self.nodes[(id >> 1) as usize];
        if id & 1 == 0 && own.is(PAIR) {
            self.around_case(own.record)
        } else {
            own.record
        }
    }

    /// The type that is nothing but the union of a case or form.
    fn around_case(&self, case: RecordId) -> RecordId {
        match self.layout.model.records[case.index()].kind {
            RecordKind::Case(union, _) | RecordKind::Form(union, ..) => {
                self.layout.bodies[union.index()].unwrap_or(case)
            }
            _ => case,
        }
    }

    /// If a node of its own is a form: the record of its case.
    #[inline]
    pub(crate) fn case_record(&self, id: u32) -> Option<RecordId> {
        let own = &self.nodes[(id >> 1) as usize];
        if !own.is(FORM) || (id & 1 == 0 && own.is(PAIR)) {
            return None;
        }
        match self.layout.model.records[own.record.index()].kind {
            RecordKind::Form(union, case, _) => {
                Some(self.layout.model.unions[union.index()].cases[case as usize].record)
            }
            _ => None,
        }
    }

    /// The id behind those of all nodes.
    pub(crate) fn next_id(&self) -> u32 {
        u32::try_from(self.nodes.len() * 2).unwrap_or(UNPLACED)
    }

    /// Whether a node has an id.
    #[inline]
    pub(crate) fn is_node(&self, id: u32) -> bool {
        id & 1 == 0 || self.nodes[(id >> 1) as usize].is(PAIR)
    }

    /// The ids of all nodes.
    pub(crate) fn ids(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.next_id()).filter(|id| self.is_node(*id))
    }

    /// The first id from one on, and before another one, of a node that is a form, or of a record that
    /// is wanted.
    pub(crate) fn next_of(&self, from: u32, before: u32, wanted: &[bool]) -> u32 {
        let mut id = from;
        while id < before {
            let own = &self.nodes[(id >> 1) as usize];
            let pair = own.is(PAIR);
            let around = pair && id & 1 == 0;
            let there = pair || id & 1 == 0;
            let record = if around { self.around_case(own.record) } else { own.record };
            if there && (own.is(FORM) && !around || wanted[record.index()]) {
                break;
            }
            id += if pair { 1 } else { 2 - (id & 1) };
        }
        id.min(before)
    }

    /// The node that holds a node of its own, and its row.
    #[inline]
    fn own_holder(&self, id: u32) -> (NodeRef, RowId) {
        if id & 1 == 1 {
            return (NodeRef::own(id - 1), RowId(0));
        }
        let own = &self.nodes[(id >> 1) as usize];
        let element = match own.is(IN_ELEMENT) {
            true => self.in_elements.get(&id).copied().unwrap_or(OWN),
            false => OWN,
        };
        (NodeRef { id: own.owner, element, part: own.owner_part }, RowId(own.owner_row.into()))
    }

    /// Whether a node is of a type that is nothing but a union, and shares its place with the case.
    #[inline]
    pub(crate) fn is_around_case(&self, node: NodeRef) -> bool {
        let first = node.id & 1 == 0 && node.part == 0 && !node.is_element();
        first && self.nodes[(node.id >> 1) as usize].is(AROUND_CASE)
    }

    #[inline]
    fn records_of(&self, node: NodeRef) -> &Records {
        self.records(node.id).expect("elements of compact arrays have nodes like this")
    }

    /// The record whose plan a node has: that of the node around a part.
    #[inline]
    fn whole_record(&self, node: NodeRef) -> RecordId {
        if node.is_element() {
            self.records_of(node).record
        } else {
            self.own_record(node.id)
        }
    }

    /// The record that a node is a use of, by its id.
    #[must_use]
    #[inline]
    pub fn record_id(&self, node: NodeRef) -> RecordId {
        if node.part == 0 && !node.is_element() {
            return self.own_record(node.id);
        }
        self.record_of_part(node)
    }

    fn record_of_part(&self, node: NodeRef) -> RecordId {
        match node.part {
            CASE => self.case_record(node.id).unwrap_or(self.own_record(node.id)),
            part if node.is_element() => {
                self.plans[self.records_of(node).record.index()].parts[usize::from(part)].record
            }
            part => self.own_part(self.own_node(node), part).record,
        }
    }

    /// A part of a node of its own. Types around a union have none.
    #[inline]
    fn own_part(&self, own: &Node, part: u16) -> &'p Part {
        &self.plans[own.record.index()].parts[usize::from(part)]
    }

    /// The record that a node is a use of.
    #[must_use]
    #[inline]
    pub fn record(&self, node: NodeRef) -> &'p Record {
        &self.layout.model.records[self.record_id(node).index()]
    }

    #[inline]
    pub(crate) fn plan(&self, node: NodeRef) -> &'p Plan {
        &self.plans[self.record_id(node).index()]
    }

    /// Plans of all records.
    pub(crate) fn plans(&self) -> &'p [Plan] {
        self.plans
    }

    pub(crate) fn plan_of(&self, record: RecordId) -> &'p Plan {
        &self.plans[record.index()]
    }

    /// The row that a place is in.
    #[must_use]
    #[inline]
    pub fn row(&self, loc: Loc) -> &'p Row {
        &self.record(loc.node).rows[loc.row.index()]
    }

    #[inline]
    pub(crate) fn row_plan(&self, node: NodeRef, row: RowId) -> &'p RowPlan {
        &self.plan(node).rows[row.index()]
    }

    /// Where a row stands in its record.
    #[must_use]
    pub fn home(&self, loc: Loc) -> Home {
        self.row_plan(loc.node, loc.row).home
    }

    /// The node that holds a node, and its row and position there; nothing for the root.
    #[must_use]
    pub fn holder(&self, node: NodeRef) -> Option<Loc> {
        match node.part {
            0 if node.is_element() => {
                let records = self.records_of(node);
                Some(Loc::row(records.owner, records.owner_row).at(node.element))
            }
            0 if self.case_record(node.id).is_some() => {
                // The node of a form belongs to that of its case.
                let (_, row) = self.own_holder(node.id);
                Some(Loc::row(NodeRef { part: CASE, ..node }, row))
            }
            0 | CASE => {
                if node.id == 0 {
                    return None;
                }
                let index = self.own_node(node).index;
                let index = (index != OWN && node.id & 1 == 0).then_some(index);
                let (owner, row) = self.own_holder(node.id);
                Some(Loc::row(owner, row).indexed(index))
            }
            part => {
                let part = self.plans[self.whole_record(node).index()].parts[usize::from(part)];
                Some(Loc::row(NodeRef { part: part.owner, ..node }, part.row))
            }
        }
    }

    /// The node that holds a node; nothing for the root.
    #[must_use]
    #[inline]
    pub fn owner(&self, node: NodeRef) -> Option<NodeRef> {
        if node.part == 0 && !node.is_element() && self.case_record(node.id).is_none() {
            return (node.id != 0).then_some(self.own_holder(node.id).0);
        }
        self.holder(node).map(|loc| loc.node)
    }

    /// Position in the array around a node.
    pub(crate) fn depth(&self, node: NodeRef) -> u32 {
        if node.is_element() {
            self.records_of(node).depth
        } else {
            let own = self.own_node(node);
            let case = node.id & 1 == 1;
            let deeper = case && self.layout.model.records[own.record.index()].recursive;
            (own.depth >> DEPTH) + u32::from(deeper)
        }
    }

    /// What was built is no part of the file after all, nor is what it holds.
    pub(crate) fn bury(&mut self, node: NodeRef) {
        if !node.is_element() {
            let flag = if node.id & 1 == 0 { DEAD } else { DEAD_CASE };
            self.own_node_mut(node).set(flag, true);
            self.buried = true;
        }
    }

    /// Must be called before `is_dead` is asked of what a buried node holds.
    pub(crate) fn bury_rest(&mut self) {
        if !core::mem::take(&mut self.buried) {
            return;
        }
        // Whoever holds a node comes before it.
        for number in 1..self.nodes.len() {
            let id = u32::try_from(number * 2).unwrap_or(UNPLACED);
            if self.is_dead(self.own_holder(id).0) {
                self.nodes[number].set(DEAD, true);
            }
        }
    }

    pub(crate) fn is_dead(&self, node: NodeRef) -> bool {
        let node = if node.is_element() { self.records_of(node).owner } else { node };
        if node.is_element() {
            self.is_dead(node)
        } else {
            let flags = if node.id & 1 == 0 { DEAD } else { DEAD | DEAD_CASE };
            self.own_node(node).is(flags)
        }
    }

    /// The number that selected a case by a pattern, or the bits of a word.
    #[must_use]
    pub fn tag(&self, node: NodeRef) -> u128 {
        if !node.is_element() && matches!(node.part, 0 | CASE) {
            let tag = self.own_node(node).tag_or_block;
            return match self.direction {
                Direction::Writing => 0,
                Direction::Reading if tag < LARGE => tag.into(),
                Direction::Reading => self.tags[(tag ^ LARGE) as usize],
            };
        }
        // The bits of a word in place.
        match self.holder(node) {
            Some(loc) => match &self.row(loc).ty {
                Type::Cell(cell) => self.raw(loc, cell).into(),
                _ => 0,
            },
            None => 0,
        }
    }

    /// The pattern that selected the case or form of a node, and the number it was matched with.
    #[must_use]
    pub fn pattern_of(&self, node: NodeRef) -> Option<(&'p Pattern, u128)> {
        let tag = self.tag(node);
        let (union, case, form) = match self.record(node).kind {
            RecordKind::Case(union, case) => (union, case, None),
            RecordKind::Form(union, case, form) => (union, case, Some(form)),
            _ => return None,
        };
        let case = &self.layout.model.unions[union.index()].cases[case as usize];
        let labels = form.map_or(&case.labels, |form| &case.forms[form as usize].labels);
        labels.iter().find_map(|label| match label {
            Label::Pattern(pattern) if pattern.takes(tag) => Some((pattern, tag)),
            _ => None,
        })
    }

    pub(crate) fn set_tag(&mut self, node: NodeRef, tag: u128) {
        let small = u32::try_from(tag).ok().filter(|tag| *tag < LARGE);
        let tag = small.unwrap_or_else(|| {
            let number = u32::try_from(self.tags.len()).unwrap_or(0);
            self.tags.push(tag);
            number | LARGE
        });
        self.own_node_mut(node).tag_or_block = tag;
    }

    // Where a node is.

    /// Address that homes in a node count from.
    #[must_use]
    pub fn node_at(&self, node: NodeRef) -> u32 {
        if node.is_element() || !matches!(node.part, 0 | CASE) {
            return self.part_at(node);
        }
        self.own_node(node).at
    }

    /// Address of the first row without a home, of a node of its own.
    pub(crate) fn own_tail(&self, node: NodeRef) -> u32 {
        self.own_node(node).tail
    }

    /// Whether nothing was read.
    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Address of an element or part.
    fn part_at(&self, node: NodeRef) -> u32 {
        let (at, tail, part) = if node.is_element() {
            let array = &self.arrays[node.id as usize];
            if array.at == UNPLACED {
                return UNPLACED;
            }
            let records = self.records_of(node);
            let at = array.at + records.stride * node.element;
            let parts = &self.plans[records.record.index()].parts;
            (at, at, &parts[usize::from(node.part)])
        } else {
            let own = self.own_node(node);
            if own.at == UNPLACED {
                return UNPLACED;
            }
            (own.at, own.tail, self.own_part(own, node.part))
        };
        match part.place {
            Place::Home(offset) => at + offset,
            Place::Tail(offset) => tail + offset,
            Place::Moving | Place::Nowhere => UNPLACED,
        }
    }

    /// Address behind a node.
    #[must_use]
    pub fn node_end(&self, node: NodeRef) -> u32 {
        if !node.is_element() && matches!(node.part, 0 | CASE) {
            return self.own_node(node).end;
        }
        if self.is_unread(Loc::row(node, WHOLE)).is_some() {
            return UNPLACED;
        }
        let at = self.node_at(node);
        match self.plan(node).size {
            Some(size) if at != UNPLACED => at + size,
            _ => UNPLACED,
        }
    }

    // Where a row is.

    #[inline]
    pub(crate) fn slot_index(&self, loc: Loc) -> Option<usize> {
        match self.row_plan(loc.node, loc.row).store {
            Store::Slot(_) if self.is_around_case(loc.node) => None,
            Store::Slot(slot) => Some(self.slots_of(loc.node) + usize::from(slot)),
            _ => None,
        }
    }

    /// Position of the first slot of a node.
    #[inline]
    fn slots_of(&self, node: NodeRef) -> usize {
        let own = self.own_node(node);
        let before = match node.part {
            0 | CASE => 0,
            part => self.own_part(own, part).slots,
        };
        own.slots as usize + usize::from(before)
    }

    /// The slot of a row, if it has one.
    #[inline]
    pub(crate) fn slot(&self, loc: Loc) -> Option<Slot> {
        match self.row_plan(loc.node, loc.row).store {
            Store::Slot(_) if self.is_around_case(loc.node) => {
                let own = self.own_node(loc.node);
                let item = self.case_item(loc.node);
                Some(Slot { item, at: own.at, end: own.end })
            }
            Store::Slot(slot) => Some(self.slots.get(self.slots_of(loc.node) + usize::from(slot))),
            _ => None,
        }
    }

    /// What is in the row of a type that is nothing but a union.
    fn case_item(&self, node: NodeRef) -> Item {
        let own = self.own_node(node);
        match own.is(SHOWN) {
            true if own.is(NOTHING) => Item::Absent,
            true => {
                let part = if own.is(FORM) { CASE } else { 0 };
                Item::Node(NodeRef { part, ..NodeRef::own(node.id + 1) })
            }
            false => Item::Unset,
        }
    }

    /// Changes the slot of a row, if it has one. The row of a type that is nothing but a union has none,
    /// since the places of the two are the same.
    pub(crate) fn change_slot(&mut self, loc: Loc, change: impl FnOnce(&mut Slot)) -> bool {
        let Some(at) = self.slot_index(loc) else { return false };
        let mut slot = self.slots.get(at);
        change(&mut slot);
        self.slots.set(at, slot);
        true
    }

    /// Sets what is in a row that has a slot.
    pub(crate) fn set_item(&mut self, loc: Loc, item: Item) {
        if let Some(slot) = self.slot_index(loc) {
            self.slots.set_item(slot, item);
        } else if self.is_around_case(loc.node) {
            let own = self.own_node_mut(loc.node);
            own.set(SHOWN, !item.is_unset());
            own.set(NOTHING, item.is_absent());
        }
    }

    /// The row of a form that stands for a row of its case.
    fn spelled(&self, loc: Loc) -> Option<Loc> {
        let node = loc.node.whole();
        let row = self.plan(node).spelled.get(loc.row.index()).copied().flatten()?;
        Some(Loc::row(node, row).indexed(loc.index()))
    }

    /// The place where a row is looked up: of a case with forms, in the form.
    fn real(&self, loc: Loc) -> Option<Loc> {
        if loc.node.part == CASE && self.case_record(loc.node.id).is_some() {
            return self.spelled(loc);
        }
        Some(loc)
    }

    /// The row of a form in which a row of its case stands.
    pub(crate) fn in_form(&self, loc: Loc) -> Option<Loc> {
        let formed = loc.node.part == CASE && self.case_record(loc.node.id).is_some();
        self.spelled(loc).filter(|_| formed)
    }

    /// Address of a row's own bytes; of a bit field, of its first byte.
    #[must_use]
    pub fn row_at(&self, loc: Loc) -> u32 {
        let Some(loc) = self.real(loc) else { return UNPLACED };
        if loc.row == WHOLE {
            return UNPLACED;
        }
        if let Some(slot) = self.slot(loc) {
            return match self.row_plan(loc.node, loc.row).follows {
                Some(number) if self.node_at(loc.node) != UNPLACED => {
                    self.node_at(loc.node) + number.at
                }
                _ => slot.at,
            };
        }
        if self.is_unread(loc) == Some(Unread::Before) {
            return UNPLACED;
        }
        let at = self.node_at(loc.node);
        match self.row_plan(loc.node, loc.row).place {
            Place::Home(offset) if at != UNPLACED => at + offset,
            Place::Tail(offset) if at != UNPLACED => self.own_node(loc.node).tail + offset,
            _ => UNPLACED,
        }
    }

    /// Address behind a row's own bytes.
    #[must_use]
    pub fn row_end(&self, loc: Loc) -> u32 {
        let Some(loc) = self.real(loc) else { return UNPLACED };
        if let (Some(number), true) =
            (self.row_plan(loc.node, loc.row).follows, self.node_at(loc.node) != UNPLACED)
        {
            return self.row_at(loc) + u32::from(number.bytes);
        }
        if let Some(slot) = self.slot(loc) {
            let bits = match &self.row(loc).ty {
                Type::Cell(Cell { storage: Storage::Bits { width, .. }, .. }) => u32::from(*width),
                _ => return slot.end,
            };
            let known = slot.at != UNPLACED && slot.item != Item::Unset;
            return if known { slot.at + (slot.end + bits).div_ceil(8) } else { UNPLACED };
        }
        if self.is_unread(loc).is_some() {
            return UNPLACED;
        }
        let size = self.word_size(loc).or(self.row_plan(loc.node, loc.row).size);
        match (self.row_at(loc), size) {
            (UNPLACED, _) | (_, None) => UNPLACED,
            (at, Some(size)) => at + size,
        }
    }

    /// Bytes of the word around a field of it.
    fn word_size(&self, loc: Loc) -> Option<u32> {
        match self.record(loc.node).kind {
            RecordKind::Word(int) => Some(int.bytes.into()),
            _ => None,
        }
    }

    /// Bit of the first byte, or of the word around it, at which a row begins.
    #[must_use]
    pub fn row_bit(&self, loc: Loc) -> u8 {
        let row = self.row(loc);
        match &row.ty {
            Type::Cell(Cell { storage: Storage::Bits { .. }, .. }) => {
                self.slot(loc).map_or(0, |slot| u8::try_from(slot.end).unwrap_or(0))
            }
            ty if ty.is_bits() => 0,
            _ => match (self.home(loc), &self.record(loc.node).kind) {
                (Home::At(bit), RecordKind::Word(_)) => u8::try_from(bit).unwrap_or(0),
                _ => 0,
            },
        }
    }

    // What is in a row.

    /// What is in a row itself: of a pointer, the pointer.
    #[must_use]
    #[inline]
    pub fn entry(&self, loc: Loc) -> Item {
        let item = self.row_entry(loc.node, loc.row);
        match loc.index() {
            None => item,
            Some(index) => self.element_entry(item, index),
        }
    }

    /// What is in an element of what is in a row.
    fn element_entry(&self, item: Item, index: u32) -> Item {
        match self.through(item) {
            Item::Array(array) => self.element(array, index).unwrap_or(Item::Absent),
            _ => Item::Absent,
        }
    }

    /// What is in a row itself.
    #[inline]
    pub(crate) fn row_entry(&self, node: NodeRef, row: RowId) -> Item {
        if node.part != 0 || node.is_element() {
            return self.entry_of_part(node, row);
        }
        // What is asked for most.
        let own = self.own_node(node);
        if own.is(AROUND_CASE) && node.id & 1 == 0 {
            return if row == RowId(0) { self.case_item(node) } else { Item::Absent };
        }
        match self.plans[own.record.index()].rows.get(row.index()) {
            Some(RowPlan { store: Store::Slot(slot), .. }) => {
                self.slots.item(own.slots as usize + usize::from(*slot))
            }
            Some(planned) => self.entry_in_place(node, row, own, planned),
            None => Item::Absent,
        }
    }

    fn entry_in_place(&self, node: NodeRef, row: RowId, own: &Node, planned: &RowPlan) -> Item {
        if self.odd.is_empty() && self.has_read_all() {
            match (&planned.number, planned.store) {
                (Some(number), _) => return self.plain_number(own, number),
                (None, Store::Part(part)) => return Item::Node(NodeRef { part, ..node }),
                _ => {}
            }
        }
        self.entry_anywhere(Loc::row(node, row))
    }

    fn entry_of_part(&self, node: NodeRef, row: RowId) -> Item {
        if node.part == CASE || node.is_element() {
            return self.entry_anywhere(Loc::row(node, row));
        }
        let own = self.own_node(node);
        let part = self.own_part(own, node.part);
        let Some(planned) = self.plans[part.record.index()].rows.get(row.index()) else {
            return Item::Absent;
        };
        if let Store::Slot(slot) = planned.store {
            return self.slots.item(own.slots as usize + usize::from(part.slots + slot));
        }
        match (planned.number, part.place) {
            (Some(number), Place::Home(at)) if self.odd.is_empty() && self.has_read_all() => {
                let order = number.order.or(part.order);
                self.plain_number(own, &Number { at: at + number.at, order, ..number })
            }
            _ => self.entry_anywhere(Loc::row(node, row)),
        }
    }

    #[inline]
    fn plain_number(&self, own: &Node, number: &Number) -> Item {
        let (bytes, at, order) = match self.direction {
            Direction::Reading => {
                let order = match (number.order, own.order()) {
                    (Some(order), _) | (None, Order::Known(order)) => order,
                    (None, Order::Asked) => Endian::Little,
                };
                (self.file, own.at, order)
            }
            Direction::Writing => (&self.own[..], own.tag_or_block, Endian::Little),
        };
        let raw = load(bytes, (at + number.at) as usize, number.bytes, order);
        integer(raw, u32::from(number.bytes) * 8, number.signed)
    }

    fn entry_anywhere(&self, row: Loc) -> Item {
        match self.real(row) {
            // A case says what none of its forms has.
            None => Item::Absent,
            Some(real) if real.row == WHOLE => Item::Absent,
            Some(real) if real.node.part == row.node.part => self.own_entry(real),
            Some(real) => self.as_logical(self.own_entry(real), row),
        }
    }

    /// What a form says, as its case has it: constants of forms are of 64 bits.
    fn as_logical(&self, item: Item, loc: Loc) -> Item {
        match item {
            Item::F64(bits) if self.model().float_width(&self.row(loc).ty) == 4 => {
                Item::F32((f64::from_bits(bits) as f32).to_bits())
            }
            item => item,
        }
    }

    fn own_entry(&self, loc: Loc) -> Item {
        let plan = self.row_plan(loc.node, loc.row);
        match plan.store {
            Store::Slot(_) if self.is_around_case(loc.node) => self.case_item(loc.node),
            Store::Slot(slot) => self.slots.item(self.slots_of(loc.node) + usize::from(slot)),
            Store::Part(_) if self.is_unread_part(loc) => Item::Unset,
            // Parts of a part follow it in the list of the node around.
            Store::Part(part) => Item::Node(NodeRef { part: loc.node.part + part, ..loc.node }),
            _ if self.is_unread(loc).is_some() => Item::Unset,
            Store::Absent | Store::Said => plan.said,
            _ if !self.odd.is_empty() && self.odd.contains_key(&loc) => self.odd[&loc],
            Store::Cell => match &self.row(loc).ty {
                Type::Cell(cell) => self.meant(self.raw(loc, cell), cell, self.row(loc)),
                _ => Item::Absent,
            },
            Store::Cells(_) => {
                let row = u16::try_from(loc.row.0).unwrap_or(u16::MAX);
                let NodeRef { id, element, part } = loc.node;
                Item::Array(ArrayRef::Inline { id, element, part, row })
            }
            Store::Bytes(size) | Store::Fill(size) => self.run(loc, size),
        }
    }

    /// Where the rows in place of a node are.
    fn ground(&self, node: NodeRef) -> Ground {
        if node.is_element() {
            let records = self.records_of(node);
            let at = records.first + records.stride * node.element;
            return Ground { from: records.from, at, tail: at, order: records.order };
        }
        let own = self.own_node(node);
        match self.direction {
            Direction::Reading => {
                let order = match own.order() {
                    Order::Known(order) => order,
                    Order::Asked => Endian::Little,
                };
                Ground { from: From::File, at: own.at, tail: own.tail, order }
            }
            Direction::Writing => {
                let (homes, _) = self.plans[self.own_record(node.id).index()].lengths;
                let block = own.tag_or_block;
                Ground { from: From::Own, at: block, tail: block + homes, order: Endian::Little }
            }
        }
    }

    /// Position of a row in place, in the bytes where it is.
    fn spot(&self, loc: Loc) -> Option<(From, u32, Endian)> {
        let ground = self.ground(loc.node);
        let mut order = ground.order;
        let part = if loc.node.part == CASE { 0 } else { loc.node.part };
        let (mut at, mut tail) = (ground.at, ground.tail);
        if part != 0 {
            let parts = &self.plans[self.whole_record(loc.node).index()].parts;
            let inner = &parts[usize::from(part)];
            at = match inner.place {
                Place::Home(offset) => at + offset,
                Place::Tail(offset) => tail + offset,
                Place::Moving | Place::Nowhere => return None,
            };
            tail = at;
            if self.direction == Direction::Reading {
                order = self.part_order(parts, part).unwrap_or(order);
            }
        }
        let at = match self.row_plan(loc.node, loc.row).place {
            Place::Home(offset) => at + offset,
            Place::Tail(offset) => tail + offset,
            Place::Moving | Place::Nowhere => return None,
        };
        Some((ground.from, at, order))
    }

    /// The byte order that a part, or one around it in the same node, says.
    fn part_order(&self, parts: &[Part], part: u16) -> Option<Endian> {
        parts[usize::from(part)].order.filter(|_| part != 0)
    }

    fn source(&self, from: From) -> &[u8] {
        match from {
            From::File => self.file,
            From::Own => &self.own,
            From::Literal => &self.layout.literals,
        }
    }

    /// All bits of a packed word.
    pub(crate) fn word(&self, node: NodeRef) -> u64 {
        let mut word = 0;
        for (row, definition) in self.record(node).numbered_rows() {
            let Type::Cell(cell) = &definition.ty else { continue };
            let Storage::Word { first, last, .. } = cell.storage else { continue };
            word |= (self.raw(Loc::row(node, row), cell) & mask(last - first + 1)) << first;
        }
        word
    }

    /// The bytes of a cell in place as a number; of a bit field, its bits.
    pub(crate) fn raw(&self, loc: Loc, cell: &Cell) -> u64 {
        let Some((from, at, order)) = self.spot(loc) else { return 0 };
        match cell.storage {
            Storage::Fixed(int) => self.load(from, at, int.bytes, self.cell_order(int, order)),
            Storage::Word { first, last, .. } => {
                let word = match self.record(loc.node).kind {
                    // A word with a node of its own has its bits there when it is read.
                    RecordKind::Word(int) if loc.node.part != 0 || !self.is_reading() => {
                        self.load(from, at, int.bytes, self.cell_order(int, order))
                    }
                    _ => self.tag(loc.node) as u64,
                };
                word.checked_shr(first.into()).unwrap_or(0) & mask(last - first + 1)
            }
            _ => 0,
        }
    }

    /// When writing, all numbers have their lowest byte first.
    fn cell_order(&self, int: crate::model::IntType, order: Endian) -> Endian {
        match (self.direction, int.order) {
            (Direction::Reading, Some(order)) => order.into(),
            _ => order,
        }
    }

    fn load(&self, from: From, at: u32, bytes: u8, order: Endian) -> u64 {
        load(self.source(from), at as usize, bytes, order)
    }

    /// What the bits of a cell are in a row: nothing, or less what is added to it.
    pub(crate) fn meant(&self, raw: u64, cell: &Cell, row: &Row) -> Item {
        match cell.meaning {
            Meaning::Float(_) => float(raw, cell),
            Meaning::Bool { .. } => Item::Bool(raw != 0),
            Meaning::Int | Meaning::Enum(_) | Meaning::Word(_) => {
                let (bits, signed) = self.model().cell_range(cell);
                let number = number(raw, bits, signed);
                if row.none.contains(&number) {
                    return Item::Absent;
                }
                // Of 64 bits, less what a schema states: never beyond 128.
                let number = number - row.plus;
                Item::small(number).unwrap_or(Item::Absent)
            }
        }
    }

    /// A row of bytes or text in place.
    fn run(&self, loc: Loc, len: u32) -> Item {
        let Some((from, start, _)) = self.spot(loc) else { return Item::Absent };
        let blob = Blob { from, start, len };
        match self.row(loc).ty.stripped() {
            Type::Run(run) if matches!(run.content, Content::Text(_)) => Item::Text(blob),
            _ => Item::Bytes(blob),
        }
    }

    /// What an item is behind its pointers.
    #[must_use]
    #[inline]
    pub fn through(&self, mut item: Item) -> Item {
        while let Item::Pointer(pointer) = item {
            item = self.pointers[pointer as usize].target;
        }
        item
    }

    /// What is in a row or element, through pointers.
    #[must_use]
    #[inline]
    pub fn item(&self, loc: Loc) -> Item {
        self.through(self.entry(loc))
    }

    /// The pointer in a row or element.
    #[inline]
    pub(crate) fn pointer(&self, loc: Loc) -> Option<&Pointer> {
        match self.entry(loc) {
            Item::Pointer(pointer) => Some(&self.pointers[pointer as usize]),
            _ => None,
        }
    }

    pub(crate) fn pointer_mut(&mut self, loc: Loc) -> Option<&mut Pointer> {
        match self.entry(loc) {
            Item::Pointer(pointer) => Some(&mut self.pointers[pointer as usize]),
            _ => None,
        }
    }

    pub(crate) fn add_pointer(&mut self, pointer: Pointer) -> Item {
        let number = u32::try_from(self.pointers.len()).unwrap_or(UNPLACED);
        self.pointers.push(pointer);
        Item::Pointer(number)
    }

    // Texts and bytes.

    /// The bytes that somebody holds.
    #[must_use]
    pub fn bytes(&self, blob: Blob) -> &[u8] {
        let bytes = self.source(blob.from);
        let start = blob.start as usize;
        bytes.get(start..start + blob.len as usize).unwrap_or(&[])
    }

    /// A text, which was checked when it was met.
    #[must_use]
    pub fn text(&self, blob: Blob) -> &str {
        core::str::from_utf8(self.bytes(blob)).unwrap_or("")
    }

    /// Units of UTF-16 from the tree's list.
    #[must_use]
    pub fn units(&self, start: u32, len: u32) -> &[u16] {
        self.units.get(start as usize..(start + len) as usize).unwrap_or(&[])
    }

    /// Keeps bytes that are in no file.
    pub(crate) fn add_bytes(&mut self, bytes: &[u8]) -> Blob {
        let number = |n: usize| u32::try_from(n).unwrap_or(UNPLACED);
        let blob =
            Blob { from: From::Own, start: number(self.own.len()), len: number(bytes.len()) };
        self.own.extend_from_slice(bytes);
        blob
    }

    pub(crate) fn add_units(&mut self, units: &[u16]) -> Item {
        let number = |n: usize| u32::try_from(n).unwrap_or(UNPLACED);
        let item = Item::Units(number(self.units.len()), number(units.len()));
        self.units.extend_from_slice(units);
        item
    }

    /// An integer of any size.
    pub(crate) fn integer(&mut self, number: i128) -> Item {
        Item::small(number).unwrap_or_else(|| {
            let place = u32::try_from(self.wide.len()).unwrap_or(UNPLACED);
            self.wide.push(number);
            Item::Wide(place)
        })
    }

    /// The integer that an item is.
    #[must_use]
    #[inline]
    pub fn int(&self, item: Item) -> Option<i128> {
        match item {
            Item::Int(number) => Some(number.into()),
            Item::Uint(number) => Some(number.into()),
            Item::Wide(place) => self.wide.get(place as usize).copied(),
            _ => None,
        }
    }

    // Nodes.

    /// Adds a node of its own.
    pub(crate) fn add(&mut self, record: RecordId, holder: Option<Loc>) -> NodeRef {
        let owner = holder.map_or(NodeRef::ROOT, |loc| loc.node);
        let plan = &self.plans[record.index()];
        let definition = &self.layout.model.records[record.index()];
        self.duties |= plan.all_duties;
        let slots = u32::try_from(self.slots.len()).unwrap_or(UNPLACED);
        if !plan.around_case {
            self.slots.add(plan.slots.into());
        }
        if holder.is_some() && self.is_around_case(owner) {
            let own = self.own_node_mut(owner);
            debug_assert!(!own.is(PAIR), "a union has one case");
            own.record = record;
            own.slots = slots;
            own.set(PAIR, true);
            return NodeRef::own(owner.id + 1);
        }
        let (depth, dead, order) = match holder {
            None => (0, false, Order::Known(Endian::Little)),
            Some(_) if owner.is_element() => {
                let records = self.records_of(owner);
                (records.depth, false, Order::Known(records.order))
            }
            Some(_) => (self.depth(owner), self.is_dead(owner), self.order_in(owner)),
        };
        let order = match &definition.endian {
            None if self.is_in_slice(holder) => Order::Asked,
            None => order,
            Some(crate::model::EndianRule::Fixed(order)) => Order::Known((*order).into()),
            Some(crate::model::EndianRule::Chosen(..)) => Order::Asked,
        };
        let id = self.next_id();
        if owner.is_element() {
            self.in_elements.insert(id, owner.element);
        }
        let depth = (depth + u32::from(definition.recursive)).min(u32::MAX >> DEPTH);
        let mut node = Node {
            record,
            owner: owner.id,
            owner_part: owner.part,
            owner_row: holder.map_or(0, |loc| u16::try_from(loc.row.0).unwrap_or(u16::MAX)),
            index: holder.and_then(Loc::index).unwrap_or(OWN),
            at: UNPLACED,
            end: UNPLACED,
            tail: UNPLACED,
            slots,
            tag_or_block: 0,
            depth: depth << DEPTH,
        };
        node.set(IN_ELEMENT, owner.is_element());
        node.set(DEAD, dead);
        node.set(AROUND_CASE, plan.around_case);
        node.set_order(order);
        make_room(&mut self.nodes, 1);
        self.nodes.push(node);
        NodeRef::own(id)
    }

    /// Whether an element is written in the byte order of a table that is somewhere else than what
    /// holds the element.
    fn is_in_slice(&self, holder: Option<Loc>) -> bool {
        self.layout.has_ordered_tables
            && !self.is_reading()
            && holder.is_some_and(|holder| matches!(self.row(holder).kind, RowKind::Slice { .. }))
    }

    /// Makes a node the form of a case.
    pub(crate) fn set_case(&mut self, node: NodeRef, case: RecordId) {
        self.own_node_mut(node).set(FORM, true);
        self.duties |= self.plan_of(case).all_duties;
    }

    /// Gives a node of its own room for its rows in place, as the schema has them.
    pub(crate) fn add_block(&mut self, node: NodeRef) {
        let record = self.own_record(node.id);
        let block = u32::try_from(self.own.len()).unwrap_or(UNPLACED);
        self.own.extend_from_slice(&self.plans[record.index()].template);
        self.own_node_mut(node).tag_or_block = block;
    }

    /// The bytes of a row in place, to fill them. They are there when a value is written.
    pub(crate) fn place_mut(&mut self, loc: Loc, size: u32) -> Option<&mut [u8]> {
        let (from, at, _) = self.spot(loc)?;
        let at = at as usize;
        if from == From::Own {
            self.own.get_mut(at..at + size as usize)
        } else {
            None
        }
    }

    /// Puts a number into its place in a node of its own, if it has one there.
    pub(crate) fn put_number(&mut self, node: NodeRef, number: &Number, n: i64) -> bool {
        if node.part != 0 || node.is_element() {
            return false;
        }
        let at = (self.block(node) + number.at) as usize;
        match self.own.get_mut(at..at + usize::from(number.bytes)) {
            Some(place) => place.copy_from_slice(&n.to_le_bytes()[..usize::from(number.bytes)]),
            None => return false,
        }
        true
    }

    /// Position of the rows in place of a node in the tree's bytes.
    pub(crate) fn block(&self, node: NodeRef) -> u32 {
        self.own_node(node).tag_or_block
    }

    /// What is in rows in place that have no room for it.
    pub(crate) fn odd_items(&self) -> Vec<(Loc, Item)> {
        self.odd.iter().map(|(loc, item)| (*loc, *item)).collect()
    }

    /// Remembers what is in a row in place that has no room for it.
    pub(crate) fn set_odd(&mut self, loc: Loc, item: Item) {
        self.odd.insert(loc, item);
    }

    pub(crate) fn has_odd(&self) -> bool {
        !self.odd.is_empty()
    }

    /// The nearest of a node and its owners that is not a case or form.
    pub(crate) fn enclosing_struct(&self, mut node: NodeRef) -> NodeRef {
        loop {
            match (&self.record(node).kind, self.owner(node)) {
                (RecordKind::Case(..) | RecordKind::Form(..), Some(owner)) => node = owner,
                _ => return node,
            }
        }
    }

    // Spellings.

    pub(crate) fn keep(&mut self, node: NodeRef, kept: Kept) {
        self.kept.keep(node, kept);
    }

    /// What is kept of a row or element, besides places of objects.
    pub(crate) fn kept_of(&self, loc: Loc, kind: KeptKind) -> Option<&Kept> {
        self.kept.of(loc.node)?.get(loc.row, loc.index(), kind)
    }

    // Paths.

    /// Path of a row or element for messages, such as `flowcharts[0].events[3].params`.
    #[must_use]
    pub fn path(&self, loc: Loc) -> Path {
        let mut path = Path::default();
        if let Some(index) = loc.index() {
            path.prepend(index as usize);
        }
        let mut at = Some(loc);
        while let Some(Loc { node, row, .. }) = at {
            let record = self.record(node);
            let definition = record.rows.get(row.index());
            if let Some((name, ty)) = definition.and_then(|r| Some((r.name.as_ref()?, &r.ty))) {
                // The value of a transparent struct is its row, that of a case is all its fields,
                // and the row that holds a case of a union type has no name of its own in paths.
                let stands = record.transparent == Some(row) && self.case_of(node).is_none();
                if !stands && !self.model().is_body(ty) {
                    path.prepend(Segment::Field(name.clone().into()));
                }
            }
            let mut node = node;
            // The rows of a form stand for those of its case.
            while let (RecordKind::Form(..), Some(case)) =
                (&self.record(node).kind, self.owner(node))
            {
                node = case;
            }
            at = self.holder(node);
            if let Some(index) = at.and_then(Loc::index) {
                path.prepend(index as usize);
            }
        }
        path
    }

    /// Path of a node.
    #[must_use]
    pub fn node_path(&self, node: NodeRef) -> Path {
        self.holder(node).map(|loc| self.path(loc)).unwrap_or_default()
    }

    /// The row or element that holds a node; of the root, the root as a whole.
    pub(crate) fn node_loc(&self, node: NodeRef) -> Loc {
        self.holder(node).unwrap_or(Loc::row(node, WHOLE))
    }

    /// Address of the bytes of a row or element in the record that holds it: of a pointer, of its
    /// number. Of rows without bytes: of the record.
    pub(crate) fn cell_at(&self, loc: Loc) -> u32 {
        let node = self.node_at(loc.node);
        if loc.row == WHOLE {
            return node;
        }
        let at = match self.row_at(loc.whole_row()) {
            UNPLACED => node,
            at => at,
        };
        let (Some(index), Item::Array(array)) = (loc.index(), self.item(loc.whole_row())) else {
            return at;
        };
        match self.element(array, index) {
            Some(Item::Pointer(pointer)) => self.pointers[pointer as usize].cell,
            Some(Item::Node(node)) => self.node_at(node),
            _ => match self.element_at(array, index, false) {
                UNPLACED => at,
                at => at,
            },
        }
    }

    /// The case whose node this is, by position in its union.
    #[must_use]
    pub fn case_of(&self, node: NodeRef) -> Option<(&'p crate::model::Union, usize)> {
        match self.record(node).kind {
            RecordKind::Case(union, case) => {
                Some((&self.layout.model.unions[union.index()], case as usize))
            }
            // A case that stands for the whole union has a struct for its rows.
            RecordKind::Struct => {
                let holder = self.holder(node)?;
                let union = self.row(holder).ty.union()?;
                let union = &self.layout.model.unions[union.index()];
                let record = self.record_id(node);
                let case = union.cases.iter().position(|case| case.record == record)?;
                Some((union, case))
            }
            RecordKind::Form(..) | RecordKind::Word(_) => None,
        }
    }
}

/// The row whose numbers an array in place is.
pub(crate) fn inline(array: ArrayRef) -> Loc {
    match array {
        ArrayRef::Own(_) => Loc::row(NodeRef::ROOT, WHOLE),
        ArrayRef::Inline { id, element, part, row } => {
            Loc::row(NodeRef { id, element, part }, RowId(row.into()))
        }
    }
}
