//! From a value to JSON.

use std::fmt::Write;

use formwork::ReadError;
use formwork::engine::{Program, epoch_of};
use formwork::json::{bits_text, bytes_text, escaped, tool};
use formwork_model::{RecordId, is_unseen};

use super::{
    FORMAT, INCOMPLETE, INSTEAD_OF, KEPT, KIND, ROW, SCHEMA_VERSION, SPELLED, STORED, TOOL, VALUE,
};
use crate::shape::{Shape, Shapes};
use crate::stack::with_stack;
use crate::value::{Kept, StructValue, UnionValue, Value};

/// Lists of numbers are broken into lines of about so many characters.
const WIDTH: usize = 100;

/// How a JSON text is laid out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Style {
    /// A line per field.
    #[default]
    Pretty,
    /// One line without spaces.
    Compact,
}

/// Writes a value with its header. The text ends in a line break.
#[must_use]
pub fn to_json(program: &Program, value: &Value, style: Style) -> String {
    document(program, value, None, style)
}

/// Writes what was read of a file that cannot be read to its end. Its header has the error under
/// `incomplete`, so it is not taken for a whole file: [`Text::parse`](super::Text::parse) refuses it.
#[must_use]
pub fn part_to_json(program: &Program, value: &Value, error: &ReadError, style: Style) -> String {
    document(program, value, Some(error), style)
}

fn document(program: &Program, value: &Value, error: Option<&ReadError>, style: Style) -> String {
    let epoch = epoch_of(program, value.given()).ok();
    let mut writer = Writer {
        shapes: Shapes::new(program, epoch),
        out: String::new(),
        indent: 0,
        style,
        flat: false,
    };
    writer.document(value, error);
    writer.out.push('\n');
    writer.out
}

/// Writes a value that is a part of another, on one line.
pub(crate) fn fragment<'m>(shapes: Shapes<'m>, value: &Value, shape: Option<Shape<'m>>) -> String {
    let out = String::new();
    let mut writer = Writer { shapes, out, indent: 0, style: Style::Pretty, flat: true };
    writer.value(value, shape);
    writer.out
}

struct Writer<'m> {
    shapes: Shapes<'m>,
    out: String,
    indent: usize,
    style: Style,
    /// Whether what comes stands on one line in any style.
    flat: bool,
}

impl<'m> Writer<'m> {
    fn document(&mut self, value: &Value, error: Option<&ReadError>) {
        let model = self.shapes.model;
        self.begin('{');
        self.key(TOOL, true);
        self.text(&tool());
        self.key(FORMAT, false);
        self.text(&model.name);
        self.key(SCHEMA_VERSION, false);
        self.push(model.version);
        if let Some(error) = error {
            self.key(INCOMPLETE, false);
            self.begin('{');
            self.key("message", true);
            self.text(&error.kind().to_string());
            self.key("offset", false);
            self.push(error.offset());
            self.key("path", false);
            self.text(&error.path().to_string());
            self.end('}', false);
        }
        self.key(VALUE, false);
        self.value(value, Some(self.shapes.root()));
        self.end('}', false);
    }

    fn push(&mut self, what: impl std::fmt::Display) {
        // Writing to a string does not fail.
        let _ = write!(self.out, "{what}");
    }

    fn begin(&mut self, bracket: char) {
        self.out.push(bracket);
        self.indent += 1;
    }

    fn end(&mut self, bracket: char, empty: bool) {
        self.indent -= 1;
        if !empty {
            self.line();
        }
        self.out.push(bracket);
    }

    fn line(&mut self) {
        if self.style == Style::Pretty && !self.flat {
            self.out.push('\n');
            self.out.extend(std::iter::repeat_n("  ", self.indent));
        }
    }

    fn colon(&mut self) {
        self.out.push_str(if self.style == Style::Pretty { ": " } else { ":" });
    }

    /// What stands between two elements of something on one line.
    fn comma(&self) -> &'static str {
        if self.style == Style::Pretty { ", " } else { "," }
    }

    fn key(&mut self, key: &str, first: bool) {
        if !first {
            self.out.push_str(if self.flat { self.comma() } else { "," });
        }
        self.line();
        self.text(key);
        self.colon();
    }

    fn text(&mut self, text: &str) {
        quote(&mut self.out, text);
    }

    fn value(&mut self, value: &Value, shape: Option<Shape<'m>>) {
        match value {
            Value::Array(elements) => with_stack(|| self.list(elements, shape)),
            Value::Struct(value) => with_stack(|| self.structure(value, record(shape))),
            Value::Union(union) => with_stack(|| self.union(union, shape)),
            Value::Spelled(inner, kept)
                if kept.is_empty() && !matches!(**inner, Value::Spelled(..)) =>
            {
                self.value(inner, shape);
            }
            Value::Spelled(inner, kept) => {
                self.begin('{');
                self.key(SPELLED, true);
                self.value(inner, shape);
                if !kept.is_empty() {
                    self.key(KEPT, false);
                    self.kept(kept);
                }
                self.end('}', false);
            }
            scalar => self.scalar(scalar, shape),
        }
    }

    fn scalar(&mut self, value: &Value, shape: Option<Shape<'m>>) {
        match (value, shape) {
            (Value::Int(number), Some(Shape::Enum(id, _))) => {
                let members = &self.shapes.model.enums[id.index()].members;
                match members.iter().find(|member| member.number == *number) {
                    Some(member) => self.text(&member.name),
                    None => self.push(number),
                }
            }
            (Value::Int(number), _) => self.push(number),
            (Value::Float { bits, bytes }, Some(Shape::Float(wanted))) if *bytes == wanted => {
                self.float(*bits, *bytes);
            }
            // A kept float, whose width nothing else says.
            (Value::Float { bits, bytes }, _) => {
                let key = if *bytes == 4 { "f32" } else { "f64" };
                self.wrapped(key, |writer| writer.float(*bits, *bytes));
            }
            (Value::Bool(yes), _) => self.push(yes),
            (Value::Text(text), _) => self.text(text),
            (Value::Bytes(bytes), _) => {
                let (key, text) = bytes_text(bytes);
                self.wrapped(key, |writer| writer.text(&text));
            }
            (Value::Units(units), _) => self.wrapped("utf16", |writer| {
                let units: Vec<_> = units.iter().map(u16::to_string).collect();
                let list = units.join(writer.comma());
                writer.push(format_args!("[{list}]"));
            }),
            _ => self.out.push_str("null"),
        }
    }

    /// Something that JSON has no words for, on one line.
    fn wrapped(&mut self, key: &str, what: impl FnOnce(&mut Self)) {
        self.out.push('{');
        self.text(key);
        self.colon();
        what(self);
        self.out.push('}');
    }

    /// The shortest decimal that reads back as the same bits.
    fn float(&mut self, bits: u64, bytes: u8) {
        let narrow = u32::try_from(bits).ok().filter(|_| bytes == 4);
        match narrow {
            Some(narrow) if f32::from_bits(narrow).is_finite() => {
                self.push(zmij::Buffer::new().format_finite(f32::from_bits(narrow)));
            }
            None if f64::from_bits(bits).is_finite() => {
                self.push(zmij::Buffer::new().format_finite(f64::from_bits(bits)));
            }
            _ => {
                self.wrapped("bits", |writer| writer.text(&bits_text(bits, bytes)));
            }
        }
    }

    fn list(&mut self, elements: &[Value], shape: Option<Shape<'m>>) {
        let element = match shape {
            Some(Shape::Array(element)) => Some(self.shapes.of(element)),
            _ => None,
        };
        if elements.iter().all(is_short) {
            self.lines(elements, element);
            return;
        }
        self.begin('[');
        for (index, value) in elements.iter().enumerate() {
            if index > 0 {
                self.out.push_str(if self.flat { self.comma() } else { "," });
            }
            self.line();
            self.value(value, element);
        }
        self.end(']', elements.is_empty());
    }

    /// A list of numbers: several on one line.
    fn lines(&mut self, elements: &[Value], element: Option<Shape<'m>>) {
        let start = self.out.len();
        let comma = self.comma();
        self.out.push('[');
        for (index, value) in elements.iter().enumerate() {
            self.out.push_str(if index == 0 { "" } else { comma });
            self.scalar(value, element);
        }
        self.out.push(']');
        let width = WIDTH.saturating_sub(self.indent * 2);
        let one_line = self.flat || self.style == Style::Compact;
        if one_line || self.out.len() - start <= width {
            return;
        }
        // It does not fit one line.
        self.out.truncate(start);
        self.begin('[');
        self.line();
        let mut line = self.out.len();
        for (index, value) in elements.iter().enumerate() {
            let before = self.out.len();
            self.out.push_str(if index == 0 { "" } else { comma });
            self.scalar(value, element);
            if index > 0 && self.out.len() - line >= width {
                // The element begins the next line instead.
                self.out.truncate(before);
                self.out.push(',');
                self.line();
                line = self.out.len();
                self.scalar(value, element);
            }
        }
        self.end(']', false);
    }

    fn structure(&mut self, value: &StructValue, record: Option<RecordId>) {
        self.begin('{');
        for (index, (name, field)) in value.fields.iter().enumerate() {
            self.key(&escaped(name), index == 0);
            let row = record.and_then(|record| self.shapes.field(record, name));
            self.value(field, row.map(|row| self.shapes.row(row)));
        }
        if !value.kept.is_empty() {
            self.key(KEPT, value.fields.is_empty());
            self.kept(&value.kept);
        }
        self.end('}', value.fields.is_empty() && value.kept.is_empty());
    }

    fn union(&mut self, union: &UnionValue, shape: Option<Shape<'m>>) {
        let cases = match shape {
            Some(Shape::Union(id)) => &self.shapes.model.unions[id.index()].cases[..],
            _ => &[],
        };
        let case = cases.iter().find(|case| case.name == union.case);
        self.begin('{');
        self.key(&escaped(&union.case), true);
        self.structure(&union.value, case.map(|case| case.record));
        self.end('}', false);
    }

    /// Deviations, each on a line, in an order that does not depend on how they were found.
    fn kept(&mut self, kept: &[Kept]) {
        let mut sorted: Vec<&Kept> = kept.iter().collect();
        sorted.sort_by(|a, b| (&a.row, a.kind).cmp(&(&b.row, b.kind)));
        self.begin('[');
        for (index, kept) in sorted.into_iter().enumerate() {
            if index > 0 {
                self.out.push_str(if self.flat { self.comma() } else { "," });
            }
            self.line();
            let flat = std::mem::replace(&mut self.flat, true);
            self.begin('{');
            self.key(ROW, true);
            self.text(&kept.row);
            self.key(KIND, false);
            self.text(kept.kind.name());
            self.key(STORED, false);
            self.plain(&kept.stored);
            if !matches!(kept.instead_of, Value::None) {
                self.key(INSTEAD_OF, false);
                self.plain(&kept.instead_of);
            }
            self.end('}', false);
            self.flat = flat;
        }
        self.end(']', false);
    }

    /// A value whose type nothing says: what is not clear from JSON itself is in a wrapper.
    fn plain(&mut self, value: &Value) {
        match value {
            Value::Array(elements) => {
                self.begin('[');
                for (index, element) in elements.iter().enumerate() {
                    self.out.push_str(if index == 0 { "" } else { self.comma() });
                    self.plain(element);
                }
                self.end(']', true);
            }
            Value::Struct(value) => {
                self.begin('{');
                self.key("struct", true);
                self.plain_fields(value);
                self.end('}', false);
            }
            Value::Union(union) => {
                self.begin('{');
                self.key("case", true);
                self.text(&union.case);
                self.key("struct", false);
                self.plain_fields(&union.value);
                self.end('}', false);
            }
            Value::Spelled(inner, kept) => {
                self.begin('{');
                self.key(SPELLED, true);
                self.plain(inner);
                self.key(KEPT, false);
                self.kept(kept);
                self.end('}', false);
            }
            scalar => self.scalar(scalar, None),
        }
    }

    fn plain_fields(&mut self, value: &StructValue) {
        self.begin('{');
        for (index, (name, field)) in value.fields.iter().enumerate() {
            self.key(&escaped(name), index == 0);
            self.plain(field);
        }
        if !value.kept.is_empty() {
            self.key(KEPT, value.fields.is_empty());
            self.kept(&value.kept);
        }
        self.end('}', true);
    }
}

/// The record of a struct.
fn record(shape: Option<Shape<'_>>) -> Option<RecordId> {
    match shape {
        Some(Shape::Struct(record)) => Some(record),
        _ => None,
    }
}

/// Whether several elements of this kind stand on one line.
fn is_short(value: &Value) -> bool {
    matches!(value, Value::Int(_) | Value::Float { .. } | Value::Bool(_) | Value::None)
}

/// A text in quotes.
fn quote(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_unseen(c) => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
