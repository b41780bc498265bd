//! Spellings of a case.

use super::prelude::*;

/// Keeps the form of a case if it is not the first one that can say the value.
pub(super) fn keep_form<'i, R: Reader<'i>>(cx: &mut R, node: NodeId) {
    let core = cx.core();
    let Some((form, _)) = core.tree.node(node).form else { return };
    let forms = core.tables.records[usize::from(core.tree.node(node).record)].forms;
    let fits = |form: &FormRead| {
        form.epochs.get(core.epoch).copied().unwrap_or(true)
            && form.rows.iter().all(|(slot, can)| {
                flat(core, &core.tree.slot(node, *slot).item).map_or(true, |item| says(can, item))
            })
    };
    let Some(first) = forms.iter().position(fits) else { return };
    if first != usize::from(form) {
        let loc = Loc::slot(node, WHOLE);
        let (stored, instead_of) = (KeptValue::Int(form.into()), KeptValue::Int(first as i128));
        cx.core_mut().keep(loc, KeptKind::Form, stored, instead_of);
    }
}

/// A number, or a list of numbers; nothing for structs.
pub(super) fn flat<'t, 'i>(core: &'t Core<'i>, item: &'t Item<'i>) -> Option<&'t Item<'i>> {
    match through(item) {
        Item::Node(node) => {
            let slot = core.tree.info(*node).transparent?;
            flat(core, &core.tree.slot(*node, slot).item)
        }
        Item::Array(array) if array.items.iter().any(|i| matches!(i, Item::Node(_))) => None,
        Item::Unset | Item::Absent => None,
        item => Some(item),
    }
}

pub(super) fn says(can: &Can, item: &Item<'_>) -> bool {
    match (can, item) {
        (Can::Constant(constant), item) => constant.is(item),
        (Can::Fits { bits, signed }, Item::Int(n)) => crate::fits(*n, *bits, *signed),
        (Can::Truth(yes), Item::Int(n)) => *n == 0 || *n == 1 || *n == i128::from(*yes),
        (Can::Elements(can), Item::Array(array)) => array.items.iter().all(|i| says(can, i)),
        _ => true,
    }
}
