//! All nodes of a tree, in the order in which they were met.

use alloc::vec::Vec;

use super::item::{NodeRef, CASE};
use super::plan::{Duties, Plan};
use super::tree::Tree;
use crate::model::RecordId;

/// A way through the nodes of a tree whose plan has something to do. The tree may change meanwhile.
pub struct Walk {
    duties: Duties,
    /// For each record, whether there is something to do with a node of it or one of its parts.
    wanted: Vec<bool>,
    /// The next node of its own, and behind the last one.
    node: u32,
    end: u32,
    /// The next view of that node: its case, itself, its parts.
    view: View,
    /// Position in the list of compact arrays, and in the array.
    array: usize,
    element: u32,
    /// The record of the node of which the next part is looked for.
    within: Option<RecordId>,
}

#[derive(Clone, Copy)]
enum View {
    Case,
    Part(u16),
}

impl Walk {
    /// Through all nodes of a file that was read.
    #[must_use]
    pub fn all(tree: &Tree<'_, '_>) -> Walk {
        Walk::new(tree, Duties::EXISTING)
    }

    /// Through the nodes that are there now.
    pub(super) fn new(tree: &Tree<'_, '_>, duties: Duties) -> Walk {
        let end = tree.next_id();
        Walk {
            duties,
            wanted: Vec::new(),
            node: 0,
            end,
            view: View::Case,
            array: 0,
            element: 0,
            within: None,
        }
    }

    /// Through the nodes that are added on the way, too.
    pub(super) fn growing(tree: &Tree<'_, '_>, duties: Duties) -> Walk {
        Walk { end: u32::MAX, ..Walk::new(tree, duties) }
    }

    /// The next node.
    pub fn next(&mut self, tree: &Tree<'_, '_>) -> Option<NodeRef> {
        if !tree.duties.meet(self.duties) {
            return None;
        }
        if self.wanted.is_empty() {
            let wanted = tree.plans().iter().map(|plan| plan.all_duties.meet(self.duties));
            self.wanted = wanted.collect();
        }
        if let Some(record) = self.within {
            let plan = tree.plan_of(record);
            if let Some(node) = self.part_of(plan, NodeRef::own(self.node)) {
                return Some(node);
            }
            self.within = None;
            self.node += 1;
            self.view = View::Case;
        }
        loop {
            let nodes = tree.next_id().min(self.end);
            // What was read before a node comes before it.
            let array = self.next_array(tree);
            let before = array.map_or(nodes, |(_, before)| before.min(nodes));
            while self.node < before {
                if let View::Case = self.view {
                    self.node = tree.next_of(self.node, before, &self.wanted);
                    if self.node >= before {
                        break;
                    }
                }
                if let Some(node) = self.in_node(tree) {
                    return Some(node);
                }
                self.within = None;
                self.node += 1;
                self.view = View::Case;
            }
            let (number, _) = array?;
            if let Some(node) = self.in_array(tree, number) {
                return Some(node);
            }
            self.array += 1;
            self.element = 0;
            self.view = View::Case;
        }
    }

    /// The next array of compact records with something to do, and how many nodes come before it.
    fn next_array(&mut self, tree: &Tree<'_, '_>) -> Option<(u32, u32)> {
        while let Some(number) = tree.compact.get(self.array).copied() {
            if let Some(records) = tree.records(number) {
                if tree.plan_of(records.record).all_duties.meet(self.duties) {
                    return Some((number, records.before));
                }
            }
            self.array += 1;
        }
        None
    }

    fn in_node(&mut self, tree: &Tree<'_, '_>) -> Option<NodeRef> {
        let node = NodeRef::own(self.node);
        let record = tree.own_record(self.node);
        let plan = tree.plan_of(record);
        let case = tree.case_record(self.node);
        if let (View::Case, None, 1) = (self.view, case, plan.parts.len()) {
            self.node += 1;
            return Some(node);
        }
        if let View::Case = self.view {
            self.view = View::Part(0);
            self.within = Some(record);
            if let Some(case) = case {
                if tree.plan_of(case).duties.meet(self.duties) {
                    return Some(NodeRef { part: CASE, ..node });
                }
            }
        }
        self.part_of(plan, node)
    }

    fn in_array(&mut self, tree: &Tree<'_, '_>, number: u32) -> Option<NodeRef> {
        let array = &tree.arrays[number as usize];
        let records = tree.records(number)?;
        let plan = tree.plan_of(records.record);
        while self.element < array.count {
            if let View::Case = self.view {
                self.view = View::Part(0);
            }
            let node = NodeRef { id: number, element: self.element, part: 0 };
            if let Some(node) = self.part_of(plan, node) {
                return Some(node);
            }
            self.element += 1;
            self.view = View::Case;
        }
        None
    }

    /// The next part of a node that is wanted, the node itself among them.
    fn part_of(&mut self, plan: &Plan, node: NodeRef) -> Option<NodeRef> {
        let View::Part(first) = self.view else { return None };
        let parts = plan.parts.get(usize::from(first)..).unwrap_or_default();
        let wanted = (first..).zip(parts).find(|(_, part)| part.duties.meet(self.duties));
        let last = u16::try_from(plan.parts.len()).unwrap_or(u16::MAX);
        self.view = View::Part(wanted.map_or(last, |(part, _)| part + 1));
        wanted.map(|(part, _)| NodeRef { part, ..node })
    }
}
