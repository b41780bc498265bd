//! Unions: cases, forms and tags.

use alloc::format;

use super::super::read::CaseLabel;
use super::super::rows::{Cell, Row, Storage, Tag, Ty, Union};
use super::super::tree::NodeId;
use super::super::val::Fallible;
use super::number::{number_of, raw};
use super::pointer::log_pointer;
use super::put::{direct, put_node, put_rows, row_source, rows_of, Here, Put};
use super::source::Src;
use super::{does_not_fit, low, sum_bits, Helpers, Spot, Write, DRY, FILL, LAY};
use crate::{fits, Endian};

/// Puts a union.
pub(super) fn put_union<'v, W: Write<'v>>(
    cx: &mut W,
    p: &Put<'v>,
    here: Here,
    union: &'static Union,
    src: &Src<'v>,
    spot: &mut Spot,
) -> Fallible<()> {
    let begin = spot.at;
    let node = if union.nodes { cx.node_at(p.loc(here)) } else { None };
    let case = match (node, src) {
        (Some(node), _) => {
            let record = cx.tree().node(node).record;
            union.cases.iter().find(|case| case.record == record)
        }
        (None, Src::Case(number, _)) if !union.nodes => union.cases.get(usize::from(*number)),
        _ => None,
    };
    let Some(case) = case else { return Ok(()) };
    let value = match src {
        Src::Case(_, value) => value,
        other => other,
    };
    let mut inner = direct(p, case.record, value, begin);
    inner.base = p.base;
    if let Some(node) = node {
        (inner.node, inner.noded, inner.value) = (node, true, cx.node_value(node));
    }
    if case.whole {
        return put_whole(cx, p, here, union, inner, begin, spot);
    }
    if case.forms.is_empty() {
        return put_case(cx, p, here, union, case.labels, inner, None, spot);
    }
    let Some((form, rows)) = node.and_then(|node| cx.tree().node(node).form) else {
        return Ok(());
    };
    let Some(form) = case.forms.get(usize::from(form)) else { return Ok(()) };
    let around = inner.node;
    (inner.record, inner.node) = (form.record, rows);
    put_case(cx, p, here, union, form.labels, inner, Some(around), spot)
}

/// Puts a record that stands for the whole union, the tag included.
fn put_whole<'v, W: Write<'v>>(
    cx: &mut W,
    p: &Put<'v>,
    here: Here,
    union: &'static Union,
    mut inner: Put<'v>,
    begin: u64,
    spot: &mut Spot,
) -> Fallible<()> {
    let from = if union.around && p.mode != DRY { p.base } else { begin };
    if inner.noded {
        spot.at = put_node(cx, p.mode, inner.node, from, p.order, &Src::Nothing)?;
        return Ok(());
    }
    inner.base = from;
    let problems = cx.w_ref().problems.len();
    let mut after = Spot::new(from);
    let (record, epoch) = (inner.record, cx.epoch());
    put_rows(cx, inner, &mut after)?;
    after.align();
    let size = rows_of(cx, record).size(epoch).unwrap_or(0);
    spot.at = after.at.max(from.saturating_add(size));
    cx.w().within(problems, p.at(here));
    Ok(())
}

#[allow(clippy::too_many_arguments)] // All of it is about one case.
fn put_case<'v, W: Write<'v>>(
    cx: &mut W,
    p: &Put<'v>,
    here: Here,
    union: &'static Union,
    labels: &'static [CaseLabel],
    mut inner: Put<'v>,
    around: Option<NodeId>,
    spot: &mut Spot,
) -> Fallible<()> {
    let begin = spot.at;
    inner.base = if p.mode == DRY { begin } else { p.base };
    let nodes = [inner.noded.then_some(inner.node), around];
    if p.mode == LAY {
        for node in nodes.into_iter().flatten() {
            cx.tree_mut().node_mut(node).at = inner.base;
        }
    }
    if p.mode == FILL {
        put_tag(cx, p, here, union, labels, &inner, begin)?;
    }
    if p.mode == LAY {
        log_letters(cx, &inner, begin)?;
    }
    let patterned = match (&union.tag, labels.first()) {
        (Tag::Cell(_, false), Some(CaseLabel::Pattern { width, .. })) => width / 8,
        _ => 0,
    };
    let skip = u64::from(union.tag_size.max(patterned));
    let problems = cx.w_ref().problems.len();
    let noded = inner.noded;
    let mut after = Spot::new(begin.saturating_add(skip));
    put_rows(cx, inner, &mut after)?;
    after.align();
    let size = union.size.map_or(0, |size| begin.saturating_add(size));
    *spot = Spot::new(after.at.max(size));
    if !noded {
        cx.w().within(problems, p.at(here));
    }
    if p.mode == LAY {
        let end = spot.at;
        for node in nodes.into_iter().flatten() {
            cx.tree_mut().node_mut(node).end = end;
        }
    }
    Ok(())
}

/// Rows whose numbers are in the tag, with their cells.
fn in_tag(rows: &'static [Row]) -> impl Iterator<Item = (u16, &'static Row, &'static Cell)> {
    (0_u16..).zip(rows).filter_map(|(number, row)| {
        let cell = match &row.ty {
            Ty::Cell(cell) => cell,
            Ty::Pointer(pointer) => &pointer.cell,
            _ => return None,
        };
        matches!(cell.storage, Storage::Letter(..) | Storage::Tag).then_some((number, row, cell))
    })
}

/// Pointers in letters stand where the tag does.
fn log_letters<'v, W: Write<'v>>(cx: &mut W, p: &Put<'v>, begin: u64) -> Fallible<()> {
    for (number, row, cell) in in_tag(rows_of(cx, p.record).rows) {
        let (Ty::Pointer(pointer), Storage::Letter(..)) = (&row.ty, cell.storage) else { continue };
        let here = Here { row, index: None };
        if let Some(slot) = p.slot(row) {
            cx.w().lay_letter(p.node, slot, begin);
        }
        let src = row_source(cx, p, number, here)?;
        log_pointer(cx, p, here, pointer, &src, begin);
    }
    Ok(())
}

/// Writes the tag in front of a case.
fn put_tag<'v, W: Write<'v>>(
    cx: &mut W,
    p: &Put<'v>,
    here: Here,
    union: &'static Union,
    labels: &'static [CaseLabel],
    inner: &Put<'v>,
    begin: u64,
) -> Fallible<()> {
    let Tag::Cell(cell, word) = &union.tag else { return Ok(()) };
    let rows = rows_of(cx, inner.record).rows;
    let fixed = match cell.storage {
        Storage::Fixed(bytes, _, order) => {
            let order = match order {
                Some(true) => Endian::Big,
                Some(false) => Endian::Little,
                None if bytes == 1 => Endian::Little,
                None => p.order,
            };
            Some((usize::from(bytes), order))
        }
        _ => None,
    };
    match labels.first() {
        Some(CaseLabel::Pattern { width, bits, .. }) => {
            let number = bits | letters(cx, inner)?;
            match fixed {
                #[allow(clippy::cast_possible_truncation)] // A word has at most 64 bits.
                Some((bytes, order)) if *word => cx.w().int(begin, bytes, order, number as u64),
                _ => {
                    let bytes = usize::try_from(width / 8).unwrap_or(0).min(16);
                    let all = number.to_be_bytes();
                    cx.w().put(begin, all.get(16_usize.saturating_sub(bytes)..).unwrap_or(&[]));
                }
            }
        }
        Some(label @ (CaseLabel::Range(..) | CaseLabel::Else)) => {
            let Some((bytes, order)) = fixed else { return Ok(()) };
            let mut tags = in_tag(rows).filter(|(_, _, c)| matches!(c.storage, Storage::Tag));
            match (tags.next(), label) {
                (Some((number, row, cell)), _) => {
                    let at = Here { row, index: None };
                    let src = row_source(cx, inner, number, at)?;
                    let (n, _) = raw(cx, inner, at, cell, &src)?;
                    let takes = |label: &CaseLabel| matches!(label, CaseLabel::Range(a, b) if *a <= n && n <= *b);
                    if matches!(label, CaseLabel::Else) || labels.iter().any(takes) {
                        cx.w().int(begin, bytes, order, low(n));
                    } else {
                        cx.w().problem(p.at(here), does_not_fit(n, "the case's labels"));
                    }
                }
                (None, CaseLabel::Range(first, _)) => {
                    cx.w().int(begin, bytes, order, low(*first));
                }
                (None, _) => {}
            }
        }
        _ => {}
    }
    Ok(())
}

/// The bits of a tag that rows have letters for.
fn letters<'v, W: Write<'v>>(cx: &mut W, p: &Put<'v>) -> Fallible<u128> {
    let mut all = 0;
    for (number, row, cell) in in_tag(rows_of(cx, p.record).rows) {
        let Storage::Letter(width, patterns) = cell.storage else { continue };
        let Some((_, _, positions)) = patterns.first().filter(|(_, _, p)| !p.is_empty()) else {
            continue;
        };
        let here = Here { row, index: None };
        let src = row_source(cx, p, number, here)?;
        let n = number_of(cx, p, here, cell, &src)?;
        if fits(n, width.into(), false) {
            let positions: alloc::vec::Vec<u8> =
                positions.iter().map(|bit| u8::try_from(*bit).unwrap_or(u8::MAX)).collect();
            all |= sum_bits(low(n), &positions);
        } else {
            cx.w().problem(p.at(here), does_not_fit(n, &format!("{width} bits")));
        }
    }
    Ok(all)
}
