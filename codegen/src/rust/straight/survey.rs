//! All that the fast path does not carry, where making its code stops with the first of it.
//!
//! A survey makes the code as ever. But where a row, a rule or a statement of a layout cannot be
//! carried, that is written down, and the next one is made as if it could. So the code that comes
//! of it is good for nothing, and nobody looks at it.
//!
//! Not all that is found takes the fast path away: a case of a union that is not carried is odd
//! where it occurs, and a layout that is not carried is odd as a whole. What is found says so.

use proc_macro2::TokenStream;

use super::able::{Able, Unable};
use super::context::{Flavour, RULES_OF_BITS, Straight};
use super::findings::{Finding, Survey, Task};
use super::{check, read, write};
use crate::model::{RecordId, RowId};
use crate::rust::layouts::Layouts;
use crate::rust::shape::Shapes;
use crate::span::Span;

/// All that the fast path of a model does not carry, and of each layout whether it has none for that.
/// What holds for the model as a whole is not among it.
pub(in crate::rust) fn survey(
    shapes: &Shapes<'_>,
    views: &Layouts<'_>,
) -> (Vec<Finding>, Vec<bool>) {
    let (mut all, mut lost) = (Vec::new(), Vec::new());
    for epoch in 0..views.len() {
        // One at a time, as what is not in a layout does not matter to it.
        let found = of_layout(shapes, views, epoch);
        lost.push(found.iter().any(|finding| !finding.in_case));
        all.extend(found);
    }
    (all, lost)
}

fn of_layout(shapes: &Shapes<'_>, views: &Layouts<'_>, epoch: usize) -> Vec<Finding> {
    let straight = Straight {
        survey: Some(Survey::default()),
        layouts: vec![epoch],
        ..Straight::new(shapes, views, Flavour::Values)
    };
    let root = straight.model.root;
    if let Err(Unable(why)) = straight.is_not_too_much() {
        let (task, row, span, in_case) = (Task::Reading, None, None, false);
        return vec![Finding { task, record: root, row, span, why, in_case, epoch }];
    }
    let reader = straight.at_last(Task::Reading, root, || read::emit(&straight));
    let plain = straight.survey.as_ref().is_some_and(|survey| survey.found.borrow().is_empty());
    let sealed = plain && reader.is_some_and(|reader| reader.doubt.is_none());
    if let Some(checking) =
        straight.at_last(Task::Checking, root, || check::Checking::new(&straight, false))
    {
        straight.at_last(Task::Writing, root, || write::emit(&straight, &checking));
        straight.at_last(Task::Checking, root, || check::emit(&checking, sealed));
    }
    straight.at_last(Task::Writing, root, || straight.epoch_function());
    let rules = straight.rules_of_bits().into_iter().map(|at| (at, Task::Checking, RULES_OF_BITS));
    for ((record, row), task, why) in rules {
        let why = why.to_owned();
        let (row, span, in_case) = (Some(row), None, false);
        if let Some(survey) = &straight.survey {
            survey.add(Finding { task, record, row, span, why, in_case, epoch });
        }
    }
    straight.survey.map(|survey| survey.found.into_inner()).unwrap_or_default()
}

impl Straight<'_, '_> {
    /// Whether code is made for what is found on the way.
    pub(super) fn is_survey(&self) -> bool {
        self.survey.as_ref().is_some_and(|survey| !survey.paused.get())
    }

    /// What was made for a record, or a row of it. In a survey, what could not be made is found and
    /// nothing else happens.
    pub(super) fn carried<T>(
        &self,
        record: RecordId,
        row: Option<RowId>,
        made: Able<T>,
    ) -> Able<Option<T>> {
        self.carried_at(record, row, None, made)
    }

    /// The same for something that is written at a place of its own.
    pub(super) fn carried_at<T>(
        &self,
        record: RecordId,
        row: Option<RowId>,
        span: Option<Span>,
        made: Able<T>,
    ) -> Able<Option<T>> {
        match (made, &self.survey) {
            (Err(Unable(why)), Some(survey)) if self.is_survey() => {
                let (task, epoch) = (survey.task.get(), self.layouts[0]);
                let in_case = survey.cases.get() > 0;
                survey.add(Finding { task, record, row, span, why, in_case, epoch });
                Ok(None)
            }
            (made, _) => made.map(Some),
        }
    }

    /// Makes code for a case, which may be left out.
    pub(super) fn in_case(
        &self,
        record: RecordId,
        make: impl FnOnce() -> Able<TokenStream>,
    ) -> Able<TokenStream> {
        let Some(survey) = &self.survey else { return make() };
        if survey.paused.get() {
            let made = make();
            if let Err(Unable(why)) = &made {
                let (task, epoch, why) = (survey.task.get(), self.layouts[0], why.clone());
                let (row, span, in_case) = (None, None, true);
                let found = Finding { task, record, row, span, why, in_case, epoch };
                survey.perhaps.borrow_mut().push(found);
            }
            return made;
        }
        survey.cases.set(survey.cases.get() + 1);
        let made = self.carried(record, None, make());
        survey.cases.set(survey.cases.get() - 1);
        Ok(made?.unwrap_or_default())
    }

    /// Makes code that there is another way for.
    pub(super) fn perhaps<T>(&self, make: impl FnOnce() -> Able<T>) -> Able<T> {
        let Some(survey) = &self.survey else { return make() };
        let paused = survey.paused.replace(true);
        let before = survey.perhaps.borrow().len();
        let made = make();
        survey.paused.set(paused);
        let inside = match (&made, paused) {
            // Whoever is around may still take another way.
            (Ok(_), true) => Vec::new(),
            (Ok(_), false) => survey.perhaps.take(),
            (Err(_), _) => {
                survey.perhaps.borrow_mut().truncate(before);
                Vec::new()
            }
        };
        inside.into_iter().for_each(|finding| survey.add(finding));
        made
    }

    /// In a survey, makes a function once, by its key. What is found in it is so wherever it is
    /// called.
    pub(super) fn find_in_function(
        &self,
        key: String,
        make: impl FnOnce() -> Able<()>,
    ) -> Able<()> {
        let Some(survey) = &self.survey else { return make() };
        let known = survey.functions.borrow().get(&key).cloned();
        let inside = match known {
            Some(known) => known,
            None => {
                // Who calls it from inside of itself learns nothing new.
                survey.functions.borrow_mut().insert(key.clone(), Vec::new());
                let around = (survey.found.take(), survey.cases.replace(0));
                let made = make();
                let inside = survey.found.replace(around.0);
                survey.cases.set(around.1);
                made?;
                survey.functions.borrow_mut().insert(key, inside.clone());
                inside
            }
        };
        let in_case = survey.cases.get() > 0;
        for finding in inside {
            survey.add(Finding { in_case: finding.in_case || in_case, ..finding });
        }
        Ok(())
    }

    /// What was made of the root, of which everything is.
    fn at_last<T>(&self, task: Task, root: RecordId, make: impl FnOnce() -> Able<T>) -> Option<T> {
        if let Some(survey) = &self.survey {
            survey.task.set(task);
        }
        self.carried(root, None, make()).ok().flatten()
    }
}
