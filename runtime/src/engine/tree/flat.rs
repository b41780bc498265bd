//! Elements of compact records that are looked at one after the other.

use super::super::item::{ArrayRef, From, Item, NodeRef};
use super::{Kind, Tree};
use crate::load::Endian;
use crate::model::{RecordId, RecordKind, Role, RowId};

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

impl Tree<'_, '_> {
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
