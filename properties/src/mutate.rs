//! Small changes of files, texts and values, as an input chooses them.

use arbitrary::{Result, Unstructured};
use formwork_interpreter::{StructValue, Value};

/// Bytes that often mean something.
const BYTES: [u8; 10] = [0, 1, 2, 4, 8, 0x10, 0x7f, 0x80, 0xfe, 0xff];

/// Changes a file in a few places.
///
/// # Errors
///
/// If nothing is left to choose by.
pub fn bytes(u: &mut Unstructured<'_>, file: &[u8]) -> Result<Vec<u8>> {
    let mut bytes = file.to_vec();
    for _ in 0..u.int_in_range(1..=5)? {
        let at = u.int_in_range(0..=bytes.len())?;
        match u.int_in_range(0..=5)? {
            0 => bytes.insert(at, u.arbitrary()?),
            1 if at < bytes.len() => {
                bytes.remove(at);
            }
            2 if at < bytes.len() => {
                let from = u.int_in_range(0..=bytes.len() - 1)?;
                bytes[at] = bytes[from];
            }
            3 => bytes.truncate(at.max(bytes.len() / 2)),
            _ if at < bytes.len() => bytes[at] = *u.choose(&BYTES)?,
            _ => {}
        }
    }
    Ok(bytes)
}

/// Changes one field of a value: a number, text or the like becomes another one of its kind, or now
/// and then of another kind; a list becomes longer or shorter. Gives whether the kind is the same.
///
/// # Errors
///
/// If nothing is left to choose by.
pub fn value(u: &mut Unstructured<'_>, value: &mut Value) -> Result<bool> {
    let mut count = 0;
    visit(value, &mut |_| {
        count += 1;
        false
    });
    let chosen = u.int_in_range(0..=u32::MAX)? % u32::max(count, 1);
    let mut at = 0;
    let mut result = Ok(true);
    visit(value, &mut |field| {
        at += 1;
        if at <= chosen {
            return false;
        }
        result = change(u, field);
        true
    });
    result
}

/// Calls `act` for each field that is no struct until it says that it is done; says whether it was.
fn visit(value: &mut Value, act: &mut dyn FnMut(&mut Value) -> bool) -> bool {
    let fields = |value: &mut StructValue, act: &mut dyn FnMut(&mut Value) -> bool| {
        value.fields.iter_mut().any(|(_, field)| visit(field, act))
    };
    match value {
        Value::Struct(value) => fields(value, act),
        Value::Union(union) => fields(&mut union.value, act),
        Value::Spelled(inner, _) => visit(inner, act),
        Value::Array(_) => {
            if act(value) {
                return true;
            }
            let elements = value.elements_mut();
            elements.is_some_and(|elements| elements.iter_mut().any(|e| visit(e, act)))
        }
        _ => act(value),
    }
}

fn change(u: &mut Unstructured<'_>, field: &mut Value) -> Result<bool> {
    if u.ratio(1, 16)? {
        let others = [Value::None, Value::Int(0), Value::Bool(true), Value::Array(Vec::new())];
        *field = u.choose(&others)?.clone();
        return Ok(false);
    }
    match field {
        Value::Int(number) => {
            *number = match u.int_in_range(0..=3)? {
                0 => number.saturating_add(u.int_in_range(-2..=2)?),
                1 => u.int_in_range(0..=8)?,
                2 => u.arbitrary::<u64>()?.into(),
                _ => u.arbitrary::<i64>()?.into(),
            }
        }
        Value::Float { bits, bytes } => {
            *bits = if *bytes == 4 { u.arbitrary::<u32>()?.into() } else { u.arbitrary()? };
        }
        Value::Bool(yes) => *yes = !*yes,
        Value::Text(text) => *text = changed_text(u, text)?,
        Value::Bytes(bytes) => *bytes = self::bytes(u, bytes)?,
        Value::Units(units) => {
            if let Some(unit) = units.first_mut() {
                *unit = u.arbitrary()?;
            }
        }
        Value::Array(elements) => change_list(u, elements)?,
        Value::None => *field = Value::Int(u.int_in_range(0..=8)?),
        Value::Struct(_) | Value::Union(_) | Value::Spelled(..) => {}
    }
    Ok(true)
}

fn changed_text(u: &mut Unstructured<'_>, text: &str) -> Result<String> {
    let mut letters: Vec<char> = text.chars().collect();
    let at = u.int_in_range(0..=letters.len())?;
    match u.int_in_range(0..=2)? {
        0 => letters.truncate(at),
        1 => letters.insert(at, *u.choose(&['a', '\0', '\u{7f}', 'é', '世', '\u{1f600}', '"'])?),
        _ => letters.extend_from_within(..at),
    }
    Ok(letters.into_iter().collect())
}

fn change_list(u: &mut Unstructured<'_>, elements: &mut Vec<Value>) -> Result<()> {
    if elements.is_empty() {
        return Ok(());
    }
    let last = elements.len() - 1;
    let (at, other) = (u.int_in_range(0..=last)?, u.int_in_range(0..=last)?);
    match u.int_in_range(0..=2)? {
        0 => {
            elements.remove(at);
        }
        1 => elements.insert(at, elements[other].clone()),
        _ => elements.swap(at, other),
    }
    Ok(())
}
