//! Conformance cases, judged by what generated code makes of them.

use std::fs;

use formwork::{ReadError, ReadOptions, WriteError};
use formwork_interpreter::{Document, Program, Stored, Value, read_partly};
use formwork_tests::cases::{self, Expected, Found, FoundError, Names, Reading};

use crate::schemas::Schema;

/// A case's file as generated code has it. What follows from other fields is not in its value;
/// there the interpreter, which agrees about the value, says what the file has.
struct Compiled<'a> {
    value: Value,
    written: &'a Result<Vec<u8>, WriteError>,
    document: Document<'a>,
}

impl Reading for Compiled<'_> {
    fn find(&self, path: &str) -> Found {
        let Some(stored) = self.document.stored(path) else { return Found::Nothing };
        if let Some(value) = self.value.at_path(path)
            && !says(value, &stored)
        {
            return Found::Other(format!("compiled code has {value:?}"));
        }
        Found::Value(match stored {
            Stored::Int(number) => Expected::Int(number),
            Stored::Float { bits, width } => Expected::Float { width, bits },
            Stored::Bool(value) => Expected::Bool(value),
            Stored::Text(text) => Expected::Text(text),
            Stored::Bytes(bytes) => Expected::Bytes(bytes),
            Stored::Enum { number, name } => Expected::Enum { name, number },
            Stored::Count(count) => Expected::Count(count as u64),
            Stored::None => Expected::Absent,
        })
    }

    fn write(&mut self) -> Result<Vec<u8>, String> {
        self.written.clone().map_err(|error| error.to_string())
    }
}

/// Whether a value means what is stored.
fn says(value: &Value, stored: &Stored) -> bool {
    match (value, stored) {
        (Value::Spelled(inner, _), _) => says(inner, stored),
        (Value::Int(a), Stored::Int(b) | Stored::Enum { number: b, .. }) => a == b,
        (Value::Float { bits: a, .. }, Stored::Float { bits: b, .. }) => a == b,
        (Value::Bool(a), Stored::Bool(b)) => a == b,
        (Value::Text(a), Stored::Text(b)) => a == b,
        (Value::Bytes(a), Stored::Bytes(b)) => a == b,
        (Value::Array(elements), Stored::Count(count)) => elements.len() == *count,
        (Value::None, Stored::None) => true,
        // Structs and choices have no stored form of their own.
        (Value::Struct(_) | Value::Union(_) | Value::Units(_), _) => true,
        _ => false,
    }
}

/// What the case of a schema demands and generated code does not do; nothing for schemas without a
/// case. `found` is the value that it read and what it writes, or why it does not read.
///
/// # Panics
///
/// If the cases cannot be read.
#[must_use]
pub fn problems(
    schema: &Schema,
    program: &Program,
    bytes: &[u8],
    found: Result<(Value, &Result<Vec<u8>, WriteError>), &ReadError>,
) -> Vec<String> {
    let own = schema.stem();
    let Some(case) = cases::all().iter().find(|case| case.name == own && case.bytes == bytes)
    else {
        return Vec::new();
    };
    let names: Names = match fs::read(schema.path.with_extension("map.json")) {
        Ok(json) => serde_json::from_slice(&json).expect("a map is an object of texts"),
        Err(_) => Names::new(),
    };
    let (document, _) = read_partly(program, bytes, &ReadOptions::default());
    let refused = Ok(Vec::new());
    let (error, value, written) = match found {
        Ok((value, written)) => (None, value, written),
        Err(error) => {
            let error = FoundError {
                code: error.kind().code().to_owned(),
                path: error.path().to_string(),
                offset: error.offset(),
                message: error.to_string(),
            };
            (Some(error), Value::None, &refused)
        }
    };
    let mut reading = Compiled { value, written, document };
    cases::judge(case, &names, &mut reading, error.as_ref()).problems
}
