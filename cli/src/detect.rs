//! What the first bytes of a file must be, for people.

use formwork_codegen::model::SignatureCell;

/// What a cell must hold, as text if it is one: `"BFEVFL\0\0"` or `hex 0a0b | hex 0b0a`.
pub(crate) fn words(cell: &SignatureCell) -> String {
    let words: Vec<_> = cell.allowed.iter().map(|bytes| show_bytes(bytes)).collect();
    words.join(" | ")
}

/// Bytes as a quoted text, or in hexadecimal.
pub(crate) fn show_bytes(bytes: &[u8]) -> String {
    let end = bytes.iter().rposition(|b| *b != 0).map_or(0, |last| last + 1);
    if end > 1 && bytes[..end].iter().all(|b| b.is_ascii_graphic() || *b == b' ') {
        format!("{:?}", String::from_utf8_lossy(bytes))
    } else {
        format!("hex {}", hex(bytes))
    }
}

/// Bytes in hexadecimal, two digits each.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
