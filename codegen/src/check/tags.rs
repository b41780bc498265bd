//! What a union stores in front of a case follows from the value: the label, or rows of the case.

use super::context::Context;
use crate::diagnostic::Diagnostics;
use crate::model::{
    EpochId, Home, Label, Pattern, Record, RecordId, Row, Storage, Tag, Type, Union,
};
use crate::span::Span;

/// A case, or a form of one, in an epoch that has it.
struct Body<'a> {
    /// Name of the case.
    name: &'a str,
    labels: &'a [Label],
    record: RecordId,
    span: Span,
}

/// What writing would have to guess.
enum Lost {
    /// Which number it was: no row `tag` has it.
    Number,
    /// Bits of the pattern that no row takes: the letter, and how many.
    Bits(char, usize),
    /// Which label it was: a pattern beside others.
    Pattern,
    /// Nothing, but writing asks the first label, or all, for the number: `else` beside others.
    Else,
}

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    for union in &context.model.unions {
        if !matches!(union.tag, Tag::Own(_) | Tag::Word(_)) {
            continue;
        }
        for (epoch, _) in context.epochs() {
            for body in bodies(union, epoch) {
                let Some(record) = context.record(body.record) else { continue };
                if let Some(lost) = lost(body.labels, record, epoch) {
                    report(&body, &lost, record, &context.in_epoch(epoch), found);
                }
            }
        }
    }
}

/// Cases without forms, and forms. A case that stands for the whole union has the tag in its rows.
fn bodies(union: &Union, epoch: EpochId) -> Vec<Body<'_>> {
    let mut bodies = Vec::new();
    for case in union.cases.iter().filter(|case| case.is_in(epoch) && !case.whole) {
        let name = case.name.as_str();
        if case.forms.is_empty() {
            bodies.push(Body { name, labels: &case.labels, record: case.record, span: case.span });
        }
        for form in case.forms.iter().filter(|form| form.is_in(epoch)) {
            bodies.push(Body { name, labels: &form.labels, record: form.record, span: form.span });
        }
    }
    bodies
}

fn lost(labels: &[Label], record: &Record, epoch: EpochId) -> Option<Lost> {
    match labels {
        // None: the label itself is wrong, which is said already.
        [] => None,
        [Label::Pattern(pattern)] => unnamed(pattern, record, epoch),
        [Label::Range(first, last)] if first == last => None,
        _ if labels.iter().any(|label| matches!(label, Label::Pattern(_))) => Some(Lost::Pattern),
        [_, _, ..] if labels.contains(&Label::Else) => Some(Lost::Else),
        _ => {
            let kept = record.rows.iter().any(|row| is_tag(row) && is_there(row, epoch));
            (!kept).then_some(Lost::Number)
        }
    }
}

/// Bits of a pattern that have a letter, but no row.
fn unnamed(pattern: &Pattern, record: &Record, epoch: EpochId) -> Option<Lost> {
    let here = |row: &&Row| is_there(row, epoch);
    let named: Vec<char> = record.rows.iter().filter(here).filter_map(letter).collect();
    let (letter, bits) = pattern.letters.iter().find(|(letter, _)| !named.contains(letter))?;
    Some(Lost::Bits(*letter, bits.len()))
}

/// Whether the row is there in each file of the epoch that has the case.
fn is_there(row: &Row, epoch: EpochId) -> bool {
    row.when.is_none() && row.home(epoch) != Home::Absent
}

fn storage(row: &Row) -> Option<Storage> {
    match row.ty.first() {
        Type::Cell(cell) => Some(cell.storage),
        Type::Pointer(pointer) => pointer.cell.as_ref().map(|cell| cell.storage),
        _ => None,
    }
}

fn is_tag(row: &Row) -> bool {
    matches!(storage(row), Some(Storage::TagOf))
}

/// The letter of the pattern whose bits are the row's.
fn letter(row: &Row) -> Option<char> {
    match storage(row)? {
        Storage::Letter { letter, .. } => Some(letter),
        _ => None,
    }
}

fn report(body: &Body, lost: &Lost, record: &Record, within: &str, found: &mut Diagnostics) {
    let name = body.name;
    let missing = record.rows.iter().any(|row| match lost {
        Lost::Number => is_tag(row),
        Lost::Bits(lost, _) => letter(row) == Some(*lost),
        Lost::Pattern | Lost::Else => false,
    });
    let within = if missing { within } else { "" };
    let (message, label, help) = match lost {
        Lost::Number => (
            format!("nothing keeps the tag of case `{name}`{within}"),
            if missing {
                "several numbers select it, and its row `tag` may be missing"
            } else {
                "several numbers select it"
            },
            "keep the number in a row of the case: `tag NAME`".to_owned(),
        ),
        Lost::Bits(letter, count) => (
            format!("nothing keeps the bits `{letter}` of case `{name}`{within}"),
            if missing { "the row that takes them may be missing" } else { "no row takes them" },
            format!("write a row `u{count} NAME bits={letter}`, or `_` for bits that are zero"),
        ),
        Lost::Pattern => (
            format!("nothing says which label of case `{name}` was read"),
            "a pattern is the only label of its case or form",
            "write a case or a form for each pattern".to_owned(),
        ),
        Lost::Else => (
            format!("case `{name}` has labels beside `else`"),
            "in a union with a tag `else` is the only label of its case",
            "leave out the others: `else` takes them, too".to_owned(),
        ),
    };
    found.error("E0408", body.span, message).label(label).help(help);
}
