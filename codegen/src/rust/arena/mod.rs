//! Arenas: a second set of types, in which every list is a run in the pool of its element type, and
//! nothing is in a box.
//!
//! They stand in a module `arena` beside the ordinary types, with the same names. `types` emits
//! them, `pools` the pools that their lists are in, `pack` the way between ordinary values and
//! them, `entry` the public type that holds root and pools.

mod defaults;
mod entry;
mod indices;
mod listed;
mod nesting;
mod pack;
mod pools;
#[cfg(test)]
mod tests;
mod types;

use proc_macro2::TokenStream;
use quote::quote;

use super::Options;
use super::shape::{Shape, Shapes};

pub(super) use listed::name;

/// The module `arena`. `straight` is the module of readers and writers that go directly to it, if
/// the model has some:
///
/// - `straight::file(bytes, options)` gives the root and its `pools::Pools`,
/// - `straight::whole(root, pools)` the bytes of a file.
pub(in crate::rust) fn emit(
    shapes: &Shapes<'_>,
    straight: Option<&TokenStream>,
    options: &Options,
) -> TokenStream {
    let (types, indices) = (types::emit(shapes), indices::emit(shapes));
    let pools = pools::emit(shapes);
    let pack = pack::emit(shapes);
    let entry = entry::emit(shapes, straight.is_some(), pools::has_units(shapes));
    let (root, name) = (shapes.ident(shapes.model().root), name(shapes));
    let serde = options.serde.then(|| {
        let lifetime =
            shapes.borrows(&Shape::Struct(shapes.model().root)).then(|| quote!(<'static>));
        quote!(::formwork::__serde! { arena #name [super::#root #lifetime] })
    });
    let doc = format!(
        "[`{name}`](arena::{name}) holds what [`{root}`] holds in a form for files with millions \
         of\nelements: each list is a [`Run`](::formwork::arena::Run) in a pool of its element type, and \
         all types are\nsmall and `Copy`.\n\n\
         Types have the names that they have outside of this module. Where the variants of an enum \
         have a\nsecond element, it is the spelling of the first."
    );
    let doc = super::docs::docs(Some(&doc));
    quote! {
        #doc
        pub mod arena {
            use super::*;

            #entry
            #serde
            #types
            #indices
            #pools
            #pack
            #straight
        }
    }
}
