//! A fuzz pack: fuzz targets for `cargo fuzz`, a dictionary for each, and the manifest.
//!
//! Texts only; who calls this writes the files. What a target tries is in the crate
//! `formwork-properties`, so a target says no more than what code and what schema it is about.

mod dictionary;

pub use dictionary::dictionary;

use std::fmt::Write as _;

use crate::model::Model;
use crate::rust;

/// Where the schema of a target comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// It comes with Formwork, and generated code for it is in the crate `formwork-formats`.
    BuiltIn,
    /// A file, by its path from the folder of the pack, with `/` between names. A build script
    /// generates the code.
    File(String),
}

/// A fuzz target.
#[derive(Debug, Clone)]
pub struct Target {
    /// Name of the schema, without folder and extension; that of the target.
    pub name: String,
    /// Where the schema comes from.
    pub origin: Origin,
    /// The program: `fuzz_targets/NAME.rs`.
    pub program: String,
    /// The dictionary: `dictionaries/NAME.dict`.
    pub dictionary: String,
}

impl Target {
    /// The target of a model that [`rust::check`] finds nothing in.
    #[must_use]
    pub fn new(model: &Model, name: &str, origin: Origin) -> Target {
        let program = program(model, name, &origin);
        Target { name: name.to_owned(), origin, program, dictionary: dictionary(model) }
    }
}

/// The arguments of `codec!` for a model that [`rust::check`] finds nothing in: the type that stands
/// for a file in the module at `path`, and the one that holds a file in an arena. The code must be
/// generated with `arena`.
#[must_use]
pub fn codec_types(model: &Model, path: &str) -> String {
    let (root, borrows) = rust::root_type(model);
    let lifetime = if borrows { "<'a>" } else { "" };
    let arena = rust::arena_type(model);
    format!("{path}::{root}{lifetime}, arena {path}::arena::{arena}")
}

fn program(model: &Model, name: &str, origin: &Origin) -> String {
    // A block begins on the line of what it is for.
    let start = match origin {
        Origin::BuiltIn => "\n    ",
        Origin::File(_) => " ",
    };
    let (module, path, subject) = match origin {
        Origin::BuiltIn => {
            let subject =
                format!("Subject::built_in({name:?}).expect(\"the schema has no errors\")");
            (String::new(), format!("formwork_formats::{name}"), subject)
        }
        Origin::File(file) => {
            let module = format!(
                "#[allow(dead_code, reason = \"only what properties ask for is used\")]\n\
                 mod format {{\n    formwork::schema!({name:?});\n}}\n\n"
            );
            let file = format!("/{file}");
            let subject = format!(
                "{{\n    let schema = concat!(env!(\"CARGO_MANIFEST_DIR\"), {file:?});\n    \
                 Subject::from_file(schema).expect(\"the schema has no errors\")\n}}"
            );
            (module, "format".to_owned(), subject)
        }
    };
    let types = codec_types(model, &path);
    format!(
        "//! Made by `formwork fuzz` of the schema {name}: all properties of reading and writing, of which\n\
         //! the first byte of an input chooses one.\n\
         #![no_main]\n\
         \n\
         use std::sync::LazyLock;\n\
         \n\
         use formwork_properties::{{Subject, codec, fuzz}};\n\
         use libfuzzer_sys::fuzz_target;\n\
         \n\
         {module}codec!(Format: {types});\n\
         \n\
         static SUBJECT: LazyLock<Subject<Format>> ={start}LazyLock::new(|| {subject});\n\
         \n\
         fuzz_target!(|input: &[u8]| fuzz::run(&*SUBJECT, input));\n"
    )
}

/// First line of what is made anew in a manifest.
const BEGIN: &str = "# Begin of what `formwork fuzz` writes.\n";

/// Last line of it.
const END: &str = "# End of what `formwork fuzz` writes.\n";

/// The manifest with these targets. Of an `old` one, only the part between two marked lines is
/// replaced, or added at the end; so dependencies and further targets of one's own stay.
#[must_use]
pub fn manifest(old: Option<&str>, targets: &[Target]) -> String {
    let mut bins = BEGIN.to_owned();
    for Target { name, .. } in targets {
        let _ = write!(
            bins,
            "[[bin]]\nname = \"{name}\"\npath = \"fuzz_targets/{name}.rs\"\n\
             test = false\ndoc = false\nbench = false\n\n"
        );
    }
    let bins = format!("{}\n{END}", bins.trim_end());
    let Some(old) = old else { return format!("{}\n{bins}", head(targets)) };
    let begin = old.find(BEGIN);
    let end = begin.and_then(|begin| Some(begin + old[begin..].find(END)? + END.len()));
    match (begin, end) {
        (Some(begin), Some(end)) => format!("{}{bins}{}", &old[..begin], &old[end..]),
        _ => format!("{}\n\n{bins}", old.trim_end()),
    }
}

/// The part of a manifest that is written once.
fn head(targets: &[Target]) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let own = targets.iter().any(|target| target.origin != Origin::BuiltIn);
    let built_in = targets.iter().any(|target| target.origin == Origin::BuiltIn);
    let mut dependencies = String::new();
    let mut needs = |line: String| {
        dependencies.push_str(&line);
        dependencies.push('\n');
    };
    if own {
        needs("arbitrary = \"1\"".to_owned());
        needs(format!("formwork = \"{version}\""));
    }
    if built_in {
        needs(format!(
            "formwork-formats = {{ version = \"{version}\", \
             features = [\"all\", \"arbitrary\", \"arena\"] }}"
        ));
    }
    needs(format!("formwork-properties = \"{version}\""));
    needs("libfuzzer-sys = \"0.4\"".to_owned());
    if own {
        let build = ["codegen", "schemas"].map(|name| format!("formwork-{name} = \"{version}\"\n"));
        let _ = write!(dependencies, "\n[build-dependencies]\n{}", build.concat());
    }
    format!(
        "[package]\nname = \"fuzz\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
         [package.metadata]\ncargo-fuzz = true\n\n\
         [dependencies]\n{dependencies}\n\
         [profile.release]\ndebug = 1\n\n\
         # The pack is no member of a workspace around it.\n[workspace]\n"
    )
}

/// The build script of a pack with schemas in files; `None` if it needs none.
#[must_use]
pub fn build_script(targets: &[Target]) -> Option<String> {
    let mut schemas = String::new();
    for target in targets {
        if let Origin::File(path) = &target.origin {
            let _ = write!(schemas, "\n        .schema({path:?})");
        }
    }
    (!schemas.is_empty()).then(|| {
        format!(
            "//! Made by `formwork fuzz`: generates the code that the targets try.\n\n\
             fn main() {{\n    formwork_codegen::Build::new()\n        \
             .libraries(formwork_schemas::get)\n        .arbitrary(true)\n        \
             .arena(true){schemas}\n        .run();\n}}\n"
        )
    })
}

/// What git is to leave out of a pack.
#[must_use]
pub fn ignored() -> &'static str {
    "artifacts\ncorpus\ncoverage\ntarget\n"
}
