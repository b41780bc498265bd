//! String pools: which texts they hold, and in which order.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::item::{Item, Loc, NodeRef, CASE, UNPLACED};
use super::map::{sort_by_number, BytesMap};
use super::plan::Duties;
use super::relocation::collect;
use super::state::Engine;
use super::tree::Tree;
use super::val::{Fallible, Val};
use super::walk::Walk;
use crate::model::{ExprId, PoolOrder, Start, Target};

/// Whether a kind of pointers leads into a pool.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leads {
    No,
    Yes,
    /// That depends on who holds the pointer.
    Depends,
}

impl<'p> Engine<'p, '_> {
    /// Members of a pool that follow from the pooled pointers in the tree.
    pub(crate) fn pool_members(
        &mut self,
        loc: Loc,
        always: &'p [alloc::string::String],
        order: &'p [(Option<ExprId>, PoolOrder)],
    ) -> Fallible<Vec<Item>> {
        let order = self.pool_order(loc, order)?;
        let mut met = self.pooled_texts(loc)?;
        self.charge(met.len() as u64)?;
        // Those that are not placed come last.
        sort_by_number(&mut met, |(cell, _)| *cell);
        let mut members: Vec<Item> = Vec::new();
        let mut known = BytesMap::default();
        let first: Vec<Item> =
            always.iter().map(|text| Item::Text(self.tree.add_bytes(text.as_bytes()))).collect();
        let mut keys: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
        for item in first.into_iter().chain(met.into_iter().map(|(_, item)| item)) {
            let number = u32::try_from(members.len()).unwrap_or(UNPLACED);
            let key = match self.tree.in_bytes(item) {
                Some(bytes) => Cow::Borrowed(bytes),
                None => Cow::Owned(self.tree.item_key(item)),
            };
            let bytes_of =
                |n: u32| self.tree.in_bytes(members[n as usize]).unwrap_or_else(|| &keys[&n]);
            if known.get(&key, bytes_of).is_some() {
                continue;
            }
            known.insert(&key, number);
            if let Cow::Owned(key) = key {
                keys.insert(number, key);
            }
            members.push(item);
        }
        let order = match order {
            PoolOrder::FirstUse => return Ok(members),
            PoolOrder::Bytes => crate::PoolOrder::Bytes,
            PoolOrder::BitsFromEnd => crate::PoolOrder::BitsFromEnd,
        };
        let tree = &self.tree;
        members.sort_by(|a, b| match (tree.in_bytes(*a), tree.in_bytes(*b)) {
            (Some(a), Some(b)) => crate::compare(order, a, b),
            _ => crate::compare(order, &tree.item_key(*a), &tree.item_key(*b)),
        });
        Ok(members)
    }

    fn pool_order(
        &mut self,
        loc: Loc,
        order: &'p [(Option<ExprId>, PoolOrder)],
    ) -> Fallible<PoolOrder> {
        for (condition, order) in order {
            let holds = match condition {
                Some(condition) => self.eval_bool(*condition, loc.node, None)?,
                None => true,
            };
            if holds {
                return Ok(*order);
            }
        }
        Ok(PoolOrder::FirstUse)
    }

    /// Texts of pointers into a pool, with the addresses of the pointers.
    fn pooled_texts(&mut self, pool: Loc) -> Fallible<Vec<(u32, Item)>> {
        let model = self.model;
        let mut kinds = Vec::with_capacity(model.pointers.len());
        for kind in &model.pointers {
            kinds.push(match &kind.pool {
                None => Leads::No,
                Some(path) if matches!(path.start, Start::Root) => {
                    if self.leads_into(path, NodeRef::ROOT, pool)? {
                        Leads::Yes
                    } else {
                        Leads::No
                    }
                }
                Some(_) => Leads::Depends,
            });
        }
        let mut met = Vec::new();
        let mut depending = Vec::new();
        let mut walk = Walk::new(&self.tree, Duties::POINTING);
        while let Some(node) = walk.next(&self.tree) {
            if self.tree.is_dead(node) || node.part == CASE {
                continue;
            }
            for row in &self.tree.plan(node).pointing {
                let loc = Loc::row(node, *row);
                let tree = &self.tree;
                collect(tree, &tree.row(loc).ty, tree.entry(loc), &mut |pointer, item| {
                    let text =
                        matches!(item.target, Item::Text(_) | Item::Bytes(_) | Item::Units(..));
                    if matches!(pointer.target, Target::Pooled) && text {
                        match kinds[pointer.kind.index()] {
                            Leads::No => {}
                            Leads::Yes => met.push((item.cell, item.target)),
                            Leads::Depends => {
                                depending.push((pointer.kind, item.cell, item.target));
                            }
                        }
                    }
                });
                for (kind, cell, text) in depending.drain(..) {
                    if let Some(path) = &model.pointers[kind.index()].pool {
                        if self.leads_into(path, node, pool)? {
                            met.push((cell, text));
                        }
                    }
                }
            }
        }
        Ok(met)
    }

    fn leads_into(
        &mut self,
        path: &'p crate::model::Path,
        this: NodeRef,
        pool: Loc,
    ) -> Fallible<bool> {
        let mut found = false;
        self.walk(path, this, None, &mut false, &mut |_, val| {
            found |= matches!(val, Val::Loc(loc) if loc.whole_row() == pool);
            Ok(!found)
        })?;
        Ok(found)
    }
}

impl Tree<'_, '_> {
    /// Bytes by which a pooled text is told apart and ordered, where they are the text's own.
    pub(crate) fn in_bytes(&self, item: Item) -> Option<&[u8]> {
        match item {
            Item::Text(blob) | Item::Bytes(blob) => Some(self.bytes(blob)),
            Item::Units(..) => None,
            _ => Some(&[]),
        }
    }

    /// Bytes by which two pooled texts are told apart and ordered.
    pub(crate) fn item_key(&self, item: Item) -> Vec<u8> {
        match item {
            Item::Units(start, len) => {
                self.units(start, len).iter().flat_map(|unit| unit.to_be_bytes()).collect()
            }
            item => self.in_bytes(item).unwrap_or(&[]).to_vec(),
        }
    }
}
