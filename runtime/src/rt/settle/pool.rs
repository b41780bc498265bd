//! Members of string pools.

use super::derive::Table;
use super::prelude::*;

/// Compares a pool's members with the texts that pooled pointers name.
pub(super) fn compare_pool<'i, R: Reader<'i>>(
    cx: &mut R,
    loc: Loc,
    pool: &'static Pool,
) -> Fallible<()> {
    let canonical = pool_members(cx, loc, pool)?;
    let Item::Array(array) = cx.core().tree.item(loc) else { return Ok(()) };
    let same = array.items.len() == canonical.len()
        && array.items.iter().zip(&canonical).all(|(a, b)| same_item(a, b));
    if !same && !pool.data {
        let stored = KeptValue::List(array.items.iter().map(item_kept).collect());
        let rows: Table<'i> = alloc::vec![canonical];
        cx.core_mut().keep(loc, KeptKind::Pool, stored, digest(&rows));
    }
    Ok(())
}

/// Members of a pool that follow from the pooled pointers.
pub(super) fn pool_members<'i, R: Reader<'i>>(
    cx: &mut R,
    loc: Loc,
    pool: &'static Pool,
) -> Fallible<Vec<Item<'i>>> {
    let mut chosen = None;
    for (condition, order) in pool.order {
        let holds = match condition {
            Some(condition) => cx.truth(*condition, loc.node, None)?,
            None => true,
        };
        if holds {
            chosen = *order;
            break;
        }
    }
    let is_here = |val: &Val<'_>| matches!(val, Val::Loc(found) if found.node == loc.node && found.slot == loc.slot);
    // Kinds of pointers whose pool does not depend on who holds them.
    let mut kinds: Vec<Option<bool>> = Vec::new();
    for kind in cx.core().tables.relocation.kinds {
        kinds.push(match kind.pool {
            None => Some(false),
            Some((path, true)) => {
                let found = cx.find(path, cx.root(), None)?;
                Some(found.values.iter().any(is_here))
            }
            Some((_, false)) => None,
        });
    }
    let mut met: Vec<(u64, usize)> = Vec::new();
    for index in 0..cx.core().labels.len() {
        let label = &cx.core().labels[index];
        if !matches!(label.text, Item::Text(_) | Item::Bytes(_) | Item::Units(_)) {
            continue;
        }
        let (kind, cell, node) = (usize::from(label.kind), label.cell, label.node);
        let ours = match kinds.get(kind).copied().flatten() {
            Some(ours) => ours,
            None => match cx.core().tables.relocation.kinds.get(kind).and_then(|k| k.pool) {
                Some((path, _)) => cx.find(path, node, None)?.values.iter().any(is_here),
                None => false,
            },
        };
        if ours {
            met.push((cell, index));
        }
    }
    cx.charge(met.len() as u64)?;
    met.sort_by_key(|(cell, _)| *cell);
    let core = cx.core();
    let mut seen: BTreeSet<Vec<u8>> = BTreeSet::new();
    let mut members: Vec<(Vec<u8>, Item<'i>)> = Vec::new();
    let first = pool.always.iter().map(|text| Item::Text(Text::Borrowed(text)));
    let used = met.iter().filter_map(|(_, index)| Some(core.labels.get(*index)?.text.clone()));
    for item in first.chain(used) {
        let key = item_key(&item);
        if !seen.contains(&key) {
            seen.insert(key.clone());
            members.push((key, item));
        }
    }
    if let Some(order) = chosen {
        members.sort_by(|(a, _), (b, _)| crate::compare(order, a, b));
    }
    Ok(members.into_iter().map(|(_, item)| item).collect())
}

/// Bytes by which two pooled texts are told apart and ordered.
pub(super) fn item_key(item: &Item<'_>) -> Vec<u8> {
    match item {
        Item::Text(text) => text.as_bytes().to_vec(),
        Item::Bytes(bytes) => bytes.to_vec(),
        Item::Units(units) => units.iter().flat_map(|unit| unit.to_be_bytes()).collect(),
        _ => Vec::new(),
    }
}
