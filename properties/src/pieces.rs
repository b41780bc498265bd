//! Schemas that are put together of valid pieces, and files of them.
//!
//! Texts that a fuzzer makes of letters seldom get past the parser; these nearly always become
//! models, and so try what comes behind: checks, the generators, the interpreter on bytes.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::rc::Rc;

use arbitrary::{Result, Unstructured};
use formwork::{Problem, ProblemKind, ReadOptions};
use formwork_codegen::diagnostic::render;
use formwork_codegen::{load, markdown, print, rust};
use formwork_interpreter::{Program, Value, program, read, write};

use crate::edit;
use crate::laws::{self, Broken};
use crate::property::Outcome;
use crate::text::Shipped;

/// Structs of a schema, besides the one of the file.
const STRUCTS: usize = 4;

/// Rows of a struct.
const ROWS: usize = 6;

/// Files that are tried with a schema.
const FILES: usize = 4;

/// Schemas that are remembered, some 100 kB each.
const REMEMBERED: usize = 2000;

/// Bytes that say which field of a file is changed, and how.
const CHOICE: usize = 16;

/// Makes a schema of the input, loads it, and reads what is left of the input as files of it, each
/// with its first bytes as the schema wants them. [`Outcome::Held`] if a file was read.
///
/// # Errors
///
/// If the front end does not know pieces that are valid, or what is read is not written as the same
/// bytes.
pub fn check(input: &[u8]) -> std::result::Result<Outcome, Broken> {
    tried(input, &mut |_, _| {})
}

/// A schema, and files of it that are read and written.
#[derive(Debug, Clone, Default)]
pub struct Made {
    /// The schema, a module named `pieces`.
    pub schema: String,
    /// The bytes of each file.
    pub files: Vec<Vec<u8>>,
}

/// What an input makes, for other tests: nothing unless [`check`] holds and some file was read.
#[must_use]
pub fn made(input: &[u8]) -> Option<Made> {
    let mut made = Made::default();
    let outcome = tried(input, &mut |text, bytes| {
        text.clone_into(&mut made.schema);
        made.files.push(bytes.to_vec());
    });
    matches!(outcome, Ok(Outcome::Held)).then_some(made)
}

/// Does what [`check`] says, and hands on each file that holds, with its schema.
fn tried(input: &[u8], held: &mut dyn FnMut(&str, &[u8])) -> std::result::Result<Outcome, Broken> {
    let mut u = Unstructured::new(input);
    let Ok(text) = schema(&mut u) else { return Ok(Outcome::Refused) };
    let Some(program) = prepared(&text)? else { return Ok(Outcome::Refused) };
    let mut outcome = Outcome::Refused;
    for _ in 0..FILES {
        let Ok(bytes) = file(&mut u) else { break };
        let choice: [u8; CHOICE] = u.arbitrary().unwrap_or_default();
        let result = law(&program, &bytes, &choice).map_err(|broken| match broken {
            Broken::Changed(what) => Broken::Changed(format!("{what}, in\n{text}\n{bytes:02x?}")),
            other => Broken::Schema(format!("{other}, in\n{text}\n{bytes:02x?}")),
        })?;
        if result == Outcome::Held {
            outcome = Outcome::Held;
            held(&text, &bytes);
        }
    }
    Ok(outcome)
}

/// A schema, prepared; nothing if it is refused. What a text comes to is remembered for a while: most
/// inputs are changed copies of others, and share the schema as often as not, of which parsing alone
/// takes longer than all that is done with its files.
fn prepared(text: &str) -> std::result::Result<Option<Rc<Program>>, Broken> {
    /// Schemas by their text.
    type Known = BTreeMap<String, Option<Rc<Program>>>;
    thread_local! {
        static KNOWN: RefCell<Known> = const { RefCell::new(BTreeMap::new()) };
    }
    if let Some(known) = KNOWN.with_borrow(|known| known.get(text).cloned()) {
        return Ok(known);
    }
    let program = loaded(text)?.map(Rc::new);
    KNOWN.with_borrow_mut(|known| {
        if known.len() == REMEMBERED {
            known.clear();
        }
        known.insert(text.to_owned(), program.clone());
    });
    Ok(program)
}

/// Loads a schema, and lets everything say something about it that works on a model alone.
fn loaded(text: &str) -> std::result::Result<Option<Program>, Broken> {
    let loaded = load("pieces.kdl", text, None, &Shipped);
    let Some(model) = loaded.model else {
        // Pieces that do not go together, such as two that want the same bytes, are refused; but
        // each of them is known.
        let shown = render(&loaded.diagnostics, &loaded.sources, false);
        let is_syntax = |code: &str| code.starts_with("E00") || code.starts_with("E01");
        if loaded.diagnostics.all().iter().any(|diagnostic| is_syntax(diagnostic.code)) {
            return Err(Broken::Schema(format!("{text}\n{shown}")));
        }
        return Ok(None);
    };
    if print::model_text(&model).is_empty() || markdown::emit(&model).is_empty() {
        return Err(Broken::Schema(format!("nothing is said of\n{text}")));
    }
    // Generated code is compiled by other tests; here it only has to be Rust.
    if is_generated(text) && rust::check(&model).is_empty() {
        let options = rust::Options { serde: true, arbitrary: true, arena: false };
        if rust::emit(&model, &options).is_empty() {
            return Err(Broken::Schema(format!("no code is made of\n{text}")));
        }
    }
    Ok(Some(program(model)))
}

/// Whether code is generated for a schema, which takes some hundred times as long as all else: for
/// one text of 256. The input is not asked, because it says the same each time once it is used up.
fn is_generated(text: &str) -> bool {
    let mix = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    text.bytes().fold(0x811c_9dc5, mix) >> 24 == 0
}

/// What is read is written as the same bytes, and without what is kept about them as a file with the
/// same value; so is a value in which `choice` changed a field, if it is written at all.
fn law(program: &Program, bytes: &[u8], choice: &[u8]) -> std::result::Result<Outcome, Broken> {
    let value = laws::total(program, bytes)?;
    let lenient = ReadOptions::default().lenient(true);
    let Ok(read_leniently) = read(program, bytes, &lenient).map(|document| document.value()) else {
        return if value.is_ok() {
            Err(Broken::Schema("only the strict reader accepts".to_owned()))
        } else {
            Ok(Outcome::Refused)
        };
    };
    identical(program, bytes, &read_leniently)?;
    let Ok(value) = value else { return Ok(Outcome::Refused) };
    identical(program, bytes, &value)?;
    match laws::canonical(program, &value) {
        // What shares bytes in a file gets bytes of its own, for which a pointer may be too narrow.
        Err(Broken::Refused(error)) if error.problems().iter().all(|p| is_beyond(p, bytes)) => {}
        other => other?,
    }
    edit::check(program, choice, bytes, &lenient)?;
    Ok(Outcome::Held)
}

fn identical(program: &Program, bytes: &[u8], value: &Value) -> std::result::Result<(), Broken> {
    let written = write(program, value).map_err(Broken::Refused)?;
    laws::first_difference(bytes, &written).map_or(Ok(()), |found| Err(Broken::Rewritten(found)))
}

/// Whether a number does not fit that is larger than any address or count in a file.
fn is_beyond(problem: &Problem, file: &[u8]) -> bool {
    let ProblemKind::DoesNotFit { value, .. } = &problem.kind else { return false };
    // In front of it may stand the row that has it.
    let number = value.rsplit(' ').next().unwrap_or_default();
    number.parse::<i128>().is_ok_and(|value| value > file.len() as i128)
}

/// Bytes of which many are small, so that counts and offsets lead somewhere.
fn file(u: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    if u.is_empty() {
        return Err(arbitrary::Error::NotEnoughData);
    }
    let size = u.int_in_range(0..=96)?;
    let mut bytes = Vec::new();
    for _ in 0..size {
        let byte: u8 = u.arbitrary()?;
        bytes.push(match byte {
            0x00..=0x7f => byte,
            0x80..=0xbf => byte % 4,
            0xc0..=0xdf => 0,
            _ => byte,
        });
    }
    Ok(bytes)
}

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
    /// Of the struct that is being written: its name, its rows, and those of them that are lists.
    this: String,
    rows: Vec<String>,
    lists: Vec<String>,
    /// Whether there is a pool of texts.
    pool: bool,
}

fn schema(u: &mut Unstructured<'_>) -> Result<String> {
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
        pool: false,
    };
    maker.schema()?;
    Ok(maker.text)
}

impl Maker<'_, '_> {
    fn schema(&mut self) -> Result<()> {
        let endian = self.u.choose(&["little", "big"])?;
        let none = if self.u.arbitrary()? { " none=0" } else { "" };
        let cell = self.u.choose(&["u8", "u16", "u32"])?;
        let align = self.u.choose(&["", " align=2", " align=4"])?;
        let gaps = if self.u.ratio(1, 4)? { " gaps=kept" } else { "" };
        let _ = writeln!(self.text, "module pieces \"Pieces\" root=File endian={endian}{gaps}\n");
        let _ = writeln!(self.text, "pointer * {cell}{none}{align}\n");
        self.pool = self.u.ratio(1, 6)?;
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
        for _ in 0..self.u.int_in_range(0..=STRUCTS)? {
            if self.u.ratio(1, 4)? {
                self.union()?;
            } else {
                let name = self.name("S");
                self.structure(&name)?;
                self.structs.push(name);
            }
        }
        self.structure("File")?;
        if self.pool {
            let order = self.u.choose(&["bytes", "first-use", "depth-first"])?;
            let members = self.u.choose(&["used", "kept"])?;
            let _ = writeln!(
                self.text,
                "struct Pool {{ u8 count; pool texts of=Text count=count {{ members {members}; \
                 order {order} }} }}"
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
        let line = match self.u.int_in_range(0..=3)? {
            0 => {
                let order = self.u.choose(&["msb-first bytes=5", "lsb-first bytes=5"])?;
                let usually = self.u.choose(&["", " usually=shortest"])?;
                format!("varint {name} u32 order={order}{usually}")
            }
            1 => {
                let length = self.u.choose(&["u8", "u16", "until-nul", "u8 end=nul"])?;
                let encoding = self.u.choose(&["", " encoding=utf8", " encoding=utf16"])?;
                format!("string {name} length={length}{encoding}")
            }
            2 => {
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
        let cell = self.u.choose(&["u8", "u16"])?;
        let _ = writeln!(self.text, "union {name} tag={cell} {{");
        for number in 0..self.u.int_in_range(1..=4)? {
            if self.u.ratio(1, 6)? {
                let (short, long) = (number + 40, number + 50);
                let _ = writeln!(
                    self.text,
                    "    case c{number} {{ form {short} {{ u8 value }}; form {long} {{ u16 value }} }}"
                );
                continue;
            }
            let _ = writeln!(self.text, "    case c{number} {number} {{");
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

    fn structure(&mut self, name: &str) -> Result<()> {
        if name != "File" && self.u.ratio(1, 6)? {
            let _ = writeln!(self.text, "struct {name} transparent {{");
            self.body(name, 1, 1)?;
        } else {
            let _ = writeln!(self.text, "struct {name} {{");
            self.body(name, 1, ROWS)?;
        }
        if self.pool && name == "File" {
            self.text
                .push_str("        u16 pool_offset\n        object Pool pool at=pool_offset\n");
        }
        self.text.push_str("}\n\n");
        Ok(())
    }

    /// The rows of a struct or case, so many.
    fn body(&mut self, name: &str, least: usize, most: usize) -> Result<()> {
        name.clone_into(&mut self.this);
        self.rows.clear();
        self.lists.clear();
        for _ in 0..self.u.int_in_range(least..=most)? {
            self.row()?;
        }
        Ok(())
    }

    /// A row, or two of which one says the length of the other.
    fn row(&mut self) -> Result<()> {
        let name = self.name("r");
        let line = match self.u.int_in_range(0..=29)? {
            0..=3 => format!("{} {name}{}", self.cell()?, self.rule()?),
            4 => format!("magic \"{}\"", self.u.choose(&["A", "PK", "abc"])?),
            5 => format!("zero size={}", self.u.int_in_range(1..=4)?),
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
                let count = self.count()?;
                self.lists.push(name.clone());
                format!("{} {name} count={count}", self.element()?)
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
                let encoding = self.u.choose(&["ascii", "utf8", "utf16"])?;
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
                format!("u8 {name} is=\"count({list})\"")
            }
            18 => {
                let size = self.count()?;
                format!("{} {name} size={size}", self.element()?)
            }
            19 => {
                let size = self.count()?;
                self.lists.push(name.clone());
                format!("{} {name} count=fill size={size}", self.element()?)
            }
            20 if !self.rows.is_empty() => {
                let row = self.u.choose(&self.rows)?;
                let what = self.u.choose(&["at", "end", "size"])?;
                let other = self.u.choose(&["", " ?? 7"])?;
                format!("u16 {name} is=\"{what}({row}){other}\"")
            }
            21 if !self.lists.is_empty() => {
                let list = self.u.choose(&self.lists)?;
                let none = self.u.choose(&["", " none=0xff", " plus=1 none=0"])?;
                let number = self.u.choose(&["u8", "u16", "i32", "u32", "u64"])?;
                format!("{number} {name} ref={list}{none}")
            }
            22 => format!("*?{} {name}", self.this),
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
                let list = self.u.choose(&self.lists)?.clone();
                format!("{} {name} of={list}", self.element()?)
            }
            _ => format!("{} {name}", self.element()?),
        };
        let _ = writeln!(self.text, "        {line}");
        self.rows.push(name);
        Ok(())
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
        let named: Vec<&String> = self.structs.iter().chain(&self.unions).collect();
        if !named.is_empty() && self.u.arbitrary()? {
            return self.u.choose(&named).map(|name| (*name).clone());
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seeds::Noise;

    /// Code is generated for about one of 256 schemas, however short the inputs are.
    #[test]
    fn code_is_generated_now_and_then() {
        let mut noise = Noise::new(6);
        for length in [24, 64, 400] {
            let mut generated = 0;
            for _ in 0..6400 {
                let bytes = noise.bytes(length);
                let text = schema(&mut Unstructured::new(&bytes)).expect("a schema is made");
                generated += u32::from(is_generated(&text));
            }
            assert!((12..=50).contains(&generated), "{generated} of 6400 with {length} bytes");
        }
    }

    #[test]
    fn numbers_beyond_the_file_may_not_fit() {
        let is_excused = |value: &str| {
            let kind = ProblemKind::DoesNotFit { value: value.into(), ty: "u8".into() };
            is_beyond(&Problem::new(formwork::path::Path::default(), kind), &[0; 15])
        };
        assert!(is_excused("264"));
        assert!(is_excused("its `o4` 270"));
        assert!(!is_excused("its `o4` 15"));
        assert!(!is_excused("something"));
    }

    /// Most schemas are valid: otherwise nothing is tried.
    #[test]
    fn most_pieces_go_together() {
        let (mut models, mut read) = (0, 0);
        let mut noise = Noise::new(4);
        for _ in 0..200 {
            let bytes = noise.bytes(400);
            let text = schema(&mut Unstructured::new(&bytes)).expect("there are enough bytes");
            models += u32::from(load("t.kdl", &text, None, &Shipped).model.is_some());
            match check(&bytes) {
                Ok(Outcome::Refused) => {}
                Ok(_) => read += 1,
                Err(broken) => panic!("{broken}"),
            }
        }
        assert!(models > 100, "{models} of 200 schemas have a model");
        assert!(read > 10, "files of {read} of 200 schemas are read");
    }
}
