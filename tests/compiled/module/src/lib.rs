//! Generated code as tests see it. It knows the runtime and nothing else, so that generated code
//! need not be compiled again when the tools change that it is compared with.
#![forbid(unsafe_code)]

use std::fmt::Debug;

#[doc(hidden)]
pub use formwork;
use formwork::inspect::Inspect;
use formwork::{ReadError, ReadOptions, WriteError};

/// Generated code of one schema.
#[derive(Debug, Clone, Copy)]
pub struct Module {
    /// Name of the schema.
    pub name: &'static str,
    /// Reads a file, shows its value, and does with it whatever can be done.
    pub read: fn(&[u8], &ReadOptions, Show<'_>) -> Result<Read, ReadError>,
    /// Reads a file, turns the lowest bit of every reference round, and shows what comes of it; says
    /// why it cannot. Nothing if there are no references.
    pub turn: fn(&[u8], &ReadOptions, Show<'_>) -> Option<Done>,
}

/// Whether something was done, or why not.
pub type Done = Result<(), String>;

/// Who wants to see a value.
pub type Show<'a> = &'a mut dyn FnMut(&dyn Inspect);

/// What generated code made of a file.
#[derive(Debug)]
pub struct Read {
    /// The bytes that the value is written as.
    pub written: Result<Vec<u8>, WriteError>,
    /// What does not hold that must hold for every value.
    pub broken: Vec<String>,
    /// Whether the file was read by the fast path.
    pub fast: bool,
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
            let trusting = options.clone().trusting(true);
            let trusted = $($root)::+::__read_engine(bytes, &trusting);
            let fast = $($root)::+::__read_fast(bytes, &trusting);
            let differs = fast.and_then(|fast| {
                let same = trusted.as_ref().map(|other| fast == *other);
                $crate::differs("trusted", &same, &::core::result::Result::Ok(true))
            });
            let file = match $($root)::+::read_with(bytes, options) {
                ::core::result::Result::Ok(file) => file,
                ::core::result::Result::Err(error) => {
                    ::core::assert!(differs.is_none(), "{differs:?}, and refused otherwise: {error}");
                    return ::core::result::Result::Err(error);
                }
            };
            show(&file);
            let written = file.write();
            let mut broken = $crate::laws(&file);
            broken.extend(differs);
            let same = trusted.as_ref().map(|other| file == *other);
            broken.extend($crate::differs("compared", &same, &::core::result::Result::Ok(true)));
            let fast = $($root)::+::__read_fast(bytes, options).is_some();
            if fast {
                let engine = $($root)::+::__read_engine(bytes, options);
                let same = engine.as_ref().map(|other| file == *other && file.same_spelling(other));
                broken.extend($crate::differs("read", &same, &::core::result::Result::Ok(true)));
                let is_fast = |options: &_| $($root)::+::__read_fast(bytes, options).is_some();
                let differs = |options: &_| {
                    let fast = $($root)::+::__read_fast(bytes, options)?;
                    let engine = $($root)::+::__read_engine(bytes, options);
                    let same = engine.as_ref().map(|other| fast == *other && fast.same_spelling(other));
                    let what = ::std::format!("read with {options:?}");
                    $crate::differs(&what, &same, &::core::result::Result::Ok(true))
                };
                broken.extend($crate::limits(options, &is_fast, &differs));
            }
            if let ::core::option::Option::Some(bytes) = file.__write_fast() {
                let engine = file.__write_engine();
                broken.extend($crate::differs("written", &engine, &::core::result::Result::Ok(bytes)));
            }
            let mut appended = ::std::vec::Vec::from([0xa5; 3]);
            let result = file.write_into(&mut appended);
            broken.extend($crate::appends(&written, result, &appended, file.validate()));
            ::core::result::Result::Ok($crate::Read { written, broken, fast })
        }
        fn turn(
            bytes: &[u8],
            options: &$crate::formwork::ReadOptions,
            show: $crate::Show<'_>,
        ) -> ::core::option::Option<::core::result::Result<(), ::std::string::String>> {
            #[allow(unused_imports)]
            use $crate::{Turn as _, Turned as _};
            let mut file = $($root)::+::read_with(bytes, options).ok()?;
            let turned = file.__turn().into_turned()?;
            show(&file);
            ::core::option::Option::Some(turned)
        }
        $crate::Module { name: $name, read, turn }
    }};
}

/// What has no references cannot be turned: a type without the function of this name has this one.
pub trait Turn {
    /// Nothing.
    fn __turn(&mut self) -> NoTurn {
        NoTurn
    }
}

impl<T> Turn for T {}

/// There are no references.
#[derive(Debug)]
pub struct NoTurn;

impl NoTurn {
    /// Nothing was done.
    pub fn into_turned(self) -> Option<Done> {
        None
    }
}

/// What came of turning references.
pub trait Turned {
    /// Whether it was done.
    fn into_turned(self) -> Option<Done>;
}

impl Turned for Result<(), formwork::EditError> {
    fn into_turned(self) -> Option<Done> {
        Some(self.map_err(|error| error.to_string()))
    }
}

/// Says so if the engine found something else than the fast path did.
pub fn differs<T: PartialEq, E: Debug>(
    what: &str,
    engine: &Result<T, E>,
    fast: &Result<T, E>,
) -> Option<String> {
    match (engine, fast) {
        (Ok(engine), Ok(fast)) if engine == fast => None,
        // The engine takes more stack for a level, so it may stop earlier.
        (Err(error), _) if format!("{error:?}").contains("depth_limit") => None,
        (Err(error), _) => Some(format!("{what} by the fast path, but refused: {error:?}")),
        _ => Some(format!("{what} by the fast path, but not the same")),
    }
}

/// What does not hold of a file that the fast path reads, if it is read more strictly: that it is
/// still read by the fast path, and with whatever budget as by the engine.
pub fn limits(
    options: &ReadOptions,
    is_fast: &dyn Fn(&ReadOptions) -> bool,
    differs: &dyn Fn(&ReadOptions) -> Option<String>,
) -> Vec<String> {
    let strict = options.clone().strict(true);
    let mut broken: Vec<String> = differs(&strict).into_iter().collect();
    if !is_fast(&strict) {
        broken.push("not read by the fast path if it is read strictly".to_owned());
    }
    // The engine reads with any budget from the least one on with which the fast path does.
    let of = |budget: u64| strict.clone().budget_factor(0).budget_floor(budget);
    let (mut refused, mut read) = (0, u64::from(u32::MAX));
    if !is_fast(&of(read)) {
        return broken;
    }
    while read - refused > 1 {
        let middle = refused + (read - refused) / 2;
        match is_fast(&of(middle)) {
            true => read = middle,
            false => refused = middle,
        }
    }
    broken.extend(differs(&of(read)));
    broken.extend(differs(&of(read * 2)));
    broken
}

/// Says so if a file is something else behind bytes that are there, or if that it can be written is
/// said differently without writing it.
pub fn appends(
    written: &Result<Vec<u8>, WriteError>,
    result: Result<(), WriteError>,
    appended: &[u8],
    valid: Result<(), WriteError>,
) -> Vec<String> {
    let mut broken = Vec::new();
    let whole = written.as_deref().unwrap_or_default();
    if result.is_ok() != written.is_ok() || appended.strip_prefix(&[0xa5; 3]) != Some(whole) {
        broken.push("what is appended to bytes is not the file".to_owned());
    }
    if written.as_ref().map(drop) != valid.as_ref().map(drop) {
        broken.push(format!("{valid:?} is found without writing, and {written:?} by writing"));
    }
    broken
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
