//! Which names code mentions.

use proc_macro2::{TokenStream, TokenTree};

/// Whether code mentions a name that is not that of a field.
pub(super) fn mentions(tokens: &TokenStream, name: &str) -> bool {
    count(tokens, name) > 0
}

/// How often it does.
pub(super) fn count(tokens: &TokenStream, name: &str) -> usize {
    // Two dots are a range.
    let (mut dot, mut field, mut found) = (false, false, 0);
    for token in tokens.clone() {
        found += match &token {
            TokenTree::Group(group) => count(&group.stream(), name),
            TokenTree::Ident(ident) => usize::from(!field && ident == name),
            _ => 0,
        };
        let is_dot = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '.');
        (field, dot) = (is_dot && !dot, is_dot);
    }
    found
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
        assert_eq!(count(&quote!(at + f(b[..at], x.at)), "at"), 2);
    }
}
