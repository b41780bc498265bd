//! References: numbers and pointers that must hit an element of an array.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use formwork::ReadErrorKind;
use formwork_model::{ExprId, RecordId, Reference, Row, RowId, Target, Type};

use crate::engine::{Engine, Fallible, Fault};
use crate::eval::{Place, Val};
use crate::tree::{Item, Loc, NodeId, through};

/// What many references need again and again.
#[derive(Default)]
pub(crate) struct Arrays {
    /// Elements for which a filter holds, by array, record that asks, and filter.
    ranks: HashMap<(NodeId, RowId, RecordId, ExprId), Rc<Vec<u32>>>,
    /// Positions of elements by address.
    addresses: HashMap<(NodeId, RowId), Rc<HashMap<u64, u32>>>,
    /// Contents of a field of all elements.
    contents: HashMap<(NodeId, RowId, String), Rc<HashSet<i128>>>,
}

impl<'m> Engine<'m, '_> {
    pub(crate) fn resolve_reference(
        &mut self,
        loc: Loc,
        row: &'m Row,
        arrays: &mut Arrays,
    ) -> Fallible<()> {
        let Some(reference) = &row.reference else { return Ok(()) };
        match through(&self.tree.slot(loc.node, loc.row).item) {
            Item::Absent | Item::Unset => Ok(()),
            Item::Array(array) => {
                let count = u32::try_from(array.items.len()).unwrap_or(u32::MAX);
                for index in 0..count {
                    let element = Loc { index: Some(index), ..loc };
                    self.resolve_one(element, reference, arrays)?;
                }
                Ok(())
            }
            _ => self.resolve_one(loc, reference, arrays),
        }
    }

    fn resolve_one(
        &mut self,
        loc: Loc,
        reference: &'m Reference,
        arrays: &mut Arrays,
    ) -> Fallible<()> {
        let number = match self.tree.item(loc) {
            Item::Int(n) => *n,
            _ => return Ok(()),
        };
        self.charge(1)?;
        let Some(array) = self.referred(reference, loc)? else {
            return Err(self.refused(loc, ReadErrorKind::NotAnElement { target: number }));
        };
        let count = self.count_items(array);
        let out = ReadErrorKind::IndexOutOfRange { index: number, count };
        if let Some(address) = self.element_address(loc)? {
            let addresses = self.addresses(array, arrays)?;
            return match addresses.get(&address).copied() {
                Some(index) => {
                    self.set_element(loc, index, address);
                    Ok(())
                }
                None => Err(self.refused(loc, ReadErrorKind::NotAnElement { target: number })),
            };
        }
        if let Some(field) = &reference.field {
            let contents = self.contents(array, field, arrays)?;
            return if contents.contains(&number) {
                Ok(())
            } else {
                Err(self.refused(loc, ReadErrorKind::NotAnElement { target: number }))
            };
        }
        if let Some(filter) = &reference.filter {
            let ranks = self.ranks(array, *filter, loc.node, arrays)?;
            let index = usize::try_from(number).ok().and_then(|n| ranks.get(n)).copied();
            return match index {
                Some(index) => {
                    if let Some(entry) = self.tree.entry_mut(loc) {
                        *entry = Item::Int(index.into());
                    }
                    Ok(())
                }
                None => Err(self.refused(
                    loc,
                    ReadErrorKind::IndexOutOfRange { index: number, count: ranks.len() as u64 },
                )),
            };
        }
        if number < 0 || number >= i128::from(count) {
            return Err(self.refused(loc, out));
        }
        Ok(())
    }

    /// The address that a pointer to an element stores.
    fn element_address(&mut self, loc: Loc) -> Fallible<Option<u64>> {
        let Type::Pointer(pointer) = &self.row(loc).ty else { return Ok(None) };
        if !matches!(pointer.target, Target::Element) {
            return Ok(None);
        }
        let Some((stored, cell)) = self.tree.pointer_mut(loc).map(|item| (item.stored, item.cell))
        else {
            return Ok(None);
        };
        let address = self.target_address(pointer, stored, loc, cell);
        address.map(Some).map_err(|error| Box::new(Fault::Read(error)))
    }

    /// Remembers which element a pointer leads to.
    fn set_element(&mut self, loc: Loc, index: u32, address: u64) {
        if let Some(pointer) = self.tree.pointer_mut(loc) {
            pointer.target = Item::Int(index.into());
            pointer.at = address;
        }
    }

    /// The element that a pointer refers to, also while the file is being read.
    pub(crate) fn element_of(&mut self, loc: Loc) -> Fallible<Option<Loc>> {
        let row = self.row(loc);
        let Some(reference) = &row.reference else { return Ok(None) };
        let Type::Pointer(pointer) = &row.ty else { return Ok(None) };
        if !matches!(pointer.target, Target::Element) {
            return Ok(None);
        }
        self.force_loc(loc)?;
        let Item::Int(number) = *self.tree.item(loc) else { return Ok(None) };
        let Some(array) = self.referred(reference, loc)? else { return Ok(None) };
        let known = match self.tree.pointer_mut(loc) {
            Some(pointer) => pointer.at != pointer.cell,
            None => return Ok(None),
        };
        if self.is_reading() && !known {
            let Some(address) = self.element_address(loc)? else { return Ok(None) };
            let count = u32::try_from(self.count_items(array)).unwrap_or(u32::MAX);
            for index in 0..count {
                self.charge(1)?;
                let element = Loc { index: Some(index), ..array };
                if self.loc_address(element, false)? == Some(address) {
                    self.set_element(loc, index, address);
                    return Ok(Some(element));
                }
            }
            return Err(self.refused(loc, ReadErrorKind::NotAnElement { target: number }));
        }
        let index = u32::try_from(number).ok();
        let inside = index.is_some_and(|index| u64::from(index) < self.count_items(array));
        Ok(inside.then_some(Loc { index, ..array }))
    }

    /// The array that a reference means.
    pub(crate) fn referred(&mut self, reference: &'m Reference, loc: Loc) -> Fallible<Option<Loc>> {
        let found = self.find(&reference.array, loc.node, None)?;
        match found.values.into_iter().next() {
            Some(Val::Place(Place::Loc(mut array))) => {
                self.force_loc(array)?;
                // A transparent record stands for the array in it.
                while let Item::Node(node) = self.tree.item(array) {
                    let node = *node;
                    match self.record(node).transparent {
                        Some(row) => array = Loc::row(node, row),
                        None => break,
                    }
                }
                Ok(matches!(self.tree.item(array), Item::Array(_)).then_some(array))
            }
            _ => Ok(None),
        }
    }

    fn addresses(&mut self, array: Loc, arrays: &mut Arrays) -> Fallible<Rc<HashMap<u64, u32>>> {
        if let Some(known) = arrays.addresses.get(&(array.node, array.row)) {
            return Ok(Rc::clone(known));
        }
        let count = u32::try_from(self.count_items(array)).unwrap_or(u32::MAX);
        let mut addresses = HashMap::new();
        for index in (0..count).rev() {
            let element = Loc { index: Some(index), ..array };
            if let Some(at) = self.loc_address(element, false)? {
                addresses.insert(at, index);
            }
        }
        let addresses = Rc::new(addresses);
        arrays.addresses.insert((array.node, array.row), Rc::clone(&addresses));
        Ok(addresses)
    }

    fn contents(
        &mut self,
        array: Loc,
        field: &str,
        arrays: &mut Arrays,
    ) -> Fallible<Rc<HashSet<i128>>> {
        let key = (array.node, array.row, field.to_owned());
        if let Some(known) = arrays.contents.get(&key) {
            return Ok(Rc::clone(known));
        }
        let contents: HashSet<i128> = self.field_contents(array, field).into_iter().collect();
        self.charge(contents.len() as u64)?;
        let contents = Rc::new(contents);
        arrays.contents.insert(key, Rc::clone(&contents));
        Ok(contents)
    }

    /// Numbers in a field of all elements.
    pub(crate) fn field_contents(&self, array: Loc, field: &str) -> Vec<i128> {
        let Item::Array(list) = self.tree.item(array) else { return Vec::new() };
        list.items
            .iter()
            .filter_map(|item| {
                let Item::Node(node) = through(item) else { return None };
                let rows = &self.record(*node).rows;
                let row = rows.iter().position(|row| row.name.as_deref() == Some(field))?;
                let row = RowId(u32::try_from(row).ok()?);
                match self.tree.item(Loc::row(*node, row)) {
                    Item::Int(n) => Some(*n),
                    _ => None,
                }
            })
            .collect()
    }

    fn ranks(
        &mut self,
        array: Loc,
        filter: ExprId,
        this: NodeId,
        arrays: &mut Arrays,
    ) -> Fallible<Rc<Vec<u32>>> {
        let key = (array.node, array.row, self.tree.node(this).record, filter);
        if let Some(known) = arrays.ranks.get(&key) {
            return Ok(Rc::clone(known));
        }
        let ranks = Rc::new(self.filtered(array, filter, this)?);
        arrays.ranks.insert(key, Rc::clone(&ranks));
        Ok(ranks)
    }

    /// Positions of the elements for which a filter holds.
    pub(crate) fn filtered(
        &mut self,
        array: Loc,
        filter: ExprId,
        this: NodeId,
    ) -> Fallible<Vec<u32>> {
        let count = u32::try_from(self.count_items(array)).unwrap_or(u32::MAX);
        let mut ranks = Vec::new();
        for index in 0..count {
            let it = Val::Place(Place::Loc(Loc { index: Some(index), ..array }));
            if self.eval_bool(filter, this, Some(&it))? {
                ranks.push(index);
            }
        }
        Ok(ranks)
    }
}
