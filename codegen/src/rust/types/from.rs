//! What makes values by hand short: conversions of the value of a case into the union, and of the only
//! field of a struct that is all there is to a case; a constructor with what has no default; and cases
//! by name.

use proc_macro2::{Punct, Spacing, TokenStream};
use quote::quote;

use super::lifetimes::{elided, generics};
use crate::model::{RecordId, RecordKind, Role, UnionId};
use crate::rust::in_arena::{self, Beside};
use crate::rust::names::{Scope, snake};
use crate::rust::shape::{FieldShape, Shape, Shapes};

/// Of which types code is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The ordinary ones.
    Values,
    /// Those of an arena.
    Packed,
}

/// Most parameters of a constructor: it says nothing of which is which.
const MOST_PARAMETERS: usize = 4;

/// Of a union: from the values of cases if no other case has the same type, and to them.
pub fn cases(shapes: &Shapes<'_>, id: UnionId, kind: Kind) -> TokenStream {
    let (ident, shape) = (shapes.union_ident(id), Shape::Choice(id));
    let union = &shapes.model().unions[id.index()];
    let mut methods = Scope::default();
    let mut values = Vec::new();
    for (number, case) in (0..).zip(&union.cases) {
        let (variant, Some(record)) = shapes.variant(id, number) else { continue };
        let payload = shapes.record(record);
        let ty = match kind {
            Kind::Values => shapes.ty(&payload, false),
            Kind::Packed => in_arena::ty(shapes, &payload, false),
        };
        let beside =
            kind == Kind::Packed && in_arena::beside(shapes, id, record) != Beside::Nothing;
        let name = methods.take(&[format!("as_{}", snake(&case.name))]);
        let name_mut = methods.take(&[format!("{name}_mut")]);
        let beside = beside.then(|| quote!(CANONICAL));
        values.push((quote!(#variant [#ty] #name #name_mut), quote!(from #beside), ty.to_string()));
    }
    if values.is_empty() {
        return TokenStream::new();
    }
    let is_one = |ty: &String| values.iter().filter(|(.., other)| other == ty).count() == 1;
    let values = values.iter().map(|(value, from, ty)| {
        let from = is_one(ty).then_some(from);
        quote!(#value #from,)
    });
    let generics = match kind {
        Kind::Values => generics(shapes, &shape),
        Kind::Packed => TokenStream::new(),
    };
    quote!(::formwork::__values! { [#generics] [#ident #generics] #(#values)* })
}

/// Of a struct with one field that is the body of a case, or stands for the value of that field.
pub fn structs(shapes: &Shapes<'_>, id: RecordId) -> TokenStream {
    let Some(field) = only_field(shapes, id) else { return TokenStream::new() };
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

/// The same of a struct in an arena.
pub fn packed_struct(shapes: &Shapes<'_>, id: RecordId) -> TokenStream {
    let Some(field) = only_field(shapes, id) else { return TokenStream::new() };
    let (ident, name, ty) =
        (shapes.ident(id), &field.ident, in_arena::ty(shapes, &field.shape, false));
    let spelling = in_arena::has_field(shapes, id).then(|| quote!(spelling));
    quote!(::formwork::__from_field! { [] [#ident] #name: [#ty] #spelling })
}

fn only_field<'s>(shapes: &'s Shapes<'_>, id: RecordId) -> Option<&'s FieldShape> {
    let record = &shapes.model().records[id.index()];
    let [field] = shapes.fields(id) else { return None };
    let stands_for = matches!(record.kind, RecordKind::Case(..)) || record.transparent.is_some();
    stands_for.then_some(field)
}

/// A constructor with the fields that have no default, unless these are too many to be told apart.
pub fn new(shapes: &Shapes<'_>, id: RecordId) -> TokenStream {
    let given: Vec<_> =
        shapes.fields(id).iter().filter(|field| !has_default(shapes, id, field, &[])).collect();
    if given.is_empty() || given.len() > MOST_PARAMETERS {
        return TokenStream::new();
    }
    let parameters = given.iter().map(|field| {
        let (name, ty) = (&field.ident, shapes.ty(&field.shape, false));
        // A number without a type would be none that converts.
        match field.shape {
            Shape::Str | Shape::Bytes | Shape::Utf16 | Shape::Choice(_) | Shape::Boxed(_) => {
                let hash = Punct::new('#', Spacing::Alone);
                quote!(#name: #hash into [#ty])
            }
            _ => quote!(#name: [#ty]),
        }
    });
    quote!(new #(#parameters)*)
}

/// Whether there is something to take for a field where nobody says it: the schema states it, or it
/// may be nothing, or empty, or has a default in all its parts.
fn has_default(shapes: &Shapes<'_>, id: RecordId, field: &FieldShape, around: &[RecordId]) -> bool {
    let row = &shapes.model().records[id.index()].rows[field.row.index()];
    if matches!(row.role, Role::Default(_)) || row.absent.is_some() {
        return true;
    }
    let mut shape = &field.shape;
    while let Shape::Boxed(inner) = shape {
        shape = inner;
    }
    match shape {
        Shape::Option(_) | Shape::Kept(_) | Shape::List(_) | Shape::Endian | Shape::Word(_) => true,
        Shape::Struct(inner) if !around.contains(inner) => {
            let around = [around, &[id]].concat();
            shapes.fields(*inner).iter().all(|field| has_default(shapes, *inner, field, &around))
        }
        _ => false,
    }
}
