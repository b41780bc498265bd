//! Writes numbers: what a cell, word, tag or pointer stores.

use formwork::{Endian, GroupOrder, ProblemKind};
use formwork_model::{
    Cell, IntType, Label, Meaning, Pattern, PointerType, Row, RowId, Storage, Tag, Target, Type,
    UnionId,
};

use super::build::{cell_name, does_not_fit, is_nothing};
use crate::engine::{Engine, Fallible, endian, eval_error};
use crate::tree::{Item, Loc, NodeId, UNPLACED};
use crate::value::{Kept, KeptKind, Value};

impl<'m> Engine<'m, '_> {
    /// The number that a cell stores for an item.
    pub(super) fn raw(&mut self, loc: Loc, cell: &'m Cell, row: &'m Row) -> Fallible<i128> {
        let item = self.tree.item(loc).clone();
        Ok(match (&cell.meaning, item) {
            (_, Item::Float { bits, .. }) => bits.into(),
            (Meaning::Bool { yes }, Item::Bool(b)) if b => (*yes).into(),
            (Meaning::Bool { yes }, Item::Int(n)) if n != 0 => (*yes).into(),
            (_, Item::Bool(b)) => b.into(),
            (_, Item::Int(n)) => {
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
            (_, Item::Absent) => match row.none.first() {
                Some(none) => match self.kept_of(loc, KeptKind::Number) {
                    Some(Kept { stored: Value::Int(code), .. }) if row.none.contains(&code) => code,
                    _ => *none,
                },
                None => 0,
            },
            (Meaning::Word(_), Item::Node(node)) => self.word(node)?.into(),
            (_, Item::Unset) => {
                return eval_error("its number follows from something that is not there");
            }
            _ => 0,
        })
    }

    /// Rank of an element among those for which the reference's filter holds.
    fn rank(
        &mut self,
        loc: Loc,
        reference: &'m formwork_model::Reference,
        index: i128,
    ) -> Fallible<i128> {
        let (Some(filter), Some(array)) = (&reference.filter, self.referred(reference, loc)?)
        else {
            return Ok(index);
        };
        let ranks = self.filtered(array, *filter, loc.node)?;
        match ranks.iter().position(|rank| i128::from(*rank) == index) {
            Some(rank) => Ok(rank as i128),
            None => {
                let what = format!("element {index} is not one that can be referred to").into();
                self.problem(loc, ProblemKind::NotAnElement { what });
                Ok(0)
            }
        }
    }

    /// The integer made of the bit fields of a node.
    fn word(&mut self, node: NodeId) -> Fallible<u64> {
        let record = self.record(node);
        let mut word = 0_u64;
        for (index, row) in (0_u32..).zip(&record.rows) {
            let loc = Loc::row(node, RowId(index));
            let cell = match &row.ty {
                Type::Cell(cell) => Some(cell),
                Type::Pointer(pointer) => pointer.cell.as_ref(),
                _ => None,
            };
            let Some(cell) = cell else { continue };
            let Storage::Word { first, last, .. } = cell.storage else { continue };
            self.force(node, loc.row)?;
            let n = match &row.ty {
                Type::Pointer(pointer) => self.pointer_number(loc, pointer, row)?,
                _ => self.raw(loc, cell, row)?,
            };
            let width = u32::from(last - first) + 1;
            if !formwork::fits(n, width, false) && !formwork::fits(n, width, true) {
                self.problem(loc, does_not_fit(n, &format!("{width} bits")));
                continue;
            }
            let bits = low_bits(n) & crate::read::cell::mask(last - first + 1);
            word |= bits << first;
        }
        Ok(word)
    }

    pub(crate) fn fill_cell(
        &mut self,
        loc: Loc,
        cell: &'m Cell,
        row: &'m Row,
        number: Option<i128>,
    ) -> Fallible<()> {
        let n = match number {
            Some(n) => n,
            None => self.raw(loc, cell, row)?,
        };
        let at = self.item_at(loc);
        match cell.storage {
            Storage::Fixed(int) => {
                let is_bits = matches!(cell.meaning, Meaning::Float | Meaning::Word(_));
                if !is_bits && !fits_int(n, int) {
                    self.problem(loc, does_not_fit(n, &cell_name(self.model, cell)));
                    return Ok(());
                }
                self.put_int(loc, at, int, n)
            }
            Storage::Varint(id) => {
                let Ok(value) = u64::try_from(n) else {
                    self.problem(loc, does_not_fit(n, &cell_name(self.model, cell)));
                    return Ok(());
                };
                if !formwork::fits(n, u32::from(self.model.varints[id.index()].ty.bytes) * 8, false)
                {
                    self.problem(loc, does_not_fit(n, &cell_name(self.model, cell)));
                    return Ok(());
                }
                let width = self.varint_width(loc, id, value);
                let order = match self.model.varints[id.index()].order {
                    formwork_model::GroupOrder::MsbFirst => GroupOrder::MsbFirst,
                    formwork_model::GroupOrder::LsbFirst => GroupOrder::LsbFirst,
                };
                let mut bytes = Vec::new();
                let most = self.model.varints[id.index()].max_bytes;
                if width <= most && formwork::store_varint(&mut bytes, value, width, order) {
                    self.put(at, &bytes);
                } else {
                    self.problem(loc, does_not_fit(n, &cell_name(self.model, cell)));
                }
                Ok(())
            }
            Storage::Bits { width, msb_first } => {
                if !formwork::fits(n, width.into(), false) {
                    self.problem(loc, does_not_fit(n, &format!("{width} bits")));
                    return Ok(());
                }
                let slot = self.tree.slot(loc.node, loc.row);
                let (mut at, mut bit) = (slot.at, u64::from(slot.bit));
                if let Some(index) = loc.index {
                    let from = bit + u64::from(index) * u64::from(width);
                    at += from / 8;
                    bit = from % 8;
                }
                let bit = u8::try_from(bit).unwrap_or(0);
                self.put_bits(at, bit, width, msb_first, low_bits(n));
                Ok(())
            }
            // The word, pattern or tag around it is written as a whole.
            Storage::Word { .. } | Storage::Letter { .. } | Storage::TagOf => Ok(()),
        }
    }

    pub(crate) fn put_int(&mut self, loc: Loc, at: u64, int: IntType, n: i128) -> Fallible<()> {
        let order = match int.order {
            Some(order) => endian(order),
            None if int.bytes == 1 => Endian::Little,
            None => match self.node_order(loc.node)? {
                Some(order) => order,
                None => return eval_error("no case of the byte order fits"),
            },
        };
        let mut bytes = [0_u8; 8];
        let width = usize::from(int.bytes).min(8);
        let all = low_bits(n).to_le_bytes();
        bytes[..width].copy_from_slice(&all[..width]);
        if order == Endian::Big {
            bytes[..width].reverse();
        }
        self.put(at, &bytes[..width]);
        Ok(())
    }

    pub(crate) fn put_bits(&mut self, at: u64, bit: u8, width: u8, msb_first: bool, value: u64) {
        for index in 0..width {
            let position = u64::from(bit) + u64::from(index);
            let byte = at + position / 8;
            let within = u8::try_from(position % 8).unwrap_or(0);
            let (source, target) =
                if msb_first { (width - 1 - index, 7 - within) } else { (index, within) };
            if value >> source & 1 == 1
                && let Ok(byte) = usize::try_from(byte)
                && let Some(byte) = self.writing().out.get_mut(byte)
            {
                *byte |= 1 << target;
            }
        }
    }

    pub(crate) fn fill_union(&mut self, loc: Loc, id: UnionId) -> Fallible<()> {
        let union = &self.model.unions[id.index()];
        let (Tag::Own(cell) | Tag::Word(cell)) = &union.tag else { return Ok(()) };
        let Item::Node(node) = *self.tree.item(loc) else { return Ok(()) };
        let record = self.tree.node(node).record;
        let Some(case) = union.cases.iter().find(|case| case.record == record) else {
            return Ok(());
        };
        if case.whole {
            return Ok(());
        }
        let (labels, rows) = match self.tree.node(node).form {
            Some((form, rows)) => (&case.forms[form as usize].labels, rows),
            None => (&case.labels, node),
        };
        let at = self.item_at(loc);
        match labels.first() {
            Some(Label::Pattern(pattern)) => {
                let number = self.pattern_number(pattern, rows)?;
                let bytes = usize::try_from(pattern.width / 8).unwrap_or(0);
                if let Tag::Word(Cell { storage: Storage::Fixed(int), .. }) = &union.tag {
                    return self.put_int(loc, at, *int, number.cast_signed());
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
                    self.problem(loc, does_not_fit(number, "the case's labels"));
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
    fn tag_row(&mut self, rows: NodeId) -> Fallible<Option<i128>> {
        let record = self.record(rows);
        for (index, row) in (0_u32..).zip(&record.rows) {
            if let Type::Cell(cell) = &row.ty
                && matches!(cell.storage, Storage::TagOf)
            {
                let loc = Loc::row(rows, RowId(index));
                self.force(rows, loc.row)?;
                return self.raw(loc, cell, row).map(Some);
            }
        }
        Ok(None)
    }

    fn pattern_number(&mut self, pattern: &'m Pattern, rows: NodeId) -> Fallible<u128> {
        let mut number = pattern.bits;
        let record = self.record(rows);
        for (index, row) in (0_u32..).zip(&record.rows) {
            let cell = match &row.ty {
                Type::Cell(cell) => Some(cell),
                Type::Pointer(pointer) => pointer.cell.as_ref(),
                _ => None,
            };
            let Some(cell) = cell else { continue };
            let Storage::Letter { letter, width } = cell.storage else { continue };
            let loc = Loc::row(rows, RowId(index));
            self.force(rows, loc.row)?;
            let n = match &row.ty {
                Type::Pointer(pointer) => self.pointer_number(loc, pointer, row)?,
                _ => self.raw(loc, cell, row)?,
            };
            if !formwork::fits(n, width.into(), false) {
                self.problem(loc, does_not_fit(n, &format!("{width} bits")));
                continue;
            }
            let value = low_bits(n);
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
        pointer: &'m PointerType,
        row: &'m Row,
    ) -> Fallible<i128> {
        let kind = &self.model.pointers[pointer.kind.index()];
        let none = row.none.first().copied().or(kind.none);
        let target = match self.tree.pointer_mut(loc) {
            Some(inner) => (inner.target.clone(), inner.at),
            None => return Ok(none.unwrap_or(0)),
        };
        let address = match (&pointer.target, &target.0) {
            // Where nothing is, there is an address all the same.
            (Target::Own(Type::Nothing), Item::Absent) if !pointer.optional => Some(target.1),
            (_, Item::Absent | Item::Unset) => None,
            (Target::Own(_), Item::Node(node)) => Some(self.tree.node(*node).at),
            (Target::Own(_), Item::Array(_) | Item::Bytes(_)) if target.1 == UNPLACED => None,
            (Target::Own(_), _) => Some(target.1),
            (Target::Pooled, text) => {
                let text = text.clone();
                Some(self.member_address(loc, pointer, &text)?)
            }
            (Target::Element, Item::Int(index)) => {
                let index = *index;
                match &row.reference {
                    Some(reference) => {
                        let array = self.referred(reference, loc)?;
                        match (array, u32::try_from(index)) {
                            (Some(array), Ok(index)) => {
                                let element = Loc { index: Some(index), ..array };
                                self.loc_address(element, false)?
                            }
                            _ => None,
                        }
                    }
                    None => None,
                }
            }
            _ => None,
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
        let base = match &kind.base {
            Some(base) => self.eval_int(*base, loc.node, None)?.unwrap_or(0),
            None => 0,
        };
        Ok(i128::from(address) + i128::from(kind.skip) - base)
    }

    fn member_address(&mut self, loc: Loc, pointer: &'m PointerType, text: &Item) -> Fallible<u64> {
        let kind = &self.model.pointers[pointer.kind.index()];
        let Some(pool) = &kind.pool else { return eval_error("the pointer has no pool") };
        let key = crate::project::item_key(text);
        for val in self.find(pool, loc.node, None)?.values {
            if let crate::eval::Val::Place(crate::eval::Place::Loc(pool)) = val
                && let Some(members) = self.writing().members.get(&(pool.node, pool.row))
                && let Some(at) = members.get(&key)
            {
                return Ok(*at);
            }
        }
        let what = "the pool does not hold this text".into();
        self.problem(loc, ProblemKind::NotAnElement { what });
        Ok(0)
    }

    pub(crate) fn fill_pointer(
        &mut self,
        loc: Loc,
        pointer: &'m PointerType,
        row: &'m Row,
    ) -> Fallible<()> {
        let kind = &self.model.pointers[pointer.kind.index()];
        let n = self.pointer_number(loc, pointer, row)?;
        let cell = pointer.cell.as_ref().unwrap_or(&kind.cell);
        let at = match self.tree.pointer_mut(loc) {
            Some(inner) => inner.cell,
            None => self.tree.slot(loc.node, loc.row).at,
        };
        if let Storage::Fixed(int) = cell.storage {
            if fits_int(n, int) {
                self.put_int(loc, at, int, n)?;
            } else {
                self.problem(loc, does_not_fit(n, &cell_name(self.model, cell)));
            }
        }
        let Target::Own(target) = &pointer.target else { return Ok(()) };
        let placed = match self.tree.pointer_mut(loc) {
            Some(inner) => inner.at != UNPLACED && !matches!(inner.target, Item::Absent),
            None => false,
        };
        if placed { self.fill_item(loc, target, row) } else { Ok(()) }
    }
}

pub(crate) fn fits_int(n: i128, int: IntType) -> bool {
    formwork::fits(n, u32::from(int.bytes) * 8, int.signed)
}

/// The low 64 bits, in two's complement.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "that is what is meant")]
fn low_bits(n: i128) -> u64 {
    n as u64
}
