//! Which part of one file is which of another.

use std::collections::{HashMap, HashSet};

use formwork::engine::Item;
use formwork_model::RowId;

use super::align::{self, Digests, Kind, NONE};
use super::hash::Quick;
use super::parts::{PartId, Parts, ROOT, Spot, What};
use crate::stack::with_stack;

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
    to_b: Vec<u32>,
    to_a: Vec<u32>,
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
    pub(crate) fn new(a: &Parts<'_>, b: &Parts<'_>) -> Matching {
        let mut matching = Matching {
            forward: vec![NONE; a.all.len()],
            backward: vec![NONE; b.all.len()],
            lists: HashMap::default(),
            doubtful: HashSet::default(),
        };
        matching.pair(a, ROOT, b, ROOT);
        matching
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

    fn pair(&mut self, a: &Parts<'_>, of_a: PartId, b: &Parts<'_>, of_b: PartId) {
        self.forward[of_a as usize] = of_b;
        self.backward[of_b as usize] = of_a;
        match (a.part(of_a).what, b.part(of_b).what) {
            (What::Case(x), What::Case(y)) if a.case(x) != b.case(y) => {}
            (What::Struct(_), What::Struct(_)) | (What::Case(_), What::Case(_)) => {
                with_stack(|| {
                    for pair in fields(a, of_a, b, of_b) {
                        if let (Some(field), Some(its)) = pair {
                            self.pair(a, field, b, its);
                        }
                    }
                })
            }
            (What::List(_) | What::Numbers(_), What::List(_) | What::Numbers(_)) => {
                with_stack(|| self.pair_lists(a, of_a, b, of_b));
            }
            _ => {}
        }
    }

    fn pair_lists(&mut self, a: &Parts<'_>, of_a: PartId, b: &Parts<'_>, of_b: PartId) {
        let (count_a, count) = (a.length(of_a).unwrap_or(0), b.length(of_b).unwrap_or(0));
        let lists =
            matches!((a.part(of_a).what, b.part(of_b).what), (What::List(_), What::List(_)));
        let (first, others) = (a.inside(of_a).start, b.inside(of_b).start);
        if count_a == count && is_even(a, of_a, b, of_b) {
            for at in (0..count).filter(|_| lists) {
                self.pair(a, first + at, b, others + at);
            }
            return;
        }
        let to_b = aligned(a, of_a, b, of_b);
        self.doubt(a, of_a, b, of_b, &to_b);
        let pairs = || (0..).zip(&to_b).filter(|(_, to)| **to != NONE);
        for (from, to) in pairs().filter(|_| lists) {
            self.pair(a, first + from, b, others + to);
        }
        if count_a == count && (0..).zip(&to_b).all(|(from, to)| from == *to) {
            return;
        }
        let mut to_a = vec![NONE; count as usize];
        for (from, to) in pairs() {
            to_a[*to as usize] = from;
        }
        self.lists.insert(of_a, Lists { to_b, to_a });
    }

    /// Remembers the doubtful ones among elements that are matched by their names.
    fn doubt(&mut self, a: &Parts<'_>, of_a: PartId, b: &Parts<'_>, of_b: PartId, to_b: &[u32]) {
        let (Some(names), Some(others)) = (a.names(of_a), b.names(of_b)) else { return };
        let (first, other) = (a.inside(of_a).start, b.inside(of_b).start);
        let mut new: HashSet<u32, Quick> = (0..b.length(of_b).unwrap_or(0)).collect();
        for to in to_b {
            new.remove(to);
        }
        let rest = |at: &u32| b.rest_digest(other + at, others[*at as usize]);
        let rests: HashSet<u64, Quick> = new.iter().map(rest).collect();
        if rests.is_empty() {
            return;
        }
        for (from, to) in (0..).zip(to_b).filter(|(_, to)| **to != NONE) {
            let (name, element) = (names[from as usize], first + from);
            let is_it = a.substance(element, name) == 0
                || !a.only_name(element, b, other + to, name)
                || !rests.contains(&a.rest_digest(element, name));
            if !is_it {
                self.doubtful.insert((of_a, from));
            }
        }
    }
}

/// Whether it is seen at once that the elements of two arrays of one length have kept their places.
fn is_even(a: &Parts<'_>, of_a: PartId, b: &Parts<'_>, of_b: PartId) -> bool {
    if a.has_constant_length(of_a) && b.has_constant_length(of_b) {
        return true;
    }
    match (a.part(of_a).what, b.part(of_b).what) {
        (What::List(_), What::List(_)) => {
            a.inside(of_a).zip(b.inside(of_b)).all(|(x, y)| a.digest_of(x) == b.digest_of(y))
        }
        _ => a.digest_of(of_a) == b.digest_of(of_b),
    }
}

/// For each element of one array, the one of another. Where there always are as many, a position is
/// what an element is known by.
fn aligned(a: &Parts<'_>, of_a: PartId, b: &Parts<'_>, of_b: PartId) -> Vec<u32> {
    if a.has_constant_length(of_a) && b.has_constant_length(of_b) {
        let count = b.length(of_b).unwrap_or(0);
        let to = |from| if from < count { from } else { NONE };
        return (0..a.length(of_a).unwrap_or(0)).map(to).collect();
    }
    if let (Some(names), Some(others)) = (a.names(of_a), b.names(of_b)) {
        let digests = |parts: &Parts<'_>, names: &[PartId]| -> Vec<u64> {
            names.iter().map(|name| parts.weak_digest_of(*name)).collect()
        };
        let mut to_b = align::by_key(&digests(a, &names), &digests(b, &others));
        for (name, to) in names.iter().zip(&mut to_b).filter(|(_, to)| **to != NONE) {
            let its = b.part(others[*to as usize]).what;
            let equal = match (a.part(*name).what, its) {
                (What::Leaf(key), What::Leaf(its)) => a.same(key, b, its),
                _ => false,
            };
            if !equal {
                *to = NONE;
            }
        }
        rename(a, (of_a, &names), b, (of_b, &others), &mut to_b);
        return to_b;
    }
    let plain = [(a, of_a), (b, of_b)].into_iter().all(|(parts, list)| {
        let is_plain = |what| matches!(what, What::Leaf(item) if !matches!(item, Item::Text(_)));
        match parts.part(list).what {
            What::List(_) => parts.inside(list).all(|e| is_plain(parts.part(e).what)),
            _ => true,
        }
    });
    let (first, others) = (a.inside(of_a).start, b.inside(of_b).start);
    let lists = matches!((a.part(of_a).what, b.part(of_b).what), (What::List(_), What::List(_)));
    let kind = match plain {
        true if a.is_target(of_a) && b.is_target(of_b) => Kind::Referred,
        true => Kind::Plain,
        false => Kind::Whole,
    };
    align::by_content(&digests(a, of_a), &digests(b, of_b), kind, &mut |from, to| match lists {
        true => a.similar(first + from, b, others + to),
        false => 0,
    })
}

/// Elements whose names are only in one of the files: those that have most in common but the name are
/// the same.
fn rename(
    a: &Parts<'_>,
    (of_a, names): (PartId, &[PartId]),
    b: &Parts<'_>,
    (of_b, others): (PartId, &[PartId]),
    to_b: &mut [u32],
) {
    let mut taken = vec![false; others.len()];
    for to in to_b.iter().filter(|to| **to != NONE) {
        taken[*to as usize] = true;
    }
    let left_a: Vec<u32> =
        (0..).zip(&*to_b).filter(|(_, to)| **to == NONE).map(|(at, _)| at).collect();
    let left_b: Vec<u32> =
        (0..).zip(&taken).filter(|(_, taken)| !**taken).map(|(at, _)| at).collect();
    if left_a.is_empty() || left_b.is_empty() {
        return;
    }
    let digests = |parts: &Parts<'_>, list: PartId, left: &[u32]| {
        let elements = || left.iter().map(|at| parts.inside(list).start + at);
        Digests {
            strong: elements().map(|element| parts.digest_of(element)).collect(),
            weak: elements().map(|element| parts.weak_digest_of(element)).collect(),
        }
    };
    let (first, other) = (a.inside(of_a).start, b.inside(of_b).start);
    let mut similar = |from: u32, to: u32| {
        let (from, to) = (left_a[from as usize], left_b[to as usize]);
        let (from, name) = (first + from, names[from as usize]);
        let (to, its) = (other + to, others[to as usize]);
        let common = a.similar(from, b, to);
        let most = a.substance(from, name).max(b.substance(to, its));
        match (common, most) {
            // Of elements that say nothing but their names, one is the other if both are alone.
            (_, 0) => u32::from(left_a.len() == 1 && left_b.len() == 1),
            (common, most) if common * 2 >= most => common,
            _ => 0,
        }
    };
    let (in_a, in_b) = (digests(a, of_a, &left_a), digests(b, of_b, &left_b));
    let found = align::by_content(&in_a, &in_b, Kind::Renamed, &mut similar);
    for (from, to) in left_a.iter().zip(found).filter(|(_, to)| *to != NONE) {
        to_b[*from as usize] = left_b[to as usize];
    }
}

fn digests(parts: &Parts<'_>, list: PartId) -> Digests {
    match parts.part(list).what {
        What::Numbers(array) => {
            let all = 0..parts.tree.count(array);
            let of = |refer| all.clone().map(|at| parts.number_digest(list, at, refer)).collect();
            Digests { strong: of(true), weak: of(false) }
        }
        _ => Digests {
            strong: parts.inside(list).map(|e| parts.digest_of(e)).collect(),
            weak: parts.inside(list).map(|e| parts.weak_digest_of(e)).collect(),
        },
    }
}

/// The fields of two structs, by their names.
pub(crate) fn fields(
    a: &Parts<'_>,
    of_a: PartId,
    b: &Parts<'_>,
    of_b: PartId,
) -> Vec<(Option<PartId>, Option<PartId>)> {
    // Structs of one record have the same rows in the same order, but for those that are not there.
    fn row<'t>(parts: &Parts<'t>, id: PartId) -> Result<&'t str, RowId> {
        parts.row_name(id).ok_or(parts.part(id).loc.row)
    }
    let (inside, mut others) = (a.inside(of_a), b.inside(of_b));
    let mut pairs = Vec::with_capacity(inside.len());
    let mut passed = Vec::new();
    for field in inside {
        let name = row(a, field);
        if let Some(at) = passed.iter().position(|its| row(b, *its) == name) {
            pairs.push((Some(field), Some(passed.remove(at))));
            continue;
        }
        match others.clone().find(|its| row(b, *its) == name) {
            Some(its) => {
                passed.extend(others.start..its);
                others.start = its + 1;
                pairs.push((Some(field), Some(its)));
            }
            None => pairs.push((Some(field), None)),
        }
    }
    let known = pairs.len();
    pairs.extend(passed.into_iter().chain(others).map(|its| (None, Some(its))));
    if pairs.len() > known {
        // What only the other has comes where the schema has it.
        pairs.sort_by_key(|pair| match pair {
            (Some(own), _) => a.part(*own).loc.row,
            (None, Some(its)) => b.part(*its).loc.row,
            (None, None) => RowId(0),
        });
    }
    pairs
}
