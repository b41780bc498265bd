//! Bytes of a file, and whose they are.

use formwork::engine::Loc;

/// Bytes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Address of the first one.
    pub at: u64,
    /// Address behind the last one.
    pub end: u64,
}

impl Extent {
    /// The bytes of a file that has them.
    pub(crate) fn of(self, bytes: &[u8]) -> Option<&[u8]> {
        bytes.get(usize::try_from(self.at).ok()?..usize::try_from(self.end).ok()?)
    }
}

/// Bytes that a row accounts for, and how many of its claims were met before.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Owned {
    pub at: u64,
    pub end: u64,
    pub loc: Loc,
    pub number: u32,
}
