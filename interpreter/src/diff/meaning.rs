//! Differences between values.

use std::collections::HashSet;

use super::{Change, ChangeKind, Place};
use crate::compare::{
    Matching, Pairs, PartId, Parts, Quick, ROOT, Spot, What, fields, longest_run,
};
use crate::stack::with_stack;

/// What [`compare`] found.
pub(crate) struct Changes {
    pub list: Vec<Change>,
    /// Parts of the first and of the second file that have changed, with what is in them.
    pub parts: [HashSet<PartId, Quick>; 2],
}

/// Compares all parts that are matched.
pub(crate) fn compare(a: &Parts<'_>, b: &Parts<'_>, matching: &Matching) -> Changes {
    let changes = Changes { list: Vec::new(), parts: Default::default() };
    let mut walk = Walk { a, b, matching, changes };
    walk.pair(ROOT, ROOT);
    walk.changes
}

struct Walk<'w, 't> {
    a: &'w Parts<'t>,
    b: &'w Parts<'t>,
    matching: &'w Matching,
    changes: Changes,
}

impl Walk<'_, '_> {
    fn pair(&mut self, of_a: PartId, of_b: PartId) {
        let (a, b) = (self.a, self.b);
        match (a.part(of_a).what, b.part(of_b).what) {
            (What::Unread, _) | (_, What::Unread) | (What::None, What::None) => {}
            (What::Leaf(_), What::Leaf(_)) => {
                if !self.same(Spot::part(of_a), Spot::part(of_b)) {
                    self.changed(of_a, of_b);
                }
            }
            (What::Case(x), What::Case(y)) if a.case(x) != b.case(y) => self.changed(of_a, of_b),
            (What::Struct(_), What::Struct(_)) | (What::Case(_), What::Case(_)) => {
                with_stack(|| self.structs(of_a, of_b));
            }
            (What::List(_) | What::Numbers(_), What::List(_) | What::Numbers(_)) => {
                with_stack(|| self.lists(of_a, of_b));
            }
            _ => self.changed(of_a, of_b),
        }
    }

    fn same(&self, of_a: Spot, of_b: Spot) -> bool {
        match (self.a.target(of_a.part), self.b.target(of_b.part)) {
            (Some(in_a), Some(in_b)) => {
                self.matching.same_target(self.a, (of_a, in_a), self.b, (of_b, in_b))
            }
            _ => self.a.same(self.a.item(of_a), self.b, self.b.item(of_b)),
        }
    }

    fn structs(&mut self, of_a: PartId, of_b: PartId) {
        let there =
            |parts: &Parts<'_>, id| !matches!(parts.part(id).what, What::None | What::Unread);
        for pair in fields(self.a, of_a, self.b, of_b) {
            match pair {
                (Some(field), Some(its)) => self.pair(field, its),
                // What one file has no field for is not there in it.
                (Some(field), None) if there(self.a, field) => {
                    self.add(ChangeKind::Changed, Some(Spot::part(field)), None);
                }
                (None, Some(field)) if there(self.b, field) => {
                    self.add(ChangeKind::Changed, None, Some(Spot::part(field)));
                }
                _ => {}
            }
        }
    }

    fn lists(&mut self, of_a: PartId, of_b: PartId) {
        let Some(pairs) = self.matching.pairs(self.a, of_a) else { return };
        if let Pairs::Same(count) = pairs {
            (0..count).for_each(|at| self.elements((of_a, at), (of_b, at)));
            return;
        }
        let whole = |what| !matches!(what, What::List(false));
        let (all_a, all_b) = (whole(self.a.part(of_a).what), whole(self.b.part(of_b).what));
        // Elements that are in the same order in both.
        let (froms, places): (Vec<u32>, Vec<u32>) =
            (0..pairs.count_a()).filter_map(|from| Some((from, pairs.to_b(from)?))).unzip();
        let mut in_order = vec![false; pairs.count_b() as usize];
        for at in longest_run(&places) {
            in_order[places[at] as usize] = true;
        }
        // What follows the last pair of a file that was not read to its end is not known.
        let end = |places: &[u32]| places.iter().max().map_or(0, |at| at + 1);
        let (end_a, end_b) = (end(&froms), end(&places));
        let mut removed = 0;
        let mut remove = |walk: &mut Self, until: u32| {
            for from in removed..until {
                let known = all_b || from < end_a;
                if pairs.to_b(from).is_none() && known {
                    let old = Some(walk.a.element(of_a, from));
                    walk.add(ChangeKind::Removed, old, None);
                }
            }
            removed = removed.max(until);
        };
        for to in 0..pairs.count_b() {
            let Some(from) = pairs.to_a(to) else {
                if all_a || to < end_b {
                    let new = Some(self.b.element(of_b, to));
                    self.add(ChangeKind::Added, None, new);
                }
                continue;
            };
            if in_order[to as usize] {
                remove(self, from);
            } else {
                let (old, new) = (self.a.element(of_a, from), self.b.element(of_b, to));
                self.add(ChangeKind::Moved, Some(old), Some(new));
            }
            self.elements((of_a, from), (of_b, to));
        }
        remove(self, pairs.count_a());
    }

    /// Two elements that are matched.
    fn elements(&mut self, (of_a, from): (PartId, u32), (of_b, to): (PartId, u32)) {
        let (old, new) = (self.a.element(of_a, from), self.b.element(of_b, to));
        match (old.number, new.number) {
            (None, None) => self.pair(old.part, new.part),
            _ => {
                if !self.same(old, new) {
                    self.add(ChangeKind::Changed, Some(old), Some(new));
                }
            }
        }
    }

    fn changed(&mut self, of_a: PartId, of_b: PartId) {
        self.add(ChangeKind::Changed, Some(Spot::part(of_a)), Some(Spot::part(of_b)));
    }

    fn add(&mut self, kind: ChangeKind, old: Option<Spot>, new: Option<Spot>) {
        let within = match (new, old) {
            (Some(spot), _) => named_around(self.b, spot.part),
            (None, Some(spot)) => named_around(self.a, spot.part),
            (None, None) => None,
        };
        let place = |parts: &Parts<'_>, spot: Spot| {
            let (path, value) = (parts.path(spot), parts.json(spot));
            Place { path, value }
        };
        let [changed_a, changed_b] = &mut self.changes.parts;
        changed_a.extend(old.map(|spot| spot.part));
        changed_b.extend(new.map(|spot| spot.part));
        let old = old.map(|old| place(self.a, old));
        let new = new.map(|new| place(self.b, new));
        self.changes.list.push(Change { kind, old, new, within });
    }
}

/// What names the innermost element around a part that has a name.
fn named_around(parts: &Parts<'_>, id: PartId) -> Option<String> {
    let mut here = id;
    while here != ROOT {
        if let Some(name) = parts.name_of(here) {
            return Some(parts.json(Spot::part(name)));
        }
        here = parts.part(here).parent;
    }
    None
}
