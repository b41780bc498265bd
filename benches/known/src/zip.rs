//! ZIP archives by hand, and by the crate `zip`.

use std::borrow::Cow;

use crate::cursor::{le16, le32, Cursor};

formwork::schema!("zip");

pub fn read(bytes: &[u8]) -> Option<File<'_>> {
    let end: &[u8; 22] = bytes.last_chunk()?;
    if &end[..4] != b"PK\x05\x06" || end[4..8] != [0; 4] || end[20..] != [0; 2] {
        return None;
    }
    let count = le16(end, 10);
    if le16(end, 8) != count {
        return None;
    }
    let (size, start) = (le32(end, 12) as usize, le32(end, 16) as usize);
    let mut directory = Cursor(bytes.get(start..)?.get(..size)?);
    if size < usize::from(count) * 46 {
        return None;
    }
    let mut entries = Vec::with_capacity(count.into());
    for _ in 0..count {
        entries.push(entry(bytes, &mut directory)?);
    }
    // Entries, and nothing else, stand between what they lead to and the end.
    if !directory.0.is_empty() || start + size + end.len() != bytes.len() {
        return None;
    }
    let end = End { entries, ..End::default() };
    Some(File { end, ..File::default() })
}

fn entry<'a>(file: &'a [u8], directory: &mut Cursor<'a>) -> Option<Entry<'a>> {
    let b = directory.block::<46>()?;
    if &b[..4] != b"PK\x01\x02" || b[34..36] != [0; 2] {
        return None;
    }
    let name = directory.take(le16(b, 28).into())?;
    let extra = directory.take(le16(b, 30).into())?;
    let comment = directory.take(le16(b, 32).into())?;
    Some(Entry {
        made_by: le16(b, 4),
        needed: le16(b, 6),
        flags: le16(b, 8),
        method: Method(le16(b, 10)),
        time: le16(b, 12),
        date: le16(b, 14),
        checksum: le32(b, 16),
        size: le32(b, 24),
        attributes: le16(b, 36),
        outside: le32(b, 38),
        local: local(Cursor::at(file, le32(b, 42).into())?, le32(b, 20))?,
        name: Cow::Borrowed(name),
        extra: Cow::Borrowed(extra),
        comment: Cow::Borrowed(comment),
        ..Entry::default()
    })
}

fn local(mut part: Cursor<'_>, packed: u32) -> Option<Local<'_>> {
    let b = part.block::<30>()?;
    if &b[..4] != b"PK\x03\x04" {
        return None;
    }
    let name = part.take(le16(b, 26).into())?;
    let extra = part.take(le16(b, 28).into())?;
    let content = part.take(packed.try_into().ok()?)?;
    let flags = le16(b, 6);
    let sizes = if flags & 8 != 0 {
        let first = le32(part.block::<4>()?, 0);
        if first == 0x0807_4b50 {
            let b = part.block::<12>()?;
            let (checksum, packed_size, size) = (le32(b, 0), le32(b, 4), le32(b, 8));
            Some(Sizes::Marked(SizesMarked { checksum, packed_size, size }))
        } else {
            let b = part.block::<8>()?;
            let (checksum, packed_size, size) = (first.into(), le32(b, 0), le32(b, 4));
            Some(Sizes::Plain(SizesPlain { checksum, packed_size, size }))
        }
    } else {
        None
    };
    Some(Local {
        needed: le16(b, 4),
        flags,
        method: Method(le16(b, 8)),
        time: le16(b, 10),
        date: le16(b, 12),
        checksum: le32(b, 14),
        packed_size: le32(b, 18),
        size: le32(b, 22),
        name: Cow::Borrowed(name),
        extra: Cow::Borrowed(extra),
        content: Cow::Borrowed(content),
        sizes,
    })
}

pub fn write(file: &File<'_>) -> Option<Vec<u8>> {
    let entries = &file.end.entries;
    let size = |entry: &Entry<'_>| {
        let local = &entry.local;
        let names = entry.name.len() + entry.extra.len() + entry.comment.len();
        92 + names + local.name.len() + local.extra.len() + local.content.len()
    };
    let mut out = Vec::with_capacity(22 + entries.iter().map(size).sum::<usize>());
    let mut places = Vec::with_capacity(entries.len());
    for entry in entries {
        places.push(u32::try_from(out.len()).ok()?);
        put_local(&mut out, &entry.local)?;
    }
    let start = u32::try_from(out.len()).ok()?;
    for (entry, place) in entries.iter().zip(places) {
        put_entry(&mut out, entry, place)?;
    }
    let size = u32::try_from(out.len()).ok()? - start;
    let count = u16::try_from(entries.len()).ok()?;
    let mut b = [0; 22];
    b[..4].copy_from_slice(b"PK\x05\x06");
    b[8..10].copy_from_slice(&count.to_le_bytes());
    b[10..12].copy_from_slice(&count.to_le_bytes());
    b[12..16].copy_from_slice(&size.to_le_bytes());
    b[16..20].copy_from_slice(&start.to_le_bytes());
    out.extend_from_slice(&b);
    Some(out)
}

fn put_local(out: &mut Vec<u8>, local: &Local<'_>) -> Option<()> {
    let mut b = [0; 30];
    b[..4].copy_from_slice(b"PK\x03\x04");
    b[4..6].copy_from_slice(&local.needed.to_le_bytes());
    b[6..8].copy_from_slice(&local.flags.to_le_bytes());
    b[8..10].copy_from_slice(&local.method.0.to_le_bytes());
    b[10..12].copy_from_slice(&local.time.to_le_bytes());
    b[12..14].copy_from_slice(&local.date.to_le_bytes());
    b[14..18].copy_from_slice(&local.checksum.to_le_bytes());
    b[18..22].copy_from_slice(&local.packed_size.to_le_bytes());
    b[22..26].copy_from_slice(&local.size.to_le_bytes());
    b[26..28].copy_from_slice(&u16::try_from(local.name.len()).ok()?.to_le_bytes());
    b[28..].copy_from_slice(&u16::try_from(local.extra.len()).ok()?.to_le_bytes());
    out.extend_from_slice(&b);
    out.extend_from_slice(&local.name);
    out.extend_from_slice(&local.extra);
    out.extend_from_slice(&local.content);
    match &local.sizes {
        Some(_) if local.flags & 8 == 0 => return None,
        None if local.flags & 8 != 0 => return None,
        None => {}
        Some(Sizes::Marked(sizes)) => {
            out.extend_from_slice(&0x0807_4b50_u32.to_le_bytes());
            out.extend_from_slice(&sizes.checksum.to_le_bytes());
            out.extend_from_slice(&sizes.packed_size.to_le_bytes());
            out.extend_from_slice(&sizes.size.to_le_bytes());
        }
        Some(Sizes::Plain(sizes)) => {
            let checksum = u32::try_from(sizes.checksum).ok().filter(|n| *n != 0x0807_4b50)?;
            out.extend_from_slice(&checksum.to_le_bytes());
            out.extend_from_slice(&sizes.packed_size.to_le_bytes());
            out.extend_from_slice(&sizes.size.to_le_bytes());
        }
    }
    Some(())
}

fn put_entry(out: &mut Vec<u8>, entry: &Entry<'_>, place: u32) -> Option<()> {
    let mut b = [0; 46];
    b[..4].copy_from_slice(b"PK\x01\x02");
    b[4..6].copy_from_slice(&entry.made_by.to_le_bytes());
    b[6..8].copy_from_slice(&entry.needed.to_le_bytes());
    b[8..10].copy_from_slice(&entry.flags.to_le_bytes());
    b[10..12].copy_from_slice(&entry.method.0.to_le_bytes());
    b[12..14].copy_from_slice(&entry.time.to_le_bytes());
    b[14..16].copy_from_slice(&entry.date.to_le_bytes());
    b[16..20].copy_from_slice(&entry.checksum.to_le_bytes());
    b[20..24].copy_from_slice(&u32::try_from(entry.local.content.len()).ok()?.to_le_bytes());
    b[24..28].copy_from_slice(&entry.size.to_le_bytes());
    b[28..30].copy_from_slice(&u16::try_from(entry.name.len()).ok()?.to_le_bytes());
    b[30..32].copy_from_slice(&u16::try_from(entry.extra.len()).ok()?.to_le_bytes());
    b[32..34].copy_from_slice(&u16::try_from(entry.comment.len()).ok()?.to_le_bytes());
    b[36..38].copy_from_slice(&entry.attributes.to_le_bytes());
    b[38..42].copy_from_slice(&entry.outside.to_le_bytes());
    b[42..].copy_from_slice(&place.to_le_bytes());
    out.extend_from_slice(&b);
    out.extend_from_slice(&entry.name);
    out.extend_from_slice(&entry.extra);
    out.extend_from_slice(&entry.comment);
    Some(())
}

/// The directory alone, whose entries the crate decodes; local headers it looks at when asked.
pub fn peer(bytes: &[u8]) -> Option<u64> {
    ::zip::ZipArchive::new(std::io::Cursor::new(bytes)).ok().map(|archive| archive.len() as u64)
}

/// The directory and all local headers.
pub fn peer_all(bytes: &[u8]) -> Option<u64> {
    let mut archive = ::zip::ZipArchive::new(std::io::Cursor::new(bytes)).ok()?;
    let mut sum = 0;
    for index in 0..archive.len() {
        sum += archive.by_index_raw(index).ok()?.data_start().unwrap_or(0);
    }
    Some(sum)
}
