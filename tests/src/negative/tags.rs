//! Numbers that no case of a union has.

use formwork_codegen::model::{Cell, CheckKind, Label, Meaning, RowId, Tag, Type, Union};

use super::cell::whole_bytes;
use super::eval::{Changed, Place};
use super::file::{File, Site};
use super::lengths::{self, whole_row};
use super::nodes::ItemView;
use super::uses::{Phase, Purpose};
use super::{Kind, Plan, Reason, error};

pub(super) fn plan(plan: &mut Plan<'_, '_>, node: usize, row: RowId) {
    let file = plan.file;
    let mut own = Vec::new();
    file.row_sites(node, row, &mut |site| {
        if let Type::Union(id) = site.ty {
            match &file.model.unions[id.index()].tag {
                Tag::Own(_) | Tag::Word(_) => own.push(site),
                Tag::Row(_) | Tag::Given(_) => {}
            }
        }
    });
    for site in own {
        own_tag(plan, &site);
    }
    row_tag(plan, node, row);
}

/// A union whose case depends on a number.
struct Choice<'f> {
    node: usize,
    row: RowId,
    union: &'f Union,
}

/// The tag of a union is another row, or follows from one.
fn row_tag(plan: &mut Plan<'_, '_>, node: usize, row: RowId) {
    let file = plan.file;
    let place = (node, row);
    let definition = file.row(node, row);
    let Type::Cell(cell) = &definition.ty else { return };
    let key = (file.nodes[node].record, row);
    let uses = file.uses.of_row(key.0, key.1);
    let mut reading = uses.iter().filter(|usage| usage.phase == Phase::Reading).peekable();
    if reading.clone().all(|usage| usage.purpose != Purpose::Choice) {
        return;
    }
    let Some(at) = file.nodes[node].rows[row.index()].at else { return };
    let checked = definition.checks.iter().any(|c| !matches!(c.kind, CheckKind::Holds(_)));
    if checked || reading.any(|usage| usage.purpose != Purpose::Choice) {
        return plan.leave_out(Kind::Tag, place, Reason::SteersOthers);
    }
    let site = Site { at, ..whole_row(file, node, row) };
    if whole_bytes(cell).is_some_and(|size| !file.alone(at, at + size)) {
        return plan.leave_out(Kind::Tag, place, Reason::SharedBytes);
    }
    let open = match &cell.meaning {
        Meaning::Int => true,
        Meaning::Enum(id) => !file.model.enums[id.index()].closed,
        _ => false,
    };
    let Some((low, high)) = file.limits(cell).filter(|_| open && file.load(&site, cell).is_some())
    else {
        return plan.leave_out(Kind::Tag, place, Reason::Condition);
    };
    let choices = choices(file, node, row);
    let first =
        choices.iter().min_by_key(|choice| file.turn(&whole_row(file, choice.node, choice.row)));
    let Some(first) = first else {
        return plan.leave_out(Kind::Tag, place, Reason::NotHere);
    };
    let found = (0..300).flat_map(|n| [low + n, high - n]).filter(|n| (low..=high).contains(n));
    for stored in found.filter(|stored| !definition.none.contains(stored)) {
        let number = match &first.union.tag {
            Tag::Row(_) => Ok(Some(stored - definition.plus)),
            Tag::Given(expr) => {
                let number = Some((Place::Row(node, row, None), stored));
                Changed { file, number }.int(*expr, first.node, None)
            }
            Tag::Own(_) | Tag::Word(_) => return,
        };
        let Ok(Some(number)) = number else {
            return plan.leave_out(Kind::Tag, place, Reason::Condition);
        };
        if !takes(file, first.union, number, None)
            && let Some(patch) = file.store(&site, cell, stored)
        {
            let offset = match first.union.tag {
                Tag::Row(_) => Some(at),
                _ => file.nodes[first.node].rows[first.row.index()].at,
            };
            let Some(offset) = offset else { break };
            let path = file.path(first.node, Some(first.row), None);
            return plan.add(Kind::Tag, place, patch, error("unknown_tag", offset, path));
        }
    }
    plan.leave_out(Kind::Tag, place, Reason::NothingForbidden);
}

/// The unions that are there and depend on a number; of those in arrays there is none.
fn choices<'f>(file: &'f File<'_>, node: usize, row: RowId) -> Vec<Choice<'f>> {
    let key = (file.nodes[node].record, row);
    let mut found = Vec::new();
    for usage in file.uses.of_row(key.0, key.1) {
        let Some((record, other)) = usage.by.filter(|_| usage.phase == Phase::Reading) else {
            continue;
        };
        let Type::Union(id) = file.model.records[record.index()].rows[other.index()].ty else {
            return Vec::new();
        };
        let union = &file.model.unions[id.index()];
        for at in lengths::related(file, node, record) {
            let there = !matches!(file.nodes[at].rows[other.index()].item, ItemView::Nothing);
            let concerned = match &union.tag {
                Tag::Row(_) => at == node,
                Tag::Given(expr) => {
                    let other = |number| {
                        let number = Some((Place::Row(node, row, None), number));
                        Changed { file, number }.int(*expr, at, None)
                    };
                    other(1) != other(2)
                }
                _ => false,
            };
            if there && concerned {
                found.push(Choice { node: at, row: other, union });
            }
        }
    }
    found
}

/// Whether some case takes a number; patterns look at the bytes from the tag on.
fn takes(file: &File<'_>, union: &Union, number: i128, bytes: Option<&[u8]>) -> bool {
    let in_epoch = |epochs: &[bool]| epochs.get(file.epoch.index()).copied().unwrap_or(true);
    let label = |label: &Label| match label {
        Label::Range(low, high) => *low <= number && number <= *high,
        Label::Text(_) => false,
        Label::Else => true,
        Label::Pattern(pattern) => {
            let width = (pattern.width / 8) as usize;
            let covered = bytes.and_then(|bytes| bytes.get(..width));
            covered.is_none_or(|covered| {
                let n = covered.iter().fold(0_u128, |n, byte| n << 8 | u128::from(*byte));
                n & pattern.mask == pattern.bits
            })
        }
    };
    union.cases.iter().any(|case| {
        let own = case.forms.is_empty() && in_epoch(&case.epochs);
        let forms = case.forms.iter().filter(|form| in_epoch(&form.epochs));
        own && case.labels.iter().any(label)
            || forms.into_iter().any(|form| form.labels.iter().any(label))
    })
}

/// The union begins with its tag.
fn own_tag(plan: &mut Plan<'_, '_>, site: &Site<'_>) {
    let file = plan.file;
    let place = (site.node, site.row);
    let Type::Union(id) = site.ty else { return };
    let union = &file.model.unions[id.index()];
    let (Tag::Own(cell) | Tag::Word(cell)) = &union.tag else { return };
    if cell.meaning != Meaning::Int {
        return plan.leave_out(Kind::Tag, place, Reason::Condition);
    }
    match unknown_tag(file, site, union, cell) {
        // The text in front would not end there.
        Some(_) if file.terminated_at(site.at) > 0 => {
            plan.leave_out(Kind::Tag, place, Reason::SteersOthers);
        }
        Some(patch) => {
            let expected = error("unknown_tag", site.at, file.site_path(site));
            plan.add(Kind::Tag, place, patch, expected);
        }
        None => plan.leave_out(Kind::Tag, place, Reason::NothingForbidden),
    }
}

fn unknown_tag(
    file: &File<'_>,
    site: &Site<'_>,
    union: &Union,
    cell: &Cell,
) -> Option<(u64, Vec<u8>)> {
    let (low, high) = file.limits(cell)?;
    let now = file.load(site, cell)?;
    let at = usize::try_from(site.at).ok()?;
    let near = (1..300).flat_map(|n| [low + n - 1, high - n + 1]);
    near.filter(|number| *number != now).find_map(|number| {
        let (offset, bytes) = file.store(site, cell, number)?;
        // A word is matched from its highest bit, whatever its byte order is.
        let seen: Vec<u8> = match &union.tag {
            Tag::Word(_) => {
                let width = bytes.len();
                number.to_be_bytes().get(16 - width..)?.to_vec()
            }
            _ => {
                bytes.iter().chain(file.bytes.get(at + bytes.len()..)?).take(16).copied().collect()
            }
        };
        (!takes(file, union, number, Some(&seen))).then_some((offset, bytes))
    })
}
