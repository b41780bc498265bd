//! Variable-length integers: groups of 7 bits, one per byte, with bit 7 set in all bytes but the
//! last.

#![deny(clippy::arithmetic_side_effects)]

use alloc::vec::Vec;

use crate::error::{ReadError, ReadErrorKind};
use crate::load::unexpected_end;

/// Which group of 7 bits comes first in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GroupOrder {
    /// The most significant group.
    MsbFirst,
    /// The least significant group.
    LsbFirst,
}

impl From<formwork_model::GroupOrder> for GroupOrder {
    fn from(order: formwork_model::GroupOrder) -> GroupOrder {
        match order {
            formwork_model::GroupOrder::MsbFirst => GroupOrder::MsbFirst,
            formwork_model::GroupOrder::LsbFirst => GroupOrder::LsbFirst,
        }
    }
}

/// The number at offset `at`, and its width in bytes. A form longer than needed is accepted, so the
/// width is not always [`varint_width`].
///
/// ```
/// use formwork::algorithms::{read_varint, GroupOrder};
///
/// assert_eq!(read_varint(&[0x81, 0x00], 0, GroupOrder::MsbFirst, 5, 32).unwrap(), (128, 2));
/// assert_eq!(read_varint(&[0x80, 0x01], 0, GroupOrder::LsbFirst, 5, 32).unwrap(), (128, 2));
/// assert_eq!(read_varint(&[0x80, 0x01], 0, GroupOrder::MsbFirst, 5, 32).unwrap(), (1, 2));
/// ```
///
/// # Errors
///
/// All at `at`: `UnexpectedEnd` if the bytes end before the number does; `VarintTooLong` if byte
/// number `max_bytes` is not its last; `VarintOverflow` if it has more than `max_bits` bits, of
/// which there are at most 64.
#[inline]
pub fn read_varint(
    bytes: &[u8],
    at: u64,
    order: GroupOrder,
    max_bytes: u8,
    max_bits: u32,
) -> Result<(u64, u8), ReadError> {
    let rest = usize::try_from(at).ok().and_then(|start| bytes.get(start..)).unwrap_or(&[]);
    let mut value = 0u64;
    let mut overflow = false;
    for width in 1..=max_bytes {
        let before = width.saturating_sub(1);
        let Some(&byte) = rest.get(usize::from(before)) else {
            return Err(unexpected_end(bytes, at, u64::from(width)));
        };
        let group = u64::from(byte & 0x7f);
        match order {
            GroupOrder::MsbFirst => {
                overflow |= value >> 57 != 0;
                value = (value << 7) | group;
            }
            GroupOrder::LsbFirst => {
                let shift = u32::from(before).saturating_mul(7);
                let placed = group.checked_shl(shift).unwrap_or(0);
                overflow |= placed.checked_shr(shift).unwrap_or(0) != group;
                value |= placed;
            }
        }
        if byte & 0x80 == 0 {
            if overflow || value.checked_shr(max_bits).is_some_and(|above| above != 0) {
                return Err(failed(ReadErrorKind::VarintOverflow, at));
            }
            return Ok((value, width));
        }
    }
    Err(failed(ReadErrorKind::VarintTooLong { limit: max_bytes }, at))
}

#[cold]
fn failed(kind: ReadErrorKind, at: u64) -> ReadError {
    ReadError::new(kind, at)
}

/// The width of the shortest form of `value` in bytes, 1 to 10.
///
/// ```
/// assert_eq!(formwork::algorithms::varint_width(127), 1);
/// assert_eq!(formwork::algorithms::varint_width(128), 2);
/// ```
#[inline]
#[must_use]
pub fn varint_width(value: u64) -> u8 {
    // Zero has one group as well. The quotient is at most 10.
    (u64::BITS.saturating_sub((value | 1).leading_zeros())).div_ceil(7) as u8
}

/// Appends `value` in `width` bytes: with groups of zero where the shortest form has fewer.
///
/// `false` if the shortest form has more. Nothing is appended then.
///
/// ```
/// use formwork::algorithms::{store_varint, GroupOrder};
///
/// let mut out = Vec::new();
/// assert!(store_varint(&mut out, 1, 3, GroupOrder::MsbFirst));
/// assert!(store_varint(&mut out, 1, 3, GroupOrder::LsbFirst));
/// assert_eq!(out, [0x80, 0x80, 0x01, 0x81, 0x80, 0x00]);
/// assert!(!store_varint(&mut out, 128, 1, GroupOrder::MsbFirst));
/// ```
#[must_use = "nothing is appended if this is false"]
pub fn store_varint(out: &mut Vec<u8>, value: u64, width: u8, order: GroupOrder) -> bool {
    if width < varint_width(value) {
        return false;
    }
    // The group of significance `place`, or zero above the tenth.
    let group = |place: u8| {
        let shift = u32::from(place).saturating_mul(7);
        (value.checked_shr(shift).unwrap_or(0) & 0x7f) as u8
    };
    let last = width.saturating_sub(1);
    for position in 0..width {
        let place = match order {
            GroupOrder::MsbFirst => last.saturating_sub(position),
            GroupOrder::LsbFirst => position,
        };
        let more = if position == last { 0 } else { 0x80 };
        out.push(group(place) | more);
    }
    true
}
