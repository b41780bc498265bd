//! Elements that say where they stand: what says it does not follow from where they are.

use super::context::{Context, row_name};
use crate::diagnostic::Diagnostics;
use crate::model::{Expr, ExprId, Lead, Member, Model, Path, RecordId, Row, RowId, Step, search};

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    let model = context.model;
    for (id, record) in model.records() {
        for (number, row) in record.numbered_rows() {
            let Some(at) = row.ty.parts().find_map(|part| part.stripped().scattered()) else {
                continue;
            };
            let Some(circle) = from_their_places(model, at, (id, number)) else { continue };
            let message = format!("{} is needed to compute itself", row_name(circle));
            let diagnostic = found.error("E0505", circle.span, message);
            diagnostic.label("where an element is follows from this");
            diagnostic.also(row.span, "by this `at=`");
            diagnostic.help(
                "let it follow from the element before: \
                 `index(this) == 0 ? 0 : end(File.values[index(this) - 1]) - at(File.values[0])`",
            );
        }
    }
}

/// A row that an expression asks for, which follows from where elements of an array are.
fn from_their_places(model: &Model, expr: ExprId, array: (RecordId, RowId)) -> Option<&Row> {
    let mut found = None;
    search((array.0, expr, None), |(id, expr, row), open| {
        match &model[expr] {
            Expr::At(path) | Expr::End(path) if row.is_some() && leads_into(model, path, array) => {
                found = row;
            }
            Expr::Path(path) => open.extend(model.leads(path).filter_map(|lead| match lead {
                Lead::Row(of, number) => {
                    let equation =
                        model.records[of.index()].rows.get(number.index())?.equation()?;
                    Some((of, equation, Some((of, number))))
                }
                Lead::Let(of, named) => Some((of, named.expr, row)),
                Lead::Argument(..) => None,
            })),
            expr => expr.operands(&mut |operand| open.push((id, operand, row))),
        }
        found.is_some()
    });
    found.map(|(of, row)| &model.records[of.index()].rows[row.index()])
}

/// Whether a path leads to the element of an array that is at the position of something: an element
/// before it is placed already.
fn leads_into(model: &Model, path: &Path, (record, row): (RecordId, RowId)) -> bool {
    path.steps.windows(2).any(|steps| match steps {
        [Step::Field(field), Step::Index(index)] if matches!(model[*index], Expr::Index(_)) => {
            model.ends(field).any(|end| end == (record, Member::Row(row)))
        }
        _ => false,
    })
}
