//! The byte order that a struct chooses is known before anything is read in it.

use super::context::{Context, bodies, cells, epochs, row_name};
use super::exprs::own_rows;
use crate::diagnostic::Diagnostics;
use crate::model::{
    Cell, Content, EndianRule, EpochId, Home, Model, RecordId, Row, RowId, RowKind, RunLength, Tag,
    Type,
};

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    let model = context.model;
    for (id, record) in model.records() {
        let Some(EndianRule::Chosen(choices, _)) = &record.endian else { continue };
        for (asked, steps) in
            choices.iter().flat_map(|(condition, _)| own_rows(model, id, *condition))
        {
            let Some(row) = record.rows.get(asked.index()) else { continue };
            for epoch in epochs(model).filter(|epoch| row.home(*epoch) != Home::Absent) {
                let Some(first) = obstacle(model, id, (asked, steps), epoch) else { continue };
                let name = row_name(row);
                if std::ptr::eq(first, row) {
                    found
                        .error("E0508", row.span, format!("{name} is needed to read itself"))
                        .label("it decides the byte order, and is read in it")
                        .help("give its type an order of its own, such as `u32be`");
                } else {
                    let message =
                        format!("{name} decides the byte order of what is read before it");
                    found
                        .error("E0508", row.span, message)
                        .also(first.span, "read in the byte order of the struct");
                }
                break;
            }
        }
    }
}

/// The first row that is read in the byte order of the record before an asked one is, or together
/// with it.
fn obstacle(
    model: &Model,
    id: RecordId,
    (asked, steps): (RowId, usize),
    epoch: EpochId,
) -> Option<&Row> {
    let record = model.records.get(id.index())?;
    let row = record.rows.get(asked.index())?;
    let led = steps > 1 && led_to(model, &row.ty, epoch);
    if led || follows(model, &row.ty, epoch, &mut Vec::new()) {
        return Some(row);
    }
    // What stands at an offset that is known beforehand is at hand from the beginning.
    let sized = row.when.is_none() && model.size_of(&row.ty, epoch).is_some();
    if matches!(row.ty, Type::Cell(_) | Type::Run(_))
        && sized
        && model.row_offset(id, asked, epoch).is_some()
    {
        return None;
    }
    let earlier = record.read_order.iter().take_while(|row| **row != asked);
    earlier.filter_map(|row| record.rows.get(row.index())).find(|row| {
        row.holds_bytes()
            && !matches!(row.kind, RowKind::Object { .. })
            && row.home(epoch) != Home::Absent
            && follows(model, &row.ty, epoch, &mut Vec::new())
    })
}

/// Whether something is read in the byte order of a record that a pointer in it leads to.
fn led_to(model: &Model, ty: &Type, epoch: EpochId) -> bool {
    let mut owned = ty.parts().filter_map(|part| match part {
        Type::Pointer(pointer) => pointer.owned(),
        _ => None,
    });
    owned.any(|target| follows(model, target, epoch, &mut Vec::new()))
}

/// Whether a value of a type is read in the byte order of what is around it.
fn follows(model: &Model, ty: &Type, epoch: EpochId, seen: &mut Vec<RecordId>) -> bool {
    if cells(model, ty).into_iter().any(Cell::follows_order) {
        return true;
    }
    ty.in_epoch(epoch).inline_parts().any(|part| match part {
        Type::Run(run) => {
            matches!(run.content, Content::Text(encoding) if encoding.has_order())
                || matches!(&run.length, RunLength::Prefix(cell) if cell.follows_order())
        }
        Type::Record(id) => inside(model, *id, epoch, seen),
        Type::Union(id) => {
            let tag = model.unions.get(id.index()).map(|union| &union.tag);
            matches!(tag, Some(Tag::Own(cell)) if cell.follows_order())
                || bodies(model, *id, epoch)
                    .into_iter()
                    .any(|body| inside(model, body, epoch, seen))
        }
        _ => false,
    })
}

fn inside(model: &Model, id: RecordId, epoch: EpochId, seen: &mut Vec<RecordId>) -> bool {
    let Some(record) = model.records.get(id.index()) else { return false };
    if record.endian.is_some() || seen.contains(&id) {
        return false;
    }
    seen.push(id);
    record.rows.iter().any(|row| {
        let here = row.holds_bytes() && !matches!(row.kind, RowKind::Object { .. });
        here && row.home(epoch) != Home::Absent && follows(model, &row.ty, epoch, seen)
    })
}
