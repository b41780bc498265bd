//! Reads runs of bytes or text.

use alloc::string::String;
use alloc::vec::Vec;

use super::super::item::{Blob, From, Item, Loc};
use super::super::reading::{short, Read};
use super::super::state::Engine;
use super::Cursor;
use crate::error::ReadErrorKind;
use crate::load::Endian;
use crate::model::{text_of_mutf8, unit_size, Content, Encoding, RunLength, RunType};

impl<'p, 'b> Engine<'p, 'b> {
    /// Moves behind the zero bytes in front of something aligned.
    pub(super) fn pass_padding(
        &mut self,
        align: Option<u64>,
        loc: Loc,
        cursor: &mut Cursor<'b>,
    ) -> Read<()> {
        let Some(align) = align.filter(|align| *align > 1) else { return Ok(()) };
        let aligned = cursor.at.next_multiple_of(align);
        let fill = self.take(cursor, aligned - cursor.at, loc)?;
        if crate::is_zero(fill) {
            return Ok(());
        }
        let at = aligned - fill.len() as u64;
        Err(self.error(ReadErrorKind::NotZero, at, loc))
    }

    pub(crate) fn read_run(
        &mut self,
        run: &'p RunType,
        loc: Loc,
        cursor: &mut Cursor<'b>,
    ) -> Read<Item> {
        self.pass_padding(run.align, loc, cursor)?;
        let at = cursor.at;
        let mut claimed = self.claimed();
        let unit = unit_size(run.content);
        let what = if unit == 1 { "size" } else { "count" };
        let size = match &run.length {
            RunLength::Prefix(cell) => {
                let length = self.read_cell(cell, &[], loc, cursor)?;
                let count = self.tree.int(length).unwrap_or(0);
                match u64::try_from(count) {
                    Ok(length) => length.checked_mul(unit),
                    Err(_) => {
                        return Err(self.error(
                            ReadErrorKind::NegativeCount { what, count },
                            at,
                            loc,
                        ))
                    }
                }
            }
            RunLength::Fill => Some(cursor.remaining()),
            RunLength::Fixed(size) => Some(*size),
            RunLength::Count(count) => {
                let count = self.evaluate_reach(*count, what, loc, at)?;
                // What the count is found in was perhaps read just now, and stays claimed.
                claimed = self.claimed();
                count.checked_mul(unit)
            }
        };
        let content = cursor.at;
        let bytes = self.take(cursor, size.unwrap_or(u64::MAX), loc)?;
        let item = self.decode(run.content, bytes, content, loc)?;
        if !run.suffix.is_empty() {
            let suffix = self.take(cursor, run.suffix.len() as u64, loc)?;
            if suffix != run.suffix {
                let at = cursor.at - suffix.len() as u64;
                return Err(self.error(ReadErrorKind::MissingTerminator, at, loc));
            }
        }
        self.unclaim(claimed);
        self.claim(at, cursor.at, loc);
        Ok(item)
    }

    /// Bytes of the file as text, or as they are.
    fn decode(&mut self, content: Content, bytes: &'b [u8], at: u64, loc: Loc) -> Read<Item> {
        let blob = Blob { from: From::File, start: short(at), len: short(bytes.len() as u64) };
        let Content::Text(encoding) = content else {
            self.budget.charge(bytes.len() as u64).map_err(|kind| self.error(kind, at, loc))?;
            return Ok(Item::Bytes(blob));
        };
        match encoding {
            Encoding::Ascii | Encoding::Utf8 => {
                self.must_be_text(encoding, blob, at, loc)?;
                Ok(Item::Text(blob))
            }
            Encoding::Utf16 | Encoding::Utf16Le | Encoding::Utf16Be => {
                self.budget.charge(bytes.len() as u64).map_err(|kind| self.error(kind, at, loc))?;
                if bytes.len() % 2 != 0 {
                    return Err(self.no_text(encoding, at, loc));
                }
                let order = self.text_order(encoding, at, loc)?;
                let units: Vec<u16> = bytes
                    .chunks_exact(2)
                    .map(|pair| match order {
                        Endian::Little => u16::from_le_bytes([pair[0], pair[1]]),
                        Endian::Big => u16::from_be_bytes([pair[0], pair[1]]),
                    })
                    .collect();
                Ok(match String::from_utf16(&units) {
                    Ok(text) => Item::Text(self.tree.add_bytes(text.as_bytes())),
                    Err(_) => self.tree.add_units(&units),
                })
            }
            Encoding::Latin1 | Encoding::Cp1252 => {
                self.budget.charge(bytes.len() as u64).map_err(|kind| self.error(kind, at, loc))?;
                if bytes.is_ascii() {
                    return Ok(Item::Text(blob));
                }
                let text: String = bytes.iter().map(|byte| encoding.letter(*byte)).collect();
                Ok(Item::Text(self.tree.add_bytes(text.as_bytes())))
            }
            Encoding::Mutf8 => {
                self.budget.charge(bytes.len() as u64).map_err(|kind| self.error(kind, at, loc))?;
                if bytes.is_ascii() && !bytes.contains(&0) {
                    return Ok(Item::Text(blob));
                }
                match text_of_mutf8(bytes) {
                    Some(text) => Ok(Item::Text(self.tree.add_bytes(text.as_bytes()))),
                    None => Err(self.no_text(encoding, at, loc)),
                }
            }
            Encoding::Utf32 => {
                self.budget.charge(bytes.len() as u64).map_err(|kind| self.error(kind, at, loc))?;
                if bytes.len() % 4 != 0 {
                    return Err(self.no_text(encoding, at, loc));
                }
                let order = self.text_order(encoding, at, loc)?;
                let text: Option<String> = bytes
                    .chunks_exact(4)
                    .map(|unit| {
                        let unit = [unit[0], unit[1], unit[2], unit[3]];
                        char::from_u32(match order {
                            Endian::Little => u32::from_le_bytes(unit),
                            Endian::Big => u32::from_be_bytes(unit),
                        })
                    })
                    .collect();
                match text {
                    Some(text) => Ok(Item::Text(self.tree.add_bytes(text.as_bytes()))),
                    None => Err(self.no_text(encoding, at, loc)),
                }
            }
        }
    }

    /// Bytes in place are text of an encoding of bytes.
    pub(crate) fn must_be_text(
        &mut self,
        encoding: Encoding,
        blob: Blob,
        at: u64,
        loc: Loc,
    ) -> Read<()> {
        self.budget.charge(blob.len.into()).map_err(|kind| self.error(kind, at, loc))?;
        let bytes = self.tree.bytes(blob);
        let is_text = match encoding {
            Encoding::Ascii => bytes.is_ascii(),
            _ => crate::checked_str(bytes).is_some(),
        };
        if is_text {
            Ok(())
        } else {
            Err(self.no_text(encoding, at, loc))
        }
    }

    #[cold]
    fn no_text(&self, encoding: Encoding, at: u64, loc: Loc) -> crate::ReadError {
        self.error(ReadErrorKind::InvalidText { encoding: encoding.name() }, at, loc)
    }

    fn text_order(&mut self, encoding: Encoding, at: u64, loc: Loc) -> Read<Endian> {
        match encoding {
            Encoding::Utf16Le => Ok(Endian::Little),
            Encoding::Utf16Be => Ok(Endian::Big),
            _ => self.order_of(loc.node, at, loc),
        }
    }
}
