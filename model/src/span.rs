//! Places in schema texts.

/// Number of a schema text among those that were loaded together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceId(pub u32);

/// A run of bytes in one schema text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// The text.
    pub source: SourceId,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset behind the last byte.
    pub end: u32,
}

impl Span {
    /// The span from the beginning of `self` to the end of `other`, which lies in the same text.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { end: other.end.max(self.end), ..self }
    }

    /// Whether one of two spans holds a byte of the other, or its beginning.
    #[must_use]
    pub fn touches(self, other: Span) -> bool {
        self.source == other.source && self.start <= other.end && other.start <= self.end
    }
}
