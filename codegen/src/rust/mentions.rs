//! Which names code mentions.

use std::collections::{BTreeMap, BTreeSet};

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

/// Number of tokens.
pub(super) fn size(code: &TokenStream) -> usize {
    let sizes = code.clone().into_iter().map(|token| match token {
        TokenTree::Group(group) => 1 + size(&group.stream()),
        _ => 1,
    });
    sizes.sum()
}

/// How often code has each name.
pub(super) fn count_all(code: &TokenStream, counts: &mut BTreeMap<String, usize>) {
    for token in code.clone() {
        match token {
            TokenTree::Ident(ident) => *counts.entry(ident.to_string()).or_default() += 1,
            TokenTree::Group(group) => count_all(&group.stream(), counts),
            _ => {}
        }
    }
}

/// Of functions, each with its name, those that code calls, and those that they call.
pub(super) fn called(from: &[TokenStream], all: Vec<(String, TokenStream)>) -> Vec<TokenStream> {
    let mut seen = BTreeMap::new();
    from.iter().for_each(|code| count_all(code, &mut seen));
    let mut called = BTreeSet::new();
    loop {
        let next = all.iter().filter(|(name, _)| seen.contains_key(name));
        let next: Vec<_> = next.filter(|(name, _)| called.insert(name.clone())).collect();
        if next.is_empty() {
            break;
        }
        next.iter().for_each(|(_, code)| count_all(code, &mut seen));
    }
    let called = all.into_iter().filter(|(name, _)| called.contains(name));
    called.map(|(_, code)| code).collect()
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

    #[test]
    fn functions_are_called_by_functions() {
        let all = [("a", quote!(b())), ("b", quote!(b() + 1)), ("c", quote!(a())), ("d", quote!())];
        let all = all.into_iter().map(|(name, code)| (name.to_owned(), code)).collect();
        let called: Vec<String> =
            called(&[quote!({ (a()) })], all).iter().map(ToString::to_string).collect();
        assert_eq!(called, [quote!(b()).to_string(), quote!(b() + 1).to_string()]);
    }
}
