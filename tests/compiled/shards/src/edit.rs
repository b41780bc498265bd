//! Edits of the features, done to JSON.

use formwork_interpreter::Value;
use formwork_tests::golden::Edit;
use serde_json::{Map, Number, Value as Json};

/// Puts what an edit says into the JSON of a value. Bit n of `structs` says that the n-th case
/// without fields is a name with a struct that has none; it is a name alone otherwise.
///
/// # Errors
///
/// If JSON does not say such a thing, or there is no such place.
pub fn apply(json: &mut Json, edit: &Edit, mut structs: u32) -> Result<(), String> {
    for (path, value) in &edit.sets {
        let place = follow(json, path).ok_or_else(|| format!("there is no `{path}`"))?;
        *place = of(value, place, &mut structs)?;
    }
    Ok(())
}

fn follow<'a>(json: &'a mut Json, path: &str) -> Option<&'a mut Json> {
    let mut here = json;
    for part in path.split('.').filter(|part| !part.is_empty()) {
        let mut steps = part.split('[');
        let name = steps.next().unwrap_or_default();
        if !name.is_empty() {
            here = field(here, name)?;
        }
        for step in steps {
            here = here.get_mut(step.strip_suffix(']')?.parse::<usize>().ok()?)?;
        }
    }
    Some(here)
}

/// A field of a struct; of a choice, in its case; or of a struct without a name inside.
fn field<'a>(here: &'a mut Json, name: &str) -> Option<&'a mut Json> {
    if here.get(name).is_some() {
        return here.get_mut(name);
    }
    let suffixed = format!("{name}_");
    if here.get(&suffixed).is_some() {
        return here.get_mut(&suffixed);
    }
    here.as_object_mut()?.values_mut().filter(|value| value.is_object()).find_map(|inner| {
        let there = inner.get(name).is_some();
        if there { inner.get_mut(name) } else { field(inner, name) }
    })
}

/// A value as JSON, in the place of another one.
fn of(value: &Value, old: &Json, structs: &mut u32) -> Result<Json, String> {
    Ok(match value {
        // Members of closed enumerations have names.
        Value::Int(_) if old.is_string() => return Err("the member's name is unknown".to_owned()),
        Value::Int(number) => Json::Number(Number::from_i128(*number).ok_or("too large")?),
        Value::Float { bits, bytes: 4 } => {
            let number = f32::from_bits(u32::try_from(*bits).map_err(|e| e.to_string())?);
            Json::Number(Number::from_f64(number.into()).ok_or("no number")?)
        }
        Value::Float { bits, .. } => {
            Json::Number(Number::from_f64(f64::from_bits(*bits)).ok_or("no number")?)
        }
        Value::Bool(yes) => Json::Bool(*yes),
        Value::Text(text) => Json::String(text.clone()),
        Value::Bytes(bytes) => bytes.iter().copied().collect(),
        Value::Units(units) => units.iter().copied().collect(),
        Value::Array(elements) => {
            let like = old.get(0).cloned().unwrap_or_default();
            elements.iter().map(|element| of(element, &like, structs)).collect::<Result<_, _>>()?
        }
        Value::Struct(value) => {
            let mut fields = Map::new();
            for (name, field) in &value.fields {
                let like = old.get(name).cloned().unwrap_or_default();
                fields.insert(name.clone(), of(field, &like, structs)?);
            }
            Json::Object(fields)
        }
        Value::Union(union) => {
            let variant = camel(&union.case);
            let like = old.get(&variant).cloned().unwrap_or_default();
            let body = Value::Struct(union.value.clone());
            if union.value.fields.is_empty() {
                let is_struct = *structs & 1 == 1;
                *structs >>= 1;
                if !is_struct {
                    return Ok(Json::String(variant));
                }
            }
            Json::Object(Map::from_iter([(variant, of(&body, &like, structs)?)]))
        }
        Value::None => Json::Null,
        Value::Spelled(..) => return Err("spelling is not in JSON".to_owned()),
    })
}

fn camel(name: &str) -> String {
    let part = |part: &str| {
        let mut letters = part.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    };
    name.split('_').map(part).collect()
}
