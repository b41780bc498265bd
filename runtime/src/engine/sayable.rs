//! What a row can say: texts by their letters and ends, numbers by their limits.

use alloc::vec::Vec;
use core::cmp::Ordering;

use super::source::Given;
use crate::ends::{Cut, Stop};
use crate::load::Endian;
use crate::model::{
    ByteOrder, CheckKind, Content, Encoding, Expr, ExprId, Extent, Model, RegionType, Row,
    RunLength, RunType, Terminated, Terminator, Type,
};

/// Whether a number or text keeps to the limits of a row, as far as they are constants.
pub(crate) fn keeps(model: &Model, row: &Row, value: &Given<'_>) -> bool {
    let order = |limit: &ExprId| match value {
        Given::Int(n) => model.exprs.constant(*limit).map(|limit| n.cmp(&limit)),
        _ => None,
    };
    let may_be = |one: &ExprId| match (value, &model[*one]) {
        (Given::Text(text), Expr::Text(one)) => text == one,
        _ => order(one).map_or(true, Ordering::is_eq),
    };
    row.checks.iter().all(|check| match &check.kind {
        CheckKind::Min(least) => order(least).map_or(true, Ordering::is_ge),
        CheckKind::Max(most) => order(most).map_or(true, Ordering::is_le),
        CheckKind::OneOf(list) => list.iter().any(may_be),
        CheckKind::Equals(_) | CheckKind::Holds(_) => true,
    })
}

/// Whether a run can have a text: its encoding has all letters, and none ends it.
pub(crate) fn has_letters(run: &RunType, text: &str) -> bool {
    match run.content {
        Content::Bytes => true,
        Content::Text(encoding) => encoding.missing(text).is_none() && !has_own_end(run, text),
    }
}

/// Whether a text has in it what a reader takes for its end.
pub(crate) fn has_own_end(run: &RunType, text: &str) -> bool {
    let ended = run.suffix.len() == 1 && !matches!(run.length, RunLength::Prefix(_));
    ended
        && match run.content.is_in_bytes() {
            true => text.as_bytes().contains(&run.suffix[0]),
            false => encoded(run.content, text, Endian::Little).contains(&run.suffix[0]),
        }
}

/// Whether a text or bytes can stand in a region: a reader finds their end where it is, and there is
/// room where the schema says how much.
pub(crate) fn can_end(model: &Model, region: &RegionType, value: &Given<'_>) -> bool {
    let Type::Run(run) = &region.inner else { return true };
    if !matches!(run.length, RunLength::Fill) || !run.suffix.is_empty() {
        return true;
    }
    let order = Endian::Little;
    let stop = match (&region.extent, &region.trim) {
        (Extent::Terminated(stop), _) => Some(stop),
        (_, Some(trim)) => trim.terminator.as_ref(),
        (_, None) => return true,
    };
    // In the other byte order the bytes of such a unit are others.
    let ordered = matches!(run.content, Content::Text(encoding) if encoding.has_order());
    let is_same = |stop: &Terminator| stop.bytes.iter().all(|byte| *byte == stop.bytes[0]);
    if ordered && stop.is_some_and(|stop| !is_same(stop)) {
        return true;
    }
    let content = match value {
        Given::Text(text) => encoded(run.content, text, order),
        Given::Bytes(bytes) => bytes.to_vec(),
        _ => return true,
    };
    let stop = stop.map(|stop| Stop::of(stop, order));
    match (&region.extent, &region.trim, stop) {
        (Extent::Terminated(_), _, Some(stop)) => stop.allows(&content, true),
        (extent, Some(trim), stop) => {
            let is_ended =
                |stop: Stop<'_>| stop.mode != Terminated::Kept && stop.find(&content).is_some();
            let room = match extent {
                Extent::Size(size) => model.exprs.constant(*size),
                _ => None,
            };
            let room = room.and_then(|size| usize::try_from(size).ok());
            let has_room =
                room.map_or(true, |room| Cut::of(trim, order).tail(&content, Some(room)).is_some());
            // What fills the rest would be taken for it.
            let is_filled = stop.is_none()
                && trim.strip.is_some()
                && content.last().copied() == trim.strip
                && room != Some(content.len());
            has_room && !is_filled && !stop.is_some_and(is_ended)
        }
        _ => true,
    }
}

/// Bytes of a text in a run.
pub(crate) fn encoded(content: Content, text: &str, order: Endian) -> Vec<u8> {
    match content {
        // What it has no letter for is refused.
        Content::Text(encoding) if !content.is_in_bytes() => {
            let order = match order {
                Endian::Little => ByteOrder::Little,
                Endian::Big => ByteOrder::Big,
            };
            encoding.encode(text, order)
        }
        _ => text.as_bytes().to_vec(),
    }
}

/// Bytes of a unit of UTF-16.
pub(crate) fn unit_bytes(content: Content, order: Endian) -> fn(u16) -> [u8; 2] {
    match (content, order) {
        (Content::Text(Encoding::Utf16Le), _) => u16::to_le_bytes,
        (Content::Text(Encoding::Utf16Be), _) | (_, Endian::Big) => u16::to_be_bytes,
        (_, Endian::Little) => u16::to_le_bytes,
    }
}
