//! Builds arrays.

use super::super::super::item::{ArrayRef, From, Item, Loc, NodeRef};
use super::super::super::source::Given;
use super::super::super::state::Engine;
use super::super::super::tree::{blocks, cell_bytes, load, store_le, Cells, Elements, Records};
use super::flat::put_numbers;
use crate::load::Endian;
use crate::model::{ArrayType, Cell, IntType, Meaning, RecordId, Row, Storage, Type};
use alloc::vec::Vec;

impl<'p> Engine<'p, '_> {
    pub(super) fn build_array(
        &mut self,
        array: &'p ArrayType,
        value: Given<'_>,
        loc: Loc,
        row: &'p Row,
    ) -> Item {
        let element = &array.element;
        let count = match (value, element) {
            (Given::None, _) => return self.build_none(loc, row),
            (Given::Bytes(bytes), Type::Cell(cell))
                if is_byte(cell) && row.plus == 0 && row.none.is_empty() && !row.is_ranked() =>
            {
                return self.build_bytes(cell, bytes, loc, row);
            }
            (value, _) => match value.count() {
                Some(count) => count,
                None => return self.wrong(loc, "an array", value),
            },
        };
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        match element {
            Type::Cell(cell @ Cell { storage: Storage::Fixed(_), meaning })
                if !matches!(meaning, Meaning::Word(_)) && !row.is_ranked() =>
            {
                return self.build_numbers(cell, value, count, loc, row);
            }
            Type::Record(id) if !array.is_scattered() => {
                let plan = self.tree.plan_of(*id);
                if plan.compact && plan.size != Some(0) && count > 0 {
                    return self.build_records(*id, value, count, loc, row);
                }
            }
            _ => {}
        }
        let mut items = Vec::with_capacity(count as usize);
        for index in 0..count {
            let given = value.element(index as usize);
            items.push(self.build_item(element, given, loc.at(index), row));
        }
        Item::Array(ArrayRef::Own(self.tree.add_items(&items)))
    }

    pub(super) fn build_bytes(
        &mut self,
        cell: &'p Cell,
        bytes: &[u8],
        _: Loc,
        row: &'p Row,
    ) -> Item {
        let blob = self.tree.add_bytes(bytes);
        let cells = Cells { cell, row, from: From::Own, first: blob.start, order: Endian::Little };
        Item::Array(ArrayRef::Own(self.tree.add_array(Elements::Cells(cells), blob.len)))
    }

    /// An array of numbers, in bytes unless one of them has no room there.
    pub(super) fn build_numbers(
        &mut self,
        cell: &'p Cell,
        value: Given<'_>,
        count: u32,
        loc: Loc,
        row: &'p Row,
    ) -> Item {
        if let Some(array) = self.numbers_of_file(cell, value, row) {
            return array;
        }
        let size = usize::from(cell_bytes(cell));
        let mut bytes = Vec::with_capacity(count as usize * size);
        let mut items = Vec::new();
        for block in blocks(count) {
            if items.is_empty() && put_numbers(cell, row, value, block.clone(), &mut bytes) {
                continue;
            }
            for index in block {
                let at = loc.at(index);
                let item = self.build_cell(cell, value.element(index as usize), at, row);
                if items.is_empty() {
                    match self.bits_in_place(at, cell, row, item) {
                        Some(bits) => {
                            let from = bytes.len();
                            bytes.resize(from + size, 0);
                            store_le(&mut bytes[from..], bits);
                            continue;
                        }
                        None => {
                            let built = bytes.chunks_exact(size).map(|bytes| {
                                let raw = load(bytes, 0, cell_bytes(cell), Endian::Little);
                                self.tree.meant(raw, cell, row)
                            });
                            items = built.collect();
                        }
                    }
                }
                items.push(item);
            }
        }
        if !items.is_empty() {
            return Item::Array(ArrayRef::Own(self.tree.add_items(&items)));
        }
        let blob = self.tree.add_bytes(&bytes);
        let cells = Cells { cell, row, from: From::Own, first: blob.start, order: Endian::Little };
        Item::Array(ArrayRef::Own(self.tree.add_array(Elements::Cells(cells), count)))
    }

    /// Numbers that are written as they stand in the file that was read.
    pub(super) fn numbers_of_file(
        &mut self,
        cell: &'p Cell,
        value: Given<'_>,
        row: &'p Row,
    ) -> Option<Item> {
        let Given::Stored(stored) = value else { return None };
        let ArrayRef::Own(number) = stored.array()? else { return None };
        let array = &stored.tree.arrays[number as usize];
        let Elements::Cells(cells) = stored.tree.elements(number) else { return None };
        let same = cells.from == From::File
            && core::ptr::eq(stored.tree.file.as_ptr(), self.tree.file.as_ptr())
            && core::ptr::eq(cells.cell, cell)
            && core::ptr::eq(cells.row, row);
        if !same {
            return None;
        }
        let cells = Cells { cell, row, ..cells };
        let own = self.tree.add_array(Elements::Cells(cells), array.count);
        self.tree.arrays[own as usize].gap = array.gap;
        Some(Item::Array(ArrayRef::Own(own)))
    }

    /// An array of compact records, in bytes.
    pub(super) fn build_records(
        &mut self,
        id: RecordId,
        value: Given<'_>,
        count: u32,
        loc: Loc,
        row: &'p Row,
    ) -> Item {
        let stride = self.tree.plan_of(id).size.unwrap_or(1);
        let before = self.tree.next_id();
        let depth = self.tree.depth(loc.node);
        let records = Records {
            record: id,
            from: From::Own,
            first: 0,
            stride,
            owner: loc.node,
            owner_row: loc.row,
            depth,
            order: Endian::Little,
            before,
        };
        if let Some(array) = self.records_of_file(records, value) {
            return array;
        }
        let first = u32::try_from(self.tree.own.len()).unwrap_or(u32::MAX);
        let template = &self.tree.plan_of(id).template;
        self.tree.own.resize(self.tree.own.len() + (stride as usize) * (count as usize), 0);
        if !crate::is_zero(template) {
            let own = self.tree.own.get_mut(first as usize..).unwrap_or_default();
            for own in own.chunks_exact_mut((stride as usize).max(1)) {
                own.iter_mut().zip(template).for_each(|(own, byte)| *own = *byte);
            }
        }
        let elements = Elements::Records(Records { first, ..records });
        let number = self.tree.add_array(elements, count);
        for block in blocks(count) {
            if self.put_flat(id, (first, stride), value, block.clone()) {
                continue;
            }
            for index in block {
                match value.element(index as usize) {
                    Given::None => {
                        self.build_none(loc.at(index), row);
                    }
                    given => {
                        self.build_node(NodeRef { id: number, element: index, part: 0 }, given);
                    }
                }
            }
        }
        Item::Array(ArrayRef::Own(number))
    }

    /// Compact records that are written as they stand in the file that was read.
    pub(super) fn records_of_file(&mut self, as_own: Records, value: Given<'_>) -> Option<Item> {
        let Given::Stored(stored) = value else { return None };
        let ArrayRef::Own(number) = stored.array()? else { return None };
        let array = &stored.tree.arrays[number as usize];
        let records = stored.tree.records(number)?;
        let same = records.from == From::File
            && core::ptr::eq(stored.tree.file.as_ptr(), self.tree.file.as_ptr())
            && records.record == as_own.record
            && (array.gap == 0) == (records.stride == as_own.stride);
        if !same {
            return None;
        }
        let Records { first, stride, order, .. } = *records;
        let records = Records { from: From::File, first, stride, order, ..as_own };
        let own = self.tree.add_array(Elements::Records(records), array.count);
        for node in stored.tree.kept.elements_of(number) {
            let to = NodeRef { id: own, ..node };
            self.tree.kept.take_over(&stored.tree.kept, node, to);
        }
        Some(Item::Array(ArrayRef::Own(own)))
    }
}

pub(super) fn is_byte(cell: &Cell) -> bool {
    matches!(
        (cell.storage, &cell.meaning),
        (Storage::Fixed(IntType { bytes: 1, signed: false, .. }), Meaning::Int)
    )
}
