//! A look at a text before the KDL parser sees it: that parser has no limits of its own.

use crate::diagnostic::Diagnostics;
use crate::span::{SourceId, Span};

/// Longest text in bytes.
pub(crate) const MAX_TEXT: usize = 16 << 20;
/// Deepest nesting of braces, and of block comments.
const MAX_DEPTH: usize = 64;
/// Most bytes of a line, and of a part, that are neither in a text nor in a comment. The parser
/// recurses for each thing that it does not understand, so it never gets more of those at once.
const MAX_LINE: usize = 16 << 10;

/// Part of a text that can be parsed by itself: it begins and ends with whole lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset behind the last byte.
    pub end: usize,
    /// Braces that are open at the start.
    pub before: usize,
    /// Braces that are open at the end.
    pub after: usize,
}

/// What makes a text unfit for the parser.
#[derive(Debug, PartialEq, Eq)]
enum Problem {
    /// These are nested too deep.
    Deep(&'static str),
    /// A brace that closes nothing. The parser would recurse at each one.
    Unopened,
    /// Three quotes with something behind them on the line; the parser would recurse here too.
    Quotes,
    /// A comment that is not closed. The parser says so of the whole text.
    Comment,
    /// `==` or another comparison that is in no text. To the parser it is a property without a value,
    /// and what it says of that is about the whole text.
    Comparison,
    /// A text that begins in the middle of a word. The parser would complain of all that follows.
    Inside,
    /// A line with more than [`MAX_LINE`] bytes.
    Line,
    /// `} else`: in KDL a node ends with its line.
    Else,
    /// A word behind a brace: something must end the statement before it.
    Unended,
    /// `(` where a block begins.
    Round,
}

/// Checks size and nesting. The parts of the text, or `None` if it must not be parsed; then the reason
/// is reported.
pub(super) fn within_limits(
    source: SourceId,
    text: &str,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<Part>> {
    if text.len() > MAX_TEXT {
        let span = Span { source, start: 0, end: 0 };
        diagnostics
            .error("E0101", span, format!("the schema is longer than {} MiB", MAX_TEXT >> 20))
            .help("split it into libraries");
        return None;
    }
    match nesting(text.as_bytes()) {
        Ok(parts) => Some(parts),
        Err((at, problem)) => {
            let start = u32::try_from(at).unwrap_or(u32::MAX);
            let span = Span { source, start, end: start.saturating_add(1) };
            match problem {
                Problem::Deep(what) => diagnostics
                    .error(
                        "E0102",
                        span,
                        format!("{what} are nested deeper than {MAX_DEPTH} levels"),
                    )
                    .label("one level too many"),
                Problem::Unopened => diagnostics.error("E0103", span, "this brace closes nothing"),
                Problem::Line => diagnostics
                    .error("E0101", span, "the line is longer than 16 KiB")
                    .label("up to here"),
                Problem::Else => diagnostics
                    .error("E0103", span, "`else` stands on a line of its own")
                    .help("in KDL a brace ends its node; write `};` or begin a new line"),
                Problem::Unended => diagnostics
                    .error("E0103", span, "`;` is missing between `}` and this")
                    .help("statements on one line stand between `;`; or begin a new line"),
                Problem::Round => diagnostics
                    .error("E0103", span, "`(` begins no block")
                    .help("a block stands in braces: `{ ... }`"),
                Problem::Comment => {
                    diagnostics.error("E0103", span, "the comment has no end: `*/` is missing")
                }
                Problem::Comparison => diagnostics
                    .error("E0103", span, "a comparison stands in quotation marks")
                    .help("all of an expression does: `\"kind == 2\"`"),
                Problem::Inside => diagnostics
                    .error("E0103", span, "a text can't begin in the middle of a word")
                    .help("put all of the word in quotation marks: `\"Name<a + 1>\"`"),
                Problem::Quotes => diagnostics
                    .error("E0103", span, "the line must end behind `\"\"\"`")
                    .help("a text on one line stands in single quotation marks: `\"`"),
            };
            None
        }
    }
}

/// The parts of a text, or offset and kind of the first problem.
fn nesting(text: &[u8]) -> Result<Vec<Part>, (usize, Problem)> {
    let mut parts: Vec<Part> = Vec::new();
    let mut start = (0, 0);
    let mut depth = 0usize;
    // Bytes outside of texts and comments, since the part and the line began.
    let (mut in_part, mut in_line) = (0usize, 0usize);
    // Whether the statement goes on behind the end of the line.
    let (mut dashed, mut escaped) = (false, false);
    let mut dashes = 0usize;
    let mut at = 0;
    while at < text.len() {
        in_part += 1;
        in_line += 1;
        if in_line > MAX_LINE {
            return Err((at, Problem::Line));
        }
        dashed &= text[at].is_ascii_whitespace()
            || text[at..].starts_with(b"//")
            || text[at..].starts_with(b"/*");
        match text[at] {
            b'\n' => {
                at += 1;
                in_line = 0;
                if in_part > MAX_LINE / 2 && !dashed && !escaped {
                    parts.push(Part { start: start.0, end: at, before: start.1, after: depth });
                    start = (at, depth);
                    in_part = 0;
                }
                escaped = false;
            }
            b'\\' => {
                escaped = true;
                at += 1;
            }
            b'{' => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Err((at, Problem::Deep("braces")));
                }
                at += 1;
            }
            b'}' => {
                depth = depth.checked_sub(1).ok_or((at, Problem::Unopened))?;
                at += 1;
                // The parser only says that some brace is not closed.
                let blanks = text[at..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
                let word = &text[at + blanks..];
                if word.starts_with(b"else") && !word.get(4).is_some_and(u8::is_ascii_alphanumeric)
                {
                    return Err((at + blanks, Problem::Else));
                }
                let first = word.first();
                if first.is_some_and(|b| b.is_ascii_alphanumeric() || b"_*?\"".contains(b)) {
                    return Err((at + blanks, Problem::Unended));
                }
            }
            // With something in it, it is a type annotation, or part of an expression without quotes.
            b'(' if text.get(at + 1).is_none_or(u8::is_ascii_whitespace) => {
                return Err((at, Problem::Round));
            }
            b'/' if text[at..].starts_with(b"//") => {
                at += text[at..].iter().position(|&b| b == b'\n').unwrap_or(text.len() - at);
            }
            b'/' if text[at..].starts_with(b"/*") => match skip_comment(text, at) {
                Ok(Some(end)) => at = end,
                Ok(None) => return Err((at, Problem::Comment)),
                Err(place) => return Err((place, Problem::Deep("comments"))),
            },
            b'/' if text[at..].starts_with(b"/-") => {
                // A run of these recurses in the parser.
                dashes += 1;
                if dashes > MAX_DEPTH * MAX_DEPTH {
                    return Err((at, Problem::Deep("`/-` comments")));
                }
                dashed = true;
                at += 2;
            }
            b'=' if at > 0 && b"=!<>".contains(&text[at - 1]) => {
                return Err((at - 1, Problem::Comparison));
            }
            b'"' => {
                let before = text[..at].last();
                if before.is_some_and(|b| b.is_ascii_alphanumeric() || b"_.,<>[]".contains(b)) {
                    return Err((at, Problem::Inside));
                }
                if text[at..].starts_with(b"\"\"\"") && !line_ends(&text[at + 3..]) {
                    return Err((at, Problem::Quotes));
                }
                at = skip_string(text, at);
            }
            b'#' => {
                let hashes = text[at..].iter().take_while(|&&b| b == b'#').count();
                at += hashes;
                if text.get(at) == Some(&b'"') {
                    at = skip_raw(text, at, hashes);
                }
            }
            _ => at += 1,
        }
    }
    parts.push(Part { start: start.0, end: text.len(), before: start.1, after: depth });
    Ok(parts)
}

/// Whether a text begins with the end of a line, as KDL has it.
fn line_ends(text: &[u8]) -> bool {
    let ends: [&[u8]; 7] = [
        b"\n",
        b"\r",
        b"\x0b",
        b"\x0c",
        "\u{85}".as_bytes(),
        "\u{2028}".as_bytes(),
        "\u{2029}".as_bytes(),
    ];
    ends.iter().any(|end| text.starts_with(end))
}

/// The end of a comment, if it has one, or where it is nested too deep.
fn skip_comment(text: &[u8], start: usize) -> Result<Option<usize>, usize> {
    let mut depth = 0usize;
    let mut at = start;
    while at < text.len() {
        if text[at..].starts_with(b"/*") {
            depth += 1;
            if depth > MAX_DEPTH {
                return Err(at);
            }
            at += 2;
        } else if text[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return Ok(Some(at));
            }
        } else {
            at += 1;
        }
    }
    Ok(None)
}

fn skip_string(text: &[u8], start: usize) -> usize {
    let multi = text[start..].starts_with(b"\"\"\"");
    let close: &[u8] = if multi { b"\"\"\"" } else { b"\"" };
    let mut at = start + close.len();
    while at < text.len() {
        if text[at] == b'\\' {
            at += 2;
        } else if text[at..].starts_with(close) {
            return at + close.len();
        } else if !multi && text[at] == b'\n' {
            // Not a string after all; the parser reports it.
            return at;
        } else {
            at += 1;
        }
    }
    text.len()
}

fn skip_raw(text: &[u8], quote: usize, hashes: usize) -> usize {
    let multi = text[quote..].starts_with(b"\"\"\"");
    let mut close: Vec<u8> = if multi { b"\"\"\"".to_vec() } else { b"\"".to_vec() };
    let open = close.len();
    close.extend(std::iter::repeat_n(b'#', hashes));
    let mut at = quote + open;
    while at < text.len() {
        if text[at..].starts_with(&close) {
            return at + close.len();
        }
        if !multi && text[at] == b'\n' {
            return at;
        }
        at += 1;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(end: usize, after: usize) -> Part {
        Part { start: 0, end, before: 0, after }
    }

    #[test]
    fn long_texts_have_parts() {
        let text = format!("a {{\n{}}}\n", "b 1 /- \n c\n d \\\n e\n".repeat(2000));
        let parts = nesting(text.as_bytes()).expect("no problem");
        assert!(parts.len() > 3);
        for pair in parts.windows(2) {
            assert_eq!((pair[0].end, pair[0].after), (pair[1].start, pair[1].before));
            let end = &text[..pair[0].end];
            assert!(end.ends_with("c\n") || end.ends_with("e\n"), "{}", &end[end.len() - 9..]);
        }
        assert_eq!(nesting("~".repeat(20_000).as_bytes()), Err((MAX_LINE, Problem::Line)));
        let quoted = format!("a \"{}\"", "~".repeat(20_000));
        assert!(nesting(quoted.as_bytes()).is_ok());
    }

    #[test]
    fn strings_and_comments_do_not_count() {
        let braces = "{".repeat(100);
        for text in [
            format!("a \"{braces}\""),
            format!("a #\"{braces}\"#"),
            format!("a \"\"\"\n{braces}\n\"\"\""),
            format!("// {braces}\na"),
            format!("/* {braces} */ a"),
            format!("a \"\\\"{braces}\""),
        ] {
            assert_eq!(nesting(text.as_bytes()), Ok(vec![whole(text.len(), 0)]), "{text}");
        }
        assert!(nesting(format!("a {braces}").as_bytes()).is_err());
        assert!(nesting("/*".repeat(100).as_bytes()).is_err());
        assert_eq!(nesting("a {\n".repeat(64).as_bytes()), Ok(vec![whole(256, 64)]));
        assert_eq!(nesting(b"a {\n}\n}"), Err((6, Problem::Unopened)));
        assert_eq!(nesting(b"a { b { c } d }"), Err((12, Problem::Unended)));
        assert_eq!(nesting(b"a (\n b\n}"), Err((2, Problem::Round)));
        for text in ["a { b { c }; d { e } }", "a {} /* b */\nc", "a { b { } /- c\n }", "a \"( \""]
        {
            assert!(nesting(text.as_bytes()).is_ok(), "{text}");
        }
        assert_eq!(nesting(b"a \"\"\"b\"\"\""), Err((2, Problem::Quotes)));
        assert_eq!(nesting(b"a { B<\"c\"> d }"), Err((6, Problem::Inside)));
        assert_eq!(nesting(b"a /* b /* c */"), Err((2, Problem::Comment)));
        assert_eq!(nesting(b"a b!=c"), Err((3, Problem::Comparison)));
        assert_eq!(nesting(b"a b == c"), Err((4, Problem::Comparison)));
        assert!(nesting(b"a b=\"c==d\" // e == f").is_ok());
    }
}
