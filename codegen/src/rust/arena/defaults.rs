//! Default values of types in arenas. Some have none: an empty arena has no box to point to, and no
//! list that is not empty.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::{RecordId, UnionId};
use crate::rust::in_arena::{self, Beside, has_field};
use crate::rust::shape::{FieldShape, Shape, Shapes};

/// How a type has a default value.
pub(super) enum Made {
    /// By derivation.
    Derived,
    /// By this implementation.
    Written(TokenStream),
    /// Not at all.
    Not,
}

/// `Default` of a struct, if it needs nothing in an arena to be what it is outside of it.
pub(super) fn record(shapes: &Shapes<'_>, id: RecordId) -> Made {
    let ident = shapes.ident(id);
    let fields = shapes.fields(id);
    let values: Option<Vec<_>> = fields.iter().map(|f| field(shapes, id, f)).collect();
    let Some(values) = values else { return Made::Not };
    if fields.iter().all(|field| is_usual(shapes, id, field)) {
        return Made::Derived;
    }
    let names = fields.iter().map(|field| &field.ident);
    let spelling =
        has_field(shapes, id).then(|| quote!(spelling: ::formwork::arena::SpellingId::CANONICAL,));
    Made::Written(quote! {
        impl ::core::default::Default for #ident {
            fn default() -> Self {
                #ident { #(#names: #values,)* #spelling }
            }
        }
    })
}

/// `Default` of a union, if that of its first case exists.
pub(super) fn union(shapes: &Shapes<'_>, id: UnionId) -> Made {
    if !has(shapes, &Shape::Choice(id)) {
        return Made::Not;
    }
    let ident = shapes.union_ident(id);
    let (variant, payload) = shapes.variant(id, shapes.first_case(id));
    let Some(record) = payload else { return Made::Derived };
    let spelling = (in_arena::beside(shapes, id, record) != Beside::Nothing)
        .then(|| quote!(, ::formwork::arena::SpellingId::CANONICAL));
    Made::Written(quote! {
        impl ::core::default::Default for #ident {
            fn default() -> Self {
                #ident::#variant(::formwork::__rt::Default::default() #spelling)
            }
        }
    })
}

/// Default value of a field, if it has one in an arena.
fn field(shapes: &Shapes<'_>, id: RecordId, field: &FieldShape) -> Option<TokenStream> {
    let value = shapes.field_default(id, field, false);
    if alike(&field.shape) {
        return Some(value);
    }
    let usual = is_usual(shapes, id, field) && has(shapes, &field.shape);
    usual.then(|| quote!(::formwork::__rt::Default::default()))
}

/// Whether the default value of a field is that of its type.
fn is_usual(shapes: &Shapes<'_>, id: RecordId, field: &FieldShape) -> bool {
    let value = shapes.field_default(id, field, false);
    value.to_string() == shapes.default(&field.shape).to_string()
}

/// Whether a type is the same in an arena as outside.
fn alike(shape: &Shape) -> bool {
    match shape {
        Shape::Int(_)
        | Shape::Float32
        | Shape::Float64
        | Shape::Bool
        | Shape::Endian
        | Shape::Enum(_)
        | Shape::Word(_)
        | Shape::Index(_) => true,
        Shape::Option(inner) | Shape::Fixed(inner, _) | Shape::Kept(inner) => alike(inner),
        Shape::Str
        | Shape::Bytes
        | Shape::Utf16
        | Shape::Struct(_)
        | Shape::Choice(_)
        | Shape::List(_)
        | Shape::Boxed(_) => false,
    }
}

/// Whether a type in an arena has a default value, which means what it means outside.
fn has(shapes: &Shapes<'_>, shape: &Shape) -> bool {
    match shape {
        Shape::Boxed(_) => false,
        Shape::Fixed(inner, _) => has(shapes, inner),
        Shape::Struct(record) => {
            shapes.fields(*record).iter().all(|f| field(shapes, *record, f).is_some())
        }
        Shape::Choice(union) => {
            let (_, payload) = shapes.variant(*union, shapes.first_case(*union));
            payload.is_none_or(|record| has(shapes, &shapes.record(record)))
        }
        _ => true,
    }
}
