//! Generates the reader and the writer.

fn main() {
    formwork_codegen::Build::new().schema("schema/mixtape.kdl").run();
}
