//! What expressions mention.

use crate::model::{Expr, ExprId, Member, Model, Path, RecordId, RowId, Start, Step, Type};

/// Calls back with every path of which the value is taken; of `at(x)`, `size(x)` and the like it is
/// not. Subscripts count in either.
pub(crate) fn values<'m>(model: &'m Model, expr: ExprId, see: &mut dyn FnMut(&'m Path)) {
    match &model[expr] {
        Expr::Path(path) | Expr::Is(path, _) | Expr::Patricia(path) => {
            see(path);
            subscripts(model, path, see);
        }
        Expr::At(path)
        | Expr::End(path)
        | Expr::Size(path)
        | Expr::Index(path)
        | Expr::IsLast(path)
        | Expr::Listed(path) => subscripts(model, path, see),
        other => other.operands(&mut |operand| values(model, operand, see)),
    }
}

/// Calls back with every path of which the address, end or size is taken, and with what takes it.
pub(super) fn located<'m>(model: &'m Model, expr: ExprId, see: &mut dyn FnMut(&'m Path, &Expr)) {
    match &model[expr] {
        of @ (Expr::At(path) | Expr::End(path) | Expr::Size(path)) => see(path, of),
        other => other.operands(&mut |operand| located(model, operand, see)),
    }
}

fn subscripts<'m>(model: &'m Model, path: &'m Path, see: &mut dyn FnMut(&'m Path)) {
    for step in &path.steps {
        if let Step::Index(index) = step {
            values(model, *index, see);
        }
    }
}

/// Expressions that say how long a value of this type is, those of pointers' targets included.
pub(crate) fn lengths(ty: &Type) -> impl Iterator<Item = ExprId> {
    ty.parts().flat_map(Type::lengths)
}

/// Expressions that say how long the bytes of a value of this type are here.
pub(super) fn inline_lengths(ty: &Type) -> impl Iterator<Item = ExprId> {
    ty.inline_parts().flat_map(Type::lengths)
}

/// The rows of this record through which paths from its node lead, each with the number of steps of
/// its path; rows behind `let`s too.
pub(crate) fn own_rows(model: &Model, id: RecordId, expr: ExprId) -> Vec<(RowId, usize)> {
    let mut rows = Vec::new();
    collect(model, id, &paths(model, expr), &mut Vec::new(), &mut rows);
    rows
}

/// Like [`own_rows`], of a path.
pub(super) fn own_rows_on(model: &Model, id: RecordId, path: &Path) -> Vec<(RowId, usize)> {
    let mut paths = vec![path];
    subscripts(model, path, &mut |path| paths.push(path));
    let mut rows = Vec::new();
    collect(model, id, &paths, &mut Vec::new(), &mut rows);
    rows
}

pub(super) fn paths(model: &Model, expr: ExprId) -> Vec<&Path> {
    let mut paths = Vec::new();
    values(model, expr, &mut |path| paths.push(path));
    paths
}

/// Paths of which the address is taken, of the end too.
pub(super) fn places(model: &Model, expr: ExprId) -> Vec<&Path> {
    let mut found = Vec::new();
    located(model, expr, &mut |path, of| {
        if !matches!(of, Expr::Size(_)) {
            found.push(path);
        }
    });
    found
}

fn collect(
    model: &Model,
    id: RecordId,
    from: &[&Path],
    seen: &mut Vec<u32>,
    rows: &mut Vec<(RowId, usize)>,
) {
    let mut lets = Vec::new();
    let own = |start: &Start| start.is_in(id) || matches!(start, Start::Root) && id == model.root;
    for path in from.iter().filter(|path| own(&path.start)) {
        match path.steps.first().and_then(|step| first_member(step, id)) {
            Some(Member::Row(row) | Member::Into(row)) => rows.push((row, path.steps.len())),
            Some(Member::Let(number)) => lets.push(number),
            None => {}
        }
    }
    for number in lets {
        if !seen.contains(&number)
            && let Some(found) = model.records[id.index()].lets.get(number as usize)
        {
            seen.push(number);
            collect(model, id, &paths(model, found.expr), seen, rows);
        }
    }
}

pub(super) fn first_member(step: &Step, record: RecordId) -> Option<Member> {
    let Step::Field(field) = step else { return None };
    field.members.iter().find(|(id, _)| *id == record)?.1.first().copied()
}
