//! Writes numbers: what a cell, word, tag or pointer stores.

use alloc::format;
use alloc::vec::Vec;

use super::super::forms::cell_fits;
use super::super::item::{Item, Loc, NodeRef, UNPLACED};
use super::super::plan::Store;
use super::super::state::Engine;
use super::super::tree::{load, stored_float, stored_float_of};
use super::super::val::{eval_error, Fallible, Val};
use super::build::{does_not_fit, is_nothing};
use super::fill::no_order;
use super::tags::leads_elsewhere;
use crate::load::{mask, Endian};
use crate::model::{
    Cell, IntType, Label, Meaning, Path, Pattern, PointerType, RecordKind, Reference, Role, Row,
    RowId, Start, Storage, Tag, Target, Type, UnionId,
};
use crate::problem::ProblemKind;

impl<'p> Engine<'p, '_> {
    /// The number that a cell stores for an item.
    pub(super) fn stored_number(
        &mut self,
        loc: Loc,
        cell: &'p Cell,
        row: &'p Row,
    ) -> Fallible<i128> {
        let item = self.tree.item(loc);
        Ok(match (&cell.meaning, item) {
            (Meaning::Float(_), Item::F32(_) | Item::F64(_))
            | (Meaning::Float(_), Item::Int(_) | Item::Uint(_) | Item::Wide(_)) => {
                let stored = match self.tree.int(item) {
                    Some(n) => stored_float_of(cell, n),
                    None => stored_float(cell, item),
                };
                match stored {
                    Some(stored) => stored.into(),
                    None => {
                        self.float_problem(loc, cell, item);
                        0
                    }
                }
            }
            (Meaning::Bool { yes }, Item::Bool(true)) => (*yes).into(),
            (Meaning::Bool { yes }, Item::Int(n)) if n != 0 => (*yes).into(),
            (_, Item::Bool(b)) => b.into(),
            (_, Item::Absent) => self.code_for_none(loc, row, None).unwrap_or(0),
            (Meaning::Word(_), Item::Node(node)) => self.word(node)?.into(),
            (_, Item::Unset) => {
                return eval_error("its number follows from something that is not there");
            }
            (_, item) => {
                let Some(n) = self.tree.int(item) else { return Ok(0) };
                let ranks = row.reference.as_ref().filter(|reference| reference.filter.is_some());
                let ranked = ranks.is_some();
                let n = match ranks {
                    Some(reference) => self.rank(loc, reference, n)?,
                    None => n,
                };
                let stored = n.checked_add(row.plus).unwrap_or(n);
                if ranked && row.none.contains(&stored) {
                    self.problem(loc, is_nothing(n));
                }
                stored
            }
        })
    }

    /// Rank of an element among those for which the reference's filter holds.
    fn rank(&mut self, loc: Loc, reference: &'p Reference, index: i128) -> Fallible<i128> {
        let (Some(filter), Some(array)) = (reference.filter, self.referred(reference, loc)?) else {
            return Ok(index);
        };
        let ranks = self.ranks(array, filter, loc.node)?;
        let found = u32::try_from(index).ok().and_then(|index| self.rank_in(&ranks, index));
        match found {
            Some(rank) => Ok(rank as i128),
            None => {
                let what = format!("element {index} is not one that can be referred to").into();
                self.problem(loc, ProblemKind::NotAnElement { what });
                Ok(0)
            }
        }
    }

    /// The integer made of the bit fields of a node.
    fn word(&mut self, node: NodeRef) -> Fallible<u64> {
        let record = self.tree.record(node);
        let RecordKind::Word(int) = record.kind else { return Ok(0) };
        // Fields in place are there already.
        let block = match self.tree.place_mut(Loc::row(node, RowId(0)), int.bytes.into()) {
            Some(block) => load(block, 0, int.bytes, Endian::Little),
            None => 0,
        };
        let mut word = block;
        for (id, row) in (0..).map(RowId).zip(&record.rows) {
            let loc = Loc::row(node, id);
            if !matches!(self.tree.row_plan(node, id).store, Store::Slot(_)) {
                continue;
            }
            let cell = match &row.ty {
                Type::Cell(cell) => Some(cell),
                Type::Pointer(pointer) => pointer.cell.as_ref(),
                _ => None,
            };
            let Some(cell) = cell else { continue };
            let Storage::Word { first, last, .. } = cell.storage else { continue };
            self.force(node, id)?;
            let n = match &row.ty {
                Type::Pointer(pointer) => self.pointer_number(loc, pointer, row)?,
                _ => self.stored_number(loc, cell, row)?,
            };
            let has_room = match cell.meaning {
                Meaning::Float(_) => crate::fits(n, u32::from(last - first) + 1, false),
                _ => cell_fits(self.model, cell, n),
            };
            if !has_room {
                self.problem(loc, does_not_fit(n, &self.model.cell_name(cell)));
                continue;
            }
            if !self.can_have(loc, cell, row, n) {
                continue;
            }
            word |= (n as u64 & mask(last - first + 1)) << first;
        }
        Ok(word)
    }

    /// Whether a row can have a number that is computed, stored like this: it need be no member of its
    /// enumeration, and may be one that means nothing. What is data was looked at when it was built.
    fn can_have(&mut self, loc: Loc, cell: &Cell, row: &Row, stored: i128) -> bool {
        let number = stored.saturating_sub(row.plus);
        let unnamed = match cell.meaning {
            Meaning::Enum(id) => Some(&self.model.enums[id.index()]).filter(|e| !e.allows(number)),
            _ => None,
        };
        let is_wrong = unnamed.is_some() || row.none.contains(&stored);
        let computed = matches!(row.role, Role::Derived | Role::Kept(_));
        if !is_wrong || !computed || self.tree.item(loc).is_absent() {
            return true;
        }
        let problem = match unnamed {
            Some(definition) if !row.none.contains(&stored) => {
                does_not_fit(number, &definition.name)
            }
            _ => is_nothing(number),
        };
        self.problem(loc, problem);
        false
    }

    pub(crate) fn fill_cell(&mut self, loc: Loc, cell: &'p Cell, row: &'p Row) -> Fallible<()> {
        if self.is_summed_later(loc) {
            return Ok(());
        }
        let n = self.stored_number(loc, cell, row)?;
        if !self.can_have(loc, cell, row, n) {
            return Ok(());
        }
        let at = self.item_at(loc);
        match cell.storage {
            Storage::Fixed(int) => {
                let is_bits = matches!(cell.meaning, Meaning::Float(_) | Meaning::Word(_));
                if !is_bits && !fits_int(n, int) {
                    self.problem(loc, does_not_fit(n, &self.model.cell_name(cell)));
                    return Ok(());
                }
                self.put_int(loc, at, int, n)
            }
            Storage::Varint(_) | Storage::Digits { .. } => {
                if self.put_spelled(loc, at, cell.storage, n).is_none() {
                    self.problem(loc, does_not_fit(n, &self.room_name(cell)));
                }
                Ok(())
            }
            Storage::Bits { width, msb_first } => {
                if !crate::fits(n, width.into(), false) {
                    self.problem(loc, does_not_fit(n, &format!("{width} bits")));
                    return Ok(());
                }
                // In a region or at a stride they begin with a byte of their own.
                let (at, from) = match row.ty.is_bits() {
                    true => {
                        let (row, before) = (loc.whole_row(), u64::from(loc.index().unwrap_or(0)));
                        let from = u64::from(self.tree.row_bit(row)) + before * u64::from(width);
                        (self.tree.row_at(row).into(), from)
                    }
                    false => (at, 0),
                };
                let bit = u8::try_from(from % 8).unwrap_or(0);
                self.put_bits(at + from / 8, bit, width, msb_first, n as u64);
                Ok(())
            }
            // The word, pattern or tag around it is written as a whole.
            Storage::Word { .. } | Storage::Letter { .. } | Storage::TagOf => Ok(()),
        }
    }

    /// Stores a number of which there are several spellings, and says how many bytes it took; nothing
    /// if there is no room for it.
    pub(super) fn put_spelled(
        &mut self,
        loc: Loc,
        at: u64,
        storage: Storage,
        n: i128,
    ) -> Option<u64> {
        let bytes = match storage {
            Storage::Varint(id) => {
                let varint = &self.model.varints[id.index()];
                let width = self.varint_width(loc, id, n);
                let mut bytes = Vec::new();
                crate::varint::store_number(varint, &mut bytes, n, width).then_some(bytes)
            }
            Storage::Digits { digits, .. } => self.digit_bytes(loc, digits, n),
            _ => None,
        }?;
        self.put(at, &bytes);
        Some(bytes.len() as u64)
    }

    /// What there is no room in for a number.
    pub(super) fn room_name(&self, cell: &Cell) -> alloc::string::String {
        match cell.storage {
            Storage::Digits { digits, .. } => {
                let digits = &self.model.digits[digits.index()];
                match digits.room() {
                    Some(room) => format!("{room} digits of base {}", digits.base),
                    None => self.model.cell_name(cell),
                }
            }
            _ => self.model.cell_name(cell),
        }
    }

    pub(crate) fn put_int(&mut self, loc: Loc, at: u64, int: IntType, n: i128) -> Fallible<()> {
        let order = match int.order {
            Some(order) => order.into(),
            None if int.bytes == 1 => Endian::Little,
            None => self.node_order(loc.node)?.ok_or_else(no_order)?,
        };
        let width = usize::from(int.bytes).min(8);
        let mut bytes = (n as u64).to_le_bytes();
        if order == Endian::Big {
            bytes[..width].reverse();
        }
        self.put(at, &bytes[..width]);
        Ok(())
    }

    pub(crate) fn fill_union(&mut self, loc: Loc, id: UnionId) -> Fallible<()> {
        let union = &self.model.unions[id.index()];
        let (Tag::Own(cell) | Tag::Word(cell)) = &union.tag else { return Ok(()) };
        let Item::Node(node) = self.tree.item(loc) else { return Ok(()) };
        let Some(case) = union.case_of(self.tree.record_id(node)) else { return Ok(()) };
        if case.whole {
            return Ok(());
        }
        let rows = node.as_rows();
        let form = self.tree.record_id(rows);
        let labels =
            case.forms.iter().find(|f| f.record == form).map_or(&case.labels, |f| &f.labels);
        let at = self.item_at(loc);
        match labels.first() {
            Some(Label::Pattern(pattern)) => {
                let number = self.pattern_number(pattern, rows)?;
                let bytes = usize::try_from(pattern.width / 8).unwrap_or(0);
                if let Tag::Word(Cell { storage: Storage::Fixed(int), .. }) = &union.tag {
                    return self.put_int(loc, at, *int, number as i128);
                }
                let all = number.to_be_bytes();
                self.put(at, &all[16 - bytes.min(16)..]);
                Ok(())
            }
            Some(Label::Range(low, _)) => {
                // A row of the case may say which of its numbers it is.
                let number = self.tag_row(rows)?.unwrap_or(*low);
                let taken = labels.iter().any(
                    |label| matches!(label, Label::Range(a, b) if *a <= number && number <= *b),
                );
                if !taken {
                    self.problem(loc, leads_elsewhere(number, labels));
                } else if let Storage::Fixed(int) = cell.storage {
                    self.put_int(loc, at, int, number)?;
                }
                Ok(())
            }
            Some(Label::Else) => {
                if let (Some(number), Storage::Fixed(int)) = (self.tag_row(rows)?, cell.storage) {
                    self.put_int(loc, at, int, number)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The tag that a row of a case gives a meaning.
    fn tag_row(&mut self, rows: NodeRef) -> Fallible<Option<i128>> {
        for (id, row) in (0..).map(RowId).zip(&self.tree.record(rows).rows) {
            if let Type::Cell(cell) = &row.ty {
                if matches!(cell.storage, Storage::TagOf) {
                    self.force(rows, id)?;
                    return self.stored_number(Loc::row(rows, id), cell, row).map(Some);
                }
            }
        }
        Ok(None)
    }

    fn pattern_number(&mut self, pattern: &'p Pattern, rows: NodeRef) -> Fallible<u128> {
        let mut number = pattern.bits;
        for (id, row) in (0..).map(RowId).zip(&self.tree.record(rows).rows) {
            let cell = match &row.ty {
                Type::Cell(cell) => Some(cell),
                Type::Pointer(pointer) => pointer.cell.as_ref(),
                _ => None,
            };
            let Some(cell) = cell else { continue };
            let Storage::Letter { letter, width } = cell.storage else { continue };
            let loc = Loc::row(rows, id);
            self.force(rows, id)?;
            let n = match &row.ty {
                Type::Pointer(pointer) => self.pointer_number(loc, pointer, row)?,
                _ => self.stored_number(loc, cell, row)?,
            };
            if !crate::fits(n, width.into(), false) {
                self.problem(loc, does_not_fit(n, &format!("{width} bits")));
                continue;
            }
            if !self.can_have(loc, cell, row, n) {
                continue;
            }
            let value = n as u64;
            let bits = pattern.letters.iter().find(|(l, _)| *l == letter);
            let Some((_, positions)) = bits else { continue };
            let count = positions.len();
            for (place, bit) in positions.iter().enumerate() {
                let source = u32::try_from(count - 1 - place).unwrap_or(0);
                if value.checked_shr(source).unwrap_or(0) & 1 == 1 {
                    number |= 1_u128.checked_shl(*bit).unwrap_or(0);
                }
            }
        }
        Ok(number)
    }

    /// The number that a pointer stores.
    fn pointer_number(
        &mut self,
        loc: Loc,
        pointer: &'p PointerType,
        row: &'p Row,
    ) -> Fallible<i128> {
        let kind = &self.model.pointers[pointer.kind.index()];
        let none = self.code_for_none(loc, row, kind.none);
        let Some(item) = self.tree.pointer(loc) else { return Ok(none.unwrap_or(0)) };
        let (target, at) = (item.target, item.at);
        let address = match (&pointer.target, target) {
            // Where nothing is, there is an address all the same.
            (Target::Own(Type::Nothing), Item::Absent) if !pointer.optional => Some(at),
            (_, Item::Absent | Item::Unset) => None,
            (Target::Own(_), Item::Node(node)) if self.tree.case_of(node).is_none() => {
                Some(self.tree.node_at(node))
            }
            (Target::Own(_), Item::Array(_) | Item::Bytes(_)) if at == UNPLACED => None,
            (Target::Own(_), _) => Some(at),
            (Target::Pooled, _) if at != UNPLACED => Some(at),
            (Target::Pooled, text) => Some(self.member_address(loc, pointer, text)?),
            (Target::Element, item) => match (self.tree.int(item), &row.reference) {
                (Some(index), Some(reference)) => {
                    match (self.referred(reference, loc)?, u32::try_from(index)) {
                        (Some(array), Ok(index)) => self.loc_address(array.at(index), false)?,
                        _ => None,
                    }
                }
                _ => None,
            },
        };
        let Some(address) = address else {
            if none.is_none() {
                self.problem(loc, ProblemKind::MissingField);
            }
            return Ok(none.unwrap_or(0));
        };
        if address == UNPLACED {
            self.problem(loc, ProblemKind::NotPlaced);
            return Ok(0);
        }
        let base = self.pointer_base(pointer.kind, loc.node)?;
        let bytes = i128::from(address) + i128::from(kind.skip) - base;
        let number = match i128::from(kind.unit) {
            0 | 1 => bytes,
            unit => {
                if bytes % unit != 0 {
                    let what = format!(
                        "its target at {address:#x} is {bytes} bytes from where it counts, which \
                         are no units of {unit} bytes"
                    );
                    self.problem(loc, ProblemKind::Contradicts { what: what.into() });
                }
                bytes / unit
            }
        };
        // A reader would see nothing, which is what an array without elements is as well.
        let nothing = kind.none == Some(number) || row.none.contains(&number);
        let empty = match target {
            Item::Array(array) => self.tree.count(array) == 0,
            Item::Bytes(blob) | Item::Text(blob) => blob.len == 0,
            _ => false,
        };
        if nothing && !(empty && matches!(pointer.target, Target::Own(_)) && !pointer.optional) {
            self.problem(loc, is_nothing(number));
        }
        Ok(number)
    }

    pub(crate) fn member_address(
        &mut self,
        loc: Loc,
        pointer: &'p PointerType,
        text: Item,
    ) -> Fallible<u32> {
        let kind = &self.model.pointers[pointer.kind.index()];
        let Some(pool) = &kind.pool else { return eval_error("the pointer has no pool") };
        let found = match (&pool.start, self.writing.pools.get(pointer.kind.index())) {
            (Start::Root, Some(Some(pools))) => {
                pools.iter().find_map(|pool| self.address_in(*pool, text))
            }
            (start, _) => {
                let pools = self.pools(pool, loc.node)?;
                let found = pools.iter().find_map(|pool| self.address_in(*pool, text));
                if matches!(start, Start::Root) {
                    self.writing.pools.resize(self.model.pointers.len(), None);
                    self.writing.pools[pointer.kind.index()] = Some(pools);
                }
                found
            }
        };
        if let Some(at) = found {
            return Ok(at);
        }
        let what = "the pool does not hold this text".into();
        self.problem(loc, ProblemKind::NotAnElement { what });
        Ok(0)
    }

    /// The pools that a path leads to from a node.
    fn pools(&mut self, path: &'p Path, node: NodeRef) -> Fallible<Vec<Loc>> {
        let mut pools = Vec::new();
        self.walk(path, node, None, &mut false, &mut |_, val| {
            if let Val::Loc(pool) = val {
                pools.push(pool);
            }
            Ok(true)
        })?;
        Ok(pools)
    }

    /// The address of a text in a pool.
    fn address_in(&self, pool: Loc, text: Item) -> Option<u32> {
        let Item::Array(array) = self.tree.item(pool) else { return None };
        let members = self.writing.members.get(&(pool.node, pool.row))?;
        let key = self.tree.key_of(text);
        let is = |index: u32| {
            self.tree.element(array, index).is_some_and(|item| self.tree.key_of(item) == key)
        };
        let index = members.get_with(&key, is)?;
        Some(self.tree.element_at(array, index, false))
    }

    pub(crate) fn fill_pointer(
        &mut self,
        loc: Loc,
        pointer: &'p PointerType,
        row: &'p Row,
    ) -> Fallible<()> {
        let kind = &self.model.pointers[pointer.kind.index()];
        let n = self.pointer_number(loc, pointer, row)?;
        let cell = pointer.cell.as_ref().unwrap_or(&kind.cell);
        let at = match self.tree.pointer(loc) {
            Some(inner) => inner.cell,
            None => self.tree.row_at(loc),
        };
        if let Storage::Fixed(int) = cell.storage {
            if fits_int(n, int) {
                self.put_int(loc, at.into(), int, n)?;
            } else {
                self.problem(loc, does_not_fit(n, &self.model.cell_name(cell)));
            }
        }
        let Target::Own(target) = &pointer.target else { return Ok(()) };
        let placed = self
            .tree
            .pointer(loc)
            .is_some_and(|inner| inner.at != UNPLACED && !inner.target.is_absent());
        if placed {
            self.fill_item(loc, target, row)
        } else {
            Ok(())
        }
    }
}

pub(crate) fn fits_int(n: i128, int: IntType) -> bool {
    crate::fits(n, u32::from(int.bytes) * 8, int.signed)
}
