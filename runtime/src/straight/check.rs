//! Arithmetic and rules over values.

use crate::functions;
use alloc::vec::Vec;
use core::cell::RefCell;

use super::levels::Levels;
use super::{Odd, Straight};

type Number = Option<i128>;

fn both(a: Number, b: Number, f: impl Fn(i128, i128) -> Number) -> Straight<Number> {
    match (a, b) {
        (Some(a), Some(b)) => f(a, b).map(Some).ok_or(Odd),
        _ => Ok(None),
    }
}

/// The sum; nothing if one of them is nothing.
///
/// # Errors
///
/// If it has no 128 bits.
#[inline]
pub fn add(a: Number, b: Number) -> Straight<Number> {
    both(a, b, i128::checked_add)
}

/// The difference; nothing if one of them is nothing.
///
/// # Errors
///
/// If it has no 128 bits.
#[inline]
pub fn subtract(a: Number, b: Number) -> Straight<Number> {
    both(a, b, i128::checked_sub)
}

/// A number of bytes as one of units of so many bytes; nothing if there is none.
///
/// # Errors
///
/// If it is no whole number of them.
#[inline]
pub fn units(bytes: Number, unit: u64) -> Straight<Number> {
    if unit == 1 {
        return Ok(bytes);
    }
    let unit = Some(unit.into());
    super::holds(matches!(remainder(bytes, unit)?, None | Some(0)))?;
    divide(bytes, unit)
}

/// The product; nothing if one of them is nothing.
///
/// # Errors
///
/// If it has no 128 bits.
#[inline]
pub fn multiply(a: Number, b: Number) -> Straight<Number> {
    both(a, b, i128::checked_mul)
}

/// The quotient, rounded down; nothing if one of them is nothing.
///
/// # Errors
///
/// If the divisor is not positive.
#[inline]
pub fn divide(a: Number, b: Number) -> Straight<Number> {
    both(a, b, |a, b| if b > 0 { a.checked_div_euclid(b) } else { None })
}

/// The remainder, which is not negative; nothing if one of them is nothing.
///
/// # Errors
///
/// If the divisor is not positive.
#[inline]
pub fn remainder(a: Number, b: Number) -> Straight<Number> {
    both(a, b, |a, b| if b > 0 { a.checked_rem_euclid(b) } else { None })
}

/// The first number times a power of two; nothing if one of them is nothing.
///
/// # Errors
///
/// If it has no 128 bits, or the exponent is not between 0 and 127.
#[inline]
pub fn shift_left(a: Number, b: Number) -> Straight<Number> {
    both(a, b, |a, b| {
        let power = 1_i128.checked_shl(u32::try_from(b).ok()?).filter(|power| *power > 0);
        power.and_then(|power| a.checked_mul(power))
    })
}

/// The first number without some of its lowest bits; nothing if one of them is nothing.
///
/// # Errors
///
/// If that many bits are not between 0 and 127.
#[inline]
pub fn shift_right(a: Number, b: Number) -> Straight<Number> {
    both(a, b, |a, b| a.checked_shr(u32::try_from(b).ok()?))
}

/// The lesser of two numbers; nothing if one of them is nothing.
#[inline]
pub fn least(a: Number, b: Number) -> Number {
    Some(a?.min(b?))
}

/// The greater of two numbers; nothing if one of them is nothing.
#[inline]
pub fn greatest(a: Number, b: Number) -> Number {
    Some(a?.max(b?))
}

/// An element of a list.
#[inline]
pub fn nth<T>(list: &[T], index: Option<i128>) -> Option<&T> {
    index.and_then(|n| usize::try_from(n).ok()).and_then(|n| list.get(n))
}

/// Where an element begins or ends, of so many of a size in bytes one behind the other; nothing if
/// there is no such element.
#[must_use]
pub fn element_of(
    from: u64,
    size: u64,
    count: usize,
    index: Option<i128>,
    end: bool,
) -> Option<i128> {
    let index = index.filter(|n| (0..count as i128).contains(n))?;
    Some(i128::from(from) + (index + i128::from(end)) * i128::from(size))
}

/// The number whose multiple by `factor`, plus `offset`, is a count.
///
/// # Errors
///
/// If no number is that.
#[inline]
pub fn solved(count: i128, factor: i128, offset: i128) -> Straight<Option<i128>> {
    let rest = count.checked_sub(offset).ok_or(Odd)?;
    if factor == 1 {
        return Ok(Some(rest));
    }
    if rest.checked_rem(factor) != Some(0) {
        return Err(Odd);
    }
    Ok(rest.checked_div(factor))
}

/// Numbers of which none comes twice.
#[derive(Debug)]
pub enum KeySet {
    /// Every number below this.
    Below(i128),
    /// These, sorted.
    Sorted(Vec<i128>),
}

impl KeySet {
    /// The numbers, in any order.
    ///
    /// # Errors
    ///
    /// If one comes twice and `unique` is said.
    pub fn new(keys: impl Iterator<Item = i128>, unique: bool) -> Straight<KeySet> {
        let mut keys: Vec<i128> = keys.collect();
        keys.sort_unstable();
        if unique && keys.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(Odd);
        }
        let dense = keys.iter().zip(0_i128..).all(|(key, index)| *key == index);
        Ok(if dense { KeySet::Below(keys.len() as i128) } else { KeySet::Sorted(keys) })
    }

    /// Whether a number is one of them.
    #[inline]
    pub fn has(&self, key: i128) -> bool {
        match self {
            KeySet::Below(end) => (0..*end).contains(&key),
            KeySet::Sorted(keys) => keys.binary_search(&key).is_ok(),
        }
    }
}

/// What rules look at beside values, where no reference names a key.
#[derive(Debug, Default)]
pub struct NoKeys {
    /// How deep the value at hand is.
    pub depth: Depth,
}

/// How many levels of recursive types are open.
#[derive(Debug)]
pub struct Depth(RefCell<Levels>);

impl Default for Depth {
    fn default() -> Depth {
        Depth(RefCell::new(Levels::new(u32::MAX)))
    }
}

/// One open level, which ends when this is dropped.
#[derive(Debug)]
pub struct Level<'d>(&'d Depth);

impl Depth {
    /// One level more.
    ///
    /// # Errors
    ///
    /// If there are too many for the stack.
    #[inline]
    pub fn enter(&self) -> Straight<Level<'_>> {
        self.0.borrow_mut().enter()?;
        Ok(Level(self))
    }
}

impl Drop for Level<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0 .0.borrow_mut().leave();
    }
}

/// The hash of a text, from a seed on.
#[inline]
#[must_use]
pub fn murmur3(text: Option<&[u8]>, seed: Option<i128>) -> Option<i128> {
    text.map(|text| functions::murmur3(text, seed).into())
}

/// The same.
#[inline]
#[must_use]
pub fn fnv1a(text: Option<&[u8]>, seed: Option<i128>) -> Option<i128> {
    text.map(|text| functions::fnv1a(text, seed).into())
}

/// The same, with a factor.
#[inline]
#[must_use]
pub fn polynomial(text: Option<&[u8]>, factor: Option<i128>, start: Option<i128>) -> Option<i128> {
    Some(functions::polynomial(text?, factor?, start?).into())
}

/// The name in a path up to its last dot, without folders.
#[must_use]
pub fn stem(path: &[u8]) -> &[u8] {
    path.get(functions::stem(path)).unwrap_or_default()
}

/// Units that a text has in UTF-16.
#[must_use]
pub fn utf16_units(text: &[u8]) -> i128 {
    functions::utf16_units(text).into()
}

/// What stands in a path behind the last dot of its name.
#[must_use]
pub fn extension(path: &[u8]) -> &[u8] {
    path.get(functions::extension(path)).unwrap_or_default()
}
