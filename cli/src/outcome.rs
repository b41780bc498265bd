//! How commands end.

/// How a command ended, if nothing kept it from running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Exit code 0.
    Good,
    /// Exit code 1: a file or schema has an error; or two files differ.
    Bad,
    /// Exit code 2: whether files differ, or can be merged, cannot be told.
    Trouble,
}
