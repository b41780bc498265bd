//! Bytes of test files, written down with labels: no offset is counted by hand.
//!
//! [`Bytes`] builds them in code, [`Bytes::parse`] from a text:
//!
//! ```text
//! "ABCD" 02 00        # text and hexadecimal bytes; a comment goes to the end of the line
//! &table:u32          # the offset of a label, as a little-endian number
//! &table-@start:u16   # how far a label is from another; `+2` or `-2` may follow
//! big 1:u16 little    # numbers, in the byte order said last
//! -1.5:f32 0*24       # floats, and 24 zero bytes
//! align:8             # zero bytes up to a multiple of 8
//! @table 0102*3       # a label, and two bytes three times
//! ```
//!
//! The label `end` is behind the last byte.

use std::collections::BTreeMap;

use formwork::Endian;

/// Bytes of a test file, with labels.
#[derive(Debug, Clone)]
pub struct Bytes {
    data: Vec<u8>,
    order: Endian,
    marks: BTreeMap<String, u64>,
    references: Vec<Reference>,
}

#[derive(Debug, Clone)]
struct Reference {
    /// Offset of the number.
    at: usize,
    width: usize,
    order: Endian,
    target: Sum,
}

/// Labels and numbers that are added and subtracted.
#[derive(Debug, Clone, Default)]
struct Sum {
    labels: Vec<(bool, String)>,
    number: i128,
}

impl Default for Bytes {
    fn default() -> Self {
        Self::new()
    }
}

impl Bytes {
    /// No bytes yet; numbers are little-endian.
    #[must_use]
    pub fn new() -> Self {
        Bytes {
            data: Vec::new(),
            order: Endian::Little,
            marks: BTreeMap::new(),
            references: Vec::new(),
        }
    }

    /// Numbers from here on have this byte order.
    #[must_use]
    pub fn order(mut self, order: Endian) -> Self {
        self.order = order;
        self
    }

    /// These bytes.
    #[must_use]
    pub fn raw(mut self, bytes: &[u8]) -> Self {
        self.data.extend_from_slice(bytes);
        self
    }

    /// A text in UTF-8.
    #[must_use]
    pub fn text(self, text: &str) -> Self {
        self.raw(text.as_bytes())
    }

    /// A number of so many bytes; higher bits are dropped.
    #[must_use]
    pub fn number(mut self, number: i128, width: usize) -> Self {
        let bytes = encode(number, width, self.order);
        self.data.extend_from_slice(&bytes);
        self
    }

    /// One byte.
    #[must_use]
    pub fn u8(self, number: u8) -> Self {
        self.number(number.into(), 1)
    }

    /// Two bytes.
    #[must_use]
    pub fn u16(self, number: u16) -> Self {
        self.number(number.into(), 2)
    }

    /// Four bytes.
    #[must_use]
    pub fn u32(self, number: u32) -> Self {
        self.number(number.into(), 4)
    }

    /// Eight bytes.
    #[must_use]
    pub fn u64(self, number: u64) -> Self {
        self.number(number.into(), 8)
    }

    /// A float of four bytes.
    #[must_use]
    pub fn f32(self, number: f32) -> Self {
        self.u32(number.to_bits())
    }

    /// So many zero bytes.
    #[must_use]
    pub fn zeros(mut self, count: usize) -> Self {
        self.data.resize(self.data.len() + count, 0);
        self
    }

    /// Zero bytes up to a multiple of `align`.
    #[must_use]
    pub fn align(self, align: usize) -> Self {
        let fill = self.data.len().next_multiple_of(align.max(1)) - self.data.len();
        self.zeros(fill)
    }

    /// The offset of a label, from the start of the file, in four bytes.
    #[must_use]
    pub fn pointer(self, label: &str) -> Self {
        self.reference(label, 4)
    }

    /// The offset of a label, from the start of the file.
    #[must_use]
    pub fn reference(self, label: &str, width: usize) -> Self {
        self.refer(Sum { labels: vec![(true, label.to_owned())], number: 0 }, width)
    }

    /// How far the label `to` is behind the label `from`, in bytes.
    #[must_use]
    pub fn distance(self, from: &str, to: &str, width: usize) -> Self {
        let labels = vec![(true, to.to_owned()), (false, from.to_owned())];
        self.refer(Sum { labels, number: 0 }, width)
    }

    fn refer(mut self, target: Sum, width: usize) -> Self {
        let at = self.data.len();
        self.references.push(Reference { at, width, order: self.order, target });
        self.zeros(width)
    }

    /// A label for the place reached.
    ///
    /// # Panics
    ///
    /// If there is a label of this name already.
    #[must_use]
    pub fn mark(mut self, label: &str) -> Self {
        let earlier = self.marks.insert(label.to_owned(), self.data.len() as u64);
        assert!(earlier.is_none(), "label `{label}` is there already");
        self
    }

    /// Where a label is, in bytes from the start; `end` is behind the last byte so far.
    #[must_use]
    pub fn offset(&self, label: &str) -> Option<u64> {
        match label {
            "end" => Some(self.data.len() as u64),
            _ => self.marks.get(label).copied(),
        }
    }

    /// The bytes, with all references filled in.
    ///
    /// # Panics
    ///
    /// If a reference is to a label that is nowhere.
    #[must_use]
    pub fn finish(&self) -> Vec<u8> {
        let mut data = self.data.clone();
        for reference in &self.references {
            let number = self.sum(&reference.target).unwrap_or_else(|error| panic!("{error}"));
            let bytes = encode(number, reference.width, reference.order);
            data[reference.at..reference.at + reference.width].copy_from_slice(&bytes);
        }
        data
    }

    fn sum(&self, sum: &Sum) -> Result<i128, String> {
        let mut total = sum.number;
        for (plus, label) in &sum.labels {
            let offset = self.offset(label).ok_or_else(|| format!("no label `{label}`"))?;
            total += if *plus { i128::from(offset) } else { -i128::from(offset) };
        }
        Ok(total)
    }

    /// The offset that an expression such as `table+4` or `0x10` says.
    ///
    /// # Errors
    ///
    /// If it is malformed or names a label that is nowhere.
    pub fn place(&self, text: &str) -> Result<u64, String> {
        let number = self.sum(&parse_sum(text)?)?;
        u64::try_from(number).map_err(|_| format!("`{text}` is negative"))
    }

    /// Reads the text form.
    ///
    /// # Errors
    ///
    /// The line and what is wrong in it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut bytes = Bytes::new();
        for (line, text) in (1..).zip(text.lines()) {
            for token in tokens(text).map_err(|error| format!("line {line}: {error}"))? {
                bytes = bytes.token(&token).map_err(|error| format!("line {line}: {error}"))?;
            }
        }
        for reference in &bytes.references {
            bytes.sum(&reference.target)?;
        }
        Ok(bytes)
    }

    fn token(self, token: &str) -> Result<Self, String> {
        if let Some(text) = token.strip_prefix('"') {
            return Ok(self.text(text.strip_suffix('"').unwrap_or(text)));
        }
        if let Some(label) = token.strip_prefix('@') {
            if self.marks.contains_key(label) {
                return Err(format!("label `{label}` is there already"));
            }
            return Ok(self.mark(label));
        }
        if let Some((what, kind)) = token.split_once(':') {
            if what == "align" {
                return Ok(self.align(kind.parse().map_err(|_| format!("bad `{token}`"))?));
            }
            let width = width(kind).ok_or_else(|| format!("unknown type in `{token}`"))?;
            if let Some(sum) = what.strip_prefix('&') {
                return Ok(self.refer(parse_sum(sum)?, width));
            }
            let bad = |_| format!("bad number in `{token}`");
            return Ok(match (kind, integer(what)) {
                ("f32" | "f64", Some(bits)) if what.contains('x') => self.number(bits, width),
                ("f32", _) => self.f32(what.parse().map_err(bad)?),
                ("f64", _) => self.u64(what.parse::<f64>().map_err(bad)?.to_bits()),
                (_, Some(number)) => self.number(number, width),
                (_, None) => return Err(format!("bad number in `{token}`")),
            });
        }
        match token {
            "little" => return Ok(self.order(Endian::Little)),
            "big" => return Ok(self.order(Endian::Big)),
            _ => {}
        }
        let (digits, times) = match token.split_once('*') {
            Some((digits, times)) => {
                (digits, times.parse().map_err(|_| format!("bad repetition in `{token}`"))?)
            }
            None => (token, 1),
        };
        let bytes = hex(digits).ok_or_else(|| format!("`{token}` is no hexadecimal number"))?;
        Ok(self.raw(&bytes.repeat(times)))
    }
}

fn encode(number: i128, width: usize, order: Endian) -> Vec<u8> {
    let mut bytes = number.to_le_bytes()[..width].to_vec();
    if order == Endian::Big {
        bytes.reverse();
    }
    bytes
}

fn width(kind: &str) -> Option<usize> {
    Some(match kind {
        "u8" | "i8" => 1,
        "u16" | "i16" => 2,
        "u24" | "i24" => 3,
        "u32" | "i32" | "f32" => 4,
        "u64" | "i64" | "f64" => 8,
        _ => return None,
    })
}

/// Bytes of an even number of hexadecimal digits; a single `0` is a zero byte.
#[must_use]
pub fn hex(digits: &str) -> Option<Vec<u8>> {
    if digits == "0" {
        return Some(vec![0]);
    }
    if digits.is_empty() || !digits.len().is_multiple_of(2) {
        return None;
    }
    (0..digits.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok())
        .collect()
}

fn integer(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let number = match digits.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    number.ok().map(|number| if negative { -number } else { number })
}

/// `a-b+2`: labels may have an `@` in front.
fn parse_sum(text: &str) -> Result<Sum, String> {
    let mut sum = Sum::default();
    let mut rest = text;
    let mut plus = true;
    loop {
        let end = rest.find(['+', '-']).unwrap_or(rest.len());
        let (term, behind) = rest.split_at(end);
        let term = term.strip_prefix('@').unwrap_or(term);
        match integer(term) {
            Some(number) => sum.number += if plus { number } else { -number },
            None if term.is_empty() => return Err(format!("bad place `{text}`")),
            None => sum.labels.push((plus, term.to_owned())),
        }
        match behind.chars().next() {
            None => return Ok(sum),
            Some(sign) => {
                plus = sign == '+';
                rest = &behind[1..];
            }
        }
    }
}

/// Words of a line, up to a comment. A text in quotes is one word; it has no escapes.
fn tokens(line: &str) -> Result<Vec<String>, String> {
    let mut list = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() && !rest.starts_with('#') {
        let end = if let Some(quoted) = rest.strip_prefix('"') {
            quoted.find('"').ok_or("a quote is missing")? + 2
        } else {
            rest.find(char::is_whitespace).unwrap_or(rest.len())
        };
        list.push(rest[..end].to_owned());
        rest = rest[end..].trim_start();
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::Bytes;

    #[test]
    fn labels_may_come_later() {
        let bytes = Bytes::new().text("AB").pointer("table").mark("table").u16(0x0102).finish();
        assert_eq!(bytes, b"AB\x06\0\0\0\x02\x01");
    }

    #[test]
    fn the_text_form_says_the_same() {
        let text = r#"
            @start "A B" 0102          # comment
            &table-@start:u16 &table+1:u8
            big -2:i16 little 1:u24 -1.5:f32
            0*2 ab01*2 align:4
            @table &end:u8
        "#;
        let bytes = Bytes::parse(text).unwrap();
        assert_eq!(bytes.offset("table"), Some(0x18));
        assert_eq!(
            bytes.finish(),
            b"A B\x01\x02\x18\0\x19\xff\xfe\x01\0\0\0\0\xc0\xbf\0\0\xab\x01\xab\x01\0\x19"
        );
        assert_eq!(bytes.place("table-4"), Ok(0x14));
        assert_eq!(bytes.place("0x10"), Ok(0x10));
        assert!(Bytes::parse("&nowhere:u8").is_err());
        assert!(Bytes::parse("123").is_err());
    }
}
