//! Candidates for writing. Every one gives the same bytes for the same value.
use crate::generated::*;
use crate::runtime::*;
use formwork::{Problem, ProblemKind, WriteError};
use formwork::path::Path;
use harness::sink::{Fill, Measure, Sink};

/// Where a walk notes addresses, and where it finds them: the first pass notes the address of each
/// object in the order of the walk, the second looks them up in the order of the pointers.
pub trait Places {
    fn place(&mut self, at: u64);
    fn next(&mut self) -> u64;
}
#[derive(Default)]
pub struct Noted(Vec<u32>);
impl Places for Noted {
    #[inline(always)]
    fn place(&mut self, at: u64) {
        // A position beyond `u32` is a problem that the caller of the walk reports once.
        self.0.push(at as u32);
    }
    #[inline(always)]
    fn next(&mut self) -> u64 {
        0
    }
}
pub struct Known<'a>(std::slice::Iter<'a, u32>);
impl Places for Known<'_> {
    #[inline(always)]
    fn place(&mut self, _: u64) {}
    #[inline(always)]
    fn next(&mut self) -> u64 {
        self.0.next().copied().unwrap_or(0).into()
    }
}

/// What both passes share.
pub struct Output<P, O> {
    pub places: P,
    pub problems: Vec<Problem>,
    pub pool: u64,
    pub end: u64,
    pub order: O,
}

#[cold]
#[inline(never)]
fn too_long(length: usize, index: usize, problems: &mut Vec<Problem>) {
    let mut path = Path::new();
    path.push("recs");
    path.push(index);
    path.push("name");
    let kind = ProblemKind::DoesNotFit { value: length.to_string().into(), ty: "u16".into() };
    problems.push(Problem::new(path, kind));
}
#[cold]
#[inline(never)]
fn no_ext(index: usize, problems: &mut Vec<Problem>) {
    let mut path = Path::new();
    path.push("recs");
    path.push(index);
    path.push("ext");
    problems.push(Problem::new(path, ProblemKind::MissingField));
}

#[inline(always)]
fn fill_rec<'i, C: Choice<'i>, O: Order, const STRIDE: usize>(
    b: &mut [u8],
    r: &RecOf<'i, C>,
    i: usize,
    name: u64,
    order: O,
) {
    name.put(b, 0, order);
    r.t[0].put(b, 8, order);
    r.t[1].put(b, 12, order);
    r.t[2].put(b, 16, order);
    C::word(&r.flags).put(b, 20, order);
    C::stored_index(&r.index, i).put(b, 24, order);
    r.parent.put(b, 26, order);
    if STRIDE == 44 {
        if let Some(e) = &r.ext {
            e.a.put(b, 28, order);
            e.b.put(b, 32, order);
            e.c.put(b, 36, order);
            e.d.put(b, 40, order);
        }
    }
}

fn head<O: Order>(b: &mut [u8], version: u32, count: usize, pool: u64, end: u64, order: O) {
    b[..4].copy_from_slice(b"SKLT");
    version.put(b, 4, order);
    0xfeff_u16.put(b, 8, order);
    40u16.put(b, 10, order);
    (count as u32).put(b, 12, order);
    40u64.put(b, 16, order);
    pool.put(b, 24, order);
    end.put(b, 32, order);
}

/// How the walk uses the sink.
pub mod how {
    /// A call for each block, and for each part of a text.
    pub const PARTS: u8 = 0;
    /// The table is one run of the sink; texts in parts.
    pub const TABLE: u8 = 1;
    /// The table is one run, and so is each text.
    pub const RUNS: u8 = 2;
    /// The same; addresses are counted again by the fill instead of being noted.
    pub const COUNTED: u8 = 3;
}

/// Bytes of a text with its length, end byte and padding.
#[inline(always)]
fn text_size(length: usize) -> u64 {
    (length as u64 + 4) & !1
}

/// The layout, written once.
fn walk<'i, C: Choice<'i>, S: Sink, P: Places, O: Order, const STRIDE: usize, const HOW: u8>(
    model: &Model<RecOf<'i, C>>,
    sink: &mut S,
    out: &mut Output<P, O>,
) {
    let order = out.order;
    sink.block::<40>(|b| head(b, model.version, model.recs.len(), out.pool, out.end, order));
    if HOW != how::PARTS {
        let places = &mut out.places;
        let mut next = out.pool;
        sink.fill_with((model.recs.len() * STRIDE) as u64, |table| {
            for (i, (b, r)) in table.chunks_exact_mut(STRIDE).zip(&model.recs).enumerate() {
                let name = if HOW == how::COUNTED { next } else { places.next() };
                fill_rec::<C, O, STRIDE>(b, r, i, name, order);
                if HOW == how::COUNTED {
                    next += text_size(r.name.as_ref().len());
                }
            }
        });
    } else {
        for (i, r) in model.recs.iter().enumerate() {
            let places = &mut out.places;
            sink.block::<STRIDE>(|b| fill_rec::<C, O, STRIDE>(b, r, i, places.next(), order));
        }
    }
    out.pool = sink.position();
    for (i, r) in model.recs.iter().enumerate() {
        if HOW != how::COUNTED {
            out.places.place(sink.position());
        }
        let name = r.name.as_ref().as_bytes();
        if HOW < how::RUNS {
            if !sink.uint(name.len() as u64, 2, order.endian()) {
                too_long(name.len(), i, &mut out.problems);
            }
            sink.bytes(name);
            sink.zeros(1);
            sink.align(2);
        } else {
            if name.len() > usize::from(u16::MAX) {
                too_long(name.len(), i, &mut out.problems);
            }
            sink.fill_with(text_size(name.len()), |b| {
                (name.len() as u16).put(b, 0, order);
                if let Some(b) = b.get_mut(2..).and_then(|b| b.get_mut(..name.len())) {
                    b.copy_from_slice(name);
                }
            });
        }
        if STRIDE == 44 && r.ext.is_none() {
            no_ext(i, &mut out.problems);
        }
    }
    out.end = sink.position();
}

fn two_walks<'i, C: Choice<'i>, O: Order, const STRIDE: usize, const HOW: u8>(
    model: &Model<RecOf<'i, C>>,
    order: O,
) -> Result<Vec<u8>, WriteError> {
    let mut measure = Measure::new();
    let places = Noted(Vec::with_capacity(if HOW == how::COUNTED { 0 } else { model.recs.len() }));
    let mut out = Output { places, problems: Vec::new(), pool: 0, end: 0, order };
    walk::<C, _, _, O, STRIDE, HOW>(model, &mut measure, &mut out);
    WriteError::check(out.problems)?;
    let mut fill = Fill::new(measure.position()).map_err(|kind| Problem::new(Path::new(), kind))?;
    let places = Known(out.places.0.iter());
    let mut out = Output { places, problems: Vec::new(), pool: out.pool, end: out.end, order };
    walk::<C, _, _, O, STRIDE, HOW>(model, &mut fill, &mut out);
    WriteError::check(out.problems)?;
    fill.finish().map_err(|mismatch| too_large(mismatch.measured))
}

#[cold]
#[inline(never)]
fn too_large(limit: u64) -> WriteError {
    Problem::new(Path::new(), ProblemKind::TooLarge { limit }).into()
}

/// One walk over any sink, twice, with addresses in a list.
pub fn write<'i, C: Choice<'i>, O: Order, const HOW: u8>(
    model: &Model<RecOf<'i, C>>,
    order: O,
) -> Result<Vec<u8>, WriteError> {
    if model.version >= 10 {
        two_walks::<C, O, 44, HOW>(model, order)
    } else {
        two_walks::<C, O, 28, HOW>(model, order)
    }
}

/// Appends, notes where pointers stand, and stores each when its object is placed.
pub fn append_and_patch<'i, C: Choice<'i>, O: Order>(
    model: &Model<RecOf<'i, C>>,
    order: O,
) -> Result<Vec<u8>, WriteError> {
    fn go<'i, C: Choice<'i>, O: Order, const STRIDE: usize>(
        model: &Model<RecOf<'i, C>>,
        order: O,
    ) -> Result<Vec<u8>, WriteError> {
        let mut problems = Vec::new();
        let mut out = Vec::new();
        let mut patches: Vec<u32> = Vec::with_capacity(model.recs.len());
        out.extend_from_slice(&[0; 40]);
        for (i, r) in model.recs.iter().enumerate() {
            patches.push(out.len() as u32);
            let mut block = [0; STRIDE];
            fill_rec::<C, O, STRIDE>(&mut block, r, i, 0, order);
            out.extend_from_slice(&block);
            if STRIDE == 44 && r.ext.is_none() {
                no_ext(i, &mut problems);
            }
        }
        let pool = out.len() as u64;
        for (i, (r, patch)) in model.recs.iter().zip(&patches).enumerate() {
            let at = out.len() as u64;
            at.put(&mut out, *patch as usize, order);
            let name = r.name.as_ref().as_bytes();
            if name.len() > usize::from(u16::MAX) {
                too_long(name.len(), i, &mut problems);
            }
            let length = name.len() as u16;
            out.extend_from_slice(&if order.is_big() {
                length.to_be_bytes()
            } else {
                length.to_le_bytes()
            });
            out.extend_from_slice(name);
            out.extend_from_slice(if name.len() % 2 == 0 { &[0, 0] } else { &[0] });
        }
        let end = out.len() as u64;
        head(&mut out[..40], model.version, model.recs.len(), pool, end, order);
        WriteError::check(problems)?;
        Ok(out)
    }
    if model.version >= 10 {
        go::<C, O, 44>(model, order)
    } else {
        go::<C, O, 28>(model, order)
    }
}

/// Measures the two regions, then fills both at once, as the best hand-written code does: a
/// generator could only do so where a table and what it points to lie in the same order.
pub fn write_regions<'i, C: Choice<'i>, O: Order>(
    model: &Model<RecOf<'i, C>>,
    order: O,
) -> Result<Vec<u8>, WriteError> {
    const STRIDE: usize = 44;
    let mut problems = Vec::new();
    let mut size = 0;
    for (i, r) in model.recs.iter().enumerate() {
        let length = r.name.as_ref().len();
        if length > usize::from(u16::MAX) {
            too_long(length, i, &mut problems);
        }
        if r.ext.is_none() {
            no_ext(i, &mut problems);
        }
        size += text_size(length);
    }
    WriteError::check(problems)?;
    let pool = 40 + model.recs.len() * STRIDE;
    let end = pool as u64 + size;
    let mut fill = Fill::new(end).map_err(|kind| Problem::new(Path::new(), kind))?;
    fill.fill_with(end, |all| {
        let (first, all) = all.split_at_mut(40);
        head(first, model.version, model.recs.len(), pool as u64, end, order);
        let (table, mut texts) = all.split_at_mut(pool - 40);
        let mut at = pool as u64;
        for (i, (b, r)) in table.chunks_exact_mut(STRIDE).zip(&model.recs).enumerate() {
            fill_rec::<C, O, STRIDE>(b, r, i, at, order);
            let name = r.name.as_ref().as_bytes();
            let size = text_size(name.len());
            let (b, rest) = texts.split_at_mut(size as usize);
            (name.len() as u16).put(b, 0, order);
            b[2..2 + name.len()].copy_from_slice(name);
            texts = rest;
            at += size;
        }
    });
    fill.finish().map_err(|mismatch| too_large(mismatch.measured))
}
