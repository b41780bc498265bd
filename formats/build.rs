//! Generates code for each built-in schema whose feature is on.

use std::env;

use formwork_codegen::Build;

fn main() {
    let arbitrary = env::var_os("CARGO_FEATURE_ARBITRARY").is_some();
    let mut build = Build::new().libraries(formwork_schemas::get).arbitrary(arbitrary);
    for name in formwork_schemas::names() {
        let feature = format!("CARGO_FEATURE_{}", name.to_uppercase());
        let text = formwork_schemas::get(name).filter(|_| env::var_os(feature).is_some());
        if let Some(text) = text {
            build = build.schema_text(name, text);
        }
    }
    build.run();
}
