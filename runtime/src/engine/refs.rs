//! References: numbers and pointers that must hit an element of an array.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::item::{ArrayRef, Item, Loc};
use super::state::Engine;
use super::val::{Fallible, Fault, Val};
use crate::error::ReadErrorKind;
use crate::model::{Reference, Row, RowKind, Start, Target};

/// Why a reference leads to no element.
#[derive(Clone, Copy)]
enum Stray {
    /// The array is not there.
    NoArray,
    /// It has no such element.
    NoElement,
}

impl<'p> Engine<'p, '_> {
    pub(crate) fn resolve_reference(&mut self, loc: Loc, row: &'p Row) -> Fallible<()> {
        let Some(reference) = &row.reference else { return Ok(()) };
        match self.tree.item(loc) {
            Item::Absent | Item::Unset => Ok(()),
            Item::Array(array) if row.is_ranked() && !row.has_no_bytes() => {
                // Positions take the place of the numbers in the file.
                let mut items = Vec::with_capacity(self.tree.count(array) as usize);
                for index in 0..self.tree.count(array) {
                    let item = self.tree.element(array, index).unwrap_or(Item::Absent);
                    items.push(match self.rank_at(loc.at(index), reference, item)? {
                        Some(position) => Item::Int(position.into()),
                        None => item,
                    });
                }
                let own = ArrayRef::Own(self.tree.add_items(&items));
                self.tree.set_item(loc, Item::Array(own));
                Ok(())
            }
            Item::Array(array) => {
                for index in 0..self.tree.count(array) {
                    self.resolve_one(loc.at(index), row, reference)?;
                }
                Ok(())
            }
            _ => self.resolve_one(loc, row, reference),
        }
    }

    fn resolve_one(&mut self, loc: Loc, row: &'p Row, reference: &'p Reference) -> Fallible<()> {
        let item = self.tree.item(loc);
        let Some(number) = self.tree.int(item) else { return Ok(()) };
        self.charge(1)?;
        let Some(array) = self.referred(reference, loc)? else {
            if self.refers_to_nothing(reference, loc)? {
                return Ok(());
            }
            return Err(self.stray(loc, reference, number, Stray::NoArray));
        };
        let count = self.count_items(array);
        if let Some(address) = self.element_address(loc, row)? {
            let found = self.addresses(array)?.and_then(|map| map.get(address));
            return match found {
                Some(index) => {
                    self.set_element(loc, index, address);
                    Ok(())
                }
                None => Err(self.stray(loc, reference, number, Stray::NoElement)),
            };
        }
        if let Some(key) = reference.key {
            let known = self.contents(array, key)?.binary_search(&number).is_ok();
            if !known {
                return Err(self.stray(loc, reference, number, Stray::NoElement));
            }
            return Ok(());
        }
        if let Some(filter) = reference.filter {
            if row.has_no_bytes() {
                let ranks = self.ranks(array, filter, loc.node)?;
                let position = u32::try_from(number).ok();
                let known = position.is_some_and(|at| self.rank_in(&ranks, at).is_some());
                if !known {
                    return Err(self.stray(loc, reference, number, Stray::NoElement));
                }
                return Ok(());
            }
            if let Some(position) = self.rank_at(loc, reference, item)? {
                self.set_number(loc, position);
            }
            return Ok(());
        }
        if number < 0 || number >= i128::from(count) {
            return Err(self.refused(loc, ReadErrorKind::IndexOutOfRange { index: number, count }));
        }
        Ok(())
    }

    /// That a reference leads to no element.
    #[cold]
    fn stray(&self, loc: Loc, reference: &Reference, number: i128, why: Stray) -> Box<Fault> {
        let row = self.tree.row(loc);
        let pointer = super::address::pointer_type(row, loc);
        let what = match (pointer.is_some(), &reference.field) {
            (true, _) if number < 0 => format!("pointer -{:#x}", number.unsigned_abs()),
            (true, _) => format!("pointer {number:#x}"),
            (_, Some(field)) => format!("{field} {number}"),
            (_, None) if reference.filter.is_some() && !row.has_no_bytes() => {
                format!("number {number}")
            }
            (_, None) => format!("index {number}"),
        };
        let stored = match number.checked_add(row.plus) {
            Some(stored) if row.plus != 0 && !row.has_no_bytes() => {
                format!(" (stored as {stored})")
            }
            _ => String::new(),
        };
        let why = match (why, pointer.is_some(), &reference.field) {
            (Stray::NoArray, ..) => "refers to an array that is not there",
            (Stray::NoElement, true, _) => "leads to no element of its array",
            (Stray::NoElement, _, Some(_)) => "is that of no element of its array",
            (Stray::NoElement, ..) => "is that of an element that cannot be referred to",
        };
        let what = format!("{what}{stored} {why}").into();
        self.refused(loc, ReadErrorKind::NotAnElement { what })
    }

    /// The position that a rank means; nothing if there is no rank.
    fn rank_at(&mut self, loc: Loc, reference: &'p Reference, item: Item) -> Fallible<Option<u32>> {
        let (Some(number), Some(filter)) = (self.tree.int(item), reference.filter) else {
            return Ok(None);
        };
        let Some(array) = self.referred(reference, loc)? else {
            return Err(self.stray(loc, reference, number, Stray::NoArray));
        };
        self.charge(1)?;
        let ranks = self.ranks(array, filter, loc.node)?;
        let position = usize::try_from(number).ok().and_then(|rank| self.ranked(&ranks, rank));
        if position.is_none() {
            let count = self.count_ranks(&ranks) as u64;
            let kind = ReadErrorKind::IndexOutOfRange { index: number, count };
            return Err(self.refused(loc, kind));
        }
        Ok(position)
    }

    /// Sets the position that a rank means.
    fn set_number(&mut self, loc: Loc, number: u32) {
        let item = Item::Int(number.into());
        match (loc.index(), self.tree.item(loc.whole_row())) {
            (Some(index), Item::Array(array)) => self.tree.set_element(array, index, item),
            _ => self.tree.set_item(loc, item),
        }
    }

    /// The address that a pointer to an element stores.
    pub(crate) fn element_address(&mut self, loc: Loc, row: &'p Row) -> Fallible<Option<u64>> {
        let Some(pointer) = super::address::pointer_type(row, loc) else { return Ok(None) };
        if !matches!(pointer.target, Target::Element) {
            return Ok(None);
        }
        let Some(item) = self.tree.pointer(loc) else { return Ok(None) };
        let (stored, cell) = (item.stored(), item.cell);
        let address = self.target_address(pointer, stored, loc, cell);
        address.map(Some).map_err(|error| Box::new(Fault::Read(error)))
    }

    /// Remembers which element a pointer leads to.
    fn set_element(&mut self, loc: Loc, index: u32, address: u64) {
        if let Some(pointer) = self.tree.pointer_mut(loc) {
            pointer.target = Item::Int(index.into());
            pointer.at = u32::try_from(address).unwrap_or(super::item::UNPLACED);
        }
    }

    /// The element that a pointer refers to, also while the file is being read.
    pub(crate) fn element_of(&mut self, loc: Loc) -> Fallible<Option<Loc>> {
        let row = self.tree.row(loc);
        let Some(reference) = &row.reference else { return Ok(None) };
        let Some(pointer) = super::address::pointer_type(row, loc) else { return Ok(None) };
        if !matches!(pointer.target, Target::Element) {
            return Ok(None);
        }
        self.force_loc(loc)?;
        let Some(number) = self.tree.int(self.tree.item(loc)) else { return Ok(None) };
        let Some(array) = self.referred(reference, loc)? else { return Ok(None) };
        let Some(item) = self.tree.pointer(loc) else { return Ok(None) };
        let known = item.at != item.cell;
        if self.is_reading() && !known {
            let Some(address) = self.element_address(loc, row)? else { return Ok(None) };
            if let Some(index) = self.find_address(array, address)? {
                self.set_element(loc, index, address);
                return Ok(Some(array.at(index)));
            }
            return Err(self.stray(loc, reference, number, Stray::NoElement));
        }
        let index = u32::try_from(number).ok();
        let index = index.filter(|index| u64::from(*index) < self.count_items(array));
        Ok(index.map(|index| array.at(index)))
    }

    /// Position of the element that lies at an address.
    fn find_address(&mut self, array: Loc, address: u64) -> Fallible<Option<u32>> {
        if let Some(map) = self.addresses(array)? {
            return Ok(map.get(address));
        }
        // Targets of an array of pointers are not all read yet.
        let count = u32::try_from(self.count_items(array)).unwrap_or(u32::MAX);
        for index in 0..count {
            self.charge(1)?;
            if self.loc_address(array.at(index), false)?.map(u64::from) == Some(address) {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    /// Whether a number is only a number, because the struct that the path begins in is not around,
    /// as its own struct stands in several places, or because no file of the epoch has the array.
    /// Ranks and pointers need an array everywhere.
    pub(crate) fn refers_to_nothing(&mut self, reference: &Reference, loc: Loc) -> Fallible<bool> {
        let element = super::address::pointer_type(self.tree.row(loc), loc);
        if reference.filter.is_some() || element.is_some() {
            return Ok(false);
        }
        if self.model.is_absent(&reference.array, self.layout.epoch) {
            return Ok(true);
        }
        match &reference.array.start {
            Start::Enclosing(records) => Ok(self.enclosing(records, loc.node)?.is_none()),
            _ => Ok(false),
        }
    }

    /// The array that the references in a row lead into; of a slice, those of its table do.
    pub(crate) fn referred_by(&mut self, loc: Loc) -> Fallible<Option<Loc>> {
        let row = self.tree.row(loc);
        let (by, reference) = match &row.kind {
            RowKind::Slice { table, .. } => {
                let Val::Loc(table) = self.find_first(table, loc.node, None)?.first else {
                    return Ok(None);
                };
                let reference = self.tree.row(table).reference.as_ref();
                (table, reference.filter(|reference| reference.field.is_none()))
            }
            _ => (loc, row.reference.as_ref()),
        };
        reference.map_or(Ok(None), |reference| self.referred(reference, by))
    }

    /// The array that a reference means.
    pub(crate) fn referred(&mut self, reference: &'p Reference, loc: Loc) -> Fallible<Option<Loc>> {
        let begin = self.fixed_start(&reference.array, loc.node);
        let key = begin.map(|node| (core::ptr::from_ref(&reference.array), node));
        if let Some(known) = key.and_then(|key| self.memo.referred.get(&key)) {
            return Ok(Some(*known));
        }
        let Val::Loc(mut array) = self.find_first(&reference.array, loc.node, None)?.first else {
            return Ok(None);
        };
        self.force_known(array)?;
        // A transparent record stands for the array in it.
        while let Item::Node(node) = self.tree.item(array) {
            match self.tree.record(node).transparent {
                Some(row) => array = Loc::row(node, row),
                None => break,
            }
        }
        let found = matches!(self.tree.item(array), Item::Array(_)).then_some(array);
        if let (Some(key), Some(found)) = (key, found) {
            self.memo.referred.insert(key, found);
        }
        Ok(found)
    }
}
