//! Arrays of the tree: their elements, and where these are.

use super::super::item::{ArrayRef, From, Item, Loc, NodeRef, UNPLACED};
use super::super::packed::make_room;
use super::super::plan::Store;
use super::cells::cell_order;
use super::flat::Numbers;
use super::{cell_bytes, inline, Array, Elements, Kind, Records, Tree};
use crate::load::Endian;
use crate::model::{Cell, Storage, Type};

impl<'p> Tree<'p, '_> {
    /// Number of elements.
    #[must_use]
    pub fn count(&self, array: ArrayRef) -> u32 {
        match array {
            ArrayRef::Own(array) => self.arrays[array as usize].count,
            ArrayRef::Inline { .. } => {
                match self.row_plan(inline(array).node, inline(array).row).store {
                    Store::Cells(count) => count,
                    _ => 0,
                }
            }
        }
    }

    /// An element itself: of a pointer, the pointer.
    #[must_use]
    pub fn element(&self, array: ArrayRef, index: u32) -> Option<Item> {
        let ArrayRef::Own(number) = array else { return self.inline_element(array, index) };
        let whole = &self.arrays[number as usize];
        if index >= whole.count {
            return None;
        }
        Some(match whole.kind {
            Kind::Items => self.items.get((whole.first + index) as usize),
            Kind::Records => Item::Node(NodeRef { id: number, element: index, part: 0 }),
            Kind::Part => {
                Item::Node(NodeRef { id: whole.other, element: whole.first + index, part: 0 })
            }
            Kind::Cells => {
                let cells = &self.cells[whole.first as usize];
                let size = cell_bytes(cells.cell);
                let at = cells.first + (u32::from(size) + whole.gap) * index;
                let raw = self.load(cells.from, at, size, cells.order);
                self.meant(raw, cells.cell, cells.row)
            }
        })
    }

    /// An element of the numbers of a row that are in place.
    fn inline_element(&self, array: ArrayRef, index: u32) -> Option<Item> {
        if index >= self.count(array) {
            return None;
        }
        let loc = inline(array);
        if let Some(item) = self.odd_element(loc.at(index)) {
            return Some(item);
        }
        let (cell, (from, at, order)) = self.inline_cells(loc)?;
        let size = cell_bytes(cell);
        let raw = self.load(from, at + u32::from(size) * index, size, order);
        Some(self.meant(raw, cell, self.row(loc)))
    }

    /// The type of the numbers of a row that are in place, and where the first one is.
    fn inline_cells(&self, loc: Loc) -> Option<(&'p Cell, (From, u32, Endian))> {
        let (from, at, order) = self.spot(loc)?;
        let Type::Array(array) = &self.row(loc).ty else { return None };
        let Type::Cell(cell) = &array.element else { return None };
        let order = match cell.storage {
            Storage::Fixed(int) => cell_order(from, int, order),
            _ => order,
        };
        Some((cell, (from, at, order)))
    }

    /// The numbers of a row that are in place, if all of them are.
    pub(super) fn inline_numbers(&self, array: ArrayRef) -> Option<Numbers> {
        let loc = inline(array);
        let (cell, spot) = self.inline_cells(loc).filter(|_| self.is_all_in_place())?;
        Numbers::of(cell, self.row(loc), spot, cell_bytes(cell).into())
    }

    /// What an array consists of.
    pub(crate) fn elements(&self, number: u32) -> Elements<'p> {
        let Array { kind, first, other, .. } = self.arrays[number as usize];
        match kind {
            Kind::Items => Elements::Items { first, starts: (other != UNPLACED).then_some(other) },
            Kind::Cells => Elements::Cells(self.cells[first as usize]),
            Kind::Records => Elements::Records(self.records[first as usize]),
            Kind::Part => Elements::Part { array: other, first },
        }
    }

    /// Where the elements of an array of compact records are.
    #[inline]
    pub(crate) fn records(&self, number: u32) -> Option<&Records> {
        let array = &self.arrays[number as usize];
        (array.kind == Kind::Records).then(|| &self.records[array.first as usize])
    }

    /// Remembers where the addresses of the elements of an array of items begin.
    pub(crate) fn set_starts(&mut self, number: u32, starts: Option<u32>) {
        let array = &mut self.arrays[number as usize];
        if array.kind == Kind::Items {
            array.other = starts.unwrap_or(UNPLACED);
        }
    }

    /// The elements of an array of items.
    pub(crate) fn items_of(&self, array: ArrayRef) -> impl Iterator<Item = Item> + '_ {
        let range = match array {
            ArrayRef::Own(number) => {
                let array = &self.arrays[number as usize];
                let count = if array.kind == Kind::Items { array.count } else { 0 };
                array.first..array.first + count
            }
            ArrayRef::Inline { .. } => 0..0,
        };
        range.map(|at| self.items.get(at as usize))
    }

    fn odd_element(&self, loc: Loc) -> Option<Item> {
        if self.odd.is_empty() {
            None
        } else {
            self.odd.get(&loc).copied()
        }
    }

    /// Address of the first byte of an array, or behind the last.
    #[must_use]
    pub fn array_at(&self, array: ArrayRef, end: bool) -> u32 {
        match array {
            ArrayRef::Own(number) => {
                let array = &self.arrays[number as usize];
                if end {
                    array.end
                } else {
                    array.at
                }
            }
            ArrayRef::Inline { .. } if end => self.row_end(inline(array)),
            ArrayRef::Inline { .. } => self.row_at(inline(array)),
        }
    }

    /// Address of an element that lies in its array, or behind it.
    #[must_use]
    pub fn element_at(&self, array: ArrayRef, index: u32, end: bool) -> u32 {
        let at = self.array_at(array, false);
        if at == UNPLACED {
            return UNPLACED;
        }
        let number = match array {
            ArrayRef::Own(number) => &self.arrays[number as usize],
            ArrayRef::Inline { .. } => return self.even_element_at(array, index, end),
        };
        if number.kind != Kind::Items || number.other == UNPLACED {
            return self.even_element_at(array, index, end);
        }
        let index = if end { index + 1 } else { index };
        if index < number.count {
            self.starts[(number.other + index) as usize] - if end { number.gap } else { 0 }
        } else {
            number.end
        }
    }

    /// The same where all elements have one size.
    fn even_element_at(&self, array: ArrayRef, index: u32, end: bool) -> u32 {
        let (at, behind) = (self.array_at(array, false), self.array_at(array, true));
        // While an array is being written nothing but where it begins is known.
        if behind == UNPLACED && (end || index > 0) {
            return UNPLACED;
        }
        let size = behind.saturating_sub(at);
        let gap = match array {
            ArrayRef::Own(number) => self.arrays[number as usize].gap,
            ArrayRef::Inline { .. } => 0,
        };
        let stride = (size + gap).checked_div(self.count(array)).unwrap_or(0);
        at + stride * index + if end { stride - gap } else { 0 }
    }

    pub(crate) fn add_array(&mut self, elements: Elements<'p>, count: u32) -> u32 {
        let number = u32::try_from(self.arrays.len()).unwrap_or(UNPLACED);
        let position = |n: usize| u32::try_from(n).unwrap_or(UNPLACED);
        let (kind, first, other) = match elements {
            Elements::Items { first, starts } => (Kind::Items, first, starts.unwrap_or(UNPLACED)),
            Elements::Cells(cells) => {
                self.cells.push(cells);
                (Kind::Cells, position(self.cells.len() - 1), UNPLACED)
            }
            Elements::Records(records) => {
                self.compact.push(number);
                self.duties |= self.plan_of(records.record).all_duties;
                self.records.push(records);
                (Kind::Records, position(self.records.len() - 1), UNPLACED)
            }
            Elements::Part { array, first } => (Kind::Part, first, array),
        };
        make_room(&mut self.arrays, 1);
        let (at, end) = (UNPLACED, UNPLACED);
        self.arrays.push(Array { kind, first, other, count, at, end, gap: 0 });
        number
    }

    /// An array without elements and without an address, which may be in any number of rows.
    pub(crate) fn no_elements(&mut self) -> u32 {
        if self.nothing == UNPLACED {
            self.nothing = self.add_items(&[]);
        }
        self.nothing
    }

    /// Makes an array of items.
    pub(crate) fn add_items(&mut self, items: &[Item]) -> u32 {
        let first = u32::try_from(self.items.len()).unwrap_or(UNPLACED);
        self.items.extend(items);
        let count = u32::try_from(items.len()).unwrap_or(UNPLACED);
        self.add_array(Elements::Items { first, starts: None }, count)
    }

    /// Sets an element itself.
    pub(crate) fn set_element(&mut self, array: ArrayRef, index: u32, item: Item) {
        let ArrayRef::Own(number) = array else { return };
        let Array { kind, first, .. } = self.arrays[number as usize];
        if kind == Kind::Items {
            self.items.set((first + index) as usize, item);
        }
    }
}
