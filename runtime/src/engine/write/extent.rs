//! Places regions: bytes whose extent is said by a size, an end or a terminator.

use alloc::format;
use alloc::vec::Vec;

use super::super::item::{Loc, NodeRef, CASE, UNPLACED};
use super::super::state::Engine;
use super::super::val::{eval_error, Fallible, Fault};
use super::super::writing::{Expectation, OpenEnd};
use super::lay::Spot;
use crate::ends::{Cut, Stop, Tail};
use crate::load::Endian;
use crate::model::{
    ExprId, Extent, RecordId, RecordKind, RegionType, Row, RunLength, Terminated, Terminator, Type,
};
use crate::path::Path;
use crate::problem::ProblemKind;
use crate::spelling::{KeptKind, KeptValue};

impl<'p> Engine<'p, '_> {
    pub(crate) fn lay_region(
        &mut self,
        loc: Loc,
        region: &'p RegionType,
        row: &'p Row,
        spot: &mut Spot,
    ) -> Fallible<()> {
        // The padding of a text is in front of the region.
        spot.at = region.inner.start(spot.at);
        let at = spot.at;
        let measuring = self.writing.measuring;
        let slot = self.tree.slot_index(loc).filter(|_| measuring && loc.index().is_none());
        match slot.and_then(|slot| self.writing.measured.get(slot)) {
            None | Some(&UNPLACED) => {}
            Some(size) => {
                spot.at += u64::from(*size);
                return Ok(());
            }
        }
        let around = self.writing.room;
        let open = self.writing.open_ends.len();
        let room = match &region.extent {
            Extent::Size(size)
                if self.gives_room(loc, *size)
                    || !measuring && self.gives_room_here(loc, *size) =>
            {
                self.here = at;
                self.known_room(*size, loc)?.and_then(|size| at.checked_add(size))
            }
            Extent::Rest => around,
            Extent::Size(_) | Extent::End(_) | Extent::Terminated(_) => None,
        };
        self.writing.room = if region.trim.is_some() { None } else { room };
        let laid = self.lay_inline(loc, &region.inner, row, spot);
        self.writing.room = around;
        laid?;
        spot.align();
        let end = spot.at;
        if !matches!((&region.extent, &region.trim), (Extent::Rest, None)) {
            self.close_region(open, end);
        }
        self.check_form(loc, end - at);
        match (&region.extent, &region.trim) {
            (Extent::Size(size), None) => self.expect(loc, *size, end - at, "size"),
            (Extent::End(expr), None) => {
                if !measuring {
                    self.expect(loc, *expr, end, "end");
                }
            }
            (Extent::Rest, None) => {}
            (Extent::Terminated(terminator), _) => {
                let content = self.content_bytes(loc, &region.inner, row, at, end)?;
                let order = self.stop_order(Some(terminator), loc)?;
                self.lay_terminator(loc, Stop::of(terminator, order), &content, around, spot);
            }
            (Extent::End(_), Some(_)) if measuring && self.ends_in_units(loc) => {
                return eval_error(
                    "where the end is counted in units, the size is not known ahead",
                );
            }
            (extent, Some(trim)) => {
                let content = self.content_bytes(loc, &region.inner, row, at, end)?;
                let size = room.and_then(|room| usize::try_from(room.saturating_sub(at)).ok());
                let order = self.stop_order(trim.terminator.as_ref(), loc)?;
                let cut = Cut::of(trim, order);
                if !self.lay_tail(loc, cut, &content, size, spot) {
                    return Ok(());
                }
                if let Extent::Size(size) = extent {
                    self.expect(loc, *size, spot.at - at, "size");
                }
            }
        }
        if let Some(slot) = slot {
            let measured = &mut self.writing.measured;
            if measured.len() <= slot {
                measured.resize(self.tree.slots.len(), UNPLACED);
            }
            measured[slot] = u32::try_from(spot.at - at).unwrap_or(UNPLACED);
        }
        Ok(())
    }

    /// Whether a number says where a row ends that not every address is a multiple of.
    fn ends_in_units(&self, loc: Loc) -> bool {
        let of = (self.tree.record_id(loc.node), loc.row);
        self.layout.ended.get(&of).is_some_and(|rule| rule.factor != 1)
    }

    /// Byte order of the units that end something, if it matters.
    fn stop_order(&mut self, of: Option<&Terminator>, loc: Loc) -> Fallible<Endian> {
        match of {
            Some(terminator) if terminator.has_order() => {
                Ok(self.node_order(loc.node)?.unwrap_or_default())
            }
            _ => Ok(Endian::default()),
        }
    }

    /// Puts a terminator behind content, unless the end of the region stands for it.
    fn lay_terminator(
        &mut self,
        loc: Loc,
        stop: Stop<'_>,
        content: &[u8],
        around: Option<u64>,
        spot: &mut Spot,
    ) {
        let width = stop.width() as u64;
        let full = around.is_some_and(|room| spot.at.saturating_add(width) > room);
        let kept = self
            .tree
            .kept_of(loc, KeptKind::Tail)
            .is_some_and(|kept| kept.instead_of == KeptValue::Int(content.len() as i128));
        let last = !self.writing.ended.contains(&loc);
        let ended_by_region = stop.optional && last && (full || kept);
        if !stop.allows(content, ended_by_region) {
            let kind = match stop.mode {
                Terminated::Kept => {
                    let what = "it must end with its terminator, and have none before".into();
                    ProblemKind::Contradicts { what }
                }
                _ => ProblemKind::TextContains { what: "its terminator".into() },
            };
            self.problem(loc, kind);
        }
        if stop.mode != Terminated::Dropped {
            return;
        }
        if ended_by_region {
            self.writing.open_ends.push(OpenEnd { at: spot.at, loc, takes_all: false });
            return;
        }
        if !self.writing.measuring {
            self.writing.loose.push((spot.at, stop.bytes.to_vec()));
        }
        spot.at += width;
    }

    /// What has no terminator because the end of a region stands for it must stand there: where
    /// something has come behind it, it gets its terminator the next time. So must what a reader takes
    /// up to there: a form that was kept gives way to another the next time. The region ends at `end`,
    /// and what is open in it was noted from `first` on.
    pub(crate) fn close_region(&mut self, first: usize, end: u64) {
        if self.writing.open_ends.len() <= first {
            return;
        }
        let open = self.writing.open_ends.split_off(first);
        for OpenEnd { at, loc, takes_all } in open {
            if at == end {
                continue;
            }
            if !takes_all {
                self.writing.late_ends.insert(loc);
            } else if let Some((path, form)) = self.kept_form_around(loc) {
                self.lose_form(path, form);
            } else {
                let what = format!("it must reach to the end of what it is in, {end:#x}").into();
                self.problem(loc, ProblemKind::Contradicts { what });
            }
        }
    }

    /// The nearest form around a row that was kept, and the path of its union.
    fn kept_form_around(&self, loc: Loc) -> Option<(Path, usize)> {
        let mut node = loc.node;
        loop {
            let (holder, form) = self.form_of(node)?;
            if let Some(form) = form.filter(|_| self.writing.kept_forms.contains(&holder)) {
                return Some((self.tree.path(holder), form));
            }
            node = holder.node;
        }
    }

    /// The nearest form around a problem that may give way to another one that has not been tried, does
    /// so the next time.
    pub(super) fn blame_form(&mut self, loc: Loc) {
        let mut node = loc.node;
        while let Some((holder, form)) = self.form_of(node) {
            let (record, path) = (self.tree.record_id(node), form.map(|_| self.tree.path(holder)));
            if let (Some(form), Some(path)) = (form, path) {
                if self.has_other_form(record, form, &path) {
                    self.writing.blamed_forms.entry(path).or_default().insert(form);
                    return;
                }
            }
            node = holder.node;
        }
    }

    /// Whether a case has another form than this one that has not been lost.
    fn has_other_form(&self, record: RecordId, form: usize, path: &Path) -> bool {
        let RecordKind::Form(union, case, _) = self.model.records[record.index()].kind else {
            return false;
        };
        let forms = &self.model.unions[union.index()].cases[case as usize].forms;
        let lost = self.writing.lost_forms.get(path);
        let is_lost = |at: usize| lost.is_some_and(|lost| lost.contains(&at));
        let others = forms.iter().enumerate().filter(|(at, _)| *at != form);
        !is_lost(form) && { others }.any(|(at, other)| self.in_epoch(&other.epochs) && !is_lost(at))
    }

    /// The row or element in which a node is, and of the rows of a form its position.
    fn form_of(&self, node: NodeRef) -> Option<(Loc, Option<usize>)> {
        let form = match self.tree.record(node).kind {
            RecordKind::Form(_, _, form) => form as usize,
            _ => return Some((self.tree.holder(node)?, None)),
        };
        Some((self.tree.holder(NodeRef { part: CASE, ..node })?, Some(form)))
    }

    /// A form whose number cannot say that a row takes so many bytes gives way to another the next
    /// time.
    fn check_form(&mut self, loc: Loc, size: u64) {
        let place = (self.tree.record_id(loc.node), loc.row);
        let Some(rule) = self.layout.sizes.get(&place) else { return };
        if rule.allows(size) {
            return;
        }
        if let Some((holder, Some(form))) = self.form_of(loc.node) {
            self.lose_form(self.tree.path(holder), form);
        }
    }

    pub(crate) fn lose_form(&mut self, path: Path, form: usize) {
        let lost = self.writing.lost_forms.get(&path);
        if !lost.is_some_and(|forms| forms.contains(&form)) {
            self.writing.late_forms.entry(path).or_default().insert(form);
        }
    }

    /// A reader takes what ends here up to the end of the region that it is in.
    pub(crate) fn takes_all(&mut self, loc: Loc, at: u64) {
        if !self.writing.measuring {
            self.writing.open_ends.push(OpenEnd { at, loc, takes_all: true });
        }
    }

    /// Puts what follows content in a region that is larger. Says whether there is such a thing.
    fn lay_tail(
        &mut self,
        loc: Loc,
        cut: Cut<'_>,
        content: &[u8],
        size: Option<usize>,
        spot: &mut Spot,
    ) -> bool {
        let length = KeptValue::Int(content.len() as i128);
        let kept = self.tree.kept_of(loc, KeptKind::Tail);
        let kept =
            kept.filter(|kept| kept.instead_of == length).and_then(|kept| match &kept.stored {
                KeptValue::Bytes(tail) => Some(tail.clone()),
                _ => None,
            });
        let kept = kept.filter(|tail| size.map_or(true, |size| size == content.len() + tail.len()));
        let end = spot.at;
        let usual = |engine: &Self| match size {
            Some(_) => cut.tail(content, size),
            None => {
                let begin = end.saturating_sub(content.len() as u64);
                engine.least_tail(loc, cut, content, begin)
            }
        };
        let Some(tail) = kept.or_else(|| Some(usual(self)?.bytes().collect())) else {
            let size = size.unwrap_or(0);
            let why = "the schema fixes the size".into();
            let actual = content.len() as u64;
            let kind = match size.checked_sub(content.len()) {
                None => ProblemKind::TooLong { most: size as u64, actual, why },
                Some(_) => ProblemKind::LengthMismatch { expected: size as i128, actual, why },
            };
            self.problem(loc, kind);
            return false;
        };
        if cut.length(&[content, &tail].concat()) != content.len() {
            let what = "what ends it".into();
            self.problem(loc, ProblemKind::TextContains { what });
        }
        let at = spot.at;
        spot.at += tail.len() as u64;
        if !self.writing.measuring {
            self.writing.loose.push((at, tail));
        }
        true
    }

    /// What follows content in a region that begins at an address and whose size follows from it.
    pub(crate) fn least_tail<'c>(
        &self,
        loc: Loc,
        cut: Cut<'c>,
        content: &[u8],
        at: u64,
    ) -> Option<Tail<'c>> {
        let of = (self.tree.record_id(loc.node), loc.row);
        let end = self.layout.ended.get(&of).map(|rule| rule.from(at));
        cut.least_tail(content, self.layout.followed.get(&of).or(end.as_ref()))
    }

    /// The size of a region, unless it follows from what is not placed yet.
    pub(crate) fn known_room(&mut self, size: ExprId, loc: Loc) -> Fallible<Option<u64>> {
        match self.eval_int(size, loc.node, None) {
            Ok(size) => Ok(size.and_then(|n| u64::try_from(n).ok())),
            Err(fault) if matches!(*fault, Fault::NotPlaced(_)) => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    /// Whether the size of a region is known before what is in it.
    pub(crate) fn gives_room(&self, loc: Loc, size: ExprId) -> bool {
        self.gives_room_here(loc, size) && !self.layout.mentions_position(size)
    }

    /// The same, where it is known at which address the region begins.
    pub(crate) fn gives_room_here(&self, loc: Loc, size: ExprId) -> bool {
        let of = (self.tree.record_id(loc.node), loc.row);
        !self.layout.followed.contains_key(&of)
            && !self.layout.ahead.contains(&of)
            && !self.layout.mentions_region_end(size)
    }

    /// Whether how many bytes there are for elements that say where they stand follows from these.
    pub(crate) fn room_follows(&self, loc: Loc) -> bool {
        self.tree.row(loc).ty.parts().any(|part| match part {
            Type::Region(region) if region.inner.scattered().is_some() => {
                matches!(region.extent, Extent::Size(size) if !self.gives_room_here(loc, size))
            }
            _ => false,
        })
    }

    /// Whether a writer cannot know how much padding there is: it stays what it was. `room`: it is in a
    /// region whose end is known.
    pub(crate) fn is_open_padding(&self, loc: Loc, size: ExprId, room: bool) -> bool {
        self.layout.ahead.contains(&(self.tree.record_id(loc.node), loc.row))
            || self.layout.mentions_region_end(size) && !room
    }

    /// Notes that a length must agree with what the schema says of it. An element says nothing new if
    /// the one before it is as long.
    pub(crate) fn expect(&mut self, loc: Loc, expr: ExprId, actual: u64, what: &'static str) {
        let row = Loc::row(loc.node, loc.row);
        let known = self.writing.expectations.last().is_some_and(|last| {
            let same = Loc::row(last.loc.node, last.loc.row) == row && last.expr == expr;
            same && loc.index().is_some() && last.actual == actual
        });
        if !known
            && !self.writing.measuring
            && !self.layout.mentions_position(expr)
            && self.model.exprs.constant(expr) != Some(actual.into())
        {
            self.writing.expectations.push(Expectation { loc, expr, actual, what });
        }
    }

    /// Bytes of something that is placed already, to look at where it ends.
    fn content_bytes(
        &mut self,
        loc: Loc,
        ty: &'p Type,
        row: &'p Row,
        at: u64,
        end: u64,
    ) -> Fallible<Vec<u8>> {
        if let Type::Run(run) = ty {
            if matches!(run.length, RunLength::Fill) && run.suffix.is_empty() {
                let order = self.node_order(loc.node)?.unwrap_or_default();
                return Ok(self.encode(run.content, self.tree.item(loc), order));
            }
        }
        if self.writing.measuring {
            return eval_error("the size of a trimmed struct cannot be computed ahead");
        }
        let Some(size) = usize::try_from(end.saturating_sub(at)).ok() else {
            return eval_error("the file is too large");
        };
        // The row is said to be here when all of it is laid.
        let here = self.writing.here.replace((loc, at));
        let content = self.aside(at, size, |engine| engine.fill_ahead(loc, ty, row, at));
        self.writing.here = here;
        let mut content = content?;
        self.interleave(&mut content, at);
        Ok(content)
    }

    /// The bytes from an address on that something writes, which go nowhere else.
    pub(crate) fn aside(
        &mut self,
        at: u64,
        size: usize,
        fill: impl FnOnce(&mut Self) -> Fallible<()>,
    ) -> Fallible<Vec<u8>> {
        let whole = core::mem::take(&mut self.writing.out);
        let base = core::mem::replace(&mut self.writing.base, 0);
        let checking = core::mem::replace(&mut self.writing.checking, false);
        let written = core::mem::take(&mut self.writing.placing.written);
        self.writing.ahead = at;
        self.writing.out = alloc::vec![0; size];
        let filled = fill(self);
        let bytes = core::mem::replace(&mut self.writing.out, whole);
        self.writing.base = base;
        self.writing.checking = checking;
        self.writing.placing.written = written;
        self.writing.ahead = 0;
        filled.map(|()| bytes)
    }

    fn fill_ahead(&mut self, loc: Loc, ty: &'p Type, row: &'p Row, at: u64) -> Fallible<()> {
        let loose = self.writing.loose.iter().rev().take_while(|(place, _)| *place >= at);
        for (place, bytes) in loose.cloned().collect::<Vec<_>>() {
            self.put(place, &bytes);
        }
        self.fill_item(loc, ty, row)?;
        self.fill_inside(loc)
    }
}
