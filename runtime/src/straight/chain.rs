//! Objects that lie one behind the other.

use super::{holds, zeros, Odd, Scan, Straight};

/// Where the first of some objects begins, and where the last one ends; between them lies nothing but
/// what a writer puts there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chain {
    /// `usize::MAX` if there is nothing yet but an alignment: then `end` is it as well.
    begin: usize,
    end: usize,
    /// Alignment of the first object in bytes; none if there are no objects.
    align: usize,
}

impl Chain {
    /// No objects.
    pub const NOTHING: Chain = Chain { begin: 0, end: 0, align: 0 };

    /// An object from an address up to another one.
    #[inline]
    pub fn of(begin: usize, end: usize, align: u64) -> Chain {
        // What is aligned to more than there is memory begins at 0 or nowhere.
        Chain { begin, end, align: usize::try_from(align).unwrap_or(usize::MAX).max(1) }
    }

    /// No object, but zeros up to a multiple of an alignment in bytes, of which 1 asks for nothing.
    #[inline]
    pub fn aligned(align: u64) -> Chain {
        if align <= 1 {
            return Chain::NOTHING;
        }
        Chain::of(usize::MAX, usize::MAX, align)
    }

    /// What is joined elsewhere, and no more here.
    #[inline]
    pub fn take(&mut self) -> Chain {
        core::mem::replace(self, Chain::NOTHING)
    }

    /// Whether there is nothing in it.
    #[inline]
    pub fn is_nothing(&self) -> bool {
        self.align == 0
    }
}

impl Scan<'_> {
    /// Joins a chain to the one that should lie before it.
    ///
    /// # Errors
    ///
    /// If a writer would put its first object elsewhere.
    #[inline]
    pub fn join(&mut self, chain: &mut Chain, next: Chain) -> Straight<()> {
        if next.align == 0 {
            return Ok(());
        }
        if chain.align == 0 {
            *chain = next;
            return Ok(());
        }
        if next.begin != chain.end || next.align != 1 {
            return self.join_behind(chain, next);
        }
        chain.end = next.end;
        Ok(())
    }

    /// The same where zeros may lie between the two.
    fn join_behind(&self, chain: &mut Chain, next: Chain) -> Straight<()> {
        if chain.begin == usize::MAX {
            // Of two alignments in a row the larger one says it all, if it is a multiple of the other.
            let (less, more) = (chain.align.min(next.align), chain.align.max(next.align));
            holds(more.checked_rem(less) == Some(0))?;
            *chain = Chain { align: more, ..next };
            return Ok(());
        }
        let from = chain.end;
        let (begin, end) = match next.begin {
            usize::MAX => {
                let begin = from.checked_next_multiple_of(next.align).ok_or(Odd)?;
                (begin, begin)
            }
            begin => (begin, next.end),
        };
        let gap = begin.checked_sub(from).ok_or(Odd)?;
        holds(gap < next.align && begin.checked_rem(next.align) == Some(0))?;
        chain.end = end;
        zeros(self.bytes().get(from..begin).ok_or(Odd)?)
    }

    /// Hands a chain to the caller of a function.
    #[inline]
    pub fn hand(&mut self, chain: Chain) {
        self.handed = chain;
    }

    /// Joins the chain that a function has handed.
    ///
    /// # Errors
    ///
    /// As of [`join`](Self::join).
    #[inline]
    pub fn join_handed(&mut self, chain: &mut Chain) -> Straight<()> {
        let next = self.handed.take();
        self.join(chain, next)
    }

    /// Hands the chain of a pass to the caller of a function.
    #[inline]
    pub fn hand_pass(&mut self, chain: Chain) {
        self.passes.push(chain);
    }

    /// Joins the last one that was handed so, which is then no more handed.
    ///
    /// # Errors
    ///
    /// As of [`join`](Self::join).
    #[inline]
    pub fn join_pass(&mut self, chain: &mut Chain) -> Straight<()> {
        let next = self.passes.pop().ok_or(Odd)?;
        self.join(chain, next)
    }

    /// Whether the root's own bytes, which end there, and the chain that was handed are the whole
    /// file.
    ///
    /// # Errors
    ///
    /// If it is not.
    pub fn is_all(&mut self, root: usize) -> Straight<()> {
        let mut all = Chain::of(0, root, 1);
        self.join_handed(&mut all)?;
        holds(all.end == self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReadOptions;

    fn joined(bytes: &[u8], chains: &[(usize, usize, u64)]) -> Straight<Chain> {
        let mut cx = Scan::new(bytes, &ReadOptions::default(), 1, 0);
        let mut all = Chain::NOTHING;
        for &(begin, end, align) in chains {
            cx.join(&mut all, Chain::of(begin, end, align))?;
            cx.join(&mut all, Chain::NOTHING)?;
        }
        Ok(all)
    }

    #[test]
    fn objects_lie_at_their_alignment_behind_zeros() {
        let bytes = [1, 1, 1, 0, 1, 1, 2, 1];
        assert_eq!(joined(&bytes, &[(0, 3, 1), (4, 6, 4)]), Ok(Chain::of(0, 6, 1)));
        assert_eq!(joined(&bytes, &[(1, 3, 2), (3, 3, 1), (4, 6, 2)]), Ok(Chain::of(1, 6, 2)));
        // A gap that no alignment makes, one that is not zero, one that is left out, an overlap.
        for odd in [[(0, 3, 1), (4, 6, 1)], [(0, 6, 1), (7, 8, 7)], [(0, 3, 1), (3, 4, 2)]] {
            assert_eq!(joined(&bytes, &odd), Err(Odd), "{odd:?}");
        }
        assert_eq!(joined(&bytes, &[(0, 6, 1), (4, 8, 4)]), Err(Odd));
        assert_eq!(joined(&bytes, &[(0, 3, 1), (12, 13, 12)]), Err(Odd));
    }

    #[test]
    fn alignments_are_met_by_what_comes_next() {
        let bytes = [1, 1, 1, 0, 1, 1, 0, 0, 1];
        let joined = |chains: &[Chain]| {
            let mut cx = Scan::new(&bytes, &ReadOptions::default(), 1, 0);
            let mut all = Chain::NOTHING;
            chains.iter().try_for_each(|chain| cx.join(&mut all, *chain)).map(|()| all)
        };
        let (aligned, of) = (Chain::aligned, Chain::of);
        assert_eq!(joined(&[of(0, 3, 1), aligned(4), of(4, 6, 1)]), Ok(of(0, 6, 1)));
        assert_eq!(joined(&[of(4, 6, 4), aligned(8), of(8, 9, 4)]), Ok(of(4, 9, 4)));
        // Behind what is there, the zeros are a part of it.
        assert_eq!(joined(&[of(4, 6, 4), aligned(4)]), Ok(of(4, 8, 4)));
        assert_eq!(joined(&[aligned(2), aligned(4), of(4, 6, 2)]), Ok(of(4, 6, 4)));
        assert_eq!(joined(&[aligned(1), of(4, 6, 2)]), Ok(of(4, 6, 2)));
        // Bytes that are not zero, bytes that are not there, and neither a multiple of the other.
        assert_eq!(joined(&[of(0, 2, 1), aligned(4), of(4, 6, 1)]), Err(Odd));
        assert_eq!(joined(&[of(4, 9, 1), aligned(4)]), Err(Odd));
        assert_eq!(joined(&[aligned(2), of(3, 6, 3)]), Err(Odd));
        // An alignment that is met is no reason for a gap.
        assert_eq!(joined(&[of(2, 4, 1), aligned(4), of(8, 9, 1)]), Err(Odd));
    }

    #[test]
    fn a_file_is_one_chain() {
        let bytes = [1, 2, 3, 4];
        let ends = |root, chain: Chain| {
            let mut cx = Scan::new(&bytes, &ReadOptions::default(), 1, 0);
            cx.hand(chain);
            cx.is_all(root)
        };
        assert_eq!(ends(2, Chain::of(2, 4, 1)), Ok(()));
        assert_eq!(ends(0, Chain::of(0, 4, 1)), Ok(()));
        assert_eq!(ends(4, Chain::NOTHING), Ok(()));
        assert_eq!(ends(2, Chain::of(2, 3, 1)), Err(Odd));
        assert_eq!(ends(2, Chain::NOTHING), Err(Odd));
        assert_eq!(ends(0, Chain::of(1, 4, 1)), Err(Odd));
    }
}
