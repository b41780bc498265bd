//! All expressions of a model, each with the record in whose node it is evaluated.

use alloc::vec::Vec;

use crate::{
    ArrayLength, CheckKind, DefinerScope, DefinerSource, EndianRule, ExprId, Extent, Measure,
    Model, Path, PointerType, RecordId, Role, Row, RowKind, RunLength, Statement, Target, Type,
};

/// Something that leads through the tree.
#[derive(Debug, Clone, Copy)]
pub enum Part<'m> {
    /// An expression.
    Expr(ExprId),
    /// The array that a reference leads into; only its length and addresses matter.
    Reference(&'m Path),
    /// A shared table, or slices of it.
    Table(&'m Path),
}

/// Calls `visit` for every expression except `let`s and arguments, which count where they are used.
pub fn expressions<'m>(model: &'m Model, visit: &mut dyn FnMut(RecordId, Part<'m>)) {
    for (id, record) in model.records() {
        for row in &record.rows {
            row_expressions(model, id, row, visit);
        }
        for check in &record.checks {
            check_expressions(&check.kind, &mut |e| visit(id, Part::Expr(e)));
        }
        for derive in &record.derives {
            source_expressions(&derive.source, &mut |e| visit(id, Part::Expr(e)));
        }
        for condition in record.endian.iter().flat_map(EndianRule::conditions) {
            visit(id, Part::Expr(condition));
        }
        for statements in
            core::iter::once(&record.layout).chain(record.passes.iter().map(|(_, s)| s))
        {
            statement_expressions(statements, &mut |e| visit(id, Part::Expr(e)));
        }
    }
    for section in &model.relocation {
        visit(model.root, Part::Expr(section.from));
        visit(model.root, Part::Expr(section.to));
    }
    for kind in &model.pointers {
        for (condition, _) in &kind.listing {
            if let Some(condition) = condition {
                visit(model.root, Part::Expr(*condition));
            }
        }
    }
}

/// Calls `visit` for every expression of a row of a record, in the order of [`expressions`].
pub fn row_expressions<'m>(
    model: &'m Model,
    id: RecordId,
    row: &'m Row,
    visit: &mut dyn FnMut(RecordId, Part<'m>),
) {
    if let Some(when) = &row.when {
        visit(id, Part::Expr(*when));
    }
    match &row.kind {
        RowKind::Object { address, align } => {
            visit(id, Part::Expr(*address));
            align.iter().for_each(|align| visit(id, Part::Expr(*align)));
        }
        RowKind::Mark { address } => visit(id, Part::Expr(*address)),
        RowKind::Value { seen: Some(seen) } => {
            visit(id, Part::Expr(*seen));
        }
        RowKind::Slice { table, .. } => visit(id, Part::Table(table)),
        RowKind::Pool { order, .. } => {
            for (condition, _) in order {
                if let Some(condition) = condition {
                    visit(id, Part::Expr(*condition));
                }
            }
        }
        _ => {}
    }
    match &row.role {
        Role::Kept(expr) => visit(id, Part::Expr(*expr)),
        Role::View { slices, key } => {
            for path in slices {
                visit(id, Part::Table(path));
            }
            if let Some(key) = key {
                // Evaluated in the records that hold the slices.
                for holder in slices.iter().flat_map(last_records) {
                    visit(holder, Part::Expr(*key));
                }
            }
        }
        _ => {}
    }
    for definer in &row.definers {
        let scope = match &definer.scope {
            DefinerScope::Own => Some(id),
            DefinerScope::Owner(owner, _) => Some(*owner),
            DefinerScope::Case(union_row, case) => {
                let ty = &model.records[id.index()].rows[union_row.index()].ty;
                ty.union().map(|union| model.unions[union.index()].cases[*case as usize].record)
            }
        };
        if let Some(scope) = scope {
            source_expressions(&definer.source, &mut |e| {
                visit(scope, Part::Expr(e));
            });
        }
    }
    for check in &row.checks {
        check_expressions(&check.kind, &mut |e| visit(id, Part::Expr(e)));
    }
    if let Some(reference) = &row.reference {
        match &reference.field {
            None => visit(id, Part::Reference(&reference.array)),
            Some(_) => visit(id, Part::Table(&reference.array)),
        }
        for expr in reference.filter.iter().chain(&reference.key) {
            visit(id, Part::Expr(*expr));
        }
    }
    type_expressions(model, &row.ty, &mut |e| visit(id, Part::Expr(e)));
}

fn type_expressions<'m>(model: &'m Model, ty: &'m Type, visit: &mut dyn FnMut(ExprId)) {
    match ty {
        Type::Run(run) => {
            if let RunLength::Count(count) = &run.length {
                visit(*count);
            }
        }
        Type::Array(array) => {
            match &array.length {
                ArrayLength::Count(e) | ArrayLength::Last(e) => visit(*e),
                ArrayLength::Fill => {}
            }
            if let Some(stride) = &array.stride {
                visit(*stride);
            }
            if let Some(described) = &array.described {
                described.expressions().for_each(&mut *visit);
            }
            type_expressions(model, &array.element, visit);
        }
        Type::Region(region) => {
            match &region.extent {
                Extent::Size(e) | Extent::End(e) => visit(*e),
                Extent::Terminated(_) | Extent::Rest => {}
            }
            type_expressions(model, &region.inner, visit);
        }
        Type::PerEpoch(types) => {
            for ty in types {
                type_expressions(model, ty, visit);
            }
        }
        Type::Union(union) => {
            model.unions[union.index()].conditions().for_each(visit);
        }
        Type::Pointer(pointer) => pointer_expressions(model, pointer, visit),
        _ => {}
    }
}

fn pointer_expressions<'m>(
    model: &'m Model,
    pointer: &'m PointerType,
    visit: &mut dyn FnMut(ExprId),
) {
    let kind = &model.pointers[pointer.kind.index()];
    if let Some(base) = &kind.base {
        visit(*base);
    }
    if let Some(align) = &pointer.align {
        visit(*align);
    }
    match &pointer.target {
        Target::Own(target) => type_expressions(model, target, visit),
        Target::Pooled => {
            if let Some(text) = kind.text.as_deref() {
                type_expressions(model, text, visit);
            }
        }
        Target::Element => {}
    }
}

/// Calls `visit` for every expression of a rule.
pub fn check_expressions(kind: &CheckKind, visit: &mut dyn FnMut(ExprId)) {
    match kind {
        CheckKind::Min(e) | CheckKind::Max(e) | CheckKind::Equals(e) | CheckKind::Holds(e) => {
            visit(*e);
        }
        CheckKind::OneOf(list) => list.iter().copied().for_each(visit),
    }
}

fn source_expressions(source: &DefinerSource, visit: &mut dyn FnMut(ExprId)) {
    match source {
        DefinerSource::Expr(e) => visit(*e),
        DefinerSource::Measure { measure: Measure::At(base), .. } => visit(*base),
        DefinerSource::Measure { .. } => {}
    }
}

/// Calls `visit` for every expression of the statements of a layout.
pub fn statement_expressions(statements: &[Statement], visit: &mut dyn FnMut(ExprId)) {
    for statement in statements {
        match statement {
            Statement::Align(e) | Statement::Zero(e) | Statement::Mark(_, Some(e)) => visit(*e),
            Statement::When(e, then, otherwise) => {
                visit(*e);
                statement_expressions(then, visit);
                statement_expressions(otherwise, visit);
            }
            _ => {}
        }
    }
}

/// Records in which a path ends.
fn last_records(path: &Path) -> Vec<RecordId> {
    path.steps
        .iter()
        .rev()
        .find_map(|step| match step {
            crate::Step::Field(field) => Some(field.members.iter().map(|(r, _)| *r)),
            _ => None,
        })
        .map(Iterator::collect)
        .unwrap_or_default()
}
