//! A field as a line of a listing for people.

use std::fmt::Write as _;

use super::{FieldKind, FieldView};

/// Bytes that are shown beside a field.
pub const SHOWN: usize = 8;

/// Adds the offset of a field, and the bit for those that share bytes.
pub fn push_place(field: &FieldView, digits: usize, to: &mut String) {
    let Some(offset) = field.offset else { return };
    let _ = write!(to, "0x{offset:0digits$x}");
    if let Some(bit) = field.bit.filter(|_| field.bits.is_some()) {
        let _ = write!(to, ".{bit}");
    }
}

/// Adds the size of a field.
pub fn push_size(field: &FieldView, to: &mut String) {
    let _ = match (field.bits, field.offset, field.kind) {
        (Some(1), ..) => write!(to, "1 bit"),
        (Some(bits), ..) => write!(to, "{bits} bits"),
        (None, Some(_), kind) if kind != FieldKind::Folded => write!(to, "{:#x}", field.size),
        _ => Ok(()),
    };
}

/// Adds name, type, value, target and role.
pub fn push_words(field: &FieldView, to: &mut String) {
    if field.kind == FieldKind::Folded {
        let _ = write!(to, "… {} (--all shows them)", field.value);
        return;
    }
    to.push_str(&field.name);
    if !field.type_name.is_empty() && field.type_name != field.name {
        to.push_str(": ");
        to.push_str(&field.type_name);
    }
    if !field.value.is_empty() {
        to.push_str(" = ");
        to.push_str(&field.value);
    }
    if let Some(target) = field.target {
        let _ = write!(to, " -> {target:#x}");
    }
    let mark = match field.role {
        _ if field.kept => " (kept)",
        "derived" => " (derived)",
        "fixed" if field.type_name != field.name => " (fixed)",
        "view" => " (view)",
        "kept" | "spelling" if field.type_name != field.name => " (usual)",
        _ => "",
    };
    to.push_str(mark);
}

/// The bytes of a field that has no fields of its own.
#[must_use]
pub fn bytes_of<'b>(field: &FieldView, bytes: &'b [u8]) -> &'b [u8] {
    let is_whole = match field.kind {
        FieldKind::Leaf | FieldKind::Pointer => true,
        FieldKind::Array => field.count == Some(field.elements.len()) || !field.value.is_empty(),
        FieldKind::Struct | FieldKind::Case | FieldKind::Folded => false,
    };
    let range = || {
        let start = usize::try_from(field.offset?).ok()?;
        let size = usize::try_from(field.size).ok()?;
        bytes.get(start..start.checked_add(size)?)
    };
    if is_whole { range().unwrap_or(&[]) } else { &[] }
}

/// The first bytes in hexadecimal.
#[must_use]
pub fn spaced(bytes: &[u8]) -> String {
    let shown = if bytes.len() > SHOWN { SHOWN - 1 } else { bytes.len() };
    let mut words: Vec<_> = bytes.iter().take(shown).map(|b| format!("{b:02x}")).collect();
    if shown < bytes.len() {
        words.push("…".to_owned());
    }
    words.join(" ")
}
