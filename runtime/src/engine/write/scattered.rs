//! Places elements that say where they stand in the bytes of their array.

use alloc::vec::Vec;

use super::super::item::{ArrayRef, Loc, MAX_SIZE, UNPLACED};
use super::super::reading::short;
use super::super::state::Engine;
use super::super::val::{eval_error, Fallible};
use super::lay::Spot;
use crate::model::{ArrayType, Row};
use crate::spelling::{KeptKind, KeptValue};

impl<'p> Engine<'p, '_> {
    pub(crate) fn lay_scattered(
        &mut self,
        loc: Loc,
        ty: &'p ArrayType,
        array: ArrayRef,
        row: &'p Row,
        spot: &mut Spot,
    ) -> Fallible<()> {
        let base = spot.at;
        let open = self.room_follows(loc);
        let room = self.writing.room.filter(|_| !open);
        if room.is_none() && !open {
            return eval_error("the number of bytes for the elements is not known");
        }
        // An offset may count from where they begin.
        if let Some(slot) = self.tree.slot_index(loc).filter(|_| !self.writing.measuring) {
            self.tree.slots.set_place(slot, short(base), UNPLACED);
        }
        let most = room.unwrap_or(MAX_SIZE);
        let count = self.tree.count(array);
        let described = self.is_described(loc, ty, count)?;
        spot.at = room.unwrap_or(base);
        let Some(at) = ty.described.as_ref().and_then(|of| of.at).filter(|_| described) else {
            return Ok(());
        };
        let mut order = Vec::new();
        let mut reach = base;
        for index in 0..count {
            let place = loc.at(index);
            let Some(offset) = self.offset_in(at, place)? else { return Ok(()) };
            let from = base.saturating_add(offset);
            if from > most {
                order.push((offset, offset, index));
                continue;
            }
            let mut inner = Spot::new(from);
            self.lay_inline(place, &ty.element, row, &mut inner)?;
            inner.align();
            reach = reach.max(inner.at);
            if inner.at > from {
                order.push((offset, inner.at - base, index));
            }
        }
        let end = room.unwrap_or_else(|| reach + self.kept_behind(loc, &order, reach - base));
        spot.at = end;
        let Some(mut free) = self.free_of(loc, &mut order, end - base) else { return Ok(()) };
        if self.writing.measuring {
            return Ok(());
        }
        if let ArrayRef::Own(number) = array {
            self.set_array(number, base, end, &[]);
        }
        let size = free.iter().map(|(from, to)| to - from).sum();
        let Some(kept) = self.kept_free(loc, size) else { return Ok(()) };
        let mut kept = &kept[..];
        free.retain(|_| !kept.is_empty());
        for (from, to) in free {
            let (bytes, rest) = kept.split_at(usize::try_from(to - from).unwrap_or(0));
            self.writing.loose.push((base + from, bytes.to_vec()));
            kept = rest;
        }
        Ok(())
    }

    /// How many of the bytes that were kept stand behind all elements, where their room follows from
    /// them: all but those that they leave between them.
    fn kept_behind(&self, loc: Loc, order: &[(u64, u64, u32)], reach: u64) -> u64 {
        let taken: u64 = order.iter().map(|(from, to, _)| to - from).sum();
        match self.tree.kept_of(loc, KeptKind::Reserved).map(|kept| &kept.stored) {
            Some(KeptValue::Bytes(kept)) => {
                (kept.len() as u64).saturating_sub(reach.saturating_sub(taken))
            }
            _ => 0,
        }
    }
}
