//! How much is done to make a long function shorter.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::names::named;
use crate::model::Model;
use crate::rust::file::text_of;

/// What becomes a function of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Effort {
    /// Large pieces of functions of many tokens.
    Usual,
    /// Those of functions of many lines, too.
    Lines,
    /// Smaller ones, and small cases, forms, and comparisons of rows.
    Steps,
    /// Loops as well, and several rows together.
    Loops,
}

/// Rows that are read by one function, if each alone is little.
pub(super) const ROWS: usize = 6;

impl Effort {
    pub const MORE: [Effort; 3] = [Effort::Lines, Effort::Steps, Effort::Loops];

    pub fn takes_small_cases(self) -> bool {
        self >= Effort::Steps
    }

    pub fn takes_steps(self) -> bool {
        self >= Effort::Steps
    }

    pub fn takes_loops(self) -> bool {
        self >= Effort::Loops
    }

    /// Tokens of what is not worth a function.
    pub fn few(self, usual: usize) -> usize {
        match self {
            Effort::Usual | Effort::Lines => usual,
            Effort::Steps | Effort::Loops => usual / 2,
        }
    }
}

/// How many lines a function has in a file.
pub(super) fn lines(function: &TokenStream, model: &Model) -> usize {
    let function = named(function.clone(), model);
    let inner = quote!(mod straight { #function });
    syn::parse2(inner).map_or(0, |file| text_of(file).lines().count().saturating_sub(2))
}
