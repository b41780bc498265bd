//! Checked schemas for tests.

use std::path::Path;
use std::sync::OnceLock;

use formwork_codegen::diagnostic::render;
use formwork_codegen::load;
use formwork_codegen::model::Model;
pub use formwork_properties::text::Shipped;

/// The model of a schema in a file.
///
/// # Errors
///
/// The rendered diagnostics, warnings too; or why the file cannot be read.
pub fn from_file(path: &Path) -> Result<Model, String> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    from_text(&name, &text, path.parent())
}

/// The model of a schema. Modules that it imports are looked for in `directory` first.
///
/// # Errors
///
/// As [`from_file`].
pub fn from_text(name: &str, text: &str, directory: Option<&Path>) -> Result<Model, String> {
    let loaded = load(name, text, directory, &Shipped);
    let clean = loaded.diagnostics.all().is_empty();
    match loaded.model {
        Some(model) if clean => Ok(model),
        _ => Err(format!(
            "the schema is not clean\n{}",
            render(&loaded.diagnostics, &loaded.sources, false)
        )),
    }
}

/// The model of a schema that the tools bring along.
///
/// # Panics
///
/// If there is no such schema, or it is not clean.
#[must_use]
pub fn shipped(name: &str) -> Model {
    let text = formwork_schemas::get(name).unwrap_or_else(|| panic!("no schema `{name}`"));
    from_text(&format!("{name}.kdl"), text, None).unwrap_or_else(|error| panic!("{error}"))
}

/// The model of trees of typed values, made once.
///
/// # Panics
///
/// As [`shipped`].
pub fn esf() -> &'static Model {
    static MODEL: OnceLock<Model> = OnceLock::new();
    MODEL.get_or_init(|| shipped("esf"))
}

/// The model of event flow files, made once.
///
/// # Panics
///
/// As [`shipped`].
pub fn evfl() -> &'static Model {
    static MODEL: OnceLock<Model> = OnceLock::new();
    MODEL.get_or_init(|| shipped("evfl"))
}
