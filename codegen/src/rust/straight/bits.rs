//! Rows of bits that follow each other, as parts of one integer.

use super::able::{Able, unable};
use crate::model::{Home, Record, RowId, Storage, Type};

/// Rows of bits that fill whole bytes together, and no fewer rows do.
pub(super) struct Group {
    /// Each with its lowest bit in the integer.
    pub rows: Vec<(RowId, u8)>,
    /// Size in bytes: at most 8.
    pub bytes: u8,
    /// Whether the highest byte of the integer comes first.
    pub big: bool,
}

/// The group that begins with a row, in one epoch.
pub(super) fn group(record: &Record, epoch: usize, first: RowId) -> Able<Group> {
    let (mut found, mut all, mut order) = (Vec::new(), 0_u32, None);
    for (id, row) in record.numbered_rows().skip(first.index()) {
        if row.homes.get(epoch) != Some(&Home::Next) {
            continue;
        }
        let width = match &row.ty {
            Type::Cell(cell) if row.when.is_none() => match cell.storage {
                Storage::Bits { width, msb_first }
                    if *order.get_or_insert(msb_first) == msb_first =>
                {
                    width
                }
                _ => break,
            },
            _ => break,
        };
        found.push((id, width));
        all += u32::from(width);
        if all % 8 == 0 {
            break;
        }
    }
    let (true, 8 | 16 | 24 | 32 | 40 | 48 | 56 | 64) = (order.is_some(), all) else {
        return unable("bits that fill no whole bytes, or more than eight");
    };
    let big = order == Some(true);
    let mut passed = 0_u32;
    let rows = found.into_iter().map(|(id, width)| {
        let width = u32::from(width);
        let lowest = if big { all - passed - width } else { passed };
        passed += width;
        (id, u8::try_from(lowest).unwrap_or(0))
    });
    Ok(Group { rows: rows.collect(), bytes: u8::try_from(all / 8).unwrap_or(8), big })
}
