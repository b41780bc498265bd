//! Regions whose content ends before they do.

use alloc::vec::Vec;

use super::super::read;
use super::super::rows::{Extent, Length, Region, Run, Ty};
use super::super::val::{eval_error, Fallible, Fault};
use super::put::{expect, int, put_type, Here, Put};
use super::run::coding;
use super::source::Src;
use super::{Run as _, Spot, Write, DRY, FILL, LAY};
use crate::problem::ProblemKind;
use crate::spelling::{KeptKind, KeptValue, SpellingEntry};

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

impl From<&read::Terminator> for Terminator {
    fn from(terminator: &read::Terminator) -> Self {
        let mode = match terminator.mode {
            read::Terminated::Dropped => Mode::Dropped,
            read::Terminated::Kept => Mode::Kept,
            read::Terminated::Unread => Mode::Unread,
        };
        Terminator { bytes: terminator.bytes, mode, optional: terminator.optional }
    }
}

impl From<&read::Trim> for Trim {
    fn from(trim: &read::Trim) -> Self {
        Trim { terminator: trim.terminator.as_ref().map(Into::into), strip: trim.strip }
    }
}

/// Puts a region and what is in it.
pub(super) fn put_region<'v, W: Write<'v>>(
    cx: &mut W,
    p: &Put<'v>,
    here: Here,
    region: &'static Region,
    src: &Src<'v>,
    spot: &mut Spot,
) -> Fallible<()> {
    let key = (p.node, here.row.number);
    let measured = p.noded && here.index.is_none() && p.mode == DRY;
    if let Some(size) = cx.w_ref().measured.get(&key).copied().filter(|_| measured) {
        spot.skip(size);
        return Ok(());
    }
    let begin = spot.at;
    if put_within(cx, p, here, region, src, spot)? && measured {
        let size = spot.at.saturating_sub(begin);
        cx.w().measured.insert(key, size);
    }
    Ok(())
}

/// Puts it; says whether it has room for its content.
fn put_within<'v, W: Write<'v>>(
    cx: &mut W,
    p: &Put<'v>,
    here: Here,
    region: &'static Region,
    src: &Src<'v>,
    spot: &mut Spot,
) -> Fallible<bool> {
    let begin = spot.at;
    let around = cx.w_ref().room;
    let room = match region.extent {
        Extent::Size(e, true) => match int(cx, p, e) {
            Ok(size) => size.and_then(|n| u64::try_from(n).ok()).and_then(|n| begin.checked_add(n)),
            Err(fault) if matches!(*fault, Fault::NotPlaced(_)) => None,
            Err(fault) if p.mode == FILL => {
                cx.w().report(*fault, p.at(here));
                None
            }
            Err(fault) => return Err(fault),
        },
        Extent::Rest => around,
        _ => None,
    };
    let inside = if region.trim.is_some() { None } else { room };
    cx.w().room = inside;
    put_type(cx, p, here, &region.inner, src, spot)?;
    cx.w().room = around;
    spot.align();
    let content_end = spot.at;
    match (&region.extent, &region.trim) {
        (Extent::Terminated(terminator), _) => {
            let content = content_bytes(cx, p, here, region, src, (begin, content_end), inside)?;
            terminate(cx, p, here, &terminator.into(), &content, around, spot);
        }
        (Extent::Size(e, _), None) => {
            expect(cx, p, here, *e, content_end.saturating_sub(begin), "size");
        }
        (Extent::End(e), None) => expect(cx, p, here, *e, content_end, "end"),
        (Extent::Rest, None) => {}
        (extent, Some(trim)) => {
            let content = content_bytes(cx, p, here, region, src, (begin, content_end), None)?;
            let size = room.and_then(|room| usize::try_from(room.saturating_sub(begin)).ok());
            let Some(tail) = tail_of(cx, p, here, &trim.into(), &content, size) else {
                return Ok(false);
            };
            if p.mode == FILL {
                cx.w().put(content_end, &tail);
            }
            spot.at = content_end.saturating_add(tail.len() as u64);
            if let Extent::Size(e, _) = extent {
                expect(cx, p, here, *e, spot.at.saturating_sub(begin), "size");
            }
        }
    }
    Ok(true)
}

/// Bytes of what is placed already, to look at where it ends.
fn content_bytes<'v, W: Write<'v>>(
    cx: &mut W,
    p: &Put<'v>,
    here: Here,
    region: &'static Region,
    src: &Src<'v>,
    (begin, end): (u64, u64),
    inside: Option<u64>,
) -> Fallible<Vec<u8>> {
    if let Ty::Run(Run { length: Length::Fill, content, suffix: [], .. }) = &region.inner {
        let (coding, order) = coding(*content, p.order);
        return Ok(src.item().chars().encode(coding, order).into_owned());
    }
    if p.mode == DRY {
        return eval_error("the size of a trimmed struct cannot be computed ahead");
    }
    if p.mode == LAY {
        // Filled ahead of the rest; the final buffer is made afresh.
        cx.w().reserve(end);
        let around = cx.w_ref().room;
        cx.w().room = inside;
        let ahead = Put { mode: FILL, ..p.clone() };
        put_type(cx, &ahead, here, &region.inner, src, &mut Spot::new(begin))?;
        cx.w().room = around;
    }
    Ok(cx.w_ref().written(begin, end))
}

/// Puts what ends a region.
fn terminate<'v, W: Write<'v>>(
    cx: &mut W,
    p: &Put<'v>,
    here: Here,
    terminator: &Terminator,
    content: &[u8],
    around: Option<u64>,
    spot: &mut Spot,
) {
    if p.mode == LAY && !terminator.ends(content) {
        let what = match terminator.mode {
            Mode::Kept => "no terminator at its end",
            Mode::Dropped | Mode::Unread => "the terminator",
        };
        cx.w().problem(p.at(here), ProblemKind::TextContains { what: what.into() });
    }
    let width = terminator.bytes.len() as u64;
    let full = around.is_some_and(|room| spot.at.saturating_add(width) > room);
    let kept = kept_tail(p.kept(here, KeptKind::Tail), content.len());
    let ended = terminator.optional && (full || kept.is_some());
    if matches!(terminator.mode, Mode::Dropped) && !ended {
        if p.mode == FILL {
            cx.w().put(spot.at, terminator.bytes);
        }
        spot.skip(width);
    }
}

/// What follows the content of a region; nothing if there is no room.
fn tail_of<'v, W: Write<'v>>(
    cx: &mut W,
    p: &Put<'v>,
    here: Here,
    trim: &Trim,
    content: &[u8],
    size: Option<usize>,
) -> Option<Vec<u8>> {
    let fits = |tail: &&[u8]| size.map_or(true, |size| size == content.len() + tail.len());
    let kept = kept_tail(p.kept(here, KeptKind::Tail), content.len());
    let tail = match kept.and_then(kept_bytes).filter(fits) {
        Some(tail) => Some(tail.to_vec()),
        None => trim.canonical_tail(content, size),
    };
    let Some(tail) = tail else {
        if p.mode == LAY {
            cx.w().problem(p.at(here), too_long(size, content.len()));
        }
        return None;
    };
    if p.mode == LAY {
        let mut whole = content.to_vec();
        whole.extend_from_slice(&tail);
        if trim.content_length(&whole) != content.len() {
            let what = "what ends it".into();
            cx.w().problem(p.at(here), ProblemKind::TextContains { what });
        }
    }
    Some(tail)
}
