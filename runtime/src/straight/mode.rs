//! Whether values borrow from the file that they are read from.

use alloc::borrow::Cow;

/// How text and bytes of the file become values.
pub trait Mode<'i, 'o> {
    /// A text.
    fn text(text: &'i str) -> Cow<'o, str>;
    /// Bytes.
    fn bytes(bytes: &'i [u8]) -> Cow<'o, [u8]>;
}

/// Values borrow from the file.
#[derive(Debug)]
pub enum Borrow {}

/// Values own what they hold.
#[derive(Debug)]
pub enum Owning {}

impl<'i> Mode<'i, 'i> for Borrow {
    #[inline]
    fn text(text: &'i str) -> Cow<'i, str> {
        Cow::Borrowed(text)
    }
    #[inline]
    fn bytes(bytes: &'i [u8]) -> Cow<'i, [u8]> {
        Cow::Borrowed(bytes)
    }
}

impl<'i> Mode<'i, 'static> for Owning {
    #[inline]
    fn text(text: &'i str) -> Cow<'static, str> {
        Cow::Owned(text.into())
    }
    #[inline]
    fn bytes(bytes: &'i [u8]) -> Cow<'static, [u8]> {
        Cow::Owned(bytes.into())
    }
}
