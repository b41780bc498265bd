//! Reading: from bytes to the tree of nodes.

pub(crate) mod array;
pub(crate) mod cell;
pub(crate) mod choice;
pub(crate) mod columns;
mod demand;
pub(crate) mod object;
pub(crate) mod region;
pub(crate) mod run;
mod scattered;

use alloc::string::String;

use super::entry::quoted;
use super::item::{Item, Loc, NodeRef, UNPLACED, WHOLE};
use super::kept::Kept;
use super::node::Order;
use super::plan::{RowPlan, Store};
use super::reading::{short, Note, Read};
use super::state::Engine;
use super::val::{read_kind, Fault};
use crate::bits::BitReader;
use crate::error::{ReadError, ReadErrorKind};
use crate::load::Endian;
use crate::model::{Home, RecordId, Row, RowId, RowKind, Type};
use crate::spelling::{KeptKind, KeptValue};

/// Where the next row is read, and up to where.
pub(crate) struct Cursor<'b> {
    pub at: u64,
    pub limit: u64,
    /// If rows of bits come one after another: behind the last one, and where that is in the value.
    pub bits: Option<(BitReader<'b>, Loc)>,
    /// Whether the limit follows from something else than what is read here.
    pub room: bool,
}

impl Cursor<'_> {
    pub(crate) fn new(at: u64, limit: u64) -> Self {
        Cursor { at, limit, bits: None, room: false }
    }

    /// A cursor for something inside what this one reads.
    pub(crate) fn inside(&self, at: u64, limit: u64) -> Self {
        Cursor { at, limit, bits: None, room: self.room }
    }

    pub(crate) fn remaining(&self) -> u64 {
        self.limit.saturating_sub(self.at)
    }

    /// The byte to read next, and how many of its bits were read.
    fn position(&self) -> (u64, u8) {
        self.bits.as_ref().map_or((self.at, 0), |(bits, _)| bits.position())
    }

    /// Behind the last byte that was read, in part or whole.
    fn end(&self) -> u64 {
        let (at, bit) = self.position();
        at + u64::from(bit > 0)
    }
}

impl<'p, 'b> Engine<'p, 'b> {
    /// Reads the whole file: the root, and everything it leads to.
    pub(crate) fn read_file(&mut self) -> Read<()> {
        let length = self.tree.file.len() as u64;
        let root = self.tree.add(self.model.root, None);
        if self.tree.record(root).endian.is_none() {
            self.tree.own_node_mut(root).set_order(Order::Known(self.order));
        }
        self.region_end = length;
        // Bytes behind the root that nothing leads to are gaps, like others between objects.
        self.read_record(root, Cursor::new(0, length))?;
        self.resolve_node(root)?;
        self.read_later()?;
        self.settle()?;
        let strict = self.options.strict;
        match self.reading.notes.first().filter(|_| strict).cloned() {
            Some(note) => {
                let kind = ReadErrorKind::Expression { message: note.message.into() };
                Err(self.error(kind, note.offset, Loc::row(root, WHOLE)))
            }
            None => Ok(()),
        }
    }

    /// The byte order that a struct chooses to which a way through structs in place leads from the
    /// root, before anything is read: what its conditions ask stands at one offset in all epochs.
    pub(crate) fn order_at(&mut self, way: &[RowId]) -> Read<Endian> {
        self.region_end = self.tree.file.len() as u64;
        let mut node = self.tree.add(self.model.root, None);
        let mut at = 0;
        self.tree.own_node_mut(node).at = at;
        for (record, row) in self.model.rows_along(self.model.root, way) {
            let offset = self.model.row_offset(record, row, self.layout.epoch).unwrap_or(0);
            let inner = self.model.records[record.index()].rows[row.index()].ty.in_place();
            at = at.saturating_add(short(offset));
            node = self.add_node(inner.unwrap_or(record), Loc::row(node, row), at.into())?;
            self.tree.own_node_mut(node).at = at;
        }
        self.order_of(node, at.into(), Loc::row(node, WHOLE))
    }

    /// Adds the node of a row or element, unless the records around it are too many.
    pub(crate) fn add_node(&mut self, record: RecordId, loc: Loc, at: u64) -> Read<NodeRef> {
        // A unit of the budget stands for 8 bytes, of which a slot takes three times as many.
        let slots = u64::from(self.tree.plan_of(record).slots);
        self.budget.charge(8 + 3 * slots).map_err(|kind| self.error(kind, at, loc))?;
        let node = self.tree.add(record, Some(loc));
        let limit = self.options.max_depth;
        if self.tree.depth(node) > limit {
            self.tree.leave_unread(node, None);
            return Err(self.error(ReadErrorKind::DepthLimit { limit }, at, loc));
        }
        Ok(node)
    }

    /// Goes on at the next whole byte. Bits up to there are in no row, so nothing would write them.
    pub(crate) fn align_bits(&self, cursor: &mut Cursor<'b>) -> Read<()> {
        let Some((mut bits, loc)) = cursor.bits.take() else { return Ok(()) };
        let left = bits.rest();
        cursor.at = bits.position().0;
        match left {
            0 => Ok(()),
            _ => Err(self.error(ReadErrorKind::NotZero, cursor.at - 1, loc)),
        }
    }

    #[cold]
    pub(crate) fn error(&self, kind: ReadErrorKind, offset: impl Into<u64>, loc: Loc) -> ReadError {
        ReadError::new(kind, offset.into()).with_path(self.tree.path(loc))
    }

    /// Gives an error of the runtime its path.
    #[cold]
    pub(crate) fn located(&self, error: ReadError, loc: Loc) -> ReadError {
        if error.path().is_empty() {
            error.with_path(self.tree.path(loc))
        } else {
            error
        }
    }

    /// A fault of an expression, as an error at this place.
    #[cold]
    pub(crate) fn fault(&self, fault: Fault, offset: impl Into<u64>, loc: Loc) -> ReadError {
        match read_kind(fault) {
            Ok(kind) => self.error(kind, offset, loc),
            Err(error) => error,
        }
    }

    /// Reads the inline rows of a node and returns the address behind them.
    pub(crate) fn read_record(&mut self, node: NodeRef, mut cursor: Cursor<'b>) -> Read<u64> {
        self.align_bits(&mut cursor)?;
        let start = cursor.at;
        let plan = self.tree.plan(node);
        self.tree.own_node_mut(node).at = short(start);
        if let Some(size) = plan.block.filter(|size| u64::from(*size) > cursor.remaining()) {
            let remaining = cursor.remaining();
            let kind = ReadErrorKind::UnexpectedEnd { needed: size.into(), remaining };
            self.read_what_fits(node, start, cursor.limit);
            return Err(self.node_error(kind, start, node));
        }
        if self.is_too_deep() {
            self.tree.leave_unread(node, None);
            return Err(self.node_error(self.depth_limit(), start, node));
        }
        let block = plan.block.map(u64::from);
        self.deep(|engine| engine.read_rows(node, &mut cursor, start, block))?;
        self.align_bits(&mut cursor)?;
        let end = match block {
            Some(size) => cursor.at.max(start + size),
            None => cursor.at,
        };
        self.tree.own_node_mut(node).end = short(end);
        Ok(end)
    }

    /// Reads rows of a block that does not fit, for somebody who wants to know what is there: up to
    /// the first that does not fit itself.
    #[cold]
    fn read_what_fits(&mut self, node: NodeRef, base: u64, limit: u64) {
        if self.tree.partial.asked.is_none() {
            self.tree.leave_unread(node, None);
            return;
        }
        let (plan, record) = (self.tree.plan(node), self.tree.record(node));
        let claimed = self.claimed();
        let mut read = 0;
        for id in &record.read_order {
            let (row, planned) = (&record.rows[id.index()], &plan.rows[id.index()]);
            let loc = Loc::row(node, *id);
            let Home::At(offset) = planned.home else { break };
            let end = base.saturating_add(offset).saturating_add(planned.size.unwrap_or(0).into());
            if end > limit || self.read_fixed_row(loc, row, planned, offset, base, limit).is_err() {
                break;
            }
            read += 1;
        }
        let failed = record.read_order.get(read).filter(|_| read > 0).copied();
        if let Some(failed) = failed {
            self.tree.leave_begun(Loc::row(node, failed));
        }
        self.tree.leave_unread(node, failed);
        self.claim_homes(node, claimed);
    }

    /// Reads the inline rows of a struct, case or form. Homes count from `base`.
    pub(crate) fn read_rows(
        &mut self,
        node: NodeRef,
        cursor: &mut Cursor<'b>,
        base: u64,
        block: Option<u64>,
    ) -> Read<()> {
        let plan = self.tree.plan(node);
        let record = self.tree.record(node);
        let claimed = self.claimed();
        let mut result = Ok(());
        for id in &plan.reading {
            let planned = &plan.rows[id.index()];
            if let Home::At(offset) = planned.home {
                let row = &record.rows[id.index()];
                let loc = Loc::row(node, *id);
                result = self.read_fixed_row(loc, row, planned, offset, base, cursor.limit);
                if result.is_err() {
                    self.tree.leave_unread(node, Some(*id));
                    break;
                }
            }
        }
        let result = result.and_then(|()| self.ask_order(node, base));
        self.claim_homes(node, claimed);
        result?;
        cursor.at = self.fixed_end(node, block.map_or(cursor.at, |size| base + size));
        self.tree.own_node_mut(node).tail = short(cursor.at);
        let begun = self.begun.len();
        let result = self.read_following(node, cursor);
        self.begun.truncate(begun);
        result
    }

    /// Reads the rows that have no homes.
    fn read_following(&mut self, node: NodeRef, cursor: &mut Cursor<'b>) -> Read<()> {
        let (plan, record) = (self.tree.plan(node), self.tree.record(node));
        for id in &plan.following {
            let (row, planned) = (&record.rows[id.index()], &plan.rows[id.index()]);
            let loc = Loc::row(node, *id);
            let result = match planned.store {
                _ if planned.stands => self.read_standing(loc, cursor),
                Store::Slot(_) => self.read_next_row(loc, row, cursor),
                _ => self.read_in_place(loc, row, planned, cursor),
            };
            if result.is_err() {
                self.tree.leave_unread(node, Some(*id));
                return result;
            }
        }
        Ok(())
    }

    /// Where a condition decides the byte order of rows with homes, it has to be decided now.
    fn ask_order(&mut self, node: NodeRef, at: u64) -> Read<()> {
        if !self.tree.plan(node).ordered || self.tree.known_order(node) != Order::Asked {
            return Ok(());
        }
        let at_home = |home| matches!(home, Home::At(_));
        let Some(first) = self.tree.first_ordered(node, at_home) else { return Ok(()) };
        let result = self.order_of(node, at, Loc::row(node, first));
        if result.is_err() {
            self.tree.leave_unordered(node, first);
        }
        result.map(|_| ())
    }

    /// Where rows without homes begin: behind the fixed block, and behind a last row with a home
    /// that reaches beyond it.
    pub(crate) fn fixed_end(&self, node: NodeRef, end: u64) -> u64 {
        let reaching = self.tree.plan(node).reaching.iter();
        let ends = reaching.filter_map(|id| match self.tree.row_end(Loc::row(node, *id)) {
            UNPLACED => None,
            end => Some(u64::from(end)),
        });
        ends.max().map_or(end, |last| last.max(end))
    }

    #[cold]
    pub(crate) fn node_error(&self, kind: ReadErrorKind, offset: u64, node: NodeRef) -> ReadError {
        ReadError::new(kind, offset).with_path(self.tree.node_path(node))
    }

    /// Reads a row of the fixed block, unless something asked for it before.
    pub(crate) fn read_fixed_row(
        &mut self,
        loc: Loc,
        row: &'p Row,
        planned: &'p RowPlan,
        offset: u64,
        base: u64,
        limit: u64,
    ) -> Read<()> {
        let at = base.checked_add(offset).filter(|at| *at <= limit).ok_or_else(|| {
            let kind = ReadErrorKind::UnexpectedEnd { needed: offset, remaining: limit - base };
            self.error(kind, base, loc)
        })?;
        let mut cursor = Cursor::new(at, limit);
        if !matches!(planned.store, Store::Slot(_)) {
            return self.read_in_place(loc, row, planned, &mut cursor);
        }
        if !self.tree.entry(loc).is_unset() {
            return Ok(());
        }
        self.stand(&cursor);
        self.while_busy(loc, |engine| engine.read_row(loc, row, &mut cursor))
    }

    /// Expressions are about where a cursor is.
    pub(crate) fn stand(&mut self, cursor: &Cursor<'b>) {
        self.here = cursor.end();
        self.region_end = cursor.limit;
    }

    /// Looks at a row without bytes that is about where they would be.
    fn read_standing(&mut self, loc: Loc, cursor: &Cursor<'b>) -> Read<()> {
        self.stand(cursor);
        let result = match self.tree.entry(loc).is_unset() {
            true => self.read_early(loc),
            false => Ok(()),
        };
        result.map_err(|fault| self.fault(*fault, cursor.at, loc))
    }

    fn read_next_row(&mut self, loc: Loc, row: &'p Row, cursor: &mut Cursor<'b>) -> Read<()> {
        self.stand(cursor);
        if let Some(condition) = row.when {
            let holds = self
                .block_holds(condition, loc.node)
                .map_err(|fault| self.fault(*fault, cursor.at, loc))?;
            if !holds {
                self.tree.set_item(loc, Item::Absent);
                return Ok(());
            }
        }
        self.while_busy(loc, |engine| engine.read_row(loc, row, cursor))
    }

    /// Reads the bytes of a row that has a slot.
    fn read_row(&mut self, loc: Loc, row: &'p Row, cursor: &mut Cursor<'b>) -> Read<()> {
        // Where a slot is stays the same when others are added.
        let slot = self.tree.slot_index(loc);
        // Bit fields remember at which bit they begin instead of where they end.
        let is_bits = row.ty.is_bits();
        if !is_bits {
            self.align_bits(cursor)?;
        }
        if let Some(slot) = slot {
            let (at, bit) = cursor.position();
            match is_bits {
                true => self.tree.slots.set_place(slot, short(at), bit.into()),
                false => self.tree.slots.set_at(slot, short(at)),
            }
        }
        let item = match &row.kind {
            RowKind::Plain => self.read_type(&row.ty, loc, row, cursor)?,
            RowKind::Constant(_) => {
                let at = cursor.at;
                let item = self.read_type(&row.ty, loc, row, cursor)?;
                self.must_be_constant(item, at, loc, row)?;
                item
            }
            RowKind::Zero | RowKind::Runtime => self.read_zero(loc, row, cursor)?,
            RowKind::Reserved => {
                let open = self.is_open(loc, row, cursor);
                let item = self.read_type(&row.ty, loc, row, cursor)?;
                if !self.tree.is_zero(item) || (open && !is_empty_run(item)) {
                    self.keep_item(loc, KeptKind::Reserved, item);
                }
                item
            }
            RowKind::Zeros => {
                let (at, end) = (cursor.at, cursor.limit);
                let bytes = self.take(cursor, end - at, loc)?;
                if let Some(index) = bytes.iter().position(|b| *b != 0) {
                    return Err(self.error(ReadErrorKind::NotZero, at + index as u64, loc));
                }
                self.claim(at, end, loc);
                self.tree.integer((end - at).into())
            }
            RowKind::Pool { pad, .. } => self.read_members(loc, row, *pad, cursor)?,
            RowKind::Object { .. }
            | RowKind::Mark { .. }
            | RowKind::Value { .. }
            | RowKind::Slice { .. } => return Ok(()),
        };
        let end = short(cursor.end());
        if is_bits && matches!(row.ty.stripped(), Type::Array(_)) {
            self.claim(self.tree.row_at(loc).into(), end.into(), loc);
        }
        match slot {
            Some(slot) => self.tree.slots.finish(slot, item, end, !is_bits),
            None => self.tree.set_item(loc, item),
        }
        self.check_now(loc, row)
    }

    /// Looks at a row in place at the cursor, and moves behind it.
    fn read_in_place(
        &mut self,
        loc: Loc,
        row: &'p Row,
        planned: &'p RowPlan,
        cursor: &mut Cursor<'b>,
    ) -> Read<()> {
        self.align_bits(cursor)?;
        let size = u64::from(planned.size.unwrap_or(0));
        let at = cursor.at;
        let result = if size > cursor.remaining() {
            Err(self.too_short(loc, row, at, cursor.limit))
        } else {
            cursor.at += size;
            self.verify(loc, row, at)
        };
        if matches!(planned.home, Home::Next) {
            self.claim_in_place(loc);
        }
        result
    }

    fn must_be_constant(&mut self, item: Item, at: u64, loc: Loc, row: &Row) -> Read<()> {
        let RowKind::Constant(constant) = &row.kind else { return Ok(()) };
        if self.is_constant(item, constant) {
            return Ok(());
        }
        let said = self.tree.row_plan(loc.node, loc.row).said;
        let shown = |item: Item| match self.tree.through(item) {
            Item::Bytes(blob) => quoted(self.tree.bytes(blob)),
            item => self.show_item(item),
        };
        let kind =
            ReadErrorKind::NotEqual { expected: shown(said).into(), actual: shown(item).into() };
        Err(self.error(kind, at, loc))
    }

    fn read_zero(&mut self, loc: Loc, row: &'p Row, cursor: &mut Cursor<'b>) -> Read<Item> {
        let at = cursor.at;
        let open = self.is_open(loc, row, cursor);
        let item = self.read_type(&row.ty, loc, row, cursor)?;
        self.must_be_fill(item, row.fill, open, at, loc)?;
        Ok(item)
    }

    /// Whether nothing but the padding itself says how much there is.
    fn is_open(&self, loc: Loc, row: &Row, cursor: &Cursor<'b>) -> bool {
        match row.ty.stated_size() {
            Some(size) => self.is_open_padding(loc, size, cursor.room),
            None => row.ty.is_fill() && !cursor.room,
        }
    }

    /// Padding is zero, or what its row says, or kept when reading leniently.
    fn must_be_fill(&mut self, item: Item, fill: u8, open: bool, at: u64, loc: Loc) -> Read<()> {
        let other = match item {
            Item::Bytes(blob) => {
                let bytes = self.tree.bytes(blob);
                let first = bytes.iter().position(|byte| *byte != fill);
                first.map(|first| (first as u64, bytes[first]))
            }
            item => (!self.tree.is_zero(item)).then_some((0, 0)),
        };
        let Some((first, actual)) = other else {
            if open && !is_empty_run(item) {
                self.keep_item(loc, KeptKind::Reserved, item);
            }
            return Ok(());
        };
        if !self.options.lenient {
            let shown = |byte| alloc::format!("{byte:#04x}").into();
            let kind = match fill {
                0 => ReadErrorKind::NotZero,
                _ => ReadErrorKind::NotEqual { expected: shown(fill), actual: shown(actual) },
            };
            return Err(self.error(kind, at + first, loc));
        }
        let message = match fill {
            0 => "bytes that should be zero are not".into(),
            _ => alloc::format!("bytes that should be {fill:#04x} are not"),
        };
        self.note(at, loc, message);
        self.keep_item(loc, KeptKind::Reserved, item);
        Ok(())
    }

    pub(crate) fn note(&mut self, offset: impl Into<u64>, loc: Loc, message: String) {
        let path = alloc::format!("{}", self.tree.path(loc));
        // What it is about need not be in the file, as what a table of pointers lists.
        let offset = offset.into().min(self.tree.file.len() as u64);
        self.reading.notes.push(Note { offset, path, message });
    }

    pub(crate) fn keep(
        &mut self,
        loc: Loc,
        kind: KeptKind,
        stored: KeptValue,
        instead_of: KeptValue,
    ) {
        let kept = Kept { row: loc.row, index: loc.index(), kind, stored, instead_of };
        self.tree.keep(loc.node, kept);
    }

    /// Keeps what is in a row where nothing is canonical.
    fn keep_item(&mut self, loc: Loc, kind: KeptKind, item: Item) {
        let stored = self.kept_value(item);
        self.keep(loc, kind, stored, KeptValue::None);
    }

    /// Whether so many bytes are left for something.
    #[inline]
    pub(super) fn has_room(&self, cursor: &Cursor<'b>, needed: u64, loc: Loc) -> Read<()> {
        let remaining = cursor.remaining();
        if needed > remaining {
            let kind = ReadErrorKind::UnexpectedEnd { needed, remaining };
            return Err(self.error(kind, cursor.at, loc));
        }
        Ok(())
    }

    pub(crate) fn take(&mut self, cursor: &mut Cursor<'b>, size: u64, loc: Loc) -> Read<&'b [u8]> {
        self.has_room(cursor, size, loc)?;
        let taken = crate::slice(self.tree.file, cursor.at, size);
        let taken = taken.map_err(|error| self.located(error, loc))?;
        cursor.at += size;
        Ok(taken)
    }

    /// Reads a value of a type at the cursor.
    pub(crate) fn read_type(
        &mut self,
        ty: &'p Type,
        loc: Loc,
        row: &'p Row,
        cursor: &mut Cursor<'b>,
    ) -> Read<Item> {
        if !ty.is_bits() {
            self.align_bits(cursor)?;
        }
        match ty {
            Type::Cell(cell) => {
                let number = self.read_cell(cell, &row.none, loc, cursor)?;
                self.finish_cell(number, loc, row, cursor.at)
            }
            Type::Run(run) => self.read_run(run, loc, cursor),
            Type::Record(record) => {
                let node = self.add_node(*record, loc, cursor.at)?;
                // Rows of the node may ask for it before it is read.
                self.show_early(loc, node);
                cursor.at = self.read_record(node, cursor.inside(cursor.at, cursor.limit))?;
                Ok(Item::Node(node))
            }
            Type::Union(union) => self.read_union(*union, loc, cursor),
            Type::Pointer(pointer) => self.read_pointer(pointer, loc, row, cursor),
            Type::Array(array) => self.read_array(array, loc, row, cursor),
            Type::Region(region) => self.read_region(region, loc, row, cursor),
            Type::ByteOrderMark => self.read_mark(loc, cursor),
            Type::Text | Type::Nothing | Type::PerEpoch(_) => Ok(Item::Absent),
        }
    }

    /// Puts a node that is being read into its row, so that what is inside can ask for it.
    pub(crate) fn show_early(&mut self, loc: Loc, node: NodeRef) {
        if loc.index().is_none() && self.tree.entry(loc).is_unset() {
            self.tree.set_item(loc, Item::Node(node));
        }
    }

    fn read_mark(&mut self, loc: Loc, cursor: &mut Cursor<'b>) -> Read<Item> {
        let at = cursor.at;
        let bytes = self.take(cursor, 2, loc)?;
        self.claim(at, at + 2, loc);
        let text = match bytes {
            [0xff, 0xfe] => "little",
            [0xfe, 0xff] => "big",
            other => {
                let actual = super::val::hex(other).into();
                let kind = ReadErrorKind::UndecidedByteOrder { actual };
                return Err(self.error(kind, at, loc));
            }
        };
        Ok(Item::Text(self.tree.add_bytes(text.as_bytes())))
    }

    /// Byte order for a cell of this node.
    pub(crate) fn order_of(&mut self, node: NodeRef, at: u64, loc: Loc) -> Read<Endian> {
        if let Order::Known(order) = self.tree.known_order(node) {
            return Ok(order);
        }
        match self.node_order(node) {
            Ok(Some(order)) => {
                if !node.is_element() {
                    // Its parts that say none of their own have it, too.
                    self.tree.own_node_mut(node).set_order(Order::Known(order));
                }
                Ok(order)
            }
            Ok(None) => {
                // The struct whose byte order is not decided is at fault, not the cell.
                let mut node = loc.node;
                while self.tree.record(node).endian.is_none() {
                    match self.tree.owner(node) {
                        Some(owner) => node = owner,
                        None => break,
                    }
                }
                let kind = ReadErrorKind::UndecidedByteOrder { actual: "".into() };
                Err(self.node_error(kind, self.tree.node_at(node).into(), node))
            }
            Err(fault) => Err(self.fault(*fault, at, loc)),
        }
    }
}

fn is_empty_run(item: Item) -> bool {
    matches!(item, Item::Bytes(blob) if blob.len == 0)
}
