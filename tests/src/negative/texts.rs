//! Bytes that are no text, terminators that are missing, and lengths in front of texts.

use formwork_codegen::model::{
    Content, Encoding, Extent, Meaning, RegionType, RowKind, RunLength, RunType, Storage, Type,
};

use super::file::{File, Site};
use super::{Kind, Plan, Reason, error};

pub(super) fn plan(plan: &mut Plan<'_, '_>, site: &Site<'_>) {
    let run = match site.ty {
        Type::Run(run) => run,
        Type::Region(region) => return in_region(plan, site, region),
        _ => return,
    };
    // What fills a region is a matter of the region.
    if matches!(run.length, RunLength::Fill) {
        return;
    }
    let file = plan.file;
    let place = (site.node, site.row);
    let kind = &file.row(site.node, site.row).kind;
    if !matches!(kind, RowKind::Plain | RowKind::Pool { .. } | RowKind::Object { .. }) {
        return;
    }
    let text = matches!(run.content, Content::Text(_));
    let prefixed = matches!(run.length, RunLength::Prefix(_));
    if !text && !prefixed && run.suffix.is_empty() {
        return;
    }
    let Some(parts) = parts(file, site, run) else {
        return plan.leave_out(Kind::Text, place, Reason::NotHere);
    };
    if !file.reads_first(site, parts.start) {
        // Whoever is first has the case.
        return;
    }
    if !file.alone(parts.start, parts.start + 1) {
        return plan.leave_out(Kind::Text, place, Reason::SharedBytes);
    }
    let path = file.site_path(site);
    match invalid(run.content) {
        Some(_) if parts.size == 0 => plan.leave_out(Kind::Text, place, Reason::NotHere),
        Some(bytes) if bytes.len() as u64 <= parts.size => {
            let expected = error("invalid_text", parts.content, path.clone());
            plan.add(Kind::Text, place, (parts.content, bytes.to_vec()), expected);
        }
        _ => plan.leave_out(Kind::Text, place, Reason::NothingForbidden),
    }
    if let Some(byte) = run.suffix.first() {
        let at = parts.content + parts.size;
        let expected = error("missing_terminator", at, path.clone());
        plan.add(Kind::Terminator, place, (at, vec![byte ^ 0x41]), expected);
    }
    if let RunLength::Prefix(cell) = &run.length {
        let prefix = Site { at: parts.start, ..*site };
        let room = i128::from(file.size() - parts.content);
        let high = file.limits(cell).map(|(_, high)| high).filter(|_| cell.meaning == Meaning::Int);
        let free = site.behind || !file.in_region(site.node);
        match high.filter(|high| high * i128::from(unit(run.content)) > room && free) {
            Some(high) => {
                if let Some(patch) = file.store(&prefix, cell, high) {
                    let expected = error("unexpected_end", parts.content, path);
                    plan.add(Kind::Count, place, patch, expected);
                }
            }
            None => plan.leave_out(Kind::Count, place, Reason::NothingForbidden),
        }
    }
}

/// A text that fills a region: its first byte, and the terminator that ends the region.
fn in_region(plan: &mut Plan<'_, '_>, site: &Site<'_>, region: &RegionType) {
    let Type::Run(run) = &region.inner else { return };
    let file = plan.file;
    let place = (site.node, site.row);
    let kind = &file.row(site.node, site.row).kind;
    let plain = matches!(kind, RowKind::Plain | RowKind::Pool { .. } | RowKind::Object { .. });
    let narrow = unit(run.content) == 1 && matches!(run.length, RunLength::Fill);
    if !plain || !narrow || run.align.is_some() || !file.reads_first(site, site.at) {
        return;
    }
    let path = file.site_path(site);
    let strip = region.trim.as_ref().and_then(|trim| trim.strip);
    let units = |at: u64| {
        let from = usize::try_from(at).unwrap_or(usize::MAX);
        file.bytes.get(from..).unwrap_or(&[])
    };
    let terminator = match &region.extent {
        Extent::Terminated(terminator) => Some(terminator),
        _ => None,
    };
    let ends = |at: u64| file.terminated_at(at) > 0;
    let empty = match terminator {
        Some(_) => ends(site.at) || site.at >= file.size(),
        None => site.end.is_none_or(|end| end <= site.at),
    };
    if invalid(run.content).is_none() {
        plan.leave_out(Kind::Text, place, Reason::NothingForbidden);
    } else if empty || strip == Some(0xff) {
        plan.leave_out(Kind::Text, place, Reason::NotHere);
    } else if file.alone(site.at, site.at + 1) {
        let expected = error("invalid_text", site.at, path.clone());
        plan.add(Kind::Text, place, (site.at, vec![0xff]), expected);
    } else {
        plan.leave_out(Kind::Text, place, Reason::SharedBytes);
    }
    let Some(terminator) = terminator.filter(|terminator| !terminator.optional) else { return };
    let [end] = terminator.bytes.as_slice() else {
        return plan.leave_out(Kind::Terminator, place, Reason::Storage);
    };
    // Only the last one in the file: without it there is none.
    let mut found = units(site.at).iter().enumerate().filter(|(_, byte)| *byte == end);
    match (found.next(), found.next()) {
        (Some((position, _)), None)
            if (site.behind || !file.in_region(site.node))
                && file.terminated_at(site.at + position as u64) == 1 =>
        {
            let at = site.at + position as u64;
            let expected = error("missing_terminator", site.at, path);
            plan.add(Kind::Terminator, place, (at, vec![end ^ 0x41]), expected);
        }
        _ => plan.leave_out(Kind::Terminator, place, Reason::UnknownElements),
    }
}

/// Where the parts of a text lie.
pub(super) struct Parts {
    /// Offset of the length, or of the content if there is none in front.
    pub start: u64,
    /// Offset of the first unit.
    pub content: u64,
    /// Bytes of content.
    pub size: u64,
}

/// Finds the parts of a text; none if its end follows from something else.
pub(super) fn parts(file: &File<'_>, site: &Site<'_>, run: &RunType) -> Option<Parts> {
    let start = site.at.checked_next_multiple_of(run.align.unwrap_or(1).max(1))?;
    let suffix = run.suffix.len() as u64;
    let (content, size) = match &run.length {
        RunLength::Prefix(cell) => {
            let Storage::Fixed(int) = cell.storage else { return None };
            let units = file.load(&Site { at: start, ..*site }, cell)?;
            let size = u64::try_from(units).ok()?.checked_mul(unit(run.content))?;
            (start + u64::from(int.bytes), size)
        }
        RunLength::Fixed(size) => (start, *size),
        RunLength::Count(_) if site.index.is_none() => {
            (start, site.end?.checked_sub(start)?.checked_sub(suffix)?)
        }
        RunLength::Count(_) | RunLength::Fill => return None,
    };
    let end = content.checked_add(size)?.checked_add(suffix)?;
    (end <= file.size()).then_some(Parts { start, content, size })
}

/// Bytes of one unit.
pub(super) fn unit(content: Content) -> u64 {
    match content {
        Content::Text(Encoding::Utf16 | Encoding::Utf16Le | Encoding::Utf16Be) => 2,
        Content::Text(Encoding::Utf32) => 4,
        Content::Bytes | Content::Text(_) => 1,
    }
}

/// A unit that is no text.
fn invalid(content: Content) -> Option<&'static [u8]> {
    match content {
        Content::Text(Encoding::Ascii | Encoding::Utf8 | Encoding::Mutf8) => Some(&[0xff]),
        Content::Text(Encoding::Utf32) => Some(&[0xff; 4]),
        Content::Text(_) | Content::Bytes => None,
    }
}
