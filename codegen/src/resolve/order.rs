//! The order in which rows are read, and which types contain themselves.

use std::collections::VecDeque;

use super::{Cx, ExprId, RecordId, id32};
use crate::model::{Home, Member, Path, RowId, RowKind, Start, Step, Tag, Type};

impl<'t> Cx<'t> {
    /// Rows in an order in which each comes after those that its place and length need.
    pub(super) fn read_order(&self, id: RecordId) -> Vec<RowId> {
        let rec = self.rec(id);
        let mut classes: Vec<(u8, u64)> = Vec::new();
        for row in &rec.rows {
            let home = row.homes.iter().find_map(|home| match home {
                Home::At(at) => Some(*at),
                _ => None,
            });
            let next = row.homes.iter().any(|home| matches!(home, Home::Next));
            let object = matches!(
                row.kind,
                RowKind::Object { .. }
                    | RowKind::Mark { .. }
                    | RowKind::Value { .. }
                    | RowKind::Slice { .. }
            );
            let class = if object {
                4
            } else if row.ty.owns() && home.is_some() {
                3
            } else if next {
                2
            } else {
                match &row.ty {
                    Type::Record(_) | Type::Union(_) | Type::Array(_) | Type::Region(_) => 1,
                    _ => 0,
                }
            };
            // Rows that follow one another are read in their order.
            classes.push((class, if class == 2 { 0 } else { home.unwrap_or(0) }));
        }
        let mut pending: Vec<usize> = (0..rec.rows.len()).collect();
        pending.sort_by_key(|&at| (classes[at].0, classes[at].1));
        let mut pending = VecDeque::from(pending);
        let mut following = (0..rec.rows.len()).filter(|&at| classes[at].0 == 2).peekable();
        let needs: Vec<Vec<usize>> = (0..rec.rows.len()).map(|at| self.needs(id, at)).collect();
        let mut order = Vec::new();
        let mut done = vec![false; rec.rows.len()];
        // Each round takes the first row that is ready; a cycle is the checker's business.
        while !pending.is_empty() {
            let ready = pending.iter().position(|&at| {
                let before = classes[at].0 != 2 || following.peek() == Some(&at);
                before && needs[at].iter().all(|&n| done[n] || n == at)
            });
            let Some(at) = pending.remove(ready.unwrap_or(0)) else { break };
            done[at] = true;
            while following.next_if(|&at| done[at]).is_some() {}
            order.push(RowId(id32(at)));
        }
        order
    }

    /// Rows of the same record that the place, length or presence of a row depends on.
    fn needs(&self, id: RecordId, at: usize) -> Vec<usize> {
        let row = &self.rec(id).rows[at];
        let mut list = Vec::new();
        let exprs = &self.exprs;
        let mut visit = |expr: ExprId| exprs.paths(expr, &mut |path| own_row(path, id, &mut list));
        if let Some(when) = row.when {
            visit(when);
        }
        if let RowKind::Object { address, .. } | RowKind::Mark { address } = row.kind {
            visit(address);
        }
        row.ty.parts().flat_map(Type::lengths).for_each(visit);
        if let Some(union) = row.ty.union()
            && let Some(model) = &self.uni(union).model
        {
            match &model.tag {
                Tag::Row(row) => list.push(row.index()),
                Tag::Given(expr) => {
                    exprs.paths(*expr, &mut |path| own_row(path, id, &mut list));
                }
                Tag::Own(_) | Tag::Word(_) => {}
            }
            // What the cases name of this record.
            for case in &model.cases {
                if case.whole {
                    continue;
                }
                for row in &self.rec(case.record).rows {
                    let mut up = |expr: ExprId| {
                        exprs.paths(expr, &mut |path| {
                            if matches!(path.start, Start::Up(1)) {
                                own_row_from(path, id, &mut list);
                            }
                        });
                    };
                    if let Some(when) = row.when {
                        up(when);
                    }
                    row.ty.parts().flat_map(Type::lengths).for_each(up);
                }
            }
        }
        list.retain(|&n| n != at);
        list
    }

    /// For each record whether a way into itself closes there.
    pub(super) fn recursive(&self) -> Vec<bool> {
        let count = self.records.len();
        let edges: Vec<Vec<usize>> = (0..count)
            .map(|at| {
                let mut list = Vec::new();
                for row in &self.records[at].rows {
                    self.contained(&row.ty, &mut list);
                }
                list.into_iter().map(RecordId::index).collect()
            })
            .collect();
        closing(&edges)
    }

    fn contained(&self, ty: &Type, list: &mut Vec<RecordId>) {
        for part in ty.parts() {
            match part {
                Type::Record(id) => list.push(*id),
                Type::Union(id) => self.union_records(*id, list),
                _ => {}
            }
        }
    }
}

/// Nodes of a graph at which a cycle closes: walked from the first node on, those that are met again
/// while they are being walked. Every cycle has at least one.
fn closing(edges: &[Vec<usize>]) -> Vec<bool> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        Unseen,
        Open,
        Done,
    }
    let mut state = vec![State::Unseen; edges.len()];
    let mut closes = vec![false; edges.len()];
    for start in 0..edges.len() {
        if state[start] != State::Unseen {
            continue;
        }
        state[start] = State::Open;
        let mut calls = vec![(start, 0_usize)];
        while let Some((node, edge)) = calls.pop() {
            let Some(&to) = edges[node].get(edge) else {
                state[node] = State::Done;
                continue;
            };
            calls.push((node, edge + 1));
            match state[to] {
                State::Unseen => {
                    state[to] = State::Open;
                    calls.push((to, 0));
                }
                State::Open => closes[to] = true,
                State::Done => {}
            }
        }
    }
    closes
}
fn own_row(path: &Path, id: RecordId, list: &mut Vec<usize>) {
    if matches!(path.start, Start::This) {
        own_row_from(path, id, list);
    }
}

fn own_row_from(path: &Path, id: RecordId, list: &mut Vec<usize>) {
    let Some(Step::Field(field)) = path.steps.first() else { return };
    for (record, members) in &field.members {
        if let (true, Some(Member::Row(row) | Member::Into(row))) = (*record == id, members.first())
        {
            list.push(row.index());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles() {
        let edges = vec![vec![1], vec![2], vec![1], vec![3], vec![0]];
        assert_eq!(closing(&edges), [false, true, false, true, false]);
        let long: Vec<Vec<usize>> = (0..10_000).map(|n| vec![(n + 1) % 10_000]).collect();
        let closes = closing(&long);
        assert!(closes[0] && !closes[1..].contains(&true));
    }
}
