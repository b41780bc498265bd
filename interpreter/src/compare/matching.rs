//! Which part of one file is which of another.

use std::collections::{HashMap, HashSet};

use super::align::NONE;
use super::hash::Quick;
use super::parts::{PartId, Parts, Spot};

/// Which part of one file is which of another. Parts that are matched need not be equal.
pub(crate) struct Matching {
    /// By part of the first file, and by part of the second.
    forward: Vec<u32>,
    backward: Vec<u32>,
    /// By array of the first file, unless each element is the one at the same position.
    lists: HashMap<PartId, Lists, Quick>,
    /// Elements of arrays of the first file whose name has another element in the second, while what
    /// they say has another name there.
    doubtful: HashSet<(PartId, u32), Quick>,
}

/// Which element of one array is which of another, by position in either.
#[derive(Debug)]
pub(crate) struct Lists {
    pub(super) to_b: Vec<u32>,
    pub(super) to_a: Vec<u32>,
}

/// The same for any arrays.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Pairs<'m> {
    /// Both have so many elements, each of which is the one at the same position.
    Same(u32),
    /// Anything else.
    Lists(&'m Lists),
}

impl Pairs<'_> {
    /// Position in the second array.
    pub(crate) fn to_b(self, at: u32) -> Option<u32> {
        match self {
            Pairs::Same(count) => Some(at).filter(|at| *at < count),
            Pairs::Lists(lists) => lists.to_b.get(at as usize).copied().filter(|to| *to != NONE),
        }
    }

    /// Position in the first array.
    pub(crate) fn to_a(self, at: u32) -> Option<u32> {
        match self {
            Pairs::Same(count) => Some(at).filter(|at| *at < count),
            Pairs::Lists(lists) => lists.to_a.get(at as usize).copied().filter(|to| *to != NONE),
        }
    }

    /// Number of elements of the first array.
    pub(crate) fn count_a(self) -> u32 {
        match self {
            Pairs::Same(count) => count,
            Pairs::Lists(lists) => u32::try_from(lists.to_b.len()).unwrap_or(NONE),
        }
    }

    /// Number of elements of the second array.
    pub(crate) fn count_b(self) -> u32 {
        match self {
            Pairs::Same(count) => count,
            Pairs::Lists(lists) => u32::try_from(lists.to_a.len()).unwrap_or(NONE),
        }
    }
}

impl Matching {
    /// Of files with so many parts, none of which is matched yet.
    pub(super) fn empty(parts_a: usize, parts_b: usize) -> Matching {
        Matching {
            forward: vec![NONE; parts_a],
            backward: vec![NONE; parts_b],
            lists: HashMap::default(),
            doubtful: HashSet::default(),
        }
    }

    /// A part of the first file is one of the second.
    pub(super) fn pair(&mut self, of_a: PartId, of_b: PartId) {
        self.forward[of_a as usize] = of_b;
        self.backward[of_b as usize] = of_a;
    }

    /// The elements of an array of the first file are these of the second.
    pub(super) fn pair_elements(&mut self, of_a: PartId, lists: Lists) {
        self.lists.insert(of_a, lists);
    }

    /// The element that is matched with one of an array of the first file may be another one.
    pub(super) fn doubt(&mut self, of_a: PartId, at: u32) {
        self.doubtful.insert((of_a, at));
    }

    /// The part of the second file that a part of the first is.
    pub(crate) fn forward(&self, id: PartId) -> Option<PartId> {
        Some(self.forward[id as usize]).filter(|id| *id != NONE)
    }

    /// The part of the first file that a part of the second is.
    pub(crate) fn backward(&self, id: PartId) -> Option<PartId> {
        Some(self.backward[id as usize]).filter(|id| *id != NONE)
    }

    /// Which element is which, of an array of the first file that is one of the second.
    pub(crate) fn pairs(&self, a: &Parts<'_>, list: PartId) -> Option<Pairs<'_>> {
        self.forward(list)?;
        match self.lists.get(&list) {
            Some(lists) => Some(Pairs::Lists(lists)),
            None => a.length(list).map(Pairs::Same),
        }
    }

    /// Whether the element that an element of the first file is matched with may be another one, since
    /// it has nothing of it but the name.
    pub(crate) fn is_doubtful(&self, list: PartId, at: u32) -> bool {
        self.doubtful.contains(&(list, at))
    }

    /// Whether two references, which are no plain numbers, lead to the same element.
    pub(crate) fn same_target(
        &self,
        a: &Parts<'_>,
        (of_a, in_a): (Spot, PartId),
        b: &Parts<'_>,
        (of_b, in_b): (Spot, PartId),
    ) -> bool {
        let (Some(from), Some(to)) = (a.position(of_a), b.position(of_b)) else {
            return a.same(a.item(of_a), b, b.item(of_b));
        };
        let pairs = self.pairs(a, in_a).filter(|_| self.forward(in_a) == Some(in_b));
        pairs.and_then(|pairs| pairs.to_b(from)) == Some(to)
    }
}
