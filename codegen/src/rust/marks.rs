//! Looks for what expressions, references, layouts and tables ask for.

use std::collections::{HashMap, HashSet};

use super::expr::is_scalar;
use super::plan::{held, is_local, is_settled};
use super::visit::{Part, Use, expressions};
use crate::model::{
    DefinerScope, DefinerSource, Expr, ExprId, Extent, Meaning, Member, Model, Path, Record,
    RecordId, RecordKind, Role, Row, RowId, RowKind, Start, Statement, Step, StreamFunction, Tag,
    Target, Type,
};

/// What is found while looking through a model.
pub(super) struct Marks<'m> {
    model: &'m Model,
    pub noded: HashSet<RecordId>,
    pub tables: HashSet<RecordId>,
    asked: HashSet<(RecordId, RowId)>,
    pub items: HashSet<(RecordId, RowId)>,
    seen: HashSet<(RecordId, u32)>,
    /// Which records hold a record, inline or behind pointers.
    holders: HashMap<RecordId, Vec<RecordId>>,
}

impl<'m> Marks<'m> {
    pub fn new(model: &'m Model) -> Self {
        let mut holders: HashMap<RecordId, Vec<RecordId>> = HashMap::new();
        for (id, record) in model.records() {
            for row in &record.rows {
                held(model, &row.ty, &mut |inner| holders.entry(inner).or_default().push(id));
            }
            if let RecordKind::Case(union, case) = record.kind {
                let forms = &model.unions[union.index()].cases[case as usize].forms;
                for form in forms {
                    holders.entry(form.record).or_default().push(id);
                }
            }
        }
        Marks {
            model,
            noded: HashSet::new(),
            tables: HashSet::new(),
            asked: HashSet::new(),
            items: HashSet::new(),
            seen: HashSet::new(),
            holders,
        }
    }

    /// Goes through the model.
    pub fn look(&mut self) {
        let model = self.model;
        self.noded.insert(model.root);
        let mut parts: Vec<(RecordId, Option<RowId>, Use, Part<'m>)> = Vec::new();
        expressions(model, &mut |id, row, use_of, part| parts.push((id, row, use_of, part)));
        for (id, record) in model.records() {
            if self.needs_node(id, record) {
                self.noded.insert(id);
            }
            for (row_id, row) in record.numbered_rows() {
                // Rows of forms are lifted into those of the case, so nothing is kept beside them.
                if matches!(record.kind, RecordKind::Form(..)) {
                    held(model, &row.ty, &mut |inner| {
                        self.noded.insert(inner);
                    });
                }
                if let Some(field) =
                    row.reference.as_ref().and_then(|r| r.field.as_ref().map(|f| (r, f)))
                {
                    self.ask_field(field.0, field.1);
                }
                if is_table(model, row) {
                    held(model, &row.ty, &mut |inner| {
                        self.tables.insert(inner);
                        self.noded.insert(inner);
                    });
                }
                // Elements of a shared table belong to the slices of its owners.
                if matches!(row.role, Role::View { .. }) {
                    held(model, &row.ty, &mut |inner| {
                        self.noded.insert(inner);
                    });
                }
                self.definers(id, row_id, row);
            }
            if record.encodes.is_some() {
                self.tables.insert(id);
                self.noded.insert(id);
            }
        }
        for (id, _, use_of, part) in &parts {
            match part {
                Part::Expr(e) => {
                    if *use_of == Use::Later || !is_local(model, *e, *id) {
                        self.ask(*id, *e);
                    }
                }
                Part::Reference(path) => {
                    self.noded.insert(*id);
                    self.ask_path(*id, path, false);
                }
                Part::Table(path) => {
                    self.noded.insert(*id);
                    self.ask_path(*id, path, true);
                }
            }
        }
        for (_, record) in model.records() {
            for statements in
                std::iter::once(&record.layout).chain(record.passes.iter().map(|(_, s)| s))
            {
                self.ask_layout(statements);
            }
        }
        // Whoever holds a node has one, and so do the cases of a union that is asked for.
        let mut todo: Vec<RecordId> = self.noded.iter().copied().collect();
        while let Some(id) = todo.pop() {
            let mut also: Vec<RecordId> = self.holders.get(&id).cloned().unwrap_or_default();
            for (row_id, row) in model.records[id.index()].numbered_rows() {
                if self.asked.contains(&(id, row_id))
                    && let Some(union) = row.ty.union()
                {
                    for case in &model.unions[union.index()].cases {
                        also.push(case.record);
                        also.extend(case.forms.iter().map(|form| form.record));
                    }
                }
            }
            // One way through a union: its cases have nodes together.
            if let RecordKind::Case(union, _) = model.records[id.index()].kind {
                also.extend(model.unions[union.index()].cases.iter().map(|case| case.record));
            }
            for union in model.unions.iter().filter(|u| u.cases.iter().any(|c| c.record == id)) {
                also.extend(union.cases.iter().map(|case| case.record));
            }
            for record in also {
                if self.noded.insert(record) {
                    todo.push(record);
                }
            }
        }
        // In records with nodes, slots are where any expression finds its rows.
        for (id, _, _, part) in &parts {
            if let Part::Expr(e) = part
                && self.noded.contains(id)
            {
                self.ask(*id, *e);
            }
        }
    }

    /// The field of the elements that a reference names.
    fn ask_field(&mut self, reference: &crate::model::Reference, field: &str) {
        let ends = reference.array.steps.iter().rev().find_map(|step| match step {
            Step::Field(field) => Some(&field.members),
            _ => None,
        });
        for (record, way) in ends.into_iter().flatten() {
            let Some(Member::Row(row)) = way.last() else { continue };
            let rows_of = &self.model.records[record.index()].rows;
            let Some(array) = rows_of.get(row.index()) else { continue };
            let mut elements = Vec::new();
            held(self.model, &array.ty, &mut |inner| elements.push(inner));
            for element in elements {
                for (row_id, row) in self.model.records[element.index()].numbered_rows() {
                    if row.name.as_deref() == Some(field) {
                        self.noded.insert(element);
                        self.asked.insert((element, row_id));
                    }
                }
            }
        }
    }

    /// Whether a record has a node for what it is, whatever anybody asks for.
    fn needs_node(&self, id: RecordId, record: &Record) -> bool {
        if matches!(record.kind, RecordKind::Form(..)) || record.endian.is_some() {
            return true;
        }
        if matches!(record.kind, RecordKind::Word(_)) {
            // A plain word is a cell, see `Shapes`.
            return record.rows.iter().any(|row| !is_plain_bits(row));
        }
        if !record.lets.is_empty() && !record.arguments.is_empty() {
            return true;
        }
        if let RecordKind::Case(union, case) = record.kind
            && !self.model.unions[union.index()].cases[case as usize].forms.is_empty()
        {
            return true;
        }
        record.numbered_rows().any(|(row_id, row)| {
            let by_kind = matches!(
                row.kind,
                RowKind::Object { .. }
                    | RowKind::Mark { .. }
                    | RowKind::Value { .. }
                    | RowKind::Slice { .. }
                    | RowKind::Pool { .. }
                    | RowKind::Runtime
            );
            let by_role = matches!(row.role, Role::Kept(_) | Role::View { .. } | Role::Elsewhere);
            by_kind
                || by_role
                || row.reference.is_some()
                || row.listed.is_some()
                || row.unique
                || (!row.checks.is_empty() && !is_scalar(&row.ty))
                || is_settled(self.model, id, row_id)
                || self.needs_node_type(&row.ty)
        })
    }

    fn needs_node_type(&self, ty: &Type) -> bool {
        match ty {
            Type::Pointer(pointer) => {
                !matches!(pointer.target, Target::Pooled)
                    || pointer.cell.is_some()
                    || self.model.pointers[pointer.kind.index()].base.is_some()
            }
            Type::Array(array) => self.needs_node_type(&array.element),
            Type::Region(region) => {
                self.needs_node_type(&region.inner)
                    || matches!(region.extent, Extent::Size(_) | Extent::End(_))
                        && region.trim.is_some()
            }
            Type::PerEpoch(types) => types.iter().any(|ty| self.needs_node_type(ty)),
            Type::ByteOrderMark => true,
            Type::Cell(cell) => match cell.meaning {
                Meaning::Word(word) => {
                    self.model.records[word.index()].rows.iter().any(|row| !is_plain_bits(row))
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Rows that equations measure, and the nodes that they are evaluated in.
    fn definers(&mut self, id: RecordId, row_id: RowId, row: &Row) {
        if !is_settled(self.model, id, row_id) {
            return;
        }
        for definer in &row.definers {
            let scope = match &definer.scope {
                DefinerScope::Own => Some(id),
                DefinerScope::Owner(owner, path) => {
                    let mut at = *owner;
                    for row in path {
                        self.asked.insert((at, *row));
                        self.noded.insert(at);
                        let ty = &self.model.records[at.index()].rows[row.index()].ty;
                        held(self.model, ty, &mut |inner| at = inner);
                    }
                    Some(*owner)
                }
                DefinerScope::Case(union_row, case) => {
                    self.asked.insert((id, *union_row));
                    let ty = &self.model.records[id.index()].rows[union_row.index()].ty;
                    ty.union().map(|u| self.model.unions[u.index()].cases[*case as usize].record)
                }
            };
            let Some(scope) = scope else { continue };
            self.noded.insert(scope);
            if let DefinerSource::Measure { row, .. } = &definer.source {
                self.asked.insert((scope, *row));
            }
        }
    }

    /// Marks what an expression asks for.
    fn ask(&mut self, id: RecordId, e: ExprId) {
        match &self.model[e] {
            Expr::Path(path) | Expr::Patricia(path) => self.ask_path(id, path, true),
            Expr::Is(path, _) => {
                self.ask_path(id, path, false);
            }
            Expr::At(path)
            | Expr::End(path)
            | Expr::Size(path)
            | Expr::Index(path)
            | Expr::IsLast(path)
            | Expr::Listed(path) => self.ask_path(id, path, false),
            Expr::Stream(StreamFunction::Count, source, None) => match &self.model[*source] {
                Expr::Path(path) => self.ask_path(id, path, false),
                _ => self.ask(id, *source),
            },
            Expr::Here | Expr::RegionEnd | Expr::FileEnd => {}
            other => other.operands(&mut |operand| self.ask(id, operand)),
        }
    }

    fn ask_path(&mut self, id: RecordId, path: &'m Path, items: bool) {
        match &path.start {
            Start::This | Start::Root => {
                self.noded.insert(if matches!(path.start, Start::Root) {
                    self.model.root
                } else {
                    id
                });
            }
            Start::It => {}
            Start::Up(_) => {
                self.noded.insert(id);
            }
            Start::Enclosing(records) => {
                // The ones around have nodes; this one needs none to find them, if it is not one
                // of them itself.
                self.noded.extend(records.iter().copied());
            }
            Start::Argument(index) => {
                self.noded.insert(id);
                let key = (id, u32::MAX - index);
                if self.seen.insert(key)
                    && let Some(argument) =
                        self.model.records[id.index()].arguments.get(*index as usize)
                {
                    for holder in self.holders.get(&id).cloned().unwrap_or_default() {
                        self.noded.insert(holder);
                        self.ask(holder, *argument);
                    }
                }
            }
        }
        if matches!(path.start, Start::Enclosing(_)) && path.steps.is_empty() {
            return;
        }
        let last_field = path.steps.iter().rposition(|step| matches!(step, Step::Field(_)));
        for (at, step) in path.steps.iter().enumerate() {
            match step {
                Step::Field(field) => {
                    for (record, way) in &field.members {
                        self.noded.insert(*record);
                        let mut here = *record;
                        for member in way {
                            match member {
                                Member::Row(row) => {
                                    self.asked.insert((here, *row));
                                    if items || Some(at) != last_field {
                                        self.items.insert((here, *row));
                                    }
                                    self.ask_transparent(here, *row);
                                }
                                Member::Into(row) => {
                                    self.asked.insert((here, *row));
                                    here = self.inside(here, *row, field, way);
                                    self.noded.insert(here);
                                }
                                Member::Let(index) => {
                                    if self.seen.insert((here, *index))
                                        && let Some(definition) = self.model.records[here.index()]
                                            .lets
                                            .get(*index as usize)
                                    {
                                        self.noded.insert(here);
                                        self.ask(here, definition.expr);
                                    }
                                }
                            }
                        }
                    }
                }
                Step::Index(index) => self.ask(id, *index),
                Step::Last => {}
            }
        }
    }

    /// A row whose record stands for one of its rows: that row is asked for as well.
    fn ask_transparent(&mut self, record: RecordId, row: RowId) {
        let ty = &self.model.records[record.index()].rows[row.index()].ty;
        let mut inner = Vec::new();
        held(self.model, ty, &mut |record| inner.push(record));
        for inner in inner {
            if let Some(row) = self.model.records[inner.index()].transparent
                && self.asked.insert((inner, row))
            {
                self.noded.insert(inner);
                self.items.insert((inner, row));
                self.ask_transparent(inner, row);
            }
        }
    }

    /// The record in a row that the rest of a way leads through. Ways through unions end in the
    /// case that has the row.
    fn inside(
        &self,
        here: RecordId,
        row: RowId,
        field: &crate::model::Field,
        way: &[Member],
    ) -> RecordId {
        let ty = &self.model.records[here.index()].rows[row.index()].ty;
        let mut inner = Vec::new();
        held(self.model, ty, &mut |record| inner.push(record));
        let wanted = way.iter().rev().find_map(|member| match member {
            Member::Row(row) => Some(*row),
            _ => None,
        });
        let named = |record: &RecordId| {
            wanted.is_none_or(|row| {
                let rows = &self.model.records[record.index()].rows;
                rows.get(row.index()).is_some_and(|r| r.name.as_deref() == Some(&field.name))
            })
        };
        inner.iter().copied().find(named).or(inner.first().copied()).unwrap_or(here)
    }

    fn ask_layout(&mut self, statements: &'m [Statement]) {
        for statement in statements {
            match statement {
                Statement::Record(path)
                | Statement::Tail(path)
                | Statement::Put(path)
                | Statement::Run(_, path) => {
                    for (record, row) in path.steps.iter().flat_map(|step| &step.rows) {
                        // Only what owns something is placed; the rest has been written out for
                        // completeness.
                        if self.noded.contains(record) {
                            self.asked.insert((*record, *row));
                        }
                    }
                }
                Statement::When(_, then, otherwise) => {
                    self.ask_layout(then);
                    self.ask_layout(otherwise);
                }
                _ => {}
            }
        }
    }

    /// Whether something asks for a row, so that nodes have a slot for it.
    pub fn has_slot(&self, id: RecordId, row_id: RowId, row: &Row) -> bool {
        if self.asked.contains(&(id, row_id)) {
            return true;
        }
        let by_kind = matches!(
            row.kind,
            RowKind::Object { .. }
                | RowKind::Mark { .. }
                | RowKind::Value { .. }
                | RowKind::Slice { .. }
                | RowKind::Pool { .. }
                | RowKind::Runtime
        );
        let by_role = matches!(row.role, Role::Kept(_) | Role::View { .. } | Role::Elsewhere)
            || is_settled(self.model, id, row_id);
        let table = self.tables.contains(&id)
            && matches!(row.role, Role::Data | Role::Default(_))
            && matches!(row.kind, RowKind::Plain);
        // Rows that slices are read by.
        let slice = self.model.records[id.index()].rows.iter().any(|other| {
            matches!(&other.kind, RowKind::Slice { base, count, .. } if *base == row_id || *count == row_id)
        });
        let form = matches!(self.model.records[id.index()].kind, RecordKind::Form(..))
            && row.name.is_some();
        let checked = !row.checks.is_empty();
        // Rows that say which case of a union beside them is there.
        let tag = self.model.records[id.index()].rows.iter().any(|other| {
            other.ty.union().is_some_and(|union| {
                matches!(self.model.unions[union.index()].tag, Tag::Row(row) if row == row_id)
            })
        });
        let with = self.model.records[id.index()].rows.iter().any(|other| match &other.ty {
            Type::Pointer(pointer) => pointer.none_with == Some(row_id),
            _ => false,
        });
        by_kind
            || by_role
            || table
            || slice
            || form
            || checked
            || tag
            || with
            || row.reference.is_some()
            || row.listed.is_some()
            || row.unique
            || self.holds_nodes(&row.ty)
    }

    /// Whether nodes, or pointers to something owned, hang on a type.
    fn holds_nodes(&self, ty: &Type) -> bool {
        match ty {
            Type::Record(record) => self.noded.contains(record),
            Type::Union(union) => self.model.unions[union.index()]
                .cases
                .iter()
                .any(|case| self.noded.contains(&case.record)),
            Type::Pointer(pointer) => !matches!(pointer.target, Target::Pooled),
            Type::Array(array) => self.holds_nodes(&array.element),
            Type::Region(region) => self.holds_nodes(&region.inner),
            Type::PerEpoch(types) => types.iter().any(|ty| self.holds_nodes(ty)),
            Type::Cell(cell) => {
                matches!(cell.meaning, Meaning::Word(word) if self.noded.contains(&word))
            }
            _ => false,
        }
    }
}

/// Whether the elements of a row are made by an algorithm.
fn is_table(model: &Model, row: &Row) -> bool {
    let made = |e: ExprId| {
        matches!(&model[e], Expr::Patricia(_) | Expr::RelocationSections | Expr::RelocationEntries)
    };
    let kept = matches!(&row.role, Role::Kept(e) if made(*e));
    kept || row.definers.iter().any(|d| matches!(&d.source, DefinerSource::Expr(e) if made(*e)))
}

/// Whether a row of a word needs nothing but its bits.
pub(super) fn is_plain_bits(row: &Row) -> bool {
    let plain_kind = matches!(
        row.kind,
        RowKind::Plain | RowKind::Constant(_) | RowKind::Zero | RowKind::Reserved
    );
    plain_kind
        && matches!(row.ty, Type::Cell(_) | Type::Run(_) | Type::Nothing)
        && row.definers.is_empty()
        && row.reference.is_none()
        && row.none.is_empty()
        && row.listed.is_none()
        && !matches!(row.role, Role::Kept(_) | Role::Derived | Role::View { .. })
}
