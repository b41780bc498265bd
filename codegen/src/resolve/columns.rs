//! Columns of structs: which epoch has which.

use super::consts::Plain;
use super::{Cx, ScopeId};
use crate::span::{Span, Spanned};
use crate::syntax::expr::Ex;
use crate::syntax::labels;

/// What selects a column.
#[derive(Debug)]
pub(super) enum Column<'t> {
    Else,
    Range(usize, i128, i128),
    Not(usize, i128),
    Ex(&'t Ex),
}

impl<'t> Cx<'t> {
    /// What a column's label says. Problems are reported if `report` is set.
    pub(super) fn column(
        &mut self,
        label: &Spanned<String>,
        ex: Option<&'t Ex>,
        report: bool,
    ) -> Option<Column<'t>> {
        // A word may be a member of the epoch's enumeration.
        let is_context = |path| self.named_context(self.main, None, path).is_some();
        if let Some(ex) = ex.filter(|ex| ex.word().is_none() || ex.path().is_some_and(is_context)) {
            return Some(Column::Ex(ex));
        }
        let text = label.value.trim();
        if text == "else" {
            return Some(Column::Else);
        }
        let var = match self.epochs.vars.len() {
            1 => 0,
            0 => {
                if report {
                    self.d
                        .error("E0215", label.span, "columns need an `epoch`")
                        .help("declare it: `epoch version from=File.version`");
                }
                return None;
            }
            _ => {
                if report {
                    let first = self.epochs.vars[0].decl.name.value.clone();
                    let op = match text.starts_with(['<', '>', '=', '!']) {
                        true => "",
                        false if text.contains("..") => "in ",
                        false => "== ",
                    };
                    self.d
                        .error("E0215", label.span, "which epoch? the module has several")
                        .help(format!("write the whole condition: `\"{first} {op}{text}\"`"));
                }
                return None;
            }
        };
        let v = &self.epochs.vars[var];
        let (low, high) = v.range;
        let number = |text: &str| {
            let text = text.trim();
            labels::integer(text).or_else(|| v.members.iter().find(|m| m.0 == text).map(|m| m.1))
        };
        let found = if let Some(rest) = text.strip_prefix("<=") {
            number(rest).map(|n| Column::Range(var, low, n))
        } else if let Some(rest) = text.strip_prefix(">=") {
            number(rest).map(|n| Column::Range(var, n, high))
        } else if let Some(rest) = text.strip_prefix("==") {
            number(rest).map(|n| Column::Range(var, n, n))
        } else if let Some(rest) = text.strip_prefix("!=") {
            number(rest).map(|n| Column::Not(var, n))
        } else if let Some(rest) = text.strip_prefix('<') {
            number(rest).map(|n| Column::Range(var, low, n.saturating_sub(1)))
        } else if let Some(rest) = text.strip_prefix('>') {
            number(rest).map(|n| Column::Range(var, n.saturating_add(1), high))
        } else if let Some((from, to)) = labels::range(text) {
            Some(Column::Range(var, from.max(low), to.min(high)))
        } else {
            number(text).map(|n| Column::Range(var, n, n))
        };
        if found.is_none() && report {
            let name = v.decl.name.value.clone();
            self.d
                .error("E0215", label.span, format!("`{text}` is not a range of `{name}`"))
                .help("write `9`, `<9`, `>=9`, `5..8`, a member of the enumeration, or `else`");
        }
        found
    }

    pub(super) fn column_holds(
        &self,
        scope: ScopeId,
        column: &Column<'t>,
        sample: &[i128],
    ) -> Option<bool> {
        match column {
            Column::Else => None,
            Column::Range(var, from, to) => Some((*from..=*to).contains(&sample[*var])),
            Column::Not(var, n) => Some(sample[*var] != *n),
            Column::Ex(ex) => match self.eval(scope, None, ex, sample, 0) {
                Some(Plain::Bool(b)) => Some(b),
                _ => None,
            },
        }
    }

    /// For each epoch the column that it has.
    pub(super) fn columns(
        &mut self,
        scope: ScopeId,
        labels: &'t [Spanned<String>],
        conditions: &'t [Option<Ex>],
        span: Span,
    ) -> Vec<Option<usize>> {
        let mut columns = Vec::new();
        for (label, ex) in labels.iter().zip(conditions) {
            columns.push(self.column(label, ex.as_ref(), true));
        }
        // No epoch was found, which is reported already, and nothing can be in one.
        if self.epochs.samples.is_empty() && !self.epochs.vars.is_empty() {
            return vec![Some(0); self.epoch_count()];
        }
        let mut map = Vec::new();
        for epoch in 0..self.epoch_count() {
            let sample = self.epochs.samples.get(epoch).cloned().unwrap_or_default();
            let mut found = None;
            for (at, column) in columns.iter().enumerate() {
                let Some(column) = column else { continue };
                let holds = match column {
                    Column::Else => continue,
                    column => self.column_holds(scope, column, &sample),
                };
                match holds {
                    None => {
                        self.d
                            .error("E0215", labels[at].span, "a column's label is about an epoch")
                            .help("where other data decides, use a `union` or `when`");
                        return vec![Some(0); self.epoch_count()];
                    }
                    Some(true) if found.is_some() => {
                        let label = self.epochs.list[epoch].label.clone();
                        let first = labels[found.unwrap_or(0)].span;
                        self.d
                            .error("E0215", labels[at].span, "two columns are about the same epoch")
                            .label(format!("both take {label}"))
                            .also(first, "this one takes it, too");
                    }
                    Some(true) => found = Some(at),
                    Some(false) => {}
                }
            }
            let other = columns.iter().position(|c| matches!(c, Some(Column::Else)));
            map.push(found.or(other));
        }
        for at in 0..labels.len() {
            if columns[at].is_some() && !map.contains(&Some(at)) {
                self.d
                    .error("E0215", labels[at].span, "no epoch has this column")
                    .also(span, "in these columns");
            }
        }
        map
    }
}
