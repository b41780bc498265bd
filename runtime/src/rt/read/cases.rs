//! Unions: which case is there, and its rows.

use super::super::rows::{Case, Cell, Form, Row, Tag, Ty, Union};
use super::frame::{eval, holds, Frame};
use super::item::read_cell;
use super::prelude::*;
use super::records::{direct, direct_rows, node_rows, read_node};
use super::{Decision, Taken};

/// What was chosen.
struct Chosen {
    /// Position of the case.
    number: u16,
    case: &'static Case,
    form: Option<(u16, &'static Form)>,
    taken: Taken,
}

/// Reads a union as an item.
pub(super) fn union_item<'i, R: Reader<'i>>(
    cx: &mut R,
    f: &mut Frame<'i>,
    row: &'static Row,
    union: &'static Union,
    cursor: &mut Cursor<'i>,
) -> Read<Item<'i>> {
    let start = cursor.at;
    if !union.nodes {
        read_case(cx, f, row, union, cursor)?;
        return Ok(super::counted_item(1, start, cursor.at, Vec::new()));
    }
    let chosen = choose(cx, f, row, union, cursor)?;
    let holder = f.loc.unwrap_or(Loc::slot(f.owner, WHOLE));
    let case = chosen.case;
    if case.whole {
        let mut inside = whole(f, union, cursor);
        let node = read_node(cx, case.record, &mut inside, holder)?;
        cursor.at = inside.at;
        return Ok(Item::Node(node));
    }
    let node = super::add_node(cx, case.record, holder, start)?;
    let mut inside = behind_tag(union, &chosen.taken, cursor, start)?;
    super::begin_case(cx.core_mut(), node, chosen.taken.number, f.base);
    let mut rows = node;
    if let Some((number, form)) = chosen.form {
        rows = super::begin_form(cx.core_mut(), node, form.record, number);
    }
    node_rows(cx, &mut inside, rows, f.base, start)?;
    inside.align_bits();
    let core = cx.core_mut();
    if let Some((_, form)) = chosen.form {
        core.tree.node_mut(rows).end = inside.at;
        super::lift(core, node, rows, form.lift);
    }
    cursor.at = end(union, &inside, start);
    core.tree.node_mut(node).end = cursor.at;
    Ok(Item::Node(node))
}

/// Reads a union whose cases have no nodes: which case, and its rows.
///
/// # Errors
///
/// If it does not fit the schema; the path is relative to the row.
pub fn read_case<'i, R: Reader<'i>>(
    cx: &mut R,
    f: &mut Frame<'i>,
    row: &'static Row,
    union: &'static Union,
    cursor: &mut Cursor<'i>,
) -> Read<(u16, Frame<'i>)> {
    let start = cursor.at;
    let chosen = choose(cx, f, row, union, cursor)?;
    let record = chosen.case.record;
    if chosen.case.whole {
        let mut inside = whole(f, union, cursor);
        let read = direct(cx, record, &mut inside, f.owner)?;
        cursor.at = inside.at;
        return Ok((chosen.number, read));
    }
    let mut inside = behind_tag(union, &chosen.taken, cursor, start)?;
    let table = cx.core().tables.rows_of(record);
    let tag = chosen.taken.number;
    let inner = Frame { tag, tag_at: start, ..Frame::new(f.owner, f.base) };
    let read = direct_rows(cx, record, table, inner, &mut inside)?;
    inside.align_bits();
    cursor.at = end(union, &inside, start);
    Ok((chosen.number, read))
}

/// A cursor for a record that stands for the whole union, the tag included.
fn whole<'i>(f: &Frame<'i>, union: &Union, cursor: &Cursor<'i>) -> Cursor<'i> {
    cursor.inside(if union.around { f.base } else { cursor.at }, cursor.limit)
}

/// A cursor for what follows the tag; that of the union goes there too.
fn behind_tag<'i>(
    union: &Union,
    taken: &Taken,
    cursor: &mut Cursor<'i>,
    start: u64,
) -> Read<Cursor<'i>> {
    super::skip_tag(cursor, taken.bytes.max(union.tag_size).into())?;
    let limit = match union.size {
        Some(size) => cursor.limit.min(start.saturating_add(size)),
        None => cursor.limit,
    };
    let mut inside = cursor.inside(cursor.at, limit);
    inside.room |= union.size.is_some();
    Ok(inside)
}

fn end(union: &Union, inside: &Cursor<'_>, start: u64) -> u64 {
    match union.size {
        Some(size) => inside.at.max(start.saturating_add(size)),
        None => inside.at,
    }
}

/// Finds the case.
fn choose<'i, R: Reader<'i>>(
    cx: &mut R,
    f: &mut Frame<'i>,
    row: &'static Row,
    union: &'static Union,
    cursor: &Cursor<'i>,
) -> Read<Chosen> {
    let start = cursor.at;
    let decision = decide(cx, f, row, union, cursor)?;
    match find(cx, f, union, &decision, start)? {
        Some(chosen) => Ok(chosen),
        None => {
            let at = match union.tag {
                Tag::Own(row) => f.own.get(usize::from(row)).map_or(start, |own| own.at),
                Tag::Slot(slot) => cx.core().tree.cell_at(Loc::slot(f.owner, slot)),
                _ => start,
            };
            Err(decision.unknown(union.name, at))
        }
    }
}

fn decide<'i, R: Reader<'i>>(
    cx: &mut R,
    f: &mut Frame<'i>,
    row: &'static Row,
    union: &'static Union,
    cursor: &Cursor<'i>,
) -> Read<Decision<'i>> {
    let start = cursor.at;
    let given = match &union.tag {
        Tag::Nothing => Ok(Val::None),
        Tag::Own(row) => Ok(f.val(usize::from(*row))),
        Tag::Slot(slot) => cx.load(Val::Loc(Loc::slot(f.owner, *slot))),
        Tag::Given(e) => eval(cx, f, *e, None),
        Tag::Cell(cell, word) => return tag_cell(cx, f, row, cell, *word, union, cursor),
    };
    Ok(Decision::given(super::value_of(cx.core_mut(), given, start)?))
}

fn tag_cell<'i, R: Reader<'i>>(
    cx: &mut R,
    f: &mut Frame<'i>,
    row: &'static Row,
    cell: &'static Cell,
    word: bool,
    union: &'static Union,
    cursor: &Cursor<'i>,
) -> Read<Decision<'i>> {
    let mut ahead = Cursor::new(cursor.at, cursor.limit);
    let item = read_cell(cx, f, row, cell, &mut ahead)?;
    let val = Val::of(&item);
    let bits = union.tag_size.saturating_mul(8);
    let word = match &val {
        Val::Int(n) if word => {
            let mask = u128::MAX.checked_shr(128_u32.saturating_sub(bits)).unwrap_or(0);
            Some((super::unsigned(*n) & mask, bits))
        }
        _ => None,
    };
    Ok(Decision { bytes: cx.core().between(cursor.at, cursor.limit)?, word, val })
}

fn find<'i, R: Reader<'i>>(
    cx: &mut R,
    f: &Frame<'i>,
    union: &'static Union,
    decision: &Decision<'i>,
    at: u64,
) -> Read<Option<Chosen>> {
    let epoch = cx.core().epoch;
    let exists = |epochs: &[bool]| epochs.get(epoch).copied().unwrap_or(true);
    let mut otherwise = None;
    for (number, case) in (0_u16..).zip(union.cases) {
        if case.forms.is_empty() && exists(case.epochs) {
            let Some(taken) = decision.matching(case.labels) else { continue };
            let fits = match case.guard {
                Some(guard) => holds(cx, f, guard, None, at)?,
                None => true,
            };
            let chosen = Chosen { number, case, form: None, taken };
            match (fits, taken.otherwise) {
                (true, false) => return Ok(Some(chosen)),
                (true, true) => otherwise = otherwise.or(Some(chosen)),
                (false, _) => {}
            }
        }
        for (index, form) in (0_u16..).zip(case.forms) {
            if let Some(taken) = decision.matching(form.labels).filter(|_| exists(form.epochs)) {
                let form = Some((index, form));
                return Ok(Some(Chosen { number, case, form, taken }));
            }
        }
    }
    Ok(otherwise)
}

/// A word that is read from its bytes and has no node.
///
/// # Errors
///
/// If it does not fit the schema; the path is relative to the row.
pub fn read_word<'i, R: Reader<'i>>(
    cx: &mut R,
    f: &mut Frame<'i>,
    row: &'static Row,
    record: u16,
    ty: &'static Ty,
    cursor: &mut Cursor<'i>,
) -> Read<Frame<'i>> {
    let at = cursor.at;
    let raw = super::int_value(&super::read_item(cx, f, row, ty, cursor)?);
    super::records::direct_word(cx, record, super::super::write::low(raw), at, f.owner)
}
