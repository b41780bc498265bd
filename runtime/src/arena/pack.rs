//! Between ordinary values and those in arenas.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::vec::Vec;

use super::{Common, Pools, Run, SpellingId};
use crate::{stack, Endian, Kept, ProblemKind, ReadOptions, Spelling, Utf16};

/// How many levels of types that contain themselves may still be entered, and where the native
/// stack was at the first of them. As many as a reader accepts by default are the default.
#[derive(Debug, Clone, Copy)]
pub struct Nesting {
    limit: u32,
    left: u32,
    base: usize,
}

impl Nesting {
    /// As many levels as a reader accepts with these options, or by default if these are more.
    #[must_use]
    pub fn of(options: &ReadOptions) -> Nesting {
        Nesting::new(options.max_depth.max(ReadOptions::default().max_depth))
    }

    /// At most so many levels.
    #[must_use]
    pub fn new(limit: u32) -> Nesting {
        Nesting { limit, left: limit, base: stack::here() }
    }

    /// One level deeper.
    ///
    /// # Errors
    ///
    /// `DepthLimit` if that is more than the limit, or than the native stack allows.
    #[inline]
    pub fn deeper(self) -> Result<Nesting, ProblemKind> {
        match self.left.checked_sub(1) {
            Some(left) => Nesting { left, ..self }.further(),
            None => Err(ProblemKind::DepthLimit { limit: self.limit }),
        }
    }

    /// Into a type that contains itself, but is no level of its own.
    ///
    /// # Errors
    ///
    /// `DepthLimit` if the native stack does not allow it.
    #[inline]
    pub fn further(self) -> Result<Nesting, ProblemKind> {
        if self.base.abs_diff(stack::here()) <= stack::PACKING {
            return Ok(self);
        }
        Err(ProblemKind::DepthLimit { limit: self.limit.saturating_sub(self.left) })
    }
}

impl Default for Nesting {
    fn default() -> Nesting {
        Nesting::new(ReadOptions::default().max_depth)
    }
}

/// An ordinary value that can be put into an arena of type `A`, and be made of what is in it.
pub trait Pack<A>: Sized {
    /// What stands for it: small, and of use only together with the arena.
    type Packed: Copy;

    /// Puts a value into an arena.
    ///
    /// # Errors
    ///
    /// If the value is nested too deep, or the arena has no positions left.
    fn pack(&self, arena: &mut A, nesting: Nesting) -> Result<Self::Packed, ProblemKind>;

    /// The value again.
    ///
    /// # Errors
    ///
    /// If it is nested too deep; lists in an arena may contain themselves.
    ///
    /// # Panics
    ///
    /// If a list or spelling is not of this arena.
    fn unpack(packed: &Self::Packed, arena: &A, nesting: Nesting) -> Result<Self, ProblemKind>;
}

/// A list whose end has no number.
#[cold]
fn full() -> ProblemKind {
    let value = (u64::from(u32::MAX)).saturating_add(1).to_string();
    ProblemKind::DoesNotFit { value: value.into(), ty: "u32".into() }
}

/// A spelling that would have this number.
#[cold]
fn no_number() -> ProblemKind {
    ProblemKind::DoesNotFit { value: (1_u32 << 24).to_string().into(), ty: "u24".into() }
}

/// Types that are the same in an arena.
#[doc(hidden)]
#[macro_export]
macro_rules! __packed_alike {
    ($($ty:ty)*) => {$(
        impl<A> $crate::arena::Pack<A> for $ty {
            type Packed = $ty;

            #[inline]
            fn pack(
                &self,
                _: &mut A,
                _: $crate::arena::Nesting,
            ) -> $crate::__rt::Result<$ty, $crate::ProblemKind> {
                $crate::__rt::Ok(*self)
            }

            #[inline]
            fn unpack(
                packed: &$ty,
                _: &A,
                _: $crate::arena::Nesting,
            ) -> $crate::__rt::Result<$ty, $crate::ProblemKind> {
                $crate::__rt::Ok(*packed)
            }
        }
    )*};
}

__packed_alike!(u8 u16 u32 u64 i8 i16 i32 i64 i128 f32 f64 bool Endian);

impl<A, T: Pack<A>> Pack<A> for Option<T> {
    type Packed = Option<T::Packed>;

    fn pack(&self, arena: &mut A, nesting: Nesting) -> Result<Self::Packed, ProblemKind> {
        self.as_ref().map(|value| value.pack(arena, nesting)).transpose()
    }

    fn unpack(packed: &Self::Packed, arena: &A, nesting: Nesting) -> Result<Self, ProblemKind> {
        packed.as_ref().map(|packed| T::unpack(packed, arena, nesting)).transpose()
    }
}

impl<A, T: Pack<A>> Pack<A> for Kept<T> {
    type Packed = Kept<T::Packed>;

    fn pack(&self, arena: &mut A, nesting: Nesting) -> Result<Self::Packed, ProblemKind> {
        kept(self, |value| value.pack(arena, nesting))
    }

    fn unpack(packed: &Self::Packed, arena: &A, nesting: Nesting) -> Result<Self, ProblemKind> {
        kept(packed, |packed| T::unpack(packed, arena, nesting))
    }
}

/// The same deviation with other types, which may not be possible.
fn kept<T, U, E>(from: &Kept<T>, mut change: impl FnMut(&T) -> Result<U, E>) -> Result<Kept<U>, E> {
    Ok(match from.deviation() {
        None => Kept::canonical(),
        Some((stored, None)) => Kept::from(change(stored)?),
        Some((stored, Some(instead_of))) => Kept::instead_of(change(stored)?, change(instead_of)?),
    })
}

impl<A, T: Pack<A>, const N: usize> Pack<A> for [T; N] {
    type Packed = [T::Packed; N];

    fn pack(&self, arena: &mut A, nesting: Nesting) -> Result<Self::Packed, ProblemKind> {
        all(self.each_ref().map(|value| value.pack(arena, nesting)))
    }

    fn unpack(packed: &Self::Packed, arena: &A, nesting: Nesting) -> Result<Self, ProblemKind> {
        all(packed.each_ref().map(|packed| T::unpack(packed, arena, nesting)))
    }
}

/// The elements, or the first error.
fn all<T, const N: usize>(results: [Result<T, ProblemKind>; N]) -> Result<[T; N], ProblemKind> {
    let elements = results.into_iter().collect::<Result<Vec<T>, ProblemKind>>()?;
    // There are always so many.
    <[T; N]>::try_from(elements).map_err(|_| full())
}

impl<A: Pools<T::Packed>, T: Pack<A>> Pack<A> for Box<T> {
    type Packed = Run<T::Packed>;

    fn pack(&self, arena: &mut A, nesting: Nesting) -> Result<Self::Packed, ProblemKind> {
        let packed = (**self).pack(arena, nesting)?;
        arena.pool_mut().extend([packed]).ok_or_else(full)
    }

    fn unpack(packed: &Self::Packed, arena: &A, nesting: Nesting) -> Result<Self, ProblemKind> {
        T::unpack(super::one_of(arena, packed), arena, nesting).map(Box::new)
    }
}

impl<A: Pools<T::Packed>, T: Pack<A>> Pack<A> for Vec<T> {
    type Packed = Run<T::Packed>;

    fn pack(&self, arena: &mut A, nesting: Nesting) -> Result<Self::Packed, ProblemKind> {
        let mark = arena.pool().mark();
        for value in self {
            let packed = value.pack(arena, nesting)?;
            arena.pool_mut().push(packed);
        }
        arena.pool_mut().close(mark).ok_or_else(full)
    }

    fn unpack(packed: &Self::Packed, arena: &A, nesting: Nesting) -> Result<Self, ProblemKind> {
        arena.pool()[*packed].iter().map(|packed| T::unpack(packed, arena, nesting)).collect()
    }
}

impl<A: Common> Pack<A> for Cow<'_, str> {
    type Packed = Run<str>;

    fn pack(&self, arena: &mut A, _: Nesting) -> Result<Run<str>, ProblemKind> {
        arena.texts_mut().add(self).ok_or_else(full)
    }

    fn unpack(packed: &Run<str>, arena: &A, _: Nesting) -> Result<Self, ProblemKind> {
        Ok(Cow::Owned(arena.texts()[*packed].into()))
    }
}

impl<A: Pools<u8>> Pack<A> for Cow<'_, [u8]> {
    type Packed = Run<u8>;

    fn pack(&self, arena: &mut A, _: Nesting) -> Result<Run<u8>, ProblemKind> {
        arena.pool_mut().extend(self.iter().copied()).ok_or_else(full)
    }

    fn unpack(packed: &Run<u8>, arena: &A, _: Nesting) -> Result<Self, ProblemKind> {
        Ok(Cow::Owned(arena.pool()[*packed].to_vec()))
    }
}

impl<A: Pools<u16>> Pack<A> for Utf16 {
    type Packed = Run<u16>;

    fn pack(&self, arena: &mut A, _: Nesting) -> Result<Run<u16>, ProblemKind> {
        arena.pool_mut().extend(self.units().iter().copied()).ok_or_else(full)
    }

    fn unpack(packed: &Run<u16>, arena: &A, _: Nesting) -> Result<Self, ProblemKind> {
        Ok(Utf16::from_units(arena.pool()[*packed].to_vec()))
    }
}

impl<A: Common> Pack<A> for Spelling {
    type Packed = SpellingId;

    fn pack(&self, arena: &mut A, _: Nesting) -> Result<SpellingId, ProblemKind> {
        if self.is_canonical() {
            return Ok(SpellingId::CANONICAL);
        }
        arena.spellings_mut().add(self.clone()).ok_or_else(no_number)
    }

    fn unpack(packed: &SpellingId, arena: &A, _: Nesting) -> Result<Self, ProblemKind> {
        Ok(arena.spellings().get(*packed).clone())
    }
}
