//! Front end of Formwork: a schema text becomes a checked [`model::Model`], and Rust code or pages are made
//! of that.
//!
//! The front end knows nothing of Rust and of no format. It opens no files but those that a schema
//! imports from its own directory, and ends in problems with places, never in a panic.
//!
//! [`rust`] generates code, [`build`] is what build scripts call, [`fuzz`] makes the targets of a fuzzer.
#![forbid(unsafe_code)]

pub mod build;
pub mod check;
pub mod codes;
pub mod diagnostic;
pub mod examples;
pub mod fuzz;
pub mod markdown;
pub mod print;
mod prose;
mod resolve;
pub mod roles;
pub mod rust;
pub mod span;
mod syntax;
pub mod texts;

use std::path::{Path, PathBuf};

pub use build::{Build, BuildError};
use diagnostic::Diagnostics;
pub use formwork_model as model;
use model::Model;
use span::SourceMap;

/// Texts that schemas can import by name.
pub trait Provider {
    /// Text of the library or module with this name, if there is one.
    fn library(&self, name: &str) -> Option<String>;

    /// Names that an unknown one is perhaps a slip of.
    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A provider without any text.
impl Provider for () {
    fn library(&self, _name: &str) -> Option<String> {
        None
    }
}

/// What came of a schema text.
#[derive(Debug, Default)]
pub struct Loaded {
    /// All texts that were read, for [`diagnostic::render`].
    pub sources: SourceMap,
    /// Problems, sorted by place.
    pub diagnostics: Diagnostics,
    /// The model, if there is no error and the text is a module.
    pub model: Option<Model>,
    /// Every file that was read, besides the text itself.
    pub files: Vec<PathBuf>,
    /// Files that are not there, and would have been read instead of a text of the provider.
    pub missing: Vec<PathBuf>,
}

/// Loads a schema: `name` is shown in diagnostics; imports are looked for in `directory` first,
/// then asked of the provider.
///
/// A library has no model; it is checked as far as that is possible without its parameters.
#[must_use]
pub fn load(name: &str, text: &str, directory: Option<&Path>, provider: &dyn Provider) -> Loaded {
    let mut loaded = Loaded::default();
    loaded.model = phases(name, text, directory, provider, &mut loaded);
    loaded.diagnostics.sort();
    loaded
}

/// Parse, resolve, check. What is left of a text with errors is resolved too, so that one run shows
/// as much as it can; proofs need a whole model, and names what is imported.
fn phases(
    name: &str,
    text: &str,
    directory: Option<&Path>,
    provider: &dyn Provider,
    loaded: &mut Loaded,
) -> Option<Model> {
    let texts = resolve::load(name, text, directory, provider, loaded)?;
    let Loaded { sources, diagnostics, .. } = loaded;
    let library = texts.trees[0].head.as_ref().is_some_and(|head| head.library);
    if library || texts.lacking {
        return None;
    }
    let mut later = Diagnostics::default();
    let model = resolve::resolve(&texts.trees, &texts.links, &mut later);
    diagnostics.append_independent(later, sources);
    let model = model.filter(|_| !diagnostics.has_errors())?;
    check::check(&model, diagnostics);
    if diagnostics.has_errors() { None } else { Some(model) }
}
