//! Labels of cases and columns.

use super::ast::{LabelEx, LabelKind};
use super::kdl::{Literal, Scalar};

/// An integer as written in a text: decimal or `0x`, with a sign.
pub(crate) fn integer(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (radix, digits) = match digits.get(..2) {
        Some("0x" | "0X") => (16, &digits[2..]),
        Some("0b") => (2, &digits[2..]),
        Some("0o") => (8, &digits[2..]),
        _ => (10, digits),
    };
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let value = i128::from_str_radix(&digits.replace('_', ""), radix).ok()?;
    Some(if negative { -value } else { value })
}

/// `a..b`, `a..`, `..b`: both ends included.
pub(crate) fn range(text: &str) -> Option<(i128, i128)> {
    let (from, to) = text.split_once("..")?;
    let (from, to) = (from.trim(), to.trim());
    if from.is_empty() && to.is_empty() {
        return None;
    }
    let from = if from.is_empty() { i128::MIN } else { integer(from)? };
    let to = if to.is_empty() { i128::MAX } else { integer(to)? };
    Some((from, to))
}

/// A label, or nothing if the value can only be a documentation text.
pub(super) fn label(literal: &Literal) -> Option<LabelEx> {
    let kind = match &literal.value {
        Scalar::Int(n) => LabelKind::Range(*n, *n),
        Scalar::Bool(b) => LabelKind::Bool(*b),
        Scalar::Float(_) | Scalar::Null => return None,
        Scalar::Text(text) => text_label(text)?,
    };
    let quoted = literal.inner.is_some_and(|inner| inner != literal.span.start);
    Some(LabelEx { kind, quoted, span: literal.span })
}

fn text_label(text: &str) -> Option<LabelKind> {
    if text == "else" {
        return Some(LabelKind::Else);
    }
    if let Some((from, to)) = range(text) {
        return Some(LabelKind::Range(from, to));
    }
    if let Some(inner) = text.strip_prefix('\'').and_then(|t| t.strip_suffix('\'')) {
        return (!inner.contains('\'')).then(|| LabelKind::Text(inner.to_owned()));
    }
    let bits: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let pattern = !bits.is_empty()
        && bits.len().is_multiple_of(8)
        && bits.contains(['0', '1'])
        && bits.chars().all(|c| matches!(c, '0' | '1' | '_') || c.is_ascii_alphabetic());
    if pattern {
        return Some(LabelKind::Pattern(bits));
    }
    if let Some(number) = integer(text) {
        return Some(LabelKind::Range(number, number));
    }
    let name = !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'));
    name.then(|| LabelKind::Name(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_labels() {
        assert!(matches!(text_label("5..9"), Some(LabelKind::Range(5, 9))));
        assert!(matches!(text_label("..-100"), Some(LabelKind::Range(i128::MIN, -100))));
        assert!(matches!(text_label("0x10.."), Some(LabelKind::Range(16, i128::MAX))));
        assert!(matches!(text_label("'RAHC'"), Some(LabelKind::Text(t)) if t == "RAHC"));
        assert!(matches!(text_label("100vvvvt tttttttt"), Some(LabelKind::Pattern(_))));
        assert!(matches!(text_label("s32_selector"), Some(LabelKind::Name(_))));
        assert!(matches!(text_label("else"), Some(LabelKind::Else)));
        assert!(matches!(text_label("5"), Some(LabelKind::Range(5, 5))));
        assert!(matches!(text_label("10"), Some(LabelKind::Range(10, 10))));
        assert!(matches!(text_label("-0x10"), Some(LabelKind::Range(-16, -16))));
        assert!(matches!(text_label("00010100"), Some(LabelKind::Pattern(_))));
        assert!(text_label("Goes on in several places").is_none());
        assert!(text_label("").is_none());
    }
}
