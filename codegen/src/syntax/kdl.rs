//! The door to the `kdl` crate: a text becomes plain nodes with places.

use kdl::{KdlDocument, KdlEntry, KdlNode, KdlValue};

use super::scan;
use crate::diagnostic::Diagnostics;
use crate::model::{Inexact, float_of};
use crate::span::{SourceId, Span, Spanned};

/// A node as written.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    /// First word.
    pub name: Spanned<String>,
    /// Words without `=`.
    pub args: Vec<Literal>,
    /// Words with `=`, in order.
    pub props: Vec<Property>,
    /// What stands in braces; `None` if there are none.
    pub children: Option<Vec<Node>>,
    /// The line without the braces.
    pub span: Span,
}

/// `name=value`.
#[derive(Debug, Clone)]
pub(crate) struct Property {
    pub name: Spanned<String>,
    pub value: Literal,
    /// Name and value.
    pub span: Span,
}

/// A value as written.
#[derive(Debug, Clone)]
pub(crate) struct Literal {
    pub value: Scalar,
    pub span: Span,
    /// Offset of the first byte of a text, if each of its bytes stands for itself in the source.
    pub inner: Option<u32>,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Scalar {
    Text(String),
    Int(i128),
    Float(f64),
    Bool(bool),
    Null,
}

impl Literal {
    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Scalar::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value in a schema's words, a text without its quotes.
    pub fn written(&self) -> String {
        match &self.value {
            Scalar::Text(text) => text.clone(),
            Scalar::Int(value) => value.to_string(),
            Scalar::Float(value) => value.to_string(),
            Scalar::Bool(value) => format!("#{value}"),
            Scalar::Null => "#null".to_owned(),
        }
    }

    /// Whether it is a text without quotes.
    pub fn is_bare(&self) -> bool {
        matches!(self.value, Scalar::Text(_)) && self.inner == Some(self.span.start)
    }

    /// The place of some bytes of a text; the whole value if they can't be found.
    pub fn part(&self, start: usize, end: usize) -> Span {
        let shifted =
            |at: usize| self.inner.and_then(|inner| inner.checked_add(u32::try_from(at).ok()?));
        match (shifted(start), shifted(end)) {
            (Some(start), Some(end)) => Span { start, end, ..self.span },
            _ => self.span,
        }
    }
}

/// Nodes of a text, or nothing if it is not KDL; then the reasons are reported.
pub(crate) fn nodes(
    source: SourceId,
    text: &str,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<Node>> {
    let parts = scan::within_limits(source, text, diagnostics)?;
    // On a stack of its own: the parser recurses for each brace, and for each thing that it does
    // not understand.
    let parsed = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        let parse = || {
            let whole = parts.len() < 2;
            let fine =
                whole || parts.iter().all(|part| check_part(source, text, *part, diagnostics));
            if fine { parse(source, text, diagnostics) } else { None }
        };
        thread.spawn_scoped(scope, parse).ok()?.join().ok()
    });
    if parsed.is_none() {
        let span = Span { source, start: 0, end: 0 };
        diagnostics.error("E0103", span, "the parser has no room to work in");
    }
    parsed.flatten()
}

/// Stack in bytes for the parser: 2 KiB for each byte of the longest part, and for 64 braces.
const STACK: usize = 64 << 20;

/// Whether a part is KDL by itself, with the braces around it. If not, the reasons are reported.
fn check_part(
    source: SourceId,
    text: &str,
    part: scan::Part,
    diagnostics: &mut Diagnostics,
) -> bool {
    const OPEN: &str = "x {\n";
    let mut alone = OPEN.repeat(part.before);
    alone.push_str(&text[part.start..part.end]);
    alone.push_str(&"\n}".repeat(part.after));
    match KdlDocument::parse_v2(&alone) {
        Ok(_) => true,
        Err(error) => {
            let shift = (part.start, part.before * OPEN.len());
            report(source, text, shift, &error, diagnostics);
            false
        }
    }
}

fn parse(source: SourceId, text: &str, diagnostics: &mut Diagnostics) -> Option<Vec<Node>> {
    match KdlDocument::parse_v2(text) {
        Ok(document) => {
            let cx = Context { source, text };
            Some(cx.document(&document, diagnostics))
        }
        Err(error) => {
            report(source, text, (0, 0), &error, diagnostics);
            None
        }
    }
}

/// Turns the parser's complaints into ours. What it was given begins `to` bytes into the text, behind
/// `from` bytes of its own.
fn report(
    source: SourceId,
    text: &str,
    (to, from): (usize, usize),
    error: &kdl::KdlError,
    diagnostics: &mut Diagnostics,
) {
    let place = |offset: usize, length: usize| {
        let offset = offset.saturating_sub(from).saturating_add(to);
        let start = floor(text, offset);
        let end = floor(text, offset.saturating_add(length)).max(start);
        Span { source, start: clamp(start), end: clamp(end) }
    };
    let mut seen = Vec::new();
    // That a brace is not closed follows from whatever else is wrong behind it.
    let follows = |message: &Option<String>| {
        let message = message.as_deref().unwrap_or_default().to_ascii_lowercase();
        message.contains("closing '}'") || message.contains("end of document")
    };
    let alone = error.diagnostics.iter().all(|problem| follows(&problem.message));
    let problems = error.diagnostics.iter().filter(|p| alone || !follows(&p.message));
    // Where a word ends of which everything is said.
    let mut told = 0;
    for problem in problems.take(if alone { 1 } else { 20 }) {
        let span = place(problem.span.offset(), problem.span.len());
        let said = text.get(span.start as usize..span.end as usize).unwrap_or("").trim();
        let bare = said.trim_matches(|c: char| !c.is_alphanumeric());
        let message = match &problem.message {
            Some(message) => lower_first(message.trim_end_matches('.')),
            None => "this is not KDL".to_owned(),
        };
        // What the parser says next of the same place follows from the first.
        if seen.contains(&span.start) || span.start < told {
            continue;
        }
        seen.push(span.start);
        let d = diagnostics.error("E0103", span, message);
        if let Some(label) = &problem.label {
            d.label(label.clone());
        }
        if matches!(bare, "true" | "false" | "null") {
            // The first word of a line is a name, and so is what a case is called; others are values.
            let before = text.get(..span.start as usize).unwrap_or("");
            let before = before.trim_end_matches([' ', '\t']);
            let is_first = before.is_empty() || before.ends_with(['{', ';', '\n', '}']);
            let of_case = before.split_whitespace().next_back() == Some("case");
            d.help(match is_first || of_case {
                true => format!("as a name it stands in quotes: `\"{bare}\"`"),
                false => format!("write `#{bare}`"),
            });
        } else if let Some(range) = range_around(text, span) {
            d.help(format!("a range stands in quotes: `\"{range}\"`"));
        } else if said.starts_with('{') {
            d.help("a brace stands on the line of what it belongs to: `struct Name {`");
        } else if said.starts_with('#') {
            d.help("a comment begins with `//`");
        } else if said.starts_with('"') && said.contains('\\') {
            d.help("behind a backslash stands `n`, `t`, `\"`, another one, or a letter by its number: `\\u{0}`");
        } else if said.contains('(') && !said.contains(['"', '\n']) {
            let rest = text.get(span.start as usize..).unwrap_or_default().trim_start();
            let word = with_brackets(rest);
            told = span.end.max(span.start + u32::try_from(word.len()).unwrap_or(0));
            d.help(format!("a word with parentheses stands in quotes: `\"{word}\"`"));
        } else if said.contains('[') && is_value(text, span) {
            d.help(format!("a path with brackets stands in quotes: `\"{said}\"`"));
        } else if said.contains('<') && said.contains('#') {
            let word = said.replace('#', "");
            d.help(format!("arguments of types are words, without `#`: `{word}`"));
        } else if said.contains('[') {
            d.help("how many there are says a property: `u8 name count=4`");
        } else if said.contains(',') {
            d.help("words stand behind one another without commas");
        } else if bare.starts_with(|c: char| c.is_ascii_digit())
            && bare.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        {
            d.help(format!("what is no number stands in quotes: `\"{bare}\"`"));
        } else if let Some(help) = &problem.help {
            d.help(help.clone());
        }
    }
    if seen.is_empty() {
        diagnostics.error("E0103", place(0, 0), "this is not KDL");
    }
}

/// The word that a text begins with, with all that is in its brackets, blanks included: also in angle
/// brackets, if they are closed.
fn with_brackets(text: &str) -> &str {
    let up_to = |opens: &[char], closes: &[char]| {
        let mut depth = 0_u32;
        let end = text.find(|c: char| {
            if opens.contains(&c) {
                depth += 1;
            } else if closes.contains(&c) {
                depth = depth.saturating_sub(1);
            }
            c == '\n' || depth == 0 && (c.is_whitespace() || matches!(c, ';' | '{' | '}'))
        });
        (text[..end.unwrap_or(text.len())].trim_end(), depth == 0)
    };
    match up_to(&['(', '<'], &[')', '>']) {
        (word, true) => word,
        (_, false) => up_to(&['('], &[')']).0,
    }
}

/// The word with two dots between numbers that a place is in.
fn range_around(text: &str, span: Span) -> Option<&str> {
    let (start, end) = (span.start as usize, span.end as usize);
    let dots = text.get(start..end)?.find("..").map(|at| at + start)?;
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let low = text.get(..dots)?.rfind(|c| !part(c)).map_or(0, |at| at + 1);
    let high = text.get(dots + 2..)?.find(|c| !part(c)).map_or(text.len(), |at| dots + 2 + at);
    let range = text.get(low..high)?;
    let number =
        |side: &str| side.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
    (number(text.get(low..dots)?) && number(text.get(dots + 2..high)?)).then_some(range)
}

/// Whether a word is the value of a property.
fn is_value(text: &str, span: Span) -> bool {
    text.get(..span.start as usize).is_some_and(|before| before.ends_with('='))
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => String::new(),
    }
}

fn floor(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn clamp(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

struct Context<'a> {
    source: SourceId,
    text: &'a str,
}

impl Context<'_> {
    fn span(&self, offset: usize, length: usize) -> Span {
        let start = floor(self.text, offset);
        let end = floor(self.text, offset.saturating_add(length)).max(start);
        Span { source: self.source, start: clamp(start), end: clamp(end) }
    }

    fn document(&self, document: &KdlDocument, diagnostics: &mut Diagnostics) -> Vec<Node> {
        document.nodes().iter().map(|node| self.node(node, diagnostics)).collect()
    }

    fn node(&self, node: &KdlNode, diagnostics: &mut Diagnostics) -> Node {
        let name = node.name();
        let name_span = self.span(name.span().offset(), name.span().len());
        if let Some(ty) = node.ty() {
            let span = self.span(ty.span().offset(), ty.span().len());
            no_annotation(span, diagnostics);
        }
        let mut span = name_span;
        let mut args = Vec::new();
        let mut props = Vec::new();
        for entry in node.entries() {
            if let Some(ty) = entry.ty() {
                let span = self.span(ty.span().offset(), ty.span().len());
                no_annotation(span, diagnostics);
            }
            let whole = self.trimmed(entry);
            span = span.to(whole);
            match entry.name() {
                None => args.push(self.literal(entry.value(), whole, diagnostics)),
                Some(name) => {
                    let name_span = self.span(name.span().offset(), name.span().len());
                    let value = self.value_span(name_span, whole);
                    props.push(Property {
                        name: Spanned { value: name.value().to_owned(), span: name_span },
                        value: self.literal(entry.value(), value, diagnostics),
                        span: whole,
                    });
                }
            }
        }
        Node {
            name: Spanned { value: name.value().to_owned(), span: name_span },
            args,
            props,
            children: node.children().map(|children| self.document(children, diagnostics)),
            span,
        }
    }

    /// The place of an entry without the blanks before it.
    fn trimmed(&self, entry: &KdlEntry) -> Span {
        let span = self.span(entry.span().offset(), entry.span().len());
        let said = &self.text[span.start as usize..span.end as usize];
        let front = said.len() - said.trim_start().len();
        let back = said.len() - said.trim_end().len();
        let start = span.start + clamp(front);
        Span { start, end: (span.end - clamp(back)).max(start), ..span }
    }

    /// The place behind `name=`.
    fn value_span(&self, name: Span, whole: Span) -> Span {
        let from = (name.end as usize).min(whole.end as usize);
        let said = &self.text[from..whole.end as usize];
        let equals = said.find('=').map_or(0, |at| at + 1);
        let blanks = said[equals..].len() - said[equals..].trim_start().len();
        Span { start: clamp(from + equals + blanks), ..whole }
    }

    /// A number that no float is was rounded by the parser.
    fn rounded(&self, span: Span, diagnostics: &mut Diagnostics) {
        let said = self.text[span.start as usize..span.end as usize].replace('_', "");
        // Infinities and the like have names.
        if said.starts_with('#') {
            return;
        }
        if let Err(error @ (Inexact::TooLarge(_) | Inexact::Between(..))) = float_of(&said, 8) {
            diagnostics
                .error("E0108", span, format!("no float is {said}"))
                .label(error.to_string());
        }
    }

    fn literal(&self, value: &KdlValue, span: Span, diagnostics: &mut Diagnostics) -> Literal {
        let value = match value {
            KdlValue::String(text) => Scalar::Text(text.clone()),
            KdlValue::Integer(number) => Scalar::Int(*number),
            KdlValue::Float(number) => {
                self.rounded(span, diagnostics);
                Scalar::Float(*number)
            }
            KdlValue::Bool(value) => Scalar::Bool(*value),
            KdlValue::Null => Scalar::Null,
        };
        let inner = match &value {
            Scalar::Text(text) => {
                let said = &self.text[span.start as usize..span.end as usize];
                // Of an empty text, half of what is said stands in front of it.
                let quotes = said.find(|c| c != '#' && c != '"').unwrap_or(said.len() / 2);
                let skip = if text.starts_with(['"', '#']) { None } else { Some(quotes) };
                skip.filter(|&at| said[at..].starts_with(text.as_str()))
                    .map(|at| span.start + clamp(at))
            }
            _ => None,
        };
        Literal { value, span, inner }
    }
}

fn no_annotation(span: Span, diagnostics: &mut Diagnostics) {
    diagnostics
        .error("E0104", span, "type annotations of KDL have no meaning here")
        .help("the type is the first word of the row: `u32 name`");
}
