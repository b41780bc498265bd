//! Floats that are stored in another way than in the value: what bits mean, and which bits mean it.

use alloc::format;
use alloc::string::String;

use super::{Cell, Constant, FloatForm, Meaning, Storage};

/// How a float is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FloatCode {
    /// Bits that are stored: 8 to 64.
    pub bits: u8,
    /// Whether they are a number with a sign; of no meaning for IEEE floats.
    pub signed: bool,
    /// What they mean.
    pub form: FloatForm,
}

/// The bits of the float of 8 bytes that is the one of 4 bytes with these bits. Of what is no number all
/// bits are kept, which a conversion may change.
#[must_use]
pub fn widened(bits: u32) -> u64 {
    let float = f32::from_bits(bits);
    if !float.is_nan() {
        return f64::from(float).to_bits();
    }
    let sign = u64::from(bits >> 31) << 63;
    sign | 0x7ff0_0000_0000_0000 | u64::from(bits & 0x007f_ffff) << 29
}

/// The bits of the float of 4 bytes that is the one of 8 bytes with these bits, if there is one.
#[must_use]
#[allow(clippy::cast_possible_truncation, reason = "what is lost is seen")]
pub fn narrowed(bits: u64) -> Option<u32> {
    let float = f64::from_bits(bits);
    let narrow = if float.is_nan() {
        (bits >> 63 << 31) as u32 | 0x7f80_0000 | (bits >> 29) as u32 & 0x007f_ffff
    } else {
        (float as f32).to_bits()
    };
    (widened(narrow) == bits).then_some(narrow)
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "bits of floats of a known width, and integers of at most 48 bits"
)]
impl FloatCode {
    /// The IEEE float of 16 bits.
    pub const HALF: FloatCode = FloatCode { bits: 16, signed: false, form: FloatForm::Ieee };

    /// The IEEE float of 64 bits, which is stored as it is.
    pub const DOUBLE: FloatCode = FloatCode { bits: 64, signed: false, form: FloatForm::Ieee };

    /// That of a cell, if it holds a float.
    #[must_use]
    pub fn of(cell: &Cell) -> Option<FloatCode> {
        match (&cell.meaning, cell.storage) {
            (Meaning::Float(form), Storage::Fixed(int)) => {
                Some(FloatCode { bits: int.bytes * 8, signed: int.signed, form: *form })
            }
            _ => None,
        }
    }

    /// Name of the type in schemas; `order` is the suffix for a byte order of its own.
    #[must_use]
    pub fn name(self, order: &str) -> String {
        let sign = if self.signed { 'i' } else { 'u' };
        match self.form {
            FloatForm::Ieee => format!("f{}{order}", self.bits),
            FloatForm::Fixed(fraction) => format!("fixed<{sign}{}{order},{fraction}>", self.bits),
            FloatForm::Norm => format!("norm<{sign}{}{order}>", self.bits),
        }
    }

    /// Whether the value is a float of 4 bytes, which has all that can be stored; else of 8.
    #[must_use]
    #[inline]
    pub fn is_single(self) -> bool {
        self.bits <= if self.form == FloatForm::Ieee { 32 } else { 16 }
    }

    /// Whether the bits of the value are those that are stored.
    #[must_use]
    #[inline]
    pub fn is_plain(self) -> bool {
        self.form == FloatForm::Ieee && self.bits >= 32
    }

    /// The bits of the float that so many stored bits mean.
    #[must_use]
    #[inline]
    pub fn value(self, stored: u64) -> u64 {
        match self.form {
            FloatForm::Ieee if self.bits == 16 => half(stored as u16).into(),
            FloatForm::Ieee => stored,
            FloatForm::Fixed(_) | FloatForm::Norm => {
                // At most 48 bits, so there is nothing to round.
                self.own(self.number(stored) as f64 / self.unit())
            }
        }
    }

    /// The stored bits that mean the float with these bits, if there are any.
    #[must_use]
    #[inline(always)]
    pub fn stored(self, value: u64) -> Option<u64> {
        if self.is_plain() {
            return Some(value);
        }
        let near = self.near(value)?;
        (self.value(near) == value).then_some(near)
    }

    /// Makes the bits of floats those that mean them. `false` if there are none for one of them; then some
    /// may be either.
    #[must_use]
    pub fn store_all(self, values: &mut [u64]) -> bool {
        let mut all = true;
        let mut store = |code: FloatCode| {
            for value in &mut *values {
                let stored = code.stored(*value);
                all &= stored.is_some();
                *value = stored.unwrap_or(0);
            }
        };
        // What they have in common is known in each loop.
        match self.form {
            FloatForm::Ieee if self.is_plain() => {}
            FloatForm::Ieee => store(FloatCode::HALF),
            form => store(FloatCode { form, ..self }),
        }
        all
    }

    /// The stored bits of a constant, as the integer that they are; `None` if it is none of the
    /// floats that can be stored.
    #[must_use]
    pub fn stored_constant(self, constant: &Constant) -> Option<i128> {
        let stored = self.stored(self.own(constant.float()?))?;
        Some(match self.signed && !self.is_plain() {
            true => self.number(stored).into(),
            false => stored.into(),
        })
    }

    /// The float nearest to another one that can be stored: the largest or least one beyond them.
    /// `None` for what is no number, if that cannot be stored.
    #[must_use]
    pub fn nearest(self, number: f64) -> Option<f64> {
        let value = self.value(self.near(self.own(number))?);
        Some(if self.is_single() {
            f32::from_bits(value as u32).into()
        } else {
            f64::from_bits(value)
        })
    }

    /// What is stored for the nearest float.
    #[inline(always)]
    fn near(self, value: u64) -> Option<u64> {
        if self.is_plain() {
            return Some(value);
        }
        if self.form == FloatForm::Ieee {
            return Some(near_half(value as u32).into());
        }
        let number = match self.is_single() {
            true => f32::from_bits(value as u32).into(),
            false => f64::from_bits(value),
        };
        if number.is_nan() {
            return None;
        }
        let bits = u32::from(self.bits);
        let (least, most) = match self.signed {
            true => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            false => (0, (1 << bits) - 1),
        };
        // What is beyond 64 bits becomes the largest number of them.
        let scaled = number * self.unit();
        let whole = (scaled + if scaled < 0.0 { -0.5 } else { 0.5 }) as i64;
        Some(whole.clamp(least, most) as u64 & (u64::MAX >> (64 - bits)))
    }

    /// The integer in the stored bits.
    #[inline]
    fn number(self, stored: u64) -> i64 {
        let unused = 64 - u32::from(self.bits);
        match self.signed {
            true => (stored << unused) as i64 >> unused,
            false => (stored << unused >> unused) as i64,
        }
    }

    /// The number that 1.0 is.
    #[inline]
    fn unit(self) -> f64 {
        match self.form {
            FloatForm::Fixed(fraction) => {
                f64::from_bits(u64::from(1023 + u16::from(fraction)) << 52)
            }
            _ => ((1_u64 << (self.bits - u8::from(self.signed))) - 1) as f64,
        }
    }

    /// The bits of a float of the value's width.
    #[inline]
    fn own(self, number: f64) -> u64 {
        if self.is_single() {
            (number as f32).to_bits().into()
        } else {
            number.to_bits()
        }
    }
}

/// The bits of the float of 32 bits that one of 16 is; what is no number keeps its bits.
fn half(stored: u16) -> u32 {
    let sign = u32::from(stored >> 15) << 31;
    let (exponent, fraction) = (u32::from(stored >> 10 & 0x1f), u32::from(stored & 0x3ff));
    sign | match exponent {
        // So many times 2^-24, which is no small number in 32 bits.
        0 => (fraction as f32 / 16_777_216.0).to_bits(),
        31 => 0x7f80_0000 | fraction << 13,
        _ => (exponent + 112) << 23 | fraction << 13,
    }
}

/// The float of 16 bits that is nearest to one of 32; of two the one whose lowest bit is 0.
fn near_half(value: u32) -> u16 {
    let sign = (value >> 16) as u16 & 0x8000;
    let (exponent, fraction) = (value >> 23 & 0xff, value & 0x7f_ffff);
    // The number of units of the last place, which rounding up may carry into the exponent.
    let rounded = |number: u32, unused: u32| {
        let (whole, rest, middle) =
            (number >> unused, number & ((1 << unused) - 1), 1 << (unused - 1));
        whole + u32::from(rest > middle || rest == middle && whole & 1 == 1)
    };
    let near = match exponent {
        // No number: it must not become infinity.
        0xff if fraction != 0 => 0x7c00 | (fraction >> 13).max(u32::from(fraction >> 13 == 0)),
        143.. => 0x7c00,
        113.. => rounded((exponent - 112) << 23 | fraction, 13),
        102.. => rounded(fraction | 0x80_0000, 126 - exponent),
        _ => 0,
    };
    sign | near as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(code: FloatCode) {
        let mut seen = alloc::collections::BTreeSet::new();
        for stored in 0..1_u64 << code.bits {
            let value = code.value(stored);
            assert_eq!(code.stored(value), Some(stored), "{code:?}: {stored:#x} is {value:#x}");
            assert!(seen.insert(value), "{code:?}: {value:#x} twice");
        }
    }

    #[test]
    fn all_patterns_come_back() {
        all(FloatCode::HALF);
        for (bits, signed) in [(8, false), (8, true), (16, false), (16, true)] {
            let code = |form| FloatCode { bits, signed, form };
            all(code(FloatForm::Norm));
            for fraction in [0, 1, 7, 8, 15, 16, 64] {
                all(code(FloatForm::Fixed(fraction)));
            }
        }
    }

    #[test]
    fn wide_patterns_come_back() {
        for bits in [24_u8, 32, 40, 48] {
            for form in [FloatForm::Norm, FloatForm::Fixed(16), FloatForm::Fixed(64)] {
                for signed in [false, true] {
                    let code = FloatCode { bits, signed, form };
                    let most = u64::MAX >> (64 - bits);
                    let mut some = 0x9e37_79b9_7f4a_7c15_u64;
                    for step in 0..4000_u64 {
                        some = some.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(step);
                        for stored in [step, most - step, most / 2 + step, some >> (64 - bits)] {
                            assert_eq!(code.stored(code.value(stored)), Some(stored), "{code:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn known_numbers() {
        let single = |code: FloatCode, stored| f32::from_bits(code.value(stored) as u32);
        let half = |stored| single(FloatCode::HALF, stored);
        assert_eq!((half(0x3c00), half(0xc000), half(0x3555)), (1.0, -2.0, 0.333_251_95));
        assert_eq!((half(0x7bff), half(0x0400)), (65504.0, 6.103_515_6e-5));
        assert_eq!((half(0x0001), half(0x03ff)), (5.960_464_5e-8, 6.097_555e-5));
        assert_eq!(half(0xfc00), f32::NEG_INFINITY);
        assert_eq!(FloatCode::HALF.value(0x8000), 0x8000_0000);
        assert_eq!(FloatCode::HALF.value(0x7c01), 0x7f80_2000);
        let norm = |bits, signed| FloatCode { bits, signed, form: FloatForm::Norm };
        assert_eq!((single(norm(8, false), 255), single(norm(8, false), 51)), (1.0, 0.2));
        assert_eq!((single(norm(8, true), 127), single(norm(8, true), 0x81)), (1.0, -1.0));
        assert_eq!(single(norm(8, true), 0x80), -128.0 / 127.0);
        assert_eq!(single(norm(16, true), 0x4000), 16384.0 / 32767.0);
        let fixed =
            |bits, signed, fraction| FloatCode { bits, signed, form: FloatForm::Fixed(fraction) };
        assert_eq!(
            (single(fixed(16, true, 8), 0x0180), single(fixed(16, true, 8), 0xff80)),
            (1.5, -0.5)
        );
        assert_eq!(f64::from_bits(fixed(32, true, 16).value(0x0001_8000)), 1.5);
    }

    #[test]
    fn what_cannot_be_stored() {
        let norm = FloatCode { bits: 8, signed: true, form: FloatForm::Norm };
        let stored = |code: FloatCode, number: f32| code.stored(number.to_bits().into());
        for odd in [0.1, 1.1, -0.0, f32::NAN, f32::INFINITY, f32::MAX, f32::MIN_POSITIVE] {
            assert_eq!(stored(norm, odd), None, "{odd}");
        }
        for odd in [0.1, 65505.0, 65536.0, 1e-8, f32::MIN_POSITIVE, f32::MAX] {
            assert_eq!(stored(FloatCode::HALF, odd), None, "{odd}");
        }
        // What is no number, with a bit that a half has no room for.
        assert_eq!(FloatCode::HALF.stored(0x7f80_0001), None);
        assert_eq!(FloatCode::HALF.stored(0x7fc0_0001), None);
    }

    #[test]
    fn nearest_numbers() {
        let half = |number: f64| FloatCode::HALF.nearest(number).expect("it has all kinds");
        assert_eq!(
            (half(0.1), half(65519.9), half(65520.0)),
            (0.099_975_585_937_5, 65504.0, f64::INFINITY)
        );
        assert_eq!((half(1.0 + 1.0 / 2048.0), half(1.0 + 3.0 / 2048.0)), (1.0, 1.0 + 1.0 / 512.0));
        assert_eq!(
            (half(2e-8), half(-4e-8), half(6.1e-5)),
            (0.0, -5.960_464_477_539_063e-8, 6.097_555_160_522_461e-5)
        );
        assert!(half(f64::NAN).is_nan() && half(f32::from_bits(0x7f80_0001).into()).is_nan());
        let norm = FloatCode { bits: 8, signed: false, form: FloatForm::Norm };
        assert_eq!(
            (norm.nearest(0.5), norm.nearest(7.0), norm.nearest(-1.0)),
            (Some(f64::from(128.0_f32 / 255.0)), Some(1.0), Some(0.0))
        );
        assert_eq!(norm.nearest(f64::NAN), None);
    }
}
