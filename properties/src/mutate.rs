//! Small changes of files, texts and values, as an input chooses them.

use std::collections::BTreeSet;

use arbitrary::{Result, Unstructured};
use formwork_interpreter::{StructValue, Value};

/// Bytes that often mean something.
const BYTES: [u8; 10] = [0, 1, 2, 4, 8, 0x10, 0x7f, 0x80, 0xfe, 0xff];

/// Most bytes that a changed number asks for.
const MOST_BYTES: i128 = 4096;

/// Changes a file in a few places, at most so many.
///
/// # Errors
///
/// If nothing is left to choose by.
pub fn bytes(u: &mut Unstructured<'_>, file: &[u8], most: u8) -> Result<Vec<u8>> {
    let mut bytes = file.to_vec();
    for _ in 0..u.int_in_range(1..=most.max(1))? {
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
/// Numbers in fields of the names in `amounts`, which say how many bytes are written, stay small: a
/// value is changed to be tried, not to fill a disk.
///
/// # Errors
///
/// If nothing is left to choose by.
pub fn value(
    u: &mut Unstructured<'_>,
    value: &mut Value,
    amounts: &BTreeSet<String>,
) -> Result<bool> {
    let mut count = 0;
    visit("", value, &mut |_, _| {
        count += 1;
        false
    });
    let chosen = u.int_in_range(0..=u32::MAX)? % u32::max(count, 1);
    let mut at = 0;
    let mut result = Ok(true);
    visit("", value, &mut |name, field| {
        at += 1;
        if at <= chosen {
            return false;
        }
        result = change(u, field);
        if let Value::Int(number) = field
            && *number > MOST_BYTES
            && amounts.contains(name)
        {
            *number %= MOST_BYTES + 1;
        }
        true
    });
    result
}

/// What is done with a field, or an element of it, under the field's name; says whether that is all.
type Act<'a> = &'a mut dyn FnMut(&str, &mut Value) -> bool;

/// Calls `act` for each field that is no struct until it says that it is done; says whether it was.
fn visit(name: &str, value: &mut Value, act: Act<'_>) -> bool {
    let fields = |value: &mut StructValue, act: Act<'_>| {
        value.fields.iter_mut().any(|(name, field)| visit(name, field, act))
    };
    match value {
        Value::Struct(value) => fields(value, act),
        Value::Union(union) => fields(&mut union.value, act),
        Value::Spelled(inner, _) => visit(name, inner, act),
        Value::Array(_) => {
            if act(name, value) {
                return true;
            }
            let elements = value.elements_mut();
            elements.is_some_and(|elements| elements.iter_mut().any(|e| visit(name, e, act)))
        }
        _ => act(name, value),
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
        Value::Bytes(bytes) => *bytes = self::bytes(u, bytes, 5)?,
        Value::Units(units) => {
            if let Some(unit) = units.first_mut() {
                *unit = u.arbitrary()?;
            }
            // Units that are text are text.
            if let Ok(text) = String::from_utf16(units) {
                *field = Value::Text(text);
            }
        }
        Value::Array(elements) => change_list(u, elements)?,
        Value::None => {
            *field = Value::Int(u.int_in_range(0..=8)?);
            // What may be none may be anything else, too.
            return Ok(false);
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seeds::Noise;

    /// Nothing says which kind of value would be where there is none.
    #[test]
    fn what_was_none_is_of_no_known_kind() {
        let mut noise = Noise::new(6);
        for _ in 0..100 {
            let mut field = Value::None;
            let choice = noise.bytes(16);
            let u = &mut Unstructured::new(&choice);
            let same_kind = value(u, &mut field, &BTreeSet::new()).expect("enough to choose");
            assert!(!same_kind, "{field:?}");
        }
    }

    /// A field that asks for bytes stays small; its neighbour does not.
    #[test]
    fn changes_ask_for_few_bytes() {
        let field = |name: &str| (name.to_owned(), Value::Array(vec![Value::Int(1)]));
        let fields = vec![field("many"), field("other")];
        let before = Value::Struct(StructValue { fields, kept: Vec::new() });
        let amounts = BTreeSet::from(["many".to_owned()]);
        let mut noise = Noise::new(5);
        let (mut many, mut other) = (0, 0);
        for _ in 0..2000 {
            let mut after = before.clone();
            let choice = noise.bytes(16);
            value(&mut Unstructured::new(&choice), &mut after, &amounts).expect("enough to choose");
            let largest = |name| match after.get(name).and_then(Value::elements) {
                Some([Value::Int(number), ..]) => *number,
                _ => 0,
            };
            many = many.max(largest("many"));
            other = other.max(largest("other"));
        }
        assert!((2..=MOST_BYTES).contains(&many), "{many} bytes");
        assert!(other > MOST_BYTES, "no number is large");
    }
}
