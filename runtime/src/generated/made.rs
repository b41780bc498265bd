//! Values of what the engine has read.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::engine::{self, blocks, Blob, Flat, From, Item, Loc, NodeRef, Numbers, Tree, TOGETHER};
use crate::model::{widened, Role, RowId};
use crate::spelling::{KeptKind, KeptValue, Spelling};
use crate::{Endian, Kept, Utf16};

/// What a value is made of: something in the tree of a file that was read, or something that was
/// kept beside it.
#[derive(Clone, Copy)]
pub struct Seen<'t, 'b> {
    tree: &'t Tree<'t, 'b>,
    what: What<'t>,
}

#[derive(Clone, Copy)]
enum What<'t> {
    Item(Item),
    /// An element that is no other item than its node, with where it is, and the numbers in its rows:
    /// [`TOGETHER`] from one to the next, and absent where they are to be asked for.
    Flat(&'t Flat, &'t [Item]),
    Kept(&'t KeptValue),
}

/// A value that is made of what the engine has read.
///
/// What does not fit gives the default value: it cannot occur, since the types and the engine stand
/// on the same model.
pub trait Made<'b>: Sized + Default {
    /// Records that a struct stands for. Others that are nothing but one of their rows have no types.
    const RECORDS: &'static [u32] = &[];

    /// The value of this, which is no pointer.
    fn made(seen: Seen<'_, 'b>) -> Self;

    /// The value of what is in a row or element.
    fn of(seen: Seen<'_, 'b>) -> Self {
        Self::made(seen.value(Self::RECORDS))
    }
}

impl<'t, 'b> Seen<'t, 'b> {
    /// The root of a file.
    pub fn root(document: &'t engine::Document<'t, 'b>) -> Self {
        Seen { tree: document.tree(), what: What::Item(Item::Node(NodeRef::ROOT)) }
    }

    fn with(self, item: Item) -> Self {
        Seen { what: What::Item(item), ..self }
    }

    /// Through pointers, and through records that are nothing but one of their rows.
    #[inline]
    fn value(self, records: &[u32]) -> Self {
        match self.what {
            What::Item(item @ (Item::Pointer(_) | Item::Node(_))) => self.behind(item, records),
            _ => self,
        }
    }

    fn behind(self, mut item: Item, records: &[u32]) -> Self {
        loop {
            item = self.tree.through(item);
            let Item::Node(node) = item else { break };
            let id = self.tree.record_id(node);
            let only = self.tree.model().records[id.index()].transparent;
            match only.filter(|_| !records.contains(&id.0) && self.tree.case_of(node).is_none()) {
                Some(row) => item = self.tree.entry(Loc::row(node, row)),
                None => break,
            }
        }
        self.with(item)
    }

    fn node(self) -> Option<NodeRef> {
        match self.what {
            What::Item(Item::Node(node)) => Some(node),
            What::Flat(flat, _) => Some(flat.node),
            _ => None,
        }
    }

    /// The record that it is; `u32::MAX` if it is none.
    pub fn record(self) -> u32 {
        if let What::Flat(flat, _) = self.what {
            return flat.record.0;
        }
        self.node().map_or(u32::MAX, |node| self.tree.record_id(node).0)
    }

    /// The case of the union that it is.
    pub fn case(self) -> u32 {
        let case = self.node().and_then(|node| self.tree.case_of(node));
        case.and_then(|(_, case)| u32::try_from(case).ok()).unwrap_or(u32::MAX)
    }

    /// The value of a row of the record.
    pub fn row<T: Made<'b>>(self, row: u32) -> T {
        if let What::Flat(flat, numbers) = self.what {
            match numbers.get((row * TOGETHER) as usize) {
                None | Some(Item::Absent) => {}
                Some(number) => return T::made(self.with(*number)),
            }
            if let Some(item) = self.tree.flat_entry(flat, RowId(row)) {
                let seen = self.with(item);
                return if let Item::Node(_) = item { T::of(seen) } else { T::made(seen) };
            }
        }
        let Some(node) = self.node() else { return T::default() };
        let loc = Loc::row(node, RowId(row));
        let definition = self.tree.row(loc);
        if matches!(definition.role, Role::Derived) && !self.tree.is_data(loc, definition) {
            return T::default();
        }
        T::of(self.with(self.tree.entry(loc)))
    }

    /// A row of the record that usually follows from others.
    pub fn kept<T: Made<'b>>(self, row: u32) -> Kept<T> {
        let Some(node) = self.node() else { return Kept::canonical() };
        let loc = Loc::row(node, RowId(row));
        match self.tree.kept_of(loc, KeptKind::Number) {
            None => Kept::canonical(),
            Some(kept) => {
                let stored = T::of(self.with(self.tree.entry(loc)));
                if matches!(kept.instead_of, KeptValue::None) {
                    return Kept::from(stored);
                }
                let instead_of = Seen { what: What::Kept(&kept.instead_of), ..self };
                Kept::instead_of(stored, T::of(instead_of))
            }
        }
    }

    /// How the record is spelled, except in these rows, which have fields of their own.
    pub fn spelling(self, fields: &[u32]) -> Spelling {
        let Some(node) = self.node() else { return Spelling::default() };
        let own = self.tree.record_id(node);
        // Those of a form, then those of its case: as they are met.
        let mut spelling = self.tree.spelling(node, &|record, _| record != own);
        let of_case = self.tree.spelling(node, &|record, kept| {
            record == own && (kept.kind != KeptKind::Number || !fields.contains(&kept.row.0))
        });
        of_case.entries().iter().for_each(|entry| spelling.keep(entry.clone()));
        self.tree.keep_insides(node, &mut spelling);
        spelling
    }

    /// All bits of a packed word.
    #[allow(clippy::cast_sign_loss)] // They have none.
    pub fn word(self) -> u64 {
        match self.what {
            What::Item(Item::Int(bits)) => bits as u64,
            What::Item(Item::Uint(bits)) => bits,
            _ => self.node().map_or(0, |node| self.tree.word(node)),
        }
    }

    fn is_none(self) -> bool {
        match self.what {
            What::Item(item) => !item.is_there(),
            What::Flat(..) => false,
            What::Kept(kept) => matches!(kept, KeptValue::None),
        }
    }

    /// The integer that it is; 0 if it is none.
    pub fn int(self) -> i128 {
        match self.what {
            What::Item(Item::Bool(yes)) => yes.into(),
            What::Item(item) => self.tree.int(item).unwrap_or(0),
            What::Kept(KeptValue::Int(number)) => *number,
            What::Kept(KeptValue::Bool(yes)) => (*yes).into(),
            What::Flat(..) | What::Kept(_) => 0,
        }
    }

    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn float(self) -> f64 {
        match self.what {
            // With the bits that it has: a conversion may change those of what is no number.
            What::Item(Item::F32(bits)) => f64::from_bits(widened(bits)),
            What::Item(Item::F64(bits)) => f64::from_bits(bits),
            What::Item(_) | What::Flat(..) => self.int() as f64,
            What::Kept(_) => f64::from_bits(self.int() as u64),
        }
    }

    /// The float of four bytes that something else than one is.
    #[cold]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // The bits of one.
    fn single(self) -> f32 {
        match self.what {
            What::Item(_) | What::Flat(..) => self.float() as f32,
            What::Kept(_) => f32::from_bits(self.int() as u32),
        }
    }

    fn text(self) -> Cow<'b, str> {
        match self.what {
            What::Item(Item::Text(blob)) => match self.file_bytes(blob).map(crate::checked_str) {
                Some(Some(text)) => Cow::Borrowed(text),
                _ => Cow::Owned(self.tree.text(blob).into()),
            },
            What::Kept(KeptValue::Text(text)) => Cow::Owned(text.clone()),
            _ => Cow::Borrowed(""),
        }
    }

    fn bytes(self) -> Cow<'b, [u8]> {
        match self.what {
            What::Item(Item::Bytes(blob)) => match self.file_bytes(blob) {
                Some(bytes) => Cow::Borrowed(bytes),
                None => Cow::Owned(self.tree.bytes(blob).into()),
            },
            What::Kept(KeptValue::Bytes(bytes)) => Cow::Owned(bytes.clone()),
            _ => Cow::Borrowed(&[]),
        }
    }

    /// Bytes that are in the file.
    fn file_bytes(self, blob: Blob) -> Option<&'b [u8]> {
        let (start, len) = (blob.start as usize, blob.len as usize);
        let file: &'b [u8] = self.tree.file();
        (blob.from == From::File).then(|| file.get(start..)?.get(..len)).flatten()
    }

    fn utf16(self) -> Utf16 {
        match self.what {
            What::Item(Item::Units(start, len)) => {
                Utf16::from_units(self.tree.units(start, len).to_vec())
            }
            What::Kept(KeptValue::Units(units)) => Utf16::from_units(units.clone()),
            _ => Utf16::from(&*self.text()),
        }
    }

    /// How many elements there are.
    fn count(self) -> u32 {
        match self.what {
            What::Item(Item::Array(array)) => self.tree.count(array),
            _ => 0,
        }
    }

    fn element(self, index: u32) -> Self {
        match self.what {
            What::Item(Item::Array(array)) => {
                self.with(self.tree.element(array, index).unwrap_or(Item::Absent))
            }
            _ => self.with(Item::Absent),
        }
    }
}

macro_rules! integers {
    ($($ty:ty)*) => {$(
        impl<'b> Made<'b> for $ty {
            #[inline]
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // It fits.
            fn made(seen: Seen<'_, 'b>) -> Self {
                seen.int() as $ty
            }
        }
    )*};
}

integers!(u8 u16 u32 u64 i8 i16 i32 i64 i128);

impl<'b> Made<'b> for f32 {
    #[inline]
    fn made(seen: Seen<'_, 'b>) -> Self {
        match seen.what {
            // With the bits that it has: a conversion may change those of what is no number.
            What::Item(Item::F32(bits)) => f32::from_bits(bits),
            _ => seen.single(),
        }
    }
}

impl<'b> Made<'b> for f64 {
    fn made(seen: Seen<'_, 'b>) -> Self {
        seen.float()
    }
}

impl<'b> Made<'b> for bool {
    fn made(seen: Seen<'_, 'b>) -> Self {
        seen.int() != 0
    }
}

impl<'b> Made<'b> for Endian {
    fn made(seen: Seen<'_, 'b>) -> Self {
        match &*seen.text() {
            "big" => Endian::Big,
            _ => Endian::Little,
        }
    }
}

impl<'b> Made<'b> for Utf16 {
    fn made(seen: Seen<'_, 'b>) -> Self {
        seen.utf16()
    }
}

impl<'b> Made<'b> for Cow<'b, str> {
    fn made(seen: Seen<'_, 'b>) -> Self {
        seen.text()
    }
}

impl<'b> Made<'b> for Cow<'b, [u8]> {
    fn made(seen: Seen<'_, 'b>) -> Self {
        seen.bytes()
    }
}

impl<'b, T: Made<'b>> Made<'b> for Option<T> {
    const RECORDS: &'static [u32] = T::RECORDS;

    fn made(seen: Seen<'_, 'b>) -> Self {
        if seen.is_none() {
            None
        } else {
            Some(T::made(seen))
        }
    }
}

impl<'b, T: Made<'b>> Made<'b> for Box<T> {
    const RECORDS: &'static [u32] = T::RECORDS;

    fn made(seen: Seen<'_, 'b>) -> Self {
        Box::new(T::made(seen))
    }
}

impl<'b, T: Made<'b>> Made<'b> for Vec<T> {
    fn made(seen: Seen<'_, 'b>) -> Self {
        let What::Item(Item::Array(array)) = seen.what else { return Vec::new() };
        let count = seen.tree.count(array);
        let numbers = if count < FEW { None } else { seen.tree.numbers(array) };
        if let Some(numbers) = numbers {
            return numbers_made(seen, count, &numbers);
        }
        match seen.tree.flat(array) {
            Some(first) if count >= FEW => flats_made(seen, count, &first),
            Some(first) => {
                let elements = (0..count).map(|index| first.element(index));
                elements
                    .map(|flat| T::made(Seen { what: What::Flat(&flat, &[]), ..seen }))
                    .collect()
            }
            None => (0..count).map(|index| T::of(seen.element(index))).collect(),
        }
    }
}

/// Arrays with fewer elements are gone through one by one: it does not matter how long they take. Files of
/// tests are small, and what is looked at together is to be tested with them.
const FEW: u32 = if cfg!(debug_assertions) { 1 } else { 8 };

fn numbers_made<'b, T: Made<'b>>(seen: Seen<'_, 'b>, count: u32, numbers: &Numbers) -> Vec<T> {
    let mut block = [Item::Absent; TOGETHER as usize];
    let mut all = Vec::with_capacity(count as usize);
    for at in blocks(count) {
        let block = &mut block[..at.len()];
        seen.tree.look_at(numbers, at.start, block);
        all.extend(block.iter().map(|item| T::made(seen.with(*item))));
    }
    all
}

/// Structs whose numbers are looked at row by row, since all those of a row are stored in one way.
fn flats_made<'b, T: Made<'b>>(seen: Seen<'_, 'b>, count: u32, first: &Flat) -> Vec<T> {
    let tree = seen.tree;
    let rows = (0..).zip(&tree.model().records[first.record.index()].rows);
    let numbers: Vec<_> = rows.map(|(row, _)| tree.numbers_in(first, RowId(row))).collect();
    let mut block = alloc::vec![Item::Absent; numbers.len() * TOGETHER as usize];
    let mut all = Vec::with_capacity(count as usize);
    for at in blocks(count) {
        for (numbers, block) in numbers.iter().zip(block.chunks_exact_mut(TOGETHER as usize)) {
            if let Some(numbers) = numbers {
                tree.look_at(numbers, at.start, &mut block[..at.len()]);
            }
        }
        all.extend(at.enumerate().map(|(index, element)| {
            let numbers = block.get(index..).unwrap_or_default();
            T::made(Seen { tree, what: What::Flat(&first.element(element), numbers) })
        }));
    }
    all
}

impl<'b, T: Made<'b> + Copy, const N: usize> Made<'b> for [T; N]
where
    [T; N]: Default,
{
    fn made(seen: Seen<'_, 'b>) -> Self {
        let mut values = Self::default();
        for (to, index) in values.iter_mut().zip(0..seen.count()) {
            *to = T::of(seen.element(index));
        }
        values
    }
}
