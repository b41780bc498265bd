//! Pieces of Markdown as GitHub reads it.

use std::fmt::Write as _;

use crate::model::Constant;
use crate::prose::{Piece, pieces};

/// Numbers from here on are shown in hexadecimal.
const HEX_FROM: u128 = 0x1000;

/// Text as code.
pub(super) fn code(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

/// Documentation: Markdown on one line.
pub(super) fn prose(text: &str) -> String {
    let mut out = String::new();
    for piece in pieces(&text.trim().replace('\n', " ")) {
        match piece {
            Piece::Code(code) => out.push_str(code),
            Piece::Ticks(ticks) => out.push_str(&ticks.replace('`', "\\`")),
            Piece::Words(words) => out.push_str(&words.replace('<', "&lt;")),
        }
    }
    out
}

/// The same, ending in a full stop.
pub(super) fn sentence(text: &str) -> String {
    let text = prose(text);
    if text.is_empty() || text.ends_with(['.', '!', '?', ':']) { text } else { text + "." }
}

/// A name that stands in running text or a heading.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::new();
    for char in text.chars() {
        if matches!(char, '*' | '_' | '<' | '>' | '|' | '`' | '[' | ']' | '~') {
            out.push('\\');
        }
        out.push(char);
    }
    out
}

/// A source: an address becomes a link, with the words behind it as its text.
pub(super) fn source(text: &str) -> String {
    let text = text.trim();
    if !text.starts_with("http://") && !text.starts_with("https://") {
        return prose(text);
    }
    match text.split_once(char::is_whitespace) {
        Some((address, title)) => format!("[{}]({address})", prose(title)),
        None => format!("<{text}>"),
    }
}

/// An offset or size in hexadecimal, at least two digits.
pub(super) fn hex(number: u64) -> String {
    format!("0x{number:02x}")
}

/// Whether [`number`] is hexadecimal.
pub(super) fn is_hex(value: i128) -> bool {
    value.unsigned_abs() >= HEX_FROM
}

/// A number beside others: in hexadecimal if one of them is.
pub(super) fn beside(value: i128, mut others: impl Iterator<Item = i128>) -> String {
    match u64::try_from(value) {
        Ok(size) if others.any(is_hex) => hex(size),
        _ => number(value),
    }
}

/// A number as people write it: large ones in hexadecimal.
pub(super) fn number(value: i128) -> String {
    let size = value.unsigned_abs();
    let sign = if value < 0 { "-" } else { "" };
    if size >= HEX_FROM { format!("{sign}{size:#x}") } else { value.to_string() }
}

/// A constant as code.
pub(super) fn constant(constant: &Constant) -> String {
    match constant {
        Constant::Int(value) => code(&number(*value)),
        Constant::Float(bits) => code(&format!("{:?}", f64::from_bits(*bits))),
        Constant::Bool(value) => code(&value.to_string()),
        Constant::Text(text) => code(&format!("'{}'", text.escape_debug())),
        Constant::Bytes(bytes) => byte_string(bytes),
    }
}

/// Bytes: characters where they are some, the zero bytes behind them as a number, or hexadecimal.
pub(super) fn byte_string(bytes: &[u8]) -> String {
    let length = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last.saturating_add(1));
    let (text, zeros) = bytes.split_at(length);
    let readable = |byte: &u8| byte.is_ascii_graphic() || *byte == b' ';
    if text.is_empty() || !text.iter().all(readable) {
        let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        return format!("bytes {}", code(&digits.join(" ")));
    }
    // A space at an end of code is not seen.
    let shown: String = text.iter().map(|&byte| char::from(byte)).collect();
    let mut out = if shown.ends_with(' ') { code(&format!("'{shown}'")) } else { code(&shown) };
    match zeros.len() {
        0 => {}
        1 => out.push_str(" and a zero byte"),
        count => {
            let _ = write!(out, " and {count} zero bytes");
        }
    }
    out
}

/// Characters of a number that is a magic, first byte of a little-endian file first.
pub(super) fn letters(value: i128) -> Option<String> {
    let value = u32::try_from(value).ok()?;
    let bytes = value.to_le_bytes();
    let letter = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b' ';
    (bytes.iter().all(letter) && bytes.iter().any(u8::is_ascii_uppercase))
        .then(|| bytes.iter().map(|&byte| char::from(byte)).collect())
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn and(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// A table; without rows nothing. Columns that are empty in every row are left out.
pub(super) fn table(head: &[String], rows: &[Vec<String>]) -> String {
    let mut out = String::new();
    if rows.is_empty() {
        return out;
    }
    let used: Vec<usize> = (0..head.len())
        .filter(|&column| rows.iter().any(|row| row.get(column).is_some_and(|c| !c.is_empty())))
        .collect();
    let mut line = |cells: &[String]| {
        for &column in &used {
            let cell = cells.get(column).map_or("", String::as_str);
            out.push_str("| ");
            push_cell(cell, &mut out);
            out.push_str(if cell.is_empty() { "" } else { " " });
        }
        out.push_str("|\n");
    };
    line(head);
    line(&vec!["---".to_owned(); head.len()]);
    rows.iter().for_each(|row| line(row));
    out
}

/// The text of a cell. A bar is escaped, in code too: a table needs that, and takes the backslash away.
fn push_cell(cell: &str, out: &mut String) {
    let mut before = ' ';
    for char in cell.chars() {
        if char == '|' && before != '\\' {
            out.push('\\');
        }
        out.push(char);
        before = char;
    }
}

/// The words of a heading, for [`table`].
pub(super) fn head(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_text_where_they_can_be() {
        let check = |bytes: &[u8], expected: &str| assert_eq!(byte_string(bytes), expected);
        check(b"EVFL", "`EVFL`");
        check(b"STR ", "`'STR '`");
        check(b"AB\0", "`AB` and a zero byte");
        check(b"AB\0\0", "`AB` and 2 zero bytes");
        check(b"\x1a\x0a", "bytes `1a 0a`");
        check(b"\0\0", "bytes `00 00`");
        check(b"A\0B", "bytes `41 00 42`");
    }

    #[test]
    fn numbers_that_spell_a_magic() {
        assert_eq!(letters(0x2043_4944), Some("DIC ".to_owned()));
        assert_eq!(letters(0x2020_2020), None);
        assert_eq!(letters(7), None);
        assert_eq!(letters(-1), None);
    }

    #[test]
    fn large_numbers_are_hexadecimal() {
        let check = |value: i128, expected: &str| assert_eq!(number(value), expected);
        check(-1, "-1");
        check(4095, "4095");
        check(65535, "0xffff");
        check(-65536, "-0x10000");
    }

    #[test]
    fn documentation_cannot_break_a_table() {
        let check = |text: &str, expected: &str| assert_eq!(sentence(text), expected);
        check("Number of `a|b`", "Number of `a|b`.");
        let cells = ["`a || b`".to_owned(), "a \\| b".to_owned()];
        assert_eq!(
            table(&head(&["A", "B"]), &[cells.to_vec()]).lines().last(),
            Some("| `a \\|\\| b` | a \\| b |")
        );
        check("1 << n\nbytes", "1 &lt;&lt; n bytes.");
        check("`a < b`!", "`a < b`!");
        check("a ` b <script>", "a \\` b &lt;script>.");
        check(" ", "");
    }

    #[test]
    fn addresses_become_links() {
        let check = |text: &str, expected: &str| assert_eq!(source(text), expected);
        check("Page 42", "Page 42");
        check("http://example.com/?a=b&c", "<http://example.com/?a=b&c>");
        check("http://example.com/three A title", "[A title](http://example.com/three)");
    }

    #[test]
    fn empty_columns_are_left_out() {
        let row = |cells: [&str; 3]| cells.iter().map(|c| (*c).to_owned()).collect::<Vec<_>>();
        let rows = [row(["a", "", ""]), row(["", "", "c"])];
        let expected = "| A | C |\n| --- | --- |\n| a | |\n| | c |\n";
        assert_eq!(table(&head(&["A", "B", "C"]), &rows), expected);
        assert_eq!(table(&head(&["A"]), &[]), "");
    }
}
