//! Orders of the members of a string pool.

use alloc::collections::BTreeSet;
use core::cmp::Ordering;

/// In which order a string pool lists its members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PoolOrder {
    /// As something first refers to them, in the order of writing.
    FirstUse,
    /// The same, and each has a member of its own: a text that two of them name is there twice.
    EachUse,
    /// Ascending as unsigned bytes, a prefix before what it is a prefix of. For UTF-8 that is the
    /// order of code points too.
    Bytes,
    /// By bits numbered from the end: bit 0 is the least significant bit of the last byte, bit 8
    /// that of the byte before. Of two members, the one with 0 at the lowest bit where they differ
    /// comes first. A suffix comes before what it is a suffix of. [`patricia`](crate::patricia)
    /// numbers bits in the same way.
    BitsFromEnd,
}

/// How two members compare in this order. Always `Equal` for [`PoolOrder::FirstUse`] and
/// [`PoolOrder::EachUse`], which the members alone do not tell; for the others only if the bytes are equal.
///
/// ```
/// use core::cmp::Ordering;
/// use formwork::algorithms::{compare, PoolOrder};
///
/// assert_eq!(compare(PoolOrder::Bytes, b"PosX", b"RotX"), Ordering::Less);
/// assert_eq!(compare(PoolOrder::BitsFromEnd, b"PosX", b"RotX"), Ordering::Greater);
/// ```
#[must_use]
pub fn compare(order: PoolOrder, a: &[u8], b: &[u8]) -> Ordering {
    match order {
        PoolOrder::FirstUse | PoolOrder::EachUse => Ordering::Equal,
        PoolOrder::Bytes => a.cmp(b),
        PoolOrder::BitsFromEnd => {
            let differ = a.iter().rev().zip(b.iter().rev()).find(|(x, y)| x != y);
            match differ {
                // Mirrored bits compare at the lowest bit first.
                Some((x, y)) => x.reverse_bits().cmp(&y.reverse_bits()),
                // One is a suffix of the other.
                None => a.len().cmp(&b.len()),
            }
        }
    }
}

/// Whether a list has so many usual members, each once and in their order, and others that nothing leads
/// to. `list` has for each member its position among the usual ones, if it is one. Behind another one
/// may stand what would have its place farther back: it has come into the pool together with that one.
pub(crate) fn has_only_more(list: impl Iterator<Item = Option<usize>>, usual: usize) -> bool {
    let mut early: BTreeSet<usize> = BTreeSet::new();
    let (mut next, mut behind_more) = (0, false);
    for position in list {
        while early.contains(&next) {
            next += 1;
        }
        match position {
            Some(position) if position == next => {
                next += 1;
                behind_more = false;
            }
            None => behind_more = true,
            // Each is there once.
            Some(position) if behind_more && position > next => {
                if !early.insert(position) {
                    return false;
                }
            }
            Some(_) => return false,
        }
    }
    (next..usual).all(|wanted| early.contains(&wanted))
}
