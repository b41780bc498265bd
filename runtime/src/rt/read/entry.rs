//! What stands at constant places and decides everything else.

use super::prelude::*;

/// A path of fields.
#[must_use]
pub fn fields(names: &[&'static str]) -> Path {
    names.iter().map(|name| Segment::from(*name)).collect()
}

/// Epoch variables stand at constant places, and so does the byte order mark.
///
/// # Errors
///
/// `UnexpectedEnd`, with its whole path.
pub fn early(bytes: &[u8], at: u64, size: u64, names: &[&'static str]) -> Read<u64> {
    match crate::slice(bytes, at, size) {
        Ok(_) => Ok(at),
        Err(error) => {
            let length = bytes.len() as u64;
            let error = if error.offset() <= length {
                error
            } else {
                ReadError::new(error.kind().clone(), length)
            };
            Err(error.with_path(fields(names)))
        }
    }
}

/// The epoch whose ranges hold the context.
///
/// # Errors
///
/// `NoLayout`.
pub fn choose_epoch(
    context: &[i128],
    epochs: &[&[&[(i128, i128)]]],
    variables: &[(&'static str, u64, &[&'static str])],
) -> Read<usize> {
    let inside =
        |ranges: &[(i128, i128)], n: i128| ranges.iter().any(|(low, high)| *low <= n && n <= *high);
    let covers = |epoch: &&[&[(i128, i128)]]| {
        context.iter().zip(*epoch).all(|(n, ranges)| inside(ranges, *n))
    };
    if let Some(index) = epochs.iter().position(covers) {
        return Ok(index);
    }
    let culprit = context.iter().enumerate().find(|(index, n)| {
        !epochs.iter().any(|epoch| epoch.get(*index).is_some_and(|ranges| inside(ranges, **n)))
    });
    let (index, value) =
        culprit.map_or((0, context.first().copied().unwrap_or(0)), |(i, n)| (i, *n));
    let (name, offset, path) = variables.get(index).copied().unwrap_or(("", 0, &[]));
    let kind = ReadErrorKind::NoLayout { name: name.into(), value };
    Err(ReadError::new(kind, offset).with_path(fields(path)))
}
