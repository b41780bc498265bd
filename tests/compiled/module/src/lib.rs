//! Generated code as tests see it. It knows the runtime and nothing else, so that generated code
//! need not be compiled again when the tools change that it is compared with.
#![forbid(unsafe_code)]

use std::fmt::Debug;

#[doc(hidden)]
pub use formwork;
use formwork::{Inspect, ReadError, ReadOptions, WriteError};

/// Generated code of one schema.
#[derive(Debug, Clone, Copy)]
pub struct Module {
    /// Name of the schema.
    pub name: &'static str,
    /// Reads a file, shows its value, and does with it whatever can be done.
    pub read: fn(&[u8], &ReadOptions, Show<'_>) -> Result<Read, ReadError>,
}

/// Who wants to see a value.
pub type Show<'a> = &'a mut dyn FnMut(&dyn Inspect);

/// What generated code made of a file.
#[derive(Debug)]
pub struct Read {
    /// The bytes that the value is written as.
    pub written: Result<Vec<u8>, WriteError>,
    /// What does not hold that must hold for every value.
    pub broken: Vec<String>,
}

/// The [`Module`] of generated code: its name, and the path of the type that stands for a file.
#[macro_export]
macro_rules! module {
    ($name:literal, $($root:ident)::+) => {{
        fn read(
            bytes: &[u8],
            options: &$crate::formwork::ReadOptions,
            show: $crate::Show<'_>,
        ) -> ::core::result::Result<$crate::Read, $crate::formwork::ReadError> {
            #[allow(unused_imports)]
            use $crate::NotYet as _;
            let file = $($root)::+::read_with(bytes, options)?;
            show(&file);
            let written = file.write();
            let broken = $crate::laws(&file);
            ::core::result::Result::Ok($crate::Read { written, broken })
        }
        $crate::Module { name: $name, read }
    }};
}

/// Stands in for what is not generated yet; what a type has itself goes before it.
pub trait NotYet {
    /// Writes nothing.
    fn write(&self) -> Result<Vec<u8>, WriteError> {
        Err(WriteError::new(Vec::new()))
    }
}

impl<T> NotYet for T {}

/// What holds for every value, whatever its type.
pub fn laws<T: Clone + Eq + Debug>(file: &T) -> Vec<String> {
    let mut broken = Vec::new();
    if file.clone() != *file {
        broken.push("a clone is not equal".to_owned());
    }
    if format!("{file:?}").is_empty() {
        broken.push("debugging prints nothing".to_owned());
    }
    broken
}
