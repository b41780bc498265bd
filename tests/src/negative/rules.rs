//! Which rule is the first to notice that a number is another one, after everything is read.

use std::collections::BTreeSet;

use formwork_codegen::model::{CheckKind, DefinerSource, RecordId, Role, RowId, Type};

use super::derived::scope;
use super::eval::{Changed, Place, Unknown, Val};
use super::file::File;
use super::uses::{Phase, Purpose};
use super::{Expected, error};

/// What a reader finds if a row or element holds this number, which it can read; `None` if that breaks
/// no rule. Rules are looked at node by node and row by row, those of records behind their rows.
pub(super) fn first_broken(
    file: &File<'_>,
    (node, row, index): (usize, RowId, Option<u32>),
    stored: i128,
) -> Result<Option<Expected>, Unknown> {
    let key = (file.nodes[node].record, row);
    let place = Place::Row(node, row, index);
    let changed = Changed { file, number: Some((place, stored)) };
    let uses = file.uses.of_row(key.0, key.1);
    let by_rows: Vec<(RecordId, RowId)> = uses
        .iter()
        .filter(|usage| usage.phase == Phase::Comparing && usage.purpose == Purpose::Rule)
        .filter_map(|usage| usage.by)
        .collect();
    let by_records = uses.iter().any(|u| u.purpose == Purpose::Rule && u.by.is_none());
    let concerned: BTreeSet<usize> = if by_records {
        (0..file.nodes.len()).collect()
    } else {
        let others = by_rows.iter().filter_map(|by| file.nodes_of.get(&by.0)).flatten().copied();
        others.chain([node]).collect()
    };
    for at in concerned {
        let view = &file.nodes[at];
        let before = Changed { file, number: None };
        for position in 0..view.rows.len() {
            let other = RowId(u32::try_from(position).unwrap_or(u32::MAX));
            let own = (at, other) == (node, row);
            if !own && !by_rows.contains(&(view.record, other)) {
                continue;
            }
            if let Some(broken) = row_broken(&changed, at, other, own)? {
                // A rule that seems broken in the valid file is one that is not understood here.
                return match row_broken(&before, at, other, own)? {
                    None => Ok(Some(broken)),
                    Some(_) => Err(Unknown),
                };
            }
        }
        let record = file.record(at);
        for check in record.checks.iter().filter(|_| by_records) {
            let CheckKind::Holds(condition) = &check.kind else { continue };
            if !changed.holds(*condition, at, None)? {
                if !before.holds(*condition, at, None)? {
                    return Err(Unknown);
                }
                let offset = view.at.unwrap_or(0);
                return Ok(Some(error("check_failed", offset, file.path(at, None, None))));
            }
        }
    }
    Ok(None)
}

/// What is wrong with a row.
fn row_broken(
    changed: &Changed<'_, '_>,
    node: usize,
    row: RowId,
    own: bool,
) -> Result<Option<Expected>, Unknown> {
    let file = changed.file;
    let definition = file.row(node, row);
    let view = &file.nodes[node].rows[row.index()];
    if let (Role::Derived, true, Some(at)) = (&definition.role, view.derived, view.at) {
        let Type::Cell(_) = definition.ty else { return Err(Unknown) };
        let stored = changed.load(Place::Row(node, row, None))?;
        let follows = if own {
            // The file was right before.
            Changed { file, number: None }.load(Place::Row(node, row, None))?
        } else {
            equation(changed, node, row)?
        };
        if stored != follows && follows != Val::None {
            return Ok(Some(error("not_derived", at, file.path(node, Some(row), None))));
        }
    }
    if definition.checks.iter().any(|check| !matches!(check.kind, CheckKind::Holds(_))) {
        return Err(Unknown);
    }
    for check in &definition.checks {
        let CheckKind::Holds(condition) = &check.kind else { continue };
        let mut broken = Ok(None);
        let mut seen = false;
        file.row_sites(node, row, &mut |site| {
            let Type::Cell(_) = site.ty else { return };
            if !matches!(broken, Ok(None)) {
                return;
            }
            seen = true;
            let it = Place::Row(node, row, site.index);
            broken = match (changed.load(it), changed.holds(*condition, node, Some(it))) {
                (Ok(Val::None), _) | (_, Ok(true)) => Ok(None),
                (Err(Unknown), _) | (_, Err(Unknown)) => Err(Unknown),
                _ => Ok(Some(error("check_failed", site.at, file.site_path(&site)))),
            };
        });
        if !seen && view.at.is_some() {
            return Err(Unknown);
        }
        if let Some(broken) = broken? {
            return Ok(Some(broken));
        }
    }
    Ok(None)
}

/// What the equation of a row gives.
fn equation(changed: &Changed<'_, '_>, node: usize, row: RowId) -> Result<Val, Unknown> {
    for definer in &changed.file.row(node, row).definers {
        if let Some(holder) = scope(changed.file, node, row, &definer.scope) {
            return match &definer.source {
                DefinerSource::Expr(expr) => changed.eval(*expr, holder, None),
                DefinerSource::Measure { .. } => Err(Unknown),
            };
        }
    }
    Ok(Val::None)
}
