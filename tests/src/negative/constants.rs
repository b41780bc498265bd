//! Magic, constants and padding.

use formwork::ReadOptions;
use formwork_codegen::model::{Cell, Constant, Meaning, RecordKind, RowKind, RunType, Type};

use super::cell::whole_bytes;
use super::file::Site;
use super::texts::parts;
use super::{Expected, Kind, Plan, Reason, error};

pub(super) fn plan(plan: &mut Plan<'_, '_>, site: &Site<'_>) {
    let file = plan.file;
    let row = file.row(site.node, site.row);
    let place = (site.node, site.row);
    match (&row.kind, site.ty) {
        (RowKind::Constant(_), Type::Run(run)) => {
            let Some(parts) = parts(file, site, run).filter(|parts| parts.size > 0) else {
                return plan.leave_out(Kind::Magic, place, Reason::Storage);
            };
            let at = parts.content + parts.size - 1;
            let Some(byte) = file.byte(at) else { return };
            if !file.alone(parts.content, at + 1) {
                return plan.leave_out(Kind::Magic, place, Reason::SharedBytes);
            }
            // Of a text in a pool it is the pointer that fails.
            if site.behind && !file.reads_first(site, parts.start) {
                return plan.leave_out(Kind::Magic, place, Reason::SharedBytes);
            }
            let offset = file.nodes[site.node].rows[site.row.index()].at.unwrap_or(site.at);
            let expected = error("not_equal", offset, file.site_path(site));
            plan.add(Kind::Magic, place, (at, vec![byte ^ 0x20]), expected);
        }
        (RowKind::Constant(constant), Type::Cell(cell)) => {
            constant_cell(plan, site, constant, cell)
        }
        (RowKind::Zero | RowKind::Runtime | RowKind::Zeros, Type::Run(_)) => padding(plan, site),
        (RowKind::Zero, Type::Cell(cell)) => {
            let Some(patch) = file.store(site, cell, 1) else {
                return plan.leave_out(Kind::Padding, place, Reason::Storage);
            };
            let path = file.site_path(site);
            let expected = error("not_zero", site.at, path.clone());
            plan.add(Kind::Padding, place, patch.clone(), expected);
            // Bits of a word are never kept.
            if !matches!(file.record(site.node).kind, RecordKind::Word(_)) {
                lenient(plan, site, patch, path);
            }
        }
        (_, Type::Run(run)) => fill(plan, site, run),
        _ => {}
    }
}

/// Zero bytes in front of an aligned text, and behind a member of a pool.
fn fill(plan: &mut Plan<'_, '_>, site: &Site<'_>, run: &RunType) {
    let file = plan.file;
    let place = (site.node, site.row);
    let pointed = matches!(file.row(site.node, site.row).ty, Type::Pointer(_));
    let Some(parts) = parts(file, site, run).filter(|_| !pointed) else { return };
    let path = file.site_path(site);
    if site.at < parts.start && file.alone(site.at, parts.start) {
        let expected = error("not_zero", site.at, path.clone());
        plan.add(Kind::Padding, place, (parts.start - 1, vec![1]), expected);
    }
    let definition = file.row(site.node, site.row);
    let (RowKind::Pool { pad, .. }, Type::Array(_)) = (&definition.kind, &definition.ty) else {
        return;
    };
    let end = parts.content + parts.size + run.suffix.len() as u64;
    let padded = end.next_multiple_of((*pad).max(1));
    if end < padded && padded <= file.size() && !file.in_region(site.node) {
        plan.add(Kind::Padding, place, (padded - 1, vec![1]), error("not_zero", end, path));
    }
}

/// A reader that is asked to be lenient notes what is not zero.
fn lenient(plan: &mut Plan<'_, '_>, site: &Site<'_>, patch: (u64, Vec<u8>), path: String) {
    if plan.file.notes > 0 {
        return;
    }
    let message = match plan.file.row(site.node, site.row).fill {
        0 => "bytes that should be zero are not".to_owned(),
        fill => format!("bytes that should be {fill:#04x} are not"),
    };
    let note = Expected::Note { offset: site.at, path, message };
    let options = ReadOptions::default().lenient(true);
    plan.add_with(Kind::Padding, (site.node, site.row), patch, options, note);
}

fn constant_cell(plan: &mut Plan<'_, '_>, site: &Site<'_>, constant: &Constant, cell: &Cell) {
    let file = plan.file;
    let place = (site.node, site.row);
    let Some(size) = whole_bytes(cell).filter(|_| file.load(site, cell).is_some()) else {
        return plan.leave_out(Kind::Constant, place, Reason::Storage);
    };
    if !file.alone(site.at, site.at + size) {
        return plan.leave_out(Kind::Constant, place, Reason::SharedBytes);
    }
    // An enumeration or truth value may be broken before it is compared.
    if !matches!((constant, &cell.meaning), (Constant::Int(_), Meaning::Int)) {
        return plan.leave_out(Kind::Constant, place, Reason::Condition);
    }
    let Some(byte) = file.byte(site.at) else { return };
    let expected = error("not_equal", site.at, file.site_path(site));
    plan.add(Kind::Constant, place, (site.at, vec![byte ^ 1]), expected);
}

/// The last byte of a run of zeros, which shows that the offset is that of the byte.
fn padding(plan: &mut Plan<'_, '_>, site: &Site<'_>) {
    let file = plan.file;
    let place = (site.node, site.row);
    let Some(end) = site.end.filter(|end| *end > site.at) else {
        return plan.leave_out(Kind::Padding, place, Reason::NotHere);
    };
    if !file.alone(site.at, end) {
        return plan.leave_out(Kind::Padding, place, Reason::SharedBytes);
    }
    let path = file.site_path(site);
    let fill = file.row(site.node, site.row).fill;
    let patch = (end - 1, vec![fill ^ 1]);
    let code = if fill == 0 { "not_zero" } else { "not_equal" };
    plan.add(Kind::Padding, place, patch.clone(), error(code, end - 1, path.clone()));
    if !matches!(file.row(site.node, site.row).kind, RowKind::Zeros) {
        lenient(plan, site, patch, path);
    }
}
