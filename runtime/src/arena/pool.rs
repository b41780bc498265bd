//! Elements of one type, and text.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::{Index, IndexMut};

use super::Run;

/// All elements of one type that the lists of an arena have.
///
/// A list whose elements are not known at once is *open*: its elements are on a stack, above those
/// of the lists around it, until it is closed.
///
/// ```
/// use formwork::arena::Pool;
///
/// let mut pool = Pool::default();
/// let outer = pool.mark();
/// pool.push('a');
/// let inner = pool.mark();
/// pool.push('x');
/// let inner = pool.close(inner).unwrap();
/// pool.push('b');
/// let outer = pool.close(outer).unwrap();
/// assert_eq!((&pool[outer], &pool[inner]), (&['a', 'b'][..], &['x'][..]));
/// ```
#[derive(Debug, Clone)]
pub struct Pool<T> {
    pub(super) done: Vec<T>,
    pub(super) open: Vec<T>,
}

impl<T> Default for Pool<T> {
    fn default() -> Pool<T> {
        Pool { done: Vec::new(), open: Vec::new() }
    }
}

impl<T> Pool<T> {
    /// Where a list begins that is opened now, for [`Pool::close`].
    #[must_use]
    #[inline]
    pub fn mark(&self) -> usize {
        self.open.len()
    }

    /// Adds an element to the list that was opened last.
    #[inline]
    pub fn push(&mut self, element: T) {
        self.open.push(element);
    }

    /// The list of these elements; `None` if it would end behind position `u32::MAX`.
    #[inline]
    pub fn extend(&mut self, elements: impl IntoIterator<Item = T>) -> Option<Run<T>> {
        let start = self.done.len();
        self.done.extend(elements);
        let run = Run::between(start, self.done.len());
        if run.is_none() {
            self.done.truncate(start);
        }
        run
    }

    /// The elements of a list; `None` if they are not in this pool.
    #[must_use]
    #[inline]
    pub fn get(&self, run: Run<T>) -> Option<&[T]> {
        self.done.get(run.range())
    }

    /// The elements of a list, to change them; `None` if they are not in this pool.
    #[must_use]
    #[inline]
    pub fn get_mut(&mut self, run: Run<T>) -> Option<&mut [T]> {
        self.done.get_mut(run.range())
    }

    /// All elements that lists have been made of, in the order in which the lists were closed.
    #[must_use]
    #[inline]
    pub fn all(&self) -> &[T] {
        &self.done
    }

    /// Number of elements that lists have been made of.
    #[must_use]
    pub fn len(&self) -> usize {
        self.done.len()
    }

    /// Whether there is no element.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.done.is_empty()
    }

    /// Makes room for what a file of so many bytes may hold: an element for each 5 bytes.
    pub fn reserve_for(&mut self, bytes: usize) {
        self.done.reserve(bytes / 5);
    }
}

impl<T: Copy> Pool<T> {
    /// The list of all elements that were pushed since a mark, without those of lists that are
    /// closed already; `None` if it would end behind position `u32::MAX`.
    #[inline]
    pub fn close(&mut self, mark: usize) -> Option<Run<T>> {
        let elements = self.open.get(mark..)?;
        let start = self.done.len();
        let run = Run::between(start, start.checked_add(elements.len())?)?;
        if self.done.capacity().saturating_sub(start) < elements.len() {
            // Pools are large where it matters, and room that is never used is memory all the same.
            self.done.reserve_exact(elements.len().max(start / 4).max(64));
        }
        self.done.extend_from_slice(elements);
        self.open.truncate(mark);
        Some(run)
    }
}

/// The elements of a list.
///
/// # Panics
///
/// If they are not in this pool.
impl<T> Index<Run<T>> for Pool<T> {
    type Output = [T];

    #[inline]
    #[track_caller]
    fn index(&self, run: Run<T>) -> &[T] {
        match self.get(run) {
            Some(elements) => elements,
            None => foreign(run, self.done.len()),
        }
    }
}

/// The elements of a list, to change them.
///
/// # Panics
///
/// If they are not in this pool.
impl<T> IndexMut<Run<T>> for Pool<T> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, run: Run<T>) -> &mut [T] {
        let count = self.done.len();
        match self.get_mut(run) {
            Some(elements) => elements,
            None => foreign(run, count),
        }
    }
}

#[cold]
#[track_caller]
fn foreign<T: ?Sized>(run: Run<T>, count: usize) -> ! {
    panic!("the list at {run:?} is not of this arena, which has {count} elements of its type")
}

/// All text of an arena.
#[derive(Debug, Clone, Default)]
pub struct Texts(String);

impl Texts {
    /// Adds a text; `None` if it would end behind byte `u32::MAX`.
    #[inline]
    pub fn add(&mut self, text: &str) -> Option<Run<str>> {
        let start = self.0.len();
        let run = Run::between(start, start.checked_add(text.len())?)?;
        self.0.push_str(text);
        Some(run)
    }

    /// A text; `None` if it is not in this arena.
    #[must_use]
    #[inline]
    pub fn get(&self, run: Run<str>) -> Option<&str> {
        self.0.get(run.range())
    }
}

/// A text.
///
/// # Panics
///
/// If it is not in this arena.
impl Index<Run<str>> for Texts {
    type Output = str;

    #[inline]
    #[track_caller]
    fn index(&self, run: Run<str>) -> &str {
        match self.get(run) {
            Some(text) => text,
            None => foreign(run, self.0.len()),
        }
    }
}
