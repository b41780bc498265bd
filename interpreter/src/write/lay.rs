//! Gives the inline rows of records their addresses, without knowing any number in them.

use formwork::ProblemKind;
use formwork_model::{
    Cell, Content, Encoding, ExprId, Extent, Home, Label, Meaning, Row, RowId, RowKind, RunLength,
    RunType, Storage, Tag, Type, UnionId,
};

use super::extent::mentions_position;
use crate::engine::{Engine, Fallible, eval_error};
use crate::read::cell::unit_bytes;
use crate::read::choice::cell_bytes;
use crate::tree::{Item, Loc, NodeId};
use crate::value::{KeptKind, Value};

/// Next free byte, and bits of it that are taken.
#[derive(Clone, Copy)]
pub(crate) struct Spot {
    pub at: u64,
    pub bit: u8,
}

impl Spot {
    pub(crate) fn new(at: u64) -> Spot {
        Spot { at, bit: 0 }
    }

    pub(crate) fn align(&mut self) {
        if self.bit > 0 {
            self.at += 1;
            self.bit = 0;
        }
    }
}

impl<'m> Engine<'m, '_> {
    pub(crate) fn is_measuring(&mut self) -> bool {
        self.writing().measuring
    }

    /// Places the rows of a node from an address on; returns the address behind them.
    pub(crate) fn lay_record(&mut self, node: NodeId, at: u64) -> Fallible<u64> {
        if !self.is_measuring() {
            self.tree.node_mut(node).at = at;
        }
        let fixed = self.record(node).sizes.get(self.epoch.index()).copied().flatten();
        let mut spot = Spot::new(at);
        crate::engine::with_stack(|| self.lay_rows(node, &mut spot, at, fixed))?;
        spot.align();
        let end = match fixed {
            Some(size) => spot.at.max(at + size),
            None => spot.at,
        };
        if !self.is_measuring() {
            self.tree.node_mut(node).end = end;
        }
        Ok(end)
    }

    fn lay_rows(
        &mut self,
        node: NodeId,
        spot: &mut Spot,
        base: u64,
        fixed: Option<u64>,
    ) -> Fallible<()> {
        let record = self.record(node);
        for (index, row) in (0_u32..).zip(&record.rows) {
            if let Home::At(offset) = self.home(row) {
                let mut here = Spot::new(base + offset);
                self.lay_row(Loc::row(node, RowId(index)), row, &mut here)?;
                // The last row of a block may be of any size.
                here.align();
                spot.at = spot.at.max(here.at);
            }
        }
        if let Some(size) = fixed {
            spot.at = spot.at.max(base + size);
        }
        for (index, row) in (0_u32..).zip(&record.rows) {
            if matches!(self.home(row), Home::Next) {
                let loc = Loc::row(node, RowId(index));
                if row.when.is_some() && matches!(self.tree.slot(node, loc.row).item, Item::Absent)
                {
                    // Not there; rows of padding are, if their condition holds.
                    let condition = row.when.as_ref();
                    let plain = matches!(row.kind, RowKind::Plain | RowKind::Object { .. });
                    let holds = match condition {
                        Some(condition) if !plain => self.eval_bool(*condition, node, None)?,
                        _ => false,
                    };
                    if !holds {
                        continue;
                    }
                }
                self.lay_row(loc, row, spot)?;
            }
        }
        Ok(())
    }

    fn lay_row(&mut self, loc: Loc, row: &'m Row, spot: &mut Spot) -> Fallible<()> {
        let bits = crate::read::is_bits(&row.ty);
        if !bits {
            spot.align();
        }
        let start = *spot;
        match &row.kind {
            RowKind::Zero | RowKind::Reserved | RowKind::Runtime => {
                self.lay_padding(loc, row, spot)?;
            }
            RowKind::Zeros => {
                if let Item::Int(count) = self.tree.item(loc) {
                    match u64::try_from(*count) {
                        Ok(count) if count <= super::MAX_SIZE => spot.at += count,
                        _ => return eval_error("more zero bytes than a file may have"),
                    }
                }
            }
            RowKind::Pool { pad, .. } => {
                self.force(loc.node, loc.row)?;
                spot.at = self.lay_pool(loc, row, *pad, spot.at)?;
            }
            RowKind::Plain | RowKind::Constant(_) => {
                if needs_value(&row.ty) {
                    self.force(loc.node, loc.row)?;
                }
                self.lay_inline(loc, &row.ty, row, spot)?;
            }
            RowKind::Object { .. }
            | RowKind::Mark { .. }
            | RowKind::Value { .. }
            | RowKind::Slice { .. } => {}
        }
        if !self.is_measuring() {
            let slot = self.tree.slot_mut(loc.node, loc.row);
            slot.at = start.at;
            slot.bit = start.bit;
            slot.end = spot.at + u64::from(spot.bit > 0);
            // A run that is aligned begins behind its padding.
        }
        Ok(())
    }

    fn lay_padding(&mut self, loc: Loc, row: &'m Row, spot: &mut Spot) -> Fallible<()> {
        if let Type::Cell(Cell { storage: Storage::Bits { width, .. }, .. }) = row.ty {
            advance_bits(spot, width.into());
            return Ok(());
        }
        let kept = match self.tree.item(loc) {
            Item::Bytes(bytes) => Some(bytes.len() as u64),
            _ => None,
        };
        let size = match (self.model.size_of(&row.ty, self.epoch), padding_size(&row.ty)) {
            (Some(size), _) => size,
            // Only reading knows the position; the value has what it found.
            (None, Some(size)) if kept.is_some() && mentions_position(self.model, size) => {
                kept.unwrap_or(0)
            }
            (None, Some(size)) => {
                let size = self.eval_int(size, loc.node, None)?.unwrap_or(0);
                match u64::try_from(size) {
                    Ok(size) => size,
                    Err(_) => return eval_error(format!("a size of {size}")),
                }
            }
            // Padding to the end of a region whose size is known.
            (None, None) => match self.writing().room {
                Some(room) => room.saturating_sub(spot.at),
                None => kept.unwrap_or(0),
            },
        };
        if kept.is_some_and(|kept| kept != size) {
            // Another number of bytes: what was there is of no use.
            self.tree.slot_mut(loc.node, loc.row).item = Item::Absent;
        }
        spot.at += size;
        Ok(())
    }

    /// Places a value of a type at a spot and moves it behind.
    pub(crate) fn lay_inline(
        &mut self,
        loc: Loc,
        ty: &'m Type,
        row: &'m Row,
        spot: &mut Spot,
    ) -> Fallible<()> {
        if !crate::read::is_bits(ty) {
            spot.align();
        }
        match ty {
            Type::Cell(cell) => self.lay_cell(loc, cell, row, spot)?,
            Type::Run(run) => spot.at = self.lay_run(loc, run, spot.at)?,
            Type::Record(_) => {
                if let Item::Node(node) = *self.tree.item(loc) {
                    spot.at = self.lay_record(node, spot.at)?;
                }
            }
            Type::Union(union) => self.lay_union(loc, *union, spot)?,
            Type::Pointer(pointer) => {
                let kind = &self.model.pointers[pointer.kind.index()];
                let at = spot.at;
                let cell = pointer.cell.as_ref().unwrap_or(&kind.cell);
                match cell.storage {
                    Storage::Fixed(int) => spot.at += u64::from(int.bytes),
                    Storage::Word { .. } => {}
                    _ => self.lay_cell(loc, cell, row, spot)?,
                }
                if !self.is_measuring()
                    && let Some(pointer) = self.tree.pointer_mut(loc)
                {
                    pointer.cell = at;
                }
            }
            Type::Array(array) => {
                let at = spot.at;
                let count = self.count_items(loc);
                let plain = match &array.element {
                    Type::Cell(Cell { storage: Storage::Fixed(int), meaning })
                        if !matches!(meaning, Meaning::Word(_)) && array.stride.is_none() =>
                    {
                        Some(u64::from(int.bytes))
                    }
                    _ => None,
                };
                let mut starts = Vec::new();
                if let Some(size) = plain {
                    spot.at += size * count;
                } else {
                    for index in 0..count {
                        let element = Loc { index: u32::try_from(index).ok(), ..loc };
                        let start = spot.at;
                        starts.push(start);
                        self.lay_inline(element, &array.element, row, spot)?;
                        if let Some(stride) = &array.stride {
                            spot.align();
                            self.expect(element, *stride, spot.at - start, "size");
                        }
                    }
                }
                let end = spot.at;
                if !self.is_measuring()
                    && let Some(array) = self.array_at(loc)
                {
                    array.at = at;
                    array.end = end;
                    array.starts = starts;
                }
            }
            Type::Region(region) => self.lay_region(loc, region, row, spot)?,
            Type::ByteOrderMark => spot.at += 2,
            Type::Text | Type::Nothing | Type::PerEpoch(_) => {}
        }
        Ok(())
    }

    fn lay_cell(
        &mut self,
        loc: Loc,
        cell: &'m Cell,
        row: &'m Row,
        spot: &mut Spot,
    ) -> Fallible<()> {
        match cell.storage {
            Storage::Fixed(int) => {
                let at = spot.at;
                spot.at += u64::from(int.bytes);
                if let (Meaning::Word(_), Item::Node(node)) = (&cell.meaning, self.tree.item(loc)) {
                    let node = *node;
                    let (end, measuring) = (spot.at, self.is_measuring());
                    if !measuring {
                        let n = self.tree.node_mut(node);
                        n.at = at;
                        n.end = end;
                        for index in 0..self.tree.node(node).slots.len() {
                            let slot = &mut self.tree.node_mut(node).slots[index];
                            slot.at = at;
                            slot.end = end;
                            if let Item::Pointer(pointer) = &mut slot.item {
                                pointer.cell = at;
                            }
                        }
                    }
                }
            }
            Storage::Varint(id) => {
                self.force(loc.node, loc.row)?;
                let value = match self.tree.item(loc) {
                    // A number that nobody knows takes no more room than zero.
                    Item::Unset => 0,
                    _ => u64::try_from(self.raw(loc, cell, row)?).unwrap_or(u64::MAX),
                };
                spot.at += u64::from(self.varint_width(loc, id, value));
            }
            Storage::Bits { width, .. } => advance_bits(spot, width.into()),
            Storage::Word { .. } | Storage::Letter { .. } | Storage::TagOf => {}
        }
        Ok(())
    }

    /// Bytes that a variable-length integer takes: as kept, if it is still the same number.
    pub(crate) fn varint_width(&self, loc: Loc, id: formwork_model::VarintId, value: u64) -> u8 {
        let shortest = formwork::varint_width(value);
        let most = self.model.varints[id.index()].max_bytes;
        match self.kept_of(loc, KeptKind::Width) {
            Some(kept) if kept.still_for(&Value::Int(shortest.into())) => match kept.stored {
                Value::Int(width) => u8::try_from(width)
                    .ok()
                    .filter(|width| (shortest..=most).contains(width))
                    .unwrap_or(shortest),
                _ => shortest,
            },
            _ => shortest,
        }
    }

    pub(crate) fn lay_run(&mut self, loc: Loc, run: &'m RunType, at: u64) -> Fallible<u64> {
        let mut at = at;
        if let Some(align) = run.align {
            if self.is_measuring() && align > 1 {
                return eval_error("the size of something aligned depends on its address");
            }
            at = at.next_multiple_of(align.max(1));
        }
        let size = item_size(run.content, self.tree.item(loc));
        let prefix = match &run.length {
            RunLength::Prefix(cell) => match cell.storage {
                Storage::Fixed(int) => u64::from(int.bytes),
                Storage::Varint(id) => {
                    let units = size / unit_bytes(run.content);
                    self.varint_width(loc, id, units).into()
                }
                _ => 0,
            },
            RunLength::Fixed(wanted) if *wanted != size => {
                if !matches!(self.tree.item(loc), Item::Absent) {
                    let why = format!("the schema says {wanted} bytes").into();
                    let expected = i128::from(*wanted);
                    self.problem(loc, ProblemKind::LengthMismatch { expected, actual: size, why });
                }
                return Ok(at + wanted);
            }
            _ => 0,
        };
        Ok(at + prefix + size + run.suffix.len() as u64)
    }

    fn lay_pool(&mut self, loc: Loc, row: &'m Row, pad: u64, at: u64) -> Fallible<u64> {
        let (element, _) = crate::read::array::pool_type(&row.ty);
        let Some(element) = element else { return Ok(at) };
        let count = self.count_items(loc);
        let mut spot = Spot::new(at);
        let mut starts = Vec::new();
        let mut addresses = std::collections::HashMap::new();
        for index in 0..count {
            let member = Loc { index: u32::try_from(index).ok(), ..loc };
            starts.push(spot.at);
            let key = crate::project::item_key(self.tree.item(member));
            addresses.entry(key).or_insert(spot.at);
            self.lay_inline(member, element, row, &mut spot)?;
            spot.at = spot.at.next_multiple_of(pad.max(1));
        }
        if !self.is_measuring() {
            self.writing().members.insert((loc.node, loc.row), addresses);
            if let Some(array) = self.array_at(loc) {
                array.at = at;
                array.end = spot.at;
                array.starts = starts;
            }
        }
        Ok(spot.at)
    }

    fn lay_union(&mut self, loc: Loc, id: UnionId, spot: &mut Spot) -> Fallible<()> {
        let union = &self.model.unions[id.index()];
        let Item::Node(node) = *self.tree.item(loc) else { return Ok(()) };
        let base = self.tree.node(loc.node).at;
        let start = spot.at;
        let record = self.tree.node(node).record;
        let Some(case) = union.cases.iter().find(|case| case.record == record) else {
            return Ok(());
        };
        if case.whole {
            let own = matches!(union.tag, Tag::Own(_) | Tag::Word(_));
            let from = if union.body || !own { base } else { start };
            let from = if self.is_measuring() { start } else { from };
            spot.at = self.lay_record(node, from)?;
            return Ok(());
        }
        let tag_size = match &union.tag {
            Tag::Own(cell) | Tag::Word(cell) => cell_bytes(cell),
            Tag::Row(_) | Tag::Given(_) => 0,
        };
        let (labels, rows) = match self.tree.node(node).form {
            Some((form, rows)) => (&case.forms[form as usize].labels, rows),
            None => (&case.labels, node),
        };
        let patterned = match (&union.tag, labels.first()) {
            (Tag::Own(_), Some(Label::Pattern(pattern))) => pattern.width / 8,
            _ => 0,
        };
        let mut inner = Spot::new(start + u64::from(tag_size.max(patterned)));
        let record = self.record(rows);
        let homes = record.rows.iter().any(|row| matches!(self.home(row), Home::At(_)));
        let sized = record.sizes.get(self.epoch.index()).copied().flatten();
        let measuring = self.is_measuring();
        let base = if measuring { start } else { base };
        if !measuring {
            self.tree.node_mut(node).at = base;
            self.tree.node_mut(rows).at = base;
        }
        let fixed = if homes { sized } else { None };
        crate::engine::with_stack(|| self.lay_rows(rows, &mut inner, base, fixed))?;
        if !measuring {
            self.set_letter_cells(rows, start);
        }
        inner.align();
        spot.at = match union.size {
            Some(size) => inner.at.max(start + size),
            None => inner.at,
        };
        spot.bit = 0;
        if !measuring {
            let end = spot.at;
            self.tree.node_mut(node).end = end;
            self.tree.node_mut(rows).end = end;
        }
        Ok(())
    }

    /// Size of a row that is not placed yet.
    pub(crate) fn measured_size(&mut self, loc: Loc) -> Fallible<u64> {
        if self.is_reading() {
            return eval_error("a size is asked for before it is known");
        }
        let row = self.row(loc);
        let before = std::mem::replace(&mut self.writing().measuring, true);
        let mut spot = Spot::new(0);
        let result = self.lay_inline(loc, &row.ty, row, &mut spot);
        spot.align();
        self.writing().measuring = before;
        result?;
        Ok(spot.at)
    }

    pub(crate) fn array_at(&mut self, loc: Loc) -> Option<&mut crate::tree::ArrayItem> {
        let mut item = &mut self.tree.slot_mut(loc.node, loc.row).item;
        while let Item::Pointer(pointer) = item {
            item = &mut pointer.target;
        }
        match item {
            Item::Array(array) => Some(array),
            _ => None,
        }
    }
}

fn advance_bits(spot: &mut Spot, width: u64) {
    let bits = u64::from(spot.bit) + width;
    spot.at += bits / 8;
    spot.bit = u8::try_from(bits % 8).unwrap_or(0);
}

/// Whether the size of a row depends on what is in it.
fn needs_value(ty: &Type) -> bool {
    match ty {
        Type::Cell(cell) => matches!(cell.storage, Storage::Varint(_)),
        Type::Array(_) | Type::Run(_) | Type::Region(_) => true,
        Type::Pointer(_) | Type::Record(_) | Type::Union(_) => false,
        Type::ByteOrderMark | Type::Text | Type::Nothing | Type::PerEpoch(_) => false,
    }
}

fn padding_size(ty: &Type) -> Option<ExprId> {
    match ty {
        Type::Region(region) => match &region.extent {
            Extent::Size(size) => Some(*size),
            _ => None,
        },
        Type::Run(RunType { length: RunLength::Count(count), .. }) => Some(*count),
        _ => None,
    }
}

/// Bytes that an item takes in a run.
pub(crate) fn item_size(content: Content, item: &Item) -> u64 {
    match (content, item) {
        (_, Item::Bytes(bytes)) => bytes.len() as u64,
        (_, Item::Units(units)) => units.len() as u64 * 2,
        (Content::Text(Encoding::Utf16 | Encoding::Utf16Le | Encoding::Utf16Be), Item::Text(t)) => {
            t.encode_utf16().count() as u64 * 2
        }
        (Content::Text(Encoding::Utf32), Item::Text(text)) => text.chars().count() as u64 * 4,
        (_, Item::Text(text)) => text.len() as u64,
        _ => 0,
    }
}
