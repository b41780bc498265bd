//! A value that is made when it is first asked for, without an operating system.

use alloc::boxed::Box;
use core::fmt;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

/// A value that is made when it is first asked for.
pub struct Once<T>(AtomicPtr<T>);

impl<T> Once<T> {
    /// Not made yet.
    #[must_use]
    pub const fn new() -> Once<T> {
        Once(AtomicPtr::new(ptr::null_mut()))
    }
}

impl<T: Send + Sync> Once<T> {
    /// The value. Who asks at the same time as somebody else may make one in vain.
    pub fn get_or_make(&self, make: impl FnOnce() -> T) -> &T {
        let mut value = self.0.load(Ordering::Acquire);
        if value.is_null() {
            let made = Box::into_raw(Box::new(make()));
            let (success, failure) = (Ordering::AcqRel, Ordering::Acquire);
            value = match self.0.compare_exchange(ptr::null_mut(), made, success, failure) {
                Ok(_) => made,
                Err(first) => {
                    // SAFETY: `made` comes from a box, and nobody else has seen it.
                    drop(unsafe { Box::from_raw(made) });
                    first
                }
            };
        }
        // SAFETY: it is not null, comes from a box, is never replaced, and lives until `self` is
        // dropped, which takes that nobody borrows it. Other threads may use it and may drop it.
        unsafe { &*value }
    }
}

impl<T> Drop for Once<T> {
    fn drop(&mut self) {
        let value = *self.0.get_mut();
        if !value.is_null() {
            // SAFETY: it comes from a box, and nobody borrows it any more.
            drop(unsafe { Box::from_raw(value) });
        }
    }
}

impl<T> fmt::Debug for Once<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Once")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    #[test]
    fn is_made_once() {
        let once = Once::new();
        assert_eq!(once.get_or_make(|| String::from("first")), "first");
        assert_eq!(once.get_or_make(|| String::from("second")), "first");
        drop(Once::<String>::new());
    }
}
