//! How much of the native stack is used, which neither grows nor says how large it is.
//!
//! Threads have 2 MiB by default. How much a level of nesting takes depends on the schema and on
//! the compiler: without optimisation it is ten times as much. So depth is not only counted, but
//! also measured.

/// Bytes that straight code may take.
pub(crate) const STRAIGHT: usize = 5 << 18;

/// Bytes that may be in use before a value is put into an arena, or out of it, one level deeper.
pub(crate) const PACKING: usize = 5 << 18;

/// About where the stack has come to.
#[inline]
pub(crate) fn here() -> usize {
    let mark = 0_u8;
    core::hint::black_box(&mark as *const u8) as usize
}
