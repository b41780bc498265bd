//! What stands around the value of a whole file.

use alloc::format;
use alloc::string::String;

use super::{described, Json, Within, Wrong, FORMAT, SCHEMA_VERSION, TOOL, VALUE};
use crate::json::FromJson;

/// Takes the value of a file out of its header.
///
/// # Errors
///
/// If there is no such header, or it is of another format or version.
pub fn take_header(json: Json, format: &str, version: u32) -> Result<Json, Wrong> {
    let Json::Object(members) = json else {
        return Err(Wrong::expected(
            "an object with `tool`, `format`, `schema_version` and `value`",
            &json,
        ));
    };
    let (mut tool, mut named, mut stated, mut value) = (None, None, None, None);
    for (key, member) in members {
        let place = match key.as_str() {
            TOOL => &mut tool,
            FORMAT => &mut named,
            SCHEMA_VERSION => &mut stated,
            VALUE => &mut value,
            _ => return Err(Wrong::new("the header has no such key").in_field(key)),
        };
        *place = Some(member);
    }
    let missing = |key: &'static str| Wrong::new(format!("`{key}` is missing")).in_field(key);
    let text = |member: Option<Json>, key: &'static str| match member {
        Some(Json::Text(text)) => Ok(text),
        Some(other) => Err(Wrong::expected("a text", &other).in_field(key)),
        None => Err(missing(key)),
    };
    let tool: String = text(tool, TOOL)?;
    let named = text(named, FORMAT)?;
    let stated = stated.ok_or_else(|| missing(SCHEMA_VERSION))?;
    let value = value.ok_or_else(|| missing(VALUE))?;
    if !tool.starts_with("formwork ") {
        let message = format!("expected `formwork` and its version, found `{tool}`");
        return Err(Wrong::new(message).in_field(TOOL));
    }
    if named != format {
        let message = format!("expected the format `{format}`, found `{named}`");
        return Err(Wrong::new(message).in_field(FORMAT));
    }
    if stated != Json::Int(version.into()) {
        let found = described(&stated);
        let message = format!("expected version {version} of the schema, found {found}");
        return Err(Wrong::new(message).in_field(SCHEMA_VERSION));
    }
    Ok(value)
}

/// The value of a file with its header.
///
/// # Errors
///
/// If it is not of this format, with the path from the top.
pub fn with_header<T: FromJson>(json: Json, format: &str, version: u32) -> Result<T, Wrong> {
    let value = take_header(json, format, version)?;
    T::read(value, Within::here()).map_err(|wrong| wrong.in_field(VALUE))
}
