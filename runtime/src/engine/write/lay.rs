//! Gives the inline rows of records their addresses, without knowing any number in them.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

use super::super::address::{pointer_type, type_of};
use super::super::forms::UNKNOWN_COUNT;
use super::super::item::{ArrayRef, Item, Loc, NodeRef, CASE, MAX_SIZE};
use super::super::labels::tag_size;
use super::super::map::BytesMap;
use super::super::plan::Store;
use super::super::reading::short;
use super::super::state::Engine;
use super::super::tree::{cell_bytes, Elements};
use super::super::val::{eval_error, Fallible, Fault, Val};
use super::super::writing::OpenEnd;
use crate::model::{
    text_units, unit_size, ArrayLength, ArrayType, Cell, Content, DigitsId, Home, Label, Meaning,
    Path, Row, RowKind, RunLength, RunType, Storage, Tag, Type, UnionId, VarintId,
};
use crate::problem::ProblemKind;
use crate::spelling::{KeptKind, KeptValue};

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

impl<'p> Engine<'p, '_> {
    /// Places the rows of a node from an address on; returns the address behind them.
    pub(crate) fn lay_record(&mut self, node: NodeRef, at: u64) -> Fallible<u64> {
        let measuring = self.writing.measuring;
        if node.is_element() {
            return Ok(self.lay_element(node, at));
        }
        if !measuring {
            self.tree.own_node_mut(node).at = short(at);
        }
        let plan = self.tree.plan(node);
        let block = plan.block.map(u64::from);
        let raw = plan.laid && self.is_raw(node);
        let end = match plan.size.filter(|_| !plan.laid || raw) {
            // Nothing in it has to be told where it is.
            Some(size) => {
                if !measuring {
                    let reach = block.unwrap_or(0).max(plan.reach.into());
                    self.tree.own_node_mut(node).tail = short(at + reach);
                }
                at + u64::from(size)
            }
            None => {
                let mut spot = Spot::new(at);
                self.lay_rows_of(node, &mut spot, at, block)?;
                spot.align();
                block.map_or(spot.at, |size| spot.at.max(at + size))
            }
        };
        if !measuring {
            self.tree.own_node_mut(node).end = short(end);
        }
        Ok(end)
    }

    /// Places an element of a compact array that stands in a table of its own.
    fn lay_element(&mut self, node: NodeRef, at: u64) -> u64 {
        let size = u64::from(self.tree.plan(node).size.unwrap_or(0));
        if node.element == 0 && !self.writing.measuring {
            let array = &mut self.tree.arrays[node.id as usize];
            array.at = short(at);
            array.end = short(at + size * u64::from(array.count));
        }
        at + size
    }

    fn lay_rows_of(
        &mut self,
        node: NodeRef,
        spot: &mut Spot,
        base: u64,
        block: Option<u64>,
    ) -> Fallible<()> {
        if self.is_too_deep() {
            let kind = self.depth_limit();
            return Err(Box::new(Fault::Limit(kind)));
        }
        self.deep(|engine| engine.lay_rows(node, spot, base, block))
    }

    fn lay_rows(
        &mut self,
        node: NodeRef,
        spot: &mut Spot,
        base: u64,
        block: Option<u64>,
    ) -> Fallible<()> {
        let record = self.tree.record(node);
        let plan = self.tree.plan(node);
        for id in &plan.slotted {
            let planned = &plan.rows[id.index()];
            let (Home::At(offset), None) = (planned.home, planned.follows) else { continue };
            let mut here = Spot::new(base + offset);
            self.lay_row(Loc::row(node, *id), &record.rows[id.index()], &mut here)?;
            // The last row of a block may be of any size.
            here.align();
            spot.at = spot.at.max(here.at);
        }
        if plan.reach > 0 {
            spot.at = spot.at.max(base + u64::from(plan.reach));
        }
        if let Some(size) = block {
            spot.at = spot.at.max(base + size);
        }
        if !self.writing.measuring {
            self.tree.own_node_mut(node).tail = short(spot.at);
        }
        let begun = self.begun.len();
        let result = self.lay_following(node, spot);
        self.begun.truncate(begun);
        result
    }

    /// Places the rows that have no homes.
    fn lay_following(&mut self, node: NodeRef, spot: &mut Spot) -> Fallible<()> {
        let (plan, record) = (self.tree.plan(node), self.tree.record(node));
        for id in &plan.following {
            let (row, planned) = (&record.rows[id.index()], &plan.rows[id.index()]);
            if planned.home != Home::Next {
                continue;
            }
            let loc = Loc::row(node, *id);
            let (Store::Slot(_), None) = (planned.store, planned.follows) else {
                spot.align();
                spot.at += u64::from(planned.size.unwrap_or(0));
                continue;
            };
            // A condition may ask for it.
            self.here = spot.at + u64::from(spot.bit > 0);
            if self.is_present(loc, row)? {
                self.lay_row(loc, row, spot)?;
            }
        }
        Ok(())
    }

    /// Whether a row is there. Of data the value says it, of everything else the condition; and the
    /// condition of a number or pointer that is none, because that is nothing in the value, too.
    fn is_present(&mut self, loc: Loc, row: &'p Row) -> Fallible<bool> {
        let Some(condition) = row.when else { return Ok(true) };
        let absent = self.tree.entry(loc).is_absent();
        if self.model.is_optional_data(row) {
            // What follows from the value in the same block is asked where that begins.
            let layout = self.layout;
            if layout.mentions_position(condition)
                && !(self.writing.measuring || layout.mentions_region_end(condition))
            {
                // Where it follows from what is behind, too, the file is read again to see it.
                match self.block_holds(condition, loc.node) {
                    Err(fault) if matches!(*fault, Fault::NotPlaced(_)) => {}
                    holds => drop(holds?),
                }
            }
            if !absent || !row.may_say_none(self.model) || self.layout.mentions_position(condition)
            {
                return Ok(!absent);
            }
            return self.eval_bool(condition, loc.node, None);
        }
        if self.writing.measuring && self.layout.mentions_position(condition) {
            return eval_error("whether something is there follows from where it is");
        }
        let holds = self.block_holds(condition, loc.node)?;
        if !holds {
            self.tree.set_item(loc, Item::Absent);
        }
        Ok(holds)
    }

    fn lay_row(&mut self, loc: Loc, row: &'p Row, spot: &mut Spot) -> Fallible<()> {
        let laid = self.lay_bytes(loc, row, spot);
        let names_row = |fault: &Fault| !matches!(fault, Fault::Limit(_));
        if laid.as_ref().is_err_and(|fault| names_row(fault)) && !self.writing.measuring {
            self.writing.failed.get_or_insert(loc);
        }
        laid
    }

    fn lay_bytes(&mut self, loc: Loc, row: &'p Row, spot: &mut Spot) -> Fallible<()> {
        let bits = row.ty.is_bits();
        if !bits {
            spot.align();
        }
        let start = *spot;
        match &row.kind {
            RowKind::Zero | RowKind::Reserved | RowKind::Runtime => {
                self.lay_padding(loc, row, spot)?;
            }
            RowKind::Zeros => {
                if let Some(count) = self.tree.int(self.tree.item(loc)) {
                    match u64::try_from(count) {
                        Ok(count) if count <= MAX_SIZE => spot.at += count,
                        _ => return eval_error("more zero bytes than a file may have"),
                    }
                }
                self.takes_all(loc, spot.at);
            }
            RowKind::Pool { pad, .. } => {
                self.force(loc.node, loc.row)?;
                spot.at = self.lay_pool(loc, row, *pad, spot.at)?;
            }
            RowKind::Plain | RowKind::Constant(_) => {
                if needs_value(&row.ty) {
                    self.force(loc.node, loc.row)?;
                }
                // Elements may ask where their list begins; other nodes know where they are.
                if !self.writing.measuring && matches!(row.ty.stripped(), Type::Array(_)) {
                    if let Some(slot) = self.tree.slot_index(loc) {
                        self.tree.slots.set_at(slot, short(start.at));
                    }
                }
                self.lay_inline(loc, &row.ty, row, spot)?;
            }
            RowKind::Object { .. }
            | RowKind::Mark { .. }
            | RowKind::Value { .. }
            | RowKind::Slice { .. } => {}
        }
        if !self.writing.measuring {
            let end = short(spot.at + u64::from(spot.bit > 0));
            let end = if bits { start.bit.into() } else { end };
            if let Some(slot) = self.tree.slot_index(loc) {
                self.tree.slots.set_place(slot, short(start.at), end);
            }
        }
        Ok(())
    }

    fn lay_padding(&mut self, loc: Loc, row: &'p Row, spot: &mut Spot) -> Fallible<()> {
        if let Type::Cell(Cell { storage: Storage::Bits { width, .. }, .. }) = row.ty {
            advance_bits(spot, width.into());
            return Ok(());
        }
        let kept = match self.tree.item(loc) {
            Item::Bytes(blob) => Some(u64::from(blob.len)),
            _ => None,
        };
        let planned = self.tree.row_plan(loc.node, loc.row);
        let size = match (planned.size.map(u64::from), row.ty.stated_size()) {
            (Some(size), _) => size,
            (None, Some(size)) if self.is_open_padding(loc, size, self.writing.room.is_some()) => {
                let known = kept.unwrap_or(0);
                self.expect(loc, size, known, "size");
                known
            }
            (None, Some(size)) => {
                if self.writing.measuring && self.layout.mentions_position(size) {
                    return eval_error("the size of padding follows from where it is");
                }
                self.here = spot.at;
                self.region_end = self.writing.room.unwrap_or(spot.at);
                let Some(size) = self.eval_int(size, loc.node, None)? else {
                    return eval_error(UNKNOWN_COUNT);
                };
                match u64::try_from(size) {
                    Ok(size) if size <= MAX_SIZE => size,
                    Ok(_) => return eval_error("more zero bytes than a file may have"),
                    Err(_) => return eval_error(format!("size {size} is negative")),
                }
            }
            // Padding to the end of a region whose size is known.
            (None, None) => match self.writing.room {
                Some(room) => room.saturating_sub(spot.at),
                None => kept.unwrap_or(0),
            },
        };
        if kept.is_some_and(|kept| kept != size) {
            // Another number of bytes: what was there is of no use.
            self.tree.set_item(loc, Item::Absent);
        }
        spot.at += size;
        if row.ty.takes_rest() {
            self.takes_all(loc, spot.at);
        }
        Ok(())
    }

    /// Places a value of a type at a spot and moves it behind.
    pub(crate) fn lay_inline(
        &mut self,
        loc: Loc,
        ty: &'p Type,
        row: &'p Row,
        spot: &mut Spot,
    ) -> Fallible<()> {
        if !ty.is_bits() {
            spot.align();
        }
        match ty {
            Type::Cell(cell) => self.lay_cell(loc, cell, row, spot)?,
            Type::Run(run) => spot.at = self.lay_run(loc, run, spot.at)?,
            Type::Record(_) => {
                if let Item::Node(node) = self.tree.item(loc) {
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
                if !self.writing.measuring {
                    if let Some(pointer) = self.tree.pointer_mut(loc) {
                        pointer.cell = short(at);
                    }
                }
            }
            Type::Array(array) => {
                let Item::Array(items) = self.tree.item(loc) else { return Ok(()) };
                let align = self.layout.element_align(array, self.tree.plans());
                self.lay_array(loc, array, align, items, row, spot)?;
            }
            Type::Region(region) => self.lay_region(loc, region, row, spot)?,
            Type::ByteOrderMark => spot.at += 2,
            Type::Text | Type::Nothing | Type::PerEpoch(_) => {}
        }
        if ty.takes_rest() {
            self.takes_all(loc, spot.at);
        }
        Ok(())
    }

    fn lay_array(
        &mut self,
        loc: Loc,
        ty: &'p ArrayType,
        align: u64,
        array: ArrayRef,
        row: &'p Row,
        spot: &mut Spot,
    ) -> Fallible<()> {
        if let Some(columns) = ty.described.as_ref().and_then(|of| of.columns.as_ref()) {
            return self.lay_columns(loc, (ty, columns), array, row, spot);
        }
        if ty.is_scattered() {
            return self.lay_scattered(loc, ty, array, row, spot);
        }
        let (element, stride) = (&ty.element, ty.stride);
        let (at, measuring) = (spot.at, self.writing.measuring);
        let count = self.tree.count(array);
        if let (ArrayLength::Count(said), Some(_)) = (&ty.length, loc.index()) {
            self.expect(loc, *said, count.into(), "count");
        }
        if align > 1 && count > 1 && measuring {
            return eval_error("the size of something aligned depends on its address");
        }
        let own = match array {
            ArrayRef::Own(number) => Some(number),
            ArrayRef::Inline { .. } => None,
        };
        // So may what is in elements.
        if let Some(number) = own.filter(|_| !measuring) {
            self.tree.arrays[number as usize].at = short(at);
        }
        let elements = own.map(|number| self.tree.elements(number));
        let numbers = match element {
            Type::Cell(cell @ Cell { storage: Storage::Fixed(_), meaning })
                if !matches!(meaning, Meaning::Word(_)) =>
            {
                Some(u64::from(cell_bytes(cell)))
            }
            _ => None,
        };
        let each = match elements {
            Some(Elements::Records(records)) => {
                self.tree.plan_of(records.record).size.map(u64::from)
            }
            _ => numbers,
        };
        let mut starts = Vec::new();
        match each.filter(|_| stride.is_none()) {
            Some(size) => spot.at += size * u64::from(count),
            None => {
                let known = matches!(element.stripped(), Type::Record(_) | Type::Pointer(_));
                let around = self.writing.room;
                let each_room = match stride.filter(|stride| self.gives_room(loc, *stride)) {
                    Some(stride) => self.known_room(stride, loc)?,
                    None => None,
                };
                for index in 0..count {
                    let element_loc = loc.at(index);
                    if index > 0 {
                        spot.at = spot.at.next_multiple_of(align);
                    }
                    let start = spot.at;
                    let open = self.writing.open_ends.len();
                    if !known {
                        starts.push(short(start));
                    }
                    if stride.is_some() {
                        self.writing.room = each_room.and_then(|room| start.checked_add(room));
                    }
                    let laid = self.lay_inline(element_loc, element, row, spot);
                    self.writing.room = around;
                    laid?;
                    if let Some(stride) = stride {
                        spot.align();
                        self.close_region(open, spot.at);
                        self.expect(element_loc, stride, spot.at - start, "size");
                    }
                }
            }
        }
        if let Some(number) = own.filter(|_| !measuring) {
            self.set_array(number, at, spot.at, &starts);
        }
        Ok(())
    }

    /// Remembers where an array and its elements are.
    pub(super) fn set_array(&mut self, number: u32, at: u64, end: u64, starts: &[u32]) {
        let first = short(self.tree.starts.len() as u64);
        self.tree.starts.extend_from_slice(starts);
        let array = &mut self.tree.arrays[number as usize];
        array.at = short(at);
        array.end = short(end);
        self.tree.set_starts(number, (!starts.is_empty()).then_some(first));
    }

    fn lay_cell(
        &mut self,
        loc: Loc,
        cell: &'p Cell,
        row: &'p Row,
        spot: &mut Spot,
    ) -> Fallible<()> {
        match cell.storage {
            Storage::Fixed(int) => {
                let at = spot.at;
                spot.at += u64::from(int.bytes);
                if let (Meaning::Word(_), Item::Node(node)) = (&cell.meaning, self.tree.item(loc)) {
                    if !self.writing.measuring && !node.is_element() && node.part == 0 {
                        self.lay_word(node, at, spot.at);
                    }
                }
            }
            Storage::Varint(_) | Storage::Digits { bytes: None, .. } => {
                self.force(loc.node, loc.row)?;
                let value = match self.tree.item(loc) {
                    // A number that nobody knows takes no more room than zero.
                    Item::Unset => 0,
                    _ => self.stored_number(loc, cell, row)?,
                };
                spot.at += self.number_size(loc, cell.storage, value);
            }
            Storage::Digits { bytes: Some(bytes), .. } => spot.at += u64::from(bytes),
            Storage::Bits { width, .. } => advance_bits(spot, width.into()),
            Storage::Word { .. } | Storage::Letter { .. } | Storage::TagOf => {}
        }
        Ok(())
    }

    /// Places the fields of a word that has a node of its own.
    fn lay_word(&mut self, node: NodeRef, at: u64, end: u64) {
        let own = self.tree.own_node_mut(node);
        own.at = short(at);
        own.tail = short(at);
        own.end = short(end);
        for row in self.own_rows(node) {
            let loc = Loc::row(node, row);
            self.tree.change_slot(loc, |slot| {
                slot.at = short(at);
                slot.end = short(end);
            });
            if let Some(pointer) = self.tree.pointer_mut(loc) {
                pointer.cell = short(at);
            }
        }
    }

    /// Bytes that a number takes in whole bytes.
    #[inline(never)]
    pub(crate) fn number_size(&self, loc: Loc, storage: Storage, n: i128) -> u64 {
        match storage {
            Storage::Fixed(int) => int.bytes.into(),
            Storage::Varint(id) => self.varint_width(loc, id, n).into(),
            Storage::Digits { digits, .. } => {
                self.digit_bytes(loc, digits, n).map_or(0, |bytes| bytes.len() as u64)
            }
            Storage::Bits { .. }
            | Storage::Word { .. }
            | Storage::Letter { .. }
            | Storage::TagOf => 0,
        }
    }

    /// Bytes of a number in digits: as kept, if they are still the same number; nothing if there is
    /// no room for it.
    #[inline(never)]
    pub(crate) fn digit_bytes(&self, loc: Loc, id: DigitsId, n: i128) -> Option<Vec<u8>> {
        let digits = &self.model.digits[id.index()];
        match self.tree.kept_of(loc, KeptKind::Digits).map(|kept| &kept.stored) {
            Some(KeptValue::Bytes(bytes)) if digits.says(bytes, n) => Some(bytes.clone()),
            _ => digits.store(n),
        }
    }

    /// Bytes that a variable-length integer takes: as kept, if it is still the same number.
    pub(crate) fn varint_width(&self, loc: Loc, id: VarintId, value: i128) -> u8 {
        let varint = &self.model.varints[id.index()];
        let (shortest, most) = (crate::varint::number_width(varint, value), varint.max_bytes);
        if varint.shortest {
            return shortest;
        }
        let kept = self.tree.kept_of(loc, KeptKind::Width);
        match kept.filter(|kept| kept.instead_of == KeptValue::Int(shortest.into())) {
            Some(kept) => match kept.stored {
                KeptValue::Int(width) => u8::try_from(width)
                    .ok()
                    .filter(|width| (shortest..=most).contains(width))
                    .unwrap_or(shortest),
                _ => shortest,
            },
            _ => shortest,
        }
    }

    fn lay_run(&mut self, loc: Loc, run: &'p RunType, at: u64) -> Fallible<u64> {
        if self.writing.measuring && run.align.is_some_and(|align| align > 1) {
            return eval_error("the size of something aligned depends on its address");
        }
        let at = run.start(at);
        let item = self.tree.item(loc);
        let size = self.item_size(run.content, item);
        let prefix = match &run.length {
            RunLength::Prefix(cell) => {
                let units = size / unit_size(run.content);
                self.number_size(loc, cell.storage, units.into())
            }
            RunLength::Fixed(wanted) => {
                self.expect_size(loc, *wanted, run.content, item);
                return Ok(at + wanted + run.suffix.len() as u64);
            }
            RunLength::Count(count) if loc.index().is_some() && !item.is_absent() => {
                self.expect(loc, *count, size / unit_size(run.content), "size");
                0
            }
            _ => 0,
        };
        Ok(at + prefix + size + run.suffix.len() as u64)
    }

    /// Whether what is in a run has the size that the schema says; of what is not known yet it is seen
    /// later.
    pub(crate) fn expect_size(
        &mut self,
        loc: Loc,
        wanted: u64,
        content: Content,
        item: Item,
    ) -> bool {
        let size = self.item_size(content, item);
        if size == wanted || item.is_absent() || item.is_unset() {
            return true;
        }
        let (expected, why) = (wanted.into(), format!("the schema says {wanted} bytes").into());
        self.problem(loc, ProblemKind::LengthMismatch { expected, actual: size, why });
        false
    }

    fn lay_pool(&mut self, loc: Loc, row: &'p Row, pad: u64, at: u64) -> Fallible<u64> {
        let Some((element, _)) = row.ty.pool_members() else { return Ok(at) };
        let Item::Array(array) = self.tree.item(loc) else { return Ok(at) };
        let mut spot = Spot::new(at);
        let mut starts = Vec::new();
        let mut members = BytesMap::default();
        for index in 0..self.tree.count(array) {
            let item = self.tree.element(array, index).unwrap_or(Item::Absent);
            let key = self.tree.key_of(item);
            // Of equal members the first one is meant.
            let known = members.get_with(&key, |n| {
                self.tree.key_of(self.tree.element(array, n).unwrap_or(Item::Absent)) == key
            });
            if known.is_none() {
                members.insert(&key, index);
            }
            starts.push(short(element.start(spot.at)));
            self.lay_inline(loc.at(index), element, row, &mut spot)?;
            let end = spot.at.next_multiple_of(pad.max(1));
            let last = index + 1 == self.tree.count(array);
            spot.at = match self.tree.kept_of(loc, KeptKind::Tail).map(|kept| &kept.stored) {
                // What the pool is in ends within the padding, unless something has come behind it.
                Some(KeptValue::Int(there)) if last && !self.writing.ended.contains(&loc) => {
                    let at = end.min(spot.at + u64::try_from(*there).unwrap_or(0));
                    self.writing.open_ends.push(OpenEnd { at, loc, takes_all: false });
                    at
                }
                _ => end,
            };
        }
        if !self.writing.measuring {
            self.writing.members.insert((loc.node, loc.row), members);
            if let ArrayRef::Own(number) = array {
                self.set_array(number, at, spot.at, &starts);
            }
        }
        Ok(spot.at)
    }

    /// Places a union, which its case must fill if it says its size.
    fn lay_union(&mut self, loc: Loc, id: UnionId, spot: &mut Spot) -> Fallible<()> {
        let Some(size) = self.model.unions[id.index()].size else {
            return self.lay_case(loc, id, spot);
        };
        let (at, open) = (spot.at, self.writing.open_ends.len());
        let end = at.saturating_add(size);
        let around = self.writing.room.replace(end);
        let laid = self.lay_case(loc, id, spot);
        self.writing.room = around;
        laid?;
        self.close_region(open, spot.at);
        if spot.at != end && !self.writing.measuring {
            let (expected, actual) = (size.into(), spot.at.saturating_sub(at));
            let why = "the schema says so".into();
            self.problem(loc, ProblemKind::LengthMismatch { expected, actual, why });
        }
        spot.at = spot.at.max(end);
        Ok(())
    }

    fn lay_case(&mut self, loc: Loc, id: UnionId, spot: &mut Spot) -> Fallible<()> {
        let union = &self.model.unions[id.index()];
        let Item::Node(node) = self.tree.item(loc) else { return Ok(()) };
        let measuring = self.writing.measuring;
        let start = spot.at;
        let base = match self.tree.node_at(loc.node) {
            _ if measuring => start,
            at => at.into(),
        };
        let Some(case) = union.case_of(self.tree.record_id(node)) else { return Ok(()) };
        let rows = node.as_rows();
        if case.whole {
            let own = matches!(union.tag, Tag::Own(_) | Tag::Word(_));
            let from = if (own && !union.body) || measuring { start } else { base };
            spot.at = self.lay_record(rows, from)?;
            return Ok(());
        }
        let labels = match node.part {
            CASE => {
                let form = self.tree.record_id(rows);
                case.forms.iter().find(|f| f.record == form).map_or(&case.labels, |f| &f.labels)
            }
            _ => &case.labels,
        };
        let patterned = match (&union.tag, labels.first()) {
            (Tag::Own(_), Some(Label::Pattern(pattern))) => pattern.width / 8,
            _ => 0,
        };
        let mut inner = Spot::new(start + u64::from(tag_size(&union.tag).max(patterned)));
        if !measuring {
            self.tree.own_node_mut(rows).at = short(base);
        }
        let block = self.fixed_part(rows);
        self.lay_rows_of(rows, &mut inner, base, block)?;
        if !measuring {
            self.set_letter_cells(rows, start);
        }
        inner.align();
        spot.at = inner.at;
        spot.bit = 0;
        if !measuring {
            self.tree.own_node_mut(rows).end = short(spot.at);
        }
        Ok(())
    }

    /// Size of a row that is not placed yet.
    pub(crate) fn measured_size(&mut self, loc: Loc) -> Fallible<u64> {
        if self.is_reading() {
            return eval_error("a size is asked for before it is known");
        }
        let row = self.tree.row(loc);
        if pointer_type(row, loc).is_some() {
            return match self.target_size(loc)? {
                Some(size) => Ok(size),
                None => Err(Box::new(self.not_placed("size", loc))),
            };
        }
        self.size_laid(loc, &row.ty, row)
    }

    /// Lays something from the address 0 on, of which nothing stays but how far that comes.
    fn size_laid(&mut self, loc: Loc, ty: &'p Type, row: &'p Row) -> Fallible<u64> {
        let before = core::mem::replace(&mut self.writing.measuring, true);
        let open = self.writing.open_ends.len();
        let mut spot = Spot::new(0);
        let result = self.lay_inline(loc, ty, row, &mut spot);
        self.writing.open_ends.truncate(open);
        self.writing.measuring = before;
        spot.align();
        result.map(|()| spot.at)
    }

    /// The size of an object that is not placed yet, where that does not depend on its place.
    #[cold]
    pub(crate) fn size_ahead(
        &mut self,
        path: &'p Path,
        this: NodeRef,
        it: Option<Val>,
        fault: Box<Fault>,
    ) -> Fallible<Val> {
        if self.is_reading() || !matches!(*fault, Fault::NotPlaced(_)) {
            return Err(fault);
        }
        let loc = match self.find_first(path, this, it)?.first {
            Val::Loc(loc) => loc,
            Val::Node(node) => self.tree.node_loc(self.tree.enclosing_struct(node)),
            _ => return Err(fault),
        };
        match self.target_size(loc)? {
            Some(size) => Ok(Val::Int(size.into())),
            None => Err(Box::new(self.not_placed("size", loc))),
        }
    }

    /// The size of what is in a row or element, or of what it leads to; nothing if it leads to no
    /// object, or where the size is not known without the place.
    fn target_size(&mut self, loc: Loc) -> Fallible<Option<u64>> {
        let row = self.tree.row(loc);
        let object = matches!(row.kind, RowKind::Object { .. });
        let ty = match pointer_type(row, loc) {
            Some(pointer) if !object || loc.index().is_some() => pointer.owned(),
            _ => type_of(row, loc),
        };
        let Some(ty) = ty.filter(|_| !self.writing.measured_ahead.contains(&loc)) else {
            return Ok(None);
        };
        let (here, region_end) = (self.here, self.region_end);
        let room = self.writing.room.take();
        self.writing.measured_ahead.push(loc);
        let size = self.size_laid(loc, ty, row);
        self.writing.measured_ahead.pop();
        self.writing.room = room;
        (self.here, self.region_end) = (here, region_end);
        match size {
            Ok(size) => Ok(Some(size)),
            Err(fault) if matches!(*fault, Fault::Eval(_) | Fault::NotPlaced(_)) => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    /// Bytes that an item takes in a run.
    pub(crate) fn item_size(&self, content: Content, item: Item) -> u64 {
        match (content, item) {
            (_, Item::Bytes(blob)) => blob.len.into(),
            (_, Item::Units(_, len)) => u64::from(len) * 2,
            (_, Item::Text(blob)) if content.is_in_bytes() => blob.len.into(),
            (_, Item::Text(blob)) => text_units(content, self.tree.text(blob)) * unit_size(content),
            _ => 0,
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
        Type::Cell(cell) => cell.storage.varies(),
        Type::Run(run) => !matches!(run.length, RunLength::Fixed(_)),
        Type::Array(_) | Type::Region(_) => true,
        Type::Pointer(_) | Type::Record(_) | Type::Union(_) => false,
        Type::ByteOrderMark | Type::Text | Type::Nothing | Type::PerEpoch(_) => false,
    }
}
