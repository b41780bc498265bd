//! Spellings of one value: which forms can say it.

use alloc::collections::BTreeMap;
use alloc::string::String;

use super::foreseen::{self, Foreseen};
use super::item::{Item, Loc, NodeRef};
use super::sayable::{can_end, has_letters, keeps};
use super::source::{Asked, Fields, Given, StandsFor, Stored};
use super::state::Engine;
use super::tree::{stored_float, stored_float_of};
use super::val::Val;
use crate::model::{
    text_units, unit_size, Case, Cell, CheckKind, Constant, Content, Form, Home, Label, LengthRule,
    Meaning, Model, Plain, RecordId, RecordKind, Role, Row, RowId, RowKind, Storage, Tag, Type,
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

    /// What is in a row: of a struct that is its only row, what is in that.
    fn flat(&self, item: Item) -> Option<Given<'_>> {
        match self.tree.through(item) {
            Item::Node(node) => match self.tree.record(node).transparent {
                Some(row) => self.flat(self.tree.entry(Loc::row(node, row))),
                None => Some(Given::Stored(Stored { tree: &self.tree, item: Item::Node(node) })),
            },
            Item::Unset => None,
            item => Some(Stored { tree: &self.tree, item }.given()),
        }
    }

    /// Whether a form exists in this epoch and can say a value, of which `value` gives the fields
    /// that it has. With `size`, which gives the bytes that a field takes as far as that is known, also
    /// how long they are, a number that no other label takes, and what follows from them.
    pub(crate) fn form_fits<'v>(
        &self,
        form: &Form,
        size: Option<&SizeOf<'_>>,
        value: &dyn Fn(&str) -> Option<Given<'v>>,
    ) -> bool {
        self.form_takes(form, size, value, &mut |row, value| row_can_say(self.sayer(), row, value))
    }

    /// The struct in a form that cannot hold what a value has for it, if the form could hold the value
    /// but for such structs: the first of them.
    pub(crate) fn form_fails_inside<'v>(
        &self,
        form: &Form,
        value: &dyn Fn(&str) -> Option<Given<'v>>,
    ) -> Option<RecordId> {
        let mut found = None;
        let takes = self.form_takes(form, None, value, &mut |row, value| {
            let of = self.sayer();
            let failing = match row_can_say(of, row, value) {
                true => return true,
                false => failing_struct(of, &row.ty, value, row),
            };
            found = found.or(failing);
            failing.is_some()
        });
        found.filter(|_| takes)
    }

    /// How long those fields may be in a form that are too long or too short for it: the least of
    /// these. Nothing is longer than what has none.
    pub(crate) fn longest<'v>(
        &self,
        form: &Form,
        size: &SizeOf<'_>,
        value: &dyn Fn(&str) -> Option<Given<'v>>,
    ) -> i128 {
        let rows = self.model.records[form.record.index()].numbered_rows();
        let failing = rows.filter_map(|(id, row)| {
            let (name, place) = (row.name.as_deref()?, (form.record, id));
            let sized = self.layout.sizes.get(&place).zip(size(name));
            let counted = || self.layout.lengths.get(&place).zip(count(&row.ty, &value(name)?));
            let is_wrong = |(rule, length): &(&LengthRule, u64)| !rule.allows(*length);
            let (rule, _) = sized.filter(is_wrong).or_else(|| counted().filter(is_wrong))?;
            Some(rule.greatest())
        });
        failing.min().unwrap_or(i128::MAX)
    }

    fn form_takes<'v>(
        &self,
        form: &Form,
        size: Option<&SizeOf<'_>>,
        value: &dyn Fn(&str) -> Option<Given<'v>>,
        says: &mut dyn FnMut(&Row, &Given<'v>) -> bool,
    ) -> bool {
        let all = value;
        self.in_epoch(&form.epochs)
            && (size.is_none() || keeps_rules(self.sayer(), form.record, value))
            && self.model.records[form.record.index()].numbered_rows().all(|(id, row)| {
                let Some(name) = row.name.as_deref() else { return true };
                if row.home(self.layout.epoch) == Home::Absent {
                    return true;
                }
                let rule = self.layout.sizes.get(&(form.record, id));
                let sized = size.zip(rule).and_then(|(size, rule)| Some(rule.allows(size(name)?)));
                if sized == Some(false) {
                    return false;
                }
                let Some(value) = value(name) else {
                    let follows = || follows(self.sayer(), form.record, row, None, all);
                    return (size.is_none() || follows()) && !self.must_be_said(form, row);
                };
                let wholly = || {
                    is_there(self.sayer(), form.record, row, &value, all)
                        && self.sayer().length_fits((form.record, id), &row.ty, &value)
                        && self.tag_leads_here(form, row, &value)
                        && follows(self.sayer(), form.record, row, Some(&value), all)
                };
                says(row, &value) && label_says(form, row, &value) && (size.is_none() || wholly())
            })
    }

    /// Whether a value must have a row of a form in which it is not said what it is otherwise, though it
    /// is in another form.
    fn must_be_said(&self, form: &Form, row: &Row) -> bool {
        let RecordKind::Form(union, case, _) = self.model.records[form.record.index()].kind else {
            return false;
        };
        let case = self.model.unions[union.index()].cases[case as usize].record;
        let mut fields = self.model.records[case.index()].rows.iter();
        let field = fields.find(|field| field.name == row.name);
        field.is_some_and(|field| field.absent.is_some()) && !row.has_usual()
    }

    fn sayer(&self) -> Sayer<'_> {
        Sayer { model: self.model, context: &self.context, lengths: &self.layout.lengths }
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
pub(super) fn count(ty: &Type, value: &Given<'_>) -> Option<u64> {
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

/// Whether what follows from the values of a form or struct can be said in a row of it: the number that is
/// stored there, and the rules for the value.
fn follows<'v>(
    of: Sayer<'_>,
    record: RecordId,
    row: &Row,
    own: Option<&Given<'v>>,
    value: &dyn Fn(&str) -> Option<Given<'v>>,
) -> bool {
    if row.checks.is_empty() && !matches!(row.role, Role::Derived) {
        return true;
    }
    let seen = Foreseen { model: of.model, record, context: of.context, value };
    let derived = match row.role {
        Role::Derived => seen.derived(row),
        _ => None,
    };
    let derived = derived.map(|derived| match derived {
        Plain::Int(n) => Given::Int(n),
        Plain::Bool(b) => Given::Bool(b),
    });
    let fits = match derived {
        Some(n @ Given::Int(_)) => can_say(of, &row.ty, &n, row, 0),
        _ => true,
    };
    let keeps = |it: Option<Given<'_>>| {
        row.checks.iter().all(|check| match check.kind {
            CheckKind::Holds(rule) => !seen.fails(rule, it),
            CheckKind::Equals(equal) => {
                match (seen.eval(equal, it), it.and_then(foreseen::plain)) {
                    (Some(Plain::Int(a)), Some(Plain::Int(b))) => a == b,
                    _ => true,
                }
            }
            _ => true,
        })
    };
    // Of what is not there no rule says anything, and of an array each is about the elements.
    let elements = own.filter(|_| matches!(row.ty.stripped(), Type::Array(_)));
    fits && match (own, elements.and_then(Given::count)) {
        (Some(Given::None), _) => true,
        (Some(list), Some(count)) => {
            row.checks.is_empty() || (0..count).all(|at| keeps(Some(list.element(at))))
        }
        _ => keeps(own.copied().filter(|own| foreseen::is_known(*own)).or(derived)),
    }
}

/// Whether the rules of a form or struct itself may hold.
fn keeps_rules<'v>(
    of: Sayer<'_>,
    record: RecordId,
    value: &dyn Fn(&str) -> Option<Given<'v>>,
) -> bool {
    let seen = Foreseen { model: of.model, record, context: of.context, value };
    of.model.records[record.index()].checks.iter().all(|check| match check.kind {
        CheckKind::Holds(rule) => !seen.fails(rule, None),
        _ => true,
    })
}

/// Whether a row under a condition is there if its value is, and only then, as far as that follows from
/// numbers of the form.
fn is_there<'v>(
    of: Sayer<'_>,
    record: RecordId,
    row: &Row,
    given: &Given<'v>,
    value: &dyn Fn(&str) -> Option<Given<'v>>,
) -> bool {
    let Some(condition) = row.when else { return true };
    let seen = Foreseen { model: of.model, record, context: of.context, value };
    let nothing = matches!(given, Given::None);
    match seen.eval(condition, None) {
        Some(Plain::Bool(true)) => !nothing || row.may_say_none(of.model),
        Some(Plain::Bool(false)) => nothing,
        _ => true,
    }
}

/// What decides whether rows can say something, beside them.
#[derive(Clone, Copy)]
struct Sayer<'a> {
    model: &'a Model,
    /// The numbers of the epoch.
    context: &'a [i128],
    /// How long rows may be.
    lengths: &'a BTreeMap<(RecordId, RowId), LengthRule>,
}

impl Sayer<'_> {
    /// Whether a row can be as long as its value.
    fn length_fits(self, place: (RecordId, RowId), ty: &Type, value: &Given<'_>) -> bool {
        let Some(rule) = self.lengths.get(&place) else { return true };
        count(ty, value).map_or(true, |count| rule.allows(count))
    }
}

fn row_can_say(of: Sayer<'_>, row: &Row, value: &Given<'_>) -> bool {
    match &row.kind {
        RowKind::Constant(constant) => given_is(value, constant),
        _ => can_say(of, &row.ty, value, row, 0),
    }
}

fn can_say(of: Sayer<'_>, ty: &Type, value: &Given<'_>, row: &Row, depth: u32) -> bool {
    let model = of.model;
    if depth > 64 {
        return true;
    }
    match (ty, value) {
        (ty, Given::None) => {
            row.when.is_some() || row.may_say_none(model) || !model.carries_data(ty)
        }
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
        // Structs of this record in a file are what it says.
        (Type::Array(array), Given::Stored(list)) if list.has_nodes_of(&array.element) => true,
        (Type::Array(array), list) => match list.count() {
            Some(count) => (0..count)
                .all(|index| can_say(of, &array.element, &list.element(index), row, depth + 1)),
            None => true,
        },
        (Type::Region(region), value) => {
            can_say(of, &region.inner, value, row, depth + 1) && can_end(model, region, value)
        }
        (Type::Run(run), Given::Text(text)) => has_letters(run, text) && keeps(model, row, value),
        (Type::Run(run), Given::Units(units)) => match (run.content, String::from_utf16(units)) {
            (Content::Text(_), Ok(text)) => has_letters(run, &text),
            // Only units of this size say what is no text.
            (content, Err(_)) => unit_size(content) == 2,
            _ => true,
        },
        (Type::Record(id), value) => {
            let record = &model.records[id.index()];
            match record.transparent {
                Some(at) => {
                    let only = &record.rows[at.index()];
                    let named = |name: &str| (only.name.as_deref() == Some(name)).then_some(*value);
                    can_say(of, &only.ty, value, only, depth + 1)
                        && of.length_fits((*id, at), &only.ty, value)
                        && follows(of, *id, only, Some(value), &named)
                        && keeps_rules(of, *id, &named)
                }
                None => struct_can_say(of, *id, value, depth + 1),
            }
        }
        (Type::Pointer(pointer), value) => {
            pointer.owned().map_or(true, |target| can_say(of, target, value, row, depth + 1))
        }
        _ => true,
    }
}

/// The struct in a type that cannot say what a value has for it.
fn failing_struct(of: Sayer<'_>, ty: &Type, value: &Given<'_>, row: &Row) -> Option<RecordId> {
    if matches!(value, Given::None) {
        return None;
    }
    match ty {
        Type::Region(region) => failing_struct(of, &region.inner, value, row),
        Type::Pointer(pointer) => failing_struct(of, pointer.owned()?, value, row),
        Type::Array(array) => {
            let mut all = (0..value.count()?).map(|index| value.element(index));
            let failing = all.find(|element| !can_say(of, &array.element, element, row, 0))?;
            failing_struct(of, &array.element, &failing, row)
        }
        Type::Record(id) if of.model.records[id.index()].transparent.is_none() => Some(*id),
        _ => None,
    }
}

/// Whether the rows of a struct can say what a value has for them.
fn struct_can_say(of: Sayer<'_>, id: RecordId, value: &Given<'_>, depth: u32) -> bool {
    let record = &of.model.records[id.index()];
    match *value {
        Given::Struct(fields) if fields.stands_for() != StandsFor::OnlyRow => {
            fields_can_say(of, id, fields, depth)
        }
        Given::Stored(stored) => {
            let Some(node) = stored.node() else { return true };
            let stored_id = stored.tree.record_id(node);
            let stored_rows = &of.model.records[stored_id.index()].rows;
            let value = |name: &str| {
                let same = |row: &Row| row.name.as_deref() == Some(name);
                let at = stored_rows.iter().position(same)?;
                let given = stored.data(RowId(u32::try_from(at).ok()?));
                (!matches!(given, Given::Missing)).then_some(given)
            };
            stored_id == id
                || keeps_rules(of, id, &value)
                    && record
                        .numbered_rows()
                        .all(|(at, row)| field_can_say(of, (id, at), row, &value, depth))
        }
        _ => true,
    }
}

/// The same of a struct in a value, with those without names in it.
fn fields_can_say(of: Sayer<'_>, id: RecordId, fields: &dyn Fields, depth: u32) -> bool {
    let record = &of.model.records[id.index()];
    let value = |name: &str| {
        let same = |row: &Row| row.name.as_deref() == Some(name);
        let at = record.rows.iter().position(same)?;
        let row = RowId(u32::try_from(at).ok()?);
        let given = fields.field(Asked { record: id, row, name: Some(name) });
        (!matches!(given, Given::Missing)).then_some(given)
    };
    depth > 64
        || keeps_rules(of, id, &value)
            && record.numbered_rows().all(|(row, definition)| {
                match (&definition.name, definition.ty.stripped()) {
                    (Some(_), _) => field_can_say(of, (id, row), definition, &value, depth),
                    (None, Type::Record(inner)) => {
                        let given = fields.field(Asked { record: id, row, name: None });
                        !matches!(given, Given::Here)
                            || fields_can_say(of, *inner, fields, depth + 1)
                    }
                    _ => true,
                }
            })
}

/// The same of a row of it. Whether one under a condition is there is seen when it is built.
fn field_can_say<'v>(
    of: Sayer<'_>,
    (record, at): (RecordId, RowId),
    row: &Row,
    value: &dyn Fn(&str) -> Option<Given<'v>>,
    depth: u32,
) -> bool {
    let Some(name) = row.name.as_deref().filter(|_| row.when.is_none()) else { return true };
    match (&row.role, value(name)) {
        (Role::Data | Role::Default(_), Some(given)) => {
            can_say(of, &row.ty, &given, row, depth)
                && of.length_fits((record, at), &row.ty, &given)
                && follows(of, record, row, Some(&given), value)
        }
        (Role::Derived, None) => follows(of, record, row, None, value),
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
