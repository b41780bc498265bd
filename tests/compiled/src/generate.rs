//! From a schema of a test to generated code.

use std::panic::{AssertUnwindSafe, catch_unwind};

use formwork_codegen::diagnostic::render;
use formwork_codegen::rust::{self, Options};

use crate::schemas::Schema;

/// What came of a schema.
#[derive(Debug, Clone)]
pub enum Generated {
    /// It is a library, of which no code is made.
    Library,
    /// The back end cannot do what it says yet, or will never.
    Refused(Vec<String>),
    /// The back end panicked, which is a defect of it.
    Panicked(String),
    /// The code.
    Code {
        /// A whole file.
        text: String,
        /// Name of the type that stands for a file.
        root: String,
    },
}

/// Generates code for a schema.
#[must_use]
pub fn generate(schema: &Schema) -> Generated {
    generate_with(schema, &Options::default())
}

/// Generates code for a schema, with options.
#[must_use]
pub fn generate_with(schema: &Schema, options: &Options) -> Generated {
    let loaded = schema.load();
    let Some(model) = &loaded.model else {
        if loaded.diagnostics.has_errors() {
            let text = render(&loaded.diagnostics, &loaded.sources, false);
            return Generated::Panicked(format!("the schema has errors\n{text}"));
        }
        return Generated::Library;
    };
    let work = || {
        let refused = rust::check(model);
        if !refused.is_empty() {
            return Generated::Refused(
                refused.iter().map(|d| format!("{}: {}", d.code, d.message)).collect(),
            );
        }
        let text = rust::emit(model, options);
        let root = root_of(&text, &model.records[model.root.index()].template);
        Generated::Code { text, root }
    };
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Generated::Panicked(text.unwrap_or_default())
    })
}

/// The type that has `read`: named as the root's declaration, unless that name is taken.
fn root_of(text: &str, template: &str) -> String {
    let types = text.lines().filter_map(|line| line.strip_prefix("pub struct "));
    let names = types.map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next());
    let names: Vec<&str> = names.flatten().collect();
    let plain = |name: &str| name.replace('_', "").to_lowercase();
    let named = names.iter().find(|name| **name == template);
    let named = named.or_else(|| names.iter().find(|name| plain(name) == plain(template)));
    let named =
        named.or_else(|| names.iter().find(|name| plain(name).starts_with(&plain(template))));
    named.map_or_else(|| template.to_owned(), |name| (*name).to_owned())
}

/// The module `name` in the file `path`, and how tests see it, as Rust items: `mod name`, and
/// `static NAME` of the type `ty` that `with!` makes.
#[must_use]
pub fn items(ty: &str, with: &str, name: &str, path: &str, root: &str) -> String {
    format!(
        "/// Generated code of `{name}`.\n#[path = {path:?}]\npub mod {name};\n\
         /// `{name}` as tests see it.\n\
         pub static {}: {ty} =\n    {with}!({name:?}, {name}::{root});\n",
        name.to_uppercase()
    )
}

/// As [`items`], for tests that need no options.
#[must_use]
pub fn plain_items(name: &str, path: &str, root: &str) -> String {
    let (ty, with) = ("::formwork_tests_module::Module", "::formwork_tests_module::module");
    items(ty, with, name, path, root)
}
