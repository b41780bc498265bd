//! Regions whose content ends before they do.

use alloc::vec::Vec;

use crate::problem::ProblemKind;
use crate::spelling::{KeptValue, SpellingEntry};

/// Bytes that end something.
#[derive(Debug, Clone, Copy)]
pub struct Terminator {
    /// The bytes.
    pub bytes: &'static [u8],
    /// What becomes of them.
    pub mode: Mode,
    /// Whether the end of the region around may stand for them.
    pub optional: bool,
}

/// What becomes of a terminator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Not part of the value.
    Dropped,
    /// Part of the value.
    Kept,
    /// Left for the next row.
    Unread,
}

/// Where content ends in a region of known size.
#[derive(Debug, Clone, Copy)]
pub struct Trim {
    /// At the first of these.
    pub terminator: Option<Terminator>,
    /// Behind the last byte that is not this one.
    pub strip: Option<u8>,
}

impl Terminator {
    /// Where it is first, at a multiple of its length.
    #[must_use]
    pub fn find(&self, bytes: &[u8]) -> Option<usize> {
        let width = self.bytes.len().max(1);
        bytes.chunks_exact(width).position(|unit| unit == self.bytes).map(|index| index * width)
    }

    /// Whether content can be told from what follows.
    #[must_use]
    pub fn ends(&self, content: &[u8]) -> bool {
        let found = self.find(content);
        match self.mode {
            Mode::Kept => match found {
                Some(index) => index + self.bytes.len() == content.len(),
                None => self.optional,
            },
            Mode::Dropped | Mode::Unread => found.is_none(),
        }
    }
}

impl Trim {
    /// Length of the content in the bytes of a region.
    #[must_use]
    pub fn content_length(&self, bytes: &[u8]) -> usize {
        if let Some(terminator) = &self.terminator {
            if let Some(index) = terminator.find(bytes) {
                return match terminator.mode {
                    Mode::Kept => index + terminator.bytes.len(),
                    Mode::Dropped | Mode::Unread => index,
                };
            }
        }
        match self.strip {
            Some(strip) => bytes.iter().rposition(|b| *b != strip).map_or(0, |last| last + 1),
            None => bytes.len(),
        }
    }

    /// What stands behind the content unless the file had something else; nothing if content of
    /// this kind cannot stand in a region of this size.
    #[must_use]
    pub fn canonical_tail(&self, content: &[u8], size: Option<usize>) -> Option<Vec<u8>> {
        let fill = self.strip.unwrap_or(0);
        let room = match size {
            Some(size) => size.checked_sub(content.len())?,
            None => 0,
        };
        let mut tail = Vec::new();
        if let Some(terminator) = &self.terminator {
            let ends_in_fill = self.strip.is_some_and(|strip| content.last() == Some(&strip));
            if terminator.mode != Mode::Kept {
                let fits = room >= terminator.bytes.len();
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
}

/// The tail that was kept, if the content is still as long as it was.
#[must_use]
pub fn kept_tail(kept: Option<&SpellingEntry>, content: usize) -> Option<&SpellingEntry> {
    kept.filter(|kept| super::still_for(kept, &KeptValue::Int(content as i128)))
}

/// The bytes of a spelling.
#[must_use]
pub fn kept_bytes(kept: &SpellingEntry) -> Option<&[u8]> {
    match &kept.stored {
        KeptValue::Bytes(bytes) => Some(bytes),
        _ => None,
    }
}

/// Content that a region has no room for.
#[cold]
#[must_use]
pub fn too_long(size: Option<usize>, content: usize) -> ProblemKind {
    let expected = size.map_or(0, |size| size as i128);
    let why = "the schema fixes the size".into();
    ProblemKind::LengthMismatch { expected, actual: content as u64, why }
}
