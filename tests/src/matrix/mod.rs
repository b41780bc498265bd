//! A matrix of tests: each property of a row, at each place where a row may stand, in each part
//! that it may play.
//!
//! A [`Cell`] is a tiny schema with a number, together with what its files and values must be: that
//! is said by `rules`, [`Place`] and [`Part`] from the language reference alone. A [`Wide`] is one
//! with a row of any other kind, of which [`Line`] has some bytes with what they mean, said by hand in
//! `lengths`, `texts`, `pointers` and `together`. Nothing here asks the front end or the engine what a
//! schema means. What is tried of a cell on the engine says [`Outcome`].
//!
//! What is around a row at a place, be it a number or not, is in `around` for schemas, in `laid` for
//! bytes and in `shown` for values.

mod around;
mod cell;
mod laid;
mod lengths;
mod line;
mod part;
mod place;
mod pointers;
mod row;
mod rules;
mod shown;
mod texts;
mod together;
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
pub use together::TOGETHER;
pub use trial::{Depth, Outcome};
pub use wide::Wide;
