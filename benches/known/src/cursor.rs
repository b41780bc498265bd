//! What the readers written by hand share: bytes that are taken one after another.

use std::borrow::Cow;

/// Bytes that are left.
#[derive(Clone, Copy)]
pub struct Cursor<'a>(pub &'a [u8]);

impl<'a> Cursor<'a> {
    /// Those of a file from an offset on.
    #[inline]
    pub fn at(file: &'a [u8], offset: u64) -> Option<Self> {
        file.get(usize::try_from(offset).ok()?..).map(Cursor)
    }

    /// The next `N`.
    #[inline]
    pub fn block<const N: usize>(&mut self) -> Option<&'a [u8; N]> {
        let (block, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(block)
    }

    /// The next so many.
    #[inline]
    pub fn take(&mut self, size: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(size)?;
        self.0 = rest;
        Some(taken)
    }

    /// The bytes of so many elements of `size` bytes.
    #[inline]
    pub fn many(&mut self, count: usize, size: usize) -> Option<&'a [u8]> {
        self.take(count.checked_mul(size)?)
    }

    /// Those up to a byte, which is skipped.
    #[inline]
    pub fn until(&mut self, end: u8) -> Option<&'a [u8]> {
        let at = find(self.0, end)?;
        let text = &self.0[..at];
        self.0 = &self.0[at + 1..];
        Some(text)
    }

    #[inline]
    pub fn u8(&mut self) -> Option<u8> {
        self.block::<1>().map(|b| b[0])
    }
}

/// Where a byte is first, eight bytes at a time.
#[inline]
pub fn find(bytes: &[u8], wanted: u8) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let (chunks, rest) = (bytes.chunks_exact(8), bytes.chunks_exact(8).remainder());
    for (index, chunk) in chunks.enumerate() {
        let x = u64::from_le_bytes(chunk.try_into().ok()?) ^ (ONES * u64::from(wanted));
        let hit = x.wrapping_sub(ONES) & !x & (ONES << 7);
        if hit != 0 {
            return Some(index * 8 + hit.trailing_zeros() as usize / 8);
        }
    }
    let at = rest.iter().position(|byte| *byte == wanted)?;
    Some(bytes.len() - rest.len() + at)
}

#[inline]
pub fn be16(b: &[u8], at: usize) -> u16 {
    u16::from_be_bytes(b[at..at + 2].try_into().unwrap())
}
#[inline]
pub fn be32(b: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(b[at..at + 4].try_into().unwrap())
}
#[inline]
pub fn be64(b: &[u8], at: usize) -> u64 {
    u64::from_be_bytes(b[at..at + 8].try_into().unwrap())
}
#[inline]
pub fn le16(b: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(b[at..at + 2].try_into().unwrap())
}
#[inline]
pub fn le32(b: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(b[at..at + 4].try_into().unwrap())
}
#[inline]
pub fn le64(b: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(b[at..at + 8].try_into().unwrap())
}

/// Letters below 0x80.
#[inline]
pub fn ascii(bytes: &[u8]) -> Option<Cow<'_, str>> {
    if !bytes.is_ascii() {
        return None;
    }
    std::str::from_utf8(bytes).ok().map(Cow::Borrowed)
}
