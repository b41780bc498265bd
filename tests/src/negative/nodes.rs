//! The tree of a file that was read, as a list: nodes, their rows, and where each of them lies.

use std::collections::HashMap;

use formwork::Endian;
use formwork::engine::{ArrayRef, Document, Item, Loc, NodeRef, Tree, Walk, placed};
use formwork_codegen::model::{RecordId, Role, RowId};

/// One use of a record in a file.
#[derive(Debug)]
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
    pub order: Option<Endian>,
    /// Of a case: the number that selected it. Of a packed word: its bits.
    pub tag: u128,
    /// One for each row of the record.
    pub rows: Vec<RowView>,
}

/// A row of a node.
#[derive(Debug)]
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
#[derive(Debug)]
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

/// All nodes, in the order in which they were met: owners come before what they own.
pub fn nodes(document: &mut Document<'_, '_>) -> Vec<NodeView> {
    let mut walk = Walk::all(document.tree());
    let mut found = Vec::new();
    while let Some(node) = walk.next(document.tree()) {
        found.push(node);
    }
    let positions: HashMap<NodeRef, usize> = found.iter().copied().zip(0..).collect();
    found.into_iter().map(|node| node_view(document, &positions, node)).collect()
}

fn node_view(
    document: &mut Document<'_, '_>,
    positions: &HashMap<NodeRef, usize>,
    node: NodeRef,
) -> NodeView {
    let order = document.node_order(node);
    let rows = document.tree().record(node).rows.len();
    let rows = (0..u32::try_from(rows).unwrap_or(u32::MAX)).map(|row| Loc::row(node, RowId(row)));
    let rows = rows.map(|loc| row_view(document, positions, loc)).collect();
    let tree = document.tree();
    let holder = tree.holder(node);
    NodeView {
        record: tree.record_id(node),
        owner: holder.map(|loc| positions[&loc.node]),
        owner_row: holder.map_or(RowId(0), |loc| loc.row),
        index: holder.and_then(Loc::index),
        at: placed(tree.node_at(node)),
        order,
        tag: tree.tag(node),
        rows,
    }
}

fn row_view(
    document: &mut Document<'_, '_>,
    positions: &HashMap<NodeRef, usize>,
    loc: Loc,
) -> RowView {
    let derived = matches!(document.tree().row(loc).role, Role::Derived) && document.follows(loc);
    let tree = document.tree();
    RowView {
        at: placed(tree.row_at(loc)),
        end: placed(tree.row_end(loc)),
        bit: tree.row_bit(loc),
        derived,
        item: view(tree, positions, tree.entry(loc)),
    }
}

fn view(tree: &Tree<'_, '_>, positions: &HashMap<NodeRef, usize>, item: Item) -> ItemView {
    if let Some(pointer) = tree.pointer_view(item) {
        return ItemView::Pointer {
            cell: pointer.cell,
            stored: pointer.stored,
            target: Box::new(view(tree, positions, pointer.target)),
            at: pointer.at,
            end: pointer.end,
        };
    }
    match item {
        Item::Unset | Item::Absent => ItemView::Nothing,
        Item::Node(node) => ItemView::Node(positions[&node]),
        Item::Array(array) => ItemView::Array {
            at: placed(tree.array_at(array, false)),
            end: placed(tree.array_at(array, true)),
            items: elements(tree, positions, array),
        },
        _ => ItemView::Leaf,
    }
}

fn elements(
    tree: &Tree<'_, '_>,
    positions: &HashMap<NodeRef, usize>,
    array: ArrayRef,
) -> Vec<(Option<u64>, ItemView)> {
    let element = |index| {
        let item = tree.element(array, index).unwrap_or(Item::Absent);
        (placed(tree.element_at(array, index, false)), view(tree, positions, item))
    };
    (0..tree.count(array)).map(element).collect()
}
