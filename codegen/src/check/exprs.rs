//! What expressions mention.

use super::context::{inline_types, types};
use crate::model::{
    ArrayLength, Expr, Extent, Member, Path, Record, RecordId, RowId, RunLength, Start, Step, Type,
};

/// Calls back with every path of which the value is taken; of `at(x)`, `size(x)` and the like it is
/// not. Subscripts count in either.
pub(crate) fn values<'e>(expr: &'e Expr, see: &mut dyn FnMut(&'e Path)) {
    match expr {
        Expr::Path(path) | Expr::Is(path, _) | Expr::Patricia(path) => {
            see(path);
            subscripts(path, see);
        }
        Expr::At(path)
        | Expr::End(path)
        | Expr::Size(path)
        | Expr::Index(path)
        | Expr::IsLast(path)
        | Expr::Listed(path) => subscripts(path, see),
        _ => expr.operands(&mut |operand| values(operand, see)),
    }
}

fn subscripts<'e>(path: &'e Path, see: &mut dyn FnMut(&'e Path)) {
    for step in &path.steps {
        if let Step::Index(index) = step {
            values(index, see);
        }
    }
}

/// Expressions that say how long a value of this type is, those of pointers' targets included.
pub(crate) fn lengths(ty: &Type) -> Vec<&Expr> {
    types(ty).into_iter().flat_map(own_lengths).collect()
}

/// Expressions that say how long the bytes of a value of this type are here.
pub(super) fn inline_lengths(ty: &Type) -> Vec<&Expr> {
    inline_types(ty).into_iter().flat_map(own_lengths).collect()
}

fn own_lengths(ty: &Type) -> Vec<&Expr> {
    let mut all = Vec::new();
    match ty {
        Type::Array(array) => {
            all.extend(&array.stride);
            match &array.length {
                ArrayLength::Count(count) => all.push(count),
                ArrayLength::Last(last) => all.push(last),
                ArrayLength::Fill => {}
            }
        }
        Type::Region(region) => match &region.extent {
            Extent::Size(expr) | Extent::End(expr) => all.push(expr),
            Extent::Terminated(_) | Extent::Rest => {}
        },
        Type::Run(run) => {
            if let RunLength::Count(count) = &run.length {
                all.push(count);
            }
        }
        _ => {}
    }
    all
}

/// The first row of this record through which a path from its node leads; rows behind `let`s too.
pub(crate) fn own_rows(record: &Record, id: RecordId, expr: &Expr) -> Vec<(RowId, usize)> {
    let mut rows = Vec::new();
    let mut seen = Vec::new();
    collect(record, id, expr, &mut seen, &mut rows);
    rows
}

fn collect(
    record: &Record,
    id: RecordId,
    expr: &Expr,
    seen: &mut Vec<u32>,
    rows: &mut Vec<(RowId, usize)>,
) {
    let mut lets = Vec::new();
    values(expr, &mut |path| {
        if !matches!(path.start, Start::This) {
            return;
        }
        match path.steps.first().and_then(|step| first_member(step, id)) {
            Some(Member::Row(row) | Member::Into(row)) => rows.push((row, path.steps.len())),
            Some(Member::Let(number)) => lets.push(number),
            None => {}
        }
    });
    for number in lets {
        if !seen.contains(&number)
            && let Some(found) = record.lets.get(number as usize)
        {
            seen.push(number);
            collect(record, id, &found.expr, seen, rows);
        }
    }
}

fn first_member(step: &Step, record: RecordId) -> Option<Member> {
    let Step::Field(field) = step else { return None };
    field.members.iter().find(|(id, _)| *id == record)?.1.first().copied()
}
