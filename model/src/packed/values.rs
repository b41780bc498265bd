//! Values as characters: numbers by their digits, texts as they are, the rest one behind the other.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::str::Chars;

use super::digits;
use crate::{ExprId, Exprs};

/// Most levels of lists and boxes in each other.
const DEEPEST: u32 = 256;
/// Most characters of a text that is not written again.
const LONGEST: usize = 255;

/// What is packed. Each value takes one character at least.
pub(super) trait Pack: Sized {
    fn pack(&self, to: &mut Packer);
    fn unpack(from: &mut Unpacker<'_>) -> Option<Self>;
}

#[derive(Debug, Default)]
pub(super) struct Packer {
    out: String,
    texts: BTreeMap<String, usize>,
    /// The expression that was mentioned last. The next one is often near.
    expr: u32,
}

impl Packer {
    pub(super) fn finish(self) -> String {
        self.out
    }

    pub(super) fn number(&mut self, number: impl Into<u128>) {
        digits::write(number.into(), &mut self.out);
    }
}

#[derive(Debug)]
pub(super) struct Unpacker<'t> {
    rest: Chars<'t>,
    texts: Vec<&'t str>,
    expr: u32,
    depth: u32,
}

impl<'t> Unpacker<'t> {
    pub(super) fn new(text: &'t str) -> Unpacker<'t> {
        Unpacker { rest: text.chars(), texts: Vec::new(), expr: 0, depth: 0 }
    }

    pub(super) fn is_done(&self) -> bool {
        self.rest.as_str().is_empty()
    }

    pub(super) fn number<N: TryFrom<u128>>(&mut self) -> Option<N> {
        N::try_from(digits::read(&mut self.rest)?).ok()
    }

    fn deeper<T>(&mut self, what: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.depth == DEEPEST {
            return None;
        }
        self.depth += 1;
        let result = what(self);
        self.depth -= 1;
        result
    }
}

macro_rules! numbers {
    ($($type:ident)*) => {$(
        impl Pack for $type {
            fn pack(&self, to: &mut Packer) {
                to.number(*self);
            }

            fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
                from.number()
            }
        }
    )*};
}

numbers! { u8 u32 u64 u128 }

macro_rules! as_numbers {
    ($($type:ident as $number:ident: $value:ident => $pack:expr, $unpack:expr;)*) => {$(
        impl Pack for $type {
            fn pack(&self, to: &mut Packer) {
                let $value = *self;
                $number::pack(&$pack, to);
            }

            fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
                let $value = $number::unpack(from)?;
                $unpack
            }
        }
    )*};
}

as_numbers! {
    bool as u8: n => n.into(), (n < 2).then_some(n == 1);
    char as u32: n => n.into(), char::from_u32(n);
    i128 as u128: n => ((n << 1) ^ (n >> 127)) as u128, Some((n >> 1) as i128 ^ -((n & 1) as i128));
    f64 as u64: n => n.to_bits(), Some(f64::from_bits(n));
}

impl Pack for ExprId {
    fn pack(&self, to: &mut Packer) {
        (i128::from(self.0) - i128::from(to.expr)).pack(to);
        to.expr = self.0;
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        let id = i128::unpack(from)?.checked_add(from.expr.into())?;
        from.expr = u32::try_from(id).ok()?;
        Some(ExprId(from.expr))
    }
}

impl Pack for Exprs {
    fn pack(&self, to: &mut Packer) {
        to.number(self.len() as u128);
        for (id, expr) in self.iter() {
            to.expr = id.0;
            expr.pack(to);
        }
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        let mut exprs = Exprs::default();
        for id in 0..from.number()? {
            from.expr = id;
            exprs.add(Pack::unpack(from)?);
        }
        Some(exprs)
    }
}

impl Pack for String {
    fn pack(&self, to: &mut Packer) {
        if let Some(known) = to.texts.get(self) {
            return to.number(*known as u128 + 1);
        }
        let length = self.chars().count();
        to.number(0_u8);
        to.number(length as u128);
        to.out.push_str(self);
        if length <= LONGEST {
            to.texts.insert(self.clone(), to.texts.len());
        }
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        if let Some(known) = from.number::<usize>()?.checked_sub(1) {
            return Some((*from.texts.get(known)?).into());
        }
        let length = from.number::<usize>()?;
        let all = from.rest.as_str();
        if let Some(last) = length.checked_sub(1) {
            from.rest.nth(last)?;
        }
        let text = &all[..all.len() - from.rest.as_str().len()];
        if length <= LONGEST {
            from.texts.push(text);
        }
        Some(text.into())
    }
}

impl<T: Pack> Pack for Vec<T> {
    fn pack(&self, to: &mut Packer) {
        to.number(self.len() as u128);
        self.iter().for_each(|item| item.pack(to));
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        let count = from.number::<usize>()?;
        // Nothing is reserved: the count may be wrong.
        from.deeper(|from| (0..count).map(|_| T::unpack(from)).collect())
    }
}

impl<T: Pack> Pack for Option<T> {
    fn pack(&self, to: &mut Packer) {
        self.is_some().pack(to);
        self.iter().for_each(|item| item.pack(to));
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        Some(if bool::unpack(from)? { Some(T::unpack(from)?) } else { None })
    }
}

impl<T: Pack> Pack for Box<T> {
    fn pack(&self, to: &mut Packer) {
        (**self).pack(to);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        from.deeper(T::unpack).map(Box::new)
    }
}

impl<A: Pack, B: Pack> Pack for (A, B) {
    fn pack(&self, to: &mut Packer) {
        self.0.pack(to);
        self.1.pack(to);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        Some((A::unpack(from)?, B::unpack(from)?))
    }
}
