//! What ends where an object begins is placed directly before that object.

use super::context::{Context, element, row_name};
use super::exprs::own_rows_on;
use super::owning::{Owning, owning};
use crate::diagnostic::Diagnostics;
use crate::model::{
    Expr, Extent, LayoutPath, Model, Path, Record, RecordId, Row, RowId, RowKind, Start, Statement,
    Type,
};

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    let model = context.model;
    for (id, record) in model.records() {
        for (number, row) in record.numbered_rows() {
            for path in row.ty.parts().filter_map(|ty| end_at(model, ty)) {
                if let Some(object) = own_row(model, id, path) {
                    adjacent(context, record, id, (number, row), object, found);
                }
            }
        }
    }
}

fn end_at<'m>(model: &'m Model, ty: &Type) -> Option<&'m Path> {
    match ty {
        Type::Region(region) => match region.extent {
            Extent::End(end) => match &model[end] {
                Expr::At(path) => Some(path),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// The row of this record that a path of one step names.
fn own_row(model: &Model, id: RecordId, path: &Path) -> Option<RowId> {
    let whole = matches!(path.start, Start::This) && path.steps.len() == 1;
    own_rows_on(model, id, path).first().filter(|_| whole).map(|(row, _)| *row)
}

fn adjacent(
    context: &Context,
    record: &Record,
    id: RecordId,
    (number, row): (RowId, &Row),
    object: RowId,
    found: &mut Diagnostics,
) {
    let Some(next) = record.rows.get(object.index()) else { return };
    let Owning::Object(ty) = owning(next) else { return };
    let elsewhere = matches!(owning(row), Owning::Object(_));
    let own = |statement: &Statement| match statement {
        Statement::This => !elsewhere,
        _ => elsewhere && places(statement, id, number),
    };
    // What a condition places is not followed.
    let Some(place) = record.layout.iter().position(own) else { return };
    let follows = record.layout.get(place + 1).is_some_and(|next| places(next, id, object));
    let model = context.model;
    let (stated, usual) = match (&next.kind, element(&next.ty)) {
        (RowKind::Object { align, .. }, _) => (*align, model.type_align(ty)),
        (_, Type::Pointer(pointer)) => (pointer.align, Some(model.target_align(pointer, ty))),
        _ => (None, None),
    };
    let align = match stated {
        Some(align) => model.exprs.constant(align).and_then(|align| u64::try_from(align).ok()),
        None => usual,
    };
    let aligned = align.filter(|align| *align > 1);
    if !follows || aligned.is_some() {
        let (name, next_name) = (row_name(row), row_name(next));
        let message = format!("{name} ends where {next_name} begins, but something comes between");
        let diagnostic = found.error("E0610", row.span, message);
        match aligned {
            Some(align) if follows => {
                let help = format!(
                    "say `align=1` for {}; padding before it belongs to {}: `pad={align}` of a \
                     pool, or a `zero size=fill`",
                    row_name(next),
                    row_name(row)
                );
                diagnostic.also(next.span, format!("aligned to {align} bytes")).help(help);
            }
            _ => {
                diagnostic.also(next.span, "not placed directly behind it");
            }
        }
    }
}

/// Whether a statement begins with the bytes of this row's objects.
fn places(statement: &Statement, record: RecordId, row: RowId) -> bool {
    let path: &LayoutPath = match statement {
        Statement::Record(path) | Statement::Put(path) => path,
        _ => return false,
    };
    match path.steps.as_slice() {
        [step] => step.rows.contains(&(record, row)),
        _ => false,
    }
}
