//! What stands in the rows of records, as tables that reader and writer follow.
//!
//! One row is one entry, made by short constructors, so that a generated table reads like the
//! schema that it comes from.

mod number;
mod record;
mod ty;
mod union;

pub use number::*;
pub use record::*;
pub use ty::*;
pub use union::*;
