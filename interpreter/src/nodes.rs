//! A public view of the tree as it is: nodes, their rows, and where each of them lies.
//!
//! [`walk`](crate::Document::walk) shows a file to people; this is for programs that also look at the
//! model, such as generators of broken files.

use formwork::Endian;
use formwork_model::{ByteOrder, EpochId, RecordId, Role, RowId};

use crate::Document;
use crate::eval::Val;
use crate::tree::{ArrayItem, Item, Loc, NodeId, UNPLACED};

/// One use of a record in a file.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeView {
    /// The record, in the model of the file's epoch.
    pub record: RecordId,
    /// Position in the list of the node whose row holds this one; none for the root.
    pub owner: Option<usize>,
    /// That row; row 0 for the root.
    pub owner_row: RowId,
    /// Position in the array around it, if it is an element.
    pub index: Option<u32>,
    /// Offset of the first byte from the start of the file.
    pub at: Option<u64>,
    /// Byte order of cells that do not say their own; none if no condition decides it.
    pub order: Option<ByteOrder>,
    /// Of a case: the number that selected it. Of a packed word: its bits.
    pub tag: i128,
    /// One for each row of the record.
    pub rows: Vec<RowView>,
}

/// A row of a node.
#[derive(Debug, Clone, PartialEq)]
pub struct RowView {
    /// Offset of the row's own first byte; none if it has no bytes here. Of a pointer: of its number.
    pub at: Option<u64>,
    /// Offset behind its last byte.
    pub end: Option<u64>,
    /// Bit of the first byte, or of the word around it, at which a field of bits begins.
    pub bit: u8,
    /// Whether an equation gives the row a number in this node.
    pub derived: bool,
    /// What is in it.
    pub item: ItemView,
}

/// What is in a row or element.
#[derive(Debug, Clone, PartialEq)]
pub enum ItemView {
    /// Nothing: not there, or the number for nothing.
    Nothing,
    /// A number, text or run of bytes.
    Leaf,
    /// A node, by position in the list.
    Node(usize),
    /// Elements.
    Array {
        /// Offset of the first one, if they have bytes of their own here.
        at: Option<u64>,
        /// Offset behind the last one.
        end: Option<u64>,
        /// Each with its offset.
        items: Vec<(Option<u64>, ItemView)>,
    },
    /// A number that leads somewhere.
    Pointer {
        /// Offset of the number.
        cell: Option<u64>,
        /// The number.
        stored: i128,
        /// What it leads to.
        target: Box<ItemView>,
        /// Offset of that; of a pointer that is none, of the number itself.
        at: Option<u64>,
        /// Offset behind it; of a text in a pool, its offset.
        end: Option<u64>,
    },
}

impl Document<'_> {
    /// The epoch whose layouts the file has, as a position in the model's list.
    #[must_use]
    pub fn epoch_id(&self) -> EpochId {
        self.engine.epoch
    }

    /// All nodes, in the order in which they were met: owners come before what they own.
    #[must_use]
    pub fn nodes(&mut self) -> Vec<NodeView> {
        let count = u32::try_from(self.engine.tree.nodes.len()).unwrap_or(u32::MAX);
        (0..count).map(|node| self.node_view(NodeId(node))).collect()
    }

    fn node_view(&mut self, id: NodeId) -> NodeView {
        let order = self.engine.node_order(id).ok().flatten().map(|order| match order {
            Endian::Little => ByteOrder::Little,
            Endian::Big => ByteOrder::Big,
        });
        let count = self.engine.tree.node(id).slots.len();
        let rows = (0..u32::try_from(count).unwrap_or(u32::MAX)).map(RowId);
        let rows = rows.map(|row| self.row_view(Loc::row(id, row))).collect();
        let node = self.engine.tree.node(id);
        NodeView {
            record: node.record,
            owner: node.owner.map(|owner| owner.0 as usize),
            owner_row: node.owner_row,
            index: node.index,
            at: placed(node.at),
            order,
            tag: node.tag,
            rows,
        }
    }

    fn row_view(&mut self, loc: Loc) -> RowView {
        let derived = matches!(self.engine.row(loc).role, Role::Derived)
            && matches!(self.engine.derived(loc), Ok(Some(val)) if !matches!(val, Val::None));
        let slot = self.engine.tree.slot(loc.node, loc.row);
        RowView {
            at: placed(slot.at),
            end: placed(slot.end),
            bit: slot.bit,
            derived,
            item: view(&slot.item),
        }
    }
}

fn placed(at: u64) -> Option<u64> {
    (at != UNPLACED).then_some(at)
}

fn view(item: &Item) -> ItemView {
    match item {
        Item::Unset | Item::Absent => ItemView::Nothing,
        Item::Node(node) => ItemView::Node(node.0 as usize),
        Item::Array(array) => {
            ItemView::Array { at: placed(array.at), end: placed(array.end), items: elements(array) }
        }
        Item::Pointer(pointer) => ItemView::Pointer {
            cell: placed(pointer.cell),
            stored: pointer.stored,
            target: Box::new(view(&pointer.target)),
            at: placed(pointer.at),
            end: placed(pointer.end),
        },
        _ => ItemView::Leaf,
    }
}

fn elements(array: &ArrayItem) -> Vec<(Option<u64>, ItemView)> {
    let size = placed(array.at)
        .zip(placed(array.end))
        .map_or(0, |(at, end)| end.saturating_sub(at))
        .checked_div(array.items.len() as u64)
        .unwrap_or(0);
    (0_u64..)
        .zip(&array.items)
        .map(|(index, item)| {
            let at = match usize::try_from(index).ok().and_then(|i| array.starts.get(i)) {
                Some(at) => Some(*at),
                None => placed(array.at).map(|at| at + size * index),
            };
            (at, view(item))
        })
        .collect()
}
