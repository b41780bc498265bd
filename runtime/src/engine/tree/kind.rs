//! What a node is: its record, what holds it, what selected it.

use super::super::item::{Loc, NodeRef, CASE, OWN, UNPLACED};
use super::super::node::{
    Node, AROUND_CASE, DEAD, DEAD_CASE, DEPTH, FORM, IN_ELEMENT, LARGE, PAIR,
};
use super::super::plan::{Direction, Part, Plan, RowPlan};
use super::{Records, Tree};
use crate::model::{Home, Label, Pattern, Record, RecordId, RecordKind, Row, RowId, Type};

impl<'p> Tree<'p, '_> {
    #[inline]
    pub(super) fn own_node(&self, node: NodeRef) -> &Node {
        debug_assert!(!node.is_element());
        &self.nodes[(node.id >> 1) as usize]
    }

    pub(crate) fn own_node_mut(&mut self, node: NodeRef) -> &mut Node {
        debug_assert!(!node.is_element());
        &mut self.nodes[(node.id >> 1) as usize]
    }

    /// The record of a node of its own.
    #[inline]
    pub(crate) fn own_record(&self, id: u32) -> RecordId {
        let own = &self.nodes[(id >> 1) as usize];
        if id & 1 == 0 && own.is(PAIR) {
            self.around_case(own.record)
        } else {
            own.record
        }
    }

    /// The type that is nothing but the union of a case or form.
    pub(super) fn around_case(&self, case: RecordId) -> RecordId {
        match self.layout.model.records[case.index()].kind {
            RecordKind::Case(union, _) | RecordKind::Form(union, ..) => {
                self.layout.bodies[union.index()].unwrap_or(case)
            }
            _ => case,
        }
    }

    /// If a node of its own is a form: the record of its case.
    #[inline]
    pub(crate) fn case_record(&self, id: u32) -> Option<RecordId> {
        let own = &self.nodes[(id >> 1) as usize];
        if !own.is(FORM) || (id & 1 == 0 && own.is(PAIR)) {
            return None;
        }
        match self.layout.model.records[own.record.index()].kind {
            RecordKind::Form(union, case, _) => {
                Some(self.layout.model.unions[union.index()].cases[case as usize].record)
            }
            _ => None,
        }
    }

    /// The id behind those of all nodes.
    pub(crate) fn next_id(&self) -> u32 {
        u32::try_from(self.nodes.len() * 2).unwrap_or(UNPLACED)
    }

    /// Whether a node has an id.
    #[inline]
    pub(crate) fn is_node(&self, id: u32) -> bool {
        id & 1 == 0 || self.nodes[(id >> 1) as usize].is(PAIR)
    }

    /// The ids of all nodes.
    pub(crate) fn ids(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.next_id()).filter(|id| self.is_node(*id))
    }

    /// The first id from one on, and before another one, of a node that is a form, or of a record that
    /// is wanted.
    pub(crate) fn next_of(&self, from: u32, before: u32, wanted: &[bool]) -> u32 {
        let mut id = from;
        while id < before {
            let own = &self.nodes[(id >> 1) as usize];
            let pair = own.is(PAIR);
            let around = pair && id & 1 == 0;
            let there = pair || id & 1 == 0;
            let record = if around { self.around_case(own.record) } else { own.record };
            if there && (own.is(FORM) && !around || wanted[record.index()]) {
                break;
            }
            id += if pair { 1 } else { 2 - (id & 1) };
        }
        id.min(before)
    }

    /// The node that holds a node of its own, and its row.
    #[inline]
    pub(super) fn own_holder(&self, id: u32) -> (NodeRef, RowId) {
        if id & 1 == 1 {
            return (NodeRef::own(id - 1), RowId(0));
        }
        let own = &self.nodes[(id >> 1) as usize];
        let element = match own.is(IN_ELEMENT) {
            true => self.in_elements.get(&id).copied().unwrap_or(OWN),
            false => OWN,
        };
        (NodeRef { id: own.owner, element, part: own.owner_part }, RowId(own.owner_row.into()))
    }

    /// Whether a node is of a type that is nothing but a union, and shares its place with the case.
    #[inline]
    pub(crate) fn is_around_case(&self, node: NodeRef) -> bool {
        let first = node.id & 1 == 0 && node.part == 0 && !node.is_element();
        first && self.nodes[(node.id >> 1) as usize].is(AROUND_CASE)
    }

    #[inline]
    pub(super) fn records_of(&self, node: NodeRef) -> &Records {
        self.records(node.id).expect("elements of compact arrays have nodes like this")
    }

    /// The record whose plan a node has: that of the node around a part.
    #[inline]
    pub(super) fn whole_record(&self, node: NodeRef) -> RecordId {
        if node.is_element() {
            self.records_of(node).record
        } else {
            self.own_record(node.id)
        }
    }

    /// The record that a node is a use of, by its id.
    #[must_use]
    #[inline]
    pub fn record_id(&self, node: NodeRef) -> RecordId {
        if node.part == 0 && !node.is_element() {
            return self.own_record(node.id);
        }
        self.record_of_part(node)
    }

    pub(super) fn record_of_part(&self, node: NodeRef) -> RecordId {
        match node.part {
            CASE => self.case_record(node.id).unwrap_or(self.own_record(node.id)),
            0 if node.is_element() => self.records_of(node).record,
            part if node.is_element() => {
                self.plans[self.records_of(node).record.index()].parts[usize::from(part)].record
            }
            part => self.own_part(self.own_node(node), part).record,
        }
    }

    /// A part of a node of its own. Types around a union have none.
    #[inline]
    pub(super) fn own_part(&self, own: &Node, part: u16) -> &'p Part {
        &self.plans[own.record.index()].parts[usize::from(part)]
    }

    /// The record that a node is a use of.
    #[must_use]
    #[inline]
    pub fn record(&self, node: NodeRef) -> &'p Record {
        &self.layout.model.records[self.record_id(node).index()]
    }

    #[inline]
    pub(crate) fn plan(&self, node: NodeRef) -> &'p Plan {
        &self.plans[self.record_id(node).index()]
    }

    /// Plans of all records.
    pub(crate) fn plans(&self) -> &'p [Plan] {
        self.plans
    }

    pub(crate) fn plan_of(&self, record: RecordId) -> &'p Plan {
        &self.plans[record.index()]
    }

    /// The row that a place is in.
    #[must_use]
    #[inline]
    pub fn row(&self, loc: Loc) -> &'p Row {
        &self.record(loc.node).rows[loc.row.index()]
    }

    #[inline]
    pub(crate) fn row_plan(&self, node: NodeRef, row: RowId) -> &'p RowPlan {
        &self.plan(node).rows[row.index()]
    }

    /// Where a row stands in its record.
    #[must_use]
    pub fn home(&self, loc: Loc) -> Home {
        self.row_plan(loc.node, loc.row).home
    }

    /// The node that holds a node, and its row and position there; nothing for the root.
    #[must_use]
    pub fn holder(&self, node: NodeRef) -> Option<Loc> {
        match node.part {
            0 if node.is_element() => {
                let records = self.records_of(node);
                Some(Loc::row(records.owner, records.owner_row).at(node.element))
            }
            0 if self.case_record(node.id).is_some() => {
                // The node of a form belongs to that of its case.
                let (_, row) = self.own_holder(node.id);
                Some(Loc::row(NodeRef { part: CASE, ..node }, row))
            }
            0 | CASE => {
                if node.id == 0 {
                    return None;
                }
                let index = self.own_node(node).index;
                let index = (index != OWN && node.id & 1 == 0).then_some(index);
                let (owner, row) = self.own_holder(node.id);
                Some(Loc::row(owner, row).indexed(index))
            }
            part => {
                let part = self.plans[self.whole_record(node).index()].parts[usize::from(part)];
                Some(Loc::row(NodeRef { part: part.owner, ..node }, part.row))
            }
        }
    }

    /// The node that holds a node; nothing for the root.
    #[must_use]
    #[inline]
    pub fn owner(&self, node: NodeRef) -> Option<NodeRef> {
        if node.part == 0 && !node.is_element() && self.case_record(node.id).is_none() {
            return (node.id != 0).then_some(self.own_holder(node.id).0);
        }
        self.holder(node).map(|loc| loc.node)
    }

    /// Position in the array around a node.
    pub(crate) fn depth(&self, node: NodeRef) -> u32 {
        if node.is_element() {
            self.records_of(node).depth
        } else {
            let own = self.own_node(node);
            let case = node.id & 1 == 1;
            let deeper = case && self.layout.model.records[own.record.index()].recursive;
            (own.depth >> DEPTH) + u32::from(deeper)
        }
    }

    /// What was built is no part of the file after all, nor is what it holds.
    pub(crate) fn bury(&mut self, node: NodeRef) {
        if !node.is_element() {
            let flag = if node.id & 1 == 0 { DEAD } else { DEAD_CASE };
            self.own_node_mut(node).set(flag, true);
            self.buried = true;
        }
    }

    /// Must be called before `is_dead` is asked of what a buried node holds.
    pub(crate) fn bury_rest(&mut self) {
        if !core::mem::take(&mut self.buried) {
            return;
        }
        // Whoever holds a node comes before it.
        for number in 1..self.nodes.len() {
            let id = u32::try_from(number * 2).unwrap_or(UNPLACED);
            if self.is_dead(self.own_holder(id).0) {
                self.nodes[number].set(DEAD, true);
            }
        }
    }

    pub(crate) fn is_dead(&self, node: NodeRef) -> bool {
        let node = if node.is_element() { self.records_of(node).owner } else { node };
        if node.is_element() {
            self.is_dead(node)
        } else {
            let flags = if node.id & 1 == 0 { DEAD } else { DEAD | DEAD_CASE };
            self.own_node(node).is(flags)
        }
    }

    /// The number that selected a case by a pattern, or the bits of a word.
    #[must_use]
    pub fn tag(&self, node: NodeRef) -> u128 {
        if !node.is_element() && matches!(node.part, 0 | CASE) {
            let tag = self.own_node(node).tag_or_block;
            return match self.direction {
                Direction::Writing => 0,
                Direction::Reading if tag < LARGE => tag.into(),
                Direction::Reading => self.tags[(tag ^ LARGE) as usize],
            };
        }
        // The bits of a word in place.
        match self.holder(node) {
            Some(loc) => match &self.row(loc).ty {
                Type::Cell(cell) => self.raw(loc, cell).into(),
                _ => 0,
            },
            None => 0,
        }
    }

    /// The pattern that selected the case or form of a node, and the number it was matched with.
    #[must_use]
    pub fn pattern_of(&self, node: NodeRef) -> Option<(&'p Pattern, u128)> {
        let tag = self.tag(node);
        let (union, case, form) = match self.record(node).kind {
            RecordKind::Case(union, case) => (union, case, None),
            RecordKind::Form(union, case, form) => (union, case, Some(form)),
            _ => return None,
        };
        let case = &self.layout.model.unions[union.index()].cases[case as usize];
        let labels = form.map_or(&case.labels, |form| &case.forms[form as usize].labels);
        labels.iter().find_map(|label| match label {
            Label::Pattern(pattern) if pattern.takes(tag) => Some((pattern, tag)),
            _ => None,
        })
    }

    pub(crate) fn set_tag(&mut self, node: NodeRef, tag: u128) {
        let small = u32::try_from(tag).ok().filter(|tag| *tag < LARGE);
        let tag = small.unwrap_or_else(|| {
            let number = u32::try_from(self.tags.len()).unwrap_or(0);
            self.tags.push(tag);
            number | LARGE
        });
        self.own_node_mut(node).tag_or_block = tag;
    }

    /// The nearest of a node and its owners that is not a case or form.
    pub(crate) fn enclosing_struct(&self, mut node: NodeRef) -> NodeRef {
        loop {
            match (&self.record(node).kind, self.owner(node)) {
                (RecordKind::Case(..) | RecordKind::Form(..), Some(owner)) => node = owner,
                _ => return node,
            }
        }
    }

    /// The row of a case that a row of a form stands for; of others, the row itself.
    #[must_use]
    pub fn logical(&self, loc: Loc) -> Loc {
        let form = self.record(loc.node);
        let RecordKind::Form(..) = form.kind else { return loc };
        let name = &form.rows[loc.row.index()].name;
        let same = self.owner(loc.node).and_then(|case| {
            let mut rows = self.record(case).numbered_rows();
            let same = rows.find(|(_, row)| row.name.is_some() && row.name == *name);
            same.map(|(row, _)| Loc::row(case, row).indexed(loc.index()))
        });
        same.unwrap_or(loc)
    }

    /// The case whose node this is, by position in its union.
    #[must_use]
    pub fn case_of(&self, node: NodeRef) -> Option<(&'p crate::model::Union, usize)> {
        match self.record(node).kind {
            RecordKind::Case(union, case) => {
                Some((&self.layout.model.unions[union.index()], case as usize))
            }
            // A case that stands for the whole union has a struct for its rows.
            RecordKind::Struct => {
                let holder = self.holder(node)?;
                let union = self.row(holder).ty.union()?;
                let union = &self.layout.model.unions[union.index()];
                let record = self.record_id(node);
                let case = union.cases.iter().position(|case| case.record == record)?;
                Some((union, case))
            }
            RecordKind::Form(..) | RecordKind::Word(_) => None,
        }
    }
}
