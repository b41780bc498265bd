//! What the fast path of generated code stands on, straight code: readers and writers for files that
//! have nothing unusual.
//!
//! Straight code goes from bytes to values and back without a tree between. It gives up as soon as
//! anything is not as a file written by straight code would have it; then the engine begins from
//! the start, which knows what to report and what to keep. So nothing here says what is wrong.

mod arena;
mod cells;
mod check;
mod ink;
mod load;
mod members;
mod mode;
mod pool;
mod scan;
mod shared;
mod sight;
mod tables;
mod waiting;

pub use arena::{
    added, all_of, boxed_in, bytes_in, closed, gathered, list_of, one_of, opened, packed_case,
    pushed, room_for, spelled, spelling_added, spelling_of, text_added, text_in, text_of, units_in,
    units_in_be, unpacked_case, unreadable, unwritable, Common, Open, Spellings, Texts,
};
pub use cells::{
    bits, fill_room, is_kept, kept_form, letter, set, set_big, set_bytes, Chars, Width,
};
pub use check::{
    add, divide, extension, fnv1a, greatest, least, multiply, murmur3, remainder, shift_left,
    shift_right, stem, subtract, Depth, KeySet, Level,
};
pub use ink::{write, writes, Begun, Ink, Late};
pub use load::*;
pub use members::{has_only_members, kept_members, list_members, mend_members, KeptMembers};
pub use mode::{Borrow, Mode, Owning};
pub use pool::{Members, PoolText};
pub use scan::{from_base, keep_form, list, push, trimmed, usual, Bases, Part, Scan, FILL};
pub use shared::Gathered;
pub use sight::{address, element_at, Leads};
pub use tables::{Listed, Rows, Section, Tree};
pub use waiting::{BaseCell, FoundMembers, LabelBase, LabelKind, Spot};

pub use crate::__small_case as small_case;
pub use crate::ends::{Cut, Stop};
pub use crate::model::Terminated;

use crate::stack;

/// Not the plain case: the engine has to look at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Odd;

/// What straight code makes, if it is the plain case.
pub type Straight<T> = Result<T, Odd>;

/// How deep recursive types are followed at most.
const DEPTH: u32 = 256;

/// How many levels of recursive types may still be entered.
#[derive(Debug)]
struct Levels {
    left: u32,
    /// Where the stack was at the beginning.
    base: usize,
}

impl Levels {
    #[inline]
    fn new(most: u32) -> Levels {
        Levels { left: most.min(DEPTH), base: stack::here() }
    }

    #[inline]
    fn enter(&mut self) -> Straight<()> {
        self.left = self.left.checked_sub(1).ok_or(Odd)?;
        holds(self.base.abs_diff(stack::here()) <= stack::STRAIGHT)
    }

    #[inline]
    fn leave(&mut self) {
        self.left = self.left.saturating_add(1);
    }
}

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

/// An element of a list.
#[inline]
pub fn nth<T>(list: &[T], index: Option<i128>) -> Option<&T> {
    index.and_then(|n| usize::try_from(n).ok()).and_then(|n| list.get(n))
}

/// The number whose multiple by `factor`, plus `offset`, is a count.
///
/// # Errors
///
/// If no number is that.
#[inline]
pub fn solved(count: i128, factor: i128, offset: i128) -> Straight<Option<i128>> {
    let rest = count.checked_sub(offset).ok_or(Odd)?;
    if factor == 1 {
        return Ok(Some(rest));
    }
    if rest.checked_rem(factor) != Some(0) {
        return Err(Odd);
    }
    Ok(rest.checked_div(factor))
}
