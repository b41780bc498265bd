//! Reads rows that something asks for before their turn.

use formwork::{ReadError, ReadErrorKind};
use formwork_model::{Home, Path, RowId, RowKind};

use crate::engine::{Engine, Fallible, Fault, eval_error};
use crate::eval::{Place, Val};
use crate::items::val_item;
use crate::tree::{ArrayItem, Item, Loc, NodeId, UNPLACED};

impl<'m> Engine<'m, '_> {
    /// Makes sure that a row has been read, objects and pointers included.
    pub(crate) fn force_read(&mut self, node: NodeId, row: RowId) -> Fallible<()> {
        let loc = Loc::row(node, row);
        let definition = self.row(loc);
        let slot = self.tree.slot(node, row);
        if slot.busy {
            // Being read: what is known of it so far is known.
            return Ok(());
        }
        let fail = |error: ReadError| Box::new(Fault::Read(error));
        if matches!(slot.item, Item::Unset) {
            if let Some(condition) = &definition.when
                && self.home(definition) == Home::Nowhere
                && !self.eval_bool(*condition, node, None)?
            {
                self.tree.slot_mut(node, row).item = Item::Absent;
                return Ok(());
            }
            match (&definition.kind, self.home(definition)) {
                (RowKind::Object { .. }, _) => self.read_object(loc).map_err(fail)?,
                (RowKind::Mark { address }, _) => {
                    let at = self.eval_int(*address, node, None)?;
                    let slot = self.tree.slot_mut(node, row);
                    let Some(at) = at else {
                        // What would say the address is not there, so there is none.
                        slot.item = Item::Absent;
                        return Ok(());
                    };
                    slot.item = Item::Int(at);
                    slot.at = u64::try_from(at).unwrap_or(UNPLACED);
                    slot.end = slot.at;
                }
                (RowKind::Value { seen: Some(seen) }, _) => {
                    self.tree.slot_mut(node, row).busy = true;
                    let seen = self.eval(*seen, node, None);
                    self.tree.slot_mut(node, row).busy = false;
                    let item = val_item(seen?);
                    self.tree.slot_mut(node, row).item = item;
                }
                // Names come from a dictionary when everything is read; until then nobody can
                // say how many there are.
                (RowKind::Value { seen: None }, _) if !self.reading().settling => {
                    return eval_error(format!("`{}` is not known yet", self.describe(loc)));
                }
                (RowKind::Slice { .. }, _) => self.read_slice(loc)?,
                (_, Home::At(_)) => {
                    let n = self.tree.node(node);
                    let (base, limit) = (n.at, n.end);
                    let length = self.reading().bytes.len() as u64;
                    let limit = if limit == UNPLACED { length } else { limit };
                    if base == UNPLACED {
                        return eval_error(format!("`{}` is not read yet", self.describe(loc)));
                    }
                    self.read_fixed_row(node, row, base, limit).map_err(fail)?;
                }
                _ => {}
            }
        }
        self.force_target(loc).map_err(fail)
    }

    /// A path's elements of a shared table that belong to this node.
    fn read_slice(&mut self, loc: Loc) -> Fallible<()> {
        let RowKind::Slice { table, count, .. } = &self.row(loc).kind else {
            return Ok(());
        };
        let (node, count) = (loc.node, *count);
        let base_number = self.stored_base(loc)?.unwrap_or(0);
        self.force(node, count)?;
        let count_number = match self.tree.item(Loc::row(node, count)) {
            Item::Int(n) => *n,
            _ => 0,
        };
        let items = if count_number == 0 {
            Vec::new()
        } else {
            self.table_slice(table, node, base_number, count_number, loc)?
        };
        self.charge(items.len() as u64 + 1)?;
        self.tree.slot_mut(loc.node, loc.row).item = Item::Array(Box::new(ArrayItem::of(items)));
        Ok(())
    }

    /// Index of a slice's first element, as its row says it.
    pub(crate) fn stored_base(&mut self, loc: Loc) -> Fallible<Option<i128>> {
        let RowKind::Slice { base, factor, offset, .. } = &self.row(loc).kind else {
            return Ok(None);
        };
        self.force(loc.node, *base)?;
        let Item::Int(stored) = self.tree.item(Loc::row(loc.node, *base)) else {
            return Ok(None);
        };
        match stored.checked_mul(*factor).and_then(|n| n.checked_add(*offset)) {
            Some(index) => Ok(Some(index)),
            None => eval_error("the base of the slice is too large"),
        }
    }

    fn table_slice(
        &mut self,
        table: &'m Path,
        node: NodeId,
        base: i128,
        count: i128,
        loc: Loc,
    ) -> Fallible<Vec<Item>> {
        let found = self.find(table, node, None)?;
        let Some(Val::Place(Place::Loc(table))) = found.values.into_iter().next() else {
            return eval_error("the shared table is not there");
        };
        self.force_loc(table)?;
        let Item::Array(array) = self.tree.item(table) else {
            return eval_error("the shared table is not there");
        };
        let range = usize::try_from(base)
            .ok()
            .zip(base.checked_add(count).and_then(|end| usize::try_from(end).ok()));
        match range.and_then(|(from, to)| array.items.get(from..to)) {
            Some(items) => Ok(items.to_vec()),
            None => {
                let count = array.items.len() as u64;
                let kind = ReadErrorKind::IndexOutOfRange { index: base, count };
                let at = match &self.row(loc).kind {
                    RowKind::Slice { base, .. } => self.tree.slot(loc.node, *base).at,
                    _ => self.tree.slot(loc.node, loc.row).at,
                };
                Err(Box::new(Fault::Read(self.error(kind, at, loc))))
            }
        }
    }
}
