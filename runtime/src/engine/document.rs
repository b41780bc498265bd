//! A file that was read.

use alloc::vec::Vec;

use super::state::Engine;
use super::item::{Item, NodeRef, MAX_SIZE};
use super::plan::Direction;
use super::program::Program;
use super::read::entry::{byte_order, choose_epoch};
use super::read::Note;
use super::source::{Given, Stored};
use super::write::{self, Aim};
use crate::error::{ReadError, ReadErrorKind};
use crate::load::Endian;
use crate::model::EpochId;
use crate::options::ReadOptions;
use crate::problem::WriteError;

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
    let (document, error) = read_partly(program, bytes, options);
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
    read_as(program, bytes, options, false)
}

/// The same, and the document knows which row accounts for which bytes.
pub fn read_claiming<'p, 'b>(
    program: &'p Program,
    bytes: &'b [u8],
    options: &ReadOptions,
) -> (Document<'p, 'b>, Option<ReadError>) {
    read_as(program, bytes, options, true)
}

fn read_as<'p, 'b>(
    program: &'p Program,
    bytes: &'b [u8],
    options: &ReadOptions,
    claiming: bool,
) -> (Document<'p, 'b>, Option<ReadError>) {
    let model = program.model();
    let (order, order_error) = match byte_order(model, bytes) {
        Ok(order) => (order, None),
        Err(error) => (Endian::Little, Some(error)),
    };
    let (epoch, context, epoch_error) = match choose_epoch(model, bytes, order) {
        Ok((epoch, context)) => (epoch, context, None),
        Err(error) => (EpochId(0), Vec::new(), Some(error)),
    };
    let layout = program.layout(epoch);
    let mut engine = Engine::new(program, layout, Direction::Reading, bytes, options);
    engine.context = context;
    engine.order = order;
    engine.reading.claims = claiming.then(Vec::new);
    let size_error = (bytes.len() as u64 > MAX_SIZE)
        .then(|| ReadError::new(ReadErrorKind::TooLarge { limit: MAX_SIZE }, 0));
    let error = match size_error.or(order_error).or(epoch_error) {
        Some(error) => Some(error),
        None => engine.read_file().err(),
    };
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
        if self.engine.tree.nodes.is_empty() {
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
