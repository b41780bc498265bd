//! Conversions that make values by hand short: of a case's struct into the union, and of the only
//! field of a struct that is all there is to a case.

use proc_macro2::TokenStream;
use quote::quote;

use super::{elided, generics};
use crate::model::{RecordId, RecordKind, UnionId};
use crate::rust::shape::{Shape, Shapes};

/// Of a union, from the structs that are made for its cases. Those that cases name (`as=`) may be
/// there for several.
pub fn unions(shapes: &Shapes<'_>, id: UnionId) -> TokenStream {
    let ident = shapes.union_ident(id);
    let count = shapes.model().unions[id.index()].cases.len();
    let (mut borrowed, mut plain) = (Vec::new(), Vec::new());
    for case in 0..u32::try_from(count).unwrap_or(u32::MAX) {
        let (variant, Some(record)) = shapes.variant(id, case) else { continue };
        let shape = shapes.record(record);
        if !is_body(shapes, record, id) || shape != Shape::Struct(record) {
            continue;
        }
        let (list, payload) = match shapes.borrows(&shape) {
            true => (&mut borrowed, shapes.ident(record)),
            false => (&mut plain, shapes.ident(record)),
        };
        list.push(quote!(#variant(#payload)));
    }
    match (borrowed.is_empty() && plain.is_empty(), shapes.borrows(&Shape::Choice(id))) {
        (true, _) => TokenStream::new(),
        (false, true) => {
            quote!(::formwork::__from_cases! { #ident<'a> { #(#borrowed)* } { #(#plain)* } })
        }
        (false, false) => quote!(::formwork::__from_cases! { #ident { #(#plain)* } }),
    }
}

/// Of a struct with one field that is the body of a case, or stands for the value of that field.
pub fn structs(shapes: &Shapes<'_>, id: RecordId) -> TokenStream {
    let record = &shapes.model().records[id.index()];
    let [field] = shapes.fields(id) else { return TokenStream::new() };
    if !matches!(record.kind, RecordKind::Case(..)) && record.transparent.is_none() {
        return TokenStream::new();
    }
    let (ident, shape) = (shapes.ident(id), Shape::Struct(id));
    let (name, ty) = (&field.ident, shapes.ty(&field.shape, false));
    let (generics, own) = match shapes.borrows(&field.shape) {
        true => (generics(shapes, &shape), generics(shapes, &shape)),
        false => (TokenStream::new(), elided(shapes, &shape)),
    };
    let spelling = shapes.has_spelling(id).then(|| quote!(spelling));
    let others = match field.shape {
        Shape::Str => quote!({&'a str} {::formwork::__rt::String}),
        Shape::Bytes => quote!({&'a [u8]} {::formwork::alloc::vec::Vec<u8>}),
        Shape::Utf16 => quote!({ &str } { ::formwork::__rt::String }),
        _ => TokenStream::new(),
    };
    quote!(::formwork::__from_field! { [#generics] [#ident #own] #name: [#ty] #others #spelling })
}

fn is_body(shapes: &Shapes<'_>, record: RecordId, union: UnionId) -> bool {
    let kind = &shapes.model().records[record.index()].kind;
    matches!(kind, RecordKind::Case(of, _) if *of == union)
}
