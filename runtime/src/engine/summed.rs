//! Numbers, and bytes of a known number, that follow from bytes of the file: checksums. They are written
//! when all other bytes are there, and before those that follow from bytes which they are in.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use super::item::{Blob, From, Item, Loc, NodeRef, UNPLACED};
use super::plan::Direction;
use super::reading::{short, Read};
use super::state::Engine;
use super::val::{eval_error, Fallible, Fault, Val};
use crate::error::ReadErrorKind;
use crate::model::{cell_size, RowId, RunLength, Type};

/// Before all others at the same address.
const FIRST: Loc = Loc::row(NodeRef { id: 0, element: 0, part: 0 }, RowId(0));

/// Bytes that a number of the file follows from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sum {
    /// Where the number is.
    cell: Range<u64>,
    /// Where the bytes are.
    bytes: Range<u64>,
    row: Loc,
}

impl Engine<'_, '_> {
    /// Computes something for a row, whose own bytes count as zeros where bytes of the file are asked
    /// for.
    pub(crate) fn of_row(
        &mut self,
        loc: Loc,
        what: impl FnOnce(&mut Self) -> Fallible<Val>,
    ) -> Fallible<Val> {
        let around = self.own.replace(loc);
        let before = self.copies.len();
        let mut done = what(self);
        if self.copies.len() > before {
            let bytes = match done {
                Ok(Val::Bytes(blob)) => Some(self.tree.bytes(blob).to_vec()),
                _ => None,
            };
            self.forget_copies(before);
            if let Some(bytes) = bytes {
                done = Ok(Val::Bytes(self.tree.add_bytes(&bytes)));
            }
        }
        self.own = around;
        done
    }

    /// Copies of bytes of the file are not needed any more, but for so many of them.
    pub(crate) fn forget_copies(&mut self, before: usize) {
        while let Some(copy) = self.copies.get(before..).and_then(<[_]>::last).cloned() {
            self.copies.pop();
            if self.tree.own.len() == copy.end {
                self.tree.own.truncate(copy.start);
            }
        }
    }

    /// The bytes of the file between two addresses.
    pub(crate) fn stored_bytes(&mut self, from: i128, to: i128) -> Fallible<Val> {
        let is_reading = self.tree.direction == Direction::Reading;
        let size = match (is_reading, self.writing.total) {
            (true, _) => self.tree.file.len() as u64,
            (false, Some(total)) if self.writing.unsummed.is_some() => total,
            (false, _) => return self.not_written(),
        };
        let (Ok(from), Ok(to)) = (u64::try_from(from), u64::try_from(to)) else {
            return eval_error("there are no bytes before the file");
        };
        if from > to || to > size {
            return eval_error(alloc::format!("the file has no bytes from {from:#x} to {to:#x}"));
        }
        self.charge(to - from)?;
        self.summed += to - from;
        let cell = self.own.map_or(0..0, |loc| self.cell_of(loc));
        let own = cell.start.max(from)..cell.end.min(to);
        if is_reading {
            if let Some(row) = self.own {
                self.reading.sums.push(Sum { cell, bytes: from..to, row });
            }
            if own.is_empty() {
                let len = short(to - from);
                return Ok(Val::Bytes(Blob { from: From::File, start: short(from), len }));
            }
        } else if self.has_unsummed(&cell, &(from..to)) {
            return self.not_written();
        }
        let (base, file) = match is_reading {
            true => (0, self.tree.file),
            false => (self.writing.base, self.writing.out.as_slice()),
        };
        let there = base + from as usize..base + to as usize;
        let Some(bytes) = file.get(there) else { return eval_error("the file has no such bytes") };
        let start = self.tree.own.len();
        let copy = self.tree.add_bytes(bytes);
        for at in own {
            if let Some(byte) = self.tree.own.get_mut(start + (at - from) as usize) {
                *byte = 0;
            }
        }
        self.copies.push(start..self.tree.own.len());
        Ok(Val::Bytes(copy))
    }

    fn not_written<T>(&self) -> Fallible<T> {
        let what = self.own.map_or_else(|| "..".into(), |loc| self.describe(loc));
        Err(Box::new(Fault::NotWritten(what)))
    }

    /// The bytes of a row that follows from others.
    fn cell_of(&self, loc: Loc) -> Range<u64> {
        let at = self.tree.cell_at(loc);
        match size_of(self.tree.row(loc).ty.stripped()) {
            Some(size) if at != UNPLACED => u64::from(at)..u64::from(at) + size,
            _ => 0..0,
        }
    }

    /// Numbers that follow from each other's bytes cannot be written, so they are refused.
    pub(crate) fn sums_end(&mut self) -> Read<()> {
        let mut sums = core::mem::take(&mut self.reading.sums);
        sums.sort_by_key(|sum| sum.cell.start);
        match circle(&sums) {
            Some(sum) => {
                let message = alloc::format!("`{}` depends on itself", self.describe(sum.row));
                let kind = ReadErrorKind::Expression { message: message.into() };
                Err(self.error(kind, sum.cell.start, sum.row))
            }
            None => Ok(()),
        }
    }

    /// Whether a row is written when all other bytes are.
    pub(crate) fn is_summed_later(&self, loc: Loc) -> bool {
        !self.writing.summed.is_empty()
            && self.writing.summed.contains(&loc)
            && self.tree.entry(loc).is_unset()
    }

    /// A row follows from bytes that are not written yet.
    pub(crate) fn sum_later(&mut self, loc: Loc, fault: Box<Fault>) -> Fallible<()> {
        let known = size_of(self.tree.row(loc).ty.stripped()).is_some();
        // What is written ahead of everything else is asked for at once.
        if !known || self.writing.ahead != 0 || self.writing.unsummed.is_some() {
            return Err(fault);
        }
        self.writing.summed.insert(loc);
        Ok(())
    }

    /// Writes the numbers that follow from bytes of the file.
    pub(crate) fn fill_sums(&mut self) {
        if self.writing.summed.is_empty() || self.writing.checking {
            return;
        }
        let rows = self.writing.summed.iter().filter(|loc| self.tree.entry(**loc).is_unset());
        let places = rows.map(|loc| (u64::from(self.tree.cell_at(*loc)), *loc));
        let places = places.filter(|(at, _)| *at != u64::from(UNPLACED));
        let places: BTreeSet<_> = places.collect();
        let cells = places.iter().map(|(_, loc)| self.cell_of(*loc));
        self.writing.widest_sum = widest(cells);
        self.writing.unsummed = Some(places);
        loop {
            let next = self.writing.unsummed.as_ref().and_then(|places| places.first().copied());
            let Some(first) = next else { return };
            self.sum(first);
        }
    }

    /// Writes a number that follows from bytes of the file, after those that are in these bytes.
    fn sum(&mut self, first: (u64, Loc)) {
        // What is to be written, the last one first, and what waits for others: those may be very many.
        let (mut way, mut open) = (vec![first], BTreeSet::new());
        while let Some(place) = way.last().copied() {
            let loc = place.1;
            if !self.writing.unsummed.as_ref().is_some_and(|places| places.contains(&place)) {
                way.pop();
                continue;
            }
            open.insert(place);
            self.writing.missing.clear();
            let faulty = match self.force(loc.node, loc.row) {
                Ok(()) => self.fill_sum(loc),
                Err(fault) => Err(fault),
            };
            let missing = core::mem::take(&mut self.writing.missing);
            let faulty = match faulty {
                Err(fault) if matches!(*fault, Fault::NotWritten(_)) && !missing.is_empty() => {
                    match missing.iter().find(|place| open.contains(place)) {
                        Some((_, other)) => Err(Box::new(Fault::Cycle(self.describe(*other)))),
                        None => {
                            way.extend(missing);
                            continue;
                        }
                    }
                }
                other => other,
            };
            if let Err(fault) = faulty {
                self.report(*fault, loc);
            }
            way.pop();
            open.remove(&place);
            self.writing.unsummed.as_mut().map(|places| places.remove(&place));
        }
    }

    /// Whether numbers in these bytes are not written yet, but for those in the cell of the one that
    /// the bytes are needed for.
    fn has_unsummed(&mut self, cell: &Range<u64>, bytes: &Range<u64>) -> bool {
        let Some(places) = &self.writing.unsummed else { return false };
        let from = (bytes.start.saturating_sub(self.writing.widest_sum), FIRST);
        let places = places.range(from..(bytes.end, FIRST));
        let missing: Vec<_> = places
            .filter(|(at, loc)| *at != cell.start && meet(&self.cell_of(*loc), bytes))
            .copied()
            .collect();
        let has = !missing.is_empty();
        self.writing.missing.extend(missing);
        has
    }

    fn fill_sum(&mut self, loc: Loc) -> Fallible<()> {
        if let Item::Unset = self.tree.entry(loc) {
            return Err(Box::new(Fault::NotWritten(self.describe(loc))));
        }
        let row = self.tree.row(loc);
        match row.ty.stripped() {
            Type::Cell(cell) => self.fill_cell(loc, cell, row),
            Type::Run(run) => self.fill_run(loc, run),
            _ => Ok(()),
        }
    }
}

/// How many bytes a row takes in any case, if it is one that may follow from bytes of the file.
fn size_of(ty: &Type) -> Option<u64> {
    match ty {
        Type::Cell(cell) => Some(cell_size(cell).unwrap_or(0)),
        Type::Run(run) => match run.length {
            RunLength::Fixed(size) => Some(size),
            _ => None,
        },
        _ => None,
    }
}

/// How many bytes the longest of several ranges has.
fn widest(ranges: impl Iterator<Item = Range<u64>>) -> u64 {
    ranges.map(|range| range.end - range.start).max().unwrap_or(0)
}

/// A number that is in the bytes of one that is in its own; they stand in the order of their cells.
fn circle(sums: &[Sum]) -> Option<&Sum> {
    let widest = widest(sums.iter().map(|sum| sum.cell.clone()));
    // Those that were looked into, and whether that is still being done.
    let mut seen: Vec<Option<bool>> = vec![None; sums.len()];
    // The numbers in whose bytes the last one is, from the outside, each with the next to look into.
    let mut way: Vec<(usize, usize)> = Vec::new();
    let behind = |address: u64| sums.partition_point(|sum| sum.cell.start < address);
    for first in 0..sums.len() {
        if seen[first].is_some() {
            continue;
        }
        way.push((first, behind(sums[first].bytes.start.saturating_sub(widest))));
        seen[first] = Some(true);
        while let Some((at, next)) = way.last_mut() {
            let sum = &sums[*at];
            let Some(inner) = sums.get(*next).filter(|inner| inner.cell.start < sum.bytes.end)
            else {
                seen[*at] = Some(false);
                way.pop();
                continue;
            };
            let number = *next;
            *next += 1;
            if inner.cell.start == sum.cell.start || !meet(&inner.cell, &sum.bytes) {
                continue;
            }
            match seen[number] {
                Some(true) => return Some(sum),
                Some(false) => {}
                None => {
                    seen[number] = Some(true);
                    way.push((number, behind(inner.bytes.start.saturating_sub(widest))));
                }
            }
        }
    }
    None
}

/// Whether two ranges have something in common.
fn meet(a: &Range<u64>, b: &Range<u64>) -> bool {
    a.start.max(b.start) < a.end.min(b.end)
}
