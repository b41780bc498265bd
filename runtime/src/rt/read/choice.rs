//! Which case of a union is there.

use super::prelude::*;

/// What selects a case.
#[derive(Debug)]
pub enum CaseLabel {
    /// Numbers from the first to the last.
    Range(i128, i128),
    /// A text or bytes.
    Text(&'static str),
    /// Bits.
    Pattern {
        /// Number of bits.
        width: u32,
        /// Bits that are fixed.
        mask: u128,
        /// Their values.
        bits: u128,
    },
    /// Whatever no other case takes.
    Else,
}

/// What decides a case.
#[derive(Debug)]
pub struct Decision<'i> {
    /// Value of the tag.
    pub val: Val<'i>,
    /// Bytes from the tag on, if the union begins with its tag.
    pub bytes: &'i [u8],
    /// A word that patterns cover, and its width in bits.
    pub word: Option<(u128, u32)>,
}

/// How a case was chosen.
#[derive(Debug, Clone, Copy)]
pub struct Taken {
    /// The tag, or the bits that a pattern covers.
    pub number: i128,
    /// Bytes that a pattern covers; 0 of others.
    pub bytes: u32,
    /// Whether only because no other case takes it.
    pub otherwise: bool,
}

impl<'i> Decision<'i> {
    /// A value that stands elsewhere.
    #[must_use]
    pub fn given(val: Val<'i>) -> Self {
        Decision { val, bytes: &[], word: None }
    }

    /// The number of the tag, if it is one.
    #[must_use]
    pub fn number(&self) -> Option<i128> {
        match &self.val {
            Val::Int(n) => Some(*n),
            Val::Bool(b) => Some((*b).into()),
            _ => None,
        }
    }

    /// Whether one of these labels takes it, and how.
    #[must_use]
    pub fn matching(&self, labels: &[CaseLabel]) -> Option<Taken> {
        labels.iter().find_map(|label| match label {
            CaseLabel::Range(low, high) => {
                let number = self.number()?;
                (*low <= number && number <= *high).then_some(Taken {
                    number,
                    bytes: 0,
                    otherwise: false,
                })
            }
            CaseLabel::Text(wanted) => {
                let is = match &self.val {
                    Val::Text(text) => &**text == *wanted,
                    Val::Bytes(bytes) => &**bytes == wanted.as_bytes(),
                    _ => false,
                };
                is.then_some(Taken { number: 0, bytes: 0, otherwise: false })
            }
            CaseLabel::Pattern { width, mask, bits } => {
                match self.word {
                    Some((word, wide)) if *width == wide => (word & mask == *bits)
                        .then_some(Taken { number: signed_bits(word), bytes: 0, otherwise: false }),
                    Some(_) => None,
                    None => {
                        let count = width / 8;
                        let covered = self.bytes.get(..count as usize)?;
                        let number = covered.iter().fold(0_u128, |n, b| n << 8 | u128::from(*b));
                        (number & mask == *bits).then_some(Taken {
                            number: signed_bits(number),
                            bytes: count,
                            otherwise: false,
                        })
                    }
                }
            }
            CaseLabel::Else => {
                Some(Taken { number: self.number().unwrap_or(0), bytes: 0, otherwise: true })
            }
        })
    }

    /// The error of a tag that no case takes.
    #[cold]
    #[must_use]
    pub fn unknown(&self, union: &'static str, at: u64) -> ReadError {
        let tag = match &self.val {
            Val::Int(n) if *n >= 0 => format!("{n:#x}"),
            other => super::super::settle::show_short(other),
        };
        let kind = ReadErrorKind::UnknownTag { union_name: union.into(), tag: tag.into() };
        ReadError::new(kind, at)
    }
}

/// The same bits with a sign.
fn signed_bits(number: u128) -> i128 {
    i128::from_ne_bytes(number.to_ne_bytes())
}
