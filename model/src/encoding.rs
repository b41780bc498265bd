//! Letters of encodings of which each byte is one.

use super::{Content, Encoding};

/// What the bytes from 0x80 to 0x9f are in windows-1252. Those that it does not define are the controls
/// of the same numbers.
const CP1252: [char; 32] = [
    '\u{20ac}', '\u{81}', '\u{201a}', '\u{192}', '\u{201e}', '\u{2026}', '\u{2020}', '\u{2021}',
    '\u{2c6}', '\u{2030}', '\u{160}', '\u{2039}', '\u{152}', '\u{8d}', '\u{17d}', '\u{8f}',
    '\u{90}', '\u{2018}', '\u{2019}', '\u{201c}', '\u{201d}', '\u{2022}', '\u{2013}', '\u{2014}',
    '\u{2dc}', '\u{2122}', '\u{161}', '\u{203a}', '\u{153}', '\u{9d}', '\u{17e}', '\u{178}',
];

impl Content {
    /// Whether its bytes in a file are those of the value: bytes, and text that is UTF-8. So its units are
    /// bytes, and it can be looked at where it is.
    #[must_use]
    pub fn is_in_bytes(self) -> bool {
        matches!(self, Content::Bytes | Content::Text(Encoding::Ascii | Encoding::Utf8))
    }
}

impl Encoding {
    /// Name in messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Ascii => "ascii",
            Encoding::Utf8 => "utf8",
            Encoding::Utf16 | Encoding::Utf16Le | Encoding::Utf16Be => "utf16",
            Encoding::Utf32 => "utf32",
            Encoding::Latin1 => "latin1",
            Encoding::Cp1252 => "cp1252",
        }
    }

    /// Whether any bytes are text, each one letter.
    #[must_use]
    pub fn is_table(self) -> bool {
        matches!(self, Encoding::Latin1 | Encoding::Cp1252)
    }

    /// The letter that a byte is, of an encoding of which each byte is one.
    #[must_use]
    pub fn letter(self, byte: u8) -> char {
        match (self, byte) {
            (Encoding::Cp1252, 0x80..=0x9f) => CP1252[usize::from(byte - 0x80)],
            _ => char::from(byte),
        }
    }

    /// The byte that a letter is, the other way round.
    #[must_use]
    pub fn byte(self, letter: char) -> Option<u8> {
        let same = u8::try_from(u32::from(letter)).ok();
        match (self, same) {
            (Encoding::Cp1252, None | Some(0x80..=0x9f)) => {
                let at = CP1252.iter().position(|known| *known == letter)?;
                u8::try_from(at).ok().map(|at| at + 0x80)
            }
            _ => same,
        }
    }

    /// The first letter of a text that the encoding does not have.
    #[must_use]
    pub fn missing(self, text: &str) -> Option<char> {
        match self {
            Encoding::Ascii => text.chars().find(|letter| !letter.is_ascii()),
            Encoding::Latin1 | Encoding::Cp1252 => {
                text.chars().find(|letter| self.byte(*letter).is_none())
            }
            Encoding::Utf8
            | Encoding::Utf16
            | Encoding::Utf16Le
            | Encoding::Utf16Be
            | Encoding::Utf32 => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use super::*;

    #[test]
    fn each_byte_is_a_letter_of_its_own() {
        for encoding in [Encoding::Latin1, Encoding::Cp1252] {
            for byte in 0..=0xff {
                assert_eq!(encoding.byte(encoding.letter(byte)), Some(byte), "{encoding:?}");
            }
            let all: String = (0..=0xff).map(|byte| encoding.letter(byte)).collect();
            assert_eq!(encoding.missing(&all), None);
            assert_eq!(encoding.missing("a\u{416}"), Some('\u{416}'));
        }
        assert_eq!(Encoding::Latin1.letter(0x80), '\u{80}');
        assert_eq!(Encoding::Cp1252.letter(0x80), '\u{20ac}');
        assert_eq!(Encoding::Cp1252.letter(0xa9), '\u{a9}');
        assert_eq!(Encoding::Cp1252.letter(0x81), '\u{81}');
        assert_eq!(Encoding::Latin1.missing("\u{20ac}"), Some('\u{20ac}'));
        assert_eq!(Encoding::Cp1252.missing("\u{20ac}\u{80}"), Some('\u{80}'));
        assert_eq!(Encoding::Ascii.missing("a\u{e9}"), Some('\u{e9}'));
        assert_eq!(Encoding::Utf8.missing("\u{416}"), None);
    }
}
