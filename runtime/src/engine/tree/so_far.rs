//! Elements of arrays that are being read.

use alloc::vec::Vec;

use super::super::item::{Item, Loc};
use super::Tree;

/// Arrays that are being read, inner ones behind those around them, with their elements so far.
#[derive(Debug, Default)]
pub(crate) struct SoFar {
    /// The row of each, and where its elements begin: they end where those of the next one begin.
    arrays: Vec<(Loc, usize)>,
    items: Vec<Item>,
}

impl Tree<'_, '_> {
    /// From here on elements belong to the array in this row.
    pub(crate) fn begin_elements(&mut self, row: Loc) {
        self.so_far.arrays.push((row, self.so_far.items.len()));
    }

    /// An element of the array that was begun last has been read.
    pub(crate) fn push_element(&mut self, item: Item) {
        self.so_far.items.push(item);
    }

    /// Makes an array of the elements that have been read since the last one was begun.
    pub(crate) fn end_elements(&mut self) -> u32 {
        let first = self.so_far.arrays.pop().map_or(0, |(_, first)| first);
        let mut items = core::mem::take(&mut self.so_far.items);
        let number = self.add_items(&items[first..]);
        items.truncate(first);
        self.so_far.items = items;
        number
    }

    /// Reading has ended: what was begun will not be finished.
    pub(crate) fn leave_arrays(&mut self) {
        self.so_far = SoFar::default();
    }

    /// Whether some array is being read.
    #[inline]
    pub(crate) fn is_in_array(&self) -> bool {
        !self.so_far.arrays.is_empty()
    }

    /// Number of elements so far of the array in a row, if it is being read.
    pub(crate) fn count_so_far(&self, row: Loc) -> Option<u32> {
        self.begun(row).and_then(|items| u32::try_from(items.len()).ok())
    }

    /// What is in an element that has been read, if its array is still being read.
    #[cold]
    pub(super) fn element_so_far(&self, loc: Loc, index: u32) -> Item {
        let items = self.begun(loc.whole_row()).unwrap_or_default();
        items.get(index as usize).copied().unwrap_or(Item::Absent)
    }

    /// None is begun within itself: what a row needs to be read is not in what it holds.
    fn begun(&self, row: Loc) -> Option<&[Item]> {
        let mut end = self.so_far.items.len();
        for (begun, first) in self.so_far.arrays.iter().rev() {
            if *begun == row {
                return self.so_far.items.get(*first..end);
            }
            end = *first;
        }
        None
    }
}
