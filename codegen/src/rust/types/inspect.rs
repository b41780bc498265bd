//! `Inspect`: a value shown part by part, as the interpreter has it.

use proc_macro2::TokenStream;
use quote::quote;

use super::elided;
use crate::model::{Home, RecordId, RecordKind, Row, RowId, Type, UnionId};
use crate::rust::shape::{FieldShape, Shape, Shapes};

/// Of a struct.
pub fn structs(shapes: &Shapes<'_>, id: RecordId) -> TokenStream {
    let ident = shapes.ident(id);
    let elided = elided(shapes, &Shape::Struct(id));
    let record = &shapes.model().records[id.index()];
    let stands_for = record.transparent.filter(|_| record.kind == RecordKind::Struct);
    let body = match stands_for.and_then(|row| shapes.field(id, row)) {
        Some(field) => {
            let name = &field.ident;
            let (rows, spelling) = spelling(shapes, id, &quote!(self));
            if spelling.is_empty() {
                quote!(::formwork::Inspect::inspect(&self.#name, to);)
            } else {
                quote! {
                    #rows
                    to.begin_spelled();
                    ::formwork::Inspect::inspect(&self.#name, to);
                    #spelling
                    to.end_spelled();
                }
            }
        }
        None => as_struct(shapes, id, &quote!(self)),
    };
    quote! {
        impl ::formwork::Inspect for #ident #elided {
            fn inspect(&self, to: &mut dyn ::formwork::Inspector) {
                #body
            }
        }
    }
}

/// Of a union.
pub fn unions(shapes: &Shapes<'_>, id: UnionId) -> TokenStream {
    let ident = shapes.union_ident(id);
    let elided = elided(shapes, &Shape::Choice(id));
    let union = &shapes.model().unions[id.index()];
    let cases = (0..).zip(&union.cases).map(|(number, case)| {
        let (variant, payload) = shapes.variant(id, number);
        let name = &case.name;
        match payload {
            None => quote! {
                #ident::#variant => {
                    to.begin_case(#name);
                    to.begin_struct();
                    to.end_struct();
                }
            },
            Some(record) => {
                let transparent = shapes.model().records[record.index()].transparent.is_some();
                let shown = if transparent && !shapes.is_plain_word(record) {
                    as_struct(shapes, record, &quote!(value))
                } else {
                    quote!(::formwork::Inspect::inspect(value, to);)
                };
                quote! {
                    #ident::#variant(value) => {
                        to.begin_case(#name);
                        #shown
                    }
                }
            }
        }
    });
    quote! {
        impl ::formwork::Inspect for #ident #elided {
            fn inspect(&self, to: &mut dyn ::formwork::Inspector) {
                match self {
                    #(#cases)*
                }
                to.end_case();
            }
        }
    }
}

/// All fields of a record, as those of a struct.
fn as_struct(shapes: &Shapes<'_>, id: RecordId, value: &TokenStream) -> TokenStream {
    let record = &shapes.model().records[id.index()];
    let mut parts: Vec<(RowId, TokenStream)> = Vec::new();
    for field in shapes.fields(id) {
        let row = &record.rows[field.row.index()];
        // Others are shown with the spelling.
        if !matches!(field.shape, Shape::Kept(_)) {
            parts.push((field.row, shown(shapes, row, field, value)));
        }
    }
    for (row, inner) in shapes.insides(id) {
        let inside = inside(shapes, id, *row, *inner);
        parts.push((*row, quote!(::formwork::__rt::show_inside(to, &#value.spelling, &#inside);)));
    }
    parts.sort_by_key(|(row, _)| *row);
    let fields = parts.into_iter().map(|(_, part)| part);
    let (rows, spelling) = spelling(shapes, id, value);
    quote! {
        #rows
        to.begin_struct();
        #(#fields)*
        #spelling
        to.end_struct();
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
        rows: &[#(#rows),*],
        insides: &[#(#insides),*],
    })
}

/// A field with its name.
fn shown(shapes: &Shapes<'_>, row: &Row, field: &FieldShape, value: &TokenStream) -> TokenStream {
    let ident = &field.ident;
    let number = u16::try_from(field.row.index()).unwrap_or(u16::MAX);
    let show = |value: TokenStream| match (&row.name, inner_name(shapes, row)) {
        (Some(name), _) if row.homes.contains(&Home::Absent) => quote! {
            to.field_of_some_layouts(#name);
            ::formwork::Inspect::inspect(#value, to);
        },
        (Some(name), _) => quote!(::formwork::__rt::show(to, #name, #value);),
        (None, Some(name)) => quote!(::formwork::__rt::show(to, #name, #value);),
        (None, None) => quote! {
            to.flatten(#number);
            ::formwork::Inspect::inspect(#value, to);
        },
    };
    let sometimes = shapes.perhaps_given(row) || row.name.is_none();
    if sometimes && matches!(field.shape, Shape::Option(_)) {
        let shown = show(quote!(field));
        return quote! {
            if let ::formwork::__rt::Some(field) = &#value.#ident {
                #shown
            }
        };
    }
    show(quote!(&#value.#ident))
}

/// Name of the row that stands for the struct in a row without a name.
fn inner_name(shapes: &Shapes<'_>, row: &Row) -> Option<String> {
    let Type::Record(record) = row.ty.stripped().first().stripped() else { return None };
    if !shapes.is_transparent(*record) {
        return None;
    }
    let record = &shapes.model().records[record.index()];
    record.rows[record.transparent?.index()].name.clone()
}

/// The names of all rows, and everything that is spelled in an unusual way.
fn spelling(shapes: &Shapes<'_>, id: RecordId, value: &TokenStream) -> (TokenStream, TokenStream) {
    let kept: Vec<_> = shapes
        .fields(id)
        .iter()
        .filter(|field| matches!(field.shape, Shape::Kept(_)))
        .map(|field| {
            let ident = &field.ident;
            let row = shapes.spelling_row(id, field.row);
            quote!(::formwork::__rt::inspect_kept(&#value.#ident, #row, to, ROWS);)
        })
        .collect();
    let own = shapes.has_spelling(id).then(|| quote!(to.spelling(&#value.spelling, ROWS);));
    if kept.is_empty() && own.is_none() {
        return (quote!(), quote!());
    }
    let names = shapes.spelling_names(id);
    let rows = quote!(const ROWS: &[&str] = &[#(#names),*];);
    (rows, quote!(#own #(#kept)*))
}
