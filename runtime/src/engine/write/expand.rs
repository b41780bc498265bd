//! Arrays that follow from others: dictionaries, shared tables, relocation.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

use super::super::item::{ArrayRef, Item, Loc};
use super::super::kept::Kept;
use super::super::plan::{count_of, Duties, Store};
use super::super::settle::kept_kind;
use super::super::state::{Engine, Table};
use super::super::tree::Pointer;
use super::super::val::{eval_error, Fallible, Fault, Val};
use super::super::walk::Walk;
use crate::model::{Expr, ExprId, Home, PointerType, Role, Row, RowId, RowKind, Target, Type};
use crate::problem::ProblemKind;
use crate::spelling::{KeptKind, KeptValue};

impl<'p> Engine<'p, '_> {
    pub(crate) fn expand(&mut self) {
        let mut walk = Walk::growing(&self.tree, Duties::EXPANDING);
        while let Some(node) = walk.next(&self.tree) {
            if self.tree.is_dead(node) {
                continue;
            }
            let record = self.tree.record(node);
            for id in &self.tree.plan(node).expanding {
                let loc = Loc::row(node, *id);
                if let Err(fault) = self.expand_row(loc, &record.rows[id.index()]) {
                    self.report(*fault, loc);
                }
            }
        }
    }

    /// What a pointer leads to that is none exactly when an array is empty. Data must be given or left
    /// out as that says; a list that says how long it is, and is no optional one, is empty then.
    fn expand_none_with(&mut self, loc: Loc, row: &Row, pointer: &PointerType, with: RowId) {
        let empty = self.is_none_with(Loc::row(loc.node, with));
        let here = self.tree.item(loc);
        let data = self.model.carries_data(&row.ty);
        let list = count_of(&row.ty).is_some() && !pointer.optional;
        match (empty, here.is_absent()) {
            (true, true) if !list => {}
            (_, true) if data => self.problem(loc, ProblemKind::MissingField),
            (true, false) if data && !(list && self.count_items(loc) == 0) => {
                let name = self.tree.record(loc.node).rows[with.index()].name.as_deref();
                let why = format!("`{}` has no elements", name.unwrap_or_default()).into();
                self.problem(loc, ProblemKind::UnexpectedField { why });
            }
            (true, false) if !list => {
                if let Item::Node(unused) = here {
                    self.tree.bury(unused);
                }
                self.set_none(loc);
            }
            _ => {}
        }
    }

    fn expand_row(&mut self, loc: Loc, row: &'p Row) -> Fallible<()> {
        if let Some((pointer, with)) = none_with(&row.ty) {
            let there = match row.when {
                None => true,
                Some(condition) if self.layout.mentions_position(condition) => false,
                Some(condition) => matches!(self.eval_bool(condition, loc.node, None), Ok(true)),
            };
            if there && self.tree.home(loc) != Home::Absent {
                self.expand_none_with(loc, row, pointer, with);
            }
        }
        if let (Some(condition), Type::Pointer(pointer)) = (row.when, row.ty.stripped()) {
            let may_be = self.tree.entry(loc).is_absent()
                && matches!(row.role, Role::Data | Role::Elsewhere)
                && pointer.may_be_none(self.model, row)
                && !self.layout.mentions_position(condition)
                && self.tree.home(loc) != Home::Absent;
            // What cannot be said yet is reported when everything is placed.
            if may_be && matches!(self.eval_bool(condition, loc.node, None), Ok(true)) {
                self.set_none(loc);
            }
        }
        if !self.tree.entry(loc).is_unset() {
            return Ok(());
        }
        if let Some(condition) = row.when.filter(|_| row.has_usual()) {
            if self.layout.mentions_position(condition) {
                if let Some(usual) = self.usual(loc, row) {
                    self.tree.set_item(loc, usual);
                }
                return Ok(());
            }
            return self.force(loc.node, loc.row);
        }
        let early = match row.role {
            Role::Kept(expr) => matches!(self.model[expr], Expr::Patricia(_)),
            Role::Derived => row.patricia(self.model).is_some(),
            Role::View { .. } => true,
            _ => false,
        };
        if early {
            self.force(loc.node, loc.row)?;
        }
        Ok(())
    }

    fn set_none(&mut self, loc: Loc) {
        let none = self.tree.add_pointer(Pointer::to(Item::Absent));
        self.tree.set_item(loc, none);
    }

    /// Computes a row that follows from others.
    pub(crate) fn force_write(&mut self, loc: Loc) -> Fallible<()> {
        if !self.tree.entry(loc).is_unset() {
            return Ok(());
        }
        if self.is_raw(loc.node) {
            let what = self.describe(loc);
            return eval_error(format!("{what} is in an element that belongs to nobody"));
        }
        let row = self.tree.row(loc);
        if let Some(n) = self.follows_at_once(loc.node, self.tree.row_plan(loc.node, loc.row)) {
            self.tree.set_item(loc, Item::Int(n));
            return Ok(());
        }
        if self.is_busy(loc) {
            return Err(Box::new(Fault::Cycle(self.describe(loc))));
        }
        let counts_itself = self.counts_itself(loc);
        match self.while_busy(loc, |engine| match counts_itself {
            true => engine.compute_of_its_size(loc, row),
            false => engine.compute(loc, row),
        }) {
            Ok(Some(item)) => self.tree.set_item(loc, item),
            Ok(None) => {}
            Err(fault) if matches!(*fault, Fault::NotWritten(_)) => self.sum_later(loc, fault)?,
            Err(fault) => return Err(fault),
        }
        Ok(())
    }

    #[inline(never)]
    fn compute_of_its_size(&mut self, loc: Loc, row: &'p Row) -> Fallible<Option<Item>> {
        let number = |engine: &Self, item: &Option<Item>| engine.tree.int((*item)?);
        self.of_its_size(loc, row, |engine| engine.compute(loc, row), number)
    }

    /// What a row follows from. Sizes follow from what is inside, of which each level comes through here:
    /// all that few rows need is elsewhere, so that a level takes little of the stack.
    fn compute(&mut self, loc: Loc, row: &'p Row) -> Fallible<Option<Item>> {
        match (&row.kind, &row.role) {
            (RowKind::Plain, Role::Derived) if !row.has_usual() => self.compute_derived(loc, row),
            _ => self.compute_other(loc, row),
        }
    }

    fn compute_derived(&mut self, loc: Loc, row: &'p Row) -> Fallible<Option<Item>> {
        match self.derived(loc)? {
            Some(canonical) => self.canonical_item(loc, row, canonical).map(Some),
            None => Ok(None),
        }
    }

    #[inline(never)]
    fn canonical_item(&mut self, loc: Loc, row: &'p Row, canonical: Val) -> Fallible<Item> {
        Ok(match self.canonical(loc, row, canonical)? {
            Val::Table(table) => {
                let table = self.tables[table as usize].clone();
                self.table_item(loc, row, &table)
            }
            val => self.tree.val_item(val),
        })
    }

    /// What is written where an equation gives nothing.
    fn canonical(&mut self, loc: Loc, row: &'p Row, canonical: Val) -> Fallible<Val> {
        match canonical {
            Val::None if self.is_there(loc, row)? => self.for_nothing(row),
            canonical => Ok(canonical),
        }
    }

    #[inline(never)]
    fn compute_other(&mut self, loc: Loc, row: &'p Row) -> Fallible<Option<Item>> {
        match (&row.kind, &row.role) {
            (RowKind::Pool { always, order, kept, .. }, _) => {
                let members = self.pool_members(loc, always, order)?;
                return self.kept_members(loc, members, *kept, (always, order)).map(Some);
            }
            (RowKind::Mark { .. }, _) => return Ok(None),
            (RowKind::Value { seen: Some(_) }, _) => return Ok(Some(Item::Absent)),
            (_, Role::View { slices, key }) => {
                let table = self.gather(loc, slices, *key)?;
                return Ok(Some(match &row.ty {
                    Type::Pointer(_) => self.tree.add_pointer(Pointer::to(table)),
                    _ => table,
                }));
            }
            _ if row.has_usual() => {
                let there = self.is_there(loc, row)?;
                let usual = self.usual(loc, row).filter(|_| there);
                return Ok(Some(usual.unwrap_or(Item::Absent)));
            }
            _ => {}
        }
        let expr = match row.role {
            Role::Derived => return self.compute_derived(loc, row),
            Role::Kept(expr) => expr,
            _ => return Ok(None),
        };
        let kind = kept_kind(&self.model[expr]);
        let canonical = match self.of_row(loc, |engine| engine.eval(expr, loc.node, None)) {
            Ok(val) => self.canonical(loc, row, val)?,
            Err(fault) => return self.kept_in_spite(loc, row, expr, fault).map(Some),
        };
        if self.tree.kept_of(loc, kind).is_some() {
            let instead = match canonical {
                Val::Table(table) => self.table_digest(expr, table)?,
                val => self.kept_canonical(loc, val),
            };
            // A number that is instead of nothing in particular is always written.
            let always =
                |kept: &&Kept| kind == KeptKind::Number && kept.instead_of == KeptValue::None;
            let fits = |kept: &&Kept| kept.instead_of == instead || always(kept);
            let kept = self.tree.kept_of(loc, kind).filter(fits);
            if let Some(stored) = kept.map(|kept| kept.stored.clone()) {
                return Ok(Some(self.kept_again(loc, row, &stored)));
            }
        }
        self.canonical_item(loc, row, canonical).map(Some)
    }

    /// Whether the condition of a row holds.
    fn is_there(&mut self, loc: Loc, row: &Row) -> Fallible<bool> {
        match row.when {
            Some(condition) => self.eval_bool(condition, loc.node, None),
            None => Ok(true),
        }
    }

    /// The nodes that the file had, for the same names, of which no tree can be made.
    fn kept_in_spite(
        &mut self,
        loc: Loc,
        row: &'p Row,
        expr: ExprId,
        fault: Box<Fault>,
    ) -> Fallible<Item> {
        let kind = KeptKind::Dictionary;
        let told = matches!(*fault, Fault::Eval(_) | Fault::Keys(..));
        if !told || kept_kind(&self.model[expr]) != kind || self.tree.kept_of(loc, kind).is_none() {
            return Err(fault);
        }
        let names = self.names_digest(loc, expr)?;
        let kept = self.tree.kept_of(loc, kind).filter(|kept| kept.instead_of == names);
        match kept.map(|kept| kept.stored.clone()) {
            Some(stored) => Ok(self.kept_again(loc, row, &stored)),
            None => Err(fault),
        }
    }

    /// What was kept in place of something that is computed.
    fn kept_again(&mut self, loc: Loc, row: &'p Row, stored: &KeptValue) -> Item {
        let KeptValue::Table(rows) = stored else { return self.kept_item(stored, row) };
        let mut table = Table::new(rows.first().map_or(0, Vec::len));
        for field in rows.iter().flatten() {
            let item = self.kept_item(field, row);
            table.push([item]);
        }
        self.table_item(loc, row, &table)
    }

    /// Makes the records of an array from the rows of an algorithm.
    fn table_item(&mut self, loc: Loc, row: &'p Row, table: &Table) -> Item {
        let Type::Array(array) = row.ty.stripped() else { return Item::Absent };
        let Type::Record(record) = array.element else { return Item::Absent };
        let definition = &self.model.records[record.index()];
        let targets = definition.table_rows();
        let mut items = Vec::with_capacity(table.len());
        for (index, numbers) in (0..).zip(table.rows()) {
            let node = self.tree.add(record, Some(loc.at(index)));
            self.tree.add_block(node);
            for (id, row) in (0..).map(RowId).zip(&definition.rows) {
                let at = Loc::row(node, id);
                let column = targets.iter().position(|target| *target == id);
                let item = match column {
                    Some(column) => {
                        let number = numbers.get(column).copied().unwrap_or(Item::Absent);
                        match row.ty {
                            Type::Pointer(_) => self.tree.add_pointer(Pointer::to(number)),
                            _ => number,
                        }
                    }
                    None => match row.kind {
                        RowKind::Constant(_) => self.tree.row_plan(node, id).said,
                        RowKind::Plain => Item::Unset,
                        _ => Item::Absent,
                    },
                };
                match (self.tree.row_plan(node, id).store, column) {
                    (Store::Slot(_), _) => self.tree.set_item(at, item),
                    (_, Some(_)) => self.put_in_place(at, row, item),
                    _ => {}
                }
            }
            items.push(Item::Node(node));
        }
        Item::Array(ArrayRef::Own(self.tree.add_items(&items)))
    }
}

/// The row with whose emptiness a pointer is none.
fn none_with(ty: &Type) -> Option<(&PointerType, RowId)> {
    match ty {
        Type::Pointer(pointer) if matches!(pointer.target, Target::Own(_)) => {
            pointer.none_with.map(|with| (&**pointer, with))
        }
        _ => None,
    }
}
