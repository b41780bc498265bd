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

pub(super) fn same_table(a: &[Vec<Item<'_>>], b: &[Vec<Item<'_>>]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| {
            // Algorithms may give more columns than the record has rows for.
            a.len() <= b.len() && a.iter().zip(b).all(|(a, b)| same_item(a, b))
        })
}

/// A digest of a computed table, to tell whether it is still the same.
#[must_use]
pub fn digest(table: &[Vec<Item<'_>>]) -> KeptValue {
    let mut bytes = Vec::new();
    for row in table {
        for item in row {
            match through(item) {
                Item::Int(n) => bytes.extend_from_slice(&n.to_le_bytes()),
                Item::Text(text) => {
                    bytes.extend_from_slice(text.as_bytes());
                    bytes.push(0xff);
                }
                Item::Bytes(b) => {
                    bytes.extend_from_slice(b);
                    bytes.push(0xff);
                }
                _ => bytes.push(0xfe),
            }
        }
        bytes.push(0xfd);
    }
    let low = crate::fnv1a_32(&bytes, crate::FNV1A_SEED);
    let high = crate::murmur3_32(&bytes, 0);
    KeptValue::Int(i128::from(u64::from(high) << 32 | u64::from(low)))
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
