//! Equality, `into_owned` and `new`, which the runtime has as macros.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::from;
use crate::model::{RecordId, UnionId};
use crate::rust::shape::{Shape, Shapes};

/// Of a struct.
pub fn structs(shapes: &Shapes<'_>, id: RecordId) -> TokenStream {
    let ident = shapes.ident(id);
    let (borrowed, plain): (Vec<_>, Vec<_>) =
        shapes.fields(id).iter().partition(|field| shapes.borrows(&field.shape));
    let name = |fields: Vec<&crate::rust::shape::FieldShape>| {
        fields.into_iter().map(|field| field.ident.clone()).collect::<Vec<Ident>>()
    };
    let (borrowed, mut plain) = (name(borrowed), name(plain));
    plain.extend(shapes.has_spelling(id).then(|| format_ident!("spelling")));
    let new = from::new(shapes, id);
    if shapes.borrows(&Shape::Struct(id)) {
        quote!(::formwork::__struct! { #ident<'a> { #(#borrowed)* } { #(#plain)* } #new })
    } else {
        quote!(::formwork::__struct! { #ident { #(#plain)* } #new })
    }
}

/// Of a union.
pub fn unions(shapes: &Shapes<'_>, id: UnionId) -> TokenStream {
    let ident = shapes.union_ident(id);
    let count = shapes.model().unions[id.index()].cases.len();
    let (mut borrowed, mut plain, mut units) = (Vec::new(), Vec::new(), Vec::new());
    for case in 0..u32::try_from(count).unwrap_or(u32::MAX) {
        let (variant, payload) = shapes.variant(id, case);
        match payload {
            Some(record) if shapes.borrows(&shapes.record(record)) => borrowed.push(variant),
            Some(_) => plain.push(variant),
            None => units.push(variant),
        }
    }
    if shapes.borrows(&Shape::Choice(id)) {
        quote! {
            ::formwork::__union! { #ident<'a> { #(#borrowed)* } { #(#plain)* } { #(#units)* } }
        }
    } else {
        quote!(::formwork::__union! { #ident { #(#plain)* } { #(#units)* } })
    }
}
