//! Members of string pools.

use super::super::tables::{digest, first_that_holds, pool_members, Pooled};
use super::prelude::*;
use crate::pool::PoolOrder;

/// Compares a pool's members with the texts that pooled pointers name.
pub(super) fn compare_pool<'i, R: Reader<'i>>(
    cx: &mut R,
    loc: Loc,
    pool: &'static Pool,
) -> Fallible<()> {
    let relocation = cx.core().tables.relocation;
    let order = first_that_holds(cx, pool.order, loc.node)?.flatten();
    let labels = core::mem::take(&mut cx.core_mut().labels);
    let texts = labels.iter().filter_map(|label| match &label.text {
        text @ (Item::Text(_) | Item::Bytes(_) | Item::Units(_)) => {
            Some(Pooled { cell: label.cell, kind: label.kind, node: label.node, text })
        }
        _ => None,
    });
    let order = order.unwrap_or(PoolOrder::FirstUse);
    let canonical = pool_members(cx, relocation, texts, loc, pool.always, order);
    cx.core_mut().labels = labels;
    let canonical = canonical?;
    let Item::Array(array) = cx.core().tree.item(loc) else { return Ok(()) };
    let same = array.items.len() == canonical.len()
        && array.items.iter().zip(&canonical).all(|(a, b)| same_item(a, b));
    if !same && !pool.data {
        let stored = KeptValue::List(array.items.iter().map(item_kept).collect());
        let instead_of = KeptValue::Int(digest([&canonical]));
        cx.core_mut().keep(loc, KeptKind::Pool, stored, instead_of);
    }
    Ok(())
}
