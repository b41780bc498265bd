//! What rows of a form say that follow from its values, before any of them is built.

use super::forms::count;
use super::source::Given;
use super::val::{numbers, unary, Val};
use crate::model::{
    BinaryOp, Constant, Expr, ExprId, Model, Path, RecordId, Role, RowId, RowKind, Start,
    StreamFunction,
};

/// Operands of operands are followed so far.
const MAX_DEPTH: u32 = 64;

/// The values of the fields of a form, by name.
pub(super) struct Foreseen<'a, 'v> {
    pub model: &'a Model,
    pub record: RecordId,
    /// The numbers of the epoch.
    pub context: &'a [i128],
    pub value: &'a dyn Fn(&str) -> Option<Given<'v>>,
}

impl Foreseen<'_, '_> {
    /// An integer or truth value, if it follows from numbers of the form alone.
    pub(super) fn eval(&self, expr: ExprId, it: Option<Val>) -> Option<Val> {
        self.eval_at(expr, it, 0)
    }

    fn eval_at(&self, expr: ExprId, it: Option<Val>, depth: u32) -> Option<Val> {
        if depth > MAX_DEPTH {
            return None;
        }
        let eval = |expr: ExprId| self.eval_at(expr, it, depth + 1);
        let truth = |expr: ExprId| match eval(expr)? {
            Val::Bool(holds) => Some(holds),
            _ => None,
        };
        Some(match &self.model[expr] {
            Expr::Int(n) => Val::Int(*n),
            Expr::Bool(b) => Val::Bool(*b),
            Expr::Epoch(variable) => Val::Int(*self.context.get(*variable as usize)?),
            Expr::Path(Path { start: Start::It, steps, .. }) if steps.is_empty() => it?,
            Expr::Path(path) => self.row(path.own_row(self.record)?, depth)?,
            Expr::Unary(op, a) => unary(*op, eval(*a)?).ok()?,
            Expr::Binary(BinaryOp::BothTrue, a, b) => Val::Bool(truth(*a)? && truth(*b)?),
            Expr::Binary(BinaryOp::EitherTrue, a, b) => Val::Bool(truth(*a)? || truth(*b)?),
            Expr::Binary(op, a, b) => match (eval(*a)?, eval(*b)?) {
                (Val::Int(a), Val::Int(b)) => numbers(*op, a, b)?,
                _ => return None,
            },
            Expr::If(condition, a, b) => eval(if truth(*condition)? { *a } else { *b })?,
            Expr::In(a, ranges) => {
                let Val::Int(a) = eval(*a)? else { return None };
                let mut hit = false;
                for (low, high) in ranges {
                    let (Val::Int(low), Val::Int(high)) =
                        (eval(*low)?, eval(high.unwrap_or(*low))?)
                    else {
                        return None;
                    };
                    hit |= (low..=high).contains(&a);
                }
                Val::Bool(hit)
            }
            Expr::Stream(StreamFunction::Count, source, None) => {
                let Expr::Path(path) = &self.model[*source] else { return None };
                let row = path.own_row(self.record)?;
                let row = &self.model.records[self.record.index()].rows[row.index()];
                let value = (self.value)(row.name.as_deref()?)?;
                Val::Int(count(&row.ty, &value)?.into())
            }
            _ => return None,
        })
    }

    fn row(&self, id: RowId, depth: u32) -> Option<Val> {
        let row = &self.model.records[self.record.index()].rows[id.index()];
        match (&row.kind, &row.role) {
            (RowKind::Constant(Constant::Int(n)), _) => Some(Val::Int(*n)),
            (_, Role::Derived) => self.eval_at(row.equation()?, None, depth + 1),
            _ => val((self.value)(row.name.as_deref()?)?),
        }
    }
}

/// An integer or truth value of a field.
pub(super) fn val(value: Given<'_>) -> Option<Val> {
    match value {
        Given::Int(n) => Some(Val::Int(n)),
        Given::Bool(b) => Some(Val::Bool(b)),
        _ => None,
    }
}
