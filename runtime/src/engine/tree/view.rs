//! What tools see of a tree.

use super::super::item::{ArrayRef, Item, Loc, UNPLACED};
use super::{Kind, Tree};

/// A pointer of a file that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PointerView {
    /// Address of the number.
    pub cell: Option<u64>,
    /// The number.
    pub stored: i128,
    /// What it leads to.
    pub target: Item,
    /// Address of that; of a pointer that is none, of the number itself.
    pub at: Option<u64>,
    /// Address behind it; of a text in a pool, its address.
    pub end: Option<u64>,
}

impl Tree<'_, '_> {
    /// The pointer that an item is.
    #[must_use]
    pub fn pointer_view(&self, item: Item) -> Option<PointerView> {
        let Item::Pointer(number) = item else { return None };
        let pointer = &self.pointers[number as usize];
        Some(PointerView {
            cell: placed(pointer.cell),
            stored: pointer.stored(),
            target: pointer.target,
            at: placed(pointer.at),
            end: placed(pointer.end),
        })
    }

    /// Whether elements of an array are told apart by addresses of their own, and not by their size.
    #[must_use]
    pub fn has_starts(&self, array: ArrayRef) -> bool {
        match array {
            ArrayRef::Own(number) => {
                let array = &self.arrays[number as usize];
                array.kind == Kind::Items && array.other != UNPLACED
            }
            ArrayRef::Inline { .. } => false,
        }
    }

    /// Whether all elements of an array are numbers, truth values or nothing.
    #[must_use]
    pub fn has_only_numbers(&self, array: ArrayRef) -> bool {
        let number = |item: Item| {
            let number = matches!(item, Item::F32(_) | Item::F64(_) | Item::Bool(_) | Item::Absent);
            number || self.int(item).is_some()
        };
        match array {
            ArrayRef::Own(own) => match self.arrays[own as usize].kind {
                Kind::Records | Kind::Part => self.count(array) == 0,
                Kind::Cells => true,
                Kind::Items => self.items_of(array).all(number),
            },
            ArrayRef::Inline { .. } => true,
        }
    }

    /// Whether something says nothing, or says what zero bytes say.
    #[must_use]
    pub fn is_zero(&self, item: Item) -> bool {
        match item {
            Item::Int(n) => n == 0,
            Item::Bool(b) => !b,
            Item::F32(bits) => bits == 0,
            Item::F64(bits) => bits == 0,
            Item::Bytes(blob) => crate::is_zero(self.bytes(blob)),
            Item::Array(array) => (0..self.count(array))
                .all(|index| self.element(array, index).is_some_and(|item| self.is_zero(item))),
            Item::Absent => true,
            _ => false,
        }
    }

    /// Whether something about a row, or one of its elements, is spelled in an unusual way.
    #[must_use]
    pub fn is_kept(&self, loc: Loc) -> bool {
        self.kept.is_about(loc)
    }
}

/// An address, if it is known.
#[must_use]
pub fn placed(at: u32) -> Option<u64> {
    (at != UNPLACED).then_some(at.into())
}
