//! Entries of relocation tables: which 8-byte fields of a file are pointers, in two encodings.
//!
//! Offsets count bytes from the base of the section that the entries belong to. Pointers are 8
//! bytes each, and need not be aligned.

#![deny(clippy::arithmetic_side_effects)]

use alloc::vec::Vec;

/// Size of a pointer in bytes.
const POINTER: u64 = 8;

/// Pointers among 32 successive 8-byte fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MaskEntry {
    /// Offset of the first field in bytes.
    pub start: u32,
    /// Bit `k` is set if the field `8 * k` bytes behind `start` is a pointer.
    pub mask: u32,
}

/// Groups of successive pointers, all of one length and at one distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RunEntry {
    /// Offset of the first pointer in bytes.
    pub start: u32,
    /// How many groups there are.
    pub repeats: u16,
    /// How many pointers each group has.
    pub pointers: u8,
    /// How many 8-byte fields between two groups are not pointers.
    pub gap: u8,
}

/// The entries for pointers at these offsets: each begins at the lowest offset that none before it
/// covers, and covers all that it can. Offsets ascend; one that is there twice counts once. `None`
/// if one is above `u32::MAX`.
///
/// ```
/// use formwork::algorithms::{encode_masks, MaskEntry};
///
/// let entries = encode_masks(&[0x28, 0x30, 0x40, 0x128]).unwrap();
/// assert_eq!(
///     entries,
///     [MaskEntry { start: 0x28, mask: 0b1011 }, MaskEntry { start: 0x128, mask: 1 }],
/// );
/// ```
#[must_use]
pub fn encode_masks(sorted_offsets: &[u64]) -> Option<Vec<MaskEntry>> {
    // Pointers stand close together, most often.
    let mut entries: Vec<MaskEntry> = Vec::with_capacity(sorted_offsets.len() / 4);
    // An entry covers offsets of one remainder by 8 only, so each remainder has one that is still
    // open.
    let mut open = [None; POINTER as usize];
    for &offset in ascending(sorted_offsets).as_slice() {
        let start = u32::try_from(offset).ok()?;
        let open = open.get_mut((offset & 7) as usize)?;
        let entry = open.and_then(|position: usize| entries.get_mut(position));
        match entry {
            Some(entry) if start.saturating_sub(entry.start) >> 3 < u32::BITS => {
                entry.mask |= 1 << (start.saturating_sub(entry.start) >> 3);
            }
            _ => {
                *open = Some(entries.len());
                entries.push(MaskEntry { start, mask: 1 });
            }
        }
    }
    Some(entries)
}

/// The offsets of all pointers that the entries cover, ascending, each once. There are at most 32
/// per entry.
#[must_use]
pub fn decode_masks(entries: &[MaskEntry]) -> Vec<u64> {
    let bits: usize = entries.iter().map(|entry| entry.mask.count_ones() as usize).sum();
    let mut offsets = Vec::with_capacity(bits);
    for entry in entries {
        let fields = (u64::from(entry.start)..).step_by(POINTER as usize).zip(0..u32::BITS);
        let pointers = fields.filter(|(_, bit)| entry.mask >> bit & 1 == 1);
        offsets.extend(pointers.map(|(offset, _)| offset));
    }
    sorted_once(offsets)
}

/// The entries for pointers at these offsets. Offsets ascend; one that is there twice counts once.
/// `None` if one is above `u32::MAX`.
///
/// The pointers fall into runs of successive ones, of at most 255. In the order of offsets, each
/// run that no entry covers yet begins one, which takes in the next such run of the same length, if
/// at most 255 fields lie between, and then those of the same length that follow at the same
/// distance.
///
/// ```
/// use formwork::algorithms::{encode_runs, RunEntry};
///
/// let entries = encode_runs(&[0x00, 0x08, 0x18, 0x20, 0x30, 0x38, 0x50]).unwrap();
/// assert_eq!(
///     entries,
///     [
///         RunEntry { start: 0x00, repeats: 3, pointers: 2, gap: 1 },
///         RunEntry { start: 0x50, repeats: 1, pointers: 1, gap: 0 },
///     ],
/// );
/// ```
#[must_use]
pub fn encode_runs(sorted_offsets: &[u64]) -> Option<Vec<RunEntry>> {
    let runs = Runs::new(ascending(sorted_offsets).as_slice())?;
    let mut used = Vec::new();
    used.resize(runs.0.len(), false);
    // For each run, a later one of its length such that all between are used. It moves on as they
    // are used up, past many at a time, so that finding the next unused one takes next to no time
    // on average.
    let mut next = runs.successors();
    let mut entries = Vec::new();
    for (position, &run) in runs.0.iter().enumerate() {
        if used.get(position).copied().unwrap_or(true) {
            continue;
        }
        set(&mut used, position, true);
        let mut entry = RunEntry { start: run.start, repeats: 1, pointers: run.pointers, gap: 0 };
        let following = next_unused(&mut next, &used, position).and_then(|at| runs.0.get(at));
        if let Some((distance, gap)) = following.and_then(|&other| run.distance(other)) {
            entry.gap = gap;
            let mut start = run.start;
            while let Some(then) = start.checked_add(distance) {
                let Some(found) = runs.find(then, run.pointers) else { break };
                if used.get(found).copied().unwrap_or(true) || entry.repeats == u16::MAX {
                    break;
                }
                set(&mut used, found, true);
                entry.repeats = entry.repeats.saturating_add(1);
                start = then;
            }
        }
        entries.push(entry);
    }
    Some(entries)
}

/// The offsets of all pointers that the entries cover, ascending, each once. `None` if the entries
/// say more than `max_count` of them: a single entry may say 16 million.
#[must_use]
pub fn decode_runs(entries: &[RunEntry], max_count: u64) -> Option<Vec<u64>> {
    let mut count = 0u64;
    for entry in entries {
        let pointers = u64::from(entry.repeats).saturating_mul(u64::from(entry.pointers));
        count = count.saturating_add(pointers);
    }
    if count > max_count {
        return None;
    }
    let mut offsets = Vec::with_capacity(usize::try_from(count).ok()?);
    for entry in entries {
        let fields = u64::from(entry.pointers).saturating_add(u64::from(entry.gap));
        let mut start = u64::from(entry.start);
        for _ in 0..entry.repeats {
            let group = (start..).step_by(POINTER as usize);
            offsets.extend(group.take(usize::from(entry.pointers)));
            start = start.saturating_add(fields.saturating_mul(POINTER));
        }
    }
    Some(sorted_once(offsets))
}

/// Successive pointers.
#[derive(Clone, Copy)]
struct Run {
    start: u32,
    pointers: u8,
}

impl Run {
    /// The distance to another run in bytes, and the fields between in 8 bytes, if an entry can say
    /// so.
    fn distance(self, other: Run) -> Option<(u32, u8)> {
        let distance = other.start.checked_sub(self.start)?;
        if distance & 7 != 0 {
            return None;
        }
        let gap = (distance >> 3).checked_sub(u32::from(self.pointers))?;
        Some((distance, u8::try_from(gap).ok()?))
    }
}

/// All runs, in the order of their offsets.
struct Runs(Vec<Run>);

impl Runs {
    fn new(offsets: &[u64]) -> Option<Runs> {
        let mut runs: Vec<Run> = Vec::new();
        let mut end = None;
        for &offset in offsets {
            let start = u32::try_from(offset).ok()?;
            match runs.last_mut() {
                Some(run) if end == Some(offset) && run.pointers < u8::MAX => {
                    run.pointers = run.pointers.saturating_add(1);
                }
                _ => runs.push(Run { start, pointers: 1 }),
            }
            end = offset.checked_add(POINTER);
        }
        Some(Runs(runs))
    }

    /// For each run the next one of the same length, used or not, or the number of all runs if
    /// there is none.
    fn successors(&self) -> Vec<usize> {
        let mut latest = [self.0.len(); 256];
        let mut next = Vec::new();
        next.resize(self.0.len(), self.0.len());
        for (position, run) in self.0.iter().enumerate().rev() {
            if let Some(latest) = latest.get_mut(usize::from(run.pointers)) {
                set(&mut next, position, *latest);
                *latest = position;
            }
        }
        next
    }

    /// The run at this offset, if it has this length.
    fn find(&self, start: u32, pointers: u8) -> Option<usize> {
        let found = self.0.binary_search_by_key(&start, |run| run.start).ok()?;
        (self.0.get(found)?.pointers == pointers).then_some(found)
    }
}

/// The first unused run behind `position` of the same length. Links passed on the way are
/// shortened.
fn next_unused(next: &mut [usize], used: &[bool], position: usize) -> Option<usize> {
    let mut found = next.get(position).copied()?;
    while used.get(found).copied()? {
        found = next.get(found).copied()?;
    }
    let mut passed = position;
    while passed != found {
        let following = next.get(passed).copied()?;
        set(next, passed, found);
        passed = following;
    }
    Some(found)
}

fn set<T>(values: &mut [T], position: usize, value: T) {
    if let Some(place) = values.get_mut(position) {
        *place = value;
    }
}

/// The offsets, ascending and each once; what a caller gives is nearly always so already.
fn ascending(offsets: &[u64]) -> Ascending<'_> {
    if offsets.windows(2).all(|pair| matches!(pair, [a, b] if a < b)) {
        Ascending::Given(offsets)
    } else {
        Ascending::Sorted(sorted_once(offsets.to_vec()))
    }
}

enum Ascending<'a> {
    Given(&'a [u64]),
    Sorted(Vec<u64>),
}

impl Ascending<'_> {
    fn as_slice(&self) -> &[u64] {
        match self {
            Ascending::Given(offsets) => offsets,
            Ascending::Sorted(offsets) => offsets,
        }
    }
}

fn sorted_once(mut offsets: Vec<u64>) -> Vec<u64> {
    offsets.sort_unstable();
    offsets.dedup();
    offsets
}
