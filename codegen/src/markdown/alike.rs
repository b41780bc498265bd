//! Cases of a tagged union that are like many others: one field behind the tag, or a list that is framed
//! in the same way. Each is one line, and what they share is said once.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::epochs::{group, join, label};
use super::facts::{facts, row_name};
use super::plan::Cx;
use super::rows::{Table, row_cells};
use super::sections::{label_word, labels};
use super::text::{code, head, hex, prose, sentence, table};
use super::types::{content_type, frame};
use crate::model::{
    Case, DefinerScope, DefinerSource, EpochId, Home, Label, Measure, Record, RecordId, Role, Row,
    RowKind, Tag, Type, Union,
};

/// So many bodies are needed for a table of their own.
const ENOUGH: usize = 3;

/// What stands behind one label: a case, or one of its forms.
struct Body<'m> {
    case: &'m Case,
    labels: &'m [Label],
    epochs: &'m [bool],
    record: RecordId,
    /// Whether it is the case itself, or its first form.
    first: bool,
    /// The one row that it has, or the one that is a list.
    row: usize,
}

/// Lists that are framed in the same way.
struct Group<'m> {
    /// Rows around the list, per epoch, as far as any body has them.
    frames: Vec<Option<Frame>>,
    bodies: Vec<Body<'m>>,
}

/// Rows of a body, without what the elements are.
#[derive(PartialEq)]
struct Frame {
    rows: Vec<[String; 4]>,
    list: String,
}

/// The cases that have no table of rows.
pub(super) struct Alike<'m> {
    single: Vec<Body<'m>>,
    groups: Vec<Group<'m>>,
}

impl<'m> Alike<'m> {
    pub(super) fn find(cx: &Cx<'m>, union: &'m Union, own: &dyn Fn(&Row) -> bool) -> Alike<'m> {
        let mut alike = Alike { single: Vec::new(), groups: Vec::new() };
        if !matches!(union.tag, Tag::Own(_)) {
            return alike;
        }
        for case in union.cases.iter().filter(|case| !case.whole && case.guard.is_none()) {
            let bodies = bodies(case);
            let singles: Option<Vec<usize>> = bodies.iter().map(|b| single(cx, b, own)).collect();
            if let Some(rows) = singles {
                let rows = bodies.into_iter().zip(rows);
                alike.single.extend(rows.map(|(body, row)| Body { row, ..body }));
                continue;
            }
            let lists: Option<Vec<usize>> = bodies.iter().map(|b| list(cx, b, own)).collect();
            if let Some(rows) = lists {
                let rows = bodies.into_iter().zip(rows);
                let bodies: Vec<Body<'m>> = rows.map(|(body, row)| Body { row, ..body }).collect();
                alike.add_lists(cx, bodies);
            }
        }
        if alike.single.len() < ENOUGH {
            alike.single.clear();
        }
        alike.groups.retain(|group| group.bodies.len() >= ENOUGH && group.widest().is_some());
        alike
    }

    /// Adds the bodies of one case to the group that they fit, all of them.
    fn add_lists(&mut self, cx: &Cx<'m>, bodies: Vec<Body<'m>>) {
        let count = cx.model.epochs.len();
        let frames: Vec<Vec<Option<Frame>>> = bodies
            .iter()
            .map(|body| {
                let here = |epoch: usize| body.epochs.get(epoch) == Some(&true);
                (0..count).map(|at| here(at).then(|| frame_of(cx, body, at))).collect()
            })
            .collect();
        let fits = |group: &Group<'m>, frames: &[Option<Frame>]| {
            let pairs = group.frames.iter().zip(frames);
            pairs.into_iter().all(|(one, other)| one.is_none() || other.is_none() || one == other)
        };
        let at = self.groups.iter().position(|group| frames.iter().all(|f| fits(group, f)));
        let at = at.unwrap_or_else(|| {
            let frames = (0..count).map(|_| None).collect();
            self.groups.push(Group { frames, bodies: Vec::new() });
            self.groups.len().saturating_sub(1)
        });
        let Some(group) = self.groups.get_mut(at) else { return };
        for (body, frames) in bodies.into_iter().zip(frames) {
            for (known, frame) in group.frames.iter_mut().zip(frames) {
                if known.is_none() {
                    *known = frame;
                }
            }
            group.bodies.push(body);
        }
    }

    /// Whether a case stands in one of the tables.
    pub(super) fn has(&self, case: &Case) -> bool {
        let mut bodies = self.single.iter().chain(self.groups.iter().flat_map(|g| &g.bodies));
        bodies.any(|body| std::ptr::eq(body.case, case))
    }

    pub(super) fn print(&self, cx: &Cx<'_>, union: &Union, out: &mut String) {
        if !self.single.is_empty() {
            singles(cx, union, &self.single, out);
        }
        for group in &self.groups {
            group.print(cx, union, out);
        }
    }
}

fn bodies(case: &Case) -> Vec<Body<'_>> {
    if case.forms.is_empty() {
        let (labels, epochs) = (&*case.labels, &*case.epochs);
        return vec![Body { case, labels, epochs, record: case.record, first: true, row: 0 }];
    }
    let forms = case.forms.iter().enumerate();
    forms
        .map(|(at, form)| Body {
            case,
            labels: &form.labels,
            epochs: &form.epochs,
            record: form.record,
            first: at == 0,
            row: 0,
        })
        .collect()
}

/// Rows of a body that are its own, by number.
fn own_rows(record: &Record, epochs: &[bool], own: &dyn Fn(&Row) -> bool) -> Vec<usize> {
    let there = |row: &Row| {
        let mut homes = row.homes.iter().zip(epochs);
        homes.any(|(home, here)| *here && *home != Home::Absent)
    };
    let rows = record.rows.iter().enumerate();
    rows.filter(|(_, row)| own(row) && there(row)).map(|(at, _)| at).collect()
}

/// The only row of a body, if it is a value and nothing with rows of its own.
fn single(cx: &Cx<'_>, body: &Body<'_>, own: &dyn Fn(&Row) -> bool) -> Option<usize> {
    let record = cx.record(body.record)?;
    let [row] = *own_rows(record, body.epochs, own).as_slice() else { return None };
    let found = record.rows.get(row)?;
    let plain = matches!(found.kind, RowKind::Plain | RowKind::Constant(_));
    let choice = found.ty.unions().next().is_some();
    (plain && !choice && found.when.is_none() && record.checks.is_empty() && record.lets.is_empty())
        .then_some(row)
}

/// The row of a body that is a list, if all others say no more than its size and the like.
fn list(cx: &Cx<'_>, body: &Body<'_>, own: &dyn Fn(&Row) -> bool) -> Option<usize> {
    let record = cx.record(body.record)?;
    let rows = own_rows(record, body.epochs, own);
    let (last, before) = rows.split_last()?;
    let found = record.rows.get(*last)?;
    let here = |epoch: usize| body.epochs.get(epoch) == Some(&true);
    let mut epochs = (0..cx.model.epochs.len()).filter(|epoch| here(*epoch));
    let framed =
        epochs.all(|epoch| frame(cx, found.ty.in_epoch(id_of(epoch)), id_of(epoch)).is_some());
    let about_it = |row: &Row| {
        matches!(row.role, Role::Derived)
            && matches!(row.ty.first(), Type::Cell(_))
            && row.definers.iter().all(|definer| match (&definer.scope, &definer.source) {
                (DefinerScope::Own, DefinerSource::Measure { row, .. }) => row.index() == *last,
                _ => false,
            })
    };
    let plain = !before.is_empty()
        && framed
        && matches!(found.kind, RowKind::Plain)
        && found.when.is_none()
        && record.checks.is_empty()
        && before.iter().all(|at| record.rows.get(*at).is_some_and(about_it));
    plain.then_some(*last)
}

fn id_of(epoch: usize) -> EpochId {
    EpochId(u32::try_from(epoch).unwrap_or(u32::MAX))
}

/// The rows of a body in one epoch, without what is said of the elements.
fn frame_of(cx: &Cx<'_>, body: &Body<'_>, epoch: usize) -> Frame {
    let mut here = vec![false; cx.model.epochs.len()];
    if let Some(here) = here.get_mut(epoch) {
        *here = true;
    }
    let empty = Frame { rows: Vec::new(), list: String::new() };
    let Some(record) = cx.record(body.record) else { return empty };
    let mut rows = Vec::new();
    for at in own_rows(record, &here, &|_| true) {
        let mut cells = row_cells(cx, body.record, at, &here);
        let [offset, _, ty, name, role, said] = cells.as_mut_slice() else { continue };
        if at == body.row {
            rows.push([std::mem::take(offset), String::new(), String::new(), String::new()]);
            continue;
        }
        // Bytes have a length where elements have a size; that is the same.
        let measures = record.rows.get(at).map(measures).unwrap_or_default();
        let role = if measures.is_empty() { std::mem::take(role) } else { measures };
        rows.push([
            std::mem::take(offset),
            format!("{} {}", std::mem::take(ty), std::mem::take(name)),
            role,
            std::mem::take(said),
        ]);
    }
    let list = record.rows.get(body.row).and_then(|row| {
        let (_, frame) = frame(cx, row.ty.in_epoch(id_of(epoch)), id_of(epoch))?;
        Some(frame)
    });
    Frame { rows, list: list.unwrap_or_default() }
}

/// What a row measures, without names.
fn measures(row: &Row) -> String {
    let mut out = String::new();
    for definer in &row.definers {
        if let DefinerSource::Measure { measure, factor, offset, .. } = &definer.source {
            let measure = match (measure, row.ty.first()) {
                (Measure::Count | Measure::Records | Measure::Size, _) => "size".to_owned(),
                (measure, _) => format!("{measure:?}"),
            };
            let _ = write!(out, "{measure} {factor} {offset};");
        }
    }
    out
}

/// The documentation that most of the rows have: it is said once.
fn common_doc(cx: &Cx<'_>, bodies: &[Body<'_>]) -> Option<String> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for body in bodies {
        let row = cx.record(body.record).and_then(|record| record.rows.get(body.row));
        if let Some(doc) = row.and_then(|row| row.doc.as_deref()) {
            let count = counts.entry(doc).or_insert(0);
            *count = count.saturating_add(1);
        }
    }
    let counts = counts.into_iter().filter(|(_, count)| *count >= ENOUGH);
    let most = counts.max_by_key(|(doc, count)| (*count, *doc));
    most.map(|(doc, _)| sentence(doc))
}

/// What is said of the field of a body, of the logical value and of the case.
fn said_of(cx: &Cx<'_>, body: &Body<'_>, common: Option<&str>) -> String {
    let mut said: Vec<String> = body.case.doc.as_deref().map(sentence).into_iter().collect();
    said.extend(super::about::of_case(cx.model, body.case));
    let mut add = |text: String| {
        if !said.contains(&text) {
            said.push(text);
        }
    };
    let Some(record) = cx.record(body.record) else { return String::new() };
    if let Some(row) = record.rows.get(body.row) {
        let known = |text: &String| common == Some(text.as_str());
        facts(cx, record, row).into_iter().filter(|text| !known(text)).for_each(&mut add);
    }
    if body.first && !body.case.forms.is_empty() {
        for (record, row) in logical(cx, body.case) {
            let ty = content_type(cx, &row.ty, EpochId(0));
            add(if ty.starts_with("list") {
                format!("All forms hold a {ty}.")
            } else {
                format!("All forms hold a value of the type {ty}.")
            });
            let known = |text: &String| common == Some(text.as_str());
            facts(cx, record, row).into_iter().filter(|text| !known(text)).for_each(&mut add);
        }
    }
    said.join(" ")
}

/// Rows of a case with forms that are the value.
fn logical<'m>(cx: &Cx<'m>, case: &Case) -> Vec<(&'m Record, &'m Row)> {
    let Some(record) = cx.record(case.record) else { return Vec::new() };
    let rows = record.rows.iter().filter(|row| !matches!(row.kind, RowKind::Constant(_)));
    rows.map(|row| (record, row)).collect()
}

fn names(cx: &Cx<'_>, bodies: &[Body<'_>]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for body in bodies {
        let row = cx.record(body.record).and_then(|record| record.rows.get(body.row));
        let name = row.and_then(|row| row.name.as_deref()).map(code).unwrap_or_default();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// A sentence behind a colon.
fn first_small(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_lowercase);
    first.chain(letters).collect()
}

/// The table of bodies with one row each.
fn singles(cx: &Cx<'_>, union: &Union, bodies: &[Body<'_>], out: &mut String) {
    let common = common_doc(cx, bodies);
    let names = names(cx, bodies);
    let name = match names.as_slice() {
        [name] if !name.is_empty() => format!(", {name}"),
        _ => String::new(),
    };
    let doc = match &common {
        Some(doc) => format!(": {}", first_small(doc)),
        None => ".".to_owned(),
    };
    let _ = writeln!(out, "These cases have one field{name}{doc}\n");
    let mut rows = Vec::new();
    for body in bodies {
        let mut cells = row_cells(cx, body.record, body.row, body.epochs).into_iter();
        let mut next = || cells.next().unwrap_or_default();
        let (offset, size, ty, name, role) = (next(), next(), next(), next(), next());
        let role = if matches!(role.as_str(), "data" | "fixed") { String::new() } else { role };
        rows.push(vec![
            labels(cx, union, body.labels),
            code(&body.case.name),
            prose(&label(cx.model, body.epochs)),
            offset,
            size,
            ty,
            if names.len() > 1 { name } else { String::new() },
            role,
            said_of(cx, body, common.as_deref()),
        ]);
    }
    let titles = [
        label_word(union),
        "Case",
        "Versions",
        "Offset",
        "Size",
        "Type",
        "Name",
        "Role",
        "Description",
    ];
    let _ = writeln!(out, "{}", table(&head(&titles), &rows));
}

impl Group<'_> {
    /// A body that all versions of the group have.
    fn widest(&self) -> Option<&Body<'_>> {
        self.bodies.iter().find(|body| {
            let mut pairs = self.frames.iter().zip(body.epochs);
            pairs.all(|(frame, here)| frame.is_none() || *here)
        })
    }

    fn print(&self, cx: &Cx<'_>, union: &Union, out: &mut String) {
        let Some(widest) = self.widest() else { return };
        let common = common_doc(cx, &self.bodies);
        let names = names(cx, &self.bodies);
        let text = "These cases hold a list, which is framed in the same way in all of them.";
        let _ = writeln!(out, "{text}\n");
        let mut rows = Table::default();
        let Some(record) = cx.record(widest.record) else { return };
        let Some(list) = record.rows.get(widest.row) else { return };
        let is_list = |row: &Row| row.span == list.span && row.name == list.name;
        rows.add(cx, widest.record, "", widest.epochs, &|row| {
            !is_list(row) && matches!(row.role, Role::Derived)
        });
        rows.add(cx, widest.record, "", widest.epochs, &is_list);
        if let Some([_, ty, name, _, said]) = rows.last() {
            let here = |epoch: usize| widest.epochs.get(epoch) == Some(&true);
            let texts = group(cx.model.epochs.len(), |epoch| {
                let ty = list.ty.in_epoch(id_of(epoch));
                here(epoch).then(|| frame(cx, ty, id_of(epoch)).map(|(_, frame)| frame)).flatten()
            });
            *ty = join(cx.model, &texts);
            *name = names.join(" or ");
            *said = common.clone().unwrap_or_default();
        }
        let _ = writeln!(out, "{}", rows.print(cx, "", "Offset", widest.epochs));
        let mut rows = Vec::new();
        for body in &self.bodies {
            let Some(record) = cx.record(body.record) else { continue };
            let Some(row) = record.rows.get(body.row) else { continue };
            let (element, size) = element(cx, body, row);
            rows.push(vec![
                labels(cx, union, body.labels),
                code(&body.case.name),
                prose(&label(cx.model, body.epochs)),
                element,
                size,
                if names.len() > 1 { row_name(record, row_id(body.row)) } else { String::new() },
                said_of(cx, body, common.as_deref()),
            ]);
        }
        let titles = [
            label_word(union),
            "Case",
            "Versions",
            "Element",
            "Size of one",
            "Name",
            "Description",
        ];
        let _ = writeln!(out, "{}", table(&head(&titles), &rows));
    }
}

fn row_id(at: usize) -> crate::model::RowId {
    crate::model::RowId(u32::try_from(at).unwrap_or(u32::MAX))
}

/// The element of the list of a body, and its size, per epoch.
fn element(cx: &Cx<'_>, body: &Body<'_>, row: &Row) -> (String, String) {
    let here = |epoch: usize| body.epochs.get(epoch) == Some(&true);
    let count = cx.model.epochs.len();
    let frames = |epoch: usize| {
        let ty = row.ty.in_epoch(id_of(epoch));
        here(epoch).then(|| frame(cx, ty, id_of(epoch))).flatten()
    };
    let texts = group(count, |epoch| frames(epoch).map(|((text, _), _)| text));
    let sizes = group(count, |epoch| {
        let ((_, ty), _) = frames(epoch)?;
        let size = match ty {
            Some(ty) => cx.sizes.get(epoch)?.of(ty),
            None => Some(1),
        };
        Some(size.map_or_else(|| "varies".to_owned(), hex))
    });
    (join(cx.model, &texts), join(cx.model, &sizes))
}
