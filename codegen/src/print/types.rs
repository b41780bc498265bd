//! Types as text.

use crate::model::{
    ArrayLength, ByteOrder, Cell, Columns, Content, Described, Encoding, Extent, FloatCode,
    IntType, Listed, Meaning, Model, PointerType, RegionType, RunLength, RunType, Storage, Target,
    Terminated, Terminator, Type, Union,
};

use super::expr::{bytes_text, expr_text};
use super::{record_name, when_empty_text};

/// A type in about the words of a schema; lengths and regions in brackets.
#[must_use]
pub fn type_text(model: &Model, ty: &Type) -> String {
    match ty {
        Type::Cell(cell) => cell_text(model, cell),
        Type::Run(run) => run_text(model, run),
        Type::Record(id) => record_name(model, *id),
        Type::Union(id) => {
            let union = model.unions.get(id.index());
            union.map_or_else(|| format!("#{}", id.0), |union| format!("union {}", union.name))
        }
        Type::Pointer(pointer) => pointer_text(model, pointer),
        Type::Array(array) => {
            let element = type_text(model, &array.element);
            let length = match &array.length {
                ArrayLength::Count(count) => expr_text(model, *count),
                ArrayLength::Fill => "fill".to_owned(),
                ArrayLength::Last(last) => format!("last {}", expr_text(model, *last)),
            };
            let stride = array.stride.map(|s| format!(" stride {}", expr_text(model, s)));
            let length = array.described.as_ref().map_or(length, |of| described_text(model, of));
            format!("{element}[{length}{}]", stride.unwrap_or_default())
        }
        Type::Region(region) => region_text(model, region),
        Type::PerEpoch(types) => {
            let mut texts: Vec<String> = types.iter().map(|ty| type_text(model, ty)).collect();
            texts.dedup();
            format!("({})", texts.join(" | "))
        }
        Type::ByteOrderMark => "byte_order".to_owned(),
        Type::Text => "text".to_owned(),
        Type::Nothing => "nothing".to_owned(),
    }
}

/// Who describes the elements of an array, and where columns stand.
fn described_text(model: &Model, described: &Described) -> String {
    let mut text = match described.leading {
        0 => format!("of {}", expr_text(model, described.by)),
        leading => format!("{leading} + of {}", expr_text(model, described.by)),
    };
    if let Some(filter) = described.filter {
        text += &format!(" where {}", expr_text(model, filter));
    }
    if let Some(Columns { records, stride }) = &described.columns {
        let (records, stride) = (expr_text(model, *records), expr_text(model, *stride));
        text += &format!("; columns of {records} records of {stride} bytes");
    }
    if let Some(at) = described.at {
        text += &format!(" at {}", expr_text(model, at));
    }
    text
}

pub(super) fn order_text(order: ByteOrder) -> &'static str {
    match order {
        ByteOrder::Little => "little",
        ByteOrder::Big => "big",
    }
}

/// The name of a type of whole bytes: that of a float if the cell holds one.
fn number_text(cell: &Cell, int: IntType) -> String {
    match FloatCode::of(cell) {
        Some(code) => code.name(order_suffix(int)),
        None => int_text(int),
    }
}

pub(super) fn int_text(int: IntType) -> String {
    let sign = if int.signed { 'i' } else { 'u' };
    format!("{sign}{}{}", u32::from(int.bytes) * 8, order_suffix(int))
}

fn order_suffix(int: IntType) -> &'static str {
    match int.order {
        None => "",
        Some(ByteOrder::Little) => "le",
        Some(ByteOrder::Big) => "be",
    }
}

pub(super) fn cell_text(model: &Model, cell: &Cell) -> String {
    let storage = match cell.storage {
        Storage::Fixed(int) => number_text(cell, int),
        Storage::Varint(id) => {
            let varint = model.varints.get(id.index());
            varint.map_or_else(|| format!("varint#{}", id.0), |varint| varint.name.clone())
        }
        Storage::Digits { digits, .. } => {
            let found = model.digits.get(digits.index());
            found.map_or_else(|| format!("digits#{}", digits.0), |found| found.name.clone())
        }
        Storage::Bits { width, msb_first } => {
            format!("b{width}{}", if msb_first { "" } else { " lsb-first" })
        }
        Storage::Word { first, last, signed } => {
            format!("bits {first}..{last}{}", if signed { " signed" } else { "" })
        }
        Storage::Letter { letter, width } => format!("{width} bits of letter {letter}"),
        Storage::TagOf => "tag".to_owned(),
    };
    match &cell.meaning {
        Meaning::Int | Meaning::Float(_) => storage,
        Meaning::Bool { yes: 1 } => format!("{storage} bool"),
        Meaning::Bool { yes } => format!("{storage} bool yes={yes:#x}"),
        Meaning::Enum(id) => {
            let found = model.enums.get(id.index());
            format!("{storage} enum {}", found.map_or("?", |found| found.name.as_str()))
        }
        Meaning::Word(id) => format!("{storage} {}", record_name(model, *id)),
    }
}

fn run_text(model: &Model, run: &RunType) -> String {
    let content = match run.content {
        Content::Bytes => "bytes",
        Content::Text(Encoding::Ascii) => "text ascii",
        Content::Text(Encoding::Utf8) => "text utf8",
        Content::Text(Encoding::Utf16) => "text utf16",
        Content::Text(Encoding::Utf16Le) => "text utf16le",
        Content::Text(Encoding::Utf16Be) => "text utf16be",
        Content::Text(Encoding::Utf32) => "text utf32",
        Content::Text(Encoding::Latin1) => "text latin1",
        Content::Text(Encoding::Cp1252) => "text cp1252",
        Content::Text(Encoding::Mutf8) => "text mutf8",
    };
    let length = match &run.length {
        RunLength::Prefix(cell) => format!("prefix {}", cell_text(model, cell)),
        RunLength::Fill => "fill".to_owned(),
        RunLength::Fixed(size) => format!("{size:#x} bytes"),
        RunLength::Count(count) => expr_text(model, *count),
    };
    let suffix = match run.suffix.as_slice() {
        [] => String::new(),
        suffix => format!(" end={}", bytes_text(suffix)),
    };
    let align = run.align.map(|align| format!(" align={align}")).unwrap_or_default();
    format!("{content}[{length}]{suffix}{align}")
}

fn pointer_text(model: &Model, pointer: &PointerType) -> String {
    let kind = model.pointers.get(pointer.kind.index()).map_or("?", |kind| kind.name.as_str());
    let optional = if pointer.optional { "?" } else { "" };
    let mut text = match &pointer.target {
        Target::Own(target) => format!("{kind}{optional} to {}", type_text(model, target)),
        Target::Pooled => format!("{kind}{optional}"),
        Target::Element => format!("{kind}{optional} to an element"),
    };
    if let Some(cell) = &pointer.cell {
        text += &format!(" in {}", cell_text(model, cell));
    }
    if let Some(when_empty) = pointer.when_empty {
        text += &format!(" when_empty={}", when_empty_text(when_empty));
    }
    if let Some(row) = pointer.none_with {
        text += &format!(" none_with=#{}", row.0);
    }
    if let Some(align) = &pointer.align {
        text += &format!(" align={}", expr_text(model, *align));
    }
    if pointer.section != 0 {
        text += &format!(" section={}", pointer.section);
    }
    if let Some(list) = pointer.list {
        text += &format!(" list={list:?}").to_lowercase();
    }
    text
}

/// What a row that is no pointer has to do with the relocation table.
pub(super) fn listed_text(model: &Model, listed: &Listed) -> String {
    let kind = listed.kind.and_then(|kind| model.pointers.get(kind.index()));
    let mut words: Vec<String> = Vec::new();
    words.extend(kind.map(|kind| format!("listed like {}", kind.name)));
    words.extend(listed.policy.map(|policy| format!("list={policy:?}").to_lowercase()));
    if listed.section != 0 {
        words.push(format!("section={}", listed.section));
    }
    words.join(" ")
}

fn region_text(model: &Model, region: &RegionType) -> String {
    let extent = match &region.extent {
        Extent::Size(size) => format!("size {}", expr_text(model, *size)),
        Extent::End(end) => format!("end {}", expr_text(model, *end)),
        Extent::Terminated(terminator) => terminator_text(terminator),
        Extent::Rest => "rest".to_owned(),
    };
    let mut trim = String::new();
    if let Some(found) = &region.trim {
        if let Some(terminator) = &found.terminator {
            trim += &format!(" trim {}", terminator_text(terminator));
        }
        if let Some(strip) = found.strip {
            trim += &format!(" strip {strip:#04x}");
        }
    }
    format!("{{{}; {extent}{trim}}}", type_text(model, &region.inner))
}

fn terminator_text(terminator: &Terminator) -> String {
    let mode = match terminator.mode {
        Terminated::Dropped => "",
        Terminated::Kept => " kept",
        Terminated::Unread => " unread",
    };
    let optional = if terminator.optional { " optional" } else { "" };
    let end = match terminator.any.as_slice() {
        [] => bytes_text(&terminator.bytes),
        any => {
            let any: Vec<String> =
                any.iter().map(|(least, most)| format!("{least:#x}..{most:#x}")).collect();
            format!("[{}]", any.join(" "))
        }
    };
    format!("until {end}{mode}{optional}")
}

/// The union of a row's type, in arrays and regions too.
pub(super) fn union_of<'m>(model: &'m Model, ty: &Type) -> Option<&'m Union> {
    model.unions.get(ty.union()?.index())
}

pub(super) fn is_union(model: &Model, ty: &Type, union: &Union) -> bool {
    union_of(model, ty).is_some_and(|found| std::ptr::eq(found, union))
}
