//! Checks a value that is placed: counts, references, rules. All problems are reported.

use std::collections::HashSet;

use formwork::ProblemKind;
use formwork_model::{
    ArrayLength, Check, CheckKind, Expr, ExprId, Reference, Row, RowId, RowKind, RunLength, Tag,
    Target, Type,
};

use super::extent::mentions_position;
use crate::engine::{Engine, Fallible};
use crate::eval::Val;
use crate::read::object::strip_region;
use crate::settle::show;
use crate::tree::{Item, Loc, NodeId, UNPLACED};

impl<'m> Engine<'m, '_> {
    pub(crate) fn validate(&mut self) {
        self.check_placed();
        let nodes = u32::try_from(self.tree.nodes.len()).unwrap_or(u32::MAX);
        for index in 0..nodes {
            let node = NodeId(index);
            if self.tree.node(node).at == UNPLACED {
                continue;
            }
            let record = self.record(node);
            for (row_index, row) in (0_u32..).zip(&record.rows) {
                let loc = Loc::row(node, RowId(row_index));
                if let Err(fault) = self.validate_row(loc, row) {
                    self.report(*fault, loc);
                }
            }
            for check in &record.checks {
                let CheckKind::Holds(condition) = &check.kind else { continue };
                let here = self.node_loc(node);
                match self.eval_bool(*condition, node, None) {
                    Ok(true) => {}
                    Ok(false) => {
                        let check = check.text.as_str().into();
                        self.problem(here, ProblemKind::CheckFailed { check });
                    }
                    Err(fault) => self.report(*fault, here),
                }
            }
        }
        self.check_expectations();
    }

    fn validate_row(&mut self, loc: Loc, row: &'m Row) -> Fallible<()> {
        self.validate_presence(loc, row)?;
        self.validate_tag(loc, row)?;
        if !row.checks.is_empty() {
            self.force(loc.node, loc.row)?;
        }
        if matches!(self.tree.slot(loc.node, loc.row).item, Item::Absent | Item::Unset)
            || matches!(row.kind, RowKind::Slice { .. })
        {
            return Ok(());
        }
        self.validate_count(loc, row)?;
        self.validate_given(loc, row)?;
        if let Some(reference) = &row.reference {
            self.validate_reference(loc, reference)?;
        }
        for check in &row.checks {
            let targets: Vec<Loc> = match self.tree.item(loc) {
                Item::Array(array) => (0_u32..)
                    .zip(&array.items)
                    .map(|(index, _)| Loc { index: Some(index), ..loc })
                    .collect(),
                Item::Absent => Vec::new(),
                _ => vec![loc],
            };
            for target in targets {
                if self.broken(target, check)?.is_some() {
                    let check = rule(check).into();
                    self.problem(target, ProblemKind::CheckFailed { check });
                }
            }
        }
        if row.unique {
            self.validate_unique(loc);
        }
        Ok(())
    }

    fn validate_presence(&mut self, loc: Loc, row: &'m Row) -> Fallible<()> {
        let Some(condition) = &row.when else { return Ok(()) };
        let optional =
            matches!(row.kind, RowKind::Plain | RowKind::Object { .. } | RowKind::Value { .. });
        if !optional || mentions_position(self.model, *condition) {
            return Ok(());
        }
        let there = !matches!(self.tree.slot(loc.node, loc.row).item, Item::Absent);
        let holds = self.eval_bool(*condition, loc.node, None)?;
        let derived =
            matches!(row.role, formwork_model::Role::Derived | formwork_model::Role::Fixed);
        if holds && !there {
            self.problem(loc, ProblemKind::MissingField);
        } else if !holds && there && !derived {
            let why = "its condition does not hold".into();
            self.problem(loc, ProblemKind::UnexpectedField { why });
        }
        Ok(())
    }

    /// The number of elements must be what the schema says, where it is not derived from it.
    fn validate_count(&mut self, loc: Loc, row: &'m Row) -> Fallible<()> {
        let count = match count_of(&row.ty) {
            Some(count) => count,
            None => return self.validate_last(loc, row),
        };
        if matches!(self.tree.item(loc), Item::Absent) || mentions_position(self.model, count) {
            return Ok(());
        }
        let actual = self.count_units(loc);
        let expected = match self.eval(count, loc.node, None)? {
            Val::Int(n) => n,
            Val::None => return Ok(()),
            other => {
                let message = format!("the count is {}", show(&other)).into();
                self.problem(loc, ProblemKind::Expression { message });
                return Ok(());
            }
        };
        if expected != i128::from(actual) {
            let why = match &self.model[count] {
                Expr::Path(path) => format!("the count is `{}`", path.text),
                _ => "another field gives the count".to_owned(),
            };
            let why = why.into();
            self.problem(loc, ProblemKind::LengthMismatch { expected, actual, why });
        }
        Ok(())
    }

    /// `last=` holds for the last element, and for no other.
    fn validate_last(&mut self, loc: Loc, row: &'m Row) -> Fallible<()> {
        let Type::Array(array) = strip_region(&row.ty) else { return Ok(()) };
        let ArrayLength::Last(last) = &array.length else { return Ok(()) };
        let count = self.count_items(loc);
        for index in 0..count {
            let element = Loc { index: u32::try_from(index).ok(), ..loc };
            let it = crate::items::item_val(self.tree.item(element));
            let holds = self.eval_bool(*last, loc.node, Some(&it))?;
            if holds != (index + 1 == count) {
                let why = if holds { "ends the array" } else { "must end the array" };
                let check = format!("this element {why}").into();
                self.problem(element, ProblemKind::CheckFailed { check });
            }
        }
        if count == 0 {
            let why = "an element must end the array".into();
            self.problem(loc, ProblemKind::LengthMismatch { expected: 1, actual: 0, why });
        }
        Ok(())
    }

    /// The case of a union must be the one that data elsewhere says.
    fn validate_given(&mut self, loc: Loc, row: &'m Row) -> Fallible<()> {
        let Some(Type::Union(id)) = crate::eval::union_type(&row.ty) else { return Ok(()) };
        let union = &self.model.unions[id.index()];
        let Tag::Given(given) = &union.tag else { return Ok(()) };
        let Item::Node(node) = *self.tree.item(loc) else { return Ok(()) };
        let val = self.eval(*given, loc.node, None)?;
        let mut wanted = None;
        for case in &union.cases {
            if !self.in_epoch(&case.epochs) {
                continue;
            }
            let is_else = case.labels.contains(&formwork_model::Label::Else);
            if crate::read::choice::takes(&case.labels, &val) {
                let holds = match &case.guard {
                    Some(guard) => self.eval_bool(*guard, loc.node, None)?,
                    None => true,
                };
                if holds && !is_else {
                    wanted = Some(case);
                    break;
                }
                if holds && wanted.is_none() {
                    wanted = Some(case);
                }
            }
        }
        let record = self.tree.node(node).record;
        match wanted {
            Some(case) if case.record == record => {}
            Some(case) => {
                let check = format!("the case is `{}`, as {} says", case.name, show(&val)).into();
                self.problem(loc, ProblemKind::CheckFailed { check });
            }
            None => {
                let check = format!("a case for {}", show(&val)).into();
                self.problem(loc, ProblemKind::CheckFailed { check });
            }
        }
        Ok(())
    }

    fn validate_reference(&mut self, loc: Loc, reference: &'m Reference) -> Fallible<()> {
        let targets: Vec<Loc> = match self.tree.item(loc) {
            Item::Array(array) => (0_u32..)
                .zip(&array.items)
                .map(|(index, _)| Loc { index: Some(index), ..loc })
                .collect(),
            _ => vec![loc],
        };
        let mut array = None;
        for target in targets {
            let Item::Int(index) = *self.tree.item(target) else { continue };
            let array = match array {
                Some(array) => array,
                None => {
                    let found = self.referred(reference, loc)?;
                    let Some(found) = found else {
                        let what = "the array that it refers to is not there".into();
                        self.problem(target, ProblemKind::NotAnElement { what });
                        return Ok(());
                    };
                    array = Some(found);
                    found
                }
            };
            if let Some(field) = &reference.field {
                if !self.field_contents(array, field).contains(&index) {
                    let what = format!("no element has the {field} {index}").into();
                    self.problem(target, ProblemKind::NotAnElement { what });
                }
                continue;
            }
            let count = self.count_items(array);
            if index < 0 || index >= i128::from(count) {
                self.problem(target, ProblemKind::IndexOutOfRange { index, count });
            }
        }
        Ok(())
    }

    fn validate_unique(&mut self, loc: Loc) {
        let mut seen = HashSet::new();
        for (element, number) in self.unique_numbers(loc) {
            if !seen.insert(number) {
                let key = number.to_string().into();
                self.problem(element, ProblemKind::DuplicateKey { key });
            }
        }
    }

    /// Sizes and ends of regions that the schema states in another way too.
    fn check_expectations(&mut self) {
        let expectations = std::mem::take(&mut self.writing().expectations);
        for expectation in expectations {
            let loc = expectation.loc;
            let expected = match self.eval_int(expectation.expr, loc.node, None) {
                Ok(Some(expected)) => expected,
                Ok(None) => continue,
                Err(fault) => {
                    self.report(*fault, loc);
                    continue;
                }
            };
            if expected != i128::from(expectation.actual) {
                let why = format!("another field gives the {}", expectation.what).into();
                let actual = expectation.actual;
                self.problem(loc, ProblemKind::LengthMismatch { expected, actual, why });
            }
        }
    }
}

/// A rule as a condition for messages.
fn rule(check: &Check) -> String {
    let text = &check.text;
    match check.kind {
        CheckKind::Min(_) => format!("it >= {text}"),
        CheckKind::Max(_) => format!("it <= {text}"),
        CheckKind::OneOf(_) => format!("it in {text}"),
        CheckKind::Equals(_) => format!("it == {text}"),
        CheckKind::Holds(_) => text.clone(),
    }
}

/// The expression for the number of elements of a row, or of what its pointer leads to.
fn count_of(ty: &Type) -> Option<ExprId> {
    match ty {
        Type::Array(array) => match &array.length {
            ArrayLength::Count(count) => Some(*count),
            _ => None,
        },
        Type::Run(run) => match &run.length {
            RunLength::Count(count) => Some(*count),
            _ => None,
        },
        Type::Region(region) => count_of(&region.inner),
        Type::Pointer(pointer) => match &pointer.target {
            Target::Own(target) => count_of(target),
            _ => None,
        },
        _ => None,
    }
}
