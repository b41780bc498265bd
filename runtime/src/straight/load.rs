//! Numbers in blocks, text and other runs of bytes.

use alloc::vec::Vec;

use super::{Odd, Straight};
use crate::{checked_str, Utf16};

/// All bytes are zero.
///
/// # Errors
///
/// If one is not.
#[inline]
pub fn zeros(bytes: &[u8]) -> Straight<()> {
    if bytes.iter().fold(0, |bits, byte| bits | byte) == 0 {
        Ok(())
    } else {
        Err(Odd)
    }
}

/// All bytes are this one.
///
/// # Errors
///
/// If one is not.
#[inline]
pub fn filled(bytes: &[u8], fill: u8) -> Straight<()> {
    super::holds(bytes.iter().all(|byte| *byte == fill))
}

/// Bytes at a place in a block. Both are constants where this is called, so that nothing is checked
/// when it runs.
#[inline(always)]
fn at<const W: usize, const N: usize>(block: &[u8; N], at: usize) -> [u8; W] {
    let mut field = [0; W];
    field.copy_from_slice(&block[at..at + W]);
    field
}

/// Some bytes of a block.
#[inline(always)]
pub fn bytes<const N: usize>(block: &[u8; N], at: usize, size: usize) -> &[u8] {
    &block[at..at + size]
}

/// The bytes of something within a block.
#[inline(always)]
pub fn within<const N: usize, const W: usize>(block: &[u8; N], at: usize) -> &[u8; W] {
    // There are as many, so the other block is never taken.
    block[at..at + W].first_chunk().unwrap_or(&[0; W])
}

/// Bytes as a block.
///
/// # Errors
///
/// If there are not just so many.
#[inline(always)]
pub fn whole<const N: usize>(bytes: &[u8]) -> Straight<&[u8; N]> {
    bytes.try_into().map_err(|_| Odd)
}

macro_rules! loads {
    ($($ty:ident $big:ident)*) => {$(
        /// A number in a block, its lowest byte first.
        #[inline(always)]
        pub fn $ty<const N: usize>(block: &[u8; N], place: usize) -> $ty {
            $ty::from_le_bytes(at(block, place))
        }

        /// A number in a block, its highest byte first.
        #[inline(always)]
        pub fn $big<const N: usize>(block: &[u8; N], place: usize) -> $ty {
            $ty::from_be_bytes(at(block, place))
        }
    )*};
}

loads!(u8 u8_be u16 u16_be u32 u32_be u64 u64_be i8 i8_be i16 i16_be i32 i32_be i64 i64_be);

/// A number of `W` bytes in a block, its lowest byte first.
#[inline(always)]
pub fn uint<const W: usize, const N: usize>(block: &[u8; N], place: usize) -> u64 {
    let field: [u8; W] = at(block, place);
    field.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// A number of `W` bytes in a block, its highest byte first.
#[inline(always)]
pub fn uint_be<const W: usize, const N: usize>(block: &[u8; N], place: usize) -> u64 {
    let field: [u8; W] = at(block, place);
    field.iter().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// A truth value: 0, or the number for "true".
///
/// # Errors
///
/// If it is another number.
#[inline(always)]
pub fn flag(number: u64, yes: u64) -> Straight<bool> {
    match number {
        0 => Ok(false),
        n if n == yes => Ok(true),
        _ => Err(Odd),
    }
}

/// Text in UTF-8.
///
/// # Errors
///
/// If it is none.
#[inline]
pub fn utf8(bytes: &[u8]) -> Straight<&str> {
    checked_str(bytes).ok_or(Odd)
}

/// Text in ASCII.
///
/// # Errors
///
/// If it is none.
#[inline]
pub fn ascii(bytes: &[u8]) -> Straight<&str> {
    let text = checked_str(bytes).ok_or(Odd)?;
    if text.is_ascii() {
        Ok(text)
    } else {
        Err(Odd)
    }
}

/// Bytes as elements of `N` bytes each; what is left over of an element does not count.
#[inline]
pub fn each<const N: usize>(bytes: &[u8]) -> impl ExactSizeIterator<Item = &[u8; N]> {
    // Chunks are as long as they are said to be, so the other block is never taken.
    bytes.chunks_exact(N).map(|chunk| chunk.first_chunk().unwrap_or(&[0; N]))
}

/// Bytes of units of text.
#[must_use]
pub fn unit_bytes(units: &[u16], big: bool) -> Vec<u8> {
    let bytes = |unit: &u16| if big { unit.to_be_bytes() } else { unit.to_le_bytes() };
    units.iter().flat_map(bytes).collect()
}

/// Units of text, the lowest byte of each first. The bytes are pairs.
#[inline]
pub fn utf16(bytes: &[u8]) -> Utf16 {
    Utf16::from_units(each(bytes).map(|pair| u16::from_le_bytes(*pair)).collect())
}

/// Units of text, the highest byte of each first. The bytes are pairs.
#[inline]
pub fn utf16_be(bytes: &[u8]) -> Utf16 {
    Utf16::from_units(each(bytes).map(|pair| u16::from_be_bytes(*pair)).collect())
}
