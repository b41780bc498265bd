//! Which rows a model's expressions mention, and when a reader evaluates them.
//!
//! A number that is changed breaks the first rule that looks at it. Whoever wants to say which one
//! that is has to know all of them.

use std::collections::{HashMap, HashSet};

use formwork_codegen::model::{
    ArrayLength, CheckKind, DefinerSource, EndianRule, Expr, ExprId, Extent, Field, Member, Model,
    Path, Record, RecordId, Role, Row, RowId, RowKind, RunLength, Start, Step, Storage, Tag,
    Target, Type,
};

/// When an expression is evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// While bytes are being read, and what pointers lead to.
    Reading,
    /// When references look for their arrays: everything is read by then.
    Referring,
    /// When numbers are compared with what they follow from: references are known by then.
    Comparing,
}

/// What a mention is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Number of elements or bytes of the row.
    Length,
    /// Size of the region in the row, or its end.
    Extent,
    /// Offset of the object in the row.
    Address,
    /// Choice of the case in the row.
    Choice,
    /// First element of the slice in the row.
    Base,
    /// A rule, which may not hold.
    Rule,
    /// Whether the relocation table lists the row.
    Listed,
    /// Anything else.
    Other,
}

/// An expression that mentions a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Use {
    /// When.
    pub phase: Phase,
    /// What for.
    pub purpose: Purpose,
    /// The row whose rule it is; none for rules of records and of the whole format.
    pub by: Option<(RecordId, RowId)>,
    /// Whether the expression is nothing but the path to the row.
    pub plain: bool,
}

/// Mentions of all rows.
#[derive(Debug, Default)]
pub struct Uses {
    rows: HashMap<(RecordId, RowId), Vec<Use>>,
    /// Whether reading depends on the size of the file.
    pub file_end: bool,
}

impl Uses {
    /// Collects the mentions in a model of one epoch.
    #[must_use]
    pub fn of(model: &Model) -> Uses {
        let mut finder = Finder { model, uses: Uses::default(), record: None, passed_on: false };
        finder.format();
        for (id, record) in (0..).zip(&model.records) {
            finder.record = Some(RecordId(id));
            finder.record(RecordId(id), record);
        }
        finder.record = None;
        if finder.passed_on {
            let any = at(Phase::Reading, Purpose::Other, None);
            for argument in model.records.iter().flat_map(|record| &record.arguments) {
                finder.expr(*argument, any);
            }
        }
        finder.uses
    }

    /// Mentions of a row.
    #[must_use]
    pub fn of_row(&self, record: RecordId, row: RowId) -> &[Use] {
        self.rows.get(&(record, row)).map_or(&[], Vec::as_slice)
    }
}

struct Finder<'m> {
    model: &'m Model,
    uses: Uses,
    /// The record that an expression stands in; none for those of the whole format, and for
    /// arguments.
    record: Option<RecordId>,
    /// Whether an argument of an argument was mentioned.
    passed_on: bool,
}

impl<'m> Finder<'m> {
    fn format(&mut self) {
        let reading = at(Phase::Reading, Purpose::Other, None);
        let comparing = at(Phase::Comparing, Purpose::Other, None);
        for kind in &self.model.pointers {
            kind.base.iter().for_each(|base| self.expr(*base, reading));
            if let Some(text) = kind.text.as_deref() {
                self.ty(text, None);
            }
            for condition in kind.listing.iter().filter_map(|(condition, _)| condition.as_ref()) {
                self.expr(*condition, comparing);
            }
        }
        for section in &self.model.relocation {
            self.expr(section.from, comparing);
            self.expr(section.to, comparing);
        }
        for case in self.model.unions.iter().flat_map(|union| &union.cases) {
            case.guard.iter().for_each(|guard| self.expr(*guard, reading));
        }
    }

    fn record(&mut self, id: RecordId, record: &'m Record) {
        let reading = at(Phase::Reading, Purpose::Other, None);
        if let Some(EndianRule::Chosen(choices, _)) = &record.endian {
            choices.iter().for_each(|(condition, _)| self.expr(*condition, reading));
        }
        for check in &record.checks {
            self.check(&check.kind, at(Phase::Comparing, Purpose::Rule, None));
        }
        for (row_id, row) in (0..).zip(&record.rows) {
            self.row(id, (id, RowId(row_id)), row);
        }
    }

    fn row(&mut self, id: RecordId, by: (RecordId, RowId), row: &'m Row) {
        let reading = at(Phase::Reading, Purpose::Other, Some(by));
        let comparing = at(Phase::Comparing, Purpose::Other, Some(by));
        row.when.iter().for_each(|when| self.expr(*when, reading));
        self.ty(&row.ty, Some(by));
        match &row.kind {
            RowKind::Object { address, .. } | RowKind::Mark { address } => {
                self.expr(*address, Use { purpose: Purpose::Address, ..reading });
            }
            RowKind::Value { seen } => seen.iter().for_each(|seen| self.expr(*seen, reading)),
            RowKind::Slice { table, base, count, .. } => {
                self.path(table, reading);
                self.mention(id, *base, Use { purpose: Purpose::Base, plain: true, ..reading });
                let length = Use { purpose: Purpose::Length, plain: true, ..reading };
                count.iter().for_each(|count| self.mention(id, *count, length));
            }
            RowKind::Pool { order, .. } => {
                for condition in order.iter().filter_map(|(condition, _)| condition.as_ref()) {
                    self.expr(*condition, comparing);
                }
            }
            _ => {}
        }
        match &row.role {
            Role::Kept(expr) => self.expr(*expr, comparing),
            Role::View { slices, key } => {
                slices.iter().for_each(|slice| self.path(slice, comparing));
                key.iter().for_each(|key| self.expr(*key, comparing));
            }
            _ => {}
        }
        for definer in &row.definers {
            match &definer.source {
                DefinerSource::Expr(expr) => {
                    self.expr(*expr, Use { purpose: Purpose::Rule, ..comparing });
                }
                DefinerSource::Measure { measure, .. } => {
                    if let formwork_codegen::model::Measure::At(base) = measure {
                        self.expr(*base, Use { purpose: Purpose::Rule, ..comparing });
                    }
                }
            }
        }
        if let Some(reference) = &row.reference {
            let referring = at(Phase::Referring, Purpose::Rule, Some(by));
            self.path(&reference.array, referring);
            reference.filter.iter().for_each(|filter| self.expr(*filter, referring));
        }
        let rule = Use { purpose: Purpose::Rule, ..comparing };
        row.checks.iter().for_each(|check| self.check(&check.kind, rule));
    }

    fn check(&mut self, check: &'m CheckKind, usage: Use) {
        match check {
            CheckKind::Min(expr)
            | CheckKind::Max(expr)
            | CheckKind::Equals(expr)
            | CheckKind::Holds(expr) => self.expr(*expr, usage),
            CheckKind::OneOf(list) => list.iter().for_each(|expr| self.expr(*expr, usage)),
        }
    }

    fn ty(&mut self, ty: &'m Type, by: Option<(RecordId, RowId)>) {
        let length = at(Phase::Reading, Purpose::Length, by);
        match ty {
            Type::Run(run) => {
                if let RunLength::Count(count) = &run.length {
                    self.expr(*count, length);
                }
            }
            Type::Pointer(pointer) => {
                if let Target::Own(target) = &pointer.target {
                    self.ty(target, by);
                }
                if let (Some(with), Some((record, _))) = (pointer.none_with, by) {
                    let rule = at(Phase::Comparing, Purpose::Rule, by);
                    self.mention(record, with, rule);
                }
            }
            Type::Array(array) => {
                match &array.length {
                    ArrayLength::Count(count) => self.expr(*count, length),
                    ArrayLength::Last(last) => {
                        self.expr(*last, Use { purpose: Purpose::Other, ..length });
                    }
                    ArrayLength::Fill => {}
                }
                let stride = Use { purpose: Purpose::Other, ..length };
                array.stride.iter().for_each(|expr| self.expr(*expr, stride));
                let described = array.described.iter().flat_map(|of| of.expressions());
                described.for_each(|expr| self.expr(expr, stride));
                self.ty(&array.element, by);
            }
            Type::Region(region) => {
                if let Extent::Size(expr) | Extent::End(expr) = &region.extent {
                    self.expr(*expr, Use { purpose: Purpose::Extent, ..length });
                }
                self.ty(&region.inner, by);
            }
            Type::Union(id) => {
                let choice = Use { purpose: Purpose::Choice, ..length };
                match (&self.model.unions[id.index()].tag, by) {
                    (Tag::Row(tag), Some((record, _))) => {
                        self.mention(record, *tag, Use { plain: true, ..choice });
                    }
                    (Tag::Given(expr), _) => self.expr(*expr, choice),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    fn expr(&mut self, expr: ExprId, usage: Use) {
        self.expr_in(
            expr,
            Use { plain: matches!(self.model[expr], Expr::Path(_)), ..usage },
            &mut Vec::new(),
        );
    }

    fn expr_in(&mut self, expr: ExprId, usage: Use, lets: &mut Vec<(RecordId, u32)>) {
        match &self.model[expr] {
            Expr::Path(path)
            | Expr::Is(path, _)
            | Expr::At(path)
            | Expr::End(path)
            | Expr::Size(path)
            | Expr::Index(path)
            | Expr::IsLast(path)
            | Expr::Patricia(path) => self.path_in(path, usage, lets),
            Expr::Listed(path) => {
                self.path_in(path, Use { purpose: Purpose::Listed, ..usage }, lets);
            }
            Expr::FileEnd | Expr::RegionEnd if usage.phase == Phase::Reading => {
                self.uses.file_end = true;
            }
            other => {
                let part = Use { plain: false, ..usage };
                other.operands(&mut |operand| self.expr_in(operand, part, lets));
            }
        }
    }

    fn path(&mut self, path: &'m Path, usage: Use) {
        self.path_in(path, usage, &mut Vec::new());
    }

    fn path_in(&mut self, path: &'m Path, usage: Use, lets: &mut Vec<(RecordId, u32)>) {
        if matches!(path.start, Start::It) && path.steps.is_empty() {
            // The row that the rule is about.
            if let Some((record, row)) = usage.by {
                self.mention(record, row, usage);
            }
        }
        if let Start::Argument(index) = path.start {
            let record = self.record.map(|record| &self.model.records[record.index()]);
            match record.and_then(|record| record.arguments.get(index as usize)) {
                Some(argument) => {
                    // It stands in the record around, which is not always the same one.
                    let around = self.record.take();
                    self.expr_in(*argument, Use { plain: false, ..usage }, lets);
                    self.record = around;
                }
                None => self.passed_on = true,
            }
        }
        for step in &path.steps {
            match step {
                Step::Field(field) => self.field(field, usage, lets),
                Step::Index(index) => {
                    self.expr_in(*index, Use { plain: false, ..usage }, lets);
                }
                Step::Last => {}
            }
        }
    }

    fn field(&mut self, field: &'m Field, usage: Use, lets: &mut Vec<(RecordId, u32)>) {
        for (record, way) in &field.members {
            let mut at = vec![*record];
            for member in way {
                match *member {
                    Member::Row(row) => {
                        for record in &at {
                            // Behind a union the row is another one in each case.
                            let rows = &self.model.records[record.index()].rows;
                            let named = |r: &Row| r.name.as_deref() == Some(&field.name);
                            let same = rows.get(row.index()).is_some_and(named);
                            let row = match (same, rows.iter().position(named)) {
                                (false, Some(position)) => {
                                    RowId(u32::try_from(position).unwrap_or(u32::MAX))
                                }
                                _ => row,
                            };
                            self.mention(*record, row, usage);
                        }
                    }
                    Member::Into(row) => {
                        for record in &at {
                            self.mention(*record, row, usage);
                        }
                        let inner: HashSet<RecordId> =
                            at.iter().flat_map(|record| self.inside(*record, row)).collect();
                        at = inner.into_iter().collect();
                    }
                    Member::Let(position) => {
                        for record in at.clone() {
                            if lets.contains(&(record, position)) {
                                continue;
                            }
                            lets.push((record, position));
                            let around = self.record.replace(record);
                            let record = &self.model.records[record.index()];
                            if let Some(named) = record.lets.get(position as usize) {
                                self.expr_in(named.expr, Use { plain: false, ..usage }, lets);
                            }
                            self.record = around;
                            lets.pop();
                        }
                    }
                }
            }
        }
    }

    /// Records that may be in a row.
    fn inside(&self, record: RecordId, row: RowId) -> Vec<RecordId> {
        let Some(row) = self.model.records[record.index()].rows.get(row.index()) else {
            return Vec::new();
        };
        records_in(self.model, &row.ty)
    }

    fn mention(&mut self, record: RecordId, row: RowId, usage: Use) {
        let uses = self.uses.rows.entry((record, row)).or_default();
        if !uses.contains(&usage) {
            uses.push(usage);
        }
    }
}

fn at(phase: Phase, purpose: Purpose, by: Option<(RecordId, RowId)>) -> Use {
    Use { phase, purpose, by, plain: false }
}

/// Records that a type may hold: of a union those of its cases and forms.
fn records_in(model: &Model, ty: &Type) -> Vec<RecordId> {
    match ty {
        Type::Record(id) => vec![*id],
        Type::Union(id) => {
            let cases = &model.unions[id.index()].cases;
            let forms = cases.iter().flat_map(|case| case.forms.iter().map(|form| form.record));
            cases.iter().map(|case| case.record).chain(forms).collect()
        }
        Type::Region(region) => records_in(model, &region.inner),
        Type::Array(array) => records_in(model, &array.element),
        Type::Pointer(pointer) => match &pointer.target {
            Target::Own(target) => records_in(model, target),
            Target::Pooled | Target::Element => Vec::new(),
        },
        Type::Cell(cell) => match &cell.meaning {
            formwork_codegen::model::Meaning::Word(record)
                if !matches!(cell.storage, Storage::TagOf) =>
            {
                vec![*record]
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}
