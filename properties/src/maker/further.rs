//! Further rows, most of them several that belong together.

use std::fmt::Write as _;

use arbitrary::Result;

use super::Maker;

/// How many of these there are.
pub(super) const KINDS: u32 = 30;

/// Declarations that rows ask for by name.
const DECLARED: [(&str, &str); 8] = [
    ("Groups", "varint Groups u32 order=lsb-first bytes=5"),
    ("Digits", "digits Digits u32"),
    ("Line", "digits Line i32 end=\"0a\""),
    ("Hex", "digits Hex u16 base=16 end=\"20\""),
    ("^", "pointer ^ u16 none=0 unit=4"),
    ("~", "pointer ~ u8 base=\"at(this)\" none=0xff"),
    ("@", "pointer @ u8 when_empty=here skip=1"),
    ("Word", "bits Word u16 { u4 low 0 3; i5 middle 4 8; bool high 15 }"),
];

impl Maker<'_, '_> {
    /// Such a row, and whatever stands in front of it; the last line is given back.
    pub(super) fn further(&mut self, kind: u32, name: &str) -> Result<String> {
        Ok(match kind {
            0 | 1 => self.counts_itself(name)?,
            2 | 3 => {
                let digits = self.declared(&["Digits", "Line", "Hex"])?;
                self.numbers.push(name.to_owned());
                format!("{digits} {name}")
            }
            4 | 5 => {
                let kind = self.declared(&["^", "~", "@"])?;
                let element = self.element()?;
                match self.u.int_in_range(0..=2)? {
                    0 if kind != "@" => format!("{kind}?{element} {name}"),
                    1 => format!("{kind}{element} {name}"),
                    _ => {
                        let count = self.count()?;
                        format!("{kind}{element} {name} count={count}")
                    }
                }
            }
            6 => {
                let (count, element) = (self.count()?, self.element()?);
                match self.u.int_in_range(0..=2)? {
                    0 => format!("{element}* {name} count={count}"),
                    1 => format!("{element}*? {name} count={count}"),
                    _ => format!("*{element}* {name} count={count}"),
                }
            }
            7 => self.laid(name)?,
            8 | 9 => {
                let word = self.declared(&["Word"])?;
                self.numbers.push(format!("{name}.low"));
                self.numbers.push(format!("{name}.middle"));
                format!("{word} {name}")
            }
            10..=12 => self.keyed(name)?,
            13 => self.chosen(name)?,
            14 | 15 => self.described(name)?,
            16 => {
                let count = self.count()?;
                let data = self.name("d");
                let kind = self.u.choose(&["bytes", "text"])?;
                let _ = writeln!(self.text, "        {kind} {data} size={count}");
                self.hash(name, &data)?
            }
            17 => {
                let count = self.count()?;
                let data = self.name("d");
                let _ = writeln!(self.text, "        bytes {data} size={count}");
                let what = self.u.choose(&[
                    "sum(DATA) % 256",
                    "count(DATA where it > 3)",
                    "DATA[1] ?? 7",
                    "max(DATA) ?? 0",
                    "length(DATA)",
                    "index(first(DATA where it == 2)) ?? 9",
                ])?;
                format!("u16 {name} is=\"{}\"", what.replace("DATA", &data))
            }
            18 | 19 => self.joined(name)?,
            20 => {
                let (offset, element) = (self.name("o"), self.element()?);
                let _ = writeln!(self.text, "        u8 {offset} none=0");
                format!("object ?{element} {name} at={offset}")
            }
            21 => {
                let end = self.u.choose(&["4", "2", "3"])?;
                format!("zero size=\"({end} - here % {end}) % {end}\"")
            }
            22 => {
                let condition = self.condition()?;
                let number = self.u.choose(&["u8", "u16", "i8"])?;
                format!("{number} {name} last=\"it > 9 || {condition}\"")
            }
            23 => {
                let (list, with) = (self.name("l"), self.name("n"));
                let element = self.element()?;
                let _ = writeln!(
                    self.text,
                    "        u8 {with}\n        *{element} {list} count={with}"
                );
                format!("*{} {name} none_with={list}", self.element()?)
            }
            24 => {
                self.keys()?;
                format!("u8 {name}{}", self.u.choose(&["", " unique=#true"])?)
            }
            25 => {
                let (count, bits) = (self.count()?, self.u.int_in_range(1..=7)?);
                format!("b{bits} {name} count={count}")
            }
            26 => {
                let (list, element) = (self.name("l"), self.element()?);
                let _ = writeln!(self.text, "        *{element} {list} count=2");
                let what = self.u.choose(&["at", "end", "size"])?;
                format!("u16 {name} is=\"{what}({list}) ?? 3\"")
            }
            27 => {
                let choice = self.u.choose(&["u8 x; u8 y", "u16 x", "bytes x size=2"])?;
                let inner = self.cell()?;
                let count = self.count()?;
                format!(
                    "union {name} tag=u8 count={count} {{\n            u8 common\n            case a \
                     \"0..3\" {{ tag which; {choice} }}\n            case b 7 {{ {inner} x }}\n        }}"
                )
            }
            28 => {
                let (a, b) = (self.number()?, self.number()?);
                format!("u8 {name} is=\"({a} ?? {b}) == {b} ? 1 : 0\"")
            }
            _ => {
                let size = self.count()?;
                let (a, b) = (self.element()?, self.element()?);
                let more = self.name("r");
                let _ = writeln!(self.text, "        {a} {name} count=fill size={size}");
                format!("{b} {more} count=\"count({name}) % 3\"")
            }
        })
    }

    /// A name that is declared at the top level, now if it is not yet.
    fn declared(&mut self, names: &[&str]) -> Result<String> {
        let name = (*self.u.choose(names)?).to_owned();
        if !self.declared.contains(&name) {
            self.declared.push(name.clone());
        }
        Ok(name)
    }

    /// The declarations that were asked for.
    pub(super) fn declarations(&self) -> String {
        let asked = DECLARED.iter().filter(|(name, _)| self.declared.iter().any(|d| d == name));
        asked.map(|(_, line)| format!("{line}\n\n")).collect()
    }

    /// A number that counts its own bytes.
    fn counts_itself(&mut self, name: &str) -> Result<String> {
        let number = self.declared(&["Groups", "Digits", "Line"])?;
        let data = self.name("d");
        if self.u.arbitrary()? {
            let count = self.count()?;
            let _ =
                writeln!(self.text, "        {number} {name} is=\"size({name}) + size({data})\"");
            return Ok(format!("bytes {data} size={count}"));
        }
        let _ = writeln!(self.text, "        {number} {name}");
        let element = self.element()?;
        Ok(format!("{element} {data} count=fill size=\"{name} - size({name})\""))
    }

    /// A struct of pointers, placed as it says.
    fn laid(&mut self, name: &str) -> Result<String> {
        let (a, b, c) = (self.element()?, self.element()?, self.element()?);
        let align = self.u.int_in_range(1..=4)?;
        let layout = match self.u.int_in_range(0..=4)? {
            0 => format!("self; put third; align {align}; put first second"),
            1 => format!("self; put second align={align}; put first; zero {align}; put third"),
            2 => "self; when \"count(third) > 1\" { put first; put third }; else { put third; put first }; \
                  put second"
                .to_owned(),
            3 => "self; record third; put first; tail third; put second".to_owned(),
            _ => "self; put second; pass later { put first third }".to_owned(),
        };
        let owner = self.name("L");
        let asked = if layout.contains("pass later") { "later" } else { "" };
        let struct_text = format!(
            "struct {owner} {{\n    u8 many\n    *{a} first\n    *?{b} second\n    *{c} third \
             count=many\n    layout {{ {layout} }}\n}}\n\n"
        );
        self.behind.push_str(&struct_text);
        if asked.is_empty() {
            return Ok(format!("{owner} {name}"));
        }
        let around = self.name("L");
        let owner_text = format!(
            "struct {around} {{\n    {owner} inner\n    layout {{ self; tail inner; run later inner \
             }}\n}}\n\n"
        );
        self.behind.push_str(&owner_text);
        Ok(format!("{around} {name}"))
    }

    /// A list of elements with a key, in a struct of its own.
    fn keys(&mut self) -> Result<String> {
        let (owner, list, count) = (self.name("K"), self.name("l"), self.count()?);
        let key = self.u.choose(&["u8 key", "u8 key unique=#true", "u8 key none=9"])?;
        let _ = writeln!(self.behind, "struct {owner} {{ {key}; u8 kind }}\n");
        let _ = writeln!(self.text, "        {owner} {list} count={count}");
        Ok(list)
    }

    /// A number that refers to an element by its key, or by its rank.
    fn keyed(&mut self, name: &str) -> Result<String> {
        let list = self.keys()?;
        Ok(match self.u.int_in_range(0..=6)? {
            0 => format!("u8 {name} ref={list}.key none=0"),
            1 => format!("u8 {name} ref=\"{list} where kind == 1\" none=255"),
            2 => {
                let stored = self.name("k");
                let _ = writeln!(
                    self.text,
                    "        value ?u8 {name} ref={list} seen=\"index(first({list} where key == \
                     {stored}))\""
                );
                format!("u16 {stored} usually=\"{list}[{name}].key ?? 300\"")
            }
            3 => format!("* {name} ref={list}"),
            4 => format!("u8 {name} is=\"count({list} where kind == 1)\""),
            5 => {
                let number = self.number()?;
                format!("u8 {name} is=\"index(first({list} where key == {number})) ?? 255\"")
            }
            _ => format!("u8 {name} usually=\"{list}[last].kind ?? 4\""),
        })
    }

    /// A union whose case an argument chooses.
    fn chosen(&mut self, name: &str) -> Result<String> {
        let number = self.own_number()?;
        let union = self.name("G");
        let (a, b) = (self.cell()?, self.element()?);
        let other = self.u.choose(&["else", "\"1..\""])?;
        let _ = writeln!(
            self.behind,
            "union {union}<which> given=which {{\n    case a 0 {{ {a} x }}\n    case b {other} {{ {b} \
             y }}\n}}\n"
        );
        let count = self.u.int_in_range(0..=2)?;
        let count = if count == 0 { String::new() } else { format!(" count={count}") };
        Ok(format!("{union}<{number}> {name}{count}"))
    }

    /// An array that a list describes.
    fn described(&mut self, name: &str) -> Result<String> {
        let list = self.keys()?;
        let taking = self.name("D");
        let cell = self.cell()?;
        let rows = match self.u.int_in_range(0..=3)? {
            0 => format!("{cell} x count=\"(by.kind ?? 4) % 3\""),
            1 => format!("when \"by.kind > 2\" {{ {cell} x }}"),
            2 => format!("{cell} x; u8 y is=\"by.kind ?? 3\""),
            _ => format!("{cell} x; check \"(by.kind ?? 0) < 200\""),
        };
        let _ = writeln!(self.behind, "struct {taking}<by> {{ {rows} }}\n");
        let from = match self.u.arbitrary()? {
            true => format!("\"{list} where kind < 9\""),
            false => list,
        };
        let more = self.u.choose(&["", " stride=4", " leading=1"])?;
        Ok(format!("{taking}<it> {name} of={from}{more}"))
    }

    /// What a text or run of bytes hashes to.
    fn hash(&mut self, name: &str, data: &str) -> Result<String> {
        let role = self.u.choose(&["is", "usually"])?;
        let what = self.u.choose(&["crc32", "adler32", "sum", "md5", "crc32 twice"])?;
        Ok(match *what {
            "md5" => format!("bytes {name} {role}=\"md5({data})\""),
            "sum" => format!("u32 {name} {role}=\"size({data}) * 3\""),
            "crc32 twice" => format!("u32 {name} {role}=\"crc32({data} ++ {data})\""),
            what => format!("u32 {name} {role}=\"{what}({data})\""),
        })
    }

    /// A number of two lists, one behind the other.
    fn joined(&mut self, name: &str) -> Result<String> {
        let (Some((a, a_field)), Some((b, b_field))) = (self.listed()?, self.listed()?) else {
            return Ok(format!("u8 {name}"));
        };
        let of = |list: &str, field: &Option<String>| match field {
            Some(field) => format!("{list}.{field}"),
            None => list.to_owned(),
        };
        let (a, b) = (of(&a, &a_field), of(&b, &b_field));
        let stream = match self.u.arbitrary()? {
            true => {
                let defined = self.name("s");
                let _ = writeln!(self.text, "        let {defined} \"{a} ++ {b}\"");
                defined
            }
            false => format!("({a} ++ {b})"),
        };
        let stream = stream.as_str();
        let what = match self.u.int_in_range(0..=4)? {
            0 => format!("sum({stream}) % 128"),
            1 => format!("count({stream} where it > 2)"),
            2 => format!("max({stream}) ?? 1"),
            3 => format!("first({stream} where it != 0) ?? 2"),
            _ => format!("count({stream})"),
        };
        let role = self.u.choose(&["is", "usually"])?;
        Ok(format!("i64 {name} {role}=\"{what}\""))
    }
}
