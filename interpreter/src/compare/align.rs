//! Which element of one list is which of another.

use std::collections::HashMap;

use super::hash::Quick;

/// In place of a position: none.
pub(crate) const NONE: u32 = u32::MAX;

/// Lists with fewer pairs of elements than this are compared pair by pair.
const PAIRS: usize = 1 << 14;

/// Elements with fewer pairs than this are looked at for the pairs that have most in common.
const CLOSE_PAIRS: usize = 1 << 10;

/// How many steps the search for the fewest insertions and deletions may take.
const STEPS: usize = 1 << 25;

/// What is known of the elements of a list.
#[derive(Debug, Default)]
pub(crate) struct Digests {
    /// Of what an element says, and of what it refers to.
    pub strong: Vec<u64>,
    /// Of what it says without any reference.
    pub weak: Vec<u64>,
}

/// For each element of one list, the one of the other; both lists are told apart by their keys. Of
/// equal keys, the first is the first.
pub(crate) fn by_key(a: &[u64], b: &[u64]) -> Vec<u32> {
    let mut places: HashMap<u64, Vec<u32>, Quick> = HashMap::default();
    for (index, key) in b.iter().enumerate().rev() {
        places.entry(*key).or_default().push(u32::try_from(index).unwrap_or(NONE));
    }
    let mut next = |key| places.get_mut(key).and_then(Vec::pop).unwrap_or(NONE);
    a.iter().map(&mut next).collect()
}

/// What kind of elements are told apart by what they hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Numbers and the like, which have all or nothing in common.
    Plain,
    /// The same, where references lead to them.
    Referred,
    /// Structs: what stands in the place of one is that one with another content.
    Whole,
    /// Structs that have lost their name: only one with much in common is the same.
    Renamed,
}

impl Kind {
    fn is_plain(self) -> bool {
        matches!(self, Kind::Plain | Kind::Referred)
    }
}

/// The same for elements without keys. `similar` says how much an element of one list and one of the
/// other have in common.
pub(crate) fn by_content(
    a: &Digests,
    b: &Digests,
    kind: Kind,
    similar: &mut dyn FnMut(u32, u32) -> u32,
) -> Vec<u32> {
    let plain = kind.is_plain();
    let mut to_b = vec![NONE; a.strong.len()];
    let all = |list: &[u64]| (0..u32::try_from(list.len()).unwrap_or(NONE)).collect::<Vec<_>>();
    let (all_a, all_b) = (all(&a.strong), all(&b.strong));
    common(&all_a, &all_b, &a.strong, &b.strong, &mut to_b);
    let moved = match kind {
        // Numbers that have changed may have come to be those of other places.
        Kind::Plain => moves(a, b, &to_b, true),
        Kind::Referred | Kind::Whole | Kind::Renamed => moves(a, b, &to_b, false),
    };
    let mut is_moved_b = vec![false; b.strong.len()];
    for (_, to) in &moved {
        is_moved_b[*to as usize] = true;
    }
    let is_moved_a: HashMap<u32, u32, Quick> = moved.iter().copied().collect();
    for (gap_a, gap_b) in gaps(&to_b, b.strong.len()) {
        let gap_a: Vec<u32> = gap_a.filter(|at| !is_moved_a.contains_key(at)).collect();
        let gap_b: Vec<u32> = gap_b.filter(|at| !is_moved_b[*at as usize]).collect();
        if gap_a.is_empty() || gap_b.is_empty() {
            continue;
        }
        let mut inner = HashMap::default();
        if !plain {
            let mut found = vec![NONE; gap_a.len()];
            let of = |gap: &[u32], weak: &[u64]| -> Vec<u64> {
                gap.iter().map(|at| weak[*at as usize]).collect()
            };
            let (weak_a, weak_b) = (of(&gap_a, &a.weak), of(&gap_b, &b.weak));
            common(&all(&weak_a), &all(&weak_b), &weak_a, &weak_b, &mut found);
            for (left, right) in gaps(&found, gap_b.len()) {
                let left: Vec<u32> = left.map(|at| gap_a[at as usize]).collect();
                let right: Vec<u32> = right.map(|at| gap_b[at as usize]).collect();
                neighbours(&left, &right, kind, similar, &mut inner);
            }
            for (from, to) in (0..).zip(&found).filter(|(_, to)| **to != NONE) {
                let _: Option<u32> = inner.insert(gap_a[from as usize], gap_b[*to as usize]);
            }
        } else {
            neighbours(&gap_a, &gap_b, kind, similar, &mut inner);
        }
        for (from, to) in inner {
            to_b[from as usize] = to;
        }
    }
    for (from, to) in moved {
        to_b[from as usize] = to;
    }
    to_b
}

/// What lies between matched elements, on both sides. Matched elements are in order.
fn gaps(
    to_b: &[u32],
    count_b: usize,
) -> Vec<(impl Iterator<Item = u32> + use<>, impl Iterator<Item = u32> + use<>)> {
    let count = |n: usize| u32::try_from(n).unwrap_or(NONE);
    let ends = (0..).zip(to_b.iter().copied()).filter(|(_, to)| *to != NONE);
    let (mut from, mut to) = (0, 0);
    let mut found = Vec::new();
    for (end_a, end_b) in ends.chain([(count(to_b.len()), count(count_b))]) {
        if from < end_a && to < end_b {
            found.push((from..end_a, to..end_b));
        }
        (from, to) = (end_a.saturating_add(1), end_b.saturating_add(1));
    }
    found
}

/// Elements that are in one list only as often as in the other, which is once, at another place. `all`:
/// only if none is left in either list then.
fn moves(a: &Digests, b: &Digests, to_b: &[u32], all: bool) -> Vec<(u32, u32)> {
    let mut taken = vec![false; b.strong.len()];
    for to in to_b.iter().filter(|to| **to != NONE) {
        taken[*to as usize] = true;
    }
    let mut once: HashMap<u64, [Option<u32>; 2], Quick> = HashMap::default();
    // Whatever is there twice is no place of anything.
    let put = |place: &mut Option<u32>, at: u32| *place = Some(place.map_or(at, |_| NONE));
    for (at, digest) in (0..).zip(&a.strong).filter(|(at, _)| to_b[*at as usize] == NONE) {
        put(&mut once.entry(*digest).or_default()[0], at);
    }
    for (at, digest) in (0..).zip(&b.strong).filter(|(at, _)| !taken[*at as usize]) {
        put(&mut once.entry(*digest).or_default()[1], at);
    }
    let known = once.len();
    let pairs = once.into_values().filter_map(|[from, to]| from.zip(to));
    let pairs: Vec<_> = pairs.filter(|(from, to)| *from != NONE && *to != NONE).collect();
    if all && pairs.len() < known { Vec::new() } else { pairs }
}

/// Pairs up neighbours that are not equal.
fn neighbours(
    a: &[u32],
    b: &[u32],
    kind: Kind,
    similar: &mut dyn FnMut(u32, u32) -> u32,
    found: &mut HashMap<u32, u32, Quick>,
) {
    let one = a.len() == 1 && b.len() == 1;
    if kind.is_plain() || (kind == Kind::Whole && one) {
        // The rest was inserted or removed at the end of them.
        found.extend(a.iter().copied().zip(b.iter().copied()));
        return;
    }
    if a.len().saturating_mul(b.len()) > CLOSE_PAIRS {
        let pairs = a.iter().copied().zip(b.iter().copied());
        found.extend(pairs.filter(|(from, to)| similar(*from, *to) > 0));
        return;
    }
    // The pairs in order that have most in common.
    let width = b.len() + 1;
    let mut best = vec![0_u32; (a.len() + 1) * width];
    let mut common = vec![0_u32; a.len() * b.len()];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            let same = similar(a[i], b[j]);
            common[i * b.len() + j] = same;
            let both = if same > 0 { best[(i + 1) * width + j + 1] + same } else { 0 };
            best[i * width + j] = both.max(best[(i + 1) * width + j]).max(best[i * width + j + 1]);
        }
    }
    let (mut i, mut j) = (0, 0);
    let (mut from, mut to) = (0, 0);
    // As many elements on both sides as there are between two pairs are pairs as well.
    let between = |from: &[u32], to: &[u32], found: &mut HashMap<u32, u32, Quick>| {
        if from.len() == to.len() && kind == Kind::Whole {
            found.extend(from.iter().copied().zip(to.iter().copied()));
        }
    };
    while i < a.len() && j < b.len() {
        let same = common[i * b.len() + j];
        let here = best[i * width + j];
        if same > 0 && here == best[(i + 1) * width + j + 1] + same {
            between(&a[from..i], &b[to..j], found);
            found.insert(a[i], b[j]);
            (i, j) = (i + 1, j + 1);
            (from, to) = (i, j);
        } else if here == best[(i + 1) * width + j] {
            i += 1;
        } else {
            j += 1;
        }
    }
    between(&a[from..], &b[to..], found);
}

/// Finds elements of equal digests that are in the same order in both lists: all of them where that
/// is quickly found, and otherwise many.
fn common(a: &[u32], b: &[u32], of_a: &[u64], of_b: &[u64], to_b: &mut [u32]) {
    let mut todo = vec![(a, b)];
    while let Some((mut a, mut b)) = todo.pop() {
        while let ([first, rest_a @ ..], [other, rest_b @ ..]) = (a, b)
            && of_a[*first as usize] == of_b[*other as usize]
        {
            to_b[*first as usize] = *other;
            (a, b) = (rest_a, rest_b);
        }
        while let ([rest_a @ .., last], [rest_b @ .., other]) = (a, b)
            && of_a[*last as usize] == of_b[*other as usize]
        {
            to_b[*last as usize] = *other;
            (a, b) = (rest_a, rest_b);
        }
        if a.is_empty() || b.is_empty() {
            continue;
        }
        if a.len().saturating_mul(b.len()) <= PAIRS {
            longest(a, b, of_a, of_b, to_b);
            continue;
        }
        let anchors = anchors(a, b, of_a, of_b);
        if anchors.is_empty() {
            fewest_edits(a, b, of_a, of_b, to_b);
            continue;
        }
        let (mut from, mut to) = (0, 0);
        for (i, j) in anchors {
            to_b[a[i] as usize] = b[j];
            todo.push((&a[from..i], &b[to..j]));
            (from, to) = (i + 1, j + 1);
        }
        todo.push((&a[from..], &b[to..]));
    }
}

/// The longest common subsequence.
fn longest(a: &[u32], b: &[u32], of_a: &[u64], of_b: &[u64], to_b: &mut [u32]) {
    let width = b.len() + 1;
    let mut best = vec![0_u16; (a.len() + 1) * width];
    let equal = |i: usize, j: usize| of_a[a[i] as usize] == of_b[b[j] as usize];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            best[i * width + j] = match equal(i, j) {
                true => best[(i + 1) * width + j + 1] + 1,
                false => best[(i + 1) * width + j].max(best[i * width + j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if equal(i, j) {
            to_b[a[i] as usize] = b[j];
            (i, j) = (i + 1, j + 1);
        } else if best[(i + 1) * width + j] >= best[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
}

/// Elements that are in both lists once, as many as are in the same order.
fn anchors(a: &[u32], b: &[u32], of_a: &[u64], of_b: &[u64]) -> Vec<(usize, usize)> {
    #[derive(Default)]
    struct Seen {
        in_a: u32,
        in_b: u32,
        at: usize,
    }
    let mut seen: HashMap<u64, Seen, Quick> = HashMap::default();
    for at in a {
        seen.entry(of_a[*at as usize]).or_default().in_a += 1;
    }
    for (j, at) in b.iter().enumerate() {
        let seen = seen.entry(of_b[*at as usize]).or_default();
        seen.in_b += 1;
        seen.at = j;
    }
    let pairs: Vec<(usize, usize)> = a
        .iter()
        .enumerate()
        .filter_map(|(i, at)| {
            let seen = &seen[&of_a[*at as usize]];
            (seen.in_a == 1 && seen.in_b == 1).then_some((i, seen.at))
        })
        .collect();
    let places: Vec<usize> = pairs.iter().map(|(_, j)| *j).collect();
    longest_run(&places).into_iter().map(|at| pairs[at]).collect()
}

/// Positions of a longest ascending subsequence of numbers that are all different.
pub(crate) fn longest_run<T: Ord + Copy>(numbers: &[T]) -> Vec<usize> {
    // Of the runs of each length, the end of the one that ends lowest.
    let mut ends: Vec<usize> = Vec::new();
    let mut before = vec![usize::MAX; numbers.len()];
    for (at, number) in numbers.iter().enumerate() {
        let length = ends.partition_point(|end| numbers[*end] < *number);
        if let Some(last) = length.checked_sub(1) {
            before[at] = ends[last];
        }
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut run = Vec::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(at) = next {
        run.push(at);
        next = (before[at] != usize::MAX).then(|| before[at]);
    }
    run.reverse();
    run
}

/// The fewest insertions and deletions that lead from one list to the other, if they are few.
fn fewest_edits(a: &[u32], b: &[u32], of_a: &[u64], of_b: &[u64], to_b: &mut [u32]) {
    let most = (STEPS / (a.len() + b.len())).min(MOST_EDITS);
    let equal = |i: usize, j: usize| of_a[a[i] as usize] == of_b[b[j] as usize];
    let mut rounds: Vec<Round> = Vec::new();
    for edits in 0..=most {
        let mut round = Round { edits, reached: Vec::with_capacity(edits + 1) };
        for number in 0..=edits {
            let start = match rounds.last() {
                None => Some((0, Edit::Inserted)),
                Some(last) => last.enter(number, a.len(), b.len()),
            };
            let Some((mut i, _)) = start else {
                round.reached.push(None);
                continue;
            };
            let mut j = round.other(i, number);
            while i < a.len() && j < b.len() && equal(i, j) {
                (i, j) = (i + 1, j + 1);
            }
            round.reached.push(Some(i));
            if i == a.len() && j == b.len() {
                rounds.push(round);
                retrace(a, b, &rounds, number, to_b);
                return;
            }
        }
        rounds.push(round);
    }
}

/// Most insertions and deletions that are searched for.
const MOST_EDITS: usize = 512;

/// How far one gets with so many edits, by the difference of the positions in both lists: that of
/// entry `n` is `2 * n - edits`.
struct Round {
    edits: usize,
    reached: Vec<Option<usize>>,
}

#[derive(Clone, Copy, PartialEq)]
enum Edit {
    Deleted,
    Inserted,
}

impl Round {
    /// Position in the second list.
    fn other(&self, i: usize, number: usize) -> usize {
        i + self.edits - 2 * number
    }

    /// Where an entry of the next round begins in the first list, and the edit that leads there.
    fn enter(&self, number: usize, len_a: usize, len_b: usize) -> Option<(usize, Edit)> {
        let before = number.checked_sub(1).and_then(|at| self.reached[at]);
        let deleted = before.filter(|i| *i < len_a).map(|i| (i + 1, Edit::Deleted));
        let before = self.reached.get(number).copied().flatten();
        let inserted = before.filter(|i| self.other(*i, number) < len_b);
        let inserted = inserted.map(|i| (i, Edit::Inserted));
        deleted.into_iter().chain(inserted).max_by_key(|(i, _)| *i)
    }
}

/// Goes back the way that was found.
fn retrace(a: &[u32], b: &[u32], rounds: &[Round], mut number: usize, to_b: &mut [u32]) {
    let mut i = a.len();
    for (at, round) in rounds.iter().enumerate().rev() {
        let before = at.checked_sub(1).map(|before| &rounds[before]);
        let entered = before
            .map_or(Some((0, Edit::Inserted)), |before| before.enter(number, a.len(), b.len()));
        let Some((start, edit)) = entered else { return };
        while i > start {
            i -= 1;
            to_b[a[i] as usize] = b[round.other(i, number)];
        }
        if edit == Edit::Deleted {
            (i, number) = (start - 1, number - 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lists of letters; equal letters are equal elements.
    fn aligned(a: &str, b: &str, kind: Kind) -> String {
        let digests = |text: &str| {
            let digests: Vec<u64> = text.chars().map(|c| u64::from(u32::from(c))).collect();
            Digests { strong: digests.clone(), weak: digests }
        };
        let to_b = by_content(&digests(a), &digests(b), kind, &mut |_, _| 0);
        let shown = to_b.iter().map(|to| if *to == NONE { "-".to_owned() } else { to.to_string() });
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn equal_elements_are_found() {
        let rows = [
            ("", "", ""),
            ("abc", "abc", "0 1 2"),
            ("abc", "abxc", "0 1 3"),
            ("abc", "ac", "0 - 1"),
            ("abc", "axc", "0 1 2"),
            ("aabb", "aab", "0 1 2 -"),
            ("abcd", "bcda", "3 0 1 2"),
            ("abcdef", "defabc", "3 4 5 0 1 2"),
            ("ab", "xy", "0 1"),
            ("ab", "xyz", "- -"),
        ];
        for (a, b, expected) in rows {
            assert_eq!(aligned(a, b, Kind::Whole), expected, "{a} {b}");
        }
    }

    #[test]
    fn numbers_have_moved_if_all_that_is_left_has() {
        let rows = [
            ("abcd", "bcda", "3 0 1 2", "3 0 1 2"),
            ("abcd", "acdb", "0 3 1 2", "0 3 1 2"),
            ("abcd", "bcdax", "3 0 1 2", "- 0 1 2"),
            ("abcd", "xbca", "3 1 2 -", "0 1 2 3"),
            // Of what is there twice nobody knows which has gone where.
            ("aabc", "bcaa", "- - 0 1", "- - 0 1"),
        ];
        for (a, b, referred, plain) in rows {
            assert_eq!(aligned(a, b, Kind::Referred), referred, "{a} {b}");
            assert_eq!(aligned(a, b, Kind::Plain), plain, "{a} {b}");
        }
    }

    #[test]
    fn long_lists_without_unique_elements_are_aligned() {
        let mut a: Vec<u64> = (0..4000).map(|n| n * n % 7).collect();
        let digests = |list: &[u64]| Digests { strong: list.to_vec(), weak: list.to_vec() };
        let before = digests(&a);
        a.remove(100);
        a.insert(2000, 3);
        a.insert(2001, 3);
        a.remove(3900);
        let to_b = by_content(&before, &digests(&a), Kind::Plain, &mut |_, _| 0);
        let equal = (0..).zip(&to_b).filter(|(_, to)| **to != NONE);
        let same = equal.filter(|(from, to)| before.strong[*from] == a[**to as usize]).count();
        assert!(same >= 3998, "{same}");
        let places: Vec<u32> = to_b.into_iter().filter(|to| *to != NONE).collect();
        assert!(places.is_sorted());
    }

    #[test]
    fn keys_match_in_any_order() {
        assert_eq!(by_key(&[1, 2, 3, 2], &[2, 3, 2, 4]), [NONE, 0, 1, 2]);
    }
}
