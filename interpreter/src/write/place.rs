//! Runs layouts: every object gets its address.

use formwork::ProblemKind;
use formwork_model::{
    LayoutPath, PointerType, Record, Row, RowId, RowKind, Statement, Target, Type, WhenEmpty,
};

use super::MAX_SIZE;
use super::lay::Spot;
use crate::engine::{Engine, Fallible, Fault, eval_error};
use crate::read::object::strip_region;
use crate::tree::{Item, Loc, NodeId, UNPLACED, through};
use crate::value::{KeptKind, Value};

impl<'m> Engine<'m, '_> {
    pub(crate) fn place_root(&mut self) -> Fallible<()> {
        let root = self.root;
        self.run_layout(root, &self.record(root).layout)?;
        // What the file had behind everything.
        let total = self.begin(Loc::row(root, RowId(u32::MAX)), 1);
        self.writing().total = Some(total);
        Ok(())
    }

    fn run_layout(&mut self, node: NodeId, statements: &'m [Statement]) -> Fallible<()> {
        crate::engine::with_stack(|| self.run_statements(node, statements))
    }

    fn run_statements(&mut self, node: NodeId, statements: &'m [Statement]) -> Fallible<()> {
        for statement in statements {
            match statement {
                Statement::This => {
                    let align = self.writing().aligns.get(&node).copied().unwrap_or(1);
                    let loc = self.node_loc(node);
                    let at = if node == self.root { 0 } else { self.begin(loc, align) };
                    let end = self.lay_record(node, at)?;
                    self.finish(end);
                }
                Statement::Record(path) => {
                    self.each(node, path, &mut |engine, loc| engine.place(loc, true, false))?
                }
                Statement::Tail(path) => {
                    self.each(node, path, &mut |engine, loc| engine.place(loc, false, true))?
                }
                Statement::Put(path) => {
                    self.each(node, path, &mut |engine, loc| engine.place(loc, true, true))?
                }
                Statement::Run(pass, path) => {
                    self.each(node, path, &mut |engine, loc| engine.run_pass(loc, pass))?
                }
                Statement::Align(align) => {
                    let align = self.eval_int(*align, node, None)?.unwrap_or(1);
                    match u64::try_from(align) {
                        Ok(align) if align > 0 => self.align_to(align),
                        _ => return eval_error(format!("an alignment of {align}")),
                    }
                }
                Statement::Zero(size) => {
                    let size = self.eval_int(*size, node, None)?.unwrap_or(0);
                    match u64::try_from(size) {
                        Ok(size) if size <= MAX_SIZE => self.writing().cursor += size,
                        Ok(_) => return eval_error("more zero bytes than a file may have"),
                        Err(_) => return eval_error(format!("a size of {size}")),
                    }
                }
                Statement::Mark(row, _) if self.is_nowhere(Loc::row(node, *row)) => {
                    self.tree.slot_mut(node, *row).item = Item::Absent;
                }
                Statement::Mark(row, align) => {
                    if let Some(align) = align {
                        let align = self.eval_int(*align, node, None)?.unwrap_or(1);
                        self.align_to(u64::try_from(align).unwrap_or(1).max(1));
                    }
                    let at = self.writing().cursor;
                    let slot = self.tree.slot_mut(node, *row);
                    slot.at = at;
                    slot.end = at;
                    slot.item = Item::Int(at.into());
                }
                Statement::When(condition, then, otherwise) => {
                    let holds = self.eval_bool(*condition, node, None)?;
                    self.run_layout(node, if holds { then } else { otherwise })?;
                }
            }
        }
        Ok(())
    }

    /// Whether what says the address of a mark is not there, so that it marks nothing.
    fn is_nowhere(&mut self, loc: Loc) -> bool {
        match &self.row(loc).kind {
            RowKind::Mark { address } => {
                matches!(self.eval_int(*address, loc.node, None), Ok(None))
            }
            _ => false,
        }
    }

    fn align_to(&mut self, align: u64) {
        let cursor = &mut self.writing().cursor;
        *cursor = cursor.checked_next_multiple_of(align.max(1)).unwrap_or(u64::MAX);
    }

    /// Calls `action` for the rows that a path leads to.
    fn each(
        &mut self,
        node: NodeId,
        path: &'m LayoutPath,
        action: &mut dyn FnMut(&mut Self, Loc) -> Fallible<()>,
    ) -> Fallible<()> {
        let mut nodes = vec![node];
        for (depth, step) in path.steps.iter().enumerate() {
            let last = depth + 1 == path.steps.len();
            let mut next = Vec::new();
            for node in nodes {
                let record = self.tree.node(node).record;
                let Some((_, row)) = step.rows.iter().find(|(r, _)| *r == record) else {
                    continue;
                };
                let loc = Loc::row(node, *row);
                if last {
                    action(self, loc)?;
                    continue;
                }
                self.force(node, *row)?;
                match self.tree.item(loc) {
                    Item::Node(inner) => next.push(*inner),
                    Item::Array(array) => {
                        next.extend(array.items.iter().filter_map(|item| match through(item) {
                            Item::Node(inner) => Some(*inner),
                            _ => None,
                        }));
                    }
                    _ => {}
                }
            }
            nodes = next;
        }
        Ok(())
    }

    /// Places what a row owns: its bytes, what hangs on them, or both.
    fn place(&mut self, loc: Loc, record: bool, tail: bool) -> Fallible<()> {
        let row = self.row(loc);
        if let RowKind::Object { .. } = row.kind {
            return self.place_object(loc, row, record, tail);
        }
        if matches!(row.kind, RowKind::Slice { .. }) {
            return Ok(());
        }
        self.force(loc.node, loc.row)?;
        self.place_type(loc, &row.ty, row, record, tail)
    }

    fn place_type(
        &mut self,
        loc: Loc,
        ty: &'m Type,
        row: &'m Row,
        record: bool,
        tail: bool,
    ) -> Fallible<()> {
        match ty {
            Type::Region(region) => self.place_type(loc, &region.inner, row, record, tail),
            Type::Pointer(pointer) => self.place_target(loc, pointer, row, record, tail),
            Type::Record(_) | Type::Union(_) => {
                if tail && let Item::Node(node) = *self.tree.item(loc) {
                    self.run_tail(node)?;
                }
                Ok(())
            }
            Type::Array(array) => {
                if tail {
                    self.place_elements(loc, &array.element, row)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// What the elements of an array own.
    fn place_elements(&mut self, loc: Loc, element: &'m Type, row: &'m Row) -> Fallible<()> {
        let owns =
            matches!(strip_region(element), Type::Pointer(_) | Type::Record(_) | Type::Union(_));
        if !owns {
            return Ok(());
        }
        for index in 0..self.count_items(loc) {
            let at = Loc { index: u32::try_from(index).ok(), ..loc };
            match strip_region(element) {
                Type::Pointer(pointer) => self.place_target(at, pointer, row, true, true)?,
                _ => {
                    if let Item::Node(node) = *self.tree.item(at) {
                        self.run_tail(node)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Runs the statements behind `self`.
    fn run_tail(&mut self, node: NodeId) -> Fallible<()> {
        let record = self.record(node);
        // The layout of a case with forms is that of the form.
        let (node, record) = match self.tree.node(node).form {
            Some((_, rows)) if record.layout.len() <= 1 => (rows, self.record(rows)),
            _ => (node, record),
        };
        let statements = match record.layout.split_first() {
            Some((Statement::This, rest)) => rest,
            _ => &record.layout,
        };
        self.run_layout(node, statements)
    }

    fn place_object(&mut self, loc: Loc, row: &'m Row, record: bool, tail: bool) -> Fallible<()> {
        self.force(loc.node, loc.row)?;
        if matches!(self.tree.item(loc), Item::Absent) {
            return Ok(());
        }
        let align = type_align(self.model, &row.ty).unwrap_or(1);
        let (at, end) = self.place_content(loc, &row.ty, row, align, record, tail)?;
        if let Some((at, end)) = at.zip(end) {
            let slot = self.tree.slot_mut(loc.node, loc.row);
            slot.at = at;
            slot.end = end;
        }
        Ok(())
    }

    fn place_target(
        &mut self,
        loc: Loc,
        pointer: &'m PointerType,
        row: &'m Row,
        record: bool,
        tail: bool,
    ) -> Fallible<()> {
        let Target::Own(target) = &pointer.target else { return Ok(()) };
        if matches!(self.tree.item(loc), Item::Absent) && !self.leads_to_nothing(loc) {
            return Ok(());
        }
        if record && self.is_left_out(loc, pointer) {
            return Ok(());
        }
        let kind = &self.model.pointers[pointer.kind.index()];
        let align = match &pointer.align {
            Some(align) => {
                let align = self.eval_int(*align, loc.node, None)?.unwrap_or(1);
                u64::try_from(align).unwrap_or(1)
            }
            None => type_align(self.model, target).unwrap_or(kind.align),
        };
        let (at, end) = self.place_content(loc, target, row, align.max(1), record, tail)?;
        if let Some((at, end)) = at.zip(end)
            && let Some(pointer) = self.tree.pointer_mut(loc)
        {
            pointer.at = at;
            pointer.end = end;
            pointer.stored = 1;
        }
        Ok(())
    }

    /// Whether an empty array has no place, because its pointer is none.
    pub(crate) fn is_left_out(&self, loc: Loc, pointer: &PointerType) -> bool {
        if let Some(with) = pointer.none_with {
            return self.count_items(Loc::row(loc.node, with)) == 0;
        }
        let empty = match self.tree.item(loc) {
            Item::Array(array) => array.items.is_empty(),
            Item::Bytes(bytes) => bytes.is_empty() && pointer_counts(pointer),
            _ => false,
        };
        if !empty {
            return false;
        }
        let canonical = self.when_empty(pointer) != WhenEmpty::None;
        let here = match self.kept_of(loc, KeptKind::Pointer) {
            Some(kept) if kept.still_for(&Value::Bool(canonical)) => {
                matches!(kept.stored, Value::Bool(true))
            }
            _ => canonical,
        };
        !here
    }

    /// Places content at the cursor; returns its address and end if its own bytes were placed.
    fn place_content(
        &mut self,
        loc: Loc,
        ty: &'m Type,
        row: &'m Row,
        align: u64,
        record: bool,
        tail: bool,
    ) -> Fallible<(Option<u64>, Option<u64>)> {
        if let (Type::Record(_), Item::Node(node)) = (ty, self.tree.item(loc)) {
            let node = *node;
            let layout: &'m Record = self.record(node);
            let first = matches!(layout.layout.first(), Some(Statement::This));
            if record || (tail && !first) {
                if self.tree.node(node).at != UNPLACED && record {
                    let at = self.tree.path(self.model, loc).to_string();
                    return Err(Box::new(Fault::Eval(format!("`{at}` is placed twice"))));
                }
                self.writing().aligns.insert(node, align);
            }
            if first {
                if record {
                    self.run_layout(node, &layout.layout[..1])?;
                }
                if tail {
                    self.run_layout(node, &layout.layout[1..])?;
                }
            } else if tail {
                self.run_layout(node, &layout.layout)?;
            }
            let n = self.tree.node(node);
            return Ok(((n.at != UNPLACED).then_some(n.at), (n.end != UNPLACED).then_some(n.end)));
        }
        let mut placed = (None, None);
        if record {
            self.writing().room = None;
            let at = self.begin(loc, align);
            let mut spot = Spot::new(run_start(ty, at));
            let start = spot.at;
            self.lay_inline(loc, ty, row, &mut spot)?;
            let end = spot.at + u64::from(spot.bit > 0);
            self.finish(end);
            placed = (Some(start), Some(end));
        }
        if tail {
            self.place_type_content(loc, ty, row)?;
        }
        Ok(placed)
    }

    /// What the content of an object owns.
    fn place_type_content(&mut self, loc: Loc, ty: &'m Type, row: &'m Row) -> Fallible<()> {
        match strip_region(ty) {
            Type::Array(array) => self.place_elements(loc, &array.element, row),
            Type::Record(_) | Type::Union(_) => {
                if let Item::Node(node) = *self.tree.item(loc) {
                    self.run_tail(node)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Runs a named part of the layouts of the records at a row.
    fn run_pass(&mut self, loc: Loc, pass: &'m str) -> Fallible<()> {
        self.force(loc.node, loc.row)?;
        let mut nodes = Vec::new();
        match self.tree.item(loc) {
            Item::Node(node) => nodes.push(*node),
            Item::Array(array) => {
                nodes.extend(array.items.iter().filter_map(|item| match through(item) {
                    Item::Node(node) => Some(*node),
                    _ => None,
                }))
            }
            _ => {}
        }
        for node in nodes {
            let record = self.record(node);
            if let Some((_, statements)) = record.passes.iter().find(|(name, _)| name == pass) {
                self.run_layout(node, statements)?;
            }
        }
        Ok(())
    }

    /// Reports objects that no layout has placed.
    pub(crate) fn check_placed(&mut self) {
        let nodes = u32::try_from(self.tree.nodes.len()).unwrap_or(u32::MAX);
        for index in 0..nodes {
            let node = NodeId(index);
            let record = self.record(node);
            for (row_index, row) in (0_u32..).zip(&record.rows) {
                let loc = Loc::row(node, RowId(row_index));
                let slot = self.tree.slot(node, loc.row);
                let missing = match (&row.kind, &slot.item) {
                    (_, Item::Absent | Item::Unset) => false,
                    (RowKind::Object { .. }, _) => slot.at == UNPLACED,
                    (RowKind::Slice { .. }, _) => false,
                    (_, item) => is_unplaced(&row.ty, item),
                };
                if missing && self.tree.node(node).at != UNPLACED {
                    self.problem(loc, ProblemKind::NotPlaced);
                }
            }
        }
    }
}

/// Whether a pointer's object has no address though it should.
fn is_unplaced(ty: &Type, item: &Item) -> bool {
    match (ty, item) {
        (Type::Region(region), item) => is_unplaced(&region.inner, item),
        (Type::Pointer(pointer), Item::Pointer(inner)) => match (&pointer.target, &inner.target) {
            (Target::Own(_), Item::Absent | Item::Unset) => false,
            (Target::Own(_), Item::Array(array)) if array.items.is_empty() => false,
            (Target::Own(_), Item::Bytes(bytes)) if bytes.is_empty() => false,
            (Target::Own(target), item) => inner.at == UNPLACED || is_unplaced(target, item),
            _ => false,
        },
        (Type::Array(array), Item::Array(items)) => {
            matches!(strip_region(&array.element), Type::Pointer(_))
                && items.items.iter().any(|item| is_unplaced(&array.element, item))
        }
        _ => false,
    }
}

fn pointer_counts(pointer: &PointerType) -> bool {
    match &pointer.target {
        Target::Own(ty) => match strip_region(ty) {
            Type::Run(run) => {
                matches!(run.length, formwork_model::RunLength::Count(_))
            }
            _ => true,
        },
        _ => false,
    }
}

/// Alignment that a type states for itself.
pub(crate) fn type_align(model: &formwork_model::Model, ty: &Type) -> Option<u64> {
    match ty {
        Type::Record(record) => model.records[record.index()].align,
        Type::Run(run) => run.align,
        Type::Region(region) => type_align(model, &region.inner),
        Type::Array(array) => match strip_region(&array.element) {
            Type::Run(_) | Type::Record(_) => type_align(model, &array.element),
            _ => None,
        },
        _ => None,
    }
}

/// Where something begins that is placed at an address: behind its own alignment.
fn run_start(ty: &Type, at: u64) -> u64 {
    match ty {
        Type::Run(run) => at.next_multiple_of(run.align.unwrap_or(1).max(1)),
        _ => at,
    }
}
