//! A row that is more than a number: what files may hold for it, said by hand.

use formwork_interpreter::Value;

use super::place::Place;
use super::row::{Lead, Piece, Row};
use super::shown::Fields;
use crate::value_text;

/// What stands in a file, and what it means.
#[derive(Debug, Clone)]
pub struct Example {
    /// Its bytes.
    pub piece: Piece,
    /// What it means, as far as it is in the value.
    pub x: Option<Value>,
    /// Fields of other rows in the same struct.
    pub fields: Fields,
    /// Whether the value is written as these bytes; otherwise they are kept.
    pub canonical: bool,
    /// Whether nothing may stand behind them.
    pub is_last: bool,
}

/// A line of a table.
#[derive(Debug, Clone, Default)]
pub struct Line {
    /// How the row is written.
    pub row: Row,
    /// What files may hold.
    pub good: Vec<Example>,
    /// The same for an array of two, if that is not one element behind the other.
    pub two: Vec<Example>,
    /// Bytes that are refused, with the codes that the error may have.
    pub bad: Vec<(Piece, Vec<&'static str>)>,
    /// Values that are refused, with the codes that the problems may have.
    pub refused: Vec<(Value, Vec<&'static str>)>,
    /// Whether the first row in front follows from the row.
    pub gives: bool,
    /// Places where that is data all the same.
    pub data: Vec<Place>,
    /// Whether a value may leave the row out, and what that means then.
    pub missing: Option<Value>,
    /// What it is where it is in the value though it follows from something else: as what is
    /// measured, before forms, and as an element.
    pub seen: Option<Value>,
    /// What targets begin on a multiple of.
    pub align: usize,
    /// Whether the last example is of an array of two.
    is_two: bool,
    /// Places where every value is refused, since something stands behind it, with the codes.
    pub never: Vec<(Place, Vec<&'static str>)>,
}

/// Names of rows in front of a row.
const FRONT: &[&str] = &["l", "e", "y", "h"];

/// The codes that lines speak of.
const CODES: &[&str] = &[
    "budget_exceeded",
    "check_failed",
    "contradicts",
    "does_not_fit",
    "expression",
    "found_elsewhere",
    "index_out_of_range",
    "invalid_bool",
    "invalid_text",
    "length_mismatch",
    "means_nothing",
    "missing_field",
    "missing_terminator",
    "negative_count",
    "no_form",
    "not_an_element",
    "not_derived",
    "not_equal",
    "not_placed",
    "null_pointer",
    "pointer_out_of_bounds",
    "reads_otherwise",
    "size_not_multiple",
    "text_contains",
    "text_not_encodable",
    "trailing_bytes",
    "unexpected_end",
    "unknown_case",
    "unknown_tag",
    "wrong_kind",
];

fn value(text: &str) -> Value {
    value_text::parse(text).unwrap_or_else(|problem| panic!("{text}: {problem}"))
}

/// The lines of a text. What begins a line of the text is a row; what is indented says of it:
///
/// ```text
/// u8 count=l
///     list                      its value is a list
///     width 2                   its size is constant
///     relocated                 the file has a relocation table
///     open                      it reaches to the end of what is around it
///     above                     its properties are not about bytes
///     many u8*                  the type of an element, if an array of it has another one
///     align 4                   what its targets begin on a multiple of
///     gives u8 l                a row of one byte in front, which follows from it
///     front u8 l                a row of one byte in front, which is data
///     behind u8 t is=0          rows behind it
///     with struct P { u8 a }    a declaration
///     02; 01 02 => [1, 2]       bytes and what they mean; nothing, if it is not in the value
///     kept 02; 01 02 => [1, 2]  bytes that are kept
///     last 02; 01 02 => [1, 2]  bytes that are kept if nothing stands behind them
///     data array                a place where the row in front is data all the same
///     and q = 3                 a row in front, in the example before
///     listed 0                  the section that lists the example before
///     two 01 02 => [1, 2]       bytes of an array of two, if they are not those of the elements
///     bad 00; => unexpected_end           bytes that are refused
///     not [1] => length_mismatch          a value that is refused
///     seen 1                    what it is where it is in the value all the same: measured,
///                               declared before forms, as an element
///     missing => none           a value may leave it out, which is the same as this
///     never named => reads_otherwise      a place where every value is refused
/// ```
///
/// # Panics
///
/// If it is none of these.
#[must_use]
pub fn lines(text: &str) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for said in text.lines().filter(|line| !line.trim().is_empty()) {
        match said.strip_prefix("    ") {
            None => lines.push(Line::new(said)),
            Some(said) => lines.last_mut().expect("a row comes first").say(said),
        }
    }
    lines
}

/// The one of these words that is said.
fn one_of(known: &[&'static str], word: &str) -> &'static str {
    let found = known.iter().find(|known| **known == word);
    found.unwrap_or_else(|| panic!("{word} is none of {known:?}"))
}

fn places(text: &str) -> impl Iterator<Item = Place> {
    let named = |name| Place::ALL.into_iter().find(|place| place.name() == name);
    text.split_whitespace().map(move |name| named(name).expect("a place"))
}

fn codes(text: &str) -> Vec<&'static str> {
    text.split_whitespace().map(|code| one_of(CODES, code)).collect()
}

impl Line {
    fn new(said: &str) -> Line {
        let (ty, props) = said.split_at(said.find(' ').unwrap_or(said.len()));
        let row = Row {
            ty: ty.to_owned(),
            many: ty.to_owned(),
            props: props.to_owned(),
            labels: "\"0..255\"".to_owned(),
            below: true,
            ..Row::default()
        };
        Line { row, align: 1, ..Line::default() }
    }

    fn say(&mut self, said: &str) {
        let (word, rest) = said.split_once(' ').unwrap_or((said, ""));
        let pair = || rest.split_once("=>").unwrap_or_else(|| panic!("=> is missing: {said}"));
        if word != "and" {
            self.is_two = word == "two";
        }
        match word {
            "list" => self.row.is_list = true,
            "relocated" => self.row.relocated = true,
            "listed" => {
                let example = self.good.last_mut().expect("an example comes first");
                example.piece.listed = rest.parse().ok();
            }
            "open" => self.row.open = true,
            "above" => self.row.below = false,
            "width" => self.row.width = rest.parse().ok(),
            "many" => rest.clone_into(&mut self.row.many),
            "align" => self.align = rest.parse().expect("a number"),
            "gives" | "front" => {
                self.gives |= word == "gives";
                let end = rest.match_indices(' ').nth(1).map_or(rest.len(), |found| found.0);
                let (head, props) = rest.split_at(end);
                let (head, props) = (head.to_owned(), props.to_owned());
                self.row.lead.push(Lead { head, props, width: 1 });
            }
            "behind" => rest.clone_into(&mut self.row.rest),
            "with" => self.row.declarations.push_str(&format!("{rest}\n")),
            "and" => {
                let (name, x) = rest.split_once(" = ").expect("a field");
                let example = if self.is_two { self.two.last_mut() } else { self.good.last_mut() };
                let example = example.expect("an example comes first");
                example.fields.push((one_of(FRONT, name), value(x)));
            }
            "kept" => {
                let example = self.example(pair(), false);
                self.good.push(example);
            }
            "last" => {
                let example = Example { is_last: true, ..self.example(pair(), false) };
                self.good.push(example);
            }
            "data" => self.data.extend(places(rest)),
            "two" => {
                let example = self.example(pair(), true);
                self.two.push(example);
            }
            "bad" => {
                let (bytes, said) = pair();
                self.bad.push((self.piece(bytes), codes(said)));
            }
            "not" => {
                let (x, said) = pair();
                self.refused.push((value(x), codes(said)));
            }
            "seen" => self.seen = Some(value(rest)),
            "missing" => self.missing = Some(value(pair().1)),
            "never" => {
                let (at, said) = pair();
                self.never.extend(places(at).map(|place| (place, codes(said))));
            }
            _ => {
                let said = said.split_once("=>").unwrap_or_else(|| panic!("what is {said}?"));
                let example = self.example(said, true);
                self.good.push(example);
            }
        }
    }

    fn piece(&self, text: &str) -> Piece {
        Piece { align: self.align, ..Piece::parse(text) }
    }

    fn example(&self, (bytes, x): (&str, &str), canonical: bool) -> Example {
        let x = Some(x).filter(|x| !x.trim().is_empty()).map(value);
        Example { piece: self.piece(bytes), x, fields: Vec::new(), canonical, is_last: false }
    }

    /// The properties that it has.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        // What stands in quotes has words of its own.
        let bare = self.row.props.split('"').step_by(2).collect::<String>();
        bare.split([' ']).filter_map(|prop| Some(prop.split_once('=')?.0.to_owned())).collect()
    }

    /// Its name in the table.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}{}", self.row.ty, self.row.props)
    }
}
