//! What the engine asks of a value that it writes.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;

use super::ToKept;
use crate::engine::{Asked, Given, List, Numbering};
use crate::spelling::{KeptKind, KeptValue, SpellingEntry};
use crate::{Endian, Kept, Utf16};

/// A value that the engine writes.
pub trait Source {
    /// What it has.
    fn given(&self) -> Given<'_>;

    /// The numbers that all of them are: see [`List::numbers`].
    fn numbers<'n>(all: impl Iterator<Item = &'n Self>, to: &mut [u64]) -> Option<Numbering>
    where
        Self: Sized + 'n,
    {
        let _ = (all, to);
        None
    }

    /// The numbers that all of them have in a row.
    fn numbers_in(all: &[Self], row: Asked<'_>, to: &mut [u64]) -> Option<Numbering>
    where
        Self: Sized,
    {
        let _ = (all, row, to);
        None
    }
}

/// The numbers in a field of structs.
pub fn numbers_of<'n, T, F: Source + 'n>(
    all: &'n [T],
    field: impl Fn(&'n T) -> &'n F,
    to: &mut [u64],
) -> Option<Numbering> {
    F::numbers(all.iter().map(field), to)
}

/// Puts the bits of each.
pub fn bits_of<'n, T: 'n>(
    all: impl Iterator<Item = &'n T>,
    to: &mut [u64],
    bits: impl Fn(&T) -> u64,
) {
    to.iter_mut().zip(all).for_each(|(to, one)| *to = bits(one));
}

macro_rules! integers {
    ($($ty:ty)*) => {$(
        impl Source for $ty {
            fn given(&self) -> Given<'_> {
                Given::Int(i128::from(*self))
            }

            #[allow(clippy::cast_sign_loss)] // They are two's complement.
            fn numbers<'n>(
                all: impl Iterator<Item = &'n Self>,
                to: &mut [u64],
            ) -> Option<Numbering> {
                bits_of(all, to, |n| i64::from(*n) as u64);
                Some(Numbering::Int)
            }
        }
    )*};
}

macro_rules! wide_integers {
    ($($ty:ty)*) => {$(
        impl Source for $ty {
            fn given(&self) -> Given<'_> {
                Given::Int(i128::from(*self))
            }
        }
    )*};
}

integers!(u8 u16 u32 i8 i16 i32 i64);
wide_integers!(u64 i128);

impl Source for bool {
    fn given(&self) -> Given<'_> {
        Given::Bool(*self)
    }
}

impl Source for f32 {
    fn given(&self) -> Given<'_> {
        Given::F32(self.to_bits())
    }

    fn numbers<'n>(all: impl Iterator<Item = &'n Self>, to: &mut [u64]) -> Option<Numbering> {
        bits_of(all, to, |n| n.to_bits().into());
        Some(Numbering::F32)
    }
}

impl Source for f64 {
    fn given(&self) -> Given<'_> {
        Given::F64(self.to_bits())
    }

    fn numbers<'n>(all: impl Iterator<Item = &'n Self>, to: &mut [u64]) -> Option<Numbering> {
        bits_of(all, to, |n| n.to_bits());
        Some(Numbering::F64)
    }
}

impl Source for Endian {
    fn given(&self) -> Given<'_> {
        Given::Text(match self {
            Endian::Little => "little",
            Endian::Big => "big",
        })
    }
}

impl Source for Utf16 {
    fn given(&self) -> Given<'_> {
        Given::Units(self.units())
    }
}

impl Source for Cow<'_, str> {
    fn given(&self) -> Given<'_> {
        Given::Text(self)
    }
}

impl Source for Cow<'_, [u8]> {
    fn given(&self) -> Given<'_> {
        Given::Bytes(self)
    }
}

impl<T: Source> Source for Option<T> {
    fn given(&self) -> Given<'_> {
        self.as_ref().map_or(Given::None, T::given)
    }
}

impl<T: Source> Source for Box<T> {
    fn given(&self) -> Given<'_> {
        (**self).given()
    }
}

impl<T: Source> Source for Vec<T> {
    fn given(&self) -> Given<'_> {
        Given::List(self)
    }
}

impl<T: Source, const N: usize> Source for [T; N] {
    fn given(&self) -> Given<'_> {
        Given::List(self)
    }
}

impl<T: Source> List for Vec<T> {
    fn count(&self) -> usize {
        self.len()
    }

    fn element(&self, index: usize) -> Given<'_> {
        self.get(index).map_or(Given::Missing, T::given)
    }

    fn numbers(&self, row: Option<Asked<'_>>, first: usize, to: &mut [u64]) -> Option<Numbering> {
        let all = self.get(first..)?.get(..to.len())?;
        match row {
            Some(row) => T::numbers_in(all, row, to),
            None => T::numbers(all.iter(), to),
        }
    }
}

impl<T: Source, const N: usize> List for [T; N] {
    fn count(&self) -> usize {
        N
    }

    fn element(&self, index: usize) -> Given<'_> {
        self.get(index).map_or(Given::Missing, T::given)
    }
}

/// Shows how a field is spelled that usually follows from others.
pub fn visit_kept<T: ToKept>(kept: &Kept<T>, row: u16, visit: &mut dyn FnMut(&SpellingEntry)) {
    if let Some((stored, instead_of)) = kept.deviation() {
        let instead_of = instead_of.map_or(KeptValue::None, T::to_kept);
        let stored = stored.to_kept();
        visit(&SpellingEntry { row, index: None, kind: KeptKind::Number, stored, instead_of });
    }
}
