//! A shared table takes every slice of it: what a slice has that no path of `from=` leads to could be
//! read, but not be written.

use std::collections::BTreeSet;

use super::context::Context;
use crate::diagnostic::Diagnostics;
use crate::model::{
    BinaryOp, Expr, ExprId, Field, Member, Model, Path, Record, RecordId, Role, Row, RowId,
    RowKind, Start, Step, Type,
};

/// Most places that are looked at for a table.
const MOST: usize = 10_000;

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    let model = context.model;
    for slice in model.records.iter().flat_map(|record| &record.rows) {
        let RowKind::Slice { table, .. } = &slice.kind else { continue };
        let Some(Step::Field(field)) = table.steps.last() else { continue };
        let mut tables = model.ends(field).filter_map(|(record, member)| match member {
            Member::Row(row) => model.records[record.index()].rows.get(row.index()),
            _ => None,
        });
        let takes_none = |row: &&Row| matches!(row.role, Role::Data | Role::Default(_));
        if let Some(array) = tables.find(takes_none) {
            let table = array.name.as_deref().unwrap_or_default();
            found
                .error("E0724", slice.span, format!("`{table}` does not take this slice"))
                .also(array.span, "it has elements of its own")
                .help("a shared table says `from=` and the paths of all its slices");
        }
    }
    for (holder, record) in model.records() {
        for (id, row) in record.numbered_rows() {
            let Role::View { slices, .. } = &row.role else { continue };
            let Some((start, states)) = begin(model, holder, slices) else { continue };
            let targets = slices_of(model, (holder, id));
            let around = holders_of(model, &targets);
            let seen = BTreeSet::new();
            let mut search =
                Search { model, targets, around, seen, missing: None, way: Vec::new() };
            if search.look(start, states).is_none() {
                continue;
            }
            let Some((slice, way)) = search.missing else { continue };
            let table = row.name.as_deref().unwrap_or_default();
            found
                .error("E0724", slice.span, format!("`{table}` does not take this slice"))
                .label(format!("it is a part of `{table}`, and in `{way}`"))
                .also(row.span, format!("`from=` does not say `{way}`"))
                .help("what such a slice has could be read, but not be written");
        }
    }
}

/// Whether a row is the choice of a union that is declared as a type, which no path names.
fn is_body(model: &Model, row: &Row) -> bool {
    matches!(row.ty, Type::Union(union) if model.unions[union.index()].body)
}

/// What of a path is still to come, the next of it last.
type State<'m> = Vec<Todo<'m>>;

/// What tells paths from others, each in what is still to come of it.
type Keys = Vec<Vec<(u8, usize)>>;

#[derive(Debug, Clone, Copy)]
enum Todo<'m> {
    Field(&'m Field),
    Member(Member),
}

impl Todo<'_> {
    /// What tells it from others.
    fn key(&self) -> (u8, usize) {
        match self {
            Todo::Field(field) => (0, std::ptr::from_ref::<Field>(field) as usize),
            Todo::Member(Member::Row(row)) => (1, row.index()),
            Todo::Member(Member::Into(row)) => (2, row.index()),
            Todo::Member(Member::Let(index)) => (3, *index as usize),
        }
    }
}

/// Where all these paths begin, and their steps; nothing if that is not one place, or steps choose an
/// element.
fn begin<'m>(
    model: &Model,
    holder: RecordId,
    paths: &'m [Path],
) -> Option<(RecordId, Vec<State<'m>>)> {
    let mut starts = BTreeSet::new();
    let mut states = Vec::new();
    for path in paths {
        starts.insert(match &path.start {
            Start::This => holder,
            Start::Root => model.root,
            Start::Enclosing(records) => match records.as_slice() {
                [only] => *only,
                _ => return None,
            },
            _ => return None,
        });
        states.push(todo(path)?);
    }
    let start = starts.pop_first().filter(|_| starts.is_empty())?;
    Some((start, states))
}

/// The steps of a path, the first last.
fn todo(path: &Path) -> Option<State<'_>> {
    let steps = path.steps.iter().rev();
    steps
        .map(|step| match step {
            Step::Field(field) => Some(Todo::Field(field)),
            Step::Index(_) | Step::Last => None,
        })
        .collect()
}

/// The slices of a table.
fn slices_of(model: &Model, (holder, row): (RecordId, RowId)) -> Vec<(RecordId, RowId)> {
    let leads_there = |table: &Path| match table.steps.last() {
        Some(Step::Field(field)) => {
            model.ends(field).any(|(record, member)| (record, member) == (holder, Member::Row(row)))
        }
        _ => false,
    };
    let slices = |(id, record): (RecordId, &Record)| {
        let of_table = |(_, row): &(RowId, &Row)| matches!(&row.kind, RowKind::Slice { table, .. } if leads_there(table));
        let rows: Vec<_> = record.numbered_rows().filter(of_table).collect();
        rows.into_iter().map(move |(row, _)| (id, row)).collect::<Vec<_>>()
    };
    model.records().flat_map(slices).collect()
}

/// Records that have one of these rows, or hold one that does.
fn holders_of(model: &Model, targets: &[(RecordId, RowId)]) -> BTreeSet<RecordId> {
    let mut around: BTreeSet<RecordId> = targets.iter().map(|(record, _)| *record).collect();
    loop {
        let holds = |record: &Record| {
            let held = |row: &Row| model.held(&row.ty).any(|inner| around.contains(&inner));
            record.rows.iter().any(held)
        };
        let more = model.records().filter(|(id, record)| !around.contains(id) && holds(record));
        let more: Vec<RecordId> = more.map(|(id, _)| id).collect();
        if more.is_empty() {
            return around;
        }
        around.extend(more);
    }
}

struct Search<'m> {
    model: &'m Model,
    targets: Vec<(RecordId, RowId)>,
    /// Records that have a slice, or hold one that does.
    around: BTreeSet<RecordId>,
    /// What was looked at: a record, and the rest of each path that leads on from it.
    seen: BTreeSet<(RecordId, Keys)>,
    /// A slice that is not taken, and its path.
    missing: Option<(&'m Row, String)>,
    /// The names of the rows that led to where the search is.
    way: Vec<&'m str>,
}

impl<'m> Search<'m> {
    /// Looks for a slice that is not taken in nodes of a record; nothing if that cannot be said.
    fn look(&mut self, record: RecordId, states: Vec<State<'m>>) -> Option<()> {
        let mut here = Vec::new();
        for state in states {
            self.through_lets(record, state, &mut here)?;
        }
        let keys: Keys = here.iter().map(|state| state.iter().map(Todo::key).collect()).collect();
        if self.seen.len() > MOST {
            return None;
        }
        if !self.seen.insert((record, keys)) {
            return Some(());
        }
        let model = self.model;
        for (id, row) in model.records[record.index()].numbered_rows() {
            let next: Vec<State<'m>> = here
                .iter()
                .filter(|state| {
                    matches!(state.last(), Some(Todo::Member(Member::Row(row) | Member::Into(row))) if *row == id)
                })
                .map(|state| state[..state.len() - 1].to_vec())
                .collect();
            let name = row.name.as_deref().filter(|_| !is_body(model, row));
            self.way.extend(name);
            if let RowKind::Slice { .. } = row.kind {
                // What is in it stands in the table.
                let taken = next.iter().any(Vec::is_empty);
                if self.targets.contains(&(record, id)) && !taken && self.missing.is_none() {
                    self.missing = Some((row, self.way.join(".")));
                }
            } else {
                for inner in model
                    .held(&row.ty)
                    .filter(|inner| self.around.contains(inner))
                    .collect::<Vec<_>>()
                {
                    self.look(inner, next.clone())?;
                }
            }
            if name.is_some() {
                self.way.pop();
            }
        }
        Some(())
    }

    /// Adds what a path comes to where definitions of a record are what they stand for.
    fn through_lets(
        &self,
        record: RecordId,
        mut state: State<'m>,
        found: &mut Vec<State<'m>>,
    ) -> Option<()> {
        match state.last().copied() {
            Some(Todo::Field(field)) => {
                state.pop();
                let Some((_, members)) = field.members.iter().find(|(of, _)| *of == record) else {
                    return Some(());
                };
                state.extend(members.iter().rev().map(|member| Todo::Member(*member)));
                self.through_lets(record, state, found)
            }
            Some(Todo::Member(Member::Let(index))) => {
                state.pop();
                let definition = self.model.records[record.index()].lets.get(index as usize)?;
                self.defined(record, definition.expr, &state, found)
            }
            _ => {
                found.push(state);
                Some(())
            }
        }
    }

    fn defined(
        &self,
        record: RecordId,
        expr: ExprId,
        rest: &State<'m>,
        found: &mut Vec<State<'m>>,
    ) -> Option<()> {
        match &self.model[expr] {
            Expr::Path(path) if matches!(path.start, Start::This) => {
                let mut state = rest.clone();
                state.extend(todo(path)?);
                self.through_lets(record, state, found)
            }
            Expr::Binary(BinaryOp::Concatenate, a, b) => {
                self.defined(record, *a, rest, found)?;
                self.defined(record, *b, rest, found)
            }
            _ => None,
        }
    }
}
