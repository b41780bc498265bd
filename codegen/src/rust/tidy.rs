//! Leaves out of generated code what nobody needs: brackets, references that are followed at once,
//! blocks around what stands alone. What makes code puts them wherever they may be needed, since it
//! does not see what is around.

mod lines;
mod stores;

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::ParseStream;
use syn::visit_mut::{self, VisitMut};
use syn::{
    BinOp, Block, Expr, ExprBinary, ExprBlock, ExprForLoop, ExprIf, ExprLet, ExprLit, ExprMatch,
    ExprMethodCall, ExprReference, ExprReturn, ItemFn, Lit, LitInt, Local, Pat, Stmt, Token, Type,
    UnOp, parse_quote,
};

use self::stores::{name_long_arguments, set_if_it_fits};
use super::mentions::{count, count_all};

/// Does so in all of a file.
pub(super) fn tidy(file: &mut syn::File) {
    Cases.visit_file_mut(file);
    Tidy.visit_file_mut(file);
}

/// The label of the block that a small case is while it is tidied and formatted, which macros are not.
const SMALL_CASE: &str = "'small_case";

/// The text of a file that was tidied: with small cases of unions, and without lines that nobody needs.
pub(super) fn finished(text: &str) -> String {
    let begin = format!("{SMALL_CASE}: {{");
    let mut lines = Vec::new();
    // Ends of arms: behind a block there needs to be no comma, behind a macro there does.
    let mut ends: Vec<String> = Vec::new();
    for line in text.lines() {
        if line.ends_with(&begin) && !line.trim_start().starts_with("//") {
            if line.contains("=> ") {
                ends.push(line.chars().take_while(|letter| *letter == ' ').chain(['}']).collect());
            }
            lines.push(line.replace(&begin, "s::small_case! {"));
        } else if ends.last().is_some_and(|end| end == line) {
            ends.pop();
            lines.push(format!("{line},"));
        } else {
            lines.push(line.to_owned());
        }
    }
    let mut lines = lines::joined(lines);
    lines.push(String::new());
    lines.join("\n")
}

/// Makes blocks of the macros around small cases.
struct Cases;

impl Cases {
    fn block(of: &syn::Macro) -> Option<Expr> {
        if of.path.segments.last()?.ident != "small_case" {
            return None;
        }
        let stmts = of.parse_body_with(Block::parse_within).ok()?;
        let label = syn::Lifetime::new(SMALL_CASE, proc_macro2::Span::call_site());
        Some(parse_quote!(#label: { #(#stmts)* }))
    }
}

impl VisitMut for Cases {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if let Expr::Macro(of) = expr
            && let Some(block) = Cases::block(&of.mac)
        {
            *expr = block;
        }
        visit_mut::visit_expr_mut(self, expr);
    }

    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        if let Stmt::Macro(of) = stmt
            && let Some(block) = Cases::block(&of.mac)
        {
            *stmt = Stmt::Expr(block, of.semi_token.take());
        }
        visit_mut::visit_stmt_mut(self, stmt);
    }
}

/// Methods of what is borrowed, which mean the same without the reference.
const BORROWING: [&str; 10] = [
    "as_bytes",
    "is_canonical",
    "is_empty",
    "is_none",
    "is_some",
    "iter",
    "len",
    "number",
    "to_bits",
    "units",
];

/// Characters of an argument that is not taken for a long one.
const MOST: usize = 48;

struct Tidy;

impl VisitMut for Tidy {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        visit_mut::visit_expr_mut(self, expr);
        match expr {
            Expr::Paren(paren) if is_atom(&paren.expr) => *expr = take(&mut paren.expr),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => {
                if let Some(place) = borrowed(&mut unary.expr) {
                    *expr = place;
                }
            }
            Expr::Field(field) => {
                if let Some(place) = borrowed(&mut field.base) {
                    *field.base = place;
                }
            }
            Expr::MethodCall(call) => {
                call.args.iter_mut().for_each(bare);
                without_reference(call);
            }
            Expr::Call(call) => call.args.iter_mut().for_each(bare),
            Expr::Binary(sum) => {
                if let Some(sum) = sum_of_constants(sum) {
                    *expr = sum;
                } else if matches!(sum.op, BinOp::And(_)) && is_true(&sum.left) {
                    *expr = take(&mut sum.right);
                }
            }
            Expr::If(test) => {
                bare_before_block(&mut test.cond);
                if let Some(inner) = asked_twice(test) {
                    *expr = inner;
                } else if is_always(test) {
                    let block = core::mem::take(&mut test.then_branch.stmts);
                    *expr = parse_quote!({ #(#block)* });
                }
            }
            Expr::While(test) => bare_before_block(&mut test.cond),
            Expr::Let(test) => bare_before_block(&mut test.expr),
            Expr::Macro(of) if of.mac.path.is_ident("matches") => {
                if let Some(tokens) = matched_place(&of.mac) {
                    of.mac.tokens = tokens;
                }
            }
            Expr::Match(test) => {
                bare_before_block(&mut test.expr);
                if let Some(only) = only_case(test) {
                    *expr = only;
                }
            }
            Expr::ForLoop(each) => {
                without_index(each);
                bare_before_block(&mut each.expr);
            }
            Expr::Assign(assign) => {
                bare(&mut assign.left);
                bare(&mut assign.right);
            }
            Expr::Block(ExprBlock { label: None, attrs, block, .. }) if attrs.is_empty() => {
                if let Some(mapped) = mapped(block) {
                    *expr = mapped;
                }
            }
            Expr::Struct(made) => made.fields.iter_mut().for_each(|field| bare(&mut field.expr)),
            _ => {}
        }
    }

    fn visit_item_fn_mut(&mut self, function: &mut ItemFn) {
        visit_mut::visit_item_fn_mut(self, function);
        let stmts = &mut function.block.stmts;
        if let Some(Stmt::Expr(Expr::Return(ExprReturn { expr: Some(value), .. }), _)) =
            stmts.last_mut()
        {
            let value = take(value);
            stmts.pop();
            stmts.push(Stmt::Expr(value, None));
        }
    }

    fn visit_local_mut(&mut self, local: &mut Local) {
        visit_mut::visit_local_mut(self, local);
        if let Some(init) = &mut local.init
            && init.diverge.is_none()
        {
            bare(&mut init.expr);
        }
    }

    fn visit_block_mut(&mut self, block: &mut Block) {
        visit_mut::visit_block_mut(self, block);
        open_blocks(&mut block.stmts);
        set_at_once(&mut block.stmts);
        block.stmts.iter_mut().for_each(set_if_it_fits);
        block.stmts.iter_mut().for_each(extend_if_there);
        go_on_behind_errors(&mut block.stmts);
        convert_at_once(&mut block.stmts);
        name_long_arguments(&mut block.stmts);
    }
}

/// `{ let a = f()?; rt::Ok(B(a)) }` is `f().map(B)`.
fn mapped(block: &mut Block) -> Option<Expr> {
    let [Stmt::Local(local), Stmt::Expr(Expr::Call(made), None)] = &mut block.stmts[..] else {
        return None;
    };
    let (Pat::Ident(name), Some(init)) = (&local.pat, &mut local.init) else { return None };
    let Expr::Try(tried) = &mut *init.expr else { return None };
    let [Expr::Call(of)] = &mut made.args.iter_mut().collect::<Vec<_>>()[..] else { return None };
    let is_plain = is_path(&made.func, "rt :: Ok")
        && init.diverge.is_none()
        && matches!(&*tried.expr, Expr::Call(_))
        && matches!(&*of.func, Expr::Path(_))
        && of.args.len() == 1
        && matches!(&of.args[0], Expr::Path(path) if path.path.is_ident(&name.ident));
    if !is_plain {
        return None;
    }
    let (call, function) = (take(&mut tried.expr), take(&mut of.func));
    Some(parse_quote!(#call.map(#function)))
}

/// `if let rt::Some(a) = f()? { b.push(a); }` is `b.extend(f()?);`.
fn extend_if_there(stmt: &mut Stmt) {
    let Stmt::Expr(Expr::If(test), _) = stmt else { return };
    let (Expr::Let(given), None) = (&mut *test.cond, &test.else_branch) else { return };
    let [Stmt::Expr(Expr::MethodCall(push), Some(_))] = &test.then_branch.stmts[..] else { return };
    let Pat::TupleStruct(some) = &*given.pat else { return };
    let name = some.elems.to_token_stream().to_string();
    let owned = matches!(&*given.expr, Expr::Try(tried) if matches!(&*tried.expr, Expr::Call(_)));
    let is_pushed = some.path.to_token_stream().to_string() == "rt :: Some"
        && push.method == "push"
        && push.args.to_token_stream().to_string() == name
        && matches!(&*push.receiver, Expr::Path(_));
    if owned && is_pushed {
        let (list, found) = (&push.receiver, take(&mut given.expr));
        *stmt = parse_quote!(#list.extend(#found););
    }
}

/// What is done unless an error is returned stands behind that, and not in an `else`.
fn go_on_behind_errors(stmts: &mut Vec<Stmt>) {
    let mut made = Vec::with_capacity(stmts.len());
    let mut rest = core::mem::take(stmts).into_iter();
    while let Some(mut stmt) = rest.next() {
        let mut behind = Vec::new();
        if let Stmt::Expr(Expr::If(test), _) = &mut stmt
            && let [Stmt::Expr(Expr::Return(_), _)] = &test.then_branch.stmts[..]
            && let Some((_, other)) = &mut test.else_branch
            && let Expr::Block(ExprBlock { label: None, block, .. }) = &mut **other
            && !block
                .stmts
                .iter()
                .any(|inner| is_kept_to_end(inner) || binds_for(inner, rest.as_slice()))
            && !matches!(block.stmts.last(), Some(Stmt::Expr(_, None)))
        {
            behind.append(&mut block.stmts);
            test.else_branch = None;
        }
        made.push(stmt);
        made.append(&mut behind);
    }
    *stmts = made;
}

/// Whether a statement binds a name that statements behind its block have, and may mean another one by.
fn binds_for(stmt: &Stmt, behind: &[Stmt]) -> bool {
    let Stmt::Local(local) = stmt else { return false };
    let mut bound = BTreeMap::new();
    count_all(&local.pat.to_token_stream(), &mut bound);
    let has = |stmt: &Stmt, name: &str| count(&stmt.to_token_stream(), name) > 0;
    bound.keys().any(|name| behind.iter().any(|stmt| has(stmt, name)))
}

/// Whether a statement makes what is dropped at the end of its block.
fn is_kept_to_end(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Local(Local { pat: Pat::Ident(name), .. })
        if name.ident.to_string().starts_with('_'))
}

/// `let a = f(); let b: u8 = u8::from(a);` is `let b: u8 = u8::from(f());`, if nothing else asks for it.
fn convert_at_once(stmts: &mut Vec<Stmt>) {
    let mut at = 0;
    while at + 1 < stmts.len() {
        let (before, behind) = stmts.split_at_mut(at + 1);
        if let Some(value) = converted(&mut before[at], behind) {
            if let Stmt::Local(Local { init: Some(init), .. }) = &mut behind[0]
                && let Expr::Call(from) = &mut *init.expr
            {
                from.args[0] = value;
            }
            stmts.remove(at);
        }
        at += 1;
    }
}

/// The number that a statement gives a name, if it is converted by the next one and asked for by no other.
fn converted(stmt: &mut Stmt, behind: &[Stmt]) -> Option<Expr> {
    let Stmt::Local(Local { pat: Pat::Ident(name), init: Some(number), .. }) = stmt else {
        return None;
    };
    let (next, rest) = behind.split_first()?;
    let Stmt::Local(Local { init: Some(init), .. }) = next else { return None };
    let Expr::Call(from) = &*init.expr else { return None };
    let is_converted = is_path(&from.func, "i128 :: from")
        && from.args.len() == 1
        && is_path(&from.args[0], &name.ident.to_string())
        && name.mutability.is_none()
        && matches!(&*number.expr, Expr::Call(_))
        && number.diverge.is_none();
    let name = name.ident.to_string();
    let is_asked = || rest.iter().any(|stmt| count(&stmt.to_token_stream(), &name) > 0);
    (is_converted && !is_asked()).then(|| take(&mut number.expr))
}

fn is_path(expr: &Expr, path: &str) -> bool {
    matches!(expr, Expr::Path(of) if of.to_token_stream().to_string() == path)
}

/// What `matches!` is about, without a reference to a place.
fn matched_place(of: &syn::Macro) -> Option<TokenStream> {
    let (mut value, pattern) = of
        .parse_body_with(|input: ParseStream<'_>| {
            let value: Expr = input.parse()?;
            input.parse::<Token![,]>()?;
            Ok((value, input.parse::<TokenStream>()?))
        })
        .ok()?;
    let place = borrowed(&mut value)?;
    Some(quote!(#place, #pattern))
}

/// `if let`, of a match in which nothing is done but for one pattern.
fn only_case(test: &mut ExprMatch) -> Option<Expr> {
    let [one, other] = &mut test.arms[..] else { return None };
    let is_nothing = |expr: &Expr| match expr {
        Expr::Block(of) => of.label.is_none() && of.block.stmts.is_empty(),
        _ => false,
    };
    let rest = matches!(other.pat, Pat::Wild(_)) && is_nothing(&other.body);
    let Expr::Block(ExprBlock { label: None, block, .. }) = &mut *one.body else { return None };
    if !rest || matches!(one.pat, Pat::Guard(_)) {
        return None;
    }
    let (pattern, value, stmts) = (&one.pat, &test.expr, core::mem::take(&mut block.stmts));
    Some(parse_quote!(if let #pattern = #value { #(#stmts)* }))
}

/// Whether nothing that may stand around an expression takes it apart.
fn is_atom(expr: &Expr) -> bool {
    match expr {
        Expr::Call(_) | Expr::Field(_) | Expr::Index(_) | Expr::MethodCall(_) | Expr::Paren(_) => {
            true
        }
        Expr::Path(_) => true,
        // The minus of a negative one is an operator.
        Expr::Lit(literal) => !literal.to_token_stream().to_string().starts_with('-'),
        _ => false,
    }
}

/// Whether an expression is a place that a reference to it does not make.
fn is_place(expr: &Expr) -> bool {
    match expr {
        Expr::Path(_) => true,
        Expr::Field(field) => is_place(&field.base),
        Expr::Index(index) => is_place(&index.expr),
        Expr::Paren(paren) => is_place(&paren.expr),
        _ => false,
    }
}

/// What two numbers of one type are together.
fn sum_of_constants(sum: &ExprBinary) -> Option<Expr> {
    fn number(expr: &Expr) -> Option<&LitInt> {
        match expr {
            Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => Some(number),
            _ => None,
        }
    }
    let (left, right) = (number(&sum.left)?, number(&sum.right)?);
    // A number without a type has that of the other one.
    let suffix = if left.suffix().is_empty() { right.suffix() } else { left.suffix() };
    let alike = right.suffix().is_empty() || right.suffix() == suffix;
    let is_sum = matches!(sum.op, BinOp::Add(_)) && alike;
    let all = left.base10_parse::<u64>().ok()?.checked_add(right.base10_parse().ok()?)?;
    let all = LitInt::new(&format!("{all}{suffix}"), left.span());
    is_sum.then(|| parse_quote!(#all))
}

/// An expression that something else takes the place of.
fn take(expr: &mut Expr) -> Expr {
    core::mem::replace(expr, Expr::Verbatim(TokenStream::new()))
}

/// The place that an expression borrows, if it does nothing else. It is taken out of it.
fn borrowed(expr: &mut Expr) -> Option<Expr> {
    match expr {
        Expr::Paren(paren) => borrowed(&mut paren.expr),
        Expr::Reference(of) if of.mutability.is_none() && is_place(&of.expr) => {
            Some(take(&mut of.expr))
        }
        _ => None,
    }
}

/// Takes brackets off where nothing stands beside an expression.
fn bare(expr: &mut Expr) {
    while let Expr::Paren(paren) = expr {
        *expr = take(&mut paren.expr);
    }
}

/// The same before a block, which braces would be taken for.
fn bare_before_block(expr: &mut Expr) {
    if let Expr::Paren(paren) = expr
        && !has_braces(&paren.expr.to_token_stream())
        && !matches!(&*paren.expr, Expr::Closure(_) | Expr::Range(_))
    {
        bare(expr);
    }
}

fn has_braces(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Group(group) => {
            group.delimiter() == proc_macro2::Delimiter::Brace || has_braces(&group.stream())
        }
        _ => false,
    })
}

fn without_reference(call: &mut ExprMethodCall) {
    if BORROWING.contains(&call.method.to_string().as_str())
        && let Some(place) = borrowed(&mut call.receiver)
    {
        *call.receiver = place;
    }
}

/// What is left of `if x.is_some() { if let Some(y) = &x { .. } }`. It is taken out of it.
fn asked_twice(outer: &mut ExprIf) -> Option<Expr> {
    let (None, Expr::MethodCall(call), [Stmt::Expr(inner, None)]) =
        (&outer.else_branch, &*outer.cond, &mut outer.then_branch.stmts[..])
    else {
        return None;
    };
    let Expr::If(ExprIf { else_branch: None, cond, .. }) = &*inner else { return None };
    let Expr::Let(ExprLet { pat, expr, .. }) = &**cond else { return None };
    let Pat::TupleStruct(some) = &**pat else { return None };
    let Expr::Reference(ExprReference { mutability: None, expr, .. }) = &**expr else {
        return None;
    };
    let is_some = call.method == "is_some" && some.path.segments.last()?.ident == "Some";
    let text = |expr: &Expr| expr.to_token_stream().to_string();
    (is_some && is_place(expr) && text(expr) == text(&call.receiver)).then(|| take(inner))
}

/// Whether a condition is `true`, and nothing is said for when it does not hold.
fn is_always(test: &ExprIf) -> bool {
    is_true(&test.cond) && test.else_branch.is_none()
}

fn is_true(expr: &Expr) -> bool {
    matches!(expr, Expr::Lit(ExprLit { lit: Lit::Bool(it), .. }) if it.value)
}

/// Puts the statements of blocks that are statements in their places, where no name is in the way.
fn open_blocks(stmts: &mut Vec<Stmt>) {
    let mut opened: Vec<Stmt> = Vec::new();
    // What follows, last first, and the names in it as far as they are known.
    let (mut names, mut known) = (BTreeSet::new(), 0);
    for stmt in core::mem::take(stmts).into_iter().rev() {
        let is_last = opened.is_empty();
        match without_nothing(stmt) {
            Stmt::Expr(Expr::Block(block), semicolon) if is_plain(&block) => {
                let inner = block.block.stmts;
                let mut apart = || {
                    let mut bound = BTreeSet::new();
                    for stmt in &inner {
                        bind(stmt, &mut bound);
                    }
                    // A name with a score is that of a guard, which ends with its block.
                    bound.is_empty()
                        || (bound.iter().all(|name| !name.starts_with('_')) && {
                            opened[known..]
                                .iter()
                                .for_each(|s| collect(s.to_token_stream(), &mut names));
                            known = opened.len();
                            bound.is_disjoint(&names)
                        })
                };
                if !((is_last && semicolon.is_none()) || apart()) {
                    let block = Expr::Block(syn::ExprBlock {
                        attrs: Vec::new(),
                        label: None,
                        block: Block { brace_token: block.block.brace_token, stmts: inner },
                    });
                    opened.push(Stmt::Expr(block, semicolon));
                    continue;
                }
                let mut inner = inner.into_iter().rev();
                match inner.next() {
                    Some(Stmt::Expr(expr, None)) if !is_last || semicolon.is_some() => {
                        let needed = semicolon.or((!is_block_like(&expr)).then(Default::default));
                        opened.push(Stmt::Expr(expr, needed));
                    }
                    Some(stmt) => opened.push(stmt),
                    None => {}
                }
                opened.extend(inner);
            }
            stmt => opened.push(stmt),
        }
    }
    opened.reverse();
    *stmts = opened;
}

/// The block in `let _: () = { .. };`, which needs no `let`.
fn without_nothing(stmt: Stmt) -> Stmt {
    let Stmt::Local(mut local) = stmt else { return stmt };
    let is_nothing = match &local.pat {
        Pat::Type(typed) => {
            matches!(&*typed.pat, Pat::Wild(_))
                && matches!(&*typed.ty, Type::Tuple(of) if of.elems.is_empty())
        }
        _ => false,
    };
    match &mut local.init {
        Some(init) if is_nothing && matches!(&*init.expr, Expr::Block(_)) => {
            Stmt::Expr(take(&mut init.expr), Some(local.semi_token))
        }
        _ => Stmt::Local(local),
    }
}

/// Whether a block is only that, and holds nothing but statements.
fn is_plain(block: &syn::ExprBlock) -> bool {
    let is_item = |stmt: &Stmt| matches!(stmt, Stmt::Item(_) | Stmt::Macro(_));
    block.attrs.is_empty() && block.label.is_none() && !block.block.stmts.iter().any(is_item)
}

fn is_block_like(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::Block(_)
            | Expr::ForLoop(_)
            | Expr::If(_)
            | Expr::Loop(_)
            | Expr::Match(_)
            | Expr::While(_)
    )
}

/// Declares locals where they are set, if that is in the same block, and sets them without another
/// one in between.
fn set_at_once(stmts: &mut Vec<Stmt>) {
    let declared: Vec<String> = stmts.iter().filter_map(declared).collect();
    let mut named: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    named.extend(declared.iter().map(|name| (name.as_str(), Vec::new())));
    for (at, stmt) in stmts.iter().enumerate().filter(|_| !declared.is_empty()) {
        let mut names = BTreeMap::new();
        count_all(&stmt.to_token_stream(), &mut names);
        for name in names.keys() {
            if let Some(places) = named.get_mut(name.as_str()) {
                places.push(at);
            }
        }
    }
    let mut gone = BTreeSet::new();
    for name in &declared {
        let places = named[name.as_str()].iter().copied().filter(|at| !gone.contains(at)).collect();
        gone.extend(set_one_at_once(stmts, name, places));
    }
    let mut at = 0..;
    stmts.retain(|_| at.next().is_none_or(|at| !gone.contains(&at)));
    // Of `let value = f(); let x = value;` the second one.
    let mut at = 1;
    while at < stmts.len() {
        let passed = bound_to(&stmts[at - 1]).zip(handed(&stmts[at]));
        if let Some((name, handed)) = passed
            && name == handed
            && !is_met(&stmts[at + 1..], &name)
            && let Stmt::Local(local) = &mut stmts[at - 1]
            && let Some(value) = local.init.take()
        {
            match &mut stmts[at] {
                Stmt::Local(local) => local.init = Some(value),
                Stmt::Expr(Expr::Call(call), _) => call.args[0] = *value.expr,
                _ => {}
            }
            stmts.remove(at - 1);
        } else {
            at += 1;
        }
    }
}

/// The position of the declaration, if it is needed no more; `places` are those of statements that have
/// the name.
fn set_one_at_once(stmts: &mut [Stmt], name: &str, places: Vec<usize>) -> Option<usize> {
    let is_declared = |at: &usize| declared(&stmts[*at]).as_deref() == Some(name);
    let from = places.iter().copied().find(is_declared)?;
    let mut behind = places.into_iter().filter(|at| *at > from);
    let to = behind.find(|at| count(&stmts[*at].to_token_stream(), name) > 0)?;
    let Stmt::Expr(Expr::Assign(assign), Some(_)) = &mut stmts[to] else { return None };
    let is_set = matches!(&*assign.left, Expr::Path(path) if path.path.is_ident(name));
    if !is_set || count(&assign.to_token_stream(), name) != 1 {
        return None;
    }
    let value = take(&mut assign.right);
    let changes = behind.any(|at| may_change(&stmts[at].to_token_stream(), name));
    let name = proc_macro2::Ident::new(name, proc_macro2::Span::call_site());
    stmts[to] = match changes {
        true => parse_quote!(let mut #name = #value;),
        false => parse_quote!(let #name = #value;),
    };
    Some(from)
}

/// The name that a statement declares without a type, and without a value.
fn declared(stmt: &Stmt) -> Option<String> {
    match stmt {
        Stmt::Local(syn::Local { pat: Pat::Ident(name), init: None, .. }) => {
            Some(name.ident.to_string())
        }
        _ => None,
    }
}

/// The name that a statement gives a value.
fn bound_to(stmt: &Stmt) -> Option<String> {
    match stmt {
        Stmt::Local(syn::Local { pat: Pat::Ident(name), init: Some(init), .. })
            if init.diverge.is_none() && name.by_ref.is_none() =>
        {
            Some(name.ident.to_string())
        }
        _ => None,
    }
}

/// The local that a statement hands on and does nothing else: `let x = value;`, and at the end of a
/// block `rt::Ok(value)`.
fn handed(stmt: &Stmt) -> Option<String> {
    let of = match stmt {
        Stmt::Local(_) => {
            bound_to(stmt)?;
            let Stmt::Local(syn::Local { init: Some(init), .. }) = stmt else { return None };
            &*init.expr
        }
        Stmt::Expr(Expr::Call(call), None) if call.args.len() == 1 => {
            let Expr::Path(function) = &*call.func else { return None };
            if function.path.segments.last()?.ident != "Ok" {
                return None;
            }
            &call.args[0]
        }
        _ => return None,
    };
    match of {
        Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
        _ => None,
    }
}

/// Whether statements ask for a local before they bind another one of its name.
fn is_met(stmts: &[Stmt], name: &str) -> bool {
    for stmt in stmts {
        let count = count(&stmt.to_token_stream(), name);
        if count > 0 {
            return !(count == 1 && bound_to(stmt).as_deref() == Some(name));
        }
    }
    false
}

/// Whether code may give a local another value: sets it, lends it, or calls a method of it.
fn may_change(code: &TokenStream, name: &str) -> bool {
    let tokens: Vec<TokenTree> = code.clone().into_iter().collect();
    let is = |at: usize, sign: char| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == sign);
    tokens.iter().enumerate().any(|(at, token)| match token {
        TokenTree::Group(group) => may_change(&group.stream(), name),
        TokenTree::Ident(ident) if ident == name => {
            let lent = at > 0 && matches!(&tokens[at - 1], TokenTree::Ident(word) if word == "mut");
            let method = is(at + 1, '.')
                && matches!(
                    tokens.get(at + 3),
                    Some(TokenTree::Group(_)) | Some(TokenTree::Punct(_))
                );
            lent || method || is(at + 1, '=') && !is(at + 2, '=')
        }
        _ => false,
    })
}

/// Names that a statement binds for those behind it, and perhaps others.
fn bind(stmt: &Stmt, names: &mut BTreeSet<String>) {
    if let Stmt::Local(local) = stmt {
        match &local.pat {
            Pat::Type(typed) => collect(typed.pat.to_token_stream(), names),
            pat => collect(pat.to_token_stream(), names),
        }
    }
}

fn collect(tokens: TokenStream, names: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => collect(group.stream(), names),
            TokenTree::Ident(ident) => {
                names.insert(ident.to_string());
            }
            _ => {}
        }
    }
}

/// Elements are not counted where nobody asks for their numbers.
fn without_index(each: &mut ExprForLoop) {
    let (Pat::Tuple(pair), Expr::MethodCall(call)) = (&mut *each.pat, &mut *each.expr) else {
        return;
    };
    let counts = call.method == "enumerate" && call.args.is_empty() && pair.elems.len() == 2;
    let Some(Pat::Ident(index)) = pair.elems.first().filter(|_| counts) else { return };
    if count(&each.body.to_token_stream(), &index.ident.to_string()) > 0 {
        return;
    }
    let Some(element) = pair.elems.pop() else { return };
    let elements = take(&mut call.receiver);
    *each.pat = element;
    *each.expr = elements;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What becomes of the statements of a function.
    pub(super) fn tidied(statements: &str) -> String {
        let mut file = syn::parse_str(&format!("fn f() {{ {statements} }}")).expect("it is Rust");
        tidy(&mut file);
        let text = finished(&prettyplease::unparse(&file));
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        lines[1..lines.len() - 1].join(" ")
    }

    #[track_caller]
    pub(super) fn stays(statements: &str) {
        assert_eq!(tidied(statements), statements);
    }

    #[test]
    fn steps_that_are_one_are_written_so() {
        let case = "match a { 1 => { let b = f(c)?; rt::Ok(A::B(b)) } _ => g(), }";
        assert_eq!(tidied(case), "match a { 1 => f(c).map(A::B), _ => g(), }");
        stays("match a { 1 => { let b = c; rt::Ok(A::B(b)) } _ => g(), }");
        stays("match a { 1 => { let b = f(c)?; rt::Ok(A::B(b, d)) } _ => g(), }");
        assert_eq!(tidied("if let rt::Some(a) = f()? { b.push(a); }"), "b.extend(f()?);");
        stays("if let rt::Some(a) = b.c { b.push(a); }");
        let converted = "let a = s::u8(b, 0); let n: i128 = i128::from(a); f(n);";
        assert_eq!(tidied(converted), "let n: i128 = i128::from(s::u8(b, 0)); f(n);");
        stays("let a = s::u8(b, 0); let n: i128 = i128::from(a); f(n, a);");
    }

    #[test]
    fn what_is_done_unless_there_is_an_error_stands_behind_it() {
        let apart = "if a { return rt::Err(s::Odd); } else { let b = f(); g(b); } h();";
        let flat = "if a { return rt::Err(s::Odd); } let b = f(); g(b); h();";
        assert_eq!(tidied(apart), flat);
        stays("if a { return rt::Err(s::Odd); } else { let _level = f(); g(); } h();");
        stays("if a { return rt::Err(s::Odd); } else { let b = f(); g(b); } h(b);");
        stays("let c = if a { return rt::Err(s::Odd); } else { b }; h(c);");
    }

    #[test]
    fn references_that_are_followed_at_once_go() {
        assert_eq!(tidied("f(*(&v.x));"), "f(v.x);");
        assert_eq!(tidied("f((*(&v.x) as u64));"), "f(v.x as u64);");
        assert_eq!(tidied("(&v.list).len();"), "v.list.len();");
        assert_eq!(tidied("(&v.inner).x;"), "v.inner.x;");
        // A list by itself is another thing than a reference to it, and so is what a call makes.
        stays("(&v.list).into_iter();");
        stays("*(&f());");
        stays("(&mut v.list).len();");
    }

    #[test]
    fn brackets_stay_where_operators_need_them() {
        assert_eq!(tidied("if (a.b()) { f(((a + b))); }"), "if a.b() { f(a + b); }");
        assert_eq!(tidied("let x = (a + b);"), "let x = a + b;");
        assert_eq!(tidied("let x = ((a.b)) * (f(c));"), "let x = a.b * f(c);");
        assert_eq!(tidied("f((0_u64 + 8u64), o + 1);"), "f(8u64, o + 1);");
        assert_eq!(tidied("f(0_u64 + 8 + a);"), "f(8u64 + a);");
        stays("f(0_u64 + 8_i64);");
        stays("let x = (a + b) * c;");
        stays("let x = (a as i128) < b;");
        stays("let x = -(-1i32);");
        stays("let x = (a - b).len();");
        stays("match (A { b }) { _ => {} }");
    }

    #[test]
    fn one_case_is_a_test() {
        assert_eq!(
            tidied("match &v.x { A(a) => { f(a); } _ => {} }"),
            "if let A(a) = &v.x { f(a); }"
        );
        stays("match &v.x { A(a) => { f(a); } _ => { g(); } }");
        stays("match &v.x { A(a) if a > b => { f(a); } _ => {} }");
        stays("match &v.x { A(a) => f(a), _ => {} }");
        assert_eq!(
            tidied("if matches!((&v.x), A(..) | B) { f(); }"),
            "if matches!(v.x, A(..) | B) { f(); }"
        );
        stays("if matches!(& f(), A(..)) { f(); }");
    }

    #[test]
    fn blocks_open_where_no_name_is_in_the_way() {
        assert_eq!(tidied("{ { f(); } } g();"), "f(); g();");
        assert_eq!(tidied("{ let a = 1; f(a); } g();"), "let a = 1; f(a); g();");
        assert_eq!(tidied("{ if a { f() } } g();"), "if a { f() } g();");
        assert_eq!(tidied("{ f() }; g();"), "f(); g();");
        assert_eq!(tidied("g(); { let a = 1; a }"), "g(); let a = 1; a");
        // Another `a` is meant behind it.
        stays("{ let a = 1; f(a); } g(a);");
        // What it holds is let go at its end.
        stays("{ let _level = enter(); f(); } g();");
        stays("'a: { f(); } g();");
        stays("let x = { let y = 1; y };");
        assert_eq!(tidied("let _: () = { f(); g() }; h();"), "f(); g(); h();");
    }

    #[test]
    fn blocks_that_follow_one_another_may_have_the_same_names() {
        let two = "{ let a = 1; f(a); } { let a = 2; f(a); }";
        assert_eq!(tidied(two), "{ let a = 1; f(a); } let a = 2; f(a);");
    }

    #[test]
    fn what_is_asked_twice_is_asked_once() {
        let twice = "if v.x.is_some() { if let rt::Some(x) = (&v.x) { f(x); } }";
        assert_eq!(tidied(twice), "if let rt::Some(x) = &v.x { f(x); }");
        stays("if v.x.is_some() { if let rt::Some(x) = &v.y { f(x); } }");
        stays("if v.x.is_some() { if let rt::Some(x) = &v.x { f(x); } else { g(); } }");
        stays("if v.x.is_some() { if let rt::Some(x) = &v.x { f(x); } g(); }");
    }

    #[test]
    fn locals_are_declared_where_they_are_set() {
        assert_eq!(tidied("let mut a; f(); a = g(); h(a);"), "f(); let a = g(); h(a);");
        assert_eq!(tidied("let mut a; a = g(); a = h(a);"), "let mut a = g(); a = h(a);");
        assert_eq!(tidied("let mut a; a = g(); h(&mut a);"), "let mut a = g(); h(&mut a);");
        assert_eq!(tidied("let mut a; a = g(); a.push(1);"), "let mut a = g(); a.push(1);");
        assert_eq!(tidied("let value = g()?; let a = value; h(a);"), "let a = g()?; h(a);");
        assert_eq!(
            tidied("let mut a; let value = g()?; a = value; let value = h(); f(value, a);"),
            "let a = g()?; let value = h(); f(value, a);"
        );
        assert_eq!(tidied("let a; let value = g(); a = A(value); rt::Ok(a)"), {
            "let value = g(); rt::Ok(A(value))"
        });
        // It is asked for behind that.
        stays("let value = g(); let a = value; h(a, value);");
        stays("let mut a; if b { a = 1; } else { a = 2; }");
        stays("let mut a; loop { a = 1; f(a); }");
    }

    #[test]
    fn small_cases_are_tidied() {
        let case = "match a { 1 => { s::small_case! { let m; m = (a); rt::Ok::<_, s::Odd>(m) } } }";
        let tidied = tidied(case);
        assert_eq!(tidied, "match a { 1 => s::small_case! { rt::Ok::<_, s::Odd>(a) }, }");
    }

    #[test]
    fn what_always_holds_is_not_asked() {
        assert_eq!(tidied("if true { f(); } g();"), "f(); g();");
        assert_eq!(tidied("if a { return b; } return c;"), "if a { return b; } c");
        assert_eq!(tidied("if true && a || b { f(); }"), "if a || b { f(); }");
        assert_eq!(tidied("if true && !(a == b) { f(); }"), "if !(a == b) { f(); }");
        stays("if true { f() } else { g() }");
    }

    #[test]
    fn places_have_no_brackets() {
        assert_eq!(tidied("(*a) = (b); (c.d) = e;"), "*a = b; c.d = e;");
    }

    #[test]
    fn elements_are_not_counted_in_vain() {
        let counted = "for (i, x) in v.list.iter().enumerate() { f(x, i); }";
        stays(counted);
        let tidy = "for x in v.list.iter() { f(x, y.i); }";
        assert_eq!(tidied("for (i, x) in v.list.iter().enumerate() { f(x, y.i); }"), tidy);
        stays("for (i, x) in v.list.iter().zip(a) { f(x); }");
    }
}
