//! A matrix of tests: each property of a row, at each place where a row may stand, in each part
//! that it may play.
//!
//! A [`Cell`] is a tiny schema, together with what its files and values must be. That is said by
//! `rules`, `Place` and `Part` from the language reference alone: nothing here asks the front
//! end or the engine what a schema means. [`Cell::outcome`] tries the cell on the engine, with every
//! number that its row may store and every value that somebody may give it.

mod around;
mod cell;
mod lengths;
mod line;
mod part;
mod place;
mod pointers;
mod row;
mod rules;
mod texts;
mod trial;
mod wide;

pub use cell::Cell;
pub use lengths::LENGTHS;
pub use line::{Line, lines};
pub use part::Part;
pub use place::Place;
pub use pointers::POINTERS;
pub use rules::{Rule, Rules, Ty};
pub use texts::TEXTS;
pub use trial::{Depth, Outcome};
pub use wide::Wide;
