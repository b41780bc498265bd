//! Numbers and bits in the buffer.

use super::Writing;
use crate::{store_varint, varint_width, Endian, GroupOrder};

/// Next free byte, and bits of it that are taken.
#[derive(Debug, Clone, Copy)]
pub struct Spot {
    /// The byte.
    pub at: u64,
    /// Bits of it.
    pub bit: u8,
}

impl Spot {
    /// At the beginning of a byte.
    #[inline]
    #[must_use]
    pub fn new(at: u64) -> Spot {
        Spot { at, bit: 0 }
    }

    /// Goes on to the next byte if bits of this one are taken.
    #[inline]
    pub fn align(&mut self) {
        if self.bit > 0 {
            self.at = self.at.saturating_add(1);
            self.bit = 0;
        }
    }

    /// Address behind what is taken.
    #[inline]
    #[must_use]
    pub fn end(&self) -> u64 {
        self.at.saturating_add(u64::from(self.bit > 0))
    }

    /// Takes bytes.
    #[inline]
    pub fn skip(&mut self, bytes: u64) {
        self.at = self.at.saturating_add(bytes);
    }

    /// Takes bits.
    #[inline]
    pub fn skip_bits(&mut self, width: u8) {
        let bits = u64::from(self.bit) + u64::from(width);
        self.at = self.at.saturating_add(bits / 8);
        self.bit = (bits % 8) as u8;
    }
}

/// The low 64 bits, in two's complement.
#[inline]
#[must_use]
pub fn low(n: i128) -> u64 {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // That is what is meant.
    let low = n as u64;
    low
}

/// Bits `first` to `last` of a word, for a number.
#[inline]
#[must_use]
pub fn bits_of(n: i128, first: u8, last: u8) -> u64 {
    let width = u32::from(last.saturating_sub(first)) + 1;
    let mask = if width >= 64 { u64::MAX } else { (1_u64 << width) - 1 };
    (low(n) & mask) << (first & 63)
}

/// A number made of the bits at these positions, most significant first.
#[must_use]
pub fn sum_bits(value: u64, positions: &[u8]) -> u128 {
    let mut number = 0;
    let count = positions.len();
    for (place, bit) in positions.iter().enumerate() {
        let source = u32::try_from(count - 1 - place).unwrap_or(u32::MAX);
        if value.checked_shr(source).unwrap_or(0) & 1 == 1 {
            number |= 1_u128.checked_shl((*bit).into()).unwrap_or(0);
        }
    }
    number
}

/// Stores the low bytes of a number; `false` if the buffer ends before.
#[inline]
pub fn store(out: &mut [u8], at: u64, width: usize, order: Endian, n: u64) -> bool {
    let place = usize::try_from(at).ok().and_then(|at| out.get_mut(at..)?.get_mut(..width));
    let Some(place) = place else { return false };
    match order {
        Endian::Little => {
            for (place, byte) in place.iter_mut().zip(n.to_le_bytes()) {
                *place = byte;
            }
        }
        Endian::Big => {
            for (place, byte) in place.iter_mut().rev().zip(n.to_le_bytes()) {
                *place = byte;
            }
        }
    }
    true
}

/// Sets bits of a buffer that are zero.
pub fn put_bits(out: &mut [u8], spot: Spot, width: u8, msb_first: bool, value: u64) {
    for index in 0..width {
        let position = u64::from(spot.bit) + u64::from(index);
        let byte = spot.at.saturating_add(position / 8);
        let within = (position % 8) as u8;
        let (source, target) =
            if msb_first { (width - 1 - index, 7 - within) } else { (index, within) };
        if value.checked_shr(source.into()).unwrap_or(0) & 1 == 1 {
            if let Some(byte) = usize::try_from(byte).ok().and_then(|byte| out.get_mut(byte)) {
                *byte |= 1 << target;
            }
        }
    }
}

impl Writing<'_> {
    /// Writes bytes.
    #[inline]
    pub fn put(&mut self, at: u64, bytes: &[u8]) {
        let place =
            usize::try_from(at).ok().and_then(|at| self.out.get_mut(at..)?.get_mut(..bytes.len()));
        if let Some(place) = place {
            place.copy_from_slice(bytes);
        }
    }

    /// Writes a number.
    #[inline]
    pub fn int(&mut self, at: u64, width: usize, order: Endian, n: u64) {
        store(&mut self.out, at, width, order, n);
    }

    /// Writes a variable-length integer; `false` if it does not fit.
    pub fn varint(&mut self, at: u64, n: u64, width: u8, most: u8, order: GroupOrder) -> bool {
        let mut bytes = alloc::vec::Vec::new();
        if width > most || !store_varint(&mut bytes, n, width, order) {
            return false;
        }
        self.put(at, &bytes);
        true
    }

    /// Makes room in the buffer for content that is looked at while it is placed.
    pub fn reserve(&mut self, end: u64) {
        if let Ok(end) = usize::try_from(end) {
            if self.out.len() < end {
                self.out.resize(end, 0);
            }
        }
    }

    /// Bytes that were written.
    #[must_use]
    pub fn written(&self, from: u64, to: u64) -> alloc::vec::Vec<u8> {
        let range = usize::try_from(from).ok().zip(usize::try_from(to).ok());
        range
            .and_then(|(from, to)| self.out.get(from..to))
            .map_or_else(Default::default, Into::into)
    }
}

/// Least width of a variable-length integer in bytes.
#[must_use]
pub fn shortest(n: u64) -> u8 {
    varint_width(n)
}
