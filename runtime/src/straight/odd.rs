//! What the engine has to look at, and what has to hold so that it need not.

/// Not the plain case: the engine has to look at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Odd;

/// What straight code makes, if it is the plain case.
pub type Straight<T> = Result<T, Odd>;

/// A number that has to be there.
///
/// # Errors
///
/// If it is not.
#[inline]
pub fn known<T>(value: Option<T>) -> Straight<T> {
    value.ok_or(Odd)
}

/// Goes on if this holds.
///
/// # Errors
///
/// If it does not.
#[inline]
pub fn holds(condition: bool) -> Straight<()> {
    if condition {
        Ok(())
    } else {
        Err(Odd)
    }
}

/// A number of elements, bytes or units.
///
/// # Errors
///
/// If there is none, or it is negative or too large.
#[inline]
pub fn length(value: Option<i128>) -> Straight<usize> {
    value.and_then(|n| usize::try_from(n).ok()).ok_or(Odd)
}

/// Goes on if all of these are less than a number. All are looked at, which takes less time than to
/// decide at each whether to go on.
///
/// # Errors
///
/// If one is not.
#[inline]
pub fn all_below(numbers: impl ExactSizeIterator<Item = u32>, end: i128) -> Straight<()> {
    let is_empty = numbers.len() == 0;
    let most = numbers.fold(0, u32::max);
    holds(is_empty || i128::from(most) < end)
}

/// Size in bytes of so many elements of a size, which no file has more of than it has bytes; a few
/// such sizes have a sum.
///
/// # Errors
///
/// If there is no number, or it is too large.
#[inline]
pub fn many(count: Option<i128>, size: u64) -> Straight<u64> {
    let all = (length(count)? as u64).checked_mul(size).ok_or(Odd)?;
    holds(all < super::sight::FAR)?;
    Ok(all)
}

/// A position in the array around a struct.
///
/// # Errors
///
/// If it is `usize::MAX`: then the struct is no element itself, and the array is farther out.
#[inline]
pub fn index(index: usize) -> Straight<Option<i128>> {
    holds(index != usize::MAX)?;
    Ok(Some(index as i128))
}

/// An alignment in bytes that an expression says.
///
/// # Errors
///
/// If it says none, or one above 64 KiB.
#[inline]
pub fn alignment(align: Option<i128>) -> Straight<u64> {
    match align {
        Some(align @ 1..=0x1_0000) => Ok(align as u64),
        _ => Err(Odd),
    }
}
