//! Structs.

use proc_macro2::TokenStream;
use quote::quote;

use super::lifetimes::{elided, generics};
use super::{arbitrary, from, inspect, same, serde};
use crate::model::RecordId;
use crate::rust::Options;
use crate::rust::docs::{docs, record_doc};
use crate::rust::shape::{FieldShape, Shape, Shapes};

/// What `spelling` says about itself.
const SPELLING: &str =
    "How the file spelled this where that is not canonical; takes no part in `==`.";

/// A record's struct with everything that it implements. `file`: it stands for a file, with readers
/// and writers.
pub fn emit(shapes: &Shapes<'_>, id: RecordId, options: &Options, file: bool) -> TokenStream {
    let record = &shapes.model().records[id.index()];
    let shape = Shape::Struct(id);
    let ident = shapes.ident(id);
    let generics = generics(shapes, &shape);
    let doc = docs(record_doc(shapes, id).as_deref());
    let fields = shapes.fields(id);

    let declared = fields.iter().map(|field| {
        let row = &record.rows[field.row.index()];
        let doc = docs(row.doc.as_deref());
        let (name, ty) = (&field.ident, shapes.ty(&field.shape, false));
        quote!(#doc pub #name: #ty)
    });
    let spelling = shapes.has_spelling(id).then(|| {
        let doc = docs(Some(SPELLING));
        quote!(#doc pub spelling: ::formwork::Spelling)
    });
    let declared = declared.chain(spelling);

    let default = default(shapes, id);
    let derive_default = default.is_none().then(|| quote!(, Default));

    let from = from::structs(shapes, id);
    let same = same::structs(shapes, id);
    let inspect = inspect::structs(shapes, id, options);
    let serde = options.serde.then(|| serde::structs(shapes, id, file));
    let arbitrary = options.arbitrary.then(|| arbitrary::structs(shapes, id));
    quote! {
        #doc
        #[derive(Debug, Clone #derive_default)]
        pub struct #ident #generics {
            #(#declared,)*
        }

        #default
        #from
        #same
        #inspect
        #serde
        #arbitrary
    }
}

/// `Default`, if it cannot be derived because the schema states a value.
fn default(shapes: &Shapes<'_>, id: RecordId) -> Option<TokenStream> {
    let ident = shapes.ident(id);
    let elided = elided(shapes, &Shape::Struct(id));
    let fields = shapes.fields(id);
    let usual = |field: &FieldShape| shapes.default(&field.shape).to_string();
    let values: Vec<_> = fields.iter().map(|f| shapes.field_default(id, f, false)).collect();
    if fields.iter().zip(&values).all(|(field, value)| usual(field) == value.to_string()) {
        return None;
    }
    let names = fields.iter().map(|field| &field.ident);
    let spelling =
        shapes.has_spelling(id).then(|| quote!(spelling: ::formwork::__rt::Default::default(),));
    Some(quote! {
        impl ::core::default::Default for #ident #elided {
            fn default() -> Self {
                #ident { #(#names: #values,)* #spelling }
            }
        }
    })
}
