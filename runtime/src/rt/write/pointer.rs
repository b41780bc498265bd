//! Pointers, and what is logged of them.

use super::super::labels;
use super::super::rows::{by_epoch, Pointer, Storage, Target};
use super::super::tree::UNPLACED;
use super::super::val::Fallible;
use super::labels as log;
use super::number::cell_name;
use super::put::{has_relocation, int, or, Here, Put};
use super::source::Src;
use super::{does_not_fit, low, target_of, At, Helpers, Number, Run as _, Spot, Write, FILL, LAY};
use crate::fits;
use crate::problem::ProblemKind;

pub(super) fn put_pointer<'v, W: Write<'v>>(
    cx: &mut W,
    p: &Put<'v>,
    here: Here,
    pointer: &'static Pointer,
    src: &Src<'v>,
    spot: &mut Spot,
) -> Fallible<()> {
    let Storage::Fixed(width, signed, order) = pointer.cell.storage else { return Ok(()) };
    if p.mode == LAY {
        if p.slot(here.row).is_some() {
            let cell = spot.at;
            if let Some(pointer) = cx.tree_mut().pointer_mut(p.loc(here)) {
                pointer.cell = cell;
            }
        }
        log_pointer(cx, p, here, pointer, src, spot.at);
    }
    if p.mode == FILL {
        let n = pointer_number(cx, p, here, pointer, src)?;
        if fits(n, u32::from(width) * 8, signed) {
            cx.w().int(spot.at, width.into(), p.cell_order(width, order), low(n));
        } else {
            cx.w().problem(p.at(here), does_not_fit(n, &cell_name(&pointer.cell)));
        }
    }
    spot.skip(width.into());
    Ok(())
}

/// Logs a pointer at an address for pools and the relocation table.
pub(super) fn log_pointer<'v, W: Write<'v>>(
    cx: &mut W,
    p: &Put<'v>,
    here: Here,
    pointer: &'static Pointer,
    src: &Src<'v>,
    at: u64,
) {
    let is_set = match src {
        Src::Nothing | Src::None => false,
        Src::Item(item) => super::is_set(item),
        _ => true,
    };
    let (kind, node) = (pointer.kind, p.node);
    if let (Target::Pooled(_), Src::Item(item), true) = (&pointer.target, src, is_set) {
        let text = target_of(item);
        cx.w().log.labels.push(log::Label { cell: at, kind, node, text });
    }
    if !has_relocation(cx) {
        return;
    }
    let class = match by_epoch(pointer.class, cx.epoch()) {
        Some(labels::Class::Array) => log::Class::Array,
        Some(labels::Class::Dictionary) => log::Class::Dictionary,
        Some(labels::Class::Text) => log::Class::Text,
        Some(labels::Class::Object) | None => log::Class::Object,
    };
    let set = match (&pointer.target, p.slot(here.row)) {
        (Target::Own(_), Some(_)) => log::Set::Pointer(p.loc(here)),
        _ => log::Set::Known(is_set),
    };
    let (policy, section) = (pointer.list, pointer.section);
    cx.w().log.cells.push(log::Cell { at, kind, class, policy, section, set });
}

/// The number that a pointer stores.
pub(super) fn pointer_number<'v, W: Write<'v>>(
    cx: &mut W,
    p: &Put<'v>,
    here: Here,
    pointer: &'static Pointer,
    src: &Src<'v>,
) -> Fallible<i128> {
    let at = p.at(here);
    let item = src.item();
    let address = match &pointer.target {
        Target::Own(_) => cx.own_address(p.loc(here), pointer.empty),
        Target::Pooled(_) => {
            let kinds = cx.tables().relocation.kinds;
            let pool = kinds.get(usize::from(pointer.kind)).and_then(|kind| kind.pool);
            let pool = pool.map_or(u16::MAX, |(path, _)| path);
            cx.label_address(pool, p.node, item.chars(), at)
        }
        Target::Element => {
            let path = here.row.refers.map_or(u16::MAX, |(path, _)| path);
            cx.element_address(path, p.node, item.number())
        }
    };
    let none = here.row.none.first().copied().or(pointer.kind_none);
    let number = stored(cx, p, address, none, pointer, at);
    or(cx, p.mode, number, 0, at)
}

/// The number for an address.
pub(super) fn stored<'v, W: Write<'v>>(
    cx: &mut W,
    p: &Put<'v>,
    address: Fallible<Option<u64>>,
    none: Option<i128>,
    pointer: &Pointer,
    at: At,
) -> Fallible<i128> {
    let Some(address) = address? else {
        if none.is_none() {
            cx.w().problem(at, ProblemKind::MissingField);
        }
        return Ok(none.unwrap_or(0));
    };
    if address == UNPLACED {
        cx.w().problem(at, ProblemKind::NotPlaced);
        return Ok(0);
    }
    let base = match pointer.base {
        Some(base) => int(cx, p, base)?.unwrap_or(0),
        None => 0,
    };
    Ok(i128::from(address) + i128::from(pointer.skip) - base)
}
