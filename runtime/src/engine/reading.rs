//! What only reading needs, beside the tree.

use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use super::item::{Blob, Item, Loc, UNPLACED};
use super::map::Map;
use super::summed::Sum;
use crate::error::ReadError;

/// What only reading needs.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// What each row accounts for, if somebody wants to know.
    pub claims: Option<Vec<Claim>>,
    /// Bytes before objects of an arranged file that are as many as their alignment asks for behind
    /// what the file has before them; where claims are wanted only.
    pub padding: Vec<Range<u64>>,
    /// How many objects were read: what pointers and rows of their own lead to.
    pub objects: u64,
    /// How the file is arranged.
    pub arrangement: Arrangement,
    /// A byte between objects that should be zero and is not.
    pub not_zero: Option<ReadError>,
    /// What follows from bytes of the file.
    pub sums: Vec<Sum>,
    /// What follows from the fewest bytes of the file of what is something else, and how many these are.
    pub wrong_sum: Option<(u64, ReadError)>,
    /// Pooled texts by address and kind of pointer: each is decoded once.
    pub texts: BTreeMap<(u64, u32), Item>,
    /// Pointers to pooled texts that count from something that was not known when they were read.
    pub later: Vec<Loc>,
    /// Rules of rows, by their positions, that asked for what was not read yet.
    pub rules: Vec<(Loc, usize)>,
    /// Addresses that the file's relocation tables list, sorted.
    pub listed: Option<Rc<Vec<u64>>>,
    /// Addresses of the elements of arrays that are being read, where elements do not know them; those
    /// of inner ones behind those of outer ones.
    pub starts: Vec<u32>,
    /// Rows of which it is being found out how far they reach, and where they begin.
    pub opening: Vec<(Loc, Option<u64>)>,
    /// Rows and elements that are being read in regions, and where these end.
    pub bounded: Vec<(Loc, u64)>,
    /// The column that is being read.
    pub column: Option<Column>,
    /// Everything is read, and is now compared.
    pub settling: bool,
    pub notes: Vec<Note>,
}

/// A column that is being read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    /// The element that is the column.
    pub place: Loc,
    /// Number of records, and bytes from one to the next.
    pub records: u64,
    pub stride: u64,
    /// Where the first record ends.
    pub end: u64,
}

/// What is known of the objects of a file while its layout is run over it.
#[derive(Debug, Default)]
pub(crate) struct Arrangement {
    pub round: Round,
    /// Whether an object is not where the layout would have it.
    pub differs: bool,
    /// Addresses and ends of all objects, in the order of the layout.
    pub met: Vec<(u32, u32)>,
    /// What was found out about them.
    pub objects: Vec<Object>,
    /// The one that is met next.
    pub next: usize,
    /// How many of the objects that were read the layout has reached.
    pub reached: u64,
    /// Where they are, if somebody wants to know.
    pub seen: Vec<Loc>,
}

/// What happens with an object that is met.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Round {
    /// Its place is noted, and compared with the one that the layout says.
    #[default]
    Compare,
    /// What is unusual about its place is kept.
    Keep,
    /// It is written down that it was reached.
    Search,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Object {
    /// End of what lies before it in the file.
    pub before: u32,
    /// Address of the object that it lies in, or [`UNPLACED`]; of one without bytes that the object
    /// before it, or the end of all.
    pub host: u32,
    /// Whether others lie in it.
    pub hosts: bool,
}

/// Something worth knowing about a file that is no error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Offset in the file, in bytes.
    pub offset: u64,
    /// Path of the field.
    pub path: String,
    /// What was noticed.
    pub message: String,
}

/// Bytes that a row, or the object that a row or element leads to, accounts for.
#[derive(Debug, Clone, Copy)]
pub struct Claim {
    /// Address of the first byte.
    pub at: u64,
    /// Address behind the last one.
    pub end: u64,
    /// The row or element; or [`WHOLE`](super::WHOLE) of an element of an array of compact records, which stands
    /// for as many elements from that one on as there are bytes. [`Tree::claims_in`](super::Tree::claims_in) says what each
    /// of their rows accounts for.
    pub loc: Loc,
}

/// Keys that are known, by the argument that leads to them and the node that it is evaluated in.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    pub by_argument: Map,
    pub known: Vec<Known>,
    pub texts: Vec<Blob>,
}

#[derive(Debug)]
pub(crate) struct Known {
    pub texts: Range<usize>,
    /// What looking for them took from the budget. Who asks again is charged again: that something is
    /// remembered does not decide which files are refused.
    pub units: u64,
}

pub(crate) type Read<T> = Result<T, ReadError>;

/// An address in the file, which is not too large for one.
pub(crate) fn short(at: u64) -> u32 {
    u32::try_from(at).unwrap_or(UNPLACED)
}
