//! Numbers: cells, words and constants.

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens as _, quote};

use super::spot::{Spot, bytes_at, in_block, lit, position};
use super::writer::{Node, Src, Writer};
use crate::model::{
    ByteOrder, Cell, Constant, DigitsId, ExprId, FloatCode, GroupOrder, IntType, Meaning,
    PointerType, RecordId, Role, Row, RowId, RowKind, Storage, Target, Type, VarintId, limits,
};
use crate::rust::shape::Shape;
use crate::rust::straight::able::{Able, unable};
use crate::rust::straight::digits;
use crate::rust::straight::operators::known;
use crate::rust::straight::sayable::stored_float;

impl<'m> Writer<'_, '_, 'm> {
    /// Whether the highest byte of a number comes first.
    pub(super) fn is_big(&self, node: &Node<'m>, int: &IntType) -> bool {
        int.order.map_or(node.big, |order| order == ByteOrder::Big)
    }

    /// Width in bits, most bytes and order of a variable-length integer.
    pub(super) fn varint(&self, id: VarintId) -> Able<(u32, u8, TokenStream)> {
        let varint = &self.model.varints[id.index()];
        if !varint.is_plain() {
            return unable(
                "a number of variable width with a sign, or eight bits in its last byte",
            );
        }
        let order = match varint.order {
            GroupOrder::MsbFirst => quote!(::formwork::algorithms::GroupOrder::MsbFirst),
            GroupOrder::LsbFirst => quote!(::formwork::algorithms::GroupOrder::LsbFirst),
        };
        Ok((u32::from(varint.ty.bytes) * 8, varint.max_bytes, order))
    }

    /// Whether every number of a shape fits a cell.
    pub(super) fn always_fits(&self, shape: &Shape, cell: &Cell) -> bool {
        let (low, high) = match shape {
            Shape::Int(prim) => prim.range(),
            Shape::Enum(id) => self.straight.shapes.enum_prim(*id).range(),
            Shape::Index(_) => (0, u32::MAX.into()),
            _ => return false,
        };
        let (bits, signed) = self.model.cell_range(cell);
        let (least, most) = limits(bits, signed);
        least <= low && high <= most
    }

    /// Code of type `i128` for a number, from a reference to it.
    pub(super) fn plain_number(&self, code: &TokenStream, shape: &Shape) -> Option<TokenStream> {
        Some(match shape {
            Shape::Int(_) => quote!((*#code as i128)),
            Shape::Enum(_) | Shape::Index(_) => quote!(i128::from(#code.number())),
            Shape::Bool => quote!(i128::from(*#code)),
            Shape::Word(_) => quote!(i128::from(#code.0)),
            _ => return None,
        })
    }

    /// Code of type `u64` that cannot fail: the bits of a number of whole bytes.
    pub(super) fn easy_bits(&self, row: &Row, cell: &Cell, src: &Src) -> Option<TokenStream> {
        let (code, shape) = (&src.code, src.shape.as_ref()?);
        let plain = row.plus == 0 && row.none.is_empty();
        let filtered = row.is_ranked();
        match (&cell.meaning, shape) {
            (Meaning::Float(_), Shape::Float32) if is_plain_float(cell) && is_single(cell) => {
                Some(quote!(u64::from(#code.to_bits())))
            }
            (Meaning::Float(_), Shape::Float64) if is_plain_float(cell) && !is_single(cell) => {
                Some(quote!(#code.to_bits()))
            }
            (Meaning::Bool { yes }, Shape::Bool) => Some(quote!((if *#code { #yes } else { 0 }))),
            (Meaning::Word(word), Shape::Word(_)) if self.straight.shapes.is_plain_word(*word) => {
                Some(quote!(u64::from(#code.0)))
            }
            (Meaning::Int, Shape::Int(_))
                if plain && !filtered && self.always_fits(shape, cell) =>
            {
                Some(quote!((*#code as u64)))
            }
            (Meaning::Int | Meaning::Enum(_), Shape::Enum(_) | Shape::Index(_))
                if plain && !filtered && self.always_fits(shape, cell) =>
            {
                Some(quote!((#code.number() as u64)))
            }
            _ => None,
        }
    }

    /// Code of type `u64`: the bits that a cell stores for a value.
    pub(super) fn bits(
        &self,
        node: &Node<'m>,
        id: RowId,
        row: &'m Row,
        cell: &'m Cell,
        src: &Src,
    ) -> Able<TokenStream> {
        if let Some(bits) = self.easy_bits(row, cell, src) {
            return Ok(bits);
        }
        let Some(shape) = &src.shape else { return unable("a number without a value") };
        let code = &src.code;
        match (&cell.meaning, shape) {
            (Meaning::Int | Meaning::Enum(_), Shape::Option(inner)) => {
                let (bits, signed) = self.model.cell_range(cell);
                let none = match (self.kept_none(node, id, None), row.none.first()) {
                    (Some(kept), _) => kept,
                    (None, Some(none)) => cut(*none, bits, signed)?.into_token_stream(),
                    (None, None) => quote!(return rt::Err(s::Odd)),
                };
                let some =
                    self.bits(node, id, row, cell, &self.src(quote!(x), (**inner).clone()))?;
                Ok(quote!(match #code { rt::Some(x) => #some, rt::None => #none }))
            }
            (Meaning::Int | Meaning::Enum(_), _) => {
                let Some(number) = self.plain_number(code, shape) else {
                    return unable("a number of another Rust type");
                };
                let rank = row.reference.as_ref().map(|of| self.straight.rank_of(of));
                let number = match rank.transpose()?.flatten() {
                    Some(rank) => quote!(cx.ranked(#rank, #number)?),
                    None => number,
                };
                self.stored_bits(row, cell, &number)
            }
            (Meaning::Word(word), Shape::Struct(_)) => self.word(node, *word, src),
            (Meaning::Float(_), Shape::Float32 | Shape::Float64) => {
                let stored = stored_float(cell, shape, code)?;
                Ok(quote!(s::known(#stored)?))
            }
            _ => unable("a cell of another Rust type"),
        }
    }

    /// Code of type `u64` for a number of type `i128` that is no "nothing".
    fn stored_bits(&self, row: &Row, cell: &Cell, number: &TokenStream) -> Able<TokenStream> {
        let (bits, signed) = self.model.cell_range(cell);
        let stored = match row.plus {
            0 => quote!(#number),
            plus => {
                let plus = Literal::i128_suffixed(plus);
                quote!(s::known(i128::checked_add(#number, #plus))?)
            }
        };
        if row.none.is_empty() {
            return Ok(quote!(s::bits(#stored, #bits, #signed)?));
        }
        let nones = row.none.iter().map(|none| Literal::i128_suffixed(*none));
        Ok(quote!({
            let n: i128 = #stored;
            s::holds(#(n != #nones)&&*)?;
            s::bits(n, #bits, #signed)?
        }))
    }

    /// The integer made of the bit fields of a struct: a `u64`.
    fn word(&self, node: &Node<'m>, word: RecordId, src: &Src) -> Able<TokenStream> {
        let inner = self.inside(node, word, src, node.at.clone(), None)?;
        let canonical = self.canonical(word, &inner.value);
        let mut parts = TokenStream::new();
        for (id, row) in inner.record().numbered_rows() {
            let cell = match &row.ty {
                Type::Cell(cell) => Some(cell),
                Type::Pointer(pointer) => pointer.cell.as_ref(),
                _ => None,
            };
            let first = match cell {
                Some(Cell { storage: Storage::Word { first, .. }, .. }) => *first,
                _ => return unable("a word with something else in it"),
            };
            parts.extend(self.part_of_word(&inner, id, first)?);
        }
        Ok(quote!({ #canonical let mut word = 0_u64; #parts word }))
    }

    /// Code that puts the bits of a row into the local `word`, from a bit on.
    pub(super) fn part_of_word(&self, node: &Node<'m>, id: RowId, first: u8) -> Able<TokenStream> {
        let row = node.row(id);
        if matches!(row.kind, RowKind::Zero | RowKind::Reserved) {
            return Ok(quote!());
        }
        let cell = match &row.ty {
            Type::Cell(cell) => cell,
            Type::Pointer(pointer) => {
                let Some(src) = self.field(node, id) else {
                    return unable("a row without a field");
                };
                let Some(Cell { storage: Storage::Word { first: low, last, .. }, .. }) =
                    pointer.cell
                else {
                    return unable("a pointer in a word");
                };
                let bits = (first, last - low + 1);
                let label = self.put_label(node, row, pointer, &src, bits)?;
                return Ok(quote!({ #label }));
            }
            _ => return unable("something else in a word"),
        };
        if let Role::Kept(expr) = row.role {
            return self.kept_bit(node, id, cell, expr, first);
        }
        let bits = self.row_bits(node, id, row, cell)?;
        let (width, _) = self.model.cell_range(cell);
        let mask = if width >= 64 { u64::MAX } else { (1_u64 << width) - 1 };
        Ok(quote!(word |= (#bits & #mask) << #first;))
    }

    /// A label in bits of the word at hand, of which the lowest is this one, and so many.
    pub(super) fn put_label(
        &self,
        node: &Node<'m>,
        row: &'m Row,
        pointer: &'m PointerType,
        src: &Src,
        (first, bits): (u8, u8),
    ) -> Able<TokenStream> {
        let (Some((at, width, big)), Target::Pooled) =
            (self.word_at.borrow().clone(), &pointer.target)
        else {
            return unable("a pointer in a word of no known place");
        };
        let label = self.label_kind(node, row, pointer.kind, big, width, (first, bits))?;
        let code = &src.code;
        match (
            &src.shape,
            row.none.is_empty() && self.model.pointers[pointer.kind.index()].none.is_none(),
        ) {
            (Some(Shape::Str | Shape::Bytes), true) => {
                Ok(quote!(cx.label(#at, s::Chars::chars(#code), #label);))
            }
            _ => unable("a pointer in a word that may be none"),
        }
    }

    /// Code that puts a bit into the local `word` that usually follows from an expression.
    fn kept_bit(
        &self,
        node: &Node<'m>,
        id: RowId,
        cell: &'m Cell,
        expr: ExprId,
        first: u8,
    ) -> Able<TokenStream> {
        let Some(Src { code, shape: Some(Shape::Kept(_)), .. }) = self.field(node, id) else {
            return unable("a kept number of another Rust type");
        };
        let Meaning::Bool { yes: 1 } = cell.meaning else {
            return unable("a kept number in a word");
        };
        let canonical = quote!(s::holds(#code.is_canonical())?;);
        let Some(stream) = self.address_set(expr) else {
            let holds = self.straight.truth(&node.scope, node.view, expr)?;
            return Ok(quote!(#canonical word |= u64::from(#holds) << #first;));
        };
        let Some((at, width, big)) = self.word_at.borrow().clone() else {
            return unable("the place of a word");
        };
        let set = self.set_number(stream)?;
        Ok(quote!(#canonical cx.flag(#set, #at, #width, #big, #first);))
    }

    /// The bits of a row that has a cell: a `u64`.
    pub(super) fn row_bits(
        &self,
        node: &Node<'m>,
        id: RowId,
        row: &'m Row,
        cell: &'m Cell,
    ) -> Able<TokenStream> {
        if row.when.is_some() {
            return unable("a condition in a word");
        }
        match (&row.kind, &row.role) {
            (RowKind::Constant(constant), _) => {
                let (bits, signed) = self.model.cell_range(cell);
                let n = cut(constant_number(constant, cell, row.plus)?, bits, signed)?;
                Ok(quote!(#n))
            }
            (RowKind::Plain, Role::Data | Role::Default(_) | Role::Elsewhere) => {
                let Some(src) = self.field(node, id) else {
                    return unable("a row without a field");
                };
                self.bits(node, id, row, cell, &src)
            }
            (RowKind::Plain, Role::Kept(expr))
                if matches!(cell.meaning, Meaning::Bool { yes: 1 }) =>
            {
                let Some(Src { code, shape: Some(Shape::Kept(_)), .. }) = self.field(node, id)
                else {
                    return unable("a kept number of another Rust type");
                };
                let holds = self.straight.truth(&node.scope, node.view, *expr)?;
                Ok(quote!({ s::holds(#code.is_canonical())?; u64::from(#holds) }))
            }
            (RowKind::Plain, Role::Derived) if row.none.is_empty() => {
                let number = self.number(node, id, row)?;
                let (bits, signed) = self.model.cell_range(cell);
                let plus = Literal::i128_suffixed(row.plus);
                let bits = quote! {
                    s::bits(s::known(s::add(#number, rt::Some(#plus))?)?, #bits, #signed)?
                };
                let free = self.left_out(node, id, row);
                Ok(if free.is_empty() { bits } else { quote!({ #free #bits }) })
            }
            _ => unable("a row of another kind in a word"),
        }
    }

    /// A cell.
    pub(super) fn put_cell(
        &self,
        node: &Node<'m>,
        id: RowId,
        row: &'m Row,
        cell: &'m Cell,
        src: &Src,
        spot: &Spot,
    ) -> Able<TokenStream> {
        match cell.storage {
            Storage::Fixed(int) => {
                let place = match spot {
                    Spot::Block(offset) => position(offset),
                    Spot::End => quote!(at),
                };
                let word = (place, int.bytes, self.is_big(node, &int));
                let around = self.word_at.replace(Some(word));
                let bits = self.bits(node, id, row, cell, src);
                self.word_at.replace(around);
                Ok(self.store(node, &int, &bits?, spot))
            }
            Storage::Varint(varint) => {
                let (width, most, order) = self.varint(varint)?;
                let kept = self.width(node, id);
                let bits = self.bits(node, id, row, cell, src)?;
                let Spot::End = spot else {
                    return unable("a number of variable width within a block");
                };
                Ok(quote!(cx.varint(rt::Some(i128::from(#bits)), #width, #most, #order, #kept)?;))
            }
            Storage::Digits { digits, .. } => {
                let bits = self.bits(node, id, row, cell, src)?;
                let int = self.model.digits[digits.index()].ty;
                let number = match int.signed {
                    true => {
                        let width = Literal::u32_unsuffixed(u32::from(int.bytes) * 8);
                        quote!(::formwork::algorithms::sign_extend(#bits, #width))
                    }
                    false => bits,
                };
                self.put_digits(node, id, digits, &quote!(i128::from(#number)), spot)
            }
            // Part of what is around it.
            Storage::Letter { .. } | Storage::TagOf => Ok(quote!()),
            Storage::Bits { .. } | Storage::Word { .. } => {
                unable("bits that share bytes with their neighbours")
            }
        }
    }

    /// A number that is computed: an `Option<i128>`.
    pub(super) fn put_number(
        &self,
        node: &Node<'m>,
        id: RowId,
        row: &'m Row,
        cell: &'m Cell,
        number: TokenStream,
        spot: &Spot,
    ) -> Able<TokenStream> {
        if let Meaning::Enum(id) = cell.meaning
            && self.model.enums[id.index()].closed
        {
            return unable("a member of a closed enumeration that is computed");
        }
        let number = match row.plus {
            0 => number,
            plus => {
                let plus = Literal::i128_suffixed(plus);
                quote!(s::add(#number, rt::Some(#plus))?)
            }
        };
        let number = match row.none.first() {
            None => number,
            // What follows from nothing is stored as none, which no other number is.
            Some(none) => {
                let (none, all) = (Literal::i128_unsuffixed(*none), row.none.iter());
                let all = all.map(|none| Literal::i128_unsuffixed(*none));
                quote!(match #number {
                    rt::Some(#(#all)|*) => return rt::Err(s::Odd),
                    number => number.or(rt::Some(#none)),
                })
            }
        };
        let number = match cell.meaning {
            Meaning::Int | Meaning::Enum(_) => number,
            Meaning::Bool { yes } => {
                let yes = i128::from(yes);
                quote!((#number).map(|n: i128| if n != 0 { #yes } else { 0 }))
            }
            Meaning::Float(_) | Meaning::Word(_) => return unable("a derived float or word"),
        };
        match cell.storage {
            Storage::Fixed(int) => {
                let (bits, signed) = (u32::from(int.bytes) * 8, int.signed);
                let number = known(&number);
                let bits = quote!(s::bits(#number, #bits, #signed)?);
                Ok(self.store(node, &int, &bits, spot))
            }
            Storage::Varint(varint) => {
                let (width, most, order) = self.varint(varint)?;
                let kept = self.width(node, id);
                let Spot::End = spot else {
                    return unable("a number of variable width within a block");
                };
                Ok(quote!(cx.varint(#number, #width, #most, #order, #kept)?;))
            }
            Storage::Digits { digits, .. } => {
                self.put_digits(node, id, digits, &known(&number), spot)
            }
            Storage::Letter { .. } | Storage::TagOf => Ok(quote!()),
            Storage::Bits { .. } | Storage::Word { .. } => {
                unable("bits that share bytes with their neighbours")
            }
        }
    }

    /// Code that stores an `i128` in digits.
    fn put_digits(
        &self,
        node: &Node<'m>,
        row: RowId,
        id: DigitsId,
        number: &TokenStream,
        spot: &Spot,
    ) -> Able<TokenStream> {
        let Some(bytes) = self.model.digits[id.index()].bytes else {
            return unable(digits::OPEN);
        };
        let (form, kept) = (digits::form(self.model, id, bytes), self.kept_digits(node, row));
        let put = |at: TokenStream| quote!(s::set_digits(b, #at, #number, &#form, #kept)?;);
        Ok(match spot {
            Spot::Block(offset) => put(offset.clone()),
            Spot::End => in_block(bytes.into(), &put(quote!(0))),
        })
    }

    /// Code that stores a `u64`.
    pub(super) fn store(
        &self,
        node: &Node<'m>,
        int: &IntType,
        bits: &TokenStream,
        spot: &Spot,
    ) -> TokenStream {
        let width = lit(int.bytes.into());
        let function = if self.is_big(node, int) { quote!(set_big) } else { quote!(set) };
        match spot {
            Spot::Block(offset) => quote!(s::#function::<#width>(b, #offset, #bits);),
            Spot::End => in_block(int.bytes.into(), &quote!(s::#function::<#width>(b, 0, #bits);)),
        }
    }

    /// A row that is always the same.
    pub(super) fn constant(
        &self,
        node: &Node<'m>,
        id: RowId,
        row: &'m Row,
        constant: &'m Constant,
        spot: &Spot,
    ) -> Able<TokenStream> {
        match &row.ty {
            Type::Nothing => Ok(quote!()),
            Type::Cell(cell) => match cell.storage {
                Storage::Fixed(int) => {
                    let (bits, signed) = self.model.cell_range(cell);
                    let n = cut(constant_number(constant, cell, row.plus)?, bits, signed)?;
                    Ok(self.store(node, &int, &quote!(#n), spot))
                }
                Storage::Varint(varint) => {
                    let (width, most, order) = self.varint(varint)?;
                    let kept = self.width(node, id);
                    let n = Literal::i128_suffixed(constant_number(constant, cell, row.plus)?);
                    let Spot::End = spot else {
                        return unable("a number of variable width within a block");
                    };
                    Ok(quote!(cx.varint(rt::Some(#n), #width, #most, #order, #kept)?;))
                }
                Storage::Digits { digits, .. } => {
                    let n = Literal::i128_suffixed(constant_number(constant, cell, row.plus)?);
                    self.put_digits(node, id, digits, &quote!(#n), spot)
                }
                Storage::Letter { .. } | Storage::TagOf => Ok(quote!()),
                Storage::Bits { .. } | Storage::Word { .. } => {
                    unable("bits that share bytes with their neighbours")
                }
            },
            Type::Run(run) => {
                let bytes = match constant {
                    Constant::Bytes(bytes) => bytes.clone(),
                    Constant::Text(text) => text.as_bytes().to_vec(),
                    _ => return unable("a constant of another Rust type"),
                };
                let fixed = match run.length {
                    crate::model::RunLength::Fixed(size) => size == bytes.len() as u64,
                    _ => false,
                };
                let wide = matches!(
                    run.content,
                    crate::model::Content::Text(encoding)
                        if !matches!(encoding, crate::model::Encoding::Ascii | crate::model::Encoding::Utf8)
                );
                if !fixed || wide || run.align.is_some() {
                    return unable("a constant of no fixed size");
                }
                let mut all = bytes;
                all.extend_from_slice(&run.suffix);
                let literal = Literal::byte_string(&all);
                Ok(bytes_at(&quote!(#literal), spot))
            }
            _ => unable("a constant of another Rust type"),
        }
    }
}

/// The number that a cell stores for a constant.
fn constant_number(constant: &Constant, cell: &Cell, plus: i128) -> Able<i128> {
    Ok(match (constant, &cell.meaning) {
        (Constant::Int(n), Meaning::Int | Meaning::Enum(_)) => match n.checked_add(plus) {
            Some(n) => n,
            None => return unable("a constant that does not fit"),
        },
        (Constant::Bool(b), Meaning::Bool { yes }) => {
            if *b {
                i128::from(*yes)
            } else {
                0
            }
        }
        (Constant::Float(_), Meaning::Float(_)) => {
            match FloatCode::of(cell).and_then(|code| code.stored_constant(constant)) {
                Some(stored) => stored,
                None => return unable("a constant that does not fit"),
            }
        }
        _ => return unable("a constant of another Rust type"),
    })
}

/// Whether a cell stores the bits of the value's float.
fn is_plain_float(cell: &Cell) -> bool {
    FloatCode::of(cell).is_some_and(FloatCode::is_plain)
}

fn is_single(cell: &Cell) -> bool {
    FloatCode::of(cell).is_some_and(FloatCode::is_single)
}

/// A number in two's complement, with all bits above its width.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "that is what is meant")]
pub(super) fn cut(number: i128, bits: u32, signed: bool) -> Able<u64> {
    if bits < 127 && !formwork_fits(number, bits, signed) {
        return unable("a constant that does not fit");
    }
    Ok(number as u64)
}

fn formwork_fits(number: i128, bits: u32, signed: bool) -> bool {
    if bits == 0 {
        return number == 0;
    }
    if signed {
        (-(1_i128 << (bits - 1))..1_i128 << (bits - 1)).contains(&number)
    } else {
        (0..1_i128 << bits).contains(&number)
    }
}
