//! Bytes to be read, and limits for reading them.

use alloc::vec::Vec;

use super::few::Few;
use super::labels::Labels;
use super::levels::Levels;
use super::sums::Sums;
use super::{
    holds, zeros, Chain, Cut, KeySet, LengthRule, Odd, PoolText, Stop, Straight, Terminated,
};
use crate::ends::{find_byte, Tail};
use crate::pool::PoolOrder;
use crate::{
    read_varint, varint_width, Budget, GroupOrder, KeptKind, KeptValue, ReadOptions, Spelling,
    SpellingEntry,
};

/// Elements for which memory is set aside although they may have no bytes.
const SPARSE: usize = 64;

/// A file that is being read.
#[derive(Debug)]
pub struct Scan<'i> {
    bytes: &'i [u8],
    /// Units that may still be charged, and how many there were.
    left: usize,
    all: usize,
    levels: Levels,
    noted: Vec<Noted>,
    bases: Bases,
    /// What the function that was called last has put.
    pub(super) handed: Chain,
    /// What its passes have put.
    pub(super) passes: Vec<Chain>,
    /// Elements that references count, by numbers of the generated code.
    pub(super) ranks: Vec<Vec<u32>>,
    pub(super) sums: Sums,
    labels: Labels,
    trusting: bool,
}

/// Where things are that numbers of labels count from, by numbers of the generated code.
///
/// They may stand behind the labels. Then texts are left empty, and the file is read once more.
#[derive(Debug, Clone, Default)]
pub struct Bases {
    places: Few<(usize, Base), 2>,
    /// Whether one was asked for that was not known.
    missed: bool,
    /// Whether the file is read for the second time.
    again: bool,
}

/// Where something is that numbers count from.
#[derive(Debug, Clone, Copy)]
struct Base {
    at: usize,
    /// Not known where it is only said where it will begin.
    end: Option<usize>,
}

impl Bases {
    fn get(&self, number: usize) -> Option<Base> {
        self.places.iter().find(|(known, _)| *known == number).map(|(_, base)| *base)
    }

    fn set(&mut self, number: usize, base: Base) {
        if let Some((_, place)) = self.places.iter_mut().find(|(known, _)| *known == number) {
            *place = base;
            return;
        }
        self.places.push((number, base));
    }
}

/// Numbers that refer to something, until that is known.
#[derive(Debug, Clone, Default)]
struct Noted {
    /// One more than the greatest.
    end: u64,
    /// Which there are, by bits, of those that are not too large.
    bits: Vec<u64>,
    /// The others.
    large: Vec<u64>,
}

impl<'i> Scan<'i> {
    /// Begins with a file. Each of its bytes allows `factor` units of [`charge`](Self::charge).
    /// There are `goals` kinds of noted numbers.
    ///
    /// Of the options, the budget is for [`affords`](Self::affords) or [`usual`]. What is read
    /// `strict`ly needs nothing: an error is made of the first note, and a file that the fast path
    /// carries has none.
    ///
    /// - Padding that is not zero is noted when reading leniently. No fast reader carries any.
    /// - Slices that do not tile their table are noted. A schema with slices is not sealed, so what
    ///   was read is written again, and the writer lets them tile the table.
    /// - Names that no dictionary can hold, and pointers of which the schema or the relocation table
    ///   alone knows, are noted. A schema with such tables is not sealed, so what was read is written
    ///   again, and the bytes have to be the same. Then the file has the tables that follow from the
    ///   value: a dictionary that can be made, and a list of exactly the pointers of the schema.
    #[inline]
    pub fn new(bytes: &'i [u8], options: &ReadOptions, factor: usize, goals: usize) -> Scan<'i> {
        let all = bytes.len().saturating_mul(factor).saturating_add(SPARSE);
        let noted = alloc::vec![Noted::default(); goals];
        let (levels, bases) = (Levels::new(options.max_depth), Bases::default());
        let (handed, passes, ranks) = (Chain::NOTHING, Vec::new(), Vec::new());
        let (sums, labels) = (Sums::default(), Labels::default());
        let trusting = options.trusting;
        Scan {
            bytes,
            left: all,
            all,
            levels,
            noted,
            bases,
            handed,
            passes,
            ranks,
            sums,
            labels,
            trusting,
        }
    }

    /// The whole file.
    #[inline]
    pub(super) fn bytes(&self) -> &'i [u8] {
        self.bytes
    }

    /// Whether nobody compares what follows from the value.
    #[inline]
    #[must_use]
    pub fn trusts(&self) -> bool {
        self.trusting
    }

    /// Begins with what is known of bases.
    #[inline]
    pub fn know(&mut self, bases: Bases) {
        self.bases = bases;
    }

    /// What was learned of bases, if the file has to be read once more for it.
    ///
    /// # Errors
    ///
    /// If that was done already.
    #[inline]
    pub fn must_know(&mut self) -> Straight<Option<Bases>> {
        if !self.bases.missed {
            return Ok(None);
        }
        holds(!self.bases.again)?;
        let mut known = core::mem::take(&mut self.bases);
        // Of the others it was only said where they will begin.
        known.places.retain(|(_, base)| base.end.is_some());
        (known.missed, known.again) = (false, true);
        Ok(Some(known))
    }

    /// Says where something is that numbers count from.
    #[inline]
    pub fn found(&mut self, number: usize, at: usize, end: usize) {
        match self.bases.get(number) {
            Some(Base { end: Some(_), .. }) => return,
            // What counted from another place is read again.
            Some(ahead) => self.bases.missed |= ahead.at != at,
            None => {}
        }
        self.bases.set(number, Base { at, end: Some(end) });
    }

    /// Says where something will begin that numbers count from.
    #[inline]
    pub fn ahead(&mut self, number: usize, at: usize) {
        if self.bases.get(number).is_none() {
            self.bases.set(number, Base { at, end: None });
        }
    }

    /// Where something begins or ends that numbers count from, if that is known.
    #[inline]
    pub fn base(&mut self, number: usize, end: bool) -> Option<u64> {
        let at = self.bases.get(number).and_then(|base| if end { base.end } else { Some(base.at) });
        self.bases.missed |= at.is_none();
        at.map(|at| at as u64)
    }

    /// Says in which of its places the next struct with a pool is.
    #[inline]
    pub fn at_pool_place(&mut self, place: u8) {
        self.labels.place = place;
    }

    /// Where it is.
    #[inline]
    #[must_use]
    pub fn pool_place(&self) -> u8 {
        self.labels.place
    }

    /// Remembers that a pointer at an address leads to the text from one address to another, with
    /// what stands in front of it and behind it.
    #[inline]
    pub fn label(&mut self, pool: u8, at: usize, from: usize, end: usize) {
        self.labels.add(pool, at, from, end, self.bytes.len());
    }

    /// Remembers a pool, from one address to another.
    pub fn pool(
        &mut self,
        number: u8,
        extent: (usize, usize),
        always: &'static [&'static str],
        order: PoolOrder,
        text: &'static PoolText,
    ) {
        self.labels.add_pool(number, extent, always, order, text);
    }

    /// How many members a pool has that was read; nothing before that.
    #[must_use]
    pub fn member_count(&self, pool: u8) -> Option<i128> {
        self.labels.count(self.bytes, pool).map(|count| count as i128)
    }

    /// Whether each pool has the texts that pointers lead to, and those that are always there, each
    /// once and in its order, and nothing else. To be asked when all is read.
    ///
    /// # Errors
    ///
    /// If one has not.
    pub fn pools_hold(&mut self) -> Straight<()> {
        core::mem::take(&mut self.labels).hold(self.bytes)
    }

    /// Whether the budget of the options is enough for the engine to read what was read; `root` is
    /// what was left of the file behind the rows of the root.
    ///
    /// The generator knows a bound of what the engine counts, and proves it: `base`, and `weight`
    /// for each byte that was passed and each element that was charged. The bytes are those of the
    /// root, and those behind pointers, which were charged.
    ///
    /// # Errors
    ///
    /// If it is not, or may not be.
    #[inline]
    pub fn affords(
        &self,
        options: &ReadOptions,
        root: &Part<'i>,
        base: u64,
        weight: u64,
    ) -> Straight<()> {
        if usual(options).is_ok() {
            return Ok(());
        }
        let units = self.all.saturating_sub(self.left).saturating_add(root.at()) as u64;
        let most = units.saturating_mul(weight).saturating_add(base);
        holds(Budget::new(self.bytes.len() as u64, options).charge(most).is_ok())
    }

    /// Notes a position in an array that may not be known yet.
    #[inline]
    pub fn note_index(&mut self, goal: usize, index: u64) {
        if let Some(noted) = self.noted.get_mut(goal) {
            noted.end = noted.end.max(index.saturating_add(1));
        }
    }

    /// Notes the key of an element of an array that may not be known yet.
    #[inline]
    pub fn note_key(&mut self, goal: usize, key: u64) {
        let Some(noted) = self.noted.get_mut(goal) else { return };
        noted.end = noted.end.max(key.saturating_add(1));
        match noted.bits.get_mut((key / 64) as usize) {
            Some(bits) => *bits |= 1 << (key % 64),
            None => self.note_new_key(goal, key),
        }
    }

    /// Notes what is in an option, if anything is, and gives it back.
    #[inline]
    pub fn note_some<T>(
        &mut self,
        value: Option<T>,
        note: impl FnOnce(&mut Self, &T),
    ) -> Option<T> {
        if let Some(some) = &value {
            note(self, some);
        }
        value
    }

    #[cold]
    fn note_new_key(&mut self, goal: usize, key: u64) {
        // No more bits than the file has, so that far keys take no memory.
        let most = self.bytes.len();
        let Some(noted) = self.noted.get_mut(goal) else { return };
        match usize::try_from(key / 64) {
            Ok(at) if at < most / 8 => {
                let room = at.saturating_add(1).max(noted.bits.len().saturating_mul(2));
                noted.bits.resize(room.min(most / 8), 0);
                if let Some(bits) = noted.bits.get_mut(at) {
                    *bits |= 1 << (key % 64);
                }
            }
            _ => noted.large.push(key),
        }
    }

    /// Whether all noted positions are in an array of so many elements.
    pub fn indices_noted(&self, goal: usize, count: usize) -> bool {
        self.noted.get(goal).is_some_and(|noted| noted.end <= count as u64)
    }

    /// Whether all noted keys are in a set.
    pub fn keys_noted(&self, goal: usize, set: &KeySet) -> bool {
        let Some(noted) = self.noted.get(goal) else { return false };
        match set {
            KeySet::Below(end) => i128::from(noted.end) <= *end,
            KeySet::Sorted(_) => {
                let words = (0_u64..).zip(&noted.bits).filter(|(_, bits)| **bits != 0);
                let among = words.flat_map(|(at, bits)| {
                    (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| at * 64 + bit)
                });
                let mut all = among.chain(noted.large.iter().copied());
                all.all(|key| set.has(key.into()))
            }
        }
    }

    /// Size of the file in bytes.
    #[inline]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether the file has no bytes.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Address of some bytes of the file.
    #[inline]
    pub fn place(&self, bytes: &[u8]) -> usize {
        (bytes.as_ptr() as usize).wrapping_sub(self.bytes.as_ptr() as usize)
    }

    /// The bytes from an address on.
    ///
    /// # Errors
    ///
    /// If the address lies behind the end of the file.
    #[inline]
    pub fn part(&self, at: usize) -> Straight<Part<'i>> {
        let rest = self.bytes.get(at..).ok_or(Odd)?;
        Ok(Part { rest, end: self.bytes.len() })
    }

    /// What a pointer leads to: `skip` bytes before the stored number.
    ///
    /// # Errors
    ///
    /// If that is no address of the file.
    #[inline]
    pub fn target(&self, stored: u64, skip: u64) -> Straight<Part<'i>> {
        let at = stored.checked_sub(skip).and_then(|at| usize::try_from(at).ok());
        self.part(at.ok_or(Odd)?)
    }

    /// The bytes from one address up to another.
    ///
    /// # Errors
    ///
    /// If they are no addresses of the file, in this order.
    #[inline]
    pub fn between(&self, at: usize, end: usize) -> Straight<Part<'i>> {
        Ok(Part { rest: self.bytes.get(at..end).ok_or(Odd)?, end })
    }

    /// Takes work off the account: a unit is a byte behind a pointer, or an element.
    ///
    /// # Errors
    ///
    /// If a plain file does not need so much.
    #[inline]
    pub fn charge(&mut self, units: usize) -> Straight<()> {
        self.left = self.left.checked_sub(units).ok_or(Odd)?;
        Ok(())
    }

    /// Enters a type that contains itself. To be paired with [`leave`](Self::leave).
    ///
    /// # Errors
    ///
    /// If that is too deep for the stack, or deeper than the options allow.
    #[inline]
    pub fn enter(&mut self) -> Straight<()> {
        self.levels.enter()
    }

    /// Leaves the type that was entered last.
    #[inline]
    pub fn leave(&mut self) {
        self.levels.leave();
    }
}

/// The budget of the options is the usual one or more, which is taken to be enough for whatever a
/// fast reader carries.
///
/// # Errors
///
/// If it is smaller.
#[inline]
pub fn usual(options: &ReadOptions) -> Straight<()> {
    let usual = ReadOptions::default();
    holds(
        options.budget_factor >= usual.budget_factor && options.budget_floor >= usual.budget_floor,
    )
}

/// The address that a number says which counts from another address.
///
/// # Errors
///
/// If there is no such address.
#[inline]
pub fn from_base(number: impl Into<i128>, base: Option<i128>) -> Straight<u64> {
    let at = base.and_then(|base| base.checked_add(number.into()));
    at.and_then(|at| u64::try_from(at).ok()).ok_or(Odd)
}

/// The content of a room at an address, to be read to its end.
///
/// # Errors
///
/// If what stands behind it is not what a writer puts there.
#[inline]
pub fn trimmed<'i>(room: &'i [u8], at: usize, cut: Cut<'_>) -> Straight<Part<'i>> {
    cut_off(room, at, cut, |content| cut.tail(content, Some(room.len())))
}

/// The same of a room whose size follows from the content, by a number with this rule.
///
/// # Errors
///
/// The same, or if the room has another size.
pub fn trimmed_least<'i>(
    room: &'i [u8],
    at: usize,
    cut: Cut<'_>,
    rule: &LengthRule,
) -> Straight<Part<'i>> {
    cut_off(room, at, cut, |content| cut.least_tail(content, Some(rule)))
}

/// The content of a room behind which a writer puts just what stands there.
#[inline]
fn cut_off<'i, 'c>(
    room: &'i [u8],
    at: usize,
    cut: Cut<'_>,
    tail: impl FnOnce(&[u8]) -> Option<Tail<'c>>,
) -> Straight<Part<'i>> {
    let (content, behind) = room.split_at_checked(cut.length(room)).ok_or(Odd)?;
    holds(tail(content).ok_or(Odd)?.is(behind))?;
    Ok(Part { rest: content, end: at.checked_add(content.len()).ok_or(Odd)? })
}

/// As many elements as there are up to the end.
pub const FILL: usize = usize::MAX;

/// Bytes up to where they have to end, to be read one after another.
#[derive(Debug, Clone, Copy)]
pub struct Part<'i> {
    rest: &'i [u8],
    end: usize,
}

impl<'i> Part<'i> {
    /// Bytes that are left before an address.
    #[inline]
    pub fn behind(rest: &'i [u8], end: usize) -> Part<'i> {
        Part { rest, end }
    }

    /// Bytes that are left.
    #[inline]
    pub fn left_over(&self) -> &'i [u8] {
        self.rest
    }

    /// Goes on with what was left.
    #[inline]
    pub fn go_on(&mut self, rest: &'i [u8]) {
        self.rest = rest;
    }

    /// Whether there is another element, of so many or with [`FILL`] of those up to the end.
    #[inline]
    pub fn more(&self, count: &mut usize) -> bool {
        if *count == FILL {
            return !self.rest.is_empty();
        }
        match count.checked_sub(1) {
            Some(left) => {
                *count = left;
                true
            }
            None => false,
        }
    }

    /// Address of the next byte.
    #[inline]
    pub fn at(&self) -> usize {
        self.end.saturating_sub(self.rest.len())
    }

    /// Address behind the last byte.
    #[inline]
    pub fn end(&self) -> usize {
        self.end
    }

    /// Bytes that are left.
    #[inline]
    pub fn left(&self) -> usize {
        self.rest.len()
    }

    /// The next `N` bytes.
    ///
    /// # Errors
    ///
    /// If there are not so many.
    #[inline]
    pub fn block<const N: usize>(&mut self) -> Straight<&'i [u8; N]> {
        let (block, rest) = self.rest.split_first_chunk::<N>().ok_or(Odd)?;
        self.rest = rest;
        Ok(block)
    }

    /// The next bytes.
    ///
    /// # Errors
    ///
    /// If there are not so many.
    #[inline]
    pub fn take(&mut self, size: usize) -> Straight<&'i [u8]> {
        let (taken, rest) = self.rest.split_at_checked(size).ok_or(Odd)?;
        self.rest = rest;
        Ok(taken)
    }

    /// The bytes of so many elements of `size` bytes each.
    ///
    /// # Errors
    ///
    /// If there are not so many.
    #[inline]
    pub fn many(&mut self, count: usize, size: usize) -> Straight<&'i [u8]> {
        self.take(count.checked_mul(size).ok_or(Odd)?)
    }

    /// All bytes that are left, as elements of `size` bytes each, which is not zero.
    ///
    /// # Errors
    ///
    /// If part of an element is left over.
    #[inline]
    pub fn all(&mut self, size: usize) -> Straight<&'i [u8]> {
        let taken = self.rest();
        match taken.len().checked_rem(size) {
            Some(0) => Ok(taken),
            _ => Err(Odd),
        }
    }

    /// All bytes that are left.
    #[inline]
    pub fn rest(&mut self) -> &'i [u8] {
        let (taken, rest) = self.rest.split_at(self.rest.len());
        self.rest = rest;
        taken
    }

    /// The next `size` bytes, to be read to their end.
    ///
    /// # Errors
    ///
    /// If there are not so many.
    #[inline]
    pub fn sized(&mut self, size: usize) -> Straight<Part<'i>> {
        let rest = self.take(size)?;
        Ok(Part { rest, end: self.at() })
    }

    /// So many elements of a size, to be read to their end.
    ///
    /// # Errors
    ///
    /// If there are not so many.
    #[inline]
    pub fn so_many(&mut self, count: usize, size: usize) -> Straight<Part<'i>> {
        let rest = self.many(count, size)?;
        Ok(Part { rest, end: self.at() })
    }

    /// The bytes up to a terminator, to be read to their end. It is skipped, or is the last of them
    /// if it is kept.
    ///
    /// # Errors
    ///
    /// If there is none.
    #[inline]
    pub fn ended(&mut self, stop: Stop<'_>) -> Straight<Part<'i>> {
        let (content, all) = match stop.find(self.rest) {
            Some(at) => stop.taken(at),
            // The end stands for what nobody here would have taken.
            None if stop.optional && stop.mode == Terminated::Unread => {
                (self.rest.len(), self.rest.len())
            }
            None => return Err(Odd),
        };
        let part = self.sized(content)?;
        self.take(all - content)?;
        Ok(part)
    }

    /// The bytes up to this one, to be read to their end. It is skipped.
    ///
    /// # Errors
    ///
    /// If there is none.
    #[inline]
    pub fn ended_by(&mut self, byte: u8) -> Straight<Part<'i>> {
        let part = self.sized(find_byte(self.rest, byte).ok_or(Odd)?)?;
        self.take(1)?;
        Ok(part)
    }

    /// The bytes up to an address, to be read to their end.
    ///
    /// # Errors
    ///
    /// If the address is not among those that are left.
    #[inline]
    pub fn until(&mut self, end: usize) -> Straight<Part<'i>> {
        self.sized(end.checked_sub(self.at()).ok_or(Odd)?)
    }

    /// Nothing is left.
    ///
    /// # Errors
    ///
    /// If something is.
    #[inline]
    pub fn done(&self) -> Straight<()> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(Odd)
        }
    }

    /// Goes on at an address unless that is passed already.
    ///
    /// # Errors
    ///
    /// If the address lies behind the end.
    #[inline]
    pub fn reach(&mut self, at: usize) -> Straight<()> {
        let ahead = at.saturating_sub(self.at());
        self.take(ahead).map(|_| ())
    }

    /// Goes back to an address.
    ///
    /// # Errors
    ///
    /// If the address lies behind the end.
    #[inline]
    pub fn back(&mut self, scan: &Scan<'i>, at: usize) -> Straight<()> {
        *self = scan.between(at, self.end)?;
        Ok(())
    }

    /// Skips zero bytes up to a multiple of `to`, which is not zero.
    ///
    /// # Errors
    ///
    /// If the bytes are not there, or not zero.
    #[inline]
    pub fn align(&mut self, to: usize) -> Straight<()> {
        let at = self.at();
        let next = at.checked_next_multiple_of(to).ok_or(Odd)?;
        zeros(self.take(next.saturating_sub(at))?)
    }

    /// Skips these bytes.
    ///
    /// # Errors
    ///
    /// If there are others.
    #[inline]
    pub fn expect<const N: usize>(&mut self, bytes: &[u8; N]) -> Straight<()> {
        if self.block::<N>()? == bytes {
            Ok(())
        } else {
            Err(Odd)
        }
    }

    /// A number in groups of seven bits, the most significant first.
    ///
    /// # Errors
    ///
    /// If there is none, if it is longer than needed, or too large.
    #[inline]
    pub fn varint_msb(&mut self, most: u8, bits: u32) -> Straight<u64> {
        // Most are short.
        if let Some((&byte, rest)) = self.rest.split_first() {
            if byte & 0x80 == 0 {
                self.rest = rest;
                return Ok(byte.into());
            }
        }
        self.varint(GroupOrder::MsbFirst, most, bits)
    }

    /// A number in groups of seven bits, the least significant first.
    ///
    /// # Errors
    ///
    /// If there is none, if it is longer than needed, or too large.
    #[inline]
    pub fn varint_lsb(&mut self, most: u8, bits: u32) -> Straight<u64> {
        self.varint(GroupOrder::LsbFirst, most, bits)
    }

    /// The same, in as many bytes as it may have: where that is more than needed, a spelling
    /// keeps the width of the row.
    ///
    /// # Errors
    ///
    /// If there is none, or it is too large.
    #[inline]
    pub fn wide_varint_msb(
        &mut self,
        most: u8,
        bits: u32,
        spelling: &mut Spelling,
        row: u16,
    ) -> Straight<u64> {
        if let Some((&byte, rest)) = self.rest.split_first() {
            if byte & 0x80 == 0 {
                self.rest = rest;
                return Ok(byte.into());
            }
        }
        self.wide_varint(GroupOrder::MsbFirst, most, bits, (spelling, row))
    }

    /// The same, the least significant group first.
    ///
    /// # Errors
    ///
    /// If there is none, or it is too large.
    #[inline]
    pub fn wide_varint_lsb(
        &mut self,
        most: u8,
        bits: u32,
        spelling: &mut Spelling,
        row: u16,
    ) -> Straight<u64> {
        self.wide_varint(GroupOrder::LsbFirst, most, bits, (spelling, row))
    }

    fn varint(&mut self, order: GroupOrder, most: u8, bits: u32) -> Straight<u64> {
        let (value, width) = read_varint(self.rest, 0, order, most, bits).map_err(|_| Odd)?;
        if width != varint_width(value) {
            return Err(Odd);
        }
        self.take(width.into())?;
        Ok(value)
    }

    fn wide_varint(
        &mut self,
        order: GroupOrder,
        most: u8,
        bits: u32,
        (spelling, row): (&mut Spelling, u16),
    ) -> Straight<u64> {
        let (value, width) = read_varint(self.rest, 0, order, most, bits).map_err(|_| Odd)?;
        let shortest = varint_width(value);
        if width != shortest {
            spelling.keep(SpellingEntry {
                row,
                index: None,
                kind: KeptKind::Width,
                stored: KeptValue::Int(width.into()),
                instead_of: KeptValue::Int(shortest.into()),
            });
        }
        self.take(width.into())?;
        Ok(value)
    }
}

/// Keeps the form of a case where another, the first that can say the value, is the usual one.
#[inline]
pub fn keep_form(spelling: &mut Spelling, form: usize, first: usize) {
    if form != first {
        spelling.keep(SpellingEntry {
            row: Spelling::WHOLE,
            index: None,
            kind: KeptKind::Form,
            stored: KeptValue::Int(form as i128),
            instead_of: KeptValue::Int(first as i128),
        });
    }
}

/// An empty list with room for so many elements, which take at least `least` bytes each of the
/// `left` ones.
///
/// # Errors
///
/// If there are not so many bytes.
#[inline]
pub fn list<T>(count: usize, least: usize, left: usize) -> Straight<Vec<T>> {
    let room = match left.checked_div(least) {
        Some(most) if count > most => return Err(Odd),
        Some(_) => count,
        None => count.min(SPARSE),
    };
    Ok(Vec::with_capacity(room))
}

/// Adds an element to a list that takes all there is, with so many bytes left for others. Many such
/// lists have one element, and then need no room for more.
#[inline]
pub fn push<T>(list: &mut Vec<T>, element: T, left: usize) {
    if left == 0 && list.len() == list.capacity() {
        list.reserve_exact(1);
    }
    list.push(element);
}
