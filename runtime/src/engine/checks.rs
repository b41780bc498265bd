//! Rules for values: limits, choices, conditions, uniqueness.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use core::cmp::Ordering;

use super::item::{Item, Loc, NodeRef, UNPLACED, WHOLE};
use super::state::Engine;
use super::val::{Fallible, Fault, Val};
use crate::error::{ReadError, ReadErrorKind};
use crate::model::{Cell, Check, CheckKind, Meaning, Row, Type};

impl<'p> Engine<'p, '_> {
    /// Rules that need no other row, as soon as a row is read.
    pub(crate) fn check_now(&mut self, loc: Loc, row: &'p Row) -> Result<(), ReadError> {
        for check in row.checks.iter().filter(|check| !row.is_late(check)) {
            self.check_row(loc, check).map_err(|fault| {
                let at = self.tree.row_at(loc);
                self.fault(*fault, at, loc)
            })?;
        }
        Ok(())
    }

    /// Checks a row, or each of its elements.
    pub(crate) fn check_row(&mut self, loc: Loc, check: &'p Check) -> Fallible<()> {
        match self.tree.item(loc) {
            Item::Array(array) if loc.index().is_none() => {
                for index in 0..self.tree.count(array) {
                    if self.is_ruled(loc.at(index), check) {
                        self.check_one(loc.at(index), check)?;
                    }
                }
                Ok(())
            }
            Item::Absent => Ok(()),
            _ => self.check_one(loc, check),
        }
    }

    /// Rules are about values; nothing is none, but it is not equal to anything either.
    pub(crate) fn is_ruled(&self, loc: Loc, check: &Check) -> bool {
        matches!(check.kind, CheckKind::Equals(_)) || !self.tree.item(loc).is_absent()
    }

    fn check_one(&mut self, loc: Loc, check: &'p Check) -> Fallible<()> {
        let Some(kind) = self.broken(loc, check)? else { return Ok(()) };
        let at = self.loc_address(loc, false)?.filter(|at| *at != UNPLACED).unwrap_or(0);
        Err(Box::new(Fault::Read(self.error(kind, at, loc))))
    }

    /// What is wrong with a value by a rule; `None` if it holds.
    pub(crate) fn broken(&mut self, loc: Loc, check: &'p Check) -> Fallible<Option<ReadErrorKind>> {
        let val = self.load(Val::Loc(loc))?;
        let it = Some(val);
        let node = loc.node;
        let tree = |engine: &Self, val| Box::<str>::from(engine.tree.show(val));
        Ok(match &check.kind {
            CheckKind::Min(limit) => {
                let limit = self.eval(*limit, node, it)?;
                let order = self.tree.compare(val, limit)?;
                let holds = matches!(order, Some(Ordering::Greater | Ordering::Equal));
                (!holds).then(|| ReadErrorKind::BelowMinimum {
                    minimum: tree(self, limit),
                    actual: tree(self, val),
                })
            }
            CheckKind::Max(limit) => {
                let limit = self.eval(*limit, node, it)?;
                let order = self.tree.compare(val, limit)?;
                let holds = matches!(order, Some(Ordering::Less | Ordering::Equal));
                (!holds).then(|| ReadErrorKind::AboveMaximum {
                    maximum: tree(self, limit),
                    actual: tree(self, val),
                })
            }
            CheckKind::OneOf(allowed) => {
                let mut hit = false;
                for allowed in allowed {
                    let allowed = self.eval(*allowed, node, it)?;
                    hit |= self.tree.same(val, allowed);
                }
                (!hit).then(|| ReadErrorKind::NotOneOf { actual: tree(self, val) })
            }
            CheckKind::Equals(wanted) => {
                let wanted = self.eval(*wanted, node, it)?;
                (!self.tree.same(val, wanted)).then(|| ReadErrorKind::NotEqual {
                    expected: tree(self, wanted),
                    actual: tree(self, val),
                })
            }
            CheckKind::Holds(condition) => {
                let holds = self.eval_bool(*condition, node, it)?;
                (!holds).then(|| ReadErrorKind::CheckFailed {
                    check: check.text.as_str().into(),
                    actual: tree(self, val),
                })
            }
        })
    }

    /// Closed enumerations do not have all numbers, also where nothing is stored.
    pub(crate) fn check_meaning(&mut self, loc: Loc, row: &'p Row) -> Fallible<()> {
        match self.unnamed_number(loc, row) {
            Some((name, value)) => {
                let kind = ReadErrorKind::NotInEnum { name: name.into(), value };
                Err(self.refused(loc, kind))
            }
            None => Ok(()),
        }
    }

    /// A number that a closed enumeration has no name for, and the enumeration.
    pub(crate) fn unnamed_number(&self, loc: Loc, row: &'p Row) -> Option<(&'p str, i128)> {
        let ty = match row.ty.stripped() {
            Type::Array(array) => &array.element,
            Type::Pointer(pointer) => match pointer.owned() {
                Some(Type::Array(array)) => &array.element,
                _ => return None,
            },
            ty => ty,
        };
        let Type::Cell(Cell { meaning: Meaning::Enum(id), .. }) = ty else { return None };
        let definition = &self.model.enums[id.index()];
        let number = self.tree.int(self.tree.item(loc))?;
        (!definition.allows(number)).then_some((definition.name.as_str(), number))
    }

    pub(crate) fn check_record(&mut self, node: NodeRef) -> Result<(), ReadError> {
        for check in &self.tree.record(node).checks {
            let CheckKind::Holds(condition) = check.kind else { continue };
            let at = match self.tree.node_at(node) {
                UNPLACED => 0,
                at => at,
            };
            let here = Loc::row(node, WHOLE);
            let holds = self
                .eval_bool(condition, node, None)
                .map_err(|fault| self.fault(*fault, at, here))?;
            if !holds {
                let kind = ReadErrorKind::CheckFailed {
                    check: check.text.as_str().into(),
                    actual: "".into(),
                };
                return Err(self.error(kind, at, here));
            }
        }
        Ok(())
    }

    pub(crate) fn check_unique(&mut self, loc: Loc) -> Fallible<()> {
        let mut seen = BTreeSet::new();
        for (element, number) in self.unique_numbers(loc)? {
            self.charge(1)?;
            if !seen.insert(number) {
                let key = alloc::format!("{number}").into();
                return Err(self.refused(element, ReadErrorKind::DuplicateKey { key }));
            }
        }
        Ok(())
    }
}
