//! Where the rows of a record are, worked out before any file is looked at.
//!
//! Most rows stand at a constant distance from the start of their record and are a number, and then
//! nothing has to be remembered of them: whoever asks finds the number in the bytes. Records that
//! consist of such rows are *compact*: an array of them is a run of bytes. Only other rows have a
//! slot, in which the tree keeps what is in them.

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;

use super::item::{Blob, From, Item};
use crate::load::{mask, Endian};
use crate::model::{
    ArrayLength, Case, Cell, Constant, Content, Definer, DefinerScope, DefinerSource, Encoding,
    EndianRule, EpochId, Expr, ExprId, Extent, Home, IntType, Label, Meaning, Measure, Model,
    Record, RecordId, RecordKind, Role, Row, RowId, RowKind, RunLength, Sizes, Storage, Tag,
    Target, Type,
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
    /// Bytes that such a node has where they will be written, and the first of these lists without
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
    /// Whether the record itself has rules.
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

impl Number {
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
) -> Vec<Plan> {
    let mut planning = Planning { model, epoch, direction, sizes: model.sizes(epoch), literals };
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
            ruled: !record.checks.is_empty(),
            table: record.table_rows(),
            ..Plan::default()
        };
        let own = Part {
            record: id,
            place: Place::Home(0),
            owner: 0,
            row: RowId(0),
            order: match record.endian {
                Some(EndianRule::Fixed(order)) => Some(order.into()),
                _ => None,
            },
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
                home => following_place(row, home, behind, tail),
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
            let number = plain_number(row, place);
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
            });
        }
        for (index, row) in record.rows.iter().enumerate() {
            plan.rows[index].source = self.source(id, row, &plan);
            plan.rows[index].slice = self.slice(row, &plan);
        }
        if let RecordKind::Word(int) = record.kind {
            plan.lengths = (int.bytes.into(), 0);
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
        plan.duties = duties(record, &plan);
        plan.parts[0].duties = plan.duties;
        plan.parts.iter().for_each(|part| plan.all_duties |= part.duties);
        let filled = |part: &Part| {
            plans[part.record.index()].as_ref().is_some_and(|inner| !inner.filling.is_empty())
        };
        let parts = (0..).zip(&plan.parts).skip(1).filter(|(_, part)| filled(part));
        plan.filled = parts.map(|(number, _)| number).collect();
        if self.direction == Direction::Writing {
            self.bytes_in_place(record, plans, &mut plan);
        }
        plan
    }

    /// What is written of the rows in place, and what of them a file has like that.
    fn bytes_in_place(&self, record: &Record, plans: &[Option<Plan>], plan: &mut Plan) {
        plan.template = self.template(record, plans, plan);
        plan.pieces = self.pieces(record, plans, plan, |_, _| true);
        plan.not_copied = plan.taking.0.clone();
        if !matches!(record.kind, RecordKind::Word(_)) {
            plan.copied = self.pieces(record, plans, plan, is_copied);
            let rows = &plan.rows;
            let copied = |id: &RowId| is_copied(&record.rows[id.index()], &rows[id.index()]);
            plan.not_copied.retain(|id| !copied(id));
        }
        let slice = |id: &RowId| {
            let row = &record.rows[id.index()];
            let slot = matches!(plan.rows[id.index()].store, Store::Slot(_));
            slot && matches!((&row.kind, &row.role), (RowKind::Slice { .. }, Role::Data))
        };
        plan.only_slices =
            plan.copied.is_empty() && plan.taking.1.is_empty() && plan.not_copied.iter().all(slice);
    }

    /// What of the bytes in place goes where, numbers one by one; of the rows that are wanted.
    fn pieces(
        &self,
        record: &Record,
        plans: &[Option<Plan>],
        plan: &Plan,
        wanted: fn(&Row, &RowPlan) -> bool,
    ) -> Vec<Piece> {
        let (homes, _) = plan.lengths;
        let mut pieces: Vec<Piece> = Vec::new();
        if let RecordKind::Word(int) = record.kind {
            // Its fields are written with it.
            let (len, order) = (int.bytes.into(), int.order.map(Endian::from));
            return vec![Piece { place: Place::Home(0), from: 0, len, number: len > 1, order }];
        }
        for (row, planned) in record.rows.iter().zip(&plan.rows).filter(|(row, p)| wanted(row, p)) {
            let from = match planned.place {
                Place::Home(offset) => offset,
                Place::Tail(offset) => homes + offset,
                Place::Moving | Place::Nowhere => continue,
            };
            let moved = |by: u32| match planned.place {
                Place::Home(offset) => Place::Home(offset + by),
                Place::Tail(offset) => Place::Tail(offset + by),
                other => other,
            };
            let number = |by: u32, int: IntType| Piece {
                place: moved(by),
                from: from + by,
                len: int.bytes.into(),
                number: int.bytes > 1,
                order: int.order.map(Endian::from),
            };
            let new: Vec<Piece> = match (planned.store, &row.ty) {
                (Store::Part(part), _) => {
                    let part = plan.parts[usize::from(part)];
                    let inner = plans[part.record.index()].as_ref();
                    let inner = inner.map_or(&[][..], |inner| &inner.pieces);
                    let inside = |piece: &Piece| {
                        let Place::Home(by) = piece.place else { return None };
                        let order = piece.order.or(part.order);
                        Some(Piece { place: moved(by), from: from + piece.from, order, ..*piece })
                    };
                    inner.iter().filter_map(inside).collect()
                }
                (Store::Cell, Type::Cell(Cell { storage: Storage::Fixed(int), .. })) => {
                    vec![number(0, *int)]
                }
                (Store::Cells(count), Type::Array(array)) => match &array.element {
                    Type::Cell(Cell { storage: Storage::Fixed(int), .. }) if int.bytes > 1 => {
                        (0..count).map(|index| number(index * u32::from(int.bytes), *int)).collect()
                    }
                    _ => {
                        vec![Piece {
                            place: planned.place,
                            from,
                            len: count,
                            number: false,
                            order: None,
                        }]
                    }
                },
                (Store::Bytes(len) | Store::Fill(len), _) => {
                    vec![Piece { place: planned.place, from, len, number: false, order: None }]
                }
                _ => continue,
            };
            for piece in new {
                let piece = if piece.len == 1 { Piece { number: false, ..piece } } else { piece };
                match pieces.last_mut() {
                    Some(last) if !last.number && !piece.number && follows(last, &piece) => {
                        last.len += piece.len;
                    }
                    _ => pieces.push(piece),
                }
            }
        }
        pieces
    }

    /// The bytes of rows in place that are constants; every number has its lowest byte first.
    fn template(&self, record: &Record, plans: &[Option<Plan>], plan: &Plan) -> Vec<u8> {
        let (homes, tails) = plan.lengths;
        let mut bytes = vec![0; (homes + tails) as usize];
        for (row, planned) in record.rows.iter().zip(&plan.rows) {
            let at = match planned.place {
                Place::Home(offset) => offset,
                Place::Tail(offset) => homes + offset,
                Place::Moving | Place::Nowhere => continue,
            };
            let Some(place) = bytes.get_mut(at as usize..) else { continue };
            let mut put = |stated: &[u8]| {
                place.iter_mut().zip(stated).for_each(|(byte, stated)| *byte = *stated);
            };
            match (planned.store, &row.kind, planned.said) {
                (Store::Part(part), ..) => {
                    let inner = plan.parts[usize::from(part)].record;
                    if let Some(inner) = &plans[inner.index()] {
                        put(&inner.template);
                    }
                }
                (Store::Cell, RowKind::Constant(_), said) => match &row.ty {
                    Type::Cell(Cell { storage: Storage::Word { first, last, .. }, .. }) => {
                        let number = said_number(said, row) & mask(last - first + 1);
                        let mut word = [0; 8];
                        word.iter_mut().zip(place.iter()).for_each(|(to, from)| *to = *from);
                        let word = u64::from_le_bytes(word) | number << first;
                        let size = planned_word(record);
                        place
                            .iter_mut()
                            .zip(&word.to_le_bytes()[..size])
                            .for_each(|(to, b)| *to = *b);
                    }
                    _ => {
                        let size = planned.size.unwrap_or(0).min(8) as usize;
                        put(&said_number(said, row).to_le_bytes()[..size]);
                    }
                },
                (Store::Bytes(_), RowKind::Constant(_), Item::Text(blob) | Item::Bytes(blob)) => {
                    let start = blob.start as usize;
                    put(&self.literals[start..start + blob.len as usize]);
                }
                (Store::Cells(_), RowKind::Constant(_), Item::Bytes(blob)) => {
                    let start = blob.start as usize;
                    put(&self.literals[start..start + blob.len as usize]);
                }
                _ => {}
            }
        }
        bytes
    }

    fn home(&self, row: &Row) -> Home {
        row.homes.get(self.epoch.index()).copied().unwrap_or(Home::Nowhere)
    }

    fn size(&self, row: &Row) -> Option<u32> {
        match row.kind {
            RowKind::Zeros | RowKind::Pool { .. } => None,
            RowKind::Object { .. }
            | RowKind::Mark { .. }
            | RowKind::Value { .. }
            | RowKind::Slice { .. } => Some(0),
            _ => self.sizes.of(&row.ty).and_then(short),
        }
    }

    fn said(&mut self, row: &Row, home: Home) -> Item {
        let constant = match (home, &row.kind, &row.role) {
            (Home::Absent, ..) => return self.constant(row.absent.as_ref(), 8),
            (_, RowKind::Constant(constant), _) | (_, _, Role::Default(constant)) => Some(constant),
            _ => None,
        };
        self.constant(constant, self.model.float_width(&row.ty))
    }

    /// A constant of the schema; a float in so many bytes.
    fn constant(&mut self, constant: Option<&Constant>, width: u8) -> Item {
        let mut blob = |bytes: &[u8]| {
            let number = |n: usize| u32::try_from(n).unwrap_or(0);
            let start = number(self.literals.len());
            self.literals.extend_from_slice(bytes);
            Blob { from: From::Literal, start, len: number(bytes.len()) }
        };
        match constant {
            None => Item::Absent,
            // Schemas state numbers of 64 bits.
            Some(Constant::Int(number)) => Item::small(*number).unwrap_or(Item::Absent),
            Some(Constant::Float(bits)) if width == 4 => {
                Item::F32((f64::from_bits(*bits) as f32).to_bits())
            }
            Some(Constant::Float(bits)) => Item::F64(*bits),
            Some(Constant::Bool(yes)) => Item::Bool(*yes),
            Some(Constant::Text(text)) => Item::Text(blob(text.as_bytes())),
            Some(Constant::Bytes(bytes)) => Item::Bytes(blob(bytes)),
        }
    }

    fn store(
        &self,
        row: &Row,
        home: Home,
        place: Place,
        plans: &[Option<Plan>],
        plan: &mut Plan,
    ) -> Store {
        if home == Home::Absent {
            return Store::Absent;
        }
        if let (RowKind::Constant(_), Type::Nothing) = (&row.kind, &row.ty) {
            return Store::Said;
        }
        let in_place = match place {
            Place::Home(_) | Place::Tail(_) if row.when.is_none() => match &row.kind {
                RowKind::Zero | RowKind::Reserved | RowKind::Runtime => self.padding(row),
                RowKind::Constant(_) => self.in_place(row, place, plans, plan),
                RowKind::Plain if self.is_stored(row) => self.in_place(row, place, plans, plan),
                _ => None,
            },
            _ => None,
        };
        in_place.unwrap_or_else(|| {
            let slot = plan.slots;
            plan.slots += 1;
            Store::Slot(slot)
        })
    }

    /// Whether a row has its number before anything else is known.
    fn is_stored(&self, row: &Row) -> bool {
        let ranked = row.reference.as_ref().is_some_and(|to| to.filter.is_some());
        let given = matches!(row.role, Role::Data | Role::Default(_) | Role::Fixed);
        !ranked && (self.direction == Direction::Reading || given)
    }

    /// Whether a number follows from other rows when it is written, in any case.
    fn follows(&self, row: &Row, store: Store) -> bool {
        self.direction == Direction::Writing
            && matches!(store, Store::Slot(_))
            && matches!((&row.kind, &row.role), (RowKind::Plain, Role::Derived))
            && row.when.is_none()
            && row.reference.is_none()
    }

    /// What a derived number follows from, if that is plain to see.
    fn source(&self, of: RecordId, row: &Row, plan: &Plan) -> Option<Source> {
        let Some(Definer { scope: DefinerScope::Own, source, .. }) = row.definers.first() else {
            return None;
        };
        let slot = |row: RowId| match plan.rows[row.index()].store {
            Store::Slot(slot) => Some(slot),
            _ => None,
        };
        match source {
            DefinerSource::Expr(expr) => match &self.model[*expr] {
                Expr::Path(path) => path.own_row(of).map(Source::Row),
                _ => None,
            },
            DefinerSource::Measure { measure, row, factor: 1, offset: 0 } => match measure {
                Measure::Count => Some(Source::Count(*row, slot(*row))),
                Measure::Base if self.direction == Direction::Writing => {
                    let slice = &self.model.records[of.index()].rows[row.index()].kind;
                    let usual = matches!(slice, RowKind::Slice { empty_base: None, .. });
                    slot(*row).filter(|_| usual).map(Source::Base)
                }
                _ => None,
            },
            DefinerSource::Measure { .. } => None,
        }
    }

    /// The numbers that say which elements of a table a slice has.
    fn slice(&self, row: &Row, plan: &Plan) -> Option<SliceNumbers> {
        match row.kind {
            RowKind::Slice { base, count: Some(count), factor: 1, offset: 0, .. }
                if self.direction == Direction::Reading && row.when.is_none() =>
            {
                let number = |row: RowId| plan.rows[row.index()].number;
                Some(SliceNumbers { base: number(base)?, count: number(count)? })
            }
            _ => None,
        }
    }

    fn padding(&self, row: &Row) -> Option<Store> {
        match &row.ty {
            Type::Cell(Cell { storage: Storage::Word { .. }, .. }) => Some(Store::Cell),
            Type::Run(_) | Type::Region(_) => {
                // Padding to the end of a region has its size from there.
                let fills = row.ty.is_fill();
                self.sizes.of(&row.ty).and_then(short).filter(|_| !fills).map(Store::Fill)
            }
            _ => None,
        }
    }

    fn in_place(
        &self,
        row: &Row,
        place: Place,
        plans: &[Option<Plan>],
        plan: &mut Plan,
    ) -> Option<Store> {
        match &row.ty {
            Type::Cell(cell) => match (cell.storage, &cell.meaning) {
                (Storage::Fixed(_), Meaning::Word(id)) => self.part(*id, row, place, plans, plan),
                (Storage::Fixed(_) | Storage::Word { .. }, _) => Some(Store::Cell),
                _ => None,
            },
            Type::Record(id) => self.part(*id, row, place, plans, plan),
            Type::Array(array) => match &array.element {
                Type::Cell(Cell { storage: Storage::Fixed(int), meaning })
                    if array.stride.is_none() && !matches!(meaning, Meaning::Word(_)) =>
                {
                    let size = self.size(row)?;
                    size.checked_div(int.bytes.into()).map(Store::Cells)
                }
                _ => None,
            },
            Type::Run(run) => {
                let plain = run.suffix.is_empty() && run.align.is_none() && in_bytes(run.content);
                match run.length {
                    RunLength::Fixed(size) if plain => short(size).map(Store::Bytes),
                    _ => None,
                }
            }
            Type::Region(region) => match (&region.inner, &region.extent) {
                (Type::Run(run), Extent::Size(size)) => {
                    let plain = run.suffix.is_empty()
                        && run.align.is_none()
                        && in_bytes(run.content)
                        && matches!(run.length, RunLength::Fill)
                        && region.trim.is_none();
                    let size = self.model.exprs.constant(*size).filter(|_| plain)?;
                    u64::try_from(size).ok().and_then(short).map(Store::Bytes)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Makes a record, and those in it, parts of the one around, if that can be.
    fn part(
        &self,
        id: RecordId,
        row: &Row,
        place: Place,
        plans: &[Option<Plan>],
        plan: &mut Plan,
    ) -> Option<Store> {
        let inner = plans[id.index()].as_ref().filter(|inner| inner.inner)?;
        let first = plan.parts.len();
        // Conditions on a struct that takes no number of its own are still asked for where it is.
        if first + inner.parts.len() > MAX_PARTS || row.when.is_some() {
            return None;
        }
        let number = u16::try_from(first).ok()?;
        let slots = plan.slots;
        let all_slots = slots.checked_add(inner.slots)?;
        let row = RowId(u32::try_from(plan.rows.len()).ok()?);
        for (index, part) in inner.parts.iter().enumerate() {
            let place = match (place, part.place) {
                (Place::Home(a), Place::Home(b)) => Place::Home(a + b),
                (Place::Tail(a), Place::Home(b)) => Place::Tail(a + b),
                _ => return None,
            };
            plan.parts.push(match index {
                0 => Part { place, owner: 0, row, slots, ..*part },
                _ => {
                    let slots = slots + part.slots;
                    let order = part.order.or(inner.parts[0].order);
                    Part { place, owner: part.owner + number, slots, order, ..*part }
                }
            });
        }
        plan.slots = all_slots;
        Some(Store::Part(number))
    }

    /// What has to be done with the rows, and in which order.
    fn rows_to_do(&self, of: RecordId, plans: &[Option<Plan>], plan: &mut Plan) {
        let record = &self.model.records[of.index()];
        let inner = |row: &Row| {
            inline_record(&row.ty).and_then(|id| plans[id.index()].as_ref()).filter(|p| p.inner)
        };
        let row_of = |id: RowId| &record.rows[id.index()];
        let at_home = |id: &RowId| matches!(plan.rows[id.index()].home, Home::At(_));
        let next = (0..).take(record.rows.len()).map(RowId).filter(|id| {
            let planned = &plan.rows[id.index()];
            let tag = row_of(*id).in_tag() && matches!(planned.store, Store::Slot(_));
            planned.home == Home::Next || planned.home == Home::Nowhere && tag
        });
        let next: Vec<RowId> = next.collect();
        let word = matches!(record.kind, RecordKind::Word(_));
        let outside = |id: &RowId| {
            let planned = &plan.rows[id.index()];
            let end = match (planned.place, planned.size) {
                (Place::Home(at), Some(size)) => Some(at + size),
                _ => None,
            };
            let within = end.zip(plan.block).is_some_and(|(end, block)| end <= block);
            !word && at_home(id) && !within
        };
        let reaches =
            |id: &RowId| matches!(plan.rows[id.index()].store, Store::Slot(_)) && outside(id);
        let reaching = (0..).take(record.rows.len()).map(RowId).filter(reaches).collect();
        let rows = record.read_order.iter().copied().filter(at_home).chain(next.iter().copied());
        let rows: Vec<RowId> = if word {
            (0..).take(record.rows.len()).map(RowId).filter(at_home).collect()
        } else {
            rows.collect()
        };
        plan.reading = rows
            .into_iter()
            .filter(|id| match plan.rows[id.index()].store {
                Store::Slot(_) => true,
                // Nobody has looked whether the file is long enough.
                Store::Part(_)
                | Store::Cell
                | Store::Cells(_)
                | Store::Bytes(_)
                | Store::Fill(_)
                    if outside(id) =>
                {
                    true
                }
                Store::Part(_) => inner(row_of(*id)).is_some_and(|inner| !inner.reading.is_empty()),
                Store::Absent | Store::Said => false,
                _ => self.is_looked_at(row_of(*id)),
            })
            .collect();
        plan.following = next;
        plan.reaching = reaching;
        plan.ordered = record.rows.iter().any(|row| match &row.ty {
            Type::Record(_) => inner(row).is_some_and(|inner| inner.ordered),
            ty => has_order(ty),
        });
        for id in (0..).map(RowId).take(record.rows.len()) {
            self.row_to_do(of, id, plan);
        }
        plan.keeps = record.transparent.is_some() && self.model.keeps_spelling(of);
        if let RecordKind::Form(union, case, _) = record.kind {
            let case = self.model.unions[union.index()].cases[case as usize].record;
            let row_for = |row: &Row| {
                let row = record.rows.iter().position(|own| own.name == row.name)?;
                u32::try_from(row).ok().map(RowId)
            };
            plan.spelled = self.model.records[case.index()].rows.iter().map(row_for).collect();
        }
    }

    /// Whether a row was read with just the number that a derived row has: there is nothing to
    /// compare.
    fn is_followed(&self, of: RecordId, id: RowId) -> bool {
        let record = &self.model.records[of.index()];
        let Some(Definer {
            scope: DefinerScope::Own,
            source: DefinerSource::Measure { measure, row, factor, offset },
            ..
        }) = record.rows[id.index()].definers.first()
        else {
            return false;
        };
        let row = &record.rows[row.index()];
        let plain = (*factor, *offset) == (1, 0);
        match (measure, &row.kind) {
            (Measure::Base, RowKind::Slice { base, .. }) => *base == id,
            _ if row.when.is_some() || self.home(row) == Home::Absent => false,
            (Measure::Count, RowKind::Slice { count, .. }) => plain && *count == Some(id),
            (Measure::Count, _) => plain && self.is_counted_by(&row.ty, of, id),
            (Measure::Tag, _) => plain && self.is_selected_by(&row.ty, of, id),
            _ => false,
        }
    }

    /// Whether an array has as many elements as a row says, also behind a pointer.
    fn is_counted_by(&self, ty: &Type, of: RecordId, id: RowId) -> bool {
        match ty.stripped() {
            Type::Array(array) => match array.length {
                ArrayLength::Count(count) => self.is_row(count, of, id),
                _ => false,
            },
            // Where there may be no array, nobody has looked at the number.
            Type::Pointer(pointer) if !pointer.optional && pointer.none_with.is_none() => {
                let target = pointer.owned().filter(|target| matches!(target, Type::Array(_)));
                target.is_some_and(|target| self.is_counted_by(target, of, id))
            }
            _ => false,
        }
    }

    /// What has to be done with a row after all is read, and when it is written.
    fn row_to_do(&self, of: RecordId, id: RowId, plan: &mut Plan) {
        let row = &self.model.records[of.index()].rows[id.index()];
        let slot = matches!(plan.rows[id.index()].store, Store::Slot(_));
        if plan.rows[id.index()].store != Store::Absent {
            self.row_to_compare(of, id, plan);
        }
        self.building(of, id, plan);
        if slot {
            plan.slotted.push(id);
            let object = matches!(row.kind, RowKind::Object { .. });
            if object || has_object(&row.ty) && !matches!(row.kind, RowKind::Slice { .. }) {
                plan.placing.push(id);
            }
            if is_filled(row) {
                plan.filling.push(id);
            }
        }
        let none_with = matches!(&row.ty, Type::Pointer(p) if p.none_with.is_some());
        let computed = row.patricia(self.model).is_some() || matches!(row.role, Role::View { .. });
        let pointer = matches!(row.ty.stripped(), Type::Pointer(_));
        let usual = row.has_usual();
        if computed || none_with || (pointer || usual) && row.when.is_some() {
            plan.expanding.push(id);
        }
        let listed = row.listed.is_some() || matches!(row.kind, RowKind::Runtime);
        let slice = matches!(row.kind, RowKind::Slice { .. });
        if (listed || has_pointer(&row.ty)) && !slice {
            plan.pointing.push(id);
        }
    }

    /// Which phases look at a row that the epoch has, to compare it with something.
    fn row_to_compare(&self, of: RecordId, id: RowId, plan: &mut Plan) {
        let row = &self.model.records[of.index()].rows[id.index()];
        let slot = matches!(plan.rows[id.index()].store, Store::Slot(_));
        if row.patricia(self.model).is_some() {
            plan.dictionaries.push(id);
        }
        let unnamed =
            matches!(row.kind, RowKind::Value { seen: None }) && matches!(row.ty, Type::Array(_));
        if row.reference.is_some() || unnamed {
            plan.references.push(id);
        }
        if self.is_key(of, row) {
            plan.named.push(id);
        }
        let compared = match row.role {
            Role::Derived => !self.is_followed(of, id),
            Role::Kept(_) | Role::View { .. } => true,
            Role::Data | Role::Default(_) | Role::Fixed | Role::Spelling | Role::Elsewhere => false,
        };
        let ruled = row.checks.iter().any(|check| row.is_late(check));
        let late = matches!(
            row.kind,
            RowKind::Pool { .. }
                | RowKind::Object { .. }
                | RowKind::Mark { .. }
                | RowKind::Value { .. }
                | RowKind::Slice { .. }
        ) || row.has_no_bytes() && self.may_be_wrong(&row.ty);
        let none_with = matches!(&row.ty, Type::Pointer(p) if p.none_with.is_some());
        if compared || ruled || late || none_with || row.unique || (slot && row.when.is_some()) {
            plan.settling.push(id);
        }
        if self.is_validated(row) || slot && self.is_counted(of, id) {
            plan.validating.push(id);
        }
    }

    /// Whether a row has no bytes of its own, and only the keys of a dictionary say what it is. Those of
    /// a case that has forms stand there.
    fn is_key(&self, of: RecordId, row: &Row) -> bool {
        let key =
            matches!((&row.kind, &row.role), (RowKind::Value { seen: None }, Role::Elsewhere));
        let formed = match self.model.records[of.index()].kind {
            RecordKind::Case(union, case) => {
                !self.model.unions[union.index()].cases[case as usize].forms.is_empty()
            }
            _ => false,
        };
        key && !formed && self.direction == Direction::Writing
    }

    /// What has to be done with a row when a value is taken in.
    fn building(&self, of: RecordId, id: RowId, plan: &mut Plan) {
        let row = &self.model.records[of.index()].rows[id.index()];
        let store = plan.rows[id.index()].store;
        let absent = store == Store::Absent;
        if matches!(row.role, Role::Derived) {
            plan.building.1.push(id);
            let own = |definer: &Definer| matches!(definer.scope, DefinerScope::Own);
            if absent || !row.definers.iter().any(own) {
                plan.taking.1.push(id);
            }
            return;
        }
        let stated = matches!(row.kind, RowKind::Constant(_)) && !matches!(store, Store::Slot(_));
        if stated && !absent {
            return;
        }
        plan.building.0.push(id);
        let silent = match row.kind {
            RowKind::Mark { .. } | RowKind::Pool { kept: false, .. } => true,
            RowKind::Constant(_) | RowKind::Zero | RowKind::Runtime | RowKind::Reserved => false,
            _ => matches!(row.role, Role::Kept(_) | Role::Spelling | Role::View { .. }),
        };
        if !silent {
            plan.taking.0.push(id);
        }
    }

    /// Whether what is in a row has to be compared with a number before it is written: how many
    /// elements it has, which case it is.
    fn is_counted(&self, of: RecordId, id: RowId) -> bool {
        let record = &self.model.records[of.index()];
        let row = &record.rows[id.index()];
        // Numbers that follow from the row itself are as they have to be.
        let follows = |number: RowId| {
            let source =
                record.rows[number.index()].definers.first().map(|definer| &definer.source);
            let own = matches!(source, Some(DefinerSource::Measure { row, .. }) if *row == id);
            own && self.is_followed(of, number)
        };
        let compared = |expr: ExprId| match &self.model[expr] {
            Expr::Path(path) => !path.own_row(of).is_some_and(follows),
            _ => true,
        };
        let last = |ty: &Type| matches!(ty, Type::Array(array) if matches!(array.length, ArrayLength::Last(_)));
        let given = row.ty.union().and_then(|union| match self.model.unions[union.index()].tag {
            Tag::Given(given) => Some(given),
            _ => None,
        });
        // A slice may need a row that is not there, or that something else gives.
        let sure = |number: RowId| {
            let row = &record.rows[number.index()];
            follows(number) && row.when.is_none() && self.home(row) != Home::Absent
        };
        let slice = match row.kind {
            RowKind::Slice { base, count, .. } => {
                !sure(base) || count.is_some_and(|row| !sure(row))
            }
            _ => false,
        };
        slice
            || count_of(&row.ty).is_some_and(compared)
            || given.is_some_and(compared)
            || last(row.ty.stripped())
    }

    /// Whether each case of a union has one number, which a row says.
    fn is_selected_by(&self, ty: &Type, of: RecordId, id: RowId) -> bool {
        let Type::Union(union) = ty else { return false };
        let union = &self.model.unions[union.index()];
        let Tag::Given(given) = union.tag else { return false };
        let number = |case: &Case| match case.labels[..] {
            [Label::Range(low, high)]
                if low == high && case.guard.is_none() && case.forms.is_empty() =>
            {
                Some(low)
            }
            _ => None,
        };
        let numbers: Option<BTreeSet<i128>> = union.cases.iter().map(number).collect();
        self.is_row(given, of, id)
            && numbers.is_some_and(|numbers| numbers.len() == union.cases.len())
    }

    /// Whether an expression is a row of the record in which it is evaluated.
    fn is_row(&self, expr: ExprId, of: RecordId, id: RowId) -> bool {
        matches!(&self.model[expr], Expr::Path(path) if path.own_row(of) == Some(id))
    }

    /// Whether something about a row in place has to be checked when it is read.
    fn is_looked_at(&self, row: &Row) -> bool {
        let ruled = row.checks.iter().any(|check| !row.is_late(check));
        let by_kind = matches!(
            row.kind,
            RowKind::Constant(_) | RowKind::Zero | RowKind::Reserved | RowKind::Runtime
        );
        ruled || by_kind || row.none.len() > 1 || self.may_be_wrong(&row.ty)
    }

    fn is_validated(&self, row: &Row) -> bool {
        row.reference.is_some()
            || row.unique
            || row.when.is_some()
            || !row.checks.is_empty()
            || (row.has_no_bytes() || matches!(row.role, Role::View { .. }))
                && self.may_be_wrong(match row.ty.stripped() {
                    Type::Pointer(pointer) => pointer.owned().unwrap_or(&row.ty),
                    ty => ty,
                })
            || matches!(
                row.kind,
                RowKind::Object { .. } | RowKind::Mark { .. } | RowKind::Value { seen: Some(_) }
            )
            || matches!(&row.ty, Type::Cell(Cell { storage: Storage::TagOf, .. }))
    }

    /// Whether some bytes are no value of a type.
    fn may_be_wrong(&self, ty: &Type) -> bool {
        match ty {
            Type::Cell(cell) => match cell.meaning {
                Meaning::Bool { .. } => true,
                Meaning::Enum(id) => self.model.enums[id.index()].closed,
                Meaning::Int | Meaning::Float(_) | Meaning::Word(_) => false,
            },
            Type::Array(array) => self.may_be_wrong(&array.element),
            Type::Region(region) => self.may_be_wrong(&region.inner),
            Type::Run(run) => run.content != Content::Bytes,
            _ => false,
        }
    }
}

/// Where a row without a home is, so many bytes behind the first of them if that is known, which
/// begin so many bytes behind the start of the node if that is.
fn following_place(row: &Row, home: Home, behind: Option<u32>, tail: Option<u32>) -> Place {
    match (home, behind, tail) {
        (Home::Absent, ..) => Place::Nowhere,
        (Home::Next, ..) if row.ty.is_bits() => Place::Moving,
        (Home::Nowhere, ..) if !row.in_tag() => Place::Nowhere,
        (_, Some(behind), Some(tail)) => Place::Home(tail + behind),
        (_, Some(behind), None) => Place::Tail(behind),
        (_, None, _) => Place::Moving,
    }
}

fn duties(record: &Record, plan: &Plan) -> Duties {
    let mut duties = Duties::EXISTING;
    for (duty, applies) in [
        (Duties::DICTIONARIES, !plan.dictionaries.is_empty()),
        (Duties::REFERENCES, !plan.references.is_empty()),
        (Duties::SETTLING, !plan.settling.is_empty() || plan.ruled || !plan.spelled.is_empty()),
        (Duties::VALIDATING, !plan.validating.is_empty() || plan.ruled),
        (Duties::EXPANDING, !plan.expanding.is_empty()),
        (Duties::POINTING, !plan.pointing.is_empty()),
        (Duties::ENCODING, record.encodes.is_some()),
        (Duties::PLACING, !plan.placing.is_empty()),
        (Duties::NAMED, !plan.named.is_empty()),
    ] {
        if applies {
            duties |= duty;
        }
    }
    duties
}

fn plain_number(row: &Row, place: Place) -> Option<Number> {
    let (Place::Home(at), Type::Cell(cell)) = (place, &row.ty) else { return None };
    let plain = row.none.is_empty() && row.plus == 0;
    match (cell.storage, &cell.meaning) {
        (Storage::Fixed(int), Meaning::Int | Meaning::Enum(_)) if plain => Some(Number {
            at,
            bytes: int.bytes,
            signed: int.signed,
            order: int.order.map(Endian::from),
        }),
        _ => None,
    }
}

/// Whether a file has a row in place as it is written again.
fn is_copied(row: &Row, planned: &RowPlan) -> bool {
    let cell = |ty: &Type| match ty {
        Type::Cell(Cell { storage: Storage::Fixed(_), meaning }) => {
            !matches!(meaning, Meaning::Word(_))
        }
        _ => false,
    };
    let stored = match (planned.store, &row.ty) {
        (Store::Cell, ty) => cell(ty),
        (Store::Cells(_), Type::Array(array)) => cell(&array.element),
        (Store::Bytes(_), _) => true,
        _ => false,
    };
    stored
        && matches!(row.kind, RowKind::Plain)
        && matches!(row.role, Role::Data | Role::Default(_))
}

/// Whether bytes stand right behind others.
fn follows(first: &Piece, second: &Piece) -> bool {
    first.from + first.len == second.from
        && match (first.place, second.place) {
            (Place::Home(a), Place::Home(b)) | (Place::Tail(a), Place::Tail(b)) => {
                a + first.len == b
            }
            _ => false,
        }
}

/// The bits of a constant in a cell.
fn said_number(said: Item, row: &Row) -> u64 {
    let plus = row.plus as u64;
    match said {
        Item::Int(n) => (n as u64).wrapping_add(plus),
        Item::Uint(n) => n.wrapping_add(plus),
        Item::F32(_) | Item::F64(_) => match row.ty.stripped() {
            // That it can be stored was checked with the schema.
            Type::Cell(cell) => super::tree::stored_float(cell, said).unwrap_or(0),
            _ => 0,
        },
        Item::Bool(yes) => match &row.ty {
            Type::Cell(Cell { meaning: Meaning::Bool { yes: number }, .. }) if yes => *number,
            _ => yes.into(),
        },
        _ => 0,
    }
}

/// Bytes of the word whose fields a record has.
fn planned_word(record: &Record) -> usize {
    match record.kind {
        RecordKind::Word(int) => int.bytes.into(),
        _ => 0,
    }
}

/// Whether text or bytes can be looked at where they are.
fn in_bytes(content: Content) -> bool {
    matches!(content, Content::Bytes | Content::Text(Encoding::Ascii | Encoding::Utf8))
}

/// Whether bytes of a type depend on the byte order of the record around.
pub(crate) fn has_order(ty: &Type) -> bool {
    match ty {
        Type::Cell(Cell { storage: Storage::Fixed(int), .. }) => {
            int.bytes > 1 && int.order.is_none()
        }
        Type::Array(array) => has_order(&array.element),
        _ => false,
    }
}

/// The expression for the number of elements of a row, or of what its pointer leads to.
pub(crate) fn count_of(ty: &Type) -> Option<ExprId> {
    match ty.stripped() {
        Type::Array(array) => match array.length {
            ArrayLength::Count(count) => Some(count),
            _ => None,
        },
        Type::Run(run) => match run.length {
            RunLength::Count(count) => Some(count),
            _ => None,
        },
        Type::Pointer(pointer) => count_of(pointer.owned()?),
        _ => None,
    }
}

/// Whether the bytes of a row are not all written with something else.
fn is_filled(row: &Row) -> bool {
    let kind = !matches!(
        row.kind,
        RowKind::Zeros | RowKind::Slice { .. } | RowKind::Mark { .. } | RowKind::Value { .. }
    );
    let none = |ty: &Type| matches!(ty, Type::Record(_) | Type::Text | Type::Nothing);
    kind && match row.ty.stripped() {
        Type::Array(array) => !none(array.element.stripped()),
        ty => !none(ty),
    }
}

/// Whether a type leads to something that has a place of its own.
fn has_object(ty: &Type) -> bool {
    match ty {
        Type::Pointer(pointer) => pointer.owned().is_some(),
        Type::Array(array) => has_object(&array.element),
        Type::Region(region) => has_object(&region.inner),
        _ => false,
    }
}

/// Whether a type is a pointer, or has some that are no rows of a record of their own.
fn has_pointer(ty: &Type) -> bool {
    match ty {
        Type::Pointer(_) => true,
        Type::Array(array) => has_pointer(&array.element),
        Type::Region(region) => has_pointer(&region.inner),
        _ => false,
    }
}
