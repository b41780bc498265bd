//! Names of the types of the language.

use crate::model::{ByteOrder, IntType};

/// An integer type by name: `u16`, `i24be`.
pub(crate) fn integer(name: &str) -> Option<IntType> {
    let (rest, order) = if let Some(rest) = name.strip_suffix("le") {
        (rest, Some(ByteOrder::Little))
    } else if let Some(rest) = name.strip_suffix("be") {
        (rest, Some(ByteOrder::Big))
    } else {
        (name, None)
    };
    let (signed, digits) = match rest.split_at_checked(1)? {
        ("u", digits) => (false, digits),
        ("i", digits) => (true, digits),
        _ => return None,
    };
    let bytes = match digits {
        "8" => 1,
        "16" => 2,
        "24" => 3,
        "32" => 4,
        "40" => 5,
        "48" => 6,
        "56" => 7,
        "64" => 8,
        _ => return None,
    };
    Some(IntType { bytes, signed, order })
}

/// A float type by name.
pub(crate) fn float(name: &str) -> Option<IntType> {
    let (rest, order) = match name.len() {
        3 => (name, None),
        5 if name.ends_with("le") => (&name[..3], Some(ByteOrder::Little)),
        5 if name.ends_with("be") => (&name[..3], Some(ByteOrder::Big)),
        _ => return None,
    };
    let bytes = match rest {
        "f16" => 2,
        "f32" => 4,
        "f64" => 8,
        _ => return None,
    };
    Some(IntType { bytes, signed: false, order })
}

/// Width of `b1` to `b64`; 1 for `bit`.
pub(crate) fn bit_width(name: &str) -> Option<u8> {
    if name == "bit" {
        return Some(1);
    }
    let width: u8 = digits(name.strip_prefix('b')?)?;
    (1..=64).contains(&width).then_some(width)
}

/// Width and sign of a number in a word: `u3`, `i7`.
pub(crate) fn small(name: &str) -> Option<(u8, bool)> {
    let (signed, rest) = match name.split_at_checked(1)? {
        ("u", rest) => (false, rest),
        ("i", rest) => (true, rest),
        _ => return None,
    };
    let width: u8 = digits(rest)?;
    (1..=64).contains(&width).then_some((width, signed))
}

fn digits<T: std::str::FromStr>(text: &str) -> Option<T> {
    let plain = text.chars().all(|c| c.is_ascii_digit()) && !text.starts_with('0');
    if plain { text.parse().ok() } else { None }
}

/// Bytes of `bool8`, `bool16`, `bool32`.
pub(crate) fn boolean(name: &str) -> Option<u8> {
    match name {
        "bool8" => Some(1),
        "bool16" => Some(2),
        "bool32" => Some(4),
        _ => None,
    }
}

/// Size of `bytes16` and the like.
pub(crate) fn opaque(name: &str) -> Option<u64> {
    digits(name.strip_prefix("bytes")?)
}

/// Whether a name is a type of the language only with arguments: `norm<u8>`, `fixed<i16,8>`.
pub(crate) fn takes_arguments(name: &str) -> bool {
    matches!(name, "norm" | "fixed")
}

/// Whether a name is a type of the language.
pub(crate) fn is_builtin(name: &str) -> bool {
    matches!(name, "bytes" | "text" | "nothing" | "bool" | "byte_order")
        || integer(name).is_some()
        || float(name).is_some()
        || takes_arguments(name)
        || bit_width(name).is_some()
        || small(name).is_some()
        || boolean(name).is_some()
        || opaque(name).is_some()
}

/// Names of types to suggest for a name that is nearly one of them.
pub(crate) const BUILTIN: [&str; 26] = [
    "u8",
    "u16",
    "u24",
    "u32",
    "u64",
    "i8",
    "i16",
    "i24",
    "i32",
    "i64",
    "f16",
    "f32",
    "f64",
    "bool8",
    "bool16",
    "bool32",
    "bytes",
    "text",
    "nothing",
    "bool",
    "byte_order",
    "bit",
    "b1",
    "u16le",
    "u32le",
    "u32be",
];

/// What a type of other languages is called here: `uint32_t` is `u32`, and `double` is `f64`.
pub(crate) fn elsewhere(name: &str) -> Option<String> {
    let name = name.to_ascii_lowercase();
    let known = match name.as_str() {
        "byte" | "ubyte" | "uchar" => "u8",
        "sbyte" => "i8",
        "ushort" | "word" => "u16",
        "short" => "i16",
        "uint" | "dword" => "u32",
        "int" => "i32",
        "ulong" | "qword" => "u64",
        "long" => "i64",
        "half" => "f16",
        "float" => "f32",
        "double" => "f64",
        "char" => "text NAME size=4",
        "str" | "string" => "text",
        "boolean" => "bool8",
        _ => "",
    };
    if !known.is_empty() {
        return Some(known.to_owned());
    }
    let name = name.strip_suffix("_t").unwrap_or(&name);
    let widths = [("uint", "u"), ("sint", "i"), ("int", "i"), ("float", "f"), ("s", "i")];
    widths.iter().find_map(|(theirs, ours)| {
        let here = format!("{ours}{}", name.strip_prefix(theirs)?);
        is_builtin(&here).then_some(here)
    })
}

/// How a type is declared that many formats have, and no schema by itself.
pub(crate) fn declared_by(name: &str) -> Option<String> {
    match name.to_ascii_lowercase().as_str() {
        "leb128" | "uleb128" => Some(format!("varint {name} u64 order=lsb-first")),
        "varint" | "vlq" => Some(format!("varint {name} u64")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_other_languages() {
        let of = |name| elsewhere(name).unwrap_or_default();
        let here =
            ["uint16_t", "Int8", "s4", "sint64", "float32", "double", "BYTE", "DWORD"].map(of);
        assert_eq!(here, ["u16", "i8", "i4", "i64", "f32", "f64", "u8", "u32"]);
        assert_eq!(["int128", "intern", "strings", "uint0"].map(of), [""; 4]);
    }
}
