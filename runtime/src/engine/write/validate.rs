//! Checks a value that is placed: counts, references, rules. All problems are reported.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;

use super::super::address::leads_to_nothing;
use super::super::forms::UNKNOWN_COUNT;
use super::super::item::{Item, Loc, NodeRef, UNPLACED, WHOLE};
use super::super::labels::takes;
use super::super::plan::{count_of, last_of, Duties, Store};
use super::super::program::asks_for;
use super::super::state::Engine;
use super::super::val::{Fallible, Fault, Val};
use super::super::walk::Walk;
use super::build::does_not_fit;
use super::fill::no_order;
use crate::model::{
    Case, Check, CheckKind, Expr, ExprId, Label, Reference, Role, Row, RowId, RowKind, Start, Tag,
};
use crate::problem::ProblemKind;

impl<'p> Engine<'p, '_> {
    pub(crate) fn validate(&mut self) {
        self.check_placed();
        self.check_counts();
        let mut walk = Walk::new(&self.tree, Duties::VALIDATING);
        while let Some(node) = walk.next(&self.tree) {
            if self.tree.node_at(node) == UNPLACED || self.is_raw(node) {
                continue;
            }
            for id in &self.tree.plan(node).validating {
                self.validate_now_or_last(Loc::row(node, *id));
            }
            if self.tree.plan(node).ruled {
                self.validate_now_or_last(Loc::row(node, WHOLE));
            }
        }
        if let Err(fault) = self.check_names() {
            self.report(*fault, Loc::row(NodeRef::ROOT, WHOLE));
        }
        self.check_expectations();
    }

    /// A row, or a whole record, unless it asks for what follows from bytes that are not written yet.
    fn validate_now_or_last(&mut self, loc: Loc) {
        match self.validate_at(loc).map_err(|fault| *fault) {
            // That it follows from such bytes is known when it was asked for.
            Ok(()) if loc.row == WHOLE || !self.is_summed_later(loc) => {}
            Ok(()) if self.tree.row(loc).checks.is_empty() => {}
            Ok(()) | Err(Fault::NotWritten(_)) => self.writing.ruled_last.push(loc),
            Err(fault) => self.report(fault, self.told_at(loc)),
        }
    }

    /// The rules that had to wait for what is written last.
    pub(crate) fn validate_last_rules(&mut self) {
        if self.writing.checking {
            return;
        }
        for loc in core::mem::take(&mut self.writing.ruled_last) {
            if let Err(fault) = self.validate_at(loc) {
                self.report(*fault, self.told_at(loc));
            }
        }
    }

    fn validate_at(&mut self, loc: Loc) -> Fallible<()> {
        match loc.row {
            WHOLE => self.validate_record(loc.node),
            _ => self.validate_row(loc, self.tree.row(loc)),
        }
    }

    /// Where problems of a row or of a whole record are.
    fn told_at(&self, loc: Loc) -> Loc {
        match loc.row {
            WHOLE => self.tree.node_loc(loc.node),
            _ => loc,
        }
    }

    fn validate_record(&mut self, node: NodeRef) -> Fallible<()> {
        let mut done = Ok(());
        if self.tree.record(node).endian.is_some() && self.node_order(node)?.is_none() {
            return Err(no_order());
        }
        for check in &self.tree.record(node).checks {
            let CheckKind::Holds(condition) = check.kind else { continue };
            let here = self.tree.node_loc(node);
            match self.eval_bool(condition, node, None) {
                Ok(true) => {}
                Ok(false) => {
                    let why = check.doc.as_deref().unwrap_or_default().into();
                    let check = check.text.as_str().into();
                    let kind = ProblemKind::CheckFailed { check, why };
                    self.problem_inside(Loc::row(node, WHOLE), here, kind);
                }
                Err(fault) if matches!(*fault, Fault::NotWritten(_)) => done = Err(fault),
                Err(fault) => self.report(*fault, here),
            }
        }
        done
    }

    /// What only the keys of a dictionary say is in one that is written.
    fn check_names(&mut self) -> Fallible<()> {
        if !self.tree.duties.meet(Duties::NAMED) {
            return Ok(());
        }
        let mut said = BTreeSet::new();
        let mut walk = Walk::new(&self.tree, Duties::DICTIONARIES);
        while let Some(node) = walk.next(&self.tree) {
            if self.tree.node_at(node) == UNPLACED {
                continue;
            }
            let record = self.tree.record(node);
            for id in &self.tree.plan(node).dictionaries {
                let there = self.tree.entry(Loc::row(node, *id)).is_there();
                let path = record.rows[id.index()].patricia(self.model).filter(|_| there);
                let Some(path) = path else { continue };
                self.walk(path, node, None, &mut false, &mut |_, val| {
                    if let Val::Loc(place) = val {
                        said.insert(place);
                    }
                    Ok(true)
                })?;
            }
        }
        let mut walk = Walk::new(&self.tree, Duties::NAMED);
        while let Some(node) = walk.next(&self.tree) {
            if self.tree.node_at(node) == UNPLACED {
                continue;
            }
            for id in &self.tree.plan(node).named {
                let loc = Loc::row(node, *id);
                let empty = match self.tree.item(loc) {
                    Item::Array(array) => self.tree.count(array) == 0,
                    item => item.is_absent(),
                };
                if !empty && self.tree.entry(loc).is_there() && !said.contains(&loc) {
                    let what = "only a dictionary says it, and there is none";
                    self.problem(loc, ProblemKind::Contradicts { what: what.into() });
                }
            }
        }
        Ok(())
    }

    /// Sizes of texts and bytes in place, which the schema fixes.
    pub(crate) fn check_sizes(&mut self) {
        self.check_lengths(|store| matches!(store, Store::Bytes(_)));
    }

    /// Numbers of elements in place, which the schema fixes.
    fn check_counts(&mut self) {
        self.check_lengths(|store| matches!(store, Store::Cells(_)));
    }

    fn check_lengths(&mut self, of: fn(Store) -> bool) {
        if !self.tree.has_odd() {
            return;
        }
        for (loc, item) in self.tree.odd_items() {
            let store = self.tree.row_plan(loc.node, loc.row).store;
            if !of(store) || self.tree.node_at(loc.node) == UNPLACED {
                continue;
            }
            let (expected, actual, why) = match (store, item) {
                (Store::Cells(count), Item::Array(array)) => {
                    (count, self.tree.count(array), format!("the schema says {count} elements"))
                }
                (Store::Bytes(size), Item::Text(blob) | Item::Bytes(blob)) => {
                    (size, blob.len, format!("the schema says {size} bytes"))
                }
                _ => continue,
            };
            if expected != actual {
                let (expected, actual) = (expected.into(), actual.into());
                let why = why.into();
                self.problem(loc, ProblemKind::LengthMismatch { expected, actual, why });
            }
        }
    }

    fn validate_row(&mut self, loc: Loc, row: &'p Row) -> Fallible<()> {
        self.validate_presence(loc, row)?;
        self.validate_tag(loc, row)?;
        self.validate_place(loc, row)?;
        if !row.checks.is_empty() || row.unique || row.reference.is_some() {
            self.force(loc.node, loc.row)?;
        }
        if let RowKind::Slice { count, empty_base, .. } = row.kind {
            return self.validate_slice(loc, row, count, empty_base.is_some());
        }
        if !self.tree.entry(loc).is_there() {
            return Ok(());
        }
        self.validate_count(loc, row)?;
        self.validate_given(loc, row)?;
        if let Some(reference) = &row.reference {
            self.validate_reference(loc, reference)?;
        }
        if row.has_no_bytes() || matches!(row.role, Role::View { .. }) {
            let count = match self.tree.item(loc) {
                Item::Array(array) => self.tree.count(array),
                _ => 0,
            };
            for place in (0..count).map(|index| loc.at(index)).chain([loc]) {
                if let Some((name, number)) = self.unnamed_number(place, row) {
                    self.problem(place, does_not_fit(number, name));
                }
            }
        }
        for check in &row.checks {
            match self.tree.item(loc) {
                Item::Array(array) => {
                    for index in 0..self.tree.count(array) {
                        if self.is_ruled(loc.at(index), check) {
                            self.validate_check(loc.at(index), check)?;
                        }
                    }
                }
                Item::Absent => {}
                _ => self.validate_check(loc, check)?,
            }
        }
        if row.unique {
            self.validate_unique(loc)?;
        }
        Ok(())
    }

    fn validate_check(&mut self, loc: Loc, check: &'p Check) -> Fallible<()> {
        if self.broken(loc, check)?.is_some() {
            let check = rule(check).into();
            self.problem(loc, ProblemKind::CheckFailed { check, why: "".into() });
        }
        Ok(())
    }

    fn validate_presence(&mut self, loc: Loc, row: &'p Row) -> Fallible<()> {
        let Some(condition) = row.when else { return Ok(()) };
        // Of what is measured it is compared what a reader would see, also if that is nothing.
        let is_measured = matches!(row.kind, RowKind::Value { seen: Some(_) });
        if is_measured
            || !self.model.is_optional_data(row)
            || self.tree.in_form(loc).is_some()
            || self.layout.mentions_position(condition)
        {
            return Ok(());
        }
        let there = !self.tree.entry(loc).is_absent();
        let holds = self.eval_bool(condition, loc.node, None)?;
        if holds && !there && !(row.may_say_none(self.model) && self.is_laid(loc)) {
            self.problem(loc, ProblemKind::MissingField);
        } else if !holds && there {
            let why = "its condition does not hold".into();
            self.problem(loc, ProblemKind::UnexpectedField { why });
        }
        Ok(())
    }

    /// An object stands where a reader looks for it, and a value is what a reader sees.
    fn validate_place(&mut self, loc: Loc, row: &'p Row) -> Fallible<()> {
        let (RowKind::Object { address: expr, .. }
        | RowKind::Mark { address: expr }
        | RowKind::Value { seen: Some(expr) }) = row.kind
        else {
            return Ok(());
        };
        let item = self.tree.entry(loc);
        let there = item.is_there();
        // Where reading depends on the position, it is tried.
        if self.layout.mentions_position(expr) {
            return Ok(());
        }
        if matches!(row.kind, RowKind::Value { .. }) {
            let holds = match row.when {
                Some(condition) if self.layout.mentions_position(condition) => return Ok(()),
                Some(condition) => self.eval_bool(condition, loc.node, None)?,
                None => true,
            };
            let seen = if holds { self.eval(expr, loc.node, None)? } else { Val::None };
            if !self.tree.same(seen, self.tree.val(item)) {
                let seen = self.tree.show(seen);
                let why = format!("it would be seen as {seen}, so set it to that").into();
                self.problem(loc, ProblemKind::ReadsOtherwise { why });
            }
            return Ok(());
        }
        let at = self.tree.row_at(loc);
        if at == UNPLACED || !(there || leads_to_nothing(row)) {
            return Ok(());
        }
        let looked = self.eval_int(expr, loc.node, None)?;
        if looked != Some(at.into()) {
            self.problem(loc, ProblemKind::FoundElsewhere { at: at.into(), looked });
        }
        Ok(())
    }

    /// The number of elements must be what the schema says, where it is not derived from it.
    fn validate_count(&mut self, loc: Loc, row: &'p Row) -> Fallible<()> {
        let Some(count) = count_of(&row.ty) else { return self.validate_last(loc, row) };
        // Elements without bytes of their own are those of a form, which says how many there are.
        if self.tree.item(loc).is_absent()
            || self.layout.mentions_position(count)
            || row.has_no_bytes()
        {
            return Ok(());
        }
        let actual = self.count_units(loc);
        self.compare_count(loc, count, actual)
    }

    fn compare_count(&mut self, loc: Loc, count: ExprId, actual: u64) -> Fallible<()> {
        let expected = match self.eval(count, loc.node, None)? {
            Val::Int(n) => n,
            other => {
                let message = match other {
                    Val::None => UNKNOWN_COUNT.into(),
                    other => format!("the count is {}", self.tree.show(other)).into(),
                };
                self.problem(loc, ProblemKind::Expression { message });
                return Ok(());
            }
        };
        if expected != i128::from(actual) {
            let why = self.gives(loc.node, count, "count").into();
            self.problem(loc, ProblemKind::LengthMismatch { expected, actual, why });
        }
        Ok(())
    }

    /// What says a count, a size or an end, for messages. Whoever has the value knows no arguments: of
    /// these, it is what is given for them.
    fn gives(&self, node: NodeRef, expr: ExprId, what: &str) -> String {
        let (mut node, mut expr, mut alone) = (node, expr, true);
        loop {
            if self.model.exprs.constant(expr).is_some() {
                return "the schema says so".into();
            }
            let mut first: Option<&crate::model::Path> = None;
            // What only stands for a struct says nothing.
            let says = |path: &crate::model::Path| {
                !path.steps.is_empty() || matches!(path.start, Start::Argument(_))
            };
            self.model.exprs.paths(expr, &mut |path| {
                first = first.or(Some(path).filter(|path| says(path)));
            });
            let Some(path) = first else { return format!("another field gives the {what}") };
            alone &= matches!(self.model[expr], Expr::Path(_));
            let given = match path.start {
                Start::Argument(index) => {
                    let argument = self.tree.record(node).arguments.get(index as usize);
                    argument.copied().zip(self.around(node))
                }
                _ => None,
            };
            match given {
                Some((argument, owner)) if path.steps.is_empty() => {
                    (node, expr) = (owner, argument);
                }
                _ if alone => return format!("the {what} is `{}`", path.text),
                _ => return format!("the {what} follows from `{}`", path.text),
            }
        }
    }

    /// A reader finds as many elements of a shared table as the slice has.
    fn validate_slice(
        &mut self,
        loc: Loc,
        row: &'p Row,
        count: Option<RowId>,
        may_be_empty: bool,
    ) -> Fallible<()> {
        if !self.tree.entry(loc).is_there() {
            return Ok(());
        }
        let actual = self.count_items(loc);
        let (said, begins) = (self.stored_base(loc)?.unwrap_or(0), self.slice_base(loc)?);
        if actual > 0 && said != begins {
            let what = format!("its elements begin at {begins}, and the number says {said}");
            self.problem(loc, ProblemKind::Contradicts { what: what.into() });
        }
        if let Some(said) = self.counted(loc, count)? {
            if said != i128::from(actual) {
                let why = "another field gives the count".into();
                self.problem(loc, ProblemKind::LengthMismatch { expected: said, actual, why });
            }
            return Ok(());
        }
        if let Some(count) = count_of(&row.ty) {
            return self.compare_count(loc, count, actual);
        }
        if last_of(&row.ty).is_none() {
            if actual > 0 {
                let why = "nothing says how many there are".into();
                self.problem(loc, ProblemKind::LengthMismatch { expected: 0, actual, why });
            }
            return Ok(());
        }
        if actual == 0 && may_be_empty {
            // With a count any number says nothing; here it has to be the one that says it.
            if self.empty_base(loc)? != Some(said) {
                let what = format!("it has no elements, and the number says {said}").into();
                self.problem(loc, ProblemKind::Contradicts { what });
            }
            return Ok(());
        }
        self.validate_last(loc, row)?;
        if actual > 0 && self.empty_base(loc)? == Some(begins) {
            let what = "its elements begin where those of a slice without elements do".into();
            self.problem(loc, ProblemKind::Contradicts { what });
        }
        Ok(())
    }

    /// `last=` holds for the last element, and for no other.
    fn validate_last(&mut self, loc: Loc, row: &'p Row) -> Fallible<()> {
        let Some(last) = last_of(&row.ty) else { return Ok(()) };
        let Item::Array(items) = self.tree.item(loc) else { return Ok(()) };
        let count = self.tree.count(items);
        for index in 0..count {
            let element = loc.at(index);
            let it = self.tree.val(self.tree.item(element));
            let holds = self.eval_bool(last, loc.node, Some(it))?;
            if holds != (index + 1 == count) {
                let what = match holds {
                    true => "it says that the array ends with it, but there are more elements",
                    false => "it is the last element, but does not say that the array ends with it",
                };
                self.problem(element, ProblemKind::Contradicts { what: what.into() });
            }
        }
        if count == 0 {
            let why = "an element must end the array".into();
            self.problem(loc, ProblemKind::LengthMismatch { expected: 1, actual: 0, why });
        }
        Ok(())
    }

    /// The case of a union must be the one that data elsewhere says.
    fn validate_given(&mut self, loc: Loc, row: &'p Row) -> Fallible<()> {
        let Some(id) = row.ty.union() else { return Ok(()) };
        // What decides stands in the form, whose own row is looked at.
        if matches!(row.role, Role::Elsewhere) {
            return Ok(());
        }
        let union = &self.model.unions[id.index()];
        let Tag::Given(given) = union.tag else { return Ok(()) };
        // Where reading depends on the position, it is tried.
        let mut asked = union.cases.iter().filter_map(|case| case.guard).chain([given]);
        if asked.any(|expr| self.layout.mentions_position(expr)) {
            return Ok(());
        }
        let (first, count) = match self.tree.item(loc) {
            Item::Node(_) => (loc, 1),
            Item::Array(array) => (loc.at(0), self.tree.count(array)),
            _ => return Ok(()),
        };
        let val = self.eval(given, loc.node, None)?;
        let mut wanted = None;
        for candidate in self.layout.dispatch[id.index()].candidates(&[]) {
            let labels = candidate.labels(union);
            if !takes(&self.tree, labels, val) {
                continue;
            }
            let holds = match union.cases[candidate.case as usize].guard {
                Some(guard) if candidate.form.is_none() => self.eval_bool(guard, loc.node, None)?,
                _ => true,
            };
            if holds && !labels.contains(&Label::Else) {
                wanted = Some(*candidate);
                break;
            }
            if holds && wanted.is_none() {
                wanted = Some(*candidate);
            }
        }
        for index in 0..count {
            let at = if index == 0 { first } else { loc.at(index) };
            let Item::Node(node) = self.tree.item(at) else { continue };
            let case = wanted.map(|wanted| (wanted, &union.cases[wanted.case as usize]));
            let is_case = case.filter(|(_, case)| case.record == self.tree.record_id(node));
            if is_case.is_some_and(|(wanted, case)| self.is_form(at, node, case, wanted.form)) {
                continue;
            }
            let shown = self.tree.show(val);
            let what = match case {
                Some(_) if is_case.is_some() => {
                    format!("it does not fit the form that {shown} elsewhere says")
                }
                Some((_, case)) => {
                    format!("the case must be `{}`, as {shown} elsewhere says", case.name)
                }
                None => format!("there is no case for {shown}, which is said elsewhere"),
            };
            self.problem(at, ProblemKind::Contradicts { what: what.into() });
        }
        Ok(())
    }

    /// Whether a case has the form that data elsewhere says, or is to have it the next time: the others
    /// give way to it.
    fn is_form(&mut self, at: Loc, node: NodeRef, case: &'p Case, form: Option<u32>) -> bool {
        let Some(form) = form else { return true };
        let rows = self.tree.record_id(node.as_rows());
        let Some(has) = case.forms.iter().position(|form| form.record == rows) else { return true };
        if has == form as usize {
            return true;
        }
        let path = self.tree.path(at);
        for other in (0..case.forms.len()).filter(|other| *other != form as usize) {
            self.lose_form(path.clone(), other);
        }
        self.writing.late_forms.get(&path).is_some_and(|late| late.contains(&has))
    }

    fn validate_reference(&mut self, loc: Loc, reference: &'p Reference) -> Fallible<()> {
        match self.tree.item(loc) {
            Item::Array(array) => {
                for index in 0..self.tree.count(array) {
                    if !self.validate_one(loc, loc.at(index), reference)? {
                        break;
                    }
                }
            }
            _ => {
                self.validate_one(loc, loc, reference)?;
            }
        }
        Ok(())
    }

    /// Whether the others of the same array can be looked at, too.
    fn validate_one(&mut self, loc: Loc, target: Loc, reference: &'p Reference) -> Fallible<bool> {
        let Some(index) = self.tree.int(self.tree.item(target)) else { return Ok(true) };
        let Some(array) = self.referred(reference, loc)? else {
            if self.refers_to_nothing(reference, loc)? {
                return Ok(false);
            }
            let what = "the array that it refers to is not there".into();
            self.problem(target, ProblemKind::NotAnElement { what });
            return Ok(false);
        };
        if let (Some(field), Some(key)) = (&reference.field, reference.key) {
            if self.contents(array, key)?.binary_search(&index).is_err() {
                let what = format!("no element has the {field} {index}").into();
                self.problem(target, ProblemKind::NotAnElement { what });
            }
            return Ok(true);
        }
        let count = self.count_items(array);
        if index < 0 || index >= i128::from(count) {
            self.problem(target, ProblemKind::IndexOutOfRange { index, count });
        } else if let Some(filter) = reference.filter.filter(|_| self.tree.row(loc).has_no_bytes())
        {
            let ranks = self.ranks(array, filter, loc.node)?;
            let position = u32::try_from(index).ok();
            if position.map_or(true, |at| self.rank_in(&ranks, at).is_none()) {
                let what = format!("element {index} is not one that can be referred to").into();
                self.problem(target, ProblemKind::NotAnElement { what });
            }
        }
        Ok(true)
    }

    fn validate_unique(&mut self, loc: Loc) -> Fallible<()> {
        for (element, key) in self.twice(loc)? {
            self.problem(element, ProblemKind::DuplicateKey { key: key.into() });
        }
        Ok(())
    }

    /// Sizes and ends of regions that the schema states in another way too.
    fn check_expectations(&mut self) {
        for expectation in core::mem::take(&mut self.writing.expectations) {
            let loc = expectation.loc;
            let expected = match self.eval_int(expectation.expr, loc.node, None) {
                Ok(Some(expected)) => expected,
                Ok(None) => {
                    // How far it reaches may be said by bytes that are not its own: then what is
                    // written is read again.
                    let row = (self.tree.record_id(loc.node), loc.row);
                    if !asks_for(self.layout.owned(), expectation.expr, row) {
                        let message = UNKNOWN_COUNT.into();
                        self.problem(loc, ProblemKind::Expression { message });
                    }
                    continue;
                }
                Err(fault) => {
                    self.report(*fault, loc);
                    continue;
                }
            };
            if expected != i128::from(expectation.actual) {
                let why =
                    self.gives(expectation.loc.node, expectation.expr, expectation.what).into();
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
