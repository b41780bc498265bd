//! What a generator would emit for the tree as owned nodes: an enum, a boxed record, child lists
//! that drop without recursion. Forms and widths that are not canonical are kept.
use crate::hand;
use crate::tables::{read_tables, Tables};
use formwork::{Endian, ReadError, ReadErrorKind, ReadOptions};
use formwork::algorithms::{load_uint, read_varint, sign_extend, slice, varint_width, GroupOrder};
use formwork::engine::Budget;
use harness::sink::{Fill, Measure, Sink};
use std::ops::Deref;

/// What contains children of its own type somewhere.
pub trait Nested: Sized {
    /// Moves the lists of children below into `out`.
    fn take_children(&mut self, out: &mut Vec<Vec<Self>>);
}

/// A list of children, which alone is dropped without recursion, so that nodes can be taken apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Children<T: Nested>(Vec<T>);
impl<T: Nested> From<Vec<T>> for Children<T> {
    fn from(list: Vec<T>) -> Self {
        Children(list)
    }
}
impl<T: Nested> Deref for Children<T> {
    type Target = Vec<T>;
    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}
impl<T: Nested> Drop for Children<T> {
    fn drop(&mut self) {
        let mut lists = Vec::new();
        for node in &mut self.0 {
            node.take_children(&mut lists);
        }
        while let Some(mut list) = lists.pop() {
            for node in &mut list {
                node.take_children(&mut lists);
            }
        }
    }
}

/// 0 for the canonical form, else the tag that stood there.
pub type Form = u8;

#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    Bool(bool, Form),
    I8(i8),
    I16(i16),
    I32(i32, Form),
    I64(i64),
    U8(u8),
    U16(u16),
    U32(u32, Form),
    U64(u64),
    F32(f32, Form),
    F64(f64),
    Coord2([f32; 2]),
    Coord3([f32; 3]),
    Utf16(u32),
    Ascii(u32),
    Angle(i16),
    U8s(Box<[u8]>, Width),
    I32s(Box<[i32]>, Form),
    U32s(Box<[u32]>, Form),
    F32s(Box<[f32]>, Width),
    Asciis(Box<[u32]>, Width),
    Record(Box<Record>),
}
/// 0 for the shortest form of a size, else its width in bytes.
pub type Width = u8;

#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    pub name: u16,
    pub version: u8,
    pub flags: u8,
    pub width: Width,
    pub body: Body,
}
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    Plain(Children<Node>),
    Nested(Vec<Block>),
}
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    pub children: Children<Node>,
    pub width: Width,
}
impl Nested for Node {
    fn take_children(&mut self, out: &mut Vec<Vec<Node>>) {
        let Node::Record(record) = self else { return };
        match &mut record.body {
            Body::Plain(children) => take(children, out),
            Body::Nested(blocks) => {
                blocks.iter_mut().for_each(|block| take(&mut block.children, out))
            }
        }
    }
}
fn take(children: &mut Children<Node>, out: &mut Vec<Vec<Node>>) {
    if !children.0.is_empty() {
        out.push(std::mem::take(&mut children.0));
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    pub unknown: u32,
    pub date: u32,
    pub tables: Tables,
    pub root: Node,
}

struct Input<'a> {
    bytes: &'a [u8],
    at: u64,
    budget: Budget,
    tables: Tables,
    /// Nodes whose list is still open, so that each list is made once in its final size.
    open: Vec<Node>,
}

#[cold]
#[inline(never)]
fn error(kind: ReadErrorKind, at: u64) -> ReadError {
    ReadError::new(kind, at)
}
#[cold]
#[inline(never)]
fn in_child(error: ReadError, i: usize) -> ReadError {
    error.in_index(i).in_field("children")
}

impl<'a> Input<'a> {
    #[inline(always)]
    fn uint(&mut self, width: u8) -> Result<u64, ReadError> {
        let value = load_uint(self.bytes, self.at, width, Endian::Little)?;
        self.at += u64::from(width);
        Ok(value)
    }
    #[inline(always)]
    fn uint24(&mut self) -> Result<u32, ReadError> {
        let value = load_uint(self.bytes, self.at, 3, Endian::Big)?;
        self.at += 3;
        Ok(value as u32)
    }
    #[inline(always)]
    fn f32(&mut self) -> Result<f32, ReadError> {
        Ok(f32::from_bits(self.uint(4)? as u32))
    }
    #[inline(always)]
    fn size(&mut self) -> Result<(u64, Width), ReadError> {
        let (value, width) = read_varint(self.bytes, self.at, GroupOrder::MsbFirst, 5, 32)?;
        self.at += u64::from(width);
        Ok((value, if width == varint_width(value) { 0 } else { width }))
    }
    fn sized(&mut self, stride: u64) -> Result<(&'a [u8], Width), ReadError> {
        let at = self.at;
        let (size, width) = self.size()?;
        let bytes = slice(self.bytes, self.at, size)?;
        self.at += size;
        if size % stride != 0 {
            return Err(error(ReadErrorKind::SizeNotMultiple { size, stride }, at));
        }
        self.budget.charge(size).map_err(|kind| error(kind, at))?;
        Ok((bytes, width))
    }
    #[inline(always)]
    fn key(&self, key: u32, known: &[u32]) -> Result<u32, ReadError> {
        match known.get(key as usize) {
            Some(place) if *place != u32::MAX => Ok(key),
            _ => Err(error(
                ReadErrorKind::IndexOutOfRange { index: key.into(), count: known.len() as u64 },
                self.at,
            )),
        }
    }

    fn node(&mut self) -> Result<Node, ReadError> {
        let at = self.at;
        let tag = self.uint(1)? as u8;
        // Each node costs a unit beyond its bytes, because some have only the tag.
        self.budget.charge(1).map_err(|kind| error(kind, at))?;
        Ok(match tag {
            0x01 => Node::Bool(self.uint(1)? != 0, 1),
            0x02 => Node::I8(self.uint(1)? as i8),
            0x03 => Node::I16(self.uint(2)? as i16),
            0x04 => Node::I32(self.uint(4)? as i32, 4),
            0x05 => Node::I64(self.uint(8)? as i64),
            0x06 => Node::U8(self.uint(1)? as u8),
            0x07 => Node::U16(self.uint(2)? as u16),
            0x08 => Node::U32(self.uint(4)? as u32, 8),
            0x09 => Node::U64(self.uint(8)?),
            0x0a => {
                let value = self.f32()?;
                Node::F32(value, if value.to_bits() == 0 { 0x0a } else { 0 })
            }
            0x0b => Node::F64(f64::from_bits(self.uint(8)?)),
            0x0c => Node::Coord2([self.f32()?, self.f32()?]),
            0x0d => Node::Coord3([self.f32()?, self.f32()?, self.f32()?]),
            0x0e => {
                let key = self.uint(4)? as u32;
                Node::Utf16(self.key(key, &self.tables.by16)?)
            }
            0x0f => {
                let key = self.uint(4)? as u32;
                Node::Ascii(self.key(key, &self.tables.by8)?)
            }
            0x10 => Node::Angle(self.uint(2)? as i16),
            0x12 => Node::Bool(true, 0),
            0x13 => Node::Bool(false, 0),
            0x14 => Node::U32(0, 0),
            0x15 => Node::U32(1, 0),
            0x16 => unsigned(self.uint(1)? as u32, tag),
            0x17 => unsigned(self.uint(2)? as u32, tag),
            0x18 => unsigned(self.uint24()?, tag),
            0x19 => Node::I32(0, 0),
            0x1a => signed(self.uint(1)? as i8 as i32, tag),
            0x1b => signed(self.uint(2)? as i16 as i32, tag),
            0x1c => signed(sign_extend(self.uint24()?.into(), 24) as i32, tag),
            0x1d => Node::F32(0.0, 0),
            0x80.. => self.record(tag, false)?,
            _ => return self.array(tag, at),
        })
    }

    #[inline(never)]
    fn array(&mut self, tag: u8, at: u64) -> Result<Node, ReadError> {
        let w4 = |x: &[u8]| x.first_chunk().map_or(0, |x| u32::from_le_bytes(*x));
        let stride = match tag {
            0x46 | 0x56 | 0x5a => 1,
            0x57 | 0x5b => 2,
            0x58 | 0x5c => 3,
            0x44 | 0x48 | 0x4a | 0x4f => 4,
            _ => {
                let (union_name, tag) = ("Node".into(), tag.to_string().into());
                return Err(error(ReadErrorKind::UnknownTag { union_name, tag }, at));
            }
        };
        // A width beside a form is left out here: it would go into the record's kept data.
        let (b, width) = self.sized(stride)?;
        Ok(match tag {
            0x46 => Node::U8s(b.into(), width),
            0x44 => Node::I32s(b.chunks_exact(4).map(|x| w4(x) as i32).collect(), tag),
            0x48 => Node::U32s(b.chunks_exact(4).map(w4).collect(), tag),
            0x4a => Node::F32s(b.chunks_exact(4).map(|x| f32::from_bits(w4(x))).collect(), width),
            0x4f => {
                let keys: Box<[u32]> = b.chunks_exact(4).map(w4).collect();
                for &key in &keys {
                    self.key(key, &self.tables.by8)?;
                }
                Node::Asciis(keys, width)
            }
            0x56 => unsigneds(b.iter().map(|&x| x.into()).collect(), tag),
            0x57 => unsigneds(
                b.chunks_exact(2).map(|x| u16::from_le_bytes([x[0], x[1]]).into()).collect(),
                tag,
            ),
            0x58 => unsigneds(
                b.chunks_exact(3).map(|x| u32::from_be_bytes([0, x[0], x[1], x[2]])).collect(),
                tag,
            ),
            0x5a => signeds(b.iter().map(|&x| (x as i8).into()).collect(), tag),
            0x5b => signeds(
                b.chunks_exact(2).map(|x| i16::from_le_bytes([x[0], x[1]]).into()).collect(),
                tag,
            ),
            _ => {
                let wide = |x: &[u8]| {
                    sign_extend(u32::from_be_bytes([0, x[0], x[1], x[2]]).into(), 24) as i32
                };
                signeds(b.chunks_exact(3).map(wide).collect(), tag)
            }
        })
    }

    #[inline(never)]
    fn record(&mut self, tag: u8, root: bool) -> Result<Node, ReadError> {
        let at = self.at;
        self.budget.enter().map_err(|kind| error(kind, at))?;
        let (name, version) = if root || tag & 0x20 != 0 {
            (self.uint(2)? as u16, self.uint(1)? as u8)
        } else {
            ((u16::from(tag) & 1) << 8 | self.uint(1)? as u16, (tag & 0x1e) >> 1)
        };
        if usize::from(name) >= self.tables.names.len() {
            let count = self.tables.names.len() as u64;
            return Err(error(ReadErrorKind::IndexOutOfRange { index: name.into(), count }, at));
        }
        let (size, width) = self.size()?;
        let blocks = if tag & 0x40 != 0 { Some(self.size()?.0) } else { None };
        let end = self.region(size)?;
        let body = match blocks {
            None => Body::Plain(self.children(end)?),
            Some(count) => {
                // Each block has a size of at least a byte, so no more of them can follow.
                if count > size {
                    let remaining = size;
                    return Err(error(
                        ReadErrorKind::UnexpectedEnd { needed: count, remaining },
                        at,
                    ));
                }
                let mut blocks = Vec::with_capacity(count as usize);
                for i in 0..count as usize {
                    let (size, width) = self.size()?;
                    let end = self.region(size)?;
                    let children = match self.children(end) {
                        Ok(children) => children,
                        Err(error) => return Err(error.in_index(i).in_field("blocks")),
                    };
                    blocks.push(Block { children, width });
                }
                Body::Nested(blocks)
            }
        };
        self.ends(end)?;
        self.budget.leave();
        Ok(Node::Record(Box::new(Record { name, version, flags: tag & 0xe0, width, body })))
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
    fn children(&mut self, end: u64) -> Result<Children<Node>, ReadError> {
        let from = self.open.len();
        while self.at < end {
            match self.node() {
                Ok(node) => self.open.push(node),
                Err(error) => return Err(in_child(error, self.open.len() - from)),
            }
        }
        self.ends(end)?;
        Ok(Children(self.open.drain(from..).collect()))
    }
}

fn unsigned(value: u32, tag: u8) -> Node {
    Node::U32(value, if unsigned_form(value).0 == tag { 0 } else { tag })
}
fn signed(value: i32, tag: u8) -> Node {
    Node::I32(value, if signed_form(value).0 == tag { 0 } else { tag })
}
fn unsigneds(values: Box<[u32]>, tag: u8) -> Node {
    let form = if unsigneds_form(&values).0 == tag { 0 } else { tag };
    Node::U32s(values, form)
}
fn signeds(values: Box<[i32]>, tag: u8) -> Node {
    let form = if signeds_form(&values).0 == tag { 0 } else { tag };
    Node::I32s(values, form)
}
fn unsigned_form(v: u32) -> (u8, u8) {
    match v {
        0 => (0x14, 0),
        1 => (0x15, 0),
        2..=0xff => (0x16, 1),
        0x100..=0xffff => (0x17, 2),
        0x1_0000..=0xff_ffff => (0x18, 3),
        _ => (0x08, 4),
    }
}
fn signed_form(v: i32) -> (u8, u8) {
    match v {
        0 => (0x19, 0),
        -0x80..=0x7f => (0x1a, 1),
        -0x8000..=0x7fff => (0x1b, 2),
        -0x80_0000..=0x7f_ffff => (0x1c, 3),
        _ => (0x04, 4),
    }
}
fn unsigneds_form(v: &[u32]) -> (u8, u8) {
    match v.iter().fold(0, |a, b| a | b) {
        0..=0xff => (0x56, 1),
        0x100..=0xffff => (0x57, 2),
        0x1_0000..=0xff_ffff => (0x58, 3),
        _ => (0x48, 4),
    }
}
fn signeds_form(v: &[i32]) -> (u8, u8) {
    // The bits that differ from the sign, of all.
    match v.iter().fold(0, |a, b| a | (b ^ (b >> 31))) {
        ..=0x7f => (0x5a, 1),
        0x80..=0x7fff => (0x5b, 2),
        0x8000..=0x7f_ffff => (0x5c, 3),
        _ => (0x44, 4),
    }
}
/// Width in bytes of a form that was kept.
fn width_of(form: Form) -> u8 {
    match form {
        0x14 | 0x15 | 0x19 => 0,
        0x16 | 0x1a | 0x56 | 0x5a => 1,
        0x17 | 0x1b | 0x57 | 0x5b => 2,
        0x18 | 0x1c | 0x58 | 0x5c => 3,
        _ => 4,
    }
}

pub fn read(bytes: &[u8]) -> Result<Tree, ReadError> {
    let unknown = load_uint(bytes, 4, 4, Endian::Little)? as u32;
    let date = load_uint(bytes, 8, 4, Endian::Little)? as u32;
    let tables = read_tables(bytes, load_uint(bytes, 12, 4, Endian::Little)?)?;
    let budget = Budget::new(bytes.len() as u64, &ReadOptions::default());
    let mut input = Input { bytes, at: 16, budget, tables, open: Vec::new() };
    let tag = input.uint(1)? as u8;
    let root = input.record(tag, true)?;
    Ok(Tree { unknown, date, tables: input.tables, root })
}

/// A pass of the writer: the first notes the size of each region in the order of the walk, the
/// second knows them.
trait Pass {
    type Sink: Sink;
    fn sink(&mut self) -> &mut Self::Sink;
    /// A size, then what `between` writes, then the region of that size.
    fn region(
        &mut self,
        width: Width,
        between: impl FnOnce(&mut Self),
        body: impl FnOnce(&mut Self),
    );
}
struct First {
    sink: Measure,
    sizes: Vec<u32>,
}
struct Second<'a> {
    sink: Fill,
    sizes: std::slice::Iter<'a, u32>,
}
impl Pass for First {
    type Sink = Measure;
    #[inline(always)]
    fn sink(&mut self) -> &mut Measure {
        &mut self.sink
    }
    #[inline(always)]
    fn region(
        &mut self,
        width: Width,
        between: impl FnOnce(&mut Self),
        body: impl FnOnce(&mut Self),
    ) {
        between(self);
        let slot = self.sizes.len();
        self.sizes.push(0);
        let start = self.sink.position();
        body(self);
        let size = self.sink.position() - start;
        self.sizes[slot] = size as u32;
        self.sink.zeros(width.max(varint_width(size)).into());
    }
}
impl Pass for Second<'_> {
    type Sink = Fill;
    #[inline(always)]
    fn sink(&mut self) -> &mut Fill {
        &mut self.sink
    }
    #[inline(always)]
    fn region(
        &mut self,
        width: Width,
        between: impl FnOnce(&mut Self),
        body: impl FnOnce(&mut Self),
    ) {
        let size = self.sizes.next().copied().unwrap_or(0).into();
        put_varint(&mut self.sink, size, width);
        between(self);
        body(self);
    }
}
#[inline]
fn put_varint(sink: &mut impl Sink, value: u64, width: Width) {
    let width = width.max(varint_width(value));
    sink.fill_with(width.into(), |b| {
        let mut value = value;
        let mut more = 0;
        for place in b.iter_mut().rev() {
            *place = (value & 0x7f) as u8 | more;
            more = 0x80;
            value >>= 7;
        }
    });
}
#[inline(always)]
fn tagged<S: Sink, const N: usize>(sink: &mut S, tag: u8, value: [u8; N]) {
    sink.fill_with(1 + N as u64, |b| {
        if let Some((first, rest)) = b.split_first_mut() {
            *first = tag;
            rest.copy_from_slice(&value);
        }
    });
}
#[inline(always)]
fn number(sink: &mut impl Sink, (tag, width): (u8, u8), value: u32) {
    match width {
        0 => tagged(sink, tag, []),
        1 => tagged(sink, tag, [value as u8]),
        2 => tagged(sink, tag, (value as u16).to_le_bytes()),
        3 => {
            let [_, a, b, c] = value.to_be_bytes();
            tagged(sink, tag, [a, b, c]);
        }
        _ => tagged(sink, tag, value.to_le_bytes()),
    }
}
fn numbers<S: Sink>(
    sink: &mut S,
    (tag, width): (u8, u8),
    size_width: Width,
    values: impl ExactSizeIterator<Item = u32>,
) {
    tagged(sink, tag, []);
    let size = values.len() as u64 * u64::from(width);
    put_varint(sink, size, size_width);
    sink.fill_with(size, |b| match width {
        1 => b.iter_mut().zip(values).for_each(|(b, v)| *b = v as u8),
        2 => b
            .chunks_exact_mut(2)
            .zip(values)
            .for_each(|(b, v)| b.copy_from_slice(&(v as u16).to_le_bytes())),
        3 => b
            .chunks_exact_mut(3)
            .zip(values)
            .for_each(|(b, v)| b.copy_from_slice(&v.to_be_bytes()[1..])),
        _ => {
            b.chunks_exact_mut(4).zip(values).for_each(|(b, v)| b.copy_from_slice(&v.to_le_bytes()))
        }
    });
}
fn kept(form: Form, canonical: impl FnOnce() -> (u8, u8)) -> (u8, u8) {
    if form == 0 {
        canonical()
    } else {
        (form, width_of(form))
    }
}

fn write_node<P: Pass>(node: &Node, root: bool, pass: &mut P) {
    let sink = pass.sink();
    match node {
        Node::Bool(v, 0) => tagged(sink, if *v { 0x12 } else { 0x13 }, []),
        Node::Bool(v, _) => tagged(sink, 0x01, [(*v).into()]),
        Node::I8(v) => tagged(sink, 0x02, v.to_le_bytes()),
        Node::I16(v) => tagged(sink, 0x03, v.to_le_bytes()),
        Node::I32(v, form) => number(sink, kept(*form, || signed_form(*v)), *v as u32),
        Node::I64(v) => tagged(sink, 0x05, v.to_le_bytes()),
        Node::U8(v) => tagged(sink, 0x06, [*v]),
        Node::U16(v) => tagged(sink, 0x07, v.to_le_bytes()),
        Node::U32(v, form) => number(sink, kept(*form, || unsigned_form(*v)), *v),
        Node::U64(v) => tagged(sink, 0x09, v.to_le_bytes()),
        Node::F32(v, 0) if v.to_bits() == 0 => tagged(sink, 0x1d, []),
        Node::F32(v, _) => tagged(sink, 0x0a, v.to_le_bytes()),
        Node::F64(v) => tagged(sink, 0x0b, v.to_le_bytes()),
        Node::Coord2([x, y]) => {
            tagged(sink, 0x0c, x.to_le_bytes());
            sink.bytes(&y.to_le_bytes());
        }
        Node::Coord3([x, y, z]) => {
            tagged(sink, 0x0d, x.to_le_bytes());
            sink.bytes(&y.to_le_bytes());
            sink.bytes(&z.to_le_bytes());
        }
        Node::Utf16(v) => tagged(sink, 0x0e, v.to_le_bytes()),
        Node::Ascii(v) => tagged(sink, 0x0f, v.to_le_bytes()),
        Node::Angle(v) => tagged(sink, 0x10, v.to_le_bytes()),
        Node::U8s(v, width) => {
            tagged(sink, 0x46, []);
            put_varint(sink, v.len() as u64, *width);
            sink.bytes(v);
        }
        Node::I32s(v, form) => {
            numbers(sink, kept(*form, || signeds_form(v)), 0, v.iter().map(|x| *x as u32))
        }
        Node::U32s(v, form) => {
            numbers(sink, kept(*form, || unsigneds_form(v)), 0, v.iter().copied())
        }
        Node::F32s(v, width) => numbers(sink, (0x4a, 4), *width, v.iter().map(|x| x.to_bits())),
        Node::Asciis(v, width) => numbers(sink, (0x4f, 4), *width, v.iter().copied()),
        Node::Record(r) => {
            if root || r.flags & 0x20 != 0 {
                let [a, b] = r.name.to_le_bytes();
                tagged(sink, r.flags, [a, b, r.version]);
            } else {
                let [high, low] = r.name.to_be_bytes();
                tagged(sink, r.flags | r.version << 1 | high, [low]);
            }
            pass.region(
                r.width,
                |pass| {
                    if let Body::Nested(blocks) = &r.body {
                        put_varint(pass.sink(), blocks.len() as u64, 0);
                    }
                },
                |pass| match &r.body {
                    Body::Plain(children) => {
                        children.iter().for_each(|node| write_node(node, false, pass))
                    }
                    Body::Nested(blocks) => {
                        for block in blocks {
                            pass.region(
                                block.width,
                                |_| {},
                                |pass| {
                                    block
                                        .children
                                        .iter()
                                        .for_each(|node| write_node(node, false, pass))
                                },
                            );
                        }
                    }
                },
            );
        }
    }
}

/// `None` if there is no memory for the file.
pub fn write(tree: &Tree) -> Option<Vec<u8>> {
    let mut first = First { sink: Measure::new(), sizes: Vec::new() };
    write_node(&tree.root, true, &mut first);
    let nodes = first.sink.position();
    let mut sink = Fill::new(16 + nodes + tree.tables.size()).ok()?;
    sink.bytes(&[0xca, 0xab, 0, 0]);
    sink.bytes(&tree.unknown.to_le_bytes());
    sink.bytes(&tree.date.to_le_bytes());
    sink.bytes(&(16 + nodes as u32).to_le_bytes());
    let mut second = Second { sink, sizes: first.sizes.iter() };
    write_node(&tree.root, true, &mut second);
    tree.tables.write(&mut second.sink);
    second.sink.finish().ok()
}

pub fn sum(tree: &Tree) -> u64 {
    use hand::step;
    fn go(t: &Tables, n: &Node, s: &mut u64) {
        match n {
            Node::Bool(v, _) => step(s, *v as u64),
            Node::I8(v) => step(s, *v as u64),
            Node::I16(v) | Node::Angle(v) => step(s, *v as u64),
            Node::I32(v, _) => step(s, *v as u64),
            Node::I64(v) => step(s, *v as u64),
            Node::U8(v) => step(s, *v as u64),
            Node::U16(v) => step(s, *v as u64),
            Node::U32(v, _) => step(s, *v as u64),
            Node::U64(v) => step(s, *v),
            Node::F32(v, _) => step(s, v.to_bits() as u64),
            Node::F64(v) => step(s, v.to_bits()),
            Node::Coord2(v) => v.iter().for_each(|v| step(s, v.to_bits() as u64)),
            Node::Coord3(v) => v.iter().for_each(|v| step(s, v.to_bits() as u64)),
            Node::Utf16(i) => step(s, t.utf16(*i).len() as u64),
            Node::Ascii(i) => step(s, t.ascii(*i).len() as u64),
            Node::U8s(v, _) => v.iter().for_each(|v| step(s, *v as u64)),
            Node::I32s(v, _) => v.iter().for_each(|v| step(s, *v as u64)),
            Node::U32s(v, _) => v.iter().for_each(|v| step(s, *v as u64)),
            Node::F32s(v, _) => v.iter().for_each(|v| step(s, v.to_bits() as u64)),
            Node::Asciis(v, _) => v.iter().for_each(|i| step(s, t.ascii(*i).len() as u64)),
            Node::Record(r) => {
                step(s, t.names[usize::from(r.name)].len() as u64 + u64::from(r.version));
                match &r.body {
                    Body::Plain(children) => children.iter().for_each(|n| go(t, n, s)),
                    Body::Nested(blocks) => {
                        blocks.iter().for_each(|b| b.children.iter().for_each(|n| go(t, n, s)))
                    }
                }
            }
        }
    }
    let mut s = 1;
    go(&tree.tables, &tree.root, &mut s);
    s
}
