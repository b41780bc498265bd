//! A stack that grows, since values and schemas nest as deeply as somebody likes.

/// Runs something that may nest deeply: the stack grows if little of it is left.
pub(crate) fn with_stack<T>(what: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(128 * 1024, 1024 * 1024, what)
}

/// The same, as the engine asks for it.
pub(crate) fn grow(what: &mut dyn FnMut()) {
    with_stack(what);
}
