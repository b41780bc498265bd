//! What is found out of a model before code is made of it: above all, which values around a struct
//! have to be handed on to its functions.

use std::collections::BTreeSet;

use super::able::Sought;
use super::asked::Asked;
use super::context::{Flavour, Straight};
use super::kept::named;
use super::questions::children;
use super::rare::rare;
use super::standing::says_own_end;
use crate::model::visit::{Part, expressions};
use crate::model::{Expr, ExprId, Member, Path, RecordId, Role, Row, RowKind, Start, Step};
use crate::rust::layouts::Layouts;
use crate::rust::shape::Shapes;

impl<'p, 'm> Straight<'p, 'm> {
    pub(super) fn new(shapes: &'p Shapes<'m>, views: &'m Layouts<'m>, flavour: Flavour) -> Self {
        let model = shapes.model();
        let mut owners = vec![BTreeSet::new(); model.records.len()];
        for (id, record) in model.records() {
            for child in children(model, record) {
                owners[child.index()].insert(id);
            }
        }
        let mut straight = Straight {
            flavour,
            shapes,
            model,
            views,
            layouts: (0..model.epochs.len()).collect(),
            streaming: false.into(),
            epoch: None.into(),
            goals: Vec::new(),
            noting: true.into(),
            counting: false.into(),
            leaving: false.into(),
            asking: false.into(),
            at_hand: std::cell::RefCell::default(),
            placed: std::cell::RefCell::default(),
            sighted: false.into(),
            positioned: BTreeSet::new(),
            spelled: 0.into(),
            sought: Sought::default(),
            asked: Asked::default(),
            rare: rare(model),
            owners,
            needs: Vec::new(),
            named: named(model),
            followed: model.sizes_followed(),
            held_by: model.owners(),
            standing: std::cell::RefCell::default(),
            ends: model
                .mentioning(|expr| matches!(expr, Expr::RegionEnd) || says_own_end(model, expr)),
            addresses: model.mentioning(|expr| {
                matches!(expr, Expr::At(_) | Expr::End(_) | Expr::Size(_) | Expr::FileEnd)
            }),
            positions: model.mentioning(|expr| matches!(expr, Expr::Here | Expr::RegionEnd)),
            survey: None,
            epoch_paths: Vec::new(),
        };
        straight.epoch_paths = straight.find_epoch_paths();
        straight.needs = straight.find_needs();
        straight.goals = straight.find_goals();
        straight.positioned = straight.find_positioned();
        straight
    }

    /// Records whose position is asked for by what they hold.
    fn find_positioned(&self) -> BTreeSet<RecordId> {
        let mut found = BTreeSet::new();
        expressions(self.model, &mut |id, part| match part {
            Part::Expr(expr) => self.positions_in(expr, id, &mut found),
            Part::Reference(path) | Part::Table(path) => {
                self.model.exprs.with_subscripts(path, &mut |path| {
                    for step in &path.steps {
                        if let Step::Index(index) = step {
                            self.positions_in(*index, id, &mut found);
                        }
                    }
                });
            }
        });
        found
    }

    fn positions_in(&self, expr: ExprId, at: RecordId, found: &mut BTreeSet<RecordId>) {
        let expr = &self.model[expr];
        if let Expr::Index(path) = expr
            && path.steps.is_empty()
        {
            found.extend(self.start(path, at).filter(|record| *record != at));
        }
        for step in expr.path().map_or(&[][..], |path| path.steps.as_slice()) {
            if let Step::Index(index) = step {
                self.positions_in(*index, at, found);
            }
        }
        expr.operands(&mut |operand| self.positions_in(operand, at, found));
    }

    fn find_needs(&self) -> Vec<BTreeSet<RecordId>> {
        let mut needs = vec![BTreeSet::new(); self.model.records.len()];
        expressions(self.model, &mut |id, part| match part {
            Part::Expr(expr) => self.seeds(expr, id, &mut needs[id.index()]),
            Part::Reference(path) | Part::Table(path) => {
                let needs = &mut needs[id.index()];
                let seed = &mut |path: &Path| self.seed_all(path, id, needs);
                self.model.exprs.with_subscripts(path, seed);
            }
        });
        for (id, record) in self.model.records() {
            let tabled = |row: &Row| {
                let Role::Kept(expr) = row.role else { return false };
                matches!(self.model[expr], Expr::RelocationSections | Expr::RelocationEntries)
            };
            let kept = |row: &Row| matches!(row.kind, RowKind::Pool { kept: true, .. });
            // Where sections begin and end is said in the root, and how it is spelled.
            if (record.rows.iter().any(tabled) || record.rows.iter().any(kept))
                && id != self.model.root
            {
                needs[id.index()].insert(self.model.root);
            }
            let Some(owner) = self.owner(id).filter(|_| !record.arguments.is_empty()) else {
                continue;
            };
            needs[id.index()].insert(owner);
            self.seed_arguments(owner, &record.arguments, &mut needs[id.index()]);
            for argument in &record.arguments {
                self.seeds(*argument, owner, &mut needs[id.index()]);
            }
        }
        loop {
            let mut changed = false;
            for (id, record) in self.model.records() {
                let around = self.around(id);
                for child in children(self.model, record) {
                    // What is nowhere around cannot be handed on.
                    let of_child = needs[child.index()].iter().copied();
                    let of_child: Vec<_> =
                        of_child.filter(|need| *need != id && around.contains(need)).collect();
                    for need in of_child {
                        changed |= needs[id.index()].insert(need);
                    }
                }
            }
            if !changed {
                return needs;
            }
        }
    }

    fn seeds(&self, expr: ExprId, at: RecordId, needs: &mut BTreeSet<RecordId>) {
        self.paths(expr, &mut |path| self.seed_all(path, at, needs));
    }

    /// The structs that arguments in a record stand for, as far as they are arguments themselves.
    fn seed_arguments(
        &self,
        record: RecordId,
        arguments: &[ExprId],
        needs: &mut BTreeSet<RecordId>,
    ) {
        let (mut record, mut arguments) = (record, arguments.to_vec());
        for _ in 0..self.model.records.len() {
            let mut next = Vec::new();
            for argument in &arguments {
                self.paths(*argument, &mut |path| {
                    if let Start::Argument(number) = path.start {
                        next.extend(self.record(record).arguments.get(number as usize).copied());
                    }
                });
            }
            let Some(owner) = self.owner(record).filter(|_| !next.is_empty()) else { return };
            needs.insert(owner);
            for argument in &next {
                self.seeds(*argument, owner, needs);
            }
            (record, arguments) = (owner, next);
        }
    }

    /// The root, if `let`s of other records that a path names look at it, or at what there is once
    /// in a file: that is found from the root.
    fn seed_beyond(&self, path: &Path, at: RecordId, needs: &mut BTreeSet<RecordId>) {
        let root = self.model.root;
        let (mut open, mut seen) = (vec![path], BTreeSet::new());
        while let Some(path) = open.pop() {
            for step in &path.steps {
                let Step::Field(field) = step else { continue };
                for (record, members) in &field.members {
                    let expr = match members.as_slice() {
                        [Member::Let(number)] => {
                            self.record(*record).lets.get(*number as usize).map(|named| named.expr)
                        }
                        [Member::Row(row)] => match self.record(*record).rows[row.index()].role {
                            Role::Kept(expr) => Some(expr),
                            _ => None,
                        },
                        _ => None,
                    };
                    let Some(expr) = expr.filter(|_| *record != at) else { continue };
                    if !seen.insert((*record, expr.0)) {
                        continue;
                    }
                    self.paths(expr, &mut |path| {
                        let start = self.start(path, *record);
                        if start.is_some_and(|start| {
                            start == root || start != *record && self.way_to(start).is_some()
                        }) {
                            needs.insert(root);
                        }
                        open.push(path);
                    });
                }
            }
        }
    }

    /// The record in which a path begins, and those that the `let`s ask for which it names there.
    fn seed_all(&self, path: &Path, at: RecordId, needs: &mut BTreeSet<RecordId>) {
        self.seed_beyond(path, at, needs);
        let (mut open, mut seen) = (vec![path], BTreeSet::new());
        while let Some(path) = open.pop() {
            needs.extend(self.seed(path, at));
            let fields = path.steps.iter().filter_map(|step| match step {
                Step::Field(field) => field.members.iter().find(|(record, _)| *record == at),
                _ => None,
            });
            for (_, members) in fields {
                if let [Member::Let(number)] = members.as_slice()
                    && seen.insert(*number)
                    && let Some(named) = self.record(at).lets.get(*number as usize)
                {
                    self.paths(named.expr, &mut |path| open.push(path));
                }
            }
        }
    }

    /// The record in which a path begins, if that is another one.
    fn seed(&self, path: &Path, at: RecordId) -> Option<RecordId> {
        self.start(path, at).filter(|record| *record != at)
    }
}
