//! What generated readers have in common: the state, and what is read and compared on top of it.

mod build;
mod cases;
mod choice;
mod constant;
mod convert;
mod cursor;
mod entry;
mod frame;
mod item;
mod node;
mod number;
mod objects;
mod records;
mod region;
mod store;
mod tables;
mod text;

use alloc::borrow::Cow;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use super::engine::Engine;
use super::labels::{Class, Label, Policy};
use super::tree::{Item, Loc, NodeId, Tree, WHOLE};
use super::val::{read_kind, Fallible, Fault, Val};
use crate::spelling::{KeptKind, KeptValue, Spelling, SpellingEntry};
use crate::{
    BitOrder, BitReader, Budget, GroupOrder, Note, Notes, Path, ReadError, ReadErrorKind,
    ReadOptions,
};

pub use build::{
    built, fixed, stored, stored_or, take, take_early, take_given, take_item, take_kept,
    take_spelling, Build, Texts,
};
pub use cases::{read_case, read_word};
pub use choice::{CaseLabel, Decision, Taken};
pub use constant::{expect, reserved, zero, Constant};
pub use convert::{
    array_item, bool_value, counted_item, endian_item, endian_value, float_value32, float_value64,
    hex, int_value, is_absent, is_zero, item_kept, node_in, one, pointer_item, show_item,
    units_item, units_value, value_index, word_value,
};
pub use cursor::{
    block, bulk, empty_element, ending, exactly, pad, row_at, sized, skip_tag, stride, zeros,
    Cursor,
};
pub use entry::{choose_epoch, early, fields};
pub use frame::{eval, Frame, OwnRow};
pub use item::{list, list_of, numbers, read_item, within};
pub use node::{
    add_node, begin_case, begin_form, begin_row, close, end_row, failed_record, lift, open,
    order_of, place_bits, place_word, word_node,
};
pub use number::{
    bits_of, count_of, expression, holds, keep_none, less, letters, load, not_in_enum, signed,
    target, truth, unsigned, value_of,
};
pub use objects::{force_read, force_target, resolve, strictly};
pub(super) use objects::{is_gone, pointer_of, scaled, slot_read, stored_base, target_address};
pub use records::{direct, direct_word, read_node, read_record};
pub use region::{
    canonical_tail, content_length, find_terminator, keep_tail, terminated, trimmed, Terminated,
    Terminator, Trim,
};
pub use store::{copy_of, store, unstore};
pub use tables::*;
pub use text::{ascii, byte_order_mark, utf16, utf32, utf8};

use cursor::unexpected;

/// What the files of this folder stand on.
mod prelude {
    pub(super) use alloc::borrow::Cow;
    pub(super) use alloc::boxed::Box;
    pub(super) use alloc::format;
    pub(super) use alloc::string::String;
    pub(super) use alloc::vec::Vec;

    pub(super) use super::super::engine::{int_of, truth_of};
    pub(super) use super::super::tree::{
        through, ArrayItem, Bytes, Item, Loc, NodeId, PointerItem, Slot, Text, Tree, NOTHING,
        UNPLACED, WHOLE,
    };
    pub(super) use super::super::val::{Fallible, Val};
    pub(super) use super::convert::{hex, is_zero, item_kept, show_item};
    pub(super) use super::cursor::Cursor;
    pub(super) use super::number::{expression, load};
    pub(super) use super::{Core, Read, Reader};
    pub(super) use crate::spelling::{KeptKind, KeptValue, Spelling, SpellingEntry};
    pub(super) use crate::{
        BitReader, Endian, Note, Path, ReadError, ReadErrorKind, Segment, Utf16,
    };
}

/// Result of reading.
pub type Read<T> = Result<T, ReadError>;

/// How text and bytes of the file become values.
pub trait Mode<'i, 'o> {
    /// A text.
    fn text(text: &'i str) -> Cow<'o, str>;
    /// Bytes.
    fn bytes(bytes: &'i [u8]) -> Cow<'o, [u8]>;
}

/// Values borrow from the file.
#[derive(Debug)]
pub enum Borrow {}

/// Values own what they hold.
#[derive(Debug)]
pub enum Owning {}

impl<'i> Mode<'i, 'i> for Borrow {
    #[inline]
    fn text(text: &'i str) -> Cow<'i, str> {
        Cow::Borrowed(text)
    }
    #[inline]
    fn bytes(bytes: &'i [u8]) -> Cow<'i, [u8]> {
        Cow::Borrowed(bytes)
    }
}

impl<'i> Mode<'i, 'static> for Owning {
    #[inline]
    fn text(text: &'i str) -> Cow<'static, str> {
        Cow::Owned(text.into())
    }
    #[inline]
    fn bytes(bytes: &'i [u8]) -> Cow<'static, [u8]> {
        Cow::Owned(bytes.into())
    }
}

/// A [`Mode`] as a value, for code that is compiled once for all.
#[derive(Debug, Clone, Copy)]
pub struct Leaves<'i, 'o> {
    /// A text.
    pub text: fn(&'i str) -> Cow<'o, str>,
    /// Bytes.
    pub bytes: fn(&'i [u8]) -> Cow<'o, [u8]>,
}

impl<'i, 'o> Leaves<'i, 'o> {
    /// Those of a mode.
    #[must_use]
    pub fn of<M: Mode<'i, 'o>>() -> Self {
        Leaves { text: M::text, bytes: M::bytes }
    }
}

/// Bytes that an object accounts for.
#[derive(Debug, Clone, Copy)]
pub struct Claim {
    /// Address of the first byte.
    pub at: u64,
    /// Address behind the last byte.
    pub end: u64,
    /// The row or element whose object it is.
    pub object: Loc,
}

/// State of a reader that does not depend on the format.
#[derive(Debug)]
pub struct Core<'i> {
    /// The file.
    pub bytes: &'i [u8],
    /// The nodes.
    pub tree: Tree<'i>,
    /// What the schema says.
    pub tables: &'static ReadTables,
    /// Work that may still be done.
    pub budget: Budget,
    /// How strictly to read.
    pub options: ReadOptions,
    /// Whether numbers of the file have their highest byte first.
    pub big: bool,
    /// Position in the list of epochs.
    pub epoch: usize,
    /// Values of the epoch variables.
    pub context: Vec<i128>,
    /// Address of the next byte to read.
    pub here: u64,
    /// End of the region around it.
    pub region_end: u64,
    /// Depth of nested evaluation.
    pub nesting: u32,
    /// Entries into records without nodes that can contain themselves.
    pub inner_depth: u32,
    /// Everything is read, and is now compared.
    pub settling: bool,
    /// Pooled texts by address and kind of pointer.
    pub texts: BTreeMap<(u64, u16), Item<'i>>,
    /// Pointers for pools and relocation.
    pub labels: Vec<Label<'i>>,
    /// What was noticed.
    pub notes: Notes,
    /// Spellings of nodes.
    pub kept: BTreeMap<NodeId, Spelling>,
    /// Rows that deviate from what they usually are, with what that would be.
    pub deviating: BTreeMap<(NodeId, u16), Val<'i>>,
    /// Bytes of objects, if gaps are kept.
    pub claims: Vec<Claim>,
    /// The row or element whose object is being read.
    pub object: Loc,
    /// Addresses that the file's relocation tables list.
    pub listed: Option<Rc<BTreeSet<u64>>>,
    /// Pointers that belong in them, with their sections.
    pub pointers: Option<Rc<Vec<(u64, u16)>>>,
    /// An error with its whole path. Others get theirs while they unwind.
    pub failed: Option<ReadError>,
    /// Rows of nodes that have no slots.
    pub early: Vec<Option<Frame<'i>>>,
}

/// A reader of one format. The methods are generated.
pub trait Reader<'i>: Engine<'i> {
    /// The state.
    fn core(&self) -> &Core<'i>;
    /// The state, to change it.
    fn core_mut(&mut self) -> &mut Core<'i>;
    /// Reads a value that is kept beside the tree: an item that stands for it, and where it is.
    ///
    /// # Errors
    ///
    /// If it does not fit the schema; the path is relative to the row.
    fn typed(
        &mut self,
        number: u16,
        f: &mut Frame<'i>,
        row: &'static super::rows::Row,
        cursor: &mut Cursor<'i>,
    ) -> Read<(Item<'i>, u32)>;
    /// Evaluates an expression over rows of a record without a node.
    ///
    /// # Errors
    ///
    /// If it fails.
    fn own(&mut self, number: u16, f: &Frame<'i>, it: Option<&Val<'i>>) -> Fallible<Val<'i>>;
}

impl<'i> Core<'i> {
    /// The state before the first byte is read.
    #[must_use]
    pub fn new(bytes: &'i [u8], tables: &'static ReadTables, options: &ReadOptions) -> Self {
        Core {
            bytes,
            tree: Tree::new(tables.schema),
            tables,
            budget: Budget::new(bytes.len() as u64, options),
            options: options.clone(),
            big: tables.big,
            epoch: 0,
            context: Vec::new(),
            here: 0,
            region_end: bytes.len() as u64,
            nesting: 0,
            inner_depth: 0,
            settling: false,
            texts: BTreeMap::new(),
            labels: Vec::new(),
            notes: Notes::new(),
            kept: BTreeMap::new(),
            deviating: BTreeMap::new(),
            claims: Vec::new(),
            object: Loc::slot(NodeId(0), WHOLE),
            listed: None,
            pointers: None,
            failed: None,
            early: Vec::new(),
        }
    }

    /// Length of the file.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// An error with the path of a slot or element.
    #[cold]
    pub fn error(&mut self, kind: ReadErrorKind, offset: u64, loc: Loc) -> ReadError {
        let error = ReadError::new(kind, offset).with_path(self.tree.path(loc));
        self.remember(error)
    }

    /// An error with the path of a node.
    #[cold]
    pub fn node_error(&mut self, kind: ReadErrorKind, offset: u64, node: NodeId) -> ReadError {
        let error = ReadError::new(kind, offset).with_path(self.tree.node_path(node));
        self.remember(error)
    }

    /// From here on nothing is added to the path of this error.
    #[cold]
    pub fn remember(&mut self, error: ReadError) -> ReadError {
        self.failed.get_or_insert(error).clone()
    }

    /// Gives an error whose path begins in a slot or element its whole path.
    #[cold]
    pub fn located(&mut self, error: ReadError, loc: Loc) -> ReadError {
        let path = self.tree.path(loc);
        self.complete(error, path)
    }

    /// Gives an error whose path begins in a node its whole path.
    #[cold]
    pub fn under(&mut self, error: ReadError, node: NodeId) -> ReadError {
        let path = self.tree.node_path(node);
        self.complete(error, path)
    }

    fn complete(&mut self, error: ReadError, mut path: Path) -> ReadError {
        if let Some(error) = &self.failed {
            return error.clone();
        }
        for segment in error.path().segments() {
            path.push(segment.clone());
        }
        self.remember(error.with_path(path))
    }

    /// A fault of an expression as an error without a path.
    #[cold]
    pub fn fault(&mut self, fault: Fault, offset: u64) -> ReadError {
        match read_kind(fault) {
            Ok(kind) => ReadError::new(kind, offset),
            Err(error) => self.remember(error),
        }
    }

    /// Takes units of work from the budget.
    ///
    /// # Errors
    ///
    /// If it is used up.
    #[inline]
    pub fn charge(&mut self, units: u64, at: u64) -> Read<()> {
        match self.budget.charge(units) {
            Ok(()) => Ok(()),
            Err(kind) => Err(ReadError::new(kind, at)),
        }
    }

    /// Notes something.
    pub fn note(&mut self, offset: u64, loc: Loc, message: impl Into<String>) {
        let path = format!("{}", self.tree.path(loc));
        self.notes.push(Note { offset, path, message: message.into() });
    }

    /// Remembers a deviation of a slot or element.
    #[cold]
    pub fn keep(&mut self, loc: Loc, kind: KeptKind, stored: KeptValue, instead_of: KeptValue) {
        let base = self.tables.records[usize::from(self.tree.node(loc.node).record)].spelling_base;
        let row = match loc.slot {
            WHOLE => Spelling::WHOLE,
            _ => self.tree.slot_info(loc).row.saturating_add(base),
        };
        let entry = SpellingEntry { row, index: loc.index, kind, stored, instead_of };
        let mut spelling = Spelling::default();
        spelling.keep(entry);
        self.keep_all(loc.node, spelling);
    }

    /// Remembers deviations of a node.
    #[inline]
    pub fn keep_all(&mut self, node: NodeId, spelling: Spelling) {
        if !spelling.is_canonical() {
            self.keep_some(node, spelling);
        }
    }

    #[cold]
    fn keep_some(&mut self, mut node: NodeId, spelling: Spelling) {
        // The rows of a form stand for those of its case.
        if self.tree.info(node).form {
            if let Some(case) = self.tree.owner(node) {
                node = case;
            }
        }
        let all = self.kept.entry(node).or_default();
        for entry in spelling.entries() {
            all.keep(entry.clone());
        }
    }

    /// The next bytes.
    ///
    /// # Errors
    ///
    /// `UnexpectedEnd`.
    #[inline]
    pub fn take(&self, cursor: &mut Cursor<'i>, size: u64) -> Read<&'i [u8]> {
        if size > cursor.remaining() {
            return Err(unexpected(cursor, size));
        }
        let taken = crate::slice(self.bytes, cursor.at, size)?;
        cursor.at = cursor.at.saturating_add(size);
        Ok(taken)
    }

    /// Makes sure that so many bytes are there.
    ///
    /// # Errors
    ///
    /// `UnexpectedEnd`.
    pub fn need(&self, cursor: &Cursor<'i>, width: u8) -> Read<()> {
        if u64::from(width) > cursor.remaining() {
            return Err(unexpected(cursor, width.into()));
        }
        Ok(())
    }

    /// The next number of so many bytes.
    ///
    /// # Errors
    ///
    /// `UnexpectedEnd`.
    #[inline]
    pub fn uint(&self, cursor: &mut Cursor<'i>, width: u8, big: bool) -> Read<u64> {
        let bytes = self.take(cursor, width.into())?;
        Ok(load(bytes, 0, width, big))
    }

    /// The next number of variable length.
    ///
    /// # Errors
    ///
    /// Those of [`crate::read_varint`].
    #[allow(clippy::too_many_arguments)]
    pub fn varint(
        &self,
        cursor: &mut Cursor<'i>,
        order: GroupOrder,
        max_bytes: u8,
        bits: u32,
        spelling: &mut Spelling,
        row: u16,
        index: Option<u32>,
    ) -> Read<u64> {
        let limit = usize::try_from(cursor.limit).unwrap_or(usize::MAX);
        let bytes = self.bytes.get(..limit).unwrap_or(self.bytes);
        let (value, width) = crate::read_varint(bytes, cursor.at, order, max_bytes, bits)?;
        cursor.at = cursor.at.saturating_add(width.into());
        let shortest = crate::varint_width(value);
        if width != shortest {
            spelling.keep(SpellingEntry {
                row,
                index,
                kind: KeptKind::Width,
                stored: KeptValue::Int(width.into()),
                instead_of: KeptValue::Int(shortest.into()),
            });
        }
        Ok(value)
    }

    /// The next bits. Also says where they begin: the byte, and the bit in it.
    ///
    /// # Errors
    ///
    /// `UnexpectedEnd`.
    pub fn bits(
        &self,
        cursor: &mut Cursor<'i>,
        width: u8,
        msb_first: bool,
    ) -> Read<(u64, u64, u8)> {
        let order = if msb_first { BitOrder::MsbFirst } else { BitOrder::LsbFirst };
        let mut reader = cursor
            .bits
            .take()
            .unwrap_or_else(|| BitReader::new(self.bytes, cursor.at, cursor.limit, order));
        let (byte, bit) = reader.position();
        let raw = reader.read(width.into())?;
        cursor.at = reader.position().0;
        cursor.bits = Some(reader);
        Ok((raw, byte, bit))
    }

    /// Skips zero bytes up to a multiple.
    ///
    /// # Errors
    ///
    /// If they are not zero, or not there.
    pub fn align(&self, cursor: &mut Cursor<'i>, align: u64) -> Read<()> {
        let aligned = cursor.at.checked_next_multiple_of(align.max(1)).unwrap_or(u64::MAX);
        let at = cursor.at;
        let fill = self.take(cursor, aligned.saturating_sub(at))?;
        if fill.iter().any(|b| *b != 0) {
            return Err(ReadError::new(ReadErrorKind::NotZero, at));
        }
        Ok(())
    }

    /// The bytes of a run. Also says where they begin.
    ///
    /// # Errors
    ///
    /// If they are not there.
    #[inline]
    pub fn run(&mut self, cursor: &mut Cursor<'i>, units: u64, unit: u64) -> Read<(&'i [u8], u64)> {
        let content = cursor.at;
        let bytes = self.take(cursor, units.saturating_mul(unit))?;
        self.charge(bytes.len() as u64, content)?;
        Ok((bytes, content))
    }

    /// What must follow the bytes of a run.
    ///
    /// # Errors
    ///
    /// `MissingTerminator` if it is something else, `UnexpectedEnd`.
    #[inline]
    pub fn suffix(&self, cursor: &mut Cursor<'i>, suffix: &[u8]) -> Read<()> {
        let at = cursor.at;
        if self.take(cursor, suffix.len() as u64)? != suffix {
            return Err(ReadError::new(ReadErrorKind::MissingTerminator, at));
        }
        Ok(())
    }

    /// Bytes of the file, that lie within it.
    ///
    /// # Errors
    ///
    /// `UnexpectedEnd`.
    pub fn between(&self, at: u64, end: u64) -> Read<&'i [u8]> {
        crate::slice(self.bytes, at, end.saturating_sub(at))
    }

    /// Remembers what bytes an object takes; of one without bytes, where it lies: those in front
    /// of it are not a gap of the object that comes next.
    pub fn claim(&mut self, at: u64, end: u64) {
        if self.tables.gaps {
            let object = self.object;
            self.claims.push(Claim { at, end, object });
        }
    }

    /// Enters a record without a node that can contain itself.
    ///
    /// # Errors
    ///
    /// `DepthLimit`.
    pub fn enter(&mut self, owner: NodeId, at: u64) -> Read<()> {
        self.inner_depth = self.inner_depth.saturating_add(1);
        let depth = self.tree.node(owner).depth.saturating_add(self.inner_depth);
        if let Some(limit) = self.tree.too_deep(depth, self.options.max_depth) {
            return Err(ReadError::new(ReadErrorKind::DepthLimit { limit }, at));
        }
        Ok(())
    }

    /// Leaves it.
    pub fn leave(&mut self) {
        self.inner_depth = self.inner_depth.saturating_sub(1);
    }

    /// Remembers a pointer for pools and relocation.
    #[inline]
    #[allow(clippy::too_many_arguments)]
    pub fn label(
        &mut self,
        cell: u64,
        kind: u16,
        section: u16,
        class: Class,
        list: Option<Policy>,
        set: bool,
        node: NodeId,
        text: Item<'i>,
    ) {
        self.labels.push(Label { cell, kind, section, class, list, set, node, text });
    }

    /// The text of a pooled pointer that was read before.
    ///
    /// # Errors
    ///
    /// If the budget does not allow to hold it once more.
    pub fn known_text(&mut self, address: u64, kind: u16) -> Read<Option<Item<'i>>> {
        let Some(item) = self.texts.get(&(address, kind)) else { return Ok(None) };
        let item = item.clone();
        self.charge(size_of_text(&item), address)?;
        Ok(Some(item))
    }
}

fn size_of_text(item: &Item<'_>) -> u64 {
    match item {
        Item::Text(text) => text.len() as u64,
        Item::Bytes(bytes) => bytes.len() as u64,
        Item::Units(units) => (units.len() as u64).saturating_mul(2),
        _ => 0,
    }
}
