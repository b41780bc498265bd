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
    let mut chunks = bytes.chunks_exact(4);
    let mut crc = u32::MAX;
    for chunk in &mut chunks {
        // Each table has what a byte becomes that so many others follow.
        let [a, b, c, d] = (crc ^ little_endian(chunk)).to_le_bytes();
        crc = TABLES[3][usize::from(a)]
            ^ TABLES[2][usize::from(b)]
            ^ TABLES[1][usize::from(c)]
            ^ TABLES[0][usize::from(d)];
    }
    for byte in chunks.remainder() {
        let [low, ..] = crc.to_le_bytes();
        crc = TABLES[0][usize::from(low ^ byte)] ^ (crc >> 8);
    }
    !crc
}

/// What each byte does to a register of CRC-32, with none to three bytes of zero behind it.
static TABLES: [[u32; 256]; 4] = tables();

const fn tables() -> [[u32; 256]; 4] {
    let mut tables = [[0; 256]; 4];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = (crc >> 1) ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 };
            bit += 1;
        }
        tables[0][byte] = crc;
        byte += 1;
    }
    let mut table = 1;
    while table < 4 {
        let mut byte = 0;
        while byte < 256 {
            let before: u32 = tables[table - 1][byte];
            tables[table][byte] = tables[0][(before & 0xff) as usize] ^ (before >> 8);
            byte += 1;
        }
        table += 1;
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
    const PRIME: u32 = 65521;
    let (mut low, mut high) = (1, 0);
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
