//! Generated code that is checked in: a test that it is what the schema gives.

use std::fs;
use std::path::Path;

use super::{Libraries, code, load_file};
use crate::rust::Options;

/// For a test: the generated file is what [`Build`](super::Build) would make of the schema now.
///
/// ```no_run
/// // in a #[test]
/// formwork_codegen::build::assert_fresh("schema/level.kdl", "src/level.rs");
/// ```
///
/// With the environment variable `BLESS` set, the file is written instead.
///
/// # Panics
///
/// If it is not, or one of the files cannot be read; the message says what to do.
#[track_caller]
pub fn assert_fresh(schema: impl AsRef<Path>, generated: impl AsRef<Path>) {
    assert_fresh_with(schema, generated, &Options::default(), |_| None::<String>);
}

/// As [`assert_fresh`], with options, and a function that knows libraries such as
/// `formwork_schemas::get`.
///
/// # Panics
///
/// As [`assert_fresh`].
#[track_caller]
pub fn assert_fresh_with<S: Into<String>>(
    schema: impl AsRef<Path>,
    generated: impl AsRef<Path>,
    options: &Options,
    libraries: impl Fn(&str) -> Option<S> + 'static,
) {
    let (schema, generated) = (schema.as_ref(), generated.as_ref());
    let mut known = Libraries::default();
    known.functions.push(Box::new(move |name| libraries(name).map(Into::into)));
    let made = load_file(schema, &known).and_then(|loaded| code(loaded, options));
    let text = match made {
        Ok(made) => made.text,
        Err(error) => panic!("no code can be made of {}\n{error}", schema.display()),
    };
    if std::env::var_os("BLESS").is_some() {
        super::write_if_changed(generated, &text).unwrap_or_else(|error| panic!("{error}"));
    }
    let found = match fs::read_to_string(generated) {
        Ok(found) => found,
        Err(error) => panic!("{} cannot be read: {error}", generated.display()),
    };
    if found == text {
        return;
    }
    let mut lines = found.lines().zip(text.lines());
    let line = lines.position(|(old, new)| old != new);
    let line = line.unwrap_or_else(|| found.lines().count().min(text.lines().count())) + 1;
    panic!(
        "{} is not what {} gives now; the first difference is in line {line}\n\
         run the test with BLESS=1, or `formwork generate {} -o {}`",
        generated.display(),
        schema.display(),
        schema.display(),
        generated.display(),
    );
}
