//! Types as written in node names: `*?nn.Names<items.name>`.

use super::ast::{Argument, TypeEx};
use super::expr;
use super::kdl::{Literal, Scalar};
use crate::diagnostic::Diagnostics;
use crate::span::Spanned;

/// Deepest nesting of `<` and `>`.
const MAX_NESTING: usize = 64;

/// A type from a word. Problems are reported.
pub(super) fn type_of(word: &Spanned<String>, diagnostics: &mut Diagnostics) -> Option<TypeEx> {
    let literal = Literal {
        value: Scalar::Text(word.value.clone()),
        span: word.span,
        // A name in quotes is rare; then the whole word is marked.
        inner: (word.span.end - word.span.start == word.value.len() as u32)
            .then_some(word.span.start),
    };
    parse(&literal, 0, &word.value, 0, diagnostics)
}

/// A type from a value.
pub(super) fn type_of_literal(literal: &Literal, diagnostics: &mut Diagnostics) -> Option<TypeEx> {
    match literal.text() {
        Some(text) => parse(literal, 0, text, 0, diagnostics),
        None => {
            diagnostics.error("E0112", literal.span, "a type is expected here");
            None
        }
    }
}

/// The type behind a `?`.
pub(super) fn optional(literal: &Literal) -> Option<Literal> {
    let rest = literal.text()?.strip_prefix('?')?;
    let inner = literal.inner.and_then(|inner| inner.checked_add(1));
    Some(Literal { value: Scalar::Text(rest.to_owned()), span: literal.span, inner })
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '.'
}

fn is_sigil(c: char) -> bool {
    !is_name(c) && !c.is_whitespace() && !"<>?,()[]'\"#".contains(c)
}

/// Parses `text`, which begins at `offset` of the literal.
fn parse(
    literal: &Literal,
    offset: usize,
    text: &str,
    nesting: usize,
    diagnostics: &mut Diagnostics,
) -> Option<TypeEx> {
    let span = literal.part(offset, offset + text.len());
    let wrong = |diagnostics: &mut Diagnostics| {
        let open = text.contains('<') && !text.contains('>');
        let uneven = text.matches('<').count() != text.matches('>').count();
        diagnostics.error("E0112", span, format!("`{}` is not a type", shorten(text))).help(
            match (open, uneven) {
                (true, _) => "a type with a blank in it stands in quotes: `\"Name<a, b>\"`",
                (_, true) => "in arguments, `<` and `>` stand in parentheses: `Name<(a << 1)>`",
                _ => "types look like `u32`, `Name`, `*Name`, `*?Name<argument>` or `Name*`",
            },
        );
    };
    if nesting > MAX_NESTING {
        diagnostics.error("E0112", span, "the arguments of the type are nested too deep");
        return None;
    }
    let (prefix, rest) = sigil(text);
    let name_end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
    let (name, rest) = rest.split_at(name_end);
    if name.split('.').any(|part| part.is_empty() || part.starts_with(|c: char| c.is_ascii_digit()))
        && !(name.is_empty() && prefix.is_some())
    {
        wrong(diagnostics);
        return None;
    }
    let mut args = Vec::new();
    let mut rest = rest;
    if rest.starts_with('<') {
        let Some(end) = closing(rest) else {
            wrong(diagnostics);
            return None;
        };
        let from = offset + (text.len() - rest.len()) + 1;
        for (at, part) in split(&rest[1..end]) {
            args.push(argument(literal, from + at, part, nesting + 1, diagnostics)?);
        }
        rest = &rest[end + 1..];
    }
    let (suffix, rest) = sigil(rest);
    if !rest.is_empty() || (name.is_empty() && (suffix.is_some() || !args.is_empty())) {
        wrong(diagnostics);
        return None;
    }
    Some(TypeEx { prefix, name: name.to_owned(), args, suffix, span })
}

fn sigil(text: &str) -> (Option<(String, bool)>, &str) {
    let end = text.find(|c| !is_sigil(c)).unwrap_or(text.len());
    if end == 0 {
        return (None, text);
    }
    let (sigil, rest) = text.split_at(end);
    match rest.strip_prefix('?') {
        Some(rest) => (Some((sigil.to_owned(), true)), rest),
        None => (Some((sigil.to_owned(), false)), rest),
    }
}

/// Offset of the `>` that closes the `<` at the start.
fn closing(text: &str) -> Option<usize> {
    let mut at = bare(text).filter(|(_, depth, c)| *depth == 0 && *c == '>');
    at.next().map(|(at, ..)| at)
}

/// Parts between commas that are in no brackets, with their offsets.
fn split(text: &str) -> Vec<(usize, &str)> {
    let (mut parts, mut from) = (Vec::new(), 0);
    for (at, ..) in bare(text).filter(|(_, depth, c)| *depth == 0 && *c == ',') {
        parts.push((from, &text[from..at]));
        from = at + 1;
    }
    parts.push((from, &text[from..]));
    parts
}

/// What is in no quotes: offset, how many brackets are open behind it, and what it is. In parentheses
/// and square brackets, `<` and `>` are operators.
fn bare(text: &str) -> impl Iterator<Item = (usize, usize, char)> {
    let (mut quoted, mut angles, mut others) = (false, 0usize, 0usize);
    text.char_indices().filter_map(move |(at, c)| {
        match c {
            '\'' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' => others += 1,
            ')' | ']' => others = others.saturating_sub(1),
            '<' if others == 0 => angles += 1,
            '>' if others == 0 => angles = angles.saturating_sub(1),
            _ => {}
        }
        (!quoted).then_some((at, angles + others, c))
    })
}

/// An argument: what looks like a type is read as one, and as a path too if it can be one.
fn argument(
    literal: &Literal,
    offset: usize,
    text: &str,
    nesting: usize,
    diagnostics: &mut Diagnostics,
) -> Option<Argument> {
    let front = text.len() - text.trim_start().len();
    let (offset, text) = (offset + front, text.trim());
    let span = literal.part(offset, offset + text.len());
    let mut quiet = Diagnostics::default();
    let ty = parse(literal, offset, text, nesting, &mut quiet);
    let at = literal.inner.and_then(|inner| inner.checked_add(u32::try_from(offset).ok()?));
    let part = Literal { value: Scalar::Text(text.to_owned()), span, inner: at };
    let looks_like_type = ty
        .as_ref()
        .is_some_and(|ty| ty.prefix.is_some() || ty.suffix.is_some() || !ty.args.is_empty());
    let ex = if looks_like_type {
        None
    } else {
        let loud: &mut Diagnostics = if ty.is_some() { &mut quiet } else { diagnostics };
        expr::expression(&part, text, loud)
    };
    if ty.is_none() && ex.is_none() {
        return None;
    }
    Some(Argument { text: text.to_owned(), ty, ex, span })
}

/// Value of a library's parameter.
pub(super) fn import_argument(literal: &Literal) -> Argument {
    let mut quiet = Diagnostics::default();
    let (text, ty) = match &literal.value {
        Scalar::Text(text) => (text.clone(), parse(literal, 0, text, 0, &mut quiet)),
        Scalar::Int(n) => (n.to_string(), None),
        Scalar::Float(n) => (n.to_string(), None),
        Scalar::Bool(b) => (b.to_string(), None),
        Scalar::Null => ("null".to_owned(), None),
    };
    let ex = match &literal.value {
        Scalar::Text(text) => expr::expression(literal, text, &mut quiet),
        Scalar::Int(n) => Some(expr::Ex::new(expr::ExKind::Int(*n), literal.span)),
        Scalar::Float(n) => Some(expr::Ex::new(expr::ExKind::Float(*n), literal.span)),
        Scalar::Bool(b) => Some(expr::Ex::new(expr::ExKind::Bool(*b), literal.span)),
        Scalar::Null => None,
    };
    Argument { text, ty, ex, span: literal.span }
}

fn shorten(text: &str) -> String {
    if text.chars().count() > 40 {
        return text.chars().take(40).chain("...".chars()).collect();
    }
    text.to_owned()
}
