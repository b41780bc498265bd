//! Words for types and values.

use std::fmt::Write;

use formwork::engine::{ArrayRef, Item, Tree};
use formwork_model::{
    ByteOrder, Cell, Content, Encoding, FloatCode, IntType, Meaning, PointerType, Role, Row,
    Storage, Target, Type,
};

use super::field::{Stored, WalkOptions};

/// Type of an array's elements.
pub(crate) fn element_type(ty: &Type) -> &Type {
    match ty.stripped() {
        Type::Array(array) => &array.element,
        other => other,
    }
}

/// Type of what a pointer leads to.
pub(crate) fn target_type(ty: &Type) -> &Type {
    match ty.stripped() {
        Type::Pointer(pointer) => pointer.owned().unwrap_or(ty),
        other => other,
    }
}

/// What pointers lead to, and its type.
fn behind<'t>(tree: &Tree<'_, '_>, mut ty: &'t Type, mut item: Item) -> (&'t Type, Item) {
    while let Some(pointer) = tree.pointer_view(item) {
        ty = target_type(ty);
        item = pointer.target;
    }
    (ty, item)
}

/// Adds the name of a type as a schema would write it, with the number of elements that are there.
pub(crate) fn type_name(tree: &Tree<'_, '_>, ty: &Type, item: Option<Item>, to: &mut String) {
    let model = tree.model();
    match ty.stripped() {
        Type::Cell(cell) => cell_name(tree, cell, to),
        Type::Run(run) => match run.content {
            Content::Bytes => to.push_str("bytes"),
            Content::Text(encoding) => {
                to.push_str("text");
                to.push_str(encoding_suffix(encoding));
            }
        },
        Type::Record(id) => to.push_str(&model.records[id.index()].name),
        Type::Union(id) => to.push_str(&model.unions[id.index()].name),
        Type::Pointer(pointer) => pointer_name(tree, pointer, item, to),
        Type::Array(array) => {
            type_name(tree, &array.element, None, to);
            let _ = match item.map(|item| tree.through(item)) {
                Some(Item::Array(array)) => write!(to, "[{}]", tree.count(array)),
                _ => write!(to, "[]"),
            };
        }
        Type::ByteOrderMark => to.push_str("byte_order"),
        Type::Text => to.push_str("text"),
        Type::Nothing | Type::Region(_) | Type::PerEpoch(_) => {}
    }
}

fn pointer_name(tree: &Tree<'_, '_>, pointer: &PointerType, item: Option<Item>, to: &mut String) {
    let kind = &tree.model().pointers[pointer.kind.index()].name;
    to.push_str(kind);
    if pointer.optional {
        to.push('?');
    }
    if let Target::Own(target) = &pointer.target {
        if kind.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            to.push(' ');
        }
        type_name(tree, target, item, to);
    }
}

fn cell_name(tree: &Tree<'_, '_>, cell: &Cell, to: &mut String) {
    let model = tree.model();
    match cell.meaning {
        Meaning::Enum(id) => return to.push_str(&model.enums[id.index()].name),
        Meaning::Word(id) => return to.push_str(&model.records[id.index()].name),
        Meaning::Int | Meaning::Float(_) | Meaning::Bool { .. } => {}
    }
    let truth = matches!(cell.meaning, Meaning::Bool { .. });
    let _ = match cell.storage {
        Storage::Fixed(int) => {
            if let Some(code) = FloatCode::of(cell) {
                return to.push_str(&code.name(order_suffix(int)));
            }
            let letter = match cell.meaning {
                Meaning::Bool { .. } => "bool",
                _ if int.signed => "i",
                _ => "u",
            };
            write!(to, "{letter}{}{}", u32::from(int.bytes) * 8, order_suffix(int))
        }
        Storage::Varint(id) => write!(to, "{}", model.varints[id.index()].name),
        Storage::Digits { digits, .. } => write!(to, "{}", model.digits[digits.index()].name),
        Storage::Bits { width: 1, .. } if truth => write!(to, "bit"),
        Storage::Bits { width, .. } => write!(to, "b{width}"),
        Storage::Word { first, last, .. } if first == last => write!(to, "bit {first}"),
        Storage::Word { first, last, .. } => write!(to, "bits {first}..{last}"),
        Storage::Letter { letter, .. } => write!(to, "letter {letter}"),
        Storage::TagOf => write!(to, "tag"),
    };
}

fn order_suffix(int: IntType) -> &'static str {
    match int.order {
        Some(ByteOrder::Little) => "le",
        Some(ByteOrder::Big) => "be",
        None => "",
    }
}

fn encoding_suffix(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Utf8 => "",
        Encoding::Ascii => " ascii",
        Encoding::Utf16 => " utf16",
        Encoding::Utf16Le => " utf16le",
        Encoding::Utf16Be => " utf16be",
        Encoding::Utf32 => " utf32",
        Encoding::Latin1 => " latin1",
        Encoding::Cp1252 => " cp1252",
        Encoding::Mutf8 => " mutf8",
    }
}

/// Width in bits of what shares bytes with its neighbours.
pub(crate) fn bit_width(ty: &Type) -> Option<u32> {
    let Type::Cell(cell) = ty.stripped() else { return None };
    match cell.storage {
        Storage::Bits { width, .. } => Some(width.into()),
        Storage::Word { first, last, .. } => Some(u32::from(last.saturating_sub(first)) + 1),
        _ => None,
    }
}

/// Name of a role, as in the reference of the language.
pub(crate) fn role_name(row: &Row) -> &'static str {
    match row.role {
        Role::Data if row.ty.in_step().is_some() => "derived",
        Role::Data => "data",
        Role::Default(_) => "default",
        Role::Fixed => "fixed",
        Role::Derived => "derived",
        Role::Kept(_) => "kept",
        Role::Spelling => "spelling",
        Role::View { .. } => "view",
        Role::Elsewhere => "elsewhere",
    }
}

/// What is stored in a row or element; `None` for structs and for what has not been read.
pub(crate) fn stored(tree: &Tree<'_, '_>, ty: &Type, item: Item) -> Option<Stored> {
    let (ty, item) = behind(tree, ty, item);
    Some(match item {
        Item::Unset | Item::Node(_) => return None,
        Item::F32(bits) => Stored::Float { bits: bits.into(), width: 4 },
        Item::F64(bits) => Stored::Float { bits, width: 8 },
        Item::Bool(value) => Stored::Bool(value),
        Item::Text(text) => Stored::Text(tree.text(text).to_owned()),
        Item::Bytes(bytes) => Stored::Bytes(tree.bytes(bytes).to_vec()),
        Item::Units(start, len) => Stored::Text(String::from_utf16_lossy(tree.units(start, len))),
        Item::Array(array) => Stored::Count(tree.count(array) as usize),
        item => match (tree.int(item), ty.stripped()) {
            (None, _) => Stored::None,
            (Some(number), Type::Cell(Cell { meaning: Meaning::Enum(id), .. })) => {
                let members = &tree.model().enums[id.index()].members;
                let member = members.iter().find(|member| member.number == number);
                Stored::Enum { number, name: member.map(|member| member.name.clone()) }
            }
            (Some(number), _) => Stored::Int(number),
        },
    })
}

/// The first elements of an array.
pub(crate) fn elements<'t>(
    tree: &'t Tree<'_, '_>,
    ty: &'t Type,
    array: ArrayRef,
    count: usize,
) -> impl Iterator<Item = Stored> + 't {
    let element = element_type(ty);
    let items = (0_u32..).take(count).filter_map(move |index| tree.element(array, index));
    items.filter_map(move |item| stored(tree, element, item))
}

/// Adds what is in a row or element, on one line. Nothing for structs.
pub(crate) fn show(
    tree: &Tree<'_, '_>,
    ty: &Type,
    item: Item,
    options: &WalkOptions,
    to: &mut String,
) {
    let (ty, item) = behind(tree, ty, item);
    match item {
        Item::Unset => to.push('?'),
        Item::Node(_) => {}
        Item::Text(text) => show_text(tree.text(text), options, to),
        Item::Bytes(bytes) => show_bytes(tree.bytes(bytes), options, to),
        Item::Units(start, len) => {
            to.push_str("utf16 ");
            for (index, unit) in tree.units(start, len).iter().enumerate() {
                let _ = write!(to, "{}{unit:04x}", if index == 0 { "" } else { " " });
            }
        }
        Item::Array(array) => {
            if tree.has_only_numbers(array) {
                let count = tree.count(array) as usize;
                let shown = options.shown(count);
                to.push('[');
                for (index, element) in elements(tree, ty, array, shown).enumerate() {
                    to.push_str(if index == 0 { "" } else { ", " });
                    element.push(options, to);
                }
                if shown < count {
                    let comma = if shown == 0 { "" } else { ", " };
                    let _ = write!(to, "{comma}… {} more", count - shown);
                }
                to.push(']');
            }
        }
        item => {
            if let Some(stored) = stored(tree, ty, item) {
                stored.push(options, to);
            }
        }
    }
}

impl Stored {
    /// The value on one line: texts quoted, bytes in hexadecimal, members of enumerations by name
    /// and number. Long texts and byte runs are cut unless `options` fold nothing.
    #[must_use]
    pub fn show(&self, options: &WalkOptions) -> String {
        let mut text = String::new();
        self.push(options, &mut text);
        text
    }

    fn push(&self, options: &WalkOptions, to: &mut String) {
        let _ = match self {
            // Large numbers are often offsets, hashes or flags, so they are said in both bases.
            Stored::Int(number) if *number >= 0x10000 => write!(to, "{number} ({number:#x})"),
            Stored::Int(number) => write!(to, "{number}"),
            Stored::Enum { number, name: Some(name) } => write!(to, "{name} ({number})"),
            Stored::Enum { number, name: None } => write!(to, "{number} (no name)"),
            Stored::Float { bits, width } => {
                show_float(*bits, *width, to);
                Ok(())
            }
            Stored::Bool(value) => write!(to, "{value}"),
            Stored::Text(text) => {
                show_text(text, options, to);
                Ok(())
            }
            Stored::Bytes(bytes) => {
                show_bytes(bytes, options, to);
                Ok(())
            }
            Stored::Count(count) => write!(to, "{count} elements"),
            Stored::None => write!(to, "none"),
        };
    }
}

fn show_float(bits: u64, width: u8, to: &mut String) {
    let narrow = u32::try_from(bits).ok().filter(|_| width == 4).map(f32::from_bits);
    let wide = f64::from_bits(bits);
    let is_nan = narrow.map_or(wide.is_nan(), f32::is_nan);
    let _ = match narrow {
        _ if is_nan => write!(to, "NaN ({bits:#x})"),
        Some(value) => write!(to, "{value:?}"),
        None => write!(to, "{wide:?}"),
    };
}

/// Most characters or bytes that are shown of a long run.
const LONG: usize = 96;
const LONG_BYTES: usize = 32;

fn show_text(text: &str, options: &WalkOptions, to: &mut String) {
    let limit = if options.fold.is_some() { LONG } else { usize::MAX };
    let cut = if text.len() <= limit { None } else { text.char_indices().nth(limit) };
    let _ = match cut {
        Some((cut, _)) => write!(to, "{:?}… {} bytes", &text[..cut], text.len()),
        None => write!(to, "{text:?}"),
    };
}

fn show_bytes(bytes: &[u8], options: &WalkOptions, to: &mut String) {
    let limit = if options.fold.is_some() { LONG_BYTES } else { usize::MAX };
    let printable = |b: &u8| b.is_ascii_graphic() || *b == b' ';
    if bytes.is_empty() {
        return to.push_str("empty");
    }
    if bytes.len() <= limit {
        // Magic numbers are texts in fields of fixed size.
        let end = bytes.iter().rposition(|b| *b != 0).map_or(0, |last| last + 1);
        if end > 0 && bytes[..end].iter().all(printable) {
            let _ = write!(to, "{:?}", String::from_utf8_lossy(bytes));
            return;
        }
    }
    to.push_str("hex ");
    for byte in &bytes[..limit.min(bytes.len())] {
        let _ = write!(to, "{byte:02x}");
    }
    if limit < bytes.len() {
        let _ = write!(to, "… {} bytes", bytes.len());
    }
}
