//! What follows from bytes of a file that is written: checksums, which are stored last of all.

use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::sums::{without, FILE_END, OFTEN};
use super::waiting::Sum;
use super::{holds, Ink, Odd, Spot, Straight};

impl<'v> Ink<'v> {
    /// Remembers a number that follows from the bytes between two addresses.
    ///
    /// # Errors
    ///
    /// If these are no addresses.
    pub fn sum(
        &mut self,
        row: u32,
        at: Spot,
        (width, kept): (u64, Option<&'v [u8]>),
        (from, to): (i128, i128),
    ) -> Straight<()> {
        self.pin();
        let spot = |address: i128| match address {
            FILE_END => Ok(Spot::MAX),
            _ => u64::try_from(address).map_err(|_| Odd),
        };
        let (from, to) = (spot(from)?, spot(to)?);
        self.sums.push(Sum { row, at, width, kept, from, to });
        Ok(())
    }

    /// These numbers, each behind those that are in its bytes. All others have to be there.
    ///
    /// # Errors
    ///
    /// If there are no such bytes, or too many of them, or if no order is at hand.
    pub fn sums(&mut self) -> Straight<Vec<Sum<'v>>> {
        let mut sums = core::mem::take(&mut self.sums);
        if sums.is_empty() {
            return Ok(sums);
        }
        self.store_waiting()?;
        let end = self.here();
        let mut left = end.saturating_mul(OFTEN);
        for sum in &mut sums {
            sum.to = if sum.to == Spot::MAX { end } else { sum.to };
            holds(sum.from <= sum.to && sum.to <= end)?;
            left = left.checked_sub(sum.to - sum.from).ok_or(Odd)?;
        }
        if sums.iter().all(Sum::looks_back) {
            sums.sort_by_key(|sum| sum.at);
            return Ok(sums);
        }
        sums.sort_by_key(|sum| sum.to - sum.from);
        let mut waiting: BTreeSet<(Spot, Spot)> =
            sums.iter().map(|sum| (sum.at, sum.at.saturating_add(sum.width))).collect();
        let widest = sums.iter().map(|sum| sum.width).max().unwrap_or(0);
        for sum in &sums {
            let own = (sum.at, sum.at.saturating_add(sum.width));
            waiting.remove(&own);
            let near = waiting.range((sum.from.saturating_sub(widest), 0)..(sum.to, 0));
            holds(!near.into_iter().any(|(_, end)| *end > sum.from))?;
        }
        Ok(sums)
    }

    /// The bytes that a number follows from, which is not stored yet.
    ///
    /// # Errors
    ///
    /// If there are none.
    pub fn summed(&self, sum: &Sum<'_>) -> Straight<Cow<'_, [u8]>> {
        let (from, to) = (sum.from as usize, sum.to as usize);
        match self.file() {
            // What is written is that, or comes to nothing.
            Some(file) => {
                let bytes = file.get(from..to).ok_or(Odd)?;
                let at = sum.at as usize;
                Ok(without(bytes, from, (at, at.saturating_add(sum.width as usize))))
            }
            None => {
                let bytes = self.out.get(self.place(sum.from)..self.place(sum.to)).ok_or(Odd)?;
                Ok(Cow::Borrowed(bytes))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    #[test]
    fn inner_sums_come_first() {
        let written = |sums: &[(u64, i128, i128)]| {
            let mut out = Vec::new();
            let mut order = Vec::new();
            let made = super::super::write(0, 0, &mut out, None, |cx| {
                cx.grow(100, 1)?;
                for (row, (at, from, to)) in (0..).zip(sums) {
                    cx.sum(row, *at, (4, None), (*from, *to))?;
                }
                order = cx.sums()?.iter().map(|sum| sum.row).collect();
                Ok(())
            });
            made.map(|()| order)
        };
        assert_eq!(written(&[(0, 4, FILE_END), (20, 8, 20), (30, 26, 30)]), Ok(vec![2, 1, 0]));
        assert_eq!(written(&[(40, 0, 40), (20, 0, 20)]), Ok(vec![1, 0]));
        assert_eq!(written(&[(0, 0, FILE_END)]), Ok(vec![0]));
        // The shorter one needs the longer one.
        assert_eq!(written(&[(0, 8, 20), (10, 30, 80)]), Err(Odd));
        assert_eq!(written(&[(0, 0, 100), (10, 0, 100)]), Err(Odd));
        assert_eq!(written(&[(0, 4, 101)]), Err(Odd));
        assert_eq!(written(&[(0, -1, 10)]), Err(Odd));
        let often = [(0, 4, FILE_END); 9];
        assert_eq!(written(&often), Err(Odd));
    }
}
