//! Takes rows over from a file that was read, without looking at what they say.

use super::super::super::item::{ArrayRef, Blob, From, Item, Loc, NodeRef, CASE};
use super::super::super::node::Order;
use super::super::super::plan::{Place, Plan, RowPlan, Store};
use super::super::super::source::Stored;
use super::super::super::state::Engine;
use super::super::super::tree::Pointer;
use super::Origin;
use crate::load::Endian;
use crate::model::{Role, Row, RowId, RowKind, Target, Type};

impl<'p> Engine<'p, '_> {
    /// Takes over bytes of rows in place from the file, if a node is of a file that was read with the
    /// same layout.
    pub(super) fn copy_block(&mut self, node: NodeRef, plan: &'p Plan, stored: Stored<'_>) -> bool {
        let (Some(source), tree) = (stored.node(), stored.tree) else { return false };
        let own = |node: NodeRef| node.part == 0 && !node.is_element();
        let part = |node: NodeRef| !matches!(node.part, 0 | CASE) && !node.is_element();
        let parts = part(node) && part(source) && plan.copied.is_empty();
        let same = (own(node) && own(source) || parts)
            && tree.is_reading()
            && !tree.partial.failed
            && core::ptr::eq(tree.layout, self.tree.layout)
            && core::ptr::eq(tree.file, self.tree.file)
            && tree.record_id(source) == self.tree.record_id(node);
        if plan.copied.is_empty() {
            return same;
        }
        let (true, Order::Known(order)) = (same, tree.known_order(source)) else { return false };
        let (at, tail) = (tree.node_at(source), tree.own_tail(source));
        let block = self.tree.block(node);
        for piece in &plan.copied {
            let at = match piece.place {
                Place::Home(offset) => at + offset,
                Place::Tail(offset) => tail + offset,
                Place::Moving | Place::Nowhere => continue,
            };
            let to = (block + piece.from) as usize;
            let bytes = self.tree.file.get(at as usize..(at + piece.len) as usize);
            let place = self.tree.own.get_mut(to..to + piece.len as usize);
            let (Some(bytes), Some(place)) = (bytes, place) else { return false };
            place.copy_from_slice(bytes);
            if piece.number && piece.order.unwrap_or(order) == Endian::Big {
                place.reverse();
            }
        }
        true
    }

    /// Takes over what a node of a file that was read with the same layout has in a row with a slot, if
    /// that is a number, a text of the file, or no elements of a shared table.
    pub(super) fn take_row(
        &mut self,
        loc: Loc,
        row: &Row,
        planned: &RowPlan,
        stored: Stored<'_>,
    ) -> bool {
        let Some(node) = stored.node() else { return false };
        let slot = match planned.store {
            Store::Slot(slot) if !self.tree.is_around_case(loc.node) => {
                self.tree.slot_at(loc.node, slot)
            }
            _ => return self.take_part(loc, row, node, stored),
        };
        let of_file = |blob: Blob| blob.from == From::File;
        let item = match (&row.kind, &row.role, &row.ty) {
            (RowKind::Slice { .. }, Role::Data, _) => match stored.tree.row_entry(node, loc.row) {
                Item::Array(array) if stored.tree.count(array) == 0 => {
                    Item::Array(ArrayRef::Own(self.tree.no_elements()))
                }
                _ => return false,
            },
            (RowKind::Plain, Role::Data | Role::Default(_), ty) => {
                match (ty, stored.tree.row_entry(node, loc.row)) {
                    (Type::Cell(_), item @ (Item::Int(_) | Item::Bool(_))) => item,
                    (Type::Run(_), item @ (Item::Text(blob) | Item::Bytes(blob)))
                        if of_file(blob) =>
                    {
                        item
                    }
                    (Type::Pointer(pointer), item @ Item::Pointer(_))
                        if matches!(pointer.target, Target::Pooled) =>
                    {
                        match stored.tree.through(item) {
                            text @ (Item::Text(blob) | Item::Bytes(blob)) if of_file(blob) => {
                                self.tree.add_pointer(Pointer::to(text))
                            }
                            _ => return false,
                        }
                    }
                    _ => return false,
                }
            }
            _ => return false,
        };
        self.tree.slots.set_item(slot, item);
        true
    }

    /// Takes over a part of a node.
    pub(super) fn take_part(
        &mut self,
        loc: Loc,
        row: &Row,
        from: NodeRef,
        stored: Stored<'_>,
    ) -> bool {
        let data = matches!((&row.kind, &row.role), (RowKind::Plain, Role::Data))
            && matches!(row.ty, Type::Record(_))
            && row.name.is_some();
        if !data {
            return false;
        }
        let item = stored.tree.row_entry(from, loc.row);
        match (self.tree.row_entry(loc.node, loc.row), item) {
            (Item::Node(part), Item::Node(from)) => {
                if self.take_empty_slices(part, from, stored) {
                    return true;
                }
                self.build_rows(part, Origin::Node(Stored { item, ..stored }));
                true
            }
            _ => false,
        }
    }

    /// Takes over a part of a node that has nothing but slices without elements.
    pub(super) fn take_empty_slices(
        &mut self,
        node: NodeRef,
        from: NodeRef,
        stored: Stored<'_>,
    ) -> bool {
        let record = self.tree.record_id(node);
        let plan = self.tree.plan_of(record);
        let whole = from.is_element() || from.part == CASE;
        if !plan.only_slices || whole || stored.tree.kept.tells_of(from) {
            return false;
        }
        let read = stored.tree.plan_of(record);
        let empty = |row: &RowId| match read.rows[row.index()].store {
            Store::Slot(slot) => stored.tree.has_no_elements(from, slot),
            _ => false,
        };
        if !plan.not_copied.iter().all(empty) {
            return false;
        }
        let item = Item::Array(ArrayRef::Own(self.tree.no_elements()));
        for row in &plan.not_copied {
            if let Store::Slot(slot) = plan.rows[row.index()].store {
                self.tree.slots.set_item(self.tree.slot_at(node, slot), item);
            }
        }
        true
    }
}
