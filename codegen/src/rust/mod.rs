//! The Rust back end: from a model to the text of a module.
//!
//! It knows nothing of KDL, opens no file, and cannot fail: what Rust cannot say is found by
//! [`check`] first.

mod arena;
pub(crate) mod codes;
mod expr;
mod marks;
mod names;
#[doc(hidden)]
pub mod packed;
mod plan;
#[doc(hidden)]
pub mod probe;
mod read;
mod shape;
mod straight;
mod types;
mod unused;
mod visit;
mod write;

use proc_macro2::TokenStream;
use quote::quote;

use crate::diagnostic::Diagnostic;
use crate::model::Model;

/// What is generated besides the types with their readers and writers.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Implementations of the traits of `serde`. The crate that includes the code needs `serde` with
    /// its derive macros.
    pub serde: bool,
    /// Implementations of `arbitrary::Arbitrary`. The crate that includes the code needs `arbitrary`.
    pub arbitrary: bool,
    /// A module `arena` with a second set of types, in which every list is a run in a pool. They
    /// are for files with millions of elements.
    pub arena: bool,
}

/// Problems of a checked model that only Rust has.
#[must_use]
pub fn check(model: &Model) -> Vec<Diagnostic> {
    let mut problems = shape::Shapes::new(model).problems();
    problems.extend(read::unsupported(model));
    problems.extend(write::unsupported(model));
    problems
}

/// The text of a module for a model that [`check`] finds nothing in.
#[must_use]
pub fn emit(model: &Model, options: &Options) -> String {
    let model = &unused::without(model);
    let mut plan = plan::Plan::new(model);
    let straight = straight::emit(&plan).map(|emitted| emitted.tokens).unwrap_or_default();
    plan.straight = !straight.is_empty();
    let types = types::emit(&plan.shapes, options);
    // Reader and writer ask the plan for expressions...
    let writer = write::emit(&plan);
    let parts: Vec<TokenStream> = vec![read::emit(&plan), writer.codec];
    let tables = plan.emit(); // ...so what they have asked for is emitted last.
    let codec = quote! {
        // Code for all cases alike: what a schema does not need of it is no mistake of its user.
        #[allow(warnings, clippy::all, clippy::pedantic)]
        mod codec {
            use ::formwork::__rt as rt;
            use rt::rows as r;
            use rt::{Engine as _, Reader as _};
            #(#parts)*
            #tables
        }
    };
    let arena = options.arena.then(|| {
        let direct = straight::emit_arena(&plan).ok();
        arena::emit(&plan.shapes, direct.as_ref())
    });
    types::file(model, &[types, writer.api, straight, codec, arena.unwrap_or_default()])
}

/// The public types alone, without readers and writers.
#[must_use]
pub fn emit_types(model: &Model, options: &Options) -> String {
    let shapes = shape::Shapes::new(model);
    types::file(model, &[types::emit(&shapes, options)])
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
    /// There is one, and a file is plain if it writes what was read as the same bytes.
    Compared,
    /// There is none, for this reason.
    None(String),
}

/// Whether generated code for a model has a fast path.
#[must_use]
pub fn fast_path(model: &Model) -> FastPath {
    let model = &unused::without(model);
    match straight::emit(&plan::Plan::new(model)) {
        Ok(emitted) if emitted.sealed => FastPath::Sealed,
        Ok(_) => FastPath::Compared,
        Err(straight::Unable(why)) => FastPath::None(why),
    }
}

/// A listing of what generated code remembers of a file beside its value: which records have nodes,
/// and which of their rows have slots.
#[must_use]
pub fn plan_text(model: &Model) -> String {
    let plan = plan::Plan::new(model);
    let straight = match fast_path(model) {
        FastPath::None(why) => format!("no straight code: {why}"),
        _ => "straight code".to_owned(),
    };
    format!("{straight}\n{}", plan.text())
}
