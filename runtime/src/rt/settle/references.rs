//! References: numbers and pointers that must hit an element of an array.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::rc::Rc;
use alloc::vec::Vec;

use super::super::read::{pointer_of, slot_read, target_address, Reader, Reference, SlotRead};
use super::super::tree::{through, Item, Loc, NodeId};
use super::super::val::{Fallible, Fault, Val};
use super::refused;
use crate::ReadErrorKind;

/// What many references need again and again.
#[derive(Default)]
pub(super) struct Arrays {
    /// Elements for which a filter holds, by array and filter.
    ranks: BTreeMap<(NodeId, u16, u16), Rc<Vec<u32>>>,
    /// Positions of elements by address.
    addresses: BTreeMap<(NodeId, u16), Rc<BTreeMap<u64, u32>>>,
    /// Contents of a field of all elements.
    contents: BTreeMap<(NodeId, u16, usize), Rc<BTreeSet<i128>>>,
}

/// Makes sure that what a row refers to is there.
pub(super) fn resolve_reference<'i, R: Reader<'i>>(
    cx: &mut R,
    loc: Loc,
    slot: &'static SlotRead,
    arrays: &mut Arrays,
) -> Fallible<()> {
    let Some(reference) = &slot.reference else { return Ok(()) };
    match through(&cx.core().tree.slot(loc.node, loc.slot).item) {
        Item::Absent | Item::Unset => Ok(()),
        Item::Array(array) => {
            for index in 0..array.count {
                resolve_one(cx, Loc { index: Some(index), ..loc }, reference, arrays)?;
            }
            Ok(())
        }
        _ => resolve_one(cx, loc, reference, arrays),
    }
}

fn resolve_one<'i, R: Reader<'i>>(
    cx: &mut R,
    loc: Loc,
    reference: &'static Reference,
    arrays: &mut Arrays,
) -> Fallible<()> {
    let number = match cx.core().tree.item(loc) {
        Item::Int(n) => *n,
        _ => return Ok(()),
    };
    cx.charge(1)?;
    let Some(array) = referred(cx, reference, loc)? else {
        return Err(refused(cx.core_mut(), loc, ReadErrorKind::NotAnElement { target: number }));
    };
    let count = cx.core().tree.count_items(array);
    if reference.pointer {
        if let Some(address) = address_of(cx, loc)? {
            let addresses = addresses(cx, array, arrays)?;
            return match addresses.get(&address).copied() {
                Some(index) => {
                    set_element(cx, loc, index, address);
                    Ok(())
                }
                None => {
                    let kind = ReadErrorKind::NotAnElement { target: number };
                    Err(refused(cx.core_mut(), loc, kind))
                }
            };
        }
    }
    if let Some(field) = reference.field {
        let contents = contents(cx, array, field, arrays)?;
        return if contents.contains(&number) {
            Ok(())
        } else {
            let kind = ReadErrorKind::NotAnElement { target: number };
            Err(refused(cx.core_mut(), loc, kind))
        };
    }
    if let Some(filter) = reference.filter {
        let ranks = ranks(cx, array, filter, loc.node, arrays)?;
        let index = usize::try_from(number).ok().and_then(|n| ranks.get(n)).copied();
        return match index {
            Some(index) => {
                if let Some(entry) = cx.core_mut().tree.entry_mut(loc) {
                    *entry = Item::Int(index.into());
                }
                Ok(())
            }
            None => {
                let count = ranks.len() as u64;
                let kind = ReadErrorKind::IndexOutOfRange { index: number, count };
                Err(refused(cx.core_mut(), loc, kind))
            }
        };
    }
    if number < 0 || number >= i128::from(count) {
        let kind = ReadErrorKind::IndexOutOfRange { index: number, count };
        return Err(refused(cx.core_mut(), loc, kind));
    }
    Ok(())
}

/// The address that a pointer to an element stores.
fn address_of<'i, R: Reader<'i>>(cx: &mut R, loc: Loc) -> Fallible<Option<u64>> {
    // Of elements of an array the numbers are compared, not the addresses.
    let of = match slot_read(cx, loc) {
        Some(slot) if !slot.pointer.is_empty() => pointer_of(cx, Loc { index: None, ..loc }),
        _ => None,
    };
    let Some(of) = of.filter(|of| !of.own) else { return Ok(None) };
    let Some(pointer) = cx.core().tree.pointer(loc) else { return Ok(None) };
    let (stored, cell) = (pointer.stored, pointer.cell);
    match target_address(cx, loc.node, &of, stored, cell) {
        Ok(address) => Ok(Some(address)),
        Err(error) => {
            let core = cx.core_mut();
            Err(Box::new(Fault::Read(core.located(error, loc))))
        }
    }
}

/// Remembers which element a pointer leads to.
fn set_element<'i, R: Reader<'i>>(cx: &mut R, loc: Loc, index: u32, address: u64) {
    if let Some(pointer) = cx.core_mut().tree.pointer_mut(loc) {
        pointer.target = Item::Int(index.into());
        pointer.at = address;
    }
}

/// The element that a pointer refers to, also while the file is being read.
///
/// # Errors
///
/// If it leads to none.
pub fn element_of<'i, R: Reader<'i>>(cx: &mut R, loc: Loc) -> Fallible<Option<Loc>> {
    let Some(reference) = slot_read(cx, loc).and_then(|slot| slot.reference.as_ref()) else {
        return Ok(None);
    };
    if !reference.pointer {
        return Ok(None);
    }
    cx.force_loc(loc)?;
    let Item::Int(number) = *cx.core().tree.item(loc) else { return Ok(None) };
    let Some(array) = referred(cx, reference, loc)? else { return Ok(None) };
    let known = match cx.core().tree.pointer(loc) {
        Some(pointer) => pointer.at != pointer.cell,
        None => return Ok(None),
    };
    let count = cx.core().tree.count_items(array);
    if !known {
        let Some(address) = address_of(cx, loc)? else { return Ok(None) };
        for index in 0..u32::try_from(count).unwrap_or(u32::MAX) {
            cx.charge(1)?;
            let element = Loc { index: Some(index), ..array };
            if cx.loc_address(element, false)? == Some(address) {
                set_element(cx, loc, index, address);
                return Ok(Some(element));
            }
        }
        let kind = ReadErrorKind::NotAnElement { target: number };
        return Err(refused(cx.core_mut(), loc, kind));
    }
    let index = u32::try_from(number).ok();
    let inside = index.is_some_and(|index| u64::from(index) < count);
    Ok(inside.then_some(Loc { index, ..array }))
}

/// The array that a reference means.
fn referred<'i, R: Reader<'i>>(
    cx: &mut R,
    reference: &'static Reference,
    loc: Loc,
) -> Fallible<Option<Loc>> {
    let found = cx.find(reference.array, loc.node, None)?;
    match found.values.into_iter().next() {
        Some(Val::Loc(mut array)) => {
            cx.force_loc(array)?;
            // A transparent record stands for the array in it.
            while let Item::Node(node) = *cx.core().tree.item(array) {
                match cx.core().tree.info(node).transparent {
                    Some(slot) => array = Loc::slot(node, slot),
                    None => break,
                }
            }
            Ok(matches!(cx.core().tree.item(array), Item::Array(_)).then_some(array))
        }
        _ => Ok(None),
    }
}

fn addresses<'i, R: Reader<'i>>(
    cx: &mut R,
    array: Loc,
    arrays: &mut Arrays,
) -> Fallible<Rc<BTreeMap<u64, u32>>> {
    if let Some(known) = arrays.addresses.get(&(array.node, array.slot)) {
        return Ok(Rc::clone(known));
    }
    let count = u32::try_from(cx.core().tree.count_items(array)).unwrap_or(u32::MAX);
    let mut addresses = BTreeMap::new();
    for index in (0..count).rev() {
        let element = Loc { index: Some(index), ..array };
        if let Some(at) = cx.loc_address(element, false)? {
            addresses.insert(at, index);
        }
    }
    let addresses = Rc::new(addresses);
    arrays.addresses.insert((array.node, array.slot), Rc::clone(&addresses));
    Ok(addresses)
}

fn contents<'i, R: Reader<'i>>(
    cx: &mut R,
    array: Loc,
    field: &'static [(u16, u16)],
    arrays: &mut Arrays,
) -> Fallible<Rc<BTreeSet<i128>>> {
    let key = (array.node, array.slot, field.as_ptr() as usize);
    if let Some(known) = arrays.contents.get(&key) {
        return Ok(Rc::clone(known));
    }
    let tree = &cx.core().tree;
    let mut found = BTreeSet::new();
    if let Item::Array(list) = tree.item(array) {
        for item in &list.items {
            let Item::Node(node) = through(item) else { continue };
            let record = tree.node(*node).record;
            let Some((_, slot)) = field.iter().find(|(r, _)| *r == record) else { continue };
            if let Item::Int(n) = tree.item(Loc::slot(*node, *slot)) {
                found.insert(*n);
            }
        }
    }
    cx.charge(found.len() as u64)?;
    let contents = Rc::new(found);
    arrays.contents.insert(key, Rc::clone(&contents));
    Ok(contents)
}

fn ranks<'i, R: Reader<'i>>(
    cx: &mut R,
    array: Loc,
    filter: u16,
    this: NodeId,
    arrays: &mut Arrays,
) -> Fallible<Rc<Vec<u32>>> {
    let key = (array.node, array.slot, filter);
    if let Some(known) = arrays.ranks.get(&key) {
        return Ok(Rc::clone(known));
    }
    let count = u32::try_from(cx.core().tree.count_items(array)).unwrap_or(u32::MAX);
    let mut ranks = Vec::new();
    for index in 0..count {
        let it = Val::Loc(Loc { index: Some(index), ..array });
        if cx.truth(filter, this, Some(&it))? {
            ranks.push(index);
        }
    }
    let ranks = Rc::new(ranks);
    arrays.ranks.insert(key, Rc::clone(&ranks));
    Ok(ranks)
}
