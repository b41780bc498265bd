//! What of which file becomes a part of the result.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use formwork::spelling::KeptKind;

use super::list::{self, Row};
use super::{BASE, Conflict, ConflictKind, OURS, THEIRS, Three};
use crate::compare::{Matching, PartId, Parts, ROOT, Spot, What, fields};
use crate::stack::with_stack;
use crate::value::{Kept, Value};

/// What becomes of a field or element.
pub(super) enum Plan<'v> {
    /// It is not there.
    Nothing,
    /// What is there in one file.
    Take { side: usize, spot: Spot, value: Option<&'v Value> },
    /// A reference that both have changed; it has to lead to one element.
    Same([Option<Spot>; 3]),
    /// A struct, or a case of a union, whose fields come from several files.
    Struct { case: Option<String>, fields: Vec<(String, Plan<'v>)>, kept: Kepts<'v> },
    /// Elements that come from several files.
    List { lists: [PartId; 3], rows: Vec<Row<'v>> },
    /// A value that is no struct, with how it is spelled.
    Spelled(Box<Plan<'v>>, Kepts<'v>),
}

/// How something is spelled in the three files.
pub(super) type Kepts<'v> = [&'v [Kept]; 3];

/// What is in the same place of the three files.
#[derive(Clone, Copy)]
pub(super) struct Place<'v> {
    pub spots: [Option<Spot>; 3],
    pub values: [Option<&'v Value>; 3],
}

pub(super) fn root<'v>(
    three: &Three<'_, '_>,
    values: &'v [Value],
    conflicts: &mut Vec<Conflict>,
) -> Plan<'v> {
    let spots = [Some(Spot::part(ROOT)); 3];
    let values = [values.first(), values.get(1), values.get(2)];
    Planner { three, conflicts, orders: HashMap::new() }.any(Place { spots, values })
}

pub(super) struct Planner<'w, 't, 'c> {
    pub three: &'w Three<'w, 't>,
    pub conflicts: &'c mut Vec<Conflict>,
    /// By array of the base that describes the elements of others: what it has in the result, or
    /// nothing while that is being looked for.
    pub orders: HashMap<PartId, Option<Rc<Vec<Sources>>>>,
}

/// The positions of an element in the three files.
pub(super) type Sources = [Option<u32>; 3];

impl<'v> Planner<'_, '_, '_> {
    /// What becomes of what is in one place.
    pub(super) fn any(&mut self, place: Place<'v>) -> Plan<'v> {
        if let Some((values, kept)) = unwrapped(place.values) {
            let plan = with_stack(|| self.any(Place { values, ..place }));
            return match plan {
                Plan::Nothing => Plan::Nothing,
                plan => Plan::Spelled(Box::new(plan), kept),
            };
        }
        let parts = self.three.parts;
        let mut what = [What::None; 3];
        for side in [BASE, OURS, THEIRS] {
            if let Some(Spot { part, number: None }) = place.spots[side] {
                what[side] = parts[side].part(part).what;
            }
        }
        let whole = |side: usize| place.spots[side].map_or(ROOT, |spot| spot.part);
        let ids = [whole(BASE), whole(OURS), whole(THEIRS)];
        match what {
            [What::Struct(_), What::Struct(_), What::Struct(_)] => {
                with_stack(|| self.structs(None, ids, place))
            }
            [What::Case(base), What::Case(ours), What::Case(theirs)]
                if parts[BASE].case(base) == parts[OURS].case(ours)
                    && parts[BASE].case(base) == parts[THEIRS].case(theirs) =>
            {
                let case = parts[OURS].case(ours).to_owned();
                with_stack(|| self.structs(Some(case), ids, place))
            }
            [
                What::List(_) | What::Numbers(_),
                What::List(_) | What::Numbers(_),
                What::List(_) | What::Numbers(_),
            ] => with_stack(|| {
                let rows = list::merge(self, ids, place.values);
                Plan::List { lists: ids, rows }
            }),
            _ => self.whole(place, ConflictKind::Changed),
        }
    }

    /// Something that comes from one of the files as a whole.
    pub(super) fn whole(&mut self, place: Place<'v>, kind: ConflictKind) -> Plan<'v> {
        let take = |side: usize| match place.spots[side] {
            Some(spot) => Plan::Take { side, spot, value: place.values[side] },
            None => Plan::Nothing,
        };
        if self.is_unchanged(place, THEIRS) {
            return take(OURS);
        }
        if self.is_unchanged(place, OURS) {
            return take(THEIRS);
        }
        let [_, ours, theirs] = place.spots;
        let is_reference = |side: usize, spot: Option<Spot>| {
            let parts = self.three.parts[side];
            spot.is_some_and(|spot| {
                parts.target(spot.part).is_some() && parts.position(spot).is_some()
            })
        };
        if is_reference(OURS, ours) && is_reference(THEIRS, theirs) {
            return Plan::Same(place.spots);
        }
        if !self.is_same(ours, theirs) {
            self.conflicts.push(self.three.conflict(kind, place.spots));
        }
        take(OURS)
    }

    /// Whether a file says the same in a place as the base.
    pub(super) fn is_unchanged(&self, place: Place<'_>, side: usize) -> bool {
        let (parts, matching) = (self.three.parts, self.three.matching(side));
        let same_target = |in_a: (Spot, PartId), in_b: (Spot, PartId)| {
            matching.same_target(parts[BASE], in_a, parts[side], in_b)
        };
        same(parts[BASE], place.spots[BASE], parts[side], place.spots[side], &same_target)
    }

    /// Whether ours and theirs say the same where they do not say what the base does.
    pub(super) fn is_same(&self, ours: Option<Spot>, theirs: Option<Spot>) -> bool {
        let [_, a, b] = self.three.parts;
        let same_target = |(spot, list): (Spot, PartId), (its, other): (Spot, PartId)| {
            let (Some(from), Some(to)) = (a.position(spot), b.position(its)) else {
                return a.same(a.item(spot), b, b.item(its));
            };
            let [to_ours, to_theirs] = self.three.matchings;
            let base = |matching: &Matching, list, at: u32| {
                let in_base = matching.backward(list)?;
                let at = matching.pairs(self.three.parts[BASE], in_base)?.to_a(at)?;
                Some((in_base, at))
            };
            match (base(to_ours, list, from), base(to_theirs, other, to)) {
                // Both are new: what they say decides, whatever they refer to themselves.
                (None, None) => {
                    let (from, to) = (a.element(list, from), b.element(other, to));
                    same(a, Some(from), b, Some(to), &|_, _| true)
                }
                (from, to) => from == to,
            }
        };
        same(a, ours, b, theirs, &same_target)
    }

    fn structs(&mut self, case: Option<String>, ids: [PartId; 3], place: Place<'v>) -> Plan<'v> {
        let mut merged = Vec::new();
        self.fields(ids, place.values, &mut merged);
        add_spelled(place.values, &mut merged);
        Plan::Struct { case, fields: merged, kept: place.values.map(kept) }
    }

    /// Adds the fields of three structs; those of structs without names are their own.
    fn fields(
        &mut self,
        [base, ours, theirs]: [PartId; 3],
        values: [Option<&'v Value>; 3],
        merged: &mut Vec<(String, Plan<'v>)>,
    ) {
        let parts = self.three.parts;
        let of_base = fields(parts[OURS], ours, parts[BASE], base);
        for (ours, theirs) in fields(parts[OURS], ours, parts[THEIRS], theirs) {
            let base = match (ours, theirs) {
                (Some(ours), _) => {
                    let pair = of_base.iter().find(|(own, _)| *own == Some(ours));
                    pair.and_then(|(_, base)| *base)
                }
                (None, Some(theirs)) => self.three.matching(THEIRS).backward(theirs),
                (None, None) => None,
            };
            let ids = [base, ours, theirs];
            let name = [OURS, THEIRS].into_iter().find_map(|side| {
                let id = ids[side]?;
                Some(parts[side].row_name(id))
            });
            match (name.flatten(), ids) {
                (Some(name), _) => {
                    let spots = ids.map(|id| id.map(Spot::part));
                    let values = values.map(|value| value?.get(name));
                    let plan = self.any(Place { spots, values });
                    merged.push((name.to_owned(), plan));
                }
                (None, [Some(base), Some(ours), Some(theirs)]) => {
                    with_stack(|| self.fields([base, ours, theirs], values, merged));
                }
                // Structs without names are in all layouts, or in none.
                (None, _) => {}
            }
        }
    }
}

/// Adds the fields that carry no data, which are in a value only if something is kept of them.
fn add_spelled<'v>(values: [Option<&'v Value>; 3], merged: &mut Vec<(String, Plan<'v>)>) {
    for side in [OURS, THEIRS] {
        let mut next = 0;
        for (name, _) in values[side].map_or(&[][..], fields_of) {
            let here = merged.get(next).is_some_and(|(known, _)| known == name);
            let known = if here { Some(next) } else { merged.iter().position(|(n, _)| n == name) };
            next = known.unwrap_or(next);
            if known.is_none() {
                let values = values.map(|value| value?.get(name));
                merged.insert(next, (name.clone(), with_stack(|| spelled(values))));
            }
            next += 1;
        }
    }
}

/// What becomes of something that carries no data.
fn spelled<'v>(values: [Option<&'v Value>; 3]) -> Plan<'v> {
    if let Some((values, kept)) = unwrapped(values) {
        return Plan::Spelled(Box::new(with_stack(|| spelled(values))), kept);
    }
    let mut fields = Vec::new();
    add_spelled(values, &mut fields);
    Plan::Struct { case: None, fields, kept: values.map(kept) }
}

/// Without how structs are spelled that stand for their only row, and this, if one of them is.
fn unwrapped<'v>(values: [Option<&'v Value>; 3]) -> Option<([Option<&'v Value>; 3], Kepts<'v>)> {
    if !values.iter().any(|value| matches!(value, Some(Value::Spelled(..)))) {
        return None;
    }
    let kept = values.map(|value| match value {
        Some(Value::Spelled(_, kept)) => kept.as_slice(),
        _ => &[],
    });
    let values = values.map(|value| match value {
        Some(Value::Spelled(inner, _)) => Some(&**inner),
        value => value,
    });
    Some((values, kept))
}

fn kept(value: Option<&Value>) -> &[Kept] {
    match value {
        Some(Value::Struct(value)) => &value.kept,
        Some(Value::Union(union)) => &union.value.kept,
        _ => &[],
    }
}

fn fields_of(value: &Value) -> &[(String, Value)] {
    match value {
        Value::Struct(value) => &value.fields,
        Value::Union(union) => &union.value.fields,
        _ => &[],
    }
}

/// Whether two files say the same in a place. `same_target` compares references.
fn same(
    a: &Parts<'_>,
    of_a: Option<Spot>,
    b: &Parts<'_>,
    of_b: Option<Spot>,
    same_target: &dyn Fn((Spot, PartId), (Spot, PartId)) -> bool,
) -> bool {
    let (Some(spot), Some(its)) = (of_a, of_b) else {
        // What has no field is not there.
        let nothing = |parts: &Parts<'_>, spot: Option<Spot>| {
            spot.is_none_or(|spot| !parts.says_something(spot))
        };
        return nothing(a, of_a) && nothing(b, of_b);
    };
    let (what, other) = (a.what_at(spot), b.what_at(its));
    match (what, other) {
        (What::Leaf(item), What::Leaf(number)) => match (a.target(spot.part), b.target(its.part)) {
            (Some(list), Some(other)) => same_target((spot, list), (its, other)),
            _ => a.same(item, b, number),
        },
        (What::None | What::Unread, What::None | What::Unread) => true,
        (What::Case(x), What::Case(y)) if a.case(x) != b.case(y) => false,
        (What::Struct(_), What::Struct(_)) | (What::Case(_), What::Case(_)) => with_stack(|| {
            fields(a, spot.part, b, its.part).into_iter().all(|(field, other)| {
                same(a, field.map(Spot::part), b, other.map(Spot::part), same_target)
            })
        }),
        (What::List(_) | What::Numbers(_), What::List(_) | What::Numbers(_)) => with_stack(|| {
            let count = a.length(spot.part);
            count == b.length(its.part)
                && (0..count.unwrap_or(0)).all(|at| {
                    let (element, other) = (a.element(spot.part, at), b.element(its.part, at));
                    same(a, Some(element), b, Some(other), same_target)
                })
        }),
        _ => false,
    }
}

/// Which spellings of three files a result has: those that one of them has changed. They say nothing,
/// so of two changes ours is taken.
pub(super) fn spellings(lists: [Vec<Kept>; 3]) -> Vec<Kept> {
    let mut merged = Vec::new();
    if lists.iter().all(Vec::is_empty) {
        return merged;
    }
    let known = lists.each_ref().map(|list| -> HashMap<(&str, KeptKind), &Kept> {
        list.iter().map(|kept| ((kept.row.as_str(), kept.kind), kept)).collect()
    });
    let same = |a: Option<&&Kept>, b: Option<&&Kept>| match (a, b) {
        (Some(a), Some(b)) => {
            a.stored.same_spelling(&b.stored) && a.instead_of.same_spelling(&b.instead_of)
        }
        (None, None) => true,
        _ => false,
    };
    let [_, ours, theirs] = &lists;
    let mut met = HashSet::new();
    for kept in ours.iter().chain(theirs) {
        let key = (kept.row.as_str(), kept.kind);
        if met.insert(key) {
            let [base, own, other] = known.each_ref().map(|known| known.get(&key));
            let taken = if same(base, own) { other } else { own };
            merged.extend(taken.map(|kept| (*kept).clone()));
        }
    }
    merged
}
