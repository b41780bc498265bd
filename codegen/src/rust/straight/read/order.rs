//! Byte orders: of the file, and those that structs choose.

use std::collections::BTreeSet;

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::{Ctx, Frame, Reading, Spot, cell, size};
use crate::check::exprs::own_rows;
use crate::model::{
    ByteOrder, ByteOrderRule, EndianRule, EpochId, EpochVariable, ExprId, RecordId, RowId,
    RunLength, RunType, Storage, Type,
};
use crate::rust::straight::able::{Able, unable};
use crate::rust::straight::early::{early, early_value};
use crate::rust::straight::epochs::epoch_id;
use crate::rust::straight::scope::Access;

impl<'m> Reading<'_, '_, 'm> {
    /// Byte order of the file: whether the highest byte comes first.
    pub(super) fn file_order(&self) -> bool {
        // A mark says it, and is read: files of the other order are odd.
        matches!(self.model.byte_order, ByteOrderRule::Fixed(ByteOrder::Big))
    }

    /// Byte order in a record.
    pub(super) fn order_in(&self, ctx: &Ctx<'m>, record: RecordId) -> Able<bool> {
        match &self.straight.record(record).endian {
            None => Ok(ctx.big),
            Some(EndianRule::Fixed(order)) => Ok(*order == ByteOrder::Big),
            Some(EndianRule::Chosen(..)) if ctx.decided == Some(record) => Ok(ctx.big),
            Some(EndianRule::Chosen(..)) => unable("a byte order that the file chooses here"),
        }
    }

    /// Code for each byte order that a record may choose, and the choice between them.
    pub(super) fn by_order(
        &self,
        ctx: &Ctx<'m>,
        spot: &Spot,
        id: RecordId,
        make: &dyn Fn(&Ctx<'m>) -> Able<TokenStream>,
    ) -> Able<TokenStream> {
        let Some(EndianRule::Chosen(rules, otherwise)) = &self.straight.record(id).endian else {
            return make(ctx);
        };
        if ctx.decided == Some(id) {
            return make(ctx);
        }
        let decided = |order: ByteOrder| {
            make(&Ctx { big: order == ByteOrder::Big, decided: Some(id), ..ctx.clone() })
        };
        // The conditions are asked in the record, of which nothing is known but what stands at offsets
        // that are the same in every file.
        let ahead = self.asked_ahead(ctx, spot, id, rules)?;
        let mut asking = ctx.clone();
        let access = Access::Early;
        asking.frames.push(Frame { record: id, access, at: None, index: None });
        let mut code = match otherwise {
            Some(order) => decided(*order)?,
            None => quote!(return rt::Err(s::Odd);),
        };
        for (condition, order) in rules.iter().rev() {
            let condition = self.truth(&asking, *condition)?;
            let then = decided(*order)?;
            code = quote!(if #condition { #then } else { #code });
        }
        Ok(if ahead.is_empty() { code } else { quote!({ #ahead #code }) })
    }

    /// The number of an epoch in the byte order that the struct at the end of a way to it chooses.
    pub(super) fn in_order_of(
        &self,
        variable: &EpochVariable,
        way: &[RowId],
        load: &dyn Fn(bool) -> TokenStream,
    ) -> Able<TokenStream> {
        let rows = self.model.rows_along(self.model.root, &variable.path);
        let (before, rest) = rows.split_at(way.len());
        let offsets = before.iter().map(|(id, row)| self.model.row_offset(*id, *row, EpochId(0)));
        let (Some(at), Some((id, _))) = (offsets.sum::<Option<u64>>(), rest.first()) else {
            return unable("an epoch in a byte order that is chosen at no known place");
        };
        let ctx = Ctx { decided: None, ..self.outset(*id, 0, self.file_order()) };
        let spot = Spot::block(self.local("b")).plus(at);
        self.inside(|| self.by_order(&ctx, &spot, *id, &|ctx| Ok(load(ctx.big))))
    }

    /// The numbers, texts and bytes of a record that conditions ask for, before anything of it is read.
    fn asked_ahead(
        &self,
        ctx: &Ctx<'m>,
        spot: &Spot,
        id: RecordId,
        rules: &[(ExprId, ByteOrder)],
    ) -> Able<TokenStream> {
        let mut code = TokenStream::new();
        let asked: BTreeSet<RowId> = rules
            .iter()
            .flat_map(|(condition, _)| own_rows(ctx.view, id, *condition))
            .map(|(row, _)| row)
            .collect();
        for asked in asked {
            let row = &ctx.view.records[id.index()].rows[asked.index()];
            let epoch = epoch_id(ctx.epoch);
            let offset = ctx.view.row_offset(id, asked, epoch);
            let Some(offset) = offset else { continue };
            let block = self.local("b");
            let (width, name, value) = match &row.ty {
                Type::Cell(cell) => {
                    let Storage::Fixed(int) = cell.storage else { continue };
                    // A number that follows the order has one byte.
                    let stored = cell::load(int, int.order == Some(ByteOrder::Big), &block, 0);
                    let Some(number) = self.early(cell, row, &stored) else { continue };
                    let name = early(id, asked);
                    (u64::from(int.bytes), name.clone(), quote!(let #name: i128 = #number;))
                }
                Type::Run(RunType { content, length: RunLength::Fixed(width), suffix, align })
                    if content.is_in_bytes() && suffix.is_empty() && align.is_none() =>
                {
                    let (at, name) = (Spot::block(block.clone()), early_value(id, asked));
                    let shape = self.straight.early_shape(id, asked, row);
                    let value = self.item(ctx, &at, &row.ty, row, &shape, &|value| value)?;
                    (*width, name.clone(), quote!(let #name = { #value };))
                }
                _ => continue,
            };
            let at = spot.address();
            let at = match offset {
                0 => at,
                _ => {
                    let offset = size(offset);
                    quote!(#at + #offset)
                }
            };
            let width = Literal::u64_unsuffixed(width);
            code.extend(quote! {
                let #block: &[u8; #width] = cx.part(#at)?.block()?;
                #value
            });
            self.known.borrow_mut().insert(name.to_string());
        }
        Ok(code)
    }
}
