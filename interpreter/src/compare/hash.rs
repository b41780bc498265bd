//! Digests of values, and maps by small keys.
//!
//! A digest only decides what is compared with what. Whether two values are equal is never decided
//! by one, so a collision makes a report longer and not wrong.

use std::hash::{BuildHasherDefault, Hasher};

const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Adds something to a digest.
pub(crate) fn mix(digest: u64, with: u64) -> u64 {
    let mixed = (digest.rotate_left(23) ^ with).wrapping_mul(FACTOR);
    mixed ^ (mixed >> 29)
}

/// Digest of bytes.
pub(crate) fn bytes(seed: u64, bytes: &[u8]) -> u64 {
    let mut digest = mix(seed, u64::try_from(bytes.len()).unwrap_or(u64::MAX));
    let (chunks, rest) = bytes.as_chunks::<8>();
    for chunk in chunks {
        digest = mix(digest, u64::from_le_bytes(*chunk));
    }
    rest.iter().fold(digest, |digest, byte| mix(digest, u64::from(*byte)))
}

/// A hasher for places in trees.
pub(crate) type Quick = BuildHasherDefault<QuickHasher>;

/// See [`Quick`].
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct QuickHasher(u64);

impl Hasher for QuickHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, all: &[u8]) {
        self.0 = bytes(self.0, all);
    }

    fn write_u16(&mut self, number: u16) {
        self.0 = mix(self.0, number.into());
    }

    fn write_u32(&mut self, number: u32) {
        self.0 = mix(self.0, number.into());
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = mix(self.0, number);
    }
}
