//! Arrays whose elements are known by a number in them: `ref=File.texts.key`.
//!
//! Such an element has the number that belongs to its position, so that whoever refers to it can
//! be made before it.

use crate::model::{Model, RecordId, RecordKind, Row, RowId};
use crate::rust::shape::{FieldShape, IndexId, Shape, Shapes, table_of};

/// An array of which the elements are known by a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keyed {
    /// The array.
    pub record: RecordId,
    /// Its row.
    pub row: RowId,
    /// The field of an element.
    pub field: String,
}

/// All of them, each once.
pub fn keyed(shapes: &Shapes<'_>) -> Vec<Keyed> {
    let rows = shapes.model().records.iter().flat_map(|record| &record.rows);
    let mut all = Vec::new();
    for keyed in rows.filter_map(|row| target(shapes, row)) {
        if !all.contains(&keyed) {
            all.push(keyed);
        }
    }
    all
}

/// What a row refers to by a number of the element.
fn target(shapes: &Shapes<'_>, row: &Row) -> Option<Keyed> {
    let reference = row.reference.as_ref()?;
    let field = reference.field.clone()?;
    let (record, row) = table_of(shapes.model(), &reference.array)?;
    Some(Keyed { record, row, field })
}

/// Number of arrays that [`number`] and [`at`] tell apart.
pub fn count(shapes: &Shapes<'_>) -> usize {
    shapes.indices().count() + keyed(shapes).len()
}

/// Number of an array that something refers to, by position or by a field; the same for both.
pub fn number(shapes: &Shapes<'_>, record: RecordId, row: RowId) -> Option<u32> {
    if let Some(IndexId(array)) = shapes.index_into(record, row) {
        return Some(array);
    }
    let same = |keyed: &Keyed| keyed.row == row && is_use(shapes.model(), record, keyed.record);
    let at = keyed(shapes).iter().position(same)?;
    u32::try_from(shapes.indices().count() + at).ok()
}

/// The array to whose elements a row refers by a field.
pub fn referred(shapes: &Shapes<'_>, row: &Row) -> Option<u32> {
    let keyed = target(shapes, row)?;
    number(shapes, keyed.record, keyed.row)
}

/// The array whose elements are known by this field.
pub fn at(shapes: &Shapes<'_>, record: RecordId, field: &FieldShape) -> Option<u32> {
    let model = shapes.model();
    let row = &model.records[record.index()].rows[field.row.index()];
    let Shape::Int(_) = field.shape else { return None };
    let is_key = |keyed: &&Keyed| {
        let array = &model.records[keyed.record.index()].rows[keyed.row.index()];
        row.name.as_ref() == Some(&keyed.field)
            && array.ty.records().any(|element| is_use(model, record, element))
    };
    let keyed = keyed(shapes);
    let keyed = keyed.iter().find(is_key)?;
    number(shapes, keyed.record, keyed.row)
}

/// Whether both are uses of one declaration.
fn is_use(model: &Model, record: RecordId, other: RecordId) -> bool {
    let (a, b) = (&model.records[record.index()], &model.records[other.index()]);
    let structs = [a, b].iter().all(|record| record.kind == RecordKind::Struct);
    record == other
        || structs && a.template == b.template && a.span == b.span && a.rows.len() == b.rows.len()
}
