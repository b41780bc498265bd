//! Numbers that follow from others.

use super::super::read::{CaseLabel, Constant};
use super::super::rows::{
    Case, Content, Definer, Given, Measure, Role, Row, RowKind, Scope, Ty, Union,
};
use super::super::tree::{Item, Loc};
use super::super::val::{Fallible, Val};
use super::put::{direct, eval, field, rows_of, Put};
use super::run::coding;
use super::source::Src;
use super::{exactly, owner_scope, Helpers, Run as _, Tables, Write};

/// A constant of the schema as an item of the width of a type.
pub(super) fn constant_item<'v>(constant: &Constant, ty: &Ty) -> Item<'v> {
    match (constant, ty) {
        #[allow(clippy::cast_possible_truncation)] // The width of the cell is what is meant.
        (Constant::Float(bits), Ty::Cell(cell)) if cell.width().0 == 32 => {
            Item::Float { bits: (f64::from_bits(*bits) as f32).to_bits().into(), bytes: 4 }
        }
        _ => constant.item(),
    }
}

/// An own row of a record, for expressions.
pub(super) fn own_row<'v, W: Write<'v>>(
    cx: &mut W,
    p: &Put<'v>,
    number: usize,
) -> Fallible<Val<'v>> {
    let Some(row) = rows_of(cx, p.record).rows.get(number) else { return Ok(Val::None) };
    let number = u16::try_from(number).unwrap_or(u16::MAX);
    match field(cx, p.record, number, &p.value) {
        Src::Nothing | Src::None if row.role == Role::Derived => {
            Ok(derive(cx, p, row)?.unwrap_or(Val::None))
        }
        Src::Nothing => match &row.kind {
            RowKind::Constant(constant) => Ok(Val::of(&constant_item(constant, &row.ty))),
            _ => Ok(Val::None),
        },
        src => Ok(Val::of(&src.item())),
    }
}

/// What the equations of a row give; nothing if none applies.
pub(super) fn derive<'v, W: Write<'v>>(
    cx: &mut W,
    p: &Put<'v>,
    row: &'static Row,
) -> Fallible<Option<Val<'v>>> {
    for definer in row.definers {
        if let Some(val) = one(cx, p, definer)? {
            return Ok(Some(val));
        }
    }
    Ok(None)
}

fn one<'v, W: Write<'v>>(
    cx: &mut W,
    p: &Put<'v>,
    definer: &'static Definer,
) -> Fallible<Option<Val<'v>>> {
    match definer.scope {
        Scope::Own => given(cx, p, &definer.source).map(Some),
        Scope::Case(row, case, record) => {
            let src = field(cx, p.record, row, &p.value);
            let value = match src {
                Src::Case(number, value) if number == case => value,
                _ => return Ok(None),
            };
            let mut inner = direct(p, record, &value, p.base);
            let slot = rows_of(cx, p.record).rows.get(usize::from(row)).and_then(|row| p.slot(row));
            if let Some(node) = slot.and_then(|slot| cx.node_at(Loc::slot(p.node, slot))) {
                (inner.node, inner.noded) = (node, true);
            }
            given(cx, &inner, &definer.source).map(Some)
        }
        Scope::Owner(record, way) => {
            let Some(scope) = owner_scope(cx.tree(), p.node, record, way) else {
                return Ok(None);
            };
            let value = cx.node_value(scope);
            let outer = Put { node: scope, noded: true, record, value, ..p.clone() };
            given(cx, &outer, &definer.source).map(Some)
        }
    }
}

fn given<'v, W: Write<'v>>(cx: &mut W, p: &Put<'v>, source: &'static Given) -> Fallible<Val<'v>> {
    match source {
        Given::Is(e) => {
            let val = eval(cx, p, *e, None)?;
            if p.noded {
                cx.load(val)
            } else {
                Ok(val)
            }
        }
        Given::Measure(measure, row, factor, offset) => {
            let val = measured(cx, p, *measure, *row)?;
            if (*factor, *offset) == (1, 0) {
                return Ok(val);
            }
            exactly(val, *factor, *offset)
        }
    }
}

fn measured<'v, W: Write<'v>>(
    cx: &mut W,
    p: &Put<'v>,
    measure: Measure,
    number: u16,
) -> Fallible<Val<'v>> {
    let Some(row) = rows_of(cx, p.record).rows.get(usize::from(number)) else {
        return Ok(Val::None);
    };
    let loc = p.slot(row).map(|slot| Loc::slot(p.node, slot));
    match (measure, loc) {
        (Measure::Count, _) => count(cx, p, number, row),
        (Measure::Tag, _) => Ok(tag(cx, row, &field(cx, p.record, number, &p.value))),
        (_, None) => Ok(Val::None),
        (Measure::Size, Some(loc)) => cx.row_size(loc),
        (Measure::End, Some(loc)) => cx.placed(loc, true, None),
        (Measure::At(base), Some(loc)) => cx.placed(loc, false, Some(base)),
        (Measure::Base(path, empty), Some(loc)) => cx.slice_base(loc, path, empty).map(Val::Int),
    }
}

/// The label of a union's case.
fn tag<'v, W: Write<'v>>(cx: &W, row: &'static Row, src: &Src<'v>) -> Val<'v> {
    let Src::Case(number, _) = src else { return Val::None };
    let case = union_in(row.ty.stored(cx.epoch())).and_then(|u| u.cases.get(usize::from(*number)));
    match case.and_then(|case: &Case| case.labels.first()) {
        Some(CaseLabel::Range(first, _)) => Val::Int(*first),
        Some(CaseLabel::Text(text)) => Val::Text(super::super::tree::Text::Borrowed(text)),
        _ => Val::None,
    }
}

fn union_in(ty: &'static Ty) -> Option<&'static Union> {
    match ty {
        Ty::Union(union) => Some(union),
        Ty::Region(region) => union_in(&region.inner),
        Ty::Value(_, ty) => union_in(ty),
        _ => None,
    }
}

/// Number of elements, bytes or units of a row.
pub(super) fn count<'v, W: Write<'v>>(
    cx: &mut W,
    p: &Put<'v>,
    number: u16,
    row: &'static Row,
) -> Fallible<Val<'v>> {
    let made = row.role == Role::Made || matches!(row.kind, RowKind::Pool(_));
    let src = if made { Src::Nothing } else { field(cx, p.record, number, &p.value) };
    match (&src, &row.kind) {
        (Src::Nothing, RowKind::Constant(Constant::Bytes(bytes))) => {
            Ok(Val::Int(bytes.len() as i128))
        }
        (Src::Nothing, _) => match p.slot(row) {
            Some(slot) => cx.count_slot(p.node, slot),
            None => Ok(Val::None),
        },
        _ => Ok(counted(cx, &src, &row.ty)),
    }
}

fn counted<'v, W: Write<'v>>(cx: &W, src: &Src<'v>, ty: &'static Ty) -> Val<'v> {
    match src {
        Src::None => Val::Int(0),
        Src::List(list) => Val::Int(list.count() as i128),
        Src::Item(item @ (Item::Text(_) | Item::Bytes(_) | Item::Units(_))) => {
            let (coding, _) = coding(content(cx, ty), crate::Endian::Little);
            Val::Int((item.chars().size(coding) / coding.unit()).into())
        }
        _ => Val::None,
    }
}

/// What the units of a row are, or of what it leads to.
fn content<'v, W: Write<'v>>(cx: &W, ty: &'static Ty) -> Content {
    let epoch = cx.epoch();
    let ty = ty.stored(epoch);
    match ty {
        Ty::Run(run) => run.content,
        Ty::Region(region) => content(cx, &region.inner),
        Ty::Direct(record) | Ty::Node(record) => {
            let table = rows_of(cx, *record);
            match table.transparent.and_then(|row| table.rows.get(usize::from(row))) {
                Some(row) => content(cx, &row.ty),
                None => Content::Bytes,
            }
        }
        Ty::Pointer(_) => ty.target(epoch).map_or(Content::Bytes, |target| content(cx, target)),
        _ => Content::Bytes,
    }
}

/// Evaluates an expression in a record: of its node, or of a value without one.
///
/// # Errors
///
/// If it fails.
pub fn eval_in<'v, W: Write<'v>>(
    cx: &mut W,
    record: u16,
    node: super::NodeId,
    value: Src<'v>,
    e: super::super::rows::Ex,
    it: Option<&Val<'v>>,
) -> Fallible<Val<'v>> {
    eval(cx, &beside(record, node, value), e, it)
}

/// A record without a node whose value is looked at.
pub(super) fn beside(record: u16, node: super::NodeId, value: Src<'_>) -> Put<'_> {
    let (mode, order) = (super::FILL, crate::Endian::Little);
    Put { mode, node, noded: false, record, value, base: 0, order }
}

/// What the equations of a row give, or else what the value has; of a record without a node.
///
/// # Errors
///
/// If an equation fails.
pub fn derived_item<'v, W: Write<'v>>(
    cx: &mut W,
    record: u16,
    row: u16,
    node: super::NodeId,
    value: Src<'v>,
) -> Fallible<Item<'v>> {
    let p = beside(record, node, value);
    let Some(definition) = rows_of(cx, record).rows.get(usize::from(row)) else {
        return Ok(Item::Absent);
    };
    match derive(cx, &p, definition)? {
        Some(val) => Ok(val.into_item()),
        None => match field(cx, record, row, &p.value) {
            Src::Nothing | Src::None => Ok(Item::Unset),
            src => Ok(src.item()),
        },
    }
}

/// What the equations of a slot give.
///
/// # Errors
///
/// If one fails.
pub fn derived_slot<'v, W: Write<'v>>(
    cx: &mut W,
    node: super::NodeId,
    slot: u16,
) -> Fallible<Option<Item<'v>>> {
    let record = cx.tree().node(node).record;
    let number = cx.tree().slot_info(Loc::slot(node, slot)).row;
    let value = cx.node_value(node);
    let p = Put { noded: true, ..beside(record, node, value) };
    let row = &rows_of(cx, record).rows[usize::from(number)];
    Ok(derive(cx, &p, row)?.map(Val::into_item))
}
