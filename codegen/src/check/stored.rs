//! Bytes of the file are known when all others are written: only numbers and bytes of a known size follow
//! from them.

use std::collections::BTreeSet;

use super::context::{Context, row_name};
use crate::diagnostic::Diagnostics;
use crate::model::visit::{Part, expressions, row_expressions};
use crate::model::{Cell, Content, Expr, ExprId, Meaning, Model, RunLength, Step, Storage, Type};
use crate::span::Span;

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    let model = context.model;
    if !model.exprs.iter().any(|(_, expr)| matches!(expr, Expr::Stored(..))) {
        return;
    }
    let mut seen = BTreeSet::new();
    for (id, record) in model.records() {
        for row in &record.rows {
            let equation = row.equation();
            row_expressions(model, id, row, &mut |_, part| {
                let Part::Expr(expr) = part else { return };
                seen.insert(expr);
                if !mentions(model, expr) {
                    return;
                }
                if equation != Some(expr) {
                    elsewhere(row.span, found);
                } else if !is_known(&row.ty) {
                    let message = format!("{} can't follow from bytes of the file", row_name(row));
                    found
                        .error("E0222", row.span, message)
                        .help("only integers in whole bytes, and bytes, of a known number can");
                }
            });
        }
        if record.arguments.iter().any(|argument| mentions(model, *argument)) {
            elsewhere(record.span, found);
        }
        for named in record.lets.iter().filter(|named| mentions(model, named.expr)) {
            elsewhere(named.span, found);
        }
    }
    expressions(model, &mut |id, part| {
        if let Part::Expr(expr) = part
            && !seen.contains(&expr)
            && mentions(model, expr)
        {
            elsewhere(model.records[id.index()].span, found);
        }
    });
}

fn elsewhere(span: Span, found: &mut Diagnostics) {
    found
        .error("E0222", span, "bytes of the file are asked for where they are not known")
        .help("`bytes` stands in `is=` and `usually=` of integers and bytes, and in no `let`");
}

/// Whether an expression asks for bytes of the file, in the subscripts of its paths, too.
pub(super) fn mentions(model: &Model, expr: ExprId) -> bool {
    let mut found = matches!(model[expr], Expr::Stored(..));
    let steps = model[expr].path().into_iter().flat_map(|path| &path.steps);
    for step in steps {
        found |= matches!(step, Step::Index(index) if mentions(model, *index));
    }
    model[expr].operands(&mut |operand| found |= mentions(model, operand));
    found
}

/// Whether this is an integer or bytes, and how many bytes it takes is known.
fn is_known(ty: &Type) -> bool {
    match ty {
        Type::Cell(Cell { storage, meaning }) => {
            matches!(storage, Storage::Fixed(_) | Storage::Digits { bytes: Some(_), .. })
                && matches!(meaning, Meaning::Int)
        }
        Type::Run(run) => {
            run.content == Content::Bytes && matches!(run.length, RunLength::Fixed(_))
        }
        _ => false,
    }
}
