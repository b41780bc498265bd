//! Types of locals, as far as code shows them, and how they are handed on.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, ExprLit, ExprUnary, Lit, Pat, Stmt, UnOp, parse_quote};

/// Whether values of a type are handed on as they are.
pub(super) fn is_copy(ty: &TokenStream) -> bool {
    let numbers = [
        "u8",
        "u16",
        "u32",
        "u64",
        "u128",
        "usize",
        "i8",
        "i16",
        "i32",
        "i64",
        "i128",
        "f32",
        "f64",
        "bool",
        "s :: Spot",
        "s :: Chain",
    ];
    let text = ty.to_string();
    text.starts_with('&')
        || numbers.contains(&&*text)
        || text.starts_with("rt :: Option < &")
        || text == "rt :: Option < (usize , usize) >"
}

/// The types that a block says of what is around it, which it does no more.
pub(super) fn told(block: &mut Block) -> BTreeMap<String, TokenStream> {
    let mut told = BTreeMap::new();
    while let Some(Stmt::Local(local)) = block.stmts.first()
        && let Pat::Type(typed) = &local.pat
        && let Pat::Ident(name) = &*typed.pat
        && let Some(init) = &local.init
        && matches!(&*init.expr, Expr::Path(path) if path.path.is_ident(&name.ident))
    {
        told.insert(name.ident.to_string(), typed.ty.to_token_stream());
        block.stmts.remove(0);
    }
    told
}

/// The type of what a block declares first, which it does not say any more.
pub(super) fn take_type(block: &mut Block) -> Option<TokenStream> {
    let Some(Stmt::Local(local)) = block.stmts.first_mut() else { return None };
    if !matches!((&local.pat, &local.init), (Pat::Type(_), None)) {
        return None;
    }
    match core::mem::replace(&mut local.pat, Pat::Verbatim(TokenStream::new())) {
        Pat::Type(typed) => {
            local.pat = *typed.pat;
            Some(typed.ty.to_token_stream())
        }
        pat => {
            local.pat = pat;
            None
        }
    }
}

/// The type of what a block finds step by step: it declares `found`, and ends with that. An error ends
/// the function around.
pub(super) fn found_type(block: &Block) -> Option<TokenStream> {
    let is_found = |expr: &Expr| matches!(expr, Expr::Path(path) if path.path.is_ident("found"));
    let [Stmt::Local(local), steps @ .., Stmt::Expr(last, None)] = &block.stmts[..] else {
        return None;
    };
    let (name, ty) = match &local.pat {
        Pat::Type(typed) => (&*typed.pat, Some(typed.ty.to_token_stream())),
        pat => (pat, None),
    };
    if !matches!(name, Pat::Ident(name) if name.ident == "found") || !is_found(last) {
        return None;
    }
    if !steps.iter().any(|step| may_fail(&step.to_token_stream())) {
        return None;
    }
    ty.or_else(|| type_of(local).map(|(_, ty)| ty))
}

fn may_fail(code: &TokenStream) -> bool {
    code.clone().into_iter().any(|token| match token {
        TokenTree::Group(group) => may_fail(&group.stream()),
        TokenTree::Punct(punct) => punct.as_char() == '?',
        _ => false,
    })
}

/// The name that a statement binds, if its type is plain to see.
pub(super) fn type_of(local: &syn::Local) -> Option<(&Pat, TokenStream)> {
    if let Pat::Type(typed) = &local.pat {
        return Some((&*typed.pat, typed.ty.to_token_stream()));
    }
    let init = &local.init.as_ref()?.expr;
    let ty = match &**init {
        Expr::Reference(of) if of.mutability.is_some() => match &*of.expr {
            Expr::Repeat(bytes) => {
                let len = &bytes.len;
                let is_block = bytes.expr.to_token_stream().to_string() == "0_u8";
                is_block.then(|| quote!(&mut [u8; #len]))
            }
            _ => None,
        },
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => {
            let suffix = number.suffix();
            (!suffix.is_empty()).then(|| format_ident!("{suffix}").to_token_stream())
        }
        // A number of the file.
        Expr::Call(call) => {
            let Expr::Path(function) = &*call.func else { return None };
            let path: Vec<String> =
                function.path.segments.iter().map(|part| part.ident.to_string()).collect();
            match path.iter().map(String::as_str).collect::<Vec<_>>()[..] {
                [ty @ ("u64" | "usize" | "i128"), "from"]
                | ["s", ty @ ("u8" | "u16" | "u32" | "u64")] => {
                    Some(format_ident!("{ty}").to_token_stream())
                }
                ["s", "uint" | "uint_be"] => Some(quote!(u64)),
                // What numbers are added to.
                ["rt", "Some"] => {
                    let from_zero = call.args.to_token_stream().to_string() == "0_i128";
                    from_zero.then(|| quote!(rt::Option<i128>))
                }
                _ => None,
            }
        }
        Expr::Path(path) if path.to_token_stream().to_string() == "s :: Chain :: NOTHING" => {
            Some(quote!(s::Chain))
        }
        // Part of the file.
        Expr::Try(tried) => match &*tried.expr {
            Expr::MethodCall(call)
                if ["target", "between"].iter().any(|method| call.method == method) =>
            {
                Some(quote!(s::Part<'i>))
            }
            _ => None,
        },
        Expr::MethodCall(call) if call.method == "at" && call.args.is_empty() => {
            Some(quote!(usize))
        }
        // Where something is, or is to be.
        Expr::MethodCall(call) if call.method == "here" || call.method == "align" => {
            Some(quote!(s::Spot))
        }
        _ => None,
    };
    Some((&local.pat, ty?))
}

/// Takes off what is not needed where references are handed on, and their methods called.
pub(super) struct Reborrow<'a> {
    pub names: &'a BTreeSet<String>,
}

impl Reborrow<'_> {
    /// The reference, if an expression is what one of them leads to.
    fn led(&self, expr: &Expr) -> Option<Expr> {
        let expr = match expr {
            Expr::Paren(paren) => &*paren.expr,
            expr => expr,
        };
        let Expr::Unary(ExprUnary { op: UnOp::Deref(_), expr, .. }) = expr else { return None };
        let Expr::Path(path) = &**expr else { return None };
        let name = path.path.get_ident()?;
        self.names.contains(&name.to_string()).then(|| parse_quote!(#name))
    }
}

impl VisitMut for Reborrow<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        visit_mut::visit_expr_mut(self, expr);
        match expr {
            Expr::MethodCall(call) => {
                if let Some(name) = self.led(&call.receiver) {
                    *call.receiver = name;
                }
            }
            Expr::Reference(of) => {
                if let Some(name) = self.led(&of.expr) {
                    *expr = name;
                }
            }
            _ => {}
        }
    }
}

/// Code for which some names are references.
pub(super) fn through(code: TokenStream, names: &BTreeSet<String>) -> TokenStream {
    if names.is_empty() {
        return code;
    }
    let each = code.into_iter().map(|token| match token {
        TokenTree::Ident(name) if names.contains(&name.to_string()) => quote!((*#name)),
        TokenTree::Group(group) => {
            let inner = through(group.stream(), names);
            TokenTree::Group(Group::new(group.delimiter(), inner)).into()
        }
        other => other.into(),
    });
    each.collect()
}
