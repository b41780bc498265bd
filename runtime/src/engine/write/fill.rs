//! Writes the bytes of everything that is placed.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::super::item::{ArrayRef, From, Item, Loc, NodeRef, MAX_SIZE, UNPLACED, WHOLE};
use super::super::plan::{Number, Piece, Place, RowPlan, Store};
use super::super::reading::short;
use super::super::sayable::{encoded, unit_bytes};
use super::super::state::Engine;
use super::super::tree::{cell_bytes, Array, Cells, Elements, Records};
use super::super::val::{Fallible, Fault};
use super::build::does_not_fit;
use super::number::fits_int;
use crate::load::Endian;
use crate::model::{
    unit_size, Cell, Content, RecordKind, Row, RowKind, RunLength, RunType, Storage, Type,
};
use crate::problem::ProblemKind;
use crate::spelling::{KeptKind, KeptValue};

/// What the numbers of a node have in common that follow from others, as soon as one has asked.
#[derive(Default)]
struct Ground {
    at: Option<u32>,
    order: Option<Endian>,
}

impl<'p> Engine<'p, '_> {
    pub(crate) fn fill(&mut self) {
        let total = self.writing.total.unwrap_or(0);
        // A file that is too large is refused before anything is set aside.
        match usize::try_from(total) {
            Ok(size) if total <= MAX_SIZE => {
                if !self.writing.checking {
                    let whole = self.writing.base + size;
                    self.writing.out.resize(whole, 0);
                }
                let texts = self.lead_texts();
                self.watch(size);
                if let Err(fault) = texts.and_then(|()| self.fill_columns()) {
                    self.report(*fault, Loc::row(NodeRef::ROOT, WHOLE));
                }
            }
            _ => {
                let kind = ProblemKind::TooLarge { limit: MAX_SIZE };
                self.problem(Loc::row(NodeRef::ROOT, WHOLE), kind);
                return;
            }
        }
        self.report_odd();
        for id in 0..self.tree.next_id() {
            let node = NodeRef::own(id);
            if !self.tree.is_node(id) || self.tree.node_at(node) == UNPLACED {
                continue;
            }
            if let Some(bytes) = self.writing.raw.get(&node).cloned() {
                self.put(self.tree.node_at(node).into(), &bytes);
                continue;
            }
            // A word is written by the row that it stands in.
            if !matches!(self.tree.record(node).kind, RecordKind::Word(_)) {
                self.fill_node(node);
            }
        }
        for index in 0..self.tree.compact.len() {
            let number = self.tree.compact[index];
            let array = &self.tree.arrays[number as usize];
            let Some(Records { owner, .. }) = self.tree.records(number).copied() else { continue };
            if array.at == UNPLACED {
                continue;
            }
            if let Err(fault) = self.fill_records(number) {
                self.report(*fault, self.tree.node_loc(owner));
            }
        }
        for (at, bytes) in self.padding() {
            self.forget_zeros(at, bytes.len());
            self.put(at, &bytes);
        }
        for (at, bytes) in core::mem::take(&mut self.writing.loose) {
            self.put(at, &bytes);
        }
        if let Err(fault) = self.fill_texts(total) {
            self.report(*fault, Loc::row(NodeRef::ROOT, WHOLE));
        }
        self.fill_sums();
        self.validate_last_rules();
        self.part();
    }

    /// Padding of elements that were computed, where the file had something in it.
    fn padding(&self) -> Vec<(u64, Vec<u8>)> {
        let tree = &self.tree;
        let all =
            tree.kept.nodes().flat_map(|(node, all)| all.iter().map(move |kept| (*node, kept)));
        let padding = all.filter_map(|(node, kept)| {
            let (KeptKind::Reserved, Some(index), KeptValue::List(stored)) =
                (kept.kind, kept.index, &kept.stored)
            else {
                return None;
            };
            let [KeptValue::Int(place), KeptValue::Bytes(bytes)] = &stored[..] else { return None };
            let Item::Array(array) = tree.item(Loc::row(node, kept.row)) else { return None };
            let at = (index < tree.count(array)).then(|| tree.element_at(array, index, false))?;
            let at = u64::from(at).checked_add(u64::try_from(*place).ok()?)?;
            Some((at, bytes.clone()))
        });
        padding.collect()
    }

    /// Numbers in place that have no room there, as such or in an array.
    fn report_odd(&mut self) {
        if !self.tree.has_odd() {
            return;
        }
        for (loc, item) in self.tree.odd_items() {
            let row = self.tree.row(loc);
            match (row.ty.stripped(), item) {
                (Type::Cell(cell), item) => self.report_number(loc, cell, item),
                (Type::Array(array), Item::Array(list)) => {
                    let Type::Cell(cell) = &array.element else { continue };
                    for index in 0..self.tree.count(list) {
                        let item = self.tree.element(list, index).unwrap_or(Item::Absent);
                        if self.bits_in_place(loc.at(index), cell, row, item).is_none() {
                            self.report_number(loc.at(index), cell, item);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn report_number(&mut self, loc: Loc, cell: &Cell, item: Item) {
        let Some(number) = self.tree.int(item) else { return };
        let stored = number.saturating_add(self.tree.row(loc).plus);
        let name = match cell.storage {
            Storage::Word { first, last, .. } => {
                alloc::format!("{} bits", u32::from(last - first) + 1)
            }
            _ => self.model.cell_name(cell),
        };
        self.problem(loc, does_not_fit(stored, &name));
    }

    fn fill_node(&mut self, node: NodeRef) {
        if let Err(fault) = self.fill_pieces(node) {
            self.report(*fault, self.tree.node_loc(node));
        }
        let plan = self.tree.plan(node);
        let parts = plan.filled.iter().map(|part| NodeRef { part: *part, ..node });
        for node in core::iter::once(node).chain(parts) {
            let record = self.tree.record_id(node);
            let rows = &self.model.records[record.index()].rows;
            let plan = self.tree.plan_of(record);
            let mut ground = Ground::default();
            for row in &plan.filling {
                let (loc, planned) = (Loc::row(node, *row), &plan.rows[row.index()]);
                let filled = self.fill_row(loc, &rows[row.index()], planned, &mut ground);
                if let Err(fault) = filled {
                    self.report(*fault, loc);
                }
            }
        }
    }

    /// Writes the rows in place of a node.
    fn fill_pieces(&mut self, node: NodeRef) -> Fallible<()> {
        let plan = self.tree.plan(node);
        if plan.pieces.is_empty() {
            return Ok(());
        }
        let order = self.order_for(node, &plan.pieces)?.ok_or_else(no_order)?;
        if self.writing.checking {
            return Ok(());
        }
        let (at, tail) = (self.tree.node_at(node), self.tree.own_tail(node));
        let block = self.tree.block(node);
        for piece in &plan.pieces {
            let to = match piece.place {
                Place::Home(offset) => at + offset,
                Place::Tail(offset) => tail + offset,
                Place::Moving | Place::Nowhere => continue,
            };
            let from = (block + piece.from) as usize;
            let reversed = piece.number && piece.order.unwrap_or(order) == Endian::Big;
            self.copy(From::Own, from, to.into(), piece.len as usize, reversed);
        }
        Ok(())
    }

    /// The byte order of a node, if one of these bytes has it.
    fn order_for(&mut self, node: NodeRef, pieces: &[Piece]) -> Fallible<Option<Endian>> {
        if pieces.iter().any(|piece| piece.number && piece.order.is_none()) {
            self.node_order(node)
        } else {
            Ok(Some(Endian::Little))
        }
    }

    /// Copies bytes into the file, perhaps in the other order.
    fn copy(&mut self, from: From, start: usize, to: u64, len: usize, reversed: bool) {
        let ahead = self.writing.ahead;
        let Some(to) = to.checked_sub(ahead).and_then(|to| usize::try_from(to).ok()) else {
            return;
        };
        let source = match from {
            From::File => self.tree.file,
            From::Own => &self.tree.own,
            From::Literal => &self.layout.literals,
        };
        let Some(source) = source.get(start..start + len) else { return };
        if !self.writing.placing.written.is_empty() {
            let mut bytes = source.to_vec();
            if reversed {
                bytes.reverse();
            }
            return self.put(to as u64 + ahead, &bytes);
        }
        let to = self.writing.base + to;
        if let Some(place) = self.writing.out.get_mut(to..to + len) {
            place.copy_from_slice(source);
            if reversed {
                place.reverse();
            }
        }
    }

    /// Writes an array of compact records.
    fn fill_records(&mut self, number: u32) -> Fallible<()> {
        let array = &self.tree.arrays[number as usize];
        let (at, count) = (array.at, array.count);
        let Some(records) = self.tree.records(number).copied() else { return Ok(()) };
        if count == 0 {
            return Ok(());
        }
        let Records { from, first, stride, record, .. } = records;
        // Those of columns are apart in a file that was read.
        let size = self.tree.plan_of(record).size.unwrap_or(stride);
        let pieces = &self.tree.plan_of(record).pieces;
        let order = match self.tree.plan_of(record).parts.first().and_then(|part| part.order) {
            Some(order) => order,
            None => {
                let holder = Loc::row(records.owner, records.owner_row);
                let owner = self.table_around(holder).map_or(records.owner, |table| table.node);
                self.order_for(owner, pieces)?.ok_or_else(no_order)?
            }
        };
        if self.writing.checking {
            return Ok(());
        }
        let is = |piece: &Piece| piece.order.unwrap_or(order);
        // What was read has the order of its file, what was built has the lowest byte first.
        let was = |piece: &Piece| match from {
            From::File => piece.order.unwrap_or(records.order),
            _ => Endian::Little,
        };
        if size == stride && pieces.iter().all(|piece| !piece.number || is(piece) == was(piece)) {
            let len = stride as usize * count as usize;
            self.copy(from, first as usize, at.into(), len, false);
            return Ok(());
        }
        for index in 0..count {
            for piece in pieces {
                let Place::Home(offset) = piece.place else { continue };
                let start = (first + stride * index + piece.from) as usize;
                let to = u64::from(at + size * index + offset);
                let reversed = piece.number && is(piece) != was(piece);
                self.copy(from, start, to, piece.len as usize, reversed);
            }
        }
        Ok(())
    }

    /// Writes an array of numbers.
    fn fill_numbers(&mut self, loc: Loc, cells: Cells<'p>, array: &Array) -> Fallible<()> {
        let (at, count) = (array.at, array.count);
        let size = usize::from(cell_bytes(cells.cell));
        let step = size + array.gap as usize;
        let Storage::Fixed(int) = cells.cell.storage else { return Ok(()) };
        let order = match int.order {
            Some(order) => order.into(),
            None if size == 1 || count == 0 => cells.order,
            None => self.node_order(loc.node)?.ok_or_else(no_order)?,
        };
        if self.writing.checking {
            return Ok(());
        }
        let first = cells.first as usize;
        let reversed = order != cells.order && size > 1;
        if !reversed && step == size {
            self.copy(cells.from, first, at.into(), size * count as usize, false);
            return Ok(());
        }
        for index in 0..count as usize {
            let to = u64::from(at) + (index * size) as u64;
            self.copy(cells.from, first + index * step, to, size, reversed);
        }
        Ok(())
    }

    pub(crate) fn put(&mut self, at: u64, bytes: &[u8]) {
        let Some(at) = at.checked_sub(self.writing.ahead) else { return };
        let Ok(at) = usize::try_from(at) else { return };
        if self.writing.checking {
            return;
        }
        self.watch_bytes(at, bytes);
        let at = self.writing.base + at;
        let out = &mut self.writing.out;
        if let Some(place) = at.checked_add(bytes.len()).and_then(|end| out.get_mut(at..end)) {
            place.copy_from_slice(bytes);
        }
    }

    pub(crate) fn put_bits(&mut self, at: u64, bit: u8, width: u8, msb_first: bool, value: u64) {
        if self.writing.checking {
            return;
        }
        let Some(at) = at.checked_sub(self.writing.ahead) else { return };
        for index in 0..width {
            let position = u64::from(bit) + u64::from(index);
            let within = u8::try_from(position % 8).unwrap_or(0);
            let (source, target) =
                if msb_first { (width - 1 - index, 7 - within) } else { (index, within) };
            let set = value >> source & 1 != 0;
            let byte = usize::try_from(at + position / 8).unwrap_or(usize::MAX);
            self.watch_bits(byte, u8::from(set) << target, 1 << target);
            if !set {
                continue;
            }
            let byte = self.writing.base.saturating_add(byte);
            if let Some(byte) = self.writing.out.get_mut(byte) {
                *byte |= 1 << target;
            }
        }
    }

    /// Writes a number that follows from others.
    fn fill_following(
        &mut self,
        loc: Loc,
        number: &Number,
        planned: &RowPlan,
        row: &'p Row,
        ground: &mut Ground,
    ) -> Fallible<()> {
        let item = match planned.store {
            Store::Slot(slot) => self.tree.item_in_slot(loc.node, slot),
            _ => self.tree.row_entry(loc.node, loc.row),
        };
        let item = match item {
            Item::Unset => match self.follows_at_once(loc.node, planned) {
                Some(n) => Item::Int(n),
                None => {
                    self.force(loc.node, loc.row)?;
                    self.tree.row_entry(loc.node, loc.row)
                }
            },
            item => item,
        };
        let n = match item {
            Item::Int(n) if number.takes(n) => n,
            _ => {
                self.force(loc.node, loc.row)?;
                return self.fill_item(loc, &row.ty, row);
            }
        };
        let order = match number.order {
            Some(order) => order,
            None if number.bytes == 1 => Endian::Little,
            None => match ground.order {
                Some(order) => order,
                None => {
                    let order = self.node_order(loc.node)?.ok_or_else(no_order)?;
                    *ground.order.insert(order)
                }
            },
        };
        let start = *ground.at.get_or_insert_with(|| self.tree.node_at(loc.node));
        let at = start + number.at;
        let width = usize::from(number.bytes);
        match order {
            Endian::Little => self.put(at.into(), &n.to_le_bytes()[..width]),
            Endian::Big => self.put(at.into(), &n.to_be_bytes()[8 - width..]),
        }
        Ok(())
    }

    fn fill_row(
        &mut self,
        loc: Loc,
        row: &'p Row,
        planned: &'p RowPlan,
        ground: &mut Ground,
    ) -> Fallible<()> {
        if let Some(number) = &planned.follows {
            return self.fill_following(loc, number, planned, row, ground);
        }
        let Some(slot) = self.tree.slot(loc) else { return Ok(()) };
        let (at, end, item) = (slot.at, slot.end, slot.item);
        if at == UNPLACED || matches!(row.kind, RowKind::Slice { .. } | RowKind::Mark { .. }) {
            return Ok(());
        }
        match &row.kind {
            RowKind::Zero | RowKind::Runtime | RowKind::Reserved => match (item, &row.ty) {
                (Item::Bytes(blob), _) => {
                    self.copy(blob.from, blob.start as usize, at.into(), blob.len as usize, false);
                    Ok(())
                }
                (Item::Absent, _) if row.fill != 0 => {
                    self.put(at.into(), &alloc::vec![row.fill; end.saturating_sub(at) as usize]);
                    Ok(())
                }
                (Item::Absent, _) => {
                    self.leave_zeros(at, end);
                    Ok(())
                }
                (_, ty) => self.fill_item(loc, ty, row),
            },
            RowKind::Zeros => {
                self.leave_zeros(at, end);
                Ok(())
            }
            RowKind::Value { .. } => Ok(()),
            RowKind::Pool { .. } => {
                let Some((element, _)) = row.ty.pool_members() else { return Ok(()) };
                let Item::Array(array) = self.tree.item(loc) else { return Ok(()) };
                for index in 0..self.tree.count(array) {
                    self.fill_item(loc.at(index), element, row)?;
                }
                Ok(())
            }
            _ => {
                self.force(loc.node, loc.row)?;
                self.fill_item(loc, &row.ty, row)
            }
        }
    }

    fn fill_inner(&mut self, loc: Loc) -> Fallible<()> {
        let planned = self.tree.row_plan(loc.node, loc.row);
        self.fill_row(loc, self.tree.row(loc), planned, &mut Ground::default())
    }

    /// Writes the rows of the nodes inside a row or element.
    pub(crate) fn fill_inside(&mut self, loc: Loc) -> Fallible<()> {
        let mut items: Vec<Item> = alloc::vec![self.tree.item(loc)];
        while let Some(item) = items.pop() {
            match item {
                Item::Node(node) if node.is_element() => {}
                Item::Node(node) => {
                    let rows = node.as_rows();
                    self.fill_pieces(rows)?;
                    for part in &self.tree.plan(rows).filled {
                        let part = NodeRef { part: *part, ..rows };
                        for row in &self.tree.plan(part).filling {
                            self.fill_inner(Loc::row(part, *row))?;
                        }
                    }
                    for row in self.own_rows(rows) {
                        let inner = Loc::row(rows, row);
                        self.fill_inner(inner)?;
                        if !matches!(self.tree.entry(inner), Item::Pointer(_)) {
                            items.push(self.tree.entry(inner));
                        }
                    }
                }
                Item::Array(ArrayRef::Own(number)) => {
                    if self.tree.records(number).is_some() {
                        self.fill_records(number)?;
                    }
                    let nodes = self.tree.items_of(ArrayRef::Own(number));
                    items.extend(nodes.filter(|item| matches!(item, Item::Node(_))));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Address of an item that is not a node.
    pub(crate) fn item_at(&self, loc: Loc) -> u64 {
        let mut at = self.tree.row_at(loc.whole_row());
        if let (Some(index), Item::Array(array)) = (loc.index(), self.tree.item(loc.whole_row())) {
            at = self.tree.element_at(array, index, false);
        }
        if let Some((_, here)) = self.writing.here.filter(|(of, _)| *of == loc) {
            at = short(here);
        }
        let mut item = self.tree.entry(loc);
        while let Item::Pointer(pointer) = item {
            let pointer = &self.tree.pointers[pointer as usize];
            at = pointer.at;
            item = pointer.target;
        }
        at.into()
    }

    /// Writes what is in a row or element.
    pub(crate) fn fill_item(&mut self, loc: Loc, ty: &'p Type, row: &'p Row) -> Fallible<()> {
        match ty {
            Type::Cell(cell) => self.fill_cell(loc, cell, row),
            Type::Run(run) => self.fill_run(loc, run),
            Type::Record(_) | Type::Text | Type::Nothing | Type::PerEpoch(_) => Ok(()),
            Type::Union(union) => self.fill_union(loc, *union),
            Type::Pointer(pointer) => self.fill_pointer(loc, pointer, row),
            Type::Array(array) => {
                let Item::Array(items) = self.tree.item(loc) else { return Ok(()) };
                if matches!(array.element.stripped(), Type::Record(_)) {
                    return Ok(());
                }
                if let ArrayRef::Own(number) = items {
                    if let Elements::Cells(cells) = self.tree.elements(number) {
                        let whole = self.tree.arrays[number as usize].clone();
                        return self.fill_numbers(loc, cells, &whole);
                    }
                }
                for index in 0..self.tree.count(items) {
                    self.fill_item(loc.at(index), &array.element, row)?;
                }
                Ok(())
            }
            Type::Region(region) => self.fill_item(loc, &region.inner, row),
            Type::ByteOrderMark => {
                let mark = match self.order {
                    Endian::Little => [0xff, 0xfe],
                    Endian::Big => [0xfe, 0xff],
                };
                self.put(self.item_at(loc), &mark);
                Ok(())
            }
        }
    }

    pub(crate) fn fill_run(&mut self, loc: Loc, run: &'p RunType) -> Fallible<()> {
        let at = self.item_at(loc);
        if at == u64::from(UNPLACED) || self.is_summed_later(loc) {
            return Ok(());
        }
        let item = self.tree.item(loc);
        if let RunLength::Fixed(wanted) = run.length {
            if !self.expect_size(loc, wanted, run.content, item) {
                return Ok(());
            }
        }
        self.fill_run_at(loc, run, at, item).map(|_| ())
    }

    /// The same at an address; returns the one behind it.
    pub(crate) fn fill_run_at(
        &mut self,
        loc: Loc,
        run: &'p RunType,
        at: u64,
        item: Item,
    ) -> Fallible<u64> {
        let mut at = run.start(at);
        if let RunLength::Prefix(cell) = &run.length {
            let units = self.item_size(run.content, item) / unit_size(run.content);
            let stored = match cell.storage {
                Storage::Fixed(int) if fits_int(units.into(), int) => {
                    self.put_int(loc, at, int, units.into())?;
                    Some(u64::from(int.bytes))
                }
                storage => self.put_spelled(loc, at, storage, units.into()),
            };
            let Some(stored) = stored else {
                let room = alloc::format!("a length of type {}", self.room_name(cell));
                self.problem(loc, does_not_fit(units.into(), &room));
                return Ok(at);
            };
            at += stored;
        }
        if let (Content::Text(encoding), Item::Text(blob)) = (run.content, item) {
            // Of what is in the value this was seen before.
            if let Some(letter) = encoding.missing(self.tree.text(blob)) {
                let encoding = encoding.name();
                self.problem(loc, ProblemKind::TextNotEncodable { encoding, letter });
                return Ok(at);
            }
        }
        let len = match item {
            Item::Text(blob) | Item::Bytes(blob) if run.content.is_in_bytes() => {
                self.copy(blob.from, blob.start as usize, at, blob.len as usize, false);
                u64::from(blob.len)
            }
            item => {
                let order = match run.content {
                    Content::Text(encoding) if encoding.has_order() => {
                        self.node_order(loc.node)?.ok_or_else(no_order)?
                    }
                    _ => Endian::Little,
                };
                let bytes = self.encode(run.content, item, order);
                self.put(at, &bytes);
                bytes.len() as u64
            }
        };
        self.put(at + len, &run.suffix);
        Ok(at + len + run.suffix.len() as u64)
    }

    /// Bytes of an item in a run.
    pub(crate) fn encode(&self, content: Content, item: Item, order: Endian) -> Vec<u8> {
        match item {
            Item::Bytes(blob) => self.tree.bytes(blob).to_vec(),
            Item::Units(start, len) => {
                let unit = unit_bytes(content, order);
                self.tree.units(start, len).iter().flat_map(|n| unit(*n)).collect()
            }
            Item::Text(blob) => encoded(content, self.tree.text(blob), order),
            _ => Vec::new(),
        }
    }

    /// Whether a row is somewhere in the file.
    pub(crate) fn is_laid(&self, loc: Loc) -> bool {
        match self.tree.row_plan(loc.node, loc.row).store {
            Store::Slot(_) => self.tree.row_at(loc) != UNPLACED,
            _ => true,
        }
    }
}

/// A byte order is chosen by conditions, and none holds.
pub(super) fn no_order() -> Box<Fault> {
    Box::new(Fault::Eval("no condition decides the byte order".into()))
}
