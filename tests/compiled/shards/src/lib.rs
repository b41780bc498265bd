//! Generated code of all schemas of the tests, in several test programs, so that the compiler uses
//! more than one core. `FORMWORK_ONLY=name` compiles only schemas whose name contains that.
#![forbid(unsafe_code)]

pub mod forms;
mod looked;
mod plain;
mod rich;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

pub use looked::{Looked, check_looked};
pub use plain::check;
pub use rich::{Rich, Through, check_rich};

#[doc(hidden)]
pub mod deps {
    pub use formwork_properties::{Check, Subject, codec};
    pub use formwork_tests_module::Show;
    pub use {arbitrary, erased_serde, formwork};
}

/// What becomes of each, in their order, on all cores.
fn each<T: Sync, R: Send>(of: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let take = || {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(one) = of.get(number) else { return done };
            done.push((number, work(one)));
        }
    };
    let mut all: Vec<(usize, R)> = thread::scope(|scope| {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(take)).collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined.flat_map(|done| done.expect("no thread ends early")).collect()
    });
    all.sort_by_key(|(number, _)| *number);
    all.into_iter().map(|(_, result)| result).collect()
}
