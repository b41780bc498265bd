//! Numbers that usually follow from the rest of a value.

use core::fmt;

use crate::same::Same;

/// A number, truth value or text that usually follows from the rest of the value.
///
/// It is *canonical*, then the writer computes it, or it deviates: a file had something else in its
/// place, or a program wants something else there.
///
/// What a file had is written again as long as the computed number is still what it was instead of;
/// after an edit that changes it, the computed one is written. What a program asks for with
/// [`Kept::from`] is always written.
///
/// ```
/// use formwork::Kept;
///
/// assert_eq!(Kept::canonical().get(3), 3);
/// assert_eq!(Kept::from(7).get(3), 7);
///
/// let read = Kept::instead_of(7, 3);
/// assert_eq!(read.get(3), 7);
/// assert_eq!(read.get(4), 4);
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Kept<T>(Option<(T, Option<T>)>);

impl<T> Kept<T> {
    /// What follows from the rest of the value.
    #[must_use]
    pub const fn canonical() -> Kept<T> {
        Kept(None)
    }

    /// What a file had where `canonical` was expected.
    #[must_use]
    pub const fn instead_of(stored: T, canonical: T) -> Kept<T> {
        Kept(Some((stored, Some(canonical))))
    }

    /// Whether nothing deviates.
    #[must_use]
    pub const fn is_canonical(&self) -> bool {
        self.0.is_none()
    }

    /// What was stored, if it deviates, and what it was instead of; nothing if it holds always.
    #[must_use]
    pub fn deviation(&self) -> Option<(&T, Option<&T>)> {
        self.0.as_ref().map(|(stored, instead_of)| (stored, instead_of.as_ref()))
    }

    /// Changes what deviates; it is always written then.
    pub(crate) fn deviate(&mut self, change: impl FnOnce(&mut T)) {
        if let Some((stored, instead_of)) = &mut self.0 {
            change(stored);
            *instead_of = None;
        }
    }

    /// The same deviation with other types.
    pub fn map<U>(self, mut change: impl FnMut(T) -> U) -> Kept<U> {
        Kept(self.0.map(|(stored, instead_of)| (change(stored), instead_of.map(&mut change))))
    }
}

impl<T: Clone + Same> Kept<T> {
    /// What is to be written, where `canonical` follows from the rest of the value.
    #[must_use]
    pub fn get(&self, canonical: T) -> T {
        match &self.0 {
            Some((stored, None)) => stored.clone(),
            Some((stored, Some(instead_of))) if instead_of.same(&canonical, true) => stored.clone(),
            _ => canonical,
        }
    }
}

impl<T> From<T> for Kept<T> {
    /// Always this.
    fn from(always: T) -> Kept<T> {
        Kept(Some((always, None)))
    }
}

impl<T> Default for Kept<T> {
    fn default() -> Kept<T> {
        Kept::canonical()
    }
}

impl<T: fmt::Debug> fmt::Debug for Kept<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            None => f.write_str("canonical"),
            Some((stored, None)) => write!(f, "{stored:?}"),
            Some((stored, Some(instead_of))) => write!(f, "{stored:?} instead of {instead_of:?}"),
        }
    }
}
