//! Equality that may count spelling, and hashes that fit the one that does not.

use core::hash::Hasher;

/// Equality: of meaning, and of spelling too if that is asked for. Floats are compared by their
/// bits.
pub trait Same {
    /// Whether both mean the same, and, if `spelling`, are spelled in the same way.
    fn same(&self, other: &Self, spelling: bool) -> bool;

    /// Feeds a hash with what it means: the same for two values that mean the same.
    fn digest(&self, state: &mut dyn Hasher);
}
