//! How deep recursive types are followed.

use super::{holds, Odd, Straight};
use crate::stack;

/// How deep recursive types are followed at most.
const DEPTH: u32 = 256;

/// How many levels of recursive types may still be entered.
#[derive(Debug)]
pub(super) struct Levels {
    left: u32,
    /// Where the stack was at the beginning.
    base: usize,
}

impl Levels {
    #[inline]
    pub(super) fn new(most: u32) -> Levels {
        Levels { left: most.min(DEPTH), base: stack::here() }
    }

    #[inline]
    pub(super) fn enter(&mut self) -> Straight<()> {
        self.left = self.left.checked_sub(1).ok_or(Odd)?;
        holds(self.base.abs_diff(stack::here()) <= stack::STRAIGHT)
    }

    #[inline]
    pub(super) fn leave(&mut self) {
        self.left = self.left.saturating_add(1);
    }
}
