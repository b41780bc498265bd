//! Texts, bytes and large numbers of a tree.

use super::super::item::{Blob, From, Item, UNPLACED};
use super::Tree;

impl<'p> Tree<'p, '_> {
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
        // Contents may be most of a file: the list grows by a quarter, not to twice its size.
        if self.own.capacity() - self.own.len() < bytes.len() {
            self.own.reserve_exact(bytes.len().max(self.own.len() / 4));
        }
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
}
