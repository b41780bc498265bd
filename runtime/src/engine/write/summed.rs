//! Numbers that follow from bytes of the file: checksums. They are written when all other bytes are
//! there, inner ones first.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;

use super::super::item::{Blob, From, Item, Loc, UNPLACED};
use super::super::plan::Direction;
use super::super::reading::short;
use super::super::state::Engine;
use super::super::val::{eval_error, Fallible, Fault, Val};
use crate::model::{cell_size, Type};

/// Most bytes that a number takes, in digits.
const WIDEST: u64 = 64;

impl<'p> Engine<'p, '_> {
    /// Does something for a row, whose own bytes count as zeros where bytes of the file are asked for.
    pub(crate) fn of_row<T>(&mut self, loc: Loc, what: impl FnOnce(&mut Self) -> T) -> T {
        let around = self.own.replace(loc);
        let done = what(self);
        self.own = around;
        done
    }

    /// The bytes of the file between two addresses.
    pub(crate) fn stored_bytes(&mut self, from: i128, to: i128) -> Fallible<Val> {
        let is_reading = self.tree.direction == Direction::Reading;
        let size = match (is_reading, self.writing.total) {
            (true, _) => self.tree.file.len() as u64,
            (false, Some(total)) if self.writing.unsummed.is_some() => total,
            (false, _) => {
                let what = self.own.map_or_else(|| "..".into(), |loc| self.describe(loc));
                return Err(Box::new(Fault::NotWritten(what)));
            }
        };
        let (Ok(from), Ok(to)) = (u64::try_from(from), u64::try_from(to)) else {
            return eval_error("there are no bytes before the file");
        };
        if from > to || to > size {
            return eval_error(alloc::format!("the file has no bytes from {from:#x} to {to:#x}"));
        }
        self.charge(to - from)?;
        let own = match self.own {
            Some(loc) => match (self.loc_address(loc, false)?, self.loc_address(loc, true)?) {
                (Some(at), Some(end)) if at != UNPLACED && end != UNPLACED => {
                    u64::from(at).max(from)..u64::from(end).min(to)
                }
                _ => 0..0,
            },
            None => 0..0,
        };
        if is_reading && own.is_empty() {
            let len = short(to - from);
            return Ok(Val::Bytes(Blob { from: From::File, start: short(from), len }));
        }
        if !is_reading {
            self.sum_within(from, to)?;
        }
        let (base, file) = match is_reading {
            true => (0, self.tree.file),
            false => (self.writing.base, self.writing.out.as_slice()),
        };
        let there = base + from as usize..base + to as usize;
        let Some(bytes) = file.get(there) else { return eval_error("the file has no such bytes") };
        let mut bytes = bytes.to_vec();
        for at in own {
            if let Some(byte) = bytes.get_mut((at - from) as usize) {
                *byte = 0;
            }
        }
        Ok(Val::Bytes(self.tree.add_bytes(&bytes)))
    }

    /// Whether a row is written when all other bytes are.
    pub(crate) fn is_summed_later(&self, loc: Loc) -> bool {
        !self.writing.summed.is_empty()
            && self.writing.summed.contains(&loc)
            && self.tree.entry(loc).is_unset()
    }

    /// A row follows from bytes that are not written yet.
    pub(crate) fn sum_later(&mut self, loc: Loc, fault: Box<Fault>) -> Fallible<()> {
        let number = matches!(self.tree.row(loc).ty.stripped(), Type::Cell(_));
        // What is written ahead of everything else is asked for at once.
        if !number || self.writing.ahead != 0 || self.writing.unsummed.is_some() {
            return Err(fault);
        }
        self.writing.summed.insert(loc);
        Ok(())
    }

    /// Writes the numbers that follow from bytes of the file.
    pub(super) fn fill_sums(&mut self) {
        if self.writing.summed.is_empty() || self.writing.checking {
            return;
        }
        let mut places = BTreeMap::new();
        for loc in &self.writing.summed {
            let at = self.tree.cell_at(*loc);
            if at != UNPLACED && self.tree.entry(*loc).is_unset() {
                places.insert(u64::from(at), *loc);
            }
        }
        self.writing.unsummed = Some(places);
        while let Some((_, loc)) = self.writing.unsummed.as_mut().and_then(BTreeMap::pop_first) {
            if let Err(fault) = self.sum(loc) {
                self.report(*fault, loc);
            }
        }
    }

    /// Writes the numbers between two addresses that follow from bytes of the file.
    fn sum_within(&mut self, from: u64, to: u64) -> Fallible<()> {
        let summing = &self.writing.summing;
        let other =
            summing.iter().find(|loc| self.own != Some(**loc) && self.is_between(**loc, from, to));
        if let Some(other) = other {
            return Err(Box::new(Fault::Cycle(self.describe(*other))));
        }
        let mut at = from.saturating_sub(WIDEST);
        loop {
            let Some(places) = &self.writing.unsummed else { return Ok(()) };
            let Some((found, loc)) = places.range(at..to).next() else { return Ok(()) };
            let (found, loc) = (*found, *loc);
            at = found + 1;
            if self.is_between(loc, from, to) {
                self.writing.unsummed.as_mut().map(|places| places.remove(&found));
                self.deeper(|engine| engine.sum(loc))?;
            }
        }
    }

    /// Whether some byte of a number lies between two addresses.
    fn is_between(&self, loc: Loc, from: u64, to: u64) -> bool {
        let Type::Cell(cell) = self.tree.row(loc).ty.stripped() else { return false };
        let at = u64::from(self.tree.cell_at(loc));
        at < to && at + cell_size(cell).unwrap_or(0) > from
    }

    fn sum(&mut self, loc: Loc) -> Fallible<()> {
        self.writing.summing.push(loc);
        let forced = self.force(loc.node, loc.row);
        self.writing.summing.pop();
        forced?;
        if let Item::Unset = self.tree.entry(loc) {
            return Err(Box::new(Fault::NotWritten(self.describe(loc))));
        }
        let row = self.tree.row(loc);
        match row.ty.stripped() {
            Type::Cell(cell) => self.fill_cell(loc, cell, row),
            _ => Ok(()),
        }
    }
}
