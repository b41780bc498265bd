//! The file that a straight writer makes, from its first byte to its last.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::levels::Levels;
use super::waiting::{Flag, FoundMembers, Label, Spot, Sum, Table};
use super::{Cut, LengthRule, Odd, Stop, Straight, Terminated};
use crate::ends::Tail;

/// Largest file that straight code writes, in bytes: addresses take the low half of a [`Spot`].
const MAX_SIZE: usize = u32::MAX as usize;

/// A number that follows from addresses, which are known when everything is written.
#[derive(Debug, Clone, Copy)]
pub struct Late {
    /// Which row it is for: a number of the generated code.
    pub row: u32,
    /// Where the number goes.
    pub spot: Spot,
    /// Where the record begins that has the row.
    pub at: Spot,
    /// The record's position in the array around it; `usize::MAX` if there is none.
    pub index: usize,
}

/// Content that is the file's own bytes, at the place where they would be written.
#[derive(Debug, Clone, Copy)]
struct Passed {
    from: Spot,
    to: Spot,
    /// The base of what is before it.
    base: usize,
}

/// Content that may be passed, in bytes. To copy less takes no longer than to remember it.
const MUCH: usize = 256;

/// Where content begins that ends at a terminator or in a room.
#[derive(Debug, Clone, Copy)]
pub struct Begun {
    at: usize,
    pinned: usize,
}

/// A file that is being written, with what is remembered until addresses are known.
#[derive(Debug)]
pub struct Ink<'v> {
    /// What was there before, and what is written so far.
    pub out: Vec<u8>,
    /// What is added to an address to have its place in it: where the file begins, less what was
    /// passed. It wraps around.
    base: usize,
    /// The file that is written, if that is known before.
    file: Option<&'v [u8]>,
    /// Parts of it that were not written once more.
    passed: Vec<Passed>,
    /// The address behind the last of them.
    since: Spot,
    /// How much is begun that is looked at again when it is complete.
    open: usize,
    /// Pooled texts that no pool has taken yet.
    pub(super) labels: Vec<Label<'v>>,
    /// Pointers for the relocation table, with their sections.
    pub(super) listed: Vec<(Spot, u32)>,
    /// Whether the relocation table is written.
    pub(super) tabled: bool,
    /// Numbers that are computed in the end.
    late: Vec<Late>,
    /// Those that follow from bytes of the file.
    pub(super) sums: Vec<Sum<'v>>,
    /// Addresses of tokens; `Spot::MAX` for those that are not settled.
    tokens: Vec<Spot>,
    /// Numbers for places that a token stands for: place, width in bytes, order and number.
    waiting: Vec<(Spot, u8, bool, u64)>,
    /// Begin and end of what generated code asks for, by its own numbers.
    anchors: Vec<Vec<(Spot, Spot)>>,
    /// Where rows stand of which no numbers say so: by their record and number there, and where the
    /// record begins.
    stood: BTreeMap<((u32, u32), Spot), Spot>,
    /// Addresses of elements that differ in size, for as long as they are needed.
    starts: Vec<Spot>,
    /// Bytes that others have to be at places, since content ends in front of them, and how far those
    /// before them reach.
    behind: Vec<(Spot, Stop<'static>, Spot)>,
    /// How far the bytes reach that must follow something.
    reach: Spot,
    /// How often an address was written or remembered.
    pins: usize,
    /// How many objects are still to be placed, where that is counted.
    owed: usize,
    levels: Levels,
    /// Which rule each kind of pointer is listed by.
    rules: Vec<u8>,
    /// Shared tables, by numbers of the generated code.
    pub(super) tables: Vec<Table>,
    /// For each element of an array its rank among those that references count.
    pub(super) ranks: Vec<Vec<u32>>,
    /// Bits that depend on addresses.
    pub(super) flags: Vec<Flag>,
    /// Regions that end at an address: a number of the generated code, where the struct begins that
    /// says it, and the end.
    pub(super) ends: Vec<(usize, Spot, Spot)>,
    /// In which of its places a struct with a pool is written.
    pub(super) pool_place: u8,
    /// How many members pools have, by their numbers.
    pub(super) counts: Vec<(u8, usize)>,
    /// What the members of a pool would be.
    pub(super) found: Option<FoundMembers>,
    /// Steps that were taken.
    pub(super) steps: usize,
}

impl<'v> Ink<'v> {
    /// Behind what there is, with room for about so many bytes, and with so many kinds of anchors.
    #[must_use]
    pub fn new(anchors: usize, room: usize, mut out: Vec<u8>, file: Option<&'v [u8]>) -> Ink<'v> {
        let mut lists = Vec::new();
        lists.resize_with(anchors, Vec::new);
        out.reserve(match file {
            // Large content of it is passed, most often.
            Some(file) => file.len().min(0x10_0000),
            // What was not counted comes besides: texts, and what elements of lists lead to.
            None => room.saturating_add(room / 2).max(4096),
        });
        Ink {
            base: out.len(),
            file,
            passed: Vec::new(),
            since: 0,
            open: 0,
            out,
            labels: Vec::new(),
            counts: Vec::new(),
            listed: Vec::new(),
            tabled: false,
            late: Vec::new(),
            sums: Vec::new(),
            tokens: Vec::new(),
            waiting: Vec::new(),
            anchors: lists,
            stood: BTreeMap::new(),
            starts: Vec::new(),
            behind: Vec::new(),
            reach: 0,
            pins: 0,
            owed: 0,
            levels: Levels::new(u32::MAX),
            rules: Vec::new(),
            tables: Vec::new(),
            ranks: Vec::new(),
            flags: Vec::new(),
            ends: Vec::new(),
            pool_place: 0,
            found: None,
            steps: 0,
        }
    }

    /// Address of the next byte.
    #[inline]
    pub fn here(&self) -> Spot {
        self.out.len().wrapping_sub(self.base) as u64
    }

    /// For how many things of a size in bytes a list that has any is given room at first: as many as
    /// take half as many bytes as the file will have, about, since it has to move when it is full.
    #[cold]
    pub(super) fn about(&self, size: usize) -> usize {
        (self.out.capacity() / 2 / size.max(1)).clamp(4, 0x1000)
    }

    /// The file that is written, if that is known.
    #[inline]
    pub(super) fn file(&self) -> Option<&'v [u8]> {
        self.file
    }

    /// Where an address is in what is written; nowhere if it lies in what was passed.
    #[inline]
    pub(super) fn place(&self, at: Spot) -> usize {
        if at < self.since {
            return self.place_before(at);
        }
        (at as usize).wrapping_add(self.base)
    }

    #[cold]
    fn place_before(&self, at: Spot) -> usize {
        let next = self.passed.partition_point(|passed| passed.to <= at);
        match self.passed.get(next) {
            Some(passed) if at < passed.from => (at as usize).wrapping_add(passed.base),
            _ => usize::MAX,
        }
    }

    /// Appends bytes.
    #[inline]
    pub fn put(&mut self, bytes: &[u8]) {
        if bytes.len() >= MUCH && self.file.is_some() && self.passes(bytes) {
            return;
        }
        self.out.extend_from_slice(bytes);
    }

    /// Goes on behind bytes that need not be compared with the file: they are those of the file, at
    /// this place. That is so of content that a value borrows.
    fn passes(&mut self, bytes: &[u8]) -> bool {
        let from = self.here();
        let to = from.saturating_add(bytes.len() as u64);
        let there = self.file.and_then(|file| file.get(from as usize..to as usize));
        if self.open > 0 || !there.is_some_and(|there| core::ptr::eq(there, bytes)) {
            return false;
        }
        self.passed.push(Passed { from, to, base: self.base });
        self.base = self.base.wrapping_sub(bytes.len());
        self.since = to;
        true
    }

    /// Whether what is written is the file.
    fn is_file(&self, file: &[u8]) -> bool {
        let (mut at, mut all) = (0_usize, self.here() == file.len() as u64);
        let end = Passed { from: self.here(), to: self.here(), base: self.base };
        for passed in self.passed.iter().chain([&end]) {
            let (from, base) = (passed.from as usize, passed.base);
            let written = self.out.get(at.wrapping_add(base)..from.wrapping_add(base));
            all = all && written.is_some() && written == file.get(at..from);
            at = passed.to as usize;
        }
        all
    }

    /// Appends zero bytes, and gives them to be filled.
    ///
    /// # Errors
    ///
    /// If the file gets too large.
    #[inline]
    pub fn grow(&mut self, count: usize, size: usize) -> Straight<&mut [u8]> {
        let from = self.out.len();
        let end = count.checked_mul(size).and_then(|bytes| bytes.checked_add(from)).ok_or(Odd)?;
        if end.wrapping_sub(self.base) > MAX_SIZE {
            return Err(Odd);
        }
        if end > self.out.capacity() {
            // Objects of elements follow, most often, and would make it move once more.
            self.out.reserve((end - from).saturating_add((end - from) / 2));
        }
        self.out.resize(end, 0);
        self.out.get_mut(from..).ok_or(Odd)
    }

    /// Appends a number of zero bytes that an expression says.
    ///
    /// # Errors
    ///
    /// If it says none, or too many.
    pub fn zero(&mut self, count: Option<i128>) -> Straight<()> {
        self.filled(count, 0)
    }

    /// Appends a byte as often as an expression says.
    ///
    /// # Errors
    ///
    /// If it says nothing, or too often.
    pub fn filled(&mut self, count: Option<i128>, byte: u8) -> Straight<()> {
        let count = super::length(count)?;
        let room = self.grow(count, 1)?;
        if byte != 0 {
            room.fill(byte);
        }
        Ok(())
    }

    /// Appends zero bytes up to a multiple of so many bytes, and gives the address there.
    #[inline]
    pub fn align(&mut self, align: u64) -> Spot {
        let here = self.here() as usize;
        if align > 1 {
            let align = align as usize;
            let rest = if align.is_power_of_two() { here & (align - 1) } else { here % align };
            if rest != 0 {
                // Alignments come from the schema, and most of them are small.
                let more = (align - rest).min((MAX_SIZE + 1).saturating_sub(here));
                match more {
                    1 => self.out.push(0),
                    _ => self.out.resize(self.out.len().saturating_add(more), 0),
                }
            }
        }
        self.here()
    }

    /// Appends a byte up to the end of a room that began at an address.
    ///
    /// # Errors
    ///
    /// If there is more in it already, or an expression says no size.
    pub fn pad(&mut self, begun: Spot, size: Option<i128>, byte: u8) -> Straight<()> {
        let done = usize::try_from(self.here().saturating_sub(begun)).map_err(|_| Odd)?;
        let more = super::length(size)?.checked_sub(done).ok_or(Odd)?;
        self.filled(Some(more as i128), byte)
    }

    /// Aligns to what an expression says.
    ///
    /// # Errors
    ///
    /// If it says no alignment, or one above 64 KiB.
    pub fn align_to(&mut self, align: Option<i128>) -> Straight<Spot> {
        Ok(self.align(super::alignment(align)?))
    }

    /// Enters a type that may contain itself.
    ///
    /// # Errors
    ///
    /// If that is too deep for the stack.
    #[inline]
    pub fn enter(&mut self) -> Straight<()> {
        self.levels.enter()
    }

    /// Leaves it.
    #[inline]
    pub fn leave(&mut self) {
        self.levels.leave();
    }

    /// Says by which of its rules the next kind of pointer is listed in the relocation table.
    pub fn add_rule(&mut self, rule: u8) {
        self.rules.push(rule);
    }

    /// The rule for a kind of pointer; `u8::MAX` if there is none.
    #[inline]
    pub fn rule(&self, kind: usize) -> u8 {
        self.rules.get(kind).copied().unwrap_or(u8::MAX)
    }

    /// A place for something that is not written yet.
    ///
    /// # Errors
    ///
    /// If there are too many.
    pub fn token(&mut self) -> Straight<Spot> {
        self.tokens.push(Spot::MAX);
        let number = u32::try_from(self.tokens.len()).map_err(|_| Odd)?;
        Ok(u64::from(number) << 32)
    }

    /// Places for so many things that are not written yet: the first; the token of each other one is
    /// 2^32 more than that before it.
    ///
    /// # Errors
    ///
    /// If there are too many.
    pub fn tokens(&mut self, count: usize) -> Straight<Spot> {
        let first = self.tokens.len();
        let end = first.checked_add(count).and_then(|end| u32::try_from(end).ok()).ok_or(Odd)?;
        self.tokens.resize(end as usize, Spot::MAX);
        Ok((first as u64 + 1) << 32)
    }

    /// Says where it is.
    ///
    /// # Errors
    ///
    /// If that was said before.
    pub fn settle(&mut self, token: Spot, address: Spot) -> Straight<()> {
        let number = (token >> 32) as usize;
        match number.checked_sub(1).and_then(|number| self.tokens.get_mut(number)) {
            Some(place) if *place == Spot::MAX => {
                *place = address;
                Ok(())
            }
            _ => Err(Odd),
        }
    }

    /// The address of a place.
    ///
    /// # Errors
    ///
    /// If its token is not settled.
    #[inline]
    pub fn resolve(&self, spot: Spot) -> Straight<u64> {
        if spot >> 32 == 0 {
            return Ok(spot);
        }
        let number = (spot >> 32) as usize;
        match number.checked_sub(1).and_then(|number| self.tokens.get(number)) {
            Some(base) if *base != Spot::MAX => Ok(base + (spot & 0xffff_ffff)),
            _ => Err(Odd),
        }
    }

    /// Stores a number of so many bytes at a place, at once or when the place is known.
    ///
    /// # Errors
    ///
    /// If the number does not fit, or there is no such place.
    #[inline]
    pub fn patch(&mut self, spot: Spot, width: u8, big: bool, number: u64) -> Straight<()> {
        self.pins += 1;
        self.store(spot, width, big, number)
    }

    #[inline]
    pub(super) fn store(&mut self, spot: Spot, width: u8, big: bool, number: u64) -> Straight<()> {
        if spot >> 32 != 0 {
            return self.wait(spot, width, big, number);
        }
        if width < 8 && number >> (u32::from(width) * 8) != 0 {
            return Err(Odd);
        }
        let (at, width) = (self.place(spot), usize::from(width.min(8)));
        let place = self.out.get_mut(at..).and_then(|rest| rest.get_mut(..width)).ok_or(Odd)?;
        if big {
            place.copy_from_slice(&number.to_be_bytes()[8 - width..]);
        } else if let Ok(place) = <&mut [u8; 8]>::try_from(&mut *place) {
            *place = number.to_le_bytes();
        } else {
            place.copy_from_slice(&number.to_le_bytes()[..width]);
        }
        Ok(())
    }

    #[cold]
    fn wait(&mut self, spot: Spot, width: u8, big: bool, number: u64) -> Straight<()> {
        self.waiting.push((spot, width, big, number));
        Ok(())
    }

    /// Stores a number that was computed, with its sign.
    ///
    /// # Errors
    ///
    /// If there is none, or it does not fit.
    pub fn fill(
        &mut self,
        spot: Spot,
        width: u8,
        big: bool,
        signed: bool,
        number: Option<i128>,
    ) -> Straight<()> {
        self.pins += 1;
        self.fill_size(spot, width, big, signed, number)
    }

    /// The same for a number that does not depend on where bytes are.
    ///
    /// # Errors
    ///
    /// If there is none, or it does not fit.
    pub fn fill_size(
        &mut self,
        spot: Spot,
        width: u8,
        big: bool,
        signed: bool,
        number: Option<i128>,
    ) -> Straight<()> {
        let number = number.ok_or(Odd)?;
        if !crate::fits(number, u32::from(width) * 8, signed) {
            return Err(Odd);
        }
        let all = if width >= 8 { u64::MAX } else { (1 << (u32::from(width) * 8)) - 1 };
        self.store(spot, width, big, number as u64 & all)
    }

    /// Where a pointer leads whose number was stored before.
    ///
    /// # Errors
    ///
    /// If it was not, or waits for the place of the pointer.
    pub fn led(&self, spot: Spot, width: u8, big: bool) -> Straight<Spot> {
        let at = self.place(self.resolve(spot)?);
        let bytes = self.out.get(at..).and_then(|rest| rest.get(..width.into())).ok_or(Odd)?;
        let add = |sum: u64, byte: &u8| (sum << 8) | u64::from(*byte);
        let number = match big {
            true => bytes.iter().fold(0, add),
            false => bytes.iter().rev().fold(0, add),
        };
        super::holds(number != 0 && number <= self.here())?;
        Ok(number)
    }

    /// Something has to be placed.
    #[inline]
    pub fn owe(&mut self) {
        self.owed += 1;
    }

    /// It is.
    ///
    /// # Errors
    ///
    /// If nothing was to be placed.
    #[inline]
    pub fn pay(&mut self) -> Straight<()> {
        self.owed = self.owed.checked_sub(1).ok_or(Odd)?;
        Ok(())
    }

    /// Remembers a number for the end.
    pub fn later(&mut self, row: u32, spot: Spot, at: Spot, index: usize) {
        self.late.push(Late { row, spot, at, index });
    }

    /// The numbers to be computed.
    ///
    /// # Errors
    ///
    /// If one is of something without an address.
    pub fn take_late(&mut self) -> Straight<Vec<Late>> {
        let mut late = core::mem::take(&mut self.late);
        for number in &mut late {
            number.at = self.resolve(number.at)?;
        }
        Ok(late)
    }

    /// Remembers where something begins and ends.
    pub fn anchor(&mut self, number: usize, start: Spot, end: Spot) {
        self.pins += 1;
        if let Some(list) = self.anchors.get_mut(number) {
            list.push((start, end));
        }
    }

    /// Remembers where something begins, as its end is not known yet.
    pub fn anchor_begins(&mut self, number: usize, start: Spot) -> usize {
        let index = self.anchors.get(number).map_or(0, Vec::len);
        self.anchor(number, start, Spot::MAX);
        index
    }

    /// Remembers where it ends.
    pub fn anchor_ends(&mut self, number: usize, index: usize, end: Spot) {
        let list = self.anchors.get_mut(number);
        if let Some((_, place)) = list.and_then(|list| list.get_mut(index)) {
            *place = end;
        }
    }

    /// Begin or end of the only thing of this kind.
    ///
    /// # Errors
    ///
    /// If there is none or more than one, or its address is not known.
    pub fn only(&self, number: usize, end: bool) -> Straight<Option<i128>> {
        match self.anchors.get(number).map(Vec::as_slice) {
            Some([only]) => self.side(only, end),
            _ => Err(Odd),
        }
    }

    /// The same, and nothing if there is none.
    ///
    /// # Errors
    ///
    /// If there is more than one, or its address is not known.
    pub fn only_if_any(&self, number: usize, end: bool) -> Straight<Option<i128>> {
        if self.anchored(number) == 0 {
            return Ok(None);
        }
        self.only(number, end)
    }

    /// How many things of this kind there are so far.
    #[inline]
    pub fn anchored(&self, number: usize) -> usize {
        self.anchors.get(number).map_or(0, Vec::len)
    }

    /// Begin or end of the only thing of this kind behind so many others.
    ///
    /// # Errors
    ///
    /// If there is none or more than one, or its address is not known.
    #[inline]
    pub fn only_since(&self, number: usize, since: usize, end: bool) -> Straight<Option<i128>> {
        match self.anchors.get(number).and_then(|list| list.get(since..)) {
            Some([only]) => self.side(only, end),
            _ => Err(Odd),
        }
    }

    /// Begin or end of an element of an array of so many; nothing if there is no such element.
    ///
    /// # Errors
    ///
    /// If its address is not known.
    pub fn one_of(
        &self,
        number: usize,
        count: usize,
        index: Option<i128>,
        end: bool,
    ) -> Straight<Option<i128>> {
        let Some(index) = index.and_then(|n| usize::try_from(n).ok()).filter(|n| *n < count) else {
            return Ok(None);
        };
        let list = self.anchors.get(number).filter(|list| list.len() <= count);
        self.side(list.and_then(|list| list.get(index)).ok_or(Odd)?, end)
    }

    /// One of the two is loaded, not both: they were stored one by one a moment ago, and processors
    /// wait long for what they have to put together.
    #[inline]
    fn side(&self, (start, stop): &(Spot, Spot), end: bool) -> Straight<Option<i128>> {
        let spot = if end { *stop } else { *start };
        if spot == Spot::MAX {
            return Err(Odd);
        }
        self.resolve(spot).map(|address| Some(address.into()))
    }

    /// Remembers that a row of a struct that begins at an address stands here.
    pub fn stands(&mut self, row: (u32, u32), at: Spot) {
        self.pins += 1;
        let here = self.here();
        self.stood.insert((row, at), here);
    }

    /// Where it stands.
    ///
    /// # Errors
    ///
    /// If it was not remembered, or it is not known yet where the struct begins.
    pub fn stood(&self, row: (u32, u32), at: Spot) -> Straight<Spot> {
        self.stood.get(&(row, self.resolve(at)?)).copied().ok_or(Odd)
    }

    /// Where the next addresses of elements go.
    #[inline]
    pub fn mark(&self) -> usize {
        self.starts.len()
    }

    /// Remembers that an element begins here.
    #[inline]
    pub fn start(&mut self) {
        let here = self.here();
        self.starts.push(here);
    }

    /// Where the element with this number behind a mark begins.
    ///
    /// # Errors
    ///
    /// If there is none.
    #[inline]
    pub fn start_of(&self, mark: usize, index: usize) -> Straight<Spot> {
        mark.checked_add(index).and_then(|at| self.starts.get(at)).copied().ok_or(Odd)
    }

    /// Where an element of an array begins or ends, of so many whose beginnings are behind a mark, and
    /// behind them the end of the last; nothing if there is no such element.
    ///
    /// # Errors
    ///
    /// If they were not remembered.
    pub fn element(
        &self,
        mark: usize,
        count: usize,
        index: Option<i128>,
        end: bool,
    ) -> Straight<Option<i128>> {
        let Some(index) = index.and_then(|n| usize::try_from(n).ok()).filter(|n| *n < count) else {
            return Ok(None);
        };
        self.start_of(mark, index + usize::from(end)).map(|at| Some(at.into()))
    }

    /// Puts bytes at a place where zeros were left for them, now that it is known what they say of other
    /// places.
    ///
    /// # Errors
    ///
    /// If there is no such place.
    pub fn put_at(&mut self, at: Spot, bytes: &[u8]) -> Straight<()> {
        self.pins += 1;
        let at = self.place(at);
        let place = self.out.get_mut(at..).and_then(|rest| rest.get_mut(..bytes.len()));
        place.ok_or(Odd)?.copy_from_slice(bytes);
        Ok(())
    }

    /// Forgets the addresses behind a mark.
    #[inline]
    pub fn release(&mut self, mark: usize) {
        self.starts.truncate(mark);
    }

    /// Remembers that a terminator must be next, whoever writes it, or the end of a region if that may
    /// stand for it.
    pub fn must_follow(&mut self, stop: Stop<'static>) {
        self.pins += 1;
        let here = self.here();
        self.behind.push((here, stop, self.reach));
        self.reach = self.reach.max(here.saturating_add(stop.width() as u64));
    }

    /// How much must follow something so far, for [`closes`](Self::closes).
    #[inline]
    pub fn left(&self) -> usize {
        self.behind.len()
    }

    /// A region ends here that began when so much had to follow something. For what ends in it that end
    /// may stand; for what ends where an empty region begins it may not.
    ///
    /// # Errors
    ///
    /// If bytes that must follow something in it reach beyond it.
    #[inline]
    pub fn closes(&mut self, left: usize) -> Straight<()> {
        let here = self.here();
        while self.behind.len() > left {
            match self.behind.last() {
                Some((at, stop, reach)) if stop.optional && *at == here => self.reach = *reach,
                _ => break,
            }
            self.behind.pop();
        }
        super::holds(self.reach <= self.here())
    }

    /// Where content begins that ends at a terminator or in a room, for [`end`](Self::end).
    #[inline]
    pub fn begun(&mut self) -> Begun {
        self.opened();
        Begun { at: self.out.len(), pinned: self.pinned() }
    }

    /// Ends content at a terminator.
    ///
    /// # Errors
    ///
    /// If a reader would find other content, or some of it depends on where it is.
    pub fn end(&mut self, begun: Begun, stop: Stop<'_>) -> Straight<()> {
        super::holds(stop.ends(self.content(begun)?))?;
        self.closed();
        if stop.mode == Terminated::Dropped {
            self.put(stop.bytes);
        }
        Ok(())
    }

    /// Ends content in a room of so many bytes.
    ///
    /// # Errors
    ///
    /// The same.
    pub fn end_room(&mut self, begun: Begun, size: usize, cut: Cut<'_>) -> Straight<()> {
        self.end_before(begun, cut, |content| cut.tail(content, Some(size)))
    }

    /// Ends content in a room whose size follows from it, by a number with this rule.
    ///
    /// # Errors
    ///
    /// The same.
    pub fn end_least(&mut self, begun: Begun, cut: Cut<'_>, rule: &LengthRule) -> Straight<()> {
        self.end_before(begun, cut, |content| cut.least_tail(content, Some(rule)))
    }

    /// Ends content before what a room has behind it.
    fn end_before<'c>(
        &mut self,
        begun: Begun,
        cut: Cut<'_>,
        tail: impl FnOnce(&[u8]) -> Option<Tail<'c>>,
    ) -> Straight<()> {
        let content = self.content(begun)?;
        let (length, tail) = (content.len(), tail(content).ok_or(Odd)?);
        // A number of the value may say any size.
        let room = self.grow(tail.size(), 1)?;
        room.iter_mut().zip(tail.bytes()).for_each(|(place, byte)| *place = byte);
        self.closed();
        super::holds(cut.length(self.out.get(begun.at..).ok_or(Odd)?) == length)
    }

    /// Something begins that is looked at again.
    #[inline]
    pub(super) fn opened(&mut self) {
        self.open += 1;
    }

    /// That was done.
    #[inline]
    pub(super) fn closed(&mut self) {
        self.open = self.open.saturating_sub(1);
    }

    fn content(&self, begun: Begun) -> Straight<&[u8]> {
        super::holds(self.pinned() == begun.pinned)?;
        self.out.get(begun.at..).ok_or(Odd)
    }

    /// How much there is that depends on where bytes are.
    #[inline]
    pub fn pinned(&self) -> usize {
        self.pins + self.labels.len() + self.listed.len() + self.late.len()
    }

    /// What follows depends on where bytes are.
    #[inline]
    pub fn pin(&mut self) {
        self.pins += 1;
    }

    /// Stores what waits for addresses.
    pub(super) fn store_waiting(&mut self) -> Straight<()> {
        for (spot, width, big, number) in core::mem::take(&mut self.waiting) {
            let spot = self.resolve(spot)?;
            self.store(spot, width, big, number)?;
        }
        Ok(())
    }

    /// Stores what is left, and looks whether all is there.
    ///
    /// # Errors
    ///
    /// If the file is too large, or something was not placed.
    pub fn finish(&mut self) -> Straight<()> {
        self.store_waiting()?;
        for (at, stop, _) in core::mem::take(&mut self.behind) {
            let rest = match self.file {
                // What is written is that, or comes to nothing.
                Some(file) => file.get(at as usize..),
                None => self.out.get(self.place(at)..),
            };
            super::holds(
                rest.is_some_and(|rest| stop.begins(rest) || stop.optional && rest.is_empty()),
            )?;
        }
        // Pointers that came too late for a table are missing there.
        let missing = !self.labels.is_empty() || self.tabled && !self.listed.is_empty();
        super::holds(!missing && self.owed == 0)?;
        super::holds(self.tables.is_empty() && self.flags.is_empty() && self.ends.is_empty())?;
        super::holds(self.sums.is_empty() && self.late.is_empty())?;
        super::holds(self.here() <= MAX_SIZE as u64)
    }
}

/// Appends a file, with room for about so many bytes, and with so many kinds of anchors. If it is
/// known which file it has to be, it may be appended in part.
///
/// # Errors
///
/// If it is too large, or something was not placed, or `body` gives up, or it is another file.
/// Nothing is appended then.
#[inline] // With the body in it, small writers are one loop: flat records take 0.6 of the time.
pub fn write<'v>(
    anchors: usize,
    room: usize,
    out: &mut Vec<u8>,
    file: Option<&'v [u8]>,
    body: impl FnOnce(&mut Ink<'v>) -> Straight<()>,
) -> Straight<()> {
    let base = out.len();
    let mut ink = Ink::new(anchors, room, core::mem::take(out), file);
    let mut result = body(&mut ink).and_then(|()| ink.finish());
    if let Some(file) = file {
        result = result.and_then(|()| super::holds(ink.is_file(file)));
    }
    *out = ink.out;
    if result.is_err() {
        out.truncate(base);
    }
    result
}

/// Whether these bytes are what is written.
pub fn writes<'v>(
    bytes: &'v [u8],
    write: impl FnOnce(&mut Vec<u8>, Option<&'v [u8]>) -> Straight<()>,
) -> bool {
    write(&mut Vec::new(), Some(bytes)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two contents, each behind a number of four bytes, and an end.
    fn file() -> Vec<u8> {
        let mut file = Vec::new();
        for (number, byte) in [(300_u32, 1), (608, 2)] {
            file.extend(number.to_le_bytes());
            file.extend([byte; 300]);
        }
        file.extend(*b"end");
        file
    }

    /// Writes such a file of these contents, with both numbers stored when all is written.
    fn written(file: &[u8], contents: [&[u8]; 2], numbers: [u64; 2]) -> (Straight<()>, Vec<u8>) {
        let mut out = b"before".to_vec();
        let result = write(0, 0, &mut out, Some(file), |cx| {
            for content in contents {
                cx.grow(4, 1)?;
                cx.put(content);
            }
            assert_eq!(cx.align(8), 608);
            cx.put(b"end");
            cx.patch(0, 4, false, numbers[0])?;
            cx.patch(304, 4, false, numbers[1])?;
            assert_eq!(cx.led(304, 4, false), Ok(608));
            Ok(())
        });
        (result, out)
    }

    #[test]
    fn what_was_passed_is_not_seen() {
        let file = file();
        let result = write(0, 0, &mut Vec::new(), Some(&file), |cx| {
            cx.put(&file[..4]);
            cx.put(&file[4..304]);
            cx.put(&file[304..308]);
            cx.put(&file[308..608]);
            cx.put(&file[608..]);
            assert_eq!(cx.seen(0, 4, false), Ok(300));
            assert_eq!(cx.seen(304, 4, false), Ok(608));
            // Some of it was, or all.
            for at in [2, 4, 200, 302, 306, 308, 607] {
                assert_eq!(cx.seen(at, 4, false), Err(Odd), "{at}");
            }
            Ok(())
        });
        assert_eq!(result, Ok(()));
    }

    #[test]
    fn content_of_the_file_is_passed() {
        let file = file();
        let contents = [&file[4..304], &file[308..608]];
        let (result, out) = written(&file, contents, [300, 608]);
        assert_eq!(result, Ok(()));
        assert_eq!(out.len(), "before".len() + 4 + 4 + "end".len());
        // A number before what was passed is another one.
        let (result, out) = written(&file, contents, [301, 608]);
        assert_eq!((result, &out[..]), (Err(Odd), &b"before"[..]));
    }

    #[test]
    fn other_content_is_compared() {
        let file = file();
        let same = [1; 300];
        let (result, out) = written(&file, [&same, &file[308..608]], [300, 608]);
        assert_eq!((result, out.len()), (Ok(()), "before".len() + 4 + 300 + 4 + "end".len()));
        // Bytes of the file, and at another place.
        let swapped = [&file[308..608], &file[4..304]];
        assert_eq!(written(&file, swapped, [300, 608]).0, Err(Odd));
        let cut = &file[..file.len() - 1];
        assert_eq!(written(cut, [&cut[4..304], &cut[308..608]], [300, 608]).0, Err(Odd));
        let more = [&file[..], b"!"].concat();
        assert_eq!(written(&more, [&more[4..304], &more[308..608]], [300, 608]).0, Err(Odd));
    }

    #[test]
    fn what_is_looked_at_again_is_written() {
        let file = [7; 400];
        let stop = Stop {
            bytes: &[7],
            any: &[],
            big: false,
            unit: 1,
            mode: Terminated::Dropped,
            optional: false,
        };
        let mut out = Vec::new();
        let result = write(0, 0, &mut out, Some(&file), |cx| {
            let begun = cx.begun();
            cx.put(&file[..399]);
            cx.end(begun, stop)
        });
        // The terminator is found in the content.
        assert_eq!(result, Err(Odd));
    }

    #[test]
    fn nothing_is_stored_in_what_was_passed() {
        let file = file();
        let result = write(0, 0, &mut Vec::new(), Some(&file), |cx| {
            cx.put(&file[..304]);
            cx.put(&file[304..]);
            assert!(cx.out.is_empty());
            cx.patch(100, 4, false, 1)
        });
        assert_eq!(result, Err(Odd));
    }
}
