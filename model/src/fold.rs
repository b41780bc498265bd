//! What expressions say before there is a file.

#![deny(clippy::arithmetic_side_effects)]

use super::{BinaryOp, Expr, ExprId, Exprs, UnaryOp};

/// Most operands inside of operands of a constant.
const NESTING: u32 = 256;

/// What an expression is, if that is a number or a truth value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it all")]
pub enum Plain {
    Int(i128),
    Bool(bool),
}

impl Exprs {
    /// The number that an expression always is; `None` if it depends on anything or overflows.
    #[must_use]
    pub fn constant(&self, id: ExprId) -> Option<i128> {
        self.fold(id, NESTING, &|_, _| None)?.int()
    }

    /// What an expression is, if that follows from what is known of a path, or of whatever else is no
    /// operator on plain values. `known` also hears how many operands inside of operands are left, and
    /// says nothing of what nobody knows.
    pub fn fold(
        &self,
        id: ExprId,
        nesting: u32,
        known: &dyn Fn(&Expr, u32) -> Option<Plain>,
    ) -> Option<Plain> {
        let nesting = nesting.checked_sub(1)?;
        let plain = |id: ExprId| self.fold(id, nesting, known);
        let number = |id: ExprId| plain(id)?.int();
        let truth = |id: ExprId| plain(id)?.truth();
        Some(match &self[id] {
            Expr::Int(n) => Plain::Int(*n),
            Expr::Bool(b) => Plain::Bool(*b),
            Expr::Unary(UnaryOp::Not, a) => Plain::Bool(!truth(*a)?),
            Expr::Unary(UnaryOp::Negate, a) => Plain::Int(number(*a)?.checked_neg()?),
            Expr::Unary(UnaryOp::Complement, a) => Plain::Int(!number(*a)?),
            Expr::Binary(BinaryOp::BothTrue, a, b) => Plain::Bool(truth(*a)? && truth(*b)?),
            Expr::Binary(BinaryOp::EitherTrue, a, b) => Plain::Bool(truth(*a)? || truth(*b)?),
            other @ Expr::Binary(op, a, b) => match (number(*a), number(*b)) {
                (Some(a), Some(b)) => match op.holds(a.cmp(&b)) {
                    Some(holds) => Plain::Bool(holds),
                    None => Plain::Int(op.apply(a, b)?),
                },
                _ => known(other, nesting)?,
            },
            Expr::If(condition, a, b) => plain(if truth(*condition)? { *a } else { *b })?,
            Expr::In(a, ranges) => {
                let (a, mut hit) = (number(*a)?, false);
                for (low, high) in ranges {
                    hit |= (number(*low)?..=number(high.unwrap_or(*low))?).contains(&a);
                }
                Plain::Bool(hit)
            }
            other => known(other, nesting)?,
        })
    }
}

impl Plain {
    /// The number, if it is one.
    #[must_use]
    pub fn int(self) -> Option<i128> {
        match self {
            Plain::Int(n) => Some(n),
            Plain::Bool(_) => None,
        }
    }

    /// The truth value, if it is one.
    #[must_use]
    pub fn truth(self) -> Option<bool> {
        match self {
            Plain::Bool(b) => Some(b),
            Plain::Int(_) => None,
        }
    }
}

impl BinaryOp {
    /// The number that it makes of two numbers; `None` if that is no number or does not fit.
    #[inline]
    #[must_use]
    pub fn apply(self, left: i128, right: i128) -> Option<i128> {
        let shift = u32::try_from(right).ok().filter(|&by| by < 128);
        match self {
            BinaryOp::Add => left.checked_add(right),
            BinaryOp::Subtract => left.checked_sub(right),
            BinaryOp::Multiply => left.checked_mul(right),
            BinaryOp::Divide => floor_divide(left, right),
            BinaryOp::Remainder => left.checked_rem_euclid(right),
            BinaryOp::And => Some(left & right),
            BinaryOp::Or => Some(left | right),
            BinaryOp::Xor => Some(left ^ right),
            BinaryOp::ShiftLeft => {
                let times = 1_i128.checked_shl(shift?).filter(|times| *times > 0)?;
                left.checked_mul(times)
            }
            BinaryOp::ShiftRight => left.checked_shr(shift?),
            _ => None,
        }
    }
}

/// Quotient rounded down.
fn floor_divide(left: i128, right: i128) -> Option<i128> {
    let quotient = left.checked_div(right)?;
    let rest = left.checked_rem(right)?;
    if rest != 0 && (rest < 0) != (right < 0) {
        quotient.checked_sub(1)
    } else {
        Some(quotient)
    }
}
