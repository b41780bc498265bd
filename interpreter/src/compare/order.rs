//! Which arrays are matched before which others.

use std::collections::{HashMap, HashSet};

use formwork_model::{RecordId, RowId};

use super::hash::Quick;
use super::parts::{PartId, Parts, ROOT, What};

/// The row that holds an array.
type Kind = (RecordId, RowId);

/// Positions of arrays in an order in which references lead to arrays that come earlier, and elements
/// are described by such, unless they lead to each other.
#[derive(Default)]
pub(super) struct Order {
    ranks: HashMap<Kind, usize, Quick>,
}

impl Order {
    pub(super) fn of(files: [&Parts<'_>; 2]) -> Order {
        let mut kinds = Vec::new();
        let mut leads: HashMap<Kind, Vec<Kind>, Quick> = HashMap::default();
        let mut known = HashSet::<(Kind, Kind), Quick>::default();
        for parts in files {
            let mut seen = HashSet::<(PartId, Kind), Quick>::default();
            for (id, array) in described(parts).into_iter().chain(references(parts)) {
                let into = kind(parts, array);
                // What is around an array that was met was met as well.
                for list in lists_around(parts, id).take_while(|list| seen.insert((*list, into))) {
                    let from = kind(parts, list);
                    if known.insert((from, into)) {
                        kinds.push(from);
                        let all = lists_around(parts, array).map(|target| kind(parts, target));
                        leads.entry(from).or_default().extend(all.filter(|to| *to != from));
                    }
                }
            }
        }
        let mut order = Order::default();
        for kind in kinds {
            order.place(kind, &leads);
        }
        order
    }

    /// Position of an array; those that hold no references and nothing described come first.
    pub(super) fn rank(&self, parts: &Parts<'_>, list: PartId) -> usize {
        self.ranks.get(&kind(parts, list)).copied().unwrap_or(0)
    }

    /// Gives a position to an array, behind those that it leads to.
    fn place(&mut self, first: Kind, leads: &HashMap<Kind, Vec<Kind>, Quick>) {
        let mut path = vec![(first, 0)];
        let mut entered = HashSet::<Kind, Quick>::default();
        while let Some((kind, next)) = path.last_mut() {
            let targets = leads.get(kind).map_or(&[][..], Vec::as_slice);
            if let Some(target) = targets.get(*next) {
                *next += 1;
                if !self.ranks.contains_key(target) && entered.insert(*target) {
                    path.push((*target, 0));
                }
                continue;
            }
            let rank = self.ranks.len() + 1;
            self.ranks.entry(*kind).or_insert(rank);
            path.pop();
        }
    }
}

/// Arrays whose elements others describe, with the arrays of these.
fn described(parts: &Parts<'_>) -> Vec<(PartId, PartId)> {
    let mut all: Vec<_> = parts.all_described().collect();
    all.sort_unstable();
    all
}

/// References, with the arrays that they lead into.
fn references<'p>(parts: &'p Parts<'_>) -> impl Iterator<Item = (PartId, PartId)> + 'p {
    (0..).zip(&parts.all).filter_map(|(id, _)| Some((id, parts.target(id)?)))
}

/// An array, or what is in one, and what it is in, as far as it is an array.
fn lists_around<'p>(parts: &'p Parts<'_>, id: PartId) -> impl Iterator<Item = PartId> + 'p {
    let outwards = |id: &PartId| (*id != ROOT).then(|| parts.part(*id).parent);
    let is_list = |id: &PartId| matches!(parts.part(*id).what, What::List(_) | What::Numbers(_));
    std::iter::successors(Some(id), outwards).filter(is_list)
}

fn kind(parts: &Parts<'_>, list: PartId) -> Kind {
    let loc = parts.part(list).loc;
    (parts.tree.record_id(loc.node), loc.row)
}
