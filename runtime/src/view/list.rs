//! Arrays in a file.

use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;

use super::{Fixed, Place, Result, Walked};
use crate::{ReadError, ReadErrorKind};

/// An array of elements that are all of one size: they are known to be there, and each is found at
/// once.
pub struct List<'a, E> {
    bytes: &'a [u8],
    place: Place<'a>,
    count: usize,
    elements: PhantomData<E>,
}

impl<E> Clone for List<'_, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for List<'_, E> {}

impl<E> fmt::Debug for List<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} elements at 0x{:x}", self.count, self.place.address())
    }
}

impl<'a, E: Fixed<'a>> List<'a, E> {
    /// Number of elements.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The element at a position, counted from 0.
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<E::Item> {
        if index >= self.count {
            return None;
        }
        let size = E::size(self.place);
        let at = index.wrapping_mul(size);
        let block = self.bytes.get(at..).and_then(|rest| rest.get(..size))?;
        Some(E::item(block, self.place.forward(at)))
    }

    /// The elements in their order.
    #[inline]
    #[must_use]
    pub fn iter(&self) -> ListIter<'a, E> {
        let List { bytes, place, count, elements } = *self;
        ListIter { bytes, place, passed: 0, left: count, elements }
    }

    /// All bytes of the elements.
    #[inline]
    #[must_use]
    pub fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// An array without elements.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn empty(place: Place<'a>) -> List<'a, E> {
        List { bytes: &[], place, count: 0, elements: PhantomData }
    }

    /// So many elements in bytes that were looked at already.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn within(bytes: &'a [u8], place: Place<'a>, count: usize) -> List<'a, E> {
        List { bytes, place, count, elements: PhantomData }
    }

    /// So many elements from a place on.
    ///
    /// # Errors
    ///
    /// If fewer bytes are left.
    #[doc(hidden)]
    #[inline]
    pub fn counted(place: Place<'a>, count: Option<i128>) -> Result<List<'a, E>> {
        let count = place.count(count)?;
        let bytes = place.take(count.saturating_mul(E::size(place)))?;
        Ok(List { bytes, place, count, elements: PhantomData })
    }

    /// As many elements as the region holds.
    ///
    /// # Errors
    ///
    /// If the region ends in the midst of one.
    #[doc(hidden)]
    #[inline]
    pub fn filling(place: Place<'a>) -> Result<List<'a, E>> {
        let (bytes, size) = (place.rest(), E::size(place));
        match (bytes.len().checked_div(size), bytes.len().checked_rem(size)) {
            (Some(count), Some(0)) => Ok(List { bytes, place, count, elements: PhantomData }),
            _ => {
                let (size, stride) = (bytes.len() as u64, size as u64);
                Err(place.error(ReadErrorKind::SizeNotMultiple { size, stride }))
            }
        }
    }

    /// The place behind the last element.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn behind(&self) -> Place<'a> {
        self.place.forward(self.bytes.len())
    }
}

impl<'a, E: Fixed<'a>> IntoIterator for List<'a, E> {
    type Item = E::Item;
    type IntoIter = ListIter<'a, E>;

    #[inline]
    fn into_iter(self) -> ListIter<'a, E> {
        self.iter()
    }
}

/// The elements of a [`List`] in their order.
pub struct ListIter<'a, E> {
    /// Those of the elements that are left.
    bytes: &'a [u8],
    /// Where the first one of the list is, and how many bytes behind it the next one.
    place: Place<'a>,
    passed: usize,
    left: usize,
    elements: PhantomData<E>,
}

impl<E> Clone for ListIter<'_, E> {
    fn clone(&self) -> Self {
        ListIter { elements: PhantomData, ..*self }
    }
}

impl<E> fmt::Debug for ListIter<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.place.address() + self.passed;
        write!(f, "{} more elements at 0x{at:x}", self.left)
    }
}

impl<'a, E: Fixed<'a>> Iterator for ListIter<'a, E> {
    type Item = E::Item;

    #[inline]
    fn next(&mut self) -> Option<E::Item> {
        self.left = self.left.checked_sub(1)?;
        let size = E::size(self.place);
        let (block, rest) = self.bytes.split_at_checked(size)?;
        // Where it is costs nothing if the element does not need it.
        let item = E::item(block, self.place.forward(self.passed));
        self.bytes = rest;
        self.passed = self.passed.wrapping_add(size);
        Some(item)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }

    #[inline]
    fn nth(&mut self, n: usize) -> Option<E::Item> {
        let (n, size) = (n.min(self.left), E::size(self.place));
        let passed = n.wrapping_mul(size);
        self.bytes = self.bytes.get(passed..).unwrap_or_default();
        self.passed = self.passed.wrapping_add(passed);
        self.left -= n;
        self.next()
    }
}

impl<'a, E: Fixed<'a>> DoubleEndedIterator for ListIter<'a, E> {
    #[inline]
    fn next_back(&mut self) -> Option<E::Item> {
        self.left = self.left.checked_sub(1)?;
        let size = E::size(self.place);
        let at = self.left.wrapping_mul(size);
        let (rest, block) = self.bytes.split_at_checked(at)?;
        self.bytes = rest;
        Some(E::item(block, self.place.forward(self.passed.wrapping_add(at))))
    }
}

impl<'a, E: Fixed<'a>> ExactSizeIterator for ListIter<'a, E> {}
impl<'a, E: Fixed<'a>> FusedIterator for ListIter<'a, E> {}

/// An array of elements of which each has its own size: one is found behind the one before it.
pub struct Items<'a, E> {
    place: Place<'a>,
    /// None if the region is filled with them.
    count: Option<usize>,
    elements: PhantomData<E>,
}

impl<E> Clone for Items<'_, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Items<'_, E> {}

impl<E> fmt::Debug for Items<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            Some(count) => write!(f, "{count} elements at 0x{:x}", self.place.address()),
            None => write!(f, "elements at 0x{:x}", self.place.address()),
        }
    }
}

impl<'a, E: Walked<'a>> Items<'a, E> {
    /// The elements in their order. Behind an error there is none.
    #[inline]
    #[must_use]
    pub fn iter(&self) -> ItemsIter<'a, E> {
        let Items { place, count, elements } = *self;
        ItemsIter { place, passed: 0, left: count, elements }
    }

    /// Hands each element to a function, in their order, until there is an error.
    ///
    /// Iterating tells the cases of a union apart to make an element, and whoever gets it tells them
    /// apart once more. Here the function becomes part of finding the elements, which is twice as fast
    /// for trees of millions of small nodes. It is compiled anew wherever it is used.
    ///
    /// # Errors
    ///
    /// If an element is not there, and those of the function.
    #[inline(always)]
    pub fn each<X: From<ReadError>>(
        &self,
        mut with: impl FnMut(E::Item) -> core::result::Result<(), X>,
    ) -> core::result::Result<(), X> {
        let mut iter = self.iter();
        while let Some(item) = iter.step() {
            with(item?)?;
        }
        Ok(())
    }

    /// Whether there is none.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.iter().is_done()
    }

    /// An array without elements.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn empty(place: Place<'a>) -> Items<'a, E> {
        Items { place, count: Some(0), elements: PhantomData }
    }

    /// So many elements from a place on.
    ///
    /// # Errors
    ///
    /// If that is no number of elements.
    #[doc(hidden)]
    #[inline]
    pub fn counted(place: Place<'a>, count: Option<i128>) -> Result<Items<'a, E>> {
        Ok(Items { place, count: Some(place.count(count)?), elements: PhantomData })
    }

    /// As many elements as the region holds.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn filling(place: Place<'a>) -> Items<'a, E> {
        Items { place, count: None, elements: PhantomData }
    }

    /// The place behind the last element.
    ///
    /// # Errors
    ///
    /// If one of them is not there.
    #[doc(hidden)]
    #[inline]
    pub fn behind(&self) -> Result<Place<'a>> {
        if self.count.is_none() {
            return Ok(self.place.at_end());
        }
        let mut iter = self.iter();
        for item in iter.by_ref() {
            item?;
        }
        Ok(self.place.forward(iter.passed))
    }
}

impl<'a, E: Walked<'a>> IntoIterator for Items<'a, E> {
    type Item = Result<E::Item>;
    type IntoIter = ItemsIter<'a, E>;

    #[inline]
    fn into_iter(self) -> ItemsIter<'a, E> {
        self.iter()
    }
}

/// The elements of [`Items`] in their order. Behind an error there is none.
pub struct ItemsIter<'a, E> {
    /// Where the first one begins, and how many bytes behind that the next one does.
    place: Place<'a>,
    passed: usize,
    left: Option<usize>,
    elements: PhantomData<E>,
}

impl<E> Clone for ItemsIter<'_, E> {
    fn clone(&self) -> Self {
        ItemsIter { elements: PhantomData, ..*self }
    }
}

impl<E> fmt::Debug for ItemsIter<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "elements from 0x{:x} on", self.place.address() + self.passed)
    }
}

impl<'a, E: Walked<'a>> ItemsIter<'a, E> {
    #[inline]
    fn is_done(&self) -> bool {
        match self.left {
            Some(left) => left == 0,
            None => self.passed >= self.place.rest().len(),
        }
    }

    /// The next element, as part of what asks for it.
    #[inline(always)]
    fn step(&mut self) -> Option<Result<E::Item>> {
        if self.is_done() {
            return None;
        }
        match E::walk(&self.place, self.passed) {
            Ok((item, passed)) => {
                // What has no bytes would fill a region for ever.
                let stands = passed == self.passed && self.left.is_none();
                self.passed = passed;
                self.left = match self.left {
                    Some(left) => Some(left - 1),
                    None if stands => Some(0),
                    None => None,
                };
                Some(Ok(item))
            }
            Err(error) => {
                self.left = Some(0);
                Some(Err(error))
            }
        }
    }
}

impl<'a, E: Walked<'a>> Iterator for ItemsIter<'a, E> {
    type Item = Result<E::Item>;

    #[inline]
    fn next(&mut self) -> Option<Result<E::Item>> {
        self.step()
    }
}

impl<'a, E: Walked<'a>> FusedIterator for ItemsIter<'a, E> {}
