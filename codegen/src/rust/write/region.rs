//! Regions: bytes whose extent is said by a size, an end or a terminator.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::put::Put;
use super::src::{Src, coding, run_order};
use super::{Gen, mentions_position};
use crate::model::{Extent, RegionType, RunLength, Terminated, Terminator, Trim, Type};

impl<'m> Gen<'_, 'm> {
    pub fn put_region(&self, put: &Put<'m>, region: &'m RegionType, src: &Src) -> TokenStream {
        let inner = self.put_type(put, &region.inner, src);
        let at = &put.at;
        let record_row = (put.ctx.id, put.row_id);
        let row_number = super::number(put.row_id.index());
        let measured = put.ctx.noded && put.index.to_string() == quote!(rt::None).to_string();
        let known = measured.then(|| {
            quote! {
                if M == w::DRY {
                    if let rt::Some(size) = cx.w.measured.get(&(node, #row_number)) {
                        spot.skip(*size);
                        break 'region;
                    }
                }
            }
        });
        let remember = measured.then(|| {
            quote! {
                if M == w::DRY {
                    cx.w.measured.insert((node, #row_number), spot.at.saturating_sub(begin));
                }
            }
        });
        let room = match &region.extent {
            Extent::Size(size)
                if !self.followed.contains(&record_row) && !mentions_position(size) =>
            {
                let size = self.int(put.ctx, size, &quote!(rt::None));
                quote!(match #size {
                    rt::Ok(size) => size
                        .and_then(|n| u64::try_from(n).ok())
                        .and_then(|n| begin.checked_add(n)),
                    rt::Err(fault) if ::core::matches!(*fault, rt::Fault::NotPlaced(_)) => rt::None,
                    rt::Err(fault) => {
                        w::Write::fail::<M>(cx, fault, #at)?;
                        rt::None
                    }
                })
            }
            Extent::Rest => quote!(around),
            _ => quote!(rt::None),
        };
        let inside = if region.trim.is_some() { quote!(rt::None) } else { quote!(room) };
        let end = match (&region.extent, &region.trim) {
            (Extent::Size(size), None) => {
                self.expect(put, size, &quote!(content_end.saturating_sub(begin)), "size")
            }
            (Extent::End(end), None) => self.expect(put, end, &quote!(content_end), "end"),
            (Extent::Rest, None) => quote!(),
            (Extent::Terminated(terminator), _) => {
                self.terminated(put, region, src, &inner, terminator)
            }
            (extent, Some(trim)) => self.trimmed(put, region, src, &inner, extent, trim),
        };
        quote! {
            'region: {
                let begin = spot.at;
                #known
                let around: rt::Option<u64> = cx.w.room;
                let room: rt::Option<u64> = #room;
                cx.w.room = #inside;
                { #inner }
                cx.w.room = around;
                spot.align();
                let content_end = spot.at;
                #end
                #remember
            }
        }
    }

    /// Code of type `Vec<u8>`: bytes of what is placed already, to look at where it ends.
    fn content_bytes(&self, region: &'m RegionType, src: &Src, inner: &TokenStream) -> TokenStream {
        if let Type::Run(run) = &region.inner
            && matches!(run.length, RunLength::Fill)
            && run.suffix.is_empty()
        {
            let (chars, coding, order) = (src.chars(), coding(run.content), run_order(run.content));
            return quote!((#chars).encode(#coding, #order).into_owned());
        }
        quote!({
            if M == w::DRY {
                return rt::eval_error("the size of a trimmed struct cannot be computed ahead");
            }
            if M == w::LAY {
                // Filled ahead of the rest; the final buffer is made afresh.
                const M: u8 = w::FILL;
                cx.w.reserve(content_end);
                let mut ahead = w::Spot::new(begin);
                let spot = &mut ahead;
                cx.w.room = inside;
                { #inner }
                cx.w.room = around;
            }
            cx.w.written(begin, content_end)
        })
    }

    fn terminated(
        &self,
        put: &Put<'m>,
        region: &'m RegionType,
        src: &Src,
        inner: &TokenStream,
        terminator: &Terminator,
    ) -> TokenStream {
        let at = &put.at;
        let content = self.content_bytes(region, src, inner);
        let end = terminator_code(terminator);
        let what = match terminator.mode {
            Terminated::Kept => "no terminator at its end",
            _ => "the terminator",
        };
        let kept =
            self.kept(put.ctx.id, put.row_id, &put.index, "Tail").unwrap_or(quote!(rt::None));
        let inside = if region.trim.is_some() { quote!(rt::None) } else { quote!(room) };
        quote! {
            let inside: rt::Option<u64> = #inside;
            let content: rt::Vec<u8> = #content;
            let terminator = #end;
            if M == w::LAY && !terminator.ends(&content) {
                cx.w.problem(#at, w::ProblemKind::TextContains { what: #what.into() });
            }
            let width = terminator.bytes.len() as u64;
            let full = around.map_or(false, |room| content_end.saturating_add(width) > room);
            let ended = terminator.optional
                && (full || w::kept_tail(#kept, content.len()).is_some());
            if ::core::matches!(terminator.mode, w::Mode::Dropped) && !ended {
                if M == w::FILL {
                    cx.w.put(content_end, terminator.bytes);
                }
                spot.skip(width);
            }
        }
    }

    fn trimmed(
        &self,
        put: &Put<'m>,
        region: &'m RegionType,
        src: &Src,
        inner: &TokenStream,
        extent: &Extent,
        trim: &Trim,
    ) -> TokenStream {
        let at = &put.at;
        let content = self.content_bytes(region, src, inner);
        let terminator = match &trim.terminator {
            Some(terminator) => {
                let code = terminator_code(terminator);
                quote!(rt::Some(#code))
            }
            None => quote!(rt::None),
        };
        let strip = match trim.strip {
            Some(strip) => quote!(rt::Some(#strip)),
            None => quote!(rt::None),
        };
        let kept =
            self.kept(put.ctx.id, put.row_id, &put.index, "Tail").unwrap_or(quote!(rt::None));
        let expect = match extent {
            Extent::Size(size) => {
                self.expect(put, size, &quote!(spot.at.saturating_sub(begin)), "size")
            }
            _ => quote!(),
        };
        quote! {
            let inside: rt::Option<u64> = rt::None;
            let content: rt::Vec<u8> = #content;
            let trim = w::Trim { terminator: #terminator, strip: #strip };
            let size = room.and_then(|room| usize::try_from(room.saturating_sub(begin)).ok());
            let tail = match w::kept_tail(#kept, content.len())
                .and_then(w::kept_bytes)
                .filter(|tail| size.map_or(true, |size| size == content.len() + tail.len()))
            {
                rt::Some(tail) => rt::Some(tail.to_vec()),
                rt::None => trim.canonical_tail(&content, size),
            };
            let tail = match tail {
                rt::Some(tail) => tail,
                rt::None => {
                    if M == w::LAY {
                        cx.w.problem(#at, w::too_long(size, content.len()));
                    }
                    break 'region;
                }
            };
            if M == w::LAY {
                let mut whole = content.clone();
                whole.extend_from_slice(&tail);
                if trim.content_length(&whole) != content.len() {
                    cx.w.problem(#at, w::ProblemKind::TextContains { what: "what ends it".into() });
                }
            }
            if M == w::FILL {
                cx.w.put(content_end, &tail);
            }
            spot.at = content_end.saturating_add(tail.len() as u64);
            #expect
        }
    }
}

fn terminator_code(terminator: &Terminator) -> TokenStream {
    let bytes = Literal::byte_string(&terminator.bytes);
    let optional = terminator.optional;
    let mode = match terminator.mode {
        Terminated::Dropped => quote!(Dropped),
        Terminated::Kept => quote!(Kept),
        Terminated::Unread => quote!(Unread),
    };
    quote!(w::Terminator { bytes: #bytes, mode: w::Mode::#mode, optional: #optional })
}
