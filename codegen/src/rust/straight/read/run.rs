//! Runs of bytes and text.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::{Ctx, Reading, Sink, Spot, size};
use crate::model::{Cell, Content, Encoding, Meaning, RunLength, RunType, unit_size};
use crate::rust::shape::Shape;
use crate::rust::straight::able::{Able, unable};
use crate::rust::straight::context::Flavour;

impl<'m> Reading<'_, '_, 'm> {
    pub(super) fn run(
        &self,
        ctx: &Ctx<'m>,
        spot: &Spot,
        run: &RunType,
        target: &Shape,
        sink: Sink<'_>,
    ) -> Able<TokenStream> {
        let content = self.local("t");
        let (before, behind) = match spot {
            Spot::Block { block, at, .. } => {
                let (RunLength::Fixed(_) | RunLength::Count(_), None) = (&run.length, run.align)
                else {
                    return unable("text or bytes of no fixed size within a block");
                };
                let bytes = match &run.length {
                    RunLength::Fixed(bytes) => Some(*bytes),
                    RunLength::Count(count) => self
                        .model
                        .exprs
                        .constant(*count)
                        .and_then(|count| u64::try_from(count).ok())
                        .and_then(|count| count.checked_mul(unit_size(run.content))),
                    _ => None,
                };
                let Some(bytes) = bytes else {
                    return unable("text or bytes of no fixed size within a block");
                };
                let suffix = suffix(run);
                let end = Literal::u64_unsuffixed(at + bytes);
                let suffix = suffix.map(|suffix| {
                    let width = Literal::usize_unsuffixed(run.suffix.len());
                    quote!(s::holds(s::bytes(#block, #end, #width) == #suffix)?;)
                });
                let (at, bytes) = (size(*at), size(bytes));
                (quote!(let #content = s::bytes(#block, #at, #bytes);), suffix)
            }
            Spot::Stream { part, .. } => {
                let align = run.align.filter(|align| *align > 1).map(|align| {
                    let align = size(align);
                    quote!(#part.align(#align)?;)
                });
                let (prefix, take) = match &run.length {
                    RunLength::Prefix(cell) => {
                        let (prefix, count) = self.prefix(ctx, spot, cell)?;
                        let width = size(unit_size(run.content));
                        let take = match unit_size(run.content) {
                            1 => quote!(#part.take(#count)?),
                            _ => quote!(#part.many(#count, #width)?),
                        };
                        (prefix, take)
                    }
                    RunLength::Fill => (
                        TokenStream::new(),
                        match unit_size(run.content) {
                            1 => quote!(#part.rest()),
                            width => {
                                let width = size(width);
                                quote!(#part.all(#width)?)
                            }
                        },
                    ),
                    RunLength::Fixed(bytes) => {
                        if bytes % unit_size(run.content) != 0 {
                            return unable("half a letter of UTF-16");
                        }
                        let bytes = size(*bytes);
                        (TokenStream::new(), quote!(#part.take(#bytes)?))
                    }
                    RunLength::Count(count) => {
                        let count = self.length(ctx, *count)?;
                        let width = size(unit_size(run.content));
                        let filled = ctx.filled.then(|| quote!(s::holds(#count != 0)?;));
                        (quote!(#filled), quote!(#part.many(#count, #width)?))
                    }
                };
                let suffix = suffix(run).map(|suffix| quote!(#part.expect(#suffix)?;));
                if matches!(run.length, RunLength::Fill) && suffix.is_some() {
                    return unable("something behind what reaches to the end");
                }
                (quote!(#align #prefix let #content = #take;), suffix)
            }
        };
        let value = self.decoded(ctx, run.content, &quote!(#content), target.core())?;
        let value = sink(self.wrap(target, value));
        Ok(quote!(#before #behind #value))
    }

    /// The number of units in front of a run: statements, and a `usize`.
    fn prefix(&self, ctx: &Ctx<'m>, spot: &Spot, cell: &Cell) -> Able<(TokenStream, TokenStream)> {
        let (Meaning::Int, (before, stored)) =
            (&cell.meaning, self.stored(ctx, spot, cell.storage)?)
        else {
            return unable("a length that is no number");
        };
        let count = self.local("u");
        let raw = stored.tokens;
        let (low, high) = stored.prim.range();
        let convert = if low == 0 && high <= 0xffff {
            quote!(usize::from(#raw))
        } else {
            quote!(s::known(usize::try_from(#raw).ok())?)
        };
        Ok((quote!(#before let #count = #convert;), quote!(#count)))
    }

    fn decoded(
        &self,
        ctx: &Ctx<'m>,
        content: Content,
        bytes: &TokenStream,
        target: &Shape,
    ) -> Able<TokenStream> {
        if let Flavour::Arena = self.straight.flavour {
            return Ok(match (content, target) {
                (Content::Bytes, Shape::Bytes) => quote!(s::bytes_in(arena, #bytes)?),
                (Content::Text(Encoding::Utf8), Shape::Str) => {
                    quote!(s::text_in(arena, s::utf8(#bytes)?)?)
                }
                (Content::Text(Encoding::Ascii), Shape::Str) => {
                    quote!(s::text_in(arena, s::ascii(#bytes)?)?)
                }
                (Content::Text(encoding), Shape::Utf16) => match encoding {
                    Encoding::Utf16Le => quote!(s::units_in(arena, #bytes)?),
                    Encoding::Utf16Be => quote!(s::units_in_be(arena, #bytes)?),
                    Encoding::Utf16 if ctx.big => quote!(s::units_in_be(arena, #bytes)?),
                    Encoding::Utf16 => quote!(s::units_in(arena, #bytes)?),
                    _ => return unable("text of another Rust type"),
                },
                _ => return unable("text in this encoding"),
            });
        }
        Ok(match (content, target) {
            (Content::Bytes, Shape::Bytes) => quote!(M::bytes(#bytes)),
            (Content::Text(Encoding::Utf8), Shape::Str) => quote!(M::text(s::utf8(#bytes)?)),
            (Content::Text(Encoding::Ascii), Shape::Str) => quote!(M::text(s::ascii(#bytes)?)),
            (Content::Text(encoding), Shape::Utf16) => match encoding {
                Encoding::Utf16Le => quote!(s::utf16(#bytes)),
                Encoding::Utf16Be => quote!(s::utf16_be(#bytes)),
                Encoding::Utf16 if ctx.big => quote!(s::utf16_be(#bytes)),
                Encoding::Utf16 => quote!(s::utf16(#bytes)),
                _ => return unable("text of another Rust type"),
            },
            _ => return unable("text in this encoding"),
        })
    }
}

/// What stands behind a run, as an array.
fn suffix(run: &RunType) -> Option<TokenStream> {
    let bytes = Literal::byte_string(&run.suffix);
    (!run.suffix.is_empty()).then(|| quote!(#bytes))
}
