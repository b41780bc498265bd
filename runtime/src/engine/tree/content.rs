//! What is in a row or element.

use super::super::item::{ArrayRef, Blob, From, Item, Loc, NodeRef, CASE, UNPLACED, WHOLE};
use super::super::node::{Node, Order, AROUND_CASE, FORM, NOTHING, SHOWN};
use super::super::packed::Slot;
use super::super::plan::{Direction, Number, Place, RowPlan, Store};
use super::cells::{as_wide, cell_order, float, integer, load, number, order_in};
use super::{Pointer, Tree};
use crate::load::{mask, Endian};
use crate::model::{
    Cell, Content, IntType, Meaning, RecordId, RecordKind, Row, RowId, Storage, Type,
};

impl<'p> Tree<'p, '_> {
    /// What is in the row of a type that is nothing but a union.
    pub(super) fn case_item(&self, node: NodeRef) -> Item {
        let own = self.own_node(node);
        match own.is(SHOWN) {
            true if own.is(NOTHING) => Item::Absent,
            true => {
                let part = if own.is(FORM) { CASE } else { 0 };
                Item::Node(NodeRef { part, ..NodeRef::own(node.id + 1) })
            }
            false => Item::Unset,
        }
    }

    /// Changes the slot of a row, if it has one. The row of a type that is nothing but a union has none,
    /// since the places of the two are the same.
    pub(crate) fn change_slot(&mut self, loc: Loc, change: impl FnOnce(&mut Slot)) -> bool {
        let Some(at) = self.slot_index(loc) else { return false };
        let mut slot = self.slots.get(at);
        change(&mut slot);
        self.slots.set(at, slot);
        true
    }

    /// Sets what is in a row that has a slot.
    pub(crate) fn set_item(&mut self, loc: Loc, item: Item) {
        if let Some(slot) = self.slot_index(loc) {
            self.slots.set_item(slot, item);
        } else if self.is_around_case(loc.node) {
            let own = self.own_node_mut(loc.node);
            own.set(SHOWN, !item.is_unset());
            own.set(NOTHING, item.is_absent());
        }
    }

    /// The row of a form that stands for a row of its case.
    pub(super) fn spelled(&self, loc: Loc) -> Option<Loc> {
        let node = loc.node.whole();
        let row = self.plan(node).spelled.get(loc.row.index()).copied().flatten()?;
        Some(Loc::row(node, row).indexed(loc.index()))
    }

    /// The place where a row is looked up: of a case with forms, in the form.
    pub(super) fn real(&self, loc: Loc) -> Option<Loc> {
        if loc.node.part == CASE && self.case_record(loc.node.id).is_some() {
            return self.spelled(loc);
        }
        Some(loc)
    }

    /// The row of a form in which a row of its case stands.
    pub(crate) fn in_form(&self, loc: Loc) -> Option<Loc> {
        let formed = loc.node.part == CASE && self.case_record(loc.node.id).is_some();
        self.spelled(loc).filter(|_| formed)
    }

    /// What is in a row itself: of a pointer, the pointer.
    #[must_use]
    #[inline]
    pub fn entry(&self, loc: Loc) -> Item {
        let item = self.row_entry(loc.node, loc.row);
        match loc.index() {
            None => item,
            Some(index) => match self.element_entry(item, index) {
                Item::Absent if self.is_in_array() => self.element_so_far(loc, index),
                element => element,
            },
        }
    }

    /// What is in an element of what is in a row.
    pub(super) fn element_entry(&self, item: Item, index: u32) -> Item {
        match self.through(item) {
            Item::Array(array) => self.element(array, index).unwrap_or(Item::Absent),
            _ => Item::Absent,
        }
    }

    /// What is in a row itself.
    #[inline]
    pub(crate) fn row_entry(&self, node: NodeRef, row: RowId) -> Item {
        if node.part != 0 || node.is_element() {
            return self.entry_of_part(node, row);
        }
        // What is asked for most.
        let own = self.own_node(node);
        if own.is(AROUND_CASE) && node.id & 1 == 0 {
            return if row == RowId(0) { self.case_item(node) } else { Item::Absent };
        }
        match self.plans[own.record.index()].rows.get(row.index()) {
            Some(RowPlan { store: Store::Slot(slot), .. }) => {
                self.slots.item(own.slots as usize + usize::from(*slot))
            }
            Some(planned) => self.entry_in_place(node, row, own, planned),
            None => Item::Absent,
        }
    }

    pub(super) fn entry_in_place(
        &self,
        node: NodeRef,
        row: RowId,
        own: &Node,
        planned: &RowPlan,
    ) -> Item {
        if self.is_all_in_place() {
            match (&planned.number, planned.store) {
                (Some(number), _) => return self.plain_number(own, number),
                (None, Store::Part(part)) => return Item::Node(NodeRef { part, ..node }),
                _ => {}
            }
        }
        self.entry_anywhere(Loc::row(node, row))
    }

    pub(super) fn entry_of_part(&self, node: NodeRef, row: RowId) -> Item {
        if node.part == CASE {
            return self.entry_anywhere(Loc::row(node, row));
        }
        if node.is_element() {
            let there = self.entry_of_element(node, row);
            return there.unwrap_or_else(|| self.entry_anywhere(Loc::row(node, row)));
        }
        let own = self.own_node(node);
        let part = self.own_part(own, node.part);
        let Some(planned) = self.plans[part.record.index()].rows.get(row.index()) else {
            return Item::Absent;
        };
        if let Store::Slot(slot) = planned.store {
            return self.slots.item(own.slots as usize + usize::from(part.slots + slot));
        }
        match (planned.number, part.place) {
            (Some(number), Place::Home(at)) if self.is_all_in_place() => {
                let order = number.order.or(part.order);
                self.plain_number(own, &Number { at: at + number.at, order, ..number })
            }
            _ => self.entry_anywhere(Loc::row(node, row)),
        }
    }

    /// Whether rows in place have nothing but what their bytes say.
    #[inline]
    pub(super) fn is_all_in_place(&self) -> bool {
        self.odd.is_empty() && self.has_read_all()
    }

    /// What is in a row of an element of a compact array, or of a part of one, if that is a number in
    /// whole bytes or a part: there are many of them, and all rows are in place.
    #[inline]
    fn entry_of_element(&self, node: NodeRef, row: RowId) -> Option<Item> {
        if !self.is_all_in_place() {
            return None;
        }
        let (record, spot) = self.element_spot(node)?;
        self.entry_at(node, record, spot, row)
    }

    /// The same where its record and place are known.
    #[inline]
    pub(super) fn entry_at(
        &self,
        node: NodeRef,
        record: RecordId,
        (from, at, order): (From, u32, Endian),
        row: RowId,
    ) -> Option<Item> {
        let planned = self.plan_of(record).rows.get(row.index())?;
        let offset = match (planned.store, planned.place) {
            (Store::Part(part), _) => {
                return Some(Item::Node(NodeRef { part: node.part + part, ..node }));
            }
            (Store::Cell, Place::Home(offset) | Place::Tail(offset)) => offset,
            _ => return None,
        };
        if let Some(number) = &planned.number {
            let order = order_in(from, number.order).unwrap_or(order);
            let raw = self.load(from, at + offset, number.bytes, order);
            return Some(integer(raw, u32::from(number.bytes) * 8, number.signed));
        }
        let definition = &self.layout.model.records[record.index()].rows[row.index()];
        let Type::Cell(cell @ Cell { storage: Storage::Fixed(int), .. }) = &definition.ty else {
            return None;
        };
        let order = cell_order(from, *int, order);
        Some(self.meant(self.load(from, at + offset, int.bytes, order), cell, definition))
    }

    /// The record of an element of a compact array, or of a part of one, and where it begins.
    #[inline]
    pub(super) fn element_spot(&self, node: NodeRef) -> Option<(RecordId, (From, u32, Endian))> {
        let records = self.records_of(node);
        let at = records.first + records.stride * node.element;
        if node.part == 0 {
            return Some((records.record, (records.from, at, records.order)));
        }
        let parts = &self.plan_of(records.record).parts;
        let part = &parts[usize::from(node.part)];
        let (Place::Home(offset) | Place::Tail(offset)) = part.place else { return None };
        let order = order_in(records.from, part.order).unwrap_or(records.order);
        Some((part.record, (records.from, at + offset, order)))
    }

    #[inline]
    pub(super) fn plain_number(&self, own: &Node, number: &Number) -> Item {
        let (bytes, at, order) = match self.direction {
            Direction::Reading => {
                let order = match (number.order, own.order()) {
                    (Some(order), _) | (None, Order::Known(order)) => order,
                    (None, Order::Asked) => Endian::Little,
                };
                (self.file, own.at, order)
            }
            Direction::Writing => (&self.own[..], own.tag_or_block, Endian::Little),
        };
        let raw = load(bytes, (at + number.at) as usize, number.bytes, order);
        integer(raw, u32::from(number.bytes) * 8, number.signed)
    }

    pub(super) fn entry_anywhere(&self, row: Loc) -> Item {
        match self.real(row) {
            // A case says what none of its forms has.
            None => Item::Absent,
            Some(real) if real.row == WHOLE => Item::Absent,
            Some(real) if real.node.part == row.node.part => self.own_entry(real),
            Some(real) => self.as_logical(self.own_entry(real), row),
        }
    }

    /// What a form says, as its case has it: a float of the field's width, and constants as they are
    /// where they are stored.
    pub(super) fn as_logical(&self, item: Item, loc: Loc) -> Item {
        let cell = match (self.row(loc).ty.stripped(), item) {
            (Type::Cell(cell), _) => cell,
            _ => return item,
        };
        match (&cell.meaning, item) {
            (Meaning::Float(_), item) => as_wide(item, cell),
            (Meaning::Bool { .. }, Item::Int(n)) => Item::Bool(n != 0),
            (Meaning::Int, Item::Bool(yes)) => Item::Int(yes.into()),
            _ => item,
        }
    }

    pub(super) fn own_entry(&self, loc: Loc) -> Item {
        let plan = self.row_plan(loc.node, loc.row);
        match plan.store {
            Store::Slot(_) if self.is_around_case(loc.node) => self.case_item(loc.node),
            Store::Slot(slot) => self.slots.item(self.slots_of(loc.node) + usize::from(slot)),
            Store::Part(_) if self.is_unread_part(loc) => Item::Unset,
            // Parts of a part follow it in the list of the node around.
            Store::Part(part) => Item::Node(NodeRef { part: loc.node.part + part, ..loc.node }),
            _ if self.is_unread(loc).is_some() => Item::Unset,
            Store::Absent | Store::Said => plan.said,
            _ if !self.odd.is_empty() && self.odd.contains_key(&loc) => self.odd[&loc],
            Store::Cell => match &self.row(loc).ty {
                Type::Cell(cell) => self.meant(self.raw(loc, cell), cell, self.row(loc)),
                _ => Item::Absent,
            },
            Store::Cells(_) => {
                let row = u16::try_from(loc.row.0).unwrap_or(u16::MAX);
                let NodeRef { id, element, part } = loc.node;
                Item::Array(ArrayRef::Inline { id, element, part, row })
            }
            Store::Bytes(size) | Store::Fill(size) => self.run(loc, size),
        }
    }

    pub(super) fn source(&self, from: From) -> &[u8] {
        match from {
            From::File => self.file,
            From::Own => &self.own,
            From::Literal => &self.layout.literals,
        }
    }

    /// All bits of a packed word.
    pub(crate) fn word(&self, node: NodeRef) -> u64 {
        // All of its rows are where it is.
        let there = match node.is_element() {
            true => self.element_spot(node),
            false => self.spot(Loc::row(node, RowId(0))).map(|spot| (self.record_id(node), spot)),
        };
        let Some((record, spot)) = there else { return 0 };
        match self.layout.model.records[record.index()].kind {
            RecordKind::Word(int) => self.whole_word(node, int, spot) & self.plan_of(record).mask,
            _ => 0,
        }
    }

    /// A packed word, with the bits that are in no row, by the position of any row of it.
    fn whole_word(&self, node: NodeRef, int: IntType, spot: (From, u32, Endian)) -> u64 {
        // A word with a node of its own has its bits there when it is read.
        if node.part == 0 && self.is_reading() {
            return self.tag(node) as u64;
        }
        let (from, at, order) = spot;
        self.load(from, at, int.bytes, cell_order(from, int, order))
    }

    /// The bytes of a cell in place as a number; of a bit field, its bits.
    pub(crate) fn raw(&self, loc: Loc, cell: &Cell) -> u64 {
        let Some((from, at, order)) = self.spot(loc) else { return 0 };
        match cell.storage {
            Storage::Fixed(int) => self.load(from, at, int.bytes, cell_order(from, int, order)),
            Storage::Word { first, last, .. } => {
                let word = match self.record(loc.node).kind {
                    RecordKind::Word(int) => self.whole_word(loc.node, int, (from, at, order)),
                    _ => self.tag(loc.node) as u64,
                };
                word.checked_shr(first.into()).unwrap_or(0) & mask(last - first + 1)
            }
            _ => 0,
        }
    }

    pub(super) fn load(&self, from: From, at: u32, bytes: u8, order: Endian) -> u64 {
        load(self.source(from), at as usize, bytes, order)
    }

    /// What the bits of a cell are in a row: nothing, or less what is added to it.
    pub(crate) fn meant(&self, raw: u64, cell: &Cell, row: &Row) -> Item {
        match cell.meaning {
            Meaning::Float(_) => float(raw, cell),
            Meaning::Bool { .. } => Item::Bool(raw != 0),
            Meaning::Int | Meaning::Enum(_) | Meaning::Word(_) => {
                let (bits, signed) = self.model().cell_range(cell);
                let number = number(raw, bits, signed);
                if row.none.contains(&number) {
                    return Item::Absent;
                }
                // Of 64 bits, less what a schema states: never beyond 128.
                let number = number - row.plus;
                Item::small(number).unwrap_or(Item::Absent)
            }
        }
    }

    /// A row of bytes or text in place.
    pub(super) fn run(&self, loc: Loc, len: u32) -> Item {
        let Some((from, start, _)) = self.spot(loc) else { return Item::Absent };
        let blob = Blob { from, start, len };
        match self.row(loc).ty.stripped() {
            Type::Run(run) if matches!(run.content, Content::Text(_)) => Item::Text(blob),
            _ => Item::Bytes(blob),
        }
    }

    /// What an item is behind its pointers.
    #[must_use]
    #[inline]
    pub fn through(&self, mut item: Item) -> Item {
        while let Item::Pointer(pointer) = item {
            item = self.pointers[pointer as usize].target;
        }
        item
    }

    /// What is in a row or element, through pointers.
    #[must_use]
    #[inline]
    pub fn item(&self, loc: Loc) -> Item {
        self.through(self.entry(loc))
    }

    /// The pointer in a row or element.
    #[inline]
    pub(crate) fn pointer(&self, loc: Loc) -> Option<&Pointer> {
        match self.entry(loc) {
            Item::Pointer(pointer) => Some(&self.pointers[pointer as usize]),
            _ => None,
        }
    }

    pub(crate) fn pointer_mut(&mut self, loc: Loc) -> Option<&mut Pointer> {
        match self.entry(loc) {
            Item::Pointer(pointer) => Some(&mut self.pointers[pointer as usize]),
            _ => None,
        }
    }

    pub(crate) fn add_pointer(&mut self, pointer: Pointer) -> Item {
        let number = u32::try_from(self.pointers.len()).unwrap_or(UNPLACED);
        self.pointers.push(pointer);
        Item::Pointer(number)
    }
}
