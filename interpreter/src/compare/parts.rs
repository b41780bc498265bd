//! The value of a file with the place of each of its parts.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use formwork::engine::{ArrayRef, CASE, Item, Loc, NodeRef, Tree, Unfinished, WHOLE, Walk};
use formwork_model::{ArrayLength, Expr, Row, RowId, RowKind, Type};

use super::align::NONE;
use super::hash::Quick;
use super::keys::{KeyPath, Keys};
use crate::json;
use crate::paths::{push_index, push_name};
use crate::shape::Shapes;
use crate::stack::with_stack;
use crate::value::{StructValue, UnionValue, Value};
use crate::view::{element_type, target_type};

/// Position in [`Parts::all`]; parts come behind what they are in.
pub(crate) type PartId = u32;

/// The whole value.
pub(crate) const ROOT: PartId = 0;

/// Structs and arrays, and what is in them.
pub(crate) struct Parts<'t> {
    pub tree: &'t Tree<'t, 't>,
    pub all: Vec<Part<'t>>,
    /// By the position of a node of its own: the part that has its fields, or stands for it.
    own: Vec<PartId>,
    /// The same of elements that are in the array of somebody else.
    foreign: HashMap<NodeRef, PartId, Quick>,
    /// What names the elements of an array.
    named: HashMap<PartId, Rc<KeyPath>, Quick>,
    /// Arrays whose elements references may lead to.
    targets: HashSet<PartId, Quick>,
    /// Of references by the content of a field: its name.
    keyed: HashMap<PartId, &'t str, Quick>,
    /// The contents of such a field in an array, in order, with the positions of the elements.
    contents: HashMap<(PartId, &'t str), Vec<(i128, u32)>>,
    /// By array: what describes its elements.
    described: HashMap<PartId, Described, Quick>,
}

/// What describes the elements of an array.
pub(crate) struct Described {
    /// The array whose elements do; none if none of these is described.
    pub list: Option<PartId>,
    /// Of each element, the position in that; [`NONE`] if nothing describes it.
    pub by: Vec<u32>,
}

/// A value that stands in a row or is an element.
pub(crate) struct Part<'t> {
    pub what: What,
    /// The row or element.
    pub loc: Loc,
    /// Type of the value itself: behind pointers and structs that stand for it.
    pub ty: &'t Type,
    pub parent: PartId,
    /// Fields or elements.
    first: PartId,
    count: u32,
    /// Of references: the array that they lead into, or [`NONE`].
    target: PartId,
    /// Digest of what it says, but for what it refers to.
    pub(super) weak: u64,
    /// The same with what it refers to, as far as this file alone says it.
    pub(super) strong: u64,
}

/// Kind of a [`Part`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum What {
    /// Not read, because reading failed before.
    Unread,
    /// Nothing is there.
    None,
    /// A number, text or bytes.
    Leaf(Item),
    /// Numbers, which are no parts of their own.
    Numbers(ArrayRef),
    /// Elements; whether they are all that there are.
    List(bool),
    /// Fields.
    Struct(NodeRef),
    /// Fields of a case.
    Case(NodeRef),
}

/// A part, or one of the numbers that a part consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spot {
    pub part: PartId,
    pub number: Option<u32>,
}

impl Spot {
    pub(crate) fn part(part: PartId) -> Spot {
        Spot { part, number: None }
    }
}

/// All rows of a file that hold references, and slices, which may have them.
pub(crate) fn reference_rows(tree: &Tree<'_, '_>) -> Vec<Loc> {
    rows_where(tree, |row| row.reference.is_some() || matches!(row.kind, RowKind::Slice { .. }))
}

/// All rows of a file whose elements something else describes.
pub(crate) fn described_rows(tree: &Tree<'_, '_>) -> Vec<Loc> {
    rows_where(tree, |row| row.ty.one_for_each(tree.model()).is_some())
}

fn rows_where(tree: &Tree<'_, '_>, is_it: impl Fn(&Row) -> bool) -> Vec<Loc> {
    let records = tree.model().records.iter();
    let have: Vec<bool> = records.map(|record| record.rows.iter().any(&is_it)).collect();
    let mut rows = Vec::new();
    if !have.contains(&true) {
        return rows;
    }
    let mut walk = Walk::all(tree);
    while let Some(node) = walk.next(tree) {
        if have[tree.record_id(node).index()] {
            let all = tree.record(node).numbered_rows();
            let all = all.filter(|(_, row)| is_it(row));
            rows.extend(all.map(|(row, _)| Loc::row(node, row)));
        }
    }
    rows
}

impl<'t> Parts<'t> {
    /// The parts of a file; `referred` says the arrays that the references in some rows lead into,
    /// `described` what describes the elements of others.
    pub(crate) fn new(
        tree: &'t Tree<'t, 't>,
        referred: &[(Loc, Option<Loc>)],
        described: &[(Loc, Vec<Option<Loc>>)],
    ) -> Parts<'t> {
        let mut left: HashMap<Loc, Vec<Unfinished>, Quick> = HashMap::default();
        for nodes in tree.unfinished() {
            left.entry(nodes.row).or_default().push(nodes);
        }
        let parts = Parts {
            tree,
            all: Vec::new(),
            own: Vec::new(),
            foreign: HashMap::default(),
            named: HashMap::default(),
            targets: HashSet::default(),
            keyed: HashMap::default(),
            contents: HashMap::default(),
            described: HashMap::default(),
        };
        let keys = Keys::of(tree.model());
        let mut builder = Builder { parts, keys, left };
        builder.root();
        let mut parts = builder.parts;
        for (row, array) in referred {
            // The rows of a form stand for those of its case.
            let part = |loc: Loc| parts.at(tree.logical(loc));
            if let (Some(id), Some(array)) = (part(*row), array.and_then(part)) {
                let reference = tree.row(*row).reference.as_ref();
                parts.refer(id, array, reference.and_then(|it| it.field.as_deref()));
            }
        }
        for (row, by) in described {
            parts.describe(*row, by);
        }
        parts.digest();
        parts
    }

    /// Says what describes the elements in a row, if the elements of one array do.
    fn describe(&mut self, row: Loc, by: &[Option<Loc>]) {
        let Some(id) = self.at(self.tree.logical(row)) else { return };
        // The innermost element around what describes one.
        let element = |mut loc: Loc| {
            while loc.index().is_none() {
                loc = self.tree.holder(loc.node)?;
            }
            Some((loc.whole_row(), loc.index()?))
        };
        if self.length(id) != u32::try_from(by.len()).ok() {
            return;
        }
        let Some(each) = self.tree.row(row).ty.one_for_each(self.tree.model()) else { return };
        let places: Vec<_> = by.iter().map(|by| by.and_then(element)).collect();
        let mut rows =
            places.iter().skip(each.leading as usize).map(|place| Some(place.as_ref()?.0));
        let first = rows.next().unwrap_or_default();
        if rows.any(|row| row.is_none() || row != first) {
            return;
        }
        let list = first.and_then(|row| self.at(self.tree.logical(row)));
        let list = list.filter(|list| self.length(*list).is_some());
        if list.is_some() || by.len() == each.leading as usize {
            let by = places.iter().map(|place| place.map_or(NONE, |(_, at)| at)).collect();
            self.described.insert(id, Described { list, by });
            self.targets.extend(list);
        }
    }

    /// Arrays whose elements those of others describe, with these.
    pub(crate) fn all_described(&self) -> impl Iterator<Item = (PartId, PartId)> {
        self.described.iter().filter_map(|(id, described)| Some((*id, described.list?)))
    }

    /// What describes the elements of an array.
    pub(crate) fn described(&self, list: PartId) -> Option<&Described> {
        self.described.get(&list)
    }

    /// Says what the references in a row lead into, and the field that they go by.
    fn refer(&mut self, row: PartId, array: PartId, field: Option<&'t str>) {
        let elements = match self.part(row).what {
            What::List(_) => self.inside(row),
            _ => 0..0,
        };
        for id in std::iter::once(row).chain(elements) {
            self.all[id as usize].target = array;
            if let Some(field) = field {
                self.keyed.insert(id, field);
            }
        }
        if let Some(field) = field
            && !self.contents.contains_key(&(array, field))
        {
            let all = (0..).zip(self.inside(array));
            let content = |(at, element)| Some((self.content(element, field)?, at));
            let mut contents: Vec<_> = all.filter_map(content).collect();
            contents.sort_unstable();
            self.contents.insert((array, field), contents);
        }
    }

    /// The number in a field of an element.
    pub(crate) fn content(&self, element: PartId, field: &str) -> Option<i128> {
        match self.part(self.field(element, field)?).what {
            What::Leaf(item) => self.tree.int(item),
            _ => None,
        }
    }

    /// The fields of elements that references go by.
    pub(crate) fn key_fields(&self) -> impl Iterator<Item = &'t str> {
        self.contents.keys().map(|(_, field)| *field)
    }

    /// The field that a reference goes by, if it holds no position.
    pub(crate) fn keyed(&self, id: PartId) -> Option<&'t str> {
        self.keyed.get(&id).copied()
    }

    pub(crate) fn part(&self, id: PartId) -> &Part<'t> {
        &self.all[id as usize]
    }

    /// Fields or elements.
    pub(crate) fn inside(&self, id: PartId) -> std::ops::Range<PartId> {
        let part = self.part(id);
        part.first..part.first + part.count
    }

    /// The part in a row or element, also of a struct that stands for it.
    pub(crate) fn at(&self, loc: Loc) -> Option<PartId> {
        if loc.row == WHOLE {
            return (loc.node == NodeRef::ROOT).then_some(ROOT);
        }
        let owner = self.of_node(loc.node)?;
        let part = if self.has_fields_of(owner, loc.node) {
            // Fields are in the order of their rows.
            let Part { first, count, .. } = *self.part(owner);
            let fields = &self.all[first as usize..(first + count) as usize];
            let at = fields.partition_point(|field| field.loc.row < loc.row);
            fields.get(at).filter(|field| field.loc.row == loc.row)?;
            first + u32::try_from(at).ok()?
        } else {
            Some(owner).filter(|_| self.tree.record(loc.node).transparent == Some(loc.row))?
        };
        let Some(index) = loc.index() else { return Some(part) };
        let is_there =
            matches!(self.part(part).what, What::List(_)) && index < self.part(part).count;
        let element = is_there.then(|| self.part(part).first + index)?;
        (self.part(element).loc == loc).then_some(element)
    }

    /// The part that has the fields of a node, or stands for it.
    pub(crate) fn of_node(&self, node: NodeRef) -> Option<PartId> {
        let found = if !node.is_element() && matches!(node.part, 0 | CASE) {
            self.own.get(node.id as usize).copied().filter(|id| *id != NONE)?
        } else if let Some(found) = self.foreign.get(&node) {
            *found
        } else {
            self.at(self.tree.holder(node)?)?
        };
        let is_it = self.has_fields_of(found, node) || self.tree.record(node).transparent.is_some();
        is_it.then_some(found)
    }

    fn has_fields_of(&self, id: PartId, node: NodeRef) -> bool {
        matches!(self.part(id).what, What::Struct(own) | What::Case(own) if own == node)
    }

    /// Name of the case.
    pub(crate) fn case(&self, node: NodeRef) -> &'t str {
        self.tree.case_of(node).map_or("", |(union, case)| &union.cases[case].name)
    }

    /// Number of elements of an array; none of what is no array.
    pub(crate) fn length(&self, id: PartId) -> Option<u32> {
        match self.part(id).what {
            What::Numbers(array) => Some(self.tree.count(array)),
            What::List(_) => Some(self.part(id).count),
            _ => None,
        }
    }

    /// An element of an array.
    pub(crate) fn element(&self, list: PartId, index: u32) -> Spot {
        match self.part(list).what {
            What::List(_) => Spot::part(self.part(list).first + index),
            _ => Spot { part: list, number: Some(index) },
        }
    }

    /// What is in a row or element, if it has no parts.
    pub(crate) fn item(&self, spot: Spot) -> Item {
        match (spot.number, self.part(spot.part).what) {
            (Some(index), _) => self.number(spot.part, index),
            (None, What::Leaf(item)) => item,
            _ => Item::Absent,
        }
    }

    /// What is in a row or element.
    pub(crate) fn what_at(&self, spot: Spot) -> What {
        match spot.number {
            Some(index) => match self.number(spot.part, index) {
                Item::Absent | Item::Unset => What::None,
                item => What::Leaf(item),
            },
            None => self.part(spot.part).what,
        }
    }

    /// Whether anything is there.
    pub(crate) fn says_something(&self, spot: Spot) -> bool {
        !matches!(self.what_at(spot), What::None | What::Unread)
    }

    /// A number among numbers.
    pub(crate) fn number(&self, id: PartId, index: u32) -> Item {
        match self.part(id).what {
            What::Numbers(array) => self.tree.element(array, index).unwrap_or(Item::Absent),
            _ => Item::Absent,
        }
    }

    /// Whether the schema says a constant number of elements.
    pub(crate) fn has_constant_length(&self, list: PartId) -> bool {
        match self.part(list).ty.stripped() {
            Type::Array(array) => match array.length {
                ArrayLength::Count(count) => matches!(self.tree.model()[count], Expr::Int(_)),
                ArrayLength::Fill | ArrayLength::Last(_) => false,
            },
            _ => false,
        }
    }

    /// The array that a reference, or those in an array, lead into.
    pub(crate) fn target(&self, id: PartId) -> Option<PartId> {
        Some(self.part(id).target).filter(|target| *target != NONE)
    }

    /// Whether references may lead to the elements of an array.
    pub(crate) fn is_target(&self, list: PartId) -> bool {
        self.targets.contains(&list)
    }

    /// The position of the element that a reference leads to: of those that have its number in their
    /// field, the first.
    pub(crate) fn position(&self, spot: Spot) -> Option<u32> {
        self.positions(spot).next()
    }

    /// The positions of all elements that a reference may mean.
    pub(crate) fn positions(&self, spot: Spot) -> impl Iterator<Item = u32> {
        let number = self.tree.int(self.item(spot));
        let keyed = self.keyed(spot.part).map(|field| (self.part(spot.part).target, field));
        let contents = match (number, keyed) {
            (Some(number), Some(key)) => {
                let all = self.contents.get(&key).map_or(&[][..], Vec::as_slice);
                let all = &all[all.partition_point(|(content, _)| *content < number)..];
                &all[..all.partition_point(|(content, _)| *content == number)]
            }
            _ => &[],
        };
        let own = number.filter(|_| keyed.is_none()).and_then(|number| u32::try_from(number).ok());
        own.into_iter().chain(contents.iter().map(|(_, at)| *at))
    }

    /// What names the elements of an array, if each has something.
    pub(crate) fn names(&self, array: PartId) -> Option<Vec<PartId>> {
        let path = self.named.get(&array)?;
        self.inside(array).map(|element| self.key(element, path)).collect()
    }

    /// What names an element.
    pub(crate) fn name_of(&self, element: PartId) -> Option<PartId> {
        let path = self.named.get(&self.part(element).parent)?;
        self.key(element, path)
    }

    fn key(&self, element: PartId, path: &KeyPath) -> Option<PartId> {
        let mut here = element;
        for name in path {
            here = self.field(here, name)?;
        }
        matches!(self.part(here).what, What::Leaf(_)).then_some(here)
    }

    /// A field of a struct by name; those of structs without names are its own.
    pub(crate) fn field(&self, id: PartId, name: &str) -> Option<PartId> {
        let named = |inner: &PartId| self.row_name(*inner) == Some(name);
        self.inside(id).find(named).or_else(|| {
            let unnamed = |inner: &PartId| self.shown_name(*inner).is_none();
            let is_struct = !matches!(self.part(id).what, What::List(_));
            let mut inner = self.inside(id).filter(unnamed).filter(|_| is_struct);
            inner.find_map(|inner| self.field(inner, name))
        })
    }

    /// Name of the row that a field is in; none of elements, and of structs without a name.
    pub(crate) fn row_name(&self, id: PartId) -> Option<&'t str> {
        let part = self.part(id);
        if part.loc.index().is_some() || id == ROOT {
            return None;
        }
        self.tree.record(part.loc.node).rows[part.loc.row.index()].name.as_deref()
    }

    /// Name of a field in paths: that of its row, unless that is seen through.
    fn shown_name(&self, id: PartId) -> Option<&'t str> {
        let part = self.part(id);
        if part.loc.index().is_some() || id == ROOT {
            return None;
        }
        let row = &self.tree.record(part.loc.node).rows[part.loc.row.index()];
        row.name.as_deref().filter(|_| !self.tree.model().is_body(&row.ty))
    }

    /// Whether two numbers, texts or byte runs are equal.
    pub(crate) fn same(&self, item: Item, other: &Parts<'_>, its: Item) -> bool {
        match (item, its) {
            (Item::F32(a), Item::F32(b)) => a == b,
            (Item::F64(a), Item::F64(b)) => a == b,
            (Item::Bool(a), Item::Bool(b)) => a == b,
            (Item::Text(a), Item::Text(b)) => self.tree.text(a) == other.tree.text(b),
            (Item::Bytes(a), Item::Bytes(b)) => self.tree.bytes(a) == other.tree.bytes(b),
            (Item::Units(start, len), Item::Units(at, count)) => {
                self.tree.units(start, len) == other.tree.units(at, count)
            }
            (Item::Absent | Item::Unset, Item::Absent | Item::Unset) => true,
            (a, b) => match (self.tree.int(a), other.tree.int(b)) {
                (Some(a), Some(b)) => a == b,
                _ => false,
            },
        }
    }

    /// Path of a part, as listings have it.
    pub(crate) fn path(&self, spot: Spot) -> String {
        let mut steps = Vec::new();
        let mut here = spot.part;
        while here != ROOT {
            steps.push(here);
            here = self.part(here).parent;
        }
        let mut path = String::new();
        for step in steps.into_iter().rev() {
            let part = self.part(step);
            let parent = self.part(part.parent);
            match (parent.what, self.shown_name(step)) {
                (What::List(_), _) => push_index(&mut path, step - parent.first),
                (_, Some(name)) => push_name(&mut path, name),
                (_, None) => {}
            }
        }
        if let Some(index) = spot.number {
            push_index(&mut path, index);
        }
        path
    }

    /// A part as a value, without how it is spelled.
    pub(crate) fn value(&self, id: PartId) -> Value {
        let part = self.part(id);
        match part.what {
            What::Unread | What::None => Value::None,
            What::Leaf(item) => self.item_value(item),
            What::Numbers(array) => {
                let all = 0..self.tree.count(array);
                Value::Array(all.map(|at| self.item_value(self.number(id, at))).collect())
            }
            What::List(_) => with_stack(|| {
                Value::Array(self.inside(id).map(|element| self.value(element)).collect())
            }),
            What::Struct(_) => with_stack(|| Value::Struct(self.fields(id))),
            What::Case(node) => with_stack(|| {
                let case = self.case(node).to_owned();
                Value::Union(Box::new(UnionValue { case, value: self.fields(id) }))
            }),
        }
    }

    fn fields(&self, id: PartId) -> StructValue {
        let mut value = StructValue::default();
        for field in self.inside(id) {
            match self.row_name(field) {
                Some(name) => value.fields.push((name.to_owned(), self.value(field))),
                None => value.fields.extend(self.fields(field).fields),
            }
        }
        value
    }

    /// A number, text or byte run as a value.
    pub(crate) fn item_value(&self, item: Item) -> Value {
        match item {
            Item::F32(bits) => Value::Float { bits: bits.into(), bytes: 4 },
            Item::F64(bits) => Value::Float { bits, bytes: 8 },
            Item::Bool(yes) => Value::Bool(yes),
            Item::Text(text) => Value::Text(self.tree.text(text).to_owned()),
            Item::Bytes(bytes) => Value::Bytes(self.tree.bytes(bytes).to_vec()),
            Item::Units(start, len) => match String::from_utf16(self.tree.units(start, len)) {
                Ok(text) => Value::Text(text),
                Err(_) => Value::Units(self.tree.units(start, len).to_vec()),
            },
            item => self.tree.int(item).map_or(Value::None, Value::Int),
        }
    }

    /// A part as a JSON text on one line.
    pub(crate) fn json(&self, spot: Spot) -> String {
        let part = self.part(spot.part);
        let shapes = Shapes { model: self.tree.model(), epoch: None };
        let (value, shape) = match (spot.number, part.what) {
            (Some(_), _) => (self.item_value(self.item(spot)), shapes.of(element_type(part.ty))),
            (None, What::Struct(_)) if spot.part == ROOT => (self.value(ROOT), shapes.root()),
            (None, _) => (self.value(spot.part), shapes.of(part.ty)),
        };
        json::fragment(shapes, &value, Some(shape))
    }

    /// How much there is to tell two values apart by.
    pub(super) fn weight(&self, id: PartId) -> u32 {
        match self.part(id).what {
            What::Unread | What::None => 0,
            What::Leaf(item) if self.tree.is_zero(item) => 1,
            What::Leaf(Item::Text(_) | Item::Bytes(_) | Item::Units(..)) => 8,
            What::Leaf(_) => 2,
            What::Numbers(array) => self.tree.count(array).min(8),
            What::List(_) | What::Struct(_) | What::Case(_) => 4,
        }
    }

    /// How much there is to tell an element apart by, other than what names it.
    pub(crate) fn substance(&self, element: PartId, name: PartId) -> u32 {
        let others = self.inside(element).filter(|field| *field != name);
        others.map(|field| self.weight(field)).sum()
    }
}

/// The fields of two structs, by their names.
pub(crate) fn fields(
    a: &Parts<'_>,
    of_a: PartId,
    b: &Parts<'_>,
    of_b: PartId,
) -> Vec<(Option<PartId>, Option<PartId>)> {
    // Structs of one record have the same rows in the same order, but for those that are not there.
    fn row<'t>(parts: &Parts<'t>, id: PartId) -> Result<&'t str, RowId> {
        parts.row_name(id).ok_or(parts.part(id).loc.row)
    }
    let (inside, mut others) = (a.inside(of_a), b.inside(of_b));
    let mut pairs = Vec::with_capacity(inside.len());
    let mut passed = Vec::new();
    for field in inside {
        let name = row(a, field);
        if let Some(at) = passed.iter().position(|its| row(b, *its) == name) {
            pairs.push((Some(field), Some(passed.remove(at))));
            continue;
        }
        match others.clone().find(|its| row(b, *its) == name) {
            Some(its) => {
                passed.extend(others.start..its);
                others.start = its + 1;
                pairs.push((Some(field), Some(its)));
            }
            None => pairs.push((Some(field), None)),
        }
    }
    let known = pairs.len();
    pairs.extend(passed.into_iter().chain(others).map(|its| (None, Some(its))));
    if pairs.len() > known {
        // What only the other has comes where the schema has it.
        pairs.sort_by_key(|pair| match pair {
            (Some(own), _) => a.part(*own).loc.row,
            (None, Some(its)) => b.part(*its).loc.row,
            (None, None) => RowId(0),
        });
    }
    pairs
}

struct Builder<'t> {
    parts: Parts<'t>,
    keys: Keys,
    /// Nodes that no row leads to, because reading failed before their row was finished.
    left: HashMap<Loc, Vec<Unfinished>, Quick>,
}

/// Something whose part is made: what is in a row or element.
#[derive(Clone, Copy)]
struct Entry<'t> {
    item: Item,
    loc: Loc,
    ty: &'t Type,
}

impl<'t> Builder<'t> {
    fn root(&mut self) {
        let loc = Loc::row(NodeRef::ROOT, WHOLE);
        self.parts.all.push(Part::empty(loc, &Type::Nothing, ROOT));
        let item = Item::Node(NodeRef::ROOT);
        self.fill(ROOT, Entry { item, loc, ty: &Type::Nothing });
    }

    /// Makes a part of what is in a row or element.
    fn fill(&mut self, id: PartId, entry: Entry<'t>) {
        let Entry { mut item, loc, mut ty } = entry;
        let tree = self.parts.tree;
        // Where what is told of is: of structs that stand for a row, that row.
        let mut here = loc;
        loop {
            if let Some(pointer) = tree.pointer_view(item) {
                (item, ty) = (pointer.target, target_type(ty));
                continue;
            }
            let Item::Node(node) = item else { break };
            self.know(node, here, id);
            let record = tree.record(node);
            let Some(only) = record.transparent else { break };
            here = Loc::row(node, only);
            (item, ty) = (tree.entry(here), &record.rows[only.index()].ty);
        }
        let part = &mut self.parts.all[id as usize];
        part.ty = ty;
        match item {
            Item::Unset => self.fill_unfinished(id, here, ty),
            Item::Absent => part.what = What::None,
            Item::Node(node) => {
                part.what = match tree.case_of(node) {
                    Some(_) => What::Case(node),
                    None => What::Struct(node),
                };
                with_stack(|| self.fill_fields(id, node));
            }
            Item::Array(array) => with_stack(|| self.fill_array(id, array, here, ty)),
            item => part.what = What::Leaf(item),
        }
    }

    fn fill_fields(&mut self, id: PartId, node: NodeRef) {
        let tree = self.parts.tree;
        let model = tree.model();
        let record = tree.record(node);
        let is_field = |(row, definition): &(RowId, &'t Row)| {
            let loc = Loc::row(node, *row);
            if !tree.is_data(loc, definition) {
                return false;
            }
            match &definition.name {
                Some(_) => model.carries_data(&definition.ty),
                None => matches!(tree.entry(loc), Item::Node(_)),
            }
        };
        let rows: Vec<(RowId, &'t Row)> = record.numbered_rows().filter(is_field).collect();
        let first = self.reserve(id, rows.len());
        for (field, (row, definition)) in (first..).zip(rows) {
            let loc = Loc::row(node, row);
            self.parts.all[field as usize] = Part::empty(loc, &definition.ty, id);
            let item = tree.entry(loc);
            match (&definition.name, item) {
                (None, Item::Node(inner)) => {
                    self.parts.all[field as usize].what = What::Struct(inner);
                    self.know(inner, loc, field);
                    with_stack(|| self.fill_fields(field, inner));
                }
                _ => self.fill(field, Entry { item, loc, ty: &definition.ty }),
            }
        }
    }

    /// Remembers the part of a node, unless that follows from what holds it.
    fn know(&mut self, node: NodeRef, here: Loc, id: PartId) {
        if !node.is_element() && matches!(node.part, 0 | CASE) {
            let own = &mut self.parts.own;
            let at = node.id as usize;
            if own.len() <= at {
                own.resize(at + 1, NONE);
            }
            own[at] = id;
        } else if self.parts.tree.holder(node) != Some(here) {
            self.parts.foreign.insert(node, id);
        }
    }

    fn fill_array(&mut self, id: PartId, array: ArrayRef, here: Loc, ty: &'t Type) {
        let tree = self.parts.tree;
        if self.keys.is_target(tree.record_id(here.node), here.row) {
            self.parts.targets.insert(id);
        }
        if tree.has_only_numbers(array) {
            self.parts.all[id as usize].what = What::Numbers(array);
            return;
        }
        let element = element_type(ty);
        let count = tree.count(array);
        self.parts.all[id as usize].what = What::List(true);
        let first = self.reserve(id, count as usize);
        for (index, part) in (0..count).zip(first..) {
            // Elements of elements have no place of their own.
            let loc = if here.index().is_none() { here.at(index) } else { here };
            let item = tree.element(array, index).unwrap_or(Item::Absent);
            self.parts.all[part as usize] = Part::empty(loc, element, id);
            self.fill(part, Entry { item, loc, ty: element });
        }
        self.name_elements(id, here);
    }

    /// What was read of a row in which reading failed.
    fn fill_unfinished(&mut self, id: PartId, here: Loc, ty: &'t Type) {
        let Some(nodes) = self.left.get(&here.whole_row()) else { return };
        let all: Vec<(NodeRef, Option<u32>)> = nodes
            .iter()
            .flat_map(|some| {
                (0..some.count).map(|n| (some.node(n), some.index.map(|first| first + n)))
            })
            .collect();
        let held = |node| Item::Node(node);
        if let Some(index) = here.index() {
            if let Some((node, _)) = all.iter().find(|(_, at)| *at == Some(index)) {
                self.fill(id, Entry { item: held(*node), loc: here, ty });
            }
            return;
        }
        if let [(node, None)] = all[..] {
            self.fill(id, Entry { item: held(node), loc: here, ty });
            return;
        }
        self.parts.all[id as usize].what = What::List(false);
        let element = element_type(ty);
        let first = self.reserve(id, all.len());
        for (part, (index, (node, _))) in (first..).zip((0..).zip(all)) {
            let loc = here.at(index);
            self.parts.all[part as usize] = Part::empty(loc, element, id);
            self.fill(part, Entry { item: held(node), loc, ty: element });
        }
        self.name_elements(id, here);
    }

    /// Remembers what names the elements of an array.
    fn name_elements(&mut self, id: PartId, here: Loc) {
        let tree = self.parts.tree;
        let Some(element) = self.parts.inside(id).next() else { return };
        let record = tree.record_id(here.node);
        let own = || match self.parts.part(element).what {
            What::Struct(node) | What::Case(node) => self.keys.of_element(tree.record_id(node)),
            _ => None,
        };
        if let Some(path) = self.keys.of_array(record, here.row).or_else(own) {
            let path = Rc::clone(path);
            self.parts.named.insert(id, path);
        }
    }

    /// Makes room for what is in a part.
    fn reserve(&mut self, id: PartId, count: usize) -> PartId {
        let all = &mut self.parts.all;
        let first = u32::try_from(all.len()).unwrap_or(u32::MAX);
        let loc = all[id as usize].loc;
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        all.extend((0..count).map(|_| Part::empty(loc, &Type::Nothing, id)));
        (all[id as usize].first, all[id as usize].count) = (first, count);
        first
    }
}

impl<'t> Part<'t> {
    fn empty(loc: Loc, ty: &'t Type, parent: PartId) -> Part<'t> {
        Part {
            what: What::Unread,
            loc,
            ty,
            parent,
            first: 0,
            count: 0,
            target: NONE,
            weak: 0,
            strong: 0,
        }
    }
}
