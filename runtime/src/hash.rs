//! The hashes that formats store of their names.

/// Where [`fnv1a_32`] starts by default.
pub const FNV1A_SEED: u32 = 0x811c_9dc5;

/// FNV-1a of 32 bits, from `seed` on: [`FNV1A_SEED`], or the hash of what comes before `bytes`.
///
/// ```
/// use formwork::algorithms::{fnv1a_32, FNV1A_SEED};
///
/// assert_eq!(fnv1a_32(b"a", FNV1A_SEED), 0xe40c292c);
/// assert_eq!(fnv1a_32(b"b", fnv1a_32(b"a", FNV1A_SEED)), fnv1a_32(b"ab", FNV1A_SEED));
/// ```
#[must_use]
pub fn fnv1a_32(bytes: &[u8], seed: u32) -> u32 {
    const PRIME: u32 = 0x0100_0193;
    bytes.iter().fold(seed, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(PRIME))
}

/// MurmurHash3, the variant of 32 bits for x86, with `seed` (0 in most formats).
///
/// ```
/// assert_eq!(formwork::algorithms::murmur3_32(b"", 0), 0);
/// assert_eq!(formwork::algorithms::murmur3_32(b"gyml", 0), 0x0b68a737);
/// ```
#[must_use]
pub fn murmur3_32(bytes: &[u8], seed: u32) -> u32 {
    let mut chunks = bytes.chunks_exact(4);
    let mut hash = seed;
    for chunk in &mut chunks {
        hash ^= scramble(little_endian(chunk));
        hash = hash.rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    // The last one to three bytes are a short little-endian word. Without any it is 0, and
    // scrambles to 0.
    hash ^= scramble(little_endian(chunks.remainder()));
    // The definition takes the length modulo 2^32.
    hash ^= bytes.len() as u32;
    hash ^= hash >> 16;
    hash = hash.wrapping_mul(0x85eb_ca6b);
    hash ^= hash >> 13;
    hash = hash.wrapping_mul(0xc2b2_ae35);
    hash ^ (hash >> 16)
}

fn little_endian(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |word, &byte| (word << 8) | u32::from(byte))
}

fn scramble(word: u32) -> u32 {
    word.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593)
}
