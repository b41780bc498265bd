//! What a tag decides.

use super::tree::{cell_bytes, Tree};
use super::val::Val;
use crate::model::{Label, Tag};

/// What decides a case: the value of the tag, and the bytes from the tag on.
pub(crate) struct Decision<'b> {
    pub val: Val,
    /// Bytes from the tag on, if the union begins with its tag.
    pub bytes: &'b [u8],
    /// Whether patterns cover a word, highest bit first, instead of bytes.
    pub word: Option<(u128, u32)>,
}

/// How a label took the tag.
#[derive(Clone, Copy)]
pub(crate) enum Taken {
    Range(i128),
    Pattern { number: u128, bytes: u32 },
    Else(i128),
}

/// Bytes of the tag that a union begins with.
pub(crate) fn tag_size(tag: &Tag) -> u32 {
    match tag {
        Tag::Own(cell) | Tag::Word(cell) => cell_bytes(cell).into(),
        Tag::Row(_) | Tag::Given(_) => 0,
    }
}

fn number_of(val: Val) -> Option<i128> {
    match val {
        Val::Int(n) => Some(n),
        Val::Bool(b) => Some(i128::from(b)),
        _ => None,
    }
}

pub(crate) fn matching(
    tree: &Tree<'_, '_>,
    labels: &[Label],
    decision: &Decision<'_>,
) -> Option<Taken> {
    labels.iter().find_map(|label| match label {
        Label::Range(low, high) => {
            let number = number_of(decision.val)?;
            (*low <= number && number <= *high).then_some(Taken::Range(number))
        }
        Label::Text(wanted) => match decision.val {
            Val::Text(blob) | Val::Bytes(blob) => {
                (tree.bytes(blob) == wanted.as_bytes()).then_some(Taken::Range(0))
            }
            _ => None,
        },
        Label::Pattern(pattern) => match decision.word {
            Some((word, width)) if pattern.width == width => {
                pattern.takes(word).then_some(Taken::Pattern { number: word, bytes: 0 })
            }
            Some(_) => None,
            None => {
                let bytes = pattern.width / 8;
                let covered = decision.bytes.get(..bytes as usize)?;
                let number = covered.iter().fold(0_u128, |n, b| n << 8 | u128::from(*b));
                pattern.takes(number).then_some(Taken::Pattern { number, bytes })
            }
        },
        Label::Else => Some(Taken::Else(number_of(decision.val).unwrap_or(0))),
    })
}

/// Whether labels take a value that stands elsewhere.
pub(crate) fn takes(tree: &Tree<'_, '_>, labels: &[Label], val: Val) -> bool {
    matching(tree, labels, &Decision { val, bytes: &[], word: None }).is_some()
}

pub(crate) fn bits_mask(width: u32) -> u128 {
    if width >= 128 {
        u128::MAX
    } else {
        (1 << width) - 1
    }
}
