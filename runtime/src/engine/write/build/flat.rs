//! Puts structs that are nothing but numbers into their bytes.

use super::super::super::plan::{FlatKind, FlatRow};
use super::super::super::source::{Asked, Fields, Given, Spelled, StandsFor};
use super::super::super::state::Engine;
use super::super::super::tree::store_le;
use crate::model::RecordId;
use crate::spelling::SpellingEntry;

impl<'p> Engine<'p, '_> {
    /// Puts the numbers of a struct to where its bytes are. It does not if the struct is anything else
    /// than numbers that have room there; then some of them may have been put.
    pub(super) fn put_flat(
        &mut self,
        id: RecordId,
        rows: &'p [FlatRow],
        at: usize,
        fields: &dyn Fields,
    ) -> bool {
        if fields.stands_for() != StandsFor::Struct {
            return false;
        }
        let record = &self.model.records[id.index()];
        let (mut plain, first) = (true, self.model.first_row(id));
        fields.spelling(Spelled { record, first, inside: &[] }, &mut |_: &SpellingEntry| {
            plain = false
        });
        fields.strangers(&|name| self.has_field(id, name, 0), &mut |_| plain = false);
        plain
            && rows.iter().all(|flat| {
                let name = record.rows[flat.row.index()].name.as_deref();
                let given = fields.field(Asked { record: id, row: flat.row, name });
                let bits = match (given, flat.kind) {
                    (Given::Int(n), FlatKind::Int) => {
                        i64::try_from(n).ok().filter(|n| flat.number.takes(*n)).map(|n| n as u64)
                    }
                    (Given::F32(bits), FlatKind::Float(code)) if code.is_single() => {
                        code.stored(bits.into())
                    }
                    (Given::F64(bits), FlatKind::Float(code)) if !code.is_single() => {
                        code.stored(bits)
                    }
                    (Given::Word(bits), FlatKind::Word(mask)) => {
                        Some(bits).filter(|bits| bits & !mask == 0)
                    }
                    _ => None,
                };
                let Some(bits) = bits else { return false };
                let (at, size) = (at + flat.number.at as usize, usize::from(flat.number.bytes));
                let place = self.tree.own.get_mut(at..at + size);
                place.map(|to| store_le(to, bits)).is_some()
            })
    }
}
