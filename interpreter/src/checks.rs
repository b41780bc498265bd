//! Rules for values: limits, choices, conditions, uniqueness.

use std::collections::HashSet;

use formwork::{ReadError, ReadErrorKind};
use formwork_model::{Check, CheckKind, Row, RowId};

use crate::arithmetic::compare;
use crate::engine::{Engine, Fallible, Fault};
use crate::eval::{Place, Val};
use crate::settle::{same, show};
use crate::tree::{Item, Loc, NodeId, through};

impl<'m> Engine<'m, '_> {
    /// Rules that need no other row, as soon as a row is read.
    pub(crate) fn check_now(&mut self, loc: Loc, row: &'m Row) -> Result<(), ReadError> {
        for check in &row.checks {
            if !matches!(check.kind, CheckKind::Holds(_)) {
                self.check_row(loc, check).map_err(|fault| {
                    let at = self.tree.slot(loc.node, loc.row).at;
                    self.fault(*fault, at, loc)
                })?;
            }
        }
        Ok(())
    }

    /// Checks a row, or each of its elements.
    pub(crate) fn check_row(&mut self, loc: Loc, check: &'m Check) -> Fallible<()> {
        if loc.index.is_none()
            && let Item::Array(array) = self.tree.item(loc)
        {
            let count = u32::try_from(array.items.len()).unwrap_or(u32::MAX);
            for index in 0..count {
                self.check_one(Loc { index: Some(index), ..loc }, check)?;
            }
            return Ok(());
        }
        if matches!(self.tree.item(loc), Item::Absent) {
            return Ok(());
        }
        self.check_one(loc, check)
    }

    fn check_one(&mut self, loc: Loc, check: &'m Check) -> Fallible<()> {
        let Some(kind) = self.broken(loc, check)? else { return Ok(()) };
        let at = self.loc_address(loc, false)?.filter(|at| *at != crate::tree::UNPLACED);
        let at = at.unwrap_or(0);
        Err(Box::new(Fault::Read(self.error(kind, at, loc))))
    }

    /// What is wrong with a value by a rule; `None` if it holds.
    pub(crate) fn broken(&mut self, loc: Loc, check: &'m Check) -> Fallible<Option<ReadErrorKind>> {
        let it = self.load(Val::Place(Place::Loc(loc)))?;
        let actual: Box<str> = show(&it).into();
        let node = loc.node;
        Ok(match &check.kind {
            CheckKind::Min(limit) => {
                let limit = self.eval(*limit, node, Some(&it))?;
                let below = compare(&it, &limit)? != Some(std::cmp::Ordering::Greater)
                    && compare(&it, &limit)? != Some(std::cmp::Ordering::Equal);
                below.then(|| ReadErrorKind::BelowMinimum { minimum: show(&limit).into(), actual })
            }
            CheckKind::Max(limit) => {
                let limit = self.eval(*limit, node, Some(&it))?;
                let above = compare(&it, &limit)? != Some(std::cmp::Ordering::Less)
                    && compare(&it, &limit)? != Some(std::cmp::Ordering::Equal);
                above.then(|| ReadErrorKind::AboveMaximum { maximum: show(&limit).into(), actual })
            }
            CheckKind::OneOf(allowed) => {
                let mut hit = false;
                for allowed in allowed {
                    let allowed = self.eval(*allowed, node, Some(&it))?;
                    hit |= same(&it, &allowed);
                }
                (!hit).then_some(ReadErrorKind::NotOneOf { actual })
            }
            CheckKind::Equals(wanted) => {
                let wanted = self.eval(*wanted, node, Some(&it))?;
                (!same(&it, &wanted))
                    .then(|| ReadErrorKind::NotEqual { expected: show(&wanted).into(), actual })
            }
            CheckKind::Holds(condition) => {
                let holds = self.eval_bool(*condition, node, Some(&it))?;
                (!holds).then(|| ReadErrorKind::CheckFailed {
                    check: check.text.as_str().into(),
                    actual,
                })
            }
        })
    }

    pub(crate) fn check_record(&mut self, node: NodeId) -> Result<(), ReadError> {
        let record = self.record(node);
        for check in &record.checks {
            let CheckKind::Holds(condition) = &check.kind else { continue };
            let at = self.tree.node(node).at;
            let at = if at == crate::tree::UNPLACED { 0 } else { at };
            let here = Loc::row(node, RowId(u32::MAX));
            let holds = self
                .eval_bool(*condition, node, None)
                .map_err(|fault| self.fault(*fault, at, here))?;
            if !holds {
                let kind = ReadErrorKind::CheckFailed {
                    check: check.text.as_str().into(),
                    actual: "false".into(),
                };
                return Err(self.error(kind, at, here));
            }
        }
        Ok(())
    }

    pub(crate) fn check_unique(&mut self, loc: Loc) -> Fallible<()> {
        let mut seen = HashSet::new();
        for (element, number) in self.unique_numbers(loc) {
            self.charge(1)?;
            if !seen.insert(number) {
                let kind = ReadErrorKind::DuplicateKey { key: number.to_string().into() };
                return Err(self.refused(element, kind));
            }
        }
        Ok(())
    }

    /// The numbers that `unique` on a row is about, each with its place: the elements of the row, or
    /// this row of all elements of the array around it.
    pub(crate) fn unique_numbers(&self, loc: Loc) -> Vec<(Loc, i128)> {
        let number = |item: &Item| match through(item) {
            Item::Int(n) => Some(*n),
            _ => None,
        };
        if let Item::Array(list) = self.tree.item(loc) {
            let elements = (0_u32..).zip(&list.items);
            return elements
                .filter_map(|(index, item)| {
                    Some((Loc { index: Some(index), ..loc }, number(item)?))
                })
                .collect();
        }
        let node = self.tree.node(loc.node);
        let (Some(owner), Some(0)) = (node.owner, node.index) else { return Vec::new() };
        let array = Loc::row(owner, node.owner_row);
        let name = self.row(loc).name.clone().unwrap_or_default();
        let numbers = self.field_contents(array, &name);
        (0_u32..).zip(numbers).map(|(i, n)| (Loc { index: Some(i), ..array }, n)).collect()
    }
}
