//! How many units of its budget the engine takes at most for a file that the fast reader carries, so
//! that a small budget does not take the fast path away from plain formats.
//!
//! The bound is `base + weight * bytes`, where `bytes` are those that the fast reader passes, each as
//! often as it does. The proof, for sealed schemas, which have no pools and tables:
//!
//! - What the engine charges for a node (its slots, pointers, expressions, and that it is an element)
//!   is a constant of its record. The numbers and pointers in a record that are always there are its
//!   *own bytes*, and no two nodes share one. So all nodes together cost no more than `weight` for
//!   each byte if no record costs more than that for each of its own bytes.
//! - A record without own bytes counts as part of the record around it. The root counts as `base`.
//! - Each byte is looked at a few times by itself: [`BYTE`]. Elements that are known by a key, or are
//!   compared, cost one unit more for each rule that does so, and have a byte at least.
//! - Expressions are bounded if they consist of numbers and lead through no array.
//!
//! Types that contain themselves, and whatever is not named here, have no bound; then the engine reads
//! with small budgets. `tests/compiled` holds the bound against what the engine takes.

use crate::model::visit::{self, Part};
use crate::model::{
    ArrayLength, BinaryOp, Cell, Expr, ExprId, Extent, Home, Meaning, Member, Model, Path, Record,
    RecordId, Row, RowKind, RunLength, Start, Step, Storage, Tag, Target, Type,
};

/// Units for a node that may be an element, for each of its slots, and for a pointer.
const NODE: u64 = 11;
const SLOT: u64 = 3;
const POINTER: u64 = 5;
/// Units for an array, and for an element that is no node.
const ARRAY: u64 = 7;
const ELEMENT: u64 = 3;
/// Units for each byte.
const BYTE: u64 = 3;
/// How often an expression is evaluated for a node: when its row is read, and once more by whoever
/// asks before that.
const TIMES: u64 = 2;
/// Records in records.
const NESTING: u32 = 64;

/// Units that something costs, and its own bytes.
type Cost = (u64, u64);

/// `base` and `weight` of a model, if there is a bound.
pub(super) fn effort(model: &Model) -> Option<(u64, u64)> {
    if model.records.iter().flat_map(|record| &record.rows).any(is_pool) {
        return None;
    }
    let mut expressions = vec![Some(0_u64); model.records.len()];
    visit::expressions(model, &mut |record, part| {
        let cost = match part {
            Part::Expr(expr) => units(model, expr),
            Part::Reference(path) | Part::Table(path) => path_units(model, path).map(|n| n + 1),
        };
        let sum = &mut expressions[record.index()];
        *sum = sum.zip(cost).map(|(sum, cost)| sum.saturating_add(TIMES * cost));
    });
    let mut effort = Effort { model, expressions, per_byte: 0, per_element: 0 };
    let (base, _) = effort.record(model.root, NESTING)?;
    Some((base, BYTE.checked_add(effort.per_byte)?.checked_add(effort.per_element)?))
}

/// Texts of pools are read as often as something leads to them.
fn is_pool(row: &Row) -> bool {
    matches!(row.kind, RowKind::Pool { .. })
}

struct Effort<'m> {
    model: &'m Model,
    /// Units for all expressions of a record.
    expressions: Vec<Option<u64>>,
    /// The most that something costs for each of its own bytes.
    per_byte: u64,
    /// What is looked at for each element of some array.
    per_element: u64,
}

impl Effort<'_> {
    /// What is left of a cost for whatever is around: nothing if there are bytes to bear it.
    fn borne(&mut self, (cost, bytes): Cost) -> u64 {
        if bytes == 0 {
            return cost;
        }
        self.per_byte = self.per_byte.max(cost.div_ceil(bytes));
        0
    }

    fn record(&mut self, id: RecordId, nesting: u32) -> Option<Cost> {
        let (record, nesting) = (&self.model.records[id.index()], nesting.checked_sub(1)?);
        if record.recursive {
            return None;
        }
        let expressions = self.expressions[id.index()]?;
        let slots = u64::try_from(record.rows.len()).ok()? + 1;
        let (mut cost, mut bytes) = (expressions.checked_add(NODE + SLOT * slots)?, 0_u64);
        for row in &record.rows {
            let of_row = self.ty(&row.ty, nesting)?;
            cost = cost.checked_add(of_row.0)?;
            bytes += if is_always_there(row) { of_row.1 } else { 0 };
            let looks = u64::from(row.unique) + u64::from(row.reference.is_some());
            self.per_element += looks;
            if has_array(&row.ty) && (looks > 0 || !row.checks.is_empty()) {
                self.per_element = self.per_element.checked_add(expressions)?;
            }
        }
        Some((cost, bytes))
    }

    fn ty(&mut self, ty: &Type, nesting: u32) -> Option<Cost> {
        let nesting = nesting.checked_sub(1)?;
        match ty {
            Type::Cell(Cell { meaning: Meaning::Word(id), storage }) => {
                let (cost, _) = self.record(*id, nesting)?;
                Some((cost, width(storage)))
            }
            Type::Cell(cell) => Some((0, width(&cell.storage))),
            Type::ByteOrderMark => Some((0, 2)),
            Type::Text | Type::Nothing => Some((0, 0)),
            Type::Run(run) => match &run.length {
                RunLength::Prefix(cell) => Some((0, width(&cell.storage))),
                RunLength::Fixed(size) => Some((0, *size)),
                RunLength::Count(_) | RunLength::Fill => Some((0, 0)),
            },
            Type::Region(region) => {
                let (cost, _) = self.ty(&region.inner, nesting)?;
                // A terminator is looked for.
                self.per_element += u64::from(matches!(region.extent, Extent::Terminated(_)));
                Some((cost, 0))
            }
            Type::Record(id) => {
                let cost = self.record(*id, nesting)?;
                Some((self.borne(cost), 0))
            }
            Type::Union(id) => {
                let union = &self.model.unions[id.index()];
                let mut most = 0;
                for case in &union.cases {
                    if case.whole || !case.forms.is_empty() {
                        return None;
                    }
                    let cost = self.record(case.record, nesting)?;
                    most = most.max(self.borne(cost));
                }
                match &union.tag {
                    Tag::Own(cell) | Tag::Word(cell) => Some((most, width(&cell.storage))),
                    Tag::Row(_) | Tag::Given(_) => Some((most, 0)),
                }
            }
            Type::Pointer(pointer) => {
                let Target::Own(target) = &pointer.target else { return None };
                let target = self.ty(target, nesting)?;
                let cell = &self.model.pointers[pointer.kind.index()].cell;
                let bytes = if pointer.cell.is_some() { 0 } else { width(&cell.storage) };
                Some((POINTER.checked_add(self.borne(target))?, bytes))
            }
            // Its condition is evaluated for each element.
            Type::Array(array) if matches!(array.length, ArrayLength::Last(_)) => None,
            Type::Array(array) => {
                let (cost, bytes) = self.ty(&array.element, nesting)?;
                let own = match &array.element {
                    // A node has that in it, and numbers in whole bytes are charged by size.
                    Type::Record(_) => 0,
                    Type::Cell(cell) if matches!(cell.storage, Storage::Fixed(_)) => 0,
                    _ => ELEMENT,
                };
                (self.borne((cost.checked_add(own)?, bytes)) == 0).then_some((ARRAY, 0))
            }
            Type::PerEpoch(types) => {
                let mut most = (0, u64::MAX);
                for ty in types {
                    let (cost, bytes) = self.ty(ty, nesting)?;
                    most = (most.0.max(cost), most.1.min(bytes));
                }
                Some(most)
            }
        }
    }
}

/// Bytes of a number, at least.
fn width(storage: &Storage) -> u64 {
    match storage {
        Storage::Fixed(int) => int.bytes.into(),
        Storage::Digits { bytes: Some(bytes), .. } => (*bytes).into(),
        Storage::Varint(_) | Storage::Digits { bytes: None, .. } => 1,
        _ => 0,
    }
}

fn is_always_there(row: &Row) -> bool {
    row.when.is_none() && row.homes.iter().all(|home| matches!(home, Home::At(_) | Home::Next))
}

fn has_array(ty: &Type) -> bool {
    ty.parts().any(|part| matches!(part, Type::Array(_)))
}

/// What it takes to evaluate an expression once.
fn units(model: &Model, expr: ExprId) -> Option<u64> {
    let expr = &model[expr];
    let mut sum = match expr {
        Expr::Path(path) => Some(path_units(model, path)?),
        Expr::Int(_) | Expr::Float(_) | Expr::Bool(_) | Expr::Text(_) | Expr::Bytes(_) => Some(0),
        Expr::Binary(BinaryOp::Concatenate, ..) => None,
        Expr::Epoch(_) | Expr::FileEnd | Expr::Here | Expr::RegionEnd => Some(0),
        Expr::Unary(..) | Expr::Binary(..) | Expr::If(..) | Expr::In(..) => Some(0),
        _ => None,
    };
    expr.operands(&mut |operand| {
        sum = sum.and_then(|sum| sum.checked_add(units(model, operand)?));
    });
    sum?.checked_add(1)
}

/// What it takes to follow a path once: nothing is known of one that may lead to many places.
fn path_units(model: &Model, path: &Path) -> Option<u64> {
    if matches!(path.start, Start::Argument(_)) {
        return None;
    }
    let mut all = 1;
    let mut through = false;
    for step in &path.steps {
        let Step::Field(field) = step else { return None };
        let mut most = 0;
        let mut array = false;
        for (record, members) in &field.members {
            let record: &Record = &model.records[record.index()];
            most = most.max(members.len() as u64);
            for member in members {
                let (Member::Row(row) | Member::Into(row)) = member else { return None };
                array |= record.rows.get(row.index()).is_some_and(|row| has_array(&row.ty));
            }
        }
        if through {
            return None;
        }
        (all, through) = (all + most, array);
    }
    Some(all)
}
