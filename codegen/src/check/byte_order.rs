//! What is known before anything is read: the epoch, and the byte order that a struct chooses.

use super::context::{Context, bodies, cells, epochs, row_name};
use super::exprs::own_rows;
use crate::diagnostic::Diagnostics;
use crate::model::{
    Cell, Content, EndianRule, EpochId, Home, Model, RecordId, Role, Row, RowId, RowKind,
    RunLength, Tag, Type,
};

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    let model = context.model;
    check_epochs(model, found);
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

/// Epochs are data, and what a struct asks for the byte order of one is known before its layout is.
fn check_epochs(model: &Model, found: &mut Diagnostics) {
    for variable in &model.epoch_variables {
        let rows = model.rows_along(model.root, &variable.path);
        let row = rows.last().map(|(record, row)| &model.records[record.index()].rows[row.index()]);
        if row.is_some_and(|row| row.plus != 0 || !row.none.is_empty()) {
            found
                .error("E0207", variable.span, "the row of an epoch has no `plus=` and no `none=`")
                .help("conditions compare the number as it is stored");
        }
        if let Some(row) = row
            && !matches!(row.role, Role::Data | Role::Default(_) | Role::Fixed)
        {
            found
                .error("E0207", variable.span, "an epoch is data, and does not follow from other values")
                .also(row.span, "its row")
                .help("the layout of everything else is chosen by it: state a rule as a `check`, not as `is=`, `usually=`, `count=` or `on=`");
        }
        let Some((way, EndianRule::Chosen(choices, _))) = model.epoch_order(variable) else {
            continue;
        };
        let id = model.rows_along(model.root, &variable.path)[way.len()].0;
        let asked = choices.iter().flat_map(|(condition, _)| own_rows(model, id, *condition));
        let moving = asked.map(|(row, _)| row).find(|row| {
            let offsets: Vec<_> =
                epochs(model).map(|epoch| model.row_offset(id, *row, epoch)).collect();
            offsets.contains(&None) || offsets.iter().any(|offset| *offset != offsets[0])
        });
        if let Some(row) = moving {
            let row = &model.records[id.index()].rows[row.index()];
            let message = format!("{} decides the byte order of an epoch", row_name(row));
            found
                .error("E0508", row.span, message)
                .label("at another offset in another epoch")
                .also(variable.span, "the epoch");
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
