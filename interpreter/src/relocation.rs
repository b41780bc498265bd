//! The relocation table: which pointers it lists, and how they are spelled.

use std::collections::HashSet;
use std::rc::Rc;

use formwork::{MaskEntry, RunEntry};
use formwork_model::{
    Home, Listing, Path, PointerId, PointerType, Policy, RelocationEncoding, Role, RowId, RowKind,
    Storage, Target, Type,
};

use crate::engine::{Engine, Fallible, Fault, eval_error};
use crate::eval::{Place, Val};
use crate::tree::{Item, Loc, NodeId, PointerItem, UNPLACED, through};

/// Sections and entries, each as rows of numbers.
pub(crate) type Tables = (Rc<Vec<Vec<Item>>>, Rc<Vec<Vec<Item>>>);

impl<'m> Engine<'m, '_> {
    /// The table that follows from the pointers in the tree and their addresses.
    pub(crate) fn relocation_tables(&mut self) -> Fallible<Tables> {
        let encoding = self.model.records.iter().find_map(|record| record.encodes);
        let mut listed: Vec<Vec<u64>> = vec![Vec::new(); self.model.relocation.len().max(1)];
        for (address, section) in self.listed_pointers()? {
            if let Some(list) = listed.get_mut(section as usize) {
                list.push(address);
            }
        }
        let mut sections = Vec::new();
        let mut entries = Vec::new();
        for (index, section) in self.model.relocation.iter().enumerate() {
            let root = self.root;
            let from = self.eval_int(section.from, root, None)?;
            let to = self.eval_int(section.to, root, None)?;
            let addresses = &mut listed[index];
            addresses.sort_unstable();
            addresses.dedup();
            let spelled = spell(encoding, addresses)?;
            let from = from.unwrap_or(0);
            sections.push(
                [from, to.unwrap_or(from) - from, entries.len() as i128, spelled.len() as i128]
                    .map(Item::Int)
                    .to_vec(),
            );
            entries.extend(spelled);
        }
        Ok((Rc::new(sections), Rc::new(entries)))
    }

    /// Addresses of all pointers that belong in the table, with their sections.
    pub(crate) fn listed_pointers(&mut self) -> Fallible<Vec<(u64, u32)>> {
        let root = self.root;
        let mut listings: Vec<Option<Listing>> = Vec::new();
        for kind in &self.model.pointers {
            let mut chosen = None;
            for (condition, listing) in &kind.listing {
                let holds = match condition {
                    Some(condition) => self.eval_bool(*condition, root, None)?,
                    None => true,
                };
                if holds {
                    chosen = Some(*listing);
                    break;
                }
            }
            listings.push(chosen);
        }
        let mut found = Vec::new();
        let mut unplaced = None;
        let nodes = u32::try_from(self.tree.nodes.len()).unwrap_or(u32::MAX);
        for index in 0..nodes {
            let node = NodeId(index);
            if self.tree.node(node).dead {
                continue;
            }
            let record = self.record(node);
            for (row, definition) in record.rows.iter().enumerate() {
                let row = RowId(u32::try_from(row).unwrap_or(u32::MAX));
                if matches!(definition.kind, RowKind::Slice { .. }) {
                    continue;
                }
                if let Some(section) = self.listed_number(node, row, &listings)? {
                    let at = self.tree.slot(node, row).at;
                    found.push((at, section));
                    if at == UNPLACED {
                        unplaced.get_or_insert(Loc::row(node, row));
                    }
                    continue;
                }
                let slot = self.tree.slot(node, row);
                collect(&definition.ty, &slot.item, &mut |pointer, item| {
                    let listing = listings.get(pointer.kind.index()).copied().flatten();
                    let class = listing.map(|listing| class_policy(self.model, pointer, listing));
                    let listed = match pointer.list.or(class) {
                        Some(Policy::Always) => true,
                        Some(Policy::Set) => is_set(self, pointer, item),
                        Some(Policy::Never) | None => false,
                    };
                    if listed {
                        found.push((item.cell, pointer.section));
                        if item.cell == UNPLACED {
                            unplaced.get_or_insert(Loc::row(node, row));
                        }
                    }
                });
            }
        }
        self.charge(found.len() as u64)?;
        match unplaced {
            Some(loc) => Err(Box::new(Fault::NotPlaced(self.describe(loc)))),
            None => Ok(found),
        }
    }

    /// The section of a row that is listed although its type is no pointer.
    fn listed_number(
        &mut self,
        node: NodeId,
        row: RowId,
        listings: &[Option<Listing>],
    ) -> Fallible<Option<u32>> {
        let loc = Loc::row(node, row);
        let definition = self.row(loc);
        let runtime = matches!(definition.kind, RowKind::Runtime);
        if definition.listed.is_none() && !runtime {
            return Ok(None);
        }
        if matches!(self.home(definition), Home::Absent | Home::Nowhere)
            || matches!(self.tree.slot(node, row).item, Item::Absent) && !runtime
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
        let width = self.model.size_of(ty, self.epoch)?;
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
        if matches!(self.row(loc).role, Role::Kept(_)) {
            self.force(loc.node, loc.row)?;
        }
        let number = match self.tree.item(loc) {
            Item::Int(n) => Some(*n),
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
        let val = match &self.row(loc).role {
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
        path: &'m Path,
        this: NodeId,
        it: Option<&Val>,
    ) -> Fallible<Val> {
        if !self.is_reading() {
            return Ok(Val::None);
        }
        if !self.reading().settling {
            return eval_error("the relocation table is not read yet");
        }
        let found = self.find(path, this, it)?;
        let Some(Val::Place(Place::Loc(loc))) = found.values.into_iter().next() else {
            return Ok(Val::None);
        };
        let table = self.file_table();
        let cell = match &self.tree.slot(loc.node, loc.row).item {
            Item::Pointer(pointer) => pointer.cell,
            _ => self.tree.slot(loc.node, loc.row).at,
        };
        Ok(Val::Bool(table.contains(&cell)))
    }

    /// All addresses that tables of the file list.
    pub(crate) fn file_table(&mut self) -> Rc<HashSet<u64>> {
        if let Some(table) = &self.reading().listed {
            return Rc::clone(table);
        }
        let mut masks = Vec::new();
        let mut runs = Vec::new();
        let limit = self.reading().bytes.len() as u64;
        for index in 0..self.tree.nodes.len() {
            let node = NodeId(u32::try_from(index).unwrap_or(u32::MAX));
            let numbers = |engine: &Self| -> Vec<u64> {
                data_rows(engine, node)
                    .into_iter()
                    .map(|row| match engine.tree.item(Loc::row(node, row)) {
                        Item::Int(n) => u64::try_from(*n).unwrap_or(u64::MAX),
                        _ => 0,
                    })
                    .collect()
            };
            match self.record(node).encodes {
                Some(RelocationEncoding::PointerMasks) => {
                    if let [start, mask, ..] = numbers(self)[..] {
                        masks.push(MaskEntry {
                            start: u32::try_from(start).unwrap_or(u32::MAX),
                            mask: u32::try_from(mask).unwrap_or(0),
                        });
                    }
                }
                Some(RelocationEncoding::PointerRuns) => {
                    if let [start, repeats, pointers, gap, ..] = numbers(self)[..] {
                        runs.push(RunEntry {
                            start: u32::try_from(start).unwrap_or(u32::MAX),
                            repeats: u16::try_from(repeats).unwrap_or(0),
                            pointers: u8::try_from(pointers).unwrap_or(0),
                            gap: u8::try_from(gap).unwrap_or(0),
                        });
                    }
                }
                None => {}
            }
        }
        let mut table: HashSet<u64> = formwork::decode_masks(&masks).into_iter().collect();
        table.extend(formwork::decode_runs(&runs, limit / 4 + 1).unwrap_or_default());
        let table = Rc::new(table);
        self.reading().listed = Some(Rc::clone(&table));
        table
    }

    /// Notes pointers that the file's table and the schema do not both know.
    pub(crate) fn compare_tables(&mut self) -> Fallible<()> {
        let root = Loc::row(self.root, RowId(u32::MAX));
        for (address, unknown) in self.table_differences()? {
            let message = if unknown {
                "the relocation table lists a pointer that the schema does not know"
            } else {
                "a pointer of the schema is not in the relocation table"
            };
            self.note(address, root, message.to_owned());
        }
        Ok(())
    }

    /// Addresses of pointers that only the file's table lists, and of those, marked `false`, that
    /// only the schema does.
    pub(crate) fn table_differences(&mut self) -> Fallible<Vec<(u64, bool)>> {
        if !self.model.records.iter().any(|record| record.encodes.is_some()) {
            return Ok(Vec::new());
        }
        let table = self.file_table();
        let known: HashSet<u64> =
            self.listed_pointers()?.into_iter().map(|(address, _)| address).collect();
        let mut differences: Vec<(u64, bool)> = table
            .difference(&known)
            .map(|address| (*address, true))
            .chain(known.difference(&table).map(|address| (*address, false)))
            .collect();
        differences.sort_unstable();
        Ok(differences)
    }
}

/// Rows that take the numbers of an algorithm, in order.
pub(crate) fn data_rows(engine: &Engine<'_, '_>, node: NodeId) -> Vec<RowId> {
    table_rows(&engine.record(node).rows)
}

/// Rows that take the numbers of an algorithm, in order.
pub(crate) fn table_rows(rows: &[formwork_model::Row]) -> Vec<RowId> {
    (0_u32..)
        .zip(rows)
        .filter(|(_, row)| matches!(row.role, Role::Data | Role::Default(_)))
        .map(|(index, _)| RowId(index))
        .collect()
}

fn spell(encoding: Option<RelocationEncoding>, addresses: &[u64]) -> Fallible<Vec<Vec<Item>>> {
    let numbers = |list: Vec<Vec<u64>>| {
        list.into_iter().map(|row| row.into_iter().map(|n| Item::Int(n.into())).collect()).collect()
    };
    let too_far = || eval_error("a pointer lies beyond what 32 bits can say");
    match encoding {
        None => Ok(Vec::new()),
        Some(RelocationEncoding::PointerMasks) => match formwork::encode_masks(addresses) {
            Some(entries) => {
                Ok(numbers(entries.iter().map(|e| vec![e.start.into(), e.mask.into()]).collect()))
            }
            None => too_far(),
        },
        Some(RelocationEncoding::PointerRuns) => match formwork::encode_runs(addresses) {
            Some(entries) => Ok(numbers(
                entries
                    .iter()
                    .map(|e| {
                        vec![e.start.into(), e.repeats.into(), e.pointers.into(), e.gap.into()]
                    })
                    .collect(),
            )),
            None => too_far(),
        },
    }
}

/// Calls `visit` for every pointer in an item, targets that pointers own included.
pub(crate) fn collect<'m>(
    ty: &'m Type,
    item: &Item,
    visit: &mut dyn FnMut(&'m PointerType, &PointerItem),
) {
    match (ty, item) {
        (Type::Region(region), item) => collect(&region.inner, item, visit),
        (Type::Pointer(pointer), Item::Pointer(inner)) => {
            visit(pointer, inner);
            if let Target::Own(target) = &pointer.target {
                collect(target, &inner.target, visit);
            }
        }
        (Type::Array(array), Item::Array(items)) if !matches!(array.element, Type::Cell(_)) => {
            for item in &items.items {
                collect(&array.element, item, visit);
            }
        }
        _ => {}
    }
}

fn class_policy(model: &formwork_model::Model, pointer: &PointerType, listing: Listing) -> Policy {
    match &pointer.target {
        Target::Pooled => listing.string,
        Target::Element => listing.object,
        Target::Own(ty) => match crate::read::object::strip_region(ty) {
            Type::Array(_) | Type::Run(_) if is_counted(ty) => listing.array,
            Type::Record(record) if model.is_dictionary(*record) => listing.dictionary,
            _ => listing.object,
        },
    }
}

fn is_counted(ty: &Type) -> bool {
    match crate::read::object::strip_region(ty) {
        Type::Run(run) => {
            matches!(run.length, formwork_model::RunLength::Count(_))
        }
        _ => true,
    }
}

/// Whether a pointer is not the number for nothing.
fn is_set(engine: &Engine<'_, '_>, pointer: &PointerType, item: &PointerItem) -> bool {
    if engine.is_reading() {
        let kind = &engine.model.pointers[pointer.kind.index()];
        return kind.none != Some(item.stored);
    }
    match through(&item.target) {
        Item::Absent | Item::Unset => false,
        Item::Array(array) if array.items.is_empty() => item.at != UNPLACED && item.stored != 0,
        _ => true,
    }
}
