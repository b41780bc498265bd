//! Finds what a path leads to.

use std::fmt;

use formwork_model::{Row, RowId, RowKind, Type};

use super::show::Context;
use crate::engine::Engine;
use crate::tree::{Item, Loc, NodeId, UNPLACED};
use crate::value::{ValueStep, parse_path};

/// A path that leads to nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoSuchPath {
    /// The longest part of the path that exists; `file` if not even its first step does.
    pub found: String,
    /// What follows it and does not exist.
    pub missing: String,
    /// Names that could follow instead; empty if `found` is no struct.
    pub names: Vec<String>,
    /// Number of elements, if `found` is an array.
    pub count: Option<usize>,
}

impl fmt::Display for NoSuchPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` has no `{}`", self.found, self.missing)?;
        match self.count {
            Some(0) => f.write_str(": it is an empty array"),
            Some(count) => write!(f, ": it has elements [0] to [{}]", count - 1),
            None if self.names.is_empty() => f.write_str(": it has no fields"),
            None => write!(f, ": it has {}", self.names.join(", ")),
        }
    }
}

impl std::error::Error for NoSuchPath {}

/// What a path leads to.
#[derive(Clone, Copy)]
pub(crate) enum Place<'t> {
    /// The root.
    Root(NodeId),
    /// A row or element.
    Spot(Spot<'t>),
}

/// A row or element, with what is in it.
#[derive(Clone, Copy)]
pub(crate) struct Spot<'t> {
    pub item: &'t Item,
    pub ty: &'t Type,
    pub row: &'t Row,
    pub loc: Loc,
    pub at: u64,
    pub end: u64,
    pub bit: u8,
}

impl<'t> Spot<'t> {
    /// What the pointers in it lead to.
    pub(crate) fn target(mut self, cx: Context<'_>) -> Spot<'t> {
        while let Item::Pointer(pointer) = self.item {
            self.item = &pointer.target;
            self.ty = cx.target(self.ty);
            self.at = pointer.at;
            self.end = pointer.end;
            self.bit = 0;
        }
        self
    }

    /// Address of the first byte, if it has one.
    pub(crate) fn offset(&self) -> Option<u64> {
        (self.at != UNPLACED).then_some(self.at)
    }

    /// Number of bytes, or 0 where there are none.
    pub(crate) fn size(&self) -> u64 {
        if self.at == UNPLACED || self.end == UNPLACED {
            0
        } else {
            self.end.saturating_sub(self.at)
        }
    }
}

impl<'m> Engine<'m, '_> {
    pub(crate) fn context(&self) -> Context<'m> {
        Context { model: self.model, epoch: self.epoch }
    }

    pub(crate) fn spot(&self, node: NodeId, row: RowId) -> Spot<'_> {
        let loc = Loc::row(node, row);
        let slot = self.tree.slot(node, row);
        let row = self.row(loc);
        Spot { item: &slot.item, ty: &row.ty, row, loc, at: slot.at, end: slot.end, bit: slot.bit }
    }

    /// The same through pointers and through records that stand for one of their rows.
    pub(crate) fn value_spot<'t>(&'t self, spot: Spot<'t>) -> Spot<'t> {
        let mut spot = spot.target(self.context());
        while let Item::Node(node) = spot.item {
            match self.record(*node).transparent {
                Some(row) => spot = self.spot(*node, row).target(self.context()),
                None => break,
            }
        }
        spot
    }

    /// An element of the array at a place.
    pub(crate) fn element_spot<'t>(&'t self, spot: Spot<'t>, index: usize) -> Option<Spot<'t>> {
        let array_spot = self.value_spot(spot);
        let Item::Array(array) = array_spot.item else { return None };
        let item = array.items.get(index)?;
        let position = u32::try_from(index).ok();
        let (at, end) = match item {
            Item::Node(node) => {
                let node = self.tree.node(*node);
                (node.at, node.end)
            }
            _ if array.at == UNPLACED => (UNPLACED, UNPLACED),
            _ if array.starts.is_empty() => {
                let size = array.end.saturating_sub(array.at);
                let stride = size.checked_div(array.items.len() as u64).unwrap_or(0);
                let at = array.at + stride * index as u64;
                (at, at + stride)
            }
            _ => {
                let at = array.starts.get(index).copied().unwrap_or(UNPLACED);
                (at, array.starts.get(index + 1).copied().unwrap_or(array.end))
            }
        };
        Some(Spot {
            item,
            ty: self.context().element(array_spot.ty),
            row: array_spot.row,
            loc: Loc { index: position, ..array_spot.loc },
            at,
            end,
            bit: 0,
        })
    }

    /// The node in a row or element, through pointers.
    pub(crate) fn node_in(&self, spot: Spot<'_>) -> Option<NodeId> {
        match spot.target(self.context()).item {
            Item::Node(node) => Some(*node),
            _ => None,
        }
    }

    /// A row of a node by name: of the node, of the chosen case of a union type, or of an unnamed
    /// struct in it.
    pub(crate) fn child(&self, node: NodeId, name: &str) -> Option<Spot<'_>> {
        let record = self.record(node);
        if let Some((_, form)) = self.tree.node(node).form
            && let Some(spot) = self.child(form, name)
        {
            return Some(spot);
        }
        let found = (0_u32..).zip(&record.rows).find(|(index, row)| {
            row.name.as_deref() == Some(name)
                && !matches!(self.tree.slot(node, RowId(*index)).item, Item::Unset)
        });
        if let Some((index, _)) = found {
            return Some(self.spot(node, RowId(index)));
        }
        (0_u32..).zip(&record.rows).find_map(|(index, row)| {
            let index = RowId(index);
            if !self.is_seen_through(row) && record.transparent != Some(index) {
                return None;
            }
            self.child(self.node_in(self.spot(node, index))?, name)
        })
    }

    /// Names that [`Engine::child`] finds in a node.
    pub(crate) fn child_names(&self, node: NodeId) -> Vec<String> {
        let mut names = Vec::new();
        self.collect_names(node, &mut names);
        names
    }

    fn collect_names(&self, node: NodeId, names: &mut Vec<String>) {
        let record = self.record(node);
        for (index, row) in (0_u32..).zip(&record.rows) {
            let index = RowId(index);
            let spot = self.spot(node, index);
            if self.is_seen_through(row) || record.transparent == Some(index) {
                if let Some(inner) = self.node_in(spot) {
                    self.collect_names(inner, names);
                }
            } else if let Some(name) = &row.name
                && !matches!(spot.item, Item::Unset)
                && !names.contains(name)
            {
                names.push(name.clone());
            }
        }
        if let Some((_, form)) = self.tree.node(node).form {
            self.collect_names(form, names);
        }
    }

    /// What a path leads to. The module's name may stand before it.
    pub(crate) fn place_at(&self, path: &str) -> Result<Place<'_>, NoSuchPath> {
        let Some(steps) = parse_path(path) else {
            return Err(self.no_such(None, "file".to_owned(), path.to_owned()));
        };
        let mut steps = steps.as_slice();
        if let [ValueStep::Field(first), rest @ ..] = steps
            && (*first == self.model.name || *first == "file")
            && self.child(self.root, first).is_none()
        {
            steps = rest;
        }
        let mut place = Place::Root(self.root);
        let mut walked = String::new();
        for step in steps {
            let next = match (*step, place) {
                (ValueStep::Field(name), Place::Root(root)) => self.child(root, name),
                (ValueStep::Field(name), Place::Spot(spot)) => {
                    self.node_in(spot).and_then(|node| self.child(node, name))
                }
                (ValueStep::Index(index), Place::Spot(spot)) => self.element_spot(spot, index),
                (ValueStep::Index(index), Place::Root(root)) => self
                    .record(root)
                    .transparent
                    .and_then(|row| self.element_spot(self.spot(root, row), index)),
            };
            let Some(next) = next else {
                let found = if walked.is_empty() { "file".to_owned() } else { walked };
                let missing = match step {
                    ValueStep::Field(name) => (*name).to_owned(),
                    ValueStep::Index(index) => format!("[{index}]"),
                };
                return Err(self.no_such(Some(place), found, missing));
            };
            match step {
                ValueStep::Field(name) => walked = join(&walked, name),
                ValueStep::Index(index) => walked.push_str(&format!("[{index}]")),
            }
            place = Place::Spot(next);
        }
        Ok(place)
    }

    fn no_such(&self, place: Option<Place<'_>>, found: String, missing: String) -> NoSuchPath {
        let (node, count) = match place {
            None => (Some(self.root), None),
            Some(Place::Root(root)) => (Some(root), None),
            Some(Place::Spot(spot)) => match self.value_spot(spot).item {
                Item::Array(array) => (None, Some(array.items.len())),
                _ => (self.node_in(spot), None),
            },
        };
        let names = node.map(|node| self.child_names(node)).unwrap_or_default();
        NoSuchPath { found, missing, names, count }
    }

    /// Path of a row or element, with what it is if it has no name.
    pub(crate) fn spot_path(&self, loc: Loc) -> String {
        let path = self.tree.path(self.model, loc).to_string();
        let Some(row) = self.record(loc.node).rows.get(loc.row.index()) else { return path };
        match (&row.name, self.is_seen_through(row)) {
            (None, false) => format!("{path} ({})", self.row_word(row)),
            _ => path,
        }
    }

    /// Whether the rows of the struct or case in a row are reached without a step of its own.
    pub(crate) fn is_seen_through(&self, row: &Row) -> bool {
        let inner = self.context().inner(&row.ty);
        match &row.name {
            None => matches!(inner, Type::Record(_) | Type::Union(_)),
            Some(_) => crate::eval::is_body(self.model, inner),
        }
    }

    /// What a row is called that has no name, or no type.
    pub(crate) fn row_word(&self, row: &Row) -> &'static str {
        match &row.kind {
            RowKind::Zero | RowKind::Zeros => "zero",
            RowKind::Reserved => "reserved",
            RowKind::Runtime => "runtime",
            RowKind::Constant(_) => match self.context().inner(&row.ty) {
                Type::Run(_) => "magic",
                _ => "const",
            },
            RowKind::Pool { .. } => "pool",
            RowKind::Slice { .. } => "slice",
            RowKind::Object { .. } => "object",
            RowKind::Mark { .. } => "mark",
            RowKind::Value { .. } => "value",
            RowKind::Plain => "unnamed",
        }
    }
}

/// A path with one more name at its end.
pub(crate) fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}
