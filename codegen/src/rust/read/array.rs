//! Arrays.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::{Ctx, Reading};
use crate::model::{ArrayLength, ArrayType, Cell, Meaning, Row, RowKind, Storage, Type};
use crate::rust::shape::Shape;

impl<'m> Reading<'_, 'm> {
    /// An array as an item with all its elements.
    pub(super) fn array_item(&self, ctx: Ctx, array: &'m ArrayType, row: &'m Row) -> TokenStream {
        let element = self.item(ctx, &array.element, row);
        let bulk = is_bulk(array.element.in_epoch(ctx.epoch));
        let last = self.last_test(ctx, array);
        let place = ctx.loc.then(|| quote!(let loc = rt::Loc { index, ..loc };));
        let element = quote!({
            let index = rt::Some(position);
            #place
            let item: rt::Item<'i> = #element;
            item
        });
        let read = self.elements(ctx, array, row, &element, &last);
        let starts = (!bulk).then(|| quote!(starts.push(start);));
        quote!({
            let first = cursor.at;
            let mut items: rt::Vec<rt::Item<'i>> = rt::Vec::new();
            let mut starts: rt::Vec<u64> = rt::Vec::new();
            let mut keep = |item: rt::Item<'i>, start: u64| { #starts items.push(item); };
            #read
            rt::array_item(items, first, cursor.at, starts)
        })
    }

    /// An array as a vector, or as a pair of one and its item without elements.
    pub(super) fn array_value(
        &self,
        ctx: Ctx,
        array: &'m ArrayType,
        row: &'m Row,
        shape: &Shape,
        with_item: bool,
    ) -> TokenStream {
        match shape {
            Shape::Option(inner) => {
                let inner = self.array_value(ctx, array, row, inner, with_item);
                return if with_item {
                    quote!({ let (value, item) = #inner; (rt::Some(value), item) })
                } else {
                    quote!(rt::Some(#inner))
                };
            }
            Shape::Boxed(inner) => return self.array_value(ctx, array, row, inner, with_item),
            _ => {}
        }
        let (element_shape, fixed) = match shape {
            Shape::List(element) => (&**element, None),
            Shape::Fixed(element, count) => (&**element, Some(*count)),
            other => (other, None),
        };
        let element_ty = array.element.in_epoch(ctx.epoch);
        if let Some(code) = self.bulk(ctx, array, element_ty, row, element_shape) {
            let value = finish(self, fixed, element_shape);
            return if with_item {
                quote!({
                    let first = cursor.at;
                    let values = #code;
                    let item =
                        rt::counted_item(values.len(), first, cursor.at, rt::Vec::new());
                    (#value, item)
                })
            } else {
                quote!({ let values = #code; #value })
            };
        }
        let (element, last) = match &array.length {
            ArrayLength::Last(last) if !super::contains_record(element_ty) => {
                let (item, build) =
                    (self.item(ctx, &array.element, row), self.build_plain(element_shape));
                let condition = self.truth(ctx, last, Some(quote!(it)));
                let element = quote!({
                    let item: rt::Item<'i> = #item;
                    let it = rt::Val::of(&item);
                    is_last = #condition;
                    let item = &item;
                    #build
                });
                (element, quote!(is_last))
            }
            _ => (self.value(ctx, &array.element, row, element_shape), self.last_value(ctx, array)),
        };
        let element = quote!({ let index = rt::Some(position); #element });
        let read = self.elements(ctx, array, row, &element, &last);
        let starts = with_item.then(|| quote!(starts.push(start);));
        let ty = self.ty(element_shape);
        let value = finish(self, fixed, element_shape);
        let result = if with_item { quote!((#value, item)) } else { quote!(#value) };
        let item = with_item
            .then(|| quote!(let item = rt::counted_item(values.len(), first, cursor.at, starts);));
        quote!({
            let first = cursor.at;
            let mut values: rt::Vec<#ty> = rt::Vec::new();
            let mut starts: rt::Vec<u64> = rt::Vec::new();
            let mut is_last = false;
            let mut keep = |value: #ty, start: u64| { #starts values.push(value); };
            #read
            #item
            #result
        })
    }

    /// Numbers of whole bytes one behind the other, in one go.
    fn bulk(
        &self,
        ctx: Ctx,
        array: &ArrayType,
        element: &Type,
        row: &Row,
        shape: &Shape,
    ) -> Option<TokenStream> {
        let ArrayLength::Count(count) = &array.length else { return None };
        let Type::Cell(Cell { storage: Storage::Fixed(int), meaning }) = element else {
            return None;
        };
        if array.stride.is_some() || !row.none.is_empty() || row.plus != 0 {
            return None;
        }
        let convert = match (shape, meaning) {
            (Shape::Int(prim), Meaning::Int) => {
                let prim = prim.ident();
                if int.signed {
                    let bits = u32::from(int.bytes) * 8;
                    quote!(::formwork::sign_extend(raw, #bits) as #prim)
                } else {
                    quote!(raw as #prim)
                }
            }
            (Shape::Float32, Meaning::Float) if int.bytes == 4 => {
                quote!(f32::from_bits(raw as u32))
            }
            (Shape::Float64, Meaning::Float) if int.bytes == 8 => quote!(f64::from_bits(raw)),
            _ => return None,
        };
        let width = int.bytes;
        let size = Literal::usize_unsuffixed(int.bytes.into());
        let big = self.big(int.bytes, int.order);
        let count = self.count(ctx, count);
        Some(quote!({
            let count: u64 = #count;
            let big = #big;
            let bytes = rt::bulk(&mut cx.core, cursor, count, #width)?;
            let convert = |unit: &[u8]| {
                let raw = rt::load(unit, 0, #width, big);
                #convert
            };
            bytes.chunks_exact(#size).map(convert).collect::<rt::Vec<_>>()
        }))
    }

    /// The loop over the elements. `element` is code for one, at `position`; `last` says after each
    /// whether it was the last, of `item`.
    fn elements(
        &self,
        ctx: Ctx,
        array: &'m ArrayType,
        row: &Row,
        element: &TokenStream,
        last: &TokenStream,
    ) -> TokenStream {
        let (count, more) = match &array.length {
            ArrayLength::Count(count) => {
                let count = self.count(ctx, count);
                (quote!(let count: u64 = #count;), quote!(u64::from(position) < count))
            }
            ArrayLength::Fill => {
                (quote!(), quote!(cursor.bits.is_some() || cursor.remaining() > 0))
            }
            ArrayLength::Last(_) => (quote!(), quote!(true)),
        };
        // The members of a pool stand in place of an array's elements.
        let pad = match &row.kind {
            RowKind::Pool { pad, .. } if *pad > 1 => quote!(rt::pad(&cx.core, cursor, #pad)?;),
            _ => quote!(),
        };
        let fill = matches!(array.length, ArrayLength::Fill).then(|| {
            quote!(if cursor.at == start && cursor.bits.is_none() {
                return rt::Err(rt::empty_element(start));
            })
        });
        let stride = array.stride.as_ref().map(|stride| self.count(ctx, stride));
        let body = match stride {
            None => quote!(let item = #element; #pad),
            Some(stride) => quote! {
                let stride: u64 = { let index = rt::Some(position); #stride };
                let mut inside = rt::stride(cursor, stride)?;
                let item = { let cursor = &mut inside; #element };
                rt::exactly(&mut inside)?;
                cursor.at = inside.limit;
            },
        };
        quote! {
            #count
            let mut position: u32 = 0;
            while #more {
                let start = cursor.at;
                let result = (|| -> rt::Read<_> {
                    cx.core.charge(4, start)?;
                    #body
                    #fill
                    let last: bool = #last;
                    rt::Ok((item, last))
                })();
                match result {
                    rt::Ok((item, last)) => {
                        keep(item, start);
                        position = position.saturating_add(1);
                        if last {
                            break;
                        }
                    }
                    rt::Err(error) => return rt::Err(error.in_index(position as usize)),
                }
            }
        }
    }

    /// Whether the item that was read is the last.
    fn last_test(&self, ctx: Ctx, array: &ArrayType) -> TokenStream {
        let ArrayLength::Last(last) = &array.length else { return quote!(false) };
        let condition = self.truth(ctx, last, Some(quote!(it)));
        quote!({ let it = rt::Val::of(&item); #condition })
    }

    /// The same for a value.
    fn last_value(&self, ctx: Ctx, array: &ArrayType) -> TokenStream {
        let ArrayLength::Last(last) = &array.length else { return quote!(false) };
        let condition = self.truth(ctx, last, Some(quote!(it)));
        quote!({ let it: rt::Val<'i> = rt::Val::None; #condition })
    }
}

/// From `values` to a value of the shape.
fn finish(reading: &Reading<'_, '_>, fixed: Option<usize>, element: &Shape) -> TokenStream {
    match fixed {
        None => quote!(values),
        Some(count) => {
            let default = reading.shifted(reading.shapes.default(element));
            quote!({
                let mut all = [#default; #count];
                for (to, from) in all.iter_mut().zip(values) {
                    *to = from;
                }
                all
            })
        }
    }
}

fn is_bulk(element: &Type) -> bool {
    matches!(
        element,
        Type::Cell(Cell { storage: Storage::Fixed(_), meaning })
            if !matches!(meaning, Meaning::Word(_))
    )
}
