//! What the bits of a number mean.

use super::super::item::{From, Item};
use crate::load::{number_of, Endian};
use crate::model::{narrowed, widened, Cell, FloatCode, IntType, Storage};

/// Bytes of a cell in whole bytes.
pub(crate) fn cell_bytes(cell: &Cell) -> u8 {
    match cell.storage {
        Storage::Fixed(int) => int.bytes,
        _ => 0,
    }
}

/// The integer in so many bits.
pub(crate) fn number(raw: u64, bits: u32, signed: bool) -> i128 {
    if signed {
        crate::load::sign_extend(raw, bits).into()
    } else {
        raw.into()
    }
}

/// The same as an item.
#[inline]
pub(crate) fn integer(raw: u64, bits: u32, signed: bool) -> Item {
    if signed {
        Item::Int(crate::load::sign_extend(raw, bits))
    } else {
        i64::try_from(raw).map_or(Item::Uint(raw), Item::Int)
    }
}

/// The float that the stored bits of a cell mean.
pub(crate) fn float(raw: u64, cell: &Cell) -> Item {
    coded(raw, FloatCode::of(cell).unwrap_or(FloatCode::DOUBLE))
}

/// The float that bits mean which are stored in some way.
#[inline]
pub(crate) fn coded(raw: u64, code: FloatCode) -> Item {
    let value = code.value(raw);
    if code.is_single() {
        Item::F32(value as u32)
    } else {
        Item::F64(value)
    }
}

/// The bits that a cell stores for a float or an integer, if they can say it: what an expression
/// gives is of another width than the cell's own value.
pub(crate) fn stored_float(cell: &Cell, item: Item) -> Option<u64> {
    let code = FloatCode::of(cell)?;
    let wide = match item {
        Item::F32(bits) if code.is_single() => return code.stored(bits.into()),
        Item::F64(bits) if !code.is_single() => return code.stored(bits),
        Item::F32(bits) => widened(bits),
        Item::F64(bits) => bits,
        Item::Int(n) => exact(n.into())?,
        Item::Uint(n) => exact(n.into())?,
        _ => return None,
    };
    stored_wide(code, wide)
}

/// The same for an integer of any size.
pub(crate) fn stored_float_of(cell: &Cell, number: i128) -> Option<u64> {
    stored_wide(FloatCode::of(cell)?, exact(number)?)
}

/// Bits of the float of eight bytes that is an integer, if there is one.
fn exact(number: i128) -> Option<u64> {
    #[allow(clippy::cast_precision_loss, reason = "what was rounded is no such number")]
    let float = number as f64;
    // The greatest integer is what floats beyond it become.
    (float as i128 == number && number != i128::MAX).then_some(float.to_bits())
}

/// What a code stores for the bits of a float of eight bytes, if it has that.
fn stored_wide(code: FloatCode, wide: u64) -> Option<u64> {
    match code.is_single() {
        true => code.stored(narrowed(wide)?.into()),
        false => code.stored(wide),
    }
}

/// A float, or a constant that stands for one, as wide as those of a cell.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "of constants")]
pub(crate) fn as_wide(item: Item, cell: &Cell) -> Item {
    let single = FloatCode::of(cell).is_some_and(FloatCode::is_single);
    match item {
        Item::F32(bits) if !single => Item::F64(widened(bits)),
        Item::F64(bits) if single => Item::F32((f64::from_bits(bits) as f32).to_bits()),
        Item::Int(n) if single => Item::F32((n as f32).to_bits()),
        Item::Int(n) => Item::F64((n as f64).to_bits()),
        item => item,
    }
}

/// Stores the low bytes of a number, the lowest first. Widths are known where they are copied: one that
/// is not takes a call.
#[inline]
pub(crate) fn store_le(to: &mut [u8], number: u64) {
    let bytes = number.to_le_bytes();
    match to {
        [to] => *to = bytes[0],
        [_, _] => to.copy_from_slice(&bytes[..2]),
        [_, _, _, _] => to.copy_from_slice(&bytes[..4]),
        [_, _, _, _, _, _, _, _] => to.copy_from_slice(&bytes),
        to => to.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte),
    }
}

/// A number of 1 to 8 bytes; 0 where there are fewer.
#[inline]
pub(crate) fn load(bytes: &[u8], at: usize, size: u8, order: Endian) -> u64 {
    let Some(field) = bytes.get(at..at.wrapping_add(usize::from(size))) else { return 0 };
    number_of(field, order).unwrap_or(0)
}

/// The byte order that a number of a type has where it is.
pub(super) fn cell_order(from: From, int: IntType, order: Endian) -> Endian {
    order_in(from, int.order.map(Into::into)).unwrap_or(order)
}

/// The byte order that something says itself, in the bytes of a file. What is built has the lowest
/// byte first until it is written; but elements that stand as in the file that was read are taken from
/// there when it is written, too.
pub(super) fn order_in(from: From, own: Option<Endian>) -> Option<Endian> {
    own.filter(|_| from == From::File)
}
