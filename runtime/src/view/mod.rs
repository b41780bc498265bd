//! Views: looking at a file in place, without reading it whole.
//!
//! Generated code has them on request. A view of a struct is a few words that say where it is. What
//! is at constant places in it is checked once, when the view is made, so that its numbers are loads;
//! what lies behind something of no fixed size, or where a pointer leads, is looked for when it is
//! asked for, and may be an error then. Nothing is allocated.
//!
//! A view looks for what it is asked for, and for nothing else: rules of the format, constants but for
//! those that a file begins with, and numbers that follow from others are checked by readers alone.
//!
//! [`List`] and [`Items`] are arrays: of elements that are all of one size, and of others.

mod cells;
mod list;
mod place;
mod show;
#[cfg(test)]
mod tests;

#[doc(hidden)]
pub use cells::*;
pub use list::{Items, ItemsIter, List, ListIter};
#[doc(hidden)]
pub use place::no_case;
pub use place::Place;

use crate::ReadError;

/// The byte orders, by short names.
#[doc(hidden)]
pub const LE: crate::Endian = crate::Endian::Little;
#[doc(hidden)]
pub const BE: crate::Endian = crate::Endian::Big;

/// What is found at a place, or why nothing is.
pub type Result<T> = core::result::Result<T, ReadError>;

/// Elements that are all of one size. Generated code implements it.
pub trait Fixed<'a> {
    /// What an element is for who looks at it.
    type Item;

    /// Size in bytes.
    #[doc(hidden)]
    fn size(place: Place<'a>) -> usize;

    /// The element in as many bytes, which begin at a place.
    #[doc(hidden)]
    fn item(block: &'a [u8], place: Place<'a>) -> Self::Item;
}

/// Elements of which each has its own size. Generated code implements it.
pub trait Walked<'a> {
    /// What an element is for who looks at it.
    type Item;

    /// The element so many bytes behind the first one, and how many it ends behind that. Places have
    /// several words, of which only one changes from element to element: handing on that one is
    /// several times as fast.
    ///
    /// # Errors
    ///
    /// If none is there.
    #[doc(hidden)]
    fn walk(first: &Place<'a>, passed: usize) -> Result<(Self::Item, usize)>;
}

/// Adds the name of a field to an error.
///
/// # Errors
///
/// That of what is looked for.
#[doc(hidden)]
#[inline(always)]
pub fn field<T>(name: &'static str, look: impl FnOnce() -> Result<T>) -> Result<T> {
    look().map_err(|error| error.in_field(name))
}

/// What an expression gives, if it gives anything.
///
/// # Errors
///
/// If it does not.
#[doc(hidden)]
#[inline(always)]
pub fn known<T>(value: Option<T>, place: Place<'_>) -> Result<T> {
    value.ok_or_else(|| place::nothing(place.address()))
}

/// Whether a condition holds; nothing does not.
#[doc(hidden)]
#[inline]
#[must_use]
pub fn holds(condition: Option<bool>) -> bool {
    condition == Some(true)
}

/// What follows from two values, if there are both.
#[doc(hidden)]
#[inline(always)]
pub fn both<A, B, C>(
    a: Option<A>,
    b: Option<B>,
    with: impl FnOnce(A, B) -> Option<C>,
) -> Option<C> {
    with(a?, b?)
}
