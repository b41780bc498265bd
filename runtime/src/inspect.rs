//! Values shown to a visitor, whatever their types.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

use crate::{Endian, KeptKind, Spelling, SpellingEntry, Utf16};

/// A value that can be shown to an [`Inspector`]: all generated types are.
pub trait Inspect {
    /// Shows the value.
    fn inspect(&self, to: &mut dyn Inspector);
}

/// Is shown a value, part by part: names as in the schema, in its order.
///
/// Between `begin_list` and `end_list` each element is shown; between `begin_struct` and
/// `end_struct`, each field: `field`, then its value. Between `begin_case` and `end_case` the struct
/// of the case is shown.
pub trait Inspector {
    /// The layout that the value is in, by its number in the model, if that is known. Fields that
    /// only others have are not shown then, unless they say something.
    fn layout(&self) -> Option<u32> {
        None
    }

    /// An integer, or a position in an array.
    fn int(&mut self, number: i128);

    /// A float of 32 bits.
    fn float32(&mut self, bits: u32);

    /// A float of 64 bits.
    fn float64(&mut self, bits: u64);

    /// A truth value.
    fn bool(&mut self, yes: bool);

    /// A text, or a byte order: `little` or `big`.
    fn text(&mut self, text: &str);

    /// Bytes.
    fn bytes(&mut self, bytes: &[u8]);

    /// Units of UTF-16 that are no text.
    fn units(&mut self, units: &[u16]);

    /// Nothing.
    fn none(&mut self);

    /// A member of an enumeration; without a name if the schema has none for the number.
    fn member(&mut self, number: i128, name: Option<&str>);

    /// The beginning of an array of so many elements.
    fn begin_list(&mut self, length: usize);

    /// The end of an array.
    fn end_list(&mut self);

    /// The beginning of a struct.
    fn begin_struct(&mut self);

    /// A field of a struct. Its value follows.
    fn field(&mut self, name: &str);

    /// A field that not every layout of the format has. In one that does not have it, it is nothing,
    /// or what the schema says it is then.
    fn field_of_some_layouts(&mut self, name: &str) {
        self.field(name);
    }

    /// The struct that follows has no field of its own: its fields belong to the struct around it,
    /// in which it is the row of this number. Nothing may follow instead, of a struct that is not
    /// there.
    fn flatten(&mut self, row: u16);

    /// The end of a struct.
    fn end_struct(&mut self);

    /// The beginning of a union's chosen case. Its struct follows.
    fn begin_case(&mut self, name: &str);

    /// The end of a case.
    fn end_case(&mut self);

    /// The beginning of a value that is no struct, but has spelling: the value follows, then
    /// `spelling`.
    fn begin_spelled(&mut self);

    /// The end of such a value.
    fn end_spelled(&mut self);

    /// How the struct around was spelled, if not canonically. `rows` has its rows by number.
    fn spelling(&mut self, spelling: &Spelling, rows: &[RowName<'_>]);
}

/// A row that a spelling is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowName<'n> {
    /// Its name; `#3` if it has none.
    pub name: &'n str,
    /// What numbers and tables that are kept of it stand for.
    pub holds: Holds<'n>,
}

/// What stands for the value of a row where that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds<'n> {
    /// The value itself.
    Value,
    /// A float of so many bytes, by its bits.
    Float(u8),
    /// A table with these columns.
    Table(&'n [&'n str]),
}

impl<'n> RowName<'n> {
    /// What a deviation is about, in words: a row, one element of it, or nothing for the whole
    /// struct; and what is kept of it. None if it is shown as a field, about no row, or said of
    /// another row with the same name: those of the forms of a case may have one.
    #[must_use]
    pub fn of(
        entry: &SpellingEntry,
        spelling: &Spelling,
        rows: &[RowName<'n>],
    ) -> Option<(Cow<'n, str>, Holds<'n>)> {
        if entry.kind == KeptKind::Inside {
            return None;
        }
        if entry.row == Spelling::WHOLE {
            return Some((Cow::Borrowed(""), Holds::Value));
        }
        let row = rows.get(usize::from(entry.row))?;
        let before = &rows[..usize::from(entry.row)];
        for (other, _) in (0..).zip(before).filter(|(_, other)| other.name == row.name) {
            let mut entries = spelling.entries().iter();
            if entries.any(|said| *said == SpellingEntry { row: other, ..entry.clone() }) {
                return None;
            }
        }
        Some(match entry.index {
            Some(index) => (Cow::Owned(format!("{}[{index}]", row.name)), Holds::Value),
            None if matches!(entry.kind, KeptKind::Width | KeptKind::Digits) => {
                (Cow::Borrowed(row.name), Holds::Value)
            }
            None => (Cow::Borrowed(row.name), row.holds),
        })
    }
}

impl Holds<'_> {
    /// What stands for the value that a row would have: of a table, a digest.
    #[must_use]
    pub fn computed(self) -> Self {
        match self {
            Holds::Table(_) => Holds::Value,
            other => other,
        }
    }
}

macro_rules! integers {
    ($($int:ty)*) => {$(
        impl Inspect for $int {
            fn inspect(&self, to: &mut dyn Inspector) {
                to.int(i128::from(*self));
            }
        }
    )*};
}

integers!(u8 u16 u32 u64 i8 i16 i32 i64 i128);

impl Inspect for f32 {
    fn inspect(&self, to: &mut dyn Inspector) {
        to.float32(self.to_bits());
    }
}

impl Inspect for f64 {
    fn inspect(&self, to: &mut dyn Inspector) {
        to.float64(self.to_bits());
    }
}

impl Inspect for bool {
    fn inspect(&self, to: &mut dyn Inspector) {
        to.bool(*self);
    }
}

impl Inspect for Endian {
    fn inspect(&self, to: &mut dyn Inspector) {
        to.text(match self {
            Endian::Little => "little",
            Endian::Big => "big",
        });
    }
}

impl Inspect for Utf16 {
    fn inspect(&self, to: &mut dyn Inspector) {
        match self.to_text() {
            Some(text) => to.text(&text),
            None => to.units(self.units()),
        }
    }
}

impl Inspect for Cow<'_, str> {
    fn inspect(&self, to: &mut dyn Inspector) {
        to.text(self);
    }
}

impl Inspect for Cow<'_, [u8]> {
    fn inspect(&self, to: &mut dyn Inspector) {
        to.bytes(self);
    }
}

impl<T: Inspect> Inspect for [T] {
    fn inspect(&self, to: &mut dyn Inspector) {
        to.begin_list(self.len());
        self.iter().for_each(|element| element.inspect(to));
        to.end_list();
    }
}

impl<T: Inspect> Inspect for Vec<T> {
    fn inspect(&self, to: &mut dyn Inspector) {
        self.as_slice().inspect(to);
    }
}

impl<T: Inspect, const N: usize> Inspect for [T; N] {
    fn inspect(&self, to: &mut dyn Inspector) {
        self.as_slice().inspect(to);
    }
}

impl<T: Inspect> Inspect for Option<T> {
    fn inspect(&self, to: &mut dyn Inspector) {
        match self {
            Some(value) => value.inspect(to),
            None => to.none(),
        }
    }
}

impl<T: Inspect + ?Sized> Inspect for Box<T> {
    fn inspect(&self, to: &mut dyn Inspector) {
        (**self).inspect(to);
    }
}
