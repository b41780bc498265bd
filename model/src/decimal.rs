//! Floats that are written as decimals.

use alloc::format;
use alloc::string::String;
use core::cmp::Ordering;
use core::fmt;

/// More digits than any float has, so that none is written like a decimal that has them.
const MOST_DIGITS: usize = 800;

/// Why no float is what a decimal says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inexact {
    /// It is no decimal.
    NoDecimal,
    /// It is larger than this one, which is the largest.
    TooLarge(String),
    /// It lies between these two.
    Between(String, String),
}

impl fmt::Display for Inexact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Inexact::NoDecimal => f.write_str("it is no number"),
            Inexact::TooLarge(largest) => write!(f, "the largest is {largest}"),
            Inexact::Between(below, above) => write!(f, "the nearest are {below} and {above}"),
        }
    }
}

/// The bits of the float of 4 or 8 bytes that a decimal stands for. That is the nearest one, if it
/// is written so with as many digits: `0.1` is a float, though not exactly a tenth, and `16777217`
/// is none of 4 bytes.
///
/// # Errors
///
/// If the nearest float is another number.
pub fn float_of(text: &str, bytes: u8) -> Result<u64, Inexact> {
    let decimal = Decimal::of(text).ok_or(Inexact::NoDecimal)?;
    let float = Float::nearest(text, bytes).ok_or(Inexact::NoDecimal)?;
    if !float.is_finite() {
        return Err(Inexact::TooLarge(float.beside(false).words()));
    }
    let same = |written: String| Decimal::of(&written).as_ref() == Some(&decimal);
    let digits = decimal.digits.len();
    if same(float.shortest())
        || same(float.widened())
        || digits <= MOST_DIGITS && same(float.with_digits(digits))
    {
        return Ok(float.bits());
    }
    let exact = Decimal::of(&float.with_digits(MOST_DIGITS)).ok_or(Inexact::NoDecimal)?;
    let other = float.beside(decimal.size(&exact) == Ordering::Greater);
    let (here, there) = (float.words(), other.words());
    // By size, not by distance from zero.
    let above = (decimal.size(&exact) == Ordering::Greater) != decimal.negative;
    Err(if above { Inexact::Between(here, there) } else { Inexact::Between(there, here) })
}

/// A float of either width.
#[derive(Debug, Clone, Copy)]
enum Float {
    Narrow(f32),
    Wide(f64),
}

impl Float {
    fn nearest(text: &str, bytes: u8) -> Option<Float> {
        match bytes {
            4 => text.parse().ok().map(Float::Narrow),
            _ => text.parse().ok().map(Float::Wide),
        }
    }

    fn is_finite(self) -> bool {
        match self {
            Float::Narrow(float) => float.is_finite(),
            Float::Wide(float) => float.is_finite(),
        }
    }

    fn bits(self) -> u64 {
        match self {
            Float::Narrow(float) => float.to_bits().into(),
            Float::Wide(float) => float.to_bits(),
        }
    }

    /// The next one, away from zero or towards it.
    fn beside(self, away: bool) -> Float {
        let beside = |bits: u64| if away { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
        match self {
            #[allow(clippy::cast_possible_truncation, reason = "they were 32 bits before")]
            Float::Narrow(float) => {
                Float::Narrow(f32::from_bits(beside(float.to_bits().into()) as u32))
            }
            Float::Wide(float) => Float::Wide(f64::from_bits(beside(float.to_bits()))),
        }
    }

    /// As few digits as tell it from others.
    fn shortest(self) -> String {
        match self {
            Float::Narrow(float) => format!("{float:e}"),
            Float::Wide(float) => format!("{float:e}"),
        }
    }

    /// The same of the wide one with its value, which programs have that know no narrow ones.
    fn widened(self) -> String {
        match self {
            Float::Narrow(float) => format!("{:e}", f64::from(float)),
            Float::Wide(float) => format!("{float:e}"),
        }
    }

    /// Rounded to so many digits.
    fn with_digits(self, digits: usize) -> String {
        let behind = digits.saturating_sub(1);
        match self {
            Float::Narrow(float) => format!("{float:.behind$e}"),
            Float::Wide(float) => format!("{float:.behind$e}"),
        }
    }

    /// For people.
    fn words(self) -> String {
        let plain = match self {
            Float::Narrow(float) => format!("{float}"),
            Float::Wide(float) => format!("{float}"),
        };
        if plain.len() > 20 {
            self.shortest()
        } else {
            plain
        }
    }
}

/// A decimal: a sign, `0.DIGITS`, and a power of ten. The first digit and the last are not zero.
#[derive(Debug, PartialEq, Eq)]
struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    fn of(text: &str) -> Option<Decimal> {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (mantissa, power) = match text.split_once(['e', 'E']) {
            // A power that is no number of its own is far beyond all floats.
            Some((mantissa, power)) => (
                mantissa,
                power.parse().unwrap_or(match power.starts_with('-') {
                    true => i64::MIN / 4,
                    false => i64::MAX / 4,
                }),
            ),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        if !whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let all = format!("{whole}{fraction}");
        let from_first = all.trim_start_matches('0');
        let digits = String::from(from_first.trim_end_matches('0'));
        if digits.is_empty() {
            return Some(Decimal { negative, digits, exponent: 0 });
        }
        let zeros = i64::try_from(all.len() - from_first.len()).ok()?;
        let exponent = i64::try_from(whole.len()).ok()? - zeros + power;
        Some(Decimal { negative, digits, exponent })
    }

    /// Which one is farther from zero.
    fn size(&self, other: &Decimal) -> Ordering {
        let zero = |decimal: &Decimal| !decimal.digits.is_empty();
        let one = (zero(self), self.exponent, self.digits.as_str());
        one.cmp(&(zero(other), other.exponent, other.digits.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn decimals_that_floats_are_written_as() {
        let narrow = [
            "0",
            "-0",
            "0.0",
            "1",
            "-1.5",
            "0.1",
            "1e-1",
            "0.10",
            "3.4028235e38",
            "1e-45",
            "16777216",
            "16777218",
            "1099511627776",
            "0.10000000149011612",
            "1E+2",
            "100",
            "0.100000001490116119384765625",
            "340282346638528859811704183484516925440",
        ];
        for text in narrow {
            let float: f32 = text.parse().expect("it is a number");
            assert_eq!(float_of(text, 4), Ok(float.to_bits().into()), "{text}");
        }
        let wide = [
            "0.1",
            "0.10000000000000001",
            "5e-324",
            "1.7976931348623157e308",
            "1e23",
            "9007199254740992",
            "0.30000000000000004",
            "123456789.125",
            "-2.5e-10",
        ];
        for text in wide {
            let float: f64 = text.parse().expect("it is a number");
            assert_eq!(float_of(text, 8), Ok(float.to_bits()), "{text}");
        }
    }

    #[test]
    fn others_are_refused_with_their_neighbours() {
        let check = |text: &str, bytes: u8, expected: &str| {
            let error = float_of(text, bytes).expect_err(text);
            assert_eq!(error.to_string(), expected, "{text}");
        };
        check("16777217", 4, "the nearest are 16777216 and 16777218");
        check("-16777217", 4, "the nearest are -16777218 and -16777216");
        check("3.14159265", 4, "the nearest are 3.1415925 and 3.1415927");
        check("1e-50", 4, "the nearest are 0 and 1e-45");
        check("-1e-50", 4, "the nearest are -1e-45 and -0");
        check("1e39", 4, "the largest is 3.4028235e38");
        check("-1e400", 8, "the largest is -1.7976931348623157e308");
        check("1e-400", 8, "the nearest are 0 and 5e-324");
        check("1e-99999999999999999999", 8, "the nearest are 0 and 5e-324");
        check("1e99999999999999999999", 8, "the largest is 1.7976931348623157e308");
        check("9007199254740993", 8, "the nearest are 9007199254740992 and 9007199254740994");
        check("x", 8, "it is no number");
        let long = format!("0.1{}1", "0".repeat(100_000));
        assert!(matches!(float_of(&long, 8), Err(Inexact::Between(..))));
    }

    #[test]
    fn what_is_written_is_read() {
        let mut bits = 1_u64;
        for _ in 0..20_000 {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let wide = f64::from_bits(bits);
            #[allow(clippy::cast_possible_truncation, reason = "any 32 bits do")]
            let narrow = f32::from_bits((bits >> 32) as u32);
            if wide.is_finite() {
                assert_eq!(float_of(&wide.to_string(), 8), Ok(bits));
            }
            if narrow.is_finite() {
                assert_eq!(float_of(&narrow.to_string(), 4), Ok(narrow.to_bits().into()));
                assert!(float_of(&f64::from(narrow).to_string(), 4).is_ok(), "{narrow}");
            }
        }
    }
}
