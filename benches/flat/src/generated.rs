//! What a generator would emit for the records, once, with the types that are to be decided as
//! parameters: after compilation each choice is the code that would be emitted for it alone.
use crate::runtime::*;
use crate::{Ext, Flags};
use formwork::{ReadError, ReadErrorKind};
use std::num::NonZeroU16;

/// The word of a record, as stored; the fields are read and set on demand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RecFlags(pub u32);
impl RecFlags {
    pub fn visible(self) -> bool {
        self.0 & 1 != 0
    }
    pub fn kind(self) -> u8 {
        (self.0 >> 1 & 7) as u8
    }
    pub fn group(self) -> u8 {
        (self.0 >> 13) as u8
    }
    pub fn set_kind(&mut self, kind: u8) {
        self.0 = self.0 & !(7 << 1) | (u32::from(kind) & 7) << 1;
    }
}

/// A position in an array, which nothing but such a position can stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WideIndex(pub u16);
/// The same, with the number that means "none" left out, so that `Option` takes no room. The
/// complement is stored, because that is what the standard library has a niche for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NicheIndex(NonZeroU16);
impl NicheIndex {
    #[inline(always)]
    pub fn new(index: u16) -> Option<Self> {
        NonZeroU16::new(!index).map(NicheIndex)
    }
    #[inline(always)]
    pub fn get(self) -> u16 {
        !self.0.get()
    }
}

/// Spelling of a record that no one needs to know who does not ask.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RecKept {
    pub name_end: u16,
}
/// The same for a struct with many spellings: only those that deviate take room.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecKeptBox(pub Option<Box<RecKept>>);

#[derive(Debug, Clone, PartialEq)]
pub struct Rec<N, F, X, K> {
    pub name: N,
    pub t: [f32; 3],
    pub flags: F,
    pub index: X,
    pub parent: i16,
    pub ext: Option<Ext>,
    pub kept: K,
}
#[derive(Debug, Clone, PartialEq)]
pub struct Model<R> {
    pub version: u32,
    pub recs: Vec<R>,
}

/// The field types of one candidate, and how they come from what is stored.
pub trait Choice<'i>: Mode<'i> {
    type Flags;
    type Index;
    type Kept;
    const CHARGED: bool = true;
    /// Whether the end byte and padding of names are looked at.
    const ENDS: bool = false;
    fn flags(word: u32) -> Self::Flags;
    fn word(flags: &Self::Flags) -> u32;
    fn index(stored: u16, position: usize, count: usize) -> Result<Self::Index, u16>;
    fn stored_index(index: &Self::Index, position: usize) -> u16;
    /// `None` if the spelling cannot be kept.
    fn kept(end: u16) -> Option<Self::Kept>;
    fn end(kept: &Self::Kept) -> u16;
}
pub type RecOf<'i, C> = Rec<
    <C as Mode<'i>>::Text,
    <C as Choice<'i>>::Flags,
    <C as Choice<'i>>::Index,
    <C as Choice<'i>>::Kept,
>;

/// The struct, read from its fixed block and what that points to.
macro_rules! read_rec_body {
    ($C:ident, $input:ident, $block:ident, $i:ident, $count:ident) => {{
        let order = $input.order;
        let (name, end) = match $input.text_at(u64::get($block, 0, order), $C::CHARGED) {
            Ok(found) => found,
            Err(error) => return Err(in_element(error, "name", $i)),
        };
        let end = if $C::ENDS { $input.text_end(end)? } else { 0 };
        let Some(kept) = $C::kept(end) else {
            return Err(in_element(not_zero(0), "name", $i));
        };
        let index = match $C::index(u16::get($block, 24, order), $i, $count) {
            Ok(index) => index,
            Err(index) => {
                return Err(in_element(
                    index_out_of_range(index.into(), $count as u64, 24),
                    "index",
                    $i,
                ))
            }
        };
        Rec {
            name: $C::text(name),
            t: [
                f32::get($block, 8, order),
                f32::get($block, 12, order),
                f32::get($block, 16, order),
            ],
            flags: $C::flags(u32::get($block, 20, order)),
            index,
            parent: i16::get($block, 26, order),
            ext: if STRIDE == 44 {
                Some(Ext {
                    a: u32::get($block, 28, order),
                    b: u32::get($block, 32, order),
                    c: f32::get($block, 36, order),
                    d: u32::get($block, 40, order),
                })
            } else {
                None
            },
            kept,
        }
    }};
}

/// Reads the array with the element's rows in the loop.
fn read_recs<'i, C: Choice<'i>, O: Order, const STRIDE: usize>(
    input: &mut Input<'i, O>,
    at: u64,
    count: u64,
) -> Result<Vec<RecOf<'i, C>>, ReadError> {
    let table = input.table(at, count, STRIDE as u64)?;
    let count = count as usize;
    let mut recs = Vec::with_capacity(count);
    for (i, block) in table.chunks_exact(STRIDE).enumerate() {
        recs.push(read_rec_body!(C, input, block, i, count));
    }
    Ok(recs)
}

/// Reads one element; the array calls it.
#[inline]
fn read_rec<'i, C: Choice<'i>, O: Order, const STRIDE: usize>(
    input: &mut Input<'i, O>,
    block: &[u8],
    i: usize,
    count: usize,
) -> Result<RecOf<'i, C>, ReadError> {
    Ok(read_rec_body!(C, input, block, i, count))
}
#[inline(never)]
fn read_rec_called<'i, C: Choice<'i>, O: Order, const STRIDE: usize>(
    input: &mut Input<'i, O>,
    block: &[u8; STRIDE],
    i: usize,
    count: usize,
) -> Result<RecOf<'i, C>, ReadError> {
    Ok(read_rec_body!(C, input, block, i, count))
}
fn read_recs_through<'i, C: Choice<'i>, O: Order, const STRIDE: usize, const CALLED: bool>(
    input: &mut Input<'i, O>,
    at: u64,
    count: u64,
) -> Result<Vec<RecOf<'i, C>>, ReadError> {
    let table = input.table(at, count, STRIDE as u64)?;
    let count = count as usize;
    let mut recs = Vec::with_capacity(count);
    for (i, block) in table.chunks_exact(STRIDE).enumerate() {
        let Some(block) = block.first_chunk::<STRIDE>() else { break };
        recs.push(if CALLED {
            read_rec_called::<C, O, STRIDE>(input, block, i, count)?
        } else {
            read_rec::<C, O, STRIDE>(input, block, i, count)?
        });
    }
    Ok(recs)
}

struct Head {
    version: u32,
    count: u64,
    table: u64,
}
fn read_head<O: Order>(input: &Input<O>) -> Result<Head, ReadError> {
    let block = formwork::algorithms::slice(input.bytes, 0, 40)?;
    if !block.starts_with(b"SKLT") {
        let (expected, actual) = ("SKLT".into(), "another".into());
        return Err(
            ReadError::new(ReadErrorKind::NotEqual { expected, actual }, 0).in_field("magic")
        );
    }
    let order = input.order;
    Ok(Head {
        version: u32::get(block, 4, order),
        count: u32::get(block, 12, order).into(),
        table: u64::get(block, 16, order),
    })
}

pub fn read<'i, C: Choice<'i>, O: Order>(
    bytes: &'i [u8],
    order: O,
) -> Result<Model<RecOf<'i, C>>, ReadError> {
    let mut input = Input::new(bytes, order);
    let head = read_head(&input)?;
    let recs = if head.version >= 10 {
        read_recs::<C, O, 44>(&mut input, head.table, head.count)
    } else {
        read_recs::<C, O, 28>(&mut input, head.table, head.count)
    };
    Ok(Model { version: head.version, recs: recs.map_err(|error| error.in_field("recs"))? })
}
pub fn read_through<'i, C: Choice<'i>, O: Order, const CALLED: bool>(
    bytes: &'i [u8],
    order: O,
) -> Result<Model<RecOf<'i, C>>, ReadError> {
    let mut input = Input::new(bytes, order);
    let head = read_head(&input)?;
    let recs = if head.version >= 10 {
        read_recs_through::<C, O, 44, CALLED>(&mut input, head.table, head.count)
    } else {
        read_recs_through::<C, O, 28, CALLED>(&mut input, head.table, head.count)
    };
    Ok(Model { version: head.version, recs: recs.map_err(|error| error.in_field("recs"))? })
}

pub fn sum<'i, C: Choice<'i>>(model: &Model<RecOf<'i, C>>) -> u64 {
    model.recs.iter().enumerate().fold(1, |s, (i, r)| {
        let e = r.ext.map(|e| [e.a, e.b, e.c.to_bits(), e.d]);
        let name = r.name.as_ref().as_bytes();
        crate::mix(
            s,
            name,
            r.t.map(f32::to_bits),
            C::word(&r.flags),
            C::stored_index(&r.index, i),
            r.parent,
            e,
        )
    })
}

/// Declares a candidate: how text is taken, then the field types.
macro_rules! choice {
    ($(#[$doc:meta])* $name:ident: $mode:ty, $flags:ident, $index:ident, $kept:ident $(, $over:ident = $to:literal)*) => {
        $(#[$doc])*
        pub struct $name;
        impl<'i> Mode<'i> for $name {
            type Text = <$mode as Mode<'i>>::Text;
            #[inline(always)]
            fn text(text: &'i str) -> Self::Text {
                <$mode>::text(text)
            }
        }
        impl<'i> Choice<'i> for $name {
            $(const $over: bool = $to;)*
            choice!(@flags $flags);
            choice!(@index $index);
            choice!(@kept $kept);
        }
    };
    (@flags word) => {
        type Flags = RecFlags;
        #[inline(always)]
        fn flags(word: u32) -> RecFlags {
            RecFlags(word)
        }
        #[inline(always)]
        fn word(flags: &RecFlags) -> u32 {
            flags.0
        }
    };
    (@flags unpacked) => {
        type Flags = Flags;
        #[inline(always)]
        fn flags(word: u32) -> Flags {
            Flags::from_bits(word)
        }
        #[inline(always)]
        fn word(flags: &Flags) -> u32 {
            flags.bits()
        }
    };
    (@index plain) => {
        type Index = u16;
        #[inline(always)]
        fn index(stored: u16, _: usize, _: usize) -> Result<u16, u16> {
            Ok(stored)
        }
        #[inline(always)]
        fn stored_index(index: &u16, _: usize) -> u16 {
            *index
        }
    };
    (@index checked) => {
        type Index = u16;
        #[inline(always)]
        fn index(stored: u16, _: usize, count: usize) -> Result<u16, u16> {
            if stored == u16::MAX || usize::from(stored) < count { Ok(stored) } else { Err(stored) }
        }
        #[inline(always)]
        fn stored_index(index: &u16, _: usize) -> u16 {
            *index
        }
    };
    (@index option) => {
        type Index = Option<WideIndex>;
        #[inline(always)]
        fn index(stored: u16, _: usize, count: usize) -> Result<Self::Index, u16> {
            match stored {
                u16::MAX => Ok(None),
                index if usize::from(index) < count => Ok(Some(WideIndex(index))),
                index => Err(index),
            }
        }
        #[inline(always)]
        fn stored_index(index: &Self::Index, _: usize) -> u16 {
            index.map_or(u16::MAX, |index| index.0)
        }
    };
    (@index niche) => {
        type Index = Option<NicheIndex>;
        #[inline(always)]
        fn index(stored: u16, _: usize, count: usize) -> Result<Self::Index, u16> {
            match NicheIndex::new(stored) {
                Some(index) if usize::from(index.get()) >= count => Err(stored),
                index => Ok(index),
            }
        }
        #[inline(always)]
        fn stored_index(index: &Self::Index, _: usize) -> u16 {
            index.map_or(u16::MAX, NicheIndex::get)
        }
    };
    (@index usually) => {
        type Index = Kept<u16>;
        #[inline(always)]
        fn index(stored: u16, position: usize, _: usize) -> Result<Kept<u16>, u16> {
            Ok(Kept::found(stored, position as u16))
        }
        #[inline(always)]
        fn stored_index(index: &Kept<u16>, position: usize) -> u16 {
            index.get(position as u16)
        }
    };
    (@kept nothing) => {
        type Kept = ();
        #[inline(always)]
        fn kept(end: u16) -> Option<()> {
            (end == 0).then_some(())
        }
        #[inline(always)]
        fn end(_: &()) -> u16 {
            0
        }
    };
    (@kept small) => {
        type Kept = RecKept;
        #[inline(always)]
        fn kept(end: u16) -> Option<RecKept> {
            Some(RecKept { name_end: end })
        }
        #[inline(always)]
        fn end(kept: &RecKept) -> u16 {
            kept.name_end
        }
    };
    (@kept boxed) => {
        type Kept = RecKeptBox;
        #[inline(always)]
        fn kept(end: u16) -> Option<RecKeptBox> {
            Some(RecKeptBox(if end == 0 { None } else { Some(Box::new(RecKept { name_end: end })) }))
        }
        #[inline(always)]
        fn end(kept: &RecKeptBox) -> u16 {
            kept.0.as_ref().map_or(0, |kept| kept.name_end)
        }
    };
}
choice!(CowBorrowed: CowRead, word, plain, nothing);
choice!(CowOwned: CowReadOwned, word, plain, nothing);
choice!(PairBorrowed: StrRead, word, plain, nothing);
choice!(PairOwned: StringReadOwned, word, plain, nothing);
choice!(
    /// Without the account of bytes decoded, for the price of it.
    CowUncharged: CowRead, word, plain, nothing, CHARGED = false
);
choice!(Unpacked: CowRead, unpacked, plain, nothing);
choice!(EndsChecked: CowRead, word, plain, nothing, ENDS = true);
choice!(EndsSmall: CowRead, word, plain, small, ENDS = true);
choice!(EndsBoxed: CowRead, word, plain, boxed, ENDS = true);
choice!(Usually: CowRead, word, usually, nothing);
choice!(UsuallyBoxed: CowRead, word, usually, boxed, ENDS = true);
choice!(IndexChecked: CowRead, word, checked, nothing);
choice!(IndexOption: CowRead, word, option, nothing);
choice!(IndexNiche: CowRead, word, niche, nothing);
