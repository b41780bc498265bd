//! What readers and writers of binary formats need at run time: the [`engine`], which reads and
//! writes any format from its model; what generated code stands on; errors that know their offset
//! and path; limits for hostile input; and the named algorithms of the schema language (hashes,
//! string pool orders, dictionaries, relocation tables, bit fields, variable-length integers).
//!
//! Generated code and the engine use the same algorithms, so that the two cannot differ in what one
//! means. The crate names no format, depends on the [`model`] alone, and needs no operating system:
//! `no_std` with `alloc`. The command line tool is the package `formwork-cli`.
//!
//! Offsets are `u64` and count bytes from the start of the slice that a function is given. No
//! function here panics on any input bytes.
//!
//! ```
//! use formwork::{load_uint, Endian, ReadErrorKind};
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

#[doc(hidden)]
#[path = "generated/mod.rs"]
pub mod __rt;
mod arena;
mod bits;
mod dictionary;
mod edit;
pub mod engine;
mod error;
mod hash;
mod include;
mod index;
mod inspect;
#[doc(hidden)]
pub mod json;
mod kept;
mod load;
mod notes;
#[allow(unsafe_code)]
mod once;
mod options;
mod path;
mod pool;
mod problem;
mod relocation;
mod same;
mod spelling;
mod stack;
mod store;
#[doc(hidden)]
pub mod straight;
#[allow(unsafe_code)]
mod text;
mod utf16;
mod varint;

pub use formwork_model as model;

pub use arena::{Nesting, Pack, Pool, Pools, Run, SpellingId};
pub use bits::{BitOrder, BitReader};
pub use dictionary::{patricia, DictionaryError, DictionaryNode, DICTIONARY_LIMIT};
pub use edit::{moved, EditError};
pub use error::{ReadError, ReadErrorKind};
pub use hash::{fnv1a_32, murmur3_32, FNV1A_SEED};
pub use index::IndexError;
pub use inspect::{Holds, Inspect, Inspector, RowName};
pub use kept::Kept;
pub use load::{load_uint, sign_extend, slice, Endian};
pub use notes::{Note, Notes};
pub use options::{Budget, ReadOptions};
pub use path::{Path, Segment};
pub use pool::{compare, PoolOrder};
pub use problem::{Problem, ProblemKind, WriteError};
pub use relocation::{decode_masks, decode_runs, encode_masks, encode_runs, MaskEntry, RunEntry};
pub use spelling::{KeptKind, KeptValue, Spelling, SpellingEntry};
pub use store::{fits, store_uint};
pub use text::checked_str;
pub use utf16::Utf16;
pub use varint::{read_varint, store_varint, varint_width, GroupOrder};
