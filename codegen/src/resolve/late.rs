//! Arguments once all structs are known. Where a type is met, nobody knows yet whom its owner
//! stands in, and which lists of arguments a struct around may have.

use std::collections::HashMap;
use std::fmt::Debug;

use super::{Cx, Env, Expr, ScopeId, Shape};
use crate::model::{ExprId, Path, RecordId, Start, Step};
use crate::syntax::expr::Ex;

/// An argument as it was written, and what it is so far.
#[derive(Debug, Clone)]
pub(super) struct Late<'t> {
    pub scope: ScopeId,
    pub record: Option<RecordId>,
    pub it: Option<Shape>,
    pub ex: &'t Ex,
    pub expr: ExprId,
}

impl<'t> Cx<'t> {
    /// Resolves arguments again, with all that is known now.
    pub(super) fn late_arguments(&mut self) {
        let mut found: HashMap<ExprId, ExprId> = HashMap::new();
        let list = self.late.clone();
        for late in &list {
            let env = Env { it: late.it.clone(), ..self.env(late.scope, late.record) };
            let Some(val) = self.expr(&env, late.ex) else { continue };
            let expr = match found.get(&late.expr) {
                None => Some(val.expr),
                Some(&other) => self.joined(other, val.expr),
            };
            match expr {
                Some(expr) => {
                    found.insert(late.expr, expr);
                }
                None => {
                    self.d
                        .error("E0220", late.ex.span, "the argument is reached in several ways")
                        .help("give it a name of its own: `let NAME \"...\"`, and `NAME` here");
                }
            }
        }
        for late in &mut self.late {
            late.expr = found.get(&late.expr).copied().unwrap_or(late.expr);
        }
        for rec in &mut self.records {
            for argument in &mut rec.arguments {
                *argument = found.get(argument).copied().unwrap_or(*argument);
            }
        }
    }

    /// What several structs give by the same words, and each finds in its own place.
    fn joined(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        if a == b {
            return Some(a);
        }
        let expr = match (self.exprs[a].clone(), self.exprs[b].clone()) {
            (Expr::Path(a), Expr::Path(b)) => Expr::Path(joined_path(a, b)?),
            (Expr::Is(a, case), Expr::Is(b, other)) if case == other => {
                Expr::Is(joined_path(a, b)?, case)
            }
            (Expr::At(a), Expr::At(b)) => Expr::At(joined_path(a, b)?),
            (Expr::End(a), Expr::End(b)) => Expr::End(joined_path(a, b)?),
            (Expr::Size(a), Expr::Size(b)) => Expr::Size(joined_path(a, b)?),
            (Expr::Index(a), Expr::Index(b)) => Expr::Index(joined_path(a, b)?),
            (Expr::IsLast(a), Expr::IsLast(b)) => Expr::IsLast(joined_path(a, b)?),
            (Expr::Unary(op, a), Expr::Unary(other, b)) if op == other => {
                Expr::Unary(op, self.joined(a, b)?)
            }
            (Expr::Binary(op, a, c), Expr::Binary(other, b, d)) if op == other => {
                Expr::Binary(op, self.joined(a, b)?, self.joined(c, d)?)
            }
            (Expr::Coalesce(a, c), Expr::Coalesce(b, d)) => {
                Expr::Coalesce(self.joined(a, b)?, self.joined(c, d)?)
            }
            (Expr::If(a, c, e), Expr::If(b, d, f)) => {
                Expr::If(self.joined(a, b)?, self.joined(c, d)?, self.joined(e, f)?)
            }
            (Expr::Call(function, a), Expr::Call(other, b))
                if function == other && a.len() == b.len() =>
            {
                let pairs = a.into_iter().zip(b);
                let args: Option<Vec<_>> = pairs.map(|(a, b)| self.joined(a, b)).collect();
                Expr::Call(function, args?)
            }
            (Expr::Stream(function, a, None), Expr::Stream(other, b, None))
                if function == other =>
            {
                Expr::Stream(function, self.joined(a, b)?, None)
            }
            _ => return None,
        };
        Some(self.exprs.add(expr))
    }
}

/// A path that goes either way, by the record that it is in.
fn joined_path(mut a: Path, b: Path) -> Option<Path> {
    match (&mut a.start, b.start) {
        (Start::Enclosing(known), Start::Enclosing(more)) => join(known, more),
        (one, other) if same(one, &other) => {}
        _ => return None,
    }
    if a.steps.len() != b.steps.len() {
        return None;
    }
    for (one, other) in a.steps.iter_mut().zip(b.steps) {
        match (one, other) {
            (Step::Field(known), Step::Field(more)) => join(&mut known.members, more.members),
            (one, other) if same(one, &other) => {}
            _ => return None,
        }
    }
    Some(a)
}

/// Whether two parts of paths print alike.
fn same(a: &impl Debug, b: &impl Debug) -> bool {
    format!("{a:?}") == format!("{b:?}")
}

fn join<T: PartialEq>(list: &mut Vec<T>, more: Vec<T>) {
    for one in more {
        if !list.contains(&one) {
            list.push(one);
        }
    }
}
