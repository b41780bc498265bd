//! Where content ends in a region that is larger.

use alloc::vec::Vec;

use crate::model::{Terminated, Terminator, Trim};

/// Offset of a terminator, which begins where a unit of the text does.
pub(crate) fn find_terminator(terminator: &Terminator, bytes: &[u8]) -> Option<usize> {
    let unit = usize::from(terminator.unit.max(1));
    if let ([byte], 1) = (&terminator.bytes[..], unit) {
        return bytes.iter().position(|b| b == byte);
    }
    let places = bytes.windows(terminator.bytes.len().max(1)).step_by(unit);
    places.into_iter().position(|place| place == terminator.bytes).map(|index| index * unit)
}

/// Whether content is all that is found before its terminator. A terminator may begin in the content
/// and end in itself.
pub(crate) fn ends_content(terminator: &Terminator, content: &[u8]) -> bool {
    let whole = [content, &terminator.bytes].concat();
    find_terminator(terminator, &whole) == Some(content.len())
}

/// Length of the content in a region of known size.
pub(crate) fn content_length(trim: &Trim, bytes: &[u8]) -> usize {
    if let Some(terminator) = &trim.terminator {
        if let Some(index) = find_terminator(terminator, bytes) {
            return match terminator.mode {
                Terminated::Kept => index + terminator.bytes.len(),
                Terminated::Dropped | Terminated::Unread => index,
            };
        }
    }
    match trim.strip {
        Some(strip) => bytes.iter().rposition(|b| *b != strip).map_or(0, |last| last + 1),
        None => bytes.len(),
    }
}

/// What stands behind the content unless the file had something else; `None` if content of this
/// kind cannot stand in a region of this size. Without a size the region is as short as can be.
pub(crate) fn canonical_tail(trim: &Trim, content: &[u8], size: Option<usize>) -> Option<Vec<u8>> {
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
                tail.extend_from_slice(&terminator.bytes);
            } else if ends_in_fill && size.is_some() && room > 0 {
                return None;
            }
        }
    }
    tail.resize(room.max(tail.len()), fill);
    Some(tail)
}
