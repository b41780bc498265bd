//! The form that values have in JSON, which that of the command and of `serde` share: what JSON has
//! no words for stands in a small object, and keys of our own begin with `$`.
//!
//! [`Tape`] takes a value down in this form while it shows itself, and [`FromJson`] makes a value of it.

mod base64;
mod header;
mod read;
mod tape;

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

pub use header::{take_header, with_header};
pub use read::{
    case, described, index, index_words, no_case, nothing, part_of_word, read, split,
    words_of_struct, FromJson, FromMembers, Json, Keys, Members, Within, Wrong,
};
pub use tape::{tape_of, Tape, Token};

/// Keys of the header.
pub const TOOL: &str = "tool";
/// Key of the name of the format.
pub const FORMAT: &str = "format";
/// Key of the version of the schema.
pub const SCHEMA_VERSION: &str = "schema_version";
/// Key of the value.
pub const VALUE: &str = "value";

/// Key of the value that is no struct, but has something kept.
pub const SPELLED: &str = "$value";

/// Key of the deviations in a struct, and keys in each of them.
pub const KEPT: &str = "$kept";
/// Key of the row that a deviation is about.
pub const ROW: &str = "row";
/// Key of its kind.
pub const KIND: &str = "kind";
/// Key of what the file has.
pub const STORED: &str = "stored";
/// Key of what would be there otherwise.
pub const INSTEAD_OF: &str = "instead_of";

/// Bytes up to this number are written in hexadecimal, which people can read; more of them in
/// base64, which is shorter.
const HEX_BYTES: usize = 256;

/// Names that a message lists at most.
const MOST_NAMES: usize = 16;

/// The program that makes a text.
#[must_use]
pub fn tool() -> String {
    format!("formwork {}", env!("CARGO_PKG_VERSION"))
}

/// The key of bytes, and their text.
#[must_use]
pub fn bytes_text(bytes: &[u8]) -> (&'static str, String) {
    if bytes.len() <= HEX_BYTES {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digit = |bits: u8| char::from(DIGITS[usize::from(bits & 15)]);
        ("hex", bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(*byte)]).collect())
    } else {
        ("base64", base64::encode(bytes))
    }
}

/// What bytes must be given as.
pub const BYTES: &str = "bytes, {\"hex\": \"..\"} or {\"base64\": \"..\"}";

/// The bytes of a text behind such a key, or what it should be; none if that is no such key.
#[must_use]
pub fn bytes_of(key: &str, text: &str) -> Option<Result<Vec<u8>, &'static str>> {
    match key {
        "hex" => Some(unhex(text).ok_or("two hexadecimal digits for a byte")),
        "base64" => Some(base64::decode(text).ok_or("base64 with padding")),
        _ => None,
    }
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0)?;
    Some(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

/// The text of a float's bits, for those that are no number.
#[must_use]
pub fn bits_text(bits: u64, bytes: u8) -> String {
    let digits = usize::from(bytes) * 2;
    format!("0x{bits:0digits$x}")
}

/// The bits that such a text says.
#[must_use]
pub fn bits_of(text: &str, bytes: u8) -> Option<u64> {
    let digits = usize::from(bytes) * 2;
    let number = text.strip_prefix("0x").filter(|text| text.len() <= digits)?;
    let is_hex = number.bytes().all(|b| b.is_ascii_hexdigit());
    u64::from_str_radix(number, 16).ok().filter(|_| is_hex)
}

/// The key of a field: names that begin like keys of our own get a second `$`.
#[must_use]
pub fn escaped(name: &str) -> Cow<'_, str> {
    if name.starts_with('$') {
        Cow::Owned(format!("${name}"))
    } else {
        Cow::Borrowed(name)
    }
}

/// The name that a key stands for; none for keys of our own.
#[must_use]
pub fn plain_key(key: &str) -> Option<&str> {
    match key.strip_prefix('$') {
        Some(rest) if rest.starts_with('$') => Some(rest),
        Some(_) => None,
        None => Some(key),
    }
}

/// The first few names.
pub fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut names: Vec<_> = names.take(MOST_NAMES + 1).collect();
    if names.len() > MOST_NAMES {
        names[MOST_NAMES] = "…";
    }
    names.join(", ")
}

/// What must be given for a member of an enumeration.
pub fn member_words<'a>(
    name: &str,
    members: impl Iterator<Item = &'a str>,
    closed: bool,
) -> String {
    let number = if closed { "" } else { ", or its number" };
    format!("a member of `{name}` ({}){number}", listed(members))
}

/// What must be given for a union.
pub fn union_words<'a>(cases: impl Iterator<Item = &'a str>) -> String {
    format!("an object whose one key is a case ({})", listed(cases))
}

/// What keys an object has instead.
pub fn keys_words<'a>(keys: impl ExactSizeIterator<Item = &'a str>) -> String {
    if keys.len() == 0 {
        "no key".into()
    } else {
        format!("`{}`", listed(keys))
    }
}

/// That something is kept of a row that there is not.
#[must_use]
pub fn no_kept_row(row: &str) -> String {
    format!("nothing is kept of `{row}`: there is no such row")
}

/// What must be given for a struct.
#[must_use]
pub fn struct_words<'a>(name: &str, fields: impl Iterator<Item = &'a str>) -> String {
    match listed(fields) {
        fields if fields.is_empty() => format!("an object with the fields of `{name}`"),
        fields => format!("an object with the fields of `{name}` ({fields})"),
    }
}

/// That a struct has no field of a name, and which it has.
pub fn no_field<'a>(name: &str, fields: impl Iterator<Item = &'a str>) -> String {
    format!("`{name}` has no such field; it has: {}", listed(fields))
}
