//! Reading to the end of a region ends: elements take bytes, and nothing is expected behind.

use std::collections::HashSet;

use super::context::{Context, bodies, row_name, until_settled};
use super::owning::{Owning, owning, skippable};
use super::placement::laid;
use crate::diagnostic::Diagnostics;
use crate::model::{
    ArrayLength, EpochId, Expr, ExprId, Extent, Home, Model, PathStep, Record, RecordId, Row,
    RowKind, RunLength, Statement, Storage, Tag, Terminated, Type, UnionId,
};

/// What is known of the records of an epoch.
struct Facts<'a> {
    model: &'a Model,
    epoch: EpochId,
    /// Records that always take at least a bit.
    filled: HashSet<RecordId>,
    /// Records that take bytes in some file.
    sometimes: HashSet<RecordId>,
    /// Records that always reach to the end of the region around them.
    greedy: HashSet<RecordId>,
}

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    let laid = laid(context);
    for (epoch, _) in context.epochs() {
        let facts = Facts::new(context.model, epoch);
        for (_, record) in context.records(epoch) {
            let mut greedy: Option<&Row> = None;
            let here = |row: &&Row| row.home(epoch) != Home::Absent && row.holds_bytes();
            for row in record.rows.iter().filter(here) {
                empty_elements(&facts, row, found);
                let next = matches!(row.home(epoch), Home::Next);
                if let Some(greedy) = greedy.filter(|_| next)
                    && row.when.is_none()
                    && (facts.filled_row(row) || facts.sometimes_row(row) && !facts.greedy_row(row))
                {
                    let message = format!("there is never room for {}", row_name(row));
                    let diagnostic = found.error("E0704", row.span, message);
                    diagnostic.also(greedy.span, "takes everything up to the end");
                    diagnostic.help(ways_out(greedy, epoch));
                    break;
                }
                if row.when.is_none() && facts.greedy_row(row) {
                    greedy = Some(row);
                }
            }
        }
        for (id, record) in context.records(epoch).filter(|(id, _)| laid.contains(id)) {
            let passes = record.passes.iter().map(|(_, pass)| pass);
            for statements in std::iter::once(&record.layout).chain(passes) {
                objects(&facts, (id, record), statements, found);
            }
        }
    }
}

/// Objects behind one that reaches to the end: a reader takes them for a part of it.
fn objects(
    facts: &Facts,
    (id, record): (RecordId, &Record),
    statements: &[Statement],
    found: &mut Diagnostics,
) {
    let mut greedy: Option<&Row> = None;
    for statement in statements {
        let path = match statement {
            Statement::Record(path) | Statement::Put(path) => path,
            Statement::When(_, one, other) => {
                objects(facts, (id, record), one, found);
                objects(facts, (id, record), other, found);
                continue;
            }
            _ => continue,
        };
        let [PathStep { rows }] = path.steps.as_slice() else { continue };
        let [(of, row)] = rows.as_slice() else { continue };
        let row = &record.rows[row.index()];
        let Owning::Object(ty) = owning(row) else { continue };
        if *of != id || row.when.is_some() || row.home(facts.epoch) == Home::Absent {
            continue;
        }
        let there = match row.kind {
            RowKind::Object { address, .. } => facts.is_known(id, address),
            _ => !skippable(facts.model, facts.epoch, row),
        };
        if let Some(greedy) = greedy
            && there
            && (facts.filled(ty) || facts.sometimes(ty) && !facts.greedy(ty))
        {
            let message = format!("there is never room for {}", row_name(row));
            let diagnostic = found.error("E0704", path.span, message);
            diagnostic.also(greedy.span, "takes everything up to the end");
            diagnostic.help(ways_out(greedy, facts.epoch));
            return;
        }
        if facts.greedy(ty) {
            greedy = Some(row);
        }
    }
}

/// What keeps a row from reaching to the end of the region around it.
fn ways_out(greedy: &Row, epoch: EpochId) -> &'static str {
    match greedy.ty.in_epoch(epoch) {
        Type::Run(_) => "give the row before a `size=`, `count=`, `end=` or `terminator=`",
        Type::Array(_) => "give the row before a `size=`, `count=` or `end=`",
        _ => "give the row before a `size=` or `end=`",
    }
}

/// Arrays that fill their region, or go up to an element, of elements without bytes.
fn empty_elements(facts: &Facts, row: &Row, found: &mut Diagnostics) {
    for ty in row.ty.parts_in(facts.epoch) {
        let Type::Array(array) = ty else { continue };
        let endless = matches!(array.length, ArrayLength::Fill | ArrayLength::Last(_));
        if !endless || array.stride.is_some_and(|stride| facts.positive(stride)) {
            continue;
        }
        if !facts.sometimes(&array.element) {
            let message = format!("elements of {} take no bytes", row_name(row));
            let diagnostic = found.error("E0703", row.span, message);
            diagnostic.label("as many as fit are without number");
            diagnostic.help("give the array a `count=`");
        } else if matches!(array.length, ArrayLength::Fill) && !facts.filled(&array.element) {
            let message = format!("elements of {} may take no bytes", row_name(row));
            let diagnostic = found.note("E0705", row.span, message);
            diagnostic.label("there is no end behind an element that does");
        }
    }
}

impl<'a> Facts<'a> {
    /// Begins with what is plain and adds what follows from it, until nothing is added.
    fn new(model: &'a Model, epoch: EpochId) -> Self {
        let none = HashSet::new;
        let mut facts = Facts { model, epoch, filled: none(), sometimes: none(), greedy: none() };
        until_settled(model, |id, record| {
            let block = record.sizes.get(epoch.index()).copied().flatten();
            let here = |row: &&Row| {
                row.when.is_none() && row.home(epoch) != Home::Absent && row.holds_bytes()
            };
            let mut rows = record.rows.iter().filter(here);
            let filled =
                block.is_some_and(|size| size > 0) || rows.clone().any(|row| facts.filled_row(row));
            let greedy = rows.any(|row| facts.greedy_row(row));
            let present = |row: &&Row| row.home(epoch) != Home::Absent && row.holds_bytes();
            let sometimes =
                filled || record.rows.iter().filter(present).any(|row| facts.sometimes_row(row));
            let new_sometimes = sometimes && facts.sometimes.insert(id);
            let new_filled = filled && facts.filled.insert(id);
            let new_greedy = greedy && facts.greedy.insert(id);
            new_filled || new_sometimes || new_greedy
        });
        facts
    }

    fn filled_row(&self, row: &Row) -> bool {
        match row.kind {
            RowKind::Object { .. } | RowKind::Zeros => false,
            _ => self.filled(&row.ty),
        }
    }

    fn sometimes_row(&self, row: &Row) -> bool {
        match row.kind {
            RowKind::Object { .. } => false,
            RowKind::Zeros => true,
            _ => self.sometimes(&row.ty),
        }
    }

    fn greedy_row(&self, row: &Row) -> bool {
        match row.kind {
            RowKind::Object { .. } => false,
            RowKind::Zeros => true,
            _ => self.greedy(&row.ty),
        }
    }

    /// Whether a value of this type always takes at least a bit.
    fn filled(&self, ty: &Type) -> bool {
        match ty.in_epoch(self.epoch) {
            Type::Cell(cell) => !matches!(cell.storage, Storage::Letter { .. } | Storage::TagOf),
            Type::Run(run) => {
                let content = match &run.length {
                    RunLength::Prefix(_) => true,
                    RunLength::Fill => false,
                    RunLength::Fixed(size) => *size > 0,
                    RunLength::Count(count) => self.positive(*count),
                };
                content || !run.suffix.is_empty()
            }
            Type::Record(id) => self.filled.contains(id),
            Type::Union(id) => self.filled_union(*id),
            Type::Pointer(pointer) => !pointer
                .cell
                .as_ref()
                .is_some_and(|cell| matches!(cell.storage, Storage::Letter { .. })),
            Type::ByteOrderMark => true,
            Type::Array(array) => match &array.length {
                ArrayLength::Count(count) => self.positive(*count) && self.filled(&array.element),
                ArrayLength::Last(_) => self.filled(&array.element),
                ArrayLength::Fill => false,
            },
            Type::Region(region) => match &region.extent {
                Extent::Size(size) => self.positive(*size) || self.filled(&region.inner),
                Extent::Terminated(terminator) if terminator.mode != Terminated::Unread => true,
                _ => self.filled(&region.inner),
            },
            Type::Text | Type::Nothing | Type::PerEpoch(_) => false,
        }
    }

    fn positive(&self, expr: ExprId) -> bool {
        self.model.exprs.constant(expr).is_some_and(|value| value > 0)
    }

    /// Whether an address in a record is no nothing in any file.
    fn is_known(&self, id: RecordId, address: ExprId) -> bool {
        match &self.model[address] {
            Expr::Int(_) | Expr::At(_) | Expr::End(_) | Expr::Size(_) | Expr::FileEnd => true,
            Expr::Binary(_, a, b) => self.is_known(id, *a) && self.is_known(id, *b),
            Expr::Path(path) => path.own_row(id).is_some_and(|row| {
                let row = &self.model.records[id.index()].rows[row.index()];
                row.none.is_empty() && row.when.is_none() && row.home(self.epoch) != Home::Absent
            }),
            _ => false,
        }
    }

    /// Whether a value of this type can take bytes.
    fn sometimes(&self, ty: &Type) -> bool {
        let ty = ty.in_epoch(self.epoch);
        self.filled(ty)
            || match ty {
                Type::Run(run) => match &run.length {
                    RunLength::Fill => true,
                    RunLength::Count(count) => self.model.exprs.constant(*count) != Some(0),
                    RunLength::Prefix(_) | RunLength::Fixed(_) => false,
                },
                Type::Record(id) => self.sometimes.contains(id),
                Type::Union(id) => {
                    let bodies = bodies(self.model, *id, self.epoch);
                    bodies.iter().any(|body| self.sometimes.contains(body))
                }
                Type::Array(array) => match &array.length {
                    ArrayLength::Count(count) if self.model.exprs.constant(*count) == Some(0) => {
                        false
                    }
                    _ => self.sometimes(&array.element),
                },
                Type::Region(region) => match &region.extent {
                    Extent::Size(size) => self.model.exprs.constant(*size) != Some(0),
                    Extent::End(_) | Extent::Rest => true,
                    Extent::Terminated(_) => self.sometimes(&region.inner),
                },
                _ => false,
            }
    }

    fn filled_union(&self, id: UnionId) -> bool {
        let Some(union) = self.model.unions.get(id.index()) else { return false };
        matches!(union.tag, Tag::Own(_) | Tag::Word(_))
            || union.size.is_some_and(|size| size > 0)
            || bodies(self.model, id, self.epoch).iter().all(|body| self.filled.contains(body))
    }

    /// Whether a value of this type always reaches to the end of the region around it.
    fn greedy(&self, ty: &Type) -> bool {
        match ty.in_epoch(self.epoch) {
            Type::Run(run) => matches!(run.length, RunLength::Fill),
            Type::Array(array) => matches!(array.length, ArrayLength::Fill),
            Type::Region(region) => matches!(region.extent, Extent::Rest),
            Type::Record(id) => self.greedy.contains(id),
            Type::Union(id) => {
                let bodies = bodies(self.model, *id, self.epoch);
                let sized = self.model.unions.get(id.index()).is_some_and(|u| u.size.is_some());
                !sized && !bodies.is_empty() && bodies.iter().all(|body| self.greedy.contains(body))
            }
            _ => false,
        }
    }
}
