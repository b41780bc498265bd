//! A path that begins with the name of a struct begins in one that can be around.

use std::collections::{BTreeSet, HashMap, VecDeque};

use super::context::Context;
use crate::diagnostic::Diagnostics;
use crate::model::visit::{Part, check_expressions, row_expressions, statement_expressions};
use crate::model::{
    EndianRule, ExprId, Member, Model, Path, RecordId, Row, RowKind, Start, Step, Type,
};
use crate::span::Span;

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    let model = context.model;
    let mut sight =
        Sight { model, holders: holders(model), paths: HashMap::new(), order: Vec::new() };
    for (id, record) in model.records().filter(|(id, _)| context.used(*id)) {
        for row in &record.rows {
            row_expressions(model, id, row, &mut |scope, part| match part {
                Part::Expr(expr) => sight.expr(row.span, scope, expr),
                Part::Reference(path) | Part::Table(path) => {
                    model
                        .exprs
                        .with_subscripts(path, &mut |path| sight.path(row.span, scope, path));
                }
            });
        }
        for of in &record.lets {
            sight.expr(of.span, id, of.expr);
        }
        for check in &record.checks {
            check_expressions(&check.kind, &mut |expr| sight.expr(check.span, id, expr));
        }
        for condition in record.endian.iter().flat_map(EndianRule::conditions) {
            sight.expr(record.span, id, condition);
        }
        let passes = record.passes.iter().map(|(_, statements)| statements);
        for statements in std::iter::once(&record.layout).chain(passes) {
            statement_expressions(statements, &mut |expr| sight.expr(record.span, id, expr));
        }
    }
    for (span, name) in &sight.order {
        let Some(Some(place)) = sight.paths.get(&(*span, *name)) else { continue };
        found
            .error("E0734", *span, format!("`{name}` is not around `{place}`"))
            .label(format!("a path begins with `{name}`"))
            .help(match way_to(model, name) {
                Some(way) => format!("from the root, `{way}` leads to one"),
                None => format!("such a path begins in the nearest `{name}` that holds this"),
            });
    }
    for (id, record) in model.records().filter(|(id, _)| context.used(*id)) {
        record.rows.iter().for_each(|row| sight.bases(found, id, row));
    }
}

/// What is seen from where.
struct Sight<'m> {
    model: &'m Model,
    /// Per record: those that hold it.
    holders: Vec<BTreeSet<RecordId>>,
    /// Where a path is written and the name that it begins with: the record that it does not begin
    /// around; nothing once it does in one. A struct with parameters is several records.
    paths: HashMap<(Span, &'m str), Option<&'m str>>,
    /// The same in the order in which they were found.
    order: Vec<(Span, &'m str)>,
}

impl<'m> Sight<'m> {
    fn expr(&mut self, span: Span, scope: RecordId, expr: ExprId) {
        self.model.exprs.paths(expr, &mut |path| self.path(span, scope, path));
    }

    fn path(&mut self, span: Span, scope: RecordId, path: &'m Path) {
        let Start::Enclosing(records) = &path.start else { return };
        let Some(first) = records.first() else { return };
        let name = self.model.records[first.index()].template.as_str();
        let known = self.paths.get(&(span, name));
        if known == Some(&None) {
            return;
        }
        let place = match self.is_around(records, scope) {
            true => None,
            false => Some(self.model.records[scope.index()].name.as_str()),
        };
        if self.paths.insert((span, name), place).is_none() {
            self.order.push((span, name));
        }
    }

    /// Pointers count from something wherever their struct stands.
    fn bases(&self, found: &mut Diagnostics, scope: RecordId, row: &Row) {
        let kinds = row.ty.parts().filter_map(|part| match part {
            Type::Pointer(pointer) => Some(&self.model.pointers[pointer.kind.index()]),
            _ => None,
        });
        for base in kinds.filter_map(|kind| kind.base) {
            self.model.exprs.paths(base, &mut |path| {
                let Start::Enclosing(records) = &path.start else { return };
                let Some(first) = records.first() else { return };
                let name = self.model.records[first.index()].template.as_str();
                let is_said = matches!(self.paths.get(&(row.span, name)), Some(Some(_)));
                if is_said || self.is_always_around(records, scope) {
                    return;
                }
                let place = &self.model.records[scope.index()].template;
                found
                    .error("E0734", row.span, format!("`{name}` is not around each `{place}`"))
                    .label(format!("a pointer counts from `{name}`"))
                    .help("where it is not, let the struct have pointers of another kind");
            });
        }
    }

    /// Whether one of these records is this one or around it wherever it stands.
    fn is_always_around(&self, records: &[RecordId], scope: RecordId) -> bool {
        let (mut seen, mut open) = (BTreeSet::from([scope]), vec![scope]);
        while let Some(record) = open.pop() {
            if records.contains(&record) {
                continue;
            }
            if record == self.model.root {
                return false;
            }
            let holders = self.holders[record.index()].iter();
            open.extend(holders.filter(|holder| seen.insert(**holder)));
        }
        true
    }

    /// Whether one of these records is this one or can be around it.
    fn is_around(&self, records: &[RecordId], scope: RecordId) -> bool {
        let (mut seen, mut open) = (BTreeSet::from([scope]), vec![scope]);
        while let Some(record) = open.pop() {
            if records.contains(&record) {
                return true;
            }
            let holders = self.holders[record.index()].iter();
            open.extend(holders.filter(|holder| seen.insert(**holder)));
        }
        false
    }
}

/// Which records hold each record, inline, behind a pointer, or as an element of a slice.
fn holders(model: &Model) -> Vec<BTreeSet<RecordId>> {
    let mut holders = vec![BTreeSet::new(); model.records.len()];
    for (id, record) in model.records() {
        for held in model.held_by(id) {
            holders[held.index()].insert(id);
        }
        for row in &record.rows {
            let RowKind::Slice { table, .. } = &row.kind else { continue };
            let Some(Step::Field(field)) = table.steps.last() else { continue };
            for (of, member) in model.ends(field) {
                let Member::Row(row) = member else { continue };
                let Some(table) = model.records[of.index()].rows.get(row.index()) else { continue };
                for held in model.held(&table.ty) {
                    holders[held.index()].insert(id);
                }
            }
        }
    }
    holders
}

/// A path from the root to a struct of this name, of which there is one there.
fn way_to(model: &Model, name: &str) -> Option<String> {
    let root = model.records[model.root.index()].template.clone();
    let (mut seen, mut open) = (BTreeSet::from([model.root]), VecDeque::from([(model.root, root)]));
    while let Some((id, way)) = open.pop_front() {
        let record = &model.records[id.index()];
        if record.template == name {
            return Some(way);
        }
        for row in &record.rows {
            let Some(row_name) = &row.name else { continue };
            if row.ty.parts().any(|part| matches!(part, Type::Array(_) | Type::Union(_))) {
                continue;
            }
            for held in model.held(&row.ty).filter(|held| seen.insert(*held)) {
                open.push_back((held, format!("{way}.{row_name}")));
            }
        }
    }
    None
}
