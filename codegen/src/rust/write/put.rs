//! A row whose value is looked at.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::src::Ctx;
use crate::model::{Row, RowId, Target, Type};

/// A row whose value is looked at.
#[derive(Clone)]
pub(super) struct Put<'m> {
    pub ctx: Ctx,
    pub row_id: RowId,
    pub row: &'m Row,
    /// The slot of the row.
    pub slot: Option<u16>,
    /// Code for the place.
    pub at: TokenStream,
}

/// Whether a pointer that owns something is in a type.
pub(super) fn owns_target(ty: &Type) -> bool {
    match ty {
        Type::Pointer(pointer) => matches!(pointer.target, Target::Own(_)),
        Type::Array(array) => owns_target(&array.element),
        Type::Region(region) => owns_target(&region.inner),
        Type::PerEpoch(types) => types.iter().any(owns_target),
        _ => false,
    }
}

pub(super) fn option_i128(n: Option<i128>) -> TokenStream {
    match n {
        Some(n) => {
            let n = Literal::i128_suffixed(n);
            quote!(rt::Some(#n))
        }
        None => quote!(rt::None),
    }
}
