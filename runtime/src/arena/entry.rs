//! What the type that holds an arena stands on.

use alloc::boxed::Box;
use alloc::string::ToString;

use super::{Common, Nesting, Pack, Pools, Run, SpellingId};
use crate::{Path, Problem, ProblemKind, ReadError, ReadErrorKind, Spelling, WriteError};

/// What stands for a case of a union, made of what stands for its value. A function of its own, so
/// that the one that chooses the case takes little of the stack.
///
/// # Errors
///
/// Those of `pack`.
pub fn packed_case<A, T: Pack<A>, U>(
    value: &T,
    arena: &mut A,
    nesting: Nesting,
    case: impl FnOnce(T::Packed) -> U,
) -> Result<U, ProblemKind> {
    value.pack(arena, nesting).map(case)
}

/// A case of a union, made of what stands for its value.
///
/// # Errors
///
/// Those of `unpack`.
pub fn unpacked_case<A, T: Pack<A>, U>(
    packed: &T::Packed,
    arena: &A,
    nesting: Nesting,
    case: impl FnOnce(T) -> U,
) -> Result<U, ProblemKind> {
    T::unpack(packed, arena, nesting).map(case)
}

/// A new list.
///
/// # Panics
///
/// If it would end behind position `u32::MAX`.
#[track_caller]
pub fn added<T, A: Pools<T>>(arena: &mut A, elements: impl IntoIterator<Item = T>) -> Run<T> {
    match arena.pool_mut().extend(elements) {
        Some(run) => run,
        None => panic!("the arena has no room for more elements of this type"),
    }
}

/// A new text.
///
/// # Panics
///
/// If it would end behind byte `u32::MAX`.
#[track_caller]
pub fn text_added<A: Common>(arena: &mut A, text: &str) -> Run<str> {
    match arena.texts_mut().add(text) {
        Some(run) => run,
        None => panic!("the arena has no room for more text"),
    }
}

/// The number of a spelling.
///
/// # Panics
///
/// If there are 2²⁴ others.
#[track_caller]
pub fn spelling_added<A: Common>(arena: &mut A, spelling: Spelling) -> SpellingId {
    match arena.spellings_mut().add(spelling) {
        Some(id) => id,
        None => panic!("the arena has no room for more spellings"),
    }
}

/// Why a value is not written that cannot be put into an arena, or made of one.
#[cold]
#[must_use]
pub fn unwritable(kind: ProblemKind) -> WriteError {
    Problem::new(Path::new(), kind).into()
}

/// Why a file is not read whose value cannot be put into an arena.
#[cold]
#[must_use]
pub fn unreadable(kind: ProblemKind) -> ReadError {
    let kind = match kind {
        ProblemKind::DepthLimit { limit } => ReadErrorKind::DepthLimit { limit },
        other => ReadErrorKind::Expression { message: Box::from(other.to_string()) },
    };
    ReadError::new(kind, 0)
}
