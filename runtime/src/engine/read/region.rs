//! Reads bytes that something must fill exactly.

use alloc::vec::Vec;

use super::super::item::{Item, Loc};
use super::super::state::Engine;
use super::{Cursor, Read};
use crate::error::ReadErrorKind;
use crate::model::{Extent, RegionType, Row, Terminated, Terminator, Trim};
use crate::spelling::{KeptKind, KeptValue};

impl<'p, 'b> Engine<'p, 'b> {
    pub(crate) fn read_region(
        &mut self,
        region: &'p RegionType,
        loc: Loc,
        row: &'p Row,
        cursor: &mut Cursor<'b>,
    ) -> Read<Item> {
        let at = cursor.at;
        self.here = at;
        self.region_end = cursor.limit;
        let end = match &region.extent {
            Extent::Size(size) => {
                let size = self.evaluate_count(*size, loc, at)?;
                if size > cursor.remaining() {
                    let remaining = cursor.remaining();
                    let kind = ReadErrorKind::UnexpectedEnd { needed: size, remaining };
                    return Err(self.error(kind, at, loc));
                }
                at + size
            }
            Extent::End(end) => {
                let end = self.evaluate_count(*end, loc, at)?;
                if end > cursor.limit || end < at {
                    let kind = ReadErrorKind::PointerOutOfBounds { target: end.into() };
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
            Extent::Size(size) => self.gives_room(loc, *size),
            Extent::Rest => cursor.room,
            Extent::End(_) | Extent::Terminated(_) => false,
        };
        let Some(trim) = &region.trim else {
            let item = self.read_exactly(region, loc, row, at, end, room)?;
            cursor.at = end;
            return Ok(item);
        };
        let bytes = self.file_bytes(at, end, loc)?;
        let length = content_length(trim, bytes);
        let item = self.read_exactly(region, loc, row, at, at + length as u64, false)?;
        let (content, tail) = bytes.split_at(length.min(bytes.len()));
        let canonical = canonical_tail(trim, content, room.then_some(bytes.len()));
        if canonical.as_deref() != Some(tail) {
            let stored = KeptValue::Bytes(tail.to_vec());
            self.keep(loc, KeptKind::Tail, stored, KeptValue::Int(length as i128));
        }
        self.claim(at + length as u64, end, loc);
        cursor.at = end;
        Ok(item)
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
        let found = find_terminator(terminator, bytes);
        self.budget
            .charge(found.unwrap_or(bytes.len()) as u64 / 8)
            .map_err(|kind| self.error(kind, at, loc))?;
        let width = terminator.bytes.len() as u64;
        let (content, next) = match found {
            Some(index) => {
                let index = index as u64;
                match terminator.mode {
                    Terminated::Dropped => (index, index + width),
                    Terminated::Kept => (index + width, index + width),
                    Terminated::Unread => (index, index),
                }
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
        let item = self.read_type(&region.inner, loc, row, &mut inner)?;
        inner.align_bits();
        if inner.at < end {
            let kind = ReadErrorKind::TrailingBytes { remaining: end - inner.at };
            return Err(self.error(kind, inner.at, loc));
        }
        Ok(item)
    }

    fn file_bytes(&mut self, at: u64, end: u64, loc: Loc) -> Read<&'b [u8]> {
        let bytes = crate::slice(self.tree.file, at, end.saturating_sub(at));
        bytes.map_err(|error| self.located(error, loc))
    }
}

/// Offset of a terminator, which stands at a multiple of its length.
pub(crate) fn find_terminator(terminator: &Terminator, bytes: &[u8]) -> Option<usize> {
    let width = terminator.bytes.len().max(1);
    if let [byte] = terminator.bytes[..] {
        return bytes.iter().position(|b| *b == byte);
    }
    bytes.chunks_exact(width).position(|unit| unit == terminator.bytes).map(|index| index * width)
}

/// Length of the content in a region of known size.
pub(crate) fn content_length(trim: &Trim, bytes: &[u8]) -> usize {
    if let Some(terminator) = &trim.terminator {
        if let Some(index) = find_terminator(terminator, bytes) {
            return match terminator.mode {
                Terminated::Kept => index + terminator.bytes.len(),
                Terminated::Dropped | Terminated::Unread => index,
            };
        }
    }
    match trim.strip {
        Some(strip) => bytes.iter().rposition(|b| *b != strip).map_or(0, |last| last + 1),
        None => bytes.len(),
    }
}

/// What stands behind the content unless the file had something else; `None` if content of this
/// kind cannot stand in a region of this size. Without a size the region is as short as can be.
pub(crate) fn canonical_tail(trim: &Trim, content: &[u8], size: Option<usize>) -> Option<Vec<u8>> {
    let fill = trim.strip.unwrap_or(0);
    let room = match size {
        Some(size) => size.checked_sub(content.len())?,
        None => 0,
    };
    let mut tail = Vec::new();
    if let Some(terminator) = &trim.terminator {
        let ended = match terminator.mode {
            Terminated::Kept => find_terminator(terminator, content).is_some(),
            Terminated::Dropped | Terminated::Unread => false,
        };
        let ends_in_fill = trim.strip.is_some_and(|s| content.last() == Some(&s));
        if !ended && terminator.mode != Terminated::Kept {
            let fits = room >= terminator.bytes.len();
            // Without a size the terminator is written; with one only if something follows.
            if (size.is_none() && !terminator.optional) || (fits && size.is_some()) {
                tail.extend_from_slice(&terminator.bytes);
            } else if ends_in_fill && size.is_some() && room > 0 {
                return None;
            }
        }
    }
    tail.resize(room.max(tail.len()), fill);
    Some(tail)
}
