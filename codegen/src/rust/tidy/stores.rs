//! Calls that store a number in a block of bytes: what they check by themselves is not said, and a long
//! number has a name.

use std::collections::BTreeSet;

use quote::ToTokens;
use syn::{Expr, ExprLit, Lit, Stmt, parse_quote};

use super::{MOST, collect, has_braces};

/// `set::<2>(b, 0, bits(n, 16, false)?)` is `set_unsigned::<2>(b, 0, n)?`.
pub(super) fn set_if_it_fits(stmt: &mut Stmt) {
    let Stmt::Expr(whole, Some(_)) = stmt else { return };
    let (Some(signed), Expr::Call(set)) = (checked(whole), &mut *whole) else { return };
    let Some(Expr::Try(fits)) = set.args.last_mut() else { return };
    let Expr::Call(bits) = &mut *fits.expr else { return };
    let number = core::mem::replace(&mut bits.args[0], parse_quote!(word));
    set.args[2] = number;
    if let Expr::Path(path) = &mut *set.func
        && let Some(last) = path.path.segments.last_mut()
    {
        let sign = if signed { "signed" } else { "unsigned" };
        last.ident = quote::format_ident!("{}_{sign}", last.ident);
    }
    *whole = parse_quote!(#whole?);
}

/// Whether a number that is set must fit all bytes that are set, and has a sign.
fn checked(whole: &Expr) -> Option<bool> {
    let Expr::Call(set) = whole else { return None };
    let (name, bytes) = callee(set)?;
    let (3, Some(Expr::Try(fits))) = (set.args.len(), set.args.last()) else { return None };
    let Expr::Call(bits) = &*fits.expr else { return None };
    let (3, width) = (bits.args.len(), integer(bits.args.get(1)?)?) else { return None };
    let Expr::Lit(ExprLit { lit: Lit::Bool(signed), .. }) = &bits.args[2] else { return None };
    let is_set = (name == "set" || name == "set_big") && callee(bits)?.0 == "bits";
    (is_set && width == 8 * bytes?).then_some(signed.value)
}

/// The name of the function that is called, and the number in its angle brackets.
fn callee(call: &syn::ExprCall) -> Option<(String, Option<u64>)> {
    let Expr::Path(path) = &*call.func else { return None };
    let last = path.path.segments.last()?;
    let of = match &last.arguments {
        syn::PathArguments::AngleBracketed(of) if of.args.len() == 1 => match &of.args[0] {
            syn::GenericArgument::Const(of) => integer(of),
            _ => None,
        },
        _ => None,
    };
    Some((last.ident.to_string(), of))
}

fn integer(expr: &Expr) -> Option<u64> {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => number.base10_parse().ok(),
        _ => None,
    }
}

/// Gives a name to the last argument of a call that has its type in angle brackets, where that takes
/// several lines: otherwise the brackets do, too.
pub(super) fn name_long_arguments(stmts: &mut Vec<Stmt>) {
    if !stmts.iter_mut().any(|stmt| long_argument(stmt).is_some()) {
        return;
    }
    let mut names = BTreeSet::new();
    for stmt in stmts.iter_mut().filter_map(|stmt| long_argument(stmt).is_none().then_some(stmt)) {
        collect(stmt.to_token_stream(), &mut names);
    }
    if names.contains("word") {
        return;
    }
    let mut named = Vec::with_capacity(stmts.len());
    for mut stmt in core::mem::take(stmts) {
        if let Some(argument) = long_argument(&mut stmt) {
            let word = core::mem::replace(argument, parse_quote!(word));
            named.push(parse_quote!(let word = #word;));
        }
        named.push(stmt);
    }
    *stmts = named;
}

fn long_argument(stmt: &mut Stmt) -> Option<&mut Expr> {
    let Stmt::Expr(whole, Some(_)) = stmt else { return None };
    let call = match whole {
        Expr::Call(call) => call,
        Expr::Try(tried) => match &mut *tried.expr {
            Expr::Call(call) if callee(call).is_some_and(|(name, _)| name.starts_with("set")) => {
                call
            }
            _ => return None,
        },
        _ => return None,
    };
    let Expr::Path(path) = &*call.func else { return None };
    let last = call.args.last_mut()?;
    let tokens = last.to_token_stream();
    let function = path.path.segments.last()?.ident.to_string();
    // What is called `set` leaves that much room.
    let most = (MOST + "set".len()).saturating_sub(function.len());
    let is_long = has_braces(&tokens) || tokens.to_string().len() > most;
    let is_long = is_long && !matches!(last, Expr::Closure(_));
    (is_long && !path.path.segments.last()?.arguments.is_none()).then_some(last)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{stays, tidied};

    #[test]
    fn numbers_that_must_fit_are_set_at_once() {
        let unsigned = "s::set::<2>(b, 4, s::bits(n as i128, 16u32, false)?);";
        assert_eq!(tidied(unsigned), "s::set_unsigned::<2>(b, 4, n as i128)?;");
        let signed = "s::set_big::<4>(b, 0, s::bits(n, 32u32, true)?);";
        assert_eq!(tidied(signed), "s::set_big_signed::<4>(b, 0, n)?;");
        stays("s::set::<2>(b, 4, s::bits(n, 12u32, false)?);");
        stays("s::set::<2>(b, 4, s::bits(n, width, false)?);");
        stays("s::set::<2>(b, 4, f(n, 16u32, false)?);");
    }

    #[test]
    fn long_arguments_have_names() {
        let long = "set::<1>(b, 0, match a { _ => 1 });";
        assert_eq!(tidied(long), "let word = match a { _ => 1, }; set::<1>(b, 0, word);");
        stays("set::<1>(b, 0, f(a));");
        let taken = "{ let word = 1; set::<1>(word, 0, match a { _ => 1 }); f(word); } g(word);";
        assert!(!tidied(taken).contains("let word = match"));
    }
}
