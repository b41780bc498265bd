//! Bytes as text.

use super::prelude::*;

/// Text of one byte a unit.
///
/// # Errors
///
/// `InvalidText`.
#[inline]
pub fn utf8(bytes: &[u8], at: u64) -> Read<&str> {
    crate::checked_str(bytes).ok_or_else(|| invalid("utf8", at))
}

/// Text of seven bits a unit.
///
/// # Errors
///
/// `InvalidText`.
pub fn ascii(bytes: &[u8], at: u64) -> Read<&str> {
    match crate::checked_str(bytes) {
        Some(text) if bytes.is_ascii() => Ok(text),
        _ => Err(invalid("ascii", at)),
    }
}

/// Text of 16 bits a unit.
///
/// # Errors
///
/// `InvalidText` if half a unit is left over.
pub fn utf16(bytes: &[u8], big: bool, at: u64) -> Read<Vec<u16>> {
    if bytes.len() % 2 != 0 {
        return Err(invalid("utf16", at));
    }
    let unit = |pair: &[u8]| {
        let pair = [pair.first().copied().unwrap_or(0), pair.last().copied().unwrap_or(0)];
        if big {
            u16::from_be_bytes(pair)
        } else {
            u16::from_le_bytes(pair)
        }
    };
    Ok(bytes.chunks_exact(2).map(unit).collect())
}

/// Text of 32 bits a unit.
///
/// # Errors
///
/// `InvalidText`.
pub fn utf32(bytes: &[u8], big: bool, at: u64) -> Read<String> {
    if bytes.len() % 4 != 0 {
        return Err(invalid("utf32", at));
    }
    let text: Option<String> = bytes
        .chunks_exact(4)
        .map(|unit| u32::try_from(load(unit, 0, 4, big)).ok().and_then(char::from_u32))
        .collect();
    text.ok_or_else(|| invalid("utf32", at))
}

#[cold]
fn invalid(encoding: &'static str, at: u64) -> ReadError {
    ReadError::new(ReadErrorKind::InvalidText { encoding }, at)
}

/// The byte order that a mark says.
///
/// # Errors
///
/// `UndecidedByteOrder`.
pub fn byte_order_mark(bytes: &[u8], at: u64) -> Read<Endian> {
    match bytes {
        [0xff, 0xfe] => Ok(Endian::Little),
        [0xfe, 0xff] => Ok(Endian::Big),
        other => {
            let actual = hex(other).into();
            Err(ReadError::new(ReadErrorKind::UndecidedByteOrder { actual }, at))
        }
    }
}
