//! String pools: which texts they hold, and in which order.

use alloc::borrow::Cow;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use core::cmp::Ordering;

use super::item::{ArrayRef, Item, Loc, NodeRef, CASE, UNPLACED, WHOLE};
use super::map::{sort_by_number, BytesMap, Map};
use super::plan::Duties;
use super::reading::Read;
use super::relocation::collect;
use super::state::Engine;
use super::tree::Tree;
use super::val::{Fallible, Val};
use super::walk::Walk;
use super::writing::{TextAside, Uses};
use crate::error::ReadErrorKind;
use crate::model::{
    ExprId, Extent, PointerId, PoolOrder, RowId, RowKind, RunType, Start, Target, Terminated, Type,
};
use crate::pool::has_only_more;
use crate::spelling::{KeptKind, KeptValue};

/// Whether a kind of pointers leads into a pool.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leads {
    No,
    Yes,
    /// That depends on who holds the pointer.
    Depends,
}

/// A pointer into a pool.
#[derive(Debug, Clone, Copy)]
struct Met {
    /// Address of the pointer.
    cell: u32,
    text: Item,
    /// Position in the tree's pointers.
    number: u32,
    kind: PointerId,
}

/// How many pointers to a text, one behind the other in the file, lead to a place, from the start of
/// the pool on; or to the first member that says it.
type Runs = Vec<(u32, Option<i128>)>;

/// Texts of pointers that do not lead to the first member of the pool that says the same, but
/// somewhere else: to another one, or into the middle of one.
#[derive(Debug, Default)]
struct Aside {
    places: BTreeMap<Vec<u8>, Runs>,
    /// Texts that the pool needs no member for.
    wholly: BTreeSet<Vec<u8>>,
}

impl<'p> Engine<'p, '_> {
    /// Members of a pool that follow from the pooled pointers in the tree.
    pub(crate) fn pool_members(
        &mut self,
        loc: Loc,
        always: &'p [alloc::string::String],
        order: &'p [(Option<ExprId>, PoolOrder)],
    ) -> Fallible<Vec<Item>> {
        let met = self.met_by_members(loc)?;
        self.members_of(loc, met, always, order)
    }

    /// Pointers into a pool that need a member of it.
    fn met_by_members(&mut self, loc: Loc) -> Fallible<Vec<Met>> {
        let mut met = self.pooled_texts(loc)?;
        if self.tree.kept_of(loc, KeptKind::Text).is_some() {
            let aside = self.aside_of(loc, &met);
            met.retain(|met| !aside.wholly.contains(&self.tree.item_key(met.text)));
        }
        Ok(met)
    }

    fn members_of(
        &mut self,
        loc: Loc,
        mut met: Vec<Met>,
        always: &'p [alloc::string::String],
        order: &'p [(Option<ExprId>, PoolOrder)],
    ) -> Fallible<Vec<Item>> {
        let order = self.pool_order(loc, order)?;
        self.charge(met.len() as u64)?;
        if order == PoolOrder::DepthFirst {
            let ranks = self.ranks_in_value()?;
            sort_by_number(&mut met, |met| ranks[met.number as usize]);
        } else {
            self.sort_by_use(loc, &mut met, order == PoolOrder::EachUse);
        }
        let mut members: Vec<Item> = Vec::new();
        let mut known = BytesMap::default();
        // Of those that are there in any case, which some pointer has.
        let mut taken = BTreeSet::new();
        let first: Vec<Item> =
            always.iter().map(|text| Item::Text(self.tree.add_bytes(text.as_bytes()))).collect();
        let mut keys: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
        let all = first.into_iter().map(|item| (item, false));
        for (item, is_met) in all.chain(met.into_iter().map(|met| (met.text, true))) {
            let number = u32::try_from(members.len()).unwrap_or(UNPLACED);
            let key = self.tree.key_of(item);
            let bytes_of =
                |n: u32| self.tree.in_bytes(members[n as usize]).unwrap_or_else(|| &keys[&n]);
            match known.get(&key, bytes_of) {
                // Nobody else has it yet.
                Some(n) if is_met && order == PoolOrder::EachUse && taken.insert(n) => continue,
                Some(_) if is_met && order == PoolOrder::EachUse => {}
                Some(_) => continue,
                None => {
                    known.insert(&key, number);
                    if is_met {
                        taken.insert(number);
                    }
                }
            }
            if let Cow::Owned(key) = key {
                keys.insert(number, key);
            }
            members.push(item);
        }
        if let Some(order) = by_text(order) {
            members.sort_by(|a, b| self.compare_members(order, *a, *b));
        }
        Ok(members)
    }

    fn compare_members(&self, order: crate::PoolOrder, a: Item, b: Item) -> Ordering {
        crate::compare(order, &self.tree.key_of(a), &self.tree.key_of(b))
    }

    /// Sorts pointers by their addresses. Where a pool is placed before some of them, nobody knows
    /// these; then it is the order in which they stood when everything was placed before, or that of
    /// the value.
    fn sort_by_use(&mut self, pool: Loc, met: &mut Vec<Met>, each: bool) {
        if self.is_reading() || met.iter().all(|met| met.cell != UNPLACED) {
            return sort_by_number(met, |met| met.cell);
        }
        let seen = self.writing.uses.get(&pool);
        match seen {
            Some(uses) => {
                let mut ranks = alloc::vec![UNPLACED; self.tree.pointers.len()];
                for (rank, number) in (0..).zip(&uses.pointers) {
                    if let Some(of) = ranks.get_mut(*number as usize) {
                        *of = rank;
                    }
                }
                sort_by_number(met, |met| ranks[met.number as usize]);
            }
            None => sort_by_number(met, |met| met.cell),
        }
        let rounds = seen.map_or(0, |uses| uses.rounds);
        let uses = Uses { pointers: met.iter().map(|met| met.number).collect(), each, rounds };
        self.writing.early_pools.insert(pool, uses);
    }

    /// Finds the pools whose members would stand in another order if the addresses of the pointers
    /// had been known, which they are now.
    pub(crate) fn check_uses(&mut self) {
        /// Where texts decide about the places of pointers, no order may be the right one.
        const MOST_ROUNDS: u32 = 4;
        for (pool, uses) in core::mem::take(&mut self.writing.early_pools) {
            let tree = &self.tree;
            let mut pointers = uses.pointers.clone();
            sort_by_number(&mut pointers, |number| tree.pointers[*number as usize].cell);
            let texts = |pointers: &[u32]| {
                let mut known = BTreeSet::new();
                let keys = pointers.iter().map(|n| tree.key_of(tree.pointers[*n as usize].target));
                keys.filter(|key| uses.each || known.insert(key.clone())).collect::<Vec<_>>()
            };
            if pointers != uses.pointers
                && uses.rounds < MOST_ROUNDS
                && texts(&pointers) != texts(&uses.pointers)
            {
                let uses = Uses { pointers, rounds: uses.rounds + 1, ..uses };
                self.writing.late_uses.insert(pool, uses);
            }
        }
    }

    /// For each pointer, how many are met before it in the value.
    fn ranks_in_value(&mut self) -> Fallible<Vec<u32>> {
        let tree = &self.tree;
        let mut ranks = alloc::vec![UNPLACED; tree.pointers.len()];
        let (mut met, mut steps) = (0_u32, 0_u64);
        // What is left of nodes, and of arrays with the type of their elements.
        let mut open = alloc::vec![(Item::Node(NodeRef::ROOT), None, 0_u32)];
        while let Some((item, element, at)) = open.pop() {
            steps += 1;
            let (mut next, mut ty) = match (item, element) {
                (Item::Node(node), _) => {
                    let Some(row) = tree.record(node).rows.get(at as usize) else { continue };
                    open.push((item, element, at + 1));
                    (tree.entry(Loc::row(node, RowId(at))), &row.ty)
                }
                (Item::Array(array), Some(ty)) => {
                    let Some(next) = tree.element(array, at) else { continue };
                    open.push((item, element, at + 1));
                    (next, ty)
                }
                _ => continue,
            };
            loop {
                ty = ty.stripped();
                match (ty, next) {
                    (Type::Pointer(pointer), Item::Pointer(number)) => {
                        ranks[number as usize] = met;
                        met += 1;
                        let Target::Own(target) = &pointer.target else { break };
                        (next, ty) = (tree.pointers[number as usize].target, target);
                    }
                    (Type::Array(array), next) => {
                        if !matches!(array.element, Type::Cell(_)) {
                            open.push((next, Some(&array.element), 0));
                        }
                        break;
                    }
                    (_, next) => {
                        open.push((next, None, 0));
                        break;
                    }
                }
            }
        }
        self.charge(steps)?;
        Ok(ranks)
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
    fn pooled_texts(&mut self, pool: Loc) -> Fallible<Vec<Met>> {
        let model = self.model;
        self.tree.bury_rest();
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
        // For each record the rows with pointers that may lead there, when it is first met.
        let mut leading: Vec<Option<Vec<RowId>>> = alloc::vec![None; model.records.len()];
        let leads = |ty: &Type| {
            ty.parts().any(|part| match part {
                Type::Pointer(pointer) => {
                    matches!(pointer.target, Target::Pooled)
                        && kinds[pointer.kind.index()] != Leads::No
                }
                _ => false,
            })
        };
        let mut walk = Walk::new(&self.tree, Duties::POINTING);
        while let Some(node) = walk.next(&self.tree) {
            if self.tree.is_dead(node) || node.part == CASE {
                continue;
            }
            let record = self.tree.record_id(node);
            let rows = &model.records[record.index()].rows;
            let pointing = leading[record.index()].get_or_insert_with(|| {
                let pointing = self.tree.plan_of(record).pointing.iter().copied();
                pointing.filter(|row| leads(&rows[row.index()].ty)).collect()
            });
            for row in pointing {
                let tree = &self.tree;
                let entry = tree.row_entry(node, *row);
                collect(tree, &rows[row.index()].ty, entry, &mut |pointer, number| {
                    let item = &tree.pointers[number as usize];
                    let text =
                        matches!(item.target, Item::Text(_) | Item::Bytes(_) | Item::Units(..));
                    if matches!(pointer.target, Target::Pooled) && text {
                        match kinds[pointer.kind.index()] {
                            Leads::No => {}
                            Leads::Yes => met.push(Met {
                                cell: item.cell,
                                text: item.target,
                                number,
                                kind: pointer.kind,
                            }),
                            Leads::Depends => depending.push(Met {
                                cell: item.cell,
                                text: item.target,
                                number,
                                kind: pointer.kind,
                            }),
                        }
                    }
                });
                for pointer in depending.drain(..) {
                    if let Some(path) = &model.pointers[pointer.kind.index()].pool {
                        if self.leads_into(path, node, pool)? {
                            met.push(pointer);
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

impl<'p> Engine<'p, '_> {
    /// Each text that a pointer means must stand in a pool, or the file could not be written.
    pub(crate) fn must_have_pools(&mut self) -> Read<()> {
        let model = self.model;
        let kinds = model.pointers.iter();
        let mut all_are_there = true;
        let mut there: Vec<Option<bool>> = Vec::with_capacity(kinds.len());
        for kind in kinds {
            let root = Loc::row(NodeRef::ROOT, WHOLE);
            there.push(match &kind.pool {
                None => Some(true),
                Some(path) if matches!(path.start, Start::Root) => {
                    let found = self.leads_to_pool(path, NodeRef::ROOT);
                    Some(found.map_err(|fault| self.fault(*fault, 0_u32, root))?)
                }
                Some(_) => None,
            });
            all_are_there &= there.last() == Some(&Some(true));
        }
        if all_are_there {
            return Ok(());
        }
        let mut walk = Walk::new(&self.tree, Duties::POINTING);
        while let Some(node) = walk.next(&self.tree) {
            if node.part == CASE {
                continue;
            }
            for row in &self.tree.plan(node).pointing {
                let loc = Loc::row(node, *row);
                let mut unsure = Vec::new();
                let tree = &self.tree;
                collect(tree, &tree.row(loc).ty, tree.entry(loc), &mut |pointer, number| {
                    let item = &tree.pointers[number as usize];
                    let pooled = matches!(pointer.target, Target::Pooled);
                    if pooled
                        && !item.target.is_absent()
                        && there[pointer.kind.index()] != Some(true)
                    {
                        unsure.push((pointer.kind, item.cell));
                    }
                });
                for (kind, cell) in unsure {
                    let found = match (there[kind.index()], &model.pointers[kind.index()].pool) {
                        (None, Some(path)) => self.leads_to_pool(path, node),
                        _ => Ok(false),
                    };
                    if !found.map_err(|fault| self.fault(*fault, cell, loc))? {
                        let message = "the pool that should hold the text is not there".into();
                        return Err(self.error(ReadErrorKind::Expression { message }, cell, loc));
                    }
                }
            }
        }
        Ok(())
    }

    fn leads_to_pool(&mut self, path: &'p crate::model::Path, this: NodeRef) -> Fallible<bool> {
        let mut found = false;
        self.walk(path, this, None, &mut false, &mut |_, val| {
            found |= matches!(val, Val::Loc(_));
            Ok(!found)
        })?;
        Ok(found)
    }

    /// Compares the members of a pool with those that follow from the pointers, and the pointers
    /// with the members.
    pub(crate) fn compare_pool(
        &mut self,
        loc: Loc,
        always: &'p [alloc::string::String],
        order: &'p [(Option<ExprId>, PoolOrder)],
    ) -> Fallible<()> {
        let mut met = self.pooled_texts(loc)?;
        let item = self.tree.item(loc);
        let Item::Array(array) = item else { return Ok(()) };
        let mut canonical = None;
        let each = self.pool_order(loc, order)? == PoolOrder::EachUse;
        if self.all_lead_to_members(array, &mut met, each) {
            let members = self.members_of(loc, met.clone(), always, order)?;
            // Then no member is there twice.
            if self.is_list(array, &members) {
                return Ok(());
            }
            canonical = Some(members);
        }
        if let Some(aside) = self.find_aside(loc, array, &mut met, each) {
            self.keep(loc, KeptKind::Text, aside, KeptValue::None);
            canonical = None;
        }
        let canonical = match canonical {
            Some(members) => members,
            None => self.members_of(loc, met, always, order)?,
        };
        if !self.is_list(array, &canonical) {
            // Of a list that the schema keeps in any case nothing goes away.
            let kept = matches!(self.tree.row(loc).kind, RowKind::Pool { kept: true, .. });
            let used: BTreeMap<Cow<'_, [u8]>, usize> =
                canonical.iter().map(|item| self.tree.key_of(*item)).zip(0..).collect();
            let members = (0..self.tree.count(array)).map(|index| {
                let item = self.tree.element(array, index).unwrap_or(Item::Absent);
                match kept || used.contains_key(&self.tree.key_of(item)) {
                    true => self.kept_value(item),
                    // In a list of its own, what no pointer leads to.
                    false => KeptValue::List(alloc::vec![self.kept_value(item)]),
                }
            });
            let stored = KeptValue::List(members.collect());
            let kind = match kept && self.has_only_more(array, &used, canonical.len()) {
                true => KeptKind::Members,
                false => KeptKind::Pool,
            };
            let instead = self.digest_rows(core::iter::once(canonical.as_slice()));
            self.keep(loc, kind, stored, instead);
        }
        Ok(())
    }

    /// Whether a pool has these members in this order, each once, and others that nothing leads to.
    fn has_only_more(
        &self,
        array: ArrayRef,
        used: &BTreeMap<Cow<'_, [u8]>, usize>,
        usual: usize,
    ) -> bool {
        let keys = (0..self.tree.count(array))
            .map(|index| self.tree.key_of(self.tree.element(array, index).unwrap_or(Item::Absent)));
        let keys: Vec<Cow<'_, [u8]>> = keys.collect();
        let different: BTreeSet<&[u8]> = keys.iter().map(|key| &**key).collect();
        different.len() == keys.len()
            && has_only_more(keys.iter().map(|key| used.get(key).copied()), usual)
    }

    /// Whether the members of a pool are these.
    fn is_list(&self, array: ArrayRef, members: &[Item]) -> bool {
        self.tree.count(array) as usize == members.len()
            && (0..).zip(members).all(|(index, wanted)| {
                let stored = self.tree.element(array, index).unwrap_or(Item::Absent);
                self.same_item(stored, *wanted)
            })
    }

    /// The member that each pointer usually leads to: the first one that is its text; or, if each use has
    /// one of its own, of so many the next one, and the last one where no more are left. The pointers
    /// come in the order of their addresses.
    fn usual_members(&self, array: ArrayRef, met: &[Met], each: bool) -> Vec<Option<u32>> {
        let count = self.tree.count(array);
        let item = |index| self.tree.element(array, index).unwrap_or(Item::Absent);
        let mut first = BytesMap::default();
        // For each member the next one that says the same, and for the first one of those the last.
        let mut next: Vec<Option<u32>> = alloc::vec![None; count as usize];
        let mut last: Vec<u32> = (0..count).collect();
        for index in 0..count {
            let key = self.tree.key_of(item(index));
            match first.get_with(&key, |n| self.tree.key_of(item(n)) == key) {
                Some(known) => {
                    let known = known as usize;
                    next[last[known] as usize] = Some(index);
                    last[known] = index;
                }
                None => first.insert(&key, index),
            }
        }
        // The same for the members that were led to last.
        let mut turn: Vec<Option<u32>> = alloc::vec![None; count as usize];
        let leads = met.iter().map(|met| {
            let key = self.tree.key_of(met.text);
            let first = first.get_with(&key, |n| self.tree.key_of(item(n)) == key)?;
            if !each {
                return Some(first);
            }
            let turn = &mut turn[first as usize];
            let leads = match *turn {
                None => first,
                Some(before) => next[before as usize].unwrap_or(before),
            };
            *turn = Some(leads);
            Some(leads)
        });
        leads.collect()
    }

    /// Whether each pointer leads to the start of a member that is its text; if each has one of its own,
    /// to that.
    fn all_lead_to_members(&self, array: ArrayRef, met: &mut Vec<Met>, each: bool) -> bool {
        if each {
            sort_by_number(met, |met| met.cell);
            let leads = self.usual_members(array, met, true);
            return met.iter().zip(leads).all(|(met, leads)| {
                let at = self.tree.pointers[met.number as usize].at;
                leads.is_some_and(|index| self.tree.element_at(array, index, false) == at)
            });
        }
        let count = self.tree.count(array);
        let mut by_place = Map::with_room_for(count as usize);
        for index in 0..count {
            by_place.insert(self.tree.element_at(array, index, false).into(), index);
        }
        met.iter().all(|met| {
            let at = self.tree.pointers[met.number as usize].at;
            by_place.get(at.into()).is_some_and(|index| {
                self.tree.element(array, index).is_some_and(|item| self.same_item(item, met.text))
            })
        })
    }

    /// A pool's members: as the file had them, if nothing has changed. Otherwise what no pointer
    /// leads to any more is gone, unless none did in the file, and new texts are at the end, or where
    /// they belong if the texts are sorted by themselves, and were so in the file.
    pub(crate) fn kept_members(
        &mut self,
        loc: Loc,
        members: Vec<Item>,
        kept_by_schema: bool,
        (always, order): (&[alloc::string::String], &'p [(Option<ExprId>, PoolOrder)]),
    ) -> Fallible<Item> {
        let pool = self.tree.kept_of(loc, KeptKind::Pool);
        let Some(kept) = pool.or_else(|| self.tree.kept_of(loc, KeptKind::Members)) else {
            return Ok(Item::Array(ArrayRef::Own(self.tree.add_items(&members))));
        };
        let (stored, instead_of) = (kept.stored.clone(), kept.instead_of.clone());
        let stored = match stored {
            KeptValue::List(stored) => stored,
            // Nothing but lists.
            KeptValue::Table(rows) => rows.into_iter().map(KeptValue::List).collect(),
            _ => return Ok(Item::Array(ArrayRef::Own(self.tree.add_items(&members)))),
        };
        let changed = self.digest_rows(core::iter::once(members.as_slice())) != instead_of;
        let order = self.pool_order(loc, order)?;
        let each = order == PoolOrder::EachUse;
        // How often texts are members, and how often they are there.
        let mut uses: BTreeMap<Vec<u8>, (u32, u32)> = BTreeMap::new();
        for member in &members {
            uses.entry(self.tree.item_key(*member)).or_default().0 += 1;
        }
        let row = self.tree.row(loc);
        let mut items = Vec::with_capacity(stored.len());
        for value in &stored {
            let (value, unused) = match value {
                KeptValue::List(inside) if inside.len() == 1 => (&inside[0], true),
                value => (value, false),
            };
            let item = self.kept_item(value, row);
            let uses = uses.get_mut(&self.tree.item_key(item));
            let used = uses.as_ref().is_some_and(|(all, there)| !each || there < all);
            if !changed || unused || kept_by_schema || used {
                items.push(item);
                uses.into_iter().for_each(|(_, there)| *there += 1);
            }
        }
        let stayed = items.len();
        if changed {
            for member in members {
                match uses.get_mut(&self.tree.item_key(member)) {
                    Some((_, there)) if *there > 0 => *there -= 1,
                    _ => items.push(member),
                }
            }
        } else {
            // A text that is there in any case, which the file had not, and a pointer has now.
            let is_missing = |text: &alloc::string::String| {
                uses.get(text.as_bytes()).is_some_and(|(_, there)| *there == 0)
            };
            if always.iter().any(is_missing) {
                for met in self.met_by_members(loc)? {
                    match uses.get_mut(&self.tree.item_key(met.text)) {
                        Some((_, there @ 0)) => *there = 1,
                        _ => continue,
                    }
                    items.push(met.text);
                }
            }
        }
        if let Some(order) = by_text(order).filter(|_| items.len() > stayed) {
            let compare = |a: &Item, b: &Item| self.compare_members(order, *a, *b);
            if items[..stayed].windows(2).all(|pair| compare(&pair[0], &pair[1]).is_le()) {
                items.sort_by(compare);
            }
        }
        Ok(Item::Array(ArrayRef::Own(self.tree.add_items(&items))))
    }

    /// What is unusual about where pointers lead, and takes those texts away that lie nowhere else.
    fn find_aside(
        &self,
        pool: Loc,
        array: ArrayRef,
        met: &mut Vec<Met>,
        each: bool,
    ) -> Option<KeptValue> {
        let start = i128::from(self.tree.row_at(pool));
        sort_by_number(met, |met| met.cell);
        let leads = self.usual_members(array, met, each);
        let unusual = met.iter().zip(leads).filter(|(met, leads)| {
            let at = self.tree.pointers[met.number as usize].at;
            let is_usual =
                leads.is_some_and(|index| self.tree.element_at(array, index, false) == at);
            self.pooled_run(met.kind).is_some() && !is_usual
        });
        let unusual: BTreeSet<u32> = unusual.map(|(met, _)| met.number).collect();
        let usual = |met: &Met| !unusual.contains(&met.number);
        let texts: BTreeSet<Vec<u8>> =
            met.iter().filter(|met| !usual(met)).map(|met| self.tree.item_key(met.text)).collect();
        if texts.is_empty() {
            return None;
        }
        let mut runs: BTreeMap<Vec<u8>, (Item, Runs)> = BTreeMap::new();
        for met in met.iter() {
            let key = self.tree.item_key(met.text);
            if !texts.contains(&key) {
                continue;
            }
            let at = i128::from(self.tree.pointers[met.number as usize].at);
            let place = (!usual(met)).then_some(at - start);
            let (_, runs) = runs.entry(key).or_insert_with(|| (met.text, Vec::new()));
            match runs.last_mut() {
                Some((count, last)) if *last == place => *count += 1,
                _ => runs.push((1, place)),
            }
        }
        let wholly = |key: &Vec<u8>| {
            runs.get(key).is_some_and(|(_, runs)| runs.iter().all(|(_, place)| place.is_some()))
        };
        met.retain(|met| !wholly(&self.tree.item_key(met.text)));
        let rows = runs.values().flat_map(|(text, runs)| {
            runs.iter().map(|(count, place)| {
                let place = place.map_or(KeptValue::None, KeptValue::Int);
                alloc::vec![self.kept_value(*text), KeptValue::Int((*count).into()), place]
            })
        });
        Some(KeptValue::Table(rows.collect()))
    }

    /// What is kept of where pointers lead, as far as it still holds.
    fn aside_of(&self, pool: Loc, met: &[Met]) -> Aside {
        let mut aside = Aside::default();
        let Some(kept) = self.tree.kept_of(pool, KeptKind::Text) else { return aside };
        let rows: &[Vec<KeptValue>] = match &kept.stored {
            KeptValue::Table(rows) => rows,
            _ => &[],
        };
        for row in rows {
            let [text, KeptValue::Int(count), place] = &row[..] else { continue };
            let key = match text {
                KeptValue::Text(text) => text.as_bytes().to_vec(),
                KeptValue::Bytes(bytes) => bytes.clone(),
                KeptValue::Units(units) => {
                    units.iter().flat_map(|unit| unit.to_be_bytes()).collect()
                }
                _ => continue,
            };
            let moves = &self.writing.placing.moves;
            if moves.forgotten || moves.texts.contains(&key) {
                continue;
            }
            let place = match place {
                KeptValue::Int(place) => Some(*place),
                _ => None,
            };
            let count = u32::try_from(*count).unwrap_or(0);
            aside.places.entry(key).or_default().push((count, place));
        }
        let mut uses: BTreeMap<&[u8], u32> = BTreeMap::new();
        let keys: Vec<Vec<u8>> = met.iter().map(|met| self.tree.item_key(met.text)).collect();
        for key in &keys {
            *uses.entry(key).or_default() += 1;
        }
        for (key, places) in &aside.places {
            let aside_count: u32 = places
                .iter()
                .take_while(|(_, place)| place.is_some())
                .map(|(count, _)| *count)
                .sum();
            let all = places.iter().all(|(_, place)| place.is_some());
            if all && uses.get(&key[..]).is_some_and(|uses| *uses <= aside_count) {
                aside.wholly.insert(key.clone());
            }
        }
        aside
    }

    /// Pointers into pools in which each has a text of its own get the places of these.
    pub(crate) fn lead_to_each(&mut self) -> Fallible<()> {
        let pools: Vec<Loc> =
            self.writing.members.keys().map(|(node, row)| Loc::row(*node, *row)).collect();
        for pool in pools {
            let RowKind::Pool { order, .. } = &self.tree.row(pool).kind else { continue };
            let may_be = order.iter().any(|(_, order)| *order == PoolOrder::EachUse);
            if !may_be || self.pool_order(pool, order)? != PoolOrder::EachUse {
                continue;
            }
            let mut met = self.pooled_texts(pool)?;
            let Item::Array(array) = self.tree.item(pool) else { continue };
            sort_by_number(&mut met, |met| met.cell);
            let leads = self.usual_members(array, &met, true);
            for (met, leads) in met.iter().zip(leads) {
                if let Some(index) = leads {
                    self.tree.pointers[met.number as usize].at =
                        self.tree.element_at(array, index, false);
                }
            }
        }
        Ok(())
    }

    /// Pointers whose texts have places of their own in a pool or beside it get these, and the texts
    /// are written there, which must change nothing.
    pub(crate) fn lead_aside(&mut self, pool: Loc) -> Fallible<()> {
        let mut met = self.pooled_texts(pool)?;
        let mut aside = self.aside_of(pool, &met).places;
        sort_by_number(&mut met, |met| met.cell);
        let start = i128::from(self.tree.row_at(pool));
        for met in met {
            let key = self.tree.item_key(met.text);
            let Some(runs) = aside.get_mut(&key) else { continue };
            let Some((count, place)) = runs.iter_mut().find(|(count, _)| *count > 0) else {
                continue;
            };
            *count -= 1;
            let at = place.and_then(|place| u32::try_from(start + place).ok());
            if let Some(at) = at.filter(|at| *at != UNPLACED) {
                self.tree.pointers[met.number as usize].at = at;
                let number = met.number;
                self.writing.placing.arranged = true;
                self.writing.placing.texts.push(TextAside {
                    at,
                    end: at,
                    number,
                    kind: met.kind,
                    key,
                });
            }
        }
        Ok(())
    }

    /// How texts that a kind of pointers leads to are stored: as a run of bytes, and what ends it.
    pub(crate) fn pooled_run(&self, kind: PointerId) -> Option<(&'p RunType, &'p [u8])> {
        match self.model.pointers[kind.index()].text.as_deref()? {
            Type::Run(run) => Some((run, &[])),
            Type::Region(region) => match (&region.inner, &region.extent) {
                (Type::Run(run), Extent::Terminated(end)) if end.mode == Terminated::Dropped => {
                    Some((run, &end.bytes))
                }
                _ => None,
            },
            _ => None,
        }
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
    pub(crate) fn key_of(&self, item: Item) -> Cow<'_, [u8]> {
        match self.in_bytes(item) {
            Some(bytes) => Cow::Borrowed(bytes),
            None => Cow::Owned(self.item_key(item)),
        }
    }

    /// The same, as bytes of their own.
    pub(crate) fn item_key(&self, item: Item) -> Vec<u8> {
        match item {
            Item::Units(start, len) => {
                self.units(start, len).iter().flat_map(|unit| unit.to_be_bytes()).collect()
            }
            item => self.in_bytes(item).unwrap_or(&[]).to_vec(),
        }
    }
}

/// The order of members that they say themselves.
fn by_text(order: PoolOrder) -> Option<crate::PoolOrder> {
    match order {
        PoolOrder::FirstUse | PoolOrder::EachUse | PoolOrder::DepthFirst => None,
        PoolOrder::Bytes => Some(crate::PoolOrder::Bytes),
        PoolOrder::BitsFromEnd => Some(crate::PoolOrder::BitsFromEnd),
    }
}
