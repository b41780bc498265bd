//! What generated code stands on. Not part of the public interface: it changes together with the
//! generator, and [`expect_codegen`] makes sure that the two fit.
//!
//! Generated types say by macro which row each of their fields is. From that come both ways between
//! a value and the engine: what the engine asks of a value ([`Source`]), and a value of what the
//! engine has read ([`Made`]).
#![allow(clippy::must_use_candidate)]

mod arbitrary;
mod arena;
mod carried;
mod edit;
mod inspect;
mod macros;
mod made;
mod names;
mod packing;
mod serde;
mod source;
mod value;

pub use crate::engine::{Asked, Fields, Given, Numbering, Spelled, Step};
pub use crate::json::FromMembers;
pub use crate::spelling::SpellingEntry;
pub use crate::straight as s;
pub use carried::{read, validate, write, Carried};
pub use edit::{number, on_way, turn, Array, Edited, Number, Place, Places};
pub use made::{Made, Seen};
pub use names::*;
pub use packing::{
    layout_of, pack, pack_file, pack_number, unpack, unpack_file, Bytes, Damaged, Packed,
};
pub use source::{bits_of, numbers_of, visit_kept, Source};
