//! Stores numbers into a slice, and tells whether a number fits a field.

#![deny(clippy::arithmetic_side_effects)]

use crate::load::Endian;

/// Stores `value` as a number of `width` bytes (1 to 8) at offset `at`. A negative number is given
/// in two's complement, with all bits above `width` set.
///
/// `false` if the field does not lie within `out`, if `value` does not fit `width` bytes as an
/// unsigned or a signed number, or if `width` is not 1 to 8. Nothing is stored then.
///
/// ```
/// use formwork::Endian;
/// use formwork::algorithms::store_uint;
///
/// let mut out = [0; 4];
/// assert!(store_uint(&mut out, 1, 3, Endian::Big, 0x123456));
/// assert_eq!(out, [0x00, 0x12, 0x34, 0x56]);
/// assert!(!store_uint(&mut out, 0, 1, Endian::Big, 0x100));
/// ```
#[inline]
#[must_use = "nothing is stored if this is false"]
pub fn store_uint(out: &mut [u8], at: u64, width: u8, endian: Endian, value: u64) -> bool {
    let field = usize::try_from(at).ok().and_then(|start| out.get_mut(start..));
    let field = field.and_then(|rest| rest.get_mut(..usize::from(width)));
    field.is_some_and(|field| fill_uint(field, endian, value))
}

/// Stores `value` over all of `field`, which has 1 to 8 bytes. `false`, and nothing is stored, if
/// it does not fit.
#[inline]
pub(crate) fn fill_uint(field: &mut [u8], endian: Endian, value: u64) -> bool {
    if field.is_empty() || field.len() > 8 {
        return false;
    }
    // At most 64, so neither the product nor the conversion can fail.
    let bits = (field.len() as u32).saturating_mul(8);
    if low_bits(value, bits).is_none() {
        return false;
    }
    match endian {
        Endian::Little => copy(field.iter_mut(), value),
        Endian::Big => copy(field.iter_mut().rev(), value),
    }
    true
}

#[inline]
fn copy<'a>(places: impl Iterator<Item = &'a mut u8>, value: u64) {
    for (place, byte) in places.zip(value.to_le_bytes()) {
        *place = byte;
    }
}

/// The low `bits` bits of `value`, or `None` if the others say more than that the number is not
/// negative, or that it is. Also `None` if `bits` is above 64.
#[inline]
pub(crate) fn low_bits(value: u64, bits: u32) -> Option<u64> {
    match bits {
        0 => (value == 0).then_some(0),
        1..=63 => {
            let above = value >> bits;
            let low = value & !(u64::MAX << bits);
            let negative = (low >> bits.saturating_sub(1)) == 1 && above == u64::MAX >> bits;
            (above == 0 || negative).then_some(low)
        }
        64 => Some(value),
        _ => None,
    }
}

/// Whether an integer of `bits` bits can hold `value`, in two's complement if it is `signed`. 0
/// bits hold 0 only.
///
/// ```
/// use formwork::algorithms::fits;
///
/// assert!(fits(255, 8, false));
/// assert!(!fits(-1, 8, false));
/// assert!(fits(-128, 8, true));
/// assert!(!fits(128, 8, true));
/// ```
#[inline]
#[must_use]
pub fn fits(value: i128, bits: u32, signed: bool) -> bool {
    match (bits, signed) {
        (0, _) => value == 0,
        (1..=127, true) => {
            // What is above the sign bit must repeat it.
            let above = value >> bits.saturating_sub(1);
            above == 0 || above == -1
        }
        (_, true) => true,
        (1..=126, false) => value >> bits == 0,
        (_, false) => value >= 0,
    }
}
