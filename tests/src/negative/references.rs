//! Indices outside of their arrays, and numbers that occur twice.

use formwork_codegen::model::{CheckKind, Meaning, Start, Type};

use super::cell::whole_bytes;
use super::eval::Changed;
use super::file::{File, Site};
use super::nodes::ItemView;
use super::numbers::alone;
use super::uses::{Phase, Purpose};
use super::{Kind, Plan, Reason, error};

pub(super) fn plan(plan: &mut Plan<'_, '_>, site: &Site<'_>) {
    match site.ty {
        Type::Cell(_) if plan.file.row(site.node, site.row).reference.is_some() => {
            reference(plan, site);
        }
        Type::Array(_) if plan.file.row(site.node, site.row).unique => duplicate(plan, site),
        _ => {}
    }
}

fn reference(plan: &mut Plan<'_, '_>, site: &Site<'_>) {
    let Type::Cell(cell) = site.ty else { return };
    let file = plan.file;
    let place = (site.node, site.row);
    let row = file.row(site.node, site.row);
    let Some(reference) = &row.reference else { return };
    // Where the struct that the path begins in is not around, or no file of the epoch has the array,
    // the number is only a number.
    let is_outside = match &reference.array.start {
        Start::Enclosing(records) => file.nearest(site.node, records).is_none(),
        _ => false,
    };
    let is_absent = file.model.is_absent(&reference.array, file.epoch);
    if reference.filter.is_none() && (is_outside || is_absent) {
        return plan.leave_out(Kind::Index, place, Reason::NotHere);
    }
    if !alone(plan, site, cell) {
        return plan.leave_out(Kind::Index, place, Reason::SharedBytes);
    }
    // References are resolved row by row, so of one struct the first is the one that fails.
    let (record, number) = file.key(site);
    let earlier = file.uses.of_row(record, number).iter().any(|usage| match usage.phase {
        Phase::Reading => true,
        Phase::Referring => usage.by.is_none_or(|(r, row)| r != record || row <= number),
        Phase::Comparing => false,
    });
    if earlier || row.checks.iter().any(|check| !matches!(check.kind, CheckKind::Holds(_))) {
        return plan.leave_out(Kind::Index, place, Reason::SteersOthers);
    }
    if cell.meaning != Meaning::Int || file.load(site, cell).is_none() {
        return plan.leave_out(Kind::Index, place, Reason::Storage);
    }
    let Some((low, high)) = file.limits(cell) else { return };
    let known = match &reference.field {
        Some(field) => numbers(file, field),
        None => Vec::new(),
    };
    let most = file.longest;
    let found = (0..64).map(|step| high - step).find(|stored| {
        let index = stored - row.plus;
        let outside = match &reference.field {
            Some(_) => !known.contains(&index),
            None => index >= i128::from(most),
        };
        *stored > low && outside && !row.none.contains(stored)
    });
    // Behind something that is nothing here, there is no array to be outside of.
    let nowhere = Changed { file, number: None }.one(&reference.array, site.node, None) == Ok(None);
    let code = match &reference.field {
        None if !nowhere => "index_out_of_range",
        _ => "not_an_element",
    };
    match found.and_then(|stored| file.store(site, cell, stored)) {
        Some(patch) => {
            plan.add(Kind::Index, place, patch, error(code, site.at, file.site_path(site)));
        }
        None => plan.leave_out(Kind::Index, place, Reason::NothingForbidden),
    }
}

/// All numbers in rows of this name.
fn numbers(file: &File<'_>, name: &str) -> Vec<i128> {
    let mut found = Vec::new();
    file.sites(&mut |site| {
        let row = file.row(site.node, site.row);
        if let Type::Cell(cell) = site.ty
            && row.name.as_deref() == Some(name)
        {
            found.extend(file.load(&site, cell).map(|stored| stored - row.plus));
        }
    });
    found
}

/// Makes the last element equal to the first.
fn duplicate(plan: &mut Plan<'_, '_>, site: &Site<'_>) {
    let (Type::Array(array), ItemView::Array { items, .. }) = (site.ty, site.item) else { return };
    let file = plan.file;
    let place = (site.node, site.row);
    let size = match &array.element {
        Type::Cell(cell) => whole_bytes(cell),
        _ => None,
    };
    let (Some(size), Some((Some(first), _)), Some((Some(last), _))) =
        (size, items.first(), items.last())
    else {
        return plan.leave_out(Kind::Duplicate, place, Reason::Storage);
    };
    if items.len() < 2 {
        return plan.leave_out(Kind::Duplicate, place, Reason::NotHere);
    }
    let (record, row) = file.key(site);
    let mut uses = file.uses.of_row(record, row).iter();
    if uses.any(|usage| usage.phase != Phase::Comparing || usage.purpose == Purpose::Rule) {
        return plan.leave_out(Kind::Duplicate, place, Reason::SteersOthers);
    }
    let at = *first as usize;
    let Some(bytes) = file.bytes.get(at..at + size as usize) else { return };
    let index = u32::try_from(items.len() - 1).ok();
    let path = file.path(site.node, Some(site.row), index);
    plan.add(Kind::Duplicate, place, (*last, bytes.to_vec()), error("duplicate_key", *last, path));
}
