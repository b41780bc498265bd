//! What typed fields and items of the tree have in common when they are written.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::vec::Vec;

use super::super::tree::{Bytes, Item, Text};
use crate::{Endian, KeptValue, Utf16};

/// Something that a number is stored for.
pub trait Number {
    /// The number; of a float, its bits; of a truth value, 1 or 0. Nothing if there is nothing.
    fn number(&self) -> Option<i128>;
}

/// Something that bytes or text are stored for.
pub trait Run {
    /// The letters or bytes.
    fn chars(&self) -> Chars<'_>;
}

/// Something that the tree can hold.
pub trait Datum<'v> {
    /// As an item.
    fn item(&'v self) -> Item<'v>;
}

/// Content of a run.
#[derive(Debug, Clone, Copy)]
pub enum Chars<'t> {
    /// Nothing.
    None,
    /// A text.
    Text(&'t str),
    /// Bytes.
    Bytes(&'t [u8]),
    /// Units of UTF-16.
    Units(&'t [u16]),
}

/// How a run is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    /// Bytes, ASCII or UTF-8.
    Bytes,
    /// Units of 16 bits.
    Units,
    /// Letters of 32 bits.
    Letters,
}

impl Coding {
    /// Size of a unit in bytes.
    #[must_use]
    pub const fn unit(self) -> u64 {
        match self {
            Coding::Bytes => 1,
            Coding::Units => 2,
            Coding::Letters => 4,
        }
    }
}

impl<'t> Chars<'t> {
    /// Size in bytes.
    #[inline]
    #[must_use]
    pub fn size(self, coding: Coding) -> u64 {
        match (self, coding) {
            (Chars::None, _) => 0,
            (Chars::Bytes(bytes), _) => bytes.len() as u64,
            (Chars::Units(units), _) => units.len() as u64 * 2,
            (Chars::Text(text), Coding::Bytes) => text.len() as u64,
            (Chars::Text(text), Coding::Units) => text.encode_utf16().count() as u64 * 2,
            (Chars::Text(text), Coding::Letters) => text.chars().count() as u64 * 4,
        }
    }

    /// Bytes as they are stored.
    #[must_use]
    pub fn encode(self, coding: Coding, order: Endian) -> Cow<'t, [u8]> {
        let units = |units: &mut dyn Iterator<Item = u16>| -> Cow<'t, [u8]> {
            let bytes = |unit: u16| match order {
                Endian::Little => unit.to_le_bytes(),
                Endian::Big => unit.to_be_bytes(),
            };
            Cow::Owned(units.flat_map(bytes).collect())
        };
        match (self, coding) {
            (Chars::None, _) => Cow::Borrowed(&[]),
            (Chars::Bytes(bytes), _) => Cow::Borrowed(bytes),
            (Chars::Units(list), _) => units(&mut list.iter().copied()),
            (Chars::Text(text), Coding::Bytes) => Cow::Borrowed(text.as_bytes()),
            (Chars::Text(text), Coding::Units) => units(&mut text.encode_utf16()),
            (Chars::Text(text), Coding::Letters) => {
                let bytes = |letter: char| match order {
                    Endian::Little => u32::from(letter).to_le_bytes(),
                    Endian::Big => u32::from(letter).to_be_bytes(),
                };
                Cow::Owned(text.chars().flat_map(bytes).collect())
            }
        }
    }

    /// Whether it is a text with letters beyond ASCII.
    #[must_use]
    pub fn beyond_ascii(self) -> bool {
        matches!(self, Chars::Text(text) if !text.is_ascii())
    }

    /// Whether it is a text with this byte in it.
    #[must_use]
    pub fn contains(self, byte: u8) -> bool {
        matches!(self, Chars::Text(text) if text.as_bytes().contains(&byte))
    }
}

macro_rules! integers {
    ($($ty:ty)*) => {$(
        impl Number for $ty {
            #[inline]
            fn number(&self) -> Option<i128> {
                Some(i128::from(*self))
            }
        }

        impl<'v> Datum<'v> for $ty {
            #[inline]
            fn item(&'v self) -> Item<'v> {
                Item::Int(i128::from(*self))
            }
        }
    )*};
}

integers!(u8 u16 u32 u64 i8 i16 i32 i64 i128);

impl Number for bool {
    #[inline]
    fn number(&self) -> Option<i128> {
        Some((*self).into())
    }
}

impl<'v> Datum<'v> for bool {
    fn item(&'v self) -> Item<'v> {
        Item::Bool(*self)
    }
}

impl Number for f32 {
    #[inline]
    fn number(&self) -> Option<i128> {
        Some(self.to_bits().into())
    }
}

impl<'v> Datum<'v> for f32 {
    fn item(&'v self) -> Item<'v> {
        Item::Float { bits: self.to_bits().into(), bytes: 4 }
    }
}

impl Number for f64 {
    #[inline]
    fn number(&self) -> Option<i128> {
        Some(self.to_bits().into())
    }
}

impl<'v> Datum<'v> for f64 {
    fn item(&'v self) -> Item<'v> {
        Item::Float { bits: self.to_bits(), bytes: 8 }
    }
}

impl<T: Number> Number for Option<T> {
    #[inline]
    fn number(&self) -> Option<i128> {
        self.as_ref().and_then(T::number)
    }
}

impl<'v, T: Datum<'v>> Datum<'v> for Option<T> {
    fn item(&'v self) -> Item<'v> {
        self.as_ref().map_or(Item::Absent, T::item)
    }
}

impl<T: Number + ?Sized> Number for Box<T> {
    fn number(&self) -> Option<i128> {
        (**self).number()
    }
}

impl<'v, T: Datum<'v>> Datum<'v> for Box<T> {
    fn item(&'v self) -> Item<'v> {
        (**self).item()
    }
}

impl<T: Run> Run for Option<T> {
    fn chars(&self) -> Chars<'_> {
        self.as_ref().map_or(Chars::None, T::chars)
    }
}

impl<T: Run> Run for Box<T> {
    fn chars(&self) -> Chars<'_> {
        (**self).chars()
    }
}

impl Run for Cow<'_, str> {
    #[inline]
    fn chars(&self) -> Chars<'_> {
        Chars::Text(self)
    }
}

impl<'v> Datum<'v> for Cow<'v, str> {
    fn item(&'v self) -> Item<'v> {
        Item::Text(Text::Borrowed(self))
    }
}

impl Run for Cow<'_, [u8]> {
    #[inline]
    fn chars(&self) -> Chars<'_> {
        Chars::Bytes(self)
    }
}

impl<'v> Datum<'v> for Cow<'v, [u8]> {
    fn item(&'v self) -> Item<'v> {
        Item::Bytes(Bytes::Borrowed(self))
    }
}

impl Run for Utf16 {
    fn chars(&self) -> Chars<'_> {
        Chars::Units(self.units())
    }
}

impl<'v> Datum<'v> for Utf16 {
    fn item(&'v self) -> Item<'v> {
        match self.to_text() {
            Some(text) => Item::Text(text.into()),
            None => Item::Units(Rc::from(self.units())),
        }
    }
}

impl<'v> Datum<'v> for Endian {
    fn item(&'v self) -> Item<'v> {
        Item::Text(Text::Borrowed(match self {
            Endian::Little => "little",
            Endian::Big => "big",
        }))
    }
}

impl Number for Item<'_> {
    fn number(&self) -> Option<i128> {
        match self {
            Item::Int(n) => Some(*n),
            Item::Bool(b) => Some((*b).into()),
            Item::Float { bits, .. } => Some((*bits).into()),
            Item::Pointer(pointer) => pointer.target.number(),
            _ => None,
        }
    }
}

impl Run for Item<'_> {
    fn chars(&self) -> Chars<'_> {
        match self {
            Item::Text(text) => Chars::Text(text),
            Item::Bytes(bytes) => Chars::Bytes(bytes),
            Item::Units(units) => Chars::Units(units),
            Item::Pointer(pointer) => pointer.target.chars(),
            _ => Chars::None,
        }
    }
}

impl<'v> Datum<'v> for Item<'v> {
    fn item(&'v self) -> Item<'v> {
        self.clone()
    }
}

/// What a spelling remembers, as an item.
#[must_use]
pub fn kept_item<'v>(kept: &'v KeptValue) -> Item<'v> {
    match kept {
        KeptValue::None => Item::Absent,
        KeptValue::Bool(b) => Item::Bool(*b),
        KeptValue::Int(n) => Item::Int(*n),
        KeptValue::Text(text) => Item::Text(Text::Borrowed(text)),
        KeptValue::Bytes(bytes) => Item::Bytes(Bytes::Borrowed(bytes)),
        KeptValue::Units(units) => Item::Units(Rc::from(units.as_slice())),
        KeptValue::List(list) => Item::Array(Box::new(super::super::tree::ArrayItem::of(
            list.iter().map(kept_item).collect(),
        ))),
        KeptValue::Table(rows) => Item::Array(Box::new(super::super::tree::ArrayItem::of(
            rows.iter()
                .map(|row| {
                    Item::Array(Box::new(super::super::tree::ArrayItem::of(
                        row.iter().map(kept_item).collect::<Vec<_>>(),
                    )))
                })
                .collect(),
        ))),
    }
}
