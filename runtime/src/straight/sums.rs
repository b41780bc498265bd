//! What follows from bytes of a file that is read: checksums. A number's own bytes count as zeros.

use alloc::borrow::Cow;

use super::{holds, Odd, Scan, Straight};

/// How often a byte of the file may be summed up, on the average. Otherwise it is the engine that
/// counts what is done.
pub(super) const OFTEN: u64 = 8;

/// The end of the file, as the address where bytes end.
pub const FILE_END: i128 = i128::MAX;

/// Bytes at an address, those between two addresses as zeros.
pub(super) fn without(bytes: &[u8], from: usize, (at, end): (usize, usize)) -> Cow<'_, [u8]> {
    let to = from.saturating_add(bytes.len());
    let (at, end) = (at.max(from), end.min(to));
    if at >= end {
        return Cow::Borrowed(bytes);
    }
    let mut bytes = bytes.to_vec();
    if let Some(own) = bytes.get_mut(at - from..end - from) {
        own.fill(0);
    }
    Cow::Owned(bytes)
}

/// What a reader remembers of sums, to see that none follows from itself by way of others.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    /// Bytes that were summed up.
    bytes: u64,
    /// From where to where the bytes of those are that end before their number begins.
    back: Option<(usize, usize)>,
    /// Where the number of the others is that came last, how many there are, and whether the bytes
    /// of each begin behind its number.
    others: Option<(usize, usize)>,
    count: usize,
    ahead: bool,
    /// Whether a number or its bytes begin before those of another one end that was met earlier, and
    /// where the last of them end.
    mixed: bool,
    reached: usize,
}

impl Sums {
    fn note(&mut self, from: usize, to: usize, (at, end): (usize, usize)) {
        self.mixed |= from.min(at) < self.reached;
        self.reached = self.reached.max(to).max(end);
        if to <= at {
            let (first, last) = self.back.unwrap_or((from, to));
            self.back = Some((first.min(from), last.max(to)));
            return;
        }
        self.ahead = (self.ahead || self.count == 0) && from >= end;
        self.others = Some((at, end));
        self.count = self.count.saturating_add(1);
    }

    /// Nothing follows from itself: all look back, or all ahead, or one looks elsewhere and is in the
    /// bytes of none; or each has a stretch of the file to itself.
    fn are_in_line(&self) -> bool {
        match (self.others, self.back) {
            (None, _) => true,
            _ if !self.mixed => true,
            (Some(_), None) => self.count == 1 || self.ahead,
            (Some((at, end)), Some((first, last))) => {
                self.count == 1 && (end <= first || at >= last)
            }
        }
    }
}

impl<'i> Scan<'i> {
    /// The bytes between two addresses, from which the number follows that is `own`: where it begins
    /// and ends.
    ///
    /// # Errors
    ///
    /// If there are none, or too many were summed up.
    pub fn summed(&mut self, from: i128, to: i128, own: (usize, usize)) -> Straight<Cow<'i, [u8]>> {
        let address = |address: i128| usize::try_from(address).map_err(|_| Odd);
        let (from, to) = (address(from)?, address(to)?);
        let bytes = self.bytes().get(from..to).ok_or(Odd)?;
        self.sums.bytes = self.sums.bytes.saturating_add(bytes.len() as u64);
        holds(self.sums.bytes <= (self.len() as u64).saturating_mul(OFTEN))?;
        self.sums.note(from, to, own);
        Ok(without(bytes, from, own))
    }

    /// All sums are seen.
    ///
    /// # Errors
    ///
    /// If one may follow from itself.
    pub fn sums_end(&self) -> Straight<()> {
        holds(self.sums.are_in_line())
    }
}

/// The sum of bytes.
#[inline]
pub fn sum_of(bytes: &[u8]) -> i128 {
    bytes
        .chunks(0x100_0000)
        .map(|part| part.iter().map(|byte| u32::from(*byte)).sum::<u32>())
        .fold(0, |sum, part| sum + i128::from(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_line(sums: &[(usize, usize, usize)]) -> bool {
        let mut all = Sums::default();
        for (from, to, at) in sums {
            all.note(*from, *to, (*at, at + 4));
        }
        all.are_in_line()
    }

    #[test]
    fn circles_are_seen() {
        assert!(in_line(&[]));
        assert!(in_line(&[(0, 8, 8), (0, 20, 20), (12, 24, 24)]));
        // One of the whole file, alone.
        assert!(in_line(&[(0, 100, 4)]));
        assert!(in_line(&[(8, 100, 4), (20, 100, 16)]));
        // At the head, and in none of the others.
        assert!(in_line(&[(0, 100, 4), (8, 20, 20), (24, 50, 50)]));
        assert!(in_line(&[(8, 20, 20), (24, 50, 50), (0, 100, 60)]));
        // Numbers amid their bytes, one stretch behind the other.
        assert!(in_line(&[(0, 20, 8), (20, 40, 30), (44, 60, 40)]));
        assert!(!in_line(&[(0, 20, 8), (19, 40, 30)]));
        assert!(!in_line(&[(20, 40, 30), (0, 20, 8)]));
        assert!(!in_line(&[(0, 100, 4), (0, 20, 20)]));
        assert!(!in_line(&[(0, 20, 20), (0, 100, 4)]));
        assert!(!in_line(&[(0, 100, 4), (0, 100, 8)]));
        assert!(!in_line(&[(8, 100, 4), (0, 100, 16)]));
    }

    #[test]
    fn own_bytes_are_zeros() {
        assert_eq!(&*without(&[1, 2, 3, 4], 10, (11, 13)), [1, 0, 0, 4]);
        assert_eq!(&*without(&[1, 2, 3, 4], 10, (8, 11)), [0, 2, 3, 4]);
        assert_eq!(&*without(&[1, 2, 3, 4], 10, (13, 20)), [1, 2, 3, 0]);
        assert!(matches!(without(&[1, 2, 3, 4], 10, (14, 20)), Cow::Borrowed(_)));
        assert!(matches!(without(&[1, 2, 3, 4], 10, (6, 10)), Cow::Borrowed(_)));
    }

    #[test]
    fn bytes_add_up() {
        assert_eq!(sum_of(&[]), 0);
        assert_eq!(sum_of(&[255; 1000]), 255_000);
    }
}
