//! Nodes: begin, rows, end.

use super::prelude::*;

/// Adds the node of a row or element.
///
/// # Errors
///
/// If the budget is used up, or the records around it are too many. The path is complete.
pub fn add_node<'i, R: Reader<'i>>(cx: &mut R, record: u16, loc: Loc, at: u64) -> Read<NodeId> {
    let core = cx.core_mut();
    let slots = core.tree.schema.records[usize::from(record)].slots.len() as u64;
    if let Err(kind) = core.budget.charge(slots.saturating_add(2).saturating_mul(4)) {
        return Err(core.error(kind, at, loc));
    }
    let node = core.tree.add(record, Some(loc));
    let depth = core.tree.node(node).depth;
    if let Some(limit) = core.tree.too_deep(depth, core.options.max_depth) {
        return Err(core.error(ReadErrorKind::DepthLimit { limit }, at, loc));
    }
    // Rows of the node may ask for it before it is read.
    if loc.index.is_none() && loc.slot != WHOLE {
        let slot = core.tree.slot_mut(loc.node, loc.slot);
        if matches!(slot.item, Item::Unset) {
            slot.item = Item::Node(node);
        }
    }
    Ok(node)
}

/// Begins to read a record: its fixed block must be there.
///
/// # Errors
///
/// `UnexpectedEnd`; the path is complete.
pub fn open<'i>(
    core: &mut Core<'i>,
    node: NodeId,
    cursor: &mut Cursor<'i>,
    fixed: Option<u64>,
) -> Read<u64> {
    cursor.align_bits();
    let start = cursor.at;
    core.tree.node_mut(node).at = start;
    if let Some(size) = fixed {
        if size > cursor.remaining() {
            let remaining = cursor.remaining();
            let kind = ReadErrorKind::UnexpectedEnd { needed: size, remaining };
            return Err(core.node_error(kind, start, node));
        }
    }
    Ok(start)
}

/// Ends it.
pub fn close<'i>(
    core: &mut Core<'i>,
    node: NodeId,
    cursor: &mut Cursor<'i>,
    start: u64,
    fixed: Option<u64>,
) {
    cursor.align_bits();
    if let Some(size) = fixed {
        cursor.at = cursor.at.max(start.saturating_add(size));
    }
    core.tree.node_mut(node).end = cursor.at;
}

/// Begins to read the row of a slot.
pub fn begin_row<'i>(core: &mut Core<'i>, loc: Loc, cursor: &mut Cursor<'i>, bits: bool) {
    let slot = core.tree.slot_mut(loc.node, loc.slot);
    slot.busy = true;
    if !bits {
        cursor.align_bits();
        slot.at = cursor.at;
    }
}

/// Ends it: sets the slot, and checks the rules that need no other row.
///
/// # Errors
///
/// That of the row, with its whole path.
pub fn end_row<'i, R: Reader<'i>>(
    cx: &mut R,
    loc: Loc,
    item: Read<Item<'i>>,
    cursor: &mut Cursor<'i>,
) -> Read<()> {
    let end = cursor.position();
    let core = cx.core_mut();
    let slot: &mut Slot<'i> = core.tree.slot_mut(loc.node, loc.slot);
    slot.busy = false;
    match item {
        Ok(item) => slot.item = item,
        Err(error) => return Err(core.located(error, loc)),
    }
    slot.end = end;
    if slot.at == UNPLACED {
        slot.at = end;
    }
    super::super::settle::check_now(cx, loc)
}

/// Byte order of the cells of a node that do not say their own, where records say theirs.
///
/// # Errors
///
/// `UndecidedByteOrder`; the path is complete.
pub fn order_of<'i, R: Reader<'i>>(cx: &mut R, node: NodeId, at: u64) -> Read<bool> {
    let mut here = Some(node);
    while let Some(node) = here {
        let record = cx.core().tree.node(node).record;
        if let Some(rule) = &cx.core().tables.records[usize::from(record)].endian {
            for (condition, big) in rule.choices {
                let holds = cx.truth(*condition, node, None);
                match holds {
                    Ok(true) => return Ok(*big),
                    Ok(false) => {}
                    Err(fault) => return Err(cx.core_mut().fault(*fault, at)),
                }
            }
            return match rule.otherwise {
                Some(big) => Ok(big),
                None => {
                    // The struct whose byte order is not decided is at fault, not the cell.
                    let core = cx.core_mut();
                    let at = core.tree.node(node).at;
                    let kind = ReadErrorKind::UndecidedByteOrder { actual: "".into() };
                    Err(core.node_error(kind, at, node))
                }
            };
        }
        here = cx.core().tree.owner(node);
    }
    Ok(cx.core().big)
}

impl<'i> Tree<'i> {
    /// Takes what is in a slot.
    pub fn take_item(&mut self, node: NodeId, slot: u16) -> Item<'i> {
        core::mem::take(&mut self.slot_mut(node, slot).item)
    }

    /// Whether a slot was not read.
    #[must_use]
    pub fn is_unset(&self, node: NodeId, slot: u16) -> bool {
        matches!(self.slot(node, slot).item, Item::Unset)
    }

    /// Address behind the bytes of a row, 0 if it has none.
    #[must_use]
    pub fn row_end(&self, node: NodeId, slot: u16) -> u64 {
        match self.slot(node, slot).end {
            UNPLACED => 0,
            end => end,
        }
    }
}

/// Sets where the bits of a slot are.
pub fn place_bits(core: &mut Core<'_>, loc: Loc, byte: u64, bit: u8) {
    if loc.slot == WHOLE {
        return;
    }
    let slot = core.tree.slot_mut(loc.node, loc.slot);
    if slot.at == UNPLACED {
        slot.at = byte;
        slot.bit = bit;
    }
}

/// Sets a slot of a word.
pub fn place_word<'i>(
    core: &mut Core<'i>,
    node: NodeId,
    slot: u16,
    item: Item<'i>,
    at: u64,
    end: u64,
    bit: u8,
) {
    let slot = core.tree.slot_mut(node, slot);
    slot.item = item;
    slot.at = at;
    slot.end = end;
    slot.bit = bit;
}

/// Adds the node of a word.
pub fn word_node(
    core: &mut Core<'_>,
    record: u16,
    holder: Loc,
    raw: u64,
    at: u64,
    end: u64,
) -> NodeId {
    let node = core.tree.add(record, Some(holder));
    let n = core.tree.node_mut(node);
    n.at = at;
    n.end = end;
    n.tag = raw.into();
    node
}

/// Remembers what chose a case, and where its homes count from.
pub fn begin_case(core: &mut Core<'_>, node: NodeId, number: i128, base: u64) {
    let n = core.tree.node_mut(node);
    n.tag = number;
    n.at = base;
}

/// Adds the node of a form's rows.
pub fn begin_form(core: &mut Core<'_>, node: NodeId, record: u16, form: u16) -> NodeId {
    let (slot, number, base) = {
        let n = core.tree.node(node);
        (n.owner_slot, n.tag, n.at)
    };
    let rows = core.tree.add(record, Some(Loc::slot(node, slot)));
    begin_case(core, rows, number, base);
    core.tree.node_mut(node).form = Some((form, rows));
    rows
}

/// Gives the logical fields of a case what its form says.
pub fn lift(core: &mut Core<'_>, node: NodeId, rows: NodeId, slots: &[(u16, u16)]) {
    for (to, from) in slots {
        core.tree.lift(node, *to, rows, *from);
    }
}

/// The error of a record's condition that does not hold.
#[must_use]
#[cold]
pub fn failed_record(text: &'static str) -> ReadErrorKind {
    ReadErrorKind::CheckFailed { check: text.into(), actual: "false".into() }
}
