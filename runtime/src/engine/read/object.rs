//! Reads what lies behind addresses: targets of pointers, objects, pooled texts.

use alloc::vec;
use alloc::vec::Vec;

use super::super::address::{leads_to_nothing, pointer_type};
use super::super::item::{ArrayRef, Blob, Item, Loc, NodeRef, UNPLACED};
use super::super::plan::count_of;
use super::super::reading::{short, Read};
use super::super::state::Engine;
use super::super::tree::Pointer;
use super::super::val::Val;
use super::Cursor;
use crate::error::ReadErrorKind;
use crate::model::{
    ArrayLength, ExprId, Home, PointerType, Row, RowId, RowKind, Target, Type, WhenEmpty,
};
use crate::spelling::{KeptKind, KeptValue};

/// What to do next to read everything that a node leads to.
enum Next {
    /// Rows of a node, from this position on among those that lead somewhere.
    Rows(NodeRef, u32),
    /// Elements of the array in a row, from this one on.
    Elements(Loc, u32),
}

impl<'p, 'b> Engine<'p, 'b> {
    /// Reads the number of a pointer; of a pooled one the text too.
    pub(crate) fn read_pointer(
        &mut self,
        pointer: &'p PointerType,
        loc: Loc,
        row: &'p Row,
        cursor: &mut Cursor<'b>,
    ) -> Read<Item> {
        let kind = &self.model.pointers[pointer.kind.index()];
        let cell = cursor.at;
        let storage = pointer.cell.as_ref().unwrap_or(&kind.cell);
        let stored = self.read_cell(storage, &[], loc, cursor)?;
        let stored = self.tree.int(stored).unwrap_or(0);
        let mut item = Pointer::to(Item::Unset);
        item.cell = short(cell);
        item.set_stored(stored);
        let none = kind.none == Some(stored) || row.none.contains(&stored);
        if none {
            self.keep_code(loc, row, kind.none, stored);
        }
        if none && !matches!(pointer.target, Target::Own(_)) {
            item.target = Item::Absent;
        } else if matches!(pointer.target, Target::Pooled) {
            match self.target_address(pointer, stored, loc, short(cell)) {
                Ok(address) => {
                    item.at = short(address);
                    item.target = self.read_pooled(pointer, address, loc)?;
                    item.end = short(address);
                }
                // What it counts from may come later.
                Err(error) if matches!(error.kind(), ReadErrorKind::Expression { .. }) => {
                    self.reading.later.push(loc);
                }
                Err(error) => return Err(error),
            }
        }
        self.budget.charge(5).map_err(|kind| self.error(kind, cell, loc))?;
        Ok(self.tree.add_pointer(item))
    }

    /// Address that a stored number means.
    pub(crate) fn target_address(
        &mut self,
        pointer: &'p PointerType,
        stored: i128,
        loc: Loc,
        cell: u32,
    ) -> Read<u64> {
        let kind = &self.model.pointers[pointer.kind.index()];
        let base = self
            .pointer_base(pointer.kind, loc.node)
            .map_err(|fault| self.fault(*fault, cell, loc))?;
        let length = self.tree.file.len() as u64;
        let bytes = match kind.unit {
            1 => Some(stored),
            unit => stored.checked_mul(unit.into()),
        };
        let target = bytes.and_then(|n| base.checked_add(n)?.checked_sub(kind.skip.into()));
        match target.and_then(|target| u64::try_from(target).ok()) {
            Some(target) if target <= length => Ok(target),
            _ => {
                let kind = ReadErrorKind::PointerOutOfBounds { target: target.unwrap_or(stored) };
                Err(self.error(kind, cell, loc))
            }
        }
    }

    fn read_pooled(&mut self, pointer: &'p PointerType, address: u64, loc: Loc) -> Read<Item> {
        let kind = &self.model.pointers[pointer.kind.index()];
        let key = (address, pointer.kind.0);
        if let Some(item) = self.reading.texts.get(&key).copied() {
            // The value will hold the text once for each pointer.
            let size = match item {
                Item::Text(blob) | Item::Bytes(blob) => u64::from(blob.len),
                Item::Units(_, len) => u64::from(len) * 2,
                _ => 0,
            };
            self.budget.charge(size).map_err(|kind| self.error(kind, address, loc))?;
            return Ok(item);
        }
        let Some(text) = kind.text.as_deref() else { return Ok(Item::Absent) };
        let length = self.tree.file.len() as u64;
        let claimed = self.claimed();
        let row = self.tree.row(loc);
        let item = self.read_type(text, loc, row, &mut Cursor::new(address, length))?;
        // The pool claims its members.
        self.unclaim(claimed);
        self.reading.texts.insert(key, item);
        Ok(item)
    }

    /// Reads the pooled texts whose places could not be known before.
    pub(crate) fn read_later(&mut self) -> Read<()> {
        let later = core::mem::take(&mut self.reading.later);
        later.into_iter().try_for_each(|loc| self.force_target(loc))
    }

    /// Reads everything that a node leads to, in the order of rows, depth first.
    pub(crate) fn resolve_node(&mut self, node: NodeRef) -> Read<()> {
        let mut todo = vec![Next::Rows(node, 0)];
        // Works without recursion over siblings; the depth of targets in targets is that of the data.
        while let Some(next) = todo.pop() {
            match next {
                Next::Rows(node, index) => {
                    let Some(row) = self.tree.plan(node).leading.get(index as usize) else {
                        continue;
                    };
                    todo.push(Next::Rows(node, index + 1));
                    let loc = Loc::row(node, *row);
                    let object = matches!(self.tree.row(loc).kind, RowKind::Object { .. });
                    if object && self.tree.entry(loc).is_unset() {
                        self.read_object_unless_absent(loc)?;
                    }
                    self.push_targets(loc, &mut todo)?;
                }
                Next::Elements(loc, index) => {
                    let Item::Array(array) = self.tree.item(loc) else { continue };
                    if index < self.tree.count(array) {
                        todo.push(Next::Elements(loc, index + 1));
                        self.push_targets(loc.at(index), &mut todo)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Reads the target of a pointer in a row or element, and remembers what it leads to.
    fn push_targets(&mut self, loc: Loc, todo: &mut Vec<Next>) -> Read<()> {
        self.force_target(loc)?;
        match self.tree.item(loc) {
            Item::Node(node) if !self.tree.plan(node.as_rows()).leading.is_empty() => {
                todo.push(Next::Rows(node.as_rows(), 0));
            }
            Item::Array(array) if loc.index().is_none() => {
                let leads = match self.tree.element(array, 0) {
                    // Of compact records nothing hangs.
                    Some(Item::Node(node)) => !node.is_element(),
                    Some(Item::Pointer(_) | Item::Absent) => true,
                    _ => false,
                };
                if leads {
                    todo.push(Next::Elements(loc, 0));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The pointer in a row or element whose target has not been read.
    pub(crate) fn pending(&self, loc: Loc) -> Option<&'p PointerType> {
        let pointer = self.tree.pointer(loc)?;
        if !pointer.target.is_unset() || pointer.busy {
            return None;
        }
        pointer_type(self.tree.row(loc), loc)
    }

    /// Makes sure that what the pointer in a row leads to has been read.
    pub(crate) fn force_target(&mut self, loc: Loc) -> Read<()> {
        match self.pending(loc) {
            Some(pointer) => self.read_target(loc, pointer),
            None => Ok(()),
        }
    }

    fn read_target(&mut self, loc: Loc, pointer: &'p PointerType) -> Read<()> {
        let Item::Pointer(number) = self.tree.entry(loc) else { return Ok(()) };
        let item = &mut self.tree.pointers[number as usize];
        item.busy = true;
        let (stored, cell) = (item.stored(), item.cell);
        let result = self.read_target_of(loc, pointer, stored, cell);
        self.tree.pointers[number as usize].busy = false;
        let (target, at, end) = result?;
        let there = !target.is_absent() || leads_to_nothing(self.tree.row(loc));
        self.reading.objects += u64::from(there && at != UNPLACED && pointer.owned().is_some());
        let item = &mut self.tree.pointers[number as usize];
        item.target = target;
        item.at = at;
        item.end = end;
        Ok(())
    }

    fn read_target_of(
        &mut self,
        loc: Loc,
        pointer: &'p PointerType,
        stored: i128,
        cell: u32,
    ) -> Read<(Item, u32, u32)> {
        let row = self.tree.row(loc);
        let kind = &self.model.pointers[pointer.kind.index()];
        let none = kind.none == Some(stored) || row.none.contains(&stored);
        if matches!(pointer.target, Target::Pooled) {
            let at = self.target_address(pointer, stored, loc, cell)?;
            return Ok((self.read_pooled(pointer, at, loc)?, short(at), short(at)));
        }
        let Target::Own(target) = &pointer.target else {
            // An element is looked for when all arrays are there, or when somebody asks for it.
            let item = match none && pointer.optional {
                true => Item::Absent,
                false => self.tree.integer(stored),
            };
            return Ok((item, cell, cell));
        };
        let count = count_of(target);
        let fill = matches!(
            target.stripped(),
            Type::Array(array) if matches!(array.length, ArrayLength::Fill)
        );
        let usual = pointer.when_empty(self.model) != WhenEmpty::None;
        let free = pointer.none_with.is_none();
        if none {
            if pointer.optional {
                return Ok((Item::Absent, cell, cell));
            }
            let Some(count) = count else {
                if !free {
                    return Ok((Item::Absent, cell, cell));
                }
                // As many elements as there is room for: without an address, none.
                if fill {
                    if usual {
                        self.keep_pointer(loc, false);
                    }
                    return Ok((self.empty_item(target), UNPLACED, UNPLACED));
                }
                return Err(self.error(ReadErrorKind::NullPointer, cell, loc));
            };
            // It has no address that the count could follow from.
            self.reading.opening.push((loc, None));
            let count = self.eval_int(count, loc.node, None);
            self.reading.opening.pop();
            if count.map_err(|fault| self.fault(*fault, cell, loc))? != Some(0) {
                return Err(self.error(ReadErrorKind::NullPointer, cell, loc));
            }
            if usual && free {
                self.keep_pointer(loc, false);
            }
            return Ok((self.empty_item(target), UNPLACED, UNPLACED));
        }
        let at = self.target_address(pointer, stored, loc, cell)?;
        // What is read may ask where it is.
        if let Some(pointer) = self.tree.pointer_mut(loc) {
            pointer.at = short(at);
        }
        let length = self.tree.file.len() as u64;
        let mut cursor = Cursor::new(at, length);
        self.stand(&cursor);
        let item = self.read_type(target, loc, row, &mut cursor)?;
        self.align_bits(&mut cursor)?;
        let empty = match item {
            Item::Array(array) => self.tree.count(array) == 0,
            Item::Bytes(blob) => blob.len == 0,
            _ => false,
        };
        if empty && free && !usual && (count.is_some() || fill) {
            self.keep_pointer(loc, true);
        }
        Ok((item, short(at), short(cursor.at)))
    }

    /// Keeps whether a pointer to an empty array is set.
    fn keep_pointer(&mut self, loc: Loc, set: bool) {
        self.keep(loc, KeptKind::Pointer, KeptValue::Bool(set), KeptValue::Bool(!set));
    }

    fn read_object_unless_absent(&mut self, loc: Loc) -> Read<()> {
        if let Some(condition) = self.tree.row(loc).when {
            let at = self.tree.node_at(loc.node);
            let holds = self
                .eval_bool(condition, loc.node, None)
                .map_err(|fault| self.fault(*fault, at, loc))?;
            if !holds {
                self.tree.set_item(loc, Item::Absent);
                return Ok(());
            }
        }
        self.read_object(loc)
    }

    /// Reads an object that no pointer cell of its owner leads to.
    pub(crate) fn read_object(&mut self, loc: Loc) -> Read<()> {
        let row = self.tree.row(loc);
        let RowKind::Object { address, .. } = row.kind else { return Ok(()) };
        if self.tree.home(loc) == Home::Absent {
            return Ok(());
        }
        self.while_busy(loc, |engine| engine.read_object_at(loc, row, address))
    }

    /// Where the number stands that says the address of an object, if one number does.
    #[cold]
    fn said_at(&mut self, address: ExprId, loc: Loc) -> Option<u32> {
        let number = self.model.exprs.place(address)?;
        let Ok(Val::Loc(number)) = self.find_first(number.path, loc.node, None).map(|f| f.first)
        else {
            return None;
        };
        Some(self.tree.cell_at(number)).filter(|at| *at != UNPLACED)
    }

    fn read_object_at(&mut self, loc: Loc, row: &'p Row, said: ExprId) -> Read<()> {
        let from = self.tree.node_at(loc.node);
        let address =
            self.eval_int(said, loc.node, None).map_err(|fault| self.fault(*fault, from, loc))?;
        let Some(address) = address else {
            return Err(self.error(ReadErrorKind::ObjectNotFound, from, loc));
        };
        let length = self.tree.file.len() as u64;
        let at = match u64::try_from(address) {
            Ok(at) if at <= length => at,
            _ => {
                let kind = ReadErrorKind::PointerOutOfBounds { target: address };
                let from = self.said_at(said, loc).unwrap_or(from);
                return Err(self.error(kind, from, loc));
            }
        };
        self.tree.change_slot(loc, |slot| slot.at = short(at));
        let mut cursor = Cursor::new(at, length);
        self.stand(&cursor);
        let item = self.read_type(&row.ty, loc, row, &mut cursor)?;
        self.align_bits(&mut cursor)?;
        self.tree.change_slot(loc, |slot| {
            slot.item = item;
            slot.end = short(cursor.at);
        });
        self.reading.objects += u64::from(!item.is_absent() || leads_to_nothing(row));
        self.check_now(loc, row)
    }

    /// An empty array, or run of bytes, of a type.
    fn empty_item(&mut self, ty: &Type) -> Item {
        match ty.stripped() {
            Type::Run(_) => Item::Bytes(Blob::EMPTY),
            _ => Item::Array(ArrayRef::Own(self.tree.add_items(&[]))),
        }
    }

    /// Nothing but rows in place hangs on some nodes.
    pub(crate) fn own_rows(&self, node: NodeRef) -> impl Iterator<Item = RowId> + 'p {
        self.tree.plan(node).slotted.iter().copied()
    }
}
