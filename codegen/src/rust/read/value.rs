//! Types straight as values.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::{Ctx, Reading};
use crate::model::{Content, Encoding, Row, Type};
use crate::rust::shape::Shape;

impl<'m> Reading<'_, 'm> {
    /// Code that reads a type at the cursor as a value of this shape. Nothing of it hangs in the
    /// tree.
    pub(super) fn value(&self, ctx: Ctx, ty: &'m Type, row: &'m Row, shape: &Shape) -> TokenStream {
        let ty = ty.in_epoch(ctx.epoch);
        let align =
            (!super::is_bits(ty) && ctx.block.is_none()).then(|| quote!(cursor.align_bits();));
        let code = self.value_of(ctx, ty, row, shape).unwrap_or_else(|| {
            let item = self.item(ctx, ty, row);
            let build = self.build_plain(shape);
            quote!({ let item = #item; let item = &item; #build })
        });
        quote!({ #align #code })
    }

    fn value_of(&self, ctx: Ctx, ty: &'m Type, row: &'m Row, shape: &Shape) -> Option<TokenStream> {
        match (ty, shape) {
            (Type::Cell(cell), shape) => return self.cell_value(ctx, cell, row, shape),
            // A struct that stands for a row has the option of the row.
            (Type::Record(record), shape) if self.shapes.record(*record) == *shape => {
                let read = format_ident!("read_{}", record.0);
                return Some(quote!(#read(cx, cursor, owner)?));
            }
            // Only pointers decide themselves whether they are none.
            (Type::Pointer(_), _) => return None,
            (_, Shape::Option(inner)) => {
                let inner = self.value(ctx, ty, row, inner);
                return Some(quote!(rt::Some(#inner)));
            }
            (_, Shape::Boxed(inner)) => {
                let inner = self.value(ctx, ty, row, inner);
                return Some(quote!(rt::Box::new(#inner)));
            }
            _ => {}
        }
        Some(match ty {
            Type::Run(run) => {
                let bytes = self.run_bytes(ctx, run);
                let decode = match (run.content, shape) {
                    (Content::Bytes, Shape::Bytes) => quote!(M::bytes(bytes)),
                    (Content::Text(Encoding::Ascii), Shape::Str) => {
                        quote!(M::text(rt::ascii(bytes, at)?))
                    }
                    (Content::Text(Encoding::Utf8), Shape::Str) => {
                        quote!(M::text(rt::utf8(bytes, at)?))
                    }
                    _ => return None,
                };
                let suffix = Self::suffix(run);
                quote!({ let (bytes, at) = #bytes; let content = #decode; #suffix content })
            }
            Type::Record(record) => {
                let read = format_ident!("read_{}", record.0);
                quote!(#read(cx, cursor, owner)?)
            }
            Type::Union(union) => self.union_value(ctx, *union, row),
            Type::Array(array) => self.array_value(ctx, array, row, shape, false),
            Type::Region(region) => {
                let inner = self.value(ctx, &region.inner, row, shape);
                self.region(ctx, region, &inner)
            }
            Type::ByteOrderMark => quote!({
                let at = cursor.at;
                let bytes = cx.core.take(cursor, 2)?;
                rt::byte_order_mark(bytes, at)?
            }),
            _ => return None,
        })
    }

    /// Code of type `(rt::Item, u32)`: reads a type whose value is kept beside the tree as a whole.
    pub(super) fn whole(
        &self,
        ctx: Ctx,
        ty: &'m Type,
        row: &'m Row,
        shape: &Shape,
        store: &proc_macro2::Ident,
    ) -> TokenStream {
        let ty = ty.in_epoch(ctx.epoch);
        if matches!(ty, Type::Nothing) {
            return quote!((rt::Item::Absent, rt::NOTHING));
        }
        let keep = quote!(rt::store(&mut cx.store.#store, value));
        match super::super::shape::strip(ty) {
            Type::Array(array) => {
                let read = self.array_value(ctx, array, row, shape, true);
                let read = wrap_regions(self, ctx, ty, read);
                quote!({
                    cursor.align_bits();
                    let (value, item) = #read;
                    (item, #keep)
                })
            }
            _ => {
                let read = self.value(ctx, ty, row, shape);
                quote!({
                    let at = cursor.at;
                    let value = #read;
                    (rt::counted_item(1, at, cursor.at, rt::Vec::new()), #keep)
                })
            }
        }
    }
}

fn wrap_regions<'m>(
    reading: &Reading<'_, 'm>,
    ctx: Ctx,
    ty: &'m Type,
    inner: TokenStream,
) -> TokenStream {
    match ty {
        Type::Region(region) => {
            let inner = wrap_regions(reading, ctx, region.inner.in_epoch(ctx.epoch), inner);
            reading.region(ctx, region, &inner)
        }
        _ => inner,
    }
}
