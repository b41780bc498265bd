//! Which names code mentions.

use proc_macro2::{TokenStream, TokenTree};

/// Whether code mentions a name that is not that of a field.
pub(super) fn mentions(tokens: &TokenStream, name: &str) -> bool {
    // Two dots are a range.
    let (mut dot, mut field) = (false, false);
    for token in tokens.clone() {
        let found = match &token {
            TokenTree::Group(group) => mentions(&group.stream(), name),
            TokenTree::Ident(ident) => !field && ident == name,
            _ => false,
        };
        if found {
            return true;
        }
        let is_dot = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '.');
        (field, dot) = (is_dot && !dot, is_dot);
    }
    false
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    #[test]
    fn fields_are_not_mentioned() {
        assert!(mentions(&quote!(s::set(b, at, x.pos);), "at"));
        assert!(mentions(&quote!(f(&b[x.pos..at])), "at"));
        assert!(!mentions(&quote!(f(&b[0..x.at], y.0.at.cx)), "at"));
        assert!(!mentions(&quote!(f(&b[0..x.at], y.0.at.cx)), "cx"));
        assert!(mentions(&quote!(cx.put(x.cx)), "cx"));
    }
}
