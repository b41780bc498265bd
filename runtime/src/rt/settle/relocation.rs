//! The relocation table of a file that was read: which pointers it lists, and which it should.

use alloc::collections::BTreeSet;
use alloc::rc::Rc;
use alloc::vec::Vec;

use super::super::labels::{ListedRow, Listing, Policy, RelocationEncoding};
use super::super::read::{is_gone, Reader};
use super::super::tables::{listings, relocation_tables, Table};
use super::super::tree::{Item, Loc, NodeId, UNPLACED, WHOLE};
use super::super::val::{eval_error, Fallible};
use crate::{MaskEntry, RunEntry};

/// Sections and entries that follow from the pointers of the file.
///
/// # Errors
///
/// If an address of a section has no value, or a pointer is beyond what entries can say.
pub(super) fn tables<'i, R: Reader<'i>>(cx: &mut R) -> Fallible<(Table<'i>, Table<'i>)> {
    let listed = listed_pointers(cx)?;
    let relocation = cx.core().tables.relocation;
    relocation_tables(cx, relocation, &listed)
}

/// Addresses of all pointers that belong in the table, with their sections.
fn listed_pointers<'i, R: Reader<'i>>(cx: &mut R) -> Fallible<Rc<Vec<(u64, u16)>>> {
    if let Some(known) = &cx.core().pointers {
        return Ok(Rc::clone(known));
    }
    let found = Rc::new(find_pointers(cx)?);
    cx.core_mut().pointers = Some(Rc::clone(&found));
    Ok(found)
}

fn find_pointers<'i, R: Reader<'i>>(cx: &mut R) -> Fallible<Vec<(u64, u16)>> {
    let relocation = cx.core().tables.relocation;
    let listings = listings(cx, relocation)?;
    let mut found = Vec::new();
    for label in &cx.core().labels {
        let listing = listings.get(usize::from(label.kind)).copied().flatten();
        let listed = match label.list.or(listing.map(|listing| listing.of(label.class))) {
            Some(Policy::Always) => true,
            Some(Policy::Set) => label.set,
            Some(Policy::Never) | None => false,
        };
        if listed {
            found.push((label.cell, label.section));
        }
    }
    let nodes = u32::try_from(cx.core().tree.nodes.len()).unwrap_or(u32::MAX);
    for index in 0..nodes {
        let node = NodeId(index);
        let record = cx.core().tree.node(node).record;
        let slots = cx.core().tables.records[usize::from(record)].slots;
        for (index, slot) in (0_u16..).zip(slots) {
            let loc = Loc::slot(node, index);
            let Some(listed) = &cx.core().row_of(node, index).listed else { continue };
            if is_gone(cx, loc) {
                continue;
            }
            if is_listed(cx, loc, listed, &listings, slot.kept.is_some())? {
                found.push((cx.core().tree.slot(node, index).at, listed.section));
            }
        }
    }
    cx.charge(found.len() as u64)?;
    Ok(found)
}

/// Whether a row is listed although it is no pointer.
fn is_listed<'i, R: Reader<'i>>(
    cx: &mut R,
    loc: Loc,
    row: &ListedRow,
    listings: &[Option<Listing>],
    kept: bool,
) -> Fallible<bool> {
    if matches!(cx.core().tree.slot(loc.node, loc.slot).item, Item::Absent) && !row.runtime {
        return Ok(false);
    }
    let kinds = cx.core().tables.relocation.kinds;
    let class = match row.kind {
        Some(kind) => listings.get(usize::from(kind)).copied().flatten().map(|l| l.object),
        // It counts as a pointer if it is as wide as one.
        None if row.runtime => {
            let width = match row.widths {
                [width] => *width,
                widths => widths.get(cx.core().epoch).copied().unwrap_or(0),
            };
            kinds.iter().zip(listings).find_map(|(kind, listing)| {
                let wide = kind.width > 0 && u64::from(kind.width) == width;
                let policy = listing.filter(|_| wide).map(|listing| listing.runtime);
                policy.filter(|policy| *policy != Policy::Never)
            })
        }
        None => None,
    };
    Ok(match row.policy.or(class) {
        Some(Policy::Always) => true,
        Some(Policy::Set) if row.runtime => false,
        Some(Policy::Set) => {
            let none = match row.kind {
                Some(kind) => kinds.get(usize::from(kind)).and_then(|kind| kind.none),
                None => Some(0),
            };
            if kept {
                cx.force(loc.node, loc.slot)?;
            }
            matches!(cx.core().tree.item(loc), Item::Int(n) if Some(*n) != none)
        }
        Some(Policy::Never) | None => false,
    })
}

/// All addresses that tables of the file list.
fn file_table<'i, R: Reader<'i>>(cx: &mut R) -> Rc<BTreeSet<u64>> {
    if let Some(table) = &cx.core().listed {
        return Rc::clone(table);
    }
    let core = cx.core_mut();
    let (mut masks, mut runs) = (Vec::new(), Vec::new());
    for (index, node) in (0_u32..).zip(&core.tree.nodes) {
        let record = &core.tables.records[usize::from(node.record)];
        let Some(encoding) = record.encodes else { continue };
        let number = |column: usize| -> Option<u64> {
            let slot = record.table.get(column)?;
            match core.tree.item(Loc::slot(NodeId(index), *slot)) {
                Item::Int(n) => Some(u64::try_from(*n).unwrap_or(u64::MAX)),
                _ => Some(0),
            }
        };
        match encoding {
            RelocationEncoding::Masks => {
                if let (Some(start), Some(mask)) = (number(0), number(1)) {
                    masks.push(MaskEntry {
                        start: u32::try_from(start).unwrap_or(u32::MAX),
                        mask: u32::try_from(mask).unwrap_or(0),
                    });
                }
            }
            RelocationEncoding::Runs => {
                let columns = (number(0), number(1), number(2), number(3));
                if let (Some(start), Some(repeats), Some(pointers), Some(gap)) = columns {
                    runs.push(RunEntry {
                        start: u32::try_from(start).unwrap_or(u32::MAX),
                        repeats: u16::try_from(repeats).unwrap_or(0),
                        pointers: u8::try_from(pointers).unwrap_or(0),
                        gap: u8::try_from(gap).unwrap_or(0),
                    });
                }
            }
        }
    }
    let mut table: BTreeSet<u64> = crate::decode_masks(&masks).into_iter().collect();
    table.extend(crate::decode_runs(&runs, core.length() / 4 + 1).unwrap_or_default());
    let table = Rc::new(table);
    core.listed = Some(Rc::clone(&table));
    table
}

/// Whether the file's relocation table lists this address.
///
/// # Errors
///
/// If the table is not read yet.
pub fn lists<'i, R: Reader<'i>>(cx: &mut R, address: u64) -> Fallible<Option<bool>> {
    if !cx.core().settling {
        return eval_error("the relocation table is not read yet");
    }
    if address == UNPLACED {
        return Ok(None);
    }
    Ok(Some(file_table(cx).contains(&address)))
}

/// Notes pointers that the file's table and the schema do not both know.
pub(super) fn compare_tables<'i, R: Reader<'i>>(cx: &mut R) -> Fallible<()> {
    if cx.core().tables.relocation.encoding.is_none() {
        return Ok(());
    }
    let table = file_table(cx);
    let known: BTreeSet<u64> = listed_pointers(cx)?.iter().map(|(address, _)| *address).collect();
    let mut differences: Vec<(u64, bool)> = table
        .difference(&known)
        .map(|address| (*address, true))
        .chain(known.difference(&table).map(|address| (*address, false)))
        .collect();
    differences.sort_unstable();
    for (address, unknown) in differences {
        let message = if unknown {
            "the relocation table lists a pointer that the schema does not know"
        } else {
            "a pointer of the schema is not in the relocation table"
        };
        let root = cx.root();
        cx.core_mut().note(address, Loc::slot(root, WHOLE), message);
    }
    Ok(())
}
