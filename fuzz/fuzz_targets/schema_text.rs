//! Any text as a schema.
#![no_main]

use formwork_properties::{fuzz, text};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    if let Ok(schema) = std::str::from_utf8(input) {
        fuzz::report("schema_text", text::check(schema));
    }
});
