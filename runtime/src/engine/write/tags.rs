//! Checks tags that rows say: what is written must lead back to its case.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::super::item::{Loc, NodeRef};
use super::super::labels::bits_mask;
use super::super::state::Engine;
use super::super::val::Fallible;
use super::build::does_not_fit;
use crate::load::Endian;
use crate::model::{
    Cell, Form, IntType, Label, Pattern, RecordId, RecordKind, Row, Storage, Tag, Type, Union,
};
use crate::problem::ProblemKind;

/// Labels that a message has room for.
const MOST_LABELS: usize = 8;

impl<'p> Engine<'p, '_> {
    /// A tag fits its integer, is one that the case or form takes, and no other one takes it.
    pub(super) fn validate_tag(&mut self, loc: Loc, row: &'p Row) -> Fallible<()> {
        let Type::Cell(cell @ Cell { storage: Storage::TagOf, .. }) = &row.ty else {
            return Ok(());
        };
        // What a case with forms says is said by a form.
        let Some(body) = self.body_of(self.tree.record_id(loc.node)) else { return Ok(()) };
        let union = body.union;
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
        let order = self.tag_order(loc.node, union, int)?;
        let bits = tag_bits(int, order, number);
        let takes = |labels: &[Label]| labels.iter().any(|l| takes(l, number, bits, width));
        if !labels.contains(&Label::Else) && !takes(labels) {
            self.problem(loc, leads_elsewhere(number, labels));
            return Ok(());
        }
        let others = self.others(body);
        if let Some((other, _)) = others.into_iter().find(|(_, labels)| takes(labels)) {
            let what = format!("it would be read as the case `{other}`, as {number} says").into();
            self.problem(loc, ProblemKind::Contradicts { what });
        }
        Ok(())
    }

    /// Whether a form for everything else has a number that another label takes, as far as that does
    /// not depend on a byte order that is not known yet.
    pub(crate) fn is_for_others(&self, form: &Form, number: i128) -> bool {
        let Some(body) = self.body_of(form.record) else { return false };
        let (Tag::Own(tag) | Tag::Word(tag)) = &body.union.tag else { return false };
        let Storage::Fixed(int) = tag.storage else { return false };
        let width = u32::from(int.bytes) * 8;
        let known = matches!(body.union.tag, Tag::Word(_)) || int.bytes == 1;
        let order = match int.order {
            _ if known => Some(Endian::Big),
            order => order.map(Into::into),
        };
        let bits = order.map(|order| tag_bits(int, order, number));
        let taken = |label: &Label| match bits {
            Some(bits) => takes(label, number, bits, width),
            None => !matches!(label, Label::Pattern(_)) && takes(label, number, 0, width),
        };
        self.others(body).into_iter().any(|(_, labels)| labels.iter().any(taken))
    }

    /// The case without forms, or the form, whose rows a record has.
    fn body_of(&self, record: RecordId) -> Option<Body<'p>> {
        let (union, case, form) = match self.model.records[record.index()].kind {
            RecordKind::Case(union, case) => (union, case, None),
            RecordKind::Form(union, case, form) => (union, case, Some(form)),
            _ => return None,
        };
        let union = &self.model.unions[union.index()];
        let forms = &union.cases[case as usize].forms;
        (form.is_some() || forms.is_empty()).then_some(Body { union, case, form })
    }

    /// Names and labels of all but one case or form, conditions aside: a case that may decline is none
    /// of them.
    fn others(&self, body: Body<'p>) -> Vec<(&'p str, &'p [Label])> {
        let mut found = Vec::new();
        for (index, other) in (0..).zip(&body.union.cases) {
            let name = other.name.as_str();
            let plain = other.forms.is_empty() && other.guard.is_none();
            if plain && index != body.case && self.in_epoch(&other.epochs) {
                found.push((name, other.labels.as_slice()));
            }
            for (number, spelled) in (0..).zip(&other.forms) {
                let own = (index, Some(number)) == (body.case, body.form);
                if !own && self.in_epoch(&spelled.epochs) {
                    found.push((name, spelled.labels.as_slice()));
                }
            }
        }
        found
    }

    /// In which order patterns see the bytes of a tag: of a word its own, highest first.
    fn tag_order(&mut self, rows: NodeRef, union: &Union, int: IntType) -> Fallible<Endian> {
        if matches!(union.tag, Tag::Word(_)) || int.bytes == 1 {
            return Ok(Endian::Big);
        }
        let order = match int.order {
            Some(order) => Some(order.into()),
            None => self.node_order(rows)?,
        };
        Ok(order.unwrap_or(Endian::Little))
    }
}

/// A case without forms, or a form of one.
#[derive(Clone, Copy)]
struct Body<'p> {
    union: &'p Union,
    case: u32,
    form: Option<u32>,
}

/// The bits of a tag that patterns are compared with.
fn tag_bits(int: IntType, order: Endian, number: i128) -> u128 {
    let width = u32::from(int.bytes) * 8;
    let bits = number as u128 & bits_mask(width);
    match order {
        Endian::Big => bits,
        Endian::Little => (bits << (128 - width)).swap_bytes(),
    }
}

/// A number that is none of those of its case.
pub(super) fn leads_elsewhere(number: i128, labels: &[Label]) -> ProblemKind {
    let mut numbers = labels.iter().filter_map(|label| match label {
        Label::Range(low, high) if low == high => Some(format!("{low}")),
        Label::Range(low, i128::MAX) => Some(format!("{low} or more")),
        Label::Range(i128::MIN, high) => Some(format!("{high} or less")),
        Label::Range(low, high) => Some(format!("{low} to {high}")),
        Label::Pattern(_) | Label::Text(_) | Label::Else => None,
    });
    let mut what = format!("the number {number} does not lead to this case");
    let shown: Vec<String> = numbers.by_ref().take(MOST_LABELS).collect();
    if let Some((last, others)) = shown.split_last() {
        let verb = if labels.len() == 1 && !last.contains(' ') { "does" } else { "do" };
        let listed = match (others, numbers.next()) {
            ([], None) => last.clone(),
            (_, None) => format!("{} and {last}", others.join(", ")),
            (_, Some(_)) => format!("{} and more", shown.join(", ")),
        };
        what.push_str(&format!(", {listed} {verb}"));
    }
    ProblemKind::Contradicts { what: what.into() }
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
