//! Columns, of which each record has one element: each is laid and written by itself, and its elements
//! go to the records when all bytes are known.

use alloc::format;
use alloc::vec::Vec;

use super::super::described::MOST_FREE;
use super::super::item::{ArrayRef, Item, Loc, MAX_SIZE, UNPLACED};
use super::super::state::Engine;
use super::super::val::{eval_error, Fallible, Val};
use super::super::writing::{Interleaved, PlacedColumn};
use super::lay::Spot;
use crate::model::{ArrayLength, ArrayType, Columns, ExprId, Row};
use crate::problem::ProblemKind;
use crate::spelling::{KeptKind, KeptValue};

impl<'p> Engine<'p, '_> {
    pub(crate) fn lay_columns(
        &mut self,
        loc: Loc,
        (ty, columns): (&'p ArrayType, &'p Columns),
        array: ArrayRef,
        row: &'p Row,
        spot: &mut Spot,
    ) -> Fallible<()> {
        let (at, count) = (spot.at, self.tree.count(array));
        if !self.is_described(loc, ty, count)? {
            return Ok(());
        }
        let loose = self.writing.loose.len();
        let mut records = None;
        let mut placed: Vec<PlacedColumn> = Vec::new();
        for index in 0..count {
            let (place, start) = (loc.at(index), spot.at);
            self.lay_inline(place, &ty.element, row, spot)?;
            spot.align();
            let Item::Node(node) = self.tree.item(place) else { return Ok(()) };
            let Some(elements) = self.tree.column_in(node) else { return Ok(()) };
            let actual = self.count_items(elements);
            let expected = *records.get_or_insert(actual);
            if expected != actual {
                let why = "the first column has so many".into();
                let expected = expected.into();
                self.problem(elements, ProblemKind::LengthMismatch { expected, actual, why });
                return Ok(());
            }
            let size = spot.at - start;
            let width = size.checked_div(actual).unwrap_or(0);
            if width * actual != size {
                let what = "its elements differ in size".into();
                self.problem(elements, ProblemKind::Contradicts { what });
                return Ok(());
            }
            placed.push(PlacedColumn { from: start - at, width, to: 0 });
        }
        let stride = self.number_of(columns.stride, loc)?;
        let records = match records {
            Some(records) => records,
            None => self.number_of(columns.records, loc)?,
        };
        let offset = ty.described.as_ref().and_then(|of| of.at);
        if !self.offsets(loc, offset, records, stride, &mut placed)? {
            return Ok(());
        }
        let size = records.checked_mul(stride).filter(|size| *size <= MAX_SIZE);
        let Some(size) = size else { return eval_error("more records than a file has room for") };
        let planar = spot.at - at;
        spot.at = at + size.max(planar);
        if self.writing.measuring {
            return Ok(());
        }
        if let ArrayRef::Own(number) = array {
            self.set_array(number, at, spot.at, &[]);
        }
        self.expect(loc, columns.records, records, "number of records");
        let taken: u64 = placed.iter().map(|column| column.width).sum();
        let size = stride.saturating_sub(taken).saturating_mul(records);
        let Some(free) = self.kept_free(loc, size) else { return Ok(()) };
        let loose = self.writing.loose.split_off(loose);
        let all = Interleaved { at, size: planar, records, stride, columns: placed, loose, free };
        self.writing.interleaved.insert(loc, all);
        Ok(())
    }

    /// Whether there are as many elements as descriptors; a problem if not.
    pub(super) fn is_described(
        &mut self,
        loc: Loc,
        ty: &'p ArrayType,
        count: u32,
    ) -> Fallible<bool> {
        let ArrayLength::Count(expected) = ty.length else { return Ok(true) };
        let expected = self.number_of(expected, loc)?;
        if expected != count.into() {
            let why = "something else describes the elements, so many of them".into();
            let (expected, actual) = (expected.into(), count.into());
            self.problem(loc, ProblemKind::LengthMismatch { expected, actual, why });
            return Ok(false);
        }
        Ok(true)
    }

    /// A number that is not negative.
    fn number_of(&mut self, expr: ExprId, loc: Loc) -> Fallible<u64> {
        let number = self.eval_int(expr, loc.node, None)?;
        match number.and_then(|number| u64::try_from(number).ok()) {
            Some(number) => Ok(number),
            None => eval_error("the number or size of the records is not known"),
        }
    }

    /// Where the columns stand in each record; says whether they lie in it, and not in each other.
    fn offsets(
        &mut self,
        loc: Loc,
        at: Option<ExprId>,
        records: u64,
        stride: u64,
        placed: &mut [PlacedColumn],
    ) -> Fallible<bool> {
        if records == 0 {
            return Ok(true);
        }
        let mut next = 0;
        let mut order: Vec<(u64, u64, u32)> = Vec::new();
        for (index, column) in (0..).zip(placed.iter_mut()) {
            let place = loc.at(index);
            column.to = match at {
                None => next,
                Some(at) => match self.offset_in(at, place)? {
                    Some(at) => at,
                    None => return Ok(false),
                },
            };
            next = column.to.saturating_add(column.width);
            if column.width > 0 {
                order.push((column.to, next, index));
            }
        }
        Ok(self.free_of(loc, &mut order, stride).is_some())
    }

    /// The offset that `at=` gives an element; a problem if there is none.
    pub(super) fn offset_in(&mut self, at: ExprId, place: Loc) -> Fallible<Option<u64>> {
        let it = self.describes(place)?.unwrap_or(Val::None);
        let at = self.eval_int(at, place.node, Some(it))?;
        let at = at.and_then(|at| u64::try_from(at).ok());
        if at.is_none() {
            let what = "nothing says where it begins".into();
            self.problem(place, ProblemKind::Contradicts { what });
        }
        Ok(at)
    }

    /// The bytes of so many that no element takes, from where the elements are from and up to; a
    /// problem if they do not lie in these bytes, or in each other.
    pub(super) fn free_of(
        &mut self,
        loc: Loc,
        order: &mut [(u64, u64, u32)],
        size: u64,
    ) -> Option<Vec<(u64, u64)>> {
        order.sort_unstable();
        let (mut end, mut free) = (0, Vec::new());
        for (from, to, index) in order {
            let what = match (*from < end, *to > size) {
                (true, _) => "it takes bytes that another one has",
                (_, true) => "it reaches beyond the bytes that there are for it",
                _ => "",
            };
            if !what.is_empty() {
                self.problem(loc.at(*index), ProblemKind::Contradicts { what: what.into() });
                return None;
            }
            free.push((end, *from));
            end = *to;
        }
        free.push((end, size));
        Some(free)
    }

    /// What was kept of bytes that no element takes, if there are as many: nothing if they are zero.
    pub(super) fn kept_free(&mut self, loc: Loc, size: u64) -> Option<Vec<u8>> {
        match self.tree.kept_of(loc, KeptKind::Reserved).map(|kept| &kept.stored) {
            Some(KeptValue::Bytes(free)) if free.len() as u64 == size => Some(free.clone()),
            _ if size > MOST_FREE => {
                let what = format!("{size} bytes belong to no element").into();
                self.problem(loc, ProblemKind::Contradicts { what });
                None
            }
            _ => Some(Vec::new()),
        }
    }

    /// Writes the columns, each by itself, and puts their elements into the records. What is in them
    /// is written then.
    pub(crate) fn fill_columns(&mut self) -> Fallible<()> {
        if self.writing.checking {
            return Ok(());
        }
        for (loc, all) in core::mem::take(&mut self.writing.interleaved) {
            let row = self.tree.row(loc);
            let Ok(size) = usize::try_from(all.size) else { continue };
            let mut columns = self.aside(all.at, size, |engine| {
                engine.fill_item(loc, &row.ty, row)?;
                engine.fill_inside(loc)
            })?;
            self.put(all.at, &all.records(&mut columns));
            self.leave(loc);
        }
        Ok(())
    }

    /// The bytes of columns within content that was written ahead of everything else.
    pub(crate) fn interleave(&mut self, content: &mut [u8], at: u64) {
        for all in self.writing.interleaved.values() {
            let from = all.at.checked_sub(at).and_then(|from| usize::try_from(from).ok());
            let to = usize::try_from(all.records.saturating_mul(all.stride)).ok();
            let Some((from, size)) = from.zip(to) else { continue };
            let place = from.checked_add(size).and_then(|end| content.get_mut(from..end));
            if let Some(place) = place {
                let records = all.records(&mut place.to_vec());
                place.copy_from_slice(&records);
            }
        }
    }

    /// What is in a row is not written again.
    fn leave(&mut self, loc: Loc) {
        let mut items = alloc::vec![self.tree.item(loc)];
        while let Some(item) = items.pop() {
            match item {
                Item::Node(node) if !node.is_element() && node.part == 0 => {
                    self.tree.own_node_mut(node).at = UNPLACED;
                    for row in self.own_rows(node) {
                        items.push(self.tree.row_entry(node, row));
                    }
                }
                Item::Array(ArrayRef::Own(number)) => {
                    let array = &mut self.tree.arrays[number as usize];
                    array.at = UNPLACED;
                    items.extend(self.tree.items_of(ArrayRef::Own(number)));
                }
                _ => {}
            }
        }
    }
}

impl Interleaved {
    /// The bytes of the records from those of the columns.
    fn records(&self, columns: &mut [u8]) -> Vec<u8> {
        let number = |n: u64| usize::try_from(n).unwrap_or(0);
        for (at, loose) in &self.loose {
            let at = number(at.saturating_sub(self.at));
            if let Some(place) = columns.get_mut(at..at.saturating_add(loose.len())) {
                place.copy_from_slice(loose);
            }
        }
        let (records, stride) = (number(self.records), number(self.stride));
        let mut bytes = alloc::vec![0; records * stride];
        if records == 0 || stride == 0 {
            return bytes;
        }
        let mut taken = alloc::vec![false; stride];
        for column in &self.columns {
            let (from, width, to) = (number(column.from), number(column.width), number(column.to));
            if width == 0 {
                continue;
            }
            taken[to..to + width].fill(true);
            let elements = columns[from..from + width * records].chunks_exact(width);
            for (record, element) in bytes.chunks_exact_mut(stride).zip(elements) {
                record[to..to + width].copy_from_slice(element);
            }
        }
        let width = taken.iter().filter(|taken| !**taken).count();
        for (record, free) in
            bytes.chunks_exact_mut(stride).zip(self.free.chunks_exact(width.max(1)))
        {
            let places = record.iter_mut().zip(&taken).filter(|(_, taken)| !**taken);
            places.zip(free).for_each(|((byte, _), free)| *byte = *free);
        }
        bytes
    }
}
