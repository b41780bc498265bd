//! Where the content of a region ends.

use super::prelude::*;

/// Bytes that end something.
#[derive(Debug)]
pub struct Terminator {
    /// Not empty.
    pub bytes: &'static [u8],
    /// What happens to it.
    pub mode: Terminated,
    /// Whether the end of the region around may stand for it.
    pub optional: bool,
}

/// What becomes of a [`Terminator`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Terminated {
    /// Read, not part of the value.
    Dropped,
    /// Part of the value.
    Kept,
    /// Left for the next row.
    Unread,
}

/// Where the content of a region of known size ends.
#[derive(Debug)]
pub struct Trim {
    /// Ends at the first of these, if there is one.
    pub terminator: Option<Terminator>,
    /// Trailing bytes equal to this one do not count.
    pub strip: Option<u8>,
}

/// Offset of a terminator, which stands at a multiple of its length.
#[must_use]
pub fn find_terminator(terminator: &Terminator, bytes: &[u8]) -> Option<usize> {
    let width = terminator.bytes.len().max(1);
    bytes
        .chunks_exact(width)
        .position(|unit| unit == terminator.bytes)
        .map(|index| index.saturating_mul(width))
}

/// Length of the content in a region of known size.
#[must_use]
pub fn content_length(trim: &Trim, bytes: &[u8]) -> usize {
    if let Some(terminator) = &trim.terminator {
        if let Some(index) = find_terminator(terminator, bytes) {
            return match terminator.mode {
                Terminated::Kept => index.saturating_add(terminator.bytes.len()),
                Terminated::Dropped | Terminated::Unread => index,
            };
        }
    }
    match trim.strip {
        Some(strip) => {
            bytes.iter().rposition(|b| *b != strip).map_or(0, |last| last.saturating_add(1))
        }
        None => bytes.len(),
    }
}

/// What stands behind the content unless the file had something else; `None` if content of this
/// kind cannot stand in a region of this size. Without a size the region is as short as can be.
#[must_use]
pub fn canonical_tail(trim: &Trim, content: &[u8], size: Option<usize>) -> Option<Vec<u8>> {
    let fill = trim.strip.unwrap_or(0);
    let room = match size {
        Some(size) => size.checked_sub(content.len())?,
        None => 0,
    };
    let mut tail = Vec::new();
    if let Some(terminator) = &trim.terminator {
        let ended = match terminator.mode {
            Terminated::Kept => find_terminator(terminator, content).is_some(),
            Terminated::Dropped | Terminated::Unread => false,
        };
        let ends_in_fill = trim.strip.is_some_and(|s| content.last() == Some(&s));
        if !ended && terminator.mode != Terminated::Kept {
            let fits = room >= terminator.bytes.len();
            // Without a size the terminator is written; with one only if something follows.
            if (size.is_none() && !terminator.optional) || (fits && size.is_some()) {
                tail.extend_from_slice(terminator.bytes);
            } else if ends_in_fill && size.is_some() && room > 0 {
                return None;
            }
        }
    }
    tail.resize(room.max(tail.len()), fill);
    Some(tail)
}

/// Where the content of a region ends, and where what follows begins.
///
/// # Errors
///
/// `MissingTerminator`.
pub fn terminated<'i>(
    core: &mut Core<'i>,
    cursor: &Cursor<'i>,
    terminator: &Terminator,
    spelling: &mut Spelling,
    row: u16,
    index: Option<u32>,
) -> Read<(u64, u64)> {
    let at = cursor.at;
    let bytes = core.between(at, cursor.limit)?;
    let found = find_terminator(terminator, bytes);
    core.charge(found.unwrap_or(bytes.len()) as u64 / 8, at)?;
    let width = terminator.bytes.len() as u64;
    let (content, next) = match found {
        Some(found) => {
            let found = found as u64;
            let behind = found.saturating_add(width);
            match terminator.mode {
                Terminated::Dropped => (found, behind),
                Terminated::Kept => (behind, behind),
                Terminated::Unread => (found, found),
            }
        }
        None if terminator.optional => {
            let length = bytes.len() as u64;
            if terminator.mode == Terminated::Dropped && !cursor.room {
                // The end of the region stands for the terminator.
                spelling.keep(SpellingEntry {
                    row,
                    index,
                    kind: KeptKind::Tail,
                    stored: KeptValue::Bytes(Vec::new()),
                    instead_of: KeptValue::Int(length.into()),
                });
            }
            (length, length)
        }
        None => return Err(ReadError::new(ReadErrorKind::MissingTerminator, at)),
    };
    Ok((at.saturating_add(content), at.saturating_add(next)))
}

/// Where the content of a region of known size ends. Keeps what lies behind it.
///
/// # Errors
///
/// `UnexpectedEnd`.
pub fn trimmed<'i>(core: &Core<'i>, at: u64, end: u64, trim: &Trim) -> Read<(u64, usize)> {
    let bytes = core.between(at, end)?;
    let length = content_length(trim, bytes);
    Ok((at.saturating_add(length as u64), length))
}

/// Keeps what lies behind the content of a region, if it is not what would be written.
///
/// # Errors
///
/// `UnexpectedEnd`.
#[allow(clippy::too_many_arguments)]
pub fn keep_tail<'i>(
    core: &Core<'i>,
    at: u64,
    end: u64,
    length: usize,
    trim: &Trim,
    room: bool,
    spelling: &mut Spelling,
    row: u16,
    index: Option<u32>,
) -> Read<()> {
    let bytes = core.between(at, end)?;
    let tail = bytes.get(length..).unwrap_or(&[]);
    let content = bytes.get(..length).unwrap_or(&[]);
    let canonical = canonical_tail(trim, content, room.then_some(bytes.len()));
    if canonical.as_deref() != Some(tail) {
        spelling.keep(SpellingEntry {
            row,
            index,
            kind: KeptKind::Tail,
            stored: KeptValue::Bytes(tail.to_vec()),
            instead_of: KeptValue::Int(length as i128),
        });
    }
    Ok(())
}
