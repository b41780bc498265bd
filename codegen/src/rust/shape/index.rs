//! Arrays whose elements something refers to: each has a type for positions in it.

use crate::model::{
    Expr, Member, Model, Path, Record, RecordId, RecordKind, RowId, RowKind, Start, Step,
};

/// Position in the list of arrays that are referred to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IndexId(pub u32);

impl IndexId {
    /// As an index into lists with one entry per array.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The arrays that something refers to.
#[derive(Debug, Clone, Default)]
pub struct Indices {
    arrays: Vec<Option<(RecordId, RowId)>>,
}

/// How many `let`s a path may lead through.
const LETS: u32 = 32;

impl Indices {
    /// All arrays that rows of a model refer to. Paths that may lead to several arrays count as
    /// leading to the first of them.
    pub fn new(model: &Model) -> Indices {
        let mut indices = Indices::default();
        for row in model.records.iter().flat_map(|record| &record.rows) {
            if let Some(reference) = row.reference.as_ref().filter(|r| r.field.is_none()) {
                let array = array_of(model, &reference.array, LETS);
                if !indices.arrays.contains(&array) {
                    indices.arrays.push(array);
                }
            }
        }
        indices
    }

    pub fn len(&self) -> usize {
        self.arrays.len()
    }

    /// The array of a type, if its path leads to a row.
    pub fn array(&self, id: IndexId) -> Option<(RecordId, RowId)> {
        self.arrays.get(id.index()).copied().flatten()
    }

    /// The type for positions in the array at a path.
    pub fn of(&self, model: &Model, path: &Path) -> IndexId {
        let array = array_of(model, path, LETS);
        let at = self.arrays.iter().position(|known| *known == array).unwrap_or(0);
        IndexId(u32::try_from(at).unwrap_or(0))
    }
}

/// The row that a path leads to. Uses of one declaration with other arguments are one place, unless
/// these say what the elements are.
pub fn array_of(model: &Model, path: &Path, lets: u32) -> Option<(RecordId, RowId)> {
    let lets = lets.checked_sub(1)?;
    let field = path.steps.iter().rev().find_map(|step| match step {
        Step::Field(field) => Some(field),
        Step::Index(_) | Step::Last => None,
    })?;
    let (record, members) = field.members.first()?;
    let mut record = *record;
    let (last, before) = members.split_last()?;
    for member in before {
        record = entered(model, record, member)?;
    }
    match last {
        Member::Row(row) | Member::Into(row) => Some((first_like(model, record, *row), *row)),
        Member::Let(position) => {
            let binding = model.records[record.index()].lets.get(*position as usize)?;
            match &model[binding.expr] {
                Expr::Path(path) => array_of(model, path, lets),
                _ => None,
            }
        }
    }
}

/// The table that a slice is a part of, which may be an argument of its record.
pub fn table_of(model: &Model, table: &Path) -> Option<(RecordId, RowId)> {
    let Start::Argument(index) = table.start else { return array_of(model, table, LETS) };
    let holds = |record: &&crate::model::Record| {
        record.rows.iter().any(|row| {
            matches!(&row.kind, RowKind::Slice { table: other, .. } if std::ptr::eq(other, table))
        })
    };
    let record = model.records.iter().find(holds)?;
    match &model[*record.arguments.get(index as usize)?] {
        Expr::Path(path) if table.steps.is_empty() => array_of(model, path, LETS),
        _ => array_of(model, table, LETS),
    }
}

/// The record of the unnamed struct in a row.
fn entered(model: &Model, record: RecordId, member: &Member) -> Option<RecordId> {
    let Member::Into(row) = member else { return None };
    let row = model.records[record.index()].rows.get(row.index())?;
    match row.ty.stripped() {
        crate::model::Type::Record(inner) => Some(*inner),
        _ => None,
    }
}

/// The first record of the declaration that a record is a use of, of those in which a row has
/// elements of the same declaration.
pub fn first_like(model: &Model, record: RecordId, row: RowId) -> RecordId {
    let kind = |record: &Record| {
        let ty = &record.rows.get(row.index())?.ty;
        ty.records().next().map(|id| {
            let element = &model.records[id.index()];
            (element.template.clone(), element.span)
        })
    };
    let here = &model.records[record.index()];
    if here.kind != RecordKind::Struct {
        return record;
    }
    let elements = kind(here);
    let same = |other: &&Record| {
        other.kind == RecordKind::Struct
            && other.template == here.template
            && other.span == here.span
            && other.rows.len() == here.rows.len()
            && kind(other) == elements
    };
    let first = model.records.iter().position(|other| same(&other));
    first.and_then(|first| u32::try_from(first).ok()).map_or(record, RecordId)
}
