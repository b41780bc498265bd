//! Generated code of each schema that documentation shows, with every combination of options, as it
//! stands in a crate that asks for many warnings: there is none.
#![forbid(unsafe_code)]

include!(concat!(env!("OUT_DIR"), "/modules.rs"));
