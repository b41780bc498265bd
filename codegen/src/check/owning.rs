//! Which rows own objects, and what has to be placed of them.

use std::collections::HashSet;
use std::mem::discriminant;

use super::context::{Context, bodies, element, elements, epochs, until_settled};
use crate::model::{
    ArrayLength, EpochId, Home, LayoutPath, Model, RecordId, Row, RowId, RowKind, Statement,
    Target, Type, UnionId, WhenEmpty,
};

/// How a row owns something.
pub(super) enum Owning<'a> {
    /// An object of this type lies elsewhere, or an array of them.
    Object(&'a Type),
    /// The row's own bytes hold something that owns objects.
    Inline,
    /// It does not.
    Nothing,
}

/// Inline rows from a record to a row that owns something.
pub(super) type Way = Vec<(RecordId, RowId)>;

pub(super) fn owning(row: &Row) -> Owning<'_> {
    if !row.holds_bytes() {
        return Owning::Nothing;
    }
    if let RowKind::Object { .. } = row.kind {
        return Owning::Object(&row.ty);
    }
    owning_of(&row.ty)
}

fn owning_of(ty: &Type) -> Owning<'_> {
    match element(ty) {
        Type::Pointer(pointer) => match &pointer.target {
            Target::Own(target) => Owning::Object(target),
            Target::Pooled | Target::Element => Owning::Nothing,
        },
        Type::Record(_) | Type::Union(_) => Owning::Inline,
        _ => Owning::Nothing,
    }
}

/// Whether a row owns something in any epoch.
pub(super) fn ever_owns(row: &Row) -> bool {
    let owns = |ty| !matches!(owning_of(ty), Owning::Nothing);
    !matches!(owning(row), Owning::Nothing) || row.holds_bytes() && elements(&row.ty).any(owns)
}

/// Whether some row owns objects in another way in each epoch: behind a pointer and inline.
pub(super) fn owning_differs(model: &Model) -> bool {
    let differs = |part: &Type| {
        let Type::PerEpoch(types) = part else { return false };
        let mut types = types.iter().filter(|ty| !matches!(ty, Type::Nothing));
        let first = types.next().map(|ty| discriminant(&owning_of(ty)));
        types.any(|ty| Some(discriminant(&owning_of(ty))) != first)
    };
    let mut rows = model.records.iter().flat_map(|record| &record.rows);
    rows.any(|row| row.ty.parts().any(differs))
}

/// Whether there may be nothing to place: an empty array, a pointer that may be none, a row that is
/// not always there. A pointer that is set for an empty array leads somewhere all the same.
pub(super) fn skippable(model: &Model, epoch: EpochId, row: &Row) -> bool {
    let mut ty = &row.ty;
    let sometimes = row.when.is_some() || row.home(epoch) == Home::Absent;
    loop {
        ty = match ty.in_epoch(epoch) {
            Type::Array(array) => match &array.length {
                ArrayLength::Count(count) if model.exprs.constant(*count).is_some() => {
                    &array.element
                }
                _ => return true,
            },
            Type::Region(region) => &region.inner,
            Type::Pointer(pointer) => match &pointer.target {
                Target::Own(target) if !pointer.optional => {
                    let kind = &model.pointers[pointer.kind.index()];
                    let when_empty = pointer.when_empty(model);
                    let none = kind.none.is_some() || !row.none.is_empty();
                    if pointer.none_with.is_none() && !(none && when_empty == WhenEmpty::None) {
                        return sometimes;
                    }
                    target
                }
                _ => return true,
            },
            _ => return sometimes,
        };
    }
}

/// Records that this type holds inline: itself, or the cases of a union.
pub(super) fn inline_records(model: &Model, ty: &Type) -> Vec<RecordId> {
    let mut records = Vec::new();
    for ty in elements(ty) {
        match ty {
            Type::Record(id) => records.push(*id),
            Type::Union(union) => records.extend(all_bodies(model, *union)),
            _ => {}
        }
    }
    records.sort_unstable();
    records.dedup();
    records
}

/// Records of the objects that a statement about this type visits: through arrays of pointers too.
pub(super) fn object_records(model: &Model, ty: &Type) -> Vec<RecordId> {
    let mut ty = element(ty);
    while let Type::Pointer(pointer) = ty {
        match &pointer.target {
            Target::Own(target) => ty = element(target),
            Target::Pooled | Target::Element => return Vec::new(),
        }
    }
    inline_records(model, ty)
}

pub(super) fn all_bodies(model: &Model, union: UnionId) -> Vec<RecordId> {
    let mut all = Vec::new();
    for epoch in epochs(model) {
        for body in bodies(model, union, epoch) {
            if !all.contains(&body) {
                all.push(body);
            }
        }
    }
    all
}

/// Which records have statements behind `self` that place anything.
pub(super) struct Tails {
    known: HashSet<RecordId>,
}

impl Tails {
    /// Looks at every record until nothing changes: a record has a tail if something in its layout
    /// places bytes, or is the tail of a record that has one.
    pub fn new(model: &Model) -> Self {
        let mut tails = Tails { known: HashSet::new() };
        until_settled(model, |id, record| {
            let places = |tails: &Tails| record.layout.iter().any(|s| tails.places(model, s));
            !tails.has(id) && places(&tails) && tails.known.insert(id)
        });
        tails
    }

    pub fn has(&self, record: RecordId) -> bool {
        self.known.contains(&record)
    }

    /// Whether something is left to do behind the bytes of a value of this type.
    pub fn of(&self, model: &Model, ty: &Type) -> bool {
        let owns = |ty: &Type| matches!(ty, Type::Pointer(pointer) if pointer.owned().is_some());
        elements(ty).any(owns) || inline_records(model, ty).iter().any(|&id| self.has(id))
    }

    fn places(&self, model: &Model, statement: &Statement) -> bool {
        match statement {
            Statement::This => false,
            Statement::Tail(path) | Statement::Put(path) => path.steps.last().is_some_and(|step| {
                step.rows.iter().any(|(record, row)| {
                    let record = model.records.get(record.index());
                    match record.and_then(|record| record.rows.get(row.index())) {
                        Some(row) => match owning(row) {
                            Owning::Object(_) => true,
                            Owning::Inline => self.of(model, &row.ty),
                            Owning::Nothing => false,
                        },
                        None => false,
                    }
                })
            }),
            Statement::When(_, yes, no) => {
                yes.iter().chain(no).any(|statement| self.places(model, statement))
            }
            Statement::Record(_)
            | Statement::Run(..)
            | Statement::Align(_)
            | Statement::Zero(_)
            | Statement::Mark(..) => true,
        }
    }
}

/// Most ways that a path may stand for, over all cases.
const WAYS: usize = 4096;

/// Most steps of a path, and most structs without names in a row.
const NESTING: usize = 16;

/// All ways that a path stands for, from a record: one per case that has the row. Empty if it
/// leads through an object, which has a layout of its own.
pub(super) fn ways(context: &Context, from: RecordId, path: &LayoutPath) -> Vec<Way> {
    if path.steps.len() > NESTING {
        return Vec::new();
    }
    let mut ways: Vec<(Way, Vec<RecordId>)> = vec![(Vec::new(), vec![from])];
    for step in &path.steps {
        let mut next = Vec::new();
        for (way, records) in &ways {
            for &(record, row) in &step.rows {
                let start = records.iter().find_map(|&at| unnamed(context, at, record));
                let (Some(start), Some(found)) = (start, context.row(record, row)) else {
                    continue;
                };
                let mut way = way.clone();
                way.extend(start);
                way.push((record, row));
                let inside = match owning(found) {
                    Owning::Inline => inline_records(context.model, &found.ty),
                    _ => Vec::new(),
                };
                next.push((way, inside));
            }
        }
        next.truncate(WAYS);
        ways = next;
    }
    ways.into_iter().map(|(way, _)| way).collect()
}

/// The way from a record to another through inline rows without names.
fn unnamed(context: &Context, from: RecordId, to: RecordId) -> Option<Way> {
    let mut ends: Vec<(RecordId, Way)> = vec![(from, Vec::new())];
    for _ in 0..NESTING {
        let mut next = Vec::new();
        for (at, way) in ends {
            if at == to {
                return Some(way);
            }
            let Some(record) = context.record(at) else { continue };
            for (number, row) in record.numbered_rows() {
                if row.name.is_none() && matches!(owning(row), Owning::Inline) {
                    for inside in inline_records(context.model, &row.ty) {
                        let mut way = way.clone();
                        way.push((at, number));
                        next.push((inside, way));
                    }
                }
            }
        }
        next.truncate(WAYS);
        ends = next;
    }
    None
}
