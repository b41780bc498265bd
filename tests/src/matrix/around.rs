//! What is around the row of a cell, said without the engine: in the schema, in the bytes of a
//! file, and in a value.

use formwork_interpreter::Value;

use super::place::Place;
use super::row::{Byte, Piece, Row};
use super::rules::Ty;
use crate::flows::{case, int, list, record, text};

/// Bytes of two structs that are there where a schema of a cell begins: `k`, `xs` and `recs`.
const BEFORE: [u8; 11] = [4, 0, 1, 2, 3, 4, 5, 6, 7, 4, 6];

/// The byte behind everything that is in line.
const LAST: u8 = 0x5a;

/// A file, and where in it the pieces are.
#[derive(Debug, Clone, Default)]
pub struct Laid {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Where the rows in front of each row begin.
    pub leads: [usize; 2],
    /// Where each row begins.
    pub rows: [usize; 2],
}

/// A byte of a file whose addresses are not known yet.
#[derive(Clone, Copy)]
enum Slot {
    Is(u8),
    /// Of the first or the second piece.
    Of(usize, Byte),
    /// The address of what stands behind the root.
    Behind,
    /// The address of the pool, and so many bytes more.
    Pool(u8),
    /// The address of the relocation table.
    Table,
}

/// The relocation table of a cell: two sections, of which the second is the table itself.
const TABLE: &str = "struct Table { u8 sections; u8 entries; \
    Part parts count=sections usually=\"relocation.sections\"; \
    Spot spots count=entries usually=\"relocation.entries\" }\n\
    struct Part { u8 start; u8 size; u8 first; u8 count }\n\
    struct Spot encodes=pointer-masks { u8 start; u32 mask }\n\
    relocation { section main from=0 to=\"at(table)\"; section other from=\"at(table)\" to=\"at(table)\" }\n";

/// A file that is put together.
#[derive(Default)]
struct Sheet {
    slots: Vec<Slot>,
    leads: [usize; 2],
    rows: [usize; 2],
    ends: [usize; 2],
    targets: [usize; 2],
}

impl Sheet {
    fn plain(&mut self, bytes: &[u8]) {
        self.slots.extend(bytes.iter().copied().map(Slot::Is));
    }

    fn bytes(&mut self, which: usize, bytes: &[Byte]) {
        self.slots.extend(bytes.iter().map(|byte| Slot::Of(which, *byte)));
    }

    fn lead(&mut self, which: usize, piece: &Piece) {
        self.leads[which] = self.slots.len();
        self.bytes(which, &piece.lead);
    }

    fn row(&mut self, which: usize, piece: &Piece) {
        self.rows[which] = self.slots.len();
        self.bytes(which, &piece.row);
        self.ends[which] = self.slots.len();
    }

    fn body(&mut self, which: usize, piece: &Piece) {
        self.lead(which, piece);
        self.row(which, piece);
        self.bytes(which, &piece.rest);
    }

    fn owned(&mut self, which: usize, piece: &Piece) {
        while !piece.targets.is_empty() && !self.slots.len().is_multiple_of(piece.align) {
            self.plain(&[0]);
        }
        self.targets[which] = self.slots.len();
        self.bytes(which, &piece.targets);
    }

    /// The table of the pointers in each of the two sections.
    fn table(&mut self, pieces: &[&Piece]) {
        let start = self.slots.len();
        let mut entries: [Vec<(usize, u32)>; 2] = Default::default();
        for (which, piece) in pieces.iter().enumerate() {
            let Some(section) = piece.listed else { continue };
            let at = self.rows[which];
            match entries[section].last_mut() {
                // Words of eight bytes that stand one behind the other.
                Some((first, mask)) if at == *first + 8 => *mask |= 2,
                _ => entries[section].push((at, 1)),
            }
        }
        let [main, other] = entries.each_ref().map(Vec::len);
        let head = [2, main + other, 0, start, 0, main, start, 0, main, other];
        self.plain(&head.map(|number| u8::try_from(number).unwrap_or(u8::MAX)));
        for (at, mask) in entries.concat() {
            self.plain(&[u8::try_from(at).unwrap_or(u8::MAX)]);
            self.plain(&mask.to_le_bytes());
        }
    }

    /// The bytes; `behind`, `pool` and `table` are addresses.
    fn laid(self, behind: usize, pool: usize, table: usize) -> Laid {
        let slots = self.slots.iter().map(|slot| match *slot {
            Slot::Is(byte) | Slot::Of(_, Byte::Is(byte)) => usize::from(byte),
            Slot::Of(which, Byte::To(more)) => self.targets[which] + more,
            Slot::Of(which, Byte::End) => self.ends[which],
            Slot::Of(which, Byte::Start) => self.rows[which],
            Slot::Behind => behind,
            Slot::Pool(more) => pool + usize::from(more),
            Slot::Table => table,
        });
        let bytes = slots.map(|number| u8::try_from(number).unwrap_or(u8::MAX)).collect();
        Laid { bytes, leads: self.leads, rows: self.rows }
    }
}

impl Place {
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

    /// The row of a number with these properties, and the rows behind it.
    #[must_use]
    pub fn number_row(self, ty: Ty, props: &str, rest: &str, declarations: &str) -> Row {
        let range = ty.range();
        Row {
            ty: self.ty(ty).to_owned(),
            many: self.ty(ty).to_owned(),
            props: props.to_owned(),
            width: Some(ty.width()),
            lead: Vec::new(),
            rest: rest.to_owned(),
            declarations: declarations.to_owned(),
            relocated: false,
            labels: format!("\"{}..{}\"", range.start(), range.end()),
            below: false,
            is_list: false,
            open: false,
        }
    }

    /// The path of the row, from the struct or the root that is around it.
    fn full_path(self) -> &'static str {
        match self {
            Place::Struct | Place::Homed | Place::Columns | Place::Behind | Place::Parameter => {
                "File.s.x"
            }
            Place::Elements | Place::Named | Place::Table => "S.x",
            Place::Transparent => "File.s",
            Place::Field => "File.w.x",
            Place::Case
            | Place::Tagged
            | Place::Common
            | Place::Tag
            | Place::Form
            | Place::Formed
            | Place::Pattern => "File.u.x",
            _ => "File.x",
        }
    }

    /// The schema, for a row; `{x}` in its text is the path of the row.
    #[must_use]
    pub fn schema(self, row: &Row) -> String {
        let (t, width, props, rest) = (&row.ty, row.width.unwrap_or(1), &row.props, &row.rest);
        let front = row.front();
        let size = row.size();
        let body = format!("{front}{t} x{props}; {rest}");
        // What the value is that has its bytes elsewhere, and what says how they are read.
        let shown = Some(row.sigils().1).filter(|name| !name.is_empty()).unwrap_or("u8");
        let array = if row.is_list { " array=#true" } else { "" };
        let (above, below) = match row.below {
            true => (array, &props[..]),
            false => (&props[..], ""),
        };
        let (mut rows, mut more, mut epoch) = (String::new(), String::new(), "");
        let mut put = |a: String, b: String| (rows, more) = (a, b);
        let none = String::new;
        match self {
            Place::Root => put(body, none()),
            Place::Struct => put("S s".into(), format!("struct S {{ {body} }}")),
            Place::Homed => {
                let (front, home) = row.front_at(0, "");
                let x = format!("{front}{t} x {home}{props}");
                let text = if rest.is_empty() {
                    format!("struct S {size} {{ {x} }}")
                } else {
                    format!("struct S {size} .. {{ {x}; {rest} }}")
                };
                put("S s".into(), text);
            }
            Place::Columns => {
                epoch = "epoch version from=File.version\n";
                let (front, home) = row.front_at(1, " -");
                let columns = "columns \"<2\" \">=2\"; u8 m 0 0";
                let head = format!("struct S 1 {}", size + 1);
                let text = format!("{head} {{ {columns}; {front}{t} x - {home}{props} }}");
                put(format!("u8 version; S s; {rest}"), text);
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
            Place::Array => {
                let count = row.own("count=2");
                let t = if count.is_empty() { t } else { &row.many };
                put(format!("{front}{t} x{count}{props}; {rest}"), none());
            }
            Place::Elements => put("S ss count=2".into(), format!("struct S {{ {body} }}")),
            Place::Field => {
                let last = 3 + 8 * width;
                let bits = format!("bits W u32 rest=zero {{ {t} x 4 {last}{props} }}");
                put(format!("{front}W w; {rest}"), bits);
            }
            Place::Cursor => put(format!("{front}b3 p; {t} x{props}; b5 q; {rest}"), none()),
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
                let text = format!("union U tag=u8 {{ {front}{t} x{props}; {cases} }}");
                put(format!("U u; {rest}"), text);
            }
            Place::Tag => {
                let one = format!("case a {} {{ tag x{props}; {rest} }}", row.labels);
                put(format!("{front}U u"), format!("union U tag={t} {{ {one} }}"));
            }
            Place::Form => {
                let cases = format!("case a {{ form 1 {{ {body} }} }}; case b 2 {{ u8 o }}");
                put("U u".into(), format!("union U tag=u8 {{ {cases} }}"));
            }
            Place::Formed => {
                let one = format!("value {shown} x{above}; form 1 {{ {front}{t} x{below} }}");
                let cases = format!("case a {{ {one} }}; case b 2 {{ u8 o }}");
                put(format!("U u; {rest}"), format!("union U tag=u8 {{ {cases} }}"));
            }
            Place::Pattern => {
                let pattern = format!("1{}_______", "x".repeat(8 * width));
                let bits = row.own("bits=x");
                let one = format!("case a {pattern:?} {{ {front}{t} x{bits}{props}; {rest} }}");
                put("U u".into(), format!("union U tag=u8 {{ {one}; case b 2 {{ u8 o }} }}"));
            }
            Place::Behind => put("*S s".into(), format!("struct S {{ {body} }}")),
            Place::Object => {
                let at = row.own("at=o");
                put(format!("{front}u8 o; object {t} x{at}{props}; {rest}"), none());
            }
            Place::Table => {
                let rows = "G g; u8 n; S tab count=n from=\"g.m\"";
                let of = "struct G { u8 b; u8 c; slice m of=File.tab base=b count=c }";
                put(rows.into(), format!("{of}\nstruct S {{ {body} }}"));
            }
            Place::Shared => {
                let count = row.own("count=n");
                let t = if count.is_empty() { t } else { &row.many };
                let n = if count.is_empty() { "" } else { "u8 n; " };
                let from = row.own("from=\"g.m\"");
                let of = "struct G { u8 b; u8 c; slice m of=File.x base=b count=c }";
                let rows = format!("G g; {n}{front}{t} x{count}{from}{props}; {rest}");
                put(rows, of.into());
            }
            Place::Transparent => {
                let text = format!("struct S transparent {{ {front}{t} x{props} }}");
                put(format!("S s; {rest}"), text);
            }
            Place::Parameter => {
                let (before, name, after) = row.sigils();
                let x = if name.is_empty() { t.clone() } else { format!("{before}T{after}") };
                let name = if name.is_empty() { "u8" } else { name };
                put(
                    format!("S<{name}> s"),
                    format!("struct S<T> {{ {front}{x} x{props}; {rest} }}"),
                );
            }
            Place::Alias => put(format!("{front}A x{props}; {rest}"), format!("type A {t}")),
            Place::Value | Place::Perhaps => {
                let seen = row.own("seen=raw");
                let mark = if self == Place::Perhaps { "?" } else { "" };
                let value = format!("value {mark}{shown} x{seen}{above}");
                put(format!("{front}{t} raw{below}; {value}; {rest}"), none());
            }
            Place::Const => put(format!("{front}const {t} x{props}; {rest}"), none()),
            Place::Named => {
                let rows = "S ss count=1; D<ss.name> d; u8 pool_at";
                let declared = "pointer Label u8 to=Text in=Pool.texts\nstring Text length=u8\n\
                     struct D<keys> { N nodes count=2 usually=\"patricia(keys)\" }\n\
                     struct N { u32 bit; u8 if_0; u8 if_1; Label name }\n\
                     struct Pool { u8 count; pool texts of=Text count=count { always \"\" } }";
                let item = format!("struct S {{ value text name; {body} }}");
                put(rows.into(), format!("{declared}\n{item}"));
            }
        }
        let z = if row.open { "" } else { "u8 z\n" };
        let pool = if self == Place::Named { "object Pool pool at=pool_at\n" } else { "" };
        let declarations = &row.declarations;
        let (t, table, more_declared) = match row.relocated {
            true => ("u8 table_at\n", "object Table table at=table_at\n", TABLE),
            false => ("", "", ""),
        };
        let schema = format!(
            "module cell \"A cell\" root=File endian=little\n\npointer * u8 none=0\n{epoch}\
             enum Kind closed=#true {{ four 4; six 6; seven 7 }}\nenum Open {{ four 4; six 6 }}\n\
             {declarations}{more_declared}{more}\nstruct Rec {{ u8 key }}\n\n\
             struct File {{\nu8 k\nu8 xs count=8\nRec recs count=2\n{rows}\n{t}{z}{pool}{table}}}\n"
        );
        schema.replace("{x}", self.full_path())
    }

    /// The bytes of a number that are its own.
    #[must_use]
    pub fn number(self, ty: Ty, stored: i128) -> Vec<u8> {
        ty.bits(stored).to_be_bytes()[8 - ty.width()..].to_vec()
    }

    /// The piece that stands in the file, where bits are around the bytes of a row.
    fn piece(self, piece: &Piece) -> Piece {
        let number = piece.row.iter().fold(0_u64, |number, byte| match byte {
            Byte::Is(byte) => number << 8 | u64::from(*byte),
            _ => number,
        });
        let width = piece.row.len();
        let row = match self {
            _ if width > 4 => return piece.clone(),
            Place::Field => (number << 4).to_le_bytes()[..4].to_vec(),
            Place::Cursor => {
                let all = 0b101 << (8 * width + 5) | number << 5 | 0b00110;
                all.to_be_bytes()[7 - width..].to_vec()
            }
            Place::Pattern => {
                let all = 1 << (8 * width + 7) | number << 7;
                all.to_be_bytes()[7 - width..].to_vec()
            }
            _ => return piece.clone(),
        };
        Piece { row: row.into_iter().map(Byte::Is).collect(), ..piece.clone() }
    }

    /// A file with this piece. In an array of two, the second element is `second`; `whole` says
    /// that the piece is the whole array, which has so many elements.
    #[must_use]
    pub fn file(self, piece: &Piece, second: &Piece, whole: Option<usize>, row: &Row) -> Laid {
        let (x, second) = (&self.piece(piece), &self.piece(second));
        let one = u8::try_from(whole.unwrap_or(1)).unwrap_or_default();
        let mut sheet = Sheet::default();
        sheet.plain(&BEFORE);
        let mut pair = self == Place::Elements;
        match self {
            Place::Columns => sheet.plain(&[2, 0x77]),
            Place::Epoch => sheet.plain(&[2]),
            Place::When
            | Place::Case
            | Place::Tagged
            | Place::Common
            | Place::Form
            | Place::Formed => sheet.plain(&[1]),
            Place::Else => sheet.plain(&[0]),
            Place::Table => sheet.plain(&[0, 1, 1]),
            Place::Shared if row.has("count") => sheet.plain(&[0, one]),
            Place::Shared => sheet.plain(&[0, one, one]),
            _ => {}
        }
        match self {
            Place::Array if whole.is_none() => {
                pair = true;
                sheet.lead(0, x);
                sheet.row(0, x);
                sheet.row(1, second);
                sheet.ends[0] = sheet.ends[1];
                sheet.bytes(0, &x.rest);
            }
            Place::Elements => {
                sheet.body(0, x);
                sheet.body(1, second);
            }
            Place::Behind => sheet.slots.push(Slot::Behind),
            Place::Object => {
                sheet.lead(0, x);
                sheet.slots.push(Slot::Behind);
                sheet.bytes(0, &x.rest);
            }
            Place::Named => {
                sheet.body(0, x);
                // "a" has its lowest bit set, and nothing else is there.
                sheet.plain(&u32::MAX.to_le_bytes());
                sheet.slots.extend([Slot::Is(1), Slot::Is(0), Slot::Pool(1)]);
                sheet.plain(&0_u32.to_le_bytes());
                sheet.slots.extend([Slot::Is(0), Slot::Is(1), Slot::Pool(2), Slot::Pool(0)]);
            }
            _ => sheet.body(0, x),
        }
        if row.relocated {
            sheet.slots.push(Slot::Table);
        }
        if !row.open {
            sheet.plain(&[LAST]);
        }
        let mut behind = sheet.slots.len();
        match self {
            Place::Behind => sheet.body(0, x),
            Place::Object => {
                while row.has("align") && !sheet.slots.len().is_multiple_of(x.align) {
                    sheet.plain(&[0]);
                }
                behind = sheet.slots.len();
                sheet.row(0, x);
            }
            _ => {}
        }
        sheet.owned(0, x);
        if pair {
            sheet.owned(1, second);
        }
        let pool = sheet.slots.len();
        if self == Place::Named {
            sheet.plain(&[2, 0, 1, b'a']);
        }
        let table = sheet.slots.len();
        if row.relocated {
            sheet.table(&[x, second][..if pair { 2 } else { 1 }]);
        }
        sheet.laid(behind, pool, table)
    }

    /// A file without the row, if the place is optional.
    #[must_use]
    pub fn file_without(self, row: &Row) -> Option<Vec<u8>> {
        let inline: &[u8] = match self {
            Place::Columns => &[1, 0x77],
            Place::Epoch => &[1],
            Place::When => &[0],
            Place::Else => &[1, 0x66],
            _ => return None,
        };
        let mut sheet = Sheet::default();
        sheet.plain(&BEFORE);
        sheet.plain(inline);
        if row.relocated {
            sheet.slots.push(Slot::Table);
        }
        if !row.open {
            sheet.plain(&[LAST]);
        }
        let table = sheet.slots.len();
        if row.relocated {
            sheet.table(&[]);
        }
        Some(sheet.laid(table, table, table).bytes)
    }
}

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
            Place::Table => vec![("g", record([("m", list([record(first.body())]))]))],
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
