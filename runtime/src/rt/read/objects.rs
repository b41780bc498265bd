//! What lies behind addresses: targets of pointers and objects, in order and on demand.

use alloc::format;
use alloc::vec::Vec;

use super::super::rows::Home;
use super::super::tree::{ArrayItem, Bytes, Item, Loc, NodeId, NOTHING, UNPLACED};
use super::super::val::{eval_error, Fallible, Fault, Val};
use super::tables::{Pointer, SlotKind, SlotRead};
use super::{count_of, expression, target, Cursor, Read, Reader};
use crate::spelling::{KeptKind, KeptValue};
use crate::{ReadError, ReadErrorKind};

/// What to do next to read everything that a node leads to.
enum Next {
    Node(NodeId),
    Slot(NodeId, u16),
    Element(Loc),
}

/// What the schema says about a slot.
pub(in super::super) fn slot_read<'i, R: Reader<'i>>(
    cx: &R,
    loc: Loc,
) -> Option<&'static SlotRead> {
    let core = cx.core();
    let record = core.tree.node(loc.node).record;
    core.tables.records.get(usize::from(record))?.slots.get(usize::from(loc.slot))
}

fn by_epoch<T: Copy>(list: &'static [Option<T>], epoch: usize) -> Option<T> {
    match list {
        [one] => *one,
        list => list.get(epoch).copied().flatten(),
    }
}

pub(in super::super) fn pointer_of<'i, R: Reader<'i>>(cx: &R, loc: Loc) -> Option<Pointer> {
    let slot = slot_read(cx, loc)?;
    let list = if loc.index.is_some() { slot.element } else { slot.pointer };
    by_epoch(list, cx.core().epoch)
}

/// Whether a row does not exist in the file's epoch.
pub(in super::super) fn is_gone<'i, R: Reader<'i>>(cx: &R, loc: Loc) -> bool {
    let core = cx.core();
    core.row_of(loc.node, loc.slot).home(core.epoch) == Home::Absent
}

/// Reads everything that a node leads to, in the order of rows, depth first.
///
/// # Errors
///
/// The first thing that does not fit the schema, with its whole path.
pub fn resolve<'i, R: Reader<'i>>(cx: &mut R, root: NodeId) -> Read<()> {
    let mut todo: Vec<Next> = Vec::new();
    todo.push(Next::Node(root));
    while let Some(next) = todo.pop() {
        match next {
            Next::Node(node) => {
                let record = cx.core().tree.node(node).record;
                let order = cx.core().tables.records[usize::from(record)].order;
                todo.extend(order.iter().rev().map(|slot| Next::Slot(node, *slot)));
            }
            Next::Slot(node, slot) => {
                let loc = Loc::slot(node, slot);
                let unset = matches!(cx.core().tree.slot(node, slot).item, Item::Unset);
                if let Some(SlotRead { kind: SlotKind::Object(address), when, .. }) =
                    slot_read(cx, loc)
                {
                    if unset {
                        read_object(cx, loc, *address, *when)?;
                    }
                }
                push_targets(cx, loc, &mut todo)?;
            }
            Next::Element(loc) => push_targets(cx, loc, &mut todo)?,
        }
    }
    Ok(())
}

/// Reads the target of a pointer in a slot or element, and remembers what it leads to.
fn push_targets<'i, R: Reader<'i>>(cx: &mut R, loc: Loc, todo: &mut Vec<Next>) -> Read<()> {
    force_target(cx, loc)?;
    if matches!(slot_read(cx, loc), Some(SlotRead { kind: SlotKind::Slice(_), .. })) {
        return Ok(());
    }
    match cx.core().tree.item(loc) {
        Item::Node(node) => todo.push(Next::Node(*node)),
        Item::Array(array) if loc.index.is_none() => {
            let leads = |item: &Item<'_>| matches!(item, Item::Node(_) | Item::Pointer(_));
            if array.items.iter().any(leads) {
                let elements = (0..array.count).rev();
                todo.extend(elements.map(|i| Next::Element(Loc { index: Some(i), ..loc })));
            }
        }
        _ => {}
    }
    Ok(())
}

/// Makes sure that what the pointer in a slot or element leads to has been read.
///
/// # Errors
///
/// If it does not fit the schema.
pub fn force_target<'i, R: Reader<'i>>(cx: &mut R, loc: Loc) -> Read<()> {
    let Some(pointer) = cx.core().tree.pointer(loc) else { return Ok(()) };
    if !matches!(pointer.target, Item::Unset) || pointer.busy {
        return Ok(());
    }
    let Some(of) = pointer_of(cx, loc) else { return Ok(()) };
    let (stored, cell) = (pointer.stored, pointer.cell);
    let core = cx.core_mut();
    if let Some(pointer) = core.tree.pointer_mut(loc) {
        pointer.busy = true;
    }
    let around = core::mem::replace(&mut core.object, loc);
    let result = read_target(cx, loc, &of, stored, cell);
    let core = cx.core_mut();
    core.object = around;
    let result = result.map_err(|error| core.located(error, loc));
    if let Some(pointer) = core.tree.pointer_mut(loc) {
        pointer.busy = false;
        let (target, value, at, end) = result?;
        pointer.target = target;
        pointer.value = value;
        pointer.at = at;
        pointer.end = end;
    }
    Ok(())
}

type Target<'i> = (Item<'i>, u32, u64, u64);

fn read_target<'i, R: Reader<'i>>(
    cx: &mut R,
    loc: Loc,
    pointer: &Pointer,
    stored: i128,
    cell: u64,
) -> Read<Target<'i>> {
    let none = pointer.none.contains(&stored);
    if !pointer.own {
        // An element is looked for when all arrays are there, or when somebody asks for it.
        let absent = none && pointer.optional;
        let item = if absent { Item::Absent } else { Item::Int(stored) };
        return Ok((item, NOTHING, cell, cell));
    }
    if none {
        return read_none(cx, loc, pointer, cell);
    }
    let at = target_address(cx, loc.node, pointer, stored, cell)?;
    let length = cx.core().length();
    let mut cursor = Cursor::new(at, length);
    let (item, value) = super::records::part(cx, loc, true, &mut cursor)?;
    cursor.align_bits();
    let end = cursor.at;
    cx.core_mut().claim(at, end);
    let empty = match &item {
        Item::Array(array) => array.count == 0,
        Item::Bytes(bytes) => bytes.is_empty(),
        _ => false,
    };
    let free = !pointer.none_with && (pointer.count.is_some() || pointer.fill);
    if empty && free && pointer.none_when_empty {
        let (stored, instead_of) = (KeptValue::Bool(true), KeptValue::Bool(false));
        cx.core_mut().keep(loc, KeptKind::Pointer, stored, instead_of);
    }
    Ok((item, value, at, end))
}

/// What a pointer without an address leads to.
fn read_none<'i, R: Reader<'i>>(
    cx: &mut R,
    loc: Loc,
    pointer: &Pointer,
    cell: u64,
) -> Read<Target<'i>> {
    let empty = || match pointer.run {
        true => Item::Bytes(Bytes::Borrowed(&[])),
        false => Item::Array(alloc::boxed::Box::new(ArrayItem::of(Vec::new()))),
    };
    let null = || ReadError::new(ReadErrorKind::NullPointer, cell);
    if pointer.optional {
        return Ok((Item::Absent, NOTHING, cell, cell));
    }
    match pointer.count {
        None if pointer.none_with => return Ok((Item::Absent, NOTHING, cell, cell)),
        // As many elements as there is room for: without an address, none.
        None if pointer.fill => {}
        None => return Err(null()),
        Some(count) => {
            let count = cx.expr(count, loc.node, None);
            if count_of(cx.core_mut(), count, cell)? != 0 {
                return Err(null());
            }
        }
    }
    let usual = pointer.none_with && pointer.count.is_some();
    if !pointer.none_when_empty && !usual {
        let (stored, instead_of) = (KeptValue::Bool(false), KeptValue::Bool(true));
        cx.core_mut().keep(loc, KeptKind::Pointer, stored, instead_of);
    }
    Ok((empty(), NOTHING, UNPLACED, UNPLACED))
}

/// Address that the number of a pointer means.
pub(in super::super) fn target_address<'i, R: Reader<'i>>(
    cx: &mut R,
    node: NodeId,
    pointer: &Pointer,
    stored: i128,
    cell: u64,
) -> Read<u64> {
    let base = pointer.base.map(|base| cx.expr(base, node, None));
    target(cx.core_mut(), base, stored, pointer.skip, cell)
}

fn read_object<'i, R: Reader<'i>>(
    cx: &mut R,
    loc: Loc,
    address: u16,
    when: Option<u16>,
) -> Read<()> {
    if let Some(condition) = when {
        let at = cx.core().tree.node(loc.node).at;
        match cx.truth(condition, loc.node, None) {
            Ok(true) => {}
            Ok(false) => {
                cx.core_mut().tree.set(loc.node, loc.slot, Item::Absent);
                return Ok(());
            }
            Err(fault) => {
                let core = cx.core_mut();
                let error = core.fault(*fault, at);
                return Err(core.located(error, loc));
            }
        }
    }
    read_object_here(cx, loc, address)
}

/// Reads an object that no pointer cell of its owner leads to.
fn read_object_here<'i, R: Reader<'i>>(cx: &mut R, loc: Loc, address: u16) -> Read<()> {
    if is_gone(cx, loc) {
        cx.core_mut().tree.set(loc.node, loc.slot, Item::Absent);
        return Ok(());
    }
    let core = cx.core_mut();
    let from = core.tree.node(loc.node).at;
    core.tree.slot_mut(loc.node, loc.slot).busy = true;
    let around = core::mem::replace(&mut core.object, loc);
    let result = read_object_at(cx, loc, address, from);
    let core = cx.core_mut();
    core.object = around;
    core.tree.slot_mut(loc.node, loc.slot).busy = false;
    result.map_err(|error| core.located(error, loc))
}

fn read_object_at<'i, R: Reader<'i>>(cx: &mut R, loc: Loc, address: u16, from: u64) -> Read<()> {
    let address = match cx.int(address, loc.node, None) {
        Ok(address) => address,
        Err(fault) => return Err(cx.core_mut().fault(*fault, from)),
    };
    let Some(address) = address else {
        cx.core_mut().tree.set(loc.node, loc.slot, Item::Absent);
        return Ok(());
    };
    let length = cx.core().length();
    let at = match u64::try_from(address) {
        Ok(at) if at <= length => at,
        _ => {
            let kind = ReadErrorKind::PointerOutOfBounds { target: address };
            return Err(ReadError::new(kind, from));
        }
    };
    cx.core_mut().tree.slot_mut(loc.node, loc.slot).at = at;
    let mut cursor = Cursor::new(at, length);
    let (item, value) = super::records::part(cx, loc, false, &mut cursor)?;
    cursor.align_bits();
    let core = cx.core_mut();
    let slot = core.tree.slot_mut(loc.node, loc.slot);
    slot.item = item;
    slot.value = value;
    slot.end = cursor.at;
    core.claim(at, cursor.at);
    super::super::settle::check_now(cx, loc)
}

/// Makes sure that a slot has been read, objects and pointers included.
///
/// # Errors
///
/// If it does not fit the schema, or cannot be computed yet.
pub fn force_read<'i, R: Reader<'i>>(cx: &mut R, node: NodeId, slot: u16) -> Fallible<()> {
    let item = cx.core().tree.slot(node, slot);
    let fail = |error: ReadError| alloc::boxed::Box::new(Fault::Read(error));
    if item.busy {
        // Being read: what is known of it so far is known.
        return Ok(());
    }
    match item.item {
        Item::Unset => {}
        Item::Pointer(_) => return force_target(cx, Loc::slot(node, slot)).map_err(fail),
        _ => return Ok(()),
    }
    let loc = Loc::slot(node, slot);
    let Some(row) = slot_read(cx, loc) else { return Ok(()) };
    let epoch = cx.core().epoch;
    let nowhere = !matches!(row.kind, SlotKind::Plain) && !is_gone(cx, loc);
    if let (Some(condition), true) = (row.when, nowhere) {
        if !cx.truth(condition, node, None)? {
            cx.core_mut().tree.set(node, slot, Item::Absent);
            return Ok(());
        }
    }
    match row.kind {
        SlotKind::Object(address) => read_object_here(cx, loc, address).map_err(fail)?,
        SlotKind::Mark(address) => {
            let at = cx.int(address, node, None)?;
            let slot = cx.core_mut().tree.slot_mut(node, slot);
            let Some(at) = at else {
                // What would say the address is not there, so there is none.
                slot.item = Item::Absent;
                return Ok(());
            };
            slot.item = Item::Int(at);
            slot.at = u64::try_from(at).unwrap_or(UNPLACED);
            slot.end = slot.at;
        }
        SlotKind::Seen(seen) => {
            cx.core_mut().tree.slot_mut(node, slot).busy = true;
            let seen = cx.expr(seen, node, None);
            cx.core_mut().tree.slot_mut(node, slot).busy = false;
            let item = seen?.into_item();
            cx.core_mut().tree.set(node, slot, item);
        }
        // Names come from a dictionary when everything is read; until then nobody can say how many
        // there are.
        SlotKind::Unseen if !cx.core().settling => {
            return eval_error(format!("`{}` is not known yet", cx.describe(loc)));
        }
        SlotKind::Slice(_) => read_slice(cx, loc)?,
        _ if matches!(cx.core().row_of(node, slot).home(epoch), Home::At(_)) => {
            let n = cx.core().tree.node(node);
            let limit = if n.end == UNPLACED { cx.core().length() } else { n.end };
            if n.at == UNPLACED {
                return eval_error(format!("`{}` is not read yet", cx.describe(loc)));
            }
            let mut cursor = Cursor::new(n.at, limit);
            super::records::fixed_slot(cx, node, slot, &mut cursor).map_err(fail)?;
        }
        _ => {}
    }
    force_target(cx, loc).map_err(fail)
}

/// A path's elements of a shared table that belong to this node.
fn read_slice<'i, R: Reader<'i>>(cx: &mut R, loc: Loc) -> Fallible<()> {
    let Some(SlotRead { kind: SlotKind::Slice(slice), .. }) = slot_read(cx, loc) else {
        return Ok(());
    };
    let base = stored_base(cx, loc)?.unwrap_or(0);
    cx.force(loc.node, slice.count)?;
    let count = match cx.core().tree.item(Loc::slot(loc.node, slice.count)) {
        Item::Int(n) => *n,
        _ => 0,
    };
    let items = if count == 0 {
        Vec::new()
    } else {
        table_slice(cx, slice.table, base, count, loc, slice.base)?
    };
    cx.charge(items.len() as u64 + 1)?;
    let item = Item::Array(alloc::boxed::Box::new(ArrayItem::of(items)));
    cx.core_mut().tree.set(loc.node, loc.slot, item);
    Ok(())
}

/// Index of a slice's first element, as its row says it.
pub(in super::super) fn stored_base<'i, R: Reader<'i>>(
    cx: &mut R,
    loc: Loc,
) -> Fallible<Option<i128>> {
    let Some(SlotRead { kind: SlotKind::Slice(slice), .. }) = slot_read(cx, loc) else {
        return Ok(None);
    };
    cx.force(loc.node, slice.base)?;
    let Item::Int(stored) = *cx.core().tree.item(Loc::slot(loc.node, slice.base)) else {
        return Ok(None);
    };
    scaled(stored, slice.factor, slice.offset).map(Some)
}

/// Index that a stored number means.
pub(in super::super) fn scaled(stored: i128, factor: i128, offset: i128) -> Fallible<i128> {
    match stored.checked_mul(factor).and_then(|n| n.checked_add(offset)) {
        Some(index) => Ok(index),
        None => eval_error("the base of the slice is too large"),
    }
}

fn table_slice<'i, R: Reader<'i>>(
    cx: &mut R,
    table: u16,
    base: i128,
    count: i128,
    loc: Loc,
    base_slot: u16,
) -> Fallible<Vec<Item<'i>>> {
    let found = cx.find(table, loc.node, None)?;
    let Some(Val::Loc(table)) = found.values.into_iter().next() else {
        return eval_error("the shared table is not there");
    };
    cx.force_loc(table)?;
    let Item::Array(array) = cx.core().tree.item(table) else {
        return eval_error("the shared table is not there");
    };
    let range = usize::try_from(base)
        .ok()
        .zip(base.checked_add(count).and_then(|end| usize::try_from(end).ok()));
    match range.and_then(|(from, to)| array.items.get(from..to)) {
        Some(items) => Ok(items.to_vec()),
        None => {
            let kind = ReadErrorKind::IndexOutOfRange { index: base, count: array.count.into() };
            let core = cx.core_mut();
            let at = core.tree.slot(loc.node, base_slot).at;
            let error = core.error(kind, at, loc);
            Err(alloc::boxed::Box::new(Fault::Read(error)))
        }
    }
}

/// The error of a file that is read strictly and about which something was noted.
///
/// # Errors
///
/// That.
pub fn strictly<'i, R: Reader<'i>>(cx: &mut R) -> Read<()> {
    let core = cx.core();
    match core.notes.all().first().filter(|_| core.options.strict) {
        Some(note) => Err(expression(note.message.as_str(), note.offset)),
        None => Ok(()),
    }
}
