//! Pointers that lead nowhere, outside of the file, or to no element.

use std::collections::HashSet;

use formwork_codegen::model::{ArrayLength, Content, PointerType, RunLength, Target, Type};

use super::cell::whole_bytes;
use super::file::{File, Site};
use super::nodes::ItemView;
use super::uses::{Phase, Use};
use super::{Kind, Plan, Reason, error};

pub(super) fn plan(plan: &mut Plan<'_, '_>, site: &Site<'_>) {
    let Type::Pointer(pointer) = site.ty else { return };
    let place = (site.node, site.row);
    let file = plan.file;
    let size = whole_bytes(file.pointer_cell(pointer));
    if size.is_some_and(|size| !file.alone(site.at, site.at + size)) {
        plan.leave_out(Kind::Offset, place, Reason::SharedBytes);
        return plan.leave_out(Kind::Null, place, Reason::SharedBytes);
    }
    outside(plan, site, pointer);
    null(plan, site, pointer);
    if matches!(pointer.target, Target::Element) {
        no_element(plan, site, pointer);
    }
}

/// What is added to the stored number of a pointer to get the address that it leads to.
fn base(file: &File<'_>, site: &Site<'_>, pointer: &PointerType) -> Option<i128> {
    let kind = &file.model.pointers[pointer.kind.index()];
    match site.item {
        ItemView::Pointer { cell: Some(cell), stored, at: Some(at), .. } if at != cell => {
            Some(i128::from(*at) - stored)
        }
        _ if kind.base.is_none() => Some(-i128::from(kind.skip)),
        _ => None,
    }
}

fn is_none(file: &File<'_>, site: &Site<'_>, pointer: &PointerType, stored: i128) -> bool {
    let kind = &file.model.pointers[pointer.kind.index()];
    kind.none == Some(stored) || file.row(site.node, site.row).none.contains(&stored)
}

fn outside(plan: &mut Plan<'_, '_>, site: &Site<'_>, pointer: &PointerType) {
    let file = plan.file;
    let place = (site.node, site.row);
    let Some(base) = base(file, site, pointer) else {
        return plan.leave_out(Kind::Offset, place, Reason::NotHere);
    };
    let cell = file.pointer_cell(pointer);
    let size = i128::from(file.size());
    let numbers = [size + 8 - base, size + 1 - base];
    let fits = |number: &i128| !is_none(file, site, pointer, *number);
    let patch = numbers.into_iter().filter(fits).find_map(|n| file.store(site, cell, n));
    match patch {
        Some(patch) => {
            let expected = error("pointer_out_of_bounds", site.at, file.site_path(site));
            plan.add(Kind::Offset, place, patch, expected);
        }
        None if file.load(site, cell).is_none() => {
            plan.leave_out(Kind::Offset, place, Reason::Storage);
        }
        None => plan.leave_out(Kind::Offset, place, Reason::NothingForbidden),
    }
}

fn null(plan: &mut Plan<'_, '_>, site: &Site<'_>, pointer: &PointerType) {
    let file = plan.file;
    let place = (site.node, site.row);
    let kind = &file.model.pointers[pointer.kind.index()];
    let (Some(none), Target::Own(target)) = (kind.none, &pointer.target) else { return };
    let ItemView::Pointer { stored, target: item, at, end, .. } = site.item else { return };
    let Some(patch) = file.store(site, file.pointer_cell(pointer), none) else {
        return plan.leave_out(Kind::Null, place, Reason::Storage);
    };
    let code = match length(target) {
        // Nothing is lost without elements.
        Some(Length::Counted) if is_empty(item, *at, *end) => {
            return plan.leave_out(Kind::Null, place, Reason::Kept);
        }
        Some(Length::Counted) if !pointer.optional => "null_pointer",
        Some(Length::Fill) if !pointer.optional => {
            return plan.leave_out(Kind::Null, place, Reason::Kept);
        }
        _ if pointer.none_with.is_some() && !is_none(file, site, pointer, *stored) => {
            if file.mentioned(file.key(site), Phase::Reading) {
                return plan.leave_out(Kind::Null, place, Reason::SteersOthers);
            }
            "not_derived"
        }
        _ if pointer.optional || pointer.none_with.is_some() => {
            return plan.leave_out(Kind::Null, place, Reason::NothingForbidden);
        }
        _ => "null_pointer",
    };
    plan.add(Kind::Null, place, patch, error(code, site.at, file.site_path(site)));
}

enum Length {
    Counted,
    Fill,
}

fn length(ty: &Type) -> Option<Length> {
    match ty {
        Type::Region(region) => length(&region.inner),
        Type::Array(array) => match array.length {
            ArrayLength::Count(_) => Some(Length::Counted),
            ArrayLength::Fill => Some(Length::Fill),
            ArrayLength::Last(_) => None,
        },
        Type::Run(run) => match (&run.length, run.content) {
            (RunLength::Count(_), Content::Bytes | Content::Text(_)) => Some(Length::Counted),
            _ => None,
        },
        _ => None,
    }
}

fn is_empty(item: &ItemView, at: Option<u64>, end: Option<u64>) -> bool {
    match item {
        ItemView::Array { items, .. } => items.is_empty(),
        _ => at == end,
    }
}

/// An address near the one that is stored, at which no element begins.
fn no_element(plan: &mut Plan<'_, '_>, site: &Site<'_>, pointer: &PointerType) {
    let file = plan.file;
    let place = (site.node, site.row);
    let ItemView::Pointer { cell, stored, at: Some(at), .. } = site.item else { return };
    if *cell == Some(*at) || is_none(file, site, pointer, *stored) {
        return plan.leave_out(Kind::Element, place, Reason::NotHere);
    }
    // What the element says is asked for by its path alone; all else may ask for its address.
    let (record, row) = file.key(site);
    let steers = |usage: &Use| usage.phase == Phase::Reading && !usage.plain;
    if file.uses.of_row(record, row).iter().any(steers) {
        return plan.leave_out(Kind::Element, place, Reason::SteersOthers);
    }
    let taken = starts(file);
    let near = (1..64).flat_map(|step| [Some(at + step), at.checked_sub(step)]).flatten();
    let patch = near
        .filter(|address| *address <= file.size() && !taken.contains(address))
        .map(|address| stored + i128::from(address) - i128::from(*at))
        .filter(|number| !is_none(file, site, pointer, *number))
        .find_map(|number| file.store(site, file.pointer_cell(pointer), number));
    match patch {
        Some(patch) => {
            let expected = error("not_an_element", site.at, file.site_path(site));
            plan.add(Kind::Element, place, patch, expected);
        }
        None => plan.leave_out(Kind::Element, place, Reason::NothingForbidden),
    }
}

/// Where elements begin.
fn starts(file: &File<'_>) -> HashSet<u64> {
    let mut found: HashSet<u64> = file.nodes.iter().filter_map(|node| node.at).collect();
    file.sites(&mut |site| {
        if let ItemView::Array { items, .. } = site.item {
            found.extend(items.iter().filter_map(|(at, _)| *at));
        }
        if let ItemView::Pointer { at: Some(at), .. } = site.item
            && site.index.is_some()
        {
            found.insert(*at);
        }
    });
    found
}
