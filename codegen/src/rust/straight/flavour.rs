//! For which types straight code is: the ordinary ones, or those of an arena.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::context::{Flavour, Straight};
use crate::model::{RecordId, UnionId};
use crate::rust::in_arena::{self, Beside};
use crate::rust::shape::Shape;

impl Straight<'_, '_> {
    /// `M,` for calls of readers, which are generic in how they take texts.
    pub(super) fn mode_argument(&self) -> Option<TokenStream> {
        (self.flavour == Flavour::Values).then(|| quote!(M,))
    }

    /// `arena,` for calls of functions that look into one.
    pub(super) fn arena_argument(&self) -> Option<TokenStream> {
        (self.flavour == Flavour::Arena).then(|| quote!(arena,))
    }

    /// `arena: &Pools,` as a parameter of such functions.
    pub(super) fn arena_param(&self, lifetime: &TokenStream) -> Option<TokenStream> {
        (self.flavour == Flavour::Arena).then(|| quote!(arena: &#lifetime super::pools::Pools,))
    }

    /// Something with `len()` and `iter()`, from a reference to a list, text or bytes.
    pub(super) fn reached(&self, shape: &Shape, code: &TokenStream) -> TokenStream {
        match (self.flavour, shape) {
            (Flavour::Arena, Shape::List(_) | Shape::Bytes | Shape::Utf16) => {
                quote!(s::list_of(arena, #code))
            }
            (Flavour::Arena, Shape::Str) => quote!(s::text_of(arena, #code)),
            (Flavour::Values, Shape::Utf16) => quote!(#code.units()),
            _ => code.clone(),
        }
    }

    /// A reference to what is in a box, from one to the box.
    pub(super) fn unboxed(&self, code: &TokenStream) -> TokenStream {
        match self.flavour {
            Flavour::Values => quote!((&**#code)),
            Flavour::Arena => quote!(s::one_of(arena, #code)),
        }
    }

    /// Whether the spelling of a case's struct is beside it in the variant.
    pub(super) fn spelling_outside(&self, id: RecordId) -> bool {
        self.flavour == Flavour::Arena && in_arena::spelling_outside(self.shapes, id)
    }

    /// What stands in a variant behind the value of its case.
    pub(super) fn beside(&self, union: UnionId, record: RecordId) -> Beside {
        match self.flavour {
            Flavour::Values => Beside::Nothing,
            Flavour::Arena => in_arena::beside(self.shapes, union, record),
        }
    }

    /// A reference to the spelling of a struct.
    pub(super) fn spelling(&self, id: RecordId, value: &TokenStream) -> TokenStream {
        match self.flavour {
            Flavour::Values => quote!((&#value.spelling)),
            Flavour::Arena if self.spelling_outside(id) => {
                let name = beside(id);
                quote!(s::spelling_of(arena, #name))
            }
            Flavour::Arena => quote!(s::spelling_of(arena, &#value.spelling)),
        }
    }

    /// A pattern for a variant whose struct, if it has one, gets a name.
    pub(super) fn pattern(&self, union: UnionId, case: u32, name: &Ident) -> TokenStream {
        let (variant, payload) = self.shapes.variant(union, case);
        let ty = self.shapes.union_ident(union);
        let inside = payload.map(|record| {
            let spelling = match self.beside(union, record) {
                Beside::Nothing => None,
                Beside::Canonical => Some(quote!(, _)),
                Beside::Spelling => {
                    let spelling = beside(record);
                    Some(quote!(, #spelling))
                }
            };
            quote!((#name #spelling))
        });
        quote!(super::#ty::#variant #inside)
    }
}

/// Name of the local that has the spelling beside a case's struct.
fn beside(record: RecordId) -> Ident {
    format_ident!("k{}", record.0)
}
