//! Equality that may count spelling.

/// Equality: of meaning, and of spelling too if that is asked for. Floats are compared by their
/// bits.
pub trait Same {
    /// Whether both mean the same, and, if `spelling`, are spelled in the same way.
    fn same(&self, other: &Self, spelling: bool) -> bool;
}
