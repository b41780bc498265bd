//! How much straight code a model would be. It spells out the rows of structs within structs, in each
//! layout, so a few lines of a schema could be more code than any compiler takes.

use super::able::{Able, unable};
use super::context::Straight;
use crate::model::{RecordId, Row, Type};

/// Rows that are spelled out at most.
const MOST_ROWS: u64 = 8_192;

/// Why.
const TOO_MUCH: &str = "more rows than straight code is made for, \
     those of structs within structs and of all layouts counted";

impl Straight<'_, '_> {
    pub(super) fn is_not_too_much(&self) -> Able<()> {
        if self.spelled_out() <= MOST_ROWS { Ok(()) } else { unable(TOO_MUCH) }
    }

    /// Rows of the largest struct in all layouts, with those of the structs that it holds.
    fn spelled_out(&self) -> u64 {
        let mut known = vec![None; self.model.records.len()];
        let records = self.model.records();
        let rows = records.map(|(id, _)| self.rows_of(id, &mut known, 0)).max().unwrap_or(0);
        let layouts = u64::try_from(self.model.epochs.len()).unwrap_or(u64::MAX);
        rows.saturating_mul(layouts)
    }

    fn rows_of(&self, id: RecordId, known: &mut [Option<u64>], depth: u32) -> u64 {
        if let Some(rows) = known[id.index()] {
            return rows;
        }
        // No code is made for what is nested deeper.
        if depth > 64 {
            return 1;
        }
        // Who contains itself is called.
        known[id.index()] = Some(1);
        let record = self.record(id);
        let inside = |known: &mut [Option<u64>], row: &Row| match row.ty.stripped() {
            Type::Record(inner) => self.rows_of(*inner, known, depth + 1),
            Type::PerEpoch(types) => types.iter().fold(1, |most, ty| match ty.stripped() {
                Type::Record(inner) => most.max(self.rows_of(*inner, known, depth + 1)),
                _ => most,
            }),
            _ => 1,
        };
        let rows = record
            .rows
            .iter()
            .fold(0_u64, |sum, row| sum.saturating_add(inside(known, row)))
            .max(1);
        known[id.index()] = Some(rows);
        rows
    }
}
