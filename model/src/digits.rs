//! Integers in digits of text, as the headers of many archives have them.

#![deny(clippy::arithmetic_side_effects)]

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use crate::{limits, IntType, Span};

/// A kind of integer in digits of text.
#[derive(Debug, Clone)]
pub struct Digits {
    /// Name.
    pub name: String,
    /// Documentation.
    pub doc: Option<String>,
    /// The integer that values fit.
    pub ty: IntType,
    /// Bytes that each number takes, with what is in front of its digits and behind them.
    pub bytes: u8,
    /// 2 to 16.
    pub base: u8,
    /// What takes the place of digits that a number does not have.
    pub fill: DigitFill,
    /// Whether the digits above 9 are `A` to `F` and not `a` to `f`.
    pub upper: bool,
    /// Bytes behind the digits: zeros and blanks.
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
    /// The type has no such number.
    TooLarge,
}

const BLANK: u8 = b' ';

impl Digits {
    /// Most bytes that a number may take.
    pub const MOST_BYTES: u8 = 64;

    /// Room for digits, with the sign.
    #[must_use]
    pub fn room(&self) -> usize {
        usize::from(self.bytes).saturating_sub(self.end.len())
    }

    /// The least and the greatest number that the type has and that there is room for.
    #[must_use]
    pub fn range(&self) -> (i128, i128) {
        let (least, most) = limits(u32::from(self.ty.bytes).saturating_mul(8), self.ty.signed);
        // More than any type has, where there is room for more digits than that.
        let highest = |digits: usize| {
            let power =
                u32::try_from(digits).ok().and_then(|n| i128::from(self.base).checked_pow(n));
            power.map_or(i128::MAX, |power| power.saturating_sub(1))
        };
        let below = highest(self.room().saturating_sub(1)).saturating_neg();
        (least.max(below), most.min(highest(self.room())))
    }

    /// The number that bytes say: blanks, a minus, digits, and blanks or zeros, each of which may be
    /// missing. No digits at all are 0.
    ///
    /// # Errors
    ///
    /// If there is anything else, or the number does not fit the type.
    pub fn read(&self, bytes: &[u8]) -> Result<i128, NotDigits> {
        let blanks = bytes.iter().take_while(|byte| **byte == BLANK).count();
        let rest = bytes.get(blanks..).unwrap_or(&[]);
        let (negative, rest) = match rest.split_first() {
            Some((b'-', rest)) if self.ty.signed => (true, rest),
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
        let (least, most) = limits(u32::from(self.ty.bytes).saturating_mul(8), self.ty.signed);
        match (least..=most).contains(&number) {
            true => Ok(number),
            false => Err(NotDigits::TooLarge),
        }
    }

    /// A number in its usual form; `None` if there is no room for it.
    #[must_use]
    pub fn store(&self, number: i128) -> Option<Vec<u8>> {
        let (least, most) = self.range();
        if !(least..=most).contains(&number) {
            return None;
        }
        let mut digits = Vec::new();
        let mut rest = number.unsigned_abs();
        loop {
            let digit = rest.checked_rem(self.base.into()).and_then(|n| u32::try_from(n).ok());
            let digit = digit.and_then(|n| char::from_digit(n, self.base.into())).unwrap_or('0');
            digits.push(if self.upper { digit.to_ascii_uppercase() } else { digit } as u8);
            rest = rest.checked_div(self.base.into()).unwrap_or(0);
            if rest == 0 {
                break;
            }
        }
        digits.reverse();
        let sign: &[u8] = if number < 0 { b"-" } else { b"" };
        let missing = self.room().checked_sub(digits.len())?.checked_sub(sign.len())?;
        let (zeros, blanks) = (vec![b'0'; missing], vec![BLANK; missing]);
        let parts: [&[u8]; 4] = match self.fill {
            DigitFill::ZerosFirst => [sign, &zeros, &digits, &self.end],
            DigitFill::BlanksFirst => [&blanks, sign, &digits, &self.end],
            DigitFill::BlanksLast => [sign, &digits, &blanks, &self.end],
        };
        Some(parts.concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As a schema declares it.
    fn digits(signed: bool, bytes: u8, base: u8, fill: DigitFill, end: &[u8]) -> Digits {
        let ty = IntType { bytes: 2, signed, order: None };
        let (name, end, span) = (String::new(), end.to_vec(), Span::default());
        Digits { name, doc: None, ty, bytes, base, fill, upper: false, end, span }
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
                    }
                }
            }
        }
    }
}
