//! Values as text, for people and for comparing: [`print()`] and [`parse`].
//!
//! ```text
//! {
//!     count: 3,                        # integers
//!     ratio: f32(1.5),                 # floats; f32(0x7fc00001) where the number does not say all
//!     name: "a\n",                     # texts
//!     data: hex(01 02),                # bytes
//!     odd: utf16(d800 0041),           # units that are no text
//!     there: true,  absent: none,
//!     list: [1, 2],
//!     choice: circle { radius: 2 },    # a case and its rows
//!     size: 3 ~[width value = 5 instead of 1],
//!     ~number total = 7 instead of 3,  # the struct was spelled in an unusual way
//! }
//! ```

use formwork_interpreter::{Kept, KeptKind, StructValue, UnionValue, Value};

/// Width that a list or struct may have to stand in one line.
const LINE: usize = 88;

/// The value as text, with a line break at the end.
#[must_use]
pub fn print(value: &Value) -> String {
    let mut text = String::new();
    show(value, 0, &mut text);
    text.push('\n');
    text
}

/// The value as text in one line.
#[must_use]
pub fn line(value: &Value) -> String {
    match value {
        Value::Int(number) => number.to_string(),
        Value::Float { bits, bytes } => float(*bits, *bytes),
        Value::Bool(flag) => flag.to_string(),
        Value::Text(text) => quote(text),
        Value::Bytes(bytes) => {
            let hex: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("hex({})", hex.join(" "))
        }
        Value::Units(units) => {
            let hex: Vec<_> = units.iter().map(|unit| format!("{unit:04x}")).collect();
            format!("utf16({})", hex.join(" "))
        }
        Value::None => "none".to_owned(),
        Value::Array(elements) => {
            let parts: Vec<_> = elements.iter().map(line).collect();
            format!("[{}]", parts.join(", "))
        }
        Value::Struct(value) => struct_line(value),
        Value::Union(union) => format!("{} {}", union.case, struct_line(&union.value)),
        Value::Spelled(inner, kept) => {
            let parts: Vec<_> = kept.iter().map(kept_line).collect();
            format!("{} ~[{}]", line(inner), parts.join(", "))
        }
    }
}

fn float(bits: u64, bytes: u8) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "the low bits are the float")]
    let single = f32::from_bits(bits as u32);
    match bytes {
        4 if single.is_finite() => format!("f32({single:?})"),
        4 => format!("f32(0x{bits:08x})"),
        _ if f64::from_bits(bits).is_finite() => format!("f64({:?})", f64::from_bits(bits)),
        _ => format!("f64(0x{bits:016x})"),
    }
}

fn quote(text: &str) -> String {
    let mut quoted = String::from('"');
    for char in text.chars() {
        match char {
            '"' | '\\' => quoted.extend(['\\', char]),
            '\n' => quoted.push_str("\\n"),
            _ if char.is_control() => quoted.push_str(&format!("\\u{{{:x}}}", char as u32)),
            _ => quoted.push(char),
        }
    }
    quoted.push('"');
    quoted
}

fn kept_line(kept: &Kept) -> String {
    let (stored, canonical) = (line(&kept.stored), line(&kept.instead_of));
    let row = if kept.row.is_empty() { "-" } else { &kept.row };
    format!("{} {row} = {stored} instead of {canonical}", kept.kind.name())
}

fn struct_line(value: &StructValue) -> String {
    let fields = value.fields.iter().map(|(name, value)| format!("{name}: {}", line(value)));
    let kept = value.kept.iter().map(|kept| format!("~{}", kept_line(kept)));
    let parts: Vec<_> = fields.chain(kept).collect();
    if parts.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", parts.join(", ")) }
}

/// Writes a value whose first line is indented already, `depth` levels deep.
fn show(value: &Value, depth: usize, text: &mut String) {
    let column = text.len() - text.rfind('\n').map_or(0, |at| at + 1);
    let short = line(value);
    if column + short.len() < LINE || !has_parts(value) {
        text.push_str(&short);
        return;
    }
    let indent = |text: &mut String, depth: usize| {
        text.push('\n');
        text.push_str(&"    ".repeat(depth));
    };
    match value {
        Value::Array(elements) => {
            text.push('[');
            for element in elements {
                indent(text, depth + 1);
                show(element, depth + 1, text);
                text.push(',');
            }
            indent(text, depth);
            text.push(']');
        }
        Value::Union(union) => {
            text.push_str(&union.case);
            text.push(' ');
            show_struct(&union.value, depth, text);
        }
        Value::Struct(value) => show_struct(value, depth, text),
        Value::Spelled(inner, kept) => {
            show(inner, depth, text);
            let parts: Vec<_> = kept.iter().map(kept_line).collect();
            text.push_str(&format!(" ~[{}]", parts.join(", ")));
        }
        _ => text.push_str(&short),
    }
}

fn has_parts(value: &Value) -> bool {
    match value {
        Value::Spelled(inner, _) => has_parts(inner),
        Value::Array(_) | Value::Struct(_) | Value::Union(_) => true,
        _ => false,
    }
}

fn show_struct(value: &StructValue, depth: usize, text: &mut String) {
    let indent = "    ".repeat(depth + 1);
    text.push_str("{\n");
    for (name, value) in &value.fields {
        text.push_str(&format!("{indent}{name}: "));
        show(value, depth + 1, text);
        text.push_str(",\n");
    }
    for kept in &value.kept {
        text.push_str(&format!("{indent}~{},\n", kept_line(kept)));
    }
    text.push_str(&"    ".repeat(depth));
    text.push('}');
}

/// The first place where two values differ in meaning: its path and what each has there.
#[must_use]
pub fn difference(a: &Value, b: &Value) -> Option<String> {
    find_difference(a, b, "")
}

fn find_difference(a: &Value, b: &Value, path: &str) -> Option<String> {
    let differ = || {
        let path = if path.is_empty() { "file" } else { path };
        Some(format!("{path}: {} and {}", clipped(a), clipped(b)))
    };
    match (a, b) {
        _ if a == b => None,
        (Value::Spelled(a, _), b) => find_difference(a, b, path),
        (a, Value::Spelled(b, _)) => find_difference(a, b, path),
        (Value::Array(x), Value::Array(y)) if x.len() == y.len() => {
            let mut pairs = x.iter().zip(y).enumerate();
            pairs.find_map(|(i, (a, b))| find_difference(a, b, &format!("{path}[{i}]")))
        }
        (Value::Struct(x), Value::Struct(y)) if same_names(x, y) => fields(x, y, path),
        (Value::Union(x), Value::Union(y))
            if x.case == y.case && same_names(&x.value, &y.value) =>
        {
            fields(&x.value, &y.value, path)
        }
        _ => differ(),
    }
}

fn same_names(a: &StructValue, b: &StructValue) -> bool {
    a.fields.iter().map(|(name, _)| name).eq(b.fields.iter().map(|(name, _)| name))
}

fn fields(a: &StructValue, b: &StructValue, path: &str) -> Option<String> {
    let dot = if path.is_empty() { "" } else { "." };
    let mut pairs = a.fields.iter().zip(&b.fields);
    pairs.find_map(|((name, a), (_, b))| find_difference(a, b, &format!("{path}{dot}{name}")))
}

fn clipped(value: &Value) -> String {
    let text = line(value);
    match text.char_indices().nth(120) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text,
    }
}

/// Reads what [`print()`] writes.
///
/// # Errors
///
/// What is expected, and the text from there on.
pub fn parse(text: &str) -> Result<Value, String> {
    let mut parser = Parser { rest: text };
    let value = parser.value()?;
    parser.skip();
    if parser.rest.is_empty() { Ok(value) } else { Err(parser.expected("the end")) }
}

/// Reads the value at the start of the text, and gives what follows it too.
///
/// # Errors
///
/// As [`parse`].
pub fn parse_prefix(text: &str) -> Result<(Value, &str), String> {
    let mut parser = Parser { rest: text };
    let value = parser.value()?;
    Ok((value, parser.rest))
}

struct Parser<'a> {
    rest: &'a str,
}

impl<'a> Parser<'a> {
    fn expected(&self, what: &str) -> String {
        let shown: String = self.rest.chars().take(40).collect();
        format!("{what} expected at `{shown}`")
    }

    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
        while self.rest.starts_with('#') {
            let end = self.rest.find('\n').unwrap_or(self.rest.len());
            self.rest = self.rest[end..].trim_start();
        }
    }

    fn take(&mut self, token: &str) -> bool {
        self.skip();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn need(&mut self, token: &str) -> Result<(), String> {
        if self.take(token) { Ok(()) } else { Err(self.expected(&format!("`{token}`"))) }
    }

    fn word(&mut self) -> &'a str {
        self.skip();
        let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        let end = self.rest.find(|c| !part(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn value(&mut self) -> Result<Value, String> {
        let mut value = self.plain()?;
        // Structs that stand for their only row, one in another: the innermost comes first.
        while self.take("~[") {
            let mut kept = Vec::new();
            while !self.take("]") {
                kept.push(self.kept()?);
                self.take(",");
            }
            value = Value::Spelled(Box::new(value), kept);
        }
        Ok(value)
    }

    fn plain(&mut self) -> Result<Value, String> {
        self.skip();
        if self.rest.starts_with('"') {
            return self.text().map(Value::Text);
        }
        if self.take("[") {
            let mut elements = Vec::new();
            while !self.take("]") {
                elements.push(self.value()?);
                self.take(",");
            }
            return Ok(Value::Array(elements));
        }
        if self.take("{") {
            return self.fields().map(Value::Struct);
        }
        let before = self.rest;
        let word = self.word();
        if !word.is_empty() && self.take("{") {
            let value = self.fields()?;
            return Ok(Value::Union(Box::new(UnionValue { case: word.to_owned(), value })));
        }
        match word {
            "none" => return Ok(Value::None),
            "true" => return Ok(Value::Bool(true)),
            "false" => return Ok(Value::Bool(false)),
            _ => {}
        }
        if let Some(number) = integer(word) {
            return Ok(Value::Int(number));
        }
        if self.take("(") {
            let end = self.rest.find(')').ok_or_else(|| self.expected("`)`"))?;
            let inner = self.rest[..end].trim();
            self.rest = &self.rest[end + 1..];
            return inside(word, inner).ok_or_else(|| format!("bad `{word}({inner})`"));
        }
        self.rest = before;
        Err(self.expected("a value"))
    }

    fn fields(&mut self) -> Result<StructValue, String> {
        let mut value = StructValue::default();
        while !self.take("}") {
            if self.take("~") {
                value.kept.push(self.kept()?);
            } else {
                let name = self.word().to_owned();
                self.need(":")?;
                value.fields.push((name, self.value()?));
            }
            self.take(",");
        }
        Ok(value)
    }

    fn kept(&mut self) -> Result<Kept, String> {
        let word = self.word();
        let kind = KeptKind::ALL.into_iter().find(|kind| kind.name() == word);
        let kind = kind.ok_or_else(|| format!("`{word}` is no kind of spelling"))?;
        // Rows without a name are numbered: `#3`.
        self.rest = self.rest.trim_start();
        let end = self.rest.find(char::is_whitespace).unwrap_or(self.rest.len());
        let (row, rest) = self.rest.split_at(end);
        let row = if row == "-" { String::new() } else { row.to_owned() };
        self.rest = rest;
        self.need("=")?;
        let stored = self.value()?;
        self.need("instead")?;
        self.need("of")?;
        Ok(Kept { row, kind, stored, instead_of: self.value()? })
    }

    fn text(&mut self) -> Result<String, String> {
        let mut text = String::new();
        let mut chars = self.rest.char_indices().skip(1);
        while let Some((at, char)) = chars.next() {
            match char {
                '"' => {
                    self.rest = &self.rest[at + 1..];
                    return Ok(text);
                }
                '\\' => match chars.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 'u')) => {
                        let digits: String =
                            chars.by_ref().skip(1).map(|c| c.1).take_while(|c| *c != '}').collect();
                        let number = u32::from_str_radix(&digits, 16).ok();
                        text.extend(number.and_then(char::from_u32));
                    }
                    Some((_, char)) => text.push(char),
                    None => break,
                },
                _ => text.push(char),
            }
        }
        Err(self.expected("a text with a quote at its end"))
    }
}

fn integer(word: &str) -> Option<i128> {
    match word.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    }
}

fn inside(word: &str, inner: &str) -> Option<Value> {
    let units = || inner.split_whitespace();
    Some(match word {
        "hex" => {
            let bytes = units().map(|digits| u8::from_str_radix(digits, 16).ok());
            Value::Bytes(bytes.collect::<Option<_>>()?)
        }
        "utf16" => {
            let units = units().map(|digits| u16::from_str_radix(digits, 16).ok());
            Value::Units(units.collect::<Option<_>>()?)
        }
        "f32" => {
            let bits = match inner.strip_prefix("0x") {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => inner.parse::<f32>().ok()?.to_bits(),
            };
            Value::Float { bits: bits.into(), bytes: 4 }
        }
        "f64" => {
            let bits = match inner.strip_prefix("0x") {
                Some(digits) => u64::from_str_radix(digits, 16).ok()?,
                None => inner.parse::<f64>().ok()?.to_bits(),
            };
            Value::Float { bits, bytes: 8 }
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{difference, parse, print};

    #[test]
    fn what_is_printed_can_be_parsed() {
        let text = r#"
            { a: -3, b: f32(1.5), c: f32(0x7fc00001), d: f64(-0.0), e: "q\"\\\n\u{1}é",
              f: hex(), g: hex(01 ff), h: utf16(d800 0041), i: [true, false, none, []],
              j: circle { radius: 2, ~reserved - = hex(01) instead of none },
              k: 3 ~[width value = 5 instead of 1, tail value = hex(aa) instead of none],
              l: [{ name: "some text that is long enough" }, { name: "to need a line of its own" }],
              ~number total = 7 instead of 3 }
        "#;
        let value = parse(text).unwrap();
        let printed = print(&value);
        assert!(parse(&printed).unwrap().same_spelling(&value), "{printed}");
        assert_eq!(print(&parse(&printed).unwrap()), printed);
    }

    #[test]
    fn differences_have_a_path() {
        let check = |a: &str, b: &str| difference(&parse(a).unwrap(), &parse(b).unwrap());
        assert_eq!(check("{ a: 1 }", "{ a: 1, ~number b = 1 instead of 2 }"), None);
        let found = check("{ a: [x { n: 1 }] }", "{ a: [x { n: 2 }] }");
        assert_eq!(found.as_deref(), Some("a[0].n: 1 and 2"));
        let found = check("{ a: [1] }", "{ a: [1, 2] }");
        assert_eq!(found.as_deref(), Some("a: [1] and [1, 2]"));
    }
}
