//! What holds for every schema, as functions that tests and fuzz targets share.
//!
//! [`laws`] speaks of the interpreter alone. A [`Subject`] is a schema together with the code that
//! was generated from it, and [`Property`] lists what must hold for both, whatever bytes they are
//! given. [`text`] tries the front end on any text, and on schemas that are put together of valid
//! pieces.
//!
//! No function here panics on any input: what does not hold is returned as [`laws::Broken`], and
//! how a caller reports that is its own affair. A panic is a finding, too.
#![forbid(unsafe_code)]

pub mod amounts;
mod arena;
mod codec;
pub mod edit;
pub mod follow;
pub mod fuzz;
pub mod laws;
mod maker;
pub mod mend;
pub mod mutate;
pub mod patch;
pub mod pieces;
mod property;
mod refusal;
pub mod seeds;
pub mod shown;
mod subject;
pub mod text;
pub mod value_text;

pub use arena::{Arena, Arenas};
pub use codec::{Codec, Show};
pub use property::{Case, Outcome, Property};
pub use subject::{Check, Subject};

#[doc(hidden)]
pub use {arbitrary, formwork};
