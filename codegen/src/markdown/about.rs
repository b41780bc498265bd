//! What a schema says to people: names, remarks, limits, open questions, examples.

use std::fmt::Write as _;

use super::epochs::label;
use super::plan::{Cx, Key, Part};
use super::text::{and, code, head, plain, prose, sentence, table};
use crate::model::{
    Case, Constant, Example, Model, RecordId, RecordKind, Remark, RemarkKind, Subject,
};

/// Bytes on a line.
const BYTES: usize = 16;
/// Lines of a listing that is said in one line.
const LINES: usize = 4;

fn of(model: &Model, subject: Subject, kind: RemarkKind) -> impl Iterator<Item = &Remark> {
    let is_it = move |found: &&Remark| found.kind == kind && is_same(model, found.subject, subject);
    model.remarks.iter().filter(is_it)
}

/// Whether one line of the schema declares both: a struct is used with several arguments.
fn is_same(model: &Model, one: Subject, other: Subject) -> bool {
    let record = |id: RecordId| model.records.get(id.index()).map(|record| record.span);
    let text = |at: u32| model.strings.get(at as usize).map(|text| text.span);
    match (one, other) {
        (Subject::Record(one), Subject::Record(other)) => record(one) == record(other),
        (Subject::Text(one), Subject::Text(other)) => text(one) == text(other),
        (one, other) => one == other,
    }
}

pub(super) fn has(model: &Model, kind: RemarkKind) -> bool {
    model.remarks.iter().any(|found| found.kind == kind)
}

/// Names that people know something by.
pub(super) fn also(model: &Model, subject: Subject) -> String {
    and(&of(model, subject, RemarkKind::Also).map(|found| name(&found.text)).collect::<Vec<_>>())
}

/// A name: one word is one of a program.
fn name(text: &str) -> String {
    if text.contains(' ') { prose(text) } else { code(text) }
}

/// Extensions with what such files are, if the schema says it.
pub(super) fn extensions(model: &Model) -> Option<String> {
    has(model, RemarkKind::Extension).then_some(())?;
    let dotted = |name: &String| code(&format!(".{name}"));
    let mut said: Vec<String> = Vec::new();
    let mut known: Vec<&String> = Vec::new();
    for found in of(model, Subject::Module, RemarkKind::Extension) {
        let names: Vec<String> = found.names.iter().map(dotted).collect();
        said.push(format!("{}: {}", names.join(", "), prose(&found.text)));
        known.extend(&found.names);
    }
    let others = model.extensions.iter().filter(|name| !known.contains(name));
    said.extend(others.map(dotted));
    Some(said.join("; "))
}

/// Notes, one sentence behind the other; a list if it is longer.
pub(super) fn notes(model: &Model, subject: Subject, list: bool) -> String {
    let notes: Vec<String> =
        of(model, subject, RemarkKind::Note).map(|found| sentence(&found.text)).collect();
    match (notes.as_slice(), list) {
        ([], _) => String::new(),
        (notes, true) => {
            let lines: Vec<String> = notes.iter().map(|note| format!("- {note}\n")).collect();
            format!("\n{}", lines.concat())
        }
        (notes, false) => format!("{}\n\n", notes.join("\n")),
    }
}

/// What is said of a declaration at its beginning.
pub(super) fn about(model: &Model, subject: Subject) -> String {
    let also = also(model, subject);
    let also = if also.is_empty() { also } else { format!("Also known as {also}.\n\n") };
    format!("{also}{}", notes(model, subject, false))
}

/// What is said of a case, in its line.
pub(super) fn of_case(model: &Model, case: &Case) -> Vec<String> {
    // A struct that is a case has a section of its own.
    if case.whole {
        return Vec::new();
    }
    in_line(model, Subject::Record(case.record))
}

/// What is said of something that has one line of a table.
pub(super) fn in_line(model: &Model, subject: Subject) -> Vec<String> {
    let mut said = Vec::new();
    let also = also(model, subject);
    if !also.is_empty() {
        said.push(format!("Also known as {also}."));
    }
    said.extend(of(model, subject, RemarkKind::Note).map(|found| sentence(&found.text)));
    said
}

/// Limits or open questions, of the format and of its parts.
pub(super) fn list(cx: &Cx<'_>, kind: RemarkKind) -> String {
    let mut out = String::new();
    for found in cx.model.remarks.iter().filter(|found| found.kind == kind) {
        let place = match found.subject {
            Subject::Module => String::new(),
            Subject::Record(id) => {
                match cx.record(id).map(|record| (&record.kind, &record.template)) {
                    Some((RecordKind::Case(..), case)) => {
                        format!("{}, {}: ", cx.record_link(id), code(case))
                    }
                    _ => format!("{}: ", cx.record_link(id)),
                }
            }
            Subject::Enum(id) => match cx.model.enums.get(id.index()) {
                Some(found) => format!("{}: ", cx.link(&Key::Enum(id), &plain(&found.name))),
                None => String::new(),
            },
            Subject::Text(at) => match cx.model.strings.get(at as usize) {
                Some(found) => {
                    format!("{}: ", cx.link(&Key::Part(Part::Strings), &plain(&found.name)))
                }
                None => String::new(),
            },
            Subject::Varint(id) => match cx.model.varints.get(id.index()) {
                Some(found) => {
                    format!("{}: ", cx.link(&Key::Part(Part::Varints), &plain(&found.name)))
                }
                None => String::new(),
            },
            Subject::Digits(id) => match cx.model.digits.get(id.index()) {
                Some(found) => {
                    format!("{}: ", cx.link(&Key::Part(Part::Digits), &plain(&found.name)))
                }
                None => String::new(),
            },
        };
        let _ = writeln!(out, "- {place}{}", sentence(&found.text));
    }
    out
}

pub(super) fn has_files(model: &Model) -> bool {
    model.examples.iter().any(|example| example.subject == Subject::Module)
}

/// Examples that are whole files.
pub(super) fn files(cx: &Cx<'_>) -> String {
    of_subjects(cx, &|subject| subject == Subject::Module)
}

/// Examples of a struct and of the cases in it.
pub(super) fn of_section(cx: &Cx<'_>, id: RecordId) -> String {
    if cx.is_comparing() {
        return String::new();
    }
    let class = cx.class(id);
    of_subjects(cx, &|subject| match subject {
        Subject::Record(of) => cx.class(cx.top(of)) == class,
        _ => false,
    })
}

/// Examples of texts.
pub(super) fn texts(cx: &Cx<'_>) -> String {
    let examples = of_subjects(cx, &|subject| matches!(subject, Subject::Text(_)));
    if examples.is_empty() { examples } else { format!("\n{examples}") }
}

/// Examples of integers of variable length.
pub(super) fn varints(cx: &Cx<'_>) -> String {
    let examples = of_subjects(cx, &|subject| matches!(subject, Subject::Varint(_)));
    if examples.is_empty() { examples } else { format!("\n{examples}") }
}

/// Examples of integers in digits.
pub(super) fn digits(cx: &Cx<'_>) -> String {
    let examples = of_subjects(cx, &|subject| matches!(subject, Subject::Digits(_)));
    if examples.is_empty() { examples } else { format!("\n{examples}") }
}

/// Examples: short ones in a table, then the others, field by field.
fn of_subjects(cx: &Cx<'_>, is_one: &dyn Fn(Subject) -> bool) -> String {
    let here = cx.model.examples.iter().enumerate().filter(|(_, found)| is_one(found.subject));
    let (short, long): (Vec<_>, Vec<_>) = here.partition(|(at, found)| is_short(cx, *at, found));
    let mut out = String::new();
    let rows: Vec<Vec<String>> = short.into_iter().map(|(_, found)| vector(cx, found)).collect();
    if !rows.is_empty() {
        let titles = head(&["Bytes", "Of", "Versions", "Read as", "Shows"]);
        let _ = writeln!(out, "Examples:\n\n{}", table(&titles, &rows));
    }
    for (at, example) in long {
        one(cx, at, example, &mut out);
    }
    out
}

/// Whether a line says it all: a text or number, or a case with hardly more than its tag.
fn is_short(cx: &Cx<'_>, at: usize, example: &Example) -> bool {
    match example.subject {
        Subject::Text(_) | Subject::Varint(_) | Subject::Digits(_) => true,
        Subject::Record(_) => {
            let fields = cx.listing(at).lines().count();
            (1..=LINES).contains(&fields) && example.bytes.len() <= BYTES
        }
        Subject::Module | Subject::Enum(_) => false,
    }
}

/// An example as a line of a table.
fn vector(cx: &Cx<'_>, example: &Example) -> Vec<String> {
    let of = match example.subject {
        Subject::Record(id) => case_name(cx, id).map(|name| code(&name)),
        Subject::Text(at) => cx.model.strings.get(at as usize).map(|found| plain(&found.name)),
        Subject::Varint(id) => cx.model.varints.get(id.index()).map(|found| plain(&found.name)),
        Subject::Digits(id) => cx.model.digits.get(id.index()).map(|found| plain(&found.name)),
        Subject::Module | Subject::Enum(_) => None,
    };
    let says: Vec<String> = example
        .says
        .iter()
        .map(|said| {
            let value = said.value.as_ref().map_or_else(|| "none".to_owned(), constant);
            match said.path.as_str() {
                "" => code(&value),
                path => code(&format!("{path} = {value}")),
            }
        })
        .collect();
    let doc = example.doc.as_deref().map(sentence).unwrap_or_default();
    vec![
        code(&hex_digits(&example.bytes)),
        of.unwrap_or_default(),
        prose(&versions(cx, example)),
        says.join(", "),
        doc,
    ]
}

fn hex_digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

/// An example: what it shows, and its bytes, field by field where that is known.
fn one(cx: &Cx<'_>, at: usize, example: &Example, out: &mut String) {
    let mut said = "Example".to_owned();
    if let Subject::Record(id) = example.subject
        && let Some(name) = case_name(cx, id)
    {
        said += &format!(" of {}", code(&name));
    }
    let versions = versions(cx, example);
    if !versions.is_empty() {
        said += &format!(" ({})", prose(&versions));
    }
    let doc = example.doc.as_deref().map(|doc| prose(doc).trim_end_matches('.').to_owned());
    let doc = doc.map(|doc| format!(" – {doc}")).unwrap_or_default();
    let bytes = match example.bytes.len() {
        1 => "1 byte".to_owned(),
        size => format!("{size} bytes"),
    };
    let _ = writeln!(out, "{said}, {bytes}{doc}:\n\n```text");
    let listing = cx.listing(at);
    if example.subject == Subject::Module || listing.is_empty() {
        for (line, bytes) in example.bytes.chunks(BYTES).enumerate() {
            let _ = writeln!(out, "{:04x}: {}", line.saturating_mul(BYTES), hex_digits(bytes));
        }
    }
    if listing.is_empty() {
        for said in &example.says {
            let path = if said.path.is_empty() { "this" } else { &said.path };
            let value = said.value.as_ref().map_or_else(|| "none".to_owned(), constant);
            let _ = writeln!(out, "{path} = {value}");
        }
    } else if example.subject == Subject::Module {
        out.push('\n');
    }
    out.push_str(listing);
    out.push_str("```\n\n");
}

/// The layouts of an example, unless it is of all that its struct has.
fn versions(cx: &Cx<'_>, example: &Example) -> String {
    let of = match example.subject {
        Subject::Record(id) => cx.top(id),
        _ => cx.model.root,
    };
    let exists = cx.record(of).map(|record| super::sections::exists(cx, record));
    if exists.as_deref() == Some(&example.epochs) {
        return String::new();
    }
    label(cx.model, &example.epochs)
}

/// Name of a case, with the union if that is not the whole struct.
fn case_name(cx: &Cx<'_>, id: RecordId) -> Option<String> {
    let record = cx.record(id)?;
    let RecordKind::Case(..) = record.kind else { return None };
    Some(record.template.clone())
}

fn constant(value: &Constant) -> String {
    match value {
        Constant::Int(number) => number.to_string(),
        Constant::Float(bits) => format!("{:?}", f64::from_bits(*bits)),
        Constant::Bool(truth) => truth.to_string(),
        Constant::Text(text) => format!("'{}'", text.escape_debug()),
        Constant::Bytes(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
    }
}
