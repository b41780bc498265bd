//! The hashes that formats store of their names, and the checksums that they store of their bytes.

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

/// The bytes as coefficients of a polynomial, computed at `factor` modulo 2^32 from `start` on: for each
/// byte the hash is multiplied and the byte added. Many formats have such a hash, each with a factor of
/// its own: 31 from 0 on, 33 from 5381 on, or a number that the file says.
///
/// ```
/// use formwork::algorithms::polynomial_32;
///
/// assert_eq!(polynomial_32(b"ab", 31, 0), 97 * 31 + 98);
/// assert_eq!(polynomial_32(b"b", 31, polynomial_32(b"a", 31, 0)), polynomial_32(b"ab", 31, 0));
/// ```
#[must_use]
pub fn polynomial_32(bytes: &[u8], factor: u32, start: u32) -> u32 {
    let step = |hash: u32, byte: &u8| hash.wrapping_mul(factor).wrapping_add(u32::from(*byte));
    bytes.iter().fold(start, step)
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

/// CRC-32 as in ZIP, PNG and Ethernet: the polynomial 0xedb88320, all bits of the register set before
/// and inverted behind.
///
/// ```
/// assert_eq!(formwork::algorithms::crc32(b"123456789"), 0xcbf43926);
/// ```
#[must_use]
pub fn crc32(bytes: &[u8]) -> u32 {
    !crc32_behind(u32::MAX, bytes)
}

/// The register of CRC-32 behind more bytes.
pub(crate) fn crc32_behind(mut crc: u32, bytes: &[u8]) -> u32 {
    // Lanes do not wait for each other: each takes every fifth word, as if there were zeros where
    // those of the others are. Behind the last block they are put together.
    let (whole, rest) = bytes.split_at(bytes.len() - bytes.len() % (LANES * 8));
    if let Some(last) = whole.len().checked_sub(LANES * 8) {
        let (blocks, last) = whole.split_at(last);
        let mut lanes = [crc, 0, 0, 0, 0];
        for block in blocks.chunks_exact(LANES * 8) {
            for (lane, word) in lanes.iter_mut().zip(block.chunks_exact(8)) {
                *lane = crc32_word(&APART, *lane, word);
            }
        }
        crc = lanes
            .iter()
            .zip(last.chunks_exact(8))
            .fold(0, |crc, (lane, word)| crc32_word(&TOGETHER, crc ^ lane, word));
    }
    let mut words = rest.chunks_exact(8);
    for word in &mut words {
        crc = crc32_word(&TOGETHER, crc, word);
    }
    let [ones, ..] = &TOGETHER;
    for byte in words.remainder() {
        let [low, ..] = crc.to_le_bytes();
        crc = ones[usize::from(low ^ byte)] ^ (crc >> 8);
    }
    crc
}

/// A register of CRC-32 behind a word of eight bytes.
#[inline]
fn crc32_word(tables: &[[u32; 256]; 8], crc: u32, word: &[u8]) -> u32 {
    let Ok(word) = <[u8; 8]>::try_from(word) else { return crc };
    let word = (u64::from_le_bytes(word) ^ u64::from(crc)).to_le_bytes();
    // The first byte has the others behind it.
    let parts = word.iter().zip(tables.iter().rev());
    parts.fold(0, |crc, (byte, table)| crc ^ table[usize::from(*byte)])
}

/// Words that are looked at side by side.
const LANES: usize = 5;

/// What each byte does to a register of CRC-32, with no byte of zero to seven of them behind it.
static TOGETHER: [[u32; 256]; 8] = tables(0);

/// The same, with the words of the other lanes behind them.
static APART: [[u32; 256]; 8] = tables((LANES - 1) * 8);

/// What each byte does to a register, with so many bytes of zero behind it, or up to seven more.
const fn tables(zeros: usize) -> [[u32; 256]; 8] {
    let (mut ones, mut byte) = ([0; 256], 0);
    while byte < 256 {
        let (mut crc, mut bit) = (byte as u32, 0);
        while bit < 8 {
            crc = (crc >> 1) ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 };
            bit += 1;
        }
        ones[byte] = crc;
        byte += 1;
    }
    let (mut tables, mut byte) = ([[0; 256]; 8], 0);
    while byte < 256 {
        let (mut crc, mut behind) = (ones[byte], 0);
        while behind < zeros + 8 {
            if behind >= zeros {
                tables[behind - zeros][byte] = crc;
            }
            crc = ones[(crc & 0xff) as usize] ^ (crc >> 8);
            behind += 1;
        }
        byte += 1;
    }
    tables
}

/// Adler-32 as in streams of zlib.
///
/// ```
/// assert_eq!(formwork::algorithms::adler32(b"Wikipedia"), 0x11e60398);
/// ```
#[must_use]
pub fn adler32(bytes: &[u8]) -> u32 {
    adler32_behind(1, bytes)
}

/// Adler-32 of more bytes, behind those that it is of.
pub(crate) fn adler32_behind(sum: u32, bytes: &[u8]) -> u32 {
    const PRIME: u32 = 65521;
    let (mut low, mut high) = (sum & 0xffff, sum >> 16);
    // So many bytes fit the sums before these have to be reduced.
    for chunk in bytes.chunks(5552) {
        for byte in chunk {
            low += u32::from(*byte);
            high += low;
        }
        low %= PRIME;
        high %= PRIME;
    }
    (high << 16) | low
}

fn little_endian(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |word, &byte| (word << 8) | u32::from(byte))
}

fn scramble(word: u32) -> u32 {
    word.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn crc32_of_every_length_is_that_of_its_bits() {
        let bytes: Vec<u8> = (0..300_u32).map(|n| ((n * n) >> 3) as u8).collect();
        for length in 0..bytes.len() {
            let mut crc = u32::MAX;
            for byte in &bytes[..length] {
                crc ^= u32::from(*byte);
                for _ in 0..8 {
                    crc = (crc >> 1) ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 };
                }
            }
            assert_eq!(crc32(&bytes[..length]), !crc, "{length}");
            let (first, second) = bytes.split_at(length);
            assert_eq!(!crc32_behind(!crc32(first), second), crc32(&bytes), "{length}");
            assert_eq!(adler32_behind(adler32(first), second), adler32(&bytes), "{length}");
        }
    }
}
