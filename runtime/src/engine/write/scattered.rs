//! Places elements that say where they stand in the bytes of their array.

use alloc::vec::Vec;

use super::super::item::{ArrayRef, Loc};
use super::super::state::Engine;
use super::super::val::{eval_error, Fallible};
use super::lay::Spot;
use crate::model::{ArrayType, Row};

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
        let Some(end) = self.writing.room else {
            return eval_error("the number of bytes for the elements is not known");
        };
        let count = self.tree.count(array);
        let described = self.is_described(loc, ty, count)?;
        spot.at = end;
        let Some(at) = ty.described.as_ref().and_then(|of| of.at).filter(|_| described) else {
            return Ok(());
        };
        let mut order = Vec::new();
        for index in 0..count {
            let place = loc.at(index);
            let Some(offset) = self.offset_in(at, place)? else { return Ok(()) };
            let from = base.saturating_add(offset);
            if from > end {
                order.push((offset, offset, index));
                continue;
            }
            let mut inner = Spot::new(from);
            self.lay_inline(place, &ty.element, row, &mut inner)?;
            inner.align();
            if inner.at > from {
                order.push((offset, inner.at - base, index));
            }
        }
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
}
