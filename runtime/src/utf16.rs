//! Text in units of 16 bits.

use alloc::string::String;
use alloc::vec::Vec;
use core::convert::Infallible;
use core::fmt::{self, Write as _};
use core::str::FromStr;

/// Text of UTF-16 as it is stored in many files: any units, surrogates without a partner too.
///
/// ```
/// use formwork::Utf16;
///
/// let name = Utf16::from("Mario");
/// assert_eq!(name, "Mario");
/// assert_eq!(String::try_from(name), Ok("Mario".to_owned()));
///
/// let broken = Utf16::from_units(vec![0xd800, 0x41]);
/// assert_eq!(broken.to_text(), None);
/// assert_eq!(broken.to_string(), "\u{fffd}A");
/// ```
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Utf16(Vec<u16>);

impl Utf16 {
    /// The text that consists of these units.
    #[must_use]
    pub const fn from_units(units: Vec<u16>) -> Utf16 {
        Utf16(units)
    }

    /// The units.
    #[must_use]
    pub fn units(&self) -> &[u16] {
        &self.0
    }

    /// The units, to change them.
    pub fn units_mut(&mut self) -> &mut Vec<u16> {
        &mut self.0
    }

    /// The units.
    #[must_use]
    pub fn into_units(self) -> Vec<u16> {
        self.0
    }

    /// The text; none if a surrogate has no partner.
    #[must_use]
    pub fn to_text(&self) -> Option<String> {
        String::from_utf16(&self.0).ok()
    }

    /// Number of units.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no unit.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<&str> for Utf16 {
    fn from(text: &str) -> Utf16 {
        Utf16(text.encode_utf16().collect())
    }
}

impl From<String> for Utf16 {
    fn from(text: String) -> Utf16 {
        Utf16::from(text.as_str())
    }
}

impl From<&String> for Utf16 {
    fn from(text: &String) -> Utf16 {
        Utf16::from(text.as_str())
    }
}

/// The text; the same value again if a surrogate has no partner.
impl TryFrom<Utf16> for String {
    type Error = Utf16;

    fn try_from(text: Utf16) -> Result<String, Utf16> {
        text.to_text().ok_or(text)
    }
}

impl FromStr for Utf16 {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Utf16, Infallible> {
        Ok(Utf16::from(text))
    }
}

impl PartialEq<str> for Utf16 {
    fn eq(&self, text: &str) -> bool {
        self.0.iter().copied().eq(text.encode_utf16())
    }
}

impl PartialEq<&str> for Utf16 {
    fn eq(&self, text: &&str) -> bool {
        *self == **text
    }
}

impl PartialEq<String> for Utf16 {
    fn eq(&self, text: &String) -> bool {
        *self == **text
    }
}

impl PartialEq<Utf16> for str {
    fn eq(&self, units: &Utf16) -> bool {
        units == self
    }
}

impl PartialEq<Utf16> for &str {
    fn eq(&self, units: &Utf16) -> bool {
        units == *self
    }
}

impl PartialEq<Utf16> for String {
    fn eq(&self, units: &Utf16) -> bool {
        units == self.as_str()
    }
}

/// The text, with `U+FFFD` for each surrogate without a partner.
impl fmt::Display for Utf16 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        char::decode_utf16(self.0.iter().copied())
            .try_for_each(|letter| f.write_char(letter.unwrap_or(char::REPLACEMENT_CHARACTER)))
    }
}

/// The text in quotes, with surrogates without a partner as `\u{d800}`.
impl fmt::Debug for Utf16 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for letter in char::decode_utf16(self.0.iter().copied()) {
            match letter {
                Ok(letter) => write!(f, "{}", letter.escape_debug())?,
                Err(lone) => write!(f, "\\u{{{:x}}}", lone.unpaired_surrogate())?,
            }
        }
        f.write_char('"')
    }
}
