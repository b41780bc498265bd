//! Bytes: text, padding, members of pools.

use alloc::format;
use alloc::vec::Vec;

use super::super::rows::{Array, Cell, Content, Count, Ex, Extent, Length, Run, Storage, Ty};
use super::super::tree::{Item, Loc};
use super::super::val::{eval_error, Fallible};
use super::number::cell_name;
use super::put::{fail, int, put_type, rows_of, Here, Put};
use super::source::Src;
use super::{
    does_not_fit, kept_item, low, put_bits, varint_width, wrong_length, Chars, Coding, Number,
    Run as _, Spot, Tables, Write, DRY, FILL, LAY,
};
use crate::spelling::{KeptKind, SpellingEntry};
use crate::{fits, Endian};

/// Size in bytes that a type always has.
pub(super) fn size_of<'v, W: Write<'v>>(cx: &W, ty: &'static Ty) -> Option<u64> {
    let epoch = cx.epoch();
    match ty.stored(epoch) {
        Ty::Cell(Cell { storage: Storage::Fixed(bytes, ..), .. }) => Some((*bytes).into()),
        Ty::Run(Run { length, content, suffix, align: 0 | 1 }) => {
            let size = match length {
                Length::Fixed(size) => *size,
                Length::Count(Ex::Int(n)) => u64::try_from(*n).ok()?.checked_mul(content.unit())?,
                _ => return None,
            };
            size.checked_add(suffix.len() as u64)
        }
        Ty::Region(region) => match region.extent {
            Extent::Size(Ex::Int(n), _) => u64::try_from(n).ok(),
            _ => None,
        },
        Ty::Array(Array { element, count: Count::Is(Ex::Int(n)), stride: None }) => {
            size_of(cx, element)?.checked_mul(u64::try_from(*n).ok()?)
        }
        Ty::Direct(record) | Ty::Node(record) => rows_of(cx, *record).size(epoch),
        Ty::Nothing => Some(0),
        Ty::Mark => Some(2),
        _ => None,
    }
}

pub(super) fn put_padding<'v, W: Write<'v>>(
    cx: &mut W,
    p: &Put<'v>,
    here: Here,
    spot: &mut Spot,
) -> Fallible<()> {
    let ty = here.row.ty.stored(cx.epoch());
    let kept = p.kept(here, KeptKind::Reserved);
    let number = |entry: &SpellingEntry| low(kept_item(&entry.stored).number().unwrap_or(0));
    if let Ty::Cell(Cell { storage: Storage::Bits(width, msb_first), .. }) = ty {
        if let Some(entry) = kept.filter(|_| p.mode == FILL) {
            put_bits(&mut cx.w().out, *spot, *width, *msb_first, number(entry));
        }
        spot.skip_bits(*width);
        return Ok(());
    }
    let kept_bytes = kept.and_then(super::kept_bytes);
    let kept_size = kept_bytes.map(|bytes| bytes.len() as u64);
    let size = match size_of(cx, ty) {
        Some(size) => size,
        None => padding_size(cx, p, here, ty, kept_size, spot)?,
    };
    if p.mode == FILL {
        match (kept, kept_bytes, ty) {
            (_, Some(bytes), _) if bytes.len() as u64 == size => cx.w().put(spot.at, bytes),
            (
                Some(entry),
                None,
                Ty::Cell(Cell { storage: Storage::Fixed(width, _, order), .. }),
            ) => {
                let order = p.cell_order(*width, *order);
                cx.w().int(spot.at, (*width).into(), order, number(entry));
            }
            _ => {}
        }
    }
    spot.skip(size);
    Ok(())
}

/// Size of padding that only the value or the region around it knows.
pub(super) fn padding_size<'v, W: Write<'v>>(
    cx: &mut W,
    p: &Put<'v>,
    here: Here,
    ty: &'static Ty,
    kept: Option<u64>,
    spot: &Spot,
) -> Fallible<u64> {
    let size = match ty {
        Ty::Region(region) => match region.extent {
            Extent::Size(e, _) => Some(e),
            _ => None,
        },
        Ty::Run(Run { length: Length::Count(e), .. }) => Some(*e),
        _ => None,
    };
    let Some(e) = size else {
        return Ok(match cx.w_ref().room {
            Some(room) => room.saturating_sub(spot.at),
            None => kept.unwrap_or(0),
        });
    };
    // Only reading knows the position; the value has what it found.
    if let (false, Some(kept)) = (e.is_for_writing(), kept) {
        return Ok(kept);
    }
    match int(cx, p, e) {
        Ok(size) => {
            let size = size.unwrap_or(0);
            u64::try_from(size).or_else(|_| super::bad_size(size))
        }
        Err(fault) => fail(cx, p.mode, fault, p.at(here)).map(|()| 0),
    }
}

pub(super) fn put_pool<'v, W: Write<'v>>(
    cx: &mut W,
    p: &Put<'v>,
    here: Here,
    pad: u64,
    spot: &mut Spot,
) -> Fallible<()> {
    let Some(slot) = p.slot(here.row) else { return Ok(()) };
    let Ty::Array(array) = here.row.ty.stored(cx.epoch()) else { return Ok(()) };
    cx.force(p.node, slot)?;
    let item = cx.tree().slot(p.node, slot).item.clone();
    let mut starts = Vec::new();
    if let Item::Array(members) = &item {
        for (index, member) in (0_u32..).zip(&members.items) {
            starts.push(spot.at);
            let here = Here { index: Some(index), ..here };
            put_type(cx, p, here, &array.element, &Src::Item(member.clone()), spot)?;
            spot.at = super::align_up(spot.at, pad);
        }
    }
    if p.mode == LAY {
        cx.place_members(Loc::slot(p.node, slot), &starts, spot.at);
    }
    Ok(())
}

pub(super) fn put_run<'v, W: Write<'v>>(
    cx: &mut W,
    p: &Put<'v>,
    here: Here,
    run: &'static Run,
    src: &Src<'v>,
    spot: &mut Spot,
) -> Fallible<()> {
    if run.align > 1 {
        if p.mode == DRY {
            return eval_error("the size of something aligned depends on its address");
        }
        spot.at = super::align_up(spot.at, run.align);
    }
    let (coding, order) = coding(run.content, p.order);
    let item = src.item();
    let chars = item.chars();
    let size = chars.size(coding);
    let at = p.at(here);
    let units = size / run.content.unit();
    match &run.length {
        Length::Fixed(wanted) if size != *wanted => {
            if p.mode == LAY && !matches!(chars, Chars::None) {
                cx.w().problem(at, wrong_length(*wanted, size));
            }
            spot.skip(*wanted);
            return Ok(());
        }
        Length::Prefix(cell) => match cell.storage {
            Storage::Fixed(width, signed, cell_order) => {
                if p.mode == FILL {
                    if fits(units.into(), u32::from(width) * 8, signed) {
                        let order = p.cell_order(width, cell_order);
                        cx.w().int(spot.at, width.into(), order, units);
                    } else {
                        let name = format!("a length of type {}", cell_name(cell));
                        cx.w().problem(at, does_not_fit(units.into(), &name));
                    }
                }
                spot.skip(width.into());
            }
            Storage::Varint(group, most, ..) => {
                let width = varint_width(p.kept(here, KeptKind::Width), units, most);
                if p.mode == FILL && !cx.w().varint(spot.at, units, width, most, group) {
                    cx.w().problem(at, does_not_fit(units.into(), "a length"));
                }
                spot.skip(width.into());
            }
            _ => {}
        },
        Length::Fixed(_) | Length::Fill | Length::Count(_) => {}
    }
    if p.mode == FILL {
        cx.w().put(spot.at, &chars.encode(coding, order));
    }
    spot.skip(size);
    if p.mode == FILL {
        cx.w().put(spot.at, run.suffix);
    }
    spot.skip(run.suffix.len() as u64);
    Ok(())
}

/// How content is stored.
pub(super) fn coding(content: Content, order: Endian) -> (Coding, Endian) {
    match content {
        Content::Bytes | Content::Ascii | Content::Utf8 => (Coding::Bytes, order),
        Content::Utf16(Some(true)) => (Coding::Units, Endian::Big),
        Content::Utf16(Some(false)) => (Coding::Units, Endian::Little),
        Content::Utf16(None) => (Coding::Units, order),
        Content::Utf32 => (Coding::Letters, order),
    }
}
