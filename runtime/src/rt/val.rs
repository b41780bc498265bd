//! Results of expressions, and the operators on them.

use alloc::boxed::Box;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use core::cmp::Ordering;

use super::tree::{Bytes, Item, Loc, NodeId, Text};
use crate::dictionary::DictionaryError;
use crate::error::{ReadError, ReadErrorKind};

/// Result of an expression.
#[derive(Debug, Clone)]
pub enum Val<'a> {
    /// Nothing: no such element, a pointer that is none, an optional that is not there.
    None,
    /// An integer.
    Int(i128),
    /// A float.
    Float(f64),
    /// A truth value.
    Bool(bool),
    /// A text.
    Text(Text<'a>),
    /// Bytes.
    Bytes(Bytes<'a>),
    /// Units of UTF-16.
    Units(Rc<[u16]>),
    /// A node.
    Node(NodeId),
    /// A slot or element.
    Loc(Loc),
}

/// Why something could not be computed. Callers turn it into an error of their direction.
#[derive(Debug)]
pub enum Fault {
    /// Reading something on demand failed; the error has its place.
    Read(ReadError),
    /// An expression has no value here.
    Eval(String),
    /// No radix tree can hold these keys; with the key it is about.
    Keys(DictionaryError, String),
    /// The address of an object is asked for before the layout has placed it.
    NotPlaced(String),
    /// A number depends on itself.
    Cycle(String),
    /// A limit was reached.
    Limit(ReadErrorKind),
}

/// Result of an evaluation.
pub type Fallible<T> = Result<T, Box<Fault>>;

/// Value of an expression.
pub type Evaluated<'a> = Fallible<Val<'a>>;

/// What a rule or filter is about.
pub type It<'t, 'a> = Option<&'t Val<'a>>;

/// A fault with this message.
///
/// # Errors
///
/// Always.
#[cold]
pub fn eval_error<T>(message: impl Into<String>) -> Fallible<T> {
    Err(Box::new(Fault::Eval(message.into())))
}

/// Operators with one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-`
    Negate,
    /// `!`
    Not,
    /// `~`
    Complement,
}

/// Operators with two operands; `&&`, `||` and `++` are control flow of the generated code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// Applies an operator.
///
/// # Errors
///
/// If the operand is of the wrong kind, or the result beyond 128 bits.
pub fn unary<'a>(op: UnaryOp, a: &Val<'a>) -> Fallible<Val<'a>> {
    Ok(match (op, a) {
        (_, Val::None) => Val::None,
        (UnaryOp::Not, Val::Bool(b)) => Val::Bool(!b),
        (UnaryOp::Negate, Val::Int(n)) => Val::Int(n.checked_neg().ok_or_else(overflow)?),
        (UnaryOp::Negate, Val::Float(f)) => Val::Float(-f),
        (UnaryOp::Complement, Val::Int(n)) => Val::Int(!n),
        _ => return eval_error(format!("an operator is applied to {}", describe(a))),
    })
}

#[cold]
fn overflow() -> Box<Fault> {
    Box::new(Fault::Eval("a number is beyond 128 bits".into()))
}

/// Applies an operator.
///
/// # Errors
///
/// If the operands are of the wrong kind, the result is beyond 128 bits, or not defined.
pub fn binary<'a>(op: BinaryOp, a: &Val<'a>, b: &Val<'a>) -> Fallible<Val<'a>> {
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
    Ok(match (a, b) {
        (Val::None, _) | (_, Val::None) => Val::None,
        (Val::Int(a), Val::Int(b)) => Val::Int(integer(op, *a, *b)?),
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
                Op::Remainder => floating_remainder(a, b),
                _ => return eval_error("an operator is applied to floats"),
            })
        }
        (Val::Text(a), Val::Text(b)) if op == Op::Add => {
            Val::Text(format!("{}{}", &**a, &**b).into())
        }
        _ => {
            return eval_error(format!(
                "an operator is applied to {} and {}",
                describe(a),
                describe(b)
            ));
        }
    })
}

/// Applies an arithmetic or bitwise operator to integers.
///
/// # Errors
///
/// If the result is beyond 128 bits or not defined.
pub fn integer(op: BinaryOp, a: i128, b: i128) -> Fallible<i128> {
    use BinaryOp as Op;
    let shift = |n: i128| -> Fallible<u32> {
        match u32::try_from(n) {
            Ok(n) if n < 128 => Ok(n),
            _ => eval_error(format!("a shift by {n}")),
        }
    };
    let result = match op {
        Op::Add => a.checked_add(b),
        Op::Subtract => a.checked_sub(b),
        Op::Multiply => a.checked_mul(b),
        Op::Divide | Op::Remainder if b == 0 => return eval_error("a division by zero"),
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
    result.ok_or_else(overflow)
}

/// Division that rounds down.
fn floor_divide(a: i128, b: i128) -> Option<i128> {
    let quotient = a.checked_div(b)?;
    if a % b != 0 && (a < 0) != (b < 0) {
        quotient.checked_sub(1)
    } else {
        Some(quotient)
    }
}

/// The remainder that is not negative. `rem_euclid` of floats needs the standard library.
fn floating_remainder(a: f64, b: f64) -> f64 {
    let rest = a % b;
    if rest < 0.0 {
        rest + if b < 0.0 { -b } else { b }
    } else {
        rest
    }
}

#[allow(clippy::cast_precision_loss)] // A mixed comparison is one of floats.
fn float(val: &Val<'_>) -> f64 {
    match val {
        Val::Int(n) => *n as f64,
        Val::Float(f) => *f,
        _ => f64::NAN,
    }
}

/// Order of two values; `None` if one of them is nothing or not a number.
///
/// # Errors
///
/// If values of such kinds have no order.
pub fn compare(a: &Val<'_>, b: &Val<'_>) -> Fallible<Option<Ordering>> {
    Ok(match (a, b) {
        (Val::None, _) | (_, Val::None) => None,
        (Val::Int(a), Val::Int(b)) => Some(a.cmp(b)),
        (Val::Float(_), Val::Float(_) | Val::Int(_)) | (Val::Int(_), Val::Float(_)) => {
            float(a).partial_cmp(&float(b))
        }
        (Val::Bool(a), Val::Bool(b)) => Some(a.cmp(b)),
        (Val::Text(a), Val::Text(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
        (Val::Bytes(a), Val::Bytes(b)) => Some((**a).cmp(&**b)),
        (Val::Text(a), Val::Bytes(b)) => Some(a.as_bytes().cmp(&**b)),
        (Val::Bytes(a), Val::Text(b)) => Some((**a).cmp(b.as_bytes())),
        (Val::Units(a), Val::Units(b)) => Some(a.cmp(b)),
        (Val::Bool(a), Val::Int(b)) => Some(i128::from(*a).cmp(b)),
        (Val::Int(a), Val::Bool(b)) => Some(a.cmp(&i128::from(*b))),
        (Val::Node(a), Val::Node(b)) => (a == b).then_some(Ordering::Equal),
        (Val::Loc(a), Val::Loc(b)) => (a == b).then_some(Ordering::Equal),
        (Val::Node(_), Val::Loc(_)) | (Val::Loc(_), Val::Node(_)) => None,
        (Val::Units(_), Val::Text(_)) | (Val::Text(_), Val::Units(_)) => Some(Ordering::Less),
        _ => {
            return eval_error(format!("{} is compared with {}", describe(a), describe(b)));
        }
    })
}

/// Whether two values of rows are the same.
#[must_use]
pub fn same(a: &Val<'_>, b: &Val<'_>) -> bool {
    matches!((a, b), (Val::None, Val::None))
        || compare(a, b).is_ok_and(|order| order == Some(Ordering::Equal))
}

/// What kind of thing a value is, for messages.
#[must_use]
pub fn describe(val: &Val<'_>) -> &'static str {
    match val {
        Val::None => "nothing",
        Val::Int(_) => "an integer",
        Val::Float(_) => "a float",
        Val::Bool(_) => "a truth value",
        Val::Text(_) => "a text",
        Val::Bytes(_) => "bytes",
        Val::Units(_) => "units of UTF-16",
        Val::Node(_) => "a struct",
        Val::Loc(_) => "an array",
    }
}

/// A fault while reading, as the kind of error it is.
///
/// # Errors
///
/// The error itself, if reading something on demand failed: it has its place already.
pub fn read_kind(fault: Fault) -> Result<ReadErrorKind, ReadError> {
    match fault {
        Fault::Read(error) => Err(error),
        Fault::Limit(kind) => Ok(kind),
        Fault::Eval(message) => Ok(ReadErrorKind::Expression { message: message.into() }),
        Fault::Keys(DictionaryError::DuplicateKey { .. }, key) => {
            Ok(ReadErrorKind::DuplicateKey { key: key.into() })
        }
        Fault::Keys(error, _) => {
            Ok(ReadErrorKind::Expression { message: format!("{error}").into() })
        }
        Fault::NotPlaced(what) => Ok(ReadErrorKind::Expression {
            message: format!("the address of `{what}` is not known here").into(),
        }),
        Fault::Cycle(what) => {
            Ok(ReadErrorKind::Expression { message: format!("`{what}` depends on itself").into() })
        }
    }
}

impl<'a> Val<'a> {
    /// An item as the result of an expression; structs as nodes, arrays as nothing.
    #[must_use]
    pub fn of(item: &Item<'a>) -> Val<'a> {
        match item {
            Item::Int(n) => Val::Int(*n),
            Item::Float { bits, bytes: 4 } => {
                Val::Float(f32::from_bits(u32::try_from(*bits).unwrap_or(u32::MAX)).into())
            }
            Item::Float { bits, .. } => Val::Float(f64::from_bits(*bits)),
            Item::Bool(b) => Val::Bool(*b),
            Item::Text(text) => Val::Text(text.clone()),
            Item::Bytes(bytes) => Val::Bytes(bytes.clone()),
            Item::Units(units) => Val::Units(Rc::clone(units)),
            Item::Node(node) => Val::Node(*node),
            Item::Pointer(pointer) => Val::of(&pointer.target),
            Item::Array(_) | Item::Unset | Item::Absent => Val::None,
        }
    }

    /// As an item; places as nothing.
    #[must_use]
    pub fn into_item(self) -> Item<'a> {
        match self {
            Val::Int(n) => Item::Int(n),
            Val::Float(f) => Item::Float { bits: f.to_bits(), bytes: 8 },
            Val::Bool(b) => Item::Bool(b),
            Val::Text(text) => Item::Text(text),
            Val::Bytes(bytes) => Item::Bytes(bytes),
            Val::Units(units) => Item::Units(units),
            Val::None | Val::Node(_) | Val::Loc(_) => Item::Absent,
        }
    }
}

/// Whether a value is this one.
///
/// # Errors
///
/// If the two cannot be compared.
pub fn is_one(a: &Val<'_>, b: &Val<'_>) -> Fallible<bool> {
    Ok(compare(a, b)? == Some(Ordering::Equal))
}

/// Whether a value lies in a range, both ends included.
///
/// # Errors
///
/// If they cannot be compared.
pub fn is_within(a: &Val<'_>, low: &Val<'_>, high: &Val<'_>) -> Fallible<bool> {
    Ok(matches!(compare(a, low)?, Some(Ordering::Equal | Ordering::Greater))
        && matches!(compare(a, high)?, Some(Ordering::Equal | Ordering::Less)))
}
