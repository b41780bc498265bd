//! What a writer remembers until all is written: pointers to texts, lists of tables, bits that depend
//! on addresses.

use alloc::vec::Vec;

/// A place in the file, as an address in bytes. Where the address is not known yet, the high 32 bits
/// are the number of a token plus 1, and the low ones count from where the token ends up.
pub type Spot = u64;

/// A pointer to a text in a pool.
#[derive(Debug, Clone, Copy)]
pub(super) struct Label<'v> {
    pub spot: Spot,
    pub text: &'v [u8],
    pub kind: &'static LabelKind,
}

/// What all pointers of a kind have in common.
#[derive(Debug, Clone, Copy)]
pub struct LabelKind {
    /// Number of the pool.
    pub pool: u8,
    /// Width of the pointer in bytes.
    pub width: u8,
    /// Whether its highest byte comes first.
    pub big: bool,
    /// Added to the address of the text.
    pub skip: u32,
    /// The number counts units of so many bytes.
    pub unit: u64,
    /// What the number counts from, if that is not the begin of the file.
    pub base: Option<LabelBase>,
    /// Numbers that stand for nothing, of those that a label may have.
    pub nones: &'static [i128],
    /// The lowest of its bits in the number there, and how many they are; none: it is all of that.
    pub bits: (u8, u8),
}

impl LabelKind {
    /// What most kinds are but for their width: in the first pool, and their number is the address.
    pub const PLAIN: LabelKind = LabelKind {
        pool: 0,
        width: 0,
        big: false,
        skip: 0,
        unit: 1,
        base: None,
        nones: &[],
        bits: (0, 0),
    };
}

/// What numbers of labels count from.
#[derive(Debug, Clone, Copy)]
pub struct LabelBase {
    /// The anchor of something that there is once.
    pub anchor: usize,
    /// Whether they count from its end.
    pub end: bool,
}

/// How the base of a list is stored: the index of its first element.
#[derive(Debug)]
pub struct BaseCell {
    /// Width in bytes.
    pub width: u8,
    /// Whether the highest byte comes first.
    pub big: bool,
    /// Whether it has a sign.
    pub signed: bool,
    /// The index is this many times the number,
    pub factor: i128,
    /// and this more.
    pub offset: i128,
    /// Added to the number where it is stored.
    pub plus: i128,
    /// The number for a list without elements, if that does not follow from its place.
    pub empty: Option<i128>,
    /// The least and the greatest number that may be stored.
    pub range: (i128, i128),
    /// Whether another list has stored the number, which has to be the same.
    pub again: bool,
}

impl BaseCell {
    /// What most are but for their width: the index itself, of any size.
    pub const PLAIN: BaseCell = BaseCell {
        width: 0,
        big: false,
        signed: false,
        factor: 1,
        offset: 0,
        plus: 0,
        empty: None,
        range: (i64::MIN as i128, u64::MAX as i128),
        again: false,
    };
}

/// A base that is stored when its table is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waiting {
    pub list: usize,
    pub spot: Spot,
    pub cell: &'static BaseCell,
    pub empty: bool,
}

/// The lists of one table: those that were gathered, with their bases, and those that wait for them.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub bases: Vec<(usize, u32)>,
    pub waiting: Vec<Waiting>,
    pub gathered: bool,
}

/// A bit of a number that depends on addresses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flag {
    pub set: usize,
    pub spot: Spot,
    pub width: u8,
    pub big: bool,
    pub bit: u8,
}

/// What the members of a pool would be, which a file has others instead of.
#[derive(Debug, Clone, Copy)]
pub struct FoundMembers {
    pub(super) digest: i128,
    /// Whether the file has just these.
    pub(super) same: bool,
    /// Whether it has more, and these in their order.
    pub(super) only_more: bool,
}

/// A number that is stored when all bytes that it follows from are there.
#[derive(Debug, Clone, Copy)]
pub struct Sum<'v> {
    /// Which row it is for: a number of the generated code.
    pub row: u32,
    /// Where the number goes.
    pub at: Spot,
    /// How many bytes it has.
    pub width: u64,
    /// The bytes that it had, if it is in digits.
    pub kept: Option<&'v [u8]>,
    pub(super) from: Spot,
    pub(super) to: Spot,
}

impl Sum<'_> {
    /// Whether what it follows from ends before it begins. Such numbers do not wait for each other.
    pub(super) fn looks_back(&self) -> bool {
        self.to <= self.at
    }
}
