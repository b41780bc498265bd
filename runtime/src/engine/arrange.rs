//! How a file is arranged, where that is not what its layout says.
//!
//! A layout gives every object its place: behind the one before it, on its alignment. A file may
//! have its objects in another order, share one between two pointers, or have bytes between them
//! that nothing leads to. Then what is needed to arrange it so again is kept beside the objects:
//!
//! - [`KeptKind::Gap`]: the bytes between an object and what lies before it.
//! - [`KeptKind::Place`]: the address of an object that does not follow the one before it in the
//!   layout. Those behind it follow it again, so they are a *chain* that moves as a whole.
//! - [`KeptKind::Shared`]: an object that lies inside another one: the address of that one, and how
//!   far behind it this one begins. What has no bytes and is behind everything counts from the end of
//!   the object that ends last.
//!
//! To find them, the statements of the layout are run over what was read (`write/place.rs`), and
//! each object is *met* where it is in place of being put there. A file that is arranged as the
//! layout says is done after that. Otherwise all objects are sorted by address, and the layout is run
//! once more, to say of each what is kept.

use alloc::vec::Vec;
use core::cmp::Reverse;

use super::address::{leads_to_nothing, pointer_type};
use super::item::{Item, Loc, NodeRef, UNPLACED, WHOLE};
use super::plan::Duties;
use super::reading::{short, Arrangement, Object, Read, Round};
use super::state::Engine;
use super::walk::Walk;
use crate::error::ReadErrorKind;
use crate::model::{Gaps, RowKind, Statement};
use crate::spelling::{KeptKind, KeptValue};

/// In place of the end of an object without bytes that is where the layout has it.
const IDLE: u32 = UNPLACED;
/// The same of one that is elsewhere, on its alignment.
const LOOSE: u32 = UNPLACED - 1;

/// Whether an object has bytes.
fn has_bytes((at, end): (u32, u32)) -> bool {
    at < end && end < LOOSE
}

/// Where a layout has the end of a file.
struct End {
    /// Where the last object ends.
    reach: u64,
    /// Where the file does, with the fill that the layout asks for.
    expected: u64,
    /// Alignment that it asks for last.
    align: u64,
}

impl Engine<'_, '_> {
    /// Keeps how the file is arranged, unless that is canonical.
    pub(crate) fn find_arrangement(&mut self) -> Read<()> {
        let root = NodeRef::ROOT;
        let layout = &self.tree.record(root).layout;
        if let [] | [Statement::This] = &layout[..] {
            let end = self.tree.node_end(root).into();
            return self.keep_end(End { reach: end, expected: end, align: 1 });
        }
        for round in [Round::Compare, Round::Keep] {
            let arrangement = &mut self.reading.arrangement;
            if round == Round::Keep {
                arrangement.compare_objects();
            }
            self.run_round(round)?;
            if let Some(error) = self.reading.not_zero.take() {
                return Err(error);
            }
            if !self.reading.arrangement.differs {
                break;
            }
        }
        let end = self.end_of_layout();
        self.find_unreached()?;
        self.reading.arrangement = Arrangement::default();
        self.keep_end(end)?;
        self.tree.kept.sort_places();
        Ok(())
    }

    /// Where the layout that was run has the end of the file.
    fn end_of_layout(&self) -> End {
        let (last_end, align) = (self.writing.last_end, self.writing.asked_align);
        let reach = self.reading.arrangement.reach().into();
        match self.reading.arrangement.differs && reach > last_end {
            true => End { reach, expected: self.filled(reach), align },
            false => End { reach: last_end, expected: self.writing.cursor, align },
        }
    }

    /// Runs the layout over what was read.
    fn run_round(&mut self, round: Round) -> Read<()> {
        let arrangement = &mut self.reading.arrangement;
        arrangement.round = round;
        (arrangement.next, arrangement.reached) = (0, 0);
        (self.writing.cursor, self.writing.last_end, self.writing.asked_align) = (0, 0, 1);
        self.writing.fill.clear();
        let length = self.reading.notes.len();
        let ran = self.run_root();
        self.reading.notes.truncate(length);
        // A layout that cannot be run now cannot be run for writing, either.
        ran.map_err(|fault| self.fault(*fault, 0_u32, Loc::row(NodeRef::ROOT, WHOLE)))
    }

    /// The layout reaches an object.
    pub(crate) fn reach(&mut self, loc: Loc) {
        let arrangement = &mut self.reading.arrangement;
        arrangement.reached += 1;
        if arrangement.round == Round::Search {
            arrangement.seen.push(loc);
        }
    }

    /// Looks for objects that no statement of the layout reaches. An array without elements stays
    /// where it is; anything else could not be written.
    fn find_unreached(&mut self) -> Read<()> {
        if self.reading.arrangement.reached == self.reading.objects {
            return Ok(());
        }
        self.run_round(Round::Search)?;
        let mut seen = core::mem::take(&mut self.reading.arrangement.seen);
        seen.sort_unstable();
        let mut walk = Walk::new(&self.tree, Duties::PLACING);
        while let Some(node) = walk.next(&self.tree) {
            for row in &self.tree.plan(node).placing {
                let loc = Loc::row(node, *row);
                self.keep_unreached(loc, &seen)?;
                if let Item::Array(array) = self.tree.item(loc) {
                    for index in 0..self.tree.count(array) {
                        self.keep_unreached(loc.at(index), &seen)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn keep_unreached(&mut self, loc: Loc, seen: &[Loc]) -> Read<()> {
        let object = matches!(self.tree.row(loc).kind, RowKind::Object { .. });
        let at = match self.tree.pointer(loc) {
            Some(pointer) if pointer.target.is_absent() && !self.is_nothing(loc) => UNPLACED,
            Some(pointer) => pointer.at,
            None if object && loc.index().is_none() => match self.tree.item(loc).is_absent() {
                true => UNPLACED,
                false => self.tree.row_at(loc),
            },
            None => UNPLACED,
        };
        let owns = pointer_type(self.tree.row(loc), loc).map_or(object, |p| p.owned().is_some());
        if at == UNPLACED || !owns || seen.binary_search(&loc).is_ok() {
            return Ok(());
        }
        if object || !self.is_nothing(loc) {
            return Err(self.error(ReadErrorKind::NotPlaced, at, loc));
        }
        let numbers = [0, at].map(|n| KeptValue::Int(n.into()));
        self.keep(loc, KeptKind::Shared, KeptValue::List(numbers.into()), KeptValue::None);
        Ok(())
    }

    /// Whether a pointer leads to something that has no bytes.
    pub(crate) fn is_nothing(&self, loc: Loc) -> bool {
        match self.tree.item(loc) {
            Item::Array(array) => self.tree.count(array) == 0,
            Item::Bytes(blob) => blob.len == 0,
            Item::Absent => leads_to_nothing(self.tree.row(loc)),
            _ => false,
        }
    }

    /// Keeps what lies behind everything. A file that ends on the alignment of its end goes on to.
    fn keep_end(&mut self, End { reach, expected, align }: End) -> Read<()> {
        let length = self.tree.file.len() as u64;
        let loc = Loc::row(NodeRef::ROOT, WHOLE);
        let zero = self.is_zero(reach, length);
        let aligned = align > 1 && length % align == 0;
        let filled = zero && (aligned || length == expected);
        if filled && reach < length && self.reading.claims.is_some() {
            self.reading.padding.push(reach..length);
        }
        if filled && length == expected {
            return Ok(());
        }
        if aligned {
            self.keep(loc, KeptKind::Place, KeptValue::Int(length.into()), KeptValue::None);
        }
        if !filled {
            self.keep_gap(loc, reach, length);
        }
        self.reading.not_zero.take().map_or(Ok(()), Err)
    }

    /// Whether something may stand at an address behind bytes that are kept. Marks may be beyond the
    /// end of the file.
    fn may_follow(&self, at: u64, align: u64) -> bool {
        at % align.max(1) == 0 && at <= self.tree.file.len() as u64
    }

    fn is_zero(&self, from: u64, to: u64) -> bool {
        let bytes = crate::slice(self.tree.file, from, to.saturating_sub(from));
        bytes.map_or(true, crate::is_zero)
    }

    /// Keeps bytes that lie before an object, unless the schema says that they are zero.
    fn keep_gap(&mut self, loc: Loc, from: u64, to: u64) {
        let Ok(bytes) = crate::slice(self.tree.file, from, to.saturating_sub(from)) else { return };
        if self.model.gaps == Gaps::Zero {
            if let Some(first) = bytes.iter().position(|b| *b != 0) {
                let error = self.error(ReadErrorKind::NotZero, from + first as u64, loc);
                self.reading.not_zero.get_or_insert(error);
            }
        }
        self.keep(loc, KeptKind::Gap, KeptValue::Bytes(bytes.to_vec()), KeptValue::None);
    }

    /// An object of the file, whose place would be `expected`.
    pub(crate) fn meet(&mut self, loc: Loc, expected: u64, align: u64, at: u64, end: u64) {
        let last_end = self.writing.last_end;
        match self.reading.arrangement.round {
            Round::Compare => {
                let usual = at == expected && self.is_zero(last_end, at);
                let end = match at == end {
                    true if usual => IDLE,
                    true if self.may_follow(at, align) => LOOSE,
                    _ => short(end),
                };
                let arrangement = &mut self.reading.arrangement;
                arrangement.differs |= !usual;
                arrangement.met.push((short(at), end));
            }
            Round::Keep => {
                if !self.keep_place(loc, expected, align, (at, end)) {
                    return;
                }
            }
            Round::Search => {}
        }
        self.writing.cursor = end;
        self.writing.last_end = end;
        self.writing.asked_align = 1;
        self.writing.fill.clear();
    }

    /// A mark, which is like an object without bytes, but nothing is counted from it unless bytes
    /// are kept before it.
    pub(crate) fn meet_mark(&mut self, loc: Loc, expected: u64, at: u64) {
        let (last_end, asked_align) = (self.writing.last_end, self.writing.asked_align);
        let fill = core::mem::take(&mut self.writing.fill);
        self.meet(loc, expected, asked_align, at, at);
        self.writing.asked_align = asked_align;
        if self.tree.kept_of(loc, KeptKind::Gap).is_none() {
            self.writing.last_end = last_end;
            self.writing.fill = fill;
        }
    }

    /// Keeps what is unusual about the place of the next object. Says whether the layout goes on
    /// behind it.
    fn keep_place(&mut self, loc: Loc, expected: u64, align: u64, (at, end): (u64, u64)) -> bool {
        let last_end = self.writing.last_end;
        let arrangement = &mut self.reading.arrangement;
        let Some(object) = arrangement.objects.get(arrangement.next).copied() else { return true };
        arrangement.next += 1;
        let Object { hosts, .. } = object;
        let before = u64::from(object.before);
        let padded = || before.checked_next_multiple_of(align.max(1)) == Some(at);
        if self.reading.claims.is_some() && before < at && padded() {
            self.reading.padding.push(before..at);
        }
        // Zeros may be another object.
        let zeros = at == expected && self.is_zero(last_end, at);
        let usual = zeros && before <= last_end;
        if at == end && (usual || (zeros && at == last_end)) {
            return true;
        }
        let follows = before <= last_end && at >= last_end && self.may_follow(at, align);
        if object.host != UNPLACED && !(at == end && follows) {
            let host = u64::from(object.host);
            let numbers = [host, at - host].map(|n| KeptValue::Int(n.into()));
            self.keep(loc, KeptKind::Shared, KeptValue::List(numbers.into()), KeptValue::None);
            return false;
        }
        if follows && !hosts {
            if !usual {
                self.keep_gap(loc, last_end, at);
            }
            return true;
        }
        // Nothing has to be said of the root, which is nowhere else.
        if loc != Loc::row(NodeRef::ROOT, WHOLE) {
            let place = KeptValue::Int(at.into());
            self.keep(loc, KeptKind::Place, place, KeptValue::None);
            if !self.is_zero(before, at) {
                self.keep_gap(loc, before, at);
            }
        }
        true
    }
}

impl Arrangement {
    /// Where the object ends that ends last.
    fn reach(&self) -> u32 {
        let bytes = self.met.iter().filter(|met| has_bytes(**met));
        bytes.map(|(_, end)| *end).max().unwrap_or(0)
    }

    /// Finds out what lies before each object, and which lie inside of others.
    fn compare_objects(&mut self) {
        let met = &self.met;
        let apart = Object { before: 0, host: UNPLACED, hosts: false };
        self.objects = alloc::vec![apart; met.len()];
        let objects = &mut self.objects;
        let mut order: Vec<u32> = (0..short(met.len() as u64)).collect();
        // The root is the first of all; of objects at one address those without bytes are next, then
        // the longest, which holds the others.
        order.sort_unstable_by_key(|i| {
            let met = met[*i as usize];
            (met.0, *i > 0, has_bytes(met), Reverse(met.1), *i)
        });
        let mut reach = 0;
        let mut host = 0;
        // Those without bytes, with the object that begins where they are, or the one before them.
        let mut empty: Vec<(usize, usize)> = Vec::new();
        for i in order {
            let i = i as usize;
            let (at, end) = met[i];
            objects[i].before = reach;
            if !has_bytes(met[i]) {
                empty.push((i, host));
                continue;
            }
            if at < reach {
                objects[i].host = met[host].0;
                objects[host].hosts = true;
            } else {
                host = i;
            }
            reach = reach.max(end);
            let here = empty.iter_mut().rev().take_while(|(i, _)| met[*i].0 == at);
            here.for_each(|(_, of)| *of = host);
        }
        empty.sort_unstable();
        let mut behind = Behind::default();
        for (i, host) in empty {
            behind.go_on(met, objects, i);
            let (at, end) = met[i];
            let before = objects[i].before;
            // What follows the one before it needs no other.
            let follows = match end {
                IDLE => !behind.shared && (before <= behind.end || at == behind.end),
                LOOSE => (before..=at).contains(&behind.end),
                _ => false,
            };
            if at >= reach {
                objects[i].host = reach;
            } else {
                objects[i].host = met[host].0;
                objects[host].hosts |= !follows;
            }
        }
    }
}

/// The objects of a layout up to one of them.
#[derive(Default)]
struct Behind {
    next: usize,
    /// End of the last of them that lies in no other one.
    end: u32,
    /// Whether one that does lies behind that.
    shared: bool,
}

impl Behind {
    fn go_on(&mut self, met: &[(u32, u32)], objects: &[Object], to: usize) {
        for (met, object) in met.iter().zip(objects).take(to).skip(self.next) {
            if has_bytes(*met) {
                self.shared = object.host != UNPLACED;
                if !self.shared {
                    self.end = met.1;
                }
            }
        }
        self.next = to;
    }
}
