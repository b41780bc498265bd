//! Checks tags that rows say: what is written must lead back to its case.

use super::super::read::CaseLabel;
use super::super::rows::Ty;
use super::super::tree::NodeId;
use super::super::val::{Fallible, Val};
use super::derive::beside;
use super::number::raw;
use super::put::{row_source, rows_of, Here, Put};
use super::source::Src;
use super::{does_not_fit, wrong_case, Helpers, Write, FILL};
use crate::{fits, Endian};

/// A row that says the tag of its case.
#[derive(Debug)]
pub struct TagRow {
    /// Number of the case's or form's record.
    pub record: u16,
    /// Number of the row in it.
    pub row: u16,
    /// The tag's integer, for messages.
    pub ty: &'static str,
    /// Bits of the tag.
    pub width: u32,
    /// Whether it has a sign.
    pub signed: bool,
    /// Whether patterns cover its bits from the highest on, instead of its bytes.
    pub word: bool,
    /// Whether its highest byte comes first; nothing if that depends.
    pub big: Option<bool>,
    /// Labels of the case or form.
    pub labels: &'static [CaseLabel],
    /// What a reader prefers to it.
    pub others: &'static [OtherCase],
}

/// A case or form beside another one: its name, the epochs that have it (empty if all do), and its
/// labels.
pub type OtherCase = (&'static str, &'static [bool], &'static [CaseLabel]);

impl TagRow {
    /// Whether a label takes a tag, whatever stands behind it.
    fn takes(&self, label: &CaseLabel, number: i128, covered: u128) -> bool {
        match label {
            CaseLabel::Range(low, high) => *low <= number && number <= *high,
            CaseLabel::Pattern { width, mask, bits } => {
                *width == self.width && covered & mask == *bits
            }
            CaseLabel::Text(_) | CaseLabel::Else => false,
        }
    }
}

/// Checks that a tag fits its integer, is one that the case or form takes, and that no other one
/// takes it. `noded`: whether the record has the node itself.
///
/// # Errors
///
/// If an expression that the number follows from fails.
pub fn check_tag<'v, W: Write<'v>>(
    cx: &mut W,
    tag: &'static TagRow,
    node: NodeId,
    noded: bool,
    value: Src<'v>,
) -> Fallible<()> {
    let p = Put { mode: FILL, noded, ..beside(tag.record, node, value) };
    let Some(row) = rows_of(cx, tag.record).rows.get(usize::from(tag.row)) else { return Ok(()) };
    let Ty::Cell(cell) = &row.ty else { return Ok(()) };
    let here = Here { row, index: None };
    let src = row_source(cx, &p, tag.row, here)?;
    let (number, _) = raw(cx, &p, here, cell, &src)?;
    if !fits(number, tag.width, tag.signed) {
        cx.w().problem(p.at(here), does_not_fit(number, tag.ty));
        return Ok(());
    }
    let covered = covered(cx, tag, node, number);
    let takes = |labels: &[CaseLabel]| labels.iter().any(|l| tag.takes(l, number, covered));
    let rest = tag.labels.iter().any(|label| matches!(label, CaseLabel::Else));
    if !rest && !takes(tag.labels) {
        cx.w().problem(p.at(here), does_not_fit(number, "the case's labels"));
        return Ok(());
    }
    let epoch = cx.epoch();
    let there = |epochs: &[bool]| epochs.get(epoch).copied().unwrap_or(true);
    let mut others = tag.others.iter();
    if let Some((name, ..)) = others.find(|(_, epochs, labels)| there(epochs) && takes(labels)) {
        cx.w().problem(p.at(here), wrong_case(Some(name), &Val::Int(number)));
    }
    Ok(())
}

/// The bits of a tag that patterns are compared with: of a word its own, otherwise its bytes.
fn covered<'v, W: Write<'v>>(cx: &mut W, tag: &TagRow, node: NodeId, number: i128) -> u128 {
    let spare = 128_u32.saturating_sub(tag.width);
    let high = u128::from_ne_bytes(number.to_ne_bytes()).checked_shl(spare).unwrap_or(0);
    let bits = high.checked_shr(spare).unwrap_or(0);
    if tag.word || tag.width == 8 {
        return bits;
    }
    let big = match tag.big {
        Some(big) => big,
        None => cx.order_at(node) == Endian::Big,
    };
    if big {
        bits
    } else {
        high.swap_bytes()
    }
}
