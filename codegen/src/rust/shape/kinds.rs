//! Kinds of Rust types, and fields that have them.

use proc_macro2::Ident;

use super::index::IndexId;
use crate::model::{EnumId, RecordId, RowId, UnionId};
use crate::rust::names;

/// A field of a generated struct.
#[derive(Debug, Clone)]
pub struct FieldShape {
    /// The row that it holds.
    pub row: RowId,
    /// Its name.
    pub ident: Ident,
    /// Its type, with the option, [`Shape::Kept`] or box that the field has.
    pub shape: Shape,
}

/// A Rust type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// An integer.
    Int(Prim),
    /// `f32`.
    Float32,
    /// `f64`.
    Float64,
    /// `bool`.
    Bool,
    /// A generated enumeration.
    Enum(EnumId),
    /// A generated newtype of the integer that the bits are in.
    Word(RecordId),
    /// `::formwork::Endian`.
    Endian,
    /// `Cow<'a, str>`.
    Str,
    /// `Cow<'a, [u8]>`.
    Bytes,
    /// `::formwork::Utf16`.
    Utf16,
    /// A generated struct.
    Struct(RecordId),
    /// A generated enum with a variant for each case.
    Choice(UnionId),
    /// A generated newtype: position in an array.
    Index(IndexId),
    /// `Vec<T>`.
    List(Box<Shape>),
    /// `[T; N]`.
    Fixed(Box<Shape>, usize),
    /// `Option<T>`.
    Option(Box<Shape>),
    /// `Box<T>`.
    Boxed(Box<Shape>),
    /// `::formwork::Kept<T>`.
    Kept(Box<Shape>),
}

/// A type of integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it all")]
pub enum Prim {
    U8,
    U16,
    U32,
    U64,
    I8,
    I16,
    I32,
    I64,
    I128,
}

impl Prim {
    pub const ALL: [Prim; 9] = [
        Prim::U8,
        Prim::I8,
        Prim::U16,
        Prim::I16,
        Prim::U32,
        Prim::I32,
        Prim::U64,
        Prim::I64,
        Prim::I128,
    ];

    /// Least and greatest number.
    #[must_use]
    pub fn range(self) -> (i128, i128) {
        match self {
            Prim::U8 => (0, u8::MAX.into()),
            Prim::U16 => (0, u16::MAX.into()),
            Prim::U32 => (0, u32::MAX.into()),
            Prim::U64 => (0, u64::MAX.into()),
            Prim::I8 => (i8::MIN.into(), i8::MAX.into()),
            Prim::I16 => (i16::MIN.into(), i16::MAX.into()),
            Prim::I32 => (i32::MIN.into(), i32::MAX.into()),
            Prim::I64 => (i64::MIN.into(), i64::MAX.into()),
            Prim::I128 => (i128::MIN, i128::MAX),
        }
    }

    /// The smallest type that holds these two numbers, so all between them.
    #[must_use]
    pub fn holding(least: i128, greatest: i128) -> Prim {
        let holds = |prim: &&Prim| {
            let (low, high) = prim.range();
            low <= least && greatest <= high
        };
        Prim::ALL.iter().find(holds).copied().unwrap_or(Prim::I128)
    }

    /// The smallest type that holds all numbers of both.
    #[must_use]
    pub fn join(self, other: Prim) -> Prim {
        let (a, b) = (self.range(), other.range());
        Prim::holding(a.0.min(b.0), a.1.max(b.1))
    }

    /// Its name: `u8`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Prim::U8 => "u8",
            Prim::U16 => "u16",
            Prim::U32 => "u32",
            Prim::U64 => "u64",
            Prim::I8 => "i8",
            Prim::I16 => "i16",
            Prim::I32 => "i32",
            Prim::I64 => "i64",
            Prim::I128 => "i128",
        }
    }

    /// Its name as a token.
    #[must_use]
    pub fn ident(self) -> Ident {
        Ident::new(self.name(), names::span())
    }
}

impl Shape {
    /// Whether it is a number, or a word of some.
    #[must_use]
    pub fn is_number(&self) -> bool {
        matches!(self, Shape::Int(_) | Shape::Float32 | Shape::Float64 | Shape::Word(_))
    }

    /// What it is of, without the option, box or kept number around it.
    #[must_use]
    pub fn core(&self) -> &Shape {
        match self {
            Shape::Option(inner) | Shape::Boxed(inner) | Shape::Kept(inner) => inner.core(),
            other => other,
        }
    }

    /// `Option<T>` unless it is one.
    #[must_use]
    pub fn optional(self) -> Shape {
        match self {
            Shape::Option(_) => self,
            other => Shape::Option(Box::new(other)),
        }
    }
}
