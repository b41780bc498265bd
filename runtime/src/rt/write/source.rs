//! Where the walk over a value finds what is in its rows.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;

use super::super::tree::{through, Bytes, Item, Text};
use super::Datum;
use crate::spelling::Spelling;
use crate::{Endian, Utf16};

/// What a value has for a row or element.
pub enum Src<'v> {
    /// Nothing: no field is for it.
    Nothing,
    /// A field that is none.
    None,
    /// A number, text or bytes; or an item of the tree.
    Item(Item<'v>),
    /// Elements.
    List(&'v dyn List<'v>),
    /// A struct.
    Record(&'v dyn Fields<'v>),
    /// A case of a union, and what is in it.
    Case(u16, Box<Src<'v>>),
}

impl Clone for Src<'_> {
    fn clone(&self) -> Self {
        match self {
            Src::Nothing => Src::Nothing,
            Src::None => Src::None,
            Src::Item(item) => Src::Item(item.clone()),
            Src::List(list) => Src::List(*list),
            Src::Record(fields) => Src::Record(*fields),
            Src::Case(case, value) => Src::Case(*case, value.clone()),
        }
    }
}

/// Elements of a value.
pub trait List<'v> {
    /// How many there are.
    fn count(&self) -> usize;
    /// One of them.
    fn element(&'v self, index: usize) -> Src<'v>;
}

/// The fields of a struct. A struct may stand for several records.
pub trait Fields<'v> {
    /// What it has for a row of a record.
    fn field(&'v self, record: u16, row: u16) -> Src<'v>;
    /// How it is spelled.
    fn spelling(&'v self) -> Option<&'v Spelling> {
        None
    }
}

/// A value of a field.
pub trait Source<'v> {
    /// What it has.
    fn src(&'v self) -> Src<'v>;
}

macro_rules! leaves {
    ($($ty:ty)*) => {$(
        impl<'v> Source<'v> for $ty {
            fn src(&'v self) -> Src<'v> {
                Src::Item(self.item())
            }
        }
    )*};
}

leaves!(u8 u16 u32 u64 i8 i16 i32 i64 i128 bool f32 f64 Utf16 Endian);

impl<'v> Source<'v> for Cow<'v, str> {
    fn src(&'v self) -> Src<'v> {
        Src::Item(Item::Text(Text::Borrowed(self)))
    }
}

impl<'v> Source<'v> for Cow<'v, [u8]> {
    fn src(&'v self) -> Src<'v> {
        Src::Item(Item::Bytes(Bytes::Borrowed(self)))
    }
}

impl<'v, T: Source<'v>> Source<'v> for Option<T> {
    fn src(&'v self) -> Src<'v> {
        self.as_ref().map_or(Src::None, T::src)
    }
}

impl<'v, T: Source<'v>> Source<'v> for Box<T> {
    fn src(&'v self) -> Src<'v> {
        (**self).src()
    }
}

impl<'v, T: Source<'v>> Source<'v> for Vec<T> {
    fn src(&'v self) -> Src<'v> {
        Src::List(self)
    }
}

impl<'v, T: Source<'v>, const N: usize> Source<'v> for [T; N] {
    fn src(&'v self) -> Src<'v> {
        Src::List(self)
    }
}

impl<'v, T: Source<'v>> List<'v> for Vec<T> {
    fn count(&self) -> usize {
        self.len()
    }
    fn element(&'v self, index: usize) -> Src<'v> {
        self.get(index).map_or(Src::Nothing, T::src)
    }
}

impl<'v, T: Source<'v>, const N: usize> List<'v> for [T; N] {
    fn count(&self) -> usize {
        N
    }
    fn element(&'v self, index: usize) -> Src<'v> {
        self.get(index).map_or(Src::Nothing, T::src)
    }
}

impl<'v> Src<'v> {
    /// As an item; nothing of elements and structs.
    #[must_use]
    pub fn item(&self) -> Item<'v> {
        match self {
            Src::Item(item) => item.clone(),
            _ => Item::Absent,
        }
    }

    /// How many elements there are.
    #[must_use]
    pub fn count(&self) -> usize {
        match self {
            Src::List(list) => list.count(),
            Src::Item(item) => super::items_of(item).len(),
            _ => 0,
        }
    }

    /// An element.
    #[must_use]
    pub fn element(&self, index: usize) -> Src<'v> {
        match self {
            Src::List(list) => list.element(index),
            Src::Item(item) => super::items_of(item)
                .get(index)
                .map_or(Src::Nothing, |item| Src::Item(item.clone())),
            _ => Src::Nothing,
        }
    }

    /// What a pointer in it leads to, if it is an item of the tree.
    #[must_use]
    pub fn target(&self) -> Src<'v> {
        match self {
            Src::Item(item) => Src::Item(through(item).clone()),
            other => other.clone(),
        }
    }

    /// How a struct is spelled.
    #[must_use]
    pub fn spelling(&self) -> Option<&'v Spelling> {
        match self {
            Src::Record(fields) => fields.spelling(),
            _ => None,
        }
    }
}

/// A case of a union with what is in it.
#[must_use]
pub fn case<'v>(number: u16, value: &'v impl Source<'v>) -> Src<'v> {
    Src::Case(number, Box::new(value.src()))
}

/// A case of a union with nothing in it.
#[must_use]
pub fn bare_case<'v>(number: u16) -> Src<'v> {
    Src::Case(number, Box::new(Src::Nothing))
}
