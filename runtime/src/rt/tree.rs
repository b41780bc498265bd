//! The nodes of a file: what generated code remembers of it beside the value, because some
//! expression, reference, layout or table asks for it.
//!
//! A node stands for one use of a record, a slot for what is in a row of it. Rows that nobody asks
//! for have no slot, and records of which nothing is asked have no nodes.

use crate::stack;
use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use super::schema::{RecordInfo, Schema, SlotInfo};
use crate::path::{Path, Segment};

/// Position in [`Tree::nodes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// Address that is not known (yet).
pub const UNPLACED: u64 = u64::MAX;
/// No node, no element.
pub const NOTHING: u32 = u32::MAX;
/// A slot that a node itself is meant by.
pub const WHOLE: u16 = u16::MAX;

/// The nodes of a file.
#[derive(Debug)]
pub struct Tree<'a> {
    /// What is known about the schema.
    pub schema: &'static Schema,
    /// Nodes; owners come before what they own.
    pub nodes: Vec<Node>,
    slots: Vec<Slot<'a>>,
    /// Where the native stack was at the beginning.
    stack: usize,
}

/// One use of a record.
#[derive(Debug, Clone)]
pub struct Node {
    /// Number of the record.
    pub record: u16,
    /// Slot of the owner that holds it; [`WHOLE`] of the root.
    pub owner_slot: u16,
    /// Node that holds it; [`NOTHING`] for the root.
    pub owner: u32,
    /// Position in the array around it; [`NOTHING`] if there is none.
    pub index: u32,
    /// Address of the first byte.
    pub at: u64,
    /// Address behind the last byte.
    pub end: u64,
    first: u32,
    /// Where the value of the node is: meaning is that of the generated code.
    pub value: u32,
    /// Of a case with forms: the form, and the node of its rows.
    pub form: Option<(u16, NodeId)>,
    /// Entries into records that can contain themselves, from the root to here.
    pub depth: u32,
    /// Number that selected the case by a pattern, for the letters in it.
    pub tag: i128,
    /// Built, but not part of the file after all.
    pub dead: bool,
}

/// What is in a row.
#[derive(Debug, Clone)]
pub struct Slot<'a> {
    /// The content.
    pub item: Item<'a>,
    /// Address of the row's own bytes; of a bit field, of its first byte.
    pub at: u64,
    /// Address behind them.
    pub end: u64,
    /// Where the typed value of an object is: meaning is that of the generated code.
    pub value: u32,
    /// Being computed: asked for again, it would depend on itself.
    pub busy: bool,
    /// Bit position within the first byte, for bit fields.
    pub bit: u8,
}

impl Slot<'_> {
    const EMPTY: Slot<'static> = Slot {
        item: Item::Unset,
        at: UNPLACED,
        end: UNPLACED,
        value: NOTHING,
        busy: false,
        bit: 0,
    };
}

/// Content of a slot or element.
#[derive(Debug, Clone, Default)]
pub enum Item<'a> {
    /// Not read, or not computed yet.
    #[default]
    Unset,
    /// Not there: no home, condition false, or the number for nothing.
    Absent,
    /// An integer.
    Int(i128),
    /// A float by its bits.
    Float {
        /// The bits.
        bits: u64,
        /// 4 or 8.
        bytes: u8,
    },
    /// A truth value.
    Bool(bool),
    /// A text.
    Text(Text<'a>),
    /// Bytes.
    Bytes(Bytes<'a>),
    /// Units of UTF-16 with a lone surrogate.
    Units(Rc<[u16]>),
    /// A node.
    Node(NodeId),
    /// Elements.
    Array(Box<ArrayItem<'a>>),
    /// A pointer and what it leads to.
    Pointer(Box<PointerItem<'a>>),
}

/// A text of the file, of the value, or one that was made.
#[derive(Debug, Clone)]
pub enum Text<'a> {
    /// As it stands there.
    Borrowed(&'a str),
    /// Decoded.
    Owned(Rc<str>),
}

impl core::ops::Deref for Text<'_> {
    type Target = str;
    fn deref(&self) -> &str {
        match self {
            Text::Borrowed(text) => text,
            Text::Owned(text) => text,
        }
    }
}

impl From<String> for Text<'_> {
    fn from(text: String) -> Self {
        Text::Owned(text.into())
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Text::Borrowed(text)
    }
}

/// Bytes of the file, of the value, or ones that were made.
#[derive(Debug, Clone)]
pub enum Bytes<'a> {
    /// As they stand there.
    Borrowed(&'a [u8]),
    /// Made.
    Owned(Rc<[u8]>),
}

impl core::ops::Deref for Bytes<'_> {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Borrowed(bytes) => bytes,
            Bytes::Owned(bytes) => bytes,
        }
    }
}

/// Elements of an array.
#[derive(Debug, Clone)]
pub struct ArrayItem<'a> {
    /// The elements. Empty if nobody looks at them: then only [`ArrayItem::count`] is known.
    pub items: Vec<Item<'a>>,
    /// How many elements there are.
    pub count: u32,
    /// Address of the first byte.
    pub at: u64,
    /// Address behind the last byte.
    pub end: u64,
    /// Addresses of the elements if they are neither nodes nor pointers and not of one size.
    pub starts: Vec<u64>,
}

impl<'a> ArrayItem<'a> {
    /// An array without an address.
    #[must_use]
    pub fn of(items: Vec<Item<'a>>) -> Self {
        let count = u32::try_from(items.len()).unwrap_or(u32::MAX);
        ArrayItem { items, count, at: UNPLACED, end: UNPLACED, starts: Vec::new() }
    }

    /// An array of which only the number of elements matters.
    #[must_use]
    pub fn counted(count: u32) -> Self {
        ArrayItem { items: Vec::new(), count, at: UNPLACED, end: UNPLACED, starts: Vec::new() }
    }
}

/// A pointer that owns its target, or leads to an element.
#[derive(Debug, Clone)]
pub struct PointerItem<'a> {
    /// Address of the number.
    pub cell: u64,
    /// The number as stored, when reading.
    pub stored: i128,
    /// What it leads to. An array that a pointer leads to has its own address.
    pub target: Item<'a>,
    /// Address of the target.
    pub at: u64,
    /// Address behind the target.
    pub end: u64,
    /// Where the typed value of the target is: meaning is that of the generated code.
    pub value: u32,
    /// Being read.
    pub busy: bool,
}

impl<'a> PointerItem<'a> {
    /// A pointer without an address.
    #[must_use]
    pub fn to(target: Item<'a>) -> Self {
        PointerItem {
            cell: UNPLACED,
            stored: 0,
            target,
            at: UNPLACED,
            end: UNPLACED,
            value: NOTHING,
            busy: false,
        }
    }
}

/// A slot of a node, or one element of the array in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Loc {
    /// The node.
    pub node: NodeId,
    /// The slot; [`WHOLE`] means the node itself.
    pub slot: u16,
    /// The element.
    pub index: Option<u32>,
}

impl Loc {
    /// A slot.
    #[must_use]
    pub fn slot(node: NodeId, slot: u16) -> Loc {
        Loc { node, slot, index: None }
    }

    /// An element of the array in a slot.
    #[must_use]
    pub fn element(node: NodeId, slot: u16, index: u32) -> Loc {
        Loc { node, slot, index: Some(index) }
    }
}

impl<'a> Tree<'a> {
    /// No nodes.
    #[must_use]
    pub fn new(schema: &'static Schema) -> Self {
        Tree { schema, nodes: Vec::new(), slots: Vec::new(), stack: stack::here() }
    }

    /// The depth limit that a node goes beyond, if it does: this one, or what the native stack
    /// allows.
    #[must_use]
    pub fn too_deep(&self, depth: u32, limit: u32) -> Option<u32> {
        if depth > limit {
            return Some(limit);
        }
        let used = self.stack.abs_diff(stack::here());
        (used > stack::THOROUGH).then(|| depth.saturating_sub(1))
    }

    /// What is known about the record of a node.
    #[must_use]
    #[inline]
    pub fn info(&self, node: NodeId) -> &'static RecordInfo {
        &self.schema.records[usize::from(self.node(node).record)]
    }

    /// What is known about a slot.
    #[must_use]
    pub fn slot_info(&self, loc: Loc) -> &'static SlotInfo {
        const NONE: SlotInfo = SlotInfo {
            row: u16::MAX,
            name: None,
            silent: true,
            reference: false,
            empty_target: false,
            cases: &[],
        };
        self.info(loc.node).slots.get(usize::from(loc.slot)).unwrap_or(&NONE)
    }

    /// A node.
    #[must_use]
    #[inline]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// A node, to change it.
    #[inline]
    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.0 as usize]
    }

    /// The owner of a node.
    #[must_use]
    #[inline]
    pub fn owner(&self, id: NodeId) -> Option<NodeId> {
        match self.node(id).owner {
            NOTHING => None,
            owner => Some(NodeId(owner)),
        }
    }

    /// A slot.
    #[must_use]
    #[inline]
    pub fn slot(&self, node: NodeId, slot: u16) -> &Slot<'a> {
        &self.slots[self.node(node).first as usize + usize::from(slot)]
    }

    /// A slot, to change it.
    #[inline]
    pub fn slot_mut(&mut self, node: NodeId, slot: u16) -> &mut Slot<'a> {
        let first = self.node(node).first as usize;
        &mut self.slots[first + usize::from(slot)]
    }

    /// Gives a slot of one node what is in that of another one.
    pub fn lift(&mut self, to: NodeId, to_slot: u16, from: NodeId, from_slot: u16) {
        let slot = self.slot(from, from_slot).clone();
        *self.slot_mut(to, to_slot) = slot;
    }

    /// Sets what is in a slot.
    #[inline]
    pub fn set(&mut self, node: NodeId, slot: u16, item: Item<'a>) {
        self.slot_mut(node, slot).item = item;
    }

    /// Sets what is in a slot and where its bytes are.
    #[inline]
    pub fn place(&mut self, node: NodeId, slot: u16, item: Item<'a>, at: u64, end: u64) {
        let slot = self.slot_mut(node, slot);
        slot.item = item;
        slot.at = at;
        slot.end = end;
    }

    /// Adds a node with empty slots.
    pub fn add(&mut self, record: u16, owner: Option<Loc>) -> NodeId {
        let info = &self.schema.records[usize::from(record)];
        let (around, dead) = match owner {
            Some(loc) => (self.node(loc.node).depth, self.node(loc.node).dead),
            None => (0, false),
        };
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(NOTHING));
        let first = u32::try_from(self.slots.len()).unwrap_or(NOTHING);
        self.nodes.push(Node {
            record,
            owner_slot: owner.map_or(WHOLE, |loc| loc.slot),
            owner: owner.map_or(NOTHING, |loc| loc.node.0),
            index: owner.and_then(|loc| loc.index).unwrap_or(NOTHING),
            at: UNPLACED,
            end: UNPLACED,
            first,
            value: NOTHING,
            form: None,
            depth: around + u32::from(info.recursive),
            tag: 0,
            dead,
        });
        self.slots.resize(self.slots.len() + info.slots.len(), Slot::EMPTY);
        id
    }

    /// What is in a slot or element itself: of a pointer the pointer.
    pub fn entry_mut(&mut self, loc: Loc) -> Option<&mut Item<'a>> {
        let mut item = &mut self.slot_mut(loc.node, loc.slot).item;
        let Some(index) = loc.index else { return Some(item) };
        while let Item::Pointer(pointer) = item {
            item = &mut pointer.target;
        }
        match item {
            Item::Array(array) => array.items.get_mut(index as usize),
            _ => None,
        }
    }

    /// The pointer in a slot or element.
    pub fn pointer_mut(&mut self, loc: Loc) -> Option<&mut PointerItem<'a>> {
        match self.entry_mut(loc)? {
            Item::Pointer(pointer) => Some(pointer),
            _ => None,
        }
    }

    /// The pointer in a slot or element.
    #[must_use]
    pub fn pointer(&self, loc: Loc) -> Option<&PointerItem<'a>> {
        let mut item = &self.slot(loc.node, loc.slot).item;
        if let Some(index) = loc.index {
            match through(item) {
                Item::Array(array) => item = array.items.get(index as usize)?,
                _ => return None,
            }
        }
        match item {
            Item::Pointer(pointer) => Some(pointer),
            _ => None,
        }
    }

    /// The item of a slot or element, through pointers.
    #[must_use]
    pub fn item(&self, loc: Loc) -> &Item<'a> {
        if loc.slot == WHOLE {
            return &Item::Absent;
        }
        let item = through(&self.slot(loc.node, loc.slot).item);
        match (loc.index, item) {
            (None, item) => item,
            (Some(index), Item::Array(array)) => {
                array.items.get(index as usize).map_or(&Item::Absent, through)
            }
            (Some(_), _) => &Item::Absent,
        }
    }

    /// Number of elements, bytes or units in a slot or element.
    #[must_use]
    pub fn count_items(&self, loc: Loc) -> u64 {
        match self.item(loc) {
            Item::Array(array) => array.count.into(),
            Item::Bytes(bytes) => bytes.len() as u64,
            Item::Text(text) => text.len() as u64,
            Item::Units(units) => units.len() as u64,
            Item::Node(node) => match self.info(*node).transparent {
                Some(slot) => self.count_items(Loc::slot(*node, slot)),
                None => 1,
            },
            Item::Unset | Item::Absent => 0,
            _ => 1,
        }
    }

    /// Path of a slot or element for messages, such as `flowcharts[0].events[3].params`.
    #[must_use]
    pub fn path(&self, loc: Loc) -> Path {
        let mut path = Path::default();
        if let Some(index) = loc.index {
            path.prepend(index as usize);
        }
        let mut at = Some((loc.node, loc.slot));
        while let Some((node, slot)) = at {
            let info = self.info(node);
            if let Some(known) = info.slots.get(usize::from(slot)) {
                if let (Some(name), false) = (known.name, known.silent) {
                    path.prepend(Segment::Field(name.into()));
                }
            }
            let mut node = node;
            while self.info(node).form {
                match self.owner(node) {
                    Some(case) => node = case,
                    None => break,
                }
            }
            at = self.owner(node).map(|owner| {
                let n = self.node(node);
                if n.index != NOTHING {
                    path.prepend(n.index as usize);
                }
                (owner, n.owner_slot)
            });
        }
        path
    }

    /// Path of a node.
    #[must_use]
    pub fn node_path(&self, node: NodeId) -> Path {
        match self.holder(node) {
            Some(loc) => self.path(loc),
            None => Path::default(),
        }
    }

    /// The slot or element that holds a node.
    #[must_use]
    pub fn holder(&self, node: NodeId) -> Option<Loc> {
        let n = self.node(node);
        let index = if n.index == NOTHING { None } else { Some(n.index) };
        self.owner(node).map(|owner| Loc { node: owner, slot: n.owner_slot, index })
    }

    /// Address of the bytes of a slot or element in the record that holds it: of a pointer, of its
    /// number. Of rows without bytes: of the record.
    #[must_use]
    pub fn cell_at(&self, loc: Loc) -> u64 {
        let node = self.node(loc.node);
        if loc.slot == WHOLE {
            return node.at;
        }
        let slot = self.slot(loc.node, loc.slot);
        let at = if slot.at == UNPLACED { node.at } else { slot.at };
        let (Some(index), Item::Array(array)) = (loc.index, through(&slot.item)) else {
            return at;
        };
        match array.items.get(index as usize) {
            Some(Item::Pointer(pointer)) => return pointer.cell,
            Some(Item::Node(node)) => return self.node(*node).at,
            _ => {}
        }
        element_address(array, index as usize, false).unwrap_or(at)
    }

    /// The nearest of a node and its owners that is not a case or form.
    #[must_use]
    pub fn enclosing_struct(&self, mut node: NodeId) -> NodeId {
        while self.info(node).inner {
            match self.owner(node) {
                Some(owner) => node = owner,
                None => break,
            }
        }
        node
    }

    /// Name of the case whose node this is.
    #[must_use]
    pub fn case_of(&self, node: NodeId) -> Option<&'static str> {
        let holder = self.holder(node)?;
        let record = self.node(node).record;
        let cases = self.slot_info(holder).cases;
        cases.iter().find(|(case, _)| *case == record).map(|(_, name)| *name)
    }
}

/// What an item is behind its pointers.
#[must_use]
pub fn through<'t, 'a>(mut item: &'t Item<'a>) -> &'t Item<'a> {
    while let Item::Pointer(pointer) = item {
        item = &pointer.target;
    }
    item
}

/// Address of an element that is neither a node nor a pointer.
#[must_use]
pub fn element_address(array: &ArrayItem<'_>, index: usize, end: bool) -> Option<u64> {
    if array.at == UNPLACED {
        return None;
    }
    if array.starts.is_empty() {
        let stride = array.end.checked_sub(array.at)?.checked_div(array.count.into()).unwrap_or(0);
        let at = array.at.checked_add(stride.checked_mul(index as u64)?)?;
        return if end { at.checked_add(stride) } else { Some(at) };
    }
    let index = if end { index.checked_add(1)? } else { index };
    Some(array.starts.get(index).copied().unwrap_or(array.end))
}

/// The owner, so many levels up.
#[must_use]
pub fn ancestor(tree: &Tree<'_>, mut node: NodeId, levels: u32) -> Option<NodeId> {
    for _ in 0..levels {
        node = tree.owner(node)?;
    }
    Some(node)
}

/// The nearest of a node and its owners that is of one of these records.
#[must_use]
pub fn enclosing(tree: &Tree<'_>, mut node: NodeId, records: &[u16]) -> Option<NodeId> {
    while !records.contains(&tree.node(node).record) {
        node = tree.owner(node)?;
    }
    Some(node)
}
