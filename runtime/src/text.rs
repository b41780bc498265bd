//! Turns bytes into text. One of the two modules that may hold `unsafe`.

/// The text that `bytes` are in UTF-8, or `None` if they are not valid.
///
/// Names in binary formats are short and nearly always ASCII. For up to 32 bytes that is tested
/// without a branch per byte, which the general test spends most of its time on.
///
/// ```
/// use formwork::algorithms::checked_str;
///
/// assert_eq!(checked_str(b"EntryPoint0"), Some("EntryPoint0"));
/// assert_eq!(checked_str("Zürich".as_bytes()), Some("Zürich"));
/// assert_eq!(checked_str(b"\xff"), None);
/// ```
#[inline]
#[must_use]
pub fn checked_str(bytes: &[u8]) -> Option<&str> {
    if is_short_ascii(bytes) {
        // SAFETY: `is_short_ascii` looked at every byte and found bit 7 clear in each. Bytes below
        // 0x80 are each a whole character in UTF-8, so any sequence of them is valid.
        return Some(unsafe { core::str::from_utf8_unchecked(bytes) });
    }
    core::str::from_utf8(bytes).ok()
}

/// Whether there are at most 32 bytes, all below 0x80. Two loads, one from either end, overlap so
/// that together they cover every byte: loads of 16 bytes for 16 to 32, of 8 for 8 to 15, of 4 for
/// 4 to 7.
#[inline]
fn is_short_ascii(bytes: &[u8]) -> bool {
    let bits = if let Some([first, last]) = ends::<16>(bytes) {
        if bytes.len() > 32 {
            return false;
        }
        u128::from_ne_bytes(first) | u128::from_ne_bytes(last)
    } else if let Some([first, last]) = ends::<8>(bytes) {
        u128::from(u64::from_ne_bytes(first) | u64::from_ne_bytes(last))
    } else if let Some([first, last]) = ends::<4>(bytes) {
        u128::from(u32::from_ne_bytes(first) | u32::from_ne_bytes(last))
    } else {
        u128::from(bytes.iter().fold(0, |bits, byte| bits | byte))
    };
    bits & u128::from_ne_bytes([0x80; 16]) == 0
}

/// The first and the last `N` bytes, if there are as many.
#[inline]
fn ends<const N: usize>(bytes: &[u8]) -> Option<[[u8; N]; 2]> {
    Some([*bytes.first_chunk()?, *bytes.last_chunk()?])
}
