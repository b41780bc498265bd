//! The list of schemas whose generated code is not yet as the interpreter, or leaves usual files to
//! it: `known.txt`.
//!
//! A line is `NAME: WORDS`. The words are kinds of differences, or [`REFUSED`], [`UNCOMPILED`] or
//! [`CRASHED`].
//! Tests fail if something is not as the list says, so it can only shrink unnoticed.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// The back end makes no code.
pub const REFUSED: &str = "refused";

/// The code does not compile.
pub const UNCOMPILED: &str = "uncompiled";

/// The code ends the program, or does not end.
pub const CRASHED: &str = "crashed";

/// What is known not to work.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Known(BTreeMap<String, Vec<String>>);

impl Known {
    /// Where the list is.
    #[must_use]
    pub fn path() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("known.txt")
    }

    /// The list; empty if there is no file.
    #[must_use]
    pub fn load() -> Known {
        Known::load_from(&Known::path())
    }

    /// Another list of the same form.
    #[must_use]
    pub fn load_from(path: &Path) -> Known {
        let mut known = Known::default();
        let text = fs::read_to_string(path).unwrap_or_default();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            if let Some((name, words)) = line.split_once(": ") {
                known.add(name, words.split_whitespace().map(str::to_owned).collect());
            }
        }
        known
    }

    /// Writes the list.
    ///
    /// # Panics
    ///
    /// If it cannot be written.
    pub fn store(&self, path: &Path) {
        let mut text = String::from(
            "# Schemas whose generated code is not yet as the interpreter, or leaves usual files to \
             it; see src/known.rs.\n",
        );
        for (name, words) in &self.0 {
            let _ = writeln!(text, "{name}: {}", words.join(" "));
        }
        fs::write(path, text).expect("the list can be written");
    }

    /// Says what is wrong with a schema; no words say that nothing is.
    pub fn add(&mut self, name: &str, words: Vec<String>) {
        if words.is_empty() {
            self.0.remove(name);
        } else {
            self.0.insert(name.to_owned(), words);
        }
    }

    /// What is wrong with a schema.
    #[must_use]
    pub fn of(&self, name: &str) -> &[String] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }
}
