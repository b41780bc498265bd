//! Fields of single bits, which may begin and end within a byte.

#![deny(clippy::arithmetic_side_effects)]

use alloc::format;

use crate::error::{ReadError, ReadErrorKind};
use crate::load::{mask, slice};

/// In which order bits of a byte follow one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BitOrder {
    /// The first bit is the highest of the byte, and bits that come earlier are the more
    /// significant ones of a field. A field that spans bytes is big-endian.
    MsbFirst,
    /// The first bit is the lowest of the byte, and bits that come earlier are the less significant
    /// ones of a field. A field that spans bytes is little-endian.
    LsbFirst,
}

/// The widest field, in bits.
const WIDEST: u32 = 64;

/// Reads bit fields one behind the other.
///
/// ```
/// use formwork::algorithms::{BitOrder, BitReader};
///
/// let mut bits = BitReader::new(&[0b1010_0011, 0xff], 0, 2, BitOrder::MsbFirst);
/// assert_eq!(bits.read(3).unwrap(), 0b101);
/// assert_eq!(bits.read(5).unwrap(), 0b00011);
/// assert_eq!(bits.position(), (1, 0));
/// ```
#[derive(Debug, Clone)]
pub struct BitReader<'a> {
    /// What may be read, from the start of the input on.
    bytes: &'a [u8],
    byte: u64,
    bit: u8,
    order: BitOrder,
}

impl<'a> BitReader<'a> {
    /// Begins at the first bit of the byte at `byte_offset`, and ends before the byte at
    /// `limit_offset`, or at the end of `bytes` if that comes before. Both count in bytes from the
    /// start of `bytes`.
    #[must_use]
    pub fn new(bytes: &'a [u8], byte_offset: u64, limit_offset: u64, order: BitOrder) -> Self {
        let limit = usize::try_from(limit_offset).ok();
        let bytes = limit.and_then(|limit| bytes.get(..limit)).unwrap_or(bytes);
        BitReader { bytes, byte: byte_offset, bit: 0, order }
    }

    /// The next `width` bits (0 to 64) as an unsigned number. For a signed one, see
    /// [`sign_extend`](crate::sign_extend).
    ///
    /// # Errors
    ///
    /// `UnexpectedEnd` if fewer bits are left, in whole bytes: how many the field touches, and how
    /// many there are from the first of them on, which is also the offset. `Expression` if `width`
    /// is above 64. The position does not change then.
    pub fn read(&mut self, width: u32) -> Result<u64, ReadError> {
        if width > WIDEST {
            return Err(too_wide(width, self.byte));
        }
        let end = u32::from(self.bit).saturating_add(width);
        // At most nine bytes: seven bits before the field, and 64 in it.
        let field = slice(self.bytes, self.byte, u64::from(end.div_ceil(8)))?;
        let value = match self.order {
            BitOrder::MsbFirst => {
                let word = field.iter().fold(0u128, |word, &byte| (word << 8) | u128::from(byte));
                word >> (end.wrapping_neg() & 7)
            }
            BitOrder::LsbFirst => {
                let bytes = field.iter().rev();
                let word = bytes.fold(0u128, |word, &byte| (word << 8) | u128::from(byte));
                word >> self.bit
            }
        };
        // The slice lies in memory, so its end is far below `u64::MAX`. The masks below leave what
        // fits.
        self.byte = self.byte.saturating_add(u64::from(end >> 3));
        self.bit = (end & 7) as u8;
        Ok(value as u64 & mask(width))
    }

    /// Where the next field begins: the byte, from the start of the input, and how many of its bits
    /// were read, 0 to 7.
    #[must_use]
    pub fn position(&self) -> (u64, u8) {
        (self.byte, self.bit)
    }

    /// How many bits are left before the limit.
    #[must_use]
    pub fn remaining(&self) -> u64 {
        let bytes = (self.bytes.len() as u64).saturating_sub(self.byte);
        bytes.saturating_mul(8).saturating_sub(u64::from(self.bit))
    }

    /// Reads the bits up to the next whole byte as an unsigned number: 0 if a field just ended there.
    pub fn rest(&mut self) -> u64 {
        // A byte of which bits were read is there.
        self.read(u32::from(self.bit.wrapping_neg() & 7)).unwrap_or(0)
    }
}

#[cold]
fn too_wide(width: u32, at: u64) -> ReadError {
    let message = format!("a bit field has at most 64 bits, not {width}").into();
    ReadError::new(ReadErrorKind::Expression { message }, at)
}
