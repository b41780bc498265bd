//! Builds the cases of unions, in one of their forms.

use super::super::super::item::{Item, Loc, NodeRef, CASE};
use super::super::super::source::{Asked, Given, OnlySpelled, Spelled};
use super::super::super::state::Engine;
use super::Origin;
use crate::model::{Case, Form, Row, RowId, Tag, UnionId};
use crate::problem::ProblemKind;
use crate::spelling::{KeptKind, KeptValue, SpellingEntry};
use alloc::format;
use core::cmp::Reverse;

impl<'p> Engine<'p, '_> {
    pub(super) fn build_union(
        &mut self,
        id: UnionId,
        value: Given<'_>,
        loc: Loc,
        row: &'p Row,
    ) -> Item {
        let union = &self.model.unions[id.index()];
        let nothing = crate::Spelling::default();
        let bare = OnlySpelled(&nothing);
        let by_number = |number: u16| union.cases.get(usize::from(number));
        let (case, from) = match value {
            Given::None => return self.build_none(loc, row),
            Given::Case(name, fields) => {
                let case = union.cases.iter().find(|case| case.name == name);
                let Some(case) = case else {
                    self.problem(loc, ProblemKind::UnknownCase { name: name.into() });
                    return Item::Absent;
                };
                (Some(case), Origin::Fields(fields, &[]))
            }
            Given::NumberedCase(number, fields) => (by_number(number), Origin::Fields(fields, &[])),
            Given::BareCase(number) => (by_number(number), Origin::Fields(&bare, &[])),
            Given::Stored(stored) => match stored.node().and_then(|node| stored.tree.case_of(node))
            {
                Some((_, case)) => (union.cases.get(case), Origin::Node(stored)),
                None => return self.wrong(loc, "a union", value),
            },
            other => return self.wrong(loc, "a union", other),
        };
        let Some(case) = case else {
            self.problem(loc, ProblemKind::UnknownCase { name: "".into() });
            return Item::Absent;
        };
        if case.forms.is_empty() && !self.in_epoch(&case.epochs) {
            let epoch = &self.model.epochs[self.layout.epoch.index()].label;
            let why = format!("case `{}` does not exist in {epoch}", case.name).into();
            self.unfinished(loc, ProblemKind::UnexpectedField { why });
            return Item::Absent;
        }
        if !case.forms.is_empty() {
            return self.build_form(case, from, loc);
        }
        let Some(node) = self.build_add(case.record, loc) else { return Item::Absent };
        if let Origin::Fields(fields, _) = from {
            self.report_strangers(node, fields);
        }
        self.build_rows(node, from);
        Item::Node(node)
    }

    /// Chooses the form of a case: the one that was kept if it still holds, else the first.
    pub(super) fn build_form(&mut self, case: &'p Case, from: Origin<'_>, loc: Loc) -> Item {
        let logical = &self.model.records[case.record.index()];
        // What the value has for a row of the case, by name.
        let value = |name: &str| {
            let row = logical.rows.iter().position(|row| row.name.as_deref() == Some(name))?;
            let row = RowId(u32::try_from(row).ok()?);
            let given = match from {
                Origin::Fields(fields, _) => {
                    fields.field(Asked { record: case.record, row, name: Some(name) })
                }
                Origin::Node(stored) | Origin::Case(stored, _) => stored.field(row),
                Origin::Only(value) => value,
                Origin::Word(_) => Given::Missing,
            };
            (!matches!(given, Given::Missing)).then_some(given)
        };
        // What the file had takes as many bytes as it did.
        let size = |name: &str| match from {
            Origin::Node(stored) | Origin::Case(stored, _) => {
                let node = NodeRef { part: CASE, ..stored.node()? };
                stored.tree.size_of_field(logical, node, name)
            }
            _ => None,
        };
        let lost = match self.writing.lost_forms.is_empty() {
            true => None,
            false => self.writing.lost_forms.get(&self.tree.path(loc)),
        };
        let is_lost = |form: usize| lost.is_some_and(|forms| forms.contains(&form));
        let can_say = |form: usize| self.form_fits(&case.forms[form], Some(&size), &value);
        let first = (0..case.forms.len())
            .find(|form| !is_lost(*form) && can_say(*form))
            .or_else(|| (0..case.forms.len()).find(|form| can_say(*form)));
        // What is too long for every form is said of the number that would say how long it is, where
        // it may be longest, and a tag that leads elsewhere of the row that says it.
        let nearly = || {
            let all = (0..).zip(&case.forms).filter(|(_, form)| self.form_fits(form, None, &value));
            all.min_by_key(|(_, form)| Reverse(self.longest(form, &size, &value))).map(|(at, _)| at)
        };
        // What the same struct cannot hold in any form is said of that.
        let inside = || {
            let failing = |form: &Form| self.form_fails_inside(form, &value);
            let mut all =
                (0..).zip(&case.forms).filter_map(|(at, form)| Some((at, failing(form)?)));
            let (first, failing) = all.next()?;
            all.all(|(_, other)| other == failing).then_some(first)
        };
        let Some(first) = first.or_else(nearly).or_else(inside) else {
            self.problem(loc, ProblemKind::NoForm);
            return Item::Absent;
        };
        let given = matches!(self.model.tag_of(case.forms[first].record), Some(Tag::Given(_)));
        let mut kept = None;
        let mut note = |entry: &SpellingEntry| {
            if let (KeptKind::Form, KeptValue::Int(stored), KeptValue::Int(instead)) =
                (entry.kind, &entry.stored, &entry.instead_of)
            {
                kept = Some((*stored, *instead));
            }
        };
        match from {
            Origin::Fields(fields, inside) => {
                fields.spelling(Spelled { record: logical, first: 0, inside }, &mut note);
            }
            // Data elsewhere, which most likely is as it was, has chosen this one.
            Origin::Node(stored) | Origin::Case(stored, _) if given => {
                let rows = stored.node().map(|node| stored.tree.record_id(node.as_rows()));
                let form = case.forms.iter().position(|form| Some(form.record) == rows);
                kept = form.map(|form| (form as i128, first as i128));
            }
            Origin::Node(stored) | Origin::Case(stored, _) => {
                let node = stored.node().map(|node| NodeRef { part: CASE, ..node });
                for entry in node.and_then(|node| stored.tree.kept.of(node)).into_iter().flatten() {
                    if let (KeptKind::Form, KeptValue::Int(a), KeptValue::Int(b)) =
                        (entry.kind, &entry.stored, &entry.instead_of)
                    {
                        kept = Some((*a, *b));
                    }
                }
            }
            Origin::Only(_) | Origin::Word(_) => {}
        }
        let chosen = kept
            .filter(|(_, instead)| usize::try_from(*instead) == Ok(first))
            .and_then(|(stored, _)| usize::try_from(stored).ok())
            .filter(|form| *form < case.forms.len() && !is_lost(*form) && can_say(*form))
            .unwrap_or(first);
        if chosen != first && !given {
            self.writing.kept_forms.insert(loc);
        }
        let Some(rows) = self.build_add(case.forms[chosen].record, loc) else {
            return Item::Absent;
        };
        self.tree.set_case(rows, case.record);
        let node = NodeRef { part: CASE, ..rows };
        if loc.index().is_none() && self.tree.entry(loc) == Item::Node(rows) {
            self.tree.set_item(loc, Item::Node(node));
        }
        if let Origin::Fields(fields, _) = from {
            self.report_strangers(node, fields);
        }
        let from = match from {
            Origin::Node(stored) => Origin::Case(stored, &logical.rows),
            from => from,
        };
        self.build_rows(rows, from);
        Item::Node(node)
    }
}
