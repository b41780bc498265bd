//! Epochs: the ranges of the context in which every condition over it has one answer.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::columns::Column;
use super::consts::Plain;
use super::{Cx, RecordId, ScopeId};
use crate::model::{
    BinaryOp, Cell, Epoch, IntType, Meaning, Storage, Type, UnaryOp, storage_range,
};
use crate::span::{Span, Spanned};
use crate::syntax::ast::{CaseDecl, DeclBody, EpochDecl, Item, Props, RowWord, TypeEx, WordField};
use crate::syntax::expr::{Ex, ExKind, StepEx};

/// Most pieces that the ranges of all variables are cut into.
const MAX_PIECES: usize = 4096;

/// What is known of the context.
#[derive(Debug, Default)]
pub(super) struct Epochs<'t> {
    pub vars: Vec<Var<'t>>,
    pub list: Vec<Epoch>,
    /// For each epoch a value of each variable.
    pub samples: Vec<Vec<i128>>,
    /// What arguments were found to split.
    pub known: Cuts,
    /// What they split further.
    pub missing: Cuts,
}

/// Variables with numbers at which a range begins.
pub(super) type Cuts = BTreeSet<(usize, i128)>;

/// What a word is in a condition over the context.
pub(super) enum Named<'t> {
    Epoch(usize),
    Let(&'t Ex),
}

/// An epoch variable.
#[derive(Debug)]
pub(super) struct Var<'t> {
    pub decl: &'t EpochDecl,
    pub cell: Cell,
    /// The integer that has its bits, if it is some bits of a word.
    pub word: Option<IntType>,
    /// Members of its enumeration.
    pub members: Vec<(String, i128)>,
    pub closed: bool,
    /// Struct and row that hold it.
    pub holder: (ScopeId, usize, &'t str),
    pub range: (i128, i128),
}

impl Var<'_> {
    /// Whether it is true (1) or false (0).
    pub(super) fn is_truth(&self) -> bool {
        matches!(self.cell.meaning, Meaning::Bool { .. })
    }
}

impl<'t> Cx<'t> {
    /// Finds the variables and cuts their ranges.
    pub(super) fn find_epochs(&mut self, main: ScopeId) {
        let tree = self.scope(main).tree;
        for decl in &tree.epochs {
            if let Some(first) =
                self.epochs.vars.iter().find(|v| v.decl.name.value == decl.name.value)
            {
                let span = first.decl.name.span;
                self.d
                    .error("E0203", decl.name.span, "the epoch is declared twice")
                    .also(span, "first here");
                continue;
            }
            if let Some(var) = self.epoch_variable(main, decl) {
                self.epochs.vars.push(var);
            }
        }
        self.cut(main);
    }

    /// Follows the path of an epoch through the declarations.
    fn epoch_variable(
        &mut self,
        main: ScopeId,
        decl: &'t EpochDecl,
    ) -> Option<super::epochs::Var<'t>> {
        let tree = self.scope(main).tree;
        let root = tree.head.as_ref().and_then(|head| head.props.text("root")).unwrap_or("File");
        let path = &decl.from;
        let mut names: Vec<&'t Spanned<String>> = vec![&path.head];
        for step in &path.steps {
            match step {
                StepEx::Field(name) => names.push(name),
                _ => {
                    self.d.error("E0207", path.span(), "an epoch does not stand in an array");
                    return None;
                }
            }
        }
        if names.first().is_some_and(|n| n.value == root) {
            names.remove(0);
        }
        let mut scope = main;
        let mut struct_name = root.to_owned();
        for (at, name) in names.iter().enumerate() {
            let found = self.lookup(scope, &struct_name).first().copied();
            let Some(super::imports::Found::Decl(at_scope, index)) = found else {
                self.d.error("E0207", name.span, format!("`{struct_name}` is not a struct"));
                return None;
            };
            let inner = self.decl(at_scope, index);
            let found = match &inner.body {
                DeclBody::Struct { .. } => self.row_in(at_scope, index, &name.value, 0),
                DeclBody::Word { storage, fields } if at + 1 == names.len() => {
                    let field = fields.iter().find(|field| field.name.value == name.value);
                    if let Some(field) = field {
                        return self.epoch_bits(decl, at_scope, index, storage, field);
                    }
                    None
                }
                _ => {
                    self.d.error("E0207", name.span, format!("`{struct_name}` is not a struct"));
                    return None;
                }
            };
            let Some((at_scope, index, ty)) = found else {
                self.d
                    .error(
                        "E0207",
                        name.span,
                        format!("`{struct_name}` has no row `{}`", name.value),
                    )
                    .also(inner.name.span, "declared here");
                return None;
            };
            if at + 1 < names.len() {
                if ty.prefix.is_some() || ty.suffix.is_some() {
                    self.d.error("E0207", name.span, "an epoch stands at a constant offset");
                    return None;
                }
                (scope, struct_name) = self.named_type(at_scope, ty);
                continue;
            }
            return self.epoch_cell(decl, at_scope, index, &name.value, ty);
        }
        self.d.error("E0207", path.span(), "this is not the path of a row");
        None
    }

    /// The type of a row of a struct, or of one without a name in it, with the struct that has it.
    fn row_in(
        &self,
        scope: ScopeId,
        index: usize,
        name: &str,
        depth: u32,
    ) -> Option<(ScopeId, usize, &'t TypeEx)> {
        let DeclBody::Struct { items, .. } = &self.decl(scope, index).body else { return None };
        let mut rows = Vec::new();
        typed_rows(items, &mut rows);
        if let Some((_, ty)) = rows.iter().find(|(known, _)| *known == Some(name)) {
            return Some((scope, index, ty));
        }
        let unnamed = rows.into_iter().filter(|(known, ty)| known.is_none() && ty.prefix.is_none());
        unnamed.map(|(_, ty)| ty).find_map(|ty| {
            let (scope, name_of) = self.named_type(scope, ty);
            match self.lookup(scope, &name_of).first() {
                Some(super::imports::Found::Decl(scope, index)) if depth < 16 => {
                    self.row_in(*scope, *index, name, depth + 1)
                }
                _ => None,
            }
        })
    }

    /// Scope and name of a type, through parameters of libraries.
    fn named_type(&self, scope: ScopeId, ty: &'t TypeEx) -> (ScopeId, String) {
        let mut scope = scope;
        let mut ty = ty;
        for _ in 0..64 {
            match self.lookup(scope, &ty.name).first() {
                Some(super::imports::Found::Type(at, bound)) => {
                    scope = *at;
                    ty = bound;
                }
                Some(super::imports::Found::Decl(at, index)) => {
                    if let DeclBody::Alias(choices) = &self.decl(*at, *index).body
                        && let [(None, only)] = choices.as_slice()
                    {
                        scope = *at;
                        ty = only;
                        continue;
                    }
                    return (*at, self.decl(*at, *index).name.value.clone());
                }
                None => break,
            }
        }
        (scope, ty.name.clone())
    }

    fn epoch_cell(
        &mut self,
        decl: &'t EpochDecl,
        scope: ScopeId,
        index: usize,
        row: &'t str,
        ty: &'t TypeEx,
    ) -> Option<Var<'t>> {
        let base = self.base(scope, None, ty)?;
        let base_ty = base.element;
        self.epoch_var(decl, &base_ty, None, (scope, index, row))
    }

    /// An epoch in some bits of an integer.
    fn epoch_bits(
        &mut self,
        decl: &'t EpochDecl,
        scope: ScopeId,
        index: usize,
        storage: &'t TypeEx,
        field: &'t WordField,
    ) -> Option<Var<'t>> {
        let word = match self.base(scope, None, storage)?.element {
            Type::Cell(Cell { storage: Storage::Fixed(int), .. }) => int,
            _ => return None,
        };
        let ty = self.word_field(scope, None, field)?;
        self.epoch_var(decl, &ty, Some(word), (scope, index, &field.name.value))
    }

    fn epoch_var(
        &mut self,
        decl: &'t EpochDecl,
        ty: &Type,
        word: Option<IntType>,
        holder: (ScopeId, usize, &'t str),
    ) -> Option<Var<'t>> {
        let cell = match ty {
            Type::Cell(cell) if !matches!(cell.meaning, Meaning::Float(_) | Meaning::Word(_)) => {
                cell.clone()
            }
            _ => {
                let error = self.d.error(
                    "E0207",
                    decl.span,
                    "an epoch is an integer, a truth value or a member of an enumeration",
                );
                if let Type::Cell(Cell { meaning: Meaning::Word(_), .. }) = ty {
                    error.help("name one field of the bits");
                }
                return None;
            }
        };
        if !matches!((cell.storage, word), (Storage::Fixed(_), None) | (Storage::Word { .. }, _)) {
            self.d
                .error("E0207", decl.span, "an epoch is an integer of whole bytes, or bits of one")
                .help("declare the integer with `bits`, and name the field of it");
            return None;
        }
        let (mut members, mut closed) = (Vec::new(), false);
        if let Meaning::Enum(id) = cell.meaning {
            let found = &self.enums[id.index()];
            members = found.members.iter().map(|m| (m.name.clone(), m.number)).collect();
            closed = found.closed;
        }
        let (bits, signed) = storage_range(&cell.storage, &[], &[]);
        let range = match cell.meaning {
            Meaning::Bool { .. } => (0, 1),
            _ => crate::model::limits(bits, signed),
        };
        Some(Var { decl, cell, word, members, closed, holder, range })
    }

    pub(super) fn var(&self, name: &str) -> Option<usize> {
        self.epochs.vars.iter().position(|v| v.decl.name.value == name)
    }

    /// Cuts the ranges at every condition.
    fn cut(&mut self, main: ScopeId) {
        let tree = self.scope(main).tree;
        let mut conditions: Vec<&'t Ex> = Vec::new();
        let mut columns: Columns<'t> = Vec::new();
        for decl in &tree.decls {
            match &decl.body {
                DeclBody::Struct { items, .. } => gather(items, &mut conditions, &mut columns),
                DeclBody::Union { items, cases } => {
                    gather(items, &mut conditions, &mut columns);
                    gather_cases(cases, &mut conditions, &mut columns);
                }
                DeclBody::Alias(choices) => {
                    conditions.extend(choices.iter().filter_map(|(c, _)| c.as_ref()));
                }
                _ => {}
            }
        }
        let mut cuts: Vec<BTreeSet<i128>> =
            self.epochs.vars.iter().map(|v| BTreeSet::from([v.range.0])).collect();
        for (at, var) in self.epochs.vars.iter().enumerate() {
            if var.closed {
                for (_, n) in &var.members {
                    cuts[at].extend([*n, n.saturating_add(1)]);
                }
            }
            if var.is_truth() {
                cuts[at].insert(1);
            }
        }
        let mut compared = self.epochs.known.clone();
        for condition in &conditions {
            // It may be about data; if it is not, whoever asks for its answers says what is wrong.
            let _ = self.cuts_of(main, None, condition, 0, &mut compared);
        }
        let mut selected: Vec<Vec<Column<'t>>> = Vec::new();
        for (labels, conditions) in &columns {
            let mut list = Vec::new();
            for (label, ex) in labels.iter().zip(conditions.iter()) {
                let Some(column) = self.column(label, ex.as_ref(), false) else { continue };
                match &column {
                    Column::Range(var, from, to) => {
                        cuts[*var].extend([*from, to.saturating_add(1)]);
                    }
                    Column::Not(var, n) => cuts[*var].extend([*n, n.saturating_add(1)]),
                    Column::Ex(ex) => {
                        if let Err(span) = self.cuts_of(main, None, ex, 0, &mut compared) {
                            self.computed_epoch(span);
                        }
                    }
                    Column::Else => {}
                }
                list.push(column);
            }
            selected.push(list);
        }
        for (var, at) in compared {
            cuts[var].insert(at);
        }
        // Pieces of each variable.
        let mut pieces: Vec<Vec<(i128, i128)>> = Vec::new();
        for (var, cuts) in self.epochs.vars.iter().zip(&cuts) {
            let (low, high) = var.range;
            let starts: Vec<i128> = cuts.range(low..=high).copied().collect();
            let mut list = Vec::new();
            for (at, start) in starts.iter().enumerate() {
                let end = starts.get(at + 1).map_or(high, |next| next - 1);
                let named = !var.closed || var.members.iter().any(|m| m.1 == *start);
                if named {
                    list.push((*start, end));
                }
            }
            pieces.push(list);
        }
        let total = pieces.iter().fold(1usize, |n, list| n.saturating_mul(list.len().max(1)));
        if total > MAX_PIECES {
            let span = self.epochs.vars[0].decl.span;
            self.d.error("E0207", span, "the conditions over the epochs are too many");
            return;
        }
        // The columns of the root: where it has none, there is no layout.
        let root_name = tree.head.as_ref().and_then(|head| head.props.text("root"));
        let mut root: Vec<Column<'t>> = Vec::new();
        let mut root_span = None;
        for decl in tree.decls.iter().filter(|d| Some(d.name.value.as_str()) == root_name) {
            let DeclBody::Struct { items, .. } = &decl.body else { continue };
            for item in items {
                let Item::Columns(labels, conditions, span) = item else { continue };
                root_span = Some(*span);
                for (label, ex) in labels.iter().zip(conditions) {
                    root.extend(self.column(label, ex.as_ref(), false));
                }
            }
        }
        // Every combination, in order; equal answers are one epoch.
        let mut known: Vec<(Vec<Option<bool>>, usize)> = Vec::new();
        for number in 0..total {
            let mut rest = number;
            let mut chosen: Vec<(i128, i128)> = vec![(0, 0); pieces.len()];
            for (at, list) in pieces.iter().enumerate().rev() {
                let length = list.len().max(1);
                if let Some(piece) = list.get(rest % length) {
                    chosen[at] = *piece;
                }
                rest /= length;
            }
            let sample: Vec<i128> = chosen.iter().map(|piece| piece.0).collect();
            if !root.is_empty()
                && root.iter().all(|column| self.column_holds(main, column, &sample) == Some(false))
            {
                continue;
            }
            let mut answers: Vec<Option<bool>> = conditions
                .iter()
                .map(|ex| match self.eval(main, None, ex, &sample, 0) {
                    Some(Plain::Bool(b)) => Some(b),
                    _ => None,
                })
                .collect();
            for list in &selected {
                for column in list {
                    answers.push(self.column_holds(main, column, &sample));
                }
            }
            let known_cuts = self.epochs.known.iter();
            answers.extend(known_cuts.map(|(var, at)| Some(sample[*var] >= *at)));
            let several = pieces.len() > 1;
            match known.iter().find(|(a, _)| *a == answers && !several) {
                Some(&(_, epoch)) => {
                    for (ranges, piece) in self.epochs.list[epoch].ranges.iter_mut().zip(&chosen) {
                        match ranges.last_mut() {
                            Some(last) if last.1.checked_add(1) == Some(piece.0) => {
                                last.1 = piece.1;
                            }
                            _ => ranges.push(*piece),
                        }
                    }
                }
                None => {
                    known.push((answers, self.epochs.list.len()));
                    self.epochs.list.push(Epoch {
                        label: String::new(),
                        ranges: chosen.iter().map(|piece| vec![*piece]).collect(),
                    });
                    self.epochs.samples.push(sample);
                }
            }
        }
        if let (true, Some(span)) = (self.epochs.list.is_empty(), root_span) {
            self.d.error("E0215", span, "no epoch has any of these columns");
        }
        self.label_epochs();
    }

    fn label_epochs(&mut self) {
        let alone = self.epochs.list.len() == 1;
        let mut labels = Vec::new();
        for epoch in &self.epochs.list {
            if alone {
                labels.push("all".to_owned());
                continue;
            }
            let mut parts = Vec::new();
            for (var, ranges) in self.epochs.vars.iter().zip(&epoch.ranges) {
                let number = |n: i128| match var.members.iter().find(|m| m.1 == n) {
                    Some((name, _)) => name.clone(),
                    None if n.unsigned_abs() > 255 => format!("{n:#x}"),
                    None => n.to_string(),
                };
                let list: Vec<String> = ranges
                    .iter()
                    .map(|&(from, to)| {
                        if from == to {
                            number(from)
                        } else if from == var.range.0 && to == var.range.1 {
                            "any".to_owned()
                        } else if from == var.range.0 {
                            format!("..{}", number(to))
                        } else if to == var.range.1 {
                            format!("{}..", number(from))
                        } else {
                            format!("{}..{}", number(from), number(to))
                        }
                    })
                    .collect();
                parts.push(format!("{} {}", var.decl.name.value, list.join(", ")));
            }
            labels.push(parts.join("; "));
        }
        for (epoch, label) in self.epochs.list.iter_mut().zip(labels) {
            epoch.label = label;
        }
    }

    /// Where the answer of a condition changes: the numbers that it compares variables with.
    ///
    /// # Errors
    ///
    /// If a variable is computed with: the place.
    pub(super) fn cuts_of(
        &self,
        scope: ScopeId,
        record: Option<RecordId>,
        ex: &Ex,
        depth: u32,
        cuts: &mut Cuts,
    ) -> Result<(), Span> {
        if depth > 64 {
            return Err(ex.span);
        }
        let mut go = |ex: &Ex| self.cuts_of(scope, record, ex, depth + 1, cuts);
        let about = |ex: &Ex| self.is_about_epochs(scope, record, ex, depth);
        let constant = |ex: &Ex| match self.eval(scope, record, ex, &[], depth) {
            Some(Plain::Int(n)) => Some(n),
            _ => None,
        };
        match &ex.kind {
            ExKind::Binary(BinaryOp::BothTrue | BinaryOp::EitherTrue, a, b) => {
                go(a)?;
                go(b)
            }
            ExKind::Unary(UnaryOp::Not, a) => go(a),
            ExKind::If(c, a, b) => {
                go(c)?;
                go(a)?;
                go(b)
            }
            ExKind::Binary(op, a, b) if op.holds(Ordering::Equal).is_some() => {
                let named = |ex| self.epoch_named(scope, record, ex, depth);
                let (var, other, below) = match (named(a), named(b)) {
                    (Some(var), None) => (var, b, Ordering::Less),
                    (None, Some(var)) => (var, a, Ordering::Greater),
                    (Some(_), Some(_)) => return Err(ex.span),
                    // They are true or false themselves.
                    (None, None) => {
                        go(a)?;
                        return go(b);
                    }
                };
                if about(other) {
                    return Err(ex.span);
                }
                if let Some(n) = constant(other) {
                    // Below the number, at it and above it.
                    let [less, equal, more] =
                        [below, Ordering::Equal, below.reverse()].map(|order| op.holds(order));
                    cuts.extend((less != equal).then_some((var, n)));
                    cuts.extend((equal != more).then_some((var, n.saturating_add(1))));
                }
                Ok(())
            }
            ExKind::In(a, list) => {
                let Some(var) = self.epoch_named(scope, record, a, depth) else {
                    return if about(ex) { Err(ex.span) } else { Ok(()) };
                };
                for (from, to) in list {
                    let to = to.as_ref().unwrap_or(from);
                    if about(from) || about(to) {
                        return Err(ex.span);
                    }
                    if let (Some(from), Some(to)) = (constant(from), constant(to)) {
                        cuts.extend([(var, from), (var, to.saturating_add(1))]);
                    }
                }
                Ok(())
            }
            ExKind::Path(path) => match self.named_context(scope, record, path) {
                Some(Named::Let(inner)) => self.cuts_of(scope, None, inner, depth + 1, cuts),
                Some(Named::Epoch(var)) if !self.epochs.vars[var].is_truth() => Err(ex.span),
                _ => Ok(()),
            },
            _ if about(ex) => Err(ex.span),
            _ => Ok(()),
        }
    }

    /// The variable that an expression is, by its own name or that of a `let`.
    fn epoch_named(
        &self,
        scope: ScopeId,
        record: Option<RecordId>,
        ex: &Ex,
        depth: u32,
    ) -> Option<usize> {
        match self.named_context(scope, record, ex.path()?)? {
            Named::Epoch(var) => Some(var),
            Named::Let(inner) if depth < 64 => self.epoch_named(scope, None, inner, depth + 1),
            Named::Let(_) => None,
        }
    }

    /// Whether an expression asks for a variable.
    pub(super) fn is_about_epochs(
        &self,
        scope: ScopeId,
        record: Option<RecordId>,
        ex: &Ex,
        depth: u32,
    ) -> bool {
        let mut about = false;
        ex.walk(&mut |part| {
            let ExKind::Path(path) = &part.kind else { return };
            about |= match self.named_context(scope, record, path) {
                Some(Named::Epoch(_)) => true,
                Some(Named::Let(inner)) => {
                    depth < 64 && self.is_about_epochs(scope, None, inner, depth + 1)
                }
                None => false,
            };
        });
        about
    }

    fn computed_epoch(&mut self, span: Span) {
        self.d.error("E0207", span, "an epoch can't be computed with in a condition").help(
            "compare it with constants: `version >= 0x404`; where single bits decide, declare \
                 the number with `bits` and name a field: `epoch long from=File.flags.long`",
        );
    }

    /// That a condition has one answer in each epoch. Arguments are known late: where one splits an
    /// epoch, everything is resolved again with that cut.
    pub(super) fn check_cuts(&mut self, scope: ScopeId, record: Option<RecordId>, ex: &Ex) {
        let mut cuts = Cuts::new();
        if let Err(span) = self.cuts_of(scope, record, ex, 0, &mut cuts) {
            self.computed_epoch(span);
        }
        let splits = |(var, at): &(usize, i128)| {
            let mut ranges = self.epochs.list.iter().flat_map(|epoch| &epoch.ranges[*var]);
            // Epochs of one variable are joined where all answers are the same.
            let answer = |n: i128| self.eval(scope, record, ex, &[n], 0);
            ranges.any(|(low, high)| low < at && at <= high)
                && (self.epochs.vars.len() > 1 || answer(at - 1) != answer(*at))
        };
        cuts.retain(splits);
        self.epochs.missing.append(&mut cuts);
    }
}

/// The rows of a struct that have a type, those under conditions too.
fn typed_rows<'t>(items: &'t [Item], rows: &mut Vec<(Option<&'t str>, &'t TypeEx)>) {
    for item in items {
        match item {
            Item::Row(row) => {
                if let RowWord::Typed(ty) = &row.word {
                    rows.push((row.name.as_ref().map(|name| name.value.as_str()), ty));
                }
            }
            Item::When { then, otherwise, .. } => {
                typed_rows(then, rows);
                typed_rows(otherwise, rows);
            }
            _ => {}
        }
    }
}

type Columns<'t> = Vec<(&'t [Spanned<String>], &'t [Option<Ex>])>;

fn gather<'t>(items: &'t [Item], conditions: &mut Vec<&'t Ex>, columns: &mut Columns<'t>) {
    for item in items {
        match item {
            Item::When { condition, then, otherwise, .. } => {
                conditions.push(condition);
                gather(then, conditions, columns);
                gather(otherwise, conditions, columns);
            }
            Item::Columns(labels, exs, _) => columns.push((labels, exs)),
            Item::Row(row) => {
                if let RowWord::Union(items, cases) = &row.word {
                    gather(items, conditions, columns);
                    gather_cases(cases, conditions, columns);
                }
            }
            _ => {}
        }
    }
}

fn gather_cases<'t>(
    cases: &'t [CaseDecl],
    conditions: &mut Vec<&'t Ex>,
    columns: &mut Columns<'t>,
) {
    let when = |props: &'t Props| props.ex("when");
    for case in cases {
        conditions.extend(when(&case.props));
        gather(&case.items, conditions, columns);
        for form in &case.forms {
            conditions.extend(when(&form.props));
            gather(&form.items, conditions, columns);
        }
    }
}
