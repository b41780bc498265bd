//! The public type that holds the root of a value and the pools of its lists. The runtime has its
//! functions as a macro.

use proc_macro2::TokenStream;
use quote::quote;

use super::listed::name;
use crate::rust::docs::docs;
use crate::rust::shape::{Shape, Shapes};

/// The type with its methods. `straight`: there are readers and writers that need no ordinary value.
/// `units`: there is text in units of 16 bits.
pub(super) fn emit(shapes: &Shapes<'_>, straight: bool, units: bool) -> TokenStream {
    let root = shapes.model().root;
    let (name, root, borrows) =
        (name(shapes), shapes.ident(root), shapes.borrows(&Shape::Struct(root)));
    let doc = docs(Some(&format!(
        "What a file holds, as a [`{root}`] and the lists in it: `arena[run]` is the slice of a list.\n\n\
         Runs, texts and spellings of another arena are mistakes, and indexing or writing them may\n\
         panic. A list that is replaced stays in the arena, unused, until the arena is dropped."
    )));
    let (elided, owned) =
        if borrows { (quote!(<'_>), quote!(<'static>)) } else { (quote!(), quote!()) };
    let straight = straight.then(|| quote!(straight));
    let units = units.then(|| quote!(utf16));
    quote! {
        #doc
        #[derive(Debug, Clone)]
        pub struct #name {
            /// The root; its lists are in this arena.
            pub root: #root,
            pools: pools::Pools,
        }

        ::formwork::__arena! {
            #name of [super::#root #elided] [super::#root #owned] [#straight] [#units]
        }
    }
}
