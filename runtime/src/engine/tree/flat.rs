//! Elements of compact records that are looked at one after the other.

use core::ops::Range;

use super::super::item::{ArrayRef, From, Item, NodeRef};
use super::super::plan::{Place, Store};
use super::cells::{cell_bytes, cell_order, coded, integer, order_in};
use super::{Kind, Tree};
use crate::load::Endian;
use crate::model::{
    Cell, FloatCode, Meaning, RecordId, RecordKind, Role, Row, RowId, Storage, Type,
};

/// So many elements are looked at together.
pub(crate) const TOGETHER: u32 = 64;

/// Positions of elements that are looked at together.
pub(crate) fn blocks(count: u32) -> impl Iterator<Item = Range<u32>> {
    let firsts = (0..count).step_by(TOGETHER as usize);
    firsts.map(move |first| first..first + TOGETHER.min(count - first))
}

/// An element of an array of compact records, and where it is.
#[derive(Clone, Copy)]
pub struct Flat {
    /// The element.
    pub node: NodeRef,
    /// Its record.
    pub record: RecordId,
    spot: (From, u32, Endian),
    stride: u32,
}

impl Flat {
    /// The element that is so many behind this one.
    #[must_use]
    pub fn element(self, index: u32) -> Flat {
        let node = NodeRef { element: self.node.element + index, ..self.node };
        let (from, at, order) = self.spot;
        Flat { node, spot: (from, at + self.stride * index, order), ..self }
    }
}

/// Numbers in equal steps through bytes, all stored in one way.
#[derive(Clone, Copy)]
pub struct Numbers {
    from: From,
    at: u32,
    stride: u32,
    bytes: u8,
    order: Endian,
    kind: NumberKind,
}

#[derive(Clone, Copy)]
enum NumberKind {
    Unsigned,
    Signed,
    Bool,
    Float(FloatCode),
    /// Words, of which these bits are in rows.
    Word(u64),
}

impl Numbers {
    /// Those of cells from one on, in an order that is known; nothing if one may be something else than its number, as it may if
    /// a number stands for nothing.
    pub(super) fn of(
        cell: &Cell,
        row: &Row,
        (from, at, order): (From, u32, Endian),
        stride: u32,
    ) -> Option<Numbers> {
        let Storage::Fixed(int) = cell.storage else { return None };
        let kind = match (&cell.meaning, int.signed) {
            (Meaning::Float(_), _) => NumberKind::Float(FloatCode::of(cell)?),
            (Meaning::Bool { .. }, _) => NumberKind::Bool,
            (Meaning::Int | Meaning::Enum(_), true) => NumberKind::Signed,
            (Meaning::Int | Meaning::Enum(_), false) => NumberKind::Unsigned,
            (Meaning::Word(_), _) => return None,
        };
        let plain = row.none.is_empty() && row.plus == 0 && matches!(int.bytes, 1..=4 | 8);
        plain.then_some(Numbers { from, at, stride, bytes: int.bytes, order, kind })
    }
}

impl Tree<'_, '_> {
    /// The numbers of an array that consists of such; nothing if not all are in place.
    #[must_use]
    pub fn numbers(&self, array: ArrayRef) -> Option<Numbers> {
        let ArrayRef::Own(number) = array else { return self.inline_numbers(array) };
        let own = &self.arrays[number as usize];
        if own.kind != Kind::Cells {
            return None;
        }
        let cells = &self.cells[own.first as usize];
        let stride = u32::from(cell_bytes(cells.cell)) + own.gap;
        Numbers::of(cells.cell, cells.row, (cells.from, cells.first, cells.order), stride)
    }

    /// The numbers in a row of an element, and of those behind it.
    #[must_use]
    pub fn numbers_in(&self, first: &Flat, row: RowId) -> Option<Numbers> {
        let definition = self.layout.model.records[first.record.index()].rows.get(row.index())?;
        let planned = self.plan_of(first.record).rows.get(row.index())?;
        if let Store::Part(part) = planned.store {
            return self.words_in(first, part);
        }
        let (Store::Cell, Place::Home(offset) | Place::Tail(offset)) =
            (planned.store, planned.place)
        else {
            return None;
        };
        let Type::Cell(cell @ Cell { storage: Storage::Fixed(int), .. }) = &definition.ty else {
            return None;
        };
        if matches!(definition.role, Role::Derived) {
            return None;
        }
        let (from, at, order) = first.spot;
        let spot = (from, at + offset, cell_order(from, *int, order));
        Numbers::of(cell, definition, spot, first.stride)
    }

    /// The same of packed words, as parts of elements.
    fn words_in(&self, first: &Flat, part: u16) -> Option<Numbers> {
        let part = self.plan_of(first.record).parts.get(usize::from(part))?;
        let record = &self.layout.model.records[part.record.index()];
        let (Place::Home(offset) | Place::Tail(offset), RecordKind::Word(int), None) =
            (part.place, &record.kind, record.transparent)
        else {
            return None;
        };
        let (from, at, order) = first.spot;
        let order = order_in(from, part.order).unwrap_or(order);
        let (order, kind) =
            (cell_order(from, *int, order), NumberKind::Word(self.plan_of(part.record).mask));
        let (at, stride, bytes) = (at + offset, first.stride, int.bytes);
        matches!(bytes, 1..=4 | 8).then_some(Numbers { from, at, stride, bytes, order, kind })
    }

    /// What some of the numbers are, from one on.
    pub fn look_at(&self, numbers: &Numbers, first: u32, to: &mut [Item]) {
        match numbers.bytes {
            1 => self.look_at_each::<1>(numbers, first, to),
            2 => self.look_at_each::<2>(numbers, first, to),
            3 => self.look_at_each::<3>(numbers, first, to),
            4 => self.look_at_each::<4>(numbers, first, to),
            _ => self.look_at_each::<8>(numbers, first, to),
        }
    }

    /// The same of a width that is known. What all numbers have in common is asked once, and not for
    /// each: there may be millions.
    fn look_at_each<const N: usize>(&self, numbers: &Numbers, first: u32, to: &mut [Item]) {
        let Numbers { from, at, stride, order, kind, .. } = *numbers;
        let (stride, bytes) = (stride as usize, self.source(from));
        let start = at as usize + stride * first as usize;
        let raw = |index: usize| {
            let at = start + stride * index;
            let field = bytes.get(at..).and_then(|rest| rest.first_chunk::<N>());
            let Some(field) = field else { return 0 };
            let mut wide = [0; 8];
            match order {
                Endian::Little => {
                    wide[..N].copy_from_slice(field);
                    u64::from_le_bytes(wide)
                }
                Endian::Big => {
                    wide[8 - N..].copy_from_slice(field);
                    u64::from_be_bytes(wide)
                }
            }
        };
        let to = to.iter_mut().enumerate();
        match kind {
            NumberKind::Unsigned => to.for_each(|(i, to)| *to = integer(raw(i), 64, false)),
            NumberKind::Signed => to.for_each(|(i, to)| *to = integer(raw(i), 8 * N as u32, true)),
            NumberKind::Bool => to.for_each(|(i, to)| *to = Item::Bool(raw(i) != 0)),
            NumberKind::Word(mask) => {
                to.for_each(|(i, to)| *to = integer(raw(i) & mask, 64, false))
            }
            NumberKind::Float(code) => to.for_each(|(i, to)| *to = coded(raw(i), code)),
        }
    }

    /// The first element of an array of compact structs. Nothing if there is none, if these stand for
    /// their only row, or if not all that is in them is in their bytes.
    #[must_use]
    pub fn flat(&self, array: ArrayRef) -> Option<Flat> {
        let ArrayRef::Own(number) = array else { return None };
        let own = &self.arrays[number as usize];
        let (id, element) = match own.kind {
            Kind::Records => (number, 0),
            Kind::Part => (own.other, own.first),
            Kind::Items | Kind::Cells => return None,
        };
        let stride = self.records(id).filter(|_| own.count > 0 && self.is_all_in_place())?.stride;
        let node = NodeRef { id, element, part: 0 };
        let (id, spot) = self.element_spot(node)?;
        let record = &self.layout.model.records[id.index()];
        let plain = matches!(record.kind, RecordKind::Struct) && record.transparent.is_none();
        plain.then_some(Flat { node, record: id, spot, stride })
    }

    /// What is in a row of such an element, if that is a part or a number of the value.
    #[must_use]
    #[inline]
    pub fn flat_entry(&self, flat: &Flat, row: RowId) -> Option<Item> {
        let definition = self.layout.model.records[flat.record.index()].rows.get(row.index())?;
        if matches!(definition.role, Role::Derived) {
            return None;
        }
        self.entry_at(flat.node, flat.record, flat.spot, row)
    }
}
