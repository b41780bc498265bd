//! Reads unions: which case is there, and its rows.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;

use super::super::item::{Item, Loc, NodeRef, CASE};
use super::super::labels::{bits_mask, matching, tag_size, Decision, Taken};
use super::super::program::Candidate;
use super::super::reading::{short, Read};
use super::super::state::Engine;
use super::super::val::{describe, hex, Fault, Val};
use super::Cursor;
use crate::error::ReadErrorKind;
use crate::model::{Cell, RowId, Storage, Tag, Type, UnionId};

impl<'p, 'b> Engine<'p, 'b> {
    pub(crate) fn read_union(
        &mut self,
        id: UnionId,
        loc: Loc,
        cursor: &mut Cursor<'b>,
    ) -> Read<Item> {
        let union = &self.model.unions[id.index()];
        let start = cursor.at;
        self.stand(cursor);
        let fail = |engine: &Self, fault: Box<Fault>| engine.fault(*fault, start, loc);
        let tag_size = tag_size(&union.tag);
        let decision = match &union.tag {
            Tag::Row(tag) => {
                let val =
                    self.load(Val::Loc(Loc::row(loc.node, *tag))).map_err(|f| fail(self, f))?;
                Decision { val, bytes: &[], word: None }
            }
            Tag::Given(expr) => {
                let val = self.eval(*expr, loc.node, None).map_err(|f| fail(self, f))?;
                Decision { val, bytes: &[], word: None }
            }
            Tag::Own(cell) | Tag::Word(cell) => {
                let claimed = self.claimed();
                let mut ahead = Cursor::new(start, cursor.limit);
                let item = self.read_cell(cell, &[], loc, &mut ahead)?;
                self.unclaim(claimed);
                let from = usize::try_from(start).unwrap_or(usize::MAX);
                let to = usize::try_from(cursor.limit).unwrap_or(usize::MAX);
                let bytes = self.tree.file.get(from..to).unwrap_or(&[]);
                let val = self.tree.val(item);
                let word = match (&union.tag, val) {
                    (Tag::Word(_), Val::Int(n)) => {
                        Some((n as u128 & bits_mask(tag_size * 8), tag_size * 8))
                    }
                    _ => None,
                };
                Decision { val, bytes, word }
            }
        };
        let mut otherwise = None;
        for candidate in self.layout.dispatch[id.index()].candidates(decision.bytes) {
            let labels = candidate.labels(union);
            let Some(taken) = matching(&self.tree, labels, &decision) else { continue };
            let guard = match candidate.form {
                None => union.cases[candidate.case as usize].guard,
                Some(_) => None,
            };
            let holds = match guard {
                Some(guard) => self.eval_bool(guard, loc.node, None).map_err(|f| fail(self, f))?,
                None => true,
            };
            if holds && matches!(taken, Taken::Else(_)) {
                otherwise = otherwise.or(Some((*candidate, taken)));
            } else if holds {
                return self.read_sized(id, *candidate, taken, loc, cursor);
            }
        }
        if let Some((candidate, taken)) = otherwise {
            return self.read_sized(id, candidate, taken, loc, cursor);
        }
        let kind = ReadErrorKind::UnknownTag {
            union_name: union.name.as_str().into(),
            tag: self.show_tag(decision.val).into(),
        };
        let at = match &union.tag {
            Tag::Row(tag) => self.tree.cell_at(Loc::row(loc.node, *tag)).into(),
            _ => start,
        };
        Err(self.error(kind, at, loc))
    }

    pub(crate) fn in_epoch(&self, epochs: &[bool]) -> bool {
        epochs.get(self.layout.epoch.index()).copied().unwrap_or(true)
    }

    /// Reads a case, which must fill the union if that says its size.
    fn read_sized(
        &mut self,
        id: UnionId,
        candidate: Candidate,
        taken: Taken,
        loc: Loc,
        cursor: &mut Cursor<'b>,
    ) -> Read<Item> {
        let Some(size) = self.model.unions[id.index()].size else {
            return self.read_case(id, candidate, taken, loc, cursor);
        };
        self.has_room(cursor, size, loc)?;
        let end = cursor.at + size;
        let mut inner = cursor.inside(cursor.at, end);
        inner.room = true;
        let item = self.read_case(id, candidate, taken, loc, &mut inner)?;
        if inner.at < end {
            let kind = ReadErrorKind::TrailingBytes { remaining: end - inner.at };
            return Err(self.error(kind, inner.at, loc));
        }
        cursor.at = end;
        Ok(item)
    }

    fn read_case(
        &mut self,
        id: UnionId,
        candidate: Candidate,
        taken: Taken,
        loc: Loc,
        cursor: &mut Cursor<'b>,
    ) -> Read<Item> {
        let union = &self.model.unions[id.index()];
        let case = &union.cases[candidate.case as usize];
        let start = cursor.at;
        let base = u64::from(self.tree.node_at(loc.node));
        let tag_size = tag_size(&union.tag);
        let form = candidate.form;
        let record = form.map_or(case.record, |form| case.forms[form as usize].record);
        let rows = self.add_node(record, loc, start)?;
        let node = if form.is_some() {
            self.tree.set_case(rows, case.record);
            NodeRef { part: CASE, ..rows }
        } else {
            rows
        };
        self.show_early(loc, node);
        if case.whole {
            // The record stands for the whole union, the tag included.
            let own = matches!(union.tag, Tag::Own(_) | Tag::Word(_));
            let from = if own && !union.body { start } else { base };
            cursor.at = self.read_record(rows, cursor.inside(from, cursor.limit))?;
            return Ok(Item::Node(node));
        }
        let (number, covered) = match taken {
            Taken::Pattern { number, bytes } => (number, bytes.max(tag_size)),
            Taken::Range(number) | Taken::Else(number) => (number as u128, tag_size),
        };
        if u64::from(covered) > cursor.remaining() {
            let remaining = cursor.remaining();
            let kind = ReadErrorKind::UnexpectedEnd { needed: covered.into(), remaining };
            self.tree.leave_unread(rows, None);
            return Err(self.error(kind, start, loc));
        }
        self.claim(start, start + u64::from(covered), loc);
        cursor.at = start + u64::from(covered);
        if number != 0 {
            self.tree.set_tag(rows, number);
        }
        self.tree.own_node_mut(rows).at = short(base);
        let mut inner = cursor.inside(cursor.at, cursor.limit);
        if self.is_too_deep() {
            self.tree.leave_unread(rows, None);
            return Err(self.error(self.depth_limit(), start, loc));
        }
        let block = self.fixed_part(rows);
        if let Some(end) = block.map(|size| base + size).filter(|end| *end > inner.limit) {
            let (needed, remaining) = (end.saturating_sub(inner.at), inner.remaining());
            self.read_what_fits(rows, base, inner.limit);
            return Err(self.error(
                ReadErrorKind::UnexpectedEnd { needed, remaining },
                inner.at,
                loc,
            ));
        }
        self.deep(|engine| engine.read_rows(rows, &mut inner, base, block))?;
        self.set_letter_cells(rows, start);
        self.align_bits(&mut inner)?;
        cursor.at = inner.at;
        self.tree.own_node_mut(rows).end = short(cursor.at);
        Ok(Item::Node(node))
    }

    /// Pointers in the letters of a tag stand where the tag stands.
    pub(crate) fn set_letter_cells(&mut self, rows: NodeRef, at: u64) {
        for (id, row) in (0..).map(RowId).zip(&self.tree.record(rows).rows) {
            let Type::Pointer(pointer) = &row.ty else { continue };
            let Some(Cell { storage: Storage::Letter { .. }, .. }) = &pointer.cell else {
                continue;
            };
            let loc = Loc::row(rows, id);
            self.tree.change_slot(loc, |slot| {
                slot.at = short(at);
                slot.end = short(at);
            });
            if let Some(pointer) = self.tree.pointer_mut(loc) {
                pointer.cell = short(at);
            }
        }
    }

    /// Where the rows with homes of a case end, counted from its base.
    pub(crate) fn fixed_part(&self, node: NodeRef) -> Option<u64> {
        let plan = self.tree.plan(node);
        plan.block.filter(|_| plan.homes).map(u64::from)
    }

    fn show_tag(&self, val: Val) -> String {
        match val {
            Val::Int(n) if n >= 0 => format!("{n:#x}"),
            Val::Int(n) => format!("{n}"),
            Val::Bool(b) => format!("{b}"),
            Val::Text(text) => format!("{:?}", self.tree.text(text)),
            Val::Bytes(bytes) => hex(self.tree.bytes(bytes)),
            other => describe(other).into(),
        }
    }
}
