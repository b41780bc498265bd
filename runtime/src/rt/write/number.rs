//! Numbers: cells and words.

use alloc::format;
use alloc::string::String;

use super::super::rows::RowKind;
use super::super::rows::{Cell, Meaning, Storage, Ty};
use super::super::tree::Item;
use super::super::val::Fallible;
use super::pointer::{log_pointer, pointer_number};
use super::put::{direct, fail, or, row_source, rows_of, Here, Put};
use super::source::Src;
use super::{
    bits_of, does_not_fit, kept_item, kept_none, low, not_there, put_bits, varint_width, Helpers,
    Number, Spot, Write, FILL, LAY,
};
use crate::fits;
use crate::spelling::KeptKind;

/// Name of a cell's type for messages.
pub(super) fn cell_name(cell: &Cell) -> String {
    let (bits, signed) = cell.width();
    format!("{}{bits}", if signed { "i" } else { "u" })
}

/// The number that a cell stores, and whether it is known to fit.
pub(super) fn raw<'v, W: Write<'v>>(
    cx: &mut W,
    p: &Put<'v>,
    here: Here,
    cell: &Cell,
    src: &Src<'v>,
) -> Fallible<(i128, bool)> {
    let row = here.row;
    let item = src.item();
    let exact = matches!(row.kind, RowKind::Constant(_))
        || matches!(cell.meaning, Meaning::Float | Meaning::Word(_) | Meaning::WordNode(_));
    if matches!(item, Item::Unset) {
        cx.w().problem(p.at(here), not_there());
    }
    let number = match (&item, cell.meaning) {
        #[allow(clippy::cast_possible_truncation)] // The width of the cell is what is meant.
        (Item::Float { bits, bytes: 8 }, Meaning::Float) if cell.width().0 == 32 => {
            Some((f64::from_bits(*bits) as f32).to_bits().into())
        }
        _ => item.number(),
    };
    let Some(n) = number else {
        let first = row.none.first().copied().unwrap_or(0);
        let none = match row.none {
            [_, _, ..] => kept_none(p.kept(here, KeptKind::Number), row.none, first),
            _ => first,
        };
        return Ok((none, exact));
    };
    let n = match cell.meaning {
        Meaning::Bool(yes) => {
            if n != 0 {
                yes.into()
            } else {
                0
            }
        }
        Meaning::Int | Meaning::Member(_) => {
            let n = match row.refers {
                Some((path, Some(filter))) => match cx.rank(path, filter, p.node, n) {
                    Ok(Some(n)) => n,
                    Ok(None) => {
                        cx.w().problem(p.at(here), super::no_rank(n));
                        0
                    }
                    Err(fault) => fail(cx, p.mode, fault, p.at(here)).map(|()| 0)?,
                },
                _ => n,
            };
            let stored = n.checked_add(row.plus).unwrap_or(n);
            if matches!(row.refers, Some((_, Some(_)))) && row.none.contains(&stored) {
                cx.w().problem(p.at(here), super::is_nothing(n));
            }
            stored
        }
        _ => n,
    };
    Ok((n, exact))
}

pub(super) fn put_cell<'v, W: Write<'v>>(
    cx: &mut W,
    p: &Put<'v>,
    here: Here,
    cell: &'static Cell,
    src: &Src<'v>,
    spot: &mut Spot,
) -> Fallible<()> {
    if let Meaning::WordNode(word) | Meaning::DirectWord(word) = cell.meaning {
        return put_word(cx, p, here, cell, word, src, spot);
    }
    let at = p.at(here);
    match cell.storage {
        Storage::Fixed(bytes, signed, order) => {
            if p.mode == FILL {
                let (n, exact) = raw(cx, p, here, cell, src)?;
                if exact || fits(n, u32::from(bytes) * 8, signed) {
                    let order = p.cell_order(bytes, order);
                    cx.w().int(spot.at, bytes.into(), order, low(n));
                } else {
                    cx.w().problem(at, does_not_fit(n, &cell_name(cell)));
                }
            }
            spot.skip(bytes.into());
        }
        Storage::Varint(order, most, bits, _) => {
            let (n, _) = raw(cx, p, here, cell, src)?;
            let value = u64::try_from(n).unwrap_or(u64::MAX);
            let width = varint_width(p.kept(here, KeptKind::Width), value, most);
            if p.mode == FILL
                && (!fits(n, bits, false) || !cx.w().varint(spot.at, value, width, most, order))
            {
                cx.w().problem(at, does_not_fit(n, &cell_name(cell)));
            }
            spot.skip(width.into());
        }
        Storage::Bits(width, msb_first) => {
            if p.mode == FILL {
                let (n, _) = raw(cx, p, here, cell, src)?;
                if fits(n, width.into(), false) {
                    put_bits(&mut cx.w().out, *spot, width, msb_first, low(n));
                } else {
                    cx.w().problem(at, does_not_fit(n, &format!("{width} bits")));
                }
            }
            spot.skip_bits(width);
        }
        Storage::Word(..) | Storage::Letter(..) | Storage::Tag => {}
    }
    Ok(())
}

/// Puts a word that has a node, or bit fields that are a struct.
pub(super) fn put_word<'v, W: Write<'v>>(
    cx: &mut W,
    p: &Put<'v>,
    here: Here,
    cell: &'static Cell,
    word: u16,
    src: &Src<'v>,
    spot: &mut Spot,
) -> Fallible<()> {
    let Storage::Fixed(bytes, _, order) = cell.storage else { return Ok(()) };
    let noded = matches!(cell.meaning, Meaning::WordNode(_));
    let mut inner = direct(p, word, src, spot.at);
    if noded {
        let Some(node) = cx.node_at(p.loc(here)) else {
            spot.skip(bytes.into());
            return Ok(());
        };
        (inner.node, inner.noded) = (node, true);
        if matches!(src, Src::Item(_)) {
            inner.value = cx.node_value(node);
        }
        if p.mode == LAY {
            cx.w().lay_word(node, spot.at, spot.at.saturating_add(bytes.into()));
        }
    }
    if p.mode == LAY {
        log_word(cx, &inner, spot.at);
    }
    if p.mode == FILL {
        let number = match &inner.value {
            Src::Item(item) => Ok(low(item.number().unwrap_or(0))),
            _ => word_number(cx, &inner),
        };
        let number = or(cx, p.mode, number, 0, p.at(here))?;
        cx.w().int(spot.at, bytes.into(), p.cell_order(bytes, order), number);
    }
    spot.skip(bytes.into());
    Ok(())
}

/// The cell of a row in a word.
pub(super) fn word_cell(ty: &'static Ty) -> Option<&'static Cell> {
    let cell = match ty {
        Ty::Cell(cell) => cell,
        Ty::Pointer(pointer) => &pointer.cell,
        _ => return None,
    };
    matches!(cell.storage, Storage::Word(..)).then_some(cell)
}

/// Logs the pointers in a word.
pub(super) fn log_word<'v, W: Write<'v>>(cx: &mut W, p: &Put<'v>, at: u64) {
    for (number, row) in (0_u16..).zip(rows_of(cx, p.record).rows) {
        if let (Ty::Pointer(pointer), Some(_)) = (&row.ty, word_cell(&row.ty)) {
            let here = Here { row, index: None };
            if let Ok(src) = row_source(cx, p, number, here) {
                log_pointer(cx, p, here, pointer, &src, at);
            }
        }
    }
}

/// The integer made of bit fields.
pub(super) fn word_number<'v, W: Write<'v>>(cx: &mut W, p: &Put<'v>) -> Fallible<u64> {
    let mut word = 0;
    for (number, row) in (0_u16..).zip(rows_of(cx, p.record).rows) {
        let Some(cell) = word_cell(&row.ty) else { continue };
        let Storage::Word(first, last, _) = cell.storage else { continue };
        let here = Here { row, index: None };
        let n = if matches!(row.kind, RowKind::Zero | RowKind::Reserved) {
            let kept = p.kept(here, KeptKind::Reserved);
            kept.and_then(|entry| kept_item(&entry.stored).number()).unwrap_or(0)
        } else {
            let src = row_source(cx, p, number, here)?;
            number_of(cx, p, here, cell, &src)?
        };
        let width = cell.width().0;
        if fits(n, width, false) || fits(n, width, true) {
            word |= bits_of(n, first, last);
        } else {
            cx.w().problem(p.at(here), does_not_fit(n, &format!("{width} bits")));
        }
    }
    Ok(word)
}

/// The number of a row that is a cell or a pointer.
pub(super) fn number_of<'v, W: Write<'v>>(
    cx: &mut W,
    p: &Put<'v>,
    here: Here,
    cell: &Cell,
    src: &Src<'v>,
) -> Fallible<i128> {
    match &here.row.ty {
        Ty::Pointer(pointer) => pointer_number(cx, p, here, pointer, src),
        _ => raw(cx, p, here, cell, src).map(|(n, _)| n),
    }
}
