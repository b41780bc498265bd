//! Items of the tree as values, as texts for people, and as something to keep.

use super::prelude::*;

/// Units of an item as a value.
pub fn units_value(item: &Item<'_>) -> Utf16 {
    match through(item) {
        Item::Text(text) => Utf16::from(&**text),
        Item::Units(units) => Utf16::from_units(units.to_vec()),
        _ => Utf16::default(),
    }
}

/// A number of an item; 0 if it has none.
pub fn int_value(item: &Item<'_>) -> i128 {
    match through(item) {
        Item::Int(n) => *n,
        Item::Bool(b) => (*b).into(),
        _ => 0,
    }
}

/// Bits of a float of 32 bits.
pub fn float_value32(item: &Item<'_>) -> f32 {
    match through(item) {
        Item::Float { bits, bytes: 4 } => f32::from_bits(u32::try_from(*bits).unwrap_or(0)),
        #[allow(clippy::cast_possible_truncation)]
        Item::Float { bits, .. } => f64::from_bits(*bits) as f32,
        #[allow(clippy::cast_precision_loss)]
        Item::Int(n) => *n as f32,
        _ => 0.0,
    }
}

/// A float of 64 bits.
pub fn float_value64(item: &Item<'_>) -> f64 {
    match through(item) {
        Item::Float { bits, bytes: 4 } => f32::from_bits(u32::try_from(*bits).unwrap_or(0)).into(),
        Item::Float { bits, .. } => f64::from_bits(*bits),
        #[allow(clippy::cast_precision_loss)]
        Item::Int(n) => *n as f64,
        _ => 0.0,
    }
}

/// A truth value.
pub fn bool_value(item: &Item<'_>) -> bool {
    match through(item) {
        Item::Bool(b) => *b,
        Item::Int(n) => *n != 0,
        _ => false,
    }
}

/// A byte order.
pub fn endian_value(item: &Item<'_>) -> Endian {
    match through(item) {
        Item::Text(text) if &**text == "big" => Endian::Big,
        _ => Endian::Little,
    }
}

/// Whether there is nothing in an item.
pub fn is_absent(item: &Item<'_>) -> bool {
    matches!(through(item), Item::Absent | Item::Unset)
}

/// Whether all of an item is zero.
pub fn is_zero(item: &Item<'_>) -> bool {
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

/// An item without nodes, as something to keep.
pub fn item_kept(item: &Item<'_>) -> KeptValue {
    match item {
        Item::Int(n) => KeptValue::Int(*n),
        Item::Float { bits, .. } => KeptValue::Int((*bits).into()),
        Item::Bool(b) => KeptValue::Bool(*b),
        Item::Text(text) => KeptValue::Text(String::from(&**text)),
        Item::Bytes(bytes) => KeptValue::Bytes(bytes.to_vec()),
        Item::Units(units) => KeptValue::Units(units.to_vec()),
        Item::Array(array) => KeptValue::List(array.items.iter().map(item_kept).collect()),
        Item::Pointer(pointer) => item_kept(&pointer.target),
        Item::Node(_) | Item::Unset | Item::Absent => KeptValue::None,
    }
}

/// A byte order as an item.
pub fn endian_item<'i>(order: Endian) -> Item<'i> {
    Item::Text(Text::Borrowed(match order {
        Endian::Little => "little",
        Endian::Big => "big",
    }))
}

/// Units as an item: text, if they are one.
pub fn units_item<'i>(units: Vec<u16>) -> Item<'i> {
    match String::from_utf16(&units) {
        Ok(text) => Item::Text(text.into()),
        Err(_) => Item::Units(units.into()),
    }
}

/// An item in words.
pub fn show_item(item: &Item<'_>) -> String {
    match item {
        Item::Int(n) => format!("{n}"),
        Item::Float { bits, bytes: 4 } => {
            format!("{}", f32::from_bits(u32::try_from(*bits).unwrap_or(u32::MAX)))
        }
        Item::Float { bits, .. } => format!("{}", f64::from_bits(*bits)),
        Item::Bool(b) => format!("{b}"),
        Item::Text(text) => format!("{:?}", &**text),
        Item::Bytes(bytes) => match core::str::from_utf8(bytes) {
            Ok(text) if text.chars().all(|c| c.is_ascii_graphic() || c == ' ') => {
                format!("{text:?}")
            }
            _ => hex(bytes),
        },
        Item::Units(units) => format!("{units:04x?}"),
        Item::Pointer(pointer) => show_item(&pointer.target),
        Item::Array(array) => format!("{} elements", array.count),
        Item::Node(_) => "a struct".into(),
        Item::Unset | Item::Absent => "nothing".into(),
    }
}

/// Bytes in hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// The bits of a word, which may have a node.
#[must_use]
pub fn word_value(core: &Core<'_>, item: &Item<'_>) -> i128 {
    match through(item) {
        Item::Node(node) => core.tree.node(*node).tag,
        item => int_value(item),
    }
}

/// Where the typed value of a pointer's target is.
#[must_use]
pub fn value_index(item: &Item<'_>) -> Option<u32> {
    match item {
        Item::Pointer(pointer) if pointer.value != NOTHING => Some(pointer.value),
        _ => None,
    }
}

/// The node in an item, with its record.
#[must_use]
pub fn node_in(core: &Core<'_>, item: &Item<'_>) -> Option<(u16, NodeId)> {
    match through(item) {
        Item::Node(node) => Some((core.tree.node(*node).record, *node)),
        _ => None,
    }
}

/// A pointer that was read and leads to something that was not.
#[must_use]
pub fn pointer_item<'i>(cell: u64, stored: i128, target: Item<'i>, at: u64) -> Item<'i> {
    let mut pointer = PointerItem::to(target);
    pointer.cell = cell;
    pointer.stored = stored;
    pointer.at = at;
    if at != UNPLACED {
        pointer.end = at;
    }
    Item::Pointer(Box::new(pointer))
}

/// Elements with their addresses.
#[must_use]
pub fn array_item<'i>(items: Vec<Item<'i>>, at: u64, end: u64, starts: Vec<u64>) -> Item<'i> {
    let mut array = ArrayItem::of(items);
    array.at = at;
    array.end = end;
    array.starts = starts;
    Item::Array(Box::new(array))
}

/// So many elements, with their addresses.
#[must_use]
pub fn counted_item<'i>(count: usize, at: u64, end: u64, starts: Vec<u64>) -> Item<'i> {
    let mut array = ArrayItem::counted(u32::try_from(count).unwrap_or(u32::MAX));
    array.at = at;
    array.end = end;
    array.starts = starts;
    Item::Array(Box::new(array))
}

/// Something that is no array, from an address to the cursor.
#[must_use]
pub fn one<'i>(at: u64, cursor: &super::Cursor<'i>) -> Item<'i> {
    counted_item(1, at, cursor.at, Vec::new())
}
