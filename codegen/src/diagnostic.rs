//! Problems of a schema: collected, sorted by place, rendered for people or as JSON.
//!
//! The only room that knows `annotate-snippets`.

use std::collections::HashSet;
use std::ops::Range;

use annotate_snippets::renderer::Renderer;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Snippet};
use serde_json::{Value, json};

use crate::span::{SourceMap, Span};

/// Most problems that [`render`] shows; it counts the rest.
pub const SHOWN: usize = 50;

/// Longest line in bytes of which the text is shown. Rendering costs time for each byte.
const LONGEST_LINE: usize = 4096;

/// A problem, with its places.
#[derive(Debug, Clone)]
pub struct Diagnostic {
    /// Stable code, such as `E0203`; see `docs/diagnostics.md`.
    pub code: &'static str,
    /// Error or note.
    pub severity: Severity,
    /// What is wrong: lower case, no full stop, names in backticks.
    pub message: String,
    /// Where.
    pub span: Span,
    /// What to say at the place; may be empty.
    pub label: String,
    /// Other places that matter, such as a first definition.
    pub secondary: Vec<(Span, String)>,
    /// What to write instead.
    pub help: Option<String>,
}

/// How bad a [`Diagnostic`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The schema cannot be used.
    Error,
    /// Worth knowing.
    Note,
}

impl Severity {
    /// The word for it: `error` or `note`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Note => "note",
        }
    }
}

impl Diagnostic {
    /// Says something at the primary place.
    pub fn label(&mut self, label: impl Into<String>) -> &mut Self {
        self.label = label.into();
        self
    }

    /// Adds another place.
    pub fn also(&mut self, span: Span, label: impl Into<String>) -> &mut Self {
        self.secondary.push((span, label.into()));
        self
    }

    /// Says what to write.
    pub fn help(&mut self, help: impl Into<String>) -> &mut Self {
        self.help = Some(help.into());
        self
    }
}

/// Collected problems.
#[derive(Debug, Clone, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Adds an error and returns it, for labels and help.
    pub fn error(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.push(code, Severity::Error, span, message.into())
    }

    /// Adds a note.
    pub fn note(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.push(code, Severity::Note, span, message.into())
    }

    fn push(
        &mut self,
        code: &'static str,
        severity: Severity,
        span: Span,
        message: String,
    ) -> &mut Diagnostic {
        self.list.push(Diagnostic {
            code,
            severity,
            message,
            span,
            label: String::new(),
            secondary: Vec::new(),
            help: None,
        });
        self.list.last_mut().expect("just pushed")
    }

    /// Whether there is an error among them.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|d| d.severity == Severity::Error)
    }

    /// Number of errors; notes do not count.
    #[must_use]
    pub fn errors(&self) -> usize {
        self.list.iter().filter(|d| d.severity == Severity::Error).count()
    }

    /// All of them, as collected; in the order of their places after [`Diagnostics::sort`].
    #[must_use]
    pub fn all(&self) -> &[Diagnostic] {
        &self.list
    }

    /// Whether a problem with this code was found at this place.
    #[must_use]
    pub fn contains(&self, code: &str, span: Span) -> bool {
        self.list.iter().any(|d| d.code == code && d.span == span)
    }

    /// Adds all of another list.
    pub(crate) fn append(&mut self, other: Diagnostics) {
        self.list.extend(other.list);
    }

    /// Adds what a later phase found, without what only follows from the errors so far: problems
    /// whose place holds, or lies in, that of an earlier error, and unknown names that stand in a
    /// statement with one, which may have been meant to declare them.
    pub(crate) fn append_independent(&mut self, later: Diagnostics, sources: &SourceMap) {
        const UNKNOWN: [&str; 3] = ["E0219", "E0220", "E0230"];
        let errors = self.list.iter().filter(|d| d.severity == Severity::Error);
        let broken: Vec<Span> = errors.map(|d| d.span).collect();
        let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let broken_off = broken.iter().map(|span| sources.statement(*span));
        let declared: HashSet<&str> =
            broken_off.flat_map(|text| text.split(|c| !is_letter(c))).collect();
        let follows = |d: &Diagnostic| {
            let name = sources.text(d.span).rsplit(|c| !is_letter(c)).next().unwrap_or("");
            broken.iter().any(|span| d.span.touches(*span))
                || UNKNOWN.contains(&d.code) && !name.is_empty() && declared.contains(name)
        };
        self.list.extend(later.list.into_iter().filter(|d| !follows(d)));
    }

    /// Adds those that say something new: what has the code and place of an earlier one is left out.
    pub(crate) fn append_distinct(&mut self, other: Diagnostics) {
        let mut seen: HashSet<_> = self.list.iter().map(|d| (d.code, d.span)).collect();
        self.list.extend(other.list.into_iter().filter(|d| seen.insert((d.code, d.span))));
    }

    /// Drops those that are not to be said.
    pub fn retain(&mut self, keep: impl FnMut(&Diagnostic) -> bool) {
        self.list.retain(keep);
    }

    /// Orders them by text, offset and code, and drops what was said twice: struct declarations
    /// with parameters are looked at once per use.
    pub fn sort(&mut self) {
        self.list.sort_by_key(|d| (d.span.source, d.span.start, d.span.end, d.code));
        let mut seen = HashSet::new();
        self.list.retain(|d| seen.insert((d.code, d.span, d.message.clone())));
    }
}

/// The problems for people: for each the code, file, line, column, the text around and what to
/// write. In the order in which they are; at most [`SHOWN`], then the number of the others.
/// `color` adds ANSI escapes.
///
/// # Panics
///
/// If a place is of a text that `sources` does not have.
#[must_use]
pub fn render(diagnostics: &Diagnostics, sources: &SourceMap, color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let mut out = String::new();
    for diagnostic in diagnostics.all().iter().take(SHOWN) {
        out.push_str(&renderer.render(&groups(diagnostic, sources)));
        out.push_str("\n\n");
    }
    let rest = diagnostics.all().len().saturating_sub(SHOWN);
    if rest > 0 {
        let title = Level::NOTE.no_name().secondary_title(match rest {
            1 => "and 1 more problem".to_owned(),
            rest => format!("and {rest} more problems"),
        });
        out.push_str(&renderer.render(&[Group::with_title(title)]));
        out.push('\n');
    }
    out
}

/// One problem in the form of the renderer.
fn groups<'a>(diagnostic: &'a Diagnostic, sources: &'a SourceMap) -> Vec<Group<'a>> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Note => Level::NOTE,
    };
    let title = level.primary_title(diagnostic.message.as_str()).id(diagnostic.code);
    let mut group = Group::with_title(title);

    // One snippet per text, that of the primary place first.
    let mut texts = vec![diagnostic.span.source];
    for (span, _) in &diagnostic.secondary {
        if !texts.contains(&span.source) {
            texts.push(span.source);
        }
    }
    for text in texts {
        let primary = (diagnostic.span, diagnostic.label.as_str(), AnnotationKind::Primary);
        let others = diagnostic.secondary.iter();
        let others = others.map(|(span, label)| (*span, label.as_str(), AnnotationKind::Context));
        let mut marks: Vec<_> =
            std::iter::once(primary).chain(others).filter(|mark| mark.0.source == text).collect();
        // The renderer draws equal marks of one place over each other.
        marks.dedup_by(|a, b| a.0 == b.0 && a.1 == b.1);
        group = add_text(group, sources, &marks);
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    vec![group]
}

/// Adds the lines of one text on which there are marks.
fn add_text<'a>(
    group: Group<'a>,
    sources: &'a SourceMap,
    marks: &[(Span, &'a str, AnnotationKind)],
) -> Group<'a> {
    let Some(&(first, ..)) = marks.first() else { return group };
    let source = sources.get(first.source);
    let places: Vec<Range<usize>> =
        marks.iter().map(|(span, ..)| first_line(&source.text, *span)).collect();
    let from = places.iter().map(|place| place.start).min().unwrap_or(0);
    let to = places.iter().map(|place| place.end).max().unwrap_or(0);
    // Two lines around, so that the renderer does not have to fold the whole text.
    let window = line_start(&source.text, from)..line_end(&source.text, to);
    let text = source.text.get(window.clone()).unwrap_or_default();
    if text.lines().any(|line| line.len() > LONGEST_LINE) {
        let (line, column) = sources.line_column(first.source, first.start);
        let origin = Origin::path(source.name.as_str()).line(line).char_column(column);
        return group.element(origin);
    }
    let (line, _) = sources.line_column(first.source, u32_of(window.start));
    let annotations = marks.iter().zip(places).map(|((_, label, kind), place)| {
        let place = place.start - window.start..place.end - window.start;
        kind.span(place).label((!label.is_empty()).then_some(*label))
    });
    let snippet = Snippet::source(text).path(source.name.as_str()).line_start(line);
    group.element(snippet.annotations(annotations))
}

/// The part of a span on its first line, between characters of the text.
fn first_line(text: &str, span: Span) -> Range<usize> {
    let start = floor_boundary(text, span.start as usize);
    let end = floor_boundary(text, span.end as usize).max(start);
    let line = text[start..end].find(['\n', '\r']).map_or(end, |length| start + length);
    start..line.max(start)
}

fn floor_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

fn line_start(text: &str, offset: usize) -> usize {
    text[..offset].rfind('\n').map_or(0, |at| at + 1)
}

fn line_end(text: &str, offset: usize) -> usize {
    text[offset..].find('\n').map_or(text.len(), |at| offset + at)
}

fn u32_of(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

/// The problems for programs: a list of objects with `code`, `severity` (`error` or `note`),
/// `message`, `file`, `line`, `column`, `end_line`, `end_column` (from 1; columns count
/// characters; the end is behind the last character), `label`, `secondary` (a list of objects with
/// place and `label`) and `help` (a text or null).
///
/// # Panics
///
/// If a place is of a text that `sources` does not have.
#[must_use]
pub fn to_json(diagnostics: &Diagnostics, sources: &SourceMap) -> Value {
    diagnostics
        .all()
        .iter()
        .map(|diagnostic| {
            let mut value = place(sources, diagnostic.span);
            value["code"] = json!(diagnostic.code);
            value["severity"] = json!(diagnostic.severity.word());
            value["message"] = json!(diagnostic.message);
            value["label"] = json!(diagnostic.label);
            value["secondary"] = diagnostic
                .secondary
                .iter()
                .map(|(span, label)| {
                    let mut value = place(sources, *span);
                    value["label"] = json!(label);
                    value
                })
                .collect();
            value["help"] = json!(diagnostic.help);
            value
        })
        .collect()
}

fn place(sources: &SourceMap, span: Span) -> Value {
    let (line, column) = sources.line_column(span.source, span.start);
    let (end_line, end_column) = sources.line_column(span.source, span.end);
    json!({
        "file": sources.get(span.source).name,
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(sources: &SourceMap, source: usize, text: &str) -> Span {
        let all = sources.all();
        let start = all[source].text.find(text).expect("the text is there");
        let id = crate::span::SourceId(source as u32);
        Span { source: id, start: start as u32, end: (start + text.len()) as u32 }
    }

    fn two_files() -> (SourceMap, Diagnostics) {
        let mut sources = SourceMap::default();
        sources.add("a.kdl", "struct A 4 {\n    u32 é 0x00\n    u32 x 0x02\n}\n");
        sources.add("b.kdl", "struct B 4 {\n}\n");
        let mut diagnostics = Diagnostics::default();
        diagnostics
            .error("E0301", span(&sources, 0, "u32 x 0x02"), "`x` overlaps `é`")
            .label("begins at 0x2")
            .also(span(&sources, 0, "u32 é 0x00"), "ends at 0x4")
            .also(span(&sources, 1, "struct B 4 {\n}"), "used here")
            .help("write `0x04`");
        (sources, diagnostics)
    }

    #[test]
    fn places_in_two_files() {
        let (sources, diagnostics) = two_files();
        let text = render(&diagnostics, &sources, false);
        let expected = "\
error[E0301]: `x` overlaps `é`
 --> a.kdl:3:5
  |
2 |     u32 é 0x00
  |     ---------- ends at 0x4
3 |     u32 x 0x02
  |     ^^^^^^^^^^ begins at 0x2
  |
 ::: b.kdl:1:1
  |
1 | struct B 4 {
  | ------------ used here
  |
  = help: write `0x04`

";
        assert_eq!(text, expected);
        assert!(render(&diagnostics, &sources, true).contains("\u{1b}["));
    }

    #[test]
    fn json_has_every_field() {
        let (sources, diagnostics) = two_files();
        let value = to_json(&diagnostics, &sources);
        assert_eq!(
            value,
            json!([{
                "code": "E0301", "severity": "error", "message": "`x` overlaps `é`",
                "file": "a.kdl", "line": 3, "column": 5, "end_line": 3, "end_column": 15,
                "label": "begins at 0x2", "help": "write `0x04`",
                "secondary": [
                    {"file": "a.kdl", "line": 2, "column": 5, "end_line": 2, "end_column": 15,
                     "label": "ends at 0x4"},
                    {"file": "b.kdl", "line": 1, "column": 1, "end_line": 2, "end_column": 2,
                     "label": "used here"},
                ],
            }])
        );
    }

    #[test]
    fn the_rest_is_counted() {
        let mut sources = SourceMap::default();
        let source = sources.add("a.kdl", "x\n".repeat(60));
        let mut diagnostics = Diagnostics::default();
        for line in (0..60).rev() {
            let span = Span { source, start: line * 2, end: line * 2 + 1 };
            diagnostics.error("E0301", span, "wrong");
            diagnostics.error("E0301", span, "wrong");
        }
        diagnostics.sort();
        assert_eq!(diagnostics.errors(), 60);
        let text = render(&diagnostics, &sources, false);
        assert_eq!(text.matches("error[E0301]").count(), 50);
        assert!(text.contains(" --> a.kdl:1:1\n"));
        assert!(text.ends_with("and 10 more problems\n"), "{text}");
    }

    #[test]
    fn odd_places_do_not_panic() {
        let mut sources = SourceMap::default();
        let texts = ["", "é", "\u{feff}a\r\nb\n\n", "\t\u{202e}x\0y\n\n\n", &"é".repeat(9000)];
        for text in texts {
            let source = sources.add("odd.kdl", text);
            for start in 0..8 {
                for end in 0..12 {
                    let mut diagnostics = Diagnostics::default();
                    let span = Span { source, start, end };
                    let other = Span { source, start: 0, end: u32::MAX };
                    diagnostics.error("E0101", span, "odd").label("here").also(other, "all");
                    assert!(render(&diagnostics, &sources, false).contains("odd.kdl"));
                    let _ = to_json(&diagnostics, &sources);
                }
            }
        }
    }
}
