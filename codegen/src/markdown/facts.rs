//! What else is to say of a row: one sentence each.

use std::fmt::Write as _;

use super::epochs::{group, label};
use super::expr::{path_text, place, words, written};
use super::plan::{Cx, Key, Part};
use super::text::{and, byte_string, code, constant, hex, letters, number, sentence, source};
use crate::model::{
    ArrayLength, BinaryOp, Cell, Check, CheckKind, Constant, EpochId, Expr, ExprId, Home, Listed,
    Meaning, PointerKind, Policy, Record, Row, RowId, RowKind, Storage, Target, Type, WhenEmpty,
};

pub(super) fn facts(cx: &Cx<'_>, record: &Record, row: &Row) -> Vec<String> {
    let mut all = Vec::new();
    if let Some(doc) = row.doc.as_deref().filter(|doc| !doc.trim().is_empty()) {
        all.push(sentence(doc));
    }
    kind(cx, record, row, &mut all);
    reference(cx, row, &mut all);
    if row.plus != 0 {
        let (word, by) = match row.plus {
            1.. => ("plus", row.plus),
            less => ("minus", less.saturating_neg()),
        };
        all.push(format!("Stored is the number {word} {}.", number(by)));
    }
    if !row.none.is_empty() {
        let none: Vec<String> = row.none.iter().map(|none| code(&number(*none))).collect();
        let verb = if none.len() == 1 { "means" } else { "mean" };
        all.push(format!("{} {verb} none.", and(&none)));
    }
    let count = cx.model.epochs.len();
    let is_there = |epoch: usize| !matches!(row.homes.get(epoch), Some(Home::Absent));
    let pointers = group(count, |epoch| {
        let of = EpochId(u32::try_from(epoch).unwrap_or(u32::MAX));
        is_there(epoch).then(|| pointer(cx, record, row.ty.in_epoch(of)))
    });
    match &pointers[..] {
        [(facts, _)] => all.extend(facts.iter().cloned()),
        several => {
            let several = several.iter().filter(|(facts, _)| !facts.is_empty());
            all.extend(several.map(|(facts, set)| {
                format!("In {}: {}", code(&label(cx.model, set)), facts.join(" "))
            }));
        }
    }
    all.extend(row.listed.and_then(|listed| listed_words(cx, listed)));
    match row.when {
        Some(when) if is_what_is_seen(cx, row, when) => {
            all.push("None where nothing is seen.".to_owned());
        }
        // Of a field of forms, each says whether it is there.
        Some(when) if matches!(cx.model[when], Expr::Bool(true)) => {
            all.push("May be nothing.".to_owned());
        }
        Some(when) => all.push(format!("Only if {}.", written(cx.model, when))),
        None => {}
    }
    all.extend(row.checks.iter().map(|check| check_words(cx, row, check)));
    if row.unique {
        all.push("No two are equal.".to_owned());
    }
    if let Some(absent) = &row.absent {
        all.push(match row.homes.contains(&Home::Absent) {
            true => format!("Versions without it count as {}.", constant(absent)),
            false => format!("Usually {}.", constant(absent)),
        });
    }
    if let Some(found) = &row.source {
        all.push(format!("Source: {}", source(found)));
    }
    all
}

/// What is to say of a pointer of a row.
fn pointer(cx: &Cx<'_>, record: &Record, ty: &Type) -> Vec<String> {
    let mut all = Vec::new();
    if let Type::Pointer(pointer) = first_type(ty) {
        if let Some(none_with) = pointer.none_with {
            all.push(format!("None exactly if {} is empty.", row_name(record, none_with)));
        }
        match pointer.when_empty {
            Some(WhenEmpty::None) => all.push("If it is empty: none.".to_owned()),
            Some(WhenEmpty::Here) => {
                all.push("If it is empty: where it would be.".to_owned());
            }
            Some(WhenEmpty::Kept) => {
                all.push("If it is empty: none, or where it would be.".to_owned());
            }
            None => {}
        }
        if let Some(align) = &pointer.align {
            all.push(format!("Begins on a multiple of {}.", plain_amount(cx, *align)));
        }
        let kind = cx.model.pointers.get(pointer.kind.index());
        all.extend(
            kind.and_then(|kind| base_words(cx, kind)).map(|base| format!("Counts from {base}.")),
        );
        let silent = pointer.list.is_none() && kind.is_none_or(|kind| kind.listing.is_empty());
        if !silent && (pointer.list.is_some() || pointer.section != 0) {
            let listed = Listed { policy: pointer.list, kind: None, section: pointer.section };
            all.extend(listed_words(cx, listed));
        }
    }
    all
}

/// Whether a row is there exactly where what is seen is something.
fn is_what_is_seen(cx: &Cx<'_>, row: &Row, when: ExprId) -> bool {
    let RowKind::Value { seen: Some(seen) } = row.kind else { return false };
    matches!(cx.model[when], Expr::Binary(BinaryOp::NotEqual, found, _) if found == seen)
}

/// What pointers of a kind count from, unless that is the start of the file.
pub(super) fn base_words(cx: &Cx<'_>, kind: &PointerKind) -> Option<String> {
    let base = kind.base.filter(|base| cx.model.exprs.constant(*base) != Some(0));
    let text = base.map(|base| match &cx.model[base] {
        Expr::At(path) => format!("the start of {}", place(cx.model, path)),
        Expr::End(path) => format!("the end of {}", place(cx.model, path)),
        _ => address_words(cx, base),
    });
    let mut more = String::new();
    if kind.unit != 1 {
        let _ = write!(more, ", in units of {} bytes", kind.unit);
    }
    if kind.skip != 0 {
        let _ = write!(more, ", and leads {} bytes into the target", kind.skip);
    }
    if more.is_empty() {
        return text;
    }
    let text = text.unwrap_or_else(|| "the start of the file".to_owned());
    Some(text + &more)
}

fn first_type(ty: &Type) -> &Type {
    match ty {
        Type::Array(array) => first_type(&array.element),
        ty => ty.first(),
    }
}

fn kind(cx: &Cx<'_>, record: &Record, row: &Row, all: &mut Vec<String>) {
    match &row.kind {
        RowKind::Constant(Constant::Bytes(bytes)) => {
            all.push(format!("Always {}.", byte_string(bytes)));
        }
        RowKind::Constant(Constant::Int(value)) => {
            let letters = letters(*value);
            let letters =
                letters.map(|l| format!(", {} in a little-endian file", code(&format!("'{l}'"))));
            let shown = stored_number(&row.ty, *value);
            all.push(format!("Always {shown}{}.", letters.unwrap_or_default()));
        }
        RowKind::Constant(value) => all.push(format!("Always {}.", constant(value))),
        RowKind::Zero if row.fill != 0 => all.push(format!("Each byte is {:#04x}.", row.fill)),
        RowKind::Zero => all.push("Zero.".to_owned()),
        RowKind::Reserved => all.push("Usually zero.".to_owned()),
        RowKind::Runtime => all.push("Zero; filled in by programs.".to_owned()),
        RowKind::Object { address, .. } | RowKind::Mark { address } => {
            all.push(format!("Begins at {}.", address_words(cx, *address)));
            if let RowKind::Object { align: Some(align), .. } = row.kind {
                all.push(format!("On a multiple of {}.", written(cx.model, align)));
            }
        }
        RowKind::Slice { table, base, factor, offset, unit, count, empty_base } => {
            let base_name = row_name(record, *base);
            let base = match (*factor, *offset) {
                (1, 0) => base_name.clone(),
                (1, by) => format!("{base_name} + {}", number(by)),
                (factor, 0) => format!("{factor} × {base_name}"),
                (factor, by) => format!("{factor} × {base_name} + {}", number(by)),
            };
            let base = match (*unit, *offset) {
                (1, _) => base,
                (unit, 0) => format!("{base} / {unit}"),
                (unit, _) => format!("({base}) / {unit}"),
            };
            let table = code(&path_text(cx.model, table));
            let (said, last) = match &row.ty {
                Type::Array(array) => match array.length {
                    ArrayLength::Last(last) => (None, Some(written(cx.model, last))),
                    ArrayLength::Count(said) => (Some(written(cx.model, said)), None),
                    ArrayLength::Fill => (None, None),
                },
                _ => (None, None),
            };
            all.push(match (count.map(|count| row_name(record, count)).or(said), last) {
                (Some(count), None) => format!("{count} elements of {table} from {base} on."),
                (Some(count), Some(last)) => format!(
                    "{count} elements of {table} from {base} on; without {count}, up to the first with {last}."
                ),
                (None, last) => {
                    let last = last.unwrap_or_default();
                    format!("Elements of {table} from {base} on, up to the first with {last}.")
                }
            });
            if let Some(empty) = empty_base {
                all.push(format!("If there are none, {base_name} is {}.", code(&number(*empty))));
            }
        }
        RowKind::Pool { .. } => {
            all.push(format!("See {}.", cx.link(&Key::Part(Part::Pools), "string pool")));
        }
        // What the type says is enough.
        RowKind::Plain | RowKind::Value { .. } | RowKind::Zeros => {}
    }
}

/// A constant number as code; as a dump of the file shows it where it is an unsigned integer of fixed
/// width, that is in hexadecimal.
pub(super) fn stored_number(ty: &Type, value: i128) -> String {
    let raw = matches!(first_type(ty), Type::Cell(cell) if is_raw(cell));
    match u64::try_from(value) {
        Ok(size) if raw && value >= RAW_HEX_FROM => code(&hex(size)),
        _ => code(&number(value)),
    }
}

/// Stored numbers from here on are shown in hexadecimal; smaller ones look the same.
pub(super) const RAW_HEX_FROM: i128 = 10;

/// Whether a cell is an unsigned integer of fixed width without another meaning.
pub(super) fn is_raw(cell: &Cell) -> bool {
    cell.meaning == Meaning::Int && matches!(cell.storage, Storage::Fixed(int) if !int.signed)
}

/// Where something is, in words.
pub(super) fn address_words(cx: &Cx<'_>, address: ExprId) -> String {
    match &cx.model[address] {
        Expr::Here => "the place that was reached".to_owned(),
        Expr::RegionEnd => "the end of the bytes around it".to_owned(),
        _ => match words(cx.model, address) {
            text if text.starts_with("file offset") => format!("the {text}"),
            text if text.starts_with('`') => format!("the file offset {text}"),
            text => text,
        },
    }
}

fn reference(cx: &Cx<'_>, row: &Row, all: &mut Vec<String>) {
    let Some(reference) = &row.reference else { return };
    let array = code(&path_text(cx.model, &reference.array));
    let pointer =
        matches!(first_type(&row.ty), Type::Pointer(p) if matches!(p.target, Target::Element));
    all.push(match (&reference.field, &reference.filter) {
        (Some(field), _) => format!("{} of an element of {array}.", code(field)),
        (None, Some(filter)) => {
            format!("Index among those of {array} with {}.", written(cx.model, *filter))
        }
        (None, None) if pointer => format!("Leads to an element of {array}."),
        (None, None) => format!("Index into {array}."),
    });
}

fn check_words(cx: &Cx<'_>, row: &Row, check: &Check) -> String {
    let each = if matches!(row.ty, Type::Array(_)) { "Each " } else { "" };
    let start = |word: &str| {
        if each.is_empty() {
            let mut letters = word.chars();
            let first = letters.next().map(char::to_uppercase).into_iter().flatten();
            first.chain(letters).collect()
        } else {
            format!("{each}{word}")
        }
    };
    match &check.kind {
        CheckKind::Min(least) => format!("{} {}.", start("at least"), written(cx.model, *least)),
        CheckKind::Max(most) => format!("{} {}.", start("at most"), written(cx.model, *most)),
        CheckKind::OneOf(list) => {
            let list: Vec<String> = list.iter().map(|one| written(cx.model, *one)).collect();
            format!("{} {}.", start("one of"), list.join(", "))
        }
        CheckKind::Equals(value) => format!("{} {}.", start("equal to"), words(cx.model, *value)),
        CheckKind::Holds(rule) => format!("Rule: {}.", written(cx.model, *rule)),
    }
}

/// What a row says about the relocation table; nothing if its kind of pointer says it all.
pub(super) fn listed_words(cx: &Cx<'_>, listed: Listed) -> Option<String> {
    let table = cx.link(&Key::Part(Part::Relocation), "relocation table");
    let section = cx.model.relocation.get(listed.section as usize);
    let section = section.filter(|_| cx.model.relocation.len() > 1);
    let section = section.map(|section| format!(", section {}", code(&section.name)));
    let section = section.unwrap_or_default();
    Some(match (listed.policy, listed.kind) {
        (Some(Policy::Never), _) => format!("Not in the {table}."),
        (Some(Policy::Set), _) => format!("In the {table} if it is set{section}."),
        (Some(Policy::Always), _) => format!("Always in the {table}{section}."),
        (None, Some(kind)) => {
            let kind = cx.model.pointers.get(kind.index())?;
            if kind.listing.is_empty() {
                return None;
            }
            format!("In the {table} like a {} pointer to one object{section}.", code(&kind.name))
        }
        (None, None) if section.is_empty() => return None,
        (None, None) => format!("If it is in the {table}{section}."),
    })
}

pub(super) fn row_name(record: &Record, row: RowId) -> String {
    let name = record.rows.get(row.index()).and_then(|row| row.name.as_deref());
    name.map_or_else(|| "a row without a name".to_owned(), code)
}

/// An amount: a number as it is, an expression as code.
pub(super) fn plain_amount(cx: &Cx<'_>, amount: ExprId) -> String {
    let constant = cx.model.exprs.constant(amount);
    constant.map_or_else(|| written(cx.model, amount), |amount| amount.to_string())
}
