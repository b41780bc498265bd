//! Public types of a generated file, and what they implement.

mod arbitrary;
mod enums;
pub(super) mod from;
mod inspect;
mod lifetimes;
mod same;
mod serde;
mod structs;
mod unions;
mod words;

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::Options;
use super::docs::{docs, index_doc};
use super::shape::{IndexId, Shape, Shapes};
use crate::model::{EnumId, RecordId, UnionId};

/// All public types, in the order of the model: structs and words, unions, enumerations, indices.
/// `file`: the type that stands for a file has readers and writers.
pub fn emit(shapes: &Shapes<'_>, options: &Options, file: bool) -> TokenStream {
    let model = shapes.model();
    let mut items = TokenStream::new();
    for id in (0..).map(RecordId).take(model.records.len()).filter(|id| shapes.has_type(*id)) {
        items.extend(match shapes.record(id) {
            Shape::Word(_) => words::emit(shapes, id, options),
            _ => structs::emit(shapes, id, options, file && id == model.root),
        });
    }
    for id in (0..).map(UnionId).take(model.unions.len()).filter(|id| shapes.has_union(*id)) {
        items.extend(unions::emit(shapes, id, options));
    }
    for id in (0..).map(EnumId).take(model.enums.len()).filter(|id| shapes.has_enum(*id)) {
        items.extend(enums::emit(shapes, id, options));
    }
    for id in shapes.indices().filter(|id| shapes.has_index(*id)) {
        let ident = shapes.index_ident(id);
        let doc = docs(Some(&index_doc(shapes, id)));
        items.extend(quote! {
            ::formwork::index! {
                #doc
                pub struct #ident;
            }
        });
        if options.serde {
            items.extend(quote!(::formwork::__serde_index!(#ident);));
        }
        if options.arbitrary {
            let IndexId(array) = id;
            let array = Literal::u32_unsuffixed(array);
            items.extend(quote!(::formwork::__arbitrary_index!(#ident #array);));
        }
    }
    if options.serde {
        items.extend(quote!(::formwork::__as_serde!();));
    }
    if options.arbitrary {
        items.extend(arbitrary::helper(shapes));
    }
    items
}
