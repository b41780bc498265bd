//! The state that reading and writing share: the tree, the context, and what is asked for on demand.

use formwork::{Budget, DictionaryError, Endian, ReadError, ReadErrorKind, ReadOptions};
use formwork_model::{
    ByteOrder, DefinerScope, DefinerSource, EndianRule, EpochId, Home, Measure, Model, Record,
    RecordId, Row, RowId, Type,
};

use std::collections::HashSet;

use crate::read::Reading;
use crate::tree::{Loc, NodeId, Tree};
use crate::write::Writing;

/// Why something could not be computed. Callers turn it into an error of their direction.
#[derive(Debug)]
pub(crate) enum Fault {
    /// Reading something on demand failed; the error has its place.
    Read(ReadError),
    /// An expression has no value here.
    Eval(String),
    /// No radix tree can hold these keys; with the key it is about.
    Keys(DictionaryError, String),
    /// The address of an object is asked for before the layout has placed it.
    NotPlaced(String),
    /// A number depends on itself.
    Cycle(String),
    /// A limit was reached.
    Limit(ReadErrorKind),
}

pub(crate) type Fallible<T> = Result<T, Box<Fault>>;

pub(crate) fn eval_error<T>(message: impl Into<String>) -> Fallible<T> {
    Err(Box::new(Fault::Eval(message.into())))
}

pub(crate) struct Engine<'m, 'b> {
    pub model: &'m Model,
    pub tree: Tree,
    pub root: NodeId,
    pub epoch: EpochId,
    /// Values of the epoch variables.
    pub context: Vec<i128>,
    /// Byte order of the file.
    pub order: ByteOrder,
    pub budget: Budget,
    /// Rows from whose size some number follows.
    pub followed: HashSet<(RecordId, RowId)>,
    pub options: ReadOptions,
    /// Address of the next byte to read.
    pub here: u64,
    /// End of the region around it.
    pub region_end: u64,
    /// Depth of nested evaluation.
    pub depth: u32,
    pub mode: Mode<'b>,
}

pub(crate) enum Mode<'b> {
    Read(Reading<'b>),
    Write(Writing),
}

/// Expressions may lead from `let` to `let` and from row to row only so far. Sizes of nested regions
/// count too, several steps a level.
const MAX_EVALUATION_DEPTH: u32 = 4000;

/// Runs something that may nest deeply: the stack grows if little of it is left.
pub(crate) fn with_stack<T>(what: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(128 * 1024, 1024 * 1024, what)
}

impl<'m, 'b> Engine<'m, 'b> {
    pub(crate) fn record(&self, node: NodeId) -> &'m Record {
        &self.model.records[self.tree.node(node).record.index()]
    }

    pub(crate) fn row(&self, loc: Loc) -> &'m Row {
        &self.record(loc.node).rows[loc.row.index()]
    }

    pub(crate) fn home(&self, row: &Row) -> Home {
        row.homes.get(self.epoch.index()).copied().unwrap_or(Home::Nowhere)
    }

    pub(crate) fn is_reading(&self) -> bool {
        matches!(self.mode, Mode::Read(_))
    }

    pub(crate) fn reading(&mut self) -> &mut Reading<'b> {
        match &mut self.mode {
            Mode::Read(reading) => reading,
            Mode::Write(_) => unreachable!("only called by the reader"),
        }
    }

    pub(crate) fn writing(&mut self) -> &mut Writing {
        match &mut self.mode {
            Mode::Write(writing) => writing,
            Mode::Read(_) => unreachable!("only called by the writer"),
        }
    }

    /// Makes sure that a row has its item, and that what a pointer in it leads to is there.
    pub(crate) fn force(&mut self, node: NodeId, row: RowId) -> Fallible<()> {
        if self.is_reading() { self.force_read(node, row) } else { self.force_write(node, row) }
    }

    pub(crate) fn charge(&mut self, units: u64) -> Fallible<()> {
        self.budget.charge(units).map_err(|kind| Box::new(Fault::Limit(kind)))
    }

    pub(crate) fn deeper<T>(&mut self, what: impl FnOnce(&mut Self) -> Fallible<T>) -> Fallible<T> {
        if self.depth >= MAX_EVALUATION_DEPTH {
            return Err(Box::new(Fault::Limit(ReadErrorKind::DepthLimit {
                limit: MAX_EVALUATION_DEPTH,
            })));
        }
        self.depth += 1;
        let result = with_stack(|| what(self));
        self.depth -= 1;
        result
    }

    /// Byte order of the cells of a node that do not say their own.
    pub(crate) fn node_order(&mut self, node: NodeId) -> Fallible<Option<Endian>> {
        let mut at = Some(node);
        while let Some(node) = at {
            match &self.record(node).endian {
                Some(EndianRule::Fixed(order)) => return Ok(Some(endian(*order))),
                Some(EndianRule::Chosen(choices, otherwise)) => {
                    for (condition, order) in choices {
                        if self.eval_bool(*condition, node, None)? {
                            return Ok(Some(endian(*order)));
                        }
                    }
                    return Ok(otherwise.map(endian));
                }
                None => at = self.tree.node(node).owner,
            }
        }
        Ok(Some(endian(self.order)))
    }

    pub(crate) fn describe(&self, loc: Loc) -> String {
        self.tree.path(self.model, loc).to_string()
    }
}

/// Rows from whose size a derived number follows.
pub(crate) fn followed(model: &Model) -> HashSet<(RecordId, RowId)> {
    let mut found = HashSet::new();
    for (index, record) in (0_u32..).zip(&model.records) {
        for definer in record.rows.iter().flat_map(|row| &row.definers) {
            let DefinerSource::Measure { measure: Measure::Size, row, .. } = &definer.source else {
                continue;
            };
            let holder = match &definer.scope {
                DefinerScope::Own => Some(RecordId(index)),
                DefinerScope::Owner(owner, _) => Some(*owner),
                DefinerScope::Case(union, case) => {
                    let ty = &record.rows[union.index()].ty;
                    match crate::eval::union_type(ty) {
                        Some(Type::Union(id)) => {
                            Some(model.unions[id.index()].cases[*case as usize].record)
                        }
                        _ => None,
                    }
                }
            };
            found.extend(holder.map(|holder| (holder, *row)));
        }
    }
    found
}

pub(crate) fn endian(order: ByteOrder) -> Endian {
    match order {
        ByteOrder::Little => Endian::Little,
        ByteOrder::Big => Endian::Big,
    }
}
