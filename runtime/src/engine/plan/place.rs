//! Where the rows of a record are, and what of it is in place.

use super::super::item::{Blob, From, Item};
use super::{
    short, Direction, FlatKind, FlatRow, Number, Part, Piece, Place, Plan, Planning, RowPlan,
    SliceNumbers, Source, Store, MAX_PARTS,
};
use crate::load::{mask, Endian};
use crate::model::{
    ArrayLength, Cell, Constant, Definer, DefinerScope, DefinerSource, Expr, ExprId, Extent, Home,
    IntType, Meaning, Measure, Record, RecordId, RecordKind, Role, Row, RowId, RowKind, RunLength,
    Storage, Type,
};
use alloc::vec;
use alloc::vec::Vec;

impl Planning<'_> {
    /// What is written of the rows in place, and what of them a file has like that.
    pub(super) fn bytes_in_place(&self, record: &Record, plans: &[Option<Plan>], plan: &mut Plan) {
        // How long they are is known when the others are built.
        let last = |id: &RowId| record.rows[id.index()].ty.in_step().is_some();
        plan.building.0.sort_by_key(last);
        plan.taking.0.sort_by_key(last);
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

    /// The numbers that a value has for a compact struct, if it has nothing else for it.
    pub(super) fn flat_rows(&self, record: &Record, plan: &Plan) -> Option<Vec<FlatRow>> {
        let (rows, derived) = &plan.building;
        let plain = matches!(record.kind, RecordKind::Struct) && record.transparent.is_none();
        if !plan.compact || !plain || !derived.is_empty() {
            return None;
        }
        let flat = |id: &RowId| {
            let (row, planned) = (&record.rows[id.index()], &plan.rows[id.index()]);
            let (Place::Home(at) | Place::Tail(at)) = planned.place else { return None };
            let Type::Cell(cell) = &row.ty else { return None };
            let Storage::Fixed(int) = cell.storage else { return None };
            let kind = match (planned.store, &cell.meaning) {
                (Store::Part(_), Meaning::Word(word)) => FlatKind::Word(self.flat_word(*word)?),
                (Store::Cell, _) => FlatKind::of(cell)?,
                _ => return None,
            };
            let number = Number { at, ..Number::of(int) };
            is_stored_as_it_is(row).then_some(FlatRow { row: *id, number, kind })
        };
        rows.iter().map(flat).collect()
    }

    /// The bits of a packed word that is nothing but integers of a value.
    fn flat_word(&self, word: RecordId) -> Option<u64> {
        let record = &self.model.records[word.index()];
        let is_int = |ty: &Type| matches!(ty, Type::Cell(Cell { meaning: Meaning::Int, .. }));
        let plain = record.transparent.is_none()
            && record.rows.iter().all(|row| is_stored_as_it_is(row) && is_int(&row.ty));
        plain.then(|| mask_of_word(record))
    }

    /// What of the bytes in place goes where, numbers one by one; of the rows that are wanted.
    pub(super) fn pieces(
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
    pub(super) fn template(&self, record: &Record, plans: &[Option<Plan>], plan: &Plan) -> Vec<u8> {
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

    pub(super) fn home(&self, row: &Row) -> Home {
        row.homes.get(self.epoch.index()).copied().unwrap_or(Home::Nowhere)
    }

    pub(super) fn size(&self, row: &Row) -> Option<u32> {
        match row.kind {
            RowKind::Zeros | RowKind::Pool { .. } => None,
            RowKind::Object { .. }
            | RowKind::Mark { .. }
            | RowKind::Value { .. }
            | RowKind::Slice { .. } => Some(0),
            _ => self.sizes.of(&row.ty).and_then(short),
        }
    }

    pub(super) fn said(&mut self, row: &Row, home: Home) -> Item {
        let constant = match (home, &row.kind, &row.role) {
            (Home::Absent, ..) => return self.constant(row.absent.as_ref(), 8),
            (_, RowKind::Constant(constant), _) | (_, _, Role::Default(constant)) => Some(constant),
            _ => None,
        };
        self.constant(constant, self.model.float_width(&row.ty))
    }

    /// A constant of the schema; a float in so many bytes.
    pub(super) fn constant(&mut self, constant: Option<&Constant>, width: u8) -> Item {
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

    pub(super) fn store(
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
    pub(super) fn is_stored(&self, row: &Row) -> bool {
        let given = matches!(row.role, Role::Data | Role::Default(_) | Role::Fixed);
        !row.is_ranked() && (self.direction == Direction::Reading || given)
    }

    /// Whether a number follows from other rows when it is written, in any case, and may be any that
    /// there is room for.
    pub(super) fn follows(&self, row: &Row, store: Store) -> bool {
        let closed = match row.ty {
            Type::Cell(Cell { meaning: Meaning::Enum(id), .. }) => {
                self.model.enums[id.index()].closed
            }
            _ => false,
        };
        !closed
            && self.direction == Direction::Writing
            && matches!(store, Store::Slot(_))
            && matches!((&row.kind, &row.role), (RowKind::Plain, Role::Derived))
            && row.when.is_none()
            && row.reference.is_none()
    }

    /// What a derived number follows from, if that is plain to see.
    pub(super) fn source(&self, of: RecordId, row: &Row, plan: &Plan) -> Option<Source> {
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
                    let usual = matches!(slice, RowKind::Slice { empty_base: None, unit: 1, .. });
                    slot(*row).filter(|_| usual).map(Source::Base)
                }
                _ => None,
            },
            DefinerSource::Measure { .. } => None,
        }
    }

    /// The numbers that say which elements of a table a slice has.
    pub(super) fn slice(&self, row: &Row, plan: &Plan) -> Option<SliceNumbers> {
        match row.kind {
            RowKind::Slice { base, count: Some(count), factor: 1, offset: 0, unit: 1, .. }
                if self.direction == Direction::Reading && row.when.is_none() =>
            {
                let number = |row: RowId| plan.rows[row.index()].number;
                Some(SliceNumbers { base: number(base)?, count: number(count)? })
            }
            _ => None,
        }
    }

    pub(super) fn padding(&self, row: &Row) -> Option<Store> {
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

    pub(super) fn in_place(
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
                let plain =
                    run.suffix.is_empty() && run.align.is_none() && run.content.is_in_bytes();
                match run.length {
                    RunLength::Fixed(size) if plain => short(size).map(Store::Bytes),
                    _ => None,
                }
            }
            Type::Region(region) => match (&region.inner, &region.extent) {
                (Type::Run(run), Extent::Size(size)) => {
                    let plain = run.suffix.is_empty()
                        && run.align.is_none()
                        && run.content.is_in_bytes()
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
    pub(super) fn part(
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
}

/// Where a row without a home is, so many bytes behind the first of them if that is known, which
/// begin so many bytes behind the start of the node if that is.
pub(super) fn following_place(
    row: &Row,
    home: Home,
    behind: Option<u32>,
    tail: Option<u32>,
) -> Place {
    match (home, behind, tail) {
        (Home::Absent, ..) => Place::Nowhere,
        (Home::Next, ..) if row.ty.is_bits() => Place::Moving,
        (Home::Nowhere, ..) if !row.in_tag() => Place::Nowhere,
        (_, Some(behind), Some(tail)) => Place::Home(tail + behind),
        (_, Some(behind), None) => Place::Tail(behind),
        (_, None, _) => Place::Moving,
    }
}

pub(super) fn plain_number(row: &Row, place: Place) -> Option<Number> {
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

/// The bits of a packed word that are in a row of it.
pub(super) fn mask_of_word(record: &Record) -> u64 {
    record.rows.iter().map(bits_of_word).fold(0, |all, bits| all | bits)
}

/// The bits of a packed word that a row of it is.
fn bits_of_word(row: &Row) -> u64 {
    match row.ty {
        Type::Cell(Cell { storage: Storage::Word { first, last, .. }, .. }) => {
            mask(last - first + 1) << first
        }
        _ => 0,
    }
}

/// Whether a row is data that every value has, and stored just as it is.
fn is_stored_as_it_is(row: &Row) -> bool {
    matches!((&row.kind, &row.role), (RowKind::Plain, Role::Data))
        && row.name.is_some()
        && row.when.is_none()
        && has_plain_numbers(row)
}

/// Whether numbers in a row are stored as they are in a value.
pub(crate) fn has_plain_numbers(row: &Row) -> bool {
    row.none.is_empty() && row.plus == 0 && row.reference.is_none() && !row.is_ranked()
}

/// Whether a file has a row in place as it is written again.
pub(super) fn is_copied(row: &Row, planned: &RowPlan) -> bool {
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

/// The bits of a constant in a cell.
pub(super) fn said_number(said: Item, row: &Row) -> u64 {
    let plus = row.plus as u64;
    match said {
        Item::Int(n) => (n as u64).wrapping_add(plus),
        Item::Uint(n) => n.wrapping_add(plus),
        Item::F32(_) | Item::F64(_) => match row.ty.stripped() {
            // That it can be stored was checked with the schema.
            Type::Cell(cell) => super::super::tree::stored_float(cell, said).unwrap_or(0),
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
pub(super) fn planned_word(record: &Record) -> usize {
    match record.kind {
        RecordKind::Word(int) => int.bytes.into(),
        _ => 0,
    }
}

/// The expression for the number of elements of a row, or of what its pointer leads to.
pub(crate) fn count_of(ty: &Type) -> Option<ExprId> {
    match ty.stripped() {
        ty @ Type::Array(_) => ty.element_count(),
        Type::Run(run) => match run.length {
            RunLength::Count(count) => Some(count),
            _ => None,
        },
        Type::Pointer(pointer) => count_of(pointer.owned()?),
        _ => None,
    }
}

/// What holds for the last element of a row, or of what its pointer leads to, and for no other.
pub(crate) fn last_of(ty: &Type) -> Option<ExprId> {
    match ty.stripped() {
        Type::Array(array) => match array.length {
            ArrayLength::Last(last) => Some(last),
            _ => None,
        },
        Type::Pointer(pointer) => last_of(pointer.owned()?),
        _ => None,
    }
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
