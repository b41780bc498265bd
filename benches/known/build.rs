//! Readers and writers of the formats, from their schemas.
fn main() {
    let build = formwork_codegen::Build::new();
    let formats = ["elf", "gif", "mo", "png", "terminfo", "tzif", "zip"];
    formats
        .iter()
        .fold(build, |build, name| build.schema(format!("../../tests/reach/{name}.kdl")))
        .run();
}
