//! Why bytes could not be read as a value, and where.
//!
//! Kinds are data, their words are in `Display`, and the place is added around them: the offset
//! where the error is made, the path while it unwinds.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use core::fmt::{self, Write as _};

use crate::path::{Path, Segment};

/// Why bytes could not be read, with the offset and the path of the field that failed.
///
/// It is one word wide, so that a `Result` of a small value stays small. The path is empty where
/// the error is made, and grows from the inside out while the error unwinds:
///
/// ```
/// use formwork::{ReadError, ReadErrorKind};
///
/// fn read_event() -> Result<(), ReadError> {
///     Err(ReadError::new(ReadErrorKind::PointerOutOfBounds { target: 0x51f0 }, 0x28))
/// }
///
/// let error = read_event()
///     .map_err(|error| error.in_field("params").in_index(3).in_field("events"))
///     .unwrap_err();
/// assert_eq!(error.to_string(), "pointer 0x51f0 is outside the file, at 0x28 in events[3].params");
/// ```
///
/// In words it tells all but the [code](ReadErrorKind::code), which `Debug` adds, since that is what
/// `main` prints of an error; `{:#?}` has the parts one by one.
#[derive(Clone, PartialEq, Eq)]
pub struct ReadError(Box<Inner>);

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    kind: ReadErrorKind,
    offset: u64,
    path: Path,
}

impl ReadError {
    /// An error at the root. `offset` is that of the field's first byte, in bytes from the start of
    /// the file.
    #[cold]
    #[must_use]
    pub fn new(kind: ReadErrorKind, offset: u64) -> Self {
        ReadError(Box::new(Inner { kind, offset, path: Path::new() }))
    }

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> &ReadErrorKind {
        &self.0.kind
    }

    /// Where the field that failed begins, in bytes from the start of the file.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.0.offset
    }

    /// The field that failed, from the root of what was read.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// The bytes of the file around the place: a line of sixteen in hexadecimal and as text, the line
    /// before it, and one with a caret under the byte. Nothing for an empty file.
    ///
    /// ```
    /// use formwork::{ReadError, ReadErrorKind};
    ///
    /// let error = ReadError::new(ReadErrorKind::NullPointer, 2);
    /// assert_eq!(
    ///     error.excerpt(b"ab\0\0cd"),
    ///     "00000000  61 62 00 00 63 64                                 ab..cd\n\
    ///      \u{20}               ^                                             ^\n",
    /// );
    /// ```
    #[must_use]
    pub fn excerpt(&self, bytes: &[u8]) -> String {
        let mut text = String::new();
        if bytes.is_empty() {
            return text;
        }
        let at = usize::try_from(self.0.offset).unwrap_or(usize::MAX).min(bytes.len());
        // The end of the file is behind its last byte, on the same line.
        let line = if at == bytes.len() { (at - 1) / LINE } else { at / LINE };
        for line in line.saturating_sub(1)..=line {
            let start = line * LINE;
            let part = &bytes[start..bytes.len().min(start + LINE)];
            let _ = write!(text, "{start:08x}  ");
            for column in 0..LINE {
                let _ = match part.get(column) {
                    Some(byte) => write!(text, "{byte:02x} "),
                    None => write!(text, "   "),
                };
                text.push_str(if column + 1 == LINE / 2 { " " } else { "" });
            }
            text.push(' ');
            let seen = |byte: &u8| match byte {
                b' '..=b'~' => char::from(*byte),
                _ => '.',
            };
            text.extend(part.iter().map(seen));
            text.push('\n');
        }
        let column = at - line * LINE;
        let hex = 10 + column * 3 + usize::from(column >= LINE / 2);
        let ascii = 10 + LINE * 3 + 2 + column;
        let _ = writeln!(text, "{:hex$}^{:between$}^", "", "", between = ascii - hex - 1);
        text
    }

    /// The same error seen from the struct around it: the path now begins with the field `name`.
    #[cold]
    #[must_use]
    pub fn in_field(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.0.path.prepend(Segment::Field(name.into()));
        self
    }

    /// The same error seen from the array around it: the path now begins with the index `i`, from
    /// 0.
    #[cold]
    #[must_use]
    pub fn in_index(mut self, i: usize) -> Self {
        self.0.path.prepend(Segment::Index(i));
        self
    }

    /// The same error with this path, in place of the one it had.
    #[cold]
    #[must_use]
    pub fn with_path(mut self, path: Path) -> Self {
        self.0.path = path;
        self
    }

    /// The same error seen from a file of which the input was a part that begins at `base`, in
    /// bytes.
    #[cold]
    #[must_use]
    pub fn rebased(mut self, base: u64) -> Self {
        self.0.offset = self.0.offset.saturating_add(base);
        self
    }
}

/// Bytes in a line of an excerpt.
const LINE: usize = 16;

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.0.path.shortened();
        write!(f, "{}, at 0x{:x} in {path}", self.0.kind, self.0.offset)
    }
}

impl fmt::Debug for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            let Inner { kind, offset, path } = &*self.0;
            let mut shown = f.debug_struct("ReadError");
            return shown.field("kind", kind).field("offset", offset).field("path", path).finish();
        }
        write!(f, "{self} ({})", self.0.kind.code())
    }
}

impl core::error::Error for ReadError {}

/// What went wrong while reading.
///
/// Numbers that a schema chose the width of are given as text (`expected`, `actual`), so that
/// floats, texts and integers of either sign share one kind, printed in the way that the field is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// The file, or the region around the field, ended before the field did.
    UnexpectedEnd {
        /// Size of the field in bytes. For a bit field: of all bytes that it touches.
        needed: u64,
        /// Bytes from the field's first byte to the end.
        remaining: u64,
    },
    /// A pointer leads outside the file.
    PointerOutOfBounds {
        /// Where it leads, in bytes from the start of the file. Negative if it leads before the
        /// start.
        target: i128,
    },
    /// What an expression says is the end of a region lies in front of its start, or outside of what
    /// is around it.
    EndOutOfBounds {
        /// Where it is to end, in bytes from the start of the file.
        end: u64,
        /// Where the region begins.
        start: u64,
        /// Where what is around it ends.
        limit: u64,
    },
    /// A pointer that must lead somewhere has its null value.
    NullPointer,
    /// Nothing says where an object is that must be there.
    ObjectNotFound,
    /// The layout of the schema has no place for what a pointer leads to.
    NotPlaced,
    /// The stored value is not the one that the schema fixes.
    NotEqual {
        /// The value in the schema.
        expected: Box<str>,
        /// The value in the file.
        actual: Box<str>,
    },
    /// Padding is not zero.
    NotZero,
    /// A number is below the least value that the schema allows.
    BelowMinimum {
        /// The least value allowed.
        minimum: Box<str>,
        /// The value in the file.
        actual: Box<str>,
    },
    /// A number is above the greatest value that the schema allows.
    AboveMaximum {
        /// The greatest value allowed.
        maximum: Box<str>,
        /// The value in the file.
        actual: Box<str>,
    },
    /// The value is none of those that the schema lists.
    NotOneOf {
        /// The value in the file.
        actual: Box<str>,
    },
    /// A condition of the schema does not hold.
    CheckFailed {
        /// The condition, as the schema writes it.
        check: Box<str>,
        /// What the schema says about the condition; empty if it says nothing.
        why: Box<str>,
        /// The value that was tested; empty if the condition is about a whole struct.
        actual: Box<str>,
    },
    /// A closed enum has no name for the number.
    NotInEnum {
        /// Name of the enum.
        name: Box<str>,
        /// The number in the file.
        value: i128,
    },
    /// No case of a union takes the tag.
    UnknownTag {
        /// Name of the union.
        union_name: Box<str>,
        /// The tag in the file.
        tag: Box<str>,
    },
    /// A bool is stored as a number that means neither true nor false.
    InvalidBool {
        /// The number in the file.
        value: u64,
    },
    /// The bytes of a text are not valid in its encoding.
    InvalidText {
        /// Name of the encoding, such as `utf-8`.
        encoding: &'static str,
    },
    /// A text or list that a terminator ends has none before the end of its region.
    MissingTerminator,
    /// The content of a region ends before the region does.
    TrailingBytes {
        /// Bytes between the two ends.
        remaining: u64,
    },
    /// A byte order mark is neither the big-endian nor the little-endian one.
    UndecidedByteOrder {
        /// The mark in the file.
        actual: Box<str>,
    },
    /// A variable-length integer goes on beyond the greatest number of bytes it may have.
    VarintTooLong {
        /// That number of bytes.
        limit: u8,
    },
    /// A variable-length integer is too large for its type.
    VarintOverflow,
    /// A variable-length integer takes more bytes than it needs, and may not.
    VarintNotShortest {
        /// Bytes that it takes.
        width: u8,
        /// Bytes that are enough.
        shortest: u8,
    },
    /// What stands in the place of digits is none.
    NotADigit {
        /// The byte.
        byte: u8,
        /// Base of the digits, 2 to 16.
        base: u8,
    },
    /// A number in digits is too large for its type.
    DigitsOverflow,
    /// A stored index is outside the array that it refers to.
    IndexOutOfRange {
        /// The index, from 0, after any bias was taken off.
        index: i128,
        /// How many elements the array has.
        count: u64,
    },
    /// A reference must lead to an element of a certain array, and leads elsewhere, or the array is
    /// not there.
    NotAnElement {
        /// What is not there.
        what: Box<str>,
    },
    /// A stored number differs from what it is derived from.
    NotDerived {
        /// What the rest of the file says it must be.
        expected: Box<str>,
        /// The value in the file.
        actual: Box<str>,
    },
    /// Two elements have one key where keys must differ.
    DuplicateKey {
        /// The key.
        key: Box<str>,
    },
    /// No layout of the schema covers a version that the file states.
    NoLayout {
        /// Name of the number that selects the layout.
        name: Box<str>,
        /// Its value in the file.
        value: i128,
    },
    /// The value is nested deeper than [`ReadOptions::max_depth`](crate::ReadOptions::max_depth)
    /// allows.
    DepthLimit {
        /// The limit, in entries into types that contain themselves.
        limit: u32,
    },
    /// The file is larger than a reader carries. In bytes.
    TooLarge {
        /// Most bytes of a file.
        limit: u64,
    },
    /// Decoding takes more work or memory than [`ReadOptions`](crate::ReadOptions) allow for the
    /// input's length.
    BudgetExceeded {
        /// The limit, in units of [`Budget::charge`](crate::Budget::charge).
        limit: u64,
    },
    /// An expression for a count, a size or an end gives a negative number.
    NegativeCount {
        /// What it is for: `count`, `size` and so on.
        what: &'static str,
        /// That number.
        count: i128,
    },
    /// A region that elements of one size must fill is not a multiple of that size.
    SizeNotMultiple {
        /// Size of the region in bytes.
        size: u64,
        /// Distance from one element to the next, in bytes.
        stride: u64,
    },
    /// An expression of the schema has no value here: it overflows, divides by zero, or names what
    /// is absent.
    Expression {
        /// What happened.
        message: Box<str>,
    },
}

impl ReadErrorKind {
    /// A name for programs, in snake case. It does not change when the words of the message do.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnexpectedEnd { .. } => "unexpected_end",
            Self::PointerOutOfBounds { .. } | Self::EndOutOfBounds { .. } => {
                "pointer_out_of_bounds"
            }
            Self::NullPointer => "null_pointer",
            Self::ObjectNotFound => "object_not_found",
            Self::NotPlaced => "not_placed",
            Self::NotEqual { .. } => "not_equal",
            Self::NotZero => "not_zero",
            Self::BelowMinimum { .. } => "below_minimum",
            Self::AboveMaximum { .. } => "above_maximum",
            Self::NotOneOf { .. } => "not_one_of",
            Self::CheckFailed { .. } => "check_failed",
            Self::NotInEnum { .. } => "not_in_enum",
            Self::UnknownTag { .. } => "unknown_tag",
            Self::InvalidBool { .. } => "invalid_bool",
            Self::InvalidText { .. } => "invalid_text",
            Self::MissingTerminator => "missing_terminator",
            Self::TrailingBytes { .. } => "trailing_bytes",
            Self::UndecidedByteOrder { .. } => "undecided_byte_order",
            Self::VarintTooLong { .. } => "varint_too_long",
            Self::VarintOverflow => "varint_overflow",
            Self::VarintNotShortest { .. } => "varint_not_shortest",
            Self::NotADigit { .. } => "not_a_digit",
            Self::DigitsOverflow => "digits_overflow",
            Self::IndexOutOfRange { .. } => "index_out_of_range",
            Self::NotAnElement { .. } => "not_an_element",
            Self::NotDerived { .. } => "not_derived",
            Self::DuplicateKey { .. } => "duplicate_key",
            Self::NoLayout { .. } => "no_layout",
            Self::DepthLimit { .. } => "depth_limit",
            Self::TooLarge { .. } => "too_large",
            Self::BudgetExceeded { .. } => "budget_exceeded",
            Self::NegativeCount { .. } => "negative_count",
            Self::SizeNotMultiple { .. } => "size_not_multiple",
            Self::Expression { .. } => "expression",
        }
    }
}

/// A condition that does not hold, and what the schema says about it.
pub(crate) fn broken_rule(f: &mut fmt::Formatter<'_>, check: &str, why: &str) -> fmt::Result {
    write!(f, "the rule `{check}` does not hold")?;
    if why.is_empty() {
        Ok(())
    } else {
        write!(f, ": {}", why.trim_end_matches('.'))
    }
}

impl fmt::Display for ReadErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnexpectedEnd { needed, remaining } => {
                let remain = if *remaining == 1 { "remains" } else { "remain" };
                write!(f, "needs {}, but {remaining} {remain}", Bytes(*needed))
            }
            Self::PointerOutOfBounds { target } => {
                write!(f, "pointer {} is outside the file", Hex(*target))
            }
            Self::EndOutOfBounds { end, start, .. } if end < start => {
                write!(f, "it would end at 0x{end:x}, which is in front of its start")
            }
            Self::EndOutOfBounds { end, limit, .. } => {
                write!(f, "it would end at 0x{end:x}, but what is around it ends at 0x{limit:x}")
            }
            Self::NullPointer => f.write_str("pointer is null, but must lead somewhere"),
            Self::NotPlaced => f.write_str("the layout has no place for it"),
            Self::ObjectNotFound => f.write_str("nothing says where this is, but it must be there"),
            Self::NotEqual { expected, actual } => write!(f, "expected {expected}, found {actual}"),
            Self::NotZero => f.write_str("padding is not zero"),
            Self::BelowMinimum { minimum, actual } => {
                write!(f, "{actual} is below the minimum {minimum}")
            }
            Self::AboveMaximum { maximum, actual } => {
                write!(f, "{actual} is above the maximum {maximum}")
            }
            Self::NotOneOf { actual } => write!(f, "{actual} is none of the allowed values"),
            Self::CheckFailed { check, why, actual } => {
                broken_rule(f, check, why)?;
                if actual.is_empty() {
                    Ok(())
                } else {
                    write!(f, ": the value is {actual}")
                }
            }
            Self::NotInEnum { name, value } => {
                write!(f, "enum `{name}` has no name for {value}")
            }
            Self::UnknownTag { union_name, tag } => {
                write!(f, "union `{union_name}` has no case for {tag}")
            }
            Self::InvalidBool { value } => write!(f, "{value} is neither true nor false"),
            Self::InvalidText { encoding } => write!(f, "text is not valid {encoding}"),
            Self::MissingTerminator => f.write_str("terminator is missing"),
            Self::TrailingBytes { remaining } => {
                write!(f, "{} left over behind the content", Bytes(*remaining))
            }
            Self::UndecidedByteOrder { actual } if actual.is_empty() => {
                f.write_str("no condition decides the byte order")
            }
            Self::UndecidedByteOrder { actual } => {
                write!(f, "{actual} is no byte order mark of either order")
            }
            Self::VarintTooLong { limit } => {
                write!(f, "variable-length integer is longer than {}", Bytes(u64::from(*limit)))
            }
            Self::VarintOverflow => {
                f.write_str("variable-length integer is too large for its type")
            }
            Self::VarintNotShortest { width, shortest } => {
                let (width, enough) = (Bytes(u64::from(*width)), Bytes(u64::from(*shortest)));
                write!(f, "variable-length integer takes {width} where {enough} would do")
            }
            Self::NotADigit { byte, base } => {
                let shown = byte.escape_ascii();
                write!(f, "byte {} (`{shown}`) is no digit of base {base}", Hex(i128::from(*byte)))
            }
            Self::DigitsOverflow => f.write_str("number in digits is too large for its type"),
            Self::IndexOutOfRange { index, count } => {
                let elements = if *count == 1 { "element" } else { "elements" };
                write!(f, "index {index} is out of range, the array has {count} {elements}")
            }
            Self::NotAnElement { what } => f.write_str(what),
            Self::NotDerived { expected, actual } => {
                write!(f, "stored {actual} differs from {expected}, which it is derived from")
            }
            Self::DuplicateKey { key } => write!(f, "the key {key:?} is there twice"),
            Self::NoLayout { name, value } => write!(f, "there is no layout for `{name}` {value}"),
            Self::DepthLimit { limit } => write!(f, "nested deeper than the limit of {limit}"),
            Self::TooLarge { limit } => write!(f, "larger than the limit of {limit} bytes"),
            Self::BudgetExceeded { limit } => {
                write!(f, "decoding exceeds the limit of {limit} units for a file of this length")
            }
            Self::NegativeCount { what, count } => write!(f, "{what} {count} is negative"),
            Self::SizeNotMultiple { size, stride } => {
                write!(f, "size 0x{size:x} is not a multiple of the stride 0x{stride:x}")
            }
            Self::Expression { message } => f.write_str(message),
        }
    }
}

/// Prints a number of bytes with its unit.
pub(crate) struct Bytes(pub(crate) u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = if self.0 == 1 { "byte" } else { "bytes" };
        write!(f, "{} {unit}", self.0)
    }
}

/// Prints an offset in hexadecimal, a negative one with a sign.
struct Hex(i128);

impl fmt::Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        write!(f, "{sign}0x{:x}", self.0.unsigned_abs())
    }
}
