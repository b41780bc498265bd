//! Numbers and texts as a straight writer stores them.

use alloc::borrow::Cow;

use super::{holds, Cut, Ink, Odd, Stop, Straight, Terminated};
use crate::ends::find_byte;
use crate::{GroupOrder, KeptKind, KeptValue, Spelling};

/// Stores the low `W` bytes of a number in a block, lowest first.
#[inline(always)]
pub fn set<const W: usize>(block: &mut [u8], at: usize, number: u64) {
    if let (Some(place), Some(bytes)) =
        (block.get_mut(at..).and_then(|rest| rest.get_mut(..W)), number.to_le_bytes().get(..W))
    {
        place.copy_from_slice(bytes);
    }
}

/// Stores the low `W` bytes of a number in a block, highest first.
#[inline(always)]
pub fn set_big<const W: usize>(block: &mut [u8], at: usize, number: u64) {
    let bytes = number.to_be_bytes();
    if let (Some(place), Some(bytes)) = (
        block.get_mut(at..).and_then(|rest| rest.get_mut(..W)),
        bytes.get(8_usize.wrapping_sub(W)..),
    ) {
        place.copy_from_slice(bytes);
    }
}

/// Stores bytes in a block.
#[inline(always)]
pub fn set_bytes(block: &mut [u8], at: usize, bytes: &[u8]) {
    if let Some(place) = block.get_mut(at..).and_then(|rest| rest.get_mut(..bytes.len())) {
        place.copy_from_slice(bytes);
    }
}

/// Stores content in a room of `size` bytes in a block, and what stands behind it.
///
/// # Errors
///
/// If there is no room, or a reader would find other content.
#[inline]
pub fn fill_room(
    block: &mut [u8],
    at: usize,
    size: usize,
    content: &[u8],
    cut: Cut<'_>,
) -> Straight<()> {
    let tail = cut.tail(content, Some(size)).ok_or(Odd)?;
    let room = block.get_mut(at..).and_then(|rest| rest.get_mut(..size)).ok_or(Odd)?;
    for (place, byte) in room.iter_mut().zip(content.iter().copied().chain(tail.bytes())) {
        *place = byte;
    }
    holds(cut.length(room) == content.len())
}

/// A number of so many bits, in two's complement.
///
/// # Errors
///
/// If it does not fit.
#[inline(always)]
pub fn bits(number: i128, width: u32, signed: bool) -> Straight<u64> {
    let (low, high) = if signed {
        (-(1_i128 << (width - 1)), (1_i128 << (width - 1)) - 1)
    } else {
        (0, (1_i128 << width) - 1)
    };
    if number < low || number > high {
        return Err(Odd);
    }
    Ok(number as u64)
}

/// Stores a number in `W` bytes of a block, lowest first.
///
/// # Errors
///
/// If it does not fit.
#[inline(always)]
pub fn set_unsigned<const W: usize>(block: &mut [u8], at: usize, number: i128) -> Straight<()> {
    set::<W>(block, at, bits(number, 8 * W as u32, false)?);
    Ok(())
}

/// Stores a number in `W` bytes of a block, in two's complement, lowest first.
///
/// # Errors
///
/// If it does not fit.
#[inline(always)]
pub fn set_signed<const W: usize>(block: &mut [u8], at: usize, number: i128) -> Straight<()> {
    set::<W>(block, at, bits(number, 8 * W as u32, true)?);
    Ok(())
}

/// Stores a number in `W` bytes of a block, highest first.
///
/// # Errors
///
/// If it does not fit.
#[inline(always)]
pub fn set_big_unsigned<const W: usize>(block: &mut [u8], at: usize, number: i128) -> Straight<()> {
    set_big::<W>(block, at, bits(number, 8 * W as u32, false)?);
    Ok(())
}

/// Stores a number in `W` bytes of a block, in two's complement, highest first.
///
/// # Errors
///
/// If it does not fit.
#[inline(always)]
pub fn set_big_signed<const W: usize>(block: &mut [u8], at: usize, number: i128) -> Straight<()> {
    set_big::<W>(block, at, bits(number, 8 * W as u32, true)?);
    Ok(())
}

/// Bits of a pattern that a letter's number sets; `places` are the bits from the highest down.
#[inline]
pub fn letter(number: i128, places: &[u32]) -> Straight<u128> {
    let number = bits(number, places.len() as u32, false)?;
    let mut sum = 0;
    for (place, bit) in (0..places.len()).rev().zip(places) {
        if number.checked_shr(place as u32).unwrap_or(0) & 1 == 1 {
            sum |= 1_u128.checked_shl(*bit).unwrap_or(0);
        }
    }
    Ok(sum)
}

/// The width in bytes that a number of variable width had in a file, and the shortest one then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Width {
    stored: u8,
    instead_of: u8,
}

impl Width {
    /// As short as possible.
    pub const SHORTEST: Width = Width { stored: 0, instead_of: 0 };

    /// As the number in a row was.
    #[inline]
    pub fn of(spelling: &Spelling, row: u16) -> Width {
        if spelling.is_canonical() {
            Width::SHORTEST
        } else {
            Width::kept(spelling, row)
        }
    }

    #[cold]
    fn kept(spelling: &Spelling, row: u16) -> Width {
        let entry = spelling.find(row, None, KeptKind::Width);
        match entry.map(|entry| (&entry.stored, &entry.instead_of)) {
            Some((KeptValue::Int(stored), KeptValue::Int(instead_of))) => {
                match (u8::try_from(*stored), u8::try_from(*instead_of)) {
                    (Ok(stored), Ok(instead_of)) => Width { stored, instead_of },
                    _ => Width::SHORTEST,
                }
            }
            _ => Width::SHORTEST,
        }
    }

    /// The width for a number: as it was, if the shortest one still is what it was instead of.
    fn width(self, number: u64, most: u8) -> u8 {
        let shortest = crate::varint_width(number);
        if self.instead_of == shortest && (shortest..=most).contains(&self.stored) {
            self.stored
        } else {
            shortest
        }
    }
}

/// Whether a spelling has nothing but what is kept of these rows, and perhaps a form; `nones`: rows of
/// which numbers for nothing are kept, also of elements.
#[inline]
pub fn is_kept(spelling: &Spelling, rows: &[u16], nones: &[u16], form: bool) -> bool {
    spelling.is_canonical()
        || spelling.entries().iter().all(|entry| match entry.kind {
            KeptKind::Width | KeptKind::Reserved | KeptKind::Digits => {
                entry.index.is_none() && rows.contains(&entry.row)
            }
            KeptKind::Number => nones.contains(&entry.row),
            KeptKind::Form => form && entry.index.is_none() && entry.row == Spelling::WHOLE,
            _ => false,
        })
}

/// The form that a file had, if the first that can say the value is still what it was instead of.
#[inline]
pub fn kept_form(spelling: &Spelling, first: usize) -> Option<usize> {
    if spelling.is_canonical() {
        return None;
    }
    let entry = spelling.find(Spelling::WHOLE, None, KeptKind::Form)?;
    match (&entry.stored, &entry.instead_of) {
        (KeptValue::Int(stored), KeptValue::Int(instead_of))
            if usize::try_from(*instead_of) == Ok(first) =>
        {
            usize::try_from(*stored).ok()
        }
        _ => None,
    }
}

/// A text or bytes, as bytes.
pub trait Chars {
    /// All of them.
    fn chars(&self) -> &[u8];
}

impl Chars for [u8] {
    #[inline]
    fn chars(&self) -> &[u8] {
        self
    }
}

impl Chars for str {
    #[inline]
    fn chars(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl Chars for Cow<'_, str> {
    #[inline]
    fn chars(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl Chars for Cow<'_, [u8]> {
    #[inline]
    fn chars(&self) -> &[u8] {
        self
    }
}

impl Ink<'_> {
    /// Appends a number of variable length.
    ///
    /// # Errors
    ///
    /// If it has more bits or bytes than it may have.
    #[inline]
    pub fn varint(
        &mut self,
        number: Option<i128>,
        width: u32,
        most: u8,
        order: GroupOrder,
        kept: Width,
    ) -> Straight<()> {
        let number = bits(number.ok_or(Odd)?, width, false)?;
        if number < 0x80 && kept == Width::SHORTEST {
            self.out.push(number as u8);
            return Ok(());
        }
        let width = kept.width(number, most);
        if width > most || !crate::store_varint(&mut self.out, number, width, order) {
            return Err(Odd);
        }
        Ok(())
    }

    /// Puts a number of variable length in place of the one byte that was written for it. What is
    /// behind makes room.
    ///
    /// # Errors
    ///
    /// If it has more bits or bytes than it may have, or if addresses of what is behind were used.
    #[inline]
    pub fn varint_before(
        &mut self,
        (at, pinned): (u64, usize),
        number: Option<i128>,
        width: u32,
        most: u8,
        order: GroupOrder,
        kept: Width,
    ) -> Straight<()> {
        let number = bits(number.ok_or(Odd)?, width, false)?;
        self.closed();
        let at = self.place(at);
        if number < 0x80 && kept == Width::SHORTEST {
            *self.out.get_mut(at).ok_or(Odd)? = number as u8;
            return Ok(());
        }
        let width = kept.width(number, most);
        let more = usize::from(width).saturating_sub(1);
        if width > most || more > 0 && self.pinned() != pinned {
            return Err(Odd);
        }
        let end = self.out.len();
        if at >= end || !crate::store_varint(&mut self.out, number, width, order) {
            return Err(Odd);
        }
        // The number stands behind everything now. Its bytes take the way to the front.
        let mut bytes = [0; 16];
        let bytes = bytes.get_mut(..=more).ok_or(Odd)?;
        bytes.copy_from_slice(self.out.get(end..).ok_or(Odd)?);
        self.out.truncate(end + more);
        self.out.copy_within(at + 1..end, at + 1 + more);
        self.out.get_mut(at..=at + more).ok_or(Odd)?.copy_from_slice(bytes);
        Ok(())
    }

    /// A place for [`Ink::varint_before`].
    #[inline]
    pub fn varint_place(&mut self) -> (u64, usize) {
        self.opened();
        let place = (self.here(), self.pinned());
        self.out.push(0);
        place
    }

    /// Appends a text with its length in `W` bytes before it, and what ends it.
    ///
    /// # Errors
    ///
    /// If the length does not fit.
    #[inline]
    pub fn text<const W: usize>(&mut self, text: &[u8], big: bool, suffix: &[u8]) -> Straight<()> {
        let length = text.len() as u64;
        if W < 8 && length >> (8 * W) != 0 {
            return Err(Odd);
        }
        // Most texts are short: one question whether there is room is enough.
        self.out.reserve(W + text.len() + suffix.len());
        let mut head = [0; W];
        if big {
            set_big::<W>(&mut head, 0, length);
        } else {
            set::<W>(&mut head, 0, length);
        }
        self.out.extend_from_slice(&head);
        self.out.extend_from_slice(text);
        self.out.extend_from_slice(suffix);
        Ok(())
    }

    /// Appends content and what ends it.
    ///
    /// # Errors
    ///
    /// If a reader would find other content.
    #[inline]
    pub fn ended(&mut self, content: &[u8], stop: Stop<'_>) -> Straight<()> {
        holds(stop.ends(content))?;
        self.out.extend_from_slice(content);
        if stop.mode == Terminated::Dropped {
            self.out.extend_from_slice(stop.bytes);
        }
        Ok(())
    }

    /// Appends content and the byte that ends it, which is not part of it.
    ///
    /// # Errors
    ///
    /// If a reader would find other content.
    #[inline]
    pub fn ended_by(&mut self, content: &[u8], byte: u8) -> Straight<()> {
        holds(find_byte(content, byte).is_none())?;
        self.out.reserve(content.len().saturating_add(1));
        self.out.extend_from_slice(content);
        self.out.push(byte);
        Ok(())
    }

    /// Appends units of 16 bits.
    ///
    /// # Errors
    ///
    /// If the file gets too large.
    pub fn units(&mut self, units: &[u16], big: bool) -> Straight<()> {
        let place = self.grow(units.len(), 2)?;
        for (place, unit) in place.chunks_exact_mut(2).zip(units) {
            place.copy_from_slice(&if big { unit.to_be_bytes() } else { unit.to_le_bytes() });
        }
        Ok(())
    }

    /// Appends numbers of `W` bytes, lowest first.
    ///
    /// # Errors
    ///
    /// If the file gets too large.
    #[inline]
    pub fn numbers<const W: usize>(
        &mut self,
        numbers: impl ExactSizeIterator<Item = u64>,
    ) -> Straight<()> {
        let place = self.grow(numbers.len(), W)?;
        for (place, number) in place.chunks_exact_mut(W).zip(numbers) {
            set::<W>(place, 0, number);
        }
        Ok(())
    }

    /// Appends numbers of `W` bytes, highest first.
    ///
    /// # Errors
    ///
    /// If the file gets too large.
    #[inline]
    pub fn numbers_big<const W: usize>(
        &mut self,
        numbers: impl ExactSizeIterator<Item = u64>,
    ) -> Straight<()> {
        let place = self.grow(numbers.len(), W)?;
        for (place, number) in place.chunks_exact_mut(W).zip(numbers) {
            set_big::<W>(place, 0, number);
        }
        Ok(())
    }
}
