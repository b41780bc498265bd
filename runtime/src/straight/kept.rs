//! Numbers that usually follow from the rest of a value.

use super::odd::{Odd, Straight};
use crate::Kept;

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
