//! Where content ends that something else follows: a terminator, or bytes that fill its room.

use alloc::vec::Vec;

use crate::load::Endian;
use crate::model::{LengthRule, Terminated, Terminator, Trim};

/// Where a byte is first. Eight bytes are looked at together, since most texts are longer than that.
#[inline]
pub(crate) fn find_byte(bytes: &[u8], wanted: u8) -> Option<usize> {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    let pattern = ONES.wrapping_mul(wanted.into());
    let (mut rest, mut at) = (bytes, 0);
    while let Some((chunk, behind)) = rest.split_first_chunk::<8>() {
        // Bytes that are the wanted one are zero now, and the lowest of those has its high bit set
        // then; what is above it may be wrong.
        let zero = u64::from_le_bytes(*chunk) ^ pattern;
        let found = zero.wrapping_sub(ONES) & !zero & (ONES << 7);
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize / 8);
        }
        (rest, at) = (behind, at + 8);
    }
    rest.iter().position(|byte| *byte == wanted).map(|index| at + index)
}

/// A terminator.
#[derive(Debug, Clone, Copy)]
pub struct Stop<'a> {
    /// Empty if it is any of several units.
    pub bytes: &'a [u8],
    /// It is one unit from one of these up to the other.
    pub any: &'a [(u32, u32)],
    /// Whether the highest byte of such a unit comes first.
    pub big: bool,
    /// It begins at multiples of this, from the start of the content on.
    pub unit: u32,
    /// What happens to it.
    pub mode: Terminated,
    /// Whether the end of the region around may stand for it.
    pub optional: bool,
}

impl<'a> Stop<'a> {
    /// One in a struct of this byte order, which only units need.
    #[must_use]
    pub fn of(of: &'a Terminator, order: Endian) -> Stop<'a> {
        let Terminator { bytes, any, order: own, unit, mode, optional } = of;
        let big = own.map_or(order, Endian::from) == Endian::Big;
        Stop { bytes, any, big, unit: *unit, mode: *mode, optional: *optional }
    }

    /// Where it begins.
    #[must_use]
    #[inline]
    pub fn find(self, bytes: &[u8]) -> Option<usize> {
        let unit = self.unit();
        if let (Some(byte), 1) = (self.byte(), unit) {
            return find_byte(bytes, byte);
        }
        let mut places = bytes.windows(self.width()).step_by(unit);
        places.position(|place| self.is(place)).map(|index| index * unit)
    }

    /// Whether it is what these bytes begin with.
    #[must_use]
    pub fn begins(self, bytes: &[u8]) -> bool {
        bytes.get(..self.width()).is_some_and(|place| self.is(place))
    }

    /// Whether so many bytes as it has are it.
    fn is(self, place: &[u8]) -> bool {
        if self.any.is_empty() {
            return place == self.bytes;
        }
        let add = |unit: u32, byte: &u8| (unit << 8) | u32::from(*byte);
        let unit = match self.big {
            true => place.iter().fold(0, add),
            false => place.iter().rev().fold(0, add),
        };
        self.any.iter().any(|(least, most)| (*least..=*most).contains(&unit))
    }

    /// How many bytes it has.
    #[must_use]
    #[inline]
    pub fn width(self) -> usize {
        match self.any {
            [] => self.bytes.len().max(1),
            _ => self.unit(),
        }
    }

    fn unit(self) -> usize {
        self.unit.max(1) as usize
    }

    /// How long the content is if the terminator begins here, and how many bytes that is with what is
    /// taken of the terminator.
    #[must_use]
    #[inline]
    pub fn taken(self, at: usize) -> (usize, usize) {
        let behind = at + self.width();
        match self.mode {
            Terminated::Kept => (behind, behind),
            Terminated::Dropped => (at, behind),
            Terminated::Unread => (at, at),
        }
    }

    /// Whether content is all that is found before it, or with it if it is kept. It may begin in the
    /// content and end in itself.
    #[must_use]
    #[inline]
    pub fn ends(self, content: &[u8]) -> bool {
        match self.mode {
            Terminated::Kept => {
                self.find(content).map(|at| at + self.width()) == Some(content.len())
            }
            Terminated::Dropped if self.bytes.len() > 1 => {
                self.find(&[content, self.bytes].concat()) == Some(content.len())
            }
            Terminated::Dropped | Terminated::Unread => self.find(content).is_none(),
        }
    }

    /// Whether content can stand before it; `by_region`: where the end of the region around stands for
    /// it, if it may.
    #[must_use]
    pub fn allows(self, content: &[u8], by_region: bool) -> bool {
        match self.mode {
            Terminated::Kept if self.optional && self.find(content).is_none() => true,
            Terminated::Dropped if self.optional && by_region => self.find(content).is_none(),
            _ => self.ends(content),
        }
    }

    fn byte(self) -> Option<u8> {
        match self.bytes {
            [byte] => Some(*byte),
            _ => None,
        }
    }
}

/// What ends content in a room that may be larger.
#[derive(Debug, Clone, Copy)]
pub struct Cut<'a> {
    /// It ends at the first of these, if there is one.
    pub stop: Option<Stop<'a>>,
    /// Without one, trailing bytes equal to this do not count; it fills the room.
    pub strip: Option<u8>,
}

impl<'a> Cut<'a> {
    /// One in a struct of this byte order.
    #[must_use]
    pub fn of(of: &'a Trim, order: Endian) -> Cut<'a> {
        Cut { stop: of.terminator.as_ref().map(|stop| Stop::of(stop, order)), strip: of.strip }
    }

    /// How long the content in such a room is.
    #[must_use]
    #[inline]
    pub fn length(self, room: &[u8]) -> usize {
        if let Some((stop, at)) = self.stop.and_then(|stop| Some((stop, stop.find(room)?))) {
            return match stop.mode {
                Terminated::Kept => at + stop.width(),
                Terminated::Dropped | Terminated::Unread => at,
            };
        }
        match self.strip {
            Some(strip) => room.iter().rposition(|b| *b != strip).map_or(0, |last| last + 1),
            None => room.len(),
        }
    }

    /// Whether content with this behind it is read as just that content.
    pub(crate) fn ends(self, content: &[u8], tail: Tail<'_>) -> bool {
        let whole: Vec<u8> = content.iter().copied().chain(tail.bytes()).collect();
        self.length(&whole) == content.len()
    }

    /// What stands behind the content unless the file had something else; `None` if content of this
    /// kind cannot stand in a room of this size. Without a size the room is as short as can be.
    #[must_use]
    #[inline]
    pub fn tail(self, content: &[u8], size: Option<usize>) -> Option<Tail<'a>> {
        let left = match size {
            Some(size) => size.checked_sub(content.len())?,
            None => 0,
        };
        let stop = match self.stop {
            Some(stop) if stop.mode != Terminated::Kept => {
                let is_written = match size {
                    // With a size only if something follows.
                    Some(_) => left >= stop.bytes.len(),
                    None => !stop.optional,
                };
                let ends_in_fill = self.strip.is_some() && content.last().copied() == self.strip;
                if !is_written && ends_in_fill && left > 0 {
                    return None;
                }
                if is_written {
                    stop.bytes
                } else {
                    &[]
                }
            }
            _ => &[],
        };
        let fill = self.strip.unwrap_or(0);
        Some(Tail { stop, fill, size: left.max(stop.len()) })
    }

    /// What stands behind content in a room whose size follows from it: that is as small as it can be,
    /// and as a number says it. In one of `4 * n` bytes a text of 5 has room for 8.
    #[must_use]
    #[inline]
    pub fn least_tail(self, content: &[u8], rule: Option<&LengthRule>) -> Option<Tail<'a>> {
        let least = self.tail(content, None)?;
        let Some(rule) = rule else { return Some(least) };
        let tail_in = |size: usize| {
            let whole = usize::try_from(rule.at_least(size as u64)?).ok()?;
            match whole == content.len() + least.size() {
                true => Some(least),
                false => self.tail(content, Some(whole)),
            }
        };
        let found = tail_in(content.len() + least.size());
        let is_end = |tail: &Tail<'a>| self.ends(content, *tail);
        // Content that ends like what fills the rest wants a terminator, which may need more room.
        if self.strip.is_some() && content.last().copied() == self.strip {
            let stop = self.stop.map_or(0, |stop| stop.bytes.len());
            let ended = found.filter(is_end);
            return ended.or_else(|| tail_in(content.len() + stop).filter(is_end)).or(Some(least));
        }
        let found = found.or(Some(least));
        match self.stop {
            // The end of content and a terminator of several bytes may be one together: then it fills
            // its room.
            Some(stop) if stop.bytes.len() > 1 && !found.as_ref().is_some_and(is_end) => {
                let whole = rule.at_least(content.len() as u64);
                let exact = self.tail(content, Some(content.len()));
                exact.filter(|tail| whole == Some(content.len() as u64) && is_end(tail)).or(found)
            }
            _ => found,
        }
    }
}

/// What stands behind content in its room.
#[derive(Debug, Clone, Copy)]
pub struct Tail<'a> {
    /// The terminator, if there is one.
    stop: &'a [u8],
    /// What is behind that.
    fill: u8,
    /// Size in bytes.
    size: usize,
}

impl<'a> Tail<'a> {
    /// Size in bytes.
    pub(crate) fn size(self) -> usize {
        self.size
    }

    /// Whether these bytes are it.
    #[inline]
    pub(crate) fn is(self, bytes: &[u8]) -> bool {
        bytes.len() == self.size
            && bytes
                .strip_prefix(self.stop)
                .is_some_and(|rest| rest.iter().all(|byte| *byte == self.fill))
    }

    /// Its bytes.
    pub(crate) fn bytes(self) -> impl Iterator<Item = u8> + 'a {
        let fill = core::iter::repeat(self.fill).take(self.size - self.stop.len());
        self.stop.iter().copied().chain(fill)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::find_byte;

    #[test]
    fn the_first_byte_is_found_wherever_it_is() {
        // Neighbours differ from it in the lowest and in the highest bit.
        for around in [0, 1, 0x7f, 0x80, 0x81, 0xff] {
            for length in 0..20 {
                assert_eq!(find_byte(&vec![around; length], 0x40), None);
                for at in 0..length {
                    let mut bytes = vec![around; length];
                    bytes[at..].fill(0x40);
                    assert_eq!(find_byte(&bytes, 0x40), Some(at));
                    bytes[at] = 0;
                    assert_eq!(find_byte(&bytes, 0), bytes.iter().position(|b| *b == 0));
                }
            }
        }
    }
}
