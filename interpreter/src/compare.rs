//! Two files of one format, side by side: what in one is what in the other.
//!
//! [`Parts`] is the value of a file with the place of each of its parts; [`Matching`] says which
//! part of one file is which of another. Elements of arrays are told apart by what the model says
//! names them ([`keys`]), and otherwise by what they hold ([`align`]).

mod align;
mod hash;
mod keys;
mod matching;
mod parts;

pub(crate) use align::{NONE, longest_run};
pub(crate) use hash::Quick;
pub(crate) use matching::{Matching, Pairs, fields};
pub(crate) use parts::{PartId, Parts, ROOT, Spot, What, reference_rows};
