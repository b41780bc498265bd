//! Small questions about rows and types that several parts ask.

use std::collections::BTreeSet;

use crate::model::visit::{Part, expressions};
use crate::model::{
    Cell, Content, Expr, ExprId, Field, Home, Meaning, Member, Model, Path, Record, RecordId,
    RecordKind, Row, RowId, RowKind, RunLength, RunType, Step, Storage, Type,
};

/// What a row without bytes of its own, or a pool, is called.
pub(super) fn kind(row: &Row) -> &'static str {
    match row.kind {
        RowKind::Slice { .. } => "a slice of a shared table",
        RowKind::Pool { .. } => "a string pool that is no struct of its own",
        RowKind::Object { .. } => "an object at an address",
        RowKind::Mark { .. } => "an address without bytes",
        RowKind::Value { .. } => "a value that is not stored",
        _ => "a row of this kind",
    }
}

pub(super) fn row_name(row: &Row) -> &str {
    row.name.as_deref().unwrap_or("a row")
}

/// The type of what a row's value is: inside of regions, behind pointers that own it.
pub(super) fn target(ty: &Type) -> &Type {
    match ty.stripped() {
        Type::Pointer(pointer) => match &pointer.target {
            crate::model::Target::Own(inner) => target(inner),
            _ => ty,
        },
        other => other,
    }
}

/// The rows of bits that a number is.
pub(super) fn word(ty: &Type) -> Option<RecordId> {
    match ty {
        Type::Cell(Cell { meaning: Meaning::Word(id), .. }) => Some(*id),
        _ => None,
    }
}

/// The type of the elements of an array, or else the type itself.
pub(super) fn element(ty: &Type) -> &Type {
    match ty.stripped() {
        Type::Array(array) => &array.element,
        other => other,
    }
}

/// Records that the rows of a record hold, inline or behind pointers, cases and forms too.
pub(super) fn children(model: &Model, record: &Record) -> BTreeSet<RecordId> {
    let mut found = BTreeSet::new();
    for part in record.rows.iter().flat_map(|row| row.ty.parts()) {
        match part {
            Type::Record(id) => {
                found.insert(*id);
            }
            Type::Union(id) => {
                found.extend(model.unions[id.index()].cases.iter().map(|case| case.record));
            }
            other => found.extend(word(other)),
        }
    }
    if let RecordKind::Case(union, case) = record.kind {
        let case = &model.unions[union.index()].cases[case as usize];
        found.extend(case.forms.iter().map(|form| form.record));
    }
    found
}

pub(super) fn is_here(row: &Row, epoch: usize) -> bool {
    matches!(row.homes.get(epoch), Some(Home::At(_) | Home::Next))
}

/// Whether a number stands in the tag of its case.
pub(super) fn is_in_tag(ty: &Type) -> bool {
    let Type::Cell(cell) = ty.stripped() else { return false };
    matches!(cell.storage, Storage::Letter { .. } | Storage::TagOf)
}

pub(super) fn has_pointer(ty: &Type) -> bool {
    matches!(ty.stripped(), Type::Pointer(_))
}

pub(super) fn is_aligned(ty: &Type) -> bool {
    matches!(ty.stripped(), Type::Run(run) if run.align.is_some_and(|align| align > 1))
}

pub(super) fn is_varint(ty: &Type) -> bool {
    matches!(ty, Type::Cell(cell) if matches!(cell.storage, Storage::Varint(_)))
}

/// Whether a row holds one number of variable width, perhaps in front of a run.
pub(super) fn has_varint(ty: &Type) -> bool {
    match ty {
        Type::Cell(cell) => matches!(cell.storage, Storage::Varint(_)),
        Type::Run(RunType { length: RunLength::Prefix(cell), .. }) => {
            matches!(cell.storage, Storage::Varint(_))
        }
        Type::Region(region) => has_varint(&region.inner),
        Type::PerEpoch(types) => types.iter().any(has_varint),
        _ => false,
    }
}

/// Whether a number is in digits of text.
pub(super) fn is_digits(ty: &Type) -> bool {
    matches!(ty, Type::Cell(cell) if matches!(cell.storage, Storage::Digits { .. }))
}

/// Whether a row is bytes without a meaning, which a spelling may keep.
pub(super) fn is_reserved(row: &Row) -> bool {
    let Type::Run(run) = &row.ty else { return false };
    matches!(row.kind, RowKind::Reserved)
        && matches!(run.content, Content::Bytes)
        && matches!(run.length, RunLength::Fixed(_) | RunLength::Count(_))
        && run.suffix.is_empty()
        && run.align.is_none()
}

pub(super) fn is_cell(ty: &Type) -> bool {
    matches!(ty, Type::Cell(_))
}

/// The row of a record that a step leads to, if it leads no farther.
pub(super) fn only_row(field: &Field, record: RecordId) -> Option<RowId> {
    field.members.iter().find_map(|(of, way)| match way.as_slice() {
        [Member::Row(row)] if *of == record => Some(*row),
        _ => None,
    })
}

/// The row that a path from a node of a record names, if that is a row of the node itself.
pub(super) fn own_row(path: &Path, record: RecordId) -> Option<RowId> {
    let [Step::Field(field)] = path.steps.as_slice() else { return None };
    only_row(field, record).filter(|_| path.start.is_in(record))
}

/// Whether a row is a number with nothing special about it.
pub(super) fn is_plain_number(row: &Row) -> bool {
    matches!((&row.kind, &row.ty), (RowKind::Plain, Type::Cell(_)))
}

/// Rows of a record that have bytes of their own.
pub(super) fn rows_with_bytes(
    record: &Record,
    epoch: usize,
) -> impl Iterator<Item = (RowId, &Row)> {
    record.numbered_rows().filter(move |(_, row)| {
        !matches!(row.homes.get(epoch), Some(Home::Absent | Home::Nowhere) | None)
    })
}

/// Whether an expression is elements that an algorithm makes.
pub(super) fn is_algorithm(model: &Model, expr: ExprId) -> bool {
    model[expr].is_table()
}

/// Records that ask for their position in the array around them, or hold what asks for it.
pub(super) fn indexed(model: &Model, positioned: &BTreeSet<RecordId>) -> BTreeSet<RecordId> {
    fn asks(model: &Model, expr: ExprId, this: RecordId) -> bool {
        let expr = &model[expr];
        let mut found = matches!(
            expr,
            Expr::Index(path) | Expr::IsLast(path)
                if path.steps.is_empty() && path.start.is_in(this)
        );
        if let Expr::At(path) | Expr::End(path) | Expr::Size(path) | Expr::Path(path) = expr {
            let asks =
                |step: &Step| matches!(step, Step::Index(index) if asks(model, *index, this));
            found |= path.steps.iter().any(asks);
        }
        expr.operands(&mut |operand| found |= asks(model, operand, this));
        found
    }
    let mut found = positioned.clone();
    expressions(model, &mut |id, part| {
        if let Part::Expr(expr) = part
            && asks(model, expr, id)
        {
            found.insert(id);
        }
    });
    found
}
