//! Results of expressions, and the operators on them.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use core::cmp::Ordering;

use super::item::{Blob, Item, Loc, NodeRef};
use super::tree::Tree;
use crate::dictionary::DictionaryError;
use crate::error::{ReadError, ReadErrorKind};
use crate::model::{BinaryOp, Function, UnaryOp};

/// Result of an expression.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Val {
    /// Nothing: no such element, a pointer that is none, an optional that is not there.
    None,
    Int(i128),
    Float(f64),
    Bool(bool),
    Text(Blob),
    Bytes(Blob),
    /// One byte of a run, by its position there.
    Byte(Blob, u32),
    Units(u32, u32),
    Node(NodeRef),
    Loc(Loc),
    /// Rows of numbers and texts that an algorithm made, by position in the engine's list.
    Table(u32),
}

/// Why something could not be computed. Callers turn it into an error of their direction.
#[derive(Debug)]
pub(crate) enum Fault {
    /// Reading something on demand failed; the error has its place.
    Read(ReadError),
    /// An expression has no value here.
    Eval(String),
    /// No radix tree can hold these keys; with the key it is about, and its place.
    Keys(DictionaryError, String, Option<Loc>),
    /// The address or size of an object is asked for before the layout has placed it.
    NotPlaced(String),
    /// Bytes of the file are asked for before they are written.
    NotWritten(String),
    /// A number depends on itself.
    Cycle(String),
    /// A limit was reached.
    Limit(ReadErrorKind),
}

pub(crate) type Fallible<T> = Result<T, Box<Fault>>;

#[cold]
pub(crate) fn eval_error<T>(message: impl Into<String>) -> Fallible<T> {
    Err(Box::new(Fault::Eval(message.into())))
}

/// A fault while reading, as the kind of error it is.
pub(crate) fn read_kind(fault: Fault) -> Result<ReadErrorKind, ReadError> {
    let expression = |message: String| ReadErrorKind::Expression { message: message.into() };
    Ok(match fault {
        Fault::Read(error) => return Err(error),
        Fault::Limit(kind) => kind,
        Fault::Eval(message) => expression(message),
        Fault::Keys(DictionaryError::DuplicateKey { .. }, key, _) => {
            ReadErrorKind::DuplicateKey { key: key.into() }
        }
        Fault::Keys(error, ..) => expression(format!("{error}")),
        Fault::NotPlaced(what) => expression(format!("the {what} is not known here")),
        Fault::NotWritten(what) => expression(format!("the bytes of `{what}` are not known here")),
        Fault::Cycle(what) => expression(format!("`{what}` depends on itself")),
    })
}

/// What a value is, for messages.
pub(crate) fn describe(val: Val) -> &'static str {
    match val {
        Val::None => "nothing",
        Val::Int(_) | Val::Byte(..) => "an integer",
        Val::Float(_) => "a float",
        Val::Bool(_) => "a truth value",
        Val::Text(_) => "a text",
        Val::Bytes(_) => "bytes",
        Val::Units(..) => "units of UTF-16",
        Val::Node(_) => "a struct",
        Val::Loc(_) => "an array",
        Val::Table(_) => "a table",
    }
}

pub(crate) fn unary(op: UnaryOp, a: Val) -> Fallible<Val> {
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

fn integers(op: BinaryOp, a: i128, b: i128) -> Fallible<Val> {
    use BinaryOp as Op;
    if let Some(n) = op.apply(a, b) {
        return Ok(Val::Int(n));
    }
    match op {
        Op::Divide | Op::Remainder if b == 0 => eval_error("a division by zero"),
        Op::ShiftLeft | Op::ShiftRight if !(0..128).contains(&b) => {
            eval_error(format!("a shift by {b}"))
        }
        Op::BothTrue | Op::EitherTrue | Op::Concatenate => {
            eval_error("an operator is applied to integers")
        }
        _ => Err(overflow()),
    }
}

fn truths(op: BinaryOp, a: bool, b: bool) -> Fallible<Val> {
    Ok(Val::Bool(match op {
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        _ => return eval_error("an operator is applied to truth values"),
    }))
}

fn floats(op: BinaryOp, a: f64, b: f64) -> Fallible<Val> {
    Ok(Val::Float(match op {
        BinaryOp::Add => a + b,
        BinaryOp::Subtract => a - b,
        BinaryOp::Multiply => a * b,
        BinaryOp::Divide => a / b,
        BinaryOp::Remainder => remainder(a, b),
        _ => return eval_error("an operator is applied to floats"),
    }))
}

/// The remainder that is not negative.
fn remainder(a: f64, b: f64) -> f64 {
    let rest = a % b;
    if rest < 0.0 {
        rest + if b < 0.0 { -b } else { b }
    } else {
        rest
    }
}

/// The integer that a function makes of a float.
#[allow(clippy::cast_possible_truncation, reason = "what is beyond 128 bits has ended before")]
#[allow(clippy::cast_precision_loss, reason = "whatever has a fraction has less than 53 bits")]
pub(crate) fn whole(function: Function, f: f64) -> Fallible<Val> {
    // 2^127; above, there is no integer of 128 bits.
    const LIMIT: f64 = -(i128::MIN as f64);
    if f.is_nan() {
        return eval_error(format!("`{}` of what is not a number", function.name()));
    }
    if !(-LIMIT..LIMIT).contains(&f) {
        return Err(overflow());
    }
    let near = f as i128;
    let rest = f - near as f64;
    Ok(Val::Int(match function {
        Function::Floor if rest < 0.0 => near - 1,
        Function::Ceil if rest > 0.0 => near + 1,
        Function::Round if rest <= -0.5 => near - 1,
        Function::Round if rest >= 0.5 => near + 1,
        _ => near,
    }))
}

#[allow(clippy::cast_precision_loss, reason = "a mixed comparison is one of floats")]
fn float(val: Val) -> f64 {
    match val {
        Val::Int(n) => n as f64,
        Val::Float(f) => f,
        _ => f64::NAN,
    }
}

impl Tree<'_, '_> {
    pub(crate) fn binary(&mut self, op: BinaryOp, a: Val, b: Val) -> Fallible<Val> {
        use BinaryOp as Op;
        Ok(match op {
            Op::Equal | Op::NotEqual => Val::Bool(self.equal(a, b)? == (op == Op::Equal)),
            Op::Less | Op::LessOrEqual | Op::Greater | Op::GreaterOrEqual => {
                let order = self.compare(a, b)?;
                Val::Bool(order.and_then(|order| op.holds(order)) == Some(true))
            }
            _ => match (a, b) {
                (Val::None, _) | (_, Val::None) => Val::None,
                (Val::Int(a), Val::Int(b)) => integers(op, a, b)?,
                (Val::Bool(a), Val::Bool(b)) => truths(op, a, b)?,
                (Val::Float(_), Val::Float(_) | Val::Int(_)) | (Val::Int(_), Val::Float(_)) => {
                    floats(op, float(a), float(b))?
                }
                (Val::Text(a), Val::Text(b)) if op == Op::Add => {
                    let whole = [self.bytes(a), self.bytes(b)].concat();
                    Val::Text(self.add_bytes(&whole))
                }
                _ => {
                    let (a, b) = (describe(a), describe(b));
                    return eval_error(format!("an operator is applied to {a} and {b}"));
                }
            },
        })
    }

    pub(crate) fn equal(&self, a: Val, b: Val) -> Fallible<bool> {
        let none = matches!((a, b), (Val::None, Val::None));
        Ok(self.compare(a, b)? == Some(Ordering::Equal) || none)
    }

    /// Order of two values; `None` if one of them is nothing or not a number.
    pub(crate) fn compare(&self, a: Val, b: Val) -> Fallible<Option<Ordering>> {
        Ok(match (a, b) {
            (Val::None, _) | (_, Val::None) => None,
            (Val::Int(a), Val::Int(b)) => Some(a.cmp(&b)),
            (Val::Float(_), Val::Float(_) | Val::Int(_)) | (Val::Int(_), Val::Float(_)) => {
                float(a).partial_cmp(&float(b))
            }
            (Val::Bool(a), Val::Bool(b)) => Some(a.cmp(&b)),
            (Val::Text(a) | Val::Bytes(a), Val::Text(b) | Val::Bytes(b)) => {
                Some(self.bytes(a).cmp(self.bytes(b)))
            }
            (Val::Units(a, n), Val::Units(b, m)) => Some(self.units(a, n).cmp(self.units(b, m))),
            (Val::Bool(a), Val::Int(b)) => Some(i128::from(a).cmp(&b)),
            (Val::Int(a), Val::Bool(b)) => Some(a.cmp(&i128::from(b))),
            (Val::Node(a), Val::Node(b)) => (a == b).then_some(Ordering::Equal),
            (Val::Loc(a), Val::Loc(b)) => (a == b).then_some(Ordering::Equal),
            (Val::Node(_), Val::Loc(_)) | (Val::Loc(_), Val::Node(_)) => None,
            (Val::Units(..), Val::Text(_)) | (Val::Text(_), Val::Units(..)) => Some(Ordering::Less),
            _ => {
                let (a, b) = (describe(a), describe(b));
                return eval_error(format!("{a} is compared with {b}"));
            }
        })
    }

    /// Whether two values are the same; floats by their bits.
    pub(crate) fn same(&self, a: Val, b: Val) -> bool {
        match (a, b) {
            (Val::Float(a), Val::Float(b)) => a.to_bits() == b.to_bits(),
            // What a writer would store for the integer: of two zeros the positive one.
            (Val::Float(float), Val::Int(n)) | (Val::Int(n), Val::Float(float)) => {
                let stored = n as f64;
                stored as i128 == n && stored.to_bits() == float.to_bits()
            }
            _ => self.equal(a, b).unwrap_or(false),
        }
    }

    /// An item as the result of an expression.
    pub(crate) fn val(&self, item: Item) -> Val {
        match self.through(item) {
            Item::Int(n) => Val::Int(n.into()),
            Item::Uint(n) => Val::Int(n.into()),
            Item::Wide(_) => self.int(item).map_or(Val::None, Val::Int),
            Item::F32(bits) => Val::Float(f32::from_bits(bits).into()),
            Item::F64(bits) => Val::Float(f64::from_bits(bits)),
            Item::Bool(b) => Val::Bool(b),
            Item::Text(text) => Val::Text(text),
            Item::Bytes(bytes) => Val::Bytes(bytes),
            Item::Units(start, len) => Val::Units(start, len),
            Item::Node(node) => Val::Node(node),
            Item::Array(_) | Item::Unset | Item::Absent | Item::Pointer(_) => Val::None,
        }
    }

    pub(crate) fn byte(&self, blob: Blob, at: u32) -> u8 {
        self.bytes(blob).get(at as usize).copied().unwrap_or(0)
    }

    /// The result of an expression as an item.
    pub(crate) fn val_item(&mut self, val: Val) -> Item {
        match val {
            Val::Int(n) => self.integer(n),
            Val::Float(f) => Item::F64(f.to_bits()),
            Val::Bool(b) => Item::Bool(b),
            Val::Text(text) => Item::Text(text),
            Val::Bytes(bytes) => Item::Bytes(bytes),
            Val::Byte(blob, at) => Item::Int(self.byte(blob, at).into()),
            Val::Units(start, len) => Item::Units(start, len),
            Val::None | Val::Node(_) | Val::Loc(_) | Val::Table(_) => Item::Absent,
        }
    }

    /// A value in messages.
    pub(crate) fn show(&self, val: Val) -> String {
        match val {
            Val::Int(n) => format!("{n}"),
            Val::Float(f) => format!("{f}"),
            Val::Bool(b) => format!("{b}"),
            Val::Text(text) => format!("{:?}", self.text(text)),
            Val::Bytes(bytes) => hex(self.bytes(bytes)),
            other => describe(other).into(),
        }
    }
}

/// Bytes in hexadecimal, for messages.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
