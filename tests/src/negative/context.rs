//! What is read before anything else: byte order and version.

use formwork_codegen::model::{ByteOrderRule, Cell, RecordId, RowId, Storage, Type};

use super::file::{File, Site};
use super::nodes::ItemView;
use super::{Kind, Plan, Reason, error};

pub(super) fn plan(plan: &mut Plan<'_, '_>) {
    let file = plan.file;
    if let ByteOrderRule::Mark { offset } = file.model.byte_order
        && let Some((node, row)) = find(file, &|_, ty| matches!(ty, Type::ByteOrderMark))
    {
        let path = file.path(node, Some(row), None);
        let expected = error("undecided_byte_order", offset, path);
        plan.add(Kind::ByteOrder, (node, row), (offset, vec![0, 0]), expected);
    }
    for (position, variable) in file.model.epoch_variables.iter().enumerate() {
        let Some((node, row)) = at_end(file, &variable.path) else { continue };
        let Some(number) = uncovered(file, position, &variable.cell) else {
            plan.leave_out(Kind::Version, (node, row), Reason::NothingForbidden);
            continue;
        };
        let view = &file.nodes[node].rows[row.index()];
        let site = Site {
            node,
            row,
            index: None,
            ty: &file.row(node, row).ty,
            item: &view.item,
            at: variable.offset,
            end: None,
            behind: false,
            ends_array: false,
        };
        let Some(patch) = file.store(&site, &variable.cell, number) else {
            plan.leave_out(Kind::Version, (node, row), Reason::Storage);
            continue;
        };
        let expected = error("no_layout", variable.offset, file.path(node, Some(row), None));
        plan.add(Kind::Version, (node, row), patch, expected);
    }
}

/// A number of an epoch variable that lies in no epoch.
fn uncovered(file: &File<'_>, position: usize, cell: &Cell) -> Option<i128> {
    let Storage::Fixed(_) = cell.storage else { return None };
    let (low, high) = file.limits(cell)?;
    let covered = |number: i128| {
        file.model.epochs.iter().any(|epoch| {
            let ranges = epoch.ranges.get(position).map_or(&[][..], Vec::as_slice);
            ranges.iter().any(|(from, to)| *from <= number && number <= *to)
        })
    };
    let ends = file.model.epochs.iter().flat_map(|epoch| epoch.ranges.get(position)).flatten();
    let behind = ends.map(|(_, to)| to.saturating_add(1)).filter(|n| *n <= high);
    behind.chain([low, high]).find(|number| !covered(*number))
}

/// The first row of the root, or of structs in it, that a condition holds for.
fn find(file: &File<'_>, holds: &dyn Fn(RecordId, &Type) -> bool) -> Option<(usize, RowId)> {
    (0..file.nodes.len()).find_map(|node| {
        let rows = &file.record(node).rows;
        let row = rows.iter().position(|row| holds(file.nodes[node].record, &row.ty))?;
        Some((node, RowId(u32::try_from(row).ok()?)))
    })
}

/// The row that inline rows lead to from the root.
fn at_end(file: &File<'_>, path: &[RowId]) -> Option<(usize, RowId)> {
    let (last, way) = path.split_last()?;
    let mut node = 0;
    for row in way {
        match file.nodes[node].rows.get(row.index())?.item {
            ItemView::Node(inner) => node = inner,
            _ => return None,
        }
    }
    Some((node, *last))
}
