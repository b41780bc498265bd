//! Catalogues of translations by hand.

use std::borrow::Cow;

use crate::cursor::{be32, find, le32, Cursor};

formwork::schema!("mo");

pub fn read(bytes: &[u8]) -> Option<File<'_>> {
    let magic = bytes.first_chunk::<4>()?;
    let catalogue = match magic {
        b"\xde\x12\x04\x95" => catalogue(bytes, le32)?,
        b"\x95\x04\x12\xde" => catalogue(bytes, be32)?,
        _ => return None,
    };
    Some(File { magic: Cow::Borrowed(magic), catalogue, ..File::default() })
}

#[inline(always)]
fn catalogue(bytes: &[u8], u32: impl Fn(&[u8], usize) -> u32 + Copy) -> Option<Catalogue<'_>> {
    let b = bytes.first_chunk::<28>()?;
    let count = u32(b, 8) as usize;
    let messages = |at: u32| {
        let table = Cursor::at(bytes, at.into())?.many(count, 8)?;
        let mut list = Vec::with_capacity(count);
        for b in table.chunks_exact(8) {
            let mut text = Cursor::at(bytes, u32(b, 4).into())?;
            let mut text = text.take((u32(b, 0) as usize).checked_add(1)?)?;
            let mut forms = Vec::with_capacity(1);
            while !text.is_empty() {
                let end = find(text, 0)?;
                forms.push(Cow::Borrowed(&text[..end]));
                text = &text[end + 1..];
            }
            list.push(Message { forms, ..Message::default() });
        }
        Some(list)
    };
    let (originals, translations) = (messages(u32(b, 12))?, messages(u32(b, 16))?);
    let hashes = Cursor::at(bytes, u32(b, 24).into())?.many(u32(b, 20) as usize, 4)?;
    let hashes = hashes.chunks_exact(4).map(|b| u32(b, 0)).collect();
    // Texts that depend on the system are not read by hand.
    let revision = Some(u32(b, 4)).filter(|revision| revision % 0x10000 == 0)?;
    Some(Catalogue { revision, originals, translations, hashes, ..Catalogue::default() })
}

pub fn write(file: &File<'_>) -> Option<Vec<u8>> {
    match &*file.magic {
        b"\xde\x12\x04\x95" => put(file, u32::to_le_bytes),
        b"\x95\x04\x12\xde" => put(file, u32::to_be_bytes),
        _ => None,
    }
}

#[inline(always)]
fn put(file: &File<'_>, u32: impl Fn(u32) -> [u8; 4] + Copy) -> Option<Vec<u8>> {
    let Catalogue { revision, originals, translations, hashes, .. } = &file.catalogue;
    let tables = originals.len() * 16;
    if originals.len() != translations.len() {
        return None;
    }
    let all = || originals.iter().chain(translations);
    let texts: usize = all().flat_map(|m| &m.forms).map(|form| form.len() + 1).sum();
    let end = 28 + tables + hashes.len() * 4;
    u32::try_from(end + texts).ok()?;
    let mut out = Vec::with_capacity(end + texts);
    out.extend_from_slice(&file.magic);
    out.extend_from_slice(&u32(*revision));
    let numbers = [originals.len(), 28, 28 + tables / 2, hashes.len(), 28 + tables];
    for number in numbers {
        out.extend_from_slice(&u32(number as u32));
    }
    let mut at = end;
    for message in all() {
        let size: usize = message.forms.iter().map(|form| form.len() + 1).sum();
        out.extend_from_slice(&u32(size.checked_sub(1)? as u32));
        out.extend_from_slice(&u32(at as u32));
        at += size;
    }
    for hash in hashes {
        out.extend_from_slice(&u32(*hash));
    }
    for form in all().flat_map(|message| &message.forms) {
        if find(form, 0).is_some() {
            return None;
        }
        out.extend_from_slice(form);
        out.push(0);
    }
    Some(out)
}
