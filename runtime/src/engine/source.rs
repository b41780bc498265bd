//! Where a value comes from that is written: from types, from a file that was read, from anything
//! that can say what is in each row.

use alloc::string::String;

use super::item::{ArrayRef, Item, Loc, NodeRef};
use super::tree::Tree;
use crate::model::{Home, Record, RecordId, Row, RowId, Type};
use crate::spelling::{Spelling, SpellingEntry};

/// What a value has for a row or element.
#[derive(Clone, Copy)]
pub enum Given<'v> {
    /// Nothing: no field is for it.
    Missing,
    /// A field that is none.
    None,
    /// An integer, a member of an enumeration by its number, or a position in an array.
    Int(i128),
    /// A float of 32 bits.
    F32(u32),
    /// A float of 64 bits.
    F64(u64),
    /// A truth value.
    Bool(bool),
    /// A text, a member of an enumeration by its name, or a byte order: `little` or `big`.
    Text(&'v str),
    /// Bytes.
    Bytes(&'v [u8]),
    /// Units of UTF-16 that are no text.
    Units(&'v [u16]),
    /// Elements.
    List(&'v dyn List),
    /// A struct.
    Struct(&'v dyn Fields),
    /// A case of a union, by its name, and what is in it.
    Case(&'v str, &'v dyn Fields),
    /// A case of a union, by its position, and what is in it.
    NumberedCase(u16, &'v dyn Fields),
    /// A case of a union that has nothing in it, by its position.
    BareCase(u16),
    /// Of a row without a name: its fields are among those of the struct that was asked.
    Here,
    /// A packed word, by its bits.
    Word(u64),
    /// What a file has.
    Stored(Stored<'v>),
}

/// Elements of a value.
pub trait List {
    /// How many there are.
    fn count(&self) -> usize;
    /// One of them.
    fn element(&self, index: usize) -> Given<'_>;

    /// The numbers that elements from one on are, or have in a row, as many as there is room for. `None`
    /// if some are no numbers, if one may be spelled in its own way, or if they are to be asked one by
    /// one; then it does not matter what has been put there.
    fn numbers(&self, row: Option<Asked<'_>>, first: usize, to: &mut [u64]) -> Option<Numbering> {
        let _ = (row, first, to);
        None
    }
}

/// What 64 bits of each of several numbers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbering {
    /// Integers with a sign.
    Int,
    /// Floats of 32 bits.
    F32,
    /// Floats of 64 bits.
    F64,
    /// Packed words.
    Word,
}

/// A row that a struct is asked for.
#[derive(Clone, Copy)]
pub struct Asked<'m> {
    /// The record whose row it is. A struct may stand for several records.
    pub record: RecordId,
    /// The row.
    pub row: RowId,
    /// The row's name, if it has one.
    pub name: Option<&'m str>,
}

/// The fields of a struct.
pub trait Fields {
    /// What it has for a row.
    fn field(&self, asked: Asked<'_>) -> Given<'_>;

    /// How it is spelled, where that is not canonical.
    fn spelling(&self, of: Spelled<'_>, visit: &mut dyn FnMut(&SpellingEntry));

    /// Which value of a struct it is.
    fn stands_for(&self) -> StandsFor {
        StandsFor::Struct
    }

    /// Calls `found` with the name of each field that is none of those that are `known`.
    fn strangers(&self, known: &dyn Fn(&str) -> bool, found: &mut dyn FnMut(&str)) {
        let _ = (known, found);
    }
}

/// The record whose spelling a struct is asked for.
#[derive(Clone, Copy)]
pub struct Spelled<'m> {
    /// The record.
    pub record: &'m Record,
    /// The number that its first row has in a spelling: see
    /// [`Model::first_row`](crate::model::Model::first_row).
    pub first: usize,
    /// Rows of structs without names that lead to the record from the one that the struct stands
    /// for. Only a struct that has their fields among its own is asked with some.
    pub inside: &'m [RowId],
}

/// Which value of a struct something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StandsFor {
    /// The struct, whatever it is in a value.
    Struct,
    /// The struct, or, of one that is its only row in a value, that row.
    Value,
    /// A struct that is its only row in a value, with its spelling: each field is that row.
    OnlyRow,
}

/// Something in the tree of a file that was read.
#[derive(Clone, Copy)]
pub struct Stored<'v> {
    pub(crate) tree: &'v Tree<'v, 'v>,
    pub(crate) item: Item,
}

/// How a struct is spelled of which nothing but that is known.
pub(crate) struct OnlySpelled<'v>(pub &'v Spelling);

impl Fields for OnlySpelled<'_> {
    fn field(&self, _: Asked<'_>) -> Given<'_> {
        Given::Missing
    }

    fn spelling(&self, _: Spelled<'_>, visit: &mut dyn FnMut(&SpellingEntry)) {
        self.0.entries().iter().for_each(visit);
    }
}

/// Elements of which nothing is known but how many there are.
pub(crate) struct Blank<'v> {
    pub count: usize,
    pub element: OnlySpelled<'v>,
}

impl List for Blank<'_> {
    fn count(&self) -> usize {
        self.count
    }

    fn element(&self, _: usize) -> Given<'_> {
        Given::Struct(&self.element)
    }
}

impl<'v> Given<'v> {
    /// What kind of value this is, for messages.
    pub(crate) fn kind_name(&self) -> &'static str {
        match self {
            Given::Missing | Given::None => "nothing",
            Given::Int(_) => "an integer",
            Given::F32(_) | Given::F64(_) => "a float",
            Given::Bool(_) => "a truth value",
            Given::Text(_) => "a text",
            Given::Bytes(_) => "bytes",
            Given::Units(_) => "units of UTF-16",
            Given::List(_) => "an array",
            Given::Struct(_) | Given::Here | Given::Word(_) => "a struct",
            Given::Case(..) | Given::NumberedCase(..) | Given::BareCase(_) => "a union",
            Given::Stored(stored) => match stored.given() {
                Given::Stored(stored) => match stored.item {
                    Item::Array(_) => "an array",
                    _ => "a struct",
                },
                other => other.kind_name(),
            },
        }
    }

    /// The number of elements, if it is a list.
    pub(crate) fn count(&self) -> Option<usize> {
        match self {
            Given::List(list) => Some(list.count()),
            Given::Stored(Stored { tree, item: Item::Array(array) }) => {
                Some(tree.count(*array) as usize)
            }
            _ => None,
        }
    }

    /// An element of a list.
    pub(crate) fn element(&self, index: usize) -> Given<'v> {
        match *self {
            Given::List(list) => list.element(index),
            Given::Stored(Stored { tree, item: Item::Array(array) }) => {
                let item = u32::try_from(index).ok().and_then(|index| tree.element(array, index));
                item.map_or(Given::Missing, |item| Stored { tree, item }.given())
            }
            _ => Given::Missing,
        }
    }
}

impl<'v> Stored<'v> {
    /// What it is: of numbers and texts, those.
    pub(crate) fn given(self) -> Given<'v> {
        let tree = self.tree;
        match tree.through(self.item) {
            Item::Unset | Item::Absent => Given::None,
            Item::F32(bits) => Given::F32(bits),
            Item::F64(bits) => Given::F64(bits),
            Item::Bool(b) => Given::Bool(b),
            Item::Text(blob) => Given::Text(tree.text(blob)),
            Item::Bytes(blob) => Given::Bytes(tree.bytes(blob)),
            Item::Units(start, len) => Given::Units(tree.units(start, len)),
            item @ (Item::Node(_) | Item::Array(_)) => Given::Stored(Stored { tree, item }),
            item => tree.int(item).map_or(Given::None, Given::Int),
        }
    }

    /// The array that it is.
    pub(crate) fn array(self) -> Option<ArrayRef> {
        match self.item {
            Item::Array(array) => Some(array),
            _ => None,
        }
    }

    /// Whether it is an array of structs, of the record that this type is.
    pub(crate) fn has_nodes_of(self, element: &Type) -> bool {
        let first = self.array().and_then(|array| self.tree.element(array, 0));
        match (first, element.stripped()) {
            (Some(Item::Node(node)), Type::Record(id)) => self.tree.record_id(node) == *id,
            (Some(Item::Node(_)), Type::Union(_)) => true,
            _ => false,
        }
    }

    /// What a struct in a file has for a row of its record.
    pub(crate) fn field(self, row: RowId) -> Given<'v> {
        let Item::Node(node) = self.item else { return Given::Missing };
        Stored { tree: self.tree, item: self.tree.entry(Loc::row(node, row)) }.given()
    }

    /// The same, if it is data.
    pub(crate) fn data(self, row: RowId) -> Given<'v> {
        let Item::Node(node) = self.item else { return Given::Missing };
        let (record, loc) = (self.tree.record_id(node), Loc::row(node, row));
        let definition = &self.tree.model().records[record.index()].rows[row.index()];
        let home = self.tree.plan_of(record).rows[row.index()].home;
        if home == Home::Absent || !self.tree.may_be_data(loc, definition) {
            return Given::Missing;
        }
        let item = self.tree.through(self.tree.row_entry(node, row));
        if item.is_absent() && !self.tree.model().carries_data(&definition.ty) {
            return Given::Missing;
        }
        Stored { item, ..self }.given()
    }

    /// The node that it is.
    pub(crate) fn node(self) -> Option<NodeRef> {
        match self.item {
            Item::Node(node) => Some(node),
            _ => None,
        }
    }
}

/// Name of a row in messages and paths of spellings: its own, or its position.
#[must_use]
pub fn row_name(row: &Row, id: RowId) -> String {
    match &row.name {
        Some(name) => name.clone(),
        None => alloc::format!("#{}", id.0),
    }
}

/// A row as spellings name it.
pub(crate) fn spelled_row(RowId(row): RowId, first: usize) -> u16 {
    u16::try_from(row as usize + first).unwrap_or(Spelling::WHOLE)
}
