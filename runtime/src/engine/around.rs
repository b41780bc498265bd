//! What is around a node: the array that an element stands in, and whoever has it.
//!
//! Elements of a shared table are around twice: they stand in the table, and some owner has them in a
//! slice. While a file is read they are nodes of the table; while one is written they belong to the
//! slices of the value. What expressions see is the same both ways: the table is around its elements,
//! and whoever has the slice comes behind everything that is around the table.

use alloc::rc::Rc;
use alloc::vec::Vec;

use super::item::{Item, Loc, NodeRef};
use super::state::Engine;
use super::val::Fallible;
use crate::model::{Expr, Member, Path, RecordId, Role, RowKind, Start, Step};

/// Arguments that stand for arguments.
const DEEP: u32 = 64;

impl<'p> Engine<'p, '_> {
    /// The node that is around another one: of an element of a slice, the one that has the table.
    #[inline]
    pub(crate) fn around(&self, node: NodeRef) -> Option<NodeRef> {
        if !self.layout.has_tables || self.is_reading() {
            return self.tree.owner(node);
        }
        let holder = self.tree.holder(node)?;
        match self.table_around(holder) {
            Some(table) => Some(table.node),
            None => Some(holder.node),
        }
    }

    /// The shared table of an element that is held by a slice.
    pub(crate) fn table_around(&self, holder: Loc) -> Option<Loc> {
        match &self.tree.row(holder).kind {
            RowKind::Slice { table, .. } => self.place_in_tree(table, holder.node, 0),
            _ => None,
        }
    }

    /// Where rows lead to in a tree that is there, from one to the next.
    fn place_in_tree(&self, path: &'p Path, this: NodeRef, depth: u32) -> Option<Loc> {
        let mut steps = path.steps.iter();
        let mut node = match &path.start {
            Start::This => this,
            Start::Root => NodeRef::ROOT,
            Start::Up(levels) => (0..*levels).try_fold(this, |node, _| self.around(node))?,
            Start::Enclosing(records) => self.nearest(records, this)?,
            Start::It => return None,
            Start::Argument(index) => {
                let argument = *self.tree.record(this).arguments.get(*index as usize)?;
                let Expr::Path(inner) = &self.model[argument] else { return None };
                if depth > DEEP {
                    return None;
                }
                let place = self.place_in_tree(inner, self.around(this)?, depth + 1)?;
                if steps.len() == 0 {
                    return Some(place);
                }
                self.node_at(place)?
            }
        };
        let mut place = None;
        while let Some(step) = steps.next() {
            let Step::Field(field) = step else { return None };
            let (last, before) = field.way_in(self.tree.record_id(node)).split_last()?;
            for member in before {
                let Member::Into(row) = member else { return None };
                node = self.node_at(Loc::row(node, *row))?;
            }
            let Member::Row(row) = last else { return None };
            let loc = Loc::row(node, *row);
            place = Some(loc);
            if steps.len() > 0 {
                node = self.node_at(loc)?;
            }
        }
        place
    }

    fn node_at(&self, loc: Loc) -> Option<NodeRef> {
        match self.tree.through(self.tree.entry(loc)) {
            Item::Node(node) => Some(node),
            _ => None,
        }
    }

    /// The nearest node that is one of these records, without a look at slices.
    fn nearest(&self, records: &[RecordId], node: NodeRef) -> Option<NodeRef> {
        let mut node = node;
        while !records.contains(&self.tree.record_id(node)) {
            node = self.around(node)?;
        }
        Some(node)
    }

    /// The nearest node of one of these records: around this one, or else around whoever has the
    /// element of a shared table in which it is.
    pub(crate) fn enclosing(
        &mut self,
        records: &[RecordId],
        this: NodeRef,
    ) -> Fallible<Option<NodeRef>> {
        let mut from = this;
        loop {
            if let Some(found) = self.nearest(records, from) {
                return Ok(Some(found));
            }
            if !self.layout.has_tables {
                return Ok(None);
            }
            match self.slice_around(from)? {
                Some(slice) => from = slice.node,
                None => return Ok(None),
            }
            self.charge(1)?;
        }
    }

    /// The slice that has the nearest element of a shared table around a node; the first one if
    /// several have it.
    fn slice_around(&mut self, node: NodeRef) -> Fallible<Option<Loc>> {
        let mut at = self.tree.holder(node);
        while let Some(holder) = at {
            let row = self.tree.row(holder);
            match (holder.index(), &row.role) {
                _ if matches!(row.kind, RowKind::Slice { .. }) => {
                    return Ok(Some(holder.whole_row()));
                }
                (Some(index), Role::View { .. }) => {
                    let owners = self.slice_owners(holder.whole_row())?;
                    return Ok(owners.get(index as usize).copied().flatten());
                }
                _ => at = self.tree.holder(holder.node),
            }
        }
        Ok(None)
    }

    /// For each element of a shared table the first slice that has it.
    fn slice_owners(&mut self, table: Loc) -> Fallible<Rc<Vec<Option<Loc>>>> {
        if let Some(known) = self.memo.owners.get(&table) {
            return Ok(known.clone());
        }
        let Role::View { slices, key } = &self.tree.row(table).role else {
            return Ok(Rc::default());
        };
        self.force_known(table)?;
        let count = self.count_items(table);
        self.charge(count)?;
        let mut owners = alloc::vec![None; usize::try_from(count).unwrap_or(0)];
        for slice in self.slices(table, slices, *key, true)? {
            let elements = self.count_items(slice);
            self.charge(elements)?;
            let base = match elements {
                0 => continue,
                _ => usize::try_from(self.slice_base(slice)?).unwrap_or(usize::MAX),
            };
            let end = base.saturating_add(usize::try_from(elements).unwrap_or(usize::MAX));
            for owner in owners.get_mut(base..end).into_iter().flatten() {
                owner.get_or_insert(slice);
            }
        }
        let owners = Rc::new(owners);
        self.memo.owners.insert(table, owners.clone());
        Ok(owners)
    }

    /// For each element of a shared table where it is in the first slice that has it.
    pub(crate) fn element_homes(&mut self, table: Loc) -> Fallible<Vec<Option<Loc>>> {
        let owners = self.slice_owners(table)?;
        let mut homes = Vec::with_capacity(owners.len());
        for (at, slice) in (0..).zip(owners.iter()) {
            homes.push(match slice {
                Some(slice) => {
                    let index = i128::checked_sub(at, self.slice_base(*slice)?);
                    index.and_then(|index| u32::try_from(index).ok()).map(|index| slice.at(index))
                }
                None => None,
            });
        }
        Ok(homes)
    }

    /// Where an element stands, given what holds it: in the table, if that is a slice.
    pub(crate) fn in_table(&mut self, holder: Loc) -> Fallible<Loc> {
        if self.is_reading() || !self.layout.has_tables {
            return Ok(holder);
        }
        let (Some(table), Some(index)) = (self.table_around(holder), holder.index()) else {
            return Ok(holder);
        };
        self.force_loc(table)?;
        let base = self.slice_base(holder.whole_row())?;
        let at = base.checked_add(index.into()).and_then(|at| u32::try_from(at).ok());
        Ok(at.map_or(holder, |at| table.at(at)))
    }
}
