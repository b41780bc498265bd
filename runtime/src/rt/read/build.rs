//! From items to values of the generated types.

use super::prelude::*;

/// A reader whose values borrow from the file, or not.
pub trait Texts<'i, 'o>: Reader<'i> {
    /// How text and bytes become values.
    fn leaves(&self) -> super::Leaves<'i, 'o>;
}

/// A value that a reader makes of an item.
pub trait Build<'i, R>: Sized {
    /// The value.
    ///
    /// # Errors
    ///
    /// Only if the tree is none.
    fn build(cx: &mut R, item: &Item<'i>) -> Read<Self>;
}

macro_rules! integers {
    ($($ty:ty)*) => {$(
        impl<'i, R> Build<'i, R> for $ty {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // It fits.
            fn build(_: &mut R, item: &Item<'i>) -> Read<Self> {
                Ok(super::int_value(item) as $ty)
            }
        }
    )*};
}

integers!(u8 u16 u32 u64 i8 i16 i32 i64 i128);

impl<'i, R> Build<'i, R> for f32 {
    fn build(_: &mut R, item: &Item<'i>) -> Read<Self> {
        Ok(super::float_value32(item))
    }
}

impl<'i, R> Build<'i, R> for f64 {
    fn build(_: &mut R, item: &Item<'i>) -> Read<Self> {
        Ok(super::float_value64(item))
    }
}

impl<'i, R> Build<'i, R> for bool {
    fn build(_: &mut R, item: &Item<'i>) -> Read<Self> {
        Ok(super::bool_value(item))
    }
}

impl<'i, R> Build<'i, R> for Endian {
    fn build(_: &mut R, item: &Item<'i>) -> Read<Self> {
        Ok(super::endian_value(item))
    }
}

impl<'i, R> Build<'i, R> for Utf16 {
    fn build(_: &mut R, item: &Item<'i>) -> Read<Self> {
        Ok(super::units_value(item))
    }
}

impl<'i, 'o, R: Texts<'i, 'o>> Build<'i, R> for Cow<'o, str> {
    fn build(cx: &mut R, item: &Item<'i>) -> Read<Self> {
        Ok(match through(item) {
            Item::Text(Text::Borrowed(text)) => (cx.leaves().text)(text),
            Item::Text(Text::Owned(text)) => Cow::Owned(String::from(&**text)),
            _ => Cow::Borrowed(""),
        })
    }
}

impl<'i, 'o, R: Texts<'i, 'o>> Build<'i, R> for Cow<'o, [u8]> {
    fn build(cx: &mut R, item: &Item<'i>) -> Read<Self> {
        Ok(match through(item) {
            Item::Bytes(Bytes::Borrowed(bytes)) => (cx.leaves().bytes)(bytes),
            Item::Bytes(Bytes::Owned(bytes)) => Cow::Owned(bytes.to_vec()),
            _ => Cow::Borrowed(&[]),
        })
    }
}

impl<'i, R, T: Build<'i, R>> Build<'i, R> for Option<T> {
    fn build(cx: &mut R, item: &Item<'i>) -> Read<Self> {
        if super::is_absent(item) {
            return Ok(None);
        }
        T::build(cx, item).map(Some)
    }
}

impl<'i, R, T: Build<'i, R>> Build<'i, R> for Box<T> {
    fn build(cx: &mut R, item: &Item<'i>) -> Read<Self> {
        T::build(cx, item).map(Box::new)
    }
}

impl<'i, R, T: Build<'i, R>> Build<'i, R> for Vec<T> {
    fn build(cx: &mut R, item: &Item<'i>) -> Read<Self> {
        match through(item) {
            Item::Array(array) => array.items.iter().map(|item| T::build(cx, item)).collect(),
            _ => Ok(Vec::new()),
        }
    }
}

impl<'i, R, T: Build<'i, R> + Copy + Default, const N: usize> Build<'i, R> for [T; N] {
    fn build(cx: &mut R, item: &Item<'i>) -> Read<Self> {
        Ok(fixed(Vec::build(cx, item)?))
    }
}

/// The first elements as an array of a fixed number.
#[must_use]
pub fn fixed<T: Copy + Default, const N: usize>(values: Vec<T>) -> [T; N] {
    let mut all = [T::default(); N];
    for (to, from) in all.iter_mut().zip(values) {
        *to = from;
    }
    all
}

/// The value of a slot.
///
/// # Errors
///
/// Only if the tree is none.
pub fn take<'i, R: Reader<'i>, T: Build<'i, R>>(cx: &mut R, node: NodeId, slot: u16) -> Read<T> {
    let item = take_item(cx, node, slot);
    T::build(cx, &item)
}

/// What is in a slot.
pub fn take_item<'i, R: Reader<'i>>(cx: &mut R, node: NodeId, slot: u16) -> Item<'i> {
    let core = cx.core_mut();
    if core.tables.slices {
        // Elements of shared tables become values more than once.
        core.tree.slot(node, slot).item.clone()
    } else {
        core.tree.take_item(node, slot)
    }
}

/// The value of a slot that nothing derives here.
///
/// # Errors
///
/// Only if the tree is none.
pub fn take_given<'i, R: Reader<'i>, T: Build<'i, R>>(
    cx: &mut R,
    node: NodeId,
    slot: u16,
    derived: bool,
) -> Read<Option<T>> {
    let item = take_item(cx, node, slot);
    if derived {
        return Ok(None);
    }
    Option::build(cx, &item)
}

/// The value of a slot with what it would be if it did not deviate.
///
/// # Errors
///
/// Only if the tree is none.
pub fn take_kept<'i, R: Reader<'i>, T: Build<'i, R>>(
    cx: &mut R,
    node: NodeId,
    slot: u16,
) -> Read<crate::Kept<T>> {
    let item = take_item(cx, node, slot);
    match cx.core_mut().deviating.remove(&(node, slot)) {
        None => Ok(crate::Kept::canonical()),
        Some(val) => {
            let stored = T::build(cx, &item)?;
            Ok(crate::Kept::instead_of(stored, T::build(cx, &val.into_item())?))
        }
    }
}

/// Deviations of a node.
pub fn take_spelling<'i, R: Reader<'i>>(cx: &mut R, node: NodeId) -> Spelling {
    let core = cx.core_mut();
    if core.tables.slices {
        core.kept.get(&node).cloned().unwrap_or_default()
    } else {
        core.kept.remove(&node).unwrap_or_default()
    }
}

/// Rows of a node that were kept beside the tree.
///
/// # Errors
///
/// Only if the tree is none.
pub fn take_early<'i, R: Reader<'i>>(cx: &mut R, node: NodeId) -> Read<super::Frame<'i>> {
    let core = cx.core_mut();
    let value = core.tree.node(node).value;
    stored(&mut core.early, value, core.tables.slices)
}

/// A typed value that is kept beside the tree; `copy` if it may be asked for again.
///
/// # Errors
///
/// If it is not there.
pub fn stored<T: Clone>(list: &mut [Option<T>], index: u32, copy: bool) -> Read<T> {
    if copy {
        super::copy_of(list, index)
    } else {
        super::unstore(list, index)
    }
}

/// A typed value that may not be there.
///
/// # Errors
///
/// If it is gone.
pub fn stored_or<T: Clone + Default>(list: &mut [Option<T>], index: u32, copy: bool) -> Read<T> {
    match index {
        NOTHING => Ok(T::default()),
        index => stored(list, index, copy),
    }
}

/// Reads a value that is built from its item.
///
/// # Errors
///
/// If it does not fit the schema; the path is relative to the row.
pub fn built<'i, R: Reader<'i>, T: Build<'i, R>>(
    cx: &mut R,
    f: &mut super::Frame<'i>,
    row: &'static super::super::rows::Row,
    ty: &'static super::super::rows::Ty,
    cursor: &mut Cursor<'i>,
) -> Read<T> {
    let item = super::read_item(cx, f, row, ty, cursor)?;
    T::build(cx, &item)
}
