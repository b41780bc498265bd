//! Byte orders of nodes.

use super::super::item::{Loc, NodeRef, CASE, UNPLACED};
use super::super::plan::{has_order, Store};
use super::{Order, Tree};
use crate::load::Endian;
use crate::model::{Home, RowId, Type};

impl Tree<'_, '_> {
    /// Says the byte order of the file, which is known when all of a value was taken in: nodes have
    /// it from those around them, which were added before them.
    pub(crate) fn set_order(&mut self, order: Endian) {
        if order == Endian::Little {
            return;
        }
        for number in 0..self.nodes.len() {
            let id = u32::try_from(number * 2).unwrap_or(UNPLACED);
            if self.layout.model.records[self.own_record(id).index()].endian.is_none() {
                let (owner, row) = self.own_holder(id);
                let known = match owner {
                    _ if id > 0 && self.is_in_slice(Some(Loc::row(owner, row))) => Order::Asked,
                    _ if id == 0 => Order::Known(order),
                    owner if owner.is_element() => self.order_of_elements(owner),
                    owner => self.order_in(owner),
                };
                self.nodes[number].set_order(known);
            }
        }
    }

    /// Byte order in which the array that an element belongs to is written: what is built has the
    /// lowest byte first until then.
    fn order_of_elements(&self, element: NodeRef) -> Order {
        let records = self.records_of(element);
        let parts = &self.plans[records.record.index()].parts;
        match self.part_order(parts, element.part) {
            Some(order) => Order::Known(order),
            None => self.order_in(records.owner),
        }
    }

    /// Byte order in a part of a node of its own.
    pub(super) fn order_in(&self, node: NodeRef) -> Order {
        let own = self.own_node(node);
        if matches!(node.part, 0 | CASE) {
            return own.order();
        }
        let parts = &self.plans[self.own_record(node.id).index()].parts;
        self.part_order(parts, node.part).map_or(own.order(), Order::Known)
    }

    /// The first row in place whose bytes depend on the byte order of a node, of those with such
    /// homes.
    pub(crate) fn first_ordered(&self, node: NodeRef, homes: fn(Home) -> bool) -> Option<RowId> {
        let rows = self.record(node).numbered_rows().zip(&self.plan(node).rows);
        let mut first = rows.filter(|((_, row), planned)| {
            let in_place = !matches!(planned.store, Store::Slot(_));
            let ordered =
                has_order(&self.layout.model, &row.ty) || matches!(row.ty, Type::Record(_));
            in_place && ordered && homes(planned.home)
        });
        first.next().map(|((id, _), _)| id)
    }

    /// Byte order of a node, if no condition has to be asked.
    pub(crate) fn known_order(&self, node: NodeRef) -> Order {
        if !node.is_element() {
            return self.order_in(node);
        }
        let records = self.records_of(node);
        let parts = &self.plans[records.record.index()].parts;
        Order::Known(self.part_order(parts, node.part).unwrap_or(records.order))
    }
}
