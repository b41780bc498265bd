//! Rows that are always the same: constants, padding, reserved bytes.

use super::prelude::*;

/// A constant of the schema.
#[derive(Debug, Clone, Copy)]
pub enum Constant {
    /// An integer.
    Int(i128),
    /// A float by its bits in 64-bit form.
    Float(u64),
    /// A truth value.
    Bool(bool),
    /// A text.
    Text(&'static str),
    /// Bytes.
    Bytes(&'static [u8]),
}

impl Constant {
    /// As an item.
    #[must_use]
    pub fn item<'i>(&self) -> Item<'i> {
        match self {
            Constant::Int(n) => Item::Int(*n),
            Constant::Float(bits) => Item::Float { bits: *bits, bytes: 8 },
            Constant::Bool(b) => Item::Bool(*b),
            Constant::Text(text) => Item::Text(Text::Borrowed(text)),
            Constant::Bytes(bytes) => Item::Bytes(Bytes::Borrowed(bytes)),
        }
    }

    /// Whether an item is the constant; floats are compared by the bits of their own width.
    #[must_use]
    pub fn is(&self, item: &Item<'_>) -> bool {
        match (through(item), self) {
            (Item::Int(a), Constant::Int(b)) => a == b,
            (Item::Int(a), Constant::Bool(b)) => *a == i128::from(*b),
            (Item::Bool(a), Constant::Bool(b)) => a == b,
            (Item::Bool(a), Constant::Int(b)) => i128::from(*a) == *b,
            (Item::Float { bits, bytes }, Constant::Float(wanted)) => {
                *bits == float_bits(*wanted, *bytes)
            }
            (Item::Float { bits, bytes }, Constant::Int(wanted)) => {
                #[allow(clippy::cast_precision_loss)] // Schemas state small numbers.
                let wanted = (*wanted as f64).to_bits();
                *bits == float_bits(wanted, *bytes)
            }
            (Item::Text(a), Constant::Text(b)) => &**a == *b,
            (Item::Bytes(a), Constant::Bytes(b)) => &**a == *b,
            (Item::Bytes(a), Constant::Text(b)) => &**a == b.as_bytes(),
            (Item::Text(a), Constant::Bytes(b)) => a.as_bytes() == *b,
            (Item::Array(array), Constant::Bytes(wanted)) => {
                array.items.len() == wanted.len()
                    && array
                        .items
                        .iter()
                        .zip(wanted.iter())
                        .all(|(item, b)| matches!(item, Item::Int(n) if *n == i128::from(*b)))
            }
            _ => false,
        }
    }
}

/// Bits of a float that a schema states in 64 bits, in the width of its cell.
#[allow(clippy::cast_possible_truncation)] // The width of the cell is what is meant.
fn float_bits(wanted: u64, bytes: u8) -> u64 {
    if bytes == 4 {
        (f64::from_bits(wanted) as f32).to_bits().into()
    } else {
        wanted
    }
}

/// Compares what was read with a constant.
///
/// # Errors
///
/// `NotEqual`.
pub fn expect(item: &Item<'_>, constant: &Constant, at: u64) -> Read<()> {
    if constant.is(item) {
        return Ok(());
    }
    let expected = show_item(&constant.item()).into();
    let actual = show_item(item).into();
    Err(ReadError::new(ReadErrorKind::NotEqual { expected, actual }, at))
}

/// What is done with a row of zero bytes that may be something else.
///
/// # Errors
///
/// `NotZero`, unless read leniently.
#[allow(clippy::too_many_arguments)]
pub fn zero<'i>(
    core: &mut Core<'i>,
    item: &Item<'i>,
    open: bool,
    at: u64,
    spelling: &mut Spelling,
    row: u16,
    owner: NodeId,
    name: Option<&'static str>,
) -> Read<()> {
    if is_zero(item) {
        if open && !matches!(item, Item::Bytes(bytes) if bytes.is_empty()) {
            reserve(item, spelling, row);
        }
        return Ok(());
    }
    if !core.options.lenient {
        let first = match item {
            Item::Bytes(bytes) => bytes.iter().position(|b| *b != 0).unwrap_or(0),
            _ => 0,
        };
        return Err(ReadError::new(ReadErrorKind::NotZero, at.saturating_add(first as u64)));
    }
    let mut path = core.tree.node_path(owner);
    if let Some(name) = name {
        path.push(Segment::Field(name.into()));
    }
    let message = "bytes that should be zero are not".into();
    core.notes.push(Note { offset: at, path: format!("{path}"), message });
    reserve(item, spelling, row);
    Ok(())
}

/// What is done with reserved bytes.
pub fn reserved(item: &Item<'_>, open: bool, spelling: &mut Spelling, row: u16) {
    if !is_zero(item) || (open && !matches!(item, Item::Bytes(bytes) if bytes.is_empty())) {
        reserve(item, spelling, row);
    }
}

#[cold]
fn reserve(item: &Item<'_>, spelling: &mut Spelling, row: u16) {
    spelling.keep(SpellingEntry {
        row,
        index: None,
        kind: KeptKind::Reserved,
        stored: item_kept(item),
        instead_of: KeptValue::None,
    });
}
