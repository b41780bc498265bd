//! GIF by hand, and by the crate `gif`.

use std::borrow::Cow;

use crate::cursor::{ascii, le16, Cursor};

formwork::schema!("gif");

pub fn read(bytes: &[u8]) -> Option<File<'_>> {
    let mut file = Cursor(bytes);
    let b = file.block::<13>()?;
    if &b[..3] != b"GIF" || !matches!(&b[3..6], b"87a" | b"89a") {
        return None;
    }
    let screen = Screen(b[10]);
    let palette = match screen.has_palette() {
        true => Some(palette(&mut file, screen.palette_size())?),
        false => None,
    };
    let mut blocks = Vec::new();
    loop {
        let block = block(&mut file)?;
        let is_end = matches!(block, Block::End);
        blocks.push(block);
        if is_end {
            break;
        }
    }
    Some(File {
        version: ascii(&b[3..6])?,
        width: le16(b, 6),
        height: le16(b, 8),
        screen,
        background: b[11],
        aspect: b[12],
        palette,
        blocks,
        trailing: Cow::Borrowed(file.0),
        ..File::default()
    })
}

fn palette(file: &mut Cursor<'_>, size: u8) -> Option<Vec<Colour>> {
    let bytes = file.take(6 << size)?;
    let colours = bytes.chunks_exact(3);
    Some(colours.map(|b| Colour { red: b[0], green: b[1], blue: b[2] }).collect())
}

fn block<'a>(file: &mut Cursor<'a>) -> Option<Block<'a>> {
    Some(match file.u8()? {
        0x2c => {
            let b = file.block::<9>()?;
            let image = Image(b[8]);
            let palette = match image.has_palette() {
                true => Some(palette(file, image.palette_size())?),
                false => None,
            };
            Block::Image(BlockImage {
                left: le16(b, 0),
                top: le16(b, 2),
                width: le16(b, 4),
                height: le16(b, 6),
                image,
                palette,
                code_size: file.u8()?,
                parts: parts(file)?,
            })
        }
        0x21 => {
            let kind = Kind(file.u8()?);
            let content = if kind == Kind::CONTROL {
                let b = file.block::<6>()?;
                if b[0] != 4 || b[5] != 0 {
                    return None;
                }
                BlockExtensionContent::Control(BlockExtensionControl {
                    frame: Frame(b[1]),
                    delay: le16(b, 2),
                    transparent: b[4],
                    ..BlockExtensionControl::default()
                })
            } else {
                BlockExtensionContent::Other(BlockExtensionOther { parts: parts(file)? })
            };
            Block::Extension(BlockExtension { kind, content })
        }
        0x3b => Block::End,
        _ => return None,
    })
}

fn parts<'a>(file: &mut Cursor<'a>) -> Option<Vec<Part<'a>>> {
    let mut parts = Vec::new();
    loop {
        let size = file.u8()?;
        parts.push(Part { data: Cow::Borrowed(file.take(size.into())?) });
        if size == 0 {
            return Some(parts);
        }
    }
}

pub fn write(file: &File<'_>) -> Option<Vec<u8>> {
    let parts = |parts: &[Part<'_>]| parts.iter().map(|part| part.data.len() + 1).sum::<usize>();
    let size = |block: &Block<'_>| match block {
        Block::Image(image) => 11 + 768 + parts(&image.parts),
        Block::Extension(extension) => match &extension.content {
            BlockExtensionContent::Other(other) => 2 + parts(&other.parts),
            BlockExtensionContent::Control(_) => 8,
        },
        Block::End => 1,
    };
    let size = 13 + 768 + file.blocks.iter().map(size).sum::<usize>() + file.trailing.len();
    let mut out = Vec::with_capacity(size);
    if !matches!(&*file.version, "87a" | "89a") {
        return None;
    }
    out.extend_from_slice(b"GIF");
    out.extend_from_slice(file.version.as_bytes());
    out.extend_from_slice(&file.width.to_le_bytes());
    out.extend_from_slice(&file.height.to_le_bytes());
    out.extend_from_slice(&[file.screen.0, file.background, file.aspect]);
    put_palette(&mut out, file.screen.has_palette(), file.screen.palette_size(), &file.palette)?;
    let end = file.blocks.iter().position(|block| matches!(block, Block::End))?;
    if end + 1 != file.blocks.len() {
        return None;
    }
    for block in &file.blocks {
        match block {
            Block::Image(of) => {
                out.push(0x2c);
                for number in [of.left, of.top, of.width, of.height] {
                    out.extend_from_slice(&number.to_le_bytes());
                }
                out.push(of.image.0);
                let size = of.image.palette_size();
                put_palette(&mut out, of.image.has_palette(), size, &of.palette)?;
                out.push(of.code_size);
                put_parts(&mut out, &of.parts)?;
            }
            Block::Extension(of) => {
                out.extend_from_slice(&[0x21, of.kind.0]);
                match &of.content {
                    BlockExtensionContent::Control(control) if of.kind == Kind::CONTROL => {
                        let [low, high] = control.delay.to_le_bytes();
                        let b = [4, control.frame.0, low, high, control.transparent, 0];
                        out.extend_from_slice(&b);
                    }
                    BlockExtensionContent::Other(other) if of.kind != Kind::CONTROL => {
                        put_parts(&mut out, &other.parts)?;
                    }
                    _ => return None,
                }
            }
            Block::End => out.push(0x3b),
        }
    }
    out.extend_from_slice(&file.trailing);
    Some(out)
}

fn put_palette(out: &mut Vec<u8>, is: bool, size: u8, of: &Option<Vec<Colour>>) -> Option<()> {
    match of {
        Some(colours) if is && colours.len() == 2 << size => {
            out.extend(colours.iter().flat_map(|c| [c.red, c.green, c.blue]));
            Some(())
        }
        None if !is => Some(()),
        _ => None,
    }
}

fn put_parts(out: &mut Vec<u8>, parts: &[Part<'_>]) -> Option<()> {
    let end = parts.iter().position(|part| part.data.is_empty())?;
    if end + 1 != parts.len() {
        return None;
    }
    for part in parts {
        out.push(u8::try_from(part.data.len()).ok()?);
        out.extend_from_slice(&part.data);
    }
    Some(())
}

/// All blocks, their parts joined but not unpacked.
pub fn peer(bytes: &[u8]) -> Option<u64> {
    let mut options = ::gif::DecodeOptions::new();
    options.skip_frame_decoding(true);
    let mut decoder = options.read_info(bytes).ok()?;
    let mut sum = 0;
    while let Some(frame) = decoder.read_next_frame().ok()? {
        sum += frame.buffer.len() as u64;
    }
    Some(sum)
}
