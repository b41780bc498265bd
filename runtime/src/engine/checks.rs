//! Rules for values: limits, choices, conditions, uniqueness.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;

use super::item::{Item, Loc, NodeRef, UNPLACED, WHOLE};
use super::state::Engine;
use super::tree::Tree;
use super::val::{Fallible, Fault, Val};
use crate::error::{ReadError, ReadErrorKind};
use crate::model::{Cell, Check, CheckKind, Meaning, Row, Type};

/// What it costs to remember a rule.
const RULE: u64 = 4;

impl<'p> Engine<'p, '_> {
    /// Rules that need no other row, as soon as a row is read. What asks for one that is not read yet
    /// is checked when everything is.
    pub(crate) fn check_now(&mut self, loc: Loc, row: &'p Row) -> Result<(), ReadError> {
        for (number, check) in (0..).zip(&row.checks).filter(|(_, check)| !row.is_late(check)) {
            let checked = match self.check_row(loc, check).map_err(|fault| *fault) {
                Err(Fault::Eval(_) | Fault::Cycle(_)) => {
                    self.reading.rules.push((loc, number));
                    self.charge(RULE)
                }
                checked => checked.map_err(Box::new),
            };
            checked.map_err(|fault| self.fault(*fault, self.tree.row_at(loc), loc))?;
        }
        Ok(())
    }

    /// The rules that asked for something that was not read yet.
    pub(crate) fn check_later(&mut self) -> Result<(), ReadError> {
        for (loc, number) in core::mem::take(&mut self.reading.rules) {
            let Some(check) = self.tree.row(loc).checks.get(number) else { continue };
            self.check_row(loc, check)
                .map_err(|fault| self.fault(*fault, self.tree.row_at(loc), loc))?;
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
                    why: "".into(),
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
        if self.tree.record(node).endian.is_some() {
            self.order_of(node, self.tree.node_at(node).into(), Loc::row(node, WHOLE))?;
        }
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
                    why: check.doc.as_deref().unwrap_or_default().into(),
                    actual: "".into(),
                };
                return Err(self.error(kind, at, here));
            }
        }
        Ok(())
    }

    pub(crate) fn check_unique(&mut self, loc: Loc) -> Fallible<()> {
        match self.twice(loc)?.into_iter().next() {
            Some((element, key)) => {
                Err(self.refused(element, ReadErrorKind::DuplicateKey { key: key.into() }))
            }
            None => Ok(()),
        }
    }

    /// What a row with `unique` has that was there before: of an array each such element, else the
    /// element of the array around it. Each with what it is.
    pub(crate) fn twice(&mut self, loc: Loc) -> Fallible<Vec<(Loc, String)>> {
        let mut twice = Vec::new();
        if let Item::Array(array) = self.tree.item(loc) {
            for index in 0..self.tree.count(array) {
                if self.known(loc, loc.at(index))?.is_some() {
                    let known = self.tree.val(self.tree.item(loc.at(index)));
                    twice.push((loc.at(index), self.key_shown(known)));
                }
            }
            return Ok(twice);
        }
        if let Some(element) = self.element_around(loc)? {
            if let Some(known) = self.known(element.whole_row(), loc)? {
                // Of a table it is the later one there, whoever was looked at first.
                let other = self.element_around(known)?.unwrap_or(element);
                let later = if other.index() > element.index() { other } else { element };
                twice.push((later, self.key_shown(self.tree.val(self.tree.item(loc)))));
            }
        }
        Ok(twice)
    }

    /// A key as it is, which messages have in quotes.
    fn key_shown(&self, key: Val) -> String {
        match key {
            Val::Text(text) => self.tree.text(text).into(),
            key => self.tree.show(key),
        }
    }

    /// The element, of whatever array is the nearest one around a row.
    fn element_around(&mut self, loc: Loc) -> Fallible<Option<Loc>> {
        let mut node = loc.node;
        while let Some(holder) = self.tree.holder(node) {
            self.charge(1)?;
            let holder = self.in_table(holder)?;
            if holder.index().is_some() {
                return Ok(Some(holder));
            }
            node = holder.node;
        }
        Ok(None)
    }

    /// Another place in an array, by the same rows in its element, that has what is in this one. If there
    /// is none, this one is remembered.
    fn known(&mut self, array: Loc, loc: Loc) -> Fallible<Option<Loc>> {
        let Some(mut key) = self.tree.content_key(loc) else { return Ok(None) };
        let length = key.len();
        self.charge(1 + length as u64 / 16)?;
        let NodeRef { id, element, .. } = array.node;
        [id, element, array.row.0].iter().for_each(|part| key.extend(part.to_le_bytes()));
        let (tree, places) = (&self.tree, &mut self.memo.distinct);
        let is = |number: u32| {
            let (of, place) = places.0[number as usize];
            of == array
                && tree.is_same_way(place, loc)
                && tree.content_key(place).as_deref() == key.get(..length)
        };
        match places.1.get_with(&key, is) {
            Some(number) => Ok(Some(places.0[number as usize].1).filter(|known| *known != loc)),
            None => {
                places.1.insert(&key, u32::try_from(places.0.len()).unwrap_or(u32::MAX));
                places.0.push((array, loc));
                Ok(None)
            }
        }
    }
}

impl Tree<'_, '_> {
    /// Bytes that are equal where numbers or texts are; none for nothing, and for what has parts.
    fn content_key(&self, loc: Loc) -> Option<Vec<u8>> {
        Some(match self.through(self.item(loc)) {
            Item::F32(bits) => bits.to_le_bytes().to_vec(),
            Item::F64(bits) => bits.to_le_bytes().to_vec(),
            Item::Bool(truth) => [truth.into()].to_vec(),
            item @ (Item::Text(_) | Item::Bytes(_) | Item::Units(..)) => self.item_key(item),
            item => self.int(item)?.to_le_bytes().to_vec(),
        })
    }

    /// Whether rows of the same names lead to two places from the elements of arrays that they are in.
    fn is_same_way(&self, mut one: Loc, mut other: Loc) -> bool {
        loop {
            if self.row(one).name != self.row(other).name {
                return false;
            }
            if one.index().is_some() || other.index().is_some() {
                return one.index().is_some() == other.index().is_some();
            }
            match (self.holder(one.node), self.holder(other.node)) {
                (Some(a), Some(b)) => (one, other) = (a, b),
                (a, b) => return a.is_none() == b.is_none(),
            }
        }
    }
}
