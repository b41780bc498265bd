//! Types in words, with links.

use super::expr::{path_text, written};
use super::facts::address_words;
use super::plan::{Cx, Key, Part};
use super::text::{code, hex, plain};
use crate::model::{
    ArrayLength, ByteOrder, Cell, Columns, Content, Described, Encoding, EpochId, Expr, ExprId,
    Extent, FloatCode, IntType, Meaning, Model, PointerType, Record, RecordId, RegionType,
    RunLength, RunType, Storage, Target, Terminated, Terminator, Type, unit_size,
};

/// A type as it is in one epoch.
pub(super) fn type_text(cx: &Cx<'_>, ty: &Type, epoch: EpochId) -> String {
    match cx.string(ty) {
        Some(name) => cx.link(&Key::Part(Part::Strings), &plain(name)),
        None => plain_text(cx, ty, epoch),
    }
}

/// The same without the names of declared strings.
pub(super) fn plain_text(cx: &Cx<'_>, ty: &Type, epoch: EpochId) -> String {
    match ty {
        Type::Cell(cell) => cell_text(cx, cell),
        Type::Run(run) => run_text(cx, run),
        Type::Record(id) => record_text(cx, *id),
        Type::Union(id) => format!("one of {}", cx.union_link(*id)),
        Type::Pointer(pointer) => pointer_text(cx, pointer, epoch),
        Type::Array(array) => {
            let element = type_text(cx, &array.element, epoch);
            if let Some(described) = &array.described {
                return described_text(cx, &element, described);
            }
            let stride = array.stride.map(|stride| match cx.model.exprs.constant(stride) {
                Some(stride) => format!(", each in {stride} bytes"),
                None => format!(", each in {} bytes", written(cx.model, stride)),
            });
            let stride = stride.unwrap_or_default();
            match &array.length {
                ArrayLength::Count(count) => {
                    format!("{} × {}{stride}", number_text(cx, *count), grouped(element))
                }
                ArrayLength::Fill => format!("{}{stride}, {TO_THE_END}", list_text(&element)),
                ArrayLength::Last(last) => {
                    let last = written(cx.model, *last);
                    format!("{}{stride}, up to the first with {last}", list_text(&element))
                }
            }
        }
        Type::Region(region) => region_text(cx, region, epoch),
        Type::PerEpoch(_) => type_text(cx, ty.in_epoch(epoch), epoch),
        Type::ByteOrderMark => "byte order mark".to_owned(),
        Type::Text => "text".to_owned(),
        Type::Nothing => String::new(),
    }
}

/// Elements that something else describes, and where columns stand.
fn described_text(cx: &Cx<'_>, element: &str, described: &Described) -> String {
    let one = match &described.columns {
        Some(_) => format!("columns, each {element}: one"),
        None => format!("{element}: one"),
    };
    let mut out = match described.leading {
        0 => format!("{one} for each of {}", amount(cx, described.by)),
        leading => {
            format!("{leading} × {element}, then one for each of {}", amount(cx, described.by))
        }
    };
    if let Some(filter) = described.filter {
        out += &format!(" with {}", written(cx.model, filter));
    }
    if let Some(Columns { records, stride }) = &described.columns {
        let (records, stride) = (amount(cx, *records), amount(cx, *stride));
        out += &format!("; each of {records} records has one element of every column");
        out += &format!(", and {stride} bytes");
        if let Some(at) = described.at {
            out += &format!(", in which a column begins at {}", written(cx.model, at));
        }
    } else if let Some(at) = described.at {
        out += &format!("; each begins at {} of these bytes", written(cx.model, at));
    }
    out
}

/// How a type says that it ends where the bytes around it do.
pub(super) const TO_THE_END: &str = "to the end of the bytes around it";

/// An amount in front of a type.
fn number_text(cx: &Cx<'_>, count: ExprId) -> String {
    let constant = cx.model.exprs.constant(count);
    constant.map_or_else(|| written(cx.model, count), |count| count.to_string())
}

/// An element that is more than one word, so that nobody takes a part of it for all of it.
fn grouped(element: String) -> String {
    if element.contains(", ") { format!("({element})") } else { element }
}

/// A list of elements: what is said behind the first comma is said of each.
pub(super) fn list_text(element: &str) -> String {
    match element.split_once(", ") {
        Some((first, rest)) => format!("list of {first}, each {rest}"),
        None => format!("list of {element}"),
    }
}

/// Whether a type that the test holds for occurs in a row, or in what a row leads to.
pub(super) fn any_type(model: &Model, test: &dyn Fn(&Type) -> bool) -> bool {
    let rows = model.records.iter().flat_map(|record| &record.rows);
    let mut work: Vec<&Type> = rows.map(|row| &row.ty).collect();
    while let Some(ty) = work.pop() {
        if test(ty) {
            return true;
        }
        match ty {
            Type::Array(array) => work.push(&array.element),
            Type::Region(region) => work.push(&region.inner),
            Type::PerEpoch(types) => work.extend(types),
            Type::Pointer(pointer) => {
                if let Target::Own(target) = &pointer.target {
                    work.push(target);
                }
            }
            _ => {}
        }
    }
    false
}

/// Whether a row of this type holds a pointer, or several.
pub(super) fn holds_pointer(ty: &Type) -> bool {
    match ty {
        Type::Pointer(_) => true,
        Type::Array(array) => holds_pointer(&array.element),
        Type::Region(region) => holds_pointer(&region.inner),
        Type::PerEpoch(types) => types.iter().any(holds_pointer),
        _ => false,
    }
}

/// Whether a row of this type is an array with so many elements, or leads to one.
pub(super) fn is_list(ty: &Type) -> bool {
    match ty {
        Type::Array(array) => {
            matches!(array.length, ArrayLength::Count(_)) || is_list(&array.element)
        }
        Type::Pointer(pointer) => matches!(&pointer.target, Target::Own(ty) if is_list(ty)),
        Type::Region(region) => is_list(&region.inner),
        Type::PerEpoch(types) => types.iter().any(is_list),
        _ => false,
    }
}

/// Whether a type is a truth value that can be stored wrongly.
pub(super) fn is_bool(ty: &Type) -> bool {
    let Type::Cell(Cell { storage, meaning: Meaning::Bool { .. } }) = ty else { return false };
    match storage {
        Storage::Bits { width, .. } | Storage::Letter { width, .. } => *width > 1,
        Storage::Word { first, last, .. } => first < last,
        Storage::Fixed(_) | Storage::Varint(_) | Storage::Digits { .. } | Storage::TagOf => true,
    }
}

/// Whether elements or rows have to end exactly where a type says.
pub(super) fn must_fill(ty: &Type) -> bool {
    match ty {
        Type::Array(array) => matches!(array.length, ArrayLength::Fill),
        Type::Region(region) => {
            let bytes = matches!(region.inner, Type::Run(_));
            let open = matches!(region.extent, Extent::Terminated(_));
            !bytes && !open && region.trim.is_none()
        }
        _ => false,
    }
}

/// A type without what depends on the place: lengths that rows say, byte order, width of codes. Of a
/// value that can be spelled in several ways that is what they have in common.
pub(super) fn content_type(cx: &Cx<'_>, ty: &Type, epoch: EpochId) -> String {
    match ty {
        Type::Cell(cell) => content_cell(cx, cell),
        Type::Run(run) => content_text(run.content).to_owned(),
        Type::Region(region) => content_type(cx, &region.inner, epoch),
        Type::Array(array) => {
            let element = content_type(cx, &array.element, epoch);
            match &array.length {
                ArrayLength::Count(count) => match cx.model.exprs.constant(*count) {
                    Some(count) => format!("{count} × {}", grouped(element)),
                    None => list_text(&element),
                },
                ArrayLength::Fill | ArrayLength::Last(_) => list_text(&element),
            }
        }
        Type::PerEpoch(_) => content_type(cx, ty.in_epoch(epoch), epoch),
        Type::Record(_)
        | Type::Union(_)
        | Type::Pointer(_)
        | Type::ByteOrderMark
        | Type::Text
        | Type::Nothing => type_text(cx, ty, epoch),
    }
}

/// A number, truth value or member without its bytes.
fn content_cell(cx: &Cx<'_>, cell: &Cell) -> String {
    let storage = match cell.storage {
        Storage::Fixed(int) => Storage::Fixed(IntType { order: None, ..int }),
        Storage::Bits { width, .. } | Storage::Letter { width, .. } => {
            Storage::Word { first: 0, last: width.saturating_sub(1), signed: false }
        }
        Storage::Varint(id) => match cx.model.varints.get(id.index()) {
            Some(varint) => Storage::Fixed(IntType { order: None, ..varint.ty }),
            None => cell.storage,
        },
        Storage::Digits { digits, .. } => match cx.model.digits.get(digits.index()) {
            Some(digits) => Storage::Fixed(IntType { order: None, ..digits.ty }),
            None => cell.storage,
        },
        Storage::Word { .. } | Storage::TagOf => cell.storage,
    };
    match cell.meaning {
        Meaning::Bool { .. } => "bool".to_owned(),
        Meaning::Enum(_) | Meaning::Word(_) | Meaning::Int | Meaning::Float(_) => {
            cell_text(cx, &Cell { storage, meaning: cell.meaning.clone() })
        }
    }
}

/// A struct, with its arguments.
pub(super) fn record_text(cx: &Cx<'_>, id: RecordId) -> String {
    let link = cx.record_link(id);
    let Some(record) = cx.record(id) else { return link };
    let several = cx.members(cx.class(id)).len() > 1;
    let arguments = telling(cx, id);
    if arguments.is_empty() || (!several && cx.title(id) == record.name) {
        return link;
    }
    let arguments: Vec<String> =
        arguments.iter().map(|(name, value)| format!("{} = {value}", code(name))).collect();
    format!("{link} ({})", arguments.join(", "))
}

/// The same as [`arguments`] without constants that are the same for all that share a section: the
/// table has them in place of the parameter.
pub(super) fn telling(cx: &Cx<'_>, id: RecordId) -> Vec<(String, String)> {
    let uses: Vec<&Record> =
        cx.members(cx.class(id)).iter().filter_map(|id| cx.record(*id)).collect();
    let silent = |at: usize| {
        let mut values = uses.iter().map(|record| {
            let constant = cx.model.exprs.constant(*record.arguments.get(at)?)?;
            Some((constant, record.parameters.get(at).map(|(_, shown)| shown)))
        });
        let first = values.next().flatten();
        first.is_some() && values.all(|other| other == first)
    };
    let all = arguments(cx, id).into_iter().enumerate();
    all.filter(|(at, _)| !silent(*at)).map(|(_, argument)| argument).collect()
}

/// Names and values of a record's parameters.
pub(super) fn arguments(cx: &Cx<'_>, id: RecordId) -> Vec<(String, String)> {
    let Some(record) = cx.record(id) else { return Vec::new() };
    let mut found = Vec::new();
    for (at, (name, shown)) in record.parameters.iter().enumerate() {
        let value = match record.arguments.get(at) {
            Some(expr) if shown == ".." => written(cx.model, *expr),
            _ => code(shown),
        };
        found.push((name.clone(), value));
    }
    found
}

pub(super) fn int_text(int: IntType) -> String {
    let sign = if int.signed { 'i' } else { 'u' };
    let order = order_suffix(int);
    format!("{sign}{}{order}", u32::from(int.bytes).saturating_mul(8))
}

fn order_suffix(int: IntType) -> &'static str {
    match int.order {
        None => "",
        Some(ByteOrder::Little) => "le",
        Some(ByteOrder::Big) => "be",
    }
}

pub(super) fn cell_text(cx: &Cx<'_>, cell: &Cell) -> String {
    let storage = match cell.storage {
        Storage::Fixed(int) => match FloatCode::of(cell) {
            Some(float) => code(&float.name(order_suffix(int))),
            None => code(&int_text(int)),
        },
        Storage::Varint(id) => {
            let name = cx.model.varints.get(id.index()).map_or("", |varint| varint.name.as_str());
            cx.link(&Key::Part(Part::Varints), &plain(name))
        }
        Storage::Digits { digits, .. } => {
            let name = cx.model.digits.get(digits.index()).map_or("", |found| found.name.as_str());
            cx.link(&Key::Part(Part::Digits), &plain(name))
        }
        Storage::Bits { width: 1, .. } => "bit".to_owned(),
        Storage::Bits { width, msb_first } => {
            let last = if msb_first { "" } else { ", lowest first" };
            format!("{width} bits{last}")
        }
        Storage::Word { first, last, signed } => {
            let width = u32::from(last.saturating_sub(first)).saturating_add(1);
            code(&format!("{}{width}", if signed { 'i' } else { 'u' }))
        }
        Storage::Letter { letter, .. } => format!("bits {}", code(&letter.to_string())),
        Storage::TagOf => "the tag".to_owned(),
    };
    let bits = matches!(cell.storage, Storage::Word { .. } | Storage::Bits { .. });
    match &cell.meaning {
        Meaning::Int | Meaning::Float(_) => storage,
        Meaning::Bool { yes: 1 } if bits => "bool".to_owned(),
        Meaning::Bool { yes: 1 } => format!("{storage} bool"),
        Meaning::Bool { yes } => format!("{storage} bool, true is {}", code(&format!("{yes:#x}"))),
        Meaning::Enum(id) => {
            let name = cx.model.enums.get(id.index()).map_or("", |found| found.name.as_str());
            format!("{storage} {}", cx.link(&Key::Enum(*id), &plain(name)))
        }
        Meaning::Word(id) => format!("{storage} {}", cx.record_link(*id)),
    }
}

fn content_text(content: Content) -> &'static str {
    match content {
        Content::Bytes => "bytes",
        Content::Text(Encoding::Ascii) => "ASCII text",
        Content::Text(Encoding::Utf8) => "UTF-8 text",
        Content::Text(Encoding::Utf16) => "UTF-16 text",
        Content::Text(Encoding::Utf16Le) => "UTF-16 text, little endian",
        Content::Text(Encoding::Utf16Be) => "UTF-16 text, big endian",
        Content::Text(Encoding::Utf32) => "UTF-32 text",
        Content::Text(Encoding::Latin1) => "Latin-1 text",
        Content::Text(Encoding::Cp1252) => "Windows-1252 text",
        Content::Text(Encoding::Mutf8) => "modified UTF-8 text",
    }
}

/// Bytes per unit of text.
fn unit(content: Content) -> &'static str {
    match unit_size(content) {
        1 => "bytes",
        _ => "units",
    }
}

pub(super) fn run_text(cx: &Cx<'_>, run: &RunType) -> String {
    let content = content_text(run.content);
    let units = unit(run.content);
    let mut out = match &run.length {
        RunLength::Prefix(cell) => {
            format!("length in {units} as {}, {content}", cell_text(cx, cell))
        }
        RunLength::Fill => format!("{content}, {TO_THE_END}"),
        RunLength::Fixed(1) => "1 byte".to_owned(),
        RunLength::Fixed(size) if run.content == Content::Bytes => format!("{size} bytes"),
        RunLength::Fixed(size) => format!("{content}, {size} bytes"),
        RunLength::Count(count) => match cx.model.exprs.constant(*count) {
            Some(count) => format!("{content}, {count} {units}"),
            None if run.content == Content::Bytes => {
                format!("{} bytes", written(cx.model, *count))
            }
            None => format!("{content}, {} {units}", written(cx.model, *count)),
        },
    };
    match run.suffix.len() {
        0 => {}
        1 => out += ", one zero byte",
        size => out += &format!(", {size} zero bytes"),
    }
    if let Some(align) = run.align {
        out += &format!(", begins on a multiple of {align}");
    }
    out
}

fn pointer_text(cx: &Cx<'_>, pointer: &PointerType, epoch: EpochId) -> String {
    let kinds = &cx.model.pointers;
    let kind = kinds.get(pointer.kind.index());
    let name = kind.map_or("", |kind| kind.name.as_str());
    let none = if pointer.optional { ", or none" } else { "" };
    let part = Key::Part(Part::Pointers);
    let alone = kinds.iter().filter(|kind| kind.pool.is_none()).count() == 1;
    let word = if alone {
        "pointer".to_owned()
    } else {
        cx.link(&part, &format!("{} pointer", code(name)))
    };
    let mut out = match &pointer.target {
        Target::Own(Type::Nothing) => format!("{word} to a place{none}"),
        Target::Own(target) => format!("{word} to {}{none}", type_text(cx, target, epoch)),
        Target::Pooled => format!("{}{none}", cx.link(&part, &plain(name))),
        Target::Element => format!("{word} to an element{none}"),
    };
    if let Some(cell) = &pointer.cell {
        if !matches!(cell.storage, Storage::Word { .. } | Storage::Letter { .. }) {
            out += &format!(", in {}", cell_text(cx, cell));
        } else if let Storage::Letter { letter, .. } = cell.storage {
            out += &format!(", in bits {}", code(&letter.to_string()));
        }
    }
    out
}

fn region_text(cx: &Cx<'_>, region: &RegionType, epoch: EpochId) -> String {
    let inner = match &region.inner {
        Type::Run(RunType { content, length: RunLength::Fill, .. }) => {
            content_text(*content).to_owned()
        }
        Type::Array(array)
            if matches!(array.length, ArrayLength::Fill) && array.stride.is_none() =>
        {
            list_text(&type_text(cx, &array.element, epoch))
        }
        inner => type_text(cx, inner, epoch),
    };
    let mut out = match &region.extent {
        Extent::Size(size) => match cx.model.exprs.constant(*size) {
            Some(size) => format!("{inner}, in {size} bytes"),
            None => format!("{inner}, in {} bytes", amount(cx, *size)),
        },
        Extent::End(end) => format!("{inner}, up to {}", address_words(cx, *end)),
        Extent::Terminated(terminator) => format!("{inner}, up to {}", terminator_text(terminator)),
        Extent::Rest => format!("{inner}, {TO_THE_END}"),
    };
    if let Some(trim) = &region.trim {
        if let Some(terminator) = &trim.terminator {
            out += &format!(", content ends at {}", terminator_text(terminator));
        }
        if let Some(strip) = trim.strip {
            out += &format!(", filled up with {}", code(&hex(u64::from(strip))));
        }
    }
    out
}

/// Of a list in so many bytes, or of bytes: the element, in words and as a type, and what is around.
pub(super) fn frame<'t>(
    cx: &Cx<'_>,
    ty: &'t Type,
    epoch: EpochId,
) -> Option<((String, Option<&'t Type>), String)> {
    let bytes = || ("byte".to_owned(), None);
    let (inner, extent) = match ty {
        Type::Region(region) if region.trim.is_none() => (&region.inner, &region.extent),
        Type::Run(RunType { content: Content::Bytes, length: RunLength::Count(count), .. }) => {
            return Some((bytes(), format!("elements, in {} bytes", amount(cx, *count))));
        }
        _ => return None,
    };
    let (element, count) = match inner {
        Type::Run(RunType { content: Content::Bytes, length: RunLength::Fill, .. }) => {
            (bytes(), String::new())
        }
        Type::Array(array) if array.stride.is_none() && array.described.is_none() => {
            let element = (type_text(cx, &array.element, epoch), Some(&array.element));
            match &array.length {
                ArrayLength::Fill => (element, String::new()),
                ArrayLength::Count(count) => (element, format!("{} ", number_text(cx, *count))),
                ArrayLength::Last(_) => return None,
            }
        }
        _ => return None,
    };
    let extent = match extent {
        Extent::Size(size) => format!("in {} bytes", amount(cx, *size)),
        Extent::End(end) => format!("up to {}", address_words(cx, *end)),
        Extent::Terminated(_) | Extent::Rest => return None,
    };
    Some((element, format!("{count}elements, {extent}")))
}

fn amount(cx: &Cx<'_>, size: ExprId) -> String {
    match &cx.model[size] {
        Expr::Path(path) => code(&path_text(cx.model, path)),
        _ => written(cx.model, size),
    }
}

fn terminator_text(terminator: &Terminator) -> String {
    let mut out = match terminator.bytes.as_slice() {
        [] => {
            let any = terminator.any.iter().map(|(least, most)| match least == most {
                true => code(&format!("{least:#x}")),
                false => code(&format!("{least:#x}..{most:#x}")),
            });
            let units = match terminator.unit {
                1 => "bytes",
                _ => "units",
            };
            format!("one of the {units} {}", any.collect::<Vec<String>>().join(", "))
        }
        [0] => "a zero byte".to_owned(),
        zeros if zeros.iter().all(|byte| *byte == 0) => format!("{} zero bytes", zeros.len()),
        bytes => {
            let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("bytes {}", code(&digits.join(" ")))
        }
    };
    out += match terminator.mode {
        Terminated::Dropped => "",
        Terminated::Kept if terminator.any.is_empty() => ", which belong to it",
        Terminated::Unread if terminator.any.is_empty() => ", which belong to what follows",
        Terminated::Kept => ", which belongs to it",
        Terminated::Unread => ", which belongs to what follows",
    };
    if terminator.optional {
        out += ", or to the end of the bytes around it";
    }
    out
}
