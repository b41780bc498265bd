//! Places in a file that expressions and equations ask for.

use std::collections::{BTreeMap, BTreeSet};

use super::context::Straight;
use super::equations::{Measured, equation};
use crate::model::visit::{Part, expressions};
use crate::model::{
    DefinerScope, DefinerSource, Expr, ExprId, Measure, Member, Model, Path, RecordId, RowId,
    RowKind, Start, Step, Type,
};

/// A place in the file that expressions ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Anchor {
    /// What is in a row, or behind its pointer.
    Whole(RecordId, RowId),
    /// What the pointers in a row's array lead to.
    Elements(RecordId, RowId),
}

/// What a number in a record measures, and the row that leads there.
pub(super) struct Way {
    pub first: RowId,
    pub anchor: usize,
}

/// All such places.
pub(super) struct Anchors {
    list: Vec<Anchor>,
    /// How many of them are there once in each file; the others are asked for in one record only.
    unique: usize,
    /// For each record the only row that holds it, if there is only one and that is no array.
    only: BTreeMap<RecordId, (RecordId, RowId)>,
    root: RecordId,
    /// The record in a row, or behind its pointer.
    inner: BTreeMap<(RecordId, RowId), RecordId>,
    /// Rows of which addresses are those of something else.
    away: BTreeSet<(RecordId, RowId)>,
}

impl Anchors {
    pub fn new(straight: &Straight<'_, '_>) -> Anchors {
        let model = straight.model;
        let mut anchors = Anchors {
            list: Vec::new(),
            unique: 0,
            only: BTreeMap::new(),
            root: model.root,
            inner: BTreeMap::new(),
            away: BTreeSet::new(),
        };
        let mut holders: BTreeMap<RecordId, Vec<(RecordId, RowId, bool)>> = BTreeMap::new();
        for (id, record) in model.records() {
            for (row_id, row) in record.numbered_rows() {
                let mut found = Vec::new();
                records_in(model, &row.ty, false, &mut found);
                if let [(record, false)] = found.as_slice() {
                    anchors.inner.insert((id, row_id), *record);
                }
                if leads_away(&row.ty) || matches!(row.kind, RowKind::Object { .. }) {
                    anchors.away.insert((id, row_id));
                }
                for (record, array) in found {
                    holders.entry(record).or_default().push((id, row_id, array));
                }
            }
        }
        for (record, holders) in holders {
            if let [(holder, row, false)] = holders.as_slice() {
                anchors.only.insert(record, (*holder, *row));
            }
        }
        let mut list = Vec::new();
        expressions(model, &mut |id, part| {
            if let Part::Expr(expr) = part {
                anchors.collect(model, expr, id, &mut list);
            }
        });
        for (id, record) in model.records() {
            for definer in record.rows.iter().flat_map(|row| &row.definers) {
                if let (DefinerScope::Own, DefinerSource::Measure { measure, row, .. }) =
                    (&definer.scope, &definer.source)
                    && matches!(measure, Measure::At(_) | Measure::End | Measure::Size)
                    && anchors.away.contains(&(id, *row))
                {
                    list.push(Anchor::Whole(id, *row));
                }
            }
        }
        let found = straight.found_objects().map(|(row, _)| Anchor::Whole(model.root, row));
        list.extend(found);
        list.sort();
        list.dedup();
        list.retain(|anchor| match anchor {
            Anchor::Whole(record, _) | Anchor::Elements(record, _) => anchors.is_unique(*record),
        });
        anchors.unique = list.len();
        anchors.list = list;
        anchors.add_ways(model);
        anchors
    }

    /// Adds what numbers measure of what their own record leads to.
    fn add_ways(&mut self, model: &Model) {
        let mut found = BTreeSet::new();
        for (id, record) in model.records() {
            for definer in record.rows.iter().flat_map(|row| &row.definers) {
                if let (DefinerScope::Own, Some(equation)) =
                    (&definer.scope, equation(model, &definer.source))
                    && let Some((_, anchor)) = self.measured(&equation.of, id)
                {
                    found.insert(anchor);
                }
            }
        }
        found.retain(|anchor| !self.list.contains(anchor));
        self.list.extend(found);
    }

    /// What an equation in a record measures of what that leads to, and the row that leads there.
    fn measured(&self, of: &Measured<'_>, record: RecordId) -> Option<(RowId, Anchor)> {
        let (first, anchor) = match of {
            Measured::Row(row) => (*row, Anchor::Whole(record, *row)),
            Measured::Path(path) => {
                let here = path.start.is_in(record);
                let Some(Step::Field(field)) = path.steps.first().filter(|_| here) else {
                    return None;
                };
                let (_, members) = field.members.iter().find(|(of, _)| *of == record)?;
                let [Member::Row(first)] = members.as_slice() else { return None };
                match self.anchor(path, record)? {
                    (anchor @ Anchor::Whole(..), None) => (*first, anchor),
                    _ => return None,
                }
            }
        };
        self.away.contains(&(record, first)).then_some((first, anchor))
    }

    /// The way to what an equation measures of what its record leads to.
    pub(super) fn way(&self, of: &Measured<'_>, record: RecordId) -> Option<Way> {
        let (first, anchor) = self.measured(of, record)?;
        Some(Way { first, anchor: self.number(anchor)? })
    }

    /// Whether numbers that follow from an anchor are stored when everything is placed.
    pub fn is_late(&self, number: usize) -> bool {
        number < self.unique
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// Whether there is exactly one node of a record in every file.
    fn is_unique(&self, record: RecordId) -> bool {
        let mut record = record;
        for _ in 0..64 {
            if record == self.root {
                return true;
            }
            match self.only.get(&record) {
                Some((holder, _)) => record = *holder,
                None => return false,
            }
        }
        false
    }

    fn collect(&self, model: &Model, expr: ExprId, id: RecordId, list: &mut Vec<Anchor>) {
        let expr = &model[expr];
        if let Expr::At(path) | Expr::End(path) | Expr::Size(path) = expr
            && let Some((anchor, _)) = self.anchor(path, id)
        {
            list.push(anchor);
        }
        // Where bytes are is noted by those who write them.
        if matches!(expr, Expr::Stored(..)) {
            return;
        }
        expr.operands(&mut |operand| self.collect(model, operand, id, list));
    }

    /// The row that a path from the root leads to.
    pub fn place(&self, path: &Path, this: RecordId) -> Option<(RecordId, RowId)> {
        match self.anchor(path, this)? {
            (Anchor::Whole(record, row), None) => Some((record, row)),
            _ => None,
        }
    }

    /// The number of the only place in a file whose begin or end an expression is, and whether it is
    /// the end.
    pub fn side(&self, model: &Model, expr: ExprId, this: RecordId) -> Option<(usize, bool)> {
        let (path, end) = match &model[expr] {
            Expr::At(path) => (path, false),
            Expr::End(path) => (path, true),
            _ => return None,
        };
        let (anchor, None) = self.anchor(path, this)? else { return None };
        let number = self.number(anchor).filter(|number| self.is_late(*number))?;
        Some((number, end))
    }

    /// The number of what is in a row, wherever that is, if it is there once in a file.
    pub fn of_row(&self, record: RecordId, row: RowId) -> Option<usize> {
        self.number(Anchor::Whole(record, row)).filter(|number| self.is_late(*number))
    }

    /// The anchor that a path leads to, and the step that chooses an element.
    pub(super) fn anchor<'e>(
        &self,
        path: &'e Path,
        this: RecordId,
    ) -> Option<(Anchor, Option<&'e Step>)> {
        let mut record = match &path.start {
            Start::This => this,
            Start::Root => self.root,
            Start::Enclosing(records) if records.contains(&this) => this,
            Start::Enclosing(records) if records.as_slice() == [self.root] => self.root,
            Start::Enclosing(records)
                if let [only] = records.as_slice()
                    && self.is_unique(*only) =>
            {
                *only
            }
            _ => return None,
        };
        let mut found = None;
        let mut steps = path.steps.iter().peekable();
        while let Some(step) = steps.next() {
            let Step::Field(field) = step else { return None };
            let (_, members) = field.members.iter().find(|(of, _)| *of == record)?;
            let [Member::Row(row)] = members.as_slice() else { return None };
            if matches!(steps.peek(), Some(Step::Index(_) | Step::Last)) {
                let index = steps.next();
                return steps.next().is_none().then_some((Anchor::Elements(record, *row), index));
            }
            found = Some(Anchor::Whole(record, *row));
            if steps.peek().is_some() {
                record = *self.inner.get(&(record, *row))?;
            }
        }
        found.map(|anchor| (anchor, None))
    }

    pub(super) fn number(&self, anchor: Anchor) -> Option<usize> {
        self.list.iter().position(|known| *known == anchor)
    }

    /// Number of the anchor of an inline row.
    pub fn inline(&self, record: RecordId, row: RowId) -> Option<usize> {
        self.number(Anchor::Whole(record, row)).filter(|_| !self.away.contains(&(record, row)))
    }

    /// Number of the anchor of what a row's pointer leads to, or of an object.
    pub fn whole(&self, record: RecordId, row: RowId) -> Option<usize> {
        self.number(Anchor::Whole(record, row)).filter(|_| self.away.contains(&(record, row)))
    }

    /// Number of the anchor of what the pointers in an array lead to.
    pub fn elements(&self, record: RecordId, row: RowId) -> Option<usize> {
        self.number(Anchor::Elements(record, row))
    }
}

/// Records in a type, inline or behind pointers, and whether each is in an array or union.
pub(super) fn records_in(model: &Model, ty: &Type, many: bool, found: &mut Vec<(RecordId, bool)>) {
    match ty {
        Type::Record(record) => found.push((*record, many)),
        Type::Union(union) => {
            for case in &model.unions[union.index()].cases {
                found.push((case.record, true));
                found.extend(case.forms.iter().map(|form| (form.record, true)));
            }
        }
        Type::Array(array) => records_in(model, &array.element, true, found),
        Type::Region(region) => records_in(model, &region.inner, many, found),
        Type::PerEpoch(types) => {
            // One and the same in all layouts, or nothing to rely on.
            let mut all = Vec::new();
            types.iter().for_each(|ty| records_in(model, ty, many, &mut all));
            all.sort();
            all.dedup();
            let several = all.len() > 1;
            found.extend(all.into_iter().map(|(record, many)| (record, many || several)));
        }
        Type::Pointer(pointer) => {
            if let crate::model::Target::Own(target) = &pointer.target {
                records_in(model, target, many, found);
            }
        }
        _ => {}
    }
}

fn leads_away(ty: &Type) -> bool {
    match ty.stripped() {
        Type::Pointer(_) => true,
        Type::PerEpoch(types) => types.iter().any(leads_away),
        _ => false,
    }
}
