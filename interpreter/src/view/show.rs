//! Words for types and values.

use formwork_model::{
    ByteOrder, Cell, Content, Encoding, EpochId, IntType, Meaning, Model, PointerType, Role,
    Storage, Target, Type,
};

use super::{Stored, WalkOptions};
use crate::tree::{Item, through};

/// What types mean in a file.
#[derive(Clone, Copy)]
pub(crate) struct Context<'m> {
    pub model: &'m Model,
    pub epoch: EpochId,
}

impl Context<'_> {
    /// A type inside its regions.
    pub(crate) fn inner<'t>(&self, ty: &'t Type) -> &'t Type {
        match ty.in_epoch(self.epoch) {
            Type::Region(region) => self.inner(&region.inner),
            other => other,
        }
    }

    /// Type of an array's elements.
    pub(crate) fn element<'t>(&self, ty: &'t Type) -> &'t Type {
        match self.inner(ty) {
            Type::Array(array) => &array.element,
            other => other,
        }
    }

    /// Type of what a pointer leads to.
    pub(crate) fn target<'t>(&self, ty: &'t Type) -> &'t Type {
        match self.inner(ty) {
            Type::Pointer(pointer) => match &pointer.target {
                Target::Own(target) => target,
                Target::Pooled | Target::Element => ty,
            },
            other => other,
        }
    }
}

/// Name of a type as a schema would write it, with the number of elements that are there.
pub(crate) fn type_name(cx: Context<'_>, ty: &Type, item: Option<&Item>) -> String {
    match cx.inner(ty) {
        Type::Cell(cell) => cell_name(cx, cell),
        Type::Run(run) => match run.content {
            Content::Bytes => "bytes".to_owned(),
            Content::Text(encoding) => format!("text{}", encoding_suffix(encoding)),
        },
        Type::Record(id) => cx.model.records[id.index()].name.clone(),
        Type::Union(id) => cx.model.unions[id.index()].name.clone(),
        Type::Pointer(pointer) => pointer_name(cx, pointer, item),
        Type::Array(array) => {
            let inner = match item.map(through) {
                Some(Item::Array(array)) => Some(array),
                _ => None,
            };
            let element = type_name(cx, &array.element, None);
            match inner {
                Some(array) => format!("{element}[{}]", array.items.len()),
                None => format!("{element}[]"),
            }
        }
        Type::ByteOrderMark => "byte_order".to_owned(),
        Type::Text => "text".to_owned(),
        Type::Nothing | Type::Region(_) | Type::PerEpoch(_) => String::new(),
    }
}

fn pointer_name(cx: Context<'_>, pointer: &PointerType, item: Option<&Item>) -> String {
    let kind = &cx.model.pointers[pointer.kind.index()].name;
    let optional = if pointer.optional { "?" } else { "" };
    let is_word = kind.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    match &pointer.target {
        Target::Own(target) => {
            let space = if is_word { " " } else { "" };
            format!("{kind}{optional}{space}{}", type_name(cx, target, item))
        }
        Target::Pooled | Target::Element => format!("{kind}{optional}"),
    }
}

fn cell_name(cx: Context<'_>, cell: &Cell) -> String {
    match &cell.meaning {
        Meaning::Enum(id) => return cx.model.enums[id.index()].name.clone(),
        Meaning::Word(id) => return cx.model.records[id.index()].name.clone(),
        Meaning::Int | Meaning::Float | Meaning::Bool { .. } => {}
    }
    let truth = matches!(cell.meaning, Meaning::Bool { .. });
    match cell.storage {
        Storage::Fixed(int) => {
            let letter = match cell.meaning {
                Meaning::Float => "f",
                Meaning::Bool { .. } => "bool",
                _ if int.signed => "i",
                _ => "u",
            };
            format!("{letter}{}{}", u32::from(int.bytes) * 8, order_suffix(int))
        }
        Storage::Varint(id) => cx.model.varints[id.index()].name.clone(),
        Storage::Bits { width: 1, .. } if truth => "bit".to_owned(),
        Storage::Bits { width, .. } => format!("b{width}"),
        Storage::Word { first, last, .. } if first == last => format!("bit {first}"),
        Storage::Word { first, last, .. } => format!("bits {first}..{last}"),
        Storage::Letter { letter, .. } => format!("letter {letter}"),
        Storage::TagOf => "tag".to_owned(),
    }
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
    }
}

/// Width in bits of what shares bytes with its neighbours.
pub(crate) fn bit_width(cx: Context<'_>, ty: &Type) -> Option<u32> {
    let Type::Cell(cell) = cx.inner(ty) else { return None };
    match cell.storage {
        Storage::Bits { width, .. } => Some(width.into()),
        Storage::Word { first, last, .. } => Some(u32::from(last.saturating_sub(first)) + 1),
        _ => None,
    }
}

/// Name of a role, as in the reference of the language.
pub(crate) fn role_name(role: &Role) -> &'static str {
    match role {
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
pub(crate) fn stored(cx: Context<'_>, ty: &Type, item: &Item) -> Option<Stored> {
    Some(match item {
        Item::Unset | Item::Node(_) => return None,
        Item::Absent => Stored::None,
        Item::Int(number) => match meaning(cx, ty) {
            Some(Meaning::Enum(id)) => {
                let members = &cx.model.enums[id.index()].members;
                let member = members.iter().find(|member| member.number == *number);
                Stored::Enum { number: *number, name: member.map(|member| member.name.clone()) }
            }
            _ => Stored::Int(*number),
        },
        Item::Float { bits, bytes } => Stored::Float { bits: *bits, width: *bytes },
        Item::Bool(value) => Stored::Bool(*value),
        Item::Text(text) => Stored::Text(text.to_string()),
        Item::Bytes(bytes) => Stored::Bytes(bytes.to_vec()),
        Item::Units(units) => Stored::Text(String::from_utf16_lossy(units)),
        Item::Array(array) => Stored::Count(array.items.len()),
        Item::Pointer(pointer) => return stored(cx, cx.target(ty), &pointer.target),
    })
}

fn meaning<'t>(cx: Context<'_>, ty: &'t Type) -> Option<&'t Meaning> {
    match cx.inner(ty) {
        Type::Cell(cell) => Some(&cell.meaning),
        _ => None,
    }
}

/// What is in a row or element, on one line. Empty for structs.
pub(crate) fn show(cx: Context<'_>, ty: &Type, item: &Item, options: &WalkOptions) -> String {
    match item {
        Item::Pointer(pointer) => show(cx, cx.target(ty), &pointer.target, options),
        Item::Unset => "?".to_owned(),
        Item::Node(_) => String::new(),
        Item::Absent => "none".to_owned(),
        Item::Units(units) => {
            let words: Vec<_> = units.iter().map(|unit| format!("{unit:04x}")).collect();
            format!("utf16 {}", words.join(" "))
        }
        Item::Array(array) if array.items.iter().all(is_number) => {
            let shown = options.fold.unwrap_or(usize::MAX).min(array.items.len());
            let element = cx.element(ty);
            let mut words: Vec<_> =
                array.items[..shown].iter().map(|item| show(cx, element, item, options)).collect();
            if shown < array.items.len() {
                words.push(format!("… {} more", array.items.len() - shown));
            }
            format!("[{}]", words.join(", "))
        }
        Item::Array(_) => String::new(),
        item => stored(cx, ty, item).map(|stored| stored.show(options)).unwrap_or_default(),
    }
}

/// Whether an element needs no line of its own.
pub(crate) fn is_number(item: &Item) -> bool {
    matches!(item, Item::Int(_) | Item::Float { .. } | Item::Bool(_) | Item::Absent)
}

impl Stored {
    /// The value on one line: texts quoted, bytes in hexadecimal, members of enumerations by name
    /// and number. Long texts and byte runs are cut unless `options` fold nothing.
    #[must_use]
    pub fn show(&self, options: &WalkOptions) -> String {
        match self {
            Stored::Int(number) => show_int(*number),
            Stored::Enum { number, name: Some(name) } => format!("{name} ({number})"),
            Stored::Enum { number, name: None } => format!("{number} (no name)"),
            Stored::Float { bits, width } => show_float(*bits, *width),
            Stored::Bool(value) => value.to_string(),
            Stored::Text(text) => show_text(text, options),
            Stored::Bytes(bytes) => show_bytes(bytes, options),
            Stored::Count(count) => format!("{count} elements"),
            Stored::None => "none".to_owned(),
        }
    }
}

/// Large numbers are often offsets, hashes or flags, so they are said in both bases.
fn show_int(number: i128) -> String {
    if number >= 0x10000 { format!("{number} ({number:#x})") } else { number.to_string() }
}

fn show_float(bits: u64, width: u8) -> String {
    // A float of four bytes has its bits in the low end.
    #[allow(clippy::cast_possible_truncation, reason = "the high bits are zero")]
    let (text, is_nan) = if width == 4 {
        let value = f32::from_bits(bits as u32);
        (format!("{value:?}"), value.is_nan())
    } else {
        let value = f64::from_bits(bits);
        (format!("{value:?}"), value.is_nan())
    };
    if is_nan { format!("NaN ({bits:#x})") } else { text }
}

/// Most characters or bytes that are shown of a long run.
const LONG: usize = 96;
const LONG_BYTES: usize = 32;

fn show_text(text: &str, options: &WalkOptions) -> String {
    let limit = if options.fold.is_some() { LONG } else { usize::MAX };
    match text.char_indices().nth(limit) {
        Some((cut, _)) => format!("{:?}… {} bytes", &text[..cut], text.len()),
        None => format!("{text:?}"),
    }
}

fn show_bytes(bytes: &[u8], options: &WalkOptions) -> String {
    let limit = if options.fold.is_some() { LONG_BYTES } else { usize::MAX };
    let printable = |b: &u8| b.is_ascii_graphic() || *b == b' ';
    if !bytes.is_empty() && bytes.len() <= limit {
        // Magic numbers are texts in fields of fixed size.
        let end = bytes.iter().rposition(|b| *b != 0).map_or(0, |last| last + 1);
        if end > 0 && bytes[..end].iter().all(printable) {
            return format!("{:?}", String::from_utf8_lossy(bytes));
        }
    }
    match bytes.get(..limit) {
        Some(shown) if shown.len() < bytes.len() => {
            format!("hex {}… {} bytes", crate::items::hex(shown), bytes.len())
        }
        _ if bytes.is_empty() => "empty".to_owned(),
        _ => format!("hex {}", crate::items::hex(bytes)),
    }
}
