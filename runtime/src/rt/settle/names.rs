//! Names of elements, which dictionaries hold.

use super::prelude::*;

/// A list of names that no dictionary of the file has filled is empty.
pub(super) fn leave_unnamed<'i, R: Reader<'i>>(cx: &mut R, loc: Loc, slot: &'static SlotRead) {
    if slot.name_list && !is_gone(cx, loc) && is_unfilled(cx, loc) {
        let list = Item::Array(Box::new(ArrayItem::of(Vec::new())));
        cx.core_mut().tree.set(loc.node, loc.slot, list);
    }
}

pub(super) fn is_unfilled<'i, R: Reader<'i>>(cx: &R, loc: Loc) -> bool {
    slot_read(cx, loc).is_some_and(|slot| slot.elsewhere)
        && matches!(cx.core().tree.slot(loc.node, loc.slot).item, Item::Unset | Item::Absent)
}

/// Gives elements the names that a dictionary holds for them.
pub(super) fn fill_names<'i, R: Reader<'i>>(
    cx: &mut R,
    loc: Loc,
    slot: &'static SlotRead,
) -> Fallible<()> {
    let Some(path) = slot.names else { return Ok(()) };
    let core = cx.core();
    let Item::Array(array) = core.tree.item(loc) else { return Ok(()) };
    let mut names: Vec<Text<'i>> = Vec::with_capacity(array.items.len());
    for item in array.items.iter().skip(1) {
        let Item::Node(node) = through(item) else { continue };
        let record = core.tree.node(*node).record;
        let name = core.tables.records[usize::from(record)].table.get(3).copied();
        if let Some(name) = name {
            if let Item::Text(text) = core.tree.item(Loc::slot(*node, name)) {
                names.push(text.clone());
            }
        }
    }
    let found = cx.find(path, loc.node, None)?;
    let places: Vec<Loc> = found
        .values
        .iter()
        .filter_map(|val| match val {
            Val::Loc(place) => Some(*place),
            _ => None,
        })
        .collect();
    if let ([only], false) = (places.as_slice(), found.many) {
        if slot_read(cx, *only).is_some_and(|slot| slot.name_list) {
            if is_unfilled(cx, *only) {
                let items = names.into_iter().map(Item::Text).collect();
                let list = Item::Array(Box::new(ArrayItem::of(items)));
                cx.core_mut().tree.set(only.node, only.slot, list);
            }
            return Ok(());
        }
    }
    if places.len() != names.len() && places.iter().any(|place| is_unfilled(cx, *place)) {
        return eval_error(format!(
            "the dictionary has {} names for {} elements",
            names.len(),
            places.len()
        ));
    }
    for (place, name) in places.into_iter().zip(names) {
        if is_unfilled(cx, place) {
            cx.core_mut().tree.set(place.node, place.slot, Item::Text(name));
        }
    }
    Ok(())
}
