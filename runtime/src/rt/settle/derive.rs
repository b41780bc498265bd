//! Rows that follow from others, always or usually.

use super::super::tables::{digest, Table};
use super::prelude::*;

/// A pointer that is none exactly if an array is empty.
pub(super) fn compare_none_with<'i, R: Reader<'i>>(
    cx: &mut R,
    loc: Loc,
    slot: &'static SlotRead,
) -> Fallible<()> {
    let Some(with) = slot.none_with else { return Ok(()) };
    let Item::Pointer(item) = &cx.core().tree.slot(loc.node, loc.slot).item else {
        return Ok(());
    };
    let stored = item.stored;
    let none = pointer_of(cx, loc).is_some_and(|pointer| pointer.none.first() == Some(&stored));
    let with = Loc::slot(loc.node, with);
    cx.force_loc(with)?;
    let empty = cx.core().tree.count_items(with) == 0;
    if none == empty {
        return Ok(());
    }
    let words = |none: bool| if none { "no pointer" } else { "a pointer" };
    let kind =
        ReadErrorKind::NotDerived { expected: words(empty).into(), actual: words(none).into() };
    Err(refused(cx.core_mut(), loc, kind))
}

pub(super) enum Canonical<'i> {
    Val(Val<'i>),
    Table(Table<'i>),
}

pub(super) fn canonical<'i, R: Reader<'i>>(
    cx: &mut R,
    usual: &'static Usual,
    node: NodeId,
) -> Fallible<Canonical<'i>> {
    Ok(match usual {
        Usual::Expr(number) => {
            let val = cx.expr(*number, node, None)?;
            Canonical::Val(cx.load(val)?)
        }
        Usual::Patricia(path) => {
            let nodes = cx.patricia(*path, node)?;
            Canonical::Table(nodes.into_iter().map(|(node, name)| row_of(&node, name)).collect())
        }
        Usual::Sections => Canonical::Table(super::relocation::tables(cx)?.0),
        Usual::Entries => Canonical::Table(super::relocation::tables(cx)?.1),
        Usual::Measure { measure, slot, factor, offset } => {
            let measured = match measured(cx, measure, Loc::slot(node, *slot))? {
                Val::Int(n) => n,
                other => return Ok(Canonical::Val(other)),
            };
            let rest = measured.checked_sub(*offset);
            let exact = rest.filter(|rest| rest.checked_rem(*factor) == Some(0));
            match exact.and_then(|rest| rest.checked_div(*factor)) {
                Some(stored) => Canonical::Val(Val::Int(stored)),
                None => {
                    return eval_error(format!(
                        "{measured} is not {factor} times a whole number plus {offset}"
                    ));
                }
            }
        }
    })
}

pub(super) fn row_of<'i>(node: &DictionaryNode, name: Text<'i>) -> Vec<Item<'i>> {
    let numbers = [i128::from(node.bit), i128::from(node.zero), i128::from(node.one)];
    numbers.into_iter().map(Item::Int).chain(core::iter::once(Item::Text(name))).collect()
}

pub(super) fn measured<'i, R: Reader<'i>>(
    cx: &mut R,
    measure: &'static Measure,
    loc: Loc,
) -> Fallible<Val<'i>> {
    Ok(match measure {
        Measure::Count => {
            cx.force(loc.node, loc.slot)?;
            Val::Int(count_units(cx, loc).into())
        }
        Measure::Size => {
            cx.force(loc.node, loc.slot)?;
            match (cx.loc_address(loc, false)?, cx.loc_address(loc, true)?) {
                (Some(at), Some(end)) if at != UNPLACED && end != UNPLACED => {
                    Val::Int(i128::from(end) - i128::from(at))
                }
                (None, _) | (_, None) => Val::None,
                _ => return eval_error("a size is asked for before it is known"),
            }
        }
        Measure::End => match placed(cx, loc, true)? {
            Some(end) => Val::Int(end.into()),
            None => Val::None,
        },
        Measure::At(base) => {
            let Some(at) = placed(cx, loc, false)? else { return Ok(Val::None) };
            match cx.int(*base, loc.node, None)? {
                Some(base) => match i128::from(at).checked_sub(base) {
                    Some(n) => Val::Int(n),
                    None => return eval_error("a number is beyond 128 bits"),
                },
                None => Val::Int(at.into()),
            }
        }
        Measure::Base => Val::Int(stored_base(cx, loc)?.unwrap_or(0)),
        Measure::Tag(tags) => {
            let Item::Node(node) = cx.core().tree.item(loc) else { return Ok(Val::None) };
            let record = cx.core().tree.node(*node).record;
            match tags.iter().find(|(case, _)| *case == record) {
                Some((_, constant)) => Val::of(&constant.item()),
                None => Val::None,
            }
        }
    })
}

pub(super) fn placed<'i, R: Reader<'i>>(cx: &mut R, loc: Loc, end: bool) -> Fallible<Option<u64>> {
    cx.force(loc.node, loc.slot)?;
    match cx.loc_address(loc, end)? {
        Some(UNPLACED) => Err(Box::new(Fault::NotPlaced(cx.describe(loc)))),
        other => Ok(other),
    }
}

/// Elements of an array, bytes of a byte run, units of a text.
pub(super) fn count_units<'i, R: Reader<'i>>(cx: &R, loc: Loc) -> u64 {
    let unit = slot_read(cx, loc).map_or(1, |slot| slot.unit);
    match (unit, cx.core().tree.item(loc)) {
        (2, Item::Text(text)) => text.encode_utf16().count() as u64,
        (4, Item::Text(text)) => text.chars().count() as u64,
        _ => cx.core().tree.count_items(loc),
    }
}

/// Node in which an equation is evaluated, if it applies.
pub(super) fn scope<'i, R: Reader<'i>>(cx: &R, scope: &'static Scope, loc: Loc) -> Option<NodeId> {
    let tree = &cx.core().tree;
    match scope {
        Scope::Own => Some(loc.node),
        Scope::Case(slot, record) => match tree.item(Loc::slot(loc.node, *slot)) {
            Item::Node(node) if tree.node(*node).record == *record => Some(*node),
            _ => None,
        },
        Scope::Owner(record, path) => {
            let mut at = tree.owner(loc.node);
            while let Some(node) = at {
                if tree.node(node).record == *record && leads_to(cx, node, path, loc) {
                    return Some(node);
                }
                at = tree.owner(node);
            }
            None
        }
    }
}

/// Whether slots lead from a node to a slot.
pub(super) fn leads_to<'i, R: Reader<'i>>(
    cx: &R,
    mut node: NodeId,
    path: &[u16],
    loc: Loc,
) -> bool {
    let Some((last, way)) = path.split_last() else { return false };
    for slot in way {
        match cx.core().tree.item(Loc::slot(node, *slot)) {
            Item::Node(inner) => node = *inner,
            _ => return false,
        }
    }
    node == loc.node && *last == loc.slot
}

/// Whether an equation gives this row its number in this node.
pub fn is_derived<'i, R: Reader<'i>>(cx: &R, loc: Loc) -> bool {
    slot_read(cx, loc)
        .is_some_and(|slot| slot.definers.iter().any(|d| scope(cx, &d.scope, loc).is_some()))
}

pub(super) fn compare_derived<'i, R: Reader<'i>>(
    cx: &mut R,
    loc: Loc,
    slot: &'static SlotRead,
) -> Fallible<()> {
    for definer in slot.definers {
        let Some(node) = scope(cx, &definer.scope, loc) else { continue };
        let (expected, actual) = match canonical(cx, &definer.source, node)? {
            // What it is derived from is not there: nothing to compare with.
            Canonical::Val(Val::None) => return Ok(()),
            Canonical::Val(derived) => {
                let stored = match cx.core().tree.item(loc) {
                    Item::Node(_) => return Ok(()),
                    item => Val::of(item),
                };
                if same_bits(&stored, &derived) {
                    return Ok(());
                }
                (show(&derived), show(&stored))
            }
            Canonical::Table(table) => {
                if is_table(cx, loc, &table) {
                    return Ok(());
                }
                (format!("{} computed elements", table.len()), "other elements".into())
            }
        };
        let kind = ReadErrorKind::NotDerived { expected: expected.into(), actual: actual.into() };
        return Err(refused(cx.core_mut(), loc, kind));
    }
    Ok(())
}

pub(super) fn compare_kept<'i, R: Reader<'i>>(
    cx: &mut R,
    loc: Loc,
    slot: &'static SlotRead,
    usual: &'static Usual,
) -> Fallible<()> {
    let kind = match usual {
        Usual::Patricia(_) => KeptKind::Dictionary,
        Usual::Sections | Usual::Entries => KeptKind::Relocation,
        _ => KeptKind::Number,
    };
    let canonical = match canonical(cx, usual, loc.node) {
        Ok(canonical) => canonical,
        // Names that no tree can hold: the nodes are kept as they are.
        Err(fault) if kind == KeptKind::Dictionary => {
            let message = match *fault {
                Fault::Eval(message) => message,
                Fault::Keys(error, _) => error.to_string(),
                other => return Err(Box::new(other)),
            };
            let stored = table_kept(cx, loc);
            let core = cx.core_mut();
            let at = core.tree.slot(loc.node, loc.slot).at;
            core.note(at, loc, message);
            core.keep(loc, kind, stored, KeptValue::None);
            return Ok(());
        }
        Err(fault) => return Err(fault),
    };
    match canonical {
        Canonical::Table(table) => {
            if !is_table(cx, loc, &table) {
                let stored = table_kept(cx, loc);
                let instead_of = match kind {
                    // Sections and entries are kept or dropped together, so they have one digest.
                    KeptKind::Relocation => {
                        let (sections, entries) = super::relocation::tables(cx)?;
                        digest(sections.iter().chain(&entries))
                    }
                    _ => digest(&table),
                };
                cx.core_mut().keep(loc, kind, stored, KeptValue::Int(instead_of));
            }
        }
        Canonical::Val(canonical) => {
            let item = cx.core().tree.item(loc);
            if !same_bits(&Val::of(item), &canonical) {
                let stored = item_kept(item);
                let core = cx.core_mut();
                if slot.kept_field {
                    core.deviating.insert((loc.node, loc.slot), canonical);
                } else {
                    core.keep(loc, kind, stored, val_kept(&canonical));
                }
            }
        }
    }
    Ok(())
}

/// The slots that hold the numbers and texts of an array of records, element by element.
fn table_of<'t, 'i, R: Reader<'i>>(
    cx: &'t R,
    loc: Loc,
) -> Option<impl ExactSizeIterator<Item = impl ExactSizeIterator<Item = &'t Item<'i>>>>
where
    'i: 't,
{
    let core = cx.core();
    let Item::Array(array) = core.tree.item(loc) else { return None };
    let node_of = |item: &Item<'_>| match through(item) {
        Item::Node(node) => Some(*node),
        _ => None,
    };
    let nodes: Vec<NodeId> = array.items.iter().map(node_of).collect::<Option<_>>()?;
    Some(nodes.into_iter().map(move |node| {
        let record = core.tree.node(node).record;
        let slots = core.tables.records[usize::from(record)].table;
        slots.iter().map(move |slot| core.tree.item(Loc::slot(node, *slot)))
    }))
}

/// Whether the elements of an array are these rows.
fn is_table<'i, R: Reader<'i>>(cx: &R, loc: Loc, table: &Table<'i>) -> bool {
    table_of(cx, loc).is_some_and(|stored| {
        stored.len() == table.len()
            && stored.zip(table).all(|(stored, row)| {
                // Algorithms may give more columns than the record has rows for.
                stored.len() <= row.len() && stored.zip(row).all(|(a, b)| same_item(a, b))
            })
    })
}

pub(super) fn table_kept<'i, R: Reader<'i>>(cx: &R, loc: Loc) -> KeptValue {
    let rows = table_of(cx, loc).into_iter().flatten();
    KeptValue::Table(rows.map(|row| row.map(item_kept).collect()).collect())
}

pub(super) fn compare_view<'i, R: Reader<'i>>(
    cx: &mut R,
    loc: Loc,
    slices: &'static [u16],
    key: Option<u16>,
) -> Fallible<()> {
    // The slices tile the table in the declared order if their bases are running totals.
    let mut owners: Vec<(i128, usize, Loc)> = Vec::new();
    for path in slices {
        for val in cx.find(*path, loc.node, None)?.values {
            let Val::Loc(slice) = val else { continue };
            cx.force_loc(slice)?;
            let rank = match key {
                Some(key) => cx.int(key, slice.node, None)?.unwrap_or(i128::MAX),
                None => 0,
            };
            owners.push((rank, owners.len(), slice));
        }
    }
    owners.sort_by_key(|(rank, index, _)| (*rank, *index));
    let mut next: i128 = 0;
    for (_, _, slice) in owners {
        let count = i128::from(cx.core().tree.count_items(slice));
        let stored = stored_base(cx, slice)?.unwrap_or(next);
        let Some(SlotRead { kind: SlotKind::Slice(known), .. }) = slot_read(cx, slice) else {
            continue;
        };
        if count == 0 {
            let usual = match known.empty_base {
                Some(stored) => scaled(stored, known.factor, known.offset)?,
                None => next,
            };
            if stored != usual {
                let core = cx.core_mut();
                let at = core.tree.slot(slice.node, known.base).at;
                core.note(at, slice, format!("the empty slice begins at {stored}, not {usual}"));
            }
            continue;
        }
        if stored != next {
            let core = cx.core_mut();
            let at = core.tree.slot(loc.node, loc.slot).at;
            core.note(at, loc, "the slices do not tile the table in its order");
            return Ok(());
        }
        next = next.saturating_add(count);
    }
    let core = cx.core_mut();
    if next != i128::from(core.tree.count_items(loc)) {
        let at = core.tree.slot(loc.node, loc.slot).at;
        core.note(at, loc, "elements of the table belong to nobody");
    }
    Ok(())
}
