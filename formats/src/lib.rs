//! Readers and writers of binary formats, generated from the schemas that come with Formwork.
//!
//! Each format is a module behind a feature of its name; `all` has every one, and by default there
//! is none. In each, `File` is what a file holds: plain data without offsets, counts and padding.
//! `File::read` makes it of bytes, `write` makes bytes of it; a file that its format's own tools
//! made comes out byte for byte as it went in. With the feature `arbitrary`, all types implement
//! `Arbitrary` of the crate of that name, with `serde` the traits of that one: what the command
//! `formwork decode` writes is read by `serde_json`, and the other way. With the feature `arena`, each
//! format has a module `arena` with a second set of types, for files with millions of elements; with
//! `views`, a module `view` to look at a file in place.
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
//! [`detect`] says which format some bytes have, and [`read_any`] reads them; [`FormatId::ALL`] is the
//! list of what is compiled in, for programs that treat all formats alike. The types implement
//! [`Format`], for code over several of them.
#![forbid(unsafe_code)]

#[cfg(feature = "bfres")]
mod curves;
#[cfg(feature = "evfl")]
mod flows;
#[macro_use]
mod registry;
#[cfg(feature = "bfres")]
mod vertices;

#[cfg(feature = "bfres")]
pub use curves::CurveValue;
pub use formwork;
pub use formwork::Format;
pub use registry::{ReadAnyError, RoundTrip, detect, read_any, read_any_with};

/// Declares the module of each format and puts it on the lists.
macro_rules! formats {
    ($($(#[$doc:meta])* $name:ident = $feature:literal: $variant:ident($root:ident $(<$a:lifetime>)?);)*) => {
        $(
            $(#[$doc])*
            #[cfg(feature = $feature)]
            pub mod $name {
                formwork::schema!($feature);
            }
        )*

        registry! { $($(#[$doc])* $name = $feature: $variant($root $(<$a>)?);)* }
    };
}

formats! {
    /// Graphs of nodes that decide what actors do: `.ainb`.
    ainb = "ainb": Ainb(File<'a>);
    /// Animation events: `.baev`.
    baev = "baev": Baev(File<'a>);
    /// Resources with models and animations of the Switch: `.bfres`.
    bfres = "bfres": Bfres(File<'a>);
    /// Total War object serialization, a tree of typed values: saves, replays, start positions
    /// (`.esf`, `.save`, `.replay` and others).
    esf = "esf": Esf(File<'a>);
    /// Event flows and timelines: `.bfevfl`, `.bfevtm`.
    evfl = "evfl": Evfl(File<'a>);
}
