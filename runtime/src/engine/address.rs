//! Addresses of what is in the tree.

use alloc::boxed::Box;
use alloc::format;

use super::item::{Item, Loc, NodeRef, UNPLACED};
use super::read::Cursor;
use super::reading::{short, Read};
use super::state::{Base, Engine};
use super::val::{eval_error, Fallible, Fault, Val};
use crate::error::ReadErrorKind;
use crate::model::{Path, PointerId, PointerType, Row, RowKind, Storage, Target, Type};

impl<'p> Engine<'p, '_> {
    /// What the number of a pointer in a node counts from.
    pub(crate) fn pointer_base(&mut self, kind: PointerId, node: NodeRef) -> Fallible<i128> {
        let Some(base) = self.model.pointers[kind.index()].base else { return Ok(0) };
        let asked = self.bases.get(kind.index()).copied().unwrap_or_default();
        if let Base::Known(number, units) = asked {
            // That something is remembered does not decide which files are refused.
            self.charge(units)?;
            return Ok(number);
        }
        let before = self.budget.left();
        let number = self.eval_int(base, node, None)?;
        // Of a file that is written all addresses are known when its size is.
        let known = self.is_placed_or_read();
        if let (Some(number), true) = (number, known && self.layout.is_fixed(base)) {
            self.bases.resize(self.model.pointers.len(), Base::default());
            // Who asked first may have read what the number counts from.
            self.bases[kind.index()] = match asked {
                Base::Unknown => Base::Asked,
                _ => Base::Known(number, before - self.budget.left()),
            };
        }
        Ok(number.unwrap_or(0))
    }

    /// Something about a row or element follows from its place, which is not known yet.
    pub(crate) fn not_placed(&self, what: &str, loc: Loc) -> Fault {
        Fault::NotPlaced(format!("{what} of `{}`", self.describe(loc)))
    }

    /// Address of the first byte at a path, or behind the last.
    pub(crate) fn address(
        &mut self,
        path: &'p Path,
        this: NodeRef,
        it: Option<Val>,
        end: bool,
    ) -> Fallible<Val> {
        let first = self.find_first(path, this, it)?.first;
        let address = match first {
            Val::Node(node) => self.node_address(node, end),
            Val::Loc(loc) if !end && self.opened_at(loc).is_some() => {
                let address = self.opened_address(loc).map_err(|e| Box::new(Fault::Read(e)))?;
                return Ok(address.map_or(Val::None, |address| Val::Int(address.into())));
            }
            Val::Loc(loc) => {
                if !end {
                    if let Some(at) = self.address_ahead(loc)? {
                        return Ok(Val::Int(at.into()));
                    }
                }
                // While a row is being read its own address is known already, and while writing that of
                // a number is before the number.
                if !self.is_busy(loc) && !self.is_number_in_place(loc) {
                    self.force_loc(loc)?;
                }
                match self.loc_address(loc, end)? {
                    Some(address) => address,
                    None => return Ok(Val::None),
                }
            }
            _ => return Ok(Val::None),
        };
        if address != UNPLACED {
            return Ok(Val::Int(address.into()));
        }
        match self.bounded_end(first).filter(|_| end) {
            Some(end) => Ok(Val::Int(end.into())),
            None => Err(Box::new(Fault::NotPlaced(format!("address of `{}`", path.text)))),
        }
    }

    /// Where something ends that is being read, if its region says so.
    fn bounded_end(&self, of: Val) -> Option<u64> {
        let loc = match of {
            Val::Loc(loc) => loc,
            Val::Node(node) => self.tree.holder(self.tree.enclosing_struct(node))?,
            _ => return None,
        };
        let mut bounded = self.reading.bounded.iter().rev();
        bounded.find(|(row, _)| *row == loc).map(|(_, end)| *end)
    }

    /// Whether a row that is written is a number of a fixed size, which is where it is whatever it is.
    fn is_number_in_place(&self, loc: Loc) -> bool {
        if self.is_reading() {
            return false;
        }
        let Some(row) = self.tree.record(loc.node).rows.get(loc.row.index()) else { return false };
        let fixed = matches!(&row.ty, Type::Cell(cell) if !cell.storage.varies());
        fixed
            && loc.index().is_none()
            && row.when.is_none()
            && row.none.is_empty()
            && row.reference.is_none()
    }

    /// Where a row begins of which it is being found out how far it reaches; nothing for a pointer that
    /// leads nowhere.
    pub(crate) fn opened_at(&self, loc: Loc) -> Option<Option<u64>> {
        let opening = self.reading.opening.iter().rev();
        opening.filter(|(row, _)| *row == loc.whole_row()).map(|(_, at)| *at).next()
    }

    /// Address of such a row, or of what an element of it points to: of pointers that follow one
    /// another each is where it is whether or not those before it have been read.
    fn opened_address(&mut self, loc: Loc) -> Read<Option<u64>> {
        let Some(Some(at)) = self.opened_at(loc) else { return Ok(None) };
        let (Some(index), row) = (loc.index(), self.tree.row(loc)) else { return Ok(Some(at)) };
        let Some(pointer) = pointer_type(row, loc).filter(|_| !is_strided(row)) else {
            return Ok(None);
        };
        let kind = &self.model.pointers[pointer.kind.index()];
        let storage = pointer.cell.as_ref().unwrap_or(&kind.cell);
        let Storage::Fixed(int) = storage.storage else { return Ok(None) };
        let at = at + u64::from(index) * u64::from(int.bytes);
        let claimed = self.claimed();
        let mut cursor = Cursor::new(at, self.tree.file.len() as u64);
        let stored = self.read_cell(storage, &[], loc, &mut cursor)?;
        self.unclaim(claimed);
        let stored = self.tree.int(stored).unwrap_or(0);
        if kind.none == Some(stored) || row.none.contains(&stored) {
            return match pointer.optional {
                true => Ok(None),
                false => Err(self.error(ReadErrorKind::NullPointer, at, loc)),
            };
        }
        self.target_address(pointer, stored, loc, short(at)).map(Some)
    }

    /// Where the target of a pointer is that has not been read, which may ask for what comes before it.
    fn address_ahead(&mut self, loc: Loc) -> Fallible<Option<u64>> {
        let pending = if self.is_reading() { self.pending(loc) } else { None };
        let Some((pointer, item)) = pending.zip(self.tree.pointer(loc)) else { return Ok(None) };
        let Some(own) = pointer.owned() else { return Ok(None) };
        let (stored, cell) = (item.stored(), item.cell);
        let none = self.model.pointers[pointer.kind.index()].none == Some(stored)
            || self.tree.row(loc).none.contains(&stored);
        // One more pointer has to be read.
        if none || matches!(own.stripped(), Type::Pointer(_)) {
            return Ok(None);
        }
        let at = self.target_address(pointer, stored, loc, cell);
        at.map(Some).map_err(|error| Box::new(Fault::Read(error)))
    }

    fn node_address(&self, node: NodeRef, end: bool) -> u32 {
        let node = self.tree.enclosing_struct(node);
        let at = self.tree.node_at(node);
        if !end {
            return at;
        }
        let end = self.tree.node_end(node);
        if end != UNPLACED {
            return end;
        }
        // A record of fixed size ends where that size does, also while it is being read.
        match self.tree.plan(node).block {
            Some(size) if at != UNPLACED && !self.tree.record(node).open => at.saturating_add(size),
            _ => UNPLACED,
        }
    }

    /// Address of an element of an array that may still be being read: structs know their own.
    fn address_so_far(&self, loc: Loc, index: u32, end: bool) -> Fallible<Option<u32>> {
        let Some(count) = self.tree.count_so_far(loc.whole_row()) else { return Ok(None) };
        if index >= count {
            return Ok(None);
        }
        match self.tree.entry(loc) {
            Item::Node(node) if self.tree.case_of(node).is_none() => {
                Ok(Some(self.node_address(node, end)))
            }
            _ => eval_error(format!("where `{}` is, is not known yet", self.describe(loc))),
        }
    }

    /// Address of what is in a row or element; `None` if it is not there.
    pub(crate) fn loc_address(&mut self, loc: Loc, end: bool) -> Fallible<Option<u32>> {
        let mut here = if end { self.tree.row_end(loc) } else { self.tree.row_at(loc) };
        if let Some(index) = loc.index() {
            let Item::Array(array) = self.tree.item(loc.whole_row()) else {
                return self.address_so_far(loc, index, end);
            };
            if index >= self.tree.count(array) {
                return Ok(None);
            }
            here = self.tree.element_at(array, index, end);
        }
        // The padding of a text belongs to its row, and is in front of it.
        if !end && here != UNPLACED {
            if let Some(ty) = type_of(self.tree.row(loc), loc) {
                here = short(ty.stripped().start(here.into()));
            }
        }
        let mut item = self.tree.entry(loc);
        let mut pointed = false;
        while let Item::Pointer(pointer) = item {
            let pointer = &self.tree.pointers[pointer as usize];
            here = if end { pointer.end } else { pointer.at };
            item = pointer.target;
            pointed = true;
        }
        let unplaced = pointed && here == UNPLACED;
        if unplaced && item.is_there() && self.writing.total.is_some() {
            let row = self.tree.row(loc);
            if let Some(pointer) = pointer_type(row, loc) {
                if matches!(pointer.target, Target::Pooled) {
                    return self.member_address(loc, pointer, item).map(Some);
                }
            }
        }
        match item {
            Item::Absent if !leads_to_nothing(self.tree.row(loc)) => Ok(None),
            // An object whose condition does not hold.
            Item::Absent if !pointed && here == UNPLACED && self.is_placed_or_read() => Ok(None),
            // Its pointer is none, or it is not placed yet.
            Item::Array(_) | Item::Bytes(_) if unplaced => {
                Ok((!self.has_no_place(loc)).then_some(UNPLACED))
            }
            // The file says it, whether or not the array has been read.
            Item::Int(_) if !end && pointed && self.is_reading() => {
                let address = self.element_address(loc, self.tree.row(loc))?;
                Ok(Some(address.map_or(here, short)))
            }
            Item::Int(_) if self.tree.row(loc).reference.is_some() => match self.element_of(loc)? {
                Some(element) => self.loc_address(element, end),
                None => Ok(Some(here)),
            },
            // What a struct fills may end behind it.
            Item::Node(_)
                if here != UNPLACED
                    && loc.index().is_none()
                    && matches!(self.tree.row(loc).ty, Type::Region(_)) =>
            {
                Ok(Some(here))
            }
            Item::Node(node) if self.tree.case_of(node).is_none() => {
                Ok(Some(self.node_address(node, end)))
            }
            _ => Ok(Some(here)),
        }
    }

    /// Whether everything has its address that will have one.
    fn is_placed_or_read(&self) -> bool {
        self.is_reading() || self.writing.total.is_some()
    }

    /// Whether what a row or element points to, and has no address, will never have one. In a file,
    /// what was read without one has none.
    fn has_no_place(&self, loc: Loc) -> bool {
        self.is_reading()
            || pointer_type(self.tree.row(loc), loc).is_some_and(|of| self.is_left_out(loc, of))
    }
}

/// Whether a row always leads to a place without bytes. Such a place has an address.
pub(crate) fn leads_to_nothing(row: &Row) -> bool {
    match row.ty.stripped() {
        Type::Nothing => matches!(row.kind, RowKind::Object { .. }),
        Type::Pointer(pointer) => {
            !pointer.optional && matches!(&pointer.target, Target::Own(Type::Nothing))
        }
        _ => false,
    }
}

/// Whether the elements of a row are regions of their own.
fn is_strided(row: &Row) -> bool {
    let mut ty = row.ty.stripped();
    while let Type::Pointer(pointer) = ty {
        let Some(owned) = pointer.owned() else { return false };
        ty = owned.stripped();
    }
    matches!(ty, Type::Array(array) if array.stride.is_some())
}

/// What a row or element is, with what bounds it.
pub(crate) fn type_of(row: &Row, loc: Loc) -> Option<&Type> {
    if loc.index().is_none() {
        return Some(&row.ty);
    }
    let mut ty = row.ty.stripped();
    while let Type::Pointer(pointer) = ty {
        ty = pointer.owned()?.stripped();
    }
    match ty {
        Type::Array(array) => Some(&array.element),
        _ => None,
    }
}

/// The pointer that a row or element is.
pub(crate) fn pointer_type(row: &Row, loc: Loc) -> Option<&PointerType> {
    match type_of(row, loc)?.stripped() {
        Type::Pointer(pointer) => Some(pointer),
        _ => None,
    }
}
