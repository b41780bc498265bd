//! A part of the schemas; which, the build script decides.

include!(concat!(env!("OUT_DIR"), "/shard_5.rs"));
