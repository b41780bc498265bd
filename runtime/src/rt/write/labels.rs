//! What string pools and relocation tables are made of: pooled texts and addresses of pointers,
//! logged while rows are placed.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::super::engine::Engine;
use super::super::labels::{Kind, Listing, Policy, Relocation, RelocationEncoding};
use super::super::tree::{through, Item, Loc, NodeId, Text, UNPLACED};
use super::super::val::{eval_error, Fallible, Fault, Val};
use crate::pool::{compare, PoolOrder};
use crate::relocation::{encode_masks, encode_runs};

/// Class of a pointer's target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// One object.
    Object,
    /// An array.
    Array,
    /// A dictionary.
    Dictionary,
    /// A pooled text.
    Text,
    /// A row that a program fills in memory, of so many bytes.
    Runtime(u64),
    /// A number that stands for no kind of pointer.
    Plain,
}

/// A pooled text.
#[derive(Debug, Clone)]
pub struct Label<'a> {
    /// Address of the pointer.
    pub cell: u64,
    /// Number of its kind.
    pub kind: u16,
    /// The nearest node around it.
    pub node: NodeId,
    /// The text: [`Item::Text`], [`Item::Bytes`] or [`Item::Units`].
    pub text: Item<'a>,
}

/// A pointer, or a number that stands for one.
#[derive(Debug, Clone, Copy)]
pub struct Cell {
    /// Its address.
    pub at: u64,
    /// Number of its kind; of no meaning for [`Class::Runtime`] and [`Class::Plain`].
    pub kind: u16,
    /// Class of its target.
    pub class: Class,
    /// What its row says, if it says something.
    pub policy: Option<Policy>,
    /// Section of the table.
    pub section: u16,
    /// Whether it is not none.
    pub set: Set,
}

/// Whether a pointer is not none.
#[derive(Debug, Clone, Copy)]
pub enum Set {
    /// Known already.
    Known(bool),
    /// As the pointer in a slot or element says.
    Pointer(Loc),
    /// As the number in a slot says, which is not this one.
    Number(Loc, Option<i128>),
}

/// What is logged.
#[derive(Debug, Default)]
pub struct Labels<'a> {
    /// Pooled texts with their addresses.
    pub labels: Vec<Label<'a>>,
    /// Pooled texts that may not have an address yet when the pool is made.
    pub planned: Vec<Label<'a>>,
    /// Pointers.
    pub cells: Vec<Cell>,
}

/// Bytes by which two pooled texts are told apart and ordered.
#[must_use]
pub fn label_key<'t>(item: &'t Item<'_>) -> Cow<'t, [u8]> {
    match through(item) {
        Item::Text(text) => Cow::Borrowed(text.as_bytes()),
        Item::Bytes(bytes) => Cow::Borrowed(bytes),
        Item::Units(units) => {
            Cow::Owned(units.iter().flat_map(|unit| unit.to_be_bytes()).collect())
        }
        _ => Cow::Borrowed(&[]),
    }
}

/// Members of the pool in a slot that follow from pooled pointers, in the order of the first whose
/// condition holds.
///
/// # Errors
///
/// If a condition or path fails.
pub fn pool_members<'a, E: Engine<'a>>(
    engine: &mut E,
    relocation: &'static Relocation,
    labels: &[Label<'a>],
    planned: &[Label<'a>],
    pool: Loc,
    always: &[&'static str],
    orders: &[(Option<u16>, PoolOrder)],
) -> Fallible<Vec<Item<'a>>> {
    let mut order = PoolOrder::FirstUse;
    for (condition, candidate) in orders {
        let holds = match condition {
            Some(condition) => engine.truth(*condition, pool.node, None)?,
            None => true,
        };
        if holds {
            order = *candidate;
            break;
        }
    }
    // Kinds of pointers whose pool does not depend on who holds them.
    let mut kinds = Vec::with_capacity(relocation.kinds.len());
    for kind in relocation.kinds {
        kinds.push(match kind.pool {
            None => Some(false),
            Some((path, true)) => {
                let root = engine.root();
                Some(leads_to(engine, path, root, pool)?)
            }
            Some((_, false)) => None,
        });
    }
    let mut met: Vec<(u64, &Item<'a>)> = Vec::with_capacity(labels.len());
    let mut last = None;
    for label in labels.iter().chain(planned) {
        let ours = match kinds.get(usize::from(label.kind)).copied().flatten() {
            Some(ours) => ours,
            None => match (last, relocation.kinds.get(usize::from(label.kind))) {
                (Some((kind, node, ours)), _) if (kind, node) == (label.kind, label.node) => ours,
                (_, Some(Kind { pool: Some((path, _)), .. })) => {
                    leads_to(engine, *path, label.node, pool)?
                }
                _ => false,
            },
        };
        last = Some((label.kind, label.node, ours));
        if ours {
            met.push((label.cell, &label.text));
        }
    }
    engine.charge(met.len() as u64)?;
    if !met.windows(2).all(|pair| pair[0].0 <= pair[1].0) {
        met.sort_by_key(|(cell, _)| *cell);
    }
    let mut seen: BTreeSet<Cow<'_, [u8]>> = BTreeSet::new();
    let mut members: Vec<Item<'a>> = Vec::new();
    let first: Vec<Item<'a>> = always.iter().map(|text| Item::Text(Text::Borrowed(text))).collect();
    for item in first.iter().chain(met.iter().map(|(_, item)| *item)) {
        if seen.insert(label_key(item)) {
            members.push(item.clone());
        }
    }
    if order != PoolOrder::FirstUse {
        members.sort_by(|a, b| compare(order, &label_key(a), &label_key(b)));
    }
    Ok(members)
}

fn leads_to<'a, E: Engine<'a>>(
    engine: &mut E,
    path: u16,
    this: NodeId,
    pool: Loc,
) -> Fallible<bool> {
    let found = engine.find(path, this, None)?;
    Ok(found
        .values
        .iter()
        .any(|val| matches!(val, Val::Loc(loc) if loc.node == pool.node && loc.slot == pool.slot)))
}

/// Addresses of all pointers that belong in the relocation table, with their sections. `set` says
/// whether one is not none where the log does not know.
///
/// # Errors
///
/// If a condition fails, or a pointer has no address.
pub fn listed_cells<'a, E: Engine<'a>>(
    engine: &mut E,
    relocation: &'static Relocation,
    cells: &[Cell],
    set: &mut dyn FnMut(&mut E, &Cell) -> Fallible<bool>,
) -> Fallible<Vec<(u64, u16)>> {
    let root = engine.root();
    let mut listings: Vec<Option<Listing>> = Vec::with_capacity(relocation.kinds.len());
    for kind in relocation.kinds {
        let mut chosen = None;
        for (condition, listing) in kind.listing {
            let holds = match condition {
                Some(condition) => engine.truth(*condition, root, None)?,
                None => true,
            };
            if holds {
                chosen = Some(*listing);
                break;
            }
        }
        listings.push(chosen);
    }
    let mut found = Vec::with_capacity(cells.len());
    for cell in cells {
        let listing = listings.get(usize::from(cell.kind)).copied().flatten();
        let by_class = match cell.class {
            Class::Object => listing.map(|l| l.object),
            Class::Array => listing.map(|l| l.array),
            Class::Dictionary => listing.map(|l| l.dictionary),
            Class::Text => listing.map(|l| l.string),
            Class::Plain => None,
            Class::Runtime(width) => {
                relocation.kinds.iter().zip(&listings).find_map(|(kind, listing)| {
                    let policy = listing.filter(|_| u64::from(kind.width) == width)?.runtime;
                    Some(policy).filter(|policy| *policy != Policy::Never)
                })
            }
        };
        let listed = match cell.policy.or(by_class) {
            Some(Policy::Always) => true,
            Some(Policy::Set) => match cell.set {
                Set::Known(set) => set,
                _ => set(engine, cell)?,
            },
            Some(Policy::Never) | None => false,
        };
        if listed {
            if cell.at == UNPLACED {
                return Err(Box::new(Fault::NotPlaced("a pointer".into())));
            }
            found.push((cell.at, cell.section));
        }
    }
    engine.charge(found.len() as u64)?;
    Ok(found)
}

/// A table of numbers and texts, row by row.
pub type Table<'a> = Vec<Vec<Item<'a>>>;

/// Sections and entries of the relocation table for these addresses.
///
/// # Errors
///
/// If a section has no bounds, or a pointer lies too far for the encoding.
pub fn relocation_tables<'a, E: Engine<'a>>(
    engine: &mut E,
    relocation: &'static Relocation,
    listed: &[(u64, u16)],
) -> Fallible<(Table<'a>, Table<'a>)> {
    let root = engine.root();
    let mut sections = Vec::new();
    let mut entries: Table<'a> = Vec::new();
    for (index, (from, to)) in relocation.sections.iter().enumerate() {
        let from = engine.int(*from, root, None)?;
        let to = engine.int(*to, root, None)?;
        let mut addresses: Vec<u64> = listed
            .iter()
            .filter(|(_, section)| usize::from(*section) == index)
            .map(|(address, _)| *address)
            .collect();
        addresses.sort_unstable();
        addresses.dedup();
        let spelled = spell(relocation.encoding, &addresses)?;
        let from = from.unwrap_or(0);
        let size = to.unwrap_or(from).saturating_sub(from);
        let numbers = [from, size, entries.len() as i128, spelled.len() as i128];
        sections.push(numbers.iter().map(|n| Item::Int(*n)).collect());
        entries.extend(spelled);
    }
    Ok((sections, entries))
}

fn spell<'a>(encoding: Option<RelocationEncoding>, addresses: &[u64]) -> Fallible<Table<'a>> {
    let row = |numbers: &[u64]| numbers.iter().map(|n| Item::Int((*n).into())).collect();
    let spelled: Option<Table<'a>> = match encoding {
        None => Some(Vec::new()),
        Some(RelocationEncoding::Masks) => encode_masks(addresses)
            .map(|entries| entries.iter().map(|e| row(&[e.start.into(), e.mask.into()])).collect()),
        Some(RelocationEncoding::Runs) => encode_runs(addresses).map(|entries| {
            entries
                .iter()
                .map(|e| row(&[e.start.into(), e.repeats.into(), e.pointers.into(), e.gap.into()]))
                .collect()
        }),
    };
    match spelled {
        Some(table) => Ok(table),
        None => eval_error("a pointer lies beyond what 32 bits can say"),
    }
}

/// A number that tells a table from others.
#[must_use]
pub fn digest<'t, 'a: 't>(table: impl IntoIterator<Item = &'t Vec<Item<'a>>>) -> i128 {
    let mut bytes = Vec::new();
    for row in table {
        for item in row {
            match through(item) {
                Item::Int(n) => bytes.extend_from_slice(&n.to_le_bytes()),
                Item::Text(text) => {
                    bytes.extend_from_slice(text.as_bytes());
                    bytes.push(0xff);
                }
                Item::Bytes(b) => {
                    bytes.extend_from_slice(b);
                    bytes.push(0xff);
                }
                _ => bytes.push(0xfe),
            }
        }
        bytes.push(0xfd);
    }
    let low = crate::fnv1a_32(&bytes, crate::FNV1A_SEED);
    let high = crate::murmur3_32(&bytes, 0);
    i128::from(u64::from(high) << 32 | u64::from(low))
}
