//! Values in pools: every list is a run of positions in the pool of its element type, so that nodes
//! are small and `Copy`, and nothing is in a box of its own.
//!
//! Generated arenas have one [`Pool`] for each element type, one for text ([`Texts`]) and one for
//! spellings ([`Spellings`]). A [`Run`] means something only in the arena that gave it out. One of
//! another arena is a mistake of the program, and panics as an index out of range does, if it does
//! not happen to lie in the pool.

#![deny(clippy::arithmetic_side_effects)]

pub(crate) mod entry;
mod pack;
mod pool;
mod run;
mod spellings;
#[cfg(test)]
mod tests;

pub use pack::{Nesting, Pack};
pub use pool::{Pool, Texts};
pub use run::Run;
pub use spellings::{SpellingId, Spellings};

/// An arena that has elements of this type.
pub trait Pools<T> {
    /// The pool that they are in.
    fn pool(&self) -> &Pool<T>;

    /// The pool that they are in, to change it.
    fn pool_mut(&mut self) -> &mut Pool<T>;
}

/// What is in a box.
///
/// # Panics
///
/// If it is not of this arena, or is not one element.
#[inline]
pub fn one_of<'v, T, A: Pools<T>>(arena: &'v A, run: &Run<T>) -> &'v T {
    match &arena.pool()[*run] {
        [one] => one,
        other => not_one(other.len()),
    }
}

#[cold]
fn not_one(count: usize) -> ! {
    panic!("a list of {count} elements stands where exactly one must be")
}

/// What every arena has.
pub trait Common {
    /// The pool of text.
    fn texts(&self) -> &Texts;

    /// The pool of text, to change it.
    fn texts_mut(&mut self) -> &mut Texts;

    /// Spellings by number.
    fn spellings(&self) -> &Spellings;

    /// Spellings by number, to change them.
    fn spellings_mut(&mut self) -> &mut Spellings;
}
