//! Schemas to Rust code in a build script.
//!
//! A crate with a format of its own has this `build.rs`,
//!
//! ```no_run
//! // build.rs
//! formwork_codegen::Build::new().schema("schema/level.kdl").run();
//! ```
//!
//! and includes what came of it:
//!
//! ```ignore
//! mod level {
//!     formwork::schema!("level");
//! }
//! ```
//!
//! The only room besides imports that reads files, and the only one that writes them.

mod error;
mod file;
mod fresh;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process;

use crate::diagnostic::{Diagnostic, Severity, render};
use crate::model::Model;
use crate::rust::{self, Options};
use crate::span::SourceMap;
use crate::texts::read_schema;
use crate::{Loaded, Provider, load};

pub use error::BuildError;
pub use file::{Replacement, has_text, write_if_changed};
pub use fresh::{assert_fresh, assert_fresh_with};

/// Generates Rust code for schemas. Meant for build scripts; see the [module](self).
///
/// Nothing is read but the schemas and what they import, and nothing is written but
/// `NAME.rs` for each schema in the output folder.
#[derive(Default)]
#[must_use = "nothing is generated before `run` or `try_run`"]
pub struct Build {
    schemas: Vec<Schema>,
    libraries: Libraries,
    options: Options,
    out_dir: Option<PathBuf>,
}

enum Schema {
    File(PathBuf),
    Text { name: String, text: String },
}

/// What a build made.
#[derive(Debug, Clone, Default)]
pub struct Built {
    /// The generated files, in the order of the schemas. One whose text is the same as before was
    /// not touched.
    pub generated: Vec<PathBuf>,
    /// The schemas on disk and all files that they import.
    pub read: Vec<PathBuf>,
    /// Folders in which a file may turn up that would be imported instead of a text that is no file.
    pub watched: Vec<PathBuf>,
    /// What is worth knowing about the schemas: a line each, with its place.
    pub notes: Vec<String>,
}

impl Build {
    /// A build without any schema.
    pub fn new() -> Build {
        Build::default()
    }

    /// Adds a schema file; a relative path starts at the crate's folder. `schema/level.kdl` becomes
    /// `level.rs`, and what it imports is looked for beside it first.
    pub fn schema(mut self, path: impl Into<PathBuf>) -> Build {
        self.schemas.push(Schema::File(path.into()));
        self
    }

    /// Adds a schema that is no file; it becomes `NAME.rs`.
    pub fn schema_text(mut self, name: impl Into<String>, text: impl Into<String>) -> Build {
        self.schemas.push(Schema::Text { name: name.into(), text: text.into() });
        self
    }

    /// Makes a text known that schemas can `import` by this name.
    pub fn library(mut self, name: impl Into<String>, text: impl Into<String>) -> Build {
        self.libraries.texts.push((name.into(), text.into()));
        self
    }

    /// Asks a function for texts that schemas import. `.libraries(formwork_schemas::get)` makes
    /// all schemas known that come with Formwork.
    pub fn libraries<S: Into<String>>(
        mut self,
        get: impl Fn(&str) -> Option<S> + 'static,
    ) -> Build {
        self.libraries.functions.push(Box::new(move |name| get(name).map(Into::into)));
        self
    }

    /// Whether the types implement the traits of `serde`, which the crate must then depend on. JSON has
    /// the form of the command `formwork decode`. Off by default.
    pub fn serde(mut self, serde: bool) -> Build {
        self.options.serde = serde;
        self
    }

    /// Whether the types implement `arbitrary::Arbitrary`, which the crate must then depend on. Off
    /// by default.
    pub fn arbitrary(mut self, arbitrary: bool) -> Build {
        self.options.arbitrary = arbitrary;
        self
    }

    /// Whether there is a module `arena` in each file, with a second set of types for files with
    /// millions of elements: every list is a run in a pool, and nothing is in a box. Off by default.
    pub fn arena(mut self, arena: bool) -> Build {
        self.options.arena = arena;
        self
    }

    /// Whether there is a module `view` in each file, with types that look at a file in place: nothing
    /// is read before it is asked for, and nothing is allocated. Off by default.
    pub fn views(mut self, views: bool) -> Build {
        self.options.views = views;
        self
    }

    /// Where to write; `OUT_DIR` by default.
    pub fn out_dir(mut self, folder: impl Into<PathBuf>) -> Build {
        self.out_dir = Some(folder.into());
        self
    }

    /// Generates, and tells cargo what the code depends on. If something is wrong, prints it and
    /// ends the process with exit code 1.
    pub fn run(self) {
        match self.try_run() {
            Ok(built) => {
                built.notes.iter().for_each(|note| println!("cargo::warning={note}"));
                for path in built.read.iter().chain(&built.watched) {
                    println!("cargo::rerun-if-changed={}", path.display());
                }
                // Without any line, every file of the package would count.
                if built.read.is_empty() {
                    println!("cargo::rerun-if-changed=build.rs");
                }
            }
            Err(error) => {
                eprintln!("{error}");
                for line in error.lines() {
                    println!("cargo::error={line}");
                }
                process::exit(1);
            }
        }
    }

    /// Generates, and prints nothing.
    ///
    /// # Errors
    ///
    /// If a schema cannot be read or has errors, or the code cannot be written.
    pub fn try_run(self) -> Result<Built, BuildError> {
        let out_dir = match &self.out_dir {
            Some(folder) => folder.clone(),
            None => env::var_os("OUT_DIR").map(PathBuf::from).ok_or(BuildError::NoFolder)?,
        };
        let mut built = Built::default();
        let mut names = BTreeSet::new();
        let mut files = BTreeSet::new();
        let mut watched = BTreeSet::new();
        let mut refused = Vec::new();
        for schema in &self.schemas {
            let name = schema.name()?;
            if !names.insert(name.clone()) {
                return Err(BuildError::SameName(name));
            }
            let loaded = schema.load(&self.libraries)?;
            if let Schema::File(path) = schema {
                files.insert(path.clone());
            }
            files.extend(loaded.files.iter().cloned());
            let folders = loaded.missing.iter().filter_map(|path| path.parent());
            watched.extend(folders.filter(|folder| !holds(folder, &out_dir)).map(Path::to_owned));
            match code(loaded, &self.options) {
                Ok(Code { text, notes, .. }) => {
                    let path = out_dir.join(format!("{name}.rs"));
                    write_if_changed(&path, &text)?;
                    built.generated.push(path);
                    built.notes.extend(notes);
                }
                Err(BuildError::Refused { lines, rendered }) => refused.push((lines, rendered)),
                Err(error) => return Err(error),
            }
        }
        if !refused.is_empty() {
            let (lines, rendered): (Vec<_>, Vec<_>) = refused.into_iter().unzip();
            return Err(BuildError::Refused { lines: lines.concat(), rendered: rendered.concat() });
        }
        built.read = files.into_iter().collect();
        built.watched = watched.into_iter().collect();
        Ok(built)
    }
}

impl Schema {
    /// Name of the generated file, without extension.
    fn name(&self) -> Result<String, BuildError> {
        match self {
            Schema::Text { name, .. } => Ok(name.clone()),
            Schema::File(path) => match path.file_stem().and_then(|stem| stem.to_str()) {
                Some(stem) => Ok(stem.to_owned()),
                None => Err(BuildError::NoName(path.clone())),
            },
        }
    }

    fn load(&self, libraries: &Libraries) -> Result<Loaded, BuildError> {
        match self {
            Schema::Text { name, text } => Ok(load(&format!("{name}.kdl"), text, None, libraries)),
            Schema::File(path) => load_file(path, libraries),
        }
    }
}

/// Whether a folder has another one in it, however deep. Cargo looks at all that is in a folder, so
/// one in which it builds would change with every build.
fn holds(folder: &Path, other: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    real(other).starts_with(real(folder))
}

/// Loads a schema file; imports are looked for beside it first.
fn load_file(path: &Path, libraries: &dyn Provider) -> Result<Loaded, BuildError> {
    let text =
        read_schema(path).map_err(|error| BuildError::Unread { path: path.to_owned(), error })?;
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    Ok(load(&path.display().to_string(), &text, Some(folder), libraries))
}

/// Generated code and what is worth knowing about it.
pub struct Code {
    /// Text of a Rust file.
    pub text: String,
    /// A line for each note about the schema.
    pub notes: Vec<String>,
    /// The model that the code was made of.
    pub model: Model,
}

/// Generates the code of a schema that was loaded.
///
/// # Errors
///
/// If the schema has errors, is a library, or cannot become Rust code.
pub fn code(mut loaded: Loaded, options: &Options) -> Result<Code, BuildError> {
    check(&mut loaded);
    let lines = |severity: Severity| {
        let of_it = loaded.diagnostics.all().iter().filter(move |d| d.severity == severity);
        of_it.map(|diagnostic| one_line(diagnostic, &loaded.sources)).collect()
    };
    if loaded.diagnostics.has_errors() {
        let rendered = render(&loaded.diagnostics, &loaded.sources, false);
        return Err(BuildError::Refused { lines: lines(Severity::Error), rendered });
    }
    let notes = lines(Severity::Note);
    let Some(model) = loaded.model else {
        let name = loaded.sources.all().first().map(|source| source.name.clone());
        return Err(BuildError::Library(name.unwrap_or_default()));
    };
    Ok(Code { text: rust::emit(&model, options), notes, model })
}

/// Adds what keeps a model from becoming Rust code to the problems of its schema. If there are
/// errors then, [`rust::emit`] must not be called.
pub fn check(loaded: &mut Loaded) {
    let Some(model) = &loaded.model else { return };
    for problem in rust::check(model) {
        let Diagnostic { code, severity, message, span, label, secondary, help } = problem;
        let diagnostics = &mut loaded.diagnostics;
        let added = match severity {
            Severity::Error => diagnostics.error(code, span, message),
            Severity::Note => diagnostics.note(code, span, message),
        };
        added.label = label;
        added.secondary = secondary;
        added.help = help;
    }
    loaded.diagnostics.sort();
}

/// Place, code and message; what to write behind them.
fn one_line(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let Diagnostic { code, span, message, help, .. } = diagnostic;
    let (line, column) = sources.line_column(span.source, span.start);
    let name = &sources.get(span.source).name;
    let help = help.as_deref().map(|help| format!(" ({help})")).unwrap_or_default();
    format!("{name}:{line}:{column}: {code}: {message}{help}").replace(['\n', '\r'], " ")
}

/// Gives the text of the library with a name.
type GetLibrary = Box<dyn Fn(&str) -> Option<String>>;

#[derive(Default)]
struct Libraries {
    texts: Vec<(String, String)>,
    functions: Vec<GetLibrary>,
}

impl Provider for Libraries {
    fn library(&self, name: &str) -> Option<String> {
        let text = self.texts.iter().find(|(known, _)| known == name).map(|(_, text)| text.clone());
        text.or_else(|| self.functions.iter().find_map(|get| get(name)))
    }

    fn names(&self) -> Vec<String> {
        self.texts.iter().map(|(name, _)| name.clone()).collect()
    }
}
