//! Constants: conditions over the context, and values that a schema states.

use super::epochs::Named;
use super::{Bound, Cx, Expr, ExprId, RecordId, ScopeId, ScopeParam};
use crate::model::{self, BinaryOp, Constant, UnaryOp};
use crate::syntax::ast::DeclBody;
use crate::syntax::expr::{Ex, ExKind, PathEx, StepEx};

/// Most operands inside of operands of a constant.
const NESTING: u32 = 256;

/// A value of a constant expression.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Plain {
    Int(i128),
    Bool(bool),
    Text(String),
}

impl<'t> Cx<'t> {
    /// The value of an expression over the context; `None` if it needs anything else.
    pub(super) fn eval(
        &self,
        scope: ScopeId,
        record: Option<RecordId>,
        ex: &Ex,
        sample: &[i128],
        depth: u32,
    ) -> Option<Plain> {
        if depth > 200 {
            return None;
        }
        let go = |ex: &Ex| self.eval(scope, record, ex, sample, depth + 1);
        let number = |ex: &Ex| match go(ex)? {
            Plain::Int(n) => Some(n),
            _ => None,
        };
        let truth = |ex: &Ex| match go(ex)? {
            Plain::Bool(b) => Some(b),
            _ => None,
        };
        Some(match &ex.kind {
            ExKind::Int(n) => Plain::Int(*n),
            ExKind::Bool(b) => Plain::Bool(*b),
            ExKind::Text(t) => Plain::Text(t.clone()),
            ExKind::Float(_) | ExKind::Call { .. } | ExKind::Is(..) | ExKind::List(_) => {
                return None;
            }
            ExKind::Path(path) => self.eval_path(scope, record, path, sample, depth)?,
            ExKind::Unary(UnaryOp::Not, a) => Plain::Bool(!truth(a)?),
            ExKind::Unary(UnaryOp::Negate, a) => Plain::Int(number(a)?.checked_neg()?),
            ExKind::Unary(UnaryOp::Complement, a) => Plain::Int(!number(a)?),
            ExKind::Binary(BinaryOp::BothTrue, a, b) => Plain::Bool(truth(a)? && truth(b)?),
            ExKind::Binary(BinaryOp::EitherTrue, a, b) => Plain::Bool(truth(a)? || truth(b)?),
            ExKind::Binary(op @ (BinaryOp::Equal | BinaryOp::NotEqual), a, b) => {
                let (a, b) = (go(a)?, go(b)?);
                if std::mem::discriminant(&a) != std::mem::discriminant(&b) {
                    return None;
                }
                Plain::Bool((a == b) == (*op == BinaryOp::Equal))
            }
            ExKind::Binary(op, a, b) => {
                let (a, b) = (number(a)?, number(b)?);
                match op.holds(a.cmp(&b)) {
                    Some(holds) => Plain::Bool(holds),
                    None => Plain::Int(op.apply(a, b)?),
                }
            }
            ExKind::If(c, a, b) => go(if truth(c)? { a } else { b })?,
            ExKind::Coalesce(a, _) => go(a)?,
            ExKind::In(a, list) => {
                let a = number(a)?;
                for (from, to) in list {
                    let from = number(from)?;
                    let to = match to {
                        Some(to) => number(to)?,
                        None => from,
                    };
                    if (from..=to).contains(&a) {
                        return Some(Plain::Bool(true));
                    }
                }
                Plain::Bool(false)
            }
        })
    }

    fn eval_path(
        &self,
        scope: ScopeId,
        record: Option<RecordId>,
        path: &PathEx,
        sample: &[i128],
        depth: u32,
    ) -> Option<Plain> {
        if !path.steps.is_empty() {
            return self.enum_member_path(scope, path).map(Plain::Int);
        }
        let head = path.head.value.as_str();
        if let Some(bound) = self.bound_to(record, head) {
            return match bound {
                Bound::Const(expr, _) => plain(&self.exprs[*expr]),
                _ => None,
            };
        }
        match self.named_context(scope, record, path) {
            Some(Named::Epoch(var)) => {
                let is_truth = self.epochs.vars[var].is_truth();
                let number = sample.get(var).copied();
                return number.map(|n| if is_truth { Plain::Bool(n != 0) } else { Plain::Int(n) });
            }
            Some(Named::Let(ex)) => return self.eval(scope, None, ex, sample, depth + 20),
            None => {}
        }
        let here = self.scope(scope);
        if let Some((_, param)) = here.params.iter().find(|p| p.0 == head) {
            return match param {
                ScopeParam::Const(expr, _) => plain(&self.exprs[*expr]),
                ScopeParam::Type(..) => None,
            };
        }
        let members = self.epochs.vars.iter().flat_map(|v| &v.members);
        members.into_iter().find(|m| m.0 == head).map(|m| Plain::Int(m.1))
    }

    /// What a parameter of a record, or of one around it, is bound to.
    pub(super) fn bound_to(&self, record: Option<RecordId>, name: &str) -> Option<&Bound> {
        let mut at = record;
        while let Some(id) = at {
            let rec = self.rec(id);
            if let Some((_, bound)) = rec.params.iter().find(|p| p.0 == name) {
                return Some(bound);
            }
            at = rec.outer;
        }
        None
    }

    /// The epoch variable or `let` of the top level that a path names.
    pub(super) fn named_context(
        &self,
        scope: ScopeId,
        record: Option<RecordId>,
        path: &PathEx,
    ) -> Option<Named<'t>> {
        let head = path.head.value.as_str();
        if !path.steps.is_empty() || self.bound_to(record, head).is_some() {
            return None;
        }
        if let Some(var) = self.var(head).filter(|_| scope == self.main) {
            return Some(Named::Epoch(var));
        }
        let decl = self.scope(scope).tree.lets.iter().find(|decl| decl.name.value == head)?;
        Some(Named::Let(&decl.ex))
    }

    /// The number of `Enum.member` or `import.Enum.member`.
    pub(super) fn enum_member_path(&self, scope: ScopeId, path: &PathEx) -> Option<i128> {
        let mut names = vec![path.head.value.as_str()];
        for step in &path.steps {
            match step {
                StepEx::Field(name) => names.push(&name.value),
                _ => return None,
            }
        }
        let member = names.pop()?;
        let found = self.lookup(scope, &names.join("."));
        let super::imports::Found::Decl(at, index) = found.first()? else { return None };
        match &self.decl(*at, *index).body {
            DeclBody::Enum { members, .. } => {
                members.iter().find(|m| m.name.value == member).map(|m| m.number)
            }
            _ => None,
        }
    }

    /// The value of a resolved expression that depends on nothing.
    pub(super) fn constant(&self, expr: ExprId) -> Option<Constant> {
        Some(match &self.exprs[expr] {
            Expr::Float(f) => Constant::Float(f.to_bits()),
            Expr::Bool(b) => Constant::Bool(*b),
            Expr::Text(t) => Constant::Text(t.clone()),
            Expr::Bytes(b) => Constant::Bytes(b.clone()),
            _ => match self.exprs.fold(expr, NESTING, &|_, _| None) {
                Some(model::Plain::Int(n)) => Constant::Int(n),
                Some(model::Plain::Bool(b)) => Constant::Bool(b),
                None => Constant::Float(self.float(expr, NESTING)?.to_bits()),
            },
        })
    }

    /// The float that an expression always is; nothing of what is no arithmetic of floats.
    fn float(&self, expr: ExprId, nesting: u32) -> Option<f64> {
        let nesting = nesting.checked_sub(1)?;
        let number = |id: ExprId| match self.exprs.constant(id) {
            #[allow(clippy::cast_precision_loss, reason = "as the engine does it")]
            Some(n) => Some(n as f64),
            None => self.float(id, nesting),
        };
        Some(match &self.exprs[expr] {
            Expr::Float(f) => *f,
            Expr::Unary(UnaryOp::Negate, a) => -self.float(*a, nesting)?,
            Expr::Binary(op, a, b) => {
                let (a, b) = (number(*a)?, number(*b)?);
                match op {
                    BinaryOp::Add => a + b,
                    BinaryOp::Subtract => a - b,
                    BinaryOp::Multiply => a * b,
                    BinaryOp::Divide => a / b,
                    _ => return None,
                }
            }
            Expr::If(condition, a, b) => {
                let condition = self.exprs.fold(*condition, nesting, &|_, _| None)?.truth()?;
                self.float(if condition { *a } else { *b }, nesting)?
            }
            _ => return None,
        })
    }
}

fn plain(expr: &Expr) -> Option<Plain> {
    Some(match expr {
        Expr::Int(n) => Plain::Int(*n),
        Expr::Bool(b) => Plain::Bool(*b),
        Expr::Text(t) => Plain::Text(t.clone()),
        _ => return None,
    })
}
