//! Numbers that follow from something else, and numbers that conditions are about.

use formwork_codegen::model::{
    CheckKind, DefinerScope, Expr, Meaning, RecordId, Role, RowId, Type,
};

use super::eval::{Changed, Place};
use super::file::{File, Site};
use super::lengths;
use super::nodes::ItemView;
use super::numbers::alone;
use super::rules::first_broken;
use super::uses::{Phase, Purpose};
use super::{Kind, Plan, Reason};

pub(super) fn plan(plan: &mut Plan<'_, '_>, node: usize, row: RowId) {
    let file = plan.file;
    let definition = file.row(node, row);
    let place = (node, row);
    let kind = match &definition.role {
        // The order of a dictionary is another rule.
        Role::Kept(expr) if matches!(file.model[*expr], Expr::Patricia(_)) => return,
        Role::Kept(_) => return plan.leave_out(Kind::Derived, place, Reason::Kept),
        Role::Derived => Kind::Derived,
        Role::Data | Role::Default(_) => Kind::Condition,
        _ => return,
    };
    let key = (file.nodes[node].record, row);
    let ruled = definition.checks.iter().any(|c| matches!(c.kind, CheckKind::Holds(_)))
        || file
            .uses
            .of_row(key.0, key.1)
            .iter()
            .any(|usage| usage.phase == Phase::Comparing && usage.purpose == Purpose::Rule);
    if kind == Kind::Condition && !ruled {
        return;
    }
    let mut sites: Vec<Site<'_>> = Vec::new();
    file.row_sites(node, row, &mut |site| {
        if matches!(site.ty, Type::Cell(_)) {
            sites.push(site);
        }
    });
    let (Some(first), Some(last)) = (sites.first().copied(), sites.last().copied()) else {
        return;
    };
    if kind == Kind::Derived && !file.nodes[node].rows[row.index()].derived {
        return plan.leave_out(kind, place, Reason::NotHere);
    }
    if !is_read_for_itself(file, key, node) {
        // What reading needs is broken as a count, an offset or a tag instead.
        return;
    }
    if file.mentioned(key, Phase::Referring) {
        return plan.leave_out(kind, place, Reason::SteersOthers);
    }
    one(plan, kind, &first);
    if last.index != first.index {
        one(plan, kind, &last);
    }
}

/// Whether reading does not depend on a number in this node.
fn is_read_for_itself(file: &File<'_>, key: (RecordId, RowId), node: usize) -> bool {
    !file.mentioned(key, Phase::Reading)
        || lengths::affected(file, node, key.1).is_ok_and(|affected| affected.is_empty())
}

fn one(plan: &mut Plan<'_, '_>, kind: Kind, site: &Site<'_>) {
    let file = plan.file;
    let place = (site.node, site.row);
    let definition = file.row(site.node, site.row);
    let Type::Cell(cell) = site.ty else { return };
    if definition.checks.iter().any(|c| !matches!(c.kind, CheckKind::Holds(_))) {
        return plan.leave_out(kind, place, Reason::SteersOthers);
    }
    if !alone(plan, site, cell) {
        return plan.leave_out(kind, place, Reason::SharedBytes);
    }
    let (true, Some(now), Some((low, high))) =
        (matches!(cell.meaning, Meaning::Int), file.load(site, cell), file.limits(cell))
    else {
        return plan.leave_out(kind, place, Reason::Storage);
    };
    let (low, high) = match &definition.reference {
        None => (low, high),
        // The index must be one of the array's.
        Some(reference) if reference.filter.is_none() && reference.field.is_none() => {
            let count = Changed { file, number: None }.count(&reference.array, site.node);
            let Ok(Some(count)) = count else {
                return plan.leave_out(kind, place, Reason::Condition);
            };
            (low.max(definition.plus), high.min(count - 1 + definition.plus))
        }
        Some(_) => return plan.leave_out(kind, place, Reason::Condition),
    };
    let near = [now ^ 1, now ^ 2, now ^ 4].into_iter();
    let near = near.chain((1..20).flat_map(|step| [now + step, now - step]));
    let fits = |n: &i128| *n != now && (low..=high).contains(n) && !definition.none.contains(n);
    for number in near.filter(fits) {
        match first_broken(file, (site.node, site.row, site.index), number) {
            Ok(Some(expected)) => {
                if let Some(patch) = file.store(site, cell, number) {
                    return plan.add(kind, place, patch, expected);
                }
            }
            Ok(None) => {}
            Err(_) => return plan.leave_out(kind, place, Reason::Condition),
        }
    }
    plan.leave_out(kind, place, Reason::NothingForbidden);
}

/// The node that an equation is about.
pub(super) fn scope(
    file: &File<'_>,
    node: usize,
    row: RowId,
    scope: &DefinerScope,
) -> Option<usize> {
    match scope {
        DefinerScope::Own => Some(node),
        DefinerScope::Case(union, case) => {
            let Type::Union(id) = file.row(node, *union).ty else { return None };
            let record = file.model.unions[id.index()].cases.get(*case as usize)?.record;
            match file.nodes[node].rows[union.index()].item {
                ItemView::Node(inner) if file.nodes[inner].record == record => Some(inner),
                _ => None,
            }
        }
        DefinerScope::Owner(record, path) => {
            let mut at = file.nodes[node].owner;
            while let Some(owner) = at {
                if file.nodes[owner].record == *record && leads(file, owner, path, node, row) {
                    return Some(owner);
                }
                at = file.nodes[owner].owner;
            }
            None
        }
    }
}

fn leads(file: &File<'_>, mut from: usize, path: &[RowId], node: usize, row: RowId) -> bool {
    let Some((last, way)) = path.split_last() else { return false };
    for step in way {
        match file.nodes[from].rows.get(step.index()).map(|view| &view.item) {
            Some(ItemView::Node(inner)) => from = *inner,
            _ => return false,
        }
    }
    from == node && *last == row
}

impl<'m> Changed<'_, 'm> {
    /// How many elements the array at a path has.
    fn count(
        &self,
        path: &formwork_codegen::model::Path,
        this: usize,
    ) -> Result<Option<i128>, super::eval::Unknown> {
        let place: Option<Place> = self.one(path, this, None)?;
        Ok(place.and_then(|place| self.array(place)).map(|items| items.len() as i128))
    }
}
