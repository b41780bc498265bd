//! Values and tables compared, and in words.

use super::prelude::*;

/// Whether two values are the same; floats by their bits.
pub(super) fn same_bits(a: &Val<'_>, b: &Val<'_>) -> bool {
    match (a, b) {
        (Val::Float(a), Val::Float(b)) => a.to_bits() == b.to_bits(),
        _ => same(a, b),
    }
}

pub(super) fn same_item(a: &Item<'_>, b: &Item<'_>) -> bool {
    match (through(a), through(b)) {
        (Item::Int(a), Item::Int(b)) => a == b,
        (Item::Text(a), Item::Text(b)) => **a == **b,
        (Item::Bytes(a), Item::Bytes(b)) => **a == **b,
        (Item::Units(a), Item::Units(b)) => a == b,
        (Item::Absent, Item::Absent) => true,
        _ => false,
    }
}

/// Result of an expression, as something to keep.
#[must_use]
pub fn val_kept(val: &Val<'_>) -> KeptValue {
    match val {
        Val::Int(n) => KeptValue::Int(*n),
        Val::Float(f) => KeptValue::Int(f.to_bits().into()),
        Val::Bool(b) => KeptValue::Bool(*b),
        Val::Text(text) => KeptValue::Text(String::from(&**text)),
        Val::Bytes(bytes) => KeptValue::Bytes(bytes.to_vec()),
        Val::Units(units) => KeptValue::Units(units.to_vec()),
        Val::None | Val::Node(_) | Val::Loc(_) => KeptValue::None,
    }
}

/// A value in words.
pub(super) fn show(val: &Val<'_>) -> String {
    match val {
        Val::Int(n) => n.to_string(),
        Val::Float(f) => f.to_string(),
        Val::Bool(b) => b.to_string(),
        Val::Text(text) => format!("{:?}", &**text),
        Val::Bytes(bytes) => hex(bytes),
        other => describe(other).into(),
    }
}

/// A tag in words.
pub(in super::super) fn show_short(val: &Val<'_>) -> String {
    match val {
        Val::Float(_) => describe(val).into(),
        other => show(other),
    }
}
