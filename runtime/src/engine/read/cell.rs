//! Reads numbers.

use alloc::format;
use alloc::string::String;

use super::super::item::{Item, Loc, NodeRef};
use super::super::node::Order;
use super::super::plan::{has_order, Place, RowPlan, Store};
use super::super::reading::{short, Read};
use super::super::state::Engine;
use super::super::tree::{cell_bytes, float, integer, number};
use super::Cursor;
use crate::bits::{BitOrder, BitReader};
use crate::error::{ReadError, ReadErrorKind};
use crate::load::{mask, Endian};
use crate::model::{
    Cell, Constant, Content, DigitsId, Home, IntType, Meaning, NotDigits, RecordKind, Role, Row,
    RowKind, Storage, Type,
};
use crate::spelling::{KeptKind, KeptValue};

impl<'p, 'b> Engine<'p, 'b> {
    /// Reads a number and gives it its meaning. `none` are numbers that stand for nothing, which a
    /// closed enumeration need not name.
    pub(crate) fn read_cell(
        &mut self,
        cell: &'p Cell,
        none: &[i128],
        loc: Loc,
        cursor: &mut Cursor<'b>,
    ) -> Read<Item> {
        let at = cursor.at;
        let (raw, bits, signed) = match cell.storage {
            Storage::Fixed(int) => {
                if let Meaning::Int = cell.meaning {
                    let raw = self.read_int(int, loc, cursor)?;
                    return Ok(integer(raw, u32::from(int.bytes) * 8, int.signed));
                }
                (self.read_int(int, loc, cursor)?, u32::from(int.bytes) * 8, int.signed)
            }
            Storage::Varint(id) => {
                let varint = &self.model.varints[id.index()];
                let limit = usize::try_from(cursor.limit).unwrap_or(usize::MAX);
                let bytes = self.tree.file;
                let bytes = bytes.get(..limit).unwrap_or(bytes);
                let bits = u32::from(varint.ty.bytes) * 8;
                let read = crate::varint::read_number(varint, bytes, at);
                let (value, width) = read.map_err(|error| self.located(error, loc))?;
                cursor.at += u64::from(width);
                self.claim(at, cursor.at, loc);
                let shortest = crate::varint::number_width(varint, value);
                if width != shortest {
                    let stored = KeptValue::Int(width.into());
                    self.keep(loc, KeptKind::Width, stored, KeptValue::Int(shortest.into()));
                }
                (value as u64, bits, varint.ty.signed)
            }
            Storage::Digits { digits, .. } => {
                return self.read_digits(cell, digits, none, loc, cursor)
            }
            Storage::Bits { width, msb_first } => {
                (self.read_bits(width, msb_first, loc, cursor)?, width.into(), false)
            }
            Storage::Word { first, last, signed } => {
                let width = last - first + 1;
                let word = self.tree.tag(loc.node) as u64;
                let raw = word.checked_shr(first.into()).unwrap_or(0) & mask(width);
                (raw, width.into(), signed)
            }
            Storage::Letter { letter, width } => {
                (self.letter_bits(loc.node, letter), width.into(), false)
            }
            Storage::TagOf => {
                let tag = self.tree.tag(loc.node) as i128;
                if matches!(cell.meaning, Meaning::Enum(_)) {
                    self.must_have_meaning(cell, 0, tag, none, at, loc)?;
                }
                return Ok(self.tree.integer(tag));
            }
        };
        match cell.meaning {
            Meaning::Float(_) => Ok(float(raw, cell)),
            Meaning::Word(record) => {
                let node = self.add_node(record, loc, at)?;
                self.read_word(node, raw, at, cursor.at)?;
                Ok(Item::Node(node))
            }
            Meaning::Bool { .. } | Meaning::Int | Meaning::Enum(_) => {
                let number = number(raw, bits, signed);
                self.must_have_meaning(cell, raw, number, none, at, loc)?;
                Ok(match cell.meaning {
                    Meaning::Bool { .. } => Item::Bool(raw != 0),
                    _ => self.tree.integer(number),
                })
            }
        }
    }

    /// Reads a number in digits, and keeps its bytes where they are not the usual ones.
    fn read_digits(
        &mut self,
        cell: &Cell,
        id: DigitsId,
        none: &[i128],
        loc: Loc,
        cursor: &mut Cursor<'b>,
    ) -> Read<Item> {
        let (at, digits) = (cursor.at, &self.model.digits[id.index()]);
        let limit = usize::try_from(cursor.limit).unwrap_or(usize::MAX);
        let file = self.tree.file.get(..limit).unwrap_or(self.tree.file);
        let rest = usize::try_from(at).ok().and_then(|at| file.get(at..)).unwrap_or(&[]);
        let no_digit = |engine: &Self, position: usize, byte: u8| {
            let kind = ReadErrorKind::NotADigit { byte, base: digits.base };
            engine.error(kind, at + position as u64, loc)
        };
        let size = match digits.extent(rest) {
            Ok(size) => size as u64,
            Err(NotDigits::At(position)) => match rest.get(position) {
                Some(byte) => return Err(no_digit(self, position, *byte)),
                // The first digit is not there.
                None => position as u64 + 1,
            },
            Err(_) if digits.end.is_empty() => {
                return Err(self.error(ReadErrorKind::DigitsOverflow, at, loc))
            }
            Err(_) => return Err(self.error(ReadErrorKind::MissingTerminator, at, loc)),
        };
        let bytes = self.take(cursor, size, loc)?;
        self.claim(at, cursor.at, loc);
        let number = digits.read(bytes).map_err(|why| match why {
            NotDigits::At(position) => {
                no_digit(self, position, bytes.get(position).copied().unwrap_or(0))
            }
            NotDigits::TooLarge | NotDigits::Endless => {
                self.error(ReadErrorKind::DigitsOverflow, at, loc)
            }
        })?;
        let usual = digits.store(number);
        if usual.as_deref() != Some(bytes) {
            let stored = KeptValue::Bytes(bytes.to_vec());
            self.keep(
                loc,
                KeptKind::Digits,
                stored,
                usual.map_or(KeptValue::None, KeptValue::Bytes),
            );
        }
        self.must_have_meaning(cell, 0, number, none, at, loc)?;
        Ok(self.tree.integer(number))
    }

    /// Truth values and closed enumerations do not have all numbers.
    fn must_have_meaning(
        &self,
        cell: &Cell,
        raw: u64,
        number: i128,
        none: &[i128],
        at: u64,
        loc: Loc,
    ) -> Read<()> {
        match cell.meaning {
            Meaning::Bool { yes } if raw != 0 && raw != yes => {
                Err(self.error(ReadErrorKind::InvalidBool { value: raw }, at, loc))
            }
            Meaning::Enum(id) => {
                let definition = &self.model.enums[id.index()];
                if !definition.allows(number) && !none.contains(&number) {
                    let name = definition.name.as_str().into();
                    let kind = ReadErrorKind::NotInEnum { name, value: number };
                    return Err(self.error(kind, at, loc));
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Reads the bit fields of a word that has a node of its own.
    fn read_word(&mut self, node: NodeRef, raw: u64, at: u64, end: u64) -> Read<()> {
        self.tree.set_tag(node, raw.into());
        let own = self.tree.own_node_mut(node);
        own.at = short(at);
        own.end = short(end);
        let plan = self.tree.plan(node);
        for (id, row) in self.tree.record(node).numbered_rows() {
            if matches!(plan.rows[id.index()].home, Home::At(_)) {
                let result = self.read_word_field(Loc::row(node, id), row, at, end);
                if result.is_err() {
                    self.tree.leave_unread(node, Some(id));
                    return result;
                }
            }
        }
        Ok(())
    }

    fn read_word_field(&mut self, loc: Loc, row: &'p Row, at: u64, end: u64) -> Read<()> {
        if self.tree.slot(loc).is_none() {
            self.verify(loc, row, at)?;
            self.claim(at, end, loc);
            return Ok(());
        }
        let item = self.read_type(&row.ty, loc, row, &mut Cursor::new(at, end))?;
        self.tree.change_slot(loc, |slot| {
            slot.item = item;
            slot.at = short(at);
            slot.end = short(end);
        });
        self.claim(at, end, loc);
        self.check_now(loc, row)
    }

    fn read_int(&mut self, int: IntType, loc: Loc, cursor: &mut Cursor<'b>) -> Read<u64> {
        let at = cursor.at;
        let width = u64::from(int.bytes);
        self.has_room(cursor, width, loc)?;
        let order = match int.order {
            Some(order) => order.into(),
            None if int.bytes == 1 => Endian::Little,
            None => self.order_of(loc.node, at, loc)?,
        };
        let raw = crate::load_uint(self.tree.file, at, int.bytes, order);
        let raw = raw.map_err(|error| self.located(error, loc))?;
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
        let file = self.tree.file;
        let (at, limit) = (cursor.at, cursor.limit);
        let bits = cursor.bits.take();
        let new = || BitReader::new(file, at, limit, order);
        let mut reader = bits.map_or_else(new, |(reader, _)| reader);
        let (byte, _) = reader.position();
        let raw = reader.read(width.into()).map_err(|error| self.located(error, loc))?;
        let (next, rest) = reader.position();
        self.claim(byte, next + u64::from(rest > 0), loc);
        cursor.at = next;
        cursor.bits = Some((reader, loc));
        Ok(raw)
    }

    /// Bits of the pattern that selected the case around a row.
    fn letter_bits(&self, node: NodeRef, letter: char) -> u64 {
        let Some((pattern, number)) = self.tree.pattern_of(node) else { return 0 };
        let bits = pattern.letters.iter().find(|(l, _)| *l == letter);
        let Some((_, positions)) = bits else { return 0 };
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
        row: &'p Row,
        end: u64,
    ) -> Read<Item> {
        if row.none.is_empty() && row.plus == 0 {
            return Ok(item);
        }
        let Some(number) = self.tree.int(item) else { return Ok(item) };
        if row.none.contains(&number) {
            self.keep_code(loc, row, None, number);
            return Ok(Item::Absent);
        }
        match number.checked_sub(row.plus) {
            Some(number) => Ok(self.tree.integer(number)),
            None => {
                let message = "a number is beyond 128 bits".into();
                Err(self.error(ReadErrorKind::Expression { message }, end, loc))
            }
        }
    }

    /// Keeps which of several numbers for nothing it is.
    pub(crate) fn keep_code(&mut self, loc: Loc, row: &Row, other: Option<i128>, number: i128) {
        // A row that follows from others keeps its number as a whole.
        if matches!(row.role, Role::Kept(_)) {
            return;
        }
        if let Some(first) = row.nones(other).next().filter(|first| *first != number) {
            let stored = KeptValue::Int(number);
            self.keep(loc, KeptKind::Number, stored, KeptValue::Int(first));
        }
    }

    /// Looks at a row in place, which lies within the file.
    pub(crate) fn verify(&mut self, loc: Loc, row: &'p Row, at: u64) -> Read<()> {
        // Padding is nearly always as it should be.
        let planned = self.tree.row_plan(loc.node, loc.row);
        if let Store::Fill(size) = planned.store {
            let bytes = crate::slice(self.tree.file, at, size.into());
            if bytes.is_ok_and(crate::is_zero) {
                return self.check_now(loc, row);
            }
        }
        let mut result = self.verify_bytes(loc, row, planned, at);
        if result.is_ok() && !matches!(planned.store, Store::Part(_)) {
            result = self.verify_meaning(loc, row, planned, at);
            let size = planned.size.unwrap_or(0);
            let word = matches!(self.tree.record(loc.node).kind, RecordKind::Word(_));
            if result.is_err() && !word && !matches!(row.ty, Type::Array(_)) {
                self.claim(at, at + u64::from(size), loc);
            }
        }
        if result.is_err() {
            self.tree.leave_begun(loc);
            return result;
        }
        self.check_now(loc, row)
    }

    /// Whether something can be made of the bytes of a row in place.
    fn verify_bytes(&mut self, loc: Loc, row: &'p Row, planned: &'p RowPlan, at: u64) -> Read<()> {
        if self.tree.known_order(loc.node) == Order::Asked && has_order(self.model, &row.ty) {
            self.order_of(loc.node, at, loc)?;
        }
        if let Store::Part(part) = planned.store {
            let node = NodeRef { part: loc.node.part + part, ..loc.node };
            if self.tree.known_order(node) == Order::Asked && self.tree.plan(node).ordered {
                let result = self.order_of(loc.node, at, loc);
                if let (Err(_), Some(first)) = (&result, self.tree.first_ordered(node, |_| true)) {
                    self.tree.leave_unordered(node, first);
                }
                result?;
            }
            return self.verify_part(node, at);
        }
        if let (Store::Bytes(_), Type::Run(run)) = (planned.store, row.ty.stripped()) {
            if let (Content::Text(encoding), Item::Text(blob)) = (run.content, self.tree.entry(loc))
            {
                self.must_be_text(encoding, blob, at, loc)?;
            }
        }
        Ok(())
    }

    /// Whether the schema allows what the bytes of a row in place mean.
    fn verify_meaning(
        &mut self,
        loc: Loc,
        row: &'p Row,
        planned: &'p RowPlan,
        at: u64,
    ) -> Read<()> {
        match (&row.kind, planned.store, &row.ty) {
            (RowKind::Constant(_), ..) => {
                if let (
                    Store::Cell,
                    Type::Cell(cell @ Cell { meaning: Meaning::Bool { .. }, .. }),
                ) = (planned.store, &row.ty)
                {
                    let raw = self.tree.raw(loc, cell);
                    self.must_have_meaning(cell, raw, raw.into(), &[], at, loc)?;
                }
                let item = self.tree.entry(loc);
                self.must_be_constant(item, at, loc, row)?;
            }
            (RowKind::Zero | RowKind::Runtime, ..) => {
                let item = self.tree.entry(loc);
                self.must_be_fill(item, 0, false, at, loc)?;
            }
            (RowKind::Reserved, ..) => {
                let item = self.tree.entry(loc);
                if !self.tree.is_zero(item) {
                    self.keep_item(loc, KeptKind::Reserved, item);
                }
            }
            (_, Store::Cell, Type::Cell(cell)) => {
                let raw = self.tree.raw(loc, cell);
                let (bits, signed) = self.model.cell_range(cell);
                let number = number(raw, bits, signed);
                self.must_have_meaning(cell, raw, number, &row.none, at, loc)?;
                if row.none.contains(&number) {
                    self.keep_code(loc, row, None, number);
                }
            }
            (_, Store::Cells(count), Type::Array(array)) => {
                if let Type::Cell(cell) = &array.element {
                    for index in 0..count {
                        let size = u64::from(cell_bytes(cell));
                        let result = self.verify_number(
                            cell,
                            loc.at(index),
                            row,
                            at + size * u64::from(index),
                        );
                        if result.is_err() {
                            self.claim_elements(at, size, u64::from(index) + 1, loc);
                            return result;
                        }
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Looks at a number in an array of numbers.
    pub(crate) fn verify_number(
        &mut self,
        cell: &'p Cell,
        loc: Loc,
        row: &'p Row,
        at: u64,
    ) -> Read<()> {
        let order = match cell.storage {
            Storage::Fixed(int) => match int.order {
                Some(order) => order.into(),
                None if int.bytes == 1 => Endian::Little,
                None => self.order_of(loc.node, at, loc)?,
            },
            _ => Endian::Little,
        };
        let raw = usize::try_from(at).unwrap_or(usize::MAX);
        let raw = super::super::tree::load(self.tree.file, raw, cell_bytes(cell), order);
        let (bits, signed) = self.model.cell_range(cell);
        let number = number(raw, bits, signed);
        self.must_have_meaning(cell, raw, number, &row.none, at, loc)?;
        if row.none.contains(&number) && !matches!(cell.meaning, Meaning::Float(_)) {
            self.keep_code(loc, row, None, number);
        }
        Ok(())
    }

    /// Looks at the rows of a compact record that lies within the file.
    pub(crate) fn verify_part(&mut self, node: NodeRef, at: u64) -> Read<()> {
        let plan = self.tree.plan(node);
        let record = self.tree.record(node);
        for id in &plan.reading {
            let at = match plan.rows[id.index()].place {
                Place::Home(offset) => at + u64::from(offset),
                _ => at,
            };
            let result = self.verify(Loc::row(node, *id), &record.rows[id.index()], at);
            if result.is_err() {
                self.tree.leave_unread(node, Some(*id));
                return result;
            }
        }
        Ok(())
    }

    /// What is wrong with a row in place that does not end before the limit, or with what of it does.
    #[cold]
    pub(crate) fn too_short(&mut self, loc: Loc, row: &'p Row, at: u64, limit: u64) -> ReadError {
        let planned = self.tree.row_plan(loc.node, loc.row);
        let remaining = limit.saturating_sub(at);
        self.tree.leave_begun(loc);
        let needed = match (planned.store, &row.ty) {
            (Store::Part(part), Type::Record(_)) => {
                let node = NodeRef { part: loc.node.part + part, ..loc.node };
                return self.node_too_short(node, at, limit);
            }
            (Store::Cells(count), Type::Array(array)) => {
                let Type::Cell(cell) = &array.element else {
                    return self.error(
                        ReadErrorKind::UnexpectedEnd { needed: 1, remaining },
                        at,
                        loc,
                    );
                };
                let size = u64::from(cell_bytes(cell));
                let fit = remaining.checked_div(size).unwrap_or(0).min(count.into());
                for index in 0..fit {
                    let element = loc.at(short(index));
                    if let Err(error) = self.verify_number(cell, element, row, at + index * size) {
                        self.claim_elements(at, size, index + 1, loc);
                        return error;
                    }
                }
                self.claim_elements(at, size, fit, loc);
                let at = at + fit * size;
                let kind = ReadErrorKind::UnexpectedEnd { needed: size, remaining: limit - at };
                return self.error(kind, at, loc.at(short(fit)));
            }
            _ => u64::from(planned.size.unwrap_or(0)),
        };
        self.error(ReadErrorKind::UnexpectedEnd { needed, remaining }, at, loc)
    }

    /// What is wrong with a compact record that does not end before the limit, or with what of it
    /// does.
    #[cold]
    pub(crate) fn node_too_short(&mut self, node: NodeRef, at: u64, limit: u64) -> ReadError {
        let plan = self.tree.plan(node);
        let remaining = limit.saturating_sub(at);
        let start = at;
        let block = plan.block.filter(|block| u64::from(*block) > remaining);
        // Its rows matter only to somebody who wants to know what is there.
        if let (Some(block), None) = (block, &self.tree.partial.asked) {
            self.tree.leave_unread(node, None);
            let kind = ReadErrorKind::UnexpectedEnd { needed: block.into(), remaining };
            return self.node_error(kind, at, node);
        }
        for (id, row) in self.tree.record(node).numbered_rows() {
            let planned = plan.rows[id.index()];
            let (Place::Home(offset), Some(size)) = (planned.place, planned.size) else { continue };
            let at = at + u64::from(offset);
            let loc = Loc::row(node, id);
            let error = match at + u64::from(size) > limit {
                true => Some(self.too_short(loc, row, at, limit)),
                false => self.verify(loc, row, at).err(),
            };
            if let Some(error) = error {
                self.tree.leave_unread(node, Some(id));
                let Some(block) = block else { return error };
                let kind = ReadErrorKind::UnexpectedEnd { needed: block.into(), remaining };
                return self.node_error(kind, start, node);
            }
        }
        let needed = plan.size.unwrap_or(0).into();
        self.node_error(ReadErrorKind::UnexpectedEnd { needed, remaining }, at, node)
    }

    /// Whether an item is the constant; floats are compared by the bits of their own width.
    pub(crate) fn is_constant(&self, item: Item, constant: &Constant) -> bool {
        let item = self.tree.through(item);
        let float_is = |wanted: u64| match item {
            Item::F32(bits) => bits == (f64::from_bits(wanted) as f32).to_bits(),
            Item::F64(bits) => bits == wanted,
            _ => false,
        };
        match (item, constant) {
            (Item::F32(_) | Item::F64(_), Constant::Float(wanted)) => float_is(*wanted),
            #[allow(clippy::cast_precision_loss, reason = "schemas state small numbers")]
            (Item::F32(_) | Item::F64(_), Constant::Int(wanted)) => {
                float_is((*wanted as f64).to_bits())
            }
            (Item::Bool(a), Constant::Bool(b)) => a == *b,
            (Item::Bool(a), Constant::Int(b)) => i128::from(a) == *b,
            (Item::Text(blob) | Item::Bytes(blob), Constant::Text(text)) => {
                self.tree.bytes(blob) == text.as_bytes()
            }
            (Item::Text(blob) | Item::Bytes(blob), Constant::Bytes(bytes)) => {
                self.tree.bytes(blob) == bytes.as_slice()
            }
            (Item::Array(array), Constant::Bytes(wanted)) => {
                self.tree.count(array) as usize == wanted.len()
                    && (0..).zip(wanted).all(|(index, byte)| {
                        self.tree.element(array, index) == Some(Item::Int((*byte).into()))
                    })
            }
            (item, Constant::Int(wanted)) => self.tree.int(item) == Some(*wanted),
            (item, Constant::Bool(wanted)) => self.tree.int(item) == Some((*wanted).into()),
            _ => false,
        }
    }

    /// What is in a row, in messages.
    pub(crate) fn show_item(&self, item: Item) -> String {
        match self.tree.through(item) {
            Item::F32(bits) => format!("{}", f32::from_bits(bits)),
            Item::F64(bits) => format!("{}", f64::from_bits(bits)),
            Item::Bool(b) => format!("{b}"),
            Item::Text(blob) => format!("{:?}", self.tree.text(blob)),
            Item::Bytes(blob) => {
                let bytes = self.tree.bytes(blob);
                match core::str::from_utf8(bytes) {
                    Ok(text) if text.chars().all(|c| c.is_ascii_graphic() || c == ' ') => {
                        format!("{text:?}")
                    }
                    _ => super::super::val::hex(bytes),
                }
            }
            Item::Units(start, len) => format!("{:04x?}", self.tree.units(start, len)),
            Item::Array(array) => format!("{} elements", self.tree.count(array)),
            Item::Node(_) => "a struct".into(),
            item => match self.tree.int(item) {
                Some(number) => format!("{number}"),
                None => "nothing".into(),
            },
        }
    }
}
