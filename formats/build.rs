//! Generates code for each built-in schema whose feature is on.

use std::env;

use formwork_codegen::Build;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let arbitrary = env::var_os("CARGO_FEATURE_ARBITRARY").is_some();
    let serde = env::var_os("CARGO_FEATURE_SERDE").is_some();
    let arena = env::var_os("CARGO_FEATURE_ARENA").is_some();
    let views = env::var_os("CARGO_FEATURE_VIEWS").is_some();
    for name in formwork_schemas::names() {
        let feature = format!("CARGO_FEATURE_{}", name.to_uppercase());
        let text = formwork_schemas::get(name).filter(|_| env::var_os(feature).is_some());
        if let Some(text) = text {
            let build = Build::new().libraries(formwork_schemas::get).arbitrary(arbitrary);
            build.serde(serde).arena(arena).views(views).schema_text(name, text).run();
        }
    }
}
