//! What the test programs of Formwork share: finding files that are not in the repository, running
//! cases that somebody else wrote, and cases of our own.
#![forbid(unsafe_code)]

pub mod archives;
pub mod bytes;
pub mod cases;
pub mod flows;
pub mod golden;
pub mod graphs;
pub mod matrix;
pub mod negative;
pub mod peers;
pub mod programs;
pub mod resources;
pub mod samples;
pub mod trees;

pub use formwork_properties::{edit, laws, pieces, seeds, value_text};
