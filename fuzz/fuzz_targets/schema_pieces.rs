//! Schemas that are put together of valid pieces, and files of them.
#![no_main]

use formwork_properties::{fuzz, pieces};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| fuzz::report("schema_pieces", pieces::check(input)));
