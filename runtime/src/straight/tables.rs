//! Tables that follow from a whole file: dictionaries and relocation tables.

use alloc::vec::Vec;
use core::mem::size_of;

use super::waiting::Spot;
use super::{Ink, Odd, Straight};
use crate::{encode_masks, encode_runs, patricia, DictionaryNode, MaskEntry, RunEntry};

/// A dictionary: keys, and the nodes of the radix tree over them.
#[derive(Debug)]
pub struct Tree<'v> {
    keys: Vec<&'v [u8]>,
    nodes: Vec<DictionaryNode>,
}

impl<'v> Tree<'v> {
    /// The dictionary of these keys.
    ///
    /// # Errors
    ///
    /// If no tree can hold them.
    #[inline]
    pub fn new(keys: Vec<&'v [u8]>) -> Straight<Tree<'v>> {
        let nodes = patricia(&keys).map_err(|_| Odd)?;
        Ok(Tree { keys, nodes })
    }

    /// How many nodes there are, the root too.
    pub fn count(&self) -> usize {
        self.nodes.len()
    }

    /// The nodes.
    pub fn rows(&self) -> &[DictionaryNode] {
        &self.nodes
    }

    /// The key of a node, by its position: the root has the empty one.
    #[inline]
    pub fn key(&self, node: usize) -> &'v [u8] {
        node.checked_sub(1).and_then(|index| self.keys.get(index)).copied().unwrap_or(&[])
    }
}

/// Rows of a table.
#[derive(Debug)]
pub struct Rows<T>(pub Vec<T>);

impl<T> Rows<T> {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// All of them.
    pub fn rows(&self) -> &[T] {
        &self.0
    }
}

/// Addresses of pointers for a relocation table, section by section.
#[derive(Debug)]
pub struct Listed(Vec<Vec<u64>>);

/// A section of a relocation table: start, size in bytes, first entry, and number of entries.
pub type Section = [i128; 4];

impl Listed {
    /// The entries as masks, and the sections, of which begin and end are given.
    ///
    /// # Errors
    ///
    /// If a pointer lies beyond 32 bits.
    pub fn masks(&self, sections: &[(i128, i128)]) -> Straight<(Vec<Section>, Vec<MaskEntry>)> {
        self.encoded(sections, encode_masks)
    }

    /// The entries as runs, and the sections.
    ///
    /// # Errors
    ///
    /// If a pointer lies beyond 32 bits.
    pub fn runs(&self, sections: &[(i128, i128)]) -> Straight<(Vec<Section>, Vec<RunEntry>)> {
        self.encoded(sections, encode_runs)
    }

    fn encoded<E>(
        &self,
        sections: &[(i128, i128)],
        encode: fn(&[u64]) -> Option<Vec<E>>,
    ) -> Straight<(Vec<Section>, Vec<E>)> {
        let mut entries = Vec::new();
        let mut table = Vec::with_capacity(sections.len());
        for ((from, to), addresses) in sections.iter().zip(&self.0) {
            let encoded = encode(addresses).ok_or(Odd)?;
            let size = to.saturating_sub(*from);
            table.push([*from, size, entries.len() as i128, encoded.len() as i128]);
            entries.extend(encoded);
        }
        Ok((table, entries))
    }
}

impl Ink<'_> {
    /// Remembers a pointer for a section of the relocation table.
    #[inline]
    pub fn list(&mut self, spot: Spot, section: u32) {
        if self.listed.capacity() == 0 {
            self.listed.reserve(self.about(size_of::<(Spot, u32)>()));
        }
        self.listed.push((spot, section));
    }

    /// The pointers so far, each once, by section.
    ///
    /// # Errors
    ///
    /// If the address of one is not known.
    pub fn listed(&mut self, sections: usize) -> Straight<Listed> {
        let mut lists = Vec::new();
        lists.resize_with(sections, Vec::new);
        if let [only] = lists.as_mut_slice() {
            only.reserve_exact(self.listed.len());
        }
        for (spot, section) in core::mem::take(&mut self.listed) {
            let at = self.resolve(spot)?;
            if let Some(list) = lists.get_mut(section as usize) {
                list.push(at);
            }
        }
        for list in &mut lists {
            list.sort_unstable();
            list.dedup();
        }
        self.tabled = true;
        Ok(Listed(lists))
    }
}
