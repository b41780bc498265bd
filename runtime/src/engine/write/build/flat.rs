//! Puts numbers that a value has one after the other into their bytes, many together.

use super::super::super::plan::{has_plain_numbers, FlatKind, FlatRow, Number};
use super::super::super::source::{Asked, Given, Numbering};
use super::super::super::state::Engine;
use super::super::super::tree::{store_le, TOGETHER};
use crate::model::{Cell, RecordId, Row, Storage};
use alloc::vec::Vec;
use core::ops::Range;

impl<'p> Engine<'p, '_> {
    /// Puts the numbers of structs of a [block](super::super::super::tree::blocks) into their bytes, which begin at a place and are
    /// so far apart. It does not if the structs are anything else than numbers that have room there; then
    /// some may have been put.
    pub(super) fn put_flat(
        &mut self,
        record: RecordId,
        (start, stride): (u32, u32),
        value: Given<'_>,
        block: Range<u32>,
    ) -> bool {
        let Given::List(list) = value else { return false };
        let at = start as usize + stride as usize * block.start as usize;
        let mut numbers = [0; TOGETHER as usize];
        let numbers = &mut numbers[..block.len()];
        let rows = &self.tree.plan_of(record).flat;
        let mut put = |flat: &FlatRow| {
            let row = Asked { record, row: flat.row, name: None };
            let numbering = list.numbers(Some(row), block.start as usize, numbers)?;
            flat.kind.store(&flat.number, numbering, numbers)?;
            let own = self.tree.own.get_mut(at + flat.number.at as usize..)?;
            put_each(own, flat.number.bytes, stride as usize, numbers);
            Some(())
        };
        !rows.is_empty() && rows.iter().all(|flat| put(flat).is_some())
    }
}

/// Puts the numbers of a block behind others, if they are nothing else.
pub(super) fn put_numbers(
    cell: &Cell,
    row: &Row,
    value: Given<'_>,
    block: Range<u32>,
    to: &mut Vec<u8>,
) -> bool {
    let (Given::List(list), Storage::Fixed(int)) = (value, cell.storage) else { return false };
    let mut numbers = [0; TOGETHER as usize];
    let numbers = &mut numbers[..block.len()];
    let mut stored = || {
        let kind = FlatKind::of(cell).filter(|_| has_plain_numbers(row))?;
        let numbering = list.numbers(None, block.start as usize, numbers)?;
        kind.store(&Number::of(int), numbering, numbers)
    };
    if stored().is_none() {
        return false;
    }
    let (from, size) = (to.len(), usize::from(int.bytes));
    to.resize(from + size * numbers.len(), 0);
    put_each(&mut to[from..], int.bytes, size, numbers);
    true
}

impl FlatKind {
    /// Makes numbers of a value what is stored for them. Nothing if they are not of this kind, or if one
    /// has no room.
    fn store(self, number: &Number, numbering: Numbering, numbers: &mut [u64]) -> Option<()> {
        let all = match (numbering, self) {
            (Numbering::Int, FlatKind::Int) => numbers.iter().all(|n| number.takes(*n as i64)),
            (Numbering::F32, FlatKind::Float(code)) if code.is_single() => code.store_all(numbers),
            (Numbering::F64, FlatKind::Float(code)) if !code.is_single() => code.store_all(numbers),
            (Numbering::Word, FlatKind::Word(mask)) => numbers.iter().all(|bits| bits & !mask == 0),
            _ => false,
        };
        all.then_some(())
    }
}

/// Puts numbers of that many bytes so far apart from the start on.
fn put_each(to: &mut [u8], bytes: u8, stride: usize, numbers: &[u64]) {
    match bytes {
        1 => put_wide::<1>(to, stride, numbers),
        2 => put_wide::<2>(to, stride, numbers),
        4 => put_wide::<4>(to, stride, numbers),
        8 => put_wide::<8>(to, stride, numbers),
        _ => {
            let places = to.chunks_mut(stride).zip(numbers);
            places.for_each(|(to, number)| store_le(&mut to[..usize::from(bytes)], *number));
        }
    }
}

fn put_wide<const N: usize>(to: &mut [u8], stride: usize, numbers: &[u64]) {
    for (to, number) in to.chunks_mut(stride).zip(numbers) {
        if let (Some(to), Some(bytes)) =
            (to.first_chunk_mut::<N>(), number.to_le_bytes().first_chunk())
        {
            *to = *bytes;
        }
    }
}
