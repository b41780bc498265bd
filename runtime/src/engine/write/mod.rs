//! Writing: from a value to the tree of nodes, from there to addresses, from there to bytes.
//!
//! 1. *Build*: the value becomes a tree; what does not fit the schema is a problem.
//! 2. *Expand*: arrays that follow from others (dictionaries, shared tables) get their elements.
//! 3. *Place*: the layout runs and gives every object its address; pools and relocation tables
//!    are collected when it reaches them.
//! 4. *Validate*: counts, references and rules.
//! 5. *Fill*: an exactly sized buffer, every address known.

mod again;
mod arrange;
pub(crate) mod build;
pub(crate) mod columns;
pub(crate) mod expand;
mod extent;
mod fill;
pub(crate) mod lay;
mod number;
pub(crate) mod place;
mod scattered;
mod tags;
mod validate;

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::vec::Vec;

use super::entry::{find_epoch, meant};
use super::item::{Loc, NodeRef, MAX_SIZE, WHOLE};
use super::plan::Direction;
use super::program::Program;
use super::source::{Asked, Given};
use super::state::Engine;
use super::val::Fault;
use super::writing::{Aim, LostForms, Moves};
use crate::dictionary::DictionaryError;
use crate::load::Endian;
use crate::model::{
    ByteOrderRule, Constant, DefinerSource, EpochId, EpochVariable, Meaning, Model, Role, RowKind,
};
use crate::path::{Path, Segment};
use crate::problem::{Problem, ProblemKind, WriteError};

/// Rows that follow from each other are followed so far.
const MOST_STEPS: u32 = 16;

/// Writes a value as a file, behind what `out` holds. `file` is the file from which parts of the value
/// were taken, if there is one.
pub(crate) fn write(
    program: &Program,
    value: Given<'_>,
    file: &[u8],
    aim: Aim,
    out: &mut Vec<u8>,
) -> Result<(), WriteError> {
    let (epoch, context) = match epoch_of(program, value) {
        Ok(found) => found,
        Err(problem) => return Err(WriteError::new(alloc::vec![problem])),
    };
    let layout = program.layout(epoch);
    let base = out.len();
    let mut moves = Moves::default();
    let mut ended = BTreeSet::new();
    let mut lost_forms = LostForms::new();
    let mut uses = BTreeMap::new();
    let mut refused = None;
    loop {
        let mut engine = Engine::new(program, layout, Direction::Writing, file, &program.writing);
        engine.context.clone_from(&context);
        engine.order = match program.model().byte_order {
            ByteOrderRule::Fixed(order) => order.into(),
            ByteOrderRule::Mark { .. } => Endian::Little,
        };
        engine.writing.base = base;
        engine.writing.checking = aim == Aim::Check && !layout.positioned;
        engine.writing.placing.moves = core::mem::take(&mut moves);
        engine.writing.ended = core::mem::take(&mut ended);
        engine.writing.lost_forms = core::mem::take(&mut lost_forms);
        engine.writing.uses = core::mem::take(&mut uses);
        engine.writing.out = core::mem::take(out);
        engine.write_file(value);
        *out = core::mem::take(&mut engine.writing.out);
        if engine.writing.is_open() {
            moves = engine.writing.placing.moves;
            if engine.writing.late_forms.is_empty() {
                ended = engine.writing.ended;
                ended.append(&mut engine.writing.late_ends);
                uses = engine.writing.uses;
                uses.append(&mut engine.writing.late_uses);
            } else {
                // Other forms have other nodes: what was found out about those is found out again.
                let Moves { forgotten, gapless, .. } = moves;
                moves = Moves { forgotten, gapless, ..Moves::default() };
            }
            lost_forms = engine.writing.lost_forms;
            for (path, mut forms) in engine.writing.late_forms {
                lost_forms.entry(path).or_default().append(&mut forms);
            }
            out.truncate(base);
            continue;
        }
        if !engine.writing.problems.is_empty() {
            out.truncate(base);
            let refused = refused.get_or_insert(WriteError::new(engine.writing.problems.take()));
            // Another form may be able to say what this one cannot.
            if !engine.writing.blamed_forms.is_empty() {
                let Moves { forgotten, gapless, .. } = engine.writing.placing.moves;
                moves = Moves { forgotten, gapless, ..Moves::default() };
                lost_forms = engine.writing.lost_forms;
                for (path, mut forms) in engine.writing.blamed_forms {
                    lost_forms.entry(path).or_default().append(&mut forms);
                }
                continue;
            }
            // What the file had may leave no room for what is written now.
            let Some(next) = engine.less_arranged() else { return Err(refused.clone()) };
            moves = next;
            lost_forms = engine.writing.lost_forms;
            uses = engine.writing.uses;
            continue;
        }
        let placing = &mut engine.writing.placing;
        if let Some(next) = placing.again.take() {
            moves = next;
            lost_forms = engine.writing.lost_forms;
            uses = engine.writing.uses;
            out.truncate(base);
            continue;
        }
        // What leads to where something was may lead to something else in a file that has changed.
        let arranged = placing.arranged && !engine.writing.checking;
        let forgotten = placing.moves.forgotten && !engine.writing.checking;
        if layout.positioned || arranged || forgotten {
            let bytes = out.get(base..).unwrap_or_default();
            let problem = again::reads_otherwise(program, &engine.tree, bytes);
            if problem.is_some() || aim != Aim::Bytes {
                out.truncate(base);
            }
            match problem {
                Some(_) if arranged => {
                    moves = engine.writing.placing.moves;
                    moves.forgotten = true;
                    lost_forms = engine.writing.lost_forms;
                    uses = engine.writing.uses;
                    continue;
                }
                Some(problem) => return Err(problem.into()),
                None => {}
            }
        }
        return Ok(());
    }
}

impl<'p> Engine<'p, '_> {
    fn write_file(&mut self, value: Given<'_>) {
        self.build_root(value);
        if !self.writing.problems.is_empty() {
            return;
        }
        self.tree.set_order(self.order);
        self.memo.forget();
        self.expand();
        if !self.writing.problems.is_empty() {
            return;
        }
        self.memo.forget();
        if let Err(fault) = self.place_root() {
            let at = self.writing.failed.take();
            self.report(*fault, at.unwrap_or(Loc::row(NodeRef::ROOT, WHOLE)));
        }
        if self.writing.placing.again.is_some() {
            return;
        }
        if let Some(total) = self.writing.total {
            self.close_region(0, total);
        }
        self.check_sizes();
        self.check_uses();
        if self.writing.is_open() {
            return;
        }
        if !self.writing.problems.is_empty() {
            return;
        }
        self.validate();
        if self.writing.is_open() || !self.writing.problems.is_empty() {
            return;
        }
        self.fill();
    }

    #[cold]
    pub(crate) fn problem(&mut self, loc: Loc, kind: ProblemKind) {
        self.problem_inside(loc, loc, kind);
    }

    /// A problem of something inside of a row or element that another form may not have.
    #[cold]
    pub(crate) fn problem_inside(&mut self, inside: Loc, loc: Loc, kind: ProblemKind) {
        // What is too much is what was said.
        let data = match kind {
            ProblemKind::UnexpectedField { .. } => loc,
            _ => self.data_of(loc),
        };
        // A row that nobody gives is named beside the data that it follows from.
        let row = self.tree.record(loc.node).rows.get(loc.row.index());
        let name = row.filter(|_| data != loc).and_then(|row| row.name.as_deref());
        let kind = match (name, kind) {
            (Some(name), ProblemKind::DoesNotFit { value, ty }) => {
                ProblemKind::DoesNotFit { value: format!("its `{name}` {value}").into(), ty }
            }
            (Some(name), ProblemKind::CheckFailed { check, why }) => {
                ProblemKind::CheckFailed { check: format!("{name}: {check}").into(), why }
            }
            (_, kind) => kind,
        };
        if is_of_value(&kind) {
            self.blame_form(inside);
        }
        let problem = Problem::new(self.tree.path(data), kind);
        self.writing.problems.add(problem);
    }

    /// The row or element that somebody has to change where a problem is about this one: that from
    /// which it follows, if it follows from one.
    fn data_of(&self, loc: Loc) -> Loc {
        let mut at = loc;
        for _ in 0..MOST_STEPS {
            let Some(row) = self.tree.record(at.node).rows.get(at.row.index()) else { break };
            if !matches!(row.role, Role::Derived) || self.tree.is_data(at, row) {
                break;
            }
            let measured = row.definers.iter().find_map(|definer| {
                let node = self.tree.scope(definer, at)?;
                match &definer.source {
                    DefinerSource::Measure { row, .. } => Some(Loc::row(node, *row)),
                    DefinerSource::Expr(_) => None,
                }
            });
            match measured {
                Some(next) => at = next,
                None => return loc,
            }
        }
        at
    }

    /// A fault of an expression, as a problem of a row.
    #[cold]
    pub(crate) fn report(&mut self, fault: Fault, loc: Loc) {
        let expression = |message: Box<str>| ProblemKind::Expression { message };
        let kind = match fault {
            Fault::Eval(message) => expression(message.into()),
            Fault::Keys(DictionaryError::EmptyKey { .. }, _, place) => {
                return self.problem(place.unwrap_or(loc), ProblemKind::EmptyKey);
            }
            Fault::Keys(DictionaryError::DuplicateKey { .. }, key, place) => {
                let kind = ProblemKind::DuplicateKey { key: key.into() };
                return self.problem(place.unwrap_or(loc), kind);
            }
            Fault::Keys(error, ..) => expression(format!("{error}").into()),
            Fault::NotPlaced(what) => {
                expression(format!("the {what} is needed before it is known").into())
            }
            Fault::NotWritten(what) => {
                expression(format!("the bytes of `{what}` are needed before they are known").into())
            }
            Fault::Cycle(what) => ProblemKind::Cycle { what: what.into() },
            Fault::Limit(kind) => expression(format!("{kind}").into()),
            Fault::Read(error) => expression(format!("{error}").into()),
        };
        self.problem(loc, kind);
    }

    /// Whether what is placed has become too large for a file.
    pub(crate) fn is_too_large(&self) -> bool {
        self.writing.cursor > MAX_SIZE
    }
}

/// Whether a problem is that a row cannot say a value, which another row may.
fn is_of_value(kind: &ProblemKind) -> bool {
    matches!(
        kind,
        ProblemKind::DoesNotFit { .. }
            | ProblemKind::MeansNothing { .. }
            | ProblemKind::CheckFailed { .. }
            | ProblemKind::MissingField
            | ProblemKind::UnexpectedField { .. }
            | ProblemKind::NoForm
            | ProblemKind::TextNotEncodable { .. }
            | ProblemKind::TextContains { .. }
            | ProblemKind::TooLong { .. }
            | ProblemKind::LengthMismatch { .. }
    )
}

/// The number of a member of the enumeration that an epoch variable is.
fn member(model: &Model, variable: &EpochVariable, name: &str) -> Option<i128> {
    let Meaning::Enum(id) = variable.cell.meaning else { return None };
    let members = &model.enums[id.index()].members;
    members.iter().find(|member| member.name == name).map(|member| member.number)
}

/// The epoch that a value is written in, with its epoch variables.
pub(crate) fn epoch_of(
    program: &Program,
    value: Given<'_>,
) -> Result<(EpochId, Vec<i128>), Problem> {
    let model = program.model();
    let mut context = Vec::new();
    for variable in &model.epoch_variables {
        let mut here = value;
        let mut number = None;
        let mut path = Path::new();
        for (record, id) in model.rows_along(model.root, &variable.path) {
            let of = &model.records[record.index()];
            let row = &of.rows[id.index()];
            let asked = Asked { record, row: id, name: row.name.as_deref() };
            let inside = match here {
                Given::Stored(stored) if stored.node().is_some() => stored.field(id),
                // Its value is that of its row.
                _ if of.transparent == Some(id) => here,
                Given::Word(all) => Given::Int(meant(variable, all)),
                Given::Struct(fields) => fields.field(asked),
                _ => Given::Missing,
            };
            // The fields of a struct without a name are among those of the one around it.
            if !matches!(inside, Given::Here) {
                here = inside;
            }
            if let Some(name) = &row.name {
                path.push(Segment::Field(name.clone().into()));
            }
            let stated = match (&row.role, &row.kind) {
                (Role::Default(constant), _) | (_, RowKind::Constant(constant)) => Some(constant),
                _ => None,
            };
            number = match (here, stated) {
                (Given::Int(n), _) | (Given::Missing, Some(&Constant::Int(n))) => Some(n),
                (Given::Bool(yes), _) | (Given::Missing, Some(&Constant::Bool(yes))) => {
                    Some(yes.into())
                }
                (Given::Text(name), _) => member(model, variable, name),
                _ => None,
            };
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
