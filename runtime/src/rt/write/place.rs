//! Runs layouts: every object gets its address.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use super::super::tree::{through, Item, Loc, NodeId, UNPLACED, WHOLE};
use super::super::val::{eval_error, Fallible, Fault};
use super::schema::{Content, Own, Pointer, PointerAlign, Statement, Step};
use super::{still_for, Job, Spot, Write, MAX_SIZE};
use crate::problem::ProblemKind;
use crate::spelling::{KeptKind, KeptValue, Spelling};

/// The next multiple of an alignment; the end of all addresses if there is none.
#[inline]
#[must_use]
pub fn align_up(at: u64, align: u64) -> u64 {
    at.checked_next_multiple_of(align.max(1)).unwrap_or(u64::MAX)
}

/// Placing for any writer.
pub(super) trait Place<'v>: Write<'v> {
    fn run_layout(&mut self, node: NodeId, statements: &'static [Statement]) -> Fallible<()> {
        for statement in statements {
            match statement {
                Statement::This => {
                    let align = self.w().aligns.get(&node).copied().unwrap_or(1);
                    let root = node == self.root();
                    let at = if root {
                        0
                    } else {
                        let loc = self.tree().holder(node).unwrap_or(Loc::slot(node, WHOLE));
                        self.begin(loc, align)
                    };
                    let end = self.lay_node(node, at)?;
                    self.w().jobs.push(Job { at, loc: Loc::slot(node, WHOLE) });
                    self.finish_object(end);
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
                    self.each(node, path, &mut |engine, loc| engine.run_pass(loc, pass))?;
                }
                Statement::Align(align) => {
                    let align = self.int(*align, node, None)?.unwrap_or(1);
                    match u64::try_from(align) {
                        Ok(align) if align > 0 => self.align_to(align),
                        _ => return eval_error(format!("an alignment of {align}")),
                    }
                }
                Statement::Zero(size) => {
                    let size = self.int(*size, node, None)?.unwrap_or(0);
                    match u64::try_from(size) {
                        Ok(size) if size <= MAX_SIZE => {
                            let cursor = &mut self.w().cursor;
                            *cursor = cursor.saturating_add(size);
                        }
                        Ok(_) => return eval_error("more zero bytes than a file may have"),
                        Err(_) => return eval_error(format!("a size of {size}")),
                    }
                }
                Statement::Mark(slot, address, align) => {
                    if matches!(self.int(*address, node, None), Ok(None)) {
                        self.tree_mut().set(node, *slot, Item::Absent);
                        continue;
                    }
                    if let Some(align) = align {
                        let align = self.int(*align, node, None)?.unwrap_or(1);
                        self.align_to(u64::try_from(align).unwrap_or(1).max(1));
                    }
                    let at = self.w().cursor;
                    self.tree_mut().place(node, *slot, Item::Int(at.into()), at, at);
                }
                Statement::When(condition, then, otherwise) => {
                    let holds = self.truth(*condition, node, None)?;
                    self.run_layout(node, if holds { then } else { otherwise })?;
                }
            }
        }
        Ok(())
    }

    fn align_to(&mut self, align: u64) {
        let cursor = &mut self.w().cursor;
        *cursor = align_up(*cursor, align);
    }

    /// Moves the cursor to where an object begins: behind the bytes that were kept before it, or
    /// on its alignment. Returns the address.
    fn begin(&mut self, loc: Loc, align: u64) -> u64 {
        if let Some(kept) = self.kept(loc, KeptKind::Gap) {
            if let KeptValue::Bytes(bytes) = &kept.stored {
                let from = self.w().last_end;
                let at = from.saturating_add(bytes.len() as u64);
                if at.checked_rem(align.max(1)) == Some(0) {
                    self.w().loose.push((from, bytes));
                    self.w().cursor = at;
                    return at;
                }
            }
        }
        self.align_to(align);
        self.w().cursor
    }

    fn finish_object(&mut self, end: u64) {
        let writing = self.w();
        writing.cursor = end;
        writing.last_end = end;
    }

    /// Calls `action` for the rows that a path leads to.
    fn each(
        &mut self,
        node: NodeId,
        path: &'static [Step],
        action: &mut dyn FnMut(&mut Self, Loc) -> Fallible<()>,
    ) -> Fallible<()> {
        let mut nodes = vec![node];
        for (depth, step) in path.iter().enumerate() {
            let last = depth + 1 == path.len();
            let mut next = Vec::new();
            for node in nodes {
                let record = self.tree().node(node).record;
                let Some((_, slot)) = step.iter().find(|(r, _)| *r == record) else { continue };
                let loc = Loc::slot(node, *slot);
                if last {
                    action(self, loc)?;
                    continue;
                }
                self.force(node, *slot)?;
                nodes_in(self.tree().item(loc), &mut next);
            }
            nodes = next;
        }
        Ok(())
    }

    fn own(&self, loc: Loc) -> &'static Own {
        const NOTHING: &Own = &Own::Nothing;
        let record = usize::from(self.tree().node(loc.node).record);
        let slots = self.tables().records[record].slots;
        slots.get(usize::from(loc.slot)).map_or(NOTHING, |slot| &slot.own)
    }

    fn content_of(&self, content: &'static Content) -> &'static Content {
        match content {
            Content::PerEpoch(list) => match list.get(self.epoch()) {
                Some(content) => self.content_of(content),
                None => content,
            },
            other => other,
        }
    }

    /// Places what a row owns: its bytes, what hangs on them, or both.
    fn place(&mut self, loc: Loc, record: bool, tail: bool) -> Fallible<()> {
        match self.own(loc) {
            Own::Nothing => Ok(()),
            Own::Object(content, align) => self.place_object(loc, content, *align, record, tail),
            Own::Inline(content) => {
                self.force(loc.node, loc.slot)?;
                match self.content_of(content) {
                    Content::Pointer(pointer) => self.place_target(loc, pointer, record, tail),
                    content if tail => self.place_inside(loc, content),
                    _ => Ok(()),
                }
            }
        }
    }

    /// What the parts of something own.
    fn place_inside(&mut self, loc: Loc, content: &'static Content) -> Fallible<()> {
        match self.content_of(content) {
            Content::Record | Content::Node => match *self.tree().item(loc) {
                Item::Node(node) => self.run_tail(node),
                _ => Ok(()),
            },
            Content::Array(element) => {
                let element = self.content_of(element);
                if matches!(element, Content::Leaf(_) | Content::Array(_)) {
                    return Ok(());
                }
                let count = match self.tree().item(loc) {
                    Item::Array(array) => array.items.len(),
                    _ => 0,
                };
                for index in 0..u32::try_from(count).unwrap_or(u32::MAX) {
                    let at = Loc { index: Some(index), ..loc };
                    if let Content::Pointer(pointer) = element {
                        self.place_target(at, pointer, true, true)?;
                    } else if let Item::Node(node) = *self.tree().item(at) {
                        self.run_tail(node)?;
                    }
                }
                Ok(())
            }
            Content::Leaf(_) | Content::Pointer(_) | Content::PerEpoch(_) => Ok(()),
        }
    }

    /// Runs the statements behind `self`.
    fn run_tail(&mut self, node: NodeId) -> Fallible<()> {
        let layout = self.layout_of(node);
        // The layout of a case with forms is that of the form.
        let (node, layout) = match self.tree().node(node).form {
            Some((_, rows)) if layout.len() <= 1 => (rows, self.layout_of(rows)),
            _ => (node, layout),
        };
        let statements = match layout.split_first() {
            Some((Statement::This, rest)) => rest,
            _ => layout,
        };
        self.run_layout(node, statements)
    }

    fn layout_of(&self, node: NodeId) -> &'static [Statement] {
        self.tables().records[usize::from(self.tree().node(node).record)].layout
    }

    fn place_object(
        &mut self,
        loc: Loc,
        content: &'static Content,
        align: u64,
        record: bool,
        tail: bool,
    ) -> Fallible<()> {
        self.force(loc.node, loc.slot)?;
        if matches!(self.tree().item(loc), Item::Absent) {
            return Ok(());
        }
        if let (Some(at), Some(end)) = self.place_content(loc, content, align, record, tail)? {
            let slot = self.tree_mut().slot_mut(loc.node, loc.slot);
            slot.at = at;
            slot.end = end;
        }
        Ok(())
    }

    fn place_target(
        &mut self,
        loc: Loc,
        pointer: &'static Pointer,
        record: bool,
        tail: bool,
    ) -> Fallible<()> {
        if matches!(self.tree().item(loc), Item::Absent) && !pointer.empty_target {
            return Ok(());
        }
        if record && self.is_left_out(loc, pointer) {
            return Ok(());
        }
        let align = match pointer.align {
            PointerAlign::Fixed(align) => align,
            PointerAlign::Expr(align) => {
                let align = self.int(align, loc.node, None)?.unwrap_or(1);
                u64::try_from(align).unwrap_or(1)
            }
        };
        let (at, end) = self.place_content(loc, &pointer.target, align.max(1), record, tail)?;
        if let (Some(at), Some(end)) = (at, end) {
            if let Some(pointer) = self.tree_mut().pointer_mut(loc) {
                pointer.at = at;
                pointer.end = end;
                pointer.stored = 1;
            }
        }
        Ok(())
    }

    /// Whether what the pointer in a slot or element leads to has no place.
    fn is_unplaceable(&mut self, loc: Loc) -> bool {
        let Own::Inline(content) = self.own(loc) else { return false };
        let mut content = self.content_of(content);
        if loc.index.is_some() {
            while let Content::Pointer(pointer) = content {
                content = self.content_of(&pointer.target);
            }
            let Content::Array(element) = content else { return false };
            content = self.content_of(element);
        }
        match content {
            Content::Pointer(pointer) => self.is_left_out(loc, pointer),
            _ => false,
        }
    }

    /// Whether an empty array has no place, because its pointer is none.
    fn is_left_out(&mut self, loc: Loc, pointer: &'static Pointer) -> bool {
        if let Some(with) = pointer.none_with {
            return self.tree().count_items(Loc::slot(loc.node, with)) == 0;
        }
        let empty = match self.tree().item(loc) {
            Item::Array(array) => array.count == 0,
            Item::Bytes(bytes) => bytes.is_empty() && pointer.counts,
            _ => false,
        };
        if !empty {
            return false;
        }
        let here = match self.kept(loc, KeptKind::Pointer) {
            Some(kept) if still_for(kept, &KeptValue::Bool(pointer.here)) => {
                kept.stored == KeptValue::Bool(true)
            }
            _ => pointer.here,
        };
        !here
    }

    /// Places content at the cursor; returns its address and end if its own bytes were placed.
    fn place_content(
        &mut self,
        loc: Loc,
        content: &'static Content,
        align: u64,
        record: bool,
        tail: bool,
    ) -> Fallible<(Option<u64>, Option<u64>)> {
        let content = self.content_of(content);
        if let (Content::Record, Item::Node(node)) = (content, self.tree().item(loc)) {
            let node = *node;
            let layout = self.layout_of(node);
            let first = matches!(layout.first(), Some(Statement::This));
            if record || (tail && !first) {
                if self.tree().node(node).at != UNPLACED && record {
                    let at = self.describe(loc);
                    return Err(Box::new(Fault::Eval(format!("`{at}` is placed twice"))));
                }
                self.w().aligns.insert(node, align);
            }
            if first {
                if record {
                    self.run_layout(node, &layout[..1])?;
                }
                if tail {
                    self.run_layout(node, &layout[1..])?;
                }
            } else if tail {
                self.run_layout(node, layout)?;
            }
            let n = self.tree().node(node);
            return Ok(((n.at != UNPLACED).then_some(n.at), (n.end != UNPLACED).then_some(n.end)));
        }
        let mut placed = (None, None);
        if record {
            self.w().room = None;
            let at = self.begin(loc, align);
            let own = if let Content::Leaf(align) = content { *align } else { 1 };
            let start = align_up(at, own);
            let mut spot = Spot::new(start);
            self.lay_content(loc, &mut spot)?;
            spot.align();
            self.w().jobs.push(Job { at: start, loc });
            self.finish_object(spot.at);
            placed = (Some(start), Some(spot.at));
        }
        if tail {
            self.place_inside(loc, content)?;
        }
        Ok(placed)
    }

    /// Runs a named part of the layouts of the records at a row.
    fn run_pass(&mut self, loc: Loc, pass: &'static str) -> Fallible<()> {
        self.force(loc.node, loc.slot)?;
        let mut nodes = Vec::new();
        nodes_in(self.tree().item(loc), &mut nodes);
        for node in nodes {
            let record = &self.tables().records[usize::from(self.tree().node(node).record)];
            if let Some((_, statements)) = record.passes.iter().find(|(name, _)| *name == pass) {
                self.run_layout(node, statements)?;
            }
        }
        Ok(())
    }

    /// Places everything.
    fn place_all(&mut self) -> Fallible<()> {
        let root = self.root();
        self.run_layout(root, self.layout_of(root))?;
        // What the file had behind everything.
        let _ = Spelling::WHOLE;
        let total = self.begin(Loc::slot(root, WHOLE), 1);
        self.w().total = Some(total);
        Ok(())
    }

    /// Reports objects that no layout has placed.
    fn check_placed(&mut self) {
        let nodes = u32::try_from(self.tree().nodes.len()).unwrap_or(u32::MAX);
        for index in 0..nodes {
            let node = NodeId(index);
            if self.tree().node(node).at == UNPLACED {
                continue;
            }
            let slots = self.tree().info(node).slots.len();
            for slot in 0..u16::try_from(slots).unwrap_or(u16::MAX) {
                let loc = Loc::slot(node, slot);
                let own = self.own(loc);
                let here = self.tree().slot(node, slot);
                let missing = match (own, &here.item) {
                    (_, Item::Absent | Item::Unset) | (Own::Nothing, _) => false,
                    (Own::Object(..), _) => here.at == UNPLACED,
                    (Own::Inline(content), item) => is_unplaced(self.content_of(content), item),
                };
                if missing {
                    self.w().problem_loc(loc, ProblemKind::NotPlaced);
                }
            }
        }
    }
}

impl<'v, W: Write<'v>> Place<'v> for W {}

/// Whether what is in a slot or element and has no address will never have one.
pub fn has_no_place<'v, W: Write<'v>>(writer: &mut W, loc: Loc) -> bool {
    writer.is_unplaceable(loc)
}

fn nodes_in(item: &Item<'_>, nodes: &mut Vec<NodeId>) {
    match item {
        Item::Node(node) => nodes.push(*node),
        Item::Array(array) => {
            nodes.extend(array.items.iter().filter_map(|item| match through(item) {
                Item::Node(node) => Some(*node),
                _ => None,
            }));
        }
        _ => {}
    }
}

/// Whether a pointer's object has no address though it should.
fn is_unplaced(content: &Content, item: &Item<'_>) -> bool {
    match (content, item) {
        (Content::Pointer(pointer), Item::Pointer(inner)) => match &inner.target {
            Item::Absent | Item::Unset => false,
            Item::Array(array) if array.count == 0 => false,
            Item::Bytes(bytes) if bytes.is_empty() => false,
            item => inner.at == UNPLACED || is_unplaced(&pointer.target, item),
        },
        (Content::Array(element), Item::Array(items)) => {
            matches!(element, Content::Pointer(_))
                && items.items.iter().any(|item| is_unplaced(element, item))
        }
        _ => false,
    }
}
