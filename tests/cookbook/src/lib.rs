//! Generated code of the schemas that documentation shows, with every option, as it stands in a crate
//! that asks for many warnings: there is none, in a module for others and in one of its own.
#![forbid(unsafe_code)]
#![warn(clippy::nursery, missing_debug_implementations, rust_2018_idioms)]
#![deny(
    missing_docs,
    missing_copy_implementations,
    nonstandard_style,
    single_use_lifetimes,
    trivial_numeric_casts,
    unreachable_pub,
    unused,
    unused_lifetimes,
    unused_qualifications,
    unused_results,
    variant_size_differences
)]

/// The schema of the README.
pub mod level {
    formwork::schema!("level");
}

mod mixtape {
    formwork::schema!("mixtape");
}

mod wav {
    formwork::schema!("wav");
}

/// The title of a tape, or the rate of a sound.
#[must_use]
pub fn about(bytes: &[u8]) -> Option<String> {
    let tape = mixtape::File::read(bytes).ok().map(|tape| tape.title.into_owned());
    tape.or_else(|| wav::File::read(bytes).ok().map(|file| file.wave.format.rate.to_string()))
}
