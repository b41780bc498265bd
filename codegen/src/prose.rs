//! What a schema says in words. Its author may use some Markdown, of which code spans matter here:
//! everything that stands elsewhere is a text, never a program or a tag, wherever it is printed.

use crate::model::is_unseen;

/// Words as they are kept: lines end in `\n`, and what is not seen stands as an escape.
pub(crate) fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' if chars.peek() == Some(&'\n') => {}
            '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}' => out.push('\n'),
            '\t' => out.push(' '),
            c if is_unseen(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

/// The same on one line.
pub(crate) fn line(text: &str) -> String {
    tidy(text).replace('\n', " ")
}

/// A piece of a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece<'t> {
    /// A code span with its backticks.
    Code(&'t str),
    /// Backticks that open nothing which ends on this line.
    Ticks(&'t str),
    /// Other words.
    Words(&'t str),
}

/// The pieces of a line, in order. A code span ends with as many backticks as it began with.
pub(crate) fn pieces(line: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = line;
    while let Some(start) = rest.find('`') {
        if start > 0 {
            pieces.push(Piece::Words(&rest[..start]));
        }
        let from = &rest[start..];
        let count = ticks(from);
        let mut at = count;
        let end = loop {
            let Some(next) = from[at..].find('`') else { break None };
            at += next;
            match ticks(&from[at..]) {
                closing if closing == count => break Some(at + closing),
                other => at += other,
            }
        };
        let (piece, length) = match end {
            Some(end) => (Piece::Code(&from[..end]), end),
            None => (Piece::Ticks(&from[..count]), count),
        };
        pieces.push(piece);
        rest = &from[length..];
    }
    if !rest.is_empty() {
        pieces.push(Piece::Words(rest));
    }
    pieces
}

/// How many ticks a text begins with.
pub(crate) fn ticks(text: &str) -> usize {
    text.bytes().take_while(|byte| *byte == b'`').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_tidy() {
        assert_eq!(tidy("a\rb\r\nc\u{2028}d\te\x1b[2J"), "a\nb\nc\nd e\\u{1b}[2J");
        assert_eq!(line("a\r\nb"), "a b");
    }

    #[test]
    fn spans_end_on_their_line() {
        let check = |line: &str, expected: &[Piece<'_>]| assert_eq!(pieces(line), expected);
        check("a `b` c", &[Piece::Words("a "), Piece::Code("`b`"), Piece::Words(" c")]);
        check("`` a`b `` `", &[Piece::Code("`` a`b ``"), Piece::Words(" "), Piece::Ticks("`")]);
        check("```a`", &[Piece::Ticks("```"), Piece::Words("a"), Piece::Ticks("`")]);
        check("", &[]);
    }
}
