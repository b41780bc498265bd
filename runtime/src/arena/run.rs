//! Positions of a list in a pool.

use core::fmt;
use core::marker::PhantomData;
use core::ops::{Bound, Range, RangeBounds};

/// A list of `T` in an arena: where it begins in the pool of its type, and how long it is. Of text
/// (`Run<str>`), positions and lengths are in bytes.
///
/// It is `Copy` whatever `T` is, and takes 8 bytes. The elements are in the arena: `arena[run]` is
/// a slice of them. The default value is the empty list.
///
/// ```
/// use formwork::arena::{Pool, Run};
///
/// let mut pool = Pool::default();
/// let run: Run<u16> = pool.extend([5, 6, 7]).unwrap();
/// assert_eq!(run.len(), 3);
/// assert_eq!(pool[run], [5, 6, 7]);
/// assert_eq!(pool[run.slice(1..).unwrap()], [6, 7]);
/// assert_eq!(size_of::<Run<u16>>(), 8);
/// ```
pub struct Run<T: ?Sized> {
    start: u32,
    len: u32,
    element: PhantomData<fn() -> T>,
}

impl<T: ?Sized> Run<T> {
    /// The elements from one position of the pool to another; `None` if these are no 32 bits, or
    /// the wrong way round.
    #[inline]
    pub(super) fn between(start: usize, end: usize) -> Option<Run<T>> {
        let len = u32::try_from(end.checked_sub(start)?).ok()?;
        u32::try_from(end).ok()?;
        Some(Run { start: u32::try_from(start).ok()?, len, element: PhantomData })
    }

    /// Positions in the pool.
    #[inline]
    pub(super) fn range(self) -> Range<usize> {
        let start = self.start as usize;
        start..start.saturating_add(self.len())
    }

    /// Number of elements.
    #[must_use]
    #[inline]
    pub const fn len(self) -> usize {
        self.len as usize
    }

    /// Whether there is no element.
    #[must_use]
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The element at a position, counted from 0, as a list of its own; `None` if there is none.
    #[must_use]
    pub fn get(self, position: usize) -> Option<Run<T>> {
        self.slice(position..position.checked_add(1)?)
    }

    /// A part of the list; `None` if it is not within it.
    #[must_use]
    pub fn slice(self, positions: impl RangeBounds<usize>) -> Option<Run<T>> {
        let from = match positions.start_bound() {
            Bound::Included(start) => *start,
            Bound::Excluded(before) => before.checked_add(1)?,
            Bound::Unbounded => 0,
        };
        let to = match positions.end_bound() {
            Bound::Included(last) => last.checked_add(1)?,
            Bound::Excluded(end) => *end,
            Bound::Unbounded => self.len(),
        };
        if to > self.len() {
            return None;
        }
        let start = self.range().start;
        Run::between(start.checked_add(from)?, start.checked_add(to)?)
    }
}

impl<T: ?Sized> Clone for Run<T> {
    #[inline]
    fn clone(&self) -> Run<T> {
        *self
    }
}

impl<T: ?Sized> Copy for Run<T> {}

/// The empty list.
impl<T: ?Sized> Default for Run<T> {
    #[inline]
    fn default() -> Run<T> {
        Run { start: 0, len: 0, element: PhantomData }
    }
}

/// Whether both are the same positions; lists with equal elements may be at different ones.
impl<T: ?Sized> PartialEq for Run<T> {
    fn eq(&self, other: &Run<T>) -> bool {
        (self.start, self.len) == (other.start, other.len)
    }
}

impl<T: ?Sized> Eq for Run<T> {}

/// The positions: `3..5`.
impl<T: ?Sized> fmt::Debug for Run<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.range(), f)
    }
}
