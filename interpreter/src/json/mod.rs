//! Values as JSON texts, and back.
//!
//! A text is an object with a header: `tool`, `format`, `schema_version`, and the `value`. Fields
//! have the names and the order of the schema, members of enumerations their names; a union is an
//! object whose one key is the case. What JSON has no words for stands in a small object: bytes as
//! `{"hex": ".."}` or `{"base64": ".."}`, floats that are no decimal as `{"bits": "0x7fc00001"}`,
//! units of UTF-16 that are no text as `{"utf16": [..]}`. How a file was spelled is in `$kept`, only
//! where that is not canonical.
//!
//! A value that was read is the same text whatever read it, and comes back as it was, spelling
//! included.

mod error;
mod parse;
mod plain;
mod read;
mod write;

pub use error::{JsonError, JsonProblem};
pub use parse::SyntaxError;
pub(crate) use read::part;
pub use read::{Header, Text};
pub(crate) use write::fragment;
pub use write::{Style, part_to_json, to_json};

use formwork::json::{
    FORMAT, INSTEAD_OF, KEPT, KIND, ROW, SCHEMA_VERSION, SPELLED, STORED, TOOL, VALUE,
};

/// Key of the header of a file that was read in part; no such text is read.
const INCOMPLETE: &str = "incomplete";
