//! Adds nodes to a tree, with room for their rows in place.

use super::super::item::{From, Item, Loc, NodeRef, OWN, UNPLACED};
use super::super::node::{Node, Order, AROUND_CASE, DEAD, DEPTH, FORM, IN_ELEMENT, PAIR};
use super::super::packed::make_room;
use super::super::plan::Number;
use super::Tree;
use crate::load::Endian;
use crate::model::{RecordId, RowKind};
use alloc::vec::Vec;

impl<'p> Tree<'p, '_> {
    /// Adds a node of its own.
    pub(crate) fn add(&mut self, record: RecordId, holder: Option<Loc>) -> NodeRef {
        let owner = holder.map_or(NodeRef::ROOT, |loc| loc.node);
        let plan = &self.plans[record.index()];
        let definition = &self.layout.model.records[record.index()];
        self.duties |= plan.all_duties;
        let slots = u32::try_from(self.slots.len()).unwrap_or(UNPLACED);
        if !plan.around_case {
            self.slots.add(plan.slots.into());
        }
        if holder.is_some() && self.is_around_case(owner) {
            let own = self.own_node_mut(owner);
            debug_assert!(!own.is(PAIR), "a union has one case");
            own.record = record;
            own.slots = slots;
            own.set(PAIR, true);
            return NodeRef::own(owner.id + 1);
        }
        let (depth, dead, order) = match holder {
            None => (0, false, Order::Known(Endian::Little)),
            Some(_) if owner.is_element() => {
                let records = self.records_of(owner);
                (records.depth, false, Order::Known(records.order))
            }
            Some(_) => (self.depth(owner), self.is_dead(owner), self.order_in(owner)),
        };
        let order = match &definition.endian {
            None if self.is_in_slice(holder) => Order::Asked,
            None => order,
            Some(crate::model::EndianRule::Fixed(order)) => Order::Known((*order).into()),
            Some(crate::model::EndianRule::Chosen(..)) => Order::Asked,
        };
        let id = self.next_id();
        if owner.is_element() {
            self.in_elements.insert(id, owner.element);
        }
        let depth = (depth + u32::from(definition.recursive)).min(u32::MAX >> DEPTH);
        let mut node = Node {
            record,
            owner: owner.id,
            owner_part: owner.part,
            owner_row: holder.map_or(0, |loc| u16::try_from(loc.row.0).unwrap_or(u16::MAX)),
            index: holder.and_then(Loc::index).unwrap_or(OWN),
            at: UNPLACED,
            end: UNPLACED,
            tail: UNPLACED,
            slots,
            tag_or_block: 0,
            depth: depth << DEPTH,
        };
        node.set(IN_ELEMENT, owner.is_element());
        node.set(DEAD, dead);
        node.set(AROUND_CASE, plan.around_case);
        node.set_order(order);
        make_room(&mut self.nodes, 1);
        self.nodes.push(node);
        NodeRef::own(id)
    }

    /// Whether an element is written in the byte order of a table that is somewhere else than what
    /// holds the element.
    pub(super) fn is_in_slice(&self, holder: Option<Loc>) -> bool {
        self.layout.has_ordered_tables
            && !self.is_reading()
            && holder.is_some_and(|holder| matches!(self.row(holder).kind, RowKind::Slice { .. }))
    }

    /// Makes a node the form of a case.
    pub(crate) fn set_case(&mut self, node: NodeRef, case: RecordId) {
        self.own_node_mut(node).set(FORM, true);
        self.duties |= self.plan_of(case).all_duties;
    }

    /// Gives a node of its own room for its rows in place, as the schema has them.
    pub(crate) fn add_block(&mut self, node: NodeRef) {
        let record = self.own_record(node.id);
        let block = u32::try_from(self.own.len()).unwrap_or(UNPLACED);
        self.own.extend_from_slice(&self.plans[record.index()].template);
        self.own_node_mut(node).tag_or_block = block;
    }

    /// The bytes of a row in place, to fill them. They are there when a value is written.
    pub(crate) fn place_mut(&mut self, loc: Loc, size: u32) -> Option<&mut [u8]> {
        let (from, at, _) = self.spot(loc)?;
        let at = at as usize;
        if from == From::Own {
            self.own.get_mut(at..at + size as usize)
        } else {
            None
        }
    }

    /// Puts a number into its place in a node of its own, if it has one there.
    pub(crate) fn put_number(&mut self, node: NodeRef, number: &Number, n: i64) -> bool {
        if node.part != 0 || node.is_element() {
            return false;
        }
        let at = (self.block(node) + number.at) as usize;
        match self.own.get_mut(at..at + usize::from(number.bytes)) {
            Some(place) => place.copy_from_slice(&n.to_le_bytes()[..usize::from(number.bytes)]),
            None => return false,
        }
        true
    }

    /// Position of the rows in place of a node in the tree's bytes.
    pub(crate) fn block(&self, node: NodeRef) -> u32 {
        self.own_node(node).tag_or_block
    }

    /// What is in rows in place that have no room for it.
    pub(crate) fn odd_items(&self) -> Vec<(Loc, Item)> {
        self.odd.iter().map(|(loc, item)| (*loc, *item)).collect()
    }

    /// Remembers what is in a row in place that has no room for it.
    pub(crate) fn set_odd(&mut self, loc: Loc, item: Item) {
        self.odd.insert(loc, item);
    }

    pub(crate) fn has_odd(&self) -> bool {
        !self.odd.is_empty()
    }
}
