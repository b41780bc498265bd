//! What a file spells in an unusual way.
//!
//! Places of objects are stored by themselves: a file may have all of its objects in an order of its
//! own, and everything else is rare.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::item::{Loc, NodeRef, UNPLACED};
use crate::model::RowId;
use crate::spelling::{KeptKind, KeptValue};

/// So many are looked through one by one.
const FEW: usize = 12;

/// A spelling that is not canonical.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    pub row: RowId,
    pub index: Option<u32>,
    pub kind: KeptKind,
    pub stored: KeptValue,
    pub instead_of: KeptValue,
}

/// All that is kept of a file.
#[derive(Debug, Default)]
pub(crate) struct AllKept {
    nodes: BTreeMap<NodeRef, KeptRows>,
    places: Vec<KeptPlace>,
    /// Whether the places are not sorted.
    mixed: bool,
}

/// Where an object is that does not follow the one before it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeptPlace {
    loc: Loc,
    at: u32,
    /// [`UNPLACED`] of an object that lies in no other one.
    inside: u32,
}

/// What is kept of a node besides places, in the order in which it was met.
#[derive(Debug, Default)]
pub(crate) struct KeptRows {
    all: Vec<Kept>,
    /// Positions in `all` by row, element and kind, where there are many.
    // There is a list for each node, so that it matters how large it is.
    #[allow(clippy::box_collection)]
    places: Option<Box<BTreeMap<Key, u32>>>,
}

type Key = (RowId, u32, KeptKind);

/// A row has less elements than this.
const NO_INDEX: u32 = u32::MAX;

fn key(row: RowId, index: Option<u32>, kind: KeptKind) -> Key {
    (row, index.unwrap_or(NO_INDEX), kind)
}

impl AllKept {
    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.places.is_empty()
    }

    pub(crate) fn keep(&mut self, node: NodeRef, kept: Kept) {
        match KeptPlace::of(node, &kept) {
            Some(place) => self.keep_place(place),
            None => self.nodes.entry(node).or_default().push(kept),
        }
    }

    fn keep_place(&mut self, place: KeptPlace) {
        self.mixed |= self.places.last().is_some_and(|last| last.loc > place.loc);
        self.places.push(place);
    }

    /// Must be called when all places are known, before one is asked for.
    pub(crate) fn sort_places(&mut self) {
        if core::mem::take(&mut self.mixed) {
            self.places.sort_by_key(|place| place.loc);
        }
    }

    /// Where an object is that does not follow the one before it.
    pub(crate) fn place_of(&self, loc: Loc) -> Option<&KeptPlace> {
        let first = self.places.partition_point(|place| place.loc < loc);
        self.places.get(first).filter(|place| place.loc == loc)
    }

    fn places_of(&self, node: NodeRef) -> &[KeptPlace] {
        let first = self.places.partition_point(|place| place.loc.node < node);
        let rest = &self.places[first..];
        let len = rest.iter().take_while(|place| place.loc.node == node).count();
        &rest[..len]
    }

    /// Whether anything is kept of a node.
    pub(crate) fn tells_of(&self, node: NodeRef) -> bool {
        !self.is_empty() && (self.of(node).is_some() || !self.places_of(node).is_empty())
    }

    /// What is kept of a node, besides places.
    pub(crate) fn of(&self, node: NodeRef) -> Option<&KeptRows> {
        self.nodes.get(&node)
    }

    /// Nodes of which something is kept besides places.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = (&NodeRef, &KeptRows)> {
        self.nodes.iter()
    }

    /// All places that are kept.
    pub(crate) fn places(&self) -> impl Iterator<Item = (Loc, KeptKind, KeptValue)> + '_ {
        self.places.iter().map(|place| (place.loc, place.kind(), place.kept().stored))
    }

    /// Objects that lie in others.
    pub(crate) fn shared(&self) -> impl Iterator<Item = Loc> + '_ {
        let places = self.places.iter();
        places.filter(|place| place.inside != UNPLACED).map(|place| place.loc)
    }

    pub(crate) fn has(&self, node: NodeRef) -> bool {
        self.nodes.contains_key(&node) || !self.places_of(node).is_empty()
    }

    /// Whether there is something about a row or its elements.
    pub(crate) fn is_about(&self, loc: Loc) -> bool {
        self.of(loc.node).is_some_and(|kept| kept.is_about(loc.row))
            || self.places_of(loc.node).iter().any(|place| place.loc.row == loc.row)
    }

    /// All that is kept of a node: what is about values, then how it is arranged.
    pub(crate) fn all_of(&self, node: NodeRef) -> Vec<Kept> {
        let mut all: Vec<Kept> = self.of(node).into_iter().flatten().cloned().collect();
        let places = self.places_of(node);
        if !places.is_empty() {
            all.extend(places.iter().map(|place| place.kept()));
            all.sort_by_key(|kept| match kept.kind {
                KeptKind::Place | KeptKind::Shared => Some(key(kept.row, kept.index, kept.kind)),
                // The gap before an object comes behind its place.
                KeptKind::Gap => Some(key(kept.row, kept.index, KeptKind::Inside)),
                _ => None,
            });
        }
        all
    }

    /// Takes over what is kept of a node of another file.
    pub(crate) fn take_over(&mut self, other: &AllKept, from: NodeRef, to: NodeRef) {
        other.of(from).into_iter().flatten().for_each(|kept| self.keep(to, kept.clone()));
        for place in other.places_of(from) {
            let row = Loc::row(to, place.loc.row);
            self.keep_place(KeptPlace { loc: row.indexed(place.loc.index()), ..*place });
        }
    }

    /// The elements of a compact array of which something is kept.
    pub(crate) fn elements_of(&self, array: u32) -> Vec<NodeRef> {
        let first = NodeRef { id: array, element: 0, part: 0 };
        let last = NodeRef { id: array, element: u32::MAX - 1, part: u16::MAX };
        let mut nodes: Vec<NodeRef> =
            self.nodes.range(first..=last).map(|(node, _)| *node).collect();
        let from = self.places.partition_point(|place| place.loc.node < first);
        let places = self.places[from..].iter().map(|place| place.loc.node);
        nodes.extend(places.take_while(|node| *node <= last));
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    pub(crate) fn forget(&mut self, kind: KeptKind) {
        self.nodes.values_mut().for_each(|all| all.forget(kind));
        self.places.retain(|place| place.kind() != kind);
    }
}

impl KeptPlace {
    /// Its address, unless it lies in another object.
    pub(crate) fn own(self) -> Option<u64> {
        (self.inside == UNPLACED).then_some(self.at.into())
    }

    /// Where the object begins that it lies in, and how far behind that it does.
    pub(crate) fn shared(self) -> Option<(u64, u64)> {
        (self.inside != UNPLACED).then_some((self.at.into(), self.inside.into()))
    }

    fn of(node: NodeRef, kept: &Kept) -> Option<KeptPlace> {
        let number = |value: &KeptValue| match value {
            KeptValue::Int(n) => u32::try_from(*n).ok().filter(|n| *n != UNPLACED),
            _ => None,
        };
        let (at, inside) = match (kept.kind, &kept.stored) {
            (KeptKind::Place, stored) => (number(stored)?, UNPLACED),
            (KeptKind::Shared, KeptValue::List(numbers)) => match &numbers[..] {
                [host, inside] => (number(host)?, number(inside)?),
                _ => return None,
            },
            _ => return None,
        };
        Some(KeptPlace { loc: Loc::row(node, kept.row).indexed(kept.index), at, inside })
    }

    fn kind(&self) -> KeptKind {
        match self.inside {
            UNPLACED => KeptKind::Place,
            _ => KeptKind::Shared,
        }
    }

    fn kept(&self) -> Kept {
        let number = |n: u32| KeptValue::Int(n.into());
        let stored = match self.inside {
            UNPLACED => number(self.at),
            inside => KeptValue::List([self.at, inside].map(number).into()),
        };
        let (row, index) = (self.loc.row, self.loc.index());
        Kept { row, index, kind: self.kind(), stored, instead_of: KeptValue::None }
    }
}

impl KeptRows {
    fn push(&mut self, kept: Kept) {
        if self.all.is_empty() {
            self.all.reserve_exact(1);
        }
        if self.all.len() >= FEW && self.places.is_none() {
            self.find_places();
        }
        if let Some(places) = &mut self.places {
            let number = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
            places.entry(key(kept.row, kept.index, kept.kind)).or_insert(number);
        }
        self.all.push(kept);
    }

    fn find_places(&mut self) {
        let mut places = Box::<BTreeMap<Key, u32>>::default();
        for (number, kept) in (0..).zip(&self.all) {
            places.entry(key(kept.row, kept.index, kept.kind)).or_insert(number);
        }
        self.places = Some(places);
    }

    /// The first of a kind about a row or element.
    pub(crate) fn get(&self, row: RowId, index: Option<u32>, kind: KeptKind) -> Option<&Kept> {
        match &self.places {
            Some(places) => {
                places.get(&key(row, index, kind)).map(|number| &self.all[*number as usize])
            }
            None => {
                self.all.iter().find(|kept| (kept.row, kept.index, kept.kind) == (row, index, kind))
            }
        }
    }

    /// Whether there is something about a row or its elements.
    fn is_about(&self, row: RowId) -> bool {
        match &self.places {
            Some(places) => {
                let mut behind = places.range((row, 0, KeptKind::Number)..);
                behind.next().is_some_and(|((found, ..), _)| *found == row)
            }
            None => self.all.iter().any(|kept| kept.row == row),
        }
    }

    pub(crate) fn iter(&self) -> core::slice::Iter<'_, Kept> {
        self.all.iter()
    }

    fn forget(&mut self, kind: KeptKind) {
        self.all.retain(|kept| kept.kind != kind);
        if self.places.is_some() {
            self.find_places();
        }
    }
}

impl<'a> IntoIterator for &'a KeptRows {
    type Item = &'a Kept;
    type IntoIter = core::slice::Iter<'a, Kept>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
