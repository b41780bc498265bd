//! Versions of a schema, and what they differ in.

use std::fmt::Write as _;

use arbitrary::Result;

use super::Maker;

/// How many kinds of rows there are that differ by version.
pub(super) const KINDS: u32 = 22;

/// Where a file says its version, and which ones there are.
#[derive(Debug, Default)]
pub(super) struct Versions {
    /// The latest one; there are none if it is zero.
    pub(super) latest: u32,
    /// Whether they are members of an enumeration.
    named: bool,
    /// The rows that say it, in the root.
    head: String,
    /// Whether there is a second number that chooses.
    variant: bool,
    /// Named conditions.
    lets: Vec<String>,
    /// The labels of columns of structs that have several.
    pub(super) columns: Vec<String>,
}

impl Versions {
    /// The rows of the root that say the version.
    pub(super) fn head(&self) -> &str {
        &self.head
    }
}

impl Maker<'_, '_> {
    /// Decides on versions, and says how a file chooses among them.
    pub(super) fn several_versions(&mut self) -> Result<()> {
        let latest = self.u.int_in_range(2..=4)?;
        self.versions.latest = latest;
        let kind = self.u.int_in_range(0..=7)?;
        let (path, head) = match kind {
            0..=2 => ("version", format!("        u8 version max={latest}\n")),
            3 => ("version", format!("        u16 version min=1 max={latest}\n")),
            4 => ("version", "        u8 version\n".to_owned()),
            5 => {
                self.versions.named = true;
                let members: String = (0..=latest).map(|n| format!(" v{n} {n};")).collect();
                let closed = self.u.choose(&["", " closed=#true"])?;
                let _ = writeln!(self.text, "enum Version u8{closed} {{{members} }}\n");
                ("version", "        Version version\n".to_owned())
            }
            6 => {
                let _ = writeln!(self.text, "struct Head {{ magic V; u8 version max={latest} }}\n");
                ("head.version", "        Head head\n".to_owned())
            }
            _ => {
                let _ = writeln!(
                    self.text,
                    "struct Head 0x03 {{ i16 flags 0x00; i8 version 0x02 min=-1 max={latest} }}\n"
                );
                ("head.version", "        Head head\n".to_owned())
            }
        };
        let _ = writeln!(self.text, "epoch version from=File.{path}");
        self.versions.head = head;
        if self.u.ratio(1, 5)? {
            self.versions.variant = true;
            self.text.push_str("epoch variant from=File.variant\n");
            self.versions.head.push_str("        u8 variant max=2\n");
        }
        self.text.push('\n');
        for _ in 0..self.u.int_in_range(0..=2)? {
            let (name, condition) = (self.name("w"), self.epochs()?);
            let _ = writeln!(self.text, "let {name} \"{condition}\"\n");
            self.versions.lets.push(name);
        }
        let cut = self.u.int_in_range(1..=latest)?;
        let label = |n: u32| if self.versions.named { format!("v{n}") } else { n.to_string() };
        let columns = match (self.u.int_in_range(0..=2)?, self.versions.named) {
            (0, false) => vec![format!("<{cut}"), format!(">={cut}")],
            (1, false) if cut > 1 => {
                vec!["<1".to_owned(), format!("1..{}", cut - 1), format!(">={cut}")]
            }
            (1, true) => vec![label(0), label(cut), "else".to_owned()],
            _ => vec![label(cut), "else".to_owned()],
        };
        let label = |label: String| match label.as_str() {
            _ if !self.versions.variant || label == "else" => label,
            _ if label.starts_with(['<', '>']) => format!("version {label}"),
            _ if label.contains("..") => format!("version in [{label}]"),
            _ => format!("version == {label}"),
        };
        self.versions.columns = columns.into_iter().map(label).collect();
        Ok(())
    }

    pub(super) fn has_versions(&self) -> bool {
        self.versions.latest > 0
    }

    /// What says of a case or form which versions have it, now and then.
    pub(super) fn when(&mut self) -> Result<String> {
        if self.has_versions() && self.u.ratio(1, 4)? {
            return Ok(format!(" when=\"{}\"", self.epochs()?));
        }
        Ok(String::new())
    }

    /// A slice of some versions, or with a length that follows in another way.
    pub(super) fn sliced(&mut self, slice: &str) -> Result<String> {
        let condition = self.epochs()?;
        let other = match self.u.int_in_range(0..=2)? {
            0 => {
                let (base, count) = (self.name("n"), self.name("n"));
                let (name, _) = slice.split_once(" base=").unwrap_or((slice, ""));
                format!("u8 {base}; u8 {count}; {name} base={base} count={count}")
            }
            1 => {
                let count = self.name("n");
                let (name, _) = slice.split_once(" count=").unwrap_or((slice, ""));
                format!("u8 {count}; {name} count={count}")
            }
            _ => return Ok(format!("when \"{condition}\" {{ {slice} }}")),
        };
        Ok(format!("when \"{condition}\" {{ {slice} }}\n        else {{ {other} }}"))
    }

    /// A version.
    fn version(&mut self) -> Result<String> {
        let number = self.u.int_in_range(0..=self.versions.latest)?;
        Ok(if self.versions.named { format!("v{number}") } else { number.to_string() })
    }

    /// A condition on the version.
    pub(super) fn epochs(&mut self) -> Result<String> {
        if !self.versions.lets.is_empty() && self.u.ratio(1, 4)? {
            let name = self.u.choose(&self.versions.lets)?.clone();
            return Ok(if self.u.ratio(1, 3)? { format!("!{name}") } else { name });
        }
        if self.versions.variant && self.u.ratio(1, 4)? {
            let (a, number) = (self.version()?, self.u.int_in_range(0..=2)?);
            let op = self.u.choose(&["&&", "||"])?;
            return Ok(format!("version == {a} {op} variant == {number}"));
        }
        let (a, b) = (self.version()?, self.version()?);
        if self.versions.named {
            return Ok(match self.u.int_in_range(0..=2)? {
                0 => format!("version == {a}"),
                1 => format!("version != {a}"),
                _ => format!("version == {a} || version == {b}"),
            });
        }
        Ok(match self.u.int_in_range(0..=7)? {
            0 | 1 => format!("version >= {a}"),
            2 => format!("version == {a}"),
            3 => format!("version != {a}"),
            4 => format!("version < {a}"),
            5 => format!("version in [{a}, {b}]"),
            6 => format!("version == {a} || version > {b}"),
            _ => format!("version <= {a}"),
        })
    }

    /// The versions, or some of them, each with a condition that no two fulfil.
    fn parted(&mut self) -> Result<Vec<String>> {
        if self.u.ratio(1, 2)? {
            let condition = self.epochs()?;
            return Ok(vec![condition.clone(), format!("!({condition})")]);
        }
        let mut all: Vec<u32> = (0..=self.versions.latest).collect();
        let first = self.u.int_in_range(0..=all.len() - 1)?;
        all.rotate_left(first);
        all.truncate(self.u.int_in_range(2..=all.len().min(3))?);
        let name = |n: u32| if self.versions.named { format!("v{n}") } else { n.to_string() };
        Ok(all.into_iter().map(|number| format!("version == {}", name(number))).collect())
    }

    /// A length, which follows from a number that may be there already.
    fn length(&mut self, known: &[String], rows: &mut String) -> Result<String> {
        let name = if known.is_empty() || self.u.ratio(1, 3)? {
            let name = self.name("n");
            let cell = self.u.choose(&["u8", "u16", "i8"])?;
            let _ = write!(rows, "{cell} {name}; ");
            name
        } else {
            self.u.choose(known)?.clone()
        };
        Ok(match self.u.int_in_range(0..=9)? {
            0 => format!("\"2 * {name}\""),
            1 => format!("\"{name} + 1\""),
            2 => format!("\"{name} - 1\""),
            3 => self.u.int_in_range(0..=3)?.to_string(),
            _ => name,
        })
    }

    /// A row of this name in one version: which kind of row, `of` says for all versions.
    fn variant(&mut self, of: &Kind, name: &str, known: &[String]) -> Result<String> {
        let mut rows = String::new();
        let row = match of {
            Kind::Number => {
                let all = ["u8", "u16", "u32", "i8", "i16", "u24", "u16be", "i32le"];
                let cell = (*self.u.choose(&all)?).to_owned();
                format!("{cell} {name}")
            }
            Kind::Any => format!("{} {name}", self.element()?),
            Kind::List(element) => {
                let kind = self.u.int_in_range(0..=6)?;
                let length = self.length(known, &mut rows)?;
                match kind {
                    0 => format!("*{element} {name} count={length}"),
                    1 => format!("{element} {name} count=fill size={length}"),
                    2 => format!("{element} {name} count={length} stride=4"),
                    3 => format!("{element}* {name} count={length}"),
                    _ => format!("{element} {name} count={length}"),
                }
            }
            Kind::One(element) => match self.u.int_in_range(0..=3)? {
                0 => format!("*{element} {name}"),
                1 => {
                    let size = self.length(known, &mut rows)?;
                    format!("{element} {name} size={size}")
                }
                _ => format!("{element} {name}"),
            },
            Kind::Perhaps(element) => format!("*?{element} {name}"),
            Kind::Placed(element, at) => match self.u.int_in_range(0..=2)? {
                0 => {
                    let length = self.length(known, &mut rows)?;
                    format!("object {element} {name} count={length} {at}")
                }
                _ => format!("object {element} {name} count=2 {at}"),
            },
            Kind::Data(ty) => {
                let kind = self.u.int_in_range(0..=5)?;
                let length = self.length(known, &mut rows)?;
                match kind {
                    0 => format!("{ty} {name} terminator=nul"),
                    1 => format!("{ty} {name} size={length} strip=\"20\""),
                    2 => format!("{ty} {name} size={length} terminator=nul"),
                    3 => format!("*{ty} {name} size={length}"),
                    4 if *ty == "text" => format!("text {name} size={length} encoding=latin1"),
                    _ => format!("{ty} {name} size={length}"),
                }
            }
        };
        Ok(rows + &row)
    }

    /// A kind of row.
    fn kind(&mut self) -> Result<Kind> {
        Ok(match self.u.int_in_range(0..=9)? {
            0 | 1 => Kind::Number,
            2 => Kind::Any,
            3..=5 => Kind::List(self.element()?),
            6 => Kind::One(self.element()?),
            7 => {
                let (offset, element) = (self.name("o"), self.element()?);
                let _ = writeln!(self.text, "        u8 {offset}");
                let at = self.u.choose(&["", "2 * ", "1 + "])?;
                Kind::Placed(element, format!("at=\"{at}{offset}\""))
            }
            8 => Kind::Perhaps(self.element()?),
            _ => Kind::Data(self.u.choose(&["bytes", "text"])?),
        })
    }

    /// Numbers that rows of several versions follow from.
    fn shared(&mut self) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for _ in 0..self.u.int_in_range(0..=2)? {
            let name = self.name("n");
            let cell = self.u.choose(&["u8", "u16", "u8", "i8"])?;
            let rule = self.u.choose(&["", "", "", " none=9", " max=90"])?;
            let _ = writeln!(self.text, "        {cell} {name}{rule}");
            if rule.is_empty() && self.u.ratio(1, 2)? {
                self.numbers.push(name.clone());
            }
            names.push(name);
        }
        Ok(names)
    }

    /// Such a row, and whatever stands in front of it; the last line is given back.
    pub(super) fn versioned(&mut self, kind: u32, name: &str) -> Result<String> {
        Ok(match kind {
            // One row, of another type in each version.
            0..=3 => {
                let (of, known) = (self.kind()?, self.shared()?);
                let condition = self.epochs()?;
                let one = self.variant(&of, name, &known)?;
                let two = self.variant(&of, name, &known)?;
                match &of {
                    Kind::Number => self.numbers.push(name.to_owned()),
                    Kind::List(element) => self.lists.push((name.to_owned(), element.clone())),
                    _ => {}
                }
                format!("when \"{condition}\" {{ {one} }}\n        else {{ {two} }}")
            }
            // Rows that begin or end with a version, some of which have the same name.
            4..=6 => {
                let (of, known) = (self.kind()?, self.shared()?);
                let parts = self.parted()?;
                let mut lines = Vec::new();
                for condition in parts {
                    let row = match self.u.ratio(1, 4)? {
                        true => {
                            let (other, of) = (self.name("r"), self.kind()?);
                            self.variant(&of, &other, &known)?
                        }
                        false => self.variant(&of, name, &known)?,
                    };
                    lines.push(format!("when \"{condition}\" {{ {row} }}"));
                }
                lines.join("\n        ")
            }
            // A number that only some versions have.
            7 | 8 => {
                let condition = self.epochs()?;
                self.numbers.push(format!("({name} ?? 3)"));
                let cell = self.u.choose(&["u8", "u16", "i8"])?;
                if self.u.ratio(1, 3)? {
                    let list = self.name("l");
                    let element = self.element()?;
                    let other = self.variant(&Kind::List(element.clone()), &list, &[])?;
                    self.lists.push((list.clone(), element.clone()));
                    format!(
                        "when \"{condition}\" {{ {cell} {name}; {element} {list} count={name} }}\n\
                         \x20       else {{ {other} }}"
                    )
                } else {
                    format!("when \"{condition}\" {{ {cell} {name} }}")
                }
            }
            // A rule, an equation or a default in some versions only.
            9 | 10 => {
                let (condition, expr) = (self.epochs()?, self.expr()?);
                match self.u.int_in_range(0..=2)? {
                    0 => format!("when \"{condition}\" {{ u16 {name} is=\"{expr}\" }}"),
                    1 => format!("when \"{condition}\" {{ i32 {name} usually=\"{expr}\" }}"),
                    _ => {
                        let check = self.condition()?;
                        format!("when \"{condition}\" {{ check \"{check} || ({expr}) > 1\" }}")
                    }
                }
            }
            // What a name means, by version.
            11 => {
                let condition = self.epochs()?;
                let (a, b) = (self.expr()?, self.expr()?);
                match self.u.ratio(2, 3)? {
                    true => {
                        self.numbers.push(name.to_owned());
                        let _ = writeln!(
                            self.text,
                            "        when \"{condition}\" {{ let {name} \"{a}\" }}\n        else {{ let \
                             {name} \"{b}\" }}"
                        );
                    }
                    false => {
                        self.numbers.push(format!("({name} ?? 2)"));
                        let _ = writeln!(
                            self.text,
                            "        when \"{condition}\" {{ let {name} \"{a}\" }}"
                        );
                    }
                }
                let row = self.name("r");
                format!("u16 {row} is=\"{}\"", self.expr()?)
            }
            // An equation for a number of a struct inside, by version.
            12 => {
                let owner = self.name("Q");
                let cell = self.u.choose(&["u8", "u16"])?;
                let _ = writeln!(self.behind, "struct {owner} {{ u8 x; {cell} n is=owner }}\n");
                let _ = writeln!(self.text, "        {owner} {name}");
                let (condition, list) = (self.epochs()?, self.name("l"));
                let element = self.element()?;
                let (a, b) = (self.expr()?, self.expr()?);
                self.lists.push((list.clone(), element.clone()));
                match self.u.int_in_range(0..=2)? {
                    0 => format!(
                        "{element} {list} count=2\n        when \"{condition}\" {{ derive {name}.n \
                         is=\"{a}\" }}\n        else {{ derive {name}.n is=\"{b}\" }}"
                    ),
                    1 => format!(
                        "when \"{condition}\" {{ {element} {list} count={name}.n }}\n        else {{ \
                         {element} {list} count=1 }}\n        derive {name}.n is=\"{condition} ? {a} : \
                         {b}\""
                    ),
                    _ => format!(
                        "when \"{condition}\" {{ {element} {list} count={name}.n }}\n        else {{ \
                         {element} {list} count=\"{name}.n + 1\" }}"
                    ),
                }
            }
            // A choice whose cases begin and end with versions.
            13 | 14 => {
                let tag = self.name("k");
                let cell = self.u.choose(&["u8", "u16"])?;
                let mut cases = String::new();
                for (number, condition) in self.parted()?.into_iter().enumerate() {
                    let (row, element) = (self.name("r"), self.element()?);
                    let label = if self.u.arbitrary()? { 7 } else { number };
                    let _ = writeln!(
                        cases,
                        "            case c{number} {label} when=\"{condition}\" {{ {element} {row} }}"
                    );
                }
                if self.u.ratio(1, 2)? {
                    let of = self.kind()?;
                    let condition = self.epochs()?;
                    let row = self.name("r");
                    let one = self.variant(&of, &row, &[])?;
                    let two = self.variant(&of, &row, &[])?;
                    let _ = writeln!(
                        cases,
                        "            case more 9 {{\n                when \"{condition}\" {{ {one} \
                         }}\n                else {{ {two} }}\n            }}"
                    );
                }
                match self.u.ratio(1, 3)? {
                    true => format!("union {name} tag={cell} {{\n{cases}        }}"),
                    false => {
                        let _ = writeln!(self.text, "        {cell} {tag}");
                        let row = format!("union {name} on={tag} {{\n{cases}        }}");
                        match self.u.ratio(1, 3)? {
                            true => format!("when \"{}\" {{ {row} }}", self.epochs()?),
                            false => row,
                        }
                    }
                }
            }
            // Rows that are there by the data in some versions.
            15 => {
                let (versions, data) = (self.epochs()?, self.condition()?);
                let (a, b) = (self.element()?, self.element()?);
                let other = self.name("r");
                match self.u.int_in_range(0..=2)? {
                    0 => format!("when \"{versions}\" {{ when \"{data}\" {{ {a} {name} }} }}"),
                    1 => format!(
                        "when \"{data}\" {{\n            when \"{versions}\" {{ {a} {name} }}\n\
                         \x20           else {{ {b} {other} }}\n        }}"
                    ),
                    _ => format!(
                        "when \"{versions}\" {{ {a} {name} }}\n        else {{ when \"{data}\" {{ {b} \
                         {other} }} }}"
                    ),
                }
            }
            // A list that ends in another way.
            16 => {
                let (condition, known) = (self.epochs()?, self.shared()?);
                let element = self.u.choose(&["u8", "u16", "i8"])?.to_string();
                let row = self.variant(&Kind::List(element.clone()), name, &known)?;
                self.lists.push((name.to_owned(), element.clone()));
                let other = match self.u.ratio(1, 2)? {
                    true => format!("{element} {name} last=\"it == 0\""),
                    false => format!("{element} {name} last=\"it > 9\""),
                };
                format!("when \"{condition}\" {{ {row} }}\n        else {{ {other} }}")
            }
            // References of some versions, to lists of some versions.
            17 if !self.lists.is_empty() => {
                let (condition, list) = (self.epochs()?, self.u.choose(&self.lists)?.0.clone());
                match self.u.int_in_range(0..=2)? {
                    0 => format!("when \"{condition}\" {{ u8 {name} ref={list} none=0xff }}"),
                    1 => format!(
                        "when \"{condition}\" {{ u8 {name} ref={list} }}\n        else {{ u16 {name} \
                         ref={list} }}"
                    ),
                    _ => {
                        let own = self.name("l");
                        let count = self.count()?;
                        format!(
                            "when \"{condition}\" {{ u16 {own} count={count}; u8 {name} ref={own} \
                             none=0xff }}"
                        )
                    }
                }
            }
            // Fixed rows of some versions.
            18 => {
                let condition = self.epochs()?;
                let all = ["magic \"A\"", "zero size=2", "reserved size=1", "const u8 is=7"];
                let (a, b) = (self.u.choose(&all[..3])?, self.u.choose(&all[..3])?);
                format!("when \"{condition}\" {{ {a} }}\n        else {{ {b} }}")
            }
            // Two rows in a version, and the same in another one.
            19 => {
                let (condition, known) = (self.epochs()?, self.shared()?);
                let (of, with) = (self.kind()?, self.kind()?);
                let other = self.name("r");
                let (a, b) =
                    (self.variant(&of, name, &known)?, self.variant(&with, &other, &known)?);
                let (c, d) =
                    (self.variant(&of, name, &known)?, self.variant(&with, &other, &known)?);
                format!("when \"{condition}\" {{ {a}; {b} }}\n        else {{ {c}; {d} }}")
            }
            // What is placed in another order.
            20 => self.laid_by_version(name)?,
            _ => {
                // An end that is said in another way.
                let (condition, known) = (self.epochs()?, self.shared()?);
                let mut rows = String::new();
                let size = self.length(&known, &mut rows)?;
                let end = self.name("e");
                let element = self.element()?;
                format!(
                    "when \"{condition}\" {{ {rows}{element} {name} count=fill size={size} }}\n        \
                     else {{ u8 {end}; {element} {name} count=fill end={end} }}"
                )
            }
        })
    }

    /// A struct of pointers, which versions place in another order.
    fn laid_by_version(&mut self, name: &str) -> Result<String> {
        let (a, b, c) = (self.element()?, self.element()?, self.element()?);
        let condition = self.epochs()?;
        let other = self.epochs()?;
        let owner = self.name("L");
        let (third, put) = match self.u.ratio(1, 2)? {
            true => (
                format!("when \"{other}\" {{ *{c} third count=many }}"),
                format!("when \"{other}\" {{ put third }}"),
            ),
            false => (format!("*{c} third count=many"), "put third".to_owned()),
        };
        let layout = match self.u.int_in_range(0..=4)? {
            0 => format!(
                "self; {put}; when \"{condition}\" {{ put first; put second }}; else {{ put second; put \
                 first }}"
            ),
            1 => format!(
                "self; when \"{condition}\" {{ put first }}; put second; {put}; when \
                 \"!({condition})\" {{ put first }}"
            ),
            2 => format!("self; when \"{condition}\" {{ align 4 }}; put first second; {put}"),
            3 => format!(
                "self; when \"{condition}\" {{ put first align=4 }}; else {{ zero 2; put first }}; put \
                 second; {put}"
            ),
            _ => format!(
                "self; put second; pass later {{ {put}; when \"{condition}\" {{ align 2 }}; else {{ zero 1 \
                 }}; put first }}"
            ),
        };
        let later = layout.contains("pass later");
        let _ = writeln!(
            self.behind,
            "struct {owner} {{\n    u8 many\n    *{a} first\n    *?{b} second\n    {third}\n    layout {{ \
             {layout} }}\n}}\n"
        );
        if !later {
            return Ok(format!("{owner} {name}"));
        }
        let around = self.name("L");
        let _ = writeln!(
            self.behind,
            "struct {around} {{\n    {owner} inner\n    layout {{ self; when \"{other}\" {{ tail inner; run \
             later inner }}; else {{ tail inner; align 4; run later inner }} }}\n}}\n"
        );
        Ok(format!("{around} {name}"))
    }

    /// A type that is another one in each version.
    pub(super) fn alias(&mut self) -> Result<()> {
        let name = self.name("A");
        let condition = self.epochs()?;
        let numbers = ["u8", "u16", "u32", "i8", "i16", "u16be"];
        let (mut a, mut b) =
            ((*self.u.choose(&numbers)?).to_owned(), (*self.u.choose(&numbers)?).to_owned());
        if self.u.ratio(1, 3)? {
            a = self.element()?;
            b = self.element()?;
        }
        let middle = match self.u.ratio(1, 4)? {
            true => format!("when \"{}\" {}; ", self.epochs()?, self.u.choose(&numbers)?),
            false => String::new(),
        };
        let _ =
            writeln!(self.text, "type {name} {{ when \"{condition}\" {a}; {middle}else {b} }}\n");
        self.cells.push(name);
        Ok(())
    }
}

/// What a row is in all versions that have it.
enum Kind {
    Number,
    Any,
    List(String),
    One(String),
    Perhaps(String),
    /// The second part says where.
    Placed(String, String),
    Data(&'static str),
}
