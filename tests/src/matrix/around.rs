//! What is around the row of a cell in the schema, said without the engine.

use super::place::Place;
use super::row::Row;
use super::rules::Ty;

/// The relocation table of a cell: two sections, of which the second is the table itself.
const TABLE: &str = "struct Table { u8 sections; u8 entries; \
    Part parts count=sections usually=\"relocation.sections\"; \
    Spot spots count=entries usually=\"relocation.entries\" }\n\
    struct Part { u8 start; u8 size; u8 first; u8 count }\n\
    struct Spot encodes=pointer-masks { u8 start; u32 mask }\n\
    relocation { section main from=0 to=\"at(table)\"; section other from=\"at(table)\" to=\"at(table)\" }\n";

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
                // One bit of a file says that the second slice has the element of the first.
                let rows = "G g; u8 n; S tab count=n from=\"g.m g.o\"";
                let of = "struct G { u8 b; u8 c; slice m of=File.tab base=b count=c; \
                     u8 d; u8 e; slice o of=File.tab base=d count=e empty_base=0 }";
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
}
