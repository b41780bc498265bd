//! Checks a value that is placed: what all schemas have in common.

use alloc::format;
use alloc::string::{String, ToString};
use core::cmp::Ordering;

use super::super::tree::{NodeId, UNPLACED};
use super::super::val::{compare, describe, same, Fallible, Val};
use super::place::Place;
use super::{At, Write};
use crate::problem::ProblemKind;

/// A rule for a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// At least.
    Min,
    /// At most.
    Max,
    /// One of these.
    OneOf,
    /// Equal.
    Equals,
    /// True.
    Holds,
}

/// Whether a value breaks a rule.
///
/// # Errors
///
/// If the two cannot be compared.
pub fn broken_rule(rule: Rule, it: &Val<'_>, limits: &[Val<'_>]) -> Fallible<bool> {
    Ok(match rule {
        Rule::Min | Rule::Max => {
            let Some(limit) = limits.first() else { return Ok(false) };
            let wanted = if rule == Rule::Min { Ordering::Greater } else { Ordering::Less };
            let order = compare(it, limit)?;
            order != Some(wanted) && order != Some(Ordering::Equal)
        }
        Rule::OneOf | Rule::Equals => !limits.iter().any(|limit| same(it, limit)),
        Rule::Holds => !super::super::engine::truth_of(limits.first().unwrap_or(&Val::None))?,
    })
}

/// A value for messages.
#[must_use]
pub fn show(val: &Val<'_>) -> String {
    match val {
        Val::Int(n) => n.to_string(),
        Val::Float(f) => f.to_string(),
        Val::Bool(b) => b.to_string(),
        Val::Text(text) => format!("{:?}", &**text),
        Val::Bytes(bytes) => bytes.iter().map(|b| format!("{b:02x}")).collect(),
        other => describe(other).into(),
    }
}

/// Checks for any writer.
pub(super) trait Validate<'v>: Write<'v> + Place<'v> {
    fn validate_all(&mut self) {
        self.check_placed();
        let nodes = u32::try_from(self.tree().nodes.len()).unwrap_or(u32::MAX);
        for index in 0..nodes {
            let node = NodeId(index);
            if self.tree().node(node).at != UNPLACED {
                self.check_node(node);
            }
        }
        for expectation in core::mem::take(&mut self.w().expectations) {
            let at: At = expectation.at;
            let expected = match self.int(expectation.expr, expectation.node, None) {
                Ok(Some(expected)) => expected,
                Ok(None) => continue,
                Err(fault) => {
                    self.w().report(*fault, at);
                    continue;
                }
            };
            if expected != i128::from(expectation.actual) {
                let why = format!("another field gives the {}", expectation.what).into();
                let actual = expectation.actual;
                self.w().problem(at, ProblemKind::LengthMismatch { expected, actual, why });
            }
        }
    }
}

impl<'v, W: Write<'v>> Validate<'v> for W {}

/// Whether a number is within these, both included.
#[must_use]
pub fn takes_number(val: &Val<'_>, low: i128, high: i128) -> bool {
    match val {
        Val::Int(n) => low <= *n && *n <= high,
        Val::Bool(b) => low <= i128::from(*b) && i128::from(*b) <= high,
        _ => false,
    }
}

/// Whether a text or bytes are these.
#[must_use]
pub fn takes_text(val: &Val<'_>, wanted: &str) -> bool {
    match val {
        Val::Text(text) => **text == *wanted,
        Val::Bytes(bytes) => **bytes == *wanted.as_bytes(),
        _ => false,
    }
}
