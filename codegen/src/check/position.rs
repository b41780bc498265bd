//! `here` and `region_end` stand where a reader is, and where a writer can do without them.

use super::context::{Context, row_name};
use crate::diagnostic::Diagnostics;
use crate::model::{
    ArrayLength, CheckKind, DefinerSource, Expr, ExprId, Member, Model, Role, Row, RowKind, Step,
    Type,
};

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    let model = context.model;
    for row in model.records.iter().flat_map(|record| &record.rows) {
        for (expr, what) in late(row) {
            if let Some(word) = position(model, expr) {
                let message = format!("`{word}` says nothing in {what} of {}", row_name(row));
                found
                    .error("E0509", row.span, message)
                    .label("it is about where a reader is, and this is looked at when all is read")
                    .help("name a row: `end(ROW)` is the address behind it, `at(ROW)` its own");
            }
        }
        if let Some(condition) = row.when
            && !tells(model, row)
            && mentions(model, condition, &|expr| matches!(expr, Expr::RegionEnd))
        {
            let message = format!("nothing in the value says whether {} is there", row_name(row));
            found
                .error("E0509", row.span, message)
                .label("a writer does not know `region_end` before it has written it")
                .help(
                    "put `value bool more seen=\"region_end > here\"` in front, and say `when more`",
                );
        }
    }
    for record in &model.records {
        for check in &record.checks {
            for expr in operands(&check.kind) {
                if let Some(word) = position(model, expr) {
                    let message = format!("`{word}` says nothing in a rule");
                    found
                        .error("E0509", check.span, message)
                        .label(
                            "it is about where a reader is, and this is looked at when all is read",
                        )
                        .help("name a row: `end(ROW)` is the address behind it, `at(ROW)` its own");
                }
            }
        }
    }
}

/// Whether a value says by what is in a row whether it is there.
fn tells(model: &Model, row: &Row) -> bool {
    let kind = matches!(
        row.kind,
        RowKind::Plain | RowKind::Zeros | RowKind::Object { .. } | RowKind::Value { .. }
    );
    kind && matches!(row.role, Role::Data | Role::Default(_) | Role::Elsewhere)
        && model.carries_data(&row.ty)
}

/// Expressions of a row that are looked at when more than its bytes is read.
fn late(row: &Row) -> Vec<(ExprId, &'static str)> {
    let mut all = Vec::new();
    if let Role::Kept(expr) = row.role {
        all.push((expr, "`usually=`"));
    }
    for definer in &row.definers {
        if let DefinerSource::Expr(expr) = definer.source {
            all.push((expr, "`is=`"));
        }
    }
    for check in &row.checks {
        all.extend(operands(&check.kind).into_iter().map(|expr| (expr, "a rule")));
    }
    for part in row.ty.parts() {
        if let Type::Array(array) = part
            && let ArrayLength::Last(last) = array.length
        {
            all.push((last, "`last=`"));
        }
    }
    all
}

fn operands(kind: &CheckKind) -> Vec<ExprId> {
    match kind {
        CheckKind::Min(expr)
        | CheckKind::Max(expr)
        | CheckKind::Equals(expr)
        | CheckKind::Holds(expr) => vec![*expr],
        CheckKind::OneOf(list) => list.clone(),
    }
}

/// The word for a position that an expression mentions, by itself or by a `let`.
fn position(model: &Model, expr: ExprId) -> Option<&'static str> {
    let words = [("here", Expr::Here), ("region_end", Expr::RegionEnd)];
    let asks = |word: &Expr| {
        mentions(model, expr, &|expr| std::mem::discriminant(expr) == std::mem::discriminant(word))
    };
    words.into_iter().find(|(_, word)| asks(word)).map(|(name, _)| name)
}

fn mentions(model: &Model, expr: ExprId, is: &dyn Fn(&Expr) -> bool) -> bool {
    let (mut open, mut seen) = (vec![expr], Vec::new());
    while let Some(expr) = open.pop() {
        if seen.contains(&expr) {
            continue;
        }
        seen.push(expr);
        if is(&model[expr]) {
            return true;
        }
        model[expr].operands(&mut |operand| open.push(operand));
        let steps = model[expr].path().map_or(&[][..], |path| &path.steps);
        for step in steps {
            let Step::Field(field) = step else { continue };
            for (record, way) in &field.members {
                if let [Member::Let(number)] = way.as_slice() {
                    let lets = &model.records[record.index()].lets;
                    open.extend(lets.get(*number as usize).map(|named| named.expr));
                }
            }
        }
    }
    false
}
