//! Reading into arenas and writing out of them.

use core::marker::PhantomData;

use super::{each, Odd, Straight};
pub use crate::arena::entry::{
    added, packed_case, spelling_added, text_added, unpacked_case, unreadable, unwritable,
};
pub use crate::arena::{one_of, Common, Spellings, Texts};
use crate::{Pools, Run, Spelling, SpellingId};

/// A list that is being read.
#[derive(Debug)]
pub struct Open<T> {
    mark: usize,
    element: PhantomData<fn() -> T>,
}

impl<T> Clone for Open<T> {
    #[inline]
    fn clone(&self) -> Open<T> {
        *self
    }
}

impl<T> Copy for Open<T> {}

/// Makes room for elements of a type, of which a file of so many bytes may have many.
pub fn room_for<T, A: Pools<T>>(arena: &mut A, bytes: usize) {
    arena.pool_mut().reserve_for(bytes);
}

/// A list whose elements are pushed one after another, perhaps with lists in them.
#[inline]
pub fn opened<T: Copy, A: Pools<T>>(arena: &A) -> Open<T> {
    Open { mark: arena.pool().mark(), element: PhantomData }
}

/// One more element of a list; all lists that were opened behind it are closed.
#[inline]
pub fn pushed<T: Copy, A: Pools<T>>(arena: &mut A, _: &Open<T>, element: T) {
    arena.pool_mut().push(element);
}

/// A list that has all its elements.
///
/// # Errors
///
/// If its positions have no 32 bits.
#[inline]
pub fn closed<T: Copy, A: Pools<T>>(arena: &mut A, open: Open<T>) -> Straight<Run<T>> {
    arena.pool_mut().close(open.mark).ok_or(Odd)
}

/// All elements of a type that lists have been made of.
#[inline]
pub fn all_of<T, A: Pools<T>>(arena: &A) -> &[T] {
    arena.pool().all()
}

/// A list of elements that are known at once.
///
/// # Errors
///
/// If its positions have no 32 bits.
#[inline]
pub fn gathered<T: Copy, A: Pools<T>>(
    arena: &mut A,
    all: impl Iterator<Item = T>,
) -> Straight<Run<T>> {
    arena.pool_mut().extend(all).ok_or(Odd)
}

/// A list of one element, which stands for a box.
///
/// # Errors
///
/// If its position has no 32 bits.
#[inline]
pub fn boxed_in<T: Copy, A: Pools<T>>(arena: &mut A, value: T) -> Straight<Run<T>> {
    arena.pool_mut().extend([value]).ok_or(Odd)
}

/// Bytes.
///
/// # Errors
///
/// If their positions have no 32 bits.
#[inline]
pub fn bytes_in<A: Pools<u8>>(arena: &mut A, bytes: &[u8]) -> Straight<Run<u8>> {
    arena.pool_mut().extend(bytes.iter().copied()).ok_or(Odd)
}

/// Text.
///
/// # Errors
///
/// If its positions have no 32 bits.
#[inline]
pub fn text_in<A: Common>(arena: &mut A, text: &str) -> Straight<Run<str>> {
    arena.texts_mut().add(text).ok_or(Odd)
}

/// Units of text, the lowest byte of each first. The bytes are pairs.
///
/// # Errors
///
/// If their positions have no 32 bits.
#[inline]
pub fn units_in<A: Pools<u16>>(arena: &mut A, bytes: &[u8]) -> Straight<Run<u16>> {
    gathered(arena, each(bytes).map(|pair| u16::from_le_bytes(*pair)))
}

/// Units of text, the highest byte of each first. The bytes are pairs.
///
/// # Errors
///
/// If their positions have no 32 bits.
#[inline]
pub fn units_in_be<A: Pools<u16>>(arena: &mut A, bytes: &[u8]) -> Straight<Run<u16>> {
    gathered(arena, each(bytes).map(|pair| u16::from_be_bytes(*pair)))
}

/// The number of a spelling.
///
/// # Errors
///
/// If it has no 24 bits.
#[inline]
pub fn spelled<A: Common>(arena: &mut A, spelling: Spelling) -> Straight<SpellingId> {
    if spelling.is_canonical() {
        return Ok(SpellingId::CANONICAL);
    }
    arena.spellings_mut().add(spelling).ok_or(Odd)
}

/// The elements of a list.
///
/// # Panics
///
/// If it is not of this arena.
#[inline]
pub fn list_of<'v, T, A: Pools<T>>(arena: &'v A, run: &Run<T>) -> &'v [T] {
    &arena.pool()[*run]
}

/// Text.
///
/// # Panics
///
/// If it is not of this arena.
#[inline]
pub fn text_of<'v, A: Common>(arena: &'v A, run: &Run<str>) -> &'v str {
    &arena.texts()[*run]
}

/// The spelling with a number.
///
/// # Panics
///
/// If it is not of this arena.
#[inline]
pub fn spelling_of<'v, A: Common>(arena: &'v A, id: &SpellingId) -> &'v Spelling {
    arena.spellings().get(*id)
}
