//! Numbers that follow from others: equations of derived rows, in both directions.

use alloc::boxed::Box;
use alloc::format;

use super::item::{Item, Loc, NodeRef, CASE, UNPLACED};
use super::plan::{RowPlan, Source};
use super::state::Engine;
use super::tables::LARGE_BASE;
use super::tree::Tree;
use super::val::{eval_error, Fallible, Val};
use crate::model::{
    text_units, Cell, Definer, DefinerScope, DefinerSource, Home, Label, Meaning, Measure, Role,
    Row, RowId, RowKind, Target, Type,
};

impl<'p> Engine<'p, '_> {
    /// What the equations of a derived row give; `None` if none applies.
    pub(crate) fn derived(&mut self, loc: Loc) -> Fallible<Option<Val>> {
        if let Some(n) = self.follows_at_once(loc.node, self.tree.row_plan(loc.node, loc.row)) {
            self.charge(1)?;
            return Ok(Some(Val::Int(n.into())));
        }
        for definer in &self.tree.row(loc).definers {
            if let Some(node) = self.tree.scope(definer, loc) {
                let given = |engine: &mut Self| engine.given(&definer.source, node);
                let val = self.deeper(|engine| engine.of_row(loc, given))?;
                return Ok(Some(match (&definer.source, val) {
                    // Labels of truth values are numbers.
                    (DefinerSource::Measure { measure: Measure::Tag, .. }, Val::Int(number))
                        if is_truth(&self.tree.row(loc).ty) =>
                    {
                        Val::Bool(number != 0)
                    }
                    (_, val) => val,
                }));
            }
        }
        Ok(None)
    }

    /// What the first equation of a row gives where nothing has to be computed for it.
    #[inline]
    pub(crate) fn follows_at_once(&self, node: NodeRef, planned: &RowPlan) -> Option<i64> {
        match planned.source? {
            Source::Row(row) => match self.tree.row_entry(node, row) {
                Item::Int(n) => Some(n),
                _ => None,
            },
            Source::Count(row, slot) => {
                // The slots of a case with forms are those of the form.
                let item = match slot.filter(|_| node.part != CASE) {
                    Some(slot) => self.tree.item_in_slot(node, slot),
                    None => self.tree.row_entry(node, row),
                };
                match self.tree.through(item) {
                    Item::Array(array) => Some(self.tree.count(array).into()),
                    _ => None,
                }
            }
            Source::Base(slot) => {
                if node.part == CASE || !self.writing.kept_bases.is_empty() {
                    return None;
                }
                let base = *self.writing.bases.get(self.tree.slot_at(node, slot))?;
                (base != u32::MAX).then_some(base.into())
            }
        }
    }

    fn given(&mut self, source: &'p DefinerSource, node: NodeRef) -> Fallible<Val> {
        match source {
            DefinerSource::Expr(expr) => {
                let val = self.eval(*expr, node, None)?;
                self.load(val)
            }
            DefinerSource::Measure { measure, row, factor, offset } => {
                let measured = match self.measure(measure, Loc::row(node, *row))? {
                    Val::Int(n) => n,
                    other => return Ok(other),
                };
                if (*factor, *offset) == (1, 0) {
                    return Ok(Val::Int(measured));
                }
                let rest = measured.checked_sub(*offset);
                let exact = rest.filter(|rest| rest.checked_rem(*factor) == Some(0));
                match exact.and_then(|rest| rest.checked_div(*factor)) {
                    Some(stored) => Ok(Val::Int(stored)),
                    None => eval_error(format!(
                        "{measured} is not {factor} times a whole number plus {offset}"
                    )),
                }
            }
        }
    }

    /// Something about a row.
    fn measure(&mut self, measure: &'p Measure, loc: Loc) -> Fallible<Val> {
        let number = |number: Option<u64>| number.map_or(Val::None, |n| Val::Int(n.into()));
        Ok(match measure {
            Measure::Count => {
                self.force(loc.node, loc.row)?;
                Val::Int(self.count_units(loc).into())
            }
            Measure::Records => {
                self.force(loc.node, loc.row)?;
                Val::Int(self.tree.count_records(loc).unwrap_or(0).into())
            }
            Measure::Size => number(self.row_size(loc)?),
            Measure::End => number(self.placed_at(loc, true)?),
            Measure::At(base) => {
                let Some(at) = self.placed_at(loc, false)? else { return Ok(Val::None) };
                let base = self.eval_int(*base, loc.node, None)?.unwrap_or(0);
                Val::Int(i128::from(at) - base)
            }
            Measure::Base => {
                let RowKind::Slice { unit, .. } = self.tree.row(loc).kind else {
                    return Ok(Val::None);
                };
                match self.slice_base(loc)?.checked_mul(unit) {
                    Some(base) => Val::Int(base),
                    None => return eval_error(LARGE_BASE),
                }
            }
            Measure::Tag => self.tag_of(loc)?,
        })
    }

    fn placed_at(&mut self, loc: Loc, end: bool) -> Fallible<Option<u64>> {
        self.force(loc.node, loc.row)?;
        match self.loc_address(loc, end)? {
            Some(UNPLACED) => Err(Box::new(self.not_placed("address", loc))),
            other => Ok(other.map(u64::from)),
        }
    }

    /// Elements of an array, bytes of a byte run, units of a text.
    pub(crate) fn count_units(&self, loc: Loc) -> u64 {
        let mut ty = &self.tree.row(loc).ty;
        while let Type::Pointer(pointer) = ty {
            match &pointer.target {
                Target::Own(target) => ty = target,
                _ => break,
            }
        }
        match (ty.stripped(), self.tree.item(loc)) {
            (Type::Run(run), Item::Text(text)) => text_units(run.content, self.tree.text(text)),
            _ => self.count_items(loc),
        }
    }

    /// Size in bytes of the region of a row.
    fn row_size(&mut self, loc: Loc) -> Fallible<Option<u64>> {
        self.force(loc.node, loc.row)?;
        match (self.loc_address(loc, false)?, self.loc_address(loc, true)?) {
            (None, _) | (_, None) => Ok(None),
            (Some(UNPLACED), _) | (_, Some(UNPLACED)) => self.measured_size(loc).map(Some),
            (Some(at), Some(end)) => Ok(Some(u64::from(end.saturating_sub(at)))),
        }
    }

    /// The label of the chosen case, as stored.
    fn tag_of(&mut self, loc: Loc) -> Fallible<Val> {
        let Some(union) = self.tree.row(loc).ty.union() else { return Ok(Val::None) };
        let Item::Node(node) = self.tree.item(loc) else { return Ok(Val::None) };
        let union = &self.model.unions[union.index()];
        let label = union.case_of(self.tree.record_id(node)).and_then(|case| case.labels.first());
        Ok(match label {
            Some(Label::Range(low, _)) => Val::Int(*low),
            Some(Label::Text(text)) => {
                let blob = self.tree.add_bytes(text.as_bytes());
                Val::Text(blob)
            }
            _ => Val::None,
        })
    }
}

impl<'p> Tree<'p, '_> {
    /// Whether an equation gives this row its number in this node.
    #[must_use]
    pub fn is_derived_here(&self, loc: Loc) -> bool {
        self.row(loc).definers.iter().any(|definer| self.scope(definer, loc).is_some())
    }

    /// Node in which an equation is evaluated, if it applies.
    pub(crate) fn scope(&self, definer: &'p Definer, loc: Loc) -> Option<NodeRef> {
        match &definer.scope {
            DefinerScope::Own => Some(loc.node),
            DefinerScope::Case(row, case) => {
                let union = self.record(loc.node).rows[row.index()].ty.union()?;
                let record = self.layout.model.unions[union.index()].cases[*case as usize].record;
                match self.item(Loc::row(loc.node, *row)) {
                    Item::Node(node) if self.record_id(node) == record => Some(node),
                    _ => None,
                }
            }
            DefinerScope::Owner(record, path) => {
                let mut at = self.owner(loc.node);
                while let Some(node) = at {
                    if self.record_id(node) == *record && self.leads_to(node, path, loc) {
                        return Some(node);
                    }
                    at = self.owner(node);
                }
                None
            }
        }
    }

    /// Whether rows lead from a node to a row.
    fn leads_to(&self, mut node: NodeRef, path: &[RowId], loc: Loc) -> bool {
        let Some((last, way)) = path.split_last() else { return false };
        for row in way {
            match self.item(Loc::row(node, *row)) {
                Item::Node(inner) => node = inner,
                _ => return false,
            }
        }
        node == loc.node && *last == loc.row
    }

    /// Whether a row is in the value of this node.
    #[must_use]
    pub fn is_data(&self, loc: Loc, row: &Row) -> bool {
        self.home(loc) != Home::Absent && self.may_be_data(loc, row)
    }

    /// The same of a row that the epoch has.
    pub(crate) fn may_be_data(&self, loc: Loc, row: &Row) -> bool {
        match (&row.kind, &row.role) {
            (RowKind::Mark { .. }, _) => false,
            (RowKind::Slice { .. }, _) => true,
            (_, Role::Data | Role::Default(_) | Role::Elsewhere) => true,
            (_, Role::Derived) => !self.is_derived_here(loc),
            // Spellings inside may have to be kept.
            (_, Role::Fixed | Role::Kept(_) | Role::Spelling | Role::View { .. }) => false,
        }
    }
}

fn is_truth(ty: &Type) -> bool {
    matches!(ty.stripped(), Type::Cell(Cell { meaning: Meaning::Bool { .. }, .. }))
}
