//! Reads elements that say where they stand in the bytes of their array.

use alloc::vec::Vec;

use super::super::item::{Item, Loc};
use super::super::reading::{short, Read};
use super::super::state::Engine;
use super::columns::Taken;
use super::Cursor;
use crate::model::{ArrayLength, ArrayType, Row};

impl<'p, 'b> Engine<'p, 'b> {
    /// Takes all bytes of the region, whichever of them belong to elements.
    pub(super) fn read_scattered(
        &mut self,
        array: &'p ArrayType,
        loc: Loc,
        row: &'p Row,
        cursor: &mut Cursor<'b>,
    ) -> Read<Item> {
        let (base, limit) = (cursor.at, cursor.limit);
        self.budget.charge(7).map_err(|kind| self.error(kind, base, loc))?;
        let count = match array.length {
            ArrayLength::Count(count) => self.evaluate_count(count, "count", loc, base)?,
            ArrayLength::Fill | ArrayLength::Last(_) => 0,
        };
        let size = limit - base;
        self.tree.begin_elements(loc);
        let mut taken: Vec<Taken> = Vec::new();
        for index in 0..count {
            let place = loc.at(short(index));
            self.budget.charge(6).map_err(|kind| self.error(kind, base, place))?;
            let at = match array.described.as_ref().and_then(|of| of.at) {
                Some(at) => self.offset_of(at, size, base, place)?,
                None => 0,
            };
            let mut inner = Cursor::new(base + at, limit);
            inner.room = true;
            let item = self.read_type(&array.element, place, row, &mut inner)?;
            self.align_bits(&mut inner)?;
            self.tree.push_element(item);
            let end = inner.at - base;
            if end > at {
                taken.push(Taken { at, end, place });
            }
        }
        let free = self.free_bytes(&mut taken, size, base)?;
        let behind = free.last().is_some_and(|(_, to)| *to == size);
        let unsaid = behind && self.room_follows(loc);
        self.keep_free(&free, (1, size), unsaid, loc, base)?;
        cursor.at = limit;
        let starts = self.reading.starts.len();
        Ok(self.finish_array(starts, base, limit))
    }
}
