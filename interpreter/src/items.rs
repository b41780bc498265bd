//! Items as values, as results of expressions, as constants, and back.

use std::rc::Rc;

use formwork_model::Constant;

use crate::eval::{Place, Val};
use crate::tree::Item;
use crate::value::Value;

/// A constant of the schema, as an item.
pub(crate) fn constant_item(constant: &Constant) -> Item {
    match constant {
        Constant::Int(n) => Item::Int(*n),
        Constant::Float(bits) => Item::Float { bits: *bits, bytes: 8 },
        Constant::Bool(b) => Item::Bool(*b),
        Constant::Text(text) => Item::Text(text.as_str().into()),
        Constant::Bytes(bytes) => Item::Bytes(bytes.as_slice().into()),
    }
}

/// Whether an item is the constant; floats are compared by the bits of their own width.
pub(crate) fn is_constant(item: &Item, constant: &Constant) -> bool {
    match (crate::tree::through(item), constant) {
        (Item::Int(a), Constant::Int(b)) => a == b,
        (Item::Int(a), Constant::Bool(b)) => *a == i128::from(*b),
        (Item::Bool(a), Constant::Bool(b)) => a == b,
        (Item::Bool(a), Constant::Int(b)) => i128::from(*a) == *b,
        (Item::Float { bits, bytes }, Constant::Float(wanted)) => {
            *bits == float_bits(*wanted, *bytes)
        }
        (Item::Float { bits, bytes }, Constant::Int(wanted)) => {
            #[allow(clippy::cast_precision_loss, reason = "schemas state small numbers")]
            let wanted = (*wanted as f64).to_bits();
            *bits == float_bits(wanted, *bytes)
        }
        (Item::Text(a), Constant::Text(b)) => a.as_ref() == b,
        (Item::Bytes(a), Constant::Bytes(b)) => a.as_ref() == b.as_slice(),
        (Item::Bytes(a), Constant::Text(b)) => a.as_ref() == b.as_bytes(),
        (Item::Text(a), Constant::Bytes(b)) => a.as_bytes() == b.as_slice(),
        (Item::Array(array), Constant::Bytes(wanted)) => {
            array.items.len() == wanted.len()
                && array
                    .items
                    .iter()
                    .zip(wanted)
                    .all(|(item, b)| matches!(item, Item::Int(n) if *n == i128::from(*b)))
        }
        _ => false,
    }
}

/// Bits of a float that a schema states in 64 bits, in the width of its cell.
#[allow(clippy::cast_possible_truncation, reason = "the width of the cell is what is meant")]
pub(crate) fn float_bits(wanted: u64, bytes: u8) -> u64 {
    if bytes == 4 { (f64::from_bits(wanted) as f32).to_bits().into() } else { wanted }
}

pub(crate) fn is_zero(item: &Item) -> bool {
    match item {
        Item::Int(n) => *n == 0,
        Item::Bool(b) => !b,
        Item::Float { bits, .. } => *bits == 0,
        Item::Bytes(bytes) => bytes.iter().all(|b| *b == 0),
        Item::Array(array) => array.items.iter().all(is_zero),
        Item::Absent => true,
        _ => false,
    }
}

/// An item without nodes, as a value.
pub(crate) fn item_value(item: &Item) -> Value {
    match item {
        Item::Int(n) => Value::Int(*n),
        Item::Float { bits, bytes } => Value::Float { bits: *bits, bytes: *bytes },
        Item::Bool(b) => Value::Bool(*b),
        Item::Text(text) => Value::Text(text.to_string()),
        Item::Bytes(bytes) => Value::Bytes(bytes.to_vec()),
        Item::Units(units) => Value::Units(units.to_vec()),
        Item::Array(array) => Value::Array(array.items.iter().map(item_value).collect()),
        Item::Pointer(pointer) => item_value(&pointer.target),
        Item::Node(_) | Item::Unset | Item::Absent => Value::None,
    }
}

/// An item as the result of an expression, for `it`.
pub(crate) fn item_val(item: &Item) -> Val {
    match item {
        Item::Int(n) => Val::Int(*n),
        Item::Float { bits, bytes: 4 } => {
            Val::Float(f32::from_bits(u32::try_from(*bits).unwrap_or(u32::MAX)).into())
        }
        Item::Float { bits, .. } => Val::Float(f64::from_bits(*bits)),
        Item::Bool(b) => Val::Bool(*b),
        Item::Text(text) => Val::Text(Rc::clone(text)),
        Item::Bytes(bytes) => Val::Bytes(Rc::clone(bytes)),
        Item::Units(units) => Val::Units(Rc::clone(units)),
        Item::Node(node) => Val::Place(Place::Node(*node)),
        Item::Pointer(pointer) => item_val(&pointer.target),
        Item::Array(_) | Item::Unset | Item::Absent => Val::None,
    }
}

pub(crate) fn val_item(val: Val) -> Item {
    match val {
        Val::Int(n) => Item::Int(n),
        Val::Float(f) => Item::Float { bits: f.to_bits(), bytes: 8 },
        Val::Bool(b) => Item::Bool(b),
        Val::Text(text) => Item::Text(text),
        Val::Bytes(bytes) => Item::Bytes(bytes),
        Val::Units(units) => Item::Units(units),
        Val::None | Val::Place(_) | Val::Table(_) => Item::Absent,
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

pub(crate) fn show_item(item: &Item) -> String {
    match item {
        Item::Int(n) => n.to_string(),
        Item::Float { bits, bytes: 4 } => {
            f32::from_bits(u32::try_from(*bits).unwrap_or(u32::MAX)).to_string()
        }
        Item::Float { bits, .. } => f64::from_bits(*bits).to_string(),
        Item::Bool(b) => b.to_string(),
        Item::Text(text) => format!("{text:?}"),
        Item::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) if text.chars().all(|c| c.is_ascii_graphic() || c == ' ') => {
                format!("{text:?}")
            }
            _ => hex(bytes),
        },
        Item::Units(units) => format!("{units:04x?}"),
        Item::Pointer(pointer) => show_item(&pointer.target),
        Item::Array(array) => format!("{} elements", array.items.len()),
        Item::Node(_) => "a struct".to_owned(),
        Item::Unset | Item::Absent => "nothing".to_owned(),
    }
}

pub(crate) fn show_constant(constant: &Constant) -> String {
    show_item(&constant_item(constant))
}

/// A value without structs, as an item.
pub(crate) fn value_item(value: &Value) -> Item {
    match value {
        Value::Int(n) => Item::Int(*n),
        Value::Float { bits, bytes } => Item::Float { bits: *bits, bytes: *bytes },
        Value::Bool(b) => Item::Bool(*b),
        Value::Text(text) => Item::Text(text.as_str().into()),
        Value::Bytes(bytes) => Item::Bytes(bytes.as_slice().into()),
        Value::Units(units) => Item::Units(units.as_slice().into()),
        Value::Spelled(inner, _) => value_item(inner),
        Value::Array(_) | Value::Struct(_) | Value::Union(_) | Value::None => Item::Absent,
    }
}

/// What a schema's default is as an item.
pub(crate) fn default_item(constant: &Constant, bytes: u8) -> Item {
    match constant_item(constant) {
        Item::Float { bits, .. } => Item::Float { bits: float_bits(bits, bytes), bytes },
        other => other,
    }
}
