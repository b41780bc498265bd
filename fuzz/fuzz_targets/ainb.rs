//! Made by `formwork fuzz` of the schema ainb: all properties of reading and writing, of which
//! the first byte of an input chooses one.
#![no_main]

use std::sync::LazyLock;

use formwork_properties::{Subject, codec, fuzz};
use libfuzzer_sys::fuzz_target;

codec!(Format: formwork_formats::ainb::File<'a>, arena formwork_formats::ainb::arena::FileArena);

static SUBJECT: LazyLock<Subject<Format>> =
    LazyLock::new(|| Subject::built_in("ainb").expect("the schema has no errors"));

fuzz_target!(|input: &[u8]| fuzz::run(&*SUBJECT, input));
