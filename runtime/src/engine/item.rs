//! What is in a row, and the handles that items consist of: small and `Copy`, because a file has
//! many of them.

use crate::model::RowId;

/// An address or position that is not known (yet).
pub const UNPLACED: u32 = u32::MAX;

/// Largest file that is read or written, in bytes: addresses have 32 bits, and some are marks.
pub const MAX_SIZE: u64 = 0xffff_fff0;

/// Where something is put that no file has room for; sizes may be added to it.
pub const FAR: u64 = 1 << 40;

/// A node: one use of a record.
///
/// Records with slots, or that something large hangs on, have a node of their own. The elements of
/// a compact array, all of whose rows are in place, have none: they are the number of the array and
/// their position. Compact records inside of others are a *part* of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeRef {
    /// Position in the tree's nodes, or in its arrays.
    pub id: u32,
    /// Position in the array; [`OWN`] for a node of its own.
    pub element: u32,
    /// Position in the plan's parts, or [`CASE`].
    pub part: u16,
}

/// In place of a position: no element of a compact array.
pub const OWN: u32 = u32::MAX;

/// In place of a part: the case of which the node is a form. Its rows are those of the form.
pub const CASE: u16 = u16::MAX;

impl NodeRef {
    /// The node of the whole file.
    pub const ROOT: NodeRef = NodeRef::own(0);

    /// A node of its own, by position in the tree's nodes.
    pub const fn own(id: u32) -> NodeRef {
        NodeRef { id, element: OWN, part: 0 }
    }

    /// Whether it is an element of a compact array, or a part of one.
    pub const fn is_element(self) -> bool {
        self.element != OWN
    }

    /// The node whose rows stand for those of a case with forms; of others, the node itself.
    pub const fn as_rows(self) -> NodeRef {
        if self.part == CASE {
            self.whole()
        } else {
            self
        }
    }

    /// The node or element that it is a part of.
    pub const fn whole(self) -> NodeRef {
        NodeRef { part: 0, ..self }
    }
}

/// A row of a node, or one element of the array in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Loc {
    /// The node.
    pub node: NodeRef,
    /// Its row.
    pub row: RowId,
    index: u32,
}

/// In place of a row: the record as a whole, or the end of the file.
pub const WHOLE: RowId = RowId(u32::MAX);

impl Loc {
    /// A row, or what is in it as a whole.
    pub const fn row(node: NodeRef, row: RowId) -> Loc {
        Loc { node, row, index: u32::MAX }
    }

    /// An element of the array in the row.
    pub const fn at(self, index: u32) -> Loc {
        Loc { index, ..self }
    }

    /// The row or element with this position, if there is one.
    pub fn indexed(self, index: Option<u32>) -> Loc {
        Loc { index: index.unwrap_or(u32::MAX), ..self }
    }

    /// The position in the array, if this is an element.
    pub const fn index(self) -> Option<u32> {
        if self.index == u32::MAX {
            None
        } else {
            Some(self.index)
        }
    }

    /// The row around an element.
    pub const fn whole_row(self) -> Loc {
        Loc { index: u32::MAX, ..self }
    }
}

/// Bytes, or text as UTF-8, that somebody holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blob {
    /// Who holds them.
    pub from: From,
    /// Position of the first one.
    pub start: u32,
    /// How many they are.
    pub len: u32,
}

/// Who holds the bytes of a [`Blob`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum From {
    /// The file that is read.
    File,
    /// The tree.
    Own,
    /// The program: it is a literal of the schema.
    Literal,
}

impl Blob {
    /// No bytes.
    pub const EMPTY: Blob = Blob { from: From::Literal, start: 0, len: 0 };

    /// Some of its bytes.
    pub fn part(self, start: usize, len: usize) -> Blob {
        let number = |n: usize| u32::try_from(n).unwrap_or(0);
        Blob { start: self.start + number(start), len: number(len), ..self }
    }
}

/// What is in a row or element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// Not read, or not computed yet.
    Unset,
    /// Not there: no home, condition false, or the number for nothing.
    Absent,
    /// An integer.
    Int(i64),
    /// An integer of 64 bits that is too large for `Int`.
    Uint(u64),
    /// An integer beyond 64 bits, by position in the tree's list.
    Wide(u32),
    /// A float of four bytes, as bits.
    F32(u32),
    /// A float of eight bytes, as bits.
    F64(u64),
    /// A truth value.
    Bool(bool),
    /// A text.
    Text(Blob),
    /// Bytes.
    Bytes(Blob),
    /// Units of UTF-16 that are no text: start and number in the tree's list.
    Units(u32, u32),
    /// A record.
    Node(NodeRef),
    /// Elements.
    Array(ArrayRef),
    /// A number that leads somewhere, by position in the tree's list.
    Pointer(u32),
}

/// An array: by position in the tree's list, or the numbers of a row that are in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ArrayRef {
    /// By position in the tree's list.
    Own(u32),
    /// In a row, in its bytes.
    Inline {
        /// Of the node: [`NodeRef::id`].
        id: u32,
        /// The same: [`NodeRef::element`].
        element: u32,
        /// The same: [`NodeRef::part`].
        part: u16,
        /// The row.
        row: u16,
    },
}

impl Item {
    /// An integer of at most 64 bits.
    pub fn small(number: i128) -> Option<Item> {
        match i64::try_from(number) {
            Ok(number) => Some(Item::Int(number)),
            Err(_) => u64::try_from(number).ok().map(Item::Uint),
        }
    }

    /// Whether nothing is known of it yet.
    pub const fn is_unset(self) -> bool {
        matches!(self, Item::Unset)
    }

    /// Whether it is known that there is nothing.
    pub const fn is_absent(self) -> bool {
        matches!(self, Item::Absent)
    }

    /// Whether there is something.
    pub const fn is_there(self) -> bool {
        !matches!(self, Item::Unset | Item::Absent)
    }
}

const _: () = assert!(core::mem::size_of::<Item>() == 16);
