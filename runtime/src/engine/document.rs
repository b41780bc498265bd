//! A file that was read.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::ops::Range;

use super::entry::{byte_order, choose_epoch, wrong_magic};
use super::item::{Item, Loc, NodeRef, MAX_SIZE};
use super::plan::Direction;
use super::program::Program;
use super::reading::{Claim, Note};
use super::source::{Given, Stored};
use super::state::Engine;
use super::tree::Tree;
use super::val::{Fault, Val};
use super::write;
use super::writing::Aim;
use crate::error::{ReadError, ReadErrorKind};
use crate::load::Endian;
use crate::model::{EpochId, RowId};
use crate::options::{Budget, ReadOptions};
use crate::problem::WriteError;
use crate::spelling::KeptKind;

/// A file that was read: every row of every record, derived ones included, with its place.
pub struct Document<'p, 'b> {
    pub(super) engine: Engine<'p, 'b>,
    pub(super) program: &'p Program,
}

/// Reads a file.
///
/// # Errors
///
/// The first thing that does not fit the schema, with its offset in bytes and its path.
pub fn read<'p, 'b>(
    program: &'p Program,
    bytes: &'b [u8],
    options: &ReadOptions,
) -> Result<Document<'p, 'b>, ReadError> {
    let (document, error) = read_once(program, bytes, options);
    match error {
        None => Ok(document),
        Some(error) => Err(error),
    }
}

/// Reads a file as far as it goes: what was read before the error is in the document.
pub fn read_partly<'p, 'b>(
    program: &'p Program,
    bytes: &'b [u8],
    options: &ReadOptions,
) -> (Document<'p, 'b>, Option<ReadError>) {
    read_noting(program, bytes, options, None)
}

/// The same, and the document knows which row accounts for which bytes.
pub fn read_claiming<'p, 'b>(
    program: &'p Program,
    bytes: &'b [u8],
    options: &ReadOptions,
) -> (Document<'p, 'b>, Option<ReadError>) {
    read_noting(program, bytes, options, Some(Vec::new()))
}

/// A file that cannot be read to its end is read again: only then it matters what was asked for
/// before its turn.
fn read_noting<'p, 'b>(
    program: &'p Program,
    bytes: &'b [u8],
    options: &ReadOptions,
    claims: Option<Vec<Claim>>,
) -> (Document<'p, 'b>, Option<ReadError>) {
    let (document, error) = read_as(program, bytes, options, claims.clone(), None);
    match error {
        Some(_) => read_as(program, bytes, options, claims, Some(BTreeSet::new())),
        None => (document, None),
    }
}

/// Reads a file once, and gives what was read and noted before an error, too.
pub(crate) fn read_once<'p, 'b>(
    program: &'p Program,
    bytes: &'b [u8],
    options: &ReadOptions,
) -> (Document<'p, 'b>, Option<ReadError>) {
    read_as(program, bytes, options, None, None)
}

fn read_as<'p, 'b>(
    program: &'p Program,
    bytes: &'b [u8],
    options: &ReadOptions,
    claims: Option<Vec<Claim>>,
    asked: Option<BTreeSet<Loc>>,
) -> (Document<'p, 'b>, Option<ReadError>) {
    let model = program.model();
    let (order, order_error) = match byte_order(model, bytes) {
        Ok(order) => (order, None),
        Err(error) => (Endian::Little, Some(error)),
    };
    let mut undecided = false;
    let mut chosen = |way: &[RowId]| {
        let layout = program.layout(EpochId(0));
        let mut engine = Engine::new(program, layout, Direction::Reading, bytes, options);
        engine.order = order;
        engine.order_at(way).inspect_err(|_| undecided = true)
    };
    let (epoch, context, epoch_error) = match choose_epoch(model, bytes, order, &mut chosen) {
        Ok((epoch, context)) => (epoch, context, None),
        Err(error) => (EpochId(0), Vec::new(), Some(error)),
    };
    let layout = program.layout(epoch);
    let mut engine = Engine::new(program, layout, Direction::Reading, bytes, options);
    engine.context = context;
    engine.order = order;
    engine.reading.claims = claims;
    engine.tree.partial.asked = asked;
    let size_error = (bytes.len() as u64 > MAX_SIZE)
        .then(|| ReadError::new(ReadErrorKind::TooLarge { limit: MAX_SIZE }, 0));
    // Where a struct should have chosen the order, what it asks for may be wrong: reading it says so.
    let (early, late) = if undecided { (None, epoch_error) } else { (epoch_error, None) };
    let error = match size_error.or(order_error).or(early) {
        Some(error) => Some(error),
        None => engine.read_file().err().or(late),
    };
    let error = error.map(|error| wrong_magic(program, bytes, &error).unwrap_or(error));
    if error.is_some() {
        engine.part_tables();
    }
    engine.tree.partial.failed = error.is_some();
    engine.tree.leave_arrays();
    (Document { engine, program }, error)
}

impl<'p, 'b> Document<'p, 'b> {
    /// The program that read it.
    #[must_use]
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// The value of the whole file, to be written or looked at; nothing if nothing could be read.
    #[must_use]
    pub fn value(&self) -> Given<'_> {
        if self.engine.tree.is_empty() {
            return Given::Missing;
        }
        Given::Stored(Stored { tree: &self.engine.tree, item: Item::Node(NodeRef::ROOT) })
    }

    /// Writes the file again, from what its value says.
    ///
    /// # Errors
    ///
    /// Those of [`write()`](super::write()).
    pub fn write(&self) -> Result<Vec<u8>, WriteError> {
        let mut out = Vec::new();
        let file = self.engine.tree.file;
        write::write(self.program, self.value(), file, Aim::Bytes, &mut out)?;
        Ok(out)
    }

    /// Whether nothing is spelled in an unusual way.
    #[must_use]
    pub fn is_canonical(&self) -> bool {
        self.engine.tree.kept.is_empty()
    }

    /// Forgets what is kept of a kind: the file is written without it.
    pub fn forget_kept(&mut self, kind: KeptKind) {
        self.engine.tree.kept.forget(kind);
    }

    /// Every row of every record, derived ones included, with its place.
    #[must_use]
    pub fn tree(&self) -> &Tree<'p, 'b> {
        &self.engine.tree
    }

    /// Whether anything was read: an error may come before the first node.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.engine.tree.is_empty()
    }

    /// What each row accounts for, in the order of reading; nothing unless the file was read with
    /// [`read_claiming`].
    #[must_use]
    pub fn claims(&self) -> &[Claim] {
        self.engine.reading.claims.as_deref().unwrap_or_default()
    }

    /// Bytes before objects of an arranged file that are as many as their alignment asks for behind
    /// what the file has before them, in the order of the layout; nothing unless the file was read
    /// with [`read_claiming`].
    #[must_use]
    pub fn padding(&self) -> &[Range<u64>] {
        &self.engine.reading.padding
    }

    /// Addresses of pointers that only the file's relocation table lists, and of those, marked
    /// `false`, that only the schema does.
    pub fn unlisted(&mut self) -> Vec<(u64, bool)> {
        self.engine.table_differences().unwrap_or_default()
    }

    /// Byte order of the cells of a node that do not say their own; none if no condition decides it.
    pub fn node_order(&mut self, node: NodeRef) -> Option<Endian> {
        self.engine.node_order(node).ok().flatten()
    }

    /// For each of these rows, which hold references or are slices of a table of them, the array that
    /// these must hit an element of; nothing where there is none. Of a file that could only be read in part, none is known.
    ///
    /// # Errors
    ///
    /// If looking for them takes more than the reader may take to read the file.
    pub fn referred(&mut self, rows: &[Loc]) -> Result<Vec<Option<Loc>>, ReadErrorKind> {
        if self.engine.tree.partial.failed {
            return Ok(rows.iter().map(|_| None).collect());
        }
        let size = self.engine.tree.file.len() as u64;
        self.engine.budget = Budget::new(size, &self.engine.options);
        let engine = &mut self.engine;
        rows.iter()
            .map(|loc| match engine.referred_by(*loc) {
                Ok(array) => Ok(array),
                Err(fault) => match *fault {
                    Fault::Limit(kind) => Err(kind),
                    _ => Ok(None),
                },
            })
            .collect()
    }

    /// For each of these rows, whose elements something else describes, where what describes each of
    /// them stands; of those that nothing describes, and of a file that could only be read in part,
    /// none is known.
    ///
    /// # Errors
    ///
    /// If looking for them takes more than the reader may take to read the file.
    pub fn describing(&mut self, rows: &[Loc]) -> Result<Vec<Vec<Option<Loc>>>, ReadErrorKind> {
        if self.engine.tree.partial.failed {
            return Ok(rows.iter().map(|_| Vec::new()).collect());
        }
        let size = self.engine.tree.file.len() as u64;
        self.engine.budget = Budget::new(size, &self.engine.options);
        let engine = &mut self.engine;
        rows.iter()
            .map(|loc| match engine.describing_places(*loc) {
                Ok(places) => Ok(places),
                Err(fault) => match *fault {
                    Fault::Limit(kind) => Err(kind),
                    _ => Ok(Vec::new()),
                },
            })
            .collect()
    }

    /// Whether an equation gives a row its number in its node.
    pub fn follows(&mut self, loc: Loc) -> bool {
        matches!(self.engine.derived(loc), Ok(Some(val)) if !matches!(val, Val::None))
    }

    /// What was noticed that is no error, in the order of its discovery.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.engine.reading.notes
    }

    /// The epoch whose layouts the file has.
    #[must_use]
    pub fn epoch(&self) -> EpochId {
        self.engine.layout.epoch
    }
}
