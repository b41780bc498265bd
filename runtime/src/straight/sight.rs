//! Numbers at places of a file, and what is found by following them: in a file that is read, or in
//! one that is written, when all its numbers stand in it.

use alloc::vec::Vec;

use super::waiting::{Flag, Spot};
use super::{holds, Ink, Odd, Scan, Straight};

/// A number of so many bytes in bytes.
#[inline]
fn seen(bytes: &[u8], at: usize, width: u8, big: bool) -> Straight<u64> {
    let bytes = bytes.get(at..).and_then(|rest| rest.get(..width.into())).ok_or(Odd)?;
    let add = |sum: u64, byte: &u8| (sum << 8) | u64::from(*byte);
    Ok(match big {
        true => bytes.iter().fold(0, add),
        false => bytes.iter().rev().fold(0, add),
    })
}

/// A number of so many bytes with its sign.
#[inline]
fn signed(number: u64, width: u8) -> i128 {
    i128::from(crate::sign_extend(number, u32::from(width) * 8))
}

/// Where an element of so many of a size is, which begin at an address; nothing if there is no such
/// element.
///
/// # Errors
///
/// If it is too far away.
#[inline]
pub fn element_at(
    at: u64,
    size: u64,
    index: Option<i128>,
    count: Option<i128>,
) -> Straight<Option<u64>> {
    let Some(index) = index.filter(|index| (0..count.unwrap_or(0)).contains(index)) else {
        return Ok(None);
    };
    let index = u64::try_from(index).map_err(|_| Odd)?;
    index.checked_mul(size).and_then(|skip| skip.checked_add(at)).map(Some).ok_or(Odd)
}

/// The address that an expression says.
///
/// # Errors
///
/// If it is none of a file.
#[inline]
pub fn address(address: Option<i128>) -> Straight<Option<u64>> {
    let near = |at: i128| u64::try_from(at).ok().filter(|at| *at < FAR);
    address.map(|at| near(at).ok_or(Odd)).transpose()
}

/// What is added to addresses below this one is none that overflows.
pub(super) const FAR: u64 = 1 << 56;

/// How the number of a pointer becomes an address.
#[derive(Debug, Clone, Copy)]
pub struct Leads<'a> {
    /// Width of the number, in bytes.
    pub width: u8,
    /// Whether its highest byte comes first.
    pub big: bool,
    /// It points so many bytes into its target.
    pub skip: u64,
    /// Numbers that stand for nothing.
    pub nones: &'a [i128],
    /// What it counts from.
    pub base: Option<i128>,
}

impl Leads<'_> {
    #[inline]
    fn address(&self, number: u64) -> Straight<Option<u64>> {
        if self.nones.iter().any(|none| *none == i128::from(number)) {
            return Ok(None);
        }
        let at = super::from_base(number, self.base)?;
        at.checked_sub(self.skip).filter(|at| *at < FAR).map(Some).ok_or(Odd)
    }
}

impl<'i> Scan<'i> {
    /// A number in the file.
    ///
    /// # Errors
    ///
    /// If it is not in the file.
    #[inline]
    pub fn seen(&self, at: u64, width: u8, big: bool) -> Straight<u64> {
        seen(self.bytes(), usize::try_from(at).map_err(|_| Odd)?, width, big)
    }

    /// The same, with its sign.
    ///
    /// # Errors
    ///
    /// The same.
    #[inline]
    pub fn seen_signed(&self, at: u64, width: u8, big: bool, is_signed: bool) -> Straight<i128> {
        let number = self.seen(at, width, big)?;
        Ok(if is_signed { signed(number, width) } else { number.into() })
    }

    /// Where the pointer at an address leads.
    ///
    /// # Errors
    ///
    /// If that is no address.
    #[inline]
    pub fn leads(&self, at: u64, how: &Leads<'_>) -> Straight<Option<u64>> {
        how.address(self.seen(at, how.width, how.big)?)
    }

    /// So many elements of a table from an index on, each of some bytes, the table being at an address.
    ///
    /// # Errors
    ///
    /// If they are not in the file.
    #[inline]
    pub fn slice(
        &self,
        table: u64,
        index: i128,
        count: usize,
        size: usize,
    ) -> Straight<super::Part<'i>> {
        let part = || {
            let at = usize::try_from(table).ok()?;
            let from = usize::try_from(index).ok()?.checked_mul(size)?.checked_add(at)?;
            Some((from, count.checked_mul(size)?.checked_add(from)?))
        };
        let (from, end) = part().ok_or(Odd)?;
        self.between(from, end)
    }

    /// Says which elements of an array count for references that count only some.
    pub fn rank(&mut self, goal: usize, elements: Vec<u32>) {
        if self.ranks.len() <= goal {
            self.ranks.resize_with(goal.saturating_add(1), Vec::new);
        }
        if let Some(place) = self.ranks.get_mut(goal) {
            *place = elements;
        }
    }

    /// The position of the element with a rank.
    ///
    /// # Errors
    ///
    /// If there is none.
    #[inline]
    pub fn ranked(&self, goal: usize, rank: i128) -> Straight<u32> {
        let rank = usize::try_from(rank).map_err(|_| Odd)?;
        self.ranks.get(goal).and_then(|all| all.get(rank)).copied().ok_or(Odd)
    }
}

impl Ink<'_> {
    /// A number that was written.
    ///
    /// # Errors
    ///
    /// If it was not, or its place is not known.
    #[inline]
    pub fn seen(&self, spot: Spot, width: u8, big: bool) -> Straight<u64> {
        let at = self.resolve(spot)?;
        let more = u64::from(width.saturating_sub(1));
        let (first, last) = (self.place(at), self.place(at.saturating_add(more)));
        // What was passed is not there, and what stands behind it is something else.
        holds(first.checked_add(more as usize) == Some(last))?;
        seen(&self.out, first, width, big)
    }

    /// The same, with its sign.
    ///
    /// # Errors
    ///
    /// The same.
    #[inline]
    pub fn seen_signed(&self, spot: Spot, width: u8, big: bool, is_signed: bool) -> Straight<i128> {
        let number = self.seen(spot, width, big)?;
        Ok(if is_signed { signed(number, width) } else { number.into() })
    }

    /// Where the pointer at a place leads.
    ///
    /// # Errors
    ///
    /// If that is no address.
    #[inline]
    pub fn leads(&self, spot: Spot, how: &Leads<'_>) -> Straight<Option<u64>> {
        how.address(self.seen(spot, how.width, how.big)?)
    }

    /// Stores a number in some bits of one that was written, which are zero.
    ///
    /// # Errors
    ///
    /// If it does not fit, or the place is not known.
    pub fn patch_bits(
        &mut self,
        spot: Spot,
        width: u8,
        big: bool,
        (first, bits): (u8, u8),
        number: u64,
    ) -> Straight<()> {
        holds(bits >= 64 || number >> bits == 0)?;
        let at = self.resolve(spot)?;
        let word = self.seen(at, width, big)?;
        let more = number.checked_shl(first.into()).ok_or(Odd)?;
        self.patch(at, width, big, word | more)
    }

    /// Says of each element of an array whether it counts for references that count only some.
    pub fn rank(&mut self, goal: usize, counts: impl Iterator<Item = bool>) {
        if self.ranks.len() <= goal {
            self.ranks.resize_with(goal.saturating_add(1), Vec::new);
        }
        let mut next = 0_u32;
        let ranks = counts.map(|counts| {
            let rank = if counts { next } else { u32::MAX };
            next = next.saturating_add(u32::from(counts));
            rank
        });
        let ranks = ranks.collect();
        if let Some(place) = self.ranks.get_mut(goal) {
            *place = ranks;
        }
    }

    /// The rank of the element at a position.
    ///
    /// # Errors
    ///
    /// If it does not count, or there is none.
    #[inline]
    pub fn ranked(&self, goal: usize, index: i128) -> Straight<i128> {
        let index = usize::try_from(index).map_err(|_| Odd)?;
        let rank = self.ranks.get(goal).and_then(|all| all.get(index)).copied().ok_or(Odd)?;
        holds(rank != u32::MAX)?;
        Ok(rank.into())
    }

    /// Remembers that a region ends here, which has to end at an address; the struct that says which
    /// begins at a place.
    #[inline]
    pub fn must_end(&mut self, end: usize, at: Spot) {
        self.pin();
        let here = self.here();
        self.ends.push((end, at, here));
    }

    /// The same of the size of a region which began at `begun`.
    pub fn must_fill(&mut self, size: usize, at: Spot, begun: Spot) {
        self.pin();
        let here = self.here();
        self.ends.push((size, at, here - begun));
    }

    /// All such regions.
    ///
    /// # Errors
    ///
    /// If a place is not known.
    pub fn take_ends(&mut self) -> Straight<Vec<(usize, u64, u64)>> {
        let ends = core::mem::take(&mut self.ends);
        let resolved = ends.into_iter().map(|(end, at, here)| Ok((end, self.resolve(at)?, here)));
        resolved.collect()
    }

    /// Remembers a bit that is set if its place is in a set of addresses, which is known in the end.
    #[inline]
    pub fn flag(&mut self, set: usize, spot: Spot, width: u8, big: bool, bit: u8) {
        self.pin();
        self.flags.push(Flag { set, spot, width, big, bit });
    }

    /// Whether a bit waits for a set of addresses.
    pub fn asks(&self, set: usize) -> bool {
        self.flags.iter().any(|flag| flag.set == set)
    }

    /// Sets the bits of places in a set of addresses.
    ///
    /// # Errors
    ///
    /// If a place is not known.
    pub fn set_flags(&mut self, set: usize, mut addresses: Vec<i128>) -> Straight<()> {
        addresses.sort_unstable();
        let (ours, others) =
            core::mem::take(&mut self.flags).into_iter().partition(|flag| flag.set == set);
        self.flags = others;
        let ours: Vec<Flag> = ours;
        for flag in ours {
            let at = self.resolve(flag.spot)?;
            if addresses.binary_search(&i128::from(at)).is_ok() {
                let word = self.seen(at, flag.width, flag.big)?;
                self.store(at, flag.width, flag.big, word | 1 << u32::from(flag.bit.min(63)))?;
            }
        }
        Ok(())
    }

    /// Takes so many steps off the account: what is gone through for each of many structs must not
    /// take more time than a file of the size is worth.
    ///
    /// # Errors
    ///
    /// If there are too many.
    #[inline]
    pub fn steps(&mut self, steps: usize) -> Straight<()> {
        self.steps = self.steps.saturating_add(steps);
        let all = (self.here() as usize).saturating_mul(STEPS).saturating_add(LEAST);
        holds(self.steps <= all)
    }
}

/// Steps that each byte of a file allows, and that any file does.
const STEPS: usize = 16;
const LEAST: usize = 0x1_0000;
