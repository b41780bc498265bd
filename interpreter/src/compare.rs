//! Two files of one format, side by side: what in one is what in the other.
//!
//! [`Parts`] is the value of a file with the place of each of its parts; [`Matching`] says which
//! part of one file is which of another. Elements of arrays are told apart by what the model says
//! names or describes them ([`keys`]), and otherwise by what they hold ([`content`], [`align`]); arrays
//! that others have references to, or are described by, come first ([`order`], [`pairing`]).

mod align;
mod content;
mod hash;
mod keys;
mod matching;
mod order;
mod pairing;
mod parts;

pub(crate) use align::{NONE, longest_run};
pub(crate) use hash::Quick;
pub(crate) use matching::{Matching, Pairs};
pub(crate) use pairing::matched;
pub(crate) use parts::{
    Described, PartId, Parts, ROOT, Spot, What, described_rows, fields, reference_rows,
};
