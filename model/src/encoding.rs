//! Texts as bytes, and letters of encodings of which each byte is one.

use alloc::string::String;
use alloc::vec::Vec;

use super::{ByteOrder, Content, Encoding};

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
            Encoding::Mutf8 => "mutf8",
        }
    }

    /// Whether a value may have units that are no text: surrogates that stand alone.
    #[must_use]
    pub fn keeps_surrogates(self) -> bool {
        matches!(self, Encoding::Utf16 | Encoding::Utf16Le | Encoding::Utf16Be)
    }

    /// Whether its bytes depend on the byte order of the record.
    #[must_use]
    pub fn has_order(self) -> bool {
        matches!(self, Encoding::Utf16 | Encoding::Utf32)
    }

    /// The bytes of a text. The order matters where the encoding has none of its own; what it has no letter
    /// for is a question mark.
    #[must_use]
    pub fn encode(self, text: &str, order: ByteOrder) -> Vec<u8> {
        let order = match self {
            Encoding::Utf16Le => ByteOrder::Little,
            Encoding::Utf16Be => ByteOrder::Big,
            _ => order,
        };
        match self {
            Encoding::Ascii | Encoding::Utf8 => text.as_bytes().to_vec(),
            Encoding::Utf16 | Encoding::Utf16Le | Encoding::Utf16Be => {
                let unit = |unit: u16| match order {
                    ByteOrder::Little => unit.to_le_bytes(),
                    ByteOrder::Big => unit.to_be_bytes(),
                };
                text.encode_utf16().flat_map(unit).collect()
            }
            Encoding::Utf32 => {
                let unit = |letter: char| match order {
                    ByteOrder::Little => u32::from(letter).to_le_bytes(),
                    ByteOrder::Big => u32::from(letter).to_be_bytes(),
                };
                text.chars().flat_map(unit).collect()
            }
            Encoding::Latin1 | Encoding::Cp1252 => {
                text.chars().map(|letter| self.byte(letter).unwrap_or(b'?')).collect()
            }
            Encoding::Mutf8 => {
                let mut bytes = Vec::with_capacity(text.len());
                text.chars().for_each(|letter| push_mutf8(letter, &mut bytes));
                bytes
            }
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

    /// Whether it has every letter.
    #[must_use]
    pub fn has_all(self) -> bool {
        !matches!(self, Encoding::Ascii | Encoding::Latin1 | Encoding::Cp1252)
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
            | Encoding::Utf32
            | Encoding::Mutf8 => None,
        }
    }
}

/// Bytes that a letter takes in modified UTF-8.
pub(crate) fn mutf8_len(letter: char) -> u64 {
    match letter {
        '\0' => 2,
        '\u{10000}'.. => 6,
        _ => letter.len_utf8() as u64,
    }
}

fn push_mutf8(letter: char, bytes: &mut Vec<u8>) {
    match letter {
        '\0' => bytes.extend([0xc0, 0x80]),
        '\u{10000}'.. => {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                let [high, low] = unit.to_be_bytes();
                // The upper four bits of a surrogate are those of 0xd.
                bytes.extend([0xed, 0x80 | (high & 0xf) << 2 | low >> 6, 0x80 | low & 0x3f]);
            }
        }
        _ => bytes.extend(letter.encode_utf8(&mut [0; 4]).as_bytes()),
    }
}

/// The text that bytes of modified UTF-8 are. Each text has one spelling: a byte of zero, letters of four
/// bytes, longer forms than needed and surrogates that stand alone are no text.
#[must_use]
pub fn text_of_mutf8(bytes: &[u8]) -> Option<String> {
    let mut text = String::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(first) = rest.first() {
        let size = match first {
            0x01..=0x7f => 1,
            0xc0..=0xdf => 2,
            0xe0..=0xef => 3,
            _ => return None,
        };
        if rest.len() < size {
            return None;
        }
        let (one, behind) = rest.split_at(size);
        rest = behind;
        if one == [0xc0, 0x80] {
            text.push('\0');
            continue;
        }
        let Some(high) = surrogate(one).filter(|unit| *unit < 0xdc00) else {
            text.push_str(core::str::from_utf8(one).ok()?);
            continue;
        };
        let low = surrogate(rest.get(..3)?)?;
        rest = &rest[3..];
        text.push(char::decode_utf16([high, low]).next()?.ok()?);
    }
    Some(text)
}

/// The surrogate that three bytes are.
fn surrogate(bytes: &[u8]) -> Option<u16> {
    match bytes {
        [0xed, middle @ 0xa0..=0xbf, low @ 0x80..=0xbf] => {
            Some(0xd000 | u16::from(middle & 0x3f) << 6 | u16::from(low & 0x3f))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn modified_utf8_has_one_spelling_of_each_text() {
        let encode = |text: &str| Encoding::Mutf8.encode(text, ByteOrder::Little);
        let known: [(&str, &[u8]); 6] = [
            ("a\0b", &[0x61, 0xc0, 0x80, 0x62]),
            ("\u{7f}\u{80}\u{7ff}", &[0x7f, 0xc2, 0x80, 0xdf, 0xbf]),
            ("\u{800}\u{d7ff}\u{e000}", &[0xe0, 0xa0, 0x80, 0xed, 0x9f, 0xbf, 0xee, 0x80, 0x80]),
            ("\u{10000}", &[0xed, 0xa0, 0x80, 0xed, 0xb0, 0x80]),
            ("\u{10ffff}", &[0xed, 0xaf, 0xbf, 0xed, 0xbf, 0xbf]),
            ("\u{1f600}x", &[0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80, 0x78]),
        ];
        for (text, bytes) in known {
            assert_eq!(encode(text), bytes, "{text:?}");
            assert_eq!(text_of_mutf8(bytes).as_deref(), Some(text));
            let units = crate::text_units(Content::Text(Encoding::Mutf8), text);
            assert_eq!(units, bytes.len() as u64);
        }
        for scalar in 0..=0x0010_ffff {
            let Some(letter) = char::from_u32(scalar) else { continue };
            let text = String::from(letter);
            assert_eq!(text_of_mutf8(&encode(&text)), Some(text));
        }
        let wrong: [&[u8]; 16] = [
            &[0],
            &[0x61, 0x00],
            &[0x80],
            &[0xc0],
            &[0xc0, 0x81],
            &[0xc1, 0xbf],
            &[0xc3, 0x28],
            &[0xe0, 0x80, 0x80],
            &[0xe2, 0x82],
            &[0xed, 0xa0, 0x80],
            &[0xed, 0xa0, 0x80, 0x61, 0x62, 0x63],
            &[0xed, 0xa0, 0x80, 0xed, 0xa0, 0x80],
            &[0xed, 0xb0, 0x80],
            &[0xed, 0xb0, 0x80, 0xed, 0xa0, 0x80],
            &[0xf0, 0x9f, 0x98, 0x80],
            &[0xff],
        ];
        for bytes in wrong {
            assert_eq!(text_of_mutf8(bytes), None, "{bytes:x?}");
        }
    }
}
