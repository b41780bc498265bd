//! Valid pieces of schemas, put together as an input chooses them.

mod further;
mod versions;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use arbitrary::{Result, Unstructured};
use versions::Versions;

/// Structs of a schema, besides the one of the file.
const STRUCTS: usize = 4;

/// Rows of a struct.
const ROWS: usize = 6;

/// Numbers with the bytes that they have.
const SIZED: [(&str, u32); 8] = [
    ("u8", 1),
    ("u16", 2),
    ("u32", 4),
    ("i8", 1),
    ("i16", 2),
    ("f32", 4),
    ("u64", 8),
    ("bool8", 1),
];

/// What has a name in the schema so far.
struct Maker<'u, 'b> {
    u: &'u mut Unstructured<'b>,
    text: String,
    /// Number of the next name.
    serial: u32,
    /// Structs that were written: each may hold those before it.
    structs: Vec<String>,
    unions: Vec<String>,
    /// Types of numbers and texts that were declared, enumerations among them.
    cells: Vec<String>,
    /// Of the struct that is being written: its name, its rows, those of them that are lists, each
    /// with what its elements are, and those that are numbers, as are its definitions.
    this: String,
    rows: Vec<String>,
    lists: Vec<(String, String)>,
    numbers: Vec<String>,
    /// The numbers of structs that were written.
    fields: BTreeMap<String, Vec<String>>,
    /// Structs of a fixed size, with that: in each column, if a struct has several.
    sizes: Vec<(String, Vec<u32>)>,
    /// Structs that are used with a number as argument.
    asking: Vec<String>,
    /// The number that pointers are stored as, and its bytes.
    pointer: (&'static str, u32),
    /// Whether there is a pool of texts, and whether there is a shared table.
    pool: bool,
    table: bool,
    versions: Versions,
    /// The slices of the table, each with its struct.
    slices: Vec<(String, String)>,
    /// Names whose declarations are asked for, and types that are written behind all others.
    declared: Vec<String>,
    behind: String,
}

/// A schema.
///
/// # Errors
///
/// If nothing is left to choose by.
pub(crate) fn schema(u: &mut Unstructured<'_>) -> Result<String> {
    let mut maker = Maker {
        u,
        text: String::new(),
        serial: 0,
        structs: Vec::new(),
        unions: Vec::new(),
        cells: Vec::new(),
        this: String::new(),
        rows: Vec::new(),
        lists: Vec::new(),
        numbers: Vec::new(),
        fields: BTreeMap::new(),
        sizes: Vec::new(),
        asking: Vec::new(),
        pointer: ("u8", 1),
        pool: false,
        table: false,
        versions: Versions::default(),
        slices: Vec::new(),
        declared: Vec::new(),
        behind: String::new(),
    };
    maker.schema()?;
    Ok(maker.text + &maker.behind)
}

impl Maker<'_, '_> {
    fn schema(&mut self) -> Result<()> {
        let endian = self.u.choose(&["little", "big"])?;
        let none = if self.u.arbitrary()? { " none=0" } else { "" };
        self.pointer = *self.u.choose(&[("u8", 1), ("u16", 2), ("u32", 4)])?;
        let cell = self.pointer.0;
        let align = self.u.choose(&["", " align=2", " align=4"])?;
        let gaps = if self.u.ratio(1, 4)? { " gaps=kept" } else { "" };
        let _ = writeln!(self.text, "module pieces \"Pieces\" root=File endian={endian}{gaps}\n");
        let _ = writeln!(self.text, "pointer * {cell}{none}{align}\n");
        self.pool = self.u.ratio(1, 6)?;
        self.table = self.u.ratio(1, 4)?;
        if self.u.ratio(1, 3)? {
            self.several_versions()?;
        }
        if self.pool {
            self.text
                .push_str("pointer Label u8 to=Text in=Pool.texts\n\nstring Text length=u8\n\n");
        }
        for _ in 0..self.u.int_in_range(0..=2)? {
            self.enumeration()?;
        }
        for _ in 0..self.u.int_in_range(0..=2)? {
            self.cell_type()?;
        }
        if self.has_versions() && self.u.arbitrary()? {
            self.alias()?;
        }
        for _ in 0..self.u.int_in_range(0..=STRUCTS)? {
            if self.u.ratio(1, 4)? {
                self.union()?;
            } else {
                let name = self.name("S");
                match self.u.int_in_range(0..=5)? {
                    0 | 1 => self.homed(&name)?,
                    2 => self.asking(&name)?,
                    _ => self.structure(&name)?,
                }
                let own = self.numbers.iter().filter(|name| is_own(name));
                self.fields.insert(name.clone(), own.cloned().collect());
                self.structs.push(name);
            }
        }
        self.structure("File")?;
        let declarations = self.declarations();
        self.behind.push_str(&declarations);
        if self.pool {
            let orders = ["bytes", "first-use", "each-use", "depth-first"];
            let mut order = format!("order {}", self.u.choose(&orders)?);
            if self.has_versions() && self.u.arbitrary()? {
                let (condition, other) = (self.epochs()?, self.u.choose(&orders)?);
                order = format!("when \"{condition}\" {{ {order} }}; else {{ order {other} }}");
            }
            let members = self.u.choose(&["used", "kept"])?;
            let _ = writeln!(
                self.text,
                "struct Pool {{ u8 count; pool texts of=Text count=count {{ members {members}; \
                 {order} }} }}"
            );
        }
        Ok(())
    }

    fn name(&mut self, prefix: &str) -> String {
        self.serial += 1;
        format!("{prefix}{}", self.serial)
    }

    fn enumeration(&mut self) -> Result<()> {
        let name = self.name("E");
        let closed = if self.u.arbitrary()? { " closed=#true" } else { "" };
        let cell = self.u.choose(&["u8", "u16"])?;
        let _ = writeln!(self.text, "enum {name} {cell}{closed} {{");
        for number in 0..self.u.int_in_range(1..=4)? {
            let _ = writeln!(self.text, "    m{number} {}", number * 3);
        }
        self.text.push_str("}\n\n");
        self.cells.push(name);
        Ok(())
    }

    /// A type of numbers or texts that a row can be of.
    fn cell_type(&mut self) -> Result<()> {
        let name = self.name("C");
        let line = match self.u.int_in_range(0..=4)? {
            0 => {
                let stored = self.u.choose(&[
                    "u32 order=msb-first bytes=5",
                    "u32 order=lsb-first bytes=5",
                    "i32 order=lsb-first",
                    "i64 order=msb-first sign=zigzag",
                    "u64 order=msb-first last=8",
                    "i16 order=msb-first",
                ])?;
                let usually = self.u.choose(&["", " usually=shortest", " is=shortest"])?;
                format!("varint {name} {stored}{usually}")
            }
            1 => {
                // Each number of the type has room.
                let stored = self.u.choose(&[
                    "u16 bytes=5 fill=blanks-last",
                    "u16 bytes=7 base=8 end=nul",
                    "u32 bytes=8 base=16 letters=upper",
                    "i16 bytes=8 fill=blanks-first end=\"00 20\"",
                    "u32",
                    "i32 end=\"0a\"",
                    "u16 base=16 end=nul",
                ])?;
                format!("digits {name} {stored}")
            }
            2 => {
                let lengths = ["u8", "u16", "until-nul", "u8 end=nul", "Groups", "Groups end=nul"];
                let length = *self.u.choose(&lengths)?;
                if length.starts_with("Groups") && !self.text.contains("varint Groups") {
                    self.text.push_str("varint Groups u32 order=lsb-first bytes=5\n\n");
                }
                let encodings = [
                    "",
                    " encoding=utf8",
                    " encoding=utf16",
                    " encoding=latin1",
                    " encoding=cp1252",
                    " encoding=mutf8",
                ];
                let encoding = self.u.choose(&encodings)?;
                format!("string {name} length={length}{encoding}")
            }
            3 => {
                let rest = self.u.choose(&["", " rest=zero"])?;
                format!("flags {name} u8{rest} {{ bool low 0; bool high 6 }}")
            }
            _ => {
                let rest = self.u.choose(&["", " rest=zero"])?;
                format!("bits {name} u16{rest} {{ u4 low 0 3; i5 middle 4 8; bool high 15 }}")
            }
        };
        let _ = writeln!(self.text, "{line}\n");
        self.cells.push(name);
        Ok(())
    }

    fn union(&mut self) -> Result<()> {
        let name = self.name("U");
        if self.u.ratio(1, 6)? {
            let (head, first) = match self.u.arbitrary()? {
                true => ("word=u16", "\"0ooooooo oooooooo\" { u15 o bits=o }"),
                false => ("tag=u8", "\"0nnnnnnn\" { u7 n bits=n; u16 more }"),
            };
            let rest = match head {
                "tag=u8" => "\"10vvvvnn nnnnnnnn\" { u4 v bits=v; u10 n bits=n plus=512 }",
                _ => "\"1____iii iiiiiiii\" { u11 i bits=i }",
            };
            let _ = writeln!(
                self.text,
                "union {name} {head} {{\n    case low {first}\n    case high {rest}\n}}\n"
            );
            self.unions.push(name);
            return Ok(());
        }
        let cell = self.u.choose(&["u8", "u16"])?;
        let _ = writeln!(self.text, "union {name} tag={cell} {{");
        for number in 0..self.u.int_in_range(1..=4)? {
            if self.u.ratio(1, 6)? {
                let forms = self.forms()?;
                let _ = writeln!(self.text, "    case c{number} {{");
                for (form, rows) in forms.iter().enumerate() {
                    let label = 40 + 10 * form + number;
                    let when = self.when()?;
                    let _ = writeln!(self.text, "        form {label}{when} {{ {rows} }}");
                }
                self.text.push_str("    }\n");
                continue;
            }
            let when = self.when()?;
            let _ = writeln!(self.text, "    case c{number} {number}{when} {{");
            self.body(&name, 0, 2)?;
            self.text.push_str("    }\n");
        }
        if self.u.ratio(1, 4)? {
            let label = self.u.choose(&["else", "\"10..19\"", "16 \"32..\""])?;
            let code = self.name("t");
            let _ = writeln!(self.text, "    case rest {label} {{\n        tag {code}");
            self.body(&name, 0, 2)?;
            self.text.push_str("    }\n");
        }
        self.text.push_str("}\n\n");
        self.unions.push(name);
        Ok(())
    }

    /// Forms of one value, some of which can say more of them than others.
    fn forms(&mut self) -> Result<Vec<&'static str>> {
        let mut forms = match self.u.int_in_range(0..=11)? {
            5 => vec!["f16 value", "f32 value", "f64 value"],
            6 => vec!["i64 value", "u64 value", "u8 value"],
            7 => vec!["text value size=2 encoding=utf16", "u8 n; text value size=n"],
            8 => vec!["u8 value usually=3", "u16 value", "u8 value none=0"],
            9 => vec!["u8 n; when \"n > 1\" { u16 value }", "u32 value", "i8 value none=-1"],
            10 => vec!["u8 value; u8 sum is=\"value + 1\"", "u16 value; u8 sum is=\"value % 9\""],
            11 => {
                vec!["u8 n; u16 value count=n", "u8 n; u32 value count=n", "u8 n; i8 value count=n"]
            }
            0 => vec!["const value is=0", "i8 value", "i24 value", "i32 value"],
            1 => vec![
                "bytes value size=1",
                "u8 n plus=1; bytes value size=n",
                "u8 n; bytes value count=\"2 * n\"",
                "u16 n; bytes value size=n",
            ],
            2 => vec![
                "text value size=2",
                "u8 n; text value size=\"n + 1\"",
                "i8 n; text value size=n",
                "u16 n; text value size=n",
            ],
            3 => vec![
                "u8 n; u8 value count=n",
                "u8 n; u8 value count=fill size=n",
                "u8 n; u16 value count=fill size=\"4 * n\"",
                "u16 n; u16 value count=n",
            ],
            _ => vec!["u8 value", "u16 value", "u16be value", "u32le value"],
        };
        // Not always the widest last, and not always all.
        let first = self.u.int_in_range(0..=forms.len() - 1)?;
        forms.rotate_left(first);
        forms.truncate(self.u.int_in_range(1..=forms.len())?);
        Ok(forms)
    }

    fn structure(&mut self, name: &str) -> Result<()> {
        if name != "File" && self.u.ratio(1, 6)? {
            let _ = writeln!(self.text, "struct {name} transparent {{");
            self.body(name, 1, 1)?;
        } else {
            let order = self.u.int_in_range(0..=11)?;
            let fixed = match order {
                9 => " endian=little",
                10 => " endian=big",
                _ => "",
            };
            let _ = writeln!(self.text, "struct {name}{fixed} {{");
            if name == "File" {
                self.text.push_str(self.versions.head());
            }
            if order == 11 {
                self.text.push_str(
                    "        endian { when \"order == 1\" big; when \"order == 2\" little; else error }\n\
                     \x20       u8 order max=9\n",
                );
            }
            self.body(name, 1, ROWS)?;
        }
        if self.pool && name == "File" {
            self.text
                .push_str("        u16 pool_offset\n        object Pool pool at=pool_offset\n");
        }
        if self.table && name == "File" {
            self.shared_table()?;
        }
        self.text.push_str("}\n\n");
        Ok(())
    }

    /// A struct that knows where its rows stand, in versions perhaps at other places.
    fn homed(&mut self, name: &str) -> Result<()> {
        let several = self.has_versions() && self.u.arbitrary()?;
        let columns = if several { self.versions.columns.len() } else { 1 };
        let mut at = vec![0; columns];
        let mut lines = String::new();
        let fits = |sizes: &[u32]| sizes.len() == 1 || sizes.len() == columns;
        let sizes: Vec<_> = self.sizes.iter().filter(|(_, s)| fits(s)).cloned().collect();
        self.begin(name);
        for _ in 0..self.u.int_in_range(1..=ROWS)? {
            let row = self.name("h");
            let mut count = None;
            let (ty, bytes) = match self.u.int_in_range(0..=7)? {
                0 => (format!("*?{}", self.element()?), vec![self.pointer.1]),
                1 if !self.numbers.is_empty() => {
                    count = Some(self.own_number()?);
                    (format!("*{}", self.element()?), vec![self.pointer.1])
                }
                2 if !sizes.is_empty() => self.u.choose(&sizes)?.clone(),
                3 => (self.u.choose(&["zero", "reserved"])?.to_string(), vec![1]),
                _ => {
                    let (ty, bytes) = *self.u.choose(&SIZED)?;
                    (ty.to_owned(), vec![bytes])
                }
            };
            let mut line = match ty.as_str() {
                "zero" | "reserved" => format!("        {ty}"),
                _ => format!("        {ty} {row}"),
            };
            let mut everywhere = true;
            let here = self.u.int_in_range(0..=columns - 1)?;
            for (column, at) in at.iter_mut().enumerate() {
                if column != here && self.u.ratio(1, 6)? {
                    line.push_str(" -");
                    everywhere = false;
                } else {
                    let _ = write!(line, " 0x{at:02x}");
                    *at += bytes.get(column).unwrap_or(&bytes[0]);
                }
            }
            if let Some(count) = count {
                let _ = write!(line, " count={count}");
            }
            if matches!(&*ty, "u8" | "u16" | "i8" | "i16" | "u32" | "u16be" | "u32le") {
                if !everywhere && self.u.arbitrary()? {
                    line.push_str(" absent=5");
                    everywhere = true;
                }
                self.numbers.push(if everywhere { row } else { format!("({row} ?? 4)") });
            }
            lines.push_str(&line);
            lines.push('\n');
        }
        let sizes: Vec<String> = at.iter().map(|at| format!("0x{at:02x}")).collect();
        let open = self.u.ratio(1, 4)?;
        let more = if open { " .." } else { "" };
        let _ = writeln!(self.text, "struct {name} {}{more} {{", sizes.join(" "));
        if several {
            let labels: Vec<_> = self.versions.columns.iter().map(|l| format!("\"{l}\"")).collect();
            let _ = writeln!(self.text, "        columns {}", labels.join(" "));
        }
        self.text.push_str(&lines);
        if open {
            self.row()?;
        } else {
            self.sizes.push((name.to_owned(), at));
        }
        self.text.push_str("}\n\n");
        Ok(())
    }

    /// A struct that is told a number by who uses it.
    fn asking(&mut self, name: &str) -> Result<()> {
        let _ = writeln!(self.text, "struct {name}<told> {{");
        self.asking.push(name.to_owned());
        self.begin(name);
        self.numbers.push("told".to_owned());
        let count = self.u.int_in_range(1..=3)?;
        for _ in 0..count {
            match self.u.int_in_range(0..=3)? {
                0 => {
                    let (row, element) = (self.name("r"), self.element()?);
                    let _ = writeln!(self.text, "        {element} {row} count=\"told % 4\"");
                }
                1 => {
                    let (row, element) = (self.name("r"), self.element()?);
                    let _ = writeln!(self.text, "        when \"told > 2\" {{ {element} {row} }}");
                }
                _ => self.row()?,
            }
        }
        self.numbers.retain(|number| number != "told");
        self.text.push_str("}\n\n");
        Ok(())
    }

    /// The table whose parts the slices are, and what has them. A slice that the table does not take
    /// could be read and not written, so it takes all of those in a row.
    fn shared_table(&mut self) -> Result<()> {
        let mut owners: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (owner, slice) in self.slices.clone() {
            owners.entry(owner).or_default().push(slice);
        }
        let mut paths = Vec::new();
        for (owner, slices) in owners {
            let (row, count) = (self.name("t"), self.count()?);
            let argument = self.argument(&owner)?;
            let _ = writeln!(self.text, "        {owner}{argument} {row} count={count}");
            paths.extend(slices.iter().map(|slice| format!("{row}.{slice}")));
        }
        if !paths.is_empty() {
            // Not of any number: how many there are follows from the slices.
            let (count, element) = (self.name("n"), self.element()?);
            let paths = paths.join(" ");
            let _ = writeln!(
                self.text,
                "        u16 {count}\n        {element} table count={count} from=\"{paths}\""
            );
        }
        Ok(())
    }

    fn begin(&mut self, name: &str) {
        name.clone_into(&mut self.this);
        self.rows.clear();
        self.lists.clear();
        self.numbers.clear();
    }

    /// The rows of a struct or case, so many.
    fn body(&mut self, name: &str, least: usize, most: usize) -> Result<()> {
        self.begin(name);
        for _ in 0..self.u.int_in_range(least..=most)? {
            self.row()?;
        }
        Ok(())
    }

    /// A row, or two of which one says the length of the other.
    fn row(&mut self) -> Result<()> {
        let name = self.name("r");
        let kind = match self.this.starts_with('S') {
            true if self.table && self.u.ratio(1, 6)? => 41,
            _ if self.has_versions() && self.u.ratio(1, 3)? => {
                52 + further::KINDS + self.u.int_in_range(0..=versions::KINDS - 1)?
            }
            _ => self.u.int_in_range(0..=51 + further::KINDS)?,
        };
        let line = match kind {
            52.. => match (kind - 52).checked_sub(further::KINDS) {
                Some(kind) => self.versioned(kind, &name)?,
                None => self.further(kind - 52, &name)?,
            },
            0..=3 => {
                let (cell, rule) = (self.cell()?, self.rule()?);
                if matches!(&*cell, "u8" | "u16" | "u32" | "i8" | "u16be" | "u32le")
                    && !rule.contains("none")
                {
                    self.numbers.push(name.clone());
                }
                format!("{cell} {name}{rule}")
            }
            4 => format!("magic \"{}\"", self.u.choose(&["A", "PK", "abc"])?),
            5 => {
                let size = match self.u.ratio(1, 2)? {
                    true => self.u.int_in_range(1..=4)?.to_string(),
                    false => self.count()?,
                };
                format!("zero size={size}{}", self.u.choose(&["", " fill=0xff"])?)
            }
            6 => format!("reserved size={}", self.u.int_in_range(1..=4)?),
            7 => {
                let floats = ["f32", "f64", "f16", "norm<u8>", "norm<i16>", "fixed<i16,8>"];
                let float = *self.u.choose(&floats)?;
                match self.u.ratio(1, 3)? {
                    true => format!("{float} {name} count={}", self.u.int_in_range(1..=4)?),
                    false => format!("{float} {name}"),
                }
            }
            8 => {
                let (count, element) = (self.count()?, self.element()?);
                self.lists.push((name.clone(), element.clone()));
                format!("{element} {name} count={count}")
            }
            9 => {
                let count = self.count()?;
                format!("*{} {name} count={count}", self.element()?)
            }
            10 => format!("*?{} {name}", self.element()?),
            11 => {
                let count = self.count()?;
                format!("bytes {name} count={count}")
            }
            12 => {
                let count = self.count()?;
                let encoding = self.u.choose(&["ascii", "utf8", "utf16", "latin1", "mutf8"])?;
                format!("text {name} count={count} encoding={encoding}")
            }
            13 => format!("{} {name} count={}", self.cell()?, self.u.int_in_range(1..=4)?),
            14 => {
                let flag = self.name("w");
                let _ = writeln!(self.text, "        u8 {flag} max=1");
                format!("when \"{flag} == 1\" {{ {} {name} }}", self.cell()?)
            }
            15 => {
                let usual = self.u.int_in_range(0..=9)?;
                format!("u8 {name} usually={usual}")
            }
            16 => {
                let before = self.name("a");
                let _ = writeln!(self.text, "        u8 {before}");
                let op = self.u.choose(&["+", "*", "^"])?;
                format!("u16 {name} usually=\"{before} {op} 3\"")
            }
            17 => {
                let list = self.name("l");
                let count = self.count()?;
                let element = self.element()?;
                let _ = writeln!(self.text, "        {element} {list} count={count}");
                self.lists.push((list.clone(), element));
                format!("u8 {name} is=\"count({list})\"")
            }
            18 => {
                let size = self.count()?;
                format!("{} {name} size={size}", self.element()?)
            }
            19 => {
                let (size, element) = (self.count()?, self.element()?);
                self.lists.push((name.clone(), element.clone()));
                format!("{element} {name} count=fill size={size}")
            }
            20 if !self.rows.is_empty() && self.u.ratio(1, 4)? => {
                let row = self.u.choose(&self.rows)?;
                let role = self.u.choose(&["is", "usually"])?;
                format!("u32 {name} {role}=\"crc32(bytes({row}))\"")
            }
            20 if !self.rows.is_empty() => {
                let row = self.u.choose(&self.rows)?;
                let what = self.u.choose(&["at", "end", "size"])?;
                let other = self.u.choose(&["", " ?? 7"])?;
                format!("u16 {name} is=\"{what}({row}){other}\"")
            }
            21 if !self.lists.is_empty() => {
                let (list, _) = self.u.choose(&self.lists)?;
                let none = self.u.choose(&["", " none=0xff", " plus=1 none=0"])?;
                let number = self.u.choose(&["u8", "u16", "i32", "u32", "u64"])?;
                format!("{number} {name} ref={list}{none}")
            }
            22 if !self.table && !self.asking.contains(&self.this) => {
                format!("*?{} {name}", self.this)
            }
            23 => {
                let rest = self.name("b");
                format!("b3 {name}\n        b5 {rest}")
            }
            24 => format!("u8 {name} last=\"it == 0\""),
            25 => {
                let stride = self.count()?;
                format!("{} {name} count=2 stride={stride}", self.element()?)
            }
            26 => {
                let offset = self.name("o");
                let _ = writeln!(self.text, "        u8 {offset}");
                format!("object {} {name} at={offset}", self.element()?)
            }
            27 => {
                let size = self.count()?;
                let kind = self.u.choose(&["bytes", "text", "u8"])?;
                format!("{kind} {name} count={} size={size}", self.u.int_in_range(1..=3)?)
            }
            28 if !self.lists.is_empty() => {
                let (list, _) = self.u.choose(&self.lists)?.clone();
                format!("{} {name} of={list}", self.element()?)
            }
            29 | 30 => {
                let expr = self.expr()?;
                self.numbers.push(name.clone());
                let _ = writeln!(self.text, "        let {name} \"{expr}\"");
                return Ok(());
            }
            31 | 32 => format!("u16 {name} is=\"{}\"", self.expr()?),
            33 => format!("i32 {name} usually=\"{}\"", self.expr()?),
            34 | 35 => {
                let (condition, element) = (self.condition()?, self.element()?);
                format!("when \"{condition}\" {{ {element} {name} }}")
            }
            36 => format!("check \"{} || {}\"", self.condition()?, self.condition()?),
            37 | 38 => {
                let kind = self.name("k");
                let _ = writeln!(self.text, "        u8 {kind}");
                let mut cases = String::new();
                for number in 0..self.u.int_in_range(1..=3)? {
                    let (row, element) = (self.name("r"), self.element()?);
                    let _ = writeln!(
                        cases,
                        "            case c{number} {number} {{ {element} {row} }}"
                    );
                }
                format!("union {name} on={kind} {{\n{cases}        }}")
            }
            39 => format!("*{} {name}", self.element()?),
            40 | 42 if self.has_versions() => {
                let (condition, element) = (self.epochs()?, self.element()?);
                let other = match self.u.ratio(1, 3)? {
                    true => format!("\n        else {{ {} {name} }}", self.cell()?),
                    false => String::new(),
                };
                format!("when \"{condition}\" {{ {element} {name} }}{other}")
            }
            41 if self.table && self.this.starts_with('S') => {
                let (base, count) = (self.name("n"), self.name("n"));
                let _ = writeln!(self.text, "        u8 {base}\n        u8 {count}");
                let empty = self.u.choose(&["", " empty_base=0xff"])?;
                self.slices.push((self.this.clone(), name.clone()));
                let slice = format!("slice {name} of=File.table base={base} count={count}{empty}");
                match self.has_versions() && self.u.ratio(1, 3)? {
                    true => self.sliced(&slice)?,
                    false => slice,
                }
            }
            43..=45 => {
                let list = self.name("l");
                let count = self.count()?;
                let numbers = ["u8", "i8", "u16", "u32"].map(str::to_owned);
                let usable = |(name, fields): &(&String, &Vec<String>)| {
                    !fields.is_empty() && !self.slices.iter().any(|(owner, _)| owner == *name)
                };
                let structs = self.fields.iter().filter(usable).map(|(name, _)| name);
                let all: Vec<String> = numbers.into_iter().chain(structs.cloned()).collect();
                let mut element = self.u.choose(&all)?.clone();
                element += &self.argument(&element)?;
                let _ = writeln!(self.text, "        {element} {list} count={count}");
                self.lists.push((list, element));
                match self.u.int_in_range(0..=3)? {
                    3 => self.address(&name)?,
                    0 => format!("i32 {name} usually=\"{}\"", self.expr()?),
                    1 => format!("when \"{}\" {{ {} {name} }}", self.condition()?, self.cell()?),
                    _ => format!("u16 {name} is=\"{}\"", self.expr()?),
                }
            }
            46 => {
                let kind = self.u.choose(&[
                    "text",
                    "bytes",
                    "text encoding=utf16",
                    "text encoding=cp1252",
                    "text encoding=mutf8",
                ])?;
                let (ty, encoding) = kind.split_once(' ').unwrap_or((kind, ""));
                let bytes = self.u.choose(&["nul", "\"3d\"", "\"0d0a\"", "\"[0, 0x30..0x3d]\""])?;
                let modes = ["", " terminated=kept", " terminator_optional=#true"];
                let mode = match bytes.contains('[') {
                    true => modes[1],
                    false => self.u.choose(&modes)?,
                };
                format!("{ty} {name} {encoding} terminator={bytes}{mode}")
            }
            47 => {
                let size = self.count()?;
                let ends = self.u.choose(&[
                    "strip=\"20\"",
                    "terminator=nul",
                    "terminator=nul strip=\"20\"",
                    "terminator=\"2e\" strip=\"00\"",
                ])?;
                let ty = match self.u.int_in_range(0..=2)? {
                    0 => "text".to_owned(),
                    1 => "bytes".to_owned(),
                    _ => self.cell()?,
                };
                format!("{ty} {name} size={size} {ends}")
            }
            48 => {
                let kind = self.name("k");
                let _ = writeln!(self.text, "        text {kind} size=1");
                let (a, b) = (self.element()?, self.element()?);
                let other = self.u.choose(&["\"'B'\"", "else"])?;
                format!(
                    "union {name} on={kind} {{\n            case a \"'A'\" {{ {a} x }}\n            \
                     case b {other} {{ {b} x }}\n        }}"
                )
            }
            49 => {
                let end = self.name("e");
                let _ = writeln!(self.text, "        u8 {end}");
                format!("{} {name} count=fill end={end}", self.element()?)
            }
            50 => {
                let plus =
                    self.u.choose(&["plus=1", "plus=-1", "none=\"0 255\"", "plus=1 none=0"])?;
                format!("u8 {name} {plus}")
            }
            51 => {
                let (count, element) = (self.count()?, self.element()?);
                let empty = self.u.choose(&["none", "here", "kept"])?;
                format!("*{element} {name} count={count} when_empty={empty}")
            }
            _ => format!("{} {name}", self.element()?),
        };
        let _ = writeln!(self.text, "        {line}");
        self.rows.push(name);
        Ok(())
    }

    /// A number of the struct, or a small one.
    fn number(&mut self) -> Result<String> {
        if self.numbers.is_empty() || self.u.ratio(1, 5)? {
            return Ok(self.u.int_in_range(0..=9)?.to_string());
        }
        self.u.choose(&self.numbers).cloned()
    }

    /// A number of the struct that is a row or definition, or a small one.
    fn own_number(&mut self) -> Result<String> {
        let own: Vec<&String> = self.numbers.iter().filter(|name| is_own(name)).collect();
        if own.is_empty() || self.u.ratio(1, 5)? {
            return Ok(self.u.int_in_range(0..=9)?.to_string());
        }
        Ok((*self.u.choose(&own)?).clone())
    }

    /// A list, and a number of its elements; of elements that are numbers, those.
    fn listed(&mut self) -> Result<Option<(String, Option<String>)>> {
        if self.lists.is_empty() || self.u.ratio(1, 5)? {
            return Ok(None);
        }
        let (list, element) = self.u.choose(&self.lists)?.clone();
        if matches!(
            &*element,
            "u8" | "u16" | "u24" | "u32" | "i8" | "i16" | "i32" | "u16be" | "u32le"
        ) {
            return Ok(Some((list, None)));
        }
        let element = element.split('<').next().unwrap_or_default();
        match self.fields.get(element).filter(|fields| !fields.is_empty()) {
            Some(fields) => Ok(Some((list, Some(self.u.choose(fields)?.clone())))),
            None => Ok(None),
        }
    }

    /// The address of a number in a list, and what says which one that is.
    fn address(&mut self, name: &str) -> Result<String> {
        let Some((list, field)) = self.listed()? else { return Ok(format!("u16 {name}")) };
        let which = self.name("v");
        let field = field.map(|field| format!(".{field}")).unwrap_or_default();
        let seen = format!("index(first({list} where at(it{field}) == {name}))");
        let _ = writeln!(self.text, "        value ?u8 {which} ref={list} seen=\"{seen}\"");
        Ok(format!("u16 {name} usually=\"at({list}[{which}]{field})\""))
    }

    /// What says a number.
    fn expr(&mut self) -> Result<String> {
        if let Some((list, field)) = self.listed()? {
            let wanted = self.number()?;
            let (stream, own, first) = match &field {
                Some(field) => (format!("{list}.{field}"), field.as_str(), list.clone()),
                None => (list.clone(), "it", list.clone()),
            };
            let element = match &field {
                Some(field) => format!("{list}[{wanted}].{field}"),
                None => format!("{list}[{wanted}]"),
            };
            return Ok(match self.u.int_in_range(0..=9)? {
                0 => format!("sum({stream})"),
                1 => format!("max({stream}) ?? 0"),
                2 => format!("min({stream}) ?? {wanted}"),
                3 => format!("count({first} where {own} > {wanted})"),
                4 => format!("first({stream} where it >= {wanted}) ?? 3"),
                5 => format!("any({first} where {own} == {wanted}) ? 1 : 0"),
                6 => format!("all({first} where {own} < {wanted}) ? 1 : 2"),
                7 => format!("index(first({first} where {own} == {wanted})) ?? 9"),
                8 => format!("{element} ?? 5"),
                _ => format!("sum({stream} where it < 9) + {wanted}"),
            });
        }
        let (a, b) = (self.number()?, self.number()?);
        Ok(match self.u.int_in_range(0..=6)? {
            0 => a,
            1 => format!("{a} + {b}"),
            2 => format!("{a} * 2 + 1"),
            3 => format!("max({a}, {b})"),
            4 => format!("{a} > {b} ? {b} : 7"),
            5 => format!("{a} & 3 | {b} << 2"),
            _ => format!("({a} - {b}) % 8"),
        })
    }

    fn condition(&mut self) -> Result<String> {
        let (a, b) = (self.number()?, self.expr()?);
        Ok(match self.u.int_in_range(0..=3)? {
            0 => format!("{a} > 3"),
            1 => format!("{a} != ({b})"),
            2 => format!("({b}) in [0, 2..5]"),
            _ => format!("{a} <= ({b})"),
        })
    }

    /// What a struct is told where it is used.
    fn argument(&mut self, name: &str) -> Result<String> {
        if self.asking.iter().any(|asking| asking == name) {
            return Ok(format!("<{}>", self.own_number()?));
        }
        Ok(String::new())
    }

    fn cell(&mut self) -> Result<String> {
        let plain = [
            "u8", "u16", "u24", "u32", "u64", "i8", "i16", "i32", "i64", "u16be", "u32le", "bool8",
        ];
        if self.pool && self.u.ratio(1, 6)? {
            return Ok("Label".to_owned());
        }
        if !self.cells.is_empty() && self.u.ratio(1, 4)? {
            return self.u.choose(&self.cells).cloned();
        }
        self.u.choose(&plain).map(|name| (*name).to_owned())
    }

    fn element(&mut self) -> Result<String> {
        let sliced = |name: &&String| !self.slices.iter().any(|(owner, _)| owner == *name);
        let structs = self.structs.iter().filter(sliced);
        let named: Vec<&String> = structs.chain(&self.unions).collect();
        if !named.is_empty() && self.u.arbitrary()? {
            let name = (*self.u.choose(&named)?).clone();
            let argument = self.argument(&name)?;
            return Ok(name + &argument);
        }
        self.cell()
    }

    fn rule(&mut self) -> Result<String> {
        Ok(match self.u.int_in_range(0..=5)? {
            0 => format!(" min={}", self.u.int_in_range(0..=3)?),
            1 => format!(" max={}", self.u.int_in_range(4..=100)?),
            2 => " none=0xff".to_owned(),
            _ => String::new(),
        })
    }

    /// A number in a row of its own, and how a length follows from it.
    fn count(&mut self) -> Result<String> {
        let name = self.name("n");
        let cell = self.u.choose(&["u8", "u16"])?;
        let _ = writeln!(self.text, "        {cell} {name}");
        Ok(match self.u.int_in_range(0..=7)? {
            0 => format!("\"2 * {name}\""),
            1 => format!("\"{name} + 1\""),
            _ => name,
        })
    }
}

/// Whether a number is a name, and not what says what stands for it where it is not there.
fn is_own(number: &str) -> bool {
    !number.starts_with('(')
}
