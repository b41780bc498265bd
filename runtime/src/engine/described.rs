//! Elements that something else in the file describes: `of=`.

use alloc::rc::Rc;
use alloc::vec::Vec;

use super::item::{Item, Loc, NodeRef};
use super::state::Engine;
use super::tree::Tree;
use super::val::{Fallible, Val};
use crate::model::{Described, RowId, Type};

/// So many bytes of all records may belong to no column and be zero without being kept: a value does
/// not ask for more.
pub(crate) const MOST_FREE: u64 = 1 << 16;

impl<'p> Tree<'p, '_> {
    /// What is said of the elements of a row that something else describes.
    pub(crate) fn described(&self, loc: Loc) -> Option<&'p Described> {
        self.row(loc).ty.stripped().described()
    }

    /// The array of which each record has an element, in a struct or union that is a column.
    pub(crate) fn column_in(&self, column: NodeRef) -> Option<Loc> {
        let mut node = column;
        loop {
            let rows = &self.record(node).rows;
            let found =
                rows.iter().position(|row| matches!(row.ty, Type::Array(_) | Type::Union(_)));
            let loc = Loc::row(node, RowId(u32::try_from(found?).ok()?));
            match self.item(loc) {
                Item::Node(case) => node = case,
                _ => return Some(loc),
            }
        }
    }

    /// Number of records whose columns are in a row: that of the elements of the first.
    pub(crate) fn count_records(&self, loc: Loc) -> Option<u32> {
        let Item::Array(columns) = self.item(loc) else { return None };
        let Item::Node(first) = self.element(columns, 0)? else { return None };
        match self.item(self.column_in(first)?) {
            Item::Array(array) => Some(self.count(array)),
            _ => None,
        }
    }
}

impl<'p> Engine<'p, '_> {
    /// What describes the element that a node is: nothing if it is no such element, [`Val::None`] if
    /// nothing describes it.
    pub(crate) fn describing(&mut self, node: NodeRef) -> Fallible<Option<Val>> {
        if !self.layout.has_described {
            return Ok(None);
        }
        match self.tree.holder(node) {
            Some(holder) => self.describes(holder),
            None => Ok(None),
        }
    }

    /// What describes an element.
    pub(crate) fn describes(&mut self, element: Loc) -> Fallible<Option<Val>> {
        let (Some(described), Some(index)) = (self.tree.described(element), element.index()) else {
            return Ok(None);
        };
        let all = self.describing_all(described, element.whole_row())?;
        let index = index.checked_sub(described.leading);
        Ok(Some(index.and_then(|index| all.get(index as usize).copied()).unwrap_or(Val::None)))
    }

    /// Where that stands of which an array has an element for each, element by element; none of those
    /// in front that have nothing, or of what is no part of the file.
    pub(crate) fn describing_places(&mut self, row: Loc) -> Fallible<Vec<Option<Loc>>> {
        let Some(each) = self.tree.row(row).ty.one_for_each(self.model) else {
            return Ok(Vec::new());
        };
        let mut all: Vec<Option<Loc>> = (0..each.leading).map(|_| None).collect();
        self.filtered(each.by, each.filter, row.node, None, &mut |engine, val| {
            all.push(match val {
                Val::Loc(loc) => Some(loc),
                Val::Node(node) => engine.tree.holder(node),
                _ => None,
            });
            Ok(true)
        })?;
        Ok(all)
    }

    fn describing_all(&mut self, described: &'p Described, row: Loc) -> Fallible<Rc<[Val]>> {
        if let Some(known) = self.memo.described.get(&row) {
            return Ok(Rc::clone(known));
        }
        let mut all: Vec<Val> = Vec::new();
        self.filtered(described.by, described.filter, row.node, None, &mut |_, val| {
            all.push(val);
            Ok(true)
        })?;
        let all: Rc<[Val]> = all.into();
        self.memo.described.insert(row, Rc::clone(&all));
        Ok(all)
    }
}
