//! Every struct has a finite value: none needs itself, inline or behind pointers that must be set.

use std::collections::HashSet;

use super::context::{bodies, epochs, exists, until_settled};
use crate::diagnostic::Diagnostics;
use crate::model::{ArrayLength, EpochId, Home, Model, Record, RecordId, Row, Target, Type};

/// What a row cannot do without, and whether a pointer leads there.
struct Need {
    records: Vec<RecordId>,
    pointed: bool,
}

pub(super) fn check(model: &Model, found: &mut Diagnostics) {
    for epoch in epochs(model) {
        let finite = finite(model, epoch);
        let mut told = HashSet::new();
        for (id, record) in model.records() {
            if exists(record, epoch) && !finite.contains(&id) {
                report(model, epoch, id, &finite, &mut told, found);
            }
        }
    }
}

/// The records that have a value of finite size: those that need nothing, then those that need
/// only such, and so on.
fn finite(model: &Model, epoch: EpochId) -> HashSet<RecordId> {
    let mut finite = HashSet::new();
    until_settled(model, |id, record| {
        let blocked = || rows(record, epoch).any(|row| !met(model, epoch, row, &finite));
        if finite.contains(&id) || blocked() {
            return false;
        }
        finite.insert(id)
    });
    finite
}

fn rows(record: &Record, epoch: EpochId) -> impl Iterator<Item = &Row> {
    record.rows.iter().filter(move |row| {
        row.when.is_none() && row.holds_bytes() && row.home(epoch) != Home::Absent
    })
}

fn met(model: &Model, epoch: EpochId, row: &Row, finite: &HashSet<RecordId>) -> bool {
    let need = need(model, epoch, &row.ty);
    need.records.is_empty() || need.records.iter().any(|id| finite.contains(id))
}

/// The records of which a value of this type needs at least one.
fn need(model: &Model, epoch: EpochId, ty: &Type) -> Need {
    let mut need = Need { records: Vec::new(), pointed: false };
    let mut ty = ty;
    loop {
        ty = match ty.in_epoch(epoch) {
            Type::Record(id) => {
                need.records.push(*id);
                return need;
            }
            Type::Union(union) => {
                need.records = bodies(model, *union, epoch);
                return need;
            }
            Type::Region(region) => &region.inner,
            Type::Array(array) => match &array.length {
                ArrayLength::Count(count)
                    if model.exprs.constant(*count).is_some_and(|n| n > 0) =>
                {
                    &array.element
                }
                // Up to and including the first that fits: at least one.
                ArrayLength::Last(_) => &array.element,
                ArrayLength::Count(_) | ArrayLength::Fill => return need,
            },
            Type::Pointer(pointer) => match &pointer.target {
                Target::Own(target) if !pointer.optional => {
                    need.pointed = true;
                    target
                }
                _ => return need,
            },
            _ => return need,
        };
    }
}

/// Follows what is needed until it comes back, and reports the circle once.
fn report(
    model: &Model,
    epoch: EpochId,
    from: RecordId,
    finite: &HashSet<RecordId>,
    told: &mut HashSet<RecordId>,
    found: &mut Diagnostics,
) {
    let mut way: Vec<(RecordId, &Row, bool)> = Vec::new();
    let mut at = from;
    let start = loop {
        if told.contains(&at) {
            return;
        }
        if let Some(start) = way.iter().position(|step| step.0 == at) {
            break start;
        }
        let Some(record) = model.records.get(at.index()) else { return };
        let unmet = rows(record, epoch).find(|row| !met(model, epoch, row, finite));
        let Some(row) = unmet else { return };
        let need = need(model, epoch, &row.ty);
        way.push((at, row, need.pointed));
        let Some(&next) = need.records.first() else { return };
        at = next;
    };
    told.extend(way.iter().map(|step| step.0));
    let circle = &way[start..];
    let Some(&(id, row, _)) = circle.first() else { return };
    let name = &model.records[id.index()].name;
    let pointed = circle.iter().any(|step| step.2);
    let diagnostic = if pointed {
        let message = format!("every `{name}` needs another one, without end");
        let diagnostic = found.error("E0702", row.span, message);
        diagnostic.help("let the pointer be none: `*?`, or give it a `count=`");
        diagnostic
    } else {
        let message = format!("`{name}` contains itself, without end");
        let diagnostic = found.error("E0701", row.span, message);
        diagnostic.help("use a pointer that may be none (`*?`), an array or a case of a union");
        diagnostic
    };
    diagnostic.label(if circle.len() == 1 { "here" } else { "through this row" });
    for (_, row, _) in circle.iter().skip(1).take(5) {
        diagnostic.also(row.span, "and this one");
    }
}
