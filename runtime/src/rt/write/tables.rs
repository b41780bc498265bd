//! Arrays that follow from others: dictionaries, relocation tables, pools, shared tables.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use super::super::tables::{
    digest, first_that_holds, label_key, pool_members, relocation_tables, Pooled, Table,
};
use super::super::tree::{through, ArrayItem, Item, Loc, NodeId, PointerItem, UNPLACED};
use super::super::val::{eval_error, Fallible, Fault, Val};
use super::labels::{listed_cells, Set};
use super::{kept_item, still_for, Write};
use crate::pool::PoolOrder;
use crate::spelling::{KeptKind, KeptValue};

/// A row of a table's records that takes a number of the algorithm.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Its slot.
    pub slot: u16,
    /// Whether it is a pointer.
    pub pointer: bool,
}

/// What an array follows from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Made {
    /// A radix tree over the keys at this path.
    Patricia(u16),
    /// Sections of the relocation table.
    Sections,
    /// Entries of the relocation table.
    Entries,
}

/// Arrays for any writer.
pub trait Tables<'v>: Write<'v> {
    /// The relocation table that follows from the pointers and their addresses.
    ///
    /// # Errors
    ///
    /// If a pointer is not placed yet.
    fn relocation(&mut self) -> Fallible<(Table<'v>, Table<'v>)> {
        let relocation = self.tables().relocation;
        let cells = core::mem::take(&mut self.w().log.cells);
        let listed = listed_cells(self, relocation, &cells, &mut |engine, cell| match cell.set {
            Set::Known(set) => Ok(set),
            Set::Pointer(loc) => Ok(match engine.tree().pointer(loc) {
                Some(pointer) => match through(&pointer.target) {
                    Item::Absent | Item::Unset => false,
                    Item::Array(array) if array.count == 0 => {
                        pointer.at != UNPLACED && pointer.stored != 0
                    }
                    _ => true,
                },
                None => false,
            }),
            Set::Number(loc, none) => engine.is_set_number(loc, none),
        });
        self.w().log.cells = cells;
        let listed = listed?;
        relocation_tables(self, relocation, &listed)
    }

    /// Whether the number in a slot leads somewhere.
    ///
    /// # Errors
    ///
    /// If it cannot be computed.
    fn is_set_number(&mut self, loc: Loc, none: Option<i128>) -> Fallible<bool> {
        let number = match self.tree().item(loc) {
            Item::Int(n) => Some(*n),
            Item::Unset => match self.compute(loc.node, loc.slot) {
                Ok(Some(Item::Int(n))) => Some(n),
                Ok(_) => None,
                // What it leads to is not placed yet, but then it is there.
                Err(fault) if matches!(*fault, Fault::NotPlaced(_)) => return Ok(true),
                Err(fault) => return Err(fault),
            },
            _ => None,
        };
        Ok(number.is_some() && number != none)
    }

    /// An array of records made by an algorithm, or as it was kept.
    ///
    /// # Errors
    ///
    /// If the algorithm fails and nothing was kept.
    fn table(
        &mut self,
        loc: Loc,
        record: u16,
        columns: &'static [Column],
        made: Made,
        kept: bool,
    ) -> Fallible<Item<'v>> {
        let kind = match made {
            Made::Patricia(_) => KeptKind::Dictionary,
            Made::Sections | Made::Entries => KeptKind::Relocation,
        };
        let kept = if kept { self.kept(loc, kind) } else { None };
        let mut instead = None;
        let table = match made {
            Made::Patricia(path) => match self.patricia(path, loc.node) {
                Ok(nodes) => {
                    let row = |(node, name): (crate::DictionaryNode, _)| {
                        alloc::vec![
                            Item::Int(node.bit.into()),
                            Item::Int(node.zero.into()),
                            Item::Int(node.one.into()),
                            Item::Text(name),
                        ]
                    };
                    let table: Table<'v> = nodes.into_iter().map(row).collect();
                    if kept.is_some() {
                        instead = Some(KeptValue::Int(digest(&table)));
                    }
                    table
                }
                // Names that no tree can hold, kept with the nodes that the file had.
                Err(fault) if kept.is_some() => match *fault {
                    Fault::Eval(_) | Fault::Keys(..) => {
                        instead = Some(KeptValue::None);
                        Table::new()
                    }
                    other => return Err(Box::new(other)),
                },
                Err(fault) => return Err(fault),
            },
            Made::Sections | Made::Entries => {
                let (sections, entries) = self.relocation()?;
                if kept.is_some() {
                    instead = Some(KeptValue::Int(digest(sections.iter().chain(&entries))));
                }
                if made == Made::Sections {
                    sections
                } else {
                    entries
                }
            }
        };
        if let (Some(kept), Some(instead)) = (kept, instead) {
            if still_for(kept, &instead) {
                let stored: Table<'v> = match &kept.stored {
                    KeptValue::Table(rows) => {
                        rows.iter().map(|row| row.iter().map(kept_item).collect()).collect()
                    }
                    _ => Table::new(),
                };
                return Ok(self.table_item(loc, record, columns, &stored));
            }
        }
        Ok(self.table_item(loc, record, columns, &table))
    }

    /// Makes the nodes of a table.
    fn table_item(
        &mut self,
        loc: Loc,
        record: u16,
        columns: &'static [Column],
        table: &Table<'v>,
    ) -> Item<'v> {
        let mut items = Vec::with_capacity(table.len());
        for (index, row) in (0_u32..).zip(table) {
            let at = Loc { index: Some(index), ..loc };
            let node = self.tree_mut().add(record, Some(at));
            for (number, column) in columns.iter().enumerate() {
                let item = row.get(number).cloned().unwrap_or(Item::Absent);
                let item = if column.pointer {
                    Item::Pointer(Box::new(PointerItem::to(item)))
                } else {
                    item
                };
                self.tree_mut().set(node, column.slot, item);
            }
            self.planned_table(node);
            items.push(Item::Node(node));
        }
        Item::Array(Box::new(ArrayItem::of(items)))
    }

    /// Logs what the pool needs to know of a node that an algorithm made.
    fn planned_table(&mut self, node: NodeId) {
        let _ = node;
    }

    /// A pool's members: as the file had them, if the schema keeps its list in any case or the
    /// canonical list is still what that one replaced; new texts go to its end.
    ///
    /// # Errors
    ///
    /// If a condition of its order fails.
    fn members(
        &mut self,
        loc: Loc,
        always: &[&'static str],
        orders: &[(Option<u16>, PoolOrder)],
        kept_by_schema: bool,
    ) -> Fallible<Item<'v>> {
        let relocation = self.tables().relocation;
        let order = first_that_holds(self, orders, loc.node)?.unwrap_or(PoolOrder::FirstUse);
        let log = core::mem::take(&mut self.w().log);
        let texts = log.labels.iter().chain(&log.planned).map(|label| Pooled {
            cell: label.cell,
            kind: label.kind,
            node: label.node,
            text: &label.text,
        });
        let members = pool_members(self, relocation, texts, loc, always, order);
        self.w().log = log;
        let members = members?;
        let stored: Option<Vec<Item<'v>>> = match self.kept(loc, KeptKind::Pool) {
            Some(kept) => {
                let canonical = KeptValue::Int(digest([&members]));
                match &kept.stored {
                    KeptValue::List(list) if kept_by_schema || still_for(kept, &canonical) => {
                        Some(list.iter().map(kept_item).collect())
                    }
                    _ => None,
                }
            }
            None => None,
        };
        let Some(mut items) = stored else {
            return Ok(Item::Array(Box::new(ArrayItem::of(members))));
        };
        let known: BTreeSet<Vec<u8>> =
            items.iter().map(|item| label_key(item).into_owned()).collect();
        items.extend(members.into_iter().filter(|m| !known.contains(&*label_key(m))));
        Ok(Item::Array(Box::new(ArrayItem::of(items))))
    }

    /// Remembers where the members of a pool are.
    fn place_members(&mut self, loc: Loc, starts: &[u64], end: u64) {
        let mut addresses = BTreeMap::new();
        if let Item::Array(array) = self.tree().item(loc) {
            for (item, start) in array.items.iter().zip(starts) {
                addresses.entry(label_key(item).into_owned()).or_insert(*start);
            }
        }
        self.w().members.insert((loc.node, loc.slot), addresses);
        self.place_array(loc, starts.first().copied().unwrap_or(end), end, starts.to_vec());
    }

    /// Says where the array in a slot is.
    fn place_array(&mut self, loc: Loc, at: u64, end: u64, starts: Vec<u64>) {
        let mut item = &mut self.tree_mut().slot_mut(loc.node, loc.slot).item;
        while let Item::Pointer(pointer) = item {
            item = &mut pointer.target;
        }
        if let Item::Array(array) = item {
            array.at = at;
            array.end = end;
            array.starts = starts;
        }
    }

    /// Address of a pooled text.
    ///
    /// # Errors
    ///
    /// If the path of the pool fails.
    fn member_address(&mut self, pool: u16, this: NodeId, text: &[u8]) -> Fallible<Option<u64>> {
        // Nearly all formats have one pool.
        if let (1, Some(members)) =
            (self.w_ref().members.len(), self.w_ref().members.values().next())
        {
            if let Some(at) = members.get(text) {
                return Ok(Some(*at));
            }
        }
        for val in self.find(pool, this, None)?.values {
            if let Val::Loc(pool) = val {
                if let Some(at) =
                    self.w_ref().members.get(&(pool.node, pool.slot)).and_then(|m| m.get(text))
                {
                    return Ok(Some(*at));
                }
            }
        }
        Ok(None)
    }

    /// A shared table: the slices of its owners one behind the other.
    ///
    /// # Errors
    ///
    /// If a path or key fails.
    fn gather(&mut self, loc: Loc, slices: &[u16], key: Option<u16>) -> Fallible<Item<'v>> {
        let mut owners: Vec<(i128, usize, Loc)> = Vec::new();
        for path in slices {
            for val in self.find(*path, loc.node, None)?.values {
                let Val::Loc(slice) = val else { continue };
                let rank = match key {
                    Some(key) => self.int(key, slice.node, None)?.unwrap_or(i128::MAX),
                    None => 0,
                };
                owners.push((rank, owners.len(), slice));
            }
        }
        owners.sort_by_key(|(rank, index, _)| (*rank, *index));
        let mut items = Vec::new();
        for (_, _, slice) in owners {
            let base = items.len() as i128;
            if let Item::Array(array) = self.tree().item(slice) {
                items.extend(array.items.iter().cloned());
            }
            self.w().bases.insert((slice.node, slice.slot), base);
        }
        Ok(Item::Array(Box::new(ArrayItem::of(items))))
    }

    /// Index of a slice's first element in its table. `empty` is what is stored if there are none.
    ///
    /// # Errors
    ///
    /// If the table cannot be computed, or does not take the slice.
    fn slice_base(&mut self, loc: Loc, table: u16, empty: Option<i128>) -> Fallible<i128> {
        if self.tree().count_items(loc) == 0 {
            if let Some(index) = empty {
                return Ok(index);
            }
        }
        for val in self.find(table, loc.node, None)?.values {
            if let Val::Loc(table) = val {
                self.force_loc(table)?;
            }
        }
        match self.w_ref().bases.get(&(loc.node, loc.slot)) {
            Some(base) => Ok(*base),
            None => eval_error("the shared table does not take this slice"),
        }
    }
}

impl<'v, W: Write<'v>> Tables<'v> for W {}
