//! Writes the bytes of everything that is placed.

use formwork::{Endian, GroupOrder, ProblemKind};
use formwork_model::{
    ByteOrder, Content, Encoding, Row, RowId, RowKind, RunLength, RunType, Storage, Type,
};

use super::MAX_SIZE;
use super::build::{cell_name, does_not_fit};
use super::lay::item_size;
use super::number::fits_int;
use crate::engine::{Engine, Fallible};
use crate::read::cell::unit_bytes;
use crate::read::object::strip_region;
use crate::tree::{Item, Loc, NodeId, UNPLACED};

impl<'m> Engine<'m, '_> {
    pub(crate) fn fill(&mut self) {
        let total = self.writing().total.unwrap_or(0);
        // A file that is too large is refused before anything is set aside.
        match usize::try_from(total) {
            Ok(size) if total <= MAX_SIZE => self.writing().out = vec![0; size],
            _ => {
                let kind = ProblemKind::TooLarge { limit: MAX_SIZE };
                let root = Loc::row(self.root, RowId(u32::MAX));
                self.problem(root, kind);
                return;
            }
        }
        let nodes = u32::try_from(self.tree.nodes.len()).unwrap_or(u32::MAX);
        for index in 0..nodes {
            let node = NodeId(index);
            if self.tree.node(node).at == UNPLACED {
                continue;
            }
            let record = self.record(node);
            if matches!(record.kind, formwork_model::RecordKind::Word(_)) {
                continue;
            }
            for (row_index, row) in (0_u32..).zip(&record.rows) {
                let loc = Loc::row(node, RowId(row_index));
                if let Err(fault) = self.fill_row(loc, row) {
                    self.report(*fault, loc);
                }
            }
        }
        for (at, bytes) in std::mem::take(&mut self.writing().loose) {
            self.put(at, &bytes);
        }
    }

    pub(crate) fn put(&mut self, at: u64, bytes: &[u8]) {
        let out = &mut self.writing().out;
        if let Ok(at) = usize::try_from(at)
            && let Some(place) = at.checked_add(bytes.len()).and_then(|end| out.get_mut(at..end))
        {
            place.copy_from_slice(bytes);
        }
    }

    fn fill_row(&mut self, loc: Loc, row: &'m Row) -> Fallible<()> {
        let slot = self.tree.slot(loc.node, loc.row);
        if slot.at == UNPLACED || matches!(row.kind, RowKind::Slice { .. } | RowKind::Mark { .. }) {
            return Ok(());
        }
        match &row.kind {
            RowKind::Zero | RowKind::Runtime | RowKind::Reserved => {
                let (at, bit) = (slot.at, slot.bit);
                match (&slot.item, &row.ty) {
                    (Item::Bytes(bytes), _) => {
                        let bytes = bytes.clone();
                        self.put(at, &bytes);
                    }
                    (Item::Int(n), Type::Cell(cell)) => {
                        if let Storage::Bits { width, msb_first } = cell.storage {
                            let n = u64::try_from(*n).unwrap_or(0);
                            self.put_bits(at, bit, width, msb_first, n);
                        } else {
                            return self.fill_item(loc, &row.ty, row);
                        }
                    }
                    _ => {}
                }
                Ok(())
            }
            RowKind::Zeros | RowKind::Value { .. } => Ok(()),
            RowKind::Pool { .. } => {
                let (element, _) = crate::read::array::pool_type(&row.ty);
                let Some(element) = element else { return Ok(()) };
                for index in 0..self.count_items(loc) {
                    let member = Loc { index: u32::try_from(index).ok(), ..loc };
                    self.fill_item(member, element, row)?;
                }
                Ok(())
            }
            _ => {
                self.force(loc.node, loc.row)?;
                if matches!(self.tree.slot(loc.node, loc.row).item, Item::Absent)
                    && row.when.is_some()
                {
                    return Ok(());
                }
                self.fill_item(loc, &row.ty, row)
            }
        }
    }

    /// Writes the rows of the nodes inside a row or element.
    pub(crate) fn fill_inside(&mut self, loc: Loc) -> Fallible<()> {
        let mut nodes: Vec<NodeId> = match self.tree.item(loc) {
            Item::Node(node) => vec![*node],
            Item::Array(array) => array
                .items
                .iter()
                .filter_map(|item| match item {
                    Item::Node(node) => Some(*node),
                    _ => None,
                })
                .collect(),
            _ => Vec::new(),
        };
        while let Some(node) = nodes.pop() {
            if let Some((_, form)) = self.tree.node(node).form {
                nodes.push(form);
            }
            let record = self.record(node);
            for (row_index, row) in (0_u32..).zip(&record.rows) {
                let inner = Loc::row(node, RowId(row_index));
                self.fill_row(inner, row)?;
                match &self.tree.slot(node, inner.row).item {
                    Item::Node(node) => nodes.push(*node),
                    Item::Array(array) => {
                        nodes.extend(array.items.iter().filter_map(|item| match item {
                            Item::Node(node) => Some(*node),
                            _ => None,
                        }));
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Address of an item that is not a node.
    pub(crate) fn item_at(&self, loc: Loc) -> u64 {
        let slot = self.tree.slot(loc.node, loc.row);
        let mut item = &slot.item;
        let mut at = slot.at;
        let Some(index) = loc.index else {
            while let Item::Pointer(pointer) = item {
                at = pointer.at;
                item = &pointer.target;
            }
            return at;
        };
        while let Item::Pointer(pointer) = item {
            item = &pointer.target;
        }
        let Item::Array(array) = item else { return at };
        let index_of = index as usize;
        let mut at = match array.starts.get(index_of) {
            Some(at) => *at,
            None => {
                let count = array.items.len() as u64;
                let stride = (array.end - array.at).checked_div(count).unwrap_or(0);
                array.at + stride * u64::from(index)
            }
        };
        if let Some(Item::Pointer(pointer)) = array.items.get(index_of) {
            at = pointer.at;
        }
        at
    }

    /// Writes what is in a row or element.
    pub(crate) fn fill_item(&mut self, loc: Loc, ty: &'m Type, row: &'m Row) -> Fallible<()> {
        match ty {
            Type::Cell(cell) => self.fill_cell(loc, cell, row, None),
            Type::Run(run) => self.fill_run(loc, run),
            Type::Record(_) | Type::Text | Type::Nothing | Type::PerEpoch(_) => Ok(()),
            Type::Union(union) => self.fill_union(loc, *union),
            Type::Pointer(pointer) => self.fill_pointer(loc, pointer, row),
            Type::Array(array) => {
                if matches!(strip_region(&array.element), Type::Record(_)) {
                    return Ok(());
                }
                for index in 0..self.count_items(loc) {
                    let element = Loc { index: u32::try_from(index).ok(), ..loc };
                    self.fill_item(element, &array.element, row)?;
                }
                Ok(())
            }
            Type::Region(region) => self.fill_item(loc, &region.inner, row),
            Type::ByteOrderMark => {
                let at = self.item_at(loc);
                let mark = match self.order {
                    ByteOrder::Little => [0xff, 0xfe],
                    ByteOrder::Big => [0xfe, 0xff],
                };
                self.put(at, &mark);
                Ok(())
            }
        }
    }

    fn fill_run(&mut self, loc: Loc, run: &'m RunType) -> Fallible<()> {
        let mut at = self.item_at(loc);
        if at == UNPLACED {
            return Ok(());
        }
        at = at.next_multiple_of(run.align.unwrap_or(1).max(1));
        let order = match run.content {
            Content::Text(Encoding::Utf16 | Encoding::Utf32) => self.node_order(loc.node)?,
            _ => None,
        };
        let item = self.tree.item(loc).clone();
        let bytes = encode(run.content, &item, order.unwrap_or_default());
        if let RunLength::Prefix(cell) = &run.length {
            let units = item_size(run.content, &item) / unit_bytes(run.content);
            match cell.storage {
                Storage::Fixed(int) => {
                    if !fits_int(units.into(), int) {
                        let ty = format!("a length of type {}", cell_name(self.model, cell));
                        self.problem(loc, does_not_fit(units.into(), &ty));
                        return Ok(());
                    }
                    self.put_int(loc, at, int, units.into())?;
                    at += u64::from(int.bytes);
                }
                Storage::Varint(id) => {
                    let width = self.varint_width(loc, id, units);
                    let order = match self.model.varints[id.index()].order {
                        formwork_model::GroupOrder::MsbFirst => GroupOrder::MsbFirst,
                        formwork_model::GroupOrder::LsbFirst => GroupOrder::LsbFirst,
                    };
                    let mut prefix = Vec::new();
                    let most = self.model.varints[id.index()].max_bytes;
                    if width > most || !formwork::store_varint(&mut prefix, units, width, order) {
                        self.problem(loc, does_not_fit(units.into(), "a length"));
                        return Ok(());
                    }
                    self.put(at, &prefix);
                    at += u64::from(width);
                }
                _ => {}
            }
        }
        self.put(at, &bytes);
        self.put(at + bytes.len() as u64, &run.suffix);
        Ok(())
    }
}

/// Bytes of an item in a run.
pub(crate) fn encode(content: Content, item: &Item, order: Endian) -> Vec<u8> {
    let units = |units: &mut dyn Iterator<Item = u16>, order: Endian| -> Vec<u8> {
        units
            .flat_map(|unit| match order {
                Endian::Little => unit.to_le_bytes(),
                Endian::Big => unit.to_be_bytes(),
            })
            .collect()
    };
    let order = match content {
        Content::Text(Encoding::Utf16Le) => Endian::Little,
        Content::Text(Encoding::Utf16Be) => Endian::Big,
        _ => order,
    };
    match (content, item) {
        (_, Item::Bytes(bytes)) => bytes.to_vec(),
        (_, Item::Units(list)) => units(&mut list.iter().copied(), order),
        (Content::Text(Encoding::Utf16 | Encoding::Utf16Le | Encoding::Utf16Be), Item::Text(t)) => {
            units(&mut t.encode_utf16(), order)
        }
        (Content::Text(Encoding::Utf32), Item::Text(text)) => text
            .chars()
            .flat_map(|c| match order {
                Endian::Little => u32::from(c).to_le_bytes(),
                Endian::Big => u32::from(c).to_be_bytes(),
            })
            .collect(),
        (_, Item::Text(text)) => text.as_bytes().to_vec(),
        _ => Vec::new(),
    }
}
