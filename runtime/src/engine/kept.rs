//! What a file spells in an unusual way in the rows of a node.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

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

/// All that is kept of a node, in the order in which it was met.
#[derive(Debug, Default)]
pub(crate) struct KeptRows {
    all: Vec<Kept>,
    /// Positions in `all` by row, element and kind, where there are many.
    places: BTreeMap<Key, u32>,
}

type Key = (RowId, u32, KeptKind);

/// A row has less elements than this.
const NO_INDEX: u32 = u32::MAX;

fn key(row: RowId, index: Option<u32>, kind: KeptKind) -> Key {
    (row, index.unwrap_or(NO_INDEX), kind)
}

impl KeptRows {
    pub(crate) fn push(&mut self, kept: Kept) {
        let number = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        if self.all.len() >= FEW {
            if self.places.is_empty() {
                self.find_places();
            }
            self.places.entry(key(kept.row, kept.index, kept.kind)).or_insert(number);
        }
        self.all.push(kept);
    }

    fn find_places(&mut self) {
        self.places = BTreeMap::new();
        for (number, kept) in (0..).zip(&self.all) {
            self.places.entry(key(kept.row, kept.index, kept.kind)).or_insert(number);
        }
    }

    /// The first of a kind about a row or element.
    pub(crate) fn get(&self, row: RowId, index: Option<u32>, kind: KeptKind) -> Option<&Kept> {
        if self.all.len() <= FEW {
            let is = |kept: &&Kept| (kept.row, kept.index, kept.kind) == (row, index, kind);
            return self.all.iter().find(is);
        }
        self.places.get(&key(row, index, kind)).map(|number| &self.all[*number as usize])
    }

    /// Whether there is something about a row or its elements.
    pub(crate) fn is_about(&self, row: RowId) -> bool {
        if self.all.len() <= FEW {
            return self.all.iter().any(|kept| kept.row == row);
        }
        let first = (row, 0, KeptKind::Number);
        self.places.range(first..).next().map_or(false, |((found, ..), _)| *found == row)
    }

    pub(crate) fn iter(&self) -> core::slice::Iter<'_, Kept> {
        self.all.iter()
    }

    pub(crate) fn retain(&mut self, which: impl FnMut(&Kept) -> bool) {
        self.all.retain(which);
        self.places = BTreeMap::new();
        if self.all.len() > FEW {
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
