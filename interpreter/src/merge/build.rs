//! The value of the result. References are put right when it is known where all elements are.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::plan::{Kepts, Plan, spellings};
use super::{BASE, Conflict, ConflictKind, OURS, THEIRS, Three};
use crate::compare::{NONE, PartId, Quick, Spot, What};
use crate::stack::with_stack;
use crate::value::{Kept, StructValue, UnionValue, Value};

pub(super) fn build(three: &Three<'_, '_>, plan: Plan<'_>, conflicts: &mut Vec<Conflict>) -> Value {
    let mut places = Places {
        three,
        places: HashMap::default(),
        keys: HashMap::default(),
        counts: vec![0],
        taken: BTreeMap::new(),
        moved: HashMap::default(),
    };
    places.plan(&plan);
    while let Some((list, taken)) = places.taken.pop_first() {
        places.come_along(list, &taken);
    }
    let Places { places, keys, moved, .. } = places;
    let mut builder = Builder { three, places, keys, moved, conflicts };
    builder.value(plan).unwrap_or(Value::None)
}

/// Where the elements of arrays are in the result that something refers to: by file and array, a
/// number for the array of the result, and by position the position there.
type Placed = HashMap<Array, (u32, Vec<u32>), Quick>;

/// An array of one of the files.
type Array = (usize, PartId);

/// What references to the elements of an array hold that go by a field: by the number of the array and
/// the field, for each position in the result.
type PlacedKeys<'t> = HashMap<(u32, &'t str), Vec<Option<i128>>>;

/// Where the elements come to of arrays that one file has by itself, since what describes them is
/// elsewhere in the result; a conflict if that is not there, or describes more.
type MovedAlong = HashMap<Array, Result<Vec<u32>, ConflictKind>, Quick>;

struct Places<'w, 't> {
    three: &'w Three<'w, 't>,
    places: Placed,
    keys: PlacedKeys<'t>,
    /// Lengths of the arrays of the result, by their numbers, which begin at 1.
    counts: Vec<u32>,
    /// Arrays that one file has by itself and whose elements something describes: the number that the
    /// array has if something refers to it, and the arrays of all files whose elements come to be in
    /// it.
    taken: BTreeMap<Array, (Option<u32>, Vec<Array>)>,
    moved: MovedAlong,
}

impl Places<'_, '_> {
    fn plan(&mut self, plan: &Plan<'_>) {
        match plan {
            Plan::Nothing | Plan::Same(_) => {}
            Plan::Take { side, spot, .. } if spot.number.is_none() => self.take(*side, spot.part),
            Plan::Take { .. } => {}
            Plan::Struct { fields, .. } => {
                with_stack(|| fields.iter().for_each(|(_, field)| self.plan(field)));
            }
            Plan::Spelled(inner, _) => with_stack(|| self.plan(inner)),
            Plan::List { lists, rows } => {
                self.counts.push(u32::try_from(rows.len()).unwrap_or(NONE));
                for (side, list) in lists.iter().enumerate() {
                    let found =
                        (0..).zip(rows).filter_map(|(at, row)| Some((row.sources[side]?, at)));
                    self.place(side, *list, found.collect());
                }
                if self.three.parts[OURS].is_target(lists[OURS]) {
                    let three = self.three;
                    self.name(&|field| {
                        rows.iter().map(|row| key(three, &row.plan, field)).collect()
                    });
                }
                with_stack(|| rows.iter().for_each(|row| self.plan(&row.plan)));
            }
        }
    }

    fn place(&mut self, side: usize, list: PartId, found: Vec<(u32, u32)>) {
        if !self.three.parts[side].is_target(list) {
            return;
        }
        let count = self.three.parts[side].length(list).unwrap_or(0);
        let number = self.number();
        let (_, places) =
            self.places.entry((side, list)).or_insert_with(|| (number, vec![NONE; count as usize]));
        for (from, to) in found {
            places[from as usize] = to;
        }
    }

    /// Number of the last array.
    fn number(&self) -> u32 {
        u32::try_from(self.counts.len() - 1).unwrap_or(NONE)
    }

    /// What the elements of the last array have in the fields that references go by.
    fn name(&mut self, keys: &dyn Fn(&str) -> Vec<Option<i128>>) {
        let number = self.number();
        for field in self.three.parts.iter().flat_map(|parts| parts.key_fields()) {
            self.keys.entry((number, field)).or_insert_with(|| keys(field));
        }
    }

    /// All arrays in what is taken from one file as it is.
    fn take(&mut self, side: usize, part: PartId) {
        let parts = self.three.parts[side];
        let mut of = vec![(side, part)];
        if let Some(count) = parts.length(part).filter(|_| parts.is_target(part)) {
            self.counts.push(count);
            self.place(side, part, (0..count).map(|at| (at, at)).collect());
            self.name(&|field| {
                parts.inside(part).map(|element| parts.content(element, field)).collect()
            });
            // What others call these elements.
            let in_base = self.three.parts[BASE];
            let (base, from_base): (_, Vec<(u32, u32)>) = match side {
                BASE => (Some(part), (0..count).map(|at| (at, at)).collect()),
                side => {
                    let matching = self.three.matching(side);
                    let base = matching.backward(part);
                    let pairs = base.and_then(|base| matching.pairs(in_base, base));
                    let to = |at| Some((pairs?.to_a(at)?, at));
                    (base, (0..count).filter_map(to).collect())
                }
            };
            if let Some(base) = base {
                if side != BASE {
                    of.push((BASE, base));
                    self.place(BASE, base, from_base.clone());
                }
                for other in [OURS, THEIRS].into_iter().filter(|other| *other != side) {
                    let matching = self.three.matching(other);
                    let (Some(pairs), Some(list)) =
                        (matching.pairs(in_base, base), matching.forward(base))
                    else {
                        continue;
                    };
                    let found =
                        from_base.iter().filter_map(|(at, to)| Some((pairs.to_b(*at)?, *to)));
                    of.push((other, list));
                    self.place(other, list, found.collect());
                }
            }
        }
        if parts.described(part).is_some() {
            let number = parts.is_target(part).then(|| self.number());
            self.taken.insert((side, part), (number, of));
        }
        if !matches!(parts.part(part).what, What::Leaf(_) | What::Numbers(_)) {
            with_stack(|| parts.inside(part).for_each(|inner| self.take(side, inner)));
        }
    }
}

impl Places<'_, '_> {
    /// Takes the elements of an array along to where what describes them is.
    fn come_along(&mut self, (side, list): Array, (number, of): &(Option<u32>, Vec<Array>)) {
        let parts = self.three.parts[side];
        let Some(described) = parts.described(list) else { return };
        let Some(by) = described.list else { return };
        if let Some(taken) = self.taken.remove(&(side, by)) {
            with_stack(|| self.come_along((side, by), &taken));
        }
        let Some((describing, to)) = self.places.get(&(side, by)) else { return };
        let place = |by: &u32| match *by {
            NONE => 0,
            by => to.get(by as usize).map_or(NONE, |to| to.saturating_add(1)),
        };
        let mut order: Vec<(u32, usize)> = described.by.iter().map(place).zip(0..).collect();
        let there = described.by.iter().filter(|by| **by != NONE).count();
        let there = u32::try_from(there).unwrap_or(NONE);
        let is_all = parts.length(by) == Some(there);
        let places = if order.iter().any(|(to, _)| *to == NONE) {
            Err(ConflictKind::Reference)
        } else if is_all && self.counts.get(*describing as usize) > Some(&there) {
            Err(ConflictKind::Described)
        } else {
            order.sort_unstable();
            let mut places = vec![0; order.len()];
            for (to, (_, from)) in (0..).zip(order) {
                places[from] = to;
            }
            Ok(places)
        };
        if let (Ok(places), Some(number)) = (&places, number) {
            let new = |at: u32| places.get(at as usize).copied().unwrap_or(NONE);
            for list in of {
                let placed = self.places.get_mut(list).filter(|(known, _)| known == number);
                placed.into_iter().flat_map(|(_, all)| all).for_each(|at| *at = new(*at));
            }
            let fields = self.three.parts.iter().flat_map(|parts| parts.key_fields());
            for field in fields.collect::<BTreeSet<_>>() {
                let Some(keys) = self.keys.get_mut(&(*number, field)) else { continue };
                let mut all: Vec<_> = (0..).map(new).zip(keys.drain(..)).collect();
                all.sort_by_key(|(to, _)| *to);
                keys.extend(all.into_iter().map(|(_, key)| key));
            }
        }
        self.moved.insert((side, list), places);
    }
}

/// The number that an element of the result has in a field.
fn key(three: &Three<'_, '_>, plan: &Plan<'_>, field: &str) -> Option<i128> {
    match plan {
        Plan::Take { side, spot, .. } => three.parts[*side].content(spot.part, field),
        Plan::Spelled(inner, _) => with_stack(|| key(three, inner, field)),
        Plan::Struct { fields, .. } => {
            let mut own = fields.iter().find_map(|(name, own)| (name == field).then_some(own))?;
            while let Plan::Spelled(inner, _) = own {
                own = inner;
            }
            let Plan::Take { side, spot, .. } = own else { return None };
            let parts = three.parts[*side];
            parts.tree.int(parts.item(*spot))
        }
        _ => None,
    }
}

struct Builder<'w, 't, 'c> {
    three: &'w Three<'w, 't>,
    places: Placed,
    keys: PlacedKeys<'t>,
    moved: MovedAlong,
    conflicts: &'c mut Vec<Conflict>,
}

impl Builder<'_, '_, '_> {
    fn value(&mut self, plan: Plan<'_>) -> Option<Value> {
        Some(match plan {
            Plan::Nothing => return None,
            Plan::Take { side, spot, value } => {
                let parts = self.three.parts[side];
                let mut value = match (value, spot.number) {
                    (Some(value), _) => value.clone(),
                    (None, None) => parts.value(spot.part),
                    (None, Some(_)) => parts.item_value(parts.item(spot)),
                };
                self.refer(side, spot, &mut value);
                value
            }
            Plan::Same(spots) => {
                let at = |side: usize| self.position(side, spots[side]?);
                let by = spots[OURS].and_then(|spot| self.three.parts[OURS].keyed(spot.part));
                match (at(OURS), at(THEIRS)) {
                    (Some(own), Some(other)) if own == other => {
                        self.reference(own, by).map_or(Value::None, Value::Int)
                    }
                    _ => {
                        let conflict = self.three.conflict(ConflictKind::Changed, spots);
                        self.conflicts.push(conflict);
                        Value::None
                    }
                }
            }
            Plan::Struct { case, fields, kept } => with_stack(|| {
                let mut moved = Moved::new();
                let mut value = StructValue::default();
                for (name, plan) in fields {
                    if let Plan::List { rows, .. } = &plan
                        && kept.iter().any(|kept| !kept.is_empty())
                    {
                        moved.insert(
                            name.clone(),
                            [0, 1, 2].map(|side| {
                                let places = (0..).zip(rows);
                                places
                                    .filter_map(|(at, row)| Some((row.sources[side]?, at)))
                                    .collect()
                            }),
                        );
                    }
                    if let Some(field) = self.value(plan) {
                        value.fields.push((name, field));
                    }
                }
                value.kept = spellings(placed(kept, &moved));
                match case {
                    Some(case) => Value::Union(Box::new(UnionValue { case, value })),
                    None => Value::Struct(value),
                }
            }),
            Plan::Spelled(inner, kept) => {
                let value = with_stack(|| self.value(*inner))?;
                value.spelled(spellings(kept.map(<[Kept]>::to_vec)))
            }
            Plan::List { rows, .. } => with_stack(|| {
                let rows = rows.into_iter();
                Value::Array(rows.map(|row| self.value(row.plan).unwrap_or(Value::None)).collect())
            }),
        })
    }

    /// The array and position in the result that a reference of a file leads to.
    fn position(&self, side: usize, spot: Spot) -> Option<(u32, u32)> {
        let parts = self.three.parts[side];
        let (list, places) = self.places.get(&(side, parts.target(spot.part)?))?;
        let mut all = parts.positions(spot);
        let at = all.find_map(|at| places.get(at as usize).copied().filter(|at| *at != NONE));
        at.map(|at| (*list, at))
    }

    /// Whether a file refers by name, where the other one does not, to what may be another element in
    /// that.
    fn is_doubtful(&self, side: usize, spot: Spot) -> bool {
        let (parts, other) = (self.three.parts[side], OURS + THEIRS - side.max(OURS));
        let in_base = || {
            let list = parts.target(spot.part)?;
            let (at, matching) = (parts.position(spot)?, self.three.matching(side));
            let base = matching.backward(list)?;
            Some((base, matching.pairs(self.three.parts[BASE], base)?.to_a(at)?))
        };
        if side == BASE || parts.keyed(spot.part).is_none() {
            return false;
        }
        let Some((list, at)) = in_base() else { return false };
        self.three.matching(other).is_doubtful(list, at)
            && self.three.spots(side, spot)[other].is_none_or(|its| {
                let others = self.three.parts[other];
                !parts.same(parts.item(spot), others, others.item(its))
            })
    }

    /// What a reference to an element of the result holds: its position, or what it has in a field.
    fn reference(&self, (list, at): (u32, u32), by: Option<&str>) -> Option<i128> {
        match by {
            None => Some(at.into()),
            Some(field) => *self.keys.get(&(list, field))?.get(at as usize)?,
        }
    }

    /// Where the elements come to of an array that one file has by itself, if something describes
    /// them.
    fn described(&mut self, side: usize, list: PartId) -> Option<Vec<u32>> {
        match self.moved.remove(&(side, list))? {
            Ok(places) => Some(places),
            Err(kind) => {
                let spots = self.three.spots(side, Spot::part(list));
                self.conflicts.push(self.three.conflict(kind, spots));
                None
            }
        }
    }

    /// Puts the references right in what one file has, and elements to where what describes them is.
    /// Says where these have come to, if it is an array of such.
    fn refer(&mut self, side: usize, spot: Spot, value: &mut Value) -> Option<Vec<u32>> {
        let parts = self.three.parts[side];
        if let Value::Spelled(inner, _) = value {
            return self.refer(side, spot, inner);
        }
        match parts.what_at(spot) {
            What::Leaf(_) if parts.target(spot.part).is_some() => {
                parts.position(spot)?;
                if self.is_doubtful(side, spot) {
                    let spots = self.three.spots(side, spot);
                    self.conflicts.push(self.three.conflict(ConflictKind::Renamed, spots));
                }
                match self.position(side, spot) {
                    Some(at) => {
                        if let Some(number) = self.reference(at, parts.keyed(spot.part)) {
                            *value = Value::Int(number);
                        }
                    }
                    None => {
                        let spots = self.three.spots(side, spot);
                        let conflict = self.three.conflict(ConflictKind::Reference, spots);
                        self.conflicts.push(conflict);
                    }
                }
                None
            }
            What::List(_) | What::Numbers(_) => with_stack(|| {
                let all = value.elements_mut().into_iter().flatten();
                let is_plain = matches!(parts.what_at(spot), What::Numbers(_))
                    && parts.target(spot.part).is_none();
                for (at, value) in (0..).zip(all).filter(|_| !is_plain) {
                    self.refer(side, parts.element(spot.part, at), value);
                }
                let places = self.described(side, spot.part)?;
                let elements = value.elements_mut()?;
                let mut all: Vec<_> = places.iter().zip(elements.drain(..)).collect();
                all.sort_by_key(|(to, _)| **to);
                elements.extend(all.into_iter().map(|(_, element)| element));
                Some(places)
            }),
            What::Struct(_) | What::Case(_) => with_stack(|| {
                let mut moved = Moved::new();
                for field in parts.inside(spot.part) {
                    let Some(name) = parts.row_name(field) else {
                        self.refer(side, Spot::part(field), value);
                        continue;
                    };
                    let Some(inner) = value.get_mut(name) else { continue };
                    if let Some(places) = self.refer(side, Spot::part(field), inner) {
                        let places = (0..).zip(places).collect();
                        moved.insert(name.to_owned(), [places, HashMap::new(), HashMap::new()]);
                    }
                }
                let kept = match value {
                    Value::Struct(value) => &mut value.kept,
                    Value::Union(union) => &mut union.value.kept,
                    _ => return None,
                };
                if !moved.is_empty() {
                    [*kept, _, _] = placed([kept, &[], &[]], &moved);
                }
                None
            }),
            What::Leaf(_) | What::None | What::Unread => None,
        }
    }
}

/// By the name of an array, and by file: positions in the result by positions in the file.
type Moved = HashMap<String, [HashMap<u32, u32>; 3]>;

/// Spellings of elements, with the positions that these have in the result.
fn placed(kept: Kepts<'_>, moved: &Moved) -> [Vec<Kept>; 3] {
    [0, 1, 2].map(|side| {
        let rows = kept[side].iter().filter_map(|kept: &Kept| {
            let Some((row, index)) = kept.row.split_once('[') else { return Some(kept.clone()) };
            let name = row.rsplit_once('.').map_or(row, |(_, name)| name);
            let Some(places) = moved.get(name) else { return Some(kept.clone()) };
            let index: u32 = index.strip_suffix(']')?.parse().ok()?;
            let at = places[side].get(&index)?;
            Some(Kept { row: format!("{row}[{at}]"), ..kept.clone() })
        });
        rows.collect()
    })
}
