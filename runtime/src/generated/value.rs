//! What every generated type can do, as traits, so that generated code says it once per field.

use alloc::borrow::{Cow, ToOwned};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};

use crate::same::Same;
use crate::spelling::{KeptValue, Spelling};
use crate::{Endian, Kept, Utf16};

/// Conversion into a value that borrows nothing, for types that may borrow.
pub trait Own {
    /// The same type without borrowed parts.
    type Owned;

    /// Copies what is borrowed.
    fn own(self) -> Self::Owned;
}

/// What a [`SpellingEntry`](crate::SpellingEntry) can hold.
pub trait ToKept {
    /// The value, to be remembered.
    fn to_kept(&self) -> KeptValue;
}

macro_rules! plain {
    ($($ty:ty)*) => {$(
        impl Same for $ty {
            #[inline]
            fn same(&self, other: &$ty, _: bool) -> bool {
                self == other
            }

            #[inline]
            fn digest(&self, mut state: &mut dyn Hasher) {
                self.hash(&mut state);
            }
        }
    )*};
}

plain!(u8 u16 u32 u64 i8 i16 i32 i64 i128 bool Endian Utf16);

macro_rules! to_int {
    ($($ty:ty)*) => {$(
        impl ToKept for $ty {
            fn to_kept(&self) -> KeptValue {
                KeptValue::Int(i128::from(*self))
            }
        }
    )*};
}

to_int!(u8 u16 u32 u64 i8 i16 i32 i64 i128);

macro_rules! floats {
    ($($ty:ty)*) => {$(
        impl Same for $ty {
            #[inline]
            fn same(&self, other: &$ty, _: bool) -> bool {
                self.to_bits() == other.to_bits()
            }

            #[inline]
            fn digest(&self, mut state: &mut dyn Hasher) {
                self.to_bits().hash(&mut state);
            }
        }

        impl ToKept for $ty {
            fn to_kept(&self) -> KeptValue {
                KeptValue::Int(self.to_bits().into())
            }
        }
    )*};
}

floats!(f32 f64);

impl<B: ToOwned + PartialEq + Hash + ?Sized> Same for Cow<'_, B> {
    fn same(&self, other: &Self, _: bool) -> bool {
        **self == **other
    }

    fn digest(&self, mut state: &mut dyn Hasher) {
        self.hash(&mut state);
    }
}

impl<B: ToOwned + ?Sized + 'static> Own for Cow<'_, B> {
    type Owned = Cow<'static, B>;

    fn own(self) -> Cow<'static, B> {
        Cow::Owned(self.into_owned())
    }
}

impl<T: Same> Same for Vec<T> {
    fn same(&self, other: &Vec<T>, spelling: bool) -> bool {
        self.len() == other.len() && self.iter().zip(other).all(|(a, b)| a.same(b, spelling))
    }

    fn digest(&self, state: &mut dyn Hasher) {
        (self.len() as u64).digest(state);
        self.iter().for_each(|element| element.digest(state));
    }
}

impl<T: Own> Own for Vec<T> {
    type Owned = Vec<T::Owned>;

    fn own(self) -> Vec<T::Owned> {
        self.into_iter().map(T::own).collect()
    }
}

impl<T: Same, const N: usize> Same for [T; N] {
    fn same(&self, other: &[T; N], spelling: bool) -> bool {
        self.iter().zip(other).all(|(a, b)| a.same(b, spelling))
    }

    fn digest(&self, state: &mut dyn Hasher) {
        self.iter().for_each(|element| element.digest(state));
    }
}

impl<T: Same> Same for Option<T> {
    fn same(&self, other: &Option<T>, spelling: bool) -> bool {
        match (self, other) {
            (Some(a), Some(b)) => a.same(b, spelling),
            (None, None) => true,
            _ => false,
        }
    }

    fn digest(&self, state: &mut dyn Hasher) {
        self.is_some().digest(state);
        self.iter().for_each(|value| value.digest(state));
    }
}

impl<T: Own> Own for Option<T> {
    type Owned = Option<T::Owned>;

    fn own(self) -> Option<T::Owned> {
        self.map(T::own)
    }
}

impl<T: Same> Same for Box<T> {
    fn same(&self, other: &Box<T>, spelling: bool) -> bool {
        (**self).same(other, spelling)
    }

    fn digest(&self, state: &mut dyn Hasher) {
        (**self).digest(state);
    }
}

impl<T: Own> Own for Box<T> {
    type Owned = Box<T::Owned>;

    fn own(self) -> Box<T::Owned> {
        Box::new((*self).own())
    }
}

impl<T: Same> Same for Kept<T> {
    fn same(&self, other: &Kept<T>, spelling: bool) -> bool {
        if !spelling {
            return true;
        }
        match (self.deviation(), other.deviation()) {
            (Some((a, x)), Some((b, y))) => {
                let instead = match (x, y) {
                    (Some(x), Some(y)) => x.same(y, true),
                    (None, None) => true,
                    _ => false,
                };
                instead && a.same(b, true)
            }
            (None, None) => true,
            _ => false,
        }
    }

    /// It is nothing but spelling.
    fn digest(&self, _: &mut dyn Hasher) {}
}

impl<T: Own> Own for Kept<T> {
    type Owned = Kept<T::Owned>;

    fn own(self) -> Kept<T::Owned> {
        self.map(T::own)
    }
}

impl Same for Spelling {
    fn same(&self, other: &Spelling, spelling: bool) -> bool {
        !spelling || self == other
    }

    fn digest(&self, _: &mut dyn Hasher) {}
}

impl ToKept for bool {
    fn to_kept(&self) -> KeptValue {
        KeptValue::Bool(*self)
    }
}

impl ToKept for Cow<'_, str> {
    fn to_kept(&self) -> KeptValue {
        KeptValue::Text(String::from(&**self))
    }
}

impl ToKept for Cow<'_, [u8]> {
    fn to_kept(&self) -> KeptValue {
        KeptValue::Bytes(self.to_vec())
    }
}

impl ToKept for Utf16 {
    fn to_kept(&self) -> KeptValue {
        match self.to_text() {
            Some(text) => KeptValue::Text(text),
            None => KeptValue::Units(self.units().to_vec()),
        }
    }
}

impl<T: ToKept> ToKept for Option<T> {
    fn to_kept(&self) -> KeptValue {
        self.as_ref().map_or(KeptValue::None, T::to_kept)
    }
}

/// A list of so many elements.
pub fn repeat<T>(element: impl FnMut() -> T, count: usize) -> Vec<T> {
    core::iter::repeat_with(element).take(count).collect()
}

/// A position that an index may have.
#[must_use]
pub fn index_number(position: usize) -> Option<u32> {
    u32::try_from(position).ok()
}
