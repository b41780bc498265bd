//! Tables whose elements are in another order than the schema says.

use formwork_codegen::model::{Expr, Role, RowId, RowKind, Type};

use super::eval::{Changed, Place};
use super::file::{File, Site};
use super::nodes::ItemView;
use super::{Case, Expected, Kind, Plan, Reason};

const DISORDER: &str = "the slices do not tile the table in its order";

pub(super) fn plan(plan: &mut Plan<'_, '_>, node: usize, row: RowId) {
    let file = plan.file;
    let definition = file.row(node, row);
    let place = (node, row);
    match (&definition.kind, &definition.role) {
        // The order that a file has is a spelling.
        (RowKind::Pool { .. }, _) => plan.leave_out(Kind::Unsorted, place, Reason::Kept),
        (_, Role::Kept(expr)) if matches!(file.model[*expr], Expr::Patricia(_)) => {
            plan.leave_out(Kind::Unsorted, place, Reason::Kept);
        }
        (_, Role::View { .. }) => exchange(plan, node, row),
        _ => {}
    }
}

/// A slice of a table.
struct Slice<'f> {
    /// The number that says where it begins.
    base: Site<'f>,
    /// As stored.
    stored: i128,
    /// How many elements it has.
    count: usize,
}

/// Exchanges the first two slices that are equally long.
fn exchange(plan: &mut Plan<'_, '_>, node: usize, row: RowId) {
    let file = plan.file;
    let place = (node, row);
    let Some(at) = file.nodes[node].rows[row.index()].at else { return };
    let Some(slices) = slices(file, node, row).filter(|_| file.notes == 0) else {
        return plan.leave_out(Kind::Unsorted, place, Reason::Condition);
    };
    let pair = slices.iter().enumerate().find_map(|(index, first)| {
        let same = |other: &&Slice<'_>| other.count == first.count && other.stored != first.stored;
        slices[index + 1..].iter().find(same).map(|second| (first, second))
    });
    let Some((first, second)) = pair else {
        return plan.leave_out(Kind::Unsorted, place, Reason::NotHere);
    };
    let store = |slice: &Slice<'_>, number| match slice.base.ty {
        Type::Cell(cell) => file.store(&slice.base, cell, number),
        _ => None,
    };
    let patches = store(first, second.stored).zip(store(second, first.stored));
    let Some((one, other)) = patches else {
        return plan.leave_out(Kind::Unsorted, place, Reason::Storage);
    };
    let path = file.path(node, Some(row), None);
    let case = Case {
        kind: Kind::Unsorted,
        about: file.about(node, row),
        patches: vec![one, other],
        cut: None,
        options: formwork::ReadOptions::default(),
        expected: Expected::Note { offset: at, path, message: DISORDER.to_owned() },
    };
    plan.found.push(((Kind::Unsorted, file.nodes[node].record, row), case));
}

/// The slices of a table that have elements; none if others look at where they begin.
fn slices<'f>(file: &'f File<'_>, node: usize, row: RowId) -> Option<Vec<Slice<'f>>> {
    let before = Changed { file, number: None };
    let mut found = Vec::new();
    for owner in 0..file.nodes.len() {
        let rows = &file.record(owner).rows;
        for (position, definition) in (0_u32..).zip(rows) {
            let RowKind::Slice { table, base, .. } = &definition.kind else { continue };
            if before.one(table, owner, None).ok()? != Some(Place::Row(node, row, None)) {
                continue;
            }
            let ItemView::Array { items, .. } = &file.nodes[owner].rows[position as usize].item
            else {
                continue;
            };
            if items.is_empty() {
                continue;
            }
            let number = &file.nodes[owner].rows[base.index()];
            let site = Site {
                node: owner,
                row: *base,
                index: None,
                ty: &file.row(owner, *base).ty,
                item: &number.item,
                at: number.at?,
                end: number.end,
                behind: false,
                ends_array: false,
            };
            let Type::Cell(cell) = site.ty else { return None };
            let uses = file.uses.of_row(file.nodes[owner].record, *base);
            // Nor may anybody look at what the slice has.
            let slice = RowId(position);
            let mut others = file.uses.of_row(file.nodes[owner].record, slice).iter();
            let view = Some((file.nodes[node].record, row));
            let alone = uses.len() == 1 && others.all(|usage| usage.by == view);
            let stored = file.load(&site, cell).filter(|_| alone)?;
            found.push(Slice { base: site, stored, count: items.len() });
        }
    }
    Some(found)
}
