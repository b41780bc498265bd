//! Arenas: a second set of types, in which every list is a run in the pool of its element type, and
//! nothing is in a box.
//!
//! They stand in a module `arena` beside the ordinary types, with the same names. `types` emits
//! them, `pools` the pools that their lists are in, `pack` the way between ordinary values and
//! them, `entry` the public type that holds root and pools.

mod defaults;
mod entry;
mod indices;
mod nesting;
mod pack;
mod pools;
#[cfg(test)]
mod tests;
mod types;

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::Options;
use super::names::Scope;
use super::shape::{Shape, Shapes};
use crate::model::{EnumId, RecordId, RecordKind, UnionId};

/// The module `arena`. `straight` is the module of readers and writers that go directly to it, if
/// the model has some:
///
/// - `straight::file(bytes, options)` gives the root and its `pools::Pools`,
/// - `straight::whole(root, pools)` the bytes of a file.
pub(in crate::rust) fn emit(
    shapes: &Shapes<'_>,
    straight: Option<&TokenStream>,
    options: &Options,
) -> TokenStream {
    let (types, indices) = (types::emit(shapes), indices::emit(shapes));
    let pools = pools::emit(shapes);
    let pack = pack::emit(shapes);
    let entry = entry::emit(shapes, straight.is_some(), pools::has_units(shapes));
    let (root, name) = (shapes.ident(shapes.model().root), name(shapes));
    let serde = options.serde.then(|| {
        let lifetime =
            shapes.borrows(&Shape::Struct(shapes.model().root)).then(|| quote!(<'static>));
        quote!(::formwork::__serde! { arena #name [super::#root #lifetime] })
    });
    let doc = format!(
        "[`{name}`](arena::{name}) holds what [`{root}`] holds in a form for files with millions \
         of\nelements: each list is a [`Run`](::formwork::arena::Run) in a pool of its element type, and \
         all types are\nsmall and `Copy`.\n\n\
         Types have the names that they have outside of this module. Where the variants of an enum \
         have a\nsecond element, it is the spelling of the first."
    );
    let doc = super::types::docs(Some(&doc));
    quote! {
        #doc
        pub mod arena {
            #[allow(unused_imports)]
            use super::*;

            #entry
            #serde
            #types
            #indices
            #pools
            #pack
            #straight
        }
    }
}

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

/// Name of the type that holds root and pools.
pub(in crate::rust) fn name(shapes: &Shapes<'_>) -> Ident {
    let model = shapes.model();
    let records = records(shapes).map(|id| shapes.ident(id));
    let unions = unions(shapes).map(|id| shapes.union_ident(id));
    let enums = enums(shapes).map(|id| shapes.enum_ident(id));
    let indices = shapes.indices().filter(|id| shapes.has_index(*id));
    let indices = indices.map(|id| shapes.index_ident(id));
    let taken: Vec<String> =
        records.chain(unions).chain(enums).chain(indices).map(|ident| ident.to_string()).collect();
    let taken: Vec<&str> = taken.iter().map(String::as_str).collect();
    Scope::with(&taken).take(&[format!("{}Arena", shapes.ident(model.root))])
}

/// Records that have a type of their own.
fn records<'s>(shapes: &'s Shapes<'_>) -> impl Iterator<Item = RecordId> + 's {
    let ids = (0..).map(RecordId).take(shapes.model().records.len());
    ids.filter(|id| shapes.has_type(*id))
}

/// Records that have a struct of their own.
fn structs<'s>(shapes: &'s Shapes<'_>) -> impl Iterator<Item = RecordId> + 's {
    records(shapes).filter(|id| !shapes.is_plain_word(*id))
}

/// Unions that have a type.
fn unions<'s>(shapes: &'s Shapes<'_>) -> impl Iterator<Item = UnionId> + 's {
    let ids = (0..).map(UnionId).take(shapes.model().unions.len());
    ids.filter(|id| shapes.has_union(*id))
}

/// Enumerations that have a type.
fn enums<'s>(shapes: &'s Shapes<'_>) -> impl Iterator<Item = EnumId> + 's {
    let ids = (0..).map(EnumId).take(shapes.model().enums.len());
    ids.filter(|id| shapes.has_enum(*id))
}
