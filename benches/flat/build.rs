//! The reader and writer of the layout, from its schema.
fn main() {
    formwork_codegen::Build::new().views(true).schema("schema/flat.kdl").run();
}
