//! Structs, packed words, and the unions in them.

use std::fmt::Write as _;

use super::alike::Alike;
use super::epochs::{bounds, group, join, label};
use super::expr::{words, written};
use super::facts::{RAW_HEX_FROM, facts, is_raw};
use super::plan::{Cx, Heading, unions_in};
use super::rows::{Table, value_type};
use super::text::{
    and, code, constant, head, hex, is_hex, number, plain, prose, sentence, source, table,
};
use super::types::{arguments, cell_text, int_text, record_text, telling};
use crate::model::{
    ByteOrder, Case, Cell, CheckKind, EndianRule, EpochId, Expr, Home, Label, Meaning, Member,
    Pattern, Record, RecordId, RecordKind, Role, Row, RowKind, Step, Subject, Tag, Type, Union,
    UnionId,
};

/// Headings of a struct and of the unions in it, in the order of [`section`].
pub(super) fn headings(cx: &Cx<'_>, id: RecordId) -> Vec<Heading> {
    let mut found =
        vec![Heading { key: cx.record_key(id), level: 3, title: cx.title(id).to_owned() }];
    for union in unions_below(cx, id) {
        if !cx.union(union).is_some_and(|found| found.body) {
            let title = cx.union_title(union);
            found.push(Heading { key: cx.union_key(union), level: 4, title });
        }
    }
    found
}

/// A struct without its heading.
pub(super) fn section(cx: &Cx<'_>, id: RecordId) -> String {
    let Some(record) = cx.record(id) else { return String::new() };
    let mut out = String::new();
    intro(cx, id, record, &mut out);
    let body = unions_in(&record.rows).into_iter().find(|u| cx.union(*u).is_some_and(|u| u.body));
    let exists = exists(cx, record);
    let mut rows = Table::default();
    if let Some(union) = body {
        tag_line(cx, union, &mut rows);
        common(cx, union, &mut rows);
    }
    let is_body = |row: &Row| row.ty.unions().any(|union| Some(union) == body);
    rows.add(cx, id, "", &exists, &|row| !is_body(row) && !is_seen(row));
    let offset = if matches!(record.kind, RecordKind::Word(_)) { "Bits" } else { "Offset" };
    if rows.is_empty() && body.is_none() {
        out.push_str("It has no rows.\n\n");
    }
    let text = rows.print(cx, "", offset, &exists);
    if !text.is_empty() {
        let _ = writeln!(out, "{text}");
    }
    let body = body.and_then(|union| cx.union(union));
    if body
        .is_some_and(|union| !shared(cx, union).is_empty() && union.cases.iter().any(|c| c.whole))
    {
        out.push_str("A case that is a structure of its own has its rows instead of these.\n\n");
    }
    seen(cx, record, &mut out);
    after(cx, record, &mut out);
    for union in unions_below(cx, id) {
        let Some(found) = cx.union(union) else { continue };
        if !found.body {
            let _ = writeln!(out, "#### {}\n", plain(&cx.union_title(union)));
        }
        union_text(cx, union, found, &mut out);
    }
    out.push_str(&super::about::of_section(cx, id));
    out
}

/// Unions in a struct and in their cases, outer ones first.
fn unions_below(cx: &Cx<'_>, id: RecordId) -> Vec<UnionId> {
    let mut found = Vec::new();
    let mut work = vec![id];
    let mut at = 0;
    while let Some(record) = work.get(at).copied() {
        at = at.saturating_add(1);
        let Some(record) = cx.record(record) else { continue };
        for union in unions_in(&record.rows) {
            if found.contains(&union) {
                continue;
            }
            found.push(union);
            let cases = cx.union(union).map(|union| union.cases.as_slice()).unwrap_or_default();
            for case in cases.iter().filter(|case| !case.whole) {
                work.push(case.record);
                work.extend(case.forms.iter().map(|form| form.record));
            }
        }
    }
    found
}

/// Epochs that have the struct.
pub(super) fn exists(cx: &Cx<'_>, record: &Record) -> Vec<bool> {
    let homed = record.sizes.iter().any(Option::is_some);
    (0..cx.model.epochs.len())
        .map(|epoch| {
            let row = |row: &Row| !matches!(row.homes.get(epoch), None | Some(Home::Absent));
            let sized = record.sizes.get(epoch).is_some_and(Option::is_some);
            sized || (!homed && record.rows.is_empty()) || record.rows.iter().any(row)
        })
        .collect()
}

fn intro(cx: &Cx<'_>, id: RecordId, record: &Record, out: &mut String) {
    if let Some(doc) = &record.doc {
        let _ = writeln!(out, "{}\n", sentence(doc));
    }
    out.push_str(&super::about::about(cx.model, Subject::Record(id)));
    let mut said = Vec::new();
    if let RecordKind::Word(int) = record.kind {
        said.push(format!("Bits of {}, bit 0 is the lowest.", code(&int_text(int))));
    } else {
        let sizes = group(cx.model.epochs.len(), |epoch| {
            record.sizes.get(epoch).copied().flatten().map(hex)
        });
        let size = join(cx.model, &sizes);
        let rest = if record.open { ", then rows of varying size" } else { "" };
        if !size.is_empty() {
            said.push(format!("{size} bytes{rest}."));
        }
    }
    let exists = exists(cx, record);
    if exists.contains(&false) && exists.contains(&true) {
        said.push(format!("Only in versions {}.", prose(&label(cx.model, &exists))));
    }
    if let Some(align) = record.align {
        said.push(format!("Begins on a multiple of {align}."));
    }
    match &record.endian {
        Some(EndianRule::Fixed(ByteOrder::Little)) => said.push("Little endian.".to_owned()),
        Some(EndianRule::Fixed(ByteOrder::Big)) => said.push("Big endian.".to_owned()),
        Some(EndianRule::Chosen(choices, otherwise)) => {
            let word = |order: ByteOrder| match order {
                ByteOrder::Little => "little endian",
                ByteOrder::Big => "big endian",
            };
            let mut texts: Vec<String> = choices
                .iter()
                .map(|(condition, order)| {
                    format!("{} if {}", word(*order), written(cx.model, *condition))
                })
                .collect();
            texts.extend(otherwise.map(|order| format!("{} otherwise", word(order))));
            said.push(format!("Byte order: {}.", texts.join(", ")));
        }
        None => {}
    }
    let stands_for = record.transparent.and_then(|row| record.rows.get(row.index()));
    // Of a union type that is the union, of which the whole section tells.
    if let Some(row) = stands_for.filter(|row| !matches!(row.ty, Type::Union(_))) {
        let name = row.name.as_deref().map_or_else(|| "its only row".to_owned(), code);
        said.push(format!("Its value is that of {name}, and nothing more."));
    }
    if record.recursive {
        said.push("It can contain itself.".to_owned());
    }
    if !said.is_empty() {
        let _ = writeln!(out, "{}\n", said.join(" "));
    }
    parameters(cx, id, out);
    if let Some(found) = &record.source {
        let _ = writeln!(out, "Source: {}\n", source(found));
    }
}

/// What the uses of a struct with parameters differ in.
fn parameters(cx: &Cx<'_>, id: RecordId, out: &mut String) {
    let members = cx.members(cx.class(id));
    let uses: Vec<Vec<(String, String)>> = members.iter().map(|id| arguments(cx, *id)).collect();
    let shown = telling(cx, id);
    for (name, _) in &shown {
        let mut values: Vec<&String> = Vec::new();
        for (_, value) in uses.iter().flatten().filter(|(other, _)| other == name) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        let one = if values.len() == 1 { "is" } else { "is one of" };
        let values: Vec<String> = values.into_iter().cloned().collect();
        let _ = writeln!(out, "- Parameter {} {one} {}.", code(name), values.join(", "));
    }
    if !shown.is_empty() {
        out.push('\n');
    }
}

/// Whether no field holds a value, so that it is seen from other things.
fn is_seen(row: &Row) -> bool {
    matches!(row.kind, RowKind::Value { seen: Some(_) })
}

/// Values that no field holds: what kind of file it is, by which writing differs.
fn seen(cx: &Cx<'_>, record: &Record, out: &mut String) {
    let mut rows = Vec::new();
    for row in record.rows.iter().filter(|row| is_seen(row)) {
        let RowKind::Value { seen: Some(expr) } = row.kind else { continue };
        let usually = match &row.role {
            Role::Default(value) => constant(value),
            _ => String::new(),
        };
        rows.push(vec![
            row.name.as_deref().map(code).unwrap_or_default(),
            value_type(cx, row.ty.first(), EpochId(0)),
            usually,
            words(cx.model, expr),
            facts(cx, record, row).join(" "),
        ]);
    }
    let text = table(&head(&["Name", "Type", "Usually", "Seen from", "Description"]), &rows);
    if !text.is_empty() {
        let _ = writeln!(
            out,
            "No field holds this, but how the rest is written depends on it:\n\n{text}"
        );
    }
}

/// Named expressions and rules below the table.
fn after(cx: &Cx<'_>, record: &Record, out: &mut String) {
    let before = out.len();
    for found in &record.lets {
        let doc = found.doc.as_deref().map(sentence).unwrap_or_default();
        let text =
            format!("- {} is short for {}. {doc}", code(&found.name), words(cx.model, found.expr));
        let _ = writeln!(out, "{}", text.trim_end());
    }
    for check in &record.checks {
        let text = match &check.kind {
            CheckKind::Holds(rule) => written(cx.model, *rule),
            _ => code(&check.text),
        };
        let doc = check.doc.as_deref().map(sentence).unwrap_or_default();
        let _ = writeln!(out, "{}", format!("- Rule: {text}. {doc}").trim_end());
    }
    if out.len() > before {
        out.push('\n');
    }
}

fn tag_line(cx: &Cx<'_>, id: UnionId, rows: &mut Table) {
    let Some(union) = cx.union(id) else { return };
    let here = vec![true; cx.model.epochs.len()];
    if let Tag::Own(cell) | Tag::Word(cell) = &union.tag {
        let size = cx.sizes.first().and_then(|sizes| sizes.of(&Type::Cell(cell.clone())));
        let size = size.map(hex).unwrap_or_default();
        let ty = cell_text(cx, cell);
        rows.add_line("", &here, "0x00", [&size, &ty, "", "derived: the case", "Tag."]);
    }
}

/// Cases that have bodies with rows of their own, by number.
fn bodies(union: &Union) -> Vec<usize> {
    let cases = union.cases.iter().enumerate();
    cases.filter(|(_, case)| !case.whole && case.forms.is_empty()).map(|(at, _)| at).collect()
}

/// Rows that stand in front of the first case: each body has them, from the same line.
fn shared(cx: &Cx<'_>, union: &Union) -> Vec<Row> {
    let cases = bodies(union);
    if cases.len() < 2 {
        return Vec::new();
    }
    let records: Vec<&Record> = cases
        .iter()
        .filter_map(|at| union.cases.get(*at).and_then(|case| cx.record(case.record)))
        .collect();
    let Some((first, others)) = records.split_first() else { return Vec::new() };
    let everywhere =
        |row: &&Row| others.iter().all(|other| other.rows.iter().any(|r| r.span == row.span));
    first.rows.iter().filter(everywhere).cloned().collect()
}

fn common(cx: &Cx<'_>, id: UnionId, rows: &mut Table) {
    let Some(union) = cx.union(id) else { return };
    rows.add_common(cx, union, &bodies(union), &shared(cx, union));
}

fn union_text(cx: &Cx<'_>, id: UnionId, union: &Union, out: &mut String) {
    if !union.body {
        if let Some(doc) = &union.doc {
            let _ = writeln!(out, "{}\n", sentence(doc));
        }
        if let Some(found) = &union.source {
            let _ = writeln!(out, "Source: {}\n", source(found));
        }
    }
    let _ = writeln!(out, "{}\n", decided(cx, id, union));
    let shared = shared(cx, union);
    let own = |row: &Row| !shared.iter().any(|other| other.span == row.span);
    let alike = Alike::find(cx, union, &own);
    alike.print(cx, union, out);
    let others: Vec<&Case> = union.cases.iter().filter(|case| !alike.has(case)).collect();
    cases(cx, union, &others, out);
    not_covered(cx, union, out);
    let mut rows = Table::default();
    let all = vec![true; cx.model.epochs.len()];
    if !union.body {
        if let Tag::Own(_) | Tag::Word(_) = &union.tag {
            tag_line(cx, id, &mut rows);
        }
        rows.add_common(cx, union, &bodies(union), &shared);
    }
    for case in others {
        if case.whole {
            continue;
        }
        let lead = code(&case.name);
        if case.forms.is_empty() {
            rows.add(cx, case.record, &lead, &case.epochs, &own);
            continue;
        }
        let logical = |row: &Row| own(row) && !matches!(row.kind, RowKind::Constant(_));
        rows.add(cx, case.record, &format!("{lead}, the value"), &case.epochs, &logical);
        for form in &case.forms {
            let lead = format!("{lead}, form {}", labels(cx, union, &form.labels));
            rows.add(cx, form.record, &lead, &form.epochs, &|_| true);
        }
    }
    let text = rows.print(cx, "Case", "Offset", &all);
    if !text.is_empty() {
        let _ = writeln!(out, "{text}");
    }
}

/// What decides, and where offsets count from.
fn decided(cx: &Cx<'_>, id: UnionId, union: &Union) -> String {
    let holder = cx.direct_holder(id);
    let mut out = match &union.tag {
        Tag::Row(row) => {
            let name = holder.and_then(|holder| holder.rows.get(row.index()));
            let name = name.and_then(|row| row.name.as_deref()).map_or_else(String::new, code);
            format!("{name} says which case it is.")
        }
        Tag::Given(expr) => format!("{} says which case it is.", written(cx.model, *expr)),
        Tag::Own(cell) => {
            format!("The tag in front, {}, says which case it is.", cell_text(cx, cell))
        }
        Tag::Word(cell) => {
            format!("The bits of the word in front, {}, say which case it is.", cell_text(cx, cell))
        }
    };
    if let Some(size) = union.size {
        let _ = write!(out, " Each case has {} bytes.", hex(size));
    }
    let homed = |case: &Case| {
        let record = cx.record(case.record);
        record.is_some_and(|r| {
            r.rows.iter().any(|row| row.homes.iter().any(|h| matches!(h, Home::At(_))))
        })
    };
    if !union.body && union.cases.iter().any(homed) {
        match (&union.tag, holder) {
            (Tag::Row(_) | Tag::Given(_), Some(holder)) => {
                let top =
                    cx.holder(id).map_or_else(|| plain(&holder.name), |id| plain(cx.title(id)));
                let _ = write!(out, " Offsets count from the start of {top}.");
            }
            _ => out.push_str(" Offsets count from the tag."),
        }
    }
    if union.cases.iter().any(|case| case.forms.len() > 1) {
        out.push_str(" A case with several forms is usually written in the first one that can hold its value; another one is kept.");
    }
    out
}

/// What the labels of a union are.
pub(super) fn label_word(union: &Union) -> &'static str {
    match &union.tag {
        Tag::Row(_) | Tag::Given(_) => "Value",
        Tag::Own(_) => "Tag",
        Tag::Word(_) => "Bits",
    }
}

/// The table of cases. Forms that not all versions of their case have stand in lines of their own.
fn cases(cx: &Cx<'_>, union: &Union, list: &[&Case], out: &mut String) {
    let mut rows = Vec::new();
    for case in list {
        let mut said = Vec::new();
        said.extend(case.doc.as_deref().map(sentence));
        said.extend(super::about::of_case(cx.model, case));
        if case.whole {
            said.push(format!("See {}.", record_text(cx, case.record)));
        }
        if let Some(guard) = &case.guard {
            said.push(format!("Only if {}.", written(cx.model, *guard)));
        }
        let mut lines: Vec<(String, &[bool])> = Vec::new();
        if case.forms.iter().all(|form| form.epochs == case.epochs) {
            let mut selected: Vec<String> = vec![labels(cx, union, &case.labels)];
            selected.extend(case.forms.iter().map(|form| labels(cx, union, &form.labels)));
            selected.retain(|labels| !labels.is_empty());
            lines.push((selected.join(", "), &case.epochs));
        } else {
            let forms = case.forms.iter();
            lines.extend(forms.map(|form| (labels(cx, union, &form.labels), &*form.epochs)));
        }
        for (labels, epochs) in lines {
            let versions = prose(&label(cx.model, epochs));
            rows.push(vec![labels, code(&case.name), versions, said.join(" ")]);
        }
    }
    let text = table(&head(&[label_word(union), "Case", "Versions", "Description"]), &rows);
    if !text.is_empty() {
        let _ = writeln!(out, "{text}");
    }
}

/// Says which other labels are errors.
fn not_covered(cx: &Cx<'_>, union: &Union, out: &mut String) {
    let open = open_epochs(cx, union);
    if open.contains(&true) {
        let other = if label_word(union) == "Value" { "value" } else { "tag" };
        let versions = label(cx.model, &open);
        let versions =
            if versions.is_empty() { versions } else { format!(" in {}", prose(&versions)) };
        let _ = writeln!(out, "Any other {other} is an error{versions}.\n");
    }
}

/// Epochs in which something can stand there that no label takes.
fn open_epochs(cx: &Cx<'_>, union: &Union) -> Vec<bool> {
    let bounds = match tag_cell(cx, union) {
        _ if is_condition(cx, union) => (0, 1),
        Some(cell) => bounds(cell),
        None => (i128::MIN, i128::MAX),
    };
    let has_cases =
        |epoch: usize| union.cases.iter().any(|case| case.epochs.get(epoch) == Some(&true));
    let count = cx.model.epochs.len();
    (0..count).map(|epoch| has_cases(epoch) && !is_covered(union, epoch, bounds)).collect()
}

/// Whether labels of an epoch take all numbers within the bounds.
fn is_covered(union: &Union, epoch: usize, (least, most): (i128, i128)) -> bool {
    let here = |epochs: &[bool]| epochs.get(epoch).copied().unwrap_or(false);
    let mut labels: Vec<&Label> = Vec::new();
    for case in union.cases.iter().filter(|case| here(&case.epochs)) {
        labels.extend(&case.labels);
        labels.extend(case.forms.iter().filter(|f| here(&f.epochs)).flat_map(|f| &f.labels));
    }
    let mut ranges: Vec<(i128, i128)> = labels
        .iter()
        .filter_map(|label| match label {
            Label::Range(first, last) => Some((*first, *last)),
            Label::Text(_) | Label::Pattern(_) | Label::Else => None,
        })
        .collect();
    ranges.sort_unstable();
    // The first number that is left; none if the greatest of all is taken.
    let mut next = Some(least);
    for (first, last) in ranges {
        next = match next {
            Some(next) if first <= next => last.checked_add(1).map(|behind| behind.max(next)),
            next => next,
        };
    }
    labels.contains(&&Label::Else) || next.is_none_or(|next| next > most)
}

/// What selects a case.
pub(super) fn labels(cx: &Cx<'_>, union: &Union, list: &[Label]) -> String {
    let number = if is_code(cx, union) || is_large(union) { raw } else { number };
    let texts: Vec<String> = list
        .iter()
        .map(|label| match label {
            Label::Range(0, 0) if is_condition(cx, union) => code("false"),
            Label::Range(1, 1) if is_condition(cx, union) => code("true"),
            Label::Range(first, last) if first == last => {
                let number = number(*first);
                match member(cx, union, *first) {
                    Some(name) => format!("{number} ({})", code(&name)),
                    None => number,
                }
            }
            Label::Range(first, last) => range(*first, *last, number),
            Label::Text(text) => code(&format!("'{}'", text.escape_debug())),
            Label::Pattern(pattern) => code(&pattern_text(pattern)),
            Label::Else => "any other".to_owned(),
        })
        .collect();
    texts.join(", ")
}

/// Whether labels are shown in hexadecimal, as a dump of the file shows them: those of a raw tag if one of
/// them differs from the decimal number.
fn is_code(cx: &Cx<'_>, union: &Union) -> bool {
    let cases = union.cases.iter();
    let mut labels =
        cases.flat_map(|case| case.labels.iter().chain(case.forms.iter().flat_map(|f| &f.labels)));
    let differs = |label: &Label| matches!(label, Label::Range(_, last) if *last >= RAW_HEX_FROM);
    tag_cell(cx, union).is_some_and(is_raw) && labels.any(differs)
}

/// Whether one of the labels is shown in hexadecimal anyway, so that the others are, too.
fn is_large(union: &Union) -> bool {
    let cases = union.cases.iter();
    let mut labels =
        cases.flat_map(|case| case.labels.iter().chain(case.forms.iter().flat_map(|f| &f.labels)));
    labels.any(|label| match label {
        Label::Range(first, last) => {
            [first, last].into_iter().any(|end| !is_open(*end) && is_hex(*end))
        }
        Label::Text(_) | Label::Pattern(_) | Label::Else => false,
    })
}

/// A number in hexadecimal, at least two digits.
fn raw(value: i128) -> String {
    u64::try_from(value).map_or_else(|_| number(value), hex)
}

/// A range of numbers; open where it ends where numbers do.
fn range(first: i128, last: i128, number: fn(i128) -> String) -> String {
    match (is_open(first), is_open(last)) {
        (false, false) => format!("{}..{}", number(first), number(last)),
        (true, false) => format!("..{}", number(last)),
        (false, true) => format!("{}..", number(first)),
        (true, true) => "..".to_owned(),
    }
}

/// Whether an end of a range is one of all numbers.
fn is_open(value: i128) -> bool {
    let size = value.unsigned_abs();
    size > 0xffff_ffff && (size.is_power_of_two() || size.saturating_add(1).is_power_of_two())
}

/// The cell that labels are compared with.
fn tag_cell<'m>(cx: &Cx<'m>, union: &'m Union) -> Option<&'m Cell> {
    match &union.tag {
        Tag::Own(cell) | Tag::Word(cell) => Some(cell),
        Tag::Row(row) => {
            let id = cx.model.unions.iter().position(|found| std::ptr::eq(found, union))?;
            let holder = cx.direct_holder(UnionId(u32::try_from(id).ok()?))?;
            match &holder.rows.get(row.index())?.ty {
                Type::Cell(cell) => Some(cell),
                _ => None,
            }
        }
        Tag::Given(expr) => {
            let Expr::Path(path) = &cx.model[*expr] else { return None };
            let Some(Step::Field(field)) = path.steps.last() else { return None };
            let [(record, members)] = field.members.as_slice() else { return None };
            let [Member::Row(row)] = members.as_slice() else { return None };
            match cx.record(*record)?.rows.get(row.index())? {
                Row { ty: Type::Cell(cell), plus: 0, .. } => Some(cell),
                _ => None,
            }
        }
    }
}

/// Whether labels are truth values.
fn is_condition(cx: &Cx<'_>, union: &Union) -> bool {
    let given =
        matches!(&union.tag, Tag::Given(expr) if super::expr::is_condition(&cx.model[*expr]));
    let cell = tag_cell(cx, union);
    given || cell.is_some_and(|cell| matches!(cell.meaning, Meaning::Bool { .. }))
}

/// Name of the number in the enumeration of the tag.
fn member(cx: &Cx<'_>, union: &Union, value: i128) -> Option<String> {
    let Meaning::Enum(id) = tag_cell(cx, union)?.meaning else { return None };
    let members = &cx.model.enums.get(id.index())?.members;
    members.iter().find(|m| m.number == value).map(|m| m.name.clone())
}

fn pattern_text(pattern: &Pattern) -> String {
    let mut text = String::new();
    for bit in (0..pattern.width).rev() {
        let letter = pattern.letters.iter().find(|(_, bits)| bits.contains(&bit));
        let one = |bits: u128| bits.checked_shr(bit).is_some_and(|bits| bits & 1 == 1);
        text.push(match letter {
            Some((letter, _)) => *letter,
            None if one(pattern.mask) => {
                if one(pattern.bits) {
                    '1'
                } else {
                    '0'
                }
            }
            None => '.',
        });
        if bit.is_multiple_of(8) && bit > 0 {
            text.push(' ');
        }
    }
    text
}

/// Versions as a list, for the overview.
pub(super) fn versions(cx: &Cx<'_>) -> String {
    and(&cx.model.epochs.iter().map(|epoch| code(&epoch.label)).collect::<Vec<_>>())
}
