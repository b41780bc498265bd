//! Positions that files store in 16 bits take no more in an arena, where they are often what makes
//! a node large.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::{RecordKind, Storage, Type};
use crate::rust::docs::{docs, index_doc};
use crate::rust::shape::{IndexId, Shape, Shapes};

/// All types of positions that are not those of the module around this one.
pub(super) fn emit(shapes: &Shapes<'_>) -> TokenStream {
    let narrow = shapes.indices().filter(|id| is_narrow(shapes, *id));
    let types = narrow.map(|id| {
        let (ident, doc) = (shapes.index_ident(id), docs(Some(&index_doc(shapes, id))));
        quote! {
            ::formwork::__short_index! {
                #doc
                pub struct #ident for super::#ident;
            }
        }
    });
    types.collect()
}

/// Whether every row that has such a position has at most 16 bits for it.
pub(super) fn is_narrow(shapes: &Shapes<'_>, id: IndexId) -> bool {
    if !shapes.has_index(id) {
        return false;
    }
    let model = shapes.model();
    model.records().all(|(record_id, record)| {
        record.numbered_rows().all(|(row_id, row)| {
            // What forms store is in the struct of their case.
            let holder = match record.kind {
                RecordKind::Form(union, case, _) => {
                    model.unions[union.index()].cases[case as usize].record
                }
                _ => record_id,
            };
            let rows = &model.records[holder.index()].rows;
            let field = shapes.fields(holder).iter().find(|field| {
                let held = &rows[field.row.index()];
                if holder == record_id { field.row == row_id } else { held.name == row.name }
            });
            match field {
                Some(field) => match holds(&field.shape, id) {
                    Some(kept) => !kept && row.plus >= 0 && is_short(&row.ty),
                    None => true,
                },
                None => true,
            }
        })
    })
}

/// Whether a shape has such positions in it; and if so, whether one is a number that may be kept.
fn holds(shape: &Shape, id: IndexId) -> Option<bool> {
    match shape {
        Shape::Index(found) => (*found == id).then_some(false),
        Shape::Kept(inner) => holds(inner, id).map(|_| true),
        Shape::List(inner)
        | Shape::Option(inner)
        | Shape::Boxed(inner)
        | Shape::Fixed(inner, _) => holds(inner, id),
        _ => None,
    }
}

fn is_short(ty: &Type) -> bool {
    match ty {
        Type::Cell(cell) => match cell.storage {
            Storage::Fixed(int) => int.bytes <= 2 && !int.signed,
            Storage::Bits { width, .. } => u32::from(width) <= 16,
            Storage::Letter { width, .. } => u32::from(width) <= 16,
            Storage::Word { first, last, signed } => last - first < 16 && !signed,
            Storage::Varint(_) | Storage::Digits { .. } | Storage::TagOf => false,
        },
        Type::Array(array) => is_short(&array.element),
        Type::Region(region) => is_short(&region.inner),
        Type::PerEpoch(types) => types.iter().all(is_short),
        // A row that its forms store.
        Type::Nothing => true,
        _ => false,
    }
}
