//! Numbers in digits of text, in their usual form. Of others the engine keeps the bytes.

use super::{Ink, Odd, Spot, Straight};
use crate::model::DigitForm;

/// The number that these bytes say.
///
/// # Errors
///
/// If they are no number in its usual form.
#[inline]
pub fn digits(bytes: &[u8], form: &DigitForm<'_>) -> Straight<i128> {
    form.exact(bytes).ok_or(Odd)
}

/// Stores a number in a block.
///
/// # Errors
///
/// If there is no room for it.
#[inline]
pub fn set_digits(block: &mut [u8], at: usize, number: i128, form: &DigitForm<'_>) -> Straight<()> {
    let room = block.get_mut(at..).and_then(|rest| rest.get_mut(..form.bytes.into()));
    room.and_then(|room| form.store(number, room)).ok_or(Odd)
}

impl Ink<'_> {
    /// Stores a number that was computed at a place that is known.
    ///
    /// # Errors
    ///
    /// If there is none, or no room for it.
    pub fn fill_digits(
        &mut self,
        spot: Spot,
        number: Option<i128>,
        form: &DigitForm<'_>,
    ) -> Straight<()> {
        let at = self.place(self.resolve(spot)?);
        set_digits(&mut self.out, at, number.ok_or(Odd)?, form)
    }
}
