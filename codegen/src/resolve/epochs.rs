//! Epochs: the ranges of the context in which every condition over it has one answer.

use std::collections::BTreeSet;

use super::columns::Column;
use super::consts::Plain;
use super::{Cx, ScopeId};
use crate::model::{BinaryOp, Cell, Epoch, Storage};
use crate::span::{Span, Spanned};
use crate::syntax::ast::{CaseDecl, DeclBody, EpochDecl, Item, Props, RowWord, TypeEx};
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
}

/// An epoch variable.
#[derive(Debug)]
pub(super) struct Var<'t> {
    pub decl: &'t EpochDecl,
    pub cell: Cell,
    /// Members of its enumeration.
    pub members: Vec<(String, i128)>,
    pub closed: bool,
    /// Struct and row that hold it.
    pub holder: (ScopeId, usize, &'t str),
    pub range: (i128, i128),
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
            let DeclBody::Struct { items, .. } = &inner.body else {
                self.d.error("E0207", name.span, format!("`{struct_name}` is not a struct"));
                return None;
            };
            let Some(ty) = find_row(items, &name.value) else {
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
        let crate::model::Type::Cell(cell) = base.element else {
            self.d.error(
                "E0207",
                decl.span,
                "an epoch is an integer or a member of an enumeration",
            );
            return None;
        };
        let Storage::Fixed(int) = cell.storage else {
            self.d.error("E0207", decl.span, "an epoch is an integer of whole bytes");
            return None;
        };
        let (mut members, mut closed) = (Vec::new(), false);
        if let crate::model::Meaning::Enum(id) = cell.meaning {
            let found = &self.enums[id.index()];
            members = found.members.iter().map(|m| (m.name.clone(), m.number)).collect();
            closed = found.closed;
        }
        let bits = u32::from(int.bytes) * 8;
        let range = crate::model::limits(bits, int.signed);
        Some(Var { decl, cell, members, closed, holder: (scope, index, row), range })
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
        }
        for condition in &conditions {
            self.cuts_of(main, condition, &mut cuts, 0);
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
                    Column::Ex(ex) => self.cuts_of(main, ex, &mut cuts, 0),
                    Column::Else => {}
                }
                list.push(column);
            }
            selected.push(list);
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

    /// Constants that a condition compares variables with.
    fn cuts_of(&mut self, scope: ScopeId, ex: &'t Ex, cuts: &mut [BTreeSet<i128>], depth: u32) {
        if depth > 16 {
            return;
        }
        let mut mentioned: Vec<usize> = Vec::new();
        let mut constants: Vec<i128> = Vec::new();
        let mut lets: Vec<&'t Ex> = Vec::new();
        let mut computed: Option<Span> = None;
        let tree = self.scope(scope).tree;
        ex.walk(&mut |part: &'t Ex| {
            if let ExKind::Int(n) = part.kind {
                constants.push(n);
            }
            let arithmetic = match &part.kind {
                ExKind::Binary(op, a, b) => (!matches!(
                    op,
                    BinaryOp::Equal
                        | BinaryOp::NotEqual
                        | BinaryOp::Less
                        | BinaryOp::LessOrEqual
                        | BinaryOp::Greater
                        | BinaryOp::GreaterOrEqual
                        | BinaryOp::BothTrue
                        | BinaryOp::EitherTrue
                ))
                .then_some([a, b]),
                _ => None,
            };
            for side in arithmetic.into_iter().flatten() {
                if side.word().is_some_and(|word| self.var(word).is_some()) {
                    computed = Some(part.span);
                }
            }
            let Some(word) = part.word() else { return };
            if let Some(var) = self.var(word) {
                mentioned.push(var);
            } else if let Some(decl) = tree.lets.iter().find(|l| l.name.value == word) {
                lets.push(&decl.ex);
            } else {
                for var in &self.epochs.vars {
                    constants.extend(var.members.iter().filter(|m| m.0 == word).map(|m| m.1));
                }
            }
        });
        if let (Some(span), false) = (computed, mentioned.is_empty()) {
            let zeros = vec![0; self.epochs.vars.len()];
            let plain = matches!(self.eval(scope, None, ex, &zeros, 0), Some(Plain::Bool(_)));
            if plain {
                self.d
                    .error("E0207", span, "an epoch can't be computed with in a condition")
                    .help("compare it with constants: `version >= 0x404`");
            }
        }
        for var in mentioned {
            for n in &constants {
                cuts[var].extend([*n, n.saturating_add(1)]);
            }
        }
        for ex in lets {
            self.cuts_of(scope, ex, cuts, depth + 1);
        }
    }
}

fn find_row<'t>(items: &'t [Item], name: &str) -> Option<&'t TypeEx> {
    for item in items {
        match item {
            Item::Row(row) if row.name.as_ref().is_some_and(|n| n.value == name) => {
                return match &row.word {
                    RowWord::Typed(ty) => Some(ty),
                    _ => None,
                };
            }
            Item::When { then, otherwise, .. } => {
                let found = find_row(then, name).or_else(|| find_row(otherwise, name));
                if found.is_some() {
                    return found;
                }
            }
            _ => {}
        }
    }
    None
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
