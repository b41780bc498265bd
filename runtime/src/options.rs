//! Limits for reading input that may be hostile.

#![deny(clippy::arithmetic_side_effects)]

use crate::error::ReadErrorKind;

/// How strictly to read, and how much work and memory an input may cost.
///
/// ```
/// use formwork::ReadOptions;
///
/// let options = ReadOptions::default().max_depth(32).strict(true);
/// assert_eq!(options.max_depth, 32);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadOptions {
    /// How deep a value may be nested, counted in entries into types that contain themselves. 256
    /// by default.
    pub max_depth: u32,
    /// Units of [`Budget::charge`] that each byte of input allows. 64 by default: an honest file
    /// decodes each byte once, and a byte of text as often as something names it.
    pub budget_factor: u64,
    /// Units that any input allows, however short. 65,536 by default, so that a small file whose
    /// records share much is not refused.
    pub budget_floor: u64,
    /// Accept what breaks a rule without changing the meaning, such as padding that is not zero,
    /// and keep it. Off by default.
    pub lenient: bool,
    /// Treat as an error what is otherwise only noted, such as a pointer that the schema does not
    /// know. Off by default.
    pub strict: bool,
    /// Believe what follows from the rest: numbers, checksums, tables and string pools that writing
    /// derives, and where it places objects. None of that is compared with the value, so a file is
    /// read in less time, and what is unusual about it is not kept, so the value may not be written
    /// back as the same file. Rules of the schema about values hold all the same. Off by default.
    pub trusting: bool,
}

impl ReadOptions {
    /// What readers allow unless they are told otherwise.
    pub(crate) const MAX_DEPTH: u32 = 256;
    pub(crate) const BUDGET_FACTOR: u64 = 64;
    pub(crate) const BUDGET_FLOOR: u64 = 0x10000;
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            max_depth: Self::MAX_DEPTH,
            budget_factor: Self::BUDGET_FACTOR,
            budget_floor: Self::BUDGET_FLOOR,
            lenient: false,
            strict: false,
            trusting: false,
        }
    }
}

impl ReadOptions {
    /// Sets [`max_depth`](Self::max_depth), in entries into types that contain themselves.
    #[must_use]
    pub fn max_depth(mut self, entries: u32) -> Self {
        self.max_depth = entries;
        self
    }

    /// Sets [`budget_factor`](Self::budget_factor), in units per byte of input.
    #[must_use]
    pub fn budget_factor(mut self, units: u64) -> Self {
        self.budget_factor = units;
        self
    }

    /// Sets [`budget_floor`](Self::budget_floor), in units.
    #[must_use]
    pub fn budget_floor(mut self, units: u64) -> Self {
        self.budget_floor = units;
        self
    }

    /// Sets [`lenient`](Self::lenient).
    #[must_use]
    pub fn lenient(mut self, lenient: bool) -> Self {
        self.lenient = lenient;
        self
    }

    /// Sets [`strict`](Self::strict).
    #[must_use]
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// Sets [`trusting`](Self::trusting).
    #[must_use]
    pub fn trusting(mut self, trusting: bool) -> Self {
        self.trusting = trusting;
        self
    }
}

/// The account that one read draws on, so that no input costs more than a fixed multiple of its
/// length, whatever its pointers and counts say.
///
/// ```
/// use formwork::{ReadErrorKind, ReadOptions};
/// use formwork::engine::Budget;
///
/// let options = ReadOptions::default().budget_factor(2).budget_floor(0);
/// let mut budget = Budget::new(10, &options);
/// assert!(budget.charge(20).is_ok());
/// assert_eq!(budget.charge(1), Err(ReadErrorKind::BudgetExceeded { limit: 20 }));
/// ```
#[derive(Debug, Clone)]
pub struct Budget {
    left: u64,
    limit: u64,
    depth: u32,
    max_depth: u32,
}

impl Budget {
    /// The account of an input of `input_len` bytes: [`ReadOptions::budget_factor`] units for each,
    /// or [`ReadOptions::budget_floor`] if that is more.
    #[must_use]
    pub fn new(input_len: u64, options: &ReadOptions) -> Self {
        let limit = input_len.saturating_mul(options.budget_factor).max(options.budget_floor);
        Budget { left: limit, limit, depth: 0, max_depth: options.max_depth }
    }

    /// Takes `units` off. A unit is one byte of the file that is decoded, each time it is decoded;
    /// or one element that takes no bytes; or one element that an expression looks at. Charge
    /// before allocating.
    ///
    /// # Errors
    ///
    /// `BudgetExceeded` if less is left. What is left then stays, and so does the error for as
    /// large a charge.
    #[inline]
    pub fn charge(&mut self, units: u64) -> Result<(), ReadErrorKind> {
        match self.left.checked_sub(units) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(exceeded(self.limit)),
        }
    }

    /// Enters a type that contains itself. To be paired with [`leave`](Self::leave).
    ///
    /// # Errors
    ///
    /// `DepthLimit` if that would be deeper than [`ReadOptions::max_depth`]. The depth then stays
    /// as it was, so there is nothing to leave.
    #[inline]
    pub fn enter(&mut self) -> Result<(), ReadErrorKind> {
        if self.depth >= self.max_depth {
            return Err(ReadErrorKind::DepthLimit { limit: self.max_depth });
        }
        self.depth = self.depth.saturating_add(1);
        Ok(())
    }

    /// Leaves the type that was entered last.
    #[inline]
    pub fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Units that are left.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.left
    }
}

#[cold]
fn exceeded(limit: u64) -> ReadErrorKind {
    ReadErrorKind::BudgetExceeded { limit }
}
