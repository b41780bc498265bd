//! Numbers.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::{Ctx, Reading};
use crate::model::{Cell, GroupOrder, Label, Meaning, RecordKind, Row, RowKind, Storage};
use crate::rust::shape::Shape;

impl<'m> Reading<'_, 'm> {
    /// Code of type `u64` for the bits of a cell.
    pub(super) fn raw(&self, ctx: Ctx, cell: &Cell) -> TokenStream {
        match cell.storage {
            Storage::Fixed(int) => {
                let width = int.bytes;
                let big = self.big(int.bytes, int.order);
                match ctx.block {
                    Some(offset) => {
                        let offset =
                            Literal::usize_unsuffixed(usize::try_from(offset).unwrap_or(0));
                        quote!({ let big = #big; rt::load(block, #offset, #width, big) })
                    }
                    // Whether the number is there at all is said before its byte order is asked for.
                    None if self.orders && int.bytes > 1 => quote!({
                        cx.core.need(cursor, #width)?;
                        let big = #big;
                        cx.core.uint(cursor, #width, big)?
                    }),
                    None => quote!({ let big = #big; cx.core.uint(cursor, #width, big)? }),
                }
            }
            Storage::Varint(id) => {
                let varint = &self.model.varints[id.index()];
                let order = match varint.order {
                    GroupOrder::MsbFirst => quote!(MsbFirst),
                    GroupOrder::LsbFirst => quote!(LsbFirst),
                };
                let (max, bits) = (varint.max_bytes, u32::from(varint.ty.bytes) * 8);
                let row = self.spelling_row(ctx);
                quote!(cx.core.varint(
                    cursor, ::formwork::GroupOrder::#order, #max, #bits, &mut spelling, #row, index,
                )?)
            }
            Storage::Bits { width, msb_first } => {
                let place = ctx.loc.then(|| quote!(rt::place_bits(&mut cx.core, loc, byte, bit);));
                quote!({
                    let (raw, byte, bit) = cx.core.bits(cursor, #width, #msb_first)?;
                    #place
                    raw
                })
            }
            Storage::Word { first, last, .. } => quote!(rt::bits_of(word, #first, #last)),
            Storage::Letter { letter, .. } => self.letters(ctx, letter),
            Storage::TagOf => quote!((tag as u64)),
        }
    }

    fn letters(&self, ctx: Ctx, letter: char) -> TokenStream {
        let labels: &[Label] = match self.model.records[ctx.record.index()].kind {
            RecordKind::Case(union, case) => {
                &self.model.unions[union.index()].cases[case as usize].labels
            }
            RecordKind::Form(union, case, form) => {
                let case = &self.model.unions[union.index()].cases[case as usize];
                &case.forms[form as usize].labels
            }
            _ => &[],
        };
        let mut code = quote!(0_u64);
        for label in labels.iter().rev() {
            let Label::Pattern(pattern) = label else { continue };
            let (mask, bits) = (pattern.mask, pattern.bits);
            let positions = pattern.letters.iter().find(|(l, _)| *l == letter);
            let positions = positions.map(|(_, p)| p.clone()).unwrap_or_default();
            code = quote!(if rt::unsigned(tag) & #mask == #bits {
                rt::letters(tag, &[#(#positions),*])
            } else {
                #code
            });
        }
        code
    }

    /// Width in bits, and whether it has a sign.
    pub(super) fn width(&self, cell: &Cell) -> (u32, bool) {
        match cell.storage {
            Storage::Fixed(int) => (u32::from(int.bytes) * 8, int.signed),
            Storage::Varint(id) => {
                let ty = self.model.varints[id.index()].ty;
                (u32::from(ty.bytes) * 8, ty.signed)
            }
            Storage::Bits { width, .. } | Storage::Letter { width, .. } => (width.into(), false),
            Storage::Word { first, last, signed } => (u32::from(last - first) + 1, signed),
            Storage::TagOf => (64, true),
        }
    }

    /// Code of type `i128` for a number that is no value but leads to one.
    pub(super) fn stored(&self, ctx: Ctx, cell: &Cell) -> TokenStream {
        if matches!(cell.storage, Storage::TagOf) {
            return quote!(tag);
        }
        let raw = self.raw(ctx, cell);
        let (bits, signed) = self.width(cell);
        quote!({ let raw = #raw; rt::signed(raw, #bits, #signed) })
    }

    /// Code of type `rt::Item` for a cell.
    pub(super) fn cell_item(&self, ctx: Ctx, cell: &Cell, row: &Row) -> TokenStream {
        if matches!(cell.storage, Storage::TagOf) {
            return self.finished(ctx, row, quote!(tag));
        }
        let raw = self.raw(ctx, cell);
        let at = Self::at(ctx);
        let (bits, signed) = self.width(cell);
        let code = match &cell.meaning {
            Meaning::Float => {
                let bytes: u8 = if bits == 32 { 4 } else { 8 };
                quote!(rt::Item::Float { bits: raw, bytes: #bytes })
            }
            Meaning::Bool { yes } => quote!(rt::Item::Bool(rt::truth(raw, #yes, at)?)),
            Meaning::Int => self.finished(ctx, row, quote!(rt::signed(raw, #bits, #signed))),
            Meaning::Enum(_) => {
                let check = self.closed(cell);
                let item = self.finished(ctx, row, quote!(n));
                quote!({ let n = rt::signed(raw, #bits, #signed); #check #item })
            }
            Meaning::Word(word)
                if self.shapes.is_plain_word(*word) && !(self.plan.noded(*word) && ctx.loc) =>
            {
                let check = self.word_checks(*word);
                quote!({ let word = raw; #check rt::Item::Int(raw.into()) })
            }
            Meaning::Word(word) => {
                let read = format_ident!("word_{}", word.0);
                if self.plan.noded(*word) {
                    quote!(rt::Item::Node(#read(cx, raw, at, cursor.position(), loc)?))
                } else {
                    quote!({ let _ = #read(cx, raw, at, owner)?; rt::Item::Absent })
                }
            }
        };
        quote!({ let at = #at; let raw = #raw; #code })
    }

    /// Makes sure that a closed enumeration has a name for `n`.
    fn closed(&self, cell: &Cell) -> TokenStream {
        let Meaning::Enum(id) = cell.meaning else { return quote!() };
        let definition = &self.model.enums[id.index()];
        if !definition.closed {
            return quote!();
        }
        let name = &definition.name;
        let numbers = definition.members.iter().map(|m| Literal::i128_unsuffixed(m.number));
        let known = if definition.members.is_empty() {
            quote!(false)
        } else {
            quote!(::core::matches!(n, #(#numbers)|*))
        };
        quote!(if !#known { return rt::Err(rt::not_in_enum(#name, n, at)); })
    }

    /// A number as an item: nothing, or less what is added to it.
    fn finished(&self, ctx: Ctx, row: &Row, n: TokenStream) -> TokenStream {
        let less = if row.plus == 0 {
            quote!(rt::Item::Int(n))
        } else {
            let plus = Literal::i128_suffixed(row.plus);
            quote!(rt::Item::Int(rt::less(n, #plus, cursor.at)?))
        };
        let Some(first) = row.none.first() else {
            return quote!({ let n: i128 = #n; #less });
        };
        let none = row.none.iter().map(|n| Literal::i128_unsuffixed(*n));
        let keep = (row.none.len() > 1).then(|| {
            let (first, spelled) = (Literal::i128_suffixed(*first), self.spelling_row(ctx));
            quote!(rt::keep_none(n, #first, &mut spelling, #spelled, index);)
        });
        quote!({
            let n: i128 = #n;
            if ::core::matches!(n, #(#none)|*) { #keep rt::Item::Absent } else { #less }
        })
    }

    /// Code for the typed value of a cell, if that needs no item between. `None` otherwise.
    pub(super) fn cell_value(
        &self,
        ctx: Ctx,
        cell: &Cell,
        row: &Row,
        shape: &Shape,
    ) -> Option<TokenStream> {
        if let Shape::Boxed(inner) = shape {
            let inner = self.cell_value(ctx, cell, row, inner)?;
            return Some(quote!(rt::Box::new(#inner)));
        }
        if row.none.is_empty()
            && let Shape::Option(inner) = shape
        {
            let inner = self.cell_value(ctx, cell, row, inner)?;
            return Some(quote!(rt::Some(#inner)));
        }
        if !row.none.is_empty() || row.plus != 0 || matches!(cell.storage, Storage::TagOf) {
            return None;
        }
        let raw = self.raw(ctx, cell);
        let at = Self::at(ctx);
        let (bits, signed) = self.width(cell);
        Some(match (shape, &cell.meaning) {
            (Shape::Int(prim), Meaning::Int) => {
                let prim = prim.ident();
                if signed {
                    quote!({ let raw = #raw; ::formwork::sign_extend(raw, #bits) as #prim })
                } else {
                    quote!({ let raw = #raw; raw as #prim })
                }
            }
            (Shape::Float32, Meaning::Float) if bits == 32 => {
                quote!({ let raw = #raw; f32::from_bits(raw as u32) })
            }
            (Shape::Float64, Meaning::Float) if bits == 64 => {
                quote!({ let raw = #raw; f64::from_bits(raw) })
            }
            (Shape::Bool, Meaning::Bool { yes }) => {
                quote!({ let at = #at; let raw = #raw; rt::truth(raw, #yes, at)? })
            }
            (Shape::Enum(id), Meaning::Enum(of)) if id == of => {
                let check = self.closed(cell);
                let value = self.convert_enum(*id, &quote!(n));
                quote!({
                    let at = #at;
                    let raw = #raw;
                    let n = rt::signed(raw, #bits, #signed);
                    #check
                    #value
                })
            }
            (Shape::Word(word), Meaning::Word(of)) if word == of => {
                let check = self.word_checks(*word);
                let path = self.path(&self.shapes.ident(*word));
                let prim = self.shapes.word_prim(*word)?.ident();
                quote!({ let at = #at; let word = #raw; #check #path(word as #prim) })
            }
            (_, Meaning::Word(word)) if !self.plan.noded(*word) => {
                let read = format_ident!("word_{}", word.0);
                quote!({ let at = #at; let raw = #raw; #read(cx, raw, at, owner)? })
            }
            _ => return None,
        })
    }

    /// Rules of a plain word's bits, which are in `word`.
    pub(super) fn word_checks(&self, word: crate::model::RecordId) -> TokenStream {
        let mut code = TokenStream::new();
        for row in &self.model.records[word.index()].rows {
            let crate::model::Type::Cell(cell) = &row.ty else { continue };
            let Storage::Word { first, last, signed } = cell.storage else { continue };
            let bits = u32::from(last - first) + 1;
            let name = row.name.as_deref();
            let named = name.map(|name| quote!(.in_field(#name)));
            match (&row.kind, &cell.meaning) {
                (RowKind::Zero, _) => code.extend(quote! {
                    if rt::bits_of(word, #first, #last) != 0 {
                        return rt::Err(::formwork::ReadError::new(
                            ::formwork::ReadErrorKind::NotZero, at,
                        )#named);
                    }
                }),
                (_, Meaning::Bool { yes }) if bits > 1 || *yes != 1 => code.extend(quote! {
                    if let rt::Err(error) = rt::truth(rt::bits_of(word, #first, #last), #yes, at) {
                        return rt::Err(error #named);
                    }
                }),
                (_, Meaning::Enum(id)) if self.model.enums[id.index()].closed => {
                    let definition = &self.model.enums[id.index()];
                    let enum_name = &definition.name;
                    let numbers =
                        definition.members.iter().map(|m| Literal::i128_unsuffixed(m.number));
                    let known = if definition.members.is_empty() {
                        quote!(false)
                    } else {
                        quote!(::core::matches!(n, #(#numbers)|*))
                    };
                    code.extend(quote! {
                        let n = rt::signed(rt::bits_of(word, #first, #last), #bits, #signed);
                        if !#known { return rt::Err(rt::not_in_enum(#enum_name, n, at) #named); }
                    });
                }
                _ => {}
            }
        }
        code
    }
}
