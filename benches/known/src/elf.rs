//! Programs and libraries by hand, and by the crates `goblin` and `object`.

use std::borrow::Cow;

use crate::cursor::{find, le16, le32, le64, Cursor};

formwork::schema!("elf");

/// Where the texts are that names lead to.
#[derive(Clone, Copy, Default)]
struct Tables<'a> {
    titles: Option<&'a [u8]>,
    symbols: Option<&'a [u8]>,
    exported: Option<&'a [u8]>,
}

pub fn read(bytes: &[u8]) -> Option<File<'_>> {
    let mut file = Cursor(bytes);
    let b = file.block::<64>()?;
    let is_plain = b[9..16] == [0; 7] && le32(b, 0x14) == 1 && le16(b, 0x34) == 0x40;
    if &b[..7] != b"\x7fELF\x02\x01\x01" || !is_plain {
        return None;
    }
    let size = |at: usize| usize::from(le16(b, at));
    let (segment_count, section_count, title_section) = (size(0x38), size(0x3c), size(0x3e));
    let is_size =
        |stored: usize, count: usize, size: usize| stored == if count > 0 { size } else { 0 };
    if !is_size(size(0x36), segment_count, 0x38) || !is_size(size(0x3a), section_count, 0x40) {
        return None;
    }
    let segments = table(bytes, le64(b, 0x20), segment_count, 0x38)?;
    let sections = table(bytes, le64(b, 0x28), section_count, 0x40)?;
    let tables = tables(bytes, sections, title_section)?;
    let segments = segments.chunks_exact(0x38).map(segment).collect();
    let mut list = Vec::with_capacity(section_count);
    for b in sections.chunks_exact(0x40) {
        list.push(section(bytes, b, tables)?);
    }
    Some(File {
        system: b[7],
        system_version: b[8],
        kind: le16(b, 0x10),
        machine: le16(b, 0x12),
        start: le64(b, 0x18),
        segments,
        sections: list,
        flags: le32(b, 0x30),
        title_section: title_section as u16,
        ..File::default()
    })
}

fn table(file: &[u8], at: u64, count: usize, size: usize) -> Option<&[u8]> {
    match (at, count) {
        (0, 0) => Some(&[]),
        (0, _) => None,
        _ => Cursor::at(file, at)?.many(count, size),
    }
}

fn tables<'a>(file: &'a [u8], sections: &[u8], title_section: usize) -> Option<Tables<'a>> {
    let section = |index: usize| sections.chunks_exact(0x40).nth(index);
    let texts =
        |b: &[u8]| Cursor::at(file, le64(b, 0x18))?.take(usize::try_from(le64(b, 0x20)).ok()?);
    let of_kind = |kind: u32| {
        let found = sections.chunks_exact(0x40).find(|b| le32(b, 4) == kind);
        let linked = found.and_then(|b| section(le32(b, 0x28) as usize));
        // There need be no such section; what there is has to be in the file.
        linked.map(texts).map_or(Some(None), |texts| texts.map(Some))
    };
    let titles = section(title_section).map(texts).map_or(Some(None), |texts| texts.map(Some))?;
    Some(Tables { titles, symbols: of_kind(2)?, exported: of_kind(11)? })
}

fn text(table: Option<&[u8]>, at: u64) -> Option<Cow<'_, [u8]>> {
    let text = table?.get(usize::try_from(at).ok()?..)?;
    Some(Cow::Borrowed(&text[..find(text, 0)?]))
}

fn segment(b: &[u8]) -> Segment {
    Segment {
        kind: le32(b, 0),
        flags: le32(b, 4),
        offset: le64(b, 8),
        address: le64(b, 0x10),
        physical: le64(b, 0x18),
        size: le64(b, 0x20),
        room: le64(b, 0x28),
        align: le64(b, 0x30),
    }
}

fn section<'a>(file: &'a [u8], b: &[u8], tables: Tables<'a>) -> Option<Section<'a>> {
    let (kind, offset, size) = (le32(b, 4), le64(b, 0x18), le64(b, 0x20));
    let data = || Cursor::at(file, offset)?.take(usize::try_from(size).ok()?);
    let elements = |size: usize| data().filter(|data| data.len() % size == 0);
    let content = match kind {
        0 | 8 => SectionContent::Nothing(SectionNothing { offset, size }),
        2 => {
            let data = elements(0x18)?;
            let mut symbols = Vec::with_capacity(data.len() / 0x18);
            for b in data.chunks_exact(0x18) {
                symbols.push(SymbolEntrySymbol {
                    name: text(tables.symbols, le32(b, 0).into())?,
                    meaning: Meaning(b[4]),
                    visibility: b[5],
                    section: le16(b, 6),
                    value: le64(b, 8),
                    size: le64(b, 0x10),
                });
            }
            SectionContent::Symbols(SectionSymbols { symbols, ..SectionSymbols::default() })
        }
        11 => {
            let data = elements(0x18)?;
            let mut symbols = Vec::with_capacity(data.len() / 0x18);
            for b in data.chunks_exact(0x18) {
                symbols.push(SymbolEntryExported {
                    name: text(tables.exported, le32(b, 0).into())?,
                    meaning: Meaning(b[4]),
                    visibility: b[5],
                    section: le16(b, 6),
                    value: le64(b, 8),
                    size: le64(b, 0x10),
                });
            }
            SectionContent::Exported(SectionExported { symbols, ..SectionExported::default() })
        }
        3 => SectionContent::Texts(SectionTexts { offset, size }),
        4 => {
            let relocation = |b: &[u8]| Relocation {
                offset: le64(b, 0),
                kind: le32(b, 8),
                symbol: le32(b, 0xc),
                addend: le64(b, 0x10) as i64,
            };
            let relocations = elements(0x18)?.chunks_exact(0x18).map(relocation).collect();
            SectionContent::Added(SectionAdded { relocations, ..SectionAdded::default() })
        }
        6 => {
            let data = elements(0x10)?;
            let mut entries = Vec::with_capacity(data.len() / 0x10);
            for b in data.chunks_exact(0x10) {
                let (tag, number) = (le64(b, 0) as i64, le64(b, 8));
                let value = match tag {
                    1 | 14 | 15 | 29 => {
                        let name = text(tables.exported, number)?;
                        DynamicValue::Library(DynamicLibrary { name })
                    }
                    _ => DynamicValue::Number(DynamicNumber { number }),
                };
                entries.push(Dynamic { tag, value });
            }
            SectionContent::Dynamic(SectionDynamic { entries, ..SectionDynamic::default() })
        }
        14 | 15 => {
            let addresses = elements(8)?.chunks_exact(8).map(|b| le64(b, 0)).collect();
            SectionContent::Starts(SectionStarts { addresses, ..SectionStarts::default() })
        }
        _ => {
            let data = Cow::Borrowed(data()?);
            SectionContent::Other(SectionOther { data, ..SectionOther::default() })
        }
    };
    Some(Section {
        title: text(tables.titles, le32(b, 0).into())?,
        kind: Kind(kind),
        flags: le64(b, 8),
        address: le64(b, 0x10),
        content,
        link: le32(b, 0x28),
        info: le32(b, 0x2c),
        align: le64(b, 0x30),
        entry_size: le64(b, 0x38),
    })
}

/// All symbols with their names, all relocations; `goblin` finds headers and the dynamic section.
pub fn goblin(bytes: &[u8]) -> Option<u64> {
    let elf = goblin::elf::Elf::parse(bytes).ok()?;
    let mut sum = elf.section_headers.len() as u64 + 1;
    for symbol in &elf.syms {
        sum += elf.strtab.get_at(symbol.st_name).map_or(0, |name| name.len() as u64);
    }
    for symbol in &elf.dynsyms {
        sum += elf.dynstrtab.get_at(symbol.st_name).map_or(0, |name| name.len() as u64);
    }
    for (_, section) in &elf.shdr_relocs {
        sum += section.iter().map(|relocation| relocation.r_offset & 1).sum::<u64>();
    }
    Some(sum)
}

/// The same by `object`.
pub fn object(bytes: &[u8]) -> Option<u64> {
    use object::read::elf::ElfFile64;
    use object::{Endianness, Object, ObjectSection, ObjectSymbol};
    let elf = ElfFile64::<Endianness>::parse(bytes).ok()?;
    let mut sum = 1;
    for symbol in elf.symbols().chain(elf.dynamic_symbols()) {
        sum += symbol.name_bytes().map_or(0, |name| name.len() as u64);
    }
    for section in elf.sections() {
        sum += section.name_bytes().map_or(0, |name| name.len() as u64);
        sum += section.relocations().map(|(offset, _)| offset & 1).sum::<u64>();
    }
    Some(sum)
}
