//! What is computed of a whole file, in reading and writing alike: members of string pools,
//! relocation tables, and the digests by which such tables are told apart.

use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::engine::Engine;
use super::labels::{Kind, Listing, Relocation, RelocationEncoding};
use super::tree::{through, Item, Loc, NodeId, Text};
use super::val::{eval_error, Fallible, Val};
use crate::pool::{compare, PoolOrder};
use crate::relocation::{encode_masks, encode_runs};

/// A pooled text, where a pointer names it.
#[derive(Debug, Clone, Copy)]
pub struct Pooled<'t, 'a> {
    /// Address of the pointer.
    pub cell: u64,
    /// Number of its kind.
    pub kind: u16,
    /// The nearest node around it.
    pub node: NodeId,
    /// The text.
    pub text: &'t Item<'a>,
}

/// The first of several whose condition holds in a node.
///
/// # Errors
///
/// If a condition fails.
pub fn first_that_holds<'a, E: Engine<'a>, T: Copy>(
    engine: &mut E,
    candidates: &[(Option<u16>, T)],
    node: NodeId,
) -> Fallible<Option<T>> {
    for (condition, candidate) in candidates {
        let holds = match condition {
            Some(condition) => engine.truth(*condition, node, None)?,
            None => true,
        };
        if holds {
            return Ok(Some(*candidate));
        }
    }
    Ok(None)
}

/// Which pointers are listed in the relocation table, by kind.
///
/// # Errors
///
/// If a condition fails.
pub fn listings<'a, E: Engine<'a>>(
    engine: &mut E,
    relocation: &'static Relocation,
) -> Fallible<Vec<Option<Listing>>> {
    let root = engine.root();
    relocation.kinds.iter().map(|kind| first_that_holds(engine, kind.listing, root)).collect()
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

/// Members of the pool in a slot that follow from these pooled pointers.
///
/// # Errors
///
/// If a path fails.
pub fn pool_members<'t, 'a: 't, E: Engine<'a>>(
    engine: &mut E,
    relocation: &'static Relocation,
    texts: impl Iterator<Item = Pooled<'t, 'a>>,
    pool: Loc,
    always: &[&'static str],
    order: PoolOrder,
) -> Fallible<Vec<Item<'a>>> {
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
    let mut met: Vec<(u64, &Item<'a>)> = Vec::with_capacity(texts.size_hint().0);
    let mut last = None;
    for Pooled { cell, kind, node, text } in texts {
        let ours = match kinds.get(usize::from(kind)).copied().flatten() {
            Some(ours) => ours,
            None => match (last, relocation.kinds.get(usize::from(kind))) {
                (Some((before, around, ours)), _) if (before, around) == (kind, node) => ours,
                (_, Some(Kind { pool: Some((path, _)), .. })) => {
                    leads_to(engine, *path, node, pool)?
                }
                _ => false,
            },
        };
        last = Some((kind, node, ours));
        if ours {
            met.push((cell, text));
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
