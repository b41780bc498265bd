//! Reading: from bytes to the tree of nodes.

pub(crate) mod array;
pub(crate) mod cell;
pub(crate) mod choice;
mod demand;
pub(crate) mod object;
pub(crate) mod region;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use formwork::{BitReader, Endian, ReadError, ReadErrorKind};
use formwork_model::{Gaps, Home, RecordId, Row, RowId, RowKind, Storage, Type};

use crate::engine::{Engine, Fault, with_stack};
use crate::eval::read_kind;
use crate::items::{
    constant_item, hex, is_constant, is_zero, item_value, show_constant, show_item,
};
use crate::tree::{Item, Loc, NodeId, UNPLACED};
use crate::value::{Kept, KeptKind, Value};

/// What only reading needs.
pub(crate) struct Reading<'b> {
    pub bytes: &'b [u8],
    pub claims: Vec<Claim>,
    /// What each object takes, whether rows account for all of it or not, in the order of reading;
    /// empty unless gaps are kept.
    pub objects: Vec<Claim>,
    /// Pooled texts by address and kind of pointer: each is decoded once.
    pub texts: HashMap<(u64, u32), Item>,
    /// Addresses that the file's relocation tables list.
    pub listed: Option<Rc<HashSet<u64>>>,
    /// Everything is read, and is now compared.
    pub settling: bool,
    pub notes: Vec<Note>,
}

/// Bytes that a row, or the object that a row or element leads to, accounts for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Claim {
    pub at: u64,
    pub end: u64,
    pub loc: Loc,
}

/// Something worth knowing about a file that is no error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Offset in the file, in bytes.
    pub offset: u64,
    /// Path of the field.
    pub path: String,
    /// What was noticed.
    pub message: String,
}

/// Where the next row is read, and up to where.
pub(crate) struct Cursor<'b> {
    pub at: u64,
    pub limit: u64,
    /// Bits of the byte at `at` that were read already, if rows of bits come one after another.
    pub bits: Option<BitReader<'b>>,
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

    pub(crate) fn align_bits(&mut self) {
        if let Some(mut bits) = self.bits.take() {
            self.at = bits.align();
        }
    }

    pub(crate) fn remaining(&self) -> u64 {
        self.limit.saturating_sub(self.at)
    }
}

type Read<T> = Result<T, ReadError>;

impl<'m, 'b> Engine<'m, 'b> {
    /// Reads the whole file: the root, and everything it leads to.
    pub(crate) fn read_file(&mut self) -> Read<()> {
        let length = self.reading().bytes.len() as u64;
        let root = self.tree.add(self.model, self.model.root, None, RowId(0), None);
        self.root = root;
        self.region_end = length;
        // Bytes behind the root that nothing leads to are gaps, like others between objects.
        let end = self.read_record(root, Cursor::new(0, length))?;
        self.note_object(0, end, Loc::row(root, RowId(u32::MAX)));
        self.resolve_node(root)?;
        self.settle()?;
        let strict = self.options.strict;
        match self.reading().notes.first().filter(|_| strict).cloned() {
            Some(note) => {
                let kind = ReadErrorKind::Expression { message: note.message.into() };
                let root = Loc::row(self.root, RowId(u32::MAX));
                Err(self.error(kind, note.offset, root))
            }
            None => Ok(()),
        }
    }

    /// Adds the node of a row or element, unless the records around it are too many.
    pub(crate) fn add_node(&mut self, record: RecordId, loc: Loc, at: u64) -> Read<NodeId> {
        // A slot takes four times what a unit of the budget stands for.
        let slots = self.model.records[record.index()].rows.len() as u64 + 2;
        self.budget.charge(4 * slots).map_err(|kind| self.error(kind, at, loc))?;
        let node = self.tree.add(self.model, record, Some(loc.node), loc.row, loc.index);
        let limit = self.options.max_depth;
        if self.tree.node(node).depth > limit {
            return Err(self.error(ReadErrorKind::DepthLimit { limit }, at, loc));
        }
        Ok(node)
    }

    pub(crate) fn error(&self, kind: ReadErrorKind, offset: u64, loc: Loc) -> ReadError {
        ReadError::new(kind, offset).with_path(self.tree.path(self.model, loc))
    }

    /// Gives an error of the runtime its path.
    pub(crate) fn located(&self, error: ReadError, loc: Loc) -> ReadError {
        if error.path().is_empty() {
            error.with_path(self.tree.path(self.model, loc))
        } else {
            error
        }
    }

    /// A fault of an expression, as an error at this place.
    pub(crate) fn fault(&self, fault: Fault, offset: u64, loc: Loc) -> ReadError {
        match read_kind(fault) {
            Ok(kind) => self.error(kind, offset, loc),
            Err(error) => error,
        }
    }

    pub(crate) fn claim(&mut self, at: u64, end: u64, loc: Loc) {
        if at < end {
            self.reading().claims.push(Claim { at, end, loc });
        }
    }

    /// Remembers what an object takes; of one without bytes, where it lies: what is in front of it
    /// is not a gap of the object that comes next.
    pub(crate) fn note_object(&mut self, at: u64, end: u64, loc: Loc) {
        if self.model.gaps == Gaps::Kept {
            self.reading().objects.push(Claim { at, end, loc });
        }
    }

    /// Reads the inline rows of a node and returns the address behind them.
    pub(crate) fn read_record(&mut self, node: NodeId, mut cursor: Cursor<'b>) -> Read<u64> {
        let record = self.record(node);
        cursor.align_bits();
        let start = cursor.at;
        self.tree.node_mut(node).at = start;
        let fixed = record.sizes.get(self.epoch.index()).copied().flatten();
        if let Some(size) = fixed
            && size > cursor.remaining()
        {
            let kind = ReadErrorKind::UnexpectedEnd { needed: size, remaining: cursor.remaining() };
            return Err(self.node_error(kind, start, node));
        }
        with_stack(|| self.read_rows(node, &mut cursor, start, fixed))?;
        cursor.align_bits();
        let end = match fixed {
            Some(size) => cursor.at.max(start + size),
            None => cursor.at,
        };
        self.tree.node_mut(node).end = end;
        Ok(end)
    }

    /// Reads the inline rows of a struct, case or form. Homes count from `base`.
    pub(crate) fn read_rows(
        &mut self,
        node: NodeId,
        cursor: &mut Cursor<'b>,
        base: u64,
        fixed: Option<u64>,
    ) -> Read<()> {
        let record = self.record(node);
        for &row in &record.read_order {
            if matches!(self.home(&record.rows[row.index()]), Home::At(_)) {
                self.read_fixed_row(node, row, base, cursor.limit)?;
            }
        }
        cursor.at = self.fixed_end(node, fixed.map_or(cursor.at, |size| base + size));
        for (index, row) in record.rows.iter().enumerate() {
            let row_id = RowId(u32::try_from(index).unwrap_or(u32::MAX));
            match self.home(row) {
                Home::Next => self.read_next_row(node, row_id, cursor)?,
                Home::Absent => {
                    let item = row.absent.as_ref().map_or(Item::Absent, constant_item);
                    self.tree.slot_mut(node, row_id).item = item;
                }
                Home::Nowhere if in_tag(row) => self.read_next_row(node, row_id, cursor)?,
                Home::At(_) | Home::Nowhere => {}
            }
        }
        Ok(())
    }

    /// Where rows without homes begin: behind the fixed block, and behind a last row with a home
    /// that reaches beyond it.
    pub(crate) fn fixed_end(&self, node: NodeId, end: u64) -> u64 {
        let record = self.record(node);
        let slots = &self.tree.node(node).slots;
        let ends = record.rows.iter().zip(slots).filter_map(|(row, slot)| {
            let placed = matches!(self.home(row), Home::At(_)) && slot.end != UNPLACED;
            placed.then_some(slot.end)
        });
        ends.max().unwrap_or(end).max(end)
    }

    pub(crate) fn node_error(&self, kind: ReadErrorKind, offset: u64, node: NodeId) -> ReadError {
        ReadError::new(kind, offset).with_path(self.tree.node_path(self.model, node))
    }

    /// Reads a row of the fixed block, unless something asked for it before.
    pub(crate) fn read_fixed_row(
        &mut self,
        node: NodeId,
        row: RowId,
        base: u64,
        limit: u64,
    ) -> Read<()> {
        let loc = Loc::row(node, row);
        let definition = self.row(loc);
        let Home::At(offset) = self.home(definition) else { return Ok(()) };
        if !matches!(self.tree.slot(node, row).item, Item::Unset) {
            return Ok(());
        }
        let at = base.checked_add(offset).filter(|at| *at <= limit).ok_or_else(|| {
            let kind = ReadErrorKind::UnexpectedEnd { needed: offset, remaining: limit - base };
            self.error(kind, base, loc)
        })?;
        self.tree.slot_mut(node, row).busy = true;
        let mut cursor = Cursor::new(at, limit);
        let result = self.read_row(loc, definition, &mut cursor);
        self.tree.slot_mut(node, row).busy = false;
        result
    }

    fn read_next_row(&mut self, node: NodeId, row: RowId, cursor: &mut Cursor<'b>) -> Read<()> {
        let loc = Loc::row(node, row);
        let definition = self.row(loc);
        self.here = match &cursor.bits {
            Some(bits) => bits.position().0 + u64::from(bits.position().1 > 0),
            None => cursor.at,
        };
        self.region_end = cursor.limit;
        if let Some(condition) = &definition.when {
            let holds = self
                .eval_bool(*condition, node, None)
                .map_err(|fault| self.fault(*fault, cursor.at, loc))?;
            if !holds {
                self.tree.slot_mut(node, row).item = Item::Absent;
                return Ok(());
            }
        }
        self.tree.slot_mut(node, row).busy = true;
        let result = self.read_row(loc, definition, cursor);
        self.tree.slot_mut(node, row).busy = false;
        result
    }

    /// Reads the bytes of a row at the cursor.
    fn read_row(&mut self, loc: Loc, row: &'m Row, cursor: &mut Cursor<'b>) -> Read<()> {
        if !is_bits(&row.ty) {
            cursor.align_bits();
            self.tree.slot_mut(loc.node, loc.row).at = cursor.at;
        }
        let item = match &row.kind {
            RowKind::Plain => self.read_type(&row.ty, loc, row, cursor)?,
            RowKind::Constant(constant) => {
                let at = cursor.at;
                let item = match &row.ty {
                    // The form says it all.
                    Type::Nothing => constant_item(constant),
                    ty => self.read_type(ty, loc, row, cursor)?,
                };
                if !is_constant(&item, constant) {
                    let kind = ReadErrorKind::NotEqual {
                        expected: show_constant(constant).into(),
                        actual: show_item(&item).into(),
                    };
                    return Err(self.error(kind, at, loc));
                }
                item
            }
            RowKind::Zero | RowKind::Runtime => self.read_zero(loc, row, cursor)?,
            RowKind::Reserved => {
                let open = is_fill(&row.ty) && !cursor.room;
                let item = self.read_type(&row.ty, loc, row, cursor)?;
                if !is_zero(&item) || (open && !is_empty_run(&item)) {
                    self.keep(loc, KeptKind::Reserved, item_value(&item), Value::None);
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
                Item::Int((end - at).into())
            }
            RowKind::Pool { pad, .. } => self.read_members(loc, row, *pad, cursor)?,
            RowKind::Object { .. }
            | RowKind::Mark { .. }
            | RowKind::Value { .. }
            | RowKind::Slice { .. } => return Ok(()),
        };
        let end = match &cursor.bits {
            Some(bits) => bits.position().0 + u64::from(bits.position().1 > 0),
            None => cursor.at,
        };
        let slot = self.tree.slot_mut(loc.node, loc.row);
        slot.item = item;
        slot.end = end;
        if slot.at == UNPLACED {
            slot.at = end;
        }
        self.check_now(loc, row)
    }

    fn read_zero(&mut self, loc: Loc, row: &'m Row, cursor: &mut Cursor<'b>) -> Read<Item> {
        let at = cursor.at;
        let open = is_fill(&row.ty) && !cursor.room;
        let item = self.read_type(&row.ty, loc, row, cursor)?;
        if is_zero(&item) {
            if open && !is_empty_run(&item) {
                self.keep(loc, KeptKind::Reserved, item_value(&item), Value::None);
            }
            return Ok(item);
        }
        if !self.options.lenient {
            let first = match &item {
                Item::Bytes(bytes) => bytes.iter().position(|b| *b != 0).unwrap_or(0),
                _ => 0,
            };
            return Err(self.error(ReadErrorKind::NotZero, at + first as u64, loc));
        }
        self.note(at, loc, "bytes that should be zero are not".to_owned());
        self.keep(loc, KeptKind::Reserved, item_value(&item), Value::None);
        Ok(item)
    }

    pub(crate) fn note(&mut self, offset: u64, loc: Loc, message: String) {
        let path = self.tree.path(self.model, loc).to_string();
        self.reading().notes.push(Note { offset, path, message });
    }

    /// Name by which a kept spelling finds its row again: that of the row, or its position.
    pub(crate) fn kept_name(&self, loc: Loc) -> String {
        let name = match &self.row(loc).name {
            Some(name) => name.clone(),
            None => format!("#{}", loc.row.0),
        };
        match loc.index {
            Some(index) => format!("{name}[{index}]"),
            None => name,
        }
    }

    pub(crate) fn keep(&mut self, loc: Loc, kind: KeptKind, stored: Value, instead_of: Value) {
        let kept = Kept { row: self.kept_name(loc), kind, stored, instead_of };
        self.tree.node_mut(loc.node).kept.push((loc.row, kept));
    }

    pub(crate) fn take(&mut self, cursor: &mut Cursor<'b>, size: u64, loc: Loc) -> Read<&'b [u8]> {
        if size > cursor.remaining() {
            let kind = ReadErrorKind::UnexpectedEnd { needed: size, remaining: cursor.remaining() };
            return Err(self.error(kind, cursor.at, loc));
        }
        let bytes = self.reading().bytes;
        let taken = formwork::slice(bytes, cursor.at, size).map_err(|e| self.located(e, loc))?;
        cursor.at += size;
        Ok(taken)
    }

    /// Reads a value of a type at the cursor.
    pub(crate) fn read_type(
        &mut self,
        ty: &'m Type,
        loc: Loc,
        row: &'m Row,
        cursor: &mut Cursor<'b>,
    ) -> Read<Item> {
        if !is_bits(ty) {
            cursor.align_bits();
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
                if loc.index.is_none()
                    && matches!(self.tree.slot(loc.node, loc.row).item, Item::Unset)
                {
                    self.tree.slot_mut(loc.node, loc.row).item = Item::Node(node);
                }
                let limit = cursor.limit;
                cursor.at = self.read_record(node, cursor.inside(cursor.at, limit))?;
                Ok(Item::Node(node))
            }
            Type::Union(union) => self.read_union(*union, loc, cursor),
            Type::Pointer(pointer) => self.read_pointer(pointer, loc, row, cursor),
            Type::Array(_) => self.read_array(ty, loc, row, cursor),
            Type::Region(region) => self.read_region(region, loc, row, cursor),
            Type::ByteOrderMark => {
                let at = cursor.at;
                let bytes = self.take(cursor, 2, loc)?;
                self.claim(at, at + 2, loc);
                match bytes {
                    [0xff, 0xfe] => Ok(Item::Text("little".into())),
                    [0xfe, 0xff] => Ok(Item::Text("big".into())),
                    other => Err(self.error(
                        ReadErrorKind::UndecidedByteOrder { actual: hex(other).into() },
                        at,
                        loc,
                    )),
                }
            }
            Type::Text | Type::Nothing | Type::PerEpoch(_) => Ok(Item::Absent),
        }
    }

    /// Byte order for a cell of this node.
    pub(crate) fn order_of(&mut self, node: NodeId, at: u64, loc: Loc) -> Read<Endian> {
        match self.node_order(node) {
            Ok(Some(order)) => Ok(order),
            Ok(None) => {
                // The struct whose byte order is not decided is at fault, not the cell.
                let chosen = |node: NodeId| self.record(node).endian.is_some();
                let mut node = loc.node;
                while !chosen(node) {
                    match self.tree.node(node).owner {
                        Some(owner) => node = owner,
                        None => break,
                    }
                }
                let kind = ReadErrorKind::UndecidedByteOrder { actual: "".into() };
                Err(self.node_error(kind, self.tree.node(node).at, node))
            }
            Err(fault) => Err(self.fault(*fault, at, loc)),
        }
    }
}

/// Whether a type reaches to the end of the region around it.
pub(crate) fn is_fill(ty: &Type) -> bool {
    match ty {
        Type::Run(run) => matches!(run.length, formwork_model::RunLength::Fill),
        Type::Region(region) => {
            matches!(region.extent, formwork_model::Extent::Rest)
        }
        _ => false,
    }
}

fn is_empty_run(item: &Item) -> bool {
    matches!(item, Item::Bytes(bytes) if bytes.is_empty())
}

/// Whether values of a type are bits that share bytes with their neighbours.
pub(crate) fn is_bits(ty: &Type) -> bool {
    match ty {
        Type::Cell(cell) => matches!(cell.storage, Storage::Bits { .. }),
        Type::Array(array) => is_bits(&array.element),
        _ => false,
    }
}

/// Whether a row without bytes of its own is known from the tag of the union around it.
fn in_tag(row: &Row) -> bool {
    match (&row.kind, &row.ty) {
        (RowKind::Constant(_), Type::Nothing) => true,
        (RowKind::Plain, Type::Cell(cell)) => {
            matches!(cell.storage, Storage::Letter { .. } | Storage::TagOf)
        }
        (RowKind::Plain, Type::Pointer(pointer)) => {
            pointer.cell.as_ref().is_some_and(|cell| matches!(cell.storage, Storage::Letter { .. }))
        }
        _ => false,
    }
}
