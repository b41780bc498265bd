//! Goes through the tree in the order of the schema.

use std::collections::HashMap;
use std::ops::ControlFlow;

use formwork_model::{
    Cell, Home, PointerKind, RecordKind, Row, RowId, RowKind, Storage, Tag, Type, Union,
};

use super::place::{Place, Spot, join};
use super::show::{bit_width, is_number, role_name, show, stored, type_name};
use super::{FieldKind, FieldView, NoSuchPath, WalkOptions};
use crate::engine::Engine;
use crate::tree::{Item, NodeId, UNPLACED};

/// Something still to be shown. A stack of these instead of recursion: how deep a tree may be is
/// up to the reader.
enum Task<'t> {
    /// The rows of a node from this one on.
    Rows { node: NodeId, next: u32, path: String, depth: usize },
    /// A row or element, and what is in it.
    Spot { spot: Spot<'t>, path: String, name: String, depth: usize },
    /// The elements of an array from this one on.
    Elements { array: Spot<'t>, next: usize, path: String, depth: usize },
    /// A line that is made already.
    Line(Box<FieldView>),
}

pub(crate) struct Walk<'t, 'm, 'b> {
    engine: &'t Engine<'m, 'b>,
    options: &'t WalkOptions,
    todo: Vec<Task<'t>>,
    /// Nodes by the row that holds them, to find those of arrays and targets that were never
    /// finished.
    held: HashMap<(NodeId, RowId), Vec<NodeId>>,
    /// The same, by their positions in the array in the row.
    elements: HashMap<(NodeId, RowId, u32), NodeId>,
}

/// Called for each field; may end the walk.
pub(crate) type Visitor<'v> = dyn FnMut(&FieldView) -> ControlFlow<()> + 'v;

impl<'m, 'b> Engine<'m, 'b> {
    /// Calls `visit` for a field and everything below it, or for the whole file.
    pub(crate) fn walk(
        &self,
        path: Option<&str>,
        options: &WalkOptions,
        visit: &mut Visitor<'_>,
    ) -> Result<(), NoSuchPath> {
        if self.tree.nodes.is_empty() {
            // Reading ended before it began.
            return Ok(());
        }
        let mut walk = Walk {
            engine: self,
            options,
            todo: Vec::new(),
            held: HashMap::new(),
            elements: HashMap::new(),
        };
        walk.find_unfinished();
        match self.place_at(path.unwrap_or_default())? {
            Place::Root(root) => {
                let line = walk.root_line(root);
                walk.todo.push(Task::Rows { node: root, next: 0, path: String::new(), depth: 1 });
                walk.todo.push(Task::Line(Box::new(line)));
            }
            Place::Spot(spot) => {
                let path = path.unwrap_or_default().to_owned();
                let path = match path.strip_prefix(&format!("{}.", self.model.name)) {
                    Some(rest) if self.place_at(rest).is_ok() => rest.to_owned(),
                    _ => path,
                };
                let name = path.clone();
                walk.todo.push(Task::Spot { spot, path, name, depth: 0 });
            }
        }
        walk.run(visit);
        Ok(())
    }
}

impl<'t> Walk<'t, '_, '_> {
    fn run(&mut self, visit: &mut Visitor<'_>) {
        while let Some(task) = self.todo.pop() {
            let line = match task {
                Task::Line(line) => Some(*line),
                Task::Rows { node, next, path, depth } => {
                    self.row(node, next, path, depth);
                    None
                }
                Task::Spot { spot, path, name, depth } => Some(self.field(spot, path, name, depth)),
                Task::Elements { array, next, path, depth } => {
                    self.element(array, next, path, depth)
                }
            };
            if let Some(line) = line
                && visit(&line).is_break()
            {
                return;
            }
        }
    }

    /// Remembers which nodes no row leads to, because reading failed inside of them.
    fn find_unfinished(&mut self) {
        let tree = &self.engine.tree;
        let mut known: HashMap<(NodeId, RowId), bool> = HashMap::new();
        for (index, node) in (0_u32..).zip(&tree.nodes) {
            let Some(owner) = node.owner else { continue };
            let row = (owner, node.owner_row);
            let unfinished = *known.entry(row).or_insert_with(|| {
                let slot = tree.node(owner).slots.get(node.owner_row.index());
                slot.is_some_and(|slot| is_unfinished(&slot.item))
            });
            if unfinished {
                self.held.entry(row).or_default().push(NodeId(index));
                if let Some(position) = node.index {
                    self.elements.insert((row.0, row.1, position), NodeId(index));
                }
            }
        }
    }

    fn root_line(&self, root: NodeId) -> FieldView {
        let node = self.engine.tree.node(root);
        let placed = node.at != UNPLACED && node.end != UNPLACED;
        FieldView {
            path: String::new(),
            name: self.engine.model.name.clone(),
            offset: (node.at != UNPLACED).then_some(node.at),
            size: if placed { node.end - node.at } else { 0 },
            type_name: self.engine.record(root).name.clone(),
            role: "data",
            value: self.case_label(root).unwrap_or_default().to_owned(),
            kind: FieldKind::Struct,
            ..FieldView::default()
        }
    }

    /// Puts off the other rows of a node, and shows one.
    fn row(&mut self, node: NodeId, next: u32, path: String, depth: usize) {
        let engine = self.engine;
        let record = engine.record(node);
        let Some(row) = record.rows.get(next as usize) else {
            // The spelling of a case with forms comes behind its logical rows.
            if let Some((_, form)) = engine.tree.node(node).form {
                self.todo.push(Task::Rows { node: form, next: 0, path, depth });
            }
            return;
        };
        let id = RowId(next);
        let here = path.clone();
        self.todo.push(Task::Rows { node, next: next.saturating_add(1), path, depth });
        let spot = engine.spot(node, id);
        if !self.is_shown(node, row, spot) {
            return;
        }
        if engine.is_seen_through(row) {
            if let Some(inner) = engine.node_in(spot) {
                self.todo.push(Task::Rows { node: inner, next: 0, path: here.clone(), depth });
                if let Some(tag) = self.tag_line(spot, inner, &here, depth) {
                    self.todo.push(Task::Line(Box::new(tag)));
                }
            }
            return;
        }
        let path = match &row.name {
            Some(name) if record.transparent != Some(id) => join(&here, name),
            _ => here,
        };
        let name = row.name.clone().unwrap_or_else(|| engine.row_word(row).to_owned());
        self.todo.push(Task::Spot { spot, path, name, depth });
    }

    fn is_shown(&self, node: NodeId, row: &Row, spot: Spot<'_>) -> bool {
        let engine = self.engine;
        match spot.item {
            Item::Unset => {
                spot.at != UNPLACED || self.held.contains_key(&(spot.loc.node, spot.loc.row))
            }
            Item::Absent => row.when.is_none() && engine.home(row) != Home::Absent,
            _ => {
                // Forms say the same rows again, with their bytes.
                let form = engine.tree.node(node).form;
                let same = |form: NodeId| {
                    engine.record(form).rows.iter().any(|other| other.name == row.name)
                };
                row.name.is_none() || !form.is_some_and(|(_, form)| same(form))
            }
        }
    }

    /// A row or element; what is in it is put on the stack.
    fn field(&mut self, spot: Spot<'t>, path: String, name: String, depth: usize) -> FieldView {
        let engine = self.engine;
        let cx = engine.context();
        let target = spot.target(cx);
        let mut view = FieldView {
            path: path.clone(),
            name,
            depth,
            offset: spot.offset(),
            size: spot.size(),
            type_name: type_name(cx, spot.ty, Some(spot.item)),
            role: if spot.loc.index.is_some() { "data" } else { role_name(&spot.row.role) },
            kept: spot.loc.index.is_none() && self.is_kept(spot),
            value: show(cx, spot.ty, spot.item, self.options),
            stored: stored(cx, spot.ty, spot.item),
            ..FieldView::default()
        };
        let says_nothing =
            view.type_name.is_empty() || matches!(spot.row.kind, RowKind::Slice { .. });
        if spot.row.name.is_none() || (says_nothing && spot.loc.index.is_none()) {
            view.type_name = engine.row_word(spot.row).to_owned();
        }
        if let Some(width) = bit_width(cx, spot.ty).filter(|_| view.offset.is_some()) {
            view.bit = Some(spot.bit);
            view.bits = Some(width);
        }
        if matches!(spot.row.kind, RowKind::Zero | RowKind::Runtime | RowKind::Reserved)
            && crate::items::is_zero(spot.item)
        {
            view.value = String::new();
        }
        if let Item::Pointer(pointer) = spot.item {
            view.kind = FieldKind::Pointer;
            view.offset = (pointer.cell != UNPLACED).then_some(pointer.cell);
            let kind = pointer_kind(engine, spot.ty);
            if let Some(size) = kind.and_then(|(_, cell)| fixed_size(cell)) {
                view.size = size;
            }
            let is_none = spot.row.none.contains(&pointer.stored)
                || kind.is_some_and(|(kind, _)| kind.none == Some(pointer.stored));
            view.target = (!is_none && pointer.at != UNPLACED).then_some(pointer.at);
        }
        match target.item {
            Item::Node(node) => {
                let is_case = engine.case_of(*node);
                if !matches!(spot.item, Item::Pointer(_)) {
                    view.kind = if is_case.is_some() { FieldKind::Case } else { FieldKind::Struct };
                }
                if let Some(case) = is_case.or_else(|| self.case_label(*node)) {
                    view.value = case.to_owned();
                }
                let below = depth.saturating_add(1);
                let tag = is_case.and_then(|_| self.tag_line(spot, *node, &path, below));
                self.todo.push(Task::Rows { node: *node, next: 0, path, depth: below });
                if let Some(tag) = tag {
                    self.todo.push(Task::Line(Box::new(tag)));
                }
            }
            Item::Array(array) => {
                view.count = Some(array.items.len());
                if !matches!(spot.item, Item::Pointer(_)) {
                    view.kind = FieldKind::Array;
                }
                if let RowKind::Slice { table, .. } = &spot.row.kind {
                    // The table itself shows them.
                    view.value = format!("{} elements of {}", array.items.len(), table.text);
                } else if array.items.iter().all(is_number) {
                    let shown = self.options.fold.unwrap_or(usize::MAX);
                    let element = cx.element(target.ty);
                    view.elements = array
                        .items
                        .iter()
                        .take(shown)
                        .filter_map(|item| stored(cx, element, item))
                        .collect();
                } else {
                    let depth = depth.saturating_add(1);
                    self.todo.push(Task::Elements { array: target, next: 0, path, depth });
                }
            }
            Item::Unset => {
                let before = self.todo.len();
                self.unfinished(spot, &path, depth);
                if self.todo.len() > before {
                    view.value = String::new();
                }
            }
            _ => {}
        }
        view
    }

    /// What was read of something that was never finished.
    fn unfinished(&mut self, spot: Spot<'t>, path: &str, depth: usize) {
        let row = (spot.loc.node, spot.loc.row);
        let depth = depth.saturating_add(1);
        if let Some(index) = spot.loc.index {
            if let Some(node) = self.elements.get(&(row.0, row.1, index)) {
                self.todo.push(Task::Rows { node: *node, next: 0, path: path.to_owned(), depth });
            }
            return;
        }
        let Some(nodes) = self.held.get(&row) else { return };
        // The last one is where reading failed, so it is shown in any case.
        let count = nodes.len();
        let shown = self.options.fold.unwrap_or(usize::MAX);
        let left_out = count.saturating_sub(1).saturating_sub(shown);
        for (position, node) in nodes.iter().enumerate().rev() {
            if left_out > 0 && position == shown {
                self.todo.push(Task::Line(Box::new(folded(path, depth, left_out))));
            }
            if position >= shown && position.saturating_add(1) < count {
                continue;
            }
            let Some(index) = self.engine.tree.node(*node).index else {
                self.todo.push(Task::Rows { node: *node, next: 0, path: path.to_owned(), depth });
                continue;
            };
            let line = self.unfinished_line(*node, index, path, depth);
            let (path, depth) = (line.path.clone(), depth.saturating_add(1));
            self.todo.push(Task::Rows { node: *node, next: 0, path, depth });
            self.todo.push(Task::Line(Box::new(line)));
        }
    }

    fn unfinished_line(&self, node: NodeId, index: u32, path: &str, depth: usize) -> FieldView {
        let node = self.engine.tree.node(node);
        let is_placed = node.at != UNPLACED;
        let is_complete = is_placed && node.end != UNPLACED;
        FieldView {
            path: format!("{path}[{index}]"),
            name: format!("[{index}]"),
            depth,
            offset: is_placed.then_some(node.at),
            size: if is_complete { node.end.saturating_sub(node.at) } else { 0 },
            type_name: self.engine.model.records[node.record.index()].name.clone(),
            role: "data",
            kind: FieldKind::Struct,
            ..FieldView::default()
        }
    }

    /// Puts off the other elements of an array, and shows one, or how many are left out.
    fn element(
        &mut self,
        array: Spot<'t>,
        next: usize,
        path: String,
        depth: usize,
    ) -> Option<FieldView> {
        let Item::Array(items) = array.item else { return None };
        let count = items.items.len();
        if next >= count {
            return None;
        }
        if let Some(fold) = self.options.fold
            && next >= fold
            && count > fold.saturating_add(1)
        {
            return Some(folded(&path, depth, count - next));
        }
        let spot = self.engine.element_spot(array, next)?;
        let name = format!("[{next}]");
        let element = format!("{path}{name}");
        self.todo.push(Task::Elements { array, next: next + 1, path, depth });
        self.todo.push(Task::Spot { spot, path: element, name, depth });
        None
    }

    /// Name of the chosen case, if a node is that of a union type.
    fn case_label(&self, node: NodeId) -> Option<&'t str> {
        let engine = self.engine;
        let rows = &engine.record(node).rows;
        let case = rows
            .iter()
            .position(|row| crate::eval::is_body(engine.model, engine.context().inner(&row.ty)))?;
        let spot = engine.spot(node, RowId(u32::try_from(case).ok()?));
        engine.case_of(engine.node_in(spot)?)
    }

    /// The number that a union begins with, unless the case has a row for it.
    fn tag_line(
        &self,
        union_spot: Spot<'_>,
        case: NodeId,
        path: &str,
        depth: usize,
    ) -> Option<FieldView> {
        let engine = self.engine;
        let Type::Union(id) = engine.context().inner(union_spot.ty) else { return None };
        let union = &engine.model.unions[id.index()];
        let (Tag::Own(cell) | Tag::Word(cell)) = &union.tag else { return None };
        if !matches!(engine.record(case).kind, RecordKind::Case(..)) {
            return None;
        }
        let size = self.tag_size(union, cell, case);
        let number = engine.tree.node(case).tag;
        Some(FieldView {
            path: path.to_owned(),
            name: "tag".to_owned(),
            depth,
            offset: union_spot.offset(),
            size,
            type_name: type_name(engine.context(), &Type::Cell(cell.clone()), None),
            role: "derived",
            value: format!("{number:#x}"),
            stored: Some(super::Stored::Int(number)),
            ..FieldView::default()
        })
    }

    fn tag_size(&self, union: &Union, cell: &Cell, case: NodeId) -> u64 {
        let own = fixed_size(cell).unwrap_or(0);
        let form = self.engine.tree.node(case).form.map(|(_, form)| form);
        match (&union.tag, self.engine.pattern_of(form.unwrap_or(case))) {
            (Tag::Own(_), Some((pattern, _))) => own.max(u64::from(pattern.width / 8)),
            _ => own,
        }
    }

    fn is_kept(&self, spot: Spot<'_>) -> bool {
        self.engine.tree.node(spot.loc.node).kept.iter().any(|(row, _)| *row == spot.loc.row)
    }
}

/// A line for elements that are left out.
fn folded(path: &str, depth: usize, count: usize) -> FieldView {
    FieldView {
        path: path.to_owned(),
        name: "…".to_owned(),
        depth,
        value: format!("{count} more"),
        kind: FieldKind::Folded,
        count: Some(count),
        ..FieldView::default()
    }
}

/// Whether reading failed inside of what is here, or before it.
fn is_unfinished(item: &Item) -> bool {
    match item {
        Item::Unset => true,
        Item::Pointer(pointer) => is_unfinished(&pointer.target),
        Item::Array(array) => {
            array.items.iter().any(|item| matches!(item, Item::Pointer(_)) && is_unfinished(item))
        }
        _ => false,
    }
}

/// Kind of the pointer in a row, and how its number is stored.
fn pointer_kind<'m>(engine: &Engine<'m, '_>, ty: &'m Type) -> Option<(&'m PointerKind, &'m Cell)> {
    let Type::Pointer(pointer) = engine.context().inner(ty) else { return None };
    let kind = &engine.model.pointers[pointer.kind.index()];
    Some((kind, pointer.cell.as_ref().unwrap_or(&kind.cell)))
}

/// Size of a number in bytes, if it is always the same.
fn fixed_size(cell: &Cell) -> Option<u64> {
    match cell.storage {
        Storage::Fixed(int) => Some(int.bytes.into()),
        _ => None,
    }
}
