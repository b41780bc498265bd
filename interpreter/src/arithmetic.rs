//! Operators on values.

use std::cmp::Ordering;

use formwork_model::{BinaryOp, UnaryOp};

use crate::engine::{Fallible, Fault, eval_error};
use crate::eval::{Val, describe};

pub(crate) fn unary(op: UnaryOp, a: &Val) -> Fallible<Val> {
    Ok(match (op, a) {
        (_, Val::None) => Val::None,
        (UnaryOp::Not, Val::Bool(b)) => Val::Bool(!b),
        (UnaryOp::Negate, Val::Int(n)) => Val::Int(n.checked_neg().ok_or_else(overflow)?),
        (UnaryOp::Negate, Val::Float(f)) => Val::Float(-f),
        (UnaryOp::Complement, Val::Int(n)) => Val::Int(!n),
        _ => return eval_error(format!("an operator is applied to {}", describe(a))),
    })
}

fn overflow() -> Box<Fault> {
    Box::new(Fault::Eval("a number is beyond 128 bits".into()))
}

pub(crate) fn binary(op: BinaryOp, a: &Val, b: &Val) -> Fallible<Val> {
    use BinaryOp as Op;
    match op {
        Op::Equal | Op::NotEqual => {
            let equal =
                compare(a, b)? == Some(Ordering::Equal) || matches!((a, b), (Val::None, Val::None));
            return Ok(Val::Bool(equal == (op == Op::Equal)));
        }
        Op::Less | Op::LessOrEqual | Op::Greater | Op::GreaterOrEqual => {
            let Some(order) = compare(a, b)? else { return Ok(Val::Bool(false)) };
            return Ok(Val::Bool(match op {
                Op::Less => order == Ordering::Less,
                Op::LessOrEqual => order != Ordering::Greater,
                Op::Greater => order == Ordering::Greater,
                _ => order != Ordering::Less,
            }));
        }
        _ => {}
    }
    let shift = |n: i128| -> Fallible<u32> {
        match u32::try_from(n) {
            Ok(n) if n < 128 => Ok(n),
            _ => eval_error(format!("a shift by {n}")),
        }
    };
    Ok(match (a, b) {
        (Val::None, _) | (_, Val::None) => Val::None,
        (Val::Int(a), Val::Int(b)) => {
            let (a, b) = (*a, *b);
            let result = match op {
                Op::Add => a.checked_add(b),
                Op::Subtract => a.checked_sub(b),
                Op::Multiply => a.checked_mul(b),
                Op::Divide | Op::Remainder if b == 0 => {
                    return eval_error("a division by zero");
                }
                Op::Divide => floor_divide(a, b),
                Op::Remainder => a.checked_rem_euclid(b),
                Op::And => Some(a & b),
                Op::Or => Some(a | b),
                Op::Xor => Some(a ^ b),
                Op::ShiftLeft => {
                    let by = shift(b)?;
                    a.checked_mul(1_i128.checked_shl(by).filter(|n| *n > 0).ok_or_else(overflow)?)
                }
                Op::ShiftRight => Some(a >> shift(b)?),
                _ => return eval_error("an operator is applied to integers"),
            };
            Val::Int(result.ok_or_else(overflow)?)
        }
        (Val::Bool(a), Val::Bool(b)) => match op {
            Op::And => Val::Bool(a & b),
            Op::Or => Val::Bool(a | b),
            Op::Xor => Val::Bool(a ^ b),
            _ => return eval_error("an operator is applied to truth values"),
        },
        (Val::Float(_), Val::Float(_) | Val::Int(_)) | (Val::Int(_), Val::Float(_)) => {
            let (a, b) = (float(a), float(b));
            Val::Float(match op {
                Op::Add => a + b,
                Op::Subtract => a - b,
                Op::Multiply => a * b,
                Op::Divide => a / b,
                Op::Remainder => a.rem_euclid(b),
                _ => return eval_error("an operator is applied to floats"),
            })
        }
        (Val::Text(a), Val::Text(b)) if op == Op::Add => Val::Text(format!("{a}{b}").into()),
        _ => {
            return eval_error(format!(
                "an operator is applied to {} and {}",
                describe(a),
                describe(b)
            ));
        }
    })
}

/// Division that rounds down.
fn floor_divide(a: i128, b: i128) -> Option<i128> {
    let quotient = a.checked_div(b)?;
    if a % b != 0 && (a < 0) != (b < 0) { quotient.checked_sub(1) } else { Some(quotient) }
}

#[allow(clippy::cast_precision_loss, reason = "a mixed comparison is one of floats")]
fn float(val: &Val) -> f64 {
    match val {
        Val::Int(n) => *n as f64,
        Val::Float(f) => *f,
        _ => f64::NAN,
    }
}

/// Order of two values; `None` if one of them is nothing or not a number.
pub(crate) fn compare(a: &Val, b: &Val) -> Fallible<Option<Ordering>> {
    Ok(match (a, b) {
        (Val::None, _) | (_, Val::None) => None,
        (Val::Int(a), Val::Int(b)) => Some(a.cmp(b)),
        (Val::Float(_), Val::Float(_) | Val::Int(_)) | (Val::Int(_), Val::Float(_)) => {
            float(a).partial_cmp(&float(b))
        }
        (Val::Bool(a), Val::Bool(b)) => Some(a.cmp(b)),
        (Val::Text(a), Val::Text(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
        (Val::Bytes(a), Val::Bytes(b)) => Some(a.cmp(b)),
        (Val::Text(a), Val::Bytes(b)) => Some(a.as_bytes().cmp(b)),
        (Val::Bytes(a), Val::Text(b)) => Some(a.as_ref().cmp(b.as_bytes())),
        (Val::Units(a), Val::Units(b)) => Some(a.cmp(b)),
        (Val::Bool(a), Val::Int(b)) => Some(i128::from(*a).cmp(b)),
        (Val::Int(a), Val::Bool(b)) => Some(a.cmp(&i128::from(*b))),
        (Val::Place(a), Val::Place(b)) => (a == b).then_some(Ordering::Equal),
        (Val::Units(_), Val::Text(_)) | (Val::Text(_), Val::Units(_)) => Some(Ordering::Less),
        _ => {
            return eval_error(format!("{} is compared with {}", describe(a), describe(b)));
        }
    })
}
