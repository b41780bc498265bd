//! Lists the formats whose schemas come with Formwork, each with the type that stands for a file.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use formwork_codegen::{Provider, fuzz, load};

struct Shipped;

impl Provider for Shipped {
    fn library(&self, name: &str) -> Option<String> {
        formwork_schemas::get(name).map(str::to_owned)
    }
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let mut codecs = String::new();
    let mut subjects = String::new();
    for name in formwork_schemas::names() {
        let text = formwork_schemas::get(name).unwrap_or_default();
        // Libraries have no model.
        let Some(model) = load(name, text, None, &Shipped).model else { continue };
        let types = fuzz::codec_types(&model, &format!("formwork_formats::{name}"));
        let codec = format!("Codec{}", name.to_uppercase());
        let _ = writeln!(codecs, "formwork_properties::codec!({codec}: {types});");
        let _ = writeln!(subjects, "        subject::<{codec}>({name:?}),");
    }
    let text = format!(
        "{codecs}\n/// All formats.\n#[must_use]\npub fn subjects() -> Vec<Named> {{\n    vec![\n\
         {subjects}    ]\n}}\n"
    );
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo says where to write"));
    fs::write(out.join("subjects.rs"), text).expect("the output folder can be written");
}
