//! Numbers that usually follow from the value, and what a file has instead.

use std::collections::BTreeSet;

use super::context::Straight;
use super::questions::is_algorithm;
use crate::model::visit::{Part, expressions};
use crate::model::{
    Meaning, Member, Model, Path, RecordId, RecordKind, Role, Row, RowId, RowKind, Step, Type,
};
use crate::rust::shape::Shape;

impl Straight<'_, '_> {
    /// Whether what a file has instead of the number that usually follows is taken over as it is.
    /// Where something else looks at the number, or it has rules of its own, it is left to the engine.
    pub(super) fn takes_deviation(&self, record: RecordId, id: RowId, row: &Row) -> bool {
        let Role::Kept(expr) = row.role else { return false };
        let Type::Cell(cell) = &row.ty else { return false };
        let is_integer = matches!(cell.meaning, Meaning::Int)
            && self.shapes.field(record, id).is_some_and(|field| {
                matches!(&field.shape, Shape::Kept(inner) if matches!(**inner, Shape::Int(_)))
            });
        is_integer
            && matches!(row.kind, RowKind::Plain)
            && !matches!(self.record(record).kind, RecordKind::Word(_) | RecordKind::Form(..))
            && self.shapes.is_typed(record)
            && !is_algorithm(self.model, expr)
            && row.when.is_none()
            && row.none.is_empty()
            && row.checks.is_empty()
            && row.reference.is_none()
            && !row.unique
            && !self.named.contains(&(record, id))
    }
}

/// The rows that expressions and references name; where they do so through something without a name,
/// or by the name of a field alone, all rows of that name.
pub(super) fn named(model: &Model) -> BTreeSet<(RecordId, RowId)> {
    let (mut found, mut names) = (BTreeSet::new(), BTreeSet::new());
    let mut note = |path: &Path| {
        for step in &path.steps {
            let Step::Field(field) = step else { continue };
            for (record, way) in &field.members {
                match way.as_slice() {
                    [Member::Row(row)] => drop(found.insert((*record, *row))),
                    _ => drop(names.insert(field.name.clone())),
                }
            }
        }
    };
    model.exprs.iter().filter_map(|(_, expr)| expr.path()).for_each(&mut note);
    expressions(model, &mut |_, part| match part {
        Part::Expr(_) => {}
        Part::Reference(path) | Part::Table(path) => note(path),
    });
    let rows = || {
        let records = model.records();
        records.flat_map(|(id, record)| record.numbered_rows().map(move |(row, of)| (id, row, of)))
    };
    names.extend(rows().filter_map(|(.., row)| row.reference.as_ref()?.field.clone()));
    for (id, row, of) in rows() {
        if of.name.as_ref().is_some_and(|name| names.contains(name)) {
            found.insert((id, row));
        }
    }
    found
}
