//! The Rust back end: from a model to the text of a module.
//!
//! It knows nothing of KDL, opens no file, and cannot fail: what Rust cannot say is found by
//! [`check`] first.

mod arena;
pub(crate) mod codes;
mod constants;
mod docs;
mod edits;
mod file;
mod in_arena;
mod layouts;
mod mapping;
mod mentions;
mod names;
mod packed;
mod paths;
#[doc(hidden)]
mod shape;
mod straight;
mod tidy;
mod types;
mod unused;
mod view;

use proc_macro2::TokenStream;

use self::layouts::Layouts;
use crate::diagnostic::Diagnostic;
use crate::model::Model;

pub use paths::{Paths, Reason, RecordPath, paths, paths_agree, paths_text};

/// What is generated besides the types with their readers and writers.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Implementations of the traits of `serde`. The crate that includes the code needs `serde`.
    pub serde: bool,
    /// Implementations of `arbitrary::Arbitrary`. The crate that includes the code needs `arbitrary`.
    pub arbitrary: bool,
    /// A module `arena` with a second set of types, in which every list is a run in a pool. They
    /// are for files with millions of elements.
    pub arena: bool,
    /// A module `view` with types that look at a file in place.
    pub views: bool,
    /// Views show themselves part by part, all that they lead to included. That is for tests: what a
    /// file of others leads to may be without end.
    #[doc(hidden)]
    pub shown_views: bool,
}

/// Problems of a checked model that only Rust has.
#[must_use]
pub fn check(model: &Model) -> Vec<Diagnostic> {
    shape::Shapes::new(model).problems()
}

/// The text of a module for a model that [`check`] finds nothing in.
#[must_use]
pub fn emit(model: &Model, options: &Options) -> String {
    let model = &unused::without(model);
    let shapes = &shape::Shapes::new(model);
    let views = &Layouts::new(model);
    let fast = straight::emit(shapes, views).ok().map(|emitted| emitted.tokens);
    let mapping = mapping::emit(shapes, fast.is_some());
    let edits = edits::emit(shapes);
    let arena = options.arena.then(|| {
        let direct = straight::emit_arena(shapes, views).ok();
        arena::emit(shapes, direct.as_ref(), options)
    });
    let view = self::views(shapes, views, options);
    let types = types::emit(shapes, options, true);
    let [fast, arena] = [fast, arena].map(Option::unwrap_or_default);
    file::file(model, &[types, mapping, edits, fast, arena, view])
}

/// The fields that have no function in the module `view`, each as `File.name: why`; or why there is
/// no such module.
///
/// # Errors
///
/// The reason.
pub fn without_view(model: &Model) -> Result<Vec<String>, String> {
    let model = &unused::without(model);
    let shapes = &shape::Shapes::new(model);
    match view::emit(shapes, &Layouts::new(model), false) {
        Ok(emitted) => Ok(emitted.missing),
        Err(straight::Unable(why)) => Err(why),
    }
}

/// The public types alone, and views if they are asked for, without readers and writers.
#[must_use]
pub fn emit_types(model: &Model, options: &Options) -> String {
    let shapes = shape::Shapes::new(model);
    let types = types::emit(&shapes, options, false);
    file::file(model, &[types, views(&shapes, &Layouts::new(model), options)])
}

/// The module `view`, if it is asked for and can be made.
fn views(shapes: &shape::Shapes<'_>, layouts: &Layouts<'_>, options: &Options) -> TokenStream {
    if !options.views {
        return TokenStream::new();
    }
    view::emit(shapes, layouts, options.shown_views)
        .map_or_else(|straight::Unable(_)| TokenStream::new(), |emitted| emitted.tokens)
}

/// Name of the type that stands for a file, and whether it has a lifetime.
#[must_use]
pub fn root_type(model: &Model) -> (String, bool) {
    let shapes = shape::Shapes::new(model);
    (shapes.ident(model.root).to_string(), shapes.borrows(&shape::Shape::Struct(model.root)))
}

/// Name of the type that holds a file in an arena, in the module `arena`.
#[must_use]
pub fn arena_type(model: &Model) -> String {
    arena::name(&shape::Shapes::new(model)).to_string()
}

/// Whether a model's generated code has a fast path: one for files that have nothing unusual, which
/// builds and writes values directly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FastPath {
    /// There is one, and its reader alone proves that a file is plain.
    Sealed,
    /// There is one, and a file is plain if it writes what was read as the same bytes, since its
    /// reader does not look at something: this, and maybe more.
    Compared(String),
    /// There is none, for this reason.
    None(String),
}

impl FastPath {
    /// `sealed`, `compared` or `none`.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            FastPath::Sealed => "sealed",
            FastPath::Compared(_) => "compared",
            FastPath::None(_) => "none",
        }
    }

    /// Why files are compared, or there is no fast path.
    #[must_use]
    pub fn why(&self) -> Option<&str> {
        match self {
            FastPath::Sealed => None,
            FastPath::Compared(why) | FastPath::None(why) => Some(why),
        }
    }
}

/// Whether generated code for a model has a fast path.
#[must_use]
pub fn fast_path(model: &Model) -> FastPath {
    let model = &unused::without(model);
    match straight::emit(&shape::Shapes::new(model), &Layouts::new(model)) {
        Ok(emitted) => emitted.doubt.map_or(FastPath::Sealed, FastPath::Compared),
        Err(straight::Unable(why)) => FastPath::None(why),
    }
}
