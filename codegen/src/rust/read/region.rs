//! Bytes that something must fill exactly.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::{Ctx, Reading, mentions_position};
use crate::model::{
    DefinerScope, DefinerSource, Expr, Extent, Measure, RegionType, Terminated, Terminator, Trim,
};
use crate::rust::visit::{records, union_in};

impl<'m> Reading<'_, 'm> {
    /// Code that reads what is in a region by `inner`, whose value it has.
    pub(super) fn region(
        &self,
        ctx: Ctx,
        region: &'m RegionType,
        inner: &TokenStream,
    ) -> TokenStream {
        let here = self.positions.then(|| {
            quote! {
                cx.core.here = cursor.at;
                cx.core.region_end = cursor.limit;
            }
        });
        let (end, room) = match &region.extent {
            Extent::Size(size) => {
                let room = self.gives_room(ctx, size);
                let size = self.count(ctx, size);
                (quote!({ let size = #size; rt::sized(cursor, size)? }), quote!(#room))
            }
            Extent::End(end) => {
                let end = self.count(ctx, end);
                (quote!({ let end = #end; rt::ending(cursor, end)? }), quote!(false))
            }
            Extent::Rest => (quote!(cursor.limit), quote!(cursor.room)),
            Extent::Terminated(terminator) => {
                let terminator = self.terminator(terminator);
                let row = self.spelling_row(ctx);
                return quote!({
                    #here
                    static TERMINATOR: rt::Terminator = #terminator;
                    let at = cursor.at;
                    let (end, next) = rt::terminated(
                        &mut cx.core, cursor, &TERMINATOR, &mut spelling, #row, index,
                    )?;
                    let mut inside = rt::Cursor::new(at, end);
                    let value = { let cursor = &mut inside; #inner };
                    rt::exactly(&mut inside)?;
                    cursor.at = next;
                    value
                });
            }
        };
        match &region.trim {
            None => quote!({
                #here
                let at = cursor.at;
                let room: bool = #room;
                let end = #end;
                let mut inside = rt::Cursor::new(at, end);
                inside.room = room;
                let value = { let cursor = &mut inside; #inner };
                rt::exactly(&mut inside)?;
                cursor.at = end;
                value
            }),
            Some(trim) => {
                let trim = self.trim(trim);
                let row = self.spelling_row(ctx);
                quote!({
                    #here
                    static TRIM: rt::Trim = #trim;
                    let at = cursor.at;
                    let room: bool = #room;
                    let end = #end;
                    let (content, length) = rt::trimmed(&cx.core, at, end, &TRIM)?;
                    let mut inside = rt::Cursor::new(at, content);
                    let value = { let cursor = &mut inside; #inner };
                    rt::exactly(&mut inside)?;
                    rt::keep_tail(
                        &cx.core, at, end, length, &TRIM, room, &mut spelling, #row, index,
                    )?;
                    cursor.at = end;
                    value
                })
            }
        }
    }

    fn terminator(&self, terminator: &Terminator) -> TokenStream {
        let bytes = Literal::byte_string(&terminator.bytes);
        let mode = match terminator.mode {
            Terminated::Dropped => quote!(Dropped),
            Terminated::Kept => quote!(Kept),
            Terminated::Unread => quote!(Unread),
        };
        let optional = terminator.optional;
        quote!(rt::Terminator { bytes: #bytes, mode: rt::Terminated::#mode, optional: #optional })
    }

    fn trim(&self, trim: &Trim) -> TokenStream {
        let terminator = match &trim.terminator {
            Some(terminator) => {
                let terminator = self.terminator(terminator);
                quote!(rt::Some(#terminator))
            }
            None => quote!(rt::None),
        };
        let strip = match trim.strip {
            Some(strip) => quote!(rt::Some(#strip)),
            None => quote!(rt::None),
        };
        quote!(rt::Trim { terminator: #terminator, strip: #strip })
    }

    /// Whether the size of a region follows from something else than what is in it.
    fn gives_room(&self, ctx: Ctx, size: &Expr) -> bool {
        let mut followed = false;
        for (id, record) in records(self.model) {
            for definer in record.rows.iter().flat_map(|row| &row.definers) {
                let DefinerSource::Measure { measure: Measure::Size, row, .. } = &definer.source
                else {
                    continue;
                };
                let holder = match &definer.scope {
                    DefinerScope::Own => Some(id),
                    DefinerScope::Owner(owner, _) => Some(*owner),
                    DefinerScope::Case(union, case) => union_in(&record.rows[union.index()].ty)
                        .map(|u| self.model.unions[u.index()].cases[*case as usize].record),
                };
                followed |= holder == Some(ctx.record) && *row == ctx.row;
            }
        }
        !followed && !position_below(size)
    }
}

fn position_below(e: &Expr) -> bool {
    mentions_position(e)
}
