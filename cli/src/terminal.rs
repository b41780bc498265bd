//! What is said beside the output, and in which colours.

use std::io::{self, IsTerminal, Write};

/// Prints to standard error. If nobody listens there, there is nobody to tell.
pub(crate) fn say(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Whether standard error is a terminal that wants colours.
pub(crate) fn wants_color() -> bool {
    !refuses_color() && io::stderr().is_terminal()
}

/// Whether the user wants no colours anywhere.
pub(crate) fn refuses_color() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}
