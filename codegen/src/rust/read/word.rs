//! Words of bit fields that are structs.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::{Ctx, Reading, number};
use crate::model::{EpochId, Home, Record, RecordId, RowKind};
use crate::rust::visit::rows;

impl Reading<'_, '_> {
    /// A word with a node.
    pub(super) fn noded_word(&self, id: RecordId, record: &Record) -> TokenStream {
        let read = format_ident!("word_{}", id.0);
        let record_number = number(id.index());
        let mut code = TokenStream::new();
        let mut early = Vec::new();
        for (row_id, row) in rows(record) {
            let Some(bit) = bit_of(row) else { continue };
            let ctx = Ctx {
                record: id,
                row: row_id,
                epoch: EpochId(0),
                direct: false,
                loc: true,
                block: None,
            };
            let slot = self.plan.slot(id, row_id);
            let field = self.shapes.field(id, row_id).filter(|_| self.typed(id));
            let spelled = self.spelling_row(ctx);
            let after = match row.kind {
                RowKind::Zero => quote! {
                    if !rt::is_zero(&item) {
                        return rt::Err(::formwork::ReadError::new(
                            ::formwork::ReadErrorKind::NotZero, at,
                        ));
                    }
                },
                RowKind::Reserved => {
                    quote!(rt::reserved(&item, false, &mut spelling, #spelled);)
                }
                _ => quote!(),
            };
            let item = self.per_epoch(|epoch| self.item(Ctx { epoch, ..ctx }, &row.ty, row));
            let name = self.step(id, row_id).map(|name| quote!(.in_field(#name)));
            let loc = match slot {
                Some(slot) => quote!(rt::Loc::slot(owner, #slot)),
                None => quote!(rt::Loc::slot(owner, rt::WHOLE)),
            };
            let set = slot.map(
                |slot| quote!(rt::place_word(&mut cx.core, owner, #slot, item, at, end, #bit);),
            );
            let build = match (slot, field) {
                (None, Some(field)) => {
                    let value = self.build_plain(&field.shape);
                    early.push((format_ident!("f{}", row_id.0), field.shape.clone()));
                    quote!({ let item = &item; #value })
                }
                _ => quote!(()),
            };
            let var = format_ident!("f{}", row_id.0);
            code.extend(quote! {
                let #var = {
                    let loc = #loc;
                    let result = (|| -> rt::Read<_> {
                        let item: rt::Item<'i> = #item;
                        #after
                        let built = #build;
                        rt::Ok((item, built))
                    })();
                    match result {
                        rt::Ok((item, built)) => { #set built }
                        rt::Err(error) => {
                            return rt::Err(cx.core.under(error #name, owner));
                        }
                    }
                };
            });
        }
        let keep = self.keep_early(id, &early);
        quote! {
            fn #read<'i, 'o, M: rt::Mode<'i, 'o>>(
                cx: &mut Reader<'i, 'o, M>,
                raw: u64,
                at: u64,
                end: u64,
                holder: rt::Loc,
            ) -> rt::Read<rt::NodeId> {
                let owner = rt::word_node(&mut cx.core, #record_number, holder, raw, at, end);
                let word = raw;
                let tag = i128::from(raw);
                let mut spelling = ::formwork::Spelling::default();
                let index: rt::Option<u32> = rt::None;
                let mut cursor = rt::Cursor::new(at, end);
                let cursor = &mut cursor;
                #code
                cx.core.keep_all(owner, spelling);
                #keep
                rt::Ok(owner)
            }
        }
    }

    /// A word without a node that is no plain number.
    pub(super) fn direct_word(&self, id: RecordId, record: &Record) -> TokenStream {
        let read = format_ident!("word_{}", id.0);
        let result = self.result(id);
        let mut code = TokenStream::new();
        let mut fields = Vec::new();
        for (row_id, row) in rows(record) {
            if bit_of(row).is_none() {
                continue;
            }
            let ctx = Ctx {
                record: id,
                row: row_id,
                epoch: EpochId(0),
                direct: true,
                loc: false,
                block: None,
            };
            let spelled = self.spelling_row(ctx);
            let item = self.per_epoch(|epoch| self.item(Ctx { epoch, ..ctx }, &row.ty, row));
            let after = match row.kind {
                RowKind::Zero => quote! {
                    if !rt::is_zero(&item) {
                        return rt::Err(::formwork::ReadError::new(
                            ::formwork::ReadErrorKind::NotZero, at,
                        ));
                    }
                },
                RowKind::Reserved => {
                    quote!(rt::reserved(&item, false, &mut spelling, #spelled);)
                }
                _ => quote!(),
            };
            let field = self.shapes.field(id, row_id).filter(|_| self.typed(id));
            let build = match field {
                Some(field) => {
                    let value = self.build_plain(&field.shape);
                    fields.push(row_id);
                    quote!({ let item = &item; #value })
                }
                None => quote!(()),
            };
            let name = self.step(id, row_id).map(|name| quote!(.in_field(#name)));
            let var = format_ident!("f{}", row_id.0);
            code.extend(quote! {
                let #var = match (|| -> rt::Read<_> {
                    let item: rt::Item<'i> = #item;
                    #after
                    rt::Ok(#build)
                })() {
                    rt::Ok(built) => built,
                    rt::Err(error) => return rt::Err(error #name),
                };
            });
        }
        let value = self.struct_of(id, &fields);
        quote! {
            fn #read<'i, 'o, M: rt::Mode<'i, 'o>>(
                cx: &mut Reader<'i, 'o, M>,
                raw: u64,
                at: u64,
                owner: rt::NodeId,
            ) -> rt::Read<#result> {
                let word = raw;
                let tag = i128::from(raw);
                let mut spelling = ::formwork::Spelling::default();
                let index: rt::Option<u32> = rt::None;
                let mut cursor = rt::Cursor::new(at, at);
                let cursor = &mut cursor;
                #code
                rt::Ok(#value)
            }
        }
    }
}

fn bit_of(row: &crate::model::Row) -> Option<u8> {
    row.homes.iter().find_map(|home| match home {
        Home::At(bit) => u8::try_from(*bit).ok(),
        _ => None,
    })
}
