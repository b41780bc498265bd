//! Documentation in generated code.

use proc_macro2::TokenStream;
use quote::quote;

use super::shape::{IndexId, Shapes};
use crate::model::{RecordId, RecordKind};
use crate::prose::{Piece, pieces, ticks};

/// Documentation of an item, if it has some.
pub(in crate::rust) fn docs(doc: Option<&str>) -> TokenStream {
    match doc {
        Some(doc) => {
            let lines = doc.lines().map(|line| format!(" {}", documentation(line)));
            quote!(#(#[doc = #lines])*)
        }
        None => TokenStream::new(),
    }
}

/// Documentation of a record: its own, or that of the case that it is the body of.
pub(in crate::rust) fn record_doc(shapes: &Shapes<'_>, id: RecordId) -> Option<String> {
    let record = &shapes.model().records[id.index()];
    if let (None, RecordKind::Case(union, case)) = (&record.doc, &record.kind) {
        let union = &shapes.model().unions[union.index()];
        let case = &union.cases[*case as usize];
        let what = format!("Case `{}` of [`{}`].", case.name, {
            let RecordKind::Case(id, _) = record.kind else { return None };
            shapes.union_ident(id)
        });
        return Some(match &case.doc {
            Some(doc) => format!("{doc}\n\n{what}"),
            None => what,
        });
    }
    record.doc.clone()
}

/// Documentation of a type of positions.
pub(in crate::rust) fn index_doc(shapes: &Shapes<'_>, id: IndexId) -> String {
    let Some((record, row)) = shapes.index_array(id) else {
        return "Position in an array, counted from 0.".to_owned();
    };
    let record = &shapes.model().records[record.index()];
    let row = record.rows[row.index()].name.as_deref().unwrap_or_default();
    format!("Position in `{row}` of `{}`, counted from 0.", record.template)
}

/// A line for the documentation of a program. There, a block of code would be run as a test, and a
/// tag would become part of the page.
fn documentation(line: &str) -> String {
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
