//! Types as items of the tree.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::{Ctx, Reading};
use crate::model::{Content, Encoding, Row, RunLength, RunType, Type};

impl<'m> Reading<'_, 'm> {
    /// Code of type `rt::Item` that reads a type at the cursor.
    pub(super) fn item(&self, ctx: Ctx, ty: &'m Type, row: &'m Row) -> TokenStream {
        let ty = ty.in_epoch(ctx.epoch);
        let align =
            (!super::is_bits(ty) && ctx.block.is_none()).then(|| quote!(cursor.align_bits();));
        let code = match ty {
            Type::Cell(cell) => self.cell_item(ctx, cell, row),
            Type::Run(run) => self.run_item(ctx, run),
            Type::Record(record) => {
                let read = format_ident!("read_{}", record.0);
                if self.plan.noded(*record) {
                    quote!(rt::Item::Node(#read(cx, cursor, loc)?))
                } else {
                    quote!({
                        let at = cursor.at;
                        let _ = #read(cx, cursor, owner)?;
                        rt::counted_item(1, at, cursor.at, rt::Vec::new())
                    })
                }
            }
            Type::Union(union) => self.union_item(ctx, *union, row),
            Type::Pointer(pointer) => self.pointer_item(ctx, pointer, row),
            Type::Array(array) => self.array_item(ctx, array, row),
            Type::Region(region) => {
                let inner = self.item(ctx, &region.inner, row);
                self.region(ctx, region, &inner)
            }
            Type::ByteOrderMark => quote!({
                let at = cursor.at;
                let bytes = cx.core.take(cursor, 2)?;
                rt::endian_item(rt::byte_order_mark(bytes, at)?)
            }),
            Type::Text | Type::Nothing | Type::PerEpoch(_) => quote!(rt::Item::Absent),
        };
        quote!({ #align #code })
    }

    /// Code of type `(&'i [u8], u64)`: the bytes of a run, and where they begin.
    pub(super) fn run_bytes(&self, ctx: Ctx, run: &RunType) -> TokenStream {
        let align = run.align.map(|align| quote!(cx.core.align(cursor, #align)?;));
        let unit = unit_bytes(run.content);
        let units = match &run.length {
            RunLength::Prefix(cell) => {
                let stored = self.stored(ctx, cell);
                quote!({ let n = #stored; u64::try_from(n).unwrap_or(u64::MAX) })
            }
            RunLength::Fill => quote!(cursor.remaining()),
            RunLength::Fixed(size) => quote!(#size),
            RunLength::Count(count) => self.count(ctx, count),
        };
        let unit = match run.length {
            RunLength::Fill | RunLength::Fixed(_) => 1_u64,
            _ => unit,
        };
        quote!({
            #align
            let units: u64 = #units;
            cx.core.run(cursor, units, #unit)?
        })
    }

    /// Code that reads what must follow a run, when its content is known to be good.
    pub(super) fn suffix(run: &RunType) -> TokenStream {
        if run.suffix.is_empty() {
            return quote!();
        }
        let suffix = proc_macro2::Literal::byte_string(&run.suffix);
        quote!(cx.core.suffix(cursor, #suffix)?;)
    }

    fn run_item(&self, ctx: Ctx, run: &RunType) -> TokenStream {
        let bytes = self.run_bytes(ctx, run);
        let decode = match run.content {
            Content::Bytes => quote!(rt::Item::Bytes(rt::Bytes::Borrowed(bytes))),
            Content::Text(Encoding::Ascii) => {
                quote!(rt::Item::Text(rt::Text::Borrowed(rt::ascii(bytes, at)?)))
            }
            Content::Text(Encoding::Utf8) => {
                quote!(rt::Item::Text(rt::Text::Borrowed(rt::utf8(bytes, at)?)))
            }
            Content::Text(Encoding::Utf32) => {
                let big = self.big(4, None);
                quote!({
                    let big = #big;
                    rt::Item::Text(rt::utf32(bytes, big, at)?.into())
                })
            }
            Content::Text(encoding) => {
                let big = self.text_order(encoding);
                quote!({ let big = #big; rt::units_item(rt::utf16(bytes, big, at)?) })
            }
        };
        let suffix = Self::suffix(run);
        quote!({ let (bytes, at) = #bytes; let content = #decode; #suffix content })
    }

    /// Whether the highest byte of a unit comes first.
    pub(super) fn text_order(&self, encoding: Encoding) -> TokenStream {
        match encoding {
            Encoding::Utf16Le => quote!(false),
            Encoding::Utf16Be => quote!(true),
            _ => self.big(2, None),
        }
    }
}

/// Bytes of one unit of a run's length.
pub(super) fn unit_bytes(content: Content) -> u64 {
    match content {
        Content::Text(Encoding::Utf16 | Encoding::Utf16Le | Encoding::Utf16Be) => 2,
        Content::Text(Encoding::Utf32) => 4,
        Content::Bytes | Content::Text(_) => 1,
    }
}
