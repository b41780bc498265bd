//! Values of generated types, as the interpreter has them.

use std::error::Error;
use std::fmt;

use formwork::Spelling;
use formwork::engine::Program;
use formwork::inspect::{Holds, Inspector, RowName};
use formwork::spelling::KeptValue;

use crate::layout::in_layout;
use crate::value::{Kept, StructValue, UnionValue, Value};

/// Something that shows itself in another order than [`Inspector`] asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAValue;

impl fmt::Display for NotAValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it does not show itself as one value")
    }
}

impl Error for NotAValue {}

/// The value of anything that shows itself, such as a file that generated code has read: the same
/// value that [`crate::Document::value`] gives for that file.
///
/// `show` is given the visitor; of what is shown, `program` tells which fields the layout has.
///
/// # Errors
///
/// If it is not shown as one value; generated types always are.
///
/// ```no_run
/// # fn f(program: &formwork_interpreter::Program, file: &dyn formwork::inspect::Inspect) {
/// let value = formwork_interpreter::value_of(program, |to| file.inspect(to));
/// # }
/// ```
pub fn value_of(
    program: &Program,
    show: impl FnOnce(&mut dyn Inspector),
) -> Result<Value, NotAValue> {
    let mut builder = Builder::default();
    show(&mut builder);
    let Builder { open, done: Some(value), wrong: false } = builder else {
        return Err(NotAValue);
    };
    if !open.is_empty() {
        return Err(NotAValue);
    }
    Ok(in_layout(program, value))
}

/// What has begun and not ended.
#[derive(Debug)]
enum Open {
    List(Vec<Value>),
    Struct(Fields),
    /// A case, whose struct is shown inside.
    Case(String, Option<StructValue>),
    /// A value that is no struct, with how it is spelled.
    Spelled(Option<Value>, Vec<Kept>),
}

#[derive(Debug, Default)]
struct Fields {
    value: StructValue,
    /// Name of the field whose value comes next.
    name: Option<String>,
    /// Row of the struct that comes next, if its fields belong here.
    flatten: Option<u16>,
}

/// Puts together what it is shown.
#[derive(Debug, Default)]
struct Builder {
    open: Vec<Open>,
    done: Option<Value>,
    /// Something was shown where it cannot be.
    wrong: bool,
}

impl Builder {
    fn put(&mut self, value: Value) {
        let place = match (self.open.last_mut(), value) {
            (Some(Open::List(elements)), value) => {
                elements.push(value);
                return;
            }
            (Some(Open::Struct(fields)), value) => {
                self.wrong |= !fields.put(value);
                return;
            }
            (Some(Open::Case(_, place @ None)), Value::Struct(value)) => {
                *place = Some(value);
                return;
            }
            (Some(Open::Spelled(place, _)), value) => Some((place, value)),
            (None, value) => Some((&mut self.done, value)),
            (Some(Open::Case(..)), _) => None,
        };
        match place {
            Some((place @ None, value)) => *place = Some(value),
            _ => self.wrong = true,
        }
    }

    fn with_fields(&mut self, change: impl FnOnce(&mut Fields)) {
        match self.open.last_mut() {
            Some(Open::Struct(fields)) => change(fields),
            _ => self.wrong = true,
        }
    }

    /// Ends what was begun last, if it is that.
    fn end(&mut self, finish: impl FnOnce(Open) -> Option<Value>) {
        match self.open.pop().and_then(finish) {
            Some(value) => self.put(value),
            None => self.wrong = true,
        }
    }
}

impl Fields {
    /// Whether the value has a place.
    fn put(&mut self, value: Value) -> bool {
        match (self.name.take(), self.flatten.take(), value) {
            (Some(name), None, value) => self.value.fields.push((name, value)),
            (None, Some(row), Value::Struct(inner)) => {
                self.value.fields.extend(inner.fields);
                let kept = inner.kept.into_iter();
                let kept = kept.map(|kept| Kept { row: format!("#{row}.{}", kept.row), ..kept });
                self.value.kept.extend(kept);
            }
            (None, Some(_), Value::None) => {}
            _ => return false,
        }
        true
    }
}

impl Inspector for Builder {
    fn int(&mut self, number: i128) {
        self.put(Value::Int(number));
    }

    fn float32(&mut self, bits: u32) {
        self.put(Value::Float { bits: bits.into(), bytes: 4 });
    }

    fn float64(&mut self, bits: u64) {
        self.put(Value::Float { bits, bytes: 8 });
    }

    fn bool(&mut self, yes: bool) {
        self.put(Value::Bool(yes));
    }

    fn text(&mut self, text: &str) {
        self.put(Value::Text(text.to_owned()));
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.put(Value::Bytes(bytes.to_vec()));
    }

    fn units(&mut self, units: &[u16]) {
        self.put(match String::from_utf16(units) {
            Ok(text) => Value::Text(text),
            Err(_) => Value::Units(units.to_vec()),
        });
    }

    fn none(&mut self) {
        self.put(Value::None);
    }

    fn member(&mut self, number: i128, _: Option<&str>) {
        self.put(Value::Int(number));
    }

    fn begin_list(&mut self, length: usize) {
        self.open.push(Open::List(Vec::with_capacity(length.min(1 << 16))));
    }

    fn end_list(&mut self) {
        self.end(|open| match open {
            Open::List(elements) => Some(Value::Array(elements)),
            _ => None,
        });
    }

    fn begin_struct(&mut self) {
        self.open.push(Open::Struct(Fields::default()));
    }

    fn field(&mut self, name: &str) {
        self.with_fields(|fields| fields.name = Some(name.to_owned()));
    }

    fn flatten(&mut self, row: u16) {
        self.with_fields(|fields| fields.flatten = Some(row));
    }

    fn end_struct(&mut self) {
        self.end(|open| match open {
            Open::Struct(Fields { value, name: None, flatten: None }) => Some(Value::Struct(value)),
            _ => None,
        });
    }

    fn begin_case(&mut self, name: &str) {
        self.open.push(Open::Case(name.to_owned(), None));
    }

    fn end_case(&mut self) {
        self.end(|open| match open {
            Open::Case(case, value) => {
                let value = value.unwrap_or_default();
                Some(Value::Union(Box::new(UnionValue { case, value })))
            }
            _ => None,
        });
    }

    fn begin_spelled(&mut self) {
        self.open.push(Open::Spelled(None, Vec::new()));
    }

    fn end_spelled(&mut self) {
        self.end(|open| match open {
            Open::Spelled(Some(value), kept) => Some(value.spelled(kept)),
            _ => None,
        });
    }

    fn spelling(&mut self, spelling: &Spelling, rows: &[RowName<'_>]) {
        let entries = spelling.entries().iter().filter_map(|entry| {
            let (row, holds) = RowName::of(entry, spelling, rows)?;
            Some(Kept {
                row: row.into_owned(),
                kind: entry.kind,
                stored: kept_value(&entry.stored, holds),
                instead_of: kept_value(&entry.instead_of, holds.computed()),
            })
        });
        match self.open.last_mut() {
            Some(Open::Struct(fields)) => fields.value.kept.extend(entries),
            Some(Open::Case(_, Some(value))) => value.kept.extend(entries),
            Some(Open::Spelled(_, kept)) => kept.extend(entries),
            _ => self.wrong = true,
        }
    }
}

/// What was kept of a row, as a value of the row: a computed table is a list of structs, and the bits
/// of a float are one.
fn kept_value(value: &KeptValue, holds: Holds<'_>) -> Value {
    let of = |value: &KeptValue| kept_value(value, Holds::Value);
    match (value, holds) {
        (KeptValue::None, _) => Value::None,
        (KeptValue::Bool(yes), _) => Value::Bool(*yes),
        (KeptValue::Int(bits), Holds::Float(bytes)) => Value::Float { bits: *bits as u64, bytes },
        (KeptValue::Int(number), _) => Value::Int(*number),
        (KeptValue::Text(text), _) => Value::Text(text.clone()),
        (KeptValue::Bytes(bytes), _) => Value::Bytes(bytes.clone()),
        (KeptValue::Units(units), _) => Value::Units(units.clone()),
        (KeptValue::Table(rows), Holds::Table(names)) => {
            let row = |row: &Vec<KeptValue>| {
                let names = names.iter().map(|name| (*name).to_owned());
                let fields = names.zip(row.iter().map(of)).collect();
                Value::Struct(StructValue { fields, kept: Vec::new() })
            };
            Value::Array(rows.iter().map(row).collect())
        }
        (KeptValue::Table(rows), _) => {
            let row = |row: &Vec<KeptValue>| Value::Array(row.iter().map(of).collect());
            Value::Array(rows.iter().map(row).collect())
        }
        (KeptValue::List(values), _) => Value::Array(values.iter().map(of).collect()),
        // What is inside is shown as a field.
        (KeptValue::Spelling(_), _) => Value::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program() -> Program {
        let text = "module m root=File endian=little\n\
                    struct File { u8 count; Part parts count=count; Only only }\n\
                    struct Part { u8 x }\nstruct Only transparent { u8 n }";
        let loaded = formwork_codegen::load("m.kdl", text, None, &());
        crate::program(loaded.model.expect("it has no errors"))
    }

    fn show(to: &mut dyn Inspector) {
        to.begin_struct();
        to.field("parts");
        to.begin_list(1);
        to.begin_struct();
        to.field("x");
        to.int(7);
        to.end_struct();
        to.end_list();
        to.field("only");
        to.begin_spelled();
        to.int(8);
        to.end_spelled();
        to.end_struct();
    }

    #[test]
    fn what_is_shown_becomes_a_value() {
        let program = program();
        let bytes = [1, 7, 8];
        let read = crate::read(&program, &bytes, &formwork::ReadOptions::default());
        let value = value_of(&program, show).expect("it is one value");
        assert!(value.same_spelling(&read.expect("it is a file").value()));
    }

    #[test]
    fn what_is_no_value_is_refused() {
        type Show = fn(&mut dyn Inspector);
        let wrong: [Show; 9] = [
            |_| {},
            |to| to.begin_struct(),
            |to| to.end_struct(),
            |to| {
                to.int(1);
                to.int(2);
            },
            |to| {
                to.begin_struct();
                to.int(1);
                to.end_struct();
            },
            |to| {
                to.begin_struct();
                to.field("a");
                to.end_struct();
            },
            |to| {
                to.begin_list(usize::MAX);
                to.end_struct();
            },
            |to| {
                to.begin_case("a");
                to.int(1);
                to.end_case();
            },
            |to| {
                to.int(1);
                to.spelling(&Spelling::default(), &[]);
            },
        ];
        let program = program();
        for (index, show) in wrong.into_iter().enumerate() {
            assert_eq!(value_of(&program, show).err(), Some(NotAValue), "{index}");
        }
    }
}
