//! Reads columns: arrays of which each record of a table has one element.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::super::described::MOST_FREE;
use super::super::item::{ArrayRef, Item, Loc, NodeRef, WHOLE};
use super::super::reading::{short, Column, Read};
use super::super::state::Engine;
use super::super::tree::{cell_bytes, Elements};
use super::super::val::Val;
use super::Cursor;
use crate::error::ReadErrorKind;
use crate::model::{
    ArrayLength, ArrayType, Cell, Columns, ExprId, Meaning, RecordId, Row, Storage, Type,
};
use crate::spelling::{KeptKind, KeptValue};

/// Bytes that an element takes: of each record, if it is a column.
#[derive(Debug, Clone, Copy)]
pub(super) struct Taken {
    pub at: u64,
    pub end: u64,
    pub place: Loc,
}

impl<'p, 'b> Engine<'p, 'b> {
    pub(crate) fn read_columns(
        &mut self,
        array: &'p ArrayType,
        columns: &'p Columns,
        loc: Loc,
        row: &'p Row,
        cursor: &mut Cursor<'b>,
    ) -> Read<Item> {
        let base = cursor.at;
        self.budget.charge(7).map_err(|kind| self.error(kind, base, loc))?;
        let records = self.evaluate_count(columns.records, "count", loc, base)?;
        let stride = self.evaluate_count(columns.stride, "distance", loc, base)?;
        let size = records.saturating_mul(stride);
        self.has_room(cursor, size, loc)?;
        let count = match array.length {
            ArrayLength::Count(count) => self.evaluate_count(count, "count", loc, base)?,
            ArrayLength::Fill | ArrayLength::Last(_) => 0,
        };
        // Where there is no record, nothing is anywhere.
        let record = if records > 0 { stride } else { 0 };
        self.tree.begin_elements(loc);
        let mut taken: Vec<Taken> = Vec::new();
        let mut next = 0;
        for index in 0..count {
            let place = loc.at(short(index));
            self.budget.charge(6).map_err(|kind| self.error(kind, base, place))?;
            let at = match array.described.as_ref().and_then(|of| of.at) {
                Some(_) if records == 0 => 0,
                Some(at) => self.offset_of(at, record, base, place)?,
                None => next,
            };
            let end = base + record;
            let column = Column { place, records, stride, end };
            let around = self.reading.column.replace(column);
            let mut inner = Cursor::new(base + at, end);
            inner.room = true;
            let item = self.read_type(&array.element, place, row, &mut inner);
            self.reading.column = around;
            self.tree.push_element(item?);
            next = inner.at - base;
            if next > at {
                taken.push(Taken { at, end: next, place });
            }
        }
        let free = self.free_bytes(&mut taken, stride, base)?;
        self.keep_free(&free, (records, stride), false, loc, base)?;
        cursor.at = base + size;
        let starts = self.reading.starts.len();
        Ok(self.finish_array(starts, base, cursor.at))
    }

    /// The offset that `at=` gives an element in so many bytes.
    pub(super) fn offset_of(&mut self, at: ExprId, size: u64, base: u64, place: Loc) -> Read<u64> {
        let it = self.describes(place).map_err(|fault| self.fault(*fault, base, place))?;
        let at = self.eval_int(at, place.node, Some(it.unwrap_or(Val::None)));
        let message: String = match at.map_err(|fault| self.fault(*fault, base, place))? {
            Some(at) => match u64::try_from(at) {
                Ok(at) if at <= size => return Ok(at),
                _ => format!("it begins at {at}, of {size} bytes"),
            },
            None => "nothing says where it begins".into(),
        };
        Err(self.error(ReadErrorKind::Expression { message: message.into() }, base, place))
    }

    /// The bytes of so many that no element takes; an error if two take the same.
    pub(super) fn free_bytes(
        &self,
        taken: &mut [Taken],
        stride: u64,
        base: u64,
    ) -> Read<Vec<(u64, u64)>> {
        taken.sort_by_key(|column| (column.at, column.end));
        let mut free = Vec::new();
        let mut end = 0;
        for column in taken.iter() {
            if column.at < end {
                let message = "it takes bytes that another one has".into();
                let kind = ReadErrorKind::Expression { message };
                return Err(self.error(kind, base + column.at, column.place));
            }
            if end < column.at {
                free.push((end, column.at));
            }
            end = column.end;
        }
        if end < stride {
            free.push((end, stride));
        }
        Ok(free)
    }

    /// Keeps the bytes that no element takes, if one of them is not zero or there are many, or nothing
    /// else says how many there are.
    pub(super) fn keep_free(
        &mut self,
        free: &[(u64, u64)],
        (records, stride): (u64, u64),
        unsaid: bool,
        loc: Loc,
        base: u64,
    ) -> Read<()> {
        let each: u64 = free.iter().map(|(from, to)| to - from).sum();
        let all = each.saturating_mul(records);
        self.budget.charge(all / 8).map_err(|kind| self.error(kind, base, loc))?;
        let file = self.tree.file;
        let places = |record: u64| free.iter().map(move |(from, to)| (record + from, record + to));
        let starts =
            || (0..if each > 0 { records } else { 0 }).map(|record| base + record * stride);
        let bytes = |(from, to): (u64, u64)| {
            let number = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
            file.get(number(from)..number(to)).unwrap_or(&[])
        };
        let kept = unsaid || !starts().flat_map(places).all(|place| crate::is_zero(bytes(place)));
        if self.reading.claims.is_some() {
            for (from, to) in starts().flat_map(places) {
                self.claim(from, to, loc);
            }
        }
        if kept || all > MOST_FREE {
            let mut there = Vec::new();
            starts().flat_map(places).for_each(|place| there.extend_from_slice(bytes(place)));
            self.keep(loc, KeptKind::Reserved, KeptValue::Bytes(there), KeptValue::None);
        }
        Ok(())
    }

    /// The column that an array is, if one is being read and this is its array.
    pub(crate) fn column_of(&self, array: Loc) -> Option<Column> {
        let column = self.reading.column?;
        let holder = self.tree.holder(array.node)?;
        let found = holder == column.place || self.tree.holder(holder.node) == Some(column.place);
        found.then_some(column)
    }

    /// Reads the elements that the records have of a column. Behind it the cursor is where the first
    /// of them ends.
    pub(crate) fn read_column(
        &mut self,
        array: &'p ArrayType,
        column: Column,
        loc: Loc,
        row: &'p Row,
        cursor: &mut Cursor<'b>,
    ) -> Read<Item> {
        let at = cursor.at;
        let count = match array.length {
            ArrayLength::Count(count) => self.evaluate_count(count, "count", loc, at)?,
            ArrayLength::Fill | ArrayLength::Last(_) => column.records,
        };
        if count != column.records {
            let records = column.records;
            let message = format!("a column of {count} elements in {records} records").into();
            return Err(self.error(ReadErrorKind::Expression { message }, at, loc));
        }
        let number = match &array.element {
            Type::Cell(cell @ Cell { storage: Storage::Fixed(_), meaning })
                if !matches!(meaning, Meaning::Word(_)) =>
            {
                self.column_of_numbers(cell, column, loc, row, cursor)?
            }
            Type::Record(id) if self.is_run(*id, &array.length) => {
                self.column_of_records(*id, column, loc, cursor)?
            }
            element => self.column_of_items(element, column, loc, row, cursor)?,
        };
        let width = cursor.at - at;
        let array = &mut self.tree.arrays[number as usize];
        array.at = short(at);
        (array.end, array.gap) = match count.checked_sub(1) {
            Some(before) => {
                let gap = column.stride - width.min(column.stride);
                (short(at + before * column.stride + width), short(gap))
            }
            // Where there are no records, they may be said to be of any size.
            None => (short(at), 0),
        };
        Ok(Item::Array(ArrayRef::Own(number)))
    }

    /// Moves behind an element of a fixed size in the first record.
    fn take_element(
        &mut self,
        size: u64,
        column: Column,
        loc: Loc,
        cursor: &mut Cursor<'b>,
    ) -> Read<()> {
        if column.records == 0 {
            return Ok(());
        }
        self.has_room(cursor, size, loc)?;
        let bytes = size.saturating_mul(column.records);
        self.budget.charge(bytes).map_err(|kind| self.error(kind, cursor.at, loc))?;
        cursor.at += size;
        Ok(())
    }

    fn column_of_numbers(
        &mut self,
        cell: &'p Cell,
        column: Column,
        loc: Loc,
        row: &'p Row,
        cursor: &mut Cursor<'b>,
    ) -> Read<u32> {
        let (at, size) = (cursor.at, u64::from(cell_bytes(cell)));
        self.take_element(size, column, loc, cursor)?;
        let (cells, checked) = self.cells_at(cell, column.records, loc, row, at)?;
        if checked || self.reading.claims.is_some() {
            for index in 0..column.records {
                let (start, element) = (at + index * column.stride, loc.at(short(index)));
                self.claim(start, start + size, element);
                if checked {
                    self.verify_number(cell, element, row, start)?;
                }
            }
        }
        Ok(self.tree.add_array(Elements::Cells(cells), short(column.records)))
    }

    fn column_of_records(
        &mut self,
        id: RecordId,
        column: Column,
        loc: Loc,
        cursor: &mut Cursor<'b>,
    ) -> Read<u32> {
        let (at, plan) = (cursor.at, self.tree.plan_of(id));
        let size = u64::from(plan.size.unwrap_or(1));
        self.take_element(size, column, loc, cursor)?;
        let mut records = self.records_at(id, column.records, loc, at)?;
        records.stride = short(column.stride);
        let number = self.tree.add_array(Elements::Records(records), short(column.records));
        self.tree.arrays[number as usize].at = short(at);
        let verified = !plan.reading.is_empty();
        if verified || self.reading.claims.is_some() {
            for index in 0..column.records {
                let start = at + index * column.stride;
                let element = NodeRef { id: number, element: short(index), part: 0 };
                self.claim(start, start + size, Loc::row(element, WHOLE));
                if verified {
                    self.verify_part(element, start)?;
                }
            }
        }
        Ok(number)
    }

    fn column_of_items(
        &mut self,
        element: &'p Type,
        column: Column,
        loc: Loc,
        row: &'p Row,
        cursor: &mut Cursor<'b>,
    ) -> Read<u32> {
        let at = cursor.at;
        let placed = !matches!(element.stripped(), Type::Record(_));
        let first_start = self.reading.starts.len();
        self.tree.begin_elements(loc);
        for index in 0..column.records {
            let (before, place) = (index * column.stride, loc.at(short(index)));
            let start = at + before;
            self.budget.charge(3).map_err(|kind| self.error(kind, start, place))?;
            let mut inner = Cursor::new(start, column.end + before);
            inner.room = true;
            let item = self.read_type(element, place, row, &mut inner)?;
            self.align_bits(&mut inner)?;
            let end = inner.at - before;
            if index > 0 && end != cursor.at {
                let (size, first) = (end - at, cursor.at - at);
                let message = format!("{size} bytes in a column whose first element has {first}");
                let kind = ReadErrorKind::Expression { message: message.into() };
                return Err(self.error(kind, start, place));
            }
            cursor.at = end;
            self.tree.push_element(item);
            if placed {
                self.reading.starts.push(short(start));
            }
        }
        let end = cursor.at;
        match self.finish_array(first_start, at, end) {
            Item::Array(ArrayRef::Own(number)) => Ok(number),
            _ => Ok(self.tree.no_elements()),
        }
    }
}
