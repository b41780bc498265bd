//! Reads rows that something asks for before their turn.

use alloc::boxed::Box;
use alloc::format;

use super::super::forms::cell_fits;
use super::super::item::{ArrayRef, Item, Loc, NodeRef, UNPLACED};
use super::super::state::Engine;
use super::super::tables::said_base;
use super::super::tree::{float, stored_float, Cells, Elements, Records};
use super::super::val::{eval_error, Fallible, Fault, Val};
use crate::error::{ReadError, ReadErrorKind};
use crate::model::{ArrayLength, ExprId, Home, Meaning, Path, Row, RowId, RowKind, Type};

impl<'p> Engine<'p, '_> {
    /// Makes sure that a row has been read, objects and pointers included.
    pub(crate) fn force_read(&mut self, loc: Loc) -> Fallible<()> {
        let mut entry = self.tree.entry(loc);
        if entry.is_unset() {
            if self.tree.leave_slice_empty(loc) {
                return self.charge(2);
            }
            if self.is_busy(loc) {
                // Being read: what is known of it so far is known.
                return Ok(());
            }
            if self.tree.row_plan(loc.node, loc.row).stands {
                // Nobody but the row itself knows where it stands.
                return eval_error(format!("`{}` is not read yet", self.describe(loc)));
            }
            self.elsewhere(|engine| engine.read_early(loc))?;
            entry = self.tree.entry(loc);
        }
        match entry {
            Item::Pointer(_) if !self.is_busy(loc) => {
                let target = |engine: &mut Self| engine.force_target(loc);
                self.elsewhere(target).map_err(|error| Box::new(Fault::Read(error)))
            }
            _ => Ok(()),
        }
    }

    /// Reads something that is not where the reader is, which goes on there.
    fn elsewhere<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let (here, region_end) = (self.here, self.region_end);
        let result = read(self);
        (self.here, self.region_end) = (here, region_end);
        result
    }

    pub(super) fn read_early(&mut self, loc: Loc) -> Fallible<()> {
        let fail = |error: ReadError| Box::new(Fault::Read(error));
        let row = self.tree.row(loc);
        let home = self.tree.home(loc);
        if let Some(condition) = row.when.filter(|_| home == Home::Nowhere) {
            if !self.block_holds(condition, loc.node)? {
                self.tree.set_item(loc, Item::Absent);
                return Ok(());
            }
        }
        match (&row.kind, home) {
            (RowKind::Object { .. }, _) => self.read_object(loc).map_err(fail),
            (RowKind::Mark { address }, _) => {
                let at = self.eval_int(*address, loc.node, None)?;
                let item = match at {
                    Some(at) => self.tree.integer(at),
                    // What would say the address is not there, so there is none.
                    None => Item::Absent,
                };
                self.tree.change_slot(loc, |slot| {
                    slot.item = item;
                    slot.at = at.and_then(|at| u32::try_from(at).ok()).unwrap_or(UNPLACED);
                    slot.end = slot.at;
                });
                Ok(())
            }
            (RowKind::Value { seen: Some(seen) }, _) => {
                let seen = self.while_busy(loc, |engine| engine.eval(*seen, loc.node, None))?;
                let item = self.seen(row, seen)?;
                self.tree.set_item(loc, item);
                Ok(())
            }
            // Names come from a dictionary when everything is read; until then nobody can
            // say how many there are.
            (RowKind::Value { seen: None }, _) if !self.reading.settling => {
                eval_error(format!("`{}` is not known yet", self.describe(loc)))
            }
            (RowKind::Slice { .. }, _) => self.read_slice(loc),
            (_, Home::At(offset)) => {
                let (base, limit) = (self.tree.node_at(loc.node), self.tree.node_end(loc.node));
                let length = self.tree.file.len() as u64;
                let limit = if limit == UNPLACED { length } else { limit.into() };
                if base == UNPLACED {
                    return eval_error(format!("`{}` is not read yet", self.describe(loc)));
                }
                let planned = self.tree.row_plan(loc.node, loc.row);
                self.read_fixed_row(loc, row, planned, offset, base.into(), limit).map_err(fail)
            }
            _ => Ok(()),
        }
    }

    /// What is seen in the file, as a value of the row's type.
    fn seen(&mut self, row: &'p Row, seen: Val) -> Fallible<Item> {
        let cell = match &row.ty {
            Type::Cell(cell) => Some(cell),
            _ => None,
        };
        let meaning = cell.map(|cell| &cell.meaning);
        let fits = match (seen, meaning) {
            (Val::None, _) => !row.none.is_empty() || row.when.is_some(),
            (Val::Bool(_), meaning) => matches!(meaning, Some(Meaning::Bool { .. })),
            (Val::Int(n), Some(Meaning::Int | Meaning::Enum(_))) => {
                let stored = n.checked_add(row.plus);
                let is_none = |stored| row.none.contains(&stored);
                cell.is_some_and(|cell| cell_fits(self.model, cell, n))
                    && !stored.map_or(true, is_none)
            }
            (Val::Float(f), Some(Meaning::Float(_))) => {
                let stored = cell.and_then(|cell| stored_float(cell, Item::F64(f.to_bits())));
                match cell.zip(stored) {
                    Some((cell, stored)) => return Ok(float(stored, cell)),
                    None => false,
                }
            }
            // A text without bytes has no units of its own.
            (Val::Units(..), None) => !matches!(row.ty, Type::Text),
            (Val::Text(_) | Val::Bytes(_), None) => true,
            _ => false,
        };
        if fits {
            return Ok(self.tree.val_item(seen));
        }
        let (name, seen) = (row.name.as_deref().unwrap_or_default(), self.tree.show(seen));
        eval_error(format!("`{name}` is seen as {seen}, which it cannot say"))
    }

    /// A path's elements of a shared table that belong to this node.
    fn read_slice(&mut self, loc: Loc) -> Fallible<()> {
        let row = self.tree.row(loc);
        let RowKind::Slice { table, count, .. } = &row.kind else { return Ok(()) };
        let base = self.stored_base(loc)?.unwrap_or(0);
        let length = match row.ty.stripped() {
            Type::Array(array) => &array.length,
            _ => &ArrayLength::Fill,
        };
        let count = match (self.counted(loc, *count)?, length) {
            (Some(count), _) => count,
            (None, ArrayLength::Count(count)) => {
                let at = self.address_of_base(loc).into();
                let count = self.evaluate_count(*count, "count", loc, at);
                count.map_err(|error| Box::new(Fault::Read(error)))?.into()
            }
            (None, ArrayLength::Last(_)) if self.empty_base(loc)? == Some(base) => 0,
            (None, ArrayLength::Last(last)) => self.up_to_last(table, loc, base, *last)?,
            (None, ArrayLength::Fill) => 0,
        };
        let number = if count == 0 {
            self.tree.no_elements()
        } else {
            self.table_slice(table, loc, base, count)?
        };
        self.charge(2)?;
        self.tree.set_item(loc, Item::Array(ArrayRef::Own(number)));
        Ok(())
    }

    /// Number of elements of a slice, if a row says it.
    pub(crate) fn counted(&mut self, slice: Loc, count: Option<RowId>) -> Fallible<Option<i128>> {
        match count {
            Some(count) => self.number_in(slice.node, count),
            None => Ok(None),
        }
    }

    /// The number in a row, if there is one.
    fn number_in(&mut self, node: NodeRef, row: RowId) -> Fallible<Option<i128>> {
        let item = match self.tree.row_entry(node, row) {
            Item::Unset | Item::Pointer(_) => self.fetch(Loc::row(node, row))?,
            item => item,
        };
        Ok(self.tree.int(item))
    }

    /// Number of elements of a shared table from one of them on, up to the first for which `last` holds.
    fn up_to_last(
        &mut self,
        table: &'p Path,
        slice: Loc,
        base: i128,
        last: ExprId,
    ) -> Fallible<i128> {
        let (table, array) = self.shared_table(table, slice)?;
        let total = self.tree.count(array);
        let mut index = base;
        while let Some(at) = u32::try_from(index).ok().filter(|at| *at < total) {
            self.charge(1)?;
            let it = self.tree.val(self.tree.item(table.at(at)));
            index += 1;
            if self.eval_bool(last, slice.node, Some(it))? {
                return Ok(index - base);
            }
        }
        Err(self.beyond_table(slice, index, total))
    }

    /// Index of a slice's first element, as its row says it.
    pub(crate) fn stored_base(&mut self, loc: Loc) -> Fallible<Option<i128>> {
        if let Some((base, _)) = self.slice_numbers(loc) {
            return Ok(Some(base.into()));
        }
        let kind = &self.tree.row(loc).kind;
        let RowKind::Slice { base, .. } = kind else { return Ok(None) };
        let Some(stored) = self.number_in(loc.node, *base)? else { return Ok(None) };
        said_base(kind, stored).map_err(|fault| match self.is_reading() {
            true => Box::new(Fault::Read(self.fault(*fault, self.address_of_base(loc), loc))),
            false => fault,
        })
    }

    fn table_slice(&mut self, table: &'p Path, loc: Loc, base: i128, count: i128) -> Fallible<u32> {
        let (_, array) = self.shared_table(table, loc)?;
        let total = self.tree.count(array);
        let range = u32::try_from(base)
            .ok()
            .zip(base.checked_add(count).and_then(|end| u32::try_from(end).ok()));
        match range.filter(|(from, to)| from <= to && *to <= total) {
            Some((from, to)) => Ok(self.part_of_array(array, from, to)),
            // The first one that the table does not have.
            None if base < 0 => Err(self.beyond_table(loc, base, total)),
            None => Err(self.beyond_table(loc, base.max(total.into()), total)),
        }
    }

    fn shared_table(&mut self, table: &'p Path, slice: Loc) -> Fallible<(Loc, ArrayRef)> {
        let Val::Loc(table) = self.find_first(table, slice.node, None)?.first else {
            return eval_error("the shared table is not there");
        };
        self.force_loc(table)?;
        match self.tree.item(table) {
            Item::Array(array) => Ok((table, array)),
            _ => eval_error("the shared table is not there"),
        }
    }

    /// A slice needs an element that its table does not have.
    fn beyond_table(&mut self, slice: Loc, index: i128, total: u32) -> Box<Fault> {
        let kind = ReadErrorKind::IndexOutOfRange { index, count: total.into() };
        Box::new(Fault::Read(self.error(kind, self.address_of_base(slice), slice)))
    }

    /// Address of the row that says where a slice begins, which has none itself.
    fn address_of_base(&self, slice: Loc) -> u32 {
        match &self.tree.row(slice).kind {
            RowKind::Slice { base, .. } => self.tree.row_at(Loc::row(slice.node, *base)),
            _ => self.tree.row_at(slice),
        }
    }

    /// Some elements of an array as an array, which has no address of its own.
    pub(crate) fn part_of_array(&mut self, array: ArrayRef, from: u32, to: u32) -> u32 {
        let ArrayRef::Own(number) = array else {
            let items: alloc::vec::Vec<Item> =
                (from..to).filter_map(|index| self.tree.element(array, index)).collect();
            return self.tree.add_items(&items);
        };
        let elements = match self.tree.elements(number) {
            Elements::Items { first, .. } => Elements::Items { first: first + from, starts: None },
            Elements::Cells(cells) => {
                let size = u32::from(super::super::tree::cell_bytes(cells.cell));
                Elements::Cells(Cells { first: cells.first + size * from, ..cells })
            }
            // Elements are nodes by their place in the whole table.
            Elements::Records(Records { .. }) => Elements::Part { array: number, first: from },
            Elements::Part { array, first } => Elements::Part { array, first: first + from },
        };
        self.tree.add_array(elements, to - from)
    }
}
