//! Values of expressions, and what operators and functions make of them.

use proc_macro2::{Delimiter, Literal, TokenStream, TokenTree};
use quote::{format_ident, quote};

use super::able::{Able, unable};
use super::context::Straight;
use super::scope::Scope;
use crate::model::{BinaryOp, ExprId, Function, LengthRule, Model};

/// What an expression gives, or nothing.
pub(super) enum Typed {
    /// An `Option<i128>`.
    Number(TokenStream),
    /// An `Option<bool>`.
    Truth(TokenStream),
    /// An `Option<&[u8]>`: a text or bytes.
    Text(TokenStream),
}

impl Typed {
    /// As an `Option<i128>`.
    pub fn number(self) -> Able<TokenStream> {
        Ok(match self {
            Typed::Number(number) => number,
            Typed::Truth(truth) => match inside(&truth) {
                Some(truth) => quote!(rt::Some(i128::from(#truth))),
                None => quote!(#truth.map(i128::from)),
            },
            Typed::Text(_) => return unable("a text as a number"),
        })
    }
}

impl<'m> Straight<'_, 'm> {
    /// What a function gives, if it is carried.
    pub(super) fn called(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        function: Function,
        arguments: &[ExprId],
    ) -> Able<Option<Typed>> {
        let number = |at: usize| self.number(scope, view, arguments[at]);
        Ok(Some(match (function, arguments.len()) {
            (Function::Number, 1) => Typed::Number(number(0)?),
            (Function::Length, 1) => match self.typed(scope, view, arguments[0])? {
                Typed::Text(text) => {
                    Typed::Number(quote!((#text).map(|text: &[u8]| text.len() as i128)))
                }
                _ => return Ok(None),
            },
            (Function::Utf16Units, 1) => match self.typed(scope, view, arguments[0])? {
                Typed::Text(text) => Typed::Number(quote!((#text).map(s::utf16_units))),
                _ => return Ok(None),
            },
            (Function::Murmur3 | Function::Fnv1a, 1 | 2) => {
                let Typed::Text(text) = self.typed(scope, view, arguments[0])? else {
                    return Ok(None);
                };
                let hash = match function {
                    Function::Murmur3 => quote!(murmur3),
                    _ => quote!(fnv1a),
                };
                Typed::Number(match arguments.get(1) {
                    None => quote!(s::#hash(#text, rt::None)),
                    Some(seed) => {
                        let seed = self.number(scope, view, *seed)?;
                        // From a seed that is not there nothing follows.
                        quote!(match #seed {
                            rt::Some(seed) => s::#hash(#text, rt::Some(seed)),
                            rt::None => rt::None,
                        })
                    }
                })
            }
            (Function::Polynomial, 2 | 3) => {
                let Typed::Text(text) = self.typed(scope, view, arguments[0])? else {
                    return Ok(None);
                };
                let (factor, start) =
                    (number(1)?, arguments.get(2).map(|_| number(2)).transpose()?);
                let start = start.unwrap_or_else(|| quote!(rt::Some(0)));
                Typed::Number(quote!(s::polynomial(#text, #factor, #start)))
            }
            (Function::Crc32 | Function::Adler32, 1) => {
                let Typed::Text(text) = self.typed(scope, view, arguments[0])? else {
                    return Ok(None);
                };
                let sum = match function {
                    Function::Crc32 => quote!(crc32),
                    _ => quote!(adler32),
                };
                Typed::Number(match inside(&text) {
                    Some(text) => quote!(rt::Some(i128::from(s::#sum(#text)))),
                    None => quote!((#text).map(|text: &[u8]| i128::from(s::#sum(text)))),
                })
            }
            (Function::EndsWith, 2) => {
                let (Typed::Text(whole), Typed::Text(end)) = (
                    self.typed(scope, view, arguments[0])?,
                    self.typed(scope, view, arguments[1])?,
                ) else {
                    return Ok(None);
                };
                Typed::Truth(quote!(match (#whole, #end) {
                    (rt::Some(whole), rt::Some(end)) => rt::Some(whole.ends_with(end)),
                    _ => rt::None,
                }))
            }
            (Function::Stem | Function::Extension, 1) => {
                let Typed::Text(text) = self.typed(scope, view, arguments[0])? else {
                    return Ok(None);
                };
                let part = match function {
                    Function::Stem => quote!(stem),
                    _ => quote!(extension),
                };
                Typed::Text(quote!((#text).map(s::#part)))
            }
            (Function::Least | Function::Greatest, 2) => {
                let (a, b) = (number(0)?, number(1)?);
                let function = match function {
                    Function::Least => quote!(least),
                    _ => quote!(greatest),
                };
                Typed::Number(quote!(s::#function(#a, #b)))
            }
            _ => return Ok(None),
        }))
    }
}

/// What is inside of `rt::Some(..)`, if tokens are that.
pub(super) fn inside(tokens: &TokenStream) -> Option<TokenStream> {
    let trees: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let [TokenTree::Ident(rt), _, _, TokenTree::Ident(some), TokenTree::Group(group)] = &trees[..]
    else {
        return None;
    };
    (rt == "rt" && some == "Some" && group.delimiter() == Delimiter::Parenthesis)
        .then(|| group.stream())
}

/// The option that `if let rt::Some(x) = option { found = rt::Some(x); }` sets `found` to, where it
/// has no braces.
pub(super) fn just(code: &TokenStream) -> Option<TokenStream> {
    let trees: Vec<TokenTree> = code.clone().into_iter().collect();
    let [head @ .., TokenTree::Group(set)] = &trees[..] else { return None };
    let (head, option) = head.split_at_checked(8)?;
    let TokenTree::Group(name) = &head[6] else { return None };
    let name = name.stream();
    let begins = quote!(if let rt::Some(#name) =);
    let sets = quote!({ found = rt::Some(#name); });
    let text = |trees: &[TokenTree]| trees.iter().cloned().collect::<TokenStream>().to_string();
    let is_brace = |tree: &TokenTree| matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
    (text(head) == begins.to_string()
        && set.to_string() == sets.to_string()
        && !option.iter().any(is_brace))
    .then(|| option.iter().cloned().collect())
}

/// A value that has to be there.
pub(super) fn known(option: &TokenStream) -> TokenStream {
    match inside(option) {
        Some(value) => value,
        None => quote!(s::known(#option)?),
    }
}

/// The number whose multiple by `factor`, plus `offset`, is a count: an `Option<i128>`.
pub(super) fn solved(count: &TokenStream, factor: i128, offset: i128) -> TokenStream {
    if (factor, offset) == (1, 0) {
        return quote!(rt::Some((#count)));
    }
    let (factor, offset) = (Literal::i128_suffixed(factor), Literal::i128_suffixed(offset));
    quote!(s::solved(#count, #factor, #offset)?)
}

/// A number, an `Option<i128>`, to which something is added when it is stored.
pub(super) fn added(number: TokenStream, plus: i128) -> TokenStream {
    match plus {
        0 => number,
        plus => {
            let plus = Literal::i128_suffixed(plus);
            quote!(s::add(#number, rt::Some(#plus))?)
        }
    }
}

/// Whether a row may have so many elements, bytes or units: a `bool`.
pub(super) fn allows(length: &LengthRule, count: &TokenStream) -> TokenStream {
    let rule = rule(length);
    quote!((#rule).allows(#count as u64))
}

/// A rule of lengths.
pub(super) fn rule(of: &LengthRule) -> TokenStream {
    let LengthRule { unit, factor, offset, least, most } = *of;
    let unit = Literal::u64_unsuffixed(unit);
    let [factor, offset, least, most] = [factor, offset, least, most].map(Literal::i128_unsuffixed);
    quote! {
        s::LengthRule { unit: #unit, factor: #factor, offset: #offset, least: #least, most: #most }
    }
}

/// The operator of Rust for a comparison.
pub(super) fn comparison(op: BinaryOp) -> Option<TokenStream> {
    Some(match op {
        BinaryOp::Equal => quote!(==),
        BinaryOp::NotEqual => quote!(!=),
        BinaryOp::Less => quote!(<),
        BinaryOp::LessOrEqual => quote!(<=),
        BinaryOp::Greater => quote!(>),
        BinaryOp::GreaterOrEqual => quote!(>=),
        _ => return None,
    })
}

/// A comparison of two values that have to be there.
pub(super) fn compared(op: TokenStream, a: &TokenStream, b: &TokenStream) -> Typed {
    let (a, b) = (known(a), known(b));
    Typed::Truth(quote!(rt::Some((#a) #op (#b))))
}

/// What an operator that is no `&&` or `||` makes of two numbers, each an `Option<i128>`.
pub(super) fn combined(op: BinaryOp, a: &TokenStream, b: &TokenStream) -> Able<Typed> {
    if let Some(op) = comparison(op) {
        return Ok(compared(op, a, b));
    }
    let computed = |function: &str| {
        let function = format_ident!("{function}");
        Ok(Typed::Number(quote!(s::#function(#a, #b)?)))
    };
    match op {
        BinaryOp::Add => computed("add"),
        BinaryOp::Subtract => computed("subtract"),
        BinaryOp::Multiply => computed("multiply"),
        BinaryOp::Divide => computed("divide"),
        BinaryOp::Remainder => computed("remainder"),
        BinaryOp::ShiftLeft => computed("shift_left"),
        BinaryOp::ShiftRight => computed("shift_right"),
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
            let op = match op {
                BinaryOp::And => quote!(&),
                BinaryOp::Or => quote!(|),
                _ => quote!(^),
            };
            let (a, b) = (known(a), known(b));
            Ok(Typed::Number(quote!(rt::Some((#a) #op (#b)))))
        }
        _ => unable("an operator for numbers of another kind"),
    }
}
