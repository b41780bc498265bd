//! The tree of nodes: every row of every record of a file, derived ones included.
//!
//! Reading builds it from bytes, writing from a value; expressions are evaluated in it. A node
//! stands for a record, an item for what is in a row.
//!
//! When reading, the bytes that rows in place are found in are those of the file; when writing, the
//! tree has them itself, every number with its lowest byte first.

mod arrays;
mod cells;
mod content;
mod flat;
mod growth;
mod kind;
mod order;
mod paths;
mod place;
mod slots;
mod so_far;
mod unread;
mod values;
mod view;

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use self::so_far::SoFar;
use super::item::{ArrayRef, From, Item, Loc, NodeRef, CASE, UNPLACED, WHOLE};
use super::kept::{AllKept, Kept};
use super::node::{Node, Order};
use super::packed::{Items, Slot, Slots};
use super::partial::Partial;
use super::plan::{Direction, Duties, Plan, Store};
use super::program::Layout;
use crate::load::Endian;
use crate::model::{Cell, Model, RecordId, Row, RowId};
use crate::spelling::KeptKind;

pub(crate) use cells::{
    as_wide, cell_bytes, float, integer, load, number, store_le, stored_float, stored_float_of,
};
pub(crate) use flat::{blocks, TOGETHER};
pub use flat::{Flat, Numbers};
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
    so_far: SoFar,
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
            so_far: SoFar::default(),
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

    /// Whether nothing was read.
    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

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

    pub(crate) fn keep(&mut self, node: NodeRef, kept: Kept) {
        self.kept.keep(node, kept);
    }

    /// What is kept of a row or element, besides places of objects.
    pub(crate) fn kept_of(&self, loc: Loc, kind: KeptKind) -> Option<&Kept> {
        self.kept.of(loc.node)?.get(loc.row, loc.index(), kind)
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
