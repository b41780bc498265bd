//! How many units of its budget the engine takes at most for a file that the fast reader carries.
//!
//! The engine counts decoded bytes, nodes with their slots, pointers, elements and steps of
//! expressions ([`Budget::charge`](formwork::Budget::charge)); the fast reader counts bytes and
//! elements, which is cheaper. So that a small budget does not take the fast path away, what the
//! engine counts is bounded by what the fast reader counts: `base + weight * units`, where `units`
//! are the bytes that the fast reader has passed, each as often as it has, and the elements that it
//! has charged. The proof:
//!
//! - A file has one root. What it costs without elements of arrays and without types that contain
//!   themselves is a constant of the schema, `base`: in the rest of the schema no type contains
//!   itself, so each row is there at most once for each place of the schema. What a pointer leads to
//!   counts as part of the record that has the pointer.
//! - In the same way an element, or an entry into a type that contains itself, costs a constant
//!   without the elements and entries in it. Its *own bytes* are those of its numbers, pointers,
//!   prefixes and runs of constant size that are in no element or entry further in. They are passed
//!   by the fast reader for each element or entry, and no two share one, unless the two are the same
//!   thing. So all elements and entries together cost at most `weight * units` if each costs at most
//!   `weight` for each of its own bytes, whichever of its cases, rows with conditions and targets of
//!   pointers are there. An element that the fast reader charges has a unit more.
//! - What the engine counts by size are bytes that it decodes as the fast reader does, behind the
//!   same pointers: once as part of a compact record, once as a number or run, and once where a text
//!   is looked at. That is [`BYTE`] for each unit.
//! - An expression costs a constant if it goes through no array but by a subscript, and runs over no
//!   elements. It is evaluated for each node that it stands in: twice at most, as a row is read once,
//!   and either what decides about it or what it follows from is asked for once more. With others
//!   the bound is not known. Nor is it with references by rank, whose filter runs over elements.
//! - Keys of references are collected once for each array: one unit for each element and each
//!   reference of the schema.
//!
//! A schema whose reader is sealed has no pools, dictionaries, shared tables, relocation tables and
//! numbers that are kept, so nothing has to be said about them.
//! `tests/compiled` holds the bound against what the engine really takes, for every file of every
//! schema of the tests.

use std::cell::{Cell as Flag, RefCell};
use std::collections::BTreeSet;

use crate::model::{
    ArrayLength, ArrayType, BinaryOp, Cell, CheckKind, DefinerSource, Expr, ExprId, Extent,
    Function, Home, Meaning, Measure, Member, Model, Path, Record, RecordId, Row, RowKind,
    RunLength, Sizes, Start, Step, Storage, StreamFunction, Tag, Target, Type, UnionId,
};

/// Units for each byte, however it is looked at.
const BYTE: u64 = 3;
/// Units for a node, for each of its slots, for a pointer and for an element.
const NODE: i64 = 8;
const SLOT: i64 = 3;
const POINTER: i64 = 5;
const ELEMENT: i64 = 3;
/// How often an expression is evaluated for a node.
const TIMES: i64 = 2;
/// How deep definitions may lead to each other.
const NESTING: u32 = 64;

/// The greatest weight that is tried.
const MOST: i64 = 1 << 12;

/// `base` and `weight` of a model, if they are known.
pub(super) fn effort(model: &Model, sizes: &[Sizes<'_>]) -> Option<(u64, u64)> {
    let effort = |weight: i64| Effort::new(model, sizes, weight);
    // The least weight with which no element and no entry costs more than it has bytes for.
    let (mut too_small, mut weight) = (-1, MOST);
    if !effort(weight).is_enough()? {
        return None;
    }
    while weight - too_small > 1 {
        let middle = too_small + (weight - too_small) / 2;
        match effort(middle).is_enough()? {
            true => weight = middle,
            false => too_small = middle,
        }
    }
    // What the root costs, of whose bytes nothing is taken off.
    let plain = effort(0);
    plain.is_enough()?;
    let base = plain.node(model.root, NESTING)?;
    Some((u64::try_from(base).ok()?, u64::try_from(weight).ok()?.checked_add(BYTE)?))
}

/// Costs in units of the budget, less the weight for each own byte.
struct Effort<'a, 'm> {
    model: &'a Model,
    sizes: &'a [Sizes<'m>],
    weight: i64,
    /// References by key.
    keys: i64,
    /// What a node of each record costs.
    known: RefCell<Vec<Option<i64>>>,
    /// Records that contain themselves, and have been looked at.
    entered: RefCell<BTreeSet<RecordId>>,
    /// Those that are elements, and what that costs besides.
    later: RefCell<Vec<(RecordId, i64)>>,
    /// Whether some element or entry costs more than it has bytes for.
    exceeded: Flag<bool>,
}

impl<'a, 'm> Effort<'a, 'm> {
    fn new(model: &'a Model, sizes: &'a [Sizes<'m>], weight: i64) -> Self {
        let rows = model.records.iter().flat_map(|record| &record.rows);
        let by_key = |row: &&Row| row.reference.as_ref().is_some_and(|r| r.field.is_some());
        Effort {
            model,
            sizes,
            weight,
            keys: i64::try_from(rows.filter(by_key).count()).unwrap_or(i64::MAX),
            known: RefCell::new(vec![None; model.records.len()]),
            entered: RefCell::default(),
            later: RefCell::default(),
            exceeded: Flag::new(false),
        }
    }

    fn record(&self, id: RecordId) -> &'a Record {
        &self.model.records[id.index()]
    }

    /// Whether the weight is enough for all elements and entries.
    fn is_enough(&self) -> Option<bool> {
        self.inner(self.model.root, NESTING)?;
        for (id, more) in self.later.take() {
            self.unit(self.node(id, NESTING)?.checked_add(more)?);
        }
        Some(!self.exceeded.get())
    }

    /// Looks at an element or entry.
    fn unit(&self, cost: i64) {
        self.exceeded.set(self.exceeded.get() || cost > 0);
    }

    /// What so many own bytes take off.
    fn bytes(&self, bytes: u64) -> i64 {
        -self.weight.saturating_mul(i64::try_from(bytes).unwrap_or(i64::MAX))
    }

    /// The bytes of a number.
    fn width(&self, cell: &Cell) -> i64 {
        match cell.storage {
            Storage::Fixed(int) => self.bytes(int.bytes.into()),
            Storage::Varint(_) => self.bytes(1),
            _ => 0,
        }
    }

    /// A node, with all that is in it and behind its pointers, except elements and entries.
    fn node(&self, id: RecordId, nesting: u32) -> Option<i64> {
        if let Some(known) = self.known.borrow()[id.index()] {
            return Some(known);
        }
        let nesting = nesting.checked_sub(1)?;
        let record = self.record(id);
        let mut cost = NODE + SLOT * (i64::try_from(record.rows.len()).ok()? + 1);
        for row in &record.rows {
            cost = cost.checked_add(self.row(row, record, nesting)?)?;
        }
        for check in &record.checks {
            cost = cost.checked_add(self.check(&check.kind, record, nesting)?)?;
        }
        self.known.borrow_mut()[id.index()] = Some(cost);
        Some(cost)
    }

    fn row(&self, row: &Row, record: &Record, nesting: u32) -> Option<i64> {
        let mut each = i64::from(row.unique);
        for check in &row.checks {
            each = each.checked_add(self.check(&check.kind, record, nesting)?)?;
        }
        if let Some(reference) = &row.reference {
            if reference.filter.is_some() {
                return None;
            }
            each = each.checked_add(1 + TIMES * self.path(&reference.array, record, nesting)?)?;
        }
        let content = self.ty(&row.ty, each, record, nesting)?;
        let always = |home: &Home| matches!(home, Home::At(_) | Home::Next);
        let mut cost =
            each.checked_add(match row.when.is_none() && row.homes.iter().all(always) {
                true => content,
                // Its bytes may not be there.
                false => content.max(0),
            })?;
        let address = match row.kind {
            RowKind::Object { address } | RowKind::Mark { address } => Some(address),
            _ => None,
        };
        for expr in row.when.into_iter().chain(address) {
            cost = cost.checked_add(TIMES * self.expr(expr, record, nesting)?)?;
        }
        for definer in &row.definers {
            let given = match definer.source {
                DefinerSource::Expr(expr) => self.expr(expr, record, nesting)?,
                DefinerSource::Measure { measure: Measure::At(base), .. } => {
                    self.expr(base, record, nesting)?
                }
                DefinerSource::Measure { .. } => 0,
            };
            cost = cost.checked_add(TIMES * given)?;
        }
        Some(cost)
    }

    fn check(&self, kind: &CheckKind, record: &Record, nesting: u32) -> Option<i64> {
        match kind {
            CheckKind::Min(expr)
            | CheckKind::Max(expr)
            | CheckKind::Equals(expr)
            | CheckKind::Holds(expr) => Some(TIMES * self.expr(*expr, record, nesting)?),
            CheckKind::OneOf(list) => list.iter().try_fold(0_i64, |sum, expr| {
                sum.checked_add(TIMES * self.expr(*expr, record, nesting)?)
            }),
        }
    }

    /// What is of a type, except elements and entries. Each of its elements costs `each` more.
    fn ty(&self, ty: &Type, each: i64, record: &Record, nesting: u32) -> Option<i64> {
        let nesting = nesting.checked_sub(1)?;
        let expr = |expr: ExprId| Some(TIMES * self.expr(expr, record, nesting)?);
        match ty {
            Type::Cell(cell) => match cell.meaning {
                Meaning::Word(id) => self.node(id, nesting)?.checked_add(self.width(cell)),
                _ => Some(self.width(cell)),
            },
            Type::ByteOrderMark => Some(self.bytes(2)),
            Type::Text | Type::Nothing => Some(0),
            Type::Run(run) => {
                let length = match &run.length {
                    RunLength::Count(count) => expr(*count)?,
                    RunLength::Prefix(cell) => self.width(cell),
                    RunLength::Fixed(size) => self.bytes(*size),
                    RunLength::Fill => 0,
                };
                length.checked_add(self.bytes(run.suffix.len() as u64))
            }
            Type::Region(region) => {
                let extent = match region.extent {
                    Extent::Size(size) => expr(size)?,
                    Extent::End(end) => expr(end)?,
                    Extent::Rest => 0,
                    Extent::Terminated(_) => return None,
                };
                extent.checked_add(self.ty(&region.inner, each, record, nesting)?)
            }
            Type::Record(id) => self.inner(*id, nesting),
            Type::Union(id) => self.union(*id, record, nesting),
            Type::Pointer(pointer) => {
                let Target::Own(target) = &pointer.target else { return None };
                let cell = match &pointer.cell {
                    Some(_) => 0,
                    None => self.width(&self.model.pointers[pointer.kind.index()].cell),
                };
                // It may lead nowhere.
                let target = self.ty(target, each, record, nesting)?.max(0);
                POINTER.checked_add(cell)?.checked_add(target)
            }
            Type::Array(array) => {
                self.elements(array, each, record, nesting)?;
                match array.length {
                    ArrayLength::Count(count) => expr(count),
                    ArrayLength::Fill => Some(0),
                    ArrayLength::Last(_) => None,
                }
            }
            Type::PerEpoch(types) => types
                .iter()
                .try_fold(i64::MIN, |most, ty| Some(most.max(self.ty(ty, each, record, nesting)?))),
        }
    }

    /// A record in a row; nothing if it is an entry, which counts for itself.
    fn inner(&self, id: RecordId, nesting: u32) -> Option<i64> {
        if !self.record(id).recursive {
            return self.node(id, nesting);
        }
        if self.entered.borrow_mut().insert(id) {
            self.unit(self.node(id, nesting)?);
        }
        Some(0)
    }

    fn union(&self, id: UnionId, record: &Record, nesting: u32) -> Option<i64> {
        let union = &self.model.unions[id.index()];
        let mut cost = match union.tag {
            Tag::Given(given) => TIMES * self.expr(given, record, nesting)?,
            _ => 0,
        };
        let tag = match &union.tag {
            Tag::Own(cell) | Tag::Word(cell) => self.width(cell),
            Tag::Row(_) | Tag::Given(_) => 0,
        };
        let mut most = None;
        for case in &union.cases {
            if let Some(guard) = case.guard {
                cost = cost.checked_add(TIMES * self.expr(guard, record, nesting)?)?;
            }
            let of_case = self.inner(case.record, nesting)?;
            let forms = case.forms.iter().map(|form| self.inner(form.record, nesting));
            let forms = forms.collect::<Option<Vec<i64>>>()?;
            let this = match forms.iter().max() {
                // It has the bytes of what is around.
                None if case.whole => of_case.max(0),
                None => of_case.checked_add(tag)?,
                // The bytes of the case are those of the form.
                Some(form) => form.checked_add(of_case.max(0))?.checked_add(tag)?,
            };
            most = most.max(Some(this));
        }
        cost.checked_add(most.unwrap_or(0))
    }

    /// The elements of an array.
    fn elements(&self, array: &ArrayType, each: i64, record: &Record, nesting: u32) -> Option<()> {
        let element = &array.element;
        let inside = self.ty(element, each, record, nesting)?.checked_add(each)?;
        if let Type::Cell(Cell { storage: Storage::Fixed(_), meaning }) = element
            && !matches!(meaning, Meaning::Word(_))
        {
            // Numbers in whole bytes are charged by size.
            self.unit(inside);
            return Some(());
        }
        let cost = inside.checked_add(ELEMENT)?.checked_add(self.keys)?;
        match element {
            // The element is the entry, and has its bytes.
            Type::Record(id) if self.record(*id).recursive => {
                self.later.borrow_mut().push((*id, cost));
            }
            // Elements of no constant size are charged if it is known how many there are.
            _ if matches!(array.length, ArrayLength::Count(_))
                && self.sizes.iter().all(|sizes| sizes.of(element).is_none()) =>
            {
                self.unit(cost.checked_add(self.bytes(1))?);
            }
            _ => self.unit(cost),
        }
        Some(())
    }

    /// An expression in a node of a record, evaluated once.
    fn expr(&self, expr: ExprId, record: &Record, nesting: u32) -> Option<i64> {
        let nesting = nesting.checked_sub(1)?;
        let expr = &self.model[expr];
        let own = match expr {
            Expr::Path(path) | Expr::Is(path, _) => self.path(path, record, nesting)?,
            Expr::At(path)
            | Expr::End(path)
            | Expr::Size(path)
            | Expr::Index(path)
            | Expr::IsLast(path) => TIMES * self.path(path, record, nesting)?,
            Expr::Call(Function::Length | Function::Number, _) => 0,
            // An array is not gone through where its elements are only counted.
            Expr::Stream(StreamFunction::Count, stream, None) => match &self.model[*stream] {
                Expr::Path(path) if path.steps.len() == 1 => self.path(path, record, nesting)?,
                _ => return None,
            },
            Expr::Stream(..)
            | Expr::Call(..)
            | Expr::Listed(_)
            | Expr::RelocationSections
            | Expr::RelocationEntries
            | Expr::Patricia(_) => return None,
            Expr::Binary(BinaryOp::Concatenate, ..) => return None,
            _ => 0,
        };
        let mut sum = own.checked_add(1);
        if !matches!(expr, Expr::Stream(..)) {
            expr.operands(&mut |operand| {
                sum = sum.and_then(|sum| sum.checked_add(self.expr(operand, record, nesting)?));
            });
        }
        sum
    }

    fn path(&self, path: &Path, record: &Record, nesting: u32) -> Option<i64> {
        let nesting = nesting.checked_sub(1)?;
        let mut cost = 1_i64;
        if let Start::Argument(number) = path.start {
            // The argument is evaluated in whatever struct holds this one.
            let argument = *record.arguments.get(number as usize)?;
            let mut plain = path.steps.is_empty();
            self.model.exprs.paths(argument, &mut |path| {
                plain &= !matches!(path.start, Start::Argument(_));
            });
            cost = cost.checked_add(self.expr(argument, record, nesting).filter(|_| plain)?)?;
        }
        let mut in_array = false;
        for step in &path.steps {
            match step {
                Step::Field(field) => {
                    if in_array {
                        return None;
                    }
                    let mut most = 0;
                    for (of, members) in &field.members {
                        let of = self.record(*of);
                        let mut steps = i64::try_from(members.len()).ok()?;
                        for member in members {
                            match member {
                                Member::Row(row) | Member::Into(row) => {
                                    let row = of.rows.get(row.index());
                                    in_array |= row.is_some_and(|row| is_array(&row.ty));
                                }
                                Member::Let(number) => {
                                    let expr = of.lets.get(*number as usize)?.expr;
                                    steps = steps.checked_add(self.expr(expr, of, nesting)?)?;
                                }
                            }
                        }
                        most = most.max(steps);
                    }
                    cost = cost.checked_add(most)?;
                }
                Step::Index(index) => {
                    in_array = false;
                    cost = cost.checked_add(self.expr(*index, record, nesting)?)?;
                }
                Step::Last => in_array = false,
            }
        }
        Some(cost)
    }
}

/// Whether a step into a row, or from it, may go through elements.
fn is_array(ty: &Type) -> bool {
    match ty.stripped() {
        Type::Array(_) => true,
        Type::Pointer(pointer) => match &pointer.target {
            Target::Own(target) => is_array(target),
            _ => false,
        },
        Type::PerEpoch(types) => types.iter().any(is_array),
        _ => false,
    }
}
