//! The search for what is matched with what.
//!
//! Arrays are matched before those that have references to them, as far as there is such an order, so
//! that a reference tells elements apart by which element it leads to, whatever that one says, and
//! elements that something describes are those of the same in both.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use formwork::engine::Item;

use super::align::{self, Digests, Kind, NONE};
use super::content::Content;
use super::hash::Quick;
use super::matching::{Lists, Matching};
use super::order::Order;
use super::parts::{PartId, Parts, ROOT, What, fields};
use crate::stack::with_stack;

/// Digests are made anew so often for each part, on average: arrays inside arrays make it more often
/// the deeper they lie.
const RENEWALS: usize = 16;

/// Matches the parts of two files.
pub(crate) fn matched(a: &Parts<'_>, b: &Parts<'_>) -> Matching {
    let mut pairing = Pairing {
        a: Content::new(a),
        b: Content::new(b),
        order: Order::of([a, b]),
        waiting: BinaryHeap::new(),
        renewals: (a.all.len() + b.all.len()).saturating_mul(RENEWALS),
        found: Matching::empty(a.all.len(), b.all.len()),
    };
    pairing.pair(ROOT, ROOT);
    while let Some(Reverse((_, of_a, of_b))) = pairing.waiting.pop() {
        pairing.pair_elements(of_a, of_b);
    }
    pairing.found
}

/// Two files whose parts are being matched.
struct Pairing<'p, 't, 'u> {
    a: Content<'p, 't>,
    b: Content<'p, 'u>,
    order: Order,
    /// Arrays of either file that are matched, while their elements are not, by their position in the
    /// order.
    waiting: BinaryHeap<Reverse<(usize, PartId, PartId)>>,
    /// How many digests may still be made anew.
    renewals: usize,
    found: Matching,
}

impl Pairing<'_, '_, '_> {
    fn pair(&mut self, of_a: PartId, of_b: PartId) {
        let (a, b) = (self.a.parts, self.b.parts);
        self.found.pair(of_a, of_b);
        match (a.part(of_a).what, b.part(of_b).what) {
            (What::Case(x), What::Case(y)) if a.case(x) != b.case(y) => {}
            (What::Struct(_), What::Struct(_)) | (What::Case(_), What::Case(_)) => {
                with_stack(|| {
                    for pair in fields(a, of_a, b, of_b) {
                        if let (Some(field), Some(its)) = pair {
                            self.pair(field, its);
                        }
                    }
                })
            }
            (What::List(_) | What::Numbers(_), What::List(_) | What::Numbers(_)) => {
                self.waiting.push(Reverse((self.order.rank(a, of_a), of_a, of_b)));
            }
            _ => {}
        }
    }

    fn pair_elements(&mut self, of_a: PartId, of_b: PartId) {
        let (a, b) = (self.a.parts, self.b.parts);
        if self.renewals > 0 {
            let looked = self.a.renew(of_a) + self.b.renew(of_b);
            self.renewals = self.renewals.saturating_sub(looked);
        }
        let (count_a, count) = (a.length(of_a).unwrap_or(0), b.length(of_b).unwrap_or(0));
        let lists =
            matches!((a.part(of_a).what, b.part(of_b).what), (What::List(_), What::List(_)));
        let (first, others) = (a.inside(of_a).start, b.inside(of_b).start);
        let known = self.described(of_a, of_b);
        if known.is_none() && count_a == count && is_even(&self.a, of_a, &self.b, of_b) {
            for at in (0..count).filter(|_| lists) {
                self.pair(first + at, others + at);
            }
        } else {
            let to_b = known.unwrap_or_else(|| aligned(&self.a, of_a, &self.b, of_b));
            self.doubt(of_a, of_b, &to_b);
            let pairs = || (0..).zip(&to_b).filter(|(_, to)| **to != NONE);
            for (from, to) in pairs().filter(|_| lists) {
                self.pair(first + from, others + to);
            }
            if count_a != count || (0..).zip(&to_b).any(|(from, to)| from != *to) {
                let mut to_a = vec![NONE; count as usize];
                for (from, to) in pairs() {
                    to_a[*to as usize] = from;
                }
                self.found.pair_elements(of_a, Lists { to_b, to_a });
            }
        }
        let is_target = a.is_target(of_a) || b.is_target(of_b);
        if let Some(pairs) = self.found.pairs(a, of_a).filter(|_| is_target) {
            let all = (0..count_a).filter_map(|from| Some((from, pairs.to_b(from)?)));
            self.a.settle(of_a, &mut self.b, of_b, all);
        }
    }

    /// For each element of one array, the one of another that the same describes; nothing if they are
    /// not described by arrays that are one.
    fn described(&self, of_a: PartId, of_b: PartId) -> Option<Vec<u32>> {
        let (own, its) = (self.a.parts.described(of_a)?, self.b.parts.described(of_b)?);
        let pairs = match (own.list, its.list) {
            (Some(list), Some(other)) => {
                let pairs = self.found.pairs(self.a.parts, list);
                Some(pairs.filter(|_| self.found.forward(list) == Some(other))?)
            }
            _ => None,
        };
        let places = || (0..).zip(its.by.iter().copied());
        let mut leading = places().filter(|(_, by)| *by == NONE).map(|(at, _)| at);
        let known: HashMap<u32, u32, Quick> =
            places().filter(|(_, by)| *by != NONE).map(|(at, by)| (by, at)).collect();
        let to = |by: &u32| match *by {
            NONE => leading.next(),
            by => known.get(&pairs?.to_b(by)?).copied(),
        };
        Some(own.by.iter().map(to).map(|to| to.unwrap_or(NONE)).collect())
    }

    /// Remembers the doubtful ones among elements that are matched by their names.
    fn doubt(&mut self, of_a: PartId, of_b: PartId, to_b: &[u32]) {
        let Pairing { a, b, .. } = self;
        let (Some(names), Some(others)) = (a.parts.names(of_a), b.parts.names(of_b)) else {
            return;
        };
        let (first, other) = (a.parts.inside(of_a).start, b.parts.inside(of_b).start);
        let mut new: HashSet<u32, Quick> = (0..b.parts.length(of_b).unwrap_or(0)).collect();
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
            let is_it = a.parts.substance(element, name) == 0
                || !a.only_name(element, b, other + to, name)
                || !rests.contains(&a.rest_digest(element, name));
            if !is_it {
                self.found.doubt(of_a, from);
            }
        }
    }
}

/// Whether it is seen at once that the elements of two arrays of one length have kept their places.
fn is_even(a: &Content<'_, '_>, of_a: PartId, b: &Content<'_, '_>, of_b: PartId) -> bool {
    if a.parts.has_constant_length(of_a) && b.parts.has_constant_length(of_b) {
        return true;
    }
    match (a.parts.part(of_a).what, b.parts.part(of_b).what) {
        (What::List(_), What::List(_)) => a
            .parts
            .inside(of_a)
            .zip(b.parts.inside(of_b))
            .all(|(x, y)| a.digest_of(x) == b.digest_of(y)),
        _ => a.digest_of(of_a) == b.digest_of(of_b),
    }
}

/// For each element of one array, the one of another. Where there always are as many, a position is
/// what an element is known by.
fn aligned(in_a: &Content<'_, '_>, of_a: PartId, in_b: &Content<'_, '_>, of_b: PartId) -> Vec<u32> {
    let (a, b) = (in_a.parts, in_b.parts);
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
        rename(in_a, (of_a, &names), in_b, (of_b, &others), &mut to_b);
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
    let (digests_a, digests_b) = (digests(in_a, of_a), digests(in_b, of_b));
    align::by_content(&digests_a, &digests_b, kind, &mut |from, to| match lists {
        true => in_a.similar(first + from, in_b, others + to),
        false => 0,
    })
}

/// Elements whose names are only in one of the files: those that have most in common but the name are
/// the same.
fn rename(
    a: &Content<'_, '_>,
    (of_a, names): (PartId, &[PartId]),
    b: &Content<'_, '_>,
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
    let digests = |content: &Content<'_, '_>, list: PartId, left: &[u32]| {
        let elements = || left.iter().map(|at| content.parts.inside(list).start + at);
        Digests {
            strong: elements().map(|element| content.digest_of(element)).collect(),
            weak: elements().map(|element| content.parts.weak_digest_of(element)).collect(),
        }
    };
    let (first, other) = (a.parts.inside(of_a).start, b.parts.inside(of_b).start);
    let mut similar = |from: u32, to: u32| {
        let (from, to) = (left_a[from as usize], left_b[to as usize]);
        let (from, name) = (first + from, names[from as usize]);
        let (to, its) = (other + to, others[to as usize]);
        let common = a.similar(from, b, to);
        let most = a.parts.substance(from, name).max(b.parts.substance(to, its));
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

fn digests(content: &Content<'_, '_>, list: PartId) -> Digests {
    let parts = content.parts;
    match parts.part(list).what {
        What::Numbers(array) => {
            let all = 0..parts.tree.count(array);
            Digests {
                strong: all.clone().map(|at| content.number_digest(list, at)).collect(),
                weak: all.map(|at| parts.weak_number_digest(list, at)).collect(),
            }
        }
        _ => Digests {
            strong: parts.inside(list).map(|e| content.digest_of(e)).collect(),
            weak: parts.inside(list).map(|e| parts.weak_digest_of(e)).collect(),
        },
    }
}
