//! Any text as a schema.

use formwork_codegen::diagnostic::render;
use formwork_codegen::{Provider, load, markdown, print, roles};

use crate::laws::Broken;
use crate::property::Outcome;

/// The libraries that come with Formwork.
#[derive(Debug, Clone, Copy)]
pub struct Shipped;

impl Provider for Shipped {
    fn library(&self, name: &str) -> Option<String> {
        formwork_schemas::get(name).map(str::to_owned)
    }
}

/// Loads a text. A schema without errors is listed and described; otherwise, the diagnostics are
/// shown, and each must lie within a text.
///
/// # Errors
///
/// If there is neither a model nor an error nor a library, or a diagnostic has no place.
pub fn check(text: &str) -> Result<Outcome, Broken> {
    let loaded = load("fuzz.kdl", text, None, &Shipped);
    let shown = render(&loaded.diagnostics, &loaded.sources, false);
    for diagnostic in loaded.diagnostics.all() {
        let source = loaded.sources.get(diagnostic.span.source);
        let (start, end) = (diagnostic.span.start, diagnostic.span.end);
        if start > end || source.text.get(start as usize..end as usize).is_none() {
            let code = diagnostic.code;
            return Err(Broken::Schema(format!("{code} has no place: {start}..{end}")));
        }
    }
    // Of many problems only the first ones are shown.
    let first = loaded.diagnostics.all().first().map_or("", |diagnostic| diagnostic.code);
    if !shown.contains(first) {
        return Err(Broken::Schema(format!("{first} is not shown")));
    }
    match loaded.model {
        Some(_) if loaded.diagnostics.has_errors() => {
            Err(Broken::Schema("a model in spite of errors".to_owned()))
        }
        Some(model) => {
            let listings = [print::model_text(&model), markdown::emit(&model)];
            if roles::roles(&model).is_empty() && listings.iter().any(String::is_empty) {
                return Err(Broken::Schema("nothing is listed".to_owned()));
            }
            Ok(Outcome::Held)
        }
        None if loaded.diagnostics.has_errors() => Ok(Outcome::Refused),
        None if text.contains("library") => Ok(Outcome::Held),
        None => Err(Broken::Schema("no model, and no error says why".to_owned())),
    }
}
