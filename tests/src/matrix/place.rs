//! Where the row of a cell stands, said without the engine: what is around it in the schema, in the
//! bytes of a file, and in a value.

use formwork_interpreter::Value;

use super::rules::Ty;
use crate::flows::{case, int, list, record};

/// Where a row stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the root.
    Root,
    /// In a struct.
    Struct,
    /// In a struct with homes.
    Homed,
    /// In a struct with columns, of which the first does not have it.
    Columns,
    /// Under a `when` over an epoch.
    Epoch,
    /// Under a `when` over data.
    When,
    /// In the `else` behind one.
    Else,
    /// As an array.
    Array,
    /// In the elements of an array.
    Elements,
    /// As a field of `bits`.
    Field,
    /// Between other bits of the bit cursor.
    Cursor,
    /// In a case of a union in a struct.
    Case,
    /// In a case of a union type with a tag.
    Tagged,
    /// In front of the cases of such a union.
    Common,
    /// As the tag itself.
    Tag,
    /// In a form.
    Form,
    /// As the `value` of forms.
    Formed,
    /// As bits of a pattern.
    Pattern,
    /// In a struct behind a pointer.
    Behind,
    /// As an object.
    Object,
    /// In the elements of a shared table.
    Table,
    /// As a shared table.
    Shared,
    /// As the only row of a transparent struct.
    Transparent,
    /// As a row whose type is a parameter.
    Parameter,
    /// As a row whose type is an alias.
    Alias,
    /// As a measured `value`.
    Value,
    /// As a measured `value` that may be nothing.
    Perhaps,
    /// As a `const`.
    Const,
    /// In the elements of an array that a dictionary names.
    Named,
}

/// Bytes of two structs that are there where a schema of a cell begins: `k`, `xs` and `recs`.
const BEFORE: [u8; 11] = [4, 0, 1, 2, 3, 4, 5, 6, 7, 4, 6];

/// The byte behind everything that is in line.
const LAST: u8 = 0x5a;

impl Place {
    /// All of them.
    pub const ALL: [Place; 29] = [
        Place::Root,
        Place::Struct,
        Place::Homed,
        Place::Columns,
        Place::Epoch,
        Place::When,
        Place::Else,
        Place::Array,
        Place::Elements,
        Place::Field,
        Place::Cursor,
        Place::Case,
        Place::Tagged,
        Place::Common,
        Place::Tag,
        Place::Form,
        Place::Formed,
        Place::Pattern,
        Place::Behind,
        Place::Object,
        Place::Table,
        Place::Shared,
        Place::Transparent,
        Place::Parameter,
        Place::Alias,
        Place::Value,
        Place::Perhaps,
        Place::Const,
        Place::Named,
    ];

    /// Name of the column.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Place::Root => "root",
            Place::Struct => "struct",
            Place::Homed => "homes",
            Place::Columns => "columns",
            Place::Epoch => "epoch",
            Place::When => "when",
            Place::Else => "else",
            Place::Array => "array",
            Place::Elements => "elements",
            Place::Field => "bits",
            Place::Cursor => "cursor",
            Place::Case => "case",
            Place::Tagged => "tagged",
            Place::Common => "common",
            Place::Tag => "tag",
            Place::Form => "form",
            Place::Formed => "formed",
            Place::Pattern => "pattern",
            Place::Behind => "behind",
            Place::Object => "object",
            Place::Table => "table",
            Place::Shared => "shared",
            Place::Transparent => "transparent",
            Place::Parameter => "parameter",
            Place::Alias => "alias",
            Place::Value => "value",
            Place::Perhaps => "perhaps",
            Place::Const => "const",
            Place::Named => "named",
        }
    }

    /// Whether rows that use the row of the cell can stand beside it.
    #[must_use]
    pub fn has_room(self) -> bool {
        !matches!(
            self,
            Place::Columns
                | Place::Common
                | Place::Formed
                | Place::Transparent
                | Place::Shared
                | Place::Value
                | Place::Perhaps
        )
    }

    /// Whether it is one of those that differ most from each other.
    #[must_use]
    pub fn is_special(self) -> bool {
        matches!(
            self,
            Place::Root
                | Place::Columns
                | Place::Epoch
                | Place::When
                | Place::Array
                | Place::Elements
                | Place::Field
                | Place::Cursor
                | Place::Tag
                | Place::Form
                | Place::Formed
                | Place::Pattern
                | Place::Object
                | Place::Table
                | Place::Value
        )
    }

    /// Whether it is bits of a number, which has no room for wide ones.
    #[must_use]
    pub fn is_of_bits(self) -> bool {
        matches!(self, Place::Field | Place::Cursor | Place::Pattern)
    }

    /// Whether rows behind can give the number of the row.
    #[must_use]
    pub fn can_be_derived(self) -> bool {
        !matches!(self, Place::When | Place::Else | Place::Field | Place::Object)
    }

    /// Whether the row may be left out of a file.
    #[must_use]
    pub fn is_optional(self) -> bool {
        matches!(self, Place::When | Place::Else | Place::Epoch | Place::Columns)
    }

    /// Whether there is a layout without it.
    #[must_use]
    pub fn is_of_layout(self) -> bool {
        matches!(self, Place::Epoch | Place::Columns)
    }

    /// Whether the struct of the row is an element of an array of two.
    #[must_use]
    pub fn is_pair(self) -> bool {
        matches!(self, Place::Array | Place::Elements)
    }

    /// How others name the row.
    #[must_use]
    pub fn path(self) -> &'static str {
        if self == Place::Field { "w.x" } else { "x" }
    }

    fn ty(self, ty: Ty) -> &'static str {
        match (self, ty) {
            (Place::Cursor, Ty::U8) => "b8",
            (Place::Cursor, Ty::U16) => "b16",
            (Place::Field | Place::Pattern, Ty::U16) => "u16",
            (_, Ty::U8) => "u8",
            (_, Ty::I8) => "i8",
            (_, Ty::U16) => "u16be",
            (_, Ty::U32) => "u32be",
            (_, Ty::I64) => "i64be",
        }
    }

    /// The schema, for a row with these properties, and the rows behind it.
    #[must_use]
    pub fn schema(self, ty: Ty, props: &str, rest: &str, declarations: &str) -> String {
        let t = self.ty(ty);
        let width = ty.width();
        let body = format!("{t} x{props}; {rest}");
        let (mut rows, mut more, mut epoch) = (String::new(), String::new(), "");
        let mut put = |a: String, b: String| (rows, more) = (a, b);
        let none = String::new;
        match self {
            Place::Root => put(body, none()),
            Place::Struct => put("S s".into(), format!("struct S {{ {body} }}")),
            Place::Homed => {
                let (head, x) = (format!("struct S {width}"), format!("{t} x 0{props}"));
                let text = if rest.is_empty() {
                    format!("{head} {{ {x} }}")
                } else {
                    format!("{head} .. {{ {x}; {rest} }}")
                };
                put("S s".into(), text);
            }
            Place::Columns => {
                epoch = "epoch version from=File.version\n";
                let struct_ = format!(
                    "struct S 1 {} {{ columns \"<2\" \">=2\"; u8 m 0 0; {t} x - 1{props} }}",
                    width + 1
                );
                put("u8 version; S s".into(), struct_);
            }
            Place::Epoch => {
                epoch = "epoch version from=File.version\n";
                put(format!("u8 version; when \"version >= 2\" {{ {body} }}"), none());
            }
            Place::When => put(format!("u8 f; when \"f == 1\" {{ {body} }}"), none()),
            Place::Else => {
                let when = "u8 f; when \"f == 1\" { u8 other }";
                put(format!("{when}\nelse {{ {body} }}"), none());
            }
            Place::Array => put(format!("{t} x count=2{props}; {rest}"), none()),
            Place::Elements => put("S ss count=2".into(), format!("struct S {{ {body} }}")),
            Place::Field => {
                let last = 3 + 8 * width;
                let bits = format!("bits W u32 rest=zero {{ {t} x 4 {last}{props} }}");
                put(format!("W w; {rest}"), bits);
            }
            Place::Cursor => put(format!("b3 p; {t} x{props}; b5 q; {rest}"), none()),
            Place::Case => {
                let cases = format!("case a 1 {{ {body} }}; case b 2 {{ u8 o }}");
                put(format!("u8 t; union u on=t {{ {cases} }}"), none());
            }
            Place::Tagged => {
                let cases = format!("case a 1 {{ {body} }}; case b 2 {{ u8 o }}");
                put("U u".into(), format!("union U tag=u8 {{ {cases} }}"));
            }
            Place::Common => {
                let cases = "case a 1 { }; case b 2 { u8 o }";
                put("U u".into(), format!("union U tag=u8 {{ {t} x{props}; {cases} }}"));
            }
            Place::Tag => {
                let range = ty.range();
                let labels = format!("\"{}..{}\"", range.start(), range.end());
                let one = format!("case a {labels} {{ tag x{props}; {rest} }}");
                put("U u".into(), format!("union U tag={t} {{ {one} }}"));
            }
            Place::Form => {
                let cases = format!("case a {{ form 1 {{ {body} }} }}; case b 2 {{ u8 o }}");
                put("U u".into(), format!("union U tag=u8 {{ {cases} }}"));
            }
            Place::Formed => {
                let one = format!("value {t} x{props}; form 1 {{ {t} x }}");
                let cases = format!("case a {{ {one} }}; case b 2 {{ u8 o }}");
                put("U u".into(), format!("union U tag=u8 {{ {cases} }}"));
            }
            Place::Pattern => {
                let pattern = format!("1{}_______", "x".repeat(8 * width));
                let one = format!("case a {pattern:?} {{ {t} x bits=x{props}; {rest} }}");
                put("U u".into(), format!("union U tag=u8 {{ {one}; case b 2 {{ u8 o }} }}"));
            }
            Place::Behind => put("*S s".into(), format!("struct S {{ {body} }}")),
            Place::Object => put(format!("u8 o; object {t} x at=o{props}; {rest}"), none()),
            Place::Table => {
                let rows = "G g; u8 n; S tab count=n from=\"g.m\"";
                let of = "struct G { u8 b; u8 c; slice m of=File.tab base=b count=c }";
                put(rows.into(), format!("{of}\nstruct S {{ {body} }}"));
            }
            Place::Shared => {
                let rows = format!("G g; u8 n; {t} x count=n from=\"g.m\"{props}");
                let of = "struct G { u8 b; u8 c; slice m of=File.x base=b count=c }";
                put(rows, of.into());
            }
            Place::Transparent => {
                put("S s".into(), format!("struct S transparent {{ {t} x{props} }}"));
            }
            Place::Parameter => {
                put(format!("S<{t}> s"), format!("struct S<T> {{ T x{props}; {rest} }}"));
            }
            Place::Alias => put(format!("A x{props}; {rest}"), format!("type A {t}")),
            Place::Value => put(format!("{t} raw; value {t} x seen=raw{props}"), none()),
            Place::Perhaps => put(format!("{t} raw; value ?{t} x seen=raw{props}"), none()),
            Place::Const => put(format!("const {t} x{props}; {rest}"), none()),
            Place::Named => {
                let rows = "S ss count=1; D<ss.name> d";
                let declared = "pointer Label u8 to=Text in=Pool.texts\nstring Text length=u8\n\
                     struct D<keys> { N nodes count=2 usually=\"patricia(keys)\" }\n\
                     struct N { u32 bit; u8 if_0; u8 if_1; Label name }\n\
                     struct Pool { u8 count; pool texts of=Text count=count { always \"\" } }";
                let item = format!("struct S {{ value text name; {body} }}");
                put(rows.into(), format!("{declared}\n{item}"));
            }
        }
        let pool = if self == Place::Named { "object Pool pool find=\"end(z)\"\n" } else { "" };
        format!(
            "module cell \"A cell\" root=File endian=little\n\npointer * u8 none=0\n{epoch}\
             enum Kind closed=#true {{ four 4; six 6; seven 7 }}\nenum Open {{ four 4; six 6 }}\n\
             {declarations}{more}\nstruct Rec {{ u8 key }}\n\n\
             struct File {{\nu8 k\nu8 xs count=8\nRec recs count=2\n{rows}\nu8 z\n{pool}}}\n"
        )
    }

    /// The bytes of a number.
    fn number(self, ty: Ty, stored: i128) -> Vec<u8> {
        let (bits, width) = (ty.bits(stored), ty.width());
        match self {
            Place::Field => (bits << 4).to_le_bytes()[..4].to_vec(),
            Place::Cursor => {
                let all = 0b101 << (8 * width + 5) | bits << 5 | 0b00110;
                all.to_be_bytes()[7 - width..].to_vec()
            }
            Place::Pattern => {
                let all = 1 << (8 * width + 7) | bits << 7;
                all.to_be_bytes()[7 - width..].to_vec()
            }
            _ => bits.to_be_bytes()[8 - width..].to_vec(),
        }
    }

    /// A file whose row stores a number, with the bytes of the rows behind. In an array of two, the
    /// second element is `second`.
    #[must_use]
    pub fn file(self, ty: Ty, stored: i128, rest: &[u8], second: (i128, &[u8])) -> Vec<u8> {
        let x = self.number(ty, stored);
        let body = [&x[..], rest].concat();
        let start = u8::try_from(BEFORE.len()).unwrap_or_default();
        let (mut inline, mut behind) = (Vec::new(), Vec::new());
        match self {
            Place::Columns => inline.extend([&[2, 0x77], &body[..]].concat()),
            Place::Epoch => inline.extend([&[2], &body[..]].concat()),
            Place::When
            | Place::Case
            | Place::Tagged
            | Place::Common
            | Place::Form
            | Place::Formed => inline.extend([&[1], &body[..]].concat()),
            Place::Else => inline.extend([&[0], &body[..]].concat()),
            Place::Array => inline.extend([&x[..], &self.number(ty, second.0), rest].concat()),
            Place::Elements => {
                inline.extend([&body[..], &self.number(ty, second.0), second.1].concat());
            }
            Place::Behind => {
                inline.push(start + 2);
                behind = body;
            }
            Place::Object => {
                inline.push(start + 2 + u8::try_from(rest.len()).unwrap_or_default());
                inline.extend(rest);
                behind = x;
            }
            Place::Table | Place::Shared => inline.extend([&[0, 1, 1], &body[..]].concat()),
            Place::Named => {
                inline.extend(&body);
                let pool = u8::try_from(BEFORE.len() + body.len() + 14 + 2).unwrap_or_default();
                // "a" has its lowest bit set, and nothing else is there.
                let node = |bit: u32, rest: [u8; 3]| [&bit.to_le_bytes()[..], &rest].concat();
                inline.extend(node(u32::MAX, [1, 0, pool]));
                inline.extend(node(0, [0, 1, pool + 1]));
                behind.extend([2, 0, 1, b'a']);
            }
            _ => inline = body,
        }
        [&BEFORE[..], &inline, &[LAST], &behind].concat()
    }

    /// A file without the row, if the place is optional.
    #[must_use]
    pub fn file_without(self) -> Option<Vec<u8>> {
        let inline: &[u8] = match self {
            Place::Columns => &[1, 0x77],
            Place::Epoch => &[1],
            Place::When => &[0],
            Place::Else => &[1, 0x66],
            _ => return None,
        };
        Some([&BEFORE[..], inline, &[LAST]].concat())
    }

    /// A value. `x` is nothing where the row is not in the value; `raw` is the number beneath.
    #[must_use]
    pub fn value(
        self,
        x: Option<Value>,
        raw: i128,
        rest: Vec<(&'static str, Value)>,
        second: (Option<Value>, Vec<(&'static str, Value)>),
    ) -> Value {
        let field = |x: Option<Value>| x.map(|x| ("x", x));
        let body = |x: Option<Value>, rest: Vec<_>| -> Vec<(&'static str, Value)> {
            field(x).into_iter().chain(rest).collect()
        };
        let rows: Vec<(&str, Value)> = match self {
            Place::Root | Place::Alias | Place::Const | Place::Object => body(x, rest),
            Place::Struct | Place::Homed | Place::Behind | Place::Parameter => {
                vec![("s", record(body(x, rest)))]
            }
            Place::Columns => {
                let m = ("m", int(0x77));
                vec![("version", int(2)), ("s", record([m].into_iter().chain(body(x, rest))))]
            }
            Place::Epoch => [("version", int(2))].into_iter().chain(body(x, rest)).collect(),
            Place::When => [("f", int(1))].into_iter().chain(body(x, rest)).collect(),
            Place::Else => {
                let other = [("f", int(0)), ("other", Value::None)];
                other.into_iter().chain(body(x, rest)).collect()
            }
            Place::Array => {
                let both = x.zip(second.0).map(|(a, b)| list([a, b]));
                body(both, rest)
            }
            Place::Elements => {
                vec![("ss", list([record(body(x, rest)), record(body(second.0, second.1))]))]
            }
            Place::Field => {
                let word = [("w", record(field(x)))];
                word.into_iter().chain(rest).collect()
            }
            Place::Cursor => {
                let (p, q) = (("p", int(0b101)), ("q", int(0b00110)));
                [p].into_iter().chain(field(x)).chain([q]).chain(rest).collect()
            }
            Place::Case
            | Place::Tagged
            | Place::Common
            | Place::Tag
            | Place::Form
            | Place::Formed
            | Place::Pattern => vec![("u", case("a", body(x, rest)))],
            Place::Table => vec![("g", record([("m", list([record(body(x, rest))]))]))],
            Place::Shared => vec![("g", record([("m", list(x))]))],
            Place::Transparent => x.map(|x| ("s", x)).into_iter().collect(),
            Place::Value | Place::Perhaps => {
                [("raw", int(raw))].into_iter().chain(field(x)).collect()
            }
            Place::Named => {
                let name = [("name", crate::flows::text("a"))];
                vec![("ss", list([record(name.into_iter().chain(body(x, rest)))]))]
            }
        };
        around(rows)
    }

    /// The value of [`Place::file_without`]; `x` may say what stands for the row.
    #[must_use]
    pub fn value_without(self, x: Option<Value>, rest: &[&'static str]) -> Value {
        let body = x.map(|x| ("x", x)).into_iter();
        let rest = rest.iter().map(|name| (*name, Value::None));
        around(match self {
            Place::Columns => {
                let s = [("m", int(0x77))].into_iter().chain(body);
                vec![("version", int(1)), ("s", record(s))]
            }
            Place::Epoch => [("version", int(1))].into_iter().chain(body).collect(),
            Place::When => [("f", int(0))].into_iter().chain(body).chain(rest).collect(),
            _ => {
                let first = [("f", int(1)), ("other", int(0x66))];
                first.into_iter().chain(body).chain(rest).collect()
            }
        })
    }
}

/// The root around the rows of a place.
fn around(rows: Vec<(&str, Value)>) -> Value {
    let xs = list((0..8).map(int));
    let recs = list([4, 6].map(|key| record([("key", int(key))])));
    let before = [("k", int(4)), ("xs", xs), ("recs", recs)];
    record(before.into_iter().chain(rows).chain([("z", int(LAST.into()))]))
}
