//! Numbers: as stored, and what they mean.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::item::{Item, Spot, at_place};
use super::rows::Scope;
use super::{Views, endian};
use crate::model::{Cell, FloatCode, GroupOrder, IntType, Meaning, Row, Storage, limits};
use crate::rust::shape::{Prim, Shape, float_code};
use crate::rust::straight::letters;
use crate::rust::straight::{Able, unable};

/// A number as stored.
pub(super) struct Stored {
    pub tokens: TokenStream,
    pub prim: Prim,
}

impl Views<'_, '_> {
    /// A number of whole bytes at a place.
    pub(super) fn load(&self, int: IntType, place: &TokenStream) -> (TokenStream, Prim) {
        let width = Literal::u8_unsuffixed(int.bytes);
        let block = quote!(at.block::<#width>()?);
        let (load, prim) = self.load_from(int, &block, &quote!(at), 0);
        (at_place(place, &load), prim)
    }

    /// A number of whole bytes in a block.
    fn load_from(
        &self,
        int: IntType,
        block: &TokenStream,
        place: &TokenStream,
        at: u64,
    ) -> (TokenStream, Prim) {
        let (at, bits) = (Literal::u64_unsuffixed(at), u32::from(int.bytes) * 8);
        let (low, high) = limits(bits, int.signed);
        let prim = Prim::holding(low, high);
        let order = match int.order.or(self.order) {
            Some(order) => endian(order),
            None => quote!(#place.order()),
        };
        let ident = prim.ident();
        let tokens = match (int.bytes, int.signed) {
            (1 | 2 | 4 | 8, _) => quote!(v::#ident(#block, #at, #order)),
            (width, signed) => {
                let width = Literal::u8_unsuffixed(width);
                let raw = quote!(v::uint::<#width>(#block, #at, #order));
                match signed {
                    true => quote!((::formwork::algorithms::sign_extend(#raw, #bits) as #ident)),
                    false => quote!((#raw as #ident)),
                }
            }
        };
        (tokens, prim)
    }

    /// A number at a spot, as it is stored.
    pub(super) fn stored(&self, scope: Scope<'_>, spot: &Spot, storage: Storage) -> Able<Stored> {
        let of_bits = |raw: TokenStream, width: u32, signed: bool| {
            let (low, high) = limits(width, signed);
            let prim = Prim::holding(low, high);
            let ident = prim.ident();
            let tokens = match signed {
                true => quote!((::formwork::algorithms::sign_extend(#raw, #width) as #ident)),
                false => quote!((#raw as #ident)),
            };
            Stored { tokens, prim }
        };
        Ok(match storage {
            Storage::Fixed(int) => match spot {
                Spot::Block { block, place, at } => {
                    let (tokens, prim) = self.load_from(int, block, place, *at);
                    Stored { tokens, prim }
                }
                Spot::At(place) => {
                    let (tokens, prim) = self.load(int, place);
                    Stored { tokens, prim }
                }
            },
            Storage::Varint(_) => {
                let found = self.varint(storage, &spot.place())?;
                let Storage::Varint(id) = storage else { return unable("no number") };
                let ty = self.model.varints[id.index()].ty;
                of_bits(quote!(#found.0), u32::from(ty.bytes) * 8, ty.signed)
            }
            Storage::Digits { .. } => return unable("a number in digits"),
            Storage::Letter { letter, width } => {
                let Some(pattern) = scope.body().and_then(|body| body.pattern) else {
                    return unable("bits of several patterns");
                };
                let found = pattern.letters.iter().find(|(known, _)| *known == letter);
                let Some((_, positions)) = found else { return unable("bits of no pattern") };
                let view = scope.body().map(|body| &body.view);
                of_bits(letters::letter(&quote!(#view.tag), positions), width.into(), false)
            }
            Storage::TagOf => {
                let Some(view) = scope.body().map(|body| &body.view) else {
                    return unable("no tag");
                };
                Stored { tokens: quote!((#view.tag as i64)), prim: Prim::I64 }
            }
            Storage::Bits { .. } => return unable("bits that share bytes with their neighbours"),
            Storage::Word { .. } => return unable("bits of a word"),
        })
    }

    /// A number of variable width at a place, and the place behind it: a pair.
    pub(super) fn varint(&self, storage: Storage, place: &TokenStream) -> Able<TokenStream> {
        let Storage::Varint(id) = storage else { return unable("no number of variable width") };
        let varint = &self.model.varints[id.index()];
        if !varint.is_plain() {
            return unable(
                "a number of variable width with a sign, or eight bits in its last byte",
            );
        }
        let order = match varint.order {
            GroupOrder::MsbFirst => quote!(MsbFirst),
            GroupOrder::LsbFirst => quote!(LsbFirst),
        };
        let most = Literal::u8_unsuffixed(varint.max_bytes);
        let bits = Literal::u32_unsuffixed(u32::from(varint.ty.bytes) * 8);
        let read = match varint.shortest {
            true => format_ident!("shortest_varint"),
            false => format_ident!("varint"),
        };
        Ok(quote!(#place.#read(::formwork::algorithms::GroupOrder::#order, #most, #bits)?))
    }

    /// A number with its meaning, for a field of this shape.
    pub(super) fn cell(
        &self,
        scope: Scope<'_>,
        spot: &Spot,
        cell: &Cell,
        row: &Row,
        shape: &Shape,
    ) -> Able<Item> {
        let Stored { tokens: raw, prim } = self.stored(scope, spot, cell.storage)?;
        let plus = Literal::i128_unsuffixed(row.plus);
        let number = |raw: TokenStream, target: Prim| {
            let ident = target.ident();
            match (row.plus, target == prim) {
                (0, true) => raw,
                (0, false) => quote!((#raw as #ident)),
                _ => quote!(((#raw as i128 - #plus) as #ident)),
            }
        };
        let raw_name = quote!(raw);
        let (ty, value) = match (&cell.meaning, shape) {
            (Meaning::Int, Shape::Int(target)) => {
                let ident = target.ident();
                (quote!(#ident), number(raw_name, *target))
            }
            (Meaning::Int, Shape::Index(id)) => {
                if row.is_ranked() {
                    return unable("a position among some elements");
                }
                let ident = self.shapes.index_ident(*id);
                let position = number(raw_name, Prim::U32);
                (quote!(super::#ident), quote!(super::#ident::new_const(#position)))
            }
            (Meaning::Bool { .. }, Shape::Bool) => (quote!(bool), quote!(raw != 0)),
            (Meaning::Enum(id), Shape::Enum(_)) => {
                let ident = self.shapes.enum_ident(*id);
                let definition = &self.model.enums[id.index()];
                let number = number(raw_name, self.shapes.enum_prim(*id));
                let value = if definition.closed {
                    let (name, place) = (&definition.name, spot.place());
                    quote! {
                        let at = #place;
                        super::#ident::from_number(#number)
                            .ok_or_else(|| at.no_member(#name, raw as i128))?
                    }
                } else {
                    quote!(super::#ident(#number))
                };
                (quote!(super::#ident), value)
            }
            (Meaning::Word(id), Shape::Word(_)) => {
                let ident = self.shapes.ident(*id);
                let number = number(raw_name, self.shapes.word_prim(*id).unwrap_or(Prim::U64));
                (quote!(super::#ident), quote!(super::#ident(#number)))
            }
            (Meaning::Float(_), Shape::Float32 | Shape::Float64) => {
                let Some(code) = FloatCode::of(cell) else { return unable("a float of bits") };
                if code.is_single() != (*shape == Shape::Float32) {
                    return unable("a float of another width");
                }
                let (ty, bits) = match shape {
                    Shape::Float32 => (quote!(f32), quote!(u32)),
                    _ => (quote!(f64), quote!(u64)),
                };
                let bits = match code.is_plain() {
                    true => quote!(raw as #bits),
                    false => {
                        let code = float_code(code);
                        quote!(#code.value(raw as u64) as #bits)
                    }
                };
                (ty.clone(), quote!(#ty::from_bits(#bits)))
            }
            (Meaning::Word(_), _) => return unable("a word that is a struct"),
            _ => return unable("a number of another Rust type"),
        };
        let nones = storable(&row.none, prim);
        if nones.is_empty() {
            let value = match value.to_string() == "raw" {
                true => raw,
                false => quote!({ let raw = #raw; #value }),
            };
            return Ok(Item { ty, value, optional: false });
        }
        let value = quote!(match #raw { #(#nones)|* => rt::None, raw => rt::Some({ #value }) });
        Ok(Item { ty, value, optional: true })
    }

    /// The marker of elements that are plain numbers in a list.
    pub(super) fn number_element(
        &self,
        cell: &Cell,
        row: &Row,
        shape: &Shape,
    ) -> Option<TokenStream> {
        let Storage::Fixed(int) = cell.storage else { return None };
        if row.plus != 0 || !row.none.is_empty() || !matches!(int.bytes, 1 | 2 | 4 | 8) {
            return None;
        }
        let (low, high) = limits(u32::from(int.bytes) * 8, int.signed);
        let prim = Prim::holding(low, high);
        let ty = match (&cell.meaning, shape) {
            (Meaning::Int, Shape::Int(target)) if *target == prim => prim.ident(),
            (Meaning::Float(_), Shape::Float32 | Shape::Float64)
                if FloatCode::of(cell).is_some_and(|code| {
                    code.is_plain() && code.is_single() == (*shape == Shape::Float32)
                }) =>
            {
                format_ident!("f{}", u32::from(int.bytes) * 8)
            }
            _ => return None,
        };
        let order = match int.order.or(self.order) {
            _ if int.bytes == 1 => quote!(Le),
            Some(crate::model::ByteOrder::Little) => quote!(Le),
            Some(crate::model::ByteOrder::Big) => quote!(Be),
            None => quote!(Ordered),
        };
        Some(quote!(v::#order<#ty>))
    }
}

/// Numbers for nothing, of those that a type of integers has.
pub(super) fn storable<'n>(nones: impl IntoIterator<Item = &'n i128>, prim: Prim) -> Vec<Literal> {
    let (low, high) = prim.range();
    let nones = nones.into_iter().filter(|none| (low..=high).contains(none));
    nones.map(|none| Literal::i128_unsuffixed(*none)).collect()
}
