//! Gives objects their addresses: behind one another, or as the file had them that they are from.
//!
//! Objects that follow one another are a *chain*. The first one begins with the root; another one
//! begins with each object that has an address of its own ([`KeptKind::Place`]). Such a chain is put
//! where it was. Only when all are placed it is known whether there is room for them: what has grown
//! then pushes what lies behind it, and everything is placed again, with the addresses that were
//! found. Objects that lie inside of others ([`KeptKind::Shared`]) are no part of a chain. Whether
//! both still say the same is seen when the bytes are written: if not, the one that lies in the other
//! gets a place of its own, as the layout says.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;

use super::super::item::{Loc, NodeRef, FAR, MAX_SIZE, WHOLE};
use super::super::kept::KeptPlace;
use super::super::reading::short;
use super::super::state::Engine;
use super::super::val::Fallible;
use super::super::writing::{Chain, Fill, Moves, Placing, TextAside};
use crate::problem::ProblemKind;
use crate::spelling::{KeptKind, KeptValue};

/// Places are looked for so often. Each time something moves only if what lies before it has grown by
/// moving, which nothing does for long.
const MOST_ROUNDS: u32 = 16;

/// Bytes of padding that an alignment may ask for: it may be a number of the value.
const MOST_PADDING: u64 = 1 << 26;

/// The next address that is aligned so; beyond all files if that is too far.
fn aligned(at: u64, align: u64) -> u64 {
    let next = at.checked_next_multiple_of(align);
    next.filter(|next| next - at <= MOST_PADDING).unwrap_or(FAR)
}

impl Engine<'_, '_> {
    /// Moves the cursor to where an object begins: to its old place, behind the bytes that were kept
    /// before it, or on its alignment. Returns the address.
    pub(crate) fn begin(&mut self, loc: Loc, align: u64) -> u64 {
        let align = align.max(self.writing.asked_align).max(1);
        self.writing.placing.exact = false;
        if !self.tree.kept.is_empty() {
            if let Some(at) = self.kept_begin(loc, align) {
                return at;
            }
        }
        self.writing.asked_align = 1;
        self.writing.cursor = aligned(self.writing.cursor, align);
        self.writing.cursor
    }

    fn kept_begin(&mut self, loc: Loc, align: u64) -> Option<u64> {
        let place = self.tree.kept.place_of(loc).copied();
        if let Some(at) = place.and_then(|place| self.inside(loc, place)) {
            let writing = &mut self.writing;
            writing.placing.aside = Some((writing.cursor, writing.last_end, loc, at));
            writing.placing.exact = true;
            return Some(at);
        }
        // What lies in something else leaves the alignment to what follows.
        let asked_align = core::mem::replace(&mut self.writing.asked_align, 1);
        if self.writing.placing.moves.apart.contains(&loc) {
            let writing = &mut self.writing;
            writing.cursor = writing.placing.moves.behind_others(writing.cursor);
        }
        let gapless = self.writing.placing.moves.gapless;
        let gap = match self.tree.kept_of(loc, KeptKind::Gap).map(|kept| &kept.stored) {
            Some(KeptValue::Bytes(bytes)) if !gapless => Some(bytes.clone()),
            _ => None,
        };
        self.writing.placing.gaps |= gap.is_some();
        let len = gap.as_ref().map_or(0, |bytes| bytes.len() as u64);
        let old = place.and_then(|place| self.old_place(loc, place));
        let at = match old {
            Some(old) => {
                self.writing.placing.arranged = true;
                self.writing.placing.taken.insert(old);
                self.writing.placing.exact = true;
                let at = self.writing.placing.moves.places.get(&old).copied().unwrap_or(old);
                self.writing.placing.chains.push(Chain {
                    old,
                    at,
                    end: at,
                    room: at,
                    gap: len,
                    align,
                });
                at
            }
            None if gap.is_none() => {
                self.writing.asked_align = asked_align;
                return None;
            }
            None => {
                self.writing.placing.gapped = true;
                (self.writing.last_end + len).checked_next_multiple_of(align).unwrap_or(FAR)
            }
        };
        if let (Some(bytes), false) = (gap, self.writing.measuring) {
            // What comes before has grown, or is aligned otherwise: zeros stand between.
            let from = match old {
                Some(_) => at.saturating_sub(len),
                None => self.writing.last_end,
            };
            self.writing.loose.push((from, bytes));
        }
        self.writing.cursor = at;
        Some(at)
    }

    /// Address that an object had which does not follow the one before it, unless it is taken.
    fn old_place(&self, loc: Loc, place: KeptPlace) -> Option<u64> {
        let placing = &self.writing.placing;
        let moves = &placing.moves;
        let old = match place.shared() {
            None => place.own()?,
            Some((host, 0)) if moves.orphaned.contains(&host) && !moves.apart.contains(&loc) => {
                host
            }
            Some(_) => return None,
        };
        (!placing.moves.forgotten && !placing.taken.contains(&old)).then_some(old)
    }

    /// Address of an object that lies in another one.
    pub(crate) fn shared_place(&mut self, loc: Loc) -> Option<u64> {
        let place = *self.tree.kept.place_of(loc)?;
        self.inside(loc, place)
    }

    fn inside(&mut self, loc: Loc, place: KeptPlace) -> Option<u64> {
        let (host, offset) = place.shared()?;
        let placing = &mut self.writing.placing;
        let moves = &placing.moves;
        let orphaned = moves.orphaned.contains(&host) && !placing.taken.contains(&host);
        if moves.forgotten || moves.apart.contains(&loc) || orphaned {
            return None;
        }
        let at = moves.places.get(&host).copied().unwrap_or(host).checked_add(offset)?;
        placing.host = placing.host.max(host);
        placing.arranged |= at <= MAX_SIZE;
        (at <= MAX_SIZE).then_some(at)
    }

    /// Moves the cursor behind an object.
    pub(crate) fn finish(&mut self, end: u64) {
        let writing = &mut self.writing;
        let placing = &mut writing.placing;
        if let Some((cursor, last_end, loc, at)) = placing.aside.take() {
            (writing.cursor, writing.last_end) = (cursor, last_end);
            if at < end {
                placing.reach = placing.reach.max(end);
                placing.shared.push((at, end, loc));
            }
            return;
        }
        let gapped = core::mem::take(&mut placing.gapped);
        if let Some(chain) = placing.chains.last_mut() {
            // What has no bytes needs no room, but those do that are kept before it.
            if end > writing.cursor {
                chain.end = end;
                placing.reach = placing.reach.max(end);
            }
            if end > writing.cursor || gapped {
                chain.room = end;
            }
        }
        writing.cursor = end;
        writing.last_end = end;
        writing.fill.clear();
    }

    /// Moves the cursor behind the bytes that were kept before a mark.
    pub(crate) fn begin_mark(&mut self, loc: Loc) -> u64 {
        let asked_align = self.writing.asked_align;
        let at = self.begin(loc, 1);
        self.finish(at);
        self.writing.asked_align = asked_align;
        at
    }

    /// The end of the file is behind the object that ends last, and what the layout has behind
    /// everything is there.
    pub(crate) fn finish_all(&mut self) {
        let reach = self.writing.placing.reach;
        if reach > self.writing.last_end {
            (self.writing.cursor, self.writing.last_end) = (self.filled(reach), reach);
        }
    }

    /// The address behind what the layout asks for behind the last object, if that ends there.
    pub(crate) fn filled(&self, end: u64) -> u64 {
        self.writing.fill.iter().fold(end, |at, fill| fill.behind(at))
    }

    /// The root begins the first chain.
    pub(crate) fn begin_all(&mut self) {
        let root = Chain { old: 0, at: 0, end: 0, room: 0, gap: 0, align: 1 };
        self.writing.placing.chains.push(root);
        self.writing.asked_align = 1;
    }

    /// Looks whether there is room for everything where it is. If not, it has to be placed again.
    pub(crate) fn make_room(&mut self) {
        let placing = &mut self.writing.placing;
        if placing.chains.len() <= 1 && placing.host == 0 {
            return;
        }
        let mut chains = core::mem::take(&mut placing.chains);
        chains.sort_by_key(|chain| chain.old);
        let reach = self.reach_of_all(&chains);
        let placing = &mut self.writing.placing;
        // What lies in an object may reach beyond it.
        let mut by_place: Vec<usize> = (0..chains.len()).collect();
        by_place.sort_by_key(|i| chains[*i].at);
        for (at, end, _) in &placing.shared {
            let behind = by_place.partition_point(|i| chains[*i].at <= *at);
            if let Some(i) = behind.checked_sub(1) {
                let chain = &mut chains[by_place[i]];
                chain.end = chain.end.max(*end);
            }
        }
        let mut moves = Moves { places: BTreeMap::new(), ..placing.moves.clone() };
        for (.., loc) in &placing.shared {
            let host = self.tree.kept.place_of(*loc).and_then(|place| place.shared());
            let gone = host
                .map(|(host, _)| host)
                .filter(|host| chains.binary_search_by_key(host, |chain| chain.old).is_err());
            moves.orphaned.extend(gone);
        }
        let (mut cursor, mut room) = (0_u64, 0_u64);
        let mut changed = moves.orphaned.len() > placing.moves.orphaned.len();
        for chain in &chains {
            let behind = (cursor + chain.gap).max(room);
            let at = match behind <= chain.old {
                true => chain.old,
                false => behind.checked_next_multiple_of(chain.align).unwrap_or(FAR),
            };
            changed |= at != chain.at;
            if at != chain.old {
                moves.places.insert(chain.old, at);
            }
            cursor = at.saturating_add(chain.end.saturating_sub(chain.at));
            room = at.saturating_add(chain.room.saturating_sub(chain.at));
        }
        if let Some(reach) = reach {
            let known = placing.moves.places.get(&placing.host).copied();
            changed |= known.unwrap_or(placing.host) != reach;
            moves.places.insert(placing.host, reach);
        }
        if changed {
            placing.place_again(moves);
        }
    }

    /// Where everything ends, if something without bytes counts from there: the address that it
    /// counts from is behind the beginnings of all chains.
    fn reach_of_all(&self, chains: &[Chain]) -> Option<u64> {
        let placing = &self.writing.placing;
        let full = chains.iter().filter(|chain| chain.at < chain.end);
        let known = chains.iter().any(|chain| chain.old == placing.host);
        if known || full.clone().any(|chain| chain.old > placing.host) {
            return None;
        }
        // What now has bytes lies behind that end itself.
        let inside = placing.shared.iter().filter(|(.., loc)| {
            let host = self.tree.kept.place_of(*loc).and_then(|place| place.shared());
            host.is_some_and(|(host, _)| host != placing.host)
        });
        full.map(|chain| chain.end).chain(inside.map(|(_, end, _)| *end)).max()
    }

    /// How to place everything again where a value cannot be written that is arranged so: by the
    /// layout, with the bytes that were kept between objects; then without these.
    pub(crate) fn less_arranged(&self) -> Option<Moves> {
        let placing = &self.writing.placing;
        let moves = Moves { forgotten: true, ..placing.moves.clone() };
        match placing.moves.forgotten || !placing.arranged {
            false => Some(moves),
            true if placing.gaps && !placing.moves.gapless => {
                Some(Moves { gapless: true, ..moves })
            }
            true => None,
        }
    }

    /// Pointers whose texts have places of their own get these.
    pub(crate) fn lead_texts(&mut self) -> Fallible<()> {
        self.lead_to_each()?;
        let all = self.tree.kept.nodes().flat_map(|(node, kept)| {
            let texts = kept.iter().filter(|kept| kept.kind == KeptKind::Text);
            texts.map(|kept| Loc::row(*node, kept.row))
        });
        for pool in all.collect::<Vec<_>>() {
            self.lead_aside(pool)?;
        }
        Ok(())
    }

    /// Writes these texts, which must change nothing.
    pub(crate) fn fill_texts(&mut self, total: u64) -> Fallible<()> {
        for index in 0..self.writing.placing.texts.len() {
            let TextAside { at, number, kind, .. } = self.writing.placing.texts[index];
            let Some((run, terminator)) = self.pooled_run(kind) else { continue };
            let item = self.tree.pointers[number as usize].target;
            let root = Loc::row(NodeRef::ROOT, WHOLE);
            let end = self.fill_run_at(root, run, at.into(), item)?;
            self.put(end, terminator);
            let end = end + terminator.len() as u64;
            if end > total {
                self.writing.placing.clashes.push(at.into());
            }
            // One without bytes can be anywhere.
            self.writing.placing.texts[index].end = short(end.max(u64::from(at) + 1));
        }
        Ok(())
    }

    /// Makes ready to compare what is written twice.
    pub(crate) fn watch(&mut self, size: usize) {
        let placing = &self.writing.placing;
        let watched = !placing.shared.is_empty() || !placing.texts.is_empty();
        let watched = watched && !self.writing.checking;
        self.writing.placing.written = alloc::vec![0; if watched { size } else { 0 }];
    }

    /// What is put next may stand where there are zeros.
    pub(crate) fn forget_zeros(&mut self, at: u64, count: usize) {
        let at = at.checked_sub(self.writing.ahead).and_then(|at| usize::try_from(at).ok());
        let Some((at, end)) = at.and_then(|at| Some((at, at.checked_add(count)?))) else { return };
        let (base, writing) = (self.writing.base, &mut self.writing);
        let written = writing.placing.written.get_mut(at..end).into_iter().flatten();
        for (written, byte) in written.zip(writing.out.get(base + at..).unwrap_or_default()) {
            if *byte == 0 {
                *written = 0;
            }
        }
    }

    /// Bytes that are zero without being put there: nothing else may be there.
    pub(crate) fn leave_zeros(&mut self, at: u32, end: u32) {
        if !self.writing.placing.written.is_empty() && at < end {
            self.put(at.into(), &alloc::vec![0; (end - at) as usize]);
        }
    }

    /// Looks whether bytes that are written say what was written there before.
    #[inline]
    pub(crate) fn watch_bytes(&mut self, at: usize, bytes: &[u8]) {
        if !self.writing.placing.written.is_empty() {
            for (at, byte) in (at..).zip(bytes) {
                self.watch_bits(at, *byte, 0xff);
            }
        }
    }

    /// The same, of some bits of a byte.
    #[inline]
    pub(crate) fn watch_bits(&mut self, at: usize, byte: u8, bits: u8) {
        let Some(written) = self.writing.placing.written.get_mut(at) else { return };
        let old = self.writing.out.get(self.writing.base + at).copied().unwrap_or(byte);
        if (old ^ byte) & bits & *written != 0 {
            self.writing.placing.clashes.push(at as u64);
        }
        *written |= bits;
    }

    /// Objects that say something else than the one that they lie in get places of their own.
    pub(crate) fn part(&mut self) {
        let placing = &mut self.writing.placing;
        placing.written = Vec::new();
        if placing.clashes.is_empty() {
            return;
        }
        let mut moves = placing.moves.clone();
        placing.clashes.sort_unstable();
        let clashes = &placing.clashes;
        let clash = |at: u64, end: u64| {
            let first = clashes.partition_point(|clash| *clash < at);
            clashes.get(first).is_some_and(|clash| *clash < end)
        };
        for (at, end, loc) in &placing.shared {
            if clash(*at, *end) {
                moves.apart.insert(*loc);
            }
        }
        if moves.apart.len() > placing.moves.apart.len() {
            moves.know_others(&placing.shared);
        }
        for text in &placing.texts {
            if clash(text.at.into(), text.end.into()) {
                moves.texts.insert(text.key.clone());
            }
        }
        let known = |moves: &Moves| moves.apart.len() + moves.texts.len();
        if known(&moves) == known(&placing.moves) {
            // Nothing that lies in something else is to blame.
            if placing.moves.forgotten {
                let what = format!("two things have different bytes at 0x{:x}", clashes[0]);
                let root = Loc::row(NodeRef::ROOT, WHOLE);
                return self.problem(root, ProblemKind::Contradicts { what: what.into() });
            }
            moves.forgotten = true;
        }
        placing.place_again(moves);
    }
}

impl Fill {
    /// The address behind it, if it begins at this one.
    pub(crate) fn behind(self, at: u64) -> u64 {
        match self {
            Fill::Align(align) => at.checked_next_multiple_of(align).unwrap_or(FAR),
            Fill::Zero(size) => at.saturating_add(size),
        }
    }
}

impl Moves {
    /// Remembers where objects are that stay in others: what gets a place of its own behind its host
    /// is put behind those, too, that reach beyond it.
    fn know_others(&mut self, shared: &[(u64, u64, Loc)]) {
        let stay = shared.iter().filter(|(_, _, loc)| !self.apart.contains(loc));
        let mut beyond: Vec<(u64, u64)> = stay.map(|(at, end, _)| (*at, *end)).collect();
        beyond.sort_unstable();
        let mut reach = 0;
        for (_, end) in &mut beyond {
            reach = reach.max(*end);
            *end = reach;
        }
        self.beyond = beyond;
    }

    /// The first address from this one on that no object reaches which begins before it and lies in
    /// another one.
    fn behind_others(&self, mut cursor: u64) -> u64 {
        loop {
            let before = self.beyond.partition_point(|(at, _)| *at < cursor);
            match before.checked_sub(1).and_then(|last| self.beyond.get(last)) {
                Some((_, end)) if *end > cursor => cursor = *end,
                _ => return cursor,
            }
        }
    }
}

impl Placing {
    fn place_again(&mut self, mut moves: Moves) {
        moves.rounds += 1;
        moves.forgotten |= moves.rounds >= MOST_ROUNDS;
        self.again = Some(moves);
    }
}
