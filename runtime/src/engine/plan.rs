//! Where the rows of a record are, worked out before any file is looked at.
//!
//! Most rows stand at a constant distance from the start of their record and are a number, and then
//! nothing has to be remembered of them: whoever asks finds the number in the bytes. Records that
//! consist of such rows are *compact*: an array of them is a run of bytes. Only other rows have a
//! slot, in which the tree keeps what is in them.

mod duties;
mod place;

pub(crate) use place::{count_of, has_plain_numbers, last_of};

use alloc::vec;
use alloc::vec::Vec;

use super::item::Item;
use crate::load::Endian;
use crate::model::{
    ArrayLength, Cell, EndianRule, EpochId, FloatCode, Home, IntType, Meaning, Model, Record,
    RecordId, RecordKind, Row, RowId, RowKind, Sizes, Target, Type,
};

/// Whether a file is read or written: what is data in place when it is read may have to be computed
/// when it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Reading,
    Writing,
}

/// What is known of a record in one epoch and direction.
#[derive(Debug, Clone, Default)]
pub(crate) struct Plan {
    /// Bytes of the rows with homes.
    pub block: Option<u32>,
    /// Bytes of everything inline, if they are the same for every file.
    pub size: Option<u32>,
    /// One for each row.
    pub rows: Vec<RowPlan>,
    /// Number of slots.
    pub slots: u16,
    /// Whether there are only rows in place: nothing but bytes has to be remembered.
    pub compact: bool,
    /// Whether it may be a part of a record around it: it is compact, or what has a slot in it takes
    /// no bytes, or none that anybody has to look for.
    pub inner: bool,
    /// The records inside that have no nodes of their own, the record itself first.
    pub parts: Vec<Part>,
    /// When writing: parts with rows that have bytes and slots.
    pub filled: Vec<u16>,
    /// Bytes from the start of the node to behind the last row in place with a home, and those of
    /// rows in place without one.
    pub lengths: (u32, u32),
    /// When writing: these bytes, as far as the schema says them.
    pub template: Vec<u8>,
    /// Of a packed word: the bits that are in a row.
    pub mask: u64,
    /// When writing: what of these bytes goes where.
    pub pieces: Vec<Piece>,
    /// Rows that have to be looked at when a node is read, in this order: those with homes.
    pub reading: Vec<RowId>,
    /// Then those that come one after another, all of them that have bytes.
    pub following: Vec<RowId>,
    /// Those with homes that may reach beyond the block.
    pub reaching: Vec<RowId>,
    /// Whether some row of several bytes has the byte order of the record.
    pub ordered: bool,
    /// Rows that hold the nodes of a radix tree.
    pub dictionaries: Vec<RowId>,
    /// Rows that refer to elements, or have to be left empty where nothing names them.
    pub references: Vec<RowId>,
    /// When writing: rows without bytes of their own whose values are keys of dictionaries.
    pub named: Vec<RowId>,
    /// Rows that are compared with something, or not read before everything else is.
    pub settling: Vec<RowId>,
    /// Rows that a value may have something for, but those that may follow from others, and those.
    pub building: (Vec<RowId>, Vec<RowId>),
    /// The same where the value is a node of a file, which has nothing for rows that follow.
    pub taking: (Vec<RowId>, Vec<RowId>),
    /// When writing: if a value has nothing but numbers for a compact struct, these.
    pub flat: Vec<FlatRow>,
    /// Bytes that a node of a file has where they will be written, and the first of these lists without
    /// the rows in them.
    pub copied: Vec<Piece>,
    pub not_copied: Vec<RowId>,
    /// Whether such a node has nothing but slices of shared tables.
    pub only_slices: bool,
    /// Whether it is nothing but a union, and shares its node's place with that of the case.
    pub around_case: bool,
    /// Whether some rows have homes.
    pub homes: bool,
    /// Whether some rows with slots have to be told where they are.
    pub laid: bool,
    /// Rows that have a slot.
    pub slotted: Vec<RowId>,
    /// Of those: that are or lead to something with a place of its own.
    pub placing: Vec<RowId>,
    /// Of those: that have bytes, which are written one by one.
    pub filling: Vec<RowId>,
    /// Bytes from the start of the node to behind the last row without a slot that has a home.
    pub reach: u32,
    /// Rows that are looked at before a value is written.
    pub validating: Vec<RowId>,
    /// Rows that get elements, or become none, before a value is placed.
    pub expanding: Vec<RowId>,
    /// Rows that are pointers, have pointers in them, or are listed like one.
    pub pointing: Vec<RowId>,
    /// Rows that may lead to something that is read later, in this order.
    pub leading: Vec<RowId>,
    /// Rows that take the numbers of an algorithm which computes elements, in order.
    pub table: Vec<RowId>,
    /// Of a form: for each row of its case, the row that stands for it.
    pub spelled: Vec<Option<RowId>>,
    /// Whether the record itself has rules, or its byte order may be undecided.
    pub ruled: bool,
    /// Whether it stands for its only row, and something is kept of it itself: see
    /// [`Model::keeps_spelling`](crate::model::Model::keeps_spelling).
    pub keeps: bool,
    /// What there is to do with its nodes.
    pub duties: Duties,
    /// The same, or with their parts.
    pub all_duties: Duties,
}

/// What there is to do with the nodes of a record, as a set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Duties(u16);

impl Duties {
    pub const DICTIONARIES: Duties = Duties(1);
    pub const REFERENCES: Duties = Duties(1 << 1);
    pub const SETTLING: Duties = Duties(1 << 2);
    pub const VALIDATING: Duties = Duties(1 << 3);
    pub const EXPANDING: Duties = Duties(1 << 4);
    pub const POINTING: Duties = Duties(1 << 5);
    pub const ENCODING: Duties = Duties(1 << 6);
    pub const PLACING: Duties = Duties(1 << 7);
    /// To be looked at, as all nodes are.
    pub const EXISTING: Duties = Duties(1 << 8);
    pub const NAMED: Duties = Duties(1 << 9);

    /// Whether there is one of these among them.
    #[inline]
    pub(crate) fn meet(self, others: Duties) -> bool {
        self.0 & others.0 != 0
    }
}

impl core::ops::BitOrAssign for Duties {
    fn bitor_assign(&mut self, others: Duties) {
        self.0 |= others.0;
    }
}

/// What is known of a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowPlan {
    pub home: Home,
    pub place: Place,
    pub store: Store,
    /// Bytes of the row, if they are the same for every file.
    pub size: Option<u32>,
    /// What the schema says is in it: always, in epochs without it, or where nothing else is said.
    pub said: Item,
    /// If it is an integer at a home, in whole bytes that mean just that.
    pub number: Option<Number>,
    /// When writing: the same, if it is not in place because it follows from other rows.
    pub follows: Option<Number>,
    /// What it follows from, if that is something that a row of the same node says at once.
    pub source: Option<Source>,
    /// When reading: if it is a slice of a shared table, the numbers that say which, where they say it
    /// just like that.
    pub slice: Option<SliceNumbers>,
    /// When reading: whether it has no bytes and is about where they would be, so that it is asked for
    /// there.
    pub stands: bool,
}

/// A number of a value that is stored in place, and just as it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FlatRow {
    pub row: RowId,
    /// Bytes from the start of the element.
    pub number: Number,
    pub kind: FlatKind,
}

/// What such a number is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum FlatKind {
    Int,
    Float(FloatCode),
    /// A packed word that is nothing but integers, in these bits.
    Word(u64),
}

/// Where a slice begins in its table, and how many elements it has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SliceNumbers {
    pub base: Number,
    pub count: Number,
}

/// What a number follows from in its own node.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Source {
    /// The number of elements in a row, and its slot, if it has one.
    Count(RowId, Option<u16>),
    /// Where the elements of a slice begin in their table, which also says where those of an empty one
    /// do; and its slot.
    Base(u16),
    /// The number in a row.
    Row(RowId),
}

/// An integer in whole bytes, to be looked at without its row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Number {
    /// Bytes from the start of the node.
    pub at: u32,
    pub bytes: u8,
    pub signed: bool,
    /// Its own byte order.
    pub order: Option<Endian>,
}

impl FlatKind {
    /// That of a cell that is no packed word.
    pub(crate) fn of(cell: &Cell) -> Option<FlatKind> {
        match cell.meaning {
            Meaning::Int => Some(FlatKind::Int),
            Meaning::Float(_) => FloatCode::of(cell).map(FlatKind::Float),
            _ => None,
        }
    }
}

impl Number {
    /// One at the start, in the usual byte order.
    pub(crate) fn of(int: IntType) -> Number {
        Number { at: 0, bytes: int.bytes, signed: int.signed, order: None }
    }

    /// Whether it has room for a number.
    #[inline]
    pub(crate) fn takes(&self, n: i64) -> bool {
        let unused = 64 - u32::from(self.bytes) * 8;
        if self.signed {
            n << unused >> unused == n
        } else {
            n >= 0 && (n as u64) << unused >> unused == n as u64
        }
    }
}

/// Where a row begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// So many bytes behind the start of the node.
    Home(u32),
    /// So many bytes behind where the rows without homes begin.
    Tail(u32),
    /// That depends on the rows before it.
    Moving,
    /// It has no bytes in its record.
    Nowhere,
}

/// Where it is known what is in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Store {
    /// In a slot.
    Slot(u16),
    /// In place: a number in whole bytes, or in bits of the word around it.
    Cell,
    /// In place: so many numbers.
    Cells(u32),
    /// In place: so many bytes, or text.
    Bytes(u32),
    /// In place: so many bytes of padding.
    Fill(u32),
    /// In place: a compact record.
    Part(u16),
    /// In the schema: a constant without bytes.
    Said,
    /// Not in this epoch.
    Absent,
}

/// A record inside of another one that has no node of its own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part {
    pub record: RecordId,
    /// Where it begins, as that of a row.
    pub place: Place,
    /// The part that holds it, and the row.
    pub owner: u16,
    pub row: RowId,
    /// Its own byte order, or that of the nearest part around it that says one.
    pub order: Option<Endian>,
    /// Position of its slots in those of the node.
    pub slots: u16,
    /// What there is to do with it.
    pub duties: Duties,
}

/// Bytes in place that are written together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece {
    /// Where they go.
    pub place: Place,
    /// Where they are in the bytes of a node.
    pub from: u32,
    pub len: u32,
    /// Whether they are one number, whose bytes have an order.
    pub number: bool,
    /// That order, if it is not the one of the node.
    pub order: Option<Endian>,
}

/// Most compact records in one; where there are more, those in it have nodes of their own.
const MAX_PARTS: usize = 200;

/// Plans of all records of a model without [`Type::PerEpoch`].
///
/// Texts and bytes of constants are added to `literals`.
pub(crate) fn plans(
    model: &Model,
    epoch: EpochId,
    direction: Direction,
    literals: &mut Vec<u8>,
    positions: &[bool],
) -> Vec<Plan> {
    let sizes = model.sizes(epoch);
    let mut planning = Planning { model, epoch, direction, sizes, literals, positions };
    let mut plans: Vec<Option<Plan>> = vec![None; model.records.len()];
    // A loop over a stack, because structs may be nested thousands deep. What contains itself is
    // never compact, so it does not matter that it is not known when it is asked for.
    let mut stack: Vec<(RecordId, bool)> =
        (0..).take(model.records.len()).map(|id| (RecordId(id), false)).collect();
    let mut open = vec![false; model.records.len()];
    while let Some((id, ready)) = stack.pop() {
        if plans[id.index()].is_some() {
            continue;
        }
        if ready {
            plans[id.index()] = Some(planning.plan(id, &plans));
        } else if !open[id.index()] {
            open[id.index()] = true;
            stack.push((id, true));
            let rows = model.records[id.index()].rows.iter();
            stack.extend(rows.filter_map(|row| inline_record(&row.ty)).map(|id| (id, false)));
        }
    }
    let mut plans: Vec<Plan> = plans.into_iter().map(Option::unwrap_or_default).collect();
    if direction == Direction::Reading {
        let leads = leading_records(model, &plans);
        for (record, plan) in model.records.iter().zip(&mut plans) {
            let rows = record.read_order.iter().copied();
            plan.leading = rows.filter(|id| may_lead(model, record, plan, *id, &leads)).collect();
        }
    }
    plans
}

/// For each union the record that is nothing but the union, if there is one, and only one.
///
/// Its node begins where that of the case does and ends where that ends, in the same byte order.
pub(crate) fn bodies(model: &Model, plans: [&mut Vec<Plan>; 2]) -> Vec<Option<RecordId>> {
    let mut holders: Vec<Vec<RecordId>> = vec![Vec::new(); model.unions.len()];
    for (id, record) in (0..).map(RecordId).zip(&model.records) {
        for row in &record.rows {
            row.ty.unions().for_each(|union| holders[union.index()].push(id));
        }
    }
    let is_plain = |id: RecordId| model.records[id.index()].endian.is_none();
    let is_around = |id: RecordId| {
        let record = &model.records[id.index()];
        let ([row], RecordKind::Struct, true) = (&record.rows[..], &record.kind, is_plain(id))
        else {
            return false;
        };
        let Type::Union(union) = row.ty else { return false };
        let cases = &model.unions[union.index()].cases;
        let forms = cases.iter().flat_map(|case| case.forms.iter().map(|form| form.record));
        let mut inside = cases.iter().map(|case| case.record).chain(forms);
        let same = !cases.iter().any(|case| case.whole) && inside.all(is_plain);
        let fits = |plan: &Plan| {
            let planned = &plan.rows[0];
            matches!(planned.store, Store::Slot(0))
                && matches!(planned.home, Home::Next | Home::At(0))
                && matches!(plan.block, None | Some(0))
        };
        matches!(row.kind, RowKind::Plain)
            && row.when.is_none()
            && same
            && plans.iter().all(|plans| fits(&plans[id.index()]))
    };
    let around = holders.iter().map(|holders| match holders[..] {
        [id] if is_around(id) => Some(id),
        _ => None,
    });
    let around: Vec<Option<RecordId>> = around.collect();
    for plans in plans {
        around.iter().flatten().for_each(|id| plans[id.index()].around_case = true);
    }
    around
}

/// For each record, whether something is read later because of what is in it.
fn leading_records(model: &Model, plans: &[Plan]) -> Vec<bool> {
    let mut leads = vec![false; model.records.len()];
    // From each record to those around it.
    let mut around: Vec<Vec<usize>> = vec![Vec::new(); model.records.len()];
    let mut todo = Vec::new();
    for (number, (record, plan)) in model.records.iter().zip(plans).enumerate() {
        if (0..)
            .map(RowId)
            .take(record.rows.len())
            .any(|id| may_lead(model, record, plan, id, &leads))
        {
            todo.push(number);
        }
        for row in &record.rows {
            model.held(&row.ty).for_each(|inner| around[inner.index()].push(number));
        }
    }
    for case in model.unions.iter().flat_map(|union| &union.cases) {
        case.forms.iter().for_each(|form| around[form.record.index()].push(case.record.index()));
    }
    while let Some(number) = todo.pop() {
        if !core::mem::replace(&mut leads[number], true) {
            todo.extend(&around[number]);
        }
    }
    leads
}

/// Whether something is read later because of what is in a row, if these records are all that lead
/// anywhere.
fn may_lead(model: &Model, record: &Record, plan: &Plan, id: RowId, leads: &[bool]) -> bool {
    let row = &record.rows[id.index()];
    let slot = matches!(plan.rows[id.index()].store, Store::Slot(_));
    // A slice has its elements from somewhere else.
    let slot = slot && !matches!(row.kind, RowKind::Slice { .. });
    let object = matches!(row.kind, RowKind::Object { .. });
    let pointer = |part: &Type| matches!(part, Type::Pointer(pointer) if !matches!(pointer.target, Target::Pooled));
    slot && (object
        || row.ty.inline_parts().any(pointer)
        || model.held(&row.ty).any(|inner| leads[inner.index()]))
}

/// The record that stands in a row.
fn inline_record(ty: &Type) -> Option<RecordId> {
    match ty {
        Type::Record(id) => Some(*id),
        Type::Cell(Cell { meaning: Meaning::Word(id), .. }) => Some(*id),
        _ => None,
    }
}

struct Planning<'m> {
    model: &'m Model,
    epoch: EpochId,
    direction: Direction,
    sizes: Sizes<'m>,
    literals: &'m mut Vec<u8>,
    /// Which expressions are about where they are asked for.
    positions: &'m [bool],
}

fn short(size: u64) -> Option<u32> {
    u32::try_from(size).ok().filter(|size| *size < u32::MAX / 2)
}

impl Planning<'_> {
    fn plan(&mut self, id: RecordId, plans: &[Option<Plan>]) -> Plan {
        let model = self.model;
        let record = &model.records[id.index()];
        let block = record.sizes.get(self.epoch.index()).copied().flatten().and_then(short);
        let word = matches!(record.kind, RecordKind::Word(_));
        let mut plan = Plan {
            block,
            size: self.sizes.record(id).and_then(short),
            ruled: !record.checks.is_empty()
                || record.endian.as_ref().is_some_and(EndianRule::may_fail),
            table: record.table_rows(),
            ..Plan::default()
        };
        let own = Part {
            record: id,
            place: Place::Home(0),
            owner: 0,
            row: RowId(0),
            order: record.fixed_order().map(Endian::from),
            slots: 0,
            duties: Duties::default(),
        };
        plan.parts.push(own);
        // Rows without homes begin where they begin in every file, unless a tag stands before them
        // or a row of the block may reach beyond it.
        let plain = matches!(record.kind, RecordKind::Struct | RecordKind::Word(_));
        let reaches = |row: &Row| {
            let home = self.home(row);
            let size = self.size(row);
            matches!(home, Home::At(at)
                if !word && size.map_or(true, |size| at + u64::from(size) > block.map_or(0, u64::from)))
        };
        let tail = (plain && !record.rows.iter().any(reaches)).then(|| block.unwrap_or(0));
        let mut behind = Some(0_u32);
        for row in &record.rows {
            let home = self.home(row);
            let size = self.size(row);
            let place = match home {
                Home::At(_) if word => Place::Home(0),
                Home::At(at) => short(at).map_or(Place::Moving, Place::Home),
                home => place::following_place(row, home, behind, tail),
            };
            if home == Home::Next {
                let fixed = row.when.is_none() && !row.ty.is_bits();
                behind = behind
                    .zip(size)
                    .filter(|_| fixed)
                    .and_then(|(a, b)| short(u64::from(a) + u64::from(b)));
            }
            let store = self.store(row, home, place, plans, &mut plan);
            plan.homes |= matches!(home, Home::At(_));
            let number = place::plain_number(row, place);
            let follows = number.filter(|_| self.follows(row, store));
            let number = number.filter(|_| store == Store::Cell);
            let laid = matches!(store, Store::Slot(_)) && follows.is_none();
            plan.laid |= laid && matches!(home, Home::At(_) | Home::Next);
            if let (false, Home::At(at)) = (laid, home) {
                let end = size.and_then(|size| short(at + u64::from(size)));
                plan.reach = plan.reach.max(end.unwrap_or(0));
            }
            if !matches!(store, Store::Slot(_) | Store::Absent | Store::Said) {
                let size = size.unwrap_or(0);
                let (homes, tails) = &mut plan.lengths;
                match place {
                    Place::Home(at) => *homes = (*homes).max(at + size),
                    Place::Tail(at) => *tails = (*tails).max(at + size),
                    Place::Moving | Place::Nowhere => {}
                }
            }
            let said = self.said(row, home);
            plan.rows.push(RowPlan {
                home,
                place,
                store,
                size,
                said,
                number,
                follows,
                source: None,
                slice: None,
                stands: self.stands(row),
            });
        }
        for (index, row) in record.rows.iter().enumerate() {
            plan.rows[index].source = self.source(id, row, &plan);
            plan.rows[index].slice = self.slice(row, &plan);
        }
        if let RecordKind::Word(int) = record.kind {
            plan.lengths = (int.bytes.into(), 0);
            plan.mask = place::mask_of_word(record);
        }
        let fixed = plan.size.is_some()
            && plain
            && !record.recursive
            && !matches!(record.endian, Some(EndianRule::Chosen(..)));
        plan.compact = fixed && plan.slots == 0;
        let mut rows = record.rows.iter().zip(&plan.rows);
        plan.inner = plan.compact
            || fixed
                && matches!(record.kind, RecordKind::Struct)
                && rows.all(|(row, planned)| {
                    let slice = matches!(row.kind, RowKind::Slice { .. }) && row.when.is_none();
                    !matches!(planned.store, Store::Slot(_)) || slice || planned.follows.is_some()
                });
        self.rows_to_do(id, plans, &mut plan);
        plan.duties = duties::duties(record, &plan);
        plan.parts[0].duties = plan.duties;
        plan.parts.iter().for_each(|part| plan.all_duties |= part.duties);
        let filled = |part: &Part| {
            plans[part.record.index()].as_ref().is_some_and(|inner| !inner.filling.is_empty())
        };
        let parts = (0..).zip(&plan.parts).skip(1).filter(|(_, part)| filled(part));
        plan.filled = parts.map(|(number, _)| number).collect();
        if self.direction == Direction::Writing {
            self.bytes_in_place(record, plans, &mut plan);
            plan.flat = self.flat_rows(record, &plan).unwrap_or_default();
        }
        plan
    }
}

/// Whether bytes of a type depend on the byte order of the record around.
pub(crate) fn has_order(model: &Model, ty: &Type) -> bool {
    match ty {
        Type::Cell(cell) => cell.follows_order(),
        Type::Array(array) => {
            let is_empty = matches!(array.length, ArrayLength::Count(count)
                if model.exprs.constant(count) == Some(0));
            !is_empty && has_order(model, &array.element)
        }
        _ => false,
    }
}
