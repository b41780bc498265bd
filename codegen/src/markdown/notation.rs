//! What signs and functions mean that a page uses.

use super::text::{code, head, table};
use crate::model::{Label, Model};

/// How a meaning is recognised in the code of a page.
enum Sign {
    /// This text, where no name goes on in front of it.
    Text(&'static str),
    /// The type of an integer or float, such as `u16`.
    Number,
    /// The type of a number that says its byte order, such as `i24be`.
    Ordered,
    /// A label that is a pattern of bits.
    Pattern,
}

/// Signs with what is shown for them and what they mean, in the order of the table.
const SIGNS: [(Sign, &str, &str); 26] = [
    (
        Sign::Number,
        "u16",
        "a number of so many bits: `u` without a sign, `i` with one (two's complement), `f` a float (IEEE 754)",
    ),
    (
        Sign::Ordered,
        "u16be",
        "the same with its own byte order, `le` little endian, `be` big endian; others have that of the file or structure",
    ),
    (
        Sign::Pattern,
        "10vvvvtt",
        "bits, the first byte first and of each byte the highest bit first: 0 and 1 are fixed, a letter stands for the bits of the row that names it, the highest first",
    ),
    (Sign::Text("at("), "at(x)", "the offset of x from the start of the file"),
    (Sign::Text("end("), "end(x)", "the offset behind the last byte of x"),
    (Sign::Text("size("), "size(x)", "the number of bytes of x"),
    (Sign::Text("index("), "index(x)", "the position of x in the array around it, from 0 on"),
    (Sign::Text("is_last("), "is_last(x)", "whether x is the last element of the array around it"),
    (Sign::Text("listed("), "listed(x)", "whether the relocation table has the pointer x"),
    (Sign::Text("count("), "count(x)", "the number of elements of x"),
    (Sign::Text("sum("), "sum(x)", "the sum of all elements of x"),
    (Sign::Text("min("), "min(x)", "the least element of x"),
    (Sign::Text("max("), "max(x)", "the greatest element of x"),
    (Sign::Text("any("), "any(x)", "whether an element of x is true"),
    (Sign::Text("all("), "all(x)", "whether all elements of x are true"),
    (Sign::Text("first("), "first(x)", "the first element of x"),
    (Sign::Text(" where "), "x where c", "only those elements of x for which c holds"),
    (Sign::Text("length("), "length(x)", "the number of bytes of the text x"),
    (Sign::Text("utf16_units("), "utf16_units(x)", "the number of units of the text x in UTF-16"),
    (
        Sign::Text("stem("),
        "stem(x)",
        "what stands behind the last `/` of the text x, up to its last dot",
    ),
    (Sign::Text("extension("), "extension(x)", "what stands behind the last dot of the text x"),
    (Sign::Text(" ?? "), "x ?? y", "x, or y if there is no x"),
    (Sign::Text(" ? "), "c ? x : y", "x if c holds, otherwise y"),
    (Sign::Text(" is "), "x is c", "whether the choice x is the case c"),
    (Sign::Text("[last]"), "x[last]", "the last element of x"),
    (Sign::Text("this"), "this", "the structure that the row belongs to"),
];

/// The table of those signs that a page of these texts uses; empty if there are none.
pub(super) fn notation<'t>(model: &Model, texts: impl Iterator<Item = &'t str>) -> String {
    let pieces: Vec<&str> = texts.flat_map(pieces_of_code).collect();
    let mut rows = Vec::new();
    for (sign, shown, meaning) in &SIGNS {
        let used = match sign {
            Sign::Text(text) => pieces.iter().any(|piece| holds(piece, text)),
            Sign::Number => pieces.iter().any(|piece| number_type(piece).is_some()),
            Sign::Ordered => {
                pieces.iter().any(|piece| matches!(number_type(piece), Some("le" | "be")))
            }
            Sign::Pattern => has_patterns(model),
        };
        if used {
            rows.push(vec![code(shown), (*meaning).to_owned()]);
        }
    }
    table(&head(&["Notation", "Meaning"]), &rows)
}

fn has_patterns(model: &Model) -> bool {
    let mut cases = model.unions.iter().flat_map(|union| &union.cases);
    let is_pattern = |label: &Label| matches!(label, Label::Pattern(_));
    cases.any(|case| {
        let forms = case.forms.iter().flat_map(|form| &form.labels);
        case.labels.iter().chain(forms).any(is_pattern)
    })
}

/// What stands between backquotes, line by line.
fn pieces_of_code(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| line.split('`').skip(1).step_by(2))
}

/// Whether a text stands in the piece, and is not the end or the start of a longer name.
fn holds(piece: &str, text: &str) -> bool {
    let is_name = |char: char| char.is_alphanumeric() || char == '_';
    piece.match_indices(text).any(|(at, _)| {
        let (before, behind) = piece.split_at(at);
        let behind = behind.strip_prefix(text).unwrap_or_default();
        let before = text.starts_with(is_name) && before.ends_with(is_name);
        let behind = text.ends_with(is_name) && behind.starts_with(is_name);
        !before && !behind
    })
}

/// What follows the width in the type of a number; `None` if it is no such type.
fn number_type(piece: &str) -> Option<&str> {
    let rest = piece.strip_prefix(['u', 'i', 'f'])?;
    let width = rest.trim_start_matches(|char: char| char.is_ascii_digit());
    let is_type = width.len() < rest.len() && matches!(width, "" | "le" | "be");
    is_type.then_some(width)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Signs of a text on the page of a format with one case, as the table shows them.
    fn found(label: &str, text: &str) -> Vec<String> {
        let schema = format!(
            "module t \"Test\" root=File endian=little
             struct File {{ Item item }}
             union Item tag=u8 {{ case one {label} {{ }} }}"
        );
        let model = crate::load("t.kdl", &schema, None, &()).model.expect("the schema is clean");
        let table = notation(&model, std::iter::once(text));
        let rows = table.lines().skip(2);
        rows.filter_map(|row| row.split('`').nth(1).map(str::to_owned)).collect()
    }

    #[test]
    fn only_what_is_used_is_explained() {
        let check =
            |text: &str, expected: &[&str]| assert_eq!(found("1", text), expected, "{text}");
        check("at(x) and u16 outside of code", &[]);
        check("`at(a) + b ?? 7`", &["at(x)", "x ?? y"]);
        check("`flat(a)` `account(a)` `thisway` `u16x` `u`", &[]);
        check("`u8`", &["u16"]);
        check("`i24be`", &["u16", "u16be"]);
        check("`at(this)`", &["at(x)", "this"]);
        check("`count(list where it > 1)`", &["count(x)", "x where c"]);
        check("`this.a` `that.thisis(x)`", &["this"]);
        assert_eq!(found("\"0000___1\"", "`1`"), ["10vvvvtt"]);
    }
}
