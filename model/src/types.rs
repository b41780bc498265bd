//! Types of rows: how bytes and a value correspond.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::{
    DigitsId, EnumId, ExprId, Path, PointerId, RecordId, RowId, UnionId, Varint, VarintId,
};

impl Storage {
    /// Whether how many bytes a number takes depends on the number.
    #[must_use]
    pub fn varies(&self) -> bool {
        matches!(self, Self::Varint(_) | Self::Digits { bytes: None, .. })
    }
}

/// Type of a row or element.
#[derive(Debug, Clone)]
pub enum Type {
    /// A number, truth value, enumeration member or packed word.
    Cell(Cell),
    /// Bytes or text.
    Run(RunType),
    /// A struct, inline.
    Record(RecordId),
    /// A choice, inline.
    Union(UnionId),
    /// A number that leads to an object, a pooled text or an element.
    Pointer(Box<PointerType>),
    /// Elements one behind the other.
    Array(Box<ArrayType>),
    /// Bytes that the content must fill exactly.
    Region(Box<RegionType>),
    /// Spelled differently by epoch: one type per epoch, all with the same kind of value.
    /// [`Type::Nothing`] where the row is absent. Only a row's own type, an element, the inside of
    /// a region or a pointer's target is of this kind.
    PerEpoch(Vec<Type>),
    /// Two bytes that say the byte order; the value is the order.
    ByteOrderMark,
    /// Text without bytes here, for `value` rows.
    Text,
    /// No bytes, no value.
    Nothing,
}

/// A number as stored, and what it means.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Where its bits are.
    pub storage: Storage,
    /// What they mean.
    pub meaning: Meaning,
}

/// How the bits of a [`Cell`] are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// Whole bytes.
    Fixed(IntType),
    /// Groups of seven bits; the width is kept.
    Varint(VarintId),
    /// Digits of text; another form than the usual one is kept.
    Digits {
        /// What they are like.
        digits: DigitsId,
        /// Bytes that each number takes; without one it takes as many as it has digits.
        bytes: Option<u8>,
    },
    /// Bits from the bit cursor, most or least significant first.
    Bits {
        /// 1 to 64.
        width: u8,
        /// Whether the first bit is the highest of its byte (and of the field).
        msb_first: bool,
    },
    /// Bits of the word around it, `first` to `last`, both included; bit 0 is the lowest.
    Word {
        /// Lowest bit.
        first: u8,
        /// Highest bit.
        last: u8,
        /// Two's complement.
        signed: bool,
    },
    /// Bits named in the pattern that selected the case, most significant first.
    Letter {
        /// The letter.
        letter: char,
        /// Number of bits.
        width: u8,
    },
    /// The tag of the union, with the meaning this row gives it.
    TagOf,
}

/// Width, sign and byte order of an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IntType {
    /// 1 to 8.
    pub bytes: u8,
    /// Two's complement.
    pub signed: bool,
    /// Byte order if the type says one; otherwise the record's, or the file's.
    pub order: Option<ByteOrder>,
}

/// Which byte of a number comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ByteOrder {
    /// The lowest.
    Little,
    /// The highest.
    Big,
}

/// Which seven bits of a variable-length integer come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupOrder {
    /// The most significant.
    MsbFirst,
    /// The least significant.
    LsbFirst,
}

/// How integers of variable length have a sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VarintSign {
    /// As two's complement: the highest bit of the most significant group stands for all above it.
    Twos,
    /// As the lowest bit: 0, -1, 1, -2 and 2 are stored as 0 to 4.
    Zigzag,
}

impl Varint {
    /// Bits that there are in so many bytes.
    #[must_use]
    pub fn room(&self, bytes: u8) -> u32 {
        let more = if bytes == self.max_bytes { self.last.saturating_sub(7) } else { 0 };
        u32::from(bytes) * 7 + u32::from(more)
    }

    /// Whether it has no sign, and seven bits in each byte.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        !self.ty.signed && self.last == 7
    }
}

/// What the number in a [`Cell`] means.
#[derive(Debug, Clone, PartialEq)]
pub enum Meaning {
    /// An integer.
    Int,
    /// A float, compared by its bits: [`super::FloatCode`] says what is stored.
    Float(FloatForm),
    /// 0 is false, `yes` is true, anything else an error.
    Bool {
        /// Number for true.
        yes: u64,
    },
    /// A member of an enumeration.
    Enum(EnumId),
    /// Bit fields: a record of kind [`super::RecordKind::Word`].
    Word(RecordId),
}

/// What the stored bits of a float are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FloatForm {
    /// A float of IEEE 754, of the storage's width.
    Ieee,
    /// An integer, of which so many bits are the fraction.
    Fixed(u8),
    /// An integer, whose greatest is 1.0.
    Norm,
}

/// A run of bytes or units of text.
#[derive(Debug, Clone)]
pub struct RunType {
    /// What it holds.
    pub content: Content,
    /// How long it is.
    pub length: RunLength,
    /// Bytes that follow and do not count (`end=nul`).
    pub suffix: Vec<u8>,
    /// Begins on a multiple of this many bytes.
    pub align: Option<u64>,
}

/// What a [`RunType`] holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Bytes.
    Bytes,
    /// Text.
    Text(Encoding),
}

/// How text is stored. `bytes` in a schema is [`Content::Bytes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// 7-bit.
    Ascii,
    /// UTF-8.
    Utf8,
    /// Units of 16 bits in the record's byte order; lone surrogates are kept.
    Utf16,
    /// Units of 16 bits, lowest byte first.
    Utf16Le,
    /// Units of 16 bits, highest byte first.
    Utf16Be,
    /// Units of 32 bits in the record's byte order.
    Utf32,
    /// ISO 8859-1: each byte is the letter of this number.
    Latin1,
    /// Windows-1252: the same but for bytes from 0x80 to 0x9f, most of which are other letters.
    Cp1252,
    /// UTF-8 as Java has it: U+0000 as two bytes, what is beyond 16 bits as two surrogates of three bytes
    /// each.
    Mutf8,
}

/// Length of a [`RunType`].
#[derive(Debug, Clone)]
pub enum RunLength {
    /// A number of units (bytes of [`Content::Bytes`]) that stands before it.
    Prefix(Cell),
    /// To the end of the region around it.
    Fill,
    /// Exactly so many bytes.
    Fixed(u64),
    /// So many units (bytes of [`Content::Bytes`]).
    Count(ExprId),
}

/// Bytes that the content must fill exactly.
#[derive(Debug, Clone)]
pub struct RegionType {
    /// What is in it.
    pub inner: Type,
    /// Where it ends.
    pub extent: Extent,
    /// Where the content ends inside, if that is earlier.
    pub trim: Option<Trim>,
}

impl Type {
    /// Where the first byte of it is if it begins at an address: behind the padding of a text that
    /// is aligned.
    #[must_use]
    pub fn start(&self, at: u64) -> u64 {
        match self.stripped() {
            Self::Run(run) => run.start(at),
            _ => at,
        }
    }
}

impl RunType {
    /// The same of content alone.
    #[must_use]
    pub fn start(&self, at: u64) -> u64 {
        at.next_multiple_of(self.align.unwrap_or(1).max(1))
    }
}

impl RegionType {
    /// Alignment of the text in the region, if that is one: the region begins behind the padding.
    #[must_use]
    pub fn align(&self) -> Option<u64> {
        match self.inner.stripped() {
            Type::Run(run) => run.align.filter(|align| *align > 1),
            _ => None,
        }
    }
}

/// End of a region.
#[derive(Debug, Clone)]
pub enum Extent {
    /// After so many bytes.
    Size(ExprId),
    /// At this address.
    End(ExprId),
    /// At a terminator: the region is the content and, if dropped or kept, the terminator.
    Terminated(Terminator),
    /// At the end of the region around it.
    Rest,
}

/// Where the content of a region of known size ends. What lies behind is spelling.
#[derive(Debug, Clone)]
pub struct Trim {
    /// Ends at the first of these, if there is one.
    pub terminator: Option<Terminator>,
    /// Without a terminator: trailing bytes equal to this one do not count, and fill when writing.
    pub strip: Option<u8>,
}

/// Bytes that end something, or any one of several units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terminator {
    /// Empty if it is any of several units.
    pub bytes: Vec<u8>,
    /// It is one unit from one of these up to the other. Then it is not dropped, since it would not be
    /// known which one it was.
    pub any: Vec<(u32, u32)>,
    /// Byte order of such a unit, if it is not that of the record.
    pub order: Option<ByteOrder>,
    /// Found at multiples of this from the start: bytes of a unit of the text that it ends, or of an
    /// element.
    pub unit: u32,
    /// What happens to it.
    pub mode: Terminated,
    /// Whether the end of the region around may stand for it.
    pub optional: bool,
}

impl Terminator {
    /// Whether it is told by the byte order of the record.
    #[must_use]
    pub fn has_order(&self) -> bool {
        self.unit > 1 && self.order.is_none() && !self.any.is_empty()
    }
}

/// What becomes of a [`Terminator`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Terminated {
    /// Read, not part of the value, written again.
    Dropped,
    /// Part of the value.
    Kept,
    /// Left for the next row.
    Unread,
}

/// Elements one behind the other.
#[derive(Debug, Clone)]
pub struct ArrayType {
    /// Type of an element.
    pub element: Type,
    /// How many.
    pub length: ArrayLength,
    /// Each element is a region of so many bytes.
    pub stride: Option<ExprId>,
    /// Who says what each element is. The length counts these.
    pub described: Option<Box<Described>>,
    /// The array beside it that says how many elements there are, which say nothing themselves: so the
    /// value does not have this one.
    pub in_step: Option<InStep>,
}

/// An array has as many elements as another one of the same record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InStep {
    /// The row of the other one.
    pub with: RowId,
    /// How many more than that.
    pub plus: i128,
}

/// Elements of which each is described by something else in the file.
#[derive(Debug, Clone)]
pub struct Described {
    /// The stream of what describes them, in their order. It is `it` in the arguments of their type.
    pub by: ExprId,
    /// Only those count for which this holds; `it` is the one.
    pub filter: Option<ExprId>,
    /// So many elements in front are described by nothing.
    pub leading: u32,
    /// The elements are columns of records. Otherwise they stand in the array itself.
    pub columns: Option<Columns>,
    /// Offset of each element, or of a column in each record; `it` is what describes it. Otherwise one
    /// stands behind the other.
    pub at: Option<ExprId>,
}

/// Arrays of which each record has one element.
#[derive(Debug, Clone)]
pub struct Columns {
    /// Number of records.
    pub records: ExprId,
    /// Bytes from one record to the next.
    pub stride: ExprId,
}

/// Length of an [`ArrayType`].
#[derive(Debug, Clone)]
pub enum ArrayLength {
    /// So many elements.
    Count(ExprId),
    /// As many as the region around it holds, exactly.
    Fill,
    /// Up to and including the first for which this holds; `it` is the element.
    Last(ExprId),
}

/// Type of a pointer row or element.
#[derive(Debug, Clone)]
pub struct PointerType {
    /// Kind.
    pub kind: PointerId,
    /// How the number is stored, if not as the kind says: bits of a word.
    pub cell: Option<Cell>,
    /// What it leads to.
    pub target: Target,
    /// `?`: may be none.
    pub optional: bool,
    /// What a pointer to an empty array is, if not as the kind says.
    pub when_empty: Option<WhenEmpty>,
    /// None exactly if this array row is empty.
    pub none_with: Option<RowId>,
    /// Alignment of the target, if neither its type nor the kind decides.
    pub align: Option<ExprId>,
    /// Section of the relocation table, by position in [`super::Model::relocation`].
    pub section: u32,
    /// Relocation, if not as the kind says.
    pub list: Option<Policy>,
}

/// What a pointer leads to.
#[derive(Debug, Clone)]
pub enum Target {
    /// An object that this pointer owns.
    Own(Type),
    /// A member of the kind's pool; the value is the text.
    Pooled,
    /// An element of an array that somebody else owns; the row has a [`Reference`].
    Element,
}

/// What a pointer to an empty array is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenEmpty {
    /// The number for nothing.
    None,
    /// The address where the array would be.
    Here,
    /// As the file has it: the address where it would be by default, or the number for nothing.
    Kept,
}

/// A number or pointer that must hit an element of an array.
#[derive(Debug, Clone)]
pub struct Reference {
    /// The array.
    pub array: Path,
    /// Only elements for which this holds count, and the stored number is the rank among them;
    /// `it` is the element. The value is the index in the whole array.
    pub filter: Option<ExprId>,
    /// The stored number is the content of this field of some element, and so is the value.
    pub field: Option<String>,
    /// That content, of `it`; there if the field is.
    pub key: Option<ExprId>,
}

/// Whether a pointer is listed in the relocation table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// Never.
    Never,
    /// If it is not none.
    Set,
    /// Always.
    Always,
}

/// A number that stands in the relocation table although its row is no pointer (`list=`, or a
/// pointer to an object that somebody else owns).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Listed {
    /// What the row says; otherwise `kind` decides.
    pub policy: Option<Policy>,
    /// Kind of pointer that the number stands for, if there is one.
    pub kind: Option<PointerId>,
    /// Section of the relocation table, by position in [`super::Model::relocation`].
    pub section: u32,
}

/// Least and greatest number of so many bits, of which there are 1 to 64.
#[must_use]
pub fn limits(bits: u32, signed: bool) -> (i128, i128) {
    let bits = bits.clamp(1, 126);
    if signed {
        let half = 1_i128 << (bits - 1);
        (-half, half - 1)
    } else {
        (0, (1_i128 << bits) - 1)
    }
}
