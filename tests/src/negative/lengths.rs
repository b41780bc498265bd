//! Counts, sizes and offsets that lead past the end of the file.

use formwork_codegen::model::{
    ArrayLength, CheckKind, ExprId, Extent, Meaning, RecordId, Role, RowId, RowKind, RunLength,
    Target, Type,
};

use super::cell::whole_bytes;
use super::eval::{Changed, Place, Unknown};
use super::file::{File, Site};
use super::guess::{Guess, Guesser};
use super::nodes::ItemView;
use super::uses::{Phase, Purpose};
use super::{Expected, Kind, Plan, Reason, error};

/// Something that is read elsewhere, or longer, if a number is another one.
pub(super) struct Affected {
    node: usize,
    row: RowId,
    what: What,
}

#[derive(Clone, Copy)]
enum What {
    /// Number of elements or units of the row.
    Count(ExprId),
    /// The same of something inside of the row.
    Inner(ExprId),
    /// Size of the region in the row.
    Size(ExprId),
    /// Where it ends.
    End(ExprId),
    /// Where the object in the row is.
    Address(ExprId),
    /// Number of the elements of a slice, or the first of them.
    Slice,
}

impl What {
    fn expr(self) -> Option<ExprId> {
        match self {
            What::Count(expr)
            | What::Inner(expr)
            | What::Size(expr)
            | What::End(expr)
            | What::Address(expr) => Some(expr),
            What::Slice => None,
        }
    }
}

pub(super) fn plan(plan: &mut Plan<'_, '_>, node: usize, row: RowId) {
    let file = plan.file;
    let definition = file.row(node, row);
    let Type::Cell(cell) = &definition.ty else { return };
    let view = &file.nodes[node].rows[row.index()];
    let (Role::Derived | Role::Data | Role::Default(_), Some(at)) = (&definition.role, view.at)
    else {
        return;
    };
    let uses = file.uses.of_row(file.nodes[node].record, row);
    let reading = || uses.iter().filter(|usage| usage.phase == Phase::Reading);
    let Some(kind) = reading().find_map(|usage| match usage.purpose {
        Purpose::Length => Some(Kind::Count),
        Purpose::Extent => Some(Kind::Size),
        Purpose::Address => Some(Kind::Offset),
        Purpose::Base => Some(Kind::Index),
        _ => None,
    }) else {
        return;
    };
    let place = (node, row);
    let checked = definition.checks.iter().any(|c| !matches!(c.kind, CheckKind::Holds(_)));
    if checked || definition.reference.is_some() {
        return plan.leave_out(kind, place, Reason::SteersOthers);
    }
    let Ok(affected) = affected(file, node, row) else {
        return plan.leave_out(kind, place, Reason::SteersOthers);
    };
    // Whatever is read first with the new number fails.
    let first = affected
        .iter()
        .min_by_key(|affected| file.turn(&whole_row(file, affected.node, affected.row)));
    let Some(first) = first else { return };
    let site = Site { at, ..whole_row(file, node, row) };
    if whole_bytes(cell).is_some_and(|size| !file.alone(at, at + size)) {
        return plan.leave_out(kind, place, Reason::SharedBytes);
    }
    let (Some((_, high)), Meaning::Int, Some(now)) =
        (file.limits(cell), &cell.meaning, file.load(&site, cell))
    else {
        return plan.leave_out(kind, place, Reason::Storage);
    };
    // Numbers for nothing stand at the end of the range.
    let mut numbers = (0..64).map(|n| high - n).filter(|n| !definition.none.contains(n));
    let Some(most) = numbers.find(|n| is_index(file, first, row, *n)) else {
        return;
    };
    let number = match first.what {
        What::Address(_) => match file.nodes[first.node].rows[first.row.index()].at {
            Some(target) => now + i128::from(file.size()) - i128::from(target) + 8,
            None => return plan.leave_out(kind, place, Reason::NotHere),
        },
        _ => most,
    };
    let Some((patch_at, patch)) = file.store(&site, cell, number) else {
        return plan.leave_out(kind, place, Reason::Storage);
    };
    let changed = Changed { file, number: Some((Place::Row(node, row, None), number)) };
    let result = plan.with_patch(patch_at, &patch, |broken| {
        expect(&changed, (at, broken), first, affected.len())
    });
    match result {
        Ok(expected) => plan.add(kind, place, (patch_at, patch), expected),
        Err(reason) => plan.leave_out(kind, place, reason),
    }
}

/// Whether a number in a row says an index where a slice begins, if it is this that it says.
fn is_index(file: &File<'_>, affected: &Affected, row: RowId, number: i128) -> bool {
    match file.row(affected.node, affected.row).kind {
        RowKind::Slice { base, factor, offset, unit, .. } if base == row => {
            (number * factor + offset) % unit == 0
        }
        _ => true,
    }
}

fn expect(
    changed: &Changed<'_, '_>,
    (at, broken): (u64, &[u8]),
    first: &Affected,
    count: usize,
) -> Result<Expected, Reason> {
    let file = changed.file;
    let target = (first.node, first.row);
    let value = |expr| match changed.int(expr, first.node, None) {
        Ok(Some(number)) => Ok(number),
        _ => Err(Reason::Condition),
    };
    match first.what {
        What::Count(expr) => too_many(file, broken, target, value(expr)?),
        What::Size(expr) => too_large(file, target, value(expr)?, false),
        What::End(expr) => too_large(file, target, value(expr)?, true),
        What::Inner(_) => Err(Reason::UnknownElements),
        What::Address(_) | What::Slice if count > 1 => Err(Reason::SteersOthers),
        What::Address(expr) => {
            let says = file.model.exprs.place(expr).is_some();
            behind_the_end(file, target, value(expr)?, says.then_some(at))
        }
        What::Slice => no_slice(file, target),
    }
}

/// What is read in another way if a number is another one.
///
/// # Errors
///
/// If nobody can say it.
pub(super) fn affected<'m>(
    file: &File<'m>,
    node: usize,
    row: RowId,
) -> Result<Vec<Affected>, Unknown> {
    let key = (file.nodes[node].record, row);
    let view = &file.nodes[node].rows[row.index()];
    let mut found = Vec::new();
    let Type::Cell(cell) = &file.row(node, row).ty else { return Err(Unknown) };
    let site = Site { at: view.at.ok_or(Unknown)?, ..whole_row(file, node, row) };
    let now = file.load(&site, cell).ok_or(Unknown)?;
    let (low, high) = file.limits(cell).ok_or(Unknown)?;
    let other = if now < high { now + 1 } else { low };
    let changed = Changed { file, number: Some((Place::Row(node, row, None), other)) };
    let before = Changed { file, number: None };
    for usage in file.uses.of_row(key.0, key.1) {
        if usage.phase != Phase::Reading {
            continue;
        }
        let Some((record, target)) = usage.by else { return Err(Unknown) };
        for at in related(file, node, record) {
            let view = &file.nodes[at].rows[target.index()];
            let there = view.at.is_some() || !matches!(view.item, ItemView::Nothing);
            for what in parts(file, (record, target), usage.purpose)? {
                let differs = match what.expr() {
                    Some(expr) => changed.eval(expr, at, None)? != before.eval(expr, at, None)?,
                    None => at == node,
                };
                if differs && there {
                    found.push(Affected { node: at, row: target, what });
                }
            }
        }
    }
    Ok(found)
}

/// Nodes of a record that may know a number in a node: those around it, and those in it.
pub(super) fn related(file: &File<'_>, node: usize, record: RecordId) -> Vec<usize> {
    let all = file.nodes_of.get(&record).map_or(&[][..], Vec::as_slice);
    if all.len() <= 64 {
        return all.to_vec();
    }
    let mut found = Vec::new();
    let mut around = Some(node);
    while let Some(at) = around {
        found.push(at);
        around = file.nodes[at].owner;
    }
    let mut inside = file.owned(node).to_vec();
    while let Some(at) = inside.pop() {
        found.push(at);
        inside.extend(file.owned(at));
    }
    found.retain(|at| file.nodes[*at].record == record);
    found
}

/// What an expression of a row that mentions a number may say.
fn parts<'m>(
    file: &File<'m>,
    (record, row): (RecordId, RowId),
    purpose: Purpose,
) -> Result<Vec<What>, Unknown> {
    let definition = &file.model.records[record.index()].rows[row.index()];
    match (purpose, &definition.kind) {
        (Purpose::Address, RowKind::Object { address, .. }) => Ok(vec![What::Address(*address)]),
        (Purpose::Length | Purpose::Base, RowKind::Slice { .. }) => Ok(vec![What::Slice]),
        (Purpose::Length | Purpose::Extent, _) => {
            let mut found = Vec::new();
            lengths(&definition.ty, true, &mut found);
            Ok(found)
        }
        _ => Err(Unknown),
    }
}

fn lengths(ty: &Type, outer: bool, found: &mut Vec<What>) {
    let counted = |expr| if outer { What::Count(expr) } else { What::Inner(expr) };
    match ty {
        Type::Run(run) => {
            if let RunLength::Count(count) = &run.length {
                found.push(counted(*count));
            }
        }
        Type::Pointer(pointer) => {
            if let Target::Own(target) = &pointer.target {
                lengths(target, outer, found);
            }
        }
        Type::Array(array) => {
            if let ArrayLength::Count(count) = &array.length {
                found.push(counted(*count));
            }
            lengths(&array.element, false, found);
        }
        Type::Region(region) => {
            match &region.extent {
                Extent::Size(size) if outer => found.push(What::Size(*size)),
                Extent::End(end) if outer => found.push(What::End(*end)),
                Extent::Size(expr) | Extent::End(expr) => found.push(What::Inner(*expr)),
                Extent::Terminated(_) | Extent::Rest => {}
            }
            lengths(&region.inner, false, found);
        }
        _ => {}
    }
}

pub(super) fn whole_row<'f>(file: &'f File<'_>, node: usize, row: RowId) -> Site<'f> {
    let view = &file.nodes[node].rows[row.index()];
    Site {
        node,
        row,
        index: None,
        ty: &file.row(node, row).ty,
        item: &view.item,
        at: view.at.unwrap_or(0),
        end: view.end,
        behind: false,
        ends_array: false,
    }
}

/// Whether the place where a row's content ends is the end of the file.
fn is_free(file: &File<'_>, site: &Site<'_>) -> bool {
    let object = matches!(file.row(site.node, site.row).kind, RowKind::Object { .. });
    site.behind || object || !file.in_region(site.node)
}

/// The array, or run, whose length is counted.
fn counted<'f>(file: &'f File<'_>, (node, row): (usize, RowId)) -> Result<Site<'f>, Reason> {
    let mut found = None;
    file.row_sites(node, row, &mut |site| match site.ty {
        _ if found.is_some() || site.index.is_some() => {}
        Type::Array(array) if matches!(array.length, ArrayLength::Count(_)) => found = Some(site),
        Type::Run(run) if matches!(run.length, RunLength::Count(_)) => found = Some(site),
        // A pointer that is none has nothing behind it.
        Type::Pointer(_) if matches!(site.item, ItemView::Pointer { at, cell, .. } if at == cell) =>
        {
            found = Some(site);
        }
        _ => {}
    });
    match found {
        Some(site) if is_free(file, &site) => Ok(site),
        Some(_) => Err(Reason::UnknownElements),
        None => Err(Reason::NotHere),
    }
}

fn too_many(
    file: &File<'_>,
    broken: &[u8],
    target: (usize, RowId),
    count: i128,
) -> Result<Expected, Reason> {
    let site = counted(file, target)?;
    let path = file.site_path(&site);
    match (site.ty, site.item) {
        (Type::Pointer(pointer), _) if pointer.optional => Err(Reason::NothingForbidden),
        // An array without elements may have an address; what lies there is not known.
        (Type::Pointer(pointer), ItemView::Pointer { stored, .. })
            if file.model.pointers[pointer.kind.index()].none != Some(*stored) =>
        {
            Err(Reason::UnknownElements)
        }
        (Type::Pointer(_), _) => Ok(error("null_pointer", site.at, path)),
        (Type::Run(run), _) => {
            let align = run.align.unwrap_or(1).max(1);
            let at = site.at.checked_next_multiple_of(align).ok_or(Reason::NotHere)?;
            let size = count * i128::from(super::texts::unit(run.content));
            if size <= i128::from(file.size()) - i128::from(at) {
                return Err(Reason::NothingForbidden);
            }
            Ok(error("unexpected_end", at, path))
        }
        (Type::Array(array), ItemView::Array { items, .. }) if array.stride.is_none() => {
            let row = file.row(site.node, site.row);
            let mut guesser = Guesser::new(file, broken, site.node, row);
            let mut at = site.at;
            if let Some((start, _)) = items.last() {
                let start = start.ok_or(Reason::NotHere)?;
                at = match guesser.element(&array.element, start).and_padding(&guesser, row) {
                    Guess::Passes(end) => end,
                    _ => return Err(Reason::UnknownElements),
                };
            }
            // What can be anything can be as many as there is room for.
            if let (Some(size), true) = (plain_size(&array.element), row.checks.is_empty()) {
                let size = i128::from(size);
                let more = (i128::from(file.size()) - i128::from(at)) / size;
                let index = items.len() as i128 + more;
                let offset = u64::try_from(i128::from(at) + more * size);
                let offset = offset.map_err(|_| Reason::NotHere)?;
                return if index < count {
                    Ok(error("unexpected_end", offset, format!("{path}[{index}]")))
                } else {
                    Err(Reason::NothingForbidden)
                };
            }
            for index in items.len() as i128..count {
                match guesser.element(&array.element, at).and_padding(&guesser, row) {
                    Guess::Passes(end) if end > at => at = end,
                    Guess::Fails { code, offset, path: inner } => {
                        return Ok(error(code, offset, format!("{path}[{index}]{inner}")));
                    }
                    _ => return Err(Reason::UnknownElements),
                }
            }
            // There is room for all of them.
            Err(Reason::NothingForbidden)
        }
        _ => Err(Reason::UnknownElements),
    }
}

/// Size of elements that may hold anything.
fn plain_size(ty: &Type) -> Option<u64> {
    match ty {
        Type::Cell(cell) if matches!(cell.meaning, Meaning::Int | Meaning::Float(_)) => {
            whole_bytes(cell)
        }
        _ => None,
    }
}

fn too_large(
    file: &File<'_>,
    target: (usize, RowId),
    number: i128,
    is_end: bool,
) -> Result<Expected, Reason> {
    let mut region = None;
    file.row_sites(target.0, target.1, &mut |site| {
        if let Type::Region(found) = site.ty
            && region.is_none()
            && site.index.is_none()
            && matches!(found.extent, Extent::Size(_) | Extent::End(_))
        {
            region = Some(site);
        }
    });
    let Some(site) = region else { return Err(Reason::NotHere) };
    if !is_free(file, &site) {
        return Err(Reason::UnknownElements);
    }
    let at = i128::from(site.at);
    let end = if is_end { number } else { at.saturating_add(number) };
    if end <= i128::from(file.size()) {
        return Err(Reason::NothingForbidden);
    }
    let code = if is_end { "pointer_out_of_bounds" } else { "unexpected_end" };
    Ok(error(code, site.at, file.site_path(&site)))
}

/// A number that says where an object is, with its place if it is the only one that does.
fn behind_the_end(
    file: &File<'_>,
    (node, row): (usize, RowId),
    address: i128,
    said_at: Option<u64>,
) -> Result<Expected, Reason> {
    if (0..=i128::from(file.size())).contains(&address) {
        return Err(Reason::NothingForbidden);
    }
    let from = said_at.or(file.nodes[node].at).ok_or(Reason::NotHere)?;
    Ok(error("pointer_out_of_bounds", from, file.path(node, Some(row), None)))
}

/// A slice that begins or ends behind its table.
fn no_slice(file: &File<'_>, (node, row): (usize, RowId)) -> Result<Expected, Reason> {
    let RowKind::Slice { base, .. } = &file.row(node, row).kind else {
        return Err(Reason::NotHere);
    };
    let base = file.nodes[node].rows[base.index()].at;
    match (&file.nodes[node].rows[row.index()].item, base) {
        (ItemView::Array { items, .. }, Some(at)) if !items.is_empty() => {
            Ok(error("index_out_of_range", at, file.path(node, Some(row), None)))
        }
        _ => Err(Reason::NotHere),
    }
}

impl Guess {
    /// Members of pools are filled up.
    fn and_padding(self, guesser: &Guesser<'_, '_>, row: &formwork_codegen::model::Row) -> Guess {
        match (self, &row.kind) {
            (Guess::Passes(at), RowKind::Pool { pad, .. }) => guesser.padding(at, *pad),
            (guess, _) => guess,
        }
    }
}
