//! Checked schemas for tests, prepared for reading and writing.

use std::path::Path;
use std::sync::OnceLock;

use formwork_codegen::diagnostic::render;
use formwork_codegen::load;
use formwork_interpreter::{Program, program};
pub use formwork_properties::text::Shipped;

use crate::samples;

/// A schema in a file.
///
/// # Errors
///
/// The rendered diagnostics, warnings too; or why the file cannot be read.
pub fn from_file(path: &Path) -> Result<Program, String> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    from_text(&name, &text, path.parent())
}

/// A schema. Modules that it imports are looked for in `directory` first.
///
/// # Errors
///
/// As [`from_file`].
pub fn from_text(name: &str, text: &str, directory: Option<&Path>) -> Result<Program, String> {
    let loaded = load(name, text, directory, &Shipped);
    let clean = loaded.diagnostics.all().is_empty();
    match loaded.model {
        Some(model) if clean => Ok(program(model)),
        _ => Err(format!(
            "the schema is not clean\n{}",
            render(&loaded.diagnostics, &loaded.sources, false)
        )),
    }
}

/// A schema that the tools bring along.
///
/// # Panics
///
/// If there is no such schema, or it is not clean.
#[must_use]
pub fn shipped(name: &str) -> Program {
    let text = formwork_schemas::get(name).unwrap_or_else(|| panic!("no schema `{name}`"));
    from_text(&format!("{name}.kdl"), text, None).unwrap_or_else(|error| panic!("{error}"))
}

/// A draft, by the name of its file in `tests/reach`.
///
/// # Panics
///
/// If it cannot be read, or is not clean.
#[must_use]
pub fn draft(file: &str) -> Program {
    let path = samples::workspace().join("tests/reach").join(file);
    from_file(&path).unwrap_or_else(|error| panic!("{error}"))
}

/// Node graphs, prepared once.
///
/// # Panics
///
/// As [`shipped`].
pub fn ainb() -> &'static Program {
    static PROGRAM: OnceLock<Program> = OnceLock::new();
    PROGRAM.get_or_init(|| shipped("ainb"))
}

/// Archives of animation events, prepared once.
///
/// # Panics
///
/// As [`shipped`].
pub fn baev() -> &'static Program {
    static PROGRAM: OnceLock<Program> = OnceLock::new();
    PROGRAM.get_or_init(|| shipped("baev"))
}

/// Resources with models and animations, prepared once.
///
/// # Panics
///
/// As [`shipped`].
pub fn bfres() -> &'static Program {
    static PROGRAM: OnceLock<Program> = OnceLock::new();
    PROGRAM.get_or_init(|| shipped("bfres"))
}

/// Trees of typed values, prepared once.
///
/// # Panics
///
/// As [`shipped`].
pub fn esf() -> &'static Program {
    static PROGRAM: OnceLock<Program> = OnceLock::new();
    PROGRAM.get_or_init(|| shipped("esf"))
}

/// Event flow files, prepared once.
///
/// # Panics
///
/// As [`shipped`].
pub fn evfl() -> &'static Program {
    static PROGRAM: OnceLock<Program> = OnceLock::new();
    PROGRAM.get_or_init(|| shipped("evfl"))
}
