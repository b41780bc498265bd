//! What a terminal can do, by hand, and by the crate `terminfo`.

use std::borrow::Cow;

use crate::cursor::{find, le16, le32, Cursor};

formwork::schema!("terminfo");

type Text<'a> = Option<Cow<'a, [u8]>>;

pub fn read(bytes: &[u8]) -> Option<File<'_>> {
    let mut file = Cursor(bytes);
    let b = file.block::<12>()?;
    let format = le16(b, 0);
    if !matches!(format, 0x011a | 0x021e) {
        return None;
    }
    let size = |at: usize| usize::from(le16(b, at));
    let (name_size, flag_count) = (size(2), size(4));
    let names = file.take(name_size)?;
    let names = &names[..find(names, 0).unwrap_or(names.len())];
    let flags = flags(file.take(flag_count)?);
    pad(&mut file, (name_size + flag_count) % 2)?;
    let numbers = match numbers(&mut file, format, size(6))? {
        Both::Short(list) => Numbers::Short(NumbersShort { list }),
        Both::Long(list) => Numbers::Long(NumbersLong { list }),
    };
    let places = file.many(size(8), 2)?;
    let texts = texts(places, file.take(size(10))?)?;
    let is_extended = !file.0.is_empty();
    let extended = if is_extended {
        pad(&mut file, size(10) % 2)?;
        Some(extended(&mut file, format)?)
    } else {
        None
    };
    let names = Cow::Borrowed(names);
    let spelling = formwork::Spelling::default();
    file.0.is_empty().then_some(File {
        format,
        names,
        flags,
        numbers,
        texts,
        is_extended,
        extended,
        spelling,
    })
}

fn extended<'a>(file: &mut Cursor<'a>, format: u16) -> Option<Extended<'a>> {
    let b = file.block::<10>()?;
    let size = |at: usize| usize::from(le16(b, at));
    let (flag_count, number_count, text_count) = (size(0), size(2), size(4));
    let flags = flags(file.take(flag_count)?);
    pad(file, flag_count % 2)?;
    let numbers = match numbers(file, format, number_count)? {
        Both::Short(list) => NumbersCase::Short(NumbersShort2 { list }),
        Both::Long(list) => NumbersCase::Long(NumbersLong2 { list }),
    };
    let places = file.many(text_count, 2)?;
    let name_count = flag_count + number_count + text_count;
    let name_places = file.many(name_count, 2)?;
    let table = file.take(size(8))?;
    let texts = texts(places, table)?;
    // Names stand behind the texts, of which there are so many.
    let mut behind = Cursor(table);
    for _ in 0..size(6).checked_sub(name_count)? {
        behind.until(0)?;
    }
    let mut names = Vec::with_capacity(name_count);
    for b in name_places.chunks_exact(2) {
        names.push(text(behind.0, le16(b, 0).into())?);
    }
    Some(Extended { flags, numbers, texts, names, ..Extended::default() })
}

fn pad(file: &mut Cursor<'_>, size: usize) -> Option<()> {
    file.take(size)?.iter().all(|b| *b == 0).then_some(())
}

fn flags(bytes: &[u8]) -> Vec<Flag> {
    bytes.iter().map(|b| Flag(*b)).collect()
}

enum Both {
    Short(Vec<i16>),
    Long(Vec<i32>),
}

fn numbers(file: &mut Cursor<'_>, format: u16, count: usize) -> Option<Both> {
    Some(if format == 0x011a {
        let list = file.many(count, 2)?.chunks_exact(2);
        Both::Short(list.map(|b| le16(b, 0) as i16).collect())
    } else {
        let list = file.many(count, 4)?.chunks_exact(4);
        Both::Long(list.map(|b| le32(b, 0) as i32).collect())
    })
}

fn texts<'a>(places: &[u8], table: &'a [u8]) -> Option<Vec<Text<'a>>> {
    let mut list = Vec::with_capacity(places.len() / 2);
    for b in places.chunks_exact(2) {
        list.push(match le16(b, 0) {
            0xfffe | 0xffff => None,
            place => Some(text(table, place.into())?),
        });
    }
    Some(list)
}

fn text(table: &[u8], place: usize) -> Option<Cow<'_, [u8]>> {
    let text = table.get(place..)?;
    Some(Cow::Borrowed(&text[..find(text, 0)?]))
}

/// The capabilities that terminals have.
pub fn peer(bytes: &[u8]) -> Option<u64> {
    ::terminfo::Database::from_buffer(bytes).ok().map(|found| found.name().len() as u64)
}
