//! Long functions of readers and writers in pieces: what stands in a block with a label becomes a function
//! of its own, if it takes nothing but what has a known type.
//!
//! Who makes code labels what a reader would look for by itself: `'put__3_1: { … }` what is done for
//! row 1 of record 3, `'case__4: { …; rt::Ok(()) }` for a case, and `'arm__4: { let m: T; … }` for one
//! that makes a value. What begins with `let x: T = x;` says of which type a local of a loop is. Labels
//! that stay are taken off, and so is that. What is done in some layouts alone, an arm of `match E`,
//! needs no label.
//!
//! A function that has too many lines still is gone through once more, with more [effort](Effort).

mod behind;
mod effort;
mod labels;
mod taken;
mod types;

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{
    Block, Expr, ExprBlock, ExprClosure, ExprLit, ExprReturn, FnArg, GenericParam, ItemFn, Lit,
    Pat, ReturnType, Stmt, parse_quote,
};

use crate::model::Model;
use crate::rust::mentions::{count_all, size};

use behind::Behind;
use effort::{Effort, lines};
pub(super) use labels::{
    arm_piece, case_piece, element_piece, field_piece, find_piece, piece, root_piece, small_piece,
};
use labels::{case_of, is_piece, is_small, words_of};
use taken::{Assigned, Bound, Taken};
use types::{Reborrow, found_type, is_copy, take_type, through, told, type_of};

/// Tokens of a function that is short enough.
const SHORT: usize = 900;

/// Tokens of what is not worth a function.
const FEW: usize = 90;

/// Lines of a function that is short enough.
const MOST_LINES: usize = 120;

/// The functions that were made out of pieces of others.
pub(super) struct Pieces<'m> {
    /// The model that names are from, if lines are counted.
    model: Option<&'m Model>,
    /// Tokens of a function that is short enough, and of what is not worth one.
    short: usize,
    few: usize,
    made: Made,
}

#[derive(Clone, Default)]
struct Made {
    /// Each by its label and what it does, with its name.
    known: BTreeMap<(String, String), Ident>,
    /// How many there are of a label.
    numbers: BTreeMap<String, u32>,
    code: Vec<TokenStream>,
}

impl<'m> Pieces<'m> {
    pub(super) fn new(model: &'m Model) -> Pieces<'m> {
        Pieces { model: Some(model), short: SHORT, few: FEW, made: Made::default() }
    }

    /// A function of which pieces are functions of their own. `types` has the types of more locals.
    pub(super) fn outline(
        &mut self,
        function: TokenStream,
        types: &dyn Fn(&str) -> Option<TokenStream>,
    ) -> TokenStream {
        let begun = self.made.clone();
        let mut best = self.outlined(&function, types, Effort::Usual);
        let mut least = self.lines_of(&best);
        for effort in Effort::MORE {
            if least <= MOST_LINES {
                break;
            }
            let before = core::mem::replace(&mut self.made, begun.clone());
            let made = self.outlined(&function, types, effort);
            let lines = self.lines_of(&made);
            if lines < least {
                (best, least) = (made, lines);
            } else {
                self.made = before;
            }
        }
        best
    }

    /// How many lines a function has, if they may be too many.
    fn lines_of(&self, function: &TokenStream) -> usize {
        let model = self.model.filter(|_| size(function) > self.short / 2);
        model.map_or(0, |model| lines(function, model))
    }

    fn outlined(
        &mut self,
        function: &TokenStream,
        types: &dyn Fn(&str) -> Option<TokenStream>,
        effort: Effort,
    ) -> TokenStream {
        let Ok(mut parsed) = syn::parse2::<ItemFn>(function.clone()) else {
            return function.clone();
        };
        let mut known: BTreeMap<String, TokenStream> = BTreeMap::new();
        known.insert("cx".to_owned(), quote!(&mut s::Ink<'v>));
        for input in &parsed.sig.inputs {
            if let FnArg::Typed(input) = input
                && let Pat::Ident(name) = &*input.pat
            {
                known.insert(name.ident.to_string(), input.ty.to_token_stream());
            }
        }
        let generics = parsed.sig.generics.params.iter().map(|param| parse_quote!(#param));
        let generics = generics.collect();
        let whole = Whole {
            name: parsed.sig.ident.to_string(),
            size: size(&parsed.block.to_token_stream()),
            result: match &parsed.sig.output {
                ReturnType::Type(_, ty) => Some(ty.to_token_stream()),
                ReturnType::Default => None,
            },
        };
        let mut names = Bound::default();
        names.visit_block_mut(&mut parsed.block);
        names.all.extend(known.keys().cloned());
        // They are filled, and read where all is done.
        known.remove("out");
        if known.get("found").is_some_and(|ty| ty.to_string() != "& mut rt :: Option < i128 >") {
            known.remove("found");
        }
        let known = known.into_iter().map(|(name, ty)| (name, Some(ty))).collect();
        let mut pass = Pass {
            pieces: self,
            effort,
            known: vec![known],
            types,
            locals: &names.all,
            behind: Vec::new(),
            generics,
            whole,
            closures: 0,
        };
        pass.visit_block_mut(&mut parsed.block);
        parsed.into_token_stream()
    }

    /// All functions that were made.
    pub(super) fn functions(self) -> Vec<TokenStream> {
        self.made.code
    }
}

struct Pass<'a, 'm> {
    pieces: &'a mut Pieces<'m>,
    effort: Effort,
    /// Types of locals, as far as they are known, by scope.
    known: Vec<BTreeMap<String, Option<TokenStream>>>,
    types: &'a dyn Fn(&str) -> Option<TokenStream>,
    locals: &'a BTreeSet<String>,
    /// What follows the blocks around that will be none.
    behind: Vec<Behind>,
    /// Those of the function.
    generics: Vec<GenericParam>,
    whole: Whole,
    /// Closures around.
    closures: u32,
}

/// The function that is looked at.
struct Whole {
    name: String,
    /// How many tokens it has.
    size: usize,
    result: Option<TokenStream>,
}

/// What a piece is.
#[derive(Clone, Copy)]
enum Kind<'a> {
    /// Statements.
    Statements,
    /// A case, which makes a value of this type.
    Case(&'a TokenStream),
    /// One of few steps.
    SmallCase(&'a TokenStream),
    /// What is done in some layouts.
    Layout,
    /// What is done in a form.
    Form,
    /// Steps that find a number, of this type.
    Found(&'a TokenStream),
    /// Rows one behind the other: their values, and the types of those.
    Rows(&'a [Ident], &'a [TokenStream]),
}

impl VisitMut for Pass<'_, '_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if let Expr::Block(ExprBlock { label: Some(label), block, .. }) = expr
            && let Some((verb, record)) = case_of(&label.name.ident)
        {
            let small = is_small(&label.name.ident);
            let made = take_type(block).unwrap_or_else(|| quote!(()));
            let label = format!("{verb}__{record}");
            if small {
                let kind = Kind::SmallCase(&made);
                let call = match self.effort.takes_small_cases() {
                    true => self.piece(&label, block, &BTreeMap::new(), kind),
                    false => None,
                };
                let stmts = &block.stmts;
                *expr = call.unwrap_or_else(|| parse_quote!(s::small_case! { #(#stmts)* }));
                return;
            }
            if let Some(call) = self.piece(&label, block, &BTreeMap::new(), Kind::Case(&made)) {
                *expr = call;
                return;
            }
            // A function of its own, so that cases do not share one large stack frame.
            let mut apart: ExprClosure = parse_quote!(|| -> s::Straight<#made> #block);
            self.visit_expr_closure_mut(&mut apart);
            *expr = parse_quote!((#apart)());
            return;
        }
        if let Expr::Block(ExprBlock { label: None, block, .. }) = expr
            && let Some(ty) = found_type(block)
        {
            let label = format!("{}_number", self.whole.name);
            if let Some(call) = self.piece(&label, block, &BTreeMap::new(), Kind::Found(&ty)) {
                *expr = call;
                return;
            }
        }
        visit_mut::visit_expr_mut(self, expr);
    }

    fn visit_expr_match_mut(&mut self, choice: &mut syn::ExprMatch) {
        let (word, kind) = match &*choice.expr {
            Expr::Path(path) if path.path.is_ident("E") => ("layout", Kind::Layout),
            Expr::Path(path) if path.path.is_ident("form") && self.effort.takes_steps() => {
                ("form", Kind::Form)
            }
            _ => {
                visit_mut::visit_expr_match_mut(self, choice);
                return;
            }
        };
        for arm in &mut choice.arms {
            if let (Some(number), Expr::Block(body)) = (first_number(&arm.pat), &mut *arm.body) {
                let label = format!("{}_{word}_{number}", self.whole.name);
                let made = self.piece(&label, &mut body.block, &BTreeMap::new(), kind);
                if let Some(call) = made {
                    *arm.body = call;
                    continue;
                }
            }
            self.visit_arm_mut(arm);
        }
    }

    fn visit_arm_mut(&mut self, arm: &mut syn::Arm) {
        self.within(|pass| {
            pass.bind(&mut arm.pat);
            visit_mut::visit_arm_mut(pass, arm);
        });
    }

    fn visit_expr_if_mut(&mut self, test: &mut syn::ExprIf) {
        self.within(|pass| visit_mut::visit_expr_if_mut(pass, test));
    }

    fn visit_expr_let_mut(&mut self, test: &mut syn::ExprLet) {
        visit_mut::visit_expr_let_mut(self, test);
        self.bind(&mut test.pat);
    }

    fn visit_expr_for_loop_mut(&mut self, each: &mut syn::ExprForLoop) {
        self.within(|pass| {
            pass.bind(&mut each.pat);
            let told = told(&mut each.body);
            if let Some(scope) = pass.known.last_mut() {
                scope.extend(told.into_iter().map(|(name, ty)| (name, Some(ty))));
            }
            visit_mut::visit_expr_for_loop_mut(pass, each);
        });
    }

    fn visit_expr_closure_mut(&mut self, closure: &mut ExprClosure) {
        self.closures += 1;
        self.within(|pass| {
            for input in &mut closure.inputs {
                match input {
                    Pat::Type(typed) => pass.knows(&typed.pat, typed.ty.to_token_stream()),
                    input => pass.bind(input),
                }
            }
            visit_mut::visit_expr_closure_mut(pass, closure);
        });
        self.closures -= 1;
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        visit_mut::visit_local_mut(self, local);
        match type_of(local) {
            Some((pat, ty)) => self.knows(pat, ty),
            None => self.bind(&mut local.pat),
        }
    }

    fn visit_block_mut(&mut self, block: &mut Block) {
        let behind = core::mem::take(&mut self.behind);
        self.within(|pass| pass.visit_statements(block));
        self.behind = behind;
    }
}

impl Pass<'_, '_> {
    fn within(&mut self, visit: impl FnOnce(&mut Self)) {
        self.known.push(BTreeMap::new());
        visit(self);
        self.known.pop();
    }

    fn knows(&mut self, pat: &Pat, ty: TokenStream) {
        if let (Pat::Ident(name), Some(scope)) = (pat, self.known.last_mut()) {
            scope.insert(name.ident.to_string(), Some(ty));
        }
    }

    /// Notes that nothing is known of what a pattern binds, unless it has the name of a case.
    fn bind(&mut self, pat: &mut Pat) {
        let mut bound = Bound::default();
        bound.visit_pat_mut(pat);
        for name in bound.all {
            let ty = (self.types)(&name);
            if let Some(scope) = self.known.last_mut() {
                scope.insert(name, ty);
            }
        }
    }

    fn visit_statements(&mut self, block: &mut Block) {
        let mut statements = Vec::with_capacity(block.stmts.len());
        let mut rest = core::mem::take(&mut block.stmts).into_iter();
        let mut known = None;
        loop {
            if let Some(all) = self.rows(rest.as_slice()) {
                rest.by_ref().take(2 * effort::ROWS).for_each(drop);
                statements.push(all);
                continue;
            }
            let Some(mut statement) = rest.next() else { break };
            if let Some(label) = self.step(&statement) {
                let mut block: Block = parse_quote!({ #statement });
                let none = BTreeMap::new();
                let behind = Behind::of(&mut known, rest.as_slice());
                let made = self.statements_piece(&label, &mut block, &none, behind);
                if let Some(call) = made {
                    statements.push(parse_quote!(#call;));
                    continue;
                }
            }
            let Stmt::Expr(Expr::Block(ExprBlock { label: Some(label), block, .. }), _) =
                &mut statement
            else {
                self.visit_stmt_mut(&mut statement);
                statements.push(statement);
                continue;
            };
            if !is_piece(&label.name.ident) {
                self.visit_block_mut(block);
                statements.push(statement);
                continue;
            }
            let name = label.name.ident.to_string();
            let told = told(block);
            let behind = Behind::of(&mut known, rest.as_slice());
            let made = self.statements_piece(&name, block, &told, behind.clone());
            // It is known of what stands behind, too.
            if let Some(scope) = self.known.last_mut() {
                scope.extend(told.into_iter().map(|(name, ty)| (name, Some(ty))));
            }
            match made {
                Some(call) => statements.push(parse_quote!(#call;)),
                None => {
                    self.behind.push(behind);
                    self.visit_statements(block);
                    self.behind.pop();
                    statements.append(&mut block.stmts);
                }
            }
        }
        block.stmts = statements;
    }

    /// A call of the function that statements become. What they bind may be asked for behind them.
    fn statements_piece(
        &mut self,
        label: &str,
        block: &mut Block,
        told: &BTreeMap<String, TokenStream>,
        behind: Behind,
    ) -> Option<Expr> {
        self.behind.push(behind);
        let made = self.piece(label, block, told, Kind::Statements);
        self.behind.pop();
        made
    }

    /// What sets rows one behind the other, each of which is too little for a function.
    fn rows(&mut self, statements: &[Stmt]) -> Option<Stmt> {
        if !self.effort.takes_loops() {
            return None;
        }
        let few = self.effort.few(self.pieces.few);
        let rows = (0..effort::ROWS).map(|row| small_row(statements.get(2 * row..)?));
        let rows: Vec<Small> = rows.collect::<Option<_>>()?;
        if rows.iter().any(|row| row.size > few) {
            return None;
        }
        let values: Vec<Ident> = rows.iter().map(|row| row.value.clone()).collect();
        let types: Vec<TokenStream> = rows.iter().map(|row| row.ty.clone()).collect();
        let label = format!("{}_to_{}", rows.first()?.label, rows.last()?.row());
        let code = rows.iter().map(|row| &row.code);
        let mut block: Block = parse_quote!({ #(#code)* });
        let call = self.piece(&label, &mut block, &BTreeMap::new(), Kind::Rows(&values, &types))?;
        let known = values.iter().map(ToString::to_string).zip(types.into_iter().map(Some));
        if let Some(scope) = self.known.last_mut() {
            scope.extend(known);
        }
        Some(parse_quote!(let (#(#values),*) = #call;))
    }

    /// The label of a statement that is a step of its own where functions are too long: a comparison
    /// of a row, or a loop.
    fn step(&self, statement: &Stmt) -> Option<String> {
        if !self.effort.takes_steps() {
            return None;
        }
        match statement {
            Stmt::Expr(Expr::ForLoop(each), _) if self.effort.takes_loops() => {
                let words = words_of(&each.expr)?;
                Some(format!("{}_{words}", self.whole.name))
            }
            Stmt::Expr(Expr::Try(tried), Some(_)) => compared(&tried.expr),
            _ => None,
        }
    }

    /// Whether something else asks for what a block binds.
    fn is_asked_behind(&self, block: &mut Block) -> bool {
        let mut bound = Bound::default();
        for statement in &mut block.stmts {
            if let Stmt::Local(local) = statement {
                bound.visit_pat_mut(&mut local.pat);
            }
        }
        bound.all.retain(|name| name.contains("__"));
        self.behind.iter().any(|behind| behind.asks_for(&bound.all))
    }

    /// A call of the function that a block becomes.
    fn piece(
        &mut self,
        label: &str,
        block: &mut Block,
        told: &BTreeMap<String, TokenStream>,
        kind: Kind<'_>,
    ) -> Option<Expr> {
        let ends = matches!(kind, Kind::Statements);
        let usual = self.effort.few(self.pieces.few);
        let few = match kind {
            // A case that is none is a closure, which takes some lines, too.
            Kind::Case(_) | Kind::SmallCase(_) => usual / 2,
            Kind::Rows(..) => 0,
            Kind::Statements | Kind::Layout | Kind::Form | Kind::Found(_) => usual,
        };
        let short = if self.effort == Effort::Usual { self.pieces.short } else { 0 };
        let code = block.to_token_stream();
        let (own, whole) = (size(&code), self.whole.size);
        // Next to nothing would be left of a function that is hardly more than this.
        if whole <= short || own <= few || own + self.pieces.few / 2 > whole {
            return None;
        }
        let mut taken = Taken::new(self.locals);
        taken.visit_block_mut(block);
        // What is done in a layout may be all that the function does.
        let last = block.stmts.last();
        let returns = match kind {
            Kind::Layout if self.closures == 0 && last.is_some_and(is_return) => {
                self.whole.result.clone()
            }
            _ => None,
        };
        if taken.leaves || taken.returns && returns.is_none() || ends && self.is_asked_behind(block)
        {
            return None;
        }
        let mut assigned = Assigned::default();
        assigned.visit_block_mut(block);
        assigned.names.retain(|name| taken.free.contains(name));
        // What is declared outside, and not set there, is what the function gives.
        let mut given = assigned.names.iter().filter(|name| told.contains_key(*name));
        let (given, None) = (given.next().cloned(), given.next()) else { return None };
        let mut params = Vec::new();
        let mut lent = BTreeSet::new();
        for text in taken.free.iter().filter(|text| given.as_ref() != Some(*text)) {
            let known = || self.known.iter().rev().find_map(|scope| scope.get(text))?.clone();
            let ty = told.get(text).cloned().or_else(known)?;
            let name = format_ident!("{text}");
            let is_part = ty.to_string().starts_with("s :: Part");
            // What is found is added to, in whatever way.
            let is_lent = ty.to_string().starts_with("& mut");
            let changes = assigned.names.contains(text) || is_part || text == "found";
            let changes = changes && !is_lent;
            if changes || !is_copy(&ty) {
                lent.insert(text.clone());
            }
            params.push(match (changes, is_copy(&ty)) {
                (true, _) => (name.clone(), quote!(&mut #ty), quote!(&mut #name)),
                (false, true) => (name.clone(), ty, quote!(#name)),
                (false, false) => (name.clone(), quote!(&#ty), quote!(&#name)),
            });
        }
        // As elsewhere, what is read from and written to comes first.
        params.sort_by_key(|(name, ..)| (name != "cx", name != "arena"));
        let (params, arguments): (Vec<_>, Vec<_>) =
            params.into_iter().map(|(name, ty, argument)| (quote!(#name: #ty), argument)).unzip();
        let mut code: Block = syn::parse2(through(code, &lent)).ok()?;
        Reborrow { names: &lent }.visit_block_mut(&mut code);
        if let Kind::Found(_) = kind {
            code.stmts.pop();
        }
        if returns.is_some() {
            // What is returned at the end of a function is what it gives.
            let last = code.stmts.pop().map(|last| match last {
                Stmt::Expr(Expr::Return(ExprReturn { expr: Some(result), .. }), _) => {
                    Stmt::Expr(*result, None)
                }
                last => last,
            });
            code.stmts.extend(last);
        }
        let statements = &code.stmts;
        let straight = |result: &TokenStream| quote!(s::Straight<#result>);
        let (result, before, end) = match (&given, kind, &returns) {
            (Some(given), ..) => {
                let (name, ty) = (format_ident!("{given}"), &told[given]);
                (straight(ty), Some(quote!(let mut #name;)), Some(quote!(rt::Ok(#name))))
            }
            (None, Kind::Case(made) | Kind::SmallCase(made), _) => (straight(made), None, None),
            (None, Kind::Found(ty), _) => (straight(ty), None, Some(quote!(rt::Ok(found)))),
            (None, Kind::Rows(values, types), _) => {
                (straight(&quote!((#(#types),*))), None, Some(quote!(rt::Ok((#(#values),*)))))
            }
            (None, Kind::Layout, Some(result)) => (result.clone(), None, None),
            (None, Kind::Statements | Kind::Layout | Kind::Form, _) => {
                (straight(&quote!(())), None, Some(quote!(rt::Ok(()))))
            }
        };
        let signature = quote!((#(#params),*) -> #result);
        let (generics, argument) = self.generics_of(&quote!(#signature #code));
        let rest = quote!(#generics #signature { #before #(#statements)* #end });
        let key = (label.to_owned(), canonical(&rest));
        let name = match self.pieces.made.known.get(&key) {
            Some(name) => name.clone(),
            None => {
                let number = self.pieces.made.numbers.entry(label.to_owned()).or_default();
                *number += 1;
                let name = match *number {
                    1 => format_ident!("{label}"),
                    number => format_ident!("{label}_k{number}"),
                };
                self.pieces.made.known.insert(key, name.clone());
                let inline = match kind {
                    Kind::Statements | Kind::Form | Kind::Found(_) | Kind::Rows(..) => None,
                    // Without optimisation all of them would make one large stack frame.
                    Kind::SmallCase(_) => {
                        Some(quote!(#[cfg_attr(not(debug_assertions), inline(always))]))
                    }
                    // What stood in a large match was part of it.
                    Kind::Case(_) => Some(quote!(#[inline])),
                    // Of these, a function has one, and nothing else.
                    Kind::Layout => Some(quote!(#[inline(always)])),
                };
                let function = quote!(#inline fn #name #rest);
                let function = self.pieces.outline(function, self.types);
                self.pieces.made.code.push(function);
                name
            }
        };
        let call: Expr = parse_quote!(#name #argument(#(#arguments),*));
        Some(match given.map(|given| format_ident!("{given}")) {
            Some(given) => parse_quote!(#given = #call?),
            None => match (kind, returns) {
                (Kind::Statements | Kind::Found(_) | Kind::Rows(..), _) => parse_quote!(#call?),
                (Kind::Layout, Some(_)) => parse_quote!(return #call),
                (Kind::Layout, None) | (Kind::Form, _) => parse_quote!({ #call?; }),
                (Kind::Case(_) | Kind::SmallCase(_), _) => call,
            },
        })
    }

    /// The generics that some code needs, and those to call it with.
    fn generics_of(&self, code: &TokenStream) -> (Option<TokenStream>, Option<TokenStream>) {
        let mut names = BTreeMap::new();
        count_all(code, &mut names);
        let is_named = |name: &Ident| names.contains_key(&name.to_string());
        let mut params: Vec<&GenericParam> = Vec::new();
        let mut arguments = Vec::new();
        for param in &self.generics {
            match param {
                GenericParam::Type(of) if is_named(&of.ident) => arguments.push(&of.ident),
                GenericParam::Const(of) if is_named(&of.ident) => arguments.push(&of.ident),
                _ => continue,
            }
            params.push(param);
        }
        // Bounds of types have lifetimes.
        let bounds = quote!(#(#params),*);
        count_all(&bounds, &mut names);
        let is_named = |name: &Ident| names.contains_key(&name.to_string());
        let lifetimes = self.generics.iter().filter(
            |param| matches!(param, GenericParam::Lifetime(of) if is_named(&of.lifetime.ident)),
        );
        let all: Vec<&GenericParam> = lifetimes.chain(params).collect();
        (
            (!all.is_empty()).then(|| quote!(<#(#all),*>)),
            (!arguments.is_empty()).then(|| quote!(::<#(#arguments),*>)),
        )
    }
}

/// A row that is read in two statements: its value is declared, and set.
struct Small {
    label: String,
    value: Ident,
    ty: TokenStream,
    code: TokenStream,
    size: usize,
}

impl Small {
    /// The number of the row.
    fn row(&self) -> &str {
        self.label.rsplit('_').next().unwrap_or_default()
    }
}

/// The row that statements begin with.
fn small_row(statements: &[Stmt]) -> Option<Small> {
    let [Stmt::Local(local), Stmt::Expr(Expr::Block(read), _), ..] = statements else {
        return None;
    };
    let (Pat::Ident(name), None, Some(label)) = (&local.pat, &local.init, &read.label) else {
        return None;
    };
    let block = &read.block;
    let mut block: Block = parse_quote!(#block);
    let ty = told(&mut block).remove(&name.ident.to_string())?;
    let (stmts, value) = (&block.stmts, name.ident.clone());
    let code = quote!(let mut #value; #(#stmts)*);
    let label = label.name.ident.to_string();
    let size = size(&code);
    let is_value =
        value.to_string().starts_with("v__") && is_piece(&read.label.as_ref()?.name.ident);
    is_value.then_some(Small { label, value, ty, code, size })
}

/// The label of what compares the number of a row with something.
fn compared(expr: &Expr) -> Option<String> {
    let Expr::Call(call) = expr else { return None };
    let (true, Some(Expr::Binary(sum))) = (call.args.len() == 1, call.args.first()) else {
        return None;
    };
    let Expr::Path(number) = &*sum.left else { return None };
    let number = number.path.get_ident()?.to_string();
    let row = number.strip_prefix("n__").filter(|_| matches!(sum.op, syn::BinOp::Eq(_)))?;
    Some(format!("hold__{row}"))
}

fn is_return(statement: &Stmt) -> bool {
    matches!(statement, Stmt::Expr(Expr::Return(_), _))
}

/// The first number of a pattern of numbers.
fn first_number(pattern: &Pat) -> Option<String> {
    match pattern {
        Pat::Lit(ExprLit { lit: Lit::Int(number), .. }) => Some(number.base10_digits().to_owned()),
        Pat::Or(all) => all.cases.first().and_then(first_number),
        _ => None,
    }
}

/// Code in which locals have the numbers in which they are met, so that what differs in nothing else
/// is the same.
fn canonical(code: &TokenStream) -> String {
    fn add(code: &TokenStream, known: &mut BTreeMap<String, usize>, text: &mut String) {
        for token in code.clone() {
            match token {
                TokenTree::Group(group) => {
                    let (open, close) = match group.delimiter() {
                        proc_macro2::Delimiter::Parenthesis => ('(', ')'),
                        proc_macro2::Delimiter::Brace => ('{', '}'),
                        proc_macro2::Delimiter::Bracket => ('[', ']'),
                        proc_macro2::Delimiter::None => (' ', ' '),
                    };
                    text.push(open);
                    add(&group.stream(), known, text);
                    text.push(close);
                }
                TokenTree::Ident(ident) => {
                    let name = ident.to_string();
                    let kind = name.split_once("__").map(|(head, about)| {
                        (head.trim_end_matches(|c: char| c.is_ascii_digit()), head, about)
                    });
                    match kind {
                        Some((kind, head, about)) if kind.len() < head.len() => {
                            let next = known.len();
                            let number = *known.entry(name.clone()).or_insert(next);
                            *text += &format!("{kind}{number}__{about} ");
                        }
                        _ => *text += &format!("{name} "),
                    }
                }
                other => {
                    *text += &other.to_string();
                    text.push(' ');
                }
            }
        }
    }
    let (mut known, mut text) = (BTreeMap::new(), String::new());
    add(code, &mut known, &mut text);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{RecordId, RowId};

    /// What becomes of a function, and the functions that its pieces become.
    fn outlined(body: TokenStream) -> (String, Vec<String>) {
        let mut pieces = Pieces { model: None, short: 0, few: 6, made: Made::default() };
        let function = quote! {
            fn f<'v, const E: usize>(cx: &mut s::Ink<'v>, v: &'v V) -> s::Straight<()> { #body }
        };
        let types = |name: &str| (name == "c__4").then(|| quote!(&'v C));
        let function: ItemFn = syn::parse2(pieces.outline(function, &types)).expect("a function");
        let functions = pieces.functions().iter().map(ToString::to_string).collect();
        (function.block.to_token_stream().to_string(), functions)
    }

    /// The text of a body.
    fn text(code: TokenStream) -> String {
        let block: Block = parse_quote!({ #code });
        block.to_token_stream().to_string()
    }

    #[test]
    fn pieces_become_functions_of_what_they_take() {
        let (body, functions) = outlined(quote! {
            'put__3_1: { let a1__x = cx.here(); put(cx, v.x, a1__x)?; }
            'put__3_2: { cx.align(8); cx.align(E); }
            'tail__3_2: { put(v)?; }
        });
        let calls = quote!(put__3_1(cx, v)?; put__3_2::<E>(cx)?; put(v)?;);
        assert_eq!(body, text(calls));
        let [first, second] = &functions[..] else { panic!("{functions:?}") };
        let expected = quote! {
            fn put__3_1<'v>(cx: &mut s::Ink<'v>, v: &'v V) -> s::Straight<()> {
                let a1__x = cx.here(); put(cx, v.x, a1__x)?; rt::Ok(())
            }
        };
        assert_eq!(*first, expected.to_string());
        let expected = quote!(fn put__3_2<'v, const E: usize>).to_string();
        assert!(second.starts_with(&expected), "{second}");
    }

    #[test]
    fn pieces_that_do_the_same_are_one() {
        let (body, functions) = outlined(quote! {
            'put__3_1: { let a1__x = cx.here(); put(cx, a1__x)?; }
            'put__3_1: { let a2__x = cx.here(); put(cx, a2__x)?; }
            'put__3_1: { let a3__x = cx.here(); put(cx, a3__x + 1)?; }
        });
        assert_eq!(body, text(quote!(put__3_1(cx)?; put__3_1(cx)?; put__3_1_k2(cx)?;)));
        assert_eq!(functions.len(), 2);
    }

    #[test]
    fn pieces_stay_that_take_or_give_something_else() {
        let stay = quote! {
            let a = 1;
            for x in v.all.iter() {
                put(cx, a, 1)?;
                put(cx, x, 2)?;
                if x.last { continue; }
                return rt::Ok(());
            }
        };
        let (body, functions) = outlined(quote! {
            let a = 1;
            for x in v.all.iter() {
                'put__3_1: { put(cx, a, 1)?; }
                'put__3_2: { put(cx, x, 2)?; }
                'put__3_3: { if x.last { continue; } }
                'put__3_4: { return rt::Ok(()); }
            }
        });
        assert_eq!((body, functions.len()), (text(stay), 0));
        // What it binds is asked for behind it.
        let (body, functions) = outlined(quote!('put__3_1: { let a1__x = cx.here(); } f(a1__x);));
        assert_eq!((body, functions.len()), (text(quote!(let a1__x = cx.here(); f(a1__x);)), 0));
        // What is bound there hides what is around.
        let (body, _) = outlined(quote! {
            let x = 1;
            'put__3_1: { match v { V(x) if x > 1 => f(x), _ => g(v), } }
            'put__3_2: { if let V(x) = v { f(x); } else { g(x); } }
            'put__3_3: { f(matches!(v, V(x)))?; }
        });
        let kept = quote! {
            let x = 1;
            put__3_1(v)?;
            if let V(x) = v { f(x); } else { g(x); }
            f(matches!(v, V(x)))?;
        };
        assert_eq!(body, text(kept));
    }

    #[test]
    fn types_of_elements_are_told() {
        let (body, functions) = outlined(quote! {
            for (i1__x, e1__x) in v.all.iter().enumerate() {
                'one__4: { let e1__x: &'v C = e1__x; let i1__x: usize = i1__x; put(cx, e1__x)?; }
            }
        });
        let expected = quote! {
            for (i1__x, e1__x) in v.all.iter().enumerate() { one__4(cx, e1__x)?; }
        };
        assert_eq!(body, text(expected));
        let expected = quote! {
            fn one__4<'v>(cx: &mut s::Ink<'v>, e1__x: &'v C) -> s::Straight<()> {
                put(cx, e1__x)?; rt::Ok(())
            }
        };
        assert_eq!(functions, [expected.to_string()]);
        let (body, _) = outlined(quote!('one__4: {
            let a: &'v C = a;
            f(a);
        }));
        assert_eq!(body, text(quote!(f(a);)));
    }

    #[test]
    fn cases_have_functions_or_closures() {
        let (body, functions) = outlined(quote! {
            (match v {
                V::A(c__4) => 'case__4: { put(cx, c__4)?; rt::Ok(()) },
                V::B(c__5) => 'case__5: { put(cx, c__5)?; rt::Ok(()) },
            })?;
        });
        let expected = quote! {
            (match v {
                V::A(c__4) => one__4(cx, c__4),
                V::B(c__5) => (|| -> s::Straight<()> { put(cx, c__5)?; rt::Ok(()) })(),
            })?;
        };
        assert_eq!(body, text(expected));
        let expected = quote! {
            #[inline]
            fn one__4<'v>(cx: &mut s::Ink<'v>, c__4: &'v C) -> s::Straight<()> {
                put(cx, c__4)?; rt::Ok(())
            }
        };
        assert_eq!(functions, [expected.to_string()]);
    }

    #[test]
    fn cases_that_make_values_have_functions_or_closures() {
        let (body, functions) = outlined(quote! {
            let x: u32 = 1;
            let m = (match v {
                0 => 'arm__4: { let m: super::V; m = super::V(get(cx, x)?); rt::Ok(m) },
                1 => s::small_case! { let m; m = super::V(0); rt::Ok::<_, s::Odd>(m) },
                _ => 'arm__5: { let m: super::V; m = super::V(get(cx, unknown())?); return rt::Ok(m); },
            })?;
        });
        let expected = quote! {
            let x: u32 = 1;
            let m = (match v {
                0 => arm__4(cx, x),
                1 => s::small_case! { let m; m = super::V(0); rt::Ok::<_, s::Odd>(m) },
                _ => (|| -> s::Straight<super::V> {
                    let m; m = super::V(get(cx, unknown())?); return rt::Ok(m);
                })(),
            })?;
        };
        assert_eq!(body, text(expected));
        let expected = quote! {
            #[inline]
            fn arm__4<'v>(cx: &mut s::Ink<'v>, x: u32) -> s::Straight<super::V> {
                let m; m = super::V(get(cx, x)?); rt::Ok(m)
            }
        };
        assert_eq!(functions, [expected.to_string()]);
    }

    #[test]
    fn what_finds_a_number_is_a_function() {
        let (body, functions) = outlined(quote! {
            let n = {
                let mut found = rt::Some(0_i128);
                for x in v.all.iter() { found = s::add(found, rt::Some(x.n))?; }
                found
            };
            let m = { let mut found: rt::Option<i128> = rt::None; f(&mut found, v); found };
            put(cx, n, m)?;
        });
        let expected = quote! {
            let n = f_number(v)?;
            let m = { let mut found: rt::Option<i128> = rt::None; f(&mut found, v); found };
            put(cx, n, m)?;
        };
        assert_eq!(body, text(expected));
        let expected = quote! {
            fn f_number<'v>(v: &'v V) -> s::Straight<rt::Option<i128> > {
                let mut found = rt::Some(0_i128);
                for x in v.all.iter() { found = s::add(found, rt::Some(x.n))?; }
                rt::Ok(found)
            }
        };
        assert_eq!(functions, [expected.to_string()]);
    }

    #[test]
    fn what_adds_to_a_number_is_lent_it() {
        let (body, functions) = outlined(quote! {
            let mut found = rt::Some(0_i128);
            for x in v.all.iter() {
                match &x.a { V::A(c__4) => { 'find__4: { found = s::add(found, c__4.n)?; } } _ => {} }
                match &x.b { V::A(c__4) => { 'find__4: { found = s::add(found, c__4.n)?; } } _ => {} }
            }
            let any = 'all: {
                match &v.a { V::A(c__4) => { 'find__4: { if c__4.b { break 'all rt::Some(true); } } } _ => {} }
                rt::Some(false)
            };
        });
        let expected = quote! {
            let mut found = rt::Some(0_i128);
            for x in v.all.iter() {
                match &x.a { V::A(c__4) => { find__4(c__4, &mut found)?; } _ => {} }
                match &x.b { V::A(c__4) => { find__4(c__4, &mut found)?; } _ => {} }
            }
            let any = 'all: {
                match &v.a { V::A(c__4) => { if c__4.b { break 'all rt::Some(true); } } _ => {} }
                rt::Some(false)
            };
        };
        assert_eq!(body, text(expected));
        let expected = quote! {
            fn find__4<'v>(c__4: &'v C, found: &mut rt::Option<i128>) -> s::Straight<()> {
                (*found) = s::add((*found), c__4.n)?;
                rt::Ok(())
            }
        };
        assert_eq!(functions, [expected.to_string()]);
    }

    /// With more effort, small cases and rules are functions, and rows that are too little for one.
    #[test]
    fn long_functions_are_cut_with_more_effort() {
        let mut pieces = Pieces { model: None, short: 0, few: 24, made: Made::default() };
        let row = |row: u32| {
            let (value, label) =
                (format_ident!("v__3_{row}"), piece("read", RecordId(3), RowId(row)));
            quote!(let mut #value; #label: { let #value: u8 = #value; #value = f(b)?; })
        };
        let rows = (0..).take(effort::ROWS).map(row);
        let function = quote! {
            fn f(cx: &mut s::Ink<'v>, b: u8) -> s::Straight<()> {
                let n__3_9: i128 = i128::from(b);
                s::holds(n__3_9 == i128::from(b) + i128::from(b))?;
                #(#rows)*
                let x = match b { 1 => 'small__4: { let m: u8; m = g(b)?; rt::Ok::<_, s::Odd>(m) }, _ => h() }?;
                done(v__3_0, v__3_1, x)
            }
        };
        let made = pieces.outlined(&function, &|_| None, Effort::Loops).to_string();
        let names: Vec<String> = pieces.functions().iter().map(ToString::to_string).collect();
        for name in ["hold__3_9", "read__3_0_to_5", "arm__4"] {
            assert!(made.contains(&format!("{name} (")), "{made}");
            assert!(names.iter().any(|text| text.contains(&format!("fn {name} ("))), "{names:?}");
        }
    }

    #[test]
    fn layouts_have_functions() {
        let (body, functions) = outlined(quote! {
            let o = cx.here();
            match E {
                0 | 1 => { put(cx, v.x, o)?; let a = v.y; put(cx, a, o)?; }
                2 => { put(cx, v.x, o)?; return rt::Ok(()); }
                3 => { if v.w { return rt::Ok(()); } put(cx, v.x, o)?; }
                _ => return rt::Err(s::Odd),
            }
            let last = |cx: &mut s::Ink<'v>| -> s::Straight<()> {
                match E { 0 => { put(cx, v.z, o)?; return rt::Ok(()); } _ => {} }
                rt::Ok(())
            };
        });
        let expected = quote! {
            let o = cx.here();
            match E {
                0 | 1 => { f_layout_0(cx, o, v)?; }
                2 => return f_layout_2(cx, o, v),
                3 => { if v.w { return rt::Ok(()); } put(cx, v.x, o)?; }
                _ => return rt::Err(s::Odd),
            }
            let last = |cx: &mut s::Ink<'v>| -> s::Straight<()> {
                match E { 0 => { put(cx, v.z, o)?; return rt::Ok(()); } _ => {} }
                rt::Ok(())
            };
        };
        assert_eq!(body, text(expected));
        let [first, second] = &functions[..] else { panic!("{functions:?}") };
        let head = quote!((cx: &mut s::Ink<'v>, o: s::Spot, v: &'v V) -> s::Straight<()>);
        let expected = quote! {
            #[inline(always)]
            fn f_layout_0<'v> #head {
                put(cx, v.x, o)?; let a = v.y; put(cx, a, o)?; rt::Ok(())
            }
        };
        assert_eq!(*first, expected.to_string());
        let expected =
            quote!(#[inline(always)] fn f_layout_2<'v> #head { put(cx, v.x, o)?; rt::Ok(()) });
        assert_eq!(*second, expected.to_string());
    }
}
