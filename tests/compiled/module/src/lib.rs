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
    /// Whether the file was read by straight code.
    pub straight: bool,
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
            let mut broken = $crate::laws(&file);
            let straight = $($root)::+::__read_straight(bytes, options).is_some();
            if straight {
                let thorough = $($root)::+::__read_thorough(bytes, options);
                let same = thorough.as_ref().map(|other| file == *other && file.same_spelling(other));
                broken.extend($crate::differs("read", &same, &::core::result::Result::Ok(true)));
            }
            if let ::core::option::Option::Some(bytes) = file.__write_straight() {
                let thorough = file.__write_thorough();
                broken.extend($crate::differs("written", &thorough, &::core::result::Result::Ok(bytes)));
            }
            ::core::result::Result::Ok($crate::Read { written, broken, straight })
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

/// Says so if thorough code found something else than straight code did.
pub fn differs<T: PartialEq, E: Debug>(
    what: &str,
    thorough: &Result<T, E>,
    straight: &Result<T, E>,
) -> Option<String> {
    match (thorough, straight) {
        (Ok(thorough), Ok(straight)) if thorough == straight => None,
        // Thorough code takes more stack for a level, so it may stop earlier.
        (Err(error), _) if format!("{error:?}").contains("DepthLimit") => None,
        (Err(error), _) => Some(format!("{what} by straight code, but refused: {error:?}")),
        _ => Some(format!("{what} by straight code, but not the same")),
    }
}

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
