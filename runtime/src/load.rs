//! Loads numbers and byte runs from a slice, at offsets that may be anything.

#![deny(clippy::arithmetic_side_effects)]

use alloc::format;

use crate::error::{ReadError, ReadErrorKind};

/// Which byte of a number comes first in the file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Endian {
    /// The least significant byte.
    #[default]
    Little,
    /// The most significant byte.
    Big,
}

impl From<formwork_model::ByteOrder> for Endian {
    fn from(order: formwork_model::ByteOrder) -> Endian {
        match order {
            formwork_model::ByteOrder::Little => Endian::Little,
            formwork_model::ByteOrder::Big => Endian::Big,
        }
    }
}

/// So many ones at the low end.
pub(crate) fn mask(width: impl Into<u32>) -> u64 {
    u64::MAX.checked_shr(64_u32.saturating_sub(width.into())).unwrap_or(0)
}

/// The unsigned number of `width` bytes (1 to 8) at offset `at`. For a signed one, see
/// [`sign_extend`].
///
/// ```
/// use formwork::Endian;
/// use formwork::algorithms::load_uint;
///
/// let bytes = [0x12, 0x34, 0x56];
/// assert_eq!(load_uint(&bytes, 0, 3, Endian::Big).unwrap(), 0x123456);
/// assert_eq!(load_uint(&bytes, 0, 3, Endian::Little).unwrap(), 0x563412);
/// ```
///
/// # Errors
///
/// `UnexpectedEnd` if the number does not lie within `bytes`; `Expression` if `width` is not 1 to
/// 8.
#[inline]
pub fn load_uint(bytes: &[u8], at: u64, width: u8, endian: Endian) -> Result<u64, ReadError> {
    let field = slice(bytes, at, u64::from(width))?;
    number_of(field, endian).ok_or_else(|| bad_width(width, at))
}

/// The unsigned number that 1 to 8 bytes are.
#[inline]
pub(crate) fn number_of(field: &[u8], endian: Endian) -> Option<u64> {
    // The common widths compile to one load; the match is on a number that is constant in most
    // callers.
    Some(match (field, endian) {
        (&[a], _) => u64::from(a),
        (&[a, b], Endian::Little) => u64::from(u16::from_le_bytes([a, b])),
        (&[a, b], Endian::Big) => u64::from(u16::from_be_bytes([a, b])),
        (&[a, b, c, d], Endian::Little) => u64::from(u32::from_le_bytes([a, b, c, d])),
        (&[a, b, c, d], Endian::Big) => u64::from(u32::from_be_bytes([a, b, c, d])),
        (&[a, b, c, d, e, f, g, h], Endian::Little) => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        (&[a, b, c, d, e, f, g, h], Endian::Big) => u64::from_be_bytes([a, b, c, d, e, f, g, h]),
        (odd, _) if odd.is_empty() || odd.len() > 8 => return None,
        (odd, Endian::Little) => odd.iter().rev().fold(0, |value, &byte| append(value, byte)),
        (odd, Endian::Big) => odd.iter().fold(0, |value, &byte| append(value, byte)),
    })
}

#[inline]
fn append(value: u64, byte: u8) -> u64 {
    (value << 8) | u64::from(byte)
}

#[cold]
fn bad_width(width: u8, at: u64) -> ReadError {
    let message = format!("a number has 1 to 8 bytes, not {width}").into();
    ReadError::new(ReadErrorKind::Expression { message }, at)
}

/// The signed number that the low `width_bits` bits of `value` mean in two's complement. From 64
/// bits on all of `value` counts; 0 bits mean 0.
///
/// ```
/// assert_eq!(formwork::algorithms::sign_extend(0xff_ffff, 24), -1);
/// assert_eq!(formwork::algorithms::sign_extend(0x7f, 8), 127);
/// ```
#[inline]
#[must_use]
pub fn sign_extend(value: u64, width_bits: u32) -> i64 {
    match 64u32.checked_sub(width_bits) {
        None | Some(0) => signed(value),
        Some(64) => 0,
        Some(unused) => signed(value << (unused & 63)) >> (unused & 63),
    }
}

/// Two's complement. A cast would say the same, and not that nothing is lost.
#[inline]
fn signed(value: u64) -> i64 {
    i64::from_ne_bytes(value.to_ne_bytes())
}

/// Whether all bytes are zero. Many are looked at together: padding may be long.
#[inline]
#[must_use]
pub fn is_zero(bytes: &[u8]) -> bool {
    bytes.chunks(256).all(|bytes| bytes.iter().fold(0, |bits, byte| bits | byte) == 0)
}

/// The `len` bytes at offset `at`.
///
/// # Errors
///
/// `UnexpectedEnd`, at `at`, if they do not lie within `bytes`. That holds for no bytes beyond the
/// end too.
#[inline]
pub fn slice(bytes: &[u8], at: u64, len: u64) -> Result<&[u8], ReadError> {
    let start = usize::try_from(at).ok();
    let found = match (start, usize::try_from(len)) {
        (Some(start), Ok(len)) => bytes.get(start..).and_then(|rest| rest.get(..len)),
        _ => None,
    };
    match found {
        Some(found) => Ok(found),
        None => Err(unexpected_end(bytes, at, len)),
    }
}

/// The error of a field of `needed` bytes at `at` that does not lie within `bytes`.
#[cold]
pub(crate) fn unexpected_end(bytes: &[u8], at: u64, needed: u64) -> ReadError {
    // A slice is never longer than `isize::MAX` bytes, so the length fits.
    let remaining = (bytes.len() as u64).saturating_sub(at);
    ReadError::new(ReadErrorKind::UnexpectedEnd { needed, remaining }, at)
}
