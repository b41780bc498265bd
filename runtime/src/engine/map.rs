//! A table from numbers to numbers, since `alloc` has none that hashes.

use alloc::vec;
use alloc::vec::Vec;

/// Entries by key. Nothing is ever removed; the last value of a key counts.
#[derive(Debug, Clone, Default)]
pub(crate) struct Map {
    /// Key and value, or a free place. A power of two of them, at most three quarters of them used.
    places: Vec<Option<(u64, u32)>>,
    used: usize,
}

impl Map {
    pub(crate) fn with_room_for(entries: usize) -> Map {
        let mut map = Map::default();
        if entries > 0 {
            map.resize((entries + entries / 2).next_power_of_two().max(8));
        }
        map
    }

    pub(crate) fn get(&self, key: u64) -> Option<u32> {
        if self.places.is_empty() {
            return None;
        }
        let mask = self.places.len() - 1;
        let mut at = mix(key) & mask;
        loop {
            match self.places[at] {
                Some((found, value)) if found == key => return Some(value),
                Some(_) => at = (at + 1) & mask,
                None => return None,
            }
        }
    }

    /// Sets the value of a key.
    pub(crate) fn insert(&mut self, key: u64, value: u32) {
        if (self.used + 1) * 4 > self.places.len() * 3 {
            self.resize((self.places.len() * 2).max(8));
        }
        let mask = self.places.len() - 1;
        let mut at = mix(key) & mask;
        loop {
            match &mut self.places[at] {
                Some((found, old)) if *found == key => {
                    *old = value;
                    return;
                }
                Some(_) => at = (at + 1) & mask,
                place => {
                    *place = Some((key, value));
                    self.used += 1;
                    return;
                }
            }
        }
    }

    fn resize(&mut self, places: usize) {
        let old = core::mem::replace(&mut self.places, vec![None; places]);
        self.used = 0;
        for (key, value) in old.into_iter().flatten() {
            self.insert(key, value);
        }
    }
}

/// A table from runs of bytes, which somebody else holds, to numbers.
#[derive(Debug, Clone, Default)]
pub(crate) struct BytesMap {
    /// By digest: the first of the entries with it.
    heads: Map,
    /// The number of an entry, and the next entry with the same digest.
    entries: Vec<(u32, u32)>,
}

/// Behind the last entry of a digest.
const END: u32 = u32::MAX;

impl BytesMap {
    /// The number that was inserted for equal bytes; `bytes_of` says what an inserted number stands
    /// for.
    pub(crate) fn get<'a>(&self, key: &[u8], bytes_of: impl Fn(u32) -> &'a [u8]) -> Option<u32> {
        self.get_with(key, |number| bytes_of(number) == key)
    }

    /// The number that was inserted for equal bytes; `is` says whether a number stands for the key.
    pub(crate) fn get_with(&self, key: &[u8], is: impl Fn(u32) -> bool) -> Option<u32> {
        let mut at = self.heads.get(digest(key))?;
        while at != END {
            let (number, next) = self.entries[at as usize];
            if is(number) {
                return Some(number);
            }
            at = next;
        }
        None
    }

    /// Adds an entry. To be asked for first: of equal bytes the last one would be found.
    pub(crate) fn insert(&mut self, key: &[u8], number: u32) {
        let digest = digest(key);
        let next = self.heads.get(digest).unwrap_or(END);
        self.heads.insert(digest, u32::try_from(self.entries.len()).unwrap_or(END));
        self.entries.push((number, next));
    }
}

/// Spreads keys such as addresses, which differ in few bits.
#[allow(clippy::cast_possible_truncation, reason = "any of the bits will do")]
fn mix(key: u64) -> usize {
    let spread = (key ^ (key >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (spread ^ (spread >> 29)) as usize
}

/// A digest of bytes. Whoever makes files with many equal ones makes reading them slow, but not
/// slower than the budget allows: each comparison is of bytes that were charged.
fn digest(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ bytes.len() as u64;
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let mut word = [0; 8];
        word.copy_from_slice(chunk);
        hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x0000_0100_0000_01b3);
        hash ^= hash >> 32;
    }
    for byte in chunks.remainder() {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash ^ (hash >> 32)
}

/// Sorts by a number; what has the same one stays in order. In time proportional to the items if they
/// are many, such as all pointers of a file.
pub(crate) fn sort_by_number<T: Copy>(items: &mut Vec<T>, number: impl Fn(&T) -> u32) {
    /// Bits that are sorted by at a time, the lowest first.
    const BITS: u32 = 8;
    if items.len() < 64 {
        items.sort_by_key(number);
        return;
    }
    let all = items.iter().fold(0, |all, item| all | number(item));
    let mut sorted = items.clone();
    for shift in (0..u32::BITS).step_by(BITS as usize).take_while(|shift| all >> *shift != 0) {
        let digit = |item: &T| (number(item) >> shift) as usize & ((1 << BITS) - 1);
        // Where the next item with each digit goes.
        let mut next = [0_usize; 1 << BITS];
        for item in items.iter() {
            next[digit(item)] += 1;
        }
        let mut sum = 0;
        for place in &mut next {
            sum += core::mem::replace(place, sum);
        }
        for item in items.iter() {
            let place = &mut next[digit(item)];
            sorted[*place] = *item;
            *place += 1;
        }
        core::mem::swap(items, &mut sorted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorting() {
        for count in [0_u32, 5, 64, 9000] {
            let number = |n: u32| (n.wrapping_mul(0x9e37_79b9) >> (n % 32)) ^ (n % 3);
            let mut items: Vec<(u32, u32)> = (0..count).map(|n| (number(n), n)).collect();
            items.push((u32::MAX, count));
            let mut expected = items.clone();
            expected.sort();
            sort_by_number(&mut items, |(number, _)| *number);
            assert_eq!(items, expected);
        }
    }

    #[test]
    fn numbers() {
        let mut map = Map::with_room_for(3);
        for key in 0..1000 {
            map.insert(key * 8, u32::try_from(key).unwrap());
        }
        map.insert(16, 7);
        for key in 0..1000 {
            let value = if key == 2 { 7 } else { u32::try_from(key).unwrap() };
            assert_eq!(map.get(key * 8), Some(value));
            assert_eq!(map.get(key * 8 + 1), None);
        }
        assert_eq!(Map::default().get(0), None);
    }

    #[test]
    fn bytes() {
        let texts: Vec<Vec<u8>> = (0..300_u16).map(|n| vec![b'x'; usize::from(n)]).collect();
        let mut map = BytesMap::default();
        for (number, text) in (0..).zip(&texts) {
            assert_eq!(map.get(text, |n| &texts[n as usize]), None);
            map.insert(text, number);
        }
        for (number, text) in (0..).zip(&texts) {
            assert_eq!(map.get(text, |n| &texts[n as usize]), Some(number));
        }
    }
}
