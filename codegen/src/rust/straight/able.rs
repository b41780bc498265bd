//! What straight code can carry, or why not.

/// Why straight code cannot carry something.
#[derive(Debug, Clone)]
pub(in crate::rust) struct Unable(pub String);

/// Something that straight code can carry, or why not.
pub(in crate::rust) type Able<T> = Result<T, Unable>;

/// Why not.
pub(in crate::rust) fn unable<T>(why: impl Into<String>) -> Able<T> {
    Err(Unable(why.into()))
}
