//! Rows of a tree that were not read, because reading failed.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::super::item::{Item, Loc, NodeRef, CASE, UNPLACED, WHOLE};
use super::super::partial::{Unfinished, Unread};
use super::super::plan::Store;
use super::Tree;
use crate::model::{Home, RecordKind, RowId, Type};

impl Tree<'_, '_> {
    /// Reading failed in a row in place. Fields of a word have no place of their own to tell of.
    #[cold]
    pub(crate) fn leave_begun(&mut self, loc: Loc) {
        let unread = match self.record(loc.node).kind {
            RecordKind::Word(_) => Unread::Before,
            _ => Unread::Begun,
        };
        self.partial.rows.insert(loc.whole_row(), unread);
    }

    /// Reading failed in a row of a node, or before the first: those that follow are not read.
    #[cold]
    pub(crate) fn leave_unread(&mut self, node: NodeRef, failed: Option<RowId>) {
        let record = self.record(node);
        // Fields of a word are read in their order.
        let in_order: Vec<RowId>;
        let order = match record.kind {
            RecordKind::Word(_) => {
                in_order = record.numbered_rows().map(|(row, _)| row).collect();
                &in_order
            }
            _ => &record.read_order,
        };
        let from = failed.and_then(|failed| order.iter().position(|row| *row == failed));
        self.partial.rows.insert(Loc::row(node, WHOLE), Unread::Begun);
        for row in &order[from.map_or(0, |from| from + 1)..] {
            let loc = Loc::row(node, *row);
            let asked = self.partial.asked.as_ref().is_some_and(|asked| asked.contains(&loc));
            let place = !matches!(self.row_plan(node, *row).store, Store::Slot(_));
            if place && !asked && !self.is_said(loc) {
                self.partial.rows.insert(loc, Unread::Before);
            }
        }
        // What needs no bytes is known when the rows before it are.
        let from = failed.filter(|failed| self.row_plan(node, *failed).home == Home::Next);
        for (row, _) in record.numbered_rows().skip(from.map_or(0, RowId::index)) {
            let loc = Loc::row(node, row);
            if self.is_said(loc) {
                self.partial.rows.insert(loc, Unread::Before);
            }
        }
    }

    /// Whether the schema says what is in a row, without any bytes.
    fn is_said(&self, loc: Loc) -> bool {
        matches!(self.row_plan(loc.node, loc.row).store, Store::Said | Store::Absent)
    }

    /// The byte order of a node is not known: it is read up to the first row that has one.
    #[cold]
    pub(crate) fn leave_unordered(&mut self, node: NodeRef, first: RowId) {
        let loc = Loc::row(node, first);
        self.leave_begun(loc);
        self.leave_unread(node, Some(first));
        if let Store::Part(part) = self.row_plan(node, first).store {
            let inner = NodeRef { part: node.part + part, ..node };
            if let Some(first) = self.first_ordered(inner, |_| true) {
                self.leave_unordered(inner, first);
            }
        }
    }

    /// Whether reading failed in no row in place, nor before one.
    #[inline]
    pub(crate) fn has_read_all(&self) -> bool {
        self.partial.rows.is_empty()
    }

    /// Whether reading failed in a row in place, or before it.
    #[inline]
    pub(crate) fn is_unread(&self, loc: Loc) -> Option<Unread> {
        let rows = &self.partial.rows;
        if rows.is_empty() {
            None
        } else {
            rows.get(&loc).copied()
        }
    }

    /// Whether nothing of a compact record in a row was read. A word is read as a whole.
    pub(crate) fn is_unread_part(&self, loc: Loc) -> bool {
        let word = || matches!(self.row(loc).ty, Type::Cell(_));
        match self.is_unread(loc) {
            Some(Unread::Before) => true,
            Some(Unread::Begun) => word(),
            None => false,
        }
    }

    /// The compact record in a row, if some of its rows were looked at.
    fn begun_part(&self, loc: Loc) -> Option<NodeRef> {
        let Store::Part(part) = self.row_plan(loc.node, loc.row).store else { return None };
        let node = NodeRef { part: loc.node.part + part, ..loc.node };
        self.is_unread(Loc::row(node, WHOLE)).map(|_| node)
    }

    /// Remembers that something asked for a row that has its item.
    #[inline]
    pub(crate) fn note_asked(&mut self, loc: Loc) {
        if self.partial.asked.is_some() {
            self.remember_asked(loc);
        }
    }

    #[cold]
    fn remember_asked(&mut self, loc: Loc) {
        let open = !loc.node.is_element() && self.node_end(loc.node) == UNPLACED;
        if let Some(asked) = self.partial.asked.as_mut().filter(|_| open) {
            asked.insert(loc);
        }
    }

    /// Nodes that no row leads to, because reading failed before their row was finished; those of
    /// one row in the order in which they were met. None if nothing failed.
    #[must_use]
    pub fn unfinished(&self) -> Vec<Unfinished> {
        let mut known: BTreeMap<Loc, bool> = BTreeMap::new();
        let mut is_left =
            |row: Loc| *known.entry(row).or_insert_with(|| self.is_unfinished(self.entry(row)));
        let mut found = Vec::new();
        if !self.partial.failed {
            return found;
        }
        for id in self.ids().skip(1) {
            let own = NodeRef::own(id);
            let node = match self.case_record(id) {
                Some(_) => NodeRef { part: CASE, ..own },
                None => own,
            };
            let Some(holder) = self.holder(node) else { continue };
            let row = holder.whole_row();
            if is_left(row) {
                found.push(Unfinished { row, first: node, index: holder.index(), count: 1 });
            }
        }
        for (row, unread) in &self.partial.rows {
            if *unread == Unread::Begun && row.row != WHOLE && self.is_unread_part(*row) {
                if let Some(first) = self.begun_part(*row) {
                    found.push(Unfinished { row: *row, first, index: None, count: 1 });
                }
            }
        }
        for number in &self.compact {
            let array = &self.arrays[*number as usize];
            let Some(records) = self.records(*number) else { continue };
            let row = Loc::row(records.owner, records.owner_row);
            if array.end == UNPLACED && array.count > 0 && is_left(row) {
                let first = NodeRef { id: *number, element: 0, part: 0 };
                found.push(Unfinished { row, first, index: Some(0), count: array.count });
            }
        }
        found
    }

    /// Whether reading failed inside of what is here, or before it.
    fn is_unfinished(&self, item: Item) -> bool {
        match self.through(item) {
            Item::Unset => true,
            Item::Array(array) => self
                .items_of(array)
                .any(|element| matches!(element, Item::Pointer(_)) && self.is_unfinished(element)),
            _ => false,
        }
    }
}
