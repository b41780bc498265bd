//! Tables beside what they are about: arrays whose elements say nothing, such as offsets of what is in
//! another array, and of which that one says how many there are. The value has them as little as it has
//! a single offset.

use std::collections::BTreeSet;

use crate::model::{
    ArrayLength, ArrayType, BinaryOp, DefinerSource, Expr, ExprId, Home, InStep, Measure, Member,
    Model, Path, RecordId, RecordKind, Role, Row, RowId, RowKind, Step, StreamFunction, Target,
    Type,
};

/// Finds such arrays, and lets the numbers that count their elements count those of the others.
pub(super) fn tables_in_step(model: &mut Model) {
    let named = named(model);
    let mut found = Vec::new();
    for (id, record) in model.records() {
        let alone = match record.kind {
            RecordKind::Case(union, case) => {
                model.unions[union.index()].cases[case as usize].forms.is_empty()
            }
            ref kind => matches!(kind, RecordKind::Struct),
        };
        if !alone {
            continue;
        }
        for (row, table) in record.numbered_rows() {
            if !named.contains(&(id, row))
                && let Some(in_step) = partner(model, id, row, table)
            {
                found.push((id, row, in_step));
            }
        }
    }
    for (id, row, in_step) in found {
        let mut ty = &mut model.records[id.index()].rows[row.index()].ty;
        while let Type::Region(region) = ty {
            ty = &mut region.inner;
        }
        if let Type::Array(array) = ty {
            array.in_step = Some(in_step);
        }
        count_other(model, id, row, in_step);
    }
}

/// The array that says how many elements a table has.
fn partner(model: &Model, id: RecordId, row: RowId, table: &Row) -> Option<InStep> {
    let Type::Array(array) = table.ty.stripped() else { return None };
    let Type::Record(element) = array.element else { return None };
    let plain = matches!((&table.kind, &table.role), (RowKind::Plain, Role::Data))
        && array.stride.is_none()
        && array.described.is_none()
        && table.none.is_empty()
        && table.absent.is_none();
    if !plain || model.carries_data(&array.element) || model.keeps_spelling(element) {
        return None;
    }
    let mut others = model.records[id.index()].numbered_rows().filter(|(_, other)| {
        let data = matches!((&other.kind, &other.role), (RowKind::Plain, Role::Data));
        data && other.when == table.when && is_wherever(table, other)
    });
    others.find_map(|(with, other)| {
        let list = list(&other.ty)?;
        let plus = more(model, id, [row, with], array, list)?;
        let says = with != row && model.carries_data(&list.element);
        says.then_some(InStep { with, plus })
    })
}

/// Whether every layout that has the one row has the other.
fn is_wherever(table: &Row, other: &Row) -> bool {
    let is_there = |home: &Home| *home != Home::Absent;
    table.homes.len() == other.homes.len()
        && table.homes.iter().zip(&other.homes).all(|(a, b)| !is_there(a) || is_there(b))
}

/// The array in a row, or behind its pointer.
fn list(ty: &Type) -> Option<&ArrayType> {
    match ty.stripped() {
        Type::Array(array) => Some(array),
        Type::Pointer(pointer) if !pointer.optional && pointer.none_with.is_none() => {
            match &pointer.target {
                Target::Own(target) => match target.stripped() {
                    Type::Array(array) => Some(array),
                    _ => None,
                },
                _ => None,
            }
        }
        _ => None,
    }
}

/// How many elements more a table has than another array, if that follows from how both are counted.
fn more(
    model: &Model,
    id: RecordId,
    [row, with]: [RowId; 2],
    table: &ArrayType,
    other: &ArrayType,
) -> Option<i128> {
    let length = |array: &ArrayType| match array.length {
        ArrayLength::Count(count) => Some(count),
        _ => None,
    };
    if let Some(leading) = length(other).and_then(|by| counted_more(model, id, row, by)) {
        return leading.checked_neg();
    }
    let count = length(table)?;
    if let Some(leading) = counted_more(model, id, with, count) {
        return Some(leading);
    }
    let by = length(other)?;
    let (count, by) = (model.exprs.linear(count)?, model.exprs.linear(by)?);
    let same = count.path.text == by.path.text && count.factor == by.factor;
    count.offset.checked_sub(by.offset).filter(|_| same)
}

/// How many more than the elements of a row an expression says, if it says that.
fn counted_more(model: &Model, id: RecordId, row: RowId, expr: ExprId) -> Option<i128> {
    match &model[expr] {
        Expr::Stream(StreamFunction::Count, by, None) => match &model[*by] {
            Expr::Path(path) if path.own_row(id) == Some(row) => Some(0),
            _ => None,
        },
        Expr::Binary(BinaryOp::Add, a, b) => {
            let (more, counted) = match model.exprs.constant(*a) {
                Some(more) => (more, b),
                None => (model.exprs.constant(*b)?, a),
            };
            counted_more(model, id, row, *counted)?.checked_add(more)
        }
        _ => None,
    }
}

/// Rows that references and slices lead to: their elements are told apart by others.
fn named(model: &Model) -> BTreeSet<(RecordId, RowId)> {
    let mut all = BTreeSet::new();
    let mut add = |path: &Path| {
        let Some(Step::Field(field)) = path.steps.last() else { return };
        for (record, member) in model.ends(field) {
            if let Member::Row(row) = member {
                all.insert((record, row));
            }
        }
    };
    for row in model.records.iter().flat_map(|record| &record.rows) {
        if let Some(reference) = &row.reference {
            add(&reference.array);
        }
        if let RowKind::Slice { table, .. } = &row.kind {
            add(table);
        }
    }
    all
}

/// Numbers that would count the elements of a table count those of the other array.
fn count_other(model: &mut Model, id: RecordId, row: RowId, in_step: InStep) {
    let follow = |source: &mut DefinerSource| {
        if let DefinerSource::Measure { measure: Measure::Count, row: counted, offset, .. } = source
            && *counted == row
        {
            *counted = in_step.with;
            *offset = offset.saturating_sub(in_step.plus);
        }
    };
    for at in 0..model.records.len() {
        let owner = RecordId(super::id32(at));
        let union_rows = cases_rows(model, owner, id);
        let record = &mut model.records[at];
        for definer in record.rows.iter_mut().flat_map(|row| &mut row.definers) {
            use crate::model::DefinerScope;
            let about = match &definer.scope {
                DefinerScope::Own => owner == id,
                DefinerScope::Case(row, case) => union_rows.contains(&(*row, *case)),
                DefinerScope::Owner(of, _) => *of == id,
            };
            if about {
                follow(&mut definer.source);
            }
        }
        if owner == id {
            record.derives.iter_mut().for_each(|derive| follow(&mut derive.source));
        }
    }
}

/// The rows of a record whose unions have a case that is another record.
fn cases_rows(model: &Model, owner: RecordId, case: RecordId) -> Vec<(RowId, u32)> {
    let RecordKind::Case(union, number) = model.records[case.index()].kind else {
        return Vec::new();
    };
    let rows = model.records[owner.index()].numbered_rows();
    let has = |row: &Row| matches!(row.ty.stripped(), Type::Union(of) if *of == union);
    rows.filter(|(_, row)| has(row)).map(|(id, _)| (id, number)).collect()
}
