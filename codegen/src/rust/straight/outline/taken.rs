//! What a piece of code takes from around it, and does to it.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{BinOp, Block, Expr, ExprClosure, Pat};

/// All names that patterns bind.
#[derive(Default)]
pub(super) struct Bound {
    pub all: BTreeSet<String>,
}

impl VisitMut for Bound {
    fn visit_pat_ident_mut(&mut self, pat: &mut syn::PatIdent) {
        self.all.insert(pat.ident.to_string());
        visit_mut::visit_pat_ident_mut(self, pat);
    }
}

/// What a block takes from around it.
pub(super) struct Taken<'a> {
    /// All locals of the function.
    locals: &'a BTreeSet<String>,
    /// What is bound in it, by scope.
    scopes: Vec<BTreeSet<String>>,
    pub free: BTreeSet<String>,
    /// Labels of blocks and loops around.
    labels: Vec<Ident>,
    /// Loops and closures around.
    loops: u32,
    closures: u32,
    /// Whether it goes on elsewhere in the function than behind itself.
    pub leaves: bool,
    /// Whether it returns something else than an error.
    pub returns: bool,
}

impl<'a> Taken<'a> {
    pub fn new(locals: &'a BTreeSet<String>) -> Taken<'a> {
        Taken {
            locals,
            scopes: vec![BTreeSet::new()],
            free: BTreeSet::new(),
            labels: Vec::new(),
            loops: 0,
            closures: 0,
            leaves: false,
            returns: false,
        }
    }

    fn bind(&mut self, pat: &mut Pat) {
        let mut bound = Bound::default();
        bound.visit_pat_mut(pat);
        if let Some(scope) = self.scopes.last_mut() {
            scope.append(&mut bound.all);
        }
    }

    fn within(&mut self, visit: impl FnOnce(&mut Self)) {
        self.scopes.push(BTreeSet::new());
        visit(self);
        self.scopes.pop();
    }

    fn labelled(&mut self, label: Option<Ident>, visit: impl FnOnce(&mut Self)) {
        let known = self.labels.len();
        self.labels.extend(label);
        visit(self);
        self.labels.truncate(known);
    }

    fn in_loop(&mut self, label: Option<Ident>, visit: impl FnOnce(&mut Self)) {
        self.loops += 1;
        self.labelled(label, visit);
        self.loops -= 1;
    }

    fn uses(&mut self, name: &str) {
        let bound = self.scopes.iter().any(|scope| scope.contains(name));
        if !bound && self.locals.contains(name) {
            self.free.insert(name.to_owned());
        }
    }

    fn uses_all(&mut self, tokens: &TokenStream) {
        for token in tokens.clone() {
            match token {
                TokenTree::Ident(ident) => self.uses(&ident.to_string()),
                TokenTree::Group(group) => self.uses_all(&group.stream()),
                _ => {}
            }
        }
    }
}

impl VisitMut for Taken<'_> {
    fn visit_block_mut(&mut self, block: &mut Block) {
        self.within(|taken| visit_mut::visit_block_mut(taken, block));
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        if let Some(init) = &mut local.init {
            self.visit_local_init_mut(init);
        }
        self.bind(&mut local.pat);
    }

    fn visit_expr_let_mut(&mut self, test: &mut syn::ExprLet) {
        self.visit_expr_mut(&mut test.expr);
        self.bind(&mut test.pat);
    }

    fn visit_expr_if_mut(&mut self, test: &mut syn::ExprIf) {
        self.within(|taken| {
            taken.visit_expr_mut(&mut test.cond);
            taken.visit_block_mut(&mut test.then_branch);
        });
        if let Some((_, other)) = &mut test.else_branch {
            self.visit_expr_mut(other);
        }
    }

    fn visit_arm_mut(&mut self, arm: &mut syn::Arm) {
        self.within(|taken| {
            taken.bind(&mut arm.pat);
            visit_mut::visit_arm_mut(taken, arm);
        });
    }

    fn visit_expr_for_loop_mut(&mut self, each: &mut syn::ExprForLoop) {
        self.visit_expr_mut(&mut each.expr);
        self.in_loop(ident_of(&each.label), |taken| {
            taken.within(|taken| {
                taken.bind(&mut each.pat);
                taken.visit_block_mut(&mut each.body);
            });
        });
    }

    fn visit_expr_while_mut(&mut self, test: &mut syn::ExprWhile) {
        self.in_loop(ident_of(&test.label), |taken| {
            taken.within(|taken| {
                taken.visit_expr_mut(&mut test.cond);
                taken.visit_block_mut(&mut test.body);
            });
        });
    }

    fn visit_expr_loop_mut(&mut self, each: &mut syn::ExprLoop) {
        self.in_loop(ident_of(&each.label), |taken| taken.visit_block_mut(&mut each.body));
    }

    fn visit_expr_block_mut(&mut self, of: &mut syn::ExprBlock) {
        self.labelled(ident_of(&of.label), |taken| visit_mut::visit_expr_block_mut(taken, of));
    }

    fn visit_expr_closure_mut(&mut self, closure: &mut ExprClosure) {
        let loops = core::mem::take(&mut self.loops);
        self.closures += 1;
        self.within(|taken| {
            closure.inputs.iter_mut().for_each(|input| taken.bind(input));
            taken.visit_expr_mut(&mut closure.body);
        });
        self.closures -= 1;
        self.loops = loops;
    }

    fn visit_expr_return_mut(&mut self, back: &mut syn::ExprReturn) {
        // An error is one wherever it is returned.
        let error = |expr: &Expr| matches!(expr, Expr::Call(call) if is_err(&call.func));
        self.returns |= self.closures == 0 && !back.expr.as_deref().is_some_and(error);
        visit_mut::visit_expr_return_mut(self, back);
    }

    fn visit_expr_break_mut(&mut self, stop: &mut syn::ExprBreak) {
        self.leaves |= match &stop.label {
            Some(label) => !self.labels.contains(&label.ident),
            None => self.loops == 0,
        };
        visit_mut::visit_expr_break_mut(self, stop);
    }

    fn visit_expr_continue_mut(&mut self, next: &mut syn::ExprContinue) {
        self.leaves |= self.loops == 0 || next.label.is_some();
    }

    fn visit_expr_path_mut(&mut self, path: &mut syn::ExprPath) {
        if let Some(name) = path.path.get_ident() {
            self.uses(&name.to_string());
        }
    }

    fn visit_macro_mut(&mut self, call: &mut syn::Macro) {
        let tokens = &call.tokens;
        // A small case is like a closure.
        match syn::parse2::<Block>(quote!({ #tokens })) {
            Ok(mut block) => {
                self.closures += 1;
                self.visit_block_mut(&mut block);
                self.closures -= 1;
            }
            Err(_) => self.uses_all(tokens),
        }
    }

    fn visit_field_value_mut(&mut self, field: &mut syn::FieldValue) {
        self.visit_expr_mut(&mut field.expr);
    }
}

fn ident_of(label: &Option<syn::Label>) -> Option<Ident> {
    label.as_ref().map(|label| label.name.ident.clone())
}

fn is_err(function: &Expr) -> bool {
    matches!(function, Expr::Path(path)
        if path.path.segments.last().is_some_and(|last| last.ident == "Err"))
}

/// The names that code gives other values, or lends to what may.
#[derive(Default)]
pub(super) struct Assigned {
    pub names: BTreeSet<String>,
}

impl VisitMut for Assigned {
    fn visit_expr_assign_mut(&mut self, assign: &mut syn::ExprAssign) {
        if let Expr::Path(path) = &*assign.left
            && let Some(name) = path.path.get_ident()
        {
            self.names.insert(name.to_string());
        }
        visit_mut::visit_expr_assign_mut(self, assign);
    }

    fn visit_expr_reference_mut(&mut self, of: &mut syn::ExprReference) {
        if let (Some(_), Expr::Path(path)) = (&of.mutability, &*of.expr)
            && let Some(name) = path.path.get_ident()
        {
            self.names.insert(name.to_string());
        }
        visit_mut::visit_expr_reference_mut(self, of);
    }

    fn visit_expr_binary_mut(&mut self, sum: &mut syn::ExprBinary) {
        // Of `a += 1`, `a`; others do no harm.
        if let Expr::Path(path) = &*sum.left
            && let Some(name) = path.path.get_ident()
            && sum.op.to_token_stream().to_string().ends_with('=')
            && !is_comparison(&sum.op)
        {
            self.names.insert(name.to_string());
        }
        visit_mut::visit_expr_binary_mut(self, sum);
    }
}

fn is_comparison(op: &BinOp) -> bool {
    matches!(op, BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Le(_) | BinOp::Ge(_))
}
