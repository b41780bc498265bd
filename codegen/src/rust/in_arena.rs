//! How values stand in an arena: types, and where their spelling is.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::model::{RecordId, RecordKind, UnionId};
use crate::rust::shape::{Shape, Shapes};

/// Arena type of a shape, as seen from the module `arena`, or from a module in it. It is `Copy`, and
/// has no lifetime.
pub(in crate::rust) fn ty(shapes: &Shapes<'_>, shape: &Shape, inside: bool) -> TokenStream {
    let inner = |shape: &Shape| ty(shapes, shape, inside);
    let path = |ident: Ident| {
        let up = inside.then(|| quote!(super::));
        quote!(#up #ident)
    };
    match shape {
        Shape::Enum(id) => path(shapes.enum_ident(*id)),
        Shape::Word(record) | Shape::Struct(record) => path(shapes.ident(*record)),
        Shape::Choice(union) => path(shapes.union_ident(*union)),
        Shape::Index(id) => path(shapes.index_ident(*id)),
        Shape::Str => quote!(::formwork::arena::Run<str>),
        Shape::Bytes => quote!(::formwork::arena::Run<u8>),
        Shape::Utf16 => quote!(::formwork::arena::Run<u16>),
        Shape::List(element) | Shape::Boxed(element) => {
            let element = inner(element);
            quote!(::formwork::arena::Run<#element>)
        }
        Shape::Fixed(element, count) => {
            let element = inner(element);
            quote!([#element; #count])
        }
        Shape::Option(some) => {
            let some = inner(some);
            quote!(::core::option::Option<#some>)
        }
        Shape::Kept(number) => {
            let number = inner(number);
            quote!(::formwork::Kept<#number>)
        }
        Shape::Int(_) | Shape::Float32 | Shape::Float64 | Shape::Bool | Shape::Endian => {
            shapes.ty(shape, inside)
        }
    }
}

/// Whether the spelling of a record is not in its struct, but stands behind it in the variant
/// around it: the struct of a case, which nothing else holds. So a variant has no padding between.
pub(in crate::rust) fn spelling_outside(shapes: &Shapes<'_>, record: RecordId) -> bool {
    let kind = &shapes.model().records[record.index()].kind;
    matches!(kind, RecordKind::Case(..))
        && shapes.has_spelling(record)
        && !shapes.is_transparent(record)
}

/// What stands in a variant behind the value of its case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::rust) enum Beside {
    /// Nothing: no case of the union has a spelling there.
    Nothing,
    /// The spelling of the value.
    Spelling,
    /// A spelling that says nothing, so that all variants of the union are alike.
    Canonical,
}

/// What stands behind the value of a case, whose record this is.
pub(in crate::rust) fn beside(shapes: &Shapes<'_>, union: UnionId, record: RecordId) -> Beside {
    if spelling_outside(shapes, record) {
        return Beside::Spelling;
    }
    let count = shapes.model().unions[union.index()].cases.len();
    let mut payloads = (0..).take(count).filter_map(|case| shapes.variant(union, case).1);
    match payloads.any(|other| spelling_outside(shapes, other)) {
        true => Beside::Canonical,
        false => Beside::Nothing,
    }
}

/// Whether a struct has a field for its spelling.
pub(in crate::rust) fn has_field(shapes: &Shapes<'_>, id: RecordId) -> bool {
    shapes.has_spelling(id) && !spelling_outside(shapes, id)
}
