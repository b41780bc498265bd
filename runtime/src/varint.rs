//! Variable-length integers: groups of 7 bits, one per byte, with bit 7 set in all bytes but the
//! last.

#![deny(clippy::arithmetic_side_effects)]

use alloc::vec::Vec;

use formwork_model::{Varint, VarintSign};

use crate::error::{ReadError, ReadErrorKind};
use crate::load::unexpected_end;
use crate::store::fits;

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

/// Most bytes of a number of 64 bits, of which the last may have a bit more.
const MOST: u8 = 10;

/// The number at offset `at` of a kind of variable-length integer, and its width in bytes, as
/// [`read_varint`] has it.
pub(crate) fn read_number(varint: &Varint, bytes: &[u8], at: u64) -> Result<(i128, u8), ReadError> {
    let (number, width) = read_any_width(varint, bytes, at)?;
    if varint.shortest {
        let shortest = number_width(varint, number);
        if width != shortest {
            return Err(failed(ReadErrorKind::VarintNotShortest { width, shortest }, at));
        }
    }
    Ok((number, width))
}

fn read_any_width(varint: &Varint, bytes: &[u8], at: u64) -> Result<(i128, u8), ReadError> {
    let bits = u32::from(varint.ty.bytes).saturating_mul(8);
    if varint.is_plain() {
        let read = read_varint(bytes, at, varint.order.into(), varint.max_bytes, bits)?;
        return Ok((read.0.into(), read.1));
    }
    let rest = usize::try_from(at).ok().and_then(|start| bytes.get(start..)).unwrap_or(&[]);
    let mut stored = 0_u128;
    let mut room = 0_u32;
    for width in 1..=varint.max_bytes.min(MOST) {
        let Some(&byte) = rest.get(usize::from(width.saturating_sub(1))) else {
            return Err(unexpected_end(bytes, at, u64::from(width)));
        };
        let before = room;
        room = varint.room(width);
        let wide = room.saturating_sub(before);
        let group = u128::from(if wide > 7 { byte } else { byte & 0x7f });
        // There are at most 71 bits.
        stored = match varint.order.into() {
            GroupOrder::MsbFirst => stored.checked_shl(wide).unwrap_or(0) | group,
            GroupOrder::LsbFirst => stored | group.checked_shl(before).unwrap_or(0),
        };
        if wide > 7 || byte & 0x80 == 0 {
            return match meant(varint, stored, room).filter(|n| fits(*n, bits, varint.ty.signed)) {
                Some(number) => Ok((number, width)),
                None => Err(failed(ReadErrorKind::VarintOverflow, at)),
            };
        }
    }
    Err(failed(ReadErrorKind::VarintTooLong { limit: varint.max_bytes }, at))
}

/// The number that bits mean, of which there are so many.
fn meant(varint: &Varint, stored: u128, room: u32) -> Option<i128> {
    let number = i128::try_from(stored).ok()?;
    match varint.sign {
        _ if !varint.ty.signed => Some(number),
        VarintSign::Twos => {
            let above = i128::BITS.saturating_sub(room);
            number.checked_shl(above)?.checked_shr(above)
        }
        VarintSign::Zigzag => Some((number >> 1) ^ (number & 1).wrapping_neg()),
    }
}

/// What stands in the groups for a number.
fn grouped(varint: &Varint, number: i128) -> i128 {
    match varint.sign {
        VarintSign::Zigzag if varint.ty.signed => (number << 1) ^ (number >> 127),
        _ => number,
    }
}

/// The width of the shortest form of a number in bytes; more than the kind allows if there is no room
/// for it.
pub(crate) fn number_width(varint: &Varint, number: i128) -> u8 {
    if let (true, Ok(number)) = (varint.is_plain(), u64::try_from(number)) {
        return varint_width(number);
    }
    let stored = grouped(varint, number);
    let signed = varint.ty.signed && varint.sign == VarintSign::Twos;
    let most = varint.max_bytes.min(MOST);
    let enough = |width: &u8| fits(stored, varint.room(*width), signed);
    (1..=most).find(enough).unwrap_or(most.saturating_add(1))
}

/// Appends a number in `width` bytes. `false` if the shortest form has more, or the kind of number has
/// no room for it; nothing is appended then.
#[must_use = "nothing is appended if this is false"]
pub(crate) fn store_number(varint: &Varint, out: &mut Vec<u8>, number: i128, width: u8) -> bool {
    let bits = u32::from(varint.ty.bytes).saturating_mul(8);
    let possible = number_width(varint, number)..=varint.max_bytes.min(MOST);
    if !possible.contains(&width) || !fits(number, bits, varint.ty.signed) {
        return false;
    }
    if let (true, Ok(number)) = (varint.is_plain(), u64::try_from(number)) {
        return store_varint(out, number, width, varint.order.into());
    }
    let stored = grouped(varint, number);
    let room = varint.room(width);
    let mut before = 0;
    for position in 1..=width {
        let up_to = varint.room(position).min(room);
        let wide = up_to.saturating_sub(before);
        let from = match varint.order.into() {
            GroupOrder::MsbFirst => room.saturating_sub(up_to),
            GroupOrder::LsbFirst => before,
        };
        let group = (stored.checked_shr(from).unwrap_or(0) & 0xff) as u8;
        out.push(match wide {
            8.. => group,
            _ if position == width => group & 0x7f,
            _ => group | 0x80,
        });
        before = up_to;
    }
    true
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
