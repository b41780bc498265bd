//! What computed rows are known by in spellings, to tell whether they are still the same.

use alloc::vec::Vec;

/// Rows of texts and numbers, one behind the other.
#[derive(Debug, Default)]
pub(crate) struct Digest(Vec<u8>);

impl Digest {
    /// A text, or bytes.
    pub(crate) fn text(&mut self, text: &[u8]) {
        self.0.extend_from_slice(text);
        self.0.push(0xff);
    }

    /// A number; nothing if there is something else.
    pub(crate) fn number(&mut self, number: Option<i128>) {
        match number {
            Some(number) => self.0.extend_from_slice(&number.to_le_bytes()),
            None => self.0.push(0xfe),
        }
    }

    /// A row ends.
    pub(crate) fn end_row(&mut self) {
        self.0.push(0xfd);
    }

    /// A number of 64 bits that stands for all of it.
    pub(crate) fn finish(&self) -> i128 {
        let low = crate::fnv1a_32(&self.0, crate::FNV1A_SEED);
        let high = crate::murmur3_32(&self.0, 0);
        i128::from(u64::from(high) << 32 | u64::from(low))
    }
}
