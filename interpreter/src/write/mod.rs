//! Writing: from a value to the tree of nodes, from there to addresses, from there to bytes.
//!
//! 1. *Build*: the value becomes a tree; what does not fit the schema is a problem.
//! 2. *Expand*: arrays that follow from others (dictionaries, shared tables) get their elements.
//! 3. *Place*: the layout runs and gives every object its address; pools and relocation tables
//!    are collected when it reaches them.
//! 4. *Validate*: counts, references and rules.
//! 5. *Fill*: an exactly sized buffer, every address known.

pub(crate) mod build;
mod expand;
mod extent;
mod fill;
pub(crate) mod lay;
mod number;
pub(crate) mod place;
mod tags;
mod validate;

use std::collections::HashMap;

use formwork::{Budget, DictionaryError, Path, Problem, ProblemKind, ReadOptions, WriteError};
use formwork_model::{
    ByteOrder, ByteOrderRule, Constant, EpochId, ExprId, Model, Role, RowId, Type,
};

use crate::engine::{Engine, Fault, Mode};
use crate::tree::{Loc, NodeId, Tree};
use crate::value::Value;

/// Largest file that is written, in bytes.
pub(crate) const MAX_SIZE: u64 = 1 << 32;

/// What only writing needs.
pub(crate) struct Writing {
    pub problems: Vec<Problem>,
    /// Size of the file, once everything is placed.
    pub total: Option<u64>,
    /// Address of the next object.
    pub cursor: u64,
    /// Address behind the object that was placed last, before any fill.
    pub last_end: u64,
    /// End of the region around what is being placed, if something else says it.
    pub room: Option<u64>,
    /// Sizes are computed, addresses are not set.
    pub measuring: bool,
    /// Sizes of regions that were measured.
    pub measured: HashMap<(NodeId, RowId), u64>,
    /// Running totals of slices in their tables.
    pub bases: HashMap<(NodeId, RowId), i128>,
    /// Addresses of pool members by their bytes.
    pub members: HashMap<(NodeId, RowId), HashMap<Vec<u8>, u64>>,
    /// Bytes that belong to no row: tails of regions, kept gaps.
    pub loose: Vec<(u64, Vec<u8>)>,
    /// Sizes and ends of regions that must agree with an expression.
    pub expectations: Vec<Expectation>,
    /// Alignment of an object whose bytes do not come first in its layout.
    pub aligns: HashMap<NodeId, u64>,
    pub out: Vec<u8>,
}

/// A length that an expression of the schema states too.
pub(crate) struct Expectation {
    pub loc: Loc,
    pub expr: ExprId,
    pub actual: u64,
    pub what: &'static str,
}

/// Writes a value as a file.
pub(crate) fn write(model: &Model, value: &Value) -> Result<Vec<u8>, WriteError> {
    let mut engine = Engine {
        model,
        tree: Tree::default(),
        root: NodeId(0),
        epoch: EpochId(0),
        context: Vec::new(),
        order: match model.byte_order {
            ByteOrderRule::Fixed(order) => order,
            ByteOrderRule::Mark { .. } => ByteOrder::Little,
        },
        budget: Budget::new(u64::MAX / 128, &ReadOptions::default()),
        followed: crate::engine::followed(model),
        options: ReadOptions::default(),
        here: 0,
        region_end: 0,
        depth: 0,
        mode: Mode::Write(Writing {
            problems: Vec::new(),
            total: None,
            cursor: 0,
            last_end: 0,
            room: None,
            measuring: false,
            measured: HashMap::new(),
            bases: HashMap::new(),
            members: HashMap::new(),
            loose: Vec::new(),
            expectations: Vec::new(),
            aligns: HashMap::new(),
            out: Vec::new(),
        }),
    };
    engine.write_file(value);
    let writing = engine.writing();
    let problems = std::mem::take(&mut writing.problems);
    if problems.is_empty() {
        Ok(std::mem::take(&mut writing.out))
    } else {
        Err(WriteError::new(problems))
    }
}

impl<'m> Engine<'m, '_> {
    fn write_file(&mut self, value: &Value) {
        if !self.choose_epoch(value) {
            return;
        }
        self.build_root(value);
        if !self.writing().problems.is_empty() {
            return;
        }
        self.expand();
        if !self.writing().problems.is_empty() {
            return;
        }
        let root = self.root;
        if let Err(fault) = self.place_root() {
            self.report(*fault, Loc::row(root, RowId(u32::MAX)));
        }
        if !self.writing().problems.is_empty() {
            return;
        }
        self.validate();
        if !self.writing().problems.is_empty() {
            return;
        }
        self.fill();
    }

    pub(crate) fn problem(&mut self, loc: Loc, kind: ProblemKind) {
        let path = self.tree.path(self.model, loc);
        let problem = Problem::new(path, kind);
        let problems = &mut self.writing().problems;
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }

    /// A fault of an expression, as a problem of a row.
    pub(crate) fn report(&mut self, fault: Fault, loc: Loc) {
        let kind = match fault {
            Fault::Eval(message) => ProblemKind::Expression { message: message.into() },
            Fault::Keys(DictionaryError::EmptyKey { .. }, _) => ProblemKind::EmptyKey,
            Fault::Keys(DictionaryError::DuplicateKey { .. }, key) => {
                ProblemKind::DuplicateKey { key: key.into() }
            }
            Fault::Keys(error, _) => ProblemKind::Expression { message: error.to_string().into() },
            Fault::NotPlaced(what) => ProblemKind::Expression {
                message: format!("the address of `{what}` is needed before it is known").into(),
            },
            Fault::Cycle(what) => ProblemKind::Cycle { what: what.into() },
            Fault::Limit(kind) => ProblemKind::Expression { message: kind.to_string().into() },
            Fault::Read(error) => ProblemKind::Expression { message: error.to_string().into() },
        };
        self.problem(loc, kind);
    }

    /// Finds the epoch that a value is written in.
    fn choose_epoch(&mut self, value: &Value) -> bool {
        match epoch_of(self.model, value) {
            Ok((epoch, context)) => {
                self.epoch = epoch;
                self.model = self.model.in_epoch(epoch);
                self.context = context;
                true
            }
            Err(problem) => {
                self.writing().problems.push(problem);
                false
            }
        }
    }
}

/// The epoch that a value is written in, with its epoch variables.
pub(crate) fn epoch_of(model: &Model, value: &Value) -> Result<(EpochId, Vec<i128>), Problem> {
    let mut context = Vec::new();
    for variable in &model.epoch_variables {
        let mut record = model.root;
        let mut here = Some(value);
        let mut number = None;
        let mut path = Path::new();
        for (depth, row) in variable.path.iter().enumerate() {
            let row = &model.records[record.index()].rows[row.index()];
            if let Some(name) = &row.name {
                here = here.and_then(|value| value.get(name));
                path.push(formwork::Segment::Field(name.clone().into()));
            }
            if depth + 1 == variable.path.len() {
                number = match (here, &row.role) {
                    (Some(Value::Int(n)), _) => Some(*n),
                    (None, Role::Default(Constant::Int(n))) => Some(*n),
                    _ => None,
                };
            } else if let Type::Record(inner) = row.ty {
                record = inner;
            }
        }
        match number {
            Some(number) => context.push(number),
            None => return Err(Problem::new(path, ProblemKind::MissingField)),
        }
    }
    match find_epoch(model, &context) {
        Ok(epoch) => Ok((epoch, context)),
        Err((name, value)) => {
            let kind = ProblemKind::NoLayout { name: name.into(), value };
            Err(Problem::new(Path::new(), kind))
        }
    }
}

/// The epoch that covers these values of the epoch variables; else one that none covers.
pub(crate) fn find_epoch(model: &Model, context: &[i128]) -> Result<EpochId, (String, i128)> {
    let inside =
        |ranges: &[(i128, i128)], n: i128| ranges.iter().any(|(low, high)| *low <= n && n <= *high);
    let covers = |epoch: &formwork_model::Epoch| {
        context.iter().zip(&epoch.ranges).all(|(n, ranges)| inside(ranges, *n))
    };
    match model.epochs.iter().position(covers) {
        Some(index) => Ok(EpochId(u32::try_from(index).unwrap_or(0))),
        None => {
            let culprit =
                model.epoch_variables.iter().zip(context).enumerate().find(|(index, (_, n))| {
                    !model.epochs.iter().any(|epoch| {
                        epoch.ranges.get(*index).is_some_and(|ranges| inside(ranges, **n))
                    })
                });
            match culprit {
                Some((_, (variable, n))) => Err((variable.name.clone(), *n)),
                None => Err((
                    model.epoch_variables.first().map(|v| v.name.clone()).unwrap_or_default(),
                    context.first().copied().unwrap_or(0),
                )),
            }
        }
    }
}
