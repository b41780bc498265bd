//! The schemas that both engines are tried on.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use formwork_codegen::model::Model;
use formwork_codegen::{Loaded, load};
use formwork_interpreter::{Program, program};
use formwork_tests::{programs::Shipped, samples};

/// Where a schema comes from, which decides what files it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// One feature of the language, with files as text.
    Golden,
    /// A conformance case.
    Conformance,
    /// A draft of a format, with samples.
    Reach,
    /// A schema that is shipped.
    Shipped,
    /// A schema that was put together by chance, with files as text, in the folder that the
    /// environment variable `FORMWORK_MADE` names.
    Made,
}

impl Group {
    const ALL: [(Group, &'static str, &'static str); 4] = [
        (Group::Golden, "golden", "tests/golden"),
        (Group::Conformance, "conformance", "tests/conformance"),
        (Group::Reach, "reach", "tests/reach"),
        (Group::Shipped, "shipped", "schemas"),
    ];
}

/// A schema of a test.
#[derive(Debug, Clone)]
pub struct Schema {
    /// Group and file name, such as `golden_flags`; a Rust identifier.
    pub name: String,
    /// Where it comes from.
    pub group: Group,
    /// Its file.
    pub path: PathBuf,
}

impl Schema {
    /// Name of the file, without folder and extension.
    #[must_use]
    pub fn stem(&self) -> String {
        self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// What the front end makes of it.
    #[must_use]
    pub fn load(&self) -> Loaded {
        let text = fs::read_to_string(&self.path).unwrap_or_default();
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        load(&name, &text, self.path.parent(), &Shipped)
    }

    /// Its model; `None` for libraries.
    #[must_use]
    pub fn model(&self) -> Option<Model> {
        self.load().model
    }

    /// The same, prepared for reading and writing.
    #[must_use]
    pub fn program(&self) -> Option<Program> {
        self.model().map(program)
    }
}

/// All schemas, libraries among them, in the order of groups and names.
///
/// # Panics
///
/// If a folder of this repository is missing.
#[must_use]
pub fn all() -> Vec<Schema> {
    let mut schemas = Vec::new();
    let own = Group::ALL
        .map(|(group, prefix, folder)| (group, prefix, samples::workspace().join(folder)));
    let made = env::var_os("FORMWORK_MADE").map(|folder| (Group::Made, "made", folder.into()));
    for (group, prefix, folder) in own.into_iter().chain(made) {
        let entries = fs::read_dir(&folder).expect("the folder of schemas is there");
        let mut paths: Vec<PathBuf> =
            entries.map(|entry| entry.expect("the folder can be read").path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "kdl"));
        paths.sort();
        schemas.extend(paths.into_iter().map(|path| Schema {
            name: format!("{prefix}_{}", identifier(&path)),
            group,
            path,
        }));
    }
    schemas
}

/// The schemas that `only` chooses: parts of names, separated by commas or white space. If there is
/// a schema with exactly that name, only that one is meant. Nothing chooses all.
#[must_use]
pub fn chosen(only: &str) -> Vec<Schema> {
    let mut schemas = all();
    let parts: Vec<&str> =
        only.split([',', ' ', '\n', '\t']).filter(|part| !part.is_empty()).collect();
    if parts.is_empty() {
        return schemas;
    }
    let names: Vec<String> = schemas.iter().map(|schema| schema.name.clone()).collect();
    schemas.retain(|schema| {
        parts.iter().any(|part| {
            let exact = names.iter().any(|name| name == part);
            if exact { schema.name == *part } else { schema.name.contains(part) }
        })
    });
    schemas
}

fn identifier(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}
