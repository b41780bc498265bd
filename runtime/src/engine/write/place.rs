//! Runs layouts: every object gets its address.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

use super::super::address::{leads_to_nothing, pointer_type};
use super::super::item::{Item, Loc, NodeRef, FAR, MAX_SIZE, UNPLACED, WHOLE};
use super::super::plan::Duties;
use super::super::reading::short;
use super::super::state::Engine;
use super::super::val::{eval_error, Fallible, Fault};
use super::super::walk::Walk;
use super::super::writing::Fill;
use super::lay::Spot;
use crate::model::{
    BinaryOp, Expr, ExprId, LayoutPath, PathStep, PointerType, Row, RowKind, RunLength, Statement,
    Target, Type, WhenEmpty,
};
use crate::problem::ProblemKind;
use crate::spelling::{KeptKind, KeptValue};

/// Address and end of something that was placed.
type Placed = Option<(u64, u64)>;

impl<'p, 'b> Engine<'p, 'b> {
    pub(crate) fn place_root(&mut self) -> Fallible<()> {
        let root = NodeRef::ROOT;
        self.begin_all();
        self.tree.kept.sort_places();
        self.place_nothing();
        self.run_root()?;
        // What the file had behind everything.
        self.finish_all();
        let end = Loc::row(root, WHOLE);
        if self.tree.kept.place_of(end).is_none() {
            self.writing.asked_align = 1;
        }
        let total = self.begin(end, 1);
        self.writing.total = Some(total);
        self.make_room();
        Ok(())
    }

    /// Arrays without elements are where the file had them, also if no layout reaches them.
    fn place_nothing(&mut self) {
        let places = self.tree.kept.shared().filter(|loc| self.is_nothing(*loc));
        for loc in places.collect::<Vec<Loc>>() {
            let Some(pointer) = pointer_type(self.tree.row(loc), loc) else { continue };
            let Some(at) = self.shared_place(loc) else { continue };
            if self.is_left_out(loc, pointer) {
                continue;
            }
            if let Some(pointer) = self.tree.pointer_mut(loc) {
                (pointer.at, pointer.end) = (short(at), short(at));
                pointer.set_stored(1);
            }
        }
    }

    /// Runs the layout of the root: what it reaches is placed, or met where it is if the file was
    /// read.
    pub(crate) fn run_root(&mut self) -> Fallible<()> {
        let root = NodeRef::ROOT;
        self.run_layout(root, &self.tree.record(root).layout)
    }

    fn run_layout(&mut self, node: NodeRef, statements: &'p [Statement]) -> Fallible<()> {
        if self.is_too_deep() {
            return Err(Box::new(Fault::Limit(self.depth_limit())));
        }
        match statements {
            [] => Ok(()),
            _ => self.deep(|engine| engine.run_statements(node, statements)),
        }
    }

    fn run_statements(&mut self, node: NodeRef, statements: &'p [Statement]) -> Fallible<()> {
        for statement in statements {
            if self.is_too_large() {
                return eval_error("the file would be too large");
            }
            match statement {
                Statement::This => {
                    let align = self.writing.aligns.get(&node).copied().unwrap_or(1);
                    self.place_this(node, align)?;
                }
                Statement::Record(path) => {
                    self.each(node, path, &mut |engine, loc| engine.place(loc, true, false))?;
                }
                Statement::Tail(path) => {
                    self.each(node, path, &mut |engine, loc| engine.place(loc, false, true))?;
                }
                Statement::Put(path) => {
                    self.each(node, path, &mut |engine, loc| engine.place(loc, true, true))?;
                }
                Statement::Run(pass, path) => {
                    self.each(node, path, &mut |engine, loc| engine.run_pass(loc, pass))?;
                }
                Statement::Align(align) => self.align_by(*align, node)?,
                Statement::Zero(size) => {
                    let size = self.eval_int(*size, node, None)?.unwrap_or(0);
                    match u64::try_from(size) {
                        Ok(size) if size <= MAX_SIZE => {
                            self.writing.cursor += size;
                            self.writing.asked_align = 1;
                            self.writing.fill.push(Fill::Zero(size));
                        }
                        Ok(_) => return eval_error("more zero bytes than a file may have"),
                        Err(_) => return eval_error(format!("size {size} is negative")),
                    }
                }
                Statement::Mark(row, align) => {
                    let loc = Loc::row(node, *row);
                    let Some(address) = self.mark_address(loc) else {
                        if !self.is_reading() {
                            self.tree.set_item(loc, Item::Absent);
                        }
                        continue;
                    };
                    if let Some(align) = align {
                        let align = self.eval_int(*align, node, None)?.unwrap_or(1);
                        self.align_to(u64::try_from(align).unwrap_or(1).max(1));
                    }
                    let cursor = self.writing.cursor;
                    if self.is_reading() {
                        let at = address.and_then(|at| u64::try_from(at).ok()).unwrap_or(cursor);
                        self.meet_mark(loc, cursor, at);
                        continue;
                    }
                    let gap = self.tree.kept_of(loc, KeptKind::Gap);
                    let at = match gap.filter(|_| !self.writing.placing.moves.gapless) {
                        Some(_) => self.begin_mark(loc),
                        None => self.shared_place(loc).unwrap_or(cursor),
                    };
                    let item = self.tree.integer(at.into());
                    self.tree.change_slot(loc, |slot| {
                        slot.at = short(at);
                        slot.end = short(at);
                        slot.item = item;
                    });
                }
                Statement::When(condition, then, otherwise) => {
                    let holds = self.eval_bool(*condition, node, None)?;
                    self.run_layout(node, if holds { then } else { otherwise })?;
                }
            }
        }
        Ok(())
    }

    /// Places the bytes of a record.
    fn place_this(&mut self, node: NodeRef, align: u64) -> Fallible<()> {
        let loc = self.tree.node_loc(node);
        if self.is_reading() {
            let (at, end) = (self.tree.node_at(node), self.tree.node_end(node));
            self.meet_at(loc, None, align, at, end);
            return Ok(());
        }
        let at = if node == NodeRef::ROOT { 0 } else { self.begin(loc, align) };
        let end = self.lay_record(node, at)?;
        self.finish(end);
        Ok(())
    }

    /// The address of a mark as far as it can be said; nothing if what says it is not there, so that
    /// it marks nothing.
    fn mark_address(&mut self, loc: Loc) -> Option<Option<i128>> {
        let RowKind::Mark { address } = self.tree.row(loc).kind else { return Some(None) };
        match self.eval_int(address, loc.node, None) {
            Ok(None) => None,
            Ok(at) => Some(at),
            Err(_) if self.is_nothing_in(address, loc.node) => None,
            Err(_) => Some(None),
        }
    }

    /// Whether a part of a sum is nothing, so that all of it is, also where another part is not known
    /// yet.
    fn is_nothing_in(&mut self, sum: ExprId, node: NodeRef) -> bool {
        let Expr::Binary(BinaryOp::Add | BinaryOp::Subtract, a, b) = self.model[sum] else {
            return false;
        };
        [a, b].into_iter().any(|part| match self.eval_int(part, node, None) {
            Ok(number) => number.is_none(),
            Err(_) => self.is_nothing_in(part, node),
        })
    }

    /// What the file has at some place is met, in place of being put there.
    fn meet_at(&mut self, loc: Loc, ty: Option<&Type>, align: u64, at: u32, end: u32) {
        if at == UNPLACED || end == UNPLACED {
            return;
        }
        let align = align.max(self.writing.asked_align).max(1);
        let mut expected = match loc.node == NodeRef::ROOT && loc.row == WHOLE {
            true => 0,
            false => self.writing.cursor.checked_next_multiple_of(align).unwrap_or(FAR),
        };
        let mut align = align;
        if let Some(ty) = ty {
            expected = ty.start(expected);
            if let Type::Run(run) = ty {
                align = align.max(run.align.unwrap_or(1));
            }
        }
        self.meet(loc, expected, align, at.into(), end.into());
    }

    fn align_by(&mut self, align: ExprId, node: NodeRef) -> Fallible<()> {
        let align = self.eval_int(align, node, None)?.unwrap_or(1);
        match u64::try_from(align) {
            Ok(align) if align > 0 => self.align_to(align),
            _ => return eval_error(format!("an alignment of {align}")),
        }
        Ok(())
    }

    fn align_to(&mut self, align: u64) {
        let fill = Fill::Align(align.max(1));
        self.writing.cursor = fill.behind(self.writing.cursor);
        self.writing.asked_align = align;
        self.writing.fill.push(fill);
    }

    /// Calls `action` for the rows that a path leads to.
    fn each(
        &mut self,
        node: NodeRef,
        path: &'p LayoutPath,
        action: &mut dyn FnMut(&mut Self, Loc) -> Fallible<()>,
    ) -> Fallible<()> {
        let Some((last, steps)) = path.steps.split_last() else { return Ok(()) };
        if steps.is_empty() {
            return match self.onto_row(node, last) {
                Some(loc) => action(self, loc),
                None => Ok(()),
            };
        }
        let mut nodes = vec![node];
        for step in steps {
            let mut next = Vec::new();
            for node in nodes {
                let Some(loc) = self.onto_row(node, step) else { continue };
                self.force(loc.node, loc.row)?;
                match self.tree.item(loc) {
                    Item::Node(inner) => next.push(inner),
                    Item::Array(array) => {
                        for index in 0..self.tree.count(array) {
                            let item = self.tree.element(array, index).unwrap_or(Item::Absent);
                            if let Item::Node(inner) = self.tree.through(item) {
                                next.push(inner);
                            }
                        }
                    }
                    _ => {}
                }
            }
            nodes = next;
        }
        for node in nodes {
            if let Some(loc) = self.onto_row(node, last) {
                action(self, loc)?;
            }
        }
        Ok(())
    }

    /// The row of a node that a step of a path means.
    fn onto_row(&self, node: NodeRef, step: &PathStep) -> Option<Loc> {
        // The layout of a case with forms is that of the form.
        let ways = [node, node.as_rows()];
        ways.into_iter().find_map(|node| {
            let record = self.tree.record_id(node);
            step.rows.iter().find(|(r, _)| *r == record).map(|(_, row)| Loc::row(node, *row))
        })
    }

    /// Places what a row owns: its bytes, what hangs on them, or both.
    fn place(&mut self, loc: Loc, record: bool, tail: bool) -> Fallible<()> {
        let row = self.tree.row(loc);
        if let RowKind::Object { .. } = row.kind {
            return self.place_object(loc, row, record, tail);
        }
        if matches!(row.kind, RowKind::Slice { .. }) {
            return Ok(());
        }
        self.force(loc.node, loc.row)?;
        match row.ty.stripped() {
            Type::Pointer(pointer) => self.place_target(loc, pointer, row, record, tail),
            Type::Record(_) | Type::Union(_) if tail => match self.tree.item(loc) {
                Item::Node(node) => self.run_tail(node),
                _ => Ok(()),
            },
            Type::Array(array) if tail => self.place_elements(loc, &array.element, row),
            _ => Ok(()),
        }
    }

    /// What the elements of an array own.
    fn place_elements(&mut self, loc: Loc, element: &'p Type, row: &'p Row) -> Fallible<()> {
        let Item::Array(array) = self.tree.item(loc) else { return Ok(()) };
        match element.stripped() {
            Type::Pointer(pointer) => {
                for index in 0..self.tree.count(array) {
                    self.place_target(loc.at(index), pointer, row, true, true)?;
                }
            }
            Type::Record(_) | Type::Union(_) => {
                for index in 0..self.tree.count(array) {
                    match self.tree.element(array, index) {
                        Some(Item::Node(node)) if node.is_element() => break,
                        Some(Item::Node(node)) => self.run_tail(node)?,
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Runs the statements behind `self`.
    fn run_tail(&mut self, node: NodeRef) -> Fallible<()> {
        if node.is_element() {
            return Ok(());
        }
        // The layout of a case with forms is that of the form.
        let rows = node.as_rows();
        let short = self.tree.record(node).layout.len() <= 1;
        let node = if short { rows } else { node };
        let layout = &self.tree.record(node).layout;
        let statements = match layout.split_first() {
            Some((Statement::This, rest)) => rest,
            _ => layout,
        };
        self.run_layout(node, statements)
    }

    fn place_object(&mut self, loc: Loc, row: &'p Row, record: bool, tail: bool) -> Fallible<()> {
        self.force(loc.node, loc.row)?;
        let reading = self.is_reading();
        if self.tree.item(loc).is_absent()
            && !(leads_to_nothing(row) && !(reading && self.tree.row_at(loc) == UNPLACED))
        {
            return Ok(());
        }
        if reading && record {
            self.reach(loc);
        }
        if !reading && self.is_nowhere(loc, row)? {
            if let Item::Node(unused) = self.tree.item(loc) {
                self.tree.bury(unused);
            }
            self.tree.set_item(loc, Item::Absent);
            return Ok(());
        }
        if let (RowKind::Object { align: Some(align), .. }, true) = (&row.kind, record) {
            self.align_by(*align, loc.node)?;
        }
        let align = self.model.type_align(&row.ty).unwrap_or(1);
        if let Some((at, end)) = self.place_content(loc, &row.ty, row, align, record, tail)? {
            if !reading {
                self.tree.change_slot(loc, |slot| {
                    slot.at = short(at);
                    slot.end = short(end);
                });
            }
        }
        Ok(())
    }

    /// Whether an object is not there because its condition does not hold, or nothing says where it
    /// is. Of one that has data the value says whether it is there.
    fn is_nowhere(&mut self, loc: Loc, row: &Row) -> Fallible<bool> {
        let RowKind::Object { address, .. } = row.kind else { return Ok(false) };
        if self.model.carries_data(&row.ty) {
            return Ok(false);
        }
        if let Some(condition) = row.when {
            if !self.eval_bool(condition, loc.node, None)? {
                return Ok(true);
            }
        }
        Ok(matches!(self.eval_int(address, loc.node, None), Ok(None)))
    }

    fn place_target(
        &mut self,
        loc: Loc,
        pointer: &'p PointerType,
        row: &'p Row,
        record: bool,
        tail: bool,
    ) -> Fallible<()> {
        let Target::Own(target) = &pointer.target else { return Ok(()) };
        if self.tree.item(loc).is_absent() && !leads_to_nothing(self.tree.row(loc)) {
            return Ok(());
        }
        if record && self.is_left_out(loc, pointer) {
            return Ok(());
        }
        if record && self.is_reading() {
            self.reach(loc);
        }
        let align = match pointer.align {
            Some(align) => {
                let align = self.eval_int(align, loc.node, None)?.unwrap_or(1);
                u64::try_from(align).unwrap_or(1)
            }
            None => self.model.target_align(pointer, target),
        };
        let placed = self.place_content(loc, target, row, align.max(1), record, tail)?;
        if self.is_reading() {
            return Ok(());
        }
        if let (Some((at, end)), Some(pointer)) = (placed, self.tree.pointer_mut(loc)) {
            pointer.at = short(at);
            pointer.end = short(end);
            pointer.set_stored(1);
        }
        Ok(())
    }

    /// Whether an empty array has no place, because its pointer is none.
    pub(crate) fn is_left_out(&self, loc: Loc, pointer: &PointerType) -> bool {
        if let Some(with) = pointer.none_with {
            return self.is_none_with(Loc::row(loc.node, with));
        }
        let empty = match self.tree.item(loc) {
            Item::Array(array) => self.tree.count(array) == 0,
            Item::Bytes(blob) => blob.len == 0 && pointer_counts(pointer),
            _ => false,
        };
        if !empty {
            return false;
        }
        let canonical = pointer.when_empty(self.model) != WhenEmpty::None;
        let here = match self.tree.kept_of(loc, KeptKind::Pointer) {
            Some(kept) if kept.instead_of == KeptValue::Bool(canonical) => {
                kept.stored == KeptValue::Bool(true)
            }
            _ => canonical,
        };
        !here
    }

    /// Places content at the cursor; returns its address and end if its own bytes were placed.
    fn place_content(
        &mut self,
        loc: Loc,
        ty: &'p Type,
        row: &'p Row,
        align: u64,
        record: bool,
        tail: bool,
    ) -> Fallible<Placed> {
        if let (Type::Record(_), Item::Node(node)) = (ty, self.tree.item(loc)) {
            return self.place_struct(loc, node, align, record, tail);
        }
        let mut placed = None;
        if record && self.is_reading() {
            let (at, end) = match self.tree.pointer(loc) {
                Some(pointer) => (pointer.at, pointer.end),
                None => (self.tree.row_at(loc), self.tree.row_end(loc)),
            };
            self.meet_at(loc, Some(ty), align, at, end);
        } else if record {
            self.writing.room = None;
            let at = self.begin(loc, align);
            let mut spot = Spot::new(ty.start(at));
            let start = if self.writing.placing.exact { at } else { spot.at };
            // What is in it may ask where it is.
            if let RowKind::Object { .. } = row.kind {
                self.tree.change_slot(loc, |slot| slot.at = short(start));
            } else if let Some(pointer) = self.tree.pointer_mut(loc) {
                pointer.at = short(start);
            }
            self.lay_inline(loc, ty, row, &mut spot)?;
            let end = spot.at + u64::from(spot.bit > 0);
            self.finish(end);
            placed = Some((start, end));
        }
        if tail {
            match ty.stripped() {
                Type::Array(array) => self.place_elements(loc, &array.element, row)?,
                Type::Record(_) | Type::Union(_) => {
                    if let Item::Node(node) = self.tree.item(loc) {
                        self.run_tail(node)?;
                    }
                }
                _ => {}
            }
        }
        Ok(placed)
    }

    fn place_struct(
        &mut self,
        loc: Loc,
        node: NodeRef,
        align: u64,
        record: bool,
        tail: bool,
    ) -> Fallible<Placed> {
        let layout = &self.tree.record(node).layout;
        let first = self.tree.record(node).comes_first();
        if record || (tail && !first) {
            if self.tree.node_at(node) != UNPLACED && record && !self.is_reading() {
                let at = self.tree.path(loc).to_string();
                return Err(Box::new(Fault::Eval(format!("`{at}` is placed twice"))));
            }
            if !first {
                self.writing.aligns.insert(node, align);
            }
        }
        if first {
            if record {
                self.place_this(node, align)?;
            }
            if tail {
                self.run_layout(node, &layout[1..])?;
            }
        } else if tail {
            self.run_layout(node, layout)?;
        }
        let (at, end) = (self.tree.node_at(node), self.tree.node_end(node));
        Ok((at != UNPLACED && end != UNPLACED).then_some((at.into(), end.into())))
    }

    /// Runs a named part of the layouts of the records at a row.
    fn run_pass(&mut self, loc: Loc, pass: &'p str) -> Fallible<()> {
        self.force(loc.node, loc.row)?;
        let mut nodes = Vec::new();
        match self.tree.item(loc) {
            Item::Node(node) => nodes.push(node),
            Item::Array(array) => {
                for index in 0..self.tree.count(array) {
                    let item = self.tree.element(array, index).unwrap_or(Item::Absent);
                    match self.tree.through(item) {
                        Item::Node(node) if node.is_element() => break,
                        Item::Node(node) => nodes.push(node),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        for node in nodes {
            let passes = &self.tree.record(node).passes;
            if let Some((_, statements)) = passes.iter().find(|(name, _)| name == pass) {
                self.run_layout(node, statements)?;
            }
        }
        Ok(())
    }

    /// Reports objects that no layout has placed.
    pub(crate) fn check_placed(&mut self) {
        self.tree.bury_rest();
        let mut walk = Walk::new(&self.tree, Duties::PLACING);
        while let Some(node) = walk.next(&self.tree) {
            if self.tree.node_at(node) == UNPLACED || self.tree.is_dead(node) {
                continue;
            }
            for row in &self.tree.plan(node).placing {
                let loc = Loc::row(node, *row);
                let definition = self.tree.row(loc);
                let item = self.tree.entry(loc);
                let missing = match definition.kind {
                    _ if !item.is_there() => false,
                    RowKind::Object { .. } => self.tree.row_at(loc) == UNPLACED,
                    _ => self.is_unplaced(&definition.ty, item),
                };
                if missing {
                    self.problem(loc, ProblemKind::NotPlaced);
                }
            }
        }
    }

    /// Whether a pointer's object has no address though it should.
    fn is_unplaced(&self, ty: &Type, item: Item) -> bool {
        match (ty, item) {
            (Type::Region(region), item) => self.is_unplaced(&region.inner, item),
            (Type::Pointer(pointer), Item::Pointer(number)) => {
                let inner = &self.tree.pointers[number as usize];
                match (&pointer.target, inner.target) {
                    (Target::Own(_), Item::Absent | Item::Unset) => false,
                    (Target::Own(_), Item::Array(array)) if self.tree.count(array) == 0 => false,
                    (Target::Own(_), Item::Bytes(blob)) if blob.len == 0 => false,
                    (Target::Own(target), item) => {
                        inner.at == UNPLACED || self.is_unplaced(target, item)
                    }
                    _ => false,
                }
            }
            (Type::Array(array), Item::Array(items)) => {
                matches!(array.element.stripped(), Type::Pointer(_))
                    && (0..self.tree.count(items)).any(|index| {
                        let item = self.tree.element(items, index).unwrap_or(Item::Absent);
                        self.is_unplaced(&array.element, item)
                    })
            }
            _ => false,
        }
    }
}

fn pointer_counts(pointer: &PointerType) -> bool {
    match pointer.owned().map(Type::stripped) {
        Some(Type::Run(run)) => matches!(run.length, RunLength::Count(_)),
        Some(_) => true,
        None => false,
    }
}
