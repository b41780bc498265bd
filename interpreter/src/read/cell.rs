//! Reads numbers and runs of bytes or text.

use std::rc::Rc;

use formwork::{BitOrder, BitReader, Endian, ReadErrorKind};
use formwork_model::{
    Cell, Content, Encoding, GroupOrder, Home, IntType, Meaning, Row, RunLength, RunType, Storage,
};

use super::{Claim, Cursor, Read};
use crate::engine::{Engine, endian};
use crate::items::is_zero;
use crate::tree::{Item, Loc};
use crate::value::{KeptKind, Value};

impl<'m, 'b> Engine<'m, 'b> {
    /// Reads a number and gives it its meaning. `none` are numbers that stand for nothing, which a
    /// closed enumeration need not name.
    pub(crate) fn read_cell(
        &mut self,
        cell: &'m Cell,
        none: &[i128],
        loc: Loc,
        cursor: &mut Cursor<'b>,
    ) -> Read<Item> {
        let at = cursor.at;
        let (raw, width_bits, signed) = match cell.storage {
            Storage::Fixed(int) => (self.read_int(int, loc, cursor)?, int.bytes * 8, int.signed),
            Storage::Varint(id) => {
                let varint = &self.model.varints[id.index()];
                let order = match varint.order {
                    GroupOrder::MsbFirst => formwork::GroupOrder::MsbFirst,
                    GroupOrder::LsbFirst => formwork::GroupOrder::LsbFirst,
                };
                let limit = usize::try_from(cursor.limit).unwrap_or(usize::MAX);
                let bytes = self.reading().bytes;
                let bytes = bytes.get(..limit).unwrap_or(bytes);
                let bits = u32::from(varint.ty.bytes) * 8;
                let (value, width) =
                    formwork::read_varint(bytes, at, order, varint.max_bytes, bits)
                        .map_err(|e| self.located(e, loc))?;
                cursor.at += u64::from(width);
                self.claim(at, cursor.at, loc);
                let shortest = formwork::varint_width(value);
                if width != shortest {
                    self.keep(
                        loc,
                        KeptKind::Width,
                        Value::Int(width.into()),
                        Value::Int(shortest.into()),
                    );
                }
                (value, varint.ty.bytes * 8, varint.ty.signed)
            }
            Storage::Bits { width, msb_first } => {
                let raw = self.read_bits(width, msb_first, loc, cursor)?;
                (raw, width, false)
            }
            Storage::Word { first, last, signed } => {
                let word = self.tree.node(loc.node).tag;
                let width = last - first + 1;
                let word = u64::try_from(word).unwrap_or(0);
                let raw = word.checked_shr(first.into()).unwrap_or(0) & mask(width);
                (raw, width, signed)
            }
            Storage::Letter { letter, width } => (self.letter_bits(loc, letter), width, false),
            Storage::TagOf => {
                return Ok(Item::Int(self.tree.node(loc.node).tag));
            }
        };
        match &cell.meaning {
            Meaning::Float => {
                Ok(Item::Float { bits: raw, bytes: if width_bits == 32 { 4 } else { 8 } })
            }
            Meaning::Bool { yes } => match raw {
                0 => Ok(Item::Bool(false)),
                n if n == *yes => Ok(Item::Bool(true)),
                value => Err(self.error(ReadErrorKind::InvalidBool { value }, at, loc)),
            },
            Meaning::Int => Ok(Item::Int(signed_value(raw, width_bits, signed))),
            Meaning::Enum(id) => {
                let value = signed_value(raw, width_bits, signed);
                let definition = &self.model.enums[id.index()];
                let named = |value| definition.members.iter().any(|m| m.number == value);
                if definition.closed && !named(value) && !none.contains(&value) {
                    let name = definition.name.as_str().into();
                    return Err(self.error(ReadErrorKind::NotInEnum { name, value }, at, loc));
                }
                Ok(Item::Int(value))
            }
            Meaning::Word(record) => {
                let node = self.tree.add(self.model, *record, Some(loc.node), loc.row, loc.index);
                self.read_word(node, raw, at, cursor)?;
                Ok(Item::Node(node))
            }
        }
    }

    /// Reads the bit fields of a word.
    fn read_word(
        &mut self,
        node: crate::tree::NodeId,
        raw: u64,
        at: u64,
        cursor: &mut Cursor<'b>,
    ) -> Read<()> {
        let n = self.tree.node_mut(node);
        n.at = at;
        n.end = cursor.at;
        n.tag = raw.into();
        let end = cursor.at;
        let record = self.record(node);
        for (index, row) in record.rows.iter().enumerate() {
            let loc =
                Loc::row(node, formwork_model::RowId(u32::try_from(index).unwrap_or(u32::MAX)));
            let Home::At(bit) = self.home(row) else { continue };
            let mut inner = Cursor::new(at, end);
            let item = self.read_type(&row.ty, loc, row, &mut inner)?;
            let reserved = matches!(row.kind, formwork_model::RowKind::Reserved);
            let zero = matches!(row.kind, formwork_model::RowKind::Zero);
            if zero && !is_zero(&item) {
                return Err(self.error(ReadErrorKind::NotZero, at, loc));
            }
            if reserved && !is_zero(&item) {
                self.keep(loc, KeptKind::Reserved, crate::items::item_value(&item), Value::None);
            }
            let slot = self.tree.slot_mut(node, loc.row);
            slot.item = item;
            slot.at = at;
            slot.end = end;
            slot.bit = u8::try_from(bit).unwrap_or(u8::MAX);
            self.reading().claims.push(Claim { at, end, loc });
        }
        Ok(())
    }

    fn read_int(&mut self, int: IntType, loc: Loc, cursor: &mut Cursor<'b>) -> Read<u64> {
        let at = cursor.at;
        let width = u64::from(int.bytes);
        if width > cursor.remaining() {
            let kind =
                ReadErrorKind::UnexpectedEnd { needed: width, remaining: cursor.remaining() };
            return Err(self.error(kind, at, loc));
        }
        let order = match int.order {
            Some(order) => endian(order),
            None if int.bytes == 1 => Endian::Little,
            None => self.order_of(loc.node, at, loc)?,
        };
        let bytes = self.reading().bytes;
        let raw =
            formwork::load_uint(bytes, at, int.bytes, order).map_err(|e| self.located(e, loc))?;
        cursor.at += width;
        self.claim(at, cursor.at, loc);
        Ok(raw)
    }

    fn read_bits(
        &mut self,
        width: u8,
        msb_first: bool,
        loc: Loc,
        cursor: &mut Cursor<'b>,
    ) -> Read<u64> {
        let order = if msb_first { BitOrder::MsbFirst } else { BitOrder::LsbFirst };
        let bytes = self.reading().bytes;
        let mut reader = cursor
            .bits
            .take()
            .unwrap_or_else(|| BitReader::new(bytes, cursor.at, cursor.limit, order));
        let (byte, bit) = reader.position();
        let raw = reader.read(width.into()).map_err(|e| self.located(e, loc))?;
        let (next, rest) = reader.position();
        let end = next + u64::from(rest > 0);
        self.reading().claims.push(Claim { at: byte, end, loc });
        let slot = self.tree.slot_mut(loc.node, loc.row);
        if slot.at == crate::tree::UNPLACED {
            slot.at = byte;
            slot.bit = bit;
        }
        cursor.at = next;
        cursor.bits = Some(reader);
        Ok(raw)
    }

    /// Bits of the pattern that selected the case around a row.
    fn letter_bits(&self, loc: Loc, letter: char) -> u64 {
        let Some((pattern, number)) = self.pattern_of(loc.node) else { return 0 };
        let bits = pattern.letters.iter().find(|(l, _)| *l == letter);
        let Some((_, positions)) = bits else { return 0 };
        let number = number.cast_unsigned();
        positions.iter().fold(0, |value, bit| {
            let set = number.checked_shr(*bit).unwrap_or(0) & 1;
            value << 1 | u64::from(set == 1)
        })
    }

    /// What a stored number is as a value: nothing, or less what is added to it.
    pub(crate) fn finish_cell(
        &mut self,
        item: Item,
        loc: Loc,
        row: &'m Row,
        end: u64,
    ) -> Read<Item> {
        let Item::Int(number) = item else { return Ok(item) };
        if row.none.contains(&number) {
            if let Some(first) = row.none.first()
                && *first != number
            {
                self.keep(loc, KeptKind::Number, Value::Int(number), Value::Int(*first));
            }
            return Ok(Item::Absent);
        }
        match number.checked_sub(row.plus) {
            Some(number) => Ok(Item::Int(number)),
            None => {
                let message = "a number is beyond 128 bits".into();
                Err(self.error(ReadErrorKind::Expression { message }, end, loc))
            }
        }
    }

    pub(crate) fn read_run(
        &mut self,
        run: &'m RunType,
        loc: Loc,
        cursor: &mut Cursor<'b>,
    ) -> Read<Item> {
        if let Some(align) = run.align {
            let aligned = cursor.at.next_multiple_of(align.max(1));
            let fill = self.take(cursor, aligned - cursor.at, loc)?;
            if fill.iter().any(|b| *b != 0) {
                let at = aligned - fill.len() as u64;
                return Err(self.error(ReadErrorKind::NotZero, at, loc));
            }
        }
        let at = cursor.at;
        let claims = self.reading().claims.len();
        let unit = unit_bytes(run.content);
        let size = match &run.length {
            RunLength::Prefix(cell) => {
                let length = match self.read_cell(cell, &[], loc, cursor)? {
                    Item::Int(n) => u64::try_from(n).unwrap_or(u64::MAX),
                    _ => 0,
                };
                length.checked_mul(unit)
            }
            RunLength::Fill => Some(cursor.remaining()),
            RunLength::Fixed(size) => Some(*size),
            RunLength::Count(count) => self.evaluate_count(*count, loc, at)?.checked_mul(unit),
        };
        let content = cursor.at;
        let bytes = self.take(cursor, size.unwrap_or(u64::MAX), loc)?;
        let item = self.decode(run.content, bytes, content, loc)?;
        if !run.suffix.is_empty() {
            let suffix = self.take(cursor, run.suffix.len() as u64, loc)?;
            if suffix != run.suffix {
                let kind = ReadErrorKind::MissingTerminator;
                return Err(self.error(kind, cursor.at - suffix.len() as u64, loc));
            }
        }
        self.reading().claims.truncate(claims);
        self.claim(at, cursor.at, loc);
        Ok(item)
    }

    /// Bytes as text, or as they are.
    fn decode(&mut self, content: Content, bytes: &[u8], at: u64, loc: Loc) -> Read<Item> {
        self.budget.charge(bytes.len() as u64).map_err(|kind| self.error(kind, at, loc))?;
        let Content::Text(encoding) = content else { return Ok(Item::Bytes(bytes.into())) };
        let invalid = |engine: &Self| {
            let encoding = encoding_name(encoding);
            engine.error(ReadErrorKind::InvalidText { encoding }, at, loc)
        };
        match encoding {
            Encoding::Ascii if !bytes.is_ascii() => Err(invalid(self)),
            Encoding::Ascii | Encoding::Utf8 => match formwork::checked_str(bytes) {
                Some(text) => Ok(Item::Text(text.into())),
                None => Err(invalid(self)),
            },
            Encoding::Utf16 | Encoding::Utf16Le | Encoding::Utf16Be => {
                if !bytes.len().is_multiple_of(2) {
                    return Err(invalid(self));
                }
                let order = self.text_order(encoding, at, loc)?;
                let units: Vec<u16> = bytes
                    .chunks_exact(2)
                    .map(|pair| match order {
                        Endian::Little => u16::from_le_bytes([pair[0], pair[1]]),
                        Endian::Big => u16::from_be_bytes([pair[0], pair[1]]),
                    })
                    .collect();
                match String::from_utf16(&units) {
                    Ok(text) => Ok(Item::Text(text.into())),
                    Err(_) => Ok(Item::Units(units.into())),
                }
            }
            Encoding::Utf32 => {
                if !bytes.len().is_multiple_of(4) {
                    return Err(invalid(self));
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
                    Some(text) => Ok(Item::Text(Rc::from(text))),
                    None => Err(invalid(self)),
                }
            }
        }
    }

    fn text_order(&mut self, encoding: Encoding, at: u64, loc: Loc) -> Read<Endian> {
        match encoding {
            Encoding::Utf16Le => Ok(Endian::Little),
            Encoding::Utf16Be => Ok(Endian::Big),
            _ => self.order_of(loc.node, at, loc),
        }
    }
}

/// Bytes of one unit of a run's length.
pub(crate) fn unit_bytes(content: Content) -> u64 {
    match content {
        Content::Text(Encoding::Utf16 | Encoding::Utf16Le | Encoding::Utf16Be) => 2,
        Content::Text(Encoding::Utf32) => 4,
        Content::Bytes | Content::Text(_) => 1,
    }
}

pub(crate) fn encoding_name(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Ascii => "ascii",
        Encoding::Utf8 => "utf8",
        Encoding::Utf16 | Encoding::Utf16Le | Encoding::Utf16Be => "utf16",
        Encoding::Utf32 => "utf32",
    }
}

/// So many ones at the low end.
pub(crate) fn mask(width: u8) -> u64 {
    u64::MAX.checked_shr(64_u32.saturating_sub(width.into())).unwrap_or(0)
}

fn signed_value(raw: u64, width_bits: u8, signed: bool) -> i128 {
    if signed { formwork::sign_extend(raw, width_bits.into()).into() } else { raw.into() }
}
