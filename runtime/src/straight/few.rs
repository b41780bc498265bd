//! Lists that seldom have more than a few elements.

use alloc::vec::Vec;

/// A list whose first elements are in it, so that a short one needs no memory of its own.
#[derive(Debug, Clone)]
pub(super) struct Few<T, const N: usize> {
    first: [Option<T>; N],
    rest: Vec<T>,
}

impl<T, const N: usize> Default for Few<T, N> {
    fn default() -> Self {
        Few { first: [const { None }; N], rest: Vec::new() }
    }
}

impl<T, const N: usize> Few<T, N> {
    pub(super) fn push(&mut self, element: T) {
        match self.first.iter_mut().find(|place| place.is_none()) {
            Some(place) => *place = Some(element),
            None => self.rest.push(element),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.first.iter().flatten().chain(&self.rest)
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.first.iter_mut().flatten().chain(&mut self.rest)
    }

    /// Forgets elements for which something does not hold; others may take their places.
    pub(super) fn retain(&mut self, holds: impl Fn(&T) -> bool) {
        for place in &mut self.first {
            *place = place.take().filter(&holds);
        }
        self.rest.retain(holds);
    }

    /// Sorts the elements; those of equal keys keep their order.
    pub(super) fn sort_by_key<K: Ord>(&mut self, key: impl Fn(&T) -> K) {
        if self.rest.is_empty() {
            // What is not there comes last.
            self.first.sort_by_key(|place| (place.is_none(), place.as_ref().map(&key)));
            return;
        }
        let first = self.first.iter_mut().filter_map(Option::take);
        self.rest.splice(..0, first);
        self.rest.sort_by_key(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_in_order() {
        for count in 0..5 {
            let mut few = Few::<(u32, u32), 2>::default();
            for at in 0..count {
                few.push((3 - at.min(3) / 2, at));
            }
            let all = |few: &Few<(u32, u32), 2>| few.iter().copied().collect::<Vec<_>>();
            let mut expected = all(&few);
            assert!(expected.iter().map(|(_, at)| *at).eq(0..count));
            few.sort_by_key(|(key, _)| *key);
            expected.sort_by_key(|(key, _)| *key);
            assert_eq!(all(&few), expected);
            few.iter_mut().for_each(|(_, at)| *at += 1);
            assert_eq!(few.iter().map(|(_, at)| *at).sum::<u32>(), (1..=count).sum());
        }
    }
}
