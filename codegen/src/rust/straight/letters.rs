//! Bits that a letter of a pattern names.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::rust::shape::mask;

/// The number that the bits at these positions of a word of 64 bits are, the highest first.
pub(in crate::rust) fn letter(word: &TokenStream, positions: &[u32]) -> TokenStream {
    if positions.is_empty() {
        return quote!(0_u64);
    }
    let (mut raw, mut rest) = (TokenStream::new(), positions);
    while !rest.is_empty() {
        // Bits that follow each other are taken together.
        let together = rest.windows(2).take_while(|two| two[1] + 1 == two[0]).count() + 1;
        let (run, behind) = rest.split_at(together);
        let lowest = Literal::u32_unsuffixed(run[together - 1]);
        let count = u8::try_from(together).unwrap_or(64);
        let mask = Literal::u64_unsuffixed(mask(0, count.saturating_sub(1)));
        let shift = Literal::usize_unsuffixed(behind.len());
        let bar = (!raw.is_empty()).then(|| quote!(|));
        raw.extend(quote!(#bar (#word >> #lowest & #mask) << #shift));
        rest = behind;
    }
    quote!((#raw))
}
