//! What lies behind addresses: objects, and targets of pointers.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::build::{Part, element_of, target_of};
use super::{Ctx, Reading, number};
use crate::model::{EpochId, RecordId, Row, RowId, RowKind, Type};
use crate::rust::visit::{records, rows};

impl<'m> Reading<'_, 'm> {
    /// Functions that read objects and targets, and the choice between them.
    pub(super) fn part_functions(&self) -> TokenStream {
        let mut functions = TokenStream::new();
        let mut arms = TokenStream::new();
        let mut row_arms = TokenStream::new();
        for (id, record) in records(self.model) {
            if !self.plan.noded(id) || self.shapes.is_plain_word(id) {
                continue;
            }
            let record_number = number(id.index());
            let word = matches!(record.kind, crate::model::RecordKind::Word(_));
            for (row_id, row) in rows(record) {
                let Some(slot) = self.plan.slot(id, row_id) else { continue };
                let fixed = self
                    .epochs()
                    .any(|epoch| matches!(self.home(row, epoch), crate::model::Home::At(_)));
                if fixed && !word {
                    let read = format_ident!("row_{}_{}", id.0, row_id.0);
                    row_arms.extend(quote!((#record_number, #slot) => {
                        let tag_at = cursor.at;
                        #read(self, node, cursor, tag_at)
                    }));
                }
                if matches!(row.kind, RowKind::Object { .. }) {
                    let name = format_ident!("object_{}_{}", id.0, row_id.0);
                    arms.extend(
                        quote!((#record_number, #slot, false, _) => #name(self, loc, cursor),),
                    );
                    functions.extend(self.part_function(&name, id, row_id, row, Part::Own));
                }
                if matches!(row.kind, RowKind::Slice { .. }) {
                    continue;
                }
                if target_of(&row.ty).is_some() {
                    let name = format_ident!("target_{}_{}", id.0, row_id.0);
                    arms.extend(
                        quote!((#record_number, #slot, true, false) => #name(self, loc, cursor),),
                    );
                    functions.extend(self.part_function(&name, id, row_id, row, Part::Target));
                }
                if element_of(&row.ty).is_some_and(|element| target_of(element).is_some()) {
                    let name = format_ident!("element_{}_{}", id.0, row_id.0);
                    arms.extend(
                        quote!((#record_number, #slot, true, true) => #name(self, loc, cursor),),
                    );
                    functions.extend(self.part_function(&name, id, row_id, row, Part::Element));
                }
            }
        }
        quote! {
            #functions

            impl<'i, 'o, M: rt::Mode<'i, 'o>> rt::Reader<'i> for Reader<'i, 'o, M> {
                fn core(&self) -> &rt::Core<'i> {
                    &self.core
                }

                fn core_mut(&mut self) -> &mut rt::Core<'i> {
                    &mut self.core
                }

                fn read_row(
                    &mut self,
                    node: rt::NodeId,
                    slot: u16,
                    cursor: &mut rt::Cursor<'i>,
                ) -> rt::Read<()> {
                    match (self.core.tree.node(node).record, slot) {
                        #row_arms
                        _ => rt::Ok(()),
                    }
                }

                fn read_part(
                    &mut self,
                    loc: rt::Loc,
                    target: bool,
                    cursor: &mut rt::Cursor<'i>,
                ) -> rt::Read<(rt::Item<'i>, u32)> {
                    let record = self.core.tree.node(loc.node).record;
                    match (record, loc.slot, target, loc.index.is_some()) {
                        #arms
                        _ => rt::Ok((rt::Item::Absent, rt::NOTHING)),
                    }
                }
            }
        }
    }

    fn part_function(
        &self,
        name: &proc_macro2::Ident,
        id: RecordId,
        row_id: RowId,
        row: &'m Row,
        part: Part,
    ) -> TokenStream {
        let code = self.per_epoch(|epoch| {
            let Some(ty) = part_type(&row.ty, part, epoch) else {
                return quote!((rt::Item::Absent, rt::NOTHING));
            };
            let ctx = Ctx { record: id, row: row_id, epoch, direct: false, loc: true, block: None };
            match self.part_of(id, row_id, part) {
                Some((shape, _)) => {
                    let store = self.store_for(id, row_id, part);
                    self.whole(ctx, ty, row, &shape, &store)
                }
                None => {
                    let item = match (&row.kind, part) {
                        (RowKind::Object { .. }, Part::Own) => self.item(ctx, ty, row),
                        _ => self.item(ctx, ty, row),
                    };
                    quote!((#item, rt::NOTHING))
                }
            }
        });
        quote! {
            fn #name<'i, 'o, M: rt::Mode<'i, 'o>>(
                cx: &mut Reader<'i, 'o, M>,
                loc: rt::Loc,
                cursor: &mut rt::Cursor<'i>,
            ) -> rt::Read<(rt::Item<'i>, u32)> {
                let owner = loc.node;
                let index = loc.index;
                let base = cx.core.tree.node(owner).at;
                let tag = cx.core.tree.node(owner).tag;
                let tag_at = base;
                let mut spelling = ::formwork::Spelling::default();
                let read: (rt::Item<'i>, u32) = #code;
                cx.core.keep_all(owner, spelling);
                rt::Ok(read)
            }
        }
    }
}

/// The type of a part in one epoch.
fn part_type(ty: &Type, part: Part, epoch: EpochId) -> Option<&Type> {
    let ty = ty.in_epoch(epoch);
    match part {
        Part::Own => Some(ty),
        Part::Target => target_in(ty, epoch),
        Part::Element => target_in(element_in(ty, epoch)?, epoch),
    }
}

pub(super) fn target_in(ty: &Type, epoch: EpochId) -> Option<&Type> {
    match ty.in_epoch(epoch) {
        Type::Region(region) => target_in(&region.inner, epoch),
        Type::Pointer(pointer) => match &pointer.target {
            crate::model::Target::Own(target) => Some(target),
            _ => None,
        },
        _ => None,
    }
}

pub(super) fn element_in(ty: &Type, epoch: EpochId) -> Option<&Type> {
    match ty.in_epoch(epoch) {
        Type::Region(region) => element_in(&region.inner, epoch),
        Type::Array(array) => Some(&array.element),
        Type::Pointer(pointer) => match &pointer.target {
            crate::model::Target::Own(target) => element_in(target, epoch),
            _ => None,
        },
        _ => None,
    }
}
