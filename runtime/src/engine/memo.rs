//! What expressions over many elements gave, and tables to find elements in, so that nothing is
//! worked out again for each of many that ask.
//!
//! An expression depends on nodes: the one that it is evaluated in, or owners of that. The lowest of
//! them is its *anchor*. Whoever asks from below the same anchor gets the same answer.

use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::vec::Vec;

use super::item::{Loc, NodeRef};
use super::map::{BytesMap, Map};
use super::val::Val;
use crate::model::{ExprId, Path};

/// What is remembered. It is forgotten when the tree changes in ways that expressions can see.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    /// Values of expressions, by anchor.
    pub values: BTreeMap<(ExprId, NodeRef), Val>,
    /// Positions of the elements of an array for which a filter holds, in order.
    pub ranks: BTreeMap<(Loc, ExprId, NodeRef), Rc<Vec<u32>>>,
    /// Positions of elements by address.
    pub addresses: BTreeMap<Loc, Rc<Map>>,
    /// Numbers by which elements are known.
    pub contents: BTreeMap<(Loc, ExprId), Rc<Vec<i128>>>,
    /// Elements by what an expression gives for them, or for each of their parts.
    pub indices: BTreeMap<(Elements, Option<ExprId>, ExprId), Rc<Index>>,
    /// The same for arrays that are being read.
    pub so_far: BTreeMap<(Loc, Option<ExprId>, ExprId), Rc<Index>>,
    /// Elements by what is greater or less for them than for those before.
    pub bounds: BTreeMap<(Elements, Option<ExprId>, ExprId), Rc<Bounds>>,
    /// What describes the elements of a row.
    pub described: BTreeMap<Loc, Rc<[Val]>>,
    /// What must be there once in an array, with that array; and where in the list it is, by content.
    pub distinct: (Vec<(Loc, Loc)>, BytesMap),
    /// Arrays that references mean, by path and where it begins.
    pub referred: BTreeMap<(*const Path, NodeRef), Loc>,
    /// For each element of a shared table the first slice that has it.
    pub owners: BTreeMap<Loc, Rc<Vec<Option<Loc>>>>,
    /// Sections and entries of the relocation table.
    pub relocation: Option<(u32, u32)>,
    /// Addresses of all pointers that belong in it, with their sections.
    pub listed: Option<Rc<Vec<(u32, u32)>>>,
}

/// Elements of a stream with keys beyond those of all before them.
#[derive(Debug, Default)]
pub(crate) struct Bounds {
    pub greater: Vec<(i128, Val)>,
    pub less: Vec<(i128, Val)>,
    /// Some keys are no numbers, or not known.
    pub partial: bool,
}

impl Bounds {
    pub fn add(&mut self, key: i128, element: Val) {
        if self.greater.last().map_or(true, |(most, _)| key > *most) {
            self.greater.push((key, element));
        }
        if self.less.last().map_or(true, |(least, _)| key < *least) {
            self.less.push((key, element));
        }
    }
}

/// Elements of a stream by key, in the order of the stream, each with its number in that.
#[derive(Debug, Default)]
pub(crate) struct Index {
    pub numbers: BTreeMap<i128, Vec<(u32, Val)>>,
    pub bytes: BTreeMap<Vec<u8>, Vec<(u32, Val)>>,
    pub nothing: Vec<(u32, Val)>,
    /// Some keys are of a kind that is not indexed, or compared in another way than its own.
    pub partial: bool,
    /// The array if it is still being read, and how many elements of it are here: nobody knows what
    /// follows.
    pub so_far: Option<(Loc, u32)>,
}

/// What an [`Index`] has the elements of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Elements {
    /// Of a stream, by its anchor.
    Stream(ExprId, NodeRef),
    /// Of an array, whoever asks and whichever way leads there.
    Array(Loc),
    /// The same, where only their positions are of interest.
    Positions(Loc),
}

/// Positions of the elements of an array for which a filter holds, in order.
#[derive(Debug)]
pub(crate) enum Ranks {
    List(Rc<Vec<u32>>),
    /// Those with this key.
    WithKey(Rc<Index>, Val),
}

/// How a filter finds elements in an [`Index`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lookup {
    /// Parts of the element, each of which has a key: that one of them has the key is asked.
    pub parts: Option<ExprId>,
    /// Over the element, or over its part.
    pub key: ExprId,
    /// The operand that the key is in, perhaps with something added to it.
    pub side: ExprId,
    /// The other operand, over everything else.
    pub wanted: ExprId,
    /// Whether the filter asks for nothing but the key.
    pub is_all: bool,
}

impl Memo {
    pub(crate) fn forget(&mut self) {
        *self = Memo::default();
    }
}
