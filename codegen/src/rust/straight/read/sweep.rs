//! Takes locals out of code that nobody asks for.

use std::collections::BTreeMap;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use crate::rust::mentions::count_all;

/// The code without locals for addresses, tags and early numbers that are never used.
pub(super) fn sweep(code: TokenStream) -> TokenStream {
    let mut code = code;
    loop {
        let mut counts = BTreeMap::new();
        count_all(&code, &mut counts);
        let mut changed = false;
        code = swept(code, &counts, &mut changed);
        if !changed {
            return code;
        }
    }
}

fn swept(code: TokenStream, counts: &BTreeMap<String, usize>, changed: &mut bool) -> TokenStream {
    let tokens: Vec<TokenTree> = code.into_iter().collect();
    let mut out = Vec::with_capacity(tokens.len());
    let mut at = 0;
    // Whether a statement may begin here.
    let mut fresh = true;
    while at < tokens.len() {
        if fresh && let Some(end) = unused(&tokens[at..], counts) {
            at += end;
            *changed = true;
            continue;
        }
        let token = &tokens[at];
        fresh = match token {
            TokenTree::Punct(punct) => punct.as_char() == ';',
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
            _ => false,
        };
        out.push(match token {
            TokenTree::Group(group) => TokenTree::Group(Group::new(
                group.delimiter(),
                swept(group.stream(), counts, changed),
            )),
            other => other.clone(),
        });
        at += 1;
    }
    out.into_iter().collect()
}

/// Number of tokens of a statement that sets an unused local to something without effect.
fn unused(tokens: &[TokenTree], counts: &BTreeMap<String, usize>) -> Option<usize> {
    let [TokenTree::Ident(first), TokenTree::Ident(name), ..] = tokens else { return None };
    let name = name.to_string();
    let numbered = ["a", "c", "w"].iter().any(|prefix| {
        let rest = name.strip_prefix(prefix).and_then(|rest| rest.split_once("__"));
        rest.is_some_and(|(number, _)| number.parse::<u32>().is_ok())
    });
    let numbered = numbered || name.starts_with("n__");
    if first != "let" || !numbered || counts.get(&name) != Some(&1) {
        return None;
    }
    let is = |token: &TokenTree, sign: char| matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign);
    let end = tokens.iter().position(|token| is(token, ';'))?;
    // What may fail or move on has an effect.
    let effect = may_fail(tokens[..end].iter().cloned().collect());
    (!effect).then_some(end + 1)
}

fn may_fail(code: TokenStream) -> bool {
    code.into_iter().any(|token| match token {
        TokenTree::Punct(punct) => punct.as_char() == '?',
        TokenTree::Group(group) => may_fail(group.stream()),
        _ => false,
    })
}
