//! The relocation table: which pointers it lists, and how they are spelled.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::vec;
use alloc::vec::Vec;

use super::item::{Item, Loc, NodeRef, UNPLACED};
use super::map::sort_by_number;
use super::plan::Duties;
use super::state::{Engine, Table};
use super::tree::{Pointer, Tree};
use super::val::{eval_error, Fallible, Fault, Val};
use super::walk::Walk;
use crate::model::{
    Home, Listing, Model, Path, PointerId, PointerType, Policy, RelocationEncoding, Role, RowKind,
    RunLength, Storage, Target, Type,
};
use crate::relocation::{MaskEntry, RunEntry};

impl<'p> Engine<'p, '_> {
    /// Sections and entries of the table that follows from the pointers in the tree and their
    /// addresses.
    pub(crate) fn relocation_tables(&mut self) -> Fallible<(u32, u32)> {
        if let Some(known) = self.memo.relocation {
            return Ok(known);
        }
        let encoding = self.model.records.iter().find_map(|record| record.encodes);
        let mut listed: Vec<Vec<u64>> = vec![Vec::new(); self.model.relocation.len().max(1)];
        for (address, section) in self.listed_pointers()?.iter() {
            if let Some(list) = listed.get_mut(*section as usize) {
                list.push((*address).into());
            }
        }
        let mut sections = Table::new(4);
        let mut entries = Table::new(match encoding {
            Some(RelocationEncoding::PointerRuns) => 4,
            Some(RelocationEncoding::PointerMasks) | None => 2,
        });
        let model = self.model;
        for (section, addresses) in model.relocation.iter().zip(&mut listed) {
            let from = self.eval_int(section.from, NodeRef::ROOT, None)?;
            let to = self.eval_int(section.to, NodeRef::ROOT, None)?;
            sort(addresses);
            let from = from.unwrap_or(0);
            let first = entries.len();
            spell(encoding, addresses, &mut entries)?;
            let count = entries.len() - first;
            let numbers = [from, to.unwrap_or(from) - from, first as i128, count as i128];
            sections.push(numbers.map(|n| self.tree.integer(n)));
        }
        let tables = (self.add_table(sections), self.add_table(entries));
        self.memo.relocation = Some(tables);
        Ok(tables)
    }

    /// Which pointers of each kind are listed.
    fn listings(&mut self) -> Fallible<Vec<Option<Listing>>> {
        let model = self.model;
        let mut listings = Vec::with_capacity(model.pointers.len());
        for kind in &model.pointers {
            let mut chosen = None;
            for (condition, listing) in &kind.listing {
                let holds = match condition {
                    Some(condition) => self.eval_bool(*condition, NodeRef::ROOT, None)?,
                    None => true,
                };
                if holds {
                    chosen = Some(*listing);
                    break;
                }
            }
            listings.push(chosen);
        }
        Ok(listings)
    }

    /// Addresses of all pointers that belong in the table, with their sections, sorted.
    fn listed_pointers(&mut self) -> Fallible<Rc<Vec<(u32, u32)>>> {
        if let Some(known) = &self.memo.listed {
            return Ok(Rc::clone(known));
        }
        let listings = self.listings()?;
        let mut found = Vec::new();
        let mut unplaced = None;
        self.tree.bury_rest();
        let mut walk = Walk::new(&self.tree, Duties::POINTING);
        while let Some(node) = walk.next(&self.tree) {
            if self.tree.is_dead(node) || node.part == super::item::CASE {
                continue;
            }
            for row in &self.tree.plan(node).pointing {
                let loc = Loc::row(node, *row);
                let before = found.len();
                if let Some(section) = self.listed_number(loc, &listings)? {
                    found.push((self.tree.row_at(loc), section));
                } else {
                    let definition = self.tree.row(loc);
                    let (tree, model, reading) = (&self.tree, self.model, self.is_reading());
                    collect(tree, &definition.ty, tree.entry(loc), &mut |pointer, number| {
                        let item = &tree.pointers[number as usize];
                        let listing = listings.get(pointer.kind.index()).copied().flatten();
                        let class = listing.map(|listing| class_policy(model, pointer, listing));
                        let set = || is_set(tree, reading, pointer, item);
                        let listed = match pointer.list.or(class) {
                            Some(Policy::Always) => true,
                            Some(Policy::Set) => set(),
                            Some(Policy::Never) | None => false,
                        };
                        if listed {
                            // What leads nowhere leads into no section of its own.
                            let own = pointer.section != 0 && set();
                            found.push((item.cell, if own { pointer.section } else { 0 }));
                        }
                    });
                }
                if found[before..].iter().any(|(at, _)| *at == UNPLACED) {
                    unplaced.get_or_insert(loc);
                }
            }
        }
        self.charge(found.len() as u64)?;
        match unplaced {
            Some(loc) => Err(Box::new(self.not_placed("address", loc))),
            None => {
                sort_by_number(&mut found, |(_, section)| *section);
                sort_by_number(&mut found, |(address, _)| *address);
                let found = Rc::new(found);
                self.memo.listed = Some(Rc::clone(&found));
                Ok(found)
            }
        }
    }

    /// The section of a row that is listed although its type is no pointer.
    fn listed_number(&mut self, loc: Loc, listings: &[Option<Listing>]) -> Fallible<Option<u32>> {
        let definition = self.tree.row(loc);
        let runtime = matches!(definition.kind, RowKind::Runtime);
        if definition.listed.is_none() && !runtime {
            return Ok(None);
        }
        if matches!(self.tree.home(loc), Home::Absent | Home::Nowhere)
            || self.tree.entry(loc).is_absent() && !runtime
        {
            return Ok(None);
        }
        let said = definition.listed;
        let kind = said.and_then(|listed| listed.kind);
        let class = match kind {
            Some(kind) => listings.get(kind.index()).copied().flatten().map(|l| l.object),
            None if runtime => self.runtime_policy(&definition.ty, listings),
            None => None,
        };
        let listed = match said.and_then(|listed| listed.policy).or(class) {
            Some(Policy::Always) => true,
            Some(Policy::Set) => !runtime && self.is_set_number(loc, kind)?,
            Some(Policy::Never) | None => false,
        };
        Ok(listed.then(|| said.map_or(0, |listed| listed.section)))
    }

    /// What the kinds of pointers say about a `runtime` row: it counts as a pointer if it is as wide
    /// as one.
    fn runtime_policy(&self, ty: &Type, listings: &[Option<Listing>]) -> Option<Policy> {
        let width = self.model.size_of(ty, self.layout.epoch)?;
        self.model.pointers.iter().zip(listings).find_map(|(kind, listing)| {
            let wide =
                matches!(kind.cell.storage, Storage::Fixed(int) if u64::from(int.bytes) == width);
            listing.filter(|_| wide).map(|listing| listing.runtime).filter(|p| *p != Policy::Never)
        })
    }

    /// Whether a number leads somewhere.
    fn is_set_number(&mut self, loc: Loc, kind: Option<PointerId>) -> Fallible<bool> {
        let none = match kind {
            Some(kind) => self.model.pointers[kind.index()].none,
            None => Some(0),
        };
        if matches!(self.tree.row(loc).role, Role::Kept(_)) {
            self.force(loc.node, loc.row)?;
        }
        let number = match self.tree.int(self.tree.item(loc)) {
            Some(number) => Some(number),
            _ if self.is_reading() => None,
            // Not computed yet; what it leads to may not be placed yet, but then it is there.
            _ => match self.canonical_number(loc) {
                Ok(number) => number,
                Err(fault) if matches!(*fault, Fault::NotPlaced(_)) => return Ok(true),
                Err(fault) => return Err(fault),
            },
        };
        Ok(number.is_some() && number != none)
    }

    /// The number that a row's equation gives, without remembering it.
    fn canonical_number(&mut self, loc: Loc) -> Fallible<Option<i128>> {
        let val = match &self.tree.row(loc).role {
            Role::Derived => self.derived(loc)?,
            _ => None,
        };
        Ok(match val {
            Some(Val::Int(n)) => Some(n),
            _ => None,
        })
    }

    /// Whether the file's own table lists the pointer in a row.
    pub(crate) fn listed(
        &mut self,
        path: &'p Path,
        this: NodeRef,
        it: Option<Val>,
    ) -> Fallible<Val> {
        if !self.is_reading() && self.writing.total.is_none() {
            return Ok(Val::None);
        }
        if self.is_reading() && !self.reading.settling {
            return eval_error("the relocation table is not read yet");
        }
        let Val::Loc(loc) = self.find_first(path, this, it)?.first else { return Ok(Val::None) };
        let table = self.file_table();
        let cell = match self.tree.pointer(loc.whole_row()) {
            Some(pointer) => pointer.cell,
            None => self.tree.row_at(loc),
        };
        Ok(Val::Bool(table.binary_search(&cell.into()).is_ok()))
    }

    /// All addresses that tables of the file list, sorted.
    pub(crate) fn file_table(&mut self) -> Rc<Vec<u64>> {
        if let Some(table) = &self.reading.listed {
            return Rc::clone(table);
        }
        let mut masks = Vec::new();
        let mut runs = Vec::new();
        let limit = self.tree.file.len() as u64;
        let mut walk = Walk::new(&self.tree, Duties::ENCODING);
        while let Some(node) = walk.next(&self.tree) {
            let record = self.tree.record(node);
            let rows = self.tree.plan(node).table.iter();
            let numbers: Vec<u64> = rows
                .map(|row| match self.tree.int(self.tree.item(Loc::row(node, *row))) {
                    Some(n) => u64::try_from(n).unwrap_or(u64::MAX),
                    None => 0,
                })
                .collect();
            match (record.encodes, &numbers[..]) {
                (Some(RelocationEncoding::PointerMasks), [start, mask, ..]) => {
                    masks.push(MaskEntry {
                        start: u32::try_from(*start).unwrap_or(u32::MAX),
                        mask: u32::try_from(*mask).unwrap_or(0),
                    });
                }
                (Some(RelocationEncoding::PointerRuns), [start, repeats, pointers, gap, ..]) => {
                    runs.push(RunEntry {
                        start: u32::try_from(*start).unwrap_or(u32::MAX),
                        repeats: u16::try_from(*repeats).unwrap_or(0),
                        pointers: u8::try_from(*pointers).unwrap_or(0),
                        gap: u8::try_from(*gap).unwrap_or(0),
                    });
                }
                _ => {}
            }
        }
        let mut table = crate::decode_masks(&masks);
        table.extend(crate::decode_runs(&runs, limit / 4 + 1).unwrap_or_default());
        sort(&mut table);
        let table = Rc::new(table);
        self.reading.listed = Some(Rc::clone(&table));
        table
    }

    /// Addresses of pointers that only the file's table lists, and of those, marked `false`, that
    /// only the schema does.
    pub(crate) fn table_differences(&mut self) -> Fallible<Vec<(u64, bool)>> {
        if !self.model.records.iter().any(|record| record.encodes.is_some()) {
            return Ok(Vec::new());
        }
        let table = self.file_table();
        let pointers = self.listed_pointers()?;
        let mut differences = Vec::new();
        let mut listed = table.iter().copied().peekable();
        let mut last = None;
        // Both are sorted.
        for address in pointers.iter().map(|(address, _)| u64::from(*address)) {
            if last == Some(address) {
                continue;
            }
            last = Some(address);
            while let Some(unknown) = listed.next_if(|at| *at < address) {
                differences.push((unknown, true));
            }
            if listed.next_if_eq(&address).is_none() {
                differences.push((address, false));
            }
        }
        differences.extend(listed.map(|unknown| (unknown, true)));
        Ok(differences)
    }
}

fn sort(addresses: &mut Vec<u64>) {
    addresses.sort_unstable();
    addresses.dedup();
}

/// Adds the entries that list addresses to a table.
fn spell(
    encoding: Option<RelocationEncoding>,
    addresses: &[u64],
    table: &mut Table,
) -> Fallible<()> {
    let number = |n: u32| Item::Int(n.into());
    let spelled = match encoding {
        None => Some(()),
        Some(RelocationEncoding::PointerMasks) => crate::encode_masks(addresses).map(|entries| {
            entries.iter().for_each(|e| table.push([number(e.start), number(e.mask)]));
        }),
        Some(RelocationEncoding::PointerRuns) => crate::encode_runs(addresses).map(|entries| {
            for e in &entries {
                let rest = [e.repeats.into(), e.pointers.into(), e.gap.into()].map(number);
                table.push(core::iter::once(number(e.start)).chain(rest));
            }
        }),
    };
    match spelled {
        Some(()) => Ok(()),
        None => eval_error("a pointer lies beyond what 32 bits can say"),
    }
}

/// Calls `visit` for every pointer in an item, targets that pointers own included.
pub(crate) fn collect<'p>(
    tree: &Tree<'_, '_>,
    ty: &'p Type,
    item: Item,
    visit: &mut dyn FnMut(&'p PointerType, u32),
) {
    match (ty, item) {
        (Type::Region(region), item) => collect(tree, &region.inner, item, visit),
        (Type::Pointer(pointer), Item::Pointer(number)) => {
            let inner = &tree.pointers[number as usize];
            visit(pointer, number);
            if let Target::Own(target) = &pointer.target {
                collect(tree, target, inner.target, visit);
            }
        }
        (Type::Array(array), Item::Array(items)) if !matches!(array.element, Type::Cell(_)) => {
            for index in 0..tree.count(items) {
                match tree.element(items, index) {
                    Some(Item::Node(_)) | None => break,
                    Some(item) => collect(tree, &array.element, item, visit),
                }
            }
        }
        _ => {}
    }
}

fn class_policy(model: &Model, pointer: &PointerType, listing: Listing) -> Policy {
    match &pointer.target {
        Target::Pooled => listing.string,
        Target::Element => listing.object,
        Target::Own(ty) => match ty.stripped() {
            Type::Array(_) => listing.array,
            Type::Run(run) if matches!(run.length, RunLength::Count(_)) => listing.array,
            Type::Record(record) if model.is_dictionary(*record) => listing.dictionary,
            _ => listing.object,
        },
    }
}

/// Whether a pointer leads to so many bytes, which may be none.
fn is_counted(pointer: &PointerType) -> bool {
    let run = |ty: &Type| matches!(ty.stripped(), Type::Run(run) if matches!(run.length, RunLength::Count(_)));
    pointer.owned().is_some_and(run)
}

/// Whether a pointer is not the number for nothing.
fn is_set(tree: &Tree<'_, '_>, reading: bool, pointer: &PointerType, item: &Pointer) -> bool {
    if reading {
        let kind = &tree.model().pointers[pointer.kind.index()];
        return kind.none != Some(item.stored());
    }
    match tree.through(item.target) {
        Item::Absent | Item::Unset => false,
        Item::Array(array) if tree.count(array) == 0 => item.at != UNPLACED && item.stored() != 0,
        Item::Bytes(bytes) if tree.bytes(bytes).is_empty() && is_counted(pointer) => {
            item.at != UNPLACED && item.stored() != 0
        }
        _ => true,
    }
}
