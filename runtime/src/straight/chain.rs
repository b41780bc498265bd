//! Objects that lie one behind the other.

use super::{holds, zeros, Odd, Scan, Straight};

/// Where the first of some objects begins, and where the last one ends; between them lies nothing but
/// what a writer puts there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chain {
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
            self.gap(chain.end, next)?;
        }
        chain.end = next.end;
        Ok(())
    }

    /// Looks at what lies between an object and the next one.
    fn gap(&self, end: usize, next: Chain) -> Straight<()> {
        let gap = next.begin.checked_sub(end).ok_or(Odd)?;
        holds(gap < next.align && next.begin.checked_rem(next.align) == Some(0))?;
        zeros(self.bytes().get(end..next.begin).ok_or(Odd)?)
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
        let next = core::mem::replace(&mut self.handed, Chain::NOTHING);
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
