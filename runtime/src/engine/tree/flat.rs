//! Elements of compact records that are looked at one after the other.

use super::super::item::{ArrayRef, From, Item, NodeRef};
use super::super::plan::{Place, Plan, Store};
use super::{cell_bytes, integer, load, Kind, Tree};
use crate::load::Endian;
use crate::model::{Record, RecordKind, Role, RowId, Storage, Type};

/// An element of an array of compact records, with all by which its numbers are found.
#[derive(Clone, Copy)]
pub struct Flat<'p> {
    /// The element.
    pub node: NodeRef,
    from: From,
    at: u32,
    stride: u32,
    order: Endian,
    plan: &'p Plan,
    record: &'p Record,
}

impl Flat<'_> {
    /// The element that is so many behind this one.
    #[must_use]
    pub fn element(self, index: u32) -> Self {
        let node = NodeRef { element: self.node.element + index, ..self.node };
        Flat { node, at: self.at + self.stride * index, ..self }
    }
}

impl<'p> Tree<'p, '_> {
    /// The first element of an array of compact structs. Nothing if there is none, if these stand for
    /// their only row, or if not all that is in them is in their bytes.
    #[must_use]
    pub fn flat(&self, array: ArrayRef) -> Option<Flat<'p>> {
        let ArrayRef::Own(number) = array else { return None };
        let own = &self.arrays[number as usize];
        let (id, element) = match own.kind {
            Kind::Records => (number, 0),
            Kind::Part => (own.other, own.first),
            Kind::Items | Kind::Cells => return None,
        };
        let records = self.records(id).filter(|_| own.count > 0)?;
        let record = &self.layout.model.records[records.record.index()];
        let plain = matches!(record.kind, RecordKind::Struct) && record.transparent.is_none();
        (plain && self.odd.is_empty() && self.has_read_all()).then(|| Flat {
            node: NodeRef { id, element, part: 0 },
            from: records.from,
            at: records.first + records.stride * element,
            stride: records.stride,
            order: records.order,
            plan: self.plan_of(records.record),
            record,
        })
    }

    /// What is in a row of such an element, if it is a number of the value.
    #[must_use]
    #[inline]
    pub fn flat_item(&self, flat: &Flat<'p>, row: RowId) -> Option<Item> {
        let planned = flat.plan.rows.get(row.index())?;
        let definition = flat.record.rows.get(row.index())?;
        let (Place::Home(offset) | Place::Tail(offset)) = planned.place else { return None };
        if planned.store != Store::Cell || matches!(definition.role, Role::Derived) {
            return None;
        }
        let (bytes, at) = (self.source(flat.from), flat.at + offset);
        if let Some(number) = &planned.number {
            let order = number.order.filter(|_| self.is_reading()).unwrap_or(flat.order);
            let raw = load(bytes, at as usize, number.bytes, order);
            return Some(integer(raw, u32::from(number.bytes) * 8, number.signed));
        }
        let Type::Cell(cell) = &definition.ty else { return None };
        let Storage::Fixed(int) = cell.storage else { return None };
        let raw = load(bytes, at as usize, cell_bytes(cell), self.cell_order(int, flat.order));
        Some(self.meant(raw, cell, definition))
    }

    /// All bits of a packed word in such an element, if it is one.
    #[must_use]
    pub fn flat_word(&self, flat: &Flat<'p>, row: RowId) -> Option<u64> {
        let planned = flat.plan.rows.get(row.index())?;
        let (Place::Home(offset) | Place::Tail(offset)) = planned.place else { return None };
        let Store::Part(part) = planned.store else { return None };
        let word = flat.plan.parts[usize::from(part)].record;
        let record = &self.layout.model.records[word.index()];
        let RecordKind::Word(int) = record.kind else { return None };
        if record.transparent.is_some() {
            return None;
        }
        let order = match self.is_reading() {
            true => self.part_order(&flat.plan.parts, part).unwrap_or(flat.order),
            false => flat.order,
        };
        let order = self.cell_order(int, order);
        let bits = self.load(flat.from, flat.at + offset, int.bytes, order);
        Some(bits & self.plan_of(word).mask)
    }
}
