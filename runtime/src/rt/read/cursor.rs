//! Where a reader is, and up to where it may read.

use super::prelude::*;

/// Where the next row is read, and up to where.
#[derive(Debug, Clone)]
pub struct Cursor<'i> {
    /// Address of the next byte.
    pub at: u64,
    /// Address behind the last byte that may be read.
    pub limit: u64,
    /// Bits of the byte at `at` that were read already.
    pub bits: Option<BitReader<'i>>,
    /// Whether the limit follows from something else than what is read here.
    pub room: bool,
}

impl<'i> Cursor<'i> {
    /// A cursor without room.
    #[must_use]
    #[inline]
    pub fn new(at: u64, limit: u64) -> Self {
        Cursor { at, limit, bits: None, room: false }
    }

    /// A cursor for something inside what this one reads.
    #[must_use]
    #[inline]
    pub fn inside(&self, at: u64, limit: u64) -> Self {
        Cursor { at, limit, bits: None, room: self.room }
    }

    /// Goes on at the next whole byte.
    #[inline]
    pub fn align_bits(&mut self) {
        if let Some(mut bits) = self.bits.take() {
            self.at = bits.align();
        }
    }

    /// Bytes up to the limit.
    #[must_use]
    #[inline]
    pub fn remaining(&self) -> u64 {
        self.limit.saturating_sub(self.at)
    }

    /// Address behind the last bit that was read.
    #[must_use]
    pub fn position(&self) -> u64 {
        match &self.bits {
            Some(bits) => {
                let (byte, bit) = bits.position();
                byte.saturating_add(u64::from(bit > 0))
            }
            None => self.at,
        }
    }
}

#[cold]
pub(super) fn unexpected(cursor: &Cursor<'_>, needed: u64) -> ReadError {
    let remaining = cursor.remaining();
    ReadError::new(ReadErrorKind::UnexpectedEnd { needed, remaining }, cursor.at)
}

/// The block of a record without a node.
///
/// # Errors
///
/// `UnexpectedEnd`.
#[inline]
pub fn block<'i>(core: &Core<'i>, cursor: &mut Cursor<'i>, size: u64) -> Read<&'i [u8]> {
    cursor.align_bits();
    if size > cursor.remaining() {
        return Err(unexpected(cursor, size));
    }
    crate::slice(core.bytes, cursor.at, size)
}

/// A cursor at a row of the fixed block.
///
/// # Errors
///
/// `UnexpectedEnd` if that is beyond the limit.
#[inline]
pub fn row_at<'i>(base: u64, offset: u64, limit: u64) -> Read<Cursor<'i>> {
    match base.checked_add(offset).filter(|at| *at <= limit) {
        Some(at) => Ok(Cursor::new(at, limit)),
        None => {
            let remaining = limit.saturating_sub(base);
            Err(ReadError::new(ReadErrorKind::UnexpectedEnd { needed: offset, remaining }, base))
        }
    }
}

/// The error of bytes that are left over.
#[cold]
pub fn trailing(cursor: &Cursor<'_>) -> ReadError {
    let remaining = cursor.remaining();
    ReadError::new(ReadErrorKind::TrailingBytes { remaining }, cursor.at)
}

/// A cursor for the next element of a stride.
///
/// # Errors
///
/// `UnexpectedEnd`.
pub fn stride<'i>(cursor: &Cursor<'i>, stride: u64) -> Read<Cursor<'i>> {
    if stride > cursor.remaining() {
        return Err(unexpected(cursor, stride));
    }
    let mut inner = Cursor::new(cursor.at, cursor.at.saturating_add(stride));
    inner.room = true;
    Ok(inner)
}

/// Makes sure that all of a region was read.
///
/// # Errors
///
/// `TrailingBytes`.
pub fn exactly(inner: &mut Cursor<'_>) -> Read<()> {
    inner.align_bits();
    if inner.at < inner.limit {
        return Err(trailing(inner));
    }
    Ok(())
}

/// End of a region of known size.
///
/// # Errors
///
/// `UnexpectedEnd`.
pub fn sized(cursor: &Cursor<'_>, size: u64) -> Read<u64> {
    if size > cursor.remaining() {
        return Err(unexpected(cursor, size));
    }
    Ok(cursor.at.saturating_add(size))
}

/// End of a region that ends at an address.
///
/// # Errors
///
/// `PointerOutOfBounds`.
pub fn ending(cursor: &Cursor<'_>, end: u64) -> Read<u64> {
    if end > cursor.limit || end < cursor.at {
        let kind = ReadErrorKind::PointerOutOfBounds { target: end.into() };
        return Err(ReadError::new(kind, cursor.at));
    }
    Ok(end)
}

/// The bytes of numbers that stand one behind the other.
///
/// # Errors
///
/// `UnexpectedEnd` for the first that does not fit.
#[inline]
pub fn bulk<'i>(
    core: &mut Core<'i>,
    cursor: &mut Cursor<'i>,
    count: u64,
    width: u8,
) -> Read<&'i [u8]> {
    let width = u64::from(width);
    match count.checked_mul(width) {
        Some(size) if size <= cursor.remaining() => {
            core.charge(count.saturating_mul(4), cursor.at)?;
            core.take(cursor, size)
        }
        _ => {
            let fit = cursor.remaining().checked_div(width).unwrap_or(0);
            cursor.at = cursor.at.saturating_add(fit.saturating_mul(width));
            let index = usize::try_from(fit).unwrap_or(usize::MAX);
            Err(unexpected(cursor, width).in_index(index))
        }
    }
}

/// The members of a string pool end on a multiple.
///
/// # Errors
///
/// `NotZero`.
pub fn pad<'i>(core: &Core<'i>, cursor: &mut Cursor<'i>, pad: u64) -> Read<()> {
    let padded =
        cursor.at.checked_next_multiple_of(pad.max(1)).unwrap_or(u64::MAX).min(cursor.limit);
    let at = cursor.at;
    let fill = core.take(cursor, padded.saturating_sub(at))?;
    if fill.iter().any(|b| *b != 0) {
        return Err(ReadError::new(ReadErrorKind::NotZero, at));
    }
    Ok(())
}

/// Bytes from here to the end of the region, which are zero. Also says how many.
///
/// # Errors
///
/// `NotZero`.
pub fn zeros<'i>(core: &Core<'i>, cursor: &mut Cursor<'i>) -> Read<u64> {
    let at = cursor.at;
    let size = cursor.remaining();
    let bytes = core.take(cursor, size)?;
    if let Some(index) = bytes.iter().position(|b| *b != 0) {
        return Err(ReadError::new(ReadErrorKind::NotZero, at.saturating_add(index as u64)));
    }
    Ok(size)
}

/// The bytes that a union's tag takes, patterns included.
///
/// # Errors
///
/// `UnexpectedEnd`.
pub fn skip_tag<'i>(cursor: &mut Cursor<'i>, size: u64) -> Read<()> {
    if size > cursor.remaining() {
        return Err(unexpected(cursor, size));
    }
    cursor.at = cursor.at.saturating_add(size);
    Ok(())
}

/// The error of an element without bytes in an array that fills a region.
#[cold]
pub fn empty_element(at: u64) -> ReadError {
    expression("an element has no bytes", at)
}
