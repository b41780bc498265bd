//! String pools: texts that pointers share, each once and in an order.

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::mem::size_of;

use super::waiting::{Label, LabelBase, LabelKind, Spot};
use super::{Ink, Odd, Straight};
use crate::pool::{compare, PoolOrder};

/// How texts stand in a pool.
#[derive(Debug, Clone, Copy)]
pub struct PoolText {
    /// Width of the length before each text, in bytes; 0 if there is none.
    pub prefix: u8,
    /// Whether its highest byte comes first.
    pub big: bool,
    /// What follows each text.
    pub suffix: &'static [u8],
    /// Each begins on a multiple of so many bytes.
    pub align: u64,
    /// The end of each is filled up to a multiple of so many bytes.
    pub pad: u64,
    /// Whether all letters are below 0x80.
    pub ascii: bool,
}

/// The members of a pool, and who points to them.
#[derive(Debug)]
pub struct Members<'v> {
    labels: Vec<Label<'v>>,
    /// For each label the position of its text in `texts`.
    of_label: Vec<u32>,
    /// Each text once, with a key that sorts as the text does, as far as it goes.
    pub(super) texts: Vec<(u64, &'v [u8])>,
    /// Positions in `texts`, in the order of the pool.
    pub(super) sorted: Vec<u32>,
}

impl<'v> Members<'v> {
    /// Those that are always there, and one for each label. The first label with such a text has that.
    fn of_each(labels: Vec<Label<'v>>, always: &[&'static str]) -> Straight<Members<'v>> {
        let mut open: Vec<(u32, &str)> = Vec::new();
        for text in always {
            if !open.iter().any(|(_, known)| known == text) {
                open.push((u32::try_from(open.len()).map_err(|_| Odd)?, text));
            }
        }
        let mut texts: Vec<(u64, &[u8])> =
            open.iter().map(|(_, text)| (0, text.as_bytes())).collect();
        let mut of_label = Vec::with_capacity(labels.len());
        for label in &labels {
            let number = match open.iter().position(|(_, text)| text.as_bytes() == label.text) {
                Some(position) => open.remove(position).0,
                None => {
                    texts.push((0, label.text));
                    u32::try_from(texts.len() - 1).map_err(|_| Odd)?
                }
            };
            of_label.push(number);
        }
        let count = u32::try_from(texts.len()).map_err(|_| Odd)?;
        Ok(Members { labels, of_label, texts, sorted: (0..count).collect() })
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.sorted.len()
    }
}

/// So many texts are compared with each other, which takes less time than a table of them.
const FEW: usize = 16;

/// Texts, each once.
pub(super) struct Texts<'v> {
    texts: Vec<(u64, &'v [u8])>,
    /// Positions in `texts` plus 1 by hash, with the low half of the hash; 0 where there is none. A
    /// few texts have no table.
    table: Vec<(u32, u32)>,
    shift: u32,
    /// Steps that are left: texts that are made to collide are not worth the time.
    steps: usize,
}

impl<'v> Texts<'v> {
    pub(super) fn new(count: usize) -> Texts<'v> {
        let mut texts = Texts { texts: Vec::new(), table: Vec::new(), shift: 0, steps: 0 };
        texts.begin(count);
        texts
    }

    /// Forgets all, and makes room for about so many.
    pub(super) fn begin(&mut self, count: usize) {
        let size = match count {
            0..=FEW => 0,
            _ => count.saturating_mul(2).next_power_of_two(),
        };
        self.table.clear();
        self.table.resize(size, (0, 0));
        self.texts.clear();
        self.texts.reserve(if size == 0 { count } else { count / 2 });
        self.shift = 64_u32.saturating_sub(size.trailing_zeros());
        self.steps = count.saturating_mul(16).saturating_add(1024);
    }

    /// These, each of which is there once, and room for so many more.
    pub(super) fn of(known: Vec<(u64, &'v [u8])>, more: usize) -> Straight<Texts<'v>> {
        let mut texts = Texts::new(known.len().saturating_add(more));
        for (_, text) in known {
            texts.add(text, PoolOrder::FirstUse)?;
        }
        Ok(texts)
    }

    pub(super) fn all(&self) -> &[(u64, &'v [u8])] {
        &self.texts
    }

    /// All with their numbers, if they are so few that it is quick to look through them.
    pub(super) fn few(&self) -> Option<impl Iterator<Item = &(u64, &'v [u8])>> {
        self.table.is_empty().then(|| self.texts.iter())
    }

    pub(super) fn into_all(self) -> Vec<(u64, &'v [u8])> {
        self.texts
    }

    pub(super) fn add(&mut self, text: &'v [u8], order: PoolOrder) -> Straight<u32> {
        self.add_with(text, || key(order, text))
    }

    /// Adds a text with a number of its own, if it is not there yet.
    pub(super) fn add_with(&mut self, text: &'v [u8], key: impl Fn() -> u64) -> Straight<u32> {
        if self.table.is_empty() {
            let found = self.texts.iter().position(|(_, known)| same(known, text));
            let position = found.unwrap_or(self.texts.len());
            if found.is_none() {
                self.texts.push((key(), text));
            }
            return Ok(position as u32);
        }
        let hash = hash(text);
        let mask = self.table.len() - 1;
        let mut at = (hash >> self.shift) as usize;
        loop {
            let (found, low) = self.table.get_mut(at & mask).ok_or(Odd)?;
            if *found == 0 {
                let position = u32::try_from(self.texts.len()).map_err(|_| Odd)?;
                (*found, *low) = (position.checked_add(1).ok_or(Odd)?, hash as u32);
                self.texts.push((key(), text));
                return Ok(position);
            }
            let position = *found - 1;
            if *low == hash as u32
                && self.texts.get(position as usize).is_some_and(|(_, known)| same(known, text))
            {
                return Ok(position);
            }
            self.steps = self.steps.checked_sub(1).ok_or(Odd)?;
            at += 1;
        }
    }
}

/// Whether two texts are the same; those that a value borrows from one place of a file are seen to be.
#[inline]
fn same(a: &[u8], b: &[u8]) -> bool {
    // Short ones differ in their first bytes before anything could be called for them.
    core::ptr::eq(a, b) || (a.len() == b.len() && a.first() == b.first() && a == b)
}

#[inline]
fn hash(text: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = (text.len() as u64).wrapping_mul(FACTOR);
    // The last word may have bytes of the one before it.
    let last = match text.last_chunk::<8>() {
        Some(last) => u64::from_le_bytes(*last),
        None => head(text),
    };
    let mut rest = text;
    while let Some((chunk, behind)) = rest.split_first_chunk::<8>().filter(|(_, b)| !b.is_empty()) {
        hash = (hash.rotate_left(23) ^ u64::from_le_bytes(*chunk)).wrapping_mul(FACTOR);
        rest = behind;
    }
    hash = (hash.rotate_left(23) ^ last).wrapping_mul(FACTOR);
    (hash ^ (hash >> 29)).wrapping_mul(FACTOR)
}

/// Up to seven bytes as a number.
#[inline]
fn head(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |sum, byte| (sum << 8) | u64::from(*byte))
}

/// A number that is less for texts that come first, and equal where more has to be looked at.
#[inline]
fn key(order: PoolOrder, text: &[u8]) -> u64 {
    match order {
        PoolOrder::FirstUse | PoolOrder::EachUse => 0,
        PoolOrder::Bytes => match text.first_chunk::<8>() {
            Some(chunk) => u64::from_be_bytes(*chunk),
            None => head(text).swap_bytes(),
        },
        PoolOrder::BitsFromEnd => {
            let last = match text.last_chunk::<8>() {
                Some(chunk) => u64::from_le_bytes(*chunk),
                // Missing bytes in front count as zero.
                None => head(text).checked_shl(8 * (8 - text.len() as u32)).unwrap_or(0),
            };
            // The last byte stays the most significant, its bits are mirrored.
            last.reverse_bits().swap_bytes()
        }
    }
}

impl<'v> Ink<'v> {
    /// Says in which of its places the next struct with a pool is.
    pub fn at_pool_place(&mut self, place: u8) {
        self.pool_place = place;
    }

    /// Where it is.
    #[must_use]
    pub fn pool_place(&self) -> u8 {
        self.pool_place
    }

    /// Remembers a pointer to a text in a pool.
    #[inline]
    pub fn label(&mut self, spot: Spot, text: &'v [u8], kind: &'static LabelKind) {
        if self.labels.capacity() == 0 {
            self.labels.reserve(self.about(size_of::<Label<'_>>()));
        }
        self.labels.push(Label { spot, text, kind });
    }

    /// The members of a pool: these, and those that pointers so far lead to.
    ///
    /// # Errors
    ///
    /// If there are too many, or the place of a pointer is not known though it matters.
    pub fn members(
        &mut self,
        pool: u8,
        always: &[&'static str],
        order: PoolOrder,
    ) -> Straight<Members<'v>> {
        let mut labels = core::mem::take(&mut self.labels);
        if labels.iter().any(|label| label.kind.pool != pool) {
            let (ours, others) = labels.into_iter().partition(|label| label.kind.pool == pool);
            (labels, self.labels) = (ours, others);
        }
        let as_met = matches!(order, PoolOrder::FirstUse | PoolOrder::EachUse);
        if as_met {
            for label in &mut labels {
                label.spot = self.resolve(label.spot)?;
            }
            labels.sort_by_key(|label| label.spot);
        }
        if order == PoolOrder::EachUse {
            let members = Members::of_each(labels, always)?;
            self.counts.push((pool, members.count()));
            return Ok(members);
        }
        let mut texts = Texts::new(labels.len().saturating_add(always.len()));
        for text in always {
            texts.add(text.as_bytes(), order)?;
        }
        let mut of_label = Vec::with_capacity(labels.len());
        for label in &labels {
            of_label.push(texts.add(label.text, order)?);
        }
        let texts = texts.texts;
        let count = u32::try_from(texts.len()).map_err(|_| Odd)?;
        let sorted = if as_met {
            (0..count).collect()
        } else {
            let mut keyed: Vec<(u64, u32)> =
                texts.iter().map(|(key, _)| *key).zip(0..count).collect();
            keyed.sort_unstable_by(|(a, i), (b, j)| {
                a.cmp(b).then_with(|| match (texts.get(*i as usize), texts.get(*j as usize)) {
                    (Some((_, a)), Some((_, b))) => compare(order, a, b),
                    _ => Ordering::Equal,
                })
            });
            keyed.into_iter().map(|(_, position)| position).collect()
        };
        self.counts.push((pool, texts.len()));
        Ok(Members { labels, of_label, texts, sorted })
    }

    /// How many members a pool has; nothing before they are asked for.
    #[must_use]
    pub fn member_count(&self, pool: u8) -> Option<i128> {
        let mut counts = self.counts.iter().rev();
        counts.find(|(of, _)| *of == pool).map(|(_, count)| *count as i128)
    }

    /// Writes a pool, and the addresses of its texts to those who point to them.
    ///
    /// # Errors
    ///
    /// If a text is too long, or holds what ends it.
    pub fn pool(&mut self, members: &Members<'v>, text: &PoolText) -> Straight<()> {
        let mut places = alloc::vec![0_u64; members.texts.len()];
        let size: usize = members.texts.iter().map(|(_, text)| text.len() + 8).sum();
        self.out.reserve(size);
        for position in &members.sorted {
            let position = *position as usize;
            let (_, bytes) = members.texts.get(position).ok_or(Odd)?;
            let here = self.here();
            // Alignments are powers of two, most often, and division takes longer than the rest.
            let over = match text.align.is_power_of_two() {
                true => here & (text.align - 1),
                false => here.checked_rem(text.align).unwrap_or(0),
            };
            super::holds(over == 0)?;
            *places.get_mut(position).ok_or(Odd)? = here;
            if text.ascii && !bytes.is_ascii() {
                return Err(Odd);
            }
            match (text.prefix, text.suffix) {
                (0, [end]) if bytes.contains(end) => return Err(Odd),
                (0, _) => {}
                (2, _) if !text.big => {
                    let length = u16::try_from(bytes.len()).map_err(|_| Odd)?;
                    self.out.extend_from_slice(&length.to_le_bytes());
                }
                (width, _) => {
                    let at = self.here();
                    self.grow(usize::from(width), 1)?;
                    self.store(at, width, text.big, bytes.len() as u64)?;
                }
            }
            self.out.extend_from_slice(bytes);
            self.out.extend_from_slice(text.suffix);
            self.align(text.pad);
        }
        for (label, position) in members.labels.iter().zip(&members.of_label) {
            let place = places.get(*position as usize).ok_or(Odd)?;
            let LabelKind { width, big, skip, unit, base, bits, nones, .. } = *label.kind;
            let place = place + u64::from(skip);
            let Some(LabelBase { anchor, end }) = base else {
                super::holds(place.checked_rem(unit) == Some(0))?;
                let place = place / unit;
                super::holds(!nones.contains(&place.into()))?;
                match bits.1 {
                    0 => self.patch(label.spot, width, big, place)?,
                    _ => self.patch_bits(label.spot, width, big, bits, place)?,
                }
                continue;
            };
            let number = super::subtract(Some(place.into()), self.only(anchor, end)?)?;
            let number = super::units(number, unit)?;
            super::holds(!nones.iter().any(|none| number == Some(*none)))?;
            match (bits.1, number.and_then(|number| u64::try_from(number).ok())) {
                (0, _) => self.fill(label.spot, width, big, false, number)?,
                (_, number) => {
                    self.patch_bits(label.spot, width, big, bits, number.ok_or(Odd)?)?;
                }
            }
        }
        Ok(())
    }
}
