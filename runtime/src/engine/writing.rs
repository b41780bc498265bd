//! What only writing needs, beside the tree.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::item::{Loc, NodeRef};
use super::map::BytesMap;
use crate::model::{ExprId, RowId};
use crate::problem::Problem;

/// What only writing needs.
#[derive(Debug, Default)]
pub(crate) struct Writing {
    pub problems: Vec<Problem>,
    /// Size of the file, once everything is placed.
    pub total: Option<u64>,
    /// Address of the next object.
    pub cursor: u64,
    /// Address behind the object that was placed last, before any fill.
    pub last_end: u64,
    /// End of the region around what is being placed, if something else says it.
    pub room: Option<u64>,
    /// Sizes are computed, addresses are not set.
    pub measuring: bool,
    /// Sizes of regions that were measured.
    pub measured: BTreeMap<(NodeRef, RowId), u64>,
    /// Running totals of slices in their tables, by slot; of those that are in none, `u32::MAX`.
    pub bases: Vec<u32>,
    /// Positions of pool members by their bytes.
    pub members: BTreeMap<(NodeRef, RowId), BytesMap>,
    /// The pools that pointers of each kind lead into, where they are the same for all of them.
    pub pools: Vec<Option<Vec<Loc>>>,
    /// Bytes that belong to no row: tails of regions, kept gaps.
    pub loose: Vec<(u64, Vec<u8>)>,
    /// Sizes and ends of regions that must agree with an expression.
    pub expectations: Vec<Expectation>,
    /// Alignment of an object whose bytes do not come first in its layout.
    pub aligns: BTreeMap<NodeRef, u64>,
    /// The file, behind what is not ours.
    pub out: Vec<u8>,
    /// Where it begins in `out`.
    pub base: usize,
    /// Address of the first byte of `out` behind `base`: not 0 while a part is written by itself.
    pub ahead: u64,
    /// Whether numbers are only checked: nothing is put into `out`.
    pub checking: bool,
}

/// A length that an expression of the schema states too.
#[derive(Debug)]
pub(crate) struct Expectation {
    pub loc: Loc,
    pub expr: ExprId,
    pub actual: u64,
    pub what: &'static str,
}

/// What becomes of a value that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Aim {
    /// Its bytes.
    Bytes,
    /// Nothing: whether it can be written is all that is asked.
    Check,
}
