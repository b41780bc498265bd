//! Unions: enums with a variant for each case.

use proc_macro2::TokenStream;
use quote::quote;

use super::lifetimes::{elided, generics};
use super::{arbitrary, from, inspect, same, serde};
use crate::model::UnionId;
use crate::rust::Options;
use crate::rust::docs::docs;
use crate::rust::shape::{Shape, Shapes};

/// A union's enum with everything that it implements.
pub fn emit(shapes: &Shapes<'_>, id: UnionId, options: &Options) -> TokenStream {
    let union = &shapes.model().unions[id.index()];
    let shape = Shape::Choice(id);
    let ident = shapes.union_ident(id);
    let (generics, elided) = (generics(shapes, &shape), elided(shapes, &shape));
    let doc = docs(union.doc.as_deref());
    let first_case = shapes.first_case(id);
    let (first, payload) = shapes.variant(id, first_case);
    let derived = payload.is_none();
    let variants = (0..).zip(&union.cases).map(|(number, case)| {
        let (variant, payload) = shapes.variant(id, number);
        let doc = docs(case.doc.as_deref());
        let payload = payload.map(|record| {
            let ty = shapes.ty(&shapes.record(record), false);
            quote!((#ty))
        });
        let default = (derived && number == first_case).then(|| quote!(#[default]));
        quote!(#doc #default #variant #payload)
    });
    let derive_default = derived.then(|| quote!(, Default));
    let default = payload.map(|_| {
        quote! {
            impl ::core::default::Default for #ident #elided {
                fn default() -> Self {
                    #ident::#first(::formwork::__rt::Default::default())
                }
            }
        }
    });
    let from = from::cases(shapes, id, from::Kind::Values);
    let same = same::unions(shapes, id);
    let inspect = inspect::unions(shapes, id, options);
    let serde = options.serde.then(|| serde::unions(shapes, id));
    let arbitrary = options.arbitrary.then(|| arbitrary::unions(shapes, id));
    quote! {
        #doc
        #[derive(Debug, Clone #derive_default)]
        pub enum #ident #generics {
            #(#variants,)*
        }

        #default
        #from
        #same
        #inspect
        #serde
        #arbitrary
    }
}
