//! The listing for programs: one JSON document.

use std::io::Write;

use formwork::ReadError;
use formwork_interpreter::line::bytes_of;
use formwork_interpreter::{Document, FieldKind, FieldView, Stored};
use serde_json::{Map, Value, json};

use super::for_each;
use crate::args::Dump;
use crate::detect::hex;
use crate::problem::Problem;
use crate::schema::Format;
use crate::shown;

pub(super) fn print(
    options: &Dump,
    format: &Format,
    document: &Document<'_>,
    bytes: &[u8],
    error: Option<&ReadError>,
    out: &mut dyn Write,
) -> Result<(), Problem> {
    let mut open: Vec<(usize, Map<String, Value>)> = Vec::new();
    let walked = for_each(options, document, |field| {
        while open.len() > 1 && open.last().is_some_and(|(depth, _)| *depth >= field.depth) {
            close(&mut open);
        }
        if field.kind == FieldKind::Folded {
            if let Some((_, around)) = open.last_mut() {
                around.insert("more".to_owned(), json!(field.count));
            }
            return Ok(());
        }
        let beside = options.bytes.then(|| bytes_of(field, bytes));
        open.push((field.depth, object(field, beside)));
        Ok(())
    });
    while open.len() > 1 {
        close(&mut open);
    }
    let field = open.pop().map_or(Value::Null, |(_, field)| Value::Object(field));
    let error = error.map(|error| {
        json!({
            "kind": error.kind().code(),
            "message": error.kind().to_string(),
            "offset": error.offset(),
            "path": error.path().to_string(),
        })
    });
    if walked.is_ok() || error.is_some() {
        let document = json!({
            "file": options.file.display().to_string(),
            "format": format.model().name,
            "schema_version": format.model().version,
            "size": bytes.len(),
            "error": error,
            "field": field,
        });
        shown::print_json(out, &document)?;
    }
    walked
}

/// Puts the innermost field into the one around it.
fn close(open: &mut Vec<(usize, Map<String, Value>)>) {
    let Some((_, field)) = open.pop() else { return };
    let Some((_, around)) = open.last_mut() else { return };
    let fields = around.entry("fields").or_insert_with(|| json!([]));
    if let Value::Array(fields) = fields {
        fields.push(Value::Object(field));
    }
}

fn object(field: &FieldView, bytes: Option<&[u8]>) -> Map<String, Value> {
    let mut object = Map::new();
    let mut put = |name: &str, value: Value| {
        object.insert(name.to_owned(), value);
    };
    put("name", json!(field.name));
    put("path", json!(field.path));
    put("offset", json!(field.offset));
    put("size", json!(field.size));
    if let (Some(bit), Some(bits)) = (field.bit, field.bits) {
        put("bit", json!(bit));
        put("bits", json!(bits));
    }
    put("type", json!(field.type_name));
    put("role", json!(field.role));
    if field.kept {
        put("kept", json!(true));
    }
    let has_fields = field.stored.is_none();
    // What was not read is shown as a question mark to people, and left out here.
    if has_fields && !field.value.is_empty() && field.value != "?" {
        put("case", json!(field.value));
    }
    match &field.stored {
        Some(Stored::Count(count)) => {
            put("count", json!(count));
            if !field.elements.is_empty() {
                put("elements", field.elements.iter().map(value).collect());
            }
        }
        Some(stored) => put("value", value(stored)),
        None => {}
    }
    if let Some(target) = field.target {
        put("target", json!(target));
    }
    if let Some(bytes) = bytes.filter(|bytes| !bytes.is_empty()) {
        put("bytes", json!(hex(bytes)));
    }
    object
}

fn value(stored: &Stored) -> Value {
    match stored {
        Stored::Int(number) => integer(*number),
        Stored::Enum { number, name } => json!({ "number": integer(*number), "name": name }),
        Stored::Float { bits, width } => float(*bits, *width),
        Stored::Bool(value) => json!(value),
        Stored::Text(text) => json!(text),
        Stored::Bytes(bytes) => json!({ "hex": hex(bytes) }),
        Stored::Count(count) => json!(count),
        Stored::None => Value::Null,
    }
}

/// Integers that no JSON number of this program can hold become texts.
fn integer(number: i128) -> Value {
    match (u64::try_from(number), i64::try_from(number)) {
        (Ok(number), _) => json!(number),
        (_, Ok(number)) => json!(number),
        _ => json!(number.to_string()),
    }
}

/// Floats that JSON cannot hold are given by their bits.
fn float(bits: u64, width: u8) -> Value {
    let number = match (width, u32::try_from(bits)) {
        // The shortest decimal of the narrow float, not that of the wide one with its value.
        (4, Ok(bits)) => f32::from_bits(bits).to_string().parse().unwrap_or(f64::NAN),
        _ => f64::from_bits(bits),
    };
    if number.is_finite() { json!(number) } else { json!({ "bits": format!("{bits:#x}") }) }
}
