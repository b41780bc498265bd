//! Numbers in digits of text.

use alloc::vec;
use alloc::vec::Vec;

use super::{Ink, Odd, Spot, Straight};
use crate::model::DigitForm;
use crate::{KeptKind, KeptValue, Spelling, SpellingEntry};

/// The number that these bytes say in its usual form.
///
/// # Errors
///
/// If they do not.
#[inline]
pub fn digits(bytes: &[u8], form: &DigitForm<'_>) -> Straight<i128> {
    form.exact(bytes).ok_or(Odd)
}

/// The number that these bytes say, which a spelling keeps for a row if their form is another one.
///
/// # Errors
///
/// If they say none.
#[inline]
pub fn kept_digits(
    bytes: &[u8],
    form: &DigitForm<'_>,
    spelling: &mut Spelling,
    row: u16,
) -> Straight<i128> {
    match form.exact(bytes) {
        Some(number) => Ok(number),
        None => keep_digits(bytes, form, spelling, row),
    }
}

#[cold]
fn keep_digits(
    bytes: &[u8],
    form: &DigitForm<'_>,
    spelling: &mut Spelling,
    row: u16,
) -> Straight<i128> {
    let number = form.read(bytes).map_err(|_| Odd)?;
    let mut usual = vec![0; form.bytes.into()];
    let usual = form.store(number, &mut usual).map(|()| usual);
    spelling.keep(SpellingEntry {
        row,
        index: None,
        kind: KeptKind::Digits,
        stored: KeptValue::Bytes(bytes.to_vec()),
        instead_of: usual.map_or(KeptValue::None, KeptValue::Bytes),
    });
    Ok(number)
}

/// The bytes that a spelling keeps of a number in digits.
#[inline]
pub fn stored_digits(spelling: &Spelling, row: u16) -> Option<&[u8]> {
    match spelling.is_canonical() {
        true => None,
        false => bytes_of(spelling, row, KeptKind::Digits),
    }
}

/// Bytes that a spelling keeps.
#[cold]
fn bytes_of(spelling: &Spelling, row: u16, kind: KeptKind) -> Option<&[u8]> {
    match spelling.find(row, None, kind).map(|entry| &entry.stored) {
        Some(KeptValue::Bytes(bytes)) => Some(bytes),
        _ => None,
    }
}

/// Stores a number in a block: as it was, if these bytes still say it.
///
/// # Errors
///
/// If there is no room for it.
#[inline]
pub fn set_digits(
    block: &mut [u8],
    at: usize,
    number: i128,
    form: &DigitForm<'_>,
    kept: Option<&[u8]>,
) -> Straight<()> {
    let room = block.get_mut(at..).and_then(|rest| rest.get_mut(..form.bytes.into()));
    let room = room.ok_or(Odd)?;
    match kept.filter(|kept| kept.len() == room.len() && form.read(kept) == Ok(number)) {
        Some(kept) => room.copy_from_slice(kept),
        None => form.store(number, room).ok_or(Odd)?,
    }
    Ok(())
}

/// Keeps bytes without a meaning, if they are not zeros.
#[inline]
pub fn keep_reserved(bytes: &[u8], spelling: &mut Spelling, row: u16) {
    if super::zeros(bytes).is_err() {
        keep_bytes(bytes.to_vec(), spelling, row);
    }
}

#[cold]
fn keep_bytes(bytes: Vec<u8>, spelling: &mut Spelling, row: u16) {
    let (stored, instead_of) = (KeptValue::Bytes(bytes), KeptValue::None);
    let kind = KeptKind::Reserved;
    spelling.keep(SpellingEntry { row, index: None, kind, stored, instead_of });
}

/// Stores bytes without a meaning in a block of zeros, as they were.
///
/// # Errors
///
/// If that were others than so many.
#[inline]
pub fn set_reserved(
    block: &mut [u8],
    at: usize,
    size: usize,
    spelling: &Spelling,
    row: u16,
) -> Straight<()> {
    if spelling.is_canonical() {
        return Ok(());
    }
    let Some(kept) = bytes_of(spelling, row, KeptKind::Reserved) else { return Ok(()) };
    let room = block.get_mut(at..).and_then(|rest| rest.get_mut(..size)).ok_or(Odd)?;
    super::holds(room.len() == kept.len())?;
    room.copy_from_slice(kept);
    Ok(())
}

impl Ink<'_> {
    /// Stores a number that was computed at a place that is known, in these digits if they say it.
    ///
    /// # Errors
    ///
    /// If there is none, or no room for it.
    pub fn fill_digits(
        &mut self,
        spot: Spot,
        number: Option<i128>,
        form: &DigitForm<'_>,
        kept: Option<&[u8]>,
    ) -> Straight<()> {
        let at = self.place(self.resolve(spot)?);
        set_digits(&mut self.out, at, number.ok_or(Odd)?, form, kept)
    }

    /// Appends so many bytes without a meaning: zeros, or what they were.
    ///
    /// # Errors
    ///
    /// If an expression says no number, or they were others than so many.
    #[inline]
    pub fn reserved(&mut self, size: Option<i128>, spelling: &Spelling, row: u16) -> Straight<()> {
        let size = super::length(size)?;
        let room = self.grow(size, 1)?;
        let at = room.len().saturating_sub(size);
        set_reserved(room, at, size, spelling, row)
    }
}
