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

fn ticks(text: &str) -> usize {
    text.bytes().take_while(|byte| *byte == b'`').count()
}

/// A line for the documentation of a program. There, a block of code would be run as a test, and a
/// tag would become part of the page.
pub(crate) fn documentation(line: &str) -> String {
    // A line that is indented, in a list too, is a block of code.
    let words: Vec<&str> = line.split_whitespace().collect();
    let line = words.join(" ");
    let mut out = String::new();
    for piece in pieces(&line) {
        match piece {
            // A fence has three; a span of that many may stand where a fence begins.
            Piece::Code(code) if ticks(code) < 3 => out.push_str(code),
            Piece::Code(text) | Piece::Ticks(text) | Piece::Words(text) => {
                for (at, c) in text.char_indices() {
                    let next = text[at + c.len_utf8()..].chars().next();
                    match c {
                        '`' => out.push_str("\\`"),
                        '~' if next == Some('~') || out.ends_with('~') => out.push_str("\\~"),
                        '<' if next.is_some_and(opens_a_tag) => out.push_str("&lt;"),
                        // Only addresses are links; a name in brackets would be one of Rust.
                        '[' if !is_link(&text[at + 1..]) => out.push_str("\\["),
                        c => out.push(c),
                    }
                }
            }
        }
    }
    out
}

/// Whether this, behind a bracket, is the rest of a link to an address.
fn is_link(text: &str) -> bool {
    text.split_once(']').is_some_and(|(words, rest)| {
        !words.contains('[') && (rest.starts_with("(https://") || rest.starts_with("(http://"))
    })
}

fn opens_a_tag(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')
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

    #[test]
    fn documentation_is_never_run() {
        let check = |line: &str, expected: &str| assert_eq!(documentation(line), expected);
        check("1 << n, a < b, `<u8>`", "1 << n, a < b, `<u8>`");
        check("<script>alert(1)</script>", "&lt;script>alert(1)&lt;/script>");
        check("` <script> ", "\\` &lt;script>");
        check("```rust", "\\`\\`\\`rust");
        check("> ~~~", "> \\~\\~\\~");
        check("a[0] [b](http://x) [c](d)", "a\\[0] [b](http://x) \\[c](d)");
        check("```a``` b", "\\`\\`\\`a\\`\\`\\` b");
        check("    panic!()", "panic!()");
        check("-     panic!()", "- panic!()");
    }
}
