//! Records: their inline rows, with a node and without.

use super::super::rows::{Home, RecordRows, Row, RowCheck, RowKind, Storage, Ty};
use super::super::settle::{above, below, failed, none_of, not_equal};
use super::frame::{eval, holds, Frame};
use super::item::{in_row, read_item, read_value};
use super::prelude::*;
use super::{
    begin_row, block, close, end_row, expect, failed_record, open, reserved, row_at, zero,
};

/// Reads a record without a node.
///
/// # Errors
///
/// If it does not fit the schema; the path is relative to the record.
pub fn direct<'i, R: Reader<'i>>(
    cx: &mut R,
    record: u16,
    cursor: &mut Cursor<'i>,
    owner: NodeId,
) -> Read<Frame<'i>> {
    let table = cx.core().tables.rows_of(record);
    match table.size(cx.core().epoch) {
        Some(size) => {
            block(cx.core(), cursor, size)?;
        }
        None => cursor.align_bits(),
    }
    let f = Frame::new(owner, cursor.at);
    direct_rows(cx, record, table, f, cursor)
}

/// Reads the rows of a record without a node.
pub(super) fn direct_rows<'i, R: Reader<'i>>(
    cx: &mut R,
    record: u16,
    table: &'static RecordRows,
    f: Frame<'i>,
    cursor: &mut Cursor<'i>,
) -> Read<Frame<'i>> {
    let mut f = f.with_rows(table.rows.len());
    let recursive = cx.core().tree.schema.records[usize::from(record)].recursive;
    if recursive {
        cx.core_mut().enter(f.owner, f.base)?;
    }
    let epoch = cx.core().epoch;
    let size = table.size(epoch);
    let fixed = if table.part { table.fixed_part(epoch) } else { size };
    let mut reach = fixed.map_or(cursor.at, |size| f.base.saturating_add(size));
    let placed = |row: &Row| matches!(row.home(epoch), Home::At(_));
    for number in table.order {
        let row = &table.rows[usize::from(*number)];
        if placed(row) {
            let end = placed_row(cx, &mut f, usize::from(*number), row, cursor.limit);
            reach = reach.max(end.map_err(|error| in_row(error, row.name))?);
            check_row(cx, &f, usize::from(*number), row)?;
        }
    }
    cursor.at = reach;
    for (number, row) in table.rows.iter().enumerate() {
        if !placed(row) {
            let read = next_row(cx, &mut f, number, row, cursor);
            read.map_err(|error| in_row(error, row.name))?;
            check_row(cx, &f, number, row)?;
        }
    }
    if !table.part {
        cursor.align_bits();
        if let Some(size) = size {
            cursor.at = cursor.at.max(f.base.saturating_add(size));
        }
    }
    for number in table.order {
        let row = &table.rows[usize::from(*number)];
        for check in row.checks {
            if let RowCheck::Holds(..) = check {
                check_one(cx, &f, usize::from(*number), row, check)?;
            }
        }
    }
    for (condition, text) in table.checks {
        if !holds(cx, &f, *condition, None, cursor.at)? {
            return Err(ReadError::new(failed_record(text), f.base));
        }
    }
    if recursive {
        cx.core_mut().leave();
    }
    Ok(f)
}

/// Reads a row of the fixed block that has no slot. Returns the address behind it.
fn placed_row<'i, R: Reader<'i>>(
    cx: &mut R,
    f: &mut Frame<'i>,
    number: usize,
    row: &'static Row,
    limit: u64,
) -> Read<u64> {
    let Home::At(offset) = row.home(cx.core().epoch) else { return Ok(0) };
    let mut inside = row_at(f.base, offset, limit)?;
    let at = inside.at;
    let (item, value) = kind_value(cx, f, row, &mut inside)?;
    f.set(number, item, value, at);
    Ok(inside.position())
}

/// Reads a row that has no slot and follows another one.
fn next_row<'i, R: Reader<'i>>(
    cx: &mut R,
    f: &mut Frame<'i>,
    number: usize,
    row: &'static Row,
    cursor: &mut Cursor<'i>,
) -> Read<()> {
    let epoch = cx.core().epoch;
    let gone = match row.home(epoch) {
        Home::Absent => true,
        Home::Nowhere => !row.in_tag,
        Home::Next | Home::At(_) => false,
    };
    if gone {
        let item = row.absent.map_or(Item::Absent, |constant| constant.item());
        f.set(number, item, NOTHING, f.base);
        return Ok(());
    }
    cx.core_mut().come_to(cursor);
    if let Some(when) = row.when {
        if !holds(cx, f, when, None, cursor.at)? {
            f.set(number, Item::Absent, NOTHING, f.base);
            return Ok(());
        }
    }
    if !row.ty.within(epoch).is_bits() {
        cursor.align_bits();
    }
    let at = cursor.at;
    let (item, value) = kind_value(cx, f, row, cursor)?;
    f.set(number, item, value, at);
    Ok(())
}

/// Reads a row at the cursor, with the rules of its kind.
fn kind_value<'i, R: Reader<'i>>(
    cx: &mut R,
    f: &mut Frame<'i>,
    row: &'static Row,
    cursor: &mut Cursor<'i>,
) -> Read<(Item<'i>, u32)> {
    let ty = row.ty.within(cx.core().epoch);
    let open = ty.is_fill() && !cursor.room;
    let item = match &row.kind {
        RowKind::Plain => return read_value(cx, f, row, ty, cursor),
        RowKind::Constant(constant) => {
            if matches!(ty, Ty::Nothing) {
                return Ok((constant.item(), NOTHING));
            }
            let at = cursor.at;
            let item = read_item(cx, f, row, ty, cursor)?;
            expect(&item, constant, at)?;
            item
        }
        RowKind::Zero => {
            let at = cursor.at;
            let item = read_item(cx, f, row, ty, cursor)?;
            let (core, spelling) = (cx.core_mut(), &mut f.spelling);
            zero(core, &item, open, at, spelling, row.spelled, f.owner, row.name)?;
            item
        }
        RowKind::Reserved => {
            let item = read_item(cx, f, row, ty, cursor)?;
            reserved(&item, open, &mut f.spelling, row.spelled);
            item
        }
        RowKind::Zeros => Item::Int(super::zeros(cx.core(), cursor)?.into()),
        RowKind::Pool(_) => read_item(cx, f, row, ty, cursor)?,
        RowKind::Elsewhere => Item::Absent,
    };
    Ok((item, NOTHING))
}

/// Checks the rules of a row that need no other row.
fn check_row<'i, R: Reader<'i>>(
    cx: &mut R,
    f: &Frame<'i>,
    number: usize,
    row: &'static Row,
) -> Read<()> {
    for check in row.checks {
        if !matches!(check, RowCheck::Holds(..)) {
            check_one(cx, f, number, row, check)?;
        }
    }
    Ok(())
}

fn check_one<'i, R: Reader<'i>>(
    cx: &mut R,
    f: &Frame<'i>,
    number: usize,
    row: &'static Row,
    check: &RowCheck,
) -> Read<()> {
    let it = f.val(number);
    if matches!(it, Val::None) {
        return Ok(());
    }
    let at = f.own.get(number).map_or(f.base, |own| own.at);
    let error = match broken(cx, f, &it, check) {
        Ok(None) => return Ok(()),
        Ok(Some(kind)) => ReadError::new(kind, at),
        Err(fault) => cx.core_mut().fault(*fault, at),
    };
    Err(in_row(error, row.name))
}

fn broken<'i, R: Reader<'i>>(
    cx: &mut R,
    f: &Frame<'i>,
    it: &Val<'i>,
    check: &RowCheck,
) -> Fallible<Option<ReadErrorKind>> {
    match check {
        RowCheck::Min(e) => below(it, &eval(cx, f, *e, Some(it))?),
        RowCheck::Max(e) => above(it, &eval(cx, f, *e, Some(it))?),
        RowCheck::Equals(e) => not_equal(it, &eval(cx, f, *e, Some(it))?),
        RowCheck::OneOf(list) => {
            let allowed = list.iter().map(|e| eval(cx, f, *e, Some(it))).collect();
            none_of(it, allowed)
        }
        RowCheck::Holds(e, text) => {
            let holds = truth_of(&eval(cx, f, *e, Some(it))?)?;
            Ok((!holds).then(|| failed(text, it)))
        }
    }
}

/// Reads a record with a node into a slot or element.
///
/// # Errors
///
/// If it does not fit the schema; the path is complete.
pub fn read_node<'i, R: Reader<'i>>(
    cx: &mut R,
    record: u16,
    cursor: &mut Cursor<'i>,
    holder: Loc,
) -> Read<NodeId> {
    let node = super::add_node(cx, record, holder, cursor.at)?;
    let mut inside = cursor.inside(cursor.at, cursor.limit);
    read_record(cx, &mut inside, node)?;
    cursor.at = inside.at;
    Ok(node)
}

/// Reads the bytes of a node.
///
/// # Errors
///
/// If they do not fit the schema; the path is complete.
pub fn read_record<'i, R: Reader<'i>>(
    cx: &mut R,
    cursor: &mut Cursor<'i>,
    node: NodeId,
) -> Read<()> {
    let core = cx.core_mut();
    let fixed = core.tables.rows_of(core.tree.node(node).record).size(core.epoch);
    let start = open(core, node, cursor, fixed)?;
    node_rows(cx, cursor, node, start, start)?;
    close(cx.core_mut(), node, cursor, start, fixed);
    Ok(())
}

/// Reads the inline rows of a node.
pub(super) fn node_rows<'i, R: Reader<'i>>(
    cx: &mut R,
    cursor: &mut Cursor<'i>,
    owner: NodeId,
    base: u64,
    tag_at: u64,
) -> Read<()> {
    let core = cx.core();
    let (epoch, tag) = (core.epoch, core.tree.node(owner).tag);
    let table = core.tables.rows_of(core.tree.node(owner).record);
    let mut f = Frame { tag, tag_at, ..Frame::new(owner, base) };
    if table.early {
        f = f.with_rows(table.rows.len());
    }
    let size = if table.part { table.fixed_part(epoch) } else { table.size(epoch) };
    let mut reach = size.map_or(cursor.at, |size| base.saturating_add(size));
    let placed = |row: &Row| matches!(row.home(epoch), Home::At(_));
    for number in table.order {
        let number = usize::from(*number);
        let row = &table.rows[number];
        if !placed(row) {
            continue;
        }
        if row.slot == WHOLE {
            match placed_row(cx, &mut f, number, row, cursor.limit) {
                Ok(end) => reach = reach.max(end),
                Err(error) => return Err(under(cx, error, row, owner)),
            }
        } else if cx.core().tree.is_unset(owner, row.slot) {
            let mut at = Cursor::new(base, cursor.limit);
            slot_row(cx, owner, row, &mut at, tag_at)?;
        }
    }
    for row in table.rows.iter().filter(|row| row.slot != WHOLE && placed(row)) {
        reach = reach.max(cx.core().tree.row_end(owner, row.slot));
    }
    cursor.at = reach;
    for (number, row) in table.rows.iter().enumerate() {
        if placed(row) {
            continue;
        }
        if row.slot != WHOLE {
            next_slot(cx, &f, row, cursor)?;
        } else if let Err(error) = next_row(cx, &mut f, number, row, cursor) {
            return Err(under(cx, error, row, owner));
        }
    }
    keep_early(cx, table, f);
    Ok(())
}

/// Keeps what was read of rows without a slot.
fn keep_early<'i, R: Reader<'i>>(cx: &mut R, table: &RecordRows, mut f: Frame<'i>) {
    let core = cx.core_mut();
    core.keep_all(f.owner, core::mem::take(&mut f.spelling));
    if table.early {
        let owner = f.owner;
        let value = super::store(&mut core.early, f);
        core.tree.node_mut(owner).value = value;
    }
}

fn under<'i, R: Reader<'i>>(cx: &mut R, error: ReadError, row: &Row, owner: NodeId) -> ReadError {
    cx.core_mut().under(in_row(error, row.name), owner)
}

/// Reads a row that has a slot and follows another one.
fn next_slot<'i, R: Reader<'i>>(
    cx: &mut R,
    f: &Frame<'i>,
    row: &'static Row,
    cursor: &mut Cursor<'i>,
) -> Read<()> {
    let owner = f.owner;
    match row.home(cx.core().epoch) {
        Home::Absent => {
            let item = row.absent.map_or(Item::Absent, |constant| constant.item());
            cx.core_mut().tree.set(owner, row.slot, item);
            return Ok(());
        }
        Home::Nowhere if !row.in_tag => return Ok(()),
        Home::Next | Home::At(_) | Home::Nowhere => {}
    }
    cx.core_mut().come_to(cursor);
    if let Some(when) = row.when {
        match holds(cx, f, when, None, cursor.at) {
            Ok(true) => {}
            Ok(false) => {
                cx.core_mut().tree.set(owner, row.slot, Item::Absent);
                return Ok(());
            }
            Err(error) => {
                return Err(cx.core_mut().located(error, Loc::slot(owner, row.slot)));
            }
        }
    }
    slot_row(cx, owner, row, cursor, f.tag_at)
}

/// Reads a row that has a slot. For rows of the fixed block the cursor is at its start.
///
/// # Errors
///
/// If it does not fit the schema; the path is complete.
pub(super) fn slot_row<'i, R: Reader<'i>>(
    cx: &mut R,
    owner: NodeId,
    row: &'static Row,
    cursor: &mut Cursor<'i>,
    tag_at: u64,
) -> Read<()> {
    let core = cx.core_mut();
    let (epoch, loc) = (core.epoch, Loc::slot(owner, row.slot));
    let (base, tag) = (core.tree.node(owner).at, core.tree.node(owner).tag);
    let mut inside;
    let cursor = match row.home(epoch) {
        Home::Absent => return Ok(()),
        Home::Next | Home::Nowhere => cursor,
        Home::At(offset) => match row_at(cursor.at, offset, cursor.limit) {
            Ok(at) => {
                inside = at;
                &mut inside
            }
            Err(error) => return Err(core.located(error, loc)),
        },
    };
    begin_row(core, loc, cursor, row.ty.within(epoch).is_bits());
    let mut f = Frame { loc: Some(loc), tag, tag_at, ..Frame::new(owner, base) };
    let read = kind_value(cx, &mut f, row, cursor);
    cx.core_mut().keep_all(owner, f.spelling);
    let item = read.map(|(item, value)| {
        if value != NOTHING {
            cx.core_mut().tree.slot_mut(owner, row.slot).value = value;
        }
        item
    });
    end_row(cx, loc, item, cursor)?;
    if let Ty::Pointer(pointer) = &row.ty {
        // Pointers in the letters of a tag stand where the tag stands.
        if matches!(pointer.cell.storage, Storage::Letter(..)) {
            let place = cx.core_mut().tree.slot_mut(owner, row.slot);
            place.at = tag_at;
            place.end = tag_at;
        }
    }
    Ok(())
}

/// Reads the row of a slot that has a home in the fixed block, and sets its slot.
pub(super) fn fixed_slot<'i, R: Reader<'i>>(
    cx: &mut R,
    node: NodeId,
    slot: u16,
    cursor: &mut Cursor<'i>,
) -> Read<()> {
    let row = cx.core().row_of(node, slot);
    let tag_at = cursor.at;
    match row.home(cx.core().epoch) {
        Home::At(_) => slot_row(cx, node, row, cursor, tag_at),
        _ => Ok(()),
    }
}

/// Reads the object in a slot, or what the pointer in it leads to, or what a pointer in an element
/// of it leads to. Also says where the typed value is.
pub(super) fn part<'i, R: Reader<'i>>(
    cx: &mut R,
    loc: Loc,
    target: bool,
    cursor: &mut Cursor<'i>,
) -> Read<(Item<'i>, u32)> {
    let core = cx.core();
    let row = core.row_of(loc.node, loc.slot);
    let ty = match (target, loc.index) {
        (false, _) => Some(&row.ty),
        (true, None) => row.ty.target(core.epoch),
        (true, Some(_)) => row.ty.element(core.epoch).and_then(|ty| ty.target(core.epoch)),
    };
    let Some(ty) = ty else { return Ok((Item::Absent, NOTHING)) };
    let node = core.tree.node(loc.node);
    let (base, tag, index) = (node.at, node.tag, loc.index);
    let mut f = Frame { loc: Some(loc), tag, index, ..Frame::new(loc.node, base) };
    let read = read_value(cx, &mut f, row, ty, cursor)?;
    cx.core_mut().keep_all(loc.node, f.spelling);
    Ok(read)
}

/// Reads the bit fields of a word that has a node.
pub(super) fn word<'i, R: Reader<'i>>(
    cx: &mut R,
    record: u16,
    raw: u64,
    at: u64,
    end: u64,
    holder: Loc,
) -> Read<NodeId> {
    let owner = super::word_node(cx.core_mut(), record, holder, raw, at, end);
    let table = cx.core().tables.rows_of(record);
    let mut f = Frame { word: raw, tag: raw.into(), ..Frame::new(owner, at) };
    if table.early {
        f = f.with_rows(table.rows.len());
    }
    for (number, row) in table.rows.iter().enumerate() {
        let Some(bit) = bit_of(row) else { continue };
        f.loc = Some(Loc::slot(owner, row.slot));
        let mut cursor = Cursor::new(at, end);
        match kind_value(cx, &mut f, row, &mut cursor) {
            Ok((item, value)) if row.slot == WHOLE => f.set(number, item, value, at),
            Ok((item, _)) => {
                let bit = u8::try_from(bit).unwrap_or(0);
                super::place_word(cx.core_mut(), owner, row.slot, item, at, end, bit);
            }
            Err(error) => return Err(under(cx, error, row, owner)),
        }
    }
    keep_early(cx, table, f);
    Ok(owner)
}

/// Reads the bit fields of a word without one.
///
/// # Errors
///
/// If they do not fit the schema; the path is relative to the word.
pub fn direct_word<'i, R: Reader<'i>>(
    cx: &mut R,
    record: u16,
    raw: u64,
    at: u64,
    owner: NodeId,
) -> Read<Frame<'i>> {
    let table = cx.core().tables.rows_of(record);
    let f = Frame { word: raw, tag: raw.into(), ..Frame::new(owner, at) };
    let mut f = f.with_rows(table.rows.len());
    for (number, row) in table.rows.iter().enumerate() {
        if bit_of(row).is_none() {
            continue;
        }
        let mut cursor = Cursor::new(at, at);
        let read = kind_value(cx, &mut f, row, &mut cursor);
        let (item, value) = read.map_err(|error| in_row(error, row.name))?;
        f.set(number, item, value, at);
    }
    Ok(f)
}

/// The bit of a word that a row begins with, in some epoch.
fn bit_of(row: &Row) -> Option<u64> {
    let mut homes = row.homes.iter().chain(core::iter::once(&row.home));
    homes.find_map(|home| match home {
        Home::At(bit) => Some(*bit),
        _ => None,
    })
}
