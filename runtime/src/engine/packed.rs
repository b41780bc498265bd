//! Lists of items and slots that take little room: a file has many of them, and most are small.

use alloc::vec::Vec;

use super::item::{ArrayRef, Blob, From, Item, NodeRef, OWN};

/// A list of this many bytes grows by little at a time.
const LARGE: usize = 1 << 21;

/// Makes room for more in a list: a large one does not double.
pub(crate) fn make_room<T>(list: &mut Vec<T>, more: usize) {
    let free = list.capacity() - list.len();
    if free < more && core::mem::size_of_val(&list[..]) >= LARGE {
        list.reserve_exact(more.max(list.len() / 8));
    }
}

/// The kinds of items, and for each what the number beside it is.
const UNSET: u8 = 0;
const ABSENT: u8 = 1;
const INT: u8 = 2;
const UINT: u8 = 3;
const WIDE: u8 = 4;
const F32: u8 = 5;
const F64: u8 = 6;
const BOOL: u8 = 7;
const NODE: u8 = 8;
const ARRAY: u8 = 9;
const POINTER: u8 = 10;
const UNITS: u8 = 11;
const TEXT: u8 = 12;
const BYTES: u8 = 16;
/// Any other one, by position in a list of them.
const OTHER: u8 = 20;

fn pair(a: u32, b: u32) -> u64 {
    u64::from(b) << 32 | u64::from(a)
}

fn halves(number: u64) -> (u32, u32) {
    (number as u32, (number >> 32) as u32)
}

fn blob(kind: u8, number: u64) -> Blob {
    let (start, len) = halves(number);
    let from = match kind & 3 {
        0 => From::File,
        1 => From::Own,
        _ => From::Literal,
    };
    Blob { from, start, len }
}

fn holder(from: From) -> u8 {
    match from {
        From::File => 0,
        From::Own => 1,
        From::Literal => 2,
    }
}

/// An item in nine bytes, if it is one of those that fit.
#[inline]
fn pack(item: Item) -> Option<(u8, u64)> {
    Some(match item {
        Item::Unset => (UNSET, 0),
        Item::Absent => (ABSENT, 0),
        Item::Int(n) => (INT, n as u64),
        Item::Uint(n) => (UINT, n),
        Item::Wide(place) => (WIDE, place.into()),
        Item::F32(bits) => (F32, bits.into()),
        Item::F64(bits) => (F64, bits),
        Item::Bool(yes) => (BOOL, yes.into()),
        Item::Node(node) if !node.is_element() => (NODE, pair(node.id, node.part.into())),
        Item::Array(ArrayRef::Own(number)) => (ARRAY, number.into()),
        Item::Pointer(number) => (POINTER, number.into()),
        Item::Units(start, len) => (UNITS, pair(start, len)),
        Item::Text(blob) => (TEXT | holder(blob.from), pair(blob.start, blob.len)),
        Item::Bytes(blob) => (BYTES | holder(blob.from), pair(blob.start, blob.len)),
        Item::Node(_) | Item::Array(ArrayRef::Inline { .. }) => return None,
    })
}

#[inline]
fn unpack(kind: u8, number: u64, others: &[Item]) -> Item {
    let (low, high) = halves(number);
    match kind {
        UNSET => Item::Unset,
        ABSENT => Item::Absent,
        INT => Item::Int(number as i64),
        UINT => Item::Uint(number),
        WIDE => Item::Wide(low),
        F32 => Item::F32(low),
        F64 => Item::F64(number),
        BOOL => Item::Bool(number != 0),
        NODE => Item::Node(NodeRef { id: low, element: OWN, part: high as u16 }),
        ARRAY => Item::Array(ArrayRef::Own(low)),
        POINTER => Item::Pointer(low),
        UNITS => Item::Units(low, high),
        OTHER => others[low as usize],
        kind if kind < BYTES => Item::Text(blob(kind, number)),
        kind => Item::Bytes(blob(kind, number)),
    }
}

/// Those that do not fit in nine bytes.
#[derive(Debug, Default)]
struct Others(Vec<Item>);

impl Others {
    fn pack(&mut self, item: Item) -> (u8, u64) {
        pack(item).unwrap_or_else(|| {
            self.0.push(item);
            (OTHER, self.0.len() as u64 - 1)
        })
    }
}

/// A list of items.
#[derive(Debug, Default)]
pub(crate) struct Items {
    kinds: Vec<u8>,
    numbers: Vec<u64>,
    others: Others,
}

impl Items {
    pub(crate) fn len(&self) -> usize {
        self.kinds.len()
    }

    #[inline]
    pub(crate) fn get(&self, at: usize) -> Item {
        unpack(self.kinds[at], self.numbers[at], &self.others.0)
    }

    pub(crate) fn set(&mut self, at: usize, item: Item) {
        (self.kinds[at], self.numbers[at]) = self.others.pack(item);
    }

    pub(crate) fn extend(&mut self, items: &[Item]) {
        make_room(&mut self.kinds, items.len());
        make_room(&mut self.numbers, items.len());
        for item in items {
            let (kind, number) = self.others.pack(*item);
            self.kinds.push(kind);
            self.numbers.push(number);
        }
    }
}

/// What is in a row that is not in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot {
    pub item: Item,
    /// Address of the row's own bytes; of a bit field, of its first byte.
    pub at: u32,
    /// Address behind them; of a bit field, the bit it begins with.
    pub end: u32,
}

/// What is in slots.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    kinds: Vec<u8>,
    rest: Vec<Rest>,
    others: Others,
}

/// What there is of a slot besides the kind of its item.
#[derive(Debug, Clone, Copy)]
struct Rest {
    number: [u32; 2],
    at: u32,
    end: u32,
}

impl Rest {
    fn number(self) -> u64 {
        pair(self.number[0], self.number[1])
    }
}

impl Slots {
    pub(crate) fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Adds slots with nothing in them.
    #[inline]
    pub(crate) fn add(&mut self, count: usize) {
        if count == 0 {
            return;
        }
        make_room(&mut self.kinds, count);
        make_room(&mut self.rest, count);
        let empty = Rest { number: [0; 2], at: super::item::UNPLACED, end: super::item::UNPLACED };
        self.kinds.resize(self.kinds.len() + count, UNSET);
        self.rest.resize(self.rest.len() + count, empty);
    }

    #[inline]
    pub(crate) fn item(&self, at: usize) -> Item {
        unpack(self.kinds[at], self.rest[at].number(), &self.others.0)
    }

    pub(crate) fn set_item(&mut self, at: usize, item: Item) {
        let (kind, number) = self.others.pack(item);
        let (low, high) = halves(number);
        self.kinds[at] = kind;
        self.rest[at].number = [low, high];
    }

    #[inline]
    pub(crate) fn get(&self, at: usize) -> Slot {
        let Rest { at: start, end, .. } = self.rest[at];
        Slot { item: self.item(at), at: start, end }
    }

    /// The array in a slot, if there is one that has a number.
    #[inline]
    pub(crate) fn own_array(&self, at: usize) -> Option<u32> {
        (self.kinds[at] == ARRAY).then(|| self.rest[at].number[0])
    }

    /// Sets where what is in a slot begins.
    #[inline]
    pub(crate) fn set_at(&mut self, at: usize, start: u32) {
        self.rest[at].at = start;
    }

    /// Sets where what is in a slot begins and ends.
    #[inline]
    pub(crate) fn set_place(&mut self, at: usize, start: u32, end: u32) {
        let rest = &mut self.rest[at];
        (rest.at, rest.end) = (start, end);
    }

    /// Sets what is in a slot, where it ends, unless something else is remembered there, and where it
    /// begins, if that is not known.
    pub(crate) fn finish(&mut self, at: usize, item: Item, end: u32, ends: bool) {
        self.set_item(at, item);
        let rest = &mut self.rest[at];
        if ends {
            rest.end = end;
        }
        if rest.at == super::item::UNPLACED {
            rest.at = end;
        }
    }

    pub(crate) fn set(&mut self, at: usize, slot: Slot) {
        self.set_item(at, slot.item);
        let rest = &mut self.rest[at];
        (rest.at, rest.end) = (slot.at, slot.end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items() {
        let blob = |from| Blob { from, start: 7, len: u32::MAX };
        let node = NodeRef { id: 3, element: OWN, part: u16::MAX };
        let all = [
            Item::Unset,
            Item::Absent,
            Item::Int(-1),
            Item::Uint(u64::MAX),
            Item::Wide(9),
            Item::F32(u32::MAX),
            Item::F64(1 << 63),
            Item::Bool(true),
            Item::Bool(false),
            Item::Text(blob(From::File)),
            Item::Text(blob(From::Own)),
            Item::Text(blob(From::Literal)),
            Item::Bytes(blob(From::File)),
            Item::Bytes(blob(From::Own)),
            Item::Bytes(blob(From::Literal)),
            Item::Units(1, u32::MAX),
            Item::Node(node),
            Item::Node(NodeRef { element: 5, ..node }),
            Item::Array(ArrayRef::Own(4)),
            Item::Array(ArrayRef::Inline { id: 1, element: 2, part: 3, row: 4 }),
            Item::Pointer(8),
        ];
        let mut items = Items::default();
        items.extend(&all);
        let mut slots = Slots::default();
        slots.add(all.len() + 1);
        for (at, item) in all.iter().enumerate() {
            assert_eq!(items.get(at), *item);
            assert!(slots.item(at).is_unset());
            slots.set(at, Slot { item: *item, at: 1, end: 2 });
            assert_eq!(slots.get(at), Slot { item: *item, at: 1, end: 2 });
            let own = matches!(item, Item::Array(ArrayRef::Own(4)));
            assert_eq!(slots.own_array(at), own.then_some(4));
            slots.set_place(at, 3, 4);
            assert_eq!(slots.get(at), Slot { item: *item, at: 3, end: 4 });
            slots.finish(at, *item, 5, false);
            assert_eq!(slots.get(at), Slot { item: *item, at: 3, end: 4 });
            slots.set_at(at, super::super::item::UNPLACED);
            slots.finish(at, *item, 5, true);
            assert_eq!(slots.get(at), Slot { item: *item, at: 5, end: 5 });
            slots.set_item(all.len(), *item);
            assert_eq!(slots.item(all.len()), *item);
            items.set(0, *item);
            assert_eq!(items.get(0), *item);
        }
        assert_eq!((slots.len(), items.len()), (all.len() + 1, all.len()));
    }
}
