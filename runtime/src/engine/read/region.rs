//! Reads bytes that something must fill exactly.

use alloc::vec::Vec;

use super::super::item::{Item, Loc};
use super::super::reading::Read;
use super::super::state::Engine;
use super::Cursor;
use crate::ends::{Cut, Stop};
use crate::error::ReadErrorKind;
use crate::load::Endian;
use crate::model::{ExprId, Extent, RegionType, Row, Terminated, Terminator, Type};
use crate::spelling::{KeptKind, KeptValue};

impl<'p, 'b> Engine<'p, 'b> {
    pub(crate) fn read_region(
        &mut self,
        region: &'p RegionType,
        loc: Loc,
        row: &'p Row,
        cursor: &mut Cursor<'b>,
    ) -> Read<Item> {
        self.pass_padding(region.align(), loc, cursor)?;
        let at = cursor.at;
        self.stand(cursor);
        let end = match &region.extent {
            Extent::Size(size) => {
                let size = self.evaluate_reach(*size, "size", loc, at)?;
                self.has_room(cursor, size, loc)?;
                at + size
            }
            Extent::End(end) => {
                let end = self.evaluate_reach(*end, "end", loc, at)?;
                if end > cursor.limit || end < at {
                    let (start, limit) = (at, cursor.limit);
                    let kind = ReadErrorKind::EndOutOfBounds { end, start, limit };
                    return Err(self.error(kind, at, loc));
                }
                end
            }
            Extent::Terminated(terminator) => {
                return self.read_terminated(region, terminator, loc, row, cursor);
            }
            Extent::Rest => cursor.limit,
        };
        let room = match &region.extent {
            Extent::Size(size) => self.gives_room_here(loc, *size),
            Extent::Rest => cursor.room,
            Extent::End(_) | Extent::Terminated(_) => false,
        };
        let Some(trim) = &region.trim else {
            let item = self.read_exactly(region, loc, row, at, end, room)?;
            cursor.at = end;
            return Ok(item);
        };
        let bytes = self.file_bytes(at, end, loc)?;
        let order = self.unit_order(trim.terminator.as_ref(), at, loc)?;
        let cut = Cut::of(trim, order);
        let length = cut.length(bytes);
        let item = self.read_exactly(region, loc, row, at, at + length as u64, false)?;
        let (content, tail) = bytes.split_at(length.min(bytes.len()));
        let canonical = match room {
            true => cut.tail(content, Some(bytes.len())),
            false => self.least_tail(loc, cut, content, at),
        };
        if !canonical.is_some_and(|canonical| canonical.is(tail)) {
            let stored = KeptValue::Bytes(tail.to_vec());
            self.keep(loc, KeptKind::Tail, stored, KeptValue::Int(length as i128));
        }
        self.claim(at + length as u64, end, loc);
        cursor.at = end;
        Ok(item)
    }

    /// How far a region reaches, which may follow from where the targets of its pointers are.
    pub(super) fn evaluate_reach(
        &mut self,
        expr: ExprId,
        what: &'static str,
        loc: Loc,
        at: u64,
    ) -> Read<u64> {
        self.reading.opening.push((loc, Some(at)));
        let reach = self.evaluate_count(expr, what, loc, at);
        self.reading.opening.pop();
        reach
    }

    fn read_terminated(
        &mut self,
        region: &'p RegionType,
        terminator: &'p Terminator,
        loc: Loc,
        row: &'p Row,
        cursor: &mut Cursor<'b>,
    ) -> Read<Item> {
        let at = cursor.at;
        let bytes = self.file_bytes(at, cursor.limit, loc)?;
        let stop = Stop::of(terminator, self.unit_order(Some(terminator), at, loc)?);
        let found = stop.find(bytes);
        self.budget
            .charge(found.unwrap_or(bytes.len()) as u64 / 8)
            .map_err(|kind| self.error(kind, at, loc))?;
        let (content, next) = match found {
            Some(index) => {
                let (content, next) = stop.taken(index);
                (content as u64, next as u64)
            }
            None if terminator.optional => {
                let length = bytes.len() as u64;
                if terminator.mode == Terminated::Dropped && !cursor.room {
                    // The end of the region stands for the terminator.
                    let stored = KeptValue::Bytes(Vec::new());
                    self.keep(loc, KeptKind::Tail, stored, KeptValue::Int(length.into()));
                }
                (length, length)
            }
            None => return Err(self.error(ReadErrorKind::MissingTerminator, at, loc)),
        };
        let item = self.read_exactly(region, loc, row, at, at + content, false)?;
        self.claim(at + content, at + next, loc);
        cursor.at = at + next;
        Ok(item)
    }

    /// Byte order of the units that end something, if it matters.
    fn unit_order(&mut self, of: Option<&Terminator>, at: u64, loc: Loc) -> Read<Endian> {
        match of {
            Some(terminator) if terminator.has_order() => self.order_of(loc.node, at, loc),
            _ => Ok(Endian::default()),
        }
    }

    /// Reads the content of a region, which must reach its end.
    fn read_exactly(
        &mut self,
        region: &'p RegionType,
        loc: Loc,
        row: &'p Row,
        at: u64,
        end: u64,
        room: bool,
    ) -> Read<Item> {
        let mut inner = Cursor::new(at, end);
        inner.room = room;
        let item = self.read_bounded(&region.inner, loc, row, &mut inner)?;
        self.align_bits(&mut inner)?;
        if inner.at < end {
            let kind = ReadErrorKind::TrailingBytes { remaining: end - inner.at };
            return Err(self.error(kind, inner.at, loc));
        }
        Ok(item)
    }

    /// Reads what must reach to the end of its region: what is in it may ask where that is.
    pub(super) fn read_bounded(
        &mut self,
        ty: &'p Type,
        loc: Loc,
        row: &'p Row,
        cursor: &mut Cursor<'b>,
    ) -> Read<Item> {
        if matches!(ty, Type::Run(_) | Type::Cell(_)) {
            return self.read_type(ty, loc, row, cursor);
        }
        let around = self.reading.bounded.len();
        self.reading.bounded.push((loc, cursor.limit));
        let item = self.read_type(ty, loc, row, cursor);
        self.reading.bounded.truncate(around);
        item
    }

    fn file_bytes(&mut self, at: u64, end: u64, loc: Loc) -> Read<&'b [u8]> {
        let bytes = crate::slice(self.tree.file, at, end.saturating_sub(at));
        bytes.map_err(|error| self.located(error, loc))
    }
}
