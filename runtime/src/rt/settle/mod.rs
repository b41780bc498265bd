//! After everything is read: what follows from something else is compared with it.

mod checks;
mod derive;
mod forms;
mod gaps;
mod names;
mod pool;
mod references;
mod relocation;
mod same;

use alloc::boxed::Box;

use super::read::{Core, Read, Reader, SlotRead};
use super::tree::{Item, Loc, NodeId, UNPLACED};
use super::val::{Fallible, Fault};
use crate::ReadErrorKind;

pub(super) use checks::check_now;
pub use checks::{above, below, failed, none_of, not_equal};
pub use derive::is_derived;
pub use references::element_of;
pub use relocation::lists;
pub(super) use same::show_short;
pub use same::val_kept;

use checks::{check_record, check_row, check_unique, Rule};
use derive::{compare_derived, compare_kept, compare_none_with, compare_view};
use forms::keep_form;
use gaps::find_gaps;
use names::{fill_names, leave_unnamed};
use pool::compare_pool;
use references::{resolve_reference, Arrays};

/// What the files of this folder stand on.
mod prelude {
    pub(super) use alloc::boxed::Box;
    pub(super) use alloc::collections::BTreeSet;
    pub(super) use alloc::format;
    pub(super) use alloc::string::{String, ToString};
    pub(super) use alloc::vec::Vec;
    pub(super) use core::cmp::Ordering;

    pub(super) use super::super::read::{
        hex, is_gone, item_kept, pointer_of, scaled, slot_read, stored_base, Can, Check, Core,
        FormRead, Measure, Pool, Read, Reader, Scope, SlotKind, SlotRead, Usual,
    };
    pub(super) use super::super::tree::{
        through, ArrayItem, Item, Loc, NodeId, Text, UNPLACED, WHOLE,
    };
    pub(super) use super::super::val::{compare, describe, eval_error, same, Fallible, Fault, Val};
    pub(super) use super::refused;
    pub(super) use super::same::{same_bits, same_item, show, val_kept};
    pub(super) use crate::spelling::{KeptKind, KeptValue};
    pub(super) use crate::{DictionaryNode, ReadErrorKind};
}

/// Compares everything that was read with what it follows from.
///
/// # Errors
///
/// The first thing that does not fit, with its whole path.
pub fn settle<'i, R: Reader<'i>>(cx: &mut R) -> Read<()> {
    cx.core_mut().settling = true;
    let nodes = u32::try_from(cx.core().tree.nodes.len()).unwrap_or(u32::MAX);
    let tables = cx.core().tables;
    for index in 0..nodes {
        let node = NodeId(index);
        if tables.records[usize::from(cx.core().tree.node(node).record)].names {
            for_slots(cx, node, &mut fill_names)?;
        }
    }
    let mut arrays = Arrays::default();
    for index in 0..nodes {
        let node = NodeId(index);
        if tables.records[usize::from(cx.core().tree.node(node).record)].references {
            for_slots(cx, node, &mut |cx, loc, slot| {
                leave_unnamed(cx, loc, slot);
                resolve_reference(cx, loc, slot, &mut arrays)
            })?;
        }
    }
    for index in 0..nodes {
        let node = NodeId(index);
        let record = &tables.records[usize::from(cx.core().tree.node(node).record)];
        if record.settles {
            for_slots(cx, node, &mut |cx, loc, slot| {
                if matches!(cx.core().tree.slot(loc.node, loc.slot).item, Item::Unset) {
                    cx.force(loc.node, loc.slot)?;
                }
                settle_row(cx, loc, slot)
            })?;
        }
        check_record(cx, node, record.checks)?;
        if !record.forms.is_empty() {
            keep_form(cx, node);
        }
    }
    if let Err(fault) = relocation::compare_tables(cx) {
        return Err(cx.core_mut().fault(*fault, 0));
    }
    find_gaps(cx);
    Ok(())
}

fn for_slots<'i, R: Reader<'i>>(
    cx: &mut R,
    node: NodeId,
    action: &mut dyn FnMut(&mut R, Loc, &'static SlotRead) -> Fallible<()>,
) -> Read<()> {
    let record = cx.core().tree.node(node).record;
    let slots = cx.core().tables.records[usize::from(record)].slots;
    for (index, slot) in (0_u16..).zip(slots) {
        let loc = Loc::slot(node, index);
        if let Err(fault) = action(cx, loc, slot) {
            let core = cx.core_mut();
            let at = match core.tree.slot(node, index).at {
                UNPLACED => core.tree.node(node).at,
                at => at,
            };
            let at = if at == UNPLACED { 0 } else { at };
            let error = core.fault(*fault, at);
            return Err(core.located(error, loc));
        }
    }
    Ok(())
}

/// The error of a slot or element, at its bytes.
#[cold]
pub(super) fn refused(core: &mut Core<'_>, loc: Loc, kind: ReadErrorKind) -> Box<Fault> {
    let at = match core.tree.cell_at(loc) {
        UNPLACED => 0,
        at => at,
    };
    Box::new(Fault::Read(core.error(kind, at, loc)))
}

/// Compares a row with what it follows from.
fn settle_row<'i, R: Reader<'i>>(cx: &mut R, loc: Loc, slot: &'static SlotRead) -> Fallible<()> {
    compare_none_with(cx, loc, slot)?;
    if matches!(cx.core().tree.item(loc), Item::Absent) && !slot.elsewhere {
        return Ok(());
    }
    if !slot.definers.is_empty() {
        compare_derived(cx, loc, slot)?;
    }
    if let Some(usual) = &slot.kept {
        compare_kept(cx, loc, slot, usual)?;
    }
    if let Some((slices, key)) = slot.view {
        compare_view(cx, loc, slices, key)?;
    }
    if let Some(pool) = &slot.pool {
        compare_pool(cx, loc, pool)?;
    }
    for (condition, text) in slot.conditions {
        check_row(cx, loc, &Rule::Holds(*condition, text))?;
    }
    if slot.unique {
        check_unique(cx, loc)?;
    }
    Ok(())
}
