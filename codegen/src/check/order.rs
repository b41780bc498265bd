//! Reading can begin somewhere: no row needs, for its place, length or presence, one that needs it.

use std::collections::HashMap;

use super::context::{Context, element, has_bytes, row_name};
use super::exprs::{inline_lengths, own_rows, values};
use crate::diagnostic::Diagnostics;
use crate::model::{
    Expr, ExprId, Member, Model, RecordId, Row, RowId, RowKind, Start, Step, Tag, Type,
};

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    let positions = context.model.mentioning(|expr| matches!(expr, Expr::Here | Expr::RegionEnd));
    for (id, record) in context.model.records() {
        let order: HashMap<RowId, usize> =
            record.read_order.iter().enumerate().map(|(place, &row)| (row, place)).collect();
        for (number, row) in record.numbered_rows() {
            let Some(&place) = order.get(&number) else { continue };
            // Objects and what pointers lead to are read when somebody needs them.
            if !has_bytes(row) || matches!(row.kind, RowKind::Object { .. }) {
                continue;
            }
            let mut needed: Vec<ExprId> = inline_lengths(&row.ty).collect();
            needed.extend(row.when);
            let mut rows: Vec<RowId> = Vec::new();
            if let Type::Union(union) = *element(&row.ty)
                && let Some(union) = context.model.unions.get(union.index())
            {
                match &union.tag {
                    Tag::Row(tag) => rows.push(*tag),
                    Tag::Given(expr) => needed.push(*expr),
                    Tag::Own(_) | Tag::Word(_) => {}
                }
            }
            let ranked = |row: &RowId| record.rows.get(row.index()).filter(|row| row.is_ranked());
            let rank = needed.iter().find_map(|expr| rank(context.model, id, *expr));
            if let Some(rank) = rank.or_else(|| rows.iter().find_map(ranked)) {
                let what = row_name(rank);
                found
                    .error("E0508", row.span, format!("{what} is known when everything is read"))
                    .label("which needs it for its place, length or presence")
                    .also(rank.span, "a rank is stored, and the value is an index");
                continue;
            }
            let inline = |row: &RowId| {
                record.rows.get(row.index()).is_some_and(|row| {
                    has_bytes(row) && !matches!(row.kind, RowKind::Object { .. })
                })
            };
            let own = needed.iter().flat_map(|expr| own_rows(context.model, id, *expr));
            let own: Vec<RowId> = own.map(|(row, _)| row).collect();
            rows.extend(own.iter().copied().filter(inline));
            let late = rows.iter().find(|row| order.get(row).is_some_and(|at| *at >= place));
            // What is about the place where it stands is known there.
            let stands = |row: &RowId| match record.rows.get(row.index()) {
                Some(Row { kind: RowKind::Value { seen: Some(seen) }, when, .. }) => {
                    when.iter().chain([seen]).any(|expr| positions[expr.index()])
                }
                _ => false,
            };
            let late = late.or_else(|| own.iter().find(|row| **row >= number && stands(row)));
            let Some(late) = late.and_then(|late| record.rows.get(late.index())) else { continue };
            let message = if std::ptr::eq(late, row) {
                format!("{} is needed to read itself", row_name(row))
            } else {
                format!("{} is read before {}, which it needs", row_name(row), row_name(late))
            };
            let diagnostic = found.error("E0508", row.span, message);
            if !std::ptr::eq(late, row) {
                diagnostic.also(late.span, "needed for its place, length or presence");
            }
        }
    }
}

/// A row of which an expression takes the value, if what it stores is a rank.
fn rank(model: &Model, of: RecordId, expr: ExprId) -> Option<&Row> {
    let mut found = None;
    let mut pending = vec![expr];
    let mut seen = Vec::new();
    while let Some(expr) = pending.pop() {
        values(model, expr, &mut |path| {
            if let (Start::Argument(number), []) = (&path.start, &path.steps[..]) {
                let record = model.records.get(of.index());
                let given = record.and_then(|of| of.arguments.get(*number as usize)).copied();
                pending.extend(given.filter(|given| !seen.contains(given)));
                seen.extend(given);
            }
            let Some(Step::Field(field)) = path.steps.last() else { return };
            for (record, member) in model.ends(field) {
                let record = &model.records[record.index()];
                match member {
                    Member::Row(row) => {
                        let row = record.rows.get(row.index());
                        found = found.or(row.filter(|row| row.is_ranked()));
                    }
                    Member::Let(number) => {
                        let inner = record.lets.get(number as usize).map(|inner| inner.expr);
                        pending.extend(inner.filter(|inner| !seen.contains(inner)));
                        seen.extend(inner);
                    }
                    Member::Into(_) => {}
                }
            }
        });
    }
    found
}
