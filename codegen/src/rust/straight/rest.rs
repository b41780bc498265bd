//! What a reader takes up to the end of a region, where something else may follow in it. The writer
//! must see where the region ends, and straight code does not: what was written is read again.

use std::collections::HashSet;

use super::context::Straight;
use crate::model::{Extent, Home, RecordId, Row, RowKind, Type};

impl Straight<'_, '_> {
    /// Whether something may follow content that is taken to the end.
    pub(super) fn has_rests(&self) -> bool {
        let mut open = HashSet::new();
        loop {
            let before = open.len();
            for (id, record) in self.model.records() {
                if record.rows.iter().any(|row| is_inline(row) && self.takes_rest(row, &open)) {
                    open.insert(id);
                }
            }
            if open.len() == before {
                break;
            }
        }
        self.model.records.iter().any(|record| {
            record.rows.iter().enumerate().any(|(number, row)| {
                let followed = is_inline(row)
                    && self.takes_rest(row, &open)
                    && record.rows[number + 1..].iter().any(|next| is_behind(row, next));
                // Objects may stand behind each other.
                let object = matches!(row.kind, RowKind::Object { .. });
                followed
                    || object && self.is_open(&row.ty, &open)
                    || row.ty.parts().any(|part| self.is_open_part(part, &open))
            })
        })
    }

    /// Whether a row may take all that the region around it has left.
    fn takes_rest(&self, row: &Row, open: &HashSet<RecordId>) -> bool {
        match row.kind {
            RowKind::Zeros => true,
            // Has the texts that are used.
            RowKind::Pool { .. } => false,
            _ => self.is_open(&row.ty, open),
        }
    }

    fn is_open(&self, ty: &Type, open: &HashSet<RecordId>) -> bool {
        if ty.takes_rest() {
            return true;
        }
        match ty {
            Type::Record(id) => open.contains(id),
            Type::Union(id) => {
                let union = &self.model.unions[id.index()];
                union.size.is_none() && union.records().any(|record| open.contains(&record))
            }
            Type::Array(array) => array.stride.is_none() && self.is_open(&array.element, open),
            Type::Region(region) => {
                matches!(region.extent, Extent::Rest) && self.is_open(&region.inner, open)
            }
            Type::PerEpoch(types) => types.iter().any(|ty| self.is_open(ty, open)),
            _ => false,
        }
    }

    /// Whether more elements may stand behind an element that takes the rest, or other objects behind
    /// an object that does.
    fn is_open_part(&self, part: &Type, open: &HashSet<RecordId>) -> bool {
        match part {
            Type::Array(array) => array.stride.is_none() && self.is_open(&array.element, open),
            Type::Pointer(pointer) => {
                pointer.owned().is_some_and(|target| self.is_open(target, open))
            }
            _ => false,
        }
    }
}

/// Whether a row stands in the stream of its record. Fields of forms stand in the forms.
fn is_inline(row: &Row) -> bool {
    !row.has_no_bytes()
        && !matches!(
            row.kind,
            RowKind::Object { .. } | RowKind::Mark { .. } | RowKind::Slice { .. }
        )
}

/// Whether a row may stand behind another one in some layout.
fn is_behind(row: &Row, next: &Row) -> bool {
    let homes = row.homes.iter().zip(&next.homes);
    is_inline(next)
        && homes.into_iter().any(|(row, next)| *row != Home::Absent && *next == Home::Next)
}
