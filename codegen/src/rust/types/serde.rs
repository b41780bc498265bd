//! `serde`: reading by the same tables as showing, and the traits themselves. The runtime has all of it
//! as macros.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::lifetimes::elided;
use crate::model::{Enum, Home, RecordId, UnionId};
use crate::rust::Options;
use crate::rust::shape::{Shape, Shapes};

/// What turns the macro that shows a struct into one that reads it as well.
pub fn read(shapes: &Shapes<'_>, id: RecordId, options: &Options) -> TokenStream {
    if !options.serde {
        return quote!();
    }
    let name = &shapes.model().records[id.index()].template;
    let required = required(shapes, id);
    quote!(read #name [#(#required),*])
}

/// Names of the fields that a struct must have.
pub fn required(shapes: &Shapes<'_>, id: RecordId) -> Vec<String> {
    let model = shapes.model();
    let rows = &model.records[id.index()].rows;
    let rows = shapes.fields(id).iter().map(|field| &rows[field.row.index()]);
    let required =
        rows.filter(|row| model.must_be_given(row) && !row.homes.contains(&Home::Absent));
    required.filter_map(|row| row.name.clone()).collect()
}

/// Of a struct. `file`: it stands for a file, and its format is at hand.
pub fn structs(shapes: &Shapes<'_>, id: RecordId, file: bool) -> TokenStream {
    let ident = shapes.ident(id);
    let elided = elided(shapes, &Shape::Struct(id));
    let spelling = shapes.has_spelling(id).then(|| format_ident!("spelling"));
    let fields = shapes.fields(id).iter().map(|field| field.ident.clone()).chain(spelling);
    let file = file.then(|| quote!(file));
    quote!(::formwork::__serde! { #file [#ident #elided] struct { #(#fields)* } })
}

/// Of a union.
pub fn unions(shapes: &Shapes<'_>, id: UnionId) -> TokenStream {
    let ident = shapes.union_ident(id);
    let elided = elided(shapes, &Shape::Choice(id));
    let (mut cases, mut units) = (quote!(), quote!());
    for case in 0..u32::try_from(shapes.model().unions[id.index()].cases.len()).unwrap_or(u32::MAX)
    {
        let (variant, payload) = shapes.variant(id, case);
        let list = if payload.is_some() { &mut cases } else { &mut units };
        let number = Literal::u32_unsuffixed(case);
        list.extend(quote!(#number #variant));
    }
    quote!(::formwork::__serde! { [#ident #elided] union { #cases } { #units } })
}

/// Of an enumeration.
pub fn enums(ident: &Ident, definition: &Enum, numbers: &[TokenStream]) -> TokenStream {
    let name = &definition.name;
    let members = definition.members.iter().zip(numbers);
    let members = members.map(|(member, number)| {
        let name = &member.name;
        quote!(#name #number,)
    });
    let (kind, made) = if definition.closed {
        (quote!(closed), quote!(#ident::from_number(number)))
    } else {
        (quote!(open), quote!(::formwork::__rt::Some(#ident(number))))
    };
    quote! {
        ::formwork::__read_enum!(#ident #name #kind { #(#members)* });
        ::formwork::__serde! { [#ident] number number => number.number(), #made }
    }
}

/// Of a packed word.
pub fn words(ident: &Ident) -> TokenStream {
    quote!(
        ::formwork::__serde! { [#ident] number bits => bits.0, ::formwork::__rt::Some(#ident(bits)) }
    )
}
