//! A part of the schemas, with views; which, the build script decides.

include!(concat!(env!("OUT_DIR"), "/looked_0.rs"));
