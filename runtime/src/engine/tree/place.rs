//! Where nodes and rows are.

use super::super::item::{From, Item, Loc, NodeRef, CASE, UNPLACED, WHOLE};
use super::super::node::Order;
use super::super::partial::Unread;
use super::super::plan::{Direction, Part, Place};
use super::cells::order_in;
use super::{Ground, Tree};
use crate::load::Endian;
use crate::model::{Cell, Home, Record, RecordKind, Storage, Type};

impl<'p> Tree<'p, '_> {
    /// Address that homes in a node count from.
    #[must_use]
    pub fn node_at(&self, node: NodeRef) -> u32 {
        if node.is_element() || !matches!(node.part, 0 | CASE) {
            return self.part_at(node);
        }
        self.own_node(node).at
    }

    /// Address of the first row without a home, of a node of its own.
    pub(crate) fn own_tail(&self, node: NodeRef) -> u32 {
        self.own_node(node).tail
    }

    /// Address of an element or part.
    pub(super) fn part_at(&self, node: NodeRef) -> u32 {
        let (at, tail, part) = if node.is_element() {
            let array = &self.arrays[node.id as usize];
            if array.at == UNPLACED {
                return UNPLACED;
            }
            let records = self.records_of(node);
            let at = array.at + records.stride * node.element;
            let parts = &self.plans[records.record.index()].parts;
            (at, at, &parts[usize::from(node.part)])
        } else {
            let own = self.own_node(node);
            if own.at == UNPLACED {
                return UNPLACED;
            }
            (own.at, own.tail, self.own_part(own, node.part))
        };
        match part.place {
            Place::Home(offset) => at + offset,
            Place::Tail(offset) => tail + offset,
            Place::Moving | Place::Nowhere => UNPLACED,
        }
    }

    /// Address behind a node.
    #[must_use]
    pub fn node_end(&self, node: NodeRef) -> u32 {
        if !node.is_element() && matches!(node.part, 0 | CASE) {
            return self.own_node(node).end;
        }
        if self.is_unread(Loc::row(node, WHOLE)).is_some() {
            return UNPLACED;
        }
        let at = self.node_at(node);
        match self.plan(node).size {
            Some(size) if at != UNPLACED => at + size,
            _ => UNPLACED,
        }
    }

    /// Address of a row's own bytes; of a bit field, of its first byte.
    #[must_use]
    pub fn row_at(&self, loc: Loc) -> u32 {
        let Some(loc) = self.real(loc) else { return UNPLACED };
        if loc.row == WHOLE {
            return UNPLACED;
        }
        if let Some(slot) = self.slot(loc) {
            return match self.row_plan(loc.node, loc.row).follows {
                Some(number) if self.node_at(loc.node) != UNPLACED => {
                    self.node_at(loc.node) + number.at
                }
                _ => slot.at,
            };
        }
        if self.is_unread(loc) == Some(Unread::Before) {
            return UNPLACED;
        }
        let at = self.node_at(loc.node);
        match self.row_plan(loc.node, loc.row).place {
            Place::Home(offset) if at != UNPLACED => at + offset,
            Place::Tail(offset) if at != UNPLACED => self.own_node(loc.node).tail + offset,
            _ => UNPLACED,
        }
    }

    /// Bytes that a row takes, by its name in the record of its node; nothing if it is not placed, or
    /// has more than its content.
    pub(crate) fn size_of_field(&self, record: &Record, node: NodeRef, name: &str) -> Option<u64> {
        let (id, _) = record.numbered_rows().find(|(_, row)| row.name.as_deref() == Some(name))?;
        let loc = self.real(Loc::row(node, id))?;
        let trimmed = matches!(&self.row(loc).ty, Type::Region(region) if region.trim.is_some());
        let (at, end) = (self.row_at(loc), self.row_end(loc));
        if trimmed {
            return None;
        }
        (at != UNPLACED && end != UNPLACED).then_some(u64::from(end.checked_sub(at)?))
    }

    /// Address behind a row's own bytes.
    #[must_use]
    pub fn row_end(&self, loc: Loc) -> u32 {
        let Some(loc) = self.real(loc) else { return UNPLACED };
        if let (Some(number), true) =
            (self.row_plan(loc.node, loc.row).follows, self.node_at(loc.node) != UNPLACED)
        {
            return self.row_at(loc) + u32::from(number.bytes);
        }
        if let Some(slot) = self.slot(loc) {
            let Some(bits) = self.bits(&self.row(loc).ty, slot.item) else { return slot.end };
            let known = slot.at != UNPLACED && slot.item != Item::Unset;
            return if known {
                slot.at + slot.end.saturating_add(bits).div_ceil(8)
            } else {
                UNPLACED
            };
        }
        if self.is_unread(loc).is_some() {
            return UNPLACED;
        }
        let size = self.word_size(loc).or(self.row_plan(loc.node, loc.row).size);
        match (self.row_at(loc), size) {
            (UNPLACED, _) | (_, None) => UNPLACED,
            (at, Some(size)) => at + size,
        }
    }

    /// How many bits an item takes that the bit cursor reads.
    fn bits(&self, ty: &Type, item: Item) -> Option<u32> {
        match (ty, item) {
            (Type::Cell(Cell { storage: Storage::Bits { width, .. }, .. }), _) => {
                Some((*width).into())
            }
            (Type::Array(array), Item::Array(elements)) if ty.is_bits() => {
                let element = self.bits(&array.element, Item::Unset)?;
                Some(element.saturating_mul(self.count(elements)))
            }
            (ty, _) => ty.is_bits().then_some(0),
        }
    }

    /// Bytes of the word around a field of it.
    pub(super) fn word_size(&self, loc: Loc) -> Option<u32> {
        match self.record(loc.node).kind {
            RecordKind::Word(int) => Some(int.bytes.into()),
            _ => None,
        }
    }

    /// Bit of the first byte, or of the word around it, at which a row begins.
    #[must_use]
    pub fn row_bit(&self, loc: Loc) -> u8 {
        let Some(loc) = self.real(loc) else { return 0 };
        let row = self.row(loc);
        match &row.ty {
            ty if ty.is_bits() => {
                self.slot(loc).map_or(0, |slot| u8::try_from(slot.end).unwrap_or(0))
            }
            _ => match (self.home(loc), &self.record(loc.node).kind) {
                (Home::At(bit), RecordKind::Word(_)) => u8::try_from(bit).unwrap_or(0),
                _ => 0,
            },
        }
    }

    /// Where the rows in place of a node are.
    pub(super) fn ground(&self, node: NodeRef) -> Ground {
        if node.is_element() {
            let records = self.records_of(node);
            let at = records.first + records.stride * node.element;
            return Ground { from: records.from, at, tail: at, order: records.order };
        }
        let own = self.own_node(node);
        match self.direction {
            Direction::Reading => {
                let order = match own.order() {
                    Order::Known(order) => order,
                    Order::Asked => Endian::Little,
                };
                Ground { from: From::File, at: own.at, tail: own.tail, order }
            }
            Direction::Writing => {
                let (homes, _) = self.plans[self.own_record(node.id).index()].lengths;
                let block = own.tag_or_block;
                Ground { from: From::Own, at: block, tail: block + homes, order: Endian::Little }
            }
        }
    }

    /// Position of a row in place, in the bytes where it is.
    pub(super) fn spot(&self, loc: Loc) -> Option<(From, u32, Endian)> {
        let ground = self.ground(loc.node);
        let mut order = ground.order;
        let part = if loc.node.part == CASE { 0 } else { loc.node.part };
        let (mut at, mut tail) = (ground.at, ground.tail);
        if part != 0 {
            let parts = &self.plans[self.whole_record(loc.node).index()].parts;
            let inner = &parts[usize::from(part)];
            at = match inner.place {
                Place::Home(offset) => at + offset,
                Place::Tail(offset) => tail + offset,
                Place::Moving | Place::Nowhere => return None,
            };
            tail = at;
            order = order_in(ground.from, self.part_order(parts, part)).unwrap_or(order);
        }
        let at = match self.row_plan(loc.node, loc.row).place {
            Place::Home(offset) => at + offset,
            Place::Tail(offset) => tail + offset,
            Place::Moving | Place::Nowhere => return None,
        };
        Some((ground.from, at, order))
    }

    /// The byte order that a part, or one around it in the same node, says.
    pub(super) fn part_order(&self, parts: &[Part], part: u16) -> Option<Endian> {
        parts[usize::from(part)].order.filter(|_| part != 0)
    }

    /// Address of the bytes of a row or element in the record that holds it: of a pointer, of its
    /// number. Of rows without bytes: of the record.
    pub(crate) fn cell_at(&self, loc: Loc) -> u32 {
        let node = self.node_at(loc.node);
        if loc.row == WHOLE {
            return node;
        }
        let at = match self.row_at(loc.whole_row()) {
            UNPLACED => node,
            at => at,
        };
        let (Some(index), Item::Array(array)) = (loc.index(), self.item(loc.whole_row())) else {
            return at;
        };
        match self.element(array, index) {
            Some(Item::Pointer(pointer)) => self.pointers[pointer as usize].cell,
            Some(Item::Node(node)) => self.node_at(node),
            _ => match self.element_at(array, index, false) {
                UNPLACED => at,
                at => at,
            },
        }
    }
}
