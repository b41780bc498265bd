//! What is packed of each type of a model, in which order.

use super::values::{Pack, Packer, Unpacker};
use crate::*;

macro_rules! lists {
    ($($kind:ident $name:ident $items:tt)*) => {
        /// The lists, as a text.
        pub(super) const LISTS: &str = stringify!($($kind $name $items)*);
        $($kind! { $name $items })*
    };
}

/// Fields, and behind a semicolon those that are left out.
macro_rules! fields {
    ($name:ident { $($field:ident),* $(; $($left:ident),*)? }) => {
        impl Pack for $name {
            fn pack(&self, to: &mut Packer) {
                let $name { $($field,)* $($($left: _,)*)? } = self;
                $($field.pack(to);)*
            }

            fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
                Some($name {
                    $($field: Pack::unpack(from)?,)*
                    $($($left: Default::default(),)*)?
                })
            }
        }
    };
}

macro_rules! cases {
    ($name:ident {
        $($case:ident $(($($item:ident),*))? $({ $($field:ident),* })?,)*
    }) => {
        impl Pack for $name {
            fn pack(&self, to: &mut Packer) {
                enum Nth { $($case),* }
                match self {
                    $($name::$case $(($($item),*))? $({ $($field),* })? => {
                        to.number(Nth::$case as u8);
                        $($($item.pack(to);)*)?
                        $($($field.pack(to);)*)?
                    })*
                }
            }

            fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
                enum Nth { $($case),* }
                let number: u8 = from.number()?;
                $(if number == Nth::$case as u8 {
                    $($(let $item = Pack::unpack(from)?;)*)?
                    $($(let $field = Pack::unpack(from)?;)*)?
                    return Some($name::$case $(($($item),*))? $({ $($field),* })?);
                })*
                None
            }
        }
    };
}

macro_rules! id {
    ($name:ident ()) => {
        impl Pack for $name {
            fn pack(&self, to: &mut Packer) {
                self.0.pack(to);
            }

            fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
                Pack::unpack(from).map($name)
            }
        }
    };
}

lists! {
    fields Model {
        name, version, root, byte_order, gaps, epoch_variables, epochs, exprs, records, unions, enums,
        pointers, varints, digits, relocation;
        title, extensions, sources, strings, lets, remarks, examples
    }
    cases ByteOrderRule { Fixed(order), Mark { offset }, }
    cases Gaps { Zero, Kept, }
    fields EpochVariable { name, offset, cell, word, path; span }
    fields Epoch { label, ranges }
    fields RelocationSection { from, to; name, span }

    id RecordId ()
    id UnionId ()
    id EnumId ()
    id PointerId ()
    id VarintId ()
    id DigitsId ()
    id RowId ()

    fields Record {
        template, kind, rows, lets, arguments, sizes, open, align, transparent, endian, checks,
        layout, passes, read_order, recursive, encodes;
        name, doc, source, parameters, derives, span
    }
    cases RecordKind { Struct, Case(union, case), Form(union, case, form), Word(int), }
    fields Let { expr; name, doc, span }
    cases EndianRule { Fixed(order), Chosen(rules, otherwise), }
    cases RelocationEncoding { PointerMasks, PointerRuns, }
    fields Check { kind, text, doc; span }
    cases CheckKind { Min(least), Max(most), OneOf(these), Equals(this), Holds(condition), }

    fields Row {
        name, kind, ty, homes, when, role, definers, none, plus, reference, listed, checks, absent,
        unique, fill;
        doc, source, span
    }
    cases RowKind {
        Plain,
        Constant(constant),
        Zero,
        Reserved,
        Runtime,
        Zeros,
        Object { address, align },
        Mark { address },
        Value { seen },
        Slice { table, base, factor, offset, unit, count, empty_base },
        Pool { always, kept, order, pad },
    }
    cases PoolOrder { FirstUse, DepthFirst, Bytes, BitsFromEnd, EachUse, }
    cases Home { At(offset), Next, Absent, Nowhere, }
    cases Role {
        Data,
        Default(constant),
        Fixed,
        Derived,
        Kept(usual),
        Spelling,
        View { slices, key },
        Elsewhere,
    }
    fields Definer { scope, source, epochs; span }
    cases DefinerScope { Own, Case(row, case), Owner(record, path), }
    cases DefinerSource { Expr(expr), Measure { measure, row, factor, offset }, }
    cases Measure { Count, Records, Size, End, At(base), Base, Tag, }
    fields Reference { array, filter, field, key }
    fields Listed { policy, kind, section }
    cases Constant { Int(number), Float(bits), Bool(truth), Text(text), Bytes(bytes), }

    cases Type {
        Cell(cell),
        Run(run),
        Record(record),
        Union(union),
        Pointer(pointer),
        Array(array),
        Region(region),
        PerEpoch(types),
        ByteOrderMark,
        Text,
        Nothing,
    }
    fields Cell { storage, meaning }
    cases Storage {
        Fixed(int),
        Varint(varint),
        Digits { digits, bytes },
        Bits { width, msb_first },
        Word { first, last, signed },
        Letter { letter, width },
        TagOf,
    }
    fields IntType { bytes, signed, order }
    cases ByteOrder { Little, Big, }
    cases GroupOrder { MsbFirst, LsbFirst, }
    cases VarintSign { Twos, Zigzag, }
    cases FloatForm { Ieee, Fixed(fraction), Norm, }
    cases Meaning { Int, Float(form), Bool { yes }, Enum(members), Word(record), }
    fields RunType { content, length, suffix, align }
    cases Content { Bytes, Text(encoding), }
    cases Encoding { Ascii, Utf8, Utf16, Utf16Le, Utf16Be, Utf32, Latin1, Cp1252, Mutf8, }
    cases RunLength { Prefix(cell), Fill, Fixed(bytes), Count(units), }
    fields RegionType { inner, extent, trim }
    cases Extent { Size(size), End(address), Terminated(terminator), Rest, }
    fields Trim { terminator, strip }
    fields Terminator { bytes, any, order, unit, mode, optional }
    cases Terminated { Dropped, Kept, Unread, }
    fields ArrayType { element, length, stride, described, in_step }
    fields InStep { with, plus }
    fields Described { by, filter, leading, columns, at }
    fields Columns { records, stride }
    cases ArrayLength { Count(count), Fill, Last(condition), }
    fields PointerType {
        kind, cell, target, optional, when_empty, none_with, align, section, list
    }
    cases Target { Own(target), Pooled, Element, }
    cases WhenEmpty { None, Here, Kept, }
    fields PointerKind {
        cell, base, none, when_empty, align, skip, unit, pool, text, listing;
        name, doc, span
    }
    fields Listing { object, array, dictionary, string, runtime }
    cases Policy { Never, Set, Always, }
    fields Varint { ty, order, max_bytes, sign, last, shortest; name, doc, span }
    fields Digits { ty, bytes, base, fill, upper, end; name, doc, span }
    cases DigitFill { ZerosFirst, BlanksFirst, BlanksLast, }

    fields Union { name, body, tag, cases, size; doc, source, span }
    cases Tag { Row(row), Given(expr), Own(cell), Word(cell), }
    fields Case { name, labels, epochs, guard, record, whole, forms; doc, span }
    fields Form { labels, epochs, record; span }
    cases Label { Range(first, last), Text(text), Pattern(pattern), Else, }
    fields Pattern { width, mask, bits, letters }
    fields Enum { name, closed, members; doc, source, span }
    fields EnumMember { name, number; doc }

    cases Expr {
        Int(number),
        Float(number),
        Bool(truth),
        Text(text),
        Bytes(bytes),
        Epoch(variable),
        Path(path),
        Unary(op, a),
        Binary(op, a, b),
        If(condition, a, b),
        Coalesce(a, b),
        In(a, ranges),
        Is(path, case),
        Call(function, arguments),
        Stream(function, stream, filter),
        At(path),
        End(path),
        Size(path),
        Index(path),
        IsLast(path),
        Listed(path),
        Stored(from, to),
        FileEnd,
        Here,
        RegionEnd,
        RelocationSections,
        RelocationEntries,
        Patricia(path),
    }
    cases UnaryOp { Negate, Not, Complement, }
    cases BinaryOp {
        Add,
        Subtract,
        Multiply,
        Divide,
        Remainder,
        And,
        Or,
        Xor,
        ShiftLeft,
        ShiftRight,
        Equal,
        NotEqual,
        Less,
        LessOrEqual,
        Greater,
        GreaterOrEqual,
        BothTrue,
        EitherTrue,
        Concatenate,
    }
    cases Function { Murmur3, Fnv1a, Polynomial, Crc32, Adler32, Md5, Sha1, Sha256, Stem, Extension, EndsWith, Length, Number, Numbers, Least, Greatest, Floor, Ceil, Round,
        Trunc, Utf16Units, }
    cases StreamFunction { Count, Sum, Min, Max, Any, All, First, FirstIndex, Units, }
    fields Path { start, steps, text }
    cases Start { This, Up(levels), Enclosing(records), Root, It, Argument(argument), }
    cases Step { Field(field), Index(index), Last, }
    fields Field { members; name }
    cases Member { Row(row), Into(row), Let(position), }

    cases Statement {
        This,
        Record(path),
        Tail(path),
        Put(path),
        Run(pass, path),
        Align(align),
        Zero(count),
        Mark(row, align),
        When(condition, then, otherwise),
    }
    fields LayoutPath { steps; text, span }
    fields PathStep { rows }
}
