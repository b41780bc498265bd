//! PNG by hand, and by the crate `png`.

use std::borrow::Cow;

use formwork::algorithms::crc32;

use crate::cursor::{ascii, be16, be32, Cursor};

formwork::schema!("png");

const MAGIC: &[u8; 8] = b"\x89PNG\r\n\x1a\n";

pub fn read(bytes: &[u8]) -> Option<File<'_>> {
    let mut file = Cursor(bytes);
    if file.block::<8>()? != MAGIC {
        return None;
    }
    let mut chunks = Vec::new();
    loop {
        let head = file.block::<8>()?;
        let (size, kind) = (be32(head, 0), &head[4..8]);
        let size: usize = size.try_into().ok()?;
        let summed = bytes.get(bytes.len() - file.0.len() - 4..)?.get(..size.checked_add(4)?)?;
        let content = content(kind, file.take(size)?)?;
        // The sum of the same crate: what is measured is what is around it.
        if u32::from_be_bytes(*file.block()?) != crc32(summed) {
            return None;
        }
        chunks.push(Chunk { kind: ascii(kind)?, content });
        if kind == b"IEND" {
            break;
        }
    }
    Some(File { chunks, trailing: Cow::Borrowed(file.0), ..File::default() })
}

fn content<'a>(kind: &[u8], data: &'a [u8]) -> Option<ChunkContent<'a>> {
    let mut rest = Cursor(data);
    Some(match kind {
        b"IHDR" => {
            let b: &[u8; 13] = data.try_into().ok()?;
            let header = ChunkHeader {
                width: be32(b, 0),
                height: be32(b, 4),
                depth: b[8],
                kind: Kind(b[9]),
                compression: b[10],
                filter: b[11],
                interlacing: b[12],
            };
            let is_size = header.width > 0 && header.height > 0;
            if !is_size || !matches!(header.depth, 1 | 2 | 4 | 8 | 16) || header.interlacing > 1 {
                return None;
            }
            ChunkContent::Header(header)
        }
        b"PLTE" => {
            let colours = data.chunks_exact(3);
            colours.remainder().is_empty().then_some(())?;
            let colours = colours.map(|b| Colour { red: b[0], green: b[1], blue: b[2] }).collect();
            ChunkContent::Palette(ChunkPalette { colours })
        }
        b"IDAT" => ChunkContent::Pixels(ChunkPixels { data: Cow::Borrowed(data) }),
        b"IEND" => data.is_empty().then_some(ChunkContent::End)?,
        b"gAMA" => {
            ChunkContent::Gamma(ChunkGamma { gamma: u32::from_be_bytes(data.try_into().ok()?) })
        }
        b"pHYs" => {
            let b: &[u8; 9] = data.try_into().ok()?;
            let unit = Unit(b[8]);
            ChunkContent::Resolution(ChunkResolution { x: be32(b, 0), y: be32(b, 4), unit })
        }
        b"tIME" => {
            let b: &[u8; 7] = data.try_into().ok()?;
            ChunkContent::Time(ChunkTime {
                year: be16(b, 0),
                month: b[2],
                day: b[3],
                hour: b[4],
                minute: b[5],
                second: b[6],
            })
        }
        b"tEXt" => {
            let key = Cow::Borrowed(rest.until(0)?);
            ChunkContent::Words(ChunkWords { key, words: Cow::Borrowed(rest.0) })
        }
        b"zTXt" => {
            let (key, method) = (Cow::Borrowed(rest.until(0)?), rest.u8()?);
            ChunkContent::Packed(ChunkPacked { key, method, words: Cow::Borrowed(rest.0) })
        }
        b"iTXt" => {
            let (key, is_packed, method) = (rest.until(0)?, rest.u8()?, rest.u8()?);
            let language = ascii(rest.until(0)?)?;
            let title = std::str::from_utf8(rest.until(0)?).ok()?;
            ChunkContent::Language(ChunkLanguage {
                key: Cow::Borrowed(key),
                is_packed,
                method,
                language,
                title: Cow::Borrowed(title),
                words: Cow::Borrowed(rest.0),
            })
        }
        _ => ChunkContent::Other(ChunkOther { data: Cow::Borrowed(data) }),
    })
}

pub fn write(file: &File<'_>) -> Option<Vec<u8>> {
    let sizes = file.chunks.iter().map(|chunk| 12 + size(&chunk.content));
    let mut out = Vec::with_capacity(8 + sizes.sum::<usize>() + file.trailing.len());
    out.extend_from_slice(MAGIC);
    let last = file.chunks.iter().position(|chunk| chunk.kind == "IEND")?;
    if last + 1 != file.chunks.len() {
        return None;
    }
    for chunk in &file.chunks {
        let (at, kind) = (out.len(), chunk.kind.as_bytes());
        if kind.len() != 4 || !kind.is_ascii() {
            return None;
        }
        out.extend_from_slice(&[0; 4]);
        out.extend_from_slice(kind);
        put(&mut out, kind, &chunk.content)?;
        let size = u32::try_from(out.len() - at - 8).ok()?;
        out[at..at + 4].copy_from_slice(&size.to_be_bytes());
        let checksum = crc32(&out[at + 4..]);
        out.extend_from_slice(&checksum.to_be_bytes());
    }
    out.extend_from_slice(&file.trailing);
    Some(out)
}

/// About the size of a content; only rare ones differ.
fn size(content: &ChunkContent<'_>) -> usize {
    match content {
        ChunkContent::Pixels(pixels) => pixels.data.len(),
        ChunkContent::Palette(palette) => palette.colours.len() * 3,
        ChunkContent::Words(words) => words.key.len() + 1 + words.words.len(),
        ChunkContent::Packed(packed) => packed.key.len() + 2 + packed.words.len(),
        ChunkContent::Language(of) => of.key.len() + of.words.len() + of.title.len() + 16,
        ChunkContent::Other(other) => other.data.len(),
        _ => 16,
    }
}

fn put(out: &mut Vec<u8>, kind: &[u8], content: &ChunkContent<'_>) -> Option<()> {
    let text = |out: &mut Vec<u8>, text: &[u8]| {
        out.extend_from_slice(text);
        out.push(0);
        (!text.contains(&0)).then_some(())
    };
    match (kind, content) {
        (b"IHDR", ChunkContent::Header(header)) => {
            let is_size = header.width > 0 && header.height > 0;
            if !is_size || !matches!(header.depth, 1 | 2 | 4 | 8 | 16) || header.interlacing > 1 {
                return None;
            }
            out.extend_from_slice(&header.width.to_be_bytes());
            out.extend_from_slice(&header.height.to_be_bytes());
            let rest = [header.compression, header.filter, header.interlacing];
            out.extend_from_slice(&[header.depth, header.kind.0]);
            out.extend_from_slice(&rest);
        }
        (b"PLTE", ChunkContent::Palette(palette)) => {
            out.extend(palette.colours.iter().flat_map(|c| [c.red, c.green, c.blue]));
        }
        (b"IDAT", ChunkContent::Pixels(pixels)) => out.extend_from_slice(&pixels.data),
        (b"IEND", ChunkContent::End) => {}
        (b"gAMA", ChunkContent::Gamma(gamma)) => {
            out.extend_from_slice(&gamma.gamma.to_be_bytes());
        }
        (b"pHYs", ChunkContent::Resolution(of)) => {
            out.extend_from_slice(&of.x.to_be_bytes());
            out.extend_from_slice(&of.y.to_be_bytes());
            out.push(of.unit.0);
        }
        (b"tIME", ChunkContent::Time(of)) => {
            out.extend_from_slice(&of.year.to_be_bytes());
            out.extend_from_slice(&[of.month, of.day, of.hour, of.minute, of.second]);
        }
        (b"tEXt", ChunkContent::Words(of)) => {
            text(out, &of.key)?;
            out.extend_from_slice(&of.words);
        }
        (b"zTXt", ChunkContent::Packed(of)) => {
            text(out, &of.key)?;
            out.push(of.method);
            out.extend_from_slice(&of.words);
        }
        (b"iTXt", ChunkContent::Language(of)) => {
            text(out, &of.key)?;
            out.extend_from_slice(&[of.is_packed, of.method]);
            of.language.is_ascii().then_some(())?;
            text(out, of.language.as_bytes())?;
            text(out, of.title.as_bytes())?;
            out.extend_from_slice(&of.words);
        }
        (
            b"IHDR" | b"PLTE" | b"IDAT" | b"IEND" | b"gAMA" | b"pHYs" | b"tIME" | b"tEXt" | b"zTXt"
            | b"iTXt",
            _,
        ) => return None,
        (_, ChunkContent::Other(other)) => out.extend_from_slice(&other.data),
        _ => return None,
    }
    Some(())
}

/// Header and ancillary chunks up to the first pixels, with their checksums, but not what is behind.
pub fn peer(bytes: &[u8]) -> Option<u64> {
    let reader = ::png::Decoder::new(std::io::Cursor::new(bytes)).read_info().ok()?;
    Some(u64::from(reader.info().width))
}
