//! Labels of a union are disjoint in every epoch, can occur, and leave nothing to chance.

use std::collections::HashMap;

use super::context::Context;
use crate::diagnostic::Diagnostics;
use crate::model::{
    ByteOrder, Cell, Enum, EpochId, Expr, Label, Meaning, Pattern, Record, RecordId, Row, Storage,
    Tag, Type, Union,
};
use crate::span::Span;

/// A label with the case or form that it selects.
struct Choice<'a> {
    label: &'a Label,
    name: &'a str,
    span: Span,
    /// Whether the case has a condition over the data too; the first that holds is taken.
    guarded: bool,
}

/// What is known of the number that decides.
struct TagCell<'a> {
    /// The enumeration whose members alone the row that decides may have.
    closed: Option<&'a Enum>,
    /// Width in bits.
    width: u32,
    lowest: i128,
    highest: i128,
    /// Whether the bytes of a pattern are in the order of the number's, highest first; `None` if
    /// that depends on the file.
    big: Option<bool>,
}

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    let holders = holders(context);
    for (number, union) in context.model.unions.iter().enumerate() {
        let holder = holders.get(&number).copied();
        let tag = tag_cell(context, union, holder);
        for (epoch, _) in context.epochs() {
            let choices = choices(union, epoch);
            for choice in &choices {
                sensible(choice, union, tag.as_ref(), found);
                spellable(context, choice, union, holder, found);
            }
            disjoint(&choices, union, tag.as_ref(), context, epoch, found);
        }
    }
}

/// For each union, the first record with a row that holds it.
fn holders<'a>(context: &Context<'a>) -> HashMap<usize, (RecordId, &'a Record)> {
    let mut holders = HashMap::new();
    for (id, record) in context.model.records() {
        for ty in record.rows.iter().flat_map(|row| row.ty.inline_parts()) {
            if let Type::Union(union) = ty {
                holders.entry(union.index()).or_insert((id, record));
            }
        }
    }
    holders
}

fn choices(union: &Union, epoch: EpochId) -> Vec<Choice<'_>> {
    let mut choices = Vec::new();
    for case in union.cases.iter().filter(|case| case.is_in(epoch)) {
        let name = case.name.as_str();
        let guarded = case.guard.is_some();
        let labels = case.labels.iter();
        choices.extend(labels.map(|label| Choice { label, name, span: case.span, guarded }));
        for form in case.forms.iter().filter(|form| form.is_in(epoch)) {
            let labels = form.labels.iter();
            choices.extend(labels.map(|label| Choice { label, name, span: form.span, guarded }));
        }
    }
    choices
}

fn tag_cell<'a>(
    context: &Context<'a>,
    union: &Union,
    holder: Option<(RecordId, &'a Record)>,
) -> Option<TagCell<'a>> {
    // Labels are compared with the number that a row says, to which something may be added.
    let (cell, word, plus): (&Cell, bool, i128) = match &union.tag {
        Tag::Own(cell) => (cell, false, 0),
        Tag::Word(cell) => (cell, true, 0),
        Tag::Row(_) | Tag::Given(_) => {
            let row = decider(context, union, holder)?;
            match row.ty.first() {
                Type::Cell(cell) => (cell, true, row.plus),
                _ => return None,
            }
        }
    };
    if let Meaning::Bool { .. } = cell.meaning {
        return Some(TagCell { closed: None, width: 1, lowest: 0, highest: 1, big: Some(true) });
    }
    let closed = match (&union.tag, &cell.meaning) {
        (Tag::Row(_) | Tag::Given(_), Meaning::Enum(id)) => {
            Some(&context.model.enums[id.index()]).filter(|of| of.closed)
        }
        _ => None,
    };
    let (lowest, highest) = super::fits::range(context.model, cell)?;
    let (lowest, highest) = (lowest - plus, highest - plus);
    let (width, big) = match cell.storage {
        Storage::Fixed(int) if word || int.bytes == 1 => (u32::from(int.bytes) * 8, Some(true)),
        Storage::Fixed(int) => {
            let big = int.order.map(|order| order == ByteOrder::Big);
            (u32::from(int.bytes) * 8, big)
        }
        Storage::Bits { width, .. } => (width.into(), Some(true)),
        _ => (0, None),
    };
    Some(TagCell { closed, width, lowest, highest, big })
}

/// The row of the same struct that decides which case it is, if nothing but a row does.
fn decider<'a>(
    context: &Context<'a>,
    union: &Union,
    holder: Option<(RecordId, &'a Record)>,
) -> Option<&'a Row> {
    let (id, record) = holder?;
    let row = match union.tag {
        Tag::Row(row) => row,
        Tag::Given(expr) => match &context.model[expr] {
            Expr::Path(path) => path.own_row(id)?,
            _ => return None,
        },
        Tag::Own(_) | Tag::Word(_) => return None,
    };
    record.rows.get(row.index())
}

/// A label can occur.
fn sensible(choice: &Choice, union: &Union, tag: Option<&TagCell<'_>>, found: &mut Diagnostics) {
    let name = choice.name;
    match choice.label {
        Label::Range(first, last) => {
            if let Some(tag) = tag
                && (*last < tag.lowest || *first > tag.highest)
            {
                let message = format!("case `{name}` can never be chosen");
                let diagnostic = found.error("E0403", choice.span, message);
                let (lowest, highest) = (tag.lowest, tag.highest);
                diagnostic.label(format!("the tag is a number from {lowest} to {highest}"));
            } else if let Some(closed) = tag.and_then(|tag| tag.closed)
                && !closed.members.iter().any(|of| (*first..=*last).contains(&of.number))
            {
                let message = format!("case `{name}` can never be chosen");
                let diagnostic = found.error("E0403", choice.span, message);
                diagnostic.label(format!("`{}` has no such member, and is closed", closed.name));
            }
        }
        Label::Pattern(pattern) => {
            let Some(tag) = tag.filter(|tag| tag.width > 0) else { return };
            let exact = matches!(union.tag, Tag::Word(_));
            if pattern.width < tag.width || (exact && pattern.width != tag.width) {
                let message = format!(
                    "the pattern of case `{name}` has {} bits, but the tag has {}",
                    pattern.width, tag.width
                );
                found.error("E0405", choice.span, message);
            }
        }
        Label::Text(_) | Label::Else => {}
    }
}

/// A label that is a text is as long as the row that decides.
fn spellable(
    context: &Context,
    choice: &Choice,
    union: &Union,
    holder: Option<(RecordId, &Record)>,
    found: &mut Diagnostics,
) {
    let (Label::Text(text), Some(row)) = (choice.label, decider(context, union, holder)) else {
        return;
    };
    let Type::Run(run) = super::context::element(&row.ty) else { return };
    if let Err(why) = super::fits::text_fits(context.model, &row.ty, run.content, text) {
        let message = format!("case `{}` can never be chosen", choice.name);
        let diagnostic = found.error("E0403", choice.span, message);
        diagnostic.label(why).also(row.span, "this row decides");
    }
}

fn disjoint(
    choices: &[Choice],
    union: &Union,
    tag: Option<&TagCell<'_>>,
    context: &Context,
    epoch: EpochId,
    found: &mut Diagnostics,
) {
    let within = context.in_epoch(epoch);
    for (number, second) in choices.iter().enumerate() {
        for first in choices.iter().take(number) {
            // Of two cases that share a label, the first may decline by its condition.
            if first.guarded || !overlap(first.label, second.label, tag) {
                continue;
            }
            if *second.label == Label::Else {
                let message = format!("union `{}` has two cases for everything else", union.name);
                let diagnostic = found.error("E0402", second.span, message);
                diagnostic.label("second").also(first.span, "first");
            } else {
                let what = match first.name == second.name {
                    true => format!("two forms of case `{}`", first.name),
                    false => format!("cases `{}` and `{}`", first.name, second.name),
                };
                let message = format!("{what} of `{}` take the same labels{within}", union.name);
                let diagnostic = found.error("E0401", second.span, message);
                diagnostic.label(describe(second.label, tag));
                diagnostic.also(first.span, describe(first.label, tag));
            }
            break;
        }
    }
}

fn describe(label: &Label, tag: Option<&TagCell<'_>>) -> String {
    match *label {
        // An open range ends where the tag does.
        Label::Range(first, last) => {
            let low = tag.map_or(first, |tag| first.max(tag.lowest));
            let high = tag.map_or(last, |tag| last.min(tag.highest));
            match (low, high) {
                (i128::MIN, i128::MAX) => "takes every number".to_owned(),
                (i128::MIN, high) => format!("takes {high} and less"),
                (low, i128::MAX) => format!("takes {low} and more"),
                (low, high) if low == high => format!("takes {low}"),
                (low, high) => format!("takes {low} to {high}"),
            }
        }
        Label::Text(ref text) => format!("takes {text:?}"),
        Label::Pattern(_) => "takes this pattern".to_owned(),
        Label::Else => "takes everything else".to_owned(),
    }
}

/// Whether something has both labels.
fn overlap(first: &Label, second: &Label, tag: Option<&TagCell<'_>>) -> bool {
    match (first, second) {
        (Label::Else, Label::Else) => true,
        (Label::Range(a, b), Label::Range(c, d)) => a.max(c) <= b.min(d),
        (Label::Text(a), Label::Text(b)) => a == b,
        (Label::Pattern(a), Label::Pattern(b)) => patterns_overlap(a, b),
        (Label::Range(first, last), Label::Pattern(pattern))
        | (Label::Pattern(pattern), Label::Range(first, last)) => {
            range_overlaps(*first, *last, pattern, tag)
        }
        _ => false,
    }
}

/// Patterns begin at the same first byte; the shorter one leaves the rest open.
fn patterns_overlap(a: &Pattern, b: &Pattern) -> bool {
    let common = a.width.min(b.width);
    let (am, ab) = leading(a, common);
    let (bm, bb) = leading(b, common);
    (ab ^ bb) & am & bm == 0
}

/// Mask and bits of the first so many bits.
fn leading(pattern: &Pattern, width: u32) -> (u128, u128) {
    let shift = pattern.width.saturating_sub(width);
    let cut = |bits: u128| bits.checked_shr(shift).unwrap_or(0);
    (cut(pattern.mask), cut(pattern.bits))
}

fn range_overlaps(first: i128, last: i128, pattern: &Pattern, tag: Option<&TagCell<'_>>) -> bool {
    let width = tag.map_or(pattern.width, |tag| tag.width);
    if width == 0 || width > 64 || width > pattern.width {
        return false;
    }
    let (mask, bits) = leading(pattern, width);
    // A negative number is stored as its complement.
    let modulus = 1i128 << width;
    let halves = if first < 0 {
        [(first.max(-modulus) + modulus, last.min(-1) + modulus), (0, last)]
    } else {
        [(first, last), (1, 0)]
    };
    let swapped = |bits: u128| (bits << (128 - width)).swap_bytes();
    let in_number_order = |halves: [(i128, i128); 2], mask: u128, bits: u128| {
        halves.iter().any(|&(first, last)| {
            let (Ok(first), Ok(last)) = (u128::try_from(first), u128::try_from(last)) else {
                return false;
            };
            least(first, mask, bits, width).is_some_and(|least| least <= last)
        })
    };
    let big = || in_number_order(halves, mask, bits);
    let little = || in_number_order(halves, swapped(mask), swapped(bits));
    match tag.and_then(|tag| tag.big) {
        Some(true) => big(),
        Some(false) => little(),
        None => big() || little(),
    }
}

/// The least number from `first` on that has these bits under this mask.
fn least(first: u128, mask: u128, bits: u128, width: u32) -> Option<u128> {
    let limit = 1u128 << width;
    if first >= limit {
        return None;
    }
    if first & mask == bits {
        return Some(first);
    }
    // It equals `first` down to some bit, is 1 there where `first` is 0, and is least below.
    (0..width)
        .filter_map(|bit| {
            let one = 1u128 << bit;
            let above = !(one | (one - 1));
            let fixed = mask & one == 0 || bits & one != 0;
            let agrees = first & above & mask == bits & above;
            (first & one == 0 && fixed && agrees)
                .then_some((first & above) | one | (bits & (one - 1)))
        })
        .min()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> Pattern {
        let mut pattern = Pattern { width: 0, mask: 0, bits: 0, letters: Vec::new() };
        for c in text.chars().filter(|c| *c != ' ') {
            pattern.width += 1;
            pattern.mask = pattern.mask << 1 | u128::from("01_".contains(c));
            pattern.bits = pattern.bits << 1 | u128::from(c == '1');
        }
        pattern
    }

    const BYTE: TagCell<'static> =
        TagCell { closed: None, width: 8, lowest: 0, highest: 255, big: Some(true) };

    #[test]
    fn patterns_against_ranges() {
        let records = pattern("100vvvvt tttttttt");
        for (first, last, expected) in
            [(0x80, 0x80, true), (0x9f, 0xa0, true), (0xa0, 0xff, false), (0, 0x7f, false)]
        {
            assert_eq!(range_overlaps(first, last, &records, Some(&BYTE)), expected, "{first:#x}");
        }
        assert!(!range_overlaps(-128, -1, &pattern("0aaaaaaa"), Some(&BYTE)));
        assert!(range_overlaps(-1, 5, &pattern("11111111"), Some(&BYTE)));
    }

    #[test]
    fn least_number_with_bits() {
        for mask in 0..64u128 {
            for bits in (0..64).filter(|bits| bits & !mask == 0) {
                for first in 0..64 {
                    let expected = (first..64).find(|n| n & mask == bits);
                    assert_eq!(least(first, mask, bits, 6), expected, "{first} {mask} {bits}");
                }
            }
        }
    }

    #[test]
    fn patterns_against_patterns() {
        assert!(patterns_overlap(&pattern("1000000a"), &pattern("10000001 aaaaaaaa")));
        assert!(!patterns_overlap(&pattern("100aaaaa"), &pattern("110vvvvt tttttttt")));
        assert!(patterns_overlap(&pattern("aaaaaaaa"), &pattern("________")));
    }

    #[test]
    fn little_endian_tags() {
        let tag = |big| TagCell { closed: None, width: 16, lowest: 0, highest: 0xffff, big };
        let first_byte_one = pattern("00000001 aaaaaaaa");
        assert!(range_overlaps(0x0201, 0x0201, &first_byte_one, Some(&tag(Some(false)))));
        assert!(!range_overlaps(0x0102, 0x0102, &first_byte_one, Some(&tag(Some(false)))));
        assert!(range_overlaps(0x0102, 0x0102, &first_byte_one, Some(&tag(Some(true)))));
        assert!(range_overlaps(0x0201, 0x0201, &first_byte_one, Some(&tag(None))));
    }
}
