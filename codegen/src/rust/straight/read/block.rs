//! Structs of a constant size, which functions are handed as bytes that have been looked at.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::{Callee, Ctx, Handed, Reading, Sink, Spot, size};
use crate::model::{Constant, Home, RecordId, Row, RowKind, Type};
use crate::rust::shape::Shape;
use crate::rust::straight::able::{Able, unable};

/// Rows that are read where they stand, if each of them is a line of code.
const LINES: usize = 12;

impl<'m> Reading<'_, '_, 'm> {
    /// Whether a struct is as easily read where it stands as by a function.
    pub(super) fn is_plain(&self, ctx: &Ctx<'m>, id: RecordId) -> bool {
        let record = &ctx.view.records[id.index()];
        let here = |row: &&Row| row.homes.get(ctx.epoch) != Some(&Home::Absent);
        let rows: Vec<&Row> = record.rows.iter().filter(here).collect();
        rows.len() <= LINES
            && rows.iter().all(|row| {
                let line =
                    matches!(row.ty.stripped(), Type::Cell(_) | Type::Run(_) | Type::Nothing);
                let zeros = matches!(row.kind, RowKind::Zeros | RowKind::Zero | RowKind::Reserved);
                let constant = matches!(row.kind, RowKind::Constant(Constant::Bytes(_)));
                row.when.is_none() && (line || zeros || constant)
            })
    }

    /// Size in bytes of a struct, if it is the same in all layouts.
    fn width(&self, id: RecordId) -> Option<u64> {
        let size_in = |epoch: usize| self.sizes.get(epoch)?.of(&Type::Record(id));
        let mut sizes = self.straight.layouts.iter().map(|epoch| size_in(*epoch));
        let first = sizes.next()??;
        sizes.all(|size| size == Some(first)).then_some(first)
    }

    /// What the function of a struct is handed.
    pub(super) fn block_parameter(&self, id: RecordId) -> TokenStream {
        match self.width(id).map(size) {
            Some(width) => quote!(block: &'i [u8; #width]),
            None => quote!(bytes: &'i [u8]),
        }
    }

    /// What its body begins with, and where it reads.
    pub(super) fn handed_block(
        &self,
        id: RecordId,
        epoch: usize,
    ) -> Able<(Option<TokenStream>, Spot)> {
        let Some(all) = self.sizes.get(epoch).and_then(|sizes| sizes.of(&Type::Record(id))) else {
            return unable("a struct of no fixed size within a block");
        };
        let (at, block, all) = (self.local("a"), format_ident!("block"), size(all));
        let whole = self.width(id).is_none();
        let whole = whole.then(|| quote!(let block: &'i [u8; #all] = s::whole(bytes)?;));
        let before = quote!(#whole let #at = cx.place(block););
        Ok((Some(before), Spot::Block { block, at: 0, base: quote!(#at), whole: true }))
    }

    /// A struct that is read by its function.
    pub(super) fn called_with_block(
        &self,
        ctx: &Ctx<'m>,
        spot: &Spot,
        id: RecordId,
        target: &Shape,
        sink: Sink<'_>,
    ) -> Able<TokenStream> {
        let Some(all) = self.fixed(ctx, &Type::Record(id)) else {
            return unable("a struct of no fixed size within a block");
        };
        let callee = Callee { record: id, big: ctx.big, pushing: false, handed: Handed::Block };
        self.callable(ctx, callee, target)?;
        let (before, bytes) = match spot {
            Spot::Stream { part, .. } => {
                let (block, all) = (self.local("b"), size(all));
                (Some(quote!(let #block: &'i [u8; #all] = #part.block()?;)), quote!(#block))
            }
            Spot::Block { block, whole: true, .. } => (None, quote!(#block)),
            Spot::Block { block, at, .. } => {
                let (at, all) = (size(*at), size(all));
                (
                    None,
                    match self.width(id) {
                        Some(_) => quote!(s::within(#block, #at)),
                        None => quote!(s::bytes(#block, #at, #all)),
                    },
                )
            }
        };
        let call = self.call_code(callee, &bytes);
        let (value, chain) = (sink(quote!(value)), self.take_chain(ctx, id));
        Ok(quote! {
            #before
            let value = #call;
            #chain
            #value
        })
    }
}
