//! Numbers: as stored, and what they mean.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::{Ctx, Reading, Sink, Spot, nothing, number, size};
use crate::model::{
    ByteOrder, Cell, Constant, FloatCode, GroupOrder, Home, IntType, Meaning, RecordId, Row,
    RowKind, Storage, Type, limits,
};
use crate::rust::shape::{Prim, Shape, float_code, mask};
use crate::rust::straight::able::{Able, unable};
use crate::rust::straight::digits;
use crate::rust::straight::scope::Access;

/// A number as stored.
#[derive(Clone)]
pub(super) struct Stored {
    pub tokens: TokenStream,
    /// Its type.
    pub prim: Prim,
    /// Number of bits that it has in the file.
    pub bits: u32,
}

/// A number of whole bytes in a block.
pub(super) fn load(int: IntType, big: bool, block: &Ident, at: u64) -> Stored {
    let (at, bits) = (size(at), u32::from(int.bytes) * 8);
    let prim = Prim::holding(
        if int.signed { -(1 << (bits - 1)) } else { 0 },
        if int.signed { (1 << (bits - 1)) - 1 } else { (1 << bits) - 1 },
    );
    let tokens = if matches!(int.bytes, 1 | 2 | 4 | 8) {
        let name = prim.name();
        let load = match big && int.bytes > 1 {
            true => format_ident!("{name}_be"),
            false => format_ident!("{name}"),
        };
        quote!(s::#load(#block, #at))
    } else {
        let load = if big { format_ident!("uint_be") } else { format_ident!("uint") };
        let width = size(int.bytes.into());
        let raw = quote!(s::#load::<#width, _>(#block, #at));
        signed(raw, bits, int.signed, prim)
    };
    Stored { tokens, prim, bits }
}

/// A number of 64 bits as what its low bits mean.
fn signed(raw: TokenStream, bits: u32, signed: bool, prim: Prim) -> TokenStream {
    let prim = prim.ident();
    match signed {
        true => quote!((::formwork::algorithms::sign_extend(#raw, #bits) as #prim)),
        false => quote!((#raw as #prim)),
    }
}

/// Some bits of an integer.
fn part_of(word: &Ident, first: u8, last: u8) -> TokenStream {
    let mask = Literal::u64_unsuffixed(mask(first, last));
    match first {
        0 => quote!((#word & #mask)),
        _ => quote!((#word >> #first & #mask)),
    }
}

impl<'m> Reading<'_, '_, 'm> {
    /// A number at a spot: statements that come first, and the number.
    pub(super) fn stored(
        &self,
        ctx: &Ctx<'m>,
        spot: &Spot,
        storage: Storage,
    ) -> Able<(TokenStream, Stored)> {
        let bits_of = |width: u32, is_signed: bool, raw: TokenStream| {
            let (low, high) = limits(width, is_signed);
            let prim = Prim::holding(low, high);
            Stored { tokens: signed(raw, width, is_signed, prim), prim, bits: width }
        };
        match storage {
            Storage::Fixed(int) => {
                let big = match int.order {
                    Some(order) => order == ByteOrder::Big,
                    None => ctx.big,
                };
                match spot {
                    Spot::Block { block, at, .. } => {
                        Ok((TokenStream::new(), load(int, big, block, *at)))
                    }
                    Spot::Stream { part, .. } => {
                        let block = self.local("b");
                        let width = size(int.bytes.into());
                        let before = quote!(let #block: &'i [u8; #width] = #part.block()?;);
                        Ok((before, load(int, big, &block, 0)))
                    }
                }
            }
            Storage::Varint(id) => {
                let Spot::Stream { part, .. } = spot else {
                    return unable("a number of variable width within a block");
                };
                let varint = &self.model.varints[id.index()];
                if !varint.is_plain() {
                    let what =
                        "a number of variable width with a sign, or eight bits in its last byte";
                    return unable(what);
                }
                let (most, bits) = (varint.max_bytes, u32::from(varint.ty.bytes) * 8);
                let read = match varint.order {
                    GroupOrder::MsbFirst => format_ident!("varint_msb"),
                    GroupOrder::LsbFirst => format_ident!("varint_lsb"),
                };
                let (most, wide) = (Literal::u8_unsuffixed(most), Literal::u32_unsuffixed(bits));
                let raw = match ctx.keeps_row() {
                    Some((spelling, row)) => {
                        let read = format_ident!("wide_{read}");
                        quote!(#part.#read(#most, #wide, &mut #spelling, #row)?)
                    }
                    None => quote!(#part.#read(#most, #wide)?),
                };
                Ok((TokenStream::new(), bits_of(bits, varint.ty.signed, raw)))
            }
            Storage::Digits { bytes: None, .. } => unable(digits::OPEN),
            Storage::Digits { digits, bytes: Some(bytes) } => {
                let (form, width) = (digits::form(self.model, digits, bytes), size(bytes.into()));
                let (before, text) = match spot {
                    Spot::Block { block, at, .. } => {
                        let at = size(*at);
                        (TokenStream::new(), quote!(s::bytes(#block, #at, #width)))
                    }
                    Spot::Stream { part, .. } => {
                        let text = self.local("t");
                        (quote!(let #text: &[u8] = #part.take(#width)?;), quote!(#text))
                    }
                };
                let int = self.model.digits[digits.index()].ty;
                let (low, high) = limits(u32::from(int.bytes) * 8, int.signed);
                let prim = Prim::holding(low, high);
                let ident = prim.ident();
                let tokens = match ctx.keeps_row() {
                    Some((spelling, row)) => {
                        quote!((s::kept_digits(#text, &#form, &mut #spelling, #row)? as #ident))
                    }
                    None => quote!((s::digits(#text, &#form)? as #ident)),
                };
                Ok((before, Stored { tokens, prim, bits: u32::from(int.bytes) * 8 }))
            }
            Storage::Word { first, last, signed } => {
                let Some(word) = &ctx.word else { return unable("bits of no word") };
                let width = u32::from(last - first) + 1;
                let raw = part_of(word, first, last);
                Ok((TokenStream::new(), bits_of(width, signed, raw)))
            }
            Storage::Letter { letter, width } => {
                let Some((pattern, word)) = &ctx.pattern else { return unable("no pattern") };
                let found = pattern.letters.iter().find(|(known, _)| *known == letter);
                let Some((_, positions)) = found else { return unable("a letter of no pattern") };
                let raw = super::super::letters::letter(&quote!(#word), positions);
                Ok((TokenStream::new(), bits_of(width.into(), false, raw)))
            }
            Storage::TagOf => {
                let Some(tag) = &ctx.tag else { return unable("no tag") };
                let tokens = quote!(#tag);
                Ok((TokenStream::new(), Stored { tokens, prim: Prim::I128, bits: 128 }))
            }
            Storage::Bits { width, .. } => {
                let Some((word, first)) = &ctx.bits else {
                    return unable("bits that share bytes with their neighbours");
                };
                let raw = part_of(word, *first, first + (width - 1));
                Ok((TokenStream::new(), bits_of(width.into(), false, raw)))
            }
        }
    }

    /// A number with its meaning.
    pub(super) fn cell(
        &self,
        ctx: &Ctx<'m>,
        spot: &Spot,
        cell: &Cell,
        row: &Row,
        target: &Shape,
        sink: Sink<'_>,
    ) -> Able<TokenStream> {
        let (before, stored) = self.stored(ctx, spot, cell.storage)?;
        let value = self.cell_of(ctx, stored, cell, row, target, sink)?;
        Ok(quote!(#before #value))
    }

    /// The meaning of a number that is stored.
    pub(super) fn cell_of(
        &self,
        ctx: &Ctx<'m>,
        stored: Stored,
        cell: &Cell,
        row: &Row,
        target: &Shape,
        sink: Sink<'_>,
    ) -> Able<TokenStream> {
        let inner = target.core();
        if let Meaning::Word(word) = cell.meaning {
            return self.word(ctx, word, stored, inner, &|value| sink(self.wrap(target, value)));
        }
        let none = !row.none.is_empty() && matches!(cell.meaning, Meaning::Int | Meaning::Enum(_));
        if !none {
            let value = self.meaning(cell, row, &stored, inner)?;
            return Ok(sink(self.wrap(target, value)));
        }
        let name = self.local("c");
        let tokens = &stored.tokens;
        let known = Stored { tokens: quote!(#name), ..stored };
        let some = sink(self.wrap(target, self.meaning(cell, row, &known, inner)?));
        let empty = sink(nothing(target)?);
        let is_none = self.is_none(ctx, row, None, &name);
        Ok(quote! {
            let #name = #tokens;
            if #is_none { #empty } else { #some }
        })
    }

    /// Whether a stored number stands for nothing. If it is another one than is written it is kept, or
    /// the file is left to the engine.
    pub(super) fn is_none(
        &self,
        ctx: &Ctx<'m>,
        row: &Row,
        pointer: Option<i128>,
        name: &Ident,
    ) -> Option<TokenStream> {
        let nones: Vec<TokenStream> = row.nones(pointer).map(number).collect();
        if let [none] = &nones[..] {
            return Some(quote!(#name == #none));
        }
        nones.first()?;
        let number = quote!(i128::from(#name));
        Some(match ctx.keeps.as_ref().filter(|_| self.straight.keeps_none(row)) {
            Some(keeps) => keeps.none(&number, &nones),
            None => quote!(s::is_usual_none(#number, &[#(#nones),*])?),
        })
    }

    /// A stored number as an expression of the shape.
    pub(super) fn meaning(
        &self,
        cell: &Cell,
        row: &Row,
        stored: &Stored,
        target: &Shape,
    ) -> Able<TokenStream> {
        let raw = &stored.tokens;
        match (&cell.meaning, target) {
            (Meaning::Float(_), Shape::Float32 | Shape::Float64) => {
                let Some(float) = FloatCode::of(cell) else { return unable("a float of bits") };
                let code = float_code(float);
                let value = match float.is_plain() {
                    true => raw.clone(),
                    false if float.is_single() => quote!((#code).value(#raw as u64) as u32),
                    false => quote!((#code).value(#raw as u64)),
                };
                Ok(match (float.is_single(), target) {
                    (true, Shape::Float32) => quote!(f32::from_bits(#value)),
                    (false, Shape::Float64) => quote!(f64::from_bits(#value)),
                    (true, Shape::Float64) => quote!(f64::from_bits(s::widened(#value))),
                    _ => return unable("a float of another width"),
                })
            }
            (Meaning::Bool { yes }, Shape::Bool) => {
                let yes = Literal::u64_unsuffixed(*yes);
                Ok(quote!(s::flag(#raw as u64, #yes)?))
            }
            (Meaning::Int | Meaning::Enum(_), target) => {
                let raw = match row.plus {
                    0 => raw.clone(),
                    plus => {
                        let plus = Literal::i128_suffixed(plus);
                        quote!((i128::from(#raw) - #plus))
                    }
                };
                let prim = if row.plus == 0 { stored.prim } else { Prim::I128 };
                match target {
                    Shape::Int(to) if *to == prim => Ok(raw),
                    Shape::Int(to) => {
                        let to = to.ident();
                        Ok(quote!((#raw as #to)))
                    }
                    Shape::Enum(id) => self.member(*id, raw),
                    Shape::Index(id) => {
                        let path = self.path(&self.straight.shapes.index_ident(*id));
                        let rank = row.reference.as_ref().map(|r| self.straight.rank_of(r));
                        if let Some(rank) = rank.transpose()?.flatten() {
                            return Ok(quote! {
                                s::known(#path::try_new(cx.ranked(#rank, i128::from(#raw))?).ok())?
                            });
                        }
                        Ok(match prim {
                            Prim::U8 | Prim::U16 => quote!(#path::new_const(#raw as u32)),
                            Prim::U32 => quote!(s::known(#path::try_new(#raw).ok())?),
                            _ => quote! {
                                s::known(u32::try_from(#raw).ok().and_then(|n| #path::try_new(n).ok()))?
                            },
                        })
                    }
                    _ => unable("a number of another Rust type"),
                }
            }
            _ => unable("a number of another Rust type"),
        }
    }

    pub(super) fn member(&self, id: crate::model::EnumId, raw: TokenStream) -> Able<TokenStream> {
        let path = self.path(&self.straight.shapes.enum_ident(id));
        let prim = self.straight.shapes.enum_prim(id).ident();
        Ok(match self.model.enums[id.index()].closed {
            true => quote!(s::known(#path::from_number(#raw as #prim))?),
            false => quote!(#path(#raw as #prim)),
        })
    }

    /// A number for expressions: an `i128`. `None`: it is none.
    pub(super) fn early(&self, cell: &Cell, row: &Row, stored: &Stored) -> Option<TokenStream> {
        if !row.none.is_empty() {
            return None;
        }
        let raw = &stored.tokens;
        let plus = (row.plus != 0).then(|| {
            let plus = Literal::i128_suffixed(row.plus);
            quote!(- #plus)
        });
        match cell.meaning {
            Meaning::Int | Meaning::Enum(_) => Some(quote!(i128::from(#raw) #plus)),
            Meaning::Bool { .. } => Some(quote!(i128::from(#raw != 0))),
            Meaning::Float(_) | Meaning::Word(_) => None,
        }
    }

    /// A packed word.
    fn word(
        &self,
        ctx: &Ctx<'m>,
        id: RecordId,
        stored: Stored,
        target: &Shape,
        sink: Sink<'_>,
    ) -> Able<TokenStream> {
        let record = &ctx.view.records[id.index()];
        let raw = stored.tokens;
        if !self.straight.shapes.is_plain_word(id) {
            let word = self.local("w");
            let frame = super::Frame { record: id, access: Access::Early, at: None, index: None };
            let mut inner = Ctx { record: id, word: Some(word.clone()), ..ctx.clone() };
            inner.frames.push(frame);
            let rows = self.inside(|| self.word_rows(&inner, id, target, sink))?;
            return Ok(quote!(let #word = #raw as u64; #rows));
        }
        // Bits that are no data, and what they have to be.
        let (mut data, mut bits) = (0_u64, 0_u64);
        for row in &record.rows {
            let Type::Cell(Cell { storage: Storage::Word { first, last, .. }, meaning }) = &row.ty
            else {
                return unable("a word of something else");
            };
            let all = mask(*first, *last);
            match (&row.kind, meaning) {
                (RowKind::Plain, _) => data |= all << first,
                (RowKind::Constant(Constant::Int(n)), _) => {
                    let Ok(n) = u64::try_from(*n) else { return unable("a negative constant") };
                    bits |= (n & all) << first;
                }
                (RowKind::Constant(Constant::Bool(true)), Meaning::Bool { yes }) => {
                    bits |= (yes & all) << first;
                }
                (RowKind::Constant(Constant::Bool(false)), _)
                | (RowKind::Zero | RowKind::Reserved | RowKind::Runtime, _) => {}
                _ => return unable("a word of something else"),
            }
            if !matches!(row.homes.first(), Some(Home::At(_))) {
                return unable("a word without places");
            }
        }
        let Shape::Word(_) = target else { return unable("a word of another Rust type") };
        let path = self.path(&self.straight.shapes.ident(id));
        let raw = match self.straight.shapes.word_prim(id) {
            Some(prim) if prim != stored.prim => {
                let prim = prim.ident();
                quote!((#raw as #prim))
            }
            _ => raw,
        };
        let others = !data & mask(0, u8::try_from(stored.bits.saturating_sub(1)).unwrap_or(63));
        if others == 0 {
            return Ok(sink(quote!(#path(#raw))));
        }
        let word = self.local("w");
        let (others, bits) = (Literal::u64_unsuffixed(others), Literal::u64_unsuffixed(bits));
        let value = sink(quote!(#path(#word)));
        Ok(quote! {
            let #word = #raw;
            s::holds(#word & #others == #bits)?;
            #value
        })
    }

    /// The rows of a word that is a struct.
    fn word_rows(
        &self,
        ctx: &Ctx<'m>,
        id: RecordId,
        target: &Shape,
        sink: Sink<'_>,
    ) -> Able<TokenStream> {
        let holder = super::body::Holder {
            base: quote!(0_usize),
            block: None,
            whole: false,
            part: None,
            case: false,
        };
        let rows = self.rows(ctx, &holder, &|row| {
            self.straight.shapes.field(id, row).map(|field| field.shape.clone())
        })?;
        let value = sink(self.literal(id, target, &rows)?);
        let code = rows.code;
        Ok(quote!(#code #value))
    }

    /// Whether a constant is stored.
    pub(super) fn same_number(
        &self,
        cell: &Cell,
        stored: &Stored,
        constant: &Constant,
        plus: i128,
    ) -> Able<TokenStream> {
        let raw = &stored.tokens;
        let wanted = match (&cell.meaning, constant) {
            (Meaning::Int | Meaning::Enum(_), Constant::Int(n)) => {
                let (low, high) = stored.prim.range();
                match n.checked_add(plus) {
                    Some(n) if (low..=high).contains(&n) => number(n),
                    _ => return unable("a constant that is too large"),
                }
            }
            (Meaning::Int, Constant::Bool(b)) => number(i128::from(*b)),
            (Meaning::Bool { yes }, Constant::Bool(true)) => number((*yes).into()),
            (Meaning::Bool { .. }, Constant::Bool(false)) => number(0),
            (Meaning::Float(_), Constant::Float(_)) => {
                match FloatCode::of(cell).and_then(|code| code.stored_constant(constant)) {
                    Some(stored) => number(stored),
                    None => return unable("a constant that does not fit"),
                }
            }
            _ => return unable("a constant of this type"),
        };
        Ok(quote!(s::holds(#raw == #wanted)?;))
    }
}
