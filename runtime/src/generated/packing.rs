//! Values in few bytes, for what people do not read.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Carried, Source};
use crate::spelling::{KeptKind, KeptValue, Spelling, SpellingEntry};
use crate::stack;
use crate::{Endian, Kept, Utf16};

/// Bytes that are no packed value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damaged;

impl core::fmt::Display for Damaged {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("the bytes are no value of this type")
    }
}

/// A value that is put into bytes, and comes out of them again.
///
/// Every value takes at least one byte, so no list has more elements than there are bytes.
pub trait Packed: Sized {
    /// Appends the value.
    fn pack(&self, out: &mut Vec<u8>);

    /// Takes a value.
    ///
    /// # Errors
    ///
    /// If the bytes are none.
    fn unpack(from: &mut Bytes<'_>) -> Result<Self, Damaged>;
}

/// The bytes that are left.
#[derive(Debug)]
pub struct Bytes<'b> {
    left: &'b [u8],
    /// Where on the stack reading began.
    start: usize,
}

impl Bytes<'_> {
    fn take(&mut self, count: usize) -> Result<&[u8], Damaged> {
        let taken = self.left.get(..count).ok_or(Damaged)?;
        self.left = &self.left[count..];
        Ok(taken)
    }

    /// One byte.
    ///
    /// # Errors
    ///
    /// If none is left.
    pub fn byte(&mut self) -> Result<u8, Damaged> {
        self.take(1).map(|taken| taken[0])
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Damaged> {
        self.take(N)?.try_into().map_err(|_| Damaged)
    }

    /// A number.
    ///
    /// # Errors
    ///
    /// If it has too many bits, or goes on behind the end.
    pub fn number(&mut self) -> Result<i128, Damaged> {
        let mut bits = 0_u128;
        for shift in (0..126).step_by(7) {
            let byte = self.byte()?;
            bits |= u128::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok((bits >> 1) as i128 ^ -((bits & 1) as i128));
            }
        }
        Err(Damaged)
    }

    fn count(&mut self) -> Result<usize, Damaged> {
        let count = usize::try_from(self.number()?).map_err(|_| Damaged)?;
        if count > self.left.len() || self.start.abs_diff(stack::here()) > stack::PACKING {
            return Err(Damaged);
        }
        Ok(count)
    }

    /// Whether the stack has room for another level.
    ///
    /// # Errors
    ///
    /// If it has not.
    pub fn deeper(&self) -> Result<(), Damaged> {
        match self.start.abs_diff(stack::here()) > stack::PACKING {
            true => Err(Damaged),
            false => Ok(()),
        }
    }

    fn one<T: Packed>(left: &[u8]) -> Result<T, Damaged> {
        let mut bytes = Bytes { left, start: stack::here() };
        let value = T::unpack(&mut bytes)?;
        if bytes.left.is_empty() {
            Ok(value)
        } else {
            Err(Damaged)
        }
    }
}

/// Appends a number: seven bits in each byte, the sign in the lowest.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub fn pack_number(number: i128, out: &mut Vec<u8>) {
    let mut bits = ((number << 1) ^ (number >> 127)) as u128;
    while bits >= 0x80 {
        out.push(bits as u8 | 0x80);
        bits >>= 7;
    }
    out.push(bits as u8);
}

/// A value in bytes.
pub fn pack<T: Packed>(value: &T) -> Vec<u8> {
    let mut out = Vec::new();
    value.pack(&mut out);
    out
}

/// The value in such bytes.
///
/// # Errors
///
/// If there is none.
pub fn unpack<T: Packed>(bytes: &[u8]) -> Result<T, Damaged> {
    Bytes::one(bytes)
}

/// The value of a whole file in bytes, behind the version of its schema.
pub fn pack_file<T: Packed>(format: &Carried, value: &T) -> Vec<u8> {
    let mut out = Vec::new();
    pack_number(format.program().model().version.into(), &mut out);
    value.pack(&mut out);
    out
}

/// The value of a file in such bytes.
///
/// # Errors
///
/// If there is none, or one of another version.
pub fn unpack_file<T: Packed>(format: &Carried, bytes: &[u8]) -> Result<T, Damaged> {
    let mut from = Bytes { left: bytes, start: stack::here() };
    match from.number()? == format.program().model().version.into() {
        true => Bytes::one(from.left),
        false => Err(Damaged),
    }
}

/// The layout that the value of a file has.
pub fn layout_of(format: &Carried, value: &dyn Source) -> Option<u32> {
    crate::engine::epoch_of(format.program(), value.given()).ok().map(|epoch| epoch.0)
}

macro_rules! integers {
    ($($ty:ty)*) => {$(
        impl Packed for $ty {
            fn pack(&self, out: &mut Vec<u8>) {
                pack_number((*self).into(), out);
            }

            fn unpack(from: &mut Bytes<'_>) -> Result<Self, Damaged> {
                <$ty>::try_from(from.number()?).map_err(|_| Damaged)
            }
        }
    )*};
}

integers!(u16 u32 u64 i16 i32 i64 i128);

macro_rules! raw {
    ($($ty:ty)*) => {$(
        impl Packed for $ty {
            fn pack(&self, out: &mut Vec<u8>) {
                out.extend(self.to_le_bytes());
            }

            fn unpack(from: &mut Bytes<'_>) -> Result<Self, Damaged> {
                from.array().map(<$ty>::from_le_bytes)
            }
        }
    )*};
}

raw!(u8 i8 f32 f64);

impl Packed for bool {
    fn pack(&self, out: &mut Vec<u8>) {
        out.push((*self).into());
    }

    fn unpack(from: &mut Bytes<'_>) -> Result<Self, Damaged> {
        match from.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Damaged),
        }
    }
}

impl Packed for Endian {
    fn pack(&self, out: &mut Vec<u8>) {
        (*self == Endian::Big).pack(out);
    }

    fn unpack(from: &mut Bytes<'_>) -> Result<Self, Damaged> {
        Ok(if bool::unpack(from)? { Endian::Big } else { Endian::Little })
    }
}

fn pack_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    pack_number(bytes.len() as i128, out);
    out.extend_from_slice(bytes);
}

fn taken_bytes(from: &mut Bytes<'_>) -> Result<Vec<u8>, Damaged> {
    let count = from.count()?;
    from.take(count).map(<[u8]>::to_vec)
}

impl Packed for String {
    fn pack(&self, out: &mut Vec<u8>) {
        pack_bytes(self.as_bytes(), out);
    }

    fn unpack(from: &mut Bytes<'_>) -> Result<Self, Damaged> {
        String::from_utf8(taken_bytes(from)?).map_err(|_| Damaged)
    }
}

impl Packed for Cow<'_, str> {
    fn pack(&self, out: &mut Vec<u8>) {
        pack_bytes(self.as_bytes(), out);
    }

    fn unpack(from: &mut Bytes<'_>) -> Result<Self, Damaged> {
        String::unpack(from).map(Cow::Owned)
    }
}

impl Packed for Cow<'_, [u8]> {
    fn pack(&self, out: &mut Vec<u8>) {
        pack_bytes(self, out);
    }

    fn unpack(from: &mut Bytes<'_>) -> Result<Self, Damaged> {
        taken_bytes(from).map(Cow::Owned)
    }
}

impl Packed for Utf16 {
    fn pack(&self, out: &mut Vec<u8>) {
        list(self.units(), out);
    }

    fn unpack(from: &mut Bytes<'_>) -> Result<Self, Damaged> {
        elements(from).map(Utf16::from_units)
    }
}

fn list<T: Packed>(elements: &[T], out: &mut Vec<u8>) {
    pack_number(elements.len() as i128, out);
    elements.iter().for_each(|element| element.pack(out));
}

fn elements<T: Packed>(from: &mut Bytes<'_>) -> Result<Vec<T>, Damaged> {
    let count = from.count()?;
    (0..count).map(|_| T::unpack(from)).collect()
}

impl<T: Packed> Packed for Vec<T> {
    fn pack(&self, out: &mut Vec<u8>) {
        list(self, out);
    }

    fn unpack(from: &mut Bytes<'_>) -> Result<Self, Damaged> {
        elements(from)
    }
}

impl<T: Packed, const N: usize> Packed for [T; N] {
    fn pack(&self, out: &mut Vec<u8>) {
        list(self, out);
    }

    fn unpack(from: &mut Bytes<'_>) -> Result<Self, Damaged> {
        elements(from)?.try_into().map_err(|_| Damaged)
    }
}

impl<T: Packed> Packed for Option<T> {
    fn pack(&self, out: &mut Vec<u8>) {
        self.is_some().pack(out);
        if let Some(value) = self {
            value.pack(out);
        }
    }

    fn unpack(from: &mut Bytes<'_>) -> Result<Self, Damaged> {
        Ok(if bool::unpack(from)? { Some(T::unpack(from)?) } else { None })
    }
}

impl<T: Packed> Packed for Box<T> {
    fn pack(&self, out: &mut Vec<u8>) {
        (**self).pack(out);
    }

    fn unpack(from: &mut Bytes<'_>) -> Result<Self, Damaged> {
        T::unpack(from).map(Box::new)
    }
}

impl<T: Packed> Packed for Kept<T> {
    fn pack(&self, out: &mut Vec<u8>) {
        match self.deviation() {
            None => out.push(0),
            Some((stored, None)) => {
                out.push(1);
                stored.pack(out);
            }
            Some((stored, Some(instead_of))) => {
                out.push(2);
                stored.pack(out);
                instead_of.pack(out);
            }
        }
    }

    fn unpack(from: &mut Bytes<'_>) -> Result<Self, Damaged> {
        Ok(match from.byte()? {
            0 => Kept::canonical(),
            1 => Kept::from(T::unpack(from)?),
            2 => Kept::instead_of(T::unpack(from)?, T::unpack(from)?),
            _ => return Err(Damaged),
        })
    }
}

impl Packed for KeptValue {
    fn pack(&self, out: &mut Vec<u8>) {
        match self {
            KeptValue::None => out.push(0),
            KeptValue::Bool(yes) => {
                out.push(1);
                yes.pack(out);
            }
            KeptValue::Int(number) => {
                out.push(2);
                number.pack(out);
            }
            KeptValue::Text(text) => {
                out.push(3);
                text.pack(out);
            }
            KeptValue::Bytes(bytes) => {
                out.push(4);
                pack_bytes(bytes, out);
            }
            KeptValue::Units(units) => {
                out.push(5);
                units.pack(out);
            }
            KeptValue::Table(rows) => {
                out.push(6);
                rows.pack(out);
            }
            KeptValue::List(values) => {
                out.push(7);
                values.pack(out);
            }
            KeptValue::Spelling(spelling) => {
                out.push(8);
                spelling.pack(out);
            }
        }
    }

    fn unpack(from: &mut Bytes<'_>) -> Result<Self, Damaged> {
        from.deeper()?;
        Ok(match from.byte()? {
            0 => KeptValue::None,
            1 => KeptValue::Bool(bool::unpack(from)?),
            2 => KeptValue::Int(from.number()?),
            3 => KeptValue::Text(String::unpack(from)?),
            4 => KeptValue::Bytes(taken_bytes(from)?),
            5 => KeptValue::Units(Vec::unpack(from)?),
            6 => KeptValue::Table(Vec::unpack(from)?),
            7 => KeptValue::List(Vec::unpack(from)?),
            8 => KeptValue::Spelling(Spelling::unpack(from)?),
            _ => return Err(Damaged),
        })
    }
}

impl Packed for SpellingEntry {
    #[allow(clippy::cast_possible_truncation)] // There are few kinds.
    fn pack(&self, out: &mut Vec<u8>) {
        self.row.pack(out);
        self.index.pack(out);
        let kind = KeptKind::ALL.iter().position(|kind| *kind == self.kind);
        out.push(kind.unwrap_or(KeptKind::ALL.len()) as u8);
        self.stored.pack(out);
        self.instead_of.pack(out);
    }

    fn unpack(from: &mut Bytes<'_>) -> Result<Self, Damaged> {
        let (row, index) = (u16::unpack(from)?, Option::unpack(from)?);
        let kind = match usize::from(from.byte()?) {
            inside if inside == KeptKind::ALL.len() => KeptKind::Inside,
            kind => *KeptKind::ALL.get(kind).ok_or(Damaged)?,
        };
        let (stored, instead_of) = (KeptValue::unpack(from)?, KeptValue::unpack(from)?);
        Ok(SpellingEntry { row, index, kind, stored, instead_of })
    }
}

impl Packed for Spelling {
    fn pack(&self, out: &mut Vec<u8>) {
        list(self.entries(), out);
    }

    fn unpack(from: &mut Bytes<'_>) -> Result<Self, Damaged> {
        let mut spelling = Spelling::default();
        elements(from)?.into_iter().for_each(|entry| spelling.keep(entry));
        Ok(spelling)
    }
}

/// `Packed` of a struct, a union, or what is a number.
#[doc(hidden)]
#[macro_export]
macro_rules! __packed {
    ([$($name:tt)*] struct { $($field:ident)* }) => {
        impl $crate::__rt::Packed for $($name)* {
            fn pack(&self, out: &mut $crate::__rt::Vec<u8>) {
                // Every value takes a byte.
                out.push(0);
                $($crate::__rt::Packed::pack(&self.$field, out);)*
            }

            fn unpack(
                from: &mut $crate::__rt::Bytes<'_>,
            ) -> $crate::__rt::Result<Self, $crate::__rt::Damaged> {
                from.deeper()?;
                let _ = from.byte()?;
                $crate::__rt::Ok(Self {
                    $($field: $crate::__rt::Packed::unpack(from)?,)*
                })
            }
        }
    };
    (
        [$($name:tt)*] union { $($case:literal $variant:ident)* } { $($unit_case:literal $unit:ident)* }
    ) => {
        impl $crate::__rt::Packed for $($name)* {
            fn pack(&self, out: &mut $crate::__rt::Vec<u8>) {
                match self {
                    $(Self::$variant(value) => {
                        $crate::__rt::pack_number($case, out);
                        $crate::__rt::Packed::pack(value, out);
                    })*
                    $(Self::$unit => $crate::__rt::pack_number($unit_case, out),)*
                }
            }

            fn unpack(
                from: &mut $crate::__rt::Bytes<'_>,
            ) -> $crate::__rt::Result<Self, $crate::__rt::Damaged> {
                $crate::__rt::Ok(match from.number()? {
                    $($case => Self::$variant($crate::__rt::Packed::unpack(from)?),)*
                    $($unit_case => Self::$unit,)*
                    _ => return $crate::__rt::Err($crate::__rt::Damaged),
                })
            }
        }
    };
    ([$($name:tt)*] number $value:ident => $number:expr, $made:expr) => {
        impl $crate::__rt::Packed for $($name)* {
            fn pack(&self, out: &mut $crate::__rt::Vec<u8>) {
                let $value = *self;
                $crate::__rt::Packed::pack(&$number, out);
            }

            fn unpack(
                from: &mut $crate::__rt::Bytes<'_>,
            ) -> $crate::__rt::Result<Self, $crate::__rt::Damaged> {
                let $value = $crate::__rt::Packed::unpack(from)?;
                $made.ok_or($crate::__rt::Damaged)
            }
        }
    };
}
