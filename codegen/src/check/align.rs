//! Alignments are positive, and fill is not negative.

use super::context::{Context, row_name};
use crate::diagnostic::Diagnostics;
use crate::model::{Home, Model, Record, RowKind, Statement, Type};
use crate::span::Span;

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    elements(context, found);
    let model = context.model;
    for kind in &model.pointers {
        let what = format!("pointer `{}` is aligned", kind.name);
        positive(Some(kind.align.into()), &what, kind.span, found);
    }
    for record in &model.records {
        let align = record.align.map(i128::from);
        positive(align, &format!("`{}` is aligned", record.name), record.span, found);
        for row in &record.rows {
            let what = format!("{} is aligned", row_name(row));
            match row.kind {
                RowKind::Pool { pad, .. } => positive(Some(pad.into()), &what, row.span, found),
                RowKind::Object { align: Some(align), .. } => {
                    positive(model.exprs.constant(align), &what, row.span, found);
                }
                _ => {}
            }
            for ty in row.ty.parts() {
                let align = match ty {
                    Type::Run(run) => run.align.map(i128::from),
                    Type::Pointer(pointer) => {
                        pointer.align.and_then(|align| model.exprs.constant(align))
                    }
                    _ => None,
                };
                positive(align, &what, row.span, found);
            }
        }
        statements(model, record, &record.layout, found);
        for (_, pass) in &record.passes {
            statements(model, record, pass, found);
        }
    }
}

fn statements(model: &Model, record: &Record, list: &[Statement], found: &mut Diagnostics) {
    let layout = || format!("the layout of `{}`", record.name);
    for statement in list {
        match statement {
            Statement::Align(align) | Statement::Mark(_, Some(align)) => {
                let what = format!("{} aligns", layout());
                positive(model.exprs.constant(*align), &what, record.span, found);
            }
            Statement::Zero(size) => {
                if let Some(size) = model.exprs.constant(*size).filter(|size| *size < 0) {
                    let message = format!("{} writes {size} zero bytes", layout());
                    found.error("E0731", record.span, message);
                }
            }
            Statement::When(_, yes, no) => {
                statements(model, record, yes, found);
                statements(model, record, no, found);
            }
            _ => {}
        }
    }
}

fn positive(align: Option<i128>, what: &str, span: Span, found: &mut Diagnostics) {
    if let Some(align) = align.filter(|align| *align <= 0) {
        let message = format!("{what} to {align} bytes");
        found.error("E0730", span, message).help("an alignment is 1 or more");
    }
}

/// Elements of a varying size have padding between them; others follow one another. So an aligned
/// struct of a fixed size can be an element only if each of them ends where the next one may begin,
/// and if the first does so too.
fn elements(context: &Context, found: &mut Diagnostics) {
    for (epoch, sizes) in context.epochs() {
        for (_, record) in context.records(epoch) {
            for row in record.rows.iter().filter(|row| row.home(epoch) != Home::Absent) {
                // Whether what is looked at begins where the layout puts it.
                let mut placed = matches!(row.kind, RowKind::Object { .. });
                for ty in row.ty.parts_in(epoch) {
                    let Type::Array(array) = ty else {
                        placed |= matches!(ty, Type::Pointer(_));
                        continue;
                    };
                    let Type::Record(id) = array.element.stripped() else {
                        placed = false;
                        continue;
                    };
                    let Some(element) = context.record(*id) else { continue };
                    let Some(align) = element.align.filter(|&align| align > 1) else { continue };
                    let size = sizes.of(&array.element);
                    let whole = size.is_some_and(|size| size % align == 0);
                    if array.stride.is_none() && (size.is_none() || placed && whole) {
                        continue;
                    }
                    let message = format!(
                        "elements of {} do not begin on multiples of {align}",
                        row_name(row)
                    );
                    let diagnostic = found.error("E0732", row.span, message);
                    diagnostic.also(element.span, "aligned here, which is about objects");
                    diagnostic.help(
                        "elements follow one another: say the padding in the struct, or point to \
                         each element",
                    );
                }
            }
        }
    }
}
