//! The tree of nodes: every row of every record of a file, derived ones included.
//!
//! Reading builds it from bytes, writing from a value; expressions are evaluated in it. A node
//! stands for a record, an item for what is in a row, and an item knows where it lies.

use std::rc::Rc;

use formwork::Path;
use formwork_model::{Model, RecordId, RecordKind, RowId};

/// Position in [`Tree::nodes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeId(pub u32);

/// Address that is not known (yet).
pub(crate) const UNPLACED: u64 = u64::MAX;

#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub nodes: Vec<Node>,
}

#[derive(Debug)]
pub(crate) struct Node {
    pub record: RecordId,
    pub owner: Option<NodeId>,
    /// Row of the owner that holds this node.
    pub owner_row: RowId,
    /// Position in the array around it.
    pub index: Option<u32>,
    pub at: u64,
    pub end: u64,
    pub slots: Vec<Slot>,
    /// Spellings to keep, by row.
    pub kept: Vec<(RowId, crate::value::Kept)>,
    /// Of a case with forms: the form, by position, and the node of its rows.
    pub form: Option<(u32, NodeId)>,
    /// Built, but not part of the file after all.
    pub dead: bool,
    /// Entries into records that can contain themselves, from the root to here.
    pub depth: u32,
    /// Number that selected the case by a pattern, for the letters in it.
    pub tag: i128,
}

/// What is in a row.
#[derive(Debug, Clone)]
pub(crate) struct Slot {
    pub item: Item,
    /// Address of the row's own bytes; of a bit field, of its first byte.
    pub at: u64,
    pub end: u64,
    /// Bit position within the first byte, for bit fields.
    pub bit: u8,
    /// Being computed: asked for again, it would depend on itself.
    pub busy: bool,
}

impl Slot {
    pub(crate) fn empty() -> Slot {
        Slot { item: Item::Unset, at: UNPLACED, end: UNPLACED, bit: 0, busy: false }
    }
}

#[derive(Debug, Clone)]
pub(crate) enum Item {
    /// Not read, or not computed yet.
    Unset,
    /// Not there: no home, condition false, or the number for nothing.
    Absent,
    Int(i128),
    Float {
        bits: u64,
        bytes: u8,
    },
    Bool(bool),
    Text(Rc<str>),
    Bytes(Rc<[u8]>),
    Units(Rc<[u16]>),
    Node(NodeId),
    Array(Box<ArrayItem>),
    Pointer(Box<PointerItem>),
}

#[derive(Debug, Clone)]
pub(crate) struct ArrayItem {
    pub items: Vec<Item>,
    pub at: u64,
    pub end: u64,
    /// Addresses of the elements if they are neither nodes nor pointers and not of one size.
    pub starts: Vec<u64>,
}

impl ArrayItem {
    pub(crate) fn of(items: Vec<Item>) -> ArrayItem {
        ArrayItem { items, at: UNPLACED, end: UNPLACED, starts: Vec::new() }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct PointerItem {
    /// Address of the number.
    pub cell: u64,
    /// The number as stored, when reading.
    pub stored: i128,
    /// What it leads to. An array that a pointer leads to has its own address.
    pub target: Item,
    pub at: u64,
    pub end: u64,
    /// Being read.
    pub busy: bool,
}

impl PointerItem {
    pub(crate) fn to(target: Item) -> PointerItem {
        PointerItem { cell: UNPLACED, stored: 0, target, at: UNPLACED, end: UNPLACED, busy: false }
    }
}

/// A row of a node, or one element of the array in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Loc {
    pub node: NodeId,
    pub row: RowId,
    pub index: Option<u32>,
}

impl Loc {
    pub(crate) fn row(node: NodeId, row: RowId) -> Loc {
        Loc { node, row, index: None }
    }
}

impl Tree {
    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    pub(crate) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.0 as usize]
    }

    pub(crate) fn slot(&self, node: NodeId, row: RowId) -> &Slot {
        &self.node(node).slots[row.index()]
    }

    pub(crate) fn slot_mut(&mut self, node: NodeId, row: RowId) -> &mut Slot {
        &mut self.node_mut(node).slots[row.index()]
    }

    pub(crate) fn add(
        &mut self,
        model: &Model,
        record: RecordId,
        owner: Option<NodeId>,
        owner_row: RowId,
        index: Option<u32>,
    ) -> NodeId {
        let rows = model.records[record.index()].rows.len();
        let around = owner.map_or(0, |owner| self.node(owner).depth);
        let depth = around + u32::from(model.records[record.index()].recursive);
        let id = NodeId(u32::try_from(self.nodes.len()).expect("the budget keeps nodes few"));
        self.nodes.push(Node {
            record,
            owner,
            owner_row,
            index,
            at: UNPLACED,
            end: UNPLACED,
            slots: vec![Slot::empty(); rows],
            kept: Vec::new(),
            form: None,
            dead: owner.is_some_and(|owner| self.node(owner).dead),
            depth,
            tag: 0,
        });
        id
    }

    /// What is in a row or element itself: of a pointer the pointer.
    pub(crate) fn entry_mut(&mut self, loc: Loc) -> Option<&mut Item> {
        let mut item = &mut self.slot_mut(loc.node, loc.row).item;
        let Some(index) = loc.index else { return Some(item) };
        while let Item::Pointer(pointer) = item {
            item = &mut pointer.target;
        }
        match item {
            Item::Array(array) => array.items.get_mut(index as usize),
            _ => None,
        }
    }

    /// The pointer in a row or element.
    pub(crate) fn pointer_mut(&mut self, loc: Loc) -> Option<&mut PointerItem> {
        match self.entry_mut(loc)? {
            Item::Pointer(pointer) => Some(pointer),
            _ => None,
        }
    }

    /// The item of a row or element, through pointers.
    pub(crate) fn item(&self, loc: Loc) -> &Item {
        let item = through(&self.slot(loc.node, loc.row).item);
        match (loc.index, item) {
            (None, item) => item,
            (Some(index), Item::Array(array)) => {
                array.items.get(index as usize).map_or(&Item::Absent, through)
            }
            (Some(_), _) => &Item::Absent,
        }
    }

    /// Path of a row or element for messages, such as `flowcharts[0].events[3].params`.
    pub(crate) fn path(&self, model: &Model, loc: Loc) -> Path {
        let mut path = Path::default();
        if let Some(index) = loc.index {
            path.prepend(index as usize);
        }
        let mut at = Some((loc.node, loc.row));
        while let Some((node, row)) = at {
            let record = &model.records[self.node(node).record.index()];
            let definition = record.rows.get(row.index());
            if let Some((name, ty)) = definition.and_then(|r| Some((r.name.as_ref()?, &r.ty))) {
                // The value of a transparent record is its row, and the row that holds a case of
                // a union type has no name of its own in paths.
                if record.transparent != Some(row) && !crate::eval::is_body(model, ty) {
                    path.prepend(formwork::Segment::Field(name.clone().into()));
                }
            }
            let mut node = self.node(node);
            // The rows of a form stand for those of its case.
            while let (RecordKind::Form(..), Some(case)) =
                (&model.records[node.record.index()].kind, node.owner)
            {
                node = self.node(case);
            }
            at = node.owner.map(|owner| {
                if let Some(index) = node.index {
                    path.prepend(index as usize);
                }
                (owner, node.owner_row)
            });
        }
        path
    }

    /// Path of a node.
    pub(crate) fn node_path(&self, model: &Model, node: NodeId) -> Path {
        let n = self.node(node);
        match n.owner {
            Some(owner) => self.path(model, Loc { node: owner, row: n.owner_row, index: n.index }),
            None => Path::default(),
        }
    }

    /// Address of the bytes of a row or element in the record that holds it: of a pointer, of its
    /// number. Of rows without bytes: of the record.
    pub(crate) fn cell_at(&self, loc: Loc) -> u64 {
        let node = self.node(loc.node);
        let Some(slot) = node.slots.get(loc.row.index()) else { return node.at };
        let at = if slot.at == UNPLACED { node.at } else { slot.at };
        let (Some(index), Item::Array(array)) = (loc.index, through(&slot.item)) else {
            return at;
        };
        match array.items.get(index as usize) {
            Some(Item::Pointer(pointer)) => return pointer.cell,
            Some(Item::Node(node)) => return self.node(*node).at,
            _ => {}
        }
        if let Some(at) = array.starts.get(index as usize) {
            return *at;
        }
        match (array.end.checked_sub(array.at), array.at) {
            (_, UNPLACED) | (None, _) => at,
            (Some(size), start) => {
                let stride = size.checked_div(array.items.len() as u64).unwrap_or(0);
                start.saturating_add(stride.saturating_mul(index.into()))
            }
        }
    }

    /// The nearest of a node and its owners that is not a case or form.
    pub(crate) fn enclosing_struct(&self, model: &Model, mut node: NodeId) -> NodeId {
        loop {
            let n = self.node(node);
            match (&model.records[n.record.index()].kind, n.owner) {
                (RecordKind::Case(..) | RecordKind::Form(..), Some(owner)) => node = owner,
                _ => return node,
            }
        }
    }
}

/// What an item is behind its pointers.
pub(crate) fn through(mut item: &Item) -> &Item {
    while let Item::Pointer(pointer) = item {
        item = &pointer.target;
    }
    item
}
