//! Numbers that usually follow from the rest of a value, and numbers for nothing.

use super::odd::{Odd, Straight};
use crate::{Kept, KeptKind, KeptValue, Spelling, SpellingEntry};

/// What a file has where a number usually follows.
///
/// # Errors
///
/// If they differ, and the field has no room for one of them.
#[inline]
pub fn kept<T: TryFrom<i128>>(stored: i128, usual: i128) -> Straight<Kept<T>> {
    if stored == usual {
        return Ok(Kept::canonical());
    }
    match (T::try_from(stored), T::try_from(usual)) {
        (Ok(stored), Ok(usual)) => Ok(Kept::instead_of(stored, usual)),
        _ => Err(Odd),
    }
}

/// The number to write where one usually follows; nothing if none follows.
#[inline]
pub fn kept_number<T: Copy + Into<i128>>(kept: &Kept<T>, usual: Option<i128>) -> Option<i128> {
    match kept.deviation() {
        None => usual,
        Some(_) => usual.map(|usual| kept.map(Into::into).get(usual)),
    }
}

/// Whether a number is one of several for nothing. Which one a row has, or an element of it, is kept,
/// if it is not the first, which is written otherwise.
#[inline]
pub fn is_none(
    number: i128,
    nones: &[i128],
    spelling: &mut Spelling,
    row: u16,
    index: Option<usize>,
) -> bool {
    let Some((first, others)) = nones.split_first() else { return false };
    if number == *first {
        return true;
    }
    let is_other = others.contains(&number);
    if is_other {
        keep_none(spelling, row, index, number, *first);
    }
    is_other
}

#[cold]
fn keep_none(spelling: &mut Spelling, row: u16, index: Option<usize>, stored: i128, first: i128) {
    let (stored, instead_of) = (KeptValue::Int(stored), KeptValue::Int(first));
    let index = index.map(position);
    spelling.keep(SpellingEntry { row, index, kind: KeptKind::Number, stored, instead_of });
}

/// Whether a number is the first of several for nothing.
///
/// # Errors
///
/// If it is another of them.
#[inline]
pub fn is_usual_none(number: i128, nones: &[i128]) -> Straight<bool> {
    match nones.split_first() {
        Some((first, _)) if number == *first => Ok(true),
        Some((_, others)) if others.contains(&number) => Err(Odd),
        _ => Ok(false),
    }
}

/// The number for nothing that a spelling keeps for a row, or for an element of it, or else the first
/// of all that there are.
#[inline]
pub fn none_of(spelling: &Spelling, row: u16, index: Option<usize>, nones: &[i128]) -> u64 {
    match spelling.is_canonical() {
        true => cut(nones.first()),
        false => kept_none(spelling, row, index, nones),
    }
}

#[cold]
fn kept_none(spelling: &Spelling, row: u16, index: Option<usize>, nones: &[i128]) -> u64 {
    let entry = spelling.find(row, index.map(position), KeptKind::Number);
    match entry.map(|entry| &entry.stored) {
        Some(KeptValue::Int(stored)) if nones.contains(stored) => cut(Some(stored)),
        _ => cut(nones.first()),
    }
}

/// In two's complement; of narrower cells the lowest bytes are stored.
#[allow(clippy::cast_sign_loss, clippy::cast_possible_truncation, reason = "two's complement")]
fn cut(number: Option<&i128>) -> u64 {
    number.map_or(0, |number| *number as u64)
}

fn position(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
