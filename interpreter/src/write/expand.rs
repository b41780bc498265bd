//! Arrays that follow from others: dictionaries, shared tables, relocation.

use std::rc::Rc;

use formwork_model::{Expr, ExprId, Home, Path, Role, Row, RowId, RowKind, Target, Type};

use super::extent::mentions_position;
use crate::engine::{Engine, Fallible, Fault, eval_error};
use crate::eval::{Place, Val};
use crate::read::object::strip_region;
use crate::relocation::table_rows;
use crate::settle::{digest, val_value};
use crate::tree::{ArrayItem, Item, Loc, NodeId, PointerItem};
use crate::value::KeptKind;

impl<'m> Engine<'m, '_> {
    pub(crate) fn expand(&mut self) {
        let mut index = 0;
        while index < self.tree.nodes.len() {
            let node = NodeId(u32::try_from(index).unwrap_or(u32::MAX));
            let record = self.record(node);
            if self.tree.node(node).dead {
                index += 1;
                continue;
            }
            for (row_index, row) in (0_u32..).zip(&record.rows) {
                let loc = Loc::row(node, RowId(row_index));
                if let Err(fault) = self.expand_row(loc, row) {
                    self.report(*fault, loc);
                }
            }
            index += 1;
        }
    }

    fn expand_row(&mut self, loc: Loc, row: &'m Row) -> Fallible<()> {
        if let Some(with) = none_with(&row.ty) {
            let empty = self.count_items(Loc::row(loc.node, with)) == 0;
            let here = matches!(self.tree.item(loc), Item::Absent);
            if empty && !here {
                if let Item::Node(unused) = *self.tree.item(loc) {
                    self.tree.node_mut(unused).dead = true;
                }
                let none = Item::Pointer(Box::new(PointerItem::to(Item::Absent)));
                self.tree.slot_mut(loc.node, loc.row).item = none;
            }
        }
        if let Some(condition) = &row.when
            && let Type::Pointer(pointer) = strip_region(&row.ty)
            && matches!(self.tree.slot(loc.node, loc.row).item, Item::Absent)
            && matches!(row.role, Role::Data | Role::Elsewhere)
            && pointer.may_be_none(self.model, row)
            && !mentions_position(self.model, *condition)
            && self.home(row) != Home::Absent
            // What cannot be said yet is reported when everything is placed.
            && matches!(self.eval_bool(*condition, loc.node, None), Ok(true))
        {
            let none = Item::Pointer(Box::new(PointerItem::to(Item::Absent)));
            self.tree.slot_mut(loc.node, loc.row).item = none;
        }
        if !matches!(self.tree.slot(loc.node, loc.row).item, Item::Unset) {
            return Ok(());
        }
        let early = match &row.role {
            Role::Kept(expr) => matches!(&self.model[*expr], Expr::Patricia(_)),
            Role::Derived => row.patricia(self.model).is_some(),
            Role::View { .. } => true,
            _ => false,
        };
        if early {
            self.force(loc.node, loc.row)?;
        }
        Ok(())
    }

    /// Computes a row that follows from others.
    pub(crate) fn force_write(&mut self, node: NodeId, row: RowId) -> Fallible<()> {
        let loc = Loc::row(node, row);
        let slot = self.tree.slot(node, row);
        if !matches!(slot.item, Item::Unset) {
            return Ok(());
        }
        if slot.busy {
            return Err(Box::new(Fault::Cycle(self.describe(loc))));
        }
        let definition = self.row(loc);
        self.tree.slot_mut(node, row).busy = true;
        let result = self.compute(loc, definition);
        self.tree.slot_mut(node, row).busy = false;
        if let Some(item) = result? {
            self.tree.slot_mut(node, row).item = item;
        }
        Ok(())
    }

    fn compute(&mut self, loc: Loc, row: &'m Row) -> Fallible<Option<Item>> {
        match (&row.kind, &row.role) {
            (RowKind::Pool { always, order, kept, .. }, _) => {
                let members = self.pool_members(loc, always, order)?;
                return Ok(Some(self.kept_members(loc, members, *kept)));
            }
            (RowKind::Mark { .. }, _) => return Ok(None),
            (RowKind::Value { seen: Some(_) }, _) => return Ok(Some(Item::Absent)),
            (_, Role::View { slices, key }) => {
                let table = self.gather(loc, slices, *key)?;
                return Ok(Some(match &row.ty {
                    Type::Pointer(_) => Item::Pointer(Box::new(PointerItem::to(table))),
                    _ => table,
                }));
            }
            _ => {}
        }
        let (canonical, kind) = match &row.role {
            Role::Derived => (self.derived(loc)?, None),
            Role::Kept(expr) => {
                let kind = match &self.model[*expr] {
                    Expr::Patricia(_) => KeptKind::Dictionary,
                    Expr::RelocationSections | Expr::RelocationEntries => KeptKind::Relocation,
                    _ => KeptKind::Number,
                };
                let canonical = self.eval(*expr, loc.node, None);
                match canonical {
                    Ok(val) => (Some(val), Some(kind)),
                    // Names that no tree can hold, kept with the nodes that the file had.
                    Err(fault) if self.kept_of(loc, kind).is_some() => match *fault {
                        Fault::Eval(_) | Fault::Keys(..) => (Some(Val::None), Some(kind)),
                        other => return Err(Box::new(other)),
                    },
                    Err(fault) => return Err(fault),
                }
            }
            _ => return Ok(None),
        };
        let Some(canonical) = canonical else { return Ok(None) };
        let instead = match &canonical {
            Val::Table(table) => match &row.role {
                Role::Kept(expr) => self.table_digest(*expr, table)?,
                _ => digest(table),
            },
            val => val_value(val),
        };
        if let Some(kind) = kind
            && let Some(kept) = self.kept_of(loc, kind)
            && kept.still_for(&instead)
        {
            let stored = kept.stored;
            return Ok(Some(self.build_item(&row.ty, &stored, loc, row)));
        }
        Ok(Some(match canonical {
            Val::Table(table) => self.table_item(loc, row, &table),
            val => crate::items::val_item(val),
        }))
    }

    pub(crate) fn kept_of(&self, loc: Loc, kind: KeptKind) -> Option<crate::value::Kept> {
        let index = loc.index.map(|index| format!("[{index}]")).unwrap_or_default();
        self.tree
            .node(loc.node)
            .kept
            .iter()
            .find(|(row, kept)| {
                let own = match kept.row.find('[') {
                    Some(at) => &kept.row[at..],
                    None => "",
                };
                *row == loc.row && kept.kind == kind && own == index
            })
            .map(|(_, kept)| kept.clone())
    }

    /// Makes the records of an array from the rows of an algorithm.
    fn table_item(&mut self, loc: Loc, row: &'m Row, table: &Rc<Vec<Vec<Item>>>) -> Item {
        let Type::Array(array) = crate::read::object::strip_region(&row.ty) else {
            return Item::Absent;
        };
        let Type::Record(record) = array.element else { return Item::Absent };
        let targets = table_rows(&self.model.records[record.index()].rows);
        let mut items = Vec::with_capacity(table.len());
        for (index, numbers) in (0_u32..).zip(table.iter()) {
            let node = self.tree.add(self.model, record, Some(loc.node), loc.row, Some(index));
            let rows = &self.model.records[record.index()].rows;
            for (row_id, row) in (0_u32..).zip(rows) {
                let at = RowId(row_id);
                let item = match targets.iter().position(|target| *target == at) {
                    Some(column) => {
                        let number = numbers.get(column).cloned().unwrap_or(Item::Absent);
                        match &row.ty {
                            Type::Pointer(_) => Item::Pointer(Box::new(PointerItem::to(number))),
                            _ => number,
                        }
                    }
                    None => match &row.kind {
                        RowKind::Constant(constant) => crate::items::default_item(
                            constant,
                            super::build::float_width(self.model, &row.ty),
                        ),
                        RowKind::Plain => Item::Unset,
                        _ => Item::Absent,
                    },
                };
                self.tree.slot_mut(node, at).item = item;
            }
            items.push(Item::Node(node));
        }
        Item::Array(Box::new(ArrayItem::of(items)))
    }

    /// A pool's members: as the file had them, if the schema keeps its list in any case or the
    /// canonical list is still what that one replaced; new texts go to its end.
    fn kept_members(&mut self, loc: Loc, members: Vec<Item>, kept_by_schema: bool) -> Item {
        let canonical = digest(std::slice::from_ref(&members));
        if let Some(kept) = self.kept_of(loc, KeptKind::Pool)
            && (kept_by_schema || kept.still_for(&canonical))
            && let crate::value::Value::Array(stored) = &kept.stored
        {
            let mut items: Vec<Item> = stored.iter().map(crate::items::value_item).collect();
            let known: std::collections::HashSet<Vec<u8>> =
                items.iter().map(crate::project::item_key).collect();
            let new = members.into_iter().filter(|m| !known.contains(&crate::project::item_key(m)));
            items.extend(new);
            return Item::Array(Box::new(ArrayItem::of(items)));
        }
        Item::Array(Box::new(ArrayItem::of(members)))
    }

    /// A shared table: the slices of its owners one behind the other.
    fn gather(&mut self, loc: Loc, slices: &'m [Path], key: Option<ExprId>) -> Fallible<Item> {
        let mut owners: Vec<(i128, usize, Loc)> = Vec::new();
        for path in slices {
            for val in self.find(path, loc.node, None)?.values {
                let Val::Place(Place::Loc(slice)) = val else { continue };
                let rank = match key {
                    Some(key) => self.eval_int(key, slice.node, None)?.unwrap_or(i128::MAX),
                    None => 0,
                };
                owners.push((rank, owners.len(), slice));
            }
        }
        owners.sort_by_key(|(rank, index, _)| (*rank, *index));
        let mut items = Vec::new();
        for (_, _, slice) in owners {
            let base = items.len() as i128;
            if let Item::Array(array) = self.tree.item(slice) {
                items.extend(array.items.iter().cloned());
            }
            self.writing().bases.insert((slice.node, slice.row), base);
        }
        Ok(Item::Array(Box::new(ArrayItem::of(items))))
    }

    /// Index that the schema says for a slice without elements. The equation of the base's row turns
    /// it back into the stored number.
    pub(crate) fn empty_base(&self, loc: Loc) -> Fallible<Option<i128>> {
        let RowKind::Slice { factor, offset, empty_base: Some(stored), .. } = &self.row(loc).kind
        else {
            return Ok(None);
        };
        match stored.checked_mul(*factor).and_then(|n| n.checked_add(*offset)) {
            Some(index) => Ok(Some(index)),
            None => eval_error("the base of the slice is too large"),
        }
    }

    /// Index of a slice's first element in its table.
    pub(crate) fn slice_base(&mut self, loc: Loc) -> Fallible<i128> {
        let RowKind::Slice { table, .. } = &self.row(loc).kind else {
            return Ok(0);
        };
        if self.is_reading() {
            // Compared with the table as a whole, not slice by slice.
            return Ok(self.stored_base(loc)?.unwrap_or(0));
        }
        if self.count_items(loc) == 0
            && let Some(index) = self.empty_base(loc)?
        {
            return Ok(index);
        }
        for val in self.find(table, loc.node, None)?.values {
            if let Val::Place(Place::Loc(table)) = val {
                self.force_loc(table)?;
            }
        }
        match self.writing().bases.get(&(loc.node, loc.row)) {
            Some(base) => Ok(*base),
            None => Err(Box::new(Fault::Eval("the shared table does not take this slice".into()))),
        }
    }
}

/// The row with whose emptiness a pointer is none.
fn none_with(ty: &Type) -> Option<RowId> {
    match ty {
        Type::Pointer(pointer) if matches!(pointer.target, Target::Own(_)) => pointer.none_with,
        _ => None,
    }
}
