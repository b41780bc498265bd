//! Readers and writers of binary formats, generated from the schemas that come with Formwork.
//!
//! Each format is a module behind a feature of its name; `all` has every one, and by default there
//! is none. In each, `File` is what a file holds: plain data without offsets, counts and padding.
//! `File::read` makes it of bytes, `write` makes bytes of it; a file that its format's own tools
//! made comes out byte for byte as it went in. With the feature `arbitrary`, all types implement
//! `Arbitrary` of the crate of that name, with `serde` the traits of that one: what the command
//! `formwork decode` writes is read by `serde_json`, and the other way. With the feature `arena`, each format has a module `arena`
//! with a second set of types, for files with millions of elements.
//!
//! ```
//! # #[cfg(feature = "evfl")] {
//! use formwork_formats::evfl::File;
//!
//! # fn rename(bytes: &[u8]) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
//! let mut file = File::read(bytes)?;
//! for flowchart in &mut file.flowcharts {
//!     for event in &mut flowchart.events {
//!         event.name = format!("{}_old", event.name).into();
//!     }
//! }
//! let bytes = file.write()?;
//! # Ok(bytes)
//! # }
//! # let bytes = File::default().write().unwrap();
//! # rename(&bytes).unwrap();
//! # }
//! ```
//!
//! [`FORMATS`] is the list of what is compiled in, for programs that treat all formats alike.
#![forbid(unsafe_code)]

#[cfg(feature = "evfl")]
mod flows;
mod registry;

pub use registry::{FORMATS, Format, RoundTrip};

/// Declares the module of each format and puts it on the list.
macro_rules! formats {
    ($($(#[$doc:meta])* $name:ident = $feature:literal: $root:ident;)*) => {
        $(
            $(#[$doc])*
            #[cfg(feature = $feature)]
            pub mod $name {
                formwork::schema!($feature);
            }
        )*

        /// See [`FORMATS`].
        const LIST: &[Format] = &[$(
            #[cfg(feature = $feature)]
            Format {
                name: $feature,
                inspect: |bytes, options, to| {
                    formwork::Inspect::inspect(&$name::$root::read_with(bytes, options)?, to);
                    Ok(())
                },
                roundtrip: |bytes, options, to| {
                    let mut notes = formwork::Notes::default();
                    let file = $name::$root::read_noting(bytes, options, &mut notes)?;
                    formwork::Inspect::inspect(&file, to);
                    let written = file.write();
                    let again = match &written {
                        Ok(written) if written != bytes => {
                            let again = $name::$root::read_with(written, options);
                            Some(again.map(|again| again == file))
                        }
                        _ => None,
                    };
                    Ok(RoundTrip { notes, written, again })
                },
            },
        )*];
    };
}

formats! {
    /// Total War object serialization, a tree of typed values: saves, replays, start positions
    /// (`.esf`, `.save`, `.replay` and others).
    esf = "esf": File;
    /// Event flows and timelines: `.bfevfl`, `.bfevtm`.
    evfl = "evfl": File;
}
