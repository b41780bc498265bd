//! Nodes: uses of records.

use crate::load::Endian;
use crate::model::RecordId;

/// Byte order of the numbers of a node that do not say their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Known(Endian),
    /// A condition decides, which is not asked yet.
    Asked,
}

/// One use of a record; or two, where a union is a type of its own: then the node of that type, which
/// is nothing but the union, has the even id, and that of its case the odd id behind it. There is one for
/// each use of a record, so that it matters how large they are.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    /// Of two, that of the second one.
    pub record: RecordId,
    /// The node that holds this one, and its row; of the root, itself.
    pub owner: u32,
    pub owner_part: u16,
    pub owner_row: u16,
    /// Position in the array around it; [`OWN`](super::OWN) if there is none.
    pub index: u32,
    /// Address that homes count from.
    pub at: u32,
    pub end: u32,
    /// Address of the first row without a home.
    pub tail: u32,
    /// Position of the first slot.
    pub slots: u32,
    /// When reading, the number that selected its case by a pattern, or the bits of a word; of a large
    /// one, its position in the list of tags, and [`LARGE`]. When writing, position of the rows in place
    /// in the tree's bytes.
    pub tag_or_block: u32,
    /// Entries into records that can contain themselves, from the root to here; of two, to the first
    /// one. The lowest bits are flags.
    pub depth: u32,
}

/// Marks the position of a tag that has no room in its node.
pub(crate) const LARGE: u32 = 1 << 31;

/// Built, but not part of the file after all.
pub(crate) const DEAD: u32 = 1;
/// The same of the second of two.
pub(crate) const DEAD_CASE: u32 = 1 << 1;
/// There are two.
pub(crate) const PAIR: u32 = 1 << 2;
/// The row of the first of two has its item, which is the second one, or nothing.
pub(crate) const SHOWN: u32 = 1 << 3;
pub(crate) const NOTHING: u32 = 1 << 4;
/// It is a form.
pub(crate) const FORM: u32 = 1 << 5;
/// What holds it is an element of a compact array.
pub(crate) const IN_ELEMENT: u32 = 1 << 6;
/// Numbers have their highest byte first.
pub(crate) const BIG: u32 = 1 << 7;
/// A condition decides the byte order, which is not asked yet.
pub(crate) const ASKED: u32 = 1 << 8;
/// It is nothing but a union, or there are two.
pub(crate) const AROUND_CASE: u32 = 1 << 9;
/// Bits of a depth that are flags.
pub(crate) const DEPTH: u32 = 10;

impl Node {
    #[inline]
    pub(crate) fn is(&self, flag: u32) -> bool {
        self.depth & flag != 0
    }

    pub(crate) fn set(&mut self, flag: u32, yes: bool) {
        self.depth = if yes { self.depth | flag } else { self.depth & !flag };
    }

    /// Byte order of the numbers that do not say their own.
    #[inline]
    pub(crate) fn order(&self) -> Order {
        match (self.is(ASKED), self.is(BIG)) {
            (true, _) => Order::Asked,
            (false, true) => Order::Known(Endian::Big),
            (false, false) => Order::Known(Endian::Little),
        }
    }

    pub(crate) fn set_order(&mut self, order: Order) {
        self.set(ASKED, order == Order::Asked);
        self.set(BIG, order == Order::Known(Endian::Big));
    }
}

const _: () = assert!(core::mem::size_of::<Node>() == 40);
