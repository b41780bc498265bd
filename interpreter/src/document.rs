//! A file that was read.

use std::collections::HashMap;

use formwork::{Budget, Endian, Path, ReadError, ReadErrorKind, ReadOptions, Segment};
use formwork_model::{
    ByteOrder, ByteOrderRule, Cell, EpochId, Model, RecordId, RowId, Storage, Type,
};

use crate::engine::{Engine, Mode};
use crate::read::{Note, Reading};
use crate::tree::{NodeId, Tree};
use crate::value::Value;
use crate::write::find_epoch;

/// A file that was read: every row of every record, derived ones included, with its place.
pub struct Document<'a> {
    pub(crate) engine: Engine<'a, 'a>,
}

/// Reads a file.
///
/// # Errors
///
/// The first thing that does not fit the schema, with its offset in bytes and its path.
pub fn read<'a>(
    model: &'a Model,
    bytes: &'a [u8],
    options: &ReadOptions,
) -> Result<Document<'a>, ReadError> {
    let (document, error) = read_partly(model, bytes, options);
    match error {
        None => Ok(document),
        Some(error) => Err(error),
    }
}

/// Reads a file as far as it goes: what was read before the error is in the document.
pub fn read_partly<'a>(
    model: &'a Model,
    bytes: &'a [u8],
    options: &ReadOptions,
) -> (Document<'a>, Option<ReadError>) {
    let (order, order_error) = match byte_order(model, bytes) {
        Ok(order) => (order, None),
        Err(error) => (ByteOrder::Little, Some(error)),
    };
    let (epoch, context, epoch_error) = match choose_epoch(model, bytes, order) {
        Ok((epoch, context)) => (epoch, context, None),
        Err(error) => (EpochId(0), Vec::new(), Some(error)),
    };
    let model = model.in_epoch(epoch);
    let mut engine = Engine {
        model,
        tree: Tree::default(),
        root: NodeId(0),
        epoch,
        context,
        order,
        budget: Budget::new(bytes.len() as u64, options),
        followed: crate::engine::followed(model),
        options: options.clone(),
        here: 0,
        region_end: bytes.len() as u64,
        depth: 0,
        mode: Mode::Read(Reading {
            bytes,
            claims: Vec::new(),
            objects: Vec::new(),
            texts: HashMap::new(),
            listed: None,
            settling: false,
            notes: Vec::new(),
        }),
    };
    let error = match order_error.or(epoch_error) {
        Some(error) => Some(error),
        None => engine.read_file().err(),
    };
    (Document { engine }, error)
}

impl Document<'_> {
    /// The value: what a program edits, and what [`crate::write`] takes.
    #[must_use]
    pub fn value(&self) -> Value {
        if self.engine.tree.nodes.is_empty() {
            return Value::None;
        }
        self.engine.project_root()
    }

    /// What was noticed that is no error, in the order of its discovery.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        match &self.engine.mode {
            Mode::Read(reading) => &reading.notes,
            Mode::Write(_) => &[],
        }
    }

    /// Label of the epoch whose layouts the file has.
    #[must_use]
    pub fn epoch(&self) -> &str {
        &self.engine.model.epochs[self.engine.epoch.index()].label
    }
}

fn byte_order(model: &Model, bytes: &[u8]) -> Result<ByteOrder, ReadError> {
    let offset = match model.byte_order {
        ByteOrderRule::Fixed(order) => return Ok(order),
        ByteOrderRule::Mark { offset } => offset,
    };
    let path = || row_path(model, &mark_path(model, model.root, 0).unwrap_or_default());
    match formwork::slice(bytes, offset, 2)
        .map_err(|error| inside(error, bytes).with_path(path()))?
    {
        [0xff, 0xfe] => Ok(ByteOrder::Little),
        [0xfe, 0xff] => Ok(ByteOrder::Big),
        other => {
            let actual = crate::items::hex(other).into();
            let kind = ReadErrorKind::UndecidedByteOrder { actual };
            Err(ReadError::new(kind, offset).with_path(path()))
        }
    }
}

fn choose_epoch(
    model: &Model,
    bytes: &[u8],
    order: ByteOrder,
) -> Result<(EpochId, Vec<i128>), ReadError> {
    let mut context = Vec::new();
    for variable in &model.epoch_variables {
        let number = load(&variable.cell, bytes, variable.offset, order)
            .map_err(|error| inside(error, bytes).with_path(row_path(model, &variable.path)))?;
        context.push(number);
    }
    match find_epoch(model, &context) {
        Ok(epoch) => Ok((epoch, context)),
        Err((name, value)) => {
            let variable = model.epoch_variables.iter().find(|variable| variable.name == name);
            let (offset, rows) = variable.map_or((0, &[][..]), |v| (v.offset, &v.path[..]));
            let kind = ReadErrorKind::NoLayout { name: name.into(), value };
            Err(ReadError::new(kind, offset).with_path(row_path(model, rows)))
        }
    }
}

/// The same error, at the end of the file if its field begins behind that.
fn inside(error: ReadError, bytes: &[u8]) -> ReadError {
    let size = bytes.len() as u64;
    if error.offset() <= size {
        return error;
    }
    ReadError::new(error.kind().clone(), size)
}

/// Path of a row that inline rows lead to from the root.
fn row_path(model: &Model, rows: &[RowId]) -> Path {
    let mut path = Path::new();
    let mut record = model.root;
    for row in rows {
        let Some(row) = model.records[record.index()].rows.get(row.index()) else { break };
        if let Some(name) = &row.name {
            path.push(Segment::Field(name.clone().into()));
        }
        if let Type::Record(inner) = row.ty {
            record = inner;
        }
    }
    path
}

/// Inline rows from a record to the byte order mark, which the root has somewhere inside.
fn mark_path(model: &Model, record: RecordId, depth: u32) -> Option<Vec<RowId>> {
    if depth > 64 {
        return None;
    }
    (0_u32..).zip(&model.records[record.index()].rows).find_map(|(index, row)| {
        let mut path = match row.ty {
            Type::ByteOrderMark => Vec::new(),
            Type::Record(inner) => mark_path(model, inner, depth + 1)?,
            _ => return None,
        };
        path.insert(0, RowId(index));
        Some(path)
    })
}

fn load(cell: &Cell, bytes: &[u8], at: u64, order: ByteOrder) -> Result<i128, ReadError> {
    let Storage::Fixed(int) = cell.storage else { return Ok(0) };
    let endian = match int.order.unwrap_or(order) {
        ByteOrder::Little => Endian::Little,
        ByteOrder::Big => Endian::Big,
    };
    let raw = formwork::load_uint(bytes, at, int.bytes, endian)?;
    Ok(if int.signed {
        formwork::sign_extend(raw, u32::from(int.bytes) * 8).into()
    } else {
        raw.into()
    })
}
