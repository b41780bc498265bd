//! Spellings of one value: which forms can say it.

use alloc::string::String;

use super::item::{Item, Loc, NodeRef};
use super::sayable::{can_end, has_letters, keeps};
use super::source::{Given, Stored};
use super::state::Engine;
use super::tree::{stored_float, stored_float_of};
use super::val::Val;
use crate::model::{
    text_units, unit_size, Case, Cell, Constant, Content, Form, Label, Meaning, Model, RecordId,
    Row, RowId, RowKind, Storage, Tag, Type,
};

/// What is wrong with a count that has no number.
pub(crate) const UNKNOWN_COUNT: &str = "the count or size depends on something that is not there";

/// How many bytes a field takes, by its name, as far as that is known.
pub(crate) type SizeOf<'s> = dyn Fn(&str) -> Option<u64> + 's;

impl<'p> Engine<'p, '_> {
    /// Position of the first form of this epoch that can say the value of a case, which was read in
    /// this one.
    pub(crate) fn first_form(&self, case: &Case, node: NodeRef, read: usize) -> usize {
        let rows = &self.tree.record(node).rows;
        let value = |name: &str| {
            let row = rows.iter().position(|row| row.name.as_deref() == Some(name))?;
            let item = self.tree.entry(Loc::row(node, RowId(u32::try_from(row).ok()?)));
            self.flat(item)
        };
        let size = |name: &str| self.tree.size_of_field(self.tree.record(node), node, name);
        let before = case.forms.get(..read).unwrap_or_default();
        before.iter().position(|form| self.form_fits(form, Some(&size), &value)).unwrap_or(read)
    }

    /// A number, a text, or a list; nothing for structs.
    fn flat(&self, item: Item) -> Option<Given<'_>> {
        match self.tree.through(item) {
            Item::Node(node) => {
                let row = self.tree.record(node).transparent?;
                self.flat(self.tree.entry(Loc::row(node, row)))
            }
            Item::Unset | Item::Absent => None,
            item => Some(Stored { tree: &self.tree, item }.given()),
        }
    }

    /// Whether a form exists in this epoch and can say a value, of which `value` gives the fields
    /// that it has. With `size`, which gives the bytes that a field takes as far as that is known, also
    /// how long they are, and a number that no other label takes.
    pub(crate) fn form_fits<'v>(
        &self,
        form: &Form,
        size: Option<&SizeOf<'_>>,
        value: &dyn Fn(&str) -> Option<Given<'v>>,
    ) -> bool {
        self.in_epoch(&form.epochs)
            && self.model.records[form.record.index()].numbered_rows().all(|(id, row)| {
                let Some(name) = row.name.as_deref() else { return true };
                let rule = self.layout.sizes.get(&(form.record, id));
                let sized = size.zip(rule).and_then(|(size, rule)| Some(rule.allows(size(name)?)));
                if sized == Some(false) {
                    return false;
                }
                let Some(value) = value(name) else { return true };
                let wholly = || {
                    self.length_fits(form.record, id, row, &value)
                        && self.tag_leads_here(form, row, &value)
                };
                row_can_say(self.model, row, &value)
                    && label_says(form, row, &value)
                    && (size.is_none() || wholly())
            })
    }

    /// Whether the tag that has this value is one that there is, and does not lead to another form or
    /// case than this one.
    fn tag_leads_here(&self, form: &Form, row: &Row, value: &Given<'_>) -> bool {
        let Some(stored) = tag_said(row, value) else { return true };
        let all = match self.model.tag_of(form.record) {
            Some(Tag::Own(cell) | Tag::Word(cell)) => self.model.number_range(cell),
            _ => return true,
        };
        let is_else = form.labels.contains(&Label::Else);
        (all.0..=all.1).contains(&stored) && !(is_else && self.is_for_others(form, stored))
    }

    /// Whether a row can be as long as its value.
    fn length_fits(&self, record: RecordId, id: RowId, row: &Row, value: &Given<'_>) -> bool {
        let rule = self.layout.lengths.get(&(record, id));
        let (Some(rule), Some(count)) = (rule, count(&row.ty, value)) else { return true };
        rule.allows(count)
    }
}

/// The tag that a row of a form says with this value.
fn tag_said(row: &Row, value: &Given<'_>) -> Option<i128> {
    let Type::Cell(Cell { storage: Storage::TagOf, .. }) = row.ty else { return None };
    let Given::Int(number) = value else { return None };
    Some(number.saturating_add(row.plus))
}

/// Whether the tag that has this value is one of a form's.
fn label_says(form: &Form, row: &Row, value: &Given<'_>) -> bool {
    let Some(stored) = tag_said(row, value) else { return true };
    form.labels.iter().any(|label| match label {
        Label::Range(low, high) => (*low..=*high).contains(&stored),
        // Which bits a pattern leaves open is seen when the tag is written.
        _ => true,
    })
}

/// Elements of an array, bytes of a byte run, units of a text.
fn count(ty: &Type, value: &Given<'_>) -> Option<u64> {
    let mut ty = ty.stripped();
    if let Type::Pointer(pointer) = ty {
        ty = pointer.owned()?.stripped();
    }
    match (ty, value) {
        (Type::Run(run), Given::Text(text)) => Some(text_units(run.content, text)),
        (Type::Run(_), Given::Bytes(bytes)) => Some(bytes.len() as u64),
        (Type::Run(_), Given::Units(units)) => Some(units.len() as u64),
        (Type::Array(_), value) => value.count().map(|count| count as u64),
        _ => None,
    }
}

fn row_can_say(model: &Model, row: &Row, value: &Given<'_>) -> bool {
    match &row.kind {
        RowKind::Constant(constant) => given_is(value, constant),
        _ => can_say(model, &row.ty, value, row, 0),
    }
}

fn can_say(model: &Model, ty: &Type, value: &Given<'_>, row: &Row, depth: u32) -> bool {
    if depth > 64 {
        return true;
    }
    match (ty, value) {
        // A rank is as small as it is in its array.
        (Type::Cell(_), Given::Int(_)) if row.is_ranked() => true,
        (Type::Cell(cell), Given::Int(n)) => n.checked_add(row.plus).is_some_and(|stored| {
            let (least, most) = model.number_range(cell);
            let has_room = (least..=most).contains(&stored) || cell.meaning != Meaning::Int;
            let is_something = !row.none.contains(&stored);
            has_room && cell_fits(model, cell, stored) && is_something && keeps(model, row, value)
        }),
        (Type::Cell(cell), Given::F32(bits)) => stored_float(cell, Item::F32(*bits)).is_some(),
        (Type::Cell(cell), Given::F64(bits)) => stored_float(cell, Item::F64(*bits)).is_some(),
        // Of structs in a file nothing is asked but how many they are.
        (Type::Array(_), Given::Stored(list)) if list.has_nodes() => true,
        (Type::Array(array), list) => match list.count() {
            Some(count) => (0..count)
                .all(|index| can_say(model, &array.element, &list.element(index), row, depth + 1)),
            None => true,
        },
        (Type::Region(region), value) => {
            can_say(model, &region.inner, value, row, depth + 1) && can_end(model, region, value)
        }
        (Type::Run(run), Given::Text(text)) => has_letters(run, text) && keeps(model, row, value),
        (Type::Run(run), Given::Units(units)) => match (run.content, String::from_utf16(units)) {
            (Content::Text(_), Ok(text)) => has_letters(run, &text),
            // Only units of this size say what is no text.
            (content, Err(_)) => unit_size(content) == 2,
            _ => true,
        },
        (Type::Record(record), value) => {
            let record = &model.records[record.index()];
            match record.transparent {
                Some(only) => {
                    let only = &record.rows[only.index()];
                    can_say(model, &only.ty, value, only, depth + 1)
                }
                None => true,
            }
        }
        _ => true,
    }
}

/// Whether an integer fits a cell.
#[must_use]
pub fn cell_fits(model: &Model, cell: &Cell, n: i128) -> bool {
    let (bits, signed) = model.cell_range(cell);
    match cell.meaning {
        Meaning::Bool { yes } => n == 0 || n == 1 || n == i128::from(yes),
        _ => crate::fits(n, bits, signed),
    }
}

/// Whether a row of numbers can have this one: its storage holds it, and a closed enumeration names
/// it; a float, if it is one of those that the row has.
pub(crate) fn can_be(model: &Model, row: &Row, val: Val) -> bool {
    let Type::Cell(cell) = row.ty.stripped() else { return true };
    let n = match val {
        Val::Float(f) => return stored_float(cell, Item::F64(f.to_bits())).is_some(),
        Val::Int(n) if matches!(cell.meaning, Meaning::Float(_)) => {
            return stored_float_of(cell, n).is_some();
        }
        Val::Int(n) => n,
        _ => return true,
    };
    let named = match cell.meaning {
        Meaning::Enum(id) => model.enums[id.index()].allows(n),
        _ => true,
    };
    named && cell_fits(model, cell, n.saturating_add(row.plus))
}

/// Whether a value is a constant; floats are compared by the bits of their own width.
#[must_use]
pub fn given_is(value: &Given<'_>, constant: &Constant) -> bool {
    let float_is = |wanted: u64| match value {
        Given::F32(bits) => *bits == (f64::from_bits(wanted) as f32).to_bits(),
        Given::F64(bits) => *bits == wanted,
        _ => false,
    };
    match (value, constant) {
        (Given::Int(a), Constant::Int(b)) => a == b,
        (Given::Int(a), Constant::Bool(b)) => *a == i128::from(*b),
        (Given::Bool(a), Constant::Bool(b)) => a == b,
        (Given::Bool(a), Constant::Int(b)) => i128::from(*a) == *b,
        (_, Constant::Float(wanted)) => float_is(*wanted),
        #[allow(clippy::cast_precision_loss, reason = "schemas state small numbers")]
        (Given::F32(_) | Given::F64(_), Constant::Int(wanted)) => {
            float_is((*wanted as f64).to_bits())
        }
        (Given::Text(a), Constant::Text(b)) => a == b,
        (Given::Text(a), Constant::Bytes(b)) => a.as_bytes() == b.as_slice(),
        (Given::Bytes(a), Constant::Text(b)) => *a == b.as_bytes(),
        (Given::Bytes(a), Constant::Bytes(b)) => *a == b.as_slice(),
        (list, Constant::Bytes(wanted)) => {
            list.count() == Some(wanted.len())
                && wanted.iter().enumerate().all(|(index, byte)| {
                    matches!(list.element(index), Given::Int(n) if n == i128::from(*byte))
                })
        }
        _ => false,
    }
}
