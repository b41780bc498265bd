//! What readers and writers of binary formats need at run time.
//!
//! At the root is what programs meet that use generated code: what a file can do as a trait
//! ([`Format`]), errors that know their offset and path, limits for hostile input ([`ReadOptions`]),
//! and the types of some fields. Behind it are modules: [`arena`] for files with millions of elements,
//! [`path`] and [`spelling`] for what errors and values say of files, [`inspect`] for values that are
//! shown part by part, the [`engine`], which reads and writes any format from its model, and the named
//! [`algorithms`] of the schema language.
//!
//! Generated code and the engine use the same algorithms, so that the two cannot differ in what one
//! means. The crate names no format, depends on the [`model`] alone, and needs no operating system:
//! `no_std` with `alloc`. The feature `std` adds what writes to a `std::io::Write`. The command line tool is the package `formwork-cli`.
//!
//! Offsets are `u64` and count bytes from the start of the slice that a function is given. No
//! function here panics on any input bytes.
//!
//! ```
//! use formwork::algorithms::load_uint;
//! use formwork::{Endian, ReadErrorKind};
//!
//! let bytes = [0x34, 0x12];
//! assert_eq!(load_uint(&bytes, 0, 2, Endian::Little).unwrap(), 0x1234);
//!
//! let error = load_uint(&bytes, 1, 4, Endian::Little).unwrap_err().in_field("count");
//! assert_eq!(error.kind(), &ReadErrorKind::UnexpectedEnd { needed: 4, remaining: 1 });
//! assert_eq!(error.to_string(), "needs 4 bytes, but 1 remains, at 0x1 in count");
//! ```

#![no_std]
#![deny(unsafe_code)]

#[doc(hidden)]
pub extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

#[doc(hidden)]
#[path = "generated/mod.rs"]
pub mod __rt;
pub mod algorithms;
pub mod arena;
mod bits;
mod checksum;
mod dictionary;
mod digest;
mod edit;
mod ends;
pub mod engine;
mod error;
mod format;
mod functions;
mod hash;
mod include;
mod index;
pub mod inspect;
#[doc(hidden)]
pub mod json;
mod kept;
mod load;
mod member;
mod message_digest;
mod notes;
#[allow(unsafe_code)]
mod once;
mod options;
pub mod path;
mod pool;
mod problem;
mod relocation;
mod same;
pub mod spelling;
mod stack;
mod store;
#[doc(hidden)]
pub mod straight;
#[allow(unsafe_code)]
mod text;
mod utf16;
mod varint;
pub mod view;

pub use formwork_model as model;

pub use edit::EditError;
pub use error::{ReadError, ReadErrorKind};
pub use format::{Format, Magic};
pub use index::IndexError;
pub use kept::Kept;
pub use load::Endian;
pub use member::MemberError;
pub use notes::{Note, Notes};
pub use options::ReadOptions;
pub use problem::{Problem, ProblemKind, WriteError};
pub use spelling::Spelling;
pub use utf16::Utf16;

// Short names inside of the crate.
pub(crate) use algorithms::*;
pub(crate) use arena::{Pools, Run, SpellingId};
pub(crate) use options::Budget;
pub(crate) use path::Path;
pub(crate) use spelling::{KeptKind, KeptValue, SpellingEntry};
