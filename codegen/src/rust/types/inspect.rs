//! `Inspect`: a value shown part by part, as the interpreter has it. The runtime has it as macros.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::lifetimes::elided;
use super::serde;
use crate::model::{Home, RecordId, RecordKind, Row, RowId, UnionId};
use crate::rust::Options;
use crate::rust::shape::{FieldShape, Shape, Shapes};

/// Of a struct.
pub fn structs(shapes: &Shapes<'_>, id: RecordId, options: &Options) -> TokenStream {
    let ident = shapes.ident(id);
    let elided = elided(shapes, &Shape::Struct(id));
    let record = &shapes.model().records[id.index()];
    let is_kept = |field: &&FieldShape| matches!(field.shape, Shape::Kept(_));
    let (kept, data): (Vec<_>, Vec<_>) = shapes.fields(id).iter().partition(is_kept);
    let shown = data.iter().map(|field| {
        let row = &record.rows[field.row.index()];
        (field.row, shown(shapes, row, field))
    });
    let insides = shapes.insides(id).iter().map(|(row, inner)| {
        let inside = inside(shapes, id, *row, *inner);
        (*row, quote!((inside #inside)))
    });
    let mut parts: Vec<(RowId, TokenStream)> = shown.chain(insides).collect();
    parts.sort_by_key(|(row, _)| *row);
    let parts = parts.into_iter().map(|(_, part)| part);
    let spelling = shapes.has_spelling(id).then(|| quote!(spelling));
    let is_spelled = spelling.is_some() || !kept.is_empty();
    let kept = kept.iter().map(|field| {
        let (row, ident) = (shapes.spelling_row(id, field.row), &field.ident);
        let row = Literal::u16_unsuffixed(row);
        quote!(#row #ident,)
    });
    let names = if is_spelled { shapes.spelling_names(id) } else { Vec::new() };
    let read = serde::read(shapes, id, options);
    let stands_for = record.transparent.filter(|_| record.kind == RecordKind::Struct);
    let how = match stands_for.and_then(|row| shapes.field(id, row)).map(|field| &field.ident) {
        None => quote!(all),
        Some(field) if shapes.model().keeps_spelling(id) => quote!(spelled #field),
        Some(field) => quote!(only #field),
    };
    quote! {
        ::formwork::__inspect! {
            #read [#ident #elided] #how { #(#parts)* } [#(#names),*] { #(#kept)* } { #spelling }
        }
    }
}

/// Of a union.
pub fn unions(shapes: &Shapes<'_>, id: UnionId, options: &Options) -> TokenStream {
    let ident = shapes.union_ident(id);
    let elided = elided(shapes, &Shape::Choice(id));
    let (mut cases, mut whole, mut bare) = (quote!(), quote!(), quote!());
    for (number, case) in (0..).zip(&shapes.model().unions[id.index()].cases) {
        let (variant, payload) = shapes.variant(id, number);
        let record = |record: RecordId| &shapes.model().records[record.index()];
        let list = match payload {
            None => &mut bare,
            Some(id) if record(id).transparent.is_some() && !shapes.is_plain_word(id) => &mut whole,
            Some(_) => &mut cases,
        };
        let name = &case.name;
        list.extend(quote!(#variant #name,));
    }
    let read = options.serde.then(|| quote!(read));
    quote! {
        ::formwork::__inspect_cases! { #read [#ident #elided] { #cases } { #whole } { #bare } }
    }
}

/// What is needed to show how a struct is spelled that has nothing but that.
fn inside(shapes: &Shapes<'_>, id: RecordId, row: RowId, inner: RecordId) -> TokenStream {
    let number = shapes.spelling_row(id, row);
    let name = match &shapes.model().records[id.index()].rows[row.index()].name {
        Some(name) => quote!(::formwork::__rt::Some(#name)),
        None => quote!(::formwork::__rt::None),
    };
    let rows = shapes.spelling_names(inner);
    let insides = shapes.insides(inner).iter();
    let insides = insides.map(|(row, below)| inside(shapes, inner, *row, *below));
    quote!(::formwork::__rt::Inside {
        row: #number,
        name: #name,
        rows: ::formwork::__rows![#(#rows),*],
        insides: &[#(#insides),*],
    })
}

/// A field with its name.
fn shown(shapes: &Shapes<'_>, row: &Row, field: &FieldShape) -> TokenStream {
    let ident = &field.ident;
    let sometimes = shapes.perhaps_given(row) || row.name.is_none();
    let perhaps = (sometimes && matches!(field.shape, Shape::Option(_))).then(|| quote!(perhaps));
    let in_some = row.homes.contains(&Home::Absent) && perhaps.is_none();
    let show = match (&row.name, shapes.inner_name(row)) {
        (Some(name), _) if in_some => quote!(show_in_some #name),
        (Some(name), _) => quote!(show #name),
        (None, Some(name)) => quote!(show #name),
        (None, None) => {
            let number = u16::try_from(field.row.index()).unwrap_or(u16::MAX);
            let number = Literal::u16_unsuffixed(number);
            quote!(show_flat #number)
        }
    };
    let elsewhere = (row.name.is_some() && in_some).then(|| elsewhere(shapes, row, field));
    quote!((#perhaps #show #ident #elsewhere))
}

/// The layouts that do not have a row, and the values that say no more than that.
fn elsewhere(shapes: &Shapes<'_>, row: &Row, field: &FieldShape) -> TokenStream {
    let layouts = row.homes.iter().zip(0..).filter(|(home, _)| **home == Home::Absent);
    let layouts = layouts.map(|(_, layout)| Literal::u32_unsuffixed(layout));
    let nothing = matches!(field.shape, Shape::Option(_)).then(|| quote!(::formwork::__rt::None));
    let absent = row.absent.as_ref();
    let absent = absent.and_then(|constant| shapes.constant(constant, &field.shape, false));
    let values = nothing.into_iter().chain(absent);
    quote!([#(#layouts),*] [#(#values),*])
}
