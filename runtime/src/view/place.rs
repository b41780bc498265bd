//! A place in a file, with what has to be known to look at what is there.

use alloc::boxed::Box;

use super::Result;
use crate::ends::{Cut, Stop};
use crate::varint::{read_varint, varint_width, GroupOrder};
use crate::{Endian, ReadError, ReadErrorKind, ReadOptions};

/// A place in a file: where something begins, and where the region around it ends.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    file: &'a [u8],
    at: usize,
    /// What is left of the region.
    rest: &'a [u8],
    context: Context,
}

/// What is the same for most of a file, in one word: depth, layout and byte order, from the highest bits
/// down. Fields of their own of a byte or two would go through memory in parts wherever a place is
/// handed on, which takes longer than all else that is done with it.
#[derive(Debug, Clone, Copy)]
struct Context(usize);

impl Context {
    const DEPTH: u32 = 9;
    const BIG: usize = 1;

    #[inline(always)]
    fn with(self, order: Endian) -> Context {
        Context(self.0 & !Self::BIG | if order == Endian::Big { Self::BIG } else { 0 })
    }

    #[inline(always)]
    fn in_layout(self, layout: u8) -> Context {
        Context(
            self.0 >> Self::DEPTH << Self::DEPTH | usize::from(layout) << 1 | self.0 & Self::BIG,
        )
    }

    #[inline(always)]
    fn order(self) -> Endian {
        if self.0 & Self::BIG == 0 {
            Endian::Little
        } else {
            Endian::Big
        }
    }

    #[inline(always)]
    fn layout(self) -> u8 {
        (self.0 >> 1) as u8
    }

    #[inline(always)]
    fn depth(self) -> usize {
        self.0 >> Self::DEPTH
    }
}

// Errors are made out of line, of numbers alone: a place that is handed to them would have to be in
// memory, and so would all that it is copied to.

#[cold]
#[inline(never)]
fn too_short(at: usize, needed: usize, remaining: usize) -> ReadError {
    let (needed, remaining) = (needed as u64, remaining as u64);
    ReadError::new(ReadErrorKind::UnexpectedEnd { needed, remaining }, at as u64)
}

#[cold]
#[inline(never)]
fn no_size(at: usize, number: Option<i128>, remaining: usize) -> ReadError {
    match number {
        None => nothing(at),
        Some(count) if count < 0 => {
            ReadError::new(ReadErrorKind::NegativeCount { what: "length", count }, at as u64)
        }
        Some(_) => too_short(at, usize::MAX, remaining),
    }
}

#[cold]
#[inline(never)]
pub(super) fn nothing(at: usize) -> ReadError {
    let message = "nothing follows from the file".into();
    ReadError::new(ReadErrorKind::Expression { message }, at as u64)
}

#[cold]
#[inline(never)]
fn out_of_bounds(at: usize, address: Option<i128>) -> ReadError {
    match address {
        Some(target) => ReadError::new(ReadErrorKind::PointerOutOfBounds { target }, at as u64),
        None => nothing(at),
    }
}

#[cold]
#[inline(never)]
fn not_equal(at: usize, rest: &[u8], expected: &[u8]) -> ReadError {
    let shown = |bytes: &[u8]| -> Box<str> { alloc::format!("{}", bytes.escape_ascii()).into() };
    let actual = shown(rest.get(..expected.len()).unwrap_or(rest));
    ReadError::new(ReadErrorKind::NotEqual { expected: shown(expected), actual }, at as u64)
}

#[cold]
#[inline(never)]
fn no_text(at: usize, encoding: &'static str) -> ReadError {
    ReadError::new(ReadErrorKind::InvalidText { encoding }, at as u64)
}

/// An error: the number of a union's tag is that of no case.
#[doc(hidden)]
#[cold]
#[inline(never)]
#[must_use]
pub fn no_case(at: usize, union_name: &str, tag: i128) -> ReadError {
    let tag = alloc::format!("{tag}").into();
    ReadError::new(ReadErrorKind::UnknownTag { union_name: union_name.into(), tag }, at as u64)
}

#[cold]
#[inline(never)]
fn no_member(at: usize, name: &str, value: i128) -> ReadError {
    ReadError::new(ReadErrorKind::NotInEnum { name: name.into(), value }, at as u64)
}

#[cold]
#[inline(never)]
fn no_layout(at: usize, name: &str, value: i128) -> ReadError {
    ReadError::new(ReadErrorKind::NoLayout { name: name.into(), value }, at as u64)
}

#[doc(hidden)]
impl<'a> Place<'a> {
    /// The beginning of a file.
    #[inline(always)]
    #[must_use]
    pub fn of(file: &'a [u8]) -> Place<'a> {
        Place { file, at: 0, rest: file, context: Context(0) }
    }

    /// The same place in this byte order.
    #[inline(always)]
    #[must_use]
    pub fn ordered(self, order: Endian) -> Place<'a> {
        Place { context: self.context.with(order), ..self }
    }

    /// The same place in the layout of this number.
    #[inline]
    #[must_use]
    pub fn in_layout(self, layout: u8) -> Place<'a> {
        Place { context: self.context.in_layout(layout), ..self }
    }

    /// Byte order of numbers that do not say their own.
    #[inline(always)]
    #[must_use]
    pub fn order(self) -> Endian {
        self.context.order()
    }

    /// Number of the file's layout.
    #[inline(always)]
    #[must_use]
    pub fn layout(self) -> u8 {
        self.context.layout()
    }

    /// The address.
    #[inline(always)]
    #[must_use]
    pub fn address(self) -> usize {
        self.at
    }

    /// Where the region around it ends.
    #[inline]
    #[must_use]
    pub fn region_end(self) -> usize {
        self.at.wrapping_add(self.rest.len())
    }

    /// Size of the file.
    #[inline]
    #[must_use]
    pub fn file_end(self) -> usize {
        self.file.len()
    }

    /// An error at this place.
    #[inline(always)]
    #[must_use]
    pub fn error(self, kind: ReadErrorKind) -> ReadError {
        ReadError::new(kind, self.at as u64)
    }

    /// The first byte of the file.
    #[inline(always)]
    #[must_use]
    pub fn start(self) -> Place<'a> {
        Place { at: 0, rest: self.file, ..self }
    }

    /// So many bytes behind it, which were looked at already.
    #[inline(always)]
    #[must_use]
    pub fn forward(self, bytes: usize) -> Place<'a> {
        let rest = self.rest.get(bytes..).unwrap_or_default();
        Place { at: self.at.wrapping_add(bytes), rest, ..self }
    }

    /// How many bytes it is behind another place.
    #[inline(always)]
    #[must_use]
    pub fn since(self, first: &Place<'a>) -> usize {
        self.at.wrapping_sub(first.at)
    }

    /// Bytes that are left in the region.
    #[inline(always)]
    #[must_use]
    pub fn rest(self) -> &'a [u8] {
        self.rest
    }

    #[inline(always)]
    fn unexpected_end(self, needed: usize) -> ReadError {
        too_short(self.at, needed, self.rest().len())
    }

    /// So many bytes.
    ///
    /// # Errors
    ///
    /// If fewer are left.
    #[inline(always)]
    pub fn take(self, bytes: usize) -> Result<&'a [u8]> {
        self.rest().get(..bytes).ok_or_else(|| self.unexpected_end(bytes))
    }

    /// So many bytes.
    ///
    /// # Errors
    ///
    /// If fewer are left.
    #[inline(always)]
    pub fn block<const N: usize>(self) -> Result<&'a [u8; N]> {
        self.rest().first_chunk::<N>().ok_or_else(|| self.unexpected_end(N))
    }

    /// The place behind so many bytes.
    ///
    /// # Errors
    ///
    /// If fewer are left.
    #[inline(always)]
    pub fn skip(self, bytes: usize) -> Result<Place<'a>> {
        match self.rest.get(bytes..) {
            Some(rest) => Ok(Place { at: self.at.wrapping_add(bytes), rest, ..self }),
            None => Err(self.unexpected_end(bytes)),
        }
    }

    /// The place behind so many bytes, which an expression gives.
    ///
    /// # Errors
    ///
    /// If fewer are left, or that is no number of bytes.
    #[inline(always)]
    pub fn skip_size(self, bytes: Option<i128>) -> Result<Place<'a>> {
        self.skip(self.size(bytes)?)
    }

    /// A number of bytes or elements that an expression gives.
    ///
    /// # Errors
    ///
    /// If it is none.
    #[inline(always)]
    pub fn size(self, number: Option<i128>) -> Result<usize> {
        match number.map(usize::try_from) {
            Some(Ok(number)) => Ok(number),
            _ => Err(no_size(self.at, number, self.rest().len())),
        }
    }

    /// A number of elements that an expression gives. Elements may have no bytes, but no more of them
    /// than readers allow unless they are told otherwise.
    ///
    /// # Errors
    ///
    /// If it is none, or too large.
    #[inline]
    pub fn count(self, number: Option<i128>) -> Result<usize> {
        let count = self.size(number)?;
        let each = (self.file.len() as u64).saturating_mul(ReadOptions::BUDGET_FACTOR);
        if count as u64 > each.saturating_add(ReadOptions::BUDGET_FLOOR) {
            return Err(self.unexpected_end(count));
        }
        Ok(count)
    }

    /// The same place in a region of so many bytes.
    ///
    /// # Errors
    ///
    /// If fewer are left.
    #[inline(always)]
    pub fn region(self, bytes: Option<i128>) -> Result<Place<'a>> {
        let rest = self.take(self.size(bytes)?)?;
        Ok(Place { rest, ..self })
    }

    /// The same place in a region that ends at an address.
    ///
    /// # Errors
    ///
    /// If that is no address behind this place, or lies outside of the region around.
    #[inline(always)]
    pub fn region_to(self, end: Option<i128>) -> Result<Place<'a>> {
        let at = i128::try_from(self.at).unwrap_or_default();
        self.region(end.and_then(|end| end.checked_sub(at)))
    }

    /// The end of the region.
    #[inline]
    #[must_use]
    pub fn at_end(self) -> Place<'a> {
        self.forward(self.rest.len())
    }

    /// This place, seen from the region around another one, and as deep.
    #[inline(always)]
    #[must_use]
    pub fn seen_from(self, outer: Place<'a>) -> Place<'a> {
        let left = outer.region_end().saturating_sub(self.at);
        let rest = self.file.get(self.at..).and_then(|rest| rest.get(..left)).unwrap_or_default();
        Place { rest, context: outer.context, ..self }
    }

    /// The content of a region up to a terminator, and the place behind that.
    ///
    /// # Errors
    ///
    /// If there is no terminator.
    #[inline]
    pub fn terminated(self, stop: Stop<'_>) -> Result<(Place<'a>, Place<'a>)> {
        let rest = self.rest();
        let (content, all) = match stop.find(rest) {
            Some(at) => stop.taken(at),
            None if stop.optional => (rest.len(), rest.len()),
            None => return Err(self.error(ReadErrorKind::MissingTerminator)),
        };
        let content = Place { rest: rest.get(..content).unwrap_or_default(), ..self };
        Ok((content, self.forward(all)))
    }

    /// The content of a region that may end before the region does.
    #[inline]
    #[must_use]
    pub fn trimmed(self, cut: Cut<'_>) -> Place<'a> {
        let rest = self.rest.get(..cut.length(self.rest)).unwrap_or_default();
        Place { rest, ..self }
    }

    /// The first multiple of a number from here on.
    ///
    /// # Errors
    ///
    /// If the region ends before.
    #[inline(always)]
    pub fn aligned(self, to: usize) -> Result<Place<'a>> {
        match self.at.checked_next_multiple_of(to) {
            Some(at) => self.skip(at - self.at),
            None => Err(self.unexpected_end(usize::MAX)),
        }
    }

    /// Where a pointer leads.
    ///
    /// # Errors
    ///
    /// If that is no address of the file.
    #[inline(always)]
    pub fn to(self, address: Option<i128>) -> Result<Place<'a>> {
        let at = address.and_then(|at| usize::try_from(at).ok());
        match at.and_then(|at| Some((at, self.file.get(at..)?))) {
            Some((at, rest)) => Ok(Place { at, rest, ..self }),
            None => Err(out_of_bounds(self.at, address)),
        }
    }

    /// The place in one more type that contains itself.
    ///
    /// # Errors
    ///
    /// If those are too many.
    #[inline]
    pub fn deeper(self) -> Result<Place<'a>> {
        let limit = ReadOptions::MAX_DEPTH;
        if self.context.depth() >= limit as usize {
            return Err(self.error(ReadErrorKind::DepthLimit { limit }));
        }
        Ok(Place { context: Context(self.context.0 + (1 << Context::DEPTH)), ..self })
    }

    /// A number of variable length, and the place behind it.
    ///
    /// # Errors
    ///
    /// If there is none.
    #[inline(always)]
    pub fn varint(self, order: GroupOrder, most: u8, bits: u32) -> Result<(u64, Place<'a>)> {
        // Most are short.
        if let Some(&byte) = self.rest().first() {
            if byte & 0x80 == 0 {
                return Ok((byte.into(), self.forward(1)));
            }
        }
        let (number, width) = read_varint(self.rest(), 0, order, most, bits)
            .map_err(|error| error.rebased(self.at as u64))?;
        Ok((number, self.forward(width.into())))
    }

    /// The same of a kind whose longer forms are errors.
    ///
    /// # Errors
    ///
    /// If there is none, or it has more bytes than it needs.
    pub fn shortest_varint(
        self,
        order: GroupOrder,
        most: u8,
        bits: u32,
    ) -> Result<(u64, Place<'a>)> {
        let (number, behind) = self.varint(order, most, bits)?;
        let (width, shortest) = (behind.at - self.at, varint_width(number));
        match u8::try_from(width) {
            Ok(width) if width != shortest => {
                Err(self.error(ReadErrorKind::VarintNotShortest { width, shortest }))
            }
            _ => Ok((number, behind)),
        }
    }

    /// Text in UTF-8.
    ///
    /// # Errors
    ///
    /// If the bytes, which begin here, are none.
    #[inline(always)]
    pub fn utf8(self, bytes: &'a [u8]) -> Result<&'a str> {
        crate::checked_str(bytes).ok_or_else(|| no_text(self.at, "UTF-8"))
    }

    /// Text in ASCII.
    ///
    /// # Errors
    ///
    /// If the bytes, which begin here, are none.
    #[inline(always)]
    pub fn ascii(self, bytes: &'a [u8]) -> Result<&'a str> {
        match crate::checked_str(bytes) {
            Some(text) if text.is_ascii() => Ok(text),
            _ => Err(no_text(self.at, "ASCII")),
        }
    }

    /// Bytes that stand at the beginning of each file: one of these, all of one length.
    ///
    /// # Errors
    ///
    /// If others stand here.
    #[inline]
    pub fn holds(self, allowed: &[&[u8]]) -> Result<()> {
        if allowed.iter().any(|allowed| self.rest.starts_with(allowed)) {
            return Ok(());
        }
        Err(not_equal(self.at, self.rest, allowed.first().copied().unwrap_or_default()))
    }

    /// An error: what stands here is no byte order mark.
    #[inline(always)]
    #[must_use]
    pub fn no_order(self) -> ReadError {
        not_equal(self.at, self.rest, b"\xff\xfe")
    }

    /// An error: no condition decides the byte order.
    #[inline(always)]
    #[must_use]
    pub fn undecided(self) -> ReadError {
        self.error(ReadErrorKind::UndecidedByteOrder { actual: "".into() })
    }

    /// An error: a closed enumeration has no such number.
    #[inline(always)]
    #[must_use]
    pub fn no_member(self, name: &str, value: i128) -> ReadError {
        no_member(self.at, name, value)
    }

    /// An error: there is no layout for a number.
    #[inline(always)]
    #[must_use]
    pub fn no_layout(self, name: &str, value: i128) -> ReadError {
        no_layout(self.at, name, value)
    }

    /// An error: a pointer is none, and may not be.
    #[inline(always)]
    #[must_use]
    pub fn null(self) -> ReadError {
        self.error(ReadErrorKind::NullPointer)
    }
}
