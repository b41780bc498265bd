//! A part of the features, with all options; which, the build script decides.

include!(concat!(env!("OUT_DIR"), "/rich_1.rs"));
