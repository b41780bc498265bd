//! `serde`: derived, with conversions for the types of the runtime, which has them as macros.
//!
//! Spelling is left out where it is canonical.

use proc_macro2::TokenStream;
use quote::quote;

use crate::rust::Options;
use crate::rust::shape::Shape;

/// The derive attribute of a type.
pub fn derive(options: &Options) -> TokenStream {
    if !options.serde {
        return quote!();
    }
    quote!(#[derive(::serde::Serialize, ::serde::Deserialize)])
}

/// The attribute of a field of this shape.
pub fn with(options: &Options, shape: &Shape) -> TokenStream {
    if options.serde && is_foreign(shape) { quote!(#[serde(with = "as_serde")]) } else { quote!() }
}

/// The attribute of a field for spelling.
pub fn spelling(options: &Options) -> TokenStream {
    if !options.serde {
        return quote!();
    }
    quote! {
        #[serde(
            default,
            with = "as_serde",
            skip_serializing_if = "::formwork::Spelling::is_canonical"
        )]
    }
}

/// Whether a type of the runtime is in it.
fn is_foreign(shape: &Shape) -> bool {
    match shape {
        Shape::Endian | Shape::Utf16 | Shape::Kept(_) => true,
        Shape::List(inner)
        | Shape::Fixed(inner, _)
        | Shape::Option(inner)
        | Shape::Boxed(inner) => is_foreign(inner),
        _ => false,
    }
}
