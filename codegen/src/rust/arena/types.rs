//! Structs and enums with lists in pools.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::defaults::{self, Made};
use super::listed::{structs, unions};
use crate::model::{RecordId, UnionId};
use crate::rust::docs::{docs, record_doc};
use crate::rust::in_arena::{self, Beside, has_field, ty};
use crate::rust::shape::Shapes;
use crate::rust::types::from;

/// What `spelling` says about itself.
const SPELLING: &str = "How the file spelled this where that is not canonical.";

/// All structs and enums that are not those of the module around this one.
pub(super) fn emit(shapes: &Shapes<'_>) -> TokenStream {
    let structs = structs(shapes).map(|id| record(shapes, id));
    let unions = unions(shapes).map(|id| union(shapes, id));
    structs.chain(unions).collect()
}

/// A record's struct.
fn record(shapes: &Shapes<'_>, id: RecordId) -> TokenStream {
    let record = &shapes.model().records[id.index()];
    let ident = shapes.ident(id);
    let doc = docs(record_doc(shapes, id).as_deref());
    let fields = shapes.fields(id).iter().map(|field| {
        let row = &record.rows[field.row.index()];
        let doc = docs(row.doc.as_deref());
        let (name, ty) = (&field.ident, ty(shapes, &field.shape, false));
        quote!(#doc pub #name: #ty)
    });
    let spelling = has_field(shapes, id).then(|| {
        let doc = docs(Some(SPELLING));
        quote!(#doc pub spelling: ::formwork::arena::SpellingId)
    });
    let fields = fields.chain(spelling);
    let (derive_default, default) = split(defaults::record(shapes, id));
    let from = from::packed_struct(shapes, id);
    quote! {
        #doc
        #[derive(Debug, Clone, Copy #derive_default)]
        pub struct #ident {
            #(#fields,)*
        }

        #default
        #from
    }
}

/// A union's enum.
fn union(shapes: &Shapes<'_>, id: UnionId) -> TokenStream {
    let union = &shapes.model().unions[id.index()];
    let ident = shapes.union_ident(id);
    let doc = docs(union.doc.as_deref());
    let (derive_default, default) = split(defaults::union(shapes, id));
    let first = derive_default.is_some().then(|| shapes.first_case(id));
    let variants = (0..).zip(&union.cases).map(|(number, case)| {
        let doc = docs(case.doc.as_deref());
        let (variant, payload) = shapes.variant(id, number);
        let payload = payload.map(|record| {
            let ty = ty(shapes, &shapes.record(record), false);
            let spelling = (in_arena::beside(shapes, id, record) != Beside::Nothing)
                .then(|| quote!(, ::formwork::arena::SpellingId));
            quote!((#ty #spelling))
        });
        let default = (first == Some(number)).then(|| quote!(#[default]));
        quote!(#doc #default #variant #payload)
    });
    let cases = from::cases(shapes, id, from::Kind::Packed);
    let named = (0..).zip(&union.cases).map(|(number, case)| {
        let ((variant, _), name) = (shapes.variant(id, number), &case.name);
        quote!(#variant #name,)
    });
    quote! {
        #doc
        #[derive(Debug, Clone, Copy #derive_default)]
        pub enum #ident {
            #(#variants,)*
        }

        #default
        #cases
        ::formwork::__case! { [#ident] #(#named)* }
    }
}

/// What is derived for a default value, and what is written.
fn split(made: Made) -> (Option<TokenStream>, Option<TokenStream>) {
    match made {
        Made::Derived => (Some(quote!(, Default)), None),
        Made::Written(tokens) => (None, Some(tokens)),
        Made::Not => (None, None),
    }
}

/// A variant with what stands in it.
pub(super) struct Variant {
    /// Its name.
    pub ident: Ident,
    /// The record of its value, if it has one, and what stands behind that.
    pub payload: Option<(RecordId, Beside)>,
}

/// The variants of a union, in the order of its cases.
pub(super) fn variants(shapes: &Shapes<'_>, id: UnionId) -> Vec<Variant> {
    let count = shapes.model().unions[id.index()].cases.len();
    let cases = (0..).take(count).map(|case| shapes.variant(id, case));
    cases
        .map(|(ident, payload)| Variant {
            ident,
            payload: payload.map(|record| (record, in_arena::beside(shapes, id, record))),
        })
        .collect()
}
