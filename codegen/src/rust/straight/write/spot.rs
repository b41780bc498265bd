//! Where bytes go, and small pieces of code that put them there.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::model::{RecordId, RowId};
use crate::rust::mentions::mentions;

/// Where something is written.
#[derive(Clone)]
pub(super) enum Spot {
    /// At the end of the file.
    End,
    /// In the block `b`, which begins at the address `at`, at this offset: a `usize`.
    Block(TokenStream),
}

/// A number without a suffix.
pub(super) fn lit(number: usize) -> TokenStream {
    let number = Literal::usize_unsuffixed(number);
    quote!(#number)
}

/// Code for a block of so many bytes at the end of the file.
pub(super) fn in_block(size: usize, body: &TokenStream) -> TokenStream {
    let at = mentions(body, "at").then(|| quote!(let at = cx.here();));
    let size = lit(size);
    quote! {{
        #at
        let b = &mut [0_u8; #size];
        #body
        cx.put(b);
    }}
}

/// Address of an offset in the block.
pub(super) fn position(offset: &TokenStream) -> TokenStream {
    match offset.to_string().as_str() {
        "0" => quote!(at),
        text if text.parse::<usize>().is_ok() => quote!((at + #offset)),
        _ => quote!((at + #offset as u64)),
    }
}

/// An offset plus a constant.
pub(super) fn sum(base: &TokenStream, more: usize) -> TokenStream {
    match base.to_string().parse::<usize>() {
        Ok(base) => lit(base + more),
        Err(_) if more == 0 => base.clone(),
        Err(_) => {
            let more = lit(more);
            quote!((#base + #more))
        }
    }
}

/// Code that writes bytes.
pub(super) fn bytes_at(bytes: &TokenStream, spot: &Spot) -> TokenStream {
    match spot {
        Spot::End => quote!(cx.put(#bytes);),
        Spot::Block(offset) => quote!(s::set_bytes(b, #offset, #bytes);),
    }
}

/// A row as it is remembered where that stands: the numbers of its record and of the row.
pub(super) fn stood_number(record: RecordId, row: RowId) -> TokenStream {
    let (record, row) = (Literal::u32_unsuffixed(record.0), Literal::u32_unsuffixed(row.0));
    quote!((#record, #row))
}
