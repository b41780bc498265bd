//! Numbers at places in blocks. Places are constants where these are called, and blocks have a known
//! size, so that nothing is checked when they run.

use core::marker::PhantomData;

use super::{Fixed, Place};
use crate::Endian;

/// Some bytes of a block.
#[inline(always)]
#[must_use]
pub fn bytes(block: &[u8], at: usize, size: usize) -> &[u8] {
    block.get(at..).and_then(|rest| rest.get(..size)).unwrap_or_default()
}

/// As many bytes of a block as an array has.
#[inline(always)]
#[must_use]
pub fn part<const N: usize>(block: &[u8], at: usize) -> &[u8; N] {
    block.get(at..).and_then(|rest| rest.first_chunk()).unwrap_or(const { &[0; N] })
}

/// A number of `W` bytes, in a byte order.
#[inline(always)]
#[must_use]
pub fn uint<const W: usize>(block: &[u8], at: usize, order: Endian) -> u64 {
    let field = part::<W>(block, at);
    let join = |value: u64, byte: &u8| value << 8 | u64::from(*byte);
    match order {
        Endian::Little => field.iter().rev().fold(0, join),
        Endian::Big => field.iter().fold(0, join),
    }
}

/// A number, in a byte order. Generated code says which.
pub trait Number: Copy {
    /// Size in bytes.
    const SIZE: usize;

    /// The number at a place in a block.
    #[doc(hidden)]
    fn load(block: &[u8], at: usize, order: Endian) -> Self;
}

macro_rules! numbers {
    ($($ty:ident)*) => {$(
        impl Number for $ty {
            const SIZE: usize = size_of::<$ty>();

            #[inline(always)]
            fn load(block: &[u8], at: usize, order: Endian) -> $ty {
                let field = *part(block, at);
                match order {
                    Endian::Little => $ty::from_le_bytes(field),
                    Endian::Big => $ty::from_be_bytes(field),
                }
            }
        }

        /// A number at a place in a block.
        #[inline(always)]
        #[must_use]
        pub fn $ty(block: &[u8], at: usize, order: Endian) -> $ty {
            <$ty>::load(block, at, order)
        }
    )*};
}

numbers!(u8 u16 u32 u64 i8 i16 i32 i64 f32 f64);

/// Elements that are numbers with the lowest byte first.
#[derive(Debug, Clone, Copy)]
pub struct Le<T>(PhantomData<T>);

/// Elements that are numbers with the highest byte first.
#[derive(Debug, Clone, Copy)]
pub struct Be<T>(PhantomData<T>);

/// Elements that are numbers in the byte order of the file.
#[derive(Debug, Clone, Copy)]
pub struct Ordered<T>(PhantomData<T>);

macro_rules! elements {
    ($($name:ident $order:expr;)*) => {$(
        impl<'a, T: Number> Fixed<'a> for $name<T> {
            type Item = T;

            #[inline(always)]
            fn size(_: Place<'a>) -> usize {
                T::SIZE
            }

            #[inline(always)]
            fn item(block: &'a [u8], place: Place<'a>) -> T {
                let order: fn(Place<'a>) -> Endian = $order;
                T::load(block, 0, order(place))
            }
        }
    )*};
}

elements! {
    Le |_| Endian::Little;
    Be |_| Endian::Big;
    Ordered |place| place.order();
}
