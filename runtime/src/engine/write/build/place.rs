//! Puts values into rows in place.

use super::super::super::item::{ArrayRef, Item, Loc};
use super::super::super::plan::Store;
use super::super::super::state::Engine;
use super::super::super::tree::{cell_bytes, stored_float};
use crate::load::mask;
use crate::model::{Cell, Meaning, RecordKind, Row, Storage, Type};
use crate::spelling::{KeptKind, KeptValue};
use alloc::vec::Vec;

impl<'p> Engine<'p, '_> {
    pub(super) fn put_item(&mut self, loc: Loc, row: &'p Row, item: Item) {
        match self.tree.row_plan(loc.node, loc.row).store {
            Store::Slot(_) => self.tree.set_item(loc, item),
            _ => self.put_in_place(loc, row, item),
        }
    }

    /// Stores an item in the bytes of its row, or remembers it if it does not fit there.
    pub(crate) fn put_in_place(&mut self, loc: Loc, row: &Row, item: Item) {
        let planned = self.tree.row_plan(loc.node, loc.row);
        if let (Some(number), Item::Int(n)) = (planned.number, item) {
            if number.takes(n) && self.tree.put_number(loc.node, &number, n) {
                return;
            }
        }
        let stored = match (planned.store, row.ty.stripped()) {
            (Store::Cell, Type::Cell(cell)) => match self.bits_in_place(loc, cell, row, item) {
                Some(bits) => self.put_bits_in_place(loc, cell, bits),
                None => false,
            },
            (Store::Cells(count), Type::Array(array)) => match (item, &array.element) {
                (Item::Array(items), Type::Cell(cell)) if self.tree.count(items) == count => {
                    self.put_numbers_in_place(loc, cell, row, items)
                }
                _ => false,
            },
            (Store::Bytes(size), _) => match item {
                Item::Text(blob) | Item::Bytes(blob) if blob.len == size => {
                    let bytes = self.tree.bytes(blob).to_vec();
                    self.tree.place_mut(loc, size).map(|to| to.copy_from_slice(&bytes)).is_some()
                }
                _ => false,
            },
            (Store::Fill(_) | Store::Said | Store::Absent, _) => true,
            _ => false,
        };
        if !stored {
            self.tree.set_odd(loc, item);
        }
    }

    /// The bits that a cell stores for an item; `None` if it cannot.
    pub(crate) fn bits_in_place(
        &self,
        loc: Loc,
        cell: &Cell,
        row: &Row,
        item: Item,
    ) -> Option<u64> {
        Some(match (item, &cell.meaning) {
            (_, Meaning::Float(_)) => stored_float(cell, item)?,
            (Item::Bool(b), Meaning::Bool { yes }) => {
                if b {
                    *yes
                } else {
                    0
                }
            }
            (Item::Bool(b), _) => b.into(),
            (Item::Absent, _) => self.code_for_none(loc, row, None)? as u64,
            (item, _) => {
                let stored = self.tree.int(item)?.checked_add(row.plus)?;
                let stored = match cell.meaning {
                    Meaning::Bool { yes } if stored != 0 => i128::from(yes),
                    _ => stored,
                };
                let (bits, signed) = self.model.cell_range(cell);
                if !crate::fits(stored, bits, signed) {
                    return None;
                }
                stored as u64
            }
        })
    }

    /// The number that stands for nothing: the one that was kept, or the first. Behind those of the
    /// row may come another one.
    pub(crate) fn code_for_none(&self, loc: Loc, row: &Row, other: Option<i128>) -> Option<i128> {
        let mut nones = row.nones(other);
        let first = nones.next()?;
        match self.tree.kept_of(loc, KeptKind::Number).map(|kept| &kept.stored) {
            Some(KeptValue::Int(code)) if nones.any(|none| none == *code) => Some(*code),
            _ => Some(first),
        }
    }

    pub(super) fn put_bits_in_place(&mut self, loc: Loc, cell: &Cell, bits: u64) -> bool {
        match (cell.storage, &self.tree.record(loc.node).kind) {
            (Storage::Word { first, last, .. }, RecordKind::Word(int)) => {
                let size = int.bytes;
                let Some(place) = self.tree.place_mut(loc, size.into()) else { return false };
                let mut word = [0; 8];
                word[..usize::from(size)].copy_from_slice(place);
                let ones = mask(last - first + 1);
                let word = u64::from_le_bytes(word) & !(ones << first) | (bits & ones) << first;
                place.copy_from_slice(&word.to_le_bytes()[..usize::from(size)]);
                true
            }
            (Storage::Fixed(int), _) => {
                let size = usize::from(int.bytes);
                let Some(place) = self.tree.place_mut(loc, int.bytes.into()) else { return false };
                place.copy_from_slice(&bits.to_le_bytes()[..size]);
                true
            }
            _ => false,
        }
    }

    pub(super) fn put_numbers_in_place(
        &mut self,
        loc: Loc,
        cell: &Cell,
        row: &Row,
        items: ArrayRef,
    ) -> bool {
        let size = usize::from(cell_bytes(cell));
        let mut bytes = Vec::new();
        for index in 0..self.tree.count(items) {
            let item = self.tree.element(items, index).unwrap_or(Item::Absent);
            match self.bits_in_place(loc.at(index), cell, row, item) {
                Some(bits) => bytes.extend_from_slice(&bits.to_le_bytes()[..size]),
                None => return false,
            }
        }
        let all = u32::try_from(bytes.len()).unwrap_or(0);
        self.tree.place_mut(loc, all).map(|place| place.copy_from_slice(&bytes)).is_some()
    }
}
