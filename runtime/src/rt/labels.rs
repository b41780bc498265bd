//! Pointers by what string pools and relocation tables want of them, in reading and writing.

use super::tree::{Item, NodeId};

/// A pointer cell, or a number that stands for one.
#[derive(Debug, Clone)]
pub struct Label<'a> {
    /// Address of the number.
    pub cell: u64,
    /// Kind of pointer: a number of [`Kind`]s.
    pub kind: u16,
    /// Section of the relocation table.
    pub section: u16,
    /// What it leads to.
    pub class: Class,
    /// Whether it is listed, if not as the kind says.
    pub list: Option<Policy>,
    /// Whether it leads anywhere.
    pub set: bool,
    /// The nearest node around it, in which the path to its pool is evaluated.
    pub node: NodeId,
    /// The text that it leads to, of pooled ones.
    pub text: Item<'a>,
}

/// What a pointer leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// One object, or an element of an array.
    Object,
    /// An array.
    Array,
    /// A record that holds the nodes of a radix tree.
    Dictionary,
    /// A member of a pool.
    Text,
}

/// Whether a pointer stands in the relocation table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// Never.
    Never,
    /// If it leads anywhere.
    Set,
    /// Always.
    Always,
}

/// Which pointers of a kind stand in the relocation table.
#[derive(Debug, Clone, Copy)]
pub struct Listing {
    /// Pointers to one object.
    pub object: Policy,
    /// Pointers to arrays.
    pub array: Policy,
    /// Pointers to dictionaries.
    pub dictionary: Policy,
    /// Pooled pointers.
    pub string: Policy,
    /// Rows that a program fills in memory.
    pub runtime: Policy,
}

/// Policies for objects, arrays, dictionaries, texts, and rows that a program fills.
#[must_use]
pub const fn listing(
    object: Policy,
    array: Policy,
    dictionary: Policy,
    string: Policy,
    runtime: Policy,
) -> Listing {
    Listing { object, array, dictionary, string, runtime }
}

impl Listing {
    /// The policy for a class of targets.
    #[must_use]
    pub fn of(&self, class: Class) -> Policy {
        match class {
            Class::Object => self.object,
            Class::Array => self.array,
            Class::Dictionary => self.dictionary,
            Class::Text => self.string,
        }
    }
}

/// A kind of pointer.
#[derive(Debug)]
pub struct Kind {
    /// Number for "nothing".
    pub none: Option<i128>,
    /// Bytes of its number; 0 if that has no fixed width.
    pub width: u8,
    /// The first whose condition holds, an expression in the root, decides what is listed.
    pub listing: &'static [(Option<u16>, Listing)],
    /// Path to the pool of its targets, and whether it begins at the root.
    pub pool: Option<(u16, bool)>,
}

/// A row that the relocation table may list although it is no pointer.
#[derive(Debug, Clone, Copy)]
pub struct ListedRow {
    /// What the row says itself.
    pub policy: Option<Policy>,
    /// Kind of pointer that its number stands for.
    pub kind: Option<u16>,
    /// Section of the relocation table.
    pub section: u16,
    /// Whether a program fills it in memory.
    pub runtime: bool,
    /// Its width in bytes by epoch; 0 if it has no fixed one.
    pub widths: &'static [u64],
}

/// How entries of a relocation table say where pointers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelocationEncoding {
    /// An offset and a mask of words.
    Masks,
    /// Runs of pointers at equal distances.
    Runs,
}

/// What the whole format says about relocation.
#[derive(Debug)]
pub struct Relocation {
    /// How entries are encoded; nothing if there is no table.
    pub encoding: Option<RelocationEncoding>,
    /// Sections: expressions for begin and end, in the root.
    pub sections: &'static [(u16, u16)],
    /// Kinds of pointers.
    pub kinds: &'static [Kind],
}
