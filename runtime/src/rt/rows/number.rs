//! Numbers, bytes and text.

use super::{Ex, Ty};

/// A number.
#[derive(Debug, Clone, Copy)]
pub struct Cell {
    /// How it is stored.
    pub storage: Storage,
    /// What it means.
    pub meaning: Meaning,
}

/// How a number is stored.
#[derive(Debug, Clone, Copy)]
pub enum Storage {
    /// In so many bytes, with a sign or without, with its highest byte first if that is said.
    Fixed(u8, bool, Option<bool>),
    /// In up to so many bytes of seven bits, and of so many bits, with a sign or without.
    Varint(crate::GroupOrder, u8, u32, bool),
    /// In so many bits of bytes, from the highest or the lowest.
    Bits(u8, bool),
    /// In bits of a word, from the first to the last, with a sign or without.
    Word(u8, u8, bool),
    /// In the bits of a tag that a pattern has letters for: width, and patterns with their
    /// positions.
    Letter(u8, &'static [(u128, u128, &'static [u32])]),
    /// It is the tag.
    Tag,
}

/// What a number means.
#[derive(Debug, Clone, Copy)]
pub enum Meaning {
    /// An integer.
    Int,
    /// A float.
    Float,
    /// A truth value, with the number for true.
    Bool(u64),
    /// A member of a closed enumeration.
    Member(&'static Closed),
    /// Bit fields that are not taken apart.
    Word(&'static [WordRule]),
    /// Bit fields with a node.
    WordNode(u16),
    /// Bit fields of a record without a node.
    DirectWord(u16),
}

/// A closed enumeration.
#[derive(Debug)]
pub struct Closed {
    /// Its name.
    pub name: &'static str,
    /// Its numbers.
    pub numbers: &'static [i128],
}

/// A rule for a bit field.
#[derive(Debug)]
pub struct WordRule {
    /// Name of the field.
    pub name: Option<&'static str>,
    /// First bit.
    pub first: u8,
    /// Last bit.
    pub last: u8,
    /// Whether it has a sign.
    pub signed: bool,
    /// What it may be; nothing else than zero if nothing is said.
    pub meaning: Option<Meaning>,
}

/// Bytes or text.
#[derive(Debug)]
pub struct Run {
    /// Number of units.
    pub length: Length,
    /// What they are.
    pub content: Content,
    /// What must follow.
    pub suffix: &'static [u8],
    /// It begins at a multiple of so many bytes.
    pub align: u64,
}

/// Number of units of a [`Run`].
#[derive(Debug, Clone, Copy)]
pub enum Length {
    /// It stands in front.
    Prefix(Cell),
    /// So many bytes.
    Fixed(u64),
    /// All there is.
    Fill,
    /// So many units.
    Count(Ex),
}

/// Content of a [`Run`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Bytes.
    Bytes,
    /// Text of seven bits a byte.
    Ascii,
    /// Text.
    Utf8,
    /// Units of 16 bits, with the highest byte first if that is said.
    Utf16(Option<bool>),
    /// Letters of 32 bits.
    Utf32,
}

impl Content {
    /// Bytes of a unit.
    #[must_use]
    pub const fn unit(self) -> u64 {
        match self {
            Content::Bytes | Content::Ascii | Content::Utf8 => 1,
            Content::Utf16(_) => 2,
            Content::Utf32 => 4,
        }
    }
}

impl Cell {
    /// A number without a sign in the byte order of the file.
    const fn unsigned(bytes: u8) -> Cell {
        Cell { storage: Storage::Fixed(bytes, false, None), meaning: Meaning::Int }
    }

    /// With this meaning.
    #[must_use]
    pub const fn of(storage: Storage, meaning: Meaning) -> Cell {
        Cell { storage, meaning }
    }

    /// Width in bits, and whether it has a sign.
    #[must_use]
    pub fn width(&self) -> (u32, bool) {
        match self.storage {
            Storage::Fixed(bytes, signed, _) => (u32::from(bytes) * 8, signed),
            Storage::Varint(_, _, bits, signed) => (bits, signed),
            Storage::Bits(width, _) | Storage::Letter(width, _) => (width.into(), false),
            Storage::Word(first, last, signed) => {
                (u32::from(last.saturating_sub(first)).saturating_add(1), signed)
            }
            Storage::Tag => (64, true),
        }
    }
}

/// A number of one byte.
pub const CELL8: Cell = Cell::unsigned(1);

/// A number of two bytes in the byte order of the file.
pub const CELL16: Cell = Cell::unsigned(2);

/// A number of four bytes in the byte order of the file.
pub const CELL32: Cell = Cell::unsigned(4);

/// A number of eight bytes in the byte order of the file.
pub const CELL64: Cell = Cell::unsigned(8);

/// The same as a type.
pub const U8: Ty = Ty::Cell(CELL8);

/// The same as a type.
pub const U16: Ty = Ty::Cell(CELL16);

/// The same as a type.
pub const U32: Ty = Ty::Cell(CELL32);

/// The same as a type.
pub const U64: Ty = Ty::Cell(CELL64);

/// Bytes of a fixed number.
#[must_use]
pub const fn bytes(size: u64) -> Run {
    Run { length: Length::Fixed(size), content: Content::Bytes, suffix: &[], align: 1 }
}
