//! What a generator would emit for the tree as a flat arena: one node of 16 bytes each in the order
//! of the file, arrays in pools, and a cursor to look at them. Tags are as in the file, so forms
//! are kept for nothing.
use crate::hand::{self, step};
use crate::tables::{read_tables, Tables};
use formwork::{Endian, ReadError, ReadErrorKind, ReadOptions};
use formwork::algorithms::{load_uint, read_varint, sign_extend, slice, varint_width, GroupOrder};
use formwork::engine::Budget;
use harness::sink::{Fill, Sink};

#[derive(Default)]
pub struct Arena {
    pub unknown: u32,
    pub date: u32,
    pub tables: Tables,
    nodes: Vec<Flat>,
    records: Vec<FlatRecord>,
    blocks: Vec<u32>,
    /// Of the sizes of blocks; empty if all are the shortest.
    block_widths: Vec<u8>,
    words: Vec<u32>,
    bytes: Vec<u8>,
    long: Vec<[u32; 3]>,
}
/// `value` is the number, or where it begins in its pool; `length` that of an array, in elements.
#[derive(Clone, Copy)]
struct Flat {
    tag: u8,
    /// Of the size, if it is not the shortest.
    width: u8,
    length: u32,
    value: u64,
}
const RECORD: u8 = 0x80;
#[derive(Clone, Copy)]
struct FlatRecord {
    /// Bits 5 to 7; below them the width of the size, if it is not the shortest.
    flags: u8,
    version: u8,
    name: u16,
    /// Behind the last node below it.
    end: u32,
    first_block: u32,
    blocks: u32,
}

/// A node, and below it all of its children.
#[derive(Clone, Copy)]
pub struct NodeRef<'t> {
    tree: &'t Arena,
    at: u32,
}
#[derive(Clone, Copy)]
pub struct RecordRef<'t> {
    tree: &'t Arena,
    record: FlatRecord,
    first: u32,
}
pub enum Value<'t> {
    Bool(bool),
    Signed(i64),
    Unsigned(u64),
    F32(f32),
    F64(f64),
    Coord2([f32; 2]),
    Coord3([f32; 3]),
    Utf16(&'t str),
    Ascii(&'t str),
    U8s(&'t [u8]),
    U32s(&'t [u32]),
    I32s(&'t [u32]),
    F32s(&'t [u32]),
    Asciis(&'t [u32]),
    Record(RecordRef<'t>),
}
impl<'t> NodeRef<'t> {
    #[must_use]
    pub fn value(self) -> Value<'t> {
        let n = self.tree.nodes[self.at as usize];
        let words = || &self.tree.words[n.value as usize..][..n.length as usize];
        match n.tag {
            0x01 | 0x12 | 0x13 => Value::Bool(n.value != 0),
            0x02..=0x05 | 0x10 | 0x19..=0x1c => Value::Signed(n.value as i64),
            0x0a | 0x1d => Value::F32(f32::from_bits(n.value as u32)),
            0x0b => Value::F64(f64::from_bits(n.value)),
            0x0c => Value::Coord2([
                f32::from_bits(n.value as u32),
                f32::from_bits((n.value >> 32) as u32),
            ]),
            0x0d => Value::Coord3(self.tree.long[n.value as usize].map(f32::from_bits)),
            0x0e => Value::Utf16(self.tree.tables.utf16(n.value as u32)),
            0x0f => Value::Ascii(self.tree.tables.ascii(n.value as u32)),
            0x46 => Value::U8s(&self.tree.bytes[n.value as usize..][..n.length as usize]),
            0x4a => Value::F32s(words()),
            0x4f => Value::Asciis(words()),
            0x44 | 0x5a..=0x5c => Value::I32s(words()),
            0x48 | 0x56..=0x58 => Value::U32s(words()),
            RECORD => {
                let record = self.tree.records[n.value as usize];
                Value::Record(RecordRef { tree: self.tree, record, first: self.at + 1 })
            }
            _ => Value::Unsigned(n.value),
        }
    }
}
impl<'t> RecordRef<'t> {
    #[must_use]
    pub fn name(&self) -> &'t str {
        &self.tree.tables.names[usize::from(self.record.name)]
    }
    #[must_use]
    pub fn version(&self) -> u8 {
        self.record.version
    }
    pub fn children(&self) -> impl Iterator<Item = NodeRef<'t>> + use<'t> {
        let (tree, end, mut at) = (self.tree, self.record.end, self.first);
        std::iter::from_fn(move || {
            if at >= end {
                return None;
            }
            let node = NodeRef { tree, at };
            let n = tree.nodes[at as usize];
            at = if n.tag == RECORD { tree.records[n.value as usize].end } else { at + 1 };
            Some(node)
        })
    }
}
impl Arena {
    #[must_use]
    pub fn root(&self) -> NodeRef<'_> {
        NodeRef { tree: self, at: 0 }
    }
    /// Bytes that all pools hold, without what they have room for.
    #[must_use]
    pub fn used(&self) -> usize {
        size_of_val(&self.nodes[..])
            + size_of_val(&self.records[..])
            + 4 * (self.blocks.len() + self.words.len())
            + self.block_widths.len()
            + self.bytes.len()
            + 12 * self.long.len()
    }
}

struct Input<'a> {
    bytes: &'a [u8],
    at: u64,
    budget: Budget,
    out: Arena,
}
#[cold]
#[inline(never)]
fn error(kind: ReadErrorKind, at: u64) -> ReadError {
    ReadError::new(kind, at)
}
impl<'a> Input<'a> {
    #[inline(always)]
    fn uint(&mut self, width: u8) -> Result<u64, ReadError> {
        let value = load_uint(self.bytes, self.at, width, Endian::Little)?;
        self.at += u64::from(width);
        Ok(value)
    }
    #[inline(always)]
    fn int(&mut self, width: u8) -> Result<u64, ReadError> {
        Ok(sign_extend(self.uint(width)?, u32::from(width) * 8) as u64)
    }
    #[inline(always)]
    fn uint24(&mut self) -> Result<u64, ReadError> {
        let value = load_uint(self.bytes, self.at, 3, Endian::Big)?;
        self.at += 3;
        Ok(value)
    }
    #[inline(always)]
    fn size(&mut self) -> Result<(u64, u8), ReadError> {
        let (value, width) = read_varint(self.bytes, self.at, GroupOrder::MsbFirst, 5, 32)?;
        self.at += u64::from(width);
        Ok((value, if width == varint_width(value) { 0 } else { width }))
    }
    #[inline(always)]
    fn key(&self, key: u64, known: &[u32]) -> Result<u64, ReadError> {
        match known.get(key as usize) {
            Some(place) if *place != u32::MAX => Ok(key),
            _ => Err(error(
                ReadErrorKind::IndexOutOfRange { index: key.into(), count: known.len() as u64 },
                self.at,
            )),
        }
    }
    fn region(&self, size: u64) -> Result<u64, ReadError> {
        slice(self.bytes, self.at, size)?;
        Ok(self.at + size)
    }
    fn ends(&self, end: u64) -> Result<(), ReadError> {
        if self.at == end {
            return Ok(());
        }
        Err(error(ReadErrorKind::TrailingBytes { remaining: end.abs_diff(self.at) }, self.at))
    }

    #[inline(never)]
    fn record(&mut self, tag: u8, root: bool) -> Result<(), ReadError> {
        let at = self.at;
        self.budget.enter().map_err(|kind| error(kind, at))?;
        let (name, version) = if root || tag & 0x20 != 0 {
            (self.uint(2)? as u16, self.uint(1)? as u8)
        } else {
            ((u16::from(tag) & 1) << 8 | self.uint(1)? as u16, (tag & 0x1e) >> 1)
        };
        if usize::from(name) >= self.out.tables.names.len() {
            let count = self.out.tables.names.len() as u64;
            return Err(error(ReadErrorKind::IndexOutOfRange { index: name.into(), count }, at));
        }
        let (size, width) = self.size()?;
        let blocks = if tag & 0x40 != 0 { Some(self.size()?.0) } else { None };
        let end = self.region(size)?;
        let me = self.out.records.len();
        self.out.nodes.push(Flat { tag: RECORD, width: 0, length: 0, value: me as u64 });
        let first_block = self.out.blocks.len();
        let (flags, count) = (tag & 0xe0 | width, blocks.unwrap_or(0) as u32);
        self.out.records.push(FlatRecord {
            flags,
            version,
            name,
            end: 0,
            first_block: first_block as u32,
            blocks: count,
        });
        match blocks {
            None => self.list(end)?,
            Some(count) => {
                // Each block has a size of at least a byte, so no more of them can follow.
                if count > size {
                    return Err(error(
                        ReadErrorKind::UnexpectedEnd { needed: count, remaining: size },
                        at,
                    ));
                }
                self.out.blocks.resize(first_block + count as usize, 0);
                for k in first_block..first_block + count as usize {
                    let (size, width) = self.size()?;
                    if width != 0 {
                        self.out.block_widths.resize(k + 1, 0);
                        self.out.block_widths[k] = width;
                    }
                    let end = self.region(size)?;
                    self.list(end)?;
                    self.out.blocks[k] = self.out.nodes.len() as u32;
                }
            }
        }
        self.out.records[me].end = self.out.nodes.len() as u32;
        self.ends(end)?;
        self.budget.leave();
        Ok(())
    }

    fn list(&mut self, end: u64) -> Result<(), ReadError> {
        while self.at < end {
            let at = self.at;
            let tag = self.uint(1)? as u8;
            self.budget.charge(1).map_err(|kind| error(kind, at))?;
            let value = match tag {
                0x12 | 0x15 => 1,
                0x13 | 0x14 | 0x19 | 0x1d => 0,
                0x01 | 0x06 | 0x16 => self.uint(1)?,
                0x02 | 0x1a => self.int(1)?,
                0x07 | 0x17 => self.uint(2)?,
                0x03 | 0x10 | 0x1b => self.int(2)?,
                0x18 => self.uint24()?,
                0x1c => sign_extend(self.uint24()?, 24) as u64,
                0x04 => self.int(4)?,
                0x08 | 0x0a => self.uint(4)?,
                0x0e => {
                    let key = self.uint(4)?;
                    self.key(key, &self.out.tables.by16)?
                }
                0x0f => {
                    let key = self.uint(4)?;
                    self.key(key, &self.out.tables.by8)?
                }
                0x05 | 0x09 | 0x0b | 0x0c => self.uint(8)?,
                0x0d => {
                    let all = [self.uint(4)? as u32, self.uint(4)? as u32, self.uint(4)? as u32];
                    self.out.long.push(all);
                    self.out.long.len() as u64 - 1
                }
                0x80.. => {
                    self.record(tag, false)?;
                    continue;
                }
                _ => {
                    let flat = self.array(tag, at)?;
                    self.out.nodes.push(flat);
                    continue;
                }
            };
            self.out.nodes.push(Flat { tag, width: 0, length: 0, value });
        }
        self.ends(end)
    }

    #[inline(never)]
    fn array(&mut self, tag: u8, at: u64) -> Result<Flat, ReadError> {
        let Some(stride) = stride(tag) else {
            let (union_name, tag) = ("Node".into(), tag.to_string().into());
            return Err(error(ReadErrorKind::UnknownTag { union_name, tag }, at));
        };
        let (size, width) = self.size()?;
        let b = slice(self.bytes, self.at, size)?;
        self.at += size;
        if size % u64::from(stride) != 0 {
            return Err(error(ReadErrorKind::SizeNotMultiple { size, stride: stride.into() }, at));
        }
        self.budget.charge(size).map_err(|kind| error(kind, at))?;
        let out = &mut self.out;
        let length = (b.len() / usize::from(stride)) as u32;
        if tag == 0x46 {
            let value = out.bytes.len() as u64;
            out.bytes.extend_from_slice(b);
            return Ok(Flat { tag, width, length, value });
        }
        let value = out.words.len() as u64;
        let wide = |x: &[u8]| u32::from_be_bytes([0, x[0], x[1], x[2]]);
        match tag {
            0x56 => out.words.extend(b.iter().map(|x| u32::from(*x))),
            0x5a => out.words.extend(b.iter().map(|x| *x as i8 as u32)),
            0x57 => out
                .words
                .extend(b.chunks_exact(2).map(|x| u32::from(u16::from_le_bytes([x[0], x[1]])))),
            0x5b => {
                out.words.extend(b.chunks_exact(2).map(|x| i16::from_le_bytes([x[0], x[1]]) as u32))
            }
            0x58 => out.words.extend(b.chunks_exact(3).map(wide)),
            0x5c => {
                out.words.extend(b.chunks_exact(3).map(|x| sign_extend(wide(x).into(), 24) as u32))
            }
            _ => out.words.extend(
                b.chunks_exact(4).map(|x| x.first_chunk().map_or(0, |x| u32::from_le_bytes(*x))),
            ),
        }
        if tag == 0x4f {
            for &key in &self.out.words[value as usize..] {
                self.key(key.into(), &self.out.tables.by8)?;
            }
        }
        Ok(Flat { tag, width, length, value })
    }
}
/// Bytes of an element of an array as stored.
fn stride(tag: u8) -> Option<u8> {
    match tag {
        0x46 | 0x56 | 0x5a => Some(1),
        0x57 | 0x5b => Some(2),
        0x58 | 0x5c => Some(3),
        0x44 | 0x48 | 0x4a | 0x4f => Some(4),
        _ => None,
    }
}

pub fn read(bytes: &[u8]) -> Result<Arena, ReadError> {
    read_into(bytes, Vec::new())
}
fn read_into(bytes: &[u8], nodes: Vec<Flat>) -> Result<Arena, ReadError> {
    let unknown = load_uint(bytes, 4, 4, Endian::Little)? as u32;
    let date = load_uint(bytes, 8, 4, Endian::Little)? as u32;
    let tables = read_tables(bytes, load_uint(bytes, 12, 4, Endian::Little)?)?;
    let budget = Budget::new(bytes.len() as u64, &ReadOptions::default());
    let out = Arena { unknown, date, tables, nodes, ..Arena::default() };
    let mut input = Input { bytes, at: 16, budget, out };
    let tag = input.uint(1)? as u8;
    input.record(tag, true)?;
    Ok(input.out)
}
/// The same with room for the nodes beforehand: one for every five bytes of the file, which is a
/// bound on memory whatever the file says, and not one on the nodes.
pub fn read_reserved(bytes: &[u8]) -> Result<Arena, ReadError> {
    read_into(bytes, Vec::with_capacity(bytes.len() / 5))
}
/// The same, with pools that give back what they do not need.
pub fn read_shrunk(bytes: &[u8]) -> Result<Arena, ReadError> {
    let mut a = read(bytes)?;
    a.nodes.shrink_to_fit();
    a.records.shrink_to_fit();
    a.blocks.shrink_to_fit();
    a.words.shrink_to_fit();
    a.bytes.shrink_to_fit();
    Ok(a)
}

fn varint(value: u64, width: u8) -> u64 {
    width.max(varint_width(value)).into()
}
fn put_varint(sink: &mut impl Sink, value: u64, width: u8) {
    sink.fill_with(varint(value, width), |b| {
        let (mut value, mut more) = (value, 0);
        for place in b.iter_mut().rev() {
            *place = (value & 0x7f) as u8 | more;
            more = 0x80;
            value >>= 7;
        }
    });
}
/// Bytes behind the tag of a scalar as stored.
#[inline(always)]
fn scalar_width(tag: u8) -> Option<u8> {
    Some(match tag {
        0x12..=0x15 | 0x19 | 0x1d => 0,
        0x01 | 0x02 | 0x06 | 0x16 | 0x1a => 1,
        0x03 | 0x07 | 0x10 | 0x17 | 0x1b => 2,
        0x18 | 0x1c => 3,
        0x04 | 0x08 | 0x0a | 0x0e | 0x0f => 4,
        0x05 | 0x09 | 0x0b | 0x0c => 8,
        0x0d => 12,
        _ => return None,
    })
}

struct Writer<'t> {
    tree: &'t Arena,
    record_sizes: Vec<u32>,
    block_sizes: Vec<u32>,
}
impl Writer<'_> {
    fn block_width(&self, block: usize) -> u8 {
        self.tree.block_widths.get(block).copied().unwrap_or(0)
    }
    /// The size of the nodes in `from..end`, noting that of every record and block below.
    fn measure(&mut self, from: u32, end: u32) -> u64 {
        let (tree, mut at, mut size) = (self.tree, from, 0);
        while at < end {
            let n = tree.nodes[at as usize];
            size += 1;
            at += 1;
            if let Some(width) = scalar_width(n.tag) {
                size += u64::from(width);
            } else if n.tag != RECORD {
                let bytes = u64::from(n.length) * u64::from(stride(n.tag).unwrap_or(4));
                size += varint(bytes, n.width) + bytes;
            } else {
                let r = tree.records[n.value as usize];
                let mut body = 0;
                if r.flags & 0x40 != 0 {
                    let mut first = at;
                    for k in r.first_block..r.first_block + r.blocks {
                        let end = tree.blocks[k as usize];
                        let block = self.measure(first, end);
                        self.block_sizes[k as usize] = block as u32;
                        body += varint(block, self.block_width(k as usize)) + block;
                        first = end;
                    }
                    size += varint(r.blocks.into(), 0);
                } else {
                    body = self.measure(at, r.end);
                }
                self.record_sizes[n.value as usize] = body as u32;
                let head = if n.value == 0 || r.flags & 0x20 != 0 { 3 } else { 1 };
                size += head + varint(body, r.flags & 7) + body;
                at = r.end;
            }
        }
        size
    }
    fn fill(&self, from: u32, end: u32, sink: &mut Fill) {
        let (tree, mut at) = (self.tree, from);
        while at < end {
            let n = tree.nodes[at as usize];
            at += 1;
            let b = n.value.to_le_bytes();
            match n.tag {
                0x12..=0x15 | 0x19 | 0x1d => sink.bytes(&[n.tag]),
                0x01 | 0x02 | 0x06 | 0x16 | 0x1a => sink.bytes(&[n.tag, b[0]]),
                0x03 | 0x07 | 0x10 | 0x17 | 0x1b => sink.bytes(&[n.tag, b[0], b[1]]),
                0x18 | 0x1c => sink.bytes(&[n.tag, b[2], b[1], b[0]]),
                0x04 | 0x08 | 0x0a | 0x0e | 0x0f => sink.bytes(&[n.tag, b[0], b[1], b[2], b[3]]),
                0x05 | 0x09 | 0x0b | 0x0c => {
                    sink.bytes(&[n.tag, b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]])
                }
                0x0d => {
                    sink.bytes(&[n.tag]);
                    tree.long[n.value as usize].iter().for_each(|v| sink.bytes(&v.to_le_bytes()));
                }
                RECORD => {
                    let r = tree.records[n.value as usize];
                    if n.value == 0 || r.flags & 0x20 != 0 {
                        let [low, high] = r.name.to_le_bytes();
                        sink.bytes(&[r.flags & 0xe0, low, high, r.version]);
                    } else {
                        let [high, low] = r.name.to_be_bytes();
                        sink.bytes(&[r.flags & 0xe0 | r.version << 1 | high, low]);
                    }
                    put_varint(sink, self.record_sizes[n.value as usize].into(), r.flags & 7);
                    if r.flags & 0x40 != 0 {
                        put_varint(sink, r.blocks.into(), 0);
                        let mut first = at;
                        for k in r.first_block..r.first_block + r.blocks {
                            put_varint(
                                sink,
                                self.block_sizes[k as usize].into(),
                                self.block_width(k as usize),
                            );
                            let end = tree.blocks[k as usize];
                            self.fill(first, end, sink);
                            first = end;
                        }
                    } else {
                        self.fill(at, r.end, sink);
                    }
                    at = r.end;
                }
                tag => {
                    let stride = stride(tag).unwrap_or(4);
                    let bytes = u64::from(n.length) * u64::from(stride);
                    sink.bytes(&[tag]);
                    put_varint(sink, bytes, n.width);
                    if tag == 0x46 {
                        sink.bytes(&tree.bytes[n.value as usize..][..n.length as usize]);
                        continue;
                    }
                    let v = &tree.words[n.value as usize..][..n.length as usize];
                    sink.fill_with(bytes, |b| match stride {
                        1 => b.iter_mut().zip(v).for_each(|(b, v)| *b = *v as u8),
                        2 => b
                            .chunks_exact_mut(2)
                            .zip(v)
                            .for_each(|(b, v)| b.copy_from_slice(&(*v as u16).to_le_bytes())),
                        3 => b
                            .chunks_exact_mut(3)
                            .zip(v)
                            .for_each(|(b, v)| b.copy_from_slice(&v.to_be_bytes()[1..])),
                        _ => b
                            .chunks_exact_mut(4)
                            .zip(v)
                            .for_each(|(b, v)| b.copy_from_slice(&v.to_le_bytes())),
                    });
                }
            }
        }
    }
}

/// `None` if there is no memory for the file.
pub fn write(tree: &Arena) -> Option<Vec<u8>> {
    let mut writer = Writer {
        tree,
        record_sizes: vec![0; tree.records.len()],
        block_sizes: vec![0; tree.blocks.len()],
    };
    let count = tree.nodes.len() as u32;
    let nodes = writer.measure(0, count);
    let mut sink = Fill::new(16 + nodes + tree.tables.size()).ok()?;
    sink.bytes(&[0xca, 0xab, 0, 0]);
    sink.bytes(&tree.unknown.to_le_bytes());
    sink.bytes(&tree.date.to_le_bytes());
    sink.bytes(&(16 + nodes as u32).to_le_bytes());
    writer.fill(0, count, &mut sink);
    tree.tables.write(&mut sink);
    sink.finish().ok()
}

/// Through the cursor, as a program would.
pub fn sum(tree: &Arena) -> u64 {
    fn go(t: &Tables, node: NodeRef, s: &mut u64) {
        match node.value() {
            Value::Bool(v) => step(s, v.into()),
            Value::Signed(v) => step(s, v as u64),
            Value::Unsigned(v) => step(s, v),
            Value::F32(v) => step(s, v.to_bits().into()),
            Value::F64(v) => step(s, v.to_bits()),
            Value::Coord2(v) => v.iter().for_each(|v| step(s, v.to_bits().into())),
            Value::Coord3(v) => v.iter().for_each(|v| step(s, v.to_bits().into())),
            Value::Utf16(v) | Value::Ascii(v) => step(s, v.len() as u64),
            Value::U8s(v) => v.iter().for_each(|v| step(s, (*v).into())),
            Value::U32s(v) | Value::F32s(v) => v.iter().for_each(|v| step(s, (*v).into())),
            Value::I32s(v) => v.iter().for_each(|v| step(s, *v as i32 as u64)),
            Value::Asciis(v) => v.iter().for_each(|v| step(s, t.ascii(*v).len() as u64)),
            Value::Record(r) => {
                step(s, r.name().len() as u64 + u64::from(r.version()));
                r.children().for_each(|n| go(t, n, s));
            }
        }
    }
    let mut s = 1;
    go(&tree.tables, tree.root(), &mut s);
    s
}

/// Against the checksum of the hand-written tree.
#[must_use]
pub fn same(tree: &Arena, other: &hand::Tree) -> bool {
    sum(tree) == hand::sum(other)
}
