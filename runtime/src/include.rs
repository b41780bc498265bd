//! How a crate gets at code that its build script generated.

/// Includes the code that a build script generated for a schema: everything that the schema
/// declares, in the module where this stands.
///
/// The name is that of the schema file, without folder and extension.
///
/// ```ignore
/// // build.rs: formwork_codegen::Build::new().schema("schema/level.kdl").run();
/// mod level {
///     formwork::schema!("level");
/// }
/// ```
#[macro_export]
macro_rules! schema {
    ($name:literal) => {
        ::core::include!(::core::concat!(::core::env!("OUT_DIR"), "/", $name, ".rs"));
    };
}
