//! The walk over the bytes of records: it measures, sets addresses, or writes.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::super::rows::{
    by_epoch, Array, Cell, Ex, Home, Meaning, RecordRows, Role, Row, RowKind, Storage, Ty,
};
use super::super::tree::{Item, Loc, NodeId, WHOLE};
use super::super::val::{eval_error, Fallible, Fault, Val};
use super::labels as log;
use super::number::put_cell;
use super::pointer::put_pointer;
use super::run::{put_padding, put_pool, put_run};
use super::source::Src;
use super::{
    kept_in, At, Helpers, Number, OrderRule, Spot, Tables, Write, DRY, FILL, LAY, MAX_DEPTH,
    MAX_SIZE, NOWHERE,
};
use crate::spelling::{KeptKind, SpellingEntry};
use crate::{Endian, ReadErrorKind};

/// A record whose rows are put.
pub(super) struct Put<'v> {
    /// What the walk is for.
    pub mode: u8,
    /// The nearest node.
    pub node: NodeId,
    /// Whether the record has it itself.
    pub noded: bool,
    /// Number of the record.
    pub record: u16,
    /// Its value.
    pub value: Src<'v>,
    /// Address that homes count from.
    pub base: u64,
    /// Byte order of cells that do not say theirs.
    pub order: Endian,
}

impl Clone for Put<'_> {
    fn clone(&self) -> Self {
        Put { value: self.value.clone(), ..*self }
    }
}

/// A row or element of it.
#[derive(Clone, Copy)]
pub(super) struct Here {
    pub row: &'static Row,
    pub index: Option<u32>,
}

impl<'v> Put<'v> {
    pub(super) fn at(&self, here: Here) -> At {
        let node = if self.noded { self.node } else { NOWHERE };
        At { node, row: here.row.name, index: here.index }
    }

    pub(super) fn loc(&self, here: Here) -> Loc {
        let slot = if self.noded { here.row.slot } else { WHOLE };
        Loc { node: self.node, slot, index: here.index }
    }

    pub(super) fn slot(&self, row: &Row) -> Option<u16> {
        Some(row.slot).filter(|slot| self.noded && *slot != WHOLE)
    }

    pub(super) fn kept(&self, here: Here, kind: KeptKind) -> Option<&'v SpellingEntry> {
        kept_in(self.value.spelling()?, here.row.spelled, here.index, kind)
    }

    pub(super) fn cell_order(&self, bytes: u8, order: Option<bool>) -> Endian {
        match order {
            Some(true) => Endian::Big,
            Some(false) => Endian::Little,
            None if bytes == 1 => Endian::Little,
            None => self.order,
        }
    }
}

/// Rows of a record.
pub(super) fn rows_of<'v, W: Write<'v>>(cx: &W, record: u16) -> &'static RecordRows {
    &cx.tables().rows[usize::from(record)]
}

/// What a value has for a row.
pub(super) fn field<'v, W: Write<'v>>(cx: &W, record: u16, row: u16, value: &Src<'v>) -> Src<'v> {
    if rows_of(cx, record).transparent == Some(row) {
        return value.clone();
    }
    match value {
        Src::Record(fields) => fields.field(record, row),
        _ => Src::Nothing,
    }
}

/// Goes on after a fault while filling; while placing, it is the end.
pub(super) fn fail<'v, W: Write<'v>>(
    cx: &mut W,
    mode: u8,
    fault: Box<Fault>,
    at: At,
) -> Fallible<()> {
    if mode == FILL {
        cx.w().report(*fault, at);
        return Ok(());
    }
    Err(fault)
}

/// What a fallible step gives; a fault while filling is a problem, and gives this.
pub(super) fn or<'v, W: Write<'v>, T>(
    cx: &mut W,
    mode: u8,
    result: Fallible<T>,
    otherwise: T,
    at: At,
) -> Fallible<T> {
    match result {
        Ok(value) => Ok(value),
        Err(fault) => fail(cx, mode, fault, at).map(|()| otherwise),
    }
}

/// Puts a node, from an address on; returns the address behind it.
pub(super) fn put_node<'v, W: Write<'v>>(
    cx: &mut W,
    mode: u8,
    node: NodeId,
    at: u64,
    order: Endian,
    given: &Src<'v>,
) -> Fallible<u64> {
    let record = cx.tree().node(node).record;
    // Nodes in forms may have their values elsewhere.
    let value = match cx.node_value(node) {
        Src::Nothing => given.clone(),
        value => value,
    };
    let p = Put { mode, node, noded: true, record, value, base: at, order };
    if mode == LAY {
        cx.tree_mut().node_mut(node).at = at;
    }
    let end = put_record(cx, p)?;
    if mode == LAY {
        cx.tree_mut().node_mut(node).end = end;
    }
    Ok(end)
}

/// Puts a record at its base; returns the address behind it.
fn put_record<'v, W: Write<'v>>(cx: &mut W, p: Put<'v>) -> Fallible<u64> {
    let (base, record) = (p.base, p.record);
    let depth = cx.tree().node(p.node).depth;
    if let Some(limit) = cx.tree().too_deep(depth, MAX_DEPTH) {
        return Err(Box::new(Fault::Limit(ReadErrorKind::DepthLimit { limit })));
    }
    let mut spot = Spot::new(base);
    put_rows(cx, p, &mut spot)?;
    spot.align();
    let epoch = cx.epoch();
    Ok(match rows_of(cx, record).size(epoch) {
        Some(size) => spot.at.max(base.saturating_add(size)),
        None => spot.at,
    })
}

/// Puts the rows of a record.
pub(super) fn put_rows<'v, W: Write<'v>>(
    cx: &mut W,
    mut p: Put<'v>,
    spot: &mut Spot,
) -> Fallible<()> {
    let rule = &cx.tables().records[usize::from(p.record)].endian;
    p.order = match rule {
        OrderRule::Inherited => p.order,
        OrderRule::Fixed(order) => *order,
        OrderRule::Chosen(..) if p.mode == FILL => cx.order_at(p.node),
        OrderRule::Chosen(..) => p.order,
    };
    let (table, epoch) = (rows_of(cx, p.record), cx.epoch());
    for (number, row) in (0_u16..).zip(table.rows) {
        if let Home::At(offset) = row.home(epoch) {
            let mut here = Spot::new(p.base.saturating_add(offset));
            put_row(cx, &p, number, row, &mut here)?;
            here.align();
            spot.at = spot.at.max(here.at);
        }
    }
    if let Some(size) = table.fixed_part(epoch) {
        spot.at = spot.at.max(p.base.saturating_add(size));
    }
    for (number, row) in (0_u16..).zip(table.rows) {
        if row.home(epoch) == Home::Next {
            put_row(cx, &p, number, row, spot)?;
        }
    }
    Ok(())
}

fn put_row<'v, W: Write<'v>>(
    cx: &mut W,
    p: &Put<'v>,
    number: u16,
    row: &'static Row,
    spot: &mut Spot,
) -> Fallible<()> {
    if matches!(row.kind, RowKind::Elsewhere) {
        return Ok(());
    }
    let here = Here { row, index: None };
    if let Some(when) = row.when {
        if !is_there(cx, p, number, here, when)? {
            return Ok(());
        }
    }
    let epoch = cx.epoch();
    if !row.ty.stored(epoch).is_bits() {
        spot.align();
    }
    let start = *spot;
    put_listed(cx, p, row, spot);
    match row.kind {
        RowKind::Zero | RowKind::Reserved => put_padding(cx, p, here, spot)?,
        RowKind::Zeros => {
            let count = field(cx, p.record, number, &p.value).item().number();
            let count = count.and_then(|n| u64::try_from(n).ok()).unwrap_or(0);
            if count > MAX_SIZE {
                return eval_error("more zero bytes than a file may have");
            }
            spot.skip(count);
        }
        RowKind::Pool(pad) => put_pool(cx, p, here, pad, spot)?,
        RowKind::Constant(_) if matches!(row.ty, Ty::Nothing) => {}
        RowKind::Plain | RowKind::Constant(_) => {
            let src = row_source(cx, p, number, here)?;
            put_type(cx, p, here, &row.ty, &src, spot)?;
        }
        RowKind::Elsewhere => {}
    }
    if let Some(slot) = p.slot(row).filter(|_| p.mode == LAY) {
        cx.w().lay_slot(p.node, slot, start, *spot);
    }
    Ok(())
}

/// Whether a row with a condition is there.
fn is_there<'v, W: Write<'v>>(
    cx: &mut W,
    p: &Put<'v>,
    number: u16,
    here: Here,
    when: Ex,
) -> Fallible<bool> {
    let row = here.row;
    let plain =
        matches!(row.kind, RowKind::Plain) && row.role == Role::Data && row.default.is_none();
    let slot = p.slot(row);
    let absent = |cx: &W, slot| matches!(cx.tree().slot(p.node, slot).item, Item::Absent);
    if plain {
        if let Some(slot) = slot {
            return Ok(!absent(cx, slot));
        }
        match field(cx, p.record, number, &p.value) {
            // The value of a pointer may be none although it is there.
            Src::None => {
                let pointer = matches!(row.ty.stored(cx.epoch()), Ty::Pointer(_));
                if !pointer || !when.is_for_writing() {
                    return Ok(false);
                }
            }
            Src::Nothing => {}
            _ if row.optional => return Ok(true),
            _ => {}
        }
    }
    // What was kept is there.
    if let (Some(slot), RowKind::Zero | RowKind::Reserved) = (slot, row.kind) {
        if !absent(cx, slot) {
            return Ok(true);
        }
    }
    let holds = eval(cx, p, when, None).and_then(|val| super::super::truth_of(&val));
    or(cx, p.mode, holds, false, p.at(here))
}

/// Evaluates an expression in a record.
pub(super) fn eval<'v, W: Write<'v>>(
    cx: &mut W,
    p: &Put<'v>,
    e: Ex,
    it: Option<&Val<'v>>,
) -> Fallible<Val<'v>> {
    match e {
        Ex::Int(n) => Ok(Val::Int(n)),
        Ex::Node(number) | Ex::NodeHere(number) => cx.expr(number, p.node, it),
        Ex::Own(number) | Ex::OwnHere(number) => {
            cx.local(number, &mut |cx, row| super::derive::own_row(cx, p, row), it)
        }
    }
}

pub(super) fn int<'v, W: Write<'v>>(cx: &mut W, p: &Put<'v>, e: Ex) -> Fallible<Option<i128>> {
    eval(cx, p, e, None).and_then(|val| super::super::int_of(&val))
}

/// What is in a plain row.
pub(super) fn row_source<'v, W: Write<'v>>(
    cx: &mut W,
    p: &Put<'v>,
    number: u16,
    here: Here,
) -> Fallible<Src<'v>> {
    let row = here.row;
    if let RowKind::Constant(constant) = &row.kind {
        return Ok(Src::Item(super::derive::constant_item(constant, &row.ty)));
    }
    let slot = p.slot(row);
    if row.role != Role::Data {
        if p.mode != FILL && !needs_value(row.ty.stored(cx.epoch())) {
            return Ok(Src::Item(Item::Absent));
        }
        let at = p.at(here);
        if let Some(slot) = slot {
            let forced = cx.force(p.node, slot);
            or(cx, p.mode, forced, (), at)?;
            return Ok(Src::Item(cx.tree().slot(p.node, slot).item.clone()));
        }
        let derived = super::derive::derive(cx, p, row);
        return Ok(match or(cx, p.mode, derived, Some(Val::None), at)? {
            Some(val) => Src::Item(val.into_item()),
            None => match field(cx, p.record, number, &p.value) {
                Src::Nothing | Src::None => Src::Item(Item::Unset),
                src => src,
            },
        });
    }
    Ok(match (field(cx, p.record, number, &p.value), &row.default) {
        (Src::None, Some(constant)) => Src::Item(super::derive::constant_item(constant, &row.ty)),
        (src, _) => src,
    })
}

/// Whether the size of a type depends on what is in it, or something is logged of it.
pub(super) fn needs_value(ty: &Ty) -> bool {
    match ty {
        Ty::Cell(cell) => matches!(cell.storage, Storage::Varint(..)),
        Ty::Mark | Ty::Nothing => false,
        _ => true,
    }
}

/// Notes a number that stands in the relocation table.
fn put_listed<'v, W: Write<'v>>(cx: &mut W, p: &Put<'v>, row: &Row, spot: &Spot) {
    let Some(listed) = row.listed.filter(|_| p.mode == LAY && has_relocation(cx)) else { return };
    let slot = p.slot(row);
    if let Some(slot) = slot.filter(|_| !listed.runtime) {
        if matches!(cx.tree().slot(p.node, slot).item, Item::Absent) {
            return;
        }
    }
    let epoch = cx.epoch();
    let class = match listed.kind {
        Some(_) => log::Class::Object,
        None if listed.runtime => {
            log::Class::Runtime(by_epoch(listed.widths, epoch).copied().unwrap_or(0))
        }
        None => log::Class::Plain,
    };
    let kinds = cx.tables().relocation.kinds;
    let none = match listed.kind {
        Some(kind) => kinds.get(usize::from(kind)).and_then(|kind| kind.none),
        None => Some(0),
    };
    let set = if listed.runtime {
        log::Set::Known(false)
    } else {
        log::Set::Number(Loc::slot(p.node, slot.unwrap_or(WHOLE)), none)
    };
    cx.w().log.cells.push(log::Cell {
        at: spot.at,
        kind: listed.kind.unwrap_or(0),
        class,
        policy: listed.policy,
        section: listed.section,
        set,
    });
}

pub(super) fn has_relocation<'v, W: Write<'v>>(cx: &W) -> bool {
    let relocation = cx.tables().relocation;
    relocation.encoding.is_some() || !relocation.sections.is_empty()
}

/// Puts a value of a type.
pub(super) fn put_type<'v, W: Write<'v>>(
    cx: &mut W,
    p: &Put<'v>,
    here: Here,
    ty: &'static Ty,
    src: &Src<'v>,
    spot: &mut Spot,
) -> Fallible<()> {
    let ty = ty.stored(cx.epoch());
    if !ty.is_bits() {
        spot.align();
    }
    let structural =
        matches!(ty, Ty::Node(_) | Ty::Direct(_) | Ty::Union(_) | Ty::Array(_) | Ty::Region(_));
    if structural && matches!(src, Src::None) {
        return Ok(());
    }
    match ty {
        Ty::Nothing | Ty::Value(..) | Ty::PerEpoch(_) => Ok(()),
        Ty::Cell(cell) => put_cell(cx, p, here, cell, src, spot),
        Ty::Run(run) => put_run(cx, p, here, run, src, spot),
        Ty::Node(_) => {
            if let Some(inner) = cx.node_at(p.loc(here)) {
                spot.at = put_node(cx, p.mode, inner, spot.at, p.order, src)?;
            }
            Ok(())
        }
        Ty::Direct(record) => {
            let inner = direct(p, *record, src, spot.at);
            let from = cx.w_ref().problems.len();
            spot.at = put_record(cx, inner)?;
            cx.w().within(from, p.at(here));
            Ok(())
        }
        Ty::Union(union) => super::cases::put_union(cx, p, here, union, src, spot),
        Ty::Pointer(pointer) => put_pointer(cx, p, here, pointer, src, spot),
        Ty::Array(array) => put_array(cx, p, here, array, src, spot),
        Ty::Region(region) => super::region::put_region(cx, p, here, region, src, spot),
        Ty::Mark => {
            if p.mode == FILL {
                let mark: [u8; 2] = match cx.w_ref().order {
                    Endian::Little => [0xff, 0xfe],
                    Endian::Big => [0xfe, 0xff],
                };
                cx.w().put(spot.at, &mark);
            }
            spot.skip(2);
            Ok(())
        }
    }
}

/// A record without a node.
pub(super) fn direct<'v>(p: &Put<'v>, record: u16, value: &Src<'v>, base: u64) -> Put<'v> {
    Put { noded: false, record, value: value.clone(), base, ..p.clone() }
}

fn put_array<'v, W: Write<'v>>(
    cx: &mut W,
    p: &Put<'v>,
    here: Here,
    array: &'static Array,
    src: &Src<'v>,
    spot: &mut Spot,
) -> Fallible<()> {
    let slot = p.slot(here.row).filter(|_| here.index.is_none());
    let count = src.count();
    let begin = spot.at;
    let mut starts = Vec::new();
    let element = array.element.stored(cx.epoch());
    let number = match element {
        Ty::Cell(Cell { storage: Storage::Fixed(width, ..), meaning }) => {
            let word = matches!(meaning, Meaning::WordNode(_) | Meaning::DirectWord(_));
            (!word && array.stride.is_none()).then_some(u64::from(*width))
        }
        _ => None,
    };
    if let (Some(width), true) = (number, p.mode != FILL) {
        spot.skip((count as u64).saturating_mul(width));
    } else {
        for (index, position) in (0_u32..).zip(0..count) {
            let from = spot.at;
            if slot.is_some() && p.mode == LAY {
                starts.push(from);
            }
            let here = Here { index: Some(index), ..here };
            put_type(cx, p, here, element, &src.element(position), spot)?;
            if let Some(stride) = array.stride {
                spot.align();
                expect(cx, p, here, stride, spot.at.saturating_sub(from), "size");
            }
        }
    }
    if let Some(slot) = slot.filter(|_| p.mode == LAY) {
        cx.place_array(Loc::slot(p.node, slot), begin, spot.at, starts);
    }
    Ok(())
}

/// Notes that a length must agree with an expression.
pub(super) fn expect<'v, W: Write<'v>>(
    cx: &mut W,
    p: &Put<'v>,
    here: Here,
    e: Ex,
    actual: u64,
    what: &'static str,
) {
    if p.mode != LAY || !e.is_for_writing() {
        return;
    }
    let at = p.at(here);
    if let (Ex::Node(number), true) = (e, p.noded) {
        Write::expect(cx, at, p.node, number, actual, what);
        return;
    }
    match int(cx, p, e) {
        Ok(Some(expected)) => cx.w().compare_length(at, expected, actual, what),
        Ok(None) => {}
        Err(fault) => cx.w().report(*fault, at),
    }
}

/// Puts what is in a slot or element: of a pointer, its target.
pub(super) fn put_content<'v, W: Write<'v>>(
    cx: &mut W,
    mode: u8,
    loc: Loc,
    spot: &mut Spot,
) -> Fallible<()> {
    let node = cx.tree().node(loc.node);
    let (record, base) = (node.record, node.at);
    let number = cx.tree().slot_info(Loc::slot(loc.node, loc.slot)).row;
    let row = &rows_of(cx, record).rows[usize::from(number)];
    let (value, order) = (cx.node_value(loc.node), cx.order_at(loc.node));
    let p = Put { mode, node: loc.node, noded: true, record, value, base, order };
    let here = Here { row, index: None };
    let src = row_source(cx, &p, number, here)?;
    let epoch = cx.epoch();
    let Some(index) = loc.index else {
        if row.object {
            return put_type(cx, &p, here, &row.ty, &src, spot);
        }
        return put_target(cx, &p, here, &row.ty, &src, spot);
    };
    let Some(element) = row.ty.stored(epoch).element(epoch) else { return Ok(()) };
    let at = usize::try_from(index).unwrap_or(usize::MAX);
    let src = src.target();
    if at >= src.count() {
        return Ok(());
    }
    let here = Here { index: Some(index), ..here };
    put_target(cx, &p, here, element, &src.element(at), spot)
}

fn put_target<'v, W: Write<'v>>(
    cx: &mut W,
    p: &Put<'v>,
    here: Here,
    ty: &'static Ty,
    src: &Src<'v>,
    spot: &mut Spot,
) -> Fallible<()> {
    let epoch = cx.epoch();
    if matches!(src, Src::None) {
        return Ok(());
    }
    match ty.stored(epoch).target(epoch) {
        Some(target) => put_type(cx, p, here, target, &src.target(), spot),
        None => Ok(()),
    }
}

/// Size of what is in a slot, without setting addresses.
pub(super) fn measure<'v, W: Write<'v>>(cx: &mut W, node: NodeId, slot: u16) -> Fallible<u64> {
    let record = cx.tree().node(node).record;
    let number = cx.tree().slot_info(Loc::slot(node, slot)).row;
    let row = &rows_of(cx, record).rows[usize::from(number)];
    let (value, order) = (cx.node_value(node), Endian::Little);
    let p = Put { mode: DRY, node, noded: true, record, value, base: 0, order };
    let here = Here { row, index: None };
    let src = row_source(cx, &p, number, here)?;
    let mut spot = Spot::new(0);
    put_type(cx, &p, here, &row.ty, &src, &mut spot)?;
    spot.align();
    Ok(spot.at)
}
