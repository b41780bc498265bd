//! What only writing needs, beside the tree.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use super::item::{Loc, NodeRef};
use super::map::BytesMap;
use crate::model::{ExprId, PointerId, RowId};
use crate::path::Path;
use crate::problem::Problem;

/// A number that is being worked out for a size of its own.
#[derive(Debug)]
pub(crate) struct TriedSize {
    pub loc: Loc,
    /// Bytes that it would take.
    pub size: u64,
    /// Whether it asked.
    pub asked: bool,
}

/// What ends where a region must end, too.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OpenEnd {
    pub at: u64,
    pub loc: Loc,
    /// A reader takes it up to the end of the region. Otherwise that end stands for a terminator, or
    /// for the rest of the padding.
    pub takes_all: bool,
}

/// Positions of forms in their cases, by the paths of the unions.
pub(crate) type LostForms = BTreeMap<Path, BTreeSet<usize>>;

/// Zero bytes that a statement of a layout asks for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Fill {
    /// Up to a multiple of this.
    Align(u64),
    /// So many.
    Zero(u64),
}

/// What is wrong with a value, each once, in the order in which it was found.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    found: Vec<Problem>,
    /// Positions among them by path: a value may have as many as it has fields.
    by_path: BTreeMap<Path, Vec<usize>>,
}

impl Problems {
    pub(crate) fn add(&mut self, problem: Problem) {
        let same_path = self.by_path.entry(problem.path.clone()).or_default();
        if !same_path.iter().any(|at| self.found[*at] == problem) {
            same_path.push(self.found.len());
            self.found.push(problem);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// All of them, after which there are none.
    pub(crate) fn take(&mut self) -> Vec<Problem> {
        self.by_path.clear();
        core::mem::take(&mut self.found)
    }
}

/// What only writing needs.
#[derive(Debug, Default)]
pub(crate) struct Writing {
    pub problems: Problems,
    /// Size of the file, once everything is placed.
    pub total: Option<u64>,
    /// Address of the next object.
    pub cursor: u64,
    /// Alignment that a statement of the layout asked for since then.
    pub asked_align: u64,
    /// Address behind the object that was placed last, before any fill.
    pub last_end: u64,
    /// The fill that statements of the layout asked for since then.
    pub fill: Vec<Fill>,
    /// End of the region around what is being placed, if something else says it.
    pub room: Option<u64>,
    /// Sizes are computed, addresses are not set.
    pub measuring: bool,
    /// Objects whose sizes are being computed before they are placed.
    pub measured_ahead: Vec<Loc>,
    /// Sizes of regions that were measured, by slot; of those that were not, `u32::MAX`.
    pub measured: Vec<u32>,
    /// Running totals of slices in their tables, by slot; of those that are in none, `u32::MAX`.
    pub bases: Vec<u32>,
    /// The same of slices that are where the file had them.
    pub kept_bases: BTreeMap<Loc, i128>,
    /// Elements of shared tables that nobody has, as the bytes that they were.
    pub raw: BTreeMap<NodeRef, Vec<u8>>,
    /// Positions of pool members by their bytes.
    pub members: BTreeMap<(NodeRef, RowId), BytesMap>,
    /// Pools that follow from pointers of which some had no address yet.
    pub early_pools: BTreeMap<Loc, Uses>,
    /// Pointers into such pools by their addresses, as was seen when everything was placed before.
    pub uses: BTreeMap<Loc, Uses>,
    /// The same, as it is seen now, where it is another order of texts.
    pub late_uses: BTreeMap<Loc, Uses>,
    /// The pools that pointers of each kind lead into, where they are the same for all of them.
    pub pools: Vec<Option<Vec<Loc>>>,
    /// Numbers that are being worked out for a size of their own that is tried.
    pub tried: Vec<TriedSize>,
    /// Bytes that belong to no row: tails of regions, kept gaps.
    pub loose: Vec<(u64, Vec<u8>)>,
    /// What follows from bytes of the file, and is written last.
    pub summed: BTreeSet<Loc>,
    /// Those that are not written yet, by their addresses; none while other bytes are missing.
    pub unsummed: Option<BTreeSet<(u64, Loc)>>,
    /// Most bytes that one of them takes.
    pub widest_sum: u64,
    /// Those of them in bytes that were asked for.
    pub missing: Vec<(u64, Loc)>,
    /// Rows, and whole records, whose rules ask for what is written last.
    pub ruled_last: Vec<Loc>,
    /// Columns whose elements belong to records.
    pub interleaved: BTreeMap<Loc, Interleaved>,
    /// What has no terminator or padding because a region ends there, and what a reader takes up to the
    /// end of a region, as far as the region is not laid yet.
    pub open_ends: Vec<OpenEnd>,
    /// Forms with problems in them, where there is another one.
    pub blamed_forms: LostForms,
    /// What is in no region's end, as was seen when everything was placed before.
    pub ended: BTreeSet<Loc>,
    /// The same, as it is seen now.
    pub late_ends: BTreeSet<Loc>,
    /// Unions whose case is in a form that was kept, and not the first that can say the value.
    pub kept_forms: BTreeSet<Loc>,
    /// Forms that cannot say a value, by the paths of their unions, as was seen when everything was
    /// placed before.
    pub lost_forms: LostForms,
    /// The same, as it is seen now.
    pub late_forms: LostForms,
    /// Sizes and ends of regions that must agree with an expression.
    pub expectations: Vec<Expectation>,
    /// The row that could not be placed.
    pub failed: Option<Loc>,
    /// Where objects are put, and where they were.
    pub placing: Placing,
    /// Alignment of an object whose bytes do not come first in its layout.
    pub aligns: BTreeMap<NodeRef, u64>,
    /// The file, behind what is not ours.
    pub out: Vec<u8>,
    /// Where it begins in `out`.
    pub base: usize,
    /// Address of the first byte of `out` behind `base`: not 0 while a part is written by itself.
    pub ahead: u64,
    /// The row or element of which a part is written by itself before it is said where it is, and its
    /// address.
    pub here: Option<(Loc, u64)>,
    /// Whether more changes of the value may follow: what has fields of another version is no problem
    /// yet.
    pub unfinished: bool,
    /// Whether nothing is written: it is asked what the numbers of a value refer to, and where in the
    /// value these are.
    pub in_value: bool,
    /// Whether numbers are only checked: nothing is put into `out`.
    pub checking: bool,
}

impl Writing {
    /// Whether what was taken for known about places was not so, and everything is placed again.
    pub(crate) fn is_open(&self) -> bool {
        !(self.late_ends.is_empty() && self.late_forms.is_empty() && self.late_uses.is_empty())
    }
}

/// What was found out about places when everything was placed before.
#[derive(Debug, Default, Clone)]
pub(crate) struct Moves {
    /// New addresses of chains, by their old ones.
    pub places: BTreeMap<u64, u64>,
    /// Objects that say something else than the one in which they were.
    pub apart: BTreeSet<Loc>,
    /// Where objects were that are not there any more, and in which others lay: the next of these that
    /// began where such an object did is there in its place, and the others lie in that one.
    pub orphaned: BTreeSet<u64>,
    /// Where the others that lie in something begin, in order, with the greatest end up to there.
    pub beyond: Vec<(u64, u64)>,
    /// Texts that are not where they were.
    pub texts: BTreeSet<Vec<u8>>,
    /// Old places count no more.
    pub forgotten: bool,
    /// Neither do bytes that were between objects.
    pub gapless: bool,
    pub rounds: u32,
}

/// Where objects are put.
#[derive(Debug, Default)]
pub(crate) struct Placing {
    /// What is known from before.
    pub moves: Moves,
    /// What has to be different the next time.
    pub again: Option<Moves>,
    pub chains: Vec<Chain>,
    /// Old places that objects have taken: a copy of an object has the same one.
    pub taken: BTreeSet<u64>,
    /// Where the chain goes on behind an object that lies in another one, and where that begins.
    pub aside: Option<(u64, u64, Loc, u64)>,
    /// Whether the object begins behind bytes that were kept before it.
    pub gapped: bool,
    /// Whether the object begins exactly where the file had it, on its alignment or not.
    pub exact: bool,
    /// The greatest address from which such objects count.
    pub host: u64,
    /// Objects that lie in others, with their extents.
    pub shared: Vec<(u64, u64, Loc)>,
    /// Texts that lie in something else, with their extents and the pointers to them.
    pub texts: Vec<TextAside>,
    /// Which bits of the file are written, if something lies in something else.
    pub written: Vec<u8>,
    /// Addresses where two objects do not say the same.
    pub clashes: Vec<u64>,
    /// The greatest end of an object.
    pub reach: u64,
    /// Whether something is where the file had it, and not where the layout puts it.
    pub arranged: bool,
    /// Whether bytes are kept between objects.
    pub gaps: bool,
}

/// Pointers into a pool, in the order that its members have.
#[derive(Debug, Default, Clone)]
pub(crate) struct Uses {
    /// Their numbers in the tree's list.
    pub pointers: Vec<u32>,
    /// Whether each of them has a member of its own.
    pub each: bool,
    /// How often another order was seen.
    pub rounds: u32,
}

/// A text that a pool has no member for, or that is another than the first one that says it.
#[derive(Debug)]
pub(crate) struct TextAside {
    pub at: u32,
    pub end: u32,
    /// Of the pointer to it, in the tree's list.
    pub number: u32,
    pub kind: PointerId,
    pub key: Vec<u8>,
}

/// Objects that follow one another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chain {
    /// Where it was in the file.
    pub old: u64,
    pub at: u64,
    pub end: u64,
    /// The same with what has no bytes, if some are kept before that.
    pub room: u64,
    /// Bytes before it that are kept.
    pub gap: u64,
    pub align: u64,
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

/// Columns that are placed one behind the other, and records to which their elements belong.
#[derive(Debug, Clone)]
pub(crate) struct Interleaved {
    pub at: u64,
    /// Bytes of all columns.
    pub size: u64,
    pub records: u64,
    pub stride: u64,
    pub columns: Vec<PlacedColumn>,
    /// Bytes of the columns that belong to no row.
    pub loose: Vec<(u64, Vec<u8>)>,
    /// What the records have where no column is.
    pub free: Vec<u8>,
}

/// A column.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlacedColumn {
    /// Its elements, counted from the first column.
    pub from: u64,
    pub width: u64,
    /// Offset in each record.
    pub to: u64,
}
