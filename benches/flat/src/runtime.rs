//! What generated code would call: candidates for the runtime, in the shape that is measured.
use formwork::{Endian, ReadError, ReadErrorKind, ReadOptions};
use formwork::algorithms::{checked_str, load_uint, slice};
use formwork::engine::Budget;
use std::borrow::Cow;

/// Byte order of a reader or writer: a constant of the type, or a flag that is tested at each load.
pub trait Order: Copy {
    fn is_big(self) -> bool;
    #[inline(always)]
    fn endian(self) -> Endian {
        if self.is_big() {
            Endian::Big
        } else {
            Endian::Little
        }
    }
}
#[derive(Clone, Copy)]
pub struct Const<const BIG: bool>;
pub type Le = Const<false>;
pub type Be = Const<true>;
impl<const BIG: bool> Order for Const<BIG> {
    #[inline(always)]
    fn is_big(self) -> bool {
        BIG
    }
}
/// The order as data.
#[derive(Clone, Copy)]
pub struct Flag(pub Endian);
impl Order for Flag {
    #[inline(always)]
    fn is_big(self) -> bool {
        self.0 == Endian::Big
    }
}

/// A scalar within a block of known size, at a constant offset.
pub trait Scalar: Sized {
    fn get<O: Order>(block: &[u8], at: usize, order: O) -> Self;
    fn put<O: Order>(self, block: &mut [u8], at: usize, order: O);
}
macro_rules! scalars {
    ($($t:ty)*) => {$(
        impl Scalar for $t {
            #[inline(always)]
            fn get<O: Order>(block: &[u8], at: usize, order: O) -> Self {
                let Some(Some(bytes)) = block.get(at..).map(|b| b.first_chunk()) else {
                    return Default::default();
                };
                if order.is_big() { <$t>::from_be_bytes(*bytes) } else { <$t>::from_le_bytes(*bytes) }
            }
            #[inline(always)]
            fn put<O: Order>(self, block: &mut [u8], at: usize, order: O) {
                if let Some(Some(place)) = block.get_mut(at..).map(|b| b.first_chunk_mut()) {
                    *place = if order.is_big() { self.to_be_bytes() } else { self.to_le_bytes() };
                }
            }
        }
    )*};
}
scalars!(u16 i16 u32 f32 u64);

/// How a reader takes text: the reader is generated once and compiled for each.
pub trait Mode<'i> {
    type Text: AsRef<str>;
    fn text(text: &'i str) -> Self::Text;
}
/// One type for both: borrowed from the input here, and owned below.
pub struct CowRead;
pub struct CowReadOwned;
/// A pair of types.
pub struct StrRead;
pub struct StringReadOwned;
impl<'i> Mode<'i> for CowRead {
    type Text = Cow<'i, str>;
    #[inline(always)]
    fn text(text: &'i str) -> Self::Text {
        Cow::Borrowed(text)
    }
}
impl<'i> Mode<'i> for CowReadOwned {
    type Text = Cow<'static, str>;
    #[inline(always)]
    fn text(text: &'i str) -> Self::Text {
        Cow::Owned(text.to_owned())
    }
}
impl<'i> Mode<'i> for StrRead {
    type Text = &'i str;
    #[inline(always)]
    fn text(text: &'i str) -> Self::Text {
        text
    }
}
impl<'i> Mode<'i> for StringReadOwned {
    type Text = String;
    #[inline(always)]
    fn text(text: &'i str) -> Self::Text {
        text.to_owned()
    }
}

/// What one read carries along.
pub struct Input<'i, O> {
    pub bytes: &'i [u8],
    pub budget: Budget,
    pub order: O,
}

impl<'i, O: Order> Input<'i, O> {
    pub fn new(bytes: &'i [u8], order: O) -> Self {
        let budget = Budget::new(bytes.len() as u64, &ReadOptions::default());
        Input { bytes, budget, order }
    }

    /// A table of records of one stride, charged and bounds-checked once.
    pub fn table(&mut self, at: u64, count: u64, stride: u64) -> Result<&'i [u8], ReadError> {
        let size = count.saturating_mul(stride);
        let table = slice(self.bytes, at, size)?;
        self.budget.charge(size).map_err(|kind| ReadError::new(kind, at))?;
        Ok(table)
    }

    /// A text behind its length, where a pointer leads; also where it ends.
    #[inline(always)]
    pub fn text_at(&mut self, at: u64, charged: bool) -> Result<(&'i str, u64), ReadError> {
        let length = load_uint(self.bytes, at, 2, self.order.endian())?;
        let start = at.saturating_add(2);
        let bytes = slice(self.bytes, start, length)?;
        if charged {
            if let Err(kind) = self.budget.charge(length + 2) {
                return Err(ReadError::new(kind, at));
            }
        }
        match checked_str(bytes) {
            Some(text) => Ok((text, start.saturating_add(length))),
            None => Err(invalid_text(start)),
        }
    }

    /// The end byte and padding of a text that ends at `at`: 0 if all is zero, which is canonical.
    #[inline(always)]
    pub fn text_end(&self, at: u64) -> Result<u16, ReadError> {
        if at.is_multiple_of(2) {
            Ok(load_uint(self.bytes, at, 2, Endian::Little)? as u16)
        } else {
            Ok(load_uint(self.bytes, at, 1, Endian::Little)? as u16)
        }
    }
}

#[cold]
#[inline(never)]
fn invalid_text(at: u64) -> ReadError {
    ReadError::new(ReadErrorKind::InvalidText { encoding: "utf-8" }, at)
}

#[cold]
#[inline(never)]
pub fn not_zero(at: u64) -> ReadError {
    ReadError::new(ReadErrorKind::NotZero, at)
}

#[cold]
#[inline(never)]
pub fn index_out_of_range(index: i128, count: u64, at: u64) -> ReadError {
    ReadError::new(ReadErrorKind::IndexOutOfRange { index, count }, at)
}

#[cold]
#[inline(never)]
pub fn in_element(error: ReadError, field: &'static str, index: usize) -> ReadError {
    error.in_field(field).in_index(index)
}

/// A number that usually follows from an expression: what is stored, and instead of what.
#[derive(Debug, Clone, Copy, Default)]
pub struct Kept<T>(Option<(T, T)>);
impl<T: Copy + PartialEq> Kept<T> {
    #[inline(always)]
    pub fn found(stored: T, canonical: T) -> Self {
        Kept((stored != canonical).then_some((stored, canonical)))
    }
    #[inline(always)]
    pub fn get(&self, canonical: T) -> T {
        match self.0 {
            Some((stored, instead_of)) if instead_of == canonical => stored,
            _ => canonical,
        }
    }
}
