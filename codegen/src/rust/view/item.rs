//! What is in a row, an element, or behind a pointer.

use proc_macro2::{Literal, TokenStream, TokenTree};
use quote::quote;

use super::Views;
use super::cell::storable;
use super::rows::Scope;
use crate::model::{
    ArrayLength, ByteOrder, Content, Encoding, Extent, PointerType, RecordId, RegionType, Row,
    RowId, RunLength, RunType, Target, Terminator, Type, unit_size,
};
use crate::rust::shape::Shape;
use crate::rust::straight::{Able, ends, unable};

/// Where something is.
#[derive(Clone)]
pub(super) enum Spot {
    /// At a constant place in a block, which begins at a place.
    Block { block: TokenStream, place: TokenStream, at: u64 },
    /// At a place.
    At(TokenStream),
}

impl Spot {
    /// The place.
    pub fn place(&self) -> TokenStream {
        match self {
            Spot::Block { place, at: 0, .. } => place.clone(),
            Spot::Block { place, at, .. } => {
                let at = Literal::u64_unsuffixed(*at);
                quote!(#place.forward(#at))
            }
            Spot::At(place) => place.clone(),
        }
    }
}

/// What is found somewhere.
pub(super) struct Item {
    /// Its type.
    pub ty: TokenStream,
    /// The value, an option if it is `optional`; where it may not be found, an error is returned.
    pub value: TokenStream,
    /// Whether it may be nothing.
    pub optional: bool,
}

impl Item {
    fn new(ty: TokenStream, value: TokenStream) -> Item {
        Item { ty, value, optional: false }
    }

    /// As an option.
    pub fn option(&self) -> TokenStream {
        let value = &self.value;
        match self.optional {
            true => value.clone(),
            false => quote!(rt::Some(#value)),
        }
    }
}

/// Code that knows a place as `at`.
pub(super) fn at_place(place: &TokenStream, code: &TokenStream) -> TokenStream {
    match place.to_string() == "at" {
        true => quote!({ #code }),
        false => quote!({ let at = #place; #code }),
    }
}

/// Whether code may return an error.
pub(super) fn may_fail(code: &TokenStream) -> bool {
    code.clone().into_iter().any(|token| match token {
        TokenTree::Punct(punct) => punct.as_char() == '?',
        TokenTree::Group(group) => may_fail(&group.stream()),
        _ => false,
    })
}

/// How a number leads somewhere.
pub(super) struct Lead {
    /// The number as it is stored.
    pub raw: TokenStream,
    /// Numbers for nothing.
    pub nones: Vec<Literal>,
    /// The address, an option; code that knows the number as `raw` and its own place as `from`.
    pub address: TokenStream,
}

/// The number of bytes that an expression of tokens takes.
fn constant(number: u64) -> TokenStream {
    let number = Literal::u64_unsuffixed(number);
    quote!(rt::Some(#number))
}

impl Views<'_, '_> {
    /// What is somewhere; `row` is that of the record which holds it.
    pub(super) fn item(
        &self,
        scope: Scope<'_>,
        spot: &Spot,
        ty: &Type,
        row: (RecordId, RowId),
        shape: &Shape,
    ) -> Able<Item> {
        let shape = shape.core();
        let model = &self.layouts[scope.epoch()];
        let definition = &model.records[row.0.index()].rows[row.1.index()];
        match ty {
            Type::Cell(cell) => self.cell(scope, spot, cell, definition, shape),
            Type::Run(run) => self.run(scope, spot, run),
            Type::Record(id) => {
                if self.is_case(*id) || self.shapes.is_plain_word(*id) {
                    return unable("a struct of another kind");
                }
                if self.model.records[id.index()].endian.is_some() {
                    return unable("a struct with a byte order of its own");
                }
                if let Some(union) = self.body_union(*id) {
                    return self.union_item(Scope::Element(scope.epoch()), spot, union);
                }
                self.says_something(*id)?;
                let fixed = self.fixed_size(ty);
                let (ty, ident, at) = (self.record_ty(*id), self.record_ident(*id), spot.place());
                if let (Spot::Block { block, at: from, .. }, Some(_)) = (spot, fixed)
                    && let Some(size) = self.sizes[scope.epoch()].record(*id)
                {
                    let (from, size) =
                        (Literal::u64_unsuffixed(*from), Literal::u64_unsuffixed(size));
                    let block = quote!(v::bytes(#block, #from, #size));
                    return Ok(Item::new(
                        ty,
                        quote!(<#ident<'a> as v::Fixed<'a>>::item(#block, #at)),
                    ));
                }
                Ok(Item::new(ty, quote!(#ident::__at(#at)?)))
            }
            Type::Union(id) => self.union_item(scope, spot, *id),
            Type::Pointer(pointer) => self.pointer(scope, spot, pointer, row, shape),
            Type::Array(array) => {
                if array.stride.is_some() {
                    return unable("elements at distances of their own");
                }
                if array.described.is_some() {
                    return unable("elements that something else describes");
                }
                let element = self.element(row)?;
                let (marker, at) = (&element.marker, spot.place());
                let list = match element.fixed {
                    true => quote!(v::List),
                    false => quote!(v::Items),
                };
                let ty = quote!(#list<'a, #marker>);
                let value = match (&array.length, element.fixed) {
                    (ArrayLength::Count(count), fixed) => {
                        let known = self.model.exprs.constant(*count);
                        let known = known.and_then(|count| u64::try_from(count).ok());
                        let size = self.sizes[scope.epoch()].of(&array.element);
                        match (known, size, spot) {
                            (Some(count), Some(size), Spot::Block { block, at: from, .. })
                                if fixed =>
                            {
                                let Some(size) = count.checked_mul(size) else {
                                    return unable("an array that is too long");
                                };
                                let count = Literal::u64_unsuffixed(count);
                                let size = Literal::u64_unsuffixed(size);
                                let from = Literal::u64_unsuffixed(*from);
                                quote!(#list::within(v::bytes(#block, #from, #size), #at, #count))
                            }
                            _ => {
                                let count = self.size(scope, &at, *count)?;
                                at_place(&at, &quote!(#list::counted(at, #count)?))
                            }
                        }
                    }
                    (ArrayLength::Fill, true) => quote!(#list::filling(#at)?),
                    (ArrayLength::Fill, false) => quote!(#list::filling(#at)),
                    (ArrayLength::Last(_), _) => return unable("an array that an element ends"),
                };
                Ok(Item::new(ty, value))
            }
            Type::Region(region) => {
                let at = quote!(at);
                let inside = self.inside(scope, region, &at)?;
                let inner = self.item(scope, &Spot::At(quote!(at)), &region.inner, row, shape)?;
                let (place, value) = (spot.place(), inner.value);
                let value = at_place(&place, &quote!(let at = #inside; #value));
                Ok(Item { value, ..inner })
            }
            Type::ByteOrderMark => {
                let at = spot.place();
                Ok(Item::new(quote!(::formwork::Endian), quote!(#at.order())))
            }
            Type::PerEpoch(_) | Type::Text | Type::Nothing => unable("nothing of this layout"),
        }
    }

    /// An expression as a number of bytes or elements, for code that knows a place.
    pub(super) fn size(
        &self,
        scope: Scope<'_>,
        place: &TokenStream,
        expr: crate::model::ExprId,
    ) -> Able<TokenStream> {
        if let Some(number) = self.model.exprs.constant(expr) {
            return match u64::try_from(number) {
                Ok(number) => Ok(constant(number)),
                Err(_) => unable("a negative length"),
            };
        }
        match scope {
            Scope::Row(body) => self.number(body, place, expr),
            Scope::Element(_) => unable("a length that the struct around says"),
        }
    }

    /// The content of a region at a place.
    pub(super) fn inside(
        &self,
        scope: Scope<'_>,
        region: &RegionType,
        place: &TokenStream,
    ) -> Able<TokenStream> {
        if region.align().is_some() {
            return unable("an aligned text that something else ends");
        }
        let room = match &region.extent {
            Extent::Size(size) => {
                let size = self.size(scope, place, *size)?;
                quote!(#place.region(#size)?)
            }
            Extent::End(end) => {
                let end = self.size(scope, place, *end)?;
                quote!(#place.region_to(#end)?)
            }
            Extent::Terminated(stop) => {
                let stop = self.stop(stop)?;
                quote!(#place.terminated(#stop)?.0)
            }
            Extent::Rest => place.clone(),
        };
        Ok(match &region.trim {
            Some(trim) => {
                if let Some(stop) = &trim.terminator {
                    self.stop(stop)?;
                }
                let cut = ends::cut(trim, self.is_big());
                quote!(#room.trimmed(#cut))
            }
            None => room,
        })
    }

    /// A terminator.
    pub(super) fn stop(&self, of: &Terminator) -> Able<TokenStream> {
        if of.has_order() && self.order.is_none() {
            return unable("units that end a text, in a byte order that the file says");
        }
        Ok(ends::stop(of, self.is_big()))
    }

    fn is_big(&self) -> bool {
        self.order == Some(ByteOrder::Big)
    }

    /// Bytes or text.
    fn run(&self, scope: Scope<'_>, spot: &Spot, run: &RunType) -> Able<Item> {
        let unit = unit_size(run.content);
        let at = quote!(at);
        let place = match run.align.filter(|align| *align > 1) {
            Some(align) => {
                let (place, align) = (spot.place(), Literal::u64_unsuffixed(align));
                quote!(#place.aligned(#align)?)
            }
            None => spot.place(),
        };
        // The bytes, for code that knows where they begin as `at`.
        let (before, bytes) = match &run.length {
            RunLength::Fixed(_) | RunLength::Count(_) => {
                let known = match &run.length {
                    RunLength::Fixed(bytes) => Some(*bytes),
                    RunLength::Count(count) => {
                        let count = self.model.exprs.constant(*count);
                        count.and_then(|count| u64::try_from(count).ok()?.checked_mul(unit))
                    }
                    _ => None,
                };
                match (known, spot, &run.length) {
                    (Some(size), Spot::Block { block, at: from, .. }, _) if run.align.is_none() => {
                        let (from, size) =
                            (Literal::u64_unsuffixed(*from), Literal::u64_unsuffixed(size));
                        (TokenStream::new(), quote!(v::bytes(#block, #from, #size)))
                    }
                    (Some(size), ..) => {
                        let size = Literal::u64_unsuffixed(size);
                        (TokenStream::new(), quote!(at.take(#size)?))
                    }
                    (None, _, RunLength::Count(count)) => {
                        let count = self.size(scope, &at, *count)?;
                        let unit = Literal::u64_unsuffixed(unit);
                        let size = quote!(at.size(#count)?.saturating_mul(#unit));
                        (TokenStream::new(), quote!(at.take(#size)?))
                    }
                    _ => return unable("a text that is too long"),
                }
            }
            RunLength::Fill => (TokenStream::new(), quote!(at.rest())),
            RunLength::Prefix(cell) => {
                let prefix = self.prefix(cell, &at)?;
                let unit = Literal::u64_unsuffixed(unit);
                (
                    quote!(let (count, at) = #prefix;),
                    quote!(at.take(at.size(rt::Some(count as i128))?.saturating_mul(#unit))?),
                )
            }
        };
        let (ty, value) = match run.content {
            Content::Bytes => (quote!(&'a [u8]), bytes),
            Content::Text(Encoding::Utf8) => (quote!(&'a str), quote!(at.utf8(#bytes)?)),
            Content::Text(Encoding::Ascii) => (quote!(&'a str), quote!(at.ascii(#bytes)?)),
            Content::Text(Encoding::Utf32) => return unable("text in UTF-32"),
            Content::Text(Encoding::Latin1) => return unable("text in Latin-1"),
            Content::Text(Encoding::Cp1252) => return unable("text in Windows-1252"),
            Content::Text(Encoding::Mutf8) => return unable("text in modified UTF-8"),
            Content::Text(encoding) => {
                let marker = match (encoding, self.order) {
                    (Encoding::Utf16Le, _) => quote!(v::Le<u16>),
                    (Encoding::Utf16Be, _) => quote!(v::Be<u16>),
                    (_, Some(ByteOrder::Little)) => quote!(v::Le<u16>),
                    (_, Some(ByteOrder::Big)) => quote!(v::Be<u16>),
                    (_, None) => quote!(v::Ordered<u16>),
                };
                let value = quote!({
                    let bytes = #bytes;
                    v::List::within(bytes, at, bytes.len() / 2)
                });
                (quote!(v::List<'a, #marker>), value)
            }
        };
        Ok(Item::new(ty, at_place(&place, &quote!(#before #value))))
    }

    /// The number in front of a text at a place, and the place behind it: a pair.
    pub(super) fn prefix(
        &self,
        cell: &crate::model::Cell,
        place: &TokenStream,
    ) -> Able<TokenStream> {
        match cell.storage {
            crate::model::Storage::Fixed(int) => {
                let width = Literal::u8_unsuffixed(int.bytes);
                let number = self.load(int, place).0;
                Ok(quote!((#number, #place.skip(#width)?)))
            }
            storage @ crate::model::Storage::Varint(_) => self.varint(storage, place),
            _ => unable("a length in bits"),
        }
    }

    /// How a number leads somewhere.
    pub(super) fn lead(
        &self,
        scope: Scope<'_>,
        spot: &Spot,
        pointer: &PointerType,
        row: &Row,
    ) -> Able<Lead> {
        let model = &self.layouts[scope.epoch()];
        let kind = &model.pointers[pointer.kind.index()];
        let storage = pointer.cell.as_ref().map_or(kind.cell.storage, |cell| cell.storage);
        let stored = self.stored(scope, spot, storage)?;
        let [skip, unit] = [kind.skip, kind.unit].map(Literal::u64_unsuffixed);
        let less = (kind.skip != 0).then(|| quote!(- #skip));
        let number = match kind.unit {
            1 => quote!(rt::Some(raw as i128 #less)),
            _ => quote!(i128::checked_mul(raw as i128, #unit).map(|bytes| bytes #less)),
        };
        let address = match (kind.base, scope.body()) {
            (None, _) => number,
            (Some(base), Some(body)) => {
                let base = self.number(body, &quote!(from), base)?;
                quote!(v::both(#base, #number, i128::checked_add))
            }
            (Some(_), None) => {
                return unable("a pointer that counts from what the struct around says");
            }
        };
        let nones = storable(row.none.iter().chain(&kind.none), stored.prim);
        Ok(Lead { raw: stored.tokens, nones, address })
    }

    /// What a pointer leads to.
    fn pointer(
        &self,
        scope: Scope<'_>,
        spot: &Spot,
        pointer: &PointerType,
        row: (RecordId, RowId),
        shape: &Shape,
    ) -> Able<Item> {
        let model = &self.layouts[scope.epoch()];
        let kind = &model.pointers[pointer.kind.index()];
        let definition = &model.records[row.0.index()].rows[row.1.index()];
        let target = match &pointer.target {
            Target::Own(target) => target,
            Target::Pooled => match kind.text.as_deref() {
                Some(text) => text,
                None => return unable("a pool of no text"),
            },
            Target::Element => return unable("a pointer to an element"),
        };
        let Lead { raw, nones, address } = self.lead(scope, spot, pointer, definition)?;
        let place = spot.place();
        let at = quote!(at);
        let inner = self.item(scope, &Spot::At(at), target, row, shape)?;
        let value = &inner.value;
        let lead = |value: &TokenStream| quote!({ let at = from.to(#address)?; #value });
        if nones.is_empty() {
            let value = lead(value);
            let value = quote!({ let (from, raw) = (#place, #raw); #value });
            return Ok(Item { value, ..inner });
        }
        let may_be_none = pointer.may_be_none(model, definition);
        let (none, some, optional) = match () {
            () if may_be_none => (quote!(rt::None), lead(&inner.option()), true),
            () if !pointer.optional && !inner.optional => match target.stripped() {
                Type::Array(_) => {
                    let list = match self.element(row)?.fixed {
                        true => quote!(v::List),
                        false => quote!(v::Items),
                    };
                    (quote!(#list::empty(from)), lead(value), false)
                }
                Type::Run(run) if matches!(run.length, RunLength::Count(_) | RunLength::Fill) => {
                    let ty = &inner.ty;
                    (quote!(<#ty>::default()), lead(value), false)
                }
                _ => (quote!(rt::Err(from.null())?), lead(value), false),
            },
            () => (quote!(rt::Err(from.null())?), lead(value), inner.optional),
        };
        let value = quote!({
            let from = #place;
            match #raw { #(#nones)|* => #none, raw => #some }
        });
        Ok(Item { ty: inner.ty, value, optional })
    }
}
