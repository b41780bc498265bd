//! Problems of examples, which a tool finds that can read them.

use crate::diagnostic::Diagnostics;
use crate::span::Span;

/// Code, title and explanation.
pub const CODES: &[(&str, &str, &str)] = &[(
    "E0901",
    "wrong example",
    "The bytes of an `example` are read with the struct, union, case, string, varint or digits around it, or \
     as a whole file, and then written again. Each field that it names must be read with the value \
     that it says, and the same bytes must come out. What a struct refers to outside of itself is \
     not there: pointers and references are numbers, and lengths must be in the bytes.",
)];

/// Reports that an example, or what it says of a field, is wrong.
pub fn report(diagnostics: &mut Diagnostics, span: Span, message: impl Into<String>) {
    diagnostics.error("E0901", span, message);
}
