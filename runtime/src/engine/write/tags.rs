//! Checks tags that rows say: what is written must lead back to its case.

use alloc::format;
use alloc::vec::Vec;

use super::super::item::{Loc, NodeRef};
use super::super::labels::bits_mask;
use super::super::state::Engine;
use super::super::val::Fallible;
use super::build::does_not_fit;
use crate::load::Endian;
use crate::model::{Cell, IntType, Label, Pattern, RecordKind, Row, Storage, Tag, Type, Union};
use crate::problem::ProblemKind;

impl<'p> Engine<'p, '_> {
    /// A tag fits its integer, is one that the case or form takes, and no other one takes it.
    pub(super) fn validate_tag(&mut self, loc: Loc, row: &'p Row) -> Fallible<()> {
        let Type::Cell(cell @ Cell { storage: Storage::TagOf, .. }) = &row.ty else {
            return Ok(());
        };
        let (id, case, form) = match self.tree.record(loc.node).kind {
            RecordKind::Case(id, case) => (id, case as usize, None),
            RecordKind::Form(id, case, form) => (id, case as usize, Some(form as usize)),
            _ => return Ok(()),
        };
        let union = &self.model.unions[id.index()];
        let (Tag::Own(tag) | Tag::Word(tag)) = &union.tag else { return Ok(()) };
        let Storage::Fixed(int) = tag.storage else { return Ok(()) };
        let labels = self.model.labels_of(self.tree.record_id(loc.node));
        self.force(loc.node, loc.row)?;
        let number = self.stored_number(loc, cell, row)?;
        let width = u32::from(int.bytes) * 8;
        if !crate::fits(number, width, int.signed) {
            self.problem(loc, does_not_fit(number, &self.model.cell_name(tag)));
            return Ok(());
        }
        let bits = self.tag_bits(loc.node, union, int, number)?;
        let takes = |labels: &[Label]| labels.iter().any(|l| takes(l, number, bits, width));
        if !labels.contains(&Label::Else) && !takes(labels) {
            let what = format!("the number {number} does not lead to this case").into();
            self.problem(loc, ProblemKind::Contradicts { what });
            return Ok(());
        }
        let others = self.others(union, case, form);
        if let Some((other, _)) = others.into_iter().find(|(_, labels)| takes(labels)) {
            let what = format!("it would be read as the case `{other}`, as {number} says").into();
            self.problem(loc, ProblemKind::Contradicts { what });
        }
        Ok(())
    }

    /// Names and labels of what a reader prefers to a case or form, conditions aside: a case that
    /// may decline is none of them.
    fn others(
        &self,
        union: &'p Union,
        case: usize,
        form: Option<usize>,
    ) -> Vec<(&'p str, &'p [Label])> {
        let mut found = Vec::new();
        for (index, other) in union.cases.iter().enumerate() {
            let name = other.name.as_str();
            let plain = other.forms.is_empty() && other.guard.is_none();
            if plain && index != case && self.in_epoch(&other.epochs) {
                found.push((name, other.labels.as_slice()));
            }
            for (number, spelled) in other.forms.iter().enumerate() {
                // The first form that fits is taken, also if it takes everything.
                if (index, Some(number)) == (case, form) {
                    return found;
                }
                if self.in_epoch(&spelled.epochs) {
                    found.push((name, spelled.labels.as_slice()));
                }
            }
        }
        found
    }

    /// The bits of a tag that patterns are compared with: of a word its own, otherwise its bytes.
    fn tag_bits(
        &mut self,
        rows: NodeRef,
        union: &Union,
        int: IntType,
        number: i128,
    ) -> Fallible<u128> {
        let width = u32::from(int.bytes) * 8;
        let bits = number as u128 & bits_mask(width);
        if matches!(union.tag, Tag::Word(_)) || int.bytes == 1 {
            return Ok(bits);
        }
        let order = match int.order {
            Some(order) => Some(order.into()),
            None => self.node_order(rows)?,
        };
        Ok(match order {
            Some(Endian::Big) => bits,
            _ => (bits << (128 - width)).swap_bytes(),
        })
    }
}

/// Whether a label takes a tag, whatever stands behind it.
fn takes(label: &Label, number: i128, bits: u128, bits_of_tag: u32) -> bool {
    match label {
        Label::Range(low, high) => *low <= number && number <= *high,
        Label::Pattern(pattern @ Pattern { width, .. }) => {
            *width == bits_of_tag && pattern.takes(bits)
        }
        Label::Text(_) | Label::Else => false,
    }
}
