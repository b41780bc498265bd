//! Codes of what Rust cannot say.

/// The code of types without a common Rust type.
pub const DIFFERS: &str = "E0801";

/// Code, title and explanation.
pub const CODES: &[(&str, &str, &str)] = &[(
    DIFFERS,
    "no Rust type in common",
    "A row has another type in each layout, and generated Rust has one field for it. Numbers of \
     several widths go together, as do arrays of such, but not two structs. Only `generate` and \
     build scripts say this: the engine has no such limit.",
)];
