//! Bit fields of a packed word lie in the word and do not overlap.

#![deny(clippy::arithmetic_side_effects)]

use super::context::{Context, cells, row_name};
use crate::diagnostic::Diagnostics;
use crate::model::{Home, RecordKind, Row, Storage};

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    for (epoch, _) in context.epochs() {
        for (_, record) in context.records(epoch) {
            let RecordKind::Word(int) = record.kind else { continue };
            let width = u64::from(int.bytes).saturating_mul(8);
            let mut taken: Vec<(u64, u64, &Row)> = Vec::new();
            for row in &record.rows {
                if matches!(row.home(epoch), Home::Absent | Home::Nowhere) {
                    continue;
                }
                let Some((first, last)) = bits(context, row) else { continue };
                if last >= width || first > last {
                    let message = format!("{} is outside of `{}`", row_name(row), record.name);
                    let diagnostic = found.error("E0307", row.span, message);
                    let highest = width.saturating_sub(1);
                    diagnostic.label(format!("bits {first} to {last} of 0 to {highest}"));
                    continue;
                }
                let other = taken.iter().find(|(from, to, _)| first <= *to && *from <= last);
                if let Some((from, to, other)) = other {
                    let message = format!("{} overlaps {}", row_name(row), row_name(other));
                    let diagnostic = found.error("E0308", row.span, message);
                    diagnostic.label(format!("bits {first} to {last}"));
                    diagnostic.also(other.span, format!("bits {from} to {to}"));
                }
                taken.push((first, last, row));
            }
        }
    }
}

/// First and last bit of a field.
fn bits(context: &Context, row: &Row) -> Option<(u64, u64)> {
    match cells(context.model, &row.ty).first()?.storage {
        Storage::Word { first, last, .. } => Some((first.into(), last.into())),
        _ => None,
    }
}
