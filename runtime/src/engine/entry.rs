//! What stands at constant places and decides everything else: byte order and epoch.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use crate::engine::program::Program;
use crate::error::{ReadError, ReadErrorKind};
use crate::load::mask;
use crate::load::Endian;
use crate::model::{
    storage_range, ByteOrderRule, EndianRule, Epoch, EpochId, EpochVariable, Meaning, Model,
    RecordId, RowId, Storage, Type,
};
use crate::path::{Path, Segment};

pub(crate) fn byte_order(model: &Model, bytes: &[u8]) -> Result<Endian, ReadError> {
    let offset = match model.byte_order {
        ByteOrderRule::Fixed(order) => return Ok(order.into()),
        ByteOrderRule::Mark { offset } => offset,
    };
    let path = || row_path(model, &mark_path(model, model.root, 0).unwrap_or_default());
    match crate::slice(bytes, offset, 2).map_err(|error| inside(error, bytes).with_path(path()))? {
        [0xff, 0xfe] => Ok(Endian::Little),
        [0xfe, 0xff] => Ok(Endian::Big),
        other => {
            let actual = super::val::hex(other).into();
            let kind = ReadErrorKind::UndecidedByteOrder { actual };
            Err(ReadError::new(kind, offset).with_path(path()))
        }
    }
}

/// The epoch of a file, with its epoch variables. Where a struct chooses the byte order of one, that
/// of the struct at the end of a way is asked for.
pub(crate) fn choose_epoch(
    model: &Model,
    bytes: &[u8],
    order: Endian,
    chosen: &mut dyn FnMut(&[RowId]) -> Result<Endian, ReadError>,
) -> Result<(EpochId, Vec<i128>), ReadError> {
    let mut context = Vec::new();
    for variable in &model.epoch_variables {
        let order = match model.epoch_order(variable) {
            None => order,
            Some((_, EndianRule::Fixed(order))) => (*order).into(),
            Some((way, EndianRule::Chosen(..))) => chosen(way)?,
        };
        let number = load(variable, bytes, order)
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

/// The epoch that covers these values of the epoch variables; else one that none covers.
pub(crate) fn find_epoch(model: &Model, context: &[i128]) -> Result<EpochId, (String, i128)> {
    let inside =
        |ranges: &[(i128, i128)], n: i128| ranges.iter().any(|(low, high)| *low <= n && n <= *high);
    let covers =
        |epoch: &Epoch| context.iter().zip(&epoch.ranges).all(|(n, ranges)| inside(ranges, *n));
    if let Some((epoch, _)) = (0..).map(EpochId).zip(&model.epochs).find(|(_, e)| covers(e)) {
        return Ok(epoch);
    }
    let covered = |index: usize, n: i128| {
        model.epochs.iter().any(|epoch| epoch.ranges.get(index).is_some_and(|r| inside(r, n)))
    };
    let mut variables = model.epoch_variables.iter().zip(context).enumerate();
    let culprit = variables.find(|(index, (_, n))| !covered(*index, **n)).map(|(_, found)| found);
    let culprit = culprit.or_else(|| model.epoch_variables.iter().zip(context).next());
    Err(culprit.map_or((String::new(), 0), |(variable, n)| (variable.name.clone(), *n)))
}

/// That a magic number is another one, where that explains an error better: a file of another format has
/// no byte order mark, for instance.
#[cold]
pub(crate) fn wrong_magic(program: &Program, bytes: &[u8], error: &ReadError) -> Option<ReadError> {
    if matches!(error.kind(), ReadErrorKind::TooLarge { .. }) {
        return None;
    }
    let mut magics = program.signature().cells.iter().filter(|cell| cell.is_magic);
    let wrong = magics.find_map(|cell| {
        let start = usize::try_from(cell.offset).ok()?;
        let end = bytes.len().min(start.checked_add(cell.allowed.first()?.len())?);
        // Of a short file, what is there.
        let found = bytes.get(start..end).filter(|found| !found.is_empty())?;
        let is_other = cell.allowed.iter().all(|allowed| !allowed.starts_with(found));
        is_other.then_some((cell, found))
    });
    let (cell, found) = wrong?;
    let expected: Vec<String> = cell.allowed.iter().map(|bytes| quoted(bytes)).collect();
    let kind = ReadErrorKind::NotEqual {
        expected: expected.join(" or ").into(),
        actual: quoted(found).into(),
    };
    Some(ReadError::new(kind, cell.offset).with_path(row_path(program.model(), &cell.rows)))
}

/// Bytes as a text, and in hexadecimal where they are none.
pub(crate) fn quoted(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for byte in bytes {
        match byte {
            0 => text.push_str("\\0"),
            _ => text.extend(byte.escape_ascii().map(char::from)),
        }
    }
    text.push('"');
    let is_text = |byte: &u8| matches!(byte, 0 | b' '..=b'~');
    if !bytes.iter().all(is_text) {
        let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        text.push_str(&format!(" (hex {})", digits.join(" ")));
    }
    text
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
    for (record, row) in model.rows_along(model.root, rows) {
        if let Some(name) = &model.records[record.index()].rows[row.index()].name {
            path.push(Segment::Field(name.clone().into()));
        }
    }
    path
}

/// Inline rows from a record to the byte order mark, which the root has somewhere inside.
fn mark_path(model: &Model, record: RecordId, depth: u32) -> Option<Vec<RowId>> {
    if depth > 64 {
        return None;
    }
    (0..).map(RowId).zip(&model.records[record.index()].rows).find_map(|(id, row)| {
        let inside = match row.ty {
            Type::ByteOrderMark => Vec::new(),
            Type::Record(inner) => mark_path(model, inner, depth + 1)?,
            _ => return None,
        };
        let mut path = vec![id];
        path.extend(inside);
        Some(path)
    })
}

fn load(variable: &EpochVariable, bytes: &[u8], order: Endian) -> Result<i128, ReadError> {
    let Some(int) = variable.stored() else { return Ok(0) };
    let order = int.order.map_or(order, Endian::from);
    let whole = crate::load_uint(bytes, variable.offset, int.bytes, order)?;
    Ok(meant(variable, whole))
}

/// The number of an epoch variable, of the integer that has it.
pub(crate) fn meant(variable: &EpochVariable, whole: u64) -> i128 {
    let cell = &variable.cell;
    let raw = match cell.storage {
        Storage::Word { first, last, .. } => {
            whole.checked_shr(first.into()).unwrap_or(0) & mask(last - first + 1)
        }
        _ => whole,
    };
    let (bits, signed) = storage_range(&cell.storage, &[], &[]);
    match cell.meaning {
        Meaning::Bool { yes } if raw == yes => 1,
        _ => super::tree::number(raw, bits, signed),
    }
}
