//! A value in the form of JSON, part by part.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{bits_text, bytes_text, escaped, INSTEAD_OF, KEPT, KIND, ROW, SPELLED, STORED};
use crate::inspect::{Holds, Inspect, Inspector, RowName};
use crate::spelling::{KeptKind, KeptValue, Spelling};

/// A part of a value: one that stands for itself, or the beginning or end of one with others inside.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Token<'t> {
    /// Nothing.
    Null,
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i128),
    /// A float of 32 bits.
    Float32(f32),
    /// A float of 64 bits.
    Float64(f64),
    /// A text.
    Text(&'t str),
    /// The beginning of a list of so many elements.
    List(usize),
    /// The beginning of an object.
    Object,
}

/// As it is kept; texts and keys by where they are.
#[derive(Debug, Clone, Copy)]
enum Kept {
    Skipped,
    Null,
    Bool(bool),
    Int(i128),
    Float32(f32),
    Float64(f64),
    Text(usize, usize),
    Key(usize, usize),
    List(usize),
    Object,
    End,
}

/// A value that has shown itself, one part behind the other.
#[derive(Debug, Default)]
pub struct Tape {
    parts: Vec<Kept>,
    text: String,
    open: Vec<Open>,
    layout: Option<u32>,
    /// Row of the struct that comes next, if its fields belong to the one around it.
    flatten: Option<u16>,
}

/// What has begun and not ended.
#[derive(Debug)]
enum Open {
    Struct(Vec<Deviation>),
    Flat(u16, Vec<Deviation>),
    /// A value that is no struct, and where it begins.
    Spelled(usize, Vec<Deviation>),
}

/// Something that is spelled in an unusual way.
#[derive(Debug)]
struct Deviation {
    row: String,
    kind: KeptKind,
    stored: Vec<Kept>,
    instead_of: Vec<Kept>,
}

/// The form of a value. `layout` is the layout that its file has, if that is known: what only others
/// have is left out.
#[must_use]
pub fn tape_of(value: &dyn Inspect, layout: Option<u32>) -> Tape {
    let mut tape = Tape { layout, ..Tape::default() };
    value.inspect(&mut tape);
    tape
}

impl Tape {
    fn add_text(&mut self, text: &str) -> Kept {
        let start = self.text.len();
        self.text.push_str(text);
        Kept::Text(start, self.text.len())
    }

    fn add_key(&mut self, key: &str) {
        let start = self.text.len();
        self.text.push_str(key);
        self.parts.push(Kept::Key(start, self.text.len()));
    }

    /// Whether what begins at a part is a value with how it is spelled.
    fn is_spelled(&self, at: usize) -> bool {
        let mut parts = self.parts[at..].iter().filter(|part| !matches!(part, Kept::Skipped));
        match (parts.next(), parts.next()) {
            (Some(Kept::Object), Some(Kept::Key(from, to))) => self.text[*from..*to] == *SPELLED,
            _ => false,
        }
    }

    /// Something that JSON has no words for.
    fn wrapped(&mut self, key: &str, what: &[Kept]) {
        self.parts.push(Kept::Object);
        self.add_key(key);
        self.parts.extend_from_slice(what);
        self.parts.push(Kept::End);
    }

    /// Deviations in an order that does not depend on how they were found.
    fn kept(&mut self, mut all: Vec<Deviation>) {
        if all.is_empty() {
            return;
        }
        all.sort_by(|a, b| (&a.row, a.kind).cmp(&(&b.row, b.kind)));
        self.add_key(KEPT);
        self.parts.push(Kept::List(all.len()));
        for Deviation { row, kind, stored, instead_of } in all {
            self.parts.push(Kept::Object);
            self.add_key(ROW);
            let row = self.add_text(&row);
            self.parts.push(row);
            self.add_key(KIND);
            let kind = self.add_text(kind.name());
            self.parts.push(kind);
            self.add_key(STORED);
            self.parts.extend(stored);
            if !instead_of.is_empty() {
                self.add_key(INSTEAD_OF);
                self.parts.extend(instead_of);
            }
            self.parts.push(Kept::End);
        }
        self.parts.push(Kept::End);
    }

    /// The parts of something that was kept.
    fn aside(&mut self, value: &KeptValue, holds: Holds<'_>) -> Vec<Kept> {
        let before = core::mem::take(&mut self.parts);
        self.plain(value, holds);
        core::mem::replace(&mut self.parts, before)
    }

    /// A value whose type nothing says: what is not clear from JSON itself is in an object.
    fn plain(&mut self, value: &KeptValue, holds: Holds<'_>) {
        match (value, holds) {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            // The bits of a float.
            (KeptValue::Int(bits), Holds::Float(bytes)) => {
                self.parts.push(Kept::Object);
                self.add_key(if bytes == 4 { "f32" } else { "f64" });
                match bytes {
                    4 => self.float32(*bits as u32),
                    _ => self.float64(*bits as u64),
                }
                self.parts.push(Kept::End);
            }
            (KeptValue::Table(rows), Holds::Table(names)) => {
                self.parts.push(Kept::List(rows.len()));
                for row in rows {
                    self.parts.push(Kept::Object);
                    self.add_key("struct");
                    self.parts.push(Kept::Object);
                    for (name, value) in names.iter().zip(row) {
                        self.add_key(&escaped(name));
                        self.plain(value, Holds::Value);
                    }
                    self.parts.extend([Kept::End, Kept::End]);
                }
                self.parts.push(Kept::End);
            }
            (KeptValue::Table(rows), _) => {
                self.parts.push(Kept::List(rows.len()));
                for row in rows {
                    self.parts.push(Kept::List(row.len()));
                    row.iter().for_each(|value| self.plain(value, Holds::Value));
                    self.parts.push(Kept::End);
                }
                self.parts.push(Kept::End);
            }
            (KeptValue::List(values), _) => {
                self.parts.push(Kept::List(values.len()));
                values.iter().for_each(|value| self.plain(value, Holds::Value));
                self.parts.push(Kept::End);
            }
            (KeptValue::Bool(yes), _) => self.bool(*yes),
            (KeptValue::Int(number), _) => self.int(*number),
            (KeptValue::Text(text), _) => self.text(text),
            (KeptValue::Bytes(bytes), _) => self.bytes(bytes),
            (KeptValue::Units(units), _) => self.units(units),
            // What is inside is shown as a field.
            (KeptValue::None | KeptValue::Spelling(_), _) => self.none(),
        }
    }

    /// The part at a position, and the position of what comes behind its beginning.
    #[must_use]
    pub fn token(&self, mut at: usize) -> (Token<'_>, usize) {
        while let Some(Kept::Skipped) = self.parts.get(at) {
            at += 1;
        }
        let token = match self.parts.get(at) {
            Some(Kept::Bool(yes)) => Token::Bool(*yes),
            Some(Kept::Int(number)) => Token::Int(*number),
            Some(Kept::Float32(number)) => Token::Float32(*number),
            Some(Kept::Float64(number)) => Token::Float64(*number),
            Some(Kept::Text(start, end)) => Token::Text(&self.text[*start..*end]),
            Some(Kept::List(count)) => Token::List(*count),
            Some(Kept::Object) => Token::Object,
            _ => Token::Null,
        };
        (token, at + 1)
    }

    /// The position behind the end of a list or an object, if that ends at a position.
    #[must_use]
    pub fn end(&self, at: usize) -> Option<usize> {
        matches!(self.parts.get(at), Some(Kept::End) | None).then_some(at + 1)
    }

    /// The key at a position.
    #[must_use]
    pub fn key(&self, at: usize) -> &str {
        match self.parts.get(at) {
            Some(Kept::Key(start, end)) => &self.text[*start..*end],
            _ => "",
        }
    }
}

impl Inspector for Tape {
    fn layout(&self) -> Option<u32> {
        self.layout
    }

    fn int(&mut self, number: i128) {
        self.parts.push(Kept::Int(number));
    }

    fn float32(&mut self, bits: u32) {
        let number = f32::from_bits(bits);
        if number.is_finite() {
            self.parts.push(Kept::Float32(number));
        } else {
            let text = self.add_text(&bits_text(bits.into(), 4));
            self.wrapped("bits", &[text]);
        }
    }

    fn float64(&mut self, bits: u64) {
        let number = f64::from_bits(bits);
        if number.is_finite() {
            self.parts.push(Kept::Float64(number));
        } else {
            let text = self.add_text(&bits_text(bits, 8));
            self.wrapped("bits", &[text]);
        }
    }

    fn bool(&mut self, yes: bool) {
        self.parts.push(Kept::Bool(yes));
    }

    fn text(&mut self, text: &str) {
        let text = self.add_text(text);
        self.parts.push(text);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        let (key, text) = bytes_text(bytes);
        let text = self.add_text(&text);
        self.wrapped(key, &[text]);
    }

    fn units(&mut self, units: &[u16]) {
        if let Ok(text) = String::from_utf16(units) {
            self.text(&text);
            return;
        }
        let mut list = Vec::from([Kept::List(units.len())]);
        list.extend(units.iter().map(|unit| Kept::Int((*unit).into())));
        list.push(Kept::End);
        self.wrapped("utf16", &list);
    }

    fn none(&mut self) {
        if self.flatten.take().is_none() {
            self.parts.push(Kept::Null);
        }
    }

    fn member(&mut self, number: i128, name: Option<&str>) {
        match name {
            Some(name) => self.text(name),
            None => self.int(number),
        }
    }

    fn begin_list(&mut self, length: usize) {
        self.parts.push(Kept::List(length));
    }

    fn end_list(&mut self) {
        self.parts.push(Kept::End);
    }

    fn begin_struct(&mut self) {
        match self.flatten.take() {
            Some(row) => self.open.push(Open::Flat(row, Vec::new())),
            None => {
                self.parts.push(Kept::Object);
                self.open.push(Open::Struct(Vec::new()));
            }
        }
    }

    fn field(&mut self, name: &str) {
        self.add_key(&escaped(name));
    }

    fn flatten(&mut self, row: u16) {
        self.flatten = Some(row);
    }

    fn end_struct(&mut self) {
        match self.open.pop() {
            Some(Open::Flat(row, inner)) => {
                if let Some(Open::Struct(kept) | Open::Flat(_, kept)) = self.open.last_mut() {
                    let inner = inner.into_iter();
                    kept.extend(
                        inner.map(|one| Deviation { row: format!("#{row}.{}", one.row), ..one }),
                    );
                }
            }
            Some(Open::Struct(kept)) => {
                self.kept(kept);
                self.parts.push(Kept::End);
            }
            _ => self.parts.push(Kept::End),
        }
    }

    fn begin_case(&mut self, name: &str) {
        self.parts.push(Kept::Object);
        self.add_key(&escaped(name));
    }

    fn end_case(&mut self) {
        self.parts.push(Kept::End);
    }

    fn begin_spelled(&mut self) {
        self.open.push(Open::Spelled(self.parts.len(), Vec::new()));
        // Room for what is around it if something is kept.
        self.parts.extend([Kept::Skipped, Kept::Skipped]);
    }

    fn end_spelled(&mut self) {
        if let Some(Open::Spelled(at, kept)) = self.open.pop() {
            // Where something is kept further in, each level has to be there.
            if !kept.is_empty() || self.is_spelled(at + 2) {
                let start = self.text.len();
                self.text.push_str(SPELLED);
                self.parts[at] = Kept::Object;
                self.parts[at + 1] = Kept::Key(start, self.text.len());
                self.kept(kept);
                self.parts.push(Kept::End);
            }
        }
    }

    fn spelling(&mut self, spelling: &Spelling, rows: &[RowName<'_>]) {
        for entry in spelling.entries() {
            let Some((row, holds)) = RowName::of(entry, spelling, rows) else { continue };
            let stored = self.aside(&entry.stored, holds);
            let instead_of = match &entry.instead_of {
                KeptValue::None => Vec::new(),
                value => self.aside(value, holds.computed()),
            };
            let deviation =
                Deviation { row: Cow::into_owned(row), kind: entry.kind, stored, instead_of };
            if let Some(Open::Struct(kept) | Open::Flat(_, kept) | Open::Spelled(_, kept)) =
                self.open.last_mut()
            {
                kept.push(deviation);
            }
        }
    }
}
