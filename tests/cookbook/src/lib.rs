//! Generated code of the schemas that documentation shows, with every option, as it stands in a crate
//! that asks for many warnings: there is none, in a module for others and in one of its own.
#![forbid(unsafe_code)]
#![warn(clippy::nursery, missing_debug_implementations, rust_2018_idioms)]

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
