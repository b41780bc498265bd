//! Integers in digits of text, as the headers of many archives have them.

#![deny(clippy::arithmetic_side_effects)]

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use crate::{limits, DigitsId, IntType, Span, Storage};

/// A kind of integer in digits of text.
#[derive(Debug, Clone)]
pub struct Digits {
    /// Name.
    pub name: String,
    /// Documentation.
    pub doc: Option<String>,
    /// The integer that values fit.
    pub ty: IntType,
    /// Bytes that each number takes, with what is in front of its digits and behind them. Without
    /// them it takes as many as it has digits, and [`end`](Self::end).
    pub bytes: Option<u8>,
    /// 2 to 16.
    pub base: u8,
    /// What takes the place of digits that a number does not have.
    pub fill: DigitFill,
    /// Whether the digits above 9 are `A` to `F` and not `a` to `f`.
    pub upper: bool,
    /// Bytes behind the digits: zeros and blanks. Of a number without a fixed size any bytes, the
    /// first of which end the digits; if there are none, the first byte does that is no digit.
    pub end: Vec<u8>,
    /// Where it is declared.
    pub span: Span,
}

/// What takes the place of digits that a number does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DigitFill {
    /// Zeros in front, behind the sign.
    ZerosFirst,
    /// Blanks in front.
    BlanksFirst,
    /// Blanks behind.
    BlanksLast,
}

/// Why bytes are no number in digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotDigits {
    /// The byte at this position is neither a digit nor a blank or zero around them.
    At(usize),
    /// There is no end of it.
    Endless,
    /// The type has no such number.
    TooLarge,
}

const BLANK: u8 = b' ';

/// How numbers in digits are stored: what [`Digits`] says of that.
#[derive(Debug, Clone, Copy)]
pub struct DigitForm<'e> {
    /// Bits of the integer that values fit.
    pub bits: u8,
    /// Whether it has a sign.
    pub signed: bool,
    /// Bytes that the number takes.
    pub bytes: u8,
    /// 2 to 16.
    pub base: u8,
    /// What takes the place of digits that a number does not have.
    pub fill: DigitFill,
    /// Whether the digits above 9 are `A` to `F` and not `a` to `f`.
    pub upper: bool,
    /// Bytes behind the digits.
    pub end: &'e [u8],
}

impl Digits {
    /// Most bytes that a number may take; of one without a fixed size, what ends it not counted.
    pub const MOST_BYTES: u8 = 64;

    /// How a cell with such a number stores it; `id` is its own.
    #[must_use]
    pub fn storage(&self, id: DigitsId) -> Storage {
        Storage::Digits { digits: id, bytes: self.bytes }
    }

    /// How its numbers are stored that take so many bytes.
    #[must_use]
    pub fn form(&self, bytes: u8) -> DigitForm<'_> {
        DigitForm {
            bits: self.ty.bytes.saturating_mul(8),
            signed: self.ty.signed,
            bytes,
            base: self.base,
            fill: self.fill,
            upper: self.upper,
            end: &self.end,
        }
    }

    /// Room for digits, with the sign, where all numbers take the same.
    #[must_use]
    pub fn room(&self) -> Option<usize> {
        self.bytes.map(|bytes| self.form(bytes).room())
    }

    /// The least and the greatest number that the type has and that there is room for.
    #[must_use]
    pub fn range(&self) -> (i128, i128) {
        match self.bytes {
            Some(bytes) => self.form(bytes).range(),
            None => self.form(0).limits(),
        }
    }

    /// The bytes of the number at the start of `bytes`, whether they say one or not.
    ///
    /// # Errors
    ///
    /// If it ends nowhere.
    pub fn extent(&self, bytes: &[u8]) -> Result<usize, NotDigits> {
        let most = usize::from(Self::MOST_BYTES);
        match (self.bytes, self.end.first()) {
            (Some(size), _) => Ok(size.into()),
            (None, Some(_)) => {
                let near = bytes.get(..most.saturating_add(self.end.len())).unwrap_or(bytes);
                let mut places = near.windows(self.end.len());
                let text = places.position(|end| end == self.end).ok_or(NotDigits::Endless)?;
                Ok(text.saturating_add(self.end.len()))
            }
            (None, None) => {
                let digit = |byte: u8| char::from(byte).is_digit(self.base.into());
                let minus = usize::from(self.ty.signed && bytes.first() == Some(&b'-'));
                let digits = bytes.iter().skip(minus).take_while(|byte| digit(**byte)).count();
                match (digits, minus.saturating_add(digits)) {
                    (0, _) => Err(NotDigits::At(minus)),
                    (_, size) if size > most => Err(NotDigits::Endless),
                    (_, size) => Ok(size),
                }
            }
        }
    }

    /// The number that bytes say: blanks, a minus, digits, and blanks or zeros, each of which may be
    /// missing. No digits at all are 0.
    ///
    /// # Errors
    ///
    /// If there is anything else, or the number does not fit the type.
    pub fn read(&self, bytes: &[u8]) -> Result<i128, NotDigits> {
        let text = match self.bytes {
            Some(_) => bytes,
            None => bytes.strip_suffix(self.end.as_slice()).unwrap_or(bytes),
        };
        self.form(0).read(text)
    }

    /// A number in its usual form; `None` if there is no room for it.
    #[must_use]
    pub fn store(&self, number: i128) -> Option<Vec<u8>> {
        let size = self.bytes.unwrap_or_else(|| self.usual_size(number));
        let mut bytes = vec![0; size.into()];
        self.form(size).store(number, &mut bytes)?;
        Some(bytes)
    }

    /// Bytes that a number takes which has as many as it has digits.
    fn usual_size(&self, number: i128) -> u8 {
        let (mut rest, mut size) = (number.unsigned_abs(), u8::from(number < 0));
        loop {
            size = size.saturating_add(1);
            rest = rest.checked_div(self.base.into()).unwrap_or(0);
            if rest == 0 {
                break;
            }
        }
        // At most 128 digits and 64 bytes behind them.
        size.saturating_add(u8::try_from(self.end.len()).unwrap_or(u8::MAX))
    }

    /// Whether a reader finds these bytes where they stand, all of them, and this number in them.
    #[must_use]
    pub fn says(&self, bytes: &[u8], number: i128) -> bool {
        self.extent(bytes) == Ok(bytes.len()) && self.read(bytes) == Ok(number)
    }
}

impl DigitForm<'_> {
    fn room(&self) -> usize {
        usize::from(self.bytes).saturating_sub(self.end.len())
    }

    fn limits(&self) -> (i128, i128) {
        limits(self.bits.into(), self.signed)
    }

    fn range(&self) -> (i128, i128) {
        let (least, most) = self.limits();
        // More than any type has, where there is room for more digits than that.
        let highest = |digits: usize| {
            let power =
                u32::try_from(digits).ok().and_then(|n| i128::from(self.base).checked_pow(n));
            power.map_or(i128::MAX, |power| power.saturating_sub(1))
        };
        let below = highest(self.room().saturating_sub(1)).saturating_neg();
        (least.max(below), most.min(highest(self.room())))
    }

    /// The number that bytes say in some form; see [`Digits::read`].
    ///
    /// # Errors
    ///
    /// If they say none.
    pub fn read(&self, bytes: &[u8]) -> Result<i128, NotDigits> {
        let blanks = bytes.iter().take_while(|byte| **byte == BLANK).count();
        let rest = bytes.get(blanks..).unwrap_or(&[]);
        let (negative, rest) = match rest.split_first() {
            Some((b'-', rest)) if self.signed => (true, rest),
            _ => (false, rest),
        };
        let digit = |byte: u8| char::from(byte).to_digit(self.base.into());
        let mut number = 0_i128;
        let mut count = 0_usize;
        for digit in rest.iter().map_while(|byte| digit(*byte)) {
            // Saturates far beyond all types.
            number = number.saturating_mul(self.base.into()).saturating_add(digit.into());
            count = count.saturating_add(1);
        }
        let behind = bytes.len().saturating_sub(rest.len()).saturating_add(count);
        let mut behind = bytes.iter().enumerate().skip(behind);
        if let Some((at, _)) = behind.find(|(_, byte)| !matches!(**byte, BLANK | 0)) {
            return Err(NotDigits::At(at));
        }
        if negative && count == 0 {
            return Err(NotDigits::At(blanks));
        }
        let number = if negative { number.saturating_neg() } else { number };
        let (least, most) = self.limits();
        match (least..=most).contains(&number) {
            true => Ok(number),
            false => Err(NotDigits::TooLarge),
        }
    }

    /// The number that bytes say in its usual form.
    #[must_use]
    pub fn exact(&self, bytes: &[u8]) -> Option<i128> {
        let (text, end) = bytes.split_at_checked(self.room())?;
        let (blanks, text) = match self.fill {
            DigitFill::BlanksFirst => {
                (true, text.get(text.iter().take_while(|byte| **byte == BLANK).count()..)?)
            }
            DigitFill::BlanksLast => {
                let digits = text.iter().take_while(|byte| **byte != BLANK).count();
                let (text, behind) = text.split_at_checked(digits)?;
                behind.iter().all(|byte| *byte == BLANK).then_some((true, text))?
            }
            DigitFill::ZerosFirst => (false, text),
        };
        let (negative, digits) = match text.split_first() {
            Some((b'-', digits)) if self.signed => (true, digits),
            _ => (false, text),
        };
        let mut number = 0_u64;
        for byte in digits {
            let value = match byte {
                b'0'..=b'9' => byte.wrapping_sub(b'0'),
                b'a'..=b'f' if !self.upper => byte.wrapping_sub(b'a').wrapping_add(10),
                b'A'..=b'F' if self.upper => byte.wrapping_sub(b'A').wrapping_add(10),
                _ => return None,
            };
            let value = (value < self.base).then_some(value)?;
            number = number.checked_mul(self.base.into())?.checked_add(value.into())?;
        }
        let short = match digits {
            [] => false,
            [b'0', _, ..] => !blanks,
            _ => true,
        };
        let usual = short && end == self.end && !(negative && number == 0);
        let number = i128::from(number);
        let number = if negative { number.saturating_neg() } else { number };
        let (least, most) = self.limits();
        (usual && (least..=most).contains(&number)).then_some(number)
    }

    /// Stores a number in its usual form; `None` if there is no room for it, or another one.
    pub fn store(&self, number: i128, bytes: &mut [u8]) -> Option<()> {
        let (least, most) = self.limits();
        if !(least..=most).contains(&number) || bytes.len() != usize::from(self.bytes) {
            return None;
        }
        let (text, end) = bytes.split_at_mut_checked(self.room())?;
        end.copy_from_slice(self.end);
        // From the last digit to the first one, as if there were blanks in front.
        let (mut rest, mut first) = (number.unsigned_abs(), text.len());
        loop {
            let digit = rest.checked_rem(self.base.into()).and_then(|n| u32::try_from(n).ok());
            let digit = digit.and_then(|n| char::from_digit(n, self.base.into())).unwrap_or('0');
            first = first.checked_sub(1)?;
            *text.get_mut(first)? =
                if self.upper { digit.to_ascii_uppercase() } else { digit } as u8;
            rest = rest.checked_div(self.base.into()).unwrap_or(0);
            if rest == 0 {
                break;
            }
        }
        let negative = number < 0;
        if negative && self.fill != DigitFill::ZerosFirst {
            first = first.checked_sub(1)?;
            *text.get_mut(first)? = b'-';
        }
        let fill = if self.fill == DigitFill::ZerosFirst { b'0' } else { BLANK };
        text.get_mut(..first)?.fill(fill);
        match self.fill {
            DigitFill::BlanksLast => text.rotate_left(first),
            DigitFill::ZerosFirst if negative => {
                first.checked_sub(1)?;
                *text.first_mut()? = b'-';
            }
            DigitFill::ZerosFirst | DigitFill::BlanksFirst => {}
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As a schema declares it.
    fn digits(signed: bool, bytes: u8, base: u8, fill: DigitFill, end: &[u8]) -> Digits {
        let ty = IntType { bytes: 2, signed, order: None };
        let (name, end, span) = (String::new(), end.to_vec(), Span::default());
        let bytes = Some(bytes);
        Digits { name, doc: None, ty, bytes, base, fill, upper: false, end, span }
    }

    /// As a schema declares one without a size.
    fn open(signed: bool, base: u8, end: &[u8]) -> Digits {
        Digits { bytes: None, ..digits(signed, 1, base, DigitFill::ZerosFirst, end) }
    }

    #[test]
    fn numbers_without_a_size_end_where_they_say() {
        let line = open(true, 10, b"\r\n");
        assert_eq!(line.store(-120).as_deref(), Some(&b"-120\r\n"[..]));
        assert_eq!(line.extent(b"12\r\n34\r\n"), Ok(4));
        assert_eq!(line.read(b" 007 \r\n"), Ok(7));
        assert_eq!(line.extent(b"12\n"), Err(NotDigits::Endless));
        let long = [&[b'0'; 64][..], b"\r\n"].concat();
        assert_eq!(line.extent(&long), Ok(66));
        assert_eq!(line.extent(&[b"0", &long[..]].concat()), Err(NotDigits::Endless));
        let bare = open(true, 16, b"");
        assert_eq!(bare.store(-0xab).as_deref(), Some(&b"-ab"[..]));
        assert_eq!(bare.extent(b"-abz"), Ok(3));
        assert_eq!(bare.extent(b"12"), Ok(2));
        assert_eq!(
            (bare.extent(b"z"), bare.extent(b"-z")),
            (Err(NotDigits::At(0)), Err(NotDigits::At(1)))
        );
        assert_eq!(bare.extent(&[b'0'; 65]), Err(NotDigits::Endless));
        assert!(bare.says(b"00ff", 255) && !bare.says(b"ff ", 255) && !bare.says(b"", 0));
        for digits in [line, bare] {
            for number in [-32768, -17, -1, 0, 9, 10, 16, 99, 100, 32767] {
                assert!(digits.says(&digits.store(number).expect("no room is needed"), number));
            }
        }
    }

    #[test]
    fn numbers_are_stored_with_what_is_around_them() {
        let octal = digits(false, 8, 8, DigitFill::ZerosFirst, b"\0 ");
        assert_eq!(octal.store(0o644).as_deref(), Some(&b"000644\0 "[..]));
        let last = digits(true, 5, 10, DigitFill::BlanksLast, b"");
        assert_eq!(last.store(-7).as_deref(), Some(&b"-7   "[..]));
        let first = digits(true, 5, 16, DigitFill::BlanksFirst, b"");
        assert_eq!(first.store(-0xab).as_deref(), Some(&b"  -ab"[..]));
        let upper = Digits { upper: true, ..digits(true, 5, 16, DigitFill::ZerosFirst, b"") };
        assert_eq!(upper.store(-0xab).as_deref(), Some(&b"-00AB"[..]));
    }

    #[test]
    fn numbers_have_the_range_of_the_type_and_of_the_room() {
        let narrow = digits(true, 3, 10, DigitFill::ZerosFirst, b"");
        assert_eq!(narrow.range(), (-99, 999));
        assert_eq!((narrow.store(-100), narrow.store(1000)), (None, None));
        assert_eq!(narrow.store(999).as_deref(), Some(&b"999"[..]));
        let wide = digits(false, 64, 2, DigitFill::ZerosFirst, b"");
        assert_eq!(wide.range(), (0, 65535));
        let one = digits(true, 2, 10, DigitFill::ZerosFirst, b"\0");
        assert_eq!((one.range(), one.store(-1)), ((0, 9), None));
    }

    #[test]
    fn bytes_that_are_no_number_are_refused_where_they_are() {
        let octal = digits(false, 6, 8, DigitFill::ZerosFirst, b"");
        assert_eq!(octal.read(b"  17\0 "), Ok(0o17));
        assert_eq!(octal.read(b"      "), Ok(0));
        assert_eq!(octal.read(b"001800"), Err(NotDigits::At(3)));
        assert_eq!(octal.read(b"17 1  "), Err(NotDigits::At(3)));
        assert_eq!(octal.read(b"-00017"), Err(NotDigits::At(0)));
        assert_eq!(octal.read(b"777777"), Err(NotDigits::TooLarge));
        let signed = digits(true, 6, 10, DigitFill::ZerosFirst, b"");
        assert_eq!(signed.read(b" -    "), Err(NotDigits::At(1)));
        assert_eq!(signed.read(b"-32768"), Ok(-32768));
        assert_eq!(signed.read(b" 32768"), Err(NotDigits::TooLarge));
    }

    #[test]
    fn what_is_stored_is_read() {
        for fill in [DigitFill::ZerosFirst, DigitFill::BlanksFirst, DigitFill::BlanksLast] {
            for base in 2..=16 {
                for end in [&b""[..], b"\0", b" \0 "] {
                    let found = digits(true, 20, base, fill, end);
                    for number in [-32768, -4097, -1, 0, 1, 9, 16, 255, 32767] {
                        let stored = found.store(number).expect("there is room");
                        assert_eq!(stored.len(), 20);
                        assert_eq!(found.read(&stored), Ok(number), "{found:?}");
                        assert_eq!(found.form(20).exact(&stored), Some(number), "{found:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_exact_is_what_is_stored() {
        let bytes = [b' ', b'-', b'0', b'1', b'9', b'a', b'A', 0];
        for fill in [DigitFill::ZerosFirst, DigitFill::BlanksFirst, DigitFill::BlanksLast] {
            for (signed, base, upper) in [(true, 10, false), (false, 16, true), (true, 16, false)] {
                for end in [&b""[..], b"\0"] {
                    let found = Digits { upper, ..digits(signed, 4, base, fill, end) };
                    for text in 0..8_usize.pow(4) {
                        let text: Vec<u8> =
                            (0..4).map(|at| bytes[text / 8_usize.pow(at) % 8]).collect();
                        let read = found.read(&text).ok();
                        let usual = read.filter(|n| found.store(*n).as_ref() == Some(&text));
                        assert_eq!(found.form(4).exact(&text), usual, "{found:?} {text:?}");
                    }
                }
            }
        }
    }
}
