//! What fuzz targets try, tried for a bounded number of inputs by `cargo test`.
#![forbid(unsafe_code)]

use std::fs;

use formwork_properties::{Check, Codec, Subject};
use formwork_tests::samples;

/// A format by its name.
pub type Named = (&'static str, Box<dyn Check>);

include!(concat!(env!("OUT_DIR"), "/subjects.rs"));

fn subject<C: Codec + 'static>(name: &'static str) -> Named {
    let subject = Subject::<C>::built_in(name).unwrap_or_else(|error| panic!("{error}"));
    (name, Box::new(subject))
}

/// Largest fixture that is tried; what takes long has tests of its own.
const LARGEST: usize = 1 << 14;

/// The fixtures of a format: names and bytes.
///
/// # Panics
///
/// If the folder cannot be read.
#[must_use]
pub fn fixtures(subject: &dyn Check) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(samples::workspace().join("fixtures")).expect("there are fixtures");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("it can be read").path()).collect();
    paths.retain(|path| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        extension
            .is_some_and(|e| subject.program().model().extensions.iter().any(|known| known == e))
    });
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (name, fs::read(path).expect("the fixture can be read"))
    };
    paths.iter().map(read).filter(|(_, bytes)| bytes.len() <= LARGEST).collect()
}
