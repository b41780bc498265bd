//! Where a candidate for writing puts its bytes: one walk over a value, done twice.
//!
//! The first walk measures: it counts bytes and so gives the address of every object. The second
//! fills a buffer of exactly that size with every address known, so nothing is patched, moved or
//! grown. A walk is written once, generic over [`Sink`].

use std::fmt;

use formwork::{Endian, ProblemKind};
use formwork::algorithms::{fits, store_uint};

/// What a walk over a value writes into: [`Measure`] first, then [`Fill`].
///
/// ```
/// use formwork::Endian;
/// use harness::sink::{Fill, Measure, Sink};
///
/// fn write_record(sink: &mut impl Sink, name: &[u8]) -> bool {
///     let fits = sink.uint(name.len() as u64, 2, Endian::Little);
///     sink.bytes(name);
///     sink.align(8);
///     fits
/// }
///
/// let mut measure = Measure::new();
/// assert!(write_record(&mut measure, b"Talk"));
/// let mut fill = Fill::new(measure.position()).unwrap();
/// assert!(write_record(&mut fill, b"Talk"));
/// assert_eq!(fill.finish().unwrap(), b"\x04\x00Talk\x00\x00");
/// ```
pub trait Sink {
    /// How many bytes were written: the offset of the next one from the start of the file.
    #[must_use]
    fn position(&self) -> u64;

    /// Adds these bytes.
    fn bytes(&mut self, bytes: &[u8]);

    /// Adds `count` bytes of zero.
    fn zeros(&mut self, count: u64);

    /// Adds `size` bytes, which are zero before `fill` sets them. A sink that only measures does
    /// not call it.
    fn fill_with(&mut self, size: u64, fill: impl FnOnce(&mut [u8]));

    /// Adds `value` as a number of `width` bytes (1 to 8). A negative one is given in two's
    /// complement, with all bits above `width` set.
    ///
    /// `false` if it does not fit, or if `width` is not 1 to 8. As many bytes of zero are added
    /// then, so that what follows stays in place.
    #[must_use = "zeros are written if this is false"]
    fn uint(&mut self, value: u64, width: u8, endian: Endian) -> bool;

    /// Adds a block of constant size, whose bytes are zero before `fill` sets them. A sink that
    /// only measures does not call it.
    #[inline]
    fn block<const N: usize>(&mut self, fill: impl FnOnce(&mut [u8; N])) {
        self.fill_with(N as u64, |bytes| {
            if let Ok(block) = bytes.try_into() {
                fill(block);
            }
        });
    }

    /// Adds zeros up to the next multiple of `alignment` from the start of the file, in bytes. It
    /// need not be a power of two; 0 and 1 add nothing.
    #[inline]
    fn align(&mut self, alignment: u64) {
        if let Some(over @ 1..) = self.position().checked_rem(alignment) {
            self.zeros(alignment.saturating_sub(over));
        }
    }
}

/// Counts bytes and keeps none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Measure {
    position: u64,
}

impl Measure {
    /// Begins at offset 0.
    #[must_use]
    pub const fn new() -> Self {
        Measure { position: 0 }
    }

    #[inline]
    fn add(&mut self, count: u64) {
        // What does not fit a `u64` fits no buffer either: `Fill::new` refuses the size.
        self.position = self.position.saturating_add(count);
    }
}

impl Sink for Measure {
    #[inline]
    fn position(&self) -> u64 {
        self.position
    }

    #[inline]
    fn bytes(&mut self, bytes: &[u8]) {
        self.add(bytes.len() as u64);
    }

    #[inline]
    fn zeros(&mut self, count: u64) {
        self.add(count);
    }

    #[inline]
    fn fill_with(&mut self, size: u64, _fill: impl FnOnce(&mut [u8])) {
        self.add(size);
    }

    #[inline]
    fn uint(&mut self, value: u64, width: u8, _endian: Endian) -> bool {
        self.add(u64::from(width));
        uint_fits(value, width)
    }
}

/// Fills a buffer of a size that was measured before.
#[derive(Debug, Clone)]
pub struct Fill {
    bytes: Vec<u8>,
    /// May be beyond the end, if more was written than measured.
    position: u64,
}

impl Fill {
    /// A buffer of `size` bytes, to be filled from offset 0 on.
    ///
    /// # Errors
    ///
    /// `TooLarge` if there is no memory for it.
    pub fn new(size: u64) -> Result<Self, ProblemKind> {
        let too_large = ProblemKind::TooLarge { limit: isize::MAX as u64 };
        let Ok(length) = usize::try_from(size) else { return Err(too_large) };
        // Asking first turns a failure into an error. The macro takes memory that the system
        // zeroed, which costs less than zeroing what was reserved.
        if Vec::<u8>::new().try_reserve_exact(length).is_err() {
            return Err(too_large);
        }
        Ok(Fill { bytes: vec![0; length], position: 0 })
    }

    /// Stores a number that became known late, anywhere in the buffer, as [`store_uint`] does. The
    /// position does not change.
    #[must_use = "nothing is stored if this is false"]
    pub fn store(&mut self, at: u64, width: u8, endian: Endian, value: u64) -> bool {
        store_uint(&mut self.bytes, at, width, endian, value)
    }

    /// The buffer.
    ///
    /// # Errors
    ///
    /// If not exactly as much was written as was measured. The two walks then differed, which is a
    /// mistake of the writer and not of the value.
    pub fn finish(self) -> Result<Vec<u8>, FillMismatch> {
        let measured = self.bytes.len() as u64;
        if self.position == measured {
            Ok(self.bytes)
        } else {
            Err(FillMismatch { measured, filled: self.position })
        }
    }

    /// The next `count` bytes, or `None` if the buffer has fewer. The position is behind them in
    /// either case.
    #[inline]
    fn take(&mut self, count: u64) -> Option<&mut [u8]> {
        let start = self.position;
        self.position = start.saturating_add(count);
        let rest = self.bytes.get_mut(usize::try_from(start).ok()?..)?;
        rest.get_mut(..usize::try_from(count).ok()?)
    }
}

impl Sink for Fill {
    #[inline]
    fn position(&self) -> u64 {
        self.position
    }

    #[inline]
    fn bytes(&mut self, bytes: &[u8]) {
        if let Some(place) = self.take(bytes.len() as u64) {
            place.copy_from_slice(bytes);
        }
    }

    #[inline]
    fn zeros(&mut self, count: u64) {
        // The buffer is zero where nothing was written.
        self.take(count);
    }

    #[inline]
    fn fill_with(&mut self, size: u64, fill: impl FnOnce(&mut [u8])) {
        if let Some(place) = self.take(size) {
            fill(place);
        }
    }

    #[inline]
    fn uint(&mut self, value: u64, width: u8, endian: Endian) -> bool {
        match self.take(u64::from(width)) {
            Some(place) => store_uint(place, 0, width, endian, value),
            None => uint_fits(value, width),
        }
    }
}

/// Whether [`Sink::uint`] can add the value in this width, in bytes.
#[inline]
fn uint_fits(value: u64, width: u8) -> bool {
    let bits = u32::from(width).saturating_mul(8);
    let signed = i128::from(value as i64);
    width > 0 && (fits(value.into(), bits, false) || fits(signed, bits, true))
}

/// More or less was written than was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FillMismatch {
    /// Size of the buffer in bytes.
    pub measured: u64,
    /// How many bytes were written to it.
    pub filled: u64,
}

impl fmt::Display for FillMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{:x} bytes were measured, but 0x{:x} written", self.measured, self.filled)
    }
}

impl std::error::Error for FillMismatch {}
