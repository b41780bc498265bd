//! Layouts: statements resolved, and the default written out.

use std::collections::HashMap;

use super::{Cx, RecordId, Shape, Source, id32};
use crate::model::{Home, LayoutPath, PathStep, RowId, Statement, Type, Union, UnionId};
use crate::span::Span;
use crate::syntax::ast::Place;
use crate::syntax::expr::{PathEx, StepEx};
use crate::syntax::near::nearest;

/// Layout and passes of a record.
pub(super) type Layout = (Vec<Statement>, Vec<(String, Vec<Statement>)>);

impl<'t> Cx<'t> {
    /// Records whose nodes own objects, by themselves or through what is inline in them.
    pub(super) fn owning(&mut self) -> Vec<bool> {
        let mut owns: Vec<bool> = Vec::new();
        let mut inline: Vec<Vec<RecordId>> = Vec::new();
        for at in 0..self.records.len() {
            let rec = &self.records[at];
            let mut direct = false;
            let mut parts = Vec::new();
            for row in &rec.rows {
                direct |= row.ty.owns() || Self::is_object(&row.kind);
                self.inline_records(&row.ty, &mut parts);
            }
            owns.push(direct);
            inline.push(parts);
        }
        loop {
            let mut changed = false;
            for at in 0..owns.len() {
                if !owns[at] && inline[at].iter().any(|id| owns[id.index()]) {
                    owns[at] = true;
                    changed = true;
                }
            }
            if !changed {
                return owns;
            }
        }
    }

    /// Records whose nodes lie inside a value of this type.
    fn inline_records(&self, ty: &Type, list: &mut Vec<RecordId>) {
        for part in ty.inline_parts() {
            match part {
                Type::Record(id) => list.push(*id),
                Type::Union(id) => self.union_records(*id, list),
                _ => {}
            }
        }
    }

    pub(super) fn union_records(&self, id: UnionId, list: &mut Vec<RecordId>) {
        list.extend(self.uni(id).model.iter().flat_map(Union::records));
    }

    /// The layout of a record.
    pub(super) fn layout(&mut self, id: RecordId, owns: &[bool]) -> Layout {
        let Some((places, _)) = self.rec(id).layout else {
            return (self.default_layout(id, owns), Vec::new());
        };
        let mut passes = Vec::new();
        let statements = self.places(id, places, &mut passes);
        (statements, passes)
    }

    fn default_layout(&mut self, id: RecordId, owns: &[bool]) -> Vec<Statement> {
        let rec = self.rec(id);
        let mut order: Vec<(u64, usize)> = Vec::new();
        for (at, row) in rec.rows.iter().enumerate() {
            let home = row.homes.iter().find_map(|home| match home {
                Home::At(at) => Some(*at),
                _ => None,
            });
            let nowhere = row.homes.iter().all(|h| matches!(h, Home::Nowhere | Home::Absent));
            // Objects without bytes here come last; rows without offsets stay in their order.
            order.push((if nowhere { u64::MAX } else { home.unwrap_or(u64::MAX - 1) }, at));
        }
        let sorted = rec.homed;
        if sorted {
            order.sort_by_key(|&(home, _)| home);
        }
        let mut list = vec![Statement::This];
        for (_, at) in order {
            let row = &self.rec(id).rows[at];
            let (text, span) = (row.name.clone().unwrap_or_default(), row.span);
            let path = || LayoutPath {
                steps: vec![PathStep { rows: vec![(id, RowId(id32(at)))] }],
                text: text.clone(),
                span,
            };
            if row.ty.owns() || Self::is_object(&row.kind) {
                list.push(Statement::Put(path()));
            } else if matches!(row.kind, crate::model::RowKind::Plain) {
                let mut inner = Vec::new();
                self.inline_records(&row.ty, &mut inner);
                if inner.iter().any(|id| owns[id.index()]) {
                    list.push(Statement::Tail(path()));
                }
            }
        }
        list
    }

    fn places(
        &mut self,
        id: RecordId,
        places: &'t [Place],
        passes: &mut Vec<(String, Vec<Statement>)>,
    ) -> Vec<Statement> {
        let env = self.env(self.rec(id).scope, Some(id));
        let mut list = Vec::new();
        for place in places {
            match place {
                Place::This => list.push(Statement::This),
                Place::Record(path) | Place::Tail(path) | Place::Put(path) => {
                    let Some(found) = self.layout_path(id, path) else { continue };
                    list.push(match place {
                        Place::Record(_) => Statement::Record(found),
                        Place::Tail(_) => Statement::Tail(found),
                        _ => Statement::Put(found),
                    });
                }
                Place::Run(name, path) => {
                    if let Some(found) = self.layout_path(id, path) {
                        list.push(Statement::Run(name.value.clone(), found));
                    }
                }
                Place::Align(ex) => list.extend(self.int(&env, ex).map(Statement::Align)),
                Place::Zero(ex) => list.extend(self.int(&env, ex).map(Statement::Zero)),
                Place::Mark(name, align) => {
                    let align = align.as_ref().and_then(|ex| self.int(&env, ex));
                    match self.row_named(id, &name.value) {
                        Some(row) if self.is_mark(id, row) => {
                            list.push(Statement::Mark(row, align));
                        }
                        _ => {
                            self.d
                                .error("E0230", name.span, format!("no mark `{}` here", name.value))
                                .help(format!("declare it: `mark {} at=ROW`", name.value));
                        }
                    }
                }
                Place::When(ex, then, otherwise) => {
                    let condition = self.truth(&env, ex);
                    let then = self.places(id, then, passes);
                    let otherwise = self.places(id, otherwise, passes);
                    if let Some(condition) = condition {
                        list.push(Statement::When(condition, then, otherwise));
                    }
                }
                Place::Pass(name, inner) => {
                    if passes.iter().any(|p| p.0 == name.value) {
                        self.d.error(
                            "E0203",
                            name.span,
                            format!("pass `{}` is declared twice", name.value),
                        );
                    }
                    let inner = self.places(id, inner, passes);
                    passes.push((name.value.clone(), inner));
                }
            }
        }
        list
    }

    fn is_mark(&self, id: RecordId, row: RowId) -> bool {
        matches!(self.rec(id).rows[row.index()].kind, crate::model::RowKind::Mark { .. })
    }

    /// A path of rows in a layout: through unions to the cases that have the row.
    fn layout_path(&mut self, id: RecordId, path: &PathEx) -> Option<LayoutPath> {
        let mut names = vec![(path.head.value.as_str(), path.head.span)];
        for step in &path.steps {
            match step {
                StepEx::Field(name) => names.push((name.value.as_str(), name.span)),
                _ => {
                    self.d
                        .error("E0230", path.span(), "a layout places all elements of an array")
                        .help("leave the index out");
                    return None;
                }
            }
        }
        let mut records = vec![id];
        let mut steps = Vec::new();
        for (at, (name, span)) in names.iter().enumerate() {
            let (more, shape) = self.layout_step(&records, name, *span, 0)?;
            steps.extend(more);
            if at + 1 < names.len() {
                records = self.nodes_of(&shape);
                if records.is_empty() {
                    let next = names[at + 1];
                    self.d.error("E0230", next.1, format!("`{name}` has no rows"));
                    return None;
                }
            }
        }
        Some(LayoutPath { steps, text: path.text(), span: path.span() })
    }

    fn nodes_of(&mut self, shape: &Shape) -> Vec<RecordId> {
        match shape {
            Shape::Array(inner) => self.nodes_of(inner),
            Shape::Nodes(list) => list.clone(),
            Shape::Union(id) => {
                let mut list = Vec::new();
                self.union_records(*id, &mut list);
                list
            }
            _ => Vec::new(),
        }
    }

    /// One name of a path, with the steps through unnamed structs and choices that lead to it.
    fn layout_step(
        &mut self,
        records: &[RecordId],
        name: &str,
        span: Span,
        depth: u32,
    ) -> Option<(Vec<PathStep>, Shape)> {
        let mut rows = Vec::new();
        let mut shape: Option<Shape> = None;
        for &id in records {
            let Some(row) = self.row_named(id, name) else { continue };
            rows.push((id, row));
            let found = self.slot_shape(id, row.index()).unwrap_or(Shape::ANY);
            shape = Some(match shape {
                None => found,
                Some(known) => self.merge(known, found),
            });
        }
        if let Some(shape) = shape {
            return Some((vec![PathStep { rows }], shape));
        }
        // Through an unnamed struct, or the choice in a declared union.
        if depth < 8 {
            let mut by_row: HashMap<usize, (PathStep, Vec<RecordId>)> = HashMap::new();
            for &id in records {
                for slot in 0..self.rec(id).slots.len() {
                    let part = &self.rec(id).slots[slot];
                    let inner =
                        part.name.is_none() || matches!(part.variants[0].source, Source::Case(_));
                    if !inner {
                        continue;
                    }
                    let Some(shape) = self.slot_shape(id, slot) else { continue };
                    let entry = by_row
                        .entry(slot)
                        .or_insert_with(|| (PathStep { rows: Vec::new() }, Vec::new()));
                    entry.0.rows.push((id, RowId(id32(slot))));
                    let nodes = self.nodes_of(&shape);
                    entry.1.extend(nodes);
                }
            }
            let mut ways: Vec<_> = by_row.into_iter().collect();
            ways.sort_by_key(|way| way.0);
            for (_, (step, inner)) in ways {
                let found = self.attempt(|cx| cx.layout_step(&inner, name, span, depth + 1));
                if let Some((mut steps, shape)) = found {
                    steps.insert(0, step);
                    return Some((steps, shape));
                }
            }
        }
        let names: Vec<&str> = records
            .iter()
            .flat_map(|&id| self.rec(id).slots.iter().filter_map(|slot| slot.name))
            .collect();
        let near = nearest(name, names).map(str::to_owned);
        let d = self.d.error("E0230", span, format!("no row `{name}` to place"));
        if let Some(near) = near {
            d.label(format!("did you mean `{near}`?"));
        }
        None
    }
}
