//! Finds what a path leads to.

use std::fmt;

use formwork::engine::{Item, Loc, NodeRef, Tree, placed};
use formwork_model::{Row, RowId, RowKind, Type};

use super::show::{element_type, target_type};
use crate::paths::{self, Ground, ValueStep, parse_path, shown};
use crate::stack::with_stack;

/// A path that leads to nothing.
#[derive(Clone, PartialEq, Eq)]
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

/// As in words: it is what `main` prints of an error.
impl fmt::Debug for NoSuchPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for NoSuchPath {}

/// What a path leads to.
#[derive(Clone, Copy)]
pub(crate) enum Place<'t> {
    /// The root.
    Root,
    /// A row or element.
    Spot(Spot<'t>),
}

/// A row or element, with what is in it.
#[derive(Clone, Copy)]
pub(crate) struct Spot<'t> {
    pub item: Item,
    pub ty: &'t Type,
    pub row: &'t Row,
    pub loc: Loc,
    /// Address of the first byte, and behind the last one.
    pub at: Option<u64>,
    pub end: Option<u64>,
    pub bit: u8,
}

impl Spot<'_> {
    /// Number of bytes, or 0 where there are none.
    pub(crate) fn size(&self) -> u64 {
        self.at.zip(self.end).map_or(0, |(at, end)| end.saturating_sub(at))
    }
}

/// A tree, to find something in it.
#[derive(Clone, Copy)]
pub(crate) struct Places<'t>(pub &'t Tree<'t, 't>);

impl<'t> Places<'t> {
    pub(crate) fn spot(self, node: NodeRef, row: RowId) -> Spot<'t> {
        let tree = self.0;
        let loc = Loc::row(node, row);
        let row = tree.row(loc);
        Spot {
            item: tree.entry(loc),
            ty: &row.ty,
            row,
            loc,
            at: placed(tree.row_at(loc)),
            end: placed(tree.row_end(loc)),
            bit: tree.row_bit(loc),
        }
    }

    /// What the pointers in a place lead to.
    pub(crate) fn target(self, mut spot: Spot<'t>) -> Spot<'t> {
        while let Some(pointer) = self.0.pointer_view(spot.item) {
            spot.item = pointer.target;
            spot.ty = target_type(spot.ty);
            spot.at = pointer.at;
            spot.end = pointer.end;
            spot.bit = 0;
        }
        spot
    }

    /// The same through records that stand for one of their rows.
    pub(crate) fn value(self, spot: Spot<'t>) -> Spot<'t> {
        let mut spot = self.target(spot);
        while let Item::Node(node) = spot.item {
            match self.0.record(node).transparent {
                Some(row) => spot = self.target(self.spot(node, row)),
                None => break,
            }
        }
        spot
    }

    /// An element of the array at a place.
    pub(crate) fn element(self, spot: Spot<'t>, index: u32) -> Option<Spot<'t>> {
        let tree = self.0;
        let spot = self.value(spot);
        let Item::Array(array) = spot.item else { return None };
        let item = tree.element(array, index)?;
        let (at, end) = match item {
            Item::Node(node) => (tree.node_at(node), tree.node_end(node)),
            _ => (tree.element_at(array, index, false), tree.element_at(array, index, true)),
        };
        Some(Spot {
            item,
            ty: element_type(spot.ty),
            loc: spot.loc.at(index),
            at: placed(at),
            end: placed(end),
            bit: 0,
            ..spot
        })
    }

    /// The node in a row or element, through pointers.
    pub(crate) fn node(self, spot: Spot<'t>) -> Option<NodeRef> {
        match self.0.through(spot.item) {
            Item::Node(node) => Some(node),
            _ => None,
        }
    }

    /// Adds the rows of a node that have a name: of the form that spells it, of the node, and of what
    /// needs no step of its own: of an unnamed struct in it, of the chosen case of a union type.
    fn children(self, node: NodeRef, name: &str, found: &mut Vec<Spot<'t>>) {
        if let Some(form) = form_of(node) {
            self.children(form, name, found);
        }
        let record = self.0.record(node);
        found.extend(
            record
                .numbered_rows()
                .filter(|(_, row)| row.name.as_deref() == Some(name))
                .map(|(row, _)| self.spot(node, row))
                .filter(|spot| spot.item != Item::Unset),
        );
        for spot in self.without_step(node) {
            if let Some(inner) = self.node(spot) {
                with_stack(|| self.children(inner, name, found));
            }
        }
    }

    /// The rows of a node that need no step of their own.
    fn without_step(self, node: NodeRef) -> impl Iterator<Item = Spot<'t>> {
        let record = self.0.record(node);
        let rows = record.numbered_rows().filter(move |(row, definition)| {
            self.is_seen_through(definition) || record.transparent == Some(*row)
        });
        rows.map(move |(row, _)| self.spot(node, row))
    }

    /// The union in a node, if it is this case.
    fn case_in(self, node: NodeRef, place: Place<'t>, name: &str) -> Option<Place<'t>> {
        if let Some((union, case)) = self.0.case_of(node) {
            return (union.cases[case].name == name).then_some(place);
        }
        self.without_step(node).find_map(|spot| {
            let inner = self.node(spot)?;
            with_stack(|| self.case_in(inner, Place::Spot(spot), name))
        })
    }

    /// Adds the names that [`Places::children`] finds in a node.
    fn child_names(self, node: NodeRef, names: &mut Vec<String>) {
        let record = self.0.record(node);
        for (row, definition) in record.numbered_rows() {
            let spot = self.spot(node, row);
            if self.is_seen_through(definition) || record.transparent == Some(row) {
                if let Some(inner) = self.node(spot) {
                    self.child_names(inner, names);
                }
            } else if let Some(name) = &definition.name
                && spot.item != Item::Unset
                && !names.contains(name)
            {
                names.push(name.clone());
            }
        }
        if let Some(form) = form_of(node) {
            self.child_names(form, names);
        }
    }

    /// What a path leads to.
    pub(crate) fn at_path(self, path: &str) -> Result<Place<'t>, NoSuchPath> {
        let Some(steps) = parse_path(path) else {
            return Err(self.no_such(Place::Root, "file".to_owned(), path.to_owned()));
        };
        paths::in_file(&self, Place::Root, &self.0.model().name, &steps).map_err(
            |(stuck, steps)| {
                let found = match &steps[..stuck.gone] {
                    [] => "file".to_owned(),
                    gone => shown(gone),
                };
                let missing = match steps.get(stuck.gone) {
                    Some(ValueStep::Field(name)) => (*name).to_owned(),
                    Some(ValueStep::Index(index)) => format!("[{index}]"),
                    None => String::new(),
                };
                self.no_such(stuck.at, found, missing)
            },
        )
    }

    /// The node at a place.
    fn node_at(self, place: Place<'t>) -> Option<NodeRef> {
        match place {
            Place::Root => Some(NodeRef::ROOT),
            Place::Spot(spot) => self.node(spot),
        }
    }

    fn no_such(self, place: Place<'t>, found: String, missing: String) -> NoSuchPath {
        let (node, count) = match place {
            Place::Root => (Some(NodeRef::ROOT), None),
            Place::Spot(spot) => match self.value(spot).item {
                Item::Array(array) => (None, Some(self.0.count(array) as usize)),
                _ => (self.node(spot), None),
            },
        };
        let mut names = Vec::new();
        if let Some(node) = node {
            self.child_names(node, &mut names);
        }
        NoSuchPath { found, missing, names, count }
    }

    /// Path of a row or element, with what it is if it has no name; of a record as a whole, its.
    pub(crate) fn path(self, loc: Loc) -> String {
        let Some(row) = self.0.record(loc.node).rows.get(loc.row.index()) else {
            return self.0.node_path(loc.node).to_string();
        };
        let path = self.0.path(loc);
        match (&row.name, self.is_seen_through(row)) {
            (None, false) => format!("{path} ({})", row_word(row)),
            _ => path.to_string(),
        }
    }

    /// Whether the rows of the struct or case in a row are reached without a step of its own.
    pub(crate) fn is_seen_through(self, row: &Row) -> bool {
        let inner = row.ty.stripped();
        match &row.name {
            None => matches!(inner, Type::Record(_) | Type::Union(_)),
            Some(_) => self.0.model().is_body(inner),
        }
    }
}

impl<'t> Ground for Places<'t> {
    type Place = Place<'t>;
    type Key = Option<Loc>;

    fn key(&self, at: Place<'t>) -> Option<Loc> {
        match at {
            Place::Root => None,
            Place::Spot(spot) => Some(spot.loc),
        }
    }

    fn fields(&self, at: Place<'t>, name: &str) -> Vec<Place<'t>> {
        let mut found = Vec::new();
        if let Some(node) = self.node_at(at) {
            self.children(node, name, &mut found);
        }
        found.into_iter().map(Place::Spot).collect()
    }

    fn element(&self, at: Place<'t>, index: usize) -> Option<Place<'t>> {
        let spot = match at {
            Place::Spot(spot) => spot,
            Place::Root => {
                let row = self.0.record(NodeRef::ROOT).transparent?;
                self.spot(NodeRef::ROOT, row)
            }
        };
        Places::element(*self, spot, u32::try_from(index).ok()?).map(Place::Spot)
    }

    fn case(&self, at: Place<'t>, name: &str) -> Option<Place<'t>> {
        self.case_in(self.node_at(at)?, at, name)
    }
}

/// The rows that spell a case, if it has forms.
pub(crate) fn form_of(node: NodeRef) -> Option<NodeRef> {
    let rows = node.as_rows();
    (rows != node).then_some(rows)
}

/// What a row is called that has no name, or no type.
pub(crate) fn row_word(row: &Row) -> &'static str {
    match &row.kind {
        RowKind::Zero | RowKind::Zeros => "zero",
        RowKind::Reserved => "reserved",
        RowKind::Runtime => "runtime",
        RowKind::Constant(_) => match row.ty.stripped() {
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
