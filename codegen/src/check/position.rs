//! `here` and `region_end` stand where a reader is, and where a writer can do without them.

use super::context::{Context, row_name};
use crate::diagnostic::Diagnostics;
use crate::model::visit::{check_expressions, statement_expressions};
use crate::model::{
    ArrayLength, DefinerSource, EndianRule, Expr, ExprId, Role, Row, RowKind, Type,
};
use crate::span::Span;

/// For each expression, whether it is about a place that only a reader knows, and which.
struct Positions {
    here: Vec<bool>,
    region_end: Vec<bool>,
}

impl Positions {
    /// The word that an expression has.
    fn word(&self, expr: ExprId) -> Option<&'static str> {
        let words = [("here", &self.here), ("region_end", &self.region_end)];
        words.into_iter().find(|(_, of)| of[expr.index()]).map(|(word, _)| word)
    }

    fn refuse(&self, expr: ExprId, what: &str, span: Span, found: &mut Diagnostics) {
        if let Some(word) = self.word(expr) {
            found
                .error("E0509", span, format!("`{word}` says nothing in {what}"))
                .label("it is about where a reader is: for sizes, counts and conditions of rows with bytes")
                .help("name a row: `end(ROW)` is the address behind it, `at(ROW)` its own");
        }
    }
}

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    let model = context.model;
    let positions = Positions {
        here: model.mentioning(|expr| matches!(expr, Expr::Here)),
        region_end: model.mentioning(|expr| matches!(expr, Expr::RegionEnd)),
    };
    for row in model.records.iter().flat_map(|record| &record.rows) {
        for (expr, what) in late(row) {
            let what = format!("{what} of {}", row_name(row));
            positions.refuse(expr, &what, row.span, found);
        }
        let ends = |condition: ExprId| positions.region_end[condition.index()];
        if row.when.is_some_and(ends) && !model.is_optional_data(row) {
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
            check_expressions(&check.kind, &mut |expr| {
                positions.refuse(expr, "a rule", check.span, found);
            });
        }
        for condition in record.endian.iter().flat_map(EndianRule::conditions) {
            positions.refuse(condition, "the byte order", record.span, found);
        }
        let passes = record.passes.iter().map(|(_, statements)| statements);
        for statements in std::iter::once(&record.layout).chain(passes) {
            statement_expressions(statements, &mut |expr| {
                positions.refuse(expr, "a layout", record.span, found);
            });
        }
    }
    for section in &model.relocation {
        for expr in [section.from, section.to] {
            positions.refuse(expr, "a section of a relocation table", section.span, found);
        }
    }
}

/// Expressions of a row that are looked at when more than its bytes is read.
fn late(row: &Row) -> Vec<(ExprId, &'static str)> {
    let mut all = Vec::new();
    if let Role::Kept(expr) = row.role {
        all.push((expr, "`usually=`"));
    }
    match &row.kind {
        RowKind::Object { address, .. } | RowKind::Mark { address } => {
            all.push((*address, "the address"));
            all.extend(row.when.map(|when| (when, "the condition")));
        }
        RowKind::Slice { .. } => {
            all.extend(row.when.map(|when| (when, "the condition")));
            all.extend(row.ty.element_count().map(|count| (count, "`count=`")));
        }
        RowKind::Pool { order, .. } => {
            let conditions = order.iter().filter_map(|(condition, _)| *condition);
            all.extend(conditions.map(|condition| (condition, "the order")));
        }
        _ => {}
    }
    all.extend(row.reference.as_ref().and_then(|r| r.filter).map(|e| (e, "`ref=`")));
    for definer in &row.definers {
        if let DefinerSource::Expr(expr) = definer.source {
            all.push((expr, "`is=`"));
        }
    }
    for check in &row.checks {
        check_expressions(&check.kind, &mut |expr| all.push((expr, "a rule")));
    }
    for part in row.ty.parts() {
        if let Type::Array(array) = part
            && let ArrayLength::Last(last) = array.length
        {
            all.push((last, "`last=`"));
        }
        if let Type::Pointer(pointer) = part {
            all.extend(pointer.align.map(|align| (align, "`align=`")));
        }
    }
    all
}
