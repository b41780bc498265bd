//! Types as items of the tree.

use super::super::rows::{
    by_epoch, Array, Cell, Content, Count, Extent, Length, Meaning, Pointer, Pooled, Region, Row,
    RowKind, Run, Storage, Target, Ty, WordRule,
};
use super::cursor::{empty_element, ending, exactly, pad, sized, stride};
use super::frame::{big, count, eval, holds, Frame};
use super::number::{
    bits_of, keep_none, less, letters, not_in_enum, signed, target, truth, unsigned,
};
use super::prelude::*;
use super::region::{keep_tail, terminated, trimmed};

/// Reads a value at the cursor: its item, and where its typed value is.
///
/// # Errors
///
/// If it does not fit the schema; the path is relative to the row.
pub(super) fn read_value<'i, R: Reader<'i>>(
    cx: &mut R,
    f: &mut Frame<'i>,
    row: &'static Row,
    ty: &'static Ty,
    cursor: &mut Cursor<'i>,
) -> Read<(Item<'i>, u32)> {
    match ty.within(cx.core().epoch) {
        Ty::Value(number, _) => {
            if !ty.is_bits() {
                cursor.align_bits();
            }
            cx.typed(*number, f, row, cursor)
        }
        ty => Ok((read_item(cx, f, row, ty, cursor)?, NOTHING)),
    }
}

/// Reads a type at the cursor.
///
/// # Errors
///
/// If it does not fit the schema; the path is relative to the row.
pub fn read_item<'i, R: Reader<'i>>(
    cx: &mut R,
    f: &mut Frame<'i>,
    row: &'static Row,
    ty: &'static Ty,
    cursor: &mut Cursor<'i>,
) -> Read<Item<'i>> {
    let ty = ty.within(cx.core().epoch);
    if !ty.is_bits() {
        cursor.align_bits();
    }
    match ty {
        Ty::Nothing | Ty::PerEpoch(_) => Ok(Item::Absent),
        Ty::Cell(cell) => read_cell(cx, f, row, cell, cursor),
        Ty::Run(run) => read_run(cx, f, row, run, cursor),
        Ty::Node(record) => {
            let holder = f.loc.unwrap_or(Loc::slot(f.owner, WHOLE));
            super::records::read_node(cx, *record, cursor, holder).map(Item::Node)
        }
        Ty::Direct(record) => {
            let at = cursor.at;
            super::records::direct(cx, *record, cursor, f.owner)?;
            Ok(super::counted_item(1, at, cursor.at, Vec::new()))
        }
        Ty::Value(number, _) => cx.typed(*number, f, row, cursor).map(|(item, _)| item),
        Ty::Union(union) => super::cases::union_item(cx, f, row, union, cursor),
        Ty::Pointer(pointer) => read_pointer(cx, f, row, pointer, cursor),
        Ty::Array(array) => read_array(cx, f, row, array, cursor),
        Ty::Region(region) => within(cx, f, row, region, cursor, |cx, f, cursor| {
            read_item(cx, f, row, &region.inner, cursor)
        }),
        Ty::Mark => {
            let at = cursor.at;
            let bytes = cx.core().take(cursor, 2)?;
            Ok(super::endian_item(super::byte_order_mark(bytes, at)?))
        }
    }
}

/// Reads the bits of a number.
fn read_raw<'i, R: Reader<'i>>(
    cx: &mut R,
    f: &mut Frame<'i>,
    row: &'static Row,
    cell: &'static Cell,
    cursor: &mut Cursor<'i>,
) -> Read<u64> {
    match cell.storage {
        Storage::Fixed(bytes, _, order) => {
            if cx.core().tables.orders && bytes > 1 {
                // Whether the number is there at all is said before its byte order is asked for.
                cx.core().need(cursor, bytes)?;
            }
            let big = big(cx, f, bytes, order, cursor.at)?;
            cx.core().uint(cursor, bytes, big)
        }
        Storage::Varint(order, max, bits, _) => {
            cx.core().varint(cursor, order, max, bits, &mut f.spelling, row.spelled, f.index)
        }
        Storage::Bits(width, msb_first) => {
            let (raw, byte, bit) = cx.core().bits(cursor, width, msb_first)?;
            if let Some(loc) = f.loc {
                super::place_bits(cx.core_mut(), loc, byte, bit);
            }
            Ok(raw)
        }
        Storage::Word(first, last, _) => Ok(bits_of(f.word, first, last)),
        Storage::Letter(_, patterns) => {
            let tag = unsigned(f.tag);
            let pattern = patterns.iter().find(|(mask, bits, _)| tag & mask == *bits);
            Ok(pattern.map_or(0, |(_, _, positions)| letters(f.tag, positions)))
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // The low bits.
        Storage::Tag => Ok(f.tag as u64),
    }
}

/// Reads a number that is no value but leads to one.
pub(super) fn read_stored<'i, R: Reader<'i>>(
    cx: &mut R,
    f: &mut Frame<'i>,
    row: &'static Row,
    cell: &'static Cell,
    cursor: &mut Cursor<'i>,
) -> Read<i128> {
    if matches!(cell.storage, Storage::Tag) {
        return Ok(f.tag);
    }
    let (bits, sign) = cell.width();
    Ok(signed(read_raw(cx, f, row, cell, cursor)?, bits, sign))
}

/// Reads a number with what it means.
pub(super) fn read_cell<'i, R: Reader<'i>>(
    cx: &mut R,
    f: &mut Frame<'i>,
    row: &'static Row,
    cell: &'static Cell,
    cursor: &mut Cursor<'i>,
) -> Read<Item<'i>> {
    if matches!(cell.storage, Storage::Tag) {
        return finished(f, row, f.tag, cursor);
    }
    let at = cursor.at;
    let raw = read_raw(cx, f, row, cell, cursor)?;
    let (bits, sign) = cell.width();
    Ok(match cell.meaning {
        Meaning::Int => return finished(f, row, signed(raw, bits, sign), cursor),
        Meaning::Float => Item::Float { bits: raw, bytes: if bits == 32 { 4 } else { 8 } },
        Meaning::Bool(yes) => Item::Bool(truth(raw, yes, at)?),
        Meaning::Member(closed) => {
            let n = signed(raw, bits, sign);
            if !closed.numbers.contains(&n) && !row.none.contains(&n) {
                return Err(not_in_enum(closed.name, n, at));
            }
            return finished(f, row, n, cursor);
        }
        Meaning::Word(rules) => {
            check_word(raw, rules, at)?;
            Item::Int(raw.into())
        }
        Meaning::WordNode(record) => {
            let holder = f.loc.unwrap_or(Loc::slot(f.owner, WHOLE));
            Item::Node(super::records::word(cx, record, raw, at, cursor.position(), holder)?)
        }
        Meaning::DirectWord(record) => {
            super::records::direct_word(cx, record, raw, at, f.owner)?;
            Item::Absent
        }
    })
}

/// The number of a row: nothing, or less what is added to it.
fn finished<'i>(
    f: &mut Frame<'i>,
    row: &'static Row,
    n: i128,
    cursor: &Cursor<'i>,
) -> Read<Item<'i>> {
    if let Some(first) = row.none.first().filter(|_| row.none.contains(&n)) {
        keep_none(n, *first, &mut f.spelling, row.spelled, f.index);
        return Ok(Item::Absent);
    }
    Ok(Item::Int(if row.plus == 0 { n } else { less(n, row.plus, cursor.at)? }))
}

/// Checks the bit fields of a word.
fn check_word(word: u64, rules: &'static [WordRule], at: u64) -> Read<()> {
    for rule in rules {
        let raw = bits_of(word, rule.first, rule.last);
        let checked = match rule.meaning {
            None if raw != 0 => Err(ReadError::new(ReadErrorKind::NotZero, at)),
            Some(Meaning::Bool(yes)) => truth(raw, yes, at).map(|_| ()),
            Some(Meaning::Member(closed)) => {
                let bits = u32::from(rule.last.saturating_sub(rule.first)).saturating_add(1);
                let n = signed(raw, bits, rule.signed);
                if closed.numbers.contains(&n) {
                    Ok(())
                } else {
                    Err(not_in_enum(closed.name, n, at))
                }
            }
            _ => Ok(()),
        };
        checked.map_err(|error| in_row(error, rule.name))?;
    }
    Ok(())
}

/// An error in a row, if paths have a step for it.
pub(super) fn in_row(error: ReadError, name: Option<&'static str>) -> ReadError {
    match name {
        Some(name) => error.in_field(name),
        None => error,
    }
}

/// Reads bytes or text.
fn read_run<'i, R: Reader<'i>>(
    cx: &mut R,
    f: &mut Frame<'i>,
    row: &'static Row,
    run: &'static Run,
    cursor: &mut Cursor<'i>,
) -> Read<Item<'i>> {
    if run.align > 1 {
        cx.core().align(cursor, run.align)?;
    }
    let (units, unit) = match &run.length {
        Length::Prefix(cell) => {
            let n = read_stored(cx, f, row, cell, cursor)?;
            (u64::try_from(n).unwrap_or(u64::MAX), run.content.unit())
        }
        Length::Fill => (cursor.remaining(), 1),
        Length::Fixed(size) => (*size, 1),
        Length::Count(e) => (count(cx, f, *e, cursor.at)?, run.content.unit()),
    };
    let (bytes, at) = cx.core_mut().run(cursor, units, unit)?;
    let item = match run.content {
        Content::Bytes => Item::Bytes(Bytes::Borrowed(bytes)),
        Content::Ascii => Item::Text(Text::Borrowed(super::ascii(bytes, at)?)),
        Content::Utf8 => Item::Text(Text::Borrowed(super::utf8(bytes, at)?)),
        Content::Utf16(order) => {
            let big = big(cx, f, 2, order, cursor.at)?;
            super::units_item(super::utf16(bytes, big, at)?)
        }
        Content::Utf32 => {
            let big = big(cx, f, 4, None, cursor.at)?;
            Item::Text(super::utf32(bytes, big, at)?.into())
        }
    };
    if !run.suffix.is_empty() {
        cx.core().suffix(cursor, run.suffix)?;
    }
    Ok(item)
}

/// Reads a pointer; of a pooled one the text too.
fn read_pointer<'i, R: Reader<'i>>(
    cx: &mut R,
    f: &mut Frame<'i>,
    row: &'static Row,
    pointer: &'static Pointer,
    cursor: &mut Cursor<'i>,
) -> Read<Item<'i>> {
    let at = cursor.at;
    let stored = read_stored(cx, f, row, &pointer.cell, cursor)?;
    // Pointers in the letters of a tag stand where the tag stands.
    let letter = matches!(pointer.cell.storage, Storage::Letter(..));
    let cell = if letter { f.tag_at } else { at };
    let is_none = pointer.none.contains(&stored);
    let (text, target, address) = match &pointer.target {
        Target::Own(_) => (Item::Unset, Item::Unset, UNPLACED),
        Target::Element if is_none => (Item::Unset, Item::Absent, UNPLACED),
        Target::Element => (Item::Unset, Item::Unset, UNPLACED),
        Target::Pooled(..) if is_none => (Item::Absent, Item::Absent, UNPLACED),
        Target::Pooled(text) => {
            let base = pointer.base.map(|base| eval(cx, f, base, None));
            let address = target(cx.core_mut(), base, stored, pointer.skip.into(), at)?;
            let item = pooled(cx, f, row, pointer.kind, text, address)?;
            (item.clone(), item, address)
        }
    };
    if pointer.logged {
        let epoch = cx.core().epoch;
        let class = by_epoch(pointer.class, epoch).copied();
        let class = class.unwrap_or(super::super::labels::Class::Object);
        let set = pointer.kind_none != Some(stored);
        let (kind, section, list) = (pointer.kind, pointer.section, pointer.list);
        cx.core_mut().label(cell, kind, section, class, list, set, f.owner, text);
    }
    Ok(super::pointer_item(cell, stored, target, address))
}

/// Reads a text of a pool, or finds it again.
fn pooled<'i, R: Reader<'i>>(
    cx: &mut R,
    f: &mut Frame<'i>,
    row: &'static Row,
    kind: u16,
    text: &'static Pooled,
    address: u64,
) -> Read<Item<'i>> {
    if let Some(item) = cx.core_mut().known_text(address, kind)? {
        return Ok(item);
    }
    let mut cursor = Cursor::new(address, cx.core().length());
    let item = match text {
        Pooled::Kind => {
            let Some(Some(ty)) = cx.core().tables.texts.get(usize::from(kind)) else {
                return Ok(Item::Absent);
            };
            let mut frame = Frame::new(f.owner, 0);
            read_item(cx, &mut frame, &super::tables::NO_ROW, ty, &mut cursor)?
        }
        Pooled::Row(ty) => read_item(cx, f, row, ty, &mut cursor)?,
    };
    cx.core_mut().texts.insert((address, kind), item.clone());
    Ok(item)
}

/// Reads elements as items.
fn read_array<'i, R: Reader<'i>>(
    cx: &mut R,
    f: &mut Frame<'i>,
    row: &'static Row,
    array: &'static Array,
    cursor: &mut Cursor<'i>,
) -> Read<Item<'i>> {
    let first = cursor.at;
    let last = matches!(array.count, Count::Last(_));
    let element = array.element.within(cx.core().epoch);
    let (items, starts) = elements(cx, f, row, array, cursor, |cx, f, cursor| {
        let item = read_item(cx, f, row, element, cursor)?;
        let it = if last { Val::of(&item) } else { Val::None };
        Ok((item, it))
    })?;
    let plain = |cell: &Cell| {
        matches!(cell.storage, Storage::Fixed(..))
            && !matches!(
                cell.meaning,
                Meaning::Word(_) | Meaning::WordNode(_) | Meaning::DirectWord(_)
            )
    };
    let starts = match element {
        Ty::Cell(cell) if plain(cell) => Vec::new(),
        _ => starts,
    };
    Ok(super::array_item(items, first, cursor.at, starts))
}

/// Reads elements with `one`, which also says what a rule for the last one looks at.
pub(super) fn elements<'i, R: Reader<'i>, T>(
    cx: &mut R,
    f: &mut Frame<'i>,
    row: &'static Row,
    array: &'static Array,
    cursor: &mut Cursor<'i>,
    mut one: impl FnMut(&mut R, &mut Frame<'i>, &mut Cursor<'i>) -> Read<(T, Val<'i>)>,
) -> Read<(Vec<T>, Vec<u64>)> {
    let (index, loc) = (f.index, f.loc);
    let count = match array.count {
        Count::Is(e) => Some(count(cx, f, e, cursor.at)?),
        Count::Fill | Count::Last(_) => None,
    };
    let (mut values, mut starts) = (Vec::new(), Vec::new());
    let mut position: u32 = 0;
    loop {
        let more = match (count, array.count) {
            (Some(count), _) => u64::from(position) < count,
            (None, Count::Fill) => cursor.bits.is_some() || cursor.remaining() > 0,
            _ => true,
        };
        if !more {
            break;
        }
        f.index = Some(position);
        f.loc = loc.map(|loc| Loc { index: Some(position), ..loc });
        let start = cursor.at;
        let read = element(cx, f, row, array, cursor, &mut one);
        let (value, last) = read.map_err(|error| error.in_index(position as usize))?;
        values.push(value);
        starts.push(start);
        position = position.saturating_add(1);
        if last {
            break;
        }
    }
    (f.index, f.loc) = (index, loc);
    Ok((values, starts))
}

/// Reads one element, and says whether it is the last.
fn element<'i, R: Reader<'i>, T>(
    cx: &mut R,
    f: &mut Frame<'i>,
    row: &'static Row,
    array: &'static Array,
    cursor: &mut Cursor<'i>,
    one: &mut impl FnMut(&mut R, &mut Frame<'i>, &mut Cursor<'i>) -> Read<(T, Val<'i>)>,
) -> Read<(T, bool)> {
    let start = cursor.at;
    cx.core_mut().charge(4, start)?;
    let (value, it) = match array.stride {
        None => {
            let read = one(cx, f, cursor)?;
            if let RowKind::Pool(to @ 2..) = row.kind {
                pad(cx.core(), cursor, to)?;
            }
            read
        }
        Some(e) => {
            let size = count(cx, f, e, cursor.at)?;
            let mut inside = stride(cursor, size)?;
            let read = one(cx, f, &mut inside)?;
            exactly(&mut inside)?;
            cursor.at = inside.limit;
            read
        }
    };
    if matches!(array.count, Count::Fill) && cursor.at == start && cursor.bits.is_none() {
        return Err(empty_element(start));
    }
    let last = match array.count {
        Count::Last(e) => holds(cx, f, e, Some(&it), cursor.at)?,
        _ => false,
    };
    Ok((value, last))
}

/// Reads what is in a region with `inner`.
///
/// # Errors
///
/// That of `inner`, or if it does not fill the region.
pub fn within<'i, R: Reader<'i>, T>(
    cx: &mut R,
    f: &mut Frame<'i>,
    row: &'static Row,
    region: &'static Region,
    cursor: &mut Cursor<'i>,
    inner: impl FnOnce(&mut R, &mut Frame<'i>, &mut Cursor<'i>) -> Read<T>,
) -> Read<T> {
    cx.core_mut().come_to(cursor);
    let at = cursor.at;
    let room = match region.extent {
        Extent::Size(_, room) => room,
        Extent::Rest => cursor.room,
        Extent::End(_) | Extent::Terminated(_) => false,
    };
    let end = match &region.extent {
        Extent::Size(e, _) => {
            let size = count(cx, f, *e, cursor.at)?;
            sized(cursor, size)?
        }
        Extent::End(e) => {
            let end = count(cx, f, *e, cursor.at)?;
            ending(cursor, end)?
        }
        Extent::Rest => cursor.limit,
        Extent::Terminated(terminator) => {
            let (core, index) = (cx.core_mut(), f.index);
            let (spelling, spelled) = (&mut f.spelling, row.spelled);
            let (end, next) = terminated(core, cursor, terminator, spelling, spelled, index)?;
            let mut inside = Cursor::new(at, end);
            let value = inner(cx, f, &mut inside)?;
            exactly(&mut inside)?;
            cursor.at = next;
            return Ok(value);
        }
    };
    let Some(trim) = &region.trim else {
        let mut inside = Cursor::new(at, end);
        inside.room = room;
        let value = inner(cx, f, &mut inside)?;
        exactly(&mut inside)?;
        cursor.at = end;
        return Ok(value);
    };
    let (content, length) = trimmed(cx.core(), at, end, trim)?;
    let mut inside = Cursor::new(at, content);
    let value = inner(cx, f, &mut inside)?;
    exactly(&mut inside)?;
    let spelled = row.spelled;
    keep_tail(cx.core(), at, end, length, trim, room, &mut f.spelling, spelled, f.index)?;
    cursor.at = end;
    Ok(value)
}

/// Reads elements as values.
///
/// # Errors
///
/// That of an element, or if there are too few bytes.
pub fn list<'i, R: Reader<'i>, T>(
    cx: &mut R,
    f: &mut Frame<'i>,
    row: &'static Row,
    array: &'static Array,
    cursor: &mut Cursor<'i>,
    mut one: impl FnMut(&mut R, &mut Frame<'i>, &mut Cursor<'i>) -> Read<T>,
) -> Read<(Vec<T>, Item<'i>)> {
    let first = cursor.at;
    let (values, starts) = elements(cx, f, row, array, cursor, |cx, f, cursor| {
        one(cx, f, cursor).map(|value| (value, Val::None))
    })?;
    let item = super::counted_item(values.len(), first, cursor.at, starts);
    Ok((values, item))
}

/// Reads elements of which each is built from its item.
///
/// # Errors
///
/// That of an element, or if there are too few bytes.
pub fn list_of<'i, R: Reader<'i>, T: super::Build<'i, R>>(
    cx: &mut R,
    f: &mut Frame<'i>,
    row: &'static Row,
    array: &'static Array,
    cursor: &mut Cursor<'i>,
) -> Read<(Vec<T>, Item<'i>)> {
    let first = cursor.at;
    let (values, starts) = elements(cx, f, row, array, cursor, |cx, f, cursor| {
        let item = read_item(cx, f, row, &array.element, cursor)?;
        let it = Val::of(&item);
        Ok((T::build(cx, &item)?, it))
    })?;
    let item = super::counted_item(values.len(), first, cursor.at, starts);
    Ok((values, item))
}

/// Reads numbers of whole bytes one behind the other, in one go.
///
/// # Errors
///
/// If there are too few bytes.
pub fn numbers<'i, R: Reader<'i>, T>(
    cx: &mut R,
    f: &mut Frame<'i>,
    array: &'static Array,
    cursor: &mut Cursor<'i>,
    convert: impl Fn(u64) -> T,
) -> Read<(Vec<T>, Item<'i>)> {
    let first = cursor.at;
    let (Count::Is(e), Ty::Cell(Cell { storage: Storage::Fixed(width, _, order), .. })) =
        (array.count, array.element.within(cx.core().epoch))
    else {
        return Ok((Vec::new(), Item::Absent));
    };
    let count = count(cx, f, e, cursor.at)?;
    let big = big(cx, f, *width, *order, cursor.at)?;
    let bytes = super::bulk(cx.core_mut(), cursor, count, *width)?;
    let units = bytes.chunks_exact(usize::from(*width).max(1));
    let values: Vec<T> = units.map(|unit| convert(load(unit, 0, *width, big))).collect();
    let item = super::counted_item(values.len(), first, cursor.at, Vec::new());
    Ok((values, item))
}
