//! Differences between the relocation table and the pointers, which are notes.

use std::collections::{HashMap, HashSet};

use formwork::ReadOptions;
use formwork::algorithms::{MaskEntry, RunEntry};
use formwork_codegen::model::{RelocationEncoding, Role, RowId, Type};

use super::file::{File, Site};
use super::uses::Purpose;
use super::{Expected, Kind, Plan, error};

const UNLISTED: &str = "a pointer of the schema is not in the relocation table";
const UNKNOWN: &str = "the relocation table lists a pointer that the schema does not know";

/// An entry of the table, and where its numbers are.
struct Entry {
    node: usize,
    rows: Vec<RowId>,
    addresses: Vec<u64>,
    numbers: Vec<i128>,
}

pub(super) fn plan(plan: &mut Plan<'_, '_>) {
    let file = plan.file;
    if file.notes > 0 {
        return;
    }
    for encoding in [RelocationEncoding::PointerMasks, RelocationEncoding::PointerRuns] {
        let entries = entries(file, encoding);
        let mut listed: HashMap<u64, usize> = HashMap::new();
        for address in entries.iter().flat_map(|entry| &entry.addresses) {
            *listed.entry(*address).or_default() += 1;
        }
        let (cells, asked) = cells(file);
        for entry in &entries {
            for (address, row, number) in without_one(encoding, entry) {
                let Some(owner) = cells.get(&address).copied() else { continue };
                if listed.get(&address) == Some(&1) && !asked.contains(&address) {
                    patch(plan, Kind::Unlisted, owner, entry, (row, number), address);
                }
            }
            let free = |address: &u64| !listed.contains_key(address) && !asked.contains(address);
            let more = with_one_more(encoding, entry).into_iter().find(|(at, ..)| free(at));
            if let Some((address, row, number)) = more {
                let owner = (entry.node, row);
                patch(plan, Kind::Unknown, owner, entry, (row, number), address);
            }
        }
    }
}

fn patch(
    plan: &mut Plan<'_, '_>,
    kind: Kind,
    about: (usize, RowId),
    entry: &Entry,
    (row, number): (RowId, i128),
    address: u64,
) {
    let file = plan.file;
    let view = &file.nodes[entry.node].rows[row.index()];
    let Type::Cell(cell) = &file.row(entry.node, row).ty else { return };
    let Some(at) = view.at else { return };
    let site = Site {
        node: entry.node,
        row,
        index: None,
        ty: &file.row(entry.node, row).ty,
        item: &view.item,
        at,
        end: view.end,
        behind: false,
        ends_array: false,
    };
    let Some(patch) = file.store(&site, cell, number) else { return };
    let message = if kind == Kind::Unlisted { UNLISTED } else { UNKNOWN }.to_owned();
    let path = "file".to_owned();
    let note = Expected::Note { offset: address, path: path.clone(), message };
    plan.add(kind, about, patch.clone(), note);
    let strict = ReadOptions::default().strict(true);
    plan.add_with(kind, about, patch, strict, error("expression", address, path));
}

/// Addresses of all pointers and other numbers with their rows, and those of rows that some
/// expression asks the table about.
fn cells(file: &File<'_>) -> (HashMap<u64, (usize, RowId)>, HashSet<u64>) {
    let mut cells = HashMap::new();
    let mut asked = HashSet::new();
    file.sites(&mut |site| {
        let definition = file.row(site.node, site.row);
        let runtime = matches!(definition.kind, formwork_codegen::model::RowKind::Runtime);
        if matches!(site.ty, Type::Pointer(_)) || definition.listed.is_some() || runtime {
            cells.entry(site.at).or_insert((site.node, site.row));
        }
        let (record, row) = file.key(&site);
        let mut uses = file.uses.of_row(record, row).iter();
        if uses.any(|usage| usage.purpose == Purpose::Listed) {
            asked.insert(site.at);
        }
    });
    (cells, asked)
}

fn entries(file: &File<'_>, encoding: RelocationEncoding) -> Vec<Entry> {
    let mut found = Vec::new();
    for node in 0..file.nodes.len() {
        let record = file.record(node);
        if record.encodes != Some(encoding) {
            continue;
        }
        let mut rows = Vec::new();
        let mut numbers = Vec::new();
        for (position, row) in (0_u32..).zip(&record.rows) {
            if !matches!(row.role, Role::Data | Role::Default(_)) {
                continue;
            }
            let view = &file.nodes[node].rows[position as usize];
            let (Type::Cell(cell), Some(at)) = (&row.ty, view.at) else { continue };
            let row_id = RowId(position);
            let site = Site {
                node,
                row: row_id,
                index: None,
                ty: &row.ty,
                item: &view.item,
                at,
                end: view.end,
                behind: false,
                ends_array: false,
            };
            rows.push(row_id);
            numbers.extend(file.load(&site, cell));
        }
        let addresses = addresses(encoding, &numbers).unwrap_or_default();
        found.push(Entry { node, rows, addresses, numbers });
    }
    found
}

fn addresses(encoding: RelocationEncoding, numbers: &[i128]) -> Option<Vec<u64>> {
    match (encoding, numbers) {
        (RelocationEncoding::PointerMasks, [start, mask, ..]) => {
            let start = u32::try_from(*start).ok()?;
            let mask = u32::try_from(*mask).ok()?;
            Some(formwork::algorithms::decode_masks(&[MaskEntry { start, mask }]))
        }
        (RelocationEncoding::PointerRuns, [start, repeats, pointers, gap, ..]) => {
            let entry = RunEntry {
                start: u32::try_from(*start).ok()?,
                repeats: u16::try_from(*repeats).ok()?,
                pointers: u8::try_from(*pointers).ok()?,
                gap: u8::try_from(*gap).ok()?,
            };
            formwork::algorithms::decode_runs(&[entry], 1 << 16)
        }
        _ => None,
    }
}

/// Ways to take one address out of an entry: the address, and a row's new number.
fn without_one(encoding: RelocationEncoding, entry: &Entry) -> Vec<(u64, RowId, i128)> {
    match (encoding, entry.rows.as_slice(), entry.numbers.as_slice()) {
        (RelocationEncoding::PointerMasks, [_, row, ..], [start, mask, ..]) => (0..32)
            .filter(|bit| mask >> bit & 1 == 1)
            .filter_map(|bit| {
                Some((u64::try_from(start + 8 * bit).ok()?, *row, mask & !(1 << bit)))
            })
            .collect(),
        (RelocationEncoding::PointerRuns, [_, _, row, ..], [start, 1, pointers, ..]) => {
            let last = u64::try_from(start + 8 * (pointers - 1));
            last.ok()
                .filter(|_| *pointers > 1)
                .map(|at| (at, *row, pointers - 1))
                .into_iter()
                .collect()
        }
        _ => Vec::new(),
    }
}

/// Ways to add an address to an entry.
fn with_one_more(encoding: RelocationEncoding, entry: &Entry) -> Vec<(u64, RowId, i128)> {
    match (encoding, entry.rows.as_slice(), entry.numbers.as_slice()) {
        (RelocationEncoding::PointerMasks, [_, row, ..], [start, mask, ..]) => (0..32)
            .filter(|bit| mask >> bit & 1 == 0)
            .filter_map(|bit| Some((u64::try_from(start + 8 * bit).ok()?, *row, mask | 1 << bit)))
            .collect(),
        (RelocationEncoding::PointerRuns, [_, _, row, ..], [start, 1, pointers, ..]) => {
            let next = u64::try_from(start + 8 * pointers);
            next.ok().map(|at| (at, *row, pointers + 1)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}
