//! Numbers: loads, what they mean, and what expressions give for counts and conditions.

use super::prelude::*;

/// A number in a block; 0 if the block is too short for it.
#[inline]
pub fn load(block: &[u8], at: usize, width: u8, big: bool) -> u64 {
    macro_rules! fixed {
        ($n:literal, $ty:ty) => {
            match block.get(at..).and_then(|rest| rest.first_chunk::<$n>()) {
                Some(bytes) => {
                    (if big { <$ty>::from_be_bytes(*bytes) } else { <$ty>::from_le_bytes(*bytes) })
                        .into()
                }
                None => 0,
            }
        };
    }
    match width {
        1 => block.get(at).copied().unwrap_or(0).into(),
        2 => fixed!(2, u16),
        4 => fixed!(4, u32),
        8 => fixed!(8, u64),
        _ => {
            let end = at.saturating_add(width.into());
            let bytes = block.get(at..end).unwrap_or(&[]);
            let fold = |n: u64, b: &u8| n << 8 | u64::from(*b);
            if big {
                bytes.iter().fold(0, fold)
            } else {
                bytes.iter().rev().fold(0, fold)
            }
        }
    }
}

/// The number that bits mean.
#[inline]
pub fn signed(raw: u64, bits: u32, signed: bool) -> i128 {
    if signed {
        crate::sign_extend(raw, bits).into()
    } else {
        raw.into()
    }
}

/// Bits of a word.
#[inline]
pub fn bits_of(word: u64, first: u8, last: u8) -> u64 {
    let width = u32::from(last.saturating_sub(first)).saturating_add(1);
    let mask = u64::MAX.checked_shr(64_u32.saturating_sub(width)).unwrap_or(0);
    word.checked_shr(first.into()).unwrap_or(0) & mask
}

/// Bits of a number at these positions, the first the highest.
pub fn letters(number: i128, positions: &[u32]) -> u64 {
    let number = unsigned(number);
    positions.iter().fold(0, |value, bit| {
        value << 1 | u64::from(number.checked_shr(*bit).unwrap_or(0) & 1 == 1)
    })
}

/// A truth value that is stored as a number.
///
/// # Errors
///
/// `InvalidBool`.
#[inline]
pub fn truth(raw: u64, yes: u64, at: u64) -> Read<bool> {
    match raw {
        0 => Ok(false),
        n if n == yes => Ok(true),
        value => Err(ReadError::new(ReadErrorKind::InvalidBool { value }, at)),
    }
}

/// The error of a number that a closed enumeration has no name for.
#[cold]
pub fn not_in_enum(name: &'static str, value: i128, at: u64) -> ReadError {
    ReadError::new(ReadErrorKind::NotInEnum { name: name.into(), value }, at)
}

/// A number less what is added to it when it is stored.
///
/// # Errors
///
/// If the result is beyond 128 bits.
pub fn less(number: i128, plus: i128, at: u64) -> Read<i128> {
    number.checked_sub(plus).ok_or_else(|| expression("a number is beyond 128 bits", at))
}

/// A number that means "nothing", if it is not the first one that does.
pub fn keep_none(number: i128, first: i128, spelling: &mut Spelling, row: u16, index: Option<u32>) {
    if number != first {
        spelling.keep(SpellingEntry {
            row,
            index,
            kind: KeptKind::Number,
            stored: KeptValue::Int(number),
            instead_of: KeptValue::Int(first),
        });
    }
}

/// A count or size from an expression.
///
/// # Errors
///
/// If it is negative or not there.
#[inline]
pub fn count_of<'i>(core: &mut Core<'i>, val: Fallible<Val<'i>>, at: u64) -> Read<u64> {
    if let Ok(Val::Int(n)) = &val {
        if let Ok(n) = u64::try_from(*n) {
            return Ok(n);
        }
    }
    odd_count(core, val, at)
}

#[cold]
fn odd_count<'i>(core: &mut Core<'i>, val: Fallible<Val<'i>>, at: u64) -> Read<u64> {
    match val.and_then(|val| int_of(&val)) {
        Ok(Some(count)) => u64::try_from(count)
            .map_err(|_| ReadError::new(ReadErrorKind::NegativeCount { count }, at)),
        Ok(None) => Err(expression("the count or size depends on something that is not there", at)),
        Err(fault) => Err(core.fault(*fault, at)),
    }
}

/// A condition.
///
/// # Errors
///
/// If the expression fails.
#[inline]
pub fn holds<'i>(core: &mut Core<'i>, val: Fallible<Val<'i>>, at: u64) -> Read<bool> {
    match val.and_then(|val| truth_of(&val)) {
        Ok(holds) => Ok(holds),
        Err(fault) => Err(core.fault(*fault, at)),
    }
}

/// The value of an expression.
///
/// # Errors
///
/// If it fails.
#[inline]
pub fn value_of<'i>(core: &mut Core<'i>, val: Fallible<Val<'i>>, at: u64) -> Read<Val<'i>> {
    val.map_err(|fault| core.fault(*fault, at))
}

/// The error of an expression.
#[cold]
pub fn expression(message: impl Into<String>, at: u64) -> ReadError {
    let message: String = message.into();
    ReadError::new(ReadErrorKind::Expression { message: message.into() }, at)
}

/// Address that a stored number means.
///
/// # Errors
///
/// `PointerOutOfBounds`.
#[inline]
pub fn target<'i>(
    core: &mut Core<'i>,
    base: Option<Fallible<Val<'i>>>,
    stored: i128,
    skip: i128,
    cell: u64,
) -> Read<u64> {
    let base = match base {
        None => 0,
        Some(base) => match base.and_then(|val| int_of(&val)) {
            Ok(base) => base.unwrap_or(0),
            Err(fault) => return Err(core.fault(*fault, cell)),
        },
    };
    let target = base.checked_add(stored).and_then(|n| n.checked_sub(skip));
    match target.and_then(|target| u64::try_from(target).ok()) {
        Some(target) if target <= core.length() => Ok(target),
        _ => {
            let kind = ReadErrorKind::PointerOutOfBounds { target: target.unwrap_or(stored) };
            Err(ReadError::new(kind, cell))
        }
    }
}

/// The same bits without a sign.
#[must_use]
#[inline]
pub fn unsigned(number: i128) -> u128 {
    u128::from_ne_bytes(number.to_ne_bytes())
}
