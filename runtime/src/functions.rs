//! Functions of texts in expressions, for whoever evaluates these.

use core::ops::Range;

/// `murmur3(text, seed)`. A seed that is none is 0.
#[must_use]
pub(crate) fn murmur3(text: &[u8], seed: Option<i128>) -> u32 {
    crate::murmur3_32(text, seed_of(seed).unwrap_or(0))
}

/// `fnv1a(text, seed)`. A seed that is none is the usual one.
#[must_use]
pub(crate) fn fnv1a(text: &[u8], seed: Option<i128>) -> u32 {
    crate::fnv1a_32(text, seed_of(seed).unwrap_or(crate::FNV1A_SEED))
}

/// `polynomial(text, factor, start)`. Of numbers count the lowest 32 bits.
#[must_use]
pub(crate) fn polynomial(text: &[u8], factor: i128, start: i128) -> u32 {
    crate::polynomial_32(text, factor as u32, start as u32)
}

/// `utf16_units(text)`, of a text in UTF-8: one for each letter, two for one of four bytes.
#[must_use]
pub(crate) fn utf16_units(text: &[u8]) -> u64 {
    text.iter().fold(0, |units, byte| {
        units
            + match byte {
                0x80..=0xbf => 0,
                0xf0.. => 2,
                _ => 1,
            }
    })
}

fn seed_of(seed: Option<i128>) -> Option<u32> {
    seed.and_then(|seed| u32::try_from(seed).ok())
}

/// Where the name in a path begins, and its last dot.
fn name(path: &[u8]) -> (usize, Option<usize>) {
    let base = path.iter().rposition(|b| *b == b'/').map_or(0, |slash| slash + 1);
    let dot = path.get(base..).and_then(|name| name.iter().rposition(|b| *b == b'.'));
    (base, dot.map(|dot| base + dot))
}

/// Where in a path its name is, up to its last dot, without folders.
#[must_use]
pub(crate) fn stem(path: &[u8]) -> Range<usize> {
    let (base, dot) = name(path);
    base..dot.unwrap_or(path.len())
}

/// Where in a path stands what is behind the last dot of its name.
#[must_use]
pub(crate) fn extension(path: &[u8]) -> Range<usize> {
    let (_, dot) = name(path);
    dot.map_or(path.len(), |dot| dot + 1)..path.len()
}
