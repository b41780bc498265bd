//! Pointers to texts in pools, as a reader has met them, and whether the pools are what a writer
//! would make of them.

use alloc::vec::Vec;
use core::cmp::Ordering;

use super::few::Few;
use super::pool::{PoolText, Texts};
use super::{holds, zeros, Odd, Straight};
use crate::pool::{compare, PoolOrder};

/// How many labels there is room for at first, at least and at most: most often there are more than a
/// few, or none.
const AT_FIRST: (usize, usize) = (16, 256);

/// What was read of pools.
#[derive(Debug, Default)]
pub(super) struct Labels {
    labels: Vec<Label>,
    pools: Few<Pool, 2>,
    /// In which of its places the next struct with a pool is.
    pub place: u8,
}

/// A pointer, and the text that it leads to with what belongs to that.
#[derive(Debug, Clone, Copy)]
struct Label {
    pool: u8,
    /// Where the pointer is.
    at: usize,
    from: usize,
    end: usize,
}

/// All of a pool.
#[derive(Debug)]
struct Pool {
    number: u8,
    from: usize,
    end: usize,
    order: PoolOrder,
    always: &'static [&'static str],
    text: &'static PoolText,
}

impl Labels {
    /// Adds a pointer at an address, to the text from one address to another, in a file of this size.
    #[inline]
    pub fn add(&mut self, pool: u8, at: usize, from: usize, end: usize, size: usize) {
        if self.labels.capacity() == 0 {
            let (least, most) = AT_FIRST;
            self.labels.reserve((size / 16).clamp(least, most));
        }
        self.labels.push(Label { pool, at, from, end });
    }

    /// Adds a pool, from one address to another.
    pub fn add_pool(
        &mut self,
        number: u8,
        (from, end): (usize, usize),
        always: &'static [&'static str],
        order: PoolOrder,
        text: &'static PoolText,
    ) {
        self.pools.push(Pool { number, from, end, order, always, text });
    }

    /// How many texts stand in a pool, if there is one such and it has nothing else.
    pub fn count(&self, bytes: &[u8], number: u8) -> Option<usize> {
        let mut pools = self.pools.iter().filter(|pool| pool.number == number);
        let (pool, None) = (pools.next()?, pools.next()) else { return None };
        let (mut at, mut count) = (pool.from, 0);
        while at < pool.end {
            let end = pool.text.end(bytes.get(..pool.end)?, at)?;
            (at, count) = (pool.behind(bytes, end).ok()?, count + 1);
        }
        Some(count)
    }

    /// Whether each pool of a file has the texts that pointers lead to, and those that are always
    /// there, each once and in its order, and nothing else.
    pub fn hold(self, bytes: &[u8]) -> Straight<()> {
        let Labels { mut labels, mut pools, .. } = self;
        let place = |label: &Label| (label.pool, label.at);
        let sorted = |pair: &[Label]| matches!(pair, [a, b] if place(a) <= place(b));
        if !labels.windows(2).all(sorted) {
            labels.sort_unstable_by_key(place);
        }
        pools.sort_by_key(|pool| pool.number);
        let mut rest = labels.as_mut_slice();
        let mut texts = Texts::new(0);
        for pool in pools.iter() {
            let count = rest.iter().take_while(|label| label.pool == pool.number).count();
            let all = core::mem::take(&mut rest);
            let (ours, others) = all.split_at_mut_checked(count).ok_or(Odd)?;
            rest = others;
            match pool.order {
                PoolOrder::FirstUse => pool.holds_as_used(bytes, ours, &mut texts)?,
                PoolOrder::EachUse => pool.holds_each(bytes, ours)?,
                PoolOrder::Bytes | PoolOrder::BitsFromEnd => pool.holds_sorted(bytes, ours)?,
            }
        }
        // What is left leads to a pool that is not there.
        holds(rest.is_empty())
    }
}

impl Pool {
    /// The same for a pool in the order in which something first leads to its texts.
    /// `texts` are room for them.
    fn holds_as_used<'b>(
        &self,
        bytes: &'b [u8],
        labels: &[Label],
        texts: &mut Texts<'b>,
    ) -> Straight<()> {
        // Each with its place.
        texts.begin(labels.len().saturating_add(self.always.len()));
        let mut next = self.from;
        for text in self.always {
            let known = texts.all().len();
            if texts.add_with(text.as_bytes(), || next as u64)? as usize == known {
                next = self.behind(bytes, self.member(bytes, next, text)?)?;
            }
        }
        for label in labels {
            let known = texts.few().filter(|_| label.from < next);
            let known = known.and_then(|mut few| few.find(|(of, _)| *of == label.from as u64));
            if let Some((_, text)) = known {
                // It was met before, and so it is right if it is as long as it was.
                let size = usize::from(self.text.prefix) + text.len() + self.text.suffix.len();
                holds(label.from.checked_add(size) == Some(label.end))?;
                continue;
            }
            let content = self.text.content(bytes, label.from, label.end).ok_or(Odd)?;
            let known = texts.all().len();
            let position = texts.add_with(content, || next as u64)? as usize;
            if position == known {
                self.stands(label.from, next)?;
                next = self.behind(bytes, label.end)?;
            } else {
                let place = texts.all().get(position).map(|(place, _)| *place);
                holds(place == Some(label.from as u64))?;
            }
        }
        holds(next == self.end)
    }

    /// The same for one in which each pointer has a text of its own.
    fn holds_each(&self, bytes: &[u8], labels: &[Label]) -> Straight<()> {
        // Those that are there in any case, and where they are, until a pointer has them.
        let mut open: Vec<(&str, usize)> = Vec::new();
        let mut next = self.from;
        for text in self.always {
            if open.iter().any(|(known, _)| known == text) {
                continue;
            }
            open.push((text, next));
            next = self.behind(bytes, self.member(bytes, next, text)?)?;
        }
        for label in labels {
            let content = self.text.content(bytes, label.from, label.end).ok_or(Odd)?;
            match open.iter().position(|(text, _)| text.as_bytes() == content) {
                Some(position) => holds(open.remove(position).1 == label.from)?,
                None => {
                    self.stands(label.from, next)?;
                    next = self.behind(bytes, label.end)?;
                }
            }
        }
        holds(next == self.end)
    }

    /// The same for one that is sorted.
    fn holds_sorted(&self, bytes: &[u8], labels: &mut [Label]) -> Straight<()> {
        labels.sort_unstable_by_key(|label| label.from);
        let mut labels = labels.iter().peekable();
        let mut missing: Vec<&str> = self.always.to_vec();
        let mut before = None;
        let mut next = self.from;
        while next != self.end {
            let end = match labels.next_if(|label| label.from == next) {
                Some(label) => {
                    while labels.next_if(|other| other.from == next).is_some() {}
                    label.end
                }
                // Nothing leads there, so it is one that is always there.
                None => {
                    let member = |text: &&str| self.member(bytes, next, text).ok();
                    missing.iter().find_map(member).ok_or(Odd)?
                }
            };
            self.stands(next, next)?;
            let text = self.text.content(bytes, next, end).ok_or(Odd)?;
            let ordered = before.map_or(Ordering::Less, |last| compare(self.order, last, text));
            holds(ordered == Ordering::Less)?;
            missing.retain(|always| always.as_bytes() != text);
            (before, next) = (Some(text), self.behind(bytes, end)?);
        }
        holds(missing.is_empty() && labels.next().is_none())
    }

    /// A text stands where the next one has to.
    fn stands(&self, from: usize, next: usize) -> Straight<()> {
        let aligned = match self.text.align {
            0 | 1 => true,
            align => from as u64 % align == 0,
        };
        holds(from == next && aligned)
    }

    /// Address behind a text that is at another one.
    fn member(&self, bytes: &[u8], from: usize, text: &str) -> Straight<usize> {
        let whole = |end: usize| self.text.content(bytes, from, end) == Some(text.as_bytes());
        let size = text.len() + usize::from(self.text.prefix) + self.text.suffix.len();
        let end = from.checked_add(size).ok_or(Odd)?;
        self.stands(from, from)?;
        holds(whole(end))?;
        Ok(end)
    }

    /// Where the next text has to be, behind the padding of one.
    fn behind(&self, bytes: &[u8], end: usize) -> Straight<usize> {
        let pad = usize::try_from(self.text.pad).map_err(|_| Odd)?;
        let next = match pad {
            0 | 1 => end,
            _ => end.checked_next_multiple_of(pad).ok_or(Odd)?,
        };
        holds(next <= self.end)?;
        zeros(bytes.get(end..next).ok_or(Odd)?)?;
        Ok(next)
    }
}

impl PoolText {
    /// Where a text ends that stands at an address, with what belongs to it.
    fn end(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let (prefix, rest) = bytes.get(from..)?.split_at_checked(self.prefix.into())?;
        let size = match (prefix, self.suffix) {
            ([], [end]) => rest.iter().position(|byte| byte == end)?,
            ([], _) => return None,
            _ => usize::try_from(self.length(prefix)).ok()?,
        };
        from.checked_add(prefix.len())?.checked_add(size)?.checked_add(self.suffix.len())
    }

    /// The length that stands in front of a text.
    fn length(&self, prefix: &[u8]) -> u64 {
        let add = |sum: u64, byte: &u8| (sum << 8) | u64::from(*byte);
        match self.big {
            true => prefix.iter().fold(0, add),
            false => prefix.iter().rev().fold(0, add),
        }
    }

    /// The bytes of a text that stands with what belongs to it between two addresses, if that is
    /// what it has to be.
    fn content<'b>(&self, bytes: &'b [u8], from: usize, end: usize) -> Option<&'b [u8]> {
        let whole = bytes.get(from..end)?;
        match (self.prefix, self.suffix) {
            // Who read it has found the first one.
            (0, [stop]) => {
                whole.split_last().filter(|(last, _)| *last == stop).map(|(_, text)| text)
            }
            (0, suffix) => whole.strip_suffix(suffix),
            (size, suffix) => {
                let (prefix, rest) = whole.split_at_checked(size.into())?;
                let text = rest.strip_suffix(suffix)?;
                (self.length(prefix) == text.len() as u64).then_some(text)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDED: PoolText =
        PoolText { prefix: 0, big: false, suffix: b"\0", align: 1, pad: 1, ascii: false };
    const COUNTED: PoolText =
        PoolText { prefix: 2, big: true, suffix: b"\0", align: 2, pad: 2, ascii: false };

    /// Whether a pool that is all of a file holds, with labels at these addresses to texts between two.
    fn holds(
        bytes: &[u8],
        labels: &[(usize, usize, usize)],
        always: &'static [&'static str],
        order: PoolOrder,
        text: &'static PoolText,
    ) -> bool {
        let mut all = Labels::default();
        for (at, from, end) in labels {
            all.add(3, *at, *from, *end, bytes.len());
        }
        all.add_pool(3, (0, bytes.len()), always, order, text);
        all.hold(bytes).is_ok()
    }

    #[test]
    fn texts_stand_as_they_are_used() {
        let used = |bytes: &[u8], labels: &[(usize, usize, usize)]| {
            holds(bytes, labels, &[], PoolOrder::FirstUse, &ENDED)
        };
        assert!(used(b"", &[]));
        assert!(used(b"b\0a\0", &[(0, 0, 2), (4, 2, 4), (8, 0, 2)]));
        // Labels are met in another order than that of their addresses.
        assert!(used(b"b\0a\0", &[(8, 0, 2), (4, 2, 4), (0, 0, 2)]));
        assert!(!used(b"b\0a\0", &[(4, 0, 2), (0, 2, 4)]));
        // The first of two is not used, or the second.
        assert!(!used(b"b\0a\0", &[(0, 2, 4)]));
        assert!(!used(b"b\0a\0", &[(0, 0, 2)]));
        // A text stands there twice, or within another one.
        assert!(!used(b"a\0a\0", &[(0, 0, 2), (4, 2, 4)]));
        assert!(!used(b"ba\0", &[(0, 0, 3), (4, 1, 3)]));
    }

    #[test]
    fn texts_are_counted() {
        let count = |bytes: &[u8], text: &'static PoolText| {
            let mut all = Labels::default();
            all.add_pool(3, (0, bytes.len()), &[], PoolOrder::FirstUse, text);
            assert_eq!(all.count(bytes, 2), None);
            all.count(bytes, 3)
        };
        assert_eq!(count(b"", &ENDED), Some(0));
        assert_eq!(count(b"b\0\0a\0", &ENDED), Some(3));
        assert_eq!(count(b"b\0a", &ENDED), None);
        assert_eq!(count(b"\0\x01a\0\0\x02bc\0\0", &COUNTED), Some(2));
        assert_eq!(count(b"\0\x01a\0\0\x02bc\0\x01", &COUNTED), None);
        assert_eq!(count(b"\0\x01a\0\xff\xffbc\0\0", &COUNTED), None);
        // Of two pools with one number nobody says which is meant.
        let mut all = Labels::default();
        all.add_pool(3, (0, 0), &[], PoolOrder::FirstUse, &ENDED);
        all.add_pool(3, (0, 0), &[], PoolOrder::FirstUse, &ENDED);
        assert_eq!(all.count(b"", 3), None);
    }

    #[test]
    fn each_use_has_a_text() {
        let each = |bytes: &[u8], labels: &[(usize, usize, usize)], always| {
            holds(bytes, labels, always, PoolOrder::EachUse, &ENDED)
        };
        assert!(each(b"", &[], &[]));
        assert!(each(b"b\0b\0a\0", &[(4, 2, 4), (0, 0, 2), (8, 4, 6)], &[]));
        // Two have the same one, or each that of the other.
        assert!(!each(b"b\0b\0", &[(0, 0, 2), (4, 0, 2)], &[]));
        assert!(!each(b"b\0", &[(0, 0, 2), (4, 0, 2)], &[]));
        assert!(!each(b"b\0b\0", &[(4, 0, 2), (0, 2, 4)], &[]));
        // The first of them has the one that is always there.
        assert!(each(b"b\0b\0", &[(0, 0, 2), (4, 2, 4)], &["b"]));
        assert!(each(b"b\0a\0", &[(4, 2, 4)], &["b"]));
        assert!(!each(b"b\0b\0", &[(4, 2, 4)], &["b"]));
    }

    #[test]
    fn texts_stand_in_order() {
        let sorted = |bytes: &[u8], labels: &[(usize, usize, usize)]| {
            holds(bytes, labels, &["", "m"], PoolOrder::Bytes, &ENDED)
        };
        assert!(sorted(b"\0m\0", &[]));
        assert!(sorted(b"\0a\0m\0z\0", &[(8, 5, 7), (4, 1, 3), (0, 5, 7), (12, 3, 5)]));
        assert!(!sorted(b"\0z\0m\0", &[(0, 1, 3)]));
        assert!(!sorted(b"\0m\0m\0", &[(0, 3, 5)]));
        assert!(!sorted(b"\0a\0", &[(0, 1, 3)]));
        assert!(!sorted(b"\0a\0m\0", &[]));
        assert!(!sorted(b"\0m\0z", &[]));
    }

    #[test]
    fn texts_have_lengths_and_padding() {
        let counted = |bytes: &[u8], labels: &[(usize, usize, usize)], order| {
            holds(bytes, labels, &[""], order, &COUNTED)
        };
        let plain = b"\0\0\0\0\0\x01a\0\0\x02bc\0\0";
        let labels = [(0, 4, 8), (2, 8, 13)];
        for order in [PoolOrder::FirstUse, PoolOrder::Bytes] {
            assert!(counted(plain, &labels, order));
            assert!(!counted(b"\0\0\0\0\0\x01a\0\0\x02bc\0\x01", &labels, order));
            assert!(!counted(b"\0\0\0\x07\0\x01a\0\0\x02bc\0\0", &labels, order));
            assert!(!counted(b"\0\0\0\0\0\x02a\0\0\x02bc\0\0", &labels, order));
            assert!(!counted(&plain[..13], &labels, order));
            assert!(!counted(&plain[4..], &[(0, 0, 4), (2, 4, 9)], order));
        }
    }

    #[test]
    fn labels_lead_to_pools_that_are_there() {
        let mut alone = Labels::default();
        alone.add(1, 0, 0, 2, 2);
        assert!(alone.hold(b"a\0").is_err());
        for other in [0, 2] {
            let mut all = Labels::default();
            all.add(other, 0, 0, 2, 2);
            all.add_pool(1, (0, 2), &[], PoolOrder::FirstUse, &ENDED);
            assert!(all.hold(b"a\0").is_err());
        }
    }
}
