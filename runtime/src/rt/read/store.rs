//! Typed values that the tree names by number.

use super::prelude::*;

/// A value that is a node whose typed value is gone: only if the tree is not one.
#[cold]
pub fn lost<T>() -> Read<T> {
    Err(expression("a value is taken twice", 0))
}

/// Puts a typed value where the tree can name it.
pub fn store<T>(list: &mut Vec<Option<T>>, value: T) -> u32 {
    list.push(Some(value));
    u32::try_from(list.len().saturating_sub(1)).unwrap_or(NOTHING)
}

/// Takes it back.
///
/// # Errors
///
/// If it is not there any more.
pub fn unstore<T>(list: &mut [Option<T>], index: u32) -> Read<T> {
    match list.get_mut(index as usize).and_then(Option::take) {
        Some(value) => Ok(value),
        None => lost(),
    }
}

/// A typed value that may be asked for again.
///
/// # Errors
///
/// If it is not there.
pub fn copy_of<T: Clone>(list: &[Option<T>], index: u32) -> Read<T> {
    match list.get(index as usize) {
        Some(Some(value)) => Ok(value.clone()),
        _ => lost(),
    }
}
