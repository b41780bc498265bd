//! Bytes as text: base64 with the standard alphabet and padding.

use alloc::string::String;
use alloc::vec::Vec;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The text of these bytes.
pub fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte));
        let bits = bits << (8 * (3 - group.len()));
        for digit in 0..4 {
            let value = usize::try_from(bits >> (18 - 6 * digit) & 0x3f).unwrap_or(0);
            let filled = digit <= group.len();
            out.push(if filled { char::from(ALPHABET[value]) } else { '=' });
        }
    }
    out
}

/// The bytes of a text; `None` unless it is what [`encode`] makes.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let text = text.as_bytes();
    if text.len() % 4 != 0 {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for (index, group) in text.chunks(4).enumerate() {
        let is_last = (index + 1) * 4 == text.len();
        let padding = group.iter().rev().take_while(|b| **b == b'=').count();
        if padding > 2 || (padding > 0 && !is_last) {
            return None;
        }
        let mut bits = 0_u32;
        for digit in &group[..4 - padding] {
            let value = ALPHABET.iter().position(|known| known == digit)?;
            bits = bits << 6 | u32::try_from(value).ok()?;
        }
        bits <<= 6 * padding;
        let [_, three @ ..] = bits.to_be_bytes();
        // Bits that belong to no byte would be lost.
        if three[3 - padding..].iter().any(|b| *b != 0) {
            return None;
        }
        bytes.extend_from_slice(&three[..3 - padding]);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_texts() {
        let pairs: [(&[u8], &str); 6] = [
            (b"", ""),
            (b"f", "Zg=="),
            (b"fo", "Zm8="),
            (b"foo", "Zm9v"),
            (b"\xff\xfe\xfd", "//79"),
            (b"foobar", "Zm9vYmFy"),
        ];
        for (bytes, text) in pairs {
            assert_eq!(encode(bytes), text);
            assert_eq!(decode(text).as_deref(), Some(bytes));
        }
    }

    #[test]
    fn refused() {
        for text in ["Z", "Zg", "Zg=", "Zh==", "Zg==Zg==", "====", "Z===", "Zm9\n", "Zm8é"] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
