//! Streams that begin with rows of one record, such as `ints ++ bools.items`: which rows lead to
//! their elements is worked out once for each record, and not for each node that asks.

use alloc::rc::Rc;
use alloc::vec::Vec;

use super::map::Map;
use super::plan::{Plan, Store};
use crate::model::{
    BinaryOp, Expr, ExprId, Field, Member, Model, Record, RecordId, RowId, Step, Target, Type,
};

/// Part of a stream: rows from one inline record, or target of a pointer, to the next, and the steps
/// from what is in the last one.
#[derive(Debug)]
pub(crate) struct Chain<'p> {
    pub rows: Vec<RowId>,
    /// How many of these rows lead to the node that has the last one, itself or in a part, and the
    /// slot of that row there, if it has one.
    pub to_node: usize,
    pub slot: Option<u16>,
    /// Whether it leads to the same node as the chain before it.
    pub same_node: bool,
    pub rest: &'p [Step],
    /// Whether these steps are taken from each element by itself, as behind a definition that puts
    /// streams together.
    pub each: bool,
}

impl Chain<'_> {
    /// Position of the last of the rows, of which there is one at least.
    pub(crate) fn last(&self) -> usize {
        self.rows.len() - 1
    }
}

/// Chains by expression and record.
#[derive(Debug, Default)]
pub(crate) struct Chains<'p> {
    places: Map,
    known: Vec<Option<Rc<[Chain<'p>]>>>,
    /// Single chains by the address of a field that a path goes on with, and record.
    fields: Map,
    ways: Vec<Option<Rc<Chain<'p>>>>,
}

impl<'p> Chains<'p> {
    /// The one chain that a path goes on with from nodes of a record, if it is one.
    pub(crate) fn way_on(
        &mut self,
        (model, plans): (&'p Model, &'p [Plan]),
        field: &'p Field,
        rest: &'p [Step],
        record: RecordId,
    ) -> Option<Rc<Chain<'p>>> {
        let address = core::ptr::from_ref(field) as usize as u64;
        let key = address.checked_mul(1 << 16)? | u64::from(u16::try_from(record.0).ok()?);
        let number = match self.fields.get(key) {
            Some(number) => number,
            None => {
                let mut finding = Finding { model, plans, first: record, found: Vec::new() };
                let all = finding.field(field, rest, record, &Around::default());
                let only = finding.found.pop().filter(|chain| !chain.each);
                let only = only.filter(|_| all.is_some() && finding.found.is_empty());
                let number = u32::try_from(self.ways.len()).unwrap_or(u32::MAX);
                self.ways.push(only.map(Rc::new));
                self.fields.insert(key, number);
                number
            }
        };
        self.ways[number as usize].clone()
    }

    /// The chains that a stream consists of where it is asked for in a node of a record, if it is
    /// like that.
    pub(crate) fn of(
        &mut self,
        (model, plans): (&'p Model, &'p [Plan]),
        expr: ExprId,
        record: RecordId,
    ) -> Option<Rc<[Chain<'p>]>> {
        let key = u64::from(expr.0) << 32 | u64::from(record.0);
        let number = match self.places.get(key) {
            Some(number) => number,
            None => {
                let mut finding = Finding { model, plans, first: record, found: Vec::new() };
                let all = finding.stream(expr, record, &Around::default());
                let number = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
                self.known.push(all.map(|()| finding.found.into()));
                self.places.insert(key, number);
                number
            }
        };
        self.known[number as usize].clone()
    }
}

/// Most definitions that lead to one another.
const MAX_DEPTH: u32 = 16;

/// What comes before and behind something that chains are made of.
#[derive(Clone, Default)]
struct Around<'p> {
    rows: Vec<RowId>,
    rest: &'p [Step],
    each: bool,
    depth: u32,
}

struct Finding<'p> {
    model: &'p Model,
    plans: &'p [Plan],
    /// The record that all begins in.
    first: RecordId,
    found: Vec<Chain<'p>>,
}

impl<'p> Finding<'p> {
    /// The chains of an expression.
    fn stream(&mut self, expr: ExprId, record: RecordId, around: &Around<'p>) -> Option<()> {
        match &self.model[expr] {
            Expr::Binary(BinaryOp::Concatenate, a, b) => {
                let around = Around { each: around.depth > 0, ..around.clone() };
                self.stream(*a, record, &around)?;
                self.stream(*b, record, &around)
            }
            Expr::Path(path) if path.start.is_in(record) && around.depth < MAX_DEPTH => {
                self.steps(&path.steps, record, around)
            }
            _ => None,
        }
    }

    fn steps(&mut self, steps: &'p [Step], record: RecordId, around: &Around<'p>) -> Option<()> {
        match steps.split_first() {
            Some((Step::Field(field), rest)) => self.field(field, rest, record, around),
            _ => None,
        }
    }

    /// How many rows lead to the node that has the last one, and its slot there.
    fn slot_of(&self, rows: &[RowId]) -> (usize, Option<u16>) {
        let (mut record, mut to_node, mut before) = (self.first, 0, 0);
        for (index, row) in rows.iter().enumerate() {
            let plan = &self.plans[record.index()];
            match plan.rows[row.index()].store {
                Store::Part(part) => before += plan.parts[usize::from(part)].slots,
                Store::Slot(slot) if index + 1 == rows.len() => {
                    return (to_node, before.checked_add(slot));
                }
                Store::Slot(_) => (to_node, before) = (index + 1, 0),
                _ => break,
            }
            match inside(&self.model.records[record.index()].rows[row.index()].ty) {
                Some(inner) => record = inner,
                None => break,
            }
        }
        (rows.len().saturating_sub(1), None)
    }

    fn field(
        &mut self,
        field: &'p Field,
        rest: &'p [Step],
        record: RecordId,
        around: &Around<'p>,
    ) -> Option<()> {
        let definition = &self.model.records[record.index()];
        match field.way_in(record) {
            [Member::Let(index)] => {
                let expr = definition.lets.get(*index as usize)?.expr;
                let (rest, depth) = (one_of(rest, around.rest)?, around.depth + 1);
                self.stream(expr, record, &Around { rest, depth, ..around.clone() })
            }
            [Member::Row(row)] => {
                let mut rows = around.rows.clone();
                rows.push(*row);
                let field = &definition.rows[row.index()];
                let inner = inside(&field.ty);
                // Another form of a case may have another record there.
                let same = |form: &&Record| {
                    let spelled = form.rows.iter().filter(|spelled| spelled.name == field.name);
                    spelled.map(|spelled| inside(&spelled.ty)).all(|record| record == inner)
                };
                let one = self.model.forms_of(definition).iter().all(same);
                let Some(inner) = inner.filter(|_| one && !rest.is_empty()) else {
                    let rest = one_of(rest, around.rest)?;
                    let plain = rest.iter().all(|step| matches!(step, Step::Field(_)));
                    let (to_node, slot) = self.slot_of(&rows);
                    let before = self.found.last().map(|chain| &chain.rows[..chain.to_node]);
                    let same_node = before == Some(&rows[..to_node]);
                    let each = around.each;
                    self.found.push(Chain { rows, to_node, slot, same_node, rest, each });
                    return plain.then_some(());
                };
                // What a transparent record stands for has a step of its own.
                let only = self.model.records[inner.index()].transparent.is_some();
                if only && !is_row_of(self.model, rest, inner) {
                    return None;
                }
                self.steps(rest, inner, &Around { rows, ..around.clone() })
            }
            _ => None,
        }
    }
}

/// One of two lists of steps, if the other one is empty.
fn one_of<'p>(first: &'p [Step], second: &'p [Step]) -> Option<&'p [Step]> {
    match (first, second) {
        (only, []) | ([], only) => Some(only),
        _ => None,
    }
}

/// The record in a row, or that a pointer in it leads to.
fn inside(ty: &Type) -> Option<RecordId> {
    match ty {
        Type::Record(record) => Some(*record),
        Type::Pointer(pointer) => match &pointer.target {
            Target::Own(Type::Record(record)) => Some(*record),
            _ => None,
        },
        _ => None,
    }
}

/// Whether the first of some steps is the row that a transparent record stands for.
fn is_row_of(model: &Model, steps: &[Step], record: RecordId) -> bool {
    let Some(Step::Field(field)) = steps.first() else { return false };
    match (field.way_in(record), model.records[record.index()].transparent) {
        ([Member::Row(row)], Some(only)) => *row == only,
        _ => false,
    }
}
