//! Numbers in digits of text.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::model::{DigitFill, DigitsId, Model};

/// Why numbers of a kind are left to the engine.
pub(super) const OPEN: &str = "a number of as many digits as it has";

/// How the numbers of a kind are stored that take so many bytes.
pub(super) fn form(model: &Model, id: DigitsId, bytes: u8) -> TokenStream {
    let form = model.digits[id.index()].form(bytes);
    let (bits, signed, upper) = (Literal::u8_unsuffixed(form.bits), form.signed, form.upper);
    let (bytes, base) = (Literal::u8_unsuffixed(form.bytes), Literal::u8_unsuffixed(form.base));
    let fill = match form.fill {
        DigitFill::ZerosFirst => quote!(ZerosFirst),
        DigitFill::BlanksFirst => quote!(BlanksFirst),
        DigitFill::BlanksLast => quote!(BlanksLast),
    };
    let end = Literal::byte_string(form.end);
    quote! {
        s::DigitForm {
            bits: #bits,
            signed: #signed,
            bytes: #bytes,
            base: #base,
            fill: s::DigitFill::#fill,
            upper: #upper,
            end: #end
        }
    }
}
