//! Goes through the tree in the order of the schema.

use std::collections::HashMap;
use std::ops::ControlFlow;

use formwork::engine::{Item, Loc, NodeRef, Tree, Unfinished, placed};
use formwork_model::{
    Cell, Home, PointerKind, RecordKind, Row, RowId, RowKind, Span, Storage, Tag, Type, Union,
};

use super::field::{FieldKind, FieldView, Stored, WalkOptions};
use super::place::{NoSuchPath, Place, Places, Spot, form_of, row_word};
use super::show::{bit_width, elements, role_name, show, stored, type_name};
use crate::paths::{push_index, push_name};

/// Something still to be shown. A stack of these instead of recursion: how deep a tree may be is
/// up to the reader. Paths are the beginning of the one that was shown last, up to a length.
enum Task<'t> {
    /// The rows of a node from this one on.
    Rows { node: NodeRef, next: u32, path: usize, depth: usize },
    /// The elements of an array from this one on.
    Elements { array: Spot<'t>, next: u32, path: usize, depth: usize },
    /// What was read in a row that was never finished, from this node on.
    Unfinished { row: Loc, next: u32, path: usize, depth: usize },
    /// A line that is made already.
    Line(Box<FieldView>),
}

/// A way through a tree. Nothing is kept of what was shown.
struct Walk<'t, 'o> {
    tree: &'t Tree<'t, 't>,
    places: Places<'t>,
    options: &'o WalkOptions,
    todo: Vec<Task<'t>>,
    /// Path of what is shown.
    path: String,
    /// The line that is shown, made anew for each field.
    line: FieldView,
    left: Left,
}

/// Nodes that no row leads to, because reading failed inside of them.
#[derive(Default)]
struct Left {
    rows: HashMap<Loc, Vec<Unfinished>>,
    elements: HashMap<Loc, NodeRef>,
}

/// Called for each field; may end the walk.
pub(crate) type Visitor<'v> = dyn FnMut(&FieldView) -> ControlFlow<()> + 'v;

/// Calls `visit` for a field and everything below it, or for the whole file.
pub(crate) fn walk<'t>(
    tree: &'t Tree<'t, 't>,
    path: Option<&str>,
    options: &WalkOptions,
    visit: &mut Visitor<'_>,
) -> Result<(), NoSuchPath> {
    let places = Places(tree);
    let mut walk = Walk {
        tree,
        places,
        options,
        todo: Vec::new(),
        path: String::new(),
        line: FieldView::default(),
        left: Left::of(tree),
    };
    let mut path = path.unwrap_or_default();
    match places.at_path(path)? {
        Place::Root => walk.root(),
        Place::Spot(spot) => {
            let module = path.strip_prefix(tree.model().name.as_str());
            if let Some(rest) = module.and_then(|rest| rest.strip_prefix('.'))
                && places.at_path(rest).is_ok()
            {
                path = rest;
            }
            walk.path.push_str(path);
            walk.field(spot, path, 0);
        }
    }
    if visit(&walk.line).is_continue() {
        walk.run(visit);
    }
    Ok(())
}

impl<'t> Walk<'t, '_> {
    fn run(&mut self, visit: &mut Visitor<'_>) {
        while let Some(task) = self.todo.pop() {
            let made = match task {
                Task::Line(line) => {
                    self.line = *line;
                    true
                }
                Task::Rows { node, next, path, depth } => self.row(node, next, path, depth),
                Task::Elements { array, next, path, depth } => {
                    self.element(array, next, path, depth)
                }
                Task::Unfinished { row, next, path, depth } => {
                    self.unfinished(row, next, path, depth)
                }
            };
            if made && visit(&self.line).is_break() {
                return;
            }
        }
    }

    fn root(&mut self) {
        let tree = self.tree;
        let (at, end) = (tree.node_at(NodeRef::ROOT), tree.node_end(NodeRef::ROOT));
        self.line = FieldView {
            name: tree.model().name.clone(),
            offset: placed(at),
            size: placed(at).zip(placed(end)).map_or(0, |(at, end)| end - at),
            type_name: tree.record(NodeRef::ROOT).name.clone(),
            role: "data",
            value: self.case_label(NodeRef::ROOT).unwrap_or_default().to_owned(),
            kind: FieldKind::Struct,
            ..FieldView::default()
        };
        self.todo.push(Task::Rows { node: NodeRef::ROOT, next: 0, path: 0, depth: 1 });
    }

    /// Puts off the other rows of a node, and shows one, unless it is nothing to be shown.
    fn row(&mut self, node: NodeRef, next: u32, path: usize, depth: usize) -> bool {
        let record = self.tree.record(node);
        let Some(row) = record.rows.get(next as usize) else {
            // The spelling of a case with forms comes behind its logical rows.
            if let Some(form) = form_of(node) {
                self.todo.push(Task::Rows { node: form, next: 0, path, depth });
            }
            return false;
        };
        let id = RowId(next);
        self.todo.push(Task::Rows { node, next: next.saturating_add(1), path, depth });
        let spot = self.places.spot(node, id);
        if !self.is_shown(node, row, spot) {
            return false;
        }
        if self.places.is_seen_through(row) {
            if let Some(inner) = self.places.node(spot) {
                self.path.truncate(path);
                self.todo.push(Task::Rows { node: inner, next: 0, path, depth });
                self.put_tag_line(spot, inner, depth);
            }
            return false;
        }
        self.path.truncate(path);
        if let Some(name) = row.name.as_ref().filter(|_| record.transparent != Some(id)) {
            push_name(&mut self.path, name);
        }
        self.field(spot, row.name.as_deref().unwrap_or_else(|| row_word(row)), depth);
        true
    }

    fn is_shown(&self, node: NodeRef, row: &Row, spot: Spot<'_>) -> bool {
        // Forms say the same rows again, with their bytes.
        if let Some(form) = form_of(node) {
            let spelled = self.tree.record(form).rows.iter().any(|own| own.name == row.name);
            return spelled && row.name.is_none() && spot.item.is_there();
        }
        match spot.item {
            Item::Unset => spot.at.is_some() || self.left.rows.contains_key(&spot.loc),
            Item::Absent => row.when.is_none() && self.tree.home(spot.loc) != Home::Absent,
            _ => true,
        }
    }

    /// Makes the line of a row or element; what is in it is put on the stack.
    fn field(&mut self, spot: Spot<'t>, name: &str, depth: usize) {
        let tree = self.tree;
        let target = self.places.target(spot);
        let element = spot.loc.index().is_some();
        let line = &mut self.line;
        begin(line, &self.path, name, depth);
        line.offset = spot.at;
        line.size = spot.size();
        type_name(tree, spot.ty, Some(spot.item), &mut line.type_name);
        line.role = if element { "data" } else { role_name(spot.row) };
        line.kept = !element && tree.is_kept(spot.loc);
        line.declared = Some(spot.row.span).filter(|span| *span != Span::default());
        line.stored = stored(tree, spot.ty, spot.item);
        let says_nothing =
            line.type_name.is_empty() || matches!(spot.row.kind, RowKind::Slice { .. });
        if spot.row.name.is_none() || (says_nothing && !element) {
            line.type_name.clear();
            line.type_name.push_str(row_word(spot.row));
        }
        if let Some(width) = bit_width(spot.ty).filter(|_| line.offset.is_some()) {
            line.bit = Some(spot.bit);
            line.bits = Some(width);
        }
        let fill = matches!(spot.row.kind, RowKind::Zero | RowKind::Runtime | RowKind::Reserved);
        if !fill || !tree.is_zero(spot.item) {
            show(tree, spot.ty, spot.item, self.options, &mut line.value);
        }
        if let Some(pointer) = tree.pointer_view(spot.item) {
            line.kind = FieldKind::Pointer;
            line.offset = pointer.cell;
            let kind = pointer_kind(tree, spot.ty);
            if let Some(size) = kind.and_then(|(_, cell)| fixed_size(cell)) {
                line.size = size;
            }
            let is_none = spot.row.none.contains(&pointer.stored)
                || kind.is_some_and(|(kind, _)| kind.none == Some(pointer.stored));
            line.target = pointer.at.filter(|_| !is_none);
        }
        if let Some(letter) = letter_place(tree, spot) {
            line.offset = Some(letter.at);
            line.size = letter.size;
            line.bit = Some(letter.bit);
            line.bits = Some(letter.bits);
        }
        self.below(spot, target, depth);
    }

    /// Puts off what is in a row or element, and says it in its line.
    fn below(&mut self, spot: Spot<'t>, target: Spot<'t>, depth: usize) {
        let (path, below) = (self.path.len(), depth.saturating_add(1));
        let pointed = self.line.kind == FieldKind::Pointer;
        match target.item {
            Item::Node(node) => {
                let case = self.case_name(node);
                if !pointed {
                    self.line.kind =
                        if case.is_some() { FieldKind::Case } else { FieldKind::Struct };
                }
                if let Some(case) = case.or_else(|| self.case_label(node)) {
                    self.line.value.clear();
                    self.line.value.push_str(case);
                }
                self.todo.push(Task::Rows { node, next: 0, path, depth: below });
                if case.is_some() {
                    self.put_tag_line(spot, node, below);
                }
            }
            Item::Array(array) => {
                let count = self.tree.count(array) as usize;
                self.line.count = Some(count);
                if !pointed {
                    self.line.kind = FieldKind::Array;
                }
                if let RowKind::Slice { table, .. } = &spot.row.kind {
                    // The table itself shows them.
                    self.line.value = format!("{count} elements of {}", table.text);
                } else if self.tree.has_only_numbers(array) {
                    let shown = self.options.shown(count);
                    self.line.elements.extend(elements(self.tree, target.ty, array, shown));
                } else {
                    self.todo.push(Task::Elements { array: target, next: 0, path, depth: below });
                }
            }
            Item::Unset => {
                if let Some(node) = self.left.elements.get(&spot.loc) {
                    self.todo.push(Task::Rows { node: *node, next: 0, path, depth: below });
                    self.line.value.clear();
                } else if self.left.rows.contains_key(&spot.loc) {
                    let row = spot.loc;
                    self.todo.push(Task::Unfinished { row, next: 0, path, depth: below });
                    self.line.value.clear();
                }
            }
            _ => {}
        }
    }

    /// Puts off the other elements of an array, and shows one, or how many are left out.
    fn element(&mut self, array: Spot<'t>, next: u32, path: usize, depth: usize) -> bool {
        let Item::Array(items) = array.item else { return false };
        let count = self.tree.count(items);
        self.path.truncate(path);
        let at = next as usize;
        if let Some(fold) = self.options.fold
            && at >= fold
            && count as usize > fold.saturating_add(1)
            && next < count
        {
            self.folded(depth, count as usize - at);
            return true;
        }
        let Some(spot) = self.places.element(array, next) else { return false };
        self.todo.push(Task::Elements { array, next: next + 1, path, depth });
        push_index(&mut self.path, next);
        self.field(spot, &format!("[{next}]"), depth);
        true
    }

    /// Makes the line for elements that are left out.
    fn folded(&mut self, depth: usize, count: usize) {
        begin(&mut self.line, &self.path, "…", depth);
        self.line.value = format!("{count} more");
        self.line.kind = FieldKind::Folded;
        self.line.count = Some(count);
    }

    /// Puts off the other nodes in a row that was never finished, and shows one.
    fn unfinished(&mut self, row: Loc, next: u32, path: usize, depth: usize) -> bool {
        let Some(nodes) = self.left.rows.get(&row) else { return false };
        let count: u32 = nodes.iter().map(|some| some.count).sum();
        let Some((node, index)) = nth(nodes, next) else { return false };
        self.path.truncate(path);
        // The last one is where reading failed, so it is shown in any case.
        let (at, last) = (next as usize, count as usize - 1);
        if let Some(fold) = self.options.fold
            && at == fold
            && last > fold
        {
            self.todo.push(Task::Unfinished { row, next: count - 1, path, depth });
            self.folded(depth, last - fold);
            return true;
        }
        self.todo.push(Task::Unfinished { row, next: next.saturating_add(1), path, depth });
        let Some(index) = index else {
            self.todo.push(Task::Rows { node, next: 0, path, depth });
            return false;
        };
        push_index(&mut self.path, index);
        let path = self.path.len();
        self.todo.push(Task::Rows { node, next: 0, path, depth: depth.saturating_add(1) });
        let (at, end) = (placed(self.tree.node_at(node)), placed(self.tree.node_end(node)));
        begin(&mut self.line, &self.path, &format!("[{index}]"), depth);
        self.line.offset = at;
        self.line.size = at.zip(end).map_or(0, |(at, end)| end.saturating_sub(at));
        self.line.type_name.push_str(&self.tree.record(node).name);
        self.line.role = "data";
        self.line.kind = FieldKind::Struct;
        true
    }

    fn case_name(&self, node: NodeRef) -> Option<&'t str> {
        let (union, case) = self.tree.case_of(node)?;
        Some(&union.cases[case].name)
    }

    /// Name of the chosen case, if a node is that of a union type.
    fn case_label(&self, node: NodeRef) -> Option<&'t str> {
        let model = self.tree.model();
        let mut rows = self.tree.record(node).numbered_rows();
        let (case, _) = rows.find(|(_, row)| model.is_body(row.ty.stripped()))?;
        self.case_name(self.places.node(self.places.spot(node, case))?)
    }

    /// Puts off the number that a union begins with, unless the case has a row for it.
    fn put_tag_line(&mut self, spot: Spot<'_>, case: NodeRef, depth: usize) {
        let Type::Union(id) = spot.ty.stripped() else { return };
        let union = &self.tree.model().unions[id.index()];
        let (Tag::Own(cell) | Tag::Word(cell)) = &union.tag else { return };
        if !matches!(self.tree.record(case).kind, RecordKind::Case(..)) {
            return;
        }
        // Words and patterns of up to 16 bytes.
        let number = self.tree.tag(case) as i128;
        let mut line = FieldView {
            path: self.path.clone(),
            name: "tag".to_owned(),
            depth,
            offset: spot.at,
            size: self.tag_size(union, cell, case),
            role: "derived",
            value: format!("{number:#x}"),
            stored: Some(Stored::Int(number)),
            ..FieldView::default()
        };
        type_name(self.tree, &Type::Cell(cell.clone()), None, &mut line.type_name);
        self.todo.push(Task::Line(Box::new(line)));
    }

    fn tag_size(&self, union: &Union, cell: &Cell, case: NodeRef) -> u64 {
        let own = fixed_size(cell).unwrap_or(0);
        match (&union.tag, self.tree.pattern_of(case.as_rows())) {
            (Tag::Own(_), Some((pattern, _))) => own.max(u64::from(pattern.width / 8)),
            _ => own,
        }
    }
}

impl Left {
    fn of(tree: &Tree<'_, '_>) -> Left {
        let mut left = Left::default();
        for some in tree.unfinished() {
            if let Some(index) = some.index.filter(|_| some.count == 1) {
                left.elements.insert(some.row.at(index), some.first);
            }
            left.rows.entry(some.row).or_default().push(some);
        }
        left
    }
}

/// One of some nodes, with its position in its array.
fn nth(nodes: &[Unfinished], mut position: u32) -> Option<(NodeRef, Option<u32>)> {
    for some in nodes {
        if position < some.count {
            return Some((some.node(position), some.index.map(|index| index + position)));
        }
        position -= some.count;
    }
    None
}

/// Makes a line about nothing yet.
fn begin(line: &mut FieldView, path: &str, name: &str, depth: usize) {
    let reuse = |text: &mut String, new: &str| {
        let mut text = std::mem::take(text);
        text.clear();
        text.push_str(new);
        text
    };
    *line = FieldView {
        path: reuse(&mut line.path, path),
        name: reuse(&mut line.name, name),
        type_name: reuse(&mut line.type_name, ""),
        value: reuse(&mut line.value, ""),
        depth,
        ..FieldView::default()
    };
}

/// Kind of the pointer in a row, and how its number is stored.
fn pointer_kind<'t>(tree: &Tree<'t, '_>, ty: &'t Type) -> Option<(&'t PointerKind, &'t Cell)> {
    let Type::Pointer(pointer) = ty.stripped() else { return None };
    let kind = &tree.model().pointers[pointer.kind.index()];
    Some((kind, pointer.cell.as_ref().unwrap_or(&kind.cell)))
}

/// Size of a number in bytes, if it is always the same.
fn fixed_size(cell: &Cell) -> Option<u64> {
    match cell.storage {
        Storage::Fixed(int) => Some(int.bytes.into()),
        _ => None,
    }
}

/// Where the bits of a letter are.
struct LetterPlace {
    at: u64,
    size: u64,
    bit: u8,
    bits: u32,
}

/// Where the bits are that a row has in the pattern of its case: those of a word are counted as in
/// other words, and the others from the highest of their first byte on.
fn letter_place(tree: &Tree<'_, '_>, spot: Spot<'_>) -> Option<LetterPlace> {
    let cell = match spot.ty.stripped() {
        Type::Cell(cell) => Some(cell),
        Type::Pointer(pointer) => pointer.cell.as_ref(),
        _ => None,
    };
    let Storage::Letter { letter, .. } = cell?.storage else { return None };
    let node = spot.loc.node;
    let (union, case) = match tree.record(node).kind {
        RecordKind::Case(union, _) => (union, node),
        // The rows of a form are beside those of its case.
        RecordKind::Form(union, ..) => (union, tree.holder(node)?.node),
        _ => return None,
    };
    spot.at?;
    // In a struct, the case begins where that does.
    let at = placed(tree.row_at(tree.holder(case)?))?;
    let (pattern, _) = tree.pattern_of(node)?;
    let (_, numbers) = pattern.letters.iter().find(|(own, _)| *own == letter)?;
    let (first, last) = (*numbers.first()?, *numbers.last()?);
    let bits = u32::try_from(numbers.len()).ok()?;
    if let Tag::Word(_) = tree.model().unions[union.index()].tag {
        let (size, bit) = (u64::from(pattern.width / 8), u8::try_from(last).ok()?);
        return Some(LetterPlace { at, size, bit, bits });
    }
    // The first bit has the highest number.
    let place = |number: u32| pattern.width.checked_sub(number + 1);
    let (start, end) = (place(first)?, place(last)?);
    let (at, size) = (at + u64::from(start / 8), u64::from(end / 8 - start / 8) + 1);
    let bit = u8::try_from(start % 8).ok()?;
    Some(LetterPlace { at, size, bit, bits })
}
