//! Values as JSON, changed in one field.

use arbitrary::Unstructured;
use formwork::ReadOptions;
use formwork_interpreter::json::{JsonError, Style, Text, to_json};
use formwork_interpreter::{Program, StructValue, UnionValue, Value, in_layout, read, write};

use crate::laws::{Broken, respelled};
use crate::property::Outcome;
use crate::refusal::{refused, unwritten};
use crate::{amounts, mutate, shown, value_text};

/// Reads a file, makes JSON of it and a value of that again, changes one field of it, and does the
/// same with what is written then. `choice` chooses the change.
///
/// # Errors
///
/// If JSON gives another value than it was made of, an error says nothing, or what is written of
/// the changed value is read as another value.
pub fn check(
    program: &Program,
    choice: &[u8],
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<Outcome, Broken> {
    let mut value = match read(program, bytes, options) {
        Ok(document) => document.value(),
        Err(error) => return refused(error, bytes),
    };
    let same = through_json(program, &value)?.map_err(|e| Broken::Json(e.to_string()))?;
    if !shown::sorted(same.clone()).same_spelling(&shown::sorted(value.clone())) {
        return Err(respelled(&value, &same));
    }
    let mut u = Unstructured::new(choice);
    let Ok(same_kind) = mutate::value(&mut u, &mut value, &amounts::names(program.model())) else {
        return Ok(Outcome::Held);
    };
    let Ok(changed) = through_json(program, &value)? else { return Ok(Outcome::Refused) };
    // Text and bytes may stand for each other in JSON, so only a value of its own kind must come
    // back.
    if same_kind && let Some(difference) = value_text::difference(&value, &changed) {
        return Err(Broken::Json(difference));
    }
    let written = match write(program, &changed) {
        Ok(written) => written,
        Err(error) => return unwritten(&error),
    };
    let again = match read(program, &written, options) {
        Ok(again) => again.value(),
        Err(error) => return Err(Broken::Unreadable(error, written)),
    };
    let said = in_layout(program, changed);
    match value_text::difference(&said, &of_those_in(&said, again)) {
        Some(what) => Err(Broken::Changed(what)),
        None => Ok(Outcome::Held),
    }
}

/// A value with no other fields than another one has. Of another layout, which a change may have
/// chosen, some fields need not be said: they are written with what stands for them.
fn of_those_in(said: &Value, value: Value) -> Value {
    let inside = |said: &StructValue, value: StructValue| {
        let fields = value.fields.into_iter().filter_map(|(name, field)| {
            let of = said.get(&name)?;
            let field = of_those_in(of, field);
            Some((name, field))
        });
        StructValue { fields: fields.collect(), kept: value.kept }
    };
    match (said, value) {
        (Value::Spelled(said, _), value) => of_those_in(said, value),
        (said, Value::Spelled(value, kept)) => {
            Value::Spelled(Box::new(of_those_in(said, *value)), kept)
        }
        (Value::Array(said), Value::Array(elements)) if said.len() == elements.len() => {
            let pairs = said.iter().zip(elements);
            Value::Array(pairs.map(|(said, value)| of_those_in(said, value)).collect())
        }
        (Value::Struct(said), Value::Struct(value)) => Value::Struct(inside(said, value)),
        (Value::Union(said), Value::Union(union)) if said.case == union.case => {
            let UnionValue { case, value } = *union;
            Value::Union(Box::new(UnionValue { case, value: inside(&said.value, value) }))
        }
        (_, value) => value,
    }
}

/// The value that the JSON of a value says, or an honest error.
fn through_json(program: &Program, value: &Value) -> Result<Result<Value, JsonError>, Broken> {
    let text = to_json(program, value, Style::Compact);
    match Text::parse(&text).and_then(|text| text.value(program)) {
        Err(JsonError::Value(problems)) if problems.is_empty() => Err(Broken::Silent),
        Err(JsonError::Syntax(error)) => Err(Broken::Json(error.to_string())),
        result => Ok(result),
    }
}
