//! Reads arrays and the members of string pools.

use super::super::forms::UNKNOWN_COUNT;
use super::super::item::{ArrayRef, From, Item, Loc, NodeRef, WHOLE};
use super::super::reading::{short, Read};
use super::super::state::Engine;
use super::super::tree::{cell_bytes, Cells, Elements, Records};
use super::Cursor;
use crate::error::ReadErrorKind;
use crate::load::Endian;
use crate::model::{ArrayLength, ArrayType, Cell, ExprId, Meaning, RecordId, Row, Storage, Type};
use crate::spelling::{KeptKind, KeptValue};

impl<'p, 'b> Engine<'p, 'b> {
    pub(crate) fn read_array(
        &mut self,
        array: &'p ArrayType,
        loc: Loc,
        row: &'p Row,
        cursor: &mut Cursor<'b>,
    ) -> Read<Item> {
        if let Some(columns) = array.described.as_ref().and_then(|of| of.columns.as_ref()) {
            return self.read_columns(array, columns, loc, row, cursor);
        }
        if array.is_scattered() {
            return self.read_scattered(array, loc, row, cursor);
        }
        let at = cursor.at;
        // A unit of the budget stands for 8 bytes, and an array takes as much even without elements.
        self.budget.charge(7).map_err(|kind| self.error(kind, at, loc))?;
        if let Some(column) = self.column_of(loc) {
            return self.read_column(array, column, loc, row, cursor);
        }
        let count = match array.length {
            ArrayLength::Count(count) => Some(self.evaluate_reach(count, "count", loc, at)?),
            ArrayLength::Fill | ArrayLength::Last(_) => None,
        };
        if array.stride.is_none() && cursor.bits.is_none() {
            match &array.element {
                Type::Cell(cell @ Cell { storage: Storage::Fixed(_), meaning })
                    if !matches!(meaning, Meaning::Word(_)) =>
                {
                    return self.read_numbers(array, cell, count, loc, row, cursor);
                }
                Type::Record(id) if self.is_run(*id, &array.length) => {
                    return self.read_records(*id, count, loc, cursor);
                }
                _ => {}
            }
        }
        let align = self.tree.layout.element_align(array, self.tree.plans());
        // Nodes and targets of pointers know where they are.
        let placed = !matches!(array.element.stripped(), Type::Record(_) | Type::Pointer(_));
        let room = array.stride.is_some_and(|stride| self.gives_room(loc, stride));
        let first_start = self.reading.starts.len();
        self.tree.begin_elements(loc);
        let mut index: u64 = 0;
        loop {
            match (&array.length, count) {
                (_, Some(count)) if index >= count => break,
                (ArrayLength::Fill, None) if cursor.bits.is_none() && cursor.remaining() == 0 => {
                    break;
                }
                _ => {}
            }
            let element = loc.at(short(index));
            self.budget.charge(3).map_err(|kind| self.error(kind, cursor.at, element))?;
            if index > 0 && cursor.at % align > 0 {
                let (from, to) = (cursor.at, cursor.at.next_multiple_of(align));
                let fill = self.take(cursor, to - from, element)?;
                if !crate::is_zero(fill) {
                    return Err(self.error(ReadErrorKind::NotZero, from, element));
                }
                self.claim(from, to, loc);
            }
            let start = cursor.at;
            let item = match array.stride {
                None => self.read_type(&array.element, element, row, cursor)?,
                Some(stride) => self.read_strided(array, (stride, room), element, row, cursor)?,
            };
            let fill = matches!(array.length, ArrayLength::Fill);
            if fill && cursor.at == start && cursor.bits.is_none() {
                let kind = ReadErrorKind::Expression { message: "an element has no bytes".into() };
                return Err(self.error(kind, start, element));
            }
            self.tree.push_element(item);
            if placed {
                self.reading.starts.push(short(start));
            }
            index += 1;
            if let ArrayLength::Last(last) = array.length {
                if self.is_last_element(last, item, element, start)? {
                    break;
                }
            }
        }
        Ok(self.finish_array(first_start, at, cursor.at))
    }

    /// Makes an array of the elements that were read last.
    pub(super) fn finish_array(&mut self, first_start: usize, at: u64, end: u64) -> Item {
        let number = self.tree.end_elements();
        let first = short(self.tree.starts.len() as u64);
        let starts = self.reading.starts.drain(first_start..);
        let has_starts = starts.len() > 0;
        self.tree.starts.extend(starts);
        let array = &mut self.tree.arrays[number as usize];
        array.at = short(at);
        array.end = short(end);
        if has_starts {
            self.tree.set_starts(number, Some(first));
        }
        Item::Array(ArrayRef::Own(number))
    }

    fn is_last_element(&mut self, last: ExprId, item: Item, element: Loc, at: u64) -> Read<bool> {
        let it = self.tree.val(item);
        let last = self.eval_bool(last, element.node, Some(it));
        last.map_err(|fault| self.fault(*fault, at, element))
    }

    /// Reads an element that is a region of so many bytes. `room`: they are known before what is in it.
    fn read_strided(
        &mut self,
        array: &'p ArrayType,
        (stride, room): (ExprId, bool),
        element: Loc,
        row: &'p Row,
        cursor: &mut Cursor<'b>,
    ) -> Read<Item> {
        let start = cursor.at;
        let stride = self.evaluate_count(stride, "distance", element, start)?;
        self.has_room(cursor, stride, element)?;
        let mut inner = Cursor::new(start, start + stride);
        inner.room = room;
        let item = self.read_bounded(&array.element, element, row, &mut inner)?;
        self.align_bits(&mut inner)?;
        if inner.remaining() > 0 {
            let kind = ReadErrorKind::TrailingBytes { remaining: inner.remaining() };
            return Err(self.error(kind, inner.at, element));
        }
        cursor.at = inner.limit;
        Ok(item)
    }

    /// Reads numbers in whole bytes, which stay in the file.
    fn read_numbers(
        &mut self,
        array: &'p ArrayType,
        cell: &'p Cell,
        count: Option<u64>,
        loc: Loc,
        row: &'p Row,
        cursor: &mut Cursor<'b>,
    ) -> Read<Item> {
        self.align_bits(cursor)?;
        let at = cursor.at;
        let size = u64::from(cell_bytes(cell));
        let fit = cursor.remaining().checked_div(size).unwrap_or(0);
        let wanted = match array.length {
            ArrayLength::Fill => cursor.remaining().div_ceil(size.max(1)),
            ArrayLength::Count(_) => count.unwrap_or(0),
            ArrayLength::Last(_) => u64::MAX,
        };
        let (cells, checked) = self.cells_at(cell, wanted, loc, row, at)?;
        let mut index = 0;
        if let (false, false) = (checked, matches!(array.length, ArrayLength::Last(_))) {
            index = wanted.min(fit);
            let bytes = index.saturating_mul(size);
            self.budget.charge(bytes).map_err(|kind| self.error(kind, at, loc))?;
            cursor.at = at + bytes;
        }
        while index < wanted {
            match self.read_number(&cells, &array.length, loc.at(short(index)), cursor) {
                Ok(last) => {
                    index += 1;
                    cursor.at += size;
                    if last {
                        break;
                    }
                }
                Err(error) => {
                    self.claim_elements(at, size, (index + 1).min(fit), loc);
                    return Err(error);
                }
            }
        }
        let number = self.tree.add_array(Elements::Cells(cells), short(index));
        let array = &mut self.tree.arrays[number as usize];
        array.at = short(at);
        array.end = short(cursor.at);
        self.claim(at, cursor.at, loc);
        Ok(Item::Array(ArrayRef::Own(number)))
    }

    /// Numbers of the file, the first of them at this address, and whether each has to be looked at.
    pub(super) fn cells_at(
        &mut self,
        cell: &'p Cell,
        wanted: u64,
        loc: Loc,
        row: &'p Row,
        at: u64,
    ) -> Read<(Cells<'p>, bool)> {
        let order = match cell.storage {
            Storage::Fixed(int) if int.bytes == 1 => int.order.map_or(Endian::Little, Endian::from),
            Storage::Fixed(int) => match int.order {
                Some(order) => order.into(),
                None if wanted == 0 => Endian::Little,
                None => self.order_of(loc.node, at, loc)?,
            },
            _ => Endian::Little,
        };
        let checked = row.none.len() > 1
            || match cell.meaning {
                Meaning::Bool { .. } => true,
                Meaning::Enum(id) => self.model.enums[id.index()].closed,
                _ => false,
            };
        Ok((Cells { cell, row, from: From::File, first: short(at), order }, checked))
    }

    /// Looks at a number at the cursor, and tells whether it is the last one.
    fn read_number(
        &mut self,
        cells: &Cells<'p>,
        length: &ArrayLength,
        element: Loc,
        cursor: &Cursor<'b>,
    ) -> Read<bool> {
        let Cells { cell, row, order, .. } = *cells;
        let (start, bytes) = (cursor.at, cell_bytes(cell));
        let size = u64::from(bytes);
        self.has_room(cursor, size, element)?;
        self.budget.charge(size).map_err(|kind| self.error(kind, start, element))?;
        self.verify_number(cell, element, row, start)?;
        let ArrayLength::Last(last) = *length else { return Ok(false) };
        let at = usize::try_from(start).unwrap_or(usize::MAX);
        let raw = super::super::tree::load(self.tree.file, at, bytes, order);
        self.is_last_element(last, self.tree.meant(raw, cell, row), element, start)
    }

    /// Whether an array of records is a run of bytes.
    pub(super) fn is_run(&self, id: RecordId, length: &ArrayLength) -> bool {
        let plan = self.tree.plan_of(id);
        plan.compact && plan.size != Some(0) && !matches!(length, ArrayLength::Last(_))
    }

    /// Reads compact records, which stay in the file.
    fn read_records(
        &mut self,
        id: RecordId,
        count: Option<u64>,
        loc: Loc,
        cursor: &mut Cursor<'b>,
    ) -> Read<Item> {
        self.align_bits(cursor)?;
        let at = cursor.at;
        let plan = self.tree.plan_of(id);
        let size = u64::from(plan.size.unwrap_or(1));
        let fit = cursor.remaining().checked_div(size).unwrap_or(0);
        let wanted = count.unwrap_or_else(|| cursor.remaining().div_ceil(size.max(1)));
        let records = self.records_at(id, wanted, loc, at)?;
        let read = wanted.min(fit);
        let bytes = read.saturating_mul(size);
        self.budget.charge(bytes).map_err(|kind| self.error(kind, at, loc))?;
        // One more if it does not fit, which the error is about.
        let all = short(wanted.min(read + 1));
        let number = self.tree.add_array(Elements::Records(records), all);
        self.tree.arrays[number as usize].at = short(at);
        let element = |index: u64| NodeRef { id: number, element: short(index), part: 0 };
        let mut failed = None;
        if !plan.reading.is_empty() {
            failed = (0..read).find_map(|index| {
                let error = self.verify_part(element(index), at + index * size).err()?;
                Some((index, error))
            });
        }
        if failed.is_none() && read < wanted {
            let error = self.node_too_short(element(read), at + read * size, cursor.limit);
            failed = Some((read, error));
        }
        let whole = failed.as_ref().map_or(read, |(index, _)| *index);
        self.claim(at, at + whole * size, Loc::row(element(0), WHOLE));
        if let Some((index, error)) = failed {
            self.tree.arrays[number as usize].count = short(index + 1);
            self.claim_rows(element(index));
            return Err(error);
        }
        cursor.at = at + bytes;
        self.tree.arrays[number as usize].end = short(cursor.at);
        Ok(Item::Array(ArrayRef::Own(number)))
    }

    /// Compact records of the file, the first of them at this address.
    pub(super) fn records_at(
        &mut self,
        id: RecordId,
        wanted: u64,
        loc: Loc,
        at: u64,
    ) -> Read<Records> {
        let plan = self.tree.plan_of(id);
        let order = match self.model.records[id.index()].fixed_order() {
            Some(order) => order.into(),
            _ if plan.ordered && wanted > 0 => self.order_of(loc.node, at, loc)?,
            _ => Endian::Little,
        };
        Ok(Records {
            record: id,
            from: From::File,
            first: short(at),
            stride: plan.size.unwrap_or(1),
            owner: loc.node,
            owner_row: loc.row,
            depth: self.tree.depth(loc.node),
            order,
            before: self.tree.next_id(),
        })
    }

    /// A count, size or end from an expression: not negative.
    pub(crate) fn evaluate_count(
        &mut self,
        expr: ExprId,
        what: &'static str,
        loc: Loc,
        at: u64,
    ) -> Read<u64> {
        // The rows of an element come before those of the record around it.
        let count =
            self.eval_int(expr, loc.node, None).map_err(|fault| self.fault(*fault, at, loc))?;
        match count {
            Some(count) => u64::try_from(count)
                .map_err(|_| self.error(ReadErrorKind::NegativeCount { what, count }, at, loc)),
            None => {
                let message = UNKNOWN_COUNT.into();
                Err(self.error(ReadErrorKind::Expression { message }, at, loc))
            }
        }
    }

    /// Reads the members of a string pool.
    pub(crate) fn read_members(
        &mut self,
        loc: Loc,
        row: &'p Row,
        pad: u64,
        cursor: &mut Cursor<'b>,
    ) -> Read<Item> {
        let Some((element, length)) = row.ty.pool_members() else { return Ok(Item::Absent) };
        let at = cursor.at;
        let count = match length {
            ArrayLength::Count(count) => Some(self.evaluate_count(*count, "count", loc, at)?),
            _ => None,
        };
        let first_start = self.reading.starts.len();
        self.tree.begin_elements(loc);
        let mut index = 0_u64;
        while count.map_or(cursor.remaining() > 0, |count| index < count) {
            let element_loc = loc.at(short(index));
            self.budget.charge(3).map_err(|kind| self.error(kind, cursor.at, element_loc))?;
            let start = cursor.at;
            let item = self.read_type(element, element_loc, row, cursor)?;
            self.tree.push_element(item);
            // Pointers lead to the text, and not to the padding in front of it.
            self.reading.starts.push(short(element.start(start)));
            let padded = cursor.at.next_multiple_of(pad.max(1)).min(cursor.limit);
            let fill = self.take(cursor, padded - cursor.at, element_loc)?;
            if !crate::is_zero(fill) {
                let offset = cursor.at - fill.len() as u64;
                return Err(self.error(ReadErrorKind::NotZero, offset, element_loc));
            }
            if padded % pad.max(1) != 0 {
                // The file ends before.
                let there = KeptValue::Int(fill.len() as i128);
                self.keep(loc, KeptKind::Tail, there, KeptValue::None);
            }
            if let Some(claims) = &mut self.reading.claims {
                if let Some(claim) = claims.last_mut().filter(|claim| claim.at == start) {
                    claim.end = padded;
                }
            }
            index += 1;
        }
        Ok(self.finish_array(first_start, at, cursor.at))
    }
}
