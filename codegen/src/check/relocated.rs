//! The relocation table is placed behind everything that holds pointers.

use std::collections::HashSet;

use super::context::Context;
use super::owning::{all_bodies, object_records};
use crate::diagnostic::Diagnostics;
use crate::model::{
    DefinerSource, Expr, ExprId, LayoutPath, Lead, Model, Record, RecordId, Role, Statement, Type,
};

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    let model = context.model;
    if model.relocation.is_empty() {
        return;
    }
    let tables: HashSet<RecordId> =
        model.records().filter(|(_, record)| is_table(model, record)).map(|(id, _)| id).collect();
    let whole = model.mentioning(|expr| matches!(expr, Expr::FileEnd));
    let own = model.mentioning(|expr| match expr {
        Expr::End(path) | Expr::Size(path) => {
            let leads = model.leads(path);
            leads
                .filter_map(|lead| match lead {
                    Lead::Row(of, row) => context.row(of, row),
                    Lead::Let(..) | Lead::Argument(..) => None,
                })
                .flat_map(|row| object_records(model, &row.ty))
                .any(|id| tables.contains(&id))
        }
        _ => false,
    });
    for section in model.relocation.iter().filter(|_| !tables.is_empty()) {
        let asks = |of: &[bool]| of[section.to.index()] || of[section.from.index()];
        let (what, label) = match (asks(&whole), asks(&own)) {
            (true, _) => ("where the file ends follows from the table", "which lists this section"),
            (_, true) => {
                ("where the table ends follows from its sections", "this one ends with it")
            }
            _ => continue,
        };
        found
            .error("E0609", section.span, what)
            .label(label)
            .help("let the section end where the table begins: `to=\"at(table)\"`");
    }
    for record in &model.records {
        let mut table: Option<&LayoutPath> = None;
        for path in record.layout.iter().filter_map(path) {
            let records = records(context, path);
            if records.iter().any(|id| tables.contains(id)) {
                table = Some(path);
            } else if let Some(table) = table
                && points(model, records)
            {
                let message = format!("`{}` is placed behind the relocation table", path.text);
                let diagnostic = found.error("E0609", path.span, message);
                diagnostic.label("holds pointers, which the table lists");
                diagnostic.also(table.span, "the table");
            }
        }
    }
}

fn path(statement: &Statement) -> Option<&LayoutPath> {
    match statement {
        Statement::Record(path)
        | Statement::Tail(path)
        | Statement::Put(path)
        | Statement::Run(_, path) => Some(path),
        _ => None,
    }
}

fn records(context: &Context, path: &LayoutPath) -> Vec<RecordId> {
    let rows = path.steps.last().into_iter().flat_map(|step| &step.rows);
    let rows = rows.filter_map(|&(record, row)| context.row(record, row));
    rows.flat_map(|row| object_records(context.model, &row.ty)).collect()
}

fn is_table(model: &Model, record: &Record) -> bool {
    let entries = |expr: ExprId| matches!(model[expr], Expr::RelocationEntries);
    record.rows.iter().any(|row| {
        let computed = row
            .definers
            .iter()
            .any(|definer| matches!(definer.source, DefinerSource::Expr(expr) if entries(expr)));
        computed || matches!(row.role, Role::Kept(expr) if entries(expr))
    })
}

/// Whether anything below these records is a pointer.
fn points(model: &Model, records: Vec<RecordId>) -> bool {
    let mut seen = HashSet::new();
    let mut stack = records;
    while let Some(id) = stack.pop() {
        let Some(record) = model.records.get(id.index()).filter(|_| seen.insert(id)) else {
            continue;
        };
        if record.rows.iter().any(|row| row.listed.is_some()) {
            return true;
        }
        for ty in record.rows.iter().flat_map(|row| row.ty.parts()) {
            match ty {
                Type::Pointer(_) => return true,
                Type::Record(id) => stack.push(*id),
                Type::Union(union) => stack.extend(all_bodies(model, *union)),
                _ => {}
            }
        }
    }
    false
}
