//! What is around the row of a cell in a value, said without the engine.

use formwork_interpreter::Value;

use super::laid::LAST;
use super::place::Place;
use crate::flows::{case, int, list, record, text};

/// Fields of a struct.
pub type Fields = Vec<(&'static str, Value)>;

/// What a value has of a row and of those around it.
#[derive(Debug, Clone, Default)]
pub struct Shown {
    /// Fields of rows in front.
    pub front: Fields,
    /// The row, if it is in the value.
    pub x: Option<Value>,
    /// Fields of rows behind.
    pub rest: Fields,
}

impl Shown {
    fn body(self) -> Fields {
        let x = self.x.map(|x| ("x", x));
        self.front.into_iter().chain(x).chain(self.rest).collect()
    }
}

impl Place {
    /// A value. `raw` is what is beneath a measured row; `whole` and `open` as in [`Place::file`].
    #[must_use]
    pub fn value(
        self,
        first: Shown,
        raw: Option<Value>,
        second: Shown,
        (whole, open): (bool, bool),
    ) -> Value {
        let front = |fields: &[(&'static str, Value)], shown: Shown| -> Fields {
            fields.iter().cloned().chain(shown.body()).collect()
        };
        let rows: Fields = match self {
            Place::Root | Place::Alias | Place::Const | Place::Object => first.body(),
            Place::Struct | Place::Homed | Place::Behind | Place::Parameter => {
                vec![("s", record(first.body()))]
            }
            Place::Columns => {
                vec![("version", int(2)), ("s", record(front(&[("m", int(0x77))], first)))]
            }
            Place::Epoch => front(&[("version", int(2))], first),
            Place::When => front(&[("f", int(1))], first),
            Place::Else => front(&[("f", int(0)), ("other", Value::None)], first),
            Place::Array if whole => first.body(),
            Place::Array => {
                let x = first.x.zip(second.x).map(|(a, b)| list([a, b]));
                Shown { x, ..first }.body()
            }
            Place::Elements => vec![("ss", list([record(first.body()), record(second.body())]))],
            Place::Field => {
                let word = ("w", record(first.x.map(|x| ("x", x))));
                first.front.into_iter().chain([word]).chain(first.rest).collect()
            }
            Place::Cursor => {
                let bits = [("p", int(0b101))].into_iter().chain(first.x.map(|x| ("x", x)));
                let bits = bits.chain([("q", int(0b00110))]);
                first.front.into_iter().chain(bits).chain(first.rest).collect()
            }
            Place::Case
            | Place::Tagged
            | Place::Common
            | Place::Tag
            | Place::Form
            | Place::Formed
            | Place::Pattern => vec![("u", case("a", first.body()))],
            Place::Table => {
                let lists = [("m", list([record(first.body())])), ("o", list([]))];
                vec![("g", record(lists))]
            }
            Place::Shared => {
                let m = if whole { first.x } else { Some(list(first.x)) };
                let g = ("g", record(m.map(|m| ("m", m))));
                [g].into_iter().chain(first.front).chain(first.rest).collect()
            }
            Place::Transparent => first.x.map(|x| ("s", x)).into_iter().collect(),
            Place::Value | Place::Perhaps => {
                let raw = raw.map(|raw| ("raw", raw));
                let x = raw.into_iter().chain(first.x.map(|x| ("x", x)));
                first.front.into_iter().chain(x).chain(first.rest).collect()
            }
            Place::Named => {
                vec![("ss", list([record(front(&[("name", text("a"))], first))]))]
            }
        };
        around(rows, open)
    }

    /// The value of [`Place::file_without`]; what it has of the rows is what stands for them.
    #[must_use]
    pub fn value_without(self, shown: Shown, open: bool) -> Value {
        let x = shown.x.clone().map(|x| ("x", x));
        let front: Fields = match self {
            Place::Columns => {
                let s = record([("m", int(0x77))].into_iter().chain(x));
                return around(vec![("version", int(1)), ("s", s)], open);
            }
            Place::Epoch => {
                return around([("version", int(1))].into_iter().chain(x).collect(), open);
            }
            Place::When => vec![("f", int(0))],
            _ => vec![("f", int(1)), ("other", int(0x66))],
        };
        around(front.into_iter().chain(shown.body()).collect(), open)
    }
}

/// The root around the rows of a place.
fn around(rows: Fields, open: bool) -> Value {
    let xs = list((0..8).map(int));
    let recs = list([4, 6].map(|key| record([("key", int(key))])));
    let before = [("k", int(4)), ("xs", xs), ("recs", recs)];
    let last = Some(("z", int(LAST.into()))).filter(|_| !open);
    record(before.into_iter().chain(rows).chain(last))
}
