//! Slots of nodes by their number, for who knows the plan of a node, and what slices have in them.

use super::super::item::{ArrayRef, Item, Loc, NodeRef, CASE};
use super::super::plan::{Number, Part, Place, RowPlan, SliceNumbers, Store};
use super::Tree;

impl Tree<'_, '_> {
    /// Position of a slot of a node that is no type around a union.
    #[inline]
    pub(crate) fn slot_at(&self, node: NodeRef, slot: u16) -> usize {
        self.slots_of(node) + usize::from(slot)
    }

    /// What is in a slot of a node that is no type around a union.
    #[inline]
    pub(crate) fn item_in_slot(&self, node: NodeRef, slot: u16) -> Item {
        self.slots.item(self.slot_at(node, slot))
    }

    /// Position of the first slot of a node, if what is in its rows is in slots of its own.
    #[inline]
    pub(crate) fn first_slot(&self, node: NodeRef) -> Option<usize> {
        let own = !node.is_element() && node.part != CASE && !self.is_around_case(node);
        own.then(|| self.slots_of(node))
    }

    /// Whether a slot of a node that is no type around a union has an array without elements.
    #[inline]
    pub(crate) fn has_no_elements(&self, node: NodeRef, slot: u16) -> bool {
        let array = self.slots.own_array(self.slot_at(node, slot));
        array.is_some_and(|array| self.arrays[array as usize].count == 0)
    }

    /// Whether there is nothing in a slot, or an array without elements.
    #[inline]
    pub(crate) fn is_empty_slot(&self, slot: usize) -> bool {
        match self.slots.own_array(slot) {
            Some(array) => self.arrays[array as usize].count == 0,
            None => self.slots.item(slot).is_absent(),
        }
    }

    /// Where a slice of a file begins in its table, and how many elements it has, if numbers in place
    /// say it just like that.
    #[inline]
    pub(crate) fn slice_in_place(&self, node: NodeRef, slice: &SliceNumbers) -> Option<(i64, i64)> {
        if node.is_element() || node.part == CASE || !self.odd.is_empty() || !self.has_read_all() {
            return None;
        }
        let own = self.own_node(node);
        let (start, order) = match node.part {
            0 => (0, None),
            number => match self.own_part(own, number) {
                Part { place: Place::Home(start), order, .. } => (*start, *order),
                _ => return None,
            },
        };
        let number = |number: &Number| {
            let order = number.order.or(order);
            match self.plain_number(own, &Number { at: start + number.at, order, ..*number }) {
                Item::Int(n) => Some(n),
                _ => None,
            }
        };
        Some((number(&slice.base)?, number(&slice.count)?))
    }

    /// Gives a slice that has no item yet one, if numbers in place say that it has no elements: its
    /// table need not be known for that.
    pub(crate) fn leave_slice_empty(&mut self, loc: Loc) -> bool {
        let RowPlan { store: Store::Slot(slot), slice: Some(slice), .. } =
            self.row_plan(loc.node, loc.row)
        else {
            return false;
        };
        let empty = matches!(self.slice_in_place(loc.node, slice), Some((_, 0)));
        if empty {
            let slot = self.slots_of(loc.node) + usize::from(*slot);
            let number = self.no_elements();
            self.slots.set_item(slot, Item::Array(ArrayRef::Own(number)));
        }
        empty
    }
}
