//! The module `as_arbitrary` of generated code: what all types share when they are made of nothing.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::keys;
use super::rules::{Rule, wants};
use crate::model::RecordId;
use crate::rust::shape::{IndexId, Shape, Shapes};

/// The module.
pub fn emit(shapes: &Shapes<'_>) -> TokenStream {
    let ranges = ranges(shapes);
    let last_epoch = Literal::usize_unsuffixed(shapes.model().epochs.len().saturating_sub(1));
    let wanted = wants(shapes).into_iter().map(|want| {
        let IndexId(array) = want.array;
        let numbers = [array, want.union.0, want.case].map(Literal::u32_unsuffixed);
        quote!(#(#numbers)*,)
    });
    quote!(::formwork::__as_arbitrary! { #last_epoch [#(#ranges)*] [#(#wanted)*] })
}

/// Least and greatest number by which the elements of each array may be known.
fn ranges(shapes: &Shapes<'_>) -> Vec<TokenStream> {
    let mut ranges = vec![(0, i128::from(u8::MAX)); keys::count(shapes)];
    let ids = (0..).map(RecordId).take(shapes.model().records.len());
    for (id, field) in ids.flat_map(|id| shapes.fields(id).iter().map(move |field| (id, field))) {
        let (Some(array), Shape::Int(prim)) = (keys::at(shapes, id, field), &field.shape) else {
            continue;
        };
        let (least, greatest) = prim.range();
        let (low, high) = Rule::of(shapes, id, field).range.unwrap_or((least, greatest));
        if let Some(range) = ranges.get_mut(array as usize) {
            *range = (low.max(least), high.min(greatest));
        }
    }
    let literal = Literal::i128_unsuffixed;
    let range = |(low, high)| {
        let (low, high) = (literal(low), literal(high));
        quote!(#low..=#high,)
    };
    ranges.into_iter().map(range).collect()
}
