//! Arrays of which two files have changed elements.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::plan::{Place, Plan, Planner, Sources};
use super::{BASE, ConflictKind, OURS, THEIRS};
use crate::compare::{Described, NONE, Pairs, PartId, Quick, Spot};
use crate::stack::with_stack;
use crate::value::Value;

/// An element of the result.
pub(super) struct Row<'v> {
    /// Its positions in the three files.
    pub sources: Sources,
    pub plan: Plan<'v>,
}

/// The elements of the result.
pub(super) fn merge<'v>(
    planner: &mut Planner<'_, '_, '_>,
    lists: [PartId; 3],
    values: [Option<&'v Value>; 3],
) -> Vec<Row<'v>> {
    let three = planner.three;
    if let Some(rows) = described(planner, lists, values) {
        return rows;
    }
    let base = three.parts[BASE];
    let pairs = [OURS, THEIRS].map(|side| three.matching(side).pairs(base, lists[BASE]));
    let [Some(to_ours), Some(to_theirs)] = pairs else { return Vec::new() };
    if let (Pairs::Same(count), Pairs::Same(_)) = (to_ours, to_theirs) {
        let row = |at: u32| {
            let sources = [Some(at); 3];
            Row { sources, plan: planner.any(place(planner, lists, values, sources)) }
        };
        return (0..count).map(row).collect();
    }
    let some = |at: u32| (at != NONE).then_some(at);
    // What is left of the base.
    let mut survivors: HashMap<u32, Row<'v>, Quick> = HashMap::default();
    for at in 0..to_ours.count_a() {
        let sources = [Some(at), to_ours.to_b(at), to_theirs.to_b(at)];
        let place = place(planner, lists, values, sources);
        let plan = match sources {
            [_, Some(_), Some(_)] => planner.any(place),
            [_, None, None] => continue,
            _ => {
                // One of them has removed it.
                removed(planner, place);
                continue;
            }
        };
        survivors.insert(at, Row { sources, plan });
    }
    let [to_ours, to_theirs] = [to_ours, to_theirs].map(|pairs| -> Vec<u32> {
        (0..pairs.count_b()).map(|at| pairs.to_a(at).unwrap_or(NONE)).collect()
    });
    let order = |to_a: &[u32]| -> Vec<u32> {
        to_a.iter().copied().filter(|at| survivors.contains_key(at)).collect()
    };
    let orders = [order(&to_ours), order(&to_theirs)];
    // Who has changed the order says it.
    let leader = match orders.each_ref().map(|order| order.is_sorted()) {
        [true, false] => THEIRS,
        [false, false] if orders[0] != orders[1] => {
            let spots = lists.map(|list| Some(Spot::part(list)));
            planner.conflicts.push(three.conflict(ConflictKind::Order, spots));
            OURS
        }
        _ => OURS,
    };
    let follower = OURS + THEIRS - leader;
    let to_a = |side| if side == OURS { &to_ours } else { &to_theirs };
    // Elements that are new in the file that follows, by the one that they come behind.
    let mut behind: HashMap<Option<u32>, Vec<u32>, Quick> = HashMap::default();
    let mut last = None;
    for (at, base) in (0..).zip(to_a(follower)) {
        match some(*base) {
            None => behind.entry(last).or_default().push(at),
            Some(base) if survivors.contains_key(&base) => last = Some(base),
            Some(_) => {}
        }
    }
    let twice = twice(planner, lists, leader, to_a(leader), &mut behind, &survivors);
    let added = |planner: &mut Planner<'_, '_, '_>, side: usize, at: u32, other: Option<u32>| {
        let mut sources = [None; 3];
        sources[side] = Some(at);
        sources[OURS + THEIRS - side] = other;
        let place = place(planner, lists, values, sources);
        let plan = match other {
            // Both have added one of this name.
            Some(_) => planner.whole(place, ConflictKind::Changed),
            None => match place.spots[side] {
                Some(spot) => Plan::Take { side, spot, value: place.values[side] },
                None => Plan::Nothing,
            },
        };
        Row { sources, plan }
    };
    // Ours comes first where both have added something.
    let mut rows = Vec::new();
    let mut pending = behind.remove(&None).unwrap_or_default();
    for (at, base) in (0..).zip(to_a(leader)) {
        if follower == OURS {
            let all = std::mem::take(&mut pending);
            rows.extend(all.into_iter().map(|at| added(planner, follower, at, None)));
        }
        match some(*base) {
            None => rows.push(added(planner, leader, at, twice.get(&at).copied())),
            Some(base) => {
                let Some(row) = survivors.remove(&base) else { continue };
                let all = std::mem::take(&mut pending);
                rows.extend(all.into_iter().map(|at| added(planner, follower, at, None)));
                rows.push(row);
                pending = behind.remove(&Some(base)).unwrap_or_default();
            }
        }
    }
    rows.extend(pending.into_iter().map(|at| added(planner, follower, at, None)));
    rows
}

/// The elements of arrays that have one for each of another array: those of the result's.
fn described<'v>(
    planner: &mut Planner<'_, '_, '_>,
    lists: [PartId; 3],
    values: [Option<&'v Value>; 3],
) -> Option<Vec<Row<'v>>> {
    let three = planner.three;
    let sides = [BASE, OURS, THEIRS];
    let all = sides.map(|side| three.parts[side].described(lists[side]));
    let [Some(base), Some(ours), Some(theirs)] = all else { return None };
    let all = [base, ours, theirs];
    let by = describing(planner, all)?;
    let order = order(planner, by)?;
    let at: [HashMap<u32, u32, Quick>; 3] = all.map(|described| {
        let by = (0..).zip(&described.by).filter(|(_, by)| **by != NONE);
        by.map(|(at, by)| (*by, at)).collect()
    });
    let own = |by: Sources| sides.map(|side| by[side].and_then(|by| at[side].get(&by).copied()));
    let leading = (0..).zip(&base.by).take_while(|(_, by)| **by == NONE);
    let mut wanted: Vec<Sources> = leading.map(|(at, _)| [Some(at); 3]).collect();
    wanted.extend(order.iter().map(|by| own(*by)));
    let mut rows: Vec<Row<'v>> = Vec::new();
    for sources in wanted {
        let place = place(planner, lists, values, sources);
        let plan = match sources {
            [Some(_), Some(_), Some(_)] => planner.any(place),
            [None, Some(_), Some(_)] => planner.whole(place, ConflictKind::Changed),
            [None, None, None] | [Some(_), None, None] => continue,
            [Some(_), _, _] => match removed(planner, place) {
                true => continue,
                false => Plan::Nothing,
            },
            [None, _, _] => {
                let side = if sources[OURS].is_some() { OURS } else { THEIRS };
                match place.spots[side] {
                    Some(spot) => Plan::Take { side, spot, value: place.values[side] },
                    None => Plan::Nothing,
                }
            }
        };
        rows.push(Row { sources, plan });
    }
    // What has nothing to describe it any more must not have been changed.
    let left: HashSet<u32, Quick> = order.iter().filter_map(|by| by[BASE]).collect();
    let pairs = [OURS, THEIRS].map(|side| three.matching(side).pairs(three.parts[BASE], by[BASE]));
    for (at, by) in (0..).zip(&base.by).filter(|(_, by)| **by != NONE && !left.contains(by)) {
        let [ours, theirs] = pairs.map(|pairs| pairs.and_then(|pairs| pairs.to_b(*by)));
        let [_, ours, theirs] = own([None, ours, theirs]);
        let sources = [Some(at), ours, theirs];
        if ours.is_some() != theirs.is_some() {
            removed(planner, place(planner, lists, values, sources));
        }
    }
    Some(rows)
}

/// The array whose elements describe those of another one, in the three files; nothing if these are
/// not one.
fn describing(planner: &Planner<'_, '_, '_>, all: [&Described; 3]) -> Option<[PartId; 3]> {
    let three = planner.three;
    let base = [BASE, OURS, THEIRS].into_iter().find_map(|side| match side {
        BASE => all[BASE].list,
        side => three.matching(side).backward(all[side].list?),
    })?;
    let forward = |side: usize| three.matching(side).forward(base);
    let by = [base, forward(OURS)?, forward(THEIRS)?];
    all.iter().zip(by).all(|(of, by)| of.list.is_none_or(|list| list == by)).then_some(by)
}

/// What an array that describes the elements of others has in the result; nothing while that is being
/// looked for.
fn order(planner: &mut Planner<'_, '_, '_>, lists: [PartId; 3]) -> Option<Rc<Vec<Sources>>> {
    if let Some(known) = planner.orders.get(&lists[BASE]) {
        return known.clone();
    }
    planner.orders.insert(lists[BASE], None);
    // Its own conflicts are found where it stands.
    let mut conflicts = Vec::new();
    let orders = std::mem::take(&mut planner.orders);
    let mut other = Planner { three: planner.three, conflicts: &mut conflicts, orders };
    let rows = with_stack(|| merge(&mut other, lists, [None; 3]));
    let mut orders = other.orders;
    let order = Some(Rc::new(rows.into_iter().map(|row| row.sources).collect()));
    orders.insert(lists[BASE], order.clone());
    planner.orders = orders;
    order
}

/// Whether an element that only one of the files has left is as it was; a conflict if not.
fn removed(planner: &mut Planner<'_, '_, '_>, place: Place<'_>) -> bool {
    let side = if place.spots[OURS].is_some() { OURS } else { THEIRS };
    let is_unchanged = planner.is_unchanged(place, side);
    if !is_unchanged {
        planner.conflicts.push(planner.three.conflict(ConflictKind::Removed, place.spots));
    }
    is_unchanged
}

fn place<'v>(
    planner: &Planner<'_, '_, '_>,
    lists: [PartId; 3],
    values: [Option<&'v Value>; 3],
    sources: [Option<u32>; 3],
) -> Place<'v> {
    let parts = planner.three.parts;
    let spot = |side: usize| Some(parts[side].element(lists[side], sources[side]?));
    let value = |side: usize| values[side]?.elements()?.get(sources[side]? as usize);
    let sides = [BASE, OURS, THEIRS];
    Place { spots: sides.map(spot), values: sides.map(value) }
}

/// Elements that both files have added: those of one name, and otherwise runs at one place that say
/// the same. What is left of the follower's stays in `behind`.
fn twice(
    planner: &mut Planner<'_, '_, '_>,
    lists: [PartId; 3],
    leader: usize,
    to_a: &[u32],
    behind: &mut HashMap<Option<u32>, Vec<u32>, Quick>,
    survivors: &HashMap<u32, Row<'_>, Quick>,
) -> HashMap<u32, u32, Quick> {
    let follower = OURS + THEIRS - leader;
    let parts = planner.three.parts;
    let mut twice = HashMap::default();
    if behind.is_empty() {
        return twice;
    }
    if let (Some(names), Some(others)) =
        (parts[leader].names(lists[leader]), parts[follower].names(lists[follower]))
    {
        let digest = |side: usize, name: PartId| parts[side].weak_digest_of(name);
        let mut known: HashMap<u64, u32, Quick> = HashMap::default();
        for (at, _) in (0..).zip(to_a).filter(|(_, base)| **base == NONE) {
            known.insert(digest(leader, names[at as usize]), at);
        }
        let mut is_new = |at: &u32| {
            let name = others[*at as usize];
            let Some(own) = known.get(&digest(follower, name)) else { return true };
            let item = |side: usize, name| parts[side].item(Spot::part(name));
            let key = item(leader, names[*own as usize]);
            if !parts[leader].same(key, parts[follower], item(follower, name)) {
                return true;
            }
            twice.insert(*own, *at);
            false
        };
        behind.values_mut().for_each(|all| all.retain(&mut is_new));
        return twice;
    }
    let is_told_apart = parts[OURS].is_target(lists[OURS]);
    let mut own: HashMap<Option<u32>, Vec<u32>, Quick> = HashMap::default();
    let mut last = None;
    for (at, base) in (0..).zip(to_a) {
        match *base {
            NONE => own.entry(last).or_default().push(at),
            base if survivors.contains_key(&base) => last = Some(base),
            _ => {}
        }
    }
    for (place, all) in own {
        let Some(others) = behind.get(&place).filter(|others| !others.is_empty()) else { continue };
        let spot = |side: usize, at: u32| Some(parts[side].element(lists[side], at));
        let equal = all.len() == others.len()
            && all.iter().zip(others).all(|(at, other)| {
                let mut spots = [None; 3];
                spots[leader] = spot(leader, *at);
                spots[follower] = spot(follower, *other);
                planner.is_same(spots[OURS], spots[THEIRS])
            });
        if equal {
            twice.extend(all.into_iter().zip(others.iter().copied()));
            behind.remove(&place);
        } else if !is_told_apart {
            let mut spots = [None; 3];
            spots[leader] = all.first().and_then(|at| spot(leader, *at));
            spots[follower] = others.first().and_then(|at| spot(follower, *at));
            planner.conflicts.push(planner.three.conflict(ConflictKind::Added, spots));
        }
    }
    twice
}
