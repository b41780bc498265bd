//! Something fills each `value` that is not measured: forms, or a dictionary.

use std::collections::HashSet;

use super::context::{Context, row_name};
use crate::diagnostic::Diagnostics;
use crate::model::{
    Expr, ExprId, Member, Model, Path, RecordId, RecordKind, Role, RowId, RowKind, Start, Step,
};

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    let model = context.model;
    let Some(named) = named(model) else { return };
    for (id, record) in model.records() {
        if !context.used(id) || is_spelled(model, &record.kind) {
            continue;
        }
        for (number, row) in record.numbered_rows() {
            let empty = matches!(row.kind, RowKind::Value { seen: None })
                && matches!(row.role, Role::Elsewhere);
            if empty && !named.contains(&(id, number)) {
                found
                    .error("E0225", row.span, format!("nothing says what {} is", row_name(row)))
                    .label("it has no bytes here")
                    .help(
                        "say `seen=EXPR`; without it, it is the key of a dictionary \
                         (`is=\"patricia(KEYS)\"`) or stands in each form of a case",
                    );
            }
        }
    }
}

/// Whether the rows of a record are in its forms.
fn is_spelled(model: &Model, kind: &RecordKind) -> bool {
    match kind {
        RecordKind::Case(union, case) => {
            let cases = &model.unions[union.index()].cases;
            cases.get(*case as usize).is_some_and(|case| !case.forms.is_empty())
        }
        _ => false,
    }
}

/// The rows that dictionaries name; nothing if that is not known of each.
fn named(model: &Model) -> Option<HashSet<(RecordId, RowId)>> {
    let mut named = HashSet::new();
    for (id, record) in model.records() {
        for path in record.rows.iter().filter_map(|row| row.patricia(model)) {
            ends(model, id, path, &mut named)?;
        }
    }
    Some(named)
}

fn ends(
    model: &Model,
    id: RecordId,
    path: &Path,
    named: &mut HashSet<(RecordId, RowId)>,
) -> Option<()> {
    let of = |expr: ExprId, within: RecordId, named: &mut HashSet<_>| match &model[expr] {
        // What leads on from another argument is not followed.
        Expr::Path(inner) if !matches!(inner.start, Start::Argument(_)) => {
            ends(model, within, inner, named)
        }
        _ => None,
    };
    let field = match (path.steps.last(), &path.start) {
        (Some(Step::Field(field)), _) => field,
        (None, Start::Argument(number)) => {
            let given = *model.records[id.index()].arguments.get(*number as usize)?;
            return of(given, id, named);
        }
        _ => return None,
    };
    for (record, member) in model.ends(field) {
        match member {
            Member::Row(row) | Member::Into(row) => {
                named.insert((record, row));
            }
            Member::Let(number) => {
                let chosen = model.records[record.index()].lets.get(number as usize)?;
                of(chosen.expr, record, named)?;
            }
        }
    }
    Some(())
}
