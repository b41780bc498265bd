//! The forms that `serde` gives values, by way of trait objects: then the code of each type is compiled
//! once, and not for each form.

use erased_serde::{Deserializer, Serialize};

/// Reads a value from a form, and keeps it.
pub type Keep<'a> = &'a mut dyn FnMut(&mut dyn Deserializer<'_>) -> Result<(), erased_serde::Error>;

/// A value as JSON.
pub fn compact(value: &dyn Serialize) -> Result<String, String> {
    serde_json::to_string(value).map_err(|error| error.to_string())
}

/// A value as JSON with line breaks.
pub fn pretty(value: &dyn Serialize) -> Result<String, String> {
    serde_json::to_string_pretty(value).map_err(|error| error.to_string())
}

/// Reads a value from JSON.
pub fn from_json(text: &str, keep: Keep<'_>) -> Result<(), String> {
    let mut from = serde_json::Deserializer::from_str(text);
    keep(&mut <dyn Deserializer<'_>>::erase(&mut from)).map_err(|error| error.to_string())?;
    from.end().map_err(|error| error.to_string())
}

/// Writes a value as a format for programs has it, and reads it from that. The inner error is the
/// reader's.
pub fn through_binary(value: &dyn Serialize, keep: Keep<'_>) -> Result<Result<(), String>, String> {
    let packed = postcard::to_allocvec(value).map_err(|error| error.to_string())?;
    let mut from = postcard::Deserializer::from_bytes(&packed);
    let read = keep(&mut <dyn Deserializer<'_>>::erase(&mut from));
    Ok(read.map_err(|error| error.to_string()))
}
